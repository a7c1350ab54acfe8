/* SPDX-License-Identifier: LGPL-2.1-or-later
 * nvjpeg2k.h says what this is for. */
#include "tests/lab/cuda/nvjpeg2k.h"
#include "tests/lab/lab.h"
#include <dlfcn.h>
#include <glob.h>
#include <string.h>

/* Packages put the library here: those of distributions, and those of
 * Python. */
static const char *const places[] = {
  "/usr/lib/x86_64-linux-gnu/libnvjpeg2k/*/libnvjpeg2k.so.0",
  "/usr/local/lib/python3*/*-packages/nvidia/*/lib/libnvjpeg2k.so.0",
  "/usr/lib/python3*/*-packages/nvidia/*/lib/libnvjpeg2k.so.0",
  "~/.local/lib/python3*/site-packages/nvidia/*/lib/libnvjpeg2k.so.0",
};

static void *
open_at (Nvjpeg2k *nv, const char *path)
{
  void *library = dlopen (path, RTLD_NOW | RTLD_LOCAL);

  if (library) {
    g_free (nv->path);
    nv->path = g_strdup (path);
  }
  return library;
}

static void *
open_in_places (Nvjpeg2k *nv)
{
  void *library = open_at (nv, "libnvjpeg2k.so.0");

  for (unsigned i = 0; i < G_N_ELEMENTS (places); i++) {
    glob_t found;

    if (!library && glob (places[i], GLOB_TILDE, NULL, &found) == 0) {
      for (size_t k = 0; !library && k < found.gl_pathc; k++)
        library = open_at (nv, found.gl_pathv[k]);
      globfree (&found);
    }
  }
  return library;
}

#define NAME(name, arguments)                                                  \
  { "nvjpeg2k" #name, G_STRUCT_OFFSET (Nvjpeg2k, name) },
static const struct
{
  const char *name;
  size_t offset;
} functions[] = { NV_FUNCTIONS (NAME) };

gboolean
nvjpeg2k_open (Nvjpeg2k *nv, char **why)
{
  const char *wanted = g_getenv ("LAB_NVJPEG2K");

  *nv = (Nvjpeg2k){ 0 };
  *why = NULL;
  nv->library = wanted ? open_at (nv, wanted) : open_in_places (nv);
  if (!nv->library) {
    *why = wanted
        ? g_strdup_printf ("LAB_NVJPEG2K cannot be opened: %s", dlerror ())
        : g_strdup ("there is no nvJPEG2000, libnvjpeg2k.so.0 (package "
                    "nvidia-nvjpeg2k-cu13; LAB_NVJPEG2K names its file)");
    return FALSE;
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (functions); i++) {
    void *function = dlsym (nv->library, functions[i].name);

    if (!function) {
      *why = g_strdup_printf ("%s has no %s: it is of an older version",
          nv->path, functions[i].name);
      return FALSE;
    }
    memcpy ((char *) nv + functions[i].offset, &function, sizeof function);
  }
  for (int i = 0; i < 3; i++)
    NV (nv, GetProperty, i, &nv->version[i]);
  return TRUE;
}

void
nvjpeg2k_check (NvStatus status, const char *name)
{
  static const char *const reasons[] = { "done", "it is not initialized",
    "a parameter is wrong", "it cannot read the codestream",
    "it does not support that codestream", "memory could not be had",
    "the device failed", "the device is not sufficient", "an error of its own",
    "it has no such function" };

  if (status != 0)
    lab_fail ("%s: %s (%d)", name,
        status > 0 && status < (int) G_N_ELEMENTS (reasons) ? reasons[status]
                                                            : "unknown",
        status);
}
