/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the parts of archive/ one by one: names and their order, bytes that grow, files
 * that are restored, what frames keep and what broken frames keep, the line of threads,
 * sound, and PNM files that contradict themselves. Cases are random; PACO_SEED
 * repeats them. */
#include "tool/archive/bytes.h"
#include "tool/archive/chunks.h"
#include "tool/archive/folder.h"
#include "tool/archive/source.h"
#include "tool/archive/line.h"
#include "tool/archive/memory.h"
#include "tool/archive/part.h"
#include "tool/archive/sound.h"
#include "codec/bytes.h"
#include "tests/archive/restoring.h"
#include "tests/lib/status.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xxhash.h>

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PacoKeptFile, paco_kept_file_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PacoKeptChunks, paco_kept_chunks_clear)

static GRand *dice;

/* This takes the place of the system's function in this program. */
static int truncating_fails_with; /* or 0 */

int
ftruncate (int fd, off_t length)
{
  errno = truncating_fails_with;
  return errno ? -1 : (int) syscall (SYS_ftruncate, fd, length);
}

static guint
roll (guint n)
{
  return g_rand_int (dice) % n;
}

static void
fill (GByteArray *bytes, guint size, gboolean noise)
{
  g_byte_array_set_size (bytes, size);
  for (guint i = 0; i < size; i++)
    bytes->data[i] = noise ? (guint8) g_rand_int (dice) : (guint8) (i / 9);
}

/* --- names ----------------------------------------------------------------- */

static void
test_names (void)
{
  static const char *const good[] = { "a", "a/b", "..a", "a..", ".a/b.",
    "\xff" };
  static const char *const bad[] = { "", "/", "/a", "a/", "a//b", ".", "..",
    "a/..", "../a", "a/./b", "./a" };
  static const char *const order[] = { "1", "01", "2", "10", "a", "a/b", "a/b2",
    "a/b10", "a/b10/c", "a-1", "a.1", "a01", "a1b", "a2", "b" };
  char *length = g_strnfill (4097, 'x');

  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    g_assert_true (paco_kept_name_is_good (good[i], strlen (good[i])));
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    g_assert_false (paco_kept_name_is_good (bad[i], strlen (bad[i])));
  g_assert_false (paco_kept_name_is_good ("a\0b", 3));
  g_assert_true (paco_kept_name_is_good (length, 4096));
  g_assert_false (paco_kept_name_is_good (length, 4097));
  g_free (length);
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    for (guint j = 0; j < G_N_ELEMENTS (order); j++) {
      int is = paco_folder_compare_names (order[i], order[j]);

      /* Names whose numbers are the same are in the order of their bytes. */
      if ((i == 0 && j == 1) || (i == 1 && j == 0))
        g_assert_true (i == 0 ? is > 0 : is < 0);
      else
        g_assert_cmpint ((is > 0) - (is < 0), ==, (i > j) - (i < j));
    }
}

/* --- bytes ------------------------------------------------------------------ */

/* Tests that what is appended stays, and is moved now and then, and that
 * bytes that are given another size take about what they need, unless they
 * have it. */
static void
test_bytes (void)
{
  GByteArray *wanted = g_byte_array_new (), *piece = g_byte_array_new ();
  PacoBytes *bytes = paco_bytes_new ();
  guint moves = 0;

  for (guint i = 0; i < 500; i++) {
    const guint8 *before = bytes->data;

    fill (piece, roll (300), TRUE);
    g_byte_array_append (wanted, piece->data, piece->len);
    paco_bytes_append (bytes, piece->data, piece->len);
    g_assert_cmpmem (bytes->data, bytes->len, wanted->data, wanted->len);
    g_assert_cmpuint (bytes->capacity, >=, bytes->len);
    moves += bytes->data != before;
  }
  g_assert_cmpuint (moves, <, 25);
  for (guint i = 0; i < 50; i++) {
    gsize size = roll (200000), capacity = bytes->capacity;

    paco_bytes_set_size (bytes, size);
    g_assert_cmpuint (bytes->len, ==, size);
    if (size <= capacity)
      g_assert_cmpuint (bytes->capacity, ==, capacity);
    else
      g_assert_cmpuint (bytes->capacity, <=, size + size / 8);
    if (size > 0)
      memset (bytes->data, 1, size);
  }
  paco_bytes_free (bytes);
  g_byte_array_unref (wanted);
  g_byte_array_unref (piece);
}

