/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Converts lines of samples of any layout to words and back, with every instruction
 * set that this machine has, and compares with the reference; and codes RGB of 12
 * bits as capture cards pack it, which is no format of GStreamer's, with the
 * backend. */
#include "codec/backend.h"
#include "codec/cpu/rows.h"
#include "codec/reference/reference.h"
#include "random-picture.h"
#include "tests/codec/must.h"
#include <string.h>

/* Checks one line of a component, from column x on, in memory of just its
 * size. */
static void
check_load (const PacoRowOps *ops, const TestPicture *picture, unsigned c,
    uint32_t x, uint32_t n, const PacoReferencePlane *plane)
{
  g_autofree PacoWord *line = g_new (PacoWord, n);
  unsigned owner = picture->owners[c];
  PacoLayoutPlan plan;

  paco_layout_plan (&plan, &picture->picture.layout[c],
      picture->format.components[c].depth, plane->width,
      (size_t) (picture->buffers[owner] + picture->sizes[owner]
          - picture->picture.data[c]));
  ops->load (picture->picture.data[c], &plan, x, n, line);
  for (uint32_t i = 0; i < n; i++)
    g_assert_cmpint ((int32_t) line[i], ==, plane->samples[x + i].i);
}

/* Stores all components, in the order in which the backend does: the first of a
 * region makes the others' place. It does so from sample 0 to `cut`, which
 * begins a group, and on from there. */
static void
store (const PacoRowOps *ops, const TestPicture *picture, unsigned c,
    const PacoReferencePlane *plane, const PacoRegion *region, uint32_t cut)
{
  const uint8_t *blank = region->components[0] == c ? region->blank : NULL;
  g_autofree PacoWord *line = g_memdup2 (
      plane->samples, plane->width * sizeof *line);
  PacoLayoutPlan plan;

  paco_layout_plan (&plan, &picture->picture.layout[c],
      picture->format.components[c].depth, plane->width, region->line_bytes);
  if (cut > 0)
    ops->store (line, 0, cut, &plan, blank, picture->picture.data[c]);
  ops->store (line + cut, cut, plane->width - cut, &plan, blank,
      picture->picture.data[c]);
}

static void
check_lines (const PacoRowOps *ops, GRand *rand)
{
  PacoReferencePlane planes[PACO_MAX_COMPONENTS] = { 0 };
  PacoRegion regions[PACO_MAX_COMPONENTS];
  PacoPictureFormat format;
  TestPicture mine, theirs;
  unsigned n_regions;

  test_format_random (rand, &format, 400);
  format.height = format.mosaic ? 2 : 1;
  format.fields = false;
  test_picture_init (rand, &mine, &format, 0);
  test_picture_copy (&theirs, &mine);
  for (unsigned c = 0; c < format.n_components; c++) {
    uint32_t width = paco_component_width (&format, c);
    uint32_t x = g_rand_int_range (rand, 0, width);

    g_assert_true (paco_reference_plane_init (&planes[c], width, 1));
    paco_reference_load_samples (&format, &mine.picture, 0, c, &planes[c]);
    check_load (ops, &mine, c, x, g_rand_int_range (rand, 1, width - x + 1),
        &planes[c]);
    check_load (ops, &mine, c, 0, width, &planes[c]);
    /* Samples out of range are clamped. */
    for (uint32_t i = 0; i < width; i++)
      planes[c].samples[i].i = g_rand_int_range (rand, -70000, 70000)
          >> g_rand_int_range (rand, 0, 17);
  }
  paco_reference_blank_samples (&format, &theirs.picture, 0, planes);
  for (unsigned c = 0; c < format.n_components; c++)
    paco_reference_store_samples (&format, &theirs.picture, 0, c, &planes[c]);
  n_regions = paco_picture_regions (&format, &mine.picture, 0, regions);
  for (unsigned r = 0; r < n_regions; r++)
    for (unsigned i = 0; i < regions[r].n_components; i++) {
      unsigned c = regions[r].components[i];
      unsigned samples = mine.picture.layout[c].group_samples;

      store (ops, &mine, c, &planes[c], &regions[r],
          g_rand_int_range (rand, 0, (planes[c].width - 1) / samples + 1)
              * samples);
    }
  test_picture_compare (&mine, &theirs);
  for (unsigned c = 0; c < format.n_components; c++)
    paco_reference_plane_clear (&planes[c]);
  test_picture_clear (&mine);
  test_picture_clear (&theirs);
}

static void
test_lines (const void *data)
{
  for (unsigned i = 0; i < 3000; i++) {
    guint32 seed = g_test_rand_int ();
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

    if (g_test_verbose ())
      g_test_message ("seed %u", seed);
    check_lines (data, rand);
  }
}

/* --- R12L --- */

/* Puts bits from number `bit` on into a string of bits whose first is the least
 * significant one of the first byte. */
