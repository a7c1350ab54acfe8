/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Replaces all files that need GStreamer if the program is built without it: every
 * function fails with a sentence that says so. */
#include "container.h"
#include "sheet.h"
#include "to_rgb.h"
#include "tool.h"

static bool
refuse (const char *path, GError **error)
{
  return paco_tool_failed (error,
      "%s is a container, and this paco was built without GStreamer: it reads "
      "and writes .paco files only",
      path);
}

PacoContainer *
paco_container_open (const char *path, const char *kind, GError **error)
{
  refuse (path, error);
  return NULL;
}

void
paco_container_close (PacoContainer *container)
{
}

PacoInputResult
paco_container_next (
    PacoContainer *container, PacoInputFrame *frame, GError **error)
{
  return PACO_INPUT_END;
}

void
paco_container_release (PacoInputFrame *frame)
{
}

uint64_t
paco_container_count (PacoContainer *container)
{
  return 0;
}

char *
paco_container_other_tracks (const PacoContainer *container, bool has_sound)
{
  return NULL;
}

bool
paco_container_seek (PacoContainer *container, uint64_t number, GError **error)
{
  return true;
}

bool
paco_mux_takes (const char *path)
{
  return g_str_has_suffix (path, ".mkv") || g_str_has_suffix (path, ".mov")
      || g_str_has_suffix (path, ".mp4");
}

bool
paco_mux_is_matroska (const char *path)
{
  return g_str_has_suffix (path, ".mkv");
}

bool
paco_mux_check (const char *path, const char *sound, GError **error)
{
  return refuse (path, error);
}

bool
paco_mux_file (const char *part, const char *sound, const char *path,
    const char *temporary, bool quiet, GError **error)
{
  return refuse (path, error);
}

bool
paco_mux_check_count (
    const char *temporary, const char *path, uint64_t n_frames, GError **error)
{
  return refuse (path, error);
}

bool
paco_mux_read_sound (const char *path, unsigned n, PacoSoundFunction function,
    void *user, GError **error)
{
  return refuse (path, error);
}

bool
paco_mux_takes_track (
    const char *path, const PacoSoundTrack *track, GError **error)
{
  return refuse (path, error);
}

/* --- sound --- */

bool
paco_mux_has_sound (const char *path)
{
  return false;
}

PacoSounds *
paco_sounds_new (void)
{
  return NULL;
}

void
paco_sounds_free (PacoSounds *sounds)
{
}

void
paco_sounds_add_frame (
    PacoSounds *sounds, const PacoInput *input, const PacoInputFrame *frame)
{
}

bool
paco_sounds_read (PacoSounds *sounds, const char *path, GError **error)
{
  return refuse (path, error);
}

const PacoSoundTrack *
paco_sounds_tracks (const PacoSounds *sounds, unsigned *n)
{
  *n = 0;
  return NULL;
}

bool
paco_mux_tracks (const char *part, const PacoSoundTrack *tracks, unsigned n,
    const char *path, const char *temporary, bool quiet, GError **error)
{
  return refuse (path, error);
}

/* --- pictures --- */

static bool
place (
    PacoPixels *pixels, const PacoFormat *format, size_t *bytes, GError **error)
{
  return paco_tool_failed (error,
      "the picture is Y, Cb, Cr, and this paco was built without GStreamer, "
      "which makes R, G, B of it; Y4M, PAM and raw files hold Y, Cb, Cr");
}

const PacoWriterKind paco_writer_video = {
  .name = "picture",
  .place = place,
};

const PacoPixels *
paco_to_rgb (PacoToRgb **state, const PacoPixels *pixels,
    const PacoWriterKind *kind, GError **error)
{
  return NULL;
}

void
paco_to_rgb_free (PacoToRgb *state)
{
}

PacoSheet *
paco_sheet_new (unsigned width, unsigned height, GError **error)
{
  paco_tool_failed (error,
      "this paco was built without GStreamer, which draws sheets of pictures");
  return NULL;
}

void
paco_sheet_free (PacoSheet *sheet)
{
}

bool
paco_sheet_add (PacoSheet *sheet, const PacoPixels *pixels,
    const PacoSheetArea *area, GError **error)
{
  return false;
}

void
paco_sheet_write (PacoSheet *sheet, const char *text, const PacoSheetArea *area)
{
}

const uint8_t *
paco_sheet_finish (PacoSheet *sheet, GError **error)
{
  return NULL;
}
