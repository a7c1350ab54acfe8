/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests which metas frames keep: those that the property names and that there is
 * room for; what becomes of those that cannot be kept; and what GStreamer's own
 * elements find in those that were. */
#include "metas.h"
#include <gst/app/gstappsrc.h>
#include <string.h>

/* --- what is left out ------------------------------------------------- */

/* Returns the warnings of a pipeline that runs to its end. */
static GPtrArray *
run_for_warnings (GstElement *pipeline)
{
  GPtrArray *warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  gboolean done = FALSE;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!done) {
    g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus,
        TIME_LIMIT, GST_MESSAGE_ERROR | GST_MESSAGE_EOS | GST_MESSAGE_WARNING);
    GError *error = NULL;

    fail_unless (message && GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR);
    done = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    if (!done) {
      gst_message_parse_warning (message, &error, NULL);
      g_ptr_array_add (warnings, g_strdup (error->message));
      g_error_free (error);
    }
  }
  return warnings;
}

static guint64
number_of (GstElement *pipeline, const gchar *element, const gchar *field)
{
  g_autoptr (GstElement)
      found = gst_bin_get_by_name (GST_BIN (pipeline), element);
  g_autoptr (GstStructure) stats = NULL;
  guint64 value = 0;

  g_object_get (found, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, field, &value));
  return value;
}

/* Tests that the property says what a frame remembers. The transport drops all
 * metas. */
TEST (test_property)
{
  static const struct
  {
    const gchar *value, *counts;
  } cases[] = {
    { "captions+active-format+timecodes+regions+reference-timestamps",
        "111111" },
    { "captions", "100000" },
    { "active-format", "011000" },
    { "timecodes+regions", "000110" },
    { "reference-timestamps", "000001" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GString) counts = g_string_new (NULL);
    GstElement *pipeline = launch (
        SOURCE "gdppay ! gdpdepay ! pacodec name=dec ! fakesink", "", "");
    GstElement *enc = gst_bin_get_by_name (GST_BIN (pipeline), "enc");

    gst_util_set_object_arg (G_OBJECT (enc), "metadata", cases[i].value);
    gst_object_unref (enc);
    add_probe (pipeline, "enc", "sink", GST_PAD_PROBE_TYPE_BUFFER,
        put_one_of_each, NULL);
    add_probe (
        pipeline, "dec", "src", GST_PAD_PROBE_TYPE_BUFFER, count_metas, counts);
    run (pipeline);
    fail_unless_equals_string (counts->str, cases[i].counts);
  }
}

typedef struct
{
  GstPadProbeCallback put;
  const gchar *settings, *counts, *words;
  guint64 left_out; /* of a frame; 0: any */
} Unstorable;

