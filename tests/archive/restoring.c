/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Codes a file's picture and makes the file again, for tests (restoring.h). */
#include "restoring.h"
#include <string.h>

static void
check_ok (PacoStatus status, const PacoError *error)
{
  if (status != PACO_STATUS_OK)
    g_error ("%s", error->message);
}

void
restoring_init (Restoring *restoring, const PacoSourceKind *kind)
{
  static const char *const settings[][2] = { { "backend", "cpu" },
    { "threads", "1" } };
  PacoError error;

  *restoring = (Restoring){ .kind = kind,
    .encoder = paco_frame_encoder_new (),
    .decoder = paco_frame_decoder_new () };
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    check_ok (paco_frame_encoder_set (
                  restoring->encoder, settings[i][0], settings[i][1], &error),
        &error);
    check_ok (paco_frame_decoder_set (
                  restoring->decoder, settings[i][0], settings[i][1], &error),
        &error);
  }
  check_ok (paco_frame_encoder_set (
                restoring->encoder, "rate-control", "lossless", &error),
      &error);
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

static void
encode (Restoring *restoring)
{
  PacoError error;

  paco_frame_release (&restoring->frame);
  check_ok (paco_frame_encoder_configure (
                restoring->encoder, &restoring->source.info, &error),
      &error);
  check_ok (paco_frame_encoder_encode (restoring->encoder,
                &restoring->source.image, NULL, &restoring->frame, &error),
      &error);
}

static void
decode (Restoring *restoring, const PacoImage *image)
{
  const PacoFrame *frame = &restoring->frame;
  PacoError error;

  check_ok (paco_frame_decoder_decode (restoring->decoder, frame->data,
                frame->size, image, NULL, &error),
      &error);
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
  guint8 *there = restoring_watch (restoring->kind, bytes, size, watched);
  GError *error = NULL;

  g_assert_cmpint (
      paco_source_parse (restoring->kind, there, size, watched, &error), ==,
      good);
  g_clear_error (&error);
  g_free (there);
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
  PacoError error;

  if (!paco_source_same_rest (
          restoring->kind, rest->data, rest->len, info, bytes, size, &image))
    return FALSE;
  check_ok (paco_frame_decoder_submit_comparison (restoring->decoder,
                frame->data, frame->size, &image, NULL, &error),
      &error);
  check_ok (
      paco_frame_decoder_collect (restoring->decoder, &result, &error), &error);
  return result.different_bytes == 0;
}

static void
check_in_place (
    Restoring *restoring, const PacoInfo *info, const guint8 *bytes, gsize size)
{
  guint8 *changed = g_memdup2 (bytes, size);

  restoring->in_place = is_given_back (restoring, info, bytes, size);
  for (guint i = 0; restoring->in_place && i < 8; i++) {
    gsize at = (gsize) g_test_rand_int_range (0, (gint32) size);
    guint8 bit = (guint8) (1 << g_test_rand_int_range (0, 8));

    changed[at] ^= bit;
    if (is_given_back (restoring, info, changed, size))
      g_error ("that byte %zu was changed is not seen", at);
    changed[at] ^= bit;
  }
  g_free (changed);
}

gboolean
restoring_check (
    Restoring *restoring, const guint8 *bytes, gsize size, GError **error)
{
  PacoSource *source = &restoring->source;
  PacoRebuilt *rebuilt = &restoring->rebuilt;
  PacoInfo info = PACO_INFO_INIT;
  PacoError problem;
  GError *failure = NULL;

  gboolean good = paco_source_parse (
      restoring->kind, bytes, size, source, error);

  check_watched (restoring, bytes, size, good);
  if (!good)
    return FALSE;
  encode (restoring);
  check_ok (paco_probe (restoring->frame.data, restoring->frame.size, &info,
                NULL, &problem),
      &problem);
  paco_source_rebuild (restoring->kind, source->rest->data, source->rest->len,
      &info, size, rebuilt, &failure);
  g_assert_no_error (failure);
  decode (restoring, &rebuilt->image);
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
  PacoError error;
  size_t bytes;

  check_ok (paco_image_init (
                &image, info, 0, PACO_IMAGE_TWO_BYTES, NULL, &bytes, &error),
      &error);
  samples = g_malloc (bytes);
  check_ok (paco_image_init (
                &image, info, 0, PACO_IMAGE_TWO_BYTES, samples, &bytes, &error),
      &error);
  decode (restoring, &image);
  for (size_t i = 0; i < bytes / 2; i++)
    samples[i] = GUINT16_FROM_LE (samples[i]);
  return samples;
}
