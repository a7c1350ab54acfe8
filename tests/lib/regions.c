/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests regions of pictures: what several frames in flight are decoded to is, to the
 * byte, what the whole picture, which the CPU has decoded, has in that place, and memory
 * beside it stays as it was; only samples behind the last column may be anything.
 * Pictures, layouts and regions are random, and frames may be damaged. Regions lie in
 * the host's memory, page-locked or not. With PACO_LIB_BACKEND=cuda in the environment
 * the test runs on a GPU, or an emulated one, and regions also lie in its memory, which
 * is ready at once or when the application's stream comes to it. */
#include "codec/geometry.h"
#include "codec/reference/reference.h"
#include "lib/paco.h"
#include "tests/codec/n-cases.h"
#include "tests/codec/random-picture.h"
#include "tests/lib/cuda.h"
#include "tests/lib/from-codec.h"
#include "tests/lib/status.h"
#include <string.h>

#define N_FRAMES 5

static bool on_cuda;

/* Returns how many samples a component has at most. An emulated GPU takes a second for
 * a tall picture of 20000, and is given up after ten. */
static uint32_t
case_samples (void)
{
  return g_getenv ("PACO_EMULATED") ? 3000 : 20000;
}

static PacoFrameDecoder *
new_decoder (bool cuda_too)
{
  PacoFrameDecoder *decoder = paco_frame_decoder_new ();

  set_decoder (decoder, "threads", "2");
  set_decoder (decoder, "backend", "%s", on_cuda && cuda_too ? "cuda" : "cpu");
  if (on_cuda && cuda_too)
    OK (paco_frame_decoder_use_context (decoder, context, &error));
  return decoder;
}

/* --- frames --- */

/* These are frames of one kind. */
typedef struct
{
  GRand *rand;
  PacoPictureFormat format;
  PacoInfo info;
  GByteArray *frames[N_FRAMES];
  bool damaged;
} Run;

/* Returns false if a picture cannot be coded with these parameters. */
static bool
encode (Run *run, unsigned i, const PacoVideoInfo *video,
    const PacoParameters *parameters)
{
  const PacoAreas none = { .n = 0 };
  TestPicture picture;
  bool done;

  run->frames[i] = g_byte_array_new ();
  test_picture_init (run->rand, &picture, &run->format, 0);
  test_picture_fill (run->rand, &picture);
  done = paco_reference_encode_after (&run->format, &picture.picture, video,
      parameters, &none, NULL, NULL, run->frames[i], NULL);
  test_picture_clear (&picture);
  return done;
}

/* Changes some bytes of blocks. */
static void
damage (Run *run, GByteArray *frame)
{
  PacoInfo info = PACO_INFO_INIT;
  guint first;

  OK (paco_probe (frame->data, frame->len, &info, NULL, &error));
  first = info.header_size + info.index_size;
  for (unsigned i = 0; i < 3 && first < frame->len; i++)
    frame->data[g_rand_int_range (run->rand, first, frame->len)] ^=
        g_rand_int_range (run->rand, 1, 256);
}

static void
run_clear (Run *run)
{
  for (unsigned i = 0; i < N_FRAMES; i++)
    g_clear_pointer (&run->frames[i], g_byte_array_unref);
}

static void
run_init (Run *run, GRand *rand)
{
  PacoParameters parameters;
  PacoVideoInfo video;
  unsigned n;

  *run = (Run){ .rand = rand, .damaged = g_rand_int_range (rand, 0, 3) == 0 };
  do {
    run_clear (run);
    test_format_random (rand, &run->format, case_samples ());
    test_parameters_random (rand, &parameters);
    test_video_random (rand, &video);
    video.attachment = (PacoAttachment){ NULL, 0 };
    video.has_place = false;
    parameters.rgb = video.matrix == 1;
    parameters.cut_points = g_rand_boolean (rand);
    parameters.block_checks = parameters.block_checks || run->damaged;
    for (n = 0; n < N_FRAMES && encode (run, n, &video, &parameters);)
      n++;
  } while (n < N_FRAMES);
  for (unsigned i = 0; i < N_FRAMES && run->damaged; i++)
    if (g_rand_boolean (rand))
      damage (run, run->frames[i]);
  run->info = info_of (&run->format, &video);
}

