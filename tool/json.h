/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Prints JSON for info and verify, as a text that grows, with commas where they
 * belong. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Each begins with a comma if something stands before it. name is NULL in an
 * array. */
void paco_json_open (GString *text, const char *name, char bracket);
void paco_json_close (GString *text, char bracket);
void paco_json_text (GString *text, const char *name, const char *value);
void paco_json_number (GString *text, const char *name, uint64_t value);
void paco_json_real (GString *text, const char *name, double value);
void paco_json_boolean (GString *text, const char *name, bool value);
