/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures how fast the elements are with pictures in device memory, in
 * relation to the CUDA backend without them, which is the most that they can
 * reach: the same pictures of the same format, in turns.
 *
 *   gst-device-memory [OPTIONS] PREFIX [FILE.ppm]
 *
 * prints, as JSON lines (figures.h),
 *
 *   ..._enc_fps, ..._dec_fps                      of the elements
 *   ..._resident_enc_fps, ..._resident_dec_fps    of the backend
 *
 * The former's ratio is the share of the latter. Without --format it is 12 bits:
 * GBR_12LE where libgstcuda has memory for that, else I422_12LE. Exit status 77:
 * there is no libgstcuda or no GPU. */
#include "caps/formats.h"
#include "codec/backend.h"
#include "gpu/driver.h"
#include "plugin/cuda/gstpacocudalibrary.h"
#include "tests/bench/cuda/elements.h"
#include "tests/bench/cuda/figures.h"
#include <stdio.h>
#include <stdlib.h>

GST_DEBUG_CATEGORY (gst_paco_debug);

#define N_ROUNDS 3
#define N_PICTURES 6

static const char *const ways[2] = { "enc", "dec" };

/* --- the context --- */

static GstContext *
share (GstPacoCudaContext *shared)
{
  GstContext *context = gst_context_new (GST_PACO_CUDA_CONTEXT_TYPE, TRUE);

  gst_structure_set (gst_context_writable_structure (context),
      GST_PACO_CUDA_CONTEXT_TYPE, G_OBJECT_TYPE (shared), shared,
      "cuda-device-id", G_TYPE_INT, 0, NULL);
  return context;
}

/* --- the backend alone --- */

typedef struct
{
  const ElementsCase *c;
  GstVideoInfo info;
  PacoRawFormat raw;
  PacoPictureFormat format;
  PacoForeignContext context;
  PacoDriver *driver;
  PacoPicture pictures[N_PICTURES];
  CUdeviceptr memory[N_PICTURES];
  PacoParameters parameters;
  PacoEncodedFrame *frame; /* of the picture */
} Resident;

static void
must (gboolean done, const GError *error)
{
  if (!done)
    g_error ("%s", error ? error->message : "it failed");
}

static void
must_succeed (const Resident *resident, CUresult result)
{
  GError *error = NULL;

  must (paco_driver_check (resident->driver, result, &error, "a call"), error);
}

static void
enter (const Resident *resident)
{
  must_succeed (
      resident, resident->driver->ctx_push_current (resident->context.handle));
}

static void
leave (const Resident *resident)
{
  CUcontext popped;

  resident->driver->ctx_pop_current (&popped);
}

/* Lines lie as in buffers of libgstcuda's pools: a multiple of 512 bytes long, and
 * planes behind each other. */
static void
resident_init (
    Resident *resident, const ElementsCase *c, PacoForeignContext context)
{
  const PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  g_autoptr (GstBuffer) content = elements_picture (c);
  GError *error = NULL;
  GstVideoFrame frame;
  GstCaps *caps;

  *resident = (Resident){ .c = c, .context = context };
  caps = elements_caps (c, &resident->info);
  gst_caps_unref (caps);
  resident->parameters = parameters;
  resident->parameters.rate_control = PACO_RATE_LOSSLESS;
  resident->parameters.rgb = GST_VIDEO_INFO_IS_RGB (&resident->info);
  must (
      paco_raw_format (GST_VIDEO_INFO_FORMAT (&resident->info), &resident->raw)
          && paco_picture_format_from_info (
              &resident->info, false, &resident->format),
      NULL);
  resident->driver = paco_driver_open (&error);
  must (resident->driver != NULL, error);
  must (gst_video_frame_map (&frame, &resident->info, content, GST_MAP_READ),
      NULL);
  enter (resident);
  for (guint i = 0; i < N_PICTURES; i++) {
    PacoPicture *picture = &resident->pictures[i];
    gsize size = GST_VIDEO_INFO_SIZE (&resident->info);

    paco_picture_from_frame (&resident->raw, &frame, picture);
    must_succeed (
        resident, resident->driver->mem_alloc (&resident->memory[i], size));
    must_succeed (resident,
        resident->driver->memcpy_htod (
            resident->memory[i], frame.map[0].data, size));
    picture->memory = PACO_MEMORY_DEVICE;
    for (guint k = 0; k < resident->format.n_components; k++)
      picture->data[k] = (uint8_t *) (uintptr_t) resident->memory[i]
          + (picture->data[k] - frame.map[0].data);
  }
  must_succeed (resident, resident->driver->ctx_synchronize ());
  leave (resident);
  gst_video_frame_unmap (&frame);
}

