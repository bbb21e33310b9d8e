#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A replacement policy written in Python, against LRU on a bundled trace."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bindings" / "python"))

import gpucache  # noqa: E402


class FewestHits(gpucache.ReplacementPolicy):
    name = "fewest-hits"
    summary = "evict the line with the fewest hits since it was filled"

    def __init__(self, env):
        self.hits = [[0] * env.ways for _ in range(env.sets)]

    def on_fill(self, set, way, request):
        self.hits[set][way] = 0

    def on_hit(self, set, way, request):
        self.hits[set][way] += 1

    def choose_victim(self, set, candidates, request):
        return min(candidates, key=self.hits[set].__getitem__)


def hit_rate(policy, source):
    context = gpucache.Context()
    context.register(FewestHits)
    config = gpucache.Config(context, preset="gtx480", settings={"l1.replacement": policy})
    with gpucache.Replay(context, config) as replay, gpucache.Trace(context, source) as trace:
        for _kernel, _stats in replay.run(trace):
            pass
        return replay.stats()["l1.load_hit_rate"]


if __name__ == "__main__":
    source = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "examples" / "traces" / "conv2d")
    for policy in ("lru", FewestHits.name):
        print(f"{policy:12} {100 * hit_rate(policy, source):.2f} %")
