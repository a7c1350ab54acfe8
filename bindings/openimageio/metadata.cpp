/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Turns what frames say of their pictures into attributes of OpenImageIO, and back
 * (metadata.hpp). FORMAT.md sections 2 and 3 say what values and chunks mean. */
#include "metadata.hpp"
#include <cmath>
#include <cstdio>
#include <cstring>

using OIIO::ImageSpec;
using OIIO::ParamValue;
using OIIO::TypeDesc;
using OIIO::Strutil::iequals;

enum
{
  CHUNK_TIMECODE = 9,
  CHUNK_SOURCE = 12, /* Those from here to CHUNK_MEMBERS are of archives. */
  CHUNK_MEMBERS = 17,
  TIMECODE_BYTES = 17,
  SOURCE_NAME = 30, /* where the name begins */
};

/* --- Numbers of the header --- */

/* A number and its attribute, which is text if values have names. */
static const struct Field
{
  const char *attribute;
  uint32_t PacoInfo::*value;
  const char *names; /* of the values from 0 on */
} fields[] = {
  { "paco:Primaries", &PacoInfo::primaries,
      "unknown bt709 bt470m bt470bg smpte170m smpte240m film bt2020 adobergb "
      "smptest428 smpterp431 smpteeg432 ebu3213" },
  { "paco:Transfer", &PacoInfo::transfer,
      "unknown linear gamma18 gamma20 gamma22 bt709 smpte240m srgb gamma28 "
      "log100 log316 bt2020-12 adobergb bt2020-10 smpte2084 arib-std-b67 "
      "bt601" },
  { "paco:Matrix", &PacoInfo::matrix,
      "unknown rgb fcc bt709 bt601 smpte240m bt2020" },
  { "paco:Range", &PacoInfo::range, "unknown full limited" },
  { "paco:InterlaceMode", &PacoInfo::interlace_mode,
      "progressive interleaved mixed alternate" },
  { "paco:PictureFlags", &PacoInfo::picture_flags, "" },
  { "paco:FieldOrder", &PacoInfo::field_order, "" },
  { "paco:ChromaSite", &PacoInfo::chroma_site, "" },
  { "paco:MultiviewMode", &PacoInfo::multiview_mode, "" },
  { "paco:MultiviewFlags", &PacoInfo::multiview_flags, "" },
};
/* The values of ITU-T H.273 for those of the header; 2 is unknown. */
static const int cicp_primaries[] = { 2, 1, 4, 5, 6, 7, 8, 9, 2, 10, 11, 12,
  22 },
                 cicp_transfer[] = { 2, 8, 2, 2, 4, 1, 7, 13, 5, 9, 10, 15, 2,
                   14, 16, 18, 6 },
                 cicp_matrix[] = { 2, 0, 4, 1, 6, 7, 9 };
static const TypeDesc cicp_type (TypeDesc::INT, 4);
static const TypeDesc mastering_type (TypeDesc::INT, 10);
static const TypeDesc light_type (TypeDesc::INT, 2);

static void
read_fields (const PacoInfo &info, ImageSpec &spec)
{
  for (const Field &field : fields) {
    auto names = OIIO::Strutil::splitsv (field.names);
    uint32_t value = info.*field.value;

    if (value > 0 && value < names.size ())
      spec.attribute (field.attribute, names[value]);
    else if (value > 0 && !*field.names)
      spec.attribute (field.attribute, (int) value);
  }
}

static void
write_fields (const ImageSpec &spec, PacoInfo &info)
{
  for (const Field &field : fields) {
    auto names = OIIO::Strutil::splitsv (field.names);
    const ParamValue *found = spec.find_attribute (field.attribute);

    for (uint32_t i = 1; found && i < names.size (); i++)
      if (found->get_string () == names[i])
        info.*field.value = i;
    if (found && !*field.names)
      info.*field.value = (uint32_t) found->get_int ();
  }
}

