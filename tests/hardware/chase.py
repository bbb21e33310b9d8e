# SPDX-License-Identifier: BSD-2-Clause
"""The timed model's pointer chase against an H100's: cycles from load to load by footprint.

    python3 tests/hardware/chase.py [TABLE] [--preset h100] [--set KEY=VALUE]... [--stride N] [--cg 0|1]
                                    [--from SIZE] [--to SIZE] [--markdown] [--jobs 2]

TABLE is pointer-chase.txt of ../shared/traces/h100. Each row is synthetic:chase, one warp on one SM. The caches keep
their contents from the first walk through the chain to the second walk, which is measured. The whole table takes some
minutes.
"""

import argparse
import multiprocessing
import pathlib
import re
import sys
from collections import namedtuple

import compare

import gpucache

TABLE = compare.SHARED / "pointer-chase.txt"
LEAST_LOADS = 8192  # measured loads: enough to hide the kernel's other instructions
WITHIN = 5  # per cent, the bound for every row
LINE = re.compile(r"chase cg=(\d) stride=(\d+) footprint=(\d+) cycles=([\d.]+)")

Point = namedtuple("Point", "cg stride footprint cycles")  # a line of the table
Row = namedtuple("Row", "point cycles")


def read_table(path=TABLE):
    return [Point(int(m[1]), int(m[2]), int(m[3]), float(m[4])) for m in LINE.finditer(path.read_text())]


def load(config, preset):
    """A preset, or a file of GPGPU-Sim's options."""
    if pathlib.Path(preset).suffix == ".config":
        config.import_gpgpusim(preset)
    else:
        config.load_preset(preset)


def run(job):
    """A row: cycles per load of the second walk."""
    point, preset, settings = job
    context = gpucache.Context()
    config = gpucache.Config(context)
    load(config, preset)
    # 32 KiB: CUDA's driver plans for an SM's full number of blocks, each with 1 KiB of the system's shared memory.
    for key, value in [("mode", "timed"), ("kernels.flush", "none"), ("launch.cycles", "0"), ("l1.carveout", "32KiB"),
                       *settings]:  # fmt: skip
        config[key] = value
    walks = -(-LEAST_LOADS * point.stride // point.footprint)
    source = f"synthetic:chase:{point.footprint}:stride={point.stride},cg={point.cg},walks={walks}"
    with gpucache.Replay(context, config) as replay, gpucache.Trace(context, source) as trace:
        stats = [result.stats for result in replay.run(trace)]
    measured = stats[len(stats) // 2:]
    return Row(point, sum(s["cycles"] for s in measured) / sum(s["l1.load_requests"] for s in measured))


def run_all(points, preset="h100", settings=(), jobs=2):
    """The largest first, so that processes end together."""
    work = [(point, preset, tuple(settings)) for point in points]
    work.sort(key=lambda job: job[0].footprint / job[0].stride, reverse=True)
    if jobs == 1:
        rows = [run(job) for job in work]
    else:
        with multiprocessing.Pool(jobs) as pool:
            rows = pool.map(run, work, chunksize=1)
    return sorted(rows, key=lambda row: row.point[:3])


def error(row):
    """Error of the model, in per cent of hardware."""
    return 100 * (row.cycles - row.point.cycles) / row.point.cycles


def table(rows, markdown=False):
    form = "| {} | {} | {} | {} | {} | {} |" if markdown else "{:>3} {:>7} {:>12} {:>8} {:>8} {:>8}"
    lines = [form.format("cg", "stride", "footprint", "H100", "model", "error %")]
    if markdown:
        lines.append("|---:" * 6 + "|")
    for row in rows:
        p = row.point
        lines.append(form.format(p.cg, p.stride, f"{p.footprint >> 10:,} KiB", f"{p.cycles:.1f}", f"{row.cycles:.1f}",
                                 f"{error(row):+.1f}"))
    return "\n".join(lines)


def summary(rows):
    errors = [abs(error(row)) for row in rows]
    return (f"{len(rows)} rows: mean absolute error {sum(errors) / len(errors):.2f} %, largest {max(errors):.2f} %, "
            f"{sum(e > WITHIN for e in errors)} beyond {WITHIN} %")


def size(text):
    units = {"": 0, "K": 10, "M": 20, "G": 30}
    match = re.fullmatch(r"(\d+)([KMG]?)(?:iB)?", text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}' is no size such as 64KiB")
    return int(match[1]) << units[match[2]]


def main():
    parser = argparse.ArgumentParser(description="The timed model's pointer chase against an H100's.")
    parser.add_argument("table", nargs="?", type=pathlib.Path, default=TABLE, metavar="TABLE")
    parser.add_argument("--preset", default="h100")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="settings")
    parser.add_argument("--stride", type=int)
    parser.add_argument("--cg", type=int)
    parser.add_argument("--from", type=size, default=0, dest="least", metavar="SIZE")
    parser.add_argument("--to", type=size, default=1 << 40, dest="most", metavar="SIZE")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if not options.table.exists():
        sys.exit(f"{options.table} is missing")
    points = [
        p for p in read_table(options.table)
        if options.least <= p.footprint <= options.most
        and options.stride in (None, p.stride) and options.cg in (None, p.cg)
    ]  # fmt: skip
    settings = [tuple(word.split("=", 1)) for word in options.settings]
    rows = run_all(points, options.preset, settings, options.jobs)
    print(table(rows, options.markdown))
    print(summary(rows))


if __name__ == "__main__":
    main()
