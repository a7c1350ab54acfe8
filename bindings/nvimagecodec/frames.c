/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds frames in the host's code streams, and tells the host of them (its parser). Frame n
 * of a .paco file is image n of the stream. */
#include "plugin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct nvimgcodecParser
{
  Log log;
  Place place;
  uint64_t counted; /* the stream that has n_frames frames, if they are not 0 */
  size_t n_frames;
};

static PacoStatus
fail (PacoError *error, PacoStatus status, const char *message)
{
  error->status = status;
  snprintf (error->message, sizeof error->message, "%s", message);
  return status;
}

/* The bytes of a stream are mapped, because parts of one stream that several threads decode
 * have one position. A stream has them as long as it exists. */
static bool
map (const nvimgcodecCodeStreamDesc_t *stream, const uint8_t **data,
    size_t *size)
{
  nvimgcodecIoStreamDesc_t *io = stream->io_stream;
  void *mapped = NULL;

  *size = 0;
  if (!io || io->size (io->instance, size) != NVIMGCODEC_STATUS_SUCCESS
      || *size == 0
      || io->map (io->instance, &mapped, 0, *size) != NVIMGCODEC_STATUS_SUCCESS)
    return false;
  *data = mapped;
  return mapped != NULL;
}

/* Reads the header of the frame at an offset, which is less than size. */
static PacoStatus
probe (const uint8_t *data, size_t size, size_t offset, Frame *frame,
    PacoError *error)
{
  frame->data = data + offset;
  frame->size = size - offset;
  frame->info = (PacoInfo) PACO_INFO_INIT;
  return paco_probe (frame->data, frame->size, &frame->info, NULL, error);
}

PacoStatus
frames_find (const nvimgcodecCodeStreamDesc_t *stream,
    const nvimgcodecCodeStreamView_t *view, Place *place, Frame *frame,
    PacoError *error)
{
  size_t index = view ? view->image_idx : 0;
  const uint8_t *data;
  size_t size;
  PacoStatus status;

  if (!map (stream, &data, &size))
    return fail (error, PACO_STATUS_IO, "the stream has no bytes");
  pthread_mutex_lock (&place->lock);
  if (place->data != data || place->stream != stream->io_stream->id
      || place->index > index || place->offset >= size)
    place->index = place->offset = 0;
  place->data = data;
  place->stream = stream->io_stream->id;
  status = probe (data, size, place->offset, frame, error);
  while (status == PACO_STATUS_OK && place->index < index) {
    if (frame->info.frame_size >= frame->size) {
      status = fail (error, PACO_STATUS_INVALID, "the stream has fewer frames");
      break;
    }
    place->offset += frame->info.frame_size;
    place->index++;
    status = probe (data, size, place->offset, frame, error);
  }
  pthread_mutex_unlock (&place->lock);
  return status;
}

/* --- the parser --- */

static nvimgcodecStatus_t
create (void *instance, nvimgcodecParser_t *created)
{
  nvimgcodecParser_t parser = calloc (1, sizeof *parser);

  if (!parser)
    return NVIMGCODEC_STATUS_EXTENSION_ALLOCATOR_FAILURE;
  parser->log = (Log){ instance, true };
  pthread_mutex_init (&parser->place.lock, NULL);
  *created = parser;
  return NVIMGCODEC_STATUS_SUCCESS;
}

static nvimgcodecStatus_t
destroy (nvimgcodecParser_t parser)
{
  pthread_mutex_destroy (&parser->place.lock);
  free (parser);
  return NVIMGCODEC_STATUS_SUCCESS;
}

/* A frame that is cut, damaged or of another version is ours, too: the error is. */
static nvimgcodecStatus_t
can_parse (void *instance, int *result, nvimgcodecCodeStreamDesc_t *stream)
{
  const uint8_t *data;
  size_t size;
  Frame frame;

  (void) instance;
  *result = map (stream, &data, &size) && size >= PACO_PROBE_SIZE
      && probe (data, size, 0, &frame, NULL) != PACO_STATUS_NOT_PACO;
  return NVIMGCODEC_STATUS_SUCCESS;
}

/* Logs why a stream is not parsed. */
static nvimgcodecStatus_t
end (nvimgcodecParser_t parser, PacoStatus status, const PacoError *error)
{
  if (status == PACO_STATUS_OK)
    return NVIMGCODEC_STATUS_SUCCESS;
  refuse_error (&parser->log, error);
  return status == PACO_STATUS_INVALID ? NVIMGCODEC_STATUS_INVALID_PARAMETER
      : status == PACO_STATUS_VERSION || status == PACO_STATUS_UNSUPPORTED
      ? NVIMGCODEC_STATUS_CODESTREAM_UNSUPPORTED
      : NVIMGCODEC_STATUS_BAD_CODESTREAM;
}

/* Counts the frames up to the first byte that is of none. There is one. */
static size_t
count (const Plugin *plugin, const uint8_t *data, size_t size)
{
  size_t offset = 0, n = 0;
  Frame frame;
  PacoError error;

  for (; offset < size; n++, offset += frame.info.frame_size)
    if (probe (data, size, offset, &frame, &error) != PACO_STATUS_OK) {
      refuse (&(Log){ plugin, false }, STATUS (FAIL),
          "what follows frame %zu is no frame: %s", n - 1, error.message);
      break;
    }
  return n;
}

static nvimgcodecStatus_t
get_stream_info (nvimgcodecParser_t parser, nvimgcodecCodeStreamInfo_t *info,
    nvimgcodecCodeStreamDesc_t *stream)
{
  const nvimgcodecCodeStreamView_t *view = info->code_stream_view;
  const uint8_t *data;
  Frame frame;
  PacoError error;
  PacoStatus status = frames_find (
      stream, view, &parser->place, &frame, &error);

  if (view && view->bitstream_offset != 0)
    status = fail (&error, PACO_STATUS_INVALID,
        "frames are chosen by number, not by bitstream_offset");
  if (status != PACO_STATUS_OK || !map (stream, &data, &info->size))
    return end (parser, status, &error);
  pthread_mutex_lock (&parser->place.lock);
  if (parser->n_frames == 0 || parser->counted != stream->io_stream->id)
    parser->n_frames = count (parser->log.plugin, data, info->size);
  parser->counted = stream->io_stream->id;
  info->num_images = parser->n_frames;
  pthread_mutex_unlock (&parser->place.lock);
  strcpy (info->codec_name, CODEC);
  return NVIMGCODEC_STATUS_SUCCESS;
}

static nvimgcodecStatus_t
get_image_info (nvimgcodecParser_t parser, nvimgcodecImageInfo_t *image,
    nvimgcodecCodeStreamDesc_t *stream)
{
  nvimgcodecCodeStreamInfo_t info = { HOST_STRUCT (
      CODE_STREAM_INFO, nvimgcodecCodeStreamInfo_t) };
  Frame frame;
  PacoError error;
  PacoStatus status;

  stream->getCodeStreamInfo (stream->instance, &info);
  status = frames_find (
      stream, info.code_stream_view, &parser->place, &frame, &error);
  if (status == PACO_STATUS_OK)
    status = pictures_describe (&frame.info, image, &error);
  return end (parser, status, &error);
}

const nvimgcodecParserDesc_t frames_parser = {
  HOST_STRUCT (PARSER_DESC, nvimgcodecParserDesc_t),
  .codec = CODEC,
  .canParse = can_parse,
  .create = create,
  .destroy = destroy,
  .getCodeStreamInfo = get_stream_info,
  .getImageInfo = get_image_info,
};