template <size_t n>
static uint32_t
value_of (const int (&numbers)[n], int number)
{
  for (uint32_t i = 1; i < n; i++)
    if (numbers[i] == number && number != 2)
      return i;
  return 0;
}

static void
read_colours (const PacoInfo &info, ImageSpec &spec)
{
  int cicp[4] = { 2, 2, 2, info.range == 1 };

  if (info.primaries < std::size (cicp_primaries))
    cicp[0] = cicp_primaries[info.primaries];
  if (info.transfer < std::size (cicp_transfer))
    cicp[1] = cicp_transfer[info.transfer];
  if (info.matrix < std::size (cicp_matrix))
    cicp[2] = cicp_matrix[info.matrix];
  if (info.primaries || info.transfer)
    spec.attribute ("CICP", cicp_type, cicp);
  if (info.transfer == 1)
    spec.attribute ("oiio:ColorSpace", "Linear");
  else if (info.transfer == 7)
    spec.attribute ("oiio:ColorSpace", "sRGB");
  else if (info.transfer == 5 || info.transfer == 16)
    spec.attribute ("oiio:ColorSpace", "Rec709");
}

/* Takes the color space, which programs change, before what the header had said. */
static void
write_colours (const ImageSpec &spec, PacoInfo &info)
{
  const ParamValue *cicp = spec.find_attribute ("CICP", cicp_type);
  auto space = spec.get_string_attribute ("oiio:ColorSpace");

  if (cicp && !info.primaries)
    info.primaries = value_of (cicp_primaries, cicp->get_int_indexed (0));
  if (cicp && !info.transfer)
    info.transfer = value_of (cicp_transfer, cicp->get_int_indexed (1));
  if (iequals (space, "sRGB"))
    info.transfer = 7;
  else if (iequals (space, "Linear") || iequals (space, "scene_linear"))
    info.transfer = 1;
  else if (iequals (space, "Rec709") && info.transfer != 16)
    info.transfer = 5;
}

/* --- Rates and ratios --- */

static void
add_rational (
    ImageSpec &spec, const char *name, uint32_t numerator, uint32_t denominator)
{
  int pair[2] = { (int) numerator, (int) denominator };

  spec.attribute (name, OIIO::TypeRational, pair);
}

/* Reads a fraction, or a number, of which it finds the fraction: 23.976 is 24000/1001,
 * which is no float. */
static void
get_rational (const ImageSpec &spec, const char *name, uint32_t &numerator,
    uint32_t &denominator)
{
  const ParamValue *found = spec.find_attribute (name);
  bool is_pair = found && found->type () == OIIO::TypeRational;
  const int *pair = is_pair ? (const int *) found->data () : nullptr;
  double value = found && !is_pair ? found->get_float () : 0;
  double whole = std::ceil (value);

  if (pair && pair[0] > 0 && pair[1] > 0) {
    numerator = (uint32_t) pair[0];
    denominator = (uint32_t) pair[1];
  }
  if (!(value > 1e-3 && value < 1e5))
    return;
  numerator = (uint32_t) whole * 1000;
  denominator = 1001;
  if (std::fabs (value - whole * 1000 / 1001) < 5e-4)
    return;
  for (denominator = 1; denominator < 1000; denominator++) {
    numerator = (uint32_t) std::lround (value * denominator);
    if (std::fabs (value * denominator - numerator) < 1e-6 * numerator)
      break;
  }
}

/* --- Timecodes --- */

static uint32_t
get32 (const uint8_t *bytes)
{
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint32_t) bytes[3] << 24;
}

static uint32_t
to_bcd (uint32_t value)
{
  return value / 10 << 4 | value % 10;
}

static uint32_t
from_bcd (uint32_t bits)
{
  return (bits >> 4) * 10 + (bits & 15);
}

/* SMPTE ST 12-1 has two bits for the tens of frames: above 30 frames a second it counts
 * pairs, and the bit of the field says which one of the pair. */
