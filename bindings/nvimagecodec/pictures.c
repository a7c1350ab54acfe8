/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Says in the words of the host what pictures of frames are, and where the samples of its
 * images lie. Samples are passed as they are; what would have to be converted is refused. */
#include "plugin.h"
#include <stdio.h>
#include <string.h>

typedef enum
{
  ANY,
  GRAY,
  RGB,
  YCC
} Colors;

/* What a sample format of the host is. */
typedef struct
{
  bool is_known, interleaved, swapped; /* swapped: blue before red */
  Colors colors;
  unsigned n_channels; /* 0: as many as there are */
} Form;

static const Form forms[] = {
  [NVIMGCODEC_SAMPLEFORMAT_P_UNCHANGED] = { true, false, false, ANY, 0 },
  [NVIMGCODEC_SAMPLEFORMAT_I_UNCHANGED] = { true, true, false, ANY, 0 },
  [NVIMGCODEC_SAMPLEFORMAT_P_Y] = { true, false, false, GRAY, 1 },
  [NVIMGCODEC_SAMPLEFORMAT_I_Y] = { true, true, false, GRAY, 1 },
  [NVIMGCODEC_SAMPLEFORMAT_P_YA] = { true, false, false, GRAY, 2 },
  [NVIMGCODEC_SAMPLEFORMAT_I_YA] = { true, true, false, GRAY, 2 },
  [NVIMGCODEC_SAMPLEFORMAT_P_RGB] = { true, false, false, RGB, 3 },
  [NVIMGCODEC_SAMPLEFORMAT_I_RGB] = { true, true, false, RGB, 3 },
  [NVIMGCODEC_SAMPLEFORMAT_P_BGR] = { true, false, true, RGB, 3 },
  [NVIMGCODEC_SAMPLEFORMAT_I_BGR] = { true, true, true, RGB, 3 },
  [NVIMGCODEC_SAMPLEFORMAT_P_YUV] = { true, false, false, YCC, 3 },
  [NVIMGCODEC_SAMPLEFORMAT_I_YUV] = { true, true, false, YCC, 3 },
  [NVIMGCODEC_SAMPLEFORMAT_P_RGBA] = { true, false, false, RGB, 4 },
  [NVIMGCODEC_SAMPLEFORMAT_I_RGBA] = { true, true, false, RGB, 4 },
};

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

static const Form *
form_of (const nvimgcodecImageInfo_t *image)
{
  unsigned format = (unsigned) image->sample_format;

  return format < sizeof forms / sizeof *forms && forms[format].is_known
      ? &forms[format]
      : NULL;
}

/* --- frames in the host's words --- */

/* A mosaic is one channel, as its samples lie on the sensor. */
static unsigned
n_channels_of (const PacoInfo *info)
{
  return info->mosaic ? 1 : info->n_components;
}

static Colors
colors_of (const PacoInfo *info)
{
  static const char *const names[] = { "RGB", "BGR", "GBR", "RBG", "r210" };

  if (n_channels_of (info) < 3)
    return GRAY;
  /* Encoders transform the colours of R, G, B only. */
  if (info->matrix == 1 || info->color_transform != 0)
    return RGB;
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (strstr (info->format, names[i]))
      return RGB;
  return YCC;
}

static nvimgcodecColorSpec_t
color_spec_of (const PacoInfo *info)
{
  static const nvimgcodecColorSpec_t specs[] = { NVIMGCODEC_COLORSPEC_UNKNOWN,
    NVIMGCODEC_COLORSPEC_GRAY, NVIMGCODEC_COLORSPEC_SRGB,
    NVIMGCODEC_COLORSPEC_SYCC };

  return specs[colors_of (info)];
}

static nvimgcodecChromaSubsampling_t
sampling_of (const PacoInfo *info)
{
  const uint32_t *x = info->subsampling_x, *y = info->subsampling_y;

  if (colors_of (info) == GRAY)
    return NVIMGCODEC_SAMPLING_GRAY;
  for (unsigned i = 0; i < N_SAMPLINGS; i++)
    if (x[1] == samplings[i].x && y[1] == samplings[i].y && x[2] == x[1]
        && y[2] == y[1])
      return samplings[i].name;
  return NVIMGCODEC_SAMPLING_UNSUPPORTED;
}

/* Samples of less than 16 bits of another kind than unsigned have the right type if it is
 * as wide as they are, because the host's numbers are extended by their sign. */
static nvimgcodecSampleDataType_t
type_of (const PacoInfo *info, unsigned component)
{
  unsigned kind = info->sample_kind[component], depth = info->depth[component];

  for (unsigned i = 0; i < N_TYPES; i++)
    if (types[i].kind == kind
        && (kind == PACO_SAMPLES_UNSIGNED ? depth <= types[i].bits
                                          : depth == types[i].bits))
      return types[i].name;
  return NVIMGCODEC_SAMPLE_DATA_TYPE_UNSUPPORTED;
}

