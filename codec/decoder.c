/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the decoders of all backends have in common (decoder.h, decoder_private.h):
 * headers become configurations, and frames become jobs of a coder. It calls coder.c,
 * conceal.c, and decode() of the backend. */
#include "decoder_private.h"
#include "crop.h"
#include "step_map.h"

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

const uint8_t *
paco_decoder_block (const PacoDecoderJob *job, const PacoBlockRecord *record)
{
  return (record->replaced ? job->repairs->bytes : paco_decoder_payload (job))
      + record->offset;
}

/* Parses what precedes the payload, code tables included: a frame that is refused must
 * not become the last frame, from which the next one is concealed. */
static gboolean
parse_index (PacoDecoder *decoder, unsigned flight, const PacoDecoderJob *job,
    GError **error)
{
  const PacoHeader *header = &job->frame.header;
  const PacoGeometry *geometry =
      decoder->coder.geometry[header->picture.fields];
  uint8_t *cells = decoder->flights[flight].cells;

  return paco_index_parse_frame (job->frame.data, header, geometry,
             decoder->flights[flight].records, error)
      && (!cells
          || paco_step_map_parse_frame (
              job->frame.data, header, geometry, cells, error))
      && paco_sample_maps_read (&decoder->flights[flight].maps, header,
          job->frame.data + header->header_size, error);
}

/* --- broken blocks --- */

/* In larger frames the offsets of repairs would not fit 32 bits, so nothing is
 * concealed. */
#define MAX_CONCEALED_FRAME (1u << 31)

/* Conceals broken blocks. Frames do this in their order, because each one is the last
 * frame of the next. */
static uint32_t
conceal (PacoDecoder *decoder, unsigned flight, const PacoDecoderJob *job,
    bool decodable)
{
  const PacoHeader *header = &job->frame.header;
  const PacoConcealFrame frame = {
    .geometry = decoder->coder.geometry[header->picture.fields],
    .coding = &header->coding,
    .carried_set = header->set,
    .payload = paco_decoder_payload (job),
    .records = decoder->flights[flight].records,
    .form = header->picture.fields,
    .reduce = decoder->reduce,
  };
  uint32_t n_replaced = 0;
  guint generation;

  decodable = decodable && header->frame_size <= MAX_CONCEALED_FRAME;
  if (decodable)
    paco_conceal_find_broken (&frame);
  if (!paco_coder_begin_in_order (&decoder->coder, flight, &generation))
    return 0;
  if (job->forget || generation != decoder->generation)
    paco_concealer_forget (decoder->concealer);
  decoder->generation = generation;
  if (decodable)
    n_replaced = paco_conceal (
        decoder->concealer, &frame, &decoder->flights[flight].repairs);
  paco_coder_end_in_order (&decoder->coder, flight);
  return n_replaced;
}

/* Leaves blocks out that do not show in the part of the picture that is wanted. Those
 * that are broken were concealed before, with what the whole picture has for them.
 * Returns how many concealed ones are left. */
static uint32_t
leave_out (
    const PacoDecoder *decoder, unsigned flight, const PacoDecoderJob *job)
{
  const PacoHeader *header = &job->frame.header;

  return paco_crop_leave_out (header,
      decoder->coder.geometry[header->picture.fields], decoder->reduce,
      &job->destination.crop, decoder->flights[flight].records);
}

void
paco_decoder_forget (PacoDecoder *decoder)
{
  decoder->forget = true;
}

/* --- frames as jobs of a coder --- */

static void
run (PacoCoder *coder, unsigned flight, void *data, void *result)
{
  PacoDecoder *decoder = (PacoDecoder *) coder;
  const PacoDecoderClass *klass = (const PacoDecoderClass *) coder->klass;
  PacoDecoderJob *job = data;
  PacoDecodedFrame *frame = result;
  bool decodable;

  /* The frame was copied, and so was the set that it carries. */
  if (job->frame.header.set)
    job->frame.header.set = &job->frame.carried_set;
  *frame = (PacoDecodedFrame){ NULL };
  job->begun = g_get_monotonic_time ();
  job->records = decoder->flights[flight].records;
  job->repairs = &decoder->flights[flight].repairs;
  job->cells = decoder->flights[flight].cells;
  decodable = (!klass->begin
                  || klass->begin (decoder, flight, job, &frame->error))
      && parse_index (decoder, flight, job, &frame->error);
  if (decoder->concealer)
    frame->concealed_blocks = conceal (decoder, flight, job, decodable);
  if (decodable && job->destination.crop.width > 0)
    frame->concealed_blocks = leave_out (decoder, flight, job);
  frame->corrupted_blocks = frame->concealed_blocks;
  if (decodable)
    klass->decode (decoder, flight, job, frame);
  else if (klass->drop)
    klass->drop (decoder, flight);
}

static void
discard (void *result)
{
  PacoDecodedFrame *frame = result;

  g_clear_error (&frame->error);
}

