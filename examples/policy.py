#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A replacement policy written in Python, against LRU on a bundled trace."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bindings" / "python"))

import gpucache  # noqa: E402


class Srrip(gpucache.ReplacementPolicy):
    """Static re-reference interval prediction with two bits per line (Jaleel et al., ISCA 2010)."""

    name = "srrip"

    def __init__(self, env):
        self.distance = [[3] * env.ways for _ in range(env.sets)]  # 0 = used again soon, 3 = not in sight

    def on_fill(self, set, way, request):
        self.distance[set][way] = 2

    def on_hit(self, set, way, request):
        self.distance[set][way] = 0

    def choose_victim(self, set, candidates, request):
        line = self.distance[set]
        victim = max(candidates, key=line.__getitem__)
        older = 3 - line[victim]
        self.distance[set] = [min(3, distance + older) for distance in line]
        return victim


def hit_rate(policy, source):
    context = gpucache.Context()
    context.register(Srrip)
    config = gpucache.Config(context, preset="gtx480", settings={"l1.replacement": policy})
    with gpucache.Replay(context, config) as replay, gpucache.Trace(context, source) as trace:
        for _kernel, _stats in replay.run(trace):
            pass
        return replay.stats()["l1.load_hit_rate"]


if __name__ == "__main__":
    source = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "examples" / "traces" / "conv2d")
    for policy in ("lru", Srrip.name):
        print(f"{policy:12} {100 * hit_rate(policy, source):.2f} %")
