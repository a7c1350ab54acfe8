# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sourced by the scripts beside it, with $here set to their folder: finds the
# plugin, unless the caller's GST_PLUGIN_PATH says where it is. In the source
# tree that is the one that quickstart.sh or ninja built; elsewhere GStreamer
# finds the installed one by itself.

# Tools of another Python that come first in PATH have no GStreamer bindings.
PATH=/usr/bin:/bin:$PATH
if [ -z "${GST_PLUGIN_PATH_1_0:-${GST_PLUGIN_PATH:-}}" ] &&
  [ -f "${PACO_BUILD_ROOT:-$here/../build}/plugin/libgstpaco.so" ]; then
  GST_PLUGIN_PATH_1_0=$(cd "${PACO_BUILD_ROOT:-$here/../build}/plugin" && pwd)
  # A registry of its own keeps the user's as it is.
  GST_REGISTRY_1_0=${GST_REGISTRY_1_0:-$(cd "$here/../build" && pwd)/registry.bin}
  export GST_PLUGIN_PATH_1_0 GST_REGISTRY_1_0
fi
