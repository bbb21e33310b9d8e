#!/bin/sh
# Describe the library's binary interface in gpucache.abi, or in the file named:
#   sh tests/abi/refresh.sh [FILE]
# Commit a new description together with the change that called for it.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=${1:-$root/tests/abi/gpucache.abi}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

# Types come from debugging information, and without optimization they are all there.
meson setup "$scratch/build" "$root" --buildtype=debug >/dev/null
meson compile -C "$scratch/build" gpucache >/dev/null
# No paths, no lines, no architecture: the description is the same on every machine.
abidw --headers-dir "$root/include" --drop-private-types --no-corpus-path --no-comp-dir-path --no-show-locs \
    --no-architecture --type-id-style hash --out-file "$out" "$scratch/build/lib/libgpucache.so"
