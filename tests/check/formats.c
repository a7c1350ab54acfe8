/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares the table of raw formats (caps/formats.c) with what GStreamer says of
 * them, and codes every format with the elements and back. */
#include "pacotest.h"
#include <malloc.h>

/* This is the last format of GStreamer 1.22; later ones may be missing in the
 * table. */
#define LAST_KNOWN_FORMAT GST_VIDEO_FORMAT_NV12_10BE_8L128

TEST (test_every_format_is_known)
{
  guint n;
  const GstVideoFormat *formats = gst_video_formats_raw (&n);

  for (guint i = 0; i < n; i++) {
    PacoRawFormat raw;
    const char *name = gst_video_format_to_string (formats[i]);
    const char *reason = paco_raw_format_exclusion (formats[i]);

    if (paco_raw_format (formats[i], &raw)) {
      fail_unless (reason == NULL, "%s is coded and excluded", name);
      fail_unless (raw.n_components >= 1);
      for (guint c = 0; c < raw.n_components; c++)
        fail_unless (raw.components[c].depth <= 16, "%s", name);
    } else if (formats[i] <= LAST_KNOWN_FORMAT) {
      fail_unless (reason != NULL, "%s is neither coded nor excluded", name);
    }
  }
}

TEST (test_unknown_formats)
{
  PacoRawFormat raw;

  fail_if (paco_raw_format (GST_VIDEO_FORMAT_UNKNOWN, &raw));
  fail_if (paco_raw_format (GST_VIDEO_FORMAT_ENCODED, &raw));
  fail_if (paco_raw_format (GST_VIDEO_FORMAT_RGB8P, &raw));
  fail_unless (paco_raw_format_exclusion (GST_VIDEO_FORMAT_RGB8P) != NULL);
}

LOOP_TEST (test_template_caps, 2)
{
  static const char *const pads[][2] = { { "pacoenc", "sink" },
    { "pacodec", "src" } };
  GstVideoFormat formats[PACO_MAX_RAW_FORMATS];
  guint n = paco_raw_formats (formats, G_N_ELEMENTS (formats));
  g_autoptr (GstElement)
      element = gst_element_factory_make (pads[__i__][0], NULL);
  g_autoptr (GstCaps) caps = gst_pad_template_get_caps (
      gst_element_get_pad_template (element, pads[__i__][1]));

  fail_unless (n > 100);
  fail_unless_equals_string (
      gst_structure_get_string (gst_caps_get_structure (caps, 0), "format"),
      "I422_10LE");
  for (guint i = 0; i < n; i++) {
    GstVideoInfo info;
    g_autoptr (GstCaps) one = NULL;

    paco_test_info (&info, formats[i], 64, 48);
    one = gst_video_info_to_caps (&info);
    fail_unless (gst_caps_is_subset (one, caps), "%s",
        gst_video_format_to_string (formats[i]));
  }
}

static void
check_through_elements (GstVideoFormat format, guint width, guint height)
{
  g_autoptr (PacoHarness) harness = paco_test_harness (
      "pacoenc rate-control=lossless levels=2 threads=2 ! pacodec threads=2");
  GstVideoInfo info, out_info;
  g_autoptr (GstBuffer) in = NULL, out = NULL;
  g_autoptr (GstCaps) caps = NULL;

  paco_test_info (&info, format, width, height);
  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
  in = paco_test_random_buffer (&info, format + width);
  out = gst_harness_push_and_pull (harness, gst_buffer_ref (in));
  fail_unless (
      out != NULL, "%s %ux%u", GST_VIDEO_INFO_NAME (&info), width, height);

  caps = gst_pad_get_current_caps (harness->sinkpad);
  fail_unless (gst_video_info_from_caps (&out_info, caps));
  fail_unless_equals_int (GST_VIDEO_INFO_FORMAT (&out_info), format);
  fail_unless_equals_int (out_info.width, width);
  fail_unless_equals_int (out_info.height, height);
  paco_test_same_samples (
      &info, in, &out_info, out, GST_VIDEO_INFO_NAME (&info));
}

TEST (test_every_format_comes_back)
{
  GstVideoFormat formats[PACO_MAX_RAW_FORMATS];
  guint n = paco_raw_formats (formats, G_N_ELEMENTS (formats));

  for (guint i = 0; i < n; i++) {
    check_through_elements (formats[i], 66, 3);
    if (!paco_raw_format_holds (formats[i], 35))
      continue;
    check_through_elements (formats[i], 35, 17);
    check_through_elements (formats[i], 1, 1);
  }
}

