/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The settings of encoders and decoders: one table of their names, ranges, defaults and
 * sentences of help. The elements' properties (plugin/coder/gstpacoclass.c) and
 * libpaco's settings (lib/settings.c) are made from it. */
#pragma once
#include "backends.h"
#include "codec/parameters.h"
#include "codec/picture.h"

/* The values of all settings. Decoders ignore an encoder's, and encoders a decoder's. */
typedef struct
{
  int backend; /* PacoUse */
  int cuda_device_id;
  char *cuda_devices; /* As it was set; NULL: none. The settings own it. */
  unsigned pipeline_depth, threads;

  unsigned max_pixels, reduce;
  uint64_t max_memory; /* Bytes, 0: no limit. */
  bool conceal, slices;
  PacoCrop region; /* Zeros: all of the picture. */

  int rate_control, tune;       /* PacoRateControl, PacoTune */
  int wavelet, color_transform; /* 0: auto, else the codec's number + 1. */
  int code_tables;
  double quality, roi_weight;
  unsigned bitrate;    /* kbit/s */
  unsigned frame_size; /* Bytes. */
  unsigned levels, codeblock_height, coding_passes, complexity, stack;
  bool block_checks, cut_points;
  unsigned metadata; /* GstPacoMetadata */
} PacoSettings;

/* When a setting may change. Those of elements change in READY, or at ANY time. */
typedef enum
{
  PACO_CHANGE_CLOSED, /* Before a device is opened. */
  PACO_CHANGE_IDLE,   /* While no frame is in flight. */
  PACO_CHANGE_ANY,
} PacoChange;

typedef enum
{
  PACO_OF_PACOENC = 1 << 0, /* The element. */
  PACO_OF_PACODEC = 1 << 1,
  PACO_OF_ENCODER = 1 << 2, /* Of libpaco. */
  PACO_OF_DECODER = 1 << 3,
} PacoSettingOwner;

/* The type of a setting, and of its field in PacoSettings. */
typedef enum
{
  PACO_SETTING_BOOL,    /* bool */
  PACO_SETTING_INT,     /* int */
  PACO_SETTING_UINT,    /* unsigned */
  PACO_SETTING_UINT64,  /* uint64_t */
  PACO_SETTING_REAL,    /* double */
  PACO_SETTING_ENUM,    /* int, the index of one of `values` */
  PACO_SETTING_FLAGS,   /* unsigned, bit i stands for values[i] */
  PACO_SETTING_DEVICES, /* char *, a list of GPUs */
  PACO_SETTING_REGION,  /* PacoCrop */
} PacoSettingType;

typedef struct
{
  const char *name, *help;
} PacoSettingValue;

typedef struct
{
  const char *name;
  unsigned owners; /* PacoSettingOwner */
  PacoChange change;
  PacoSettingType type;
  size_t offset;           /* In PacoSettings. */
  const char *nick, *help; /* NULL: no element has the setting. */
  double minimum, maximum, standard;
  const PacoSettingValue *values; /* The last one has no name. */
  const char *values_name;        /* The type of the values in GObject. */
  /* Not 0: the value is 0, or a power of two from this one on. */
  unsigned least_power;
  const char *possible; /* The possible values, if the range does not say it. */
} PacoSetting;

extern const PacoSetting paco_settings_table[];
extern const unsigned paco_settings_n;

/* Sets all defaults. clear() frees what settings own. */
void paco_settings_init (PacoSettings *settings);
void paco_settings_clear (PacoSettings *settings);
/* Makes a copy, which has to be cleared. */
void paco_settings_copy (const PacoSettings *settings, PacoSettings *copy);

/* Returns the owner's setting of this name, or NULL. */
const PacoSetting *paco_setting_find (PacoSettingOwner owner, const char *name);
/* Returns where the setting's value is. */
void *paco_setting_at (const PacoSetting *setting, PacoSettings *settings);
/* Sets the value that the text says. Returns false, and sets nothing, if it is not
 * a value of the setting. */
bool paco_setting_parse (
    const PacoSetting *setting, PacoSettings *settings, const char *text);
/* Returns the possible values, as in "a number from 0 to 8". The caller frees them. */
char *paco_setting_possible (const PacoSetting *setting);

bool paco_settings_have_devices (const PacoSettings *settings);
/* Sets what the settings say of the backend; context, share_threads, timeout and drop
 * stay. Error UNSUPPORTED if cuda-devices is no list of GPUs. */
bool paco_settings_to_options (
    const PacoSettings *settings, PacoBackendOptions *options, GError **error);
/* Sets all parameters but those that the pictures decide (rgb, fps, weight), which are
 * 0. The second function sets only those that may change at any time. */
void paco_settings_to_parameters (
    const PacoSettings *settings, PacoParameters *parameters);
void paco_settings_to_rate (
    const PacoSettings *settings, PacoParameters *parameters);
