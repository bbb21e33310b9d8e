# SPDX-License-Identifier: BSD-2-Clause
"""Every replacement policy and bypass predictor on cache-sensitive kernels and on traces of an H100, on the presets
gtx480 and h100: L1 hit rate and traffic between L1 and L2 of functional runs, also with the speed-up over LRU for timed
runs (scheduler gto; on gtx480 also lrr), beside the figures of seeds/004.

    python3 bench/policies.py [--quick] [--mode NAME] [--preset NAME] [--only TEXT] [--report] [--all]

Needs the bindings and the library: PYTHONPATH=bindings/python GPUCACHE_LIBRARY=build/lib/libgpucache.so.

Results are kept in a file (--cache), one line per policy, trace, preset, mode and build of the library, so that an
interrupted run can continue; --report prints the file and runs nothing. Every run has a separate process, --jobs at a
time: a crash, or a run longer than --patience, costs only its own figure.

The documents simulate the 15 SMs of a GTX 480 under GPGPU-Sim. Here a kernel takes a fraction of a second, and its
resident warps touch more lines than L1 has. On h100 kernels run on four SMs (sm.count), as the "_4sm" traces do, with
the whole L2 and DRAM.
"""

import argparse
import json
import math
import os
import signal
import sys
import tempfile
import time
from collections import namedtuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "bindings", "python"))

import gpucache  # noqa: E402
from gpucache import PolicyKind  # noqa: E402
from gpucache._results import Results  # noqa: E402

TRACES = os.path.join(ROOT, "..", "shared", "traces", "h100")
PRESETS = ("gtx480", "h100")
# Settings of a mode. timed-lrr is for comparison, and for gtx480 only.
MODES = {
    "functional": {"mode": "functional"},
    "timed": {"mode": "timed", "scheduler": "gto"},
    "timed-lrr": {"mode": "timed", "scheduler": "lrr"},
}
FOUR = {"sm.count": "4"}

# Replayed kernel: `sources` by preset; `sensitive`: its hits depend on the policy, so that it is timed too.
Kernel = namedtuple("Kernel", "name sources sensitive")


def synthetic(name, gtx480, h100=None, sensitive=True):
    sources = {"gtx480": (f"synthetic:{gtx480}", {}), "h100": (f"synthetic:{h100 or gtx480}", FOUR)}
    return Kernel(name, sources, sensitive)


def traced(name, sensitive=False, presets=PRESETS, file=""):
    return Kernel(name, {preset: (os.path.join(TRACES, name, file), {}) for preset in presets}, sensitive)


KERNELS = [
    synthetic("atax", "atax:2MiB:columns=64"),
    synthetic("bicg", "bicg:2MiB:columns=64"),
    synthetic("mvt", "mvt:2MiB:columns=64"),
    synthetic("gesummv", "gesummv:1MiB:columns=64", "gesummv:2MiB:columns=64"),
    synthetic("kmeans-rows", "kmeans:1MiB:rowmajor=1,centres=2,features=64", "kmeans:1MiB:rowmajor=1,centres=2"),
    synthetic("private-reuse", "private-reuse:1MiB:words=64,repeats=4"),
    synthetic("warp-reuse", "warp-reuse:1MiB:lines=12,repeats=8", "warp-reuse:4MiB:lines=48,repeats=4"),
    synthetic("warp-reuse-less", "warp-reuse:768KiB:lines=8,repeats=8", "warp-reuse:3MiB:lines=36,repeats=4"),
    synthetic("warp-reuse-more", "warp-reuse:1MiB:lines=20,repeats=8", "warp-reuse:4MiB:lines=64,repeats=4"),
    traced("streamcluster", True),
    traced("bfs", True, ("gtx480",), "kernel-13.traceg.xz"),  # fits an L1 of the H100
    traced("warp_reuse_36_4sm", True, ("h100",)),
    traced("warp_reuse_48_4sm", True, ("h100",)),
    traced("private_reuse_32_4sm", True),
    *map(traced, ("atax backprop conv2d gather histogram hotspot kmeans kmeans_rowmajor kronecker layernorm lud "
                  "maxpool meanpool nn relu scalarprod spatial_bitrev transpose_naive transpose_tiled vecadd "
                  "warp_reuse warp_reuse_12_4sm warp_reuse_26_4sm zeropad").split()),
]  # fmt: skip
QUICK = ("gesummv", "warp-reuse")
# Share of a trace's instructions in functional runs of untimed kernels: enough for hit rates.
SHARE = {"limit.instructions": "150000"}

