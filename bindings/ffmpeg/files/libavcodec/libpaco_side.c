/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What accompanies pictures: captions, timecodes, active format, mastering display and
 * light, as chunks of frames (FORMAT.md 3.1) and as FFmpeg's side data (libpaco.h). */
#include "libpaco.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "libavutil/common.h"
#include "libavutil/intreadwrite.h"
#include "libavutil/mastering_display_metadata.h"
#include "libavutil/timecode.h"

enum
{
  CHUNK_CAPTION = 7,
  CHUNK_ACTIVE_FORMAT = 8,
  CHUNK_TIMECODE = 9,
  CAPTION_608 = 1,
  CAPTION_S334 = 2,
  CAPTION_708 = 3,
  CAPTION_CDP = 4,
  TIMECODE_SIZE = 17,
  CHROMATICITY_UNIT = 50000,
  LUMINANCE_UNIT = 10000,
};

/* Triplets of cc_data. */
typedef struct Captions
{
  uint8_t bytes[1023];
  size_t n;
} Captions;

/* Finds cc_data in a caption distribution packet (SMPTE 334-2). Returns how many bytes it
 * has. */
static size_t
find_triplets (const uint8_t **data, size_t size)
{
  const uint8_t *packet = *data;
  size_t at = 7;

  if (size < 9 || packet[0] != 0x96 || packet[1] != 0x69)
    return 0;
  if (packet[4] & 0x80 && packet[at] == 0x71) /* a timecode comes first */
    at += 5;
  if (at + 2 > size || packet[at] != 0x72)
    return 0;
  *data = packet + at + 2;
  return FFMIN (size - at - 2, 3 * (size_t) (packet[at + 1] & 0x1f));
}

/* Appends the pairs of a caption chunk. */
static void
read_caption (Captions *captions, const uint8_t *data, size_t size)
{
  int kind = size > 0 ? *data : 0;
  size_t step = kind == CAPTION_608 ? 2 : 3;

  if (kind < CAPTION_608 || kind > CAPTION_CDP)
    return;
  data++;
  size = kind == CAPTION_CDP ? find_triplets (&data, size - 1) : size - 1;
  for (size_t i = 0;
       i + step <= size && captions->n + 3 <= sizeof captions->bytes;
       i += step, captions->n += 3) {
    uint8_t *triplet = captions->bytes + captions->n;

    triplet[0] = kind == CAPTION_608 ? 0xfc
        : kind != CAPTION_S334       ? data[i]
        : data[i] & 0x80             ? 0xfc
                                     : 0xfd;
    memcpy (triplet + 1, data + i + step - 2, 2);
  }
}

static int
attach (AVFrame *frame, enum AVFrameSideDataType type, const void *data,
    size_t size)
{
  AVFrameSideData *side;

  av_frame_remove_side_data (frame, type); /* that of the container */
  side = av_frame_new_side_data (frame, type, size);
  if (!side)
    return AVERROR (ENOMEM);
  memcpy (side->data, data, size);
  return 0;
}

/* Appends a timecode to those in codes, the first of which is how many there are. */
static void
read_timecode (
    uint32_t codes[4], const PacoInfo *info, const uint8_t *data, size_t size)
{
  AVRational rate;

  if (size < TIMECODE_SIZE || codes[0] == 3)
    return;
  rate = (AVRational){ (int) AV_RL32 (data), (int) AV_RL32 (data + 4) };
  if (rate.num <= 0 || rate.den <= 0)
    rate = (AVRational){ (int) info->fps_n, FFMAX (1, (int) info->fps_d) };
  codes[++codes[0]] = av_timecode_get_smpte (rate, data[16] & 1, data[12],
      data[13], data[14], (int) (AV_RL32 (data + 8) & 0xffff));
}

static int
attach_timecodes (AVFrame *frame, const PacoInfo *info, const uint32_t codes[4])
{
  AVRational rate = { (int) info->fps_n, FFMAX (1, (int) info->fps_d) };
  char text[AV_TIMECODE_STR_SIZE];
  int ret = attach (
      frame, AV_FRAME_DATA_S12M_TIMECODE, codes, 4 * sizeof codes[0]);

  if (ret < 0)
    return ret;
  av_timecode_make_smpte_tc_string2 (text, rate, codes[1], 0, 0);
  return av_dict_set (&frame->metadata, "timecode", text, 0);
}

static int
attach_light (AVFrame *frame, const PacoInfo *info)
{
  if (info->has_mastering) {
    const PacoMastering *from = &info->mastering;
    AVMasteringDisplayMetadata *to;

    av_frame_remove_side_data (frame, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA);
    to = av_mastering_display_metadata_create_side_data (frame);
    if (!to)
      return AVERROR (ENOMEM);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 2; k++)
        to->display_primaries[i][k] = av_make_q (
            (int) from->primaries[i][k], CHROMATICITY_UNIT);
    for (int k = 0; k < 2; k++)
      to->white_point[k] = av_make_q (
          (int) from->white_point[k], CHROMATICITY_UNIT);
    to->max_luminance = av_make_q (
        (int) FFMIN (from->max_luminance, INT_MAX), LUMINANCE_UNIT);
    to->min_luminance = av_make_q (
        (int) FFMIN (from->min_luminance, INT_MAX), LUMINANCE_UNIT);
    to->has_primaries = to->has_luminance = 1;
  }
  if (info->has_content_light) {
    AVContentLightMetadata *to;

    av_frame_remove_side_data (frame, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL);
    to = av_content_light_metadata_create_side_data (frame);
    if (!to)
      return AVERROR (ENOMEM);
    to->MaxCLL = info->max_content_light;
    to->MaxFALL = info->max_frame_average_light;
  }
  return 0;
}