/* --- files that are restored -------------------------------------------------- */

static guint
n_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir))
    n++;
  return n;
}

/* Tests that a temporary file that was left is used again, one that is in use
 * is not, and one that cannot be emptied goes. */
static void
test_restoring (void)
{
  g_autofree char *folder = g_dir_make_tmp ("paco-units-XXXXXX", NULL);
  g_autofree char *to = g_build_filename (folder, "scan.dpx", NULL);
  char *names[3];
  int fds[3];

  for (guint i = 0; i < 3; i++) {
    fds[i] = paco_part_open_restoring (AT_FDCWD, to, &names[i]);
    g_assert_cmpint (fds[i], >=, 0);
    g_assert_cmpint (write (fds[i], "left", 4), ==, 4);
    if (i == 0)
      close (fds[0]);
  }
  g_assert_cmpstr (names[0], ==, names[1]);
  g_assert_cmpstr (names[1], !=, names[2]);
  close (fds[1]);
  close (fds[2]);
  g_assert_cmpuint (n_files (folder), ==, 2);
  truncating_fails_with = EIO;
  for (guint i = 0; i < 2; i++) {
    char *name = to;

    g_assert_cmpint (paco_part_open_restoring (AT_FDCWD, to, &name), ==, -1);
    g_assert_cmpint (errno, ==, EIO);
    g_assert_null (name);
    g_assert_cmpuint (n_files (folder), ==, 1);
  }
  truncating_fails_with = 0;
  g_unlink (names[2]);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  for (guint i = 0; i < 3; i++)
    g_free (names[i]);
}

enum
{
  TAKERS = 4,
};

/* Takes bytes and gives them back, and finds in them what it puts there. */
static gpointer
take_and_give (gpointer data)
{
  PacoBytesPool *pool = data;

  for (guint i = 0; i < 1000; i++) {
    PacoBytes *bytes = paco_bytes_pool_take (pool);
    gpointer self = g_thread_self (), found;

    paco_bytes_set_size (bytes, sizeof self);
    memcpy (bytes->data, &self, sizeof self);
    g_thread_yield ();
    memcpy (&found, bytes->data, sizeof found);
    g_assert_true (found == self);
    paco_bytes_pool_give (bytes);
  }
  return NULL;
}

/* Tests that bytes that were given back last are taken first, and that threads that
 * each take one have no more made than there are threads. */
static void
test_pool (void)
{
  PacoBytesPool *pool = paco_bytes_pool_new (NULL, NULL, G_MAXSIZE);
  PacoBytes *bytes[TAKERS];
  GThread *threads[TAKERS];

  for (guint i = 0; i < TAKERS; i++)
    threads[i] = g_thread_new (NULL, take_and_give, pool);
  for (guint i = 0; i < TAKERS; i++)
    g_thread_join (threads[i]);
  for (guint i = 0; i < TAKERS; i++)
    bytes[i] = paco_bytes_pool_take (pool);
  paco_bytes_pool_give (NULL);
  paco_bytes_free (bytes[0]);
  bytes[0] = paco_bytes_pool_take (pool);
  g_assert_cmpuint (bytes[0]->len, ==, 0); /* it is new */
  for (guint i = 0; i < TAKERS; i++) {
    for (guint k = 0; k < i; k++)
      g_assert_true (bytes[i] != bytes[k]);
    paco_bytes_pool_give (bytes[i]);
  }
  for (guint i = TAKERS; i > 0; i--)
    g_assert_true (paco_bytes_pool_take (pool) == bytes[i - 1]);
  for (guint i = 1; i < TAKERS; i++)
    paco_bytes_pool_give (bytes[i]);
  paco_bytes_free (bytes[0]); /* as one that was never given back */
  paco_bytes_pool_free (pool);
  paco_bytes_pool_free (NULL);
}

/* --- checksums --------------------------------------------------------------- */

