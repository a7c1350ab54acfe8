/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The table of settings, and what is made of them (settings.h). A new setting is a row
 * here and a field of PacoSettings. */
#include "settings.h"
#include "codec/stack.h"
#include <errno.h>
#include <math.h>
#include <string.h>

static const PacoSettingValue backends[] = {
  { "auto", "cuda where a usable device exists, else cpu" },
  { "cuda", "NVIDIA GPU" },
  { "cpu", "CPU" },
  { NULL },
};

static const PacoSettingValue rate_controls[] = {
  { "quality", "constant quality" },
  { "lossless", "lossless" },
  { "bitrate", "a budget of bytes per frame" },
  { NULL },
};

static const PacoSettingValue tunes[] = {
  { "visual", "what the eye sees" },
  { "psnr", "the least squared error" },
  { NULL },
};

static const PacoSettingValue wavelets[] = {
  { "auto", "cdf97; for lossless dd137, of RGB by the picture" },
  { "cdf53", "reversible 5/3" },
  { "cdf97", "irreversible 9/7" },
  { "dd137", "reversible 13/7" },
  { NULL },
};

static const PacoSettingValue color_transforms[] = {
  { "auto", "what suits format and wavelet" },
  { "none", "none" },
  { "rct", "reversible" },
  { "ict", "irreversible" },
  { "rct2", "reversible, blue against the mean of red and green" },
  { "matrix", "irreversible, the picture's own" },
  { NULL },
};

static const PacoSettingValue code_tables[] = {
  { "auto", "those of 10 bits or more where it saves bytes" },
  { "never", "none" },
  { "always", "those of any depth where it saves bytes" },
  { NULL },
};

static const PacoSettingValue metadata[] = {
  { "captions", "closed captions" },
  { "active-format", "AFD and bars" },
  { "timecodes", "SMPTE timecodes" },
  { "regions", "regions of interest" },
  { "reference-timestamps", "reference timestamps" },
  { NULL },
};

/* The names are in the order of the codec's numbers. */
G_STATIC_ASSERT (PACO_USE_AUTO == 0 && PACO_USE_CUDA == 1 && PACO_USE_CPU == 2);
G_STATIC_ASSERT (PACO_RATE_QUALITY == 0 && PACO_RATE_LOSSLESS == 1
    && PACO_RATE_BITRATE == 2);
G_STATIC_ASSERT (PACO_TUNE_VISUAL == 0 && PACO_TUNE_PSNR == 1);
G_STATIC_ASSERT (PACO_CODE_TABLES_AUTO == 0 && PACO_CODE_TABLES_NEVER == 1
    && PACO_CODE_TABLES_ALWAYS == 2);
G_STATIC_ASSERT (PACO_WAVELET_AUTO == -1 && PACO_WAVELET_CDF53 == 0
    && PACO_WAVELET_CDF97 == 1 && PACO_WAVELET_DD137 == 2);
G_STATIC_ASSERT (PACO_COLOR_TRANSFORM_AUTO == -1
    && PACO_COLOR_TRANSFORM_NONE == 0 && PACO_COLOR_TRANSFORM_RCT == 1
    && PACO_COLOR_TRANSFORM_ICT == 2 && PACO_COLOR_TRANSFORM_RCT2 == 3
    && PACO_COLOR_TRANSFORM_MATRIX == 4);

/* Owners. */
#define ENC (PACO_OF_PACOENC | PACO_OF_ENCODER)
#define DEC (PACO_OF_PACODEC | PACO_OF_DECODER)
#define ALL (ENC | DEC)
#define ELEMENT_ENC PACO_OF_PACOENC
#define LIBRARY_DEC PACO_OF_DECODER

#define CLOSED PACO_CHANGE_CLOSED
#define IDLE PACO_CHANGE_IDLE
#define ANY PACO_CHANGE_ANY

/* A type and a field. */
#define BOOL(field) PACO_SETTING_BOOL, offsetof (PacoSettings, field)
#define INT(field) PACO_SETTING_INT, offsetof (PacoSettings, field)
#define UINT(field) PACO_SETTING_UINT, offsetof (PacoSettings, field)
#define UINT64(field) PACO_SETTING_UINT64, offsetof (PacoSettings, field)
#define REAL(field) PACO_SETTING_REAL, offsetof (PacoSettings, field)
#define ENUM(field) PACO_SETTING_ENUM, offsetof (PacoSettings, field)
#define FLAGS(field) PACO_SETTING_FLAGS, offsetof (PacoSettings, field)
#define DEVICES(field) PACO_SETTING_DEVICES, offsetof (PacoSettings, field)
#define REGION(field) PACO_SETTING_REGION, offsetof (PacoSettings, field)

