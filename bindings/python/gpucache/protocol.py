# SPDX-License-Identifier: BSD-2-Clause
"""Coherence protocols as tables: built-in and user-defined.

    table = context.protocol("mesi").tables()
    table["first"]["E"]["eviction"] = ("notify", "I")
    context.register(Protocol("loud-mesi", **table, flags="directory|peer"))

A table is {state: {event: (actions, next)}}, or (actions, next, next with other copies). States are the letters NMOESI,
events are CoherenceEvents, actions DoBits: names in any case, `-` or `_` between words, `|` between names. A protocol
may have further states and events with names. A cell then may end with {"below": event, "above": event}, the events
raised there.
"""

from __future__ import annotations

import ctypes
from collections import namedtuple
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from . import _generated as g
from ._constants import (
    GPC_EVENT_COUNT,
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

# {state: {event: (actions, next, ...)}}.
Table = Mapping[str, Mapping[str, Any]]

PLACES = ("first", "between", "shared", "memory")

class Rule(namedtuple("Rule", "actions next next_shared")):
    """Reaction of a module to an event: DoBits, next CoherenceStates, and raised ProtocolEvents or None."""

    below = above = None

    def __new__(cls, actions, after, shared, below=None, above=None):
        made = super().__new__(cls, actions, after, shared)
        made.below, made.above = below, above
        return made

    @property
    def raised(self):
        """{"below": ProtocolEvent, "above": ProtocolEvent}, as far as raised."""
        return {side: event for side, event in (("below", self.below), ("above", self.above)) if event is not None}


def bits_of(kind, value, what):
    """Value of an IntFlag: from a member, a number, or names joined by |."""
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


class _Table(g.gpc_protocol):
    """The library's table, with the arrays in use by its pointers."""

    def __init__(self, **fields):
        super().__init__(**fields)
        self.kept = []


class ProtocolState(int):
    """A state beside the six, with a number as a CoherenceState has; `name`, and meaning `means`."""

    def __new__(cls, number, name, means):
        made = super().__new__(cls, number)
        made.name = name
        made.means = means
        return made

    def __reduce__(self):
        return ProtocolState, (int(self), self.name, self.means)


class ProtocolEvent(int):
    """An event beside the sixteen, with a number as a CoherenceEvent has; `name`; `like`: the CoherenceEvent with equal
    treatment."""

    def __new__(cls, number, name, like):
        made = super().__new__(cls, number)
        made.name = name
        made.like = like
        return made

    def __reduce__(self):
        return ProtocolEvent, (int(self), self.name, self.like)


_MEANS = {
    "N": MeansBits.MODIFIED | MeansBits.NON_COHERENT, "M": MeansBits.MODIFIED | MeansBits.ONLY | MeansBits.OWNER,
    "O": MeansBits.MODIFIED | MeansBits.OWNER, "E": MeansBits.ONLY | MeansBits.OWNER, "S": MeansBits(0),
    "F": MeansBits.OWNER, "D": MeansBits.DETACHED,
}  # fmt: skip


def means_of(value, what):
    """MeansBits of a letter of NMOES, F or D, of names, or of a number."""
    return _MEANS[value] if value in _MEANS else bits_of(MeansBits, value, what)


def name_of_means(value):
    """Letter of a combination of MeansBits, if any."""
    return next((letter for letter, means in _MEANS.items() if means == value), name_of_bits(MeansBits(value)))


def state_of(states, value, what):
    """State of a name: of `states` {name: ProtocolState}, or of the six."""
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


def event_of(events, value, what):
    """Event of a name or number: of `events` {name: ProtocolEvent}, or of the sixteen."""
    if isinstance(value, str) and value in events:
        return events[value]
    if isinstance(value, int) and not isinstance(value, bool):
        for event in events.values():
            if event == value:
                return event
    return choice(CoherenceEvent, value, what)


def _raised(cell, what, events):
    """A cell without its raised events, and the events: {"below": ProtocolEvent, "above": ProtocolEvent}."""
    if isinstance(cell, Rule):
        cell = (*cell, cell.raised)
    if not isinstance(cell, (tuple, list)) or not cell or not isinstance(cell[-1], dict):
        return cell, {}
    found = {}
    for side, event in cell[-1].items():
        if side not in ("below", "above") or event not in events and event not in events.values():
            raise ArgumentError(Status.ERROR_ARGUMENT, f"{what} raises {side}: {event}, none of the protocol's events")
        found[side] = event_of(events, event, what)
    return tuple(cell[:-1]), found


def _rule(cell, what, states, events):
    """The Rule of a table's cell."""
    cell, raised = _raised(cell, what, events)
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
        state_of(states, shared, f"next state where others share, of {what}"), **raised,
    )  # fmt: skip


