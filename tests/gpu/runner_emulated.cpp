/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs kernels on this machine's processor: the .cu file itself, compiled as
 * C++, with the 32 lanes of a warp as coroutines that meet at every shuffle.
 * Slow, but it needs no GPU, and finds any error of logic or arithmetic.
 * Warps run one after the other, so it finds no races. */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>

/* --- CUDA's words --- */

#define __device__
#define __global__
#define __forceinline__ inline __attribute__ ((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__

struct int2
{
  int x, y;
};
struct alignas (8) uint2
{
  unsigned x, y;
};
struct float2
{
  float x, y;
};
struct Index
{
  unsigned x, y, z;
};

static Index blockIdx, threadIdx;

static inline int2
make_int2 (int x, int y)
{
  return int2{ x, y };
}

static inline uint2
make_uint2 (unsigned x, unsigned y)
{
  return uint2{ x, y };
}

static inline float2
make_float2 (float x, float y)
{
  return float2{ x, y };
}

template <class T>
static inline T
min (T a, T b)
{
  return b < a ? b : a;
}

template <class T>
static inline T
max (T a, T b)
{
  return a < b ? b : a;
}

template <class To, class From>
static inline To
bits (From from)
{
  To to;

  static_assert (sizeof to == sizeof from, "");
  memcpy (&to, &from, sizeof to);
  return to;
}

#define __float_as_int bits<int, float>
#define __float_as_uint bits<unsigned, float>
#define __int_as_float bits<float, int>
#define __uint_as_float bits<float, unsigned>
#define __fmaf_rn fmaf

static inline float
__fadd_rn (float a, float b)
{
  return a + b;
}

static inline float
__fsub_rn (float a, float b)
{
  return a - b;
}

static inline float
__fmul_rn (float a, float b)
{
  return a * b;
}

static inline float
__int2float_rn (int x)
{
  return (float) x;
}

static inline int
__float2int_rz (float x)
{
  return (int) x;
}

static inline int
__float2int_rn (float x)
{
  return (int) lrintf (x);
}

static inline unsigned
__byte_perm (unsigned a, unsigned b, unsigned selector)
{
  uint64_t bytes = (uint64_t) b << 32 | a;
  unsigned result = 0;

  for (int i = 0; i < 4; i++)
    result |= (unsigned) (bytes >> 8 * (selector >> 4 * i & 7) & 255) << 8 * i;
  return result;
}

static inline unsigned
__funnelshift_r (unsigned low, unsigned high, unsigned shift)
{
  return (unsigned) (((uint64_t) high << 32 | low) >> (shift & 31));
}

template <class T>
static inline T
__ldg (const T *p)
{
  return *p;
}

static inline unsigned
atomicOr (unsigned *p, unsigned value)
{
  unsigned old;

  memcpy (&old, p, 4);
  value |= old;
  memcpy (p, &value, 4);
  return old;
}

/* --- A warp --- */

#define LANES 32
#define STACK_BYTES 65536

static ucontext_t scheduler, lanes[LANES];
static char stacks[LANES][STACK_BYTES];
static bool finished[LANES];
static uint32_t mailbox[2][LANES];
static unsigned meetings[LANES];

/* Every lane posts a value and waits until all others have. */
template <class T>
static T
shuffle (T value, int from)
{
  unsigned lane = threadIdx.x % LANES, box = meetings[lane]++ % 2;

  mailbox[box][lane] = bits<uint32_t> (value);
  swapcontext (&lanes[lane], &scheduler);
  return bits<T> (mailbox[box][from >= 0 && from < LANES ? from : lane]);
}

template <class T>
static T
__shfl_sync (unsigned, T value, unsigned from)
{
  return shuffle (value, (int) from);
}

template <class T>
static T
__shfl_up_sync (unsigned, T value, unsigned delta)
{
  return shuffle (value, (int) (threadIdx.x % LANES) - (int) delta);
}

template <class T>
static T
__shfl_down_sync (unsigned, T value, unsigned delta)
{
  return shuffle (value, (int) (threadIdx.x % LANES + delta));
}

#include "gpu/kernels/dwt.cu"
#include "tests/gpu/runner.h"

typedef void (*Kernel) (const PacoDwtParameters);

