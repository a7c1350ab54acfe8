/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Counts the memory that frames take (memory.h). */
#include "tool/archive/memory.h"
#include "codec/coder.h"
#include "codec/header.h"

enum
{
  MB = 1000000,
  MAX_RATIO =
      1000, /* Bytes of memory for each byte of a frame beyond the budget. */
  DECODER_PART = 3,  /* A decoder has a third of the budget. */
  PROGRAM_PART = 12, /* Libraries, threads and tables have a twelfth of it. */
};

gboolean
paco_frame_memory (const void *data, gsize size, PacoFrameMemory *memory)
{
  PacoHeader header;

  *memory = (PacoFrameMemory){ 0 };
  if (!paco_header_parse (data, size, &header, NULL, NULL))
    return FALSE;
  memory->pixels = (guint64) header.picture.width * header.picture.height;
  for (unsigned c = 0; c < header.picture.n_components; c++)
    memory->samples += (guint64) paco_component_width (&header.picture, c)
        * paco_component_height (&header.picture, c)
        * (header.picture.components[c].depth > 8 ? 2 : 1);
  /* A frame without a payload has no block that is not empty. */
  if (header.frame_size > (guint64) header.header_size + header.index_size
          + header.video.attachment.size)
    memory->coefficients = paco_flight_memory (&header.picture);
  return TRUE;
}

gboolean
paco_memory_allows (
    guint64 budget, guint64 needed, guint64 frame_size, GError **error)
{
  if (needed <= budget || needed / MAX_RATIO <= frame_size)
    return TRUE;
  return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
      "it takes %" G_GUINT64_FORMAT
      " MB of memory, which is more than %" G_GUINT64_FORMAT
      " MB and more than %d times the %" G_GUINT64_FORMAT
      " bytes of its frame; --memory=%" G_GUINT64_FORMAT " allows it",
      needed / MB, budget / MB, MAX_RATIO, frame_size, needed / MB + 1);
}

PacoStatus
paco_memory_share (
    PacoFrameDecoder *decoder, guint64 budget, PacoError *failure)
{
  char bytes[24];

  g_snprintf (bytes, sizeof bytes, "%" G_GUINT64_FORMAT,
      MAX (budget / DECODER_PART, 1));
  return paco_frame_decoder_set (decoder, "max-memory", bytes, failure);
}

static gboolean
is_on_gpu (const PacoFrameDecoder *decoder)
{
  return g_str_has_prefix (paco_frame_decoder_device (decoder), "cuda");
}

guint64
paco_memory_left (const PacoFrameDecoder *decoder, guint64 budget,
    const PacoFrameMemory *memory)
{
  guint64 taken = budget / PROGRAM_PART;

  if (!is_on_gpu (decoder) && memory->coefficients > 0)
    taken += MAX (budget / DECODER_PART, memory->coefficients);
  return taken < budget ? budget - taken : 0;
}

guint64
paco_memory_idle (const PacoFrameDecoder *decoder, guint64 budget)
{
  return budget / (is_on_gpu (decoder) ? DECODER_PART : PROGRAM_PART);
}

/* --- rooms --------------------------------------------------------------------- */

/* They are no PacoRecycler, because one limit counts idle rooms and those in use:
 * taking one frees others or waits for them. */

struct PacoRooms
{
  GMutex lock;
  GCond changed;
  PacoFrameDecoder *decoder;
  GQueue idle; /* PacoRoom, the one that was given back last at the head */
  guint64
      bytes; /* of all rooms, idle or not, and of the frames of those taken */
  guint n_taken;
  gboolean ended;
};

PacoRooms *
paco_rooms_new (PacoFrameDecoder *decoder)
{
  PacoRooms *rooms = g_new0 (PacoRooms, 1);

  g_mutex_init (&rooms->lock);
  g_cond_init (&rooms->changed);
  rooms->decoder = decoder;
  return rooms;
}

void
paco_room_free (PacoRoom *room)
{
  if (!room)
    return;
  g_byte_array_unref (room->rest);
  paco_rebuilt_clear (&room->rebuilt);
  g_free (room);
}

void
paco_rooms_free (PacoRooms *rooms)
{
  PacoRoom *room;

  if (!rooms)
    return;
  while ((room = g_queue_pop_head (&rooms->idle)))
    paco_room_free (room);
  g_cond_clear (&rooms->changed);
  g_mutex_clear (&rooms->lock);
  g_free (rooms);
}

/* Frees idle rooms until `bytes` more fit: the one that was used last, which is likely to
 * have the size that is needed, stays longest. Returns whether they fit. */
static gboolean
make_fit (PacoRooms *rooms, guint64 bytes, guint64 frame, guint64 most)
{
  PacoRoom *last;

  for (;;) {
    const PacoRoom *first = g_queue_peek_head (&rooms->idle);
    guint64 there = first ? first->bytes : 0;

    if (rooms->bytes - there + MAX (bytes, there) + frame <= most)
      return TRUE;
    last = g_queue_pop_tail (&rooms->idle);
    if (!last)
      return FALSE;
    rooms->bytes -= last->bytes;
    paco_room_free (last);
  }
}

PacoRoom *
paco_rooms_take (PacoRooms *rooms, guint64 bytes, guint64 frame, guint64 most)
{
  PacoRoom *room = NULL;

  g_mutex_lock (&rooms->lock);
  while (!rooms->ended && !make_fit (rooms, bytes, frame, most)
      && rooms->n_taken > 0)
    g_cond_wait (&rooms->changed, &rooms->lock);
  if (!rooms->ended) {
    room = g_queue_pop_head (&rooms->idle);
    if (!room) {
      room = g_new0 (PacoRoom, 1);
      room->rest = g_byte_array_new ();
      paco_rebuilt_init (&room->rebuilt);
      room->rebuilt.file->decoder = rooms->decoder;
    }
    rooms->bytes -= room->bytes;
    room->bytes = MAX (room->bytes, bytes);
    room->frame = frame;
    rooms->bytes += room->bytes + frame;
    rooms->n_taken++;
  }
  g_mutex_unlock (&rooms->lock);
  return room;
}

void
paco_rooms_release_frame (PacoRooms *rooms, PacoRoom *room)
{
  g_mutex_lock (&rooms->lock);
  rooms->bytes -= room->frame;
  room->frame = 0;
  g_cond_broadcast (&rooms->changed);
  g_mutex_unlock (&rooms->lock);
}

void
paco_rooms_give (PacoRooms *rooms, PacoRoom *room)
{
  g_mutex_lock (&rooms->lock);
  rooms->bytes -= room->frame;
  room->frame = 0;
  rooms->n_taken--;
  g_queue_push_head (&rooms->idle, room);
  g_cond_broadcast (&rooms->changed);
  g_mutex_unlock (&rooms->lock);
}

void
paco_rooms_end (PacoRooms *rooms)
{
  g_mutex_lock (&rooms->lock);
  rooms->ended = TRUE;
  g_cond_broadcast (&rooms->changed);
  g_mutex_unlock (&rooms->lock);
}
