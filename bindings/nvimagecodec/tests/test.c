/* SPDX-License-Identifier: LGPL-2.1-or-later
 * test GOLDEN [SEED]: codes random pictures and the golden streams in nvImageCodec, on the CPU
 * and, if there is one, on a GPU, and compares with what libpaco makes of them. The last line
 * says how many tests passed and failed. DAMAGED=N: how many damaged frames are tried (500). */
#include "host.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static uint64_t state;
static unsigned passed, failed;

static uint32_t
random_below (uint32_t n)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t) ((state * 0x2545f4914f6cdd1dull) >> 33) % n;
}

static bool
expect (bool good, const char *side, const char *what, const char *detail)
{
  if (good)
    passed++;
  else {
    failed++;
    printf ("FAILED: %s: %s: %s (%s)\n", side, what, detail, host_messages ());
  }
  return good;
}

/* --- pictures --- */

/* The samples of a picture, component after component, without gaps. */
typedef struct
{
  PacoInfo info;
  uint32_t width[4], height[4]; /* of the components */
  uint16_t *samples[4];
} Picture;

/* What an image is to be: how samples lie, and which of the picture's are in it. */
typedef struct
{
  bool interleaved, swapped, unchanged;
  unsigned padding; /* bytes behind each line */
} Shape;

static void
size_picture (Picture *picture)
{
  for (unsigned c = 0; c < picture->info.n_components; c++) {
    paco_component_size (
        &picture->info, c, 0, &picture->width[c], &picture->height[c], NULL);
    picture->samples[c] = calloc (
        (size_t) picture->width[c] * picture->height[c], sizeof (uint16_t));
  }
}

static void
free_picture (Picture *picture)
{
  for (unsigned c = 0; c < 4; c++)
    free (picture->samples[c]);
  *picture = (Picture){ 0 };
}

/* Decodes with libpaco on the CPU, which the results of the host are compared with. */
static PacoStatus
read_picture (const void *data, size_t size, Picture *picture)
{
  PacoFrameDecoder *decoder = paco_frame_decoder_new ();
  PacoImage image = { 0 };
  PacoResult result = { 0 };
  PacoStatus status;

  *picture = (Picture){ .info = PACO_INFO_INIT };
  status = paco_probe (data, size, &picture->info, NULL, NULL);
  if (status == PACO_STATUS_OK && picture->info.stack_length > 0)
    status = PACO_STATUS_UNSUPPORTED;
  if (status == PACO_STATUS_OK) {
    size_picture (picture);
    for (unsigned c = 0; c < picture->info.n_components; c++) {
      image.data[c] = picture->samples[c];
      image.stride[c] = (ptrdiff_t) picture->width[c] * 2;
      image.size[c] = (size_t) picture->width[c] * picture->height[c] * 2;
      image.layout[c] =
          (PacoLayout){ .group_bytes = 2, .group_samples = 1, .word_bytes = 2 };
    }
    paco_frame_decoder_set (decoder, "backend", "cpu", NULL);
    status = paco_frame_decoder_decode (
        decoder, data, size, &image, &result, NULL);
  }
  if (status == PACO_STATUS_OK && result.corrupted_blocks > 0)
    status = PACO_STATUS_CORRUPT;
  paco_frame_decoder_free (decoder);
  return status;
}

static nvimgcodecSampleDataType_t
type_of (const PacoInfo *info, unsigned c)
{
  static const nvimgcodecSampleDataType_t types[3][2] = {
    { NVIMGCODEC_SAMPLE_DATA_TYPE_UINT8, NVIMGCODEC_SAMPLE_DATA_TYPE_UINT16 },
    { NVIMGCODEC_SAMPLE_DATA_TYPE_INT8, NVIMGCODEC_SAMPLE_DATA_TYPE_INT16 },
    { NVIMGCODEC_SAMPLE_DATA_TYPE_FLOAT16, NVIMGCODEC_SAMPLE_DATA_TYPE_FLOAT16 }
  };

  return types[info->sample_kind[c]][info->depth[c] > 8];
}

static nvimgcodecChromaSubsampling_t
sampling_of (const PacoInfo *info)
{
  switch (info->subsampling_x[1] * 4 + info->subsampling_y[1]) {
    case 0:
      return NVIMGCODEC_SAMPLING_444;
    case 1:
      return NVIMGCODEC_SAMPLING_440;
    case 4:
      return NVIMGCODEC_SAMPLING_422;
    case 5:
      return NVIMGCODEC_SAMPLING_420;
    case 8:
      return NVIMGCODEC_SAMPLING_411;
    case 9:
      return NVIMGCODEC_SAMPLING_410;
    default:
      return NVIMGCODEC_SAMPLING_UNSUPPORTED;
  }
}