/* --- the whole picture --- */

/* These are the samples of all frames, whole but reduced, in words of two bytes. */
typedef struct
{
  PacoImage images[N_FRAMES];
  uint32_t corrupted[N_FRAMES];
} Whole;

static void
whole_init (Whole *whole, const Run *run, unsigned reduce)
{
  g_autoptr (PacoFrameDecoder) decoder = new_decoder (false);
  PacoResult result;

  set_decoder (decoder, "reduce", "%u", reduce);
  for (unsigned i = 0; i < N_FRAMES; i++) {
    PacoImage *image = &whole->images[i];

    *image = new_image_of (&run->info, reduce, PACO_IMAGE_TWO_BYTES, NULL);
    OK (paco_frame_decoder_decode (decoder, run->frames[i]->data,
        run->frames[i]->len, image, &result, &error));
    whole->corrupted[i] = result.corrupted_blocks;
  }
}

static void
whole_clear (Whole *whole)
{
  for (unsigned i = 0; i < N_FRAMES; i++)
    g_free (whole->images[i].data[0]);
}

static unsigned
sample_at (const PacoImage *image, unsigned c, uint32_t x, uint32_t y)
{
  const uint8_t *line = (const uint8_t *) image->data[c]
      + (ptrdiff_t) y * image->stride[c];

  return line[2 * x] | line[2 * x + 1] << 8;
}

/* --- regions --- */

/* This is a region, and memory for it that is laid out in some way. */
typedef struct
{
  unsigned reduce, x, y;
  TestPicture part;
} Region;

/* Returns the smallest multiple of a number that is one of the other, too. */
static unsigned
common (unsigned a, unsigned b)
{
  unsigned n = a;

  while (n % b != 0)
    n += a;
  return n;
}

/* Draws a size, and memory for it. */
static void
region_init (Region *region, const Run *run, unsigned levels)
{
  PacoPictureFormat format = run->format;
  uint32_t width, height;

  region->reduce = g_rand_int_range (run->rand, 0, levels + 1);
  paco_geometry_reduced_size (&format, region->reduce, &width, &height);
  format.width = g_rand_int_range (run->rand, 1, width + 1);
  format.height = g_rand_int_range (run->rand, 1, height + 1);
  test_picture_init (run->rand, &region->part, &format, 0);
}

/* Draws a place where the region may lie. */
static void
place_region (Region *region, const Run *run)
{
  const PacoPictureFormat *format = &region->part.format;
  unsigned columns = 1, lines = 1;
  uint32_t width, height;

  for (unsigned c = 0; c < format->n_components; c++) {
    const PacoComponent *component = &format->components[c];
    const PacoSampleLayout *layout = &region->part.picture.layout[c];

    columns = common (columns,
        layout->group_samples * paco_layout_aligned_groups (layout)
            << component->subsampling_x);
    lines = common (lines, paco_n_fields (format) << component->subsampling_y);
  }
  paco_geometry_reduced_size (&run->format, region->reduce, &width, &height);
  width = (width - format->width) / columns;
  height = (height - format->height) / lines;
  region->x = columns * g_rand_int_range (run->rand, 0, width + 1);
  region->y = lines * g_rand_int_range (run->rand, 0, height + 1);
}

/* Puts line y of components that share memory into `line`, with all groups. Samples
 * beyond the region, which may be anything, are those of the line that was decoded. */
