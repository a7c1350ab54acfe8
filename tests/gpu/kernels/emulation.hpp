/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Defines CUDA's words for kernels that are compiled as C++ and run on this
 * machine's processor: the .cu files themselves, with the threads of a block as
 * coroutines. It is slow, but it needs no GPU, and finds errors of logic and
 * arithmetic, lanes that part where all have to come, and accesses beyond what
 * belongs to the kernel (fake-state.c, run_block()).
 *
 * A lane runs until it comes to something that all lanes of its warp do
 * together, a "meeting"; then the next one does. Every other block lets the
 * lanes run in reverse order, so that what depends on the order is likely to
 * show; warps take turns at barriers only, so races between them do not. */
#pragma once
#include "tests/gpu/driver/texture-types.h"
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

/* --- A kernel, as a table of each .cu file lists it --- */

struct EmulatedKernel
{
  const char *name; /* NULL ends the table */
  size_t parameter_bytes;
  void (*run) (const void *parameters);
};

#define EMULATED_KERNEL(kernel, Parameters)                                    \
  {                                                                            \
#kernel, sizeof(Parameters),                                               \
        [](const void                                                          \
                *parameters) { kernel (*(const Parameters *) parameters); }    \
  }
#define EMULATED_END                                                           \
  {                                                                            \
    nullptr, 0, nullptr                                                        \
  }

extern const EmulatedKernel emulated_dwt[], emulated_layout[], emulated_bpc[],
    emulated_pack[], emulated_rate[], emulated_compare[], emulated_cells[],
    emulated_codes[];

#define EMULATED_PROJECT_TABLES                                                \
  emulated_dwt, emulated_layout, emulated_bpc, emulated_pack, emulated_rate,   \
      emulated_compare, emulated_cells, emulated_codes

/* Begins a table that is declared nowhere else. */
#define EMULATED_TABLE(table)                                                  \
  extern const EmulatedKernel table[];                                         \
  const EmulatedKernel table[]

/* These are the tables of a driver's kernels, then NULL; each driver has its
 * own. */
extern const EmulatedKernel *const emulated_tables[];

/* --- Meetings of a warp --- */

enum
{
  LANES_OF_WARP = 32,
};

enum class Meeting
{
  END,
  BARRIER,
  SYNC,
  BALLOT,
  SHUFFLE,
};

/* What the lanes have brought to a meeting. */
struct Brought
{
  uint64_t values[LANES_OF_WARP];
  uint32_t odd; /* the lanes whose values are odd */
};

/* All lanes of a warp come to the same line for the same reason, or the program
 * ends. What it returns is valid until the lane's next meeting. */
const Brought *meet (Meeting reason, int line, uint64_t value);

struct EmulatedIndex
{
  unsigned x, y, z;
};

extern EmulatedIndex threadIdx, blockIdx, blockDim, gridDim;

/* --- Declarations --- */

#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#ifndef __shared__
#define __shared__
#endif

struct int2
{
  int x, y;
};
struct alignas (8) uint2
{
  uint32_t x, y;
};
struct alignas (16) uint4
{
  uint32_t x, y, z, w;
};
struct float2
{
  float x, y;
};

static inline int2
make_int2 (int x, int y)
{
  return int2{ x, y };
}

static inline uint2
make_uint2 (uint32_t x, uint32_t y)
{
  return uint2{ x, y };
}

static inline uint4
make_uint4 (uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
  return uint4{ x, y, z, w };
}

static inline float2
make_float2 (float x, float y)
{
  return float2{ x, y };
}

/* --- What a lane does alone --- */

template <class A, class B>
static inline std::common_type_t<A, B>
min (A a, B b)
{
  using T = std::common_type_t<A, B>;

  return (T) b < (T) a ? (T) b : (T) a;
}

template <class A, class B>
static inline std::common_type_t<A, B>
max (A a, B b)
{
  using T = std::common_type_t<A, B>;

  return (T) a < (T) b ? (T) b : (T) a;
}

template <class To, class From>
static inline To
same_bits (From from)
{
  To to;

  static_assert (sizeof to == sizeof from, "");
  memcpy (&to, &from, sizeof to);
  return to;
}

#define __float_as_int same_bits<int, float>
#define __float_as_uint same_bits<uint32_t, float>
#define __int_as_float same_bits<float, int>
#define __uint_as_float same_bits<float, uint32_t>
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

static inline uint32_t
__byte_perm (uint32_t a, uint32_t b, uint32_t selector)
{
  uint64_t bytes = (uint64_t) b << 32 | a;
  uint32_t result = 0;

  for (int i = 0; i < 4; i++)
    result |= (uint32_t) (bytes >> 8 * (selector >> 4 * i & 7) & 255) << 8 * i;
  return result;
}

static inline uint32_t
__funnelshift_r (uint32_t low, uint32_t high, uint32_t shift)
{
  return (uint32_t) (((uint64_t) high << 32 | low) >> (shift & 31));
}

static inline uint32_t
__funnelshift_l (uint32_t low, uint32_t high, uint32_t shift)
{
  return (uint32_t) (((uint64_t) high << 32 | low) << (shift & 31) >> 32);
}

