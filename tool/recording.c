/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes the frames of encode, cut and join (recording.h), with libpaco, output.c
 * and mux.c. */
#include "recording.h"
#include "codec/text.h"
#include "formats.h"
#include "lib/paco.h"
#include "container.h"
#include "tool.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define ROUNDING 1000000 /* nanoseconds: Matroska's times have milliseconds */

/* Says whether pictures of a container, which are copied, follow each other at their
 * rate, as those of the copy do. */
typedef struct
{
  char *name;         /* of the container */
  uint64_t duration;  /* of a frame, in nanoseconds, or 0 */
  uint64_t next;      /* when the next frame is expected */
  unsigned places;    /* where frames were not when they were expected */
  uint64_t deviation; /* of all these, in nanoseconds */
} Spacing;

struct PacoRecording
{
  char *path, *sound;
  PacoOutput *output;    /* of the final file, */
  PacoOutput *container; /* or of this one, which is made of it at the end */
  PacoWriter *writer;
  PacoSounds *sounds; /* of frames that are copied, or NULL */
  Spacing spacing;
};

/* Returns the ending of a name from its dot on, or NULL: it has up to five letters and
 * digits, and not digits alone. */
static const char *
find_ending (const char *path)
{
  const char *base = strrchr (path, '/'), *dot;
  size_t letters = 0, n = 1;

  base = base ? base + 1 : path;
  dot = strrchr (base, '.');
  if (!dot)
    return NULL;
  for (; g_ascii_isalnum (dot[n]); n++)
    letters += g_ascii_isalpha (dot[n]) != 0;
  return dot[n] == 0 && n <= 6 && letters > 0 ? dot : NULL;
}

bool
paco_recording_check_name (const char *path, GError **error)
{
  const char *ending = find_ending (path);
  struct stat status;

  if (!ending || g_ascii_strcasecmp (ending, ".paco") == 0
      || paco_mux_takes (path))
    return true;
  /* Pipes and devices have any names. */
  if (stat (path, &status) == 0 && !S_ISREG (status.st_mode))
    return true;
  return paco_tool_misused (error,
      "%s ends with %s as files of another kind do; PaCo video is written to "
      ".paco, .mkv, .mov and .mp4 files",
      path, ending);
}

static bool
check_path (const char *path, const char *sound, const PacoOutputRules *rules,
    GError **error)
{
  char *const inputs[] = { (char *) sound };
  const PacoOutputRules no_sound = { rules->force, inputs, sound != NULL,
    NULL };

  if (!paco_recording_check_name (path, error)
      || !paco_output_check (path, &no_sound, error))
    return false;
  if (!sound || paco_mux_takes (path))
    return true;
  return paco_tool_misused (
      error, "sound goes into .mkv and .mov files, and %s is none", path);
}

static void
free_recording (PacoRecording *recording)
{
  paco_sounds_free (recording->sounds);
  g_free (recording->path);
  g_free (recording->sound);
  g_free (recording);
}

static void
abandon (PacoRecording *recording)
{
  paco_writer_close (recording->writer, NULL);
  paco_output_abandon (recording->output);
  paco_output_abandon (recording->container);
  free_recording (recording);
}

PacoRecording *
paco_recording_open (const char *path, const char *sound,
    const PacoOutputRules *rules, GError **error)
{
  /* A file that a container is made of never gets a name. */
  const PacoOutputRules part_rules = { .force = true };
  PacoRecording *recording = g_new0 (PacoRecording, 1);
  bool contained = paco_mux_takes (path);
  g_autofree char *part = contained ? g_strconcat (path, ".paco", NULL)
                                    : g_strdup (path);
  PacoError failure;
  bool good = check_path (path, sound, rules, error);

  recording->path = g_strdup (path);
  recording->sound = g_strdup (sound);
  if (good && contained)
    good = paco_mux_check (path, sound, error)
        && (recording->container = paco_output_open (path, rules, error));
  if (good)
    good = (recording->output = paco_output_open (
                part, contained ? &part_rules : rules, error))
        && paco_tool_check (paco_writer_open_fd (recording->output->fd,
                                &recording->writer, &failure),
            &failure, error);
  if (good)
    return recording;
  abandon (recording);
  return NULL;
}

/* Checks that there is a rate: containers show each frame at a time, and without
 * one muxers drop it. */
static bool
has_rate (const PacoRecording *recording, const void *data, size_t size,
    GError **error)
{
  PacoInfo info = PACO_INFO_INIT;

  if (paco_probe (data, size, &info, NULL, NULL) != PACO_STATUS_OK
      || info.fps_n > 0)
    return true;
  return paco_tool_failed (error,
      "%s has to say of its pictures how many there are in a second, and they "
      "do not; paco encode --fps, or paco archive --fps, says it",
      recording->path);
}

void
paco_recording_set_files (
    PacoRecording *recording, uint32_t n_files, uint32_t n_members)
{
  paco_writer_set_files (recording->writer, n_files, n_members);
}

