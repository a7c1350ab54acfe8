/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Converts a frame's header to the PacoInfo of applications (paco.h) and back. */
#include "codec/geometry.h"
#include "codec/index.h"
#include "lib/private.h"
#include <string.h>

static PacoStatus
check_struct_size (const PacoInfo *info, PacoError *error)
{
  return paco_struct_check (
      info, sizeof *info, "PacoInfo", "PACO_INFO_INIT", error);
}

/* --- probing --- */

/* Says whether nothing in the frame says that coding has lost something. */
static bool
looks_lossless (const uint8_t *data, const PacoHeader *header)
{
  PacoGeometry *geometry = paco_geometry_new (
      &header->picture, &header->coding);
  PacoBlockRecord *records = NULL;
  bool lossless = true;

  if (header->index_size >= geometry->n_blocks)
    records = g_try_new (PacoBlockRecord, geometry->n_blocks);
  lossless = records
      && paco_index_parse_frame (data, header, geometry, records, NULL);
  for (uint32_t i = 0; i < geometry->n_blocks && lossless; i++)
    lossless = records[i].dropped_planes == 0 && !records[i].cut;
  g_free (records);
  paco_geometry_free (geometry);
  return lossless;
}

static bool
is_reversible (const PacoHeader *header)
{
  for (unsigned c = 0; c < header->picture.n_components; c++)
    if (!paco_is_reversible (&header->coding, c))
      return false;
  return true;
}

static void
tell_picture (const PacoPictureFormat *picture, PacoInfo *info)
{
  info->width = picture->width;
  info->height = picture->height;
  info->n_components = picture->n_components;
  info->fields = picture->fields;
  for (unsigned c = 0; c < picture->n_components; c++) {
    info->depth[c] = picture->components[c].depth;
    info->subsampling_x[c] = picture->components[c].subsampling_x;
    info->subsampling_y[c] = picture->components[c].subsampling_y;
    info->sample_kind[c] = picture->components[c].kind;
    info->place_x[c] = picture->components[c].place_x;
    info->place_y[c] = picture->components[c].place_y;
  }
  info->mosaic = picture->mosaic;
}

static void
tell_mastering (const PacoMasteringDisplay *display, PacoMastering *mastering)
{
  for (unsigned i = 0; i < 3; i++)
    for (unsigned j = 0; j < 2; j++)
      mastering->primaries[i][j] = display->primaries[i][j];
  for (unsigned j = 0; j < 2; j++)
    mastering->white_point[j] = display->white_point[j];
  mastering->max_luminance = display->max_luminance;
  mastering->min_luminance = display->min_luminance;
}

static void
tell_video (const PacoVideoInfo *video, PacoInfo *info)
{
  G_STATIC_ASSERT (sizeof info->format == sizeof video->raw_format);
  memcpy (info->format, video->raw_format, sizeof info->format);
  info->par_n = video->par_n;
  info->par_d = video->par_d;
  info->fps_n = video->fps_n;
  info->fps_d = video->fps_d;
  info->interlace_mode = video->interlace_mode;
  info->picture_flags = video->picture_flags;
  info->field_order = video->field_order;
  info->chroma_site = video->chroma_site;
  info->range = video->range;
  info->matrix = video->matrix;
  info->transfer = video->transfer;
  info->primaries = video->primaries;
  info->has_mastering = video->has_mastering_display;
  info->has_content_light = video->has_content_light;
  info->has_views = video->has_views;
  info->has_place = video->has_place;
  tell_mastering (&video->mastering_display, &info->mastering);
  info->max_content_light = video->max_content_light;
  info->max_frame_average_light = video->max_frame_average_light;
  info->multiview_mode = video->multiview_mode;
  info->multiview_flags = video->multiview_flags;
  info->place_number = video->place.number;
  info->place_offset = video->place.offset;
  info->stack_number = video->slice.number;
  info->stack_length = video->slice.length;
  info->stack_position = video->slice.position;
  info->stack_depth = video->slice.depth;
}

static uint32_t
count_chunks (PacoAncillary chunks)
{
  PacoChunk chunk;
  uint32_t n = 0;

  while (paco_ancillary_next (&chunks, &chunk))
    n++;
  return n;
}

