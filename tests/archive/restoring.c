/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Codes a file's picture and makes the file again, for tests (restoring.h). */
#include "restoring.h"
#include "tests/lib/status.h"
#include <stdlib.h>
#include <string.h>

/* --- drawing -------------------------------------------------------------- */

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

/* --- coding ---------------------------------------------------------------- */

void
restoring_init (Restoring *restoring, const PacoSourceKind *kind)
{
  static const char *const settings[][2] = { { "backend", "cpu" },
    { "threads", "1" } };

  *restoring = (Restoring){ .kind = kind,
    .encoder = paco_frame_encoder_new (),
    .decoder = paco_frame_decoder_new () };
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    OK (paco_frame_encoder_set (
        restoring->encoder, settings[i][0], settings[i][1], &error));
    OK (paco_frame_decoder_set (
        restoring->decoder, settings[i][0], settings[i][1], &error));
  }
  OK (paco_frame_encoder_set (
      restoring->encoder, "rate-control", "lossless", &error));
  paco_source_init (&restoring->source);
  paco_source_init (&restoring->watched);
  paco_rebuilt_init (&restoring->rebuilt);
}

void
restoring_clear (Restoring *restoring)
{
  paco_frame_release (&restoring->frame);
  paco_frame_encoder_free (restoring->encoder);
  paco_frame_decoder_free (restoring->decoder);
  paco_source_clear (&restoring->source);
  paco_source_clear (&restoring->watched);
  paco_rebuilt_clear (&restoring->rebuilt);
}

/* Returns what the frame says of itself. */
static PacoInfo
encode (Restoring *restoring)
{
  PacoInfo info = PACO_INFO_INIT;
  PacoFrame *frame = &restoring->frame;

  paco_frame_release (frame);
  OK (paco_frame_encoder_configure (
      restoring->encoder, &restoring->source.info, &error));
  OK (paco_frame_encoder_encode (
      restoring->encoder, &restoring->source.image, NULL, frame, &error));
  OK (paco_probe (frame->data, frame->size, &info, NULL, &error));
  return info;
}

static void
decode (Restoring *restoring, const PacoImage *image)
{
  const PacoFrame *frame = &restoring->frame;

  OK (paco_frame_decoder_decode (
      restoring->decoder, frame->data, frame->size, image, NULL, &error));
}

guint8 *
restoring_watch (const PacoSourceKind *kind, const guint8 *bytes, gsize size,
    PacoSource *source)
{
  gint most = g_test_rand_bit () ? 100 : 10000;
  guint8 *there = g_malloc0 (size);
  gsize at = 0, n;

  for (; at < size; at += n) {
    n = (gsize) g_test_rand_int_range (1, most);
    n = MIN (n, size - at);
    memcpy (there + at, bytes + at, n);
    paco_source_watch (kind, there, at, at + n, size, source);
  }
  return there;
}

/* Takes the file apart as archive does, and compares what comes of it. */
static void
check_watched (
    Restoring *restoring, const guint8 *bytes, gsize size, gboolean good)
{
  const PacoSource *source = &restoring->source;
  PacoSource *watched = &restoring->watched;
  g_autofree guint8 *there = restoring_watch (
      restoring->kind, bytes, size, watched);
  GError *error = NULL;

  g_assert_cmpint (
      paco_source_parse (restoring->kind, there, size, watched, &error), ==,
      good);
  g_clear_error (&error);
  if (!good)
    return;
  g_assert_cmpmem (
      &watched->info, sizeof watched->info, &source->info, sizeof source->info);
  g_assert_cmpmem (watched->rest->data, watched->rest->len, source->rest->data,
      source->rest->len);
  g_assert_cmpuint (watched->notes->len, ==, source->notes->len);
}

/* Says whether a file is the one that the frame and the rest give back, by comparing in
 * place. */
static gboolean
is_given_back (
    Restoring *restoring, const PacoInfo *info, const guint8 *bytes, gsize size)
{
  const GByteArray *rest = restoring->source.rest;
  const PacoFrame *frame = &restoring->frame;
  PacoImage image;
  PacoResult result;

  if (!paco_source_same_rest (
          restoring->kind, rest->data, rest->len, info, bytes, size, &image))
    return FALSE;
  OK (paco_frame_decoder_submit_comparison (
      restoring->decoder, frame->data, frame->size, &image, NULL, &error));
  OK (paco_frame_decoder_collect (restoring->decoder, &result, &error));
  return result.different_bytes == 0;
}

static void
check_in_place (
    Restoring *restoring, const PacoInfo *info, const guint8 *bytes, gsize size)
{
  g_autofree guint8 *changed = g_memdup2 (bytes, size);

  restoring->in_place = is_given_back (restoring, info, bytes, size);
  for (guint i = 0; restoring->in_place && i < 8; i++) {
    gsize at = (gsize) g_test_rand_int_range (0, (gint32) size);
    guint8 bit = (guint8) (1 << g_test_rand_int_range (0, 8));

    changed[at] ^= bit;
    if (is_given_back (restoring, info, changed, size))
      g_error ("that byte %zu was changed is not seen", at);
    changed[at] ^= bit;
  }
}

