# SPDX-License-Identifier: BSD-2-Clause
"""Replacement on top of the best static limit of thread blocks, as seeds/004 section 6.4 evaluates RPR: for each
cache-sensitive kernel of bench/policies.py the number of blocks per SM at which LRU is fastest (CTA-opt), and there
the policies: cycles of all blocks under LRU over theirs, and L1 hit rates.

    python3 bench/throttled.py [--preset NAME] [--only KERNEL] [--policies a,b,...] [--jobs N] [--cache FILE]

Environment and cache as in bench/policies.py. The document's figures for its eight benchmarks: CTA-opt 1.47 over
all blocks; over CTA-opt RPR by distance 1.06, by count 1.00, AgeLRU 1.01; of the six regular ones 1.10 by distance.
"""

import argparse
import os

import policies as bench
from policies import gpucache

# Over CTA-opt, seeds/004 section 6.4.
DOCUMENT = {"lru": "1", "age-lru": "1.01", "rpr-distance": "1.06", "rpr-count": "1.00"}
LIMITS = range(1, 9)  # Fermi's eight blocks of an SM


def limited(spec, limit):
    settings = {"l1.replacement": spec, "sm.block_limit": str(limit)}
    return bench.Policy(f"{spec}, {limit} blocks", settings, "", ("timed",))


def task(kernel, preset, spec, limit):
    return bench.Task(limited(spec, limit), kernel, preset, "timed")


def run(kernels, preset, specs, cache, options):
    """Per kernel: (LRU's cycles with all blocks, CTA-opt, {policy: result at CTA-opt})."""
    lru = [task(kernel, preset, "lru", limit) for kernel in kernels for limit in LIMITS]
    bench.run_all(lru, cache, options.jobs, options.patience)
    best = {}
    for kernel in kernels:
        cycles = {limit: cache.get(task(kernel, preset, "lru", limit)).get("cycles") for limit in LIMITS}
        if all(cycles.values()):
            best[kernel.name] = min(LIMITS, key=lambda limit: (cycles[limit], limit))
    kernels = [kernel for kernel in kernels if kernel.name in best]
    bench.run_all([task(k, preset, spec, best[k.name]) for k in kernels for spec in specs], cache, options.jobs,
                  options.patience)  # fmt: skip
    for kernel in kernels:
        most = cache.get(task(kernel, preset, "lru", LIMITS[-1]))
        limit = best[kernel.name]
        yield kernel, most, limit, {spec: cache.get(task(kernel, preset, spec, limit)) for spec in specs}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", choices=bench.PRESETS, default="gtx480")
    parser.add_argument("--only", metavar="KERNEL", help="just kernels whose name has it")
    parser.add_argument("--policies", default="lru,age-lru,rpr-age,rpr-distance,rpr-count,combined,bip")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--patience", type=int, default=120, help="most seconds of a run (default 120)")
    cache = os.path.join(bench.ROOT, "build", "policies.jsonl")
    parser.add_argument("--cache", default=cache, help="file of the results")
    options = parser.parse_args()
    specs = options.policies.split(",")
    here = os.path.isdir(bench.TRACES)
    kernels = [k for k in bench.KERNELS if k.sensitive and options.preset in k.sources
               and (here or k.sources[options.preset][0].startswith("synthetic"))
               and (not options.only or options.only in k.name)]  # fmt: skip
    with gpucache.Context():
        pass  # loads the library, for the key of the cache
    os.makedirs(os.path.dirname(os.path.abspath(options.cache)), exist_ok=True)
    rows = list(run(kernels, options.preset, specs, bench.Cache(options.cache), options))
    speed, hits, gains = [], [], {spec: [] for spec in ["CTA-opt", *specs]}
    for kernel, most, limit, results in rows:
        base = cycles_of(results["lru"]) if "lru" in results else None
        gains["CTA-opt"].append(bench.over(cycles_of(most), base))
        for spec in specs:
            own = cycles_of(results[spec])
            gains[spec].append(bench.over(base, own) if base and own else None)
        speed.append([kernel.name, str(limit), bench.cell(gains["CTA-opt"][-1]),
                      *(bench.cell(gains[spec][-1]) for spec in specs)])  # fmt: skip
        hits.append([kernel.name, str(limit), bench.cell(bench.hit_rate(most)),
                     *(bench.cell(bench.hit_rate(results[s])) if cycles_of(results[s]) else "-" for s in specs)])
    means = [bench.cell(None if None in gains[name] else bench.geometric_mean(gains[name])) for name in gains]
    speed.append(["geometric mean", "", *means])
    speed.append(["seeds/004", "", "1.47", *(DOCUMENT.get(spec, "") for spec in specs)])
    header = ["kernel", "CTA-opt", "over all blocks", *specs]
    print("Speed-up of the best number of blocks under LRU over all, and of each policy over LRU there, "
          f"{options.preset}\n")  # fmt: skip
    bench.print_table(header, speed)
    print("L1 hit rate, LRU with all blocks and each policy at CTA-opt\n")
    bench.print_table(["kernel", "CTA-opt", "lru, all blocks", *specs], hits)


def cycles_of(result):
    return result.get("cycles") if result else None


if __name__ == "__main__":
    main()
