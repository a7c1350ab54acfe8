/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests where the samples of every raw format lie: every byte must be where
 * GStreamer's own unpack functions read it and its pack functions write it, at
 * widths of 1 to 200 and odd heights. It also codes pictures in those layouts with
 * the CPU backend, from and into memory of any stride that held something else; and
 * buffers whose GstVideoMeta has strides and offsets of its own: lines of any distance,
 * also upside down, are coded like others, and buffers that are too small are refused. */
#include "codec/backend.h"
#include "codec/cpu/backend_private.h"
#include "pacotest.h"

#define MAX_WIDTH 200

/* Says whether a line has room for all samples. Only these formats, and only
 * with odd widths, have none. */
static gboolean
holds (GstVideoFormat format, guint width)
{
  gboolean result = paco_raw_format_holds (format, width);

  if (!result) {
    fail_unless (width % 2 == 1);
    fail_unless (format == GST_VIDEO_FORMAT_UYVP
            || format == GST_VIDEO_FORMAT_Y210
            || format == GST_VIDEO_FORMAT_Y212_LE
            || format == GST_VIDEO_FORMAT_Y212_BE
            || ((format == GST_VIDEO_FORMAT_NV12_10LE32
                    || format == GST_VIDEO_FORMAT_NV16_10LE32)
                && width % 6 == 3),
        "%s", gst_video_format_to_string (format));
  }
  return result;
}

static gboolean
is_tiled (GstVideoFormat format)
{
  PacoRawFormat raw;

  fail_unless (paco_raw_format (format, &raw));
  return raw.tiled;
}

/* Says whether GStreamer's functions, which read and write two pixels, would go
 * beyond the end of the line. */
static gboolean
is_too_short_for_gstreamer (GstVideoFormat format, guint width)
{
  return format == GST_VIDEO_FORMAT_UYVP && width == 1;
}

typedef void (*FormatFunc) (GstVideoFormat format, guint width, guint height);

/* Calls check for each format that is coded, in tiles or not, with one of
 * `step` widths, and a height of 1, 3 or 5. With the sanitizers it is a quarter of them. */
static void
each_format (gboolean tiled, guint step, FormatFunc check)
{
  GstVideoFormat formats[PACO_MAX_RAW_FORMATS];
  guint n = paco_raw_formats (formats, G_N_ELEMENTS (formats));

  if (g_getenv ("PACO_SANITIZE"))
    step *= 4;
  for (guint i = 0; i < n; i++)
    for (guint width = 1 + g_random_int_range (0, step); width <= MAX_WIDTH;
         width += step)
      if (holds (formats[i], width) && is_tiled (formats[i]) == tiled)
        check (formats[i], width, 1 + 2 * g_random_int_range (0, 3));
}

/* --- unpack --- */

/* Returns how many bits a word of the unpacked line has, 8 or 16. */
static guint
unpacked_bits (const GstVideoFormatInfo *finfo)
{
  return GST_VIDEO_FORMAT_INFO_BITS (
      gst_video_format_get_info (finfo->unpack_format));
}

/* Returns a component of an unpacked pixel as a sample of its depth. */
static guint32
unpacked_sample (const guint8 *line, guint bits, guint depth, guint c, guint x)
{
  guint at = 4 * x + (c == 3 ? 0 : c + 1);

  return bits == 8 ? line[at] >> (8 - depth)
                   : ((const guint16 *) line)[at] >> (16 - depth);
}

static void
compare_with_unpack (GstVideoFormat format, guint width, guint height)
{
  const GstVideoFormatInfo *finfo = gst_video_format_get_info (format);
  guint bits = unpacked_bits (finfo);
  g_autofree guint8 *line = NULL;
  PacoRawFormat raw;
  PacoPicture picture;
  GstVideoInfo info;
  g_autoptr (GstBuffer) buffer = NULL;
  GstVideoFrame frame;

  if (is_too_short_for_gstreamer (format, width))
    return;
  paco_test_info (&info, format, width, height);
  line = g_malloc0 (8 * (width + 64));
  buffer = paco_test_random_buffer (&info, g_random_int ());
  fail_unless (paco_raw_format (format, &raw));
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  paco_picture_from_frame (&raw, &frame, &picture);

  for (guint y = 0; y < height; y++) {
    finfo->unpack_func (finfo, GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE, line,
        frame.data, frame.info.stride, 0, y, width);
    for (guint c = 0; c < raw.n_components; c++)
      for (guint x = 0; x < width; x++) {
        guint32 ours = paco_test_sample (&picture, &raw, c,
            x >> raw.components[c].subsampling_x,
            y >> raw.components[c].subsampling_y);
        guint32 theirs = unpacked_sample (
            line, bits, raw.components[c].depth, c, x);

        /* GStreamer 1.22 takes the last pixel of an odd line for UYVY. */
        if (format == GST_VIDEO_FORMAT_VYUY && c > 0 && x == (width & ~1u))
          continue;
        if (ours == theirs)
          continue;
        fail ("%s %ux%u component %u at %u, %u: %u, unpacked %u",
            GST_VIDEO_FORMAT_INFO_NAME (finfo), width, height, c, x, y, ours,
            theirs);
      }
  }

  gst_video_frame_unmap (&frame);
}

