/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Takes files apart, codes them and makes them again, for tests (still-files.h). */
#include "tests/archive/still-files.h"
#include <stdlib.h>
#include <string.h>

static GRand *
generator (void)
{
  static GRand *rand;

  if (!rand) {
    const char *seed = g_getenv ("PACO_SEED");
    guint32 number = seed ? (guint32) atoi (seed) : g_random_int ();

    g_test_message ("PACO_SEED=%u", number);
    rand = g_rand_new_with_seed (number);
  }
  return rand;
}

guint32
draw (guint32 below)
{
  return g_rand_int (generator ()) % below;
}

guint16 *
draw_samples (guint32 width, guint32 height, guint n_components, guint depth)
{
  gsize n = (gsize) width * height * n_components;
  guint16 *samples = g_new (guint16, n);
  guint kind = draw (3), noise = 1 + draw (1u << (depth - 2));

  for (gsize i = 0; i < n; i++) {
    gsize pixel = i / n_components, x = pixel % width, y = pixel / width;
    guint32 smooth = (guint32) (x * 5 + y * 3 + i % n_components * 40);

    smooth <<= depth - 8;
    samples[i] = (guint16) ((kind == 0          ? smooth
                                    : kind == 1 ? smooth + draw (noise)
                                                : (guint32) (y / 16 % 2 * 77))
        & ((1u << depth) - 1));
  }
  return samples;
}

/* --- samples in memory, read and written without the codec ------------- */

static guint8 *
word_of (const PacoImage *image, guint c, guint32 x, guint32 y)
{
  const PacoLayout *layout = &image->layout[c];

  return (guint8 *) image->data[c] + (gssize) y * image->stride[c]
      + x / layout->group_samples * layout->group_bytes
      + layout->places[x % layout->group_samples].byte;
}

static guint16
read_sample (const PacoImage *image, guint c, guint depth, guint32 x, guint32 y)
{
  const PacoLayout *layout = &image->layout[c];
  const guint8 *p = word_of (image, c, x, y);
  guint shift = layout->places[x % layout->group_samples].shift;
  guint32 word = 0;

  for (guint i = 0; i < layout->word_bytes; i++)
    word |= (guint32) p[i] << 8
            * (layout->big_endian ? layout->word_bytes - 1 - i : i);
  return (guint16) (word >> shift & ((1u << depth) - 1));
}

static guint16 *
read_image (const PacoImage *image, const PacoInfo *info)
{
  gsize n = (gsize) info->width * info->height * info->n_components;
  guint16 *samples = g_new (guint16, n), *p = samples;

  for (guint32 y = 0; y < info->height; y++)
    for (guint32 x = 0; x < info->width; x++)
      for (guint c = 0; c < info->n_components; c++)
        *p++ = read_sample (image, c, info->depth[c], x, y);
  return samples;
}

/* --- coming back ------------------------------------------------------- */

/* Codes one picture into another, without loss. */
static void
code (const PacoInfo *info, const PacoImage *from, const PacoImage *to)
{
  PacoFrameEncoder *encoder = paco_frame_encoder_new ();
  PacoFrameDecoder *decoder = paco_frame_decoder_new ();
  PacoError error = { PACO_STATUS_OK, "" };
  PacoFrame frame = { NULL };

  paco_frame_encoder_set (encoder, "backend", "cpu", &error);
  paco_frame_encoder_set (encoder, "threads", "1", &error);
  paco_frame_encoder_set (encoder, "rate-control", "lossless", &error);
  paco_frame_decoder_set (decoder, "backend", "cpu", &error);
  paco_frame_decoder_set (decoder, "threads", "1", &error);
  paco_frame_encoder_configure (encoder, info, &error);
  g_assert_cmpstr (error.message, ==, "");
  paco_frame_encoder_encode (encoder, from, NULL, &frame, &error);
  g_assert_cmpstr (error.message, ==, "");
  paco_frame_decoder_decode (decoder, frame.data, frame.size, to, NULL, &error);
  g_assert_cmpstr (error.message, ==, "");
  paco_frame_release (&frame);
  paco_frame_encoder_free (encoder);
  paco_frame_decoder_free (decoder);
}

/* Makes again what was taken apart; returns FALSE if it is refused. */
static gboolean
make_again (const PacoSourceKind *kind, const PacoSource *source, gsize size,
    PacoRebuilt *rebuilt, GError **error)
{
  const GByteArray *rest = source->rest;

  if (!paco_source_rebuild (
          kind, rest->data, rest->len, &source->info, size, rebuilt, error))
    return FALSE;
  code (&source->info, &source->image, &rebuilt->image);
  /* So paco archive compares a file that it need not make again. */
  g_assert_cmpmem (source->samples->data, source->samples->len,
      rebuilt->samples->data, rebuilt->samples->len);
  return paco_source_finish (
      kind, rest->data, rest->len, &source->info, size, rebuilt, error);
}

