# SPDX-License-Identifier: BSD-2-Clause
"""Kernels at once: replays of several streams."""

from __future__ import annotations

import ctypes
import weakref
from collections import namedtuple
from typing import Any, Callable, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from . import _generated as g
from ._constants import GPC_PROCESS_OWN, CounterTable, Object
from ._loader import lib
from ._native import drop, hold, invoke, loose, settle
from .stats import Stats, lent, read_all
from .timed import process_of
from .trace import Kernel, Trace


class Stream(NamedTuple):
    """A stream of a replay. Its kernels run in turn, beside kernels of other streams.

    trace        source of kernels; each stream has a separate Trace
    sms          numbers of the kernels' SMs; None: all
    priority     a lower number is more urgent, as in CUDA
    stream       only kernels of this CUDA stream of the trace; None: all
    null_stream  CUDA's legacy default stream: all kernels of the process run in the trace's order
    process      process of the addresses, 0 to 127: Streams with equal numbers share memory. None: a process for the
                 Stream alone; Streams with `stream` and traces opened by the same name are one program
    """

    trace: Trace
    sms: Optional[Sequence[int]] = None
    priority: int = 0
    stream: Optional[int] = None
    null_stream: bool = False
    process: Optional[int] = None


# A finished kernel: its stream, Kernel, Stats (counters by stream, blocks, instructions and cycles); the times when the
# kernel was queued, its first and last block were placed, and it ended, in core cycles or rounds; the process of its
# stream.
StreamResult = namedtuple("StreamResult", "stream kernel stats launched started dispatched ended process")


class _Collector:
    """Receiver of kernels during a replay."""

    def __init__(self, streams, on_result):
        self.streams = streams
        self.on_result = on_result
        self.results = []

    _busy = 0


@loose(g.gpc_kernel_result_fn)
def _on_kernel(collector, pointer):
    raw = pointer.contents
    kernel = Kernel(collector.streams[raw.stream].trace, raw.kernel.contents)
    result = StreamResult(raw.stream, kernel, lent(raw.stats), raw.launched, raw.started,
                          raw.dispatched, raw.ended, raw.process)  # fmt: skip
    if collector.on_result is None:
        collector.results.append(result)
    else:
        collector.on_result(result)


def _raw(stream):
    """The library's structure, with its arrays."""
    sms = None if stream.sms is None else (ctypes.c_uint32 * len(stream.sms))(*stream.sms)
    return g.gpc_replay_stream(
        trace=stream.trace._live(), sms=sms, sm_count=0 if sms is None else len(sms), priority=stream.priority,
        select=stream.stream is not None, null_stream=stream.null_stream, id=stream.stream or 0,
        process=GPC_PROCESS_OWN if stream.process is None else process_of(stream.process),
    )  # fmt: skip


def run_streams(replay: Any, streams: Iterable[Stream],
                on_result: Optional[Callable[[StreamResult], Any]] = None) -> Tuple[List[StreamResult], Stats]:  # fmt: skip
    """Replay.streams()."""
    streams = list(streams)
    kept = [_raw(stream) for stream in streams]  # with arrays of the SMs' numbers
    raws = (g.gpc_replay_stream * max(1, len(streams)))(*kept)
    collector = _Collector(streams, on_result)
    token = hold(weakref.ref(collector))
    error = g.gpc_error()
    for stream in streams:
        stream.trace._busy += 1
    try:
        status = invoke(
            lib.gpc_replay_streams, replay._live(), raws, len(streams), _on_kernel, token, ctypes.byref(error)
        )
    finally:
        for stream in streams:
            stream.trace._busy -= 1
        drop(token)
    settle(status, error)
    whole = read_all(CounterTable.HIERARCHY, lib.gpc_replay_read, replay._live(), Object.WHOLE, 0)
    return collector.results, Stats(whole)
