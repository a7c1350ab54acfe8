/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds the functions of the HDF5 that has loaded the filter (host.h). */
#include "bindings/hdf5/host.h"
#include <dlfcn.h>
#include <string.h>

_Thread_local Host host;

static bool
look_up (void *library)
{
  const struct
  {
    const char *name;
    void *to;
  } symbols[] = {
    { "H5Pget_chunk", &host.get_chunk },
    { "H5Pget_filter_by_id2", &host.get_filter },
    { "H5Pmodify_filter", &host.modify_filter },
    { "H5Tget_class", &host.get_class },
    { "H5Tget_size", &host.get_size },
    { "H5Tget_sign", &host.get_sign },
    { "H5Tget_order", &host.get_order },
    { "H5Tget_fields", &host.get_fields },
    { "H5Epush2", &host.push_error },
    { "H5E_ERR_CLS_g", &host.error_class },
    { "H5E_PLINE_g", &host.error_major },
    { "H5E_CANTFILTER_g", &host.error_minor },
  };
  bool is_complete = library != NULL;

  for (size_t i = 0; library && i < sizeof symbols / sizeof *symbols; i++) {
    void *symbol = dlsym (library, symbols[i].name);

    is_complete &= symbol != NULL;
    memcpy (symbols[i].to, &symbol, sizeof symbol);
  }
  if (library)
    dlclose (library); /* It stays loaded: others use it. */
  return is_complete;
}

bool
host_find (const void *address)
{
  Dl_info info;

  /* A program that has HDF5 in itself is found by no name. */
  return dladdr (address, &info)
      && (look_up (dlopen (info.dli_fname, RTLD_LAZY | RTLD_NOLOAD))
          || look_up (dlopen (NULL, RTLD_LAZY)));
}

void
host_push_error (const char *message)
{
  /* H5E_DEFAULT is a macro of HDF5 that calls no function. */
  host.push_error (H5E_DEFAULT, __FILE__, "PaCo", __LINE__, *host.error_class,
      *host.error_major, *host.error_minor, "%s", message);
}