static nvimgcodecSampleFormat_t
format_of (const PacoInfo *info, Shape shape)
{
  static const nvimgcodecSampleFormat_t formats[] = { 0,
    NVIMGCODEC_SAMPLEFORMAT_P_Y, NVIMGCODEC_SAMPLEFORMAT_P_YA,
    NVIMGCODEC_SAMPLEFORMAT_P_RGB, NVIMGCODEC_SAMPLEFORMAT_P_RGBA };
  unsigned planar = NVIMGCODEC_SAMPLEFORMAT_P_UNCHANGED;

  if (!shape.unchanged) {
    planar = formats[info->n_components];
    if (info->n_components == 3 && info->matrix != 1)
      planar = NVIMGCODEC_SAMPLEFORMAT_P_YUV;
    else if (info->n_components == 3 && shape.swapped)
      planar = NVIMGCODEC_SAMPLEFORMAT_P_BGR;
  }
  return (nvimgcodecSampleFormat_t) (planar + shape.interleaved);
}

/* Describes an image for a picture, or for the part of it of width x height. */
static void
shape_image (const Side *side, const PacoInfo *info, Shape shape,
    uint32_t width, uint32_t height, Image *image)
{
  nvimgcodecImageInfo_t *told = &image->info;

  *image = (Image){ 0 };
  told->struct_type = NVIMGCODEC_STRUCTURE_TYPE_IMAGE_INFO;
  told->struct_size = sizeof *told;
  told->sample_format = format_of (info, shape);
  told->color_spec = info->n_components < 3 ? NVIMGCODEC_COLORSPEC_GRAY
      : info->matrix == 1                   ? NVIMGCODEC_COLORSPEC_SRGB
                                            : NVIMGCODEC_COLORSPEC_SYCC;
  told->chroma_subsampling = info->n_components < 3 ? NVIMGCODEC_SAMPLING_GRAY
                                                    : sampling_of (info);
  told->num_planes = shape.interleaved ? 1 : info->n_components;
  for (unsigned p = 0; p < told->num_planes; p++) {
    nvimgcodecImagePlaneInfo_t *plane = &told->plane_info[p];
    unsigned x = info->subsampling_x[p], y = info->subsampling_y[p];

    plane->struct_type = NVIMGCODEC_STRUCTURE_TYPE_IMAGE_PLANE_INFO;
    plane->struct_size = sizeof *plane;
    plane->width = (width + (1u << x) - 1) >> x;
    plane->height = (height + (1u << y) - 1) >> y;
    plane->num_channels = shape.interleaved ? info->n_components : 1;
    plane->sample_type = type_of (info, p);
    plane->precision = (uint8_t) info->depth[p];
    plane->row_stride = (size_t) plane->width * plane->num_channels
            * ((unsigned) plane->sample_type >> 11)
        + shape.padding;
  }
  host_allocate (side, image);
}

/* The plane of component c, and its place in a group of samples. */
static const nvimgcodecImagePlaneInfo_t *
plane_of (const Image *image, Shape shape, unsigned c, unsigned *channel)
{
  const nvimgcodecImagePlaneInfo_t *planes = image->info.plane_info;
  unsigned n = shape.interleaved ? planes->num_channels
                                 : image->info.num_planes;
  unsigned i = shape.swapped ? n - 1 - c : c;

  *channel = shape.interleaved ? i : 0;
  return shape.interleaved ? planes : &planes[i];
}

static uint8_t *
line_of (
    const Image *image, const nvimgcodecImagePlaneInfo_t *plane, uint32_t y)
{
  uint8_t *bytes = image->bytes;

  for (const nvimgcodecImagePlaneInfo_t *before = image->info.plane_info;
       before < plane; before++)
    bytes += before->row_stride * before->height;
  return bytes + y * plane->row_stride;
}

/* Where sample x, y of component c is in the image. */
static uint8_t *
at (const Image *image, Shape shape, unsigned c, uint32_t x, uint32_t y)
{
  unsigned channel;
  const nvimgcodecImagePlaneInfo_t *plane = plane_of (
      image, shape, c, &channel);

  return line_of (image, plane, y)
      + ((size_t) x * plane->num_channels + channel)
      * ((unsigned) plane->sample_type >> 11);
}

/* Stores samples to the image, or compares them with it, from x0, y0 on. Returns whether they
 * are equal, and all bytes behind lines are as they were. */
static bool
walk (const Picture *picture, Image *image, Shape shape, bool stores,
    uint32_t x0, uint32_t y0)
{
  const PacoInfo *info = &picture->info;

  for (unsigned c = 0; c < info->n_components; c++) {
    unsigned channel;
    const nvimgcodecImagePlaneInfo_t *plane = plane_of (
        image, shape, c, &channel);
    uint32_t left = x0 >> info->subsampling_x[c];
    uint32_t top = y0 >> info->subsampling_y[c];

    for (uint32_t y = 0; y < plane->height; y++) {
      for (uint32_t x = 0; x < plane->width; x++) {
        uint16_t *sample =
            &picture->samples[c][(size_t) (top + y) * picture->width[c] + left
                + x];
        uint8_t *byte = at (image, shape, c, x, y);

        if (stores)
          memcpy (byte, sample, (unsigned) plane->sample_type >> 11);
        else if (memcmp (byte, sample, (unsigned) plane->sample_type >> 11))
          return false;
      }
      for (unsigned i = 0; i < shape.padding && !stores; i++)
        if (line_of (image, plane, y)[plane->row_stride - 1 - i] != PADDING)
          return false;
    }
  }
  return true;
}

