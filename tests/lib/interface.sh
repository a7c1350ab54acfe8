#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What others see of libpaco: paco.h compiles as C99, C11 and C++11 without any other
# header's folder, the library exports what paco.h declares and nothing else, all of
# it with a version (other names have the private node of this version, for the plugin
# and paco), what is installed compiles and runs a program outside, and Python's module
# declares what paco.h declares.
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
cat >>"$work/header.cc" <<'END'
PacoInfo info = PACO_INFO_INIT;
size_t size (const PacoExtras &);
size_t size (const PacoExtras &extras) { return extras.struct_size; }
int main ()
{
  PacoInfo other = PACO_INFO_INIT;
  const PacoExtras extras = PACO_EXTRAS_INIT;
  return info.struct_size != sizeof other || other.struct_size != sizeof other
      || other.width != 0 || size (extras) != sizeof extras || extras.n_chunks;
}
END
${CXX:-c++} -std=c++11 -pedantic -Wall -Wextra -Werror -I"$root/lib" \
  -o "$work/header" "$work/header.cc" || fail "paco.h is no C++11."
"$work/header" || fail "PACO_INFO_INIT is another struct in C++."

library=$build/lib/libpaco.so
[ -e "$library" ] || fail "$library is missing."
private=PACO_PRIVATE_$(sed -n "s/^ *version : '\(.*\)',$/\1/p" "$root/meson.build")
grep -oE '^PACO_API .*|^[a-z_]+ \(' "$root/lib/paco.h" |
  grep -oE 'paco_[a-z_]+ \(' | tr -d ' (' | LC_ALL=C sort -u >"$work/declared"
nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' |
  LC_ALL=C sort >"$work/all"
grep -v "@@$private\$" "$work/all" >"$work/exported"
[ "$(wc -l <"$work/declared")" -ge 20 ] || fail "paco.h declares too little."
sed 's/$/@@PACO_1.0/' "$work/declared" | diff - "$work/exported" ||
  fail "paco.h (<) declares other functions than the library exports (>)."
if readelf -d "$library" | grep NEEDED | grep -iE 'gst|gobject|cuda|nvidia'; then
  fail "The library must not be linked to this."
fi
readelf -d "$library" | grep -q 'SONAME.*libpaco\.so\.1\]' || fail "No libpaco.so.1."

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
tool=$(find "$work/installed" -path '*/local/bin/paco')
[ -z "$tool" ] || env -u LD_LIBRARY_PATH "$tool" --version >"$work/version" ||
  fail "paco does not find the library that is installed with it."
LD_LIBRARY_PATH=$(dirname "$(find "$work/installed" -name libpaco.so)")
export LD_LIBRARY_PATH
"$work/example" "$root/tests/golden/gray8-lossless.paco" "$work/gray.pgm" ||
  fail "The example does not work."
[ "$(head -c 2 "$work/gray.pgm")" = P5 ] || fail "That is no PGM file."
module=$(find "$work/installed" -path '*/dist-packages/paco/__init__.py')
[ -n "$module" ] || fail "The package for Python is not installed."
PYTHONPATH=$(dirname "$module") python3 - >"$work/_paco.c" <<'END' || fail "_paco.py is not installed."
import _paco
print('#include "paco.h"')
for name, thing in vars(_paco).items():
    if name.startswith('PACO_'):
        print(f'_Static_assert ({name} == {thing}, "");')
    elif name.startswith('Paco'):
        print(f'_Static_assert (sizeof ({name}) == {_paco.sizeof(thing)}, "");')
    elif name.startswith('paco_'):
        print('//', name)
END
${CC:-cc} -std=c11 -fsyntax-only -I"$root/lib" "$work/_paco.c" ||
  fail "_paco.py declares something else than paco.h."
sed -n 's,^// ,,p' "$work/_paco.c" | LC_ALL=C sort | diff "$work/declared" - ||
  fail "paco.h (<) declares other functions than _paco.py (>)."
if python3 -c 'import numpy' 2>"$work/told"; then
  PYTHONPATH=$(dirname "$(dirname "$module")") python3 -c 'import paco; paco.Decoder ()' ||
    fail "Python's module does not find the library that is installed."
fi
head -c 100 "$root/tests/golden/gray8-lossless.paco" >"$work/cut.paco"
if "$work/example" "$work/cut.paco" "$work/cut.pgm" 2>"$work/told"; then
  fail "Half a frame is a picture."
fi
[ -s "$work/told" ] || fail "The example fails without a word."
