/* SPDX-License-Identifier: LGPL-2.1-or-later
 * FFmpeg's demuxer and muxer of .paco, which is frames one after the other. After damage
 * the demuxer goes on with the next frame. Frames that know their place in the file
 * (FORMAT.md, chunk 4) are found by bisection; other files are read up to the frame. */
#include "config_components.h"

#include <paco.h>
#include <stdbool.h>
#include <string.h>
#include "libavutil/opt.h"

#include "avformat.h"
#include "avio_internal.h"
#include "demux.h"
#include "internal.h"
#if LIBAVFORMAT_VERSION_MAJOR >= 61
#include "mux.h"
#define P(field) .p.field
#define INPUT_FORMAT FFInputFormat
#define OUTPUT_FORMAT FFOutputFormat
#else
#define P(field) .field
#define INPUT_FORMAT AVInputFormat
#define OUTPUT_FORMAT AVOutputFormat
#endif

#define MAX_HEADER 65535

#if CONFIG_PACO_DEMUXER
typedef struct Demuxer
{
  const AVClass *class;
  AVRational framerate;
  bool has_places;  /* and they are those of this file */
  int64_t base;     /* what is added to numbers of a stream that was joined */
  int64_t next;     /* the number of the next frame, */
  int64_t next_pos; /* and where it is, unless somebody seeks */
  int64_t last_pos; /* where the frame before is */
  bool pending; /* whether its header is in head, and its start was passed */
  /* The header that was read last, and what it says. */
  uint8_t head[MAX_HEADER];
  PacoInfo info;
  PacoError error; /* why there was no other one */
} Demuxer;

/* Reads the header that begins here, of which the magic is read. Returns false and goes
 * back to after the magic if there is none. */
static bool
read_rest (Demuxer *self, AVIOContext *pb)
{
  int64_t back = avio_tell (pb);
  size_t size = 4, needed = PACO_PROBE_SIZE;
  PacoStatus status = PACO_STATUS_MORE;

  memcpy (self->head, "PACO", size);
  self->info = (PacoInfo) PACO_INFO_INIT;
  if (ffio_ensure_seekback (pb, MAX_HEADER) < 0)
    return false;
  while (status == PACO_STATUS_MORE && needed <= MAX_HEADER
      && avio_read (pb, self->head + size, (int) (needed - size))
          == (int) (needed - size)) {
    size = needed;
    status = paco_probe (self->head, size, &self->info, &needed, &self->error);
  }
  if (status != PACO_STATUS_OK)
    avio_seek (pb, back, SEEK_SET);
  return status == PACO_STATUS_OK;
}

/* Reads the next header that begins at the limit at last. Returns where it begins, and
 * the file is after it then, or AVERROR_EOF. */
static int64_t
find_header (Demuxer *self, AVIOContext *pb, int64_t limit)
{
  int64_t pos = avio_tell (pb) - 4;
  uint32_t bytes = 0;

  while (pos < limit) {
    bytes = bytes << 8 | (uint8_t) avio_r8 (pb);
    if (avio_feof (pb))
      return AVERROR_EOF;
    pos++;
    if (bytes == MKBETAG ('P', 'A', 'C', 'O') && pos >= 0
        && read_rest (self, pb))
      return pos;
  }
  return AVERROR_EOF;
}

static int64_t
read_timestamp (AVFormatContext *s, int stream, int64_t *pos, int64_t limit)
{
  Demuxer *self = s->priv_data;
  int64_t found;

  if (avio_seek (s->pb, *pos, SEEK_SET) < 0)
    return AV_NOPTS_VALUE;
  found = find_header (self, s->pb, limit);
  if (found < 0 || !self->info.has_place)
    return AV_NOPTS_VALUE;
  *pos = found;
  return self->info.place_number;
}

/* Finds out whether the places of frames are those in this file, which they are not
 * where files were joined; then the last one tells the duration. */
static void
check_places (AVFormatContext *s, AVStream *st, int64_t start)
{
  Demuxer *self = s->priv_data;
  int64_t first = self->info.place_number, last, last_pos;
  int64_t before = start - (int64_t) self->info.place_offset;

  if (!self->info.has_place || avio_size (s->pb) <= 0
      || ff_find_last_ts (s, 0, &last, &last_pos, read_timestamp) < 0
      || avio_seek (s->pb, last_pos, SEEK_SET) < 0
      || find_header (self, s->pb, INT64_MAX) != last_pos
      || !self->info.has_place || self->info.place_number < first
      || last_pos - (int64_t) self->info.place_offset > before)
    return;
  self->has_places = true;
  st->start_time = first;
  st->duration = self->info.place_number - first + 1;
}