/* Decodes a frame, or a region of it, and compares it with the picture. */
static bool
decodes_as (Side *side, const void *data, size_t size, const Picture *picture,
    Shape shape, const nvimgcodecRegion_t *region)
{
  const PacoInfo *info = &picture->info;
  uint32_t y0 = region ? (uint32_t) region->start[0] : 0;
  uint32_t x0 = region ? (uint32_t) region->start[1] : 0;
  uint32_t height = region ? (uint32_t) region->end[0] - y0 : info->height;
  uint32_t width = region ? (uint32_t) region->end[1] - x0 : info->width;
  Image image;
  Job job = { (uint8_t *) data, size, 0, region, &image, 0 };
  bool good;

  shape_image (side, info, shape, width, height, &image);
  host_decode (side, &job, 1);
  good = job.status == SUCCESS && walk (picture, &image, shape, false, x0, y0);
  if (!good)
    printf (
        "  status %x, %ux%u of %ux%u, %u components of %u bits, format %d\n",
        job.status, width, height, info->width, info->height,
        info->n_components, info->depth[0], (int) image.info.sample_format);
  host_free (&image);
  return good;
}

static bool
is_subsampled (const PacoInfo *info)
{
  return info->subsampling_x[1] || info->subsampling_y[1];
}

static Shape
random_shape (const PacoInfo *info)
{
  Shape shape = { .unchanged = random_below (4) == 0,
    .padding = random_below (2) ? 0 : random_below (40) };
  bool alike = !is_subsampled (info);

  for (unsigned c = 1; c < info->n_components; c++)
    alike = alike && info->depth[c] == info->depth[0];
  if (info->n_components == 4 && info->matrix != 1)
    shape.unchanged = true;
  shape.interleaved = alike && random_below (2);
  shape.swapped = !shape.unchanged && info->n_components == 3
      && info->matrix == 1 && random_below (3) == 0;
  /* Strides are whole samples. */
  if (info->depth[0] > 8)
    shape.padding &= ~1u;
  return shape;
}

/* A random picture, whose samples are a ramp with noise. */
static void
random_picture (Picture *picture, uint32_t most)
{
  PacoInfo *info = &picture->info;
  unsigned kind = random_below (6) ? PACO_SAMPLES_UNSIGNED
                                   : 1 + random_below (2);
  unsigned depth = kind == PACO_SAMPLES_FLOAT ? 16
      : kind == PACO_SAMPLES_SIGNED           ? 8 + 8 * random_below (2)
                                              : 1 + random_below (16);

  *picture = (Picture){ .info = PACO_INFO_INIT };
  info->width = 1 + random_below (most);
  info->height = 1 + random_below (most);
  info->n_components = 1 + random_below (4);
  info->range = 1;
  if (info->n_components >= 3 && random_below (2))
    info->matrix = 1;
  for (unsigned c = 0; c < info->n_components; c++) {
    info->depth[c] = depth;
    info->sample_kind[c] = kind;
  }
  if (info->n_components >= 3 && info->matrix != 1) {
    info->range = 0;
    info->subsampling_x[1] = info->subsampling_x[2] = random_below (3);
    info->subsampling_y[1] = info->subsampling_y[2] = random_below (2);
  }
  size_picture (picture);
  for (unsigned c = 0; c < info->n_components; c++) {
    unsigned step = 1 + random_below (9),
             noise = 1 + random_below (1u << depth);
    uint32_t mask = kind == PACO_SAMPLES_FLOAT ? 0xbbff : (1u << depth) - 1;

    for (uint32_t y = 0; y < picture->height[c]; y++)
      for (uint32_t x = 0; x < picture->width[c]; x++)
        picture->samples[c][(size_t) y * picture->width[c] + x] =
            (uint16_t) (((x + y) * step + random_below (noise)) & mask);
  }
}

static nvimgcodecEncodeParams_t
quality (nvimgcodecQualityType_t type, float value)
{
  return (nvimgcodecEncodeParams_t){ NVIMGCODEC_STRUCTURE_TYPE_ENCODE_PARAMS,
    sizeof (nvimgcodecEncodeParams_t), NULL, type, value };
}

static nvimgcodecRegion_t
random_region (const PacoInfo *info)
{
  nvimgcodecRegion_t region = { NVIMGCODEC_STRUCTURE_TYPE_REGION, sizeof region,
    NULL, 2 };
  uint32_t x = random_below (info->width), y = random_below (info->height);

  x &= ~((1u << info->subsampling_x[info->n_components > 1]) - 1);
  y &= ~(
      (1u << (info->subsampling_y[info->n_components > 1] + info->fields)) - 1);
  region.start[0] = (int) y;
  region.start[1] = (int) x;
  region.end[0] = (int) (y + 1 + random_below (info->height - y));
  region.end[1] = (int) (x + 1 + random_below (info->width - x));
  return region;
}

