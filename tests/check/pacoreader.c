/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests how pacoparse reads the frames of a file (plugin/parse/gstpacoreader.c): into
 * memory that is used again, downstream's if it offers some, and large frames by
 * several threads. The elements are linked into this program, which shares their
 * allocator. */
#include "pacoframes.h"
#include "plugin/coder/gstpacoallocator.h"
#include <gst/app/gstappsink.h>

#define N_FRAMES 100
#define N_SLABS 6
/* These are the bytes of frames: more than the base class peeks into, and so
 * many that several threads read them. */
#define SMALL 70000
#define LARGE 250000
#define HUGE 2100000

void gst_plugin_paco_register (void);

/* --- frames --- */

/* Makes what the parser takes for a frame: a good header, and any bytes. */
static GByteArray *
new_frame (const GByteArray *small, guint32 n, gsize size)
{
  GByteArray *frame = g_byte_array_new ();
  PacoHeader header;

  fail_unless (
      paco_header_parse (small->data, small->len, &header, NULL, NULL));
  header.picture.width = header.picture.height = 4096;
  header.frame_size = size;
  header.video.place.number = n;
  g_byte_array_set_size (frame, size);
  for (gsize i = 0; i < size; i++)
    frame->data[i] = (i + n) * 2654435761u >> 24;
  paco_header_write (&header, frame->data);
  return frame;
}

typedef struct
{
  GPtrArray *frames;
  gchar *path;
} Film;

/* Makes n_frames frames of least to most bytes. */
static void
film_init (Film *film, guint n_frames, gsize least, gsize most)
{
  const PacoFrameSpec spec = { 48, 32, 30, 1, 1, 1, TRUE };
  GByteArray *small = paco_test_frame (&spec, 0);

  *film = (Film){ g_ptr_array_new_with_free_func (
                      (GDestroyNotify) g_byte_array_unref),
    temporary_file () };
  for (guint i = 0; i < n_frames; i++)
    g_ptr_array_add (
        film->frames, new_frame (small, i, g_random_int_range (least, most)));
  g_byte_array_unref (small);
  paco_test_write (film->frames, film->path);
}

static void
film_clear (Film *film)
{
  remove_file (film->path);
  g_ptr_array_unref (film->frames);
}

/* --- a sink that may offer memory --- */

typedef struct
{
  GstElement *pipeline;
  GstAppSink *sink;
  GstAllocator *offer; /* or NULL */
  GHashTable *seen;    /* addresses of frames */
  guint n_queries;
} Player;

static GstPadProbeReturn
answer (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstQuery *query = info->data;
  Player *player = data;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION
      || (info->type & GST_PAD_PROBE_TYPE_PULL))
    return GST_PAD_PROBE_OK;
  player->n_queries++;
  if (player->offer == NULL)
    return GST_PAD_PROBE_DROP;
  gst_query_add_allocation_param (query, player->offer, NULL);
  return GST_PAD_PROBE_HANDLED;
}

/* Launches a player; launch has %s for the file's path, and an appsink called
 * sink at the end. */
static void
player_init (
    Player *player, const Film *film, const gchar *launch, GstAllocator *offer)
{
  gchar *description = g_strdup_printf (launch, film->path);
  GError *error = NULL;
  g_autoptr (GstPad) pad = NULL;

  *player = (Player){
    .pipeline = gst_parse_launch (description, &error),
    .offer = offer,
    .seen = g_hash_table_new (NULL, NULL),
  };
  g_assert_no_error (error);
  g_free (description);
  player->sink = GST_APP_SINK (
      gst_bin_get_by_name (GST_BIN (player->pipeline), "sink"));
  g_object_set (player->sink, "sync", FALSE, "max-buffers", 2, NULL);
  pad = gst_element_get_static_pad (GST_ELEMENT (player->sink), "sink");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answer, player, NULL);
}

static void
player_clear (Player *player)
{
  gst_element_set_state (player->pipeline, GST_STATE_NULL);
  gst_object_unref (player->sink);
  gst_object_unref (player->pipeline);
  g_hash_table_unref (player->seen);
}

