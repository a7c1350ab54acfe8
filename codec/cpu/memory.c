/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Memory in sizes of pictures, with large pages from the system; memory.h says for
 * whom. */
#include "codec/cpu/memory.h"
#include <glib.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#define CACHE_LINE 64
#define LARGE_PAGE (2u << 20)

/* The memory has large pages, because the wavelet walks down columns: with
 * pages of 4 KiB it would miss the translation buffer at every line. */
void *
paco_memory_new (size_t n, size_t element_size)
{
  gsize size, alignment;
  void *memory;

  if (!g_size_checked_mul (&size, n, element_size)
      || size > G_MAXSIZE - LARGE_PAGE)
    return NULL;
  alignment = size >= 2 * LARGE_PAGE ? LARGE_PAGE : CACHE_LINE;
  if (posix_memalign (&memory, alignment, MAX (size, 1)) != 0)
    return NULL;
#ifdef MADV_HUGEPAGE
  if (alignment == LARGE_PAGE)
    madvise (memory, size, MADV_HUGEPAGE);
#endif
  return memory;
}

void
paco_memory_free (void *memory)
{
  free (memory);
}

#define CHUNK_SIZE (1u << 20)

struct _PacoArenaChunk
{
  PacoArenaChunk *next;
  size_t size, used;
  uint8_t bytes[];
};

void
paco_arena_reset (PacoArena *arena, PacoSpare *spare)
{
  arena->last = arena->current = NULL;
  arena->spare = spare;
}

static PacoArenaChunk *
take_spare (PacoSpare *spare, size_t size)
{
  PacoArenaChunk *chunk;
  size_t at;

  if (!spare || size > CHUNK_SIZE - sizeof *chunk)
    return NULL;
  at = __atomic_fetch_add (&spare->used, CHUNK_SIZE, __ATOMIC_RELAXED);
  if (at > spare->size || spare->size - at < CHUNK_SIZE)
    return NULL;
  chunk = (PacoArenaChunk *) (spare->memory + at);
  chunk->size = CHUNK_SIZE - sizeof *chunk;
  return chunk;
}

/* The next chunk of the arena's own that is large enough, or a new one. */
static PacoArenaChunk *
take_own (PacoArena *arena, size_t size)
{
  PacoArenaChunk **at = arena->last ? &arena->last->next : &arena->first;
  PacoArenaChunk *chunk = *at;

  if (!chunk || chunk->size < size) {
    size_t room = MAX (size, CHUNK_SIZE - sizeof *chunk);

    chunk = paco_memory_new (1, sizeof *chunk + room);
    if (!chunk)
      return NULL;
    chunk->size = room;
    chunk->next = *at;
    *at = chunk;
  }
  arena->last = chunk;
  return chunk;
}

uint8_t *
paco_arena_reserve (PacoArena *arena, size_t size)
{
  PacoArenaChunk *chunk = arena->current;

  if (!chunk || chunk->size - chunk->used < size) {
    chunk = take_spare (arena->spare, size);
    if (!chunk)
      chunk = take_own (arena, size);
    if (!chunk)
      return NULL;
    chunk->used = 0;
    arena->current = chunk;
  }
  return chunk->bytes + chunk->used;
}

void
paco_arena_take (PacoArena *arena, size_t size)
{
  arena->current->used += size;
}

void
paco_arena_clear (PacoArena *arena)
{
  PacoArenaChunk *chunk = arena->first;

  while (chunk) {
    PacoArenaChunk *next = chunk->next;

    paco_memory_free (chunk);
    chunk = next;
  }
  *arena = (PacoArena){ NULL };
}