/* Returns how many samples of the colour have changed. */
static guint
check_alpha (GstVideoFormat format, const PacoRawFormat *raw,
    const char *encoder, guint width, guint height)
{
  GstVideoInfo info;
  g_autofree char *launch = g_strdup_printf (
      "%s quality=10 levels=3 ! pacodec", encoder);
  guint n_alpha = width * height, changed = 0;
  g_autoptr (GArray) before = NULL, after = NULL;
  g_autoptr (GstBuffer) in = NULL, out = NULL;

  paco_test_info (&info, format, width, height);
  if (raw->components[3].subsampling_x || raw->components[3].subsampling_y)
    fail ("%s: alpha is subsampled", GST_VIDEO_INFO_NAME (&info));
  in = paco_test_random_buffer (&info, format + width);
  out = paco_test_code (launch, &info, gst_buffer_ref (in));
  before = paco_test_samples (&info, in);
  after = paco_test_samples (&info, out);
  fail_unless_equals_int (before->len, after->len);
  for (guint i = 0; i < before->len; i++) {
    guint was = g_array_index (before, guint16, i);
    guint is = g_array_index (after, guint16, i);

    fail_unless (was == is || i < before->len - n_alpha,
        "%s: alpha %u is %u, was %u", launch, i - (before->len - n_alpha), is,
        was);
    changed += was != is;
  }
  return changed;
}

/* Tests that alpha is lossless, whatever is done to the colour. */
TEST (test_alpha_is_lossless)
{
  static const char *const encoders[] = {
    "pacoenc",
    "pacoenc wavelet=cdf53 threads=3",
    "pacoenc color-transform=none coding-passes=2",
  };
  GstVideoFormat formats[PACO_MAX_RAW_FORMATS];
  guint n = paco_raw_formats (formats, G_N_ELEMENTS (formats));
  guint n_alpha = 0;

  for (guint i = 0; i < n; i++) {
    const GstVideoFormatInfo *finfo = gst_video_format_get_info (formats[i]);
    PacoRawFormat raw;

    fail_unless (paco_raw_format (formats[i], &raw));
    /* The reverse does not hold: GStreamer does not know of the alpha of some,
     * such as Y410. */
    if (GST_VIDEO_FORMAT_INFO_HAS_ALPHA (finfo))
      fail_unless_equals_int (raw.n_components, 4);
    fail_if (raw.n_components == 2);
    if (raw.n_components != 4)
      continue;
    n_alpha++;
    for (guint k = 0; k < G_N_ELEMENTS (encoders); k++)
      fail_unless (
          check_alpha (formats[i], &raw, encoders[k], 70, 38) > 70 * 38,
          "%s: the colour is lossless, too",
          GST_VIDEO_FORMAT_INFO_NAME (finfo));
  }
  fail_unless (n_alpha > 20);
}

/* Tests that padding of pixels comes out as documented: as opaque alpha, or 0
 * where a word is shared. */