/* Checks that the next frame is number n, and returns its sample, which is the
 * caller's. */
static GstSample *
pull_frame (Player *player, const Film *film, guint n)
{
  GstSample *sample = gst_app_sink_try_pull_sample (player->sink, TIME_LIMIT);
  GstBuffer *buffer;
  GstMapInfo map;

  fail_unless (sample != NULL, "there is no frame %u", n);
  buffer = gst_sample_get_buffer (sample);
  fail_unless (paco_test_buffer_is (buffer, paco_test_nth (film->frames, n)),
      "frame %u is another", n);
  fail_unless_equals_uint64 (
      GST_BUFFER_PTS (buffer), gst_util_uint64_scale (n, GST_SECOND, 30));
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_int (gst_buffer_n_memory (buffer), 1);
  g_hash_table_add (player->seen, map.data);
  gst_buffer_unmap (buffer, &map);
  return sample;
}

static void
expect_frames (Player *player, const Film *film, guint from, guint to)
{
  for (guint n = from; n < to; n++)
    gst_sample_unref (pull_frame (player, film, n));
}

static void
expect_end (Player *player)
{
  fail_unless (gst_app_sink_try_pull_sample (player->sink, TIME_LIMIT) == NULL);
  fail_unless (gst_app_sink_is_eos (player->sink));
}

/* Says whether a message tells of damage. One that says that frames are
 * missing, which follows from damage, comes besides. */
static gboolean
tells_of_damage (GstMessage *message)
{
  g_autoptr (GError) error = NULL;
  gboolean damage;

  gst_message_parse_warning (message, &error, NULL);
  damage = strstr (error->message, " missing in the PaCo stream") == NULL;
  return damage;
}

static void
expect_errors (Player *player, guint n_warnings)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (player->pipeline);
  GstMessage *message;

  while ((message = gst_bus_pop (bus))) {
    fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING
        && tells_of_damage (message))
      fail_unless (n_warnings-- > 0);
    gst_message_unref (message);
  }
  fail_unless_equals_int (n_warnings, 0);
}

static void
play (Player *player)
{
  gst_element_set_state (player->pipeline, GST_STATE_PLAYING);
}

/* --- an allocator that counts --- */

typedef struct
{
  GstAllocator parent;
  gint n_asked, n_out; /* atomic */
} Counter;

typedef struct
{
  GstAllocatorClass parent_class;
} CounterClass;

static GType counter_get_type (void);
G_DEFINE_TYPE (Counter, counter, GST_TYPE_ALLOCATOR)

static void
uncount (gpointer data)
{
  Counter *counter = *(Counter **) data;

  g_atomic_int_add (&counter->n_out, -1);
  gst_object_unref (counter);
  g_free (data);
}

static GstMemory *
counter_alloc (GstAllocator *allocator, gsize size, GstAllocationParams *params)
{
  Counter *counter = (Counter *) allocator;
  guint8 *data = g_malloc (64 + size);

  g_atomic_int_inc (&counter->n_asked);
  g_atomic_int_inc (&counter->n_out);
  *(Counter **) data = gst_object_ref (counter);
  return gst_memory_new_wrapped (0, data, 64 + size, 64, size, data, uncount);
}

static void
counter_class_init (CounterClass *klass)
{
  GST_ALLOCATOR_CLASS (klass)->alloc = counter_alloc;
}

