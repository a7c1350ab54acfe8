/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests headers and carried sets: what is written is what is read, and what
 * FORMAT.md forbids is refused. */
#include "codec/backend.h"
#include "codec/bytes.h"
#include "tests/codec/random-header.h"
#include <math.h>
#include <string.h>
#include <zlib.h>

static void
test_round_trip (void)
{
  static uint8_t data[PACO_MAX_HEADER_SIZE], again[PACO_MAX_HEADER_SIZE];

  for (int n = 0; n < 2000; n++) {
    PacoProbabilitySet set, carried;
    PacoHeader header, parsed;
    GError *error = NULL;
    size_t size;

    draw_header (&header, &set);
    size = paco_header_write (&header, data);
    g_assert_cmpuint (size, ==, paco_header_size (&header));
    paco_header_parse (data, size, &parsed, &carried, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (parsed.header_size, ==, size);
    g_assert_cmpuint (parsed.frame_size, ==, header.frame_size);
    g_assert_cmpuint (parsed.index_size, ==, header.index_size);
    g_assert_cmpuint (parsed.index_crc, ==, header.index_crc);
    g_assert_true (paco_header_same_configuration (&header, &parsed));
    g_assert_cmpint (parsed.video.mastering_display.max_luminance, ==,
        header.video.mastering_display.max_luminance);
    g_assert_cmpstr (parsed.video.raw_format, ==, header.video.raw_format);
    g_assert_true ((parsed.set != NULL) == (header.set != NULL));
    if (header.set)
      g_assert_cmpmem (&carried, sizeof carried, &set, sizeof set);
    g_assert_cmpuint (paco_header_write (&parsed, again), ==, size);
    g_assert_cmpmem (again, size, data, size);
  }
}

/* Tests that setting a place is the same as writing it at once. */
static void
test_place (void)
{
  static uint8_t data[PACO_MAX_HEADER_SIZE], again[PACO_MAX_HEADER_SIZE];

  for (int n = 0; n < 2000; n++) {
    PacoProbabilitySet set;
    PacoHeader header, parsed;
    size_t size;

    draw_header (&header, &set);
    size = paco_header_write (&header, data);
    header.video.place.number = g_test_rand_int ();
    header.video.place.offset = (uint64_t) g_test_rand_int () << 20;
    g_assert_true (paco_header_set_place (data, size, &header.video.place)
        == header.video.has_place);
    paco_header_write (&header, again);
    g_assert_cmpmem (again, size, data, size);
    g_assert_true (paco_header_parse (data, size, &parsed, NULL, NULL));
    if (header.video.has_place) {
      g_assert_cmpuint (
          parsed.video.place.number, ==, header.video.place.number);
      g_assert_cmpuint (
          parsed.video.place.offset, ==, header.video.place.offset);
    }
    g_assert_false (
        paco_header_set_place (data, draw (0, size - 1), &header.video.place));
  }
}

static void
test_damage (void)
{
  static uint8_t data[PACO_MAX_HEADER_SIZE];

  for (int n = 0; n < 200; n++) {
    PacoProbabilitySet set, carried;
    PacoHeader header, parsed;
    size_t size, at;

    draw_header (&header, &set);
    size = paco_header_write (&header, data);
    at = draw (0, size - 1);
    data[at] ^= 1 << draw (0, 7);
    g_assert_false (paco_header_parse (data, size, &parsed, &carried, NULL));
    g_assert_false (
        paco_header_parse (data, draw (0, size - 1), &parsed, &carried, NULL));
  }
}

/* Tests headers with a CRC that fits, so that the fields themselves are
 * checked: there is never a crash, and what is accepted is within the
 * ranges. */
static void
test_forged (void)
{
  static uint8_t data[PACO_MAX_HEADER_SIZE];

  for (int n = 0; n < 20000; n++) {
    PacoProbabilitySet set, carried;
    PacoHeader header, parsed;
    GError *error = NULL;
    uint32_t crc;
    size_t size;

    if (n % 20 == 0)
      draw_header (&header, &set);
    size = paco_header_write (&header, data);
    for (int k = draw (1, 3); k > 0; k--)
      data[draw (4, size - 5)] = g_test_rand_int ();
    crc = crc32 (0, data, size - 4);
    for (int k = 0; k < 4; k++)
      data[size - 4 + k] = crc >> (8 * k);
    if (paco_header_parse (data, size, &parsed, &carried, &error)) {
      g_assert_true (paco_header_check (&parsed, NULL));
      g_assert_cmpuint (parsed.header_size + (uint64_t) parsed.index_size, <=,
          parsed.frame_size);
    } else {
      g_assert_nonnull (error);
      g_assert_cmpuint (strlen (error->message), >, 10);
      g_clear_error (&error);
    }
  }
}

/* Tests that a picture that is one field is not coded as two, and that a frame
 * of such fields is no higher than any other. */
static void
test_single_field (void)
{
  for (int n = 0; n < 200; n++) {
    PacoProbabilitySet set;
    PacoHeader header;
    GError *error = NULL;
    gboolean ok;

    do
      draw_header (&header, &set);
    while (header.picture.mosaic);
    header.video.slice.length = 0;
    header.video.interlace_mode = PACO_INTERLACE_ALTERNATE;
    header.picture.fields = draw (0, 1);
    header.picture.height = PACO_MAX_SIZE / 2 + draw (-1, 1);
    ok = paco_header_check (&header, &error);
    g_assert_cmpint (ok, ==,
        !header.picture.fields && header.picture.height <= PACO_MAX_SIZE / 2);
    if (!ok)
      g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
    g_clear_error (&error);
  }
}

static void
test_version (void)
{
  static uint8_t data[PACO_MAX_HEADER_SIZE];
  PacoProbabilitySet set;
  PacoHeader header, parsed;
  GError *error = NULL;
  size_t size;

  draw_header (&header, &set);
  size = paco_header_write (&header, data);
  for (int version = 1; version <= 4; version += version == 2 ? 2 : 1) {
    g_autofree char *words = g_strdup_printf (
        "the frame is of version %d of the format", version);

    data[4] = version;
    g_assert_false (paco_header_parse (data, size, &parsed, NULL, &error));
    g_assert_error (error, PACO_ERROR, PACO_ERROR_VERSION);
    g_assert_true (g_str_has_prefix (error->message, words));
    g_assert_true ((strstr (error->message, "from before its release") != NULL)
        == (version < PACO_VERSION));
    g_clear_error (&error);
  }
  data[0] = 'p';
  g_assert_false (paco_header_parse (data, size, &parsed, NULL, &error));
  g_assert_error (error, PACO_ERROR, PACO_ERROR_NOT_PACO);
  g_clear_error (&error);
}

/* Tests that a header that claims to be longer than any can be is not waited
 * for. */
static void
test_too_long (void)
{
  static uint8_t data[PACO_MAX_HEADER_SIZE + 1];
  PacoProbabilitySet set;
  PacoHeader header, peeked;
  GError *error = NULL;

  draw_header (&header, &set);
  header.frame_size = 1 << 20;
  header.index_size = 0;
  paco_header_write (&header, data);
  for (int beyond = 0; beyond < 2; beyond++) {
    data[6] = (PACO_MAX_HEADER_SIZE + beyond) & 0xff;
    data[7] = (PACO_MAX_HEADER_SIZE + beyond) >> 8;
    g_assert_true (
        paco_header_peek (data, sizeof data, &peeked, &error) == (beyond == 0));
  }
  g_assert_error (error, PACO_ERROR, PACO_ERROR_CORRUPT);
  g_clear_error (&error);
}

/* Says whether the header is refused as it is written, and as it is parsed. */
static bool
is_refused (const PacoHeader *header)
{
  static uint8_t data[PACO_MAX_HEADER_SIZE];
  PacoHeader parsed;
  PacoProbabilitySet carried;
  GError *error = NULL;
  bool valid = paco_header_check (header, &error);
  size_t size;

  if (!valid)
    g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  size = paco_header_write (header, data);
  g_assert_true (
      paco_header_parse (data, size, &parsed, &carried, &error) == valid);
  if (!valid)
    g_assert_error (error, PACO_ERROR, PACO_ERROR_CORRUPT);
  g_clear_error (&error);
  return !valid;
}

/* Tests wavelets and sets of the components. */
static void
test_components (void)
{
  for (int n = 0; n < 500; n++) {
    PacoProbabilitySet set;
    PacoHeader header, changed;
    unsigned c, k;

    do
      draw_header (&header, &set);
    while (header.picture.mosaic);
    header.set = NULL;
    header.frame_size = PACO_MAX_HEADER_SIZE + header.index_size
        + header.video.attachment.size;
    g_assert_false (is_refused (&header));
    c = draw (0, header.picture.n_components - 1);
    k = draw (0, 3 * header.coding.levels);

    changed = header;
    changed.coding.components[c].wavelet = PACO_N_WAVELETS;
    for (unsigned i = 0; i <= 3u * header.coding.levels; i++)
      changed.coding.subbands[c][i].step = 0;
    g_assert_true (is_refused (&changed));

    changed = header;
    changed.coding.components[c].family ^= 1;
    g_assert_false (is_refused (&changed));
    g_assert_false (paco_header_same_configuration (&header, &changed));
    changed.coding.components[c].family = draw (PACO_N_FAMILIES, 255);
    g_assert_true (is_refused (&changed));

    changed = header;
    changed.coding.components[c].wavelet = PACO_WAVELET_CDF53;
    for (unsigned i = 0; i <= 3u * header.coding.levels; i++)
      changed.coding.subbands[c][i].step = 0;
    changed.coding.color_transform = PACO_COLOR_TRANSFORM_NONE;
    g_assert_false (is_refused (&changed));
    header.coding.color_transform = PACO_COLOR_TRANSFORM_NONE;
    g_assert_true (paco_header_same_configuration (&header, &changed)
        == (header.coding.components[c].wavelet != PACO_WAVELET_CDF97));
    changed.coding.subbands[c][k].step = 1;
    g_assert_true (is_refused (&changed));
  }
}

/* Tests its color transform, of components 0 and 3 in opposite corners of the cell. */
static void
test_mosaic_transform (PacoHeader header)
{
  PacoComponent *components = header.picture.components, blue = components[3];

  header.coding.color_transform = PACO_COLOR_TRANSFORM_MOSAIC;
  for (unsigned n = 0; n < 4; n++)
    header.coding.components[n].wavelet = draw (0, PACO_N_WAVELETS - 1);
  for (unsigned weight = 0; weight < 20; weight++) {
    header.coding.parameters[weight % 2] = weight / 2;
    g_assert_true (is_refused (&header) == (weight / 2 > 8));
  }
  header.coding.parameters[0] = header.coding.parameters[1] = 8;
  g_assert_false (is_refused (&header));
  components[3] = components[1];
  components[1] = blue;
  g_assert_true (is_refused (&header));
  header.picture.mosaic = false;
  g_assert_true (is_refused (&header));
}

/* Tests what makes four components a mosaic. */
static void
test_mosaics (void)
{
  const PacoHeader good = {
    .picture = { .width = 16,
        .height = 6,
        .n_components = 4,
        .mosaic = true,
        .components = { { 12, 1, 1, 0, 1, 0 }, { 12, 1, 1, 0, 0, 0 },
            { 12, 1, 1, 0, 1, 1 }, { 12, 1, 1, 0, 0, 1 } } },
    .video = { .par_n = 1, .par_d = 1, .fps_d = 1 },
    .coding = { .levels = 1, .coding_passes = 1 },
    .index_size = 100,
    .frame_size = 1000,
  };

  g_assert_false (is_refused (&good));
  test_mosaic_transform (good);
  for (unsigned n = 0; n < 9; n++) {
    PacoHeader bad = good;
    PacoPictureFormat *picture = &bad.picture;
    PacoComponent *component = &picture->components[draw (0, 3)];

    picture->width += n == 0;
    picture->height += n == 1;
    picture->fields = n == 2;
    picture->mosaic = n != 3;
    picture->n_components -= n == 4;
    component->subsampling_x -= n == 5;
    component->subsampling_y += n == 6;
    component->depth += n == 7;
    component->place_x ^= n == 8;
    g_assert_true (is_refused (&bad));
  }
}

/* Tests that the error for a wavelet that there is none of has its number. */
static void
test_reserved_wavelets (void)
{
  static const struct
  {
    uint8_t id;
    const char *words;
  } cases[] = { { 3, "the wavelet has the reserved id 3" },
    { 4, "the wavelet has the reserved id 4" },
    { 5, "the wavelet has the reserved id 5" },
    { 6, "the wavelet has the reserved id 6" },
    { 7, "the wavelet has the unknown id 7" },
    { 255, "the wavelet has the unknown id 255" } };
  uint8_t data[PACO_MAX_HEADER_SIZE];
  PacoHeader header, parsed;
  PacoProbabilitySet set;
  GError *error = NULL;

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    draw_header (&header, &set);
    header.coding.components[header.picture.n_components - 1].wavelet =
        cases[i].id;
    g_assert_false (paco_header_parse (
        data, paco_header_write (&header, data), &parsed, &set, &error));
    g_assert_nonnull (strstr (error->message, cases[i].words));
    g_clear_error (&error);
  }
}

