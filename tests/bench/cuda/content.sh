#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Says which picture benchmarks for a GPU code (content.h), if there is one:
#
#   tests/bench/cuda/content.sh FOLDER
#
# It is that of PACO_CONTENT, or one of the corpus (PACO_CORPUS), which is unpacked into
# FOLDER. tests/gpu/run.sh and tests/lab/run.sh call it.
corpus=${PACO_CORPUS:-../shared/corpus}
if [ -n "${PACO_CONTENT:-}" ]; then
  echo "$PACO_CONTENT"
elif [ -e "$corpus/p4k_canyon.ppm.xz" ] &&
  xz -dc "$corpus/p4k_canyon.ppm.xz" >"$1/p4k_canyon.ppm"; then
  echo "$1/p4k_canyon.ppm"
fi