/* tests/lint/readme.py reads the first line of each row: name, owners. */
const PacoSetting paco_settings_table[] = {
  { "backend", ALL, CLOSED, ENUM (backend), "Backend",
      "Where frames are coded; the result is the same", .values = backends,
      .values_name = "GstPacoBackend" },
  { "cuda-device-id", ALL, CLOSED, INT (cuda_device_id), "CUDA device id",
      "The GPU that codes (-1 = the least loaded one)", -1, G_MAXINT, -1,
      .possible = "the number of a GPU, or -1" },
  { "cuda-devices", ALL, CLOSED, DEVICES (cuda_devices), "CUDA devices",
      "Several GPUs to which frames go in turn, \"0,1\" or \"all\" (empty = "
      "one, as cuda-device-id says)",
      .possible = "different numbers of GPUs, as in 0,1, or all" },
  { "pipeline-depth", ALL, CLOSED, UINT (pipeline_depth), "Pipeline depth",
      "Frames in flight at most, on each GPU (1 = low latency: a frame leaves "
      "in the call that brought it)",
      1, PACO_MAX_DEPTH, 2 },
  { "threads", ALL, CLOSED, UINT (threads), "Threads",
      "Threads of the CPU backend (0 = one per core that may be used)", 0, 1024,
      0 },
  { "reduce", DEC, IDLE, UINT (reduce), "Reduce",
      "Resolution levels to leave out: the picture is 1/2^n in each direction",
      0, PACO_MAX_LEVELS, 0 },
  { "max-pixels", DEC, CLOSED, UINT (max_pixels), "Maximum pixels",
      "The most pixels (width x height) that a frame may ask for", 1, G_MAXUINT,
      PACO_DEFAULT_MAX_PIXELS },
  { "max-memory", LIBRARY_DEC, CLOSED, UINT64 (max_memory), .minimum = 1,
      .maximum = 1e15, .possible = "a number of bytes from 1 to 1e15" },
  { "conceal", DEC, CLOSED, BOOL (conceal), "Conceal",
      "Show the picture before where blocks are broken that would leave large "
      "parts gray",
      .standard = true },
  { "slices", LIBRARY_DEC, IDLE, BOOL (slices) },
  { "region", LIBRARY_DEC, IDLE, REGION (region),
      .possible = "x,y,width,height within 16384 x 16384, or empty" },
  { "rate-control", ENC, IDLE, ENUM (rate_control), "Rate control",
      "What decides the size of frames", .values = rate_controls,
      .values_name = "GstPacoRateControl" },
  { "quality", ENC, ANY, REAL (quality), "Quality",
      "Quality for rate-control=quality; 90 is visually lossless", 0, 100, 90 },
  { "tune", ENC, IDLE, ENUM (tune), "Tune",
      "What the steps of the quantiser are weighted for", .values = tunes,
      .values_name = "GstPacoTune" },
  { "bitrate", ENC, ANY, UINT (bitrate), "Bitrate",
      "Bit rate for rate-control=bitrate in kbit/s (0 = unset)", 0, G_MAXUINT,
      0, .possible = "a number of kbit/s" },
  { "frame-size", ENC, ANY, UINT (frame_size), "Frame size",
      "Bytes of a frame for rate-control=bitrate; wins over bitrate (0 = "
      "unset)",
      0, G_MAXUINT, 0, .possible = "a number of bytes" },
  { "wavelet", ENC, IDLE, ENUM (wavelet), "Wavelet", "Wavelet transform",
      .values = wavelets, .values_name = "GstPacoWavelet" },
  { "levels", ENC, IDLE, UINT (levels), "Levels",
      "Levels of the wavelet transform", 0, PACO_MAX_LEVELS, 5 },
  { "codeblock-height", ENC, IDLE, UINT (codeblock_height), "Codeblock height",
      "Lines of a codeblock: 32, 64, 128 or 256 (0 = auto)", 0, 256, 0,
      .least_power = 32, .possible = "0, 32, 64, 128 or 256" },
  { "coding-passes", ENC, IDLE, UINT (coding_passes), "Coding passes",
      "Scans of each bitplane", 1, 3, 1 },
  { "color-transform", ENC, IDLE, ENUM (color_transform), "Color transform",
      "Transform of R, G and B before the wavelet", .values = color_transforms,
      .values_name = "GstPacoColorTransform" },
  { "code-tables", ENC, IDLE, ENUM (code_tables), "Code tables",
      "Which lossless pictures are coded by the codes that their samples use",
      .values = code_tables, .values_name = "GstPacoCodeTables" },
  { "complexity", ENC, IDLE, UINT (complexity), "Complexity",
      "How readily low bitplanes are stored raw, which is faster: 0 never, 1 "
      "for about 0.3 % of the rate, 2 for 1 %, 3 fastest",
      0, 3, 1 },
  { "block-checks", ENC, IDLE, BOOL (block_checks), "Block checks",
      "Two bytes for each codeblock by which a decoder finds damage",
      .standard = true },
  { "cut-points", ENC, IDLE, BOOL (cut_points), "Cut points",
      "Frames can be made smaller later by pacoparse max-frame-size" },
  { "stack", ELEMENT_ENC, IDLE, UINT (stack), "Stack",
      "Consecutive pictures (slices, bands) that are coded together, of one "
      "component",
      1, PACO_MAX_STACK, 1 },
  { "roi-weight", ENC, IDLE, REAL (roi_weight), "Weight of regions of interest",
      "How much finer regions of interest are quantised than the rest of a "
      "frame (1 = no finer)",
      1, 1024, 1 },
  { "metadata", ELEMENT_ENC, IDLE, FLAGS (metadata), "Metadata",
      "Which metas of a buffer its frame remembers",
      .standard = (1 << (G_N_ELEMENTS (metadata) - 1)) - 1, .values = metadata,
      .values_name = "GstPacoMetadata" },
};