static void
make_line (const Region *region, const PacoImage *whole,
    const PacoRegion *shared, uint32_t y, const uint8_t *decoded, uint8_t *line)
{
  const PacoPictureFormat *format = &region->part.format;
  PacoRegion blank = *shared;

  blank.data = line;
  blank.line_bytes = ((size_t) shared->groups * shared->group_bytes + 3) / 4
      * 4;
  paco_region_blank_line (&blank, 0);
  for (unsigned k = 0; k < shared->n_components; k++) {
    unsigned c = shared->components[k];
    const PacoComponent *component = &format->components[c];
    const PacoSampleLayout *layout = &region->part.picture.layout[c];
    uint32_t n = shared->groups * layout->group_samples;
    uint32_t columns = paco_component_width (format, c);

    for (uint32_t x = 0; x < n; x++)
      paco_layout_put (layout, line, x,
          x < columns ? sample_at (whole, c,
              (region->x >> component->subsampling_x) + x,
              (region->y >> component->subsampling_y) + y)
                      : read_sample (layout, component->depth, decoded, x));
  }
}

/* Writes the region of the whole picture to where it belongs; `decoded` is what it has
 * to be compared with. */
static void
make_part (const Region *region, const PacoImage *whole,
    const TestPicture *decoded, TestPicture *part)
{
  PacoRegion shared[PACO_MAX_COMPONENTS], other[PACO_MAX_COMPONENTS];
  unsigned n = paco_picture_regions (&part->format, &part->picture, 0, shared);

  paco_picture_regions (&part->format, &decoded->picture, 0, other);
  for (unsigned i = 0; i < n; i++) {
    size_t size = (size_t) shared[i].groups * shared[i].group_bytes + 8;
    uint8_t *line = g_malloc (size), *there = g_malloc0 (size);

    for (uint32_t y = 0; y < shared[i].lines; y++) {
      memcpy (there, other[i].data + (ptrdiff_t) y * other[i].stride,
          other[i].line_bytes);
      make_line (region, whole, &shared[i], y, there, line);
      memcpy (shared[i].data + (ptrdiff_t) y * shared[i].stride, line,
          shared[i].line_bytes);
    }
    g_free (there);
    g_free (line);
  }
}

/* --- memory --- */

typedef enum
{
  ORDINARY,
  PAGE_LOCKED, /* if the decoder is a GPU's */
  N_HOST_PLACES,
  ON_DEVICE = N_HOST_PLACES,
  IN_STREAM,
  N_PLACES
} Place;

/* This is a region's memory, which has the bytes of its TestPicture until it is
 * written. */
typedef struct
{
  Place place;
  TestPicture bytes;
  PacoImage image;
  PacoBuffer buffers[PACO_MAX_COMPONENTS];
  CUdeviceptr memory[PACO_MAX_COMPONENTS];
  void *later[PACO_MAX_COMPONENTS]; /* what the stream puts there */
  size_t offset;                    /* in the GPU's memory */
} Destination;

static uint8_t *
allocate_on_device (Destination *destination, unsigned c)
{
  const TestPicture *bytes = &destination->bytes;
  size_t size = bytes->sizes[c];
  CUdeviceptr *memory = &destination->memory[c];

  must (cuda.mem_alloc (memory, size + destination->offset));
  must (cuda.mem_host_alloc (&destination->later[c], size, 0));
  memcpy (destination->later[c], bytes->buffers[c], size);
  destination->image.where = PACO_IN_CUDA_MEMORY;
  return (uint8_t *) (uintptr_t) *memory + destination->offset;
}

/* Has the stream fill the GPU's memory with the bytes of the TestPicture, and waits for
 * that unless the decoder is to. */
static void
fill (Destination *destination)
{
  const TestPicture *bytes = &destination->bytes;

  for (unsigned c = 0; c < bytes->format.n_components; c++)
    if (destination->memory[c])
      must (
          cuda.memcpy_htod_async (destination->memory[c] + destination->offset,
              destination->later[c], bytes->sizes[c], stream));
  if (destination->place == IN_STREAM)
    destination->image.stream = stream;
  if (destination->place == ON_DEVICE)
    must (cuda.stream_synchronize (stream));
}

