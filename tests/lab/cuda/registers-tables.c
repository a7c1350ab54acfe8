/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures the tables and figures of text 000, with the project's own
 * transform beside the paper's. A time that several of them show is measured
 * once. */
#include "tests/lab/cuda/registers-plane.h"
#include "tests/lab/cuda/own.h"
#include "tests/lab/cuda/registers-plane.h"
#include "tests/lab/lab.h"
#include <math.h>

#define LEVELS 5

typedef struct
{
  LabDevice *device;
  LabOwn own;
  GHashTable *times; /* microseconds (double) by what was measured */
} Tables;

typedef struct
{
  unsigned width, height;
} Size;

#define SQUARE(n)                                                              \
  {                                                                            \
    n, n                                                                       \
  }
static const Size squares[] = { SQUARE (1024), SQUARE (2048), SQUARE (3072),
  SQUARE (4096), SQUARE (5120), SQUARE (6144), SQUARE (7168), SQUARE (8192),
  SQUARE (9216), SQUARE (10240) };
static const Size tabled[] = { SQUARE (1024), SQUARE (2048), SQUARE (4096),
  SQUARE (8192) };
static const Size pictures[] = { { 1920, 1080 }, { 3840, 2160 }, { 7680, 4320 },
  SQUARE (10240) };

#define HEIGHT(height, dummy) height,
static const unsigned heights[] = { LAB_REGISTERS_HEIGHTS (HEIGHT, 0) };

static const PacoWaveletId wavelets[] = { PACO_WAVELET_CDF53,
  PACO_WAVELET_CDF97 };

/* Goes through the sizes that are measured: the first one only, and much
 * smaller, with --short. */
#define FOR_SIZES(size, sizes)                                                 \
  for (unsigned i_ = 0; i_ < (lab_is_short () ? 1 : G_N_ELEMENTS (sizes));     \
       i_++)                                                                   \
    for (Size size = lab_is_short () ? (Size) SQUARE (70) : sizes[i_],         \
              *once_ = &size;                                                  \
         once_; once_ = NULL)

static const char *
size_name (Size size)
{
  static char name[32];

  g_snprintf (name, sizeof name, "%ux%u", size.width, size.height);
  return name;
}

static void
result (const char *table, const char *series, Size size, double value,
    const char *unit)
{
  lab_result (table, series, size_name (size), value, unit);
}

/* Returns the name of a table that there is for each wavelet. */
static const char *
table_of (const char *table, PacoWaveletId wavelet)
{
  static char name[64];

  g_snprintf (name, sizeof name, "%s %s", table, paco_wavelets[wavelet].name);
  return name;
}

/* --- Times --- */

static const double *
find_time (const Tables *tables, const char *key)
{
  return g_hash_table_lookup (tables->times, key);
}

static double
keep_time (Tables *tables, const char *key, double us)
{
  g_hash_table_insert (
      tables->times, g_strdup (key), g_memdup2 (&us, sizeof us));
  return us;
}

static double
method_us (Tables *tables, const LabRegistersMethod *method, Size size,
    unsigned levels)
{
  char name[64], key[128];
  const double *known;

  lab_registers_name (method, name, sizeof name);
  g_snprintf (
      key, sizeof key, "%s %u %u %u", name, size.width, size.height, levels);
  known = find_time (tables, key);
  return known ? *known
               : keep_time (tables, key,
                   lab_registers_time_us (tables->device, method, size.width,
                       size.height, levels));
}

static double
own_us (Tables *tables, PacoWaveletId wavelet, bool inverse, Size size)
{
  char key[128];
  const double *known;

  g_snprintf (key, sizeof key, "own %d %d %u %u", wavelet, inverse, size.width,
      size.height);
  known = find_time (tables, key);
  return known ? *known
               : keep_time (tables, key,
                   lab_own_time_us (&tables->own, wavelet, inverse, size.width,
                       size.height, LEVELS));
}

/* Returns the time of a copy of as many bytes as a plane of 16-bit samples has:
 * what a transform of one level has to read and to write. */
static double
copy_us (Tables *tables, Size size)
{
  char key[128];
  const double *known;

  g_snprintf (key, sizeof key, "copy %u %u", size.width, size.height);
  known = find_time (tables, key);
  return known ? *known
               : keep_time (tables, key,
                   lab_device_copy_us (
                       tables->device, 2 * (size_t) size.width * size.height));
}

/* --- Method and variants at the paper's height --- */

static LabRegistersMethod
standard (PacoWaveletId wavelet, bool inverse, const char *variant)
{
  return (
      LabRegistersMethod){ wavelet, inverse, variant, LAB_REGISTERS_HEIGHT };
}

