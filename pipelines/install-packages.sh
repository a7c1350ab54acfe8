#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs the Debian packages of the groups named (build, run, test, clang, bench
# and others, see packages.txt) that are not there yet, and asks nothing. With all
# of them there it touches neither apt nor the network.
set -eu
list=$(dirname "$0")/packages.txt

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "This is not a Debian system: install what these packages hold" \
    "yourself, if it is not there ($list, groups: $*)." >&2
  exit 0
fi

# is_installed PACKAGE says whether it is.
is_installed () {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# is_known PACKAGE says whether it is in the package lists that are there.
is_known () {
  [ -n "$(apt-cache --names-only search "^$1\$" 2>/dev/null)" ]
}

missing= optional=
for group; do
  for package in $(awk -v group="$group" \
    '$1 == group && $3 != "optional" { print $2 }' "$list"); do
    is_installed "$package" || missing="$missing $package"
  done
  for package in $(awk -v group="$group" \
    '$1 == group && $3 == "optional" { print $2 }' "$list"); do
    is_installed "$package" || optional="$optional $package"
  done
done
# Of optional packages those count that there are; a fresh system has no lists,
# and does not know before it has updated them.
if [ -z "$missing" ]; then
  for package in $optional; do
    ! is_known "$package" || missing="$missing $package"
  done
fi
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
for package in $optional; do
  case " $missing " in *" $package "*) continue ;; esac
  if is_known "$package"; then
    missing="$missing $package"
  else
    echo "This system has no package $package; what needs it is left out." >&2
  fi
done
# shellcheck disable=SC2086
if ! $as_root apt-get -qq -y --no-install-recommends install $missing \
  >>"$log" 2>&1; then
  cat "$log" >&2
  echo "apt-get could not install:$missing" >&2
  echo "Is there a network, and is this Debian 12 (bookworm) or later?" >&2
  exit 1
fi
