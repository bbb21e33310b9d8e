# SPDX-License-Identifier: BSD-2-Clause
"""Presets beside micro-benchmarks of their GPUs: latency and bandwidth by footprint, streams, strides.

    python3 tests/hardware/gpus.py [GPU]... [--family NAME]... [--points N] [--to SIZE] [--set KEY=VALUE]... [--rows]
                                   [--markdown] [--pictures FOLDER] [--options FILE] [--jobs N]

The figures are of ../shared/hardware/gpus.json, or the few of them in gpus.json beside this file. gpu_rates.py has the
part of each kernel that runs here. With --options a gpgpusim.config replaces the preset and the board's settings.

  chase    cycles of a load by footprint: `synthetic:chase`. One thread follows pointers in random order, one to a line
           of 128 bytes; the second of two walks is measured.
  cache    bandwidth of L1 and L2 by what a block reads: `synthetic:accesses`
  l2       bandwidth of L2 and DRAM by what all blocks read: `synthetic:gpu-l2`
  stream   bandwidth of DRAM by threads of an SM, of six kernels: `synthetic:gpu-stream`
  strides  cycles of a warp's load that hits L1, by the pattern of its lanes: `synthetic:gpu-strides`

Where a level holds the footprint, latency or bandwidth is flat: a plateau. The knee after a plateau is the footprint at
which the latency, or the time of a byte, has risen by half of the way to the next plateau. DRAM saturates at the first
number of threads with 95 % of the largest bandwidth.
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
import gpu_picture
import gpu_rates

SHARED = compare.SHARED.parent.parent / "hardware" / "gpus.json"
BUNDLED = pathlib.Path(__file__).with_name("gpus.json")
FLAT = 0.03  # largest step within a plateau
LEAST = 3  # points of a plateau
SATURATED = 0.95  # share of a stream's largest bandwidth
LATENCY, KNEE, RATE = 5, 15, 10  # per cent: bounds of a plateau's latency, of a knee, of a bandwidth
FULL, PART = 10, 20  # per cent: bounds of a stream by at least half of an SM's threads, and by fewer
CYCLES = 10  # per cent: bound of a load's cycles in `strides`

# A preset; the carve-out that CUDA's driver plans for an SM's full number of blocks with the system's reserved shared
# memory; settings of the measured board, which is not the preset's; the names in gpus.json that differ; the buffers, KiB,
# of which the bandwidth is compared; the SMs that run a block of `cache` together, as an RDNA work-group processor; and
# bytes that a lane of `cache` loads.
BUFFERS = {"L1": 64, "L2": 1024}
Board = namedtuple("Board", "preset carveout settings names buffers together lane", defaults=({}, BUFFERS, 1, 4))


def clocks(core, **more):
    return {"clock.core": core, "clock.network": core, "clock.l2": core, **more}


GPUS = {
    "v100": Board("v100", "0B", {}),
    "a100_80": Board("a100", "32KiB", {"clock.dram": 1512, "dram.latency": 252}, {"strides": "a100"}),
    "a40": Board("rtx3090", "16KiB", {"sm.count": 84, **clocks(1740), "clock.dram": 1812, "dram.latency": 256}),
    "l40": Board("rtx4090", "32KiB", {"sm.count": 142, **clocks(2490), "clock.l2": 1868, "clock.dram": 2250, "dram.latency": 247,
                                      "l2.size": "96MiB"}),
    "gh200": Board("h200", "32KiB", {"clock.dram": 1309}),
    "h200": Board("h200", "32KiB", {}),
    "rx6900xt": Board("rx6900xt", "0B", clocks(2555), {"strides": "rdna2"}, {"L0": 32, "GL1": 112, "L2": 1024}, 2),
    "mi300x": Board("mi300x", "0B", {}, {}, {"L1": 16, "L2": 1024}, 1, 16),
    "mi210": Board("mi210", "0B", {}, {}, {"L1": 8, "L2": 176}, 1, 16),
}  # fmt: skip

# Families: curves in gpus.json, and the points of a curve that run by default.
FAMILIES = {"chase": "chase", "cache": "cache_bandwidth", "l2": "l2_bandwidth", "stream": "stream", "strides": "strides"}
POINTS = {"chase": 48, "cache": 12, "l2": 16, "stream": 8, "strides": 1000}

Row = namedtuple("Row", "kib gpu model")  # a footprint, and cycles of a load or GB/s
Rate = namedtuple("Rate", "gpu model")  # GB/s of all SMs
Level = namedtuple("Level", "latency knee")  # a plateau; the knee is None for the last
Stream = namedtuple("Stream", "kind share gpu model")  # share: of the SM's threads; GB/s
Stride = namedtuple("Stride", "bytes width stride gpu model")  # cycles of a load


def read():
    return json.loads((SHARED if SHARED.exists() else BUNDLED).read_text())


def some(points, count):
    """`count` of the points, equally far apart in their list, with the first and the last."""
    if count >= len(points):
        return points
    return [points[round(i * (len(points) - 1) / (count - 1))] for i in range(count)]


def curve(gpu, family, data):
    """Points of a GPU's curve; none, if it was not measured."""
    return data.get(FAMILIES[family], {}).get(GPUS[gpu].names.get(family, gpu), {}).get("points", [])