/* Says whether parameters of rct-fit name two components, B and C, and weights that are 8
 * together at most. */
static bool
is_fit (const uint8_t parameters[2])
{
  unsigned c = parameters[0] % 4, b = parameters[0] / 4 % 4;

  return parameters[0] < 32 && b != c && b < 3 && c < 3
      && parameters[1] % 16 + parameters[1] / 16 <= 8;
}

/* Tests that a color transform mixes numbers of one kind. */
static void
test_wavelets_of_color_transforms (void)
{
  static const PacoColorTransform transforms[] = { PACO_COLOR_TRANSFORM_NONE,
    PACO_COLOR_TRANSFORM_RCT, PACO_COLOR_TRANSFORM_ICT,
    PACO_COLOR_TRANSFORM_RCT2, PACO_COLOR_TRANSFORM_FIT };
  PacoHeader header = {
    .picture = { .width = 16,
        .height = 16,
        .n_components = 4,
        .components = { { 8 }, { 8 }, { 8 }, { 8 } } },
    .video = { .par_n = 1, .par_d = 1, .fps_d = 1 },
    .coding = { .levels = 1, .coding_passes = 1 },
    .index_size = 100,
    .frame_size = 1000,
  };

  for (unsigned n = 0; n < 500; n++) {
    bool alike = true, reversible;
    PacoHeader changed;

    for (unsigned c = 0; c < 4; c++) {
      header.coding.components[c].wavelet = draw (0, PACO_N_WAVELETS - 1);
      if (c < 3 && n % 2 == 0)
        header.coding.components[c].wavelet = n / 2 % PACO_N_WAVELETS;
      alike &= c == 3
          || header.coding.components[c].wavelet
              == header.coding.components[0].wavelet;
    }
    reversible = paco_wavelets[header.coding.components[0].wavelet].reversible;
    header.coding.color_transform = PACO_COLOR_TRANSFORM_NONE;
    g_assert_false (is_refused (&header));
    header.coding.color_transform = PACO_COLOR_TRANSFORM_RCT;
    g_assert_true (is_refused (&header) == !alike);
    header.coding.color_transform = PACO_COLOR_TRANSFORM_RCT2;
    g_assert_true (is_refused (&header) == !alike);
    header.coding.color_transform = PACO_COLOR_TRANSFORM_ICT;
    g_assert_true (is_refused (&header) == (!alike || reversible));
    header.coding.color_transform = PACO_COLOR_TRANSFORM_MATRIX;
    g_assert_true (is_refused (&header) == (!alike || reversible));
    header.coding.parameters[0] = draw (0, 36);
    header.coding.parameters[1] = draw (0, 9) | draw (0, 9) << 4;
    header.coding.color_transform = PACO_COLOR_TRANSFORM_FIT;
    g_assert_true (
        is_refused (&header) == (!alike || !is_fit (header.coding.parameters)));
    header.coding.color_transform = PACO_COLOR_TRANSFORM_RCT;
    g_assert_true (is_refused (&header)
        == (!alike || header.coding.parameters[0]
            || header.coding.parameters[1]));
    header.coding.parameters[0] = header.coding.parameters[1] = 0;
    changed = header;
    for (unsigned k = 0; k < G_N_ELEMENTS (transforms); k++) {
      changed.coding.color_transform = transforms[k];
      g_assert_true (paco_header_same_configuration (&header, &changed)
          == (transforms[k] != PACO_COLOR_TRANSFORM_NONE
              && transforms[k] != PACO_COLOR_TRANSFORM_ICT));
    }
    header.coding.color_transform = PACO_N_COLOR_TRANSFORMS;
    g_assert_true (is_refused (&header));
  }
}