# `document`: mean speed-up over LRU in seeds/004, on its 14 cache-sensitive benchmarks.
Policy = namedtuple("Policy", "label settings document modes")


def runs(mode, preset):
    return mode != "timed-lrr" or preset == "gtx480"


def of_l1(settings):
    return {"l1." + key: value for key, value in settings.items()}


def replacement(spec, document="", modes=tuple(MODES), **more):
    label = " ".join([spec, *(value for value in more.values() if value != "true")])
    return Policy(label, of_l1({"replacement": spec, **more}), document, modes)


def predictor(spec, label=None, **more):
    return Policy(label or spec, of_l1({"bypass": spec, **more}), "", tuple(MODES))


LINE, SEGMENTS = {"bypass_fetch": "line"}, {"bypass_fetch": "segments"}
FUTURE = {"future": "true"}
# A profile of the kernel on the preset, made before the run.
PROFILE = "{profile}"

POLICIES = [
    replacement("lru", "1"),
    replacement("fifo"),
    replacement("random"),
    replacement("nru"),
    replacement("plru"),
    replacement("lip"),
    replacement("bip", "about 1"),
    replacement("dip"),
    replacement("age-lru", "1.04"),
    replacement("rpr-age"),
    replacement("rpr-count"),
    replacement("rpr-distance", "1.05 of age-lru"),
    replacement("bip(bypass=1)", "below age-lru's", **LINE),
    replacement("dip(bypass=1)", **LINE),
    replacement("age-lru(bypass=1)", "1.08", **LINE),
    replacement("bip(bypass=1)", "below age-lru's", **SEGMENTS),
    replacement("dip(bypass=1)", **SEGMENTS),
    replacement("age-lru(bypass=1)", "1.28", **SEGMENTS),
    replacement("combined"),
    replacement("dynamic-age-lru"),
    replacement("dynamic-age-lru(bypass=1)", **LINE),
    replacement("dynamic-age-lru(bypass=1)", **SEGMENTS),
    replacement("opt", "", ("functional",), **FUTURE),
    replacement("opt-bypass", "", ("functional",), **FUTURE),
    predictor("agcb"),
    predictor("agcb(update=report)"),
    predictor("access-count"),
    predictor(f"profile-address(file={PROFILE})", "profile-address"),
    predictor(f"hybrid(file={PROFILE})", "hybrid"),
    predictor(f"compiler(file={PROFILE})", "compiler"),
    predictor("mrpb"),
    predictor("mrpb", "mrpb, reordered by warp", reorder="warp"),
    replacement("ship(signature=memory)"),
    replacement("counter-based(bypass=1)"),
    replacement("sdbp(bypass=1)"),
]
BASE = POLICIES[0]
# Registered policies without rows: names used by rows above, policies without an effect alone, bounds that need a key.
SILENT = {"always-cache", "hint", "agcb-below", "vote", "warp-token", "profile-address", "hybrid", "compiler"}
SUMMED = ("l1.load_sectors", "l1.load_sector_hits", "l1.load_lines", "l1.load_line_misses", "l1.fetched_sectors",
          "l1.bypasses", "l2.read_sectors", "l2.write_sectors", "dram.read_sectors", "cycles", "warp_instructions",
          "scheduler.cycles", "scheduler.memory_stalls", "scheduler.line_stalls", "scheduler.mshr_stalls",
          "l1.line_failures", "l1.mshr_failures", "network.reply_bytes", "network.replies", "network.reply_cycles",
          "round_trip.requests", "round_trip.cycles")  # fmt: skip


