/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The common part of decoders: headers become configurations, and frames jobs of
 * a coder. */
#include "decoder_private.h"
#include <zlib.h>

/* --- coded frames --- */

gboolean
paco_coded_frame_parse (
    PacoCodedFrame *frame, const uint8_t *data, size_t size, GError **error)
{
  frame->data = data;
  return paco_header_parse_frame (
      data, size, &frame->header, &frame->carried_set, error);
}

const uint8_t *
paco_decoder_payload (const PacoDecoderJob *job)
{
  const PacoHeader *header = &job->frame.header;

  return job->frame.data + header->header_size + header->index_size;
}

gboolean
paco_decoder_parse_index (const PacoDecoder *decoder, const PacoDecoderJob *job,
    PacoBlockRecord *records, GError **error)
{
  const PacoHeader *header = &job->frame.header;
  const uint8_t *index = job->frame.data + header->header_size;

  if (crc32 (0, index, header->index_size) != header->index_crc) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_CORRUPT,
        "the index of the frame is damaged");
    return FALSE;
  }
  return paco_index_parse (index, header->index_size - header->cut_points_size,
      decoder->coder.geometry[header->picture.fields],
      header->coding.block_checks,
      header->frame_size - header->header_size - header->index_size, records,
      error);
}

/* --- frames as jobs of a coder --- */

static void
run (PacoCoder *coder, unsigned flight, void *data, void *result)
{
  PacoDecoder *decoder = (PacoDecoder *) coder;
  const PacoDecoderClass *klass = (const PacoDecoderClass *) coder->klass;
  PacoDecoderJob *job = data;
  PacoDecodedFrame *frame = result;

  /* It was copied. */
  if (job->frame.header.set)
    job->frame.header.set = &job->frame.carried_set;
  *frame = (PacoDecodedFrame){ NULL };
  klass->decode (decoder, flight, job, frame);
}

static void
discard (void *result)
{
  PacoDecodedFrame *frame = result;

  g_clear_error (&frame->error);
}

void
paco_decoder_init (PacoDecoder *decoder, const PacoDecoderClass *klass,
    const PacoBackendOptions *options)
{
  static const PacoCoderKind kind = {
    .name = "decoder",
    .job_size = sizeof (PacoDecoderJob),
    .result_size = sizeof (PacoDecodedFrame),
    .run = run,
    .discard = discard,
  };

  decoder->max_pixels = options->max_pixels;
  paco_coder_init (&decoder->coder, &klass->coder, &kind, options);
}

/* --- configuration --- */

static gboolean
prepare (PacoCoder *coder, const PacoSampleLayout *layout, GError **error)
{
  PacoDecoder *decoder = (PacoDecoder *) coder;
  const PacoHeader *header = &decoder->headers[decoder->form];
  const PacoHeader *other = &decoder->headers[!decoder->form];
  PacoGeometry *geometry;

  if (!paco_header_check_pixels (header, decoder->max_pixels, error))
    return FALSE;
  if (decoder->reduce > header->coding.levels) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "reduce=%u, but the frame has only %u levels to leave out",
        decoder->reduce, header->coding.levels);
    return FALSE;
  }
  if (!paco_layouts_check (&header->picture, layout, error))
    return FALSE;
  paco_coder_set_depth (coder, &header->picture);
  geometry = paco_geometry_new (&header->picture, &header->coding);
  coder->geometry[decoder->form] = geometry;
  /* A few bytes may claim a picture of gigabytes, but every block of it has a
   * byte in the index. */
  if (header->index_size < geometry->n_blocks) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_CORRUPT,
        "the frame's index of %u bytes is too small for %u codeblocks",
        header->index_size, geometry->n_blocks);
    return FALSE;
  }
  if (paco_header_same_stream (header, other))
    coder->geometry[!decoder->form] = paco_geometry_new (
        &other->picture, &other->coding);
  return TRUE;
}

gboolean
paco_decoder_configure (PacoDecoder *decoder, const PacoHeader *header,
    const PacoSampleLayout *layout, unsigned reduce, GError **error)
{
  unsigned form = header->picture.fields;
  bool keep = decoder->coder.geometry[!form] && reduce == decoder->reduce;

  if (!paco_coder_unconfigure (&decoder->coder, error))
    return FALSE;
  if (!keep)
    decoder->headers[!form] = (PacoHeader){ 0 };
  decoder->headers[form] = *header;
  decoder->headers[form].set = NULL;
  decoder->headers[form].video.ancillary = (PacoAncillary){ NULL, 0 };
  decoder->form = form;
  decoder->reduce = reduce;
  return paco_coder_configure (&decoder->coder, prepare, layout, error);
}

gboolean
paco_decoder_takes (const PacoDecoder *decoder, const PacoHeader *header)
{
  unsigned form = header->picture.fields;

  return decoder->coder.configured && decoder->coder.geometry[form]
      && paco_header_same_configuration (&decoder->headers[form], header);
}

/* --- frames in and out --- */

gboolean
paco_decoder_submit (PacoDecoder *decoder, const PacoCodedFrame *frame,
    const PacoPicture *destination, void *user_data, GError **error)
{
  const PacoHeader *header = &frame->header;
  PacoDecoderJob job;

  if (!paco_decoder_takes (decoder, header)) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "the frame is of another format than the decoder was set up for");
    return FALSE;
  }
  if (!paco_coder_check_memory (&decoder->coder, destination, error)
      || !paco_picture_check (
          &header->picture, destination, decoder->reduce, error))
    return FALSE;
  job.destination = *destination;
  job.frame = *frame;
  return paco_coder_submit (&decoder->coder, &job, user_data, error);
}

gboolean
paco_decoder_collect (
    PacoDecoder *decoder, PacoDecodedFrame *frame, GError **error)
{
  PacoFrameTimes times;
  void *user_data;

  if (!paco_coder_collect (&decoder->coder, frame, &user_data, &times, error))
    return FALSE;
  frame->user_data = user_data;
  frame->times = times;
  return TRUE;
}
