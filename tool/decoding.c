/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decodes frames of a file, several at a time, with libpaco (decoding.h). */
#include "decoding.h"
#include "tool.h"
#include <string.h>

/* Holds the frames between being read and being done, the oldest one first, and
 * those that are used again. */
typedef struct
{
  const PacoDecoding *decoding;
  GQueue waiting, unused; /* of PacoDecoded */
  bool lost;              /* the GPU: it may still write into pixels */
} Work;

static PacoDecoded *
take_unused (Work *work)
{
  PacoDecoded *frame = g_queue_pop_head (&work->unused);

  return frame ? frame : g_new0 (PacoDecoded, 1);
}

static void
give_back (Work *work, PacoDecoded *frame)
{
  paco_input_release (&frame->input);
  g_clear_error (&frame->error);
  memset (&frame->input, 0, sizeof frame->input);
  g_queue_push_head (&work->unused, frame);
}

static void
clear_frames (Work *work, GQueue *frames)
{
  PacoDecoded *frame;

  while ((frame = g_queue_pop_head (frames))) {
    paco_input_release (&frame->input);
    g_clear_error (&frame->error);
    paco_pixels_clear (&frame->pixels);
    g_free (frame);
  }
}

/* Waits for the oldest frame and hands it on. */
static bool
finish_oldest (Work *work, GError **error)
{
  PacoDecoded *frame = g_queue_pop_head (&work->waiting);
  PacoError failure;
  bool good = true;

  if (!frame->error) {
    PacoStatus status = paco_frame_decoder_collect (
        work->decoding->decoder, &frame->result, &failure);

    paco_tool_check (status, &failure, &frame->error);
    if (status == PACO_STATUS_DEVICE || status == PACO_STATUS_NO_DEVICE
        || status == PACO_STATUS_MEMORY) {
      work->lost = status == PACO_STATUS_DEVICE;
      g_propagate_error (error, g_steal_pointer (&frame->error));
      good = false;
    }
  }
  if (good)
    good = work->decoding->done (work->decoding->user, frame, error);
  give_back (work, frame);
  return good;
}

/* Lays a frame out. If that fails, either the frame's own error says why, or
 * *error. */
static bool
lay_out (Work *work, PacoDecoded *frame, GError **error)
{
  const PacoDecoding *decoding = work->decoding;
  PacoInfo info = PACO_INFO_INIT, told;
  PacoError failure;

  if (!paco_tool_check (paco_probe (frame->input.frame.data,
                            frame->input.frame.size, &info, NULL, &failure),
          &failure, &frame->error))
    return false;
  return paco_pixels_tell (
             &info, decoding->reduce, decoding->region, &told, error)
      && paco_pixels_place (
          &frame->pixels, decoding->kind, decoding->format, &told, error);
}

/* Submits a frame that was read. Older ones may have to be done before that. */
static bool
submit (Work *work, PacoDecoded *frame, GError **error)
{
  const PacoDecoding *decoding = work->decoding;
  GError *refusal = NULL;
  PacoError failure;
  PacoStatus status;

  if (!lay_out (work, frame, &refusal)) {
    g_queue_push_tail (&work->waiting, frame);
    if (refusal)
      g_propagate_error (error, refusal);
    return !refusal;
  }
  while ((status = paco_frame_decoder_submit (decoding->decoder,
              frame->input.frame.data, frame->input.frame.size,
              &frame->pixels.image, frame, &failure))
          == PACO_STATUS_BUSY
      && !g_queue_is_empty (&work->waiting)) {
    if (!finish_oldest (work, error)) {
      give_back (work, frame);
      return false;
    }
  }
  g_queue_push_tail (&work->waiting, frame);
  if (status == PACO_STATUS_CORRUPT || status == PACO_STATUS_NOT_PACO
      || status == PACO_STATUS_VERSION)
    return paco_tool_check (status, &failure, &frame->error) || true;
  return paco_tool_check (status, &failure, error);
}

/* Reports what was damaged behind the last frame. */
static bool
tell_end (Work *work, const PacoInputFrame *end, GError **error)
{
  PacoDecoded *frame = take_unused (work);
  bool good;

  frame->input = *end;
  good = work->decoding->done (work->decoding->user, frame, error);
  give_back (work, frame);
  return good;
}

static bool
run (Work *work, GError **error)
{
  const PacoDecoding *decoding = work->decoding;

  for (;;) {
    PacoInputFrame input;
    PacoInputResult result = paco_input_next (decoding->input, &input, error);
    PacoDecoded *frame;

    if (result == PACO_INPUT_ERROR)
      return false;
    if (result == PACO_INPUT_END || input.frame.number > decoding->range.last) {
      while (!g_queue_is_empty (&work->waiting))
        if (!finish_oldest (work, error)) {
          paco_input_release (&input);
          return false;
        }
      if (result == PACO_INPUT_END)
        return tell_end (work, &input, error);
      paco_input_release (&input);
      return true;
    }
    if (input.frame.number < decoding->range.first) {
      paco_input_release (&input);
      continue;
    }
    frame = take_unused (work);
    frame->input = input;
    if (!submit (work, frame, error))
      return false;
  }
}

bool
paco_decoding_run (const PacoDecoding *decoding, GError **error)
{
  Work work = { .decoding = decoding };
  bool good = decoding->range.first == 0
      || paco_input_seek (decoding->input, decoding->range.first, error);

  if (good)
    good = run (&work, error);
  /* Nothing may be in flight when its memory is freed. */
  while (!work.lost
      && paco_frame_decoder_collect (decoding->decoder, NULL, NULL)
          != PACO_STATUS_EMPTY)
    ;
  if (!work.lost) {
    clear_frames (&work, &work.waiting);
    clear_frames (&work, &work.unused);
  }
  return good;
}
