#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The same bytes from every tool chain and machine: build the library with each installed tool chain, and compare.

    python3 tests/determinism/portable.py [--build build-portable] [NAME...]

Each tool chain builds the library and portable.c, a program that replays, drives and writes with the whole library
except threads, and prints the results. Programs for other machines run under qemu's user mode. A missing tool chain is
named and passed over. The exit status is 1 if a tool chain fails, or prints other bytes than the machine's compiler.

Debian: clang qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-arm-linux-gnueabihf libc6-dev-armhf-cross
gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-12-multilib libc6-dev-i386 musl-tools
"""

import argparse
import difflib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple

ROOT = pathlib.Path(__file__).resolve().parents[2]

# compiler  command, as words
# runner    before the program, if the program is for another machine
# machine   for Meson: family and byte order; None: the machine that builds
Chain = namedtuple("Chain", "compiler runner machine", defaults=((), None))
CHAINS = {
    "gcc": Chain(("gcc",)),
    "clang": Chain(("clang",)),
    # Debian's gcc-multilib has a link to these headers, but cannot be installed together with cross compilers.
    "x86": Chain(("gcc", "-m32", "-isystem", "/usr/include/x86_64-linux-gnu"), (), ("x86", "little")),
    "arm": Chain(
        ("arm-linux-gnueabihf-gcc",), ("qemu-arm", "-L", "/usr/arm-linux-gnueabihf"), ("arm", "little")),
    "musl": Chain(("musl-gcc",)),
    "aarch64": Chain(
        ("aarch64-linux-gnu-gcc",), ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"), ("aarch64", "little")),
    "s390x": Chain(("s390x-linux-gnu-gcc",), ("qemu-s390x", "-L", "/usr/s390x-linux-gnu"), ("s390x", "big")),
}  # fmt: skip


def missing(chain):
    """The missing tool, as a sentence; None if every tool is installed."""
    for word in (chain.compiler[0], *chain.runner[:1]):
        if not shutil.which(word):
            return f"{word} is not installed"
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "empty")
        source = program.with_suffix(".c")
        source.write_text("#include <errno.h>\n#include <stdio.h>\nint main(void) { return printf(\"\") != 0; }\n")
        done = subprocess.run([*chain.compiler, source, "-o", program], capture_output=True, text=True, check=False)
        if done.returncode:
            return f"{' '.join(chain.compiler)} compiles nothing: {(done.stderr.splitlines() or [''])[0]}"
        done = subprocess.run([*chain.runner, program], capture_output=True, text=True, check=False)
        return f"its programs do not run: {done.stderr.strip()}" if done.returncode else None


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], cwd=ROOT, capture_output=True, text=True, check=False,
                          **options)  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, words))}: exit status {done.returncode}\n"
                           f"{(done.stdout + done.stderr)[-3000:]}")  # fmt: skip
    return done.stdout


def build(chain, folder):
    """The program."""
    if not (folder / "build.ninja").exists():
        folder.mkdir(parents=True, exist_ok=True)
        options = ["--buildtype=plain", "-Doptimization=1", "-Ddefault_library=static", "-Dauto_features=disabled"]
        if chain.machine:
            family, first = chain.machine
            cross = folder.with_suffix(".cross")
            cross.write_text(
                f"[binaries]\nc = {list(chain.compiler)}\nar = 'ar'\nstrip = 'strip'\n"
                f"[host_machine]\nsystem = 'linux'\ncpu_family = '{family}'\ncpu = '{family}'\nendian = '{first}'\n"
            )
            options += ["--cross-file", cross]
        run("meson", "setup", folder, *options, env={**os.environ, "CC": " ".join(chain.compiler)})
    run("ninja", "-C", folder, "lib/libgpucache.a")
    program = folder / "portable"
    run(*chain.compiler, "-std=c11", "-O1", "-Iinclude", "-Itests", "tests/determinism/portable.c",
        folder / "lib/libgpucache.a", "-lm", "-ldl", "-lpthread", "-o", program)  # fmt: skip
    return program


def output(chain, folder):
    program = build(chain, folder)
    with tempfile.TemporaryDirectory() as made:
        return run(*chain.runner, program, made)


def compare(name, expected, found):
    """Whether the outputs are equal; prints the difference."""
    if found == expected:
        print(f"{name:8} the same {len(found)} bytes", flush=True)
        return True
    print(f"{name:8} other bytes", flush=True)
    lines = difflib.unified_diff(expected.splitlines(), found.splitlines(), "gcc", name, n=0, lineterm="")
    print("\n".join(line[:300] for _, line in zip(range(20), lines)))
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CHAINS)}; default: all")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-portable")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in CHAINS]
    if unknown:
        parser.error(f"there is no tool chain {unknown[0]}, but: {', '.join(CHAINS)}")
    names = ["gcc", *(name for name in options.names or CHAINS if name != "gcc")]
    expected, good = None, True
    for name in names:
        lacks = missing(CHAINS[name])
        if lacks:
            print(f"{name:8} skipped: {lacks}", flush=True)
            continue
        try:
            found = output(CHAINS[name], options.build.resolve() / name)
        except RuntimeError as error:
            print(f"{name:8} failed: {error}", flush=True)
            good = False
            continue
        expected = expected or found
        good = compare(name, expected, found) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
