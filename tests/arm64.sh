#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds for 64-bit Arm on another machine, with Debian's cross compiler, and runs
# tests of the codec in qemu-user: what NEON computes is compared with plain C and
# with the reference, the golden streams are decoded, and made again with the same
# bytes. Says nothing of speed.
#
#   tests/arm64.sh             the tests of the codec, all of them
#   tests/arm64.sh --short     some of them, with few cases: what tests/run.sh does
#   tests/arm64.sh --elements  the plugin with its CUDA backend: it loads, finds a
#                              driver, and codes with the same bytes as here
#   tests/arm64.sh --count FILE.ppm
#                              how many instructions the block coders take a sample
#
# The libraries are Debian's packages for arm64, unpacked into build/arm64/sysroot;
# this system's own packages stay as they are, but for the cross compiler and qemu
# (group arm64 of pipelines/packages.txt), which are installed where they are
# missing. The last line is "arm64: passed", "arm64: failed: ..." or "arm64:
# skipped: ...", and the status 0, 1 or 77. JOBS=N: compilers and tests at once.
set -u
cd "$(dirname "$0")/.." || exit 1
PATH=/usr/bin:/bin:$PATH
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
folder=$PWD/build/arm64
sysroot=$folder/sysroot
mode=${1:-}

fail () {
  echo "arm64: failed: $*"
  exit 1
}

skip () {
  echo "arm64: skipped: $*"
  exit 77
}

# quietly LOG COMMAND...: shows the end of what it printed if it fails.
quietly () {
  log=$folder/$1.log
  shift
  "$@" >"$log" 2>&1 || {
    tail -n 60 "$log"
    return 1
  }
}

in_qemu () {
  qemu-aarch64 -L "$sysroot" "$@"
}

# --- Libraries for arm64 ---

# apt has lists and an idea of what is installed of its own.
apt () {
  APT_CONFIG=$folder/apt/apt.conf apt-get -q -y \
    -o Acquire::Retries=2 -o Acquire::http::Timeout=20 "$@"
}

prepare_apt () {
  mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial"
  : >"$folder/apt/status"
  cat >"$folder/apt/apt.conf" <<EOF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "";
APT::Install-Recommends "false";
Dir::State "$folder/apt";
Dir::State::lists "$folder/apt/lists";
Dir::State::status "$folder/apt/status";
Dir::Cache "$folder/apt";
Dir::Cache::archives "$folder/apt/archives";
EOF
  # Lists that are incomplete may do.
  apt update || true
}

