/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Says in the words of the host what pictures of frames are, and where the samples of its
 * images lie. Samples are passed as they are; what would have to be converted is refused. */
#include "plugin.h"
#include <stdio.h>
#include <string.h>

/* Sample formats of the host come in pairs of planes and interleaved samples, from
 * P_UNCHANGED on. colors are UNKNOWN, and n_channels 0, if they may be any. */
typedef struct
{
  nvimgcodecColorSpec_t colors;
  unsigned n_channels;
  bool swapped; /* blue before red */
} Form;

static const Form forms[] = {
  { NVIMGCODEC_COLORSPEC_UNKNOWN, 0, false },
  { NVIMGCODEC_COLORSPEC_GRAY, 1, false },
  { NVIMGCODEC_COLORSPEC_GRAY, 2, false },
  { NVIMGCODEC_COLORSPEC_SRGB, 3, false },
  { NVIMGCODEC_COLORSPEC_SRGB, 3, true },
  { NVIMGCODEC_COLORSPEC_SYCC, 3, false },
  { NVIMGCODEC_COLORSPEC_SRGB, 4, false },
};
#define N_FORMS (sizeof forms / sizeof *forms)

/* Chroma subsampling, as the log2 of columns and lines. */
static const struct
{
  nvimgcodecChromaSubsampling_t name;
  unsigned x, y;
} samplings[] = {
  { NVIMGCODEC_SAMPLING_444, 0, 0 },
  { NVIMGCODEC_SAMPLING_422, 1, 0 },
  { NVIMGCODEC_SAMPLING_420, 1, 1 },
  { NVIMGCODEC_SAMPLING_440, 0, 1 },
  { NVIMGCODEC_SAMPLING_411, 2, 0 },
  { NVIMGCODEC_SAMPLING_410, 2, 1 },
};
#define N_SAMPLINGS (sizeof samplings / sizeof *samplings)

static const struct
{
  nvimgcodecSampleDataType_t name;
  unsigned kind, bits;
} types[] = {
  { NVIMGCODEC_SAMPLE_DATA_TYPE_UINT8, PACO_SAMPLES_UNSIGNED, 8 },
  { NVIMGCODEC_SAMPLE_DATA_TYPE_UINT16, PACO_SAMPLES_UNSIGNED, 16 },
  { NVIMGCODEC_SAMPLE_DATA_TYPE_INT8, PACO_SAMPLES_SIGNED, 8 },
  { NVIMGCODEC_SAMPLE_DATA_TYPE_INT16, PACO_SAMPLES_SIGNED, 16 },
  { NVIMGCODEC_SAMPLE_DATA_TYPE_FLOAT16, PACO_SAMPLES_FLOAT, 16 },
};
#define N_TYPES (sizeof types / sizeof *types)

/* Numbers of fewer bits than their type are unsigned ones, because the host extends others
 * by their sign. */
static bool
fits (unsigned type, unsigned kind, unsigned depth)
{
  return type < N_TYPES && types[type].kind == kind
      && (kind == PACO_SAMPLES_UNSIGNED ? depth <= types[type].bits
                                        : depth == types[type].bits);
}

/* --- frames in the host's words --- */

/* A mosaic is one channel, as its samples lie on the sensor. */
static unsigned
n_channels_of (const PacoInfo *info)
{
  return info->mosaic ? 1 : info->n_components;
}

static nvimgcodecColorSpec_t
colors_of (const PacoInfo *info)
{
  static const char *const names[] = { "RGB", "BGR", "GBR", "RBG", "r210" };

  if (n_channels_of (info) < 3)
    return NVIMGCODEC_COLORSPEC_GRAY;
  /* Encoders transform the colours of R, G, B only. */
  if (info->matrix == 1 || info->color_transform != 0)
    return NVIMGCODEC_COLORSPEC_SRGB;
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (strstr (info->format, names[i]))
      return NVIMGCODEC_COLORSPEC_SRGB;
  return NVIMGCODEC_COLORSPEC_SYCC;
}

