#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# sh tests/fuzz/run.sh SECONDS: builds the fuzz targets with Clang, libFuzzer and
# the address and undefined behavior sanitizers, runs them all for SECONDS in
# total, several at a time, and prints executions and the lines of codec/ and
# plugin/ that they reached. What ends a target is kept in build/fuzz/found/ and
# fails the run, which says last what it is (tell.py):
# build/fuzz/tests/fuzz/fuzz-TARGET FILE tries it again.
#
# Each target goes on from build/fuzz/corpus/TARGET, which begins with frames
# that fuzz-seeds makes, and from the inputs of tests/fuzz/corpus/TARGET.
# CLANG: the compiler; JOBS: targets at once.
set -u
cd "$(dirname "$0")/../.." || exit 1
seconds=${1:?seconds in total}
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
clang=${CLANG:-clang-14}
version=${clang#clang}
folder=build/fuzz
programs=$folder/tests/fuzz
targets='header frame variants encoder push pull rtp library source sound'

build () {
  # A folder that another checkout left behind is made anew.
  meson setup --reconfigure $folder . || rm -rf $folder
  [ -f $folder/build.ninja ] ||
    CC=$clang CXX=clang++$version meson setup $folder . --werror \
      -Dcuda=disabled -Dbench=false -Dfuzz=true -Dbuildtype=debugoptimized \
      -Db_sanitize=address,undefined -Db_lundef=false ||
    return 1
  # shellcheck disable=SC2046
  ninja -C $folder -j "$jobs" tests/fuzz/fuzz-seeds \
    $(for t in $targets; do echo "tests/fuzz/fuzz-$t"; done)
}

# Leaks are looked for where this system lets them be.
leaks=1
mkdir -p build
echo 'int main (void) { return 0; }' >build/leaks.c
$clang -fsanitize=address -o build/leaks build/leaks.c &&
  ASAN_OPTIONS=detect_leaks=1 build/leaks >/dev/null 2>&1 || leaks=0

build >build/fuzz.log 2>&1 || {
  grep -E 'rror' build/fuzz.log | head -n 50
  echo "fuzz: the targets do not compile (build/fuzz.log)."
  exit 1
}
mkdir -p $folder/found
rm -f $folder/found/* $folder/*.profraw $folder/*.out
$programs/fuzz-seeds $folder/seeds tests/golden/*.paco || exit 1

n=$(echo "$targets" | wc -w)
each=$(((seconds + n - 1) / n))

# GLib has no frame pointers: as in tests/lint/sanitize.sh, stacks are walked the
# slow way where leaks are told from what libraries leave behind.
asan=detect_leaks=$leaks:allocator_may_return_null=1
elements_asan=$asan:fast_unwind_on_malloc=0:malloc_context_size=10

# fuzz TARGET: leaks are looked for when it ends.
fuzz () {
  case $1 in
    push | pull) seeds=$folder/seeds/streams options=$elements_asan ;;
    rtp) seeds=$folder/seeds/prefixed options=$elements_asan ;;
    library) seeds=$folder/seeds/prefixed options=$asan ;;
    source) seeds=$folder/seeds/files options=$asan ;;
    sound) seeds=$folder/seeds/sound options=$asan ;;
    *) seeds=$folder/seeds/frames options=$asan ;;
  esac
  mkdir -p "$folder/corpus/$1"
  kept=
  [ -d "tests/fuzz/corpus/$1" ] && kept=tests/fuzz/corpus/$1
  # shellcheck disable=SC2086
  LLVM_PROFILE_FILE=$folder/$1.profraw \
    GST_REGISTRY=$folder/registry.bin GST_REGISTRY_FORK=yes \
    G_SLICE=always-malloc \
    ASAN_OPTIONS=$options \
    LSAN_OPTIONS=print_suppressions=0:suppressions=tests/lint/leaks.supp \
    UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
    "$programs/fuzz-$1" -max_total_time=$each -max_len=32768 -timeout=25 \
    -rss_limit_mb=2048 -detect_leaks=0 -print_final_stats=1 \
    -artifact_prefix="$folder/found/$1-" "$folder/corpus/$1" $seeds $kept \
    >"$folder/$1.out" 2>&1 || echo "$1" >>$folder/failed
}

rm -f $folder/failed
running=0
for target in $targets; do
  fuzz "$target" &
  running=$((running + 1))
  if [ $running -ge "$jobs" ]; then
    wait
    running=0
  fi
done
wait

total=0
for target in $targets; do
  done=$(sed -n 's/^stat::number_of_executed_units: *//p' \
    "$folder/$target.out" | tail -n 1)
  total=$((total + ${done:-0}))
  printf 'fuzz: %-9s %8d executions in %d s\n' "$target" "${done:-0}" "$each"
done
echo "fuzz: $total executions"

objects="-object $folder/lib/libpaco.so"
for target in $targets; do
  objects="$objects -object $programs/fuzz-$target"
done
if command -v llvm-profdata$version >/dev/null 2>&1; then
  llvm-profdata$version merge -sparse $folder/*.profraw \
    -o $folder/all.profdata &&
    # shellcheck disable=SC2086
    llvm-cov$version report -instr-profile $folder/all.profdata $objects \
      -ignore-filename-regex='(tests|caps|tables)/' >$folder/coverage.txt 2>&1
  for part in codec plugin lib archive; do
    awk -v part="$part" '
      /^-+$/ { next }
      $1 ~ "(^|/)" part "/" && $1 !~ /reference/ || (part == "codec" &&
        $1 ~ /^cpu\//) { lines += $8; missed += $9 }
      END { if (lines) printf "fuzz: %s/: %.1f %% of %d lines reached\n",
        part, 100 * (lines - missed) / lines, lines }' $folder/coverage.txt
  done
else
  echo "fuzz: llvm-profdata$version is not there: lines are not counted."
fi

if ! [ -f $folder/failed ]; then
  echo "fuzz: passed"
  exit 0
fi
while read -r target; do
  python3 tests/fuzz/tell.py "$target" "$folder/$target.out" \
    "$folder/found/$target-"
done <$folder/failed
echo "fuzz: failed: $(sort $folder/failed | tr '\n' ' ')"
exit 1
