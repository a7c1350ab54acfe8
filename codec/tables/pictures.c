/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads PGM, PPM and Y4M files as pictures, for train.c (pictures.h). The samples
 * stay where they are in the file's contents. */
#include "codec/tables/pictures.h"
#include <stdlib.h>
#include <string.h>

typedef struct
{
  char *at, *end;
} Reader;

static gboolean
fail (GError **error, const char *path, const char *why)
{
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s: %s", path, why);
  return FALSE;
}

/* The next number of a PNM header; -1 if there is none. */
static int
next_number (Reader *reader)
{
  int number = 0;

  while (reader->at < reader->end && !g_ascii_isdigit (*reader->at)) {
    if (*reader->at == '#')
      while (reader->at < reader->end && *reader->at != '\n')
        reader->at++;
    else if (!g_ascii_isspace (*reader->at))
      return -1;
    else
      reader->at++;
  }
  if (reader->at == reader->end)
    return -1;
  while (reader->at < reader->end && g_ascii_isdigit (*reader->at)
      && number < 1000000)
    number = 10 * number + (*reader->at++ - '0');
  return number;
}

static bool
valid_size (int width, int height)
{
  return width >= 1 && width <= PACO_MAX_SIZE && height >= 1
      && height <= PACO_MAX_SIZE;
}

static gboolean
read_pnm (
    Reader *reader, const char *path, TrainingPicture *picture, GError **error)
{
  unsigned n = reader->at[1] == '6' ? 3 : 1;
  int width, height, maximum;
  unsigned bytes;

  reader->at += 2;
  width = next_number (reader);
  height = next_number (reader);
  maximum = next_number (reader);
  if (!valid_size (width, height) || maximum < 1 || maximum > 65535)
    return fail (error, path, "the header makes no sense");
  reader->at++;
  bytes = maximum > 255 ? 2 : 1;
  picture->rgb = n == 3;
  picture->n_samples = (size_t) width * height * n;
  if (reader->end - reader->at < (ptrdiff_t) (picture->n_samples * bytes))
    return fail (error, path, "the file is cut");

  picture->format = (PacoPictureFormat){
    .width = width,
    .height = height,
    .n_components = n,
  };
  for (unsigned c = 0; c < n; c++) {
    picture->format.components[c].depth = g_bit_storage (maximum);
    picture->picture.data[c] = (uint8_t *) reader->at;
    picture->picture.stride[c] = (ptrdiff_t) width * n * bytes;
    picture->picture.layout[c] = (PacoSampleLayout){
      .group_bytes = n * bytes,
      .group_samples = 1,
      .word_bytes = bytes,
      .big_endian = true,
      .places = { { .byte = c * bytes } },
    };
  }
  return TRUE;
}

/* "C420p10": components, subsampling and depth of a Y4M colorspace. */
static bool
parse_colorspace (const char *name, PacoPictureFormat *format)
{
  const char *depth = strstr (name, "p1");
  unsigned bits = depth ? atoi (depth + 1) : 8;
  unsigned x = 0, y = 0;

  format->n_components = 3;
  if (g_str_has_prefix (name, "mono")) {
    format->n_components = 1;
    bits = atoi (name + strlen ("mono"));
    if (bits == 0)
      bits = 8;
  } else if (g_str_has_prefix (name, "420")) {
    x = y = 1;
  } else if (g_str_has_prefix (name, "422")) {
    x = 1;
  } else if (!g_str_has_prefix (name, "444")
      || g_str_has_prefix (name, "444alpha")) {
    return false;
  }
  if (bits < 8 || bits > 16)
    return false;
  for (unsigned c = 0; c < format->n_components; c++)
    format->components[c] = (PacoComponent){
      .depth = bits,
      .subsampling_x = c > 0 ? x : 0,
      .subsampling_y = c > 0 ? y : 0,
    };
  return true;
}

