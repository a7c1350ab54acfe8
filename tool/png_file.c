/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads and writes PNG files with libpng (readers.h, writers.h). They have samples
 * of 8 or 16 bits. If the picture's have other depths, they are stretched, by
 * repeating their highest bits, and the chunk sBIT says how many bits there were, so
 * that they come back unchanged. */
#include "readers.h"
#include "tool/archive/kinds/png.h"
#include "stretch.h"
#include "tool.h"
#include "writers.h"
#include <png.h>
#include <string.h>

#define COMPRESSION 4 /* zlib's: half the time of 6, and 2 % larger */

/* libpng's callbacks get this. */
typedef struct
{
  char message[160];
  const uint8_t *bytes; /* reading */
  size_t size, at;
  GByteArray *written;
  bool packed;          /* reading: samples had fewer than 8 bits */
  unsigned bits, depth; /* reading: of the words, and of what they mean */
} Io;

static void
on_error (png_structp png, png_const_charp message)
{
  Io *io = png_get_error_ptr (png);

  g_strlcpy (io->message, message, sizeof io->message);
  png_longjmp (png, 1);
}

static void
on_warning (png_structp png, png_const_charp message)
{
}

/* --- depths --- */

/* Reads a sample of one byte, or of two, the higher one first. */
static unsigned
get_sample (const uint8_t *at, unsigned bytes)
{
  return bytes == 1 ? at[0] : (unsigned) at[0] << 8 | at[1];
}

static void
put_sample (uint8_t *at, unsigned bytes, unsigned sample)
{
  if (bytes == 2)
    *at++ = (uint8_t) (sample >> 8);
  *at = (uint8_t) sample;
}

/* Undoes the stretching, if all samples are stretched from that depth. */
static bool
unstretch_all (uint8_t *samples, size_t size, unsigned bits, unsigned depth)
{
  unsigned bytes = bits / 8;

  for (size_t i = 0; i + bytes <= size; i += bytes) {
    unsigned sample = get_sample (samples + i, bytes);

    if (paco_stretch (sample >> (bits - depth), depth, bits) != sample)
      return false;
  }
  for (size_t i = 0; i + bytes <= size; i += bytes)
    put_sample (
        samples + i, bytes, get_sample (samples + i, bytes) >> (bits - depth));
  return true;
}

/* --- reading --- */

bool
paco_png_is_special (const uint8_t *bytes, size_t size)
{
  static const uint8_t end[] = { 0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42,
    0x60, 0x82 };
  PacoPngColor color;

  /* Bytes 24 and 25 are IHDR's depth and type; 3 is a palette. */
  return paco_png_color_read (&color, bytes, size) < 33 || bytes[24] < 8
      || bytes[25] == 3 || color.animated || color.stretched
      || color.transparent
      || memcmp (bytes + size - sizeof end, end, sizeof end) != 0;
}

static void
read_bytes (png_structp png, png_bytep to, size_t n)
{
  Io *io = png_get_io_ptr (png);

  if (n > io->size - io->at)
    png_error (png, "the file ends within the picture");
  memcpy (to, io->bytes + io->at, n);
  io->at += n;
}

/* Returns the depth that sBIT names for all components, or that of the samples. */
static unsigned
significant_bits (png_structp png, png_infop head, unsigned bits)
{
  png_color_8p said;
  unsigned depth, color = png_get_color_type (png, head);

  if (bits < 8 || !png_get_sBIT (png, head, &said))
    return bits;
  depth = color & PNG_COLOR_MASK_COLOR ? said->red : said->gray;
  if ((color & PNG_COLOR_MASK_COLOR)
      && (said->green != depth || said->blue != depth))
    return bits;
  if ((color & PNG_COLOR_MASK_ALPHA) && said->alpha != depth)
    return bits;
  return depth >= 1 && depth < bits ? depth : bits;
}

