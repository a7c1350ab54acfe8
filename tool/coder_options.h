/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads the options of commands that decode or encode: where it is done, and --set
 * NAME=VALUE for everything that lib/paco.h lets be set. */
#pragma once
#include "tool.h"
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

/* Entries that fill them. */
#define PACO_CODER_OPTIONS(options)                                            \
  PACO_TEXT ("backend", &(options).backend,                                    \
      "where frames are coded: auto (a GPU, if there is one that works), "     \
      "cpu, "                                                                  \
      "cuda",                                                                  \
      "NAME"),                                                                 \
      PACO_TEXT ("devices", &(options).devices,                                \
          "several GPUs, which take turns: 0,1 or all", "LIST"),               \
      PACO_NUMBER ("threads", &(options).threads,                              \
          "threads of the CPU; 0, the default: as many as may run", "N"),      \
      PACO_NUMBER ("in-flight", &(options).depth,                              \
          "frames that are worked on at the same time on a device, 1 to 8; "   \
          "default 2",                                                         \
          "N"),                                                                \
  {                                                                            \
    "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &(options).settings,               \
        "any other setting, as often as there are some", "NAME=VALUE"          \
  }

/* Sets the options of the one coder that is not NULL. Errors are of the command
 * line. */
bool paco_coder_options_apply (const PacoCoderOptions *options,
    PacoFrameDecoder *decoder, PacoFrameEncoder *encoder, GError **error);
/* Sets one option. The error names it as the command line does, by `option`. */
bool paco_coder_set (PacoFrameDecoder *decoder, PacoFrameEncoder *encoder,
    const char *option, const char *name, const char *value, GError **error);
