# SPDX-License-Identifier: BSD-2-Clause
"""Coherence protocols as tables: those of the library, and one's own.

    table = context.protocol("mesi").tables()
    table["first"]["E"]["eviction"] = ("notify", "I")
    context.register(Protocol("loud-mesi", **table, flags="directory|peer"))

A table is {state: {event: (actions, next)}}, or (actions, next, next where others have copies). States are the letters
NMOESI, events those of CoherenceEvent, actions those of DoBits: names in any case, `-` or `_` between words, several
with a `|` between them. A protocol may have more states, by names of its own.
"""

import ctypes
from collections import namedtuple

from . import _generated as g
from ._constants import (
    GPC_LINE_COUNT,
    AccessBits,
    CoherenceEvent,
    CoherenceState,
    DoBits,
    MeansBits,
    ProtocolBits,
    Status,
)
from ._loader import lib
from ._native import call, choice, decoded, settle, text
from .errors import ArgumentError, NotFoundError

PLACES = ("first", "between", "shared", "memory")

# What a module does upon an event: DoBits, and CoherenceStates.
Rule = namedtuple("Rule", "actions next next_shared")


def bits_of(kind, value, what):
    """A member of an IntFlag: from one, a number, or names with | between them."""
    if not isinstance(value, str):
        try:
            return kind(value)
        except (ValueError, TypeError):
            raise ArgumentError(Status.ERROR_ARGUMENT, f"{what} is {value!r}, no {kind.__name__}") from None
    found = kind(0)
    for word in filter(None, (part.strip() for part in value.split("|"))):
        found |= choice(kind, word, what)
    return found


def name_of_bits(value):
    """`send-data|write-back`."""
    return "|".join(bit.name.lower().replace("_", "-") for bit in type(value) if bit & value)


class ProtocolState(int):
    """A state beside the six: its number, as a CoherenceState is; `name`, and what it `means`."""

    def __new__(cls, number, name, means):
        made = super().__new__(cls, number)
        made.name = name
        made.means = means
        return made

    def __reduce__(self):
        return ProtocolState, (int(self), self.name, self.means)


_MEANS = {
    "N": MeansBits.MODIFIED | MeansBits.NON_COHERENT, "M": MeansBits.MODIFIED | MeansBits.ONLY | MeansBits.OWNER,
    "O": MeansBits.MODIFIED | MeansBits.OWNER, "E": MeansBits.ONLY | MeansBits.OWNER, "S": MeansBits(0),
    "F": MeansBits.OWNER,
}  # fmt: skip


def means_of(value, what):
    """MeansBits: of a letter of NMOES or F, of their names, or of a number."""
    return _MEANS[value] if value in _MEANS else bits_of(MeansBits, value, what)


def name_of_means(value):
    """The letter of a combination that has one."""
    return next((letter for letter, means in _MEANS.items() if means == value), name_of_bits(MeansBits(value)))


def state_of(states, value, what):
    """A state by its name: one of `states` {name: ProtocolState}, or of the six."""
    if isinstance(value, str) and value in states:
        return states[value]
    if isinstance(value, int) and not isinstance(value, bool):
        for state in states.values():
            if state == value:
                return state
    try:
        return choice(CoherenceState, value, what)
    except ArgumentError:
        if not states:
            raise
        known = ", ".join([*CoherenceState.__members__, *states])
        raise ArgumentError(Status.ERROR_ARGUMENT, f"{what} is {value}, not one of {known}") from None


def _rule(cell, what, states):
    """A Rule for what stands in a table."""
    try:
        if isinstance(cell, str):
            raise ValueError
        actions, after, *others = cell
        shared = others[0] if others else after
        if len(others) > 1:
            raise ValueError
    except (TypeError, ValueError):
        raise ArgumentError(
            Status.ERROR_ARGUMENT, f"{what} is {cell!r}, not (actions, next) or (actions, next, next_shared)"
        ) from None
    return Rule(
        bits_of(DoBits, actions, f"actions of {what}"), state_of(states, after, f"next state of {what}"),
        state_of(states, shared, f"next state where others share, of {what}"),
    )  # fmt: skip


