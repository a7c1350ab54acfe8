# SPDX-License-Identifier: LGPL-2.1-or-later
# targets.sh is what run.sh and long.sh share: the list of fuzz targets, how they are
# built and run, and what is counted. Both source it, at the top of the sources.
#
# CLANG: the compiler; JOBS: the number of targets that run at the same time; COVERAGE=no:
# lines are not counted, for which the targets take a sixth less time to compile.
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
clang=${CLANG:-clang-14}
version=${clang#clang}
build=build/fuzz
programs=$build/tests/fuzz
targets='restore part reader container source sound library rtp push pull header
  frame variants encoder'

counted='-fprofile-instr-generate -fcoverage-mapping'
[ "${COVERAGE:-yes}" = yes ] || counted=

# Configures and compiles. A folder that another checkout left here, or that counts lines
# otherwise, is made again.
configure_and_compile () {
  [ "$(cat $build/counted 2>/dev/null)" = "$counted" ] || rm -rf $build
  meson setup --reconfigure $build . || rm -rf $build
  [ -f $build/build.ninja ] ||
    CC=$clang CXX=clang++$version meson setup $build . --werror \
      -Dcuda=disabled -Dbench=false -Dfuzz=true -Doptimization=1 -Ddebug=false \
      -Dc_args="-g1 $counted" -Dc_link_args="$counted" \
      -Db_sanitize=address,undefined -Db_lundef=false ||
    return 1
  echo "$counted" >$build/counted
  # shellcheck disable=SC2046
  ninja -C $build -j "$jobs" tests/fuzz/fuzz-seeds \
    $(for t in $targets; do echo "tests/fuzz/fuzz-$t"; done)
}

# Builds the targets, makes their seeds, and finds out whether this system lets
# processes look for leaks.
prepare () {
  mkdir -p build
  configure_and_compile >build/fuzz.log 2>&1 || {
    grep -E 'rror' build/fuzz.log | head -n 50
    echo "fuzz: the targets do not compile (build/fuzz.log)."
    exit 1
  }
  leaks=1
  echo 'int main (void) { return 0; }' >build/leaks.c
  $clang -fsanitize=address -o build/leaks build/leaks.c &&
    ASAN_OPTIONS=detect_leaks=1 build/leaks >/dev/null 2>&1 || leaks=0
  rm -rf $build/seeds $build/corpus
  $programs/fuzz-seeds $build/seeds tests/golden/*.paco &&
    python3 tests/fuzz/seeds.py $build/corpus >/dev/null || exit 1
}

# seeds TARGET prints the folders of the inputs that it begins with: those that
# fuzz-seeds has made, and the named ones.
seeds () {
  case $1 in
    push | pull | reader) echo $build/seeds/streams ;;
    rtp | library) echo $build/seeds/prefixed ;;
    source) echo $build/seeds/files ;;
    sound | restore | part | container) ;;
    *) echo $build/seeds/frames ;;
  esac
  [ -d "$build/corpus/$1" ] && echo "$build/corpus/$1"
}

# fuzz TARGET OPTION... FOLDER...: runs its program. GLib has no frame pointers: as in
# tests/lint/sanitize.sh, stacks are walked the slow way where leaks are distinguished
# from what libraries leave. Leaks are looked for when a program ends.
fuzz () {
  target=$1
  shift
  options=detect_leaks=$leaks:allocator_may_return_null=1
  case $target in
    push | pull | rtp | container)
      options=$options:fast_unwind_on_malloc=0:malloc_context_size=10 ;;
  esac
  # Restored files are synced, which takes long on a disk. A program that was ended
  # leaves its files.
  files=${TMPDIR:-/tmp}
  [ -w /dev/shm ] && files=/dev/shm
  files=$(mktemp -d "$files/fuzz-$target-XXXXXX") || return 1
  LLVM_PROFILE_FILE=$build/$target.profraw TMPDIR=$files \
    GST_REGISTRY=$build/registry.bin GST_REGISTRY_FORK=yes \
    G_SLICE=always-malloc ASAN_OPTIONS=$options \
    LSAN_OPTIONS=print_suppressions=0:suppressions=tests/lint/leaks.supp \
    UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
    "$programs/fuzz-$target" -max_len=32768 -timeout=25 -entropic=0 \
    -rss_limit_mb=2048 -detect_leaks=0 -print_final_stats=1 "$@"
  set -- $?
  rm -rf "$files"
  return "$1"
}

# mutated FILE... prints the number of inputs that the runs of these outputs have made
# and tried: libFuzzer counts the seeds as well, and says with INITED how many.
mutated () {
  cat "$@" | awk '
    $2 == "INITED" { n -= substr($1, 2) }
    /^stat::number_of_executed_units:/ { n += $2 }
    END { printf "%d\n", n }'
}

# in_turns FUNCTION: calls it for each target, $jobs at the same time.
in_turns () {
  running=0
  for target in $targets; do
    "$1" "$target" &
    running=$((running + 1))
    if [ $running -ge "$jobs" ]; then
      wait
      running=0
    fi
  done
  wait
}

# lines TARGET... writes to $build/coverage.txt which lines of the sources these targets
# have reached when they ran last.
lines () {
  profiles=
  objects="-object $build/lib/libpaco.so"
  for target; do
    profiles="$profiles $build/$target.profraw"
    objects="$objects -object $programs/fuzz-$target"
  done
  # shellcheck disable=SC2086
  llvm-profdata$version merge -sparse $profiles -o $build/all.profdata &&
    llvm-cov$version report -instr-profile $build/all.profdata $objects \
      -ignore-filename-regex='(tests|caps|tables)/' >$build/coverage.txt 2>&1
}

# Prints how many lines each target reaches, and the share of each folder's that all
# of them do.
coverage () {
  [ "$counted" ] || return 0
  command -v llvm-profdata$version >/dev/null 2>&1 || {
    echo "fuzz: llvm-profdata$version is missing: lines are not counted."
    return
  }
  for target in $targets; do
    lines "$target"
    awk -v target="$target" '$1 == "TOTAL" {
      printf "fuzz: %-9s %6d lines reached\n", target, $8 - $9 }' \
      $build/coverage.txt
  done
  # shellcheck disable=SC2086
  lines $targets
  for part in codec plugin lib tool; do
    awk -v part="$part" '
      /^-+$/ { next }
      $1 ~ "(^|/)" part "/" && $1 !~ /reference/ || (part == "codec" &&
        $1 ~ /^cpu\//) { lines += $8; missed += $9 }
      END { if (lines) printf "fuzz: %s/: %.1f %% of %d lines reached\n",
        part, 100 * (lines - missed) / lines, lines }' $build/coverage.txt
  done
}
