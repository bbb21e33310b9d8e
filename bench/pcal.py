# SPDX-License-Identifier: BSD-2-Clause
"""Throttling and priority-based cache allocation on the twelve cache-sensitive kernels of seeds/004 Table 4.1, on
gtx480: L1's set hash is `fermi`, or the value of --index. Speed-ups over all warps (warp-max) of

    warp-opt      the best number of warps per scheduler (sm.warp_limit)
    static PCAL   with warp-opt, the best EBTNum, `gto + pcal(warps=N,ebt=M)`; a bypassing load fetches whole lines
    dynamic PCAL  `gto + pcal(warps=N,ebt=auto)`
    with BTO      both again, with a bypassing load fetching only needed 32-byte segments (l1.bypass_fetch)
    ccws, dyncta  `gto + ccws`, `gto + dyncta`, without a search
and the document's explanations: L1 misses of warps with and without a token, cycles of a packet in the
network, cycles of the schedulers stalled only by the memory pipeline.

    python3 bench/pcal.py [--only KERNEL,...] [--quick] [--report] [--jobs N] [--cache FILE]

Environment, cache and processes as in bench/policies.py. Kernels are bfs and streamcluster as traced on an H100,
all others are `synthetic:` kernels of the published sources, with sizes for a run of about a second, mostly with all
SMs busy. Kernels of sums wait for a step's loads before the next (serial=1), as code for Fermi does:
unrolled by eight, as by an H100's compiler, a warp's loads of a line come together, and the cache is not thrashed.
PolyBench kernels have a block for each SM, as in the document, and only the launch with a row for each thread.
Missing features of the library are left out, with a message.
"""

import argparse
import os
import sys
from collections import namedtuple

import policies as bench
from policies import gpucache

PRESET = "gtx480"
# A search over every number up to 24 would take an hour for little.
LIMITS = (1, 2, 3, 4, 6, 8, 12, 16)
EBT = (-1, -2, -3, -4, -6, 1, 2, 4)  # the document has -6 to 6
FETCH = {"": "line", " BTO": "segments"}
WIDE = "cache_warp bypass_warp".split()
COUNTERS = ("network.requests", "network.request_cycles",
            *(f"l1.{kind}_{what}" for kind in WIDE for what in ("lines", "misses")))  # fmt: skip

# `most`, `best` and `gain`: Table 4.1's warp-max, warp-opt and speed-up.
Sensitive = namedtuple("Sensitive", "kernel most best gain")


def synthetic(name, source, most, best, gain):
    return Sensitive(bench.Kernel(name, {PRESET: ("synthetic:" + source, {})}, True), most, best, gain)


def traced(name, path, most, best, gain):
    return Sensitive(bench.Kernel(name, {PRESET: (os.path.join(bench.TRACES, path), {})}, True), most, best, gain)


# A launch of 15 blocks: a block's warps for each scheduler, for any number of columns.
ROWS = 15 * 256
KERNELS = [
    synthetic("CoMD", "comd:110KiB", 16, 6, 1.53),
    synthetic("II", "inverted-index:23580KiB:scanned=64", 24, 2, 1.24),
    traced("BFS", "bfs/kernel-13.traceg.xz", 24, 8, 1.02),
    synthetic("KMN", f"kmeans:{90 * 256 * 34 * 4}:rowmajor=1,features=34,centres=2,serial=1", 24, 1, 2.68),
    synthetic("SM", "string-match:23160KiB:scanned=32", 24, 2, 1.18),
    synthetic("SS", "similarity-score:1MiB:pairs=23040", 24, 2, 1.11),
    synthetic("SSSP", "sssp:4MiB:blocks=45,first=6,launches=1", 24, 8, 1.05),
    traced("SCLUSTER", "streamcluster", 24, 4, 2.44),
    synthetic("ATAX", f"atax:{ROWS * 128 * 4}:columns=128,serial=1,launch=1", 4, 4, 1.0),
    synthetic("BICG", f"bicg:{ROWS * 128 * 4}:columns=128,serial=1,launch=2", 4, 4, 1.0),
    synthetic("GESUMMV", f"gesummv:{ROWS * 96 * 4}:columns=96,serial=1", 4, 1, 1.69),
    synthetic("MVT", f"mvt:{ROWS * 128 * 4}:columns=128,serial=1,launch=1", 4, 4, 1.0),
]
QUICK = ("KMN", "GESUMMV", "ATAX")
# Geometric means over warp-max in chapter 4.
DOCUMENT = {"warp-opt": "1.41", "static PCAL": "1.56", "static PCAL BTO": "1.67"}
COLUMNS = ("warp-opt", "static PCAL", "static PCAL BTO", "dynamic PCAL", "dynamic PCAL BTO", "ccws", "dyncta")