/* Tests which matrices are refused, and that there is one where the color transform needs
 * it, and only there. */
static void
test_matrix (void)
{
  static const struct
  {
    float coefficient;
    const char *words; /* NULL: not refused */
  } cases[] = {
    { 16.0f, NULL },
    { -16.0f, NULL },
    { 1e-42f, NULL },
    { 16.000002f, "has 16 in its matrix, and 16 is the most" },
    { -17.0f, "has -17 in its matrix" },
    { INFINITY, "has inf in its matrix" },
    { NAN, "nan in its matrix" },
  };
  static uint8_t data[PACO_MAX_HEADER_SIZE];
  PacoHeader header = {
    .picture = { .width = 16,
        .height = 16,
        .n_components = 3,
        .components = { { 8 }, { 8 }, { 8 } } },
    .video = { .par_n = 1, .par_d = 1, .fps_d = 1 },
    .coding = { .levels = 1, .coding_passes = 1, .color_transform = 4 },
    .frame_size = 1000,
  };
  PacoHeader parsed;
  GError *error = NULL;
  size_t size;

  for (unsigned c = 0; c < 3; c++)
    header.coding.components[c].wavelet = PACO_WAVELET_CDF97;
  for (unsigned i = 0; i < 9 * G_N_ELEMENTS (cases); i++) {
    const char *words = cases[i / 9].words;

    for (unsigned k = 0; k < 9; k++)
      header.coding.matrix[k] = (float) draw (0, 1000) / 500.0f - 1.0f;
    header.coding.matrix[i % 9] = cases[i / 9].coefficient;
    size = paco_header_write (&header, data);
    g_assert_true (
        paco_header_parse (data, size, &parsed, NULL, &error) == !words);
    if (words) {
      g_assert_error (error, PACO_ERROR, PACO_ERROR_CORRUPT);
      g_assert_nonnull (strstr (error->message, words));
      g_clear_error (&error);
    } else {
      g_assert_cmpmem (parsed.coding.matrix, sizeof parsed.coding.matrix,
          header.coding.matrix, sizeof header.coding.matrix);
    }
  }
  for (unsigned transform = 2; transform <= 4; transform += 2) {
    header.coding.matrix[8] = 0.0f;
    header.coding.color_transform = transform;
    size = paco_header_write (&header, data);
    data[68] = 6 - transform;
    paco_put32 (data + size - 4, (uint32_t) crc32 (0, data, size - 4));
    g_assert_false (paco_header_parse (data, size, &parsed, NULL, &error));
    g_assert_error (error, PACO_ERROR, PACO_ERROR_CORRUPT);
    g_assert_nonnull (strstr (error->message,
        transform == 2 ? "color transform is a matrix, and it has none"
                       : "has a matrix, and its color transform is another"));
    g_clear_error (&error);
  }
}

