/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Encoders turn pictures into codestreams. The plugin and libpaco call this, whatever
 * the backend is; coder.h has what encoders and decoders do alike. */
#pragma once
#include "areas.h"
#include "coder.h"
#include "header.h"
#include "parameters.h"

G_BEGIN_DECLS

typedef struct _PacoEncoder PacoEncoder;
typedef struct _PacoEncodedFrame PacoEncodedFrame;

/* A codestream in memory of the backend. data and size are valid until release() is
 * called; user_data is that of submit(). If the frame failed, error is set and data is
 * NULL. The flight is free once the frame has been collected: a frame may be kept for
 * any time, released by any thread, and outlive configure() and close(). */
struct _PacoEncodedFrame
{
  uint8_t *data;
  size_t size;
  /* Step of the finest diagonal subband of component 0, as its header has it
   * (paco_step_decode()); 0 with a reversible wavelet. */
  uint16_t step;
  void *user_data;
  GError *error;
  PacoFrameTimes times;
  void (*release) (PacoEncodedFrame *frame);
};

/* Configures the encoder for pictures of this format and layout. Nothing may be in
 * flight. */
gboolean paco_encoder_configure (PacoEncoder *encoder,
    const PacoPictureFormat *picture, const PacoSampleLayout *layout,
    const PacoParameters *parameters, GError **error);

/* The same for pictures of which each may be coded in one piece or as two fields, so
 * that a change between them waits for nothing. picture->fields says how the first ones
 * are coded. */
gboolean paco_encoder_configure_mixed (PacoEncoder *encoder,
    const PacoPictureFormat *picture, const PacoSampleLayout *layout,
    const PacoParameters *parameters, GError **error);

/* Says whether later frames are coded as two fields; allowed with frames in flight,
 * after paco_encoder_configure_mixed(). */
void paco_encoder_set_fields (PacoEncoder *encoder, gboolean fields);

/* Quality, frame_size and bitrate of later frames; allowed with frames in flight. A
 * budget that is too small makes paco_encoder_submit() fail. */
void paco_encoder_set_rate (PacoEncoder *encoder, double quality,
    uint32_t frame_size, uint64_t bitrate);

/* Sets the weight of later frames (PacoParameters.weight), which is at most that of
 * configure(). It is allowed with frames in flight. */
void paco_encoder_set_weight (PacoEncoder *encoder, double weight);

/* Sets the areas of later frames that count more (PacoParameters.area_weight), which
 * are copied. NULL or an empty list says that none do. The thread that submits calls
 * it. */
void paco_encoder_set_areas (PacoEncoder *encoder, const PacoAreas *areas);

/* Returns the coding that configure() has chosen for the next frames, with the steps
 * of the rate at that time. Frames that choose for themselves may have another
 * wavelet (policy_wavelet.h). NULL if nothing is configured. The thread that
 * configures calls it. */
const PacoCoding *paco_encoder_coding (PacoEncoder *encoder);

/* The largest size in bytes that a frame can have at any rate, without an attachment; 0
 * if nothing is configured. */
size_t paco_encoder_max_frame_size (PacoEncoder *encoder);

/* Returns how many bytes of ancillary chunks the next frame may have:
 * PACO_MAX_ANCILLARY_SIZE, or less if the budget is small; 0 if nothing is
 * configured. The thread that submits calls it. */
size_t paco_encoder_max_ancillary (PacoEncoder *encoder);

/* Waits for a free flight. video is copied, but the memory of video->ancillary and of
 * video->attachment is not: it must not change until the frame has been collected or
 * dropped. Error UNSUPPORTED if there are more ancillary chunks than
 * paco_encoder_max_ancillary() says, or if they and the attachment do not fit into the
 * budget. The thread that configures calls it. */
gboolean paco_encoder_submit (PacoEncoder *encoder, const PacoPicture *picture,
    const PacoVideoInfo *video, void *user_data, GError **error);

/* Waits for the oldest frame. NULL without an error when nothing is in flight,
 * and with error DEVICE when the coder is lost. */
PacoEncodedFrame *paco_encoder_collect (PacoEncoder *encoder, GError **error);

G_END_DECLS