static void
counter_init (Counter *counter)
{
  GST_OBJECT_FLAG_SET (counter, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

static Counter *
counter_new (void)
{
  return gst_object_ref_sink (g_object_new (counter_get_type (), NULL));
}

/* --- tests --- */

/* These are all ways in which filesrc's bytes come unchanged, and one in which
 * something stands between that the parser does not know. Frames are what they
 * were, and but for the latter and the first frame lie in the memory that is
 * offered. */
static const struct
{
  const gchar *launch;
  gboolean direct;
} ways[] = {
  { "filesrc location=%s ! pacoparse ! appsink name=sink", TRUE },
  { "filesrc location=%s ! pacoparse ! queue ! appsink name=sink", TRUE },
  { "filesrc location=%s ! typefind ! pacoparse ! appsink name=sink", TRUE },
  { "filesrc location=%s ! bin.( typefind ! pacoparse ) ! appsink name=sink",
      TRUE },
  { "bin.( filesrc location=%s ) ! bin.( pacoparse ! queue ) ! "
    "appsink name=sink",
      TRUE },
  { "giosrc location=file://%s ! pacoparse ! appsink name=sink", TRUE },
  { "filesrc location=%s ! identity ! pacoparse ! appsink name=sink", FALSE },
  { "filesrc location=%s ! queue ! pacoparse ! appsink name=sink", FALSE },
};

static void
check_way (guint way, gsize least, gsize most, guint n_frames)
{
  Counter *counter = counter_new ();
  GstAllocator *offer = gst_paco_recycler_new (
      (GstAllocator *) counter, N_SLABS);
  Player player;
  Film film;

  film_init (&film, n_frames, least, most);
  player_init (&player, &film, ways[way].launch, offer);
  play (&player);
  expect_frames (&player, &film, 0, n_frames);
  expect_end (&player);
  expect_errors (&player, 0);
  if (ways[way].direct) {
    fail_unless_equals_int (player.n_queries, 1);
    /* Slabs are replaced only while frames become larger. */
    fail_unless (counter->n_asked > 0);
    fail_unless (counter->n_out <= N_SLABS);
    fail_unless (counter->n_asked <= 5 * N_SLABS, "%s: %d slabs",
        ways[way].launch, counter->n_asked);
  } else {
    fail_unless_equals_int (counter->n_asked, 0);
  }
  player_clear (&player);
  gst_object_unref (offer);
  fail_unless_equals_int (counter->n_out, 0);
  gst_object_unref (counter);
  film_clear (&film);
}

LOOP_TEST (test_offered, G_N_ELEMENTS (ways))
{
  check_way (__i__, SMALL, LARGE, N_FRAMES);
}

LOOP_TEST (test_offered_threads, G_N_ELEMENTS (ways))
{
  check_way (__i__, HUGE, HUGE * 2, 8);
}

/* Tests that ordinary memory is used, and used again, where downstream offers none. */
TEST (test_not_offered)
{
  Player player;
  Film film;

  film_init (&film, N_FRAMES, SMALL, SMALL + 1000);
  player_init (&player, &film, ways[0].launch, NULL);
  play (&player);
  expect_frames (&player, &film, 0, N_FRAMES);
  expect_end (&player);
  fail_unless_equals_int (player.n_queries, 1);
  fail_unless (g_hash_table_size (player.seen) < 10, "%u places",
      g_hash_table_size (player.seen));
  player_clear (&player);
  film_clear (&film);
}

/* Tests that an allocator of another kind is not asked frame by frame. */
TEST (test_foreign_allocator)
{
  Counter *counter = counter_new ();
  Player player;
  Film film;

  film_init (&film, 20, SMALL, LARGE);
  player_init (&player, &film, ways[0].launch, (GstAllocator *) counter);
  play (&player);
  expect_frames (&player, &film, 0, 20);
  expect_end (&player);
  fail_unless_equals_int (counter->n_asked, 0);
  player_clear (&player);
  gst_object_unref (counter);
  film_clear (&film);
}

/* Tests that downstream may keep more frames than there are slabs. */
TEST (test_held)
{
  Counter *counter = counter_new ();
  GstAllocator *offer = gst_paco_recycler_new (
      (GstAllocator *) counter, N_SLABS);
  GstSample *held[5 * N_SLABS];
  Player player;
  Film film;

  film_init (&film, G_N_ELEMENTS (held), SMALL, LARGE);
  player_init (&player, &film, ways[0].launch, offer);
  play (&player);
  for (guint i = 0; i < G_N_ELEMENTS (held); i++)
    held[i] = pull_frame (&player, &film, i);
  fail_unless_equals_int (g_hash_table_size (player.seen), 5 * N_SLABS);
  fail_unless_equals_int (counter->n_out, N_SLABS);
  player_clear (&player);
  gst_object_unref (offer);
  /* The frames are what they were, and outlive all. */
  for (guint i = 0; i < G_N_ELEMENTS (held); i++) {
    fail_unless (paco_test_buffer_is (
        gst_sample_get_buffer (held[i]), paco_test_nth (film.frames, i)));
    gst_sample_unref (held[i]);
  }
  fail_unless_equals_int (counter->n_out, 0);
  gst_object_unref (counter);
  film_clear (&film);
}

/* Tests seeks at any time, also while a frame is read. */
TEST (test_seeks)
{
  GstAllocator *offer = gst_paco_recycler_new (NULL, N_SLABS);
  Player player;
  Film film;

  film_init (&film, 12, HUGE, HUGE * 2);
  player_init (&player, &film, ways[0].launch, offer);
  play (&player);
  gst_element_get_state (player.pipeline, NULL, NULL, TIME_LIMIT);
  for (guint i = 0; i < 40; i++) {
    guint n = g_random_int_range (0, 10);

    g_usleep (g_random_int_range (0, 3000));
    fail_unless (gst_element_seek_simple (player.pipeline, GST_FORMAT_TIME,
        GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE,
        gst_util_uint64_scale_ceil (n, GST_SECOND, 30)));
    expect_frames (&player, &film, n, n + g_random_int_range (0, 3));
  }
  player_clear (&player);
  gst_object_unref (offer);
  film_clear (&film);
}

/* Tests that a stopped parser starts again with memory from a new offer. */
TEST (test_restart)
{
  Counter *counters[4];
  Player player;
  Film film;

  film_init (&film, 10, SMALL, LARGE);
  player_init (&player, &film, ways[0].launch, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (counters); i++) {
    counters[i] = counter_new ();
    if (i != 1)
      player.offer = gst_paco_recycler_new (
          (GstAllocator *) counters[i], N_SLABS);
    play (&player);
    expect_frames (&player, &film, 0, 2 * i + 3);
    gst_element_set_state (player.pipeline, GST_STATE_NULL);
    fail_unless_equals_int (counters[i]->n_asked > 0, i != 1);
    gst_clear_object (&player.offer);
  }
  player_clear (&player);
  for (guint i = 0; i < G_N_ELEMENTS (counters); i++) {
    fail_unless_equals_int (counters[i]->n_out, 0);
    gst_object_unref (counters[i]);
  }
  film_clear (&film);
}

/* --- files that change --- */

/* This is what happens when filesrc has answered for the first time. */
typedef struct
{
  const Film *film;
  const Film *other; /* takes its place, or NULL */
  gsize size;        /* that it is cut to, or 0 */
  guint after;       /* answers */
} Change;

static GstPadProbeReturn
change (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Change *self = data;

  if (self->after-- > 0)
    return GST_PAD_PROBE_OK;
  if (self->other != NULL) {
    g_autofree gchar *path = g_strconcat (self->film->path, ".new", NULL);

    paco_test_write (self->other->frames, path);
    fail_unless_equals_int (g_rename (path, self->film->path), 0);
  } else {
    fail_unless_equals_int (truncate (self->film->path, self->size), 0);
  }
  return GST_PAD_PROBE_REMOVE;
}

static void
add_change (Player *player, Change *data)
{
  g_autoptr (GstElement)
      source = gst_bin_get_by_name (GST_BIN (player->pipeline), "filesrc0");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (source, "src");

  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_SCHEDULING | GST_PAD_PROBE_TYPE_BUFFER, change, data,
      NULL);
}

/* Tests that filesrc goes on with the file that it has opened, and so does the
 * parser. */
TEST (test_replaced)
{
  Change replace;
  Player player;
  Film film, other;

  film_init (&film, 8, HUGE, HUGE + 1);
  film_init (&other, 8, HUGE, HUGE + 1);
  /* The other file has the same sizes, and one other byte in each frame. */
  for (guint i = 0; i < 8; i++)
    paco_test_nth (other.frames, i)->data[1000] ^= 1;
  player_init (&player, &film,
      "filesrc name=filesrc0 location=%s ! pacoparse ! appsink name=sink",
      NULL);
  replace = (Change){ &film, &other, 0, 0 };
  add_change (&player, &replace);
  play (&player);
  expect_frames (&player, &film, 0, 8);
  expect_end (&player);
  player_clear (&player);
  film_clear (&other);
  film_clear (&film);
}

/* Says how many warnings there are that the file was cut to this size. */
static guint
count_cut (Player *player, gsize size)
{
  g_autofree gchar *text = g_strdup_printf (
      "was cut while it was read: it had %u bytes and has %u now",
      (guint) (8 * HUGE), (guint) size);
  g_autoptr (GstBus) bus = gst_element_get_bus (player->pipeline);
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop (bus))) {
    fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
      g_autoptr (GError) error = NULL;

      gst_message_parse_warning (message, &error, NULL);
      n += strstr (error->message, text) != NULL;
    }
    gst_message_unref (message);
  }
  return n;
}

