/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests streams with broken blocks, which are concealed: pixels and counts are the
 * reference's, whatever is in flight, and nothing from before a gap is used. */
#include "backend-case.h"
#include "codec/conceal.h"
#include "codec/reference/reference.h"
#include "random-damage.h"
#include <math.h>
#include <string.h>

#define N_FRAMES 16
#define N_FORMS 2

/* --- streams --- */

/* This is a stream's picture format and parameters. Pictures that follow each
 * other in it are the same, or have nothing in common. A mixed one has frames
 * of either form. */
typedef struct
{
  GRand *rand;
  guint32 seed;
  PacoPictureFormat format;
  PacoParameters parameters;
  PacoVideoInfo video;
  bool mixed;
  PacoHeader headers[N_FORMS]; /* what the decoder is configured for */
  PacoProbabilitySet set;      /* that some frames carry */
  guint32 picture;             /* what it is made from */
  unsigned reduce;
} Stream;

/* Chooses a size at which LL is one block, or a few in a row or in a column. */
static void
choose_size (Stream *stream)
{
  switch (g_rand_int_range (stream->rand, 0, 3)) {
    case 0:
      stream->format.width = g_rand_int_range (stream->rand, 1030, 2200);
      stream->format.height = g_rand_int_range (stream->rand, 1, 16);
      break;
    case 1:
      stream->format.width = g_rand_int_range (stream->rand, 1, 16);
      stream->format.height = g_rand_int_range (stream->rand, 520, 1100);
      break;
    default:
      break;
  }
}

/* Codes a picture as the stream is coded; returns FALSE if it cannot be. */
static gboolean
code_frame (Stream *stream, GByteArray *frame)
{
  GRand *rand = g_rand_new_with_seed (stream->picture);
  g_auto (TestPicture) source;
  gboolean done;

  test_picture_init (rand, &source, &stream->format, 0);
  test_picture_fill (rand, &source);
  g_rand_free (rand);
  done = paco_reference_encode (&stream->format, &source.picture,
      &stream->video, &stream->parameters,
      g_rand_int_range (stream->rand, 0, 4) == 0 ? &stream->set : NULL, frame,
      NULL);
  return done;
}

static bool
has_form (const Stream *stream, unsigned form)
{
  return stream->mixed || stream->format.fields == form;
}

static gboolean
try_form (Stream *stream, unsigned form)
{
  g_autoptr (GByteArray) frame = g_byte_array_new ();
  PacoHeader *header = &stream->headers[form];
  gboolean done;

  stream->format.fields = form;
  done = code_frame (stream, frame)
      && paco_header_parse (frame->data, frame->len, header, NULL, NULL);
  header->set = NULL;
  return done;
}

static gboolean
try_stream (Stream *stream)
{
  test_format_random (stream->rand, &stream->format, 600);
  choose_size (stream);
  test_parameters_random (stream->rand, &stream->parameters);
  test_video_random (stream->rand, &stream->video);
  stream->parameters.levels = g_rand_int_range (stream->rand, 0, 7);
  stream->parameters.block_checks = true;
  stream->mixed = g_rand_int_range (stream->rand, 0, 4) == 0;
  if (!stream->mixed)
    return try_form (stream, stream->format.fields);
  stream->video.interlace_mode = PACO_INTERLACE_MIXED;
  return try_form (stream, 0) && try_form (stream, 1);
}

static void
stream_init (Stream *stream)
{
  stream->seed = g_test_rand_int ();
  stream->rand = g_rand_new_with_seed (stream->seed);
  stream->set = paco_builtin_sets[0][0];
  for (unsigned i = 0; i < 300; i++)
    stream->set.p[g_rand_int_range (stream->rand, 0, PACO_N_ROWS)]
                 [g_rand_int_range (stream->rand, 0, PACO_N_CONTEXTS)] =
        (uint8_t) g_rand_int_range (stream->rand, 1, 256);
  while (!try_stream (stream)) {
  }
  stream->reduce = g_rand_boolean (stream->rand)
      ? 0
      : g_rand_int_range (stream->rand, 0,
          stream->headers[stream->format.fields].coding.levels + 1);
}

