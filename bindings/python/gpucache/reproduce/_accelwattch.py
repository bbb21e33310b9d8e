# SPDX-License-Identifier: BSD-2-Clause
"""AccelWattch's power of a QV100 (Kandiah et al., MICRO 2021), from counters.

Source: accel-sim/gpgpu-sim_distribution 667834cf, configs/tested-cfgs/SM7_QV100/accelwattch_ptx_sim.xml and
accelwattch_sass_sim.xml, the factors of runs of PTX and of SASS; the authors of seeds/000 published the same files
(rajesh-s/cs752-adaptive-gpu-cache-bypassing 798404e6). They ran PTX, and their simulator takes the file of SASS unless
told otherwise; all their published logs name it. A factor multiplies an energy that the model computes from the caches
in the file. PICOJOULES are products: the power of 1,000 events in 500 cycles of 1,447 MHz, less the power of no event,
times the time.
"""

from collections import Counter

from ..context import Context
from ..trace import OpClass, Space, Trace

# {event: (pJ with the factors of PTX, of SASS)}
PICOJOULES = {
    "l1 read hit": (398.417, 506.432), "l1 read miss": (266.267, 338.455),
    "l1 write hit": (29.3543, 37.3126), "l1 write miss": (309.481, 393.384),
    "l2 read hit": (57.1108, 68.7875), "l2 read miss": (4.99828, 4.48159),
    "l2 write hit": (213.806, 269.741), "l2 write miss": (231.801, 129.999),
    "flit": (223.205, 86.1012),  # of 40 bytes
    "dram read": (2203.59, 2062.17), "dram write": (1259.73, 1178.89), "dram precharge": (355.509, 332.694),
    "instruction": (1.17567, 5.87836),  # a warp's, in its buffer
    "scheduler": (16.9726, 17.3106),  # an instruction
    "fetch": (199.44, 149.804),  # a hit of the instruction cache: two instructions
    "register read": (1.32464, 2.50016), "register write": (1.21451, 2.13674),  # of a lane
    "shared access": (189.649, 112.605),  # a warp's, without conflicts
    # operations of a lane: the model's .461872 (integer), 18.8535 (float) and 38.6739 (all others) times the factors; the
    # file of SASS has no factors of products of 32-bit integers and of quotients
    "integer": (1.58407, 6.92239), "integer product": (9.76897, 0), "float": (13.4160, 9.98615),
    "float product": (8.22051, 3.46197), "quotient": (177.897, 0), "root": (48.0048, 7.54486),
    "exponential": (27.1508, 14.0017),
}  # fmt: skip
PTX, SASS = 0, 1
CONSTANT = 32.3252  # W
IDLE_SM = 0.28279166  # W
# W of 80 SMs at work, by units in use: first lane, each further lane
INTEGERS, FLOATS, SPECIAL = (15.29035866, 0.586233603), (18.6179906, 0.645228013), (18.55029744, 0.6099397)
SMS, LANES = 80, 32
READS, WRITES = 2, 1  # registers of an instruction: an assumption

# Units of instructions, as set_mul_div_or_other_archop in cuda-sim.cc assigns PTX: beginnings of opcodes. Other
# instructions of ALUs are integer operations. Loads, stores, branches, barriers and exits use no unit.
UNITS = {"FADD": "float", "FSETP": "float", "FMNMX": "float", "I2F": "float", "FMUL": "float product",
         "FFMA": "float product", "IMAD": "integer product", "IMUL": "integer product", "MUFU.RCP": "quotient",
         "MUFU.RSQ": "root", "MUFU.SQRT": "root", "MUFU.EX2": "exponential"}  # fmt: skip
NO_UNIT = (OpClass.CONTROL, OpClass.BARRIER, OpClass.FENCE, OpClass.EXIT, OpClass.MEMORY)


def _unit(opcode, op_class):
    named = [unit for begin, unit in UNITS.items() if opcode.startswith(begin)]
    return named[0] if named else None if op_class in NO_UNIT else "integer"


def _mix(trace, kernel, units):
    """{event: number for each thread instruction} of a kernel; `units` remembers units by opcode."""
    found, threads = Counter(), 0
    for block in kernel:
        seen = Counter()
        for warp in block:
            seen.update(zip(*map(warp.column, ("opcode", "op_class", "space", "mask"))))
        for (opcode, op_class, space, mask), times in seen.items():
            lanes = bin(mask).count("1")
            threads += lanes * times
            if op_class == OpClass.MEMORY:
                found["shared access"] += times * (space == Space.SHARED and mask != 0)
                continue
            if opcode not in units:
                units[opcode] = _unit(trace.opcode(opcode), op_class)
            found[units[opcode]] += lanes * times
    return {event: number / threads for event, number in found.items() if event and number}


def mixes(source):
    """The mix of operations of each launch of a trace."""
    with Context() as context, Trace(context, source) as trace:
        units = {}
        return [_mix(trace, kernel, units) for kernel in trace]


def _static(mix):
    """Static power of SMs at work, by the units of a mix: first lane, each further lane."""
    if not any(unit in mix for unit in ("float", "float product", "quotient")):
        return INTEGERS
    return SPECIAL if "root" in mix or "exponential" in mix else FLOATS


def counts(stats, mix):
    """{event: number} of PICOJOULES, as gpu-cache.cc and power_stat.h count: a sector is an access, a load of a sector on
    its way is a hit and takes one from the misses, and packets of a sector are a flit. `mix` is the kernel's."""
    loads, hits, merged = (stats[f"l1.{name}"] for name in ("load_sectors", "load_sector_hits", "pending_sector_hits"))
    stores, written = stats["l1.store_sectors"], stats["l1.store_sector_hits"]
    through_l1 = stats["l1.lookups"] > 0
    reads, found = stats["l2.read_sectors"], stats["l2.read_sector_hits"]
    writes, rewritten = stats["l2.write_sectors"], stats["l2.write_sector_hits"]
    warps, threads = stats["warp_instructions"], stats["thread_instructions"]
    return {
        "l1 read hit": through_l1 * hits, "l1 read miss": through_l1 * max(0, loads - hits - merged),
        "l1 write hit": through_l1 * written, "l1 write miss": through_l1 * (stores - written),
        "l2 read hit": found, "l2 read miss": reads - found, "l2 write hit": rewritten, "l2 write miss": writes - rewritten,
        "flit": 2 * (reads + writes),
        "dram read": stats["dram.read_sectors"], "dram write": stats["dram.write_sectors"],
        "dram precharge": stats["dram.precharges"],
        "instruction": warps, "scheduler": warps, "fetch": warps / 2,
        "register read": READS * LANES * warps, "register write": WRITES * LANES * warps,
        **{event: number * threads for event, number in mix.items()},
    }  # fmt: skip


def watts(stats, mix, megahertz, factors=SASS):
    """Power of a run of a kernel, or of an interval. Constants and conflicts in shared memory are not counted."""
    dynamic = sum(PICOJOULES[name][factors] * number for name, number in counts(stats, mix).items())
    active = stats["sm.active_cycles"] / (SMS * stats["cycles"])
    first, further = _static(mix)
    lanes = stats["thread_instructions"] / stats["warp_instructions"] if stats["warp_instructions"] else 0
    static = first + further * (lanes - 1) if lanes else 0
    return CONSTANT + IDLE_SM * SMS * (1 - active) + static * active + dynamic / stats["cycles"] * megahertz * 1e-6