class Protocol:
    """Tables of a protocol, by place of the module.

    name     [a-z0-9-]+
    first    table of the first level
    between  of caches serving an address for a part of the processors; None: no tree of the protocol has such caches
    shared   of the cache serving all processors; None: `between`
    memory   of memory's directory, with states I, E and M
    flags    ProtocolBits, or their names: "directory|peer"
    pass_loads, pass_stores  AccessBits that send a load, a store, past the first level and past lower caches
    through_stores           AccessBits for write-through in the first level
    letters  displayed names of the states, in the order NMOESI
    states   {name: meaning} of further states: a letter of NMOES; F, unmodified, one of several copies, answers read
             probes; D, unmodified, and in no directory; or MeansBits
    events   {name: CoherenceEvent with equal treatment} of events beside the sixteen
    """

    def __init__(self, name: str, first: Table, memory: Table, *, between: Optional[Table] = None,
                 shared: Optional[Table] = None, flags: Union[int, str] = "directory", summary: str = "",
                 source: str = "", pass_loads: Sequence[Union[int, str]] = (0, 0),
                 pass_stores: Sequence[Union[int, str]] = (0, 0), through_stores: Union[int, str] = 0,
                 letters: Optional[str] = None, states: Optional[Dict[str, Any]] = None,
                 events: Optional[Dict[str, Any]] = None) -> None:  # fmt: skip
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
        self.events = {
            each: ProtocolEvent(GPC_EVENT_COUNT + at, each, choice(CoherenceEvent, like, f"event {each} is like"))
            for at, (each, like) in enumerate((events or {}).items())
        }  # fmt: skip
        for each in self.events:
            if each.upper().replace("-", "_") in CoherenceEvent.__members__:
                raise ArgumentError(Status.ERROR_ARGUMENT, f"event {each} is there already")
        self.places = {}  # place: {CoherenceState or ProtocolState: {CoherenceEvent or ProtocolEvent: Rule}}
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
                kind = event_of(self.events, event, f"an event of {place}, {letter.name}")
                rule = _rule(cell, f"{place}, {letter.name}, {kind.name.lower()}", self.states, self.events)
                found.setdefault(letter, {})[kind] = rule
        return found

    def rule(self, place, state, event):
        """The Rule of a cell, or None."""
        table = self.places.get(place) or (self.places.get("between") if place == "shared" else None) or {}
        return table.get(state_of(self.states, state, "state"), {}).get(event_of(self.events, event, "event"))

    @property
    def all_states(self):
        """The six states and further ones, in the order of matrices."""
        return [*CoherenceState, *self.states.values()]

    @property
    def all_events(self):
        """The sixteen events and further ones, by number."""
        return [*CoherenceEvent, *self.events.values()]

    @property
    def names(self):
        """Displayed names of all states, in the order of matrices."""
        return [*(self.letters or "NMOESI"), *self.states]

    def tables(self):
        """{place: {state: {event: (actions, next, next_shared)}}} in plain text, for changes and reuse.

        Further states and events are included as `states` and `events`.
        """
        found = {
            place: {
                state.name: {
                    event.name.lower(): _plain(rule)
                    for event, rule in row.items()
                }
                for state, row in table.items()
            }
            for place, table in self.places.items()
        }
        if self.states:
            found["states"] = {state.name: name_of_means(state.means) for state in self.states.values()}
        if self.events:
            found["events"] = {event.name: event.like.name.lower() for event in self.events.values()}
        return found

    def _raw(self):
        """A gpc_protocol that keeps its tables alive."""
        raw = _Table(
            name=text(self.name, "name"), summary=text(self.summary, "summary"), source=text(self.source, "source"),
            flags=self.flags, through_stores=self.through_stores,
            letters=text(self.letters, "letters") if self.letters is not None else None,
        )  # fmt: skip
        raw.pass_loads[:] = self.pass_loads
        raw.pass_stores[:] = self.pass_stores
        name_states(raw, self.states.values())
        name_events(raw, self.events.values())
        rows = g.gpc_protocol_rule * len(CoherenceEvent) * len(self.all_states)
        for place, table in self.places.items():
            rules = rows()
            for state, row in table.items():
                if state >= GPC_LINE_COUNT and place == "memory":
                    raise ArgumentError(Status.ERROR_ARGUMENT, f"memory, {state.name}: its states are I, E and M")
                for event, rule in row.items():
                    if event < GPC_EVENT_COUNT:
                        rules[state][event] = g.gpc_protocol_rule(*rule)
            if self.events:
                self._raw_events(raw, place, table)
            setattr(raw, place, ctypes.cast(ctypes.pointer(rules), ctypes.POINTER(g.gpc_protocol_rules)))
            raw.kept += [rules]
        return raw

    def _raw_events(self, raw, place, table):
        """Columns of events beside the sixteen, and raised events of cells."""
        at, states, columns = PLACES.index(place), len(self.all_states), len(self.events)
        rules, raises = (g.gpc_protocol_rule * (states * columns))(), (
            g.gpc_protocol_raise * (states * (GPC_EVENT_COUNT + columns)))()  # fmt: skip
        for state, row in table.items():
            for event, rule in row.items():
                if event >= GPC_EVENT_COUNT:
                    rules[state * columns + event - GPC_EVENT_COUNT] = g.gpc_protocol_rule(*rule)
                raises[state * (GPC_EVENT_COUNT + columns) + event] = g.gpc_protocol_raise(
                    rule.below or 0, rule.above or 0)  # fmt: skip
        raw.event_rules[at] = ctypes.cast(rules, ctypes.POINTER(g.gpc_protocol_rule))
        raw.raises[at] = ctypes.cast(raises, ctypes.POINTER(g.gpc_protocol_raise))
        raw.kept += [rules, raises]

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


