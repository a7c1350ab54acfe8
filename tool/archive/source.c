/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Lists the kinds of source files, and does what is the same for all of them
 * (source.h). */
#include "tool/archive/source.h"
#include <string.h>

enum
{
  MAX_FILE = G_MAXINT32, /* bytes; larger files are not archived (folder.c) */
};

/* A file is tried for these kinds in this order. */
static const PacoSourceKind *const kinds[] = {
  &paco_source_dpx,
  &paco_source_exr,
  &paco_source_png,
#ifdef HAVE_TIFF
  &paco_source_tiff,
#endif
  &paco_source_pnm,
};

G_DEFINE_QUARK (paco_source_error, paco_source_error)

void
paco_source_set_error (
    GError **error, PacoSourceError code, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_propagate_error (
      error, g_error_new_valist (PACO_SOURCE_ERROR, code, format, arguments));
  va_end (arguments);
}

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
  return "DPX, TIFF, EXR, PNG and PNM";
#else
  return "DPX, EXR, PNG and PNM";
#endif
}

gboolean
paco_source_same_samples (const PacoInfo *a, const PacoInfo *b)
{
  gboolean same = a->width == b->width && a->height == b->height
      && a->n_components == b->n_components && a->mosaic == b->mosaic;

  for (guint c = 0; same && c < a->n_components; c++)
    same = a->depth[c] == b->depth[c] && a->sample_kind[c] == b->sample_kind[c]
        && a->subsampling_x[c] == b->subsampling_x[c]
        && a->subsampling_y[c] == b->subsampling_y[c]
        && a->place_x[c] == b->place_x[c] && a->place_y[c] == b->place_y[c];
  return same;
}

void
paco_source_tell (PacoInfo *info, guint32 width, guint32 height,
    guint n_components, guint depth, gboolean rgb)
{
  info->width = width;
  info->height = height;
  info->n_components = n_components;
  for (guint c = 0; c < n_components; c++)
    info->depth[c] = depth;
  info->range = 1;
  info->matrix = rgb ? 1 : 0;
}

gboolean
paco_source_has (const PacoInfo *info, guint32 width, guint32 height,
    guint n_components, guint least, guint most)
{
  gboolean has = info->width == width && info->height == height
      && info->n_components == n_components;

  for (guint c = 0; has && c < n_components; c++)
    has = info->depth[c] >= least && info->depth[c] <= most
        && info->subsampling_x[c] == 0 && info->subsampling_y[c] == 0;
  return has;
}