/* Tests that an attachment has bytes, no more than a frame may have, and no
 * more than there are. */
static void
test_attachment (void)
{
  for (int n = 0; n < 500; n++) {
    static uint8_t data[PACO_MAX_HEADER_SIZE];
    PacoProbabilitySet set, carried;
    PacoHeader header, parsed;
    uint32_t most;
    size_t size, at;

    do
      draw_header (&header, &set);
    while (header.video.attachment.size == 0);
    size = paco_header_write (&header, data);
    g_assert_true (paco_header_parse (data, size, &parsed, &carried, NULL));
    g_assert_cmpuint (
        parsed.video.attachment.size, ==, header.video.attachment.size);
    g_assert_cmpuint (
        parsed.video.attachment.crc, ==, header.video.attachment.crc);
    g_assert_cmpuint (paco_header_payload_size (&parsed), ==,
        header.frame_size - paco_header_overhead (&header) - header.index_size);

    most = header.frame_size - (uint32_t) size - header.index_size;
    header.video.attachment.size = most;
    g_assert_false (is_refused (&header));
    header.video.attachment.size = most + 1;
    paco_header_write (&header, data);
    g_assert_false (paco_header_parse (data, size, &parsed, &carried, NULL));
    header.frame_size = G_MAXUINT32;
    header.video.attachment.size = PACO_MAX_ATTACHMENT_SIZE;
    g_assert_false (is_refused (&header));
    header.video.attachment.size++;
    g_assert_true (is_refused (&header));
    /* An attachment of no bytes is none, and is written without the chunk. */
    header.video.attachment.size = 1;
    paco_header_write (&header, data);
    for (at = size - 8; memcmp (data + at, "\0\1\10\0\1\0\0\0", 8) != 0;)
      at--;
    data[at + 4] = 0;
    paco_put32 (data + size - 4, (uint32_t) crc32 (0, data, size - 4));
    g_assert_false (paco_header_parse (data, size, &parsed, &carried, NULL));
  }
}

