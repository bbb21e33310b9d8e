# SPDX-License-Identifier: BSD-2-Clause
"""explain: name what bounds each kernel, by runs without a limit each. explain.py above has the limits."""

import contextlib
import json
import os
import sys
import tempfile

from .. import explain as rules
from .._names import short
from .._table import table
from ..about import heading
from ..stats import Stats
from ..trace import TraceWriter
from ._application import Application, add_runs, measure_all, origin_of
from ._common import add_verbose, at_least, context, opened, terminal
from ._output import Output

_EVENTS = 200_000  # accesses of a kernel, about, of which events are taken
_DEALT = 500_000  # most accesses of a trace whose addresses are dealt anew: about a minute
_LOADS = 8  # rows of accesses in the text

_LEGEND = """\
Share: part of the cycles that a run without the limit saves. The largest names the cause, a kernel's own accesses before
the parts that serve the accesses. Sectors: of a request. L1 %, L2 %, DRAM %: parts of the sectors, by the level that
served them. Cycles: of a request, and their share of the latency of all.
"""


def add(commands):
    parser = commands.add_parser(
        "explain", description="Replay each "
        "trace, timed, and then without one limit at a time: faster memories, larger caches, perfect coalescing and so "
        "on. The largest gain names the cause. Changes that suit the cause are tried as well.",
    )  # fmt: skip
    add_runs(parser)
    parser.add_argument("--top", type=at_least(0), default=3, metavar="N",
                        help="details of the N kernels that take longest; default 3")  # fmt: skip
    parser.add_argument("--json", metavar="FILE", help="write everything as JSON; - prints it instead of the tables")
    add_verbose(parser)
    parser.set_defaults(run=run)


# Runs


class Explained(Application):
    """An Application whose runs keep the kernels apart."""

    def measure(self, changes, go_on):
        return self.results(changes, go_on)


class _Dealt:
    """An application with the addresses of its kernels dealt anew, in a file of a folder."""

    def __init__(self, application, folder):
        self.application = application
        self.path = os.path.join(folder, "dealt.gct")
        options = application.options
        with context(options) as made, opened(made, options, application.source) as trace, \
                TraceWriter(made, self.path) as writer:  # fmt: skip
            self.changed = rules.deal(trace, writer)

    def measure(self, changes, go_on):
        return self.application.results(changes, go_on, self.path)


