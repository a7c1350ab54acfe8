#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs the tests that test.sh has built, or packed with this file in their folder.
here=$(cd "$(dirname "$0")" && pwd)
root=${ROOT:-$here}
python=${PYTHON:-python3}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
n_passed=0 n_failed=0

# Runs a test and adds up what its last line says. What the host says of refusals is dropped.
run () {
  title=$1
  shift
  echo "== $title"
  { "$@" 2>"$log.errors" || echo "$title: exit status $?" >>"$log.errors"; } |
    tee "$log"
  grep -q ' passed, [0-9]* failed$' "$log" || {
    tail -n 30 "$log.errors"
    echo "0 passed, 1 failed" >>"$log"
  }
  grep -A 30 -E 'Sanitizer|runtime error|Traceback' "$log.errors"
  n_passed=$((n_passed + $(sed -n '$s/^\([0-9]*\) passed, .*/\1/p' "$log")))
  n_failed=$((n_failed + $(sed -n '$s/.* passed, \([0-9]*\) failed$/\1/p' "$log")))
  rm -f "$log.errors"
}

NVIMGCODEC_EXTENSIONS_PATH=$root/extensions
export NVIMGCODEC_EXTENSIONS_PATH
run 'the library of nvImageCodec' "$root/test" "${GOLDEN:-$root/golden}" ${SEED:+"$SEED"}
if "$python" -c 'import numpy' 2>/dev/null; then
  # The folder "nvidia" of other packages is another one.
  [ -d "$root/nvidia" ] && export NVIDIA="$root/nvidia" PYTHONPATH="$root${PYTHONPATH:+:$PYTHONPATH}"
  run "its module for Python" "$python" "${MODULE:-$root/module.py}" \
    "${GOLDEN:-$root/golden}" ${SEED:+"$SEED"}
else
  echo "SKIP: $python has no NumPy"
fi
[ -z "${DALI:-}" ] || run 'DALI' "$python" "$DALI" "$GOLDEN"
if [ -n "${SANITIZED:-}" ]; then
  NVIMGCODEC_EXTENSIONS_PATH=$SANITIZED/extensions
  DAMAGED=${DAMAGED:-2000} ASAN_OPTIONS=detect_leaks=0
  export DAMAGED ASAN_OPTIONS
  run 'the same with the address sanitizer' "$SANITIZED/test" "$GOLDEN" ${SEED:+"$SEED"}
fi
echo "$n_passed passed, $n_failed failed"
[ "$n_failed" -eq 0 ]
