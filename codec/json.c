/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Prints JSON (json.h). */
#include "json.h"
#include "codec/text.h"
#include <string.h>

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
