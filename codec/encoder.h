/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the encoders of all backends have in common: checks of what comes in,
 * the rate, frames in flight. A backend's own encoder begins with a
 * PacoEncoder, and does the rest in the functions of a PacoEncoderClass. */
#pragma once
#include "backend.h"
#include "geometry.h"
#include "pipeline.h"
#include "stats.h"

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
} PacoEncoderJob;

typedef struct
{
  const char *backend;
  /* Gets ready for frames of what the PacoEncoder says; whatever is left of it
   * after an error, unconfigure() frees. */
  gboolean (*configure) (PacoEncoder *encoder, GError **error);
  /* May be called twice. */
  void (*unconfigure) (PacoEncoder *encoder);
  /* Codes a frame, in the slot's thread. Never NULL, and without user_data. */
  PacoEncodedFrame *(*encode) (
      PacoEncoder *encoder, unsigned slot, const PacoEncoderJob *job);
  /* Frees what open() has made, but not the encoder itself. */
  void (*close) (PacoEncoder *encoder);
} PacoEncoderClass;

struct _PacoEncoder
{
  const PacoEncoderClass *klass;
  unsigned depth; /* slots */
  PacoPipeline *pipeline;
  PacoStatsCounter stats;

  /* Of what is configured. */
  bool configured;
  PacoPictureFormat picture;
  PacoCoding coding; /* only what does not change with the rate */
  PacoCoding finest; /* the most bits that the rate can lead to */
  PacoGeometry *geometry;
  size_t max_frame_size; /* whatever the rate */

  GMutex lock; /* of what follows */
  PacoParameters parameters;
  PacoRate rate;
  bool rate_changed;
};

/* To open: init, then what the backend needs, then start. Whatever goes wrong,
 * paco_encoder_close() frees all of it. encoder has been cleared. */
void paco_encoder_init (PacoEncoder *encoder, const PacoEncoderClass *klass,
    const PacoBackendOptions *options);
gboolean paco_encoder_start (PacoEncoder *encoder, GError **error);

/* The rest of the table of a backend. */
gboolean paco_encoder_configure (PacoEncoder *encoder,
    const PacoPictureFormat *picture, const PacoSampleLayout *layout,
    const PacoParameters *parameters, GError **error);
void paco_encoder_set_rate (
    PacoEncoder *encoder, double quality, uint32_t frame_size);
gboolean paco_encoder_submit (PacoEncoder *encoder, const PacoPicture *picture,
    const PacoVideoInfo *video, void *user_data, GError **error);
PacoEncodedFrame *paco_encoder_collect (PacoEncoder *encoder);
void paco_encoder_abandon (PacoEncoder *encoder, void (*drop) (void *));
size_t paco_encoder_max_frame_size (PacoEncoder *encoder);
void paco_encoder_stats (PacoEncoder *encoder, PacoStats *stats);
void paco_encoder_close (PacoEncoder *encoder);

#define PACO_ENCODER_FUNCTIONS                                                 \
  .encoder_configure = paco_encoder_configure,                                 \
  .encoder_set_rate = paco_encoder_set_rate,                                   \
  .encoder_submit = paco_encoder_submit,                                       \
  .encoder_collect = paco_encoder_collect,                                     \
  .encoder_abandon = paco_encoder_abandon,                                     \
  .encoder_max_frame_size = paco_encoder_max_frame_size,                       \
  .encoder_stats = paco_encoder_stats, .encoder_close = paco_encoder_close
