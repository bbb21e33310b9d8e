# SPDX-License-Identifier: BSD-2-Clause
"""Verification: all states that small trees of caches reach under a coherence protocol.

    found = verify(context, "my-protocol", "2 over memory", in_flight=1)
    if found.verdict != VerifyVerdict.PASSED:
        print(found.text)
        for step in found.steps:
            print(step.text)
"""

import ctypes
from typing import NamedTuple, Optional

from . import _generated as g
from ._constants import (
    GPC_NO_MODULE,
    AccessBits,
    ChoiceKind,
    CoherenceKind,
    MessageKind,
    Status,
    VerifyBits,
    VerifyLimit,
    VerifyStepKind,
    VerifyVerdict,
)
from ._loader import lib
from ._native import call, decoded, drop, held, hold, invoke, settle, strict, text
from .coherence import Coherence
from .protocol import bits_of


class VerifyProgress(NamedTuple):
    """Progress of a search: `waiting` states are known, and their steps are still to be taken."""

    states: int
    edges: int
    waiting: int
    bytes: int
    depth: int


class System(NamedTuple):
    """A tree with its tried accesses; in_flight 0: an access at a time, done at once."""

    tree: str
    blocks: int = 1
    bytes: int = 1
    in_flight: int = 0

    def __str__(self):
        return f"{self.tree}, {self.blocks} x {self.bytes}"


class VerifyStep(NamedTuple):
    """A step of a counterexample; modules by number, None: all. Fields unused by a kind are None."""

    kind: VerifyStepKind
    text: str
    address: int
    module: Optional[int]
    access: Optional[CoherenceKind] = None
    flags: AccessBits = AccessBits(0)
    size: int = 0
    value: int = 0
    index: int = 0
    choice: Optional[ChoiceKind] = None
    message: Optional[MessageKind] = None
    source: Optional[int] = None
    target: Optional[int] = None


class WrongByte(NamedTuple):
    """A wrong byte, 0 or 1: of a module, or, with None, of memory after a flush."""

    address: int
    module: Optional[int]
    found: int


class Verification(NamedTuple):
    """Result of a verification. `limit` is the limit that ended the search early; `cut`: the first steps are missing.
    """

    system: System
    verdict: VerifyVerdict
    limit: VerifyLimit
    text: str
    states: int
    edges: int
    depth: int
    bytes: int
    symmetric: bool
    wrong: Optional[WrongByte]
    steps: list
    cut: bool


@strict(g.gpc_verify_options_on_progress, False)
def _on_progress(token, pointer):
    raw = pointer.contents
    report = VerifyProgress(raw.states, raw.edges, raw.waiting, raw.bytes, raw.depth)
    return held(token)(report) is not False


def trees():
    """Names of the trees."""
    found = []
    while (name := lib.gpc_verify_tree_name(len(found))) is not None:
        found.append(decoded(name))
    return found


def systems():
    """Systems worth an exploration, first those with an access at a time."""
    found, raw = [], g.gpc_verify_options()
    while call(lib.gpc_verify_system, len(found), ctypes.byref(raw)) != Status.END:
        found.append(System(decoded(raw.tree), raw.blocks, raw.bytes, raw.in_flight))
    return found


def _options(protocol, system, **fields):
    return g.gpc_verify_options(
        protocol=text(protocol, "protocol"), tree=text(system.tree, "tree"), blocks=system.blocks, bytes=system.bytes,
        in_flight=system.in_flight, **fields,
    )  # fmt: skip


def _module(index):
    return None if index == GPC_NO_MODULE else index


def _step(raw):
    kind = VerifyStepKind(raw.kind)
    found = VerifyStep(kind, decoded(raw.text), raw.address, _module(raw.module))
    if kind == VerifyStepKind.CHOICE:
        return found._replace(index=raw.index, choice=ChoiceKind(raw.choice), message=MessageKind(raw.message),
                              source=getattr(raw, "from"), target=raw.to)  # fmt: skip
    if kind in (VerifyStepKind.FLUSH, VerifyStepKind.ACQUIRE):
        return found
    return found._replace(access=CoherenceKind(raw.access), flags=AccessBits(raw.flags), size=raw.size, value=raw.value)


def _steps(pointer):
    found, raw = [], g.gpc_verify_step()
    while lib.gpc_verify_get_step(pointer, len(found), ctypes.byref(raw), None) == Status.OK:
        found.append(_step(raw))
    return found


def _found(pointer, system):
    raw = g.gpc_verify_report()
    call(lib.gpc_verify_get_report, pointer, ctypes.byref(raw))
    wrong = WrongByte(raw.address, _module(raw.module), raw.value) if raw.wrong else None
    return Verification(
        system, VerifyVerdict(raw.verdict), VerifyLimit(raw.limit), decoded(raw.text), raw.states, raw.edges,
        raw.depth, raw.bytes, raw.symmetric == 1, wrong, _steps(pointer), raw.cut == 1,
    )  # fmt: skip


def verify(context, protocol, system="2 over memory", *, kinds=0, entries=0, channels=3, states=0, memory=0, walks=0,
           latencies=False, symmetry=True, coherent=False, on_progress=None, interval=0):  # fmt: skip
    """Explore a registered protocol in a System, or a tree by its name: a Verification.

    kinds        VerifyBits, or their names: "loads|stores"; 0: all, with accesses in flight only kinds that make sense
    entries      capacity of a queue between two modules, in messages; 0: no bound
    channels     1: a single queue from a module to another; 3: a queue each for requests, probes and responses
    states       limit of states; memory: limit in bytes; 0: no bound
    walks        with accesses in flight: number of random walks instead of a search, by the context's seed
    latencies    other steps may happen during lookups and uses of data
    symmetry     states with exchanged caches count as one, if sound
    coherent     loads must read the last store, under protocols with N too
    on_progress  called with a VerifyProgress each `interval` states; False ends the search
    """
    system = System(system) if isinstance(system, str) else system
    token = hold(on_progress) if on_progress is not None else None
    options = _options(
        protocol, system, kinds=bits_of(VerifyBits, kinds, "kinds"), entries=entries, channels=channels, states=states,
        memory=memory, walks=walks, latencies=latencies, symmetry=symmetry, coherent=coherent, interval=interval,
        user_data=token,
        **({"on_progress": _on_progress} if token else {}),
    )  # fmt: skip
    error, out = g.gpc_error(), ctypes.c_void_p()
    try:
        status = invoke(
            lib.gpc_verify_run, context._live(), ctypes.byref(options), ctypes.byref(out), ctypes.byref(error)
        )
        settle(status, error, "gpc_verify_run")
        return _found(out, system)
    finally:
        lib.gpc_verify_destroy(out)
        drop(token)


class SystemTree(Coherence):
    """The tree of a System as explored, for reading and for runs of a counterexample."""

    def __init__(self, context, protocol, system, *, latencies=False):
        self._context = context
        self.clock = 0
        self.protocol = protocol
        self._with_data = True
        self._networks = ["net"]
        options = _options(protocol, system, latencies=latencies)
        self._create(lib.gpc_coherence_destroy, lib.gpc_verify_make_tree, context._live(), ctypes.byref(options),
                     keep=(context,))  # fmt: skip
        self._made()
        self._read_modules()
