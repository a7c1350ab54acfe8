/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What a recording remembers beside the pictures: random metas on the buffers that
 * go into pacoenc are those of the pictures that come out of pacodec, through every
 * container, once, and where they belong when the picture is made smaller. */
#include "codec/header.h"
#include "recording.h"
#include <string.h>

#define N_FRAMES 12
#define FPS 25
#define WIDTH 96
#define HEIGHT 64

/* --- metas ------------------------------------------------------------ */

static guint
draw (GRand *rand, guint low, guint high)
{
  return low + g_rand_int (rand) % (high - low + 1);
}

static void
add_captions (GRand *rand, GstBuffer *buffer)
{
  for (guint n = draw (rand, 0, 3); n > 0; n--) {
    guint8 data[120];
    gsize size = draw (rand, 1, sizeof data);

    for (gsize i = 0; i < size; i++)
      data[i] = g_rand_int (rand);
    gst_buffer_add_video_caption_meta (buffer,
        draw (rand, GST_VIDEO_CAPTION_TYPE_CEA608_RAW,
            GST_VIDEO_CAPTION_TYPE_CEA708_CDP),
        data, size);
  }
}

static void
add_timecodes (GRand *rand, GstBuffer *buffer)
{
  for (guint n = draw (rand, 0, 2); n > 0; n--) {
    g_autoptr (GTimeZone)
        zone = g_time_zone_new_offset ((gint) draw (rand, 0, 40000) - 20000);
    g_autoptr (GDateTime) jam = g_date_time_new (zone, draw (rand, 1990, 2090),
        draw (rand, 1, 12), draw (rand, 1, 28), draw (rand, 0, 23),
        draw (rand, 0, 59), draw (rand, 0, 59) + 0.25);
    gboolean drop = draw (rand, 0, 1), fields = draw (rand, 0, 1);

    fail_unless (gst_buffer_add_video_time_code_meta_full (buffer,
        drop ? 30000 : FPS, drop ? 1001 : 1, draw (rand, 0, 1) ? jam : NULL,
        (drop ? GST_VIDEO_TIME_CODE_FLAGS_DROP_FRAME : 0)
            | (fields ? GST_VIDEO_TIME_CODE_FLAGS_INTERLACED : 0),
        draw (rand, 0, 23), draw (rand, 0, 59), draw (rand, 1, 59),
        draw (rand, 0, 24), fields ? draw (rand, 1, 2) : 0));
  }
}

static void
add_active_formats (GRand *rand, GstBuffer *buffer)
{
  static const guint values[] = { 0, 2, 3, 4, 8, 9, 10, 11, 13, 14, 15 };

  for (guint field = 0; field < draw (rand, 0, 2); field++)
    gst_buffer_add_video_afd_meta (buffer, field, draw (rand, 1, 2),
        values[draw (rand, 0, G_N_ELEMENTS (values) - 1)]);
  if (draw (rand, 0, 1))
    gst_buffer_add_video_bar_meta (buffer, draw (rand, 0, 1), draw (rand, 0, 1),
        draw (rand, 0, HEIGHT), draw (rand, 0, HEIGHT));
}

static GstStructure *
random_structure (GRand *rand, const gchar *name)
{
  GstStructure *structure = gst_structure_new (
      name, "number", G_TYPE_INT, (gint) g_rand_int (rand), NULL);

  if (draw (rand, 0, 1))
    gst_structure_set (structure, "text", G_TYPE_STRING, "a \"b\" é", "yes",
        G_TYPE_BOOLEAN, (gboolean) draw (rand, 0, 1), "real", G_TYPE_DOUBLE,
        g_rand_double (rand), "ratio", GST_TYPE_FRACTION,
        (gint) draw (rand, 0, 9), 7, "u", G_TYPE_UINT, g_rand_int (rand),
        "large", G_TYPE_UINT64, (guint64) g_rand_int (rand) << 32, "long",
        G_TYPE_INT64, -(gint64) g_rand_int (rand), NULL);
  return structure;
}

