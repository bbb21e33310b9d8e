# SPDX-License-Identifier: BSD-2-Clause
"""The finding of seeds/002, chapter 4: a small inclusive L2 makes L1 worse than none, and most machine learning kernels
do not care about L2 at all. Kernels of its Tables 3.4 and 3.5, problems of 2 MB, preset kepler with a coherence
protocol; L2 of six modules of together 0 (none), 96, 192, ... 12288 KB.

    main      by L2 size: cycles, speed-up over the largest, L1 and L2 hit ratios in both ways of counting
              (--all: L1 of 32 KB, L2 of 4 ways, too); how deep the valley is, and what makes it; who does not care
    matrices  state changes and their origins of one L1 and L2 module beside Tables 4.2 to 4.4
    problems  64 KB to 16 MB, section 4.3
    spatial   the bit reversal kernel, section 4.4
    beyond    a non-inclusive L2; a third level: two clusters of SMs with 128 KB each; requests that wait where
              Multi2Sim's come again; any number of misses in flight in L1, where kepler has 16; write-through L1s (vi);
              Multi2Sim's protocol with silent evictions of clean blocks, where its own wait for an answer

    python3 bench/l2_valley.py [--parts PART,...] [--kernels NAME,...] [--sizes KB,...] [--quick] [--report] ...

Environment, cache file and processes as bench/policies.py has them. Two ways of counting: `of processors` and `of
requests` are hits of what was asked of a cache from above. Multi2Sim's adds every other lookup to the accesses, none of
which can hit: probes, write-backs received, retries.

What differs from the document's runs beside that: a warp's accesses are coalesced before L1, where Multi2Sim sends each
thread's, some of which come late enough to hit the block that the others have fetched; so kernels whose warps take
whole lines, once, have no L1 hits at all here, and no valley in them. Accesses to shared memory never reach L1; the
document counts them as L1 hits, which a row of its own shows for kernels that have any. Its histogram runs additions as
loops of loads and stores that repeat until they succeed, and so has more of them than the one atomic here.
"""

import argparse
import os
import sys

import l2_runs as runs
import l2_tables as tables
from policies import ROOT

