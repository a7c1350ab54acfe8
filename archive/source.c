/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Lists the kinds of source files, and does what is the same for all of them
 * (source.h). */
#include "archive/source.h"
#include "archive/kinds.h"
#include <string.h>

/* A file is tried for these kinds in this order. */
static const PacoSourceKind *const kinds[] = {
  &paco_source_dpx,
  &paco_source_png,
#ifdef HAVE_TIFF
  &paco_source_tiff,
#endif
  &paco_source_pnm,
};

G_DEFINE_QUARK (paco_source_error, paco_source_error)

const PacoSourceKind *
paco_source_kind (const guint8 *bytes, gsize size)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i]->match (bytes, size))
      return kinds[i];
  return NULL;
}

const PacoSourceKind *
paco_source_kind_by_id (guint8 id)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i]->id == id)
      return kinds[i];
  return NULL;
}

const char *
paco_source_kinds (void)
{
#ifdef HAVE_TIFF
  return "DPX, TIFF, PNG and PNM";
#else
  return "DPX, PNG and PNM";
#endif
}

gboolean
paco_source_same_samples (const PacoInfo *a, const PacoInfo *b)
{
  gboolean same = a->width == b->width && a->height == b->height
      && a->n_components == b->n_components;

  for (guint c = 0; same && c < a->n_components; c++)
    same = a->depth[c] == b->depth[c]
        && a->subsampling_x[c] == b->subsampling_x[c]
        && a->subsampling_y[c] == b->subsampling_y[c];
  return same;
}

void
paco_source_init (PacoSource *source)
{
  *source = (PacoSource){
    .info = PACO_INFO_INIT,
    .samples = g_byte_array_new (),
    .notes = g_ptr_array_new_with_free_func (g_free),
    .rest = g_byte_array_new (),
  };
}

void
paco_source_clear (PacoSource *source)
{
  g_clear_pointer (&source->notes, g_ptr_array_unref);
  g_clear_pointer (&source->samples, g_byte_array_unref);
  g_clear_pointer (&source->rest, g_byte_array_unref);
  if (source->free_seen)
    source->free_seen (source->seen);
  source->seen = NULL;
  source->free_seen = NULL;
}

void
paco_rebuilt_init (PacoRebuilt *rebuilt)
{
  *rebuilt = (PacoRebuilt){
    .file = paco_bytes_new (),
    .samples = g_byte_array_new (),
  };
}

void
paco_rebuilt_clear (PacoRebuilt *rebuilt)
{
  g_clear_pointer (&rebuilt->file, paco_bytes_free);
  g_clear_pointer (&rebuilt->samples, g_byte_array_unref);
}

/* --- formats ----------------------------------------------------------- */

/* GStreamer's formats by what a picture is, for those who play it. If there is
 * none of the depth, players choose one by themselves. */
static const struct
{
  guint8 n_components, depth;
  gboolean rgb;
  const char *name;
} formats[] = {
  { 1, 8, FALSE, "GRAY8" },
  { 1, 16, FALSE, "GRAY16_LE" },
  { 3, 8, TRUE, "RGB" },
  { 3, 10, TRUE, "GBR_10LE" },
  { 3, 12, TRUE, "GBR_12LE" },
  { 3, 16, TRUE, "GBR_16LE" },
  { 4, 8, TRUE, "RGBA" },
  { 4, 10, TRUE, "GBRA_10LE" },
  { 4, 12, TRUE, "GBRA_12LE" },
  { 4, 16, TRUE, "RGBA64_LE" },
  { 3, 8, FALSE, "Y444" },
  { 3, 10, FALSE, "Y444_10LE" },
  { 3, 12, FALSE, "Y444_12LE" },
  { 3, 16, FALSE, "Y444_16LE" },
};
static const struct
{
  guint8 depth;
  const char *name;
} formats_422[] = {
  { 8, "UYVY" },
  { 10, "I422_10LE" },
  { 12, "I422_12LE" },
};

static gboolean
has_one_depth (const PacoInfo *info)
{
  for (guint c = 1; c < info->n_components; c++)
    if (info->depth[c] != info->depth[0])
      return FALSE;
  return TRUE;
}

static const char *
find_format (const PacoInfo *info)
{
  guint n = info->n_components;

  if (!has_one_depth (info))
    return "";
  if (n == 3 && info->subsampling_x[1] == 1 && info->subsampling_y[1] == 0
      && info->subsampling_x[2] == 1 && info->subsampling_y[2] == 0) {
    for (guint i = 0; i < G_N_ELEMENTS (formats_422); i++)
      if (formats_422[i].depth == info->depth[0])
        return formats_422[i].name;
    return "";
  }
  for (guint c = 1; c < n; c++)
    if (info->subsampling_x[c] || info->subsampling_y[c])
      return "";
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i].n_components == n && formats[i].depth == info->depth[0]
        && formats[i].rgb == (info->matrix == 1 && n >= 3))
      return formats[i].name;
  return "";
}

/* --- taking apart and making again -------------------------------------- */

