/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tells LeakSanitizer which memory libraries keep for as long as the process lives, by
 * calling it around the functions that allocate such memory. Stacks could tell that
 * (leaks.supp), but GLib has no frame pointers, and walking its stacks the slow way at
 * each allocation takes most of a test's time. sanitize.sh preloads this behind
 * libasan. */
#include <dlfcn.h>
#include <gst/gst.h>

void __lsan_disable (void);
void __lsan_enable (void);

#define EXPORT __attribute__ ((visibility ("default")))

/* Defines a function that calls the next one of its name; what is allocated
 * meanwhile, in its thread, is no leak. */
#define UNWATCHED(result, name, parameters, arguments)                         \
  EXPORT result name parameters                                                \
  {                                                                            \
    static result (*real) parameters;                                          \
    result value;                                                              \
                                                                               \
    __lsan_disable ();                                                         \
    if (!real)                                                                 \
      real = (result (*) parameters) dlsym (RTLD_NEXT, #name);                 \
    value = real arguments;                                                    \
    __lsan_enable ();                                                          \
    return value;                                                              \
  }

/* --- what libraries set up when they are loaded --- */

/* The shim is initialised before all other libraries (it is linked with
 * initfirst), and the C library calls this when all of them are. */
__attribute__ ((constructor)) static void
begin (void)
{
  __lsan_disable ();
}

typedef int Main (int, char **, char **);
typedef void Hook (void);

EXPORT int __libc_start_main (Main *program, int argc, char **argv, Hook *init,
    Hook *fini, Hook *rtld_fini, void *stack_end);

EXPORT int
__libc_start_main (Main *program, int argc, char **argv, Hook *init, Hook *fini,
    Hook *rtld_fini, void *stack_end)
{
  __typeof__ (__libc_start_main) *real = (__typeof__ (real)) dlsym (
      RTLD_NEXT, "__libc_start_main");

  __lsan_enable ();
  return real (program, argc, argv, init, fini, rtld_fini, stack_end);
}

/* The error of a library that cannot be loaded is freed when the thread ends: a
 * detached one may be on its way to that when the process ends. */
UNWATCHED (void *, dlopen, (const char *file, int mode), (file, mode))
UNWATCHED (char *, dlerror, (void), ())

/* --- GLib and GStreamer --- */

/* The table of names is made larger, but never freed, since others may be
 * reading the one before. */
UNWATCHED (GQuark, g_quark_from_string, (const char *name), (name))
UNWATCHED (GQuark, g_quark_from_static_string, (const char *name), (name))
UNWATCHED (const char *, g_intern_string, (const char *name), (name))
UNWATCHED (const char *, g_intern_static_string, (const char *name), (name))

/* GStreamer reads its registry; features that a scan replaces meanwhile stay.
 */
UNWATCHED (gboolean, gst_init_check, (int *argc, char ***argv, GError **error),
    (argc, argv, error))
UNWATCHED (gboolean, g_option_context_parse,
    (GOptionContext * context, int *argc, char ***argv, GError **error),
    (context, argc, argv, error))

/* A list of log functions that was replaced stays, since other threads may be
 * going through it. */
#undef gst_debug_add_log_function
EXPORT void
gst_debug_add_log_function (
    GstLogFunction function, gpointer data, GDestroyNotify notify)
{
  __typeof__ (gst_debug_add_log_function) *real = (__typeof__ (real)) dlsym (
      RTLD_NEXT, "gst_debug_add_log_function");

  __lsan_disable ();
  real (function, data, notify);
  __lsan_enable ();
}
