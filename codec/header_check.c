/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Checks that the fields of a header are as FORMAT.md asks (header.h). Encoders and
 * configurations call paco_header_check(), and header.c does for each header that it
 * has parsed. */
#include "fit.h"
#include "header_private.h"
#include "matrix.h"
#include "mosaic.h"
#include <math.h>
#include <string.h>

/* No numerator or denominator is larger. */
#define MAX_RATIO 0x7fffffff

/* The components of a mosaic are the four samples of its 2x2 cell, in any order. */
static gboolean
check_mosaic (const PacoPictureFormat *picture, GError **error)
{
  unsigned places = 0;

  if (picture->n_components != 4 || picture->fields || picture->width % 2
      || picture->height % 2)
    return paco_refuse (error,
        "a mosaic has four components, even numbers of columns and lines, and "
        "no"
        " fields");
  for (unsigned c = 0; c < 4; c++) {
    const PacoComponent *component = &picture->components[c];

    if (component->subsampling_x != 1 || component->subsampling_y != 1
        || component->depth != picture->components[0].depth
        || component->kind != picture->components[0].kind)
      return paco_refuse (error,
          "the components of a mosaic have half of its columns and lines, and"
          " samples of one kind");
    places |= 1u << (component->place_x + 2 * component->place_y);
  }
  return places == 15
      || paco_refuse (
          error, "the components of a mosaic have four different places");
}

static gboolean
check_picture (const PacoPictureFormat *picture, GError **error)
{
  if (picture->width < 1 || picture->height < 1
      || picture->width > PACO_MAX_SIZE || picture->height > PACO_MAX_SIZE)
    return paco_refuse (error,
        "a picture of %ux%u cannot be coded: 1x1 to %dx%d can", picture->width,
        picture->height, PACO_MAX_SIZE, PACO_MAX_SIZE);
  if (picture->n_components < 1 || picture->n_components > PACO_MAX_COMPONENTS)
    return paco_refuse (error, "a picture has one to four components");
  for (unsigned c = 0; c < picture->n_components; c++) {
    const PacoComponent *component = &picture->components[c];

    if (component->depth < 1 || component->depth > 16)
      return paco_refuse (error, "samples have one to sixteen bits");
    if (component->kind >= PACO_N_SAMPLE_KINDS)
      return paco_refuse (error, "samples are of the reserved kind 3");
    if (component->kind == PACO_SAMPLE_FLOAT && component->depth != 16)
      return paco_refuse (error, "samples of binary16 have sixteen bits");
    if (!picture->mosaic && (component->place_x || component->place_y))
      return paco_refuse (
          error, "only components of a mosaic have places in its cell");
    if (component->subsampling_x > 2 || component->subsampling_y > 2
        || (c == 0 && !picture->mosaic
            && (component->subsampling_x || component->subsampling_y)))
      return paco_refuse (error,
          "components may be subsampled by 1, 2 or 4, the first one not");
  }
  return !picture->mosaic || check_mosaic (picture, error);
}

static gboolean
check_wavelet (unsigned wavelet, GError **error)
{
  if (wavelet < PACO_N_WAVELETS)
    return TRUE;
  return paco_refuse (error,
      wavelet <= PACO_LAST_RESERVED_WAVELET
          ? "the wavelet has the reserved id %u"
          : "the wavelet has the unknown id %u",
      wavelet);
}

static gboolean
check_components (const PacoHeader *header, GError **error)
{
  for (unsigned c = 0; c < header->picture.n_components; c++) {
    if (!check_wavelet (header->coding.components[c].wavelet, error))
      return FALSE;
    if (header->coding.components[c].family >= PACO_N_FAMILIES)
      return paco_refuse (error, "unknown family of probability sets");
  }
  return TRUE;
}

static gboolean
check_mosaic_transform (const PacoHeader *header, GError **error)
{
  const PacoCoding *coding = &header->coding;

  if (!paco_mosaic_is_usual (&header->picture))
    return paco_refuse (error,
        "color-transform=mosaic needs a mosaic in which the first component and"
        " the last one lie diagonally");
  return MAX (coding->parameters[0], coding->parameters[1])
      <= PACO_MAX_MOSAIC_WEIGHT
      || paco_refuse (error, "color-transform=mosaic has weights of %u and %u",
          coding->parameters[0], coding->parameters[1]);
}

