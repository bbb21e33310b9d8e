# SPDX-License-Identifier: BSD-2-Clause
"""Throttles written in Python: which warps of a scheduler may run, and which may allocate in the cache.

Subclass Throttle, give it a `name`, and hand the class to Context.register(); from then on configuration text can put
it on any scheduler, beside others: `scheduler = gto + name(parameter=value)`. The library makes one instance per
scheduler. As with ReplacementPolicy, only methods that the subclass defines are called, and none may call the library.
"""

from . import _generated as g
from . import policy as policies
from ._constants import PolicyKind, WarpState
from .scheduler import COMMON, SchedulerEnvironment
from .stats import lent

_NEVER = 2**64 - 1


class WarpView:
    """The warps of a scheduler, as a throttle sees them."""

    def __init__(self, raw, warps):
        self.cycle = raw.cycle  # the latest that the scheduler was told of
        self.by_age = raw.by_age[:raw.running]  # slots of running warps, oldest first
        self.states = [WarpState(state) for state in raw.states[:warps]]  # by slot
        self.blocks = raw.blocks[:warps]  # by slot: thread block of a running warp


class WarpClasses:
    """What a throttle makes of them: sets of slots, empty before the call. In none of them: the warp holds tokens."""

    def __init__(self):
        self.throttled = set()  # may not issue
        self.held = set()  # may not issue what accesses memory
        self.bypassing = set()  # may issue, holds no token for L1
        self.bypassing_l2 = set()  # likewise, for L2
        self.again = None  # cycle from which on it would decide otherwise though nothing else happens
        self.others = False  # what it shares has changed: ask those of the SM's other schedulers, too


class Throttle:
    """Which warps may run or allocate. `event` and `stats` live for the call only."""

    name = ""
    summary = ""
    source = ""
    parameters = ()  # of Parameter
    texts = ()  # of TextParameter

    def __init__(self, env):
        """`env` is a SchedulerEnvironment. An exception refuses the scheduler."""

    @classmethod
    def share(cls, env):
        """Make what all schedulers of a hierarchy share, of all SMs, or those made with `share_with`: an object, which
        each instance finds as env.shared. Called before the first of them is made.
        """

    def finish(self):
        """The scheduler goes."""

    def on_start(self, slot, order):
        """A warp began in `slot`, STALLED, before classify() sees it. The oldest warp has the smallest order."""

    def on_state(self, slot, before, after):
        """A warp went from one WarpState to another; ABSENT: it ended."""

    def classify(self, view, classes):
        """Put the running warps of a WarpView into WarpClasses. Required.

        Asked when a warp starts, ends, reaches or leaves a barrier; after an event or a sample that returned True; and
        at `classes.again`. A warp at a barrier should not take a place from others: what it waits for may be throttled.
        """
        raise NotImplementedError(f"{type(self).__name__} has no classify")

    def on_issue(self, slot, cycle):
        """The warp of `slot` issued."""

    def on_kernel(self, name):
        """A kernel begins, whose name a trace has mangled; "" without one. True: ask classify()."""

    def on_cache_event(self, event):
        """Of the SM's L1: kind (CacheEventKind), warp, owner, line_address, cycle. True: ask classify()."""

    def sample(self, stats, cycle):
        """Stats since the last sample: SM, schedulers and L1 of this SM, the rest of the hierarchy. As before."""

    def counters(self):
        """What it publishes of itself, {name: number or PolicyCounter}; names of a-z, 0-9 and _, always the same."""
        return {}

    @classmethod
    def cost_bits(cls, env):
        """Storage that it would take in hardware, in bits."""
        return 0


class _Instance:
    __slots__ = ("policy", "warps", "level")

    def __init__(self, policy, env):
        self.policy = policy
        self.warps = env.warps
        self.level = env.shared_state


_of = policies.instances
_SETS = ("throttled", "held", "bypassing", "bypassing_l2")


def _classify(pointer, view, raw):
    instance, found = _of[pointer], WarpClasses()
    instance.policy.classify(WarpView(view.contents, instance.warps), found)
    slots = {name: [policies.number(slot, instance.warps - 1, f"classify: {name}") for slot in getattr(found, name)]
             for name in _SETS}  # fmt: skip
    again = _NEVER if found.again is None else policies.number(found.again, _NEVER, "classify: again")
    for name in _SETS:
        words = getattr(raw.contents, name)
        for slot in slots[name]:
            words[slot >> 6] |= 1 << (slot & 63)
    raw.contents.again = again
    raw.contents.others = bool(found.others)


def _on_kernel(pointer, name):
    return bool(_of[pointer].policy.on_kernel(name.decode(errors="replace")))


def _on_cache_event(pointer, event):
    return bool(_of[pointer].policy.on_cache_event(event.contents))


def _sample(pointer, stats, cycle):
    return bool(_of[pointer].policy.sample(lent(stats), cycle))


policies.add_kind(
    PolicyKind.THROTTLE, Throttle, g.gpc_throttle_ops, "classify", lib_name="gpc_context_register_throttle_as",
    environment=SchedulerEnvironment, instance=_Instance,
    methods={
        **COMMON, "classify": (_classify, None), "on_cache_event": (_on_cache_event, False), "sample": (_sample, False),
        "on_kernel": (_on_kernel, False),
    },
)  # fmt: skip
