#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# sh packaging/tarball.sh [FOLDER]: makes gst-paco-VERSION-SYSTEM.tar.gz and its
# SHA-256 in FOLDER (build): the plugin, libpaco, programs, encoding profiles and
# documents, to be unpacked anywhere. The README in it says how it is used.
#
# The same sources and compilers give the same bytes: SOURCE_DATE_EPOCH=SECONDS is
# the date of all files, that of the last commit unless it is set. BUILD=FOLDER: a
# build that is there already. OPTIONS="-D...": for meson otherwise.
set -eu

case ${1:-} in
  -h | --help)
    sed -n '3,9s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "${1:-$root/build}"
out=$(cd "${1:-$root/build}" && pwd)
PATH=/usr/bin:/bin:$PATH
version=$(sed -n "s/^ *version : '\(.*\)',$/\1/p" "$root/meson.build")
name=gst-paco-$version-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null ||
  stat -c %Y "$root/NEWS")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build=${BUILD:-}
if [ -z "$build" ]; then
  build=$root/build/tarball
  log=$root/build/tarball.log
  mkdir -p "$root/build"
  if ! {
    # shellcheck disable=SC2086
    { [ -f "$build/build.ninja" ] ||
      meson setup "$build" "$root" -Dtests=false -Dbench=false \
        -Dpackage-name="gst-paco archive" ${OPTIONS:-}; } && ninja -C "$build"
  } >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "That did not build; the whole log is in $log." >&2
    exit 1
  fi
fi

meson install -C "$build" --no-rebuild --quiet --destdir "$work/installed"
[ ! -d "$work/installed/usr/bin" ] || {
  echo "A build for /usr finds libpaco there alone: $build needs another prefix." >&2
  exit 1
}
folder=$work/$name
mkdir -p "$folder/lib/gstreamer-1.0"
cp "$(find "$work/installed" -name libgstpaco.so)" "$folder/lib/gstreamer-1.0"
cp "$(find "$work/installed" -name libpaco.so.1)" "$folder/lib"
for part in bin share; do
  cp -R "$(find "$work/installed" -name $part -type d -prune)" "$folder"
done
find "$folder" \( -path '*/lib/*.so*' -o -path '*/bin/paco' \) \
  -exec strip --strip-unneeded {} +
cp "$root/packaging/env.sh" "$root/LICENSE" "$folder"
sed "s/@NAME@/$name/g" "$root/packaging/README.in" >"$folder/README"
chmod -R u=rwX,go=rX "$folder"

tar -C "$work" --sort=name --format=gnu --mtime="@$epoch" --owner=0 --group=0 \
  --numeric-owner -cf "$work/$name.tar" "$name"
gzip -9n "$work/$name.tar"
mv "$work/$name.tar.gz" "$out"
(cd "$out" && sha256sum "$name.tar.gz" | tee "$name.tar.gz.sha256")
