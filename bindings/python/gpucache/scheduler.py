# SPDX-License-Identifier: BSD-2-Clause
"""Warp schedulers: a single scheduler for a core model, and policies written in Python.

Subclass SchedulerPolicy, set `name`, and pass the class to Context.register(), as with ReplacementPolicy. The library
makes an instance per scheduler.
"""

import ctypes

from . import _generated as g
from . import policy as policies
from ._constants import PolicyKind, Token, WarpClass, WarpState
from ._loader import lib
from ._native import Handle, call, choice, decoded, held, invoke, settle, text
from .stats import lent, read_policies, sample_of

_NEVER = 2**64 - 1
_NO_WARP = 2**32 - 1
_NO_SLOT = _NO_WARP - 1  # never a slot: the library refuses the value, and the call ends


class SchedulerEnvironment:
    """The scheduler of an instance."""

    def __init__(self, raw, registered):
        self.warps = raw.warps  # slots
        self.sm = raw.sm
        self.index = raw.index  # number of the scheduler within its SM
        self.count = raw.count  # schedulers of an SM: slot w is warp w * count + index of the SM
        self.sms = raw.sms
        self.seed = raw.seed  # differs per scheduler
        self.arguments = decoded(raw.arguments)
        self.parameters = policies.parameter_values(raw, registered)
        self.texts = policies.text_values(raw, registered)
        self.shared = None  # result of a throttle's share()


class SchedulerPolicy:
    """Chooses the issuing warp. `event` and `stats` live for the call only."""

    name = ""
    summary = ""
    source = ""
    parameters = ()  # of Parameter
    texts = ()  # of TextParameter

    def __init__(self, env):
        """`env` is a SchedulerEnvironment. An exception refuses the scheduler."""

    def finish(self):
        """The scheduler goes."""

    def on_block(self, slot, block):
        """The warp that begins in `slot` belongs to this thread block; called before on_start."""

    def on_start(self, slot, order):
        """A warp began in `slot`, STALLED. Orders grow: the oldest warp has the smallest."""

    def on_state(self, slot, before, after):
        """A warp changed its WarpState; ABSENT: ended."""

    def pick(self, ready, cycle):
        """A slot of `ready`, ascending, or None. Required."""
        raise NotImplementedError(f"{type(self).__name__} has no pick")

    def on_issue(self, slot, cycle):
        """The warp of `slot`, picked, issued."""

    def class_of(self, slot):
        """A WarpClass."""
        return WarpClass.CACHE

    def on_cache_event(self, event):
        """Event of the SM's L1: kind (CacheEventKind), warp, owner, line_address, cycle."""

    def sample(self, stats, cycle):
        """Stats of the SM since the last sample."""

    def counters(self):
        """Counters of the policy, {name: number or PolicyCounter}; names of a-z, 0-9 and _, always the same."""
        return {}

    @classmethod
    def cost_bits(cls, env):
        """Storage in hardware, in bits."""
        return 0


