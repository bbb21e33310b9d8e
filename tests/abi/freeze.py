#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Keep a minor version's headers for the tests, as one file without comments.

    python3 tests/abi/freeze.py REVISION     writes tests/abi/MAJOR.MINOR/gpucache/gpucache.h

REVISION is a git revision of the version whose headers are kept. Run the script when the next minor version begins.
test_hosts.py compiles a host with each kept version.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def show(revision, name):
    return subprocess.run(["git", "show", f"{revision}:include/gpucache/{name}"], cwd=ROOT, capture_output=True,
                          text=True, check=True).stdout  # fmt: skip


def one_file(revision, name, seen):
    """A header with the included headers in place, once each; no comments, no empty lines."""
    lines = []
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", show(revision, name), flags=re.DOTALL)
    text = re.sub(r"#ifndef (\w+)\n#define \1\n(.*)#endif\s*$", r"\2", text.strip(), flags=re.DOTALL)
    for line in text.splitlines():
        included = re.match(r"#include <gpucache/(\S+)>", line)
        if included and included[1] not in seen:
            seen.add(included[1])
            lines += one_file(revision, included[1], seen)
        elif not included and line.strip():
            lines.append(line.rstrip())
    return lines


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    revision = sys.argv[1]
    names = subprocess.run(["git", "ls-tree", "-r", "--name-only", f"{revision}:include/gpucache"], cwd=ROOT, capture_output=True,
                           text=True, check=True).stdout.split()  # fmt: skip
    seen, lines = set(), []
    for name in ["gpucache.h", *(name for name in names if name.endswith(".h"))]:
        if name not in seen:
            seen.add(name)
            lines += one_file(revision, name, seen)
    version = re.findall(r"#define GPC_VERSION_M\w+ (\d+)", "\n".join(lines))
    guard = f"GPUCACHE_{'_'.join(version)}_H"
    path = ROOT / "tests/abi" / ".".join(version) / "gpucache/gpucache.h"
    path.parent.mkdir(parents=True, exist_ok=True)
    head = ["/* SPDX-License-Identifier: BSD-2-Clause */", "/* Written by freeze.py. */", f"#ifndef {guard}"]
    path.write_text("\n".join([*head, f"#define {guard}", *lines, "#endif", ""]))
    subprocess.run(["clang-format-14", "-i", path], check=False)


if __name__ == "__main__":
    main()