static void
add_regions (GRand *rand, GstBuffer *buffer)
{
  static const gchar *const types[] = { "face", "a traffic light", "roi/x" };

  for (guint n = draw (rand, 0, 3); n > 0; n--) {
    GstVideoRegionOfInterestMeta *meta =
        gst_buffer_add_video_region_of_interest_meta (buffer,
            types[draw (rand, 0, 2)], draw (rand, 0, WIDTH - 1),
            draw (rand, 0, HEIGHT - 1), draw (rand, 0, WIDTH),
            draw (rand, 0, HEIGHT));

    meta->id = (gint) g_rand_int (rand);
    meta->parent_id = (gint) draw (rand, 0, 3) - 1;
    for (guint k = draw (rand, 0, 2); k > 0; k--)
      gst_video_region_of_interest_meta_add_param (
          meta, random_structure (rand, k == 1 ? "roi/x264" : "detection"));
  }
}

static void
add_references (GRand *rand, GstBuffer *buffer)
{
  for (guint n = draw (rand, 0, 2); n > 0; n--) {
    GstCaps *caps = n == 1
        ? gst_caps_new_empty_simple ("timestamp/x-unix")
        : gst_caps_new_full (random_structure (rand, "timestamp/x-ptp"), NULL);

    gst_buffer_add_reference_timestamp_meta (buffer, caps,
        (GstClockTime) g_rand_int (rand) << 31,
        draw (rand, 0, 1) ? GST_CLOCK_TIME_NONE : 40 * GST_MSECOND);
    gst_caps_unref (caps);
  }
}

static void
add_random (GRand *rand, GstBuffer *buffer)
{
  add_captions (rand, buffer);
  add_regions (rand, buffer);
  add_timecodes (rand, buffer);
  add_active_formats (rand, buffer);
  add_references (rand, buffer);
}

/* --- what they say ---------------------------------------------------- */

static void
describe_caption (GString *text, const GstMeta *meta, guint reduce)
{
  const GstVideoCaptionMeta *caption = (const GstVideoCaptionMeta *) meta;

  g_string_append_printf (text, "caption %d:", caption->caption_type);
  for (gsize i = 0; i < caption->size; i++)
    g_string_append_printf (text, " %02x", caption->data[i]);
}

static void
describe_timecode (GString *text, const GstMeta *meta, guint reduce)
{
  const GstVideoTimeCode *code = &((const GstVideoTimeCodeMeta *) meta)->tc;
  GDateTime *jam = code->config.latest_daily_jam;
  g_autofree gchar *time = jam
      ? g_date_time_format (jam, "%Y-%m-%d %H:%M:%S.%f %::z")
      : NULL;

  g_string_append_printf (text, "timecode %u:%u:%u:%u.%u %u/%u %d %s",
      code->hours, code->minutes, code->seconds, code->frames,
      code->field_count, code->config.fps_n, code->config.fps_d,
      code->config.flags, time ? time : "-");
}

static void
describe_afd (GString *text, const GstMeta *meta, guint reduce)
{
  const GstVideoAFDMeta *afd = (const GstVideoAFDMeta *) meta;

  g_string_append_printf (
      text, "AFD %u %d %d", afd->field, afd->spec, afd->afd);
}

/* The first line, or column, from which on 1/2^reduce of the picture is not covered
 * by any of those before. */
static guint
shrink (guint at, guint reduce)
{
  while (reduce-- > 0)
    at = at / 2 + at % 2;
  return at;
}

static void
describe_bars (GString *text, const GstMeta *meta, guint reduce)
{
  const GstVideoBarMeta *bars = (const GstVideoBarMeta *) meta;

  g_string_append_printf (text, "bars %u %d %u %u", bars->field,
      bars->is_letterbox, bars->bar_data1 >> reduce,
      shrink (bars->bar_data2, reduce));
}

static void
describe_region (GString *text, const GstMeta *meta, guint reduce)
{
  const GstVideoRegionOfInterestMeta *region =
      (const GstVideoRegionOfInterestMeta *) meta;
  guint x = region->x >> reduce, y = region->y >> reduce;

  g_string_append_printf (text, "region %s %d %d %u+%u %u+%u",
      g_quark_to_string (region->roi_type), region->id, region->parent_id, x,
      shrink (region->x + region->w, reduce) - x, y,
      shrink (region->y + region->h, reduce) - y);
  for (const GList *l = region->params; l; l = l->next) {
    g_autofree gchar *parameter = gst_structure_to_string (l->data);

    g_string_append_printf (text, " [%s]", parameter);
  }
}

