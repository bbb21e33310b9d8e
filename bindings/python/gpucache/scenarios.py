# SPDX-License-Identifier: BSD-2-Clause
"""Files of coherence scenarios: trees, accesses, and expected results.

    document = Document("sequential.json")
    for scenario in document.scenarios:
        outcome = scenario.run(context, "nmoesi-multi2sim")
        for difference in outcome.differences:
            print(difference)

A `sequential` scenario issues an access when all earlier accesses have ended. A `timed` scenario issues an access at
its cycle. An `ordered` scenario gives the next message to arrive. Compared are `trace`, `completion`, `final`, `memory`
and bytes read by loads, as far as the file has them. An Outcome can be written as such a file. An unknown key is an
error.

An access is [module, kind, address], or an object: {"module", "kind", "address", "size", "bytes": "0a0b" (in hex),
"mask", "flags": "glc|slc", "event", "reads": "0a??" (?? is any)}; a timed access begins with a cycle. Sequential and
ordered scenarios also have flush and acquire, with at most a module. Sequential and timed scenarios have release, with
a module. An acquire or release with a module may have a "scope".

A store may have "atomics": [{"op": "add", "operand": 1, "compare": 0, "width": 4, "offset": 0, "finds": 7}] in place of
bytes. An access may have an "order": acquire, release or acq_rel. Releases run before the access, acquires behind, in
the caches of "scope": cta: none; cluster: caches above the first cache shared by some processors; gpu and sys, the
default: caches not shared by all; a module's name: caches above the module. Releases go towards memory, acquires come
from memory, in turn. Steps of an ordered scenario: ["issue", ACCESS], ["message", kind, from, to, address], ["retry",
module, address], ["step", module, address].
"""

import json
from collections import namedtuple

from ._coherence import AddressRange, CoherenceModule, CoherenceNetwork, Hashed, Interleaved
from ._constants import AccessBits, ChoiceKind, CoherenceKind, DirectoryOverflow, Index, MessageKind
from ._document import (
    Part,
    ScenarioError,
    final_of,
    is_number,
    is_text,
    number_of,
    pattern_of,
    trace_cycle,
    trace_entry,
)
from ._orders import Access, Orders
from ._outcome import Outcome
from ._outcome_ordered import OrderedOutcome
from ._outcome_timed import TimedOutcome
from .coherence import Coherence
from .errors import GpucacheError, NotFoundError
from .protocol import bits_of
from .tables import protocol_of, registered

DEFAULT_PROTOCOL = "nmoesi-multi2sim"

_KINDS = {
    "load": CoherenceKind.LOAD, "store": CoherenceKind.STORE, "nc_store": CoherenceKind.N_STORE,
    "n_store": CoherenceKind.N_STORE,
}  # fmt: skip

# Keys with an effect; `schema`, `description`, `mix` and results of the reference are for readers of the file.
_DOCUMENT = "schema", "protocol", "protocols", "configs", "sequential", "timed", "ordered"
_CONFIG = "description", "control_bytes", "modules", "networks", "homes", "page_bytes"
_MODULE = (
    "description", "name", "type", "level", "sets", "assoc", "block_size", "latency", "directory_latency",
    "directory_size", "directory_assoc", "directory_ways", "policy", "ports", "mshr", "low_modules", "low_network",
    "high_network", "address_range", "non_inclusive", "any_victim", "write_through", "no_write_allocate",
    "index", "dense",
    "directory_pointers", "directory_overflow", "directory_region",
    "sectors", "byte_masks", "fetch_blocks", "home", "near_of",
)  # fmt: skip
_INDICES = {index.name.lower(): index for index in Index if index != Index.USER}
_NETWORK = "description", "name", "topology", "bandwidth", "input_buffer", "output_buffer"
_VALUES = "initial", "memory", "check"
_SEQUENTIAL = (
    *_VALUES, "description", "name", "mix", "config", "protocol", "accesses", "completion", "trace", "trace_pos",
    "final", "error", "upstream", "upstream_final",
)  # fmt: skip
_TIMED = (
    *_VALUES, "description", "name", "mix", "config", "protocol", "accesses", "completion", "trace", "final", "error",
    "seeds", "retries_seed1", "lock_conflicts_seed1", "distinct_final_states_over_seeds", "upstream",
    "upstream_final", "upstream_hanging_seeds",
)  # fmt: skip

_ORDERED = *_VALUES, "description", "name", "config", "protocol", "entries", "channels", "steps", "ends", "final"

_ACCESS = (
    "module", "kind", "address", "cycle", "size", "bytes", "mask", "flags", "reads", "atomics", "order", "scope", "event",
)  # fmt: skip
_WHOLE = "flush", "acquire"  # kinds without an address

