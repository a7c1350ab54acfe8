/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads and writes the header of Y4M files, for readers.c (readers.h), and writes such
 * files, for writers.c. */
#include "readers.h"
#include "tool.h"
#include "writers.h"
#include <stdio.h>
#include <string.h>

/* Values of PacoInfo (FORMAT.md section 2). */
enum
{
  SITE_NONE = 1,
  SITE_HORIZONTAL = 2,
  SITE_BOTH = 6,
  SITE_DV = 14,
  TOP_FIELD_FIRST = 2, /* of picture_flags */
};

/* C parameters; those with a site are of 4:2:0. A name with a depth has 'p' and the
 * depth behind it, or, of gray, the depth alone. The first row that fits is written. */
static const struct
{
  const char *name;
  uint8_t n_components, subsampling_x, subsampling_y, chroma_site;
  bool only_8_bits;
} colours[] = {
  { "420mpeg2", 3, 1, 1, SITE_HORIZONTAL, true },
  { "420paldv", 3, 1, 1, SITE_BOTH, true },
  { "420paldv", 3, 1, 1, SITE_DV, true },
  { "420jpeg", 3, 1, 1, SITE_NONE, true },
  { "420", 3, 1, 1, 0, false },
  { "411", 3, 2, 0, 0, true },
  { "422", 3, 1, 0, 0, false },
  { "444alpha", 4, 0, 0, 0, true },
  { "444", 3, 0, 0, 0, false },
  { "mono", 1, 0, 0, 0, false },
};

/* --- reading --- */

static bool
fail (GError **error, const char *sentence, const char *what)
{
  return paco_tool_failed (error, sentence, what);
}

/* Returns how many bits a sample has, by what stands behind the name in the
 * table, or 0 if that is no depth. */
static unsigned
parse_depth (const char *text, bool gray)
{
  unsigned depth;
  char end;

  if (*text == 0)
    return 8;
  if (!gray && *text++ != 'p')
    return 0;
  if (!g_ascii_isdigit (*text) || sscanf (text, "%u%c", &depth, &end) != 1)
    return 0;
  return depth >= 8 && depth <= 16 ? depth : 0;
}

static bool
parse_colours (const char *text, PacoInfo *info, GError **error)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (colours); i++) {
    bool gray = colours[i].n_components == 1;
    unsigned depth;

    if (!g_str_has_prefix (text, colours[i].name))
      continue;
    depth = parse_depth (text + strlen (colours[i].name), gray);
    if (depth == 0 || (colours[i].only_8_bits && depth != 8))
      continue;
    info->n_components = colours[i].n_components;
    info->chroma_site = colours[i].chroma_site;
    for (unsigned c = 0; c < info->n_components; c++) {
      info->depth[c] = depth;
      info->subsampling_x[c] = c == 1 || c == 2 ? colours[i].subsampling_x : 0;
      info->subsampling_y[c] = c == 1 || c == 2 ? colours[i].subsampling_y : 0;
    }
    return true;
  }
  return fail (error, "the Y4M file has colours of an unknown kind, C%s", text);
}

static bool
parse_ratio (const char *text, uint32_t *n, uint32_t *d)
{
  char end;

  return g_ascii_isdigit (*text) && sscanf (text, "%u:%u%c", n, d, &end) == 2
      && *n <= G_MAXINT32 && *d <= G_MAXINT32;
}

