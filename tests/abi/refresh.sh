#!/bin/sh
# Describe the library's binary interface in gpucache.abi, or in the file named:
#   sh tests/abi/refresh.sh [FILE]
# Commit a new description together with the change that called for it.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$(realpath "${1:-$root/tests/abi/gpucache.abi}")
cd "$root"

# Types come from debugging information, and without optimization they are all there.
# The build is inside the tree so that paths are the same wherever the tree is.
if [ ! -f build-abi/build.ninja ]; then
    meson setup build-abi --buildtype=debug
fi >/dev/null
meson compile -C build-abi gpucache >/dev/null
abidw --headers-dir include --drop-private-types --exported-interfaces-only --no-corpus-path --no-comp-dir-path \
    --no-show-locs --no-architecture --no-elf-needed --type-id-style hash --out-file "$out" \
    build-abi/lib/libgpucache.so
