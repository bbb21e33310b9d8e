# SPDX-License-Identifier: BSD-2-Clause
"""Working sets around L1's size: L1's hits in the timed model and on an H100, kernel by kernel.

    python3 tests/hardware/reuse.py [--set KEY=VALUE]... [--private] [--jobs 2]

The rows are rows of micro/reuse.cu in micro/h100.txt: W warps an SM, each warp with L lines of its own, read R times,
on all 132 SMs. The model runs four SMs (sm.count = 4), too few to saturate memory. --private adds the kernels whose
lanes have lines of their own.
"""

import argparse
import multiprocessing
import pathlib
import re
import sys
from collections import namedtuple

import gpucache

TABLE = pathlib.Path(__file__).parent / "micro" / "h100.txt"
LINE = re.compile(r"(warp|private)_reuse (?:lines|words)=(\d+) warps=(\d+) rounds=(\d+): .*"
                  r"L1 load sectors ([\d,]+), L1 load hits ([\d,]+)")  # fmt: skip
SMS = 4

Row = namedtuple("Row", "kind size warps rounds hits model")  # per cent


def read_table(path=TABLE):
    rows = []
    for line in path.read_text().splitlines():
        match = LINE.match(line)
        if match:
            kind, size, warps, rounds, sectors, hits = match.groups()
            percent = 100 * int(hits.replace(",", "")) / int(sectors.replace(",", ""))
            rows.append(Row(kind, int(size), int(warps), int(rounds), percent, None))
    return rows


def source_of(row):
    if row.kind == "warp":
        size = SMS * row.warps * row.size * 128
        return f"synthetic:warp-reuse:{size}:lines={row.size},repeats={row.rounds},threads=256"
    size = SMS * row.warps * 32 * row.size * 4
    return f"synthetic:private-reuse:{size}:words={row.size},repeats={row.rounds},threads=128"


def run(job):
    row, settings = job
    context = gpucache.Context()
    config = gpucache.Config(context)
    config.load_preset("h100")
    for key, value in [("sm.count", str(SMS)), ("mode", "timed"), ("l1.carveout", "32KiB"), *settings]:
        config[key] = value
    with gpucache.Replay(context, config) as replay, gpucache.Trace(context, source_of(row)) as trace:
        (stats,) = [result.stats for result in replay.run(trace)]
    return row._replace(model=100 * stats["l1.load_sector_hits"] / stats["l1.load_sectors"])


def run_all(kinds=("warp",), settings=(), jobs=2):
    work = [(row, tuple(settings)) for row in read_table() if row.kind in kinds]
    if jobs == 1:
        return [run(job) for job in work]
    with multiprocessing.Pool(jobs) as pool:
        return pool.map(run, work, chunksize=1)


def mean_error(rows):
    """In points."""
    return sum(abs(row.model - row.hits) for row in rows) / len(rows)


def table(rows):
    lines = [f"{'':8} {'size':>5} {'warps':>6} {'times':>6} {'H100':>7} {'model':>7} {'points':>7}"]
    for row in rows:
        lines.append(f"{row.kind:8} {row.size:5} {row.warps:6} {row.rounds:6} {row.hits:7.2f} {row.model:7.2f} "
                     f"{row.model - row.hits:+7.2f}")  # fmt: skip
    return "\n".join([*lines, f"{len(rows)} kernels: mean absolute error {mean_error(rows):.2f} points"])


def main():
    parser = argparse.ArgumentParser(description="Working sets around L1's size, in the model and on an H100.")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings")
    parser.add_argument("--private", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    settings = [tuple(word.split("=", 1)) for word in options.settings]
    print(table(run_all(("warp", "private") if options.private else ("warp",), settings, options.jobs)))


if __name__ == "__main__":
    sys.exit(main())
