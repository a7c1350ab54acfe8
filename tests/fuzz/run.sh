#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# sh tests/fuzz/run.sh [SECONDS]: builds the fuzz targets with Clang, libFuzzer and the
# address and undefined behavior sanitizers. Each one replays its seeds (those that
# fuzz-seeds and seeds.py make), then mutates them for SECONDS (5), several targets at the
# same time. Prints the number of mutations and the lines of our sources that were
# reached. What ends a target is kept in build/fuzz/found/ and fails the run, and so does
# a target that mutates nothing. long.sh runs for hours.
#
# What tell.py prints last says what was found: build/fuzz/tests/fuzz/fuzz-TARGET FILE
# tries it again. CLANG and JOBS: see targets.sh.
set -u
cd "$(dirname "$0")/../.." || exit 1
seconds=${1:-5}
. tests/fuzz/targets.sh

# Time is taken from the end of the replay, which is slower on a busy machine: libFuzzer
# says INITED then, and ends when the stop file has something in it.
try () {
  rm -rf "$build/new/$1" "$build/$1.stop"
  mkdir -p "$build/new/$1"
  : >"$build/$1.out"
  # shellcheck disable=SC2046
  fuzz "$1" -stop_file="$build/$1.stop" -artifact_prefix="$build/found/$1-" \
    "$build/new/$1" $(seeds "$1") >"$build/$1.out" 2>&1 &
  pid=$!
  until grep -q 'INITED' "$build/$1.out" || ! kill -0 $pid 2>/dev/null; do
    sleep 0.2
  done
  sleep "$seconds"
  echo stop >"$build/$1.stop"
  wait $pid && [ "$(mutated "$build/$1.out")" -gt 0 ] ||
    echo "$1" >>$build/failed
}

prepare
mkdir -p $build/found
rm -f $build/found/* $build/*.profraw $build/*.out $build/failed
in_turns try
total=0
for target in $targets; do
  n=$(mutated "$build/$target.out")
  total=$((total + n))
  printf 'fuzz: %-9s %8d mutations in %d s\n' "$target" "$n" "$seconds"
done
coverage
echo "fuzz: $total mutations"
[ -f $build/failed ] || {
  echo "fuzz: passed"
  exit 0
}
for target in $(sort -u $build/failed); do
  python3 tests/fuzz/tell.py "$target" "$build/$target.out" \
    "$build/found/$target-"
done
echo "fuzz: failed: $(sort -u $build/failed | tr '\n' ' ')"
exit 1