void
check_comes_back (const PacoSourceKind *kind, const guint8 *bytes, gsize size,
    PacoSource *source, guint16 **samples)
{
  PacoInfo peeked = PACO_INFO_INIT;
  PacoRebuilt rebuilt;
  GError *error = NULL;

  g_assert_true (kind->match (bytes, MIN (size, 16)));
  if (kind->peek)
    g_assert_true (kind->peek (bytes, MIN (size, 4096), size, &peeked, &error));
  paco_source_parse (kind, bytes, size, source, &error);
  g_assert_no_error (error);
  if (kind->peek) {
    g_assert_cmpuint (peeked.width, ==, source->info.width);
    g_assert_cmpuint (peeked.n_components, ==, source->info.n_components);
  }
  if (samples)
    *samples = read_image (&source->image, &source->info);
  paco_rebuilt_init (&rebuilt);
  make_again (kind, source, size, &rebuilt, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (rebuilt.file->data, rebuilt.file->len, bytes, size);
  paco_rebuilt_clear (&rebuilt);
}

void
check_refused (const PacoSourceKind *kind, const guint8 *bytes, gsize size,
    const char *word)
{
  PacoSource source;
  GError *error = NULL;

  paco_source_init (&source);
  g_assert_false (paco_source_parse (kind, bytes, size, &source, &error));
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  g_assert_cmpuint (strlen (error->message), >, 15);
  g_assert_nonnull (strstr (error->message, word));
  g_error_free (error);
  paco_source_clear (&source);
}

/* --- hostile bytes ----------------------------------------------------- */

/* Changes some bytes, or cuts off the end, in memory of exactly the new
 * size. */
static guint8 *
damage (const guint8 *bytes, gsize *size)
{
  guint n = 1 + draw (4);
  guint8 *copy;

  if (draw (8) == 0)
    *size = draw ((guint32) *size);
  copy = g_malloc (MAX (*size, 1));
  memcpy (copy, bytes, *size);
  for (guint i = 0; *size > 0 && i < n; i++) {
    gsize reach = draw (2) ? *size : MIN (*size, 200);
    gsize at = draw (4) ? draw ((guint32) reach)
                        : *size - 1 - draw ((guint32) reach);

    copy[at] = draw (3) == 0 ? 0xff
        : draw (2)           ? (guint8) draw (256)
                             : copy[at] ^ (guint8) (1 << draw (8));
  }
  return copy;
}

static void
check_damaged_file (const PacoSourceKind *kind, const guint8 *bytes, gsize size)
{
  guint8 *copy = damage (bytes, &size);
  PacoInfo info = PACO_INFO_INIT;
  PacoSource source;
  PacoRebuilt rebuilt;
  GError *error = NULL;

  kind->match (copy, size);
  if (kind->peek && !kind->peek (copy, size, size, &info, &error))
    g_clear_error (&error);
  paco_source_init (&source);
  paco_rebuilt_init (&rebuilt);
  if (paco_source_parse (kind, copy, size, &source, &error)) {
    make_again (kind, &source, size, &rebuilt, &error);
    g_assert_no_error (error);
    g_assert_cmpmem (rebuilt.file->data, rebuilt.file->len, copy, size);
  }
  g_clear_error (&error);
  paco_rebuilt_clear (&rebuilt);
  paco_source_clear (&source);
  g_free (copy);
}

static void
check_damaged_rest (
    const PacoSourceKind *kind, const PacoSource *source, gsize file_size)
{
  gsize size = source->rest->len;
  guint8 *rest = damage (source->rest->data, &size);
  PacoRebuilt rebuilt;
  GError *error = NULL;

  paco_rebuilt_init (&rebuilt);
  if (paco_source_rebuild (
          kind, rest, size, &source->info, file_size, &rebuilt, &error)) {
    code (&source->info, &source->image, &rebuilt.image);
    paco_source_finish (
        kind, rest, size, &source->info, file_size, &rebuilt, &error);
  }
  g_clear_error (&error);
  paco_rebuilt_clear (&rebuilt);
  g_free (rest);
}

void
check_hostile (
    const PacoSourceKind *kind, const guint8 *bytes, gsize size, guint n)
{
  PacoSource source;
  GError *error = NULL;

  paco_source_init (&source);
  paco_source_parse (kind, bytes, size, &source, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++) {
    check_damaged_file (kind, bytes, size);
    check_damaged_rest (kind, &source, size);
  }
  paco_source_clear (&source);
}
