# SPDX-License-Identifier: BSD-2-Clause
"""The model against GPGPU-Sim 3.2.1, run in seeds/004, on two of its kernels: cycles and L1 read misses.

    python3 tests/hardware/reference.py [REFERENCE] [--preset NAME] [--set KEY=VALUE]... [--moved LINES,...] [--rows R]

REFERENCE is a folder with a figures.json, as ../shared/reference/gpgpusim-3.2.1. Its traces hold the same kernels;
ptx.py gives the traces the order of the simulated programs. --moved makes a run for each number in LINES, with all
arrays moved up by the number of lines. The arrays then use other sets, slices and banks, at unchanged distances, and
the rows differ only by chance.
"""

import argparse
import json
import lzma
import os
import pathlib
import re
import statistics
import sys
import tempfile
from collections import namedtuple

import compare
import ptx
from compare import gpucache

REFERENCE = compare.ROOT.parent / "shared" / "reference" / "gpgpusim-3.2.1"

# Cycles, and L1 read misses in per cent of reads, as (model, simulator).
Row = namedtuple("Row", "name cycles misses")


def name_of(row):
    return f"{row['kernel']}: {row['what']}"


def settings_of(row):
    """The settings of a row. The simulator's AgeLRU knows the active warps; tokens are static."""
    given = row["settings"]
    found = {"l1.bypass_fetch": "segments" if given.get("bto") else "line"}
    if "tokens" in given:
        found["scheduler"] = f"gto + pcal(warps={given['tokens']},ebt={given['limit'] - given['tokens']})"
    elif "limit" in given:
        found["sm.warp_limit"] = str(given["limit"])
    if "policy" in given:
        bypass = ",bypass=1" if given["policy"].endswith("bypassing") else ""
        found["l1.replacement"] = f"age-lru(exact=1{bypass})"
    return found


LINE = 128
GLOBAL = re.compile(r"\b0x[0-9a-f]{16}\b")  # a kernel's parameters have fewer digits


def moved(trace, lines):
    """A trace, given as text, with all global addresses moved up by a number of lines."""
    return GLOBAL.sub(lambda found: f"0x{int(found[0], 16) + lines * LINE:016x}", trace) if lines else trace


def as_simulated(folder, kernel, scratch, lines=0):
    path = os.path.join(scratch, f"{kernel}-{lines}.traceg")
    if not os.path.exists(path):
        trace = lzma.open(folder / f"{kernel}.traceg.xz", "rt").read().splitlines()
        program = (folder / f"{kernel}.ptx").read_text()
        pathlib.Path(path).write_text(moved(ptx.as_simulated(trace, program), lines), encoding="utf-8")
    return path


def run(folder, row, preset, settings, scratch, lines=0):
    trace = as_simulated(folder, row["kernel"], scratch, lines)
    stats = compare.replay(trace, preset, [("mode", "timed"), *settings_of(row).items(), *settings])
    reads = row["l1_read_hits"] + row["l1_read_misses"] + row["l1_read_pending_hits"]
    assert stats["l1.load_lines"] == reads, (row, stats["l1.load_lines"])
    misses = compare.percent(stats["l1.load_line_misses"], reads), compare.percent(row["l1_read_misses"], reads)
    return Row(name_of(row), (stats["cycles"], row["cycles"]), misses)


def run_all(folder=REFERENCE, preset="gtx480-gpgpusim", settings=(), lines=0, names=""):
    """Rows with `names` in their names."""
    rows = json.loads((folder / "figures.json").read_text())
    with tempfile.TemporaryDirectory() as scratch:
        return [run(folder, row, preset, settings, scratch, lines) for row in rows if names in name_of(row)]


def off(row):
    """Errors: cycles in per cent, misses in points."""
    return 100 * (row.cycles[0] / row.cycles[1] - 1), row.misses[0] - row.misses[1]


def table(rows):
    form = "{:52} {:>8} {:>9} {:>8} {:>7} {:>9} {:>8}"
    lines = [form.format("", "cycles", "simulator", "error %", "misses", "simulator", "points")]
    for row in rows:
        cycles, misses = off(row)
        lines.append(form.format(row.name, row.cycles[0], row.cycles[1], f"{cycles:+.1f}", f"{row.misses[0]:.1f}",
                                 f"{row.misses[1]:.1f}", f"{misses:+.1f}"))  # fmt: skip
    return "\n".join(lines)


def spread(runs):
    """Errors of a row over several runs: mean, deviation, least and most, of cycles and of misses."""
    form = "{:52} {:>6} {:>5} {:>15}  {:>6} {:>5} {:>15}"
    lines = [form.format("", "cyc. %", "sd", "from, to", "points", "sd", "from, to")]
    for rows in zip(*runs):
        figures = []
        for errors in zip(*map(off, rows)):
            figures += [f"{statistics.mean(errors):+.1f}", f"{statistics.stdev(errors):.1f}",
                        f"{min(errors):+.1f}, {max(errors):+.1f}"]  # fmt: skip
        lines.append(form.format(rows[0].name, *figures))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="The model against GPGPU-Sim 3.2.1.")
    parser.add_argument("reference", nargs="?", type=pathlib.Path, default=REFERENCE, metavar="REFERENCE")
    parser.add_argument("--preset", default="gtx480-gpgpusim")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings")
    parser.add_argument("--moved", type=lambda text: [int(word) for word in text.split(",")], default=[],
                        metavar="LINES,...")  # fmt: skip
    parser.add_argument("--rows", default="", metavar="R", help="only those whose names contain it")
    options = parser.parse_args()
    settings = [tuple(word.split("=", 1)) for word in options.settings]
    if len(options.moved) == 1:
        parser.error("--moved: a deviation takes two runs or more")
    print(f"libgpucache {gpucache.__version__}, preset {options.preset}")
    runs = [run_all(options.reference, options.preset, settings, lines, options.rows) for lines in options.moved or [0]]
    print(spread(runs) if options.moved else table(runs[0]))


if __name__ == "__main__":
    sys.exit(main())
