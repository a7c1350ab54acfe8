/* SPDX-License-Identifier: LGPL-2.1-or-later
 * paco info: what files and their frames are. */
#include "codec/header.h"
#include "tool.h"
#include <stdio.h>

static bool
print_file (const char *path, GError **error)
{
  uint8_t head[PACO_HEADER_PEEK_SIZE];
  PacoHeader header;
  FILE *file = fopen (path, "rb");
  bool good = file && fread (head, 1, sizeof head, file) == sizeof head;

  if (file)
    fclose (file);
  if (!good) {
    g_set_error (error, PACO_TOOL_ERROR, PACO_TOOL_ERROR_FAILED,
        "%s cannot be read", path);
    return false;
  }
  if (!paco_header_peek (head, sizeof head, &header, error)) {
    g_prefix_error (error, "%s: ", path);
    return false;
  }
  printf ("%s: the first frame has %u bytes\n", path, header.frame_size);
  return true;
}

int
paco_tool_info (int argc, char **argv)
{
  static const PacoToolUsage usage = {
    .arguments = "FILE...",
    .summary = "Says what files of PaCo video are.",
    .minimum = 1,
    .maximum = -1,
  };
  GError *error = NULL;

  if (!paco_tool_parse (&usage, NULL, NULL, &argc, &argv))
    return PACO_EXIT_USAGE;
  for (int i = 1; i < argc; i++)
    if (!print_file (argv[i], &error))
      return paco_tool_fail (error);
  return PACO_EXIT_DONE;
}