static double
standard_us (Tables *tables, PacoWaveletId wavelet, bool inverse,
    const char *variant, Size size)
{
  LabRegistersMethod method = standard (wavelet, inverse, variant);

  return method_us (tables, &method, size, LEVELS);
}

/* Returns the samples of the planes of all levels: M of the paper's equation
 * (3). */
static double
samples_of_levels (Size size)
{
  double n = 0;

  for (unsigned level = 0; level < LEVELS; level++)
    n += (double) (size.width >> level) * (size.height >> level);
  return n;
}

/* --- The tables --- */

/* Returns equation (4): what blocks with halos read, over what they write. */
static double
halo_ratio (unsigned columns, unsigned lines, PacoWaveletId wavelet)
{
  unsigned reach = paco_wavelet_reach (&paco_wavelets[wavelet]);

  return (double) columns * lines
      / ((columns - 2.0 * reach) * (lines - 2.0 * reach));
}

static void
table_1 (void)
{
  static const Size blocks[] = { SQUARE (16), SQUARE (32), SQUARE (64),
    SQUARE (128), { LAB_REGISTERS_WIDTH, LAB_REGISTERS_HEIGHT } };

  for (unsigned i = 0; i < G_N_ELEMENTS (blocks); i++)
    for (unsigned w = 0; w < G_N_ELEMENTS (wavelets); w++)
      result ("000 table I", paco_wavelets[wavelets[w]].name, blocks[i],
          1 + halo_ratio (blocks[i].width, blocks[i].height, wavelets[w]), "M");
}

/* Measures one level, which is what the paper's times fit. */
static void
table_2 (Tables *tables, PacoWaveletId wavelet)
{
  const char *table = table_of ("000 table II", wavelet);
  LabRegistersMethod bare = standard (wavelet, false, "bare");
  LabRegistersMethod halos = standard (wavelet, false, "memory");

  FOR_SIZES (size, tabled)
  {
    double without = method_us (tables, &bare, size, 1);
    double with = method_us (tables, &halos, size, 1);

    result (table, "no halos", size, without, "us");
    result (table, "halos", size, with, "us");
    result (table, "real increase", size, with / without, "");
    result (table, "theoretical increase", size,
        (1 + halo_ratio (LAB_REGISTERS_WIDTH, LAB_REGISTERS_HEIGHT, wavelet))
            / 2,
        "");
    result (table, "copy", size, copy_us (tables, size), "us");
  }
}

static void
table_3 (Tables *tables)
{
  const Size size = lab_is_short () ? (Size) SQUARE (70) : squares[6];

  for (unsigned i = 0; i < G_N_ELEMENTS (heights); i++) {
    LabRegistersMethod method = { PACO_WAVELET_CDF53, false, "shuffle",
      heights[i] };
    char name[64], x[16];
    CUfunction kernel;

    lab_registers_name (&method, name, sizeof name);
    kernel = lab_device_kernel (tables->device, name);
    g_snprintf (x, sizeof x, "%u", heights[i]);
    lab_result ("000 table III", "registers", x,
        lab_device_registers (tables->device, kernel), "");
    lab_result ("000 table III", "occupancy", x,
        lab_device_occupancy (tables->device, kernel, LAB_REGISTERS_THREADS, 0),
        "%");
    lab_result ("000 table III", "time", x,
        method_us (tables, &method, size, LEVELS), "us");
  }
}

static void
table_6 (Tables *tables, PacoWaveletId wavelet)
{
  const char *table = table_of ("000 table VI", wavelet);

  FOR_SIZES (size, tabled)
  {
    result (table, "this GPU", size,
        standard_us (tables, wavelet, false, "shuffle", size), "us");
    result (table, "this GPU, the project's own", size,
        own_us (tables, wavelet, false, size), "us");
  }
}

/* --- The figures --- */

static void
figure_5 (Tables *tables)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (heights); i++)
    for (unsigned w = 0; w < G_N_ELEMENTS (wavelets); w++)
      for (int inverse = 0; inverse < 2; inverse++)
        FOR_SIZES (size, tabled)
        {
          LabRegistersMethod method = { wavelets[w], inverse, "shuffle",
            heights[i] };
          char table[64], series[32], x[16];

          g_snprintf (table, sizeof table, "%s%s",
              table_of ("000 figure 5", wavelets[w]),
              inverse ? " inverse" : "");
          g_snprintf (series, sizeof series, "%ux%u", size.width, size.height);
          g_snprintf (x, sizeof x, "%u", heights[i]);
          lab_result (table, series, x,
              method_us (tables, &method, size, LEVELS), "us");
        }
}

