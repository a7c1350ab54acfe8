/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads .paco files for OpenImageIO: frame n is subimage n. A frame's header is read when
 * the subimage is looked at, and its picture is decoded once, when pixels are asked
 * for. */
#include "metadata.hpp"
#include "pixels.hpp"
#include <OpenImageIO/imageio.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

using OIIO::ImageSpec;

/* Bytes of a frame's header, and of a frame, at most and at least (FORMAT.md section
 * 2). */
static const size_t max_header = 65535, min_frame = 80;

class PacoInput final : public OIIO::ImageInput {
public:
  ~PacoInput () override
  {
    close ();
  }
  const char *format_name () const override
  {
    return "paco";
  }
  bool open (const std::string &name, ImageSpec &spec) override
  {
    return open (name, spec, ImageSpec ());
  }
  bool open (const std::string &name, ImageSpec &spec,
      const ImageSpec &config) override;
  bool close () override;
  int current_subimage () const override
  {
    return m_subimage;
  }
  int current_miplevel () const override
  {
    return m_level;
  }
  bool seek_subimage (int subimage, int miplevel) override;
  bool read_native_scanline (
      int subimage, int miplevel, int y, int z, void *data) override
  {
    return read_native_scanlines (subimage, miplevel, y, y + 1, z, data);
  }
  bool read_native_scanlines (int subimage, int miplevel, int ybegin, int yend,
      int z, void *data) override;

private:
  /* Says whether the configuration has an attribute that is not 0. */
  bool wants (const char *name) const
  {
    return m_config.get_int_attribute (name) != 0;
  }
  bool fails (const char *message) const
  {
    errorfmt ("{}", message);
    return false;
  }
  bool count_subimages ();
  unsigned reduce_of (int level) const;
  bool find_frame (int subimage);
  bool load_frame ();
  bool make_decoder ();
  bool describe (int level);
  bool decode (void *to);
  bool decode_frame (const PacoFrame &frame, const PacoImage &image) const;
  bool decode_slice (
      uint64_t first, uint32_t p, std::vector<uint16_t> &samples);
  bool load_stack (uint64_t first);
  bool decode_stack (const PacoImage &image);

  ImageSpec m_config; /* what the application wants */
  int m_fd = -1;
  PacoReader *m_reader = nullptr;
  PacoFrameDecoder *m_decoder = nullptr;
  uint64_t m_first = 0, m_n_frames = 0; /* the frames that are subimages */

  /* The subimage that is current; -1: none. */
  int m_subimage = -1, m_level = 0;
  PacoFrame m_frame = PacoFrame ();
  std::vector<uint8_t> m_header;
  PacoInfo m_info = paco_info_init ();
  Pixels m_pixels = Pixels ();

  /* Pixels of m_subimage and m_level that were asked for in parts. */
  bool m_decoded = false;
  std::unique_ptr<uint8_t[]> m_memory;
  std::vector<uint16_t> m_planes;
  /* The pictures of a stack at m_stack_level, by frames from m_stack_first on, and one of
   * its headers. */
  std::vector<std::vector<uint16_t> > m_stack;
  PacoInfo m_stack_info = paco_info_init ();
  uint64_t m_stack_first = 0;
  int m_stack_level = 0;
};

/* --- Opening --- */

static bool
begins_with_frame (int fd)
{
  char magic[4];

  return pread (fd, magic, sizeof magic, 0) == sizeof magic
      && memcmp (magic, "PACO", sizeof magic) == 0;
}

bool
PacoInput::open (
    const std::string &name, ImageSpec &spec, const ImageSpec &config)
{
  PacoError error;

  close ();
  m_config = config;
  m_fd = ::open (name.c_str (), O_RDONLY | O_CLOEXEC);
  if (m_fd < 0) {
    errorfmt ("Could not open \"{}\": {}", name, strerror (errno));
    return false;
  }
  /* OpenImageIO tries all formats with files of unknown names. Of those that end in
   * .paco, frames are looked for after damage. */
  if (!begins_with_frame (m_fd) && !OIIO::Strutil::iends_with (name, ".paco"))
    return fails ("The file does not begin with a frame of PaCo video.");
  if (paco_reader_open_fd (m_fd, &m_reader, &error) != PACO_STATUS_OK
      || paco_reader_count (m_reader, &m_n_frames, &error) != PACO_STATUS_OK)
    return fails (error.message);
  if (!count_subimages ())
    return false;
  if (!seek_subimage (0, 0)) {
    close ();
    return false;
  }
  spec = m_spec;
  return true;
}