SIZES = (0, 96, 192, 384, 768, 1536, 3072, 6144, 12288)
SPATIAL_SIZES = (0, 96, 192, 384, 768, 1536)
PROBLEMS = (64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
PROTOCOLS = ("nmoesi-multi2sim", "nmoesi")
VARIANTS = (("nmoesi", ""), ("nmoesi", "non-inclusive"), ("nmoesi", "three-level"), ("nmoesi", "waiting"),
            ("nmoesi", "many misses"), ("nmoesi", "many misses, non-inclusive"), ("vi", ""),
            (runs.SILENT, ""))  # fmt: skip
INCLUSIVE = {"non-inclusive": "", "many misses, non-inclusive": "many misses"}
PARTS = ("main", "matrices", "problems", "spatial", "beyond")
QUICK = ("Transpose", "Histogram", "MaxPooling", "VectorMul")
BASE = {"l1": 16, "ways": 16, "size": 2048, "tree": ""}
SPATIAL = runs.OTHERS[-1]


def combinations(options):
    """(L1 KB, L2 ways) of the main part, the preset's first."""
    every = [(l1, ways) for l1 in (16, 32) for ways in (16, 4)]
    return every if options.all else every[:1]


def planned(part, kernels, options):
    """Runs of a part, in the order of their use: one that is cut short has whole tables."""
    if part in ("main", "matrices"):
        sizes = options.sizes if part == "main" else sorted({1536, 96, 0} & set(SIZES))
        chosen = kernels if part == "main" else [k for k in kernels if k.name in ("Transpose", "Histogram")]
        combined = combinations(options) if part == "main" else [(16, 16)]
        yield from (runs.Shared(kernel, options.size) for kernel in chosen)
        for l1, ways in combined:
            for protocol in options.protocols:
                for kernel in chosen:
                    for l2 in sizes:
                        if l2 or ways == 16:
                            yield runs.Run(kernel, protocol, l2, l1, ways, options.size, options.tree)
    elif part == "problems":
        for protocol in options.protocols[:1]:
            for kernel in kernels:
                yield from (runs.Run(kernel, protocol, 1536, 16, 16, size, "") for size in options.problems)
    elif part == "spatial":
        for size in options.problems:
            for l2 in SPATIAL_SIZES:
                for ways in (16, 4) if l2 else (16,):
                    yield runs.Run(SPATIAL, options.protocols[0], l2, 16, ways, size, "")
    else:
        for protocol, tree in VARIANTS:
            for kernel in kernels:
                for l2 in options.sizes:
                    if l2 or tree not in INCLUSIVE:
                        yield runs.Run(kernel, protocol, l2, 16, 16, options.size, tree)


class NoL2:
    """Without an L2 its ways and its inclusion do not matter: one run stands for all."""

    def __init__(self, cache):
        self.cache = cache

    def good(self, run):
        if isinstance(run, runs.Run) and not run.l2:
            run = run._replace(ways=16, tree=INCLUSIVE.get(run.tree, run.tree))
        return self.cache.good(run)


def show_main(kernels, cache, options):
    lines = []
    shared = {k: (cache.good(runs.Shared(k, options.size)) or {}).get("shared") for k in kernels}
    for protocol in options.protocols:
        fixed = BASE | {"protocol": protocol, "size": options.size, "tree": options.tree}
        grid = tables.Grid(cache, kernels, options.sizes, **fixed)
        if not grid:
            continue
        for name in tables.FIGURES:
            tables.print_figure(grid, name, shared, lines)
        loose = {tree: other for other, tree in INCLUSIVE.items()}.get(options.tree)
        other = loose and tables.Grid(cache, kernels, options.sizes, **(fixed | {"tree": loose}))
        tables.print_valley(grid, other)
        tables.print_careless(grid)
        if options.all:
            tables.print_configurations(cache, kernels, options.sizes, protocol, options.size, options.tree)
    if options.lines:
        tables.print_lines(lines)


def show(part, kernels, cache, options):
    first = options.protocols[0]
    if part == "main":
        show_main(kernels, cache, options)
    elif part == "matrices":
        for protocol in options.protocols:
            fixed = BASE | {"protocol": protocol, "size": options.size, "tree": options.tree}
            tables.print_matrices(cache, kernels, **fixed)
    elif part == "problems":
        tables.print_sizes(cache, kernels, options.problems, protocol=first, l2=1536, l1=16, ways=16, tree="")
    elif part == "spatial":
        tables.print_spatial(cache, SPATIAL, SPATIAL_SIZES, options.problems, protocol=first, l1=16, tree="")
    else:
        fixed = {"l1": 16, "ways": 16, "size": options.size}
        tables.print_beyond(cache, kernels, options.sizes, VARIANTS, **fixed)
        for protocol, tree in VARIANTS[1:]:
            tables.print_careless(tables.Grid(cache, kernels, options.sizes, protocol=protocol, tree=tree, **fixed))


def numbers(text):
    return tuple(int(word) for word in text.split(","))


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", metavar="PART,...", default="main,matrices", help=f"of {', '.join(PARTS)}; default "
                        "%(default)s")  # fmt: skip
    parser.add_argument("--kernels", metavar="NAME,...", help="just these")
    parser.add_argument("--sizes", metavar="KB,...", type=numbers, default=SIZES, help="of L2; the last is the base")
    parser.add_argument("--size", metavar="KB", type=int, default=BASE["size"], help="of the problem (default 2048)")
    parser.add_argument("--problems", metavar="KB,...", type=numbers, default=PROBLEMS, help="of problems and spatial")
    parser.add_argument("--protocols", metavar="NAME,...", type=lambda text: text.split(","), default=PROTOCOLS,
                        help="default nmoesi-multi2sim,nmoesi")  # fmt: skip
    parser.add_argument("--tree", choices=runs.TREES, default="", help="of main and matrices (default: two levels)")
    parser.add_argument("--all", action="store_true", help="main: L1 of 32 KB and L2 of 4 ways, too")
    parser.add_argument("--others", action="store_true", help="kernels beside the document's suites, too")
    parser.add_argument("--quick", action="store_true", help=f"just {', '.join(QUICK)}")
    parser.add_argument("--mode", choices=("timed", "functional"), default="timed")
    parser.add_argument("--lines", action="store_true", help="main: a line NAME VALUE UNIT for each figure, too")
    parser.add_argument("--report", action="store_true", help="run nothing, print what the cache file has")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--patience", type=int, default=300, help="most seconds of a run (default 300)")
    parser.add_argument("--cache", default=os.path.join(ROOT, "build", "l2_valley.jsonl"), help="file of the results")
    options = parser.parse_args()
    options.parts = options.parts.split(",")
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}")
    known = [*runs.KERNELS, *runs.OTHERS]
    names = options.kernels.split(",") if options.kernels else QUICK if options.quick else [
        k.name for k in (known if options.others else runs.KERNELS)]
    if unknown := set(names) - {k.name for k in known}:
        parser.error(f"no kernel {', '.join(sorted(unknown))}")
    return options, [k for k in known if k.name in names]


def main():
    options, kernels = parsed()
    cache = runs.Cache(options.cache, options.mode)
    for part in options.parts:
        if not options.report:
            print(f"{part}:", file=sys.stderr)
            runs.run_all(planned(part, kernels, options), cache, options.jobs, options.patience)
        show(part, kernels, NoL2(cache), options)


if __name__ == "__main__":
    main()
