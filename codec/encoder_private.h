/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The base of the encoders of all backends: the rate, and checks of what comes
 * in. A backend's own encoder begins with a PacoEncoder, and does the rest in
 * the functions of a PacoEncoderClass. */
#pragma once
#include "coder_private.h"
#include "encoder.h"

/* What follows from the rate: fixed for a frame when it is submitted. */
typedef struct
{
  guint number; /* another one, but never 0, when the rate has changed */
  PacoCoding coding;
  uint8_t dropped_planes[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS];
} PacoRate;

typedef struct
{
  PacoPicture picture;
  PacoVideoInfo video;
  PacoRate rate;
  unsigned form;
} PacoEncoderJob;

/* Of frames of one form. */
typedef struct
{
  PacoPictureFormat picture;
  PacoCoding coding; /* only what does not change with the rate */
  PacoCoding finest; /* the most bits that the rate can lead to */
  PacoRate rate;     /* under the coder's lock */
} PacoEncoderForm;

typedef struct
{
  PacoCoderClass coder;
  /* Codes a frame, in the flight's thread. Never NULL, and without user_data. */
  PacoEncodedFrame *(*encode) (
      PacoEncoder *encoder, unsigned flight, const PacoEncoderJob *job);
} PacoEncoderClass;

struct _PacoEncoder
{
  PacoCoder coder;

  /* Of what is configured. */
  PacoEncoderForm forms[PACO_N_FORMS]; /* those that have a geometry */
  size_t max_frame_size;               /* whatever the rate and the form */
  unsigned form;                       /* of the next frames */
  bool mixed;                          /* both forms are configured */

  /* Under the coder's lock. */
  PacoParameters parameters;
  bool rate_changed;
};

/* paco_coder_init() for an encoder; paco_coder_start() comes next. */
void paco_encoder_init (PacoEncoder *encoder, const PacoEncoderClass *klass,
    const PacoBackendOptions *options);
