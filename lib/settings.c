/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Sets what can be set of coders, by name, for encoder.c and decoder.c: a table has
 * one row for each setting. Names and ranges are those of the elements' properties. */
#include "lib/private.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_DEPTH 2

typedef struct _Setting Setting;
struct _Setting
{
  const char *name;
  bool decoder, encoder; /* whose it is */
  PacoChange change;
  /* Returns false if value is not one of the setting's. */
  bool (*set) (
      PacoSettings *settings, const Setting *setting, const char *value);
  size_t
      offset; /* of an unsigned, an int, a double or a bool in PacoSettings */
  const char *values; /* what it may be, for the message */
  /* The range of numbers. Of other values these are the names, one after the
   * other, which stand for `minimum`, minimum + 1, ... */
  double minimum, maximum;
  const char *names[8];
};

#define AT(field) offsetof (PacoSettings, field)

/* --- kinds of values --- */

static bool
parse_number (const char *value, double minimum, double maximum, double *number)
{
  char *end;

  *number = g_ascii_strtod (value, &end);
  return end != value && *end == 0 && !g_ascii_isspace (*value)
      && *number >= minimum && *number <= maximum;
}

static bool
set_integer (PacoSettings *settings, const Setting *setting, const char *value)
{
  double number;

  if (!parse_number (value, setting->minimum, setting->maximum, &number)
      || number != floor (number))
    return false;
  /* Settings that may be negative are of type int. */
  if (number < 0)
    *(int *) ((char *) settings + setting->offset) = (int) number;
  else
    *(unsigned *) ((char *) settings + setting->offset) = (unsigned) number;
  return true;
}

static bool
set_real (PacoSettings *settings, const Setting *setting, const char *value)
{
  double number;

  if (!parse_number (value, setting->minimum, setting->maximum, &number))
    return false;
  *(double *) ((char *) settings + setting->offset) = number;
  return true;
}

static bool
set_name (PacoSettings *settings, const Setting *setting, const char *value)
{
  for (int i = 0; i < (int) G_N_ELEMENTS (setting->names) && setting->names[i];
       i++) {
    if (strcmp (value, setting->names[i]) != 0)
      continue;
    *(int *) ((char *) settings + setting->offset) = i + (int) setting->minimum;
    return true;
  }
  return false;
}

static bool
set_boolean (PacoSettings *settings, const Setting *setting, const char *value)
{
  bool yes = strcmp (value, "true") == 0;

  if (!yes && strcmp (value, "false") != 0)
    return false;
  *(bool *) ((char *) settings + setting->offset) = yes;
  return true;
}

/* --- those that are like no other --- */

static bool
set_bitrate (PacoSettings *settings, const Setting *setting, const char *value)
{
  double number;

  if (!parse_number (value, setting->minimum, setting->maximum, &number)
      || number != floor (number))
    return false;
  settings->parameters.bitrate = 1000 * (uint64_t) number;
  return true;
}

static bool
set_max_pixels (
    PacoSettings *settings, const Setting *setting, const char *value)
{
  double number;

  if (!parse_number (value, setting->minimum, setting->maximum, &number)
      || number != floor (number))
    return false;
  settings->options.max_pixels = (uint64_t) number;
  return true;
}

static bool
set_block_height (
    PacoSettings *settings, const Setting *setting, const char *value)
{
  double number;
  unsigned height;

  if (!parse_number (value, setting->minimum, setting->maximum, &number))
    return false;
  height = (unsigned) number;
  if (height != number
      || (height != 0 && (height < 32 || (height & (height - 1)) != 0)))
    return false;
  settings->parameters.block_height = height;
  return true;
}

/* Reads up to n whole numbers with commas between them. Returns how many, or -1. */
static int
parse_list (const char *value, unsigned n, uint32_t *numbers)
{
  for (unsigned i = 0; i < n; i++) {
    char *end;
    guint64 number;

    if (!g_ascii_isdigit (*value))
      return -1;
    errno = 0;
    number = g_ascii_strtoull (value, &end, 10);
    if (errno != 0 || number > G_MAXINT)
      return -1;
    numbers[i] = (uint32_t) number;
    if (*end == 0)
      return (int) i + 1;
    if (*end != ',')
      return -1;
    value = end + 1;
  }
  return -1;
}

