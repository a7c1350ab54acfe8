/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Prints JSON as a text that grows, with commas where they belong. The tool, archives'
 * reports and tests/soak use it. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

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