const unsigned paco_settings_n = G_N_ELEMENTS (paco_settings_table);

void *
paco_setting_at (const PacoSetting *setting, PacoSettings *settings)
{
  return (char *) settings + setting->offset;
}

/* Sets a value that is a number. */
static void
set_number (const PacoSetting *setting, PacoSettings *settings, double number)
{
  void *at = paco_setting_at (setting, settings);

  switch (setting->type) {
    case PACO_SETTING_BOOL:
      *(bool *) at = number != 0;
      break;
    case PACO_SETTING_INT:
    case PACO_SETTING_ENUM:
      *(int *) at = (int) number;
      break;
    case PACO_SETTING_UINT:
    case PACO_SETTING_FLAGS:
      *(unsigned *) at = (unsigned) number;
      break;
    case PACO_SETTING_UINT64:
      *(uint64_t *) at = (uint64_t) number;
      break;
    case PACO_SETTING_REAL:
      *(double *) at = number;
      break;
    default:
      break;
  }
}

void
paco_settings_init (PacoSettings *settings)
{
  *settings = (PacoSettings){ 0 };
  for (unsigned i = 0; i < paco_settings_n; i++)
    set_number (
        &paco_settings_table[i], settings, paco_settings_table[i].standard);
}

void
paco_settings_clear (PacoSettings *settings)
{
  g_clear_pointer (&settings->cuda_devices, g_free);
}

void
paco_settings_copy (const PacoSettings *settings, PacoSettings *copy)
{
  *copy = *settings;
  copy->cuda_devices = g_strdup (settings->cuda_devices);
}

/* --- by name --- */

const PacoSetting *
paco_setting_find (PacoSettingOwner owner, const char *name)
{
  for (unsigned i = 0; i < paco_settings_n; i++) {
    const PacoSetting *setting = &paco_settings_table[i];

    if ((setting->owners & owner) && strcmp (setting->name, name) == 0)
      return setting;
  }
  return NULL;
}

static bool
parse_number (const PacoSetting *setting, const char *text, double *number)
{
  char *end;

  *number = g_ascii_strtod (text, &end);
  if (end == text || *end || g_ascii_isspace (*text)
      || !(*number >= setting->minimum && *number <= setting->maximum)
      || (setting->type != PACO_SETTING_REAL && *number != floor (*number)))
    return false;
  if (setting->least_power && *number != 0) {
    unsigned value = (unsigned) *number;

    return value >= setting->least_power && (value & (value - 1)) == 0;
  }
  return true;
}

static bool
parse_bool (const char *text, double *number)
{
  *number = strcmp (text, "true") == 0;
  return *number != 0 || strcmp (text, "false") == 0;
}

static bool
parse_name (const PacoSetting *setting, const char *text, double *number)
{
  for (unsigned i = 0; setting->values[i].name; i++)
    if (strcmp (text, setting->values[i].name) == 0) {
      *number = i;
      return true;
    }
  return false;
}

/* Reads "x,y,width,height"; "" is all of the picture. */
static bool
parse_region (const char *text, PacoCrop *region)
{
  char **items = g_strsplit (text, ",", -1);
  bool good = g_strv_length (items) == 4;
  guint64 numbers[4] = { 0 };

  for (unsigned i = 0; i < 4 && good; i++)
    good = g_ascii_string_to_unsigned (
        items[i], 10, i < 2 ? 0 : 1, PACO_MAX_SIZE, &numbers[i], NULL);
  g_strfreev (items);
  if (good || *text == 0)
    *region = (PacoCrop){ (uint32_t) numbers[0], (uint32_t) numbers[1],
      (uint32_t) numbers[2], (uint32_t) numbers[3] };
  return good || *text == 0;
}

