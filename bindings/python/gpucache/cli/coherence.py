# SPDX-License-Identifier: BSD-2-Clause
"""coherence: run scenarios, and compare the results with the file."""

import json
import sys

from .._constants import PolicyKind
from .._table import table
from ..scenarios import Document, ScenarioError
from ._common import add_verbose, context, terminal
from ._output import Failure, Output

_EPILOG = """The file has trees (configs), and accesses to the trees. A sequential scenario issues an access after the
end of the previous access; a timed scenario issues accesses at given cycles. The file also has the expected results:
trace and completion cycle per access, and the final blocks, tags, states, ways, directories, LRU orders, transitions
with counts and origins, statistics and bytes on the networks; of timed scenarios also retries, and only statistics that
do not count vain lookups separately. Results present in the file are compared. The exit code is 1 after a
difference."""


def add(commands):
    parser = commands.add_parser(
        "coherence", description="Run the scenarios of a file, and compare with it what comes of them.", epilog=_EPILOG,
    )  # fmt: skip
    parser.add_argument("file", metavar="SCENARIOS.json")
    parser.add_argument("--protocol", metavar="NAME", help="another protocol than the one that the file was made for: "
                        "then the final matrices are printed, and nothing is compared. See the command policies --kind "
                        "protocol")  # fmt: skip
    parser.add_argument("--only", action="append", metavar="NAME", help="this scenario; may be given again")
    parser.add_argument("--all", action="store_true", help="every difference of a scenario, not only the first")
    parser.add_argument("--steps", action="store_true", help="each access, or step, and the states that it changed")
    parser.add_argument("--matrices", action="store_true", help="transitions and their origins of each module")
    parser.add_argument("--stats", action="store_true", help="hit ratios of each level, of accesses alone and as "
                        "Multi2Sim counts them: all lookups")  # fmt: skip
    parser.add_argument("--quiet", action="store_true", help="only what differs, and the summary")
    parser.add_argument("--json", metavar="FILE", help="write what came of them in the form of the file; - = stdout")
    add_verbose(parser)
    parser.set_defaults(run=run)


def _chosen(document, options):
    names = [scenario.name for scenario in document.scenarios]
    for name in options.only or ():
        if name not in names:
            raise Failure(f"{options.file}: there is no scenario '{name}'")
    return [scenario for scenario in document.scenarios if not options.only or scenario.name in options.only]


def _check_protocol(made, options):
    known = [policy.name for policy in made.policies(PolicyKind.PROTOCOL)]
    if options.protocol is not None and options.protocol not in known:
        raise Failure(f"no protocol '{options.protocol}', only {', '.join(known)}")


# Output


def _percent(ratio):
    return "-" if ratio is None else f"{100 * ratio:.1f}"


def ratios(level_stats):
    """Lines with the two hit ratios per level."""
    rows = [
        [level, _percent(stats.hit_ratio), _percent(stats.lumped_hit_ratio), f"{stats['accesses']:,}"]
        for level, stats in level_stats.items()
    ]
    return table(["level", "hit % of accesses", "hit % of lookups", "lookups"], rows)


def matrices(outcome):
    yield f"transitions, and their origins, of {outcome.scenario.name} under {outcome.protocol}"
    for name, stats in outcome.stats.items():
        yield stats.matrices(name).rstrip("\n")


def _report(outcome, options):
    """Lines about a scenario."""
    name = outcome.scenario.name
    if options.steps:
        yield from outcome.story
    if outcome.differences:
        shown = outcome.differences if options.all else outcome.differences[:1]
        yield from (f"{name}: {difference}" for difference in shown)
    elif outcome.error:
        yield f"{name}: {outcome.error}"
    elif not options.quiet:
        yield f"{name}: ok" if outcome.compared else f"{name}: {outcome.protocol}, not compared"
    if options.matrices or (not outcome.compared and not options.quiet):
        yield from matrices(outcome)
    if options.stats and not options.quiet:
        yield from ("  " + line for line in ratios(outcome.level_stats))


_STATES = "ok", "differ", "not compared", "gave up"


def _state(outcome):
    if outcome.compared:
        return "differ" if outcome.differences else "ok"
    return "gave up" if outcome.error else "not compared"


def _summary(outcomes, options):
    if options.stats:
        total = {}
        for outcome in outcomes:
            for level, stats in outcome.level_stats.items():
                total[level] = total[level] + stats if level in total else stats
        yield "all scenarios"
        yield from ("  " + line for line in ratios(dict(sorted(total.items()))))
    accesses = sum(len(outcome.completion) for outcome in outcomes)
    parts = [f"{sum(_state(outcome) == state for outcome in outcomes)} {state}" for state in _STATES]
    yield f"{len(outcomes)} scenarios, {accesses:,} accesses: {', '.join(parts)}"


def run(options):
    output = Output(options.json) if options.json is not None else None
    try:
        outcomes = _run(options, output)
    except ScenarioError as error:
        raise Failure(str(error)) from None
    finally:
        if output is not None:
            output.__exit__()
    if any(_state(outcome) in ("differ", "gave up") for outcome in outcomes):
        sys.stdout.flush()
        raise SystemExit(1)


def _run(options, output):
    document = Document(options.file)
    chosen = _chosen(document, options)
    say = sys.stderr if options.json == "-" else sys.stdout
    outcomes = []
    with context(options) as made:
        document.register(made)
        _check_protocol(made, options)
        for scenario in chosen:
            terminal.progress(lambda: f"{len(outcomes)} of {len(chosen)} scenarios")
            outcome = scenario.run(made, options.protocol)
            terminal.clear()
            for line in _report(outcome, options):
                print(line, file=say)
            outcomes.append(outcome)
    if output is not None:
        protocol = options.protocol or document.protocol
        output.commit(json.dumps(document.written(outcomes, protocol)) + "\n")
    for line in _summary(outcomes, options):
        print(line, file=say)
    return outcomes
