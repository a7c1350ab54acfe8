/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The base of the encoders of all backends, which settles the rate and checks what
 * comes in. A backend's own encoder begins with a PacoEncoder, and does the rest in the
 * functions of a PacoEncoderClass. */
#pragma once
#include "coder_private.h"
#include "encoder.h"
#include "policy_codes.h"
#include "policy_map.h"
#include "policy_wavelet.h"
#include "rate_control.h"

/* What follows from the rate (quality, frame size or bitrate). It is fixed for a frame
 * when the frame is submitted. */
typedef struct
{
  guint number; /* never 0; it changes when the rate does */
  PacoCoding coding;
  uint8_t dropped_planes[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS];
  /* What paco_policy_weight() says, with cut points and without a budget. */
  int16_t weight[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS];
  PacoActivity activity; /* with a step map and without a budget */
  /* How many bytes the whole frame may have, or 0 without a budget. With one, steps and
   * dropped planes are those of the form's tables. */
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

/* What frames of one form have in common. */
typedef struct
{
  PacoPictureFormat picture;
  PacoCoding coding; /* only what does not change with the rate */
  PacoCoding finest; /* the most bits that the rate can lead to */
  PacoRate rate;     /* under the coder's lock */
  /* With a budget the steps of lossy frames, and those of lossless ones if frames may
   * be lossless; else NULL. `lossless` is how the lossless ones are coded. */
  PacoRateTable *table, *lossless_table;
  PacoCoding lossless;
  PacoActivity activity; /* with a step map and a budget */
  /* Whether each frame chooses: between the rate and another one, which has a different
   * wavelet (policy_wavelet.h), the color transform of RGB (policy_fit.h) or its matrix
   * (policy_matrix.h), or the weights of that of a mosaic (policy_mosaic.h). Then neither
   * of the two rates changes. */
  bool chooses, has_other, fits_colors;
  PacoRate other;
  PacoCodeGroups code_groups; /* that may have code tables */
  size_t min_frame_size;      /* that a budget must have */
} PacoEncoderForm;

/* How many histories are kept: enough for those that frames in flight learn from. */
#define PACO_RATE_RING 64

typedef struct
{
  PacoCoderClass coder;
  /* Codes a frame in the flight's thread. If frames of the form choose their rate, it
   * calls paco_encoder_choose() first. It never returns NULL, and sets no user_data. */
  PacoEncodedFrame *(*encode) (
      PacoEncoder *encoder, unsigned flight, PacoEncoderJob *job);
} PacoEncoderClass;

struct _PacoEncoder
{
  PacoCoder coder;

  /* What is configured. */
  PacoEncoderForm forms[PACO_N_FORMS]; /* those that have a geometry */
  size_t max_frame_size;               /* whatever the rate and the form */
  unsigned form;                       /* of the next frames */
  bool mixed;                          /* both forms are configured */
  unsigned area_planes;
  PacoAreas areas; /* of the next frames */

  /* Under the coder's lock. */
  PacoParameters parameters;
  bool rate_changed;
  /* How many frames with a budget there were since the stream began, and the histories
   * of the last ones. A stream begins when frames are configured or abandoned. */
  uint64_t n_frames;
  guint generation; /* of the coder's, when it began */
  struct
  {
    uint64_t number; /* of the frame, plus 1 */
    PacoRateHistory history;
  } told[PACO_RATE_RING];
};

/* encode() calls these for a frame with a budget. The first one returns what the frame
 * learns from an earlier one, which may have to be waited for; the second one tells
 * what later frames learn from it. */
PacoRateHistory paco_encoder_learn (
    PacoEncoder *encoder, const PacoEncoderJob *job);
void paco_encoder_tell (PacoEncoder *encoder, const PacoEncoderJob *job,
    const PacoRateHistory *history);

/* Returns how the cells of a job's step map are found, if it has one. */
const PacoActivity *paco_encoder_activity (
    const PacoEncoder *encoder, const PacoEncoderJob *job);

/* Chooses what frames of the form choose, after the code tables, which are those of the
 * rate's coding and of samples->maps. *rate is that of the job. */
void paco_encoder_choose (const PacoEncoderForm *form,
    const PacoBandSamples *samples, PacoRate *rate);

/* The first one returns a number of what lossless RGB has chosen, which is not 0; the
 * second one chooses the same. */
gint paco_encoder_choice (const PacoEncoderForm *form, const PacoRate *rate);
void paco_encoder_take_choice (
    const PacoEncoderForm *form, gint choice, PacoRate *rate);

/* Calls paco_coder_init() for an encoder; paco_coder_start() comes next. */
void paco_encoder_init (PacoEncoder *encoder, const PacoEncoderClass *klass,
    const PacoBackendOptions *options);