static void
set_parameters (const Demuxer *self, AVStream *st)
{
  AVRational rate = { (int) self->info.fps_n, (int) self->info.fps_d };
  AVCodecParameters *par = st->codecpar;

  if (rate.num <= 0 || rate.den <= 0)
    rate = self->framerate;
  if (self->info.interlace_mode == 3
      && rate.num <= INT_MAX / 2) /* frames are fields */
    rate.num *= 2;
  par->codec_type = AVMEDIA_TYPE_VIDEO;
  par->codec_id = AV_CODEC_ID_PACO;
  par->width = (int) self->info.width;
  par->height = (int) self->info.height;
  st->avg_frame_rate = st->r_frame_rate = rate;
  avpriv_set_pts_info (st, 64, (unsigned) rate.den, (unsigned) rate.num);
  ffstream (st)->need_parsing = AVSTREAM_PARSE_HEADERS;
}

static int
read_header (AVFormatContext *s)
{
  Demuxer *self = s->priv_data;
  AVStream *st = avformat_new_stream (s, NULL);
  int64_t start;

  if (!st)
    return AVERROR (ENOMEM);
  start = find_header (self, s->pb, INT64_MAX);
  if (start < 0) {
    av_log (s, AV_LOG_ERROR, "no frame of PaCo was found. %s\n",
        self->error.message);
    return AVERROR_INVALIDDATA;
  }
  set_parameters (self, st);
  st->start_time = 0;
  self->last_pos = self->next_pos = start;
  if (!(s->pb->seekable & AVIO_SEEKABLE_NORMAL)) {
    self->pending = true;
    return 0;
  }
  check_places (s, st, start);
  return avio_seek (s->pb, start, SEEK_SET) < 0 ? AVERROR (EIO) : 0;
}

/* Returns the number of the frame at pos. Where somebody has moved to, it is that of the
 * index, and tells what is to be added to numbers from there on. */
static int64_t
number_frame (AVFormatContext *s, Demuxer *self, int64_t pos, bool moved)
{
  AVStream *st = s->streams[0];
  int64_t number = self->info.has_place ? self->info.place_number : 0;

  if (moved)
    self->base = self->next = 0;
  for (int i = avformat_index_get_entries_count (st); moved && i > 0; i--) {
    const AVIndexEntry *entry = avformat_index_get_entry (st, i - 1);

    if (entry->pos == pos) {
      self->base = entry->timestamp - number;
      return entry->timestamp;
    }
  }
  if (!self->info.has_place)
    return self->next;
  if (self->has_places)
    return number;
  if (number + self->base < self->next) /* another stream begins */
    self->base = self->next - number;
  return number + self->base;
}

static int
read_packet (AVFormatContext *s, AVPacket *packet)
{
  Demuxer *self = s->priv_data;
  int64_t from = avio_tell (s->pb), pos;
  bool moved = !self->pending && from != self->next_pos;
  int size, ret;

  ffio_ensure_seekback (s->pb, 4);
  pos = self->pending ? self->next_pos : find_header (self, s->pb, from);
  self->pending = false;
  if (pos < 0 && !avio_feof (s->pb)) {
    /* The frame before may have less bytes than it says. */
    av_log (s, AV_LOG_WARNING, "at byte %" PRId64 " no frame begins\n", from);
    if (moved || !(s->pb->seekable & AVIO_SEEKABLE_NORMAL)
        || avio_seek (s->pb, self->last_pos + 4, SEEK_SET) < 0)
      avio_seek (s->pb, from + 1, SEEK_SET);
    pos = find_header (self, s->pb, INT64_MAX);
  }
  if (pos < 0)
    return AVERROR_EOF;
  if (self->info.frame_size > INT_MAX / 2) {
    self->last_pos = pos;
    self->next_pos = avio_tell (s->pb);
    av_log (s, AV_LOG_ERROR, "a frame of %u bytes is too large\n",
        self->info.frame_size);
    return AVERROR_INVALIDDATA;
  }
  size = (int) self->info.header_size;
  ret = av_new_packet (packet, size);
  if (ret < 0)
    return ret;
  memcpy (packet->data, self->head, (size_t) size);
  /* What is cut is flagged as corrupt by this. */
  ret = av_append_packet (s->pb, packet, (int) self->info.frame_size - size);
  if (ret < 0 && ret != AVERROR_EOF)
    return ret;
  packet->pos = self->last_pos = pos;
  packet->pts = packet->dts = number_frame (s, self, pos, moved);
  packet->duration = 1;
  self->next = packet->pts + 1;
  self->next_pos = avio_tell (s->pb);
  return 0;
}

