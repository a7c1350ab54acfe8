#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Checks that dependencies run one way: plugin -> caps, lib/stream -> codec;
# lib -> lib/stream -> gpu -> codec; tool -> tool/archive -> lib, codec. Bindings need
# paco.h, and not each other. The two CPU
# coders are written apart, so that one can judge the other. Files of a folder do not
# need each other in a circle, but for types and debug categories.
cd "${PACO_SOURCE_ROOT:?}" || exit 1
failed=0

# forbid FOLDER PATTERN...: no file in FOLDER includes a path like these.
forbid () {
  folder=$1
  shift
  [ -d "$folder" ] || return 0
  for pattern; do
    if grep -rnE --include='*.[ch]' --include='*.[ch]pp' --include='*.cu' --include='*.inc' \
      "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]$pattern" "$folder"
    then
      echo "$folder/ must not include this."
      failed=1
    fi
  done
}

forbid codec 'gst/' 'cuda' 'caps/' 'plugin/' 'lib/' 'gpu/' 'tool/' 'tests/' '\.\./'
forbid lib/stream 'gst/' 'cuda' 'caps/' 'plugin/' 'lib/[^s]' 'tool/' 'codec/reference' 'tests/'
forbid caps 'cuda' 'plugin/' 'lib/' 'gpu/' 'codec/cpu' 'codec/reference' 'tests/'
forbid gpu 'gst/' 'caps/' 'plugin/' 'lib/' 'codec/cpu' 'codec/reference' 'tests/'
forbid lib 'gst/' 'cuda' 'caps/' 'plugin/' 'tool/' 'codec/reference' 'codec/cpu' 'tests/'
forbid tool/archive 'gst/' 'cuda' 'caps/' 'gpu/' 'plugin/' 'tool/[^a]' 'codec/reference' \
  'codec/cpu' 'tests/'
forbid tool 'cuda' 'caps/' 'gpu/' 'plugin/' 'codec/reference' 'codec/cpu' 'tests/'
forbid plugin 'lib/[^s]' 'tool/' 'codec/reference' 'codec/cpu' 'tests/'
forbid bindings 'codec/' 'caps/' 'plugin/' 'lib/[^p]' 'gpu/' 'tool/' 'tests/'
for one in bindings/*; do
  for other in bindings/*; do
    [ "$one" = "$other" ] || forbid "$one" "$other/"
  done
done
forbid codec/reference 'codec/cpu'
forbid codec/cpu 'codec/reference'

# List which file uses which other file of its folder: file.c.o, or subfolder_file.c.o.
list_users () {
  nm -A ./*.c.o | awk -v folders=" $(cd "$1" && echo */) " '
    function folder_of (file) {
      sub (/_.*/, "/", file)
      return index (folders, " " file " ") ? file : ""
    }
    $NF ~ /_(get_type|debug)$/ { next }
    { sub (/.*\//, "", $1); sub (/\.c\.o:.*/, "", $1) }
    $(NF - 1) == "U" { uses[$1 " " $NF] }
    $(NF - 1) ~ /[A-TV-Z]/ { owner[$NF] = $1 }
    END {
      for (use in uses) {
        split (use, user)
        file = owner[user[2]]
        if (file && folder_of (file) == folder_of (user[1]))
          print user[1], file
      }
    }'
}

cd "${PACO_BUILD_ROOT:?}" || exit 1
for target in $(find caps codec gpu lib plugin tool -name '*.c.o' -exec dirname {} + | sort -u); do
  folder=${target%/*}
  if ! (cd "$target" && list_users "$PACO_SOURCE_ROOT/$folder") | tsort >/dev/null
  then
    echo "These files of $folder/ need each other."
    failed=1
  fi
done
exit $failed