int
ff_libpaco_get_side_data (
    AVFrame *frame, const PacoInfo *info, const void *data, size_t size)
{
  PacoFrameChunk chunks[64];
  size_t n = FF_ARRAY_ELEMS (chunks);
  Captions captions = { .n = 0 };
  uint32_t codes[4] = { 0 };
  int ret = attach_light (frame, info);

  if (paco_frame_chunks (data, size, chunks, &n, NULL) != PACO_STATUS_OK)
    n = 0;
  for (size_t i = 0; ret >= 0 && i < FFMIN (n, FF_ARRAY_ELEMS (chunks)); i++) {
    const uint8_t *bytes = chunks[i].data;

    if (chunks[i].type == CHUNK_CAPTION)
      read_caption (&captions, bytes, chunks[i].size);
    else if (chunks[i].type == CHUNK_TIMECODE)
      read_timecode (codes, info, bytes, chunks[i].size);
    else if (chunks[i].type == CHUNK_ACTIVE_FORMAT && chunks[i].size >= 4
        && bytes[0] == 0)
      ret = attach (frame, AV_FRAME_DATA_AFD, bytes + 3, 1);
  }
  if (ret >= 0 && captions.n > 0)
    ret = attach (frame, AV_FRAME_DATA_A53_CC, captions.bytes, captions.n);
  if (ret >= 0 && codes[0] > 0)
    ret = attach_timecodes (frame, info, codes);
  return ret;
}

/* --- and back --- */

/* Begins a chunk of that size and returns where its bytes go, or NULL. */
static uint8_t *
add_chunk (PacoSideChunks *side, uint32_t type, size_t size)
{
  uint8_t *bytes = side->bytes + side->used;

  if (side->n == PACO_MAX_SIDE_CHUNKS || size > sizeof side->bytes - side->used)
    return NULL;
  side->chunks[side->n++] = (PacoFrameChunk){ type, 0, bytes, size };
  side->used += size;
  return bytes;
}

static void
put_timecode (PacoSideChunks *side, const PacoInfo *info, uint32_t code)
{
  AVRational rate = { (int) info->fps_n, FFMAX (1, (int) info->fps_d) };
  unsigned hours, minutes, seconds, frames;
  char text[AV_TIMECODE_STR_SIZE], drop;
  uint8_t *bytes;

  av_timecode_make_smpte_tc_string2 (text, rate, code, 0, 0);
  if (sscanf (text, "%u:%u:%u%c%u", &hours, &minutes, &seconds, &drop, &frames)
          != 5
      || hours > 23 || minutes > 59 || seconds > 59
      || !(bytes = add_chunk (side, CHUNK_TIMECODE, TIMECODE_SIZE)))
    return;
  AV_WL32 (bytes, rate.num);
  AV_WL32 (bytes + 4, rate.den);
  AV_WL32 (bytes + 8, frames);
  bytes[12] = (uint8_t) hours;
  bytes[13] = (uint8_t) minutes;
  bytes[14] = (uint8_t) seconds;
  bytes[15] = 0;
  bytes[16] = drop == ';';
}

static uint32_t
units (AVRational value, int unit, uint32_t most)
{
  double number = value.den ? av_q2d (value) * unit : 0;

  return (uint32_t) lrint (av_clipd (number, 0, most));
}

static void
put_light (PacoInfo *info, const AVFrame *frame)
{
  const AVFrameSideData *side = av_frame_get_side_data (
      frame, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA);

  if (side) {
    const AVMasteringDisplayMetadata *from = (const void *) side->data;
    PacoMastering *to = &info->mastering;

    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 2; k++)
        to->primaries[i][k] = units (
            from->display_primaries[i][k], CHROMATICITY_UNIT, UINT16_MAX);
    for (int k = 0; k < 2; k++)
      to->white_point[k] = units (
          from->white_point[k], CHROMATICITY_UNIT, UINT16_MAX);
    to->max_luminance = units (from->max_luminance, LUMINANCE_UNIT, INT_MAX);
    to->min_luminance = units (from->min_luminance, LUMINANCE_UNIT, INT_MAX);
    info->has_mastering = from->has_primaries && from->has_luminance;
  }
  side = av_frame_get_side_data (frame, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL);
  if (side) {
    const AVContentLightMetadata *from = (const void *) side->data;

    info->max_content_light = FFMIN (from->MaxCLL, UINT16_MAX);
    info->max_frame_average_light = FFMIN (from->MaxFALL, UINT16_MAX);
    info->has_content_light = 1;
  }
}

void
ff_libpaco_put_side_data (
    PacoSideChunks *side, PacoInfo *info, const AVFrame *frame)
{
  const AVFrameSideData *from = av_frame_get_side_data (
      frame, AV_FRAME_DATA_S12M_TIMECODE);
  uint8_t *bytes;

  side->n = side->used = 0;
  put_light (info, frame);
  if (from && from->size >= 4 * sizeof (uint32_t)) {
    const uint32_t *codes = (const uint32_t *) from->data;

    for (uint32_t i = 1; i <= FFMIN (codes[0], 3); i++)
      put_timecode (side, info, codes[i]);
  }
  from = av_frame_get_side_data (frame, AV_FRAME_DATA_A53_CC);
  if (from && from->size > 0
      && (bytes = add_chunk (side, CHUNK_CAPTION, from->size + 1))) {
    bytes[0] = CAPTION_708;
    memcpy (bytes + 1, from->data, from->size);
  }
  from = av_frame_get_side_data (frame, AV_FRAME_DATA_AFD);
  if (from && from->size > 0 && from->data[0] < 16
      && (bytes = add_chunk (side, CHUNK_ACTIVE_FORMAT, 4))) {
    memset (bytes, 0, 3); /* by ETSI TS 101 154, of the picture */
    bytes[3] = from->data[0];
  }
}
