/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads the options of commands that decode or encode: where it is done, and --set
 * NAME=VALUE for everything that lib/paco.h lets be set. */
#pragma once
#include "lib/paco.h"
#include <glib.h>
#include <stdbool.h>

typedef struct
{
  char *backend, *devices;
  int threads, depth; /* negative: not given */
  char **settings;    /* "NAME=VALUE", NULL at the end; or NULL */
} PacoCoderOptions;

#define PACO_CODER_OPTIONS_INIT                                                \
  {                                                                            \
    .threads = -1, .depth = -1                                                 \
  }
#define PACO_CODER_OPTIONS_N 6

/* Makes entries for paco_tool_parse() that fill *options. */
void paco_coder_options_entries (
    PacoCoderOptions *options, GOptionEntry entries[PACO_CODER_OPTIONS_N]);
/* Sets the options of the one coder that is not NULL. Errors are of the command
 * line. */
bool paco_coder_options_apply (const PacoCoderOptions *options,
    PacoFrameDecoder *decoder, PacoFrameEncoder *encoder, GError **error);
/* Sets one option. The error names it as the command line does, by `option`. */
bool paco_coder_set (PacoFrameDecoder *decoder, PacoFrameEncoder *encoder,
    const char *option, const char *name, const char *value, GError **error);
void paco_coder_options_clear (PacoCoderOptions *options);
