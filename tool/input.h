/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Opens files that commands read frames from: .paco files with libpaco; MOV, MP4 and
 * Matroska files with GStreamer (container.c), if the program was built with it. */
#pragma once
#include "lib/paco.h"
#include "progress.h"
#include <glib.h>
#include <stdbool.h>

/* A file that is open. Callers read its first three fields only. */
typedef struct
{
  char *name;
  const char *kind;                /* "PaCo frames", "MOV", ... */
  uint64_t size;                   /* in bytes, or 0 if that is unknown */
  PacoReader *reader;              /* of one kind, */
  struct PacoContainer *container; /* or the other one */
  int fd;                   /* of a container, to ask for its size; else -1 */
  GStringChunk *reasons;    /* all that were given, each once */
  const char *reason;       /* why bytes that were read last are no frame */
  bool has_ending, damaged; /* what is known of a container's end */
  char *ending;
} PacoInput;

#define PACO_INPUT_NO_TIME UINT64_MAX

/* A frame, with all that paco_reader_next() says of it. */
typedef struct
{
  PacoFrame frame;
  const char *reason; /* why frame.skipped bytes are no frame, or NULL; the
                       * input keeps it until it is closed */
  void *owner;        /* of frames that are not the library's */
  uint64_t time; /* nanoseconds of a container's file, or PACO_INPUT_NO_TIME */
} PacoInputFrame;

typedef enum
{
  PACO_INPUT_FRAME,
  PACO_INPUT_END, /* The frame is released, too; its `skipped` counts what was
                   * damaged or cut off before the end. */
  PACO_INPUT_ERROR,
} PacoInputResult;

/* Opens a file, or standard input if the path is "-". The first volume of a split archive
 * stands for all. Errors name the file. */
PacoInput *paco_input_open (const char *path, GError **error);
void paco_input_close (PacoInput *input); /* or NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PacoInput, paco_input_close)
/* Reads the next frame, which the caller releases. A signal is an error. */
PacoInputResult paco_input_next (
    PacoInput *input, PacoInputFrame *frame, GError **error);
/* Does the same without reading the frame's bytes, if it can: then frame.data is NULL,
 * and paco_input_read() reads them to memory of frame.size bytes. Several threads may call
 * that at the same time, while another one finds frames. */
PacoInputResult paco_input_find (
    PacoInput *input, PacoInputFrame *frame, GError **error);
bool paco_input_read (
    const PacoInput *input, const PacoFrame *frame, void *data, GError **error);
void paco_input_release (PacoInputFrame *frame);
/* Returns ": " and the reason of bytes before this frame or end, to be freed; "" if
 * there is none. */
char *paco_input_because (const PacoInputFrame *frame);
/* Sets an error: the file has no frame that was asked for, as `what` names them. It
 * has the reason if bytes were refused or the file was cut. Returns FALSE. */
bool paco_input_has_none (PacoInput *input, const char *what, GError **error);
/* Returns a sentence if the file does not end as containers do, or NULL. *damaged says
 * whether something was cut off; otherwise it is a recording that was never finished, and
 * ends within a frame. */
const char *paco_input_ending (PacoInput *input, bool *damaged);
/* Complains of such an end on standard error. Returns whether something was cut off. */
bool paco_input_tell_ending (PacoInput *input, PacoProgress *progress);
/* Makes that frame the next one, or the last good one before. */
bool paco_input_seek (PacoInput *input, uint64_t number, GError **error);
/* Returns how many frames the file has, or 0 if that takes reading all of it. */
uint64_t paco_input_count (PacoInput *input);
/* Says on standard error what the file has besides its frames and who copies these leaves
 * out, such as sound; has_sound: that of samples is copied. A frame must have been read;
 * progress may be NULL. */
void paco_input_tell_left_out (
    const PacoInput *input, bool has_sound, PacoProgress *progress);

/* The frames that a command line asks for. */
typedef struct
{
  uint64_t first, last; /* last included; G_MAXUINT64: to the end */
} PacoFrameRange;

/* Reads "A-B", "A-", "-B" or "A"; NULL means all. The error is of the command
 * line. */
bool paco_frame_range_parse (
    const char *text, PacoFrameRange *range, GError **error);
/* Returns how many frames of `n`, or 0 if that is unknown, are in the range. */
uint64_t paco_frame_range_count (const PacoFrameRange *range, uint64_t n);
