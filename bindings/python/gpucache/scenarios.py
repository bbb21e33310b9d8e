# SPDX-License-Identifier: BSD-2-Clause
"""Files of coherence scenarios: trees, accesses, and what is to come of them.

    document = Document("sequential.json")
    for scenario in document.scenarios:
        outcome = scenario.run(context, "nmoesi-multi2sim")
        for difference in outcome.differences:
            print(difference)

A scenario's accesses are issued one after another, each when everything before it has ended. What the file has of
`trace`, `completion` and `final` is compared; an Outcome can be written in the same form.
"""

import json
from collections import namedtuple

from ._constants import CoherenceKind
from ._outcome import Outcome, number_of
from .coherence import AddressRange, Coherence, CoherenceModule, CoherenceNetwork, Interleaved
from .errors import GpucacheError

DEFAULT_PROTOCOL = "nmoesi-multi2sim"

_KINDS = {
    "load": CoherenceKind.LOAD, "store": CoherenceKind.STORE, "nc_store": CoherenceKind.N_STORE,
    "n_store": CoherenceKind.N_STORE,
}  # fmt: skip

Access = namedtuple("Access", "module kind address word")  # `word`: the kind as the file has it


class ScenarioError(Exception):
    """A file is not what it should be; the message names file, scenario or configuration, and key."""


# Reading


class Part:
    """An object of a document, with what it is for messages."""

    _REQUIRED = object()

    def __init__(self, value, where):
        if not isinstance(value, dict):
            raise ScenarioError(f"{where}: {_shown(value)} is no object")
        self.value = value
        self.where = where

    def _get(self, key, default):
        if key in self.value:
            return self.value[key]
        if default is self._REQUIRED:
            raise ScenarioError(f"{self.where}: key '{key}' is missing")
        return default

    def wrong(self, key, expected):
        return ScenarioError(f"{self.where}: key '{key}' is {_shown(self.value[key])}, not {expected}")

    def number(self, key, default=_REQUIRED):
        found = self._get(key, default)
        if key not in self.value:
            return found
        number = number_of(found)
        if number is None:
            raise self.wrong(key, "a number from 0 on")
        return number

    def text(self, key, default=_REQUIRED):
        found = self._get(key, default)
        if key in self.value and not isinstance(found, str) and not (found is None and default is None):
            raise self.wrong(key, "text")
        return found

    def flag(self, key, default):
        found = self._get(key, default)
        if not isinstance(found, bool):
            raise self.wrong(key, "true or false")
        return found

    def list(self, key, default=_REQUIRED):
        found = self._get(key, default)
        if key in self.value and not isinstance(found, list):
            raise self.wrong(key, "a list")
        return found

    def part(self, key, default=_REQUIRED):
        found = self._get(key, default)
        return None if found is None else Part(found, f"{self.where}: key '{key}'")


def _shown(value):
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


# Trees


def _serves(module):
    found = module.part("address_range", None)
    if found is None:
        return None
    kind = found.text("kind")
    if kind == "interleaved":
        return Interleaved(found.number("div"), found.number("mod"), found.number("eq"))
    if kind in ("range", "bounds"):
        low, high = ("low", "high") if "low" in found.value else ("first", "last")
        return AddressRange(found.number(low), found.number(high))
    raise found.wrong("kind", "interleaved, range or bounds")


def _sets(module):
    """(sets, ways), of a memory also by the size of its directory."""
    if "sets" in module.value or "directory_size" not in module.value:
        return module.number("sets"), module.number("assoc")
    size, ways = module.number("directory_size"), module.number("directory_assoc")
    if not ways or size % ways:
        raise module.wrong("directory_size", f"a multiple of directory_assoc, {ways}")
    return size // ways, ways


def _module(part):
    kind = part.text("type", "cache")
    if kind not in ("cache", "main_memory"):
        raise part.wrong("type", "cache or main_memory")
    sets, ways = _sets(part)
    low = part.list("low_modules", [])
    if not all(isinstance(name, str) for name in low):
        raise part.wrong("low_modules", "a list of names")
    return CoherenceModule(
        part.text("name"), low, part.text("low_network", None), part.text("high_network", None), sets, ways,
        part.number("block_size"), part.number("latency"), part.number("directory_latency", 0),
        part.number("ports", 0), part.number("mshr", 0), part.text("policy", "LRU").lower(), _serves(part),
        part.number("directory_ways", 0), kind == "main_memory", part.flag("non_inclusive", False),
        part.flag("any_victim", True), part.flag("write_through", False), part.flag("no_write_allocate", False),
    )  # fmt: skip


def _named(parts, what):
    """The parts of a list, whose names differ."""
    seen = set()
    for part in parts:
        name = part.text("name")
        if name in seen:
            raise ScenarioError(f"{part.where}: key 'name': there are two {what} '{name}'")
        seen.add(name)
    return parts