def registered():
    """Rows of all registered policies missing in POLICIES."""
    known = {value for policy in POLICIES for value in policy.settings.values()} | SILENT
    rows = []
    with gpucache.Context() as context:
        for info in context.policies(PolicyKind.REPLACEMENT):
            if info.name not in known:
                rows.append(replacement(info.name))
        both = {info.name for info in context.policies(PolicyKind.REPLACEMENT)} - SILENT
        for info in context.policies(PolicyKind.PREDICTOR):
            if info.name not in known - both:
                rows.append(predictor(info.name, f"{info.name} (predictor)" if info.name in both else None))
    return rows


def refused(policy):
    """Reason for a missing policy of the library; None: present."""
    if any(PROFILE in value for value in policy.settings.values()):
        return None
    try:
        with gpucache.Context() as context, gpucache.Config(context, PRESETS[0], policy.settings) as config:
            gpucache.Hierarchy(context, config).close()
    except gpucache.errors.GpucacheError as error:
        return str(error)
    return None


# One run

Task = namedtuple("Task", "policy kernel preset mode")


def write_profile(path, preset, source, more):
    with gpucache.Context() as context, gpucache.Config(context, preset, more) as config:
        with gpucache.Profile(context, config) as profile, gpucache.Trace(context, source) as trace:
            profile.run(trace)
            profile.write(path)


def replay(settings, preset, mode, source, more):
    """Counters, hits by warp age and CPU seconds of a run."""
    with tempfile.TemporaryDirectory() as folder, gpucache.Context() as context:
        path = os.path.join(folder, "profile")
        if any(PROFILE in value for value in settings.values()):
            write_profile(path, preset, source, more)
        settings = {key: value.replace(PROFILE, path) for key, value in settings.items()}
        begun = time.process_time()
        with gpucache.Config(context, preset, {**MODES[mode], "kernels.flush": "all", **more, **settings}) as config:
            with gpucache.Replay(context, config) as run, gpucache.Trace(context, source) as trace:
                for _ in run.run(trace):
                    pass
                stats = run.stats()
        seconds = round(time.process_time() - begun, 3)
    counters = {name: stats[name] for name in SUMMED if name in stats}  # counters measured in this mode
    return {**counters, "ages": list(stats.get("l1.hits_by_age", [])), "seconds": seconds}


def make(task):
    source, more = task.kernel.sources[task.preset]
    more = dict(more) if task.kernel.sensitive or task.mode != "functional" else {**more, **SHARE}
    return dict(settings=dict(task.policy.settings), preset=task.preset, mode=task.mode, source=source, more=more)


class Cache(Results):
    """Results of earlier runs, by Task."""

    def key(self, task):
        run = make(task)
        run["source"] = os.path.relpath(run["source"], TRACES) if os.path.exists(run["source"]) else run["source"]
        return super().key(run)

    def put(self, task, result):
        super().put(task, result, policy=task.policy.label, kernel=task.kernel.name, preset=task.preset, mode=task.mode)


def start(task, patience):
    """Start a process that writes its result to the returned pipe: (pid, pipe)."""
    reader, writer = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        os.close(writer)
        return pid, reader
    signal.alarm(patience)
    try:
        result = replay(**make(task))
    except gpucache.errors.GpucacheError as error:
        result = {"failed": str(error)}
    with os.fdopen(writer, "w") as pipe:
        json.dump(result, pipe)
    os._exit(0)


def finish(pid, reader):
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    _, status = os.waitpid(pid, 0)
    return json.loads(text) if text else {"failed": f"ended with wait status {status}"}


