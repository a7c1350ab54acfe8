/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What FFmpeg's decoder and encoder "libpaco" do alike (libpaco.h): options, and frames in
 * flight. As many are in work at the same time as libpaco takes, on its own threads or on
 * GPUs: they are submitted until it takes no more, and then the oldest one is collected. */
#include "libpaco.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "libavutil/common.h"

#include "packet.h"

/* --- settings --- */

int
ff_libpaco_error (
    AVCodecContext *avctx, PacoStatus status, const PacoError *error)
{
  av_log (avctx, AV_LOG_ERROR, "%s\n", error->message);
  if (status == PACO_STATUS_NOT_PACO || status == PACO_STATUS_VERSION
      || status == PACO_STATUS_CORRUPT || status == PACO_STATUS_MORE)
    return AVERROR_INVALIDDATA;
  return status == PACO_STATUS_INVALID    ? AVERROR (EINVAL)
      : status == PACO_STATUS_UNSUPPORTED ? AVERROR_PATCHWELCOME
      : status == PACO_STATUS_MEMORY      ? AVERROR (ENOMEM)
                                          : AVERROR_EXTERNAL;
}

int
ff_libpaco_set (AVCodecContext *avctx, const char *name, const char *value)
{
  PacoCoder *self = avctx->priv_data;
  PacoError error;
  PacoStatus status = self->decoder
      ? paco_frame_decoder_set (self->decoder, name, value, &error)
      : paco_frame_encoder_set (self->encoder, name, value, &error);

  return status == PACO_STATUS_OK ? 0
                                  : ff_libpaco_error (avctx, status, &error);
}

int
ff_libpaco_set_number (AVCodecContext *avctx, const char *name, int64_t value)
{
  char text[24];

  snprintf (text, sizeof text, "%" PRId64, value);
  return ff_libpaco_set (avctx, name, text);
}

int
ff_libpaco_open (AVCodecContext *avctx)
{
  PacoCoder *self = avctx->priv_data;
  const AVOption *options = self->class->option;
  int ret;

  if (av_codec_is_decoder (avctx->codec))
    self->decoder = paco_frame_decoder_new ();
  else
    self->encoder = paco_frame_encoder_new ();
  if (!self->decoder && !self->encoder)
    return AVERROR (ENOMEM);
  ret = ff_libpaco_set_number (
      avctx, "threads", FFMAX (0, avctx->thread_count));
  for (int i = 0; ret >= 0 && options[i].name; i++)
    if (self->settings[i])
      ret = ff_libpaco_set (avctx, options[i].name, self->settings[i]);
  return ret;
}

int
ff_libpaco_close (AVCodecContext *avctx)
{
  PacoCoder *self = avctx->priv_data;

  paco_frame_decoder_free (self->decoder);
  paco_frame_encoder_free (self->encoder);
  for (unsigned i = 0; i < PACO_MAX_FLIGHTS; i++) {
    av_packet_free (&self->ring[i].packet);
    av_frame_free (&self->ring[i].frame);
  }
  return 0;
}

/* --- frames in flight --- */

static PacoFlight *
flight_at (PacoCoder *self, unsigned i)
{
  return &self->ring[(self->first + i) % PACO_MAX_FLIGHTS];
}

static void
clear (PacoFlight *flight)
{
  av_packet_unref (flight->packet);
  av_frame_unref (flight->frame);
}

static int
fail (AVCodecContext *avctx, PacoFlight *flight, PacoStatus status,
    const PacoError *error)
{
  PacoCoder *self = avctx->priv_data;

  if (status == PACO_STATUS_DEVICE) {
    /* A GPU that is lost may still use the memory of all flights. */
    memset (self->ring, 0, sizeof self->ring);
    self->n = 0;
    self->waiting = 0;
  } else {
    clear (flight);
  }
  return ff_libpaco_error (avctx, status, error);
}

/* Fills the flight after the last one. */
static int
take (AVCodecContext *avctx)
{
  PacoCoder *self = avctx->priv_data;
  PacoFlight *flight = flight_at (self, self->n);
  int ret;

  if (self->n == PACO_MAX_FLIGHTS)
    return AVERROR_EOF;
  if (!flight->packet)
    flight->packet = av_packet_alloc ();
  if (!flight->frame)
    flight->frame = av_frame_alloc ();
  if (!flight->packet || !flight->frame)
    return AVERROR (ENOMEM);
  ret = self->take (avctx, flight);
  if (ret < 0) {
    clear (flight);
    return ret;
  }
  self->n++;
  self->waiting = 1;
  return 0;
}

/* Takes and submits frames until the oldest one has to be collected. */
static int
fill (AVCodecContext *avctx)
{
  PacoCoder *self = avctx->priv_data;

  for (;;) {
    PacoFlight *flight;
    PacoError error;
    PacoStatus status;
    int ret = self->waiting ? 0 : take (avctx);

    if (ret == AVERROR_EOF && self->n > 0)
      return 0;
    if (ret < 0)
      return ret;
    flight = flight_at (self, self->n - 1);
    status = self->submit (avctx, flight, &error);
    if (status == PACO_STATUS_BUSY && self->n > 1)
      return 0;
    self->waiting = 0;
    if (status != PACO_STATUS_OK) {
      self->n--;
      return fail (avctx, flight, status, &error);
    }
    if (avctx->flags & AV_CODEC_FLAG_LOW_DELAY)
      return 0;
  }
}

static int
collect (AVCodecContext *avctx, PacoFlight **oldest)
{
  PacoCoder *self = avctx->priv_data;
  PacoFlight *flight = flight_at (self, 0);
  PacoError error;
  PacoStatus status = self->decoder
      ? paco_frame_decoder_collect (self->decoder, &self->result, &error)
      : paco_frame_encoder_collect (self->encoder, &self->coded, &error);

  self->first = (self->first + 1) % PACO_MAX_FLIGHTS;
  self->n--;
  *oldest = flight;
  return status == PACO_STATUS_OK ? 0 : fail (avctx, flight, status, &error);
}

int
ff_libpaco_receive (AVCodecContext *avctx, PacoFlight **flight)
{
  int ret = fill (avctx);

  return ret < 0 ? ret : collect (avctx, flight);
}

void
ff_libpaco_flush (AVCodecContext *avctx)
{
  PacoCoder *self = avctx->priv_data;
  PacoFlight *flight;

  if (self->waiting)
    clear (flight_at (self, --self->n));
  self->waiting = 0;
  while (self->n > 0)
    if (collect (avctx, &flight) >= 0)
      clear (flight);
}