static bool
counts_pairs (uint32_t numerator, uint32_t denominator)
{
  return denominator > 0 && numerator / denominator > 30;
}

static void
read_timecode (const PacoInfo &info, const uint8_t *chunk, ImageSpec &spec)
{
  uint32_t n = get32 (chunk), d = get32 (chunk + 4), frames = get32 (chunk + 8);
  uint32_t second = 0, code[2] = { 0, 0 };

  if (counts_pairs (n, d)) {
    second = frames & 1;
    frames /= 2;
  }
  if (frames >= 40)
    return;
  code[0] = to_bcd (frames) | (chunk[16] & 1u) << 6 | to_bcd (chunk[14]) << 8
      | second << 15 | to_bcd (chunk[13]) << 16 | to_bcd (chunk[12]) << 24;
  spec.attribute ("smpte:TimeCode", OIIO::TypeTimeCode, code);
  if (n && (n != info.fps_n || d != info.fps_d))
    add_rational (spec, "paco:TimeCodeRate", n, d);
}

static void
write_timecode (const ImageSpec &spec, const PacoInfo &info, Chunks &chunks)
{
  const ParamValue *found = spec.find_attribute (
      "smpte:TimeCode", OIIO::TypeTimeCode);
  uint32_t code = found ? *(const uint32_t *) found->data () : 0;
  uint32_t numbers[3] = { info.fps_n, info.fps_d, from_bcd (code & 0x3f) };
  const uint8_t ends[5] = { (uint8_t) from_bcd (code >> 24 & 0x3f),
    (uint8_t) from_bcd (code >> 16 & 0x7f),
    (uint8_t) from_bcd (code >> 8 & 0x7f), 0, (uint8_t) (code >> 6 & 1) };
  std::string bytes;

  if (!found || ends[0] > 23 || ends[1] > 59 || ends[2] > 59)
    return;
  get_rational (spec, "paco:TimeCodeRate", numbers[0], numbers[1]);
  if (counts_pairs (numbers[0], numbers[1]))
    numbers[2] = numbers[2] * 2 + (code >> 15 & 1);
  if (numbers[0] == 0)
    numbers[1] = 1;
  for (uint32_t number : numbers)
    for (unsigned shift = 0; shift < 32; shift += 8)
      bytes.push_back ((char) (number >> shift & 255));
  bytes.append ((const char *) ends, sizeof ends);
  chunks.add (CHUNK_TIMECODE, bytes);
}

/* --- Chunks --- */

/* The attribute that carries a chunk's bytes is paco:Chunk7, and paco:Chunk7.2 if it is
 * the second one of that type. */
static bool
is_carried (uint32_t type)
{
  return type >= PACO_FIRST_CHUNK && type <= PACO_LAST_CHUNK
      && type != CHUNK_TIMECODE
      && (type < CHUNK_SOURCE || type > CHUNK_MEMBERS);
}

static void
read_chunk (const PacoInfo &info, const PacoFrameChunk &chunk, ImageSpec &spec)
{
  std::string name = "paco:Chunk" + std::to_string (chunk.type), own = name;
  const char *data = (const char *) chunk.data;

  if (chunk.type == CHUNK_TIMECODE && chunk.size >= TIMECODE_BYTES
      && !spec.find_attribute ("smpte:TimeCode"))
    read_timecode (info, (const uint8_t *) data, spec);
  if (chunk.type == CHUNK_SOURCE && chunk.size > SOURCE_NAME)
    spec.attribute ("paco:SourceFile",
        std::string (data + SOURCE_NAME, chunk.size - SOURCE_NAME));
  if (!is_carried (chunk.type) || chunk.size == 0)
    return;
  for (int i = 2; spec.find_attribute (own); i++)
    own = name + "." + std::to_string (i);
  spec.attribute (own, TypeDesc (TypeDesc::UINT8, (int) chunk.size), data);
}