TEST (test_layout_is_that_of_unpack)
{
  each_format (FALSE, 1, compare_with_unpack);
}

/* --- pack --- */

static guint16 *
plane_line (const PacoPlanes *planes, guint c, guint y)
{
  const PacoPicture *picture = paco_planes_picture (planes);

  return (guint16 *) (picture->data[c] + picture->stride[c] * (gssize) y);
}

static PacoPlanes *
random_planes (const PacoPictureFormat *format)
{
  PacoPlanes *planes = paco_planes_new (format);

  for (guint c = 0; c < format->n_components; c++)
    for (guint y = 0; y < paco_component_height (format, c); y++)
      for (guint x = 0; x < paco_component_width (format, c); x++)
        plane_line (planes, c, y)[x] = g_random_int_range (
            0, 1 << format->components[c].depth);
  return planes;
}

/* Packs all components as GStreamer packs them; what has no alpha is opaque. */
static void
pack (const PacoPlanes *planes, const PacoPictureFormat *format,
    GstVideoFrame *frame)
{
  const GstVideoFormatInfo *finfo = frame->info.finfo;
  guint bits = unpacked_bits (finfo);
  g_autofree guint8 *line = g_malloc (8 * (format->width + 64));

  memset (line, 0xff, 8 * (format->width + 64));
  for (guint y = 0; y < format->height; y++) {
    for (guint c = 0; c < format->n_components; c++) {
      const PacoComponent *component = &format->components[c];
      const guint16 *in = plane_line (planes, c, y >> component->subsampling_y);

      for (guint x = 0; x < format->width; x++) {
        guint value = in[x >> component->subsampling_x]
            << (bits - component->depth);
        guint at = 4 * x + (c == 3 ? 0 : c + 1);

        if (bits == 8)
          line[at] = value;
        else
          ((guint16 *) line)[at] = value;
      }
    }
    finfo->pack_func (finfo, GST_VIDEO_PACK_FLAG_NONE, line, 0, frame->data,
        frame->info.stride, frame->info.chroma_site, y, format->width);
  }
}

static GstBuffer *
filled_buffer (const GstVideoInfo *info, guint8 byte)
{
  GstBuffer *buffer = gst_buffer_new_allocate (
      NULL, GST_VIDEO_INFO_SIZE (info), NULL);

  gst_buffer_memset (buffer, 0, byte, GST_VIDEO_INFO_SIZE (info));
  return buffer;
}

/* --- bytes --- */

/* Marks the bits of the last group of a line that belong to samples beyond the
 * last column. GStreamer repeats the last sample there, in some formats; ours
 * are 0. */
static void
mark_beyond (const PacoPictureFormat *format, const PacoPicture *picture,
    const PacoRegion *region, guint8 *group)
{
  memset (group, 0, PACO_MAX_GROUP_BYTES);
  for (guint i = 0; i < region->n_components; i++) {
    guint c = region->components[i];
    const PacoSampleLayout *layout = &picture->layout[c];
    guint n = paco_component_width (format, c) % layout->group_samples;

    for (; n > 0 && n < layout->group_samples; n++)
      paco_layout_put (
          layout, group, n, (1u << format->components[c].depth) - 1);
  }
}

/* Says whether the chroma of the last pixel of an odd line is exchanged, as
 * GStreamer 1.22 does. */
static gboolean
is_misplaced (GstVideoFormat format, guint plane)
{
  return format == GST_VIDEO_FORMAT_VYUY
      || (format == GST_VIDEO_FORMAT_NV61 && plane == 1);
}

