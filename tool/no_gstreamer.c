/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Replaces container.c and mux.c if the program is built without GStreamer: every
 * function fails with a sentence that says so. */
#include "container.h"
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
paco_container_other_tracks (const PacoContainer *container)
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
paco_mux_read_sound (
    const char *path, PacoSoundFunction function, void *user, GError **error)
{
  return refuse (path, error);
}
