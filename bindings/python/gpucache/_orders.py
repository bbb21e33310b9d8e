# SPDX-License-Identifier: BSD-2-Clause
"""Orders of scenarios' accesses: releases and acquires with scopes, and atomics."""

from collections import namedtuple

from ._coherence import Atomic
from ._constants import AccessBits, AtomicOp, CoherenceKind
from ._document import Part

# `word`: the file's word for the kind. `cycle`: None for accesses in sequence. `data` and `mask` of a store. `reads`:
# an expected byte, or None for any, for each read byte; None: no expectation.
Access = namedtuple(
    "Access", "module kind address word cycle size data mask flags reads atomics finds releases acquires event",
    defaults=(None, None, None, None, AccessBits(0), None, (), (), (), (), None),
)  # fmt: skip
_ATOMIC = "op", "operand", "compare", "width", "offset", "finds"
_ORDERS = "weak", "relaxed", "acquire", "release", "acq_rel"


def way_of(modules, module, scope):
    """Caches from a module towards memory, up to the end of a scope; or a text with the mistake."""
    low = {each.name: each.low for each in modules}
    users = {name: 0 for name in low}  # processors with a path through the cache
    firsts = [name for name in low if not any(name in each for each in low.values())]
    for first in firsts:
        seen = [first]
        for name in seen:
            users[name] += 1
            seen += [each for each in low[name] if each not in seen]
    memories = {each.name for each in modules if each.memory}
    shared = {name for name in low if users[name] == len(firsts) and name not in firsts} | memories
    below = [module]
    for name in below:
        below += [each for each in low[name] if each not in below]
    if scope == "cta":
        return []
    if scope == "cluster":
        ends = {name for name in below if 1 < users[name] < len(firsts)}
        if not ends:
            return "of this tree: several processors, but not all, share no cache below the module"
    elif scope in ("gpu", "sys"):
        ends = shared
    elif scope in below and scope != module:
        ends = {scope}
    else:
        return f"cta, cluster, gpu, sys or a module below {module}"
    found = [module] if module not in ends else []
    for name in found:
        found += [each for each in low[name] if each not in ends | memories and each not in found]
    return found


class Orders:
    """Reader of orders in a Scenario."""

    _orders = True  # True if releases, and orders of accesses, are allowed

    def _ordering(self, word, module, scope):
        """A release or acquire alone: of a module; with a scope, of all caches on the way."""
        if module not in self.tree.names:
            return None
        kind = CoherenceKind.RELEASE if word == "release" else CoherenceKind.ACQUIRE
        if scope is None:
            return Access(module, kind, 0, word)
        way = tuple(scope)
        return Access(module, None, None, word, **{f"{word}s": way})

    def _scope(self, part, module):
        """The caches of a release or an acquire."""
        way = way_of(self.tree.modules, module, part.text("scope", "gpu"))
        if isinstance(way, str):
            raise part.wrong("scope", way)
        return way

    def _atomics(self, part):
        """([Atomic], [expected old value, or None])."""
        made, finds = [], []
        for at, value in enumerate(part.list("atomics", [])):
            one = Part(value, f"{part.where}: atomics[{at}]").only(*_ATOMIC)
            if one.text("op").upper() not in AtomicOp.__members__ or one.text("op") == "none":
                raise one.wrong("op", ", ".join(name.lower() for name in AtomicOp.__members__ if name != "NONE"))
            numbers = [one.number(key, 4 if key == "width" else 0) for key in _ATOMIC[1:5]]
            made.append(Atomic(AtomicOp[one.text("op").upper()], *numbers))
            finds.append(one.number("finds", None))
        if made and (part.text("kind") != "store" or {"bytes", "mask"} & part.value.keys()):
            raise part.wrong("atomics", "of a store without bytes and mask")
        return tuple(made), tuple(finds)

    def _order(self, part):
        """(releasing caches before the access, acquiring caches behind)."""
        order = part.text("order", "weak")
        if order not in _ORDERS:
            raise part.wrong("order", f"one of {', '.join(_ORDERS)}")
        if order in ("weak", "relaxed"):
            if "scope" in part:
                raise part.wrong("scope", "there: it goes with an order of acquire, release or acq_rel")
            return (), ()
        if (order, part.text("kind")) == ("release", "load") or (
                order == "acquire" and part.text("kind") != "load" and "atomics" not in part) or (
                order == "acq_rel" and "atomics" not in part):  # fmt: skip
            raise part.wrong("order", "what a load (acquire), a store (release) or atomics can have")
        if not self._orders:
            raise part.wrong("order", "there: messages of ordered scenarios go one by one, as do acquires")
        way = self._scope(part, part.text("module"))
        return tuple(way) if order != "acquire" else (), tuple(reversed(way)) if order != "release" else ()

    def _ordering_named(self, part, word):
        """A release or an acquire in object form."""
        part.only("kind", "module", "scope", *(("cycle",) if self.key == "timed" else ()))
        module = part.text("module")
        if module not in self.tree.names:
            raise part.wrong("module", "a module of the tree")
        way = self._scope(part, module) if "scope" in part else None
        made = self._ordering(word, module, way if way is None or word == "release" else reversed(way))
        return made._replace(cycle=part.number("cycle", None))
