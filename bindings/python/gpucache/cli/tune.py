# SPDX-License-Identifier: BSD-2-Clause
"""tune: find the best number of warps, of thread blocks, and of PCAL's bypassing warps. tuning.py above searches."""

import json
import os
import re
import shlex
from collections import namedtuple

from .. import tuning
from .._results import Results, identity
from .._table import table
from ..about import heading
from ._application import Application, add_runs, measure_all, origin_of
from ._common import add_verbose, at_least, percent, terminal
from ._output import Failure, Output

_LIMITS = {"warps": "sm.warp_limit", "blocks": "sm.block_limit"}

# Result of a search: heading of its numbers, name of the best number.
_NAMES = {"warps": ("warps", "warp-opt"), "blocks": ("blocks", "CTA-opt"), "pcal": ("ebt", "EBTNum")}

_FIGURES = ("cycles", "ipc", "l1.load_hit_rate")  # stored figures of a run

# A finished search: `steps` are {number: figures}, `limit` the number without a limit, None for pcal; `speedup` is over
# running all fitting warps; `changes` are the settings of the best number.
Found = namedtuple("Found", "what best limit steps speedup changes")

_LEGEND = "IPC: warp instructions a cycle, all SMs; speed-up: over all warps that fit."


def default_cache():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(home, "gpucache", "tune.jsonl")


def add(commands):
    parser = commands.add_parser(
        "tune", description="Replay each trace, "
        "timed, with several numbers of warps per scheduler (warp-opt), thread blocks per SM (CTA-opt), and, at "
        "warp-opt, of bypassing warps (the best EBTNum of static PCAL), and print the settings that are fastest. Few "
        "numbers are all tried; of many, powers of two, and then those around the best. A run is kept and not done "
        "again as long as trace, settings and library stay what they are.",
    )  # fmt: skip
    add_runs(parser)
    parser.add_argument("--what", choices=["warps", "blocks", "pcal", "all"], default="all",
                        help="what is searched for; pcal needs warps first; default all")  # fmt: skip
    parser.add_argument("--pcal", default="", metavar="PARAMETER=VALUE,...", help="further parameters of pcal, such as "
                        "level=both: see the command policies")  # fmt: skip
    parser.add_argument("--exhaustive", type=at_least(0), default=tuning.EXHAUSTIVE, metavar="N",
                        help=f"try all numbers if there are at most so many; default {tuning.EXHAUSTIVE}")
    parser.add_argument("--cache", metavar="FILE", help="where runs are kept; default "
                        "~/.cache/gpucache/tune.jsonl, or below XDG_CACHE_HOME")  # fmt: skip
    parser.add_argument("--json", metavar="FILE", help="write everything as JSON; - prints it instead of the tables")
    add_verbose(parser)
    parser.set_defaults(run=run)


# Runs


class Runs:
    """Runs of applications, new and stored."""

    def __init__(self, path, jobs):
        self.results = Results(path)
        self.jobs = jobs
        self.done = self.known = 0

    def identity(self, application, changes):
        options = application.options
        return identity(application.source, {**application.config, **changes}, options.kernels, options.load)

    def measure(self, application, changes):
        """{number: figures} of {number: settings}."""
        identities = {number: self.identity(application, each) for number, each in changes.items()}
        missing = [number for number in changes if self.results.get(identities[number]) is None]
        number_of = {id(changes[number]): number for number in missing}
        tasks = [(application, changes[number]) for number in missing]
        for (_, each), stats in measure_all(tasks, self.jobs):
            figures = {name: stats[name] for name in _FIGURES if name in stats}
            self.results.put(identities[number_of[id(each)]], figures, application=application.name, changes=each)
        self.done += len(missing)
        self.known += len(changes) - len(missing)
        return {number: self.results.get(identity) for number, identity in identities.items()}


def _throughput(figures):
    return figures.get("ipc", 0.0)


def _search(runs, application, exhaustive, what, low, high, changes, start, full=None):
    """A search: `changes` makes the settings of a number; `full` are the reference figures, or high's."""
    steps = {}

    def measure(numbers):
        found = runs.measure(application, {number: changes(number) for number in numbers})
        steps.update(found)
        return {number: _throughput(figures) for number, figures in found.items()}

    best = tuning.best_of(tuning.search(low, high, measure, start, exhaustive), start)
    base = _throughput(steps[high] if full is None else full)
    speedup = _throughput(steps[best]) / base if base else 1.0
    return Found(what, best, high if full is None else None, dict(sorted(steps.items())), speedup, changes(best))


