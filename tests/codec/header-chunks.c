/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests what FORMAT.md section 3 says of chunks: which values and sizes have a frame
 * refused, and with which sentence; what may be ignored; and that chunks come once. */
#include "codec/bytes.h"
#include "codec/header.h"
#include "codec/error.h"
#include <string.h>
#include <zlib.h>

/* Writes a header of two gray or chroma-like components of a depth, with chunks. Returns
 * its size. */
static size_t
write_header (unsigned n_components, unsigned depth, unsigned kind,
    const uint8_t *chunks, size_t chunks_size, uint8_t *data)
{
  PacoHeader header = {
    .picture = { .width = 16, .height = 16, .n_components = n_components },
    .video = { .par_n = 1, .par_d = 1, .fps_d = 1 },
    .coding = { .coding_passes = 1,
        .components = { { PACO_WAVELET_CDF53, 0 },
            { PACO_WAVELET_CDF97, 0 } } },
    .index_size = 100,
    .frame_size = 1000,
  };
  size_t size, end;

  for (unsigned c = 0; c < n_components; c++)
    header.picture.components[c] = (PacoComponent){ .depth = depth,
      .kind = kind };
  size = paco_header_write (&header, data);
  end = size - 4;
  memcpy (data + end, chunks, chunks_size);
  end += chunks_size;
  paco_put16 (data + 6, end + 4);
  paco_put32 (data + end, (uint32_t) crc32 (0, data, end));
  return end + 4;
}

/* Checks that such a header is refused with an error whose message has the words, or is
 * taken if there are none. */
static void
expect (unsigned n_components, unsigned depth, unsigned kind,
    const uint8_t *chunks, size_t chunks_size, int code, const char *words)
{
  uint8_t data[2000];
  size_t size = write_header (
      n_components, depth, kind, chunks, chunks_size, data);
  PacoProbabilitySet set;
  PacoHeader parsed;
  GError *error = NULL;

  g_assert_true (
      paco_header_parse (data, size, &parsed, &set, &error) == (words == NULL));
  if (words) {
    g_assert_error (error, PACO_ERROR, code);
    if (!strstr (error->message, words))
      g_test_message ("\"%s\" has not \"%s\"", error->message, words);
    g_assert_nonnull (strstr (error->message, words));
  }
  g_clear_error (&error);
}

typedef struct
{
  uint16_t type, size;
  uint8_t content[24];
  int code;          /* Of the error. */
  const char *words; /* Of its message; NULL: the chunk is taken. */
  uint8_t depth;     /* 0: two components of 8 bits, else one of these. */
} Case;

#define INVALID(type)                                                          \
  PACO_ERROR_CORRUPT, "chunk " #type " has a value or a size that it cannot"
#define UNKNOWN(type)                                                          \
  PACO_ERROR_VERSION, "a chunk of type " #type ", which this decoder does not"

