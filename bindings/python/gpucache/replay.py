# SPDX-License-Identifier: BSD-2-Clause
"""Replay: run a trace through a hierarchy."""

import ctypes
import weakref
from collections import namedtuple

from . import _generated as g
from ._constants import Status
from ._loader import lib
from ._native import Handle, drop, hold, invoke, loose, settle
from .hierarchy import BorrowedHierarchy
from .stats import Stats

# Of the kernel so far; `trace_fraction` of the whole trace.
Progress = namedtuple("Progress", "warp_instructions blocks block_count trace_fraction")
Result = namedtuple("Result", "kernel stats")


@loose(g.gpc_progress_fn, False)
def _on_progress(replay, pointer):
    if replay.on_progress is None:
        return True
    raw = pointer.contents
    report = Progress(raw.warp_instructions, raw.blocks, raw.block_count, raw.trace_fraction)
    return replay.on_progress(report) is not False


class Replay(Handle):
    """A hierarchy and what drives it, made from a Config, which is copied.

    on_progress  called with a Progress about every million instructions; False cancels (CancelledError).
                 It may not call into the replay or its trace.
    """

    def __init__(self, context, config, on_progress=None):
        self.on_progress = on_progress
        self._context = context
        self._create(lib.gpc_replay_destroy, lib.gpc_replay_create, context._live(), config._live(), keep=(context,))
        token = hold(weakref.ref(self))
        weakref.finalize(self, drop, token).atexit = False
        # Always: it is where Ctrl-C gets in.
        lib.gpc_replay_on_progress(self._pointer, _on_progress, token)

    def kernel(self, trace):
        """Run the trace's next kernel to its end: a Result, or None when no kernel is left."""
        raw, stats, error = g.gpc_kernel(), g.gpc_stats(), g.gpc_error()
        pointer, source = self._live(), trace._live()
        trace._busy += 1
        try:
            status = invoke(
                lib.gpc_replay_kernel, pointer, source, ctypes.byref(raw), ctypes.byref(stats), ctypes.byref(error)
            )
        finally:
            trace._busy -= 1
        if settle(status, error) == Status.END:
            return None
        return Result(trace._entered(raw), Stats(stats))

    def run(self, trace):
        """Run kernel after kernel: iterate over Results."""
        while True:
            result = self.kernel(trace)
            if result is None:
                return
            yield result

    @property
    def hierarchy(self):
        """The hierarchy, lent."""
        return BorrowedHierarchy(self, lib.gpc_replay_hierarchy(self._live()))

    def stats(self):
        """Stats of all kernels so far."""
        raw = g.gpc_stats()
        settle(lib.gpc_replay_get_stats(self._live(), ctypes.byref(raw)), what="gpc_replay_get_stats")
        return Stats(raw)
