/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Plans the packets of a frame for rtppacopay (gstpacortpplan.h).
 *
 * Header, index and the coarse subbands are protected. The coarse subbands have a
 * few percent of the bytes, and what is lost of them shows most. Of all other
 * bytes a packet has whole codeblocks, as many as go in; only a block that is
 * larger than a packet is split. So a lost packet breaks its own blocks and no
 * other. */
#include "gstpacortpplan.h"

/* Coarse subbands are protected up to this part of the frame. */
#define COARSE_SHARE 8

void
gst_paco_rtp_plan_init (GstPacoRtpPlan *plan)
{
  *plan = (GstPacoRtpPlan){
    .pieces = g_array_new (FALSE, FALSE, sizeof (GstPacoRtpPiece)),
  };
}

void
gst_paco_rtp_plan_clear (GstPacoRtpPlan *plan)
{
  g_clear_pointer (&plan->pieces, g_array_unref);
}

/* Returns where in the frame block i begins. */
static guint32
block_begin (const GstPacoRtpBlocks *blocks, guint32 i)
{
  return i < blocks->geometry->n_blocks
      ? gst_paco_rtp_blocks_payload (blocks) + blocks->records[i].offset
      : blocks->header.frame_size;
}

/* Chooses how many bytes to protect, in symbols of at most symbol_size. */
static guint32
choose_protected (const GstPacoRtpBlocks *blocks, guint32 symbol_size)
{
  const PacoHeader *header = &blocks->header;
  guint32 begin = gst_paco_rtp_blocks_payload (blocks), chosen = begin;

  for (guint level = header->coding.levels + 1; level-- > 0;) {
    guint32 end = block_begin (blocks, blocks->geometry->n_blocks_at[level]);

    if (end - begin > header->frame_size / COARSE_SHARE
        || gst_paco_rtp_n_symbols (end, symbol_size) > GST_PACO_RTP_GROUP)
      break;
    chosen = end;
  }
  return MIN (chosen, (guint64) GST_PACO_RTP_MAX_SYMBOLS * symbol_size);
}

static void
plan_protection (GstPacoRtpPlan *plan, const GstPacoRtpBlocks *blocks,
    guint32 symbol_size, guint parity)
{
  guint group;

  plan->protected_size = choose_protected (blocks, symbol_size);
  plan->n_symbols = gst_paco_rtp_n_symbols (plan->protected_size, symbol_size);
  /* Symbols are as equal as they can be, so that little is filled up. */
  plan->symbol_size = (plan->protected_size + plan->n_symbols - 1)
      / plan->n_symbols;
  plan->n_symbols = gst_paco_rtp_n_symbols (
      plan->protected_size, plan->symbol_size);
  plan->n_groups = gst_paco_rtp_n_groups (plan->n_symbols);

  group = (plan->n_symbols + plan->n_groups - 1) / plan->n_groups;
  plan->n_rows = (group * parity + 99) / 100;
  /* Groups get one row more than their share, which helps those of few symbols. */
  if (parity > 0 && group > 1)
    plan->n_rows = MIN (plan->n_rows + 1, GST_PACO_RTP_GROUP);
}

static void
add_piece (GstPacoRtpPlan *plan, guint32 offset, guint32 size)
{
  const GstPacoRtpPiece piece = { offset, size };

  g_array_append_val (plan->pieces, piece);
}

/* Adds bytes that belong together to the last piece if there is room for all of
 * them, else to a new one. */
static void
add_block (GstPacoRtpPlan *plan, guint32 offset, guint32 size, guint32 room)
{
  GstPacoRtpPiece *last = &g_array_index (
      plan->pieces, GstPacoRtpPiece, plan->pieces->len - 1);

  if (plan->pieces->len > plan->n_symbols && last->size + size <= room) {
    last->size += size;
    return;
  }
  for (; size > 0; offset += MIN (size, room), size -= MIN (size, room))
    add_piece (plan, offset, MIN (size, room));
}

void
gst_paco_rtp_plan_make (GstPacoRtpPlan *plan, const GstPacoRtpBlocks *blocks,
    guint room, guint parity)
{
  guint32 data_room = room - GST_PACO_RTP_DATA_HEADER, at;

  plan_protection (plan, blocks, room - GST_PACO_RTP_PARITY_HEADER, parity);
  g_array_set_size (plan->pieces, 0);
  for (at = 0; at < plan->protected_size; at += plan->symbol_size)
    add_piece (plan, at, MIN (plan->symbol_size, plan->protected_size - at));

  at = plan->protected_size;
  for (guint32 i = 0; i <= blocks->geometry->n_blocks; i++) {
    guint32 end = block_begin (blocks, i);

    if (end > at) {
      add_block (plan, at, end - at, data_room);
      at = end;
    }
  }
}
