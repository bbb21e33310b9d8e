# SPDX-License-Identifier: BSD-2-Clause
"""Cycles of a load that hits L1, by the lines and words of its lanes: in the timed model and on an H100, row by row.

    python3 tests/hardware/banks.py [--set KEY=VALUE]... [--every 1] [--jobs 2]

The rows are rows of micro/banks.cu in micro/h100.txt. The GPU ran each pattern again and again on one SM. The model
does likewise, and offers a load as soon as the SM has room. The GPU's schedulers issue at most a load in 1.5 cycles:
patterns with fewer cycles a load cannot be distinguished on the GPU, and count as 1.5 cycles.
"""

import argparse
import multiprocessing
import pathlib
import re
import sys
from collections import namedtuple

import gpucache

TABLE = pathlib.Path(__file__).parent / "micro" / "h100.txt"
LEAST = 1.5  # cycles
TIMES = 8  # repeated loads, and three times as many: the difference contains no latency
BASE = 0x7F0000000000

Row = namedtuple("Row", "name words gpu model")

PATTERNS = {
    r"stride words=(\d+)": lambda stride: [i * stride for i in range(32)],
    r"spread lines=(\d+) apart=(\d+)": lambda lines, apart: [(i % lines) * apart * 32 + i for i in range(32)],
    r"conflict ways=(\d+) lines=(\d+)": lambda ways, lines: [(i % lines) * 32 + i // ways for i in range(32)],
    r"lanes=(\d+) of as many lines": lambda lanes: [i * 33 for i in range(lanes)],
    r"lanes=(\d+) of one line": lambda lanes: list(range(lanes)),
    r"random lines: ([\d ]+)": lambda *lines: [line * 32 + i for i, line in enumerate(lines)],
    r"random words: ([\d ]+)": lambda *words: list(words),
}  # fmt: skip


def words_of(name):
    """Words of the first lane, the second, ...; None for a row of another kind."""
    for pattern, words in PATTERNS.items():
        match = re.fullmatch(pattern, name)
        if match:
            return words(*(int(number) for group in match.groups() for number in group.split()))
    return None


def read_table(path=TABLE):
    rows, wanted = [], False
    for line in path.read_text().splitlines():
        if line.startswith("## "):
            wanted = line.startswith("## banks")
        name, _, cycles = line.rpartition(": ")
        words = words_of(name) if wanted else None
        if words:
            rows.append(Row(name, words, float(cycles), None))
    return rows


def total(hierarchy, addresses, times):
    """Cycles until a number of loads is done."""
    begin = hierarchy.now
    for _ in range(times):
        while hierarchy.try_issue(addresses, kind="load", width=4):
            hierarchy.advance(1)
    while hierarchy.in_flight:
        hierarchy.advance(1)
    return hierarchy.now - begin


def cycles_of(hierarchy, words):
    addresses = [BASE + 4 * word for word in words]
    total(hierarchy, addresses, 1)
    few, more = (total(hierarchy, addresses, times) for times in (TIMES, 3 * TIMES))
    return max((more - few) / (2 * TIMES), LEAST)


def run(job):
    rows, settings = job
    context = gpucache.Context()
    config = gpucache.Config(context)
    config.load_preset("h100")
    for key, value in [("sm.count", "1"), ("mode", "timed"), *settings]:
        config[key] = value
    with gpucache.Hierarchy(context, config) as hierarchy:
        return [row._replace(model=cycles_of(hierarchy, row.words)) for row in rows]


def run_all(every=1, settings=(), jobs=2):
    rows = read_table()[::every]
    work = [(rows[job::jobs], tuple(settings)) for job in range(jobs)]
    if jobs == 1:
        return run(work[0])
    with multiprocessing.Pool(jobs) as pool:
        return [row for part in pool.map(run, work, chunksize=1) for row in part]


def summary(rows):
    errors = sorted(((abs(row.model - row.gpu), row) for row in rows), key=lambda pair: -pair[0])
    mean = sum(error for error, _ in errors) / len(errors)
    worst = [f"{row.name[:40]}: {row.gpu} on the GPU, {row.model:.2f}" for error, row in errors[:3] if error > 0.2]
    return "\n".join([f"{len(rows)} loads: mean absolute error {mean:.2f} cycles", *worst])


def main():
    parser = argparse.ArgumentParser(description="Cycles of a load that hits L1, in the model and on an H100.")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings")
    parser.add_argument("--every", type=int, default=1, help="only every so many rows")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    print(summary(run_all(options.every, [tuple(word.split("=", 1)) for word in options.settings], options.jobs)))


if __name__ == "__main__":
    sys.exit(main())
