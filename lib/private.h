/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Declares what the files of libpaco share, between the public types of paco.h and
 * those of codec/. Names of the one never are names of the other, so both can be
 * seen here. */
#pragma once
#include "lib/stream/settings.h"
#include "lib/paco.h"

/* --- errors (error.c) --- */

PacoStatus paco_error_ok (PacoError *error);
PacoStatus paco_error_set (PacoError *error, PacoStatus status,
    const char *format, ...) G_GNUC_PRINTF (3, 4);
/* Says that the argument of that name must not be NULL. */
PacoStatus paco_error_null (const char *name, PacoError *error);
/* Turns failure, which may be NULL, into *error, and frees it. */
PacoStatus paco_error_take (PacoError *error, GError *failure);

/* Checks a struct of the application that begins with its size. `known` is the size
 * here, also of the first version as long as there is only one; what lies behind must
 * be zeros. name and initializer are for the message. */
PacoStatus paco_struct_check (const void *given, size_t known, const char *name,
    const char *initializer, PacoError *error);

/* --- settings (settings.c) --- */

/* Sets the owner's setting (PACO_OF_ENCODER, PACO_OF_DECODER) of this name. Errors
 * INVALID, and BUSY if it may not change now. */
PacoStatus paco_settings_set (PacoSettings *settings, PacoSettingOwner owner,
    PacoChange now, const char *name, const char *value, PacoError *error);

/* --- devices (device.c) --- */

/* Opens the backend that the settings ask for. It gets the other options: context,
 * share_threads and drop. Returns NULL and an error if it cannot be had. */
PacoCoder *paco_device_open (const PacoSettings *settings,
    PacoBackendOptions *options, bool encoder, PacoError *error);
/* Says whether a coder with these options may be given the image. */
PacoStatus paco_device_check_image (const PacoBackendOptions *options,
    const PacoImage *image, PacoError *error);
/* Has the coder opened in a CUDA context of the application. */
PacoStatus paco_device_use_context (PacoBackendOptions *options, PacoChange now,
    void *context, PacoError *error);
#define PACO_DEVICE_TEXT (PACO_DEVICE_NAME_SIZE + 16)
void paco_device_describe (PacoCoder *coder, char text[PACO_DEVICE_TEXT]);

/* Opens the device of an encoder (encoder.c), if it is not open; *coder is its coder. */
PacoStatus paco_encoder_open_coder (
    PacoFrameEncoder *encoder, PacoCoder **coder, PacoError *error);

/* --- memory (buffer.c) --- */

PacoStatus paco_buffer_allocate (
    PacoCoder *coder, size_t size, PacoBuffer *buffer, PacoError *error);

/* --- what a frame is (info.c) --- */

/* Reads the header of the frame that begins at data. Returns MORE, with *needed,
 * which may be NULL, if it is not all there. */
PacoStatus paco_info_header (const void *data, size_t size, PacoHeader *header,
    size_t *needed, PacoError *error);
/* Checks *info of the application, whatever version it was compiled with, and
 * sets *picture and *video to what it says. */
PacoStatus paco_info_read (const PacoInfo *info, PacoPictureFormat *picture,
    PacoVideoInfo *video, PacoError *error);

/* --- what accompanies a picture (extras.c) --- */

/* Chunks of one frame in flight, in memory that is used again. */
typedef struct
{
  uint8_t *data;
  size_t size, capacity;
} PacoChunkBytes;

/* Checks *extras of the application, which may be NULL, and copies its chunks and
 * areas. */
PacoStatus paco_extras_read (const PacoExtras *extras, PacoChunkBytes *bytes,
    PacoAttachment *attachment, PacoAreas *areas, PacoError *error);

/* --- pictures (image.c) --- */

/* Checks an image of the application for a picture that is reduced, or for the part of
 * it that crop says, and sets *picture to the same for the codec. */
PacoStatus paco_image_read (const PacoImage *image,
    const PacoPictureFormat *format, unsigned reduce, PacoCrop crop,
    PacoPicture *picture, PacoError *error);
