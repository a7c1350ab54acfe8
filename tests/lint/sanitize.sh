#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# sanitize.sh LIBASAN SUPPRESSIONS PROGRAM...: runs a test of a build with the
# sanitizers. Preloading lets programs that were not built with them (Python,
# gst-launch-1.0, GStreamer's plugin scanner) load a plugin that was. Leaks are
# looked for in programs of this project only: interpreters leave memory to the
# system on purpose. PACO_LEAKS=0 switches that off where a container forbids
# the tracing that it needs.
libasan=$1 suppressions=$2
shift 2
leaks=0
if [ "${PACO_LEAKS:-1}" != 0 ] && grep -qE '(libasan|clang_rt\.asan-.*)\.so' "$1" 2>/dev/null; then
  leaks=1
fi
# No detect_stack_use_after_return: gcc 12 misaligns 64-byte vectors with it.
# GLib has no frame pointers, so stacks are walked the slow way; short ones do
# to tell what is suppressed.
export ASAN_OPTIONS="detect_leaks=$leaks:allocator_may_return_null=1"
[ $leaks = 0 ] || ASAN_OPTIONS=$ASAN_OPTIONS:fast_unwind_on_malloc=0:malloc_context_size=16
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export LSAN_OPTIONS="print_suppressions=0:suppressions=$suppressions"
LD_PRELOAD=$libasan exec "$@"
