/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The host's decoder: a frame of a stream, or a region of it, becomes an image of the host,
 * in the memory of the host or of a GPU. */
#include "plugin.h"
#include <stdio.h>
#include <stdlib.h>

struct nvimgcodecDecoder
{
  const Plugin *plugin;
  Coders *coders;
  Place place;
};

/* A frame to decode. */
typedef struct
{
  Frame frame;
  PacoImage picture;
  char region[64]; /* a setting of libpaco; "": all of the picture */
  Reason reason;
} Job;

static nvimgcodecStatus_t
create (void *instance, nvimgcodecDecoder_t *created,
    const nvimgcodecExecutionParams_t *parameters, const char *options)
{
  nvimgcodecDecoder_t decoder = calloc (1, sizeof *decoder);

  if (!decoder)
    return NVIMGCODEC_STATUS_EXTENSION_ALLOCATOR_FAILURE;
  decoder->plugin = instance;
  decoder->coders = coders_new (decoder->plugin, true, parameters, options);
  if (!decoder->coders) {
    free (decoder);
    return NVIMGCODEC_STATUS_EXTENSION_NOT_INITIALIZED;
  }
  pthread_mutex_init (&decoder->place.lock, NULL);
  *created = decoder;
  return NVIMGCODEC_STATUS_SUCCESS;
}

static nvimgcodecStatus_t
destroy (nvimgcodecDecoder_t decoder)
{
  coders_free (decoder->coders);
  pthread_mutex_destroy (&decoder->place.lock);
  free (decoder);
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
  uint32_t x = 0, y = 0;

  *width = info->width;
  *height = info->height;
  job->region[0] = '\0';
  if (!region || region->ndim == 0)
    return NVIMGCODEC_PROCESSING_STATUS_SUCCESS;
  if (region->ndim != 2 || region->start[0] < 0 || region->start[1] < 0
      || region->start[0] >= region->end[0]
      || region->start[1] >= region->end[1]
      || (uint32_t) region->end[0] > info->height
      || (uint32_t) region->end[1] > info->width)
    return refuse (&job->reason, NVIMGCODEC_PROCESSING_STATUS_ROI_UNSUPPORTED,
        "the region is not within the picture, which is %ux%u", info->width,
        info->height);
  for (unsigned c = 0; c < info->n_components; c++) {
    x |= (1u << info->subsampling_x[c]) - 1;
    y |= (1u << (info->subsampling_y[c] + info->fields)) - 1;
  }
  if (((uint32_t) region->start[1] & x) || ((uint32_t) region->start[0] & y))
    return refuse (&job->reason, NVIMGCODEC_PROCESSING_STATUS_ROI_UNSUPPORTED,
        "a region of this picture begins at a column that is a multiple of %u "
        "and a line that is a multiple of %u",
        x + 1, y + 1);
  *width = (uint32_t) (region->end[1] - region->start[1]);
  *height = (uint32_t) (region->end[0] - region->start[0]);
  snprintf (job->region, sizeof job->region, "%d,%d,%u,%u", region->start[1],
      region->start[0], *width, *height);
  return NVIMGCODEC_PROCESSING_STATUS_SUCCESS;
}

/* Says what is to be done, without decoding. */
static Status
prepare (nvimgcodecDecoder_t decoder, const nvimgcodecImageDesc_t *image,
    const nvimgcodecCodeStreamDesc_t *stream, Job *job)
{
  nvimgcodecImageInfo_t info = IMAGE_INFO_INIT;
  nvimgcodecCodeStreamInfo_t stream_info = STREAM_INFO_INIT;
  const nvimgcodecCodeStreamView_t *view;
  uint32_t width, height;
  PacoError error;
  Status status;

  if (!decoder)
    return NVIMGCODEC_PROCESSING_STATUS_BACKEND_UNSUPPORTED;
  if (image->getImageInfo (image->instance, &info) != NVIMGCODEC_STATUS_SUCCESS
      || stream->getCodeStreamInfo (stream->instance, &stream_info)
          != NVIMGCODEC_STATUS_SUCCESS)
    return refuse (&job->reason, NVIMGCODEC_PROCESSING_STATUS_FAIL,
        "the host does not say what is to be decoded");
  view = stream_info.code_stream_view;
  if (frames_find (stream, view ? view->image_idx : 0, &decoder->place,
          &job->frame, &error)
      != PACO_STATUS_OK)
    return refuse_error (&job->reason, &error);
  status = read_region (view ? &view->region : NULL, job, &width, &height);
  if (status == NVIMGCODEC_PROCESSING_STATUS_SUCCESS)
    status = pictures_match (
        &info, &job->frame.info, width, height, &job->picture, &job->reason);
  return status;
}

