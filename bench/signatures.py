#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Reuse distances of L1's lines by signature: Figure 6.1 of seeds/004, of KMN and SCLUSTER.

    python3 bench/signatures.py [PROGRAM=SOURCE...] [--by pc,pc+age] [--groups N] [--preset NAME] [--set KEY=VALUE]

A reuse distance is the number of accesses of the set from an access of a resident line to the next access (LRU). Lines
are grouped by the fetching load instruction, or by load and relative age of its warp. Printed for each group, the
largest first: share of all reuses, mean distance, most frequent distance, and shares of reuses with distance 1, 2 and
so on. Sets are hashed as in the document, unless --set changes the hash.

Needs the bindings and the library: PYTHONPATH=bindings/python GPUCACHE_LIBRARY=build/lib/libgpucache.so.
"""

import argparse
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "bindings", "python"))

from gpucache.reproduce._bench import HASHED, PRESET  # noqa: E402
from gpucache.reproduce._programs import SENSITIVE  # noqa: E402
from gpucache.reproduce._signatures import SIGNATURES, reuse_distances  # noqa: E402

FIGURE = ("KMN", "SCLUSTER")
COLUMNS = 12  # distances with a column; the last column is for all larger distances


def show(program, by, groups, most):
    reuses = sum(group.reuses for group in groups)
    print(f"\n{program} by {by}: {reuses:,} reuses in {len(groups):,} groups")
    heads = [*map(str, range(1, COLUMNS)), f"{COLUMNS}+"]
    print(f"{'signature':>16} {'reuses':>7} {'mean':>6} {'mode':>5}" + "".join(f"{head:>5}" for head in heads))
    for group in groups[:most]:
        shares = [0] * COLUMNS
        for distance, count in group.distances.items():
            shares[min(distance, COLUMNS) - 1] += count / group.reuses
        pc, *age = group.signature
        print(f"{'+'.join([f'{pc:#x}', *map(str, age)]):>16} {group.reuses / reuses:>7.1%} {group.mean:>6.1f}"
              f" {group.mode:>5}" + "".join(f"{100 * share:>5.0f}" for share in shares))  # fmt: skip


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM=SOURCE", help="instead of the figure's two")
    parser.add_argument("--by", default=",".join(SIGNATURES), help="signatures, of " + ", ".join(SIGNATURES))
    parser.add_argument("--groups", type=int, default=4, help="how many of each program; the figure has 4")
    parser.add_argument("--preset", default=PRESET)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    asked = parser.parse_args(arguments)
    by = asked.by.split(",")
    unknown = [name for name in by if name not in SIGNATURES]
    if unknown:
        parser.error(f"--by {','.join(unknown)}: none of {', '.join(SIGNATURES)}")
    programs = [each.partition("=")[::2] for each in asked.programs]
    settings = {**HASHED, **dict(each.split("=", 1) for each in asked.set)}
    for name, source in programs or [(p.name, p.quick) for p in SENSITIVE if p.name in FIGURE]:
        for each, groups in reuse_distances(asked.preset, source, by, settings).items():
            show(name, each, groups, asked.groups)


if __name__ == "__main__":
    main()
