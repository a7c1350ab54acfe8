/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The frames of a stack in an element, and the samples that its wavelet works on
 * (codec/stack.h). pacoenc collects pictures here before it codes them as slices, and
 * pacodec collects coded slices before it decodes them. The streaming thread uses it;
 * the pipe's thread notes here what becomes of slices that are with the coder. */
#pragma once
#include "caps/formats.h"
#include "codec/parameters.h"
#include "gstpacopipe.h"

struct _GstPacoMember
{
  GstVideoCodecFrame *frame; /* owned; NULL if there is none */
  /* Only a decoder uses these. */
  gboolean in_segment;     /* the picture is to be shown */
  gboolean key_units_only; /* upstream may leave out the other slices */
  gboolean decoded;
  GError *error; /* why it is not decoded, or NULL */
  guint broken_blocks, concealed_blocks;
  gsize ancillary_offset,
      ancillary_size; /* of the chunks in its input buffer */
};

typedef struct
{
  PacoSlice plan;    /* What the slices of the stack have in common. */
  PacoHeader header; /* of the first slice, in a decoder */
  guint n;           /* how many members there are */
  GstPacoMember members[PACO_MAX_STACK];

  guint width, height;             /* of a slice, in samples */
  guint n_slices;                  /* how many there is memory for */
  GBytes *memory;                  /* of all slices, or NULL if there is none */
  guint16 *slices[PACO_MAX_STACK]; /* where each begins in it */
  guint16 *work; /* memory behind them, for the encoder's wavelet */
} GstPacoStack;

/* Allocates memory for n_slices and for `work` samples of an encoder's wavelet. Nothing
 * may be with the coder. Errors UNSUPPORTED, MEMORY. */
gboolean gst_paco_stack_reserve (GstPacoStack *stack, guint n_slices,
    guint width, guint height, gsize work, GError **error);
/* Frees the memory, and drops the frames of the stack. */
void gst_paco_stack_clear (GstPacoStack *stack);
void gst_paco_stack_drop (GstPacoStack *stack);

/* Begins a stack. The frames of the one before have been taken. */
void gst_paco_stack_begin (GstPacoStack *stack);

/* The first makes the samples of slice i of those of a picture, the second does the
 * opposite; stack->plan says how (codec/stack.h). */
void gst_paco_stack_load (
    GstPacoStack *stack, guint i, const GstVideoFrame *picture);
void gst_paco_stack_store (
    const GstPacoStack *stack, guint i, GstVideoFrame *picture);
/* Sets the samples of slice i to what stands for zero. */
void gst_paco_stack_blank (GstPacoStack *stack, guint i);
/* Sets *picture to slice i, as the coder reads or writes it. The frame keeps its memory
 * until it comes back from the coder. */
void gst_paco_stack_picture (
    GstPacoStack *stack, guint i, GstPacoFrame *frame, PacoPicture *picture);
