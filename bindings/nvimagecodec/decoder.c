/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The host's decoder: a frame of a stream, or a region of it, becomes an image of the host,
 * in the memory of the host or of a GPU. */
#include "plugin.h"
#include <stdio.h>

/* A frame to decode. */
typedef struct
{
  Frame frame;
  PacoImage picture;
  char region[64]; /* a setting of libpaco; "": all of the picture */
  Log log;
} Job;

static nvimgcodecStatus_t
create (void *instance, nvimgcodecDecoder_t *created,
    const nvimgcodecExecutionParams_t *parameters, const char *options)
{
  *created = (nvimgcodecDecoder_t) coders_new (
      instance, true, parameters, options);
  return *created ? NVIMGCODEC_STATUS_SUCCESS
                  : NVIMGCODEC_STATUS_EXTENSION_NOT_INITIALIZED;
}

static nvimgcodecStatus_t
destroy (nvimgcodecDecoder_t decoder)
{
  coders_free ((Coders *) decoder);
  return NVIMGCODEC_STATUS_SUCCESS;
}

static nvimgcodecStatus_t
get_metadata (nvimgcodecDecoder_t decoder,
    const nvimgcodecCodeStreamDesc_t *stream, nvimgcodecMetadata_t **metadata,
    int *count)
{
  (void) decoder, (void) stream, (void) metadata;
  *count = 0;
  return NVIMGCODEC_STATUS_IMPLEMENTATION_UNSUPPORTED;
}

/* Sets the region of the job, and how large it is. */
static Status
read_region (const nvimgcodecRegion_t *region, Job *job, uint32_t *width,
    uint32_t *height)
{
  const PacoInfo *info = &job->frame.info;
  int x = 0, y = 0;

  *width = info->width;
  *height = info->height;
  if (!region || region->ndim == 0)
    return STATUS (SUCCESS);
  for (unsigned c = 0; c < info->n_components; c++) {
    x |= (1 << info->subsampling_x[c]) - 1;
    y |= (1 << (info->subsampling_y[c] + info->fields)) - 1;
  }
  if (region->ndim != 2 || region->start[0] < 0 || region->start[1] < 0
      || region->start[0] >= region->end[0]
      || region->start[1] >= region->end[1] || region->end[0] > (int) *height
      || region->end[1] > (int) *width || (region->start[1] & x)
      || (region->start[0] & y))
    return refuse (&job->log, STATUS (ROI_UNSUPPORTED),
        "a region of this picture lies within its %ux%u pixels, at a column "
        "that is a multiple of %d and a line that is a multiple of %d",
        *width, *height, x + 1, y + 1);
  *width = (uint32_t) (region->end[1] - region->start[1]);
  *height = (uint32_t) (region->end[0] - region->start[0]);
  snprintf (job->region, sizeof job->region, "%d,%d,%u,%u", region->start[1],
      region->start[0], *width, *height);
  return STATUS (SUCCESS);
}

/* Says what is to be done, without decoding. */
static Status
prepare (Coders *coders, const nvimgcodecImageDesc_t *image,
    const nvimgcodecCodeStreamDesc_t *stream, Job *job)
{
  nvimgcodecImageInfo_t info = { HOST_STRUCT (
      IMAGE_INFO, nvimgcodecImageInfo_t) };
  nvimgcodecCodeStreamInfo_t told = { HOST_STRUCT (
      CODE_STREAM_INFO, nvimgcodecCodeStreamInfo_t) };
  const nvimgcodecRegion_t *region = NULL;
  uint32_t width, height;
  PacoError error;
  Status status;

  if (!coders)
    return STATUS (BACKEND_UNSUPPORTED);
  job->log.plugin = coders->plugin;
  image->getImageInfo (image->instance, &info);
  stream->getCodeStreamInfo (stream->instance, &told);
  if (frames_find (
          stream, told.code_stream_view, &coders->place, &job->frame, &error)
      != PACO_STATUS_OK)
    return refuse_error (&job->log, &error);
  if (told.code_stream_view)
    region = &told.code_stream_view->region;
  status = read_region (region, job, &width, &height);
  if (status == STATUS (SUCCESS))
    status = pictures_match (
        &info, &job->frame.info, width, height, &job->picture, &job->log);
  return status;
}

static Status
can_decode (nvimgcodecDecoder_t decoder, const nvimgcodecImageDesc_t *image,
    const nvimgcodecCodeStreamDesc_t *stream,
    const nvimgcodecDecodeParams_t *parameters, int thread)
{
  Job job = { .log.is_error = false };

  (void) parameters, (void) thread;
  return prepare ((Coders *) decoder, image, stream, &job);
}

static Status
run (Coders *coders, Job *job, int thread)
{
  PacoResult result = { 0 };
  PacoError error;
  PacoStatus status;
  Coder *coder = coders_take (coders, thread, &job->frame.info, &error);

  if (!coder)
    return refuse_error (&job->log, &error);
  status = paco_frame_decoder_set (
      coder->decoder, "region", job->region, &error);
  if (status == PACO_STATUS_OK)
    status = paco_frame_decoder_decode (coder->decoder, job->frame.data,
        job->frame.size, &job->picture, &result, &error);
  coders_give (coder);
  if (status != PACO_STATUS_OK)
    return refuse_error (&job->log, &error);
  if (result.corrupted_blocks > 0 && !coders->shows_damage)
    return refuse (&job->log, STATUS (IMAGE_CORRUPTED),
        "blocks of the frame are damaged (%u); with the option paco:damaged=1 "
        "the picture is shown all the same",
        result.corrupted_blocks);
  return STATUS (SUCCESS);
}

static nvimgcodecStatus_t
decode (nvimgcodecDecoder_t decoder, const nvimgcodecImageDesc_t *image,
    const nvimgcodecCodeStreamDesc_t *stream,
    const nvimgcodecDecodeParams_t *parameters, int thread)
{
  Coders *coders = (Coders *) decoder;
  Job job = { .log.is_error = true };
  Status status = prepare (coders, image, stream, &job);

  (void) parameters;
  if (status == STATUS (SUCCESS))
    status = run (coders, &job, thread);
  return coders_end (image, status);
}

const nvimgcodecDecoderDesc_t decoder_functions = {
  HOST_STRUCT (DECODER_DESC, nvimgcodecDecoderDesc_t),
  .codec = CODEC,
  .create = create,
  .destroy = destroy,
  .getMetadata = get_metadata,
  .canDecode = can_decode,
  .decode = decode,
};
