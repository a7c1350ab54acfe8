/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Concealment (FORMAT.md section 11), which conceal.h describes. All its arithmetic is
 * done here, in double precision and in a fixed order, so that every backend shows the
 * same pixels. It decodes blocks by a PacoDecodeBlockFunc of its caller. */
#include "conceal.h"
#include "check.h"
#include "matrix.h"
#include "quantizer.h"
#include <string.h>

#define MAX_BLOCK (PACO_BLOCK_WIDTH * PACO_MAX_BLOCK_HEIGHT)

/* What is kept of the last frame of a form: its first blocks as they were decoded,
 * with those that stood for broken ones. */
typedef struct
{
  bool there;
  PacoCoding coding;
  bool has_carried_set;
  PacoProbabilitySet carried_set;
  PacoBlockRecord *records;
  uint32_t n_records;
  PacoRepairs bytes; /* records have offsets in it */
} Kept;

struct _PacoConcealer
{
  PacoDecodeBlockFunc decode;
  Kept kept[2];
  /* The block that is replaced, and one that it is made from. */
  double values[MAX_BLOCK];
  uint32_t magnitudes[MAX_BLOCK];
  PacoCoefficient coefficients[MAX_BLOCK];
};

/* Whether something is so, as far as that is known. */
typedef enum
{
  UNKNOWN,
  YES,
  NO,
} Verdict;

/* What was found out about a field of the frame, by comparing it with the last one. */
typedef struct
{
  Verdict begins_scene;
  Verdict is_still[PACO_MAX_COMPONENTS];
} Comparison;

/* --- memory --- */

void
paco_repairs_clear (PacoRepairs *repairs)
{
  g_free (repairs->bytes);
  *repairs = (PacoRepairs){ NULL };
}

/* Makes room for `size` bytes more; NULL if there is no memory. */
static uint8_t *
reserve (PacoRepairs *repairs, size_t size)
{
  size_t needed = repairs->size + size;

  if (needed > repairs->capacity) {
    uint8_t *bytes = g_try_realloc (repairs->bytes, needed + needed / 4);

    if (!bytes)
      return NULL;
    repairs->bytes = bytes;
    repairs->capacity = needed + needed / 4;
  }
  return repairs->bytes + repairs->size;
}

PacoConcealer *
paco_concealer_new (PacoDecodeBlockFunc decode)
{
  PacoConcealer *concealer = g_new (PacoConcealer, 1);

  concealer->decode = decode;
  memset (concealer->kept, 0, sizeof concealer->kept);
  return concealer;
}

void
paco_concealer_free (PacoConcealer *concealer)
{
  if (!concealer)
    return;
  for (unsigned i = 0; i < G_N_ELEMENTS (concealer->kept); i++) {
    g_free (concealer->kept[i].records);
    paco_repairs_clear (&concealer->kept[i].bytes);
  }
  g_free (concealer);
}

void
paco_concealer_forget (PacoConcealer *concealer)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (concealer->kept); i++)
    concealer->kept[i].there = false;
}

/* --- the last frame --- */

/* Copies the records. If it returns FALSE, the last frame must be forgotten. */
static gboolean
keep_records (Kept *kept, const PacoBlockRecord *records, uint32_t n)
{
  if (n > kept->n_records) {
    PacoBlockRecord *memory = g_try_renew (PacoBlockRecord, kept->records, n);

    if (!memory)
      return FALSE;
    kept->records = memory;
    kept->n_records = n;
  }
  memcpy (kept->records, records, n * sizeof *records);
  return TRUE;
}

/* Copies the blocks' bytes, of which some may be repairs. */
static gboolean
keep_bytes (Kept *kept, const PacoConcealFrame *frame,
    const PacoRepairs *repairs, uint32_t n, bool any_replaced)
{
  size_t size = 0;
  uint8_t *to;

  for (uint32_t i = 0; i < n; i++)
    size += frame->records[i].length;
  kept->bytes.size = 0;
  if (size == 0)
    return TRUE;
  to = reserve (&kept->bytes, size);
  if (!to)
    return FALSE;
  kept->bytes.size = size;
  if (!any_replaced) {
    memcpy (to, frame->payload, size);
    return TRUE;
  }
  size = 0;
  for (uint32_t i = 0; i < n; i++) {
    const PacoBlockRecord *record = &frame->records[i];

    if (record->length > 0)
      memcpy (to + size,
          (record->replaced ? repairs->bytes : frame->payload) + record->offset,
          record->length);
    kept->records[i].offset = (uint32_t) size;
    size += record->length;
  }
  return TRUE;
}

