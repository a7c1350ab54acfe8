/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements runs.h. */
#include "tests/lib/runs.h"
#include "tests/lib/status.h"

/* --- frames --- */

uint64_t
offset_of (const Run *run, unsigned i)
{
  return g_array_index (run->offsets, uint64_t, i);
}

unsigned
n_frames_of (const Run *run)
{
  return run->offsets->len - 1;
}

size_t
size_of (const Run *run, unsigned i)
{
  return (size_t) (offset_of (run, i + 1) - offset_of (run, i));
}

void
add_frame (Run *run, PacoFrameEncoder *encoder, PacoInfo *info)
{
  uint64_t end;
  PacoImage image;
  PacoFrame frame;
  size_t bytes;

  /* Sizes are such that none is 16 times another one, by which lib/stream/gaps.c
   * counts those that are missing. */
  info->width = (uint32_t) g_test_rand_int_range (30, 90);
  info->height = (uint32_t) g_test_rand_int_range (30, 90);
  image = new_image_of (info, 0, 0, &bytes);
  for (size_t k = 0; k < bytes; k++)
    ((uint8_t *) image.data[0])[k] = (uint8_t) g_test_rand_int ();
  OK (paco_frame_encoder_configure (encoder, info, &error));
  OK (paco_frame_encoder_encode (encoder, &image, NULL, &frame, &error));
  g_byte_array_append (run->bytes, frame.data, (guint) frame.size);
  info->place_number++;
  info->place_offset += frame.size;
  end = run->bytes->len;
  g_array_append_val (run->offsets, end);
  paco_frame_release (&frame);
  g_free (image.data[0]);
}

PacoFrameEncoder *
new_encoder (void)
{
  PacoFrameEncoder *encoder = paco_frame_encoder_new ();

  OK (paco_frame_encoder_set (encoder, "backend", "cpu", &error));
  OK (paco_frame_encoder_set (encoder, "threads", "1", &error));
  return encoder;
}

Run *
new_run (unsigned n, bool places)
{
  Run *run = g_new0 (Run, 1);
  g_autoptr (PacoFrameEncoder) encoder = new_encoder ();
  PacoInfo info = gray_info (0, 0);
  uint64_t none = 0;

  run->bytes = g_byte_array_new ();
  run->offsets = g_array_new (FALSE, FALSE, sizeof (uint64_t));
  g_array_append_val (run->offsets, none);
  info.fps_n = 24;
  info.fps_d = 1;
  info.has_place = places;
  for (unsigned i = 0; i < n; i++)
    add_frame (run, encoder, &info);
  return run;
}

void
run_free (Run *run)
{
  g_byte_array_unref (run->bytes);
  g_array_unref (run->offsets);
  g_free (run);
}

/* --- files --- */

static char *folder;

char *
path_of (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

char *
save (const char *name, const void *data, size_t size)
{
  char *path = path_of (name);

  g_assert_true (g_file_set_contents (path, data, (gssize) size, NULL));
  return path;
}

void
assert_file (const char *path, const void *data, size_t size)
{
  g_autofree char *contents = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  g_assert_cmpmem (contents, length, data, size);
}

void
write_frames (PacoWriter *writer, const Run *run, unsigned from, unsigned to)
{
  for (unsigned i = from; i < to; i++)
    OK (paco_writer_add (writer, run->bytes->data + offset_of (run, i),
        size_of (run, i), &error));
}

void
check_frame (const PacoFrame *frame, const Run *run, unsigned i)
{
  g_assert_cmpmem (frame->data, frame->size,
      run->bytes->data + offset_of (run, i), size_of (run, i));
  g_assert_nonnull (frame->owner);
}

int
run_in_folder (void)
{
  int status;

  folder = g_dir_make_tmp ("paco-files-XXXXXX", NULL);
  g_assert_nonnull (folder);
  status = g_test_run ();
  remove_folder (folder);
  g_free (folder);
  return status;
}
