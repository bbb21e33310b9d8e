# SPDX-License-Identifier: BSD-2-Clause
"""Mutations of a protocol, to test a verification: each cell of the tables changed a little, and explored.

A change gives a cell another next state, or leaves out an action. A changed table is refused at its registration,
caught by the exploration of a system, or passes. If a changed table passes, no explored system depends on the cell, or
further systems are needed. A passing table with as many states and steps as the right table most likely has an
unreachable cell, or a change without effect.
"""

from collections import namedtuple

from ._constants import GPC_LINE_COUNT, DoBits, VerifyVerdict
from .context import Context
from .errors import GpucacheError
from .protocol import Protocol, Rule, name_of_bits
from .verification import System, verify

# Small systems that together have all places of a tree.
SYSTEMS = (
    System("2 over memory", 1, 1), System("2 over memory of 1 entry", 2, 1), System("2 over L2", 1, 1),
    System("2 L2 of 1", 1, 1), System("2 over memory", 1, 2),
)  # fmt: skip

# `outcome`: refused, caught, same (as many states and steps) or other. `text`: the message.
Change = namedtuple("Change", "place state event was became outcome text")


def _changed(rule, states):
    """(actions, next, next_shared) for each small change."""
    for state in states:
        if state != rule.next:
            shared = state if rule.next_shared == rule.next else rule.next_shared
            yield rule.actions, state, shared
        if state != rule.next_shared and rule.next_shared != rule.next:
            yield rule.actions, rule.next, state
    for action in DoBits:
        if action & rule.actions and action != rule.actions:
            yield rule.actions & ~action, rule.next, rule.next_shared


def changes(protocol):
    """(place, state, event, rule, changed cell) for each change."""
    for place, table in protocol.places.items():
        for state, row in table.items():
            for event, rule in row.items():
                if rule.actions & DoBits.FORBID:
                    continue
                states = protocol.all_states[:GPC_LINE_COUNT] if place == "memory" else protocol.all_states
                for cell in _changed(rule, states):
                    yield place, state, event, rule, cell


def _copy(protocol, place, state, event, cell):
    tables = {each: {one: dict(row) for one, row in table.items()} for each, table in protocol.places.items()}
    tables[place][state][event] = Rule(*cell, **protocol.places[place][state][event].raised)
    return Protocol(
        "changed", tables.pop("first"), tables.pop("memory"), **tables, flags=protocol.flags, letters=protocol.letters,
        pass_loads=protocol.pass_loads, pass_stores=protocol.pass_stores, through_stores=protocol.through_stores,
        states={each.name: each.means for each in protocol.states.values()},
        events={each.name: each.like for each in protocol.events.values()},
    )  # fmt: skip


def _explored(context, name, systems, states):
    """(text of the first violation or None, [(states, edges)])."""
    sizes = []
    for system in systems:
        found = verify(context, name, system, states=states)
        if found.verdict != VerifyVerdict.PASSED:
            return f"{system.tree}: {found.text}", sizes
        sizes.append((found.states, found.edges))
    return None, sizes


def _outcome(changed, systems, states, right):
    with Context() as made:
        try:
            made.register(changed)
        except GpucacheError as error:
            return "refused", error.message
        told, sizes = _explored(made, changed.name, systems, states)
        if told is not None:
            return "caught", told
        return ("same" if sizes == right else "other"), ""


def text_of_cell(rule):
    actions, after, shared = rule
    return f"{name_of_bits(DoBits(actions))} {after.name}" + (f"/{shared.name}" if shared != after else "")


def mutate(protocol, systems=SYSTEMS, states=20000):
    """Yield a Change for each small change of a Protocol that passes."""
    with Context() as made:
        right_one = Protocol(
            "right", protocol.places["first"], protocol.places["memory"],
            **{place: table for place, table in protocol.places.items() if place in ("between", "shared")},
            flags=protocol.flags, letters=protocol.letters, pass_loads=protocol.pass_loads,
            pass_stores=protocol.pass_stores, through_stores=protocol.through_stores,
            states={each.name: each.means for each in protocol.states.values()},
            events={each.name: each.like for each in protocol.events.values()},
        )  # fmt: skip
        made.register(right_one)
        _, right = _explored(made, "right", systems, states)
    for place, state, event, rule, cell in changes(protocol):
        outcome, text = _outcome(_copy(protocol, place, state, event, cell), systems, states, right)
        yield Change(place, state.name, event.name.lower(), text_of_cell(rule), text_of_cell(cell), outcome, text)
