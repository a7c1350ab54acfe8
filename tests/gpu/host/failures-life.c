/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Leads a coder through its whole life over the fake driver, for failures.c
 * (failures-life.h). */
#include "tests/gpu/host/failures-life.h"
#include "codec/reference/reference.h"
#include "tests/gpu/driver/fake-kernels.h"
#include "tests/codec/must.h"
#include <string.h>

#define BACKEND paco_cuda_backend
#define DEPTH 2    /* of a device */
#define N_FRAMES 6 /* of a format */
#define GAP 0x5a   /* bytes between lines */

static const PacoVideoInfo video = {
  .raw_format = "TEST", .par_n = 1, .par_d = 1, .fps_n = 25, .fps_d = 1
};

/* These are planes with gaps between lines; planes behind each other whose
 * coefficients need 32 bits; words that components share; and a budget, which
 * is so large that frames are coded with loss, and then without it. */
static const struct
{
  PacoPictureFormat picture;
  PacoSampleLayout layout[3];
  unsigned gap;
  PacoRateControl rate_control;
  uint32_t frame_size;
} formats[] = {
  { { 64, 48, 3, false, { { 8, 0, 0 }, { 8, 1, 1 }, { 8, 1, 1 } } },
      { { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 } }, 16, PACO_RATE_QUALITY },
  { { 80, 40, 3, false, { { 16, 0, 0 }, { 16, 0, 0 }, { 16, 0, 0 } } },
      { { 2, 1, 2 }, { 2, 1, 2 }, { 2, 1, 2 } }, 0, PACO_RATE_LOSSLESS },
  { { 48, 32, 3, true, { { 10, 0, 0 }, { 10, 0, 0 }, { 10, 0, 0 } } },
      { { 4, 1, 4, .places = { { 0, 0 } } },
          { 4, 1, 4, .places = { { 0, 10 } } },
          { 4, 1, 4, .places = { { 0, 20 } } } },
      0, PACO_RATE_QUALITY },
  { { 72, 40, 3, false, { { 8, 0, 0 }, { 8, 1, 0 }, { 8, 1, 0 } } },
      { { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 } }, 8, PACO_RATE_BITRATE, 6000 },
};

/* --- Pictures --- */

typedef struct
{
  PacoPicture picture;
  uint8_t *data;
  size_t size;
  PacoHostMemory *pinned; /* or NULL: the heap's */
} Frame;

static bool
is_shared (unsigned format)
{
  return formats[format].layout[1].places[0].shift > 0;
}

/* Lays a picture out in memory that may be NULL; returns its size. */
static size_t
lay_out (unsigned format, uint8_t *data, PacoPicture *picture)
{
  const PacoPictureFormat *f = &formats[format].picture;
  size_t size = 0;

  for (unsigned c = 0; c < f->n_components; c++) {
    const PacoSampleLayout *layout = &formats[format].layout[c];
    size_t stride = paco_component_width (f, c) * layout->group_bytes
        + formats[format].gap;
    size_t at = is_shared (format) ? 0 : size;

    picture->layout[c] = *layout;
    picture->stride[c] = stride;
    picture->data[c] = data ? data + at : NULL;
    size = at + stride * paco_component_height (f, c);
  }
  return size;
}

static void
frame_init (Frame *frame, unsigned format, PacoHostMemory *pinned, int fill)
{
  frame->size = lay_out (format, NULL, &frame->picture);
  frame->pinned = pinned;
  frame->data = pinned ? pinned->data : g_malloc (frame->size);
  lay_out (format, frame->data, &frame->picture);
  memset (frame->data, fill, frame->size);
}

static void
frame_clear (Frame *frame)
{
  if (frame->pinned)
    frame->pinned->release (frame->pinned);
  else
    g_free (frame->data);
  *frame = (Frame){ { { NULL } } };
}

