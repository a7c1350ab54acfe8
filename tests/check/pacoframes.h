/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes frames for tests of the parser with the reference encoder: small ones, of
 * all sorts of sizes. */
#pragma once
#include "codec/reference/reference.h"
#include "elements.h"

typedef struct
{
  guint width, height;
  guint fps_n, fps_d;
  guint par_n, par_d;
  gboolean has_place; /* room for it: paco_header_set_place() */
} PacoFrameSpec;

#define PACO_FRAME_SPEC_DEFAULT                                                \
  {                                                                            \
    .width = 48, .height = 32, .fps_n = 30, .fps_d = 1, .par_n = 1, .par_d = 1 \
  }

/* Makes frame number n, whose contents and size depend on n. */
static inline GByteArray *
paco_test_frame (const PacoFrameSpec *spec, guint n)
{
  const PacoPictureFormat format = {
    .width = spec->width,
    .height = spec->height,
    .n_components = 1,
    .components = { { .depth = 8 } },
  };
  PacoVideoInfo video = {
    .raw_format = "GRAY8",
    .par_n = spec->par_n,
    .par_d = spec->par_d,
    .fps_n = spec->fps_n,
    .fps_d = spec->fps_d,
    .has_place = spec->has_place,
  };
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  g_autofree guint8 *samples = g_malloc (spec->width * spec->height);
  const PacoPicture picture = {
    .data = { samples },
    .stride = { spec->width },
    .layout = { PACO_LAYOUT_PLANAR (1) },
  };
  GByteArray *bytes = g_byte_array_new ();
  g_autoptr (GRand) random = g_rand_new_with_seed (n);
  gint noise = 1 << g_rand_int_range (random, 0, 8);
  GError *error = NULL;

  for (guint i = 0; i < spec->width * spec->height; i++)
    samples[i] = i + n + g_rand_int_range (random, 0, noise);
  parameters.rate_control = PACO_RATE_LOSSLESS;
  parameters.levels = 2;
  fail_unless (paco_reference_encode (
      &format, &picture, &video, &parameters, NULL, bytes, &error));
  g_assert_no_error (error);
  return bytes;
}

/* Returns the frame with another header; only what it says in its head
 * changes. */
static inline GByteArray *
paco_test_with_header (const GByteArray *frame, const PacoHeader *header)
{
  guint rest = frame->len - header->header_size;
  PacoHeader written = *header;
  gsize size = paco_header_size (header);
  GByteArray *made = g_byte_array_new ();

  written.frame_size = (uint32_t) (size + rest);
  g_byte_array_set_size (made, written.frame_size);
  fail_unless_equals_int (paco_header_write (&written, made->data), size);
  memcpy (made->data + size, frame->data + header->header_size, rest);
  return made;
}

static inline GPtrArray *
paco_test_frames (const PacoFrameSpec *spec, guint n)
{
  GPtrArray *frames = g_ptr_array_new_with_free_func (
      (GDestroyNotify) g_byte_array_unref);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (frames, paco_test_frame (spec, i));
  return frames;
}

static inline GByteArray *
paco_test_nth (GPtrArray *frames, guint n)
{
  return g_ptr_array_index (frames, n);
}

static inline void
paco_test_append (GByteArray *stream, const GByteArray *bytes)
{
  g_byte_array_append (stream, bytes->data, bytes->len);
}

static inline gboolean
paco_test_buffer_is (GstBuffer *buffer, const GByteArray *bytes)
{
  return gst_buffer_get_size (buffer) == bytes->len
      && gst_buffer_memcmp (buffer, 0, bytes->data, bytes->len) == 0;
}

/* Makes a harness of pacoparse for such buffers. */
static inline GstHarness *
paco_test_parser (const gchar *caps, GstFormat format)
{
  GstHarness *harness = paco_test_harness ("pacoparse");

  gst_harness_set_src_caps_str (harness, caps);
  push_segment (harness, format);
  return harness;
}

/* Writes frames into a file, after giving them their places if they have some. */
static inline void
paco_test_write (GPtrArray *frames, const gchar *path)
{
  g_autoptr (GByteArray) stream = g_byte_array_new ();
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < frames->len; i++) {
    GByteArray *frame = paco_test_nth (frames, i);
    const PacoPlace place = { i, stream->len };

    paco_header_set_place (frame->data, frame->len, &place);
    paco_test_append (stream, frame);
  }
  g_file_set_contents (path, (gchar *) stream->data, stream->len, &error);
  g_assert_no_error (error);
}
