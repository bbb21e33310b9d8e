#!/bin/sh
# Build the library and run every test: sh tests/run.sh
# Installs what is missing where it may (see setup.sh). The last line is the
# result, "N passed, N failed"; the exit status is 1 unless nothing failed.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/setup.sh

section() { printf '\n== %s\n' "$*"; }

give_up() {
    echo "$*" >&2
    echo "0 passed, 1 failed"
    exit 1
}

build() { # build DIRECTORY [MESON OPTION...]: everything, test programs included
    rm -f "$1/meson-logs/testlog.json"
    if ! { configure "$@" && ninja -C "$1" all meson-test-prereq; } >"$scratch/log" 2>&1; then
        cat "$scratch/log"
        return 1
    fi
    tail -n 1 "$scratch/log"
}

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

section "Set-up"
want tests || give_up "set-up failed"
echo "compiler $(${CC:-cc} -dumpfullversion -dumpversion), meson $(meson --version), $(python3 --version)"
for optional in clang valgrind abidiff; do
    command -v $optional >/dev/null || echo "without $optional: the tests that use it are skipped"
done
[ -d ../shared ] || echo "without ../shared: the traces there are not replayed"

section "Build: release, warnings are errors (build/)"
build build --werror --buildtype=release || give_up "the build failed"

section "Build: ASan and UBSan (build-sanitize/)"
build build-sanitize --werror --buildtype=debug -Doptimization=1 -Db_sanitize=address,undefined -Db_lundef=false ||
    give_up "the build with sanitizers failed"

if command -v clang >/dev/null; then
    section "Build: clang (build-clang/)"
    (CC=clang && export CC && build build-clang --werror --buildtype=release) || give_up "the build with clang failed"
fi

section "Tests: release"
meson test -C build --no-rebuild

section "Tests: ASan and UBSan"
# gcc 12 misaligns 64-byte vectors on the stacks that detect_stack_use_after_return keeps.
export ASAN_OPTIONS=abort_on_error=0:detect_stack_use_after_return=0
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
meson test -C build-sanitize --no-rebuild --suite unit

section "Result"
python3 tests/tally.py build/meson-logs/testlog.json build-sanitize/meson-logs/testlog.json
