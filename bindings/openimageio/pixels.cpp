/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes numbers of 8 or 16 bits of samples, and R, G, B of Y, Cb, Cr (pixels.hpp). */
#include "pixels.hpp"
#include <OpenImageIO/fmath.h>
#include <OpenImageIO/parallel.h>
#include <algorithm>
#include <cmath>
#include <cstring>

using OIIO::TypeDesc;

static const unsigned lines_at_once = 64;

static bool
is_yuv (const PacoInfo &info)
{
  /* Encoders transform the colours of R, G, B only. */
  if (info.n_components < 3 || info.mosaic || info.matrix == 1
      || info.color_transform != 0)
    return false;
  for (const char *name : { "RGB", "BGR", "GBR", "RBG", "r210" })
    if (strstr (info.format, name))
      return false;
  return true;
}

static TypeDesc
type_of (unsigned kind, unsigned bits)
{
  if (kind == PACO_SAMPLES_FLOAT)
    return TypeDesc::HALF;
  if (kind == PACO_SAMPLES_SIGNED)
    return bits == 8 ? TypeDesc::INT8 : TypeDesc::INT16;
  return bits == 8 ? TypeDesc::UINT8 : TypeDesc::UINT16;
}

std::string
pixels_describe (
    const PacoInfo &info, unsigned reduce, bool raw_color, Pixels &pixels)
{
  PacoError error;
  bool alike = true; /* Components differ in nothing. */

  pixels = Pixels ();
  pixels.info = info;
  pixels.reduce = reduce;
  if (info.stack_length)
    pixels.info.depth[0] = info.stack_depth;
  for (unsigned c = 0; c < info.n_components; c++) {
    if (info.sample_kind[c] != info.sample_kind[0])
      return "Components have samples of different kinds (unsigned, signed, "
             "float), which one type cannot hold.";
    pixels.depth = std::max<unsigned> (pixels.depth, pixels.info.depth[c]);
    alike = alike && info.depth[c] == info.depth[0]
        && info.subsampling_x[c] == info.subsampling_x[0]
        && info.subsampling_y[c] == info.subsampling_y[0];
  }
  if (paco_component_size (
          &info, 0, reduce, &pixels.width, &pixels.height, &error)
      != PACO_STATUS_OK)
    return error.message;
  if (info.mosaic) {
    pixels.width *= 2;
    pixels.height *= 2;
  }
  pixels.n_channels = info.mosaic ? 1 : info.n_components;
  pixels.yuv = is_yuv (info);
  pixels.converted = pixels.yuv && !raw_color
      && info.sample_kind[0] == PACO_SAMPLES_UNSIGNED;
  pixels.direct = alike && !pixels.converted && info.stack_length == 0;
  pixels.bits = pixels.depth <= 8 ? 8 : 16;
  pixels.format = type_of (info.sample_kind[0], pixels.bits);
  return "";
}

PacoStatus
pixels_place (const Pixels &pixels, void *to, std::vector<uint16_t> &planes,
    PacoImage &image, PacoError *error)
{
  unsigned how = pixels.direct ? PACO_IMAGE_INTERLEAVED : PACO_IMAGE_TWO_BYTES;
  size_t bytes;
  PacoStatus status;

  if (OIIO::bigendian ())
    how |= PACO_IMAGE_BIG_ENDIAN;
  status = paco_image_init (
      &image, &pixels.info, pixels.reduce, how, NULL, &bytes, error);
  if (status != PACO_STATUS_OK)
    return status;
  if (!pixels.direct) {
    planes.resize (bytes / 2);
    to = planes.data ();
  }
  return paco_image_init (
      &image, &pixels.info, pixels.reduce, how, to, &bytes, error);
}

/* --- Numbers of a channel --- */

/* Returns what becomes of each code: bits are repeated, so that the largest one becomes
 * the largest number, as OpenImageIO's readers of DPX and TIFF do it; those of signed
 * samples get zeros, and binary16 stays. */
static std::vector<uint16_t>
code_table (unsigned depth, unsigned kind, unsigned bits)
{
  std::vector<uint16_t> table ((size_t) 1 << depth);

  for (uint32_t code = 0; code < table.size (); code++)
    table[code] = (uint16_t) (kind == PACO_SAMPLES_UNSIGNED
            ? OIIO::bit_range_convert (code, depth, bits)
            : code << (bits - depth));
  return table;
}

/* Replaces n numbers by what f makes of them. */
template <typename F>
static void
replace (void *data, size_t n, unsigned bits, F f)
{
  uint8_t *bytes = (uint8_t *) data;
  uint16_t *words = (uint16_t *) data;

  if (bits == 8)
    std::transform (bytes, bytes + n, bytes, f);
  else
    std::transform (words, words + n, words, f);
}

