# SPDX-License-Identifier: BSD-2-Clause
"""One run of bench/l2_valley.py: a kernel before a tree of Multi2Sim 5.0's caches, with its stored result.

Multi2Sim's parts are the front end (l1.coalescer = multi2sim: an access for each lane, joined in L1; four load/store
units an SM, each with an instruction in flight), buffers of 528 bytes, the choice of victims, the protocol, and the
driver's placement of arrays: in sequence, each behind a word with its size. A variant changes a single part.
"""

import json
import os
import signal
import sys
import time
from collections import namedtuple

from policies import gpucache
from gpucache._results import Results

PRESET = "kepler"
MODULES = 6  # modules of L2, and of memory
MATRICES = ("transitions", "origins")
COUNTERS = ("cycles", "warp_instructions", "round_trip.requests", "round_trip.cycles", "dram.read_sectors",
            "dram.write_sectors", "network.request_bytes", "network.reply_bytes")  # fmt: skip

# `source` follows `synthetic:`, without the size; `suite`: Table 3.4 or 3.5; `set2`: machine learning kernels that the
# document finds independent of L2.
Kernel = namedtuple("Kernel", "name source more suite set2")


def general(name, source, more=""):
    return Kernel(name, source, more, "general", False)


def learning(name, source, set2=True):
    return Kernel(name, source, "", "learning", set2)


KERNELS = [
    general("VectorADD", "vectoradd"),
    general("Transpose", "sdk-transpose"),
    general("ScalarProduction", "sdk-scalarprod"),
    general("FastWalshTransform", "fastwalsh", "convolve=1"),
    general("CppOverload", "cppoverload"),
    general("Histogram", "sdk-histogram"),
    learning("KMeans", "kmeans", False),
    learning("MaxPooling", "maxpool", False),
    learning("MeanPooling", "meanpool", False),
    learning("Kronecker", "kronecker"),
    learning("MatrixElemMult", "elemmul", False),
    learning("ReLU", "relu"),
    learning("Sigmoid", "sigmoid"),
    learning("VectorMul", "vecmul"),
    learning("VectorScale", "vecscale"),
    learning("VectorSub", "vecsub"),
    learning("ZeroPadding", "zeropad"),
]
OTHERS = [
    Kernel("Transpose, naive", "transpose-naive", "", "other", False),
    Kernel("KMeans, rows", "kmeans", "rowmajor=1", "other", False),
    Kernel("BitReversal", "spatial", "", "other", False),
]

PROTOCOL = "nmoesi-multi2sim"
SILENT = "multi2sim-silent"
WAITING = "multi2sim-waiting"

UNITS = {"l1.coalescer": "multi2sim", "l1.queue": "400", "sm.lsus": "4", "sm.lsu_in_flight": "1"}
BUFFERS = {"network.buffer_unit": "bytes", "l2.link_buffer": "528"}  # network's and memory's are the preset's, 528
VICTIMS = {"coherence.any_victim": "true"}
MULTI2SIM = {**UNITS, **BUFFERS, **VICTIMS, "l2.mshr_entries": "unlimited"}
WIDE = {key: "65536" for key in ("network.width", "network.reply_width", "memory.link_width")}
WIDE |= {key: "unlimited" for key in ("network.input_buffer", "network.output_buffer", "memory.link_buffer")}

# Differences of a variant from Multi2Sim: settings (None: the preset's value); "protocol"; "header" of arrays.
VARIANTS = {
    "": {},
    "aligned arrays": {"header": 0},
    "joined before L1": dict.fromkeys(UNITS),
    "any number in flight": {"sm.lsu_in_flight": None},
    "nothing awaited": {"sm.lsu_in_flight": None, "sm.lsu_waits": "false"},
    "buffers of packets": dict.fromkeys(BUFFERS),
    "invalid ways first": dict.fromkeys(VICTIMS),
    "requests wait": {"protocol": WAITING},
    "silent clean evictions": {"protocol": SILENT},
    "nmoesi": {"protocol": "nmoesi"},
    "not inclusive": {"l2.inclusion": "non-inclusive"},
    "no bandwidth limit": WIDE,
    "requests wait, not inclusive": {"protocol": WAITING, "l2.inclusion": "non-inclusive"},
    "nmoesi, not inclusive": {"protocol": "nmoesi", "l2.inclusion": "non-inclusive"},
    "nmoesi-d": {"protocol": "nmoesi-d"},
    "nmoesi, third level": {"protocol": "nmoesi", "cluster.sms": "7", "cluster.size": "128KiB"},
}

# l2: KB of all modules, 0 = none; l1: KB; ways: of L2; size: of the problem, KB.
Run = namedtuple("Run", "kernel l2 l1 ways size variant")


def source(run):
    header = VARIANTS[getattr(run, "variant", "")].get("header", 4)
    more = [run.kernel.more] * bool(run.kernel.more) + [f"header={header}"] * bool(header)
    return ":".join([f"synthetic:{run.kernel.source}:{run.size}KiB", *[",".join(more)] * bool(more)])


def settings(run, mode):
    """Settings of a run, without a flush between kernels, as in Multi2Sim."""
    found = {"mode": mode, "kernels.flush": "none", "coherence": PROTOCOL, "l1.size": f"{run.l1}KiB", **MULTI2SIM}
    for key, value in VARIANTS[run.variant].items():
        if key == "protocol":
            found["coherence"] = value
        elif value is None:
            del found[key]
        elif key != "header":
            found[key] = value
    if run.l2:
        found |= {"l2.size": f"{run.l2}KiB", "l2.ways": str(run.ways)}
    else:
        found["l2.enabled"] = "false"
    return found


