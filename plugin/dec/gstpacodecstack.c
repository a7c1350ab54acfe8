/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Stacks in pacodec. Coded slices wait until all of their stack are there. Then the
 * streaming thread has the coder decode them, undoes the wavelet along the stack
 * (gstpacostack.h) and finishes the pictures. A slice that is missing, unless it is
 * the first one, counts as zero: the pictures of the other slices are shown as
 * corrupted ones. */
#include "caps/videocaps.h"
#include "gstpacodecprivate.h"

GST_DEBUG_CATEGORY_EXTERN (gst_paco_debug);
#define GST_CAT_DEFAULT gst_paco_debug

#define NO_FIRST_SLICE "the first slice of its stack is missing or damaged"
#define NO_SLICE "its slice is damaged"

/* Says whether the frame's picture is in the segment and so will be shown. Frames
 * outside of it may belong to a stack that is not complete, and that is no damage:
 * pacoparse does not know where the stacks at the ends of a segment begin and end. */
static gboolean
is_in_segment (GstPacoDec *self, const GstVideoCodecFrame *frame)
{
  return !GST_CLOCK_TIME_IS_VALID (frame->pts)
      || gst_segment_clip (&GST_VIDEO_DECODER (self)->input_segment,
          GST_FORMAT_TIME, frame->pts,
          GST_CLOCK_TIME_IS_VALID (frame->duration)
              ? frame->pts + frame->duration
              : GST_CLOCK_TIME_NONE,
          NULL, NULL);
}

/* Says whether each slice is a picture by itself. */
static gboolean
has_no_wavelet (const GstPacoStack *stack)
{
  return stack->plan.levels == 0;
}

/* --- decoding --- */

/* Hands slice i to the coder. If it cannot be decoded, its member gets the error. */
static GstFlowReturn
submit_slice (GstPacoDec *self, guint i)
{
  GstPacoStack *stack = &self->stack;
  GstPacoMember *member = &stack->members[i];
  GstFlowReturn flow = gst_paco_coder_wait_for_flight (&self->coder);
  GstPacoFrame *frame;
  PacoCodedFrame coded;
  PacoPicture picture;

  if (flow != GST_FLOW_OK)
    return flow;
  frame = gst_paco_pipe_next (self->coder.pipe);
  frame->frame = gst_video_codec_frame_ref (member->frame);
  frame->begun = g_get_monotonic_time ();
  if (gst_paco_dec_read (self, frame, &coded, &member->error)) {
    member->ancillary_size = coded.header.video.ancillary.size;
    member->ancillary_offset = coded.header.video.ancillary.data - coded.data;
    gst_paco_stack_picture (stack, i, frame, &picture);
    frame->member = member;
    gst_paco_pipe_give (frame);
    if (paco_decoder_submit (
            self->coder.decoder, &coded, &picture, frame, &member->error))
      return gst_paco_coder_submitted (&self->coder);
    gst_paco_pipe_take_back (frame);
  }
  gst_paco_frame_unmap (frame);
  g_clear_pointer (&frame->frame, gst_video_codec_frame_unref);
  return GST_FLOW_OK;
}

/* Configures the decoder and reserves memory. The first member gets the error. */
static GstFlowReturn
prepare (GstPacoDec *self)
{
  GstPacoStack *stack = &self->stack;
  GstPacoMember *member = &stack->members[0];
  const GstVideoInfo *info = &self->output.info;
  GstFlowReturn flow = gst_paco_dec_configure_for (
      self, member->frame, &stack->header, &member->error);

  if (flow == GST_FLOW_OK && member->error == NULL)
    gst_paco_stack_reserve (stack, stack->plan.length, (guint) info->width,
        (guint) info->height, 0, &member->error);
  return flow;
}

/* Each slice that is there is decoded, or has an error, when this returns. */
static GstFlowReturn
decode_slices (GstPacoDec *self)
{
  GstPacoStack *stack = &self->stack;
  GstFlowReturn flow;
  gboolean ready;

  gst_paco_pipe_wait_done (self->coder.pipe);
  flow = prepare (self);
  /* Asked here: the pipe's thread writes errors as soon as a slice is submitted. */
  ready = flow == GST_FLOW_OK && stack->members[0].error == NULL;
  for (guint i = 0; ready && flow == GST_FLOW_OK && i < stack->plan.length; i++)
    if (stack->members[i].frame != NULL)
      flow = submit_slice (self, i);
  gst_paco_pipe_wait_done (self->coder.pipe);
  return flow;
}