static bool
set_devices (PacoSettings *settings, const Setting *setting, const char *value)
{
  PacoBackendOptions *options = &settings->options;
  uint32_t numbers[PACO_MAX_DEVICES];
  int n = 0;

  options->all_devices = strcmp (value, "all") == 0;
  if (!options->all_devices && *value)
    n = parse_list (value, PACO_MAX_DEVICES, numbers);
  if (n < 0)
    return false;
  for (int i = 0; i < n; i++) {
    for (int before = 0; before < i; before++)
      if (numbers[before] == numbers[i])
        return false;
    options->devices[i] = (int) numbers[i];
  }
  options->n_devices = (unsigned) n;
  return true;
}

static bool
set_region (PacoSettings *settings, const Setting *setting, const char *value)
{
  uint32_t numbers[4];

  if (*value == 0) {
    settings->crop = (PacoCrop){ 0 };
    return true;
  }
  if (parse_list (value, 4, numbers) != 4 || numbers[2] == 0 || numbers[3] == 0)
    return false;
  for (unsigned i = 0; i < 4; i++)
    if (numbers[i] > PACO_MAX_SIZE)
      return false;
  settings->crop = (PacoCrop){ numbers[0], numbers[1], numbers[2], numbers[3] };
  return true;
}

/* --- the table --- */

static const Setting all_settings[] = {
  { "backend", true, true, PACO_CHANGE_CLOSED, set_name, AT (use),
      "auto, cpu or cuda", PACO_USE_AUTO, 0, { "auto", "cuda", "cpu" } },
  { "cuda-device-id", true, true, PACO_CHANGE_CLOSED, set_integer,
      AT (options.device), "the number of a GPU, or -1", -1, G_MAXINT },
  { "cuda-devices", true, true, PACO_CHANGE_CLOSED, set_devices, 0,
      "different numbers of GPUs, as in 0,1, or all" },
  { "threads", true, true, PACO_CHANGE_CLOSED, set_integer,
      AT (options.threads), "a number from 0 to 1024", 0, 1024 },
  { "pipeline-depth", true, true, PACO_CHANGE_CLOSED, set_integer,
      AT (options.depth), "a number from 1 to 8", 1, PACO_MAX_DEPTH },
  { "max-pixels", true, false, PACO_CHANGE_CLOSED, set_max_pixels, 0,
      "a number from 1 to 268435456", 1, PACO_MAX_SIZE *PACO_MAX_SIZE },
  { "conceal", true, false, PACO_CHANGE_CLOSED, set_boolean,
      AT (options.conceal), "true or false" },
  { "slices", true, false, PACO_CHANGE_IDLE, set_boolean, AT (slices),
      "true or false" },
  { "reduce", true, false, PACO_CHANGE_IDLE, set_integer, AT (reduce),
      "a number from 0 to 8", 0, PACO_MAX_LEVELS },
  { "region", true, false, PACO_CHANGE_IDLE, set_region, 0,
      "x,y,width,height within 16384 x 16384, or empty" },
  { "rate-control", false, true, PACO_CHANGE_IDLE, set_name,
      AT (parameters.rate_control), "quality, lossless or bitrate",
      PACO_RATE_QUALITY, 0, { "quality", "lossless", "bitrate" } },
  { "quality", false, true, PACO_CHANGE_ANY, set_real, AT (parameters.quality),
      "a number from 0 to 100", 0, 100 },
  { "bitrate", false, true, PACO_CHANGE_ANY, set_bitrate, 0,
      "a number of kbit/s", 0, G_MAXUINT },
  { "frame-size", false, true, PACO_CHANGE_ANY, set_integer,
      AT (parameters.frame_size), "a number of bytes", 0, G_MAXUINT },
  { "tune", false, true, PACO_CHANGE_IDLE, set_name, AT (parameters.tune),
      "visual or psnr", PACO_TUNE_VISUAL, 0, { "visual", "psnr" } },
  { "wavelet", false, true, PACO_CHANGE_IDLE, set_name, AT (parameters.wavelet),
      "auto, cdf53, cdf97, dd137, haar, dd97 or fidelity", PACO_WAVELET_AUTO, 0,
      { "auto", "cdf53", "cdf97", "dd137", "haar", "dd97", "fidelity" } },
  { "color-transform", false, true, PACO_CHANGE_IDLE, set_name,
      AT (parameters.color_transform), "auto, none, rct, ict or rct2",
      PACO_COLOR_TRANSFORM_AUTO, 0, { "auto", "none", "rct", "ict", "rct2" } },
  { "levels", false, true, PACO_CHANGE_IDLE, set_integer,
      AT (parameters.levels), "a number from 0 to 8", 0, PACO_MAX_LEVELS },
  { "codeblock-height", false, true, PACO_CHANGE_IDLE, set_block_height, 0,
      "0, 32, 64, 128 or 256", 0, 256 },
  { "coding-passes", false, true, PACO_CHANGE_IDLE, set_integer,
      AT (parameters.coding_passes), "1, 2 or 3", 1, 3 },
  { "complexity", false, true, PACO_CHANGE_IDLE, set_integer,
      AT (parameters.complexity), "a number from 0 to 3", 0, 3 },
  { "roi-weight", false, true, PACO_CHANGE_IDLE, set_real,
      AT (parameters.area_weight), "a number from 1 to 1024", 1, 1024 },
  { "block-checks", false, true, PACO_CHANGE_IDLE, set_boolean,
      AT (parameters.block_checks), "true or false" },
  { "cut-points", false, true, PACO_CHANGE_IDLE, set_boolean,
      AT (parameters.cut_points), "true or false" },
};

