/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decodes frames of a file, several at a time, with libpaco (decoding.h). */
#include "decoding.h"
#include "tool/archive/memory.h"
#include "tool.h"
#include "codec/header.h"
#include <string.h>

/* --- stacks --- */

void
paco_slice_read (const PacoFrame *frame, PacoHeader *header)
{
  if (!paco_header_parse (frame->data, frame->size, header, NULL, NULL))
    header->video.slice = (PacoSlice){ 0 };
}

static bool
place_slice (
    PacoDecoded *frame, PacoInfo *told, PacoImage *image, GError **error)
{
  unsigned how = PACO_IMAGE_TWO_BYTES
      | (G_BYTE_ORDER == G_BIG_ENDIAN ? PACO_IMAGE_BIG_ENDIAN : 0);
  size_t bytes = 0;
  PacoError failure;

  told->depth[0] = PACO_SLICE_DEPTH;
  if (paco_image_init (image, told, 0, how, NULL, &bytes, &failure)
          == PACO_STATUS_OK
      && bytes > frame->capacity) {
    g_free (frame->samples);
    frame->samples = g_try_malloc (bytes);
    frame->capacity = frame->samples ? bytes : 0;
  }
  if (!frame->samples)
    return paco_tool_failed (
        error, "there is no memory for a slice of %zu bytes", bytes);
  if (!paco_tool_check (paco_image_init (image, told, 0, how, frame->samples,
                            &bytes, &failure),
          &failure, error))
    return false;
  told->depth[0] = frame->stack.slice.depth;
  return true;
}

static bool
is_sound (const PacoDecoded *frame)
{
  return !frame->error && frame->result.corrupted_blocks == 0;
}

/* Tells of each picture what is wrong with its stack. Returns whether anything can be
 * shown. */
static bool
judge (GQueue *frames)
{
  const PacoDecoded *first = g_queue_peek_head (frames);
  unsigned n_sound = 0, n_bad;

  if (first->stack.slice.levels == 0)
    return true;
  for (GList *at = frames->head; at; at = at->next)
    n_sound += is_sound (at->data);
  n_bad = first->stack.slice.length - n_sound;
  for (GList *at = frames->head; at; at = at->next) {
    PacoDecoded *frame = at->data;

    frame->n_bad = n_bad - !is_sound (frame);
    if (first->error && !frame->error)
      paco_tool_failed (&frame->error,
          "the first slice of its stack cannot be decoded: %s",
          first->error->message);
  }
  return !first->error;
}

static bool
finish_slices (GQueue *frames, GError **error)
{
  const PacoDecoded *first = g_queue_peek_head (frames);
  const PacoInfo *info = &first->pixels.info;
  uint16_t *slices[PACO_MAX_STACK] = { NULL };
  const PacoImage *images[PACO_MAX_STACK] = { NULL };
  PacoError failure;

  if (!judge (frames))
    return true;
  for (GList *at = frames->head; at; at = at->next) {
    PacoDecoded *frame = at->data;

    if (frame->error)
      continue;
    slices[frame->stack.slice.position] = frame->samples;
    images[frame->stack.slice.position] = &frame->pixels.image;
  }
  return paco_tool_check (
      paco_stack_pictures (first->input.frame.data, first->input.frame.size,
          slices, info->width, info->height, images, &failure),
      &failure, error);
}

/* Holds the frames between being read and being done, the oldest one first, slices
 * that are decoded and wait for the others of their stack, and frames that are used
 * again. */
typedef struct
{
  const PacoDecoding *decoding;
  GQueue waiting, collected, stack, unused; /* of PacoDecoded */
  uint64_t budget,
      bytes;         /* of memory: what there may be, and what frames take */
  PacoStacks stacks; /* what the last frame was that was read */
  PacoDecoded *next; /* that a seek has read; NULL: none */
  PacoInputResult next_result;
  bool lost; /* the GPU: it may still write into pixels */
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
  work->bytes -= frame->bytes;
  frame->bytes = 0;
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
    g_free (frame->samples);
    g_free (frame);
  }
}

/* Hands a frame on that is done, unless it is one beside the range. */
static bool
hand_on (Work *work, PacoDecoded *frame, GError **error)
{
  const PacoFrameRange *range = &work->decoding->range;
  uint64_t number = frame->input.frame.number;
  bool good = number < range->first || number > range->last
      || work->decoding->done (work->decoding->user, frame, error);

  give_back (work, frame);
  return good;
}

/* Makes pictures of the slices that wait, if there are any, and hands them on. */
static bool
end_stack (Work *work, GError **error)
{
  PacoDecoded *frame;
  bool good = g_queue_is_empty (&work->stack)
      || finish_slices (&work->stack, error);

  while (good && (frame = g_queue_pop_head (&work->stack)))
    good = hand_on (work, frame, error);
  return good;
}

/* A slice waits for the others; what is of no stack, or of none whose begin is there, is
 * handed on. */
