/* SPDX-License-Identifier: LGPL-2.1-or-later
 * FFmpeg's parser of PaCo: cuts bytes into frames, by the length in each one's header,
 * and tells size, rate and which slices of stacks can be decoded first. */
#include "parser.h"

#include <string.h>
#include "libavutil/intreadwrite.h"

enum
{
  HEAD_SIZE = 12, /* up to the frame's length */
  LEAST_SIZE = 76,
  STACK_CHUNK = 257,
};

typedef struct Parser
{
  ParseContext pc;
  uint8_t head[HEAD_SIZE];
  int n_head;    /* bytes of a header that were found */
  uint32_t left; /* bytes until the frame ends, if its header was found */
  int junk;      /* bytes before the frame that belong to none */
} Parser;

/* Takes a byte of what may be the head of a frame. */
static void
take_head (Parser *self, uint8_t byte)
{
  static const uint8_t magic[] = "PACO";

  self->head[self->n_head++] = byte;
  if (self->n_head <= 4 && byte != magic[self->n_head - 1]) {
    self->junk += self->n_head - (byte == magic[0]);
    self->n_head = byte == magic[0];
    self->head[0] = byte;
  } else if (self->n_head == HEAD_SIZE) {
    uint8_t head[HEAD_SIZE];
    uint32_t size = AV_RL32 (self->head + 8);

    self->n_head = 0;
    if (size >= LEAST_SIZE && size <= INT_MAX / 2) {
      self->left = size - HEAD_SIZE;
      return;
    }
    self->junk++; /* a frame may begin at the next byte */
    memcpy (head, self->head, HEAD_SIZE);
    for (int i = 1; i < HEAD_SIZE; i++)
      take_head (self, head[i]);
  }
}

/* Returns where in the buffer a frame ends, or END_NOT_FOUND. */
static int
find_end (Parser *self, const uint8_t *data, int size)
{
  int at = 0;

  while (at < size) {
    if (self->left == 0) {
      take_head (self, data[at++]);
    } else if (self->left > (uint32_t) (size - at)) {
      self->left -= (uint32_t) (size - at);
      at = size;
    } else {
      at += (int) self->left;
      self->left = 0;
      return at;
    }
  }
  return END_NOT_FOUND;
}

/* Returns 0 if the frame is a slice of a stack after the first one. */
static int
is_key (const uint8_t *data, int size)
{
  int end = AV_RL16 (data + 6) - 4;
  int at = 72 + data[64] * (4 + 2 * (3 * data[66] + 1));

  for (; at + 4 <= end && at + 10 <= size; at += 4 + AV_RL16 (data + at + 2))
    if (AV_RL16 (data + at) == STACK_CHUNK)
      return data[at + 4 + 5] == 0;
  return 1;
}

static void
tell (AVCodecParserContext *s, AVCodecContext *avctx, const uint8_t *data,
    int size)
{
  int rate = 0, per = 0;

  s->pict_type = AV_PICTURE_TYPE_I;
  s->key_frame = is_key (data, size);
  s->width = avctx->width = AV_RL16 (data + 36);
  s->height = avctx->height = AV_RL16 (data + 38);
  s->picture_structure = AV_PICTURE_STRUCTURE_FRAME;
  s->field_order = AV_FIELD_PROGRESSIVE;
  if (data[57] & 1)
    s->field_order = data[58] == 1 || data[57] & 2 ? AV_FIELD_TT : AV_FIELD_BB;
  rate = (int) AV_RL32 (data + 48);
  per = (int) AV_RL32 (data + 52);
  if (rate > 0 && per > 0)
    avctx->framerate = (AVRational){ rate, per };
}

static int
parse (AVCodecParserContext *s, AVCodecContext *avctx, const uint8_t **out,
    int *out_size, const uint8_t *data, int size)
{
  Parser *self = s->priv_data;
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
  if (size >= LEAST_SIZE && AV_RL32 (data) == AV_RL32 ("PACO"))
    tell (s, avctx, data, size);
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
