#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints one hash over the contents of what a run of tests/gpu/run.sh says
# something about: the sources that coding and the elements are made of, but
# not their prose.
set -eu
cd "$(dirname "$0")/../.."
find codec caps gpu lib plugin tool -type f ! -name '*.md' ! -name '*.pyc' |
  LC_ALL=C sort | while read -r file; do
  printf '%s ' "$file"
  sha256sum <"$file"
done | sha256sum | cut -c1-64
