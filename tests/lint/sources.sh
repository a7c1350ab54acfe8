#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# sources.sh PATTERN...: lists the project's own files of these names, without
# build folders and hidden ones.
cd "${PACO_SOURCE_ROOT:?}" || exit 1
for pattern; do
  find . -name '.?*' -prune -o -name 'build*' -type d -prune -o \
    -name "$pattern" -type f -print
done | sed 's,^\./,,' | LC_ALL=C sort