static void
keep (Kept *kept, const PacoConcealFrame *frame, const PacoRepairs *repairs,
    bool any_replaced)
{
  uint32_t n = paco_n_concealed_blocks (frame->geometry, frame->reduce);

  kept->there = keep_records (kept, frame->records, n)
      && keep_bytes (kept, frame, repairs, n, any_replaced);
  kept->coding = *frame->coding;
  kept->has_carried_set = frame->carried_set != NULL;
  if (frame->carried_set)
    kept->carried_set = *frame->carried_set;
}

/* --- what a block is made from --- */

static bool
is_reversible (const PacoConcealFrame *frame, uint32_t i)
{
  const PacoGeometry *geometry = frame->geometry;
  unsigned c = geometry->subbands[geometry->blocks[i].subband].component;

  return paco_is_reversible (frame->coding, c);
}

static double
value_of (const PacoCoefficient *coefficient, bool reversible)
{
  return reversible ? coefficient->i : (double) coefficient->f;
}

/* Takes the values that block i had in the last frame. */
static bool
take_from_last (
    PacoConcealer *concealer, const PacoConcealFrame *frame, uint32_t i)
{
  const Kept *kept = &concealer->kept[frame->form];
  const PacoCodeblock *block = &frame->geometry->blocks[i];
  bool reversible = is_reversible (frame, i);

  if (!kept->there || kept->records[i].broken
      || !concealer->decode (frame->geometry, &kept->coding,
          kept->has_carried_set ? &kept->carried_set : NULL, i,
          &kept->records[i], kept->bytes.bytes + kept->records[i].offset,
          concealer->coefficients))
    return false;
  for (unsigned k = 0; k < (unsigned) block->width * block->height; k++)
    concealer->values[k] = value_of (&concealer->coefficients[k], reversible);
  return true;
}

/* The sound blocks around a block: the means of their lines, on the left and on the
 * right, and the means of their columns, above and below. */
typedef struct
{
  bool there[4]; /* left, right, above, below */
  double means[4][PACO_MAX_BLOCK_HEIGHT];
} Surroundings;

/* Decodes block k, which is on that side of another one. */
static void
take_side (PacoConcealer *concealer, const PacoConcealFrame *frame, uint32_t k,
    unsigned side, Surroundings *around)
{
  const PacoBlockRecord *record = &frame->records[k];
  const PacoCodeblock *block = &frame->geometry->blocks[k];
  bool reversible = is_reversible (frame, k), beside = side < 2;
  unsigned n = beside ? block->height : block->width;
  unsigned length = beside ? block->width : block->height;

  if (record->broken || record->replaced
      || !concealer->decode (frame->geometry, frame->coding, frame->carried_set,
          k, record, frame->payload + record->offset, concealer->coefficients))
    return;
  around->there[side] = true;
  for (unsigned j = 0; j < n; j++) {
    double sum = 0.0;

    for (unsigned i = 0; i < length; i++)
      sum += value_of (&concealer->coefficients[beside ? j * block->width + i
                                                       : i * block->width + j],
          reversible);
    around->means[side][j] = sum / length;
  }
}

static bool
look_around (PacoConcealer *concealer, const PacoConcealFrame *frame,
    uint32_t i, Surroundings *around)
{
  const PacoSubband *subband =
      &frame->geometry->subbands[frame->geometry->blocks[i].subband];
  uint32_t x = (i - subband->first_block) % subband->blocks_x;
  uint32_t y = (i - subband->first_block) / subband->blocks_x;

  memset (around->there, 0, sizeof around->there);
  if (x > 0)
    take_side (concealer, frame, i - 1, 0, around);
  if (x + 1 < subband->blocks_x)
    take_side (concealer, frame, i + 1, 1, around);
  if (y > 0)
    take_side (concealer, frame, i - subband->blocks_x, 2, around);
  if (y + 1 < subband->blocks_y)
    take_side (concealer, frame, i + subband->blocks_x, 3, around);
  return around->there[0] || around->there[1] || around->there[2]
      || around->there[3];
}

/* The mean of what the four sides give for a line and a column; a nearer side weighs
 * more. */
static double
blend (const Surroundings *around, const PacoCodeblock *block, unsigned x,
    unsigned y)
{
  const unsigned distances[4] = { x + 1, block->width - x, y + 1,
    block->height - y };
  double sum = 0.0, weights = 0.0;

  for (unsigned side = 0; side < 4; side++) {
    double weight = 1.0 / distances[side];

    if (!around->there[side])
      continue;
    sum += weight * around->means[side][side < 2 ? y : x];
    weights += weight;
  }
  return sum / weights;
}