/* --- tests --- */

/* What libpaco makes of the same picture with the same settings. */
static bool
is_frame_of (const Picture *picture, const PacoInfo *info,
    const char *rate_control, const char *level, const Job *job)
{
  PacoFrameEncoder *encoder = paco_frame_encoder_new ();
  PacoImage image = { 0 };
  PacoFrame frame = { 0 };
  bool good;

  for (unsigned c = 0; c < info->n_components; c++) {
    image.data[c] = picture->samples[c];
    image.stride[c] = (ptrdiff_t) picture->width[c] * 2;
    image.size[c] = (size_t) picture->width[c] * picture->height[c] * 2;
    image.layout[c] =
        (PacoLayout){ .group_bytes = 2, .group_samples = 1, .word_bytes = 2 };
  }
  paco_frame_encoder_set (encoder, "backend", "cpu", NULL);
  paco_frame_encoder_set (encoder, "rate-control", rate_control, NULL);
  paco_frame_encoder_set (encoder, "quality", level, NULL);
  good = paco_frame_encoder_configure (encoder, info, NULL) == PACO_STATUS_OK
      && paco_frame_encoder_encode (encoder, &image, NULL, &frame, NULL)
          == PACO_STATUS_OK
      && frame.size == job->size
      && memcmp (frame.data, job->data, frame.size) == 0;
  paco_frame_release (&frame);
  paco_frame_encoder_free (encoder);
  return good;
}

/* Encodes a batch of random pictures, and decodes the frames, with regions of them. */
static void
test_random (Side *side, unsigned n, uint32_t most)
{
  Picture *pictures = calloc (n, sizeof *pictures);
  Image *images = calloc (n, sizeof *images);
  Shape *shapes = calloc (n, sizeof *shapes);
  Job *jobs = calloc (n, sizeof *jobs);
  bool lossless = random_below (3) > 0;
  nvimgcodecEncodeParams_t parameters = lossless
      ? quality (NVIMGCODEC_QUALITY_TYPE_LOSSLESS, 0)
      : quality (NVIMGCODEC_QUALITY_TYPE_QUALITY, 75);

  for (unsigned i = 0; i < n; i++) {
    random_picture (&pictures[i], most);
    shapes[i] = random_shape (&pictures[i].info);
    shape_image (side, &pictures[i].info, shapes[i], pictures[i].info.width,
        pictures[i].info.height, &images[i]);
    walk (&pictures[i], &images[i], shapes[i], true, 0, 0);
    jobs[i].image = &images[i];
  }
  host_encode (side, jobs, n, &parameters, NULL);
  for (unsigned i = 0; i < n; i++) {
    Picture decoded = { .info = PACO_INFO_INIT };
    nvimgcodecRegion_t region = random_region (&pictures[i].info);
    bool good = jobs[i].status == SUCCESS
        && read_picture (jobs[i].data, jobs[i].size, &decoded)
            == PACO_STATUS_OK;

    if (expect (good, side->name, "random", "encoded")) {
      expect (is_frame_of (&pictures[i], &decoded.info,
                  lossless ? "lossless" : "quality", "75", &jobs[i]),
          side->name, "random", "the frame is that of libpaco");
      if (lossless)
        expect (walk (&pictures[i], &images[i], shapes[i], false, 0, 0)
                && decodes_as (side, jobs[i].data, jobs[i].size, &pictures[i],
                    random_shape (&pictures[i].info), NULL),
            side->name, "random", "nothing is lost");
      expect (decodes_as (side, jobs[i].data, jobs[i].size, &decoded,
                  random_shape (&decoded.info), NULL),
          side->name, "random", "decoded as by libpaco");
      expect (decodes_as (side, jobs[i].data, jobs[i].size, &decoded,
                  random_shape (&decoded.info), &region),
          side->name, "random", "a region");
    }
    free_picture (&decoded);
  }
  /* All at once, into the images that were encoded. */
  host_messages ();
  host_decode (side, jobs, n);
  for (unsigned i = 0; i < n; i++) {
    Picture decoded;

    read_picture (jobs[i].data, jobs[i].size, &decoded);
    expect (jobs[i].status == SUCCESS
            && walk (&decoded, &images[i], shapes[i], false, 0, 0),
        side->name, "random", "decoded in a batch");
    free_picture (&decoded);
    free_picture (&pictures[i]);
    host_free (&images[i]);
    free (jobs[i].data);
  }
  free (jobs);
  free (shapes);
  free (images);
  free (pictures);
}

typedef struct
{
  char name[256];
  uint8_t *data;
  size_t size;
} Golden;

static Golden golden[100];
static unsigned n_golden;

