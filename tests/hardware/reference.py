# SPDX-License-Identifier: BSD-2-Clause
"""The model against GPGPU-Sim 3.2.1, which seeds/004 ran, on two of its kernels: cycles and L1 read misses.

    python3 tests/hardware/reference.py [REFERENCE] [--preset gtx480-gpgpusim] [--set KEY=VALUE]...

REFERENCE is a folder with a figures.json, as ../shared/reference/gpgpusim-3.2.1. The traces are of the same kernels,
instruction by instruction; that of `sc` computes addresses before its loads and has a few loads after the loop. The
program that was simulated (sc.ptx) computes the next ones behind its sum, and ends: its loop is put in that order.
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
from compare import gpucache

REFERENCE = compare.ROOT.parent / "shared" / "reference" / "gpgpusim-3.2.1"
LOOP_END, EXIT = 0x190, 0x500  # program counters of sc
STEP = 0x120, 0x130, 0x140, 0x150, 0x100, 0x110, 0x160, 0x170, 0x180  # of its loop, in the order of sc.ptx
ADDRESSES = {0x100: "1 R10 IADD3 1 R10 0", 0x110: "1 R11 IADD3 1 R11 0"}  # one does not wait for the other there

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


def in_order(body):
    """Instructions of a warp of sc as sc.ptx has them: two loads, the sum, then the next two addresses, not before."""
    kept, steps, place = [], [], {pc: n for n, pc in enumerate(STEP)}
    for line in body:
        address, mask, rest = line.split(" ", 2)
        pc = int(address, 16)
        if pc in place:
            steps.append(f"{0x100 + 8 * place[pc]:04x} {mask} {ADDRESSES.get(pc, rest)}")
            if len(steps) == len(STEP):
                kept += sorted(steps)
                steps = []
        elif not LOOP_END <= pc < EXIT:
            kept.append(line)
    return kept + steps


def as_simulated(path, folder):
    """The trace of sc, its loop in the order of sc.ptx."""
    lines, target = lzma.open(path, "rt").read().splitlines(), os.path.join(folder, "sc.traceg")
    kept = []
    at = 0
    while at < len(lines):
        if lines[at].startswith("insts = "):
            count = int(lines[at].split("=")[1])
            body = in_order(lines[at + 1:at + 1 + count])  # fmt: skip
            kept += [f"insts = {len(body)}", *body]
            at += 1 + count
        else:
            kept.append(lines[at])
            at += 1
    pathlib.Path(target).write_text("\n".join(kept) + "\n", encoding="utf-8")
    return target


def run(folder, row, preset, settings, scratch):
    path = folder / f"{row['kernel']}.traceg.xz"
    if row["kernel"] == "sc":
        path = as_simulated(path, scratch)
    stats = compare.replay(path, preset, [("mode", "timed"), *settings_of(row).items(), *settings])
    reads = row["l1_read_hits"] + row["l1_read_misses"] + row["l1_read_pending_hits"]
    assert stats["l1.load_lines"] == reads, (row, stats["l1.load_lines"])
    misses = compare.percent(stats["l1.load_line_misses"], reads), compare.percent(row["l1_read_misses"], reads)
    return Row(f"{row['kernel']}: {row['what']}", (stats["cycles"], row["cycles"]), misses)


def run_all(folder=REFERENCE, preset="gtx480-gpgpusim", settings=()):
    with tempfile.TemporaryDirectory() as scratch:
        return [run(folder, row, preset, settings, scratch) for row in json.loads((folder / "figures.json").read_text())]


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
