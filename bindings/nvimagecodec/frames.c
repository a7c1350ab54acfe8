/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds frames in the host's code streams, and tells the host of them (its parser). Frame n
 * of a .paco file is image n of the stream. */
#include "plugin.h"
#include <stdlib.h>
#include <string.h>

struct nvimgcodecParser
{
  const Plugin *plugin;
  Place place;
};

/* --- frames --- */

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

/* Reads the header of the frame at an offset, which is at most size. */
static PacoStatus
probe (const uint8_t *data, size_t size, size_t offset, Frame *frame,
    PacoError *error)
{
  frame->data = data + offset;
  frame->size = size - offset;
  frame->info = (PacoInfo) PACO_INFO_INIT;
  return paco_probe (frame->data, frame->size, &frame->info, NULL, error);
}

static PacoStatus
fail (PacoError *error, PacoStatus status, const char *message)
{
  *error = (PacoError){ .status = status };
  strncat (error->message, message, sizeof error->message - 1);
  return status;
}

static void
remember (Place *place, Place found)
{
  pthread_mutex_lock (&place->lock);
  if (found.n_frames == 0 && place->stream == found.stream)
    found.n_frames = place->n_frames;
  place->is_known = true;
  place->stream = found.stream;
  place->index = found.index;
  place->offset = found.offset;
  place->n_frames = found.n_frames;
  pthread_mutex_unlock (&place->lock);
}

/* Returns frame 0 if nothing else is known of the stream. */
static Place
recall (Place *place, const nvimgcodecCodeStreamDesc_t *stream)
{
  Place found = { .stream = stream->io_stream->id };

  pthread_mutex_lock (&place->lock);
  if (place->is_known && place->stream == found.stream) {
    found.index = place->index;
    found.offset = place->offset;
    found.n_frames = place->n_frames;
  }
  pthread_mutex_unlock (&place->lock);
  return found;
}

PacoStatus
frames_find (const nvimgcodecCodeStreamDesc_t *stream, size_t index,
    Place *place, Frame *frame, PacoError *error)
{
  const uint8_t *data;
  size_t size;
  Place found;
  PacoStatus status;

  if (!map (stream, &data, &size))
    return fail (error, PACO_STATUS_IO, "the stream has no bytes");
  found = recall (place, stream);
  if (found.index > index || found.offset >= size)
    found.index = found.offset = 0;
  status = probe (data, size, found.offset, frame, error);
  for (; status == PACO_STATUS_OK && found.index < index; found.index++) {
    if (frame->info.frame_size >= frame->size)
      return fail (error, PACO_STATUS_INVALID, "the stream has fewer frames");
    found.offset += frame->info.frame_size;
    status = probe (data, size, found.offset, frame, error);
  }
  if (status == PACO_STATUS_OK)
    remember (place, found);
  return status;
}

/* --- the parser --- */

static nvimgcodecStatus_t
parser_create (void *instance, nvimgcodecParser_t *created)
{
  nvimgcodecParser_t parser = calloc (1, sizeof *parser);

  if (!parser)
    return NVIMGCODEC_STATUS_EXTENSION_ALLOCATOR_FAILURE;
  parser->plugin = instance;
  pthread_mutex_init (&parser->place.lock, NULL);
  *created = parser;
  return NVIMGCODEC_STATUS_SUCCESS;
}

static nvimgcodecStatus_t
parser_destroy (nvimgcodecParser_t parser)
{
  pthread_mutex_destroy (&parser->place.lock);
  free (parser);
  return NVIMGCODEC_STATUS_SUCCESS;
}

/* A frame that is cut, damaged or of another version is ours, too: the error is. */
static nvimgcodecStatus_t
parser_can_parse (
    void *instance, int *result, nvimgcodecCodeStreamDesc_t *stream)
{
  const uint8_t *data;
  size_t size;
  Frame frame;
  PacoStatus status;

  (void) instance;
  *result = 0;
  if (map (stream, &data, &size)) {
    status = probe (data, size, 0, &frame, NULL);
    *result = status == PACO_STATUS_OK || status == PACO_STATUS_VERSION
        || status == PACO_STATUS_CORRUPT
        || (status == PACO_STATUS_MORE && size >= PACO_PROBE_SIZE);
  }
  return NVIMGCODEC_STATUS_SUCCESS;
}

