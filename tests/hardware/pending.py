# SPDX-License-Identifier: BSD-2-Clause
"""Reads that meet a sector on its way to L2: sources, cycles from the first request, and the hit rate if they miss.

    python3 tests/hardware/pending.py [TRACES]... [--preset h100] [--only WORD]... [--jobs 2]

TRACES are folders as of compare.py; by default the two sets of the H100. Launches are replayed as by timed.py. A read
is a read of a line of L2. If some of its sectors were present already, or are missing, the read counts as a whole.
"""

import argparse
import json
import multiprocessing
import pathlib
import statistics
import sys
from collections import namedtuple

import compare
import gpucache
from compare import percent
from timed import mean, name_of

# `who` requested the sector before: "warp", "sm" (another warp of the SM), or "other" (another SM). `after`: core
# cycles between the two reads at L2. `sent`: cycles between the two at the request network's entry. `waited`: delay of
# the first read in cycles, beyond the shortest way.
Read = namedtuple("Read", "who sectors after sent waited")
Row = namedtuple("Row", "name reads model hardware pending")

WHO = {"the warp's": ("warp",), "the SM's": ("warp", "sm"), "anyone's": ("warp", "sm", "other"), "others'": ("other",)}
CYCLES = (4, 8, 16, 32, 64, 128, 256, 512)


def is_held_up(read):
    return 0 <= read.sent < read.waited


class Watch:
    """Reads between L1 and L2, collected from events."""

    def __init__(self):
        self.sent, self.received, self.looked = {}, {}, {}
        self.pending, self.leader, self.parent = {}, {}, {}

    def __call__(self, event):
        what = event.what.name
        if what == "SEND":
            self.sent[event.packet] = (event.cycle, event.sm, event.block, event.warp)
        elif what == "RECEIVE":
            self.received[event.packet] = event.cycle
        elif what == "LOOKUP":
            self.looked[event.packet] = event.cycle
            if event.outcome == "pending":
                self.pending[event.packet] = event.bytes // 32
        elif what == "MSHR_MERGE":
            self.leader[event.packet] = event.value
        elif what == "FETCH":
            self.parent[event.packet] = event.parent

    def reads(self):
        shortest = min((self.received[p] - self.sent[p][0] for p in self.received), default=0)
        for packet, sectors in self.pending.items():
            first = self.leader.get(packet)
            while first is not None and first not in self.sent:  # requests of the other partition's slice
                first = self.parent.get(first)
            if packet not in self.sent or first not in self.received:
                continue
            one, two = self.sent[first], self.sent[packet]
            who = "warp" if one[1:] == two[1:] else "sm" if one[1] == two[1] else "other"
            yield Read(who, sectors, self.looked[packet] - self.looked[first], two[0] - one[0],
                       self.received[first] - one[0] - shortest)  # fmt: skip


def watch(job):
    folder, entry, preset = job
    counters = entry["hardware"]
    context = gpucache.Context()
    config = gpucache.Config(context)
    config.load_preset(preset)
    for key, value in (("mode", "timed"), ("kernels.flush", "all"), ("scheduler", "gto"),
                       ("l1.carveout", f"{counters['shared_memory_carveout']}B")):  # fmt: skip
        config[key] = value
    seen = Watch()
    with gpucache.Replay(context, config) as run, gpucache.Trace(context, str(folder / entry["trace"])) as trace:
        run.hierarchy.set_trace(seen, whats=["lookup", "send", "receive", "mshr-merge", "fetch"],
                                components=["l2", "requests"], kinds=["load"])  # fmt: skip
        stats = dict(run.kernel(trace).stats)
    return Row(name_of(entry["trace"]).replace("/kernel-", " "), stats["l2.read_sectors"],
               percent(stats["l2.read_sector_hits"], stats["l2.read_sectors"]),
               percent(counters["l2_read_sector_hits_from_l1"], counters["l2_read_sectors_from_l1"]),
               tuple(seen.reads()))  # fmt: skip


def error(row, rule):
    missed = sum(read.sectors for read in row.pending if rule(read))
    return abs(row.model - percent(missed, row.reads) - row.hardware)


def rules():
    """(name, function that tells whether a Read is a miss)"""
    yield "none", lambda read: False
    for name, who in WHO.items():
        yield name, lambda read, who=who: read.who in who
        yield f"{name}, the first held up", lambda read, who=who: read.who in who and is_held_up(read)
        for n in CYCLES:
            yield f"{name}, less than {n} cycles after", lambda read, who=who, n=n: read.who in who and read.after < n
            yield f"{name}, {n} cycles or more after", lambda read, who=who, n=n: read.who in who and read.after >= n
            yield (f"{name}, the first held up, where it waits {n} cycles or more",
                   lambda read, who=who, n=n: read.who in who and is_held_up(read) and read.waited >= n)  # fmt: skip


def print_launches(rows):
    print("| launch | same warp | same SM | another SM | cycles | first held up | model % | H100 % |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for row in rows:
        if not row.pending:
            continue
        of = [sum(read.sectors for read in row.pending if read.who == who) for who in ("warp", "sm", "other")]
        after = sorted(read.after for read in row.pending)
        there = sum(read.sectors for read in row.pending if read.who != "other" and is_held_up(read))
        print(f"| {row.name} | {of[0]:,} | {of[1]:,} | {of[2]:,} | {statistics.median(after):.0f}, "
              f"{after[int(0.9 * len(after))]} | {there:,} | {row.model:.1f} | {row.hardware:.1f} |")


def print_rules(rows):
    print(f"\n{len(rows)} launches\n\n| a miss is | all | halves | without fwt |\n|---|---:|---:|---:|")
    for name, rule in rules():
        errors = {row.name: error(row, rule) for row in rows}
        halves = [mean(list(errors.values())[start::2]) for start in (0, 1)]
        without = mean(value for launch, value in errors.items() if "fwt" not in launch)
        print(f"| {name} | {mean(errors.values()):.2f} | {halves[0]:.2f}, {halves[1]:.2f} | {without:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    both = [compare.SHARED, compare.SHARED.with_name("h100-more")]
    parser.add_argument("traces", nargs="*", type=pathlib.Path, metavar="TRACES",
                        default=[folder for folder in both if folder.exists()] or [compare.BUNDLED])  # fmt: skip
    parser.add_argument("--preset", default="h100")
    parser.add_argument("--only", action="append", default=[], metavar="WORD", help="launches whose name holds it")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    jobs = [(folder, entry, options.preset) for folder in options.traces
            for entry in json.loads((folder / "hardware.json").read_text())
            if "only_sms" not in entry and entry["hardware"]["load_requests"] > compare.LEAST_LOADS
            and (not options.only or any(word in entry["trace"] for word in options.only))]  # fmt: skip
    with multiprocessing.Pool(options.jobs) as pool:
        rows = sorted(pool.imap(watch, jobs), key=lambda row: row.name)
    print_launches(rows)
    print_rules(rows)


if __name__ == "__main__":
    sys.exit(main())
