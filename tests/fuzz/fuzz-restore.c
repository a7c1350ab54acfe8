/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Fuzzes restore with frames that keep anything: the rest of a file of any kind, its
 * size and its name. The picture is coded here, and the check sums are right, so that a
 * file that can be made is made, written and named. It must be the one that rebuild()
 * and finish() make, and nothing else may be written: not through links, not outside
 * the folder, not over other files. */
#include "tool/archive/chunks.h"
#include "tool/archive/source.h"
#include "tool/archive/part.h"
#include "tool/archive/restore.h"
#include "codec/bytes.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sandbox.h"
#include <string.h>
#include <zlib.h>

/* These bytes stand before the name and the rest. */
enum
{
  HOW = 0,
  KIND = 1,
  WIDTH = 2,
  HEIGHT = 3,
  COMPONENTS = 4,
  DEPTH = 5,
  SUBSAMPLING = 6,
  SIZE = 7,  /* of the file, 4 bytes; see RELATIVE */
  NAME = 11, /* its length */
  HEAD = 12,
};

/* Bits of HOW. */
enum
{
  CHECK = 1 << 0,     /* write nothing */
  ATTACH = 1 << 1,    /* the rest is no chunk */
  TWICE = 1 << 2,     /* two frames are of the same file */
  LINKED = 1 << 3,    /* the name of the file that is written first is a link */
  EXISTS = 1 << 4,    /* another file has the name */
  WRONG_SUM = 1 << 5, /* the frame has another check sum */
  RELATIVE = 1 << 6,  /* the file is SIZE bytes longer than the rest */
  MD5 = 1 << 7,
};

enum
{
  MOST_WIDTH = 40, /* samples, and lines */
  MOST_CHUNK = 30000,
};

typedef struct
{
  PacoFrameEncoder *encoder;
  PacoFrameDecoder *decoder;
  PacoRebuilt rebuilt;
} Coder;

/* What an input says. */
typedef struct
{
  const uint8_t *head;
  char *name;
  const uint8_t *rest;
  size_t rest_size, file_size;
  PacoInfo info;
  GByteArray *file; /* that the rest makes, or NULL if it is refused */
  PacoFrame frame;
} Case;

typedef struct
{
  const PacoFrame *frame;
  unsigned n, at;
} Frames;

static void
set (Coder *coder, const char *name, const char *value)
{
  PacoError error;

  if (paco_frame_encoder_set (coder->encoder, name, value, &error)
      != PACO_STATUS_OK)
    fuzz_give_up (name, error.message);
  if (strcmp (name, "rate-control") != 0
      && paco_frame_decoder_set (coder->decoder, name, value, &error)
          != PACO_STATUS_OK)
    fuzz_give_up (name, error.message);
}

/* Opens a coder, which stays open as long as the process lives. */
static Coder *
open_coder (void)
{
  static Coder coder;

  if (coder.encoder)
    return &coder;
  coder.encoder = paco_frame_encoder_new ();
  coder.decoder = paco_frame_decoder_new ();
  set (&coder, "backend", "cpu");
  set (&coder, "threads", "1");
  set (&coder, "pipeline-depth", "1");
  set (&coder, "rate-control", "lossless");
  paco_rebuilt_init (&coder.rebuilt);
  return &coder;
}

/* --- the frame -------------------------------------------------------------- */

static void
read_case (const uint8_t *data, size_t size, Case *c)
{
  static const uint8_t depths[] = { 8, 10, 12, 16, 1, 14 };
  size_t name = MIN (data[NAME], size - HEAD);

  *c = (Case){ .head = data, .info = PACO_INFO_INIT };
  c->rest = data + HEAD + name;
  c->rest_size = size - HEAD - name;
  c->file_size = paco_get32 (data + SIZE)
      + (data[HOW] & RELATIVE ? c->rest_size : 0);
  c->info.width = 1 + data[WIDTH] % MOST_WIDTH;
  c->info.height = 1 + data[HEIGHT] % MOST_WIDTH;
  c->info.n_components = 1 + data[COMPONENTS] % 4;
  for (unsigned i = 0; i < c->info.n_components; i++)
    c->info.depth[i] = depths[data[DEPTH] % G_N_ELEMENTS (depths)];
  for (unsigned i = 1; i < MIN (c->info.n_components, 3); i++) {
    c->info.subsampling_x[i] = data[SUBSAMPLING] % 2;
    c->info.subsampling_y[i] = data[SUBSAMPLING] / 2 % 2;
  }
  c->name = g_strndup ((const char *) data + HEAD, name);
}