static void
read_golden (const char *folder)
{
  DIR *open = opendir (folder);
  struct dirent *entry;

  while (open && (entry = readdir (open)) && n_golden < 100) {
    Golden *one = &golden[n_golden];
    char path[600];
    FILE *file;

    if (!strstr (entry->d_name, ".paco"))
      continue;
    snprintf (path, sizeof path, "%s/%s", folder, entry->d_name);
    snprintf (one->name, sizeof one->name, "%s", entry->d_name);
    file = fopen (path, "rb");
    if (!file)
      continue;
    fseek (file, 0, SEEK_END);
    one->size = (size_t) ftell (file);
    rewind (file);
    one->data = malloc (one->size);
    n_golden += fread (one->data, 1, one->size, file) == one->size;
    fclose (file);
  }
  if (open)
    closedir (open);
}

/* Whether an image of the host's, described by its parser, becomes what libpaco decodes. */
static void
test_golden (Side *side, const Golden *one)
{
  nvimgcodecCodeStream_t stream = NULL;
  nvimgcodecImageInfo_t info = { NVIMGCODEC_STRUCTURE_TYPE_IMAGE_INFO,
    sizeof info };
  Picture picture;
  PacoStatus status = read_picture (one->data, one->size, &picture);
  bool described, known = true, good = true;

  host_messages ();
  described = nvimgcodecCodeStreamCreateFromHostMem (
                  host, &stream, one->data, one->size, NULL)
          == NVIMGCODEC_STATUS_SUCCESS
      && nvimgcodecCodeStreamGetImageInfo (stream, &info)
          == NVIMGCODEC_STATUS_SUCCESS;
  if (picture.info.stack_length > 0) {
    expect (!described && strstr (host_messages (), "slice"), side->name,
        one->name, "a slice is refused");
    if (stream)
      nvimgcodecCodeStreamDestroy (stream);
    return;
  }
  if (expect (described && strcmp (info.codec_name, "paco") == 0, side->name,
          one->name, "parsed")) {
    Image image = { .info = info };
    Job job = { one->data, one->size, 0, NULL, &image, 0 };
    Shape planes = { 0 };

    for (unsigned p = 0; p < info.num_planes; p++) {
      nvimgcodecImagePlaneInfo_t *plane = &image.info.plane_info[p];

      known = known
          && plane->sample_type != NVIMGCODEC_SAMPLE_DATA_TYPE_UNSUPPORTED;
      plane->row_stride = (size_t) plane->width
          * (known ? (unsigned) plane->sample_type >> 11 : 1);
    }
    host_allocate (side, &image);
    host_decode (side, &job, 1);
    if (status == PACO_STATUS_OK && known && !picture.info.mosaic)
      good = job.status == SUCCESS
          && walk (&picture, &image, planes, false, 0, 0);
    else if (status == PACO_STATUS_OK && known)
      for (unsigned c = 0; c < 4; c++)
        for (uint32_t i = 0; i < picture.width[c] * picture.height[c]; i++) {
          uint32_t x = i % picture.width[c] * 2 + picture.info.place_x[c];
          uint32_t y = i / picture.width[c] * 2 + picture.info.place_y[c];

          good = good && job.status == SUCCESS
              && memcmp (&picture.samples[c][i], at (&image, planes, 0, x, y),
                     picture.info.depth[c] > 8 ? 2 : 1)
                  == 0;
        }
    else
      good = job.status != SUCCESS && job.status && host_messages ()[0];
    expect (good, side->name, one->name,
        status == PACO_STATUS_OK && known ? "decoded" : "refused");
    host_free (&image);
  }
  if (stream)
    nvimgcodecCodeStreamDestroy (stream);
  free_picture (&picture);
}

/* Frames one behind the other are the images of a stream, which is a file here. */
static void
test_film (Side *side)
{
  static const char *const path = "film.paco";
  nvimgcodecCodeStream_t whole = NULL;
  nvimgcodecCodeStreamInfo_t info = {
    NVIMGCODEC_STRUCTURE_TYPE_CODE_STREAM_INFO, sizeof info
  };
  Job film = { 0 };
  unsigned n = 5;
  Picture pictures[5];
  FILE *file;

  for (unsigned i = 0; i < n; i++) {
    Image image;
    Job job = { .image = &image };
    Shape shape;
    nvimgcodecEncodeParams_t lossless = quality (
        NVIMGCODEC_QUALITY_TYPE_LOSSLESS, 0);

    random_picture (&pictures[i], 60);
    shape = random_shape (&pictures[i].info);
    shape_image (side, &pictures[i].info, shape, pictures[i].info.width,
        pictures[i].info.height, &image);
    walk (&pictures[i], &image, shape, true, 0, 0);
    host_encode (side, &job, 1, &lossless, NULL);
    film.data = realloc (film.data, film.size + job.size);
    memcpy (film.data + film.size, job.data, job.size);
    film.size += job.size;
    free (job.data);
    host_free (&image);
  }
  file = fopen (path, "wb");
  expect (file && fwrite (film.data, 1, film.size, file) == film.size
          && fclose (file) == 0,
      side->name, "film", "written");
  expect (nvimgcodecCodeStreamCreateFromFile (host, &whole, path, NULL)
              == NVIMGCODEC_STATUS_SUCCESS
          && nvimgcodecCodeStreamGetCodeStreamInfo (whole, &info)
              == NVIMGCODEC_STATUS_SUCCESS
          && info.num_images == n && info.size == film.size,
      side->name, "film", "its frames are counted");
  if (whole)
    nvimgcodecCodeStreamDestroy (whole);
  for (unsigned i = 0; i < 3 * n; i++) {
    Shape shape = { 0 };
    Image image;
    unsigned which = random_below (n + 1);
    Picture *picture = &pictures[which < n ? which : 0];

    shape.unchanged = true;
    shape_image (side, &picture->info, shape, picture->info.width,
        picture->info.height, &image);
    film.image = &image;
    film.index = which;
    host_decode (side, &film, 1);
    expect (which < n ? film.status == SUCCESS
                && walk (picture, &image, shape, false, 0, 0)
                      : film.status != SUCCESS,
        side->name, "film", "a frame by its number");
    host_free (&image);
  }
  for (unsigned i = 0; i < n; i++)
    free_picture (&pictures[i]);
  free (film.data);
  remove (path);
}