static nvimgcodecChromaSubsampling_t
sampling_of (const PacoInfo *info)
{
  const uint32_t *x = info->subsampling_x, *y = info->subsampling_y;

  if (n_channels_of (info) < 3)
    return NVIMGCODEC_SAMPLING_GRAY;
  for (unsigned i = 0; i < N_SAMPLINGS; i++)
    if (x[1] == samplings[i].x && y[1] == samplings[i].y && x[2] == x[1]
        && y[2] == y[1])
      return samplings[i].name;
  return NVIMGCODEC_SAMPLING_UNSUPPORTED;
}

PacoStatus
pictures_describe (
    const PacoInfo *info, nvimgcodecImageInfo_t *image, PacoError *error)
{
  PacoStatus status = PACO_STATUS_OK;
  unsigned n = n_channels_of (info), form = N_FORMS - 1;

  if (info->stack_length > 0) {
    snprintf (error->message, sizeof error->message,
        "the frame is slice %u of a stack of %u, and no picture by itself",
        info->stack_position, info->stack_length);
    return error->status = PACO_STATUS_UNSUPPORTED;
  }
  strcpy (image->codec_name, CODEC);
  image->color_spec = colors_of (info);
  image->chroma_subsampling = sampling_of (info);
  while (form > 0
      && (forms[form].colors != image->color_spec || forms[form].n_channels != n
          || forms[form].swapped))
    form--;
  image->sample_format =
      (nvimgcodecSampleFormat_t) (NVIMGCODEC_SAMPLEFORMAT_P_UNCHANGED
          + 2 * form);
  image->orientation = (nvimgcodecOrientation_t){ HOST_STRUCT (
      ORIENTATION, nvimgcodecOrientation_t) };
  image->num_planes = n;
  for (unsigned c = 0; c < n && status == PACO_STATUS_OK; c++) {
    nvimgcodecImagePlaneInfo_t *plane = &image->plane_info[c];
    unsigned type = 0;

    while (type < N_TYPES && !fits (type, info->sample_kind[c], info->depth[c]))
      type++;
    *plane = (nvimgcodecImagePlaneInfo_t){
      HOST_STRUCT (IMAGE_PLANE_INFO, nvimgcodecImagePlaneInfo_t),
      .width = info->width,
      .height = info->height,
      .num_channels = 1,
      .sample_type = type < N_TYPES ? types[type].name
                                    : NVIMGCODEC_SAMPLE_DATA_TYPE_UNSUPPORTED,
      .precision = (uint8_t) info->depth[c],
    };
    if (!info->mosaic)
      status = paco_component_size (
          info, c, 0, &plane->width, &plane->height, error);
  }
  return status;
}

/* --- images of the host --- */

/* Returns NULL if frames have no such sample format. */
static const Form *
form_of (const nvimgcodecImageInfo_t *image, bool *interleaved, const Log *log)
{
  unsigned format = (unsigned) image->sample_format
      - NVIMGCODEC_SAMPLEFORMAT_P_UNCHANGED;

  *interleaved = format % 2;
  if (format < 2 * N_FORMS)
    return &forms[format / 2];
  refuse (log, STATUS (SAMPLE_FORMAT_UNSUPPORTED),
      "frames have no sample format %d of nvImageCodec",
      (int) image->sample_format);
  return NULL;
}

/* Sets *depth to how many bits samples have, and returns N_TYPES if frames have none of the
 * plane's type. */
static unsigned
type_of (const nvimgcodecImagePlaneInfo_t *plane, unsigned *depth)
{
  unsigned type = 0;

  *depth = plane->precision ? plane->precision
                            : (unsigned) plane->sample_type >> 8;
  while (type < N_TYPES && types[type].name != plane->sample_type)
    type++;
  return type;
}

