# SPDX-License-Identifier: BSD-2-Clause
"""The timed model against an H100's cycles and counters, trace by trace.

    python3 tests/hardware/timed.py [TRACES] [--preset h100] [--scheduler NAME]... [--set KEY=VALUE]... [--only WORD]...
                                    [--markdown] [--jobs 2]

TRACES as of compare.py. Every listed launch is replayed alone, timed, as measured: with cold caches, the carve-out of
the counters, each thread block on the SM on which the GPU ran the block, and the launch's overhead (`launch.cycles`).
In the table, * marks a trace without most of the executed instructions.
"""

import argparse
import json
import multiprocessing
import pathlib
import sys
from collections import namedtuple

import compare
from compare import percent

SCHEDULERS = ("gto", "lrr")
LEAST_CYCLES = 10_000  # least length of a launch in the first mean
MOST = 0.5  # share of the executed instructions: a trace with a smaller share says little about cycles
# Figures of Accel-Sim's H100 configuration: cycles. The model shall be closer to hardware on each.
ACCEL_SIM = {
    "vecadd/kernel-1": 10_222, "conv2d/kernel-1": 8_150, "atax/kernel-1": 142_581, "kmeans_rowmajor/kernel-1": 41_565,
}  # fmt: skip

# Cycles, hit rates in per cent, DRAM reads in sectors, as (model, hardware); None for an unread counter. If a trace has
# blocks of only some SMs, only the L1 hit rate is comparable. `complete`: the trace holds most of the executed
# instructions; a loop without global memory is missing in the trace. `active`: cycles of an SM with a block, on
# average.
Row = namedtuple("Row", "name partial complete cycles active l1 l2 dram stats")


def name_of(trace):
    return trace.replace(".traceg.xz", "")


def run(job):
    """Run a launch on a configuration; returns a Row."""
    folder, entry, preset, settings = job
    counters = entry["hardware"]
    stats = compare.replay(folder / entry["trace"], preset, [
        ("mode", "timed"), ("kernels.flush", "all"), ("l1.carveout", f"{counters['shared_memory_carveout']}B"),
        *settings])  # fmt: skip
    l1 = percent(stats["l1.load_sector_hits"], stats["l1.load_sectors"]), 100 * counters["load_sector_hit_rate"]
    if "only_sms" in entry:
        return Row(name_of(entry["trace"]), True, False, None, None, l1, None, None, stats)
    hits = percent(stats["l2.read_sector_hits"], stats["l2.read_sectors"])
    return Row(
        name_of(entry["trace"]), False, entry["trace_instructions"] >= MOST * counters["warp_instructions"],
        (stats["cycles"], counters["cycles"]),
        (stats["sm.active_cycles"] / 132, counters["sm_active_cycles_total"] / 132), l1,
        (hits, percent(counters["l2_read_sector_hits_from_l1"], counters["l2_read_sectors_from_l1"])),
        (stats["dram.read_sectors"], counters["dram_read_sectors"]), stats,
    )  # fmt: skip


def run_all(folder, preset="h100", settings=(), only=(), jobs=2):
    """Every launch in a folder's hardware.json with a word of `only` in the name: Rows, in order."""
    entries = json.loads((folder / "hardware.json").read_text())
    entries = [entry for entry in entries if not only or any(word in entry["trace"] for word in only)]
    work = [(folder, entry, preset, tuple(settings)) for entry in entries]
    if jobs == 1:
        return [run(job) for job in work]
    with multiprocessing.Pool(jobs) as pool:
        return pool.map(run, work, chunksize=1)


def error(pair):
    """Error of the model, in per cent of hardware."""
    return 100 * (pair[0] - pair[1]) / pair[1]


