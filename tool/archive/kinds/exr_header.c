/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads headers of OpenEXR files (exr.h). */
#include "tool/archive/kinds/exr.h"
#include "tool/archive/source.h"
#include "codec/bytes.h"
#include <math.h>
#include <string.h>

enum
{
  MAGIC = 20000630,
  VERSION = 2,
  LONG_NAMES = 0x400, /* flags of files that are taken */
  DEEP = 0x800,       /* only if there are several parts */
  HEAD = 8,
  MAX_NAME = 255,
  TYPE_HALF = 1,
  HALF = 2, /* PacoInfo.sample_kind */
  MAX_COMPRESSION = PACO_EXR_PIZ,
};

/* What is left to read. */
typedef struct
{
  const guint8 *at, *end;
} Bytes;

static gboolean
broken (GError **error)
{
  return paco_source_fail (
      error, PACO_SOURCE_BROKEN, "the header of the OpenEXR file is broken");
}

/* Reads a text that ends with a zero. Returns NULL if it has no end. */
static const char *
read_text (Bytes *bytes)
{
  gsize left = (gsize) (bytes->end - bytes->at);
  const char *text = (const char *) bytes->at;
  const guint8 *zero = memchr (text, 0, MIN (left, MAX_NAME + 1));

  if (!zero)
    return NULL;
  bytes->at = zero + 1;
  return text;
}

static gboolean
read_channel (PacoExrPicture *picture, const char *name, const guint8 *data,
    GError **error)
{
  guint32 type = paco_get32 (data);
  guint32 xs = paco_get32 (data + 8), ys = paco_get32 (data + 12);

  if (type > 2 || xs < 1 || ys < 1)
    return broken (error);
  if (xs > 2 || ys > 2 || picture->n_channels == PACO_EXR_CHANNELS)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "a channel of the OpenEXR file has every %uth column only, or there "
        "are more than %d channels",
        MAX (xs, ys), PACO_EXR_CHANNELS);
  picture->channels[picture->n_channels++] = (PacoExrChannel){
    .name = name,
    .bytes = type == TYPE_HALF ? 2 : 4,
    .half = type == TYPE_HALF,
    .xs = xs,
    .ys = ys,
    .component = -1,
  };
  return TRUE;
}

static gboolean
read_channels (PacoExrPicture *picture, Bytes value, GError **error)
{
  const char *name;

  while ((name = read_text (&value)) && *name) {
    if (value.end - value.at < 16)
      return broken (error);
    if (!read_channel (picture, name, value.at, error))
      return FALSE;
    value.at += 16;
  }
  return (name && value.at == value.end) || broken (error);
}

static gboolean
read_window (PacoExrPicture *picture, const guint8 *data, GError **error)
{
  gint32 x0 = (gint32) paco_get32 (data), y0 = (gint32) paco_get32 (data + 4);
  gint32 x1 = (gint32) paco_get32 (data + 8);
  gint32 y1 = (gint32) paco_get32 (data + 12);
  gint64 width = (gint64) x1 - x0 + 1, height = (gint64) y1 - y0 + 1;

  if (width < 1 || height < 1)
    return broken (error);
  if (width > PACO_MAX_SIZE || height > PACO_MAX_SIZE)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "the picture has more than 16384 columns or lines");
  picture->y = y0;
  picture->width = (guint32) width;
  picture->height = (guint32) height;
  for (guint i = 0; i < picture->n_channels; i++) {
    PacoExrChannel *channel = &picture->channels[i];

    if ((channel->xs == 2 && ((x0 & 1) || (width & 1)))
        || (channel->ys == 2 && ((y0 & 1) || (height & 1))))
      return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
          "a channel with every second column does not begin with the "
          "picture");
    channel->width = picture->width / channel->xs;
    channel->height = picture->height / channel->ys;
  }
  return TRUE;
}

static gboolean
read_compression (PacoExrPicture *picture, guint8 value, GError **error)
{
  static const guint lines[] = { 1, 1, 1, 16, 32 };

  if (value > MAX_COMPRESSION)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "the OpenEXR file is compressed in a way (%u) that may be with loss, "
        "or is not known",
        value);
  picture->compression = value;
  picture->chunk_lines = lines[value];
  return TRUE;
}

