# SPDX-License-Identifier: BSD-2-Clause
"""The whole memory system: coalescer, an L1 per SM, networks, L2 slices, DRAM. timed.py has the methods with a clock.
"""

from __future__ import annotations

import ctypes
import os
import weakref
from collections import namedtuple
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import _buffers
from . import _generated as g
from ._base import filled
from ._constants import GPC_NOWHERE, GPC_OBJECT_NAME, CounterTable, Object, Priority, Status, Token
from ._loader import lib
from ._native import (
    Handle,
    call,
    choice,
    decoded,
    drop,
    file_stream,
    hold,
    invoke,
    load_options,
    loose,
    settle,
    state,
)
from .cache import BorrowedCache, WarpEvent
from .config import Config, Path
from .context import Context
from .errors import ArgumentError, GpucacheError, StateError
from .stages import StageRow, rows_of
from .stats import PolicyValue, Stats, read_all, read_object, read_policies
from .timed import TimedView, fence_of, process_address, process_of, warp_access

# Arrays of access_many(), by element size.
_BATCH_CODES = {
    **dict.fromkeys(("masks", "pcs"), "Q"), **dict.fromkeys(("sms", "warps", "warp_ages", "blocks", "widths"), "I"),
    **dict.fromkeys(("kinds", "spaces", "hints", "scopes", "orders", "processes"), "B"),
}  # fmt: skip


def _records(told):
    try:
        import numpy
    except ImportError:
        return told
    return numpy.frombuffer(told, dtype=numpy.dtype(WarpResult))


Launch = g.gpc_launch
WarpResult = g.gpc_warp_result
Shape = g.gpc_shape

# Place of an address; None for a missing level.
Location = namedtuple("Location", "line slice_address row partition slice near_slice set channel bank column")


def launch_of(launch, fields):
    """A Launch from a launch, from fields, or None for neither."""
    if launch is None and fields:
        launch = Launch(**fields)
    return None if launch is None else ctypes.byref(launch)


@loose(g.gpc_event_fn, False)
def _on_event(owner, pointer):
    from .events import event_of

    return owner._on_event(event_of(pointer.contents)) is not False


