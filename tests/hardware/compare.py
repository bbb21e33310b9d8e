# SPDX-License-Identifier: BSD-2-Clause
"""The model against an H100's own counters, trace by trace.

    python3 tests/hardware/compare.py [TRACES] [--preset h100] [--set KEY=VALUE]... [--markdown]

TRACES is a folder with a hardware.json, as ../shared/traces/h100 (the default, if present) and examples/traces. Every
listed launch is replayed alone, as measured: with cold caches, the carve-out that the counters tell, and each thread
block on the SM on which the GPU ran the block.
"""

import argparse
import json
import pathlib
import sys
from collections import namedtuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings" / "python"))

import gpucache  # noqa: E402

SHARED = ROOT.parent / "shared" / "traces" / "h100"
BUNDLED = ROOT / "examples" / "traces"
LEAST_LOADS = 1000  # least loads of a launch that counts for the mean errors

# Hit rates in per cent, L2 reads, L2 misses and DRAM reads in sectors; (model, hardware) each, None for an unread
# counter. `counts`: values that must be equal. `instructions`: of the trace, model, hardware. `merged`: sectors missed
# by the hardware's L1s and not requested from L2.
Row = namedtuple("Row", "trace loads partial l1 l2 dram counts instructions reads misses merged")


def traces():
    return SHARED if (SHARED / "hardware.json").exists() else BUNDLED


def percent(part, whole):
    return 100.0 * part / whole if whole else 0.0


def replay(path, preset, settings):
    context = gpucache.Context()
    config = gpucache.Config(context)
    config.load_preset(preset)
    for key, value in settings:
        config[key] = value
    with gpucache.Replay(context, config) as run, gpucache.Trace(context, str(path)) as trace:
        return dict(run.kernel(trace).stats)


def compare(folder, entry, preset="h100", settings=()):
    """One launch: a Row."""
    counters = entry["hardware"]
    measured = [("kernels.flush", "all"), ("l1.carveout", f"{counters['shared_memory_carveout']}B")]
    stats = replay(folder / entry["trace"], preset, measured + list(settings))
    l1 = percent(stats["l1.load_sector_hits"], stats["l1.load_sectors"]), 100 * counters["load_sector_hit_rate"]
    if "only_sms" in entry:
        return Row(entry["trace"], 0, True, l1, *[None] * 7)
    reads = stats["l2.read_sectors"], counters["l2_read_sectors_from_l1"]
    hits = stats["l2.read_sector_hits"], counters["l2_read_sector_hits_from_l1"]
    counts = {
        "load requests": (stats["l1.load_requests"], counters["load_requests"]),
        "load sectors": (stats["l1.load_sectors"], counters["load_sectors"]),
        "store requests": (stats["l1.store_requests"], counters["store_requests"]),
        "store sectors": (stats["l1.store_sectors"], counters["store_sectors"]),
    }
    return Row(
        entry["trace"], counters["load_requests"], False, l1, tuple(map(percent, hits, reads)),
        (stats["dram.read_sectors"], counters["dram_read_sectors"]), counts,
        (entry["trace_instructions"], stats["warp_instructions"], counters["warp_instructions"]),
        reads, (reads[0] - hits[0], reads[1] - hits[1]),
        counters["load_sectors"] - counters["load_sector_hits"] - reads[1],
    )  # fmt: skip


def compare_all(folder, preset="h100", settings=()):
    entries = json.loads((folder / "hardware.json").read_text())
    return [compare(folder, entry, preset, settings) for entry in entries]


def off(pair):
    return pair[0] - pair[1]


def off_with_merging(row):
    """L2: the error in points of a model without the reads merged by hardware before L2, all of them hits."""
    reads = row.reads[0] - row.merged
    return percent(reads - row.misses[0], reads) - row.l2[1]


def means(rows):
    """Mean absolute errors over the full-GPU launches of enough loads: L1 and L2 in points, DRAM in per cent."""
    rows = [row for row in rows if not row.partial and row.loads > LEAST_LOADS]
    n = len(rows)
    return (sum(abs(off(r.l1)) for r in rows) / n, sum(abs(off(r.l2)) for r in rows) / n,
            sum(abs(off(r.dram)) / r.dram[1] * 100 for r in rows) / n, n)


def table(rows, markdown=False):
    form = "| {} | {} | {} | {} | {} | {} | {} |" if markdown else "{:32} {:>9} {:>9} {:>9} {:>9} {:>10} {:>10}"
    lines = [form.format("launch", "L1 model", "L1 H100", "L2 model", "L2 H100", "DRAM model", "DRAM H100")]
    if markdown:
        lines.append("|---|" + "---:|" * 6)
    for row in rows:
        name = row.trace.replace("/kernel-", " ").replace(".traceg.xz", "")
        cells = [f"{row.l1[0]:.1f}", f"{row.l1[1]:.1f}"]
        cells += ["", "", "", ""] if row.partial else [
            f"{row.l2[0]:.1f}", f"{row.l2[1]:.1f}", f"{row.dram[0]:,}", f"{row.dram[1]:,}"]
        lines.append(form.format(name, *cells))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="The model against an H100's counters.")
    parser.add_argument("traces", nargs="?", type=pathlib.Path, default=traces(), metavar="TRACES")
    parser.add_argument("--preset", default="h100")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    settings = [tuple(word.split("=", 1)) for word in options.settings]
    rows = compare_all(options.traces, options.preset, settings)
    print(table([row for row in rows if not row.partial], options.markdown))
    partial = [row for row in rows if row.partial]
    if partial:
        print("\nBlocks of SMs 0 to 3 only; order, which functional replay lacks, decides:")
        print(table(partial, options.markdown))
    l1, l2, dram, n = means(rows)
    print(f"\nMean absolute error over {n} launches of more than {LEAST_LOADS:,} loads: "
          f"L1 {l1:.2f} points, L2 {l2:.2f} points, DRAM reads {dram:.2f} %")


if __name__ == "__main__":
    main()