static void
reset (PacoSource *source)
{
  source->info = (PacoInfo) PACO_INFO_INIT;
  source->image = (PacoImage){ 0 };
  g_byte_array_set_size (source->samples, 0);
  g_ptr_array_set_size (source->notes, 0);
  g_byte_array_set_size (source->rest, 0);
}

/* Takes the samples of a file whose bytes are kept. */
static gboolean
parse_kept (const PacoSourceKind *kind, const guint8 *bytes, gsize size,
    PacoSource *source, GError **error)
{
  const guint8 form = PACO_SOURCE_WHOLE;
  gboolean good;

  reset (source);
  source->samples_only = TRUE;
  good = kind->parse (bytes, size, source, error);
  source->samples_only = FALSE;
  if (!good)
    return FALSE;
  g_byte_array_set_size (source->rest, 0);
  g_byte_array_append (source->rest, &form, 1);
  g_byte_array_append (source->rest, bytes, (guint) size);
  g_ptr_array_add (source->notes,
      g_strdup ("its compressed bytes cannot be made again, so all of the file "
                "is kept beside the picture"));
  return TRUE;
}

void
paco_source_watch (const PacoSourceKind *kind, const guint8 *bytes, gsize from,
    gsize size, guint64 file_size, PacoSource *source)
{
  if (kind->watch)
    kind->watch (bytes, from, size, file_size, source);
}

gboolean
paco_source_parse (const PacoSourceKind *kind, const guint8 *bytes, gsize size,
    PacoSource *source, GError **error)
{
  GError *failure = NULL;
  gboolean good;

  reset (source);
  good = kind->parse (bytes, size, source, &failure);
  if (!good && source->keep_files
      && g_error_matches (
          failure, PACO_SOURCE_ERROR, PACO_SOURCE_OTHER_BYTES)) {
    g_clear_error (&failure);
    good = parse_kept (kind, bytes, size, source, &failure);
  }
  if (!good) {
    g_propagate_error (error, failure);
    return FALSE;
  }
  g_strlcpy (source->info.format, find_format (&source->info),
      sizeof source->info.format);
  return TRUE;
}

/* Copies the file, which is there; the frame is decoded into samples that lie as
 * parse() has them. */
static gboolean
rebuild_kept (const PacoSourceKind *kind, const guint8 *file, gsize size,
    const PacoInfo *info, gsize file_size, PacoRebuilt *rebuilt, GError **error)
{
  PacoSource source;
  gboolean good;

  paco_source_init (&source);
  source.samples_only = TRUE;
  good = size == file_size && kind->match (file, size)
      && kind->parse (file, size, &source, NULL) && source.samples->len > 0
      && paco_source_same_samples (&source.info, info);
  if (good) {
    GByteArray *samples = rebuilt->samples;

    paco_bytes_append (rebuilt->file, file, size);
    rebuilt->samples = source.samples;
    rebuilt->image = source.image;
    source.samples = samples;
  } else
    g_set_error_literal (error, PACO_SOURCE_ERROR, PACO_SOURCE_BROKEN,
        "the file that was kept is not one of the picture");
  paco_source_clear (&source);
  return good;
}

static gboolean
is_kept (const guint8 *rest, gsize rest_size)
{
  return rest_size > 0 && rest[0] == PACO_SOURCE_WHOLE;
}

gboolean
paco_source_rebuild (const PacoSourceKind *kind, const guint8 *rest,
    gsize rest_size, const PacoInfo *info, gsize file_size,
    PacoRebuilt *rebuilt, GError **error)
{
  rebuilt->image = (PacoImage){ 0 };
  paco_bytes_set_size (rebuilt->file, 0);
  g_byte_array_set_size (rebuilt->samples, 0);
  if (is_kept (rest, rest_size))
    return rebuild_kept (
        kind, rest + 1, rest_size - 1, info, file_size, rebuilt, error);
  return kind->rebuild (rest, rest_size, info, file_size, rebuilt, error);
}

gboolean
paco_source_finish (const PacoSourceKind *kind, const guint8 *rest,
    gsize rest_size, const PacoInfo *info, gsize file_size,
    PacoRebuilt *rebuilt, GError **error)
{
  if (kind->finish && !is_kept (rest, rest_size)
      && !kind->finish (rest, rest_size, info, file_size, rebuilt, error))
    return FALSE;
  if (rebuilt->file->len == file_size)
    return TRUE;
  g_set_error (error, PACO_SOURCE_ERROR, PACO_SOURCE_BROKEN,
      "the file made again has %" G_GSIZE_FORMAT " bytes, and had "
      "%" G_GSIZE_FORMAT,
      rebuilt->file->len, file_size);
  return FALSE;
}

gboolean
paco_source_same_rest (const PacoSourceKind *kind, const guint8 *rest,
    gsize rest_size, const PacoInfo *info, const guint8 *file, gsize file_size,
    PacoImage *image)
{
  return kind->same_rest && !is_kept (rest, rest_size)
      && kind->same_rest (rest, rest_size, info, file, file_size, image);
}
