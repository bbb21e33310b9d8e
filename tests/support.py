# SPDX-License-Identifier: BSD-2-Clause
"""Shared parts of the Python tests: paths, and running a command."""

import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("GPUCACHE_BUILD") or ROOT / "build")
LIBRARY = BUILD / "lib" / "libgpucache.so"
INCLUDE = ROOT / "include"
HEADERS = sorted((INCLUDE / "gpucache").rglob("*.h"))

# Lines of a program that includes every header.
INCLUDES = ["#define GPC_EXPERIMENTAL", *(f"#include <{header.relative_to(INCLUDE)}>" for header in HEADERS)]

# The amount of testing, equal to tests/effort.h for C: quick, normal or thorough.
EFFORT = os.environ.get("GPUCACHE_TESTS") or "normal"

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def run(*command, status=0, **options):
    """Runs a command and returns the output; raises AssertionError with the output on another exit status."""
    done = subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options,
    )
    if done.returncode != status:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def compilers():
    """(command, language arguments) of every compiler on the machine, for C11 and C++17."""
    c = [os.environ.get("CC", "cc"), "gcc", "clang"]
    cpp = [os.environ.get("CXX", "c++"), "g++", "clang++"]
    known = {}
    for names, language in ((c, ["-x", "c", "-std=c11"]), (cpp, ["-x", "c++", "-std=c++17"])):
        for name in names:
            path = shutil.which(name)
            if path:
                known.setdefault((os.path.realpath(path), language[1]), (name, language))
    return list(known.values())


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)


def symbols():
    """{function: symbol} of functions whose symbol has another name."""
    return dict(re.findall(r"#define (gpc_\w+) (gpc_\w+)", "".join(header.read_text() for header in HEADERS)))


def declared_functions():
    """Symbols of functions declared with GPC_API in the public headers."""
    names, named = set(), symbols()
    for header in HEADERS:
        names |= set(re.findall(r"\bGPC_API\b[^;(]*?\b(gpc_\w+)\s*\(", without_comments(header.read_text())))
    return {named.get(name, name) for name in names}


def inline_functions():
    """Names of functions defined in the public headers."""
    text = "\n".join(without_comments(header.read_text()) for header in HEADERS)
    return set(re.findall(r"\bstatic inline\b[^;({]*?\b(gpc_\w+)\s*\(", text))
