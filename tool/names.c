/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Names the numbers of FORMAT.md (names.h). */
#include "names.h"
#include "tool.h"
#include <string.h>

#define MAX_NAMES 17

static const struct
{
  const char *option;
  const char *names[MAX_NAMES];
} colours[PACO_N_COLOUR_NAMES] = {
  [PACO_COLOUR_MATRIX] = { "matrix",
      { "unknown", "rgb", "fcc", "bt709", "bt601", "smpte240m", "bt2020" } },
  [PACO_COLOUR_TRANSFER] = { "transfer",
      { "unknown", "linear", "gamma18", "gamma20", "gamma22", "bt709",
          "smpte240m", "srgb", "gamma28", "log100", "log316", "bt2020-12",
          "adobergb", "bt2020-10", "smpte2084", "arib-std-b67", "bt601" } },
  [PACO_COLOUR_PRIMARIES] = { "primaries",
      { "unknown", "bt709", "bt470m", "bt470bg", "smpte170m", "smpte240m",
          "film", "bt2020", "adobergb", "smptest428", "smpterp431",
          "smpteeg432", "ebu3213" } },
  [PACO_COLOUR_RANGE] = { "range", { "unknown", "full", "limited" } },
};

static uint32_t *
field (PacoInfo *info, unsigned which)
{
  switch (which) {
    case PACO_COLOUR_MATRIX:
      return &info->matrix;
    case PACO_COLOUR_TRANSFER:
      return &info->transfer;
    case PACO_COLOUR_PRIMARIES:
      return &info->primaries;
    default:
      return &info->range;
  }
}

const char *
paco_names_colour (const PacoInfo *info, unsigned which)
{
  PacoInfo copy = *info;
  uint32_t number = *field (&copy, which);

  return number < MAX_NAMES && colours[which].names[number]
      ? colours[which].names[number]
      : "unknown";
}

bool
paco_names_set_colour (
    PacoInfo *info, unsigned which, const char *name, GError **error)
{
  g_autoptr (GString) names = NULL;

  for (unsigned i = 0; i < MAX_NAMES && colours[which].names[i]; i++)
    if (strcmp (colours[which].names[i], name) == 0) {
      *field (info, which) = i;
      return true;
    }
  names = g_string_new (NULL);
  for (unsigned i = 0; i < MAX_NAMES && colours[which].names[i]; i++)
    g_string_append_printf (
        names, "%s%s", i ? ", " : "", colours[which].names[i]);
  paco_tool_misused (
      error, "--%s %s is none of %s", colours[which].option, name, names->str);
  return false;
}

static const char *
name_of (const char *const *names, unsigned n, uint32_t number)
{
  return number < n && names[number] ? names[number] : "unknown";
}

const char *
paco_names_interlacing (uint32_t mode)
{
  static const char *const names[] = { "progressive", "interleaved", "mixed",
    "alternate" };

  return name_of (names, G_N_ELEMENTS (names), mode);
}

const char *
paco_names_wavelet (uint32_t wavelet)
{
  static const char *const names[] = { "5/3", "9/7", "13/7" };

  return name_of (names, G_N_ELEMENTS (names), wavelet);
}

const char *
paco_names_color_transform (uint32_t transform)
{
  static const char *const names[] = { "none", "RCT", "ICT", "RCT2", "matrix",
    "RCT-fit", [7] = "mosaic" };

  return name_of (names, G_N_ELEMENTS (names), transform);
}

const char *
paco_names_chunk (uint32_t type)
{
  static const char *const names[] = {
    [7] = "caption",
    [8] = "active format",
    [9] = "timecode",
    [10] = "area of interest",
    [11] = "reference time",
    [12] = "source file",
    [13] = "source file",
    [14] = "source file",
    [15] = "source file",
    [16] = "source file",
    [17] = "members",
  };

  return name_of (names, G_N_ELEMENTS (names), type);
}