static GstPadProbeReturn
put_too_many (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  put_one_of_each (pad, info, user_data);
  for (guint i = 0; i < 2000; i++)
    gst_buffer_add_video_region_of_interest_meta (
        info->data, "crowd", i, i, 1, 1);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
put_odd_parameter (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  g_autoptr (GstBuffer) pixels = gst_buffer_new ();
  GstVideoRegionOfInterestMeta *meta;

  put_one_of_each (pad, info, user_data);
  meta = gst_buffer_get_video_region_of_interest_meta_id (info->data, 0);
  gst_video_region_of_interest_meta_add_param (meta,
      gst_structure_new (
          "mask", "pixels", GST_TYPE_BUFFER, pixels, "n", G_TYPE_INT, 5, NULL));
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
put_odd_reference (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  g_autoptr (GstCaps)
      caps = gst_caps_from_string ("timestamp/x-unix; timestamp/x-ntp");

  put_one_of_each (pad, info, user_data);
  gst_buffer_add_reference_timestamp_meta (info->data, caps, 1, 2);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
put_long_type (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  g_autofree gchar *type = g_strnfill (300, 'x');

  put_one_of_each (pad, info, user_data);
  gst_buffer_add_video_region_of_interest_meta (info->data, type, 1, 2, 3, 4);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
put_long_caption (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  static const guint8 data[40000];

  put_one_of_each (pad, info, user_data);
  gst_buffer_add_video_caption_meta (
      info->data, GST_VIDEO_CAPTION_TYPE_CEA708_CDP, data, sizeof data);
  return GST_PAD_PROBE_OK;
}

/* Puts timecodes as applications may set them by themselves. */
static GstPadProbeReturn
put_odd_timecodes (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  g_autoptr (GTimeZone) zone = g_time_zone_new_offset (3600);
  g_autoptr (GDateTime) jam = g_date_time_new (zone, 1, 1, 1, 0, 30, 0);

  put_one_of_each (pad, info, user_data);
  gst_buffer_add_video_time_code_meta_full (
      info->data, FPS, 1, NULL, 0, 1, 2, 3, 4, 0)
      ->tc.hours = 256 + 1;
  gst_buffer_add_video_time_code_meta_full (
      info->data, FPS, 1, NULL, 0, 1, 2, 3, 4, 0)
      ->tc.config.fps_n = (guint) G_MAXINT + 1;
  /* There is no such year in UTC, which frames remember. */
  gst_buffer_add_video_time_code_meta_full (
      info->data, FPS, 1, jam, 0, 1, 2, 3, 4, 0);
  return GST_PAD_PROBE_OK;
}

/* Tests that what cannot be remembered is left out with one warning for all frames,
 * which says what to do, and the rest is there. */
TEST (test_left_out)
{
  static const Unstorable cases[] = {
    { put_too_many, "", NULL, "at most 32768 bytes", 0 },
    { put_too_many, "rate-control=bitrate frame-size=2500", NULL,
        "raise bitrate or frame-size", 0 },
    { put_odd_parameter, "", "111111", "parameter pixels of a region", 1 },
    { put_odd_reference, "", "111111", "timestamp/x-ntp", 1 },
    { put_long_type, "", "111111", "up to 255 bytes", 1 },
    { put_long_caption, "", "111111", "A caption of a frame", 1 },
    { put_odd_timecodes, "", "111111", "A timecode is left out", 3 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GString) counts = g_string_new (NULL);
    g_autoptr (Pipeline) pipeline = launch (SOURCE
        "gdppay ! gdpdepay ! pacodec name=dec ! fakesink",
        "", cases[i].settings);
    g_autoptr (GPtrArray) warnings = NULL;
    guint64 left_out;

    add_probe (
        pipeline, "enc", "sink", GST_PAD_PROBE_TYPE_BUFFER, cases[i].put, NULL);
    add_probe (
        pipeline, "dec", "src", GST_PAD_PROBE_TYPE_BUFFER, count_metas, counts);
    warnings = run_for_warnings (pipeline);
    fail_unless_equals_int (warnings->len, 1);
    fail_unless (strstr (warnings->pdata[0], cases[i].words), "%s",
        (gchar *) warnings->pdata[0]);
    left_out = number_of (pipeline, "enc", "metadata-left-out");
    fail_unless (cases[i].left_out > 0
            ? left_out == N_FRAMES * cases[i].left_out
            : left_out >= 500 * N_FRAMES);
    if (cases[i].counts)
      fail_unless_equals_string (counts->str, cases[i].counts);
    /* Kinds of which there is little go first. */
    fail_unless (g_str_has_prefix (counts->str, "1111"), "%s", counts->str);
  }
}

/* --- GStreamer's own elements ----------------------------------------- */

static gboolean
file_has (const gchar *path, const gchar *word)
{
  g_autofree gchar *data = NULL;
  gsize size;

  fail_unless (g_file_get_contents (path, &data, &size, NULL));
  return memmem (data, size, word, strlen (word)) != NULL;
}

/* Tests the timecode track of a MOV file, which is there as with any other
 * encoder, also of frames that were in a file without one. */
TEST (test_timecode_track)
{
  g_autofree gchar *raw = g_build_filename (
      g_get_tmp_dir (), "paco-metadata.XXXXXX", NULL);
  g_autofree gchar *mov = g_build_filename (
      g_get_tmp_dir (), "paco-metadata.XXXXXX", NULL);

  if (!gst_registry_check_feature_version (
          gst_registry_get (), "timecodestamper", 1, 0, 0)) {
    g_print ("GStreamer's timecodestamper is not installed: skipped\n");
    return;
  }
  close (g_mkstemp (raw));
  close (g_mkstemp (mov));
#define STAMPED                                                                \
  "videotestsrc num-buffers=5 ! video/x-raw,framerate=30000/1001 ! "           \
  "timecodestamper set=always drop-frame=true ! "
  run (launch (STAMPED "pacoenc ! qtmux ! filesink location=%s", mov));
  fail_unless (file_has (mov, "tmcd"));
  run (launch (
      STAMPED "pacoenc ! pacoparse ! qtmux ! filesink location=%s", mov));
  fail_unless (file_has (mov, "tmcd"));
  run (launch ("videotestsrc num-buffers=5 ! pacoenc ! qtmux ! "
               "filesink location=%s",
      mov));
  fail_unless (!file_has (mov, "tmcd"));
  run (launch (STAMPED "pacoenc ! filesink location=%s", raw));
  run (launch ("filesrc location=%s ! pacoparse ! qtmux ! "
               "filesink location=%s",
      raw, mov));
  fail_unless (file_has (mov, "tmcd"));
#undef STAMPED
  g_unlink (raw);
  g_unlink (mov);
}

static GstPadProbeReturn
put_caption (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstBuffer *buffer = gst_buffer_make_writable (info->data);
  static const guint8 cc_data[] = { 0xfc, 0x94, 0x2c };

  info->data = buffer;
  gst_buffer_add_video_caption_meta (
      buffer, GST_VIDEO_CAPTION_TYPE_CEA708_RAW, cc_data, sizeof cc_data);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
check_caption (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  static const guint8 cc_data[] = { 0xfc, 0x94, 0x2c };

  fail_unless (gst_buffer_get_size (info->data) == sizeof cc_data);
  fail_unless (gst_buffer_memcmp (info->data, 0, cc_data, sizeof cc_data) == 0);
  ++*(guint *) user_data;
  return GST_PAD_PROBE_OK;
}

static void
link_caption (GstElement *extractor, GstPad *pad, gpointer sink)
{
  g_autoptr (GstPad) peer = gst_element_get_static_pad (sink, "sink");

  if (gst_pad_link (pad, peer) != GST_PAD_LINK_OK)
    GST_ELEMENT_ERROR (extractor, CORE, PAD, ("captions do not link"), (NULL));
}

/* Tests that captions come out of decoded pictures, and out of coded ones. */
TEST (test_ccextractor)
{
  static const gchar *const ways[] = {
    "rtpgstpay ! rtpgstdepay ! pacodec ! ccextractor",
    "gdppay ! gdpdepay ! pacoparse ! ccextractor",
  };

  if (!gst_registry_check_feature_version (
          gst_registry_get (), "ccextractor", 1, 0, 0)) {
    g_print ("GStreamer's ccextractor is not installed: skipped\n");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    GstElement *pipeline = launch (SOURCE "%s name=cc ! fakesink async=false "
                                          "fakesink name=captions async=false",
        "", "", ways[i]);
    GstElement *cc = gst_bin_get_by_name (GST_BIN (pipeline), "cc");
    GstElement *captions = gst_bin_get_by_name (GST_BIN (pipeline), "captions");
    guint n = 0;

    g_signal_connect (cc, "pad-added", G_CALLBACK (link_caption), captions);
    gst_object_unref (cc);
    gst_object_unref (captions);
    add_probe (
        pipeline, "enc", "sink", GST_PAD_PROBE_TYPE_BUFFER, put_caption, NULL);
    add_probe (pipeline, "captions", "sink", GST_PAD_PROBE_TYPE_BUFFER,
        check_caption, &n);
    run (pipeline);
    fail_unless_equals_int (n, N_FRAMES);
  }
}

/* Adds each picture's captions to a text. */
static GstPadProbeReturn
note_captions (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  gpointer state = NULL;
  const GstMeta *meta;

  g_string_append_c (user_data, '|');
  while ((meta = gst_buffer_iterate_meta_filtered (
              info->data, &state, GST_VIDEO_CAPTION_META_API_TYPE))) {
    const GstVideoCaptionMeta *caption = (const GstVideoCaptionMeta *) meta;

    g_string_append_printf (user_data, "%d:", caption->caption_type);
    for (gsize i = 0; i < caption->size; i++)
      g_string_append_printf (user_data, "%02x", caption->data[i]);
  }
  return GST_PAD_PROBE_OK;
}

/* Pushes frames with one pair of bytes of line 21 each. */
static void
push_captions (GstElement *source)
{
  for (guint i = 0; i < N_FRAMES; i++) {
    guint8 *cc_data = g_malloc (3);
    GstBuffer *buffer = gst_buffer_new_wrapped (cc_data, 3);

    cc_data[0] = 0xfc;
    cc_data[1] = (guint8) g_random_int_range (0x20, 0x7f);
    cc_data[2] = (guint8) g_random_int_range (0x20, 0x7f);
    GST_BUFFER_PTS (buffer) = i * GST_SECOND / FPS;
    GST_BUFFER_DURATION (buffer) = GST_SECOND / FPS;
    fail_unless_equals_int (
        gst_app_src_push_buffer (GST_APP_SRC (source), buffer), GST_FLOW_OK);
  }
  gst_app_src_end_of_stream (GST_APP_SRC (source));
}

/* Tests what GStreamer's cccombiner puts on frames and on fields. */
TEST (test_cccombiner)
{
  static const gchar *const sources[] = { FRAMES, FIELDS };

  if (!gst_registry_check_feature_version (
          gst_registry_get (), "cccombiner", 1, 0, 0)) {
    g_print ("GStreamer's cccombiner is not installed: skipped\n");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (sources); i++) {
    g_autoptr (GString) before = g_string_new (NULL);
    g_autoptr (GString) after = g_string_new (NULL);
    GstElement *pipeline = launch (
        "%s ! cccombiner name=cc ! pacoenc name=enc ! gdppay ! gdpdepay ! "
        "pacodec name=dec ! fakesink appsrc name=captions format=time "
        "caps=closedcaption/x-cea-708,format=cc_data,framerate=%u/1 ! "
        "cc.caption",
        sources[i], FPS);
    GstElement *captions = gst_bin_get_by_name (GST_BIN (pipeline), "captions");

    push_captions (captions);
    gst_object_unref (captions);
    add_probe (pipeline, "enc", "sink", GST_PAD_PROBE_TYPE_BUFFER,
        note_captions, before);
    add_probe (pipeline, "dec", "src", GST_PAD_PROBE_TYPE_BUFFER, note_captions,
        after);
    run (pipeline);
    fail_unless (strchr (before->str, ':'), "there are no captions");
    fail_unless_equals_string (after->str, before->str);
  }
}

static GstPadProbeReturn
put_caption_later (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  put_caption (pad, info, user_data);
  return put_one_of_each (pad, info, user_data);
}

/* Tests that what was put on frames after they were coded is on the pictures, too,
 * unless it is what they brought. */
TEST (test_newer)
{
  static const gchar *const ways[] = { "identity", "pacoparse" };

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    g_autoptr (GString) counts = g_string_new (NULL);
    GstElement *pipeline = launch (SOURCE
        "identity name=after ! %s ! pacodec name=dec ! fakesink",
        "", "", ways[i]);

    add_probe (pipeline, "enc", "sink", GST_PAD_PROBE_TYPE_BUFFER,
        put_one_of_each, NULL);
    add_probe (pipeline, "after", "src", GST_PAD_PROBE_TYPE_BUFFER,
        put_caption_later, NULL);
    add_probe (
        pipeline, "dec", "src", GST_PAD_PROBE_TYPE_BUFFER, count_metas, counts);
    run (pipeline);
    fail_unless_equals_string (counts->str, "211111");
  }
}

TEST_MAIN ("metadatakept")