static float
get_float (const guint8 *data)
{
  guint32 bits = paco_get32 (data);
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

static void
read_aspect (PacoExrPicture *picture, float aspect)
{
  if (!(aspect >= 0.01f && aspect <= 100))
    return;
  picture->par_n = aspect == 1 ? 1 : (guint) lrintf (aspect * 10000);
  picture->par_d = aspect == 1 ? 1 : 10000;
}

/* Values of a header that are used. */
typedef struct
{
  const guint8 *window;
  gboolean has_compression, has_channels, has_order;
} Found;

static gboolean
is (const char *name, const char *type, guint32 size, const char *wanted_name,
    const char *wanted_type, guint32 wanted_size)
{
  return strcmp (name, wanted_name) == 0 && strcmp (type, wanted_type) == 0
      && (wanted_size == 0 || size == wanted_size);
}

static gboolean
read_attribute (PacoExrPicture *picture, const char *name, const char *type,
    const guint8 *data, guint32 size, Found *found, GError **error)
{
  if (is (name, type, size, "channels", "chlist", 0) && !found->has_channels) {
    found->has_channels = TRUE;
    return read_channels (picture, (Bytes){ data, data + size }, error);
  }
  if (is (name, type, size, "compression", "compression", 1)
      && !found->has_compression) {
    found->has_compression = TRUE;
    return read_compression (picture, data[0], error);
  }
  if (is (name, type, size, "dataWindow", "box2i", 16))
    found->window = data;
  else if (is (name, type, size, "lineOrder", "lineOrder", 1)) {
    found->has_order = TRUE;
    picture->falling = data[0] == 1;
  } else if (is (name, type, size, "pixelAspectRatio", "float", 4))
    read_aspect (picture, get_float (data));
  else if (is (name, type, size, "framesPerSecond", "rational", 8)
      && paco_get32 (data) - 1 < G_MAXINT32 - 1
      && paco_get32 (data + 4) - 1 < G_MAXINT32 - 1) {
    picture->fps_n = paco_get32 (data);
    picture->fps_d = paco_get32 (data + 4);
  } else if (strcmp (name, "tiles") == 0)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "the OpenEXR file has tiles, and not lines");
  return TRUE;
}

static gboolean
read_attributes (
    PacoExrPicture *picture, Bytes *bytes, Found *found, GError **error)
{
  const char *name, *type;

  while ((name = read_text (bytes)) && *name) {
    guint32 size;

    type = read_text (bytes);
    if (!type || bytes->end - bytes->at < 4)
      return broken (error);
    size = paco_get32 (bytes->at);
    bytes->at += 4;
    if (size > (gsize) (bytes->end - bytes->at))
      return broken (error);
    if (!read_attribute (picture, name, type, bytes->at, size, found, error))
      return FALSE;
    bytes->at += size;
  }
  return name || broken (error);
}

/* --- components ------------------------------------------------------------ */

/* Returns the channel of that name, the first `length` bytes of which are those of
 * `prefix`, or NULL. Its samples are halves, with that subsampling. */
static PacoExrChannel *
find (PacoExrPicture *picture, const char *prefix, gsize length,
    const char *name, guint sampling)
{
  for (guint i = 0; i < picture->n_channels; i++) {
    PacoExrChannel *channel = &picture->channels[i];

    if (strncmp (channel->name, prefix, length) == 0
        && strcmp (channel->name + length, name) == 0 && channel->half
        && channel->xs == sampling && channel->ys == sampling)
      return channel;
  }
  return NULL;
}

/* Takes channels for components, if all but the last one, alpha, are there. */
static gboolean
take (PacoExrPicture *picture, const char *prefix, gsize length,
    const char *const names[4], guint chroma)
{
  PacoExrChannel *taken[4] = { NULL };
  guint n = 0;

  for (guint i = 0; i < 4; i++) {
    if (!names[i])
      continue;
    taken[n] = find (picture, prefix, length, names[i],
        chroma > 1 && i > 0 && i < 3 ? chroma : 1);
    if (!taken[n] && i < 3)
      return FALSE;
    n += taken[n] != NULL;
  }
  for (guint i = 0; i < n; i++)
    taken[i]->component = (int) i;
  picture->n_components = n;
  return TRUE;
}

