/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Prints JSON for info and verify (json.h). */
#include "json.h"

static void
append_string (GString *text, const char *string)
{
  g_string_append_c (text, '"');
  /* Names of files may have any bytes, but JSON is UTF-8. */
  for (const char *at = string; *at;) {
    gunichar c = g_utf8_get_char_validated (at, -1);

    if (c == (gunichar) -1 || c == (gunichar) -2) {
      g_string_append (text, "\\ufffd");
      at++;
      continue;
    }
    if (c == '"' || c == '\\')
      g_string_append_printf (text, "\\%c", (char) c);
    else if (c < 0x20)
      g_string_append_printf (text, "\\u%04x", c);
    else
      g_string_append_unichar (text, c);
    at = g_utf8_next_char (at);
  }
  g_string_append_c (text, '"');
}

static void
begin (GString *text, const char *name)
{
  char last = text->len ? text->str[text->len - 1] : '{';

  if (last != '{' && last != '[' && last != '\n')
    g_string_append (text, ", ");
  if (name) {
    append_string (text, name);
    g_string_append (text, ": ");
  }
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
  append_string (text, value);
}

void
paco_json_number (GString *text, const char *name, uint64_t value)
{
  begin (text, name);
  g_string_append_printf (text, "%" G_GUINT64_FORMAT, value);
}

void
paco_json_real (GString *text, const char *name, double value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  begin (text, name);
  g_string_append (
      text, g_ascii_formatd (number, sizeof number, "%.6g", value));
}

void
paco_json_boolean (GString *text, const char *name, bool value)
{
  begin (text, name);
  g_string_append (text, value ? "true" : "false");
}