static bool
finish (Work *work, PacoDecoded *frame, GError **error)
{
  const PacoSlice *slice = &frame->stack.slice;

  if (!frame->stack.goes_on && !end_stack (work, error)) {
    give_back (work, frame);
    return false;
  }
  if (frame->stack.has_first) {
    g_queue_push_tail (&work->stack, frame);
    return !paco_stacks_at_end (&frame->stack) || end_stack (work, error);
  }
  if (slice->length > 0 && !frame->error)
    paco_tool_failed (&frame->error,
        "it is slice %u of a stack of %u, of which those before are missing",
        slice->position, slice->length);
  return hand_on (work, frame, error);
}

static bool
collect_oldest (Work *work, GError **error)
{
  PacoDecoded *frame = g_queue_pop_head (&work->waiting);
  PacoError failure;

  if (!frame->error) {
    PacoStatus status = paco_frame_decoder_collect (
        work->decoding->decoder, &frame->result, &failure);

    paco_tool_check (status, &failure, &frame->error);
    if (status == PACO_STATUS_DEVICE || status == PACO_STATUS_NO_DEVICE
        || status == PACO_STATUS_MEMORY) {
      work->lost = status == PACO_STATUS_DEVICE;
      g_propagate_error (error, g_steal_pointer (&frame->error));
      give_back (work, frame);
      return false;
    }
  }
  g_queue_push_tail (&work->collected, frame);
  return true;
}

static bool
finish_collected (Work *work, GError **error)
{
  PacoDecoded *frame;

  while ((frame = g_queue_pop_head (&work->collected)))
    if (!finish (work, frame, error))
      return false;
  return true;
}

static bool
finish_oldest (Work *work, GError **error)
{
  return collect_oldest (work, error) && finish_collected (work, error);
}

/* Waits until there is memory for the frame. FALSE: either the frame's own error says that
 * there cannot be, or *error is that of an older one. */
static bool
make_room (Work *work, PacoDecoded *frame, GError **error)
{
  const PacoDecoding *decoding = work->decoding;
  size_t size = frame->input.frame.size;
  PacoFrameMemory memory;
  uint64_t bytes, left;

  /* What is wrong with a broken header is said by whoever reads it next. */
  if (!paco_frame_memory (frame->input.frame.data, size, &memory))
    return true;
  memory.samples >>= MIN (2 * decoding->reduce, 16);
  memory.coefficients >>= MIN (2 * decoding->reduce, 16);
  bytes = size + memory.samples;
  if (!paco_memory_allows (
          work->budget, bytes + memory.coefficients, size, &frame->error))
    return false;
  left = paco_memory_left (decoding->decoder, work->budget, &memory);
  while (work->bytes + bytes > left && !g_queue_is_empty (&work->waiting))
    if (!finish_oldest (work, error))
      return false;
  work->bytes += bytes;
  frame->bytes = bytes;
  return true;
}

/* Takes the memory of a frame that is done, if it is larger: of those that come and go one
 * after the other, one has memory. */
static void
take_memory (Work *work, PacoDecoded *frame)
{
  PacoDecoded *idle = g_queue_peek_head (&work->unused);
  PacoPixels pixels = frame->pixels;

  if (!idle || idle->pixels.capacity <= pixels.capacity)
    return;
  frame->pixels = idle->pixels;
  idle->pixels = pixels;
}

/* Lays a frame out: *image is where it is decoded to. If that fails, either the frame's
 * own error says why, or *error. */
static bool
lay_out (Work *work, PacoDecoded *frame, PacoImage *image, GError **error)
{
  const PacoDecoding *decoding = work->decoding;
  PacoInfo info = PACO_INFO_INIT, told;
  PacoError failure;

  if (!make_room (work, frame, error))
    return false;
  take_memory (work, frame);
  if (!paco_tool_check (paco_probe (frame->input.frame.data,
                            frame->input.frame.size, &info, NULL, &failure),
          &failure, &frame->error))
    return false;
  if (!paco_pixels_tell (
          &info, decoding->reduce, decoding->region, &told, error)
      || (frame->stack.slice.length > 0
          && !place_slice (frame, &told, image, error))
      || !paco_pixels_place (
          &frame->pixels, decoding->kind, decoding->format, &told, error))
    return false;
  if (frame->stack.slice.length == 0)
    *image = frame->pixels.image;
  return true;
}

