#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# sh tests/run.sh [STAGE...]: builds the project with warnings as errors and runs
# the tests that need no GPU, from a clean checkout on a bare Debian 12. The last
# line says how many tests passed and failed; the status is 0 when none failed.
#
# Without a STAGE these run, in this order:
#   plain       the tests, with GCC; the CUDA kernels are compiled where nvcc is
#   arm64       the codec's tests, in an emulator
#   sanitizers  most tests again, with the address and undefined behavior sanitizers
#   threads     tests that have threads, with the thread sanitizer
#   clang       the codec's tests, of what Clang has made
#   fuzz        the fuzz targets, each with FUZZ seconds of mutation (2)
# Parts of plain, for the loop in between:
#   lint        what looks at sources and documents
#   quick       the codec, libpaco, the tool and the elements, with few random cases
# Only when named:
#   long        before a release: what plain, sanitizers and clang leave out because of
#               its time, and the codec's tests with more random cases
#   laboratory  after a change to tests/lab or to what it includes: its programs
#               and tests
#
# JOBS=N: compilers and tests at once.
set -u
cd "$(dirname "$0")/.." || exit 1
# Tools of another Python that come first in PATH have no GStreamer bindings.
PATH=/usr/bin:/bin:$PATH:/usr/local/cuda/bin
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
clang=clang-14
results=build/results
export MESON_TESTTHREADS="$jobs"

fail () {
  echo "$*" >&2
  echo "0 passed, 1 failed"
  exit 1
}

# What these tests and suites need is built (needed.py), or all if there are none.
tests=

# A stack shows functions and lines with these. With -O2, or with what -g describes besides,
# which no test looks at, the sanitizers' code takes twice as long to compile.
sanitized='-Doptimization=1 -Ddebug=false -Dc_args=-g1 -Db_lundef=false'

# build FOLDER OPTION...: configures and compiles. A folder that another
# checkout or an older meson left behind is made again.
build () {
  folder=$1
  shift
  if ! [ -f "$folder/build.ninja" ] ||
    ! meson setup --reconfigure "$folder" . "$@" >"$folder.log" 2>&1; then
    rm -rf "$folder"
    meson setup "$folder" . "$@" >"$folder.log" 2>&1 || {
      cat "$folder.log"
      fail "meson could not configure $folder."
    }
  fi
  # shellcheck disable=SC2046,SC2086
  ninja -C "$folder" -j "$jobs" \
    $([ -z "$tests" ] || /usr/bin/python3 tests/needed.py "$folder" $tests) \
    >"$folder.log" 2>&1 || {
    grep -vE '^\[[0-9]+/[0-9]+\]' "$folder.log" | head -n 200
    fail "$folder does not compile."
  }
}

# run_tests NAME FOLDER OPTION...: results are collected by count.py.
run_tests () {
  name=$1 folder=$2
  shift 2
  # Some tests wait for other processes or for a clock: twice as many as there are
  # cores keep these busy.
  meson test -C "$folder" --no-rebuild --num-processes $((2 * jobs)) \
    "$@" >"$folder.log" 2>&1
  status=$?
  log=$(ls "$folder"/meson-logs/testlog*.json 2>/dev/null | tail -n 1)
  cp "$log" "$results/$name.json" 2>/dev/null || {
    cat "$folder.log"
    fail "meson test ended with status $status and left no results."
  }
  rm -f "$folder"/meson-logs/testlog*.json
}

# run_script NAME COMMAND... runs a script that is one test, and no test of
# meson's. What it prints is shown; its last line says how it ended
# (result.py).
run_script () {
  name=$1
  shift
  begun=$(date +%s)
  {
    "$@" 2>&1
    echo $? >"build/$name.status"
  } | tee "build/$name.out"
  /usr/bin/python3 tests/result.py "$name" "build/$name.out" \
    "$(cat "build/$name.status")" $(($(date +%s) - begun)) \
    >"$results/$name.json"
}

# The leak check traces the process; some containers forbid that.
leaks_can_be_found () {
  echo 'int main (void) { return 0; }' >build/leaks.c
  cc -fsanitize=address -o build/leaks build/leaks.c &&
    ASAN_OPTIONS=detect_leaks=1 build/leaks
}