static bool
add_device (
    PacoBackendOptions *options, const char *text, int number, GError **error)
{
  for (unsigned i = 0; i < options->n_devices; i++)
    if (options->devices[i] == number)
      return paco_refuse (
          error, "cuda-devices=%s has device %d twice", text, number);
  if (options->n_devices == PACO_MAX_DEVICES) {
    return paco_refuse (error, "cuda-devices=%s has more than %u devices", text,
        PACO_MAX_DEVICES);
  }
  options->devices[options->n_devices++] = number;
  return true;
}

/* Reads "0,1", "all" or "". */
static bool
parse_devices (const char *text, PacoBackendOptions *options, GError **error)
{
  char **items = g_strsplit (text, ",", -1);
  bool good = true;

  options->n_devices = 0;
  options->all_devices = g_strv_length (items) == 1
      && strcmp (g_strstrip (items[0]), "all") == 0;
  for (char **item = items; *item && good && !options->all_devices; item++) {
    guint64 number;

    good = g_ascii_string_to_unsigned (
        g_strstrip (*item), 10, 0, G_MAXINT, &number, NULL);
    if (good)
      good = add_device (options, text, (int) number, error);
    else
      g_set_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
          "cuda-devices=%s is no list of GPUs; write their numbers, as in "
          "\"0,1\", or \"all\"",
          text);
  }
  g_strfreev (items);
  return good;
}

static bool
set_devices (char **at, const char *text)
{
  PacoBackendOptions options;

  if (!parse_devices (text, &options, NULL))
    return false;
  g_free (*at);
  *at = g_strdup (text);
  return true;
}

bool
paco_setting_parse (
    const PacoSetting *setting, PacoSettings *settings, const char *text)
{
  void *at = paco_setting_at (setting, settings);
  double number;
  bool good;

  if (setting->type == PACO_SETTING_DEVICES)
    return set_devices (at, text);
  if (setting->type == PACO_SETTING_REGION)
    return parse_region (text, at);
  if (setting->type == PACO_SETTING_BOOL)
    good = parse_bool (text, &number);
  else if (setting->type == PACO_SETTING_ENUM)
    good = parse_name (setting, text, &number);
  else
    good = parse_number (setting, text, &number);
  if (good)
    set_number (setting, settings, number);
  return good;
}

char *
paco_setting_possible (const PacoSetting *setting)
{
  GString *names;

  if (setting->possible)
    return g_strdup (setting->possible);
  if (setting->type == PACO_SETTING_BOOL)
    return g_strdup ("true or false");
  if (!setting->values)
    return g_strdup_printf (
        "a number from %.15g to %.15g", setting->minimum, setting->maximum);
  names = g_string_new ("one of ");
  for (unsigned i = 0; setting->values[i].name; i++)
    g_string_append_printf (
        names, "%s%s", i > 0 ? ", " : "", setting->values[i].name);
  return g_string_free (names, FALSE);
}

/* --- for the codec --- */

bool
paco_settings_have_devices (const PacoSettings *settings)
{
  return settings->cuda_devices && *settings->cuda_devices;
}

bool
paco_settings_to_options (
    const PacoSettings *settings, PacoBackendOptions *options, GError **error)
{
  options->device = settings->cuda_device_id;
  options->threads = settings->threads;
  options->depth = settings->pipeline_depth;
  options->max_pixels = settings->max_pixels;
  options->max_memory = settings->max_memory;
  options->conceal = settings->conceal;
  return !paco_settings_have_devices (settings)
      || parse_devices (settings->cuda_devices, options, error);
}

void
paco_settings_to_rate (const PacoSettings *settings, PacoParameters *parameters)
{
  parameters->quality = settings->quality;
  parameters->frame_size = settings->frame_size;
  parameters->bitrate = (uint64_t) 1000 * settings->bitrate;
}

void
paco_settings_to_parameters (
    const PacoSettings *settings, PacoParameters *parameters)
{
  *parameters = (PacoParameters){
    .rate_control = (PacoRateControl) settings->rate_control,
    .tune = (PacoTune) settings->tune,
    .wavelet = settings->wavelet + PACO_WAVELET_AUTO,
    .levels = settings->levels,
    .block_height = settings->codeblock_height,
    .coding_passes = settings->coding_passes,
    .color_transform = settings->color_transform + PACO_COLOR_TRANSFORM_AUTO,
    .code_tables = (PacoCodeTables) settings->code_tables,
    .complexity = settings->complexity,
    .block_checks = settings->block_checks,
    .cut_points = settings->cut_points,
    .area_weight = settings->stack > 1 ? 1 : settings->roi_weight,
  };
  paco_settings_to_rate (settings, parameters);
}
