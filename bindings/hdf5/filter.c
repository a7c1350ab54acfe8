/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A filter of HDF5 that keeps chunks of pictures as PaCo frames, one for each 2-D slice. The
 * library finds it in a folder of HDF5_PLUGIN_PATH by its number, PACO_HDF5_FILTER. A chunk
 * is the bytes of a .paco file.
 *
 * Parameters (H5Pset_filter, h5repack's UD): the quality, 0..100, or LOSSLESS, which is the
 * default; then 1 if the last dimension is components of pictures, else 0. set_local() writes
 * the others, which say what a chunk is. */
#include "bindings/hdf5/host.h"
#include "lib/paco.h"
#include <H5PLextern.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOSSLESS 255
#define LAYOUT 1                    /* the version of these parameters */
#define MOST_CHUNK_BYTES UINT32_MAX /* what HDF5 allows */
#define MOST_SIDE 16384             /* lines and columns of a picture */
#define LARGE_PICTURE (1 << 20)     /* bytes */

enum
{
  QUALITY,
  WITH_COMPONENTS,
  VERSION,
  KIND,
  SAMPLE_BYTES,
  BIG_ENDIAN_SAMPLES,
  N_FRAMES,
  HEIGHT,
  WIDTH,
  N_COMPONENTS,
  N_PARAMETERS
};

/* What a chunk is. */
typedef struct
{
  unsigned quality, how;
  PacoInfo info;
  size_t n_frames, picture_bytes, bytes;
} Chunk;

/* --- messages --- */

static void
complain (const char *format, ...)
{
  char message[600];
  va_list arguments;

  va_start (arguments, format);
  vsnprintf (message, sizeof message, format, arguments);
  va_end (arguments);
  host_push_error (message);
}

/* --- chunks and their parameters --- */

/* Fills in n_frames, lines, columns and components of a chunk. Returns false, after a
 * complaint, if there are no such pictures. */
static bool
take_apart (const hsize_t *sizes, int rank, unsigned *values)
{
  hsize_t n_frames = 1, n_components = 1, lines = 1, columns;

  if (values[WITH_COMPONENTS] && rank < 3) {
    complain ("with components, a chunk has three dimensions or more");
    return false;
  }
  if (values[WITH_COMPONENTS])
    n_components = sizes[--rank];
  columns = sizes[--rank];
  if (rank > 0)
    lines = sizes[--rank];
  while (rank > 0) {
    n_frames *= sizes[--rank]; /* A chunk has less than 2^32 bytes. */
  }
  values[N_FRAMES] = (unsigned) n_frames;
  values[HEIGHT] = (unsigned) lines;
  values[WIDTH] = (unsigned) columns;
  values[N_COMPONENTS] = (unsigned) n_components;
  if (lines > MOST_SIDE || columns > MOST_SIDE
      || n_components > PACO_COMPONENTS) {
    complain ("a chunk has at most %d lines and columns, and %d components",
        MOST_SIDE, PACO_COMPONENTS);
    return false;
  }
  return true;
}

static bool
is_binary16 (hid_t type)
{
  size_t sign, exponent, exponent_bits, mantissa, mantissa_bits;

  return host.get_class (type) == H5T_FLOAT && host.get_size (type) == 2
      && host.get_fields (
             type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits)
      >= 0
      && exponent_bits == 5 && mantissa_bits == 10;
}

/* Says what samples of the type are. Returns false, after a complaint, if we have no such
 * samples. */
static bool
read_type (hid_t type, unsigned *values)
{
  size_t bytes = host.get_size (type);

  values[SAMPLE_BYTES] = (unsigned) bytes;
  values[BIG_ENDIAN_SAMPLES] = bytes == 2
      && host.get_order (type) == H5T_ORDER_BE;
  if (is_binary16 (type))
    values[KIND] = PACO_SAMPLES_FLOAT;
  else if (host.get_class (type) == H5T_INTEGER && (bytes == 1 || bytes == 2))
    values[KIND] = host.get_sign (type) == H5T_SGN_2 ? PACO_SAMPLES_SIGNED
                                                     : PACO_SAMPLES_UNSIGNED;
  else {
    complain (
        "PaCo codes integers of 8 and 16 bits and binary16, and nothing else");
    return false;
  }
  return true;
}

/* Parameters are a file's and may be anything. */
static bool
read_chunk (const unsigned *values, size_t n, Chunk *chunk)
{
  size_t samples;

  *chunk = (Chunk){ .info = PACO_INFO_INIT };
  if (n != N_PARAMETERS || values[WITH_COMPONENTS] > 1
      || values[VERSION] != LAYOUT || values[KIND] > 2
      || values[SAMPLE_BYTES] - 1 > 1 || values[HEIGHT] - 1 >= MOST_SIDE
      || values[WIDTH] - 1 >= MOST_SIDE
      || values[N_COMPONENTS] - 1 >= PACO_COMPONENTS || values[N_FRAMES] == 0
      || (values[QUALITY] > 100 && values[QUALITY] != LOSSLESS)) {
    complain ("the filter's parameters are none that this filter writes");
    return false;
  }
  samples = (size_t) values[HEIGHT] * values[WIDTH] * values[N_COMPONENTS];
  chunk->picture_bytes = samples * values[SAMPLE_BYTES];
  chunk->quality = values[QUALITY];
  chunk->n_frames = values[N_FRAMES];
  chunk->bytes = chunk->n_frames * chunk->picture_bytes;
  if (chunk->bytes > MOST_CHUNK_BYTES) {
    complain ("a chunk of %zu bytes is larger than HDF5 allows", chunk->bytes);
    return false;
  }
  chunk->how = PACO_IMAGE_INTERLEAVED
      | (values[BIG_ENDIAN_SAMPLES] ? PACO_IMAGE_BIG_ENDIAN : 0);
  chunk->info.width = values[WIDTH];
  chunk->info.height = values[HEIGHT];
  chunk->info.n_components = values[N_COMPONENTS];
  for (unsigned c = 0; c < values[N_COMPONENTS]; c++) {
    chunk->info.depth[c] = 8 * values[SAMPLE_BYTES];
    chunk->info.sample_kind[c] = values[KIND];
  }
  return true;
}

/* Also refuses what the filter is not for: there is no can_apply(), with which HDF5 would
 * leave the filter out without a word. */
static herr_t
set_local (hid_t dcpl, hid_t type, hid_t space)
{
  unsigned values[N_PARAMETERS] = { LOSSLESS }, flags;
  size_t n = N_PARAMETERS;
  hsize_t sizes[H5S_MAX_RANK];
  int rank;
  Chunk chunk;

  (void) space;
  if (!host_find (__builtin_return_address (0)))
    return -1;
  rank = host.get_chunk (dcpl, H5S_MAX_RANK, sizes);
  if (rank < 1 || rank > H5S_MAX_RANK
      || host.get_filter (
             dcpl, PACO_HDF5_FILTER, &flags, &n, values, 0, NULL, NULL)
          < 0)
    return -1;
  /* A copy of a data set comes with all parameters of the first one. */
  if (n == 0)
    values[QUALITY] = LOSSLESS;
  if (n <= WITH_COMPONENTS)
    values[WITH_COMPONENTS] = 0;
  values[VERSION] = LAYOUT;
  return read_type (type, values) && take_apart (sizes, rank, values)
          && read_chunk (values, N_PARAMETERS, &chunk)
      ? host.modify_filter (dcpl, PACO_HDF5_FILTER, flags, N_PARAMETERS, values)
      : -1;
}

/* --- coding --- */

/* A coder is made for each chunk: it has threads, which a fork() would lose. Large pictures
 * use all cores, because HDF5 works on one chunk at a time. */
static const char *
threads_for (const Chunk *chunk)
{
  return chunk->picture_bytes >= LARGE_PICTURE ? "0" : "1";
}

static PacoFrameEncoder *
new_encoder (const Chunk *chunk, PacoError *error)
{
  PacoFrameEncoder *encoder = paco_frame_encoder_new ();
  bool lossless = chunk->quality == LOSSLESS;
  char quality[16];

  snprintf (quality, sizeof quality, "%u", lossless ? 90 : chunk->quality);
  if (!encoder
      || paco_frame_encoder_set (encoder, "backend", "cpu", error)
          != PACO_STATUS_OK
      || paco_frame_encoder_set (encoder, "threads", threads_for (chunk), error)
          != PACO_STATUS_OK
      || paco_frame_encoder_set (
             encoder, "rate-control", lossless ? "lossless" : "quality", error)
          != PACO_STATUS_OK
      || paco_frame_encoder_set (encoder, "quality", quality, error)
          != PACO_STATUS_OK
      || paco_frame_encoder_configure (encoder, &chunk->info, error)
          != PACO_STATUS_OK) {
    paco_frame_encoder_free (encoder);
    return NULL;
  }
  return encoder;
}

/* Appends a frame to what is coded; false: there is no memory. */
static bool
append (uint8_t **coded, size_t *size, size_t *room, const PacoFrame *frame)
{
  if (*size + frame->size > *room) {
    size_t more = (*size + frame->size) * 3 / 2;
    uint8_t *larger = realloc (*coded, more);

    if (!larger)
      return false;
    *coded = larger;
    *room = more;
  }
  memcpy (*coded + *size, frame->data, frame->size);
  *size += frame->size;
  return true;
}

/* Returns how many bytes *buffer has then; 0: an error. */
static size_t
encode (const Chunk *chunk, size_t n, size_t *buffer_size, void **buffer)
{
  PacoError error = { .message = "there is no memory" };
  PacoFrameEncoder *encoder = NULL;
  uint8_t *coded = NULL, *samples = *buffer;
  size_t size = 0, room = 0, i = 0;

  if (n == chunk->bytes)
    encoder = new_encoder (chunk, &error);
  for (; encoder && i < chunk->n_frames; i++) {
    PacoImage image;
    PacoFrame frame = { 0 };
    size_t bytes = chunk->picture_bytes;
    bool is_good = paco_image_init (&image, &chunk->info, 0, chunk->how,
                       samples + i * bytes, &bytes, &error)
            == PACO_STATUS_OK
        && paco_frame_encoder_encode (encoder, &image, NULL, &frame, &error)
            == PACO_STATUS_OK
        && append (&coded, &size, &room, &frame);

    paco_frame_release (&frame);
    if (!is_good)
      break;
  }
  paco_frame_encoder_free (encoder);
  if (!encoder || i < chunk->n_frames) {
    complain ("a chunk cannot be coded: %s",
        n == chunk->bytes ? error.message : "it is of another size");
    free (coded);
    return 0;
  }
  free (*buffer);
  *buffer = coded;
  *buffer_size = room;
  return size;
}

/* Checks that the chunk has all its frames, before memory is allocated for what they claim
 * to be. */
static bool
check_frames (
    const Chunk *chunk, const uint8_t *coded, size_t n, PacoError *error)
{
  size_t n_frames = 0;

  while (n > 0) {
    PacoInfo info = PACO_INFO_INIT;
    PacoStatus status = paco_probe (coded, n, &info, NULL, error);
    size_t size = status == PACO_STATUS_OK
        ? (size_t) info.frame_size + info.attachment_size
        : 0;
    bool is_like = info.width == chunk->info.width
        && info.height == chunk->info.height
        && info.n_components == chunk->info.n_components
        && info.stack_length == 0 && info.mosaic == 0;

    for (unsigned c = 0; c < chunk->info.n_components; c++)
      is_like &= info.depth[c] == chunk->info.depth[c]
          && info.sample_kind[c] == chunk->info.sample_kind[c];
    if (status != PACO_STATUS_OK)
      return false;
    if (!is_like || size == 0 || size > n || ++n_frames > chunk->n_frames) {
      snprintf (error->message, sizeof error->message,
          "a frame in it is none of this data set");
      return false;
    }
    coded += size;
    n -= size;
  }
  if (n_frames != chunk->n_frames)
    snprintf (error->message, sizeof error->message,
        "it has %zu frames instead of %zu", n_frames, chunk->n_frames);
  return n_frames == chunk->n_frames;
}

/* Decodes a frame; *size is set to how many bytes it has. */
static bool
decode_frame (PacoFrameDecoder *decoder, const Chunk *chunk,
    const uint8_t *coded, size_t n, uint8_t *samples, size_t *size,
    PacoError *error)
{
  PacoInfo info = PACO_INFO_INIT;
  PacoImage image;
  PacoResult result = { 0 };
  size_t bytes = chunk->picture_bytes;

  if (paco_probe (coded, n, &info, NULL, error) != PACO_STATUS_OK)
    return false;
  *size = (size_t) info.frame_size + info.attachment_size;
  /* Chroma that is smaller than the picture has no place among its samples. */
  if (paco_image_init (&image, &info, 0, chunk->how, samples, &bytes, error)
          != PACO_STATUS_OK
      || paco_frame_decoder_decode (
             decoder, coded, *size, &image, &result, error)
          != PACO_STATUS_OK)
    return false;
  if (result.corrupted_blocks > 0)
    snprintf (
        error->message, sizeof error->message, "a frame in it is damaged");
  return result.corrupted_blocks == 0;
}

static size_t
decode (const Chunk *chunk, size_t n, size_t *buffer_size, void **buffer)
{
  PacoError error = { .message = "there is no memory" };
  const uint8_t *coded = *buffer;
  bool is_good = check_frames (chunk, coded, n, &error);
  PacoFrameDecoder *decoder = is_good ? paco_frame_decoder_new () : NULL;
  uint8_t *samples = decoder ? malloc (chunk->bytes) : NULL;

  is_good = samples
      && paco_frame_decoder_set (decoder, "backend", "cpu", &error)
          == PACO_STATUS_OK
      && paco_frame_decoder_set (
             decoder, "threads", threads_for (chunk), &error)
          == PACO_STATUS_OK;
  for (size_t i = 0; is_good && i < chunk->n_frames; i++) {
    size_t size = 0;

    is_good = decode_frame (decoder, chunk, coded, n,
        samples + i * chunk->picture_bytes, &size, &error);
    coded += size;
    n -= size;
  }
  paco_frame_decoder_free (decoder);
  if (!is_good) {
    complain ("a chunk is damaged: %s", error.message);
    free (samples);
    return 0;
  }
  free (*buffer);
  *buffer = samples;
  *buffer_size = chunk->bytes;
  return chunk->bytes;
}

static size_t
filter (unsigned flags, size_t n_values, const unsigned *values, size_t n,
    size_t *buffer_size, void **buffer)
{
  Chunk chunk;

  if (!host_find (__builtin_return_address (0))
      || !read_chunk (values, n_values, &chunk))
    return 0;
  return flags & H5Z_FLAG_REVERSE ? decode (&chunk, n, buffer_size, buffer)
                                  : encode (&chunk, n, buffer_size, buffer);
}

/* --- what HDF5 asks for --- */

H5PL_type_t
H5PLget_plugin_type (void)
{
  return H5PL_TYPE_FILTER;
}

const void *
H5PLget_plugin_info (void)
{
  static const H5Z_class2_t info = {
    .version = H5Z_CLASS_T_VERS,
    .id = PACO_HDF5_FILTER,
    .encoder_present = 1,
    .decoder_present = 1,
    .name = "PaCo, an intra-frame wavelet codec (paco)",
    .set_local = set_local,
    .filter = filter,
  };

  return host_find (__builtin_return_address (0)) ? &info : NULL;
}