/* Subimages are counted from the first frame that is there. */
bool
PacoInput::count_subimages ()
{
  struct stat status;
  PacoError error;

  if (m_n_frames == 0)
    return fails ("There is no whole frame of PaCo video in the file.");
  if (paco_reader_find (m_reader, &m_frame, &error) != PACO_STATUS_OK
      || fstat (m_fd, &status) != 0)
    return fails ("The file cannot be read.");
  m_first = m_frame.number;
  m_n_frames -= std::min (m_n_frames, m_first);
  /* Applications look at all subimages: none may be made of a wrong number. */
  if (m_n_frames > (uint64_t) status.st_size / min_frame)
    return fails ("Frames have larger numbers than the file can have frames.");
  return true;
}

bool
PacoInput::close ()
{
  paco_frame_release (&m_frame);
  paco_reader_close (m_reader);
  paco_frame_decoder_free (m_decoder);
  if (m_fd >= 0)
    ::close (m_fd);
  m_fd = -1;
  m_reader = nullptr;
  m_decoder = nullptr;
  m_n_frames = 0;
  m_subimage = -1;
  m_level = 0;
  m_decoded = false;
  m_memory.reset ();
  m_planes.clear ();
  m_stack.clear ();
  return true;
}

/* --- Looking at frames --- */

/* How many levels of the picture are left out. */
unsigned
PacoInput::reduce_of (int level) const
{
  int reduce = m_config.get_int_attribute ("paco:reduce");

  return (unsigned) (std::min (std::max (reduce, 0), 8) + level);
}

/* Finds the frame, and reads its header. In the place of one that is missing comes the
 * last one before it. */
bool
PacoInput::find_frame (int subimage)
{
  PacoError error;
  ssize_t got;

  paco_frame_release (&m_frame);
  if (paco_reader_seek (m_reader, m_first + (uint64_t) subimage, &error)
          != PACO_STATUS_OK
      || paco_reader_find (m_reader, &m_frame, &error) != PACO_STATUS_OK)
    return fails (error.message);
  m_header.resize (std::min (m_frame.size, max_header));
  /* The reader leaves the bytes in the file if it can. */
  got = (ssize_t) m_header.size ();
  if (m_frame.data)
    memcpy (m_header.data (), m_frame.data, m_header.size ());
  else
    got = pread (
        m_fd, m_header.data (), m_header.size (), (off_t) m_frame.offset);
  if (got != (ssize_t) m_header.size ())
    return fails ("The file has become shorter.");
  m_info = paco_info_init ();
  return paco_probe (m_header.data (), m_header.size (), &m_info, NULL, &error)
      == PACO_STATUS_OK
      || fails (error.message);
}

/* Reads the bytes of m_frame. */
bool
PacoInput::load_frame ()
{
  PacoError error;

  if (m_frame.data)
    return true;
  /* paco_reader_next() gives frames that own their bytes. */
  if (paco_reader_seek (m_reader, m_frame.number, &error) != PACO_STATUS_OK
      || paco_reader_next (m_reader, &m_frame, &error) != PACO_STATUS_OK)
    return fails (error.message);
  return true;
}

/* Describes m_frame, with 2^level times fewer columns and lines, in m_spec. */
bool
PacoInput::describe (int level)
{
  std::string refused = pixels_describe (
      m_info, reduce_of (level), wants ("oiio:RawColor"), m_pixels);

  if (!refused.empty ())
    return fails (refused.c_str ());
  m_spec = ImageSpec ((int) m_pixels.width, (int) m_pixels.height,
      (int) m_pixels.n_channels, m_pixels.format);
  if (m_pixels.n_channels == 2) {
    m_spec.channelnames = { "Y", "A" };
    m_spec.alpha_channel = 1;
  } else if (m_pixels.yuv && !m_pixels.converted) {
    m_spec.channelnames[0] = "Y";
    m_spec.channelnames[1] = "Cb";
    m_spec.channelnames[2] = "Cr";
  }
  if (m_pixels.format != OIIO::TypeHalf)
    m_spec.attribute ("oiio:BitsPerSample", (int) m_pixels.depth);
  m_spec.attribute ("compression", "paco");
  if (m_n_frames > 1) {
    m_spec.attribute ("oiio:Movie", 1);
    m_spec.attribute ("oiio:subimages", (int) m_n_frames);
  }
  metadata_read (
      m_info, m_pixels.converted, m_header.data (), m_header.size (), m_spec);
  return true;
}

