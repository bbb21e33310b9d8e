# SPDX-License-Identifier: BSD-2-Clause
"""The model against GPGPU-Sim 3.2.1, which seeds/004 ran, on two of its kernels: cycles and L1 read misses.

    python3 tests/hardware/reference.py [REFERENCE] [--preset gtx480-gpgpusim] [--set KEY=VALUE]...

REFERENCE is a folder with a figures.json, as ../shared/reference/gpgpusim-3.2.1. The traces there are of the same
kernels; what runs here is their programs, KERNEL.ptx, with the traces' addresses (ptx.py).
"""

import argparse
import json
import lzma
import os
import pathlib
import sys
import tempfile
from collections import namedtuple

import compare
import ptx
from compare import gpucache

REFERENCE = compare.ROOT.parent / "shared" / "reference" / "gpgpusim-3.2.1"

# Cycles, and L1 read misses in per cent of reads; (model, simulator) each.
Row = namedtuple("Row", "name cycles misses")


def settings_of(row):
    """Of a row's `settings`. The simulator's AgeLRU knows which warps are active; tokens are static."""
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


def as_simulated(folder, kernel, scratch):
    path = os.path.join(scratch, f"{kernel}.traceg")
    if not os.path.exists(path):
        trace = lzma.open(folder / f"{kernel}.traceg.xz", "rt").read().splitlines()
        pathlib.Path(path).write_text(ptx.as_simulated(trace, (folder / f"{kernel}.ptx").read_text()), encoding="utf-8")
    return path


def run(folder, row, preset, settings, scratch):
    trace = as_simulated(folder, row["kernel"], scratch)
    stats = compare.replay(trace, preset, [("mode", "timed"), *settings_of(row).items(), *settings])
    reads = row["l1_read_hits"] + row["l1_read_misses"] + row["l1_read_pending_hits"]
    assert stats["l1.load_lines"] == reads, (row, stats["l1.load_lines"])
    misses = compare.percent(stats["l1.load_line_misses"], reads), compare.percent(row["l1_read_misses"], reads)
    return Row(f"{row['kernel']}: {row['what']}", (stats["cycles"], row["cycles"]), misses)


def run_all(folder=REFERENCE, preset="gtx480-gpgpusim", settings=()):
    rows = json.loads((folder / "figures.json").read_text())
    with tempfile.TemporaryDirectory() as scratch:
        return [run(folder, row, preset, settings, scratch) for row in rows]


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


def main():
    parser = argparse.ArgumentParser(description="The model against GPGPU-Sim 3.2.1.")
    parser.add_argument("reference", nargs="?", type=pathlib.Path, default=REFERENCE, metavar="REFERENCE")
    parser.add_argument("--preset", default="gtx480-gpgpusim")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings")
    options = parser.parse_args()
    settings = [tuple(word.split("=", 1)) for word in options.settings]
    print(f"libgpucache {gpucache.__version__}, preset {options.preset}")
    print(table(run_all(options.reference, options.preset, settings)))


if __name__ == "__main__":
    sys.exit(main())
