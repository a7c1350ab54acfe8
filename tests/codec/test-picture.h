/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes pictures for tests: 16 bits a sample, planar, and from nothing but integers,
 * so that they are the same everywhere. */
#pragma once
#include "codec/reference/reference.h"

typedef struct
{
  PacoPictureFormat format;
  uint32_t width[PACO_MAX_COMPONENTS], height[PACO_MAX_COMPONENTS];
  uint16_t *samples[PACO_MAX_COMPONENTS]; /* rows without gaps */
  PacoPicture picture;
} TestPicture;

extern const PacoVideoInfo test_video_info;

/* Makes a picture of zeros; with reduce it is as a decoder makes it that leaves
 * out levels. */
TestPicture *test_picture_new (
    const PacoPictureFormat *format, unsigned reduce);
void test_picture_free (TestPicture *picture);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TestPicture, test_picture_free)

typedef enum
{
  TEST_SCENE_SHAPES, /* gradients, edges and a little noise */
  TEST_SCENE_NOISE,
  TEST_SCENE_FLAT, /* all samples at their maximum */
  TEST_N_SCENES
} TestScene;

void test_picture_draw (TestPicture *picture, TestScene scene, uint32_t seed);

/* Returns the MD5 of each component, in hexadecimal digits, with a blank before each
 * (FORMAT.md section 14). To be freed with g_free(). */
char *test_picture_md5 (const TestPicture *picture);

bool test_picture_equal (const TestPicture *a, const TestPicture *b);

/* Returns the largest difference of two samples. */
unsigned test_picture_difference (const TestPicture *a, const TestPicture *b);

/* Encode and decode whole frames with the reference. Both fail the test on an error.
 * corrupted: the number of broken blocks expected. */
GByteArray *reference_encode (
    const TestPicture *picture, const PacoParameters *parameters);
TestPicture *reference_decode (const GByteArray *frame,
    const PacoPictureFormat *format, unsigned reduce, uint32_t corrupted);