def task(sensitive, index, label, **settings):
    settings = {"l1.index": index, **{key.replace("_", ".", 1): value for key, value in settings.items()}}
    return bench.Task(bench.Policy(label, settings, "", ("timed",)), sensitive.kernel, PRESET, "timed")


def limited(sensitive, index, warps):
    return task(sensitive, index, f"{warps or 'all'} warps", sm_warp_limit=str(warps))


def pcal(sensitive, index, warps, ebt, fetch):
    return task(sensitive, index, f"pcal {warps} {ebt} {fetch}", scheduler=f"gto + pcal(warps={warps},ebt={ebt})",
                l1_bypass_fetch=fetch)  # fmt: skip


def plain(sensitive, index, throttle):
    return task(sensitive, index, throttle, scheduler=f"gto + {throttle}")


def refused(policy):
    """Reason for a missing scheduler of the library; None: present."""
    try:
        with gpucache.Context() as context, gpucache.Config(context, PRESET, {"mode": "timed", **policy}) as config:
            gpucache.Replay(context, config).close()
    except gpucache.errors.GpucacheError as error:
        return str(error)
    return None


def missing():
    """Columns without support in the library, with the reason."""
    tried = {"ccws": "ccws", "dyncta": "dyncta", "static PCAL": "pcal(warps=4,ebt=-1)",
             "dynamic PCAL": "pcal(warps=4,ebt=auto)"}  # fmt: skip
    found = {}
    for name, spec in tried.items():
        if why := refused({"scheduler": f"gto + {spec}"}):
            found |= {name + suffix: why for suffix in (FETCH if "PCAL" in name else ("",))}
    return found


def counted():
    """Wanted counters present in the library."""
    with gpucache.Context() as context, gpucache.Config(context, PRESET, {"mode": "timed"}) as config:
        with gpucache.Replay(context, config) as run:
            stats = run.stats()
            names = []
            for name in COUNTERS:
                try:
                    stats[name]
                    names.append(name)
                except (KeyError, AttributeError):
                    print(f"no counter {name}: left out", file=sys.stderr)
    return tuple(names)


def cycles(result):
    return result.get("cycles") if result else None


def fastest(cache, tasks):
    """The fastest (number, task) with a result, the first among equals."""
    done = [(cycles(cache.get(one)), number, one) for number, one in tasks if cycles(cache.get(one))]
    return min(done, key=lambda entry: entry[0])[1:] if done else (None, None)


def runs(kernels, index, absent, cache, options):
    """Rows of every kernel: {column: (number or None, result)}."""

    def go(tasks):
        if not options.report:
            bench.run_all(tasks, cache, options.jobs, options.patience)

    limits = {k.kernel.name: [(n, limited(k, index, n)) for n in (0, *LIMITS) if n < k.most] for k in kernels}
    go([one for tasks in limits.values() for _, one in tasks])
    rows, sweeps, more = {name: {} for name in limits}, {}, []
    for k in kernels:
        name, row = k.kernel.name, rows[k.kernel.name]
        row["warp-max"] = (k.most, cache.get(limits[name][0][1]))
        number, one = fastest(cache, limits[name])
        if one is None:
            continue
        best = number or k.most
        row["warp-opt"] = (best, cache.get(one))
        for suffix, fetch in FETCH.items():
            if "static PCAL" not in absent:
                steps = [(ebt, pcal(k, index, best, ebt, fetch)) for ebt in EBT if -best < ebt <= k.most - best]
                sweeps[name, "static PCAL" + suffix] = [(0, one), *steps]
            if "dynamic PCAL" not in absent:
                sweeps[name, "dynamic PCAL" + suffix] = [(None, pcal(k, index, best, "auto", fetch))]
        for throttle in ("ccws", "dyncta"):
            if throttle not in absent:
                sweeps[name, throttle] = [(None, plain(k, index, throttle))]
    # Columns in turn, first columns without a search, so that an interrupted run has whole columns.
    for column in sorted(COLUMNS, key=lambda column: "static" in column):
        more += [one for (_, kind), tasks in sweeps.items() if kind == column for _, one in tasks]
    go(more)
    for (name, column), tasks in sweeps.items():
        number, one = fastest(cache, tasks)
        if one is not None:
            rows[name][column] = (number, cache.get(one))
    return rows


