/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Memory that is used again, for frames and pictures: new memory would be expensive,
 * because the system clears its pages and a driver takes milliseconds to lock them. Any
 * thread may take items and give them back. Items may outlive their recycler. */
#pragma once
#include "encoder.h"
#include <stdbool.h>

G_BEGIN_DECLS

typedef struct _PacoRecycler PacoRecycler;
typedef struct _PacoRecycled PacoRecycled;

/* The first member of what a recycler hands out. */
struct _PacoRecycled
{
  uint8_t *data;
  size_t size; /* bytes of the memory, at least those that were asked for */
  /* The recycler's. */
  PacoRecycler *recycler;
  PacoRecycled *next; /* of those that are idle */
  unsigned generation;
};

typedef struct
{
  size_t item_size; /* of the struct that begins with a PacoRecycled */
  /* Sets data and size of an item that is cleared. Returns false and an error if there
   * is no memory. */
  bool (*allocate) (void *item, size_t size, void *user, GError **error);
  void (*release) (void *item); /* Frees the memory, from any thread. */
  bool tight; /* memory of more than twice the size is not taken */
} PacoRecyclerClass;

/* An item that comes back is kept if fewer than `least` are idle, or if no more than
 * `most` and `most_bytes` are idle with it. */
typedef struct
{
  unsigned least, most;
  size_t most_bytes;
  unsigned alive; /* At most this many items exist, idle or in use. */
} PacoRecyclerLimits;

/* Makes a recycler without items. klass stays valid as long as items live; allocate()
 * gets user in calls of take() and fill(). */
PacoRecycler *paco_recycler_new (const PacoRecyclerClass *klass,
    const PacoRecyclerLimits *limits, void *user);
/* Frees idle items now and the others when they come back. NULL is allowed. */
void paco_recycler_free (PacoRecycler *recycler);

void paco_recycler_limit (
    PacoRecycler *recycler, const PacoRecyclerLimits *limits);
/* Frees idle items; those in use are freed when they come back. */
void paco_recycler_reset (PacoRecycler *recycler);

/* Returns an item of at least `size` bytes: of the idle ones that fit, the one that came
 * back last, which is the likeliest to be in a cache. If none fits, a new one takes the
 * place of an idle one. Returns NULL with an error if there is no memory, and without one
 * if as many items exist as may. error may be NULL. */
void *paco_recycler_take (PacoRecycler *recycler, size_t size, GError **error);
/* Makes idle items of this size until n items exist. */
bool paco_recycler_fill (
    PacoRecycler *recycler, unsigned n, size_t size, GError **error);
/* Gives an item back; NULL is allowed. An item of no recycler is freed without its
 * memory. */
void paco_recycler_give (void *item);
/* Frees an item of a recycler that is in use. */
void paco_recycler_drop (void *item);
/* Returns how many items are in use. */
unsigned paco_recycler_used (PacoRecycler *recycler);

/* A coded frame and its memory; release() of the frame gives them back. */
typedef struct
{
  PacoRecycled memory;
  PacoEncodedFrame frame;
} PacoRecycledFrame;

/* Frames in ordinary memory, 1/8 larger than asked for, because frames differ. */
extern const PacoRecyclerClass paco_plain_frames;

/* Takes an item of a recycler of PacoRecycledFrame. Its frame has `size` bytes. Returns
 * NULL with an error, which may be NULL, if there is no memory. */
PacoRecycledFrame *paco_recycler_take_frame (
    PacoRecycler *recycler, size_t size, GError **error);
/* Returns a frame without data; error becomes the frame's and may be NULL. */
PacoEncodedFrame *paco_encoded_frame_empty (GError *error);

G_END_DECLS
