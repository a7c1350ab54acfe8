#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# sh bindings/hdf5/test.sh [--sanitizer]: makes the filter and tests it in h5py from PyPI, in a
# virtual environment, and in h5repack of Debian's hdf5-tools, whose packages are unpacked in
# a folder and not installed. The last line says how many tests passed and failed.
#
#   --sanitizer    in h5py alone, with the address sanitizer in the filter and in libpaco, and
#                  more damage
#
# FOLDER=...: instead of build/hdf5. DAMAGED=N: see tests/hosts.py. PYTHON=...: instead of
# python3.
set -eu
cd "$(dirname "$0")/../.."
sanitizer=
case ${1:-} in
  --sanitizer) sanitizer=1 ;;
  ?*)
    sed -n '3,12s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
folder=${FOLDER:-build/hdf5}
. bindings/host.sh

if ! [ -x "$folder/root/usr/bin/h5repack" ]; then
  mkdir -p "$folder/packages"
  # The library's name has its version, which is another one in each Debian.
  library=$(apt-cache depends libhdf5-dev 2>/dev/null | grep -oE 'libhdf5-[0-9]+[0-9a-z-]*' |
    head -n 1)
  (cd "$folder/packages" && apt-get -qq download libhdf5-dev hdf5-tools "$library" \
    libaec0 libsz2) >"$folder/packages.log" 2>&1 ||
    skip "Debian's packages of HDF5 cannot be had: $(tail -n 1 "$folder/packages.log")"
  for package in "$folder"/packages/*.deb; do
    dpkg -x "$package" "$folder/root"
  done
fi
headers=$(dirname "$(find "$folder/root" -name hdf5.h)")
printf 'Name: hdf5\nDescription: headers of HDF5\nVersion: 1\nCflags: -I%s\n' "$headers" \
  >"$folder/hdf5.pc"
PKG_CONFIG_PATH=$folder${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
libraries=$(dirname "$(find "$folder/root" -name 'libhdf5_serial.so.*' | head -n 1)")

environment hosts h5py
build=$folder/build${sanitizer:+-asan}
TARGETS='lib/libpaco.so.1 bindings/hdf5/libh5paco.so'
libpaco "$build" -Dwheel=true -Dcuda=disabled -Dhdf5=enabled \
  ${sanitizer:+-Dbuildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false}

HDF5_PLUGIN_PATH=$build/bindings/hdf5
H5REPACK="env LD_LIBRARY_PATH=$libraries:$(dirname "$libraries") $folder/root/usr/bin/h5repack"
export HDF5_PLUGIN_PATH H5REPACK
if [ -n "$sanitizer" ]; then
  # h5repack's other libraries wait for a lock for ever when it exits with the sanitizer.
  H5REPACK=
  LD_PRELOAD="$(cc -print-file-name=libasan.so) $(cc -print-file-name=libubsan.so)"
  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1 DAMAGED=${DAMAGED:-2000}
  export LD_PRELOAD ASAN_OPTIONS UBSAN_OPTIONS DAMAGED
fi
exec "$folder/hosts/bin/python" bindings/hdf5/tests/hosts.py tests/golden \
  "$build/bindings/hdf5/libh5paco.so"