TEST (test_padding)
{
  static const struct
  {
    GstVideoFormat format;
    guint32 mask, value; /* of a pixel's first four bytes, as bytes */
  } cases[] = {
    { GST_VIDEO_FORMAT_xRGB, 0xff000000, 0xff000000 },
    { GST_VIDEO_FORMAT_BGRx, 0x000000ff, 0x000000ff },
    { GST_VIDEO_FORMAT_r210, 0xc0000000, 0x00000000 },
    { GST_VIDEO_FORMAT_v210, 0x000000c0, 0x00000000 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (PacoHarness)
        harness = paco_test_harness ("pacoenc rate-control=lossless ! pacodec");
    GstVideoInfo info;
    g_autoptr (GstBuffer) out = NULL;
    GstMapInfo map;

    paco_test_info (&info, cases[i].format, 48, 5);
    gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
    out = gst_harness_push_and_pull (
        harness, paco_test_random_buffer (&info, i));
    fail_unless (gst_buffer_map (out, &map, GST_MAP_READ));
    for (guint k = 0; k < map.size; k += 4)
      fail_unless_equals_int_hex (
          GST_READ_UINT32_BE (map.data + k) & cases[i].mask, cases[i].value);
    gst_buffer_unmap (out, &map);
  }
}

#ifdef M_PERTURB
/* Decodes frames in memory that is full of a pattern, and returns all bytes of their
 * buffers. */
static GByteArray *
decode_in (GPtrArray *frames, int pattern)
{
  GByteArray *bytes = g_byte_array_new ();
  GstHarness *harness;
  GstBuffer *out;
  GstMapInfo map;

  mallopt (M_PERTURB, pattern);
  harness = paco_test_decoder_harness ("pacodec backend=cpu threads=2");
  for (guint i = 0; i < frames->len; i++)
    gst_harness_push (harness, gst_buffer_ref (frames->pdata[i]));
  gst_harness_push_event (harness, gst_event_new_eos ());
  for (guint i = 0; i < frames->len; i++) {
    out = gst_harness_pull (harness);
    fail_unless (gst_buffer_map (out, &map, GST_MAP_READ));
    g_byte_array_append (bytes, map.data, map.size);
    gst_buffer_unmap (out, &map);
    gst_buffer_unref (out);
  }
  paco_test_teardown (harness);
  mallopt (M_PERTURB, 0);
  return bytes;
}

/* Tests that two decodes give the same bytes, also those that no sample covers, and
 * also after pictures of another size. */
TEST (test_padding_of_lines)
{
  static const guint sizes[][2] = { { 82, 13 }, { 42, 31 }, { 82, 13 } };
  GstVideoFormat formats[PACO_MAX_RAW_FORMATS];
  guint n = paco_raw_formats (formats, G_N_ELEMENTS (formats));

  for (guint i = 0; i < n; i++) {
    g_autoptr (GPtrArray) frames = g_ptr_array_new_with_free_func (
        (GDestroyNotify) gst_buffer_unref);
    GByteArray *bytes[2];

    for (guint k = 0; k < 2 * G_N_ELEMENTS (sizes); k++) {
      GstVideoInfo info;

      paco_test_info (&info, formats[i], sizes[k / 2][0], sizes[k / 2][1]);
      g_ptr_array_add (frames,
          paco_test_code ("pacoenc backend=cpu levels=2", &info,
              paco_test_random_buffer (&info, k)));
    }
    for (guint k = 0; k < 2; k++)
      bytes[k] = decode_in (frames, k == 0 ? 0x55 : 0xaa);
    fail_unless_equals_int (bytes[0]->len, bytes[1]->len);
    fail_unless (memcmp (bytes[0]->data, bytes[1]->data, bytes[0]->len) == 0,
        "%s", gst_video_format_to_string (formats[i]));
    for (guint k = 0; k < 2; k++)
      g_byte_array_unref (bytes[k]);
  }
}

/* Tests that a recording is decoded to the same file each time. */
TEST (test_padding_in_files)
{
  g_autofree gchar *folder = g_dir_make_tmp ("paco-padding-XXXXXX", NULL);
  g_autofree gchar *coded = g_build_filename (folder, "coded.paco", NULL);
  g_autofree gchar *raw = g_build_filename (folder, "raw", NULL);
  gchar *bytes[2], *description;
  gsize sizes[2];

  description = g_strdup_printf (
      "videotestsrc num-buffers=25 ! "
      "video/x-raw,format=I422_10LE,width=322,height=60 ! pacoenc ! "
      "filesink location=%s",
      coded);
  run (launch (description));
  g_free (description);
  description = g_strdup_printf (
      "filesrc location=%s ! decodebin ! video/x-raw,format=I422_10LE ! "
      "filesink location=%s",
      coded, raw);
  for (guint i = 0; i < 2; i++) {
    mallopt (M_PERTURB, i == 0 ? 0x55 : 0xaa);
    run (launch (description));
    mallopt (M_PERTURB, 0);
    fail_unless (g_file_get_contents (raw, &bytes[i], &sizes[i], NULL));
  }
  fail_unless_equals_int (sizes[0], 25 * 60 * (644 + 2 * 324));
  fail_unless_equals_int (sizes[1], sizes[0]);
  fail_unless (memcmp (bytes[0], bytes[1], sizes[0]) == 0);
  for (guint i = 0; i < 2; i++)
    g_free (bytes[i]);
  g_free (description);
  g_unlink (coded);
  g_unlink (raw);
  g_rmdir (folder);
}
#endif

/* Returns what follows the header, which names the raw format. */
static GBytes *
coded_payload (const GstVideoInfo *info, GstBuffer *buffer)
{
  g_autoptr (PacoHarness)
      harness = paco_test_harness ("pacoenc rate-control=quality quality=80");
  PacoHeader header;
  g_autoptr (GstBuffer) out = NULL;
  GstMapInfo map;
  GBytes *bytes;

  gst_harness_set_src_caps (harness, gst_video_info_to_caps (info));
  out = gst_harness_push_and_pull (harness, buffer);
  paco_test_header (out, &header);
  fail_unless (gst_buffer_map (out, &map, GST_MAP_READ));
  bytes = g_bytes_new (
      map.data + header.header_size, map.size - header.header_size);
  gst_buffer_unmap (out, &map);
  return bytes;
}

/* Makes, by hand, the same picture in another format of the same samples. */
static GstBuffer *
copy_samples (
    const GstVideoInfo *from, GstBuffer *buffer, const GstVideoInfo *to)
{
  GstBuffer *copy = gst_buffer_new_allocate (
      NULL, GST_VIDEO_INFO_SIZE (to), NULL);
  g_autoptr (GArray) samples = paco_test_samples (from, buffer);
  PacoPictureFormat format;
  PacoRawFormat raw;
  PacoPlanes *planes;
  GstVideoFrame frame;
  guint at = 0;

  fail_unless (paco_raw_format (GST_VIDEO_INFO_FORMAT (to), &raw));
  fail_unless (paco_picture_format_from_info (to, false, &format));
  planes = paco_planes_new (&format);
  for (guint c = 0; c < format.n_components; c++)
    for (guint y = 0; y < paco_component_height (&format, c); y++) {
      const PacoPicture *p = paco_planes_picture (planes);
      guint16 *line = (guint16 *) (p->data[c] + p->stride[c] * (gssize) y);

      for (guint x = 0; x < paco_component_width (&format, c); x++)
        line[x] = g_array_index (samples, guint16, at++);
    }

  fail_unless (gst_video_frame_map (&frame, to, copy, GST_MAP_READWRITE));
  if (raw.tiled)
    paco_planes_pack (planes, &frame);
  else
    paco_planes_store (planes, &raw, &frame);
  gst_video_frame_unmap (&frame);
  paco_planes_free (planes);
  return copy;
}

TEST (test_layout_does_not_matter)
{
  static const GstVideoFormat pairs[][2] = {
    { GST_VIDEO_FORMAT_I420_10LE, GST_VIDEO_FORMAT_P010_10LE },
    { GST_VIDEO_FORMAT_I420_10LE, GST_VIDEO_FORMAT_I420_10BE },
    { GST_VIDEO_FORMAT_I420_10LE, GST_VIDEO_FORMAT_NV12_10LE32 },
    { GST_VIDEO_FORMAT_I422_10LE, GST_VIDEO_FORMAT_v210 },
    { GST_VIDEO_FORMAT_I422_10LE, GST_VIDEO_FORMAT_Y210 },
    { GST_VIDEO_FORMAT_I422_10LE, GST_VIDEO_FORMAT_UYVP },
    { GST_VIDEO_FORMAT_Y42B, GST_VIDEO_FORMAT_UYVY },
    { GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12_4L4 },
    { GST_VIDEO_FORMAT_GBR_10LE, GST_VIDEO_FORMAT_r210 },
    { GST_VIDEO_FORMAT_GBR, GST_VIDEO_FORMAT_xBGR },
  };

  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++) {
    GstVideoInfo a, b;
    GstBuffer *in, *other;
    g_autoptr (GBytes) pa = NULL, pb = NULL;

    fail_unless (paco_raw_format_same_samples (pairs[i][0], pairs[i][1]));
    paco_test_info (&a, pairs[i][0], 76, 37);
    paco_test_info (&b, pairs[i][1], 76, 37);
    in = paco_test_random_buffer (&a, i);
    other = copy_samples (&a, in, &b);
    paco_test_same_samples (&a, in, &b, other, GST_VIDEO_INFO_NAME (&b));
    pa = coded_payload (&a, in);
    pb = coded_payload (&b, other);
    fail_unless (g_bytes_equal (pa, pb), "%s and %s differ",
        GST_VIDEO_INFO_NAME (&a), GST_VIDEO_INFO_NAME (&b));
  }
}

