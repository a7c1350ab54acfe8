# SPDX-License-Identifier: LGPL-2.1-or-later
# `. FOLDER/env.sh`, with FOLDER in PACO_HOME if the shell is not bash: GStreamer
# finds the plugin and its encoding profiles in the folder of this file.
PACO_HOME=${PACO_HOME:-$(cd "$(dirname "${BASH_SOURCE:-$0}")" && pwd)}
export GST_PLUGIN_PATH_1_0="$PACO_HOME/lib/gstreamer-1.0${GST_PLUGIN_PATH_1_0:+:$GST_PLUGIN_PATH_1_0}"
export GST_ENCODING_TARGET_PATH="$PACO_HOME/share/gstreamer-1.0/encoding-profiles${GST_ENCODING_TARGET_PATH:+:$GST_ENCODING_TARGET_PATH}"
