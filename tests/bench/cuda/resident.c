/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures frames whose pictures stay on the device while their codestreams
 * come and go, as the pipeline does it: some are in flight, each in a stream of
 * its own, with turns on the bus.
 *
 * The ceiling is what takes longer: the kernels of a frame one by one, or the bus
 * with nothing but these codestreams. The former can be passed, as frames in flight
 * fill each other's gaps. */
#include "tests/bench/cuda/figures.h"
#include "tests/bench/cuda/kernels.h"

#define N_WINDOWS 24
#define WINDOW 20 /* frames */

typedef struct
{
  Coding *coding;
  CUstream streams[BENCH_SETS];
  CUevent turns[BENCH_SETS]; /* each one's last, on the bus */
  CUevent borders[N_WINDOWS + 1];
  PacoPinnedMemory host;
} Resident;

static void
resident_init (Bench *bench, Resident *resident)
{
  const PacoDriver *driver = bench->device->driver;

  for (unsigned i = 0; i < BENCH_SETS; i++) {
    must_succeed (
        driver->stream_create (&resident->streams[i], CU_STREAM_NON_BLOCKING));
    must_succeed (driver->event_create (&resident->turns[i], 0));
  }
  for (unsigned i = 0; i <= N_WINDOWS; i++)
    must_succeed (driver->event_create (&resident->borders[i], 0));
  must (paco_pinned_memory_reserve (
            bench->device, &resident->host, 2 * bench->n_bytes, "bench", NULL),
      NULL);
}

static void
resident_clear (Bench *bench, Resident *resident)
{
  const PacoDriver *driver = bench->device->driver;

  paco_pinned_memory_clear (bench->device, &resident->host);
  for (unsigned i = 0; i < BENCH_SETS; i++) {
    driver->event_destroy (resident->turns[i]);
    driver->stream_destroy (resident->streams[i]);
  }
  for (unsigned i = 0; i <= N_WINDOWS; i++)
    driver->event_destroy (resident->borders[i]);
}

/* Returns frames per second, the median over windows. */
static double
resident_speed (Bench *bench, Resident *resident, BenchTask task)
{
  const PacoDriver *driver = bench->device->driver;
  CUstream stream = bench->stream;
  double values[N_WINDOWS];

  for (unsigned i = 0; i <= N_WINDOWS * WINDOW; i++) {
    unsigned set = i % BENCH_SETS;

    bench->stream = resident->streams[set];
    task (bench, resident, set);
    if (i % WINDOW == 0)
      must_succeed (
          driver->event_record (resident->borders[i / WINDOW], bench->stream));
  }
  bench->stream = stream;
  must_succeed (driver->ctx_synchronize ());
  for (unsigned i = 0; i < N_WINDOWS; i++) {
    float milliseconds;

    must_succeed (driver->event_elapsed_time (
        &milliseconds, resident->borders[i], resident->borders[i + 1]));
    values[i] = milliseconds;
  }
  return 1000.0 * WINDOW / median (values, N_WINDOWS);
}

/* Takes its turn on the bus, before which the frame before has its own. */
static void
take_turn (Bench *bench, Resident *resident, unsigned set)
{
  must_succeed (bench->device->driver->stream_wait_event (
      bench->stream, resident->turns[(set + BENCH_SETS - 1) % BENCH_SETS], 0));
}

static void
end_turn (Bench *bench, Resident *resident, unsigned set)
{
  must_succeed (bench->device->driver->event_record (
      resident->turns[set], bench->stream));
}

static void
encode (Bench *bench, void *data, unsigned set)
{
  Resident *resident = data;
  Coding *coding = resident->coding;

  coding_forward (bench, coding, set);
  coding_encode (bench, coding, set);
  coding_pack (bench, coding, set);
  take_turn (bench, resident, set);
  must_succeed (bench->device->driver->memcpy_dtoh_async (resident->host.data,
      coding->output[set], CODING_HEADER + coding->frame_size, bench->stream));
  end_turn (bench, resident, set);
}

static void
decode (Bench *bench, void *data, unsigned set)
{
  Resident *resident = data;
  Coding *coding = resident->coding;

  take_turn (bench, resident, set);
  must_succeed (bench->device->driver->memcpy_htod_async (coding->payload[set],
      resident->host.data, coding->payload_size, bench->stream));
  end_turn (bench, resident, set);
  coding_decode (bench, coding, set);
  coding_inverse (bench, coding, set);
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
  fps = resident_speed (bench, &resident, encode);
  resident_figure (prefix, "enc", fps,
      times->forward + times->encode + times->pack, "d2h_gbps",
      coding->frame_size / ceilings->d2h_gbps / 1000.0);
  if (coding->table) { /* frames that are cut are decoded by bench_pipeline() */
    resident_clear (bench, &resident);
    return;
  }
  must_succeed (bench->device->driver->memcpy_dtoh (resident.host.data,
      coding->payload[BENCH_SETS - 1], coding->payload_size));
  fps = resident_speed (bench, &resident, decode);
  resident_figure (prefix, "dec", fps, times->decode + times->inverse,
      "h2d_gbps", coding->payload_size / ceilings->h2d_gbps / 1000.0);
  resident_clear (bench, &resident);
}
