# SPDX-License-Identifier: BSD-2-Clause
"""Reuse distances of L1's lines by signature: seeds/004, Figure 6.1."""

import collections

from ..config import Config
from ..context import Context
from ..policy import ReplacementPolicy
from ..replay import Replay
from ..trace import Trace

# Signature of a line: the fetching load, as in CPU caches, or the load and its warp's relative age, as in RPR.
SIGNATURES = {"pc": lambda request: (request.pc,), "pc+age": lambda request: (request.pc, request.warp_age)}

# `reuses` of a signature's lines, by distance; the most frequent distance, and the mean.
Group = collections.namedtuple("Group", "signature reuses mode mean distances")


def _recorder(found, by):
    """A policy: LRU with counts in found[name][signature][distance]."""

    class Recorder(ReplacementPolicy):
        name = "recorder"

        def __init__(self, env):
            self.accesses = [0] * env.sets
            self.last = [[0] * env.ways for _ in range(env.sets)]
            self.of = [[()] * env.ways for _ in range(env.sets)]

        def on_miss(self, set, request):
            self.accesses[set] += 1

        def on_fill(self, set, way, request):
            self.last[set][way] = self.accesses[set]
            self.of[set][way] = [SIGNATURES[name](request) for name in by]

        def on_hit(self, set, way, request):
            self.accesses[set] += 1
            distance = self.accesses[set] - self.last[set][way]
            self.last[set][way] = self.accesses[set]
            for name, signature in zip(by, self.of[set][way]):
                found[name][signature][distance] += 1

        def choose_victim(self, set, candidates, request):
            return min(candidates, key=self.last[set].__getitem__)

    return Recorder


def _group(signature, distances):
    reuses = sum(distances.values())
    mode = min(distances, key=lambda distance: (-distances[distance], distance))
    mean = sum(distance * n for distance, n in distances.items()) / reuses
    return Group(signature, reuses, mode, mean, dict(distances))


def reuse_distances(preset, source, by=tuple(SIGNATURES), settings=None):
    """{name of a signature: Groups, the largest first} of a timed replay.

    A reuse distance is the number of accesses of the set from an access of a resident line to the next access: the
    input of RPR's sampler of full size (6.2.2).
    """
    found = {name: collections.defaultdict(collections.Counter) for name in by}
    settings = {"mode": "timed", **(settings or {}), "l1.replacement": "recorder"}
    with Context() as context:
        context.register(_recorder(found, by))
        with Config(context, preset, settings) as config, Replay(context, config) as replay:
            with Trace(context, source) as trace:
                for _ in replay.run(trace):
                    pass
    return {name: sorted((_group(*item) for item in counters.items()), key=lambda g: (-g.reuses, g.signature))
            for name, counters in found.items()}  # fmt: skip