/* Checks that all samples are made of this byte, and gaps are as they were. */
static void
check_samples (const Life *life, const Frame *frame, unsigned format, int byte)
{
  const PacoPictureFormat *f = &formats[format].picture;

  for (unsigned c = 0; c < f->n_components; c++) {
    size_t bytes = paco_component_width (f, c)
        * formats[format].layout[c].group_bytes;

    for (unsigned y = 0; y < paco_component_height (f, c); y++) {
      const uint8_t *line = frame->picture.data[c]
          + y * frame->picture.stride[c];

      for (unsigned x = 0; x < bytes + formats[format].gap; x++)
        if (line[x] != (x < bytes ? byte : GAP))
          g_error ("%s: component %u, line %u, byte %u is %u, not %u",
              life->plan, c, y, x, line[x], x < bytes ? byte : GAP);
    }
  }
}

/* --- Errors --- */

/* Checks that, of several devices, the error names the one that has failed. */
static void
check_device (const Life *life, const GError *error)
{
  int device = life->failed_device ? life->failed_device () : -1;
  g_autofree char *name = NULL;

  if (life->n_devices < 2 || device < 0)
    return;
  name = g_strdup_printf ("(device %d)", device);
  if (!strstr (error->message, name))
    g_error ("%s: the error does not say that it is of %s: %s", life->plan,
        name, error->message);
}

/* Takes the error, and returns whether life goes on. */
static bool
note (Life *life, GError *error)
{
  if (!error)
    g_error ("%s: a failure without an error", life->plan);
  if (!life->has_failed ())
    g_error (
        "%s: an error before anything failed: %s", life->plan, error->message);
  if (!strstr (error->message, life->cause))
    g_error ("%s: the error does not name the cause: %s", life->plan,
        error->message);
  check_device (life, error);
  if (error->domain != PACO_ERROR)
    g_error ("%s: an error of another kind: %s", life->plan, error->message);
  g_test_message ("%s: %s", life->plan, error->message);
  g_error_free (error);
  life->n_errors++;
  return life->goes_on;
}

static PacoBackendOptions
options (const Life *life)
{
  PacoBackendOptions options = {
    .device = life->device, .n_devices = life->n_devices, .depth = DEPTH
  };

  for (unsigned i = 0; i < life->n_devices; i++)
    options.devices[i] = (int) i;
  return options;
}

static unsigned
flights (const Life *life)
{
  return DEPTH * MAX (life->n_devices, 1);
}

/* --- Coding --- */

/* This is an encoder or a decoder, with frames of a format in flight. */
typedef struct
{
  Life *life;
  PacoEncoder *encoder; /* or NULL */
  PacoDecoder *decoder; /* or NULL */
  PacoCoder *coder;     /* that of them that is there */
  unsigned format, n_in_flight;
  Frame frames[N_FRAMES]; /* sources or destinations */
  uint8_t stamps[N_FRAMES];
  GByteArray *coded[N_FRAMES]; /* that are decoded */
  GPtrArray *kept;             /* encoded frames */
} Coding;

static void
release_frame (gpointer frame)
{
  ((PacoEncodedFrame *) frame)->release (frame);
}

/* Returns a frame of the reference. Later ones are larger, one has a
 * probability set with it, and one a wavelet whose kernels are loaded when it
 * comes. They are made once. */
static GByteArray *
coded_frame (unsigned format, unsigned number)
{
  static GByteArray *frames[G_N_ELEMENTS (formats)][N_FRAMES];
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  PacoProbabilitySet set = paco_builtin_sets[0][0];
  g_autoptr (GRand) random = NULL;
  Frame source;

  if (frames[format][number])
    return frames[format][number];
  random = g_rand_new_with_seed (1 + format * N_FRAMES + number);
  frame_init (&source, format, NULL, 0);
  for (size_t i = 0; i < source.size; i++)
    source.data[i] = g_rand_int_range (random, 0, 2 << (number + 1));
  parameters.rate_control = PACO_RATE_LOSSLESS;
  if (number == 4)
    parameters.wavelet = PACO_WAVELET_CDF53;
  frames[format][number] = g_byte_array_new ();
  g_assert_true (paco_reference_encode (&formats[format].picture,
      &source.picture, &video, &parameters, number == 2 ? &set : NULL,
      frames[format][number], NULL));
  frame_clear (&source);
  return frames[format][number];
}

