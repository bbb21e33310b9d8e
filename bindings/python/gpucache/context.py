# SPDX-License-Identifier: BSD-2-Clause
"""The context: owner of registries, seed and log."""

import ctypes
import os
import weakref
from typing import Any, Callable, List, NamedTuple, Optional, Tuple, Union

from . import _generated as g
from ._constants import LogLevel, PolicyKind, ReadsBits, Simd
from ._loader import lib
from ._native import Handle, call, choice, decoded, drop, held, hold, invoke, settle, strict, text


class PolicyInfo(NamedTuple):
    """Description of a policy; `parameters` are Parameters, `texts` TextParameters."""

    kind: PolicyKind
    name: str
    summary: str
    source: str
    parameters: Tuple[Any, ...]
    texts: Tuple[Any, ...]
    builtin: bool


def _described(kind, info):
    from . import policy as policies

    parameters = tuple(
        policies.Parameter(
            decoded(each.name), each.initial, each.minimum, each.maximum, each.whole, decoded(each.meaning)
        )
        for each in info.parameters[:info.parameter_count]
    )
    texts = tuple(
        policies.TextParameter(
            decoded(each.name), decoded(each.initial), tuple(filter(None, decoded(each.choices).split("|"))),
            decoded(each.meaning),
        )
        for each in info.texts[:info.text_count]
    )
    return PolicyInfo(
        kind, decoded(info.name), decoded(info.summary), decoded(info.source), parameters, texts, info.builtin
    )


@strict(g.gpc_log_fn)
def _log(token, level, message):
    context = held(token)
    context = context() if context is not None else None
    if context is not None:
        context.log(LogLevel(level), decoded(message))


class Context(Handle):
    """Origin of all other objects. A single thread at a time may use a Context and its objects.

    seed    origin of every random choice
    simd    widest vector instructions to use: a Simd or a name, for comparisons
    log     called with (LogLevel, message) for messages other than errors
    """

    def __init__(
        self, *, seed: int = 1, simd: Union[Simd, str, int] = Simd.AUTO,
        log: Optional[Callable[[LogLevel, str], Any]] = None,
    ) -> None:
        self.log = log
        self._has_python = False  # policies: accesses call back
        options = g.gpc_context_options(seed=seed, simd=choice(Simd, simd, "simd"))
        if log is not None:
            options.log = _log
            options.log_data = hold(weakref.ref(self))
            # Objects that outlive close() can still log.
            weakref.finalize(self, drop, options.log_data)
        self._create(lib.gpc_context_destroy, lib.gpc_context_create_0_3, ctypes.byref(options))

    def register(self, policy: Any) -> Any:
        """Register under its `name` a subclass of ReplacementPolicy, Predictor, SchedulerPolicy or Throttle; or a
        Protocol.

        Returns it: usable as a decorator.
        """
        from . import policy as policies
        from .protocol import Protocol

        if isinstance(policy, Protocol):
            policy.register(self)
            return policy
        pointer = self._live()
        table, token = policies.table_of(policy)
        name = policies.registrar_of(policy)
        call(getattr(lib, name), pointer, ctypes.byref(table), token, policies.forget)
        self._has_python = True
        return policy

    def load(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Register the policies of a file: subclasses in a Python file, or the registrations of a shared library's
        gpucache_register(). LoadError names the file.
        """
        from .loading import load

        load(self, path)

    def policies(self, kind: Union[PolicyKind, str, int]) -> List[PolicyInfo]:
        """PolicyInfo of every policy of a PolicyKind, built-in ones first."""
        kind = choice(PolicyKind, kind, "kind")
        found = []
        for index in range(lib.gpc_policy_count(self._live(), kind)):
            info = g.gpc_policy_info()
            call(lib.gpc_policy_at, self._live(), kind, index, ctypes.byref(info))
            found.append(_described(kind, info))
        return found

    def protocol(self, name: str) -> Any:
        """A coherence Protocol; its tables can be read, changed, and registered under another name."""
        from . import protocol as protocols

        return protocols.find(self, name)

    def policy_cost(
        self, kind: Union[PolicyKind, str, int], spec: str, *, sets: int, ways: int, line_bytes: int = 128,
        sectors: int = 1, caches: int = 1,
    ) -> int:
        """Hardware cost in bits of `name` or `name(parameter=value)` on a cache of this geometry; 0 if not stated.

        caches  caches of the level: shared storage counts once
        """
        kind, spec = choice(PolicyKind, kind, "kind"), text(spec, "policy")
        bits = ctypes.c_uint64()
        error = g.gpc_error()
        status = invoke(
            lib.gpc_policy_level_cost, self._live(), kind, spec, caches, sets, ways, line_bytes, sectors,
            ctypes.byref(bits), ctypes.byref(error),
        )  # fmt: skip
        settle(status, error)
        return bits.value

    def policy_reads(self, kind: Union[PolicyKind, str, int], spec: str) -> ReadsBits:
        """ReadsBits: inputs of a replacement policy or predictor with these parameters; 0 if not stated."""
        kind, spec = choice(PolicyKind, kind, "kind"), text(spec, "policy")
        reads = ctypes.c_uint64()
        error = g.gpc_error()
        status = invoke(
            lib.gpc_policy_reads, self._live(), kind, spec, ctypes.byref(reads), ctypes.byref(error)
        )  # fmt: skip
        settle(status, error)
        return ReadsBits(reads.value)

    def scheduler_cost(self, spec: str, warps: int) -> int:
        """Hardware cost in bits of a scheduler of `warps` warps, with throttles: `name + name(parameter=value)`; 0 if
        not stated."""
        bits = ctypes.c_uint64()
        error = g.gpc_error()
        status = invoke(
            lib.gpc_scheduler_cost, self._live(), text(spec, "scheduler"), warps, ctypes.byref(bits),
            ctypes.byref(error),
        )  # fmt: skip
        settle(status, error)
        return bits.value


def version() -> str:
    """Version of the loaded library, as text."""
    return decoded(lib.gpc_version_string())