static void
figure_6 (Tables *tables)
{
  static const char *const variants[] = { "shuffle", "buffer" };

  FOR_SIZES (size, squares)
  for (unsigned w = 0; w < G_N_ELEMENTS (wavelets); w++)
    for (unsigned v = 0; v < G_N_ELEMENTS (variants); v++) {
      char series[32];

      g_snprintf (series, sizeof series, "%s %s",
          paco_wavelets[wavelets[w]].name, variants[v]);
      result ("000 figure 6", series, size,
          standard_us (tables, wavelets[w], false, variants[v], size), "us");
    }
}

/* Returns samples of the picture per time. */
static double
speed (Size size, double us)
{
  return 1e-3 * size.width * size.height / us;
}

static void
figure_7 (Tables *tables, PacoWaveletId wavelet)
{
  static const char *const ends[] = { "", " inverse" };
  const char *table = table_of ("000 figure 7", wavelet);
  char series[64];

  FOR_SIZES (size, squares)
  for (int inverse = 0; inverse < 2; inverse++) {
    g_snprintf (series, sizeof series, "proposed%s", ends[inverse]);
    result (table, series, size,
        speed (size, standard_us (tables, wavelet, inverse, "shuffle", size)),
        "Gsample/s");
    g_snprintf (series, sizeof series, "shared memory%s", ends[inverse]);
    result (table, series, size,
        speed (size, standard_us (tables, wavelet, inverse, "shared", size)),
        "Gsample/s");
    g_snprintf (series, sizeof series, "the project's own%s", ends[inverse]);
    result (table, series, size,
        speed (size, own_us (tables, wavelet, inverse, size)), "Gsample/s");
  }
}

static void
figure_8 (Tables *tables, PacoWaveletId wavelet)
{
  static const char *const parts[][2] = { { "memory", "memory accesses" },
    { "arithmetic", "arithmetic" }, { "shuffle", "total" } };
  const char *table = table_of ("000 figure 8", wavelet);

  FOR_SIZES (size, squares)
  for (unsigned i = 0; i < G_N_ELEMENTS (parts); i++)
    result (table, parts[i][1], size,
        standard_us (tables, wavelet, false, parts[i][0], size), "us");
}

/* Measures figure 9: what a transform has to move, each sample of each level
 * once in and once out, over its time. */
static void
figure_9 (Tables *tables)
{
  FOR_SIZES (size, squares)
  {
    double bytes = 4 * samples_of_levels (size);

    result ("000 figure 9", "copy", size,
        4e-3 * size.width * size.height / copy_us (tables, size), "GB/s");
    for (unsigned w = 0; w < G_N_ELEMENTS (wavelets); w++)
      for (int inverse = 0; inverse < 2; inverse++) {
        char series[64];
        const char *end = inverse ? " inverse" : "";

        g_snprintf (series, sizeof series, "%s%s",
            paco_wavelets[wavelets[w]].name, end);
        result ("000 figure 9", series, size,
            1e-3 * bytes
                / standard_us (tables, wavelets[w], inverse, "shuffle", size),
            "GB/s");
        g_snprintf (series, sizeof series, "%s%s, the project's own",
            paco_wavelets[wavelets[w]].name, end);
        result ("000 figure 9", series, size,
            1e-3 * bytes / own_us (tables, wavelets[w], inverse, size), "GB/s");
      }
  }
}

/* Shows which transform is the fastest, of those that the laboratory has: other
 * programs add theirs. */
static void
transforms (Tables *tables, PacoWaveletId wavelet, bool inverse)
{
  char table[64];

  g_snprintf (table, sizeof table, "%s %s",
      table_of ("000 transforms", wavelet), inverse ? "inverse" : "forward");
  FOR_SIZES (size, pictures)
  {
    double best = INFINITY;

    result (table, "copy", size, copy_us (tables, size), "us");
    result (table, "the project's own", size,
        own_us (tables, wavelet, inverse, size), "us");
    result (table, "registers, 64x20", size,
        standard_us (tables, wavelet, inverse, "shuffle", size), "us");
    if (wavelet == PACO_WAVELET_CDF97)
      result (table, "registers, 64x20, floats in memory", size,
          standard_us (tables, wavelet, inverse, "floats", size), "us");
    for (unsigned i = 0; i < G_N_ELEMENTS (heights); i++) {
      LabRegistersMethod method = { wavelet, inverse, "shuffle", heights[i] };

      best = MIN (best, method_us (tables, &method, size, LEVELS));
    }
    result (table, "registers, the best height", size, best, "us");
  }
}

/* Shows how high tiles of the project's own transform should be at level 1, and
 * how high they are. Waves are how often the device would have to run as many
 * warps as it can hold. */