def ranks(values):
    """Places of the values in ascending order from 0 up; equal values share the mean place."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) - 1) / 2 for value in values]


def rank_correlation(pairs):
    """Spearman's: Pearson's of the ranks."""
    model, hardware = (ranks(values) for values in zip(*pairs))
    mean = (len(pairs) - 1) / 2
    across = sum((m - mean) * (h - mean) for m, h in zip(model, hardware))
    spread = [sum((value - mean) ** 2 for value in side) for side in (model, hardware)]
    return across / (spread[0] * spread[1]) ** 0.5 if all(spread) else 0.0


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0


def counted(rows, least=LEAST_CYCLES):
    """Full launches with complete traces above a number of hardware cycles."""
    return [row for row in rows if row.complete and row.cycles[1] > least]


def cycle_errors(rows):
    """Rank correlation and mean absolute percentage error of cycles."""
    pairs = [row.cycles for row in rows]
    return rank_correlation(pairs), mean(abs(error(pair)) for pair in pairs)


def partial_errors(rows):
    """L1 hit rates of traces from only some SMs: mean and largest absolute error, points."""
    errors = [abs(compare.off(row.l1)) for row in rows if row.partial]
    return mean(errors), max(errors, default=0.0)


def halves(rows):
    """Every second launch by name, for fitting, and the rest, for the later test."""
    ordered = sorted(rows, key=lambda row: row.name)
    return ordered[::2], ordered[1::2]


def table(rows, functional=None, markdown=False):
    head = ["launch", "cycles", "H100", "error %", "active", "H100", "L1", "funct.", "H100", "L2", "funct.", "H100",
            "DRAM", "H100"]  # fmt: skip
    form = "| " + " | ".join(["{}"] * len(head)) + " |" if markdown else (
        "{:24} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>9} {:>9}")
    lines = [form.format(*head)]
    if markdown:
        lines.append("|---|" + "---:|" * (len(head) - 1))
    for row in rows:
        other = functional.get(row.name) if functional else None
        rate = [f"{row.l1[0]:.1f}", f"{other.l1[0]:.1f}" if other else "", f"{row.l1[1]:.1f}"]
        cells = [""] * 5 + rate + [""] * 5
        if not row.partial:
            l2 = [f"{row.l2[0]:.1f}", f"{other.l2[0]:.1f}" if other else "", f"{row.l2[1]:.1f}"]
            cells = [f"{row.cycles[0]:,}{'' if row.complete else ' *'}", f"{row.cycles[1]:,}",
                     f"{error(row.cycles):+.1f}", f"{row.active[0]:,.0f}", f"{row.active[1]:,.0f}", *rate, *l2,
                     f"{row.dram[0]:,}", f"{row.dram[1]:,}"]  # fmt: skip
        lines.append(form.format(row.name.replace("/kernel-", " "), *cells))
    return "\n".join(lines)


def summary(rows):
    """A few lines on the rows together."""
    lines = []
    whole = [row for row in rows if not row.partial]
    for what, some in (
        (f"complete traces above {LEAST_CYCLES:,}", counted(rows)),
        ("complete traces", counted(rows, 0)),
        (f"all above {LEAST_CYCLES:,}", [row for row in whole if row.cycles[1] > LEAST_CYCLES]),
    ):
        if some:
            correlation, percentage = cycle_errors(some)
            lines.append(f"cycles, {what}: {len(some)} launches, rank correlation {correlation:.3f}, mean absolute "
                         f"error {percentage:.1f} %")
    for what, half in zip(("first, third, ... by name", "the others"), halves(counted(rows, 0))):
        for least, some in ((0, half), (LEAST_CYCLES, counted(half))):
            if some:
                lines.append(f"cycles, complete traces above {least:,}, {what}: {len(some)} launches, "
                             f"{cycle_errors(some)[1]:.1f} %")
    large = [row for row in whole if row.stats["l1.load_requests"] > compare.LEAST_LOADS]
    lines.append(f"hit rates, {len(large)} launches of more than {compare.LEAST_LOADS:,} loads: mean absolute error "
                 f"L1 {mean(abs(compare.off(row.l1)) for row in large):.2f} points, "
                 f"L2 {mean(abs(compare.off(row.l2)) for row in large):.2f}; DRAM reads "
                 f"{mean(abs(error(row.dram)) for row in large):.2f} %")
    average, largest = partial_errors(rows)
    lines.append(f"L1 hit rates of SMs 0 to 3: mean absolute error {average:.2f} points, largest {largest:.2f}")
    for row in rows:
        if row.name in ACCEL_SIM:
            lines.append(f"{row.name}: {error(row.cycles):+.1f} %; Accel-Sim "
                         f"{error((ACCEL_SIM[row.name], row.cycles[1])):+.1f} %")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="The timed model against an H100's cycles and counters.")
    parser.add_argument("traces", nargs="?", type=pathlib.Path, default=compare.traces(), metavar="TRACES")
    parser.add_argument("--preset", default="h100")
    parser.add_argument("--scheduler", action="append", metavar="NAME", help=f"default: {', then '.join(SCHEDULERS)}")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings")
    parser.add_argument("--only", action="append", default=[], metavar="WORD", help="launches whose name holds it")
    parser.add_argument("--functional", action="store_true", help="functional hit rates beside the timed ones")
    parser.add_argument("--summary", action="store_true", help="no tables")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    settings = [tuple(word.split("=", 1)) for word in options.settings]
    functional = None
    if options.functional:
        functional = {name_of(row.trace): row for row in compare.compare_all(options.traces, options.preset, settings)}
    for scheduler in options.scheduler or SCHEDULERS:
        chosen = settings + [("scheduler", scheduler)]
        rows = run_all(options.traces, options.preset, chosen, options.only, options.jobs)
        print(f"scheduler = {scheduler}")
        if not options.summary:
            print(table(rows, functional, options.markdown))
        print(summary(rows), flush=True)


if __name__ == "__main__":
    sys.exit(main())