static bool
parse_interlacing (const char *text, PacoInfo *info)
{
  static const struct
  {
    char letter;
    uint32_t mode, order, flags;
  } kinds[] = {
    { '?', 0, 0, 0 },
    { 'p', 0, 0, 0 },
    { 't', 1, 1, TOP_FIELD_FIRST },
    { 'b', 1, 2, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (text[0] == kinds[i].letter && text[1] == 0) {
      info->interlace_mode = kinds[i].mode;
      info->fields = kinds[i].mode == 1;
      info->field_order = kinds[i].order;
      info->picture_flags = kinds[i].flags;
      return true;
    }
  return false;
}

static bool
parse_parameter (const char *word, PacoInfo *info, GError **error)
{
  const char *value = word + 1;
  char end;
  bool good = true;

  switch (*word) {
    case 'W':
      good = sscanf (value, "%u%c", &info->width, &end) == 1;
      break;
    case 'H':
      good = sscanf (value, "%u%c", &info->height, &end) == 1;
      break;
    case 'F':
      good = parse_ratio (value, &info->fps_n, &info->fps_d);
      if (info->fps_d == 0)
        info->fps_n = 0;
      break;
    case 'A':
      good = parse_ratio (value, &info->par_n, &info->par_d);
      if (info->par_n == 0 || info->par_d == 0)
        info->par_n = info->par_d = 0;
      break;
    case 'I':
      good = parse_interlacing (value, info);
      break;
    case 'C':
      return parse_colours (value, info, error);
    case 'X':
      if (strcmp (value, "COLORRANGE=FULL") == 0)
        info->range = 1;
      else if (strcmp (value, "COLORRANGE=LIMITED") == 0)
        info->range = 2;
      break;
    default: /* is not known yet */
      break;
  }
  return good
      || fail (error, "the Y4M file's header has a wrong word, %s", word);
}

bool
paco_y4m_parse (const char *line, PacoInfo *info, GError **error)
{
  char **words = g_strsplit (line, " ", -1);
  const PacoFormat *format;
  bool good = strcmp (words[0] ? words[0] : "", PACO_Y4M_MAGIC) == 0
      || fail (error, "these bytes are no Y4M file%s", "");

  *info = (PacoInfo) PACO_INFO_INIT;
  if (good)
    good = parse_colours ("420jpeg", info, error);
  for (unsigned i = 1; good && words[i]; i++)
    if (*words[i])
      good = parse_parameter (words[i], info, error);
  g_strfreev (words);
  if (!good)
    return false;
  if (info->width < 1 || info->width > PACO_MAX_SIZE || info->height < 1
      || info->height > PACO_MAX_SIZE)
    return fail (error,
        "the Y4M file's header does not say a width and a height of 1 to "
        "16384%s",
        "");
  format = paco_format_for (info);
  if (format)
    g_strlcpy (info->format, format->name, sizeof info->format);
  return true;
}

/* --- writing --- */

static int
find_colours (const PacoInfo *info)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (colours); i++) {
    bool fits = info->n_components == colours[i].n_components
        && !(colours[i].only_8_bits && info->depth[0] != 8)
        && (colours[i].chroma_site == 0
            || colours[i].chroma_site == info->chroma_site);

    for (unsigned c = 0; fits && c < info->n_components; c++) {
      bool chroma = c == 1 || c == 2;

      fits = info->depth[c] == info->depth[0]
          && info->subsampling_x[c] == (chroma ? colours[i].subsampling_x : 0)
          && info->subsampling_y[c] == (chroma ? colours[i].subsampling_y : 0);
    }
    if (fits)
      return (int) i;
  }
  return -1;
}

static const char *
interlacing (const PacoInfo *info)
{
  bool top = info->field_order == 1
      || (info->field_order == 0 && (info->picture_flags & TOP_FIELD_FIRST));

  /* In a mixed stream each picture would have to say which it is. */
  if (info->interlace_mode == 2)
    return "?";
  if (info->interlace_mode == 1)
    return top ? "t" : "b";
  return "p";
}

char *
paco_y4m_print (const PacoInfo *info, GError **error)
{
  int row = find_colours (info);
  GString *line;

  if (row < 0 || info->depth[0] < 8
      || (info->n_components >= 3 && !paco_format_is_yuv (info))) {
    fail (error, "Y4M files hold gray or Y, Cb, Cr of 8 to 16 bits and no %s",
        info->n_components >= 3 && !paco_format_is_yuv (info)
            ? "R, G, B; PNM, PNG and raw files do"
            : "such components; raw files do");
    return NULL;
  }
  line = g_string_new (NULL);
  g_string_printf (line, "%s W%u H%u F%u:%u I%s A%u:%u C%s", PACO_Y4M_MAGIC,
      info->width, info->height, info->fps_n, info->fps_n ? info->fps_d : 0,
      interlacing (info), info->par_n, info->par_d, colours[row].name);
  if (info->depth[0] > 8)
    g_string_append_printf (
        line, "%s%u", info->n_components == 1 ? "" : "p", info->depth[0]);
  if (info->range)
    g_string_append_printf (
        line, " XCOLORRANGE=%s", info->range == 1 ? "FULL" : "LIMITED");
  g_string_append_c (line, '\n');
  return g_string_free (line, FALSE);
}

static bool
place (
    PacoPixels *pixels, const PacoFormat *format, size_t *bytes, GError **error)
{
  *bytes = paco_format_place (
      NULL, &pixels->info, pixels->samples, &pixels->image);
  return true;
}

static bool
begin (const PacoInfo *info, GByteArray *bytes, GError **error)
{
  g_autofree char *line = paco_y4m_print (info, error);

  if (!line)
    return false;
  g_byte_array_append (bytes, (const guint8 *) line, (guint) strlen (line));
  return true;
}

static bool
head (const PacoPixels *pixels, GByteArray *bytes, GError **error)
{
  const char line[] = PACO_Y4M_FRAME "\n";

  g_byte_array_append (bytes, (const guint8 *) line, sizeof line - 1);
  return true;
}

const PacoWriterKind paco_writer_y4m = {
  .name = "y4m",
  .extensions = { "y4m" },
  .stream = true,
  .place = place,
  .begin = begin,
  .head = head,
};
