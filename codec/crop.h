/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decodes a part of a picture, which PacoPicture.crop says. Blocks that do not show in it
 * are left out, but the transform runs over the whole picture: backends decode to memory
 * of their own, and move the part from there. decoder.c leaves blocks out, and
 * backends place the whole; layout.c has checked the part. */
#pragma once
#include "header.h"
#include "index.h"
#include "picture.h"

/* Makes all blocks zero that do not show in the part. Returns how many of the others are
 * replaced. */
uint32_t paco_crop_leave_out (const PacoHeader *header,
    const PacoGeometry *geometry, unsigned reduce, const PacoCrop *crop,
    PacoBlockRecord *records);

/* How the whole picture of a part lies in memory of its own: components share what they
 * share in the part, with the same layouts, and lines follow each other the same way. */
typedef struct
{
  size_t offset[PACO_MAX_COMPONENTS]; /* of the first line, bytes */
  ptrdiff_t stride[PACO_MAX_COMPONENTS];
  size_t size; /* bytes that it takes */
} PacoWhole;

void paco_whole_place (PacoWhole *whole, const PacoPictureFormat *format,
    const PacoPicture *part, unsigned reduce);

/* Sets *picture to the whole in that memory, which is 64-byte aligned. */
void paco_whole_picture (const PacoWhole *whole, const PacoPicture *part,
    uint8_t *memory, PacoPicture *picture);

/* Returns how many bytes from the beginning of the memory the first group of a region of
 * the part lies. Its next line is a stride of the whole further. */
size_t paco_whole_offset (const PacoWhole *whole,
    const PacoPictureFormat *format, const PacoPicture *part,
    const PacoRegion *region);

/* Copies the part to where it belongs. The last group of a line is copied as a whole. */
void paco_whole_copy_part (const PacoWhole *whole,
    const PacoPictureFormat *format, const PacoPicture *part,
    const uint8_t *memory);
