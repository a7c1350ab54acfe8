/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The reference decoder as a module of WebAssembly, for worker.js: what it needs of a C
 * library, and functions whose arguments are numbers. It imports nothing. */
#include "paco-decoder.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__ ((export_name (#name)))

/* --- the C library --- */

/* Without loops that a compiler takes for these functions themselves. */
void *
memcpy (void *to, const void *from, size_t n)
{
  return __builtin_memcpy (to, from, n);
}

void *
memset (void *to, int value, size_t n)
{
  return __builtin_memset (to, value, n);
}

int
memcmp (const void *a, const void *b, size_t n)
{
  const uint8_t *p = a, *q = b;

  for (size_t i = 0; i < n; i++)
    if (p[i] != q[i])
      return p[i] - q[i];
  return 0;
}

void *
memchr (const void *in, int value, size_t n)
{
  for (const uint8_t *p = in; n > 0; p++, n--)
    if (*p == (uint8_t) value)
      return (void *) (uintptr_t) p;
  return NULL;
}

/* The product of binary32 is exact in binary64. The sum is rounded to odd there, so that
 * rounding it again, to binary32, gives what one rounding would have given. */
float
fmaf (float a, float b, float c)
{
  double product = (double) a * b, sum = product + c;
  double part = sum - product;
  double error = (product - (sum - part)) + (c - part);
  int64_t bits;

  memcpy (&bits, &sum, sizeof bits);
  if ((error > 0 || error < 0) && bits % 2 == 0) {
    bits += (error > 0) == (sum > 0) ? 1 : -1;
    memcpy (&sum, &bits, sizeof sum);
  }
  return (float) sum;
}

/* --- memory: a list of all pieces by their addresses, the first that fits is taken --- */

typedef struct Piece
{
  size_t size; /* bytes after this struct */
  struct Piece *next;
  uint32_t used, unused[1];
} Piece;

enum
{
  PAGE = 65536,
  ALIGN = 16,
};

extern uint8_t __heap_base;
static Piece *first_piece;

/* Makes memory larger by a piece after all others; NULL if the browser refuses. */
static Piece *
grow (size_t size)
{
  size_t pages = (size + sizeof (Piece) + PAGE - 1) / PAGE;
  size_t before = pages > 65535 ? SIZE_MAX
                                : __builtin_wasm_memory_grow (0, pages);
  Piece *piece = (Piece *) (before * PAGE);

  if (before == SIZE_MAX)
    return NULL;
  *piece = (Piece){ .size = pages * PAGE - sizeof *piece };
  return piece;
}

void *
malloc (size_t size)
{
  Piece **link = &first_piece;

  if (size > SIZE_MAX - PAGE)
    return NULL;
  size = (size + ALIGN - 1) / ALIGN * ALIGN;
  while (*link && ((*link)->used || (*link)->size < size))
    link = &(*link)->next;
  if (!*link)
    *link = grow (size);
  if (!*link)
    return NULL;
  if ((*link)->size >= size + sizeof (Piece) + PAGE) {
    Piece *rest = (Piece *) ((uint8_t *) (*link + 1) + size);

    *rest = (Piece){ (*link)->size - size - sizeof *rest, (*link)->next, 0,
      { 0 } };
    (*link)->size = size;
    (*link)->next = rest;
  }
  (*link)->used = 1;
  return *link + 1;
}

void *
calloc (size_t n, size_t size)
{
  void *memory = size > 0 && n > SIZE_MAX / size ? NULL : malloc (n * size);

  return memory ? memset (memory, 0, n * size) : NULL;
}

void
free (void *memory)
{
  if (!memory)
    return;
  ((Piece *) memory - 1)->used = 0;
  for (Piece *piece = first_piece; piece; piece = piece->next)
    while (!piece->used && piece->next && !piece->next->used
        && (uint8_t *) (piece + 1) + piece->size == (uint8_t *) piece->next) {
      piece->size += sizeof *piece + piece->next->size;
      piece->next = piece->next->next;
    }
}

/* --- functions for JavaScript --- */

static uint8_t *input;
static PacoReferencePicture pictures[PACO_REFERENCE_MAX_STACK];
static PacoReferencePicture *slices[PACO_REFERENCE_MAX_STACK];
static PacoReferenceHeader header;
static const char *message;
static uint32_t numbers[64];

/* Forgets what was decoded, and returns room for the bytes of a frame, or NULL. */
EXPORT (room) uint8_t *room (size_t size)
{
  free (input);
  input = malloc (size);
  return input;
}

EXPORT (text) const char *text (void)
{
  return message ? message : "there is not enough memory for the frame";
}

/* Returns numbers of what was read or decoded last; worker.js knows their order. */
EXPORT (describe) const uint32_t *describe (void)
{
  uint32_t *n = numbers;
  const PacoReferenceSlice *slice = &header.slice;
  const uint32_t all[] = { header.width, header.height, header.n_components,
    header.levels, header.matrix, header.range, header.transfer, header.mosaic,
    header.fields, header.color_transform, header.fps_n, header.fps_d,
    slice->length, slice->position, slice->depth };

  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    *n++ = all[i];
  for (unsigned c = 0; c < 4; c++) {
    *n++ = header.components[c].depth;
    *n++ = header.components[c].kind;
    *n++ = header.components[c].subsampling_x;
    *n++ = header.components[c].subsampling_y;
    *n++ = header.components[c].wavelet;
  }
  return numbers;
}

EXPORT (read) PacoReferenceStatus read (size_t size)
{
  return paco_reference_read_header (input, size, &header, &message);
}

EXPORT (forget) void forget (void)
{
  for (unsigned p = 0; p < PACO_REFERENCE_MAX_STACK; p++) {
    paco_reference_picture_clear (&pictures[p]);
    slices[p] = NULL;
  }
}

/* Decodes the frame, which is at `input`, to picture p. */
EXPORT (decode)
PacoReferenceStatus
decode (size_t size, unsigned reduce, unsigned p)
{
  PacoReferenceOptions options = { .reduce = reduce };
  PacoReferenceStatus status;

  paco_reference_picture_clear (&pictures[p]);
  slices[p] = NULL;
  status = paco_reference_decode_frame (
      input, size, &options, &pictures[p], &message);
  if (status == PACO_REFERENCE_DONE) {
    slices[p] = &pictures[p];
    header = pictures[p].header;
  }
  return status;
}

/* Makes pictures of the slices that were decoded. */
EXPORT (stack) PacoReferenceStatus stack (void)
{
  return paco_reference_undo_stack (slices, &message);
}

EXPORT (broken) uint32_t broken (unsigned p)
{
  return pictures[p].broken_blocks;
}

/* Returns a component of picture p: width, height, samples. */
EXPORT (component) const PacoReferenceImage *component (unsigned p, unsigned c)
{
  return &pictures[p].components[c];
}
