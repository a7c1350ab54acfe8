#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Checks that the plugin exports its entry points and nothing else, and is
# linked to no CUDA library: it loads on any machine.
plugin=${PACO_BUILD_ROOT:?}/plugin/libgstpaco.so
[ -e "$plugin" ] || { echo "$plugin is missing."; exit 1; }
failed=0

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
exit $failed