static void
compare_line (const PacoRegion *region, const guint8 *beyond, guint groups,
    const guint8 *mine, const guint8 *theirs, const char *what)
{
  gsize n = MIN ((gsize) groups * region->group_bytes, region->line_bytes);

  for (gsize i = 0; i < n; i++) {
    gboolean last = i / region->group_bytes == region->groups - 1;
    guint8 mask = last ? beyond[i % region->group_bytes] : 0;

    if ((mine[i] & mask) != 0)
      fail ("%s byte %zu: 0x%02x is not 0 in 0x%02x", what, i, mine[i], mask);
    if (mine[i] != (theirs[i] & ~mask))
      fail ("%s byte %zu: 0x%02x, packed 0x%02x", what, i, mine[i], theirs[i]);
  }
}

static void
compare_frames (const PacoRawFormat *raw, const PacoPictureFormat *format,
    const GstVideoFrame *mine, const GstVideoFrame *theirs)
{
  PacoRegion regions[PACO_MAX_COMPONENTS];
  PacoPicture picture;
  guint n_regions;

  paco_picture_from_frame (raw, mine, &picture);
  n_regions = paco_picture_regions (format, &picture, 0, regions);
  for (guint r = 0; r < n_regions; r++) {
    guint plane = raw->plane[regions[r].components[0]];
    guint groups = regions[r].groups;
    guint8 beyond[PACO_MAX_GROUP_BYTES];

    if (format->width % 2 == 1
        && is_misplaced (GST_VIDEO_INFO_FORMAT (&mine->info), plane))
      groups--;
    mark_beyond (format, &picture, &regions[r], beyond);
    for (guint y = 0; y < regions[r].lines; y++) {
      g_autofree char *what = g_strdup_printf ("%s %ux%u plane %u line %u",
          GST_VIDEO_INFO_NAME (&mine->info), format->width, format->height,
          plane, y);
      gsize at = y * (gsize) regions[r].stride;

      compare_line (&regions[r], beyond, groups,
          (const guint8 *) mine->data[plane] + at,
          (const guint8 *) theirs->data[plane] + at, what);
    }
  }
}

static void
compare_with_pack (GstVideoFormat format, guint width, guint height)
{
  GstVideoInfo info;
  PacoPictureFormat picture;
  PacoRawFormat raw;
  GstBuffer *mine, *theirs;
  GstVideoFrame my_frame, their_frame;
  PacoPlanes *planes;

  if (is_too_short_for_gstreamer (format, width))
    return;
  paco_test_info (&info, format, width, height);
  fail_unless (paco_raw_format (format, &raw));
  fail_unless (paco_picture_format_from_info (&info, false, &picture));
  planes = random_planes (&picture);
  mine = filled_buffer (&info, 0x5a);
  theirs = filled_buffer (&info, 0);
  fail_unless (gst_video_frame_map (&my_frame, &info, mine, GST_MAP_READWRITE));
  fail_unless (
      gst_video_frame_map (&their_frame, &info, theirs, GST_MAP_READWRITE));
  paco_planes_store (planes, &raw, &my_frame);
  pack (planes, &picture, &their_frame);
  compare_frames (&raw, &picture, &my_frame, &their_frame);
  gst_video_frame_unmap (&my_frame);
  gst_video_frame_unmap (&their_frame);
  gst_buffer_unref (mine);
  gst_buffer_unref (theirs);
  paco_planes_free (planes);
}

TEST (test_bytes_are_those_of_pack)
{
  each_format (FALSE, 1, compare_with_pack);
}

/* --- tiles --- */

/* Checks that what is in tiles survives packing and unpacking. */
static void
check_tiles (GstVideoFormat format, guint width, guint height)
{
  GstVideoInfo info;
  PacoPictureFormat picture;
  PacoPlanes *in, *out;
  GstBuffer *buffer;
  GstVideoFrame frame;

  paco_test_info (&info, format, width, height);
  fail_unless (paco_picture_format_from_info (&info, false, &picture));
  in = random_planes (&picture);
  out = paco_planes_new (&picture);
  buffer = filled_buffer (&info, 0x5a);
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READWRITE));
  paco_planes_pack (in, &frame);
  paco_planes_unpack (out, &frame);
  gst_video_frame_unmap (&frame);

  for (guint c = 0; c < picture.n_components; c++)
    for (guint y = 0; y < paco_component_height (&picture, c); y++)
      fail_unless (memcmp (plane_line (in, c, y), plane_line (out, c, y),
                       2 * paco_component_width (&picture, c))
              == 0,
          "%s %ux%u component %u line %u", GST_VIDEO_INFO_NAME (&info), width,
          height, c, y);

  gst_buffer_unref (buffer);
  paco_planes_free (in);
  paco_planes_free (out);
}