void
gst_paco_dec_stack_decoded (
    GstPacoDec *self, GstPacoFrame *frame, PacoDecodedFrame *decoded)
{
  GstPacoMember *member = frame->member;

  member->decoded = decoded->error == NULL;
  member->error = g_steal_pointer (&decoded->error);
  member->broken_blocks = decoded->corrupted_blocks;
  member->concealed_blocks = decoded->concealed_blocks;
  if (member->decoded)
    gst_paco_coder_finished (
        &self->coder, frame, &decoded->times, frame->coded.size, 0);
  gst_video_codec_frame_unref (gst_paco_frame_take (frame));
  gst_paco_pipe_done (self->coder.pipe, GST_FLOW_OK);
}

/* --- pictures --- */

static gboolean
is_sound (const GstPacoMember *member)
{
  return member->decoded && member->broken_blocks == 0
      && !GST_BUFFER_FLAG_IS_SET (
          member->frame->input_buffer, GST_BUFFER_FLAG_CORRUPTED);
}

/* Returns how many slices are missing or damaged. */
static guint
invert (GstPacoDec *self)
{
  GstPacoStack *stack = &self->stack;
  guint n_bad = 0;

  for (guint i = 0; i < stack->plan.length; i++) {
    if (!stack->members[i].decoded)
      gst_paco_stack_blank (stack, i);
    n_bad += !is_sound (&stack->members[i]);
  }
  paco_stack_inverse (
      &stack->plan, stack->slices, (gsize) stack->width * stack->height);
  return n_bad;
}

/* With a wavelet all pictures need the first slice, else each needs its own. */
static gboolean
is_decodable (const GstPacoStack *stack, guint i)
{
  return stack->members[has_no_wavelet (stack) ? i : 0].decoded;
}

static void
restore_metas (
    GstPacoDec *self, const GstPacoMember *member, GstVideoCodecFrame *frame)
{
  PacoAncillary ancillary = { .size = member->ancillary_size };
  GstMapInfo map;

  if (!gst_buffer_map (frame->input_buffer, &map, GST_MAP_READ))
    return;
  ancillary.data = map.data + member->ancillary_offset;
  gst_paco_meta_restore (&ancillary, self->output.reduce, frame->output_buffer,
      &self->names, GST_ELEMENT (self));
  gst_buffer_unmap (frame->input_buffer, &map);
}

/* Returns GST_FLOW_OK with *error set where that fails for this picture. */
static GstFlowReturn
store (GstPacoDec *self, guint i, GstVideoCodecFrame *frame, GError **error)
{
  GstFlowReturn flow = gst_video_decoder_allocate_output_frame (
      GST_VIDEO_DECODER (self), frame);
  GstVideoFrame picture;

  if (flow == GST_FLOW_ERROR) {
    g_set_error_literal (
        error, PACO_ERROR, PACO_ERROR_MEMORY, GST_PACO_DEC_NO_BUFFER);
    return GST_FLOW_OK;
  }
  if (flow != GST_FLOW_OK)
    return flow;
  restore_metas (self, &self->stack.members[i], frame);
  if (!gst_video_frame_map (
          &picture, &self->output.info, frame->output_buffer, GST_MAP_WRITE)) {
    g_set_error_literal (
        error, PACO_ERROR, PACO_ERROR_MEMORY, GST_PACO_DEC_NO_ROOM);
    return GST_FLOW_OK;
  }
  if (paco_frame_fits (&self->output.raw, &self->output.info, &picture)) {
    gst_paco_output_clear (&picture);
    gst_paco_stack_store (&self->stack, i, &picture);
    gst_paco_output_written (frame->output_buffer);
  } else {
    g_set_error_literal (
        error, PACO_ERROR, PACO_ERROR_MEMORY, GST_PACO_DEC_NO_ROOM);
  }
  gst_video_frame_unmap (&picture);
  return GST_FLOW_OK;
}

/* n_bad: how many slices of the stack are missing or damaged. */
static void
flag (GstPacoDec *self, guint i, GstVideoCodecFrame *frame, guint n_bad)
{
  const GstPacoMember *member = &self->stack.members[i];

  if (has_no_wavelet (&self->stack))
    n_bad = member->broken_blocks > 0;
  if (n_bad > 0 && member->broken_blocks == 0)
    gst_paco_damage_shared (
        &self->damage, frame, n_bad, self->stack.plan.length);
  else
    gst_paco_damage_decoded (
        &self->damage, frame, member->broken_blocks, member->concealed_blocks);
  gst_paco_damage_flag (frame, n_bad > 0);
}