def print_speed(kernels, rows):
    table, gains = [], {column: [] for column in COLUMNS}
    for k in kernels:
        most = cycles(rows[k.kernel.name]["warp-max"][1])
        cells = []
        for column in COLUMNS:
            number, result = rows[k.kernel.name].get(column, (None, None))
            gain = bench.over(most, cycles(result)) if most and cycles(result) else None
            gains[column].append(gain)
            text = bench.cell(gain, "{:.2f}")
            cells.append(text if number is None or gain is None else f"{text} ({number})")
        table.append([k.kernel.name, f"{k.gain:.2f} ({k.best} of {k.most})", *cells])
    means = [bench.cell(None if None in gains[c] else bench.geometric_mean(gains[c]), "{:.2f}") for c in COLUMNS]
    own = bench.geometric_mean([k.gain for k in kernels])
    table += [["geometric mean", f"{own:.2f}", *means], ["seeds/004", "", *(DOCUMENT.get(c, "") for c in COLUMNS)]]
    print("Speed-up over warp-max; in brackets the number of warps per scheduler or EBTNum that is fastest\n")
    bench.print_table(["kernel", "Table 4.1", *COLUMNS], table)


def network_latency(r):
    """Latency of sending and of receiving, the sum of section 4.1.4."""
    reply = bench.over(r["network.reply_cycles"], r["network.replies"])
    if "network.requests" not in r or "network.request_cycles" not in r:
        return reply
    request = bench.over(r["network.request_cycles"], r["network.requests"])
    return reply + request if reply is not None and request is not None else reply


def miss_ratio(r, kind):
    return bench.over(r[f"l1.{kind}_misses"], r[f"l1.{kind}_lines"]) if f"l1.{kind}_lines" in r else None


def print_reasons(kernels, rows):
    table = []
    for k in kernels:
        for column in ("warp-max", *COLUMNS):
            number, r = rows[k.kernel.name].get(column, (None, None))
            if not cycles(r):
                continue
            table.append([
                k.kernel.name, column, "" if number is None else str(number),
                bench.cell(bench.over(r["l1.load_line_misses"], r["l1.load_lines"])),
                *(bench.cell(miss_ratio(r, kind)) for kind in WIDE),
                bench.cell(network_latency(r), "{:.0f}"),
                bench.cell(bench.over(r["round_trip.cycles"], r["round_trip.requests"]), "{:.0f}"),
                bench.cell(bench.over(r["scheduler.memory_stalls"], r["scheduler.cycles"])),
                bench.cell(bench.over(r["scheduler.mshr_stalls"], r["scheduler.cycles"])),
                bench.cell(bench.over(r["scheduler.line_stalls"], r["scheduler.cycles"])),
            ])  # fmt: skip
    print("Why: L1 misses by line (Figures 4.16 to 4.19), cycles of a packet in the network and of a round trip to\n"
          "DRAM (4.14, 4.20), cycles of the schedulers that memory kept from issuing, of these for an MSHR entry or a\n"
          "line (4.15, 4.21)\n")  # fmt: skip
    bench.print_table(["kernel", "", "number", "L1 misses", "cache warps", "bypassing", "network", "round trip",
                       "memory stalls", "MSHR", "line"], table)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="KERNEL,...", help="just these")
    parser.add_argument("--quick", action="store_true", help=f"just {', '.join(QUICK)}")
    parser.add_argument("--index", choices=("fermi", "xor", "ipoly", "modulo"), default="fermi", help="of L1's sets")
    parser.add_argument("--report", action="store_true", help="run nothing, print what the cache file has")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--patience", type=int, default=120, help="most seconds of a run (default 120)")
    parser.add_argument("--cache", default=os.path.join(bench.ROOT, "build", "pcal.jsonl"), help="file of the results")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else QUICK if options.quick else [k.kernel.name for k in KERNELS]
    kernels = [k for k in KERNELS if k.kernel.name in wanted]
    if unknown := set(wanted) - {k.kernel.name for k in KERNELS}:
        parser.error(f"no kernel {', '.join(sorted(unknown))}")
    if not os.path.isdir(bench.TRACES):
        print(f"{bench.TRACES} is not there: synthetic kernels alone", file=sys.stderr)
        kernels = [k for k in kernels if k.kernel.sources[PRESET][0].startswith("synthetic")]
    absent = missing()
    for name, why in absent.items():
        print(f"{name}: left out: {why}", file=sys.stderr)
    bench.SUMMED += counted()
    os.makedirs(os.path.dirname(os.path.abspath(options.cache)), exist_ok=True)
    rows = runs(kernels, options.index, absent, bench.Cache(options.cache), options)
    print_speed(kernels, rows)
    print_reasons(kernels, rows)


if __name__ == "__main__":
    main()
