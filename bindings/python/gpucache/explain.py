# SPDX-License-Identifier: BSD-2-Clause
"""Causes of a kernel's time: the run is repeated without one limit at a time, and the largest gain names the cause.

    dram             DRAM's clock eight times as fast
    l2-bandwidth     clock of L2 four times as fast, its latencies as before
    network          likewise, of the networks
    l1-bandwidth     ports of L1 for eight times as many lines and bytes
    l1-capacity      sixteen times the ways of L1
    l2-capacity      likewise, of L2
    uncoalesced      addresses of each block and PC dealt anew to the lanes, in ascending order, and packed (deal)
    atomics          atomic units without their turns
    warps            room for four times as many warps
    latency          a quarter of the latencies of L1, networks, L2 and DRAM
    computation      four times the schedulers and their units, a cycle for each instruction
    launch           no time for the launch
    tail             from counters: time of the SMs without a block, if other SMs' warps could be theirs

A share is 1 - cycles without the limit / cycles. The pattern of accesses and their reuse are the kernel's own, and set the
load of each part below. Therefore causes of `_OWN` come first if their gain is nearly as large (`NEARLY`).

Example: a naive transpose of 1 MiB takes 50,092 cycles on gtx480; 38,308 with fast networks, 13,623 with its stores
coalesced. The cause is "uncoalesced", 73 % of the time.
"""

import ctypes
import functools
import operator
from collections import namedtuple

from . import _generated as g
from ._constants import Kind, OpClass, Space, What
from ._loader import lib
from ._native import call

# name: words for the verdict, in order of precedence.
CAUSES = {
    "uncoalesced": "uncoalesced accesses",
    "atomics": "contended atomics",
    "l1-capacity": "capacity of L1: lines leave before their reuse",
    "l2-capacity": "capacity of L2: lines leave before their reuse",
    "dram": "DRAM bandwidth",
    "l2-bandwidth": "L2 bandwidth",
    "network": "bandwidth of the networks",
    "l1-bandwidth": "bandwidth and bank conflicts of L1",
    "computation": "arithmetic and issue slots",
    "warps": "latency with too few warps: no room for more",
    "latency": "latency with too few warps",
    "tail": "imbalance and tail: SMs without a thread block",
    "launch": "time of the launch",
}

_OWN = ("uncoalesced", "atomics", "l1-capacity", "l2-capacity")
NEARLY = 0.7  # part of the largest share
LEAST = 0.1  # share of a cause worth the name

# `share` of the time, `cycles` without the limit; None for a cause from counters.
Finding = namedtuple("Finding", "cause share cycles")


def _times(config, factor, *keys):
    """{key: value} of a Config's values that are not 0, `factor` times as large, as far as the keys allow."""
    return {key: min(int(config.number(key) * factor), _MOST.get(key, 2**40)) for key in keys if config.number(key)}


