# SPDX-License-Identifier: BSD-2-Clause
"""Files of coherence scenarios: trees, accesses, and what is to come of them.

    document = Document("sequential.json")
    for scenario in document.scenarios:
        outcome = scenario.run(context, "nmoesi-multi2sim")
        for difference in outcome.differences:
            print(difference)

The accesses of a `sequential` scenario are issued one after another, each when everything before it has ended; those
of a `timed` one each at its cycle. What the file has of `trace`, `completion` and `final` is compared; an Outcome can be
written in the same form. A key that means nothing here is an error.
"""

import json
from collections import namedtuple

from ._constants import CoherenceKind
from ._document import Part, ScenarioError, final_of, is_number, is_text, number_of, trace_cycle, trace_entry
from ._outcome import Outcome
from ._outcome_timed import TimedOutcome
from .coherence import AddressRange, Coherence, CoherenceModule, CoherenceNetwork, Interleaved
from .errors import GpucacheError

DEFAULT_PROTOCOL = "nmoesi-multi2sim"

_KINDS = {
    "load": CoherenceKind.LOAD, "store": CoherenceKind.STORE, "nc_store": CoherenceKind.N_STORE,
    "n_store": CoherenceKind.N_STORE,
}  # fmt: skip

# Keys that are read, and those that say what a reader of the file should know: `schema`, `description`, `mix` and what
# the reference did.
_DOCUMENT = "schema", "protocol", "configs", "sequential", "timed"
_CONFIG = "description", "control_bytes", "modules", "networks"
_MODULE = (
    "description", "name", "type", "level", "sets", "assoc", "block_size", "latency", "directory_latency",
    "directory_size", "directory_assoc", "directory_ways", "policy", "ports", "mshr", "low_modules", "low_network",
    "high_network", "address_range", "non_inclusive", "any_victim", "write_through", "no_write_allocate",
)  # fmt: skip
_NETWORK = "description", "name", "topology", "bandwidth", "input_buffer", "output_buffer"
_SEQUENTIAL = (
    "description", "name", "mix", "config", "protocol", "accesses", "completion", "trace", "trace_pos", "final",
    "error", "upstream", "upstream_final",
)  # fmt: skip
_TIMED = (
    "description", "name", "mix", "config", "protocol", "accesses", "completion", "trace", "final", "error", "seeds",
    "retries_seed1", "lock_conflicts_seed1", "distinct_final_states_over_seeds", "upstream", "upstream_final",
    "upstream_hanging_seeds",
)  # fmt: skip

# `word`: the kind as the file has it. `cycle`: None where accesses follow one another.
Access = namedtuple("Access", "module kind address word cycle", defaults=(None,))


# Trees


def _serves(module):
    found = module.part("address_range", None)
    if found is None:
        return None
    kind = found.text("kind")
    if kind == "interleaved":
        found.only("kind", "div", "mod", "eq")
        return Interleaved(found.number("div"), found.number("mod"), found.number("eq"))
    if kind in ("range", "bounds"):
        found.only("kind", "low", "high", "first", "last")
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


def _parts(config, what, values, keys):
    """The parts of a list, whose names differ."""
    parts = [Part(each, f"{config.where}: {what}[{at}]").only(*keys) for at, each in enumerate(values)]
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
        part.only(*_CONFIG)
        modules = _parts(part, "modules", part.list("modules"), _MODULE)
        networks = _parts(part, "networks", part.list("networks", []), _NETWORK)
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
        self.part = Part(value, self.path).only(*_DOCUMENT)
        self.protocol = self.part.text("protocol", DEFAULT_PROTOCOL)
        configs = self.part.part("configs")
        self.trees = {name: Tree(Part(value, f"{self.path}: config {name}")) for name, value in configs.value.items()}
        self.scenarios = []
        for key, keys, make in ("sequential", _SEQUENTIAL, Scenario), ("timed", _TIMED, TimedScenario):
            given = self.part.list(key, []) if "timed" in self.part else self.part.list("sequential")
            for at, value in enumerate(given if key in self.part else ()):
                part = Part(value, f"{self.path}: {key}[{at}]")
                part.where = f"{self.path}: scenario {part.text('name')}"
                part.only(*keys)
                self.scenarios.append(make(self, part))

    def written(self, outcomes, protocol):
        """A document of what was found, in the form of the file."""
        used = dict.fromkeys(outcome.scenario.config for outcome in outcomes)
        return {
            "schema": self.part.value.get("schema", {}), "protocol": protocol,
            "configs": {name: self.trees[name].part.value for name in used},
            **{key: [outcome.written() for outcome in outcomes if outcome.scenario.key == key]
               for key in dict.fromkeys(outcome.scenario.key for outcome in outcomes)},
        }  # fmt: skip


def _pair(value):
    """(issue, finish) of an access, None for what the file does not say; or None, where it says something else."""
    value = [None, None] if value is None else value
    good = isinstance(value, list) and len(value) == 2 and all(each is None or is_number(each) for each in value)
    return tuple(map(number_of, value)) if good else None


