# SPDX-License-Identifier: BSD-2-Clause
"""Cycles of kernels in Accel-Sim with SM7_QV100, beside cycles with the same options imported here.

    python3 bench/accel_sim.py [--set KEY=VALUE]

tests/config/SM7_QV100*.config are the options with a key, from files of accel-sim/gpgpu-sim_distribution and
accel-sim-framework. Accel-Sim's figures include a launch of 5,000 cycles. A row says how its kernel is known:

    given     the kernel was described with its figure
    reasoned  the kernel follows from the figure: a chain of 400 adds of 7 cycles takes 399 x 7 more than an empty
              kernel, and the other kernels also have 400 instructions a warp: chain of L1 hits 330 + 399 x 24, past L1
              310 + 399 x 175, loads of 16 warps that hit 330 + 24 + 6,400, 32 sectors each on 4 banks 176 + 6,400 x 8,
              stores 182 + 6,400 x 4. Count and warps are therefore exact, and no test.
    open      several kernels fit, without comparison: unknown are the stride of the chain through DRAM, and size, warps
              and order of reads from L2 and DRAM. The row has one possible kernel.
    trace     shared/traces/h100, and Accel-Sim 73f9fac with gpgpu-sim 667834cf. Volta's opcodes lack S2UR and ULDC, which
              are IADD3 for both
    policy    warp-reuse on 4 SMs with a replacement policy of L1 in the same Accel-Sim (decisions.h), and the hits of
              L1 in percent; the kernel by `gpucache convert`, opcodes unknown to Volta as IADD3
Needs the bindings and the library: PYTHONPATH=bindings/python GPUCACHE_LIBRARY=build/lib/libgpucache.so.
"""

import argparse
import lzma
import os
import pathlib
import re
import sys
import tempfile
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, os.path.join(ROOT, "bindings", "python"))

import gpucache  # noqa: E402

OPTIONS = [ROOT / "tests" / "config" / name for name in ("SM7_QV100.config", "SM7_QV100.trace.config")]
TRACES = ROOT.parent / "shared" / "traces" / "h100"
CHAIN = "classes:128B:int=1,fp=0,dependent=1,threads=32"
WARPS = "classes:2KiB:threads=512,count=400"
LOADS = "accesses:128B:dependent=1,stride=0,threads=32"
REUSE = "warp-reuse:1152KiB:lines=36,repeats=4"


class Row(NamedTuple):
    name: str
    known: str
    kernel: str
    cycles: int


ROWS = [
    Row("nothing", "given", f"{CHAIN},count=1", 5_011),
    Row("chain of adds", "given", f"{CHAIN},count=400", 7_804),
    Row("integer, 16 warps", "given", f"{WARPS},int=1,fp=0", 8_393),
    Row("mixed, 16 warps", "given", f"{WARPS},int=1,fp=1", 6_617),
    Row("chain through L1", "reasoned", LOADS, 14_917),
    Row("chain through L2", "reasoned", f"{LOADS},cg=1", 75_146),
    Row("chain through DRAM", "open", LOADS.replace("128B", "512MiB") + ",step=1048576", 139_461),
    Row("bandwidth of L1", "reasoned", "accesses:128B:threads=512", 11_765),
    Row("divergent", "reasoned", "accesses:128B:threads=512,stride=32", 56_387),
    Row("stores", "reasoned", "accesses:128B:threads=512,store=1", 30_793),
    Row("bandwidth of L2", "open", "accesses:2MiB:cg=1,threads=128,blocks=80,apart=4096,step=128", 19_102),
    Row("bandwidth of DRAM", "open", "accesses:16MiB:threads=64,blocks=80,apart=51200,step=128", 18_309),
    Row("vecadd", "trace", "vecadd", 12_240),
    Row("conv2d", "trace", "conv2d", 11_866),
]


class Policy(NamedTuple):
    name: str
    cycles: int
    hits: float


POLICIES = [
    Policy("lru", 45_419, 0.0),
    Policy("srrip", 45_419, 0.0),
    Policy("bip", 35_920, 27.3),
    Policy("dip", 37_960, 20.4),
]
FOLDER = tempfile.TemporaryDirectory(prefix="accel-sim-")


def run(context, source, **settings):
    """Statistics for each launch."""
    config = gpucache.Config(context)
    for name in OPTIONS:
        config.import_gpgpusim(name)
    for key, value in {"mode": "timed", **settings}.items():
        config[key] = value
    with gpucache.Replay(context, config) as replay, gpucache.Trace(context, str(source)) as trace:
        return [launch.stats for launch in replay.run(trace)]


def with_opcodes_of_volta(kernel):
    """A copy of a trace of the H100, whose S2UR and ULDC are IADD3."""
    target = pathlib.Path(FOLDER.name) / f"{kernel}.traceg"
    if not target.exists():
        text = lzma.open(TRACES / kernel / "kernel-1.traceg.xz", "rt").read()
        target.write_text(re.sub(r" (S2UR|ULDC)\S* ", " IADD3 ", text))
    return target


def source_of(row):
    """Source of a row; None if the trace is missing."""
    if row.known != "trace":
        return f"synthetic:{row.kernel}"
    return with_opcodes_of_volta(row.kernel) if (TRACES / row.kernel).exists() else None


def hits_of(context, policy, **settings):
    """Cycles of warp-reuse with a policy, and L1's hits in percent."""
    (stats,) = run(context, f"synthetic:{REUSE}", **{"sm.count": 4, "l1.replacement": policy, **settings})
    return stats["cycles"], 100 * stats["l1.load_sector_hits"] / max(1, stats["l1.load_sectors"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="besides what is imported")
    settings = dict(text.split("=", 1) for text in parser.parse_args().set)
    context = gpucache.Context()
    print("| kernel | | synthetic kernel, or trace | Accel-Sim | here | |\n|---|---|---|---:|---:|---:|")
    for row in ROWS:
        source = source_of(row)
        if source:
            cycles = sum(stats["cycles"] for stats in run(context, source, **settings))
            print(f"| {row.name} | {row.known} | `{row.kernel}` | {row.cycles:,} | {cycles:,} | "
                  f"{100 * (cycles / row.cycles - 1):+.1f} % |", flush=True)  # fmt: skip
    for policy in POLICIES:
        cycles, hits = hits_of(context, policy.name, **settings)
        print(f"| {policy.name} | policy | `{REUSE}` | {policy.cycles:,}; {policy.hits:.1f} % | {cycles:,}; {hits:.1f} % | "
              f"{100 * (cycles / policy.cycles - 1):+.1f} %; {hits - policy.hits:+.1f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
