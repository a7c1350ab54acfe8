/* SPDX-License-Identifier: LGPL-2.1-or-later
 * paco-conceal [--quality=Q] LAST FILE: codes two pictures of a stream, breaks
 * blocks of the second one, and prints its PSNR as JSON: undamaged, and for what is
 * broken (the first block of LL, LL of the first component, all LL, and all blocks of
 * the coarsest level besides) with zeros, after the other picture, and as the first of a
 * stream. */
#include "codec/index.h"
#include "tests/bench/codec.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static G_GNUC_NORETURN void
stop (const GError *error)
{
  fprintf (stderr, "%s\n", error ? error->message : "A frame was not decoded.");
  exit (1);
}

/* This says which blocks are broken. */
typedef enum
{
  NONE,
  FIRST_BLOCK,
  LL_OF_FIRST_COMPONENT,
  ALL_LL,
  COARSEST_DETAILS,
  N_DAMAGES
} Damage;

static const char *const names[] = { "none", "first-block",
  "ll-of-first-component", "all-ll", "coarsest-details" };

static bool
is_broken (const PacoGeometry *geometry, uint32_t i, Damage damage)
{
  uint32_t n_ll = geometry->n_blocks_at[geometry->levels];

  if (damage == COARSEST_DETAILS)
    return i >= n_ll;
  return damage == ALL_LL || (damage == FIRST_BLOCK && i == 0)
      || (damage == LL_OF_FIRST_COMPONENT
          && geometry->subbands[geometry->blocks[i].subband].component == 0);
}

/* Breaks blocks among those of LL and of the coarsest level. */
static void
damage_frame (uint8_t *data, const PacoHeader *header, Damage damage)
{
  PacoGeometry *geometry = paco_geometry_new (
      &header->picture, &header->coding);
  PacoBlockRecord *records = g_new (PacoBlockRecord, geometry->n_blocks);
  size_t payload = header->header_size + header->index_size;
  unsigned levels = geometry->levels;
  GError *error = NULL;

  if (!paco_index_parse (data + header->header_size, header->index_size,
          geometry, true, paco_header_payload_size (header), records, &error))
    stop (error);
  for (uint32_t i = 0; i < geometry->n_blocks_at[levels - 1]; i++) {
    bool broken = damage == COARSEST_DETAILS
        ? is_broken (geometry, i, damage)
        : i < geometry->n_blocks_at[levels] && is_broken (geometry, i, damage);

    if (damage != NONE && broken && records[i].length > 0)
      data[payload + records[i].offset] ^= 1;
  }
  g_free (records);
  paco_geometry_free (geometry);
}

/* Decodes a stream of one or two frames, and returns the PSNR of the last one. */
static double
psnr_of (GBytes *const *streams, unsigned n, Damage damage, bool conceal,
    const TrainingPicture *file)
{
  const PacoBackendOptions options = {
    .threads = 1, .depth = 1, .conceal = conceal
  };
  PacoDecoder *decoder = paco_cpu_backend.decoder_open (&options, NULL);
  TrainingPicture decoded;
  GError *error = NULL;
  double psnr;

  picture_blank (&decoded, file);
  for (unsigned k = 0; k < n; k++) {
    gsize size;
    const uint8_t *data = g_bytes_get_data (streams[k], &size);
    uint8_t *copy = g_memdup2 (data, size);
    PacoDecodedFrame frame = { NULL };
    PacoCodedFrame coded;

    if (!paco_coded_frame_parse (&coded, copy, size, &error))
      stop (error);
    if (k + 1 == n)
      damage_frame (copy, &coded.header, damage);
    if ((k == 0
            && !paco_decoder_configure (
                decoder, &coded.header, decoded.picture.layout, 0, &error))
        || !paco_decoder_submit (
            decoder, &coded, &decoded.picture, NULL, &error)
        || !paco_decoder_collect (decoder, &frame, NULL) || frame.error)
      stop (error ? error : frame.error);
    g_free (copy);
  }
  psnr = picture_psnr (file, &decoded);
  training_picture_clear (&decoded);
  paco_coder_close (PACO_CODER (decoder));
  return isfinite (psnr) ? psnr : 999.0;
}

int
main (int argc, char **argv)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  GOptionEntry entries[] = {
    { "quality", 'q', 0, G_OPTION_ARG_DOUBLE, &parameters.quality, "Quality",
        "0..100" },
    { NULL },
  };
  GOptionContext *context = g_option_context_new ("LAST FILE");
  TrainingPicture files[2];
  GBytes *streams[2];
  GError *error = NULL;

  parameters.rate_control = PACO_RATE_QUALITY;
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc != 3)
    stop (error);
  g_option_context_free (context);
  for (unsigned k = 0; k < 2; k++) {
    Seconds seconds;

    if (!training_picture_read (argv[1 + k], &files[k], &error))
      stop (error);
    parameters.rgb = files[k].rgb;
    streams[k] = codec_encode (&files[k], &parameters, 1, 1, &seconds);
  }
  for (Damage damage = NONE; damage < N_DAMAGES; damage++)
    printf ("{\"file\": \"%s\", \"broken\": \"%s\", \"zero_psnr\": %.2f, "
            "\"after_last_psnr\": %.2f, \"first_psnr\": %.2f}\n",
        files[1].name, names[damage],
        psnr_of (streams + 1, 1, damage, false, &files[1]),
        psnr_of (streams, 2, damage, true, &files[1]),
        psnr_of (streams + 1, 1, damage, true, &files[1]));
  for (unsigned k = 0; k < 2; k++) {
    g_bytes_unref (streams[k]);
    training_picture_clear (&files[k]);
  }
  return 0;
}
