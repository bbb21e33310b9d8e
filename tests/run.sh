#!/bin/sh
# Build the library and run its tests; README.md here says what is checked how.
#   sh tests/run.sh                     the release build and its tests
#   sh tests/run.sh sanitized           the unit tests under ASan and UBSan, and a build by clang
#   sh tests/run.sh quick               unit tests and lint: less than a minute after the first time
#   sh tests/run.sh full                the release build: more random streams, and the checks of packaging and style
#   sh tests/run.sh thorough            everything at its largest, with every compiler
#   sh tests/run.sh [MODE] SUITE...     the suites named, as oracle, python or lint
# Installs missing packages where that is allowed (see setup.sh). The last line is the
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

build() { # build TARGETS DIRECTORY [MESON OPTION...]
    targets=$1
    directory=$2
    shift
    rm -f "$directory/meson-logs/testlog.json"
    configure "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log" && return 1; }
    compile "$directory" "$scratch/log" "$targets" || { cat "$scratch/log" && return 1; }
}

suites() { # suites DIRECTORY: those that a build has
    meson introspect "$1" --tests | python3 -c '
import json, sys
print(*sorted({suite.split(":")[-1] for test in json.load(sys.stdin) for suite in test["suite"]}))'
}

chosen() { # chosen DIRECTORY [SUITE...]: --suite options for those of the suites that the build has
    known=" $(suites "$1") "
    shift
    for suite in "$@"; do
        case $known in
        *" $suite "*) printf -- '--suite %s ' "$suite" ;;
        esac
    done
}

run_tests() { # run_tests DIRECTORY SUITE...
    directory=$1
    options=$(chosen "$@")
    [ -n "$options" ] || return 0
    logs="$logs $directory/meson-logs/testlog.json"
    # shellcheck disable=SC2086  # options are words
    meson test -C "$directory" --no-rebuild $options
}

mode=normal
case ${1-} in
quick | normal | sanitized | full | thorough)
    mode=$1
    shift
    ;;
esac
everything="all meson-test-prereq"
release=yes sanitize=no clang=no logs="" GPUCACHE_TESTS=$mode
case $mode in
sanitized) release=no sanitize=yes clang=yes GPUCACHE_TESTS=full ;;
thorough) sanitize=yes clang=yes ;;
esac
export GPUCACHE_TESTS
# Named suites are of the plain build and the one with sanitizers.
[ $# = 0 ] && command -v clang >/dev/null || clang=no

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

if [ $release = yes ]; then
    section "Build: release, warnings are errors (build/)"
    # shellcheck disable=SC2086  # one word per option
    build "$everything" build $RELEASE --werror || give_up "the build failed"
    for suite in "$@"; do
        [ -n "$(chosen build "$suite")" ] || give_up "there is no suite '$suite', but: $(suites build)"
    done
fi

if [ $sanitize = yes ]; then
    section "Build: ASan and UBSan (build-sanitize/)"
    # Line numbers, and not all that a debugger wants: a third less to compile. What is undefined traps, and ASan tells
    # where: a quarter less to compile and to run than UBSan's texts for each operation, each of which ASan guards.
    build "$everything" build-sanitize --werror --buildtype=plain -Doptimization=1 -Ddebug=false \
        "-Dc_args=-g1 -DGPCI_CHECK -fsanitize-undefined-trap-on-error" -Db_sanitize=address,undefined -Db_lundef=false ||
        give_up "the build with sanitizers failed"
fi

if [ $clang = yes ]; then
    section "Build: clang (build-clang/)"
    targets=programs optimize=0 # it is there for its warnings; and to be tested where everything is wanted
    [ "$mode" != thorough ] || { targets=$everything && optimize=3; }
    (CC=clang && export CC && build "$targets" build-clang --werror --buildtype=plain -Doptimization=$optimize) ||
        give_up "the build with clang failed"
fi

if [ $release = yes ]; then
    section "Tests: release"
    if [ $# -gt 0 ]; then
        run_tests build "$@"
    elif [ "$mode" = quick ]; then
        run_tests build unit fast
    elif [ "$mode" = normal ]; then
        run_tests build unit use
    else
        run_tests build unit script
    fi
fi

if [ $sanitize = yes ]; then
    section "Tests: ASan and UBSan"
    # gcc 12 misaligns 64-byte vectors on the stacks that detect_stack_use_after_return keeps.
    export ASAN_OPTIONS=abort_on_error=0:detect_stack_use_after_return=0:handle_sigill=1
    if [ $# -gt 0 ]; then
        run_tests build-sanitize "$@"
    else
        run_tests build-sanitize unit
    fi
fi

if [ $clang = yes ] && [ "$mode" = thorough ]; then
    section "Tests: clang"
    run_tests build-clang unit
fi

if [ "$mode" = thorough ] && [ $# = 0 ] && command -v valgrind >/dev/null; then
    section "Tests: valgrind"
    memcheck="valgrind -q --error-exitcode=9 --trace-children=yes"
    # Values that are never written, at the smallest: each suite takes some minutes.
    GPUCACHE_TESTS=quick meson test -C build --no-rebuild --wrapper "$memcheck" -t 40 \
        --suite timed --suite coherence --suite hierarchy --no-suite script
    logs="$logs build/meson-logs/testlog-valgrind.json"
    $memcheck build/tests/torture/gpucache-torture --count 200 --operations 20 --limit 600 --jobs 2 ||
        give_up "valgrind finds errors in torture"
fi

section "Result"
# shellcheck disable=SC2086  # a word per log
python3 tests/tally.py $logs