static const Case cases[] = {
  /* Not ancillary, so needed. */
  { 0, 0, { 0 }, UNKNOWN (0) },
  { 261, 4, { 0 }, UNKNOWN (261) },
  { 65535, 0, { 0 }, UNKNOWN (65535) },
  /* Ancillary, and of a later edition. */
  { 17, 3, { 1, 2, 3 }, 0, NULL },
  { 255, 0, { 0 }, 0, NULL },
  /* Decoders do not look at them. */
  { 12, 1, { 99 }, 0, NULL },
  { 16, 1, { 0 }, 0, NULL },
  { 1, 24, { 0 }, 0, NULL },
  { 1, 23, { 0 }, INVALID (1) },
  { 2, 4, { 0 }, 0, NULL },
  { 2, 5, { 0 }, INVALID (2) },
  { 3, 1, { 0 }, INVALID (3) },
  { 3, 2, { 0, 0 }, INVALID (3) },
  { 4, 12, { 0 }, 0, NULL },
  { 4, 8, { 0 }, INVALID (4) },
  { 5, 4, { 255, 0, 255, 255 }, 0, NULL },
  { 5, 4, { 3, 1, 0, 0 }, INVALID (5) },
  { 5, 3, { 3, 0, 0 }, INVALID (5) },
  { 6, 4, { 100 }, 0, NULL },
  { 6, 4, { 101 }, PACO_ERROR_CORRUPT, "the tables of the index are larger" },
  { 6, 3, { 0 }, INVALID (6) },
  { 7, 1, { 1 }, PACO_ERROR_CORRUPT, "a caption has no bytes" },
  { 256, 8, { 1 }, 0, NULL },
  { 256, 8, { 0 }, INVALID (256) },
  { 256, 8, { 0, 0, 0, 16 }, INVALID (256) },
  { 256, 7, { 1 }, INVALID (256) },
  { 257, 10, { 0, 0, 0, 0, 64, 63, 3, 3, 16, 13 }, 0, NULL, 16 },
  { 257, 10, { 0, 0, 0, 0, 64, 63, 3, 3, 16, 13 }, INVALID (257), 8 },
  { 257, 10, { 0, 0, 0, 0, 64, 63, 3, 3, 16, 13 }, INVALID (257) },
  { 257, 10, { 0, 0, 0, 0, 0, 0, 3, 3, 16, 13 }, INVALID (257), 16 },
  { 257, 10, { 0, 0, 0, 0, 65, 63, 3, 3, 16, 13 }, INVALID (257), 16 },
  { 257, 10, { 0, 0, 0, 0, 64, 64, 3, 3, 16, 13 }, INVALID (257), 16 },
  { 257, 10, { 0, 0, 0, 0, 64, 63, 1, 3, 16, 13 }, INVALID (257), 16 },
  { 257, 10, { 0, 0, 0, 0, 64, 63, 4, 3, 16, 13 }, INVALID (257), 16 },
  { 257, 10, { 0, 0, 0, 0, 64, 63, 0, 4, 16, 13 }, INVALID (257), 16 },
  { 257, 10, { 0, 0, 0, 0, 64, 63, 0, 3, 12, 12 }, INVALID (257), 16 },
  { 257, 10, { 0, 0, 0, 0, 64, 63, 0, 3, 8, 16 }, INVALID (257), 16 },
  { 257, 9, { 0, 0, 0, 0, 64, 63, 0, 3, 8 }, INVALID (257), 16 },
  { 258, 12, { 1, 0, 7, 0, 255, 0, 1, 0, 32 }, 0, NULL },
  { 258, 12, { 1, 1, 7, 0, 7, 0, 0, 0, 0 }, 0, NULL },
  { 258, 11, { 1, 1, 7, 0, 7, 0, 0, 0, 0 }, INVALID (258) },
  { 258, 12, { 1, 2, 7, 0, 255, 0, 1, 0, 32 }, PACO_ERROR_CORRUPT,
      "a code table has the unknown form 2" },
  { 258, 12, { 0, 0, 7, 0, 255, 0, 1, 0, 32 }, PACO_ERROR_CORRUPT,
      "a code table is of no component" },
  { 258, 12, { 4, 0, 7, 0, 255, 0, 1, 0, 32 }, PACO_ERROR_CORRUPT,
      "a code table is of no component" },
  { 258, 12, { 2, 0, 7, 0, 255, 0, 1, 0, 32 }, PACO_ERROR_CORRUPT,
      "whose wavelet is not reversible" },
  { 258, 12, { 1, 0, 7, 0, 0, 1, 1, 0, 32 }, PACO_ERROR_CORRUPT,
      "or has fewer bits" },
  { 258, 12, { 1, 0, 8, 0, 7, 0, 1, 0, 1 }, PACO_ERROR_CORRUPT,
      "codes of a code table do not add up" },
  { 258, 12, { 1, 0, 7, 0, 8, 0, 0, 0, 1 }, PACO_ERROR_CORRUPT,
      "codes of a code table do not add up" },
  { 258, 12, { 1, 0, 7, 0, 8, 0, 2, 0, 1 }, PACO_ERROR_CORRUPT,
      "codes of a code table do not add up" },
  { 258, 12, { 1, 0, 7, 0, 8, 0, 1, 0, 101 }, PACO_ERROR_CORRUPT,
      "the tables of the index are larger" },
  { 260, 5, { 100, 0, 0, 0, 3 }, 0, NULL },
  { 260, 5, { 100, 0, 0, 0, 4 }, PACO_ERROR_CORRUPT,
      "a step map is of a component that is not there" },
  { 260, 5, { 101, 0, 0, 0, 0 }, PACO_ERROR_CORRUPT,
      "the tables of the index are larger" },
  { 260, 4, { 100 }, INVALID (260) },
};

