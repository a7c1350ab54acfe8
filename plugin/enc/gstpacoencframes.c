/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The pictures of pacoenc on their way to the coder: one by one, or in stacks. For a
 * stack they are collected until it is full or has to end. Then the streaming thread
 * applies the wavelet along the stack (gstpacostack.h) and hands the slices to the
 * coder, which codes them as it does any frame. */
#include "caps/videocaps.h"
#include "codec/policy_wavelet.h"
#include "gstpacoencprivate.h"
#include "plugin/coder/gstpacobackend.h"

GST_DEBUG_CATEGORY_EXTERN (gst_paco_debug);
#define GST_CAT_DEFAULT gst_paco_debug

/* --- pictures --- */

static GstFlowReturn
refuse (GstPacoEnc *self, GstBuffer *buffer)
{
  const GstVideoInfo *info = &self->input_state->info;
  gboolean on_device = gst_paco_cuda_buffer_context (buffer) != NULL;

  GST_ELEMENT_ERROR (self, RESOURCE, READ,
      ("An input buffer of %" G_GSIZE_FORMAT " bytes%s is not a %s picture of "
       "%dx%d%s",
          gst_buffer_get_size (buffer),
          on_device ? " in the memory of a GPU" : "", self->raw.row->name,
          info->width, info->height,
          on_device ? ", or the GPU does not give it" : ""),
      (NULL));
  return GST_FLOW_ERROR;
}

/* Maps the input, or unpacks its tiles. NULL if the buffer holds no such picture. */
static const PacoPicture *
fill (GstPacoEnc *self, GstPacoFrame *frame, PacoPicture *picture)
{
  if (!gst_paco_cuda_map (&self->coder.cuda, &frame->raw, &self->raw,
          &self->input_state->info, frame->frame->input_buffer, GST_MAP_READ,
          picture))
    return NULL;
  frame->raw_mapped = TRUE;
  if (!self->raw.tiled)
    return picture;
  paco_planes_unpack (frame->planes, &frame->raw);
  gst_paco_frame_unmap (frame);
  return paco_planes_picture (frame->planes);
}

/* The frame belongs to the coder on GST_FLOW_OK. slice: zeros without a stack. */
static GstFlowReturn
hand_over (GstPacoEnc *self, GstPacoFrame *frame, const PacoPicture *picture,
    const PacoSlice *slice)
{
  GstVideoCodecFrame *codec_frame = frame->frame;
  PacoVideoInfo video = self->video;
  GError *error = NULL;

  video.slice = *slice;
  video.picture_flags = paco_picture_flags_from_buffer (
      &self->input_state->info, codec_frame->input_buffer);
  video.ancillary = gst_paco_meta_keep (codec_frame->input_buffer,
      self->metadata, paco_encoder_max_ancillary (self->coder.encoder),
      &frame->ancillary, GST_ELEMENT (self), &self->loss);
  gst_paco_pipe_give (frame);
  if (!paco_encoder_submit (
          self->coder.encoder, picture, &video, frame, &error)) {
    gst_paco_frame_unmap (frame);
    gst_paco_pipe_take_back (frame);
    frame->frame = NULL;
    gst_paco_post_error (GST_ELEMENT (self), error);
    return GST_FLOW_ERROR;
  }

  return GST_FLOW_OK;
}

static PacoArea
unite (PacoArea a, PacoArea b)
{
  guint64 right = MAX ((guint64) a.x + a.width, (guint64) b.x + b.width);
  guint64 bottom = MAX ((guint64) a.y + a.height, (guint64) b.y + b.height);
  PacoArea both = { .x = MIN (a.x, b.x), .y = MIN (a.y, b.y) };

  both.width = MIN (right - both.x, G_MAXUINT32);
  both.height = MIN (bottom - both.y, G_MAXUINT32);
  return both;
}

/* Makes areas of a picture's regions of interest. If there are more than the codec
 * takes, the last area is the smallest one that contains all the others. */
static void
read_areas (GstBuffer *buffer, PacoAreas *areas)
{
  gpointer state = NULL;
  GstMeta *meta;

  areas->n = 0;
  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVideoRegionOfInterestMeta *region =
        (GstVideoRegionOfInterestMeta *) meta;
    PacoArea area = { region->x, region->y, region->w, region->h };

    if (areas->n < PACO_MAX_AREAS)
      areas->areas[areas->n++] = area;
    else
      areas->areas[areas->n - 1] = unite (areas->areas[areas->n - 1], area);
  }
}