static int
first_payload_byte (const GByteArray *coded)
{
  PacoHeader header;
  PacoProbabilitySet set;

  g_assert_true (
      paco_header_parse (coded->data, coded->len, &header, &set, NULL));
  return coded->data[header.header_size + header.index_size];
}

static void
check_encoded (const Life *life, const PacoEncodedFrame *frame, uint8_t stamp)
{
  PacoHeader header;
  PacoProbabilitySet set;
  GError *error = NULL;

  if (!paco_header_parse (frame->data, frame->size, &header, &set, &error))
    g_error ("%s: %s", life->plan, error->message);
  if (header.frame_size != frame->size
      || frame->size
          != header.header_size + header.index_size + FAKE_PAYLOAD_SIZE (stamp))
    g_error ("%s: a frame of %zu bytes", life->plan, frame->size);
  for (size_t i = header.header_size + header.index_size; i < frame->size; i++)
    if (frame->data[i] != stamp)
      g_error ("%s: a frame that was not coded: byte %zu is %u, not %u",
          life->plan, i, frame->data[i], stamp);
}

static bool
open_coder (Coding *self, Life *life, bool decodes)
{
  PacoBackendOptions opts = options (life);
  GError *error = NULL;

  *self = (Coding){ .life = life,
    .kept = g_ptr_array_new_with_free_func (release_frame) };
  do {
    g_clear_error (&error);
    if (decodes && (self->decoder = BACKEND.decoder_open (&opts, &error)))
      self->coder = PACO_CODER (self->decoder);
    if (!decodes && (self->encoder = BACKEND.encoder_open (&opts, &error)))
      self->coder = PACO_CODER (self->encoder);
  } while (!self->coder && note (life, g_steal_pointer (&error)));
  return self->coder != NULL;
}

static gboolean
configure (Coding *self, GError **error)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  PacoHeader header;
  PacoProbabilitySet set;
  const GByteArray *coded;

  if (self->encoder) {
    parameters.rate_control = formats[self->format].rate_control;
    parameters.frame_size = formats[self->format].frame_size;
    return paco_encoder_configure (self->encoder,
        &formats[self->format].picture, formats[self->format].layout,
        &parameters, error);
  }
  coded = coded_frame (self->format, 0);
  g_assert_true (
      paco_header_parse (coded->data, coded->len, &header, &set, NULL));
  return paco_decoder_configure (
      self->decoder, &header, formats[self->format].layout, 0, error);
}

static void
clear_frame (Coding *self, unsigned number)
{
  frame_clear (&self->frames[number]);
  g_clear_pointer (&self->coded[number], g_byte_array_unref);
}

static bool
submit (Coding *self, unsigned number)
{
  GError *error = NULL;
  PacoHostMemory *pinned = NULL;
  PacoPicture layout;
  Frame *frame = &self->frames[number];
  PacoCodedFrame coded;
  bool done;

  self->stamps[number] = 10 + (number * 97 + self->format * 41) % 230;
  if (number % 2) {
    pinned = paco_coder_host_memory (
        self->coder, lay_out (self->format, NULL, &layout), &error);
    if (!pinned && !note (self->life, g_steal_pointer (&error)))
      return false;
  }
  self->life->n_frames++;
  if (self->encoder) {
    frame_init (frame, self->format, pinned, self->stamps[number]);
    if (number == 3 && formats[self->format].rate_control == PACO_RATE_QUALITY)
      paco_encoder_set_rate (self->encoder, 60.0, 0, 0);
    done = paco_encoder_submit (self->encoder, &frame->picture, &video,
        GUINT_TO_POINTER (number), &error);
  } else {
    const GByteArray *bytes = coded_frame (self->format, number);

    frame_init (
        frame, self->format, pinned, is_shared (self->format) ? 0 : GAP);
    /* This is a copy that does not outlive the frame. */
    self->coded[number] = g_byte_array_new_take (
        g_memdup2 (bytes->data, bytes->len), bytes->len);
    done = paco_coded_frame_parse (
               &coded, self->coded[number]->data, bytes->len, &error)
        && paco_decoder_submit (self->decoder, &coded, &frame->picture,
            GUINT_TO_POINTER (number), &error);
  }
  if (!done) {
    clear_frame (self, number);
    return note (self->life, error);
  }
  self->n_in_flight++;
  return true;
}

