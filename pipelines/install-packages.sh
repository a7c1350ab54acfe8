#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs the Debian packages of the groups named (build, run, test, clang,
# arm64, bench; packages.txt) that are not there yet, and asks nothing. With all of
# them there it touches neither apt nor the network.
set -eu
list=$(dirname "$0")/packages.txt

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "This is not a Debian system: install what these packages hold" \
    "yourself, if it is not there ($list, groups: $*)." >&2
  exit 0
fi

missing=
for group; do
  for package in $(awk -v group="$group" '$1 == group { print $2 }' "$list"); do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null ||
      true)
    [ "$status" = installed ] || missing="$missing $package"
  done
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
  as_root=
elif command -v sudo >/dev/null 2>&1; then
  as_root=sudo
else
  echo "These packages are missing, and only root can install them:" >&2
  echo "  apt-get install$missing" >&2
  exit 1
fi

echo "Installing:$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A fresh system has no package lists; one that has them can do without new
# ones, so a failing update alone stops nothing.
$as_root apt-get -qq update >"$log" 2>&1 ||
  echo "apt-get update failed; trying with the lists that are there." >&2
# shellcheck disable=SC2086
if ! $as_root apt-get -qq -y --no-install-recommends install $missing \
  >>"$log" 2>&1; then
  cat "$log" >&2
  echo "apt-get could not install:$missing" >&2
  echo "Is there a network, and is this Debian 12 (bookworm) or later?" >&2
  exit 1
fi
