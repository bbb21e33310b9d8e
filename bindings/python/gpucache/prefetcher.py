# SPDX-License-Identifier: BSD-2-Clause
"""Prefetchers of L1s, and of slices of L2, written in Python: choose lines to fetch before loads need them.

Subclass Prefetcher, set `name`, and pass the class to Context.register(). Configuration text can then use the name:
`l1.prefetcher = name(parameter=value)`, or `l2.prefetcher`, with mode = timed. The library makes an instance per SM or
slice; a slice's instance sees addresses within the slice (see gpucache/ext/policies.h). As with ReplacementPolicy, the
library calls only methods defined by the subclass, and no method may call the library.
"""

from . import _generated as g
from . import policy as policies
from ._constants import GPC_MAX_PREFETCHES, PolicyKind, PrefetchFound, PrefetchOutcome


class PrefetchAccess:
    """A line of a load, at the tags of an L1, or of a slice."""

    def __init__(self, raw):
        self.request = raw.request.contents  # address, pc, warp, block, ... of the line; lives for the call
        self.lane_address = raw.lane_address  # address of the instruction's lowest active lane, bytes
        self.lane = raw.lane  # that lane
        self.line = raw.line  # number of the line within the instruction, from 0
        self.sectors = raw.sectors  # needed sectors of the line, a bit each
        self.found = PrefetchFound(raw.found)
        self.prefetched = bool(raw.prefetched)  # the first load of a prefetched line
        self.level = raw.level  # 1: an L1's; 2: a slice's


class Prefetcher:
    """Chooses lines to fetch ahead for an L1 or a slice."""

    name = ""
    summary = ""
    source = ""
    parameters = ()  # of Parameter
    texts = ()  # of TextParameter

    def __init__(self, env):
        """`env` is an Environment with 0 sets and ways, because launches may change both. An exception refuses L1."""

    @classmethod
    def share(cls, env):
        """As in ReplacementPolicy: a shared object for the prefetchers of all SMs."""

    def finish(self):
        """The L1 goes."""

    def on_access(self, access):
        """A load was looked up (PrefetchAccess): returns addresses of lines to fetch, in order of need, at most
        GPC_MAX_PREFETCHES; an item may be (address, sectors), a bit a sector. Required.
        """
        raise NotImplementedError(f"{type(self).__name__} has no on_access")

    def on_outcome(self, line_address, outcome):
        """Result of a prefetched line: a PrefetchOutcome."""

    def counters(self):
        """Counters of the policy, {name: number or PolicyCounter}; names of a-z, 0-9 and _, always the same."""
        return {}

    @classmethod
    def cost_bits(cls, env):
        """Storage in hardware, in bits."""
        return 0


class _Instance:
    __slots__ = ("policy", "level")

    def __init__(self, policy, env):
        self.policy = policy
        self.level = env.shared_state


_of = policies.instances


def _on_access(pointer, access, out):
    wanted = list(_of[pointer].policy.on_access(PrefetchAccess(access.contents)) or ())
    if len(wanted) > GPC_MAX_PREFETCHES:
        raise ValueError(f"on_access returned {len(wanted)} lines, more than {GPC_MAX_PREFETCHES}")
    for index, item in enumerate(wanted):
        address, sectors = item if isinstance(item, tuple) else (item, 0)
        out[index].address = policies.number(address, 2**64 - 1, "on_access")
        out[index].sectors = policies.number(sectors, 15, "on_access: sectors")
    return len(wanted)


def _on_outcome(pointer, line_address, outcome):
    _of[pointer].policy.on_outcome(line_address, PrefetchOutcome(outcome))


policies.add_kind(
    PolicyKind.PREFETCHER, Prefetcher, g.gpc_prefetcher_ops, "on_access", lib_name="gpc_context_register_prefetcher",
    environment=policies.Environment, instance=_Instance,
    methods={"on_access": (_on_access, 0), "on_outcome": (_on_outcome, None), "cost_bits": policies.COST,
             "counter": policies.COUNTER},
)  # fmt: skip