/* What is not done is refused, with a status and a reason. */
static void
test_refusals (Side *side)
{
  enum
  {
    CHANNELS,
    COLORS,
    FORMAT,
    TYPE,
    PRECISION,
    SIZE,
    SPEC,
    PLANES,
    OUTSIDE,
    N_WISHES
  };
  static const nvimgcodecProcessingStatus_t statuses[N_WISHES] = {
    NVIMGCODEC_PROCESSING_STATUS_NUM_CHANNELS_UNSUPPORTED,
    NVIMGCODEC_PROCESSING_STATUS_COLOR_SPEC_UNSUPPORTED,
    NVIMGCODEC_PROCESSING_STATUS_SAMPLE_FORMAT_UNSUPPORTED,
    NVIMGCODEC_PROCESSING_STATUS_SAMPLE_TYPE_UNSUPPORTED,
    NVIMGCODEC_PROCESSING_STATUS_SAMPLE_TYPE_UNSUPPORTED,
    NVIMGCODEC_PROCESSING_STATUS_RESOLUTION_UNSUPPORTED,
    NVIMGCODEC_PROCESSING_STATUS_COLOR_SPEC_UNSUPPORTED,
    NVIMGCODEC_PROCESSING_STATUS_NUM_PLANES_UNSUPPORTED,
    NVIMGCODEC_PROCESSING_STATUS_ROI_UNSUPPORTED,
  };
  static const char *const reasons[N_WISHES] = { "channels", "converted",
    "sample format", "precision", "precision", "32x24", "converted", "planes",
    "region" };
  PacoInfo rgb = { .struct_size = sizeof rgb,
    .width = 32,
    .height = 24,
    .n_components = 3,
    .depth = { 8, 8, 8 },
    .matrix = 1 };
  Shape planes = { 0 };
  nvimgcodecRegion_t outside = { NVIMGCODEC_STRUCTURE_TYPE_REGION,
    sizeof outside, NULL, 2, { 20, 0 }, { 28, 8 } };
  nvimgcodecEncodeParams_t parameters = quality (
      NVIMGCODEC_QUALITY_TYPE_LOSSLESS, 0);
  Image image;
  Job job = { .image = &image };

  shape_image (side, &rgb, planes, 32, 24, &image);
  memset (image.bytes, 7, image.size);
  host_encode (side, &job, 1, &parameters, NULL);
  host_free (&image);
  for (unsigned wish = 0; wish < N_WISHES; wish++) {
    nvimgcodecImageInfo_t *info = &image.info;

    shape_image (side, &rgb, planes, 33, 24, &image);
    info->plane_info[0].width = info->plane_info[1].width =
        info->plane_info[2].width = wish == SIZE ? 33 : 32;
    if (wish == CHANNELS) {
      info->sample_format = NVIMGCODEC_SAMPLEFORMAT_P_Y;
      info->num_planes = 1;
    } else if (wish == COLORS)
      info->sample_format = NVIMGCODEC_SAMPLEFORMAT_P_YUV;
    else if (wish == FORMAT)
      info->sample_format = NVIMGCODEC_SAMPLEFORMAT_P_CMYK;
    else if (wish == TYPE)
      info->plane_info[1].sample_type = NVIMGCODEC_SAMPLE_DATA_TYPE_INT8;
    else if (wish == PRECISION)
      info->plane_info[2].precision = 7;
    else if (wish == SPEC)
      info->color_spec = NVIMGCODEC_COLORSPEC_GRAY;
    else if (wish == PLANES)
      info->num_planes = 2;
    job.region = wish == OUTSIDE ? &outside : NULL;
    host_messages ();
    host_decode (side, &job, 1);
    expect (job.status == statuses[wish]
            && strstr (host_messages (), reasons[wish]),
        side->name, "refused", reasons[wish]);
    host_free (&image);
  }
  job.region = NULL;
  free (job.data);
  for (unsigned wish = 0; wish < 6; wish++) {
    static const nvimgcodecProcessingStatus_t expected[] = {
      NVIMGCODEC_PROCESSING_STATUS_SAMPLE_TYPE_UNSUPPORTED,
      NVIMGCODEC_PROCESSING_STATUS_QUALITY_TYPE_UNSUPPORTED,
      NVIMGCODEC_PROCESSING_STATUS_QUALITY_VALUE_UNSUPPORTED,
      NVIMGCODEC_PROCESSING_STATUS_QUALITY_VALUE_UNSUPPORTED,
      NVIMGCODEC_PROCESSING_STATUS_COLOR_SPEC_UNSUPPORTED,
      NVIMGCODEC_PROCESSING_STATUS_SAMPLING_UNSUPPORTED,
    };
    nvimgcodecImageInfo_t wanted;

    shape_image (side, &rgb, planes, 32, 24, &image);
    memset (image.bytes, 7, image.size);
    parameters = wish == 1 ? quality (NVIMGCODEC_QUALITY_TYPE_PSNR, 40)
        : wish == 2        ? quality (NVIMGCODEC_QUALITY_TYPE_QUALITY, 101)
        : wish == 3        ? quality (NVIMGCODEC_QUALITY_TYPE_SIZE_RATIO, 2)
                           : quality (NVIMGCODEC_QUALITY_TYPE_DEFAULT, 0);
    wanted = image.info;
    if (wish == 0)
      image.info.plane_info[0].sample_type = NVIMGCODEC_SAMPLE_DATA_TYPE_UINT32;
    else if (wish == 4)
      wanted.color_spec = NVIMGCODEC_COLORSPEC_SYCC;
    else if (wish == 5)
      wanted.chroma_subsampling = NVIMGCODEC_SAMPLING_420;
    host_messages ();
    host_encode (side, &job, 1, &parameters, &wanted);
    expect (job.status == expected[wish] && host_messages ()[0] && !job.size,
        side->name, "refused", "to encode");
    free (job.data);
    host_free (&image);
  }
}