# A step of an ordered scenario: an access, or a choice of the next step, the `which`th of equal choices.
Step = namedtuple("Step", "word access choice message source target address", defaults=(None,) * 6)
_CHOICES = {"message": ChoiceKind.MESSAGE, "retry": ChoiceKind.RETRY, "step": ChoiceKind.STEP}
_MESSAGES = {kind.name.lower().replace("_", "-"): kind for kind in MessageKind}


# Trees


def _serves(module):
    found = module.part("address_range", None)
    if found is None:
        return None
    kind = found.text("kind")
    if kind in ("interleaved", "hashed"):
        found.only("kind", "div", "mod", "eq")
        return (Interleaved if kind == "interleaved" else Hashed)(found.number("div"), found.number("mod"), found.number("eq"))
    if kind in ("range", "bounds"):
        found.only("kind", "low", "high", "first", "last")
        low, high = ("low", "high") if "low" in found.value else ("first", "last")
        return AddressRange(found.number(low), found.number(high))
    raise found.wrong("kind", "interleaved, hashed, range or bounds")


def _sets(module):
    """(sets, ways); of a memory also from the size of its directory."""
    if "sets" in module.value or "directory_size" not in module.value:
        return module.number("sets"), module.number("assoc")
    size, ways = module.number("directory_size"), module.number("directory_assoc")
    if not ways or size % ways:
        raise module.wrong("directory_size", f"a multiple of directory_assoc, {ways}")
    return size // ways, ways


def _index(module):
    name = module.text("index", "modulo")
    if name not in _INDICES:
        raise module.wrong("index", f"one of {', '.join(_INDICES)}")
    return _INDICES[name]


def _overflow(module):
    word = module.text("directory_overflow", "broadcast")
    if word.upper() not in DirectoryOverflow.__members__:
        raise module.wrong("directory_overflow", "broadcast, evict or coarse")
    return DirectoryOverflow[word.upper()]


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
        _index(part), part.flag("dense", False),
        part.number("directory_pointers", 0), _overflow(part), part.number("directory_region", 0),
        sectors=part.number("sectors", 1), byte_masks=part.flag("byte_masks", False),
        fetch_blocks=part.number("fetch_blocks", 1), home=part.number("home", 0), near_of=part.text("near_of", None),
    )  # fmt: skip


