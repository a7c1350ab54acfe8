#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# sh tests/distros.sh [SUITE...]: builds and tests in a fresh system of each Debian
# suite (trixie), as root, with mmdebstrap; and there the plugin that was built
# here, if this is Debian 12, or that PLUGIN=FILE names, with its libpaco. The last
# line says how many tests passed and failed in all; the status is 0 when none failed.
#
# PACKAGE="FILE ...": these packages are installed and used in a system that has
# nothing but what they depend on; then the tests' packages are installed as well, and
# the tests of elements and pipelines run with the plugin that the packages brought.
# KEEP=1: the systems stay where they are, and are used again. ROOTS=FOLDER: where
# that is (build/distros). MIRROR=URL: where packages come from. JOBS=N: compilers
# and tests at once. OWN=0: what is built in the system is not tested itself.
set -eu
cd "$(dirname "$0")/.."
PATH=/usr/bin:/bin:$PATH:/usr/sbin:/sbin
roots=${ROOTS:-build/distros}
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}

case ${1:-} in
  -h | --help)
    sed -n '3,14s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
[ $# -gt 0 ] || set -- trixie

fail () {
  echo "$*" >&2
  echo "0 passed, 1 failed"
  exit 1
}

[ "$(id -u)" = 0 ] || fail "Only root can change into other systems."
sh pipelines/install-packages.sh distros || fail "Packages are missing."
mkdir -p "$roots"
roots=$(cd "$roots" && pwd)

# These are packages of packages.txt; tests/run.sh adds optional ones that the
# suite has.
packages () {
  awk '$1 ~ /^(build|run|test|headers)$/ && $3 != "optional" { print $2 }' \
    pipelines/packages.txt | sort -u | paste -sd, -
}

# Packages to try have to bring what they need, so their system begins bare.
make_root () {
  [ -e "$roots/$1/src" ] && return
  echo "Making a system of $1 in $roots/$1 ..."
  rm -rf "${roots:?}/$1"
  included=$(packages)
  [ -z "${PACKAGE:-}" ] || included=
  # The lists of packages stay, so that optional ones can be found.
  mmdebstrap --quiet --variant=apt --skip=cleanup/apt/lists \
    ${included:+"--include=$included"} "$1" \
    "$roots/$1" ${MIRROR:+"$MIRROR"} >"$roots/$1.log" 2>&1 || {
    tail -n 20 "$roots/$1.log"
    fail "There is no system of $1."
  }
  mkdir "$roots/$1/src"
}

# inside SUITE COMMAND runs it with mounts of its own, which go with the
# processes.
inside () {
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --propagation private sh -c '
    mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" &&
      mount -t devpts devpts "$0/dev/pts" && mount -t tmpfs tmpfs "$0/dev/shm" &&
      exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        JOBS="$1" chroot "$0" sh -c "cd /src && $2"' "$roots/$1" "$jobs" "$2"
}

# The sources are copied as they are here, whether they are committed or not.
copy_sources () {
  find "$roots/$1/src" -mindepth 1 -maxdepth 1 ! -name build \
    -exec rm -rf {} +
  git ls-files -z --cached --others --exclude-standard |
    xargs -0 sh -c 'for file; do [ -e "$file" ] && printf "%s\0" "$file"; done' sh |
    tar -c --null -T - | tar -x -C "$roots/$1/src"
}

# install_packages SUITE installs what $PACKAGE names, and of Debian only what
# these depend on; records and codes a little with that, then adds what the
# tests need.
install_packages () {
  rm -f "$roots/$1"/tmp/*.deb
  # shellcheck disable=SC2086
  cp $PACKAGE "$roots/$1/tmp"
  inside "$1" 'set -e
    export DEBIAN_FRONTEND=noninteractive
    apt-get -qq update
    apt-get -qq -y --no-install-recommends --reinstall --allow-downgrades \
      install /tmp/*.deb
    sh tests/lib/bare.sh
    sh pipelines/install-packages.sh build run test headers' \
    >"$roots/$1.out" 2>&1 || {
    tail -n 40 "$roots/$1.out"
    fail "The packages cannot be installed in $1, or lack what they depend on."
  }
}

# This is the plugin of Debian 12, which has to work with later versions of
# GStreamer.
plugin=${PLUGIN:-}
if [ -z "$plugin${PACKAGE:-}" ] && grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release; then
  echo "Building the plugin here ..."
  {
    { [ -f "$roots/plugin/build.ninja" ] ||
      meson setup "$roots/plugin" . --werror -Dcuda=enabled -Dcuda-archs= \
        -Dtests=false -Dbench=false; } &&
      ninja -C "$roots/plugin" -j "$jobs" plugin/libgstpaco.so
  } >"$roots/plugin.log" 2>&1 || {
    tail -n 20 "$roots/plugin.log"
    fail "The plugin does not compile here."
  }
  plugin=$roots/plugin/plugin/libgstpaco.so
fi

sums=$roots/sums
: >"$sums"
# run SUITE COMMAND: shows what it prints, and keeps the last line.
run () {
  inside "$1" "$2" 2>&1 | tee "$roots/$1.out"
  tail -n 1 "$roots/$1.out" | grep -E '^[0-9]+ passed, [0-9]+ failed' \
    >>"$sums" || echo "0 passed, 1 failed" >>"$sums"
}

others='meson test -C build/test --no-rebuild --num-processes "$JOBS" \
    --suite elements --suite pipelines >build/other.log 2>&1
  python3 tests/count.py build/test/meson-logs/testlog.json'

for suite; do
  make_root "$suite"
  copy_sources "$suite"
  rm -rf "$roots/$suite/src/build/results"
  built=$roots/$suite/src/build/test/plugin/libgstpaco.so
  [ -z "${PACKAGE:-}" ] || install_packages "$suite"
  if [ "${OWN:-1}" != 0 ]; then
    echo "--- $suite: built there"
    run "$suite" 'sh tests/run.sh plain arm64'
  else
    inside "$suite" 'rm -rf build/test && meson setup build/test . \
      -Dcuda=enabled -Dcuda-archs= && ninja -C build/test -j "$JOBS"' \
      >"$roots/$suite.out" 2>&1 || {
      tail -n 20 "$roots/$suite.out"
      fail "The tests do not compile in $suite."
    }
  fi
  if [ -n "$plugin" ]; then
    echo "--- $suite: the plugin ${plugin##*/} of another system"
    cp "$plugin" "$built"
    cp "$(ldd "$plugin" | awk '$1 == "libpaco.so.1" { print $3 }')" \
      "$roots/$suite/src/build/test/lib/libpaco.so.1"
    run "$suite" "$others"
    rm "$built"
  elif [ -n "${PACKAGE:-}" ]; then
    echo "--- $suite: the packages, installed"
    rm "$built"
    inside "$suite" 'gst-inspect-1.0 paco && sh tests/lib/installed.sh' ||
      fail "The packages that are installed in $suite are of no use there."
    run "$suite" "$others"
  fi
  [ "${KEEP:-0}" = 1 ] || rm -rf "${roots:?}/$suite"
done

awk -F '[ ,]+' '{ passed += $1; failed += $3 }
  END { print passed " passed, " failed " failed"; exit failed > 0 }' "$sums"
