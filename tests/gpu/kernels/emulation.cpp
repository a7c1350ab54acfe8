/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs kernels for the driver without a GPU, which really code: the emulation.
 *
 * A thread is a coroutine, which lives on when its block has ended, to be a
 * thread of the next one. Only its first switch is made with a ucontext, which
 * asks the system; all others are jumps of the compiler's own, which are faster
 * than those of the C library. */
#include "tests/gpu/kernels/emulation.hpp"
#include "tests/gpu/driver/fake-kernels.h"
#include <csignal>
#include <cstdio>
#include <sys/mman.h>
#include <ucontext.h>

enum
{
  MAX_THREADS = 1024, /* of a block */
  STACK_BYTES = 1 << 17,
  STACK_GUARD_BYTES = 1 << 16, /* a multiple of any page size */
  MAX_SHARED_BYTES = 227 << 10,
  SHARED_GUARD_BYTES = 16 << 10,
  RUBBISH = 0xcd,
};

typedef void *Place[5]; /* as __builtin_setjmp() says */

struct Thread
{
  Place place;
  bool exists;
};

EmulatedIndex threadIdx, blockIdx, blockDim, gridDim;
/* This is the kernels' name for shared memory whose size a launch says. */
uint32_t shared[(MAX_SHARED_BYTES + SHARED_GUARD_BYTES) / 4];

static Thread threads[MAX_THREADS];
static Place scheduler;
static const EmulatedKernel *kernel;
static const void *kernel_parameters;

/* --- A warp --- */

/* These say, of the warp that runs, in which order its lanes do, and what they
 * meet for this time, and last time. */
static unsigned first_lane, last_lane;
static int step;
static unsigned turn;
static Meeting reason_now;
static int line_now;
static Brought brought[2];

static void
end_program (const char *what)
{
  fprintf (stderr, "%s: block %u, %u, thread %u: %s\n", kernel->name,
      blockIdx.x, blockIdx.y, threadIdx.x, what);
  abort ();
}

static void
thread_main (void)
{
  for (;;) {
    kernel->run (kernel_parameters);
    meet (Meeting::END, 0, 0);
  }
}

/* Goes on with a thread; what is to come back here has been saved. */
[[noreturn, gnu::noinline]] static void
enter (unsigned number)
{
  ucontext_t context;
  char *stack;

  threadIdx.x = number;
  if (threads[number].exists)
    __builtin_longjmp (threads[number].place, 1);
  stack = (char *) mmap (nullptr, STACK_BYTES + STACK_GUARD_BYTES,
      PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED || mprotect (stack, STACK_GUARD_BYTES, PROT_NONE) != 0
      || getcontext (&context) != 0)
    end_program ("no stack");
  threads[number].exists = true;
  context.uc_stack.ss_sp = stack + STACK_GUARD_BYTES;
  context.uc_stack.ss_size = STACK_BYTES;
  context.uc_link = nullptr;
  makecontext (&context, thread_main, 0);
  setcontext (&context);
  abort ();
}

static void
check_meeting (Meeting reason, int line)
{
  char text[160];

  if (reason == reason_now && line == line_now)
    return;
  snprintf (text, sizeof text,
      "lanes of a warp have parted, one is at line %d (kind %d), another at "
      "line %d (kind %d)",
      line, (int) reason, line_now, (int) reason_now);
  end_program (text);
}

/* Leaves the warp. */
[[noreturn, gnu::noinline]] static void
leave ()
{
  __builtin_longjmp (scheduler, 1);
}

__attribute__ ((noinline)) const Brought *
meet (Meeting reason, int line, uint64_t value)
{
  unsigned thread = threadIdx.x, lane = thread % LANES_OF_WARP;
  Brought *all;

  if (lane == first_lane)
    turn++;
  all = &brought[turn % 2];
  if (lane == first_lane) {
    reason_now = reason;
    line_now = line;
    all->odd = 0;
  }
  check_meeting (reason, line);
  all->values[lane] = value;
  all->odd |= (uint32_t) (value & 1) << lane;
  if (__builtin_setjmp (threads[thread].place) == 0) {
    if (lane != last_lane)
      enter ((unsigned) ((int) thread + step));
    if (reason == Meeting::END || reason == Meeting::BARRIER)
      leave ();
    enter (thread - lane + first_lane);
  }
  return all;
}