static bool
parse_y4m_header (const char *line, PacoPictureFormat *format)
{
  char **words = g_strsplit (line, " ", -1);
  const char *colorspace = "420";
  bool good;

  for (char **word = words + 1; *words && *word; word++) {
    if ((*word)[0] == 'W')
      format->width = atoi (*word + 1);
    else if ((*word)[0] == 'H')
      format->height = atoi (*word + 1);
    else if ((*word)[0] == 'C')
      colorspace = *word + 1;
    else if ((*word)[0] == 'I')
      format->fields = (*word)[1] == 't' || (*word)[1] == 'b';
  }
  good = parse_colorspace (colorspace, format)
      && valid_size (format->width, format->height);
  g_strfreev (words);
  return good;
}

static char *
next_line (Reader *reader)
{
  char *line = reader->at;
  char *newline = memchr (line, '\n', reader->end - line);

  if (!newline)
    return NULL;
  *newline = 0;
  reader->at = newline + 1;
  return line;
}

static gboolean
read_y4m (
    Reader *reader, const char *path, TrainingPicture *picture, GError **error)
{
  PacoPictureFormat *format = &picture->format;
  char *line = next_line (reader);
  unsigned bytes;

  if (!line || !parse_y4m_header (line, format))
    return fail (error, path, "this kind of Y4M is not known");
  line = next_line (reader);
  if (!line || !g_str_has_prefix (line, "FRAME"))
    return fail (error, path, "there is no frame");

  bytes = format->components[0].depth > 8 ? 2 : 1;
  for (unsigned c = 0; c < format->n_components; c++) {
    size_t width = paco_component_width (format, c);
    size_t n = width * paco_component_height (format, c);

    if (reader->end - reader->at < (ptrdiff_t) (n * bytes))
      return fail (error, path, "the first frame is cut");
    picture->picture.data[c] = (uint8_t *) reader->at;
    picture->picture.stride[c] = width * bytes;
    picture->picture.layout[c] = (PacoSampleLayout) PACO_LAYOUT_PLANAR (bytes);
    picture->n_samples += n;
    reader->at += n * bytes;
  }
  return TRUE;
}

gboolean
training_picture_read (
    const char *path, TrainingPicture *picture, GError **error)
{
  gsize size;
  Reader reader;
  gboolean done;

  memset (picture, 0, sizeof *picture);
  if (!g_file_get_contents (path, &picture->contents, &size, error))
    return FALSE;
  picture->name = g_path_get_basename (path);
  reader = (Reader){ picture->contents, picture->contents + size };
  if (size > 2 && reader.at[0] == 'P'
      && (reader.at[1] == '5' || reader.at[1] == '6'))
    done = read_pnm (&reader, path, picture, error);
  else if (g_str_has_prefix (reader.at, "YUV4MPEG2 "))
    done = read_y4m (&reader, path, picture, error);
  else
    done = fail (error, path, "neither binary PGM or PPM nor Y4M");
  if (!done)
    training_picture_clear (picture);
  return done;
}

void
training_picture_clear (TrainingPicture *picture)
{
  g_clear_pointer (&picture->name, g_free);
  g_clear_pointer (&picture->contents, g_free);
}

/* Computes the luma of BT.601, rounded, and stores it at the beginning of the
 * contents. */
void
training_picture_make_gray (TrainingPicture *picture)
{
  const PacoPictureFormat *format = &picture->format;
  size_t n = (size_t) format->width * format->height;
  unsigned bytes = picture->picture.layout[0].word_bytes;
  uint8_t *in = picture->picture.data[0];
  uint8_t *out = (uint8_t *) picture->contents;

  for (size_t i = 0; i < n; i++) {
    unsigned value[3];

    for (unsigned c = 0; c < 3; c++, in += bytes)
      value[c] = bytes == 2 ? in[0] << 8 | in[1] : in[0];
    value[0] = (299 * value[0] + 587 * value[1] + 114 * value[2] + 500) / 1000;
    if (bytes == 2)
      *out++ = (uint8_t) (value[0] >> 8);
    *out++ = (uint8_t) value[0];
  }
  picture->picture.data[0] = (uint8_t *) picture->contents;
  picture->picture.stride[0] = (ptrdiff_t) format->width * bytes;
  picture->picture.layout[0].group_bytes = bytes;
  picture->picture.layout[0].places[0].byte = 0;
  picture->format.n_components = 1;
  picture->n_samples = n;
  picture->rgb = false;
}