static void
put_bits (uint8_t *string, size_t bit, unsigned n, unsigned value)
{
  for (unsigned i = 0; i < n; i++, bit++)
    if (value >> i & 1)
      string[bit / 8] |= (uint8_t) (1u << (bit % 8));
}

static PacoPicture
r12l_picture (uint8_t *memory, uint32_t width)
{
  PacoPicture picture = { { NULL } };

  for (unsigned c = 0; c < 3; c++) {
    picture.data[c] = memory;
    picture.stride[c] = (width + 7) / 8 * 36;
    picture.layout[c].group_bytes = 36;
    picture.layout[c].word_bytes = 2;
    for (unsigned i = 0; i < 8; i++)
      paco_layout_append (&picture.layout[c], 12 * (3 * i + c), 12);
  }
  return picture;
}

static GBytes *
encode (const PacoPictureFormat *format, const PacoPicture *picture)
{
  const PacoBackendOptions options = { .threads = 2, .depth = 1 };
  const PacoVideoInfo video = { .par_n = 1, .par_d = 1, .fps_d = 1 };
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  g_autoptr (PacoEncoder)
      encoder = paco_cpu_backend.encoder_open (&options, NULL);
  PacoEncodedFrame *frame;
  GBytes *bytes;

  parameters.rate_control = PACO_RATE_LOSSLESS;
  parameters.rgb = true;
  must_configure (encoder, format, picture->layout, &parameters);
  must_submit (encoder, picture, &video, NULL);
  frame = paco_encoder_collect (encoder, NULL);
  g_assert_nonnull (frame);
  bytes = g_bytes_new (frame->data, frame->size);
  frame->release (frame);
  return bytes;
}

static void
decode (GBytes *bytes, const PacoPicture *picture)
{
  const PacoBackendOptions options = { .threads = 2, .depth = 1 };
  g_autoptr (PacoDecoder)
      decoder = paco_cpu_backend.decoder_open (&options, NULL);
  PacoCodedFrame coded;
  gsize size;
  const uint8_t *data = g_bytes_get_data (bytes, &size);

  must_parse (&coded, data, size);
  must_configure_decoder (decoder, &coded.header, picture->layout, 0);
  must_submit_frame (decoder, &coded, picture, NULL);
  must_collect_picture (decoder);
}

/* Checks DeckLink's 12-bit RGB, little-endian: the samples R0 G0 B0 R1 ... of 8
 * pixels are the 12-bit numbers of 36 bytes. The codestream is that of planes,
 * and what is decoded every byte that a card wrote. */
static void
check_r12l (uint32_t width, uint32_t height)
{
  PacoPictureFormat format = { width, height, 3, false,
    { { 12 }, { 12 }, { 12 } } };
  size_t stride = (width + 7) / 8 * 36, size = stride * height;
  g_autofree uint8_t *packed = g_malloc0 (size);
  g_autofree uint8_t *decoded = g_malloc (size);
  g_autofree uint16_t *planes = g_new0 (uint16_t, 3 * width * height);
  PacoPicture source = r12l_picture (packed, width);
  PacoPicture destination = r12l_picture (decoded, width);
  PacoPicture planar = { { NULL } };
  GBytes *of_packed, *of_planes;

  for (unsigned c = 0; c < 3; c++) {
    planar.data[c] = (uint8_t *) (planes + c * width * height);
    planar.stride[c] = 2 * width;
    planar.layout[c] = (PacoSampleLayout) PACO_LAYOUT_PLANAR (2);
    planar.layout[c].big_endian = G_BYTE_ORDER == G_BIG_ENDIAN;
    for (uint32_t i = 0; i < width * height; i++) {
      unsigned value = g_test_rand_int () & 0xfff;

      planes[c * width * height + i] = value;
      put_bits (
          packed + i / width * stride, 12 * (3 * (i % width) + c), 12, value);
    }
  }
  memset (decoded, 0x5a, size);
  of_packed = encode (&format, &source);
  of_planes = encode (&format, &planar);
  g_assert_true (g_bytes_equal (of_packed, of_planes));
  decode (of_packed, &destination);
  g_assert_cmpmem (decoded, size, packed, size);
  g_bytes_unref (of_packed);
  g_bytes_unref (of_planes);
}

static void
test_r12l (void)
{
  for (uint32_t width = 1; width <= 17; width++)
    check_r12l (width, 3);
  check_r12l (1000, 7);
}

int
main (int argc, char **argv)
{
  const PacoRowOps *const *all = paco_row_all_ops ();

  g_test_init (&argc, &argv, NULL);
  for (; *all; all++) {
    g_autofree char *path = g_strdup_printf ("/cpu/layouts/%s", (*all)->name);

    g_test_add_data_func (path, *all, test_lines);
  }
  g_test_add_func ("/cpu/layouts/r12l", test_r12l);
  return g_test_run ();
}
