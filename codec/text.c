/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Escapes text that comes from files, and prints JSON (text.h). */
#include "codec/text.h"
#include <string.h>

/* Reads the character at *at, and moves *at behind it. Returns FALSE if it is a byte that
 * is not UTF-8. */
static gboolean
next_character (const char **at, gunichar *c)
{
  *c = g_utf8_get_char_validated (*at, -1);
  if (*c == (gunichar) -1 || *c == (gunichar) -2) {
    *c = (guint8) * (*at)++;
    return FALSE;
  }
  *at = g_utf8_next_char (*at);
  return TRUE;
}

/* Says whether a terminal obeys the character instead of showing it. */
static gboolean
is_control (gunichar c)
{
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e
      || c == 0x200f || (c >= 0x2028 && c <= 0x202e)
      || (c >= 0x2066 && c <= 0x2069);
}

char *
paco_text_show (const char *text)
{
  GString *shown = g_string_new (NULL);

  while (*text) {
    const char *begin = text;
    gunichar c;
    gboolean is_utf8 = next_character (&text, &c);

    if (c == '\n')
      g_string_append (shown, "\\n");
    else if (c == '\t')
      g_string_append (shown, "\\t");
    else if (!is_control (c))
      g_string_append_len (shown, begin, text - begin);
    else
      g_string_append_printf (
          shown, is_utf8 && c >= 0x80 ? "\\u%04x" : "\\x%02x", c);
  }
  return g_string_free (shown, FALSE);
}

void
paco_text_append_json (GString *json, const char *text)
{
  g_string_append_c (json, '"');
  while (*text) {
    gunichar c;

    if (!next_character (&text, &c))
      g_string_append_printf (json, "\\udc%02x", c);
    else if (c == '"' || c == '\\')
      g_string_append_printf (json, "\\%c", (char) c);
    else if (is_control (c))
      g_string_append_printf (json, "\\u%04x", c);
    else
      g_string_append_unichar (json, c);
  }
  g_string_append_c (json, '"');
}

/* --- JSON --- */

static void
begin (GString *text, const char *name)
{
  char last = text->len ? text->str[text->len - 1] : '{';

  if (!strchr ("{[\n ", last))
    g_string_append (text, ", ");
  if (name) {
    paco_text_append_json (text, name);
    g_string_append (text, ": ");
  }
}

GString *
paco_json_line (GString *text, unsigned indent)
{
  if (text->len && !strchr ("{[", text->str[text->len - 1]))
    g_string_append_c (text, ',');
  g_string_append_printf (text, "\n%*s", (int) indent, "");
  return text;
}

void
paco_json_open (GString *text, const char *name, char bracket)
{
  begin (text, name);
  g_string_append_c (text, bracket);
}

void
paco_json_close (GString *text, char bracket)
{
  g_string_append_c (text, bracket);
}

void
paco_json_text (GString *text, const char *name, const char *value)
{
  begin (text, name);
  if (value)
    paco_text_append_json (text, value);
  else
    g_string_append (text, "null");
}

void
paco_json_number (GString *text, const char *name, uint64_t value)
{
  begin (text, name);
  g_string_append_printf (text, "%" G_GUINT64_FORMAT, value);
}

void
paco_json_real (
    GString *text, const char *name, double value, const char *format)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  begin (text, name);
  g_string_append (
      text, g_ascii_formatd (number, sizeof number, format, value));
}

void
paco_json_boolean (GString *text, const char *name, bool value)
{
  begin (text, name);
  g_string_append (text, value ? "true" : "false");
}
