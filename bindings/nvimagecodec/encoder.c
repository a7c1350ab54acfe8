/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The host's encoder: an image becomes a stream of one frame. */
#include "plugin.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct nvimgcodecEncoder
{
  const Plugin *plugin;
  Coders *coders;
};

/* An image to encode. */
typedef struct
{
  PacoInfo info;
  PacoImage picture;
  const char *rate_control;
  char quality[16], frame_size[24]; /* settings of libpaco; "": no budget */
  Reason reason;
} Job;

static nvimgcodecStatus_t
create (void *instance, nvimgcodecEncoder_t *created,
    const nvimgcodecExecutionParams_t *parameters, const char *options)
{
  nvimgcodecEncoder_t encoder = calloc (1, sizeof *encoder);

  if (!encoder)
    return NVIMGCODEC_STATUS_EXTENSION_ALLOCATOR_FAILURE;
  encoder->plugin = instance;
  encoder->coders = coders_new (encoder->plugin, false, parameters, options);
  if (!encoder->coders) {
    free (encoder);
    return NVIMGCODEC_STATUS_EXTENSION_NOT_INITIALIZED;
  }
  *created = encoder;
  return NVIMGCODEC_STATUS_SUCCESS;
}

static nvimgcodecStatus_t
destroy (nvimgcodecEncoder_t encoder)
{
  coders_free (encoder->coders);
  free (encoder);
  return NVIMGCODEC_STATUS_SUCCESS;
}

/* Says how good the frame is to be. */
static Status
read_quality (const nvimgcodecEncodeParams_t *parameters, Job *job)
{
  double value = parameters->quality_value, bytes = 0;

  job->rate_control = "quality";
  strcpy (job->quality, "90");
  switch (parameters->quality_type) {
    case NVIMGCODEC_QUALITY_TYPE_DEFAULT:
      break;
    case NVIMGCODEC_QUALITY_TYPE_LOSSLESS:
      job->rate_control = "lossless";
      break;
    case NVIMGCODEC_QUALITY_TYPE_QUALITY:
      if (!(value >= 0 && value <= 100))
        return refuse (&job->reason,
            NVIMGCODEC_PROCESSING_STATUS_QUALITY_VALUE_UNSUPPORTED,
            "a quality is 0 to 100, not %g", value);
      snprintf (job->quality, sizeof job->quality, "%.0f", value);
      break;
    case NVIMGCODEC_QUALITY_TYPE_SIZE_RATIO:
      if (!(value > 0 && value < 1))
        return refuse (&job->reason,
            NVIMGCODEC_PROCESSING_STATUS_QUALITY_VALUE_UNSUPPORTED,
            "a ratio of sizes is between 0 and 1, not %g", value);
      for (unsigned c = 0; c < job->info.n_components; c++)
        bytes += (double) job->info.width * job->info.height
            / (1 << (job->info.subsampling_x[c] + job->info.subsampling_y[c]))
            * (job->info.depth[c] > 8 ? 2 : 1);
      job->rate_control = "bitrate";
      snprintf (job->frame_size, sizeof job->frame_size, "%.0f",
          fmax (1, bytes * value));
      break;
    default:
      return refuse (&job->reason,
          NVIMGCODEC_PROCESSING_STATUS_QUALITY_TYPE_UNSUPPORTED,
          "qualities are quality, lossless or a ratio of sizes, not %d",
          (int) parameters->quality_type);
  }
  return NVIMGCODEC_PROCESSING_STATUS_SUCCESS;
}

/* Says what is to be done, without encoding. What the stream is to be differs from the image
 * where the host wants a conversion. */
static Status
prepare (nvimgcodecEncoder_t encoder, const nvimgcodecCodeStreamDesc_t *stream,
    const nvimgcodecImageDesc_t *image,
    const nvimgcodecEncodeParams_t *parameters, Job *job)
{
  nvimgcodecImageInfo_t info = IMAGE_INFO_INIT, wanted = IMAGE_INFO_INIT;
  Status status;

  if (!encoder)
    return NVIMGCODEC_PROCESSING_STATUS_BACKEND_UNSUPPORTED;
  if (image->getImageInfo (image->instance, &info) != NVIMGCODEC_STATUS_SUCCESS
      || stream->getImageInfo (stream->instance, &wanted)
          != NVIMGCODEC_STATUS_SUCCESS)
    return refuse (&job->reason, NVIMGCODEC_PROCESSING_STATUS_FAIL,
        "the host does not say what is to be encoded");
  status = pictures_read (&info, &job->info, &job->reason);
  if (status == NVIMGCODEC_PROCESSING_STATUS_SUCCESS)
    status = pictures_match (&info, &job->info, job->info.width,
        job->info.height, &job->picture, &job->reason);
  if (status != NVIMGCODEC_PROCESSING_STATUS_SUCCESS)
    return status;
  if (wanted.color_spec != NVIMGCODEC_COLORSPEC_UNKNOWN
      && wanted.color_spec != info.color_spec)
    return refuse (&job->reason,
        NVIMGCODEC_PROCESSING_STATUS_COLOR_SPEC_UNSUPPORTED,
        "colours are not converted: the image has color spec %d, the stream %d",
        (int) info.color_spec, (int) wanted.color_spec);
  if (job->info.n_components >= 3
      && wanted.chroma_subsampling != info.chroma_subsampling)
    return refuse (&job->reason,
        NVIMGCODEC_PROCESSING_STATUS_SAMPLING_UNSUPPORTED,
        "chroma is not converted: the image has subsampling %d, the stream %d",
        (int) info.chroma_subsampling, (int) wanted.chroma_subsampling);
  return read_quality (parameters, job);
}