/* Tests that every value that a header can hold comes back in GstVideoInfo. */
TEST (test_video_info_comes_back)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (guint i = 0; i < 500; i++) {
    PacoHeader header = { 0 };
    GstVideoInfo info, back;

    paco_test_info (&info, GST_VIDEO_FORMAT_I422_10LE, 320, 240);
    info.par_n = 1 + g_rand_int_range (random, 0, 100);
    info.par_d = 1 + g_rand_int_range (random, 0, 100);
    info.fps_n = g_rand_int_range (random, 0, 60001);
    info.interlace_mode = (GstVideoInterlaceMode) g_rand_int_range (
        random, 0, 3);
    if (info.interlace_mode == GST_VIDEO_INTERLACE_MODE_INTERLEAVED)
      GST_VIDEO_INFO_FIELD_ORDER (
          &info) = (GstVideoFieldOrder) g_rand_int_range (random, 0, 3);
    info.chroma_site = (GstVideoChromaSite) g_rand_int_range (random, 1, 16);
    info.colorimetry.range = (GstVideoColorRange) g_rand_int_range (
        random, 0, 3);
    info.colorimetry.matrix = (GstVideoColorMatrix) g_rand_int_range (
        random, 2, 7);
    info.colorimetry.transfer = (GstVideoTransferFunction) g_rand_int_range (
        random, 0, 17);
    info.colorimetry.primaries = (GstVideoColorPrimaries) g_rand_int_range (
        random, 0, 13);

    fail_unless (paco_picture_format_from_info (&info, false, &header.picture));
    paco_video_from_info (&info, NULL, &header.video);
    fail_unless (paco_video_info_from_header (&header, &back));
    fail_unless (gst_video_info_is_equal (&info, &back), "case %u", i);
    fail_unless_equals_int (
        GST_VIDEO_INFO_FIELD_ORDER (&info), GST_VIDEO_INFO_FIELD_ORDER (&back));
  }
}