void
pixels_pack (
    void *data, size_t n, unsigned bits, unsigned depth, bool is_signed)
{
  const uint32_t most = (1u << bits) - 1, codes = (1u << depth) - 1;

  if (depth < bits && is_signed)
    replace (data, n, bits, [=] (uint32_t x) { return x >> (bits - depth); });
  else if (depth < bits)
    replace (data, n, bits,
        [=] (uint32_t x) { return (x * codes + most / 2) / most; });
}

/* --- Samples in planes --- */

/* Where a number between two samples is: t of the way from sample a to b. */
struct Place
{
  uint32_t a, b;
  float t;
};

/* Returns the place of pixel i among n samples, each of which stands for 2^shift
 * pixels. Without `smooth` it is the sample that stands for the pixel. */
static Place
place_of (uint32_t i, unsigned shift, bool smooth, bool cosited, uint32_t n)
{
  const float size = (float) (1u << shift);
  float at = cosited ? (float) i / size : ((float) i + 0.5f) / size - 0.5f;
  Place place;

  if (!smooth || shift == 0) {
    place.a = place.b = std::min (i >> shift, n - 1);
    place.t = 0;
    return place;
  }
  at = std::max (at, 0.0f);
  place.a = std::min ((uint32_t) at, n - 1);
  place.b = std::min (place.a + 1, n - 1);
  place.t = at - (float) (uint32_t) at;
  return place;
}

/* A component, of which lines are made that have a sample for each pixel. */
class Component {
public:
  Component (const Pixels &pixels, const PacoImage &image, unsigned c);
  void read (uint32_t y, std::vector<float> &scratch, float *to) const;

private:
  const uint8_t *data;
  ptrdiff_t stride;
  uint32_t width, height;
  unsigned shift_y;
  bool smooth, cosited_y, fields;
  std::vector<Place> columns;
};

Component::Component (const Pixels &pixels, const PacoImage &image, unsigned c)
    : data ((const uint8_t *) image.data[c]), stride (image.stride[c]),
      width (0), height (0), shift_y (pixels.info.subsampling_y[c]),
      smooth (pixels.converted), cosited_y (pixels.info.chroma_site & 4),
      fields (false), columns (pixels.width)
{
  /* What does not say where chroma samples are has them where MPEG-2 has. */
  bool cosited_x = (pixels.info.chroma_site & 2)
      || pixels.info.chroma_site == 0;

  paco_component_size (&pixels.info, c, pixels.reduce, &width, &height, NULL);
  fields = smooth && shift_y && pixels.info.interlace_mode == 1 && height > 1;
  for (uint32_t x = 0; x < pixels.width; x++)
    columns[x] = place_of (
        x, pixels.info.subsampling_x[c], smooth, cosited_x, width);
}

void
Component::read (uint32_t y, std::vector<float> &scratch, float *to) const
{
  /* The lines of a field are interpolated among themselves. */
  const uint32_t step = fields ? 2 : 1, first = fields ? y & 1 : 0;
  Place place = place_of (
      y / step, shift_y, smooth, cosited_y, (height - first + step - 1) / step);
  const uint16_t *above = (const uint16_t *) (data
      + (ptrdiff_t) (place.a * step + first) * stride);
  const uint16_t *below = (const uint16_t *) (data
      + (ptrdiff_t) (place.b * step + first) * stride);

  scratch.resize (width);
  for (uint32_t x = 0; x < width; x++)
    scratch[x] = (float) above[x]
        + ((float) below[x] - (float) above[x]) * place.t;
  for (size_t x = 0; x < columns.size (); x++) {
    float a = scratch[columns[x].a], b = scratch[columns[x].b];

    to[x] = a + (b - a) * columns[x].t;
  }
}

/* --- Y, Cb, Cr --- */

/* Offsets and factors that bring samples to numbers of a channel. */
struct Matrix
{
  float luma_offset, luma_factor, chroma_offset[2];
  float red_cr, green_cb, green_cr, blue_cb;
  float most, alpha_factor;
};