def run_all(tasks, cache, jobs, patience):
    """Make the runs missing in the cache; wait for the oldest of `jobs` first, because runs are short."""
    todo = [task for task in tasks if cache.get(task) is None]
    running, begun = [], time.monotonic()
    for number, task in enumerate([*todo, *[None] * jobs]):
        while running and (task is None or len(running) >= jobs):
            done, pid, reader = running.pop(0)
            result = finish(pid, reader)
            if "failed" in result:
                print(f"{done.policy.label}, {done.kernel.name}, {done.preset}, {done.mode}: {result['failed']}",
                      file=sys.stderr)  # fmt: skip
            cache.put(done, result)
        if task:
            running.append((task, *start(task, patience)))
            if number % 100 == 99:
                print(f"{number + 1} of {len(todo)} runs, {time.monotonic() - begun:.0f} s", file=sys.stderr)


# Tables


def geometric_mean(values):
    values = [value for value in values if value]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def mean(values):
    return sum(values) / len(values)


def over(above, below):
    return above / below if below else None


def hit_rate(r):
    return over(r["l1.load_sector_hits"], r["l1.load_sectors"])


def traffic(r):
    """Sectors between L1 and L2; in timed runs the reply network's bytes, without segments left out by bypassing loads.
    """
    return r.get("network.reply_bytes") or r["l2.read_sectors"]


def old_share(r):
    return over(sum(r["ages"][:4]), sum(r["ages"]))


def cell(value, form="{:.3f}"):
    return "-" if value is None else form.format(value)


