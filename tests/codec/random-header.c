/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Draws headers, as random-header.h says. */
#include "tests/codec/random-header.h"
#include "codec/policy.h"
#include <string.h>

/* Makes it a mosaic. */
static void
draw_mosaic (PacoPictureFormat *picture)
{
  unsigned first = draw (0, 3);

  picture->width = (picture->width + 1) & ~1u;
  picture->height = (picture->height + 1) & ~1u;
  picture->mosaic = true;
  picture->fields = false;
  picture->n_components = 4;
  for (unsigned c = 0; c < 4; c++)
    picture->components[c] = (PacoComponent){
      .depth = picture->components[0].depth,
      .subsampling_x = 1,
      .subsampling_y = 1,
      .place_x = (c ^ first) & 1,
      .place_y = (c ^ first) >> 1,
    };
}

void
draw_picture (PacoPictureFormat *picture)
{
  *picture = (PacoPictureFormat){
    .width = draw (1, draw (0, 3) ? 300 : PACO_MAX_SIZE),
    .height = draw (1, draw (0, 3) ? 300 : PACO_MAX_SIZE),
    .n_components = draw (1, 4),
    .fields = draw (0, 1),
  };
  for (unsigned c = 0; c < picture->n_components; c++)
    picture->components[c] = (PacoComponent){
      .depth = draw (1, 16),
      .subsampling_x = c ? draw (0, 2) : 0,
      .subsampling_y = c ? draw (0, 2) : 0,
    };
  if (draw (0, 7) == 0)
    draw_mosaic (picture);
}

static void
draw_video (PacoVideoInfo *video)
{
  memset (video, 0, sizeof *video);
  g_strlcpy (video->raw_format, "A444_16LE", sizeof video->raw_format);
  video->par_n = draw (1, 0x7ffffffe);
  video->par_d = draw (1, 100);
  video->fps_n = draw (0, 60000);
  video->fps_d = draw (1, 1001);
  video->interlace_mode = draw (0, 3);
  video->picture_flags = draw (0, 7) << 1;
  video->field_order = draw (0, 2);
  video->chroma_site = draw (0, 15);
  video->range = draw (0, 2);
  video->matrix = draw (0, 6);
  video->transfer = draw (0, 16);
  video->primaries = draw (0, 12);
  video->has_mastering_display = draw (0, 1);
  if (video->has_mastering_display) {
    for (int i = 0; i < 6; i++)
      video->mastering_display.primaries[i / 2][i % 2] = draw (0, 65535);
    video->mastering_display.white_point[0] = draw (0, 65535);
    video->mastering_display.white_point[1] = draw (0, 65535);
    video->mastering_display.max_luminance = g_test_rand_int ();
    video->mastering_display.min_luminance = g_test_rand_int ();
  }
  video->has_views = draw (0, 1);
  if (video->has_views) {
    video->multiview_mode = draw (0, 34);
    video->multiview_flags = draw (0, 65535);
  }
  video->has_content_light = draw (0, 1);
  if (video->has_content_light) {
    video->max_content_light = draw (0, 65535);
    video->max_frame_average_light = draw (0, 65535);
  }
  if (draw (0, 1)) {
    video->attachment.size = draw (1, draw (0, 1) ? 300 : 1000000);
    video->attachment.crc = g_test_rand_int ();
  }
  video->has_place = draw (0, 1);
  if (video->has_place) {
    video->place.number = g_test_rand_int ();
    video->place.offset = (uint64_t) g_test_rand_int () << 32
        | (uint32_t) g_test_rand_int ();
  }
}

/* Makes it a slice of a stack. */
static void
draw_slice (PacoHeader *header)
{
  header->picture.n_components = 1;
  header->picture.fields = false;
  header->picture.mosaic = false;
  header->picture.components[0] = (PacoComponent){ .depth = PACO_SLICE_DEPTH };
  header->video.interlace_mode = PACO_INTERLACE_PROGRESSIVE;
  header->video.slice = (PacoSlice){
    .number = g_test_rand_int (),
    .length = draw (1, PACO_MAX_STACK),
    .wavelet = draw (0, 1) ? PACO_STACK_CDF53 : PACO_STACK_HAAR,
    .levels = draw (0, PACO_MAX_STACK_LEVELS),
    .depth = draw (1, 2) * 8,
    .bits = 13,
  };
  header->video.slice.position = draw (0, header->video.slice.length - 1);
  if (draw (0, 1))
    header->video.slice.bits = header->video.slice.depth;
}

/* Adds tables for some components with reversible wavelets. */
static void
draw_code_tables (PacoHeader *header)
{
  PacoCoding *coding = &header->coding;

  if (header->video.slice.length > 0 || draw (0, 3) > 0)
    return;
  for (unsigned c = 0; c < header->picture.n_components; c++) {
    unsigned top = (1u << header->picture.components[c].depth) - 1;
    PacoCodeTableInfo *table = &coding->code_tables[coding->n_code_tables];

    if (!paco_is_reversible (coding, c) || draw (0, 1))
      continue;
    table->components = (uint8_t) (1u << c);
    table->form = draw (0, 1);
    table->first = draw (0, top);
    table->last = draw (table->first, top);
    table->n_codes = draw (MIN (table->last - table->first + 1, 2),
        table->last - table->first + 1);
    table->size = draw (0, header->index_size / 4);
    coding->n_code_tables++;
  }
}

void
draw_header (PacoHeader *header, PacoProbabilitySet *set)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  GError *error = NULL;

  memset (header, 0, sizeof *header);
  draw_picture (&header->picture);
  draw_video (&header->video);
  if (header->video.interlace_mode == PACO_INTERLACE_ALTERNATE) {
    header->picture.fields = false;
    header->picture.height = (header->picture.height + 3) / 4 * 2;
  }
  if (draw (0, 3) == 0)
    draw_slice (header);
  parameters.quality = draw (0, 100);
  parameters.levels = draw (0, 8);
  parameters.block_height = 32 << draw (0, 3);
  parameters.coding_passes = draw (1, 3);
  parameters.wavelet = draw (0, PACO_N_WAVELETS - 1);
  parameters.rgb = draw (0, 1);
  parameters.block_checks = draw (0, 1);
  paco_policy_coding (&header->picture, &parameters, &header->coding, &error);
  g_assert_no_error (error);
  header->index_size = draw (1, 1000);
  draw_code_tables (header);
  if (!paco_is_reversible (&header->coding, 0) && draw (0, 1)) {
    header->coding.step_map = true;
    header->coding.step_map_halved = draw (
        0, (1 << header->picture.n_components) - 1);
    header->step_map_size = draw (
        0, (int) (header->index_size - paco_header_tables_size (header)));
  }
  header->index_crc = g_test_rand_int ();
  if (draw (0, 1)) {
    header->coding.carried_family = draw (0, PACO_N_FAMILIES - 1);
    header->coding.carried_number = draw (0, PACO_N_SETS - 1);
    *set = paco_builtin_sets[0][0];
    for (int n = draw (0, 50); n > 0; n--)
      set->p[draw (0, PACO_N_ROWS - 1)][draw (0, PACO_N_CONTEXTS - 1)] = draw (
          1, 255);
    header->set = set;
  }
  header->frame_size = paco_header_overhead (header) + header->index_size
      + draw (0, 100000);
}