static bool
take_from_neighbors (
    PacoConcealer *concealer, const PacoConcealFrame *frame, uint32_t i)
{
  const PacoCodeblock *block = &frame->geometry->blocks[i];
  double *value = concealer->values;
  Surroundings around;

  if (!look_around (concealer, frame, i, &around))
    return false;
  for (unsigned y = 0; y < block->height; y++)
    for (unsigned x = 0; x < block->width; x++)
      *value++ = blend (&around, block, x, y);
  return true;
}

/* --- motion and new scenes --- */

/* Sums over blocks of LL: how much their coefficients have changed since the last frame,
 * and how much they differ in it from those before them and above. */
typedef struct
{
  double change, detail;
} Activity;

static bool
add_activity (PacoConcealer *concealer, const PacoConcealFrame *frame,
    uint32_t k, Activity *activity)
{
  const PacoBlockRecord *record = &frame->records[k];
  const PacoCodeblock *block = &frame->geometry->blocks[k];
  const double *last = concealer->values;
  bool reversible = is_reversible (frame, k);

  if (record->broken || record->replaced
      || !take_from_last (concealer, frame, k)
      || !concealer->decode (frame->geometry, frame->coding, frame->carried_set,
          k, record, frame->payload + record->offset, concealer->coefficients))
    return false;
  for (unsigned y = 0; y < block->height; y++)
    for (unsigned x = 0; x < block->width; x++) {
      unsigned i = y * block->width + x;

      activity->change += fabs (
          value_of (&concealer->coefficients[i], reversible) - last[i]);
      if (x > 0)
        activity->detail += fabs (last[i] - last[i - 1]);
      if (y > 0)
        activity->detail += fabs (last[i] - last[i - block->width]);
    }
  return true;
}

/* Says whether the picture has moved by less than about half a coefficient of LL in
 * the component of this subband. If it has moved farther, the coarsest level of the
 * last frame is worse than zeros. */
static bool
is_still (PacoConcealer *concealer, const PacoConcealFrame *frame,
    const PacoSubband *subband)
{
  const PacoGeometry *geometry = frame->geometry;
  const PacoSubband *ll = paco_geometry_subband (geometry, subband->field,
      subband->component, geometry->levels, PACO_ORIENTATION_LL);
  uint32_t n = ll->blocks_x * ll->blocks_y;
  Activity activity = { 0.0, 0.0 };

  for (uint32_t k = ll->first_block; k < ll->first_block + n; k++)
    if (!add_activity (concealer, frame, k, &activity))
      return false;
  return 4.0 * activity.change <= activity.detail;
}

/* Says whether another scene begins with this field: its LL, as far as it can be
 * compared in any component, differs more from the last frame than that varies in
 * itself. What a broken block was in the last frame is of no use then. */
static bool
begins_scene (
    PacoConcealer *concealer, const PacoConcealFrame *frame, unsigned field)
{
  const PacoGeometry *geometry = frame->geometry;
  Activity activity = { 0.0, 0.0 };

  for (uint32_t k = 0; k < geometry->n_blocks_at[geometry->levels]; k++)
    if (geometry->subbands[geometry->blocks[k].subband].field == field)
      add_activity (concealer, frame, k, &activity);
  return activity.change > activity.detail;
}

/* --- the block that stands for a broken one --- */

/* Quantises the values so that dequantising returns them as exactly as the frame's step
 * allows. Returns the number of planes that they take. */
static unsigned
quantize (PacoConcealer *concealer, const PacoConcealFrame *frame, uint32_t i)
{
  const PacoGeometry *geometry = frame->geometry;
  const PacoCodeblock *block = &geometry->blocks[i];
  const PacoSubband *subband = &geometry->subbands[block->subband];
  double step = 1.0, rounding = 0.5;
  uint32_t any = 0;

  if (!is_reversible (frame, i)) {
    step = paco_step_decode (
        frame->coding->subbands[subband->component][subband->entry].step);
    rounding = (128 - frame->coding->reconstruction) / 256.0;
  }
  for (unsigned k = 0; k < (unsigned) block->width * block->height; k++) {
    double index = floor (fabs (concealer->values[k]) / step + rounding);

    concealer->magnitudes[k] = (uint32_t) CLAMP (
        index, 0.0, PACO_MAX_MAGNITUDE);
    any |= concealer->magnitudes[k];
  }
  return any ? 32u - (unsigned) __builtin_clz (any) : 0;
}

/* A writer that appends bits to bytes. */
typedef struct
{
  uint8_t *bytes;
  uint32_t n_bits;
} Writer;

static void
put_bit (Writer *writer, bool bit)
{
  if (writer->n_bits % 8 == 0)
    writer->bytes[writer->n_bits / 8] = 0;
  writer->bytes[writer->n_bits / 8] |= (uint8_t) (bit << writer->n_bits % 8);
  writer->n_bits++;
}