build_plain () {
  echo "Building in build/test ..."
  if command -v nvcc >/dev/null 2>&1; then
    # Whether kernels compile depends neither on the architecture nor, since CUDA 13,
    # on how well: they take 25 s of a core instead of 100.
    if nvcc --help 2>/dev/null | grep -q -e --Ofast-compile; then
      export NVCC_APPEND_FLAGS=-Ofc=max
    fi
    build build/test --werror -Dcuda=enabled -Dcuda-archs=90 "$@"
    echo "The CUDA backend is compiled; only tests/gpu/run.sh runs it on a GPU."
  else
    # No GPU is of use then.
    export CUDA_VISIBLE_DEVICES=
    build build/test --werror -Dcuda=enabled -Dcuda-archs= "$@"
    echo "There is no CUDA toolkit (nvcc) here: the CUDA backend is compiled" \
      "without kernels, which are only emulated."
  fi
}

# A tenth of the random cases is tried here, of which each run draws others.
run_plain () {
  build_plain -Dbench=true -Dsoak=true -Dlab=false
  echo "Testing ..."
  run_tests plain build/test --no-suite long
}

run_lint () {
  build_plain
  run_tests lint build/test --suite lint
}

run_quick () {
  build_plain
  run_tests quick build/test --suite quick
}

run_laboratory () {
  build_plain -Dlab=true
  run_tests laboratory build/test --suite lab
}

run_arm64 () {
  echo "Building and testing for arm64 ..."
  JOBS=$jobs run_script arm64 sh tests/arm64.sh --short
}

build_sanitized () {
  echo "Building in build/asan ..."
  # There are no kernels, but there is the code that drives them.
  # shellcheck disable=SC2086
  build build/asan --werror -Dcuda=enabled -Dcuda-archs= -Dsoak=true \
    $sanitized -Db_sanitize=address,undefined
  if ! leaks_can_be_found >/dev/null 2>&1; then
    echo "Leaks cannot be looked for: this system forbids the tracing."
    export PACO_LEAKS=0
  fi
}

# Scripts run the same elements in processes of other programs.
run_sanitizers () {
  build_sanitized
  echo "Testing with the sanitizers ..."
  run_tests asan build/asan --setup sanitize --no-suite pipelines \
    --no-suite sanitized-long
}

run_long () {
  build_plain -Dbench=true -Dsoak=true -Dlab=false
  echo "Testing ..."
  PACO_CASES=${PACO_CASES:-50%} run_tests long build/test --suite long --suite codec
  build_sanitized
  echo "Testing with the sanitizers ..."
  run_tests asan-long build/asan --setup sanitize --suite sanitized-long
  echo "Building and testing with Clang ..."
  test_with_clang clang-long 'codec lib' --suite codec --suite lib
}

# These tests have threads: the CPU backend's frames in flight, and elements in
# a storm.
run_threads () {
  echo "Building in build/thread ..."
  tests='storm cpu-backend allocations lib-round-trip lib-files lib-broken-files
    archive-units'
  # shellcheck disable=SC2086
  build build/thread --werror -Dcuda=disabled $sanitized -Db_sanitize=thread
  echo "Testing with the thread sanitizer ..."
  # shellcheck disable=SC2086
  run_tests thread build/thread --setup thread $tests
  tests=
}

has_clang () {
  sh pipelines/install-packages.sh clang || true
  command -v $clang >/dev/null 2>&1 ||
    fail "$clang cannot be had: no test of its code, and no fuzzing."
}

# test_with_clang NAME SUITES OPTION...: builds what tests of these suites need with Clang,
# and runs tests as run_tests does.
test_with_clang () {
  has_clang
  (
    export CC=$clang CXX=clang++${clang#clang}
    tests=$2
    build build/clang --werror -Dcuda=enabled -Dcuda-archs=
  ) || exit 1
  name=$1
  shift 2
  run_tests "$name" build/clang "$@"
}

# Clang has other warnings, and must make the same float results, which are all of the codec.
# For the fuzz targets it compiles the library, the tool and the plugin.
run_clang () {
  echo "Building and testing with Clang ..."
  test_with_clang clang codec --suite codec --no-suite sanitized-long \
    --no-suite unsanitized
}

run_fuzz () {
  has_clang
  echo "Fuzzing ..."
  # They wait for a clock, so twice as many as there are cores run.
  COVERAGE=no CLANG=$clang JOBS=$((2 * jobs)) \
    run_script fuzz sh tests/fuzz/run.sh "${FUZZ:-2}"
}

[ $# -gt 0 ] || set -- plain arm64 sanitizers threads clang fuzz
for stage; do
  case $stage in
    lint | quick | plain | long | laboratory | arm64 | sanitizers | threads | clang | fuzz) ;;
    *) fail "There is no stage $stage: see the first lines of tests/run.sh." ;;
  esac
done
sh pipelines/install-packages.sh build run test || fail "Packages are missing."
mkdir -p build
rm -rf "$results"
mkdir -p "$results"
for stage; do
  "run_$stage"
done
exec /usr/bin/python3 tests/count.py "$results"/*.json
