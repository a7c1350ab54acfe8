/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Fuzzes source files of the archive. What is taken apart must be the same
 * file again when it is put together from what was kept and from its picture,
 * which is coded and decoded in between. What the frame's chunks keep of it
 * must come out of them as it was. Then that, and the frame, are changed, as
 * what comes out of a stream may be anything; nothing is asked of the file
 * that it makes. The first byte says how often that is changed, four more are
 * the generator's seed, the others the file. With an odd seed what cannot be
 * made again is kept whole. */
#include "tool/archive/chunks.h"
#include "tool/archive/source.h"
#include "tests/fuzz/decoding.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/sandbox.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum
{
  SEED = 1,
  MOST_CHANGES = 8,
  MAX_TRIED = 3, /* Sections after the first one. */
  PEEKED = 4096, /* bytes, as many as PacoSourceKind.peek() wants */
};

typedef struct
{
  PacoFrameEncoder *encoder;
  PacoFrameDecoder *decoder;
  PacoSource source;
  PacoRebuilt rebuilt;
  PacoKeptChunks chunks;
  PacoKeptFile kept; /* what was read */
  GByteArray *no_sound;
} Coder;

static void
check_ok (PacoStatus status, const char *what, const PacoError *error)
{
  if (status != PACO_STATUS_OK)
    fuzz_give_up (what, error->message);
}

static void
check_error (GError **error)
{
  if (*error && (*error)->domain != PACO_SOURCE_ERROR)
    fuzz_give_up ("an error of another kind", (*error)->message);
  fuzz_check_error (error);
}

/* Opens a coder, which stays open as long as the process lives. */
static Coder *
open_coder (void)
{
  static const char *const settings[][2] = { { "backend", "cpu" },
    { "threads", "1" }, { "pipeline-depth", "1" } };
  static Coder coder;
  PacoError error;

  if (coder.encoder)
    return &coder;
  coder.encoder = paco_frame_encoder_new ();
  coder.decoder = paco_frame_decoder_new ();
  for (unsigned i = 0; i < G_N_ELEMENTS (settings); i++) {
    const char *name = settings[i][0], *value = settings[i][1];

    check_ok (paco_frame_encoder_set (coder.encoder, name, value, &error), name,
        &error);
    check_ok (paco_frame_decoder_set (coder.decoder, name, value, &error), name,
        &error);
  }
  check_ok (paco_frame_encoder_set (
                coder.encoder, "rate-control", "lossless", &error),
      "rate-control", &error);
  paco_source_init (&coder.source);
  paco_rebuilt_init (&coder.rebuilt);
  paco_kept_chunks_init (&coder.chunks);
  paco_kept_file_init (&coder.kept);
  coder.no_sound = g_byte_array_new ();
  return &coder;
}

/* Finds what the kind says of the file by its first bytes, or what it reads of
 * it. */
static gboolean
look (const PacoSourceKind *kind, const uint8_t *data, size_t size,
    PacoInfo *info, GError **error)
{
  size_t n = MIN (size, PEEKED);
  g_autofree uint8_t *first = g_memdup2 (data, n);
  gboolean good;

  if (kind->look) {
    int fd = memfd_create ("file", MFD_CLOEXEC);

    if (fd < 0 || write (fd, data, size) != (ssize_t) size)
      fuzz_give_up ("memfd", "it does not take the file");
    good = kind->look (fd, size, info, error);
    close (fd);
  } else
    good = kind->peek (first, n, size, info, error);
  return good;
}

/* Checks that it is what the whole file says, but for samples that take more
 * bits than the header promises. */
static void
check_look (const PacoSourceKind *kind, const uint8_t *data, size_t size,
    const PacoSource *source)
{
  PacoInfo info = PACO_INFO_INIT;
  GError *error = NULL;

  if (!look (kind, data, size, &info, &error))
    fuzz_give_up ("look() refuses what parse() takes", error->message);
  memcpy (info.format, source->info.format, sizeof info.format);
  for (unsigned c = 0; c < PACO_COMPONENTS; c++)
    info.depth[c] = MAX (info.depth[c], source->info.depth[c]);
  if (memcmp (&info, &source->info, sizeof info) != 0)
    fuzz_give_up ("look() and parse()", "do not say the same");
}

/* Makes the file again; returns FALSE if that is refused. */
static gboolean
restore (Coder *coder, const PacoSourceKind *kind, const uint8_t *rest,
    size_t rest_size, size_t file_size, const PacoFrame *frame, GError **error)
{
  PacoInfo info = PACO_INFO_INIT;
  PacoError problem;

  check_ok (paco_probe (frame->data, frame->size, &info, NULL, &problem),
      "a frame", &problem);
  if (!paco_source_rebuild (
          kind, rest, rest_size, &info, file_size, &coder->rebuilt, error))
    return FALSE;
  check_ok (paco_frame_decoder_decode (coder->decoder, frame->data, frame->size,
                &coder->rebuilt.image, NULL, &problem),
      "decoding", &problem);
  return paco_source_finish (
      kind, rest, rest_size, &info, file_size, &coder->rebuilt, error);
}