/* Writes the raw string (FORMAT.md 7.6) of a block, all planes of which are raw.
 * Returns how many bytes it has. */
static uint32_t
write_raw (const PacoConcealer *concealer, const PacoCodeblock *block,
    unsigned planes, uint8_t *bytes)
{
  Writer writer = { bytes, 0 };

  for (unsigned plane = planes; plane-- > 0;)
    for (unsigned x = 0; x < block->width; x++)
      for (unsigned y = 0; y < block->height; y++)
        put_bit (
            &writer, concealer->magnitudes[y * block->width + x] >> plane & 1);
  for (unsigned x = 0; x < block->width; x++)
    for (unsigned y = 0; y < block->height; y++)
      if (concealer->magnitudes[y * block->width + x] > 0)
        put_bit (&writer, concealer->values[y * block->width + x] < 0.0);
  return (writer.n_bits + 7) / 8;
}

/* Finds the values that block i gets. */
static bool
find_values (PacoConcealer *concealer, const PacoConcealFrame *frame,
    uint32_t i, Comparison comparisons[2])
{
  const PacoSubband *subband =
      &frame->geometry->subbands[frame->geometry->blocks[i].subband];
  Comparison *comparison = &comparisons[subband->field];
  Verdict *still = &comparison->is_still[subband->component];

  if (subband->orientation == PACO_ORIENTATION_LL) {
    if (comparison->begins_scene == UNKNOWN)
      comparison->begins_scene = begins_scene (concealer, frame, subband->field)
          ? YES
          : NO;
    return (comparison->begins_scene == NO
               && take_from_last (concealer, frame, i))
        || take_from_neighbors (concealer, frame, i);
  }
  if (*still == UNKNOWN)
    *still = is_still (concealer, frame, subband) ? YES : NO;
  return *still == YES && take_from_last (concealer, frame, i);
}

/* Puts another block in the place of block i. Returns FALSE, and the block stays
 * broken, if there is nothing to put there or no memory. */
static bool
replace (PacoConcealer *concealer, const PacoConcealFrame *frame, uint32_t i,
    Comparison comparisons[2], PacoRepairs *repairs)
{
  const PacoCodeblock *block = &frame->geometry->blocks[i];
  PacoBlockRecord record = { .replaced = true };
  uint8_t *bytes;

  if (!find_values (concealer, frame, i, comparisons))
    return false;
  record.planes = (uint8_t) quantize (concealer, frame, i);
  record.raw_planes = record.planes;
  record.offset = (uint32_t) repairs->size;
  bytes = reserve (repairs,
      paco_raw_block_bytes (block->width * block->height, record.planes));
  if (!bytes)
    return false;
  if (record.planes > 0)
    record.length = (uint16_t) write_raw (
        concealer, block, record.planes, bytes);
  record.check = paco_block_check (bytes, record.length);
  repairs->size += record.length;
  frame->records[i] = record;
  return true;
}

/* --- frames --- */

/* Matrices are taken for the same if no coefficient differs by more. */
#define MAX_DIFFERENCE 0.015625f

/* Says whether the components of both frames are the same mixes of colors. */
static bool
same_colors (const PacoCoding *a, const PacoCoding *b)
{
  bool same = a->color_transform == b->color_transform
      && memcmp (a->parameters, b->parameters, sizeof a->parameters) == 0;

  for (unsigned i = 0; i < PACO_MATRIX_SIZE; i++)
    same &= fabsf (a->matrix[i] - b->matrix[i]) <= MAX_DIFFERENCE;
  return same;
}

void
paco_conceal_find_broken (const PacoConcealFrame *frame)
{
  for (uint32_t i = 0;
       i < paco_n_concealed_blocks (frame->geometry, frame->reduce); i++) {
    PacoBlockRecord *record = &frame->records[i];

    record->broken = frame->coding->block_checks && record->planes > 0
        && paco_block_check (frame->payload + record->offset, record->length)
            != record->check;
  }
}

uint32_t
paco_conceal (PacoConcealer *concealer, const PacoConcealFrame *frame,
    PacoRepairs *repairs)
{
  Comparison comparisons[2] = { { UNKNOWN } };
  Kept *kept = &concealer->kept[frame->form];
  uint32_t n_replaced = 0;

  repairs->size = 0;
  if (paco_n_concealed_blocks (frame->geometry, frame->reduce) == 0)
    return 0;
  kept->there = kept->there && same_colors (&kept->coding, frame->coding);
  for (uint32_t i = 0;
       i < paco_n_concealed_blocks (frame->geometry, frame->reduce); i++)
    if (frame->records[i].broken)
      n_replaced += replace (concealer, frame, i, comparisons, repairs);
  keep (kept, frame, repairs, n_replaced > 0);
  return n_replaced;
}
