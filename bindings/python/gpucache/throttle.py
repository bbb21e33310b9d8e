# SPDX-License-Identifier: BSD-2-Clause
"""Throttles written in Python: limits on running and allocating warps of a scheduler.

Subclass Throttle, set `name`, and pass the class to Context.register(). Configuration text can then add the throttle to
any scheduler: `scheduler = gto + name(parameter=value)`. The library makes an instance per scheduler. As with
ReplacementPolicy, the library calls only methods defined by the subclass, and no method may call the library.
"""

from . import _generated as g
from . import policy as policies
from ._constants import PolicyKind, WarpState
from .scheduler import COMMON, SchedulerEnvironment
from .stats import lent

_NEVER = 2**64 - 1


class WarpView:
    """Warps of a scheduler, as seen by a throttle."""

    def __init__(self, raw, warps):
        self.cycle = raw.cycle  # latest cycle reported to the scheduler
        self.by_age = raw.by_age[:raw.running]  # slots of running warps, oldest first
        self.states = [WarpState(state) for state in raw.states[:warps]]  # by slot
        self.blocks = raw.blocks[:warps]  # by slot: thread block of a running warp


class WarpClasses:
    """A throttle's decision: sets of slots, empty before the call. A warp in no set holds tokens."""

    def __init__(self):
        self.throttled = set()  # may not issue
        self.held = set()  # may not issue memory instructions
        self.bypassing = set()  # may issue, holds no token for L1
        self.bypassing_l2 = set()  # likewise, for L2
        self.again = None  # next cycle at which the decision changes without an event
        self.others = False  # shared state has changed: ask throttles of the SM's other schedulers too


class Throttle:
    """Limits running or allocating warps. `event` and `stats` live for the call only."""

    name = ""
    summary = ""
    source = ""
    parameters = ()  # of Parameter
    texts = ()  # of TextParameter

    def __init__(self, env):
        """`env` is a SchedulerEnvironment. An exception refuses the scheduler."""

    @classmethod
    def share(cls, env):
        """Make the shared object of all schedulers of a hierarchy (all SMs), or of schedulers made with `share_with`;
        instances read env.shared. Called before the first instance.
        """

    def finish(self):
        """The scheduler goes."""

    def on_start(self, slot, order):
        """A warp began in `slot`, STALLED, before classify() sees the warp. The oldest warp has the smallest order."""

    def on_state(self, slot, before, after):
        """A warp changed its WarpState; ABSENT: ended."""

    def classify(self, view, classes):
        """Put the running warps of a WarpView into WarpClasses. Required.

        Called when a warp starts, ends, reaches or leaves a barrier; after an event or a sample with answer True; and
        at `classes.again`. A warp at a barrier should not take a place from others, because the awaited warps may be
        throttled.
        """
        raise NotImplementedError(f"{type(self).__name__} has no classify")

    def on_issue(self, slot, cycle):
        """The warp of `slot` issued."""

    def on_kernel(self, name):
        """A kernel begins, with a trace's mangled name; "" without a name. True: call classify()."""

    def on_cache_event(self, event):
        """Event of the SM's L1: kind (CacheEventKind), warp, owner, line_address, cycle. True: call classify()."""

    def sample(self, stats, cycle):
        """Stats since the last sample: SM, schedulers and L1 of this SM, and the rest of the hierarchy. True: call
        classify()."""

    def counters(self):
        """Counters of the policy, {name: number or PolicyCounter}; names of a-z, 0-9 and _, always the same."""
        return {}

    @classmethod
    def cost_bits(cls, env):
        """Storage in hardware, in bits."""
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
    PolicyKind.THROTTLE, Throttle, g.gpc_throttle_ops, "classify", lib_name="gpc_context_register_throttle",
    environment=SchedulerEnvironment, instance=_Instance,
    methods={
        **COMMON, "classify": (_classify, None), "on_cache_event": (_on_cache_event, False), "sample": (_sample, False),
        "on_kernel": (_on_kernel, False),
    },
)  # fmt: skip