/* Submits a frame that was read. Older ones may have to be done before that. */
static bool
submit (Work *work, PacoDecoded *frame, GError **error)
{
  const PacoDecoding *decoding = work->decoding;
  GError *refusal = NULL;
  PacoError failure;
  PacoStatus status;
  PacoImage image;

  if (!lay_out (work, frame, &image, &refusal)) {
    g_queue_push_tail (&work->waiting, frame);
    if (refusal)
      g_propagate_error (error, refusal);
    return !refusal;
  }
  while ((status = paco_frame_decoder_submit (decoding->decoder,
              frame->input.frame.data, frame->input.frame.size, &image, frame,
              &failure))
          == PACO_STATUS_BUSY
      && !g_queue_is_empty (&work->waiting)) {
    if (!collect_oldest (work, error)) {
      give_back (work, frame);
      return false;
    }
  }
  g_queue_push_tail (&work->waiting, frame);
  /* Older pictures are written while this one is decoded. */
  if (!finish_collected (work, error))
    return false;
  if (status == PACO_STATUS_CORRUPT || status == PACO_STATUS_NOT_PACO
      || status == PACO_STATUS_VERSION)
    return paco_tool_check (status, &failure, &frame->error) || true;
  return paco_tool_check (status, &failure, error);
}

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
finish_all (Work *work, GError **error)
{
  while (!g_queue_is_empty (&work->waiting))
    if (!finish_oldest (work, error))
      return false;
  return end_stack (work, error);
}

/* Says whether the frame is in the range, or of a stack of which a part is. */
static bool
is_needed (const Work *work, const PacoDecoded *frame)
{
  const PacoFrameRange *range = &work->decoding->range;
  const PacoSlice *slice = &frame->stack.slice;
  uint64_t number = frame->input.frame.number, begin = number, end = number;

  if (slice->length > 0) {
    begin -= MIN (begin, slice->position);
    end += slice->length - 1u - slice->position;
  }
  return end >= range->first && begin <= range->last;
}

/* Reads a frame. What comes with the end of the file is in it, too. */
static PacoDecoded *
read_frame (Work *work, PacoInputResult *result, GError **error)
{
  PacoDecoded *frame = take_unused (work);
  const PacoFrame *coded = &frame->input.frame;
  PacoHeader header;

  *result = paco_input_next (work->decoding->input, &frame->input, error);
  frame->stack = (PacoStacks){ 0 };
  frame->n_bad = 0;
  if (*result != PACO_INPUT_FRAME || !work->decoding->stacks)
    return frame;
  paco_slice_read (coded, &header);
  frame->stack.slice = header.video.slice;
  if (is_needed (work, frame)) {
    paco_stacks_frame (
        &work->stacks, &header, coded->skipped || coded->missing);
    frame->stack = work->stacks;
  }
  return frame;
}

/* Goes to the first frame of the range or, if that is a slice, of its stack. */
static bool
seek (Work *work, GError **error)
{
  const PacoDecoding *decoding = work->decoding;
  PacoInputResult result;
  PacoDecoded *frame;
  uint64_t begin;

  if (!paco_input_seek (decoding->input, decoding->range.first, error))
    return false;
  frame = read_frame (work, &result, error);
  begin = frame->input.frame.number;
  begin -= MIN (begin, frame->stack.slice.position);
  /* A pipe is read from its begin on. */
  if (result == PACO_INPUT_FRAME && begin < frame->input.frame.number
      && decoding->input->size > 0) {
    give_back (work, frame);
    return paco_input_seek (decoding->input, begin, error);
  }
  work->next = frame;
  work->next_result = result;
  return result != PACO_INPUT_ERROR;
}

static bool
run (Work *work, GError **error)
{
  const PacoDecoding *decoding = work->decoding;

  for (;;) {
    PacoInputResult result = work->next_result;
    PacoDecoded *frame = g_steal_pointer (&work->next);

    if (!frame)
      frame = read_frame (work, &result, error);
    if (result == PACO_INPUT_FRAME && is_needed (work, frame)) {
      if (!(decoding->decoder ? submit : hand_on) (work, frame, error))
        return false;
    } else if (result == PACO_INPUT_FRAME
        && frame->input.frame.number < decoding->range.first) {
      give_back (work, frame);
    } else {
      PacoInputFrame end = frame->input;

      memset (&frame->input, 0, sizeof frame->input);
      give_back (work, frame);
      if (result == PACO_INPUT_ERROR)
        return false;
      if (result == PACO_INPUT_END && finish_all (work, error))
        return tell_end (work, &end, error);
      paco_input_release (&end);
      return result == PACO_INPUT_FRAME && finish_all (work, error);
    }
  }
}

bool
paco_decoding_run (const PacoDecoding *decoding, GError **error)
{
  Work work = {
    .decoding = decoding,
    .budget = decoding->memory ? decoding->memory : PACO_MEMORY_DEFAULT,
  };
  PacoError failure;
  bool good = (!decoding->decoder
                  || paco_tool_check (paco_memory_share (decoding->decoder,
                                          work.budget, &failure),
                      &failure, error))
      && (decoding->range.first == 0 || seek (&work, error))
      && run (&work, error);

  /* Nothing may be in flight when its memory is freed. */
  while (decoding->decoder && !work.lost
      && paco_frame_decoder_collect (decoding->decoder, NULL, NULL)
          != PACO_STATUS_EMPTY)
    ;
  if (!work.lost) {
    clear_frames (&work, &work.waiting);
    clear_frames (&work, &work.collected);
    clear_frames (&work, &work.stack);
    if (work.next)
      give_back (&work, work.next);
    clear_frames (&work, &work.unused);
  }
  return good;
}