/* Tests that what FORMAT.md keeps for later is refused, each with its sentence, and that
 * flags that may be ignored are. */
static void
test_reserved (void)
{
  static const struct
  {
    unsigned at;
    uint8_t value;
    int error; /* or 0 */
    const char *words;
  } cases[] = {
    { 5, 0x02, PACO_ERROR_VERSION, "features that this decoder does not know" },
    { 5, 0x08, PACO_ERROR_VERSION, "features that this decoder does not know" },
    { 5, 0x10, 0, NULL },
    { 5, 0xf0, 0, NULL },
    { 30, 1, PACO_ERROR_CORRUPT, "is invalid" },
    { 35, 1, PACO_ERROR_CORRUPT, "is invalid" },
    { 65, 0x02, PACO_ERROR_VERSION,
        "features that this decoder does not know" },
    { 65, 0x80, PACO_ERROR_VERSION,
        "features that this decoder does not know" },
    { 68, 6, PACO_ERROR_CORRUPT, "the color transform has the reserved id 6" },
    { 68, 8, PACO_ERROR_CORRUPT, "the color transform has the unknown id 8" },
    { 70, 1, PACO_ERROR_CORRUPT, "this color transform has no parameters" },
    { 71, 8, PACO_ERROR_CORRUPT, "this color transform has no parameters" },
    { 72, 0x20 | 8, PACO_ERROR_CORRUPT, "is invalid" },
    { 72, 0xc0 | 8, PACO_ERROR_CORRUPT, "samples are of the reserved kind 3" },
    { 72, 0x80 | 8, PACO_ERROR_CORRUPT, "binary16 have sixteen bits" },
    { 73, 0x08, PACO_ERROR_CORRUPT, "is invalid" },
    { 73, 0x80, PACO_ERROR_CORRUPT, "is invalid" },
    { 73, 0x04, PACO_ERROR_CORRUPT, "only components of a mosaic" },
    { 74, 6, PACO_ERROR_CORRUPT, "the wavelet has the reserved id 6" },
    { 75, 2, PACO_ERROR_CORRUPT, "unknown family of probability sets" },
    { 56, 4, PACO_ERROR_CORRUPT, "is invalid" },
    { 57, 0x10, PACO_ERROR_CORRUPT, "is invalid" },
    { 57, 0x80, PACO_ERROR_CORRUPT, "is invalid" },
    { 58, 3, 0, NULL },
    { 59, 16, 0, NULL },
    { 60, 3, 0, NULL },
    { 61, 7, 0, NULL },
    { 62, 17, 0, NULL },
    { 63, 255, 0, NULL },
    { 64, 0, PACO_ERROR_CORRUPT, "is invalid" },
    { 64, 5, PACO_ERROR_CORRUPT, "is invalid" },
    { 66, 9, PACO_ERROR_CORRUPT, "is invalid" },
    { 67, 0, PACO_ERROR_CORRUPT, "one to three coding passes" },
    { 67, 4, PACO_ERROR_CORRUPT, "one to three coding passes" },
    { 68, 255, PACO_ERROR_CORRUPT,
        "the color transform has the unknown id 255" },
    { 72, 0, PACO_ERROR_CORRUPT, "one to sixteen bits" },
    { 72, 17, PACO_ERROR_CORRUPT, "one to sixteen bits" },
    { 73, 0x01, PACO_ERROR_CORRUPT, "may be subsampled by 1, 2 or 4" },
    { 74, 3, PACO_ERROR_CORRUPT, "the wavelet has the reserved id 3" },
    { 74, 255, PACO_ERROR_CORRUPT, "the wavelet has the unknown id 255" },
  };
  static uint8_t data[PACO_MAX_HEADER_SIZE];

  for (unsigned i = 0; i < G_N_ELEMENTS (cases); i++) {
    PacoProbabilitySet set, carried;
    PacoHeader header, parsed;
    GError *error = NULL;
    size_t size;

    do
      draw_header (&header, &set);
    while (header.picture.mosaic);
    header.coding.color_transform = PACO_COLOR_TRANSFORM_NONE;
    size = paco_header_write (&header, data);
    data[cases[i].at] = (uint8_t) (cases[i].value
        | (cases[i].at == 5 ? data[5] : 0));
    paco_put32 (data + size - 4, (uint32_t) crc32 (0, data, size - 4));
    g_assert_true (paco_header_parse (data, size, &parsed, &carried, &error)
        == (cases[i].error == 0));
    if (cases[i].error == 0) {
      g_assert_no_error (error);
      continue;
    }
    g_assert_error (error, PACO_ERROR, cases[i].error);
    g_assert_nonnull (strstr (error->message, cases[i].words));
    g_clear_error (&error);
  }
}

