#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# files.sh CHECK: looks at each source file by itself. Checks are the functions below.
cd "${PACO_SOURCE_ROOT:?}" || exit 1
failed=0

# sources PATTERN...: lists the project's own files of these names, without build folders
# and hidden ones.
sources () {
  for pattern; do
    find . -name '.?*' -prune -o -name 'build*' -type d -prune -o \
      -name "$pattern" -type f -print
  done | sed 's,^\./,,' | LC_ALL=C sort
}

# Every file of C and C++ looks as .clang-format says. Only version 14 decides: other
# versions format some lines otherwise. 77 tells meson that this was skipped.
check_format () {
  for tool in clang-format-14 clang-format; do
    case $($tool --version 2>/dev/null) in
      *'version 14.'*)
        sources '*.c' '*.h' '*.cpp' '*.hpp' | xargs "$tool" --dry-run -Werror --ferror-limit=3
        exit
        ;;
    esac
  done
  echo "clang-format 14 is not installed."
  exit 77
}

# Every source file says under which license it may be used.
check_licenses () {
  sources '*.c' '*.h' '*.cpp' '*.hpp' '*.cu' '*.sh' '*.py' | xargs awk '
    FNR > 3 { nextfile }
    /SPDX-License-Identifier: LGPL-2.1-or-later/ { found[FILENAME] = 1 }
    END {
      for (i = 1; i < ARGC; i++)
        if (!(ARGV[i] in found)) {
          print ARGV[i] " has no SPDX-License-Identifier in its first lines."
          failed = 1
        }
      exit failed
    }' || failed=1
}

# Every header compiles alone: it includes what it uses. The build has seen that of those
# that their source includes first. Templates, which are included after the macros that fill
# them in, are none.
check_headers () {
  packages='gstreamer-video-1.0 gstreamer-base-1.0 gstreamer-check-1.0 zlib'
  # shellcheck disable=SC2086
  flags=$(pkg-config --cflags $packages) || exit 1
  for header in $(sources '*.h'); do
    instructions=
    case $header in
      *_template* | bindings/*) continue ;; # these want a host's headers
      *_avx*)
        case $(uname -m) in x86_64) ;; *) continue ;; esac
        instructions='-march=icelake-server'
        ;;
      *_neon*)
        case $(uname -m) in aarch64) ;; *) continue ;; esac
        ;;
    esac
    first=$(grep -m 1 '^#include' "${header%.h}.c" 2>/dev/null)
    [ "$first" = "#include \"$header\"" ] && continue
    # shellcheck disable=SC2086
    if ! printf '#include "%s"\n' "$header" |
      ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror \
        -Wno-unused-parameter -Wno-missing-field-initializers -Wno-unused-function \
        $instructions -fsyntax-only -I. -I"${PACO_BUILD_ROOT:?}" $flags -x c -; then
      echo "$header does not compile alone."
      failed=1
    fi
  done
}

# The last run on a GPU was one of these sources. If not, the test is skipped with that
# reason: a change can land before a machine with a GPU is there.
check_last_run () {
  hash=$(sh tests/gpu/source-hash.sh) || exit 1
  grep -qF "\"sources\": \"$hash\"" tests/gpu/last-run.json && exit
  echo "tests/gpu/last-run.json is of other sources than these, which are $hash:"
  echo 'run tests/gpu/run.sh on a machine with a GPU.'
  exit 77
}

"check_$1"
exit $failed
