#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# sanitize.sh LIBASAN SHIM SUPPRESSIONS PROGRAM...: runs a test of a build with the
# sanitizers. Preloading lets programs that were not built with them (Python,
# gst-launch-1.0, GStreamer's plugin scanner) load a plugin that was. Leaks are
# looked for in programs of this project only: interpreters leave memory to the
# system on purpose. PACO_LEAKS=0 switches that off where a container forbids
# the tracing that it needs.
libasan=$1 shim=$2 suppressions=$3
shift 3
# No detect_stack_use_after_return: gcc 12 misaligns 64-byte vectors with it.
options=allocator_may_return_null=1:exitcode=23
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export LSAN_OPTIONS="print_suppressions=0:suppressions=$suppressions"
if [ "${PACO_LEAKS:-1}" = 0 ] ||
  ! grep -qE '(libasan|clang_rt\.asan-.*)\.so' "$1" 2>/dev/null; then
  export ASAN_OPTIONS="$options:detect_leaks=0"
  LD_PRELOAD=$libasan exec "$@"
fi
# Stacks are walked the slow way, as GLib has no frame pointers, only where they have
# to tell which leaks are those of libraries: it takes most of a test's time.
slow=$options:detect_leaks=1:fast_unwind_on_malloc=0:malloc_context_size=16
if grep -qE 'libgstpbutils|encodebin|transcodebin' "$1"; then
  ASAN_OPTIONS=$slow LD_PRELOAD=$libasan exec "$@"
fi
ASAN_OPTIONS="$options:detect_leaks=1" LD_PRELOAD=$libasan:$shim "$@"
status=$?
# Once more, for the stacks alone, if that is a leak.
if [ $status = 23 ]; then
  echo "$1 failed; its stacks as a whole, if it does so again:"
  ASAN_OPTIONS=$slow LD_PRELOAD=$libasan "$@"
fi >&2
exit $status
