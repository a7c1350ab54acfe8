/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Shows text that comes from files, names above all, to people and to programs. The
 * tool/ prints through this. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns a copy of the text for one line of a terminal, to be freed. Control characters
 * are escaped: as \n, \t, \x1b, or \u202e for those that only Unicode has, which may turn
 * the direction of text. All other bytes stay, UTF-8 or not. What is escaped already
 * stays as it is. */
char *paco_text_show (const char *text);

/* Returns the noun or the verb that goes with a number. */
static inline const char *
paco_text_plural (guint64 n, const char *one, const char *many)
{
  return n == 1 ? one : many;
}

/* Appends a string of JSON, with its quotes. A byte that is not UTF-8 becomes \udc80 to
 * \udcff, as in Python's surrogateescape. */
void paco_text_append_json (GString *json, const char *text);

/* --- JSON: a text that grows, with commas where they belong --- */

/* Begins a line of its own, with `indent` spaces, for the next name or value. Returns
 * text. */
GString *paco_json_line (GString *text, unsigned indent);

/* Each begins with a comma if something stands before it. name is NULL in an array; a
 * text that is NULL becomes null. */
void paco_json_open (GString *text, const char *name, char bracket);
void paco_json_close (GString *text, char bracket);
void paco_json_text (GString *text, const char *name, const char *value);
void paco_json_number (GString *text, const char *name, uint64_t value);
/* format is printf's for a double, as "%.3f". */
void paco_json_real (
    GString *text, const char *name, double value, const char *format);
void paco_json_boolean (GString *text, const char *name, bool value);
