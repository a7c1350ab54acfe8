/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The host's encoder: an image becomes a stream of one frame. */
#include "plugin.h"
#include <stdio.h>

/* An image to encode. */
typedef struct
{
  PacoInfo info;
  PacoImage picture;
  const char *rate_control;
  char quality[16], frame_size[24]; /* settings of libpaco */
  Log log;
} Job;

static nvimgcodecStatus_t
create (void *instance, nvimgcodecEncoder_t *created,
    const nvimgcodecExecutionParams_t *parameters, const char *options)
{
  *created = (nvimgcodecEncoder_t) coders_new (
      instance, false, parameters, options);
  return *created ? NVIMGCODEC_STATUS_SUCCESS
                  : NVIMGCODEC_STATUS_EXTENSION_NOT_INITIALIZED;
}

static nvimgcodecStatus_t
destroy (nvimgcodecEncoder_t encoder)
{
  coders_free ((Coders *) encoder);
  return NVIMGCODEC_STATUS_SUCCESS;
}

/* Says how good the frame is to be. */
static Status
read_quality (const nvimgcodecEncodeParams_t *parameters, Job *job)
{
  nvimgcodecQualityType_t type = parameters->quality_type;
  double value = parameters->quality_value, bytes = 0;
  bool has_quality = type == NVIMGCODEC_QUALITY_TYPE_QUALITY,
       has_ratio = type == NVIMGCODEC_QUALITY_TYPE_SIZE_RATIO;

  if (!has_quality && !has_ratio && type != NVIMGCODEC_QUALITY_TYPE_DEFAULT
      && type != NVIMGCODEC_QUALITY_TYPE_LOSSLESS)
    return refuse (&job->log, STATUS (QUALITY_TYPE_UNSUPPORTED),
        "a quality type is default, quality, lossless or a ratio of sizes, not "
        "%d",
        (int) type);
  if ((has_quality && !(value >= 0 && value <= 100))
      || (has_ratio && !(value > 0 && value < 1)))
    return refuse (&job->log, STATUS (QUALITY_VALUE_UNSUPPORTED),
        "a quality is 0 to 100, and a ratio of sizes between 0 and 1, not %g",
        value);
  for (unsigned c = 0; c < job->info.n_components; c++)
    bytes += (double) job->info.width * job->info.height
        / (1 << (job->info.subsampling_x[c] + job->info.subsampling_y[c]))
        * (job->info.depth[c] > 8 ? 2 : 1);
  job->rate_control = has_ratio                  ? "bitrate"
      : type == NVIMGCODEC_QUALITY_TYPE_LOSSLESS ? "lossless"
                                                 : "quality";
  snprintf (
      job->quality, sizeof job->quality, "%.0f", has_quality ? value : 90.0);
  bytes *= has_ratio ? value : 0;
  snprintf (job->frame_size, sizeof job->frame_size, "%lu",
      has_ratio && bytes < 1 ? 1 : (unsigned long) bytes);
  return STATUS (SUCCESS);
}

/* Says what is to be done, without encoding. What the stream is to be differs from the image
 * where the host wants a conversion. */
