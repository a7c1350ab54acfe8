# SPDX-License-Identifier: LGPL-2.1-or-later
# What the test.sh of bindings share, which read it in the root of the tree after they have
# set $folder: it is where they make what a host needs.
# shellcheck shell=sh
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# Ends without a test. Whoever counts takes it for a test that was skipped.
skip () {
  echo "SKIP: $*"
  echo "0 passed, 0 failed"
  exit 77
}

# fail LOG: ends with the last lines of the log.
fail () {
  tail -n 30 "$1"
  echo "0 passed, 1 failed"
  exit 1
}

# environment NAME PACKAGE...: makes the virtual environment NAME unless it is there, with
# VENV_OPTIONS of venv, and installs these packages of PyPI in it.
environment () {
  name=$folder/$1
  shift
  # shellcheck disable=SC2086 # options are words
  { { [ -x "$name/bin/pip" ] || "${PYTHON:-python3}" -m venv ${VENV_OPTIONS:-} "$name"; } &&
    "$name/bin/pip" install --quiet --disable-pip-version-check "$@"; } \
    >"$name.log" 2>&1 || skip "PyPI or venv cannot be had: $(tail -n 1 "$name.log")"
}

# libpaco FOLDER OPTION...: makes libpaco, or TARGETS, with these options of Meson. With
# -Dwheel=true it has what it needs in itself.
libpaco () {
  build=$1
  shift
  # shellcheck disable=SC2086 # targets are words
  { { [ -f "$build/build.ninja" ] || meson setup "$build" . "$@"; } &&
    ninja -C "$build" ${TARGETS:-lib/libpaco.so.1}; } >"$folder/build.log" 2>&1 ||
    fail "$folder/build.log"
}
