# SPDX-License-Identifier: BSD-2-Clause
"""Presets beside micro-benchmarks of their GPUs: latency of a load by footprint, bandwidth of L1 and L2.

    python3 tests/hardware/gpus.py [GPU]... [--points N] [--to SIZE] [--set KEY=VALUE]... [--rows] [--markdown] [--jobs N]

The figures are of ../shared/hardware/gpus.json, or the few of them in gpus.json beside this file.

Latency: `synthetic:chase`. One thread follows pointers in random order, one to a line of 128 bytes; the second of two
walks is measured. Where a level holds the footprint, the latency is flat: a plateau. The knee after a plateau is the
footprint at which the latency has risen by half of the way to the next plateau.

Bandwidth: `synthetic:accesses`. A block of 512 threads on each SM reads a buffer again and again, all blocks the same
one: 64 KiB stay in L1, 1 MiB in L2. The rate is of the second half of a run, which finds the buffer cached.
"""

import argparse
import json
import math
import multiprocessing
import pathlib
import statistics
import sys
from collections import namedtuple

import chase
import compare

import gpucache

SHARED = compare.SHARED.parent.parent / "hardware" / "gpus.json"
BUNDLED = pathlib.Path(__file__).with_name("gpus.json")
FLAT = 0.03  # largest step within a plateau
LEAST = 3  # points of a plateau
LATENCY, KNEE, RATE = 5, 15, 10  # per cent: bounds of a plateau's latency, of a knee, of a bandwidth

# A preset, the carve-out that CUDA's driver plans for an SM's full number of blocks with the system's reserved shared
# memory, and settings of the measured board, which is not the preset's.
Board = namedtuple("Board", "preset carveout settings")


def clocks(core, **more):
    return {"clock.core": core, "clock.network": core, "clock.l2": core, **more}


GPUS = {
    "v100": Board("v100", "0B", {}),
    "a100_80": Board("a100", "32KiB", {}),
    "a40": Board("rtx3090", "16KiB", {"sm.count": 84, **clocks(1740), "clock.dram": 1812, "dram.latency": 256}),
    "l40": Board("rtx4090", "32KiB", {"sm.count": 142, **clocks(2490), "clock.l2": 1868, "clock.dram": 2250, "dram.latency": 247,
                                      "l2.size": "96MiB"}),
    "gh200": Board("h200", "32KiB", {"clock.dram": 1309}),
}  # fmt: skip

# Buffers of which the bandwidth is compared, KiB: one of L1, one of L2.
BUFFERS = {"L1": 64, "L2": 1024}
THREADS = 512  # of a block
LOADS = 256  # least number of a warp's loads in half a run

Row = namedtuple("Row", "kib gpu model")  # a footprint, and cycles of a load
Rate = namedtuple("Rate", "gpu model")  # GB/s of all SMs
Level = namedtuple("Level", "latency knee")  # a plateau; the knee is None for the last


def read():
    return json.loads((SHARED if SHARED.exists() else BUNDLED).read_text())


def some(points, count):
    """`count` of the points, equally far apart in their list, with the first and the last."""
    if count >= len(points):
        return points
    return [points[round(i * (len(points) - 1) / (count - 1))] for i in range(count)]


