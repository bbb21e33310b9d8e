# SPDX-License-Identifier: BSD-2-Clause
"""Slice of L2 for a line, of 80 on an H100: `l2.interleave = hopper` against micro/slices.cu's findings on a GPU.

    python3 tests/hardware/slices.py

The GPU gives classes: 256-byte stretches of a class share a slice. micro/slices.cu measured the classes of a page of
2 MiB and of the beginnings of later pages (micro/h100.txt). A slice of the library is given the class that most of its
stretches have.
"""

import collections
import pathlib
import re
import sys

import gpucache

TABLE = pathlib.Path(__file__).parent / "micro" / "h100.txt"
PAGE, STRETCH = 2 << 20, 256

Row = collections.namedtuple("Row", "page stretches told fit")


def read_table(path=TABLE):
    """Classes by page and stretch, without unanswered ones."""
    found = collections.defaultdict(dict)
    for page, kib, classes in re.findall(r"^classes page (\d+) (\d+) KiB: (.*)$", path.read_text(), re.M):
        for at, word in enumerate(classes.split(), int(kib) * 1024 // STRETCH):
            found[int(page)][at] = None if word == "-" else int(word)
    return found


def slices_of(table):
    """The library's slices, by page and stretch."""
    context = gpucache.Context()
    config = gpucache.Config(context, preset="h100")
    config["l2.interleave"] = "hopper"
    with gpucache.Hierarchy(context, config) as hierarchy:
        return {(page, at): hierarchy.locate(page * PAGE + at * STRETCH).slice for page in table for at in table[page]}


def compare(table):
    """A row per page, and the class of each slice."""
    slices = slices_of(table)
    told = {(page, at): name for page in table for at, name in table[page].items() if name is not None}
    votes = collections.defaultdict(collections.Counter)
    for place, name in told.items():
        votes[slices[place]][name] += 1
    names = {slice_: counter.most_common(1)[0][0] for slice_, counter in votes.items()}
    rows = []
    for page in sorted(table):
        places = [place for place in told if place[0] == page]
        fit = sum(names[slices[place]] == told[place] for place in places)
        rows.append(Row(page, len(table[page]), len(places), fit))
    return rows, names


def main():
    rows, names = compare(read_table())
    print(f"{len(names)} slices, {len(set(names.values()))} classes\n{'page':>5} {'stretches':>9} {'told':>6} {'fit':>6}")
    for row in rows:
        print(f"{row.page:5} {row.stretches:9,} {row.told:6,} {row.fit:6,}")


if __name__ == "__main__":
    sys.exit(main())