static uint8_t *
allocate (Destination *destination, PacoFrameDecoder *decoder, unsigned c)
{
  const TestPicture *bytes = &destination->bytes;
  PacoBuffer *buffer = &destination->buffers[c];

  if (destination->place == ORDINARY)
    return bytes->buffers[c];
  if (destination->place != PAGE_LOCKED)
    return allocate_on_device (destination, c);
  OK (paco_frame_decoder_allocate (decoder, bytes->sizes[c], buffer, &error));
  memcpy (buffer->data, bytes->buffers[c], bytes->sizes[c]);
  return buffer->data;
}

static void
destination_init (Destination *destination, PacoFrameDecoder *decoder,
    const Region *region, GRand *rand)
{
  const TestPicture *bytes = &destination->bytes;
  uint8_t *memory[PACO_MAX_COMPONENTS];

  *destination = (Destination){
    .place = g_rand_int_range (rand, 0, on_cuda ? N_PLACES : N_HOST_PLACES),
    .offset = g_rand_boolean (rand) ? 0 : g_rand_int_range (rand, 0, 40),
  };
  test_picture_copy (&destination->bytes, &region->part);
  destination->image = image_of (bytes);
  for (unsigned c = 0; c < bytes->format.n_components; c++) {
    unsigned owner = bytes->owners[c];

    if (bytes->buffers[c])
      memory[c] = allocate (destination, decoder, c);
    destination->image.data[c] = memory[owner]
        + (bytes->picture.data[c] - bytes->buffers[owner]);
  }
}

/* Copies what the memory has now to the TestPicture, and frees it. */
static void
destination_read (Destination *destination)
{
  TestPicture *bytes = &destination->bytes;

  for (unsigned c = 0; c < bytes->format.n_components; c++) {
    PacoBuffer *buffer = &destination->buffers[c];

    if (buffer->data)
      memcpy (bytes->buffers[c], buffer->data, bytes->sizes[c]);
    paco_buffer_release (buffer);
    if (!destination->memory[c])
      continue;
    must (cuda.memcpy_dtoh (bytes->buffers[c],
        destination->memory[c] + destination->offset, bytes->sizes[c]));
    must (cuda.mem_free (destination->memory[c]));
    must (cuda.mem_free_host (destination->later[c]));
  }
}

/* --- tests --- */

static void
check (const Region *region, const Whole *whole, unsigned i,
    Destination *destination, const PacoResult *result)
{
  TestPicture wanted;

  g_assert_true (result->user == destination);
  g_assert_cmpuint (result->corrupted_blocks, <=, whole->corrupted[i]);
  g_assert_cmpuint (result->concealed_blocks, <=, result->corrupted_blocks);
  destination_read (destination);
  test_picture_copy (&wanted, &region->part);
  make_part (region, &whole->images[i], &destination->bytes, &wanted);
  test_picture_compare (&destination->bytes, &wanted);
  test_picture_clear (&wanted);
  test_picture_clear (&destination->bytes);
}

/* Returns false if as many frames are in flight as may be. */
static bool
submit (PacoFrameDecoder *decoder, const GByteArray *frame,
    Destination *destination)
{
  PacoError error;
  PacoStatus status = paco_frame_decoder_submit (decoder, frame->data,
      frame->len, &destination->image, destination, &error);

  if (status != PACO_STATUS_BUSY)
    check_ok (status, &error);
  return status == PACO_STATUS_OK;
}

/* Decodes a region of all frames, as many in flight as the decoder takes. */
static void
decode_all (PacoFrameDecoder *decoder, const Run *run, const Region *region)
{
  Destination destinations[N_FRAMES];
  unsigned filled = 0, submitted = 0, collected = 0;
  PacoResult result;
  Whole whole;

  whole_init (&whole, run, region->reduce);
  for (unsigned i = 0; i < N_FRAMES; i++)
    destination_init (&destinations[i], decoder, region, run->rand);
  while (collected < N_FRAMES) {
    if (filled < N_FRAMES && filled == submitted)
      fill (&destinations[filled++]);
    if (submitted < N_FRAMES
        && submit (decoder, run->frames[submitted], &destinations[submitted])) {
      submitted++;
      continue;
    }
    OK (paco_frame_decoder_collect (decoder, &result, &error));
    check (region, &whole, collected, &destinations[collected], &result);
    collected++;
  }
  whole_clear (&whole);
}

