/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the index of a file (lib/stream/frame_index.c) on files that do not exist, but
 * are made as they are read: of any length, whole, joined, cut and damaged. It compares
 * positions with those that the file was made from, and counts reads. */
#include "pacoframes.h"
#include "lib/stream/frame_index.h"
#include "tests/codec/n-cases.h"
#include <math.h>

/* This is the most that a lookup may read, in any file. */
#define MOST_READS 200
/* It may read that many times the largest frame, in blocks. */
#define MOST_BYTES_IN_FRAMES 40
/* It may read that much of a file that is hopped through, beside the
 * headers. */
#define MOST_BYTES_BEFORE_HOPS (200 << 20)

typedef struct
{
  guint64 offset;
  guint32 size, number;
  guint64 place;
  gboolean has_place, damaged;
  guint fps;
} Frame;

typedef struct
{
  GArray *frames;
  guint64 size;
  guint32 largest;
} File;

static PacoHeader template;

static void
make_template (void)
{
  g_autoptr (GByteArray)
      frame = paco_test_frame (&(PacoFrameSpec){ 1, 1, 25, 1, 1, 1 }, 0);

  fail_unless (
      paco_header_parse (frame->data, frame->len, &template, NULL, NULL));
  /* Frames of any size that the tests ask for are possible ones. */
  template.picture.width = template.picture.height = 16384;
}

/* --- files ------------------------------------------------------------ */

static File
new_file (void)
{
  if (!template.header_size)
    make_template ();
  return (File){ g_array_new (FALSE, TRUE, sizeof (Frame)) };
}

static void
free_file (File *file)
{
  g_array_unref (file->frames);
}

static Frame *
nth (const File *file, guint64 n)
{
  return &g_array_index (file->frames, Frame, n);
}

typedef guint32 (*Size) (guint n, guint total);

static guint32
any_size (guint n, guint total)
{
  return 120 * pow (1000, g_random_double ());
}

static guint32
same_size (guint n, guint total)
{
  return 5000;
}

static guint32
growing_size (guint n, guint total)
{
  return 120 + (guint64) 120000 * n / total;
}

static guint32
two_sizes (guint n, guint total)
{
  return n < total / 2 ? 120 : 120000;
}

/* Appends a stream of frames from number `from` to `to`: `from` above 0 is one
 * whose beginning is missing. */
static void
append_stream (File *file, guint from, guint to, Size size)
{
  guint64 place = 0;

  for (guint n = 0; n < to; n++) {
    Frame frame = { file->size, MAX (size (n, to), 110), n, place, TRUE, FALSE,
      25 };

    place += frame.size;
    if (n < from)
      continue;
    file->size += frame.size;
    file->largest = MAX (file->largest, frame.size);
    g_array_append_val (file->frames, frame);
  }
}

/* Cuts bytes off the start. */
static void
cut_start (File *file, guint64 bytes)
{
  guint n = 0;

  while (nth (file, n)->offset < bytes)
    n++;
  g_array_remove_range (file->frames, 0, n);
  for (guint i = 0; i < file->frames->len; i++)
    nth (file, i)->offset -= bytes;
  file->size -= bytes;
}

static void
write_header (const Frame *frame, guint8 *data)
{
  PacoHeader header = template;

  header.frame_size = frame->size;
  header.video.fps_n = frame->fps;
  header.video.has_place = frame->has_place;
  header.video.place = (PacoPlace){ frame->number, frame->place };
  g_assert_cmpuint (paco_header_write (&header, data), <=, 110);
  if (frame->damaged)
    data[60] ^= 1;
}

/* Reads the file, which has zeros between headers, with a magic here and
 * there. */
static gsize
read_file (gpointer source, guint64 offset, guint8 *data, gsize size)
{
  const File *file = source;
  guint low = 0, high = file->frames->len;

  g_assert_cmpuint (offset + size, <=, file->size);
  memset (data, 0, size);
  for (gsize i = (4096 - offset % 4096) + 17; i + 4 <= size; i += 4096)
    memcpy (data + i, "PACO", 4);
  while (high - low > 1) {
    guint middle = (low + high) / 2;

    if (nth (file, middle)->offset <= offset)
      low = middle;
    else
      high = middle;
  }
  for (; low < file->frames->len; low++) {
    const Frame *frame = nth (file, low);
    guint8 header[PACO_MAX_HEADER_SIZE] = { 0 };

    if (frame->offset >= offset + size)
      break;
    write_header (frame, header);
    for (guint i = 0; i < 110; i++)
      if (frame->offset + i >= offset && frame->offset + i < offset + size)
        data[frame->offset + i - offset] = header[i];
  }
  return size;
}

