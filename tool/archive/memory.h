/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decides how many frames may be in flight by the memory that they take: restore.c and
 * the tool's decoding.c ask it. A run has a budget of bytes. Frames that fit into it
 * together are in flight at the same time; a frame that needs more goes alone, if the
 * bytes that it has show that its size is an honest one. */
#pragma once
#include "tool/archive/source.h"
#include <glib.h>

/* Bytes that a run takes at most, unless one frame needs more. */
#define PACO_MEMORY_DEFAULT 1200000000

/* What a frame takes besides its own bytes. */
typedef struct
{
  guint64 pixels;  /* Columns times lines. */
  guint64 samples; /* Bytes of the picture, 1 or 2 for each sample. */
  guint64
      coefficients; /* Bytes that a CPU decodes it in; 0 if all blocks are empty. */
} PacoFrameMemory;

/* Reads that from the frame that begins at data, of which at least the header is there.
 * Returns FALSE if it is broken. */
gboolean paco_frame_memory (
    const void *data, gsize size, PacoFrameMemory *memory);

/* Says whether a frame of frame_size bytes may take `needed` bytes: what the budget has,
 * or at most 1000 times its own. Error PACO_SOURCE_ERROR, UNSUPPORTED: it names the option
 * that allows it. */
gboolean paco_memory_allows (
    guint64 budget, guint64 needed, guint64 frame_size, GError **error);

/* Gives a decoder its share of the budget: fewer frames are in flight in it when they are
 * large. */
PacoStatus paco_memory_share (
    PacoFrameDecoder *decoder, guint64 budget, PacoError *failure);
/* Returns what the decoder and the program itself leave of the budget for
 * the bytes of frames and of pictures. On a GPU a decoder takes nothing of it. */
guint64 paco_memory_left (const PacoFrameDecoder *decoder, guint64 budget,
    const PacoFrameMemory *memory);
/* Returns how many bytes of memory that is not in use may be kept for the next frames. */
guint64 paco_memory_idle (const PacoFrameDecoder *decoder, guint64 budget);

/* Memory in which a file is made again (source.h). It is used for one file after the
 * other. */
typedef struct
{
  GByteArray *rest; /* PacoKeptFile.rest */
  PacoRebuilt rebuilt;
  guint64 bytes; /* At most this number is in it. */
  guint64 frame; /* Bytes of its frame, which are in use elsewhere. */
} PacoRoom;

/* Rooms for the files of frames that are in flight. */
typedef struct PacoRooms PacoRooms;
PacoRooms *paco_rooms_new (PacoFrameDecoder *decoder);
/* Frees the rooms that nobody has. NULL is allowed. */
void paco_rooms_free (PacoRooms *rooms);
void paco_room_free (PacoRoom *room);
/* Waits until `bytes` for the file and `frame` for its frame are there, if all rooms and
 * frames together take `most` bytes, or until all rooms have been given back. One thread
 * calls it, in the order of the frames. Returns NULL after paco_rooms_end(). */
PacoRoom *paco_rooms_take (
    PacoRooms *rooms, guint64 bytes, guint64 frame, guint64 most);
/* Says that the bytes of the frame are in use no more. */
void paco_rooms_release_frame (PacoRooms *rooms, PacoRoom *room);
void paco_rooms_give (PacoRooms *rooms, PacoRoom *room);
/* Ends the waiting. */
void paco_rooms_end (PacoRooms *rooms);
