# SPDX-License-Identifier: BSD-2-Clause
"""Rates of loads and stores of random sectors by all SMs, alone and mixed: in the timed model and on an H100.

    python3 tests/hardware/written.py [--set KEY=VALUE]... [--kib 64,256,1024,8192] [--warps 8] [--jobs 2]

The GPU's rates come from micro/scatter.cu in micro/h100.txt, with 64 warps an SM and hundreds of turns. The model has
some warps and few turns, after L2 has been filled. A place is a load, a store, or a load and a store to another sector.
"""

import argparse
import multiprocessing
import pathlib
import random
import re
import sys

import gpucache

TABLE = pathlib.Path(__file__).parent / "micro" / "h100.txt"
WHAT = {"load.cg": ("load",), "store.u32": ("store",), "load.cg+store.u32": ("load", "store")}
BASE = 0x7F0000000000
SMS, TURNS, LANES = 132, 4, 32


def read_table(path=TABLE):
    """Places a nanosecond by kind of access and KiB."""
    found = {}
    row = r"scatter (\S+) KiB=(\d+) blocks=264 warps=32 .* lanes=32 run=1 .* places/ns=([\d.]+)"
    for what, kib, rate in re.findall(row, path.read_text()):
        found[what, int(kib)] = float(rate)
    return found


def fill(hierarchy, size):
    """Fill both halves of L2 with every line."""
    for sm in (0, 2, 4, 6):
        for line in range(0, size, 128):
            while hierarchy.try_issue([BASE + line + 4 * lane for lane in range(LANES)], sm=sm, hint="cg"):
                hierarchy.advance(4)
        hierarchy.drain()


class Warps:
    """Warps in turns: a warp issues the accesses of a turn in sequence, and starts the next turn after their end."""

    def __init__(self, hierarchy, steps, sectors, warps):
        self.hierarchy, self.steps, self.sectors, self.warps = hierarchy, steps, sectors, warps
        self.random = random.Random(5)
        self.left = [TURNS * len(steps)] * (SMS * warps)
        self.ready = list(range(SMS * warps))
        self.pending, self.under_way = [None] * (SMS * warps), [0] * (SMS * warps)
        self.done = 0

    def completed(self, completion):
        warp = completion.token
        self.done += 1
        self.under_way[warp] -= 1
        if self.left[warp] and not self.under_way[warp] and self.left[warp] % len(self.steps) == 0:
            self.ready.append(warp)

    def issue(self, warp):
        """Whether the whole turn has been issued."""
        if self.pending[warp] is None:
            self.pending[warp] = [BASE + 32 * self.random.randrange(self.sectors) for _ in range(LANES)]
        kind = self.steps[-self.left[warp] % len(self.steps)]
        hint = {"hint": "cg"} if kind == "load" else {}
        if self.hierarchy.try_issue(self.pending[warp], kind=kind, token=warp, sm=warp // self.warps,
                                    warp=warp % self.warps, **hint):  # fmt: skip
            return False
        self.left[warp] -= 1
        self.under_way[warp] += 1
        self.pending[warp] = None
        return self.left[warp] % len(self.steps) == 0 or self.issue(warp)

    def run(self, mhz):
        """Places a nanosecond."""
        begin, total = self.hierarchy.now, sum(self.left)
        while self.done < total:
            self.ready = [warp for warp in self.ready if not self.issue(warp)]
            self.hierarchy.advance(8)
        return TURNS * len(self.left) * LANES / ((self.hierarchy.now - begin) / mhz * 1e3)


def rate(job):
    what, kib, warps, settings = job
    context = gpucache.Context()
    config = gpucache.Config(context)
    config.load_preset("h100")
    for key, value in [("mode", "timed"), *settings]:
        config[key] = value
    run = None
    with gpucache.Hierarchy(context, config, on_complete=lambda done: run and run.completed(done)) as hierarchy:
        fill(hierarchy, kib << 10)
        run = Warps(hierarchy, WHAT[what], (kib << 10) // 32, warps)
        return run.run(int(config["clock.core"]))


def main():
    parser = argparse.ArgumentParser(description="Rates of random sectors of all SMs, in the model and on an H100.")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings")
    parser.add_argument("--kib", default="64,256,1024,8192")
    parser.add_argument("--warps", type=int, default=8, help="of an SM")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    table, settings = read_table(), [tuple(word.split("=", 1)) for word in options.settings]
    jobs = [(what, int(kib), options.warps, settings) for what in WHAT for kib in options.kib.split(",")]
    print(f"{'places a nanosecond':24} {'KiB':>6} {'H100':>7} {'model':>7}")
    with multiprocessing.Pool(options.jobs) as pool:
        for (what, kib, *_), model in zip(jobs, pool.imap(rate, jobs)):
            print(f"{what:24} {kib:6} {table[what, kib]:7.1f} {model:7.1f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