static gboolean
check_color_transform (const PacoHeader *header, GError **error)
{
  const PacoPictureFormat *picture = &header->picture;
  const PacoCoding *coding = &header->coding;

  if (coding->color_transform >= PACO_N_COLOR_TRANSFORMS)
    return paco_refuse (error, "the color transform has the unknown id %u",
        coding->color_transform);
  if (!paco_color_transforms[coding->color_transform].name)
    return paco_refuse (error, "the color transform has the reserved id %u",
        coding->color_transform);
  if (coding->color_transform == PACO_COLOR_TRANSFORM_MOSAIC)
    return check_mosaic_transform (header, error);
  if (coding->color_transform == PACO_COLOR_TRANSFORM_FIT) {
    if (!paco_fit_is_valid (coding->parameters))
      return paco_refuse (error,
          "color-transform=rct-fit has the parameters %u and %u",
          coding->parameters[0], coding->parameters[1]);
  } else if (coding->parameters[0] || coding->parameters[1])
    return paco_refuse (error, "this color transform has no parameters");
  if (coding->color_transform == PACO_COLOR_TRANSFORM_NONE)
    return TRUE;
  if (picture->n_components < 3)
    return paco_refuse (error, "a color transform needs three components");
  for (unsigned c = 0; c < 3; c++) {
    const PacoComponent *component = &picture->components[c];

    if (component->subsampling_x || component->subsampling_y
        || component->depth != picture->components[0].depth)
      return paco_refuse (
          error, "a color transform needs components of one size and depth");
    if (coding->components[c].wavelet != coding->components[0].wavelet)
      return paco_refuse (
          error, "a color transform needs components of one wavelet");
  }
  if (paco_color_transform_is_matrix (coding->color_transform)
      && paco_is_reversible (coding, 0))
    return paco_refuse (error, "color-transform=%s needs wavelet=cdf97",
        paco_color_transforms[coding->color_transform].name);
  return TRUE;
}

static gboolean
check_subbands (const PacoHeader *header, GError **error)
{
  const PacoCoding *coding = &header->coding;

  for (unsigned c = 0; c < header->picture.n_components; c++) {
    for (unsigned k = 0; k < paco_header_n_entries (header); k++) {
      if (coding->subbands[c][k].height_log2 > 3
          || coding->subbands[c][k].step > PACO_HEADER_STEP_MASK)
        return paco_refuse (
            error, "a subband's block height or step is out of range");
      if (paco_is_reversible (coding, c) && coding->subbands[c][k].step != 0)
        return paco_refuse (
            error, "a reversible wavelet has no quantizer steps");
    }
  }
  return TRUE;
}

static gboolean
check_video (const PacoVideoInfo *video, GError **error)
{
  if (video->par_n < 1 || video->par_d < 1 || video->fps_d < 1
      || video->par_n > MAX_RATIO || video->par_d > MAX_RATIO
      || video->fps_n > MAX_RATIO || video->fps_d > MAX_RATIO)
    return paco_refuse (
        error, "pixel aspect ratio or frame rate is not a valid fraction");
  if (memchr (video->raw_format, 0, sizeof video->raw_format) == NULL)
    return paco_refuse (error, "the name of the raw format is too long");
  for (const char *p = video->raw_format; *p; p++)
    if (!g_ascii_isgraph (*p))
      return paco_refuse (error, "the name of the raw format is not a name");
  return TRUE;
}

static gboolean
check_ancillary (const PacoAncillary *ancillary, GError **error)
{
  const char *reason;

  return paco_ancillary_check (ancillary, &reason)
      || paco_refuse (error, "%s", reason);
}

static gboolean
check_attachment (const PacoAttachment *attachment, GError **error)
{
  if (attachment->size <= PACO_MAX_ATTACHMENT_SIZE)
    return TRUE;
  return paco_refuse (error,
      "an attachment of %u bytes is too large: %u is the most",
      attachment->size, PACO_MAX_ATTACHMENT_SIZE);
}

/* Checks what holds only in streams of which each picture is one field. */
static gboolean
check_single_field (const PacoHeader *header, GError **error)
{
  if (header->video.interlace_mode != PACO_INTERLACE_ALTERNATE)
    return TRUE;
  if (header->picture.fields)
    return paco_refuse (
        error, "a picture that is one field cannot be coded as two");
  if (header->picture.height > PACO_MAX_SIZE / 2)
    return paco_refuse (
        error, "a field of more than 8192 lines cannot be coded");
  return TRUE;
}