bool
PacoInput::seek_subimage (int subimage, int miplevel)
{
  lock_guard lock (*this);

  if (subimage == m_subimage && miplevel == m_level)
    return true;
  if (!m_reader || subimage < 0 || (uint64_t) subimage >= m_n_frames
      || miplevel < 0)
    return false;
  if (subimage != m_subimage) {
    m_subimage = -1;
    m_decoded = false;
    if (!find_frame (subimage))
      return false;
  }
  if (miplevel > 0
      && (!wants ("paco:miplevels") || reduce_of (miplevel) > m_info.levels))
    return false;
  m_subimage = -1;
  m_decoded = false;
  if (!describe (miplevel))
    return false;
  m_subimage = subimage;
  m_level = miplevel;
  return true;
}

/* --- Decoding --- */

bool
PacoInput::make_decoder ()
{
  std::string backend = m_config.get_string_attribute ("paco:backend", "cpu");
  std::string n_threads;
  PacoError error;
  int n = threads ();

  if (m_decoder)
    return true;
  if (n <= 0)
    OIIO::getattribute ("threads", n);
  n_threads = std::to_string (std::max (n, 0));
  m_decoder = paco_frame_decoder_new ();
  if (!m_decoder)
    return fails ("There is no memory for a decoder.");
  const char *settings[][2] = { { "backend", backend.c_str () },
    { "threads", n_threads.c_str () }, { "pipeline-depth", "1" },
    { "slices", "true" } };

  for (auto &setting : settings)
    if (paco_frame_decoder_set (m_decoder, setting[0], setting[1], &error)
        != PACO_STATUS_OK) {
      paco_frame_decoder_free (m_decoder);
      m_decoder = nullptr;
      return fails (error.message);
    }
  return true;
}

/* Decodes a frame. Fails if something is damaged, unless the application takes it as it
 * is. */
bool
PacoInput::decode_frame (const PacoFrame &frame, const PacoImage &image) const
{
  PacoResult result;
  PacoError error;

  if (paco_frame_decoder_decode (
          m_decoder, frame.data, frame.size, &image, &result, &error)
      != PACO_STATUS_OK)
    return fails (error.message);
  if (result.corrupted_blocks == 0 || wants ("paco:damaged"))
    return true;
  errorfmt ("Frame {} is damaged in {} of its blocks; with the configuration "
            "paco:damaged=1 it is shown.",
      frame.number, result.corrupted_blocks);
  return false;
}

/* Decodes the current subimage and level. */
bool
PacoInput::decode (void *to)
{
  std::string reduce = std::to_string (m_pixels.reduce);
  PacoImage image;
  PacoError error;

  if (m_frame.number != m_first + (uint64_t) m_subimage
      && !wants ("paco:damaged")) {
    errorfmt ("Frame {} is missing or damaged; with the configuration "
              "paco:damaged=1 the one before it is shown.",
        m_first + (uint64_t) m_subimage);
    return false;
  }
  if (!make_decoder ())
    return false;
  if (paco_frame_decoder_set (m_decoder, "reduce", reduce.c_str (), &error)
          != PACO_STATUS_OK
      || pixels_place (m_pixels, to, m_planes, image, &error) != PACO_STATUS_OK)
    return fails (error.message);
  if (m_info.stack_length ? !decode_stack (image)
                          : !load_frame () || !decode_frame (m_frame, image))
    return false;
  pixels_finish (m_pixels, image, to, threads ());
  return true;
}

/* --- Stacks: pictures that are coded together --- */

/* Says whether two frames can be slices of one stack. */
static bool
is_same_stack (const PacoInfo &a, const PacoInfo &b)
{
  return a.stack_number == b.stack_number && a.stack_length == b.stack_length
      && a.stack_depth == b.stack_depth && a.width == b.width
      && a.height == b.height;
}

/* Decodes slice p of the stack that begins with frame `first`: samples of 16 bits. If it
 * is missing, and may be, there are none. */