static void
tell_coding (
    const uint8_t *data, size_t size, const PacoHeader *header, PacoInfo *info)
{
  info->version = PACO_VERSION;
  for (unsigned c = 0; c < header->picture.n_components; c++)
    info->wavelet[c] = header->coding.components[c].wavelet;
  info->color_transform = header->coding.color_transform;
  info->coding_passes = header->coding.coding_passes;
  info->block_checks = header->coding.block_checks;
  info->cut_points = header->coding.cut_points;
  info->n_chunks = count_chunks (header->video.ancillary);
  info->header_size = header->header_size;
  info->index_size = header->index_size;
  info->frame_size = header->frame_size;
  info->levels = header->coding.levels;
  info->has_step_map = header->coding.step_map;
  for (unsigned i = 0; i < header->coding.n_code_tables; i++)
    for (unsigned c = 0; c < header->picture.n_components; c++)
      if (header->coding.code_tables[i].components >> c & 1)
        info->n_codes[c] = header->coding.code_tables[i].n_codes;
  info->attachment_size = header->video.attachment.size;
  if (!is_reversible (header)
      || header->video.slice.bits != header->video.slice.depth)
    info->lossless = 0;
  else if (size < (size_t) header->header_size + header->index_size)
    info->lossless = 2;
  else
    info->lossless = looks_lossless (data, header);
}

static PacoStatus
ask_for_more (size_t bytes, size_t size, size_t *needed, PacoError *error)
{
  if (needed)
    *needed = bytes;
  return paco_error_set (error, PACO_STATUS_MORE,
      "%zu bytes of the frame are needed, and there are %zu", bytes, size);
}

PacoStatus
paco_info_header (const void *data, size_t size, PacoHeader *header,
    size_t *needed, PacoError *error)
{
  GError *failure = NULL;

  if (!data)
    return paco_error_null ("data", error);
  if (size < PACO_PROBE_SIZE)
    return ask_for_more (PACO_PROBE_SIZE, size, needed, error);
  if (!paco_header_peek (data, size, header, &failure))
    return paco_error_take (error, failure);
  if (size < header->header_size)
    return ask_for_more (header->header_size, size, needed, error);
  if (!paco_header_parse (data, size, header, NULL, &failure))
    return paco_error_take (error, failure);
  if (needed)
    *needed = header->header_size;
  return paco_error_ok (error);
}

PacoStatus
paco_probe (const void *data, size_t size, PacoInfo *info, size_t *needed,
    PacoError *error)
{
  PacoInfo told = PACO_INFO_INIT;
  PacoHeader header;
  size_t struct_size;
  PacoStatus status = check_struct_size (info, error);

  if (status == PACO_STATUS_OK)
    status = paco_info_header (data, size, &header, needed, error);
  if (status != PACO_STATUS_OK)
    return status;
  tell_picture (&header.picture, &told);
  tell_video (&header.video, &told);
  tell_coding (data, size, &header, &told);
  struct_size = info->struct_size;
  memset (info, 0, struct_size);
  memcpy (info, &told, MIN (struct_size, sizeof told));
  info->struct_size = struct_size;
  return PACO_STATUS_OK;
}

/* --- what the application says --- */

/* Names what does not fit into the codec's fields; everything else is found by
 * paco_header_check(). */
static const char *
find_misfit (const PacoInfo *info)
{
  if (info->n_components < 1 || info->n_components > PACO_MAX_COMPONENTS)
    return "a picture has one to four components";
  for (unsigned c = 0; c < info->n_components; c++) {
    if (info->depth[c] < 1 || info->depth[c] > 16)
      return "samples have one to sixteen bits";
    if (info->subsampling_x[c] > 2 || info->subsampling_y[c] > 2)
      return "components may be subsampled by 1, 2 or 4: 0, 1 or 2 as log2";
    if (info->sample_kind[c] > PACO_SAMPLES_FLOAT)
      return "samples are unsigned, signed or binary16: 0, 1 or 2 as "
             "sample_kind";
    if (info->place_x[c] > 1 || info->place_y[c] > 1)
      return "places in the cell of a mosaic are 0 or 1";
  }
  if (info->fields > 1 || info->mosaic > 1 || info->has_mastering > 1
      || info->has_content_light > 1 || info->has_views > 1
      || info->has_place > 1)
    return "fields, mosaic, has_mastering, has_content_light, has_views and "
           "has_place are 0 or 1";
  if (info->interlace_mode > PACO_INTERLACE_ALTERNATE)
    return "interlace_mode is 0 to 3";
  if ((info->picture_flags & ~14u) != 0)
    return "picture_flags has the bits 2, 4 and 8 only";
  if (info->field_order > 2 || info->chroma_site > 15 || info->range > 2
      || info->matrix > 6 || info->transfer > 16 || info->primaries > 12)
    return "a number that describes fields or colours is none of FORMAT.md's";
  if (info->max_content_light > G_MAXUINT16
      || info->max_frame_average_light > G_MAXUINT16)
    return "a content light level is more than 65535";
  if (info->multiview_mode > G_MAXUINT8 || info->multiview_flags > G_MAXUINT16)
    return "a multiview mode has 8 bits, and its flags have 16";
  for (unsigned i = 0; i < 6; i++)
    if (info->mastering.primaries[i / 2][i % 2] > G_MAXUINT16)
      return "a mastering display's primary is more than 65535";
  if (info->mastering.white_point[0] > G_MAXUINT16
      || info->mastering.white_point[1] > G_MAXUINT16)
    return "a mastering display's white point is more than 65535";
  return NULL;
}

