/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Opens nvJPEG2000, a JPEG 2000 codec for NVIDIA's GPUs, as a library at run
 * time, and declares what its documentation says of its types and functions,
 * as far as nvjpeg2000-codec.c calls them. Names without the prefix nvjpeg2k
 * are ours. */
#pragma once
#include "gpu/driver_types.h"
#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef int NvStatus; /* 0: it is done */
typedef struct NvHandle NvHandle;
typedef struct NvEncoder NvEncoder;
typedef struct NvEncodeState NvEncodeState;
typedef struct NvEncodeParams NvEncodeParams;
typedef struct NvDecodeState NvDecodeState;
typedef struct NvStream NvStream; /* what has been parsed of a codestream */

enum
{
  NV_STREAM_J2K = 0,
  NV_COLOR_SRGB = 1,
  NV_COLOR_GRAY = 2,
  NV_UINT8 = 0,
  NV_UINT16 = 1,
  NV_RPCL = 2,
  NV_RSIZ_HT = 0x4000,
  NV_MODE_HT = 0x40,
  NV_QUANTIZATION_STEP = 1,
  NV_MAX_RESOLUTIONS = 33,
};

typedef struct
{
  uint32_t width, height;
  uint8_t precision, is_signed;
} NvComponent;

/* An image has the device's address of each component in pixels. */
typedef struct
{
  void **pixels;
  size_t *pitches; /* bytes */
  int type;        /* NV_UINT8 or NV_UINT16 */
  uint32_t n_components;
} NvImage;

typedef struct
{
  int stream_type, color_space;
  uint16_t rsiz;
  uint32_t width, height;
  uint32_t enable_tiling, tile_width, tile_height;
  uint32_t n_components;
  NvComponent *components;
  uint32_t enable_sop, enable_eph;
  int progression;
  uint32_t n_layers, color_transform, n_resolutions;
  uint32_t block_width, block_height, modes, irreversible;
  uint32_t n_precincts;
  uint32_t precinct_widths[NV_MAX_RESOLUTIONS];
  uint32_t precinct_heights[NV_MAX_RESOLUTIONS];
} NvEncodeConfig;

/* Lists functions of the library: F (result, name, arguments). */
#define NV_FUNCTIONS(F)                                                        \
  F (GetProperty, (int type, int *value))                                      \
  F (CreateSimple, (NvHandle * *handle))                                       \
  F (Destroy, (NvHandle * handle))                                             \
  F (DecodeStateCreate, (NvHandle * handle, NvDecodeState * *state))           \
  F (DecodeStateDestroy, (NvDecodeState * state))                              \
  F (StreamCreate, (NvStream * *stream))                                       \
  F (StreamDestroy, (NvStream * stream))                                       \
  F (StreamParse,                                                              \
      (NvHandle * handle, const unsigned char *data, size_t length,            \
          int save_metadata, int save_stream, NvStream *stream))               \
  F (Decode,                                                                   \
      (NvHandle * handle, NvDecodeState * state, NvStream * stream,            \
          NvImage * image, CUstream cuda_stream))                              \
  F (EncoderCreateSimple, (NvEncoder * *encoder))                              \
  F (EncoderDestroy, (NvEncoder * encoder))                                    \
  F (EncodeStateCreate, (NvEncoder * encoder, NvEncodeState * *state))         \
  F (EncodeStateDestroy, (NvEncodeState * state))                              \
  F (EncodeParamsCreate, (NvEncodeParams * *params))                           \
  F (EncodeParamsDestroy, (NvEncodeParams * params))                           \
  F (EncodeParamsSetEncodeConfig,                                              \
      (NvEncodeParams * params, NvEncodeConfig * config))                      \
  F (EncodeParamsSpecifyQuality,                                               \
      (NvEncodeParams * params, int type, double value))                       \
  F (Encode,                                                                   \
      (NvEncoder * encoder, NvEncodeState * state,                             \
          const NvEncodeParams *params, const NvImage *image,                  \
          CUstream cuda_stream))                                               \
  F (EncodeRetrieveBitstream,                                                  \
      (NvEncoder * encoder, NvEncodeState * state, unsigned char *data,        \
          size_t *length, CUstream cuda_stream))

#define NV_MEMBER(name, arguments) NvStatus (*name) arguments;

typedef struct
{
  void *library;
  char *path;
  int version[3];
  NV_FUNCTIONS (NV_MEMBER)
} Nvjpeg2k;

#undef NV_MEMBER

/* Opens the library: the file that LAB_NVJPEG2K names or, without it, what the
 * dynamic linker finds, or a package has put into a usual place. Returns FALSE,
 * and a sentence in *why, to be freed, if there is none that can be used. It
 * stays open until the program ends. */
gboolean nvjpeg2k_open (Nvjpeg2k *nv, char **why);

/* Ends the program if a call has failed, with its name. */
void nvjpeg2k_check (NvStatus status, const char *name);

#define NV(nv, name, ...)                                                      \
  nvjpeg2k_check ((nv)->name (__VA_ARGS__), "nvjpeg2k" #name)

G_END_DECLS