/* Tests that a file that becomes shorter while it is read has fewer frames, and that a
 * warning says so, wherever the end is. */
LOOP_TEST (test_cut, 8)
{
  const gboolean pulls = __i__ < 4;
  const gsize ends[] = { 3 * HUGE + HUGE / 2, 3 * HUGE, HUGE + 17, 0 };
  const guint after = g_random_int_range (1, 4);
  Change cut;
  Player player;
  Film film;
  guint n = 0;
  GstSample *sample;

  film_init (&film, 8, HUGE, HUGE + 1);
  player_init (&player, &film,
      pulls ? "filesrc name=filesrc0 location=%s ! pacoparse ! "
              "appsink name=sink"
            : "filesrc name=filesrc0 location=%s blocksize=100000 ! queue "
              "max-size-buffers=2 ! pacoparse ! appsink name=sink",
      NULL);
  cut = (Change){ &film, NULL, ends[__i__ % 4], pulls ? after : 40 };
  add_change (&player, &cut);
  play (&player);
  while ((sample = gst_app_sink_try_pull_sample (player.sink, TIME_LIMIT))) {
    fail_unless (paco_test_buffer_is (
        gst_sample_get_buffer (sample), paco_test_nth (film.frames, n++)));
    gst_sample_unref (sample);
  }
  fail_unless (gst_app_sink_is_eos (player.sink));
  fail_unless (n < 8);
  fail_unless_equals_int (count_cut (&player, cut.size), 1);
  player_clear (&player);
  film_clear (&film);
}