/* Checks that the frame and this rest give the file back if comparing in place says
 * so. */
static void
check_in_place (Coder *coder, const PacoSourceKind *kind, const uint8_t *rest,
    size_t rest_size, const uint8_t *data, size_t size, const PacoFrame *frame)
{
  const PacoBytes *file = coder->rebuilt.file;
  PacoInfo info = PACO_INFO_INIT;
  PacoImage image;
  PacoResult result;
  GError *error = NULL;
  PacoError problem;

  check_ok (paco_probe (frame->data, frame->size, &info, NULL, &problem),
      "a frame", &problem);
  if (!paco_source_same_rest (kind, rest, rest_size, &info, data, size, &image))
    return;
  check_ok (paco_frame_decoder_submit_comparison (coder->decoder, frame->data,
                frame->size, &image, NULL, &problem),
      "comparing", &problem);
  check_ok (paco_frame_decoder_collect (coder->decoder, &result, &problem),
      "comparing", &problem);
  if (result.different_bytes > 0)
    return;
  if (!restore (coder, kind, rest, rest_size, size, frame, &error))
    fuzz_give_up (
        "what was found to be the same cannot be made", error->message);
  if (file->len != size || memcmp (file->data, data, size) != 0)
    fuzz_give_up (kind->name, "what was found to be the same is not");
}

/* Reads a frame whose chunks are others, with checks that are right. */
static void
read_changed (Coder *coder, FuzzRandom *random, const PacoFrame *frame)
{
  size_t capacity = frame->size + 4096;
  g_autofree uint8_t *changed = g_malloc0 (capacity);
  PacoInfo info = PACO_INFO_INIT;
  GError *error = NULL;
  size_t size;

  memcpy (changed, frame->data, frame->size);
  size = fuzz_mutate_frame (changed, frame->size, capacity, FUZZ_MAX_SAMPLES,
      fuzz_random_next (random));
  if (paco_probe (changed, size, &info, NULL, NULL) == PACO_STATUS_OK
      && paco_kept_file_read (changed, size, &coder->kept, &error)
      && coder->kept.size <= 1u << 24)
    paco_source_rebuild (coder->kept.kind, coder->kept.rest->data,
        coder->kept.rest->len, &info, coder->kept.size, &coder->rebuilt,
        &error);
  if (error)
    check_error (&error);
}

/* Restores with other bytes in what was kept. */
static void
restore_changed (Coder *coder, const PacoSourceKind *kind, const uint8_t *how,
    const uint8_t *file, size_t file_size, const PacoFrame *frame)
{
  uint32_t seed;
  FuzzRandom random;

  memcpy (&seed, how + SEED, sizeof seed);
  random = fuzz_random_new (seed);
  for (unsigned n = how[0] % MOST_CHANGES; n > 0; n--) {
    size_t size = coder->source.rest->len, capacity = size + 64;
    uint8_t *changed = g_malloc0 (capacity), *rest;
    GError *error = NULL;

    memcpy (changed, coder->source.rest->data, size);
    for (unsigned k = 1 + fuzz_random_below (&random, 3); k > 0; k--)
      size = fuzz_mutate_bytes (&random, changed, size, capacity);
    /* This memory has exactly this size, so that a read beyond it is seen. */
    rest = g_memdup2 (changed, size);
    read_changed (coder, &random, frame);
    check_in_place (coder, kind, rest, size, file, file_size, frame);
    if (!restore (coder, kind, rest, size,
            file_size + fuzz_random_below (&random, 3) - 1, frame, &error))
      check_error (&error);
    g_free (rest);
    g_free (changed);
  }
}

/* Puts what is kept of the file into extras; without, if it is too much. */
static void
keep (Coder *coder, const PacoSourceKind *kind, size_t size, PacoExtras *extras)
{
  const PacoKeptFile kept = { .kind = kind,
    .name = (char *) "folder/name",
    .size = size,
    .checksums = { .has_md5 = size % 2 },
    .rest = coder->source.rest,
    .sound = coder->no_sound,
    .further = coder->no_sound };
  GError *error = NULL;

  if (paco_kept_chunks_write (&kept, &coder->chunks, &error)) {
    extras->chunks = coder->chunks.chunks;
    extras->n_chunks = coder->chunks.n;
    extras->attachment = coder->chunks.attachment;
    extras->attachment_size = coder->chunks.attachment_size;
  } else {
    check_error (&error);
  }
}