static void
tiles (Tables *tables, PacoWaveletId wavelet, bool inverse)
{
  static const unsigned pairs[] = { 4, 8, 16, 32, 64, 128 };
  const char *name = paco_wavelets[wavelet].name;
  const char *direction = inverse ? "inverse" : "forward";

  FOR_SIZES (size, pictures)
  {
    double waves;
    char table[64];
    unsigned own = lab_own_tile_pairs (&tables->own, wavelet, inverse,
        size.width, size.height, LEVELS, &waves);
    char x[16];

    g_snprintf (table, sizeof table, "000 tiles %s %s", name, direction);
    for (unsigned i = 0; i < G_N_ELEMENTS (pairs); i++) {
      g_snprintf (x, sizeof x, "%u", 2 * pairs[i]);
      lab_result (table, size_name (size), x,
          lab_own_tiles_us (&tables->own, wavelet, inverse, size.width,
              size.height, LEVELS, pairs[i]),
          "us");
    }
    lab_result (table, size_name (size), "the project's own",
        own_us (tables, wavelet, inverse, size), "us");
    g_snprintf (table, sizeof table, "%s %s, lines", name, direction);
    result ("000 tiles own", table, size, 2 * own, "");
    g_snprintf (table, sizeof table, "%s %s, waves", name, direction);
    result ("000 tiles own", table, size, waves, "");
  }
}

static void
tables_init (Tables *tables, LabDevice *device)
{
  tables->device = device;
  tables->times = g_hash_table_new_full (
      g_str_hash, g_str_equal, g_free, g_free);
  lab_own_open (&tables->own, device);
}

static void
tables_clear (Tables *tables)
{
  lab_own_close (&tables->own);
  g_hash_table_destroy (tables->times);
}

/* --- Once, for what a profiler counts --- */

static void
table_3_once (Tables *tables)
{
  const Size size = lab_is_short () ? (Size) SQUARE (70) : squares[6];

  for (unsigned i = 0; i < G_N_ELEMENTS (heights); i++) {
    LabRegistersMethod method = { PACO_WAVELET_CDF53, false, "shuffle",
      heights[i] };
    char x[16];

    g_snprintf (x, sizeof x, "%u", heights[i]);
    lab_counted ("000 table III", NULL, "instructions", x,
        lab_registers_run (
            tables->device, &method, size.width, size.height, LEVELS));
  }
}

static void
table_4_once (Tables *tables, PacoWaveletId wavelet)
{
  LabRegistersMethod proposed = standard (wavelet, false, "shuffle");
  LabRegistersMethod shared = standard (wavelet, false, "shared");
  char instructions[64], accesses[64], x[32];

  g_snprintf (instructions, sizeof instructions, "%s instructions",
      table_of ("000 table IV", wavelet));
  g_snprintf (accesses, sizeof accesses, "%s accesses",
      table_of ("000 table IV", wavelet));
  FOR_SIZES (size, tabled)
  {
    g_snprintf (x, sizeof x, "%ux%u", size.width, size.height);
    lab_counted (instructions, accesses, "proposed", x,
        lab_registers_run (
            tables->device, &proposed, size.width, size.height, LEVELS));
    lab_counted (instructions, NULL, "shared memory", x,
        lab_registers_run (
            tables->device, &shared, size.width, size.height, LEVELS));
    lab_counted (instructions, accesses, "the project's own", x,
        lab_own_run (
            &tables->own, wavelet, false, size.width, size.height, LEVELS));
  }
}

void
lab_registers_once (LabDevice *device)
{
  Tables tables;

  tables_init (&tables, device);
  table_3_once (&tables);
  for (unsigned w = 0; w < G_N_ELEMENTS (wavelets); w++)
    table_4_once (&tables, wavelets[w]);
  tables_clear (&tables);
}

/* --- All of it --- */

void
lab_registers_measure (LabDevice *device)
{
  Tables tables;

  tables_init (&tables, device);
  table_1 ();
  for (unsigned w = 0; w < G_N_ELEMENTS (wavelets); w++)
    table_2 (&tables, wavelets[w]);
  table_3 (&tables);
  for (unsigned w = 0; w < G_N_ELEMENTS (wavelets); w++)
    table_6 (&tables, wavelets[w]);
  figure_5 (&tables);
  figure_6 (&tables);
  for (unsigned w = 0; w < G_N_ELEMENTS (wavelets); w++)
    figure_7 (&tables, wavelets[w]);
  for (unsigned w = 0; w < G_N_ELEMENTS (wavelets); w++)
    figure_8 (&tables, wavelets[w]);
  figure_9 (&tables);
  for (unsigned w = 0; w < G_N_ELEMENTS (wavelets); w++)
    for (int inverse = 0; inverse < 2; inverse++) {
      transforms (&tables, wavelets[w], inverse);
      tiles (&tables, wavelets[w], inverse);
    }
  tables_clear (&tables);
}