GstFlowReturn
gst_paco_enc_submit (GstPacoEnc *self, GstVideoCodecFrame *codec_frame)
{
  static const PacoSlice none = { 0 };
  GstPacoFrame *frame = gst_paco_pipe_next (self->coder.pipe);
  const PacoPicture *filled;
  PacoPicture picture;

  frame->frame = codec_frame;
  frame->begun = g_get_monotonic_time ();
  filled = fill (self, frame, &picture);
  if (filled == NULL)
    return refuse (self, codec_frame->input_buffer);

  if (self->parameters.area_weight > 1.0) {
    PacoAreas areas;

    read_areas (codec_frame->input_buffer, &areas);
    paco_encoder_set_areas (self->coder.encoder, &areas);
  }
  GST_VIDEO_CODEC_FRAME_SET_SYNC_POINT (codec_frame);
  return hand_over (self, frame, filled, &none);
}

/* --- stacks --- */

/* Posts an error if pictures of the format cannot be coded in stacks. */
static gboolean
can_stack (GstPacoEnc *self)
{
  const GstVideoInfo *info = &self->input_state->info;
  GstVideoFormat format = GST_VIDEO_INFO_FORMAT (info);
  g_autofree char *reason = NULL;

  if (self->raw.mosaic
      || (format != GST_VIDEO_FORMAT_GRAY8
          && format != GST_VIDEO_FORMAT_GRAY16_LE))
    reason = g_strdup_printf (
        "is for slices of one component, GRAY8 and GRAY16_LE, and the pictures "
        "are %s: convert them, or use stack=1",
        self->raw.row->name);
  else if (GST_VIDEO_INFO_IS_INTERLACED (info))
    reason = g_strdup_printf (
        "is for slices in one piece, and the pictures are interlaced (%s): use "
        "stack=1",
        gst_video_interlace_mode_to_string (
            GST_VIDEO_INFO_INTERLACE_MODE (info)));
  else if (gst_paco_cuda_is_caps (self->input_state->caps))
    reason = g_strdup (
        "is for pictures in the memory of the host, and these are in that of a "
        "GPU: put cudadownload before, or use stack=1");

  if (reason != NULL)
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("stack=%u %s", self->stack_length, reason), (NULL));
  else if (self->parameters.rate_control == PACO_RATE_BITRATE)
    GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS,
        ("stack=%u cannot be done with rate-control=bitrate, which gives all "
         "slices of a stack the same bytes: use rate-control=quality or "
         "lossless, or stack=1",
            self->stack_length),
        (NULL));
  else
    return TRUE;
  return FALSE;
}

gboolean
gst_paco_enc_stack_prepare (GstPacoEnc *self)
{
  const GstVideoInfo *info = &self->input_state->info;
  GError *error = NULL;

  if (self->stack_length <= 1)
    return TRUE;
  if (!can_stack (self))
    return FALSE;
  self->stack = g_new0 (GstPacoStack, 1);
  self->n_stacks = 0;
  if (gst_paco_stack_reserve (self->stack, self->stack_length,
          (guint) info->width, (guint) info->height,
          paco_policy_stack_work (
              self->stack_length, (guint) info->width, (guint) info->height),
          &error))
    return TRUE;
  gst_paco_post_error (GST_ELEMENT (self), error);
  return FALSE;
}

void
gst_paco_enc_stack_free (GstPacoEnc *self)
{
  if (self->stack != NULL)
    gst_paco_stack_clear (self->stack);
  g_clear_pointer (&self->stack, g_free);
}

/* The time of the wavelet along the stack counts as that of its first slice. */
static GstFlowReturn
submit_slice (GstPacoEnc *self, guint i, gint64 begun)
{
  GstPacoStack *stack = self->stack;
  PacoSlice slice = stack->plan;
  GstFlowReturn flow = gst_paco_coder_wait_for_flight (&self->coder);
  GstVideoCodecFrame *codec_frame;
  GstPacoFrame *frame;
  PacoPicture picture;

  if (flow != GST_FLOW_OK)
    return flow;
  frame = gst_paco_pipe_next (self->coder.pipe);
  frame->frame = codec_frame = g_steal_pointer (&stack->members[i].frame);
  frame->begun = i == 0 ? begun : g_get_monotonic_time ();
  /* A decoder can begin with the first slice. */
  if (i == 0)
    GST_VIDEO_CODEC_FRAME_SET_SYNC_POINT (codec_frame);
  slice.position = (guint8) i;
  paco_encoder_set_weight (self->coder.encoder, paco_slice_weight (&slice));
  gst_paco_stack_picture (stack, i, frame, &picture);
  flow = hand_over (self, frame, &picture, &slice);
  if (flow == GST_FLOW_OK)
    return gst_paco_coder_submitted (&self->coder);
  gst_video_codec_frame_unref (codec_frame);
  return flow;
}

