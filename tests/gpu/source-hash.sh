#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# One hash over the contents of what a run of tests/gpu/run.sh says something
# about: the sources of codec, caps, gpu and plugin, but not their prose.
set -eu
cd "$(dirname "$0")/../.."
find codec caps gpu plugin -type f ! -name '*.md' ! -name '*.pyc' |
  LC_ALL=C sort | while read -r file; do
  printf '%s ' "$file"
  sha256sum <"$file"
done | sha256sum | cut -c1-64
