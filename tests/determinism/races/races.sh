#!/bin/sh
# races.sh [DIRECTORY]: builds the library with ThreadSanitizer there, and runs the tests of threads. Fails on any race.
set -eu
cd "$(dirname "$0")/../../.."
build=${1:-build-races}
[ -e "$build/build.ninja" ] || meson setup "$build" --buildtype=debugoptimized -Db_sanitize=thread -Db_lundef=false >/dev/null
ninja -C "$build" lib/libgpucache-objects.a >/dev/null
cat >"$build/races.c" <<'END'
void test_workers_every_round_has_all_shares(void);
void test_workers_whoever_is_late(void);
void test_threads_any_number_gives_the_same(void);
void test_threads_delays_change_nothing(void);

int main(void) {
    test_workers_every_round_has_all_shares();
    test_workers_whoever_is_late();
    test_threads_any_number_gives_the_same();
    test_threads_delays_change_nothing();
    return 0;
}
END
${CC:-cc} -std=c11 -DGPC_EXPERIMENTAL= -O1 -g -fsanitize=thread -D_POSIX_C_SOURCE=200809L -Itests/determinism/races -Itests -Ilib -Iinclude \
    "$build/races.c" tests/determinism/threads.c tests/base/workers.c \
    -Wl,--whole-archive "$build/lib/libgpucache-objects.a" -Wl,--no-whole-archive -lm -lpthread -o "$build/races"
GPUCACHE_TESTS=${GPUCACHE_TESTS:-quick} TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}" "$build/races"
echo "no races"