/* Tests that the carried set takes the place in the family that the header says. */
static void
test_carried_set (void)
{
  PacoProbabilitySet set;
  PacoCoding coding = { 0 };

  for (unsigned families = 0; families < 16; families++) {
    for (unsigned c = 0; c < 4; c++)
      coding.components[c].family = families >> c & 1;
    coding.carried_family = draw (0, PACO_N_FAMILIES - 1);
    coding.carried_number = draw (0, PACO_N_SETS - 1);
    for (unsigned c = 0; c < 4; c++) {
      unsigned own = coding.components[c].family;
      PacoFamily builtin = paco_coding_family (&coding, NULL, c);
      PacoFamily carried = paco_coding_family (&coding, &set, c);

      for (unsigned i = 0; i < PACO_N_SETS; i++) {
        bool replaced = own == coding.carried_family
            && i == coding.carried_number;

        g_assert_true (builtin.sets[i] == &paco_builtin_sets[own][i]);
        g_assert_true (carried.sets[i] == (replaced ? &set : builtin.sets[i]));
      }
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/header/round-trip", test_round_trip);
  g_test_add_func ("/header/place", test_place);
  g_test_add_func ("/header/damage", test_damage);
  g_test_add_func ("/header/forged", test_forged);
  g_test_add_func ("/header/single-field", test_single_field);
  g_test_add_func ("/header/version", test_version);
  g_test_add_func ("/header/too-long", test_too_long);
  g_test_add_func ("/header/components", test_components);
  g_test_add_func ("/header/reserved-wavelets", test_reserved_wavelets);
  g_test_add_func ("/header/mosaics", test_mosaics);
  g_test_add_func (
      "/header/color-transforms", test_wavelets_of_color_transforms);
  g_test_add_func ("/header/matrix", test_matrix);
  g_test_add_func ("/header/attachment", test_attachment);
  g_test_add_func ("/header/reserved", test_reserved);
  g_test_add_func ("/header/carried-set", test_carried_set);
  return g_test_run ();
}