/* Reads head and picture. libpng's errors jump out of it. */
static void
read_all (png_structp png, png_infop head, PacoInfo *info, GByteArray *samples,
    Io *io)
{
  unsigned color, passes;
  size_t row;

  png_read_info (png, head);
  color = png_get_color_type (png, head);
  io->bits = png_get_bit_depth (png, head);
  if (color == PNG_COLOR_TYPE_PALETTE
      || png_get_valid (png, head, PNG_INFO_tRNS))
    png_set_expand (png);
  else if (io->bits < 8) {
    png_set_packing (png);
    io->packed = true;
  }
  passes = (unsigned) png_set_interlace_handling (png);
  io->depth = significant_bits (png, head, io->bits);
  png_read_update_info (png, head);
  /* libpng stretches what it expands, but not what it only unpacks. */
  if (io->packed)
    io->depth = io->bits;
  else if (png_get_bit_depth (png, head) != io->bits)
    io->depth = png_get_bit_depth (png, head);
  io->bits = png_get_bit_depth (png, head);
  info->width = png_get_image_width (png, head);
  info->height = png_get_image_height (png, head);
  info->n_components = png_get_channels (png, head);
  row = png_get_rowbytes (png, head);
  if ((uint64_t) row * info->height > G_MAXUINT32)
    png_error (png, "the picture is too large");
  g_byte_array_set_size (samples, (guint) (row * info->height));
  for (unsigned pass = 0; pass < passes; pass++)
    for (uint32_t y = 0; y < info->height; y++)
      png_read_row (png, samples->data + y * row, NULL);
  png_read_end (png, NULL);
}

static void
tell (PacoInfo *info, unsigned depth, const PacoPngColor *color)
{
  const PacoFormat *format;

  for (unsigned c = 0; c < info->n_components; c++)
    info->depth[c] = depth;
  info->range = 1;
  info->matrix = info->n_components >= 3 ? 1 : 0;
  format = paco_format_for (info);
  if (format)
    g_strlcpy (info->format, format->name, sizeof info->format);
  paco_png_color_tell (color, info);
}

bool
paco_png_read (const uint8_t *bytes, size_t size, PacoInfo *info,
    PacoImage *image, GByteArray *samples, GError **error)
{
  Io io = { .bytes = bytes, .size = size };
  png_structp png = png_create_read_struct (
      PNG_LIBPNG_VER_STRING, &io, on_error, on_warning);
  png_infop head = png ? png_create_info_struct (png) : NULL;
  volatile bool good = false;
  PacoError failure = { PACO_STATUS_OK, "" };
  PacoPngColor color;

  *info = (PacoInfo) PACO_INFO_INIT;
  paco_png_color_read (&color, bytes, size);
  g_strlcpy (io.message,
      color.animated
          ? "it is animated (APNG), and one picture a file is encoded"
          : "there is no memory",
      sizeof io.message);
  if (head && !color.animated && setjmp (png_jmpbuf (png)) == 0) {
    png_set_user_limits (png, PACO_MAX_SIZE, PACO_MAX_SIZE);
    png_set_read_fn (png, &io, read_bytes);
    read_all (png, head, info, samples, &io);
    good = true;
  }
  png_destroy_read_struct (&png, &head, NULL);
  if (!good)
    return paco_tool_failed (
        error, "the PNG file cannot be read: %s", io.message);
  if (io.depth < io.bits && !io.packed
      && !unstretch_all (samples->data, samples->len, io.bits, io.depth))
    io.depth = io.bits;
  /* The words are as the file's samples were. */
  tell (info, io.depth, &color);
  return paco_tool_check (paco_image_init (image, info, 0,
                              PACO_IMAGE_INTERLEAVED | PACO_IMAGE_BIG_ENDIAN
                                  | (io.bits == 16 ? PACO_IMAGE_TWO_BYTES : 0),
                              samples->data, NULL, &failure),
      &failure, error);
}

/* --- writing --- */

static bool
place (
    PacoPixels *pixels, const PacoFormat *format, size_t *bytes, GError **error)
{
  return paco_writer_pam.place (pixels, format, bytes, error);
}

