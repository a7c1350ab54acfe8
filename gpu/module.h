/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The kernels: machine code that is embedded in the library, images ("fatbins") of one or
 * some kernels. device.c loads them into a context; dwt.c, layout.c, pack.c, rate.c and
 * the coders launch them. */
#pragma once
#include "gpu/context.h"

/* The images. gpu/meson.build makes and names them. */
extern const unsigned char paco_fatbin_dwt[], paco_fatbin_layout[],
    paco_fatbin_pack[], paco_fatbin_rate[], paco_fatbin_compare[],
    paco_fatbin_cells[], paco_fatbin_codes[];
/* The block coder's, [wide][coding passes - 1]. */
extern const unsigned char *const paco_fatbins_bpc[2][3];

typedef struct
{
  const PacoCudaContext *context;
  CUmodule module;
} PacoModule;

/* Loads an image; name is for messages, "dwt". Error DEVICE when the image has no
 * code for the device. */
gboolean paco_module_load (PacoModule *module, const PacoCudaContext *context,
    const unsigned char *image, const char *name, GError **error);
void paco_module_unload (PacoModule *module);

gboolean paco_module_function (const PacoModule *module, const char *name,
    CUfunction *function, GError **error);

/* True if the module's kernels wait by themselves for the kernel before them
 * (kernels/device.cuh): if they are compiled for 9.0 or later, and the device has that
 * as well. function is one of them. */
bool paco_module_can_be_early (const PacoModule *module, CUfunction function);

/* A launch of a kernel that takes one parameter struct. */
typedef struct
{
  CUfunction function;
  unsigned grid_x, grid_y; /* thread blocks; grid_y 0 means 1 */
  unsigned threads;        /* of a thread block, in one dimension */
  unsigned shared_bytes;   /* dynamic */
  /* The kernel waits itself (griddepcontrol.wait) for what the kernel before it has
   * written, and may begin earlier. See paco_module_can_be_early(). */
  bool early;
  const void *parameters;
  size_t size; /* of the parameters */
} PacoLaunch;

#define PACO_LAUNCH_PARAMETERS(p) .parameters = &(p), .size = sizeof (p)

gboolean paco_module_launch (const PacoCudaContext *context,
    const PacoLaunch *launch, CUstream stream, GError **error);
/* Makes an error of what a launch has returned, if it has failed. */
gboolean paco_module_check_launch (
    const PacoCudaContext *context, CUresult result, GError **error);
