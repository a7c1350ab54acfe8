#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Checks that every header compiles alone: it includes what it uses. Templates,
# which are included after the macros that fill them in, are none.
cd "${PACO_SOURCE_ROOT:?}" || exit 1
packages='gstreamer-video-1.0 gstreamer-base-1.0 gstreamer-check-1.0 zlib'
# shellcheck disable=SC2046,SC2086
flags=$(pkg-config --cflags $packages) || exit 1
failed=0
for header in $(sh tests/lint/sources.sh '*.h'); do
  instructions=
  case $header in
    *_template*) continue ;;
    *_avx*)
      case $(uname -m) in x86_64) ;; *) continue ;; esac
      instructions='-march=icelake-server'
      ;;
    *_neon*)
      case $(uname -m) in aarch64) ;; *) continue ;; esac
      ;;
  esac
  # shellcheck disable=SC2086
  if ! printf '#include "%s"\n' "$header" |
    ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror \
      -Wno-unused-parameter -Wno-missing-field-initializers \
      -Wno-unused-function \
      $instructions -fsyntax-only -I. -I"${PACO_BUILD_ROOT:?}" $flags -x c -; then
    echo "$header does not compile alone."
    failed=1
  fi
done
exit $failed
