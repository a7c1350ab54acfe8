/* SPDX-License-Identifier: LGPL-2.1-or-later
 * nvImageCodec as the tests use it, with images in the memory of the host or of a GPU. */
#ifndef PACO_NVIMAGECODEC_HOST_H
#define PACO_NVIMAGECODEC_HOST_H

#include <stddef.h>
#include <nvimgcodec.h>
#include <paco.h>
#include <stdbool.h>

#define SUCCESS NVIMGCODEC_PROCESSING_STATUS_SUCCESS

/* What images have in all bytes before something is decoded to them, and new ones. */
#define PADDING 0x5a

/* Where coders work, and where images lie. */
typedef struct
{
  const char *name;
  bool on_gpu, in_gpu_memory;
  nvimgcodecDecoder_t decoder;
  nvimgcodecEncoder_t encoder;
} Side;

/* An image of the host, whose bytes are also here. */
typedef struct
{
  nvimgcodecImageInfo_t info;
  uint8_t *bytes;
  size_t size;
  void *device; /* in the GPU's memory, or NULL */
} Image;

/* A frame and what is wanted of it, or what came of an image. */
typedef struct
{
  uint8_t *data;
  size_t size, index; /* index: the number of the frame */
  const nvimgcodecRegion_t *region;
  Image *image;
  nvimgcodecProcessingStatus_t status;
} Job;

extern nvimgcodecInstance_t host;

/* Starts the host. Returns how many sides there are, 1 or 4, the first of which is the CPU. */
unsigned host_start (Side sides[4]);
void host_stop (Side *sides, unsigned n);
/* What the extension has logged since the last call, as long as the next call. */
const char *host_messages (void);

/* Gives an image memory for its planes. */
void host_allocate (const Side *side, Image *image);
void host_free (Image *image);
/* Decode and encode several at once. options of a coder of one job only may be set. */
void host_decode (Side *side, Job *jobs, unsigned n);
void host_encode (Side *side, Job *jobs, unsigned n,
    const nvimgcodecEncodeParams_t *parameters,
    const nvimgcodecImageInfo_t *wanted);
nvimgcodecDecoder_t host_decoder (const Side *side, const char *options);
nvimgcodecEncoder_t host_encoder (const Side *side, const char *options);

#endif
