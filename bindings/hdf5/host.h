/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The functions of the HDF5 that has loaded the filter. A process can have several, of which
 * each knows its own data sets alone, like those in wheels of h5py, and they are not where
 * the linker looks: so the filter is linked with none, and works with all from 1.10 on. */
#pragma once
#include <hdf5.h>
#include <stdbool.h>

/* One of the range 256 to 511, which HDF5 leaves for tests, until The HDF Group has given us
 * one (docs/registration/README.md). */
#define PACO_HDF5_FILTER 403

typedef struct
{
  int (*get_chunk) (hid_t dcpl, int rank, hsize_t *sizes);
  herr_t (*get_filter) (hid_t dcpl, H5Z_filter_t id, unsigned *flags,
      size_t *n_values, unsigned *values, size_t n_name, char *name,
      unsigned *config);
  herr_t (*modify_filter) (hid_t dcpl, H5Z_filter_t id, unsigned flags,
      size_t n_values, const unsigned *values);
  H5T_class_t (*get_class) (hid_t type);
  size_t (*get_size) (hid_t type);
  H5T_sign_t (*get_sign) (hid_t type);
  H5T_order_t (*get_order) (hid_t type);
  herr_t (*get_fields) (hid_t type, size_t *sign, size_t *exponent,
      size_t *exponent_bits, size_t *mantissa, size_t *mantissa_bits);
  herr_t (*push_error) (hid_t stack, const char *file, const char *function,
      unsigned line, hid_t class, hid_t major, hid_t minor, const char *format,
      ...);
  hid_t *error_class, *error_major, *error_minor;
} Host;

extern _Thread_local Host host;

/* Looks the functions up in the program or library that has this address; false: some are
 * missing. Whatever HDF5 calls here does so first, with the address to which it returns. */
bool host_find (const void *address);
/* Adds a message to HDF5's errors, which the application prints or raises. */
void host_push_error (const char *message);