static void
resident_clear (Resident *resident)
{
  resident->frame->release (resident->frame);
  enter (resident);
  for (guint i = 0; i < N_PICTURES; i++)
    resident->driver->mem_free (resident->memory[i]);
  leave (resident);
  paco_driver_close (resident->driver);
}

static PacoBackendOptions
options_of (const Resident *resident)
{
  return (PacoBackendOptions){ .context = resident->context,
    .depth = (unsigned) resident->c->depth };
}

static void
collect (Resident *resident, PacoEncoder *encoder)
{
  PacoEncodedFrame *frame = paco_encoder_collect (encoder, NULL);

  must (frame != NULL && frame->error == NULL, frame ? frame->error : NULL);
  if (resident->frame)
    frame->release (frame);
  else
    resident->frame = frame;
}

/* Encodes, and returns frames a second. */
static double
encode (Resident *resident)
{
  const PacoVideoInfo video = { .par_n = 1, .par_d = 1, .fps_d = 1 };
  const PacoBackendOptions options = options_of (resident);
  const ElementsCase *c = resident->c;
  GError *error = NULL;
  PacoEncoder *encoder = paco_cuda_backend.encoder_open (&options, &error);
  ElementsRun run;
  double speed;

  must (encoder != NULL, error);
  must (paco_encoder_configure (encoder, &resident->format,
            resident->pictures[0].layout, &resident->parameters, &error),
      error);
  elements_run_begin (&run);
  for (int i = 0; i < c->n_warm + c->n_frames + c->depth; i++) {
    if (i >= c->depth)
      collect (resident, encoder);
    if (i >= c->depth + c->n_warm)
      elements_run_add (&run);
    if (i < c->n_warm + c->n_frames)
      must (paco_encoder_submit (encoder, &resident->pictures[i % N_PICTURES],
                &video, NULL, &error),
          error);
  }
  paco_coder_close (PACO_CODER (encoder));
  speed = elements_run_speed (&run);
  elements_run_clear (&run);
  return speed;
}

static double
decode (Resident *resident)
{
  const PacoBackendOptions options = options_of (resident);
  const ElementsCase *c = resident->c;
  GError *error = NULL;
  PacoDecoder *decoder = paco_cuda_backend.decoder_open (&options, &error);
  PacoCodedFrame coded;
  ElementsRun run;
  double speed;

  must (decoder != NULL, error);
  must (paco_coded_frame_parse (
            &coded, resident->frame->data, resident->frame->size, &error),
      error);
  must (paco_decoder_configure (
            decoder, &coded.header, resident->pictures[0].layout, 0, &error),
      error);
  elements_run_begin (&run);
  for (int i = 0; i < c->n_warm + c->n_frames + c->depth; i++) {
    PacoDecodedFrame frame = { NULL };

    if (i >= c->depth)
      must (
          paco_decoder_collect (decoder, &frame, &error) && frame.error == NULL,
          frame.error);
    if (i >= c->depth + c->n_warm)
      elements_run_add (&run);
    if (i < c->n_warm + c->n_frames)
      must (paco_decoder_submit (decoder, &coded,
                &resident->pictures[i % N_PICTURES], NULL, &error),
          error);
  }
  paco_coder_close (PACO_CODER (decoder));
  speed = elements_run_speed (&run);
  elements_run_clear (&run);
  return speed;
}

