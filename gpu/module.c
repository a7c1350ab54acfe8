/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Loads kernels and launches them. */
#include "gpu/module.h"

extern const unsigned char paco_fatbin_bpc_16_1[], paco_fatbin_bpc_16_2[],
    paco_fatbin_bpc_16_3[], paco_fatbin_bpc_32_1[], paco_fatbin_bpc_32_2[],
    paco_fatbin_bpc_32_3[];

const unsigned char *const paco_fatbins_bpc[2][3] = {
  { paco_fatbin_bpc_16_1, paco_fatbin_bpc_16_2, paco_fatbin_bpc_16_3 },
  { paco_fatbin_bpc_32_1, paco_fatbin_bpc_32_2, paco_fatbin_bpc_32_3 },
};

gboolean
paco_module_load (PacoModule *module, const PacoCudaContext *context,
    const unsigned char *image, const char *name, GError **error)
{
  module->context = context;
  module->module = NULL;
  return paco_driver_check (context->driver,
      context->driver->module_load_data (&module->module, image), error,
      "the kernels \"%s\" cannot be loaded on %s of compute capability %u.%u",
      name, context->name, context->compute_capability / 10,
      context->compute_capability % 10);
}

void
paco_module_unload (PacoModule *module)
{
  if (module->module)
    module->context->driver->module_unload (module->module);
  module->module = NULL;
}

gboolean
paco_module_function (const PacoModule *module, const char *name,
    CUfunction *function, GError **error)
{
  return paco_driver_check (module->context->driver,
      module->context->driver->module_get_function (
          function, module->module, name),
      error, "the kernel %s cannot be found for %s", name,
      module->context->name);
}

bool
paco_module_can_be_early (const PacoModule *module, CUfunction function)
{
  int compiled_for = 0;

  if (module->context->compute_capability < 90)
    return false;
  module->context->driver->func_get_attribute (
      &compiled_for, CU_FUNC_ATTRIBUTE_PTX_VERSION, function);
  return compiled_for >= 90;
}

gboolean
paco_module_check_launch (
    const PacoCudaContext *context, CUresult result, GError **error)
{
  return paco_driver_check (context->driver, result, error,
      "a kernel cannot be launched on %s", context->name);
}

gboolean
paco_module_launch (const PacoCudaContext *context, const PacoLaunch *launch,
    CUstream stream, GError **error)
{
  void *arguments[] = { (void *) launch->parameters };
  unsigned grid_y = MAX (launch->grid_y, 1);
  CUlaunchAttribute attribute = {
    .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
    .value.programmaticStreamSerializationAllowed = 1,
  };
  CUlaunchConfig config = {
    .gridDimX = launch->grid_x,
    .gridDimY = grid_y,
    .gridDimZ = 1,
    .blockDimX = launch->threads,
    .blockDimY = 1,
    .blockDimZ = 1,
    .sharedMemBytes = launch->shared_bytes,
    .hStream = stream,
    .attrs = &attribute,
    .numAttrs = 1,
  };

  return paco_module_check_launch (context,
      launch->early ? context->driver->launch_kernel_ex (
          &config, launch->function, arguments, NULL)
                    : context->driver->launch_kernel (launch->function,
                        launch->grid_x, grid_y, 1, launch->threads, 1, 1,
                        launch->shared_bytes, stream, arguments, NULL),
      error);
}