/* Finds which channels are the picture. */
static gboolean
take_components (PacoExrPicture *picture)
{
  static const char *const rgb[4] = { "R", "G", "B", "A" };
  static const char *const yc[4] = { "Y", "BY", "RY", NULL };
  static const char *const gray[4] = { "Y", NULL, NULL, "A" };

  picture->rgb = take (picture, "", 0, rgb, 1);
  for (guint i = 0; i < picture->n_channels && !picture->rgb; i++) {
    const char *name = picture->channels[i].name, *dot = strrchr (name, '.');

    picture->rgb = dot && strcmp (dot, ".R") == 0
        && take (picture, name, (gsize) (dot + 1 - name), rgb, 1);
  }
  if (picture->rgb || take (picture, "", 0, yc, 2)
      || take (picture, "", 0, gray, 1))
    return TRUE;
  for (guint i = 0; i < picture->n_channels; i++) {
    PacoExrChannel *channel = &picture->channels[i];

    if (channel->half && channel->xs == 1 && channel->ys == 1) {
      channel->component = 0;
      picture->n_components = 1;
      return TRUE;
    }
  }
  return FALSE;
}

/* --- the header -------------------------------------------------------------- */

/* Reads the attributes of a part, or of a file of one part. */
static gboolean
read_part (Bytes *left, PacoExrPicture *picture, GError **error)
{
  Found found = { NULL };

  if (!read_attributes (picture, left, &found, error))
    return FALSE;
  if (!found.has_channels || !found.has_compression || !found.has_order
      || !found.window)
    return broken (error);
  if (!read_window (picture, found.window, error))
    return FALSE;
  if (!take_components (picture))
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "the OpenEXR file has no channel of half floats");
  picture->n_chunks = (picture->height + picture->chunk_lines - 1)
      / picture->chunk_lines;
  return TRUE;
}

/* Passes over the header of a part. *n_chunks becomes how many chunks it has, and *of_lines
 * whether these are lines. Returns FALSE if it is broken. */
static gboolean
skip_part (Bytes *left, guint32 *n_chunks, gboolean *of_lines)
{
  const char *name, *type;

  *n_chunks = 0;
  *of_lines = FALSE;
  while ((name = read_text (left)) && *name) {
    guint32 size;

    type = read_text (left);
    if (!type || left->end - left->at < 4)
      return FALSE;
    size = paco_get32 (left->at);
    left->at += 4;
    if (size > (gsize) (left->end - left->at))
      return FALSE;
    if (is (name, type, size, "chunkCount", "int", 4))
      *n_chunks = paco_get32 (left->at);
    if (is (name, type, size, "type", "string", 13))
      *of_lines = memcmp (left->at, "scanlineimage", 13) == 0;
    left->at += size;
  }
  return name != NULL;
}

/* Takes the part whose header begins at `left`, if that can be done. */
static gboolean
take_part (Bytes left, guint32 part, guint32 n_chunks, gboolean of_lines,
    PacoExrPicture *picture, GError **error)
{
  *picture = (PacoExrPicture){ .part = part };
  if (!of_lines)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "no part of the OpenEXR file has lines of half floats, and neither "
        "tiles nor deep samples");
  return read_part (&left, picture, error)
      && (picture->n_chunks == n_chunks || broken (error));
}