gboolean
paco_header_check_slice (const PacoHeader *header, GError **error)
{
  const PacoSlice *slice = &header->video.slice;

  if (slice->length == 0)
    return TRUE;
  if (!paco_slice_is_valid (slice))
    return paco_refuse (
        error, "a slice says what cannot be of the stack that it is of");
  if (header->picture.n_components != 1
      || header->picture.components[0].depth != PACO_SLICE_DEPTH
      || header->picture.components[0].kind != PACO_SAMPLE_UNSIGNED
      || header->picture.fields
      || header->video.interlace_mode != PACO_INTERLACE_PROGRESSIVE)
    return paco_refuse (error,
        "a slice of a stack has one unsigned component of 16 bits, and no"
        " fields");
  return TRUE;
}

static gboolean
check_code_table (
    const PacoHeader *header, const PacoCodeTableInfo *table, GError **error)
{
  uint32_t span = table->last - table->first + 1u;

  if (table->components == 0
      || table->components >> header->picture.n_components)
    return paco_refuse (error, "a code table is of no component");
  if (table->form > 1)
    return paco_refuse (
        error, "a code table has the unknown form %u", table->form);
  if (table->first > table->last || table->n_codes > span
      || table->n_codes < MIN (span, 2))
    return paco_refuse (error, "the codes of a code table do not add up");
  for (unsigned c = 0; c < header->picture.n_components; c++)
    if (table->components >> c & 1
        && (table->last >> header->picture.components[c].depth
            || !paco_is_reversible (&header->coding, c)))
      return paco_refuse (error,
          "a code table is of a component whose wavelet is not reversible, or"
          " has fewer bits");
  return TRUE;
}

static gboolean
check_matrix (const PacoCoding *coding, GError **error)
{
  for (unsigned i = 0; i < PACO_MATRIX_SIZE; i++)
    if (coding->color_transform == PACO_COLOR_TRANSFORM_MATRIX
        && !(fabsf (coding->matrix[i]) <= PACO_MAX_MATRIX))
      return paco_refuse (error,
          "color-transform=matrix has %g in its matrix, and %d is the most",
          (double) coding->matrix[i], PACO_MAX_MATRIX);
  return TRUE;
}

gboolean
paco_header_check_chunks (const PacoHeader *header, GError **error)
{
  const PacoCoding *coding = &header->coding;
  uint64_t size = (uint64_t) header->cut_points_size + header->step_map_size;
  unsigned components = 0;

  if (!check_matrix (coding, error))
    return FALSE;
  if (coding->step_map_halved >> header->picture.n_components != 0)
    return paco_refuse (
        error, "a step map is of a component that is not there");
  for (unsigned i = 0; i < coding->n_code_tables; i++) {
    const PacoCodeTableInfo *table = &coding->code_tables[i];

    if (!check_code_table (header, table, error))
      return FALSE;
    if (components & table->components)
      return paco_refuse (error, "a component has two code tables");
    components |= table->components;
    size += table->size;
  }
  if (components != 0 && header->video.slice.length > 0)
    return paco_refuse (error, "slices of stacks have no code tables");
  return size <= header->index_size
      || paco_refuse (error, "the tables of the index are larger than it is");
}

gboolean
paco_header_check (const PacoHeader *header, GError **error)
{
  const PacoCoding *coding = &header->coding;

  if (!check_picture (&header->picture, error)
      || !check_video (&header->video, error)
      || !check_ancillary (&header->video.ancillary, error)
      || !check_attachment (&header->video.attachment, error)
      || !paco_header_check_slice (header, error)
      || !check_components (header, error))
    return FALSE;
  if (coding->levels > PACO_MAX_LEVELS)
    return paco_refuse (error, "there are at most eight decomposition levels");
  if (coding->coding_passes < 1 || coding->coding_passes > 3)
    return paco_refuse (error, "there are one to three coding passes");
  return check_single_field (header, error)
      && check_color_transform (header, error)
      && check_subbands (header, error);
}

gboolean
paco_header_check_pixels (
    const PacoHeader *header, uint64_t max_pixels, GError **error)
{
  const PacoPictureFormat *picture = &header->picture;
  uint64_t pixels = (uint64_t) picture->width * picture->height;

  if (max_pixels == 0)
    max_pixels = PACO_DEFAULT_MAX_PIXELS;
  if (pixels <= max_pixels)
    return TRUE;
  return paco_refuse (error,
      "a picture of %u x %u is larger than max-pixels=%" G_GUINT64_FORMAT
      " allows; it needs max-pixels=%" G_GUINT64_FORMAT
      ", if the stream can be trusted and there is memory for it",
      picture->width, picture->height, max_pixels, pixels);
}
