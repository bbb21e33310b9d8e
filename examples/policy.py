#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A replacement policy written in Python, against built-in ones on real traces: examples/policy.py [TRACE...]"""

import pathlib
import sys
from typing import Any, Dict, List, Optional, Sequence, Union

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bindings" / "python"))

import gpucache  # noqa: E402
from gpucache import Eviction, Request  # noqa: E402


class ReuseByPc(gpucache.ReplacementPolicy):
    """LRU with prediction by PC: a line leaves first if earlier lines of the same load left without a hit."""

    name = "reuse-by-pc"

    def __init__(self, env: Any) -> None:
        self.used = [[0] * env.ways for _ in range(env.sets)]  # when; 0 = the first to go
        self.unproven: List[List[Optional[int]]] = [[None] * env.ways for _ in range(env.sets)]  # PC of the load, until the line is hit
        self.worth: Dict[int, int] = {}  # by PC: 0 = lines are not reused, to 3
        self.now = 0

    def on_fill(self, set: int, way: int, request: Request) -> None:
        self.now += 1
        self.used[set][way] = self.now if self.worth.get(request.pc, 2) else 0
        self.unproven[set][way] = request.pc

    def on_hit(self, set: int, way: int, request: Request) -> None:
        self.now += 1
        self.used[set][way] = self.now
        self.learn(set, way, +1)

    def on_evict(self, set: int, way: int, eviction: Eviction, request: Optional[Request]) -> None:
        self.learn(set, way, -1)

    def learn(self, set: int, way: int, step: int) -> None:
        pc, self.unproven[set][way] = self.unproven[set][way], None
        if pc is not None:
            self.worth[pc] = min(3, max(0, self.worth.get(pc, 2) + step))

    def choose_victim(self, set: int, candidates: Sequence[int], request: Request) -> int:
        return min(candidates, key=self.used[set].__getitem__)


if __name__ == "__main__":
    traces: Sequence[Union[str, pathlib.Path]] = sys.argv[1:]
    traces = traces or [ROOT / "examples" / "traces" / name for name in ("conv2d", "atax")]
    for mode in ("functional", "timed"):
        found = gpucache.compare(["lru", "age-lru", "bip", ReuseByPc], traces, preset="gtx480", mode=mode)
        print(f"{mode}:\n{found}\n")