/* Tests that a frame that is cut in the middle of the file is lost, and those
 * after it are not. */
TEST (test_damage)
{
  GstAllocator *offer = gst_paco_recycler_new (NULL, N_SLABS);
  Player player;
  Film film;
  GByteArray *whole, *piece;

  film_init (&film, 6, HUGE, HUGE * 2);
  whole = paco_test_nth (film.frames, 2);
  piece = g_byte_array_new ();
  g_byte_array_append (
      piece, whole->data, g_random_int_range (2000, whole->len - 1));
  film.frames->pdata[2] = piece;
  paco_test_write (film.frames, film.path);
  player_init (&player, &film, ways[0].launch, offer);
  play (&player);
  expect_frames (&player, &film, 0, 2);
  for (guint n = 3; n < 6; n++) {
    g_autoptr (GstSample)
        sample = gst_app_sink_try_pull_sample (player.sink, TIME_LIMIT);

    fail_unless (sample != NULL);
    fail_unless (paco_test_buffer_is (
        gst_sample_get_buffer (sample), paco_test_nth (film.frames, n)));
  }
  expect_end (&player);
  expect_errors (&player, 1);
  player_clear (&player);
  gst_object_unref (offer);
  g_byte_array_unref (whole);
  film_clear (&film);
}

TEST_MAIN_AFTER (gst_plugin_paco_register (), "pacoreader")