/* --- figures --- */

static void
measure (const ElementsCase *c, GstPacoCudaContext *shared,
    const GstPacoCudaLibrary *library, const char *prefix)
{
  const PacoForeignContext context = {
    .handle = library->context_handle (shared),
    .owner = shared,
    .ref = gst_object_ref,
    .unref = gst_object_unref,
  };
  double elements[2][N_ROUNDS], backend[2][N_ROUNDS], most;
  Resident resident;

  resident_init (&resident, c, context);
  for (guint round = 0; round < N_ROUNDS; round++) {
    ElementsRun runs[2];

    backend[0][round] = encode (&resident);
    backend[1][round] = decode (&resident);
    elements_code (c, &runs[0], &runs[1], NULL);
    for (guint way = 0; way < 2; way++) {
      elements[way][round] = elements_run_speed (&runs[way]);
      elements_run_clear (&runs[way]);
      fprintf (stderr, "%s: %.4g of %.4g frames/s\n", ways[way],
          elements[way][round], backend[way][round]);
    }
  }
  for (guint way = 0; way < 2; way++) {
    most = median (backend[way], N_ROUNDS);
    figure_speed (median (elements[way], N_ROUNDS), "frames/s", "resident",
        most, "%s_%s_fps", prefix, ways[way]);
    figure_speed (
        most, "frames/s", NULL, 0, "%s_resident_%s_fps", prefix, ways[way]);
  }
  resident_clear (&resident);
}

static int
skip (const char *reason)
{
  printf ("%s\n", reason);
  return 77;
}

static gboolean
parse (ElementsCase *c, int argc, char **argv, char ***files)
{
  const GOptionEntry entries[] = {
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, files, NULL,
        "PREFIX [FILE.ppm]" },
    { NULL },
  };

  return elements_parse (c, entries,
             "- measures the elements with pictures in device memory", argc,
             argv, NULL)
      && *files != NULL && c->depth > 0 && c->depth <= PACO_MAX_DEPTH
      && c->n_frames > 1;
}

int
main (int argc, char **argv)
{
  ElementsCase c = {
    .width = 4096,
    .height = 2160,
    .backend = "cuda",
    .rate_control = "lossless",
    .depth = 4,
    .n_warm = 40,
    .n_frames = 600,
  };
  const GstPacoCudaLibrary *library;
  GstPacoCudaContext *shared;
  GstVideoFormat format;
  char **files = NULL;

  if (!parse (&c, argc, argv, &files)) {
    fprintf (stderr, "usage: gst-device-memory [OPTIONS] PREFIX [FILE.ppm]\n");
    return 2;
  }
  gst_init (NULL, NULL);
  GST_DEBUG_CATEGORY_INIT (gst_paco_debug, "paco", 0, "PaCo");
  library = gst_paco_cuda_library_loaded ();
  if (library == NULL)
    return skip ("there is no libgstcuda-1.0, or no CUDA driver");
  shared = library->context_new (0);
  if (shared == NULL)
    return skip ("there is no GPU");
  if (c.format == NULL)
    c.format = gst_paco_cuda_library_has_format (
                   library, gst_video_format_from_string ("GBR_12LE"))
        ? "GBR_12LE"
        : "I422_12LE";
  format = gst_video_format_from_string (c.format);
  if (format == GST_VIDEO_FORMAT_UNKNOWN
      || !gst_paco_cuda_library_has_format (library, format))
    return skip ("libgstcuda has no memory for pictures of this format");
  fprintf (stderr, "format: %s\n", c.format);
  c.picture = files[1];
  c.context = share (shared);
  measure (&c, shared, library, files[0]);
  gst_context_unref (c.context);
  gst_object_unref (shared);
  g_strfreev (files);
  return 0;
}
