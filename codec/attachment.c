/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes, checks and copies the attachments of frames (attachment.h). */
#include "attachment.h"
#include <string.h>
#include <zlib.h>

PacoAttachment
paco_attachment_of (const void *data, size_t size)
{
  return (PacoAttachment){
    .data = data,
    .size = (uint32_t) size,
    .crc = (uint32_t) crc32_z (0, data, size),
  };
}

bool
paco_attachment_is_whole (const PacoAttachment *attachment)
{
  return attachment->size == 0
      || crc32_z (0, attachment->data, attachment->size) == attachment->crc;
}

uint8_t *
paco_attachment_copy (const PacoAttachment *attachment, uint8_t *to)
{
  if (attachment->size > 0)
    memcpy (to, attachment->data, attachment->size);
  return to + attachment->size;
}