Status
pictures_read (
    const nvimgcodecImageInfo_t *image, PacoInfo *info, const Log *log)
{
  bool interleaved, has_chroma;
  const Form *form = form_of (image, &interleaved, log);
  unsigned sampling = 0, n;

  if (!form)
    return STATUS (SAMPLE_FORMAT_UNSUPPORTED);
  n = interleaved ? image->plane_info[0].num_channels : image->num_planes;
  if (n < 1 || n > PACO_COMPONENTS)
    return refuse (log, STATUS (NUM_CHANNELS_UNSUPPORTED),
        "a picture has 1 to %d channels, not %u", PACO_COMPONENTS, n);
  has_chroma = n >= 3
      && (form->colors == NVIMGCODEC_COLORSPEC_SYCC
          || image->color_spec == NVIMGCODEC_COLORSPEC_SYCC);
  while (has_chroma && sampling < N_SAMPLINGS
      && samplings[sampling].name != image->chroma_subsampling)
    sampling++;
  if (sampling == N_SAMPLINGS)
    return refuse (log, STATUS (SAMPLING_UNSUPPORTED),
        "frames have no chroma subsampling %d of nvImageCodec",
        (int) image->chroma_subsampling);
  *info = (PacoInfo) PACO_INFO_INIT;
  info->width = image->plane_info[0].width;
  info->height = image->plane_info[0].height;
  info->n_components = n;
  /* Which Y'CbCr it is, the host does not know: all are sYCC for it. */
  info->range = has_chroma ? 0 : 1;
  info->matrix = n >= 3 && !has_chroma ? 1 : 0;
  if (info->matrix && image->color_spec == NVIMGCODEC_COLORSPEC_SRGB) {
    info->transfer = 7;
    info->primaries = 1;
  }
  for (unsigned c = 0; c < n; c++) {
    unsigned type = type_of (
        &image->plane_info[interleaved ? 0 : c], &info->depth[c]);

    if (type == N_TYPES)
      return refuse (log, STATUS (SAMPLE_TYPE_UNSUPPORTED),
          "samples are uint8, uint16, int8, int16 or float16");
    info->sample_kind[c] = types[type].kind;
    info->subsampling_x[c] = c == 1 || c == 2 ? samplings[sampling].x : 0;
    info->subsampling_y[c] = c == 1 || c == 2 ? samplings[sampling].y : 0;
  }
  return STATUS (SUCCESS);
}

/* --- both together --- */

/* Of what the image is: how many planes and channels, and which colours. */
static Status
match_kind (const nvimgcodecImageInfo_t *image, const Form *form,
    bool interleaved, const PacoInfo *info, const Log *log)
{
  unsigned n = n_channels_of (info);
  nvimgcodecColorSpec_t colors = colors_of (info);
  nvimgcodecChromaSubsampling_t sampling = sampling_of (info);

  if ((form->n_channels > 0 && form->n_channels != n)
      || (interleaved && image->plane_info[0].num_channels != n))
    return refuse (log, STATUS (NUM_CHANNELS_UNSUPPORTED),
        "the picture has %u channels, and the image another number", n);
  if (image->num_planes != (interleaved ? 1 : n))
    return refuse (log, STATUS (NUM_PLANES_UNSUPPORTED),
        "the picture has %u channels, and the image %u planes", n,
        image->num_planes);
  if ((form->colors != NVIMGCODEC_COLORSPEC_UNKNOWN && form->colors != colors)
      || (n >= 3 && image->color_spec != NVIMGCODEC_COLORSPEC_UNKNOWN
          && image->color_spec != colors))
    return refuse (log, STATUS (COLOR_SPEC_UNSUPPORTED),
        "colours are not converted: the picture is %s, the image has sample "
        "format %d and color spec %d",
        colors == NVIMGCODEC_COLORSPEC_GRAY       ? "gray"
            : colors == NVIMGCODEC_COLORSPEC_SRGB ? "R, G, B"
                                                  : "Y, Cb, Cr",
        (int) image->sample_format, (int) image->color_spec);
  if (colors == NVIMGCODEC_COLORSPEC_SYCC
      && (image->chroma_subsampling != sampling
          || (interleaved && sampling != NVIMGCODEC_SAMPLING_444)))
    return refuse (log, STATUS (SAMPLING_UNSUPPORTED),
        "the picture has chroma subsampling %d, the image %d, and only planes "
        "can be subsampled",
        (int) sampling, (int) image->chroma_subsampling);
  return STATUS (SUCCESS);
}

