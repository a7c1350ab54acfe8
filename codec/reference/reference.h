/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The reference, the judge of every other implementation: a scalar encoder, and what
 * makes of the decoder in decoder/, which stands by itself, functions of the codec's
 * types. One sample, one line, one coefficient, one lane at a time, and nothing that is
 * there for speed. The encoder shares its block coder and its wavelets with the decoder,
 * header, index, geometry and decisions (policy.h) with the other implementations; the
 * decoder shares nothing with them but the probability sets. */
#pragma once
#include "codec/areas.h"
#include "codec/cut.h"
#include "codec/error.h"
#include "codec/header.h"
#include "codec/index.h"
#include "codec/parameters.h"
#include "codec/policy.h"
#include "codec/policy_codes.h"
#include "codec/policy_map.h"
#include "codec/rate_control.h"
#include "codec/reference/decoder/private.h"

G_BEGIN_DECLS

/* What the block coder has coded, added up over blocks, for tests of what training
 * counts: symbols by row, context and value, and raw bits. */
typedef struct
{
  uint64_t symbols[PACO_N_ROWS][PACO_N_CONTEXTS][2];
  uint64_t raw_bits;
} PacoReferenceCounts;

/* Appends one frame to out. carried_set: a probability set to carry in the
 * frame, or NULL for the built-in one. */
gboolean paco_reference_encode (const PacoPictureFormat *format,
    const PacoPicture *picture, const PacoVideoInfo *video,
    const PacoParameters *parameters, const PacoProbabilitySet *carried_set,
    GByteArray *out, GError **error);

/* The same, with built-in sets and a step map: an exponent for each of
 * paco_step_map_n_cells() cells, and in bit c of halved whether component c takes half of
 * them. Error UNSUPPORTED also for frames with a budget. */
gboolean paco_reference_encode_mapped (const PacoPictureFormat *format,
    const PacoPicture *picture, const PacoVideoInfo *video,
    const PacoParameters *parameters, const uint8_t *cells, uint8_t halved,
    GByteArray *out, GError **error);

/* The same as paco_reference_encode(); it also adds what was coded to counts, which may be NULL. */
gboolean paco_reference_encode_counting (const PacoPictureFormat *format,
    const PacoPicture *picture, const PacoVideoInfo *video,
    const PacoParameters *parameters, const PacoProbabilitySet *carried_set,
    PacoReferenceCounts *counts, GByteArray *out, GError **error);

/* Codes a picture for what is coded of its blocks: passes each of them, as the encoder
 * codes it, to counted(), with the number of its subband. */
typedef void (*PacoReferenceCounted) (void *data, unsigned subband,
    const PacoBlockRecord *record, const PacoBlockCounts *of_block,
    const PacoReferenceCounts *counts);
gboolean paco_reference_count_blocks (const PacoPictureFormat *format,
    const PacoPicture *picture, const PacoParameters *parameters,
    PacoReferenceCounted counted, void *data, GError **error);

/* Does the same with areas that count more (or NULL), and for frames of a stream
 * with a budget: the frame learns from the history of the frame PACO_RATE_DISTANCE
 * before it, or of the first one (NULL if it is the first one itself), and leaves a
 * history for later frames, which may be NULL. */
gboolean paco_reference_encode_after (const PacoPictureFormat *format,
    const PacoPicture *picture, const PacoVideoInfo *video,
    const PacoParameters *parameters, const PacoAreas *areas,
    const PacoRateHistory *before, PacoRateHistory *after, GByteArray *out,
    GError **error);

/* The wavelet along a stack (FORMAT.md section 12), or its undoing: values[p] is a sample
 * of slice p, less 2^15. */
void paco_reference_stack (const PacoSlice *slice, bool undo, int *values);
/* A sample of a picture to u, less 2^(bits-1), and back. */
int paco_reference_load_sample (const PacoSlice *slice, int sample);
int paco_reference_store_sample (const PacoSlice *slice, int value);

/* Decodes the frame at data, leaving out `reduce` levels, into a destination
 * that has room for it (paco_geometry_reduced_size()). *corrupted_blocks (may
 * be NULL) says how many blocks were broken and taken as zero. */
gboolean paco_reference_decode (const uint8_t *data, size_t size,
    unsigned reduce, const PacoPicture *destination, uint32_t *corrupted_blocks,
    GError **error);

/* Does the same as paco_reference_decode(), for the next frame of a stream;
 * concealer may be NULL.
 * *concealed_blocks is how many of the broken blocks were not taken as zero. */
gboolean paco_reference_decode_next (PacoReferenceConcealer *concealer,
    const uint8_t *data, size_t size, unsigned reduce,
    const PacoPicture *destination, uint32_t *corrupted_blocks,
    uint32_t *concealed_blocks, GError **error);

/* --- The stages, for tests --- */

/* Makes a plane of zeros. Returns FALSE if there is no memory. */
bool paco_reference_plane_init (
    PacoReferencePlane *plane, uint32_t width, uint32_t height);
void paco_reference_plane_clear (PacoReferencePlane *plane);

/* One field's samples of a component, level shifted, into a plane; and back
 * with clamping (PacoReferencePlane.samples: i). Before any component of a field
 * is stored, all groups of all components are made blank: their bits are 0 where
 * a sample may be, also beyond the last column, and else as the layout's fill
 * says. planes: of all components; only their sizes count. */