static void
write_bytes (png_structp png, png_bytep from, size_t n)
{
  Io *io = png_get_io_ptr (png);

  if (n > G_MAXUINT32 / 2 - io->written->len)
    png_error (png, "the file becomes too large");
  g_byte_array_append (io->written, from, (guint) n);
}

static void
flush_bytes (png_structp png)
{
}

/* Writes the chunk cICP, which says what the samples mean by the numbers of ITU-T H.273,
 * if these are known and have one. */
static void
write_colours (png_structp png, const PacoInfo *info)
{
  static const uint8_t transfers[] = { [1] = 8,
    [4] = 4,
    [5] = 1,
    [6] = 7,
    [7] = 13,
    [8] = 5,
    [9] = 9,
    [10] = 10,
    [11] = 15,
    [13] = 14,
    [14] = 16,
    [15] = 18,
    [16] = 6 };
  static const uint8_t primaries[] = { [1] = 1,
    [2] = 4,
    [3] = 5,
    [4] = 6,
    [5] = 7,
    [6] = 8,
    [7] = 9,
    [9] = 10,
    [10] = 11,
    [11] = 12,
    [12] = 22 };
  uint8_t chunk[4] = { 0, 0, 0, 1 }; /* R, G, B of full range */

  if (info->n_components < 3 || info->range == 2
      || info->transfer >= G_N_ELEMENTS (transfers)
      || info->primaries >= G_N_ELEMENTS (primaries))
    return;
  chunk[0] = primaries[info->primaries];
  chunk[1] = transfers[info->transfer];
  if (chunk[0] > 0 && chunk[1] > 0)
    png_write_chunk (png, (png_const_bytep) "cICP", chunk, sizeof chunk);
}

static void
write_all (png_structp png, png_infop head, const PacoPixels *pixels)
{
  static const int colors[PACO_COMPONENTS] = {
    PNG_COLOR_TYPE_GRAY,
    PNG_COLOR_TYPE_GRAY_ALPHA,
    PNG_COLOR_TYPE_RGB,
    PNG_COLOR_TYPE_RGB_ALPHA,
  };
  const PacoInfo *info = &pixels->info;
  png_byte depth = (png_byte) info->depth[0];
  png_color_8 significant = { depth, depth, depth, depth, depth };

  png_set_IHDR (png, head, info->width, info->height, depth > 8 ? 16 : 8,
      colors[info->n_components - 1], PNG_INTERLACE_NONE,
      PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (depth != 8 && depth != 16)
    png_set_sBIT (png, head, &significant);
  if (info->par_n && info->par_d && info->par_n != info->par_d)
    png_set_pHYs (png, head, info->par_d, info->par_n, PNG_RESOLUTION_UNKNOWN);
  png_write_info (png, head);
  write_colours (png, info);
  for (uint32_t y = 0; y < info->height; y++)
    png_write_row (png, pixels->samples + y * (size_t) pixels->image.stride[0]);
  png_write_end (png, head);
}

static bool
head_png (const PacoPixels *pixels, GByteArray *bytes, GError **error)
{
  Io io = { .written = bytes };
  png_structp png = png_create_write_struct (
      PNG_LIBPNG_VER_STRING, &io, on_error, on_warning);
  png_infop head = png ? png_create_info_struct (png) : NULL;
  volatile bool good = false;

  g_strlcpy (io.message, "there is no memory", sizeof io.message);
  paco_pixels_stretch (pixels);
  if (head && setjmp (png_jmpbuf (png)) == 0) {
    png_set_write_fn (png, &io, write_bytes, flush_bytes);
    png_set_compression_level (png, COMPRESSION);
    write_all (png, head, pixels);
    good = true;
  }
  png_destroy_write_struct (&png, &head);
  if (!good)
    paco_tool_failed (error, "the PNG file cannot be made: %s", io.message);
  return good;
}

const PacoWriterKind paco_writer_png = {
  .name = "png",
  .extensions = { "png" },
  .place = place,
  .head = head_png,
  .whole = true,
  .rgb = true,
};
