/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares tool/archive/kinds/dpx.c with other readers: what FFmpeg and ImageMagick see in
 * files of the tests' own writer is the picture that it gives, for all packings
 * that they read rightly; and files that they write come back as they are, with
 * the picture that FFmpeg sees in them. The tables say what the two do not
 * read, and why they are not asked for it.
 *
 *     dpx-readers FOLDER   (which is made, and taken away again)
 *
 * The exit code is 77 if neither program is there. */
#include "tool/archive/source.h"
#include "dpx-writer.h"
#include "restoring.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#define SKIPPED 77

/* This says where samples of a raw format are: where component c of R, G, B, A
 * (or Y, Cb, Cr, A) is. */
typedef struct
{
  const char *name;
  guint bytes; /* of a sample, little-endian */
  gboolean planar;
  const char *letters; /* of a pixel, or one for each plane */
} RawFormat;

static const RawFormat raw_formats[] = {
  { "gray", 1, FALSE, "Y" },
  { "gray10le", 2, FALSE, "Y" },
  { "gray12le", 2, FALSE, "Y" },
  { "gray16le", 2, FALSE, "Y" },
  { "rgb24", 1, FALSE, "RGB" },
  { "gbrp10le", 2, TRUE, "GBR" },
  { "gbrp12le", 2, TRUE, "GBR" },
  { "rgb48le", 2, FALSE, "RGB" },
  { "rgba", 1, FALSE, "RGBA" },
  { "gbrap10le", 2, TRUE, "GBRA" },
  { "gbrap12le", 2, TRUE, "GBRA" },
  { "rgba64le", 2, FALSE, "RGBA" },
  { "uyvy422", 1, FALSE, "UYVY" },
  { "yuv444p", 1, TRUE, "YUV" },
  { "yuva444p", 1, TRUE, "YUVA" },
};

/* This is a file that a reader is to look into. */
typedef struct
{
  char *path;
  const RawFormat *raw;
  gboolean
      magick; /* ImageMagick's values have 16 bits, whatever the file's have */
} Question;

static GArray *questions;

static void
ask (const char *path, const char *raw, gboolean magick)
{
  Question question = { g_strdup (path), NULL, magick };

  for (guint i = 0; i < G_N_ELEMENTS (raw_formats); i++)
    if (strcmp (raw_formats[i].name, raw) == 0)
      question.raw = &raw_formats[i];
  g_assert_nonnull (question.raw);
  g_array_append_val (questions, question);
}

static void
question_clear (gpointer data)
{
  g_free (((Question *) data)->path);
}

/* --- files ------------------------------------------------------------------- */

static char *
file_name (const char *folder, const DpxCase *c)
{
  return g_strdup_printf ("%s/%u-%u-%u-%u-%s.dpx", folder,
      c->elements[0].descriptor, c->elements[0].depth, c->elements[0].packing,
      c->width, c->big_endian ? "be" : "le");
}

static char *
write_file (GRand *rand, const char *folder, const DpxCase *c)
{
  char *path = file_name (folder, c);
  GError *error = NULL;
  DpxFile file;

  dpx_file_write (rand, c, &file);
  g_file_set_contents (
      path, (char *) file.bytes->data, file.bytes->len, &error);
  g_assert_no_error (error);
  dpx_file_clear (&file);
  return path;
}

/* This is what a reader is asked for. Packings are bits: 1 packed, 2 method A,
 * 4 method B. Orders: 1 little-endian, 2 big-endian. */
typedef struct
{
  guint descriptor, depth, packings, orders;
  const char *raw;
} Row;

/* FFmpeg 5.1 reads all of its gray, RGB and RGBA files but those of 10 bits that are
 * packed; ABGR, 4:2:2 and 4:4:4 of 8 bits, the latter two in big-endian files alone.
 * Of lines of 4:4:4 it does not leave out the padding. */