void
paco_source_place (const PacoInfo *info, guint bytes, gsize gap,
    guint8 *samples, PacoImage *image)
{
  guint pixel = info->n_components * bytes;
  gsize line = (gsize) info->width * pixel;

  *image = (PacoImage){ 0 };
  for (guint c = 0; c < info->n_components; c++) {
    image->data[c] = samples;
    image->stride[c] = (ptrdiff_t) (line + gap);
    image->size[c] = (line + gap) * (info->height - 1) + line;
    image->layout[c] = (PacoLayout){
      .group_bytes = (guint8) pixel,
      .group_samples = 1,
      .word_bytes = (guint8) bytes,
      .big_endian = 1,
      .places[0].byte = (guint8) (c * bytes),
    };
  }
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

void
paco_section_add (
    GArray *sections, guint64 offset, guint64 place, guint64 file_size)
{
  PacoSection section = { .offset = sections->len > 0 ? offset : 0,
    .place = place };

  section.size = file_size - section.offset;
  if (sections->len > 0) {
    PacoSection *before = &g_array_index (
        sections, PacoSection, sections->len - 1);

    before->size = section.offset - before->offset;
  }
  g_array_append_val (sections, section);
}

/* --- formats ----------------------------------------------------------- */

gboolean
paco_format_holds (const PacoFormat *format, const PacoInfo *info)
{
  gboolean holds = info->n_components == format->n_components;
  PacoRawFormat raw;

  paco_raw_format_init (&raw, format);
  holds = holds && raw.mosaic == info->mosaic;
  for (guint c = 0; holds && c < info->n_components; c++)
    holds = info->depth[c] == raw.components[c].depth
        && info->sample_kind[c] == raw.components[c].kind
        && info->subsampling_x[c] == raw.components[c].subsampling_x
        && info->subsampling_y[c] == raw.components[c].subsampling_y
        && info->place_x[c] == raw.components[c].place_x
        && info->place_y[c] == raw.components[c].place_y;
  return holds;
}

const PacoFormat *
paco_format_usual (const PacoInfo *info, gboolean rgb)
{
  for (guint i = 0; i < paco_n_formats; i++)
    if (paco_formats[i].usual && paco_format_holds (&paco_formats[i], info)
        && (info->mosaic || (paco_formats[i].kind == PACO_FORMAT_RGB) == rgb))
      return &paco_formats[i];
  return NULL;
}

/* Returns the name for those who play a picture. Players choose a format by themselves
 * if it is "". */
static const char *
find_format (const PacoInfo *info)
{
  gboolean subsampled = info->n_components >= 3 && info->subsampling_x[1] > 0;
  gboolean rgb = info->n_components >= 3 && info->matrix == 1 && !subsampled;
  const PacoFormat *format = paco_format_usual (info, rgb);

  /* Files have no other order of them. */
  if (subsampled && info->n_components == 3 && info->depth[0] == 8)
    format = paco_format_by_name ("UYVY");
  if (!format || !paco_format_holds (format, info)
      || (info->n_components == 4 && !rgb))
    return "";
  return format->name;
}

/* --- taking apart and making again -------------------------------------- */

static void
reset (PacoSource *source)
{
  source->info = (PacoInfo) PACO_INFO_INIT;
  source->image = (PacoImage){ 0 };
  source->n_pictures = 1;
  source->next = 0;
  source->is_thumbnail = FALSE;
  g_byte_array_set_size (source->samples, 0);
  g_ptr_array_set_size (source->notes, 0);
  g_byte_array_set_size (source->rest, 0);
}

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
  source.at = PACO_SOURCE_FIRST;
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
    paco_source_set_error (error, PACO_SOURCE_BROKEN,
        "the file that was kept is not one of the picture");
  paco_source_clear (&source);
  return good;
}

static gboolean
is_kept (const guint8 *rest, gsize rest_size)
{
  return rest_size > 0 && rest[0] == PACO_SOURCE_WHOLE;
}

guint64
paco_source_memory (const PacoSourceKind *kind, guint64 file_size,
    guint64 rest_size, guint64 samples)
{
  /* The compressed samples are there twice: as they come, and in the file. */
  return rest_size + file_size
      + (kind->decodes_aside ? file_size + samples : 0);
}

guint64
paco_source_max_rest (const PacoSourceKind *kind, guint64 file_size)
{
  return 2 * MIN (file_size, MAX_FILE) + kind->rest_beyond;
}

gboolean
paco_source_rebuild (const PacoSourceKind *kind, const guint8 *rest,
    gsize rest_size, const PacoInfo *info, gsize file_size,
    PacoRebuilt *rebuilt, GError **error)
{
  if (file_size > MAX_FILE)
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "the frame says that its file had 2 GiB or more, and such files are "
        "not archived");
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
  return paco_source_fail (error, PACO_SOURCE_BROKEN,
      "the file made again has %" G_GSIZE_FORMAT
      " bytes, and had %" G_GSIZE_FORMAT,
      rebuilt->file->len, file_size);
}

gboolean
paco_source_same_rest (const PacoSourceKind *kind, const guint8 *rest,
    gsize rest_size, const PacoInfo *info, const guint8 *file, gsize file_size,
    PacoImage *image)
{
  return kind->same_rest && !is_kept (rest, rest_size)
      && kind->same_rest (rest, rest_size, info, file, file_size, image);
}