TEST (test_tiles)
{
  each_format (TRUE, 1, check_tiles);
}

/* --- through the backend --- */

typedef struct
{
  PacoEncoder *encoder;
  PacoDecoder *decoder;
} Coders;

static Coders coders;

/* This is a picture in memory of noise: lines have padding, and some go from
 * the last one up. */
typedef struct
{
  PacoPicture picture;
  guint8 *memory;
  gsize size;
} Noise;

static gsize
plane_size (const PacoPictureFormat *format, const Noise *noise, guint c)
{
  return ABS (noise->picture.stride[c]) * paco_component_height (format, c);
}

static void
noise_init (
    Noise *noise, const PacoRawFormat *raw, const PacoPictureFormat *format)
{
  PacoPicture *picture = &noise->picture;
  gsize begin[PACO_MAX_COMPONENTS];

  memset (noise, 0, sizeof (*noise));
  for (guint c = 0; c < format->n_components; c++) {
    guint first = 0;

    picture->layout[c] = raw->layout[c];
    while (raw->plane[first] != raw->plane[c])
      first++;
    if (first == c) {
      picture->stride[c] = paco_layout_groups (&raw->layout[c],
                               paco_component_width (format, c))
              * raw->layout[c].group_bytes
          + g_random_int_range (0, 40);
      begin[c] = noise->size;
      noise->size += plane_size (format, noise, c);
      if (g_random_boolean ()) {
        begin[c] = noise->size - picture->stride[c];
        picture->stride[c] = -picture->stride[c];
      }
    } else {
      picture->stride[c] = picture->stride[first];
      begin[c] = begin[first];
    }
  }
  noise->memory = g_malloc (noise->size);
  for (gsize i = 0; i < noise->size; i++)
    noise->memory[i] = g_random_int ();
  for (guint c = 0; c < format->n_components; c++)
    picture->data[c] = noise->memory + begin[c];
}

/* Makes another one with the same bytes. */
static void
noise_copy (Noise *copy, const Noise *noise)
{
  *copy = *noise;
  copy->memory = g_memdup2 (noise->memory, noise->size);
  for (guint c = 0; c < PACO_MAX_COMPONENTS; c++)
    if (noise->picture.data[c] != NULL)
      copy->picture.data[c] = copy->memory
          + (noise->picture.data[c] - noise->memory);
}

static GBytes *
encode (const PacoPictureFormat *format, const PacoPicture *picture)
{
  static const PacoVideoInfo video = { .par_n = 1, .par_d = 1, .fps_d = 1 };
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  PacoEncodedFrame *frame;
  GError *error = NULL;
  GBytes *bytes;

  parameters.rate_control = PACO_RATE_LOSSLESS;
  parameters.levels = 1;
  paco_encoder_configure (
      coders.encoder, format, picture->layout, &parameters, &error);
  g_assert_no_error (error);
  paco_encoder_submit (coders.encoder, picture, &video, NULL, &error);
  g_assert_no_error (error);
  frame = paco_encoder_collect (coders.encoder, &error);
  g_assert_no_error (error);
  g_assert_no_error (frame->error);
  bytes = g_bytes_new (frame->data, frame->size);
  frame->release (frame);
  return bytes;
}

static void
decode (GBytes *bytes, const PacoPicture *picture)
{
  PacoDecodedFrame frame;
  PacoCodedFrame coded;
  GError *error = NULL;
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  fail_unless (paco_coded_frame_parse (&coded, data, size, NULL));
  paco_decoder_configure (
      coders.decoder, &coded.header, picture->layout, 0, &error);
  g_assert_no_error (error);
  paco_decoder_submit (coders.decoder, &coded, picture, NULL, &error);
  g_assert_no_error (error);
  fail_unless (paco_decoder_collect (coders.decoder, &frame, &error));
  g_assert_no_error (frame.error);
}

/* Stores the bytes that a decoder is to leave: the samples of source, the blank
 * of each region in other bits, and between lines what was there. */
