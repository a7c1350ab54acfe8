/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs the reference decoder as it stands by itself, for decoder-alone.py:
 *
 *   samples FILE LEVELS     writes the samples of each component of each picture, after a
 *                           line with its size; of a stack, those of its pictures
 *   memory FILE             decodes it again and again, with each allocation failing once
 *   damage SEED N FILE...   decodes them N times with other damage
 *
 * It includes the decoder to be where it allocates. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many allocations succeed before one fails; -1: all. */
static long allocations_left = -1;

static int
allocation_fails (void)
{
  if (allocations_left < 0)
    return 0;
  return allocations_left-- == 0;
}

static void *
counted_malloc (size_t size)
{
  return allocation_fails () ? NULL : malloc (size);
}

static void *
counted_calloc (size_t n, size_t size)
{
  return allocation_fails () ? NULL : calloc (n, size);
}

#define malloc counted_malloc
#define calloc counted_calloc
#include "paco-decoder.c"
#undef malloc
#undef calloc

static void
fail (const char *what, const char *why)
{
  fprintf (stderr, "decoder-alone: %s: %s\n", what, why);
  exit (1);
}

static uint8_t *
read_file (const char *path, size_t *size)
{
  FILE *file = fopen (path, "rb");
  uint8_t *data = (uint8_t *) calloc (1, 1 << 22);

  if (!file || !data)
    fail (path, "cannot be read");
  *size = fread (data, 1, 1 << 22, file);
  fclose (file);
  return data;
}

/* --- samples --- */

static void
write_samples (const PacoReferencePicture *picture)
{
  for (unsigned c = 0; c < picture->header.n_components; c++) {
    const PacoReferenceImage *image = &picture->components[c];
    int wide = picture->header.components[c].depth > 8;
    size_t n = (size_t) image->width * image->height;

    printf ("%lu\n", (unsigned long) (n * (wide ? 2 : 1)));
    for (size_t k = 0; k < n; k++) {
      putchar (image->samples[k] & 0xff);
      if (wide)
        putchar (image->samples[k] >> 8);
    }
  }
}

static void
write_all (const char *path, unsigned levels)
{
  PacoReferencePicture pictures[PACO_REFERENCE_MAX_STACK];
  PacoReferencePicture *slices[PACO_REFERENCE_MAX_STACK] = { NULL };
  PacoReferenceOptions options = { levels, 0, NULL };
  unsigned n = 0;
  const char *message;
  size_t size, at = 0;
  uint8_t *data = read_file (path, &size);

  for (; at < size; at += pictures[n++].header.frame_size) {
    if (n == PACO_REFERENCE_MAX_STACK
        || paco_reference_decode_frame (
            data + at, size - at, &options, &pictures[n], &message))
      fail (path, message);
    slices[n] = &pictures[n];
  }
  if (pictures[0].header.slice.length > 0
      && paco_reference_undo_stack (slices, &message))
    fail (path, message);
  for (unsigned i = 0; i < n; i++) {
    write_samples (&pictures[i]);
    paco_reference_picture_clear (&pictures[i]);
  }
  free (data);
}

/* --- memory --- */

static void
fail_each_allocation (const char *path)
{
  size_t size;
  uint8_t *data = read_file (path, &size);
  PacoReferenceConcealer *concealer = paco_reference_concealer_new ();
  PacoReferenceOptions options = { 0, 0, concealer };
  PacoReferencePicture picture;
  const char *message;

  for (long n = 0;; n++) {
    PacoReferenceStatus status;

    allocations_left = n;
    status = paco_reference_decode_frame (
        data, size, &options, &picture, &message);
    if (allocations_left >= 0 && status == PACO_REFERENCE_DONE)
      break;
    /* What is kept of a broken block may be missing without harm. */
    if (status == PACO_REFERENCE_DONE)
      paco_reference_picture_clear (&picture);
    else if (status != PACO_REFERENCE_MEMORY)
      fail (path, message);
  }
  paco_reference_picture_clear (&picture);
  paco_reference_concealer_free (concealer);
  free (data);
}

/* --- damage --- */

static uint64_t random_state;

static unsigned
draw (unsigned below)
{
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned) ((random_state >> 33) % below);
}

static void
put32 (uint8_t *data, uint32_t value)
{
  for (unsigned i = 0; i < 4; i++)
    data[i] = (uint8_t) (value >> (8 * i));
}

/* Makes the checksums right again, as far as the sizes can be so. */
static void
mend (uint8_t *data, size_t size)
{
  size_t header = get16 (data + 6);
  size_t index = get32 (data + 12);

  if (header < 80 || header > size)
    return;
  if (index <= size - header)
    put32 (data + 16, crc32_of (data + header, index));
  put32 (data + header - 4, crc32_of (data, header - 4));
}

static void
damage (uint8_t *data, size_t size)
{
  unsigned n = 1 + draw (4), kind = draw (4);
  size_t header = get16 (data + 6);

  for (unsigned i = 0; i < n; i++) {
    size_t end = kind == 0 ? header : kind == 1 ? header + 200 : size;
    size_t at = 20 + draw ((unsigned) (end < size ? end : size) - 20);

    data[at] = (uint8_t) (draw (2) ? data[at] ^ 1u << draw (8) : draw (256));
  }
  if (draw (8) > 0)
    mend (data, size);
}

static void
try_damaged (const char *path, unsigned n)
{
  size_t size;
  uint8_t *data = read_file (path, &size);
  PacoReferenceConcealer *concealer = paco_reference_concealer_new ();

  for (unsigned i = 0; i < n; i++) {
    PacoReferenceOptions options = { draw (4) ? 0 : draw (9), 1 << 18,
      draw (2) ? concealer : NULL };
    /* The sanitizer finds what is read after the end of memory of this size. */
    size_t length = draw (16) ? size : 1 + draw ((unsigned) size);
    uint8_t *copy = (uint8_t *) malloc (length);
    PacoReferencePicture picture;
    PacoReferencePicture *slices[PACO_REFERENCE_MAX_STACK] = { NULL };
    const char *message = NULL;

    memcpy (copy, data, length);
    if (length >= 100 && draw (10) > 0)
      damage (copy, length);
    if (paco_reference_decode_frame (copy, length, &options, &picture, &message)
        == PACO_REFERENCE_DONE) {
      slices[0] = &picture;
      paco_reference_undo_stack (slices, &message);
      paco_reference_picture_clear (&picture);
    } else if (!message || !*message) {
      fail (path, "it is refused without a reason");
    }
    free (copy);
  }
  paco_reference_concealer_free (concealer);
  free (data);
}

int
main (int argc, char **argv)
{
  if (argc == 4 && strcmp (argv[1], "samples") == 0)
    write_all (argv[2], (unsigned) atoi (argv[3]));
  else if (argc == 3 && strcmp (argv[1], "memory") == 0)
    fail_each_allocation (argv[2]);
  else if (argc > 4 && strcmp (argv[1], "damage") == 0)
    for (int i = 4; i < argc; i++) {
      random_state = (uint64_t) atoll (argv[2]) + (uint64_t) i;
      try_damaged (argv[i], (unsigned) atoi (argv[3]));
    }
  else
    return 2;
  return 0;
}