static gboolean
read_parts (const guint8 *bytes, gsize size, guint32 wanted,
    PacoExrPicture *picture, GError **error)
{
  Bytes left = { bytes + HEAD, bytes + size };
  g_autoptr (GError) why = NULL;
  guint64 before = 0, total = 0;
  gboolean taken = FALSE;
  guint32 part = 0;

  for (; left.at < left.end && *left.at; part++) {
    Bytes begin = left;
    gboolean of_lines;
    guint32 n_chunks;

    if (!skip_part (&left, &n_chunks, &of_lines))
      return broken (error);
    if (!taken && (wanted == PACO_EXR_FIRST || wanted == part)) {
      g_clear_error (&why);
      taken = take_part (begin, part, n_chunks, of_lines, picture, &why);
      picture->part_at = (gsize) (begin.at - bytes);
      picture->part_size = (gsize) (left.at - begin.at);
      before = total;
    }
    total += n_chunks;
  }
  if (left.at == left.end || part == 0)
    return broken (error);
  if (!taken) {
    if (!why)
      return broken (error);
    g_propagate_error (error, g_steal_pointer (&why));
    return FALSE;
  }
  picture->multipart = TRUE;
  picture->n_parts = part;
  picture->chunk_head = PACO_EXR_PART_HEAD + PACO_EXR_CHUNK_HEAD;
  picture->header_size = (gsize) (left.at + 1 - bytes);
  picture->table = picture->header_size + (gsize) before * 8;
  picture->tables_end = picture->header_size + total * 8;
  return TRUE;
}

gboolean
paco_exr_read_header (const guint8 *bytes, gsize size, guint32 part,
    PacoExrPicture *picture, GError **error)
{
  Bytes left = { bytes + HEAD, bytes + size };
  guint32 version;

  *picture = (PacoExrPicture){ 0 };
  if (size < HEAD || paco_get32 (bytes) != MAGIC)
    return broken (error);
  version = paco_get32 (bytes + 4);
  if ((version & ~(guint32) (LONG_NAMES | DEEP | PACO_EXR_MULTIPART)) != VERSION
      || (version & (DEEP | PACO_EXR_MULTIPART)) == DEEP)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "the OpenEXR file has tiles, or deep samples");
  if (version & PACO_EXR_MULTIPART)
    return read_parts (bytes, size, part, picture, error);
  if (!read_part (&left, picture, error))
    return FALSE;
  picture->n_parts = 1;
  picture->chunk_head = PACO_EXR_CHUNK_HEAD;
  picture->header_size = picture->table = (gsize) (left.at - bytes);
  picture->tables_end = picture->table + (guint64) picture->n_chunks * 8;
  return TRUE;
}

void
paco_exr_tell_info (const PacoExrPicture *picture, PacoInfo *info)
{
  paco_source_tell (info, picture->width, picture->height,
      picture->n_components, 16, picture->rgb);
  for (guint i = 0; i < picture->n_channels; i++) {
    const PacoExrChannel *channel = &picture->channels[i];

    if (channel->component < 0)
      continue;
    info->sample_kind[channel->component] = HALF;
    info->subsampling_x[channel->component] = channel->xs - 1;
    info->subsampling_y[channel->component] = channel->ys - 1;
  }
  info->transfer = 1; /* linear */
  if (picture->par_n > 0) {
    info->par_n = picture->par_n;
    info->par_d = picture->par_d;
  }
  if (picture->fps_n > 0) {
    info->fps_n = picture->fps_n;
    info->fps_d = picture->fps_d;
  }
}

/* --- chunks ------------------------------------------------------------------ */

guint32
paco_exr_chunk_lines (
    const PacoExrPicture *picture, guint32 chunk, guint32 *first)
{
  *first = chunk * picture->chunk_lines;
  return MIN (picture->chunk_lines, picture->height - *first);
}

gboolean
paco_exr_has_line (
    const PacoExrPicture *picture, const PacoExrChannel *channel, guint32 line)
{
  /* The first line is an even one if a channel has every second line. */
  return channel->ys == 1 || line % 2 == 0;
}

gsize
paco_exr_chunk_bytes (const PacoExrPicture *picture, guint32 chunk)
{
  guint32 first, n = paco_exr_chunk_lines (picture, chunk, &first);
  gsize bytes = 0;

  for (guint i = 0; i < picture->n_channels; i++) {
    const PacoExrChannel *channel = &picture->channels[i];
    guint32 lines = channel->ys == 1 ? n
                                     : (first + n + 1) / 2 - (first + 1) / 2;

    bytes += (gsize) lines * channel->width * channel->bytes;
  }
  return bytes;
}