class HierarchyView(TimedView, Handle):
    """Methods of a hierarchy, own or lent by a replay."""

    def set_trace(self, on_event: Optional[Callable[[Any], Any]] = None, **filters: Any) -> None:
        """Call `on_event` with each Event from now on; None ends the trace. See gpucache/ext/observe.h.

        whats, components, kinds  filter: a What, Component or Kind, a name, or several
        sm, address, pc, cycle    filter: a number, or (first, last); events without the field do not pass
        `on_event` may read `now`, and call nothing else of the hierarchy. If `on_event` returns False or raises, the
        trace ends. The call that moved time, or access(), then raises CancelledError or the exception.
        """
        pointer = self._live()
        owner = self._owner or self
        before, owner._on_event = owner._on_event, on_event
        from .events import options_of

        options = options_of(**filters)
        options.user_data = owner._token
        if on_event is not None:
            options.on_event = _on_event
        try:
            call(lib.gpc_hierarchy_set_trace, pointer, ctypes.byref(options))
        except BaseException:
            owner._on_event = before
            raise

    def begin_kernel(self, launch: Optional[g.gpc_launch] = None, **fields: Any) -> None:
        """A kernel begins: `launch`, or fields of Launch (threads, registers, shared_bytes, code_bytes)."""
        call(lib.gpc_hierarchy_begin_kernel, self._live(), launch_of(launch, fields))

    def occupancy(self, launch: Optional[g.gpc_launch] = None, **fields: Any) -> int:
        """Thread blocks of a launch that fit an SM together."""
        launch = Launch(**fields) if launch is None else launch
        return lib.gpc_hierarchy_occupancy(self._live(), ctypes.byref(launch))

    @property
    def is_idle(self) -> bool:
        """True if nothing is in flight; begin_kernel() and flush() are then allowed."""
        return lib.gpc_hierarchy_is_idle(self._live())

    def locate(self, address: int, sm: int = 0, *, process: int = 0) -> Location:
        """Place of a process's address, as an SM reaches it: a Location. Numbers of missing levels are None.

        `line` is the address of the hierarchy's memory, process_address(process, ...), as lent caches have it.
        """
        raw = g.gpc_location()
        call(lib.gpc_hierarchy_locate, self._live(), sm, process_address(process, address), ctypes.byref(raw))
        found = Location(*(getattr(raw, name) for name in Location._fields))
        nowhere = {name: None for name in ("set", "channel", "bank") if getattr(raw, name) == GPC_NOWHERE}
        return found._replace(**nowhere)

    def shape(self) -> g.gpc_shape:
        """Present shape of the hierarchy, with the present kernel's share of L1: a Shape."""
        shape = Shape()
        call(lib.gpc_hierarchy_get_shape, self._live(), ctypes.byref(shape))
        return shape

    def preload(self, level: int, address: int, bytes: int, sm: int = 0, *, process: int = 0) -> None:
        """Have a range's lines, of a process's memory, in L1 of an SM, 1, or in L2, 2: clean, in no time, and counted
        nowhere."""
        call(lib.gpc_hierarchy_preload, self._live(), level, sm, process_address(process, address), bytes)

    def set_window(self, begin: int = 0, bytes: int = 0, *, hit_ratio: int = 100,
                   hit: Union[int, str] = Priority.LAST, miss: Union[int, str] = Priority.NORMAL,
                   process: int = 0) -> None:  # fmt: skip
        """Make lines of an address range persist in L2, within `l2.persisting`. With 0 bytes no line persists.

        hit_ratio  % of the window's lines with priority `hit`, LAST or FIRST; other lines have `miss`
        process    of the addresses
        """
        window = g.gpc_access_window(begin=begin, bytes=bytes, hit_ratio=hit_ratio, process=process_of(process),
                                     hit=choice(Priority, hit, "hit"), miss=choice(Priority, miss, "miss"))  # fmt: skip
        call(lib.gpc_hierarchy_set_window, self._live(), ctypes.byref(window))

    def reset_persisting(self) -> None:
        """Make persisting lines of L2 normal lines."""
        call(lib.gpc_hierarchy_reset_persisting, self._live())

    def access(self, addresses: Any, *, token: Union[int, str] = Token.UNUSED, **fields: Any) -> g.gpc_warp_result:
        """One warp instruction of a functional hierarchy: an address per active lane, ascending.

        fields  mask (None = as many lanes as there are addresses, from 0 on), sm, warp, warp_age, block, pc,
                width (4), kind, space, hint, priority, scope, order, stream (below the key `streams`), process (of the
                addresses, 0 to 127); local_offsets (True: in space local, addresses are each thread's own offsets,
                which are mapped as addresses of LDL and STL: local_address()); with coherence.data, `data`, the bytes
                of a store and `out`, a writable buffer for a load's bytes: `width` bytes a lane; for an atomic also
                `atomic`, an AtomicOp with operands `data`, and `compare`; `out` receives the old values
        token   the warp's Token for L1; token_l2 is the Token for L2
        Returns a WarpResult.
        """
        access = warp_access(addresses, token, **fields)
        result = WarpResult()
        arguments = self._live(), ctypes.byref(access), ctypes.byref(result), ctypes.byref(state.error)
        if self._context._has_python or (self._owner or self)._on_event:
            status = invoke(lib.gpc_hierarchy_access, *arguments)
        else:
            status = lib.gpc_hierarchy_access(*arguments)
        if status or state.unsettled is not None:
            settle(status, state.error)
        return result

    def local_address(self, sm: int, warp: int, lane: int, offset: int) -> int:
        """Address of a byte of local memory: `offset` of a lane, in slot `warp` of the SM."""
        address = lib.gpc_hierarchy_local_address(self._live(), sm, warp, lane, offset)
        if not address:
            raise ValueError(f"no thread has SM {sm}, warp {warp}, lane {lane}")
        return address

    def access_many(self, addresses: Any, *, lanes: int = 32, masks: Any = None, width: int = 4,
                    results: Optional[bool] = None, **fields: Any) -> Any:  # fmt: skip
        """Warp instructions of a functional hierarchy, in order, as by access(), many times faster.

        addresses  8 bytes each: NumPy [count][lanes], or any array of Cache.access_many() with `lanes` a row
        masks      active lanes of an instruction, a bit a lane; None = all
        width      bytes a lane, for all instructions
        fields     arrays, an entry an instruction: pcs and masks of 8 bytes, sms, warps, warp_ages, blocks and widths
                   of 4, kinds, spaces, hints, scopes, orders and processes of 1
        results    True: returns a WarpResult for each instruction, as a NumPy array of records if NumPy is installed
                   (found["l1_sector_hits"].sum()), otherwise a ctypes array. None: returns the number of completed
                   instructions
        The library runs without the GIL. An exception has the attribute `done`: number of instructions completed
        before.
        """
        batch = _buffers.batch(g.gpc_access_batch, addresses, lanes, width, _BATCH_CODES, {"masks": masks, **fields})
        told = (WarpResult * batch.count)() if results else None
        if told is not None:
            batch.results = told
        done = ctypes.c_size_t()
        try:
            call(lib.gpc_hierarchy_access_many, self._live(), ctypes.byref(batch), ctypes.byref(done))
        except BaseException as error:
            error.done = done.value
            if isinstance(error, GpucacheError):
                error.args = (f"access {done.value} of the batch: {error}",)
            raise
        return done.value if told is None else _records(told)

    def fence(self, order: Union[int, str] = "sc", scope: Union[int, str] = "gpu", **fields: Any) -> None:
        """A fence of a functional hierarchy, with its effect on L1 only.

        order, scope  an Order and a Scope; "weak" and "cta" if only `control` is wanted
        fields        control (a Control: "none", "invalidate_all" or "write_back_all"), sm, warp
        """
        call(lib.gpc_hierarchy_fence, self._live(), ctypes.byref(fence_of(order, scope, **fields)))

    def count_instructions(self, warp_instructions: int = 0, thread_instructions: int = 0, blocks: int = 0) -> None:
        """Count instructions without memory accesses."""
        lib.gpc_hierarchy_count_instructions(self._live(), warp_instructions, thread_instructions, blocks)

    def warp_event(self, kind: Union[int, str], **fields: Any) -> None:
        """Pass a WarpEventKind, with fields of WarpEvent, to the policies of the SM's L1."""
        event = filled(WarpEvent, kind=kind, **fields)
        call(lib.gpc_hierarchy_warp_event, self._live(), ctypes.byref(event))

    def rank_warps(self, on: bool = True) -> None:
        """Let the library rank warps by age, from starts and exits (warp_event()): 0 = the oldest.

        The library then ignores `warp_age` of accesses, and refuses accesses of a warp that does not run.
        """
        call(lib.gpc_hierarchy_rank_warps, self._live(), on)

    def flush(self) -> None:
        """Write dirty lines down and drop everything."""
        call(lib.gpc_hierarchy_flush, self._live())

    def policy_values(self) -> Dict[str, PolicyValue]:
        """Counters published by policies of the caches, summed over a level: {name: PolicyValue}."""
        return read_policies(lib.gpc_hierarchy_policy_value, self._live())

    def stats(self) -> Stats:
        """Stats since creation or the last reset."""
        return Stats(read_all(CounterTable.HIERARCHY, lib.gpc_hierarchy_read, self._live(), Object.WHOLE, 0))

    def object_names(self, kind: Union[int, str]) -> List[str]:
        """Names of the objects of a kind (an Object or a name such as "sm"), in order."""
        kind = choice(Object, kind, "kind")
        names = []
        buffer = ctypes.create_string_buffer(GPC_OBJECT_NAME)
        for index in range(lib.gpc_hierarchy_object_count(self._live(), kind)):
            call(lib.gpc_hierarchy_object_name, self._live(), kind, index, buffer, len(buffer))
            names.append(decoded(buffer.value))
        return names

    def objects(self, kind: Union[int, str]) -> Dict[str, Dict[str, Any]]:
        """{name: {counter: value}} of the objects of a kind since creation or the last reset.

        Missing and unmeasured counters are left out.
        """
        kind = choice(Object, kind, "kind")
        return {name: read_object(lib.gpc_hierarchy_read, self._live(), kind, index)
                for index, name in enumerate(self.object_names(kind))}  # fmt: skip

    def stages(self) -> List[StageRow]:
        """Cycles of accesses by stage since creation or the last reset, with stats.stages: a StageRow for each
        instruction, kind and level, most cycles first.
        """
        return rows_of(self._live())

    def reset_stats(self) -> None:
        lib.gpc_hierarchy_reset_stats(self._live())

    def cache(self, level: int, instance: int = 0) -> Optional[BorrowedCache]:
        """A lent cache: level 1, instance = SM; level 2, instance = slice. None if the cache does not exist."""
        pointer = lib.gpc_hierarchy_cache(self._live(), level, instance)
        return BorrowedCache(self, pointer) if pointer else None

    @property
    def coherence(self) -> Any:
        """The lent tree of caches with `coherence = PROTOCOL`: states, matrices and statistics. Otherwise None.

        Modules are "l1-0" ... (one an SM), "cluster-0" ..., "l2-0" ... and "memory-0" ... (one a slice).
        """
        if not lib.gpc_hierarchy_coherence(self._live()):
            return None
        from .coherence_view import BorrowedCoherence

        return BorrowedCoherence(self)


