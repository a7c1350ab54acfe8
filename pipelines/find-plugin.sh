# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sourced by the scripts beside it, with $here set to their folder: finds the
# plugin, unless the caller's GST_PLUGIN_PATH says where it is. In the source
# tree that is the one in $build, which quickstart.sh or ninja has built; where
# the scripts are installed, GStreamer finds the plugin by itself.

# Tools of another Python that come first in PATH have no GStreamer bindings.
PATH=/usr/bin:/bin:$PATH
build=${PACO_BUILD_ROOT:-$here/../build}
if [ -z "${GST_PLUGIN_PATH_1_0:-${GST_PLUGIN_PATH:-}}" ] &&
  [ -f "$build/plugin/libgstpaco.so" ]; then
  build=$(cd "$build" && pwd)
  export GST_PLUGIN_PATH_1_0="$build/plugin"
  # A registry of its own keeps the user's as it is.
  export GST_REGISTRY_1_0="${GST_REGISTRY_1_0:-$build/registry.bin}"
fi
