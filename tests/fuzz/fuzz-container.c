/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Fuzzes MOV, MP4 and Matroska files as the tool's commands read them: all frames in
 * order, from a number on, counted, and the sound. Numbers of frames and of missing ones
 * add up, what fails says why, and everything ends. The first byte has bits 0-1 what is
 * done and bits 2-7 the number that is sought. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sandbox.h"
#include "tool/input.h"
#include "tool/container.h"
#include <stdio.h>
#include <string.h>

enum
{
  READ,
  SEEK,
  COUNT,
  SOUND,
  N_WHAT,
};

/* Demuxers are not ours: what they complain of ends no target. */
static void
ignore (const gchar *domain, GLogLevelFlags level, const gchar *message,
    gpointer data)
{
}

/* Reads on to the end. The first frame is at most `first` if it was sought. */
static void
read_frames (PacoInput *input, uint64_t first)
{
  PacoInputFrame frame;
  PacoInputResult result;
  GError *error = NULL;
  uint64_t number = 0;
  bool begun = false;

  while (
      (result = paco_input_next (input, &frame, &error)) == PACO_INPUT_FRAME) {
    PacoInfo info = PACO_INFO_INIT;

    if (paco_probe (frame.frame.data, frame.frame.size, &info, NULL, NULL)
            != PACO_STATUS_OK
        || info.frame_size != frame.frame.size)
      fuzz_give_up ("frame", "it is none");
    if (begun ? frame.frame.number != number + frame.frame.missing
              : frame.frame.number > first)
      fuzz_give_up ("frame", "missing frames do not add up");
    number = frame.frame.number + 1;
    begun = true;
    paco_input_release (&frame);
  }
  if (result == PACO_INPUT_ERROR)
    fuzz_check_error (&error);
}

static void
read_input (const char *path, unsigned what, unsigned number)
{
  GError *error = NULL;
  PacoInput *input = paco_input_open (path, &error);

  if (!input) {
    fuzz_check_error (&error);
    return;
  }
  if (what == COUNT)
    paco_input_count (input);
  if (what == SEEK && !paco_input_seek (input, number, &error))
    fuzz_check_error (&error);
  else
    read_frames (input, what == SEEK ? number : 0);
  paco_input_close (input);
}

static bool
take_sound (void *user, unsigned track, const void *samples, size_t size,
    GError **error)
{
  g_free (g_memdup2 (samples, size));
  return true;
}

static void
read_sound (const char *path, unsigned n)
{
  GError *error = NULL;

  if (!paco_mux_read_sound (path, n, take_sound, NULL, &error))
    fuzz_check_error (&error);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *path = NULL;
  const char *name;

  if (size < 17)
    return 0;
  g_log_set_default_handler (ignore, NULL);
  name = data[1] == 0x1a ? "file.mkv" : "file.mov";
  fuzz_sandbox_plant ();
  fuzz_sandbox_file (name, data + 1, size - 1);
  path = g_build_filename (fuzz_sandbox_folder (), name, NULL);
  if (data[0] % N_WHAT == SOUND)
    read_sound (path, 1 + data[0] / N_WHAT % 4);
  else
    read_input (path, data[0] % N_WHAT, data[0] / N_WHAT);
  return 0;
}

FUZZ_MUTATOR (container)
