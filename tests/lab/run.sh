#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Redoes the papers' experiments, and makes a report of them:
#
#   sh tests/lab/run.sh [cpu|gpu] [BUILD] [--short]
#
# BUILD (build) is a build folder; it is made, or brought up to date, where meson and
# ninja are. Every program lab-NAME of that half is run, and every script lab-NAME.py
# beside this file (of cpu) or in cuda/ (of gpu). What they print becomes
# that half of report/results.jsonl.xz, and report.py makes report/README.md of it. --short
# measures next to nothing, in BUILD/lab-report, to see that it works. What is skipped is
# named; the status is 1 if a program fails. PACO_CONTENT: the picture that programs for a
# GPU code, as in tests/gpu/run.sh. LAB_NVJPEG2K: the file of nvJPEG2000, if it is nowhere
# else (cuda/nvjpeg2k.h).
set -u
cd "$(dirname "$0")/../.." || exit
half=cpu build=build short=
for word; do
  case $word in
    cpu | gpu) half=$word ;;
    --short) short=--short ;;
    *) build=$word ;;
  esac
done
here=tests/lab
report=$here/report
export LAB_BUILD="$build" # for scripts
folder=$build/tests/lab
[ "$half" = cpu ] || folder=$folder/cuda
[ "$half" = cpu ] || here=$here/cuda

if command -v ninja >/dev/null && [ -z "${LAB_NO_BUILD:-}" ]; then
  if [ -f "$build/build.ninja" ]; then
    meson configure "$build" -Dlab=true || exit
  else
    meson setup "$build" . -Dlab=true || exit
  fi
  programs=$(ninja -C "$build" -t targets all |
    sed -n "s,^\\(${folder#"$build/"}/lab-[a-z0-9-]*\\): [a-z]*_LINKER.*,\\1,p")
  # shellcheck disable=SC2086
  ninja -C "$build" $programs >&2 || exit
fi
if [ -n "$short" ]; then
  report=$build/lab-report
  mkdir -p "$report"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
results=$work/results.jsonl
if [ "$half" = gpu ] && [ -z "$short" ]; then
  PACO_CONTENT=$(sh tests/bench/cuda/content.sh "$work")
  export PACO_CONTENT
fi

python=/usr/bin/python3
$python tests/lab/report.py --machine "$half" >"$results" || exit
failed=0
for program in "$folder"/lab-* "$here"/lab-*.py; do
  if ! [ -f "$program" ] || ! [ -x "$program" ]; then
    continue
  fi
  begun=$(date +%s)
  "$program" $short >"$work/program"
  case $? in
    0)
      cat "$work/program" >>"$results"
      echo "$(basename "$program"): $(($(date +%s) - begun)) s" >&2
      ;;
    77)
      why=$(tail -n 1 "$work/program")
      echo "$(basename "$program"): $why" >&2
      $python tests/lab/report.py --skipped "$(basename "$program")" "$why" \
        >>"$results"
      ;;
    *)
      echo "$(basename "$program") failed." >&2
      failed=1
      ;;
  esac
done
$python tests/lab/report.py "$report" "$half" "$results" || exit
echo "$report/README.md" >&2
exit $failed