static void
store (const PacoRawFormat *raw, const PacoPictureFormat *format,
    const PacoPicture *source, const PacoPicture *destination)
{
  PacoRegion regions[PACO_MAX_COMPONENTS];
  guint n = paco_picture_regions (format, destination, 0, regions);

  for (guint r = 0; r < n; r++)
    for (guint y = 0; y < regions[r].lines; y++)
      paco_region_blank_line (&regions[r], y);
  for (guint c = 0; c < format->n_components; c++)
    for (guint y = 0; y < paco_component_height (format, c); y++)
      for (guint x = 0; x < paco_component_width (format, c); x++)
        paco_layout_put (&destination->layout[c],
            destination->data[c] + destination->stride[c] * (gssize) y, x,
            paco_test_sample (source, raw, c, x, y));
}

/* Returns the codestream of the same samples in planes. */
static GBytes *
encode_planes (const PacoRawFormat *raw, const PacoPictureFormat *format,
    const PacoPicture *source)
{
  PacoPlanes *planes = paco_planes_new (format);
  GBytes *bytes;

  for (guint c = 0; c < format->n_components; c++)
    for (guint y = 0; y < paco_component_height (format, c); y++)
      for (guint x = 0; x < paco_component_width (format, c); x++)
        plane_line (planes, c, y)[x] = paco_test_sample (source, raw, c, x, y);
  bytes = encode (format, paco_planes_picture (planes));
  paco_planes_free (planes);
  return bytes;
}

/* Chooses any of the instruction sets that this machine has. */
static void
choose_instructions (void)
{
  const PacoRowOps *const *rows = paco_row_all_ops ();
  PacoCpuOps ops = { rows[0], paco_bpc_all_ops ()[0] };

  for (guint n = 1; rows[n] != NULL; n++)
    if (g_random_boolean ())
      ops.rows = rows[n];
  paco_cpu_encoder_set_ops (coders.encoder, &ops);
  paco_cpu_decoder_set_ops (coders.decoder, &ops);
}

static void
check_through_backend (GstVideoFormat format, guint width, guint height)
{
  const char *name = gst_video_format_to_string (format);
  Noise source, decoded, expected;
  PacoPictureFormat picture;
  PacoRawFormat raw;
  GstVideoInfo info;
  GBytes *bytes, *of_planes;

  choose_instructions ();
  paco_test_info (&info, format, width, height);
  fail_unless (paco_raw_format (format, &raw));
  fail_unless (paco_picture_format_from_info (
      &info, height > 1 && g_random_boolean (), &picture));
  noise_init (&source, &raw, &picture);
  noise_init (&decoded, &raw, &picture);
  noise_copy (&expected, &decoded);

  bytes = encode (&picture, &source.picture);
  of_planes = encode_planes (&raw, &picture, &source.picture);
  fail_unless (g_bytes_equal (bytes, of_planes),
      "%s %ux%u is not coded like planes", name, width, height);
  decode (bytes, &decoded.picture);
  store (&raw, &picture, &source.picture, &expected.picture);
  fail_unless (memcmp (decoded.memory, expected.memory, decoded.size) == 0,
      "%s %ux%u came back with other bytes", name, width, height);

  g_bytes_unref (bytes);
  g_bytes_unref (of_planes);
  g_free (source.memory);
  g_free (decoded.memory);
  g_free (expected.memory);
}

TEST (test_through_backend)
{
  const PacoBackendOptions options = { .threads = 3, .depth = 1 };

  coders.encoder = paco_cpu_backend.encoder_open (&options, NULL);
  coders.decoder = paco_cpu_backend.decoder_open (&options, NULL);
  each_format (FALSE, 8, check_through_backend);
  paco_coder_close (PACO_CODER (coders.encoder));
  paco_coder_close (PACO_CODER (coders.decoder));
}

/* --- metas with strides and offsets of their own --- */

#define COLUMNS 70
#define LINES 10

/* Puts the lines of `in` at other places into a buffer that is `missing` bytes
 * too short. */