static void
describe_reference (GString *text, const GstMeta *meta, guint reduce)
{
  const GstReferenceTimestampMeta *reference =
      (const GstReferenceTimestampMeta *) meta;
  g_autofree gchar *caps = gst_caps_to_string (reference->reference);

  g_string_append_printf (text,
      "reference %s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, caps,
      reference->timestamp, reference->duration);
}

/* All metas, kind by kind in their order, those of the picture reduced. */
static gchar *
describe (GstBuffer *buffer, guint reduce)
{
  const struct
  {
    GType api;
    void (*describe) (GString *text, const GstMeta *meta, guint reduce);
  } kinds[] = {
    { GST_VIDEO_CAPTION_META_API_TYPE, describe_caption },
    { GST_VIDEO_TIME_CODE_META_API_TYPE, describe_timecode },
    { GST_VIDEO_AFD_META_API_TYPE, describe_afd },
    { GST_VIDEO_BAR_META_API_TYPE, describe_bars },
    { GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE, describe_region },
    { GST_REFERENCE_TIMESTAMP_META_API_TYPE, describe_reference },
  };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    gpointer state = NULL;
    const GstMeta *meta;

    while ((meta = gst_buffer_iterate_meta_filtered (
                buffer, &state, kinds[i].api))) {
      kinds[i].describe (text, meta, reduce);
      g_string_append_c (text, '\n');
    }
  }
  return g_string_free (text, FALSE);
}

/* --- pipelines -------------------------------------------------------- */

typedef struct
{
  GRand *rand;
  guint reduce;
  guint kinds;         /* bits of what is left for comparison; 0: all */
  GPtrArray *expected; /* of each frame */
  guint n_out;
} Session;

static void
session_init (Session *session, guint reduce)
{
  *session = (Session){ .rand = g_rand_new_with_seed (g_random_int ()),
    .reduce = reduce,
    .expected = g_ptr_array_new_with_free_func (g_free) };
}

static void
session_clear (Session *session)
{
  g_rand_free (session->rand);
  g_ptr_array_unref (session->expected);
}

static GstPadProbeReturn
put_on (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Session *session = user_data;
  GstBuffer *buffer = gst_buffer_make_writable (info->data);

  info->data = buffer;
  add_random (session->rand, buffer);
  g_ptr_array_add (session->expected, describe (buffer, session->reduce));
  return GST_PAD_PROBE_OK;
}

/* Compares what comes out with the frame of its time, whichever that is. */
static GstPadProbeReturn
compare (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Session *session = user_data;
  g_autofree gchar *found = describe (info->data, 0);
  guint i = (guint) gst_util_uint64_scale_round (
      GST_BUFFER_PTS (info->data), FPS, GST_SECOND);
  const gchar *expected;

  fail_unless (i < session->expected->len);
  expected = session->expected->pdata[i];
  fail_unless (strcmp (found, expected) == 0,
      "frame %u: there is\n%s\nand there was\n%s", i, found, expected);
  session->n_out++;
  return GST_PAD_PROBE_OK;
}

static void
add_probe (GstElement *pipeline, const gchar *element, const gchar *pad_name,
    GstPadProbeCallback callback, gpointer data)
{
  GstElement *found = gst_bin_get_by_name (GST_BIN (pipeline), element);
  GstPad *pad;

  if (!found)
    return;
  pad = gst_element_get_static_pad (found, pad_name);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, data, NULL);
  gst_object_unref (pad);
  gst_object_unref (found);
}

/* Metas go on in front of `enc`, and are compared behind `dec`. */
static GstElement *
watch (GstElement *pipeline, Session *session)
{
  add_probe (pipeline, "enc", "sink", put_on, session);
  add_probe (pipeline, "dec", "src", compare, session);
  return pipeline;
}

