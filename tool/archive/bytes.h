/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Keeps bytes of a file, in memory that grows and is used for one file after the
 * other. If a GPU codes, it is memory that the GPU reads and writes by itself
 * (page-locked): samples that are read or decoded into it are not copied by the CPU
 * on their way. archive.c and restore.c say whose coder that is; without one it is
 * ordinary memory. */
#pragma once
#include "codec/recycler.h"
#include "lib/paco.h"
#include <glib.h>

typedef struct
{
  PacoRecycled item; /* first: the pool's */
  guint8 *data;
  gsize len;
  gsize capacity;
  PacoBuffer
      buffer; /* the coder's, which data is in; empty: data is ordinary memory */
  /* The memory comes from one of these, whose device is open, or from none. */
  PacoFrameEncoder *encoder;
  PacoFrameDecoder *decoder;
} PacoBytes;

/* Returns empty bytes, of ordinary memory. */
PacoBytes *paco_bytes_new (void);
void paco_bytes_free (PacoBytes *bytes); /* or NULL */

/* The first changes the size: what the bytes are then is undefined unless they become
 * fewer. The second keeps them and puts others behind them. If the coder has no such
 * memory left it is ordinary; if the system has none this ends the program, as GLib
 * does. */
void paco_bytes_set_size (PacoBytes *bytes, gsize size);
void paco_bytes_append (PacoBytes *bytes, const guint8 *data, gsize size);

/* Bytes of which one is used for a file after the other, by several threads. Those that
 * were given back last are taken next: they are the likeliest to be in a cache, and
 * no more are made than are in use at the same time, of memory that takes long to
 * lock. */
typedef struct PacoBytesPool PacoBytesPool;

/* Makes a pool whose bytes are memory of the encoder or of the decoder, of which one or
 * both are NULL. Of those that are given back it keeps one, or `most` bytes in all. */
PacoBytesPool *paco_bytes_pool_new (
    PacoFrameEncoder *encoder, PacoFrameDecoder *decoder, gsize most);
/* Frees the bytes that are in the pool, or NULL. Those that are not are their taker's. */
void paco_bytes_pool_free (PacoBytesPool *pool);

/* The first returns bytes of any size, the second gives them back; NULL is allowed. */
PacoBytes *paco_bytes_pool_take (PacoBytesPool *pool);
void paco_bytes_pool_give (PacoBytes *bytes);
