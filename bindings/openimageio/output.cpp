/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes .paco files for OpenImageIO: each subimage becomes a frame, when it is
 * complete. */
#include "metadata.hpp"
#include "pixels.hpp"
#include <OpenImageIO/imageio.h>
#include <algorithm>
#include <cstring>
#include <new>

using OIIO::ImageSpec;
using OIIO::stride_t;
using OIIO::TypeDesc;

class PacoOutput final : public OIIO::ImageOutput {
public:
  ~PacoOutput () override
  {
    close ();
  }
  const char *format_name () const override
  {
    return "paco";
  }
  int supports (OIIO::string_view feature) const override
  {
    return feature == "multiimage" || feature == "appendsubimage"
        || feature == "alpha" || feature == "random_access"
        || feature == "rewrite";
  }
  bool open (
      const std::string &name, const ImageSpec &spec, OpenMode mode) override;
  bool close () override;
  bool write_scanline (int y, int z, TypeDesc format, const void *data,
      stride_t xstride) override;
  bool write_tile (int x, int y, int z, TypeDesc format, const void *data,
      stride_t xstride, stride_t ystride, stride_t zstride) override;

private:
  bool fails (const char *message) const
  {
    errorfmt ("{}", message);
    return false;
  }
  bool set (const char *name, const std::string &value);
  bool set_rate_control ();
  bool prepare ();
  void describe ();
  bool finish_frame ();

  PacoWriter *m_writer = nullptr;
  PacoFrameEncoder *m_encoder = nullptr;
  bool m_in_frame = false;
  PacoInfo m_info = paco_info_init ();
  Chunks m_chunks;
  std::vector<uint8_t> m_pixels, m_scratch;
};

/* --- What is written --- */

/* Returns the type of the format's samples that comes nearest. */
static TypeDesc
nearest_type (TypeDesc type)
{
  if (type.is_floating_point ())
    return TypeDesc::HALF;
  if (type.size () <= 1)
    return type.is_signed () ? TypeDesc::INT8 : TypeDesc::UINT8;
  return type.is_signed () ? TypeDesc::INT16 : TypeDesc::UINT16;
}

/* Sets in m_info and m_chunks what m_spec says. */
void
PacoOutput::describe ()
{
  const unsigned bits = (unsigned) m_spec.format.size () * 8;
  unsigned depth = (unsigned) m_spec.get_int_attribute ("oiio:BitsPerSample");

  /* 10 bits come as numbers of 16; what does not go with the type is of the file that
   * the picture came from. */
  if (depth > bits || depth <= bits - 8 || m_spec.format == TypeDesc::HALF)
    depth = bits;
  m_info = paco_info_init ();
  m_info.width = (uint32_t) m_spec.width;
  m_info.height = (uint32_t) m_spec.height;
  m_info.n_components = (uint32_t) m_spec.nchannels;
  metadata_mosaic (m_spec, m_info);
  for (unsigned c = 0; c < m_info.n_components; c++) {
    m_info.depth[c] = depth;
    m_info.sample_kind[c] = m_spec.format.is_floating_point ()
        ? PACO_SAMPLES_FLOAT
        : m_spec.format.is_signed () ? PACO_SAMPLES_SIGNED
                                     : PACO_SAMPLES_UNSIGNED;
  }
  if (m_spec.nchannels < 3 || m_spec.channelnames[1] != "Cb")
    m_info.range = 1;
  if (m_spec.nchannels >= 3 && m_info.range)
    m_info.matrix = 1;
  m_chunks = Chunks ();
  metadata_write (m_spec, m_info, m_chunks);
  m_info.has_place = 1; /* The writer says which. */
}

bool
PacoOutput::set (const char *name, const std::string &value)
{
  PacoError error;

  return paco_frame_encoder_set (m_encoder, name, value.c_str (), &error)
      == PACO_STATUS_OK
      || fails (error.message);
}

/* Coding loses nothing, unless a compression "paco:90" names a quality, or an attribute
 * does. */
bool
PacoOutput::set_rate_control ()
{
  auto compression = m_spec.decode_compression_metadata ();
  bool has_quality = compression.first == "paco" && compression.second >= 0;
  bool has_budget = m_spec.find_attribute ("paco:bitrate")
      || m_spec.find_attribute ("paco:frame-size");

  if (has_quality && !set ("quality", std::to_string (compression.second)))
    return false;
  has_quality = has_quality || m_spec.find_attribute ("paco:quality");
  return set ("rate-control",
      has_budget        ? "bitrate"
          : has_quality ? "quality"
                        : "lossless");
}

/* Makes the encoder ready for pictures like that of m_spec. Its settings are attributes
 * in small letters: paco:wavelet. */
