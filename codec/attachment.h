/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Bytes that a frame carries behind its payload (FORMAT.md section 3.2): what
 * accompanies the picture and is too large for its header. Headers (header.c) say how
 * many there are, encoders copy them behind the blocks, decoders leave them alone. */
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

/* An attachment of these bytes, of which there are PACO_MAX_ATTACHMENT_SIZE at most;
 * they are not copied. */
PacoAttachment paco_attachment_of (const void *data, size_t size);

/* Whether the bytes are those that the CRC was made of. */
bool paco_attachment_is_whole (const PacoAttachment *attachment);

/* Copies the bytes; returns where they end. */
uint8_t *paco_attachment_copy (const PacoAttachment *attachment, uint8_t *to);
