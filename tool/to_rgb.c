/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes R, G, B of Y, Cb, Cr (to_rgb.h). libgstvideo reads the formats and interpolates
 * the chroma samples. The matrix is applied here: that of libgstvideo has
 * coefficients of 8 bits, too few for samples of 16. */
#include "gst_picture.h"
#include "to_rgb.h"
#include "tool.h"
#include <math.h>
#include <string.h>

#define PACKED_SAMPLES 4 /* of a pixel: A, Y, Cb, Cr */
#define MOST 65535.0     /* that a packed sample may be */

/* What R, G, B are made with: offsets and factors bring samples to 0..1, and to
 * -0.5..0.5. */
typedef struct
{
  double luma_offset, luma_factor, chroma_offset, chroma_factor;
  double red_cr, green_cb, green_cr, blue_cb;
} Matrix;

struct PacoToRgb
{
  GstVideoConverter *converter;
  GstVideoInfo video, packed; /* what converter takes and makes */
  Matrix matrix;
  uint8_t *samples; /* of the packed picture */
  PacoPixels rgb;
};

static unsigned
largest_depth (const PacoInfo *info)
{
  unsigned depth = 0;

  for (unsigned c = 0; c < info->n_components; c++)
    depth = MAX (depth, info->depth[c]);
  return depth;
}

static bool
init_matrix (Matrix *matrix, const GstVideoColorimetry *colours, unsigned depth,
    GError **error)
{
  /* Packed samples are those of `depth` bits, stretched to MOST. */
  double codes = (double) ((1u << depth) - 1);
  double step = pow (2, (int) depth - 8);
  bool full = colours->range == GST_VIDEO_COLOR_RANGE_0_255;
  double kr, kb;

  if (!gst_video_color_matrix_get_Kr_Kb (colours->matrix, &kr, &kb))
    return paco_tool_failed (
        error, "the matrix of the pictures is none of those that give R, G, B");
  matrix->luma_offset = full ? 0 : 16 * step / codes * MOST;
  matrix->luma_factor = full ? 1 / MOST : codes / MOST / (219 * step);
  matrix->chroma_offset = 128 * step / codes * MOST;
  matrix->chroma_factor = full ? 1 / MOST : codes / MOST / (224 * step);
  matrix->red_cr = 2 * (1 - kr);
  matrix->blue_cb = 2 * (1 - kb);
  matrix->green_cb = -matrix->blue_cb * kb / (1 - kr - kb);
  matrix->green_cr = -matrix->red_cr * kr / (1 - kr - kb);
  return true;
}

/* Lays out the picture that is made, of which *info is that of the source. */
static bool
place_rgb (PacoPixels *rgb, const PacoInfo *info, const PacoWriterKind *kind,
    GError **error)
{
  PacoInfo made = *info;

  made.matrix = made.range = 1;
  made.color_transform = 0;
  made.format[0] = 0;
  for (unsigned c = 0; c < made.n_components; c++) {
    made.depth[c] = largest_depth (info) > 8 ? 16 : 8;
    made.subsampling_x[c] = made.subsampling_y[c] = 0;
  }
  return paco_pixels_place (rgb, kind, NULL, &made, error);
}

static GstVideoConverter *
make_converter (const GstVideoInfo *from, GstVideoInfo *to)
{
  GstStructure *options = gst_structure_new ("options",
      GST_VIDEO_CONVERTER_OPT_DITHER_METHOD, GST_TYPE_VIDEO_DITHER_METHOD,
      GST_VIDEO_DITHER_NONE, GST_VIDEO_CONVERTER_OPT_THREADS, G_TYPE_UINT,
      g_get_num_processors (), NULL);

  return gst_video_converter_new (from, to, options);
}

