/* SPDX-License-Identifier: LGPL-2.1-or-later
 * FFmpeg's parser of PaCo: cuts bytes into frames, by the length in each one's header,
 * and tells size, rate and which slices of stacks can be decoded first. */
#include "parser.h"

#include <paco.h>
#include "libavutil/bswap.h"

enum
{
  HEAD_SIZE = 12, /* up to the frame's length */
  LEAST_SIZE = 76,
};

typedef struct Parser
{
  ParseContext pc;
  uint32_t magic; /* the last twelve bytes: these, */
  uint64_t last;  /* and the eight behind them */
  uint32_t left;  /* bytes until the frame ends, if its header was found */
  int junk;       /* bytes before the frame that belong to none */
} Parser;

/* Returns where in the buffer a frame ends, or END_NOT_FOUND. */
static int
find_end (Parser *self, const uint8_t *data, int size)
{
  for (int at = 0; at < size; at++) {
    uint32_t length;

    if (self->left > (uint32_t) (size - at)) {
      self->left -= (uint32_t) (size - at);
      break;
    }
    if (self->left > 0) {
      at += (int) self->left;
      self->left = 0;
      return at;
    }
    self->magic = self->magic << 8 | (uint32_t) (self->last >> 56);
    self->last = self->last << 8 | data[at];
    self->junk++;
    length = av_bswap32 ((uint32_t) self->last);
    if (self->magic == MKBETAG ('P', 'A', 'C', 'O') && length >= LEAST_SIZE
        && length <= INT_MAX / 2) {
      self->left = length - HEAD_SIZE;
      self->junk -= HEAD_SIZE;
      self->magic = 0;
      self->last = 0;
    }
  }
  return END_NOT_FOUND;
}

static void
tell (AVCodecParserContext *s, AVCodecContext *avctx, const PacoInfo *info)
{
  s->pict_type = AV_PICTURE_TYPE_I;
  s->key_frame = info->stack_position
      == 0; /* of no stack, or its first slice */
  s->width = avctx->width = (int) info->width;
  s->height = avctx->height = (int) info->height;
  s->picture_structure = AV_PICTURE_STRUCTURE_FRAME;
  s->field_order = AV_FIELD_PROGRESSIVE;
  if (info->fields)
    s->field_order = info->field_order == 1 || info->picture_flags & 2
        ? AV_FIELD_TT
        : AV_FIELD_BB;
  if (info->fps_n > 0 && info->fps_d > 0)
    avctx->framerate = (AVRational){ (int) info->fps_n, (int) info->fps_d };
}

static int
parse (AVCodecParserContext *s, AVCodecContext *avctx, const uint8_t **out,
    int *out_size, const uint8_t *data, int size)
{
  Parser *self = s->priv_data;
  PacoInfo info = PACO_INFO_INIT;
  int next = size;

  if (!(s->flags & PARSER_FLAG_COMPLETE_FRAMES)) {
    next = find_end (self, data, size);
    if (ff_combine_frame (&self->pc, next, &data, &size) < 0) {
      *out = NULL;
      *out_size = 0;
      return size;
    }
    if (self->junk < size) {
      data += self->junk;
      size -= self->junk;
    }
    self->junk = 0;
  }
  if (paco_probe (data, (size_t) size, &info, NULL, NULL) == PACO_STATUS_OK)
    tell (s, avctx, &info);
  *out = data;
  *out_size = size;
  return next;
}

const AVCodecParser ff_paco_parser = {
  .codec_ids = { AV_CODEC_ID_PACO },
  .priv_data_size = sizeof (Parser),
  .parser_parse = parse,
  .parser_close = ff_parse_close,
};