/* Makes another frame, of another quality; one that the decoder would have to
 * be configured for is made again. */
static GByteArray *
next_frame (Stream *stream)
{
  GByteArray *frame = g_byte_array_new ();
  PacoHeader header;

  do {
    g_byte_array_set_size (frame, 0);
    if (stream->mixed)
      stream->format.fields = g_rand_boolean (stream->rand);
    if (g_rand_boolean (stream->rand))
      stream->picture = g_rand_int (stream->rand);
    if (g_rand_boolean (stream->rand))
      stream->parameters.quality = g_rand_double_range (stream->rand, 0, 100);
    stream->parameters.block_checks = g_rand_int_range (stream->rand, 0, 8) > 0;
    g_assert_true (code_frame (stream, frame));
    g_assert_true (
        paco_header_parse (frame->data, frame->len, &header, NULL, NULL));
  } while (!paco_header_same_configuration (
      &stream->headers[stream->format.fields], &header));
  return frame;
}

/* Chooses blocks mostly of LL and of the coarsest level. */
static bool
is_unlucky (const PacoGeometry *geometry, uint32_t i, gpointer data)
{
  unsigned levels = geometry->levels;
  bool ll = i < geometry->n_blocks_at[levels];
  bool low = levels > 0 && i < geometry->n_blocks_at[levels - 1];

  return g_rand_int_range (data, 0, ll ? 3 : low ? 2 : 20) == 0;
}

/* Chooses almost all: what stands for them takes more memory than the frame did. */
static bool
is_most_unlucky (const PacoGeometry *geometry, uint32_t i, gpointer data)
{
  return i + 1 < geometry->n_blocks && g_rand_int_range (data, 0, 16) > 0;
}

/* Makes a sound frame, one with broken blocks, or one that is damaged in any
 * way. */
static GByteArray *
next_damaged_frame (Stream *stream)
{
  GByteArray *frame = next_frame (stream);

  switch (g_rand_int_range (stream->rand, 0, 7)) {
    case 0:
    case 1:
      break;
    case 2:
      test_damage (stream->rand, frame, 4000);
      break;
    case 3:
      test_break_blocks (frame, stream->rand, is_most_unlucky, stream->rand);
      break;
    default:
      test_break_blocks (frame, stream->rand, is_unlucky, stream->rand);
      break;
  }
  return frame;
}

/* --- frames in flight --- */

typedef struct
{
  GByteArray *bytes;
  PacoHostMemory *memory; /* where the backend has them, or NULL */
  TestPicture mine, theirs;
  gboolean decoded;
  uint32_t corrupted_blocks, concealed_blocks; /* says the reference */
} Frame;

typedef struct
{
  Stream stream;
  PacoDecoder *decoder;
  TestPicture destinations[N_FORMS]; /* how pictures lie in memory */
  PacoReferenceConcealer *concealer;
  Frame frames[N_FRAMES];
  unsigned submitted, collected;
  uint32_t n_concealed;
} Pipe;

static void
frame_clear (Frame *frame)
{
  g_byte_array_unref (frame->bytes);
  if (frame->memory)
    frame->memory->release (frame->memory);
  test_picture_clear (&frame->mine);
  test_picture_clear (&frame->theirs);
}

static void
collect (Pipe *pipe)
{
  Frame *frame = &pipe->frames[pipe->collected++ % N_FRAMES];
  PacoDecodedFrame result = { NULL };

  g_assert_true (paco_decoder_collect (pipe->decoder, &result, NULL));
  g_assert_true (result.user_data == frame);
  if ((result.error == NULL) != frame->decoded
      || result.corrupted_blocks != frame->corrupted_blocks
      || result.concealed_blocks != frame->concealed_blocks)
    g_error ("stream %u: %s with %u broken and %u concealed blocks, the "
             "reference %s with %u and %u",
        pipe->stream.seed, result.error ? "refused" : "decoded",
        result.corrupted_blocks, result.concealed_blocks,
        frame->decoded ? "decoded" : "refused", frame->corrupted_blocks,
        frame->concealed_blocks);
  if (frame->decoded)
    test_picture_compare (&frame->mine, &frame->theirs);
  pipe->n_concealed += frame->concealed_blocks;
  g_clear_error (&result.error);
  frame_clear (frame);
}