void paco_reference_load_samples (const PacoPictureFormat *format,
    const PacoPicture *picture, unsigned field, unsigned component,
    PacoReferencePlane *plane);
void paco_reference_blank_samples (const PacoPictureFormat *format,
    const PacoPicture *picture, unsigned field,
    const PacoReferencePlane *planes);
void paco_reference_store_samples (const PacoPictureFormat *format,
    const PacoPicture *picture, unsigned field, unsigned component,
    const PacoReferencePlane *plane);

/* Turns samples as the above loads them into numbers with their level shift (FORMAT.md
 * section 5). tables: those of coding.code_tables. */
void paco_reference_number_samples (const PacoPictureFormat *format,
    const PacoCoding *coding, const PacoCodeTable *tables, unsigned component,
    PacoReferencePlane *plane);

typedef struct
{
  const PacoPictureFormat *format;
  const PacoPicture *picture;
} PacoReferenceSamples;

/* Finds codes as a PacoFindCodes does, with PacoReferenceSamples as data. */
gboolean paco_reference_find_codes (void *data, const PacoCodeGroups *groups,
    uint32_t step, PacoCodeTable *tables, GError **error);

/* These do the color transform of planes[0..2], and convert all planes from integers
 * to the numbers of their wavelets; and back. */
void paco_reference_forward_color (
    PacoReferencePlane *planes, unsigned n_planes, const PacoCoding *coding);
void paco_reference_inverse_color (
    PacoReferencePlane *planes, unsigned n_planes, const PacoCoding *coding);

/* Does the color transform of a mosaic, if it is coded with it; before the first of the
 * above. */
void paco_reference_forward_mosaic (const PacoPictureFormat *format,
    const PacoCoding *coding, PacoReferencePlane *planes);

/* In place. Afterwards LL of the last level is in the upper left corner, HL
 * right of it, LH below it, HH right of that, and so on outwards. */
void paco_reference_forward_dwt (
    PacoReferencePlane *plane, unsigned levels, PacoWaveletId wavelet);
void paco_reference_inverse_dwt (
    PacoReferencePlane *plane, unsigned levels, PacoWaveletId wavelet);

/* Finds where the transform leaves a subband. */
void paco_reference_subband_origin (const PacoGeometry *geometry,
    const PacoSubband *subband, uint32_t *left, uint32_t *top);

/* These are the quantiser. paco_reference_scale() returns a coefficient in steps, with
 * its sign, cut off behind fraction_bits bits behind the point.
 * paco_reference_round_block() rounds a block of width * height of them, row by row,
 * to quantizer indices in place. */
int32_t paco_reference_scale (PacoReferenceSample coefficient,
    PacoWaveletId wavelet, float step, unsigned fraction_bits);
/* With a budget: scale is that of PacoRateTable, and the step that of its number. */
int32_t paco_reference_scale_to_step (PacoReferenceSample coefficient,
    PacoWaveletId wavelet, float scale, const PacoRateStep *step);
/* c of codec/rate_steps.h, and of codec/policy_map.h. */
uint32_t paco_reference_scaled_magnitude (
    PacoReferenceSample coefficient, PacoWaveletId wavelet, float scale);
void paco_reference_round_block (
    int32_t *values, unsigned width, unsigned height, unsigned fraction_bits);
/* Returns the reconstruction point of a block, from that of its frame. */
unsigned paco_reference_reconstruction (
    unsigned reconstruction, const PacoBlockRecord *record);

/* Finds the cells of a field of the map that an encoder makes; plane: component 0 of the
 * field, transformed. */
void paco_reference_find_cells (const PacoGeometry *geometry, unsigned field,
    const PacoReferencePlane *plane, const PacoActivity *activity,
    uint8_t *cells);

/* A codeblock and how it is coded. */
typedef struct
{
  unsigned width, height; /* 1..64, 1..256 */
  unsigned orientation;   /* PacoOrientation */
  unsigned coding_passes; /* 1..3 */
  unsigned family;        /* encoder: for the choice of a set */
  PacoFamily sets;
  bool first_set_only;         /* encoder: chooses set 0 */
  PacoReferenceCounts *counts; /* encoder: or NULL */
  /* Encoder: what it finds, or NULL. */
  PacoCutPoints *cut_points;
  PacoBlockCounts *block_counts;
} PacoReferenceBlock;

/* Counts what the encoder's decisions follow from, in width * height quantizer
 * indices, row by row. */
void paco_reference_count_block (const PacoReferenceBlock *block,
    const int32_t *indices, unsigned dropped_planes, PacoBlockCounts *counts);

/* Codes width * height quantizer indices, row by row. Decides by policy.h,
 * fills *record but for offset and check, appends the bytes to out. */
void paco_reference_encode_block (const PacoReferenceBlock *block,
    const int32_t *indices, unsigned dropped_planes, unsigned complexity,
    PacoBlockRecord *record, GByteArray *out);

/* The same when the decisions are already in *record: all fields but length. If the
 * block would be longer than with all planes raw, they become raw. */
void paco_reference_encode_block_as (const PacoReferenceBlock *block,
    const int32_t *indices, PacoBlockRecord *record, GByteArray *out);

/* Decodes the record->length bytes of a block. FALSE if it is broken; all
 * indices are 0 then. */
bool paco_reference_decode_block (const PacoReferenceBlock *block,
    const PacoBlockRecord *record, const uint8_t *bytes, int32_t *indices);

G_END_DECLS
