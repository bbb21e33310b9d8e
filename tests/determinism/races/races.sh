#!/bin/sh
# races.sh [DIRECTORY]: builds the library with ThreadSanitizer there, and runs the tests of threads. Fails on any race.
set -eu
cd "$(dirname "$0")/../../.."
build=${1:-build-races}
[ -e "$build/build.ninja" ] || meson setup "$build" --buildtype=debugoptimized -Db_sanitize=thread -Db_lundef=false >/dev/null
ninja -C "$build" lib/libgpucache-objects.a >/dev/null
${CC:-cc} -std=c11 -O1 -g -fsanitize=thread -D_POSIX_C_SOURCE=200809L -Itests/determinism/races -Itests -Ilib -Iinclude \
    tests/determinism/races/races.c tests/determinism/threads.c tests/base/workers.c \
    -Wl,--whole-archive "$build/lib/libgpucache-objects.a" -Wl,--no-whole-archive -lm -lpthread -o "$build/races"
GPUCACHE_TESTS=${GPUCACHE_TESTS:-quick} TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}" "$build/races"
echo "no races"
