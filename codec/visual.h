/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the eye sees of an error, for the encoder's steps (tune=visual). No
 * decoder knows of it. */
#pragma once
#include "header.h"
#include <glib.h>

/* How many octaves coarser the step of a subband is than where all subbands err
 * alike, at the same base step, before the quality has its say. level: 1..8, or
 * of LL the number of levels; chroma: the component is one of two colour
 * differences, else it is taken for luma. */
double paco_visual_octaves (const PacoPictureFormat *picture,
    unsigned component, bool chroma, unsigned level,
    PacoOrientation orientation);

/* How much of that there is at a quality, 0 to 1; octaves: of the base step
 * above the finest, as part of those between the qualities 100 and 0. */
double paco_visual_share (double octaves);
