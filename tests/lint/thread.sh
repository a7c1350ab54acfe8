#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# thread.sh LIBTSAN SHIM SUPPRESSIONS PROGRAM...: runs a test of a build with
# ThreadSanitizer. The shim tells it what it cannot see of the libraries.
libtsan=$1 shim=$2 suppressions=$3
shift 3
export TSAN_OPTIONS="suppressions=$suppressions:halt_on_error=0:exitcode=66:second_deadlock_stack=1:report_signal_unsafe=0:detect_deadlocks=0:ignore_noninstrumented_modules=1"
# Addresses that are drawn from too large a range are not for it.
LD_PRELOAD=$libtsan:$shim exec setarch "$(uname -m)" -R "$@"
