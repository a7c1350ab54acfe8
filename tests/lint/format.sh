#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Checks that every C file looks as .clang-format says. Only version 14
# decides: other versions format some lines otherwise. 77 tells meson that this
# was skipped.
cd "${PACO_SOURCE_ROOT:?}" || exit 1
for tool in clang-format-14 clang-format; do
  case $($tool --version 2>/dev/null) in
    *'version 14.'*)
      sh tests/lint/sources.sh '*.c' '*.h' |
        xargs "$tool" --dry-run -Werror --ferror-limit=3
      exit
      ;;
  esac
done
echo "clang-format 14 is not installed."
exit 77
