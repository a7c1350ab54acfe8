/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Maps of samples on the device (codec/sample_map.h), for frame.c; and the codes of a
 * picture there, by which the encoder chooses code tables (codec/policy_codes.h). */
#pragma once
#include "codec/policy_codes.h"
#include "gpu/layout.h"
#include "gpu/memory.h"

/* The maps of a frame on the device. */
typedef struct
{
  const PacoSampleMaps *maps; /* on the host, of the coder */
  PacoDeviceMemory memory;    /* of all maps of one direction */
  PacoPinnedMemory host;
  CUdeviceptr of[PACO_MAX_COMPONENTS]; /* 0: samples stay as they are */
  unsigned uploaded;                   /* maps->number of those on the device */
} PacoCudaMaps;

/* Returns the components that have maps, as bits. */
unsigned paco_cuda_maps_components (const PacoCudaMaps *maps);

/* Enqueues the way of maps->maps to the device: forward ones for an encoder, else those back.
 * The device fetches them, as a copy engine would keep them waiting behind the pictures of
 * other frames. */
gboolean paco_cuda_maps_upload (PacoCudaMaps *maps, PacoCudaShare *share,
    bool back, PacoCudaStream *stream, GError **error);
void paco_cuda_maps_clear (PacoCudaMaps *maps, PacoCudaShare *share);

/* Enqueues the kernels that map the samples in the planes of `planar`. */
gboolean paco_cuda_maps_enqueue (const PacoCudaMaps *maps,
    const PacoCudaDevice *device, const PacoSamplePlanes *planes,
    const PacoPicture *planar, PacoCudaStream *stream, GError **error);

/* Returns the bytes of device memory that finding the codes of groups takes. */
size_t paco_cuda_codes_size (const PacoCodeGroups *groups);
/* Enqueues the kernel that finds the codes of groups in lines 0, step, 2 step, ... of a
 * planar picture, and with `between` those in the lines between. used: device memory, cleared
 * once. found: page-locked memory, a table for each group, and behind these, with `between`,
 * one for each group's lines between; the kernel fills them in. */
gboolean paco_cuda_find_codes (const PacoCudaDevice *device,
    const PacoSamplePlanes *planes, const PacoPicture *planar,
    const PacoCodeGroups *groups, uint32_t step, bool between, CUdeviceptr used,
    PacoCodeTable *found, PacoCudaStream *stream, GError **error);
