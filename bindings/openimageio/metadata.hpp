/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Turns what frames say of their pictures into attributes of OpenImageIO, and back. */
#pragma once
#include <OpenImageIO/imageio.h>
#include <deque>
#include <paco.h>
#include <string>
#include <vector>

/* Adds attributes for what the header of a frame, which is at `header`, says. With
 * `converted`, R, G, B of full range were made of Y, Cb, Cr. */
void metadata_read (PacoInfo info, bool converted, const void *header,
    size_t size, OIIO::ImageSpec &spec);

/* The ancillary chunks of a frame that is to be written. */
struct Chunks
{
  std::deque<std::string> bytes; /* The data of `all` are in these. */
  std::vector<PacoFrameChunk> all;

  void add (uint32_t type, const std::string &data)
  {
    bytes.push_back (data);
    all.push_back ({ type, 0, bytes.back ().data (), data.size () });
  }
};

/* Sets what attributes say in *info, of which the picture is set, and adds chunks. */
void metadata_write (
    const OIIO::ImageSpec &spec, PacoInfo &info, Chunks &chunks);

/* Makes the picture, which is of one channel, a mosaic, if an attribute says how its
 * colors lie: "RGGB" or the like. */
void metadata_mosaic (const OIIO::ImageSpec &spec, PacoInfo &info);