/* Looks whether a plane, or a channel of it, can take component c, which is width x height. */
static Status
match_plane (const nvimgcodecImagePlaneInfo_t *plane, const PacoInfo *info,
    unsigned c, uint32_t width, uint32_t height, const Log *log)
{
  static const char *const kinds[] = { "unsigned", "signed", "floating-point" };
  unsigned depth, type = type_of (plane, &depth);

  if (plane->width != width || plane->height != height)
    return refuse (log,
        c == 0 ? STATUS (RESOLUTION_UNSUPPORTED)
               : STATUS (SAMPLING_UNSUPPORTED),
        "component %u of the picture is %ux%u, and that of the image %ux%u", c,
        width, height, plane->width, plane->height);
  if (depth != info->depth[c] || !fits (type, info->sample_kind[c], depth))
    return refuse (log, STATUS (SAMPLE_TYPE_UNSUPPORTED),
        "component %u has %s samples of %u bits, and those of the image have "
        "the type 0x%x and a precision of %u",
        c, kinds[info->sample_kind[c]], info->depth[c],
        (unsigned) plane->sample_type, plane->precision);
  if (plane->row_stride
      < (size_t) width * plane->num_channels * (types[type].bits / 8))
    return refuse (log, STATUS (FAIL),
        "lines of the image are %zu bytes long, which is too few",
        plane->row_stride);
  return STATUS (SUCCESS);
}

/* Says where the samples of component c lie: in a channel of a plane that begins at `at`,
 * or, of a mosaic, in every other line and column of the plane. */
static void
lay_out (const nvimgcodecImagePlaneInfo_t *plane, unsigned channel, uint8_t *at,
    const PacoInfo *info, unsigned c, PacoImage *picture)
{
  size_t step = info->mosaic ? 2 : 1,
         bytes = (unsigned) plane->sample_type >> 11,
         skipped = info->mosaic ? info->place_y[c] * plane->row_stride : 0,
         byte = bytes * (info->mosaic ? info->place_x[c] : channel);

  picture->data[c] = at + skipped;
  picture->stride[c] = (ptrdiff_t) (step * plane->row_stride);
  picture->size[c] = plane->row_stride * plane->height - skipped;
  picture->layout[c] = (PacoLayout){
    .group_bytes = (uint8_t) (step * bytes * plane->num_channels),
    .group_samples = 1,
    .word_bytes = (uint8_t) bytes,
    .places = { { .byte = (uint8_t) byte } },
  };
}

Status
pictures_match (const nvimgcodecImageInfo_t *image, const PacoInfo *info,
    uint32_t width, uint32_t height, PacoImage *picture, const Log *log)
{
  bool interleaved;
  const Form *form = form_of (image, &interleaved, log);
  bool shared = interleaved || info->mosaic;
  unsigned n = info->n_components;
  uint8_t *at = image->buffer;
  Status status;

  *picture = (PacoImage){ 0 };
  if (!form)
    return STATUS (SAMPLE_FORMAT_UNSUPPORTED);
  status = match_kind (image, form, interleaved, info, log);
  for (unsigned i = 0; i < n && status == STATUS (SUCCESS); i++) {
    unsigned c = form->swapped ? n - 1 - i : i;
    unsigned x = info->mosaic ? 0 : info->subsampling_x[c];
    unsigned y = info->mosaic ? 0 : info->subsampling_y[c];
    const nvimgcodecImagePlaneInfo_t *plane =
        &image->plane_info[shared ? 0 : i];

    status = match_plane (plane, info, c, (width + (1u << x) - 1) >> x,
        (height + (1u << y) - 1) >> y, log);
    lay_out (plane, shared ? i : 0, at, info, c, picture);
    if (!shared)
      at += plane->row_stride * plane->height;
  }
  if (image->buffer_kind == NVIMGCODEC_IMAGE_BUFFER_KIND_STRIDED_DEVICE) {
    picture->where = PACO_IN_CUDA_MEMORY;
    /* NULL is CUDA's legacy stream for the host, and nothing to wait for in libpaco. */
    picture->stream = image->cuda_stream ? (void *) image->cuda_stream
                                         : (void *) 1;
  }
  return status;
}