static const Row for_ffmpeg[] = {
  { 1, 8, 1, 3, "gray" },
  { 6, 8, 7, 3, "gray" },
  { 6, 10, 6, 3, "gray10le" },
  { 6, 12, 7, 3, "gray12le" },
  { 6, 16, 7, 3, "gray16le" },
  { 50, 8, 7, 3, "rgb24" },
  { 50, 10, 6, 3, "gbrp10le" },
  { 50, 12, 7, 3, "gbrp12le" },
  { 50, 16, 7, 3, "rgb48le" },
  { 51, 8, 7, 3, "rgba" },
  { 51, 10, 6, 3, "gbrap10le" },
  { 51, 12, 7, 3, "gbrap12le" },
  { 51, 16, 7, 3, "rgba64le" },
  { 52, 8, 1, 3, "rgba" },
  { 100, 8, 1, 2, "uyvy422" },
  { 102, 8, 1, 2, "yuv444p" },
  { 103, 8, 1, 2, "yuva444p" },
};

/* ImageMagick 6.9 reads method B as method A, ABGR as RGBA, samples of gray and RGBA
 * of 10 and 12 bits in other places, and does not leave out the padding of lines of 12
 * and 16 bits. But it knows 10 bits that are packed, which FFmpeg does not. */
static const Row for_magick[] = {
  { 6, 8, 7, 3, "gray16le" },
  { 6, 16, 7, 3, "gray16le" },
  { 50, 8, 7, 3, "rgb48le" },
  { 50, 10, 3, 3, "rgb48le" },
  { 50, 12, 3, 3, "rgb48le" },
  { 50, 16, 7, 3, "rgb48le" },
  { 51, 8, 7, 3, "rgba64le" },
  { 51, 16, 7, 3, "rgba64le" },
};

static void
ask_rows (
    GRand *rand, const char *folder, const Row *rows, guint n, gboolean magick)
{
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < 6; k++) {
      const Row *row = &rows[i];
      DpxCase c = { .big_endian = k % 2,
        .width = magick || row->descriptor >= 100 ? 36 : 37,
        .height = 5,
        .n_elements = 1,
        .elements = { { row->descriptor, row->depth, k / 2 } } };
      char *path;

      if (!(row->packings >> k / 2 & 1) || !(row->orders >> k % 2 & 1))
        continue;
      path = write_file (rand, folder, &c);
      ask (path, row->raw, magick);
      g_free (path);
    }
}

/* --- programs ---------------------------------------------------------------- */

