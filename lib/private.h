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

/* --- encoders and decoders (session.c) --- */

/* A frame in flight. */
typedef struct
{
  void *user;
  PacoChunkBytes chunks; /* of a picture that is encoded */
  gint
      dropped; /* Atomic. The codec is done with a frame that was not collected. */
} PacoTicket;

/* The part that encoders and decoders have in common. */
typedef struct
{
  PacoSettings settings;
  PacoBackendOptions options; /* What the settings do not say. */
  bool encodes;
  PacoCoder *coder; /* NULL: no device is open. */
  char device[PACO_DEVICE_NAME_SIZE + 16];
  uint64_t submitted, collected;
  /* Frame n has number n % PACO_MAX_FLIGHTS. */
  PacoTicket *tickets[PACO_MAX_FLIGHTS];
} PacoSession;

void paco_session_init (PacoSession *session, bool encodes); /* from zeros */
void paco_session_clear (PacoSession *session);

static inline unsigned
paco_session_in_flight (const PacoSession *session)
{
  return (unsigned) (session->submitted - session->collected);
}

/* Returns which settings may change now. */
PacoChange paco_session_change (const PacoSession *session);
/* Sets the setting of this name (settings.c). Errors INVALID, and BUSY if it may not
 * change now. */
PacoStatus paco_session_set (PacoSession *session, const char *name,
    const char *value, PacoError *error);
/* Has the device opened in a CUDA context of the application. Error BUSY. */
PacoStatus paco_session_use_context (
    PacoSession *session, void *context, PacoError *error);
/* Opens the device that the settings ask for, unless it is open. */
PacoStatus paco_session_open (PacoSession *session, PacoError *error);
/* Opens the device of an encoder (encoder.c); *coder is its coder. */
PacoStatus paco_encoder_open_coder (
    PacoFrameEncoder *encoder, PacoCoder **coder, PacoError *error);
/* Opens the device and gets memory for it (buffer.c), zeros. */
PacoStatus paco_session_allocate (
    PacoSession *session, size_t size, PacoBuffer *buffer, PacoError *error);
/* Makes *ticket that of the next frame, which is in flight once `submitted` is one
 * more. Error BUSY if no more may be. */
PacoStatus paco_session_begin (
    PacoSession *session, PacoTicket **ticket, PacoError *error);
/* Returns what the application has passed with the frame that was submitted first. */
static inline void *
paco_session_user (const PacoSession *session)
{
  return session->tickets[session->collected % PACO_MAX_FLIGHTS]->user;
}

/* Ends the frame that was submitted first. If it is lost, a device may still use its
 * memory, which is not used again then. */
void paco_session_end (PacoSession *session, bool lost);

/* --- pictures (image.c) --- */

/* Checks an image of the application for a picture that is reduced, or for the part of
 * it that crop says, and sets *picture to the same for the codec. */
PacoStatus paco_image_read (const PacoImage *image,
    const PacoPictureFormat *format, unsigned reduce, PacoCrop crop,
    PacoPicture *picture, PacoError *error);
/* Checks that the context of an image in CUDA memory is known. */
PacoStatus paco_image_check_context (
    const PacoImage *image, const PacoSession *session, PacoError *error);