bool
paco_recording_add (
    PacoRecording *recording, const void *data, size_t size, GError **error)
{
  PacoError failure;
  PacoStatus status;

  if (recording->container && paco_recording_frames (recording) == 0
      && !has_rate (recording, data, size, error))
    return false;
  status = paco_writer_add (recording->writer, data, size, &failure);
  /* The library's sentence ends with the system's words. */
  if (status == PACO_STATUS_IO
      && g_str_has_suffix (failure.message, g_strerror (ENOSPC))) {
    paco_output_explain (error, recording->path, "cannot be written", ENOSPC);
    return false;
  }
  if (paco_tool_check (status, &failure, error))
    return true;
  g_prefix_error (error, "%s: ", recording->path);
  return false;
}

bool
paco_recording_keep_sound (PacoRecording *recording)
{
  if (!recording->container || !paco_mux_has_sound (recording->path))
    return false;
  recording->sounds = paco_sounds_new ();
  return true;
}

/* Reports the container that was read. */
static void
end_spacing (PacoRecording *recording)
{
  Spacing *spacing = &recording->spacing;

  if (spacing->places > 0)
    paco_tool_complain (
        "%s: pictures do not follow each other at their rate in %u %s (%.3f s "
        "in all), and those of %s do",
        spacing->name, spacing->places,
        paco_text_plural (spacing->places, "place", "places"),
        (double) spacing->deviation / 1e9, recording->path);
  g_free (spacing->name);
  *spacing = (Spacing){ 0 };
}

static void
begin_spacing (
    Spacing *spacing, const PacoInput *input, const PacoInputFrame *frame)
{
  PacoInfo info = PACO_INFO_INIT;

  if (paco_probe (frame->frame.data, frame->frame.size, &info, NULL, NULL)
          == PACO_STATUS_OK
      && paco_picture_rate (&info) > 0)
    spacing->duration = (uint64_t) (1e9 / paco_picture_rate (&info));
  spacing->name = g_strdup (input->name);
  spacing->next = frame->time;
}

static void
watch_spacing (PacoRecording *recording, const PacoInput *input,
    const PacoInputFrame *frame)
{
  Spacing *spacing = &recording->spacing;
  uint64_t apart;

  if (spacing->name
      && (frame->frame.number == 0 || strcmp (spacing->name, input->name) != 0))
    end_spacing (recording);
  if (frame->time == PACO_INPUT_NO_TIME)
    return;
  if (!spacing->name)
    begin_spacing (spacing, input, frame);
  apart = frame->time > spacing->next ? frame->time - spacing->next
                                      : spacing->next - frame->time;
  if (spacing->duration > 0 && apart > spacing->duration / 2 + ROUNDING) {
    spacing->places++;
    spacing->deviation += apart;
  }
  spacing->next = frame->time + spacing->duration;
}

bool
paco_recording_copy (PacoRecording *recording, const PacoInput *input,
    const PacoInputFrame *frame, GError **error)
{
  watch_spacing (recording, input, frame);
  if (recording->sounds)
    paco_sounds_add_frame (recording->sounds, input, frame);
  return paco_recording_add (
      recording, frame->frame.data, frame->frame.size, error);
}

uint64_t
paco_recording_frames (const PacoRecording *recording)
{
  uint64_t n_frames = 0, n_bytes;

  paco_writer_position (recording->writer, &n_frames, &n_bytes);
  return n_frames;
}

/* Makes the container, with the sound of copied frames or that of a file. */
static bool
mux (PacoRecording *recording, bool quiet, GError **error)
{
  const char *part = recording->output->temporary;
  const char *temporary = recording->container->temporary;
  const PacoSoundTrack *tracks;
  unsigned n;

  if (!recording->sounds)
    return paco_mux_file (
        part, recording->sound, recording->path, temporary, quiet, error);
  if (!paco_sounds_read (recording->sounds, recording->path, error))
    return false;
  tracks = paco_sounds_tracks (recording->sounds, &n);
  return paco_mux_tracks (
      part, tracks, n, recording->path, temporary, quiet, error);
}

static bool
put_into_container (
    PacoRecording *recording, uint64_t n_frames, bool quiet, GError **error)
{
  bool good = mux (recording, quiet, error)
      && paco_mux_check_count (
          recording->container->temporary, recording->path, n_frames, error);

  paco_output_abandon (g_steal_pointer (&recording->output));
  return paco_output_end (
      g_steal_pointer (&recording->container), good, true, error);
}

bool
paco_recording_end (
    PacoRecording *recording, bool good, bool quiet, GError **error)
{
  PacoError failure;
  uint64_t n_frames;

  if (!recording)
    return good;
  end_spacing (recording);
  n_frames = paco_recording_frames (recording);
  good = good
      && paco_tool_check (
          paco_writer_close (g_steal_pointer (&recording->writer), &failure),
          &failure, error);
  if (!good) {
    abandon (recording);
    return false;
  }
  good = recording->container
      ? put_into_container (recording, n_frames, quiet, error)
      : paco_output_end (recording->output, true, true, error);
  free_recording (recording);
  return good;
}
