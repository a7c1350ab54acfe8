/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests paco_frame_cut(): frames of random pictures, cut to random budgets, are
 * within them and decode alike everywhere, with all checks right; also those that
 * were cut before. Frames that cannot be cut, and bytes that are no frame, are
 * refused. */
#include "backend-case.h"
#include "codec/index.h"
#include "codec/frame_cut.h"
#include "codec/reference/reference.h"
#include <string.h>
#include <zlib.h>

/* Makes a case with cut points, with or without a budget. */
static void
case_with_points (Case *c)
{
  GError *error = NULL;

  case_init_possible (c, g_test_rand_int_range (1, 6000));
  c->parameters.cut_points = true;
  c->parameters.block_checks = g_test_rand_bit ();
  if (g_test_rand_int_range (0, 4) == 0)
    test_budget_random (c->rand, &c->source.format, &c->video, &c->parameters);
  g_byte_array_set_size (c->frame, 0);
  paco_reference_encode (&c->source.format, &c->source.picture, &c->video,
      &c->parameters, NULL, c->frame, &error);
  g_assert_no_error (error);
}

/* Returns the least that a frame can be cut to. */
static size_t
least (const Case *c)
{
  PacoHeader header;
  g_autoptr (PacoGeometry) geometry = NULL;
  size_t size;

  g_assert_true (paco_header_parse_frame (
      c->frame->data, c->frame->len, &header, NULL, NULL));
  geometry = paco_geometry_new (&header.picture, &header.coding);
  size = paco_header_overhead (&header) + paco_header_tables_size (&header)
      + header.step_map_size + geometry->n_blocks;
  return size;
}

static void
cut (const Case *c, size_t budget, const uint8_t *data, size_t size,
    uint8_t *out, size_t *out_size)
{
  GError *error = NULL;

  PacoHeader before, after;
  PacoAttachment kept;

  paco_frame_cut (data, size, budget, out, out_size, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (*out_size, <=, budget);
  g_assert_true (paco_header_parse_frame (data, size, &before, NULL, NULL));
  g_assert_true (paco_header_parse_frame (out, *out_size, &after, NULL, NULL));
  kept = paco_header_attachment (&after, out);
  g_assert_cmpuint (kept.size, ==, before.video.attachment.size);
  g_assert_cmpuint (kept.crc, ==, before.video.attachment.crc);
  g_assert_true (paco_attachment_is_whole (&kept));
}

static void
test_random (void)
{
  g_auto (Coders) coders;
  unsigned n_smaller = 0;

  coders_open (&coders);
  for (unsigned n = 0; n < n_cases (200); n++) {
    unsigned i = n % N_CODERS;
    uint8_t *first, *second;
    size_t size, first_size, second_size;
    Verdict verdict;
    g_auto (Case) c;

    case_with_points (&c);
    set_random_ops (c.rand, coders.encoders[i], coders.decoders[i]);
    encode_and_check (&c, coders.encoders[i]);
    verdict = decode_and_check (
        &c, coders.decoders[i], c.frame->data, c.frame->len, 0);
    g_assert_true (verdict.decoded);
    g_assert_cmpuint (verdict.corrupted_blocks, ==, 0);
    size = c.frame->len;
    first = g_malloc (size);
    second = g_malloc (size);
    first_size = size;
    memcpy (first, c.frame->data, size);
    for (unsigned k = 0; k < 3; k++) {
      size_t budget = least (&c)
          + (size_t) ((double) (first_size - least (&c))
              * g_test_rand_double_range (0.0, 1.0));

      cut (&c, budget, first, first_size, second, &second_size);
      n_smaller += second_size < first_size;
      verdict = decode_and_check (
          &c, coders.decoders[i], second, second_size, 0);
      g_assert_true (verdict.decoded);
      g_assert_cmpuint (verdict.corrupted_blocks, ==, 0);
      memcpy (first, second, second_size);
      first_size = second_size;
    }
    g_free (first);
    g_free (second);
  }
  if (n_cases (200) >= 200)
    g_assert_cmpuint (n_smaller, >, 200);
}

static void
test_refusals (void)
{
  GError *error = NULL;
  uint8_t *out;
  size_t size, smallest;
  Case c;

  do {
    case_with_points (&c);
    smallest = least (&c);
    if (c.frame->len > smallest + 10)
      break;
    case_clear (&c);
  } while (true);
  out = g_malloc (c.frame->len);

  /* What fits is left alone. */
  cut (&c, c.frame->len, c.frame->data, c.frame->len, out, &size);
  g_assert_cmpmem (out, size, c.frame->data, c.frame->len);
  cut (&c, smallest, c.frame->data, c.frame->len, out, &size);
  g_assert_cmpuint (size, ==, smallest);
  g_assert_false (paco_frame_cut (
      c.frame->data, c.frame->len, smallest - 1, out, &size, &error));
  g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  /* The index is damaged. */
  c.frame->data[c.frame->data[6] | c.frame->data[7] << 8] ^= 1;
  g_assert_false (paco_frame_cut (
      c.frame->data, c.frame->len, c.frame->len - 1, out, &size, &error));
  g_assert_error (error, PACO_ERROR, PACO_ERROR_CORRUPT);
  g_clear_error (&error);
  g_free (out);

  /* There are no cut points. */
  c.parameters.cut_points = false;
  g_byte_array_set_size (c.frame, 0);
  paco_reference_encode (&c.source.format, &c.source.picture, &c.video,
      &c.parameters, NULL, c.frame, NULL);
  out = g_malloc (c.frame->len);
  g_assert_false (paco_frame_cut (
      c.frame->data, c.frame->len, c.frame->len - 1, out, &size, &error));
  g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  g_free (out);
  case_clear (&c);
}

/* Damages anything in the index, with a check that is right for it: the frame is
 * refused, or what is made of it is within the budget, and no byte too many is
 * read. */
static void
test_hostile (void)
{
  for (unsigned n = 0; n < n_cases (400); n++) {
    PacoHeader header;
    uint8_t *data, *out, *index;
    size_t size, budget;
    g_auto (Case) c;

    case_with_points (&c);
    g_assert_true (paco_header_parse_frame (
        c.frame->data, c.frame->len, &header, NULL, NULL));
    data = g_memdup2 (c.frame->data, c.frame->len);
    out = g_malloc (c.frame->len);
    index = data + header.header_size;
    for (unsigned k = g_test_rand_int_range (1, 4);
         k > 0 && header.index_size > 0; k--)
      index[g_test_rand_int_range (0, header.index_size)] = g_test_rand_int ();
    if (!header.set) {
      header.index_crc = crc32 (0, index, header.index_size);
      paco_header_write (&header, data);
    }
    budget = g_test_rand_int_range (0, c.frame->len + 1);
    if (paco_frame_cut (data, c.frame->len, budget, out, &size, NULL)) {
      g_assert_cmpuint (size, <=, budget);
      g_assert_true (paco_header_parse_frame (out, size, &header, NULL, NULL));
    }
    g_free (data);
    g_free (out);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/frame-cut/random", test_random);
  g_test_add_func ("/frame-cut/refusals", test_refusals);
  g_test_add_func ("/frame-cut/hostile", test_hostile);
  return g_test_run ();
}