static void
submit (Pipe *pipe)
{
  Stream *stream = &pipe->stream;
  Frame *frame = &pipe->frames[pipe->submitted % N_FRAMES];
  PacoCodedFrame coded;

  *frame = (Frame){ .bytes = next_damaged_frame (stream) };
  if (!paco_coded_frame_parse (
          &coded, frame->bytes->data, frame->bytes->len, NULL)
      || !paco_decoder_takes (pipe->decoder, &coded.header)) {
    g_byte_array_unref (frame->bytes);
    return;
  }
  /* Damage may have made it one of the other form. */
  test_picture_copy (
      &frame->mine, &pipe->destinations[coded.header.picture.fields]);
  test_picture_copy (&frame->theirs, &frame->mine);
  frame->decoded = paco_reference_decode_next (pipe->concealer,
      frame->bytes->data, frame->bytes->len, stream->reduce,
      &frame->theirs.picture, &frame->corrupted_blocks,
      &frame->concealed_blocks, NULL);
  frame->memory = copy_to_host_memory (
      PACO_CODER (pipe->decoder), frame->bytes->data, frame->bytes->len);
  if (frame->memory)
    coded.data = frame->memory->data;
  must_submit_frame (pipe->decoder, &coded, &frame->mine.picture, frame);
  pipe->submitted++;
}

/* Drops what is in flight. */
static void
abandon (Pipe *pipe)
{
  g_assert_true (paco_coder_abandon (PACO_CODER (pipe->decoder), NULL));
  while (pipe->collected < pipe->submitted)
    frame_clear (&pipe->frames[pipe->collected++ % N_FRAMES]);
  paco_reference_concealer_forget (pipe->concealer);
}

static void
forget (Pipe *pipe)
{
  paco_decoder_forget (pipe->decoder);
  paco_reference_concealer_forget (pipe->concealer);
}

/* Layouts are the same for both forms, sizes may not be. */
static void
configure (Pipe *pipe)
{
  Stream *stream = &pipe->stream;
  guint32 seed = g_rand_int (stream->rand);

  for (unsigned form = 0; form < N_FORMS; form++) {
    TestPicture *destination = &pipe->destinations[form];
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

    if (has_form (stream, form)) {
      test_picture_init (
          rand, destination, &stream->headers[form].picture, stream->reduce);
      must_configure_decoder (pipe->decoder, &stream->headers[form],
          destination->picture.layout, stream->reduce);
    }
  }
}

static void
pipe_init (Pipe *pipe)
{
  const PacoBackendOptions options = {
    .device = -1,
    .all_devices = g_test_rand_bit (),
    .threads = g_test_rand_int_range (1, 4),
    .depth = g_test_rand_int_range (1, 5),
    .timeout = PATIENCE,
    .conceal = true,
  };

  *pipe = (Pipe){ .concealer = paco_reference_concealer_new () };
  stream_init (&pipe->stream);
  pipe->decoder = BACKEND.decoder_open (&options, NULL);
  set_random_ops (pipe->stream.rand, NULL, pipe->decoder);
  configure (pipe);
}

static void
pipe_clear (Pipe *pipe)
{
  PacoStats stats;

  while (pipe->collected < pipe->submitted)
    collect (pipe);
  paco_coder_stats (PACO_CODER (pipe->decoder), &stats);
  g_assert_cmpuint (stats.concealed_blocks, >=, pipe->n_concealed);
  paco_coder_close (PACO_CODER (pipe->decoder));
  paco_reference_concealer_free (pipe->concealer);
  for (unsigned form = 0; form < N_FORMS; form++)
    test_picture_clear (&pipe->destinations[form]);
  g_rand_free (pipe->stream.rand);
}