bool
PacoOutput::prepare ()
{
  bool is_new = !m_encoder;
  PacoError error;
  int n = threads ();

  if (is_new) {
    m_encoder = paco_frame_encoder_new ();
    if (!m_encoder)
      return fails ("There is no memory for an encoder.");
    if (n <= 0)
      OIIO::getattribute ("threads", n);
    if (!set ("threads", std::to_string (std::max (n, 0)))
        || !set ("pipeline-depth", "1") || !set ("backend", "cpu"))
      return false;
  }
  if (!set_rate_control ())
    return false;
  for (const OIIO::ParamValue &value : m_spec.extra_attribs) {
    OIIO::string_view name = value.name ();

    if (!OIIO::Strutil::parse_prefix (name, "paco:") || name[0] < 'a'
        || (!is_new && (name == "backend" || name == "threads")))
      continue;
    if (!set (std::string (name).c_str (), value.get_string ()))
      return false;
  }
  return paco_frame_encoder_configure (m_encoder, &m_info, &error)
      == PACO_STATUS_OK
      || fails (error.message);
}

/* --- Files --- */

bool
PacoOutput::open (const std::string &name, const ImageSpec &spec, OpenMode mode)
{
  PacoError error;

  if (mode == AppendMIPLevel)
    return fails ("PaCo files have no MIP levels of their own: readers leave "
                  "out levels of each picture.");
  if (mode == Create ? !close () : !finish_frame ())
    return false;
  if (mode == AppendSubimage && !m_writer)
    return fails ("No file is open to which a subimage could be added.");
  m_spec = spec;
  if (spec.width < 1 || spec.height < 1 || spec.width > 16384
      || spec.height > 16384 || spec.depth > 1 || spec.deep
      || spec.nchannels < 1 || spec.nchannels > 4) {
    errorfmt ("A picture of {} x {} x {} with {} channels{} cannot be written: "
              "PaCo has up to 16384 x 16384 and 4 channels.",
        spec.width, spec.height, spec.depth, spec.nchannels,
        spec.deep ? ", deep," : "");
    return false;
  }
  m_spec.set_format (nearest_type (spec.format));
  if (m_spec.channelnames.size () != (size_t) m_spec.nchannels)
    m_spec.default_channel_names ();
  describe ();
  if (!prepare ())
    return false;
  if (!m_writer
      && paco_writer_open (
             name.c_str (), PACO_WRITER_REPLACE, &m_writer, &error)
          != PACO_STATUS_OK)
    return fails (error.message);
  try {
    m_pixels.assign (m_spec.image_bytes (), 0);
  } catch (const std::bad_alloc &) {
    return fails ("There is no memory for the picture.");
  }
  m_in_frame = true;
  return true;
}

/* Codes and writes the picture, if there is one. */
bool
PacoOutput::finish_frame ()
{
  unsigned bits = (unsigned) m_spec.format.size () * 8;
  PacoExtras extras = paco_extras_init ();
  PacoFrame frame = PacoFrame ();
  PacoImage image;
  PacoError error;
  size_t bytes = m_pixels.size ();
  unsigned how = PACO_IMAGE_INTERLEAVED
      | (OIIO::bigendian () ? PACO_IMAGE_BIG_ENDIAN : 0);
  bool ok;

  if (!m_in_frame)
    return true;
  m_in_frame = false;
  pixels_pack (m_pixels.data (), bytes / (bits / 8), bits, m_info.depth[0],
      m_info.sample_kind[0] == PACO_SAMPLES_SIGNED);
  extras.chunks = m_chunks.all.data ();
  extras.n_chunks = m_chunks.all.size ();
  ok = paco_image_init (
           &image, &m_info, 0, how, m_pixels.data (), &bytes, &error)
          == PACO_STATUS_OK
      && paco_frame_encoder_encode (m_encoder, &image, &extras, &frame, &error)
          == PACO_STATUS_OK
      && paco_writer_add (m_writer, frame.data, frame.size, &error)
          == PACO_STATUS_OK;
  paco_frame_release (&frame);
  return ok || fails (error.message);
}

bool
PacoOutput::close ()
{
  bool ok = finish_frame ();
  PacoError error;

  if (paco_writer_close (m_writer, &error) != PACO_STATUS_OK)
    ok = fails (error.message);
  paco_frame_encoder_free (m_encoder);
  m_writer = nullptr;
  m_encoder = nullptr;
  m_pixels = std::vector<uint8_t> ();
  return ok;
}

/* --- Pixels --- */

bool
PacoOutput::write_scanline (
    int y, int z, TypeDesc format, const void *data, stride_t xstride)
{
  const size_t line = (size_t) m_spec.scanline_bytes ();

  y -= m_spec.y;
  if (!m_in_frame || y < 0 || y >= m_spec.height)
    return fails ("There is no such line to be written.");
  data = to_native_scanline (format, data, xstride, m_scratch, 0, y, z);
  memcpy (&m_pixels[(size_t) y * line], data, line);
  return true;
}

bool
PacoOutput::write_tile (int x, int y, int z, TypeDesc format, const void *data,
    stride_t xstride, stride_t ystride, stride_t zstride)
{
  if (!m_in_frame)
    return fails ("There is no such tile to be written.");
  return copy_tile_to_image_buffer (
      x, y, z, format, data, xstride, ystride, zstride, m_pixels.data ());
}

OIIO_PLUGIN_EXPORTS_BEGIN

OIIO_EXPORT OIIO::ImageOutput *
paco_output_imageio_create ()
{
  return new PacoOutput;
}

OIIO_EXPORT const char *paco_output_extensions[] = { "paco", nullptr };

OIIO_PLUGIN_EXPORTS_END
