/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Calls of coders that must succeed, for tests: an error ends the test with its message.
 * Coders, pictures and what else a test makes go away with the variable that is declared
 * by g_autoptr() or g_auto(). */
#pragma once
#include "codec/backend.h"
#include "codec/geometry.h"

static inline void
must_close_encoder (PacoEncoder *encoder)
{
  paco_coder_close (PACO_CODER (encoder));
}

static inline void
must_close_decoder (PacoDecoder *decoder)
{
  paco_coder_close (PACO_CODER (decoder));
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PacoEncoder, must_close_encoder)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PacoDecoder, must_close_decoder)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PacoGeometry, paco_geometry_free)

static inline PacoEncoder *
must_open_encoder (
    const PacoBackend *backend, const PacoBackendOptions *options)
{
  GError *error = NULL;
  PacoEncoder *encoder = backend->encoder_open (options, &error);

  g_assert_no_error (error);
  g_assert_nonnull (encoder);
  return encoder;
}

static inline PacoDecoder *
must_open_decoder (
    const PacoBackend *backend, const PacoBackendOptions *options)
{
  GError *error = NULL;
  PacoDecoder *decoder = backend->decoder_open (options, &error);

  g_assert_no_error (error);
  g_assert_nonnull (decoder);
  return decoder;
}

static inline void
must_configure (PacoEncoder *encoder, const PacoPictureFormat *format,
    const PacoSampleLayout *layout, const PacoParameters *parameters)
{
  GError *error = NULL;
  bool done = paco_encoder_configure (
      encoder, format, layout, parameters, &error);

  g_assert_no_error (error);
  g_assert_true (done);
}

static inline void
must_submit (PacoEncoder *encoder, const PacoPicture *picture,
    const PacoVideoInfo *video, void *user_data)
{
  GError *error = NULL;
  bool done = paco_encoder_submit (encoder, picture, video, user_data, &error);

  g_assert_no_error (error);
  g_assert_true (done);
}

static inline PacoEncodedFrame *
must_collect (PacoEncoder *encoder)
{
  PacoEncodedFrame *frame = paco_encoder_collect (encoder, NULL);

  g_assert_nonnull (frame);
  g_assert_no_error (frame->error);
  return frame;
}

static inline void
must_parse (PacoCodedFrame *coded, const uint8_t *data, size_t size)
{
  GError *error = NULL;
  bool done = paco_coded_frame_parse (coded, data, size, &error);

  g_assert_no_error (error);
  g_assert_true (done);
}

static inline void
must_configure_decoder (PacoDecoder *decoder, const PacoHeader *header,
    const PacoSampleLayout *layout, unsigned reduce)
{
  GError *error = NULL;
  bool done = paco_decoder_configure (decoder, header, layout, reduce, &error);

  g_assert_no_error (error);
  g_assert_true (done);
}

static inline void
must_submit_frame (PacoDecoder *decoder, const PacoCodedFrame *coded,
    const PacoPicture *picture, void *user_data)
{
  GError *error = NULL;
  bool done = paco_decoder_submit (decoder, coded, picture, user_data, &error);

  g_assert_no_error (error);
  g_assert_true (done);
}

static inline PacoDecodedFrame
must_collect_picture (PacoDecoder *decoder)
{
  PacoDecodedFrame frame = { NULL };

  g_assert_true (paco_decoder_collect (decoder, &frame, NULL));
  g_assert_no_error (frame.error);
  return frame;
}