def reliefs(config, stats):
    """{cause: settings} without a limit each, for a Config and the Stats of a run.

    Absent are limits that the run's counters show to be far: an unused part, a cache without an eviction.
    """
    times = functools.partial(_times, config)
    near = {cause for cause, use in uses(config, stats).items() if use >= _FAR}
    found = {
        "launch": {"launch.cycles": 0} if config.number("launch.cycles") else {},
        "warps": times(4, "sm.warps", "sm.blocks", "sm.registers", "sm.shared"),
        "latency": {key: -(-config.number(key) // 4) for key in _LATENCIES if config.number(key)},
        "computation": {**dict.fromkeys(_INTERVALS, 1), **times(4, "sm.schedulers")},
        "l1-capacity": times(16, "l1.size", "l1.ways"),
        "l1-bandwidth": {**times(8, "l1.tag_ports", "l1.data_width", "l1.fill_width"), "l1.data_banks": 0,
                         "sm.hold_memory": 0},
        "network": times(4, "clock.network", "network.latency", "l2.link_latency"),
        "l2-bandwidth": times(4, "clock.l2", *_OF_L2),
        "l2-capacity": times(16, "l2.size", "l2.ways"),
        "dram": times(8, "clock.dram", "dram.fixed_bandwidth"),
        "atomics": {"l2.atomic_cycles": 0} if config.number("l2.atomic_cycles") else {},
    }  # fmt: skip
    return {cause: settings for cause, settings in found.items() if settings and cause not in _PARTS - near}


def uses(config, stats):
    """{cause: use of the part, about 0 to 1, while SMs have work}; for caches 1 if lines leave, otherwise 0."""
    sms = config.number("sm.count") * config.number("gpu.count")
    slices = config.number("l2.slices") * config.number("gpu.count")
    get = stats.get
    cycles = max(1.0, get("sm.active_cycles", 0) / sms)
    l2 = cycles * config.number("clock.l2") / config.number("clock.core") * slices
    network = cycles * config.number("clock.network") / config.number("clock.core") * min(sms, slices)
    busy = max(1, get("scheduler.cycles", 0) - get("scheduler.empty", 0))
    return {
        "dram": get("dram.utilisation", 0.0) * stats["cycles"] / cycles,
        "l2-bandwidth": max(get("l2.lookups", 0), get("network.reply_bytes", 0) / config.number("l2.data_width")) / l2,
        "network": max(get("network.request_bytes", 0) / config.number("network.width"),
                       get("network.reply_bytes", 0) / config.number("network.reply_width")) / network,
        "l1-bandwidth": max(get("l1.lookups", 0), get("l1.data_turns", 0), get("scheduler.memory_stalls", 0))
                        / (cycles * sms),
        "computation": (get("scheduler.issued", 0) + get("scheduler.unit_stalls", 0)) / busy,
        "l1-capacity": float(get("l1.evictions", 0) > 0),
        "l2-capacity": float(get("l2.evictions", 0) > 0),
        "atomics": float(get("l1.atomic_requests", 0) > 0),
    }  # fmt: skip


_PARTS = {"dram", "l2-bandwidth", "network", "l1-bandwidth", "computation", "l1-capacity", "l2-capacity", "atomics"}
_FAR = 0.25  # use of a part below which more of the part is not tried

# Largest values of keys.
_MOST = {
    "clock.network": 100000, "clock.l2": 100000, "clock.dram": 100000, "sm.warps": 1024, "sm.blocks": 1024,
    "sm.schedulers": 16, "l1.ways": 1024, "l2.ways": 1024, "l1.tag_ports": 64,
}  # fmt: skip
_OF_L2 = ("l2.latency", "l2.rop_latency", "l2.write_to_read", "l2.atomic_cycles", "memory_cache.latency")
_LATENCIES = ("l1.latency", "network.latency", "l2.latency", "l2.rop_latency", "l2.link_latency", "dram.latency",
              "sm.latency_shared")  # fmt: skip
_INTERVALS = ("sm.interval_alu", "sm.interval_int", "sm.interval_fp", "sm.interval_double", "sm.interval_sfu",
              "sm.interval_tensor")  # fmt: skip


def tail(config, stats, warps):
    """Share of the time that SMs without a block would save, if a grid of `warps` warps could be spread evenly."""
    sms = config.number("sm.count") * config.number("gpu.count")
    cycles = stats["cycles"] - config.number("launch.cycles")
    if cycles <= 0 or not stats.get("sm.active_cycles"):
        return 0.0
    even = stats["sm.active_cycles"] / min(sms, warps)
    return max(0.0, 1 - max(even, 1) / cycles) * cycles / stats["cycles"]


# Counters of a capacity's hits: accesses, and hits that more of the cache must add for the cache to be the cause.
_HITS = {
    "l1-capacity": ("l1.load_sectors", "l1.load_sector_hits"), "l2-capacity": ("l2.read_sectors", "l2.read_sector_hits"),
}  # fmt: skip
_ADDED = 0.05  # of the accesses


def finding(cause, before, after):
    """[Finding] of the Stats of a kernel before and after a limit went; [] if a larger cache adds no hits."""
    if cause in _HITS:
        accesses, hits = _HITS[cause]
        if not before.get(accesses) or after[hits] - before[hits] < _ADDED * before[accesses]:
            return []
    return [Finding(cause, 1 - after["cycles"] / max(1, before["cycles"]), after["cycles"])]


def verdict(findings):
    """The Finding that bounds a kernel; None if no limit has LEAST of the time."""
    best = max(findings, key=lambda finding: finding.share, default=None)
    if best is None or best.share < LEAST:
        return None
    own = [each for each in findings if each.cause in _OWN and each.share >= NEARLY * best.share]
    return min(own, key=lambda each: list(CAUSES).index(each.cause)) if own else best


# Perfect coalescing


def _sectors(addresses, width):
    return len({sector for address in addresses for sector in range(address // 32, (address + width - 1) // 32 + 1)})


def _packed(addresses, width):
    """Addresses side by side, equal where they were equal, from the sector of the first one."""
    places = {address: place for place, address in enumerate(dict.fromkeys(addresses))}
    first = addresses[0] // 32 * 32
    return [first + places[address] * width for address in addresses]


_SCATTERED = 1.5  # sectors of instances, over the fewest that have room for the bytes


def _dealt(instances):
    """Addresses of a PC's instances in a block, dealt to the instances in ascending order and packed.

    None: the instances are not scattered.
    """
    width = instances[0].width
    lists = [list(each.addresses[:bin(each.mask).count("1")]) for each in instances]
    before = sum(_sectors(each, width) for each in lists)
    if before <= _SCATTERED * sum(-(-len(set(each)) * width // 32) for each in lists):
        return None
    every = sorted(address for each in lists for address in each)
    dealt, at = [], 0
    for each in lists:
        dealt.append(_packed(every[at:at + len(each)], width))
        at += len(each)
    return dealt


def _accesses(warps):
    """{pc: instructions} that load or store global memory, of a block's warps, in the order of their turns."""
    found = {}
    for instructions in warps:
        turns = {}
        for each in instructions:
            if (each.op_class == OpClass.MEMORY and each.kind in (Kind.LOAD, Kind.STORE) and each.addresses
                    and each.space in (Space.GLOBAL, Space.GENERIC)):  # fmt: skip
                turn = turns[each.pc] = turns.get(each.pc, -1) + 1
                found.setdefault(each.pc, []).append((turn, each))
    return {pc: [each for _, each in sorted(those, key=operator.itemgetter(0))] for pc, those in found.items()}


def deal(trace, writer):
    """Write a Trace with the addresses of each block dealt to lanes in ascending order; returns the PCs that change."""
    changed = set()
    for kernel in trace:
        writer.kernel(kernel)
        for block in kernel:
            changed |= {(kernel.index, pc) for pc in _deal_block(block, trace, writer)}
    return changed


def _deal_block(block, trace, writer):
    raw = g.gpc_block.from_buffer_copy(block._live().contents)
    warps, instructions, kept, changed = (g.gpc_warp * raw.warp_count)(), [], [], []
    for number in range(raw.warp_count):
        own = warps[number] = g.gpc_warp.from_buffer_copy(raw.warps[number])
        copies = (g.gpc_instruction * max(1, own.count))()
        ctypes.memmove(copies, own.instructions, own.count * ctypes.sizeof(g.gpc_instruction))
        warps[number].instructions = copies
        instructions.append(copies)
    for pc, instances in _accesses(instructions).items():
        dealt = _dealt(instances) if len({each.width for each in instances}) == 1 else None
        if dealt is None:
            continue
        changed.append(pc)
        for each, addresses in zip(instances, dealt):
            own = (ctypes.c_uint64 * len(addresses))(*addresses)
            kept.append(own)
            each.addresses = own
    raw.warps = warps
    call(lib.gpc_trace_writer_block, writer._live(), trace._live(), ctypes.byref(raw))
    return changed


# Loads and stores to blame

# `sectors` of a request; shares of the sectors by the level that served them; `cycles` of a request, `share` of the
# kernel's latency: sums over all requests. None: unknown.
Access = namedtuple("Access", "pc opcode kind requests sectors l1 l2 dram cycles share")

WHATS = ("issue", "reply", "complete")  # events for Blame


class Blame:
    """Callback for events of WHATS: sums by PC and kind of access."""

    def __init__(self):
        self._sums = {}

    def __call__(self, event):
        key = event.pc, event.kind
        sums = self._sums.get(key)
        if sums is None:
            sums = self._sums[key] = {"issue": [0, 0], "complete": [0, 0], "l1": 0, "l2": 0, "dram": 0}
        if event.what is What.REPLY:
            if event.outcome in sums:
                sums[event.outcome] += event.bytes // 32
            return
        pair = sums["issue" if event.what is What.ISSUE else "complete"]
        pair[0] += 1
        pair[1] += event.bytes // 32 if event.what is What.ISSUE else event.value

    def rows(self, opcodes):
        """Accesses of the events so far, by latency; `opcodes` are {pc: text}. Begins anew."""
        sums, self._sums = self._sums, {}
        whole = sum(each["complete"][1] for each in sums.values())
        rows = []
        for (pc, kind), each in sums.items():
            (requests, sectors), (ended, cycles) = each["issue"], each["complete"]
            served = each["l1"] + each["l2"] + each["dram"]
            shares = [each[level] / served if served else None for level in ("l1", "l2", "dram")]
            rows.append(Access(pc, opcodes.get(pc), kind.name.lower() if kind is not None else None, requests,
                               sectors / requests if requests else None, *shares,
                               cycles / ended if ended else None, cycles / whole if whole else None))  # fmt: skip
        return sorted(rows, key=lambda row: -(row.share or 0))


def opcodes_of(kernel):
    """{pc: opcode} of the memory instructions in a Kernel's first block."""
    block = kernel.next_block()
    if block is None:
        return {}
    with block:
        return {each.pc: each.opcode for warp in block for each in warp if each.op_class == OpClass.MEMORY}


def changes_for(cause, config):
    """[(words, settings)] of changes that a cause suggests."""
    times = functools.partial(_times, config)
    more_l1 = "L1 twice as large", times(2, "l1.size", "l1.ways")
    more_l2 = "L2 twice as large", times(2, "l2.size", "l2.ways")
    more_warps = "room for twice as many warps", times(2, "sm.warps", "sm.blocks", "sm.registers", "sm.shared")
    warps = config.number("sm.warps") // config.number("sm.schedulers")
    fewer_warps = "a quarter of the warps", {"sm.warp_limit": max(1, warps // 4)}
    faster_dram = "DRAM half as fast again", times(1.5, "clock.dram", "dram.fixed_bandwidth")
    return {
        "l1-capacity": [more_l1, fewer_warps, ("ccws", {"scheduler": "gto + ccws"})],
        "l2-capacity": [more_l2, ("drrip in L2", {"l2.replacement": "drrip"}), faster_dram],
        "uncoalesced": [more_l1, more_l2],
        "dram": [faster_dram, more_l2],
        "warps": [more_warps, more_l1],
        "latency": [more_warps, more_l1],
        "l2-bandwidth": [more_l1, ("twice the width of L2", times(2, "l2.data_width", "l2.fill_width"))],
        "network": [more_l1, ("twice the width of the networks", times(2, "network.width", "network.reply_width"))],
        "l1-bandwidth": [("twice the ports of L1", times(2, "l1.tag_ports", "l1.data_width", "l1.fill_width"))],
        "tail": [("half of the blocks on an SM", {"sm.blocks": max(1, config.number("sm.blocks") // 2)})],
    }.get(cause, [])
