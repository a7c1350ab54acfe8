#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Checks that the plugin exports its entry points and nothing else, and is
# linked to no CUDA library: it loads on any machine. The plugin and paco have the codec
# from the libpaco of their own version, and do not load with another one.
build=${PACO_BUILD_ROOT:?}
plugin=$build/plugin/libgstpaco.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
[ -e "$plugin" ] || { echo "$plugin is missing."; exit 1; }

others=$(nm -D --defined-only "$plugin" | awk '{ print $NF }' |
  grep -v '^gst_plugin_paco_')
if [ -n "$others" ]; then
  echo "Exported, but no entry point of a plugin: $others"
  failed=1
fi
for entry in gst_plugin_paco_get_desc gst_plugin_paco_register; do
  if ! nm -D --defined-only "$plugin" | grep -q " $entry$"; then
    echo "$entry is not exported."
    failed=1
  fi
done
if readelf -d "$plugin" | grep NEEDED | grep -iE 'cuda|nvrtc|nvidia'; then
  echo "The plugin must not be linked to this."
  failed=1
fi

# This is a libpaco that differs in nothing but its version.
node=$(sed -n 's/^\(PACO_PRIVATE_.*\) {/\1/p' "$build/lib/paco.map")
sed 's/^PACO_PRIVATE_.*/PACO_PRIVATE_0.0.1 {/' "$build/lib/paco.map" >"$work/map"
nm -D --defined-only "$build/lib/libpaco.so.1" |
  awk '$2 == "T" { sub ("@.*", "", $3); print $3 }' | LC_ALL=C sort >"$work/exported"
sed 's/.*/void & (void) {}/' "$work/exported" >"$work/other.c"
${CC:-cc} -shared -fPIC -w -Wl,-soname,libpaco.so.1 \
  -Wl,--version-script="$work/map" -o "$work/libpaco.so.1" "$work/other.c" || exit 1
for file in "$plugin" "$build/tool/paco"; do
  [ -e "$file" ] || continue
  if nm --defined-only "$file" | awk '{ print $3 }' | LC_ALL=C sort |
    comm -12 - "$work/exported" | grep .; then
    echo "$file has this in itself, and libpaco has it too."
    failed=1
  fi
  if ! LD_LIBRARY_PATH=$work ldd -r "$file" 2>&1 |
    grep -qF "libpaco.so.1: version \`$node' not found (required by $file)"; then
    echo "$file loads with the libpaco of another version."
    failed=1
  fi
done
exit $failed
