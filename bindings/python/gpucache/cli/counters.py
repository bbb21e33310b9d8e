# SPDX-License-Identifier: BSD-2-Clause
"""counters: unit, meaning and equation or event of every counter."""

import fnmatch
import json

from .._constants import CounterTable
from .._table import wrapped
from ..stats import counters_of
from ._output import Failure


def add(commands):
    parser = commands.add_parser(
        "counters", description="List counters. A line with a relation (=, <=, >=) tells an equation of the counter, over other "
        "counters or over events of a trace, which holds while nothing is in flight; counters.h has the grammar.",
    )  # fmt: skip
    parser.add_argument("patterns", nargs="*", metavar="NAME", help="only counters with these names; * is any text")
    parser.add_argument("--table", choices=[table.name.lower() for table in CounterTable], default="hierarchy",
                        help="counters of a hierarchy, or of a cache, network or coherent module alone")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def _chosen(options):
    found = counters_of(CounterTable[options.table.upper()])
    for pattern in options.patterns:
        if not any(fnmatch.fnmatchcase(counter.name, pattern) for counter in found):
            raise Failure(f"no counter of the table {options.table} has the name '{pattern}'")
    return [counter for counter in found
            if not options.patterns or any(fnmatch.fnmatchcase(counter.name, each) for each in options.patterns)]  # fmt: skip


def run(options):
    chosen = _chosen(options)
    if options.json:
        told = {each.name: {"id": each.id, "unit": each.unit, "kind": each.kind, "meaning": each.meaning,
                            "equals": each.equals, "since": each.since} for each in chosen}  # fmt: skip
        print(json.dumps(told, indent=1))
        return
    rows = []
    for each in chosen:
        clauses = [clause for clause in each.equals.split("; ") if clause]
        rows += [[each.name, each.unit, each.meaning], *(["", "", clause] for clause in clauses)]
    print("\n".join(wrapped(["counter", "unit", "meaning, and what the counter equals"], rows, left=(0, 1, 2))))
