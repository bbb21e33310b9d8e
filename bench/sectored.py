# SPDX-License-Identifier: BSD-2-Clause
"""Every replacement policy for hosts with requests for whole lines, and for hosts with a request for each sector, as
GPGPU-Sim: hits, percent of the accesses of lines.

    python3 bench/sectored.py [--stream loop|uniform] [--accesses N] [POLICY ...]

    lines      each access is a request for the whole line
    sectors    each access is a request for each of four sectors in turn; the first counts
    continued  as sectors, and the host marks requests of the same access (gpc_request.continues)

A cache of 16 sets of 4 ways. loop: 1.5 times the cache's lines, round and round; LRU has no hits. uniform: twice the
cache's lines, equally likely. Policies that need the future get it; three warps access in turn. Needs the bindings and
the library: PYTHONPATH=bindings/python GPUCACHE_LIBRARY=build/lib/libgpucache.so.
"""

import argparse
import os
import random
import sys
from array import array

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "bindings", "python"))

import gpucache  # noqa: E402
from gpucache import Outcome, PolicyKind  # noqa: E402

SETS, WAYS, SECTORS, LINE = 16, 4, 4, 128
STYLES = ("lines", "sectors", "continued")
# For a single cache: policies with useful parameters, in addition to the context's list.
FURTHER = ("bip(bypass=1)", "dip(bypass=1)", "protecting-distance(bypass=1)", "age-lru(bypass=1)")


def stream(name, count):
    if name == "loop":
        return [number % (SETS * WAYS * 3 // 2) for number in range(count)]
    draw = random.Random(3)
    return [draw.randrange(2 * SETS * WAYS) for _ in range(count)]


def hits(context, policy, lines, style):
    """Percent of the accesses with a present line, or a present first sector."""
    future = gpucache.next_uses(context, array("Q", [LINE * line for line in lines]), LINE)
    found = 0
    with gpucache.Cache(context, sets=SETS, ways=WAYS, sectors=SECTORS, replacement=policy) as cache:
        request = gpucache.Request()
        for line, next_use in zip(lines, future):
            warp = line % 3
            request.address, request.policy.next_use = LINE * line, next_use
            request.pc, request.warp, request.warp_age = 16 * warp, warp, warp
            for part in range(1 if style == "lines" else SECTORS):
                request.sector_mask = 0 if style == "lines" else 1 << part
                request.continues = style == "continued" and part > 0
                outcome = cache.access(request).outcome
                found += part == 0 and outcome == Outcome.HIT
    return 100 * found / len(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("policies", nargs="*", metavar="POLICY", help="only these")
    parser.add_argument("--stream", choices=("loop", "uniform"), default="loop")
    parser.add_argument("--accesses", type=int, default=2000, help="of lines")
    options = parser.parse_args()
    context = gpucache.Context()
    named = [policy.name for policy in context.policies(PolicyKind.REPLACEMENT)]
    lines = stream(options.stream, options.accesses)
    print(f"Hits, percent of {len(lines)} accesses, {options.stream}\n")
    print("| policy | " + " | ".join(STYLES) + " |\n|---|" + "---:|" * len(STYLES))
    for policy in options.policies or [*named, *FURTHER]:
        try:
            figures = [f"{hits(context, policy, lines, style):.1f}" for style in STYLES]
        except gpucache.GpucacheError as error:
            figures = [str(error), "", ""]
        print(f"| {policy} | " + " | ".join(figures) + " |", flush=True)


if __name__ == "__main__":
    main()
