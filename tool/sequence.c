/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes and reads names of numbered files (sequence.h). */
#include "sequence.h"
#include "tool.h"
#include <string.h>

#define MAX_WIDTH 20 /* digits of a number */

/* The parts of a pattern. */
typedef struct
{
  char *before, *behind; /* "%%" is "%" in them */
  unsigned width;
  bool zeros;
} Pattern;

static void
clear_pattern (Pattern *pattern)
{
  g_free (pattern->before);
  g_free (pattern->behind);
}

/* Reads the number's place at the first % that is not doubled. Returns NULL if it
 * is none. */
static const char *
parse_place (const char *at, Pattern *pattern)
{
  at++;
  if (*at == '0') {
    pattern->zeros = true;
    at++;
  }
  while (g_ascii_isdigit (*at) && pattern->width <= MAX_WIDTH)
    pattern->width = 10 * pattern->width + (unsigned) (*at++ - '0');
  return *at == 'd' && pattern->width <= MAX_WIDTH ? at + 1 : NULL;
}

/* Takes the pattern apart. Returns FALSE, with nothing to clear, if it is none. */
static bool
parse_pattern (const char *text, Pattern *pattern)
{
  GString *parts[2] = { g_string_new (NULL), g_string_new (NULL) };
  unsigned part = 0;
  const char *at = text;

  *pattern = (Pattern){ 0 };
  while (at && *at) {
    if (*at != '%') {
      g_string_append_c (parts[part], *at++);
    } else if (at[1] == '%') {
      g_string_append_c (parts[part], '%');
      at += 2;
    } else {
      at = part == 0 ? parse_place (at, pattern) : NULL;
      part = 1;
    }
  }
  pattern->before = g_string_free (parts[0], FALSE);
  pattern->behind = g_string_free (parts[1], FALSE);
  if (at && part == 1)
    return true;
  clear_pattern (pattern);
  return false;
}

bool
paco_sequence_is_pattern (const char *path)
{
  for (; *path; path++)
    if (*path == '%') {
      if (path[1] != '%')
        return true;
      path++;
    }
  return false;
}

bool
paco_sequence_check (const char *text, GError **error)
{
  Pattern pattern;

  if (parse_pattern (text, &pattern)) {
    clear_pattern (&pattern);
    return true;
  }
  return paco_tool_misused (error,
      "%s is no pattern of numbered files: it has one number, as in "
      "scan_%%06d.dpx, and %%%% for a per cent sign",
      text);
}

static char *
print_name (const Pattern *pattern, uint64_t number)
{
  char digits[32];

  g_snprintf (digits, sizeof digits, "%" G_GUINT64_FORMAT, number);
  return g_strdup_printf ("%s%.*s%s%s", pattern->before,
      pattern->width > strlen (digits)
          ? (int) (pattern->width - strlen (digits))
          : 0,
      pattern->zeros ? "00000000000000000000" : "                    ", digits,
      pattern->behind);
}

char *
paco_sequence_name (const char *text, uint64_t number)
{
  Pattern pattern;
  char *name;

  if (!parse_pattern (text, &pattern))
    return g_strdup (text);
  name = print_name (&pattern, number);
  clear_pattern (&pattern);
  return name;
}

/* Reads the number in the name of a file. Returns whether print_name() would give
 * that name. */
static bool
parse_name (const Pattern *pattern, const char *path, uint64_t *number)
{
  const char *at = path + strlen (pattern->before);
  g_autofree char *again = NULL;

  if (!g_str_has_prefix (path, pattern->before))
    return false;
  while (*at == ' ')
    at++;
  /* The comparison looks at what stands behind the number. */
  *number = g_ascii_strtoull (at, NULL, 10);
  again = print_name (pattern, *number);
  return strcmp (again, path) == 0;
}

bool
paco_sequence_find (const char *text, PacoSequenceFunction function, void *user)
{
  Pattern pattern;
  const char *slash, *name;
  g_autofree char *folder = NULL;
  g_autoptr (GDir) files = NULL;
  bool found = false;

  if (!parse_pattern (text, &pattern))
    return false;
  slash = strrchr (pattern.before, '/');
  folder = g_strndup (
      pattern.before, slash ? (gsize) (slash + 1 - pattern.before) : 0);
  files = g_dir_open (slash ? folder : ".", 0, NULL);
  while (!found && files && (name = g_dir_read_name (files))) {
    g_autofree char *path = g_strconcat (folder, name, NULL);
    uint64_t number;

    found = parse_name (&pattern, path, &number)
        && function (user, path, number);
  }
  clear_pattern (&pattern);
  return found;
}

/* Holds the lowest number of at least `from` so far. */
typedef struct
{
  uint64_t from, number;
  bool found;
} Lowest;

static bool
keep_lowest (void *user, const char *path, uint64_t number)
{
  Lowest *lowest = user;

  if (number >= lowest->from && (!lowest->found || number < lowest->number))
    *lowest = (Lowest){ lowest->from, number, true };
  return false;
}

bool
paco_sequence_next (const char *pattern, uint64_t *number)
{
  Lowest lowest = { .from = *number };

  paco_sequence_find (pattern, keep_lowest, &lowest);
  if (lowest.found)
    *number = lowest.number;
  return lowest.found;
}