#define SOURCE                                                                 \
  "videotestsrc num-buffers=" G_STRINGIFY (                                    \
      N_FRAMES) " ! "                                                          \
                "video/x-raw,format=I420,width=" G_STRINGIFY (                 \
                    WIDTH) ",height=" G_STRINGIFY (HEIGHT) ",framerate"        \
                                                           "=" G_STRINGIFY (   \
                                                               FPS) "/1%s ! "  \
                                                                    "pacoenc " \
                                                                    "name="    \
                                                                    "enc %s "  \
                                                                    "! "

/* With the encoded buffers' own metas and without, in one pipeline. */
GST_START_TEST (test_direct)
{
  static const gchar *const ways[] = { "identity", "pacoparse",
    "pacoparse ! pacoparse", "rtpgstpay ! rtpgstdepay", "gdppay ! gdpdepay" };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (ways); i++) {
    Session session;

    session_init (&session, i % 2);
    run (watch (launch (SOURCE "%s ! pacodec name=dec reduce=%u ! fakesink", "",
                    i % 3 ? "" : "rate-control=bitrate frame-size=3000",
                    ways[i / 2], i % 2),
        &session));
    fail_unless_equals_int (session.n_out, N_FRAMES);
    session_clear (&session);
  }
}
GST_END_TEST;

GST_START_TEST (test_fields)
{
  static const gchar *const modes[] = { ",interlace-mode=interleaved",
    ",interlace-mode=mixed" };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    Session session;

    session_init (&session, 0);
    run (watch (
        launch (SOURCE "pacodec name=dec ! fakesink", modes[i], ""), &session));
    fail_unless_equals_int (session.n_out, N_FRAMES);
    session_clear (&session);
  }
}
GST_END_TEST;

/* Through files, which know no metas. */
GST_START_TEST (test_containers)
{
  static const struct
  {
    const gchar *mux, *demux;
  } containers[] = {
    { "qtmux", "qtdemux ! pacoparse" },
    { "pacoparse ! qtmux", "qtdemux ! pacoparse" },
    { "mp4mux", "qtdemux ! pacoparse" },
    { "mp4mux fragment-duration=100", "qtdemux ! pacoparse" },
    { "matroskamux", "matroskademux ! pacoparse" },
    { "identity", "pacoparse" },
    { "identity", "identity ! pacoparse" },
    { "gdppay", "gdpdepay ! pacoparse" },
  };
  g_autofree gchar *path = g_build_filename (
      g_get_tmp_dir (), "paco-metadata.XXXXXX", NULL);

  close (g_mkstemp (path));
  for (guint i = 0; i < 2 * G_N_ELEMENTS (containers); i++) {
    const gchar *mux = containers[i / 2].mux, *demux = containers[i / 2].demux;
    Session session;

    session_init (&session, i % 2 ? 2 : 0);
    run (watch (launch (SOURCE "%s ! filesink location=%s", "", "", mux, path),
        &session));
    run (watch (launch ("filesrc location=%s ! %s ! pacodec name=dec "
                        "reduce=%u ! fakesink",
                    path, demux, session.reduce),
        &session));
    fail_unless_equals_int (session.n_out, N_FRAMES);
    session_clear (&session);
  }
  g_unlink (path);
}
GST_END_TEST;

GST_START_TEST (test_seek)
{
  g_autofree gchar *path = g_build_filename (
      g_get_tmp_dir (), "paco-metadata.XXXXXX", NULL);
  GstElement *pipeline;
  Session session;
  guint before;

  close (g_mkstemp (path));
  session_init (&session, 0);
  run (watch (launch (SOURCE "filesink location=%s", "", "", path), &session));
  pipeline = watch (launch ("filesrc location=%s ! pacoparse ! "
                            "pacodec name=dec ! fakesink",
                        path),
      &session);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless_equals_int (gst_element_get_state (pipeline, NULL, NULL, TIMEOUT),
      GST_STATE_CHANGE_SUCCESS);
  for (guint n = 0; n < 10; n++) {
    fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME,
        GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE,
        draw (session.rand, 0, N_FRAMES - 1) * GST_SECOND / FPS));
    before = session.n_out;
    fail_unless_equals_int (
        gst_element_get_state (pipeline, NULL, NULL, TIMEOUT),
        GST_STATE_CHANGE_SUCCESS);
    fail_unless (session.n_out >= before);
  }
  run (pipeline);
  fail_unless (session.n_out >= 10);
  session_clear (&session);
  g_unlink (path);
}
GST_END_TEST;

