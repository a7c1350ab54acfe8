/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The base of the encoders of all backends: the rate, and checks of what comes
 * in. A backend's own encoder begins with a PacoEncoder, and does the rest in
 * the functions of a PacoEncoderClass. */
#pragma once
#include "coder_private.h"
#include "encoder.h"
#include "policy_wavelet.h"
#include "rate_control.h"

/* What follows from the rate: fixed for a frame when it is submitted. */
typedef struct
{
  guint number; /* another one, but never 0, when the rate has changed */
  PacoCoding coding;
  uint8_t dropped_planes[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS];
  /* With cut points and without a budget: of paco_policy_weight(). */
  int16_t weight[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS];
  /* Bytes of the frame at most, header and all, or 0: steps and dropped planes are
   * then those of the form's tables. */
  uint32_t budget;
} PacoRate;

typedef struct
{
  PacoPicture picture;
  PacoVideoInfo video;
  PacoRate rate;
  PacoAreas areas;
  unsigned area_planes; /* paco_policy_area_planes() */
  unsigned form;
  /* With a budget: the frame's place in its stream, and which stream. */
  uint64_t number;
  guint generation;
} PacoEncoderJob;

/* Of frames of one form. */
typedef struct
{
  PacoPictureFormat picture;
  PacoCoding coding; /* only what does not change with the rate */
  PacoCoding finest; /* the most bits that the rate can lead to */
  PacoRate rate;     /* under the coder's lock */
  /* With a budget, else NULL: the steps of lossy frames, and of those without loss,
   * if there are any; these are coded like this. */
  PacoRateTable *table, *lossless_table;
  PacoCoding lossless;
  /* Whether each frame chooses between the rate and another one, of which the
   * wavelet is different (policy_wavelet.h). Then neither changes. */
  bool chooses;
  PacoRate other;
  size_t min_frame_size; /* that a budget must have */
} PacoEncoderForm;

/* How far back frames learn from, and that many may be waited for. */
#define PACO_RATE_RING 64

typedef struct
{
  PacoCoderClass coder;
  /* Codes a frame, in the flight's thread, and chooses before that if its form does
   * (paco_encoder_choose()). Never NULL, and without user_data. */
  PacoEncodedFrame *(*encode) (
      PacoEncoder *encoder, unsigned flight, PacoEncoderJob *job);
} PacoEncoderClass;

struct _PacoEncoder
{
  PacoCoder coder;

  /* Of what is configured. */
  PacoEncoderForm forms[PACO_N_FORMS]; /* those that have a geometry */
  size_t max_frame_size;               /* whatever the rate and the form */
  unsigned form;                       /* of the next frames */
  bool mixed;                          /* both forms are configured */
  unsigned area_planes;
  PacoAreas areas; /* of the next frames */

  /* Under the coder's lock. */
  PacoParameters parameters;
  bool rate_changed;
  /* Frames since the stream began, of those with a budget; a stream begins when
   * frames are configured or abandoned. And what the last ones have told. */
  uint64_t n_frames;
  guint generation; /* of the coder's, when it began */
  struct
  {
    uint64_t number; /* of the frame, plus 1 */
    PacoRateHistory history;
  } told[PACO_RATE_RING];
};

/* For encode(), of a frame with a budget: what it learns from an earlier one, which
 * may have to be waited for; and what later ones learn from it. */
PacoRateHistory paco_encoder_learn (
    PacoEncoder *encoder, const PacoEncoderJob *job);
void paco_encoder_tell (PacoEncoder *encoder, const PacoEncoderJob *job,
    const PacoRateHistory *history);

/* Chooses between the rates of a form that has two. */
void paco_encoder_choose (const PacoEncoderForm *form,
    const PacoBandSamples *samples, PacoEncoderJob *job);

/* paco_coder_init() for an encoder; paco_coder_start() comes next. */
void paco_encoder_init (PacoEncoder *encoder, const PacoEncoderClass *klass,
    const PacoBackendOptions *options);
