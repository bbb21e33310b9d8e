# SPDX-License-Identifier: BSD-2-Clause
"""counters: unit, meaning and equation or event of every counter."""

import json

from .._constants import CounterTable
from .._table import wrapped
from ..stats import counters_of
from ._common import chosen


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


def run(options):
    found = counters_of(CounterTable[options.table.upper()])
    counters = chosen(found, options.patterns, f"counter of the table {options.table}")
    if options.json:
        told = {each.name: {"id": each.id, "unit": each.unit, "kind": each.kind, "meaning": each.meaning,
                            "equals": each.equals, "since": each.since} for each in counters}  # fmt: skip
        print(json.dumps(told, indent=1))
        return
    rows = []
    for each in counters:
        clauses = [clause for clause in each.equals.split("; ") if clause]
        rows += [[each.name, each.unit, each.meaning], *(["", "", clause] for clause in clauses)]
    print("\n".join(wrapped(["counter", "unit", "meaning, and what the counter equals"], rows, left=(0, 1, 2))))
