# SPDX-License-Identifier: BSD-2-Clause
"""Protocols from files: a table as JSON, or a Python file with a Protocol.

    {
      "name": "loud-mesi", "of": "mesi",
      "first": {"E": {"eviction": ["notify", "I"]}, "S": {"eviction": ["notify", "I"]}}
    }

Missing cells come from the protocol in `of`; without `of`, a missing cell has no rule. A cell is [actions, next state]
or [actions, next state, next state with other copies]; null removes a rule. Places are first, between, shared and
memory. Other keys are Protocol's: flags, letters, summary, source, pass_loads, pass_stores, through_stores. `states`,
{"F": "F", "SM": "owner|modified"}, has names and meanings of further states. `events`, {"own": "load"}, has names of
further events, with the CoherenceEvent of equal treatment. States and events of the protocol in `of` are included. A
cell may end with {"below": event, "above": event}: further events raised there.

A Python file has a Protocol in a variable `protocol`, or a function of that name, which is called with the context.
"""

import json
import os
import re
import runpy

from ._constants import CoherenceEvent, CoherenceState, PolicyKind
from ._document import Part, ScenarioError
from .errors import ArgumentError, GpucacheError, NotFoundError
from .protocol import PLACES, Protocol, event_name, name_of_bits

_TEXTS = "summary", "source", "letters"
_BITS = "pass_loads", "pass_stores", "through_stores"
_KEYS = ("name", "of", "flags", "states", "events", *_TEXTS, *_BITS, *PLACES)
_STATES = tuple(member.name for member in CoherenceState)
_EVENTS = {member.name.lower(): member for member in CoherenceEvent}


class TableError(ScenarioError):
    """A mistake in a table; the message names file, line and cell."""


class _Source:
    """Where things stand in a text of JSON."""

    def __init__(self, path, text):
        self.path = path
        self.text = text

    def at(self, *keys):
        """`file:line` of nested keys; `file` if the keys are not found."""
        place = 0
        for key in keys:
            found = re.compile(rf"{re.escape(json.dumps(key))}\s*:").search(self.text, place)
            if not found:
                return self.path
            place = found.end()
        return f"{self.path}:{self.text.count(chr(10), 0, place) + 1}" if keys else self.path


def _cell(source, place, state, event, cell, states, events):
    raised = cell[-1:] if isinstance(cell, list) and cell and isinstance(cell[-1], dict) else []
    value = cell[:-1] if raised else cell
    where = f"{source.at(place, state, event)}: {place}, {state}, {event}"
    good = isinstance(value, list) and len(value) in (2, 3) and all(isinstance(each, str) for each in value)
    if not good:
        raise TableError(f"{where}: {json.dumps(value)} is not [actions, next] or [actions, next, next where shared]")
    for each in value[1:]:
        if each not in states:
            raise TableError(f"{where}: '{each}' is no state, of {', '.join(states)}")
    for side, name in raised[0].items() if raised else ():
        if side not in ("below", "above") or name not in events:
            raise TableError(f"{where}: it raises {side}: {name}, of below and above: {', '.join(events)}")
    return (*value, *raised)


def _places(source, part, tables, states, events):
    """The tables with the file's cells."""
    for place in PLACES:
        if place not in part:
            continue
        rows = part.part(place)
        table = tables.setdefault(place, {})
        for state in rows.value:
            if state not in states:
                raise TableError(f"{source.at(place, state)}: {place}: '{state}' is no state, of {', '.join(states)}")
            row = table.setdefault(state, {})
            for event, value in rows.part(state).value.items():
                if event not in _EVENTS and event not in events:
                    raise TableError(f"{source.at(place, state, event)}: {place}, {state}: '{event}' is no event, of "
                                     f"{', '.join((*_EVENTS, *events))}")  # fmt: skip
                row.pop(event, None)
                if value is not None:
                    row[event] = _cell(source, place, state, event, value, states, events)
    return tables


def _base(context, source, part):
    """Fields of the protocol in `of`."""
    name = part.text("of", None)
    if name is None:
        return {}, {"flags": "directory"}
    try:
        of = context.protocol(name)
    except NotFoundError:
        raise TableError(f"{source.at('of')}: key 'of': no protocol '{name}', of {_known(context)}") from None
    fields = {"flags": of.flags, "letters": of.letters, "pass_loads": of.pass_loads, "pass_stores": of.pass_stores,
              "through_stores": of.through_stores}  # fmt: skip
    tables = of.tables()
    return tables, {**fields, "states": tables.pop("states", {}), "events": tables.pop("events", {})}