def _parts(config, what, values, keys):
    """Parts of a list, with distinct names."""
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
        self.homes, self.page_bytes = part.number("homes", 0), part.number("page_bytes", 0)
        self.names = {module.name for module in self.modules}

    def make(self, context, protocol, data=False):
        try:
            return Coherence(
                context, self.modules, self.networks, protocol, control_bytes=self.control_bytes, data=data,
                homes=self.homes, page_bytes=self.page_bytes,
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
        self.protocols = self.part.list("protocols", [])
        self.scenarios = []
        if not {"timed", "ordered"} & self.part.value.keys():
            self.part.list("sequential")
        for key, keys, make in _KEYS:
            for at, value in enumerate(self.part.list(key, [])):
                part = Part(value, f"{self.path}: {key}[{at}]")
                part.where = f"{self.path}: scenario {part.text('name')}"
                part.only(*keys)
                self.scenarios.append(make(self, part))

    def register(self, context):
        """Register the file's protocols that are still unknown."""
        for at, value in enumerate(self.protocols):
            made = protocol_of(context, value, f"{self.path}: protocols[{at}]")
            try:
                context.protocol(made.name)
            except NotFoundError:
                registered(context, made)

    def written(self, outcomes, protocol):
        """A document of results, in the form of the file."""
        used = dict.fromkeys(outcome.scenario.config for outcome in outcomes)
        return {
            "schema": self.part.value.get("schema", {}), "protocol": protocol,
            **({"protocols": self.protocols} if self.protocols else {}),
            "configs": {name: self.trees[name].part.value for name in used},
            **{key: [outcome.written() for outcome in outcomes if outcome.scenario.key == key]
               for key in dict.fromkeys(outcome.scenario.key for outcome in outcomes)},
        }  # fmt: skip


def _pair(value):
    """(issue, finish) of an access, None for a missing value; or None for another form."""
    value = [None, None] if value is None else value
    good = isinstance(value, list) and len(value) == 2 and all(each is None or is_number(each) for each in value)
    return tuple(map(number_of, value)) if good else None


class Scenario(Orders):
    """Accesses to a tree, with expected results, None if the file has none."""

    key = "sequential"
    _forms = {"accesses": f"[module, {'|'.join(_KINDS)}, address]", "completion": "[issue, finish]"}
    _pair = staticmethod(_pair)
    _outcome = Outcome

    def __init__(self, document, part):
        self.part = part
        self.document = document
        self.name = part.text("name")
        self.protocol = part.text("protocol", document.protocol)
        self.config = part.text("config")
        if self.config not in document.trees:
            raise part.wrong("config", f"one of {', '.join(document.trees) or 'none'}")
        self.tree = document.trees[self.config]
        self._read()
        self.final = self._final()
        self.initial = self._bytes("initial")
        self.memory = self._bytes("memory")
        self.check = part.each("check", number_of, "a number from 0 on") if "check" in part else None
        if self.check is not None and len(self.check) != 2:
            raise part.wrong("check", "[address, bytes]")

    def _read(self):
        self.accesses = self.part.each("accesses", self._access, self._forms["accesses"])
        self.completion = self._completion()
        self.trace = self._trace()

    def _bytes(self, key):
        """{address: bytes} of memory, None for bytes with any value."""
        part = self.part.part(key, None) if key in self.part else None
        found = {}
        for address in part.value if part is not None else ():
            pattern = pattern_of(part.value[address])
            if number_of(address) is None or pattern is None or (key == "initial" and None in pattern):
                raise part.wrong(address, "bytes in hex at an address")
            found[number_of(address)] = pattern
        return found

    @property
    def has_values(self):
        """Whether blocks are to have bytes."""
        return bool(self.initial or self.memory or
                    any(access.data is not None or access.reads is not None or access.atomics
                        for access in self.accesses))  # fmt: skip

    def _access(self, value):
        if isinstance(value, dict):
            return self._named(Part(value, f"{self.part.where}: an access").only(*_ACCESS))
        if isinstance(value, list) and value and value[0] in self._wholes and len(value) < 3:
            return self._whole(value[0], value[1] if len(value) > 1 else None)
        if self._orders and isinstance(value, list) and value[:1] == ["release"] and len(value) == 2:
            return self._ordering("release", value[1], None)
        if not isinstance(value, list) or len(value) != 3 or not all(map(is_text, value[:2])):
            return None
        module, word, address = value
        if module not in self.tree.names or word not in _KINDS or not is_number(address):
            return None
        return Access(module, _KINDS[word], number_of(address), word)

    _wholes = _WHOLE  # kinds with a place among the accesses
    def _whole_named(self, part, word):
        part.only("kind", "module")
        return self._whole(word, part.text("module", None))

    def _whole(self, word, module):
        return Access(module, word, None, word) if module is None or module in self.tree.names else None

    def _named(self, part):
        """An access in object form."""
        word = part.text("kind")
        if self._orders and (word == "release" or (word == "acquire" and "scope" in part)):
            return self._ordering_named(part, word)
        if word in self._wholes:
            return self._whole_named(part, word)
        if word not in _KINDS:
            raise part.wrong("kind", f"one of {', '.join(_KINDS)}{''.join(f', {word}' for word in self._wholes)}")
        if part.text("module") not in self.tree.names:
            raise part.wrong("module", "a module of the tree")
        data, reads = (pattern_of(part.text(key)) if key in part else None for key in ("bytes", "reads"))
        for key, pattern in ("bytes", data), ("reads", reads):
            if key in part and (pattern is None or (key == "bytes" and None in pattern)):
                raise part.wrong(key, "bytes in hex")
        atomics, finds = self._atomics(part)
        size = part.number("size", max((one.offset + one.width for one in atomics), default=len(data or reads or b"0")))
        releases, acquires = self._order(part)
        try:
            flags = bits_of(AccessBits, part.text("flags", ""), "flags")
        except GpucacheError as error:
            raise ScenarioError(f"{part.where}: key 'flags': {error}") from None
        return Access(
            part.text("module"), _KINDS[word], part.number("address"), word, part.number("cycle", None), size,
            data and bytes(data), part.number("mask", None), flags, reads, atomics, finds, releases, acquires,
            part.text("event", None),
        )  # fmt: skip

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
        """Expected part of the trace for each access."""
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
        return f"access {at} of {len(self.accesses)} ({text_of_access(self.accesses[at])})"

    def run(self, context, protocol=None):
        """An Outcome, with differences only under the file's protocol."""
        protocol = protocol or self.protocol
        self.document.register(context)
        with self.tree.make(context, protocol, self.has_values) as tree:
            for address, data in self.initial.items():
                tree.write_memory(address, bytes(data))
            outcome = self._outcome(self, protocol, tree)
            try:
                outcome.run()
            except GpucacheError as error:
                raise ScenarioError(f"{self.part.where}: {outcome.place}: {error}") from None
        return outcome


def text_of_access(access):
    parts = [access.module or "all", getattr(access, "event", None) or access.word]
    if access.address is not None:
        parts.append(f"{access.address:#x}")
    if access.data is not None:
        parts.append(f"= {access.data.hex()}")
    parts += [f"{one.op.name.lower()} {one.operand}" for one in access.atomics]
    if access.address is not None:
        around = ("after release of", access.releases), ("before acquire of", access.acquires)
        parts += [f"{word} {'+'.join(way)}" for word, way in around if way]
    return " ".join(parts)


def _triple(value):
    """[issue, finish, joined] of an access."""
    if not isinstance(value, list) or len(value) != 3 or not all(map(is_number, value[:2])):
        return None
    return [*map(number_of, value[:2]), value[2]] if isinstance(value[2], bool) else None


class TimedScenario(Scenario):
    """Overlapping accesses. Random back-offs are those of the reference's first seed, and of a context's seed 1."""

    key = "timed"
    _forms = {
        "accesses": f"[cycle, module, {'|'.join(_KINDS)}, address] or [cycle, module, acquire], by cycle",
        "completion": "[issue, finish, joined]",
    }  # fmt: skip
    _pair = staticmethod(_triple)
    _outcome = TimedOutcome

    _wholes = ("acquire",)

    def _whole_named(self, part, word):
        part.only("kind", "module", "cycle")
        return self._acquire(part.text("module"), part.number("cycle"))

    def _acquire(self, module, cycle):
        """A whole module's, of no address."""
        if module not in self.tree.names or cycle is None:
            return None
        return Access(module, CoherenceKind.ACQUIRE, 0, "acquire", cycle)

    def __init__(self, document, part):
        self._last = 0
        super().__init__(document, part)
        self.retries = part.number("retries_seed1", None)

    def _access(self, value):
        if isinstance(value, list) and value[2:] in (["acquire"], ["release"]):
            value = {"cycle": value[0], "module": value[1], "kind": value[2]}
        if isinstance(value, dict):
            access = super()._access(value)
            cycle = access and access.cycle
        else:
            cycle = number_of(value[0]) if isinstance(value, list) and len(value) == 4 else None
            access = super()._access(value[1:]) if cycle is not None else None
        if access is None or cycle is None or cycle < self._last:
            return None
        self._last = cycle
        return access._replace(cycle=cycle)

    def _trace(self):
        """(cycle, entry) of each transition, for all accesses together."""
        if self.part.value.get("trace") is None:
            return None
        trace = self.part.each("trace", self._entry, "[cycle, module, set, way, tag, state, tag, state, origin]")
        return [(trace_cycle(value), entry) for value, entry in zip(self.part.value["trace"], trace)]

    def text_of(self, at):
        return f"{super().text_of(at)[:-1]} at cycle {self.accesses[at].cycle})"


class OrderedScenario(Scenario):
    """Overlapping accesses with a chosen order of messages, in a tree without time."""

    key = "ordered"
    _outcome = OrderedOutcome
    _orders = False

    def _read(self):
        self.completion = self.trace = None
        self.steps = self.part.each("steps", self._step, '["issue", ACCESS], ["message", kind, from, to, address], '
                                    '["retry", module, address] or ["step", module, address]')  # fmt: skip
        self.accesses = [step.access for step in self.steps if step.access is not None]
        self.entries = self.part.number("entries", 0)
        self.channels = self.part.number("channels", 3)
        self.ends = self.part.flag("ends", False)
        if self.channels not in (1, 3):
            raise self.part.wrong("channels", "1 or 3")

    def _step(self, value):
        if not isinstance(value, list) or not value:
            return None
        word, *rest = value
        if word == "issue" and len(rest) == 1:
            access = self._access(rest[0])
            return access and Step(word, access)
        if word in _WHOLE and len(rest) < 2:
            access = self._whole(word, rest[0] if rest else None)
            return access and Step(word, access)
        if word == "message" and len(rest) == 4 and rest[0] in _MESSAGES:
            kind, source, target, address = rest
            good = source in self.tree.names and target in self.tree.names and is_number(address)
            return Step(word, None, ChoiceKind.MESSAGE, _MESSAGES[kind], source, target, number_of(address)) \
                if good else None  # fmt: skip
        if word in ("retry", "step") and len(rest) == 2 and rest[0] in self.tree.names and is_number(rest[1]):
            return Step(word, None, _CHOICES[word], None, rest[0], rest[0], number_of(rest[1]))
        return None

    def text_of(self, at):
        return f"step {at} of {len(self.steps)} ({text_of_step(self.steps[at])})"


def text_of_step(step):
    if step.access is not None:
        return text_of_access(step.access)
    if step.message is None:
        return f"{step.source} {'begins again' if step.word == 'retry' else 'goes on'}, {step.address:#x}"
    return f"{step.message.name.lower().replace('_', ' ')} {step.source} to {step.target}, {step.address:#x}"


_KEYS = (
    ("sequential", _SEQUENTIAL, Scenario), ("timed", _TIMED, TimedScenario), ("ordered", _ORDERED, OrderedScenario),
)  # fmt: skip