static void
test_checksums (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  PacoChecksums sums, of_pieces;
  char text[33];

  paco_checksums ((const guint8 *) "", 0, TRUE, &sums);
  paco_checksum_text (sums.xxh3, text);
  g_assert_cmpstr (text, ==, "99aa06d3014798d86001c324468d497f");
  paco_checksum_text (sums.md5, text);
  g_assert_cmpstr (text, ==, "d41d8cd98f00b204e9800998ecf8427e");
  for (guint i = 0; i < 20; i++) {
    PacoRunningChecksum *running = paco_running_checksum_new (i & 1);
    guint at = 0;

    fill (bytes, 1 + roll (5000), TRUE);
    paco_checksums (bytes->data, bytes->len, i & 1, &sums);
    while (at < bytes->len) {
      guint n = 1 + roll (900);

      n = MIN (n, bytes->len - at);
      paco_running_checksum_add (running, bytes->data + at, n);
      at += n;
    }
    g_assert_cmpint (paco_running_checksum_end (running, &of_pieces), >=, 0);
    g_assert_cmpmem (
        of_pieces.xxh3, sizeof sums.xxh3, sums.xxh3, sizeof sums.xxh3);
    g_assert_cmpint (of_pieces.has_md5, ==, sums.has_md5);
    if (sums.has_md5)
      g_assert_cmpmem (
          of_pieces.md5, sizeof sums.md5, sums.md5, sizeof sums.md5);
    g_assert_true (paco_checksums_match (&sums, bytes->data, bytes->len, TRUE));
    bytes->data[roll (bytes->len)] ^= 1;
    g_assert_false (
        paco_checksums_match (&sums, bytes->data, bytes->len, FALSE));
  }
}

/* Whatever instructions compute XXH3, in whatever pieces the bytes come, and wherever
 * they lie: it is what libxxhash's plain function finds. Sizes are those where the
 * algorithm changes, its blocks of 1024 bytes, and random ones. */
static void
test_xxh3 (void)
{
  static const guint sizes[] = { 0, 1, 3, 4, 8, 9, 16, 17, 128, 129, 240, 241,
    255, 256, 257, 1023, 1024, 1025, 2048, 3072, 65536 };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  for (guint i = 0; i < G_N_ELEMENTS (sizes) + 100; i++) {
    guint size = i < G_N_ELEMENTS (sizes) ? sizes[i] : roll (40000);
    guint shift = roll (65), most = 1 + roll (i & 1 ? 300 : 20000);
    PacoRunningChecksum *running = paco_running_checksum_new (FALSE);
    XXH128_canonical_t wanted;
    PacoChecksums found;
    const guint8 *at;

    fill (bytes, shift + size, TRUE);
    at = bytes->data + shift;
    XXH128_canonicalFromHash (&wanted, XXH3_128bits (at, size));
    paco_checksums (at, size, FALSE, &found);
    g_assert_cmpmem (found.xxh3, sizeof found.xxh3, &wanted, sizeof wanted);
    for (guint left = size, n; left > 0; left -= n, at += n) {
      n = roll (most + 1);
      n = MIN (n, left);
      paco_running_checksum_add (running, at, n);
    }
    paco_running_checksum_end (running, &found);
    g_assert_cmpmem (found.xxh3, sizeof found.xxh3, &wanted, sizeof wanted);
  }
}

/* --- what frames keep ---------------------------------------------------------- */

/* Makes a frame of a small gray picture with these chunks; returns FALSE if
 * they are refused. */
static gboolean
make_frame (const PacoKeptChunks *chunks, PacoFrame *frame)
{
  g_autoptr (PacoFrameEncoder) encoder = paco_frame_encoder_new ();
  PacoExtras extras = PACO_EXTRAS_INIT;
  PacoInfo info = PACO_INFO_INIT;
  guint8 samples[64] = { 0 };
  PacoImage image;
  gsize bytes;
  PacoStatus said;

  info.width = info.height = 8;
  info.n_components = 1;
  info.depth[0] = 8;
  extras.chunks = chunks->chunks;
  extras.n_chunks = chunks->n;
  extras.attachment = chunks->attachment;
  extras.attachment_size = chunks->attachment_size;
  OK (paco_image_init (
      &image, &info, 0, PACO_IMAGE_PLANES, samples, &bytes, &error));
  OK (paco_frame_encoder_set (encoder, "backend", "cpu", &error));
  paco_frame_encoder_set (encoder, "threads", "1", NULL);
  OK (paco_frame_encoder_configure (encoder, &info, &error));
  said = paco_frame_encoder_encode (encoder, &image, &extras, frame, NULL);
  return said == PACO_STATUS_OK;
}

static void
random_file (PacoKeptFile *kept)
{
  g_autoptr (GByteArray) some = g_byte_array_new ();

  kept->kind = &paco_source_pnm;
  g_free (kept->name);
  kept->name = g_strdup_printf ("folder%u/\xe9 %u.ppm", roll (9), roll (9999));
  kept->size = ((guint64) g_rand_int (dice) << 32) + g_rand_int (dice);
  fill (some, 32, TRUE);
  paco_checksums (some->data, some->len, roll (2), &kept->checksums);
  fill (kept->rest, 1 + roll (roll (2) ? 60 : 60000), roll (2));
  fill (kept->sound, roll (2) * roll (90), TRUE);
}