def searches(runs, application, options):
    """The Founds of an application, in order."""
    warps = None
    for what, most in (("warps", application.warp_max), ("blocks", application.block_max)):
        if options.what in (what, "all") or (what, options.what) == ("warps", "pcal"):
            key = _LIMITS[what]
            found = _search(runs, application, options.exhaustive, what, 1, most, lambda number: {key: number}, 1)
            warps = found if what == "warps" else warps
            yield found
    if options.what in ("pcal", "all"):
        yield _pcal(runs, application, options, warps)


def _pcal(runs, application, options, warps):
    """Search from a single warp with a token to all fitting warps."""
    base, more = application.config["scheduler"], f", {options.pcal}" if options.pcal else ""

    def changes(ebt):
        return {"scheduler": f"{base} + pcal(warps={warps.best}, ebt={ebt}{more})"}

    return _search(runs, application, options.exhaustive, "pcal", 1 - warps.best, application.warp_max - warps.best,
                   changes, 0, warps.steps[warps.limit])  # fmt: skip


# Output


def _settings(changes):
    return " ".join(f"--set {shlex.quote(f'{key}={value}')}" for key, value in changes.items())


def _speedups(found):
    """Speed-up per step over the step without a limit."""
    full = _throughput(found.steps[found.best]) / found.speedup if found.speedup else 0.0
    return {number: _throughput(figures) / full if full else 1.0 for number, figures in found.steps.items()}


def _details(application, founds):
    yield f"{application.name}: {application.warp_max} warps a scheduler, {application.block_max} blocks an SM"
    for found in founds:
        heading, name = _NAMES[found.what]
        speedups = _speedups(found)
        rows = [
            [str(number), f"{figures['cycles']:,}", f"{_throughput(figures):.3f}", f"{speedups[number]:.3f}",
             percent(figures, "l1.load_hit_rate"), "best" if number == found.best else ""]
            for number, figures in found.steps.items()
        ]  # fmt: skip
        yield ""
        yield from table([heading, "cycles", "IPC", "speed-up", "L1 hit %", ""], rows, left=(5,))
        yield f"{name} {found.best}: {_settings(found.changes)}"
    yield ""


def as_json(options, applications, founds):
    document = {"schema": 1, **origin_of(options), "applications": []}
    for application, each in zip(applications, founds):
        document["applications"].append({
            "name": application.name, "trace": application.source, "kernels": options.kernels,
            "warp_max": application.warp_max, "block_max": application.block_max, "config": application.config,
            "searches": [
                {"what": found.what, "best": found.best, "speedup": round(found.speedup, 6),
                 "settings": {key: str(value) for key, value in found.changes.items()},
                 "steps": [{"number": number, **figures} for number, figures in found.steps.items()]}
                for found in each
            ],
        })  # fmt: skip
    return json.dumps(document, indent=1) + "\n"


def _varied(what):
    """Keys set by the searches, forbidden elsewhere."""
    if what == "all":
        return tuple(_LIMITS.values())
    return (_LIMITS["blocks" if what == "blocks" else "warps"],)


def _check(application, options):
    if options.what in ("pcal", "all") and re.search(r"\+\s*pcal\b", application.config["scheduler"]):
        raise Failure("the scheduler has pcal already, which this command adds: leave it out, or search --what warps")


def run(options):
    output = None if options.json is None else Output(options.json)
    try:
        applications = [Application(options, source, _varied(options.what)) for source in options.traces]
        for application in applications:
            _check(application, options)
        runs = Runs(options.cache or default_cache(), options.jobs)
        founds = []
        if options.json != "-":
            print("\n".join(heading(origin_of(options))) + "\n", flush=True)
        for application in applications:
            founds.append(list(searches(runs, application, options)))
            terminal.clear()
            if options.json != "-":
                print("\n".join(_details(application, founds[-1])), flush=True)
        if output is not None:
            output.commit(as_json(options, applications, founds))
        if options.json != "-":
            print(f"{runs.done + runs.known} runs, {runs.known} of them known from {runs.results.path}\n{_LEGEND}")
    finally:
        if output is not None:
            output.__exit__()
