/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the encoder of the CUDA backend is made of, for encoder.c, which codes frames, and
 * encoder_setup.c, which plans configurations and has the buffers. */
#pragma once
#include "codec/encoder_private.h"
#include "gpu/bands.h"
#include "gpu/cells.h"
#include "gpu/output.h"
#include "gpu/pack.h"
#include "gpu/rate.h"

/* The encoder on one of its devices. */
typedef struct
{
  PacoCudaShare share;
  PacoCudaOutputs *outputs;
  PacoCudaPlan plans[PACO_N_FORMS]; /* of those that are configured */
  /* Frames with a budget: plans of lossless ones, if any, and the steps of both
   * kinds. */
  PacoCudaPlan lossless_plans[PACO_N_FORMS];
  PacoCudaSteps steps[PACO_N_FORMS][2]; /* [lossless] */
} PacoCudaEncoderState;

typedef struct
{
  PacoCudaEncoderState *state;
  PacoCudaFrame frame;
  PacoSampleMaps maps; /* of the frame */
  PacoPackBuffers pack;
  PacoDeviceMemory code, records, packed;
  PacoCudaBudget budget;
  PacoCudaCells cells; /* of the step map, if frames have one */
  PacoCudaBands bands; /* by which a frame chooses */
  /* By which it chooses code tables, where it may have some; else NULL and empty. */
  PacoCodeChoice *choice;
  PacoDeviceMemory codes;
  PacoPinnedMemory host_codes;
  bool finds_codes; /* while the frame is coded */
  bool found;       /* The codes of some lines are on the host. */
  bool found_all;   /* The lines between are looked at with these. */
  bool
      has_gaps; /* Some lines seemed to have gaps, so that all were looked at. */
  size_t downloaded; /* of the frame, before its size was known */
  /* Of the blocks on the device. */
  struct
  {
    guint rate_number;
    bool lossless; /* with a budget */
    bool wide;     /* their coefficients may not fit 16 bits */
    PacoAreas areas;
  } forms[PACO_N_FORMS];
  /* The frame being coded. */
  gint guessed; /* The choice it took unseen and has not confirmed, or 0. */
  PacoRate rate_before; /* it guessed */
  bool wide;
  PacoCoding coding;
  const PacoCudaRate *rate;
} PacoCudaEncoderFlight;

/* What the codes of a frame are like. */
enum
{
  NO_GAPS,
  GAPS, /* but no code table pays */
  TABLES,
};

typedef struct
{
  PacoEncoder base;
  PacoCudaEncoderState states[PACO_MAX_DEVICES];
  PacoCudaEncoderFlight flights[PACO_MAX_FLIGHTS];
  gint gaps; /* of the last frame that might have code tables; atomic */
  /* What the last frame of a form chose whose picture was on a device, and how many before
   * it chose the same; atomic. */
  gint choice[PACO_N_FORMS], n_alike[PACO_N_FORMS];
} PacoCudaEncoder;

/* configure() and unconfigure() of its class. */
gboolean paco_cuda_encoder_configure (
    PacoCoder *base, unsigned number, GError **error);
void paco_cuda_encoder_unconfigure (PacoCoder *base, unsigned number);