static void
write_chunks (const ImageSpec &spec, Chunks &chunks)
{
  unsigned type;

  for (const ParamValue &value : spec.extra_attribs)
    if (sscanf (value.name ().c_str (), "paco:Chunk%u", &type) == 1
        && is_carried (type) && value.type ().basetype == TypeDesc::UINT8)
      chunks.add (type,
          std::string (
              (const char *) value.data (), (size_t) value.datasize ()));
}

/* --- Mosaics --- */

static std::string
pattern_of (const PacoInfo &info)
{
  std::string pattern (4, 0);

  for (unsigned c = 0; c < 4; c++)
    pattern[info.place_y[c] * 2 + info.place_x[c]] = "RGGB"[c];
  /* Cells whose greens are next to each other have no name. */
  return info.place_y[0] == info.place_y[1]
          && info.place_x[0] == info.place_x[2]
      ? pattern
      : "unknown";
}

void
metadata_mosaic (const ImageSpec &spec, PacoInfo &info)
{
  std::string pattern = spec.get_string_attribute ("raw:FilterPattern");
  size_t red = pattern.find ('R');

  if (spec.nchannels != 1 || spec.width % 2 || spec.height % 2
      || (pattern != "RGGB" && pattern != "BGGR" && pattern != "GRBG"
          && pattern != "GBRG"))
    return;
  /* The components are red, the green beside it, the green below it, and blue. */
  for (unsigned c = 0; c < 4; c++) {
    info.place_x[c] = (red & 1) ^ (c & 1);
    info.place_y[c] = (red >> 1) ^ (c >> 1);
    info.subsampling_x[c] = info.subsampling_y[c] = 1;
  }
  info.mosaic = 1;
  info.n_components = 4;
}

/* --- All of it --- */

void
metadata_read (PacoInfo info, bool converted, const void *header, size_t size,
    ImageSpec &spec)
{
  size_t n = info.n_chunks;
  std::vector<PacoFrameChunk> chunks (n);

  if (converted) {
    info.matrix = info.range = 1;
    info.chroma_site = 0;
  }
  if (info.fps_n && info.fps_d)
    add_rational (spec, "FramesPerSecond", info.fps_n, info.fps_d);
  if (info.par_n && info.par_d)
    spec.attribute (
        "PixelAspectRatio", (float) ((double) info.par_n / info.par_d));
  read_fields (info, spec);
  read_colours (info, spec);
  if (info.has_mastering)
    spec.attribute ("paco:MasteringDisplay", mastering_type, &info.mastering);
  if (info.has_content_light)
    spec.attribute ("paco:ContentLight", light_type, &info.max_content_light);
  if (info.mosaic)
    spec.attribute ("raw:FilterPattern", pattern_of (info));
  if (paco_frame_chunks (header, size, chunks.data (), &n, NULL)
      == PACO_STATUS_OK)
    for (const PacoFrameChunk &chunk : chunks)
      read_chunk (info, chunk, spec);
}

void
metadata_write (const ImageSpec &spec, PacoInfo &info, Chunks &chunks)
{
  const ParamValue *mastering = spec.find_attribute (
      "paco:MasteringDisplay", mastering_type);
  const ParamValue *light = spec.find_attribute (
      "paco:ContentLight", light_type);

  get_rational (spec, "FramesPerSecond", info.fps_n, info.fps_d);
  get_rational (spec, "PixelAspectRatio", info.par_n, info.par_d);
  write_fields (spec, info);
  write_colours (spec, info);
  info.fields = info.interlace_mode == 1 && !info.mosaic;
  info.has_views = spec.find_attribute ("paco:MultiviewMode") != nullptr;
  info.has_mastering = mastering != nullptr;
  if (mastering)
    memcpy (&info.mastering, mastering->data (), sizeof info.mastering);
  info.has_content_light = light != nullptr;
  if (light)
    memcpy (&info.max_content_light, light->data (), 2 * sizeof (uint32_t));
  write_timecode (spec, info, chunks);
  write_chunks (spec, chunks);
}