static nvimgcodecSampleFormat_t
format_of (const PacoInfo *info)
{
  Colors colors = colors_of (info);
  unsigned n = n_channels_of (info);

  for (unsigned f = NVIMGCODEC_SAMPLEFORMAT_P_Y;
       f < sizeof forms / sizeof *forms; f++)
    if (!forms[f].interleaved && !forms[f].swapped && forms[f].colors == colors
        && forms[f].n_channels == n)
      return (nvimgcodecSampleFormat_t) f;
  return NVIMGCODEC_SAMPLEFORMAT_P_UNCHANGED;
}

PacoStatus
pictures_describe (
    const PacoInfo *info, nvimgcodecImageInfo_t *image, PacoError *error)
{
  PacoStatus status;

  if (info->stack_length > 0) {
    *error = (PacoError){ .status = PACO_STATUS_UNSUPPORTED };
    snprintf (error->message, sizeof error->message,
        "the frame is slice %u of a stack of %u, and no picture by itself",
        info->stack_position, info->stack_length);
    return PACO_STATUS_UNSUPPORTED;
  }
  strcpy (image->codec_name, CODEC);
  image->color_spec = color_spec_of (info);
  image->chroma_subsampling = sampling_of (info);
  image->sample_format = format_of (info);
  image->orientation = (nvimgcodecOrientation_t){
    HOST_STRUCT (ORIENTATION, nvimgcodecOrientation_t),
  };
  image->num_planes = n_channels_of (info);
  for (unsigned c = 0; c < image->num_planes; c++) {
    nvimgcodecImagePlaneInfo_t plane = {
      HOST_STRUCT (IMAGE_PLANE_INFO, nvimgcodecImagePlaneInfo_t),
      .width = info->width,
      .height = info->height,
      .num_channels = 1,
      .sample_type = type_of (info, c),
      .precision = (uint8_t) info->depth[c],
    };

    status = info->mosaic
        ? PACO_STATUS_OK
        : paco_component_size (info, c, 0, &plane.width, &plane.height, error);
    if (status != PACO_STATUS_OK)
      return status;
    image->plane_info[c] = plane;
  }
  return PACO_STATUS_OK;
}

/* --- images of the host --- */

static unsigned
depth_of (const nvimgcodecImagePlaneInfo_t *plane)
{
  unsigned bits = (unsigned) plane->sample_type >> 8;

  return plane->precision ? plane->precision : bits;
}

static Status
refuse_format (const nvimgcodecImageInfo_t *image, Reason *reason)
{
  return refuse (reason, STATUS (SAMPLE_FORMAT_UNSUPPORTED),
      "frames have no sample format %d of nvImageCodec",
      (int) image->sample_format);
}

/* Returns N_TYPES if the samples of a plane are of no type that frames have. */
static unsigned
find_type (const nvimgcodecImagePlaneInfo_t *plane)
{
  unsigned type = 0;

  while (type < N_TYPES && types[type].name != plane->sample_type)
    type++;
  return type;
}

Status
pictures_read (
    const nvimgcodecImageInfo_t *image, PacoInfo *info, Reason *reason)
{
  const Form *form = form_of (image);
  unsigned sampling = 0;

  if (!form)
    return refuse_format (image, reason);
  *info = (PacoInfo) PACO_INFO_INIT;
  info->width = image->plane_info[0].width;
  info->height = image->plane_info[0].height;
  info->n_components = form->interleaved ? image->plane_info[0].num_channels
                                         : image->num_planes;
  if (info->n_components < 1 || info->n_components > PACO_COMPONENTS)
    return refuse (reason, STATUS (NUM_CHANNELS_UNSUPPORTED),
        "a picture has 1 to %d channels, not %u", PACO_COMPONENTS,
        info->n_components);
  info->range = 1;
  if (info->n_components >= 3 && form->colors != YCC
      && image->color_spec != NVIMGCODEC_COLORSPEC_SYCC) {
    info->matrix = 1;
    if (image->color_spec == NVIMGCODEC_COLORSPEC_SRGB) {
      info->transfer = 7;
      info->primaries = 1;
    }
  } else if (info->n_components >= 3) {
    /* sYCC is BT.601 in full range, but what is said to be sYCC may be any Y'CbCr. */
    info->range = 0;
    while (sampling < N_SAMPLINGS
        && samplings[sampling].name != image->chroma_subsampling)
      sampling++;
    if (sampling == N_SAMPLINGS)
      return refuse (reason, STATUS (SAMPLING_UNSUPPORTED),
          "frames have no chroma subsampling %d of nvImageCodec",
          (int) image->chroma_subsampling);
  }
  for (unsigned c = 0; c < info->n_components; c++) {
    const nvimgcodecImagePlaneInfo_t *plane =
        &image->plane_info[form->interleaved ? 0 : c];
    unsigned type = find_type (plane);

    if (type == N_TYPES)
      return refuse (reason, STATUS (SAMPLE_TYPE_UNSUPPORTED),
          "samples are uint8, uint16, int8, int16 or float16, and not of the "
          "type 0x%x of nvImageCodec",
          (unsigned) plane->sample_type);
    info->depth[c] = depth_of (plane);
    info->sample_kind[c] = types[type].kind;
    if (info->n_components >= 3 && (c == 1 || c == 2)) {
      info->subsampling_x[c] = samplings[sampling].x;
      info->subsampling_y[c] = samplings[sampling].y;
    }
  }
  return STATUS (SUCCESS);
}

