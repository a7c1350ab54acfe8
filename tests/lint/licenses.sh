#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Checks that every source file says under which license it may be used.
cd "${PACO_SOURCE_ROOT:?}" || exit 1
failed=0
for file in $(sh tests/lint/sources.sh '*.c' '*.h' '*.cu' '*.sh' '*.py'); do
  if ! head -n 3 "$file" |
    grep -q 'SPDX-License-Identifier: LGPL-2.1-or-later'; then
    echo "$file has no SPDX-License-Identifier in its first lines."
    failed=1
  fi
done
exit $failed