static inline int
__popc (uint32_t x)
{
  return __builtin_popcount (x);
}

static inline int
__clz (uint32_t x)
{
  return x ? __builtin_clz (x) : 32;
}

static inline int
__clzll (uint64_t x)
{
  return x ? __builtin_clzll (x) : 64;
}

static inline int
__ffs (uint32_t x)
{
  return __builtin_ffs ((int) x);
}

static inline uint32_t
__brev (uint32_t x)
{
  uint32_t result = 0;

  for (int i = 0; i < 32; i++)
    result |= (x >> i & 1) << (31 - i);
  return result;
}

static inline uint32_t
__umulhi (uint32_t a, uint32_t b)
{
  return (uint32_t) ((uint64_t) a * b >> 32);
}

static inline uint32_t
two_halves (uint32_t low, uint32_t high)
{
  return (low & 0xffff) | high << 16;
}

static inline uint32_t
__vabs2 (uint32_t a)
{
  return two_halves (abs ((int16_t) a), abs ((int16_t) (a >> 16)));
}

static inline uint32_t
__vsub2 (uint32_t a, uint32_t b)
{
  return two_halves (a - b, (a >> 16) - (b >> 16));
}

static inline uint32_t
__vcmpne2 (uint32_t a, uint32_t b)
{
  return two_halves ((a ^ b) & 0xffff ? 0xffff : 0, (a ^ b) >> 16 ? 0xffff : 0);
}

template <class T>
static inline T
__ldg (const T *p)
{
  return *p;
}

template <class T>
static inline T
__ldcg (const T *p)
{
  return *p;
}

/* Thread blocks run one after the other. */
static inline void
__threadfence ()
{
}

static inline uint32_t
atomicOr (uint32_t *p, uint32_t value)
{
  uint32_t old = *p;

  *p = old | value;
  return old;
}

template <class T, class Value>
static inline T
atomicAdd (T *p, Value value)
{
  T old = *p;

  *p = old + value;
  return old;
}

static inline uint32_t
atomicMin (uint32_t *p, uint32_t value)
{
  uint32_t old = *p;

  *p = old < value ? old : value;
  return old;
}

/* This reads the nearest element of a texture, or of its border. */
typedef CUtexObject cudaTextureObject_t;

template <class T>
static inline T
tex2D (cudaTextureObject_t object, float x, float y)
{
  const auto &texture = ((const CUDA_RESOURCE_DESC *) object)->res.pitch2D;
  size_t column = (size_t) fminf (
      fmaxf (floorf (x), 0), (float) (texture.width - 1));
  size_t line = (size_t) fminf (
      fmaxf (floorf (y), 0), (float) (texture.height - 1));

  static_assert (std::is_same<T, float>::value, "textures have floats");
  return *(const T *) (texture.devPtr + line * texture.pitchInBytes
      + column * sizeof (T));
}

/* --- What lanes do together, always all of them --- */

static inline void
__syncthreads (int line = __builtin_LINE())
{
  meet (Meeting::BARRIER, line, 0);
}

static inline void
__syncwarp (uint32_t = ~0u, int line = __builtin_LINE())
{
  meet (Meeting::SYNC, line, 0);
}

static inline uint32_t
__ballot_sync (uint32_t, bool vote, int line = __builtin_LINE())
{
  return meet (Meeting::BALLOT, line, vote)->odd;
}

static inline bool
__any_sync (uint32_t, bool vote, int line = __builtin_LINE())
{
  return __ballot_sync (~0u, vote, line) != 0;
}

template <class T>
static inline T
value_of_lane (T value, int line, int from)
{
  uint64_t sent = 0;
  int lane = (int) (threadIdx.x % LANES_OF_WARP);

  static_assert (sizeof value <= sizeof sent, "");
  memcpy (&sent, &value, sizeof value);
  sent = meet (Meeting::SHUFFLE, line, sent)
             ->values[from >= 0 && from < LANES_OF_WARP ? from : lane];
  memcpy (&value, &sent, sizeof value);
  return value;
}

template <class T>
static inline T
__shfl_sync (uint32_t, T value, uint32_t from, uint32_t width = LANES_OF_WARP,
    int line = __builtin_LINE())
{
  uint32_t lane = threadIdx.x % LANES_OF_WARP;

  return value_of_lane (
      value, line, (int) ((lane & ~(width - 1)) | (from & (width - 1))));
}

template <class T>
static inline T
__shfl_up_sync (uint32_t, T value, uint32_t delta, int line = __builtin_LINE())
{
  return value_of_lane (
      value, line, (int) (threadIdx.x % LANES_OF_WARP) - (int) delta);
}

template <class T>
static inline T
__shfl_down_sync (
    uint32_t, T value, uint32_t delta, int line = __builtin_LINE())
{
  return value_of_lane (
      value, line, (int) (threadIdx.x % LANES_OF_WARP + delta));
}

template <class T>
static inline T
__shfl_xor_sync (uint32_t, T value, uint32_t mask, int line = __builtin_LINE())
{
  return value_of_lane (
      value, line, (int) ((threadIdx.x % LANES_OF_WARP) ^ mask));
}