/* --- both together --- */

/* Of what the image is: how many planes and channels, and which colours. */
static Status
match_kind (const nvimgcodecImageInfo_t *image, const Form *form,
    const PacoInfo *info, Reason *reason)
{
  static const char *const names[] = { "any", "gray", "R, G, B", "Y, Cb, Cr" };
  unsigned n = n_channels_of (info);
  Colors colors = colors_of (info);

  if ((form->n_channels > 0 && form->n_channels != n)
      || (form->interleaved && image->plane_info[0].num_channels != n))
    return refuse (reason, STATUS (NUM_CHANNELS_UNSUPPORTED),
        "the picture has %u channels, and the image another number", n);
  if (image->num_planes != (form->interleaved ? 1 : n))
    return refuse (reason, STATUS (NUM_PLANES_UNSUPPORTED),
        "the picture has %u channels, and the image %u planes", n,
        image->num_planes);
  if ((form->colors != ANY && form->colors != colors)
      || (image->color_spec != NVIMGCODEC_COLORSPEC_UNKNOWN
          && image->color_spec != color_spec_of (info)))
    return refuse (reason, STATUS (COLOR_SPEC_UNSUPPORTED),
        "the picture is %s, and colours are not converted to those of the "
        "image (sample format %d, color spec %d)",
        names[colors], (int) image->sample_format, (int) image->color_spec);
  if (colors == YCC
      && (image->chroma_subsampling != sampling_of (info)
          || (form->interleaved
              && image->chroma_subsampling != NVIMGCODEC_SAMPLING_444)))
    return refuse (reason, STATUS (SAMPLING_UNSUPPORTED),
        "the chroma subsampling of the picture is %d, that of the image is %d, "
        "and only planes can be subsampled",
        (int) sampling_of (info), (int) image->chroma_subsampling);
  return STATUS (SUCCESS);
}

static Status
match_plane (const nvimgcodecImagePlaneInfo_t *plane, const PacoInfo *info,
    unsigned c, uint32_t width, uint32_t height, Reason *reason)
{
  unsigned bits = (unsigned) plane->sample_type >> 8, type = find_type (plane);

  if (plane->width != width || plane->height != height)
    return refuse (reason,
        c == 0 ? STATUS (RESOLUTION_UNSUPPORTED)
               : STATUS (SAMPLING_UNSUPPORTED),
        "component %u of the picture is %ux%u, and that of the image %ux%u", c,
        width, height, plane->width, plane->height);
  if (type == N_TYPES || types[type].kind != info->sample_kind[c]
      || depth_of (plane) != info->depth[c]
      || (types[type].kind != PACO_SAMPLES_UNSIGNED && info->depth[c] != bits))
    return refuse (reason, STATUS (SAMPLE_TYPE_UNSUPPORTED),
        "component %u has %s samples of %u bits, and those of the image have "
        "the type 0x%x and a precision of %u",
        c,
        info->sample_kind[c] == PACO_SAMPLES_FLOAT        ? "floating-point"
            : info->sample_kind[c] == PACO_SAMPLES_SIGNED ? "signed"
                                                          : "unsigned",
        info->depth[c], (unsigned) plane->sample_type, plane->precision);
  if (plane->row_stride < (size_t) width * plane->num_channels * (bits / 8))
    return refuse (reason, STATUS (FAIL),
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
    uint32_t width, uint32_t height, PacoImage *picture, Reason *reason)
{
  const Form *form = form_of (image);
  uint8_t *at = image->buffer;
  Status status;

  *picture = (PacoImage){ 0 };
  if (!form)
    return refuse_format (image, reason);
  status = match_kind (image, form, info, reason);
  for (unsigned i = 0; i < info->n_components && status == STATUS (SUCCESS);
       i++) {
    unsigned c = form->swapped ? info->n_components - 1 - i : i;
    unsigned x = info->mosaic ? 0 : info->subsampling_x[c];
    unsigned y = info->mosaic ? 0 : info->subsampling_y[c];
    bool shared = form->interleaved || info->mosaic;
    const nvimgcodecImagePlaneInfo_t *plane =
        &image->plane_info[shared ? 0 : i];

    status = match_plane (plane, info, c, (width + (1u << x) - 1) >> x,
        (height + (1u << y) - 1) >> y, reason);
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