class Protocol:
    """What a protocol's modules do, by their place.

    name     [a-z0-9-]+
    first    table of the first level
    between  of caches that only part of the processors reach an address through; None: in no tree of this protocol
    shared   of the cache that all do; None: `between`
    memory   of memory's directory, whose states are I, E and M
    flags    ProtocolBits, or their names: "directory|peer"
    pass_loads, pass_stores  AccessBits that send a load, a store, past the first level, and past caches below it
    through_stores           AccessBits with which the first level writes through
    letters  what to call the states, one for each of NMOESI
    states   {name: what it means} of states beside these: a letter of NMOES; F, unmodified, one of several copies, the
             one that read probes go to; or MeansBits
    """

    def __init__(self, name, first, memory, *, between=None, shared=None, flags="directory", summary="", source="",
                 pass_loads=(0, 0), pass_stores=(0, 0), through_stores=0, letters=None, states=None):  # fmt: skip
        self.name = name
        self.summary = summary
        self.source = source
        self.flags = bits_of(ProtocolBits, flags, "flags")
        self.pass_loads = [bits_of(AccessBits, each, "pass_loads") for each in pass_loads]
        self.pass_stores = [bits_of(AccessBits, each, "pass_stores") for each in pass_stores]
        self.through_stores = bits_of(AccessBits, through_stores, "through_stores")
        self.letters = letters
        self.states = {
            each: ProtocolState(GPC_LINE_COUNT + at, each, means_of(means, f"state {each}"))
            for at, (each, means) in enumerate((states or {}).items())
        }  # fmt: skip
        self.places = {}  # place: {CoherenceState or ProtocolState: {CoherenceEvent: Rule}}
        for place, table in zip(PLACES, (first, between, shared, memory)):
            if table is not None:
                self.places[place] = self._read(place, table)
        for what, pair in (("pass_loads", self.pass_loads), ("pass_stores", self.pass_stores)):
            if len(pair) != 2:
                raise ArgumentError(Status.ERROR_ARGUMENT, f"{what} has {len(pair)} parts, not 2")

    def _read(self, place, table):
        found = {}
        for state, row in table.items():
            letter = state_of(self.states, state, f"a state of {place}")
            for event, cell in row.items():
                kind = choice(CoherenceEvent, event, f"an event of {place}, {letter.name}")
                rule = _rule(cell, f"{place}, {letter.name}, {kind.name.lower()}", self.states)
                found.setdefault(letter, {})[kind] = rule
        return found

    def rule(self, place, state, event):
        """The Rule of a cell, or None."""
        table = self.places.get(place) or (self.places.get("between") if place == "shared" else None) or {}
        return table.get(state_of(self.states, state, "state"), {}).get(choice(CoherenceEvent, event, "event"))

    @property
    def all_states(self):
        """The six, and those beside them, in the order of matrices."""
        return [*CoherenceState, *self.states.values()]

    @property
    def names(self):
        """What all states are called, in the order of matrices."""
        return [*(self.letters or "NMOESI"), *self.states]

    def tables(self):
        """{place: {state: {event: (actions, next, next_shared)}}} in plain text, to be changed and used again.

        Of a protocol that has `states` beside the six, these too.
        """
        found = {
            place: {
                state.name: {
                    event.name.lower(): (name_of_bits(rule.actions), rule.next.name, rule.next_shared.name)
                    for event, rule in row.items()
                }
                for state, row in table.items()
            }
            for place, table in self.places.items()
        }
        if self.states:
            found["states"] = {state.name: name_of_means(state.means) for state in self.states.values()}
        return found

    def _raw(self):
        """A gpc_protocol, which keeps its tables alive."""
        raw = g.gpc_protocol(
            name=text(self.name, "name"), summary=text(self.summary, "summary"), source=text(self.source, "source"),
            flags=self.flags, through_stores=self.through_stores,
            letters=text(self.letters, "letters") if self.letters is not None else None,
        )  # fmt: skip
        raw.pass_loads[:] = self.pass_loads
        raw.pass_stores[:] = self.pass_stores
        name_states(raw, self.states.values())
        rows = g.gpc_protocol_rule * len(CoherenceEvent) * len(self.all_states)
        for place, table in self.places.items():
            rules = rows()
            for state, row in table.items():
                if state >= GPC_LINE_COUNT and place == "memory":
                    raise ArgumentError(Status.ERROR_ARGUMENT, f"memory, {state.name}: its states are I, E and M")
                for event, rule in row.items():
                    rules[state][event] = g.gpc_protocol_rule(*rule)
            setattr(raw, place, ctypes.cast(ctypes.pointer(rules), ctypes.POINTER(g.gpc_protocol_rules)))
            raw.kept = [*getattr(raw, "kept", ()), rules]
        return raw

    def register(self, context):
        call(lib.gpc_context_register_protocol, context._live(), ctypes.byref(self._raw()))


def name_states(raw, states):
    """Give a gpc_protocol the states beside the six."""
    states = list(states)
    if states:
        raw.states = (g.gpc_protocol_state * len(states))(
            *(g.gpc_protocol_state(text(state.name, "name of a state"), state.means) for state in states)
        )
        raw.state_count = len(states)
    return raw


def states_of(raw):
    """{name: means} of a gpc_protocol's states beside the six."""
    states = raw.states[:raw.state_count] if raw.state_count else ()
    return {decoded(each.name): MeansBits(each.means) for each in states}


def _table(pointer, states):
    """A table of the library, cells without a rule left out."""
    found = {}
    rules = ctypes.cast(pointer, ctypes.POINTER(g.gpc_protocol_rule * len(CoherenceEvent) * states)).contents
    for state in range(states):
        row = {event: rules[state][event] for event in CoherenceEvent if rules[state][event].actions}
        if row:
            found[state] = {event: (cell.actions, cell.next, cell.next_shared) for event, cell in row.items()}
    return found


def find(context, name):
    """The Protocol of this name."""
    pointer = lib.gpc_protocol_find(context._live(), text(name, "protocol"))
    settle()
    if not pointer:
        raise NotFoundError(Status.ERROR_NOT_FOUND, f"no protocol '{name}'")
    raw = pointer.contents
    states = GPC_LINE_COUNT + raw.state_count
    tables = {
        place: _table(getattr(raw, place), GPC_LINE_COUNT if place == "memory" else states)
        for place in PLACES if getattr(raw, place)
    }  # fmt: skip
    return Protocol(
        decoded(raw.name), tables.get("first"), tables.get("memory"), between=tables.get("between"),
        shared=tables.get("shared"), flags=raw.flags, summary=decoded(raw.summary), source=decoded(raw.source),
        pass_loads=list(raw.pass_loads), pass_stores=list(raw.pass_stores), through_stores=raw.through_stores,
        letters=decoded(raw.letters) or None, states=states_of(raw),
    )  # fmt: skip


def event_name(event):
    """As the document's tables write it."""
    return decoded(lib.gpc_coherence_event_name(choice(CoherenceEvent, event, "event")))