class Tree:
    """A configuration of a document."""

    def __init__(self, part):
        self.part = part
        modules = _named([Part(each, f"{part.where}: modules[{at}]") for at, each in enumerate(part.list("modules"))],
                         "modules")  # fmt: skip
        networks = _named(
            [Part(each, f"{part.where}: networks[{at}]") for at, each in enumerate(part.list("networks", []))],
            "networks",
        )
        self.modules = [_module(each) for each in modules]
        self.networks = [
            CoherenceNetwork(each.text("name"), each.number("bandwidth"), each.number("input_buffer", 0),
                             each.number("output_buffer", 0))
            for each in networks
        ]  # fmt: skip
        self.control_bytes = part.number("control_bytes", 8)
        self.names = {module.name for module in self.modules}

    def make(self, context, protocol):
        try:
            return Coherence(
                context, self.modules, self.networks, protocol, control_bytes=self.control_bytes, data=False
            )
        except GpucacheError as error:
            raise ScenarioError(f"{self.part.where}: {error}") from None


# Documents


class Document:
    """A file of scenarios."""

    def __init__(self, path):
        self.path = str(path)
        try:
            with open(path, encoding="utf-8") as file:
                value = json.load(file)
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
            raise ScenarioError(f"{self.path}: no JSON: {error}") from None
        self.part = Part(value, self.path)
        self.protocol = self.part.text("protocol", DEFAULT_PROTOCOL)
        configs = self.part.part("configs")
        self.trees = {name: Tree(Part(value, f"{self.path}: config {name}")) for name, value in configs.value.items()}
        self.scenarios = []
        for at, value in enumerate(self.part.list("sequential")):
            part = Part(value, f"{self.path}: sequential[{at}]")
            part.where = f"{self.path}: scenario {part.text('name')}"
            self.scenarios.append(Scenario(self, part))

    def written(self, outcomes, protocol):
        """A document of what was found, in the form of the file."""
        used = dict.fromkeys(outcome.scenario.config for outcome in outcomes)
        return {
            "schema": self.part.value.get("schema", {}), "protocol": protocol,
            "configs": {name: self.trees[name].part.value for name in used},
            "sequential": [outcome.written() for outcome in outcomes],
        }  # fmt: skip


class Scenario:
    """Accesses to a tree, and what the file says that comes of them: None where it says nothing."""

    def __init__(self, document, part):
        self.part = part
        self.name = part.text("name")
        self.protocol = part.text("protocol", document.protocol)
        self.config = part.text("config")
        if self.config not in document.trees:
            raise part.wrong("config", f"one of {', '.join(document.trees) or 'none'}")
        self.tree = document.trees[self.config]
        self.accesses = [self._access(at, value) for at, value in enumerate(part.list("accesses"))]
        self.completion = self._completion()
        self.trace = self._trace()
        self.final = part.part("final", None)
        for name in self.final.value if self.final else ():
            if name not in self.tree.names:
                raise ScenarioError(f"{self.final.where}: there is no module '{name}'")

    def _wrong(self, key, at, value, expected):
        return ScenarioError(f"{self.part.where}: {key}[{at}] is {_shown(value)}, not {expected}")

    def _access(self, at, value):
        if not isinstance(value, list) or len(value) != 3 or value[0] not in self.tree.names or \
                value[1] not in _KINDS or number_of(value[2]) is None:  # fmt: skip
            raise self._wrong("accesses", at, value, f"[module, {'|'.join(_KINDS)}, address]")
        return Access(value[0], _KINDS[value[1]], number_of(value[2]), value[1])

    def _completion(self):
        found = self.part.list("completion", None)
        if found is None:
            return None
        if len(found) != len(self.accesses):
            raise ScenarioError(f"{self.part.where}: key 'completion' has {len(found)} entries for "
                                f"{len(self.accesses)} accesses")  # fmt: skip
        for at, pair in enumerate(found):
            if not isinstance(pair, list) or len(pair) != 2 or None in map(number_of, pair):
                raise self._wrong("completion", at, pair, "[issue, finish]")
        return found

    def _trace(self):
        """The part of the trace that each access is to make."""
        trace, places = self.part.list("trace", None), self.part.list("trace_pos", None)
        if trace is None or places is None:
            return None
        if len(places) != len(self.accesses) or sorted(places) != places or (places and places[-1] != len(trace)):
            raise ScenarioError(f"{self.part.where}: key 'trace_pos' does not divide {len(trace)} entries of 'trace' "
                                f"among {len(self.accesses)} accesses")  # fmt: skip
        for at, entry in enumerate(trace):
            if not isinstance(entry, list) or len(entry) != 9 or entry[1] not in self.tree.names:
                raise self._wrong("trace", at, entry, "[cycle, module, set, way, tag, state, tag, state, origin]")
        return [trace[start:end] for start, end in zip([0] + places, places)]

    def text_of(self, at):
        access = self.accesses[at]
        return f"access {at} of {len(self.accesses)} ({access.module} {access.word} {access.address:#x})"

    def run(self, context, protocol=None):
        """An Outcome; it has differences only where the protocol is the one that the file was made for."""
        protocol = protocol or self.protocol
        with self.tree.make(context, protocol) as tree:
            outcome = Outcome(self, protocol, tree)
            try:
                outcome.run()
            except GpucacheError as error:
                raise ScenarioError(f"{self.part.where}: {outcome.place}: {error}") from None
        return outcome