/* Pushes picture i, or reports why it cannot be shown. Takes its frame. */
static GstFlowReturn
finish (GstPacoDec *self, guint i, GstVideoCodecFrame *frame, guint n_bad)
{
  GstVideoDecoder *decoder = GST_VIDEO_DECODER (self);
  g_autoptr (GError) error = g_steal_pointer (&self->stack.members[i].error);
  gboolean decodable = is_decodable (&self->stack, i);
  GstFlowReturn flow = GST_FLOW_OK;

  if (!decodable && error == NULL)
    g_set_error_literal (&error, PACO_ERROR, PACO_ERROR_CORRUPT,
        has_no_wavelet (&self->stack) ? NO_SLICE : NO_FIRST_SLICE);
  GST_VIDEO_DECODER_STREAM_LOCK (decoder);
  if (gst_paco_pipe_is_dropping (self->coder.pipe)) {
    gst_video_decoder_release_frame (decoder, frame);
    frame = NULL;
  } else if (decodable) {
    g_clear_error (&error);
    flow = store (self, i, frame, &error);
  }
  if (frame != NULL && flow != GST_FLOW_OK) {
    gst_video_decoder_release_frame (decoder, frame);
  } else if (frame != NULL && error != NULL) {
    flow = gst_paco_dec_fail_frame (self, frame, error);
  } else if (frame != NULL) {
    gst_paco_input_decoded (&self->input);
    flag (self, i, frame, n_bad);
    flow = gst_video_decoder_finish_frame (decoder, frame);
  }
  GST_VIDEO_DECODER_STREAM_UNLOCK (decoder);
  return flow;
}

static void
release (GstPacoDec *self)
{
  for (guint i = 0; i < PACO_MAX_STACK; i++) {
    GstVideoCodecFrame *frame = g_steal_pointer (&self->stack.members[i].frame);

    if (frame != NULL)
      gst_video_decoder_release_frame (GST_VIDEO_DECODER (self), frame);
  }
  gst_paco_stack_begin (&self->stack);
}

static gboolean
is_shown (GstPacoDec *self)
{
  for (guint i = 0; i < self->stack.plan.length; i++)
    if (self->stack.members[i].in_segment)
      return TRUE;
  return FALSE;
}

static gboolean
is_late (GstPacoDec *self)
{
  for (guint i = 0; i < self->stack.plan.length; i++)
    if (self->stack.members[i].frame != NULL
        && !gst_paco_dec_is_late (self, self->stack.members[i].frame))
      return FALSE;
  return TRUE;
}

static GstFlowReturn
drop_all (GstPacoDec *self)
{
  GstFlowReturn flow = GST_FLOW_OK;

  gst_paco_pipe_wait_done (self->coder.pipe);
  for (guint i = 0; flow == GST_FLOW_OK && i < self->stack.plan.length; i++)
    if (self->stack.members[i].frame != NULL)
      flow = gst_video_decoder_drop_frame (GST_VIDEO_DECODER (self),
          g_steal_pointer (&self->stack.members[i].frame));
  release (self);
  return flow;
}

/* Says whether the first slice of a stack is there alone, because only key units were
 * asked for. With a wavelet it shows a mean of the stack's pictures, and none of
 * them. */
static gboolean
is_key_unit_alone (const GstPacoStack *stack)
{
  return stack->members[0].key_units_only && stack->n < stack->plan.length
      && !has_no_wavelet (stack);
}

static GstFlowReturn
drop_key_unit (GstPacoDec *self)
{
  gst_paco_damage_key_unit (
      &self->damage, self->stack.members[0].frame, self->stack.plan.length);
  return drop_all (self);
}

/* Leaves a stack out of which no picture is in the segment. Where only key units come,
 * nothing else may: the base class takes it for an error that no frame was finished or
 * dropped. */
static GstFlowReturn
leave_out (GstPacoDec *self)
{
  if (self->stack.members[0].key_units_only)
    return drop_all (self);
  /* The base class pushes earlier events now, which the frames before precede. */
  gst_paco_pipe_wait_done (self->coder.pipe);
  release (self);
  return GST_FLOW_OK;
}