#define GROUPS(name) name##_1, name##_3
#define LAYOUTS(wavelet)                                                       \
  GROUPS (dwt_forward_##wavelet##_any_samples_generic),                        \
      GROUPS (dwt_forward_##wavelet##_any_samples_planar16),                   \
      GROUPS (dwt_forward_##wavelet##_plain_samples_planar8),                  \
      GROUPS (dwt_forward_##wavelet##_plain_samples_planar16)
#define SINKS(name)                                                            \
  name, name##_samples_generic_1, name##_samples_generic_3,                    \
      name##_samples_planar_1, name##_samples_planar_3
#define DIRECTIONS(wavelet)                                                    \
  samples_to_indices_##wavelet##_1, samples_to_indices_##wavelet##_3,          \
      indices_to_samples_##wavelet##_1, indices_to_samples_##wavelet##_3

static const Kernel kernels[PACO_DWT_N_KERNELS] = {
  LAYOUTS (cdf53),
  LAYOUTS (cdf97),
  dwt_forward_cdf53_any,
  dwt_forward_cdf53_plain,
  dwt_forward_cdf97_any,
  dwt_forward_cdf97_plain,
  SINKS (dwt_inverse_cdf53_plain),
  SINKS (dwt_inverse_cdf53_any),
  SINKS (dwt_inverse_cdf97_plain),
  SINKS (dwt_inverse_cdf97_any),
  DIRECTIONS (cdf53),
  DIRECTIONS (cdf97),
};

static const PacoDwtLaunch *current;

static void
lane_main (void)
{
  kernels[current->kernel](current->parameters);
  finished[threadIdx.x % LANES] = true;
}

static void
begin_lane (unsigned lane)
{
  getcontext (&lanes[lane]);
  lanes[lane].uc_stack.ss_sp = stacks[lane];
  lanes[lane].uc_stack.ss_size = STACK_BYTES;
  lanes[lane].uc_link = &scheduler;
  makecontext (&lanes[lane], lane_main, 0);
  finished[lane] = false;
  meetings[lane] = 0;
}

static void
run_warp (unsigned first_thread)
{
  unsigned n_finished = 0;

  for (unsigned lane = 0; lane < LANES; lane++)
    begin_lane (lane);
  while (n_finished < LANES) {
    n_finished = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
      threadIdx.x = first_thread + lane;
      if (!finished[lane])
        swapcontext (&scheduler, &lanes[lane]);
      n_finished += finished[lane];
    }
    if (n_finished > 0 && n_finished < LANES) {
      fprintf (stderr, "lanes of a warp have parted\n");
      exit (1);
    }
  }
}

/* --- The runner --- */

struct _Runner
{
  int unused;
};

Runner *
runner_open (void)
{
  return g_new0 (Runner, 1);
}

void
runner_close (Runner *runner)
{
  g_free (runner);
}

const char *
runner_name (Runner *)
{
  return "emulated";
}

unsigned
runner_multiprocessors (Runner *)
{
  return 1;
}

const PacoDwtKernels *
runner_kernels (Runner *)
{
  return NULL;
}

uint64_t
runner_allocate (Runner *, size_t size)
{
  void *memory = NULL;

  size = (size + 15) / 8 * 8;
  if (posix_memalign (&memory, 256, size) != 0)
    exit (1);
  memset (memory, 0x5a, size);
  return (uint64_t) (uintptr_t) memory;
}

void
runner_free (Runner *, uint64_t memory)
{
  free ((void *) (uintptr_t) memory);
}

void
runner_write (Runner *, uint64_t to, const void *from, size_t size)
{
  memcpy ((void *) (uintptr_t) to, from, size);
}

void
runner_read (Runner *, void *to, uint64_t from, size_t size)
{
  memcpy (to, (const void *) (uintptr_t) from, size);
}

void
runner_launch (Runner *, const PacoDwtLaunch *launches, unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    current = &launches[i];
    for (blockIdx.y = 0; blockIdx.y < current->grid_y; blockIdx.y++)
      for (blockIdx.x = 0; blockIdx.x < current->grid_x; blockIdx.x++)
        for (unsigned t = 0; t < PACO_DWT_THREADS; t += LANES)
          run_warp (t);
  }
}

void
runner_time (Runner *, const PacoDwtLaunch *, unsigned, unsigned, unsigned,
    double *, double *)
{
  fprintf (stderr, "an emulation has no speed\n");
  exit (1);
}

double
runner_time_copy (
    Runner *, const uint64_t *, const uint64_t *, unsigned, size_t, unsigned)
{
  return 0.0;
}
