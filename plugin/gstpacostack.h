/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The frames of a stack in an element, and the samples that its wavelet works on
 * (codec/stack.h): pacoenc collects pictures here before it codes them as slices,
 * pacodec coded slices before it decodes them. For the streaming thread; only what
 * becomes of slices that are with the coder is written by the pipe's thread. */
#pragma once
#include "caps/formats.h"
#include "codec/parameters.h"
#include "gstpacoframes.h"

G_BEGIN_DECLS

struct _GstPacoMember
{
  GstVideoCodecFrame *frame; /* owned; NULL: there is none */
  /* Of a decoder. */
  gboolean in_segment;     /* the picture is to be shown */
  gboolean key_units_only; /* upstream may leave out the other slices */
  gboolean decoded;
  GError *error; /* why not */
  guint broken_blocks, concealed_blocks;
};

typedef struct
{
  PacoSlice
      plan; /* of the stack that is there; its position is the last one's */
  guint n;  /* members that there are */
  GstPacoMember members[PACO_MAX_STACK];

  guint width, height; /* of a slice */
  guint n_slices;      /* that there is memory for */
  GBytes *memory;      /* NULL: none */
  guint16 *slices[PACO_MAX_STACK];
  guint16 *work; /* behind them, in an encoder: for the choice of a wavelet */
} GstPacoStack;

/* Whether pictures of these caps can be coded in stacks; if not, the element posts an
 * error. length: what the user has asked for. */
gboolean gst_paco_stack_check (GstElement *element, const GstCaps *caps,
    const GstVideoInfo *info, const PacoParameters *parameters, guint length);

/* How an element's coder sees slices of a picture: as pictures of 16 bits. */
void gst_paco_stack_format (PacoPictureFormat *picture);

/* Memory for stacks of n_slices of this size, with `work` samples for
 * gst_paco_stack_forward(). Nothing is with the coder. Errors UNSUPPORTED, MEMORY. */
gboolean gst_paco_stack_reserve (GstPacoStack *stack, guint n_slices,
    guint width, guint height, gsize work, GError **error);
/* Gives it back, and drops frames that are there. */
void gst_paco_stack_clear (GstPacoStack *stack);
/* Drops the frames only. */
void gst_paco_stack_drop (GstPacoStack *stack);

/* The frame is the next one of the stack, or slice i of it; it is taken. */
void gst_paco_stack_add (
    GstPacoStack *stack, guint i, GstVideoCodecFrame *frame);
/* Takes the frame of slice i out again, which is the caller's. */
GstVideoCodecFrame *gst_paco_stack_take (GstPacoStack *stack, guint i);
/* No frame is there any more. */
void gst_paco_stack_begin (GstPacoStack *stack);

/* The samples of a picture <-> those of slice i, by stack->plan. */
void gst_paco_stack_load (
    GstPacoStack *stack, guint i, const GstVideoFrame *picture);
void gst_paco_stack_store (
    const GstPacoStack *stack, guint i, GstVideoFrame *picture);
/* The samples of slice i, whatever they were, become those of a slice that is zero. */
void gst_paco_stack_blank (GstPacoStack *stack, guint i);
/* Chooses a wavelet along the stack, and applies it; and undoes it. The first needs
 * paco_policy_stack_work() samples to work in. */
void gst_paco_stack_forward (
    GstPacoStack *stack, const PacoParameters *parameters);
void gst_paco_stack_inverse (GstPacoStack *stack);

/* Slice i as the coder reads or writes it. frame keeps its memory until it comes back
 * from the coder. */
void gst_paco_stack_picture (
    GstPacoStack *stack, guint i, GstPacoFrame *frame, PacoPicture *picture);

G_END_DECLS
