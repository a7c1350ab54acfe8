/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The attachment of a frame (FORMAT.md section 3.2): bytes behind its payload, for what
 * accompanies the picture and is too large for the header. Headers say how many there
 * are (header_chunks.c), encoders copy them behind the blocks, decoders leave them
 * alone. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that a frame's attachment has at most. */
#define PACO_MAX_ATTACHMENT_SIZE (1u << 28)

typedef struct
{
  const uint8_t *data; /* NULL where only a header was parsed */
  uint32_t size;       /* 0: there is none */
  uint32_t crc;        /* zlib's CRC-32 of the bytes */
} PacoAttachment;

/* Returns an attachment of these bytes, which are not copied. There are
 * PACO_MAX_ATTACHMENT_SIZE at most. */
PacoAttachment paco_attachment_of (const void *data, size_t size);

/* Says whether the bytes are those of which the CRC was computed. */
bool paco_attachment_is_whole (const PacoAttachment *attachment);

/* Copies the bytes. Returns where the copy ends. */
uint8_t *paco_attachment_copy (const PacoAttachment *attachment, uint8_t *to);
