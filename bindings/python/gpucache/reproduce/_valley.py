# SPDX-License-Identifier: BSD-2-Clause
"""Programs of seeds/002 before a tree of Multi2Sim 5.0's caches.

Multi2Sim's parts are the front end (l1.coalescer = multi2sim: an access for each lane, joined in L1; four load/store
units an SM, each with an instruction in flight), buffers of 528 bytes, the choice of victims, the protocol, and the
driver's placement of arrays: in sequence, each behind a word with its size. A variant changes a single part.
"""

import os
import tempfile
from collections import namedtuple
from functools import partial

from ..config import Config
from ..context import Context
from ..protocol import Protocol, ProtocolBits
from ..replay import Replay
from ..trace import Space, Trace
from ._bench import mean
from ._shared import CLOSE, LAST, WINDOWS, through_l1

PRESET = "kepler"
MODULES = 6  # modules of L2, and of memory
MATRICES = ("transitions", "origins")

# `source` follows `synthetic:`, without the size; `set2`: programs of machine learning that the document finds
# independent of L2.
Kernel = namedtuple("Kernel", "name source more suite set2")


def general(name, source, more=""):
    return Kernel(name, source, more, "general", False)


def learning(name, source, set2=True):
    return Kernel(name, source, "", "learning", set2)


# Tables 3.4 and 3.5. The general programs have the loops of the sources cited by the document, those of machine
# learning are our own with the document's names.
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
]  # fmt: skip
# The thesis calls the data an image; pixels of four bytes are counted once. Chosen after Table 4.3's counts were seen.
PIXELS = general("Histogram, pixels", "sdk-histogram", "pixels=1")
REVERSAL = Kernel("BitReversal", "spatial", "", "other", False)
QUICK = ("Transpose", "Histogram", "KMeans", "MaxPooling", "Kronecker", "VectorMul")
SOME = ("Transpose", "Histogram", "MaxPooling", "VectorMul")
GENERAL, LEARNING, SET2 = "general", "machine learning", "set 2"
SUITES = {GENERAL: lambda k: k.suite == "general", LEARNING: lambda k: k.suite == "learning", SET2: lambda k: k.set2}

PROTOCOL, SILENT, WAITING = "nmoesi-multi2sim", "multi2sim-silent", "multi2sim-waiting"
UNITS = {"l1.coalescer": "multi2sim", "l1.queue": "400", "sm.lsus": "4", "sm.lsu_in_flight": "1"}
BUFFERS = {"network.buffer_unit": "bytes", "l2.link_buffer": "528"}  # network's and memory's are the preset's, 528
VICTIMS = {"coherence.any_victim": "true"}
MULTI2SIM = {**UNITS, **BUFFERS, **VICTIMS, "l2.mshr_entries": "unlimited"}
WIDE = {key: "65536" for key in ("network.width", "network.reply_width", "memory.link_width")}
WIDE |= {key: "unlimited" for key in ("network.input_buffer", "network.output_buffer", "memory.link_buffer")}

# Differences of a variant from Multi2Sim: settings (None: the preset's value); "protocol"; "header" of arrays; "shared":
# where accesses to shared memory go, None: not to L1.
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
# The last two have Multi2Sim's default size of shared memory, which limits the blocks of an SM.
FEW_BLOCKS, CLOSE_BLOCKS = "windows, 16 KiB an SM", "windows of 8 KiB, 16 KiB an SM"
SHARED = {"windows": {"shared": WINDOWS}, "last addresses": {"shared": LAST},
          FEW_BLOCKS: {"shared": WINDOWS, "sm.shared": "16KiB"},
          CLOSE_BLOCKS: {"shared": CLOSE, "sm.shared": "16KiB"}}  # fmt: skip

# l2: KB of all modules, 0 = none; l1: KB; ways: of L2; size: of the problem, KB.
Run = namedtuple("Run", "kernel l2 l1 ways size variant")


def source(kernel, size, variant=""):
    header = VARIANTS.get(variant, {}).get("header", 4)
    more = [kernel.more] * bool(kernel.more) + [f"header={header}"] * bool(header)
    return ":".join([f"synthetic:{kernel.source}:{size}KiB", *[",".join(more)] * bool(more)])


def settings(run):
    """Settings of a run, without a flush between kernels, as in Multi2Sim."""
    found = {"mode": "timed", "kernels.flush": "none", "coherence": PROTOCOL, "l1.size": f"{run.l1}KiB", **MULTI2SIM}
    for key, value in {**VARIANTS, **SHARED}[run.variant].items():
        if key == "protocol":
            found["coherence"] = value
        elif value is None:
            del found[key]
        elif key != "header":
            found[key] = value
    return found | ({"l2.size": f"{run.l2}KiB", "l2.ways": str(run.ways)} if run.l2 else {"l2.enabled": "false"})


def _register(context):
    """Register two variants of nmoesi-multi2sim: with silent clean evictions, to measure the cost of announcements; and
    without refusals: a request waits for a locked block, where Multi2Sim's access begins again at L1.
    """
    own = context.protocol(PROTOCOL)
    tables = own.tables()
    context.register(Protocol(WAITING, flags=own.flags & ~ProtocolBits.RETRY, **tables))
    for place in ("first", "between"):
        for state in "ES":
            tables[place][state]["eviction"] = ("hit", "I")
    context.register(Protocol(SILENT, flags=own.flags, **tables))