static Status
prepare (Coders *coders, const nvimgcodecCodeStreamDesc_t *stream,
    const nvimgcodecImageDesc_t *image,
    const nvimgcodecEncodeParams_t *parameters, Job *job)
{
  nvimgcodecImageInfo_t info = { HOST_STRUCT (
                            IMAGE_INFO, nvimgcodecImageInfo_t) },
                        wanted = info;
  Status status;

  if (!coders)
    return STATUS (BACKEND_UNSUPPORTED);
  job->log.plugin = coders->plugin;
  image->getImageInfo (image->instance, &info);
  stream->getImageInfo (stream->instance, &wanted);
  status = pictures_read (&info, &job->info, &job->log);
  if (status == STATUS (SUCCESS))
    status = pictures_match (&info, &job->info, job->info.width,
        job->info.height, &job->picture, &job->log);
  if (status != STATUS (SUCCESS))
    return status;
  if (wanted.color_spec != NVIMGCODEC_COLORSPEC_UNKNOWN
      && wanted.color_spec != info.color_spec)
    return refuse (&job->log, STATUS (COLOR_SPEC_UNSUPPORTED),
        "colours are not converted: the image has color spec %d, the stream %d",
        (int) info.color_spec, (int) wanted.color_spec);
  if (job->info.n_components >= 3
      && wanted.chroma_subsampling != info.chroma_subsampling)
    return refuse (&job->log, STATUS (SAMPLING_UNSUPPORTED),
        "chroma is not converted: the image has subsampling %d, the stream %d",
        (int) info.chroma_subsampling, (int) wanted.chroma_subsampling);
  return read_quality (parameters, job);
}

static Status
can_encode (nvimgcodecEncoder_t encoder,
    const nvimgcodecCodeStreamDesc_t *stream,
    const nvimgcodecImageDesc_t *image,
    const nvimgcodecEncodeParams_t *parameters, int thread)
{
  Job job = { .log.is_error = false };

  (void) thread;
  return prepare ((Coders *) encoder, stream, image, parameters, &job);
}

static bool
write_frame (const nvimgcodecIoStreamDesc_t *io, const PacoFrame *frame)
{
  size_t written = 0;

  return io->reserve (io->instance, frame->size) == NVIMGCODEC_STATUS_SUCCESS
      && io->write (io->instance, &written, frame->data, frame->size)
      == NVIMGCODEC_STATUS_SUCCESS
      && written == frame->size
      && io->flush (io->instance) == NVIMGCODEC_STATUS_SUCCESS;
}

static Status
run (Coders *coders, Job *job, const nvimgcodecIoStreamDesc_t *io, int thread)
{
  PacoFrame frame = { 0 };
  PacoError error;
  Status status = STATUS (SUCCESS);
  Coder *coder = coders_take (coders, thread, &job->info, &error);

  if (!coder)
    return refuse_error (&job->log, &error);
  if (paco_frame_encoder_set (
          coder->encoder, "rate-control", job->rate_control, &error)
          != PACO_STATUS_OK
      || paco_frame_encoder_set (
             coder->encoder, "quality", job->quality, &error)
          != PACO_STATUS_OK
      || paco_frame_encoder_set (
             coder->encoder, "frame-size", job->frame_size, &error)
          != PACO_STATUS_OK
      || paco_frame_encoder_configure (coder->encoder, &job->info, &error)
          != PACO_STATUS_OK
      || paco_frame_encoder_encode (
             coder->encoder, &job->picture, NULL, &frame, &error)
          != PACO_STATUS_OK)
    status = refuse_error (&job->log, &error);
  coders_give (coder);
  if (status == STATUS (SUCCESS) && !write_frame (io, &frame))
    status = refuse (&job->log, STATUS (FAIL),
        "the stream does not take %zu bytes", frame.size);
  paco_frame_release (&frame);
  return status;
}

static nvimgcodecStatus_t
encode (nvimgcodecEncoder_t encoder, const nvimgcodecCodeStreamDesc_t *stream,
    const nvimgcodecImageDesc_t *image,
    const nvimgcodecEncodeParams_t *parameters, int thread)
{
  Coders *coders = (Coders *) encoder;
  Job job = { .log.is_error = true };
  Status status = prepare (coders, stream, image, parameters, &job);

  if (status == STATUS (SUCCESS))
    status = run (coders, &job, stream->io_stream, thread);
  return coders_end (image, status);
}

const nvimgcodecEncoderDesc_t encoder_functions = {
  HOST_STRUCT (ENCODER_DESC, nvimgcodecEncoderDesc_t),
  .codec = CODEC,
  .create = create,
  .destroy = destroy,
  .canEncode = can_encode,
  .encode = encode,
};