/* Makes it a section of a file. */
static void
random_section (PacoKeptFile *kept)
{
  PacoSection *section = &kept->section;

  kept->is_section = TRUE;
  section->n = 2 + roll (8);
  section->number = roll (section->n);
  section->offset = section->number > 0 ? 1 + roll (1 << 20) : 0;
  section->size = (guint64) G_MAXUINT32 + roll (1 << 20);
  kept->section_head = roll (300);
  kept->size = kept->section_head + section->size;
  kept->file_size = section->offset + section->size;
  kept->so_far = kept->checksums;
  kept->so_far.xxh3[0] ^= 1;
  kept->checksums.has_md5 = FALSE;
  if (!paco_section_is_last (section)) {
    kept->file_size += 1 + roll (1000);
    kept->so_far.has_md5 = FALSE;
  }
}

static void
compare_sections (const PacoKeptFile *kept, const PacoKeptFile *found)
{
  const PacoSection *a = &kept->section, *b = &found->section;

  g_assert_cmpuint (a->number, ==, b->number);
  g_assert_cmpuint (a->n, ==, b->n);
  g_assert_cmpuint (a->offset, ==, b->offset);
  g_assert_cmpuint (a->size, ==, b->size);
  g_assert_cmpuint (kept->section_head, ==, found->section_head);
  g_assert_cmpuint (kept->file_size, ==, found->file_size);
  g_assert_cmpmem (kept->so_far.xxh3, 16, found->so_far.xxh3, 16);
  g_assert_cmpint (kept->so_far.has_md5, ==, found->so_far.has_md5);
  if (kept->so_far.has_md5)
    g_assert_cmpmem (kept->so_far.md5, 16, found->so_far.md5, 16);
}

static void
test_kept (void)
{
  PacoKeptFile kept, found;
  g_auto (PacoKeptChunks) chunks;
  GError *error = NULL;

  paco_kept_file_init (&kept);
  paco_kept_file_init (&found);
  paco_kept_chunks_init (&chunks);
  for (guint i = 0; i < 40; i++) {
    PacoFrame frame;

    random_file (&kept);
    kept.is_section = FALSE;
    if (i % 3 == 0)
      random_section (&kept);
    if (i < 10) /* about as much as chunks take */
      fill (kept.rest, 32550 + 20 * i, TRUE);
    if (i == 39)
      fill (kept.rest, 3000000, TRUE);
    g_assert_true (paco_kept_chunks_write (&kept, &chunks, &error));
    g_assert_true (make_frame (&chunks, &frame));
    g_assert_true (
        paco_kept_file_read (frame.data, frame.size, &found, &error));
    g_assert_no_error (error);
    g_assert_true (found.kind == kept.kind);
    g_assert_cmpstr (found.name, ==, kept.name);
    g_assert_cmpuint (found.size, ==, kept.size);
    g_assert_cmpmem (found.checksums.xxh3, 16, kept.checksums.xxh3, 16);
    g_assert_cmpint (found.is_section, ==, kept.is_section);
    if (kept.is_section)
      compare_sections (&kept, &found);
    g_assert_cmpint (found.checksums.has_md5, ==, kept.checksums.has_md5);
    if (kept.checksums.has_md5)
      g_assert_cmpmem (found.checksums.md5, 16, kept.checksums.md5, 16);
    g_assert_cmpmem (
        found.rest->data, found.rest->len, kept.rest->data, kept.rest->len);
    g_assert_cmpmem (
        found.sound->data, found.sound->len, kept.sound->data, kept.sound->len);
    paco_frame_release (&frame);
  }
  g_assert_cmpuint (chunks.attachment_size, >=, 3000000);
  /* This is thirty times as much as chunks have, and compresses well. */
  fill (kept.rest, 1000000, FALSE);
  g_assert_true (paco_kept_chunks_write (&kept, &chunks, &error));
  g_assert_cmpuint (chunks.attachment_size, ==, 0);
  paco_kept_file_clear (&kept);
  paco_kept_file_clear (&found);
}