def _measure(job):
    preset, settings, what, arguments = job
    if what != "chase":
        return getattr(gpu_rates.Bench(preset, settings), what)(*arguments)
    footprint = max(int(arguments[0] * 1024) // 128, 2) * 128
    return chase.run((chase.Point(0, 128, footprint, 0.0), preset, settings)).cycles


def _measure_all(gpu, what, each, settings, jobs):
    """Results for `each` of the arguments, in their order."""
    board = GPUS[gpu]
    whole = (("l1.carveout", board.carveout),) if what == "chase" or what == "cache" else ()
    settings = (*whole, *((key, str(value)) for key, value in board.settings.items()), *settings)
    work = [(board.preset, settings, what, arguments) for arguments in each]
    if jobs == 1:
        return [_measure(job) for job in work]
    with multiprocessing.Pool(jobs) as pool:
        return pool.map(_measure, work, chunksize=1)


def run(gpu, points, settings=(), jobs=1, family="chase"):
    """[Row] of a family by footprint."""
    more = (GPUS[gpu].together, GPUS[gpu].lane) if family == "cache" else ()
    found = _measure_all(gpu, family, [(point[0], *more) for point in points], settings, jobs)
    return [Row(point[0], point[2 if family == "chase" else 1], model) for point, model in zip(points, found)]


def rates(gpu, data, settings=()):
    """{level: Rate} of the levels whose bandwidth the GPU's curve has."""
    points = curve(gpu, "cache", data)
    near = [min(points, key=lambda point, kib=kib: abs(point[0] - kib)) for kib in GPUS[gpu].buffers.values() if points]
    return {level: Rate(row.gpu, row.model) for level, row in zip(GPUS[gpu].buffers, run(gpu, near, settings, family="cache"))}


def streams(gpu, points, settings=(), jobs=1, kinds=gpu_rates.KINDS):
    """[Stream] of each kind, by threads of an SM."""
    bench = gpu_rates.Bench(GPUS[gpu].preset)
    threads = bench.value("sm.warps") * bench.value("sm.lanes")
    points = sorted(points, key=lambda point: point[0] * point[1])
    each = [(kind, point) for kind in kinds for point in points]
    found = _measure_all(gpu, "stream", [(kind, point[0], point[1]) for kind, point in each], settings, jobs)
    return [Stream(kind, point[0] * point[1] / threads, point[2 + gpu_rates.KINDS.index(kind)], model)
            for (kind, point), model in zip(each, found)]  # fmt: skip


def strides(gpu, points, settings=(), jobs=1):
    each = [(8 if kind == "double" else 4, int(first) if shape == "block" else 0,
             int(second if shape == "block" else first)) for kind, shape, first, second, *_ in points]  # fmt: skip
    found = _measure_all(gpu, "strides", each, settings, jobs)
    return [Stride(*what, point[4], model) for what, point, model in zip(each, points, found)]


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


def near_streams(rows):
    """Rows within the bound for their share of an SM's threads."""
    return [row for row in rows if abs(_off(row.gpu, row.model)) <= (FULL if row.share >= 0.5 else PART)]


def near_strides(rows):
    return [row for row in rows if abs(_off(row.gpu, row.model)) <= CYCLES]


def saturation(rows, which):
    """Least share of an SM's threads with SATURATED of the largest bandwidth."""
    return min(row.share for row in rows if which(row) >= SATURATED * max(map(which, rows)))


def rows_table(rows):
    lines = []
    for row in rows:
        *at, gpu, model = row
        at = " ".join(f"{value:10,.2f}" if isinstance(value, float) else f"{value!s:>10}" for value in at)
        lines.append(f"{at} {gpu:10,.1f} {model:10,.1f} {_off(gpu, model):+8.1f} %")
    return "\n".join(lines)


def _pairs(rows, which=lambda value: value):
    """Plateaus and knees, GPU; here. `which`: the value of a row that rises with the footprint."""
    theirs, ours = levels(rows, lambda row: which(row.gpu)), levels(rows, lambda row: which(row.model))
    plateaus = ", ".join(f"{which(a.latency):,.0f}; {which(b.latency):,.0f}" for a, b in zip(theirs, ours))
    knees = ", ".join(f"{a.knee:,.0f}; {b.knee:,.0f}" if b.knee else f"{a.knee:,.0f}; none"
                      for a, b in zip(theirs, ours) if a.knee)  # fmt: skip
    return plateaus, knees


def _stream_cells(rows):
    cells = [f"{len(near_streams(rows))} of {len(rows)}"]
    for kind in gpu_rates.KINDS:
        of_kind = [row for row in rows if row.kind == kind]
        last, full = of_kind[-1], [saturation(of_kind, which) for which in (lambda row: row.gpu, lambda row: row.model)]
        cells.append(f"{last.gpu:,.0f}; {last.model:,.0f} ({full[0]:.0%}; {full[1]:.0%})")
    return cells


def _cells(rows):
    """{column: cell} of a GPU; `rows`: {family: rows}."""
    cells = {}
    if "chase" in rows:
        cells["cycles of a load"], cells["knees, KiB"] = _pairs(rows["chase"])
    if "rates" in rows:
        cells["GB/s of L1, L2"] = ", ".join(f"{r.gpu:,.0f}; {r.model:,.0f}" for r in rows["rates"].values())
    if "l2" in rows:
        cells["GB/s of L2, DRAM"], cells["its knee, KiB"] = _pairs(rows["l2"], lambda value: 1 / value)
    if "strides" in rows:
        cells["strides within 10 %"] = f"{len(near_strides(rows['strides']))} of {len(rows['strides'])}"
    return cells


def _form(lines, markdown):
    """A table: the first line is its head."""
    if markdown:
        lines = [lines[0], ["---"] * len(lines[0]), *lines[1:]]
        return "\n".join(f"| {' | '.join(line)} |".replace("| --- |", "|---|").replace("--- | ---", "---|---")
                         for line in lines)  # fmt: skip
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths)).rstrip() for line in lines)