static uint8_t *
put_chunk (const Case *c, uint8_t *p)
{
  p = paco_put16 (paco_put16 (p, c->type), c->size);
  memcpy (p, c->content, c->size);
  return p + c->size;
}

static void
test_values (void)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Case *c = &cases[i];
    uint8_t chunk[4 + sizeof c->content];
    size_t size = put_chunk (c, chunk) - chunk;

    g_test_message ("case %u: chunk %u", i, c->type);
    expect (c->depth ? 1 : 2, c->depth ? c->depth : 8, PACO_SAMPLE_UNSIGNED,
        chunk, size, c->code, c->words);
  }
}

/* Tests that a chunk that is not ancillary comes once, a code table once for a component,
 * and that the last one ends where the header does. */
static void
test_once (void)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Case *c = &cases[i];
    uint8_t chunks[2 * (4 + sizeof c->content)];
    uint8_t *end = put_chunk (c, put_chunk (c, chunks));
    bool ancillary = c->type >= 7 && c->type <= 255;
    g_autofree char *words = g_strdup_printf ("chunk %u has", c->type);

    if (c->words)
      continue;
    g_test_message ("case %u: chunk %u", i, c->type);
    expect (c->depth ? 1 : 2, c->depth ? c->depth : 8, PACO_SAMPLE_UNSIGNED,
        chunks, end - chunks, PACO_ERROR_CORRUPT,
        ancillary            ? NULL
            : c->type == 258 ? "a component has two code tables"
                             : words);
    for (unsigned beyond = 1; beyond < 4; beyond++)
      expect (c->depth ? 1 : 2, c->depth ? c->depth : 8, PACO_SAMPLE_UNSIGNED,
          chunks, (end - chunks) / 2 + beyond, PACO_ERROR_CORRUPT,
          "a chunk is longer than the header");
  }
}

/* Tests that slices are of unsigned samples, and have no code tables. */
static void
test_slices (void)
{
  static const Case slice = { 257, 10, { 0, 0, 0, 0, 2, 1, 0, 1, 16, 16 } },
                    table = { 258, 12, { 1, 0, 7, 0, 8, 0, 1, 0, 1 } };
  uint8_t chunks[100], *end = put_chunk (&slice, chunks);

  expect (1, 16, PACO_SAMPLE_UNSIGNED, chunks, end - chunks, 0, NULL);
  for (unsigned kind = PACO_SAMPLE_SIGNED; kind < PACO_N_SAMPLE_KINDS; kind++)
    expect (1, 16, kind, chunks, end - chunks, INVALID (257));
  end = put_chunk (&table, end);
  expect (1, 16, PACO_SAMPLE_UNSIGNED, chunks, end - chunks, PACO_ERROR_CORRUPT,
      "slices of stacks have no code tables");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/header-chunks/values", test_values);
  g_test_add_func ("/header-chunks/once", test_once);
  g_test_add_func ("/header-chunks/slices", test_slices);
  return g_test_run ();
}