class _Blamed:
    """An application with the events of some SMs."""

    def __init__(self, application, requests):
        self.application = application
        sms = int(application.config["sm.count"]) * int(application.config["gpu.count"])
        self.sms = max(1, min(sms, sms * _EVENTS // max(1, requests)))

    def measure(self, changes, go_on):
        """[Blame], one for each kernel."""
        found = [rules.Blame()]

        def take(event):
            found[-1](event)

        filters = {"whats": rules.WHATS, "sm": (0, self.sms - 1)}
        for _ in self.application.each_result(changes, go_on, events=take, event_filter=filters):
            found.append(rules.Blame())
        return found[:-1]


def _requests(stats):
    return sum(stats.get(f"l1.{kind}_requests", 0) for kind in ("load", "store", "atomic"))


def _is_scattered(stats):
    """Whether accesses of a run touch more than twice the sectors of 32 words side by side."""
    kinds = "load", "store"
    return any(stats.get(f"l1.{kind}_sectors", 0) > 8 * stats.get(f"l1.{kind}_requests", 0) for kind in kinds)


class Explanation:
    """An application's kernels: `results` of the plain run, `findings`, `verdicts` and `accesses`, a list each.

    `longest`: numbers of the kernels that take longest, ascending; `tried`: changes, {number: [(words, cycles)]}.
    `untried`: whether accesses are scattered, but too many for a run with perfect coalescing.
    """

    def __init__(self, application, jobs, top):
        self.application = application
        (_, self.results), = measure_all([(application, {})], 1)
        self.total = sum((result.stats for result in self.results), Stats())
        with contextlib.ExitStack() as opened_here:
            self._find(jobs, opened_here)
        self.verdicts = [rules.verdict(each) for each in self.findings]
        longest = sorted(range(len(self.results)), key=lambda number: -self.results[number].stats["cycles"])
        self.longest = sorted(longest[:top])
        self.tried = self._try_changes(jobs)

    def _find(self, jobs, opened_here):
        application = self.application
        with application.configured() as config:
            reliefs = rules.reliefs(config, self.total)
            self.findings = [self._of_counters(config, result) for result in self.results]
        tasks = {cause: (application, changes) for cause, changes in reliefs.items()}
        self.untried = _is_scattered(self.total) and _requests(self.total) > _DEALT
        if _is_scattered(self.total) and not self.untried:
            dealt = _Dealt(application, opened_here.enter_context(tempfile.TemporaryDirectory(prefix="gpucache-")))
            if dealt.changed:
                tasks["uncoalesced"] = dealt, {}
        blamed = _Blamed(application, max((_requests(result.stats) for result in self.results), default=0))
        tasks[None] = blamed, {}
        causes = {id(task): cause for cause, task in tasks.items()}
        for task, found in measure_all(list(tasks.values()), jobs):
            cause = causes[id(task)]
            if cause is None:
                self.accesses = [blame.rows(opcodes) for blame, opcodes in zip(found, _opcodes(application))]
                continue
            for findings, before, after in zip(self.findings, self.results, found):
                findings += rules.finding(cause, before.stats, after.stats)

    def _of_counters(self, config, result):
        x, y, z = result.kernel.block
        warps = result.kernel.block_count * -(-x * y * z // config.number("sm.lanes"))
        return [rules.Finding("tail", rules.tail(config, result.stats, warps), None)]

    def _try_changes(self, jobs):
        """`tried`, of what the verdicts of the longest kernels suggest."""
        with self.application.configured() as config:
            suggested = {number: rules.changes_for(self.verdicts[number].cause, config)
                         for number in self.longest if self.verdicts[number] is not None}  # fmt: skip
        tasks = {words: (self.application, changes) for each in suggested.values() for words, changes in each}
        words_of = {id(task): words for words, task in tasks.items()}
        found = {words_of[id(task)]: results for task, results in measure_all(list(tasks.values()), jobs)}
        return {number: [(words, found[words][number].stats["cycles"]) for words, _ in each]
                for number, each in suggested.items()}  # fmt: skip


# Output


def _share(value):
    return "-" if value is None else f"{100 * value:.1f}"


def _ordered(findings):
    return sorted(findings, key=lambda finding: -finding.share)


def _cause_text(verdict):
    return "no limit found" if verdict is None else rules.CAUSES[verdict.cause]


def _summary(explanation):
    rows = []
    for number, (result, verdict) in enumerate(zip(explanation.results, explanation.verdicts)):
        others = [each for each in _ordered(explanation.findings[number])
                  if each is not verdict and each.share >= rules.LEAST]  # fmt: skip
        rows.append([
            str(number + 1), short(result.kernel.name), f"{result.stats['cycles']:,}",
            _share(verdict and verdict.share), _cause_text(verdict),
            ", ".join(f"{each.cause} {_share(each.share)}" for each in others),
        ])  # fmt: skip
    more = ["accesses are scattered, but too many for a try with perfect coalescing: choose with --kernels"]
    return [*table(["", "kernel", "cycles", "share %", "bound by", "other limits, share %"], rows, left=(1, 4, 5)),
            *more[:explanation.untried]]  # fmt: skip


def _access_cells(access):
    return [
        hex(access.pc) if access.pc is not None else "-", access.opcode or access.kind or "-", f"{access.requests:,}",
        "-" if access.sectors is None else f"{access.sectors:.1f}", _share(access.l1), _share(access.l2),
        _share(access.dram), "-" if access.cycles is None else f"{access.cycles:,.0f}", _share(access.share),
    ]  # fmt: skip


def _details(explanation, number):
    result, verdict = explanation.results[number], explanation.verdicts[number]
    rows, tried = explanation.accesses[number], explanation.tried.get(number)
    cycles = result.stats["cycles"]
    yield f"{number + 1} {short(result.kernel.name)}: {_cause_text(verdict)}"
    if rows:
        yield from table(["PC", "access", "requests", "sectors", "L1 %", "L2 %", "DRAM %", "cycles", "share %"],
                         [_access_cells(access) for access in rows[:_LOADS]], left=(0, 1))  # fmt: skip
    found = [[rules.CAUSES[each.cause], "-" if each.cycles is None else f"{each.cycles:,}", _share(each.share)]
             for each in _ordered(explanation.findings[number])]  # fmt: skip
    yield from table(["without this limit", "cycles", "share %"], found)
    if tried:
        yield from table(["tried", "cycles", "speed-up"],
                         [[words, f"{each:,}", f"{cycles / max(1, each):.2f}"] for words, each in tried])  # fmt: skip
    yield ""


def as_json(options, explanations):
    document = {"schema": 1, **origin_of(options), "applications": []}
    for explanation in explanations:
        kernels = []
        for number, (result, verdict) in enumerate(zip(explanation.results, explanation.verdicts)):
            kernels.append({
                "number": number + 1, "name": result.kernel.name, "cycles": result.stats["cycles"],
                "cause": verdict and verdict.cause, "share": verdict and round(verdict.share, 6),
                "findings": [{**each._asdict(), "share": round(each.share, 6)}
                             for each in _ordered(explanation.findings[number])],
                "accesses": [row._asdict() for row in explanation.accesses[number]],
                "tried": [{"change": words, "cycles": cycles} for words, cycles in explanation.tried.get(number, ())],
            })  # fmt: skip
        application = explanation.application
        document["applications"].append({
            "name": application.name, "trace": application.source, "kernels": options.kernels,
            "untried": ["uncoalesced"] * explanation.untried, "explained": kernels,
        })  # fmt: skip
    return json.dumps(document, indent=1) + "\n"


def _opcodes(application):
    """[{pc: opcode}] of an application's kernels."""
    options = application.options
    with context(options) as made, opened(made, options, application.source) as trace:
        return [rules.opcodes_of(kernel) for kernel in trace]


def run(options):
    output = None if options.json is None else Output(options.json)
    try:
        explanations = []
        if options.json != "-":
            print("\n".join(heading(origin_of(options))) + "\n", flush=True)
        for source in options.traces:
            explanation = Explanation(Explained(options, source), options.jobs, options.top)
            terminal.clear()
            explanations.append(explanation)
            if options.json != "-":
                print(explanation.application.name)
                print("\n".join(_summary(explanation)) + "\n")
                for number in explanation.longest:
                    print("\n".join(_details(explanation, number)), flush=True)
        if output is not None:
            output.commit(as_json(options, explanations))
        if options.json != "-":
            sys.stdout.write(_LEGEND)
    finally:
        if output is not None:
            output.__exit__()