/* Tests that what is broken is refused, and a frame without a file, too. */
static void
test_broken_kept (void)
{
  PacoKeptFile kept, found;
  g_auto (PacoKeptChunks) chunks;
  GError *error = NULL;
  PacoFrame frame;
  guint refused = 0;

  paco_kept_file_init (&kept);
  paco_kept_file_init (&found);
  paco_kept_chunks_init (&chunks);
  g_assert_true (make_frame (&chunks, &frame));
  g_assert_false (paco_kept_file_read (frame.data, frame.size, &found, &error));
  g_assert_error (error, PACO_SOURCE_ERROR, PACO_SOURCE_NO_FILE);
  g_clear_error (&error);
  paco_frame_release (&frame);
  for (guint i = 0; i < 300; i++) {
    PacoFrameChunk *chunk;

    random_file (&kept);
    g_assert_true (paco_kept_chunks_write (&kept, &chunks, NULL));
    chunk = &chunks.chunks[roll ((guint) chunks.n)];
    switch (roll (5)) {
      case 0:
        chunk->size = roll ((guint) chunk->size + 1);
        break;
      case 1:
        chunk->type = 12 + roll (4);
        break;
      case 2:
        chunks.chunks[chunks.n++] = *chunk;
        break;
      case 3:
        *chunk = chunks.chunks[--chunks.n];
        break;
      default:
        for (guint n = 1 + roll (4); n > 0 && chunk->size > 0; n--)
          ((guint8 *) chunk->data)[roll (MIN (40, (guint) chunk->size))] =
              (guint8) roll (256);
        break;
    }
    if (roll (20) == 0) { /* an attachment beside chunks 13, or none at all */
      chunks.attachment = chunks.attachment ? NULL : "bytes";
      chunks.attachment_size = chunks.attachment ? 5 : 0;
    }
    if (!make_frame (&chunks, &frame))
      continue;
    if (!paco_kept_file_read (frame.data, frame.size, &found, &error)) {
      g_assert_cmpstr (error->message, !=, "");
      g_clear_error (&error);
      refused++;
    } else
      g_assert_true (paco_kept_name_is_good (found.name, strlen (found.name)));
    paco_frame_release (&frame);
  }
  g_assert_cmpuint (refused, >, 60);
  paco_kept_file_clear (&kept);
  paco_kept_file_clear (&found);
}

/* Tests that a few bytes may claim a rest of gigabytes, for which no memory is
 * taken. */
static void
test_hostile_rest (void)
{
  enum
  {
    SIZE = 5 << 20 /* of zlib, as much as 4 GiB could take */
  };
  g_autofree guint8 *attachment = g_malloc0 (SIZE);
  PacoKeptFile kept, found;
  g_auto (PacoKeptChunks) chunks;
  GError *error = NULL;
  PacoFrame frame;

  paco_kept_file_init (&kept);
  paco_kept_file_init (&found);
  paco_kept_chunks_init (&chunks);
  random_file (&kept);
  g_assert_true (paco_kept_chunks_write (&kept, &chunks, NULL));
  g_assert_cmpint (chunks.chunks[0].type, ==, PACO_CHUNK_SOURCE_FILE);
  paco_put32 ((guint8 *) chunks.chunks[0].data + 10,
      (1u << 30) + 1 + roll (2) * roll (1 << 30));
  chunks.n = 1;
  chunks.attachment = attachment;
  chunks.attachment_size = SIZE;
  g_assert_true (make_frame (&chunks, &frame));
  g_assert_false (paco_kept_file_read (frame.data, frame.size, &found, &error));
  g_assert_error (error, PACO_SOURCE_ERROR, PACO_SOURCE_BROKEN);
  g_assert_cmpuint (found.rest->len, ==, 0);
  g_error_free (error);
  paco_frame_release (&frame);
  paco_kept_file_clear (&kept);
  paco_kept_file_clear (&found);
}

/* --- the line --------------------------------------------------------------------- */

#define STEPS 3
#define PLACES 5

typedef struct
{
  PacoLine *line;
  guint step;
  guint64 fails; /* the frame that fails in this step */
  gint *marks;   /* how many steps each frame has behind it */
} Worker;

static gpointer
work (gpointer data)
{
  Worker *worker = data;
  guint64 number;

  while (paco_line_take (worker->line, worker->step, -1, &number)
      == PACO_LINE_TAKEN) {
    g_assert_cmpint (worker->marks[number], ==, (gint) worker->step);
    if (number == worker->fails) {
      paco_line_fail (worker->line, number,
          g_error_new_literal (PACO_SOURCE_ERROR, 0, "as it should"));
      continue;
    }
    g_atomic_int_inc (&worker->marks[number]);
    paco_line_done (worker->line, worker->step, number);
  }
  return NULL;
}