/* --- looking ---------------------------------------------------------- */

typedef struct
{
  PacoFile reader;
  PacoFrameIndex *index;
} Look;

static void
open_index (Look *look, File *file)
{
  PacoFileFrame first;

  paco_file_init (&look->reader, read_file, file, file->size);
  fail_unless (paco_file_next_frame (&look->reader, 0, file->size, &first));
  look->index = paco_frame_index_new (&first, false);
}

static void
close_index (Look *look)
{
  paco_frame_index_unref (look->index);
  paco_file_clear (&look->reader);
}

/* Checks that frame n, before which `number` are missing, is found where it
 * is. */
static void
expect_found (Look *look, const File *file, guint i, guint64 n)
{
  const Frame *frame = nth (file, i);
  guint64 found = n, offset = 0, number;
  PacoFile reader;
  PacoFileFrame at;

  paco_file_init (&reader, read_file, (gpointer) file, file->size);
  g_assert_true (paco_frame_index_find (look->index, &reader, &found, &offset));
  g_assert_cmpuint (found, ==, n);
  g_assert_cmpuint (offset, ==, frame->offset);
  g_assert_cmpuint (reader.reads, <=, MOST_READS);
  g_assert_cmpuint (
      reader.bytes, <=, MOST_BYTES_IN_FRAMES * (file->largest + 8192));
  g_assert_true (paco_file_frame_at (&reader, offset, &at));
  g_assert_true (paco_frame_index_number (look->index, &at, &number));
  g_assert_cmpuint (number, ==, n);
  paco_file_clear (&reader);
}

/* Checks that all of the file is known after few reads. */
static void
expect_exact (File *file, guint n_frames, guint n_streams)
{
  Look look;

  open_index (&look, file);
  while (paco_frame_index_extend (look.index, &look.reader, 1, 1000))
    ;
  fail_unless (paco_frame_index_is_complete (look.index));
  fail_unless_equals_uint64 (paco_frame_index_n_frames (look.index), n_frames);
  fail_unless (look.reader.reads <= 20 * (guint64) n_streams + 60,
      "%" G_GUINT64_FORMAT " reads", look.reader.reads);
  for (guint i = 0; i < n_cases (300); i++) {
    guint n = i == 0 ? n_frames - 1 : g_random_int () % n_frames;

    n = i < 5 && i > 0 ? (i - 1) % n_frames : n;
    expect_found (&look, file, n, n);
  }
  close_index (&look);
}

/* Checks that nothing but hopping helps, and that hopping finds the frames that
 * are there. */
static void
expect_hops (File *file)
{
  Look look;

  open_index (&look, file);
  while (paco_frame_index_extend (look.index, &look.reader, 1000, 0))
    ;
  fail_unless_equals_uint64 (
      paco_frame_index_n_frames (look.index), file->frames->len);
  fail_unless (look.reader.bytes
          <= MOST_BYTES_BEFORE_HOPS + 1024 * (guint64) file->frames->len,
      "%" G_GUINT64_FORMAT " bytes", look.reader.bytes);
  for (guint i = 0; i < 100; i++) {
    guint n = g_random_int_range (0, file->frames->len);

    expect_found (&look, file, n, n);
  }
  close_index (&look);
}

static const Size sizes[] = { any_size, same_size, growing_size, two_sizes };

LOOP_TEST (test_one_stream, G_N_ELEMENTS (sizes))
{
  File file = new_file ();

  append_stream (&file, 0, 150000, sizes[__i__]);
  expect_exact (&file, 150000, 1);
  free_file (&file);
}

TEST (test_short_files)
{
  for (guint n = 1; n < 40; n++) {
    File file = new_file ();

    append_stream (&file, 0, n, any_size);
    expect_exact (&file, n, 1);
    free_file (&file);
  }
}

/* Tests files of two streams, of thousands, of copies and of others. */
LOOP_TEST (test_joined, G_N_ELEMENTS (sizes))
{
  static const guint counts[] = { 2, 30, 3000 };

  for (guint k = 0; k < G_N_ELEMENTS (counts); k++) {
    File file = new_file ();

    for (guint i = 0; i < counts[k]; i++)
      append_stream (
          &file, 0, k == 1 ? 1 + g_random_int () % 3000 : 60, sizes[__i__]);
    expect_exact (&file, file.frames->len, counts[k]);
    free_file (&file);
  }
}

