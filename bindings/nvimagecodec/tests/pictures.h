/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Random pictures, and what images of the host are made of them. */
#ifndef PACO_NVIMAGECODEC_PICTURES_H
#define PACO_NVIMAGECODEC_PICTURES_H

#include "host.h"

/* The samples of a picture, component after component, without gaps. */
typedef struct
{
  PacoInfo info;
  uint32_t width[4], height[4]; /* of the components */
  uint16_t *samples[4];
} Picture;

/* What an image is to be: how samples lie, and which of the picture's are in it. */
typedef struct
{
  bool interleaved, swapped, unchanged;
  unsigned padding; /* bytes behind each line */
} Shape;

void pictures_seed (uint64_t seed);
uint32_t pictures_random_below (uint32_t n);

/* A random picture of at most that many columns and lines: a ramp with noise. */
void pictures_random (Picture *picture, uint32_t most);
void pictures_free (Picture *picture);
/* Decodes with libpaco on the CPU, which the results of the host are compared with. A damaged
 * picture is an error, but there. */
PacoStatus pictures_decode (const void *data, size_t size, Picture *picture);

/* How samples may lie in an image for such pictures. */
Shape pictures_random_shape (const PacoInfo *info);
/* Makes an image for a picture, or for the part of it of width x height. */
void pictures_shape (const Side *side, const PacoInfo *info, Shape shape,
    uint32_t width, uint32_t height, Image *image);
/* Where sample x, y of component c is in the image. */
uint8_t *pictures_at (
    const Image *image, Shape shape, unsigned c, uint32_t x, uint32_t y);
/* Stores samples to the image, or compares them with it, from x0, y0 on. Returns whether they
 * are equal, and all bytes behind lines are as they were. */
bool pictures_walk (const Picture *picture, Image *image, Shape shape,
    bool stores, uint32_t x0, uint32_t y0);

#endif