static void
test_line (void)
{
  for (guint i = 0; i < 60; i++) {
    guint64 first = roll (9), n = 1 + roll (60), failed = 0;
    guint64 fails = first + roll ((guint) n * 2);
    guint failing = roll (STEPS);
    PacoLine *line = paco_line_new (first, first + n, 1 + roll (PLACES), STEPS);
    g_autofree gint *marks = g_new0 (gint, first + n);
    GThread *threads[STEPS * 2];
    Worker workers[STEPS];
    GError *error = NULL;
    gboolean has_failed;

    for (guint s = 0; s < STEPS; s++)
      workers[s] = (Worker){ line, s, s == failing ? fails : G_MAXUINT64,
        marks };
    for (guint t = 0; t < G_N_ELEMENTS (threads); t++)
      threads[t] = g_thread_new ("work", work, &workers[t / 2]);
    for (guint t = 0; t < G_N_ELEMENTS (threads); t++)
      g_thread_join (threads[t]);
    has_failed = paco_line_failure (line, &failed, &error);
    g_assert_cmpint (has_failed, ==, fails < first + n);
    if (has_failed)
      g_assert_cmpuint (failed, ==, fails);
    g_clear_error (&error);
    for (guint64 f = first; f < MIN (fails, first + n); f++)
      g_assert_cmpint (marks[f], ==, STEPS);
    if (has_failed)
      g_assert_cmpint (marks[fails], ==, (gint) failing);
    paco_line_free (line);
  }
}

/* --- rooms --- */

typedef struct
{
  PacoRooms *rooms;
  guint64 most;
  gint there; /* atomic: bytes of all that have rooms */
} Rooms;

enum
{
  ROOM_FRAMES = 2000,
};

static gpointer
give_rooms (gpointer data)
{
  GAsyncQueue *queue = data;
  Rooms *test = g_async_queue_pop (queue);
  PacoRoom *room;

  while ((room = g_async_queue_pop (queue)) != (gpointer) test) {
    gint all = (gint) (room->bytes + room->frame);

    g_atomic_int_add (&test->there, -all);
    paco_rooms_release_frame (test->rooms, room);
    paco_rooms_give (test->rooms, room);
  }
  return NULL;
}

static gpointer
end_rooms (gpointer rooms)
{
  paco_rooms_end (rooms);
  return NULL;
}

/* Frames of all sizes get rooms, two are never too large together, one may be alone; and
 * whoever waits can be told that nothing more comes. */
static void
test_rooms (void)
{
  g_autoptr (GAsyncQueue) queue = g_async_queue_new ();
  Rooms test = { paco_rooms_new (NULL), 100, 0 };
  GThread *thread = g_thread_new ("give", give_rooms, queue);
  PacoRoom *room;

  g_async_queue_push (queue, &test);
  for (guint i = 0; i < ROOM_FRAMES; i++) {
    guint bytes = 1 + roll (i % 50 == 0 ? 300 : 60), frame = roll (20);
    gint all;

    room = paco_rooms_take (test.rooms, bytes, frame, test.most);
    g_assert_cmpuint (room->bytes, >=, bytes);
    all = (gint) (room->bytes + room->frame);
    all += g_atomic_int_add (&test.there, all);
    g_assert_true (
        all <= (gint) test.most || all == (gint) (room->bytes + frame));
    g_async_queue_push (queue, room);
  }
  g_async_queue_push (queue, &test);
  g_thread_join (thread);
  room = paco_rooms_take (test.rooms, test.most, 0, test.most);
  thread = g_thread_new ("end", end_rooms, test.rooms);
  g_assert_null (paco_rooms_take (test.rooms, 1, 0, test.most));
  g_thread_join (thread);
  paco_rooms_give (test.rooms, room);
  paco_rooms_free (test.rooms);
}

/* --- sound -------------------------------------------------------------------------- */

