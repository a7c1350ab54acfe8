/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Turns the frames of a .paco file into PNM files; it shows how paco-decoder.h is used.
 *
 *   cc -std=c99 -O2 paco-to-pnm.c paco-decoder.c -lm -o paco-to-pnm
 *   ./paco-to-pnm FILE PREFIX [LEVELS]
 *
 * Picture N becomes PREFIX-N.ppm if it is R, G and B, else PREFIX-N-C.pgm of each
 * component C. Samples are written as they are. LEVELS are left out (FORMAT.md 10). It
 * ends with 1 if anything is damaged or missing. */
#include "paco-decoder.h"
#include <stdio.h>
#include <stdlib.h>

/* What the program was asked for, and how far it is. */
typedef struct
{
  const char *prefix;
  PacoReferenceOptions options;
  unsigned n_pictures;
  int lossy; /* something was damaged or missing, and decoding continued */
  PacoReferencePicture *stack[PACO_REFERENCE_MAX_STACK]; /* slices, or NULL */
} Run;

static int
fail (const char *what, const char *why)
{
  fprintf (stderr, "paco-to-pnm: %s: %s\n", what, why);
  return 0;
}

/* Says what is damaged or missing, and lets the run continue. */
static void
lose (Run *run, const char *what, const char *why)
{
  run->lossy = 1;
  fail (what, why);
}

/* Reads a whole file into memory; NULL if that cannot be. */
static uint8_t *
read_file (const char *path, size_t *size)
{
  FILE *file = fopen (path, "rb");
  uint8_t *data = NULL, *more = NULL;
  size_t capacity = 0;
  int whole;

  *size = 0;
  while (file && *size == capacity) {
    more = (uint8_t *) realloc (data, capacity += 1 << 20);
    if (!more)
      break;
    data = more;
    *size += fread (data + *size, 1, capacity - *size, file);
  }
  whole = more && !ferror (file);
  if (file)
    fclose (file);
  if (whole)
    return data;
  free (data);
  return NULL;
}

/* Writes components first..first+n-1, which are of one size. */
static int
write_pnm (const char *path, const PacoReferencePicture *picture,
    unsigned first, unsigned n)
{
  const PacoReferenceImage *image = &picture->components[first];
  unsigned depth = picture->header.components[first].depth;
  size_t samples = (size_t) image->width * image->height;
  FILE *file = fopen (path, "wb");
  int good;

  if (!file)
    return fail (path, "it cannot be written");
  fprintf (file, "P%d\n%u %u\n%u\n", n == 3 ? 6 : 5, (unsigned) image->width,
      (unsigned) image->height, (1u << depth) - 1);
  for (size_t k = 0; k < samples; k++)
    for (unsigned c = 0; c < n; c++) {
      if (depth > 8)
        putc (image[c].samples[k] >> 8, file);
      putc (image[c].samples[k] & 0xff, file);
    }
  good = !ferror (file);
  good = fclose (file) == 0 && good;
  return good || fail (path, "it cannot be written");
}

static int
write_picture (Run *run, const PacoReferencePicture *picture)
{
  unsigned number = run->n_pictures++, c = 0;
  char path[4096];
  int good = 1;

  if (picture->header.matrix == 1 && picture->header.n_components >= 3) {
    snprintf (path, sizeof path, "%s-%u.ppm", run->prefix, number);
    good = write_pnm (path, picture, 0, 3);
    c = 3;
  }
  for (; good && c < picture->header.n_components; c++) {
    snprintf (path, sizeof path, "%s-%u-%u.pgm", run->prefix, number, c);
    good = write_pnm (path, picture, c, 1);
  }
  return good;
}

/* Writes the pictures of the slices that there are, and forgets them. */
static int
end_stack (Run *run)
{
  const char *why;
  unsigned n = 0, length = 0;
  int begins = run->stack[0] != NULL;
  int good = !begins
      || paco_reference_undo_stack (run->stack, &why) == PACO_REFERENCE_DONE
      || fail ("a stack", why);

  for (unsigned p = 0; p < PACO_REFERENCE_MAX_STACK; p++) {
    if (!run->stack[p])
      continue;
    n++;
    length = run->stack[p]->header.slice.length;
    good = good && (!begins || write_picture (run, run->stack[p]));
    paco_reference_picture_clear (run->stack[p]);
    free (run->stack[p]);
    run->stack[p] = NULL;
  }
  if (n < length)
    lose (run, "a stack",
        begins ? "slices are missing" : "the first slice is missing");
  return good;
}

/* Writes a picture, or keeps it as a slice of a stack. */
static int
take_picture (Run *run, PacoReferencePicture *picture)
{
  const PacoReferenceSlice *slice = &picture->header.slice;
  int good = (slice->position > 0 && !run->stack[slice->position])
      || end_stack (run);

  if (good && slice->length > 0) {
    run->stack[slice->position] = picture;
    return slice->position + 1 < slice->length || end_stack (run);
  }
  good = good && write_picture (run, picture);
  paco_reference_picture_clear (picture);
  free (picture);
  return good;
}

static int
decode_file (Run *run, const char *path)
{
  size_t size, at = 0;
  uint8_t *data = read_file (path, &size);
  int good = data != NULL || fail (path, "it cannot be read");

  while (good && at < size) {
    const char *why = "there is not enough memory";
    PacoReferencePicture *picture = (PacoReferencePicture *) malloc (
        sizeof *picture);

    good = (picture
               && paco_reference_decode_frame (
                      data + at, size - at, &run->options, picture, &why)
                   == PACO_REFERENCE_DONE)
        || fail (path, why);
    if (!good) {
      free (picture);
      break;
    }
    if (picture->broken_blocks > 0)
      lose (run, path, "blocks are damaged, and shown as zero");
    at += picture->header.frame_size;
    good = take_picture (run, picture);
  }
  good = end_stack (run) && good;
  free (data);
  return good;
}

int
main (int argc, char **argv)
{
  static Run run;

  if (argc < 3 || argc > 4)
    return !fail ("usage", "paco-to-pnm FILE PREFIX [LEVELS]");
  run.prefix = argv[2];
  run.options.reduce = argc == 4 ? (unsigned) atoi (argv[3]) : 0;
  return !decode_file (&run, argv[1]) || run.lossy;
}