/* A frame with a budget keeps it, and the default is a quality of 90. */
static void
test_rates (Side *side)
{
  Picture picture;
  Image image;
  Job job = { .image = &image };
  Shape planes = { .unchanged = true };
  nvimgcodecEncodeParams_t parameters = quality (
      NVIMGCODEC_QUALITY_TYPE_DEFAULT, 0);

  random_picture (&picture, 300);
  shape_image (side, &picture.info, planes, picture.info.width,
      picture.info.height, &image);
  walk (&picture, &image, planes, true, 0, 0);
  host_encode (side, &job, 1, &parameters, NULL);
  if (expect (job.status == SUCCESS, side->name, "rates", "default")) {
    PacoInfo info = PACO_INFO_INIT;

    paco_probe (job.data, job.size, &info, NULL, NULL);
    expect (is_frame_of (&picture, &info, "quality", "90", &job), side->name,
        "rates", "the default is 90");
  }
  free (job.data);
  free_picture (&picture);
  host_free (&image);
  picture.info = (PacoInfo){ .struct_size = sizeof (PacoInfo),
    .width = 400,
    .height = 300,
    .n_components = 3,
    .depth = { 8, 8, 8 },
    .matrix = 1 };
  shape_image (side, &picture.info, planes, 400, 300, &image);
  for (size_t i = 0; i < image.size; i++)
    image.bytes[i] = (uint8_t) random_below (256);
  parameters = quality (NVIMGCODEC_QUALITY_TYPE_SIZE_RATIO, 0.125);
  host_encode (side, &job, 1, &parameters, NULL);
  expect (job.status == SUCCESS && job.size <= image.size / 8
          && job.size > image.size / 10,
      side->name, "rates", "a ratio of sizes");
  free (job.data);
  host_free (&image);
}