class Recording:
    """A recording of Hierarchy.record(); ends with end() or the `with` block."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self._hierarchy = hierarchy

    @property
    def running(self) -> bool:
        """False after end(), or after a failure, which end() reports."""
        return self._hierarchy is not None and lib.gpc_hierarchy_is_recording(self._hierarchy._live())

    def end(self) -> None:
        """End the recording: the file gets its final name. Raises an earlier failure."""
        hierarchy, self._hierarchy = self._hierarchy, None
        if hierarchy is not None:
            call(lib.gpc_hierarchy_record_end, hierarchy._live())

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        try:
            self.end()
        except GpucacheError:
            if error is None:  # the first failure is reported
                raise


class Hierarchy(HierarchyView):
    """A hierarchy made from a copy of a Config.

    callbacks  of a timed hierarchy: on_complete and further callbacks of set_callbacks()
    """

    def __init__(self, context: Context, config: Config, **callbacks: Any) -> None:
        self._make(context, lib.gpc_hierarchy_create, context._live(), config._live())
        if callbacks:
            self.set_callbacks(**callbacks)

    def _make(self, context, function, *arguments):
        self._context = context
        self._create(lib.gpc_hierarchy_destroy, function, *arguments, keep=(context,))
        self._sms = lib.gpc_hierarchy_object_count(self._pointer, Object.SM)
        self._token = hold(weakref.ref(self))
        weakref.finalize(self, drop, self._token).atexit = False
        return self

    @classmethod
    def load(cls, context: Context, path: Path, threads: Optional[Union[int, str]] = None) -> Hierarchy:
        """A hierarchy that continues from a file of save(), with other `threads` if given. Callbacks must be set again.
        """
        arguments = context._live(), file_stream(path), load_options(threads)
        return cls.__new__(cls)._make(context, lib.gpc_hierarchy_load, *arguments)

    def save(self, path: Path) -> None:
        """Save contents, accesses in flight and counters to a file: see gpc_hierarchy_save."""
        call(lib.gpc_hierarchy_save, self._live(), file_stream(path))

    def record(self, path: Path) -> Recording:
        """Record further calls as a trace, a .gct file: returns a Recording for a `with` statement.

        A replay of the file with `warps.order = recorded` repeats the calls. gpucache/ext/observe.h lists the contents.
        """
        call(lib.gpc_hierarchy_record, self._live(), os.fsencode(path))
        return Recording(self)

    def copy(self) -> Hierarchy:
        """An independent copy of the present state. Callbacks must be set again."""
        return type(self).__new__(type(self))._make(self._context, lib.gpc_hierarchy_copy, self._live())

    @property
    def config(self) -> Config:
        """A Config with the hierarchy's settings; after load(), the settings in the file."""
        return Config._of(self._context, lib.gpc_hierarchy_get_config, self._live())

    @property
    def wants_samples(self) -> bool:
        """True if a policy has on_sample."""
        return lib.gpc_hierarchy_wants_samples(self._live())

    def sample(self, samples: Sequence[Tuple[int, int]]) -> None:
        """End a period: pass (active cycles, warp instructions) of each SM to the policies of the SM's L1.

        For hosts with their own cores, once for each decision of the policies. A replay calls by itself.
        """
        if len(samples) != self._sms:
            raise ArgumentError(Status.ERROR_ARGUMENT, f"{len(samples)} samples for {self._sms} SMs")
        raw = (g.gpc_sample * self._sms)(
            *(g.gpc_sample(active_cycles=cycles, instructions=issued) for cycles, issued in samples)
        )
        call(lib.gpc_hierarchy_sample, self._live(), raw)


class BorrowedHierarchy(HierarchyView):
    """The hierarchy of a replay; valid as long as the replay."""

    def __init__(self, owner, pointer):
        self._owner = owner
        self._context = owner._context
        self._address = pointer

    def _live(self, inside=False):
        self._owner._live(inside)
        return self._address

    @property
    def closed(self) -> bool:
        return self._owner.closed

    def close(self) -> None:
        raise StateError(Status.ERROR_STATE, "a replay's hierarchy is closed with the replay")

    def __exit__(self, *_):
        """Keep the lent object."""
