/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Puts pictures side by side into one, with texts, for contact.c. GStreamer scales them and
 * draws the texts; in a program without it, paco_sheet_new() fails and says so. */
#pragma once
#include "writers.h"

typedef struct PacoSheet PacoSheet;

typedef struct
{
  unsigned x, y, width, height;
} PacoSheetArea;

/* Makes an empty sheet. */
PacoSheet *paco_sheet_new (unsigned width, unsigned height, GError **error);
void paco_sheet_free (PacoSheet *sheet); /* or NULL */
/* Scales a picture, laid out by paco_writer_video, to an area. */
bool paco_sheet_add (PacoSheet *sheet, const PacoPixels *pixels,
    const PacoSheetArea *area, GError **error);
/* Has a text drawn that fits into an area. */
void paco_sheet_write (
    PacoSheet *sheet, const char *text, const PacoSheetArea *area);
/* Draws the texts. Returns R, G, B of 8 bits, one after the other, width x height, which
 * are the sheet's. NULL and an error if that fails. */
const uint8_t *paco_sheet_finish (PacoSheet *sheet, GError **error);
