/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Frames in flight of FFmpeg's decoder and encoder "libpaco" (libpaco.h). As many are in
 * work at the same time as libpaco takes, on its own threads or on GPUs: they are
 * submitted until it takes no more, and then the oldest one is collected. */
#include "libpaco.h"

#include <string.h>

#include "packet.h"

PacoFlight *
ff_libpaco_flight (PacoFlights *flights, unsigned i)
{
  return &flights->ring[(flights->first + i) % PACO_MAX_FLIGHTS];
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
forget (PacoFlights *flights)
{
  memset (flights->ring, 0, sizeof flights->ring);
  flights->n = 0;
  flights->waiting = 0;
}

void
ff_libpaco_drop (PacoFlights *flights)
{
  clear (ff_libpaco_flight (flights, --flights->n));
  flights->waiting = 0;
}

int
ff_libpaco_fill (AVCodecContext *avctx, PacoFlights *flights,
    int (*take) (AVCodecContext *), int (*submit) (AVCodecContext *))
{
  for (;;) {
    int ret;

    if (!flights->waiting) {
      ret = flights->n < PACO_MAX_FLIGHTS ? take (avctx) : AVERROR_EOF;
      if (ret == AVERROR_EOF && flights->n > 0)
        return 0;
      if (ret < 0)
        return ret;
      flights->n++;
      flights->waiting = 1;
    }
    ret = submit (avctx);
    if (ret == AVERROR (EAGAIN))
      return 0;
    if (ret < 0 || avctx->flags & AV_CODEC_FLAG_LOW_DELAY)
      return ret;
  }
}

int
ff_libpaco_submitted (AVCodecContext *avctx, PacoFlights *flights,
    PacoStatus status, const PacoError *error)
{
  if (status == PACO_STATUS_BUSY && flights->n > 1)
    return AVERROR (EAGAIN);
  flights->waiting = 0;
  if (status == PACO_STATUS_OK)
    return 0;
  if (status == PACO_STATUS_DEVICE)
    forget (flights);
  else
    ff_libpaco_drop (flights);
  return ff_libpaco_error (avctx, status, error);
}

int
ff_libpaco_collected (AVCodecContext *avctx, PacoFlights *flights,
    PacoStatus status, const PacoError *error)
{
  PacoFlight *flight = ff_libpaco_flight (flights, 0);

  if (status == PACO_STATUS_DEVICE) {
    forget (flights);
    return ff_libpaco_error (avctx, status, error);
  }
  flights->first = (flights->first + 1) % PACO_MAX_FLIGHTS;
  flights->n--;
  if (status == PACO_STATUS_OK)
    return 0;
  clear (flight);
  return ff_libpaco_error (avctx, status, error);
}

void
ff_libpaco_free_flights (PacoFlights *flights)
{
  for (unsigned i = 0; i < PACO_MAX_FLIGHTS; i++) {
    av_packet_free (&flights->ring[i].packet);
    av_frame_free (&flights->ring[i].frame);
  }
}