static GstFlowReturn
decode_stack (GstPacoDec *self)
{
  GstPacoStack *stack = &self->stack;
  GstFlowReturn flow;
  guint n_bad = 0;

  if (is_key_unit_alone (stack))
    return drop_key_unit (self);
  if (!is_shown (self))
    return leave_out (self);
  if (is_late (self)) {
    GST_LOG_OBJECT (
        self, "stack %u is late already: dropped", stack->plan.number);
    return drop_all (self);
  }
  flow = decode_slices (self);
  if (flow == GST_FLOW_OK && !has_no_wavelet (stack)
      && stack->members[0].decoded)
    n_bad = invert (self);
  for (guint i = 0; flow == GST_FLOW_OK && i < stack->plan.length; i++)
    if (stack->members[i].frame != NULL)
      flow = finish (
          self, i, g_steal_pointer (&stack->members[i].frame), n_bad);
  release (self);
  return flow;
}

/* --- slices that come --- */

/* Downstream has to know how long pictures wait for the others of their stack. An error
 * comes again when the stack is decoded. */
static GstFlowReturn
get_ready_early (
    GstPacoDec *self, GstVideoCodecFrame *frame, const PacoHeader *header)
{
  g_autoptr (GError) error = NULL;

  return gst_paco_dec_configure_for (self, frame, header, &error);
}

/* Drops a slice whose stack has no first one. In the segment it is an error. */
static GstFlowReturn
drop_stray (GstPacoDec *self, GstVideoCodecFrame *frame, const PacoSlice *slice,
    gboolean *taken, GError **error)
{
  if (is_in_segment (self, frame)) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_CORRUPT,
        "it is slice %u of a stack of %u of which those before are missing",
        slice->position, slice->length);
    return GST_FLOW_OK;
  }
  gst_paco_pipe_wait_done (self->coder.pipe);
  gst_video_decoder_release_frame (GST_VIDEO_DECODER (self), frame);
  *taken = TRUE;
  return GST_FLOW_OK;
}

static GstFlowReturn
add (GstPacoDec *self, GstVideoCodecFrame *frame, const PacoHeader *header,
    gboolean *taken)
{
  const PacoSlice *slice = &header->video.slice;
  GstPacoStack *stack = &self->stack;
  GstPacoMember *member = &stack->members[slice->position];
  GstFlowReturn flow = GST_FLOW_OK;

  /* These are noted now: another segment may come before the stack is decoded. */
  member->in_segment = is_in_segment (self, frame);
  member->key_units_only = self->key_units_only;
  if (member->in_segment)
    flow = get_ready_early (self, frame, header);
  if (flow != GST_FLOW_OK)
    return flow;
  if (slice->position == 0)
    gst_paco_header_copy (&stack->header, header);
  stack->plan = *slice;
  member->frame = frame;
  stack->n++;
  *taken = TRUE;
  return paco_stacks_at_end (&self->stacks) ? decode_stack (self) : flow;
}

GstFlowReturn
gst_paco_dec_stack_frame (GstPacoDec *self, GstVideoCodecFrame *frame,
    const PacoHeader *header, gboolean *taken, GError **error)
{
  const PacoSlice *slice = &header->video.slice;
  GstFlowReturn flow = GST_FLOW_OK;

  paco_stacks_frame (&self->stacks, header,
      GST_BUFFER_FLAG_IS_SET (frame->input_buffer, GST_BUFFER_FLAG_DISCONT));
  if (self->stack.n > 0 && !self->stacks.goes_on)
    flow = decode_stack (self);
  if (flow == GST_FLOW_OK && slice->length > 0)
    flow = self->stacks.has_first
        ? add (self, frame, header, taken)
        : drop_stray (self, frame, slice, taken, error);
  if (!*taken)
    self->stacks = (PacoStacks){ 0 };
  return flow;
}

/* The base class also drains the decoder after each key unit where only these are asked
 * for; but upstream may send all slices nevertheless. */
static gboolean
may_go_on (GstPacoDec *self)
{
  return self->key_units_only
      && GST_VIDEO_DECODER (self)->input_segment.rate > 0.0;
}

GstFlowReturn
gst_paco_dec_stack_drain (GstPacoDec *self, gboolean ends)
{
  GstFlowReturn flow = GST_FLOW_OK, drained;

  if (self->stack.n > 0 && (ends || !may_go_on (self))) {
    self->stacks = (PacoStacks){ 0 };
    GST_VIDEO_DECODER_STREAM_UNLOCK (self);
    flow = decode_stack (self);
    GST_VIDEO_DECODER_STREAM_LOCK (self);
  }
  drained = gst_paco_coder_drain (&self->coder);
  return flow != GST_FLOW_OK ? flow : drained;
}

void
gst_paco_dec_stack_flush (GstPacoDec *self)
{
  self->stacks = (PacoStacks){ 0 };
  if (self->stack.n > 0)
    release (self);
}