static void
check_kept (Coder *coder, const PacoSourceKind *kind, size_t size,
    const PacoFrame *frame)
{
  const GByteArray *rest = coder->source.rest;
  PacoKeptFile *kept = &coder->kept;
  GError *error = NULL;

  if (!paco_kept_file_read (frame->data, frame->size, kept, &error))
    fuzz_give_up ("what was kept cannot be read", error->message);
  if (kept->kind != kind || strcmp (kept->name, "folder/name") != 0
      || kept->size != size || kept->rest->len != rest->len
      || memcmp (kept->rest->data, rest->data, rest->len) != 0)
    fuzz_give_up (kind->name, "what was kept is something else");
}

static void
try_file (const PacoSourceKind *kind, const uint8_t *how, const uint8_t *data,
    size_t size)
{
  Coder *coder = open_coder ();
  PacoSource *source = &coder->source;
  PacoBytes *file = coder->rebuilt.file;
  PacoExtras extras = PACO_EXTRAS_INIT;
  PacoFrame frame = { 0 };
  GError *error = NULL;
  PacoError problem;

  source->keep_files = how[SEED] % 2;
  if (how[SEED] / 2 % 2) {
    size_t half = size / 2;

    paco_source_watch (kind, data, 0, half, size, source);
    paco_source_watch (kind, data, half, size, size, source);
  }
  if (!paco_source_parse (kind, data, size, source, &error)) {
    PacoInfo info = PACO_INFO_INIT;

    check_error (&error);
    if (!look (kind, data, size, &info, &error))
      check_error (&error);
    return;
  }
  check_look (kind, data, size, source);
  if ((uint64_t) source->info.width * source->info.height > FUZZ_MAX_SAMPLES)
    return;
  check_ok (
      paco_frame_encoder_configure (coder->encoder, &source->info, &problem),
      "what was parsed cannot be coded", &problem);
  keep (coder, kind, size, &extras);
  check_ok (paco_frame_encoder_encode (
                coder->encoder, &source->image, &extras, &frame, &problem),
      "encoding", &problem);
  if (!restore (coder, kind, source->rest->data, source->rest->len, size,
          &frame, &error))
    fuzz_give_up ("what was parsed cannot be made again", error->message);
  if (file->len != size || memcmp (file->data, data, size) != 0)
    fuzz_give_up (kind->name, "the file made again is another one");
  if (extras.n_chunks > 0)
    check_kept (coder, kind, size, &frame);
  check_in_place (
      coder, kind, source->rest->data, source->rest->len, data, size, &frame);
  restore_changed (coder, kind, how, data, size, &frame);
  paco_frame_release (&frame);
}

/* Says whether sections have all of the file's bytes, one after the other. */
static bool
have_all (const GArray *sections, size_t size)
{
  uint64_t at = 0;

  for (unsigned i = 0; i < sections->len; i++) {
    const PacoSection *section = &g_array_index (sections, PacoSection, i);

    if (section->offset != at || section->size == 0)
      return false;
    at += section->size;
  }
  return sections->len == 0 || at == size;
}

/* Tries the stand-ins of the file's sections as files. */
static void
try_sections (const PacoSourceKind *kind, const uint8_t *how,
    const uint8_t *data, size_t size)
{
  g_autoptr (GArray)
      sections = g_array_new (FALSE, FALSE, sizeof (PacoSection));
  int fd = memfd_create ("file", MFD_CLOEXEC);

  if (fd < 0 || write (fd, data, size) != (ssize_t) size)
    fuzz_give_up ("memfd", "it does not take the file");
  kind->cut (fd, size, sections);
  if (!have_all (sections, size))
    fuzz_give_up (kind->name, "sections are not the file");
  for (unsigned i = 0; sections->len > 1 && i < sections->len; i++) {
    PacoSection *section = &g_array_index (sections, PacoSection, i);
    g_autoptr (GByteArray) file = g_byte_array_new ();
    g_autofree uint8_t *exact = NULL;
    GError *error = NULL;

    section->number = i;
    section->n = sections->len;
    if (kind->stand_in && !kind->stand_in (fd, size, section, file, &error))
      fuzz_give_up ("a section has no stand-in", error->message);
    g_byte_array_append (
        file, data + section->offset, (unsigned) section->size);
    if (paco_source_kind (file->data, file->len) != kind)
      fuzz_give_up (kind->name, "a stand-in is of another kind");
    exact = g_memdup2 (file->data, file->len);
    try_file (kind, how, exact, file->len);
    if (i == MAX_TRIED)
      break;
  }
  close (fd);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const PacoSourceKind *kind;
  g_autofree uint8_t *file = NULL;

  if (size <= FUZZ_SOURCE_PREFIX)
    return 0;
  /* This memory has exactly this size, so that a read beyond it is seen. */
  size -= FUZZ_SOURCE_PREFIX;
  file = g_memdup2 (data + FUZZ_SOURCE_PREFIX, size);
  kind = paco_source_kind (file, size);
  if (kind)
    try_file (kind, data, file, size);
  if (kind && kind->cut)
    try_sections (kind, data, file, size);
  return 0;
}

FUZZ_MUTATOR (file, FUZZ_SOURCE_PREFIX, )
