#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds FFmpeg with PaCo from Debian's source package, as far as test.sh needs it.
set -eu

usage() {
  cat <<END
Usage: build.sh 5.1|7.1 [--sanitize] [FOLDER]

Fetches the source package of Debian 12 (5.1) or 13 (7.1) from Debian's mirror, patches it,
and builds ffmpeg, ffprobe, and with SDL ffplay, in FOLDER/ffmpeg-VERSION in some minutes.
The libraries are in its folder installed/lib. FOLDER is build-ffmpeg unless it is given.

  --sanitize   with the address sanitizer, in FOLDER/ffmpeg-VERSION-sanitize, and without
               shared libraries and ffplay

libpaco is that of the Meson build in PACO_BUILD (default: build), or, if that is not
there, the one that pkg-config finds. DEBIAN_MIRROR replaces http://deb.debian.org/debian,
FFMPEG_CONFIGURE is more options of FFmpeg's configure, CC the compiler.
END
}

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
version='' folder="$root/build-ffmpeg" suffix=''
kind='--enable-shared --disable-static --enable-rpath' programs='ffmpeg ffprobe'
for argument; do
  case $argument in
    5.1) version=5.1 suite=bookworm ;;
    7.1) version=7.1 suite=trixie ;;
    --sanitize) kind='--toolchain=gcc-asan --disable-inline-asm' suffix=-sanitize ;;
    -h | --help) usage; exit 0 ;;
    -*) usage >&2; exit 2 ;;
    *) folder=$argument ;;
  esac
done
[ -n "$version" ] || { usage >&2; exit 2; }
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# Debian's source package, by a configuration of apt that is this folder's own.
fetch() {
  apt="$folder/apt-$version"
  mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
  mkdir -p "$apt/lists" "$apt/archives"
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
    "$mirror $suite main" >"$apt/sources.list"
  set -- -q -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt" \
    -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=- \
    -o APT::Sandbox::User="$(id -un)"
  (cd "$apt" && apt-get "$@" update && apt-get "$@" source --download-only ffmpeg)
}

source="$folder/ffmpeg-$version$suffix"
if ! [ -e "$source/patched" ]; then
  set -- "$folder/apt-$version/ffmpeg_$version"*.dsc
  [ -e "$1" ] || fetch
  set -- "$folder/apt-$version/ffmpeg_$version"*.dsc
  rm -rf "$source"
  dpkg-source --no-check -x "$1" "$source"
  patch -d "$source" -p1 <"$here/register.patch"
  touch "$source/patched"
fi
for file in "$here"/files/*/*; do # only new ones, so that make does not begin again
  copy="$source/${file#"$here"/files/}"
  cmp -s "$file" "$copy" || cp "$file" "$copy"
done

build=${PACO_BUILD:-$root/build} flags=''
if [ -e "$build/meson-uninstalled" ]; then
  PKG_CONFIG_PATH=$(cd "$build" && pwd)/meson-uninstalled:${PKG_CONFIG_PATH:-}
  export PKG_CONFIG_PATH
  flags="-Wl,-rpath,$(cd "$build" && pwd)/lib"
fi
if [ -z "$suffix" ] && pkg-config sdl2; then
  kind="$kind --enable-sdl2" programs="$programs ffplay"
fi
cd "$source"
if ! [ -e ffbuild/config.mak ]; then
  # shellcheck disable=SC2086 # options are words
  ./configure $kind --prefix="$source/installed" ${CC:+--cc="$CC"} \
    --extra-ldflags="$flags" --disable-everything --disable-autodetect --disable-doc \
    --disable-network --disable-x86asm --disable-postproc --disable-stripping \
    --enable-libpaco --enable-pthreads \
    --enable-encoder=libpaco,rawvideo,wrapped_avframe,pcm_s16le,ffv1 \
    --enable-decoder=libpaco,rawvideo,wrapped_avframe,pcm_s16le,ffv1 \
    --enable-parser=paco --enable-demuxer=paco,image2pipe,mov,matroska,avi,rawvideo,framehash \
    --enable-muxer=paco,mov,mp4,matroska,avi,rawvideo,framemd5,framehash,md5,null \
    --enable-protocol=file,pipe --enable-bsf=setts,noise \
    --enable-indev=lavfi \
    --enable-filter=testsrc2,sine,scale,format,setfield,fieldorder,null,trim,select,showinfo,addroi,metadata,sidedata,setparams,anull,aresample \
    ${FFMPEG_CONFIGURE:-}
fi
# shellcheck disable=SC2086 # names are words
nice -n 5 make -j"$(nproc)" $programs
[ -n "$suffix" ] || make install-libs >/dev/null