# unpack NAME COMMAND PACKAGE... puts packages into the sysroot, once.
unpack () {
  stamp=$sysroot/.$1
  [ -e "$stamp" ] && return
  command=$2
  shift 2
  echo "Getting packages for arm64 ..."
  prepare_apt >"$folder/apt-update.log" 2>&1
  # shellcheck disable=SC2086
  (cd "$folder/apt/archives" && apt $command "$@") >"$folder/apt.log" 2>&1 || {
    tail -n 5 "$folder/apt.log"
    skip "packages for arm64 cannot be had (log: $folder/apt.log)."
  }
  mkdir -p "$sysroot"
  for package in "$folder"/apt/archives/*.deb; do
    dpkg-deb -x "$package" "$sysroot" || fail "$package cannot be unpacked."
  done
  rm -rf "$folder/apt"
  printf "[constants]\nsysroot = '%s'\n" "$sysroot" >"$folder/sysroot.ini"
  touch "$stamp"
}

# --- Building and testing ---

# configure BUILD OPTION...
configure () {
  build=$folder/$1
  shift
  if [ -f "$build/build.ninja" ]; then
    # Another checkout may have left it behind.
    quietly setup meson setup --reconfigure "$build" . "$@" && return
  fi
  rm -rf "$build"
  quietly setup meson setup "$build" . --werror \
    --cross-file "$folder/sysroot.ini" --cross-file tests/arm64/cross.ini "$@" ||
    fail "meson could not configure $build."
}

compile () {
  quietly compile ninja -C "$build" -j "$jobs" "$@" ||
    fail "$build does not compile."
}

run_tests () {
  quietly tests meson test -C "$build" --no-rebuild --num-processes "$jobs" \
    --timeout-multiplier 10 --print-errorlogs "$@" ||
    fail "a test, in qemu (log: $folder/tests.log)."
  sed -n 's/^ *[0-9]*\/[0-9]* //p' "$folder/tests.log"
}

# The golden streams come out again, byte for byte.
compare_golden () {
  made=$folder/golden
  rm -rf "$made" && mkdir -p "$made"
  quietly golden in_qemu "$build/tests/codec/make-golden" "$made" ||
    fail "golden streams cannot be made."
  for file in tests/golden/*.paco tests/golden/components.md5; do
    cmp "$file" "$made/$(basename "$file")" ||
      fail "$(basename "$file") is made with other bytes on arm64."
  done
}

test_codec () {
  configure codec -Dplugin=false -Dtool=false
  if [ "$mode" = --short ]; then
    compile $(printf 'tests/codec/test-%s ' golden cpu-bpc cpu-dwt cpu-layouts) \
      tests/codec/make-golden
    PACO_CASES=20 run_tests golden cpu-bpc cpu-layouts
    in_qemu "$build/tests/codec/test-cpu-dwt" -p /cpu/dwt/neon \
      >"$folder/tests.log" || fail "cpu-dwt (log: $folder/tests.log)."
  else
    compile
    compile tests/codec/make-golden
    PACO_CASES=30 run_tests --suite codec
  fi
  compare_golden
}

# The driver is found by its name where the dynamic linker finds it, or missed.
check_driver () {
  pipeline='videotestsrc num-buffers=3 ! video/x-raw,width=64,height=64 !
    pacoenc backend=cuda ! fakesink'
  # shellcheck disable=SC2086
  quietly driver in_qemu -E LD_LIBRARY_PATH="$build/tests/gpu/driver/fake" \
    "$gst/gst-launch-1.0" -q $pipeline || fail "the driver is not found."
  # shellcheck disable=SC2086
  if in_qemu "$gst/gst-launch-1.0" -q $pipeline >"$folder/driver.log" 2>&1 ||
    ! grep -q 'no CUDA device: libcuda.so.1' "$folder/driver.log"; then
    fail "there is no driver, and nobody says so (log: $folder/driver.log)."
  fi
}

# This tests the plugin, with kernels for Jetson where nvcc is at hand (they
# hold no code for the host), and the host's code of the CUDA backend over
# drivers of our own.
test_elements () {
  configure elements -Dcuda=enabled -Dbench=false \
    -Dcuda-archs="$([ -x /usr/local/cuda/bin/nvcc ] && echo 87,110)"
  compile plugin/libgstpaco.so tests/gpu/driver/fake/libcuda.so.1 \
    tests/gpu/host/devices tests/gpu/host/bus tests/gpu/host/cuda-output
  run_tests cuda-devices cuda-bus cuda-output
  if readelf -d "$build/plugin/libgstpaco.so" | grep NEEDED |
    grep -iE 'cuda|nvidia'; then
    fail "the plugin is linked to a library of CUDA."
  fi
  GST_PLUGIN_SYSTEM_PATH_1_0=$sysroot/usr/lib/aarch64-linux-gnu/gstreamer-1.0
  GST_PLUGIN_PATH_1_0=$build/plugin
  GST_REGISTRY_1_0=$folder/registry.bin
  GST_REGISTRY_FORK=no
  export GST_PLUGIN_SYSTEM_PATH_1_0 GST_PLUGIN_PATH_1_0 GST_REGISTRY_1_0
  export GST_REGISTRY_FORK
  gst=$sysroot/usr/bin
  quietly inspect in_qemu "$gst/gst-inspect-1.0" pacoenc ||
    fail "the plugin does not load."
  check_driver
  for format in I422_10LE v210 GBR_12LE; do
    for arguments in rate-control=lossless quality=90; do
      source="videotestsrc num-buffers=3 pattern=smpte !
        video/x-raw,format=$format,width=320,height=240 !
        pacoenc backend=cpu $arguments ! filesink location=$folder"
      # shellcheck disable=SC2086
      quietly launch in_qemu "$gst/gst-launch-1.0" -q $source/arm64.paco ||
        fail "encoding $format with $arguments."
      # shellcheck disable=SC2086
      (unset GST_PLUGIN_SYSTEM_PATH_1_0
        GST_PLUGIN_PATH_1_0=$PWD/build/plugin \
          GST_REGISTRY_1_0=$folder/registry-here.bin \
          quietly launch gst-launch-1.0 -q $source/here.paco) ||
        fail "encoding $format with $arguments here (is build/ built?)."
      cmp "$folder/arm64.paco" "$folder/here.paco" ||
        fail "$format with $arguments has other bytes on arm64."
    done
  done
}

# --- Counting instructions ---

# instructions REPETITIONS OPS FILE
instructions () {
  in_qemu -plugin "$folder/count.so" "$build/tests/codec/bench-bpc" "$3" "$1" \
    "$2" 2>&1 >/dev/null | sed -n 's/ instructions$//p'
}

# The benchmark codes a picture with complexity 0 and with 1.
count_instructions () {
  file=$1
  [ -f "$file" ] || fail "usage: tests/arm64.sh --count FILE.ppm"
  configure codec -Dplugin=false -Dtool=false
  compile tests/codec/bench-bpc
  cc -O2 -shared -fPIC -o "$folder/count.so" tests/arm64/count.c ||
    fail "the plugin of qemu does not compile."
  samples=$(head -c 100 "$file" | tr '\n' ' ' | awk '{ print $2 * $3 }')
  for ops in plain neon; do
    once=$(instructions 1,1 $ops "$file")
    echo "$ops: encode" \
      "$((($(instructions 2,1 $ops "$file") - once) / 2 / samples)), decode" \
      "$((($(instructions 1,2 $ops "$file") - once) / 2 / samples))" \
      "instructions a sample"
  done
}

mkdir -p "$folder"
quietly packages sh pipelines/install-packages.sh build arm64 ||
  skip "the cross compiler or qemu cannot be installed."
unpack codec download libc6 libc6-dev linux-libc-dev libcrypt-dev libgcc-s1 \
  libglib2.0-0 libglib2.0-dev libpcre2-8-0 libpcre2-dev zlib1g zlib1g-dev \
  libxxhash0 libxxhash-dev
case $mode in
  '' | --short) test_codec ;;
  --elements)
    unpack elements 'install --download-only' libc6-dev libstdc++-12-dev \
      libgstreamer-plugins-base1.0-dev gstreamer1.0-tools \
      gstreamer1.0-plugins-base
    test_elements
    ;;
  --count)
    count_instructions "${2:-}"
    exit 0
    ;;
  *) fail "no such option: $mode" ;;
esac
echo "arm64: passed"
