# SPDX-License-Identifier: BSD-2-Clause
"""reproduce: the documents' tables and figures, number by number, beside the library's."""

import fnmatch
import json
import os
import sys
import time

from .._table import table, wrapped
from ._application import add_jobs
from ._common import add_verbose, setting, terminal
from ._output import Failure, Output

_WORDS = {True: "yes", False: "no", None: "not run"}


def _verdict(claim):
    """A word of _WORDS; no word for figures left open by the document."""
    return _WORDS[claim.agrees] if claim.theirs else ""


_LEGEND = """\
Agrees: a speed-up, latency or mean within 10 % of the document's, a rate within 5 points, a number or an order
equal. If programs are missing, means are of the present programs. Expectations of the document are not counted."""


def default_cache():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(home, "gpucache", "reproduce.jsonl")


def add(commands):
    parser = commands.add_parser(
        "reproduce", description="Run what the documents ran, on their GPU, and print each number that they give beside the one "
        "that is found here. A run is kept and not done again as long as the library stays what it is, so that what "
        "was interrupted goes on where it was.",
    )  # fmt: skip
    parser.add_argument("names", nargs="*", default=["all"], metavar="NAME",
                        help="all, or tables and figures as --list has them, * for any letters; default all")
    parser.add_argument("--list", action="store_true", help="the tables and figures, and run nothing")
    parser.add_argument("--kept", action="store_true",
                        help="what the file of runs tells of earlier calls, by library and programs, and run nothing")
    parser.add_argument("--quick", action="store_true", help="few programs, small problems, few points of each curve")
    parser.add_argument("--program", action="append", default=[], metavar="NAME",
                        help="only claims of this program, such as KMN, and no table or figure without it; may be repeated")
    parser.add_argument("--set", action="append", default=[], type=setting, metavar="KEY=VALUE",
                        help="for the tables of seeds/004 and 002: of the GPU, beside what a table sets itself; seeds/002 "
                        "also has seed=N")  # fmt: skip
    add_jobs(parser)
    parser.add_argument("--cache", metavar="FILE", help="where runs are kept; default "
                        "~/.cache/gpucache/reproduce.jsonl, or below XDG_CACHE_HOME")  # fmt: skip
    parser.add_argument("--json", metavar="FILE", help="write everything as JSON; - prints it instead of the tables")
    parser.add_argument("--page", metavar="FILE",
                        help="write the page of claims: Markdown, from the last kept runs of each table and figure")
    add_verbose(parser)
    parser.set_defaults(run=run)


def chosen(names, programs=()):
    """Experiments by patterns of names; with programs, those with claims of these."""
    from ..reproduce import EXPERIMENTS  # a slow import, not needed by other commands

    found = []
    for name in names:
        some = [each for each in EXPERIMENTS if name == "all" or fnmatch.fnmatchcase(each.name, name)]
        if not some:
            raise Failure(f"no table or figure is named '{name}': reproduce --list has them all")
        found += [each for each in some if each not in found]
    known = sorted({name for each in found for name in each.programs})
    for name in programs:
        if name not in known:
            raise Failure(f"no program of these tables and figures is named '{name}': {', '.join(known)}")
    return [each for each in found if not programs or set(programs) & set(each.programs)]


def _progress(name):
    started = time.monotonic()

    def show(done, of):
        left = (time.monotonic() - started) / done * (of - done)
        terminal.progress(lambda: f"{name}: {done} of {of} runs, {left:.0f} s left of these")

    return show


def _report(experiment, pairs):
    """A table of judged claims; a claim that differs has its reason in the last column."""
    rows = [[c.subject, c.what, c.theirs, c.ours, _verdict(c), "; ".join(filter(None, (c.note, judgement.reason)))]
            for c, judgement in pairs]  # fmt: skip
    heading = ["", "", "document", "here", "agrees", ""]
    return f"{experiment.name}: {experiment.title}\n" + "\n".join(wrapped(heading, rows, (0, 1, 5))) + "\n"


def summary(found):
    """Numbers of counted claims for each experiment, and the sums for each kind; `found` has judged claims."""
    rows, kinds = [], {}
    for experiment, pairs in found:
        counts = [0, 0, 0, 0]
        for claim, judgement in pairs:
            if claim.theirs:
                place = (True, False, None).index(claim.agrees)
                counts[3 if judgement.kind == "expectation" else place] += 1
                kinds.setdefault(judgement.kind, [0, 0, 0])[place] += 1
        rows.append([experiment.name, experiment.title, *map(str, counts)])
    rows.append(["all", "", *(str(sum(int(row[column]) for row in rows)) for column in range(2, 6))])
    rows += [[f"kind: {kind}", "", *map(str, counts), ""] for kind, counts in sorted(kinds.items())]
    return table(["", "", "agree", "differ", "not run", "expectations"], rows, (0, 1))


