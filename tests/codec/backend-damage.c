/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests damaged frames, and frames of empty blocks: the backend gives the same
 * verdict as the reference, and the same pixels. */
#include "backend-case.h"
#include "random-damage.h"
#include "codec/geometry.h"
#include "codec/index.h"
#include <string.h>
#include <zlib.h>

#define MAX_SAMPLES 4000 /* of damaged pictures, all components */

static void
test_damaged (void)
{
  Coders coders;
  unsigned n_refused = 0, n_broken = 0, n_unharmed = 0;

  coders_open (&coders);
  for (unsigned n = 0; n < n_cases (400); n++) {
    g_auto (Case) c;
    PacoHeader header;

    case_init_possible (&c, 600);
    set_random_ops (c.rand, NULL, coders.decoders[0]);
    g_assert_true (
        paco_header_parse (c.frame->data, c.frame->len, &header, NULL, NULL));
    for (unsigned i = 0; i < 10; i++) {
      g_autoptr (GByteArray) copy = g_byte_array_new ();

      g_byte_array_append (copy, c.frame->data, c.frame->len);
      test_damage (c.rand, copy, MAX_SAMPLES);
      if (test_same_format (copy->data, copy->len, &header)) {
        Verdict verdict = decode_and_check (&c, coders.decoders[0], copy->data,
            copy->len, g_rand_int_range (c.rand, 0, c.levels + 1));

        n_refused += !verdict.decoded;
        n_broken += verdict.corrupted_blocks > 0;
        n_unharmed += verdict.decoded && verdict.corrupted_blocks == 0;
      }
    }
  }
  coders_close (&coders);
  g_test_message ("%u refused, %u with broken blocks, %u not noticed",
      n_refused, n_broken, n_unharmed);
  g_assert_cmpuint (n_refused, >, 0);
  g_assert_cmpuint (n_broken, >, 0);
}

/* Returns c's frame with the blocks that are `kept` only; the others are
 * empty. */
static GByteArray *
keep_blocks (const Case *c, const bool *kept, uint32_t n_blocks,
    PacoBlockRecord *records, const PacoHeader *header)
{
  GByteArray *frame = g_byte_array_new ();
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  size_t tables = paco_header_tables_size (header);
  g_autofree uint8_t *index = g_malloc (
      tables + PACO_MAX_INDEX_SIZE (n_blocks) + header->step_map_size);
  PacoHeader written = *header;

  for (uint32_t i = 0; i < n_blocks; i++) {
    if (kept[i])
      g_byte_array_append (payload,
          c->frame->data + header->header_size + header->index_size
              + records[i].offset,
          records[i].length);
    else
      records[i] = (PacoBlockRecord){ .planes = 0 };
  }
  memcpy (index, c->frame->data + header->header_size, tables);
  written.index_size = tables
      + paco_index_write (
          records, n_blocks, header->coding.block_checks, index + tables);
  memcpy (index + written.index_size,
      c->frame->data + header->header_size + tables
          + paco_header_records_size (header),
      header->step_map_size);
  written.index_size += header->step_map_size;
  written.frame_size = header->header_size + written.index_size + payload->len
      + header->video.attachment.size;
  written.index_crc = crc32 (0, index, written.index_size);
  g_byte_array_set_size (frame, header->header_size);
  paco_header_write (&written, frame->data);
  g_byte_array_append (frame, index, written.index_size);
  g_byte_array_append (frame, payload->data, payload->len);
  g_byte_array_append (frame,
      paco_header_attachment (header, c->frame->data).data,
      header->video.attachment.size);
  return frame;
}

/* Empties all blocks of the resolutions that a decoder needs that leaves out
 * `from` levels, and some of the others. */
static GByteArray *
empty_blocks (const Case *c, unsigned from)
{
  PacoHeader header;
  g_autoptr (PacoGeometry) geometry = NULL;
  g_autofree PacoBlockRecord *records = NULL;
  GByteArray *frame;
  g_autofree bool *kept = NULL;

  g_assert_true (
      paco_header_parse (c->frame->data, c->frame->len, &header, NULL, NULL));
  geometry = paco_geometry_new (&header.picture, &header.coding);
  records = g_new (PacoBlockRecord, geometry->n_blocks);
  kept = g_new0 (bool, geometry->n_blocks);
  g_assert_true (paco_index_parse_frame (
      c->frame->data, &header, geometry, records, NULL));
  for (uint32_t i = geometry->n_blocks_at[from]; i < geometry->n_blocks; i++)
    kept[i] = g_rand_boolean (c->rand);
  frame = keep_blocks (c, kept, geometry->n_blocks, records, &header);
  return frame;
}

/* Tests frames without blocks at some resolution, between others that leave
 * their coefficients in the decoder's memory. */
static void
test_empty (void)
{
  g_auto (Coders) coders;

  coders_open (&coders);
  for (unsigned n = 0; n < n_cases (400); n++) {
    PacoDecoder *decoder = coders.decoders[n % N_CODERS];
    g_auto (Case) c;

    case_init_possible (&c, 3000);
    set_random_ops (c.rand, NULL, decoder);
    for (unsigned reduce = 0; reduce <= c.levels; reduce++) {
      g_autoptr (GByteArray)
          frame = empty_blocks (&c, g_rand_int_range (c.rand, 0, reduce + 1));
      Verdict verdict;

      decode_and_check (&c, decoder, c.frame->data, c.frame->len, reduce);
      verdict = decode_and_check (&c, decoder, frame->data, frame->len, reduce);
      g_assert_true (verdict.decoded);
      g_assert_cmpuint (verdict.corrupted_blocks, ==, 0);
    }
  }
}

/* Tests a few bytes that claim a picture of gigabytes: they are refused before
 * memory for it is asked for, by its size, or, where that is allowed, by the
 * size of its index. */
static void
test_huge (void)
{
  PacoHeader header = {
    .picture = { .width = 16384, .height = 16384, .n_components = 4 },
    .video = { .par_n = 1, .par_d = 1, .fps_d = 1 },
    .coding = { .levels = 5, .coding_passes = 1 },
  };
  PacoSampleLayout layouts[4];
  PacoBackendOptions options = coder_options[1];
  GError *error = NULL;

  for (unsigned c = 0; c < 4; c++) {
    header.picture.components[c].depth = 16;
    layouts[c] = (PacoSampleLayout) PACO_LAYOUT_PLANAR (2);
  }
  header.index_size = 100;
  header.frame_size = 1000;
  for (unsigned allowed = 0; allowed < 2; allowed++) {
    g_autoptr (PacoDecoder) decoder = NULL;

    options.max_pixels = allowed ? 16384 * 16384 : 0;
    decoder = BACKEND.decoder_open (&options, NULL);
    g_assert_false (
        paco_decoder_configure (decoder, &header, layouts, 0, &error));
    if (allowed) {
      g_assert_error (error, PACO_ERROR, PACO_ERROR_CORRUPT);
    } else {
      g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
      g_assert_nonnull (strstr (error->message, "needs max-pixels=268435456"));
    }
    g_clear_error (&error);
  }
}

void
add_damage_tests (void)
{
  g_test_add_func ("/backend/damaged", test_damaged);
  g_test_add_func ("/backend/empty", test_empty);
  g_test_add_func ("/backend/huge", test_huge);
}
