/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Keeps the frames and the samples of a stack (gstpacostack.h). Slices lie one behind
 * the other in memory, without gaps between their lines. */
#include "gstpacostack.h"
#include "caps/packed.h"
#include "codec/error.h"
#include <string.h>

gboolean
gst_paco_stack_reserve (GstPacoStack *stack, guint n_slices, guint width,
    guint height, gsize work, GError **error)
{
  gsize n_samples = (gsize) width * height;
  gsize n_all = n_slices * n_samples + work;
  guint16 *memory;

  if (stack->memory != NULL && stack->n_slices >= n_slices
      && stack->width == width && stack->height == height)
    return TRUE;
  g_clear_pointer (&stack->memory, g_bytes_unref);
  if (n_slices * n_samples > PACO_MAX_STACK_SAMPLES) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "a stack of %u pictures of %ux%u is too large: all of them have %u "
        "million "
        "samples at most; use a smaller stack",
        n_slices, width, height, (guint) (PACO_MAX_STACK_SAMPLES / 1000000));
    return FALSE;
  }
  memory = g_try_malloc_n (n_all, sizeof *memory);
  if (memory == NULL) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "no memory for a stack of %u pictures of %ux%u", n_slices, width,
        height);
    return FALSE;
  }
  stack->memory = g_bytes_new_take (memory, n_all * sizeof *memory);
  stack->width = width;
  stack->height = height;
  stack->n_slices = n_slices;
  for (guint i = 0; i < n_slices; i++)
    stack->slices[i] = memory + i * n_samples;
  stack->work = memory + n_slices * n_samples;
  return TRUE;
}

void
gst_paco_stack_clear (GstPacoStack *stack)
{
  gst_paco_stack_drop (stack);
  g_clear_pointer (&stack->memory, g_bytes_unref);
}

/* --- frames --- */

void
gst_paco_stack_begin (GstPacoStack *stack)
{
  for (guint i = 0; i < PACO_MAX_STACK; i++)
    g_clear_error (&stack->members[i].error);
  memset (stack->members, 0, sizeof stack->members);
  stack->n = 0;
}

void
gst_paco_stack_drop (GstPacoStack *stack)
{
  for (guint i = 0; i < PACO_MAX_STACK; i++)
    g_clear_pointer (&stack->members[i].frame, gst_video_codec_frame_unref);
  gst_paco_stack_begin (stack);
}

/* --- samples --- */

static guint16 *
line (const GstPacoStack *stack, guint i, guint y)
{
  return stack->slices[i] + (gsize) y * stack->width;
}

void
gst_paco_stack_load (GstPacoStack *stack, guint i, const GstVideoFrame *picture)
{
  const guint8 *from = GST_VIDEO_FRAME_PLANE_DATA (picture, 0);

  for (guint y = 0; y < stack->height; y++)
    paco_slice_load (&stack->plan,
        from + (gssize) y * GST_VIDEO_FRAME_PLANE_STRIDE (picture, 0),
        line (stack, i, y), stack->width);
}

void
gst_paco_stack_store (
    const GstPacoStack *stack, guint i, GstVideoFrame *picture)
{
  gboolean swap = GST_VIDEO_FRAME_FORMAT (picture)
      == GST_VIDEO_FORMAT_GRAY16_BE;

  for (guint y = 0; y < stack->height; y++) {
    guint8 *to = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (picture, 0)
        + (gssize) y * GST_VIDEO_FRAME_PLANE_STRIDE (picture, 0);

    paco_slice_store (&stack->plan, line (stack, i, y), to, stack->width);
    for (guint x = 0; swap && x < stack->width; x++)
      ((guint16 *) to)[x] = GUINT16_SWAP_LE_BE (((guint16 *) to)[x]);
  }
}

void
gst_paco_stack_blank (GstPacoStack *stack, guint i)
{
  gsize n = (gsize) stack->width * stack->height;

  for (gsize k = 0; k < n; k++)
    stack->slices[i][k] = 1u << (PACO_SLICE_DEPTH - 1);
}

void
gst_paco_stack_picture (
    GstPacoStack *stack, guint i, GstPacoFrame *frame, PacoPicture *picture)
{
  frame->stack = g_bytes_ref (stack->memory);
  *picture = (PacoPicture){ .memory = PACO_MEMORY_HOST };
  picture->data[0] = (guint8 *) stack->slices[i];
  picture->stride[0] = (gssize) (stack->width * sizeof *stack->slices[i]);
  picture->layout[0] = paco_planes_layout;
}
