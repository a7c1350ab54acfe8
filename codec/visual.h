/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Weights of the encoder's steps by what the eye sees of an error (tune=visual).
 * policy.c asks for them; decoders do not need them. */
#pragma once
#include "header.h"
#include <glib.h>

/* Returns how many octaves coarser a subband's step is than the step with which all
 * subbands have the same error, at the same base step and without the influence of
 * the quality (paco_visual_share()). level is 1..8, and for LL the number of levels;
 * chroma says that the component is one of two colour differences, else it is taken
 * for luma. */
double paco_visual_octaves (const PacoPictureFormat *picture,
    unsigned component, bool chroma, unsigned level,
    PacoOrientation orientation);

/* The share, 0 to 1, of these octaves that is applied at a quality. `octaves` says how
 * far the base step is above the finest one, as a part of the way from quality 100 to
 * 0. */
double paco_visual_share (double octaves);
