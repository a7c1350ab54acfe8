/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Gives fuzz targets a folder that programs write into, and sees what they write: only
 * into the folder, and neither through the links nor over the files in it. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Ends the process: libFuzzer keeps the input. */
void fuzz_give_up (const char *what, const char *why) G_GNUC_NORETURN;
/* Checks that an error says why in words, and clears it. */
void fuzz_check_error (GError **error);

/* Returns the folder's path. It and the folders below are made by the first call, in
 * TMPDIR, and removed when the process ends. */
const char *fuzz_sandbox_folder (void);
/* Empties the folder, and puts into it: "kept", a file; "link", a link to a folder
 * outside; "hanging", a link to a file outside that does not exist; "fifo". */
void fuzz_sandbox_plant (void);
/* Adds a file, or a link to a file outside. Such names that exist stay. */
void fuzz_sandbox_file (const char *name, const void *bytes, size_t size);
void fuzz_sandbox_link (const char *name);
/* Checks that nothing outside the folder has changed, that what was planted is as it
 * was, and that no other regular file has a name that ends with the suffix (or NULL). */
void fuzz_sandbox_check (const char *suffix);
/* Checks that the file has these bytes. */
void fuzz_sandbox_check_file (const char *name, const void *bytes, size_t size);
