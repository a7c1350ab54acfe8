/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What a decoder does with any bytes: header, index and blocks through the CPU
 * backend, whole and at the least resolution, as they are and with their checks
 * made true. A sanitizer is the judge; here is nothing to assert but that
 * frames that were submitted come back. */
#include "tests/fuzz/fuzz-frame.h"
#include "codec/backend.h"
#include "codec/geometry.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Large pictures are refused here so that a run stays short and small. */
#define MAX_SAMPLES (1 << 20)

static void
write_32 (uint8_t *p, uint32_t value)
{
  for (int i = 0; i < 4; i++)
    p[i] = (uint8_t) (value >> (8 * i));
}

static uint32_t
read_32 (const uint8_t *p)
{
  return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t) p[3] << 24;
}

void
fuzz_repair_frame (uint8_t *data, size_t size)
{
  size_t header_size, index_size;

  if (size < PACO_HEADER_PEEK_SIZE)
    return;
  memcpy (data, PACO_MAGIC, 4);
  data[4] = PACO_VERSION;
  header_size = data[6] | data[7] << 8;
  index_size = read_32 (data + 12);
  write_32 (data + 8, (uint32_t) size);
  if (header_size < PACO_HEADER_PEEK_SIZE + 4 || header_size > size)
    return;
  if (index_size <= size - header_size)
    write_32 (data + 16, (uint32_t) crc32 (0, data + header_size, index_size));
  write_32 (
      data + header_size - 4, (uint32_t) crc32 (0, data, header_size - 4));
}

/* Lines from a component's first sample to its last, when each field is
 * reduced for itself. They can be more than a component of the reduced picture
 * has. */
static size_t
reduced_lines (
    const PacoPictureFormat *format, unsigned component, unsigned reduce)
{
  uint32_t lines = paco_component_height (format, component);

  return format->fields ? paco_ceil_shift ((lines + 1) / 2, reduce)
          + paco_ceil_shift (lines / 2, reduce)
                        : paco_ceil_shift (lines, reduce);
}

/* Memory of exactly the size that the decoder may write to. */
static uint8_t *
make_destination (const PacoHeader *header, unsigned reduce,
    PacoSampleLayout *layout, PacoPicture *picture)
{
  const PacoPictureFormat *format = &header->picture;
  size_t size = 0, offsets[PACO_MAX_COMPONENTS];
  uint8_t *memory;

  for (unsigned c = 0; c < format->n_components; c++) {
    unsigned bytes = format->components[c].depth > 8 ? 2 : 1;

    layout[c] = (PacoSampleLayout){ .bytes = bytes, .pixel_stride = bytes };
    picture->layout[c] = layout[c];
    picture->stride[c] = (ptrdiff_t) paco_ceil_shift (
                             paco_component_width (format, c), reduce)
        * bytes;
    offsets[c] = size;
    size += picture->stride[c] * reduced_lines (format, c, reduce);
  }
  memory = malloc (size);
  for (unsigned c = 0; c < format->n_components; c++)
    picture->data[c] = memory + offsets[c];
  return memory;
}

static void
decode (const PacoCodedFrame *coded, unsigned reduce)
{
  const PacoBackend *backend = &paco_cpu_backend;
  const PacoHeader *header = &coded->header;
  const PacoBackendOptions options = { .threads = 1, .depth = 1 };
  PacoSampleLayout layout[PACO_MAX_COMPONENTS] = { 0 };
  PacoPicture picture = { 0 };
  PacoDecodedFrame frame = { 0 };
  GError *error = NULL;
  PacoDecoder *decoder = backend->decoder_open (&options, &error);
  uint8_t *memory = make_destination (header, reduce, layout, &picture);

  if (!decoder)
    abort ();
  if (paco_decoder_configure (decoder, header, layout, reduce, &error)
      && paco_decoder_submit (decoder, coded, &picture, memory, &error)) {
    if (!paco_decoder_collect (decoder, &frame, NULL)
        || frame.user_data != memory)
      abort ();
    g_clear_error (&frame.error);
  }
  g_clear_error (&error);
  paco_coder_close (PACO_CODER (decoder));
  free (memory);
}

static void
try_frame (const uint8_t *data, size_t size)
{
  PacoCodedFrame *frame = g_new (PacoCodedFrame, 1);
  const PacoHeader *header = &frame->header;
  uint64_t samples = 0;

  if (size >= PACO_HEADER_PEEK_SIZE)
    paco_header_peek (data, size, &frame->header, NULL);
  if (paco_coded_frame_parse (frame, data, size, NULL)) {
    for (unsigned c = 0; c < header->picture.n_components; c++)
      samples += (uint64_t) paco_component_width (&header->picture, c)
          * paco_component_height (&header->picture, c);
    if (samples <= MAX_SAMPLES) {
      decode (frame, 0);
      if (header->coding.levels)
        decode (frame, header->coding.levels);
    }
  }
  g_free (frame);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  /* Copies of exactly this size: a read beyond them is seen. */
  uint8_t *copy = calloc (1, size ? size : 1);

  if (size)
    memcpy (copy, data, size);
  try_frame (copy, size);
  fuzz_repair_frame (copy, size);
  try_frame (copy, size);
  free (copy);
  return 0;
}
