# SPDX-License-Identifier: BSD-2-Clause
"""DRAM alone, with its own clock."""

import weakref

from . import _generated as g
from ._constants import CounterTable, Status
from ._loader import lib
from ._native import Handle, call, drop, hold, loose
from .stats import Stats, read_all
from .timed import NEVER


@loose(g.gpc_dram_done_fn, passed_over=False)
def _on_done(dram, token, write, cycle):
    if dram.on_done is not None:
        dram.on_done(token, write, cycle)


class Dram(Handle):
    """All channels of a Config, idle, at DRAM cycle 0.

    on_done  called with (token, write, DRAM cycle) from advance() when a read has its data, or a write its place in the
             array's queue. on_done may not call into this object.
    """

    def __init__(self, context, config, on_done=None):
        self.on_done = on_done
        self._context = context
        self._create(lib.gpc_dram_destroy, lib.gpc_dram_create, context._live(), config._live(), keep=(context,))
        token = hold(weakref.ref(self))
        weakref.finalize(self, drop, token).atexit = False
        lib.gpc_dram_on_done(self._pointer, _on_done, token)

    @property
    def burst_bytes(self):
        """Bytes of a request."""
        return lib.gpc_dram_burst_bytes(self._live())

    def try_request(self, channel, address, token=0, write=False):
        """Offer a burst, of an address within the channel, at the present cycle: True if accepted."""
        return call(lib.gpc_dram_try_request, self._live(), channel, address, write, token) == Status.OK

    def advance(self, cycles=1):
        """Move the clock by DRAM cycles."""
        call(lib.gpc_dram_advance, self._live(), cycles)

    @property
    def now(self):
        """The present DRAM cycle."""
        return lib.gpc_dram_now(self._live())

    @property
    def next_event(self):
        """Next cycle at which a command can issue or data end; None if idle."""
        cycle = lib.gpc_dram_next_event(self._live())
        return None if cycle == NEVER else cycle

    def stats(self):
        """Stats since creation: dram.*."""
        return Stats(read_all(CounterTable.HIERARCHY, lib.gpc_dram_read, self._live()))
