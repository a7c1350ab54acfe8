#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What others see of libpaco: paco.h compiles as C99, C11 and C++11 without any other
# header's folder, the library exports what paco.h declares and nothing else, all of
# it with a version, and what is installed compiles and runs a program outside.
set -eu
root=${PACO_SOURCE_ROOT:?} build=${PACO_BUILD_ROOT:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail () {
  echo "$*"
  exit 1
}

echo '#include "paco.h"' >"$work/header.c"
for standard in c99 c11; do
  ${CC:-cc} -std=$standard -pedantic -Wall -Wextra -Werror -fsyntax-only \
    -I"$root/lib" "$work/header.c" || fail "paco.h is no $standard."
done
cp "$work/header.c" "$work/header.cc"
echo 'PacoInfo info = PACO_INFO_INIT;' >>"$work/header.cc"
${CXX:-c++} -std=c++11 -pedantic -Wall -Wextra -Wno-missing-field-initializers \
  -Werror -fsyntax-only -I"$root/lib" "$work/header.cc" || fail "paco.h is no C++11."

library=$build/lib/libpaco.so
[ -e "$library" ] || fail "$library is missing."
grep -oE '^PACO_API .*|^[a-z_]+ \(' "$root/lib/paco.h" |
  grep -oE 'paco_[a-z_]+ \(' | tr -d ' (' | LC_ALL=C sort -u >"$work/declared"
nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' |
  LC_ALL=C sort >"$work/exported"
[ "$(wc -l <"$work/declared")" -ge 20 ] || fail "paco.h declares too little."
sed 's/$/@@PACO_0.2/' "$work/declared" | diff - "$work/exported" ||
  fail "paco.h (<) declares other functions than the library exports (>)."
if readelf -d "$library" | grep NEEDED | grep -iE 'gst|gobject|cuda|nvidia'; then
  fail "The library must not be linked to this."
fi
readelf -d "$library" | grep -q 'SONAME.*libpaco\.so\.0\]' || fail "No libpaco.so.0."

# A sanitizer's runtime would have to be linked to a program outside.
case ${PACO_SANITIZE:-} in 1) exit 0 ;; esac
DESTDIR=$work/installed meson install -C "$build" --no-rebuild --quiet \
  >"$work/log" 2>&1 || {
  cat "$work/log"
  fail "It cannot be installed."
}
pc=$(find "$work/installed" -name paco.pc)
[ -n "$pc" ] || fail "paco.pc is not installed."
PKG_CONFIG_LIBDIR=$(dirname "$pc"):$(pkg-config --variable pc_path pkg-config)
export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR="$work/installed"
flags=$(pkg-config --cflags --libs paco) || fail "pkg-config does not know paco."
# shellcheck disable=SC2086
${CC:-cc} -std=c99 -Wall -Wextra -Werror -o "$work/example" "$root/lib/example.c" \
  $flags || fail "The example does not compile with what is installed."
LD_LIBRARY_PATH=$(dirname "$(find "$work/installed" -name libpaco.so)")
export LD_LIBRARY_PATH
"$work/example" "$root/tests/golden/gray8-lossless.paco" "$work/gray.pgm" ||
  fail "The example does not work."
[ "$(head -c 2 "$work/gray.pgm")" = P5 ] || fail "That is no PGM file."
head -c 100 "$root/tests/golden/gray8-lossless.paco" >"$work/cut.paco"
if "$work/example" "$work/cut.paco" "$work/cut.pgm" 2>"$work/told"; then
  fail "Half a frame is a picture."
fi
[ -s "$work/told" ] || fail "The example fails without a word."