/* Compresses the rest, as frames keep it. */
static uint8_t *
compress_rest (const Case *c, size_t *size)
{
  uLongf length = compressBound (c->rest_size);
  uint8_t *bytes = g_malloc (length);

  compress2 (bytes, &length, c->rest, c->rest_size, 1);
  *size = length;
  return bytes;
}

/* Codes a picture with these chunks of a file. Returns FALSE if such a picture cannot be
 * coded, or such chunks cannot be kept. */
static bool
code (Coder *coder, Case *c, const uint8_t sum[PACO_CHECKSUM_SIZE])
{
  g_autofree uint8_t *samples = NULL, *rest = NULL;
  size_t name = strlen (c->name), bytes, rest_size;
  g_autofree uint8_t *file = g_malloc (30 + name);
  PacoExtras extras = PACO_EXTRAS_INIT;
  PacoFrameChunk chunks[2];
  PacoError error;
  PacoImage image;

  rest = compress_rest (c, &rest_size);
  file[0] = c->head[KIND] % 6;
  file[1] = 0;
  paco_put64 (file + 2, c->file_size);
  paco_put32 (file + 10, (uint32_t) c->rest_size);
  memcpy (file + 14, sum, PACO_CHECKSUM_SIZE);
  memcpy (file + 30, c->name, name);
  chunks[0] = (PacoFrameChunk){
    .type = PACO_CHUNK_SOURCE_FILE, .data = file, .size = 30 + name
  };
  chunks[1] = (PacoFrameChunk){
    .type = PACO_CHUNK_SOURCE_REST, .data = rest, .size = rest_size
  };
  extras.chunks = chunks;
  extras.n_chunks = 2;
  if ((c->head[HOW] & ATTACH) || rest_size > MOST_CHUNK) {
    extras.n_chunks = 1;
    extras.attachment = rest;
    extras.attachment_size = rest_size;
  }
  if (paco_frame_encoder_configure (coder->encoder, &c->info, &error)
          != PACO_STATUS_OK
      || paco_image_init (&image, &c->info, 0, 0, NULL, &bytes, &error)
          != PACO_STATUS_OK)
    return false;
  samples = g_malloc0 (bytes);
  paco_image_init (&image, &c->info, 0, 0, samples, &bytes, &error);
  return paco_frame_encoder_encode (
             coder->encoder, &image, &extras, &c->frame, &error)
      == PACO_STATUS_OK;
}

/* --- what should come of it ------------------------------------------------- */

/* Makes the file of the rest, without restore. */
static GByteArray *
make_file (Coder *coder, const Case *c)
{
  const PacoSourceKind *kind = paco_source_kind_by_id (c->head[KIND] % 6);
  const PacoBytes *file = coder->rebuilt.file;
  PacoInfo info = PACO_INFO_INIT;
  GError *error = NULL;
  PacoError problem;

  if (!kind)
    return NULL;
  paco_probe (c->frame.data, c->frame.size, &info, NULL, &problem);
  if (paco_source_rebuild (kind, c->rest, c->rest_size, &info, c->file_size,
          &coder->rebuilt, &error)) {
    if (paco_frame_decoder_decode (coder->decoder, c->frame.data, c->frame.size,
            &coder->rebuilt.image, NULL, &problem)
        != PACO_STATUS_OK)
      fuzz_give_up ("decoding", problem.message);
    if (paco_source_finish (kind, c->rest, c->rest_size, &info, c->file_size,
            &coder->rebuilt, &error)) {
      if (file->len != c->file_size)
        fuzz_give_up (kind->name, "the file has another size");
      return g_byte_array_append (
          g_byte_array_new (), file->data, (guint) file->len);
    }
  }
  fuzz_check_error (&error);
  return NULL;
}

/* --- restoring ---------------------------------------------------------------- */

static gboolean
next_frame (gpointer user, PacoFrame *frame, gpointer *owner, GError **error)
{
  Frames *frames = user;

  *frame = (PacoFrame){ .number = frames->at };
  if (frames->at == frames->n)
    return FALSE;
  frames->at++;
  frame->data = frames->frame->data;
  frame->size = frames->frame->size;
  return TRUE;
}

