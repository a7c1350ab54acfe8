#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# sh tests/package.sh: makes the Debian packages from the sources as they are here,
# asks lintian what it thinks of them, installs them in a fresh Debian 12, looks whether
# applications find the library there, and runs the tests of elements and pipelines with
# the plugin; on Debian 12, as root. The packages are in build/package then. The last
# line says how many tests passed and failed.
#
# PACO_MESON_OPTIONS="-D...": for meson. KEEP, ROOTS, MIRROR, JOBS: see distros.sh.
set -eu
cd "$(dirname "$0")/.."
PATH=/usr/bin:/bin:$PATH:/usr/sbin:/sbin

case ${1:-} in
  -h | --help)
    sed -n '3,9s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
fail () {
  echo "$*" >&2
  echo "0 passed, 1 failed"
  exit 1
}

sh pipelines/install-packages.sh build package || fail "Packages are missing."
rm -rf build/package
mkdir -p build/package/gst-paco
git ls-files -z --cached --others --exclude-standard |
  xargs -0 sh -c 'for file; do [ -e "$file" ] && printf "%s\0" "$file"; done' sh |
  tar -c --null -T - | tar -x -C build/package/gst-paco
echo "Making the packages ..."
(cd build/package/gst-paco &&
  dpkg-buildpackage -us -uc -b "-j${JOBS:-$(getconf _NPROCESSORS_ONLN)}") \
  >build/package/log 2>&1 || {
  tail -n 40 build/package/log
  fail "There is no package; the whole log is in build/package/log."
}
lintian --allow-root --fail-on error,warning build/package/*.changes ||
  fail "lintian complains."
PACKAGE=$(ls "$PWD"/build/package/*.deb | grep -v dbgsym |
  paste -sd" ") OWN=0 \
  exec sh tests/distros.sh bookworm
