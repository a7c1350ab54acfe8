/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Says what a call of libpaco is to return, for the tests of lib/paco.h: OK()
 * and REFUSED() have `error` for the call to fill in. */
#pragma once
#include "lib/paco.h"
#include <ftw.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PacoReader, paco_reader_close)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PacoFrameEncoder, paco_frame_encoder_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PacoFrameDecoder, paco_frame_decoder_free)

static inline void
check_ok (PacoStatus status, const PacoError *error)
{
  if (status != PACO_STATUS_OK)
    g_error ("status %d: %s", status, error->message);
}

#define OK(call)                                                               \
  do {                                                                         \
    PacoError error = { PACO_STATUS_OK, "" };                                  \
    PacoStatus status = (call);                                                \
                                                                               \
    check_ok (status, &error);                                                 \
  } while (0)

static inline void
check_refused (PacoStatus status, const PacoError *error, PacoStatus wanted)
{
  g_test_message ("%d: %s", status, error->message);
  g_assert_cmpint (status, ==, wanted);
  g_assert_cmpint (error->status, ==, wanted);
  g_assert_cmpuint (strlen (error->message), >, 15);
}

#define REFUSED(wanted, call)                                                  \
  do {                                                                         \
    PacoError error = { PACO_STATUS_OK, "" };                                  \
    PacoStatus status = (call);                                                \
                                                                               \
    check_refused (status, &error, PACO_STATUS_##wanted);                      \
  } while (0)

/* Describes gray pictures of 8 bits. */
static inline PacoInfo
gray_info (uint32_t width, uint32_t height)
{
  PacoInfo info = PACO_INFO_INIT;

  info.width = width;
  info.height = height;
  info.n_components = 1;
  info.depth[0] = 8;
  return info;
}

/* Makes an image of zeros in memory of its own, which g_free (image.data[0]) frees. `how`
 * has PACO_IMAGE_*; *bytes, if it is asked for, becomes the size. */
static inline PacoImage
new_image_of (
    const PacoInfo *info, uint32_t reduce, uint32_t how, size_t *bytes)
{
  PacoImage image;
  size_t size;

  OK (paco_image_init (&image, info, reduce, how, NULL, &size, &error));
  OK (paco_image_init (
      &image, info, reduce, how, g_malloc0 (size), NULL, &error));
  if (bytes)
    *bytes = size;
  return image;
}

/* Sets a setting to what printf() makes of the format. */
static inline void G_GNUC_PRINTF (3, 4) set_decoder (
    PacoFrameDecoder *decoder, const char *name, const char *format, ...)
{
  g_autofree char *value = NULL;
  va_list arguments;

  va_start (arguments, format);
  value = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  OK (paco_frame_decoder_set (decoder, name, value, &error));
}

static inline int
remove_entry (
    const char *path, const struct stat *status, int type, struct FTW *at)
{
  return remove (path);
}

/* Removes a folder with all that is in it. */
static inline void
remove_folder (const char *path)
{
  nftw (path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
