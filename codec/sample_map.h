/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Maps from samples to what is coded in their place, and back (FORMAT.md section 5): a
 * sample of another kind than unsigned integers becomes a code, and with a code table the
 * code becomes its number. Encoders and decoders make the maps of a frame; the loops and
 * kernels that read and write samples look them up.
 *
 * Numbers of fewer bits than samples are moved to the middle of the samples' range, so
 * that the level shift by the samples' depth does for them, too. */
#pragma once
#include "header.h"

typedef struct
{
  unsigned n; /* samples of that many values, 2^depth */
  uint16_t forward[PACO_MAX_CODES];
  uint16_t back
      [PACO_MAX_CODES]; /* what lies beyond the numbers becomes the nearest one */
} PacoSampleMap;

/* The maps of a frame's components, or NULL for those whose samples are coded as they
 * are. Components may share one. */
typedef struct
{
  const PacoSampleMap *of[PACO_MAX_COMPONENTS];
  PacoSampleMap
      *maps[PACO_MAX_COMPONENTS]; /* memory, kept from frame to frame */
  bool current; /* They are those of the configuration, and of no code table. */
  unsigned number; /* It changes when they do, and is never 0 then. */
} PacoSampleMaps;

/* Returns how many bits the numbers have that are coded for a component: its depth, or
 * what its code table leaves of it. Of the three that a color transform mixes, it is the
 * most that one of them needs. */
unsigned paco_coded_depth (const PacoPictureFormat *format,
    const PacoCoding *coding, unsigned component);

/* Returns the code of a sample's bits. */
static inline uint16_t
paco_sample_code (const PacoComponent *component, uint16_t bits)
{
  switch (component->kind) {
    case PACO_SAMPLE_SIGNED:
      return bits ^ (uint16_t) (1u << (component->depth - 1));
    case PACO_SAMPLE_FLOAT:
      return bits & 0x8000 ? (uint16_t) ~bits : bits | 0x8000;
    default:
      return bits;
  }
}

/* Makes the maps of a frame. tables: those of coding.code_tables; NULL if there are
 * none. Error MEMORY. */
gboolean paco_sample_maps_make (PacoSampleMaps *maps,
    const PacoPictureFormat *format, const PacoCoding *coding,
    const PacoCodeTable *tables, GError **error);
/* Makes them from the code tables of a frame, whose index is all there. Errors CORRUPT and
 * MEMORY. */
gboolean paco_sample_maps_read (PacoSampleMaps *maps, const PacoHeader *header,
    const uint8_t *index, GError **error);
void paco_sample_maps_clear (PacoSampleMaps *maps);
