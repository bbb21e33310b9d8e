# SPDX-License-Identifier: BSD-2-Clause
"""The study left open by seeds/000 section 9: effect on `agcb` of table size, counter width, threshold, initial value,
hash of the PC, and choice of the counter raised by an eviction.

    python3 bench/agcb.py [--preset NAME]... [--only TEXT] [--trace NAME]... [--mode functional|timed] [--lines]

Needs the bindings and the library: PYTHONPATH=bindings/python GPUCACHE_LIBRARY=build/lib/libgpucache.so.

A variant changes a single parameter. Printed per trace of an H100: L1 load hit rate, and bypassed line transactions of
loads, in per cent. Printed over all traces: means of both, sectors read from L2 relative to no predictor, and the share
of bypasses overturned by L2. `qv100` has the L1 of the document's Table 3: 32 KiB, 64 ways, allocation on fill. With
--lines the output is a `NAME VALUE UNIT` a line.
"""

import argparse
import math
import multiprocessing
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "bindings", "python"))

import gpucache  # noqa: E402

TRACES = os.path.join(ROOT, "..", "shared", "traces", "h100")
NAMES = ("atax", "backprop", "bfs", "hotspot", "kmeans_rowmajor", "layernorm", "lud", "streamcluster")
SETTINGS = {
    "gtx480": {},
    "qv100": {"l1.size": "32KiB", "l1.unified": "false", "l1.ways": "64", "l1.allocate": "on-fill"},
}
BELOW = "l2.bypass"
# label, l1.bypass, further settings
VARIANTS = [
    ("none", "always-cache", {}),
    ("always-bypass", "always-bypass", {}),
    ("random-p(p=0.5)", "random-p(p=0.5)", {}),
    ("agcb (256, 4 bits, 8, 15)", "agcb", {}),
    ("entries 16", "agcb(entries=16)", {}),
    ("entries 64", "agcb(entries=64)", {}),
    ("entries 1024", "agcb(entries=1024)", {}),
    ("entries 4096", "agcb(entries=4096)", {}),
    ("hash xor", "agcb(hash=xor)", {}),
    ("hash multiply", "agcb(hash=multiply)", {}),
    ("shift 4", "agcb(shift=4)", {}),
    ("bits 1, threshold 1", "agcb(bits=1,threshold=1)", {}),
    ("bits 2, threshold 2", "agcb(bits=2,threshold=2)", {}),
    ("bits 3, threshold 4", "agcb(bits=3,threshold=4)", {}),
    ("bits 6, threshold 32", "agcb(bits=6,threshold=32,initial=63)", {}),
    ("threshold 4", "agcb(threshold=4)", {}),
    ("threshold 12", "agcb(threshold=12)", {}),
    ("threshold 15", "agcb(threshold=15)", {}),
    ("initial 0", "agcb(initial=0)", {}),
    ("initial 7", "agcb(initial=7)", {}),
    ("initial 8", "agcb(initial=8)", {}),
    ("update report", "agcb(update=report)", {}),
    ("update report, initial 7", "agcb(update=report,initial=7)", {}),
    ("agcb-early", "agcb-early", {}),
    ("agcb-early, initial 7", "agcb-early(initial=7)", {}),
    ("bit stored on L2 misses too", "agcb", {BELOW: "agcb-below(on-miss=1)"}),
    ("bit per sector", "agcb", {BELOW: "agcb-below(per-sector=1)"}),
    ("access-count", "access-count", {}),
    ("counter-based", "counter-based", {}),
    ("sdbp", "sdbp", {}),
]


def measure(job):
    """Counters of a trace under a variant, summed over its kernels."""
    preset, mode, name, predictor, settings = job
    settings = {**SETTINGS.get(preset, {}), "mode": mode, "l1.bypass": predictor, **settings}
    with gpucache.Context() as context, gpucache.Config(context, preset, settings) as config:
        with gpucache.Replay(context, config) as run, gpucache.Trace(context, os.path.join(TRACES, name)) as trace:
            for _ in run.run(trace):
                pass
            stats = run.stats()
    names = ("l1.load_sectors", "l1.load_sector_hits", "l1.load_lines", "l1.bypasses", "l1.fetched_sectors",
             "l1.predictions", "l1.overturned_bypasses", "cycles")
    return {name: stats[name] for name in names}