static guint32
huge_size (guint n, guint total)
{
  return 22 << 20;
}

/* Tests that streams of few large frames are hopped through: finding each of
 * them from its end would read most of the file. */
TEST (test_joined_large_frames)
{
  File file = new_file ();

  for (guint i = 0; i < 300; i++)
    append_stream (&file, 0, 1 + i % 3, huge_size);
  expect_hops (&file);
  free_file (&file);
}

LOOP_TEST (test_cut_start, G_N_ELEMENTS (sizes))
{
  for (guint i = 0; i < 20; i++) {
    File file = new_file ();

    append_stream (&file, 0, 2000, sizes[__i__]);
    cut_start (&file, g_random_int_range (1, nth (&file, 1500)->offset));
    if (i % 2)
      append_stream (&file, 0, 300, any_size);
    expect_exact (&file, file.frames->len, 2);
    free_file (&file);
  }
}

/* Tests that what the end has cut is no frame, and what stands behind it is none. */
LOOP_TEST (test_cut_end, G_N_ELEMENTS (sizes))
{
  for (guint i = 0; i < 20; i++) {
    File file = new_file ();
    Frame *last;

    append_stream (&file, 0, 2000, sizes[__i__]);
    last = nth (&file, 1999);
    file.size = last->offset + (i < 3 ? i : g_random_int () % last->size);
    expect_exact (&file, 1999, 1);
    file.size = last->offset + last->size + g_random_int_range (1, 100000);
    expect_exact (&file, 2000, 1);
    free_file (&file);
  }
}

/* Tests that damaged frames are missing, and the others are where they are and
 * when. */
LOOP_TEST (test_damaged_middle, G_N_ELEMENTS (sizes))
{
  File file = new_file ();
  Look look;

  append_stream (&file, 0, 20000, sizes[__i__]);
  for (guint i = 0; i < 5; i++)
    for (guint k = 0; k < 1u << i; k++)
      nth (&file, 3000 * (i + 1) + k)->damaged = TRUE;
  open_index (&look, &file);
  while (paco_frame_index_extend (look.index, &look.reader, 1, 1000))
    ;
  fail_unless_equals_uint64 (paco_frame_index_n_frames (look.index), 20000);
  for (guint n = 2990; n<20000; n = n % 3000> 20 ? n + 2970 : n + 1) {
    guint good = n;

    while (nth (&file, good)->damaged)
      good--;
    if (good == n) {
      expect_found (&look, &file, n, n);
    } else {
      guint64 found = n, offset;

      fail_unless (
          paco_frame_index_find (look.index, &look.reader, &found, &offset));
      fail_unless_equals_uint64 (found, good);
      fail_unless_equals_uint64 (offset, nth (&file, good)->offset);
    }
  }
  close_index (&look);
  free_file (&file);
}

/* Tests frames that say nothing, frames that are missing, and streams whose
 * start is. */
TEST (test_what_does_not_add_up)
{
  File file = new_file ();
  guint64 gone = 0;

  append_stream (&file, 0, 5000, any_size);
  for (guint i = 0; i < file.frames->len; i++)
    nth (&file, i)->has_place = FALSE;
  expect_hops (&file);
  free_file (&file);

  file = new_file ();
  append_stream (&file, 0, 5000, any_size);
  for (guint i = 3000; i < 3010; i++)
    gone += nth (&file, i)->size;
  g_array_remove_range (file.frames, 3000, 10);
  for (guint i = 3000; i < file.frames->len; i++)
    nth (&file, i)->offset -= gone;
  file.size -= gone;
  expect_hops (&file);
  free_file (&file);

  file = new_file ();
  append_stream (&file, 0, 500, any_size);
  append_stream (&file, 7, 500, any_size);
  expect_hops (&file);
  append_stream (&file, 0, 500, any_size);
  expect_hops (&file);
  free_file (&file);

  file = new_file ();
  append_stream (&file, 0, 500, any_size);
  append_stream (&file, 0, 500, any_size);
  for (guint i = 500; i < 1000; i++)
    nth (&file, i)->fps = 50;
  expect_hops (&file);
  free_file (&file);
}

TEST_MAIN ("pacofileindex")