/* Options of coders. */
static void
test_options (Side *side)
{
  Side own = *side;
  Picture picture;
  Image image;
  Shape planes = { .unchanged = true };
  Job job = { .image = &image };
  nvimgcodecEncodeParams_t lossy = quality (
      NVIMGCODEC_QUALITY_TYPE_QUALITY, 80);
  PacoInfo info = PACO_INFO_INIT;

  random_picture (&picture, 200);
  shape_image (side, &picture.info, planes, picture.info.width,
      picture.info.height, &image);
  walk (&picture, &image, planes, true, 0, 0);
  own.encoder = host_encoder (
      side, ":num_cuda_streams=2 paco:block-checks=true other:quality=x");
  host_encode (&own, &job, 1, &lossy, NULL);
  expect (job.status == SUCCESS
          && paco_probe (job.data, job.size, &info, NULL, NULL)
              == PACO_STATUS_OK
          && info.block_checks,
      side->name, "options", "an encoder's");
  nvimgcodecEncoderDestroy (own.encoder);
  host_messages ();
  own.encoder = host_encoder (side, "paco:levels=99");
  free (job.data);
  host_encode (&own, &job, 1, &lossy, NULL);
  expect (job.status == NVIMGCODEC_PROCESSING_STATUS_BACKEND_UNSUPPORTED
          && strstr (host_messages (), "99"),
      side->name, "options", "a wrong one");
  nvimgcodecEncoderDestroy (own.encoder);
  free (job.data);
  host_free (&image);
  free_picture (&picture);
  for (unsigned i = 0; i < n_golden; i++)
    if (strstr (golden[i].name, "broken-blocks")) {
      own.decoder = host_decoder (side, "paco:damaged=1");
      job = (Job){ golden[i].data, golden[i].size, 0, NULL, &image, 0 };
      if (read_picture (job.data, job.size, &picture) == PACO_STATUS_CORRUPT) {
        picture.info.matrix = 1;
        shape_image (side, &picture.info, planes, picture.info.width,
            picture.info.height, &image);
        host_decode (side, &job, 1);
        expect (job.status == NVIMGCODEC_PROCESSING_STATUS_IMAGE_CORRUPTED,
            side->name, "options", "damage is an error");
        host_decode (&own, &job, 1);
        expect (job.status == SUCCESS
                && walk (&picture, &image, planes, false, 0, 0),
            side->name, "options", "damage is shown");
        host_free (&image);
      }
      nvimgcodecDecoderDestroy (own.decoder);
      free_picture (&picture);
    }
}

/* Damaged frames give an error or a picture. */
static void
test_damage (Side *side, unsigned n)
{
  unsigned pictures = 0;

  for (unsigned i = 0; i < n; i++) {
    const Golden *one = &golden[random_below (n_golden)];
    size_t size = random_below (4) ? one->size
                                   : 1 + random_below ((uint32_t) one->size);
    uint8_t *data = malloc (size);
    nvimgcodecCodeStream_t stream = NULL;
    nvimgcodecImageInfo_t info = { NVIMGCODEC_STRUCTURE_TYPE_IMAGE_INFO,
      sizeof info };

    memcpy (data, one->data, size);
    for (unsigned k = random_below (8); k > 0; k--)
      data[random_below (
          (uint32_t) (random_below (2) && size > 200 ? 200 : size))] =
          (uint8_t) random_below (256);
    if (nvimgcodecCodeStreamCreateFromHostMem (host, &stream, data, size, NULL)
            == NVIMGCODEC_STATUS_SUCCESS
        && nvimgcodecCodeStreamGetImageInfo (stream, &info)
            == NVIMGCODEC_STATUS_SUCCESS
        && info.num_planes > 0
        && (uint64_t) info.plane_info[0].width * info.plane_info[0].height
            < 4000000) {
      Image image = { .info = info };
      Job job = { data, size, 0, NULL, &image, 0 };

      for (unsigned p = 0; p < info.num_planes; p++)
        image.info.plane_info[p].row_stride = (size_t) info.plane_info[p].width
            * 2;
      host_allocate (side, &image);
      host_decode (side, &job, 1);
      pictures += job.status == SUCCESS;
      host_free (&image);
    }
    if (stream)
      nvimgcodecCodeStreamDestroy (stream);
    free (data);
  }
  printf ("%s: %u damaged frames gave %u pictures\n", side->name, n, pictures);
  expect (true, side->name, "damage", "");
}

int
main (int argc, char **argv)
{
  const char *damaged = getenv ("DAMAGED");
  Side sides[4];
  unsigned n;

  if (argc < 2) {
    fprintf (stderr, "test GOLDEN [SEED]\n");
    return 2;
  }
  state = argc > 2 ? strtoull (argv[2], NULL, 0) : (uint64_t) time (NULL);
  printf ("seed %llu\n", (unsigned long long) state);
  state = state * 0x9e3779b97f4a7c15ull + 1;
  read_golden (argv[1]);
  n = host_start (sides);
  printf (n > 1 ? "with a GPU\n" : "without a GPU\n");
  expect (n_golden > 40, "tests", "golden streams", "they are there");
  for (unsigned i = 0; i < n; i++) {
    unsigned before = failed, some = passed;

    for (unsigned k = 0; k < n_golden; k++)
      test_golden (&sides[i], &golden[k]);
    test_refusals (&sides[i]);
    for (unsigned k = 0; k < 10; k++)
      test_random (&sides[i], 1 + random_below (12), k == 0 ? 2 : 200);
    test_random (&sides[i], 2, 1800);
    test_film (&sides[i]);
    test_rates (&sides[i]);
    test_options (&sides[i]);
    test_damage (&sides[i], (damaged ? (unsigned) atoi (damaged) : 500) / n);
    printf ("%s: %u passed, %u failed\n", sides[i].name, passed - some,
        failed - before);
    fflush (stdout);
  }
  host_stop (sides, n);
  for (unsigned i = 0; i < n_golden; i++)
    free (golden[i].data);
  printf ("%u passed, %u failed\n", passed, failed);
  return failed > 0;
}