class Scenario:
    """Accesses to a tree, and what the file says that comes of them: None where it says nothing."""

    key = "sequential"
    _forms = {"accesses": f"[module, {'|'.join(_KINDS)}, address]", "completion": "[issue, finish]"}
    _pair = staticmethod(_pair)
    _outcome = Outcome

    def __init__(self, document, part):
        self.part = part
        self.name = part.text("name")
        self.protocol = part.text("protocol", document.protocol)
        self.config = part.text("config")
        if self.config not in document.trees:
            raise part.wrong("config", f"one of {', '.join(document.trees) or 'none'}")
        self.tree = document.trees[self.config]
        self.accesses = part.each("accesses", self._access, self._forms["accesses"])
        self.completion = self._completion()
        self.trace = self._trace()
        self.final = self._final()

    def _access(self, value):
        if not isinstance(value, list) or len(value) != 3 or not all(map(is_text, value[:2])):
            return None
        module, word, address = value
        if module not in self.tree.names or word not in _KINDS or not is_number(address):
            return None
        return Access(module, _KINDS[word], number_of(address), word)

    def _completion(self):
        """(issue, finish) of each access."""
        if self.part.value.get("completion") is None:
            return None
        found = self.part.each("completion", self._pair, self._forms["completion"])
        if len(found) != len(self.accesses):
            raise ScenarioError(f"{self.part.where}: key 'completion' has {len(found)} entries for "
                                f"{len(self.accesses)} accesses")  # fmt: skip
        return found

    def _trace(self):
        """The part of the trace that each access is to make."""
        if self.part.value.get("trace") is None or self.part.value.get("trace_pos") is None:
            return None
        trace = self.part.each("trace", self._entry, "[cycle, module, set, way, tag, state, tag, state, origin]")
        places = self.part.each("trace_pos", number_of, "a number from 0 on")
        if len(places) != len(self.accesses) or sorted(places) != places or [len(trace)] != (places or [0])[-1:]:
            raise ScenarioError(f"{self.part.where}: key 'trace_pos' does not divide {len(trace)} entries of 'trace' "
                                f"among {len(self.accesses)} accesses")  # fmt: skip
        return [trace[start:end] for start, end in zip([0] + places, places)]

    def _entry(self, value):
        found = trace_entry(value)
        return found if found is not None and found.module in self.tree.names else None

    def _final(self):
        """{module: Final}."""
        if self.part.value.get("final") is None:
            return None
        part = self.part.part("final")
        for name in part.value:
            if name not in self.tree.names:
                raise ScenarioError(f"{part.where}: there is no module '{name}'")
        return {name: final_of(part.part(name)) for name in part.value}

    def text_of(self, at):
        access = self.accesses[at]
        return f"access {at} of {len(self.accesses)} ({access.module} {access.word} {access.address:#x})"

    def run(self, context, protocol=None):
        """An Outcome; it has differences only where the protocol is the one that the file was made for."""
        protocol = protocol or self.protocol
        with self.tree.make(context, protocol) as tree:
            outcome = self._outcome(self, protocol, tree)
            try:
                outcome.run()
            except GpucacheError as error:
                raise ScenarioError(f"{self.part.where}: {outcome.place}: {error}") from None
        return outcome


def _triple(value):
    """[issue, finish, joined] of an access."""
    if not isinstance(value, list) or len(value) != 3 or not all(map(is_number, value[:2])):
        return None
    return [*map(number_of, value[:2]), value[2]] if isinstance(value[2], bool) else None


class TimedScenario(Scenario):
    """Accesses that overlap. Random back-offs are those of the reference's first seed, and of a context's seed 1."""

    key = "timed"
    _forms = {
        "accesses": f"[cycle, module, {'|'.join(_KINDS)}, address], by cycle", "completion": "[issue, finish, joined]"
    }  # fmt: skip
    _pair = staticmethod(_triple)
    _outcome = TimedOutcome

    def __init__(self, document, part):
        self._last = 0
        super().__init__(document, part)
        self.retries = part.number("retries_seed1", None)

    def _access(self, value):
        cycle = number_of(value[0]) if isinstance(value, list) and len(value) == 4 else None
        access = super()._access(value[1:]) if cycle is not None and cycle >= self._last else None
        self._last = cycle if access else self._last
        return access and access._replace(cycle=cycle)

    def _trace(self):
        """(cycle, entry) of each, of all accesses together."""
        if self.part.value.get("trace") is None:
            return None
        trace = self.part.each("trace", self._entry, "[cycle, module, set, way, tag, state, tag, state, origin]")
        return [(trace_cycle(value), entry) for value, entry in zip(self.part.value["trace"], trace)]

    def text_of(self, at):
        return f"{super().text_of(at)[:-1]} at cycle {self.accesses[at].cycle})"
