/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests what a recording keeps beside the pictures: random metas on the buffers that
 * go into pacoenc are on the pictures that come out of pacodec, through every
 * container, once, and at the right place when the picture is made smaller. */
#include "metas.h"
#include <string.h>

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
    g_autoptr (GstCaps) caps = n == 1
        ? gst_caps_new_empty_simple ("timestamp/x-unix")
        : gst_caps_new_full (random_structure (rand, "timestamp/x-ptp"), NULL);

    gst_buffer_add_reference_timestamp_meta (buffer, caps,
        (GstClockTime) g_rand_int (rand) << 31,
        draw (rand, 0, 1) ? GST_CLOCK_TIME_NONE : 40 * GST_MSECOND);
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

/* Returns the first line, or column, from which on 1/2^reduce of the picture is
 * not covered by any of those before. */
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

/* Describes all metas, kind by kind in their order, those of the picture reduced. */
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
  guint rate;          /* pictures in a second */
  GPtrArray *expected; /* of each picture */
  guint n_out;
} Session;

static void
session_init (Session *session, guint reduce)
{
  *session = (Session){ .rand = g_rand_new_with_seed (g_random_int ()),
    .reduce = reduce,
    .rate = FPS,
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

/* Puts metas on fields likewise, of which GStreamer's interlace gives two the
 * same time. */
static GstPadProbeReturn
put_on_field (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Session *session = user_data;
  GstBuffer *buffer = gst_buffer_make_writable (info->data);

  info->data = buffer;
  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (
      session->expected->len, GST_SECOND, session->rate);
  GST_BUFFER_DURATION (buffer) = GST_SECOND / session->rate;
  return put_on (pad, info, user_data);
}

/* Compares what comes out with the picture of its time, whichever that is. */
static GstPadProbeReturn
compare (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Session *session = user_data;
  g_autofree gchar *found = describe (info->data, 0);
  guint i = (guint) gst_util_uint64_scale_round (
      GST_BUFFER_PTS (info->data), session->rate, GST_SECOND);
  const gchar *expected;

  fail_unless (i < session->expected->len);
  expected = session->expected->pdata[i];
  fail_unless (strcmp (found, expected) == 0,
      "frame %u: there is\n%s\nand there was\n%s", i, found, expected);
  session->n_out++;
  return GST_PAD_PROBE_OK;
}

/* Has metas put on in front of `enc`, and compared behind `dec`. */
static GstElement *
watch (GstElement *pipeline, Session *session)
{
  add_probe (
      pipeline, "enc", "sink", GST_PAD_PROBE_TYPE_BUFFER, put_on, session);
  add_probe (
      pipeline, "dec", "src", GST_PAD_PROBE_TYPE_BUFFER, compare, session);
  return pipeline;
}

/* Tests encoded buffers with metas of their own and without, in one pipeline. */
TEST (test_direct)
{
  static const gchar *const ways[] = { "identity", "pacoparse",
    "pacoparse ! pacoparse", "rtpgstpay ! rtpgstdepay", "gdppay ! gdpdepay",
    "rtppacopay mtu=400 ! rtppacodepay",
    "rtppacopay ! rtppacodepay ! pacoparse" };

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

TEST (test_fields)
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

/* Tests that each field has metas of its own, in the pipeline and through
 * files. */
TEST (test_alternate)
{
  static const struct
  {
    const gchar *mux, *demux;
  } ways[] = {
    { NULL, NULL },
    { "identity", "pacoparse" },
    { "qtmux", "qtdemux ! pacoparse" },
    { "pacoparse ! matroskamux", "matroskademux ! pacoparse" },
  };
  g_autofree gchar *path = g_build_filename (
      g_get_tmp_dir (), "paco-metadata.XXXXXX", NULL);

  if (!gst_registry_check_feature_version (
          gst_registry_get (), "interlace", 1, 0, 0)) {
    g_print ("GStreamer's interlace is not installed: skipped\n");
    return;
  }
  close (g_mkstemp (path));
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    g_autofree gchar *way = ways[i].mux
        ? g_strdup_printf ("%s ! filesink location=%s", ways[i].mux, path)
        : g_strdup ("pacodec name=dec ! fakesink");
    GstElement *pipeline;
    Session session;

    session_init (&session, 0);
    session.rate = 2 * FPS;
    pipeline = launch (FIELDS " ! pacoenc name=enc ! %s", way);
    add_probe (pipeline, "enc", "sink", GST_PAD_PROBE_TYPE_BUFFER, put_on_field,
        &session);
    add_probe (
        pipeline, "dec", "src", GST_PAD_PROBE_TYPE_BUFFER, compare, &session);
    run (pipeline);
    if (ways[i].mux)
      run (watch (
          launch ("filesrc location=%s ! %s ! pacodec name=dec ! fakesink",
              path, ways[i].demux),
          &session));
    fail_unless_equals_int (session.n_out, 2 * N_FRAMES);
    session_clear (&session);
  }
  g_unlink (path);
}

/* Tests files, which know no metas. */
TEST (test_containers)
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

TEST (test_seek)
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
  reach_state (pipeline, GST_STATE_PAUSED);
  for (guint n = 0; n < 10; n++) {
    fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME,
        GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE,
        draw (session.rand, 0, N_FRAMES - 1) * GST_SECOND / FPS));
    before = session.n_out;
    fail_unless_equals_int (
        gst_element_get_state (pipeline, NULL, NULL, TIME_LIMIT),
        GST_STATE_CHANGE_SUCCESS);
    fail_unless (session.n_out >= before);
  }
  run (pipeline);
  fail_unless (session.n_out >= 10);
  session_clear (&session);
  g_unlink (path);
}

TEST_MAIN ("metadata")
