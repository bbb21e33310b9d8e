# SPDX-License-Identifier: BSD-2-Clause
"""Replay: run a trace through a hierarchy."""

from __future__ import annotations

import ctypes
import weakref
from collections import namedtuple
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, Union

from . import _generated as g
from ._constants import CounterTable, Object, SamplingScope, Status
from ._loader import lib
from ._native import Handle, call, choice, drop, file_stream, hold, invoke, load_options, loose, settle
from .config import Config, Path
from .context import Context
from .hierarchy import BorrowedHierarchy
from .stats import PolicyValue, Stats, counter_id, counters, lent, read_all, read_object, read_policies
from .streams import Stream, StreamResult, run_streams
from .trace import Trace

# State of the present kernel; `trace_fraction` of the whole trace.
Progress = namedtuple("Progress", "warp_instructions blocks block_count trace_fraction")
# Statistics of the interval that ends at `cycle`.
Sample = namedtuple("Sample", "cycle stats")


# Share of the replay that ran with the clock: as gpc_sampling.
Sampling = namedtuple("Sampling", "mode group launches timed_launches windows timed_instructions warmed_instructions "
                      "skipped_blocks")  # fmt: skip
# A counter or ratio of a sampled replay, and where the truth is with a probability of 95 %.
Estimate = namedtuple("Estimate", "value low high estimated")


_NEVER = 2**64 - 1  # as the library's UINT64_MAX


class TimeSeries(list):
    """Samples of a kernel, every `interval` core cycles and at the end."""

    def __init__(self, interval: int, samples: Iterable[Sample] = ()) -> None:
        super().__init__(samples)
        self.interval = interval

    @property
    def cycles(self) -> List[int]:
        """Cycle at the end of each interval."""
        return [sample.cycle for sample in self]

    def column(self, name: str) -> List[Any]:
        """Values of a counter or ratio; None for a ratio without a denominator."""
        if name not in {counter.name for counter in counters()}:
            raise KeyError(f"no counter '{name}'")
        return [sample.stats.get(name) for sample in self]


class Result(namedtuple("Result", "kernel stats")):
    """A kernel and its Stats; `series` is a TimeSeries, or None if not requested."""

    series = None


@loose(g.gpc_progress_fn, False)
def forward_progress(owner, pointer):
    """The library's progress callback for an owner with `on_progress`."""
    if owner.on_progress is None:
        return True
    raw = pointer.contents
    report = Progress(raw.warp_instructions, raw.blocks, raw.block_count, raw.trace_fraction)
    return owner.on_progress(report) is not False


@loose(g.gpc_sample_fn)
def _on_sample(replay, cycle, address):
    replay._sampled(Sample(cycle, lent(address)))