static Matrix
matrix_of (const Pixels &pixels)
{
  static const float weights[][2] = { { 0, 0 }, { 0, 0 }, { 0.30f, 0.11f },
    { 0.2126f, 0.0722f }, { 0.299f, 0.114f }, { 0.212f, 0.087f },
    { 0.2627f, 0.0593f } };
  const PacoInfo &info = pixels.info;
  /* What does not say its matrix has the one that is usual with the size. */
  unsigned which = info.matrix >= 2 && info.matrix <= 6 ? info.matrix
      : info.height > 576                               ? 3
                                                        : 4;
  float kr = weights[which][0], kb = weights[which][1];
  bool full = info.range == 1;
  float factor[3]; /* of a component's samples, to 0..1 or -0.5..0.5 */
  Matrix matrix = Matrix ();

  matrix.most = pixels.bits == 8 ? 255.0f : 65535.0f;
  for (unsigned c = 0; c < 3; c++) {
    float codes = (float) ((1u << info.depth[c]) - 1);
    float step = std::ldexp (1.0f, (int) info.depth[c] - 8);

    factor[c] = full ? 1 / codes : 1 / ((c == 0 ? 219 : 224) * step);
    if (c == 0)
      matrix.luma_offset = full ? 0 : 16 * step;
    else
      matrix.chroma_offset[c - 1] = 128 * step;
  }
  matrix.luma_factor = factor[0] * matrix.most;
  matrix.blue_cb = 2 * (1 - kb) * factor[1] * matrix.most;
  matrix.red_cr = 2 * (1 - kr) * factor[2] * matrix.most;
  matrix.green_cb = -matrix.blue_cb * kb / (1 - kr - kb);
  matrix.green_cr = -matrix.red_cr * kr / (1 - kr - kb);
  if (info.n_components == 4)
    matrix.alpha_factor = matrix.most / (float) ((1u << info.depth[3]) - 1);
  return matrix;
}

template <typename T>
static T
to_number (float value, float most)
{
  return (T) (std::min (std::max (value, 0.0f), most) + 0.5f);
}

template <typename T>
static void
convert_line (const Matrix &m, unsigned n_channels, size_t width,
    const float *samples, T *to)
{
  const float *cbs = samples + width, *crs = cbs + width, *alphas = crs + width;

  for (size_t x = 0; x < width; x++, to += n_channels) {
    float y = (samples[x] - m.luma_offset) * m.luma_factor;
    float cb = cbs[x] - m.chroma_offset[0], cr = crs[x] - m.chroma_offset[1];

    to[0] = to_number<T> (y + m.red_cr * cr, m.most);
    to[1] = to_number<T> (y + m.green_cb * cb + m.green_cr * cr, m.most);
    to[2] = to_number<T> (y + m.blue_cb * cb, m.most);
    if (n_channels == 4)
      to[3] = to_number<T> (alphas[x] * m.alpha_factor, m.most);
  }
}

template <typename T>
static void
finish_planes (
    const Pixels &pixels, const PacoImage &image, T *pixel, int n_threads)
{
  const unsigned n = pixels.n_channels;
  const Matrix matrix = pixels.converted ? matrix_of (pixels) : Matrix ();
  std::vector<Component> components;
  std::vector<std::vector<uint16_t> > tables;

  for (unsigned c = 0; c < n; c++) {
    components.emplace_back (pixels, image, c);
    tables.push_back (code_table (
        pixels.info.depth[c], pixels.info.sample_kind[c], pixels.bits));
  }
  auto some_lines = [&] (int64_t from, int64_t end) {
    std::vector<float> samples ((size_t) n * pixels.width), scratch;

    for (int64_t y = from; y < end; y++) {
      T *to = pixel + (size_t) y * pixels.width * n;

      for (unsigned c = 0; c < n; c++)
        components[c].read (
            (uint32_t) y, scratch, &samples[(size_t) c * pixels.width]);
      if (pixels.converted)
        convert_line (matrix, n, pixels.width, samples.data (), to);
      else
        for (size_t i = 0; i < samples.size (); i++)
          to[i % pixels.width * n + i / pixels.width] =
              (T) tables[i / pixels.width][(size_t) samples[i]];
    }
  };
  OIIO::parallel_for_chunked (
      0, pixels.height, lines_at_once, some_lines, n_threads);
}

void
pixels_finish (
    const Pixels &pixels, const PacoImage &image, void *to, int n_threads)
{
  if (!pixels.direct && pixels.bits == 8) {
    finish_planes (pixels, image, (uint8_t *) to, n_threads);
  } else if (!pixels.direct) {
    finish_planes (pixels, image, (uint16_t *) to, n_threads);
  } else if (pixels.depth < pixels.bits) {
    std::vector<uint16_t> table = code_table (
        pixels.depth, pixels.info.sample_kind[0], pixels.bits);

    replace (to, pixels.bytes () / (pixels.bits / 8), pixels.bits,
        [&table] (uint32_t code) { return table[code]; });
  }
}
