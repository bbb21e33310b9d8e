#!/bin/sh
# Describe the library's binary interface in gpucache.abi, or in the file named:
#   sh tests/abi/refresh.sh [FILE]
# Commit a new description together with the change that called for it.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$(realpath "${1:-$root/tests/abi/gpucache.abi}")
cd "$root"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
trap 'exit 1' HUP INT TERM

# The library's soname: of its major version, and while that is 0 of both.
soname=libgpucache.so.$(sed -n 's/^#define GPC_VERSION_M[A-Z]* //p' include/gpucache/types.h | paste -s -d .)
case $soname in
*.so.0.*) ;;
*) soname=${soname%.*} ;;
esac

# Types come from debugging information, and without optimization they are all there. What has no public function adds
# nothing to the description, and is left undefined: a fifth of the files. One that is overlooked lacks its functions.
# shellcheck disable=SC2046  # a word per file
${CC:-cc} -std=c11 -DGPC_EXPERIMENTAL= -D_POSIX_C_SOURCE=200809L -O0 -g -fPIC -fvisibility=hidden -shared -Iinclude -Ilib \
    "-Wl,--version-script,lib/gpucache.map,-soname,$soname" -o "$made/libgpucache.so" \
    $(grep -rlE --include='*.c' '^[a-z].*\<gpc_[a-z0-9_]+\(' lib | LC_ALL=C sort)
abidw --headers-dir include --drop-private-types --exported-interfaces-only --no-corpus-path --no-comp-dir-path \
    --no-show-locs --no-architecture --no-elf-needed --type-id-style hash --out-file "$out" "$made/libgpucache.so"