def _known(context):
    return ", ".join(policy.name for policy in context.policies(PolicyKind.PROTOCOL))


def protocol_of(context, value, path, text=""):
    """A Protocol from JSON; `path` and its text are for messages."""
    source = _Source(path, text)
    try:
        part = Part(value, path)
        for key in part.value:
            if key not in _KEYS:
                raise TableError(f"{source.at(key)}: key '{key}' is none of {', '.join(_KEYS)}")
        tables, fields = _base(context, source, part)
        if "states" in part:
            added = part.part("states")
            fields["states"] = {**fields.get("states", {}), **{each: added.text(each) for each in added.value}}
        if "events" in part:
            added = part.part("events")
            fields["events"] = {**fields.get("events", {}), **{each: added.text(each) for each in added.value}}
        tables = _places(source, part, tables, (*_STATES, *fields.get("states", ())), tuple(fields.get("events", ())))
        fields.update({key: part.text(key) for key in ("flags", *_TEXTS) if key in part})
        fields.update({key: part.value[key] for key in _BITS if key in part})
        for place in ("first", "memory"):
            if place not in tables:
                raise TableError(f"{path}: key '{place}' is missing")
        made = Protocol(part.text("name"), tables.pop("first"), tables.pop("memory"), **tables, **fields)
        made.where = source
        return made
    except TableError:
        raise
    except (ArgumentError, ScenarioError) as error:
        raise TableError(str(error) if isinstance(error, ScenarioError) else f"{path}: {error.message}") from None


def _of_json(context, path):
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise TableError(f"{path}:{error.lineno}: no JSON: {error.msg}, column {error.colno}") from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise TableError(f"{path}: no JSON: {error}") from None
    return protocol_of(context, value, path, text)


def _of_python(context, path):
    found = runpy.run_path(path).get("protocol")
    if callable(found):
        found = found(context)
    if not isinstance(found, Protocol):
        raise TableError(f"{path}: it has no `protocol`, a gpucache.Protocol or a function that returns one")
    return found


_CELL = re.compile(r"gpc_protocol '[^']*': (\w+), ([\w-]+), ([^:]*): (.*)", re.DOTALL)


def _placed(protocol, error):
    """The library's message on a table, with the line of the cell in the file."""
    source = getattr(protocol, "where", None)
    found = _CELL.match(error.message)
    if source is None or not found:
        return f"{source.path}: {error.message}" if source is not None else error.message
    place, called, title, why = found.groups()
    state = protocol.all_states[protocol.names.index(called)].name if called in protocol.names else called
    event = next((name for name, member in _EVENTS.items() if event_name(member) == title), title)
    return f"{source.at(place, state, event)}: {place}, {state}, {event}: {why}"


def registered(context, protocol):
    """Register a Protocol of a file; returns its name."""
    try:
        context.register(protocol)
    except GpucacheError as error:
        raise TableError(_placed(protocol, error)) from None
    return protocol.name


def load(context, table):
    """Name of a protocol: the given name, or the name of the file TABLE, .json or .py, after its registration."""
    if os.path.exists(table) or "/" in table or table.endswith((".json", ".py")):
        return registered(context, (_of_python if str(table).endswith(".py") else _of_json)(context, table))
    try:
        return context.protocol(table).name
    except NotFoundError:
        raise TableError(f"no protocol '{table}', of {_known(context)}, and no such file") from None


def as_json(protocol):
    """A protocol in the file's form."""
    found = {"name": protocol.name, "flags": name_of_bits(protocol.flags)}
    found.update({key: getattr(protocol, key) for key in ("letters", "through_stores") if getattr(protocol, key)})
    for key in ("pass_loads", "pass_stores"):
        if any(getattr(protocol, key)):
            found[key] = [int(each) for each in getattr(protocol, key)]
    tables = protocol.tables()
    for key in ("states", "events"):
        if key in tables:
            found[key] = tables.pop(key)
    for place, table in tables.items():
        found[place] = {state: {event: _short(cell) for event, cell in row.items()} for state, row in table.items()}
    return found


def _short(cell):
    return [*(cell[:3] if cell[1] != cell[2] else cell[:2]), *cell[3:]]