/* --- tests --- */

static void
test_streams (void)
{
  uint32_t n_concealed = 0;

  for (unsigned n = 0; n < n_cases (25); n++) {
    Pipe pipe;

    pipe_init (&pipe);
    for (unsigned i = 0; i < 2 * N_FRAMES; i++) {
      unsigned in_flight = pipe.submitted - pipe.collected;

      if (in_flight == paco_coder_depth (PACO_CODER (pipe.decoder)))
        collect (&pipe);
      submit (&pipe);
      switch (g_rand_int_range (pipe.stream.rand, 0, 20)) {
        case 0:
          abandon (&pipe);
          break;
        case 1:
          forget (&pipe);
          break;
        default:
          break;
      }
    }
    n_concealed += pipe.n_concealed;
    pipe_clear (&pipe);
  }
  g_test_message ("%u blocks were concealed", n_concealed);
  /* Few streams may be without a block that can be concealed. */
  if (n_cases (25) >= 25)
    g_assert_cmpuint (n_concealed, >, 0);
}

/* --- frames that are abandoned --- */

#define N_ABANDONED 30

typedef struct
{
  PacoDecoder *decoder;
  GByteArray *frame; /* with broken blocks */
  TestPicture *destinations;
  gint stop, n_collected; /* atomic */
} Crowd;

static gint n_dropped; /* atomic */

static void
count_dropped (void *user_data)
{
  g_atomic_int_inc (&n_dropped);
}

static gpointer
submit_all (gpointer data)
{
  Crowd *crowd = data;
  PacoCodedFrame coded;

  must_parse (&coded, crowd->frame->data, crowd->frame->len);
  for (unsigned i = 0; i < N_ABANDONED; i++)
    must_submit_frame (
        crowd->decoder, &coded, &crowd->destinations[i].picture, crowd);
  return NULL;
}

static gpointer
collect_all (gpointer data)
{
  Crowd *crowd = data;

  while (!g_atomic_int_get (&crowd->stop)) {
    PacoDecodedFrame result;

    if (paco_decoder_collect (crowd->decoder, &result, NULL)) {
      g_assert_no_error (result.error);
      g_atomic_int_inc (&crowd->n_collected);
    }
  }
  return NULL;
}

/* Abandons frames from a third thread while they go in and out, so that nobody
 * waits for the turn of one that is gone. */
static void
test_abandon (void)
{
  for (unsigned round = 0; round < n_cases (20); round++) {
    const PacoBackendOptions options = {
      .device = -1,
      .all_devices = true,
      .threads = 1 + round % 3,
      .depth = 1 + round % 5,
      .timeout = PATIENCE,
      .conceal = true,
      .drop = count_dropped,
    };
    TestPicture destinations[N_ABANDONED];
    Crowd crowd = { .decoder = BACKEND.decoder_open (&options, NULL),
      .destinations = destinations };
    GThread *submitter, *collector;
    Stream stream;

    n_dropped = 0;
    stream_init (&stream);
    crowd.frame = next_frame (&stream);
    test_break_blocks (crowd.frame, stream.rand, is_unlucky, stream.rand);
    test_picture_init (stream.rand, &destinations[0],
        &stream.headers[stream.format.fields].picture, stream.reduce);
    for (unsigned i = 1; i < N_ABANDONED; i++)
      test_picture_copy (&destinations[i], &destinations[0]);
    must_configure_decoder (crowd.decoder,
        &stream.headers[stream.format.fields], destinations[0].picture.layout,
        stream.reduce);
    submitter = g_thread_new ("submit", submit_all, &crowd);
    collector = g_thread_new ("collect", collect_all, &crowd);
    while (g_atomic_int_get (&n_dropped) + g_atomic_int_get (&crowd.n_collected)
        < N_ABANDONED) {
      g_assert_true (paco_coder_abandon (PACO_CODER (crowd.decoder), NULL));
      g_usleep (round * 100);
    }
    g_thread_join (submitter);
    g_atomic_int_set (&crowd.stop, TRUE);
    g_thread_join (collector);
    g_assert_cmpint (n_dropped + crowd.n_collected, ==, N_ABANDONED);
    paco_coder_close (PACO_CODER (crowd.decoder));
    for (unsigned i = 0; i < N_ABANDONED; i++)
      test_picture_clear (&destinations[i]);
    g_byte_array_unref (crowd.frame);
    g_rand_free (stream.rand);
  }
}