def register_others(context):
    """Register two variants of nmoesi-multi2sim: with silent clean evictions, to measure the cost of announcements; and
    without refusals: a request waits for a locked block, where Multi2Sim's access begins again at L1.
    """
    own = context.protocol(PROTOCOL)
    tables = own.tables()
    context.register(gpucache.Protocol(WAITING, flags=own.flags & ~gpucache.ProtocolBits.RETRY, **tables))
    for place in ("first", "between"):
        for state in "ES":
            tables[place][state]["eviction"] = ("hit", "I")
    context.register(gpucache.Protocol(SILENT, flags=own.flags, **tables))


def plain(stats):
    """A level's counters and matrices, for JSON."""
    return {**stats, **{name: getattr(stats, name) for name in MATRICES}}


def replay(run, mode, seed=1):
    with gpucache.Context(seed=seed) as context:
        begun = time.process_time()
        register_others(context)
        with gpucache.Config(context, PRESET, settings(run, mode)) as config:
            with gpucache.Replay(context, config) as replayed, gpucache.Trace(context, source(run)) as trace:
                for _ in replayed.run(trace):
                    pass
                stats, tree = replayed.stats(), replayed.hierarchy.coherence
                levels = {name: plain(level) for name, level in tree.level_stats().items()}
                firsts = {name: plain(tree.stats(name.lower() + "-0")) for name in ("L1", "L2") if name in levels}
        seconds = round(time.process_time() - begun, 3)
    counters = {name: stats[name] for name in COUNTERS if name in stats}
    return {**counters, "levels": levels, "firsts": firsts, "seconds": seconds}


def shared_accesses(run):
    """Warp instructions on shared memory: Multi2Sim counts each as a hit in L1."""
    count = 0
    with gpucache.Context() as context, gpucache.Trace(context, source(run)) as trace:
        for kernel in trace:
            count += sum(warp.column("space").count(gpucache.Space.SHARED) for block in kernel for warp in block)
    return {"shared": count}


def forked(function, patience):
    """Result of a function in a separate process: a crash or timeout costs this result only."""
    reader, writer = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        signal.alarm(patience)
        try:
            result = function()
        except Exception as error:  # a child process has no caller
            result = {"failed": f"{type(error).__name__}: {error}"}
        with os.fdopen(writer, "w") as pipe:
            json.dump(result, pipe)
        os._exit(0)
    os.close(writer)
    return pid, reader


def collect(pid, reader):
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    _, status = os.waitpid(pid, 0)
    return json.loads(text) if text else {"failed": f"ended with wait status {status}"}


class Cache(Results):
    """Results of earlier runs, by Run; of a kernel's shared memory accesses by source alone."""

    def __init__(self, path, mode, seed=1):
        super().__init__(path)
        self.mode, self.seed = mode, seed

    def key(self, run):
        if isinstance(run, Shared):
            return super().key({"shared": source(run)})
        seed = {"seed": self.seed} if self.seed != 1 else {}
        return super().key({"source": source(run), **settings(run, self.mode), **seed})

    def put(self, run, result):
        notes = {} if isinstance(run, Shared) else {**run._asdict(), "kernel": run.kernel.name, "mode": self.mode, "seed": self.seed}
        super().put(run, result, **notes)

    def good(self, run):
        """A valid result, or None."""
        found = self.get(run)
        return None if found is None or "failed" in found else found


# The question how often a kernel touches shared memory.
Shared = namedtuple("Shared", "kernel size")


def run_all(runs, cache, jobs, patience):
    """Make the runs missing in the cache, `jobs` at a time; wait for the oldest run first."""
    todo, seen = [], set()
    for run in runs:
        key = cache.key(run)
        if cache.get(run) is None and key not in seen:
            seen.add(key)
            todo.append(run)
    running, begun = [], time.monotonic()
    for number, run in enumerate([*todo, *[None] * jobs]):
        while running and (run is None or len(running) >= jobs):
            done, pid, reader = running.pop(0)
            result = collect(pid, reader)
            if "failed" in result:
                print(f"{tuple(done)}: {result['failed']}", file=sys.stderr)
            cache.put(done, result)
        if run:
            job = (lambda run=run: shared_accesses(run)) if isinstance(run, Shared) else (
                lambda run=run: replay(run, cache.mode, cache.seed))
            running.append((run, *forked(job, patience)))
            if number % 50 == 49:
                print(f"{number + 1} of {len(todo)} runs, {time.monotonic() - begun:.0f} s", file=sys.stderr)


# Figures of a result


def level(result, name):
    """Counters of L1, of L2 (None without), or of memory."""
    return result["levels"].get(name)


FOUND = ("load_hits", "store_hits", "n_store_hits", "read_request_hits", "write_request_hits")


def found(counters):
    return sum(counters[name] for name in FOUND)


def brought(counters):
    """Blocks brought to a level: changes from I to another state."""
    return sum(counters["transitions"][5]) - counters["transitions"][5][5]


def ratio(counters):
    """Hits over hits and brought blocks: other lookups, and joined accesses, do not count."""
    return found(counters) / (found(counters) + brought(counters)) if counters and found(counters) + brought(
        counters) else None  # fmt: skip


def lumped(counters):
    """Multi2Sim's ratio: probes, received write-backs and retries count as accesses, and cannot hit."""
    return counters["hits"] / counters["accesses"] if counters and counters["accesses"] else None
