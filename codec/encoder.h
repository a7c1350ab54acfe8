/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Encoders: pictures in, codestreams out. For users of any backend's; coder.h
 * has what encoders and decoders do alike. */
#pragma once
#include "areas.h"
#include "coder.h"
#include "header.h"
#include "parameters.h"

G_BEGIN_DECLS

typedef struct _PacoEncoder PacoEncoder;
typedef struct _PacoEncodedFrame PacoEncodedFrame;

/* A codestream in memory of the backend. data and size stay valid until
 * release; user_data is that of submit(). error is set, and data NULL, when
 * this frame failed. Collecting frees the flight: a frame may be kept for any
 * time, released by any thread, and outlive configure() and close(). */
struct _PacoEncodedFrame
{
  uint8_t *data;
  size_t size;
  void *user_data;
  GError *error;
  PacoFrameTimes times;
  void (*release) (PacoEncodedFrame *frame);
};

/* Nothing may be in flight. */
gboolean paco_encoder_configure (PacoEncoder *encoder,
    const PacoPictureFormat *picture, const PacoSampleLayout *layout,
    const PacoParameters *parameters, GError **error);

/* The same for frames of which each may be coded in one piece or as two fields, so
 * that neither waits for the other; picture->fields holds for the first ones. */
gboolean paco_encoder_configure_mixed (PacoEncoder *encoder,
    const PacoPictureFormat *picture, const PacoSampleLayout *layout,
    const PacoParameters *parameters, GError **error);

/* Whether later frames are coded as two fields; allowed with frames in flight,
 * after paco_encoder_configure_mixed(). */
void paco_encoder_set_fields (PacoEncoder *encoder, gboolean fields);

/* Quality, frame_size and bitrate of later frames; allowed with frames in flight. A
 * budget that is too small makes paco_encoder_submit() fail. */
void paco_encoder_set_rate (PacoEncoder *encoder, double quality,
    uint32_t frame_size, uint64_t bitrate);

/* The areas of later frames that count more (PacoParameters.area_weight); NULL or none
 * of them: no frame has any. Copied. For the thread that submits. */
void paco_encoder_set_areas (PacoEncoder *encoder, const PacoAreas *areas);

/* What configure() has chosen, for the next frames; the steps are those of the
 * rate at that time. Frames that choose for themselves may have another wavelet
 * (policy_wavelet.h). NULL if nothing is configured. For the thread that
 * configures. */
const PacoCoding *paco_encoder_coding (PacoEncoder *encoder);

/* Of any frame of what is configured, at any rate; 0 if nothing is. */
size_t paco_encoder_max_frame_size (PacoEncoder *encoder);

/* Bytes of ancillary data that the next frame may have: PACO_MAX_ANCILLARY_SIZE, or
 * less if the budget is small; 0 if nothing is configured. For the thread that
 * submits. */
size_t paco_encoder_max_ancillary (PacoEncoder *encoder);

/* Waits for a free flight. video is copied, but for video->ancillary's memory, which
 * must stay as it is until the frame is collected or discarded. Error UNSUPPORTED if
 * there is more of it than paco_encoder_max_ancillary(). For the thread that
 * configures. */
gboolean paco_encoder_submit (PacoEncoder *encoder, const PacoPicture *picture,
    const PacoVideoInfo *video, void *user_data, GError **error);

/* Waits for the oldest frame. NULL without an error when nothing is in flight,
 * and with error DEVICE when the coder is lost. */
PacoEncodedFrame *paco_encoder_collect (PacoEncoder *encoder, GError **error);

G_END_DECLS