/* --- how it looks --- */

#define SCENE_HEIGHT 200

/* Returns a sample of a moving picture of 8 bits, smooth but for waves and a
 * texture, at a time in frames. */
static double
draw_sample (unsigned x, unsigned y, unsigned time)
{
  double u = x + 3.0 * time, v = y - 2.0 * time;

  return 110.0 + 30.0 * sin (u / 70.0) + 50.0 * cos (v / 45.0)
      + 20.0 * sin (u / 8.0) + 6.0 * sin (u * 1.9) * sin (v * 1.3);
}

/* Returns a sample of what comes after a cut: another picture, which does not
 * move. */
static double
draw_other_sample (unsigned x, unsigned y)
{
  return 120.0 + 60.0 * sin ((x + 2.0 * y) / 33.0) * cos (y / 21.0)
      + 20.0 * cos ((2.0 * x - y) / 9.0) + 6.0 * sin (x * 1.1 + y * 1.7);
}

#define AFTER_THE_CUT UINT_MAX /* a time */

static uint8_t *
draw_scene (unsigned width, unsigned time)
{
  uint8_t *samples = g_malloc ((size_t) width * SCENE_HEIGHT);

  for (unsigned y = 0; y < SCENE_HEIGHT; y++)
    for (unsigned x = 0; x < width; x++)
      samples[y * width + x] = (uint8_t) (0.5
          + (time == AFTER_THE_CUT ? draw_other_sample (x, y)
                                   : draw_sample (x, y, time)));
  return samples;
}

static PacoPicture
gray_picture (uint8_t *samples, unsigned width)
{
  return (PacoPicture){
    .data = { samples },
    .stride = { width },
    .layout = { PACO_LAYOUT_PLANAR (1) },
  };
}

typedef struct
{
  unsigned width, levels;
  unsigned n; /* frames, of which the last one has broken blocks */
  unsigned speed;
  bool concealed; /* by decoders that are asked to */
  bool cut;       /* the last frame is of another scene */
} Scene;

/* Returns the PSNR of the last frame. */
static double
scene_psnr (const Scene *scene, TestChooser choose, bool conceal)
{
  unsigned width = scene->width;
  const PacoBackendOptions options = {
    .device = -1, .depth = 1, .timeout = PATIENCE, .conceal = conceal
  };
  const PacoPictureFormat format = { .width = width,
    .height = SCENE_HEIGHT,
    .n_components = 1,
    .components = { { .depth = 8 } } };
  const PacoVideoInfo video = { .par_n = 1, .par_d = 1, .fps_d = 1 };
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  g_autoptr (PacoDecoder) decoder = BACKEND.decoder_open (&options, NULL);
  uint8_t *decoded = draw_scene (width, 0), *samples = NULL;
  PacoPicture destination = gray_picture (decoded, width);
  double sum = 0.0;

  parameters.levels = scene->levels;
  parameters.rate_control = PACO_RATE_QUALITY;
  for (unsigned time = 0; time < scene->n; time++) {
    g_autoptr (GByteArray) frame = g_byte_array_new ();
    PacoDecodedFrame result;
    PacoCodedFrame coded;
    PacoPicture picture;

    g_free (samples);
    samples = draw_scene (width,
        scene->cut && time + 1 == scene->n ? AFTER_THE_CUT
                                           : time * scene->speed);
    picture = gray_picture (samples, width);
    /* The step is another one than before. */
    parameters.quality = time + 1 == scene->n ? 85.0 : 90.0;
    g_assert_true (paco_reference_encode (
        &format, &picture, &video, &parameters, NULL, frame, NULL));
    if (time + 1 == scene->n) {
      g_autoptr (GRand) rand = g_rand_new_with_seed (1);

      test_break_blocks (frame, rand, choose, NULL);
    }
    must_parse (&coded, frame->data, frame->len);
    g_assert_true (time > 0
        || paco_decoder_configure (
            decoder, &coded.header, destination.layout, 0, NULL));
    must_submit_frame (decoder, &coded, &destination, NULL);
    result = must_collect_picture (decoder);
    g_assert_cmpuint (result.concealed_blocks, ==,
        conceal && scene->concealed ? result.corrupted_blocks : 0);
  }
  for (unsigned i = 0; i < width * SCENE_HEIGHT; i++)
    sum += pow ((double) samples[i] - decoded[i], 2);
  g_free (samples);
  g_free (decoded);
  return 10.0 * log10 (255.0 * 255.0 * width * SCENE_HEIGHT / sum);
}

