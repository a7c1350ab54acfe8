/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds frames in bytes that may be anything. The plugin's gstpacosplitter.c asks it
 * about bytes that are pushed, gstpacoparse.c about those of packets and files,
 * libpaco's reader.c about those of files and pipes.
 *
 * The work is linear whatever the bytes are: what has been looked at is remembered
 * from one call to the next, and headers are checked only as long as all of them
 * together stay below some times the bytes that were passed. */
#pragma once
#include "codec/header.h"

/* No frame is larger: GstBaseParse, as others, counts in int, and some more bytes are
 * asked for at times. */
#define PACO_MAX_FRAME_SIZE (G_MAXINT - 4096)
#define PACO_SYNC_DEFAULT_MAX_WAIT_SIZE (256 << 20)

typedef enum
{
  PACO_SYNC_FRAME,   /* the bytes begin with a frame of *size bytes */
  PACO_SYNC_GARBAGE, /* the first *size bytes belong to no whole frame */
  PACO_SYNC_MORE,    /* a frame may begin here: *size bytes would tell */
} PacoSyncResult;

typedef struct
{
  /* Bytes of the largest frame that is waited for in a stream of bytes; it may
   * change at any time. */
  size_t max_wait_size;

  /* Counts the work so far, in bytes: of headers checked, and of what was
   * searched for the beginning of one. */
  uint64_t checked, searched;

  /* Where the stream began, and the offset that was asked about last. */
  uint64_t origin, asked_at;
  /* Counts the bytes of the headers checked, each once, and up to where they are
   * counted. */
  uint64_t paid, paid_to;
  /* A header that was found good, and where it stands. */
  bool known;
  uint64_t known_at;
  PacoHeader header;
  /* The frame that is doubted, and up to where no other begins in it. */
  uint64_t doubted_at;
  size_t doubted_to;
} PacoSync;

/* Says whether a frame with this header, which was parsed, is at most as large as its
 * picture can make it. All others are garbage. */
bool paco_sync_is_possible (const PacoHeader *header);

/* Begins a stream at offset. Keeps max_wait_size. */
void paco_sync_reset (PacoSync *sync, uint64_t offset);

/* Says whether a good header begins at data, and how large its frame is: FRAME, and
 * sync->header is it; MORE if *size bytes would tell; GARBAGE otherwise. It does not tell
 * whether the frame was cut: that is known once another one is seen behind it, or
 * paco_sync_next() was asked. Bytes and offset are as there. */
PacoSyncResult paco_sync_header (PacoSync *sync, uint64_t offset,
    const uint8_t *data, size_t available, size_t *size);

/* Says what `available` bytes at data, which stand at offset in the stream, begin
 * with. A stream is asked about in order, byte after byte; if the offset goes
 * back, another stream begins. last says that no more bytes will follow. framed
 * says that the bytes are a packet, so that a frame need not be doubted because
 * none follows, and is all there, however large. With FRAME, sync->header is the
 * frame's; GARBAGE sets *reason, which may be NULL. */
PacoSyncResult paco_sync_next (PacoSync *sync, uint64_t offset,
    const uint8_t *data, size_t available, bool last, bool framed, size_t *size,
    GError **reason);
