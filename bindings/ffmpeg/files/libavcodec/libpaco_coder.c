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

PacoFlight *
ff_libpaco_flight (PacoCoder *self, unsigned i)
{
  return &self->ring[(self->first + i) % PACO_MAX_FLIGHTS];
}

static void
clear (PacoFlight *flight)
{
  if (flight->packet)
    av_packet_unref (flight->packet);
  av_frame_unref (flight->frame);
}

/* Forgets all flights: a GPU that is lost may still use their memory. */
static void
forget (PacoCoder *self)
{
  memset (self->ring, 0, sizeof self->ring);
  self->n = 0;
  self->waiting = 0;
}

void
ff_libpaco_drop (PacoCoder *self)
{
  clear (ff_libpaco_flight (self, --self->n));
  self->waiting = 0;
}

int
ff_libpaco_fill (AVCodecContext *avctx, int (*take) (AVCodecContext *),
    int (*submit) (AVCodecContext *))
{
  PacoCoder *self = avctx->priv_data;

  for (;;) {
    int ret;

    if (!self->waiting) {
      ret = self->n < PACO_MAX_FLIGHTS ? take (avctx) : AVERROR_EOF;
      if (ret == AVERROR_EOF && self->n > 0)
        return 0;
      if (ret < 0)
        return ret;
      self->n++;
      self->waiting = 1;
    }
    ret = submit (avctx);
    if (ret == AVERROR (EAGAIN))
      return 0;
    if (ret < 0 || avctx->flags & AV_CODEC_FLAG_LOW_DELAY)
      return ret;
  }
}

int
ff_libpaco_submitted (
    AVCodecContext *avctx, PacoStatus status, const PacoError *error)
{
  PacoCoder *self = avctx->priv_data;

  if (status == PACO_STATUS_BUSY && self->n > 1)
    return AVERROR (EAGAIN);
  self->waiting = 0;
  if (status == PACO_STATUS_OK)
    return 0;
  if (status == PACO_STATUS_DEVICE)
    forget (self);
  else
    ff_libpaco_drop (self);
  return ff_libpaco_error (avctx, status, error);
}

int
ff_libpaco_collected (
    AVCodecContext *avctx, PacoStatus status, const PacoError *error)
{
  PacoCoder *self = avctx->priv_data;
  PacoFlight *flight = ff_libpaco_flight (self, 0);

  if (status == PACO_STATUS_DEVICE) {
    forget (self);
    return ff_libpaco_error (avctx, status, error);
  }
  self->first = (self->first + 1) % PACO_MAX_FLIGHTS;
  self->n--;
  if (status == PACO_STATUS_OK)
    return 0;
  clear (flight);
  return ff_libpaco_error (avctx, status, error);
}
