#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# sh tests/fuzz/long.sh HOURS [FOLDER]: fuzzes with all targets on all cores, in turns
# of five minutes at most, for HOURS (0.5 is half an hour) in all. New inputs are kept in
# FOLDER/corpus/TARGET, where the next call goes on from them, and what ended a target,
# with what it printed, in FOLDER/found. FOLDER is gst-paco/fuzz in XDG_CACHE_HOME
# (~/.cache) unless one is given. A target that found something goes on with its turn.
#
# After each round, and at the end, it prints what was tried. The last line is `N passed,
# N failed`: targets without and with findings. CLANG and JOBS: see targets.sh.
set -u
cd "$(dirname "$0")/../.." || exit 1
hours=${1:?HOURS}
folder=${2:-${XDG_CACHE_HOME:-$HOME/.cache}/gst-paco/fuzz}
. tests/fuzz/targets.sh
most_findings=10 # of a target in one turn
stamp=$(date +%Y%m%d-%H%M)

# Sets rounds and turn (seconds): all turns of all targets on $jobs cores take HOURS.
plan () {
  n=$(echo "$targets" | wc -w)
  all=$(awk -v h="$hours" -v j="$jobs" -v n="$n" 'BEGIN {
    print int (h * 3600 * j / n) }')
  [ "$all" -gt 0 ] || {
    echo "long.sh: HOURS is a number above 0, as in 0.5, not $hours." >&2
    exit 1
  }
  rounds=$(((all + 299) / 300))
  turn=$((all / rounds))
}

# Lets a target run for a turn. What it finds ends its program, which is then started
# again for the rest of the time.
take_turn () {
  end=$(($(date +%s) + turn))
  findings=0
  mkdir -p "$folder/corpus/$1"
  while left=$((end - $(date +%s))) && [ $left -gt 0 ]; do
    log=$folder/logs/$1-$round-$findings
    input=$folder/found/$1-$stamp-$round-$findings-
    # shellcheck disable=SC2046
    if fuzz "$1" -max_total_time=$left -reload=0 -artifact_prefix="$input" \
      "$folder/corpus/$1" $(seeds "$1") >"$log" 2>&1; then
      continue
    fi
    python3 tests/fuzz/tell.py "$1" "$log" "$input"
    mv "$log" "$log.failed"
    cp "$log.failed" "${input}log"
    findings=$((findings + 1))
    [ $findings -lt $most_findings ] || return
  done
}

# Keeps the fewest inputs that reach what all of them do.
merge () {
  new=$folder/merged/$1
  rm -rf "$new"
  mkdir -p "$new"
  # shellcheck disable=SC2046
  fuzz "$1" -merge=1 -artifact_prefix="$folder/found/$1-" "$new" \
    "$folder/corpus/$1" $(seeds "$1") >"$folder/logs/$1-merge" 2>&1 &&
    rm -rf "$folder/corpus/$1" && mv "$new" "$folder/corpus/$1"
  # This replay counts the lines.
  fuzz "$1" -runs=0 "$folder/corpus/$1" >"$folder/logs/$1-replay" 2>&1
}

# Prints the executions and findings of each target.
tell () {
  passed=0 failed=0
  for target in $targets; do
    found=$(find "$folder/logs" -name "$target-*.failed" | wc -l)
    printf 'fuzz: %-9s %10d executions %6d inputs kept %4d findings\n' "$target" \
      "$(mutated "$folder/logs/$target"-[0-9]*)" \
      "$(find "$folder/corpus/$target" -type f | wc -l)" "$found"
    if [ "$found" = 0 ]; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
    fi
  done
}

prepare
plan
mkdir -p "$folder/found" "$folder/merged"
rm -rf "$folder/logs" $build/*.profraw
mkdir "$folder/logs"
echo "fuzz: $rounds rounds of $turn s for each target, $jobs at the same time"
round=0
while [ $round -lt $rounds ]; do
  in_turns take_turn
  round=$((round + 1))
  echo "fuzz: round $round of $rounds"
  tell
done
in_turns merge
tell
coverage
echo "$passed passed, $failed failed"
[ $failed = 0 ]