class Replay(Handle):
    """A hierarchy with its driver, made from a copy of a Config.

    on_progress      called with a Progress about every million instructions, with a clock every second or so; False
                     cancels (CancelledError)
    sample_interval  core cycles between the samples of a timed replay; 0 = none
    on_sample        called with each new Sample; None = samples are kept as the Result's `series`
    events           called with each Event passing `event_filter`, {field: value} as of Hierarchy.set_trace()
    The callbacks may not call into the replay or its trace.
    """

    def __init__(self, context: Context, config: Config, on_progress: Optional[Callable[[Progress], Any]] = None, *,
                 sample_interval: int = 0, on_sample: Optional[Callable[[Sample], Any]] = None,
                 events: Optional[Callable[[Any], Any]] = None, event_filter: Optional[Dict[str, Any]] = None) -> None:
                 # fmt: skip
        self._make(context, lib.gpc_replay_create, context._live(), config._live())
        self._listen(on_progress, sample_interval, on_sample, events, event_filter)

    def _make(self, context, function, *arguments):
        self._context = context
        self._create(lib.gpc_replay_destroy, function, *arguments, keep=(context,))
        self._token = hold(weakref.ref(self))
        weakref.finalize(self, drop, self._token).atexit = False
        # Always set: Ctrl-C arrives through this callback.
        lib.gpc_replay_on_progress(self._pointer, forward_progress, self._token)
        return self

    def _listen(self, on_progress=None, sample_interval=0, on_sample=None, events=None, event_filter=None):
        if on_sample is not None and not sample_interval:
            raise ValueError("on_sample needs a sample_interval")
        self.on_progress = on_progress
        self.on_sample = on_sample
        self._interval = sample_interval
        if sample_interval:
            call(lib.gpc_replay_on_sample, self._pointer, sample_interval, _on_sample, self._token)
        if events is not None:
            self.hierarchy.set_trace(events, **(event_filter or {}))
        return self

    @classmethod
    def load(cls, context: Context, path: Path, on_progress: Optional[Callable[[Progress], Any]] = None, *,
             threads: Optional[Union[int, str]] = None, **listeners: Any) -> Replay:  # fmt: skip
        """A replay that continues from a file of save(); resume() continues a trace as well.

        threads    value of the key, instead of the file's; None = the file's
        listeners  listeners of Replay(): sample_interval and so on
        """
        arguments = context._live(), file_stream(path), load_options(threads)
        made = cls.__new__(cls)._make(context, lib.gpc_replay_load, *arguments)
        return made._listen(on_progress, **listeners)

    def save(self, path: Path) -> None:
        """Save to a file, between two kernels or at a pause within a kernel: see gpc_replay_save."""
        call(lib.gpc_replay_save, self._with_trace(), file_stream(path))

    def copy(self, on_progress: Optional[Callable[[Progress], Any]] = None) -> Replay:
        """An independent copy of the present state."""
        made = type(self).__new__(type(self))._make(self._context, lib.gpc_replay_copy, self._with_trace())
        return made._listen(on_progress)

    def _with_trace(self):
        """The replay, after a check of its paused kernel's trace."""
        if self._at_hand is not None:
            self._at_hand._live()
        return self._live()

    def resume(self, trace: Trace) -> None:
        """Continue with a trace, from its start, past the part already replayed."""
        call(lib.gpc_replay_resume, self._live(), trace._live())
        self._at_hand = trace

    @property
    def config(self) -> Config:
        """A Config with the replay's settings; after load(), the settings in the file."""
        return Config._of(self._context, lib.gpc_replay_get_config, self._live())

    @property
    def now(self) -> int:
        """Core cycles of all kernels so far; without a clock, rounds with a turn for every SM."""
        return lib.gpc_replay_now(self._live())

    def pause_at(self, time: Optional[int]) -> None:
        """Pause when `now` reaches `time`, within a kernel or between two; None: never."""
        call(lib.gpc_replay_pause_at, self._live(), _NEVER if time is None else time)

    on_progress = on_sample = _series = None
    paused = False  # kernel() returned since the time of pause_at() had come
    _at_hand = None  # trace of the paused kernel
    _callbacks = {}  # of its hierarchy
    _on_event = None  # likewise

    def _sampled(self, sample):
        if self.on_sample is None:
            self._series.append(sample)
        else:
            self.on_sample(sample)

    def kernel(self, trace: Trace) -> Optional[Result]:
        """Run the trace's next kernel, or the paused kernel, to its end.

        A Result; None if no kernel is left, or at a pause (`paused`, pause_at).
        """
        raw, error = g.gpc_kernel(), g.gpc_error()
        pointer, source = self._live(), trace._live()
        if self._series is None and self._interval and self.on_sample is None:
            self._series = TimeSeries(self._interval)
        trace._busy += 1
        try:
            status = invoke(lib.gpc_replay_kernel, pointer, source, ctypes.byref(raw), ctypes.byref(error))
        finally:
            trace._busy -= 1
        self._at_hand = trace if status == Status.BUSY else None
        self.paused = settle(status, error) == Status.BUSY
        if status != Status.OK:
            return None
        result = Result(
            trace._entered(raw), Stats(read_all(CounterTable.HIERARCHY, lib.gpc_replay_read, pointer, Object.WHOLE, 0))
        )
        result.series, self._series = self._series, None
        return result

    def run(self, trace: Trace) -> Iterator[Result]:
        """Run kernel after kernel until none is left or the replay pauses: iterate over Results."""
        while True:
            result = self.kernel(trace)
            if result is None:
                return
            yield result

    def streams(self, streams: Iterable[Stream], on_result: Optional[Callable[[StreamResult], Any]] = None) \
            -> Tuple[List[StreamResult], Stats]:  # fmt: skip
        """Run the kernels of several Streams together, to the end: ([StreamResult], Stats of the whole).

        on_result  called with each StreamResult at its kernel's end; the returned list is then empty
        The key `streams` limits the number.
        """
        return run_streams(self, streams, on_result)

    @property
    def hierarchy(self) -> BorrowedHierarchy:
        """The hierarchy, lent."""
        return BorrowedHierarchy(self, lib.gpc_replay_hierarchy(self._live()))

    def sampling(self, every: bool = False) -> Optional[Sampling]:
        """Sampling of the last kernel, or of every kernel so far; None with sample = none."""
        raw = g.gpc_sampling()
        scope = SamplingScope.ALL if every else SamplingScope.KERNEL
        error = g.gpc_error()
        status = lib.gpc_replay_get_sampling(self._live(), scope, ctypes.byref(raw), ctypes.byref(error))
        if status == Status.ERROR_STATE:
            return None
        settle(status, error)
        return Sampling(*(getattr(raw, name) for name in Sampling._fields))

    def estimate(self, name: str, every: bool = False) -> Optional[Estimate]:
        """Estimate of a counter or ratio, for the last kernel or for every kernel so far.

        None with sample = none, for an unmeasured counter, and for a ratio without a denominator.
        """
        raw = g.gpc_estimate()
        scope = SamplingScope.ALL if every else SamplingScope.KERNEL
        error = g.gpc_error()
        status = lib.gpc_replay_estimate(
            self._live(), scope, counter_id(name), ctypes.byref(raw), ctypes.byref(error))  # fmt: skip
        if status in (Status.ERROR_STATE, Status.ERROR_NOT_FOUND):
            return None
        settle(status, error)
        return Estimate(raw.value, raw.low, raw.high, bool(raw.estimated))

    def keep_objects(self, keep: bool = True) -> None:
        """From the next kernel on, keep the data of objects()."""
        call(lib.gpc_replay_keep_objects, self._live(), keep)

    def objects(self, kind: Union[int, str]) -> Dict[str, Dict[str, Any]]:
        """{name: {counter: value}} of the Objects of a kind, for the last kernel; needs keep_objects()."""
        kind = choice(Object, kind, "kind")
        return {name: read_object(lib.gpc_replay_read, self._live(), kind, index)
                for index, name in enumerate(self.hierarchy.object_names(kind))}  # fmt: skip

    def policy_values(self) -> Dict[str, PolicyValue]:
        """Counters published by policies, schedulers and throttles: {name: PolicyValue}."""
        return read_policies(lib.gpc_replay_policy_value, self._live())

    def stats(self) -> Stats:
        """Stats of all kernels so far."""
        return Stats(read_all(CounterTable.HIERARCHY, lib.gpc_replay_read_total, self._live()))