/* Chooses all blocks of LL. */
static bool
is_ll (const PacoGeometry *geometry, uint32_t i, gpointer data)
{
  return i < geometry->n_blocks_at[geometry->levels];
}

/* Tests that the last frame is far better than gray, also when its step is
 * another. */
static void
test_after_last (void)
{
  const Scene scene = { 320, 5, 2, 1, true };
  double gray = scene_psnr (&scene, is_ll, false);
  double concealed = scene_psnr (&scene, is_ll, true);

  g_test_message (
      "without LL %.1f dB, after the last frame %.1f dB", gray, concealed);
  g_assert_cmpfloat (concealed, >, gray + 10.0);
  g_assert_cmpfloat (concealed, >, 28.0);
}

/* Chooses the one in the middle of the three of LL. */
static bool
is_middle (const PacoGeometry *geometry, uint32_t i, gpointer data)
{
  g_assert_cmpuint (geometry->n_blocks_at[geometry->levels], ==, 3);
  return i == 1;
}

/* Tests that in the first frame neighbours are better than gray. */
static void
test_between_neighbors (void)
{
  const Scene scene = { 2200, 4, 1, 1, true };
  double gray = scene_psnr (&scene, is_middle, false);
  double concealed = scene_psnr (&scene, is_middle, true);

  g_test_message ("without a block of LL %.1f dB, between its neighbours %.1f "
                  "dB",
      gray, concealed);
  g_assert_cmpfloat (concealed, >, gray + 1.0);
}

/* Tests that in a new scene a block is like its neighbours, as in a first
 * frame, and in a scene that goes on it is what it was. */
static void
test_new_scene (void)
{
  const Scene first = { 2200, 4, 1, 1, true, true };
  const Scene cut = { 2200, 4, 2, 1, true, true };
  const Scene moving = { 2200, 4, 2, 2, true };
  double between = scene_psnr (&first, is_middle, true);
  double moved = scene_psnr (&moving, is_middle, true);

  g_test_message ("in a new scene %.1f dB, after the last frame of one that "
                  "moves %.1f dB",
      between, moved);
  g_assert_cmpfloat (between, >, scene_psnr (&first, is_middle, false));
  g_assert_cmpfloat (scene_psnr (&cut, is_middle, true), ==, between);
  g_assert_cmpfloat (moved, >, scene_psnr (&moving, is_middle, false) + 10.0);
}

/* Chooses blocks of the coarsest level, but for LL. */
static bool
is_coarse_detail (const PacoGeometry *geometry, uint32_t i, gpointer data)
{
  return i >= geometry->n_blocks_at[geometry->levels]
      && i < geometry->n_blocks_at[geometry->levels - 1];
}

/* Tests that details of the last frame are better than none, unless the scene
 * moves fast or another one begins. */
