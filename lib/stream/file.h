/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads what frames of a file say of themselves, at a known offset or from anywhere
 * on. frame_index.c reads through this; pacoparse and the readers of
 * libpaco bring the file. */
#pragma once
#include "codec/header.h"

/* Reads up to `size` bytes at offset. Returns how many there are, and 0 if there
 * are none or an error occurs. */
typedef size_t (*PacoFileRead) (
    void *source, uint64_t offset, uint8_t *data, size_t size);

/* A file as one thread sees it. */
typedef struct
{
  PacoFileRead read;
  void *source;
  uint64_t size;         /* of the file, bytes */
  uint64_t reads, bytes; /* the work so far */
  bool gave_up;          /* set where a search ended early, or reading failed */

  /* The bytes that were read last. */
  uint8_t *block;
  uint64_t block_offset;
  size_t block_size, block_capacity;
} PacoFile;

/* What a frame says of itself, if its header is good. */
typedef struct
{
  uint64_t offset, end; /* in the file; the end may lie behind the file's */
  uint32_t fps_n, fps_d;
  bool has_place;
  uint32_t number;
  uint8_t position, length; /* of a slice in its stack, and of that; else 0 */
  int64_t
      begin; /* offset in the file of the stream's first frame; below that of
                 * the file's first one if the file was cut */
} PacoFileFrame;

void paco_file_init (
    PacoFile *file, PacoFileRead read, void *source, uint64_t size);
/* The file is open as *fd, which stays the caller's. Returns false and errno if its size
 * is not known. */
bool paco_file_init_descriptor (PacoFile *file, int *fd);
void paco_file_clear (PacoFile *file); /* with zeros */

/* Returns `size` bytes at offset, valid until the next call, or NULL if they are
 * not there. */
const uint8_t *paco_file_peek (PacoFile *file, uint64_t offset, size_t size);

/* Reads the header at offset, or the fields that paco_header_peek() finds. Returns false
 * if there is no good one. */
bool paco_file_header_at (PacoFile *file, uint64_t offset, PacoHeader *header);
bool paco_file_peek_header (
    PacoFile *file, uint64_t offset, PacoHeader *header);

/* Reads the frame at offset. Returns false if there is no good header. */
bool paco_file_frame_at (PacoFile *file, uint64_t offset, PacoFileFrame *frame);

/* Finds the first frame that begins in [from, end). The search gives up if false
 * headers make it expensive. */
bool paco_file_next_frame (
    PacoFile *file, uint64_t from, uint64_t end, PacoFileFrame *frame);

/* Finds the last frame that begins in [first, end), by a search in the last
 * `most` bytes of that. */
bool paco_file_last_frame (PacoFile *file, uint64_t first, uint64_t end,
    uint64_t most, PacoFileFrame *frame);

/* Finds out whether the frame at offset, whose header is good, is a whole one,
 * without reading all of it: another frame follows, or none begins in it. If it
 * is garbage, returns where the garbage ends, else 0. */
uint64_t paco_file_doubt (PacoFile *file, uint64_t offset, uint32_t frame_size);

/* Fills in what a header at offset says. */
void paco_file_frame_from_header (
    const PacoHeader *header, uint64_t offset, PacoFileFrame *frame);