/* --- what is left out ------------------------------------------------- */

/* The warnings of a pipeline that runs to its end. */
static GPtrArray *
run_for_warnings (GstElement *pipeline)
{
  GPtrArray *warnings = g_ptr_array_new_with_free_func (g_free);
  GstBus *bus = gst_element_get_bus (pipeline);
  gboolean done = FALSE;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!done) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, TIMEOUT,
        GST_MESSAGE_ERROR | GST_MESSAGE_EOS | GST_MESSAGE_WARNING);
    GError *error = NULL;

    fail_unless (message && GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR);
    done = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    if (!done) {
      gst_message_parse_warning (message, &error, NULL);
      g_ptr_array_add (warnings, g_strdup (error->message));
      g_error_free (error);
    }
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  return warnings;
}

static guint64
stat_of (GstElement *pipeline, const gchar *element, const gchar *field)
{
  GstElement *found = gst_bin_get_by_name (GST_BIN (pipeline), element);
  GstStructure *stats;
  guint64 value = 0;

  g_object_get (found, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, field, &value));
  gst_structure_free (stats);
  gst_object_unref (found);
  return value;
}

static void
stop_pipeline (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* How many metas a picture has of each kind, as digits. */
static GstPadProbeReturn
count_metas (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GString *counts = user_data;
  const GType apis[] = { GST_VIDEO_CAPTION_META_API_TYPE,
    GST_VIDEO_AFD_META_API_TYPE, GST_VIDEO_BAR_META_API_TYPE,
    GST_VIDEO_TIME_CODE_META_API_TYPE,
    GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE,
    GST_REFERENCE_TIMESTAMP_META_API_TYPE };

  g_string_truncate (counts, 0);
  for (guint i = 0; i < G_N_ELEMENTS (apis); i++)
    g_string_append_printf (
        counts, "%u", gst_buffer_get_n_meta (info->data, apis[i]));
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
put_one_of_each (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstBuffer *buffer = gst_buffer_make_writable (info->data);
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple ("timestamp/x-unix");

  info->data = buffer;
  gst_buffer_add_video_caption_meta (
      buffer, GST_VIDEO_CAPTION_TYPE_CEA608_RAW, (guint8 *) "ab", 2);
  gst_buffer_add_video_afd_meta (buffer, 0, 0, 8);
  gst_buffer_add_video_bar_meta (buffer, 0, TRUE, 1, 60);
  gst_buffer_add_video_time_code_meta_full (
      buffer, FPS, 1, NULL, 0, 1, 2, 3, 4, 0);
  gst_buffer_add_video_region_of_interest_meta (buffer, "face", 1, 2, 3, 4);
  gst_buffer_add_reference_timestamp_meta (buffer, caps, 1, 2);
  return GST_PAD_PROBE_OK;
}

/* The property says what a frame remembers. The transport drops all metas. */
GST_START_TEST (test_property)
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
    GString *counts = g_string_new (NULL);
    GstElement *pipeline = launch (
        SOURCE "gdppay ! gdpdepay ! pacodec name=dec ! fakesink", "", "");
    GstElement *enc = gst_bin_get_by_name (GST_BIN (pipeline), "enc");

    gst_util_set_object_arg (G_OBJECT (enc), "metadata", cases[i].value);
    gst_object_unref (enc);
    add_probe (pipeline, "enc", "sink", put_one_of_each, NULL);
    add_probe (pipeline, "dec", "src", count_metas, counts);
    run (pipeline);
    fail_unless_equals_string (counts->str, cases[i].counts);
    g_string_free (counts, TRUE);
  }
}
GST_END_TEST;

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

/* What cannot be remembered is left out with one warning for all frames, which says
 * what to do, and the rest is there. */