def percent(part, whole):
    return 100 * part / whole if whole else 0.0


def figures(stats, reference):
    """Hit rate, bypass share, traffic and speed-up against the reference, share of bypasses overturned by L2."""
    bypasses = stats["l1.bypasses"] + stats["l1.overturned_bypasses"]
    return {
        "hit": percent(stats["l1.load_sector_hits"], stats["l1.load_sectors"]),
        "bypass": percent(stats["l1.bypasses"], stats["l1.load_lines"]),
        "traffic": stats["l1.fetched_sectors"] / max(1, reference["l1.fetched_sectors"]),
        "speedup": reference["cycles"] / stats["cycles"] if stats.get("cycles") else 0.0,
        "overturned": percent(stats["l1.overturned_bypasses"], bypasses),
    }


def mean(values):
    return sum(values) / len(values)


def geometric(values):
    return math.exp(mean([math.log(max(value, 1e-9)) for value in values]))


def summary(cells, timed):
    ratio = "speedup" if timed else "traffic"
    return (mean([cell["hit"] for cell in cells]), mean([cell["bypass"] for cell in cells]),
            geometric([cell[ratio] for cell in cells]), mean([cell["overturned"] for cell in cells]))


def show_table(preset, names, rows, timed):
    print(f"\n{preset}: L1 load hit rate / bypass share, %")
    heads = [name[:12] for name in names]
    ratio = "speedup" if timed else "traffic"
    print(f"{'':28}" + "".join(f"{head:>13}" for head in heads) + f"{'mean':>13}{ratio:>9}{'found out':>11}")
    for label, cells in rows:
        hit, bypass, factor, overturned = summary(cells, timed)
        print(f"{label:28}" + "".join(f"{cell['hit']:7.1f} {cell['bypass']:5.1f}" for cell in cells) +
              f"{hit:7.1f} {bypass:5.1f}{factor:9.3f}{overturned:10.1f}%")


def show_lines(preset, names, rows):
    for label, cells in rows:
        slug = label.replace(", ", ",").replace(" ", "-")
        for name, cell in zip(names, cells):
            print(f"agcb.{preset}.{name}.{slug}.hit_rate {cell['hit']:.2f} %")
            print(f"agcb.{preset}.{name}.{slug}.bypass_ratio {cell['bypass']:.2f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", action="append", help="a preset, as often as wanted (default: gtx480 and qv100)")
    parser.add_argument("--trace", action="append", help=f"a folder of the traces (default: {', '.join(NAMES)})")
    parser.add_argument("--only", default="", help="variants whose label holds this text")
    parser.add_argument("--mode", default="functional", choices=("functional", "timed"))
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--lines", action="store_true", help="NAME VALUE UNIT instead of a table")
    options = parser.parse_args()
    if not os.path.isdir(TRACES):
        sys.exit(f"bench/agcb.py: no traces at {TRACES}")
    names = options.trace or list(NAMES)
    variants = [v for v in VARIANTS if options.only in v[0] or v is VARIANTS[0]]
    with multiprocessing.Pool(options.jobs) as pool:
        for preset in options.preset or ["gtx480", "qv100"]:
            jobs = [(preset, options.mode, name, v[1], v[2]) for v in variants for name in names]
            results = pool.map(measure, jobs, chunksize=1)
            reference = results[: len(names)]
            rows = [(v[0], [figures(results[i * len(names) + t], reference[t]) for t in range(len(names))])
                    for i, v in enumerate(variants)]
            if options.lines:
                show_lines(preset, names, rows)
            else:
                show_table(preset, names, rows, options.mode == "timed")


if __name__ == "__main__":
    main()