/* Says whether all components have lines for the region. A reduced picture of fields may
 * lack one of a subsampled component. */
static bool
fits (const Run *run, const Region *region)
{
  for (unsigned c = 0; c < run->format.n_components; c++) {
    unsigned shift = run->format.components[c].subsampling_y;
    uint32_t columns, lines;

    paco_geometry_reduced_component (
        &run->format, c, region->reduce, &columns, &lines);
    if ((region->y >> shift) + paco_component_height (&region->part.format, c)
        > lines)
      return false;
  }
  return true;
}

static void
try_place (PacoFrameDecoder *decoder, const Run *run, const Region *region)
{
  set_decoder (decoder, "region", "%u,%u,%u,%u", region->x, region->y,
      region->part.format.width, region->part.format.height);
  set_decoder (decoder, "reduce", "%u", region->reduce);
  if (fits (run, region)) {
    decode_all (decoder, run, region);
  } else {
    PacoImage image = image_of (&region->part);

    REFUSED (UNSUPPORTED,
        paco_frame_decoder_decode (decoder, run->frames[0]->data,
            run->frames[0]->len, &image, NULL, &error));
  }
}

/* Tries a region in two places. Damaged frames are decoded once, because what stands
 * for their broken blocks comes from the frames before. */
static void
try_region (PacoFrameDecoder *decoder, const Run *run)
{
  PacoInfo info = PACO_INFO_INIT;
  Region region;

  OK (paco_probe (
      run->frames[0]->data, run->frames[0]->len, &info, NULL, &error));
  region_init (&region, run, info.levels);
  for (unsigned i = 0; i < (run->damaged ? 1 : 2); i++) {
    place_region (&region, run);
    try_place (decoder, run, &region);
  }
  test_picture_clear (&region.part);
}

/* Tests random regions of random pictures in random memory. */
static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());

  for (unsigned i = 0; i < n_cases (20); i++) {
    g_autoptr (PacoFrameDecoder) decoder = new_decoder (true);
    Run run;

    set_decoder (
        decoder, "pipeline-depth", "%u", g_rand_int_range (rand, 1, 4));
    run_init (&run, rand);
    for (unsigned k = 0; k < (run.damaged ? 1 : 2); k++)
      try_region (decoder, &run);
    run_clear (&run);
  }
}

static PacoFrameEncoder *
new_encoder (void)
{
  PacoFrameEncoder *encoder = paco_frame_encoder_new ();

  OK (paco_frame_encoder_set (encoder, "backend", "cpu", &error));
  OK (paco_frame_encoder_set (encoder, "threads", "2", &error));
  return encoder;
}

/* Tests that bytes that are broken outside of a region are not seen in it,
 * because they are not decoded. */
static void
test_region_is_all (void)
{
  enum
  {
    WIDTH = 700,
    HEIGHT = 520
  };
  PacoInfo info = gray_info (WIDTH, HEIGHT);
  g_autoptr (PacoFrameEncoder) encoder = new_encoder ();
  g_autoptr (PacoFrameDecoder) decoder = new_decoder (true);
  g_autofree uint8_t *samples = g_malloc (WIDTH * HEIGHT);
  g_autofree uint8_t *broken = NULL;
  PacoImage image;
  PacoFrame frame;
  PacoResult result;

  for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
    samples[i] = (uint8_t) g_test_rand_int ();
  OK (paco_image_init (
      &image, &info, 0, PACO_IMAGE_PLANES, samples, NULL, &error));
  OK (paco_frame_encoder_configure (encoder, &info, &error));
  OK (paco_frame_encoder_encode (encoder, &image, NULL, &frame, &error));
  broken = g_memdup2 (frame.data, frame.size);
  /* This is the last block, in the lower right corner. */
  broken[frame.size - 5] ^= 0x55;
  OK (paco_frame_decoder_decode (
      decoder, broken, frame.size, &image, &result, &error));
  g_assert_cmpuint (result.corrupted_blocks, ==, 1);
  for (unsigned right = 0; right < 2; right++) {
    PacoInfo part = gray_info (100, 100);

    set_decoder (
        decoder, "region", "%s", right ? "600,420,100,100" : "0,0,100,100");
    OK (paco_image_init (&image, &part, 0, 0, samples, NULL, &error));
    OK (paco_frame_decoder_decode (
        decoder, broken, frame.size, &image, &result, &error));
    g_assert_cmpuint (result.corrupted_blocks, ==, right);
  }
  paco_frame_release (&frame);
}