static void
clear_flights (PacoDecoder *decoder)
{
  for (unsigned i = 0; i < PACO_MAX_FLIGHTS; i++) {
    g_clear_pointer (&decoder->flights[i].records, g_free);
    g_clear_pointer (&decoder->flights[i].cells, g_free);
    paco_repairs_clear (&decoder->flights[i].repairs);
    paco_sample_maps_clear (&decoder->flights[i].maps);
  }
}

static void
clear (PacoCoder *coder)
{
  PacoDecoder *decoder = (PacoDecoder *) coder;

  clear_flights (decoder);
  paco_concealer_free (decoder->concealer);
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
    .clear = clear,
  };

  if (options->conceal)
    decoder->concealer = paco_concealer_new (klass->decode_block);
  decoder->max_pixels = options->max_pixels;
  paco_coder_init (&decoder->coder, &klass->coder, &kind, options);
}

/* --- configuration --- */

/* Allocates what the flights' threads need with any backend. */
static gboolean
prepare_flights (PacoDecoder *decoder, GError **error)
{
  const PacoCoder *coder = &decoder->coder;
  bool step_map = decoder->headers[decoder->form].coding.step_map;
  size_t n_blocks = 0, n_cells = 0;

  for (unsigned i = 0; i < PACO_N_FORMS; i++) {
    if (!coder->geometry[i])
      continue;
    n_blocks = MAX (n_blocks, coder->geometry[i]->n_blocks);
    n_cells = MAX (n_cells, paco_step_map_n_cells (coder->geometry[i]));
  }
  clear_flights (decoder);
  for (unsigned i = 0; i < coder->depth; i++) {
    decoder->flights[i].records = g_try_new (PacoBlockRecord, n_blocks);
    decoder->flights[i].cells = step_map ? g_try_malloc (n_cells) : NULL;
    if (!decoder->flights[i].records
        || (step_map && !decoder->flights[i].cells))
      return paco_fail (error, PACO_ERROR_MEMORY,
          "not enough memory for the index of a frame");
  }
  if (decoder->concealer)
    paco_concealer_forget (decoder->concealer);
  return TRUE;
}

static gboolean
prepare (PacoCoder *coder, const PacoSampleLayout *layout, GError **error)
{
  PacoDecoder *decoder = (PacoDecoder *) coder;
  const PacoHeader *header = &decoder->headers[decoder->form];
  const PacoHeader *other = &decoder->headers[!decoder->form];
  PacoGeometry *geometry;

  if (!paco_header_check_pixels (header, decoder->max_pixels, error))
    return FALSE;
  if (decoder->reduce > header->coding.levels)
    return paco_refuse (error,
        "reduce=%u, but the frame has only %u levels to leave out",
        decoder->reduce, header->coding.levels);
  if (!paco_layouts_check (&header->picture, layout, error))
    return FALSE;
  paco_coder_set_depth (coder, &header->picture);
  geometry = paco_geometry_new (&header->picture, &header->coding);
  coder->geometry[decoder->form] = geometry;
  /* A few bytes may claim a picture of gigabytes, but every block of it has a
   * byte in the index. */
  if (header->index_size < geometry->n_blocks)
    return paco_fail (error, PACO_ERROR_CORRUPT,
        "the frame's index of %u bytes is too small for %u codeblocks",
        header->index_size, geometry->n_blocks);
  if (paco_header_same_stream (header, other))
    coder->geometry[!decoder->form] = paco_geometry_new (
        &other->picture, &other->coding);
  return prepare_flights (decoder, error);
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

static gboolean
submit (PacoDecoder *decoder, const PacoCodedFrame *frame,
    const PacoPicture *destination, bool compares, void *user_data,
    GError **error)
{
  const PacoHeader *header = &frame->header;
  PacoDecoderJob job;
  bool is_slice;

  if (!paco_decoder_takes (decoder, header))
    return paco_refuse (error,
        "the frame is of another format than the decoder was set up for");
  if (compares && destination->crop.width > 0) {
    return paco_refuse (
        error, "a region is not compared; only whole pictures are");
  }
  if (!paco_coder_check_memory (&decoder->coder, destination, error)
      || !paco_picture_check (
          &header->picture, destination, decoder->reduce, error))
    return FALSE;
  job.destination = *destination;
  job.compares = compares;
  job.frame = *frame;
  is_slice = header->video.slice.length > 0;
  job.forget = decoder->forget || is_slice;
  if (!paco_coder_submit (&decoder->coder, &job, user_data, error))
    return FALSE;
  /* Neighbors in a stack are no pictures that stand for each other. */
  decoder->forget = is_slice;
  return TRUE;
}

gboolean
paco_decoder_submit (PacoDecoder *decoder, const PacoCodedFrame *frame,
    const PacoPicture *destination, void *user_data, GError **error)
{
  return submit (decoder, frame, destination, false, user_data, error);
}

gboolean
paco_decoder_submit_comparison (PacoDecoder *decoder,
    const PacoCodedFrame *frame, const PacoPicture *picture, void *user_data,
    GError **error)
{
  return submit (decoder, frame, picture, true, user_data, error);
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