static GstBuffer *
rearrange (const GstVideoInfo *info, GstBuffer *in, guint padding,
    gboolean upside_down, gsize missing)
{
  gsize offset[GST_VIDEO_MAX_PLANES], size = 5;
  gint stride[GST_VIDEO_MAX_PLANES];
  GstVideoFrame from;
  GstBuffer *out;
  GstMapInfo map;

  fail_unless (gst_video_frame_map (&from, info, in, GST_MAP_READ));
  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES (&from); p++) {
    guint lines = GST_VIDEO_FRAME_COMP_HEIGHT (&from, p);

    stride[p] = from.info.stride[p] + padding;
    offset[p] = size;
    size += (gsize) stride[p] * lines;
    if (upside_down) {
      offset[p] = size - stride[p];
      stride[p] = -stride[p];
    }
  }
  out = gst_buffer_new_allocate (NULL, size, NULL);
  gst_buffer_memset (out, 0, 0xaa, size);
  fail_unless (gst_buffer_map (out, &map, GST_MAP_WRITE));
  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES (&from); p++)
    for (guint y = 0; y < (guint) GST_VIDEO_FRAME_COMP_HEIGHT (&from, p); y++)
      memcpy (map.data + offset[p] + (gssize) y * stride[p],
          (guint8 *) from.data[p] + y * from.info.stride[p],
          from.info.stride[p]);
  gst_buffer_unmap (out, &map);
  gst_video_frame_unmap (&from);
  gst_buffer_resize (out, 0, size - missing);
  gst_buffer_add_video_meta_full (out, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), info->width, info->height,
      GST_VIDEO_INFO_N_PLANES (info), offset, stride);
  GST_BUFFER_PTS (out) = 0;
  return out;
}

static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_v210,
  GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_I420_10LE,
  GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_UYVP };

TEST (test_any_stride)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint k = 0; k < 6; k++) {
      GstVideoInfo info;
      g_autoptr (GstBuffer) in = NULL, out = NULL;

      paco_test_info (&info, formats[i], COLUMNS, LINES);
      in = paco_test_random_buffer (&info, i + k);
      out = paco_test_code ("pacoenc rate-control=lossless ! pacodec", &info,
          rearrange (&info, in, k / 2 * 13, k % 2, 0));
      paco_test_same_samples (
          &info, in, &info, out, gst_video_format_to_string (formats[i]));
    }
}

static void
expect_refusal (const GstVideoInfo *info, GstBuffer *in, const char *message)
{
  g_autoptr (PacoHarness) harness = paco_test_harness_of ("pacoenc", info);

  fail_unless_equals_int (gst_harness_push (harness, in), GST_FLOW_ERROR);
  expect_error (harness, 0, 0, message);
}

/* Tests a last line that is not all there, of any plane. */
TEST (test_lines_beyond_the_buffer)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstVideoInfo info;
    g_autoptr (GstBuffer) in = NULL;

    paco_test_info (&info, formats[i], 96, LINES); /* without padding */
    in = paco_test_random_buffer (&info, i);
    expect_refusal (&info, rearrange (&info, in, 0, FALSE, 20), "is not a");
    expect_refusal (&info, rearrange (&info, in, 200, TRUE, 220), "is not a");
  }
}

/* Tests lines that overlap. */
TEST (test_short_stride)
{
  GstVideoInfo info;
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 };
  gint stride[GST_VIDEO_MAX_PLANES] = { 176 };
  GstBuffer *in;

  paco_test_info (&info, GST_VIDEO_FORMAT_v210, COLUMNS, LINES);
  in = paco_test_random_buffer (&info, 1);
  gst_buffer_add_video_meta_full (in, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_v210, COLUMNS, LINES, 1, offset, stride);
  expect_refusal (&info, in, "the next one begins 176 bytes further");
}

/* Tests a picture that is the upper left part of what the meta says. */
TEST (test_larger_meta)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstVideoInfo large, info;
    g_autoptr (GstBuffer) in = NULL, out = NULL;

    paco_test_info (&large, formats[i], 96, 2 * LINES);
    paco_test_info (&info, formats[i], COLUMNS, LINES);
    in = paco_test_random_buffer (&large, i);
    gst_buffer_add_video_meta_full (in, GST_VIDEO_FRAME_FLAG_NONE, formats[i],
        large.width, large.height, GST_VIDEO_INFO_N_PLANES (&large),
        large.offset, large.stride);
    out = paco_test_code (
        "pacoenc rate-control=lossless ! pacodec", &info, gst_buffer_ref (in));
    paco_test_same_samples (
        &info, in, &info, out, gst_video_format_to_string (formats[i]));
  }
}

TEST_MAIN ("layouts")