/* Tests the chunk of further sounds, whole and broken. */
static void
test_further_sound (void)
{
  g_autoptr (GPtrArray) sounds = g_ptr_array_new_with_free_func (
      (GDestroyNotify) paco_sound_free);
  g_autoptr (GPtrArray)
      found = g_ptr_array_new_with_free_func ((GDestroyNotify) paco_sound_free);
  g_autoptr (GByteArray) chunk = NULL;
  g_autoptr (GByteArray) broken = g_byte_array_new ();
  GError *error = NULL;
  guint good = 0;

  for (guint i = 0; i < 4; i++) {
    PacoSound *sound = g_new0 (PacoSound, 1);

    g_ptr_array_add (sounds, sound);
    sound->name = g_strdup_printf ("%u.wav", i);
    sound->samples_at = 30;
    sound->samples_size = 1000 * i;
    sound->size = sound->samples_size + 60 + i;
    sound->around = g_byte_array_new ();
    fill (sound->around, 60 + i, TRUE);
    if (i == 0) {
      g_autoptr (GByteArray) none = paco_sound_write_further (sounds, &error);

      g_assert_cmpuint (none->len, ==, 0);
    }
  }
  chunk = paco_sound_write_further (sounds, &error);
  g_assert_no_error (error);
  g_assert_true (
      paco_sound_read_further (chunk->data, chunk->len, found, &error));
  g_assert_cmpuint (found->len, ==, 3);
  for (guint i = 0; i < 3; i++) {
    const PacoSound *a = sounds->pdata[i + 1], *b = found->pdata[i];

    g_assert_cmpstr (a->name, ==, b->name);
    g_assert_cmpuint (a->size, ==, b->size);
    g_assert_cmpuint (a->samples_size, ==, b->samples_size);
    g_assert_cmpmem (
        a->around->data, a->around->len, b->around->data, b->around->len);
  }
  for (guint i = 0; i < 400; i++) {
    g_byte_array_set_size (broken, 0);
    g_byte_array_append (
        broken, chunk->data, roll (9) ? chunk->len : roll (chunk->len));
    for (guint n = roll (3); n > 0 && broken->len > 0; n--)
      broken->data[roll (broken->len)] = (guint8) roll (256);
    g_ptr_array_set_size (found, 0);
    good += paco_sound_read_further (broken->data, broken->len, found, NULL);
  }
  g_assert_cmpuint (good, <, 300);
  fill (((PacoSound *) sounds->pdata[2])->around, 13000, TRUE);
  g_assert_null (paco_sound_write_further (sounds, &error));
  g_assert_error (error, PACO_ARCHIVE_ERROR, PACO_ARCHIVE_FAILED);
  g_clear_error (&error);
}

