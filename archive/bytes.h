/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Bytes of a file, in memory that grows and is used for one file after the other. Where a
 * GPU codes, it is memory that the GPU reads and writes by itself (page-locked): samples
 * that are read into it, or decoded into it, are not copied by the CPU on their way.
 * archive.c and restore.c say whose coder that is; without one it is ordinary memory. */
#pragma once
#include "lib/paco.h"
#include <glib.h>

typedef struct
{
  guint8 *data;
  gsize len;
  gsize capacity;
  PacoBuffer
      buffer; /* the coder's, which data is in; empty: data is ordinary memory */
  /* Whose memory it shall be: of one of them, whose device is open, or of none. */
  PacoFrameEncoder *encoder;
  PacoFrameDecoder *decoder;
} PacoBytes;

/* Empty bytes, of ordinary memory. */
PacoBytes *paco_bytes_new (void);
void paco_bytes_free (PacoBytes *bytes); /* or NULL */

/* Bytes up to the smaller size stay as they are, those beyond are not cleared. Where the
 * coder has no such memory left it is ordinary; where the system has none this ends the
 * program, as GLib does. */
void paco_bytes_set_size (PacoBytes *bytes, gsize size);
void paco_bytes_append (PacoBytes *bytes, const guint8 *data, gsize size);