def _plain(stats):
    """A level's counters and matrices, for JSON."""
    return {**stats, **{name: getattr(stats, name) for name in MATRICES}}


def replay(of, how, seed, go_on):
    """Cycles, and counters of each level and of each level's first module."""
    how = dict(how)
    shared = how.pop("shared", None)
    with Context(seed=seed) as context, tempfile.TemporaryDirectory() as folder:
        _register(context)
        if shared:
            of = through_l1(context, of, shared, os.path.join(folder, "trace"))
        with Config(context, PRESET, how) as config, Trace(context, of) as trace:
            with Replay(context, config, lambda progress: go_on()) as replayed:
                for _ in replayed.run(trace):
                    pass
                tree = replayed.hierarchy.coherence
                levels = {name: _plain(level) for name, level in tree.level_stats().items()}
                firsts = {name: _plain(tree.stats(name.lower() + "-0")) for name in ("L1", "L2") if name in levels}
                return {"cycles": replayed.stats()["cycles"], "levels": levels, "firsts": firsts}


def shared_accesses(of, go_on=lambda: True):
    """Warp instructions on shared memory."""
    with Context() as context, Trace(context, of) as trace:
        return sum(warp.column("space").count(Space.SHARED) for kernel in trace for block in kernel for warp in block)


def shared_lanes(of):
    """The same, an access for each lane."""
    with Context() as context, Trace(context, of) as trace:
        return sum(bin(mask).count("1") for kernel in trace for block in kernel for warp in block
                   for mask, space in zip(warp.column("mask"), warp.column("space")) if space == Space.SHARED)  # fmt: skip


class Valley:
    """Results by varied parameter: a figure of a kernel, or the mean of a suite, at an L2 size."""

    def __init__(self, bench):
        self.runs = bench.runs
        self.quick = bench.quick
        self.more = {key: value for key, value in bench.more.items() if key != "seed"}
        self.seed = int(bench.more.get("seed", 1))  # decides after how many cycles Multi2Sim tries again
        self.kernels = bench.chosen(KERNELS, QUICK)
        self.size = 256 if bench.quick else 2048
        self.sizes = (0, 96, 768, 1536, 12288) if bench.quick else (0, 96, 192, 384, 768, 1536, 3072, 6144, 12288)
        self.variants = ("", "requests wait", "silent clean evictions") if bench.quick else tuple(VARIANTS)
        self.shared_size = 64 if bench.quick else 256
        self.problems = (64, 128, 256, 512) if bench.quick else tuple(64 << n for n in range(9))  # to 16 MB
        self.spatial = (96, 384) if bench.quick else (96, 192, 384, 768, 1536)
        self.found, self.shared = {}, {}

    def kernel(self, name):
        return next(k for k in self.kernels if k.name == name)

    def run(self, kernel, l2, l1=16, ways=16, size=None, variant=""):
        return Run(kernel, l2, l1, ways if l2 else 16, size or self.size, variant)

    def need(self, runs):
        """Make runs."""
        runs = list(dict.fromkeys(run for run in runs if run not in self.found))
        how = [["valley", source(r.kernel, r.size, r.variant), {**settings(r), **self.more}, self.seed] for r in runs]
        self.found |= zip(runs, self.runs.each([(key, partial(replay, *key[1:])) for key in how]))
        counted = list(dict.fromkeys(source(r.kernel, r.size, r.variant) for r in runs))
        self.shared |= zip(counted, self.runs.each([(["shared", of], partial(shared_accesses, of)) for of in counted]))

    def result(self, kernel, l2, **other):
        return self.found[self.run(kernel, l2, **other)]

    def cycles(self, kernel, l2, **other):
        return self.result(kernel, l2, **other)["cycles"]

    def speed(self, kernel, l2, **other):
        """Over the largest L2."""
        return self.cycles(kernel, self.sizes[-1], **other) / self.cycles(kernel, l2, **other)

    def l2_ratio(self, kernel, l2, **other):
        """Multi2Sim's: received write-backs and retries count as accesses, and cannot hit."""
        l2_level = self.result(kernel, l2, **other)["levels"].get("L2")
        return l2_level["hits"] / l2_level["accesses"] if l2_level and l2_level["accesses"] else 0.0

    def l1_ratio(self, kernel, l2, lanes=False, **other):
        """Multi2Sim's: every lookup is an access, and joined lanes are none; probes and retries are accesses without
        hits. Accesses to shared memory are hits, as in the document, if they are not in L1 themselves."""
        run, l1 = self.run(kernel, l2, **other), self.result(kernel, l2, **other)["levels"]["L1"]
        of = source(run.kernel, run.size, run.variant)
        shared = 0 if run.variant in SHARED else self.shared[of]
        if lanes:
            shared = self.runs.kept(["shared lanes", of], partial(shared_lanes, of))
        return (l1["hits"] + shared) / (l1["accesses"] + shared)

    def of(self, suite):
        return [kernel for kernel in self.kernels if SUITES[suite](kernel)]

    def mean(self, suite, what, l2, **other):
        return mean(what(kernel, l2, **other) for kernel in self.of(suite))

    def means(self, suite, what, sizes=None, **other):
        return [self.mean(suite, what, l2, **other) for l2 in sizes or self.sizes]