static nvimgcodecProcessingStatus_t
can_decode (nvimgcodecDecoder_t decoder, const nvimgcodecImageDesc_t *image,
    const nvimgcodecCodeStreamDesc_t *stream,
    const nvimgcodecDecodeParams_t *parameters, int thread)
{
  Job job = { 0 };
  Status status = prepare (decoder, image, stream, &job);

  (void) parameters, (void) thread;
  if (job.reason.text[0])
    plugin_log (decoder->plugin, NVIMGCODEC_DEBUG_MESSAGE_SEVERITY_WARNING,
        "%s", job.reason.text);
  return status;
}

static Status
run (nvimgcodecDecoder_t decoder, Job *job, int thread)
{
  PacoResult result = { 0 };
  PacoError error;
  PacoStatus status;
  Coder *coder = coders_take (
      decoder->coders, thread, &job->frame.info, &error);

  if (!coder)
    return refuse_error (&job->reason, &error);
  status = paco_frame_decoder_set (
      coder->decoder, "region", job->region, &error);
  if (status == PACO_STATUS_OK)
    status = paco_frame_decoder_decode (coder->decoder, job->frame.data,
        job->frame.size, &job->picture, &result, &error);
  coders_give (coder);
  if (status != PACO_STATUS_OK)
    return refuse_error (&job->reason, &error);
  if (result.corrupted_blocks > 0 && !coders_show_damage (decoder->coders))
    return refuse (&job->reason, NVIMGCODEC_PROCESSING_STATUS_IMAGE_CORRUPTED,
        "%u blocks of the frame are damaged; with the option paco:damaged=1 "
        "the picture is shown all the same",
        result.corrupted_blocks);
  return NVIMGCODEC_PROCESSING_STATUS_SUCCESS;
}

static nvimgcodecStatus_t
decode (nvimgcodecDecoder_t decoder, const nvimgcodecImageDesc_t *image,
    const nvimgcodecCodeStreamDesc_t *stream,
    const nvimgcodecDecodeParams_t *parameters, int thread)
{
  Job job = { 0 };
  Status status = prepare (decoder, image, stream, &job);

  (void) parameters;
  if (status == NVIMGCODEC_PROCESSING_STATUS_SUCCESS && !job.picture.data[0])
    status = refuse (&job.reason, NVIMGCODEC_PROCESSING_STATUS_FAIL,
        "the image has no memory");
  if (status == NVIMGCODEC_PROCESSING_STATUS_SUCCESS)
    status = run (decoder, &job, thread);
  if (job.reason.text[0])
    plugin_log (decoder->plugin, NVIMGCODEC_DEBUG_MESSAGE_SEVERITY_ERROR, "%s",
        job.reason.text);
  image->imageReady (image->instance, status);
  return status == NVIMGCODEC_PROCESSING_STATUS_SUCCESS
      ? NVIMGCODEC_STATUS_SUCCESS
      : NVIMGCODEC_STATUS_EXTENSION_EXECUTION_FAILED;
}

void
decoder_describe (nvimgcodecDecoderDesc_t *desc, Plugin *plugin)
{
  *desc = (nvimgcodecDecoderDesc_t){
    .struct_type = NVIMGCODEC_STRUCTURE_TYPE_DECODER_DESC,
    .struct_size = sizeof *desc,
    .instance = plugin,
    .id = plugin->id,
    .codec = CODEC,
    .backend_kind = plugin->is_cuda ? NVIMGCODEC_BACKEND_KIND_GPU_ONLY
                                    : NVIMGCODEC_BACKEND_KIND_CPU_ONLY,
    .create = create,
    .destroy = destroy,
    .getMetadata = get_metadata,
    .canDecode = can_decode,
    .decode = decode,
  };
}