class _Instance:
    __slots__ = ("policy", "words")

    def __init__(self, policy, env):
        self.policy = policy
        self.words = range((env.warps + 63) // 64)


_of = policies.instances


def _on_start(pointer, slot, order):
    _of[pointer].policy.on_start(slot, order)


def _on_block(pointer, slot, block):
    _of[pointer].policy.on_block(slot, block)


def _on_state(pointer, slot, before, after):
    _of[pointer].policy.on_state(slot, WarpState(before), WarpState(after))


def _slots(words, ready):
    for word in words:
        bits = ready[word]
        while bits:
            yield 64 * word + (bits & -bits).bit_length() - 1
            bits &= bits - 1


def _pick(pointer, ready, cycle):
    instance = _of[pointer]
    slot = instance.policy.pick(list(_slots(instance.words, ready)), cycle)
    return _NO_WARP if slot is None else policies.number(slot, _NO_SLOT, "pick")


def _on_issue(pointer, slot, cycle):
    _of[pointer].policy.on_issue(slot, cycle)


def _class_of(pointer, slot):
    return choice(WarpClass, _of[pointer].policy.class_of(slot), "class_of")


def _on_cache_event(pointer, event):
    _of[pointer].policy.on_cache_event(event.contents)


def _sample(pointer, stats, cycle):
    _of[pointer].policy.sample(lent(stats), cycle)


def _cost_bits(env):
    registered = held(env.contents.user_data)
    bits = registered.cost_bits(SchedulerEnvironment(env.contents, registered))
    return policies.number(bits, 2**64 - 1, "cost_bits")


# Functions on a warp's life and the cost, also used by throttles.
COMMON = {
    "on_start": (_on_start, None), "on_state": (_on_state, None), "on_issue": (_on_issue, None),
    "cost_bits": (_cost_bits, 0), "counter": policies.COUNTER,
}  # fmt: skip
policies.add_kind(
    PolicyKind.SCHEDULER, SchedulerPolicy, g.gpc_scheduler_ops, "pick", lib_name="gpc_context_register_scheduler",
    environment=SchedulerEnvironment, instance=_Instance,
    methods={
        **COMMON, "pick": (_pick, _NO_SLOT), "class_of": (_class_of, WarpClass.CACHE),
        "on_cache_event": (_on_cache_event, None), "sample": (_sample, None), "on_block": (_on_block, None),
    },
)  # fmt: skip


class Warps(Handle):
    """Events of warps, for a scheduler or for throttles alone."""

    _prefix = ""  # prefix of the library's functions
    _start = "start"

    def _function(self, name):
        return getattr(lib, self._prefix + name)

    def _call(self, name, *arguments):
        call(self._function(name), self._live(), *arguments)

    def begin_kernel(self, name=""):
        """Begin a kernel, before the kernel's first warp starts."""
        self._call("begin_kernel", text(name, "name"))

    def start(self, slot, block=0):
        """A warp of a thread block begins in a free slot, as the youngest."""
        self._call(self._start, slot, block)

    def set_state(self, slot, state):
        """Set a warp's state: a WarpState or a name."""
        self._call("set_state", slot, choice(WarpState, state, "state"))

    def end(self, slot):
        """The warp of `slot` ended: the slot is free."""
        self._call("set_state", slot, WarpState.ABSENT)

    def issued(self, slot, cycle=0):
        """The warp of `slot` issued."""
        self._call("issued", slot, cycle)

    def class_of(self, slot):
        """WarpClass of a slot: THROTTLED also if the limit holds the warp back, or for an empty slot."""
        found = invoke(self._function("class_of"), self._live(), slot)
        settle()
        return WarpClass(found)

    def token_of(self, slot, level=1):
        """The Token of a warp at level 1 or 2, for its requests."""
        return Token(self._function("token_of")(self._live(), slot, level))

    @property
    def next_change(self):
        """Next cycle at which a throttle changes its decision without an event; None: never."""
        cycle = self._function("next_change")(self._live())
        return None if cycle == _NEVER else cycle

    def policy_values(self):
        """Counters published by policy and throttles: {name: PolicyValue}."""
        return read_policies(self._function("policy_value"), self._live())

    def cache_event(self, kind, warp, line_address, owner=None, cycle=0, pc=0):
        """Tell policy and throttles of an event of the SM's L1. `warp` and `owner` are numbers within the SM."""
        event = g.gpc_cache_event(
            kind=kind, warp=warp, owner=warp if owner is None else owner, pc=pc & 0xFFFFFFFF,
            line_address=line_address, cycle=cycle
        )  # fmt: skip
        invoke(self._function("cache_event"), self._live(), ctypes.byref(event))
        settle()

    def sample(self, stats, cycle=0):
        """Give the policy and the throttles Stats of the SM since the last sample."""
        call(self._function("sample"), self._live(), cycle, *sample_of(stats))


class Scheduler(Warps):
    """A single warp scheduler: receives the states of its warps, and chooses the issuing warp.

        scheduler.start(slot)                       a warp takes a slot; the youngest now, STALLED
        scheduler.set_state(slot, WarpState.READY)  at each change
        slot = scheduler.pick(cycle)                each cycle with a free issue slot
        scheduler.issued(slot, cycle)
        scheduler.end(slot)

    policy      `name` or `name(parameter=value, ...)`, and throttles on it: `name + name(...)`
    warps       slots, 1 to 1024
    warp_limit  limit of issuing warps, the oldest ones not at a barrier; 0 = all
    sm, index   SM of `sms`, and scheduler of the SM's `count`, for policies with differing instances
    share_with  a Scheduler of equal policy, count and sms, with the throttles' shared state
    """

    _prefix = "gpc_scheduler_"
    _start = "start_block"

    def __init__(self, context, policy="gto", *, warps=48, warp_limit=0, sm=0, index=0, count=1, sms=1, seed=0,
                 share_with=None):  # fmt: skip
        self._context = context
        options = g.gpc_scheduler_options(
            warps=warps, warp_limit=warp_limit, sm=sm, index=index, count=count, sms=sms, policy=text(policy, "policy"),
            seed=seed, share_with=share_with._live() if share_with is not None else None,
        )  # fmt: skip
        self._create(
            lib.gpc_scheduler_destroy, lib.gpc_scheduler_create, context._live(), ctypes.byref(options),
            keep=(context,),
        )  # fmt: skip

    def pick(self, cycle=0, memory=True):
        """Slot of the issuing warp, or None. `memory`: True if the memory pipeline accepts an instruction."""
        slot = ctypes.c_uint32()
        self._call("pick", cycle, memory, ctypes.byref(slot))
        return None if slot.value == _NO_WARP else slot.value

    def class_count(self, warp_class):
        """How many running warps are of a WarpClass."""
        found = invoke(lib.gpc_scheduler_class_count, self._live(), choice(WarpClass, warp_class, "class"))
        settle()
        return found

    def age_of(self, slot):
        """Number of older running warps; None for an empty slot."""
        age = lib.gpc_scheduler_age_of(self._live(), slot)
        return None if age == _NO_WARP else age