def print_table(header, rows):
    rows = [header, ["-" * len(name) for name in header], *rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
    for row in rows:
        print("| " + " | ".join(text.ljust(width) for text, width in zip(row, widths)) + " |")
    print(flush=True)


def table(policies, kernels, preset, mode, cache, value, title, average=geometric_mean, document=False):
    """A row per policy, a column per kernel; `value` of a result and of LRU's on the kernel."""
    kernels = [kernel for kernel in kernels if preset in kernel.sources]
    if not kernels:
        return
    base = {kernel.name: cache.get(Task(BASE, kernel, preset, mode)) for kernel in kernels}
    rows = []
    for policy in policies:
        if mode not in policy.modes:
            continue
        found = []
        for kernel in kernels:
            own, lru = cache.get(Task(policy, kernel, preset, mode)), base[kernel.name]
            fine = own and lru and "failed" not in own and "failed" not in lru
            found.append(value(own, lru) if fine else None)
        rows.append([policy.label, cell(None if None in found else average(found)), *([policy.document] if document else []), *map(cell, found)])
    print(f"{title}, {preset}, {mode}\n")
    print_table(["policy", average.__name__.replace("_", " "), *(["seeds/004"] if document else []),
                 *(kernel.name for kernel in kernels)], rows)  # fmt: skip


def print_reasons(policies, kernels, preset, mode, cache):
    """The documents' explanations of speed-ups: Figures 5.8 (hits by age), 5.10 (line stalls), 5.13 (latency)."""
    wanted = ("lru", "bip", "age-lru", "age-lru(bypass=1) line", "age-lru(bypass=1) segments", "rpr-distance")
    rows = []
    for kernel in (kernel for kernel in kernels if preset in kernel.sources):
        for policy in (policy for policy in policies if policy.label in wanted):
            r = cache.get(Task(policy, kernel, preset, mode))
            if r and "failed" not in r:
                rows.append([
                    kernel.name, policy.label, cell(hit_rate(r)), cell(old_share(r)),
                    cell(over(r["l1.bypasses"], r["l1.load_lines"])),
                    cell(over(r["scheduler.line_stalls"], r["scheduler.cycles"])),
                    cell(over(r["scheduler.mshr_stalls"], r["scheduler.cycles"])),
                    cell(over(r["network.reply_cycles"], r["network.replies"]), "{:.0f}"),
                    cell(over(r["round_trip.cycles"], r["round_trip.requests"]), "{:.0f}"),
                ])  # fmt: skip
    print(f"Why, {preset}, {mode}: hits of the four oldest warps (Figure 5.8), cycles of the schedulers that waited for\n"
          "an L1 line (Figure 5.10) or MSHR entry, cycles of a reply in the network and of a round trip to DRAM (Figure "
          "5.13)\n")  # fmt: skip
    print_table(["kernel", "policy", "L1 hits", "of 4 oldest", "bypassed", "line stalls", "MSHR stalls", "reply",
                 "round trip"], rows)  # fmt: skip


def report(policies, kernels, presets, modes, cache):
    sensitive = [kernel for kernel in kernels if kernel.sensitive]
    others = [kernel for kernel in kernels if not kernel.sensitive]
    for preset in presets:
        for mode in (mode for mode in modes if runs(mode, preset)):
            if mode != "functional":
                table(policies, sensitive, preset, mode, cache, lambda r, lru: over(lru["cycles"], r["cycles"]),
                      "Speed-up over LRU", document=True)  # fmt: skip
            table(policies, sensitive, preset, mode, cache, lambda r, lru: hit_rate(r), "L1 hit rate", mean)
            table(policies, sensitive, preset, mode, cache, lambda r, lru: over(traffic(r), traffic(lru)),
                  "Traffic from L2 to L1, of LRU's")  # fmt: skip
            if mode != "functional":
                print_reasons(policies, sensitive, preset, mode, cache)
            else:
                table(policies, others, preset, mode, cache, lambda r, lru: hit_rate(r), "L1 hit rate", mean)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two kernels, sensitive, and the policies of seeds/004")
    parser.add_argument("--mode", choices=MODES, help="just this one")
    parser.add_argument("--preset", choices=PRESETS, help="just this one")
    parser.add_argument("--only", metavar="TEXT", help="just policies whose label has it; LRU always")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help="time kernels whose hits do not depend on the policy, too")
    which.add_argument("--sensitive", action="store_true", help="leave them out")
    parser.add_argument("--report", action="store_true", help="run nothing, print what the cache file has")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--patience", type=int, default=60, help="most seconds of a run (default 60)")
    parser.add_argument("--cache", default=os.path.join(ROOT, "build", "policies.jsonl"), help="file of the results")
    options = parser.parse_args()
    modes = [options.mode] if options.mode else ["timed", "timed-lrr", "functional"]
    presets = [options.preset] if options.preset else PRESETS
    policies = [*POLICIES, *registered()]
    if options.quick:
        policies = [policy for policy in policies if policy.document]
    if options.only:
        policies = [BASE, *(policy for policy in policies if options.only in policy.label and policy != BASE)]
    for policy in list(policies):
        if why := refused(policy):
            print(f"{policy.label}: left out: {why}", file=sys.stderr)
            policies.remove(policy)
    here = os.path.isdir(TRACES)
    if not here:
        print(f"{TRACES} is not there: synthetic kernels alone", file=sys.stderr)
    kernels = [k for k in KERNELS if here or k.sources[next(iter(k.sources))][0].startswith("synthetic")]
    if options.quick:
        kernels = [kernel for kernel in kernels if kernel.name in QUICK]
    if options.sensitive:
        kernels = [kernel for kernel in kernels if kernel.sensitive]
    if options.all:
        kernels = [kernel._replace(sensitive=True) for kernel in kernels]
    os.makedirs(os.path.dirname(os.path.abspath(options.cache)), exist_ok=True)
    cache = Cache(options.cache)
    if not options.report:
        # A policy at a time, first timed runs: an interrupted run has whole rows.
        run_all([Task(policy, kernel, preset, mode)
                 for mode in modes for sensitive in (True, False) for policy in policies
                 for preset in presets for kernel in kernels
                 if preset in kernel.sources and kernel.sensitive == sensitive and mode in policy.modes
                 and runs(mode, preset) and (mode == "functional" or kernel.sensitive)],
                cache, options.jobs, options.patience)  # fmt: skip
    report(policies, kernels, presets, modes, cache)


if __name__ == "__main__":
    main()