GST_START_TEST (test_left_out)
{
  static const Unstorable cases[] = {
    { put_too_many, "", NULL, "at most 32768 bytes", 0 },
    { put_too_many, "rate-control=bitrate frame-size=2500", NULL,
        "raise bitrate or frame-size", 0 },
    { put_odd_parameter, "", "111111", "parameter pixels of a region", 1 },
    { put_odd_reference, "", "111111", "timestamp/x-ntp", 1 },
    { put_long_type, "", "111111", "up to 255 bytes", 1 },
    { put_long_caption, "", "111111", "A caption of a frame", 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GString *counts = g_string_new (NULL);
    GstElement *pipeline = launch (SOURCE
        "gdppay ! gdpdepay ! pacodec name=dec ! fakesink",
        "", cases[i].settings);
    GPtrArray *warnings;
    guint64 left_out;

    add_probe (pipeline, "enc", "sink", cases[i].put, NULL);
    add_probe (pipeline, "dec", "src", count_metas, counts);
    warnings = run_for_warnings (pipeline);
    fail_unless_equals_int (warnings->len, 1);
    fail_unless (strstr (warnings->pdata[0], cases[i].words), "%s",
        (gchar *) warnings->pdata[0]);
    left_out = stat_of (pipeline, "enc", "metadata-left-out");
    fail_unless (cases[i].left_out > 0
            ? left_out == N_FRAMES * cases[i].left_out
            : left_out >= 500 * N_FRAMES);
    if (cases[i].counts)
      fail_unless_equals_string (counts->str, cases[i].counts);
    /* What there is little of goes first. */
    fail_unless (g_str_has_prefix (counts->str, "1111"), "%s", counts->str);
    stop_pipeline (pipeline);
    g_ptr_array_unref (warnings);
    g_string_free (counts, TRUE);
  }
}
GST_END_TEST;

/* --- GStreamer's own elements ----------------------------------------- */

static gboolean
file_has (const gchar *path, const gchar *word)
{
  g_autofree gchar *data = NULL;
  gsize size;

  fail_unless (g_file_get_contents (path, &data, &size, NULL));
  return memmem (data, size, word, strlen (word)) != NULL;
}

/* The timecode track of a MOV file, as with any other encoder; also from frames that
 * were in a file without one. */
GST_START_TEST (test_timecode_track)
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
GST_END_TEST;

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
  GstPad *peer = gst_element_get_static_pad (sink, "sink");

  if (gst_pad_link (pad, peer) != GST_PAD_LINK_OK)
    GST_ELEMENT_ERROR (extractor, CORE, PAD, ("captions do not link"), (NULL));
  gst_object_unref (peer);
}

/* Captions come out of decoded pictures, and out of coded ones. */
GST_START_TEST (test_ccextractor)
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
    add_probe (pipeline, "enc", "sink", put_caption, NULL);
    add_probe (pipeline, "captions", "sink", check_caption, &n);
    run (pipeline);
    fail_unless_equals_int (n, N_FRAMES);
  }
}
GST_END_TEST;

static GstPadProbeReturn
put_caption_later (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  put_caption (pad, info, user_data);
  return put_one_of_each (pad, info, user_data);
}

/* What was put on frames after they were coded is on the pictures, too, unless it is
 * what they brought. */
GST_START_TEST (test_newer)
{
  static const gchar *const ways[] = { "identity", "pacoparse" };

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    GString *counts = g_string_new (NULL);
    GstElement *pipeline = launch (SOURCE
        "identity name=after ! %s ! pacodec name=dec ! fakesink",
        "", "", ways[i]);

    add_probe (pipeline, "enc", "sink", put_one_of_each, NULL);
    add_probe (pipeline, "after", "src", put_caption_later, NULL);
    add_probe (pipeline, "dec", "src", count_metas, counts);
    run (pipeline);
    fail_unless_equals_string (counts->str, "211111");
    g_string_free (counts, TRUE);
  }
}
GST_END_TEST;

static Suite *
metadata_suite (void)
{
  Suite *suite = suite_create ("metadata");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 300);
  tcase_add_test (tc, test_direct);
  tcase_add_test (tc, test_fields);
  tcase_add_test (tc, test_containers);
  tcase_add_test (tc, test_seek);
  tcase_add_test (tc, test_property);
  tcase_add_test (tc, test_left_out);
  tcase_add_test (tc, test_timecode_track);
  tcase_add_test (tc, test_ccextractor);
  tcase_add_test (tc, test_newer);
  return suite;
}

GST_CHECK_MAIN (metadata);