static nvimgcodecProcessingStatus_t
can_encode (nvimgcodecEncoder_t encoder,
    const nvimgcodecCodeStreamDesc_t *stream,
    const nvimgcodecImageDesc_t *image,
    const nvimgcodecEncodeParams_t *parameters, int thread)
{
  Job job = { 0 };
  Status status = prepare (encoder, stream, image, parameters, &job);

  (void) thread;
  if (job.reason.text[0])
    plugin_log (encoder->plugin, NVIMGCODEC_DEBUG_MESSAGE_SEVERITY_WARNING,
        "%s", job.reason.text);
  return status;
}

static PacoStatus
code (PacoFrameEncoder *encoder, Job *job, PacoFrame *frame, PacoError *error)
{
  PacoStatus status = paco_frame_encoder_set (
      encoder, "rate-control", job->rate_control, error);

  if (status == PACO_STATUS_OK)
    status = paco_frame_encoder_set (encoder, "quality", job->quality, error);
  if (status == PACO_STATUS_OK && job->frame_size[0])
    status = paco_frame_encoder_set (
        encoder, "frame-size", job->frame_size, error);
  if (status == PACO_STATUS_OK)
    status = paco_frame_encoder_configure (encoder, &job->info, error);
  if (status == PACO_STATUS_OK)
    status = paco_frame_encoder_encode (
        encoder, &job->picture, NULL, frame, error);
  return status;
}

static bool
write_frame (const nvimgcodecCodeStreamDesc_t *stream, PacoFrame *frame)
{
  nvimgcodecIoStreamDesc_t *io = stream->io_stream;
  size_t written = 0;

  return io->reserve (io->instance, frame->size) == NVIMGCODEC_STATUS_SUCCESS
      && io->seek (io->instance, 0, SEEK_SET) == NVIMGCODEC_STATUS_SUCCESS
      && io->write (io->instance, &written, frame->data, frame->size)
      == NVIMGCODEC_STATUS_SUCCESS
      && written == frame->size
      && io->flush (io->instance) == NVIMGCODEC_STATUS_SUCCESS;
}

static Status
run (nvimgcodecEncoder_t encoder, Job *job,
    const nvimgcodecCodeStreamDesc_t *stream, int thread)
{
  Status status = NVIMGCODEC_PROCESSING_STATUS_SUCCESS;
  PacoFrame frame = { 0 };
  PacoError error;
  Coder *coder = coders_take (encoder->coders, thread, &job->info, &error);

  if (!coder)
    return refuse_error (&job->reason, &error);
  if (code (coder->encoder, job, &frame, &error) != PACO_STATUS_OK)
    status = refuse_error (&job->reason, &error);
  coders_give (coder);
  if (status == NVIMGCODEC_PROCESSING_STATUS_SUCCESS
      && !write_frame (stream, &frame))
    status = refuse (&job->reason, NVIMGCODEC_PROCESSING_STATUS_FAIL,
        "the stream does not take %zu bytes", frame.size);
  paco_frame_release (&frame);
  return status;
}

static nvimgcodecStatus_t
encode (nvimgcodecEncoder_t encoder, const nvimgcodecCodeStreamDesc_t *stream,
    const nvimgcodecImageDesc_t *image,
    const nvimgcodecEncodeParams_t *parameters, int thread)
{
  Job job = { 0 };
  Status status = prepare (encoder, stream, image, parameters, &job);

  if (status == NVIMGCODEC_PROCESSING_STATUS_SUCCESS && !job.picture.data[0])
    status = refuse (&job.reason, NVIMGCODEC_PROCESSING_STATUS_FAIL,
        "the image has no memory");
  if (status == NVIMGCODEC_PROCESSING_STATUS_SUCCESS)
    status = run (encoder, &job, stream, thread);
  if (job.reason.text[0])
    plugin_log (encoder->plugin, NVIMGCODEC_DEBUG_MESSAGE_SEVERITY_ERROR, "%s",
        job.reason.text);
  image->imageReady (image->instance, status);
  return status == NVIMGCODEC_PROCESSING_STATUS_SUCCESS
      ? NVIMGCODEC_STATUS_SUCCESS
      : NVIMGCODEC_STATUS_EXTENSION_EXECUTION_FAILED;
}

void
encoder_describe (nvimgcodecEncoderDesc_t *desc, Plugin *plugin)
{
  *desc = (nvimgcodecEncoderDesc_t){
    .struct_type = NVIMGCODEC_STRUCTURE_TYPE_ENCODER_DESC,
    .struct_size = sizeof *desc,
    .instance = plugin,
    .id = plugin->id,
    .codec = CODEC,
    .backend_kind = plugin->is_cuda ? NVIMGCODEC_BACKEND_KIND_GPU_ONLY
                                    : NVIMGCODEC_BACKEND_KIND_CPU_ONLY,
    .create = create,
    .destroy = destroy,
    .canEncode = can_encode,
    .encode = encode,
  };
}
