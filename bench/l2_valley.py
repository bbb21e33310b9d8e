# SPDX-License-Identifier: BSD-2-Clause
"""Chapter 4 of seeds/002 with Multi2Sim's own front end (l2_runs.py): Figures 4.1 to 4.16, Tables 4.2 to 4.4.

    main      by L2 size: none, 96, 192, ... 12288 KB; problems of 2 MB: Figures 4.1 to 4.7
    silent    main, at some sizes, with silent clean evictions of L1 and L2
    l1        with L1s of 32 KB: Figures 4.8 to 4.10
    ways      an L2 of 4 ways
    both      an L2 of 4 ways, and L1s of 32 KB
    matrices  state changes with origins of an L1 and an L2 module beside Tables 4.2 to 4.4
    problems  64 KB to 16 MB, section 4.3: Figures 4.11 to 4.13
    spatial   the bit reversal kernel, 64 KB to 16 MB, section 4.4: Figures 4.14 to 4.16
    valley    causes of worse L1s with a small L2: four kernels with a part of Multi2Sim changed or removed
    claims    the document's statements against all runs, as a table in Markdown

    python3 bench/l2_valley.py [--parts PART,...] [--kernels NAME,...] [--report] ...

Environment, cache file and processes as in bench/policies.py. All parts without sampling: about two hours of CPU. Hit
ratios are Multi2Sim's: every lookup is an access; probes, received write-backs and retries are accesses without hits;
joined lanes are no accesses. Accesses to shared memory count as L1 hits in the claims, as in the document. The
general-purpose programs have the loops of the sources cited by the document, those of machine learning are our own with
the document's names: neither their sources nor the graphs' numbers are available.
"""

import argparse
import os
import sys

import l2_runs as runs
import l2_tables as tables
from l2_claims import FEW, PROBLEMS, SILENT, SIZES, SPATIAL, WITH_L2, print_claims
from policies import ROOT

PARTS = ("main", "silent", "l1", "ways", "both", "matrices", "problems", "spatial", "valley", "claims")
SOME = ("Transpose", "Histogram", "MaxPooling", "VectorMul")
BASE = {"l1": 16, "ways": 16, "size": 2048, "variant": ""}
REVERSAL = runs.OTHERS[-1]


def kernels_of(part, kernels):
    if part == "spatial":
        return [REVERSAL]
    some = {"valley": SOME, "matrices": SOME[:2]}.get(part)
    return [k for k in kernels if not some or k.name in some]


# Sizes of L2, and settings other than in the main part.
BY_L2 = {
    "main": (SIZES, {}),
    "silent": ((0, *FEW), SILENT),
    "l1": (SIZES, {"l1": 32}),
    "ways": (WITH_L2, {"ways": 4}),
    "both": (WITH_L2, {"l1": 32, "ways": 4}),
    "matrices": ((1536, 96, 0), {}),
}


def planned(part, kernels):
    """Runs of a part, in the order of use: an interrupted part has whole rows."""
    kernels = kernels_of(part, kernels)
    if part in ("main", "problems"):
        yield from (runs.Shared(k, size) for k in kernels for size in ((2048,) if part == "main" else PROBLEMS))
    if part in BY_L2:
        sizes, other = BY_L2[part]
        yield from (runs.Run(kernel=kernel, l2=l2, **BASE | other) for kernel in kernels for l2 in sizes)
    elif part == "problems":
        yield from (runs.Run(kernel, 1536, 16, 16, size, "") for size in PROBLEMS for kernel in kernels)
    elif part == "spatial":
        yield from (runs.Run(kernel, l2, l1, ways, size, "") for kernel in kernels for size in PROBLEMS
                    for l1 in (16, 32) for l2 in (0, *SPATIAL) for ways in ((16, 4) if l2 else (16,)))  # fmt: skip
    elif part == "valley":
        yield from (runs.Run(kernel, l2, 16, 16, 2048, variant) for variant in runs.VARIANTS for kernel in kernels
                    for l2 in (0, 96, 12288))  # fmt: skip


def show(part, kernels, cache, lines):
    if part in BY_L2 and part != "matrices":
        sizes, other = BY_L2[part]
        grid = tables.Grid(cache, kernels_of(part, kernels), sizes, **BASE | other)
        shared = {k: (cache.good(runs.Shared(k, 2048)) or {}).get("shared") for k in kernels}
        for name in tables.FIGURES if grid else ():
            tables.print_figure(grid, name, shared, lines)
    elif part == "matrices":
        tables.print_matrices(cache, kernels, **BASE)
    elif part == "problems":
        tables.print_problems(cache, kernels, PROBLEMS)
    elif part == "spatial":
        for l2 in (0, *SPATIAL):
            for ways in (16, 4) if l2 else (16,):
                for l1 in (16, 32):
                    tables.print_problems(cache, [REVERSAL], PROBLEMS, l2, ways, l1)
    elif part == "valley":
        tables.print_valley(cache, kernels_of(part, kernels), runs.VARIANTS)
    else:
        print_claims(cache, runs.KERNELS)


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", metavar="PART,...", default=",".join(PARTS), help="default: all")
    parser.add_argument("--kernels", metavar="NAME,...", help="just these")
    parser.add_argument("--others", action="store_true", help="kernels beside the document's suites, too")
    parser.add_argument("--lines", action="store_true", help="main to ways: a line NAME VALUE UNIT for each figure")
    parser.add_argument("--report", action="store_true", help="run nothing, print what the cache file has")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--patience", type=int, default=900, help="most seconds of a run (default 900)")
    parser.add_argument("--seed", type=int, default=1, help="of the whiles after which Multi2Sim tries again")
    parser.add_argument("--cache", default=os.path.join(ROOT, "build", "l2_valley.jsonl"), help="file of the results")
    options = parser.parse_args()
    options.parts = options.parts.split(",")
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}")
    known = [*runs.KERNELS, *runs.OTHERS]
    names = options.kernels.split(",") if options.kernels else [
        k.name for k in (known if options.others else runs.KERNELS)]
    if unknown := set(names) - {k.name for k in known}:
        parser.error(f"no kernel {', '.join(sorted(unknown))}")
    return options, [k for k in known if k.name in names]


def main():
    options, kernels = parsed()
    cache = runs.Cache(options.cache, "timed", options.seed)
    lines = [] if options.lines else None
    for part in options.parts:
        if not options.report and part != "claims":
            print(f"{part}:", file=sys.stderr)
            runs.run_all(planned(part, kernels), cache, options.jobs, options.patience)
        show(part, kernels, cache, lines)
    if lines:
        tables.print_lines(lines)


if __name__ == "__main__":
    main()
