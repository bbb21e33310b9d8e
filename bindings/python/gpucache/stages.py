# SPDX-License-Identifier: BSD-2-Clause
"""Cycles of accesses by stage, with stats.stages, by instruction, kind and level.

    config = gpucache.Config(context, preset="h100", settings={"mode": "timed", "stats.stages": "true"})
    with gpucache.Replay(context, config) as replay, gpucache.Trace(context, source) as trace:
        list(replay.run(trace))
        for row in replay.hierarchy.stages():
            print(hex(row.pc), row.kind, row.level, row.mean, row.stages)

gpucache/experimental/experimental.h describes the stages.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, Dict, Iterable, List, Tuple

from . import _generated as g
from ._constants import Kind, Stage
from ._loader import lib
from ._native import call

LEVELS = {1: "l1", 2: "l2", 3: "dram"}


class StageRow(namedtuple("StageRow", "pc kernel kind level accesses latency longest stages")):
    """Accesses of an instruction, a kind and a deepest level (1, 2, 3 = DRAM).

    `pc` and `kind` are None for fences; `latency` is the sum from acceptance to completion; `longest` the largest of an
    access; `stages` the cycles in each stage by name, with the sum `latency`.
    """

    __slots__ = ()

    @property
    def mean(self) -> float:
        """Cycles of an access."""
        return self.latency / self.accesses


def names() -> List[str]:
    """The stages, in the order of an access's way."""
    return [lib.gpc_stage_name(stage).decode() for stage in range(len(Stage))]


def by_name(pointer: Any, count: int) -> Dict[str, int]:
    """The `count` cycles at `pointer`."""
    return {lib.gpc_stage_name(stage).decode(): pointer[stage] for stage in range(count)}


def rows_of(hierarchy: int) -> List[StageRow]:
    found: List[StageRow] = []

    def note(_, pointer):
        raw = pointer.contents
        fence = raw.kind >= len(Kind)
        found.append(
            StageRow(
                None if fence else raw.pc, raw.kernel, None if fence else Kind(raw.kind), raw.level, raw.accesses,
                raw.latency, raw.longest, by_name(raw.stages, raw.stage_count),
            )
        )  # fmt: skip

    call(lib.gpc_hierarchy_stages, hierarchy, g.gpc_stage_fn(note), None)
    return found


def as_document(rows: List[StageRow]) -> List[Dict[str, Any]]:
    """Rows in JSON's form."""
    return [
        {
            "pc": None if row.pc is None else f"{row.pc:#x}", "kernel": row.kernel,
            "kind": "fence" if row.kind is None else row.kind.name.lower(), "level": LEVELS[row.level],
            "accesses": row.accesses, "latency": row.latency, "longest": row.longest,
            "stages": {name: cycles for name, cycles in row.stages.items() if cycles},
        }
        for row in rows
    ]  # fmt: skip


def merged(documents: Iterable[Tuple[str, Dict[str, Any]]]) -> List[Dict[str, Any]]:
    """(kernel's name, row of as_document()), with all launches of an instruction, kind and level merged.

    Rows with the most cycles come first.
    """
    found: Dict[Any, Dict[str, Any]] = {}
    for name, row in documents:
        key = name, row["pc"], row["kind"], row["level"]
        into = found.setdefault(key, {"accesses": 0, "latency": 0, "longest": 0, "stages": {}})
        into.update(name=name, pc=row["pc"], kind=row["kind"], level=row["level"])
        into["accesses"] += row["accesses"]
        into["latency"] += row["latency"]
        into["longest"] = max(into["longest"], row["longest"])
        for stage, cycles in row["stages"].items():
            into["stages"][stage] = into["stages"].get(stage, 0) + cycles
    return sorted(found.values(), key=lambda row: -row["latency"])
