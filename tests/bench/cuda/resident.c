/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Frames whose pictures stay on the device while their streams come and go, two
 * under way: while one is coded, the stream of the other crosses the bus.
 *
 * Ceiling is what takes longer: the kernels of a frame one by one, or the bus
 * with nothing but these streams. */
#include "tests/bench/cuda/figures.h"
#include "tests/bench/cuda/kernels.h"

#define N_IN_FLIGHT 2
#define N_WINDOWS 24
#define WINDOW 20 /* frames */

typedef struct
{
  Coding *coding;
  CUstream bus; /* up- or downloads */
  CUevent there[N_IN_FLIGHT], done[N_IN_FLIGHT], borders[N_WINDOWS + 1];
  PacoPinnedMemory host;
} Resident;

static void
resident_init (Bench *bench, Resident *resident)
{
  const PacoDriver *driver = bench->cuda->driver;

  must_succeed (driver->stream_create (&resident->bus, CU_STREAM_NON_BLOCKING));
  for (unsigned i = 0; i < N_IN_FLIGHT; i++) {
    must_succeed (driver->event_create (&resident->there[i], 0));
    must_succeed (driver->event_create (&resident->done[i], 0));
  }
  for (unsigned i = 0; i <= N_WINDOWS; i++)
    must_succeed (driver->event_create (&resident->borders[i], 0));
  must (paco_pinned_memory_reserve (
            bench->cuda, &resident->host, 2 * CONTENT_BYTES, "bench", NULL),
      NULL);
}

static void
resident_clear (Bench *bench, Resident *resident)
{
  const PacoDriver *driver = bench->cuda->driver;

  paco_pinned_memory_clear (bench->cuda, &resident->host);
  for (unsigned i = 0; i < N_IN_FLIGHT; i++) {
    driver->event_destroy (resident->there[i]);
    driver->event_destroy (resident->done[i]);
  }
  for (unsigned i = 0; i <= N_WINDOWS; i++)
    driver->event_destroy (resident->borders[i]);
  driver->stream_destroy (resident->bus);
}

/* Runs `begin`, then hands over to `end` in the other stream. Returns frames
 * per second, the median over windows. */
static double
resident_speed (Bench *bench, Resident *resident, CUstream begin_stream,
    BenchTask begin, CUstream end_stream, BenchTask end)
{
  const PacoDriver *driver = bench->cuda->driver;
  double values[N_WINDOWS];

  for (unsigned i = 0; i <= N_WINDOWS * WINDOW; i++) {
    unsigned k = i % N_IN_FLIGHT;

    must_succeed (
        driver->stream_wait_event (begin_stream, resident->done[k], 0));
    begin (bench, resident, k);
    must_succeed (driver->event_record (resident->there[k], begin_stream));
    must_succeed (
        driver->stream_wait_event (end_stream, resident->there[k], 0));
    end (bench, resident, k);
    must_succeed (driver->event_record (resident->done[k], end_stream));
    if (i % WINDOW == 0)
      must_succeed (
          driver->event_record (resident->borders[i / WINDOW], end_stream));
  }
  must_succeed (driver->ctx_synchronize ());
  for (unsigned i = 0; i < N_WINDOWS; i++) {
    float milliseconds;

    must_succeed (driver->event_elapsed_time (
        &milliseconds, resident->borders[i], resident->borders[i + 1]));
    values[i] = milliseconds;
  }
  return 1000.0 * WINDOW / median (values, N_WINDOWS);
}

static void
encode (Bench *bench, void *data, unsigned set)
{
  Resident *resident = data;

  coding_forward (bench, resident->coding, set);
  coding_encode (bench, resident->coding, set);
  coding_pack (bench, resident->coding, set);
}

static void
stream_down (Bench *bench, void *data, unsigned set)
{
  Resident *resident = data;
  Coding *coding = resident->coding;

  must_succeed (bench->cuda->driver->memcpy_dtoh_async (resident->host.data,
      coding->output[set], CODING_HEADER + coding->frame_size, resident->bus));
}

static void
stream_up (Bench *bench, void *data, unsigned set)
{
  Resident *resident = data;
  Coding *coding = resident->coding;

  must_succeed (bench->cuda->driver->memcpy_htod_async (coding->payload[set],
      resident->host.data, coding->payload_size, resident->bus));
}

static void
decode (Bench *bench, void *data, unsigned set)
{
  Resident *resident = data;

  coding_decode (bench, resident->coding, set);
  coding_inverse (bench, resident->coding, set);
}

static void
resident_figure (const char *prefix, const char *way, double fps,
    double kernels_us, const char *bus, double bus_us)
{
  bool bound_by_bus = bus_us > kernels_us;

  figure_speed (fps, "frames/s", bound_by_bus ? bus : "kernels one by one",
      1e6 / MAX (bus_us, kernels_us), "%s_resident_%s_fps", prefix, way);
}

void
bench_resident (
    Bench *bench, Coding *coding, const KernelTimes *times, const char *prefix)
{
  const BenchCeilings *ceilings = &bench->ceilings;
  Resident resident = { .coding = coding };
  double fps;

  resident_init (bench, &resident);
  bench_upload (bench); /* decoding has left its pictures there */
  fps = resident_speed (
      bench, &resident, bench->stream, encode, resident.bus, stream_down);
  resident_figure (prefix, "enc", fps,
      times->forward + times->encode + times->pack, "d2h_gbps",
      coding->frame_size / ceilings->d2h_gbps / 1000.0);
  must_succeed (bench->cuda->driver->memcpy_dtoh (resident.host.data,
      coding->payload[BENCH_SETS - 1], coding->payload_size));
  fps = resident_speed (
      bench, &resident, resident.bus, stream_up, bench->stream, decode);
  resident_figure (prefix, "dec", fps, times->decode + times->inverse,
      "h2d_gbps", coding->payload_size / ceilings->h2d_gbps / 1000.0);
  resident_clear (bench, &resident);
}
