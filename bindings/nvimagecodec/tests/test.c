/* SPDX-License-Identifier: LGPL-2.1-or-later
 * test GOLDEN [SEED]: codes random pictures and the golden streams in nvImageCodec, on the CPU
 * and, if there is one, on a GPU, and compares with what libpaco makes of them. The last line
 * says how many tests passed and failed. DAMAGED=N: how many damaged frames are tried (500). */
#include "pictures.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static unsigned passed, failed;

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

  pictures_shape (side, info, shape, width, height, &image);
  host_decode (side, &job, 1);
  good = job.status == SUCCESS
      && pictures_walk (picture, &image, shape, false, x0, y0);
  if (!good)
    printf (
        "  status %x, %ux%u of %ux%u, %u components of %u bits, format %d\n",
        job.status, width, height, info->width, info->height,
        info->n_components, info->depth[0], (int) image.info.sample_format);
  host_free (&image);
  return good;
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
  uint32_t x = pictures_random_below (info->width),
           y = pictures_random_below (info->height);

  x &= ~((1u << info->subsampling_x[info->n_components > 1]) - 1);
  y &= ~(
      (1u << (info->subsampling_y[info->n_components > 1] + info->fields)) - 1);
  region.start[0] = (int) y;
  region.start[1] = (int) x;
  region.end[0] = (int) (y + 1 + pictures_random_below (info->height - y));
  region.end[1] = (int) (x + 1 + pictures_random_below (info->width - x));
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
  bool lossless = pictures_random_below (3) > 0;
  nvimgcodecEncodeParams_t parameters = lossless
      ? quality (NVIMGCODEC_QUALITY_TYPE_LOSSLESS, 0)
      : quality (NVIMGCODEC_QUALITY_TYPE_QUALITY, 75);

  for (unsigned i = 0; i < n; i++) {
    pictures_random (&pictures[i], most);
    shapes[i] = pictures_random_shape (&pictures[i].info);
    pictures_shape (side, &pictures[i].info, shapes[i], pictures[i].info.width,
        pictures[i].info.height, &images[i]);
    pictures_walk (&pictures[i], &images[i], shapes[i], true, 0, 0);
    jobs[i].image = &images[i];
  }
  host_encode (side, jobs, n, &parameters, NULL);
  for (unsigned i = 0; i < n; i++) {
    Picture decoded = { .info = PACO_INFO_INIT };
    nvimgcodecRegion_t region = random_region (&pictures[i].info);
    bool good = jobs[i].status == SUCCESS
        && pictures_decode (jobs[i].data, jobs[i].size, &decoded)
            == PACO_STATUS_OK;

    if (expect (good, side->name, "random", "encoded")) {
      expect (is_frame_of (&pictures[i], &decoded.info,
                  lossless ? "lossless" : "quality", "75", &jobs[i]),
          side->name, "random", "the frame is that of libpaco");
      if (lossless)
        expect (pictures_walk (&pictures[i], &images[i], shapes[i], false, 0, 0)
                && decodes_as (side, jobs[i].data, jobs[i].size, &pictures[i],
                    pictures_random_shape (&pictures[i].info), NULL),
            side->name, "random", "nothing is lost");
      expect (decodes_as (side, jobs[i].data, jobs[i].size, &decoded,
                  pictures_random_shape (&decoded.info), NULL),
          side->name, "random", "decoded as by libpaco");
      expect (decodes_as (side, jobs[i].data, jobs[i].size, &decoded,
                  pictures_random_shape (&decoded.info), &region),
          side->name, "random", "a region");
    }
    pictures_free (&decoded);
  }
  /* All at once, into the images that were encoded. */
  host_messages ();
  host_decode (side, jobs, n);
  for (unsigned i = 0; i < n; i++) {
    Picture decoded;

    pictures_decode (jobs[i].data, jobs[i].size, &decoded);
    expect (jobs[i].status == SUCCESS
            && pictures_walk (&decoded, &images[i], shapes[i], false, 0, 0),
        side->name, "random", "decoded in a batch");
    pictures_free (&decoded);
    pictures_free (&pictures[i]);
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
  PacoStatus status = pictures_decode (one->data, one->size, &picture);
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
          && pictures_walk (&picture, &image, planes, false, 0, 0);
    else if (status == PACO_STATUS_OK && known)
      for (unsigned c = 0; c < 4; c++)
        for (uint32_t i = 0; i < picture.width[c] * picture.height[c]; i++) {
          uint32_t x = i % picture.width[c] * 2 + picture.info.place_x[c];
          uint32_t y = i / picture.width[c] * 2 + picture.info.place_y[c];

          good = good && job.status == SUCCESS
              && memcmp (&picture.samples[c][i],
                     pictures_at (&image, planes, 0, x, y),
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
  pictures_free (&picture);
}

/* Frames one behind the other are the images of a stream, which is a file here. */
static void
test_film (Side *side)
{
  char path[] = "/tmp/paco-film-XXXXXX";
  int descriptor = mkstemp (path);
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

    pictures_random (&pictures[i], 60);
    shape = pictures_random_shape (&pictures[i].info);
    pictures_shape (side, &pictures[i].info, shape, pictures[i].info.width,
        pictures[i].info.height, &image);
    pictures_walk (&pictures[i], &image, shape, true, 0, 0);
    host_encode (side, &job, 1, &lossless, NULL);
    film.data = realloc (film.data, film.size + job.size);
    memcpy (film.data + film.size, job.data, job.size);
    film.size += job.size;
    free (job.data);
    host_free (&image);
  }
  file = descriptor < 0 ? NULL : fdopen (descriptor, "wb");
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
    unsigned which = pictures_random_below (n + 1);
    Picture *picture = &pictures[which < n ? which : 0];

    shape.unchanged = true;
    pictures_shape (side, &picture->info, shape, picture->info.width,
        picture->info.height, &image);
    film.image = &image;
    film.index = which;
    host_decode (side, &film, 1);
    expect (which < n ? film.status == SUCCESS
                && pictures_walk (picture, &image, shape, false, 0, 0)
                      : film.status != SUCCESS,
        side->name, "film", "a frame by its number");
    host_free (&image);
  }
  for (unsigned i = 0; i < n; i++)
    pictures_free (&pictures[i]);
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

  pictures_shape (side, &rgb, planes, 32, 24, &image);
  memset (image.bytes, 7, image.size);
  host_encode (side, &job, 1, &parameters, NULL);
  host_free (&image);
  for (unsigned wish = 0; wish < N_WISHES; wish++) {
    nvimgcodecImageInfo_t *info = &image.info;

    pictures_shape (side, &rgb, planes, 33, 24, &image);
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

    pictures_shape (side, &rgb, planes, 32, 24, &image);
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

  pictures_random (&picture, 300);
  pictures_shape (side, &picture.info, planes, picture.info.width,
      picture.info.height, &image);
  pictures_walk (&picture, &image, planes, true, 0, 0);
  host_encode (side, &job, 1, &parameters, NULL);
  if (expect (job.status == SUCCESS, side->name, "rates", "default")) {
    PacoInfo info = PACO_INFO_INIT;

    paco_probe (job.data, job.size, &info, NULL, NULL);
    expect (is_frame_of (&picture, &info, "quality", "90", &job), side->name,
        "rates", "the default is 90");
  }
  free (job.data);
  pictures_free (&picture);
  host_free (&image);
  picture.info = (PacoInfo){ .struct_size = sizeof (PacoInfo),
    .width = 400,
    .height = 300,
    .n_components = 3,
    .depth = { 8, 8, 8 },
    .matrix = 1 };
  pictures_shape (side, &picture.info, planes, 400, 300, &image);
  for (size_t i = 0; i < image.size; i++)
    image.bytes[i] = (uint8_t) pictures_random_below (256);
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

  pictures_random (&picture, 200);
  pictures_shape (side, &picture.info, planes, picture.info.width,
      picture.info.height, &image);
  pictures_walk (&picture, &image, planes, true, 0, 0);
  own.encoder = host_encoder (side, "paco:block-checks=true other:quality=x");
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
  pictures_free (&picture);
  for (unsigned i = 0; i < n_golden; i++)
    if (strstr (golden[i].name, "broken-blocks")) {
      own.decoder = host_decoder (side, "paco:damaged=1");
      job = (Job){ golden[i].data, golden[i].size, 0, NULL, &image, 0 };
      if (pictures_decode (job.data, job.size, &picture)
          == PACO_STATUS_CORRUPT) {
        picture.info.matrix = 1;
        pictures_shape (side, &picture.info, planes, picture.info.width,
            picture.info.height, &image);
        host_decode (side, &job, 1);
        expect (job.status == NVIMGCODEC_PROCESSING_STATUS_IMAGE_CORRUPTED,
            side->name, "options", "damage is an error");
        host_decode (&own, &job, 1);
        expect (job.status == SUCCESS
                && pictures_walk (&picture, &image, planes, false, 0, 0),
            side->name, "options", "damage is shown");
        host_free (&image);
      }
      nvimgcodecDecoderDestroy (own.decoder);
      pictures_free (&picture);
    }
}

/* A golden stream that is cut, or has other bytes in some places. */
static uint8_t *
damage (const Golden *one, size_t *size)
{
  bool cut = pictures_random_below (4) == 0;
  uint8_t *data;

  *size = one->size;
  if (cut)
    *size = 1 + pictures_random_below ((uint32_t) one->size);
  data = malloc (*size);
  memcpy (data, one->data, *size);
  for (unsigned k = pictures_random_below (8); k > 0; k--) {
    bool early = pictures_random_below (2) && *size > 200;

    data[pictures_random_below (early ? 200 : (uint32_t) *size)] =
        (uint8_t) pictures_random_below (256);
  }
  return data;
}

/* Damaged frames give an error or, with the option or where nothing of the picture is
 * damaged, a picture. */
static void
test_damage (Side *side, unsigned n)
{
  Side own = *side;
  unsigned n_pictures[2] = { 0 };
  bool good = true;

  own.decoder = host_decoder (side, "paco:damaged=1");
  for (unsigned i = 0; i < n && good; i++) {
    bool shown = i % 2;
    nvimgcodecCodeStream_t stream = NULL;
    nvimgcodecImageInfo_t info = { NVIMGCODEC_STRUCTURE_TYPE_IMAGE_INFO,
      sizeof info };
    Image image;
    Job job = { .image = &image };

    job.data = damage (&golden[pictures_random_below (n_golden)], &job.size);
    if (nvimgcodecCodeStreamCreateFromHostMem (
            host, &stream, job.data, job.size, NULL)
            == NVIMGCODEC_STATUS_SUCCESS
        && nvimgcodecCodeStreamGetImageInfo (stream, &info)
            == NVIMGCODEC_STATUS_SUCCESS
        && (uint64_t) info.plane_info[0].width * info.plane_info[0].height
            < 4000000) {
      Picture picture;
      bool whole = pictures_decode (job.data, job.size, &picture)
          == PACO_STATUS_OK;

      image = (Image){ .info = info };
      for (unsigned p = 0; p < info.num_planes; p++)
        image.info.plane_info[p].row_stride = (size_t) info.plane_info[p].width
            * 2;
      host_allocate (side, &image);
      host_decode (shown ? &own : side, &job, 1);
      n_pictures[shown] += job.status == SUCCESS;
      good = job.status == SUCCESS
          ? shown || whole
          : job.status != NVIMGCODEC_PROCESSING_STATUS_UNKNOWN;
      host_free (&image);
      pictures_free (&picture);
    }
    if (stream)
      nvimgcodecCodeStreamDestroy (stream);
    free (job.data);
  }
  nvimgcodecDecoderDestroy (own.decoder);
  printf ("%s: of %u damaged frames %u gave a picture, of %u with the option "
          "%u\n",
      side->name, n - n / 2, n_pictures[0], n / 2, n_pictures[1]);
  expect (good, side->name, "damage", "an error or a picture");
}

/* Says what comes next, so that one sees where a test hangs. */
static void
announce (const Side *side, const char *what)
{
  printf ("%s: %s\n", side->name, what);
}

int
main (int argc, char **argv)
{
  const char *damaged = getenv ("DAMAGED");
  unsigned long long seed;
  Side sides[4];
  unsigned n;

  if (argc < 2) {
    fprintf (stderr, "test GOLDEN [SEED]\n");
    return 2;
  }
  seed = argc > 2 ? strtoull (argv[2], NULL, 0)
                  : (unsigned long long) time (NULL);
  setvbuf (stdout, NULL, _IOLBF, 0);
  printf ("seed %llu\n", seed);
  pictures_seed (seed);
  read_golden (argv[1]);
  n = host_start (sides);
  printf (n > 1 ? "with a GPU\n" : "without a GPU\n");
  expect (n_golden > 40, "tests", "golden streams", "they are there");
  for (unsigned i = 0; i < n; i++) {
    unsigned before = failed, some = passed;

    announce (&sides[i], "golden streams");
    for (unsigned k = 0; k < n_golden; k++)
      test_golden (&sides[i], &golden[k]);
    announce (&sides[i], "refusals");
    test_refusals (&sides[i]);
    announce (&sides[i], "random pictures");
    for (unsigned k = 0; k < 10; k++)
      test_random (&sides[i], 1 + pictures_random_below (12), k == 0 ? 2 : 200);
    test_random (&sides[i], 2, 1800);
    announce (&sides[i], "films, rates, options, damage");
    test_film (&sides[i]);
    test_rates (&sides[i]);
    test_options (&sides[i]);
    test_damage (&sides[i], (damaged ? (unsigned) atoi (damaged) : 500) / n);
    printf ("%s: %u passed, %u failed\n", sides[i].name, passed - some,
        failed - before);
  }
  host_stop (sides, n);
  for (unsigned i = 0; i < n_golden; i++)
    free (golden[i].data);
  printf ("%u passed, %u failed\n", passed, failed);
  return failed > 0;
}