static bool
configure (PacoToRgb *state, const PacoInfo *info, GError **error)
{
  GstVideoInfo video;

  if (!paco_gst_picture_info (info, &video, error))
    return false;
  if (state->converter && gst_video_info_is_equal (&video, &state->video))
    return true;
  g_clear_pointer (&state->converter, gst_video_converter_free);
  g_clear_pointer (&state->samples, g_free);
  state->video = video;
  if (!init_matrix (
          &state->matrix, &video.colorimetry, largest_depth (info), error))
    return false;
  /* On the way to AYUV chroma samples would be repeated, not interpolated. */
  gst_video_info_set_format (
      &state->packed, GST_VIDEO_FORMAT_AYUV64, info->width, info->height);
  state->packed.colorimetry = state->video.colorimetry;
  state->packed.interlace_mode = state->video.interlace_mode;
  state->converter = make_converter (&state->video, &state->packed);
  state->samples = g_try_malloc (GST_VIDEO_INFO_SIZE (&state->packed));
  if (state->converter && state->samples)
    return true;
  return paco_tool_failed (error, "there is no memory to convert a picture");
}

static unsigned
to_code (double value, unsigned most)
{
  value = value * most + 0.5;
  return value <= 0 ? 0 : value >= most ? most : (unsigned) value;
}

static void
convert_pixel (
    const Matrix *matrix, const uint16_t *from, unsigned most, unsigned *rgb)
{
  double y = (from[1] - matrix->luma_offset) * matrix->luma_factor;
  double cb = (from[2] - matrix->chroma_offset) * matrix->chroma_factor;
  double cr = (from[3] - matrix->chroma_offset) * matrix->chroma_factor;

  rgb[0] = to_code (y + matrix->red_cr * cr, most);
  rgb[1] = to_code (y + matrix->green_cb * cb + matrix->green_cr * cr, most);
  rgb[2] = to_code (y + matrix->blue_cb * cb, most);
  rgb[3] = to_code (from[0] / MOST, most);
}

/* Writes a line of bytes, or of big-endian words. */
static void
write_line (const PacoToRgb *state, const uint16_t *from, uint8_t *to)
{
  const PacoInfo *info = &state->rgb.info;
  bool words = info->depth[0] > 8;
  unsigned rgb[PACKED_SAMPLES];

  for (uint32_t x = 0; x < info->width; x++, from += PACKED_SAMPLES) {
    convert_pixel (&state->matrix, from, words ? 65535 : 255, rgb);
    for (unsigned c = 0; c < info->n_components; c++) {
      if (words)
        *to++ = (uint8_t) (rgb[c] >> 8);
      *to++ = (uint8_t) rgb[c];
    }
  }
}

static void
convert (PacoToRgb *state, const PacoPixels *pixels)
{
  size_t stride = (size_t) GST_VIDEO_INFO_PLANE_STRIDE (&state->packed, 0);
  GstVideoFrame from, to;

  paco_gst_picture_frame (pixels, &state->video, &from);
  to = (GstVideoFrame){ .info = state->packed, .flags = from.flags };
  to.data[0] = state->samples;
  gst_video_converter_frame (state->converter, &from, &to);
  for (uint32_t y = 0; y < state->rgb.info.height; y++)
    write_line (state, (const uint16_t *) (state->samples + y * stride),
        state->rgb.samples + y * (size_t) state->rgb.image.stride[0]);
}

const PacoPixels *
paco_to_rgb (PacoToRgb **state, const PacoPixels *pixels,
    const PacoWriterKind *kind, GError **error)
{
  if (!*state)
    *state = g_new0 (PacoToRgb, 1);
  if (!place_rgb (&(*state)->rgb, &pixels->info, kind, error))
    return NULL;
  if (!configure (*state, &pixels->info, error))
    return NULL;
  convert (*state, pixels);
  return &(*state)->rgb;
}

void
paco_to_rgb_free (PacoToRgb *state)
{
  if (!state)
    return;
  g_clear_pointer (&state->converter, gst_video_converter_free);
  g_free (state->samples);
  paco_pixels_clear (&state->rgb);
  g_free (state);
}