gboolean
restoring_check (
    Restoring *restoring, const guint8 *bytes, gsize size, GError **error)
{
  PacoSource *source = &restoring->source;
  PacoRebuilt *rebuilt = &restoring->rebuilt;
  GError *failure = NULL;
  gboolean good = paco_source_parse (
      restoring->kind, bytes, size, source, error);
  PacoInfo info;

  if (restoring->kind->watch)
    check_watched (restoring, bytes, size, good);
  if (!good)
    return FALSE;
  info = encode (restoring);
  paco_source_rebuild (restoring->kind, source->rest->data, source->rest->len,
      &info, size, rebuilt, &failure);
  g_assert_no_error (failure);
  decode (restoring, &rebuilt->image);
  /* So paco archive compares a file that it need not make again. */
  g_assert_cmpmem (source->samples->data, source->samples->len,
      rebuilt->samples->data, rebuilt->samples->len);
  paco_source_finish (restoring->kind, source->rest->data, source->rest->len,
      &info, size, rebuilt, &failure);
  g_assert_no_error (failure);
  g_assert_cmpmem (bytes, size, rebuilt->file->data, rebuilt->file->len);
  check_in_place (restoring, &info, bytes, size);
  return TRUE;
}

guint16 *
restoring_picture (Restoring *restoring)
{
  const PacoInfo *info = &restoring->source.info;
  guint16 *samples;
  PacoImage image;
  size_t bytes;

  OK (paco_image_init (
      &image, info, 0, PACO_IMAGE_TWO_BYTES, NULL, &bytes, &error));
  samples = g_malloc (bytes);
  OK (paco_image_init (
      &image, info, 0, PACO_IMAGE_TWO_BYTES, samples, &bytes, &error));
  decode (restoring, &image);
  for (size_t i = 0; i < bytes / 2; i++)
    samples[i] = GUINT16_FROM_LE (samples[i]);
  return samples;
}

void
restoring_comes_back (Restoring *restoring, const guint8 *bytes, gsize size)
{
  const PacoSourceKind *kind = restoring->kind;
  PacoInfo peeked = PACO_INFO_INIT;
  GError *error = NULL;

  g_assert_true (kind->match (bytes, MIN (size, 16)));
  if (kind->peek)
    g_assert_true (kind->peek (bytes, MIN (size, 4096), size, &peeked, &error));
  restoring_check (restoring, bytes, size, &error);
  g_assert_no_error (error);
  if (kind->peek) {
    g_assert_cmpuint (peeked.width, ==, restoring->source.info.width);
    g_assert_cmpuint (
        peeked.n_components, ==, restoring->source.info.n_components);
  }
}

/* --- samples in memory, read without the codec -------------------------------- */

static guint16
read_sample (const PacoImage *image, guint c, guint depth, guint32 x, guint32 y)
{
  const PacoLayout *layout = &image->layout[c];
  const guint8 *line = (guint8 *) image->data[c]
      + (gssize) y * image->stride[c];
  guint place = x % layout->group_samples;
  gsize at = (gsize) x / layout->group_samples * layout->group_bytes
      + layout->places[place].byte;
  guint32 word = 0;

  for (guint i = 0; i < layout->word_bytes; i++) {
    gsize byte = at + (layout->big_endian ? layout->word_bytes - 1 - i : i);

    word |= (guint32) line[layout->swap_words ? byte ^ 3 : byte] << 8 * i;
  }
  return (guint16) (word >> layout->places[place].shift & ((1u << depth) - 1));
}

guint16 *
restoring_samples (const Restoring *restoring)
{
  const PacoImage *image = &restoring->source.image;
  const PacoInfo *info = &restoring->source.info;
  gsize n = (gsize) info->width * info->height * info->n_components;
  guint16 *samples = g_new (guint16, n), *p = samples;

  for (guint32 y = 0; y < info->height; y++)
    for (guint32 x = 0; x < info->width; x++)
      for (guint c = 0; c < info->n_components; c++)
        *p++ = read_sample (image, c, info->depth[c],
            x >> info->subsampling_x[c], y >> info->subsampling_y[c]);
  return samples;
}

/* --- files that are refused, or broken ----------------------------------------- */

void
check_source_refused (const PacoSourceKind *kind, const guint8 *bytes,
    gsize size, const char *word)
{
  g_auto (PacoSource) source;
  GError *error = NULL;

  paco_source_init (&source);
  g_assert_false (paco_source_parse (kind, bytes, size, &source, &error));
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  g_assert_cmpuint (strlen (error->message), >, 15);
  g_assert_nonnull (strstr (error->message, word));
  g_error_free (error);
}

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
check_damaged_file (Restoring *restoring, const guint8 *bytes, gsize size)
{
  const PacoSourceKind *kind = restoring->kind;
  g_autofree guint8 *copy = damage (bytes, &size);
  PacoInfo info = PACO_INFO_INIT;
  GError *error = NULL;

  kind->match (copy, size);
  if (kind->peek && !kind->peek (copy, size, size, &info, &error))
    g_clear_error (&error);
  restoring_check (restoring, copy, size, &error);
  g_clear_error (&error);
}

static void
check_damaged_rest (Restoring *restoring, gsize file_size)
{
  const PacoSource *source = &restoring->source;
  PacoRebuilt *rebuilt = &restoring->rebuilt;
  gsize size = source->rest->len;
  g_autofree guint8 *rest = damage (source->rest->data, &size);
  GError *error = NULL;

  if (paco_source_rebuild (restoring->kind, rest, size, &source->info,
          file_size, rebuilt, &error)) {
    decode (restoring, &rebuilt->image);
    paco_source_finish (
        restoring->kind, rest, size, &source->info, file_size, rebuilt, &error);
  }
  g_clear_error (&error);
}

void
check_hostile (
    const PacoSourceKind *kind, const guint8 *bytes, gsize size, guint n)
{
  g_auto (Restoring) whole, damaged;
  GError *error = NULL;

  restoring_init (&whole, kind);
  restoring_init (&damaged, kind);
  restoring_check (&whole, bytes, size, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++) {
    check_damaged_file (&damaged, bytes, size);
    check_damaged_rest (&whole, size);
  }
}