static bool
collect_encoded (Coding *self)
{
  PacoEncodedFrame *frame = paco_encoder_collect (self->encoder, NULL);
  unsigned number;

  g_assert_nonnull (frame);
  number = GPOINTER_TO_UINT (frame->user_data);
  clear_frame (self, number); /* nothing may use it any more */
  if (frame->error) {
    bool goes_on = note (self->life, g_steal_pointer (&frame->error));

    g_assert_null (frame->data);
    frame->release (frame);
    return goes_on;
  }
  check_encoded (self->life, frame, self->stamps[number]);
  self->life->n_good++;
  g_ptr_array_add (self->kept, frame);
  return true;
}

static bool
collect_decoded (Coding *self)
{
  PacoDecodedFrame frame = { NULL };
  unsigned number;
  bool alive = true;

  g_assert_true (paco_decoder_collect (self->decoder, &frame, NULL));
  number = GPOINTER_TO_UINT (frame.user_data);
  if (frame.error) {
    alive = note (self->life, frame.error);
  } else {
    g_assert_cmpuint (frame.corrupted_blocks, ==, 0);
    check_samples (self->life, &self->frames[number], self->format,
        first_payload_byte (self->coded[number]));
    self->life->n_good++;
  }
  clear_frame (self, number);
  return alive;
}

static bool
collect (Coding *self)
{
  self->n_in_flight--;
  return self->encoder ? collect_encoded (self) : collect_decoded (self);
}

static bool
code_format (Coding *self)
{
  PacoDecodedFrame none;
  GError *error = NULL;
  bool alive = true;

  while (!configure (self, &error))
    if (!note (self->life, g_steal_pointer (&error)))
      return false;
  for (unsigned n = 0; n < N_FRAMES && alive; n++) {
    if (self->n_in_flight == flights (self->life))
      alive = collect (self);
    alive = alive && submit (self, n);
  }
  while (alive && self->n_in_flight > 0)
    alive = collect (self);
  /* It stops as an element does. */
  paco_coder_abandon (self->coder, NULL);
  if (self->encoder)
    g_assert_null (paco_encoder_collect (self->encoder, NULL));
  else
    g_assert_false (paco_decoder_collect (self->decoder, &none, NULL));
  for (unsigned n = 0; n < N_FRAMES; n++)
    clear_frame (self, n);
  self->n_in_flight = 0;
  return alive;
}

static void
code_all (Coding *self, unsigned n_formats)
{
  while (self->format < n_formats && code_format (self))
    self->format++;
}

/* Tries one more coder, while that which failed is still open. */
static void
try_new_coder (const Life *old, bool decodes)
{
  Life life = { .plan = old->plan,
    .cause = old->cause,
    .device = old->device,
    .n_devices = old->n_devices,
    .has_failed = old->has_failed };
  Coding coding;

  if (open_coder (&coding, &life, decodes))
    code_all (&coding, 1);
  if (old->new_works ? life.n_good < N_FRAMES : life.n_good > 0)
    g_error ("%s: afterwards %u frames of a new coder", life.plan, life.n_good);
  paco_coder_close (coding.coder);
  g_ptr_array_unref (coding.kept);
}

static void
life_of_coder (Life *life, bool decodes)
{
  Coding coding;

  if (open_coder (&coding, life, decodes)) {
    GError *error = NULL;
    PacoHostMemory *late = paco_coder_host_memory (coding.coder, 100, &error);

    if (late || note (life, error))
      code_all (&coding, G_N_ELEMENTS (formats));
    life->failed_early = life->has_failed ();
    if (life->n_errors > 0 && (life->new_works || life->new_fails))
      try_new_coder (life, decodes);
    paco_coder_close (coding.coder);
    if (late)
      late->release (late);
  }
  g_ptr_array_unref (coding.kept);
}

void
life_of_encoder (Life *life)
{
  life_of_coder (life, false);
}

void
life_of_decoder (Life *life)
{
  life_of_coder (life, true);
}