def _how(quick, settings):
    """Programs, and settings beside the preset."""
    return " ".join(["quick" if quick else "full", *(f"{key}={value}" for key, value in sorted(settings.items()))])


def _machines(benches):
    return "".join(f", for seeds/{name} with {' '.join(f'{key}={value}' for key, value in bench.more.items())}"
                   for name, bench in sorted(benches.items()) if bench.more)  # fmt: skip


def verdicts(found):
    """Tables and figures as found, each with library and programs; sums combine rows with equal library and programs.
    """
    rows, sums = [], {}
    for each in found:
        counts = (each.agree, each.differ, each.missing)
        how = _how(each.quick, each.settings)
        alike = sums.setdefault((each.library, each.build, how), [0, 0, 0])
        alike[:] = map(sum, zip(alike, counts))
        rows.append([each.name, *map(str, counts), each.library, each.build, each.date, how])
    rows += [["all of these", *map(str, counts), library, build, "", how]
             for (library, build, how), counts in sorted(sums.items())]  # fmt: skip
    return table(["", "agree", "differ", "not run", "library", "build", "on", "programs"], rows, (0, 4, 5, 6, 7))


def _with_reason(claim, judgement):
    """A judged claim for JSON."""
    keys = ("kind", "section", "verdict", "why", "command", "missing")
    return {**claim._asdict(), **{key: getattr(judgement, key) for key in keys}}


def _kept(options):
    from ..reproduce import kept
    from .._results import Results

    names = [each.name for each in chosen(["all"])]
    results = Results(options.cache or default_cache())
    results.close()
    found = kept(results, names)
    if options.names != ["all"]:
        wanted = {each.name for each in chosen(options.names)}
        found = [each for each in found if each.name in wanted]
    if options.json is not None:
        with Output(options.json) as output:
            output.commit(json.dumps({"schema": 1, "verdicts": [each._asdict() for each in found]}) + "\n")
    if options.json != "-":
        print("\n".join(verdicts(found)))
    if options.page is not None:
        _write_page(options, results)


def _write_page(options, results):
    from ..reproduce import EXPERIMENTS, _claims, _page, last_claims
    from ..reproduce._bench import MACHINES

    found = last_claims(results, options.quick, lambda name: MACHINES.get(name.split(":")[0], {}))
    claims = _claims.load()
    rows = _page.judged(EXPERIMENTS, found, claims)
    with Output(options.page) as output:
        output.commit(_page.page(rows))
    if options.json != "-":
        for entry in claims.without_effect((row.experiment.name, claim) for row in rows for claim, _ in row.pairs):
            print(f"claims.json, entry {entry.number}: decides no claim that differs: {entry.why}")


def run(options):
    if options.list:
        print("\n".join(table(["name", ""], [[each.name, each.title] for each in chosen(["all"])], (0, 1))))
        return
    if options.kept:
        _kept(options)
        return
    from ..reproduce import Bench, Runs, _claims, keep
    from ..reproduce._bench import PRESET

    experiments = chosen(options.names, options.program)
    reasons = _claims.load()
    others = [each.name for each in experiments if each.document not in ("002", "004")]
    more = dict(text.split("=", 1) for text in options.set)
    if more and others:
        raise Failure(f"--set is for tables and figures of seeds/002 and 004, and not for {others[0]}")
    output = None if options.json is None else Output(options.json)
    try:
        found = []
        with Runs(options.cache or default_cache(), options.jobs) as runs:
            benches = {name: Bench.of(name, runs, options.quick, more, options.program)
                       for name in {each.document for each in experiments}}  # fmt: skip
            for experiment in experiments:
                runs.on_progress = _progress(experiment.name)
                bench = benches[experiment.document]
                claims = experiment.claims(bench)
                found.append((experiment, [(claim, reasons.judge(experiment.name, claim)) for claim in claims]))
                keep(runs.results, experiment, claims, options.quick, bench.more, bench.only)
                terminal.clear()
                if options.json != "-":
                    print(_report(*found[-1]), flush=True)
            if options.page is not None:
                _write_page(options, runs.results)
            if options.json != "-":
                print("\n".join(summary(found)))
                print(f"{_LEGEND}\nPreset {PRESET} where no other is named{_machines(benches)}; "
                      f"{'quick' if options.quick else 'full'} programs; "
                      f"{runs.done} runs, and {runs.known} known from {runs.results.path}")  # fmt: skip
        if output is not None:
            document = {"schema": 1, "preset": PRESET, "settings": more, "quick": options.quick,
                        "experiments": [{"name": e.name, "title": e.title, "settings": benches[e.document].more,
                                         "claims": [_with_reason(c, j) for c, j in pairs]} for e, pairs in found]}  # fmt: skip
            output.commit(json.dumps(document) + "\n")
    finally:
        if output is not None:
            output.__exit__()
    sys.stdout.flush()
