# SPDX-License-Identifier: BSD-2-Clause
"""AccelWattch's power of a QV100 (Kandiah et al., MICRO 2021), from counters.

Source: accel-sim/gpgpu-sim_distribution 667834cf, configs/tested-cfgs/SM7_QV100/accelwattch_ptx_sim.xml, the factors of
runs of PTX; the authors of seeds/000 published the same file (rajesh-s/cs752-adaptive-gpu-cache-bypassing 798404e6). A
factor multiplies an energy that the model computes from the caches in the file. PICOJOULES are products: the power of
1,000 events in 500 cycles of 1,447 MHz, less the power of no event, times the time. accelwattch_sass_sim.xml, the
factors of runs of SASS, has the other figure of each pair.
"""

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
    "integer": (6.92329, 6.92329),  # an operation of a lane: the factor INT_ACC 14.9877 times .461872
}  # fmt: skip
PTX, SASS = 0, 1
CONSTANT = 32.3252  # W
IDLE_SM = 0.28279166  # W
# W of 80 SMs at work, by units in use: first lane, each further lane
STATIC = {"integers": (15.29035866, 0.586233603), "integers and floats": (18.6179906, 0.645228013)}
SMS, LANES = 80, 32
READS, WRITES = 2, 1  # registers of an instruction: an assumption, as is an integer operation for each instruction


def counts(stats):
    """{event: number} of PICOJOULES, as gpu-cache.cc and power_stat.h count: a sector is an access, a load of a sector on
    its way is a hit and takes one from the misses, and packets of a sector are a flit."""
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
        "register read": READS * LANES * warps, "register write": WRITES * LANES * warps, "integer": threads,
    }  # fmt: skip


def watts(stats, megahertz, units="integers and floats", factors=PTX):
    """Power of a run, or of an interval. Shared memory, constants and units other than integers are not counted."""
    events = counts(stats)
    dynamic = sum(PICOJOULES[name][factors] * number for name, number in events.items())
    active = stats["sm.active_cycles"] / (SMS * stats["cycles"])
    first, further = STATIC[units]
    lanes = stats["thread_instructions"] / stats["warp_instructions"] if stats["warp_instructions"] else 0
    static = first + further * (lanes - 1) if lanes else 0
    return CONSTANT + IDLE_SM * SMS * (1 - active) + static * active + dynamic / stats["cycles"] * megahertz * 1e-6