static PacoPictureFormat
picture_of (const PacoInfo *info)
{
  PacoPictureFormat picture = {
    .width = info->width,
    .height = info->height,
    .n_components = (uint8_t) info->n_components,
    .fields = info->fields,
    .mosaic = info->mosaic,
  };

  for (unsigned c = 0; c < info->n_components; c++)
    picture.components[c] = (PacoComponent){
      .depth = (uint8_t) info->depth[c],
      .subsampling_x = (uint8_t) info->subsampling_x[c],
      .subsampling_y = (uint8_t) info->subsampling_y[c],
      .kind = (uint8_t) info->sample_kind[c],
      .place_x = (uint8_t) info->place_x[c],
      .place_y = (uint8_t) info->place_y[c],
    };
  return picture;
}

static PacoMasteringDisplay
mastering_of (const PacoMastering *mastering)
{
  PacoMasteringDisplay display = {
    .max_luminance = mastering->max_luminance,
    .min_luminance = mastering->min_luminance,
  };

  for (unsigned i = 0; i < 3; i++)
    for (unsigned j = 0; j < 2; j++)
      display.primaries[i][j] = (uint16_t) mastering->primaries[i][j];
  for (unsigned j = 0; j < 2; j++)
    display.white_point[j] = (uint16_t) mastering->white_point[j];
  return display;
}

static PacoVideoInfo
video_of (const PacoInfo *info)
{
  bool no_par = info->par_n == 0 && info->par_d == 0;
  PacoVideoInfo video = {
    .par_n = no_par ? 1 : info->par_n,
    .par_d = no_par ? 1 : info->par_d,
    .fps_n = info->fps_n,
    .fps_d = info->fps_n == 0 && info->fps_d == 0 ? 1 : info->fps_d,
    .interlace_mode = (uint8_t) info->interlace_mode,
    .picture_flags = (uint8_t) info->picture_flags,
    .field_order = (uint8_t) info->field_order,
    .chroma_site = (uint8_t) info->chroma_site,
    .range = (uint8_t) info->range,
    .matrix = (uint8_t) info->matrix,
    .transfer = (uint8_t) info->transfer,
    .primaries = (uint8_t) info->primaries,
    .has_mastering_display = info->has_mastering,
    .has_content_light = info->has_content_light,
    .has_views = info->has_views,
    .has_place = info->has_place,
    .max_content_light = (uint16_t) info->max_content_light,
    .max_frame_average_light = (uint16_t) info->max_frame_average_light,
    .multiview_mode = (uint8_t) info->multiview_mode,
    .multiview_flags = (uint16_t) info->multiview_flags,
    .place = { info->place_number, info->place_offset },
  };

  video.mastering_display = mastering_of (&info->mastering);
  memcpy (video.raw_format, info->format, sizeof video.raw_format);
  return video;
}

PacoStatus
paco_info_read (const PacoInfo *info, PacoPictureFormat *picture,
    PacoVideoInfo *video, PacoError *error)
{
  GError *failure = NULL;
  PacoHeader header = { .coding.coding_passes = 1 };
  const char *misfit;
  PacoStatus status;

  status = check_struct_size (info, error);
  if (status != PACO_STATUS_OK)
    return status;
  misfit = find_misfit (info);
  if (misfit)
    return paco_error_set (error, PACO_STATUS_UNSUPPORTED, "%s", misfit);
  header.picture = *picture = picture_of (info);
  header.video = *video = video_of (info);
  if (!paco_header_check (&header, &failure))
    return paco_error_take (error, failure);
  return paco_error_ok (error);
}