/* Runs a warp until all lanes have come to a barrier, or to the end. */
__attribute__ ((noinline)) static void
run_warp (unsigned warp)
{
  if (__builtin_setjmp (scheduler) == 0)
    enter (warp * LANES_OF_WARP + first_lane);
}

/* --- A block --- */

static void
run_warps (unsigned n_warps)
{
  bool ended[MAX_THREADS / LANES_OF_WARP] = {};
  unsigned n_ended = 0;

  while (n_ended < n_warps) {
    int barrier = 0;

    for (unsigned warp = 0; warp < n_warps; warp++) {
      if (ended[warp])
        continue;
      run_warp (warp);
      if (reason_now == Meeting::END) {
        ended[warp] = true;
        n_ended++;
      } else if (barrier != 0 && barrier != line_now) {
        end_program ("warps have come to different barriers");
      } else {
        barrier = line_now;
      }
    }
  }
}

/* Shared memory is full of rubbish before, and what is behind its end is as it
 * was afterwards. */
static void
run_block (const FakeLaunch *launch)
{
  uint8_t *bytes = (uint8_t *) shared, *behind;
  bool reverse = (blockIdx.x + blockIdx.y) % 2;

  memset (bytes, RUBBISH, launch->shared_bytes + SHARED_GUARD_BYTES);
  first_lane = reverse ? LANES_OF_WARP - 1 : 0;
  last_lane = LANES_OF_WARP - 1 - first_lane;
  step = reverse ? -1 : 1;
  run_warps (launch->threads / LANES_OF_WARP);
  /* Each of its bytes is as the one before. */
  behind = bytes + launch->shared_bytes;
  if (behind[0] != RUBBISH
      || memcmp (behind, behind + 1, SHARED_GUARD_BYTES - 1) != 0)
    end_program ("shared memory is written behind its end");
}

/* --- Launches --- */

static const EmulatedKernel *
find_kernel (const char *name)
{
  for (unsigned i = 0; emulated_tables[i]; i++)
    for (const EmulatedKernel *table = emulated_tables[i]; table->name; table++)
      if (strcmp (table->name, name) == 0)
        return table;
  return nullptr;
}

const char fake_device_name[] = "Emulated GPU";

size_t
fake_kernel_parameter_bytes (const char *name)
{
  const EmulatedKernel *found = find_kernel (name);

  return found ? found->parameter_bytes : 0;
}

static void
bad_access (int)
{
  end_program ("memory is accessed that is none, or not of the kernel");
}

/* Runs a kernel while the driver's lock is held: only one launch runs at a
 * time. */
bool
fake_kernel_run (FakeKernelState *, const FakeLaunch *launch)
{
  struct sigaction action = {}, before;

  kernel = find_kernel (launch->name);
  kernel_parameters = launch->parameters;
  if (launch->threads % LANES_OF_WARP != 0 || launch->threads > MAX_THREADS
      || launch->shared_bytes > MAX_SHARED_BYTES || launch->grid_z != 1)
    return false;
  action.sa_handler = bad_access;
  action.sa_flags = SA_RESETHAND;
  sigaction (SIGSEGV, &action, &before);
  blockDim = EmulatedIndex{ launch->threads, 1, 1 };
  gridDim = EmulatedIndex{ launch->grid_x, launch->grid_y, 1 };
  for (blockIdx.y = 0; blockIdx.y < gridDim.y; blockIdx.y++)
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
      run_block (launch);
  sigaction (SIGSEGV, &before, nullptr);
  return true;
}