def _cycles(job):
    preset, settings, kib = job
    footprint = max(int(kib * 1024) // 128, 2) * 128
    return chase.run((chase.Point(0, 128, footprint, 0.0), preset, settings)).cycles


def _settings(gpu, more):
    board = GPUS[gpu]
    return (("l1.carveout", board.carveout), *((key, str(value)) for key, value in board.settings.items()), *more)


def _launch(context, config, source):
    with gpucache.Replay(context, config) as replay, gpucache.Trace(context, source) as trace:
        return sum(result.stats["cycles"] for result in replay.run(trace))


def _rate(gpu, kib, settings):
    """GB/s of loads from a buffer of `kib`, once it is cached."""
    context = gpucache.Context()
    config = gpucache.Config(context)
    config.load_preset(GPUS[gpu].preset)
    for key, value in (("mode", "timed"), ("launch.cycles", "0"), *_settings(gpu, settings)):
        config[key] = value
    sms, bytes_of_block = int(config["sm.count"]), THREADS * 4
    source = f"synthetic:accesses:{kib}KiB:threads={THREADS},blocks={sms},apart=128,step={bytes_of_block},count="
    loads = max(LOADS, -(-kib * 1024 // bytes_of_block))
    whole, half = (_launch(context, config, f"{source}{count}") for count in (2 * loads, loads))
    return sms * bytes_of_block * loads / (whole - half) * float(config["clock.core"]) / 1000


def rates(gpu, data, settings=()):
    """{level: Rate} of the levels whose bandwidth the GPU's curve has."""
    points = data.get("cache_bandwidth", {}).get(gpu, {}).get("points", [])
    found = {}
    for level, kib in BUFFERS.items() if points else ():
        near = min(points, key=lambda point: abs(point[0] - kib))
        found[level] = Rate(near[1], _rate(gpu, near[0], settings))
    return found


def run(gpu, points, settings=(), jobs=1):
    work = [(GPUS[gpu].preset, _settings(gpu, settings), point[0]) for point in points]
    if jobs == 1:
        found = [_cycles(each) for each in work]
    else:
        with multiprocessing.Pool(jobs) as pool:
            found = pool.map(_cycles, work, chunksize=1)
    return [Row(point[0], point[2], cycles) for point, cycles in zip(points, found)]


def flat(rows):
    """[(first, last)] of the measured plateaus, as indices of rows."""
    found, begun = [], 0
    for end in range(1, len(rows) + 1):
        if end < len(rows) and abs(rows[end].gpu - rows[end - 1].gpu) <= FLAT * rows[end - 1].gpu:
            continue
        if end - begun >= LEAST:
            found.append((begun, end - 1))
        begun = end
    return found


def _crossing(rows, which, middle, first, last):
    """Footprint at which the latency crosses `middle`, between two rows in steps of the logarithm; None: nowhere."""
    for left, right in zip(rows[first:last], rows[first + 1:last + 1]):
        low, high = which(left), which(right)
        if low < middle <= high:
            part = (middle - low) / (high - low)
            return math.exp(math.log(left.kib) + part * math.log(right.kib / left.kib))
    return None


def levels(rows, which):
    """[Level] of `which`, a function of a row, over the measured plateaus."""
    ranges = flat(rows)
    medians = [statistics.median(which(row) for row in rows[first:last + 1]) for first, last in ranges]
    found = []
    for n, median in enumerate(medians):
        knee = None
        if n + 1 < len(medians):
            knee = _crossing(rows, which, (median + medians[n + 1]) / 2, ranges[n][0], ranges[n + 1][1])
        found.append(Level(median, knee))
    return found


def _off(gpu, model):
    return 100 * (model / gpu - 1)


def rows_table(rows):
    lines = [f"{'KiB':>12} {'GPU':>8} {'model':>8} {'error %':>8}"]
    lines += [f"{r.kib:12,.1f} {r.gpu:8.1f} {r.model:8.1f} {_off(r.gpu, r.model):+8.1f}" for r in rows]
    return "\n".join(lines)


def table(found, markdown=False):
    """`found`: {GPU: (rows, rates)}."""
    form = "| {} | {} | {} | {} | {} |" if markdown else "{:<8} {:<8} {:<40} {:<34} {}"
    lines = [form.format("GPU", "preset", "cycles of a load: GPU; here", "knees, KiB", "GB/s of L1, L2")]
    if markdown:
        lines.append("|---" * 5 + "|")
    for gpu, (rows, speeds) in found.items():
        theirs, ours = levels(rows, lambda row: row.gpu), levels(rows, lambda row: row.model)
        cycles = ", ".join(f"{a.latency:.0f}; {b.latency:.0f}" for a, b in zip(theirs, ours))
        knees = ", ".join(f"{a.knee:,.0f}; {b.knee:,.0f}" if b.knee else f"{a.knee:,.0f}; none"
                          for a, b in zip(theirs, ours) if a.knee)  # fmt: skip
        speed = ", ".join(f"{rate.gpu:,.0f}; {rate.model:,.0f}" for rate in speeds.values())
        lines.append(form.format(gpu, GPUS[gpu].preset, cycles, knees, speed or "not measured"))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="Presets beside micro-benchmarks of their GPUs.")
    parser.add_argument("gpus", nargs="*", metavar="GPU", help=f"of {', '.join(GPUS)}; default all")
    parser.add_argument("--points", type=int, default=48, metavar="N", help="of a curve; default 48")
    parser.add_argument("--to", type=chase.size, default=256 << 20, metavar="SIZE", help="largest footprint; default 256M")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings")
    parser.add_argument("--rows", action="store_true", help="print each point")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    unknown = [gpu for gpu in options.gpus if gpu not in GPUS]
    if unknown:
        sys.exit(f"no GPU is named '{unknown[0]}': there are {', '.join(GPUS)}")
    settings = [tuple(word.split("=", 1)) for word in options.settings]
    data, found = read(), {}
    for gpu in options.gpus or GPUS:
        points = [point for point in data["chase"][gpu]["points"] if point[0] * 1024 <= options.to]
        found[gpu] = run(gpu, some(points, options.points), settings, options.jobs), rates(gpu, data, settings)
        if options.rows:
            print(f"{gpu}\n{rows_table(found[gpu][0])}", flush=True)
    print(table(found, options.markdown))


if __name__ == "__main__":
    main()
