/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Draws random pictures, in random formats and memory layouts, coded with random
 * parameters, for the tests of a backend. */
#pragma once
#include "codec/areas.h"
#include "codec/parameters.h"
#include <glib.h>

/* This is a picture and its memory. Components of a region share a buffer. */
typedef struct
{
  PacoPictureFormat format;
  PacoPicture picture;
  unsigned owners[PACO_MAX_COMPONENTS];  /* whose buffer a component is in */
  uint8_t *buffers[PACO_MAX_COMPONENTS]; /* NULL: that of its owner */
  size_t sizes[PACO_MAX_COMPONENTS];
} TestPicture;

/* Draws a format of at most about `samples` samples per component. */
void test_format_random (
    GRand *rand, PacoPictureFormat *format, uint32_t samples);

/* Draws layouts and strides for a picture of `format`, whose memory is filled
 * with noise. reduce is how many levels a decoder leaves out. */
void test_picture_init (GRand *rand, TestPicture *picture,
    const PacoPictureFormat *format, unsigned reduce);
/* Makes another of the same layout with the same bytes. */
void test_picture_copy (TestPicture *copy, const TestPicture *picture);
void test_picture_clear (TestPicture *picture);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TestPicture, test_picture_clear)
/* Fails the test unless both have the same bytes, those between samples
 * included. */
void test_picture_compare (const TestPicture *a, const TestPicture *b);

/* Fails likewise unless the samples of a component are the same. */
void test_picture_compare_component (
    const TestPicture *a, const TestPicture *b, unsigned component);

/* Draws noise, gradients, flat, extreme or sparse samples. */
void test_picture_fill (GRand *rand, TestPicture *picture);
/* Draws waves, which RGB of up to 8 bits often codes with 13/7. */
void test_picture_fill_smooth (GRand *rand, TestPicture *picture);

/* Sets a sample. */
void test_picture_put (TestPicture *picture, unsigned component, uint32_t x,
    uint32_t y, uint32_t value);

/* Draws parameters, not all of which suit the picture. */
void test_parameters_random (GRand *rand, PacoParameters *parameters);
/* Draws a budget for a picture and what accompanies it, from the smallest to
 * beyond coding without loss. It lets the parameters be if they do not suit the
 * picture. */
void test_budget_random (GRand *rand, const PacoPictureFormat *format,
    const PacoVideoInfo *video, PacoParameters *parameters);
/* Draws no area up to a few of any size, not all of them within the picture. */
void test_areas_random (
    GRand *rand, const PacoPictureFormat *format, PacoAreas *areas);
void test_video_random (GRand *rand, PacoVideoInfo *video);
