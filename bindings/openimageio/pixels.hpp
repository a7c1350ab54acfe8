/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Says which channels and which type of numbers OpenImageIO sees of a frame, and makes
 * them of decoded samples; and back for frames that are written. */
#pragma once
#include <OpenImageIO/imageio.h>
#include <cstdint>
#include <paco.h>
#include <string>
#include <vector>

/* The picture of a frame as OpenImageIO sees it. */
struct Pixels
{
  PacoInfo info;   /* of the frame; of a stack that of its pictures */
  unsigned reduce; /* how many levels are left out */
  uint32_t width, height, n_channels;
  bool yuv;       /* components are Y, Cb, Cr */
  bool converted; /* R, G, B are made of them */
  /* The decoder writes samples to where pixels are wanted, one after the other. */
  bool direct;
  unsigned bits;  /* of a channel: 8 or 16 */
  unsigned depth; /* the largest one of the components */
  OIIO::TypeDesc format;

  size_t line_bytes () const
  {
    return (size_t) width * n_channels * (bits / 8);
  }
  size_t bytes () const
  {
    return line_bytes () * height;
  }
};

/* Describes the picture. With raw_color, Y, Cb and Cr stay what they are. Returns "" or
 * why OpenImageIO cannot have such a picture. */
std::string pixels_describe (
    const PacoInfo &info, unsigned reduce, bool raw_color, Pixels &pixels);
/* Lays out an image in which the decoder writes samples: at `to` if they are direct, else
 * as planes of 16-bit words in `planes`. */
PacoStatus pixels_place (const Pixels &pixels, void *to,
    std::vector<uint16_t> &planes, PacoImage &image, PacoError *error);
/* Makes pixels of what the decoder has written there. */
void pixels_finish (
    const Pixels &pixels, const PacoImage &image, void *to, int n_threads);

/* Makes samples of `depth` bits of n numbers of a channel, 8 or 16 bits each, in place:
 * the nearest ones, or those that pixels_finish() has made these numbers of. */
void pixels_pack (
    void *data, size_t n, unsigned bits, unsigned depth, bool is_signed);