static void
release_frame (gpointer user, PacoFrame *frame, gpointer owner)
{
}

static bool
has_name_to_plant (const Case *c)
{
  return paco_kept_name_is_good (c->name, strlen (c->name))
      && !g_str_has_suffix (c->name, PACO_RESTORING_SUFFIX)
      && !strchr (c->name, '/') && strlen (c->name) < 200;
}

/* Puts what must stay as it is into the folder. */
static void
plant (const Case *c)
{
  g_autofree char *part = g_strconcat (c->name, PACO_RESTORING_SUFFIX, NULL);

  fuzz_sandbox_plant ();
  if ((c->head[HOW] & LINKED) && has_name_to_plant (c))
    fuzz_sandbox_link (part);
  if ((c->head[HOW] & EXISTS) && has_name_to_plant (c))
    fuzz_sandbox_file (c->name, "other", 5);
}

/* Checks the one file that was restored, if it was. */
static void
check_files (const Case *c, const PacoReport *report, unsigned n)
{
  bool written = !(c->head[HOW] & CHECK);

  if (report->frames->len > 0 && (!c->file || (c->head[HOW] & WRONG_SUM)))
    fuzz_give_up ("restored", "a file that nothing gives");
  if (report->frames->len > 1)
    fuzz_give_up ("restored", "one file twice");
  if (report->frames->len + report->damaged != n)
    fuzz_give_up ("restored", "a frame is neither restored nor damaged");
  if (report->frames->len > 0 && written)
    fuzz_sandbox_check_file (c->name, c->file->data, c->file->len);
}

/* Checks that a terminal shows the report, and obeys nothing in it. */
static void
check_texts (const PacoReport *report)
{
  char *texts[] = { paco_report_text (report), paco_report_json (report) };

  for (unsigned i = 0; i < G_N_ELEMENTS (texts); i++) {
    for (const char *at = texts[i]; *at; at++)
      if (g_ascii_iscntrl (*at) && *at != '\n')
        fuzz_give_up ("a report has control characters", texts[i]);
    g_free (texts[i]);
  }
}

static void
restore (const Case *c)
{
  static const char *const settings[] = { "backend", "cpu", "threads", "1",
    "pipeline-depth", "1", NULL };
  Frames frames = { &c->frame, c->head[HOW] & TWICE ? 2 : 1, 0 };
  bool written = !(c->head[HOW] & CHECK);
  const PacoRestoreOptions options = {
    .folder = written ? fuzz_sandbox_folder () : NULL,
    .md5 = (c->head[HOW] & MD5) != 0,
    .limits = PACO_RESTORE_LIMITS,
    .coders = settings,
    .next = next_frame,
    .release = release_frame,
    .user = &frames,
  };
  PacoReport report;
  GError *error = NULL;

  if (written)
    plant (c);
  paco_report_init (&report, "restore", "frames", "folder");
  if (paco_restore_run (&options, &report, &error))
    check_files (c, &report, frames.n);
  else
    fuzz_check_error (&error);
  check_texts (&report);
  if (written)
    fuzz_sandbox_check (PACO_RESTORING_SUFFIX);
  paco_report_clear (&report);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const uint8_t none[PACO_CHECKSUM_SIZE];
  Coder *coder = open_coder ();
  PacoChecksums sums = { 0 };
  Case c;

  if (size < HEAD)
    return 0;
  /* This memory has exactly this size, so that a read beyond it is seen. */
  data = g_memdup2 (data, size);
  read_case (data, size, &c);
  if (code (coder, &c, none)) {
    c.file = make_file (coder, &c);
    if (c.file)
      paco_checksums (c.file->data, c.file->len, FALSE, &sums);
    sums.xxh3[0] ^= c.head[HOW] & WRONG_SUM ? 1 : 0;
    paco_frame_release (&c.frame);
    if (code (coder, &c, sums.xxh3))
      restore (&c);
    if (c.file)
      g_byte_array_unref (c.file);
  }
  paco_frame_release (&c.frame);
  g_free (c.name);
  g_free ((uint8_t *) data);
  return 0;
}

FUZZ_MUTATOR (file, HEAD, )