/* Logs why a stream is not parsed. */
static nvimgcodecStatus_t
refuse_stream (const Plugin *plugin, const PacoError *error)
{
  plugin_log (
      plugin, NVIMGCODEC_DEBUG_MESSAGE_SEVERITY_ERROR, "%s", error->message);
  switch (error->status) {
    case PACO_STATUS_INVALID:
      return NVIMGCODEC_STATUS_INVALID_PARAMETER;
    case PACO_STATUS_VERSION:
    case PACO_STATUS_UNSUPPORTED:
      return NVIMGCODEC_STATUS_CODESTREAM_UNSUPPORTED;
    default:
      return NVIMGCODEC_STATUS_BAD_CODESTREAM;
  }
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
      plugin_log (plugin, NVIMGCODEC_DEBUG_MESSAGE_SEVERITY_WARNING,
          "what follows frame %zu is no frame: %s", n - 1, error.message);
      break;
    }
  return n;
}

static nvimgcodecStatus_t
parser_get_stream_info (nvimgcodecParser_t parser,
    nvimgcodecCodeStreamInfo_t *info, nvimgcodecCodeStreamDesc_t *stream)
{
  const nvimgcodecCodeStreamView_t *view = info->code_stream_view;
  const uint8_t *data;
  Frame frame;
  Place found;
  PacoError error;
  PacoStatus status;

  if (view && view->bitstream_offset != 0)
    status = fail (&error, PACO_STATUS_INVALID,
        "frames are chosen by number, not by bitstream_offset");
  else
    status = frames_find (
        stream, view ? view->image_idx : 0, &parser->place, &frame, &error);
  if (status != PACO_STATUS_OK || !map (stream, &data, &info->size))
    return refuse_stream (parser->plugin, &error);
  found = recall (&parser->place, stream);
  if (found.n_frames == 0) {
    found.n_frames = count (parser->plugin, data, info->size);
    remember (&parser->place, found);
  }
  strcpy (info->codec_name, CODEC);
  info->num_images = found.n_frames;
  return NVIMGCODEC_STATUS_SUCCESS;
}

static nvimgcodecStatus_t
parser_get_image_info (nvimgcodecParser_t parser, nvimgcodecImageInfo_t *image,
    nvimgcodecCodeStreamDesc_t *stream)
{
  nvimgcodecCodeStreamInfo_t info = STREAM_INFO_INIT;
  Frame frame;
  PacoError error;
  PacoStatus status;

  if (stream->getCodeStreamInfo (stream->instance, &info)
      != NVIMGCODEC_STATUS_SUCCESS)
    return NVIMGCODEC_STATUS_EXTENSION_INTERNAL_ERROR;
  status = frames_find (stream,
      info.code_stream_view ? info.code_stream_view->image_idx : 0,
      &parser->place, &frame, &error);
  if (status == PACO_STATUS_OK)
    status = pictures_describe (&frame.info, image, &error);
  return status == PACO_STATUS_OK ? NVIMGCODEC_STATUS_SUCCESS
                                  : refuse_stream (parser->plugin, &error);
}

void
frames_describe_parser (nvimgcodecParserDesc_t *desc, Plugin *plugin)
{
  *desc = (nvimgcodecParserDesc_t){
    .struct_type = NVIMGCODEC_STRUCTURE_TYPE_PARSER_DESC,
    .struct_size = sizeof *desc,
    .instance = plugin,
    .id = plugin->id,
    .codec = CODEC,
    .canParse = parser_can_parse,
    .create = parser_create,
    .destroy = parser_destroy,
    .getCodeStreamInfo = parser_get_stream_info,
    .getImageInfo = parser_get_image_info,
  };
}