def table(found, markdown=False):
    """Two tables: by footprint and stride, and of streams. `found`: {GPU: {family: rows}}."""
    cells = {gpu: _cells(rows) for gpu, rows in found.items()}
    columns = list(dict.fromkeys(column for each in cells.values() for column in each))
    lines = [["GPU", "preset", *columns]]
    lines += [[gpu, pathlib.Path(GPUS[gpu].preset).parent.name or GPUS[gpu].preset, *(each.get(column) or "not measured" for column in columns)]
              for gpu, each in cells.items()]  # fmt: skip
    tables = [_form(lines, markdown)] if columns else []
    streamed = {gpu: rows["stream"] for gpu, rows in found.items() if "stream" in rows}
    lines = [["GPU", "within bounds", *gpu_rates.KINDS], *([gpu, *_stream_cells(rows)] for gpu, rows in streamed.items())]
    return "\n\n".join([*tables, _form(lines, markdown)] if streamed else tables)


def _run_families(gpu, families, data, options):
    """{family: rows} of those that were measured."""
    settings, found = [tuple(word.split("=", 1)) for word in options.settings], {}
    for family in families:
        points = curve(gpu, family, data)
        if family not in ("stream", "strides"):
            points = [point for point in points if point[0] * 1024 <= options.to]
        points = some(points, options.points or POINTS[family])
        if not points:
            continue
        if family == "stream":
            found[family] = streams(gpu, points, settings, options.jobs)
        elif family == "strides":
            found[family] = strides(gpu, points, settings, options.jobs)
        else:
            found[family] = run(gpu, points, settings, options.jobs, family)
        if family == "cache":
            found["rates"] = rates(gpu, data, settings)
        if options.rows:
            print(f"{gpu} {family}\n{rows_table(found[family])}", flush=True)
    return found


def _known(names, known, what):
    for name in names:
        if name not in known:
            sys.exit(f"no {what} is named '{name}': there are {', '.join(known)}")
    return names or list(known)


def main():
    parser = argparse.ArgumentParser(description="Presets beside micro-benchmarks of their GPUs.")
    parser.add_argument("gpus", nargs="*", metavar="GPU", help=f"of {', '.join(GPUS)}; default all")
    parser.add_argument("--family", action="append", default=[], metavar="NAME", help=f"of {', '.join(FAMILIES)}; all")
    parser.add_argument("--points", type=int, metavar="N", help="of a curve; default by family")
    parser.add_argument("--to", type=chase.size, default=256 << 20, metavar="SIZE", help="largest footprint; default 256M")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings")
    parser.add_argument("--rows", action="store_true", help="print each point")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--pictures", type=pathlib.Path, metavar="FOLDER", help="for GPU.svg, curves of each GPU")
    parser.add_argument("--options", type=pathlib.Path, metavar="FILE", help="GPGPU-Sim's, ending in .config")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    data, found = read(), {}
    families = _known(options.family, FAMILIES, "family")
    for gpu in _known(options.gpus, GPUS, "GPU"):
        if options.options:
            GPUS[gpu] = GPUS[gpu]._replace(preset=str(options.options), carveout="0B", settings={})
        found[gpu] = _run_families(gpu, families, data, options)
        if options.pictures:
            picture = gpu_picture.draw(gpu, GPUS[gpu].preset, found[gpu])
            (options.pictures / f"{gpu}.svg").write_text(picture + "\n")
    print(table(found, options.markdown))


if __name__ == "__main__":
    main()
