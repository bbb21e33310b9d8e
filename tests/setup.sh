# shellcheck shell=sh
# Sourced by tests/run.sh and examples/quickstart.sh: finds the tools that are
# missing, installs them where that is allowed, and otherwise says what to do.
#   want tests   what building and running every test takes
#   want build   what building the library and its command line takes

missing=

need() { # need PACKAGE COMMAND...: the package is missing unless the command succeeds
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}

on_path() { command -v "$1"; }

# A compiler without the C library's headers is found out by using it.
compiles() { echo 'int main(void) { return 0; }' | "$1" -x "$2" - -o /dev/null; }

find_missing() {
    missing=
    need gcc on_path "${CC:-cc}"
    need libc6-dev compiles "${CC:-cc}" c
    need meson on_path meson
    need ninja-build on_path ninja
    need python3 on_path python3
    need xz-utils on_path xz
    [ "$1" = tests ] || return 0
    need g++ compiles "${CXX:-c++}" c++
    need binutils on_path readelf
    need pkg-config on_path pkg-config
    need libcriterion-dev pkg-config --exists criterion
    need zstd on_path zstd
    need gzip on_path gzip
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo -n "$@"
    fi
}

install_missing() {
    echo "missing:$missing"
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "This machine has no apt-get: install what Debian calls$missing, then run this again." >&2
        return 1
    fi
    if ! as_root true 2>/dev/null; then
        echo "Installing needs root. Run this, then try again:" >&2
        echo "    sudo apt-get update && sudo apt-get install --yes$missing" >&2
        return 1
    fi
    # shellcheck disable=SC2086  # one word per package
    as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install --yes --no-install-recommends -qq $missing >/dev/null
}

check_versions() {
    case $(meson --version) in
    0.*)
        echo "meson $(meson --version) is too old: 1.0 or later is needed (python3 -m pip install meson)" >&2
        return 1
        ;;
    esac
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' || {
        echo "$(python3 --version) is too old: 3.9 or later is needed" >&2
        return 1
    }
}

want() {
    find_missing "$1"
    if [ -n "$missing" ]; then
        install_missing || return 1
        find_missing "$1"
        if [ -n "$missing" ]; then
            echo "still missing after installing:$missing" >&2
            return 1
        fi
    fi
    check_versions
}

configure() { # configure DIRECTORY [MESON OPTION...]: a first time, or again, or from scratch where it has moved
    directory=$1
    shift
    if [ ! -f "$directory/build.ninja" ]; then
        meson setup "$directory" "$@"
    else
        meson setup --reconfigure "$directory" "$@" || meson setup --wipe "$directory" "$@"
    fi
}

# The release build. Level 2, since level 3 takes a fifth longer to compile and saves a fiftieth of the instructions.
# shellcheck disable=SC2034  # of the scripts that source this file
RELEASE="--buildtype=release -Doptimization=2"

progress() { # a line that moves on a terminal, and elsewhere a line for each tenth of the build
    if [ -t 1 ]; then terminal=1; else terminal=0; fi
    awk -v terminal=$terminal '
        /^\[[0-9]+\/[0-9]+\]/ {
            split(substr($1, 2), part, /[\/\]]/)
            tenth = int(10 * part[1] / part[2])
            if (terminal) printf "\r  %d of %d", part[1], part[2]
            else if (tenth > told) print "  " part[1] " of " part[2]
            told = tenth
            fflush()
        }
        END { if (terminal && NR) print "" }'
}

compile() { # compile DIRECTORY LOG TARGETS: ninja, its output in the log, its progress shown
    rm -f "$2.failed"
    # shellcheck disable=SC2086  # one word per target
    { ninja -C "$1" $3 2>&1 || : >"$2.failed"; } | tee "$2" | progress
    [ ! -e "$2.failed" ] || { rm -f "$2.failed" && return 1; }
}
