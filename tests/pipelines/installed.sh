#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What is installed and what packaging/tarball.sh packs, from the build folder: the
# files that belong there, the same archive from the same files, and a plugin that
# works where the archive is unpacked. It is also what debian/ installs.
set -eu
root=${PACO_SOURCE_ROOT:?} build=${PACO_BUILD_ROOT:?}
! meson introspect --buildoptions "$build" | grep -q '"name": "prefix", "value": "/usr",' || {
  echo "Of a build for /usr there is no archive."
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail () {
  echo "$*"
  exit 1
}

cat >"$work/expected" <<'END'
LICENSE
README
bin/paco
bin/paco-farm
bin/paco-play
bin/paco-proxy
bin/paco-record
env.sh
lib/gstreamer-1.0/libgstpaco.so
lib/libpaco.so.1
share/bash-completion/completions/paco
share/doc/gst-paco/NEWS
share/doc/gst-paco/README.md
share/doc/gst-paco/codec/FORMAT.md
share/doc/gst-paco/codec/tables/sets.inc
share/doc/gst-paco/docs/ARCHIVE-FORMAT.md
share/doc/gst-paco/docs/ARCHIVE.md
share/doc/gst-paco/docs/BESIDE.md
share/doc/gst-paco/docs/ELEMENTS.md
share/doc/gst-paco/docs/FIGURES.md
share/doc/gst-paco/docs/LIBRARY.md
share/doc/gst-paco/docs/OPEN-WITH.md
share/doc/gst-paco/docs/PIPELINES.md
share/doc/gst-paco/docs/RTP.md
share/doc/gst-paco/docs/player.html
share/doc/gst-paco/docs/rate-vs-jpeg2000.svg
share/doc/gst-paco/docs/registration/README.md
share/doc/gst-paco/docs/registration/paco.ksy
share/doc/gst-paco/docs/rtp-loss.svg
share/gst-paco/farm/archive.py
share/gst-paco/farm/farm.openjd.yaml
share/gst-paco/farm/farm.py
share/gst-paco/farm/job.py
share/gst-paco/farm/local.py
share/gst-paco/farm/media.py
share/gst-paco/farm/slurm.py
share/gst-paco/farm/tool.py
share/gst-paco/farm/transcode.py
share/gst-paco/play.py
share/gst-paco/proxy.py
share/gst-paco/record.py
share/gst-paco/session.py
share/gst-paco/text.py
share/gst-paco/timecode.py
share/gstreamer-1.0/encoding-profiles/storage-editing/paco.gep
share/mime/packages/paco.xml
share/misc/paco.magic
END

for time in first second; do
  SOURCE_DATE_EPOCH=1700000000 BUILD=$build \
    sh "$root/packaging/tarball.sh" "$work/$time" >"$work/log" 2>&1 || {
    cat "$work/log"
    fail "There is no archive."
  }
  sleep 1
done
archive=$(basename "$work"/first/*.tar.gz)
(cd "$work/first" && sha256sum -c --quiet "$archive.sha256") ||
  fail "The SHA-256 is wrong."
cmp "$work/first/$archive" "$work/second/$archive" ||
  fail "The same files are packed to other bytes."
tar -tvf "$work/first/$archive" | grep -v ' 0/0 ' &&
  fail "Files belong to somebody."

# The archive is unpacked in a folder that nobody has foreseen, and used the
# way that its README says.
mkdir "$work/some where"
tar -xf "$work/first/$archive" -C "$work/some where"
cd "$work/some where"/*
find . ! -type d ! -path './share/man/*' | sed 's,^\./,,' | LC_ALL=C sort \
  >"$work/found"
diff "$work/expected" "$work/found" || fail "Other files than expected."
unset GST_PLUGIN_PATH_1_0 GST_PLUGIN_PATH GST_ENCODING_TARGET_PATH LD_LIBRARY_PATH
export GST_REGISTRY_1_0="$work/registry" XDG_DATA_HOME="$work/home"
PACO_HOME=$PWD
for program in farm play proxy record; do
  "bin/paco-$program" --help >"$work/help" || fail "paco-$program has no help."
  ! grep -F "$program.sh" "$work/help" || fail "paco-$program has another name."
done
bin/paco-record --quiet --frames 5 \
  --caps format=I422_10LE,width=320,height=240,framerate=25/1 "$work/recorded.mov" ||
  fail "paco-record records nothing."
# A program that is called as it is finds the plugin that it was unpacked with.
(cd "$work" && "$PACO_HOME/bin/paco" cut recorded.mov 0 1 some.mkv) ||
  fail "paco does not find the plugin."
. ./env.sh
cd "$work"
gst-inspect-1.0 paco >inspected || fail "The plugin is not found."
grep -qF "$PACO_HOME/lib/gstreamer-1.0/libgstpaco.so" inspected || {
  cat inspected
  fail "That is another plugin."
}
gst-launch-1.0 -q videotestsrc num-buffers=5 ! \
  video/x-raw,format=I422_10LE,framerate=25/1 ! encodebin profile=paco/mov ! \
  filesink location=out.mov || fail "The profiles are not found."
gst-launch-1.0 -q filesrc location=out.mov ! qtdemux ! pacoparse ! pacodec ! \
  fakesink || fail "The plugin does not work."
[ -s recorded.mov ] || fail "paco-record has recorded nothing."
"$PACO_HOME/bin/paco" --version >version || fail "paco does not run."