static void add (GPtrArray *arguments, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

static void
add (GPtrArray *arguments, const char *format, ...)
{
  va_list values;

  va_start (values, format);
  g_ptr_array_add (arguments, g_strdup_vprintf (format, values));
  va_end (values);
}

/* Adds words that spaces part. */
static void
add_words (GPtrArray *arguments, const char *words)
{
  char **each = g_strsplit (words, " ", -1);

  for (guint i = 0; each[i]; i++)
    add (arguments, "%s", each[i]);
  g_strfreev (each);
}

static void
run (GPtrArray *arguments)
{
  GError *error = NULL;
  gint status;

  g_ptr_array_add (arguments, NULL);
  g_spawn_sync (NULL, (char **) arguments->pdata, NULL,
      G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, NULL,
      &status, &error);
  g_assert_no_error (error);
  g_spawn_check_wait_status (status, &error);
  g_assert_no_error (error);
  g_ptr_array_unref (arguments);
}

/* Has a reader write the raw samples of all files that it is asked for. */
static void
run_ffmpeg (void)
{
  GPtrArray *arguments = g_ptr_array_new_with_free_func (g_free);
  guint n = 0;

  add_words (arguments, "ffmpeg -nostdin -v error -y");
  for (guint i = 0; i < questions->len; i++)
    if (!g_array_index (questions, Question, i).magick)
      add (arguments, "-i"),
          add (arguments, "%s", g_array_index (questions, Question, i).path);
  for (guint i = 0; i < questions->len; i++) {
    const Question *question = &g_array_index (questions, Question, i);

    if (question->magick)
      continue;
    add (arguments, "-map");
    add (arguments, "%u:v", n++);
    add_words (arguments, "-frames:v 1 -f rawvideo -pix_fmt");
    add (arguments, "%s", question->raw->name);
    add (arguments, "%s.ffmpeg", question->path);
  }
  run (arguments);
}

static void
run_magick (const char *program)
{
  GPtrArray *arguments = g_ptr_array_new_with_free_func (g_free);

  add (arguments, "%s", program);
  for (guint i = 0; i < questions->len; i++) {
    const Question *question = &g_array_index (questions, Question, i);
    guint letters = (guint) strlen (question->raw->letters);

    if (!question->magick)
      continue;
    add (arguments, "(");
    add (arguments, "%s", question->path);
    add_words (arguments, "-set colorspace sRGB -depth 16 -endian LSB -write");
    add (arguments, "%s:%s.magick",
        letters == 1       ? "gray"
            : letters == 3 ? "rgb"
                           : "rgba",
        question->path);
    add_words (arguments, "+delete )");
  }
  add_words (arguments, "xc:black null:");
  run (arguments);
}

/* --- comparison ---------------------------------------------------------------- */

/* Returns a sample that a reader has written, of the component with a
 * letter. */
static guint
raw_sample (const Question *question, const guint8 *raw, guint32 width,
    guint32 height, char letter, guint32 x, guint32 y)
{
  const RawFormat *format = question->raw;
  const char *letters = format->letters;
  guint n = (guint) strlen (letters);
  guint c = (guint) (strchr (letters, letter) - letters);
  gsize at = ((gsize) y * width + x) * n + c;

  if (format->planar)
    at = ((gsize) c * height + y) * width + x;
  else if (n == 4 && letters[1] == 'Y') /* two pixels */
    at = ((gsize) y * width + x / 2 * 2) * 2
        + (letter == 'Y' ? 1 + x % 2 * 2 : c);
  return format->bytes == 1 ? raw[at]
                            : raw[2 * at] | (guint) raw[2 * at + 1] << 8;
}

static guint
compare (const Question *question, const Restoring *restoring,
    const guint16 *picture, const guint8 *raw)
{
  const PacoInfo *info = &restoring->source.info;
  const char *letters = info->n_components == 1 ? "Y"
      : info->matrix == 1                       ? "RGBA"
                                                : "YUVA";
  guint wrong = 0;

  for (guint c = 0; c < info->n_components; c++) {
    guint apart = 1u << info->subsampling_x[c];

    for (guint32 y = 0; y < info->height; y++)
      for (guint32 x = 0; x < info->width; x += apart) {
        guint value = raw_sample (
            question, raw, info->width, info->height, letters[c], x, y);

        /* ImageMagick's values were multiplied up to 16 bits, and rounded. */
        if (question->magick)
          value = (value * ((1u << info->depth[c]) - 1) + 32767) / 65535;
        wrong += *picture++ != value;
      }
  }
  return wrong;
}

/* Restores the file, and compares the picture with what the reader has seen. */
static void
check_answer (const Question *question, Restoring *restoring)
{
  const char *reader = question->magick ? "magick" : "ffmpeg";
  char *raw_path = g_strdup_printf ("%s.%s", question->path, reader);
  GError *error = NULL;
  guint16 *picture;
  char *file, *raw;
  gsize size, raw_size;
  guint wrong;

  g_file_get_contents (question->path, &file, &size, &error);
  g_assert_no_error (error);
  g_file_get_contents (raw_path, &raw, &raw_size, &error);
  g_assert_no_error (error);
  restoring_check (restoring, (guint8 *) file, size, &error);
  g_assert_no_error (error);
  picture = restoring_picture (restoring);
  g_assert_cmpuint (raw_size, ==,
      (gsize) restoring->source.info.width * restoring->source.info.height
          * (question->raw->letters[0] == 'U' ? 2
                                              : strlen (question->raw->letters))
          * question->raw->bytes);
  wrong = compare (question, restoring, picture, (guint8 *) raw);
  if (wrong > 0)
    g_error ("%s: %u samples are others than %s sees", question->path, wrong,
        reader);
  g_unlink (raw_path);
  g_free (raw_path);
  g_free (file);
  g_free (raw);
  g_free (picture);
}

/* --- files of others -------------------------------------------------------------- */

/* This is what FFmpeg writes, and what it is read as. */
static const struct
{
  const char *written, *raw;
} of_ffmpeg[] = {
  { "gray", "gray" },
  { "gray16le", "gray16le" },
  { "gray16be", "gray16le" },
  { "rgb24", "rgb24" },
  { "rgba", "rgba" },
  { "abgr", "rgba" },
  { "rgb48le", "rgb48le" },
  { "rgb48be", "rgb48le" },
  { "rgba64le", "rgba64le" },
  { "rgba64be", "rgba64le" },
  { "gbrp10le", "gbrp10le" },
  { "gbrp10be", "gbrp10le" },
  { "gbrp12le", "gbrp12le" },
  { "gbrp12be", "gbrp12le" },
};

static void
write_by_ffmpeg (const char *folder)
{
  GPtrArray *arguments = g_ptr_array_new_with_free_func (g_free);

  add_words (arguments,
      "ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=size=37x5:rate=1");
  for (guint i = 0; i < G_N_ELEMENTS (of_ffmpeg); i++) {
    char *path = g_strdup_printf (
        "%s/of-ffmpeg-%s.dpx", folder, of_ffmpeg[i].written);

    add_words (arguments, "-frames:v 1 -pix_fmt");
    add (arguments, "%s", of_ffmpeg[i].written);
    add (arguments, "%s", path);
    ask (path, of_ffmpeg[i].raw, FALSE);
    g_free (path);
  }
  run (arguments);
}

/* This is what ImageMagick writes, and what FFmpeg reads it as. */
static const struct
{
  const char *colors;
  guint depth;
  const char *raw;
} of_magick[] = {
  { "gray", 8, "gray" },
  { "gray", 10, "gray10le" },
  { "gray", 12, "gray12le" },
  { "gray", 16, "gray16le" },
  { "sRGB", 8, "rgb24" },
  { "sRGB", 10, "gbrp10le" },
  { "sRGB", 12, "gbrp12le" },
  { "sRGB", 16, "rgb48le" },
};

static void
write_by_magick (const char *program, const char *folder)
{
  GPtrArray *arguments = g_ptr_array_new_with_free_func (g_free);

  add (arguments, "%s", program);
  add_words (arguments, "-size 36x5");
  for (guint i = 0; i < G_N_ELEMENTS (of_magick); i++) {
    char *path = g_strdup_printf ("%s/of-magick-%s-%u.dpx", folder,
        of_magick[i].colors, of_magick[i].depth);

    add_words (arguments, "( plasma:red-blue -colorspace");
    add (arguments, "%s", of_magick[i].colors);
    add (arguments, "-depth");
    add (arguments, "%u", of_magick[i].depth);
    add (arguments, "-write");
    add (arguments, "%s", path);
    add_words (arguments, "+delete )");
    ask (path, of_magick[i].raw, FALSE);
    g_free (path);
  }
  add_words (arguments, "xc:black null:");
  run (arguments);
}

static void
remove_folder (const char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir))) {
    char *path = g_build_filename (folder, name, NULL);

    g_unlink (path);
    g_free (path);
  }
  if (dir)
    g_dir_close (dir);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  char *ffmpeg = g_find_program_in_path ("ffmpeg");
  char *magick = g_find_program_in_path ("convert"), *folder;
  GRand *rand = g_rand_new ();
  Restoring restoring;

  if (!ffmpeg)
    printf ("SKIPPED: ffmpeg is not there\n");
  if (!magick)
    printf ("SKIPPED: ImageMagick's convert is not there\n");
  if (!ffmpeg && !magick)
    return SKIPPED;
  folder = g_dir_make_tmp ("paco-dpx-XXXXXX", NULL);
  g_assert_nonnull (folder);
  questions = g_array_new (FALSE, FALSE, sizeof (Question));
  g_array_set_clear_func (questions, question_clear);
  if (ffmpeg) {
    ask_rows (rand, folder, for_ffmpeg, G_N_ELEMENTS (for_ffmpeg), FALSE);
    write_by_ffmpeg (folder);
    if (magick)
      write_by_magick (magick, folder);
    run_ffmpeg ();
  }
  if (magick) {
    ask_rows (rand, folder, for_magick, G_N_ELEMENTS (for_magick), TRUE);
    run_magick (magick);
  }
  restoring_init (&restoring, &paco_source_dpx);
  for (guint i = 0; i < questions->len; i++)
    check_answer (&g_array_index (questions, Question, i), &restoring);
  printf ("%u files are what other readers see\n", questions->len);
  restoring_clear (&restoring);
  g_array_unref (questions);
  remove_folder (folder);
  g_rand_free (rand);
  g_free (folder);
  g_free (ffmpeg);
  g_free (magick);
  return 0;
}
