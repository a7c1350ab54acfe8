/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Opens files that commands read frames from (input.h), with libpaco or container.c. */
#include "input.h"
#include "container.h"
#include "lib/stream/io.h"
#include "tool.h"
#include "volumes.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC_BYTES 16

/* Returns what kind of container begins with these bytes, or NULL if none does. */
static const char *
container_kind (const uint8_t *bytes, size_t size)
{
  static const uint8_t ebml[] = { 0x1a, 0x45, 0xdf, 0xa3 };
  static const char *const boxes[] = { "moov", "mdat", "wide", "free", "skip" };

  if (size < MAGIC_BYTES)
    return NULL;
  if (memcmp (bytes, ebml, sizeof ebml) == 0)
    return "Matroska";
  if (memcmp (bytes + 4, "ftyp", 4) == 0)
    return memcmp (bytes + 8, "qt  ", 4) == 0 ? "MOV" : "MP4";
  for (unsigned i = 0; i < G_N_ELEMENTS (boxes); i++)
    if (memcmp (bytes + 4, boxes[i], 4) == 0)
      return "MOV";
  return NULL;
}

static bool
look_at (PacoInput *input, const char *path, GError **error)
{
  uint8_t magic[MAGIC_BYTES];
  const char *why = NULL;
  int fd = paco_open_input (path, &why);
  size_t n = fd >= 0 ? paco_io_read_at (fd, 0, magic, sizeof magic) : 0;
  struct stat status;

  /* Standard input, which may be a pipe, has a name, too. */
  if (fd < 0 || (errno != 0 && errno != ESPIPE) || fstat (fd, &status) != 0) {
    paco_tool_failed (
        error, "%s cannot be read: %s", path, why ? why : g_strerror (errno));
    if (fd >= 0)
      close (fd);
    return false;
  }
  input->size = S_ISREG (status.st_mode) ? (uint64_t) status.st_size : 0;
  input->kind = container_kind (magic, n);
  if (input->kind)
    input->fd = fd;
  else
    close (fd);
  return true;
}

static bool
open_reader (PacoInput *input, const char *path, GError **error)
{
  g_autofree PacoVolume *volumes = NULL;
  GError *why = NULL;
  uint64_t size;
  unsigned n = 0;
  PacoError failure;
  PacoStatus status;

  input->kind = "PaCo frames";
  if (path)
    volumes = paco_volumes_open (path, &n, &size, &why);
  if (why) {
    g_propagate_error (error, why);
    return false;
  }
  if (n > 0) {
    input->size = size;
    status = paco_reader_open_volumes (
        volumes, n, path, &input->reader, &failure);
  } else if (path)
    status = paco_reader_open (path, &input->reader, &failure);
  else
    status = paco_reader_open_fd (STDIN_FILENO, &input->reader, &failure);
  return paco_tool_check (status, &failure, error);
}

PacoInput *
paco_input_open (const char *path, GError **error)
{
  PacoInput *input = g_new0 (PacoInput, 1);
  bool standard = strcmp (path, "-") == 0, good = true;

  input->fd = -1;
  input->reasons = g_string_chunk_new (256);
  input->name = g_strdup (standard ? "standard input" : path);
  if (!standard)
    good = look_at (input, path, error);
  if (good && input->kind) {
    input->container = paco_container_open (path, input->kind, error);
    good = input->container != NULL;
  } else if (good) {
    good = open_reader (input, standard ? NULL : path, error);
  }
  if (good)
    return input;
  paco_input_close (input);
  return NULL;
}

void
paco_input_close (PacoInput *input)
{
  if (!input)
    return;
  if (input->reader)
    paco_reader_close (input->reader);
  if (input->container)
    paco_container_close (input->container);
  if (input->fd >= 0)
    close (input->fd);
  g_string_chunk_free (input->reasons);
  g_free (input->ending);
  g_free (input->name);
  g_free (input);
}

const char *
paco_input_ending (PacoInput *input, bool *damaged)
{
  if (input->container && !input->has_ending) {
    input->has_ending = true;
    input->ending = paco_container_end (
        input->fd, input->kind, &input->damaged);
  }
  *damaged = input->damaged;
  return input->ending;
}

bool
paco_input_tell_ending (PacoInput *input, PacoProgress *progress)
{
  bool damaged;
  const char *ending = paco_input_ending (input, &damaged);

  if (ending)
    paco_progress_complain (progress, "%s: %s", input->name, ending);
  return damaged;
}

bool
paco_input_has_none (PacoInput *input, const char *what, GError **error)
{
  bool damaged;
  const char *ending = paco_input_ending (input, &damaged);
  const char *reason = damaged ? ending : input->reason;

  return paco_tool_failed (error, "%s has %s%s%s", input->name, what,
      reason ? ": " : "", reason ? reason : "");
}

char *
paco_input_because (const PacoInputFrame *frame)
{
  return frame->reason ? g_strconcat (": ", frame->reason, NULL)
                       : g_strdup ("");
}

/* Reads a frame of a container. A demuxer takes a file that has become shorter for one
 * that ends; libpaco does not. */