/* Returns what the slices have in common, before a wavelet is chosen. */
static PacoSlice
plan (GstPacoEnc *self, guint length)
{
  return paco_stack_plan (self->n_stacks, length, self->raw.components[0].depth,
      self->parameters.rate_control == PACO_RATE_LOSSLESS);
}

GstFlowReturn
gst_paco_enc_stack_end (GstPacoEnc *self)
{
  GstPacoStack *stack = self->stack;
  gint64 begun = g_get_monotonic_time ();
  GstFlowReturn flow = GST_FLOW_OK;

  if (stack == NULL || stack->n == 0)
    return GST_FLOW_OK;
  stack->plan = plan (self, stack->n);
  self->n_stacks++;
  stack->plan = paco_policy_stack (&stack->plan, &self->parameters,
      stack->slices, stack->width, stack->height, stack->work);
  paco_stack_forward (
      &stack->plan, stack->slices, (gsize) stack->width * stack->height);
  GST_LOG_OBJECT (self, "stack %u: %u slices, wavelet %s, %u levels",
      stack->plan.number, stack->n, paco_slice_wavelet_name (&stack->plan),
      stack->plan.levels);
  for (guint i = 0; flow == GST_FLOW_OK && i < stack->n; i++)
    flow = submit_slice (self, i, begun);
  gst_paco_stack_drop (stack);
  return flow;
}

/* Lets go of the picture's buffer: upstream may have fewer than a stack has slices.
 * What remains of the buffer has its metas. */
static gboolean
load (GstPacoEnc *self, GstVideoCodecFrame *frame)
{
  GstPacoStack *stack = self->stack;
  const GstVideoInfo *info = &self->input_state->info;
  GstVideoFrame picture;
  GstBuffer *rest;

  if (!gst_video_frame_map (&picture, info, frame->input_buffer, GST_MAP_READ))
    return FALSE;
  if (!paco_frame_fits (&self->raw, info, &picture)) {
    gst_video_frame_unmap (&picture);
    return FALSE;
  }
  stack->plan = plan (self, 1);
  gst_paco_stack_load (stack, stack->n, &picture);
  gst_video_frame_unmap (&picture);
  rest = gst_buffer_new ();
  gst_buffer_copy_into (
      rest, frame->input_buffer, GST_BUFFER_COPY_METADATA, 0, -1);
  gst_buffer_unref (frame->input_buffer);
  frame->input_buffer = rest;
  return TRUE;
}

GstFlowReturn
gst_paco_enc_stack_add (
    GstPacoEnc *self, GstVideoCodecFrame *frame, gboolean *taken)
{
  GstPacoStack *stack = self->stack;
  GstFlowReturn flow = GST_FLOW_OK;

  if (GST_VIDEO_CODEC_FRAME_IS_FORCE_KEYFRAME (frame))
    flow = gst_paco_enc_stack_end (self);
  /* The coder may still read the slices of the stack before. */
  if (flow == GST_FLOW_OK && stack->n == 0)
    flow = gst_paco_coder_wait (&self->coder, 0);
  if (flow != GST_FLOW_OK)
    return flow;
  if (!load (self, frame))
    return refuse (self, frame->input_buffer);
  stack->members[stack->n++].frame = frame;
  *taken = TRUE;
  return stack->n < self->stack_length ? GST_FLOW_OK
                                       : gst_paco_enc_stack_end (self);
}

GstFlowReturn
gst_paco_enc_stack_drain (GstPacoEnc *self)
{
  GstFlowReturn flow, drained;

  GST_VIDEO_ENCODER_STREAM_UNLOCK (self);
  flow = gst_paco_enc_stack_end (self);
  GST_VIDEO_ENCODER_STREAM_LOCK (self);
  drained = gst_paco_coder_drain (&self->coder);
  return flow != GST_FLOW_OK ? flow : drained;
}