bool
PacoInput::decode_slice (
    uint64_t first, uint32_t p, std::vector<uint16_t> &samples)
{
  Pixels pixels = m_pixels;
  PacoFrame frame = PacoFrame ();
  PacoInfo info = paco_info_init ();
  PacoImage image;
  PacoError error;
  bool ok = paco_reader_seek (m_reader, first + p, &error) == PACO_STATUS_OK
      && paco_reader_next (m_reader, &frame, &error) == PACO_STATUS_OK
      && paco_probe (frame.data, frame.size, &info, NULL, &error)
          == PACO_STATUS_OK;

  if (!ok || frame.number != first + p || info.stack_position != p
      || !is_same_stack (info, m_info)) {
    paco_frame_release (&frame);
    return wants ("paco:damaged")
        || fails ("A frame of the stack is missing; with the configuration "
                  "paco:damaged=1 the rest is shown.");
  }
  pixels.info = m_info;
  ok = pixels_place (pixels, NULL, samples, image, &error) == PACO_STATUS_OK
      ? decode_frame (frame, image)
      : fails (error.message);
  paco_frame_release (&frame);
  return ok;
}

/* Decodes the pictures of the stack that begins with frame `first` to m_stack. */
bool
PacoInput::load_stack (uint64_t first)
{
  const uint32_t n = m_info.stack_length;
  std::vector<std::vector<uint16_t> > samples (n);
  std::vector<uint16_t *> slices (n);
  std::vector<PacoImage> images (n);
  std::vector<const PacoImage *> to (n);
  PacoError error;

  m_stack.resize (n);
  m_stack_info = m_info;
  m_stack_first = first;
  m_stack_level = m_level;
  for (uint32_t p = 0; p < n; p++) {
    if (!decode_slice (first, p, samples[p]))
      return false;
    if (pixels_place (m_pixels, NULL, m_stack[p], images[p], &error)
        != PACO_STATUS_OK)
      return fails (error.message);
    slices[p] = samples[p].empty () ? NULL : samples[p].data ();
    to[p] = &images[p];
  }
  return paco_stack_pictures (m_header.data (), m_header.size (),
             slices.data (), m_pixels.width, m_pixels.height, to.data (),
             &error)
      == PACO_STATUS_OK
      || fails (error.message);
}

/* Makes the picture of m_frame, and keeps those of its stack. */
bool
PacoInput::decode_stack (const PacoImage &image)
{
  const uint32_t position = m_info.stack_position;
  const uint64_t first = m_frame.number - position;

  if (m_stack.empty () || m_stack_level != m_level || m_stack_first != first
      || !is_same_stack (m_stack_info, m_info))
    if (!load_stack (first)) {
      m_stack.clear ();
      return false;
    }
  memcpy (image.data[0], m_stack[position].data (),
      m_stack[position].size () * sizeof (uint16_t));
  return true;
}

/* --- Pixels --- */

bool
PacoInput::read_native_scanlines (
    int subimage, int miplevel, int ybegin, int yend, int, void *data)
try {
  lock_guard lock (*this);
  size_t line;

  if (!seek_subimage (subimage, miplevel))
    return false;
  if (ybegin < 0 || yend > m_spec.height || ybegin >= yend)
    return fails ("There are no such lines.");
  /* A picture that is wanted as a whole is not kept, and of a still no decoder. */
  if (!m_decoded && ybegin == 0 && yend == m_spec.height) {
    bool ok = decode (data);

    if (m_n_frames == 1) {
      paco_frame_decoder_free (m_decoder);
      m_decoder = nullptr;
    }
    return ok;
  }
  if (!m_decoded) {
    m_memory.reset (new uint8_t[m_pixels.bytes ()]);
    if (!decode (m_memory.get ()))
      return false;
    m_decoded = true;
  }
  line = m_pixels.line_bytes ();
  memcpy (data, m_memory.get () + (size_t) ybegin * line,
      (size_t) (yend - ybegin) * line);
  return true;
} catch (const std::bad_alloc &) {
  return fails ("There is no memory for the picture.");
}

OIIO_PLUGIN_EXPORTS_BEGIN

OIIO_EXPORT int paco_imageio_version = OIIO_PLUGIN_VERSION;

OIIO_EXPORT const char *
paco_imageio_library_version ()
{
  static const std::string version = std::string ("libpaco ") + paco_version ();

  return version.c_str ();
}

OIIO_EXPORT OIIO::ImageInput *
paco_input_imageio_create ()
{
  return new PacoInput;
}

OIIO_EXPORT const char *paco_input_extensions[] = { "paco", nullptr };

OIIO_PLUGIN_EXPORTS_END
