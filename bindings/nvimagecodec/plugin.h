/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the parts of nvImageCodec's extension share. The host calls a parser, two decoders
 * and two encoders by way of tables of functions (extension.c). */
#ifndef PACO_NVIMAGECODEC_PLUGIN_H
#define PACO_NVIMAGECODEC_PLUGIN_H

/* nvimgcodec.h wants it. */
#include <stddef.h>
#include <nvimgcodec.h>
#include <paco.h>
#include <pthread.h>
#include <stdbool.h>

#define CODEC "paco"
#define STATUS(name) NVIMGCODEC_PROCESSING_STATUS_##name
/* Structs of the host begin with their type and size. */
#define HOST_STRUCT(name, type)                                                \
  .struct_type = NVIMGCODEC_STRUCTURE_TYPE_##name, .struct_size = sizeof (type)

typedef nvimgcodecProcessingStatus_t Status;

/* What registers itself with the host. */
typedef struct
{
  const nvimgcodecFrameworkDesc_t *framework;
  const char *id;
  bool is_cuda; /* A GPU codes; else the CPU. */
} Plugin;

/* Who has a sentence for the user. It is a warning unless something was to be done. */
typedef struct
{
  const Plugin *plugin;
  bool is_error;
} Log;

/* --- extension.c --- */

/* Logs why something cannot be done, and returns status. */
Status refuse (const Log *log, Status status, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));
/* The same with an error of libpaco. */
Status refuse_error (const Log *log, const PacoError *error);

/* --- frames.c --- */

/* A frame of a code stream, with all bytes from there to the end. */
typedef struct
{
  const uint8_t *data;
  size_t size;
  PacoInfo info;
} Frame;

/* What was found in a stream last, because mostly the next frame is asked for next. */
typedef struct
{
  pthread_mutex_t lock;
  const uint8_t *data;
  uint64_t stream;
  size_t index, offset; /* of a frame */
} Place;

/* Finds the frame of which the host has a view: the first one if it has none. */
PacoStatus frames_find (const nvimgcodecCodeStreamDesc_t *stream,
    const nvimgcodecCodeStreamView_t *view, Place *place, Frame *frame,
    PacoError *error);

/* --- pictures.c --- */

/* Says what the host calls a frame's picture. */
PacoStatus pictures_describe (
    const PacoInfo *info, nvimgcodecImageInfo_t *image, PacoError *error);
/* Says what frame an image becomes. */
Status pictures_read (
    const nvimgcodecImageInfo_t *image, PacoInfo *info, const Log *log);
/* Looks whether the samples of a picture, of which width x height are wanted, can be those
 * of an image, and says where they lie. */
Status pictures_match (const nvimgcodecImageInfo_t *image, const PacoInfo *info,
    uint32_t width, uint32_t height, PacoImage *picture, const Log *log);

/* --- coders.c --- */

/* A decoder or an encoder of libpaco, which one thread uses at a time. */
typedef struct
{
  pthread_mutex_t lock;
  PacoFrameDecoder *decoder;
  PacoFrameEncoder *encoder;
} Coder;

/* All that work for a decoder or an encoder of the host, which is this. */
typedef struct
{
  const Plugin *plugin;
  bool decodes, shows_damage;
  char *options;
  int device;
  void *context; /* CUDA's primary one of the device, or NULL */
  unsigned n_threads, n;
  Place place;
  Coder coders[];
} Coders;

/* Returns NULL, and logs why, if there can be none: there is no GPU, or an option is none. */
Coders *coders_new (const Plugin *plugin, bool decodes,
    const nvimgcodecExecutionParams_t *parameters, const char *options);
void coders_free (Coders *coders);
/* Waits for a coder for a picture, for a thread of the host, and locks it. */
Coder *coders_take (
    Coders *coders, int thread, const PacoInfo *info, PacoError *error);
void coders_give (Coder *coder);
/* Tells the host what has become of an image. */
nvimgcodecStatus_t coders_end (
    const nvimgcodecImageDesc_t *image, Status status);

/* --- What the host may call; extension.c adds for which plugin. --- */

extern const nvimgcodecParserDesc_t frames_parser;
extern const nvimgcodecDecoderDesc_t decoder_functions;
extern const nvimgcodecEncoderDesc_t encoder_functions;

#endif
