# SPDX-License-Identifier: BSD-2-Clause
"""Shared parts of experiments on throttled programs: sweeps over warps, and over PCAL's bypassing warps."""

from ..bottleneck import step_of, warp_optimum
from . import _runs
from ._programs import CHAPTER_4, CHAPTER_5, SENSITIVE, warp_max
from ._signatures import reuse_distances

PRESET = "gtx480-gpgpusim"
# 3.5 of seeds/004 adds hashed sets "at the L1 and L2" to the simulator, against bank camping, without a function. Among
# the functions of 004:set-hashing, xor of six bits has both the published GESUMMV (22 of 31 claims) and SCLUSTER (26 of
# 40), whose rows are 256 KiB apart and share sets under xor of all bits (16).
HASHED = {"l1.index": "xor", "l1.index_bits": "6", "l2.index": "xor", "l2.interleave": "hash"}
MACHINES = {"004": HASHED}  # settings of a document's machine beside the preset
WARPS = (1, 2, 4, 6, 8, 10, 14, 18, 22, 24)  # the legends of seeds/004, Figures 4.2 to 4.9
QUICK_WARPS = (1, 2, 4, 8, 24)
EBT = (-6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6)  # Figure 4.13
QUICK_EBT = (-3, -1, 1, 2)
QUICK_PROGRAMS = ("KMN", "SCLUSTER", "GESUMMV", "ATAX")
LINE, SEGMENTS = {"l1.bypass_fetch": "line"}, {"l1.bypass_fetch": "segments"}
OPPORTUNISTIC = {"l1.tokens": "opportunistic"}


def mean(values):
    """Arithmetic mean, as in seeds/004: the speed-ups of Table 4.1 have 1.41, the mean in 4.8.3; the geometric mean is
    1.33. A mean of no values is no number."""
    values = list(values)
    return sum(values) / len(values) if values else float("nan")


class Bench:
    """Runs of a call of `reproduce`, on PRESET with `more` settings, replaced by an experiment's settings. `only` are
    names of programs; without names a call runs all programs, a quick call a few."""

    @classmethod
    def of(cls, document, runs, quick=False, more=(), only=()):
        """On the machine of a document, "004"."""
        return cls(runs, quick, {**MACHINES.get(document, {}), **dict(more)}, only)

    def __init__(self, runs, quick=False, more=(), only=()):
        self.runs = runs
        self.quick = quick
        self.more = dict(more)
        self.only = tuple(only)
        self.programs = self.chosen(SENSITIVE, QUICK_PROGRAMS)
        self.throttled = [program for program in self.programs if program in CHAPTER_4]
        self.replaced = [program for program in self.programs if program in CHAPTER_5]
        self._bases = {}
        self._most = {}
        self._sweeps = {}

    def chosen(self, programs, quick=None):
        """Programs of this call; without `only`, a quick call has those named by `quick`."""
        names = self.only or (quick if self.quick else None)
        return [program for program in programs if names is None or program.name in names]

    def source(self, program):
        return program.quick if self.quick else program.source

    def all(self, tasks):
        """{key: figures} of {key: (program, settings)}."""
        found = self.runs.all([(PRESET, self.source(program), {**self.more, **settings})
                               for program, settings in tasks.values()])  # fmt: skip
        return dict(zip(tasks, found))

    def groups(self, program, by, most):
        """The largest groups of L1's lines with a common signature: [reuses, most frequent distance, its share, mean].
        """
        def measure():
            found = reuse_distances(PRESET, self.source(program), (by,), self.more)[by][:most]
            return [[g.reuses, g.mode, g.distances[g.mode] / g.reuses, g.mean] for g in found]

        return self.runs.kept(["signatures", by, most, PRESET, self.source(program), self.more], measure)

    def hits_by_age(self, program, settings):
        """Hits of loads in L1, oldest warp of the SM first."""
        settings = {**self.more, **settings}
        return self.runs.kept(["ages", PRESET, self.source(program), settings],
                              lambda: _runs.whole(PRESET, self.source(program), settings)["l1.hits_by_age"])

    def most(self, program):
        if program.name not in self._most:
            self._most[program.name] = warp_max(PRESET, self.source(program))
        return self._most[program.name]

    def warps(self, program):
        """Tried numbers of warps; the last is warp-max."""
        most = self.most(program)
        tried = () if not program.warp_max else QUICK_WARPS if self.quick else WARPS
        return [n for n in tried if n < most] + [most]

    def sweeps(self):
        """{program's name: {warps: figures}}."""
        if not self._sweeps:
            tasks = {
                (p.name, n): (p, {"sm.warp_limit": str(n)} if n < self.most(p) else {})
                for p in self.programs for n in self.warps(p)
            }  # fmt: skip
            for (name, n), figures in self.all(tasks).items():
                self._sweeps.setdefault(name, {})[n] = figures
        return self._sweeps

    def steps(self, program):
        return [step_of(warps, figures) for warps, figures in self.sweeps()[program.name].items()]

    def best(self, program):
        """warp-opt, and the speed-up over warp-max."""
        steps = self.steps(program)
        best = warp_optimum(steps)
        return best.warps, best.throughput / max(steps, key=lambda step: step.warps).throughput

    def base(self, program):
        """Figures of warp-max, without a sweep."""
        if not self._bases:
            self._bases = ({p.name: self._sweeps[p.name][self.most(p)] for p in self.programs} if self._sweeps
                           else self.all({p.name: (p, {}) for p in self.programs}))  # fmt: skip
        return self._bases[program.name]

    def static(self, **more):
        """Static PCAL at warp-opt: {program's name: {EBTNum: figures}}; 0 is throttling alone."""
        tasks = {}
        for program in self.throttled:
            opt = self.best(program)[0]
            for ebt in QUICK_EBT if self.quick else EBT:
                if 1 - opt <= ebt <= self.most(program) - opt:
                    scheduler = {"scheduler": f"gto + pcal(warps={opt},ebt={ebt})"}
                    tasks[program.name, ebt] = (program, {**scheduler, **OPPORTUNISTIC, **LINE, **more})
        found = {p.name: {0: self.sweeps()[p.name][self.best(p)[0]]} for p in self.throttled}
        for (name, ebt), figures in self.all(tasks).items():
            found[name][ebt] = figures
        return found

    def speedups(self, static):
        """{program's name: {EBTNum: speed-up over warp-max}}."""
        bases = {p.name: self.base(p)["cycles"] for p in self.throttled}
        return {name: {ebt: bases[name] / figures["cycles"] for ebt, figures in found.items()}
                for name, found in static.items()}  # fmt: skip
