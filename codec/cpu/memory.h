/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Memory in sizes of pictures, which may be refused and should have large pages: for
 * coefficients, windows of lines, coded blocks and coded frames of the CPU backend. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Allocates n elements, aligned to a cache line at least and not cleared. NULL if there
 * is not enough memory. */
void *paco_memory_new (size_t n, size_t element_size);
void paco_memory_free (void *memory);

typedef struct _PacoArenaChunk PacoArenaChunk;

/* Memory that several arenas may use before they allocate any of their own. Its owner
 * sets memory and size, and sets used to 0. */
typedef struct
{
  uint8_t *memory;
  size_t size;
  size_t used; /* atomic */
} PacoSpare;

/* A list of chunks into which bytes are appended; it grows by use and keeps
 * what it has until it is cleared. Used by one thread at a time. */
typedef struct
{
  PacoArenaChunk *first, *last; /* its own: all, and the last in use */
  PacoArenaChunk *current;
  PacoSpare *spare;
} PacoArena;

/* Empties the arena, keeps the memory. spare may be NULL. */
void paco_arena_reset (PacoArena *arena, PacoSpare *spare);
/* Reserves at least `size` contiguous bytes at the end of the arena, which stay free
 * until they are taken. NULL if there is no memory. */
uint8_t *paco_arena_reserve (PacoArena *arena, size_t size);
/* Takes the first `size` bytes of what was reserved last. */
void paco_arena_take (PacoArena *arena, size_t size);
void paco_arena_clear (PacoArena *arena);
