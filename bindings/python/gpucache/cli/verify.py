# SPDX-License-Identifier: BSD-2-Clause
"""coherence verify: all states of small trees under a protocol."""

import argparse
import json
import re
import sys
import time

from .._constants import VerifyLimit, VerifyVerdict
from ..counterexample import document
from ..errors import UnsupportedError
from ..mutation import mutate
from ..scenarios import Document, ScenarioError
from ..tables import load
from ..verification import System, systems, trees, verify
from ._common import add_verbose, context, natural, size, terminal
from ._output import Failure, Output

_EPILOG = """TABLE is the name of a protocol, a table as JSON, or a Python file creating a gpucache.Protocol
(examples/protocol.json, lib/policies/protocol/README.md). A system is a small tree, with blocks and bytes per block.
First accesses run one at a time, then overlapping: in every state any message under way may arrive next. Checks: a
single writer; directories, inclusion and rights; loads read the last store (with N the module's last store, or another
module's); no byte lost in a flush; no FORBID cell reached; no deadlock; no livelock. With --queue, queues between
modules are bounded, and a probe waits in the queue while the block is locked. The first violation has the fewest
steps and ends the search; --output writes the violation as a file of scenarios. The exit code is 1 after a
violation."""


def _bytes(value):
    """A number of bytes, with K, M or G."""
    found = re.fullmatch(r"(\d+)([KMG]?)(i?B)?", value)
    if not found:
        raise argparse.ArgumentTypeError(f"'{value}' is not a number of bytes, such as 512M")
    return int(found[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[found[2]]


def _up_to(most):
    def read(value):
        found = natural(value)
        if not 1 <= found <= most:
            raise argparse.ArgumentTypeError(f"'{value}' is not 1 to {most}")
        return found

    return read


def add(commands):
    parser = commands.add_parser(
        "coherence verify", description="Explore all states that small trees of caches reach under a coherence protocol, and check them.",
        epilog=_EPILOG,
    )  # fmt: skip
    parser.add_argument("table", metavar="TABLE")
    parser.add_argument("--trees", metavar="NAME,...", help="these trees, - for blanks in their names, in the place of "
                        "the family: see --list")  # fmt: skip
    parser.add_argument("--list", action="store_true", help="the systems of the family, and all trees")
    parser.add_argument("--blocks", type=_up_to(2), default=1, metavar="N", help="with --trees: 1 (default) or 2")
    parser.add_argument("--bytes", type=_up_to(2), default=1, metavar="N",
                        help="with --trees: of each block that are written: 1 (default) or 2")  # fmt: skip
    parser.add_argument("--in-flight", type=_up_to(4), metavar="N", help="accesses of a cache at a time (1)")
    parser.add_argument("--atomic", action="store_true", help="accesses one at a time alone: fast")
    parser.add_argument("--overlapping", action="store_true", help="accesses that overlap alone")
    parser.add_argument("--states", type=natural, default=200000, metavar="N",
                        help="visit at most so many of a system (200000); 0: no bound")  # fmt: skip
    parser.add_argument("--memory", type=_bytes, default=1 << 30, metavar="BYTES",
                        help="for states at most so much, such as 512M (1G)")  # fmt: skip
    parser.add_argument("--walks", type=natural, default=0, metavar="N", help="so many random walks through each of "
                        "some larger systems, or of --trees, in the place of a search")  # fmt: skip
    parser.add_argument("--seed", type=natural, default=1, metavar="N", help="of the random walks (1)")
    parser.add_argument("--mutate", action="store_true", help="change each cell of TABLE a little, and tell which "
                        "changes the exploration of a few small systems does not notice")  # fmt: skip
    parser.add_argument("--queue", type=natural, default=0, metavar="N",
                        help="messages that a queue from a module to another holds; 0 (default): no bound")  # fmt: skip
    parser.add_argument("--channels", type=int, choices=(1, 3), default=3,
                        help="queues from a module to another: one, or (default) one each for requests, probes, "
                        "responses")  # fmt: skip
    parser.add_argument("--latencies", action="store_true", help="lookups and data take time, in which others come in")
    parser.add_argument("--no-symmetry", action="store_true", help="caches that could change places are told apart")
    parser.add_argument("--coherent", action="store_true", help="a load is to read the last store, though there is N")
    parser.add_argument("--output", metavar="FILE", help="the counterexample as a file for `gpucache coherence`; "
                        "- = stdout")  # fmt: skip
    add_verbose(parser)
    parser.set_defaults(run=run)


def _named(name):
    for tree in trees():
        if name.replace("-", " ").replace(",", "") == tree.replace("-", " ").replace(",", ""):
            return tree
    raise Failure(f"no tree '{name}', of {'; '.join(trees())}")


def _split(text):
    """Names between commas; a tree's name may have a comma, followed by a blank."""
    return [part.strip() for part in re.split(r",(?! )", text) if part.strip()]


# For random walks.
_LARGE = [System(tree, 2, 2, 2) for tree in (
    "3 over memory of 1 entry", "2 L2 of 2", "2 L2 of 2, L3", "2 L2 of 1, memory of 1", "2 L2 of 1, sub-blocks",
    "3 over L2 of sub-blocks", "2 writing around to L2", "2 over a loose L2", "2 loose L2, room above",
)]  # fmt: skip


def _chosen(options):
    overlapping = options.in_flight or 1
    if options.walks and options.atomic:
        raise Failure("--walks and --atomic: walks are of accesses that overlap")
    if options.trees is None:
        found = _LARGE if options.walks else systems()
        if options.in_flight:
            found = [each._replace(in_flight=each.in_flight and overlapping) for each in found]
        found = list(dict.fromkeys(found))
    else:
        names = [_named(name) for name in _split(options.trees)]
        found = [System(name, options.blocks, options.bytes, in_flight) for in_flight in (0, overlapping)
                 for name in names]  # fmt: skip
    overlap_only = options.overlapping or options.walks
    return [each for each in found if not (options.atomic if each.in_flight else overlap_only)]


# Output

_LINE = "{:<27} {:>6} {:>5}  {:<13} {:>9} {:>10} {:>5}  {}"
_LIMITS = {
    VerifyLimit.ALL: "passed", VerifyLimit.LIMIT_STATES: "passed so far: --states",
    VerifyLimit.LIMIT_MEMORY: "passed so far: --memory",
}  # fmt: skip


def _line(system, *rest):
    way = f"{system.in_flight} in flight" if system.in_flight else "one at a time"
    return _LINE.format(system.tree, system.blocks, system.bytes, way, *rest)


def _progress(system):
    started = time.monotonic()

    def show(progress):
        def line():
            rate = progress.edges / max(1e-9, time.monotonic() - started)
            return (f"{system.tree}: {progress.states:,} states, {progress.edges:,} edges, depth {progress.depth}, "
                    f"{progress.waiting:,} to go, {rate:,.0f} edges/s, {size(progress.bytes)}")  # fmt: skip

        terminal.progress(line)

    return show


def _explore(made, protocol, system, options):
    """A Verification, or the reason why controllers cannot explore the system."""
    try:
        return verify(
            made, protocol, system, entries=options.queue, channels=options.channels, states=options.states,
            memory=options.memory, walks=options.walks, latencies=options.latencies, symmetry=not options.no_symmetry,
            coherent=options.coherent, on_progress=_progress(system), interval=8 if options.walks else 1024,
        ), None  # fmt: skip
    except UnsupportedError as error:
        return None, error.message
    finally:
        terminal.clear()


def _replayed(made, path):
    """First difference in a run of the counterexample's file, or None."""
    outcome = Document(path).scenarios[0].run(made)
    return outcome.differences[0] if outcome.differences else None


def _show(made, protocol, found, options, say):
    print(f"\n{found.text}", file=say)
    for at, step in enumerate(found.steps):
        print(f"{at + 1:>4}  {step.text}", file=say)
    if found.cut:
        print("its first steps are missing: it has too many", file=say)
    if options.output is None or found.cut:
        return
    value = document(made, protocol, found, entries=options.queue, channels=options.channels,
                     latencies=options.latencies)  # fmt: skip
    with Output(options.output) as output:
        output.commit(json.dumps(value, indent=1) + "\n")
    if options.output == "-":
        return
    told = _replayed(made, options.output)
    print(f"\n{options.output}: {told if told is not None else 'replayed, it shows no difference'}", file=say)


def _list():
    print(_LINE.format("tree", "blocks", "bytes", "accesses", "", "", "", "").rstrip())
    for system in systems():
        print(_line(system, "", "", "", "").rstrip())
    print("\ntrees: " + "; ".join(trees()))


_NOTICED = {"refused": "refused by the table's check", "caught": "caught", "same": "not noticed",
            "other": "not noticed, other states"}  # fmt: skip


def _mutate(protocol):
    counts = dict.fromkeys(_NOTICED, 0)
    for change in mutate(protocol):
        counts[change.outcome] += 1
        terminal.progress(lambda: f"{sum(counts.values()):,} changes, {change.place}, {change.state}, {change.event}")
        if change.outcome in ("same", "other"):
            terminal.clear()
            print(f"{_NOTICED[change.outcome]}: {change.place}, {change.state}, {change.event}: {change.was} as "
                  f"{change.became}")  # fmt: skip
    terminal.clear()
    print(f"{sum(counts.values()):,} changes: "
          + ", ".join(f"{count:,} {_NOTICED[outcome]}" for outcome, count in counts.items()))  # fmt: skip


def run(options):
    if options.list:
        _list()
        return
    chosen = _chosen(options)
    say = sys.stderr if options.output == "-" else sys.stdout
    with context(options, seed=options.seed) as made:
        try:
            protocol = load(made, options.table)
        except ScenarioError as error:
            raise Failure(str(error)) from None
        if options.mutate:
            _mutate(made.protocol(protocol))
            return
        heads = ("walks", "steps", "most") if options.walks else ("states", "edges", "depth")
        print(_LINE.format("tree", "blocks", "bytes", "accesses", *heads, "").rstrip(), file=say)
        refused = {}
        for system in chosen:
            found, why = _explore(made, protocol, system, options)
            if found is None:
                refused.setdefault(why, []).append(system)
                continue
            wrong = found.verdict != VerifyVerdict.PASSED
            result = found.verdict.name if wrong else _LIMITS[found.limit]
            print(_line(system, f"{found.states:,}", f"{found.edges:,}", found.depth, result), file=say, flush=True)
            if wrong:
                _show(made, protocol, found, options, say)
                sys.stdout.flush()
                raise SystemExit(1)
    for why, which in refused.items():
        print(f"not explored, {len(which)} systems: {why}", file=say)