def name_events(raw, events):
    """Give a gpc_protocol the events beside the sixteen."""
    events = list(events)
    if events:
        raw.events = (g.gpc_protocol_event * len(events))(
            *(g.gpc_protocol_event(text(event.name, "name of an event"), event.like) for event in events)
        )
        raw.event_count = len(events)
    return raw


def events_of(raw):
    """{name: CoherenceEvent with equal treatment} for a gpc_protocol's events beside the sixteen."""
    events = raw.events[:raw.event_count] if raw.event_count else ()
    return {decoded(each.name): CoherenceEvent(each.like) for each in events}


def _plain(rule):
    """(actions, next, next_shared), and raised events if any, in plain text."""
    found = (name_of_bits(rule.actions), rule.next.name, rule.next_shared.name)
    raised = {side: event.name for side, event in rule.raised.items()}
    return (*found, raised) if raised else found


def states_of(raw):
    """{name: means} of a gpc_protocol's states beside the six."""
    states = raw.states[:raw.state_count] if raw.state_count else ()
    return {decoded(each.name): MeansBits(each.means) for each in states}


def _table(raw, place, states):
    """A table of the library, cells without a rule left out."""
    found, pointer = {}, getattr(raw, place)
    at, columns = PLACES.index(place), raw.event_count
    more, raises = (raw.event_rules[at], raw.raises[at]) if columns else (None, None)
    rules = ctypes.cast(pointer, ctypes.POINTER(g.gpc_protocol_rule * len(CoherenceEvent) * states)).contents
    for state in range(states):
        row = {int(event): rules[state][event] for event in CoherenceEvent if rules[state][event].actions}
        for event in range(columns if more else 0):
            if more[state * columns + event].actions:
                row[GPC_EVENT_COUNT + event] = more[state * columns + event]
        if row:
            found[state] = {event: (cell.actions, cell.next, cell.next_shared) for event, cell in row.items()}
        for event in row if raises else ():
            raised = raises[state * (GPC_EVENT_COUNT + columns) + event]
            if raised.below or raised.above:
                sides = {"below": raised.below, "above": raised.above}
                found[state][event] += ({side: number for side, number in sides.items() if number},)
    return found


def find(context, name):
    """The Protocol with this name."""
    pointer = lib.gpc_protocol_find(context._live(), text(name, "protocol"))
    settle()
    if not pointer:
        raise NotFoundError(Status.ERROR_NOT_FOUND, f"no protocol '{name}'")
    raw = pointer.contents
    states = GPC_LINE_COUNT + raw.state_count
    tables = {
        place: _table(raw, place, GPC_LINE_COUNT if place == "memory" else states)
        for place in PLACES if getattr(raw, place)
    }  # fmt: skip
    return Protocol(
        decoded(raw.name), tables.get("first"), tables.get("memory"), between=tables.get("between"),
        shared=tables.get("shared"), flags=raw.flags, summary=decoded(raw.summary), source=decoded(raw.source),
        pass_loads=list(raw.pass_loads), pass_stores=list(raw.pass_stores), through_stores=raw.through_stores,
        letters=decoded(raw.letters) or None, states=states_of(raw), events=events_of(raw),
    )  # fmt: skip


def event_name(event):
    """Name of an event in the document's tables."""
    return decoded(lib.gpc_coherence_event_name(choice(CoherenceEvent, event, "event")))