static void
test_sound (void)
{
  PacoSound sound = { .name = (char *) "a b.wav", .samples_at = 44 };
  GByteArray *chunk, *broken = g_byte_array_new ();
  PacoSound *found;
  GError *error = NULL;
  guint good = 0;

  sound.samples_size = 1000;
  sound.size = 1060;
  sound.around = g_byte_array_new ();
  fill (sound.around, 60, TRUE);
  fill (broken, 16, TRUE);
  memcpy (sound.xxh3, broken->data, 16);
  chunk = paco_sound_write_chunk (&sound, &error);
  g_assert_no_error (error);
  found = paco_sound_read_chunk (chunk->data, chunk->len, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (found->name, ==, sound.name);
  g_assert_cmpuint (found->samples_size, ==, 1000);
  g_assert_cmpmem (found->around->data, found->around->len, sound.around->data,
      sound.around->len);
  paco_sound_free (found);
  for (guint i = 0; i < 400; i++) {
    g_byte_array_set_size (broken, 0);
    g_byte_array_append (
        broken, chunk->data, roll (9) ? chunk->len : roll (chunk->len));
    for (guint n = roll (3); n > 0 && broken->len > 0; n--)
      broken->data[roll (broken->len)] = (guint8) roll (256);
    found = paco_sound_read_chunk (broken->data, broken->len, NULL);
    if (found) {
      g_assert_cmpuint (
          found->around->len, ==, found->size - found->samples_size);
      good++;
    }
    paco_sound_free (found);
  }
  g_assert_cmpuint (good, <, 300);
  fill (sound.around, 9000, TRUE);
  g_assert_null (paco_sound_write_chunk (&sound, &error));
  g_assert_error (error, PACO_ARCHIVE_ERROR, PACO_ARCHIVE_FAILED);
  g_clear_error (&error);
  g_byte_array_unref (sound.around);
  g_byte_array_unref (broken);
  g_byte_array_unref (chunk);
}

/* --- PNM ---------------------------------------------------------------------------- */

/* Checks that the file has its rest where samples are not, and no longer has it when a
 * bit there has changed. */
static void
check_pnm_in_place (const GByteArray *file, PacoSource *source)
{
  gsize at = roll (file->len);
  gsize first = (gsize) ((guint8 *) source->image.data[0] - file->data);
  gboolean in_samples = at >= first && at < first + source->image.size[0];
  PacoImage image;

  g_assert_true (paco_source_same_rest (&paco_source_pnm, source->rest->data,
      source->rest->len, &source->info, file->data, file->len, &image));
  g_assert_cmpmem (&image, sizeof image, &source->image, sizeof image);
  file->data[at] ^= 1;
  g_assert_true (
      paco_source_same_rest (&paco_source_pnm, source->rest->data,
          source->rest->len, &source->info, file->data, file->len, &image)
      == in_samples);
  file->data[at] ^= 1;
}

/* Checks that a file is refused, or is made again of its rest and its
 * samples. */
static void
try_pnm (const GByteArray *file, PacoSource *source, PacoRebuilt *rebuilt,
    guint *good)
{
  const PacoSourceKind *kind = &paco_source_pnm;
  GError *error = NULL;

  if (!paco_source_parse (kind, file->data, file->len, source, &error)) {
    g_assert_error (error, PACO_SOURCE_ERROR, error->code);
    g_error_free (error);
    return;
  }
  ++*good;
  g_assert_true (paco_source_rebuild (kind, source->rest->data,
      source->rest->len, &source->info, file->len, rebuilt, &error));
  g_assert_no_error (error);
  memcpy (rebuilt->image.data[0], source->image.data[0], source->image.size[0]);
  g_assert_true (paco_source_finish (kind, source->rest->data,
      source->rest->len, &source->info, file->len, rebuilt, &error));
  g_assert_cmpmem (
      rebuilt->file->data, rebuilt->file->len, file->data, file->len);
  check_pnm_in_place (file, source);
}

static void
test_pnm (void)
{
  static const char *const heads[] = {
    "P5 3 2 255\n", "P6\n#x\n3 2\n1023\n",
    "P7\nWIDTH 3\nHEIGHT 2\nDEPTH 4\nMAXVAL 65535\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
  };
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_auto (PacoSource) source;
  g_auto (PacoRebuilt) rebuilt;
  guint good = 0;

  paco_source_init (&source);
  paco_rebuilt_init (&rebuilt);
  for (guint i = 0; i < 3000; i++) {
    const char *head = heads[roll (3)];
    guint length = (guint) strlen (head);

    fill (file, length + roll (80), TRUE);
    memcpy (file->data, head, MIN (length, file->len));
    for (guint n = roll (3); n > 0; n--)
      file->data[roll (length)] = (guint8) "0123456789 \n#P\377"[roll (15)];
    try_pnm (file, &source, &rebuilt, &good);
    /* What was kept may be broken, too. */
    if (source.rest->len > 0) {
      source.rest->data[roll (source.rest->len)] ^= (guint8) (1 << roll (8));
      paco_source_rebuild (&paco_source_pnm, source.rest->data,
          roll (source.rest->len + 1), &source.info, file->len, &rebuilt, NULL);
    }
  }
  g_assert_cmpuint (good, >, 100);
}

int
main (int argc, char **argv)
{
  const char *seed = g_getenv ("PACO_SEED");
  guint32 number = seed ? (guint32) g_ascii_strtoull (seed, NULL, 10)
                        : g_random_int ();
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_message ("PACO_SEED=%u", number);
  dice = g_rand_new_with_seed (number);
  g_test_add_func ("/archive/names", test_names);
  g_test_add_func ("/archive/bytes", test_bytes);
  g_test_add_func ("/archive/pool", test_pool);
  g_test_add_func ("/archive/restoring", test_restoring);
  g_test_add_func ("/archive/checksums", test_checksums);
  g_test_add_func ("/archive/xxh3", test_xxh3);
  g_test_add_func ("/archive/kept", test_kept);
  g_test_add_func ("/archive/broken-kept", test_broken_kept);
  g_test_add_func ("/archive/hostile-rest", test_hostile_rest);
  g_test_add_func ("/archive/line", test_line);
  g_test_add_func ("/archive/rooms", test_rooms);
  g_test_add_func ("/archive/sound", test_sound);
  g_test_add_func ("/archive/further-sound", test_further_sound);
  g_test_add_func ("/archive/pnm", test_pnm);
  status = g_test_run ();
  g_rand_free (dice);
  return status;
}
