# SPDX-License-Identifier: BSD-2-Clause
"""Reader of scenario files: messages name file, scenario or configuration, and key."""

import json
import re
from collections import namedtuple


class ScenarioError(Exception):
    """A mistake in a file; the message names file, scenario or configuration, and key."""


def number_of(value):
    """A number, or a text with a number ("0x40"); None for anything else."""
    if isinstance(value, str):
        try:
            value = int(value, 0)
        except ValueError:
            return None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 64 else None


def pattern_of(value):
    """Bytes in hex, None where "??" stands for any byte: a list. None for other text."""
    if not isinstance(value, str) or not value or len(value) % 2:
        return None
    found = []
    for at in range(0, len(value), 2):
        pair = value[at:at + 2]
        if pair != "??" and not all(digit in "0123456789abcdefABCDEF" for digit in pair):
            return None
        found.append(None if pair == "??" else int(pair, 16))
    return found


def shown(value):
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


class Part:
    """An object of a document, with a name for messages."""

    _REQUIRED = object()

    def __init__(self, value, where):
        if not isinstance(value, dict):
            raise ScenarioError(f"{where}: {shown(value)} is no object")
        self.value = value
        self.where = where

    def __contains__(self, key):
        return key in self.value

    def _get(self, key, default):
        if key in self.value:
            return self.value[key]
        if default is self._REQUIRED:
            raise ScenarioError(f"{self.where}: key '{key}' is missing")
        return default

    def only(self, *keys):
        """The object itself, if it has no other keys: a misspelt or foreign key is an error."""
        for key in self.value:
            if key not in keys:
                raise ScenarioError(f"{self.where}: key '{key}' is none of {', '.join(keys)}")
        return self

    def wrong(self, key, expected):
        return ScenarioError(f"{self.where}: key '{key}' is {shown(self.value[key])}, not {expected}")

    def number(self, key, default=_REQUIRED):
        found = self._get(key, default)
        if key not in self:
            return found
        number = number_of(found)
        if number is None:
            raise self.wrong(key, "a number from 0 on")
        return number

    def text(self, key, default=_REQUIRED):
        found = self._get(key, default)
        if key in self and not isinstance(found, str) and not (found is None and default is None):
            raise self.wrong(key, "text")
        return found

    def flag(self, key, default):
        found = self._get(key, default)
        if not isinstance(found, bool):
            raise self.wrong(key, "true or false")
        return found

    def list(self, key, default=_REQUIRED):
        found = self._get(key, default)
        if key in self and not isinstance(found, list):
            raise self.wrong(key, "a list")
        return found

    def part(self, key, default=_REQUIRED):
        found = self._get(key, default)
        return None if found is None and default is None else Part(found, f"{self.where}: key '{key}'")

    def each(self, key, read, expected):
        """Results of read() for each value of a list; a result None means an unexpected value."""
        found = []
        for at, value in enumerate(self.list(key)):
            found.append(read(value))
            if found[-1] is None:
                raise ScenarioError(f"{self.where}: {key}[{at}] is {shown(value)}, not {expected}")
        return found


def _is(value, *kinds):
    """True if a value is a list with parts of these kinds; kinds are test functions."""
    return isinstance(value, list) and len(value) == len(kinds) and all(kind(each) for kind, each in zip(kinds, value))


def is_number(value):
    return number_of(value) is not None


def is_text(value):
    return isinstance(value, str)


def _is_count(value):
    return isinstance(value, int) and is_number(value)


def is_state(value):
    """True for a name; the comparison checks the name against the protocol."""
    return isinstance(value, str) and re.fullmatch(r"[\w-]{1,15}", value) is not None


# Final state of a module: {(set, way): (tag, state, directory)}, {set: ways}, {(from, to): (count, origins)}, {name:
# number}, {side: {way: bytes}}; None if the file has no value.
Final = namedtuple("Final", "blocks orders transitions stats net")
# Without its cycle.
Entry = namedtuple("Entry", "module set way tag_before before tag after origin")


def _entry(value):
    """[owner, sharers] of a sub-block."""
    good = _is(value, lambda owner: owner is None or is_text(owner), lambda all: isinstance(all, list))
    return (value[0], sorted(value[1])) if good and all(map(is_text, value[1])) else None


def _block(value):
    """((set, way), (tag, state, directory))."""
    directory = None
    if isinstance(value, list) and len(value) == 5 and isinstance(value[4], list):
        directory = [_entry(each) for each in value[4]]
        if None in directory:
            return None
        value = value[:4]
    if not _is(value, _is_count, _is_count, is_number, is_state):
        return None
    return tuple(value[:2]), (number_of(value[2]), value[3], directory)


def _transition(value):
    """((from, to), (count, origins))."""
    good = _is(value, is_state, is_state, _is_count, is_number)
    return (tuple(value[:2]), (value[2], number_of(value[3]))) if good else None


def trace_cycle(value):
    """Cycle of a valid entry."""
    return number_of(value[0])


def trace_entry(value):
    good = _is(value, is_number, is_text, _is_count, _is_count, is_number, is_state, is_number, is_state, is_number)
    return Entry(*value[1:4], *(number_of(each) if at % 2 == 0 else each for at, each in enumerate(value[4:]))) \
        if good else None  # fmt: skip


def _numbers(part):
    """{name: number} of an object."""
    return {key: part.number(key) for key in part.value}


def _orders(part):
    found = {}
    for key in part.value:
        ways = part.list(key)
        if not key.isdigit() or not all(map(_is_count, ways)):
            raise part.wrong(key, "the ways of a set")
        found[int(key)] = ways
    return found


def _net(part):
    sides = part.only("low", "high").value
    return {side: _numbers(part.part(side).only("sent", "received")) for side in sides}


def final_of(part):
    """The Final of a module."""
    part.only("blocks", "lru", "transitions", "stats", "net")
    blocks = transitions = None
    if "blocks" in part:
        blocks = dict(part.each("blocks", _block, "[set, way, tag, state, directory]"))
    if "transitions" in part:
        transitions = dict(part.each("transitions", _transition, "[from, to, count, origins]"))
    return Final(
        blocks, _orders(part.part("lru")) if "lru" in part else None, transitions,
        _numbers(part.part("stats")) if "stats" in part else None, _net(part.part("net")) if "net" in part else None,
    )  # fmt: skip