static void
test_details (void)
{
  const Scene slow = { 320, 5, 2, 1, true }, fast = { 320, 5, 2, 12, false };
  const Scene cut = { 320, 5, 2, 1, false, true };
  double blurred = scene_psnr (&slow, is_coarse_detail, false);
  double concealed = scene_psnr (&slow, is_coarse_detail, true);

  g_test_message (
      "without the coarsest details %.1f dB, with those of the last "
      "frame %.1f dB",
      blurred, concealed);
  g_assert_cmpfloat (concealed, >, blurred + 3.0);
  g_assert_cmpfloat (scene_psnr (&fast, is_coarse_detail, true), ==,
      scene_psnr (&fast, is_coarse_detail, false));
  g_assert_cmpfloat (scene_psnr (&cut, is_coarse_detail, true), ==,
      scene_psnr (&cut, is_coarse_detail, false));
}

#define COLORS_WIDTH 320

/* Draws R, G and B of one scene, with a texture in a color. */
static void
draw_colors (uint8_t samples[3][SCENE_HEIGHT][COLORS_WIDTH], unsigned textured)
{
  for (unsigned c = 0; c < 3; c++)
    for (unsigned y = 0; y < SCENE_HEIGHT; y++)
      for (unsigned x = 0; x < COLORS_WIDTH; x++)
        samples[c][y][x] = (uint8_t) (draw_sample (x, y, 10 * c) / 2.0
            + (c == textured ? 90.0 * ((x * x + y) % 3 % 2) : 30.0));
}

/* Returns how many blocks are concealed when LL of a frame is broken that comes after one
 * with a texture in blue, and has its own in this color. */
static uint32_t
conceal_colors (unsigned textured)
{
  static uint8_t samples[3][SCENE_HEIGHT][COLORS_WIDTH];
  const PacoBackendOptions options = {
    .device = -1, .depth = 1, .timeout = PATIENCE, .conceal = true
  };
  const PacoPictureFormat format = { .width = COLORS_WIDTH,
    .height = SCENE_HEIGHT,
    .n_components = 3,
    .components = { { .depth = 8 }, { .depth = 8 }, { .depth = 8 } } };
  const PacoVideoInfo video = { .par_n = 1, .par_d = 1, .fps_d = 1 };
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  g_autoptr (PacoDecoder) decoder = BACKEND.decoder_open (&options, NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  PacoDecodedFrame result = { NULL };
  PacoPicture picture = { .crop = { 0 } };

  for (unsigned c = 0; c < 3; c++) {
    picture.data[c] = samples[c][0];
    picture.stride[c] = COLORS_WIDTH;
    picture.layout[c] = (PacoSampleLayout) PACO_LAYOUT_PLANAR (1);
  }
  parameters.rgb = true;
  parameters.tune = PACO_TUNE_PSNR;
  for (unsigned time = 0; time < 2; time++) {
    g_autoptr (GByteArray) frame = g_byte_array_new ();
    PacoCodedFrame coded;

    draw_colors (samples, time == 0 ? 2 : textured);
    g_assert_true (paco_reference_encode (
        &format, &picture, &video, &parameters, NULL, frame, NULL));
    if (time == 1)
      test_break_blocks (frame, rand, is_ll, NULL);
    must_parse (&coded, frame->data, frame->len);
    g_assert_true (time > 0
        || paco_decoder_configure (
            decoder, &coded.header, picture.layout, 0, NULL));
    must_submit_frame (decoder, &coded, &picture, NULL);
    result = must_collect_picture (decoder);
    g_assert_cmpuint (result.corrupted_blocks, ==, 3 * time);
  }
  return result.concealed_blocks;
}

/* Tests that a last frame whose colors were mixed in another way is of no use. */
static void
test_colors (void)
{
  g_assert_cmpuint (conceal_colors (2), ==, 3);
  g_assert_cmpuint (conceal_colors (0), ==, 0);
}

void
add_conceal_tests (void)
{
  g_test_add_func ("/backend/conceal/details", test_details);
  g_test_add_func ("/backend/conceal/after-last", test_after_last);
  g_test_add_func (
      "/backend/conceal/between-neighbors", test_between_neighbors);
  g_test_add_func ("/backend/conceal/new-scene", test_new_scene);
  g_test_add_func ("/backend/conceal/colors", test_colors);
  g_test_add_func ("/backend/conceal/streams", test_streams);
  g_test_add_func ("/backend/conceal/abandon", test_abandon);
}