static PacoInputResult
next_of_container (PacoInput *input, PacoInputFrame *frame, GError **error)
{
  PacoInputResult result = paco_container_next (input->container, frame, error);
  struct stat status;
  bool damaged;

  if (result == PACO_INPUT_ERROR) {
    /* What GStreamer says of a file that was cut does not name the cause. */
    const char *ending = paco_input_ending (input, &damaged);

    if (damaged)
      g_prefix_error (error, "%s; ", ending);
    return result;
  }
  if (result != PACO_INPUT_END || fstat (input->fd, &status) != 0
      || (uint64_t) status.st_size >= input->size)
    return result;
  paco_tool_failed (error,
      "%s was cut while it was read: it had %" G_GUINT64_FORMAT
      " bytes and has %" G_GINT64_FORMAT " now",
      input->name, input->size, (gint64) status.st_size);
  return PACO_INPUT_ERROR;
}

static PacoInputResult
next_frame (PacoInput *input, PacoInputFrame *frame,
    PacoStatus (*next) (PacoReader *, PacoFrame *, PacoError *), GError **error)
{
  PacoError failure;
  PacoStatus status;

  *frame = (PacoInputFrame){ .time = PACO_INPUT_NO_TIME };
  if (paco_signals_caught (error))
    return PACO_INPUT_ERROR;
  if (input->container)
    return next_of_container (input, frame, error);
  status = next (input->reader, &frame->frame, &failure);
  if (frame->frame.skipped > 0) {
    const char *reason = paco_reader_reason (input->reader);

    input->reason = reason
        ? g_string_chunk_insert_const (input->reasons, reason)
        : NULL;
    frame->reason = input->reason;
  }
  if (status == PACO_STATUS_EMPTY)
    return PACO_INPUT_END;
  return paco_tool_check (status, &failure, error) ? PACO_INPUT_FRAME
                                                   : PACO_INPUT_ERROR;
}

PacoInputResult
paco_input_next (PacoInput *input, PacoInputFrame *frame, GError **error)
{
  return next_frame (input, frame, paco_reader_next, error);
}

PacoInputResult
paco_input_find (PacoInput *input, PacoInputFrame *frame, GError **error)
{
  return next_frame (input, frame, paco_reader_find, error);
}

bool
paco_input_read (
    const PacoInput *input, const PacoFrame *frame, void *data, GError **error)
{
  PacoError failure;

  return paco_tool_check (
      paco_reader_read (input->reader, frame, data, &failure), &failure, error);
}

void
paco_input_release (PacoInputFrame *frame)
{
  if (frame->owner)
    paco_container_release (frame);
  else
    paco_frame_release (&frame->frame);
}

bool
paco_input_seek (PacoInput *input, uint64_t number, GError **error)
{
  PacoError failure;

  if (input->container)
    return paco_container_seek (input->container, number, error);
  /* A pipe is read up to the frame. */
  if (input->size == 0
      || paco_tool_check (
          paco_reader_seek (input->reader, number, &failure), &failure, error))
    return true;
  g_prefix_error (error, "%s: ", input->name);
  return false;
}

uint64_t
paco_input_count (PacoInput *input)
{
  uint64_t n = 0;

  if (input->container)
    return paco_container_count (input->container);
  if (input->size > 0
      && paco_reader_count (input->reader, &n, NULL) != PACO_STATUS_OK)
    n = 0;
  return n;
}

void
paco_input_tell_left_out (
    const PacoInput *input, bool has_sound, PacoProgress *progress)
{
  g_autofree char *tracks = input->container
      ? paco_container_other_tracks (input->container, has_sound)
      : NULL;

  if (tracks)
    paco_progress_complain (progress,
        "only the frames%s of %s are copied; left out: %s",
        has_sound ? " and the samples of sound" : "", input->name, tracks);
}

/* --- ranges --- */

static bool
parse_number (const char **at, uint64_t *number)
{
  char *end;

  if (!g_ascii_isdigit (**at))
    return false;
  errno = 0;
  *number = g_ascii_strtoull (*at, &end, 10);
  *at = end;
  return errno == 0 && *number < G_MAXUINT32;
}

bool
paco_frame_range_parse (const char *text, PacoFrameRange *range, GError **error)
{
  const char *at = text;
  bool from, minus, to;

  *range = (PacoFrameRange){ 0, G_MAXUINT64 };
  if (!text)
    return true;
  from = parse_number (&at, &range->first);
  minus = *at == '-';
  at += minus;
  to = minus && parse_number (&at, &range->last);
  if (from && !minus)
    range->last = range->first;
  if (*at == 0 && (from || to) && range->first <= range->last)
    return true;
  return paco_tool_misused (error,
      "%s is no range of frames, as 10-20, 10-, -20 or 10 are; the first frame "
      "is 0",
      text);
}

uint64_t
paco_frame_range_count (const PacoFrameRange *range, uint64_t n)
{
  if (range->last != G_MAXUINT64 && (n == 0 || range->last < n))
    n = range->last + 1;
  return n > range->first ? n - range->first : 0;
}