/* Tests regions whose borders lie beside those of codeblocks, where
 * coefficients of the neighbours show. */
static void
test_region_borders (void)
{
  enum
  {
    WIDTH = 700,
    HEIGHT = 640,
    SIZE = 40
  };
  static const char *const wavelets[] = { "cdf53", "cdf97", "dd137" };
  PacoInfo info = gray_info (WIDTH, HEIGHT), part = gray_info (SIZE, SIZE);
  uint8_t *samples = g_malloc (WIDTH * HEIGHT), *whole;
  g_autofree uint8_t *some = g_malloc (SIZE * SIZE);
  g_autoptr (PacoFrameDecoder) decoder = new_decoder (true);
  PacoImage image, part_image;

  whole = g_malloc (WIDTH * HEIGHT);
  for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
    samples[i] = (uint8_t) g_test_rand_int ();
  OK (paco_image_init (&part_image, &part, 0, 0, some, NULL, &error));
  for (unsigned w = 0; w < G_N_ELEMENTS (wavelets); w++) {
    g_autoptr (PacoFrameEncoder) encoder = new_encoder ();
    PacoFrame frame;

    OK (paco_frame_encoder_set (encoder, "wavelet", wavelets[w], &error));
    OK (paco_frame_encoder_set (encoder, "quality", "100", &error));
    OK (paco_frame_encoder_set (encoder, "codeblock-height", "64", &error));
    OK (paco_frame_encoder_configure (encoder, &info, &error));
    OK (paco_image_init (&image, &info, 0, 0, samples, NULL, &error));
    OK (paco_frame_encoder_encode (encoder, &image, NULL, &frame, &error));
    OK (paco_image_init (&image, &info, 0, 0, whole, NULL, &error));
    set_decoder (decoder, "region", "%s", "");
    OK (paco_frame_decoder_decode (
        decoder, frame.data, frame.size, &image, NULL, &error));
    for (unsigned i = 0; i < n_cases (60); i++) {
      unsigned x = 128 * g_test_rand_int_range (1, 5)
          + g_test_rand_int_range (-SIZE - 12, 12);
      unsigned y = 128 * g_test_rand_int_range (1, 4)
          + g_test_rand_int_range (-SIZE - 12, 12);

      set_decoder (decoder, "region", "%u,%u,%d,%d", x, y, SIZE, SIZE);
      OK (paco_frame_decoder_decode (
          decoder, frame.data, frame.size, &part_image, NULL, &error));
      for (unsigned line = 0; line < SIZE; line++)
        g_assert_cmpmem (
            some + line * SIZE, SIZE, whole + (y + line) * WIDTH + x, SIZE);
    }
    paco_frame_release (&frame);
  }
  g_free (whole);
  g_free (samples);
}

int
main (int argc, char **argv)
{
  int failed;

  g_test_init (&argc, &argv, NULL);
  on_cuda = g_strcmp0 (g_getenv ("PACO_LIB_BACKEND"), "cuda") == 0;
  if (on_cuda && !open_cuda ()) {
    g_print ("1..0 # SKIP no GPU\n");
    return 0;
  }
  g_test_add_func ("/regions/random", test_random);
  g_test_add_func ("/regions/is-all", test_region_is_all);
  g_test_add_func ("/regions/borders", test_region_borders);
  failed = g_test_run ();
  if (on_cuda)
    close_cuda ();
  return failed;
}