/* set_name() and set_integer() write these as an int or an unsigned. */
G_STATIC_ASSERT (sizeof (PacoUse) == sizeof (int));
G_STATIC_ASSERT (sizeof (PacoRateControl) == sizeof (int));
G_STATIC_ASSERT (sizeof (PacoTune) == sizeof (int));
G_STATIC_ASSERT (sizeof (uint32_t) == sizeof (unsigned));
G_STATIC_ASSERT (PACO_WAVELET_CDF53 == 0 && PACO_WAVELET_CDF97 == 1
    && PACO_WAVELET_DD137 == 2 && PACO_WAVELET_HAAR == 3
    && PACO_WAVELET_DD97 == 4 && PACO_WAVELET_FIDELITY == 5);

void
paco_settings_init (PacoSettings *settings)
{
  *settings = (PacoSettings){
    .options = { .device = -1, .depth = DEFAULT_DEPTH, .conceal = true },
    .parameters = PACO_PARAMETERS_DEFAULT,
  };
}

static const Setting *
find_setting (bool encoder, const char *name)
{
  for (size_t i = 0; i < G_N_ELEMENTS (all_settings); i++) {
    const Setting *setting = &all_settings[i];

    if ((encoder ? setting->encoder : setting->decoder)
        && strcmp (setting->name, name) == 0)
      return setting;
  }
  return NULL;
}

PacoStatus
paco_settings_set (PacoSettings *settings, bool encoder, PacoChange now,
    const char *name, const char *value, PacoError *error)
{
  const Setting *setting;

  if (!name || !value)
    return paco_error_set (error, PACO_STATUS_INVALID,
        "a setting has a name and a value, and one of them is NULL");
  setting = find_setting (encoder, name);
  if (!setting)
    return paco_error_set (error, PACO_STATUS_INVALID,
        "%s have no setting \"%.80s\"; paco.h lists those they have",
        encoder ? "encoders" : "decoders", name);
  if (setting->change < now)
    return paco_error_set (error, PACO_STATUS_BUSY,
        setting->change == PACO_CHANGE_CLOSED
            ? "%s can only be set before the first frame"
            : "%s cannot change while frames are in flight; collect them",
        name);
  if (!setting->set (settings, setting, value))
    return paco_error_set (error, PACO_STATUS_INVALID,
        "%s=%.80s is not possible: it is %s", name, value, setting->values);
  return paco_error_ok (error);
}