/* Tests that a header of a later version of GStreamer, or of nonsense, still
 * gives caps. */
TEST (test_unknown_numbers)
{
  PacoHeader header = { 0 };
  gint fps_n = 0, fps_d = 1;
  GstVideoInfo info;
  GstCaps *caps;

  paco_test_info (&info, GST_VIDEO_FORMAT_Y444, 64, 48);
  fail_unless (paco_picture_format_from_info (&info, false, &header.picture));
  paco_video_from_info (&info, NULL, &header.video);
  strcpy (header.video.raw_format, "X444_8K");
  header.video.interlace_mode = header.video.field_order = 255;
  header.video.chroma_site = header.video.range = header.video.matrix = 255;
  header.video.transfer = header.video.primaries = 255;

  fail_unless (paco_video_info_from_header (&header, &info));
  fail_unless_equals_int (GST_VIDEO_INFO_FORMAT (&info), GST_VIDEO_FORMAT_Y444);
  caps = paco_caps_from_header (&header);
  fail_unless (gst_caps_is_fixed (caps));
  fail_unless_equals_string (
      gst_structure_get_string (gst_caps_get_structure (caps, 0), "format"),
      "X444_8K");
  gst_caps_unref (caps);

  /* A name that does not fit the components is not believed. */
  strcpy (header.video.raw_format, "I420");
  fail_unless (paco_video_info_from_header (&header, &info));
  fail_unless_equals_int (GST_VIDEO_INFO_FORMAT (&info), GST_VIDEO_FORMAT_Y444);

  /* There are no formats for all numbers of components, either, but caps say when
   * the pictures are shown. */
  header.picture.n_components = 2;
  header.video.fps_n = 24;
  fail_if (paco_video_info_from_header (&header, &info));
  caps = paco_caps_from_header (&header);
  gst_structure_get_fraction (
      gst_caps_get_structure (caps, 0), "framerate", &fps_n, &fps_d);
  fail_unless_equals_int (fps_n, 24);
  gst_caps_unref (caps);
}

/* Tests that R, G and B of 16 bits, which GStreamer 1.22 has only with alpha, are shown
 * with opaque alpha, and that no other format loses its alpha. */
TEST (test_opaque)
{
  PacoHeader header = { 0 };
  PacoRawFormat raw;
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_ARGB64, 64, 48);
  fail_unless (paco_picture_format_from_info (&info, false, &header.picture));
  paco_video_from_info (&info, NULL, &header.video);
  fail_unless (paco_video_info_from_header (&header, &info));
  fail_unless_equals_int (
      GST_VIDEO_INFO_FORMAT (&info), GST_VIDEO_FORMAT_ARGB64);
  strcpy (header.video.raw_format, "GBR_16LE");
  header.picture.n_components = 3;
  fail_unless (paco_video_info_from_header (&header, &info));
  if (gst_video_format_from_string ("GBR_16LE") == GST_VIDEO_FORMAT_UNKNOWN)
    fail_unless_equals_int (
        GST_VIDEO_INFO_FORMAT (&info), GST_VIDEO_FORMAT_RGBA64_LE);

  fail_unless (paco_raw_format_opaque (GST_VIDEO_FORMAT_RGBA64_LE, &raw));
  fail_unless_equals_int (raw.n_components, 3);
  fail_unless_equals_int (raw.layout[0].fill, 0xff);
  fail_if (paco_raw_format_opaque (GST_VIDEO_FORMAT_RGB, &raw));
  fail_if (paco_raw_format_opaque (GST_VIDEO_FORMAT_GBRA, &raw));
  fail_if (paco_raw_format_opaque (GST_VIDEO_FORMAT_RGB10A2_LE, &raw));
}

TEST_MAIN ("formats")