static int
read_seek (AVFormatContext *s, int stream, int64_t target, int flags)
{
  Demuxer *self = s->priv_data;
  int64_t number, pos;

  if (!self->has_places || flags & (AVSEEK_FLAG_BYTE | AVSEEK_FLAG_FRAME))
    return -1;
  pos = ff_gen_search (s, 0, target, 0, 0, 0, AV_NOPTS_VALUE, AV_NOPTS_VALUE,
      flags, &number, read_timestamp);
  if (pos < 0 || avio_seek (s->pb, pos, SEEK_SET) < 0)
    return -1;
  self->last_pos = pos;
  avpriv_update_cur_dts (s, s->streams[0], number);
  return 0;
}

static int
probe (const AVProbeData *p)
{
  PacoInfo info = PACO_INFO_INIT;
  PacoStatus status = paco_probe (
      p->buf, (size_t) p->buf_size, &info, NULL, NULL);

  if (status == PACO_STATUS_NOT_PACO || p->buf_size < PACO_PROBE_SIZE)
    return 0;
  return status == PACO_STATUS_OK ? AVPROBE_SCORE_MAX
                                  : AVPROBE_SCORE_EXTENSION / 2;
}

static const AVOption demuxer_options[] = {
  { "framerate", "of frames that do not say it", offsetof (Demuxer, framerate),
      AV_OPT_TYPE_VIDEO_RATE, { .str = "25" }, 0, INT_MAX,
      AV_OPT_FLAG_DECODING_PARAM },
  { NULL },
};

static const AVClass demuxer_class = {
  .class_name = "paco demuxer",
  .item_name = av_default_item_name,
  .option = demuxer_options,
  .version = LIBAVUTIL_VERSION_INT,
};

const INPUT_FORMAT ff_paco_demuxer = {
  P (name) = "paco",
  P (long_name) = NULL_IF_CONFIG_SMALL ("PaCo"),
  P (extensions) = "paco",
  P (flags) = AVFMT_GENERIC_INDEX | AVFMT_NO_BYTE_SEEK,
  P (priv_class) = &demuxer_class,
  .priv_data_size = sizeof (Demuxer),
  .read_probe = probe,
  .read_header = read_header,
  .read_packet = read_packet,
  .read_seek = read_seek,
};
#endif

#if CONFIG_PACO_MUXER
typedef struct Muxer
{
  uint32_t number;
  uint64_t offset;
} Muxer;

static int
write_header (AVFormatContext *s)
{
  if (s->nb_streams == 1
      && s->streams[0]->codecpar->codec_id == AV_CODEC_ID_PACO)
    return 0;
  av_log (s, AV_LOG_ERROR, "a .paco file has one stream, which is PaCo\n");
  return AVERROR (EINVAL);
}

/* Frames that have a place get the one that they have in this file. */
static int
write_packet (AVFormatContext *s, AVPacket *packet)
{
  Muxer *self = s->priv_data;
  PacoInfo info = PACO_INFO_INIT;
  PacoError error;
  uint8_t head[MAX_HEADER];

  if (paco_probe (packet->data, (size_t) packet->size, &info, NULL, &error)
      != PACO_STATUS_OK) {
    av_log (
        s, AV_LOG_ERROR, "a packet is no frame of PaCo: %s\n", error.message);
    return AVERROR_INVALIDDATA;
  }
  memcpy (head, packet->data, info.header_size);
  if (info.has_place)
    paco_frame_set_place (
        head, info.header_size, self->number, self->offset, NULL);
  avio_write (s->pb, head, (int) info.header_size);
  avio_write (s->pb, packet->data + info.header_size,
      packet->size - (int) info.header_size);
  self->number++;
  self->offset += (uint64_t) packet->size;
  return 0;
}

const OUTPUT_FORMAT ff_paco_muxer = {
  P (name) = "paco",
  P (long_name) = NULL_IF_CONFIG_SMALL ("PaCo"),
  P (extensions) = "paco",
  P (video_codec) = AV_CODEC_ID_PACO,
  P (audio_codec) = AV_CODEC_ID_NONE,
  P (flags) = AVFMT_NOTIMESTAMPS,
  .priv_data_size = sizeof (Muxer),
  .write_header = write_header,
  .write_packet = write_packet,
};
#endif
