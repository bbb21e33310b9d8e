# SPDX-License-Identifier: BSD-2-Clause
"""compare(): several policies on several traces, as a table."""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import re
from collections import namedtuple
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Union

from . import _notes
from . import policy as policies_of
from . import repeats as repeats_of
from ._constants import PolicyKind, Status
from ._executors import ended, processes
from ._table import table, told
from .about import DEFAULT_PRESET, about, heading
from .config import Config, Path, Value
from .context import Context
from .errors import ArgumentError, NotFoundError
from .replay import Replay
from .stats import counters
from .trace import Kernels, Trace

# A policy on a trace. `values` are the metrics by name, None if unmeasured or a ratio without a denominator. `traffic`
# (sectors read from L2) and `speedup` (timed: cycles of the first / own cycles) are relative to the first policy on the
# trace, None without a reference. `policies` are counters published by policies, {name: PolicyValue}. A failed run has
# an `error`, and nothing else. With repeats, `repeats` are the cycles of each, `interval` is that of the speed-up
# (repeats.Interval; None for the first policy), `values` are means, and all else is of the first repetition.
Row = namedtuple("Row", "policy trace stats values traffic speedup policies error interval repeats", defaults=(None,) * 4)

# Geometric means over the traces; `interval` with repeats.
Mean = namedtuple("Mean", "policy traffic speedup interval", defaults=(None,))

# A policy for compare(): a class, a text, or {key: class or text}.
Policy = Union[type, str, Dict[str, Any]]

FUNCTIONAL = ("l1.load_hit_rate", "l2.read_sectors", "dram.read_sectors")
# With a clock, `l1.load_hit_rate` counts sectors on their way to L1, too; these are apart.
TIMED = (FUNCTIONAL[0], "l1.pending_sector_hits", *FUNCTIONAL[1:], "cycles")


def geometric_mean(values: Iterable[Optional[float]]) -> Optional[float]:
    """Mean of the positive values; None without any."""
    logarithms = [math.log(value) for value in values if value]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else None


class Comparison(list):
    """Rows, trace by trace, policies in the given order. str() is the table.

    about    description of the runs, as of gpucache.about.about()
    stopped  reason of an early end, such as KeyboardInterrupt; None
    notes    {trace, as given: [Note]}: differences of the runs from the files
    """

    def __init__(self, rows: Iterable[Row], metrics: Iterable[str], about: Dict[str, Any],
                 stopped: Optional[BaseException] = None, notes: Optional[Dict[str, Any]] = None) -> None:  # fmt: skip
        super().__init__(rows)
        self.metrics = tuple(metrics)
        self.about = about
        self.stopped = stopped
        self.notes = notes or {}

    @property
    def failures(self) -> List[Row]:
        """Rows with an error."""
        return [row for row in self if row.error is not None]

    @property
    def policies(self) -> List[str]:
        return list(dict.fromkeys(row.policy for row in self))

    @property
    def traces(self) -> List[str]:
        return list(dict.fromkeys(row.trace for row in self))

    @property
    def means(self) -> List[Mean]:
        """A Mean for each policy."""
        found = []
        for policy in self.policies:
            rows = [row for row in self if row.policy == policy]
            found.append(Mean(policy, geometric_mean([row.traffic for row in rows]),
                              geometric_mean([row.speedup for row in rows]), self._interval(rows)))  # fmt: skip
        return found

    def _interval(self, rows):
        """Interval of the speed-up over the traces of some rows, None without repeats."""
        pairs = [(self.row(self.policies[0], row.trace).repeats, row.repeats) for row in rows if row.interval]
        return repeats_of.speedup(pairs) if pairs else None

    def row(self, policy: str, trace: str) -> Row:
        return next(row for row in self if (row.policy, row.trace) == (policy, trace))

    @property
    def alike(self) -> List[str]:
        """Policies other than the first that change no counter on any trace, such as a scheduler without a clock."""
        first = {row.trace: row for row in self if row.policy == self.policies[0]}
        same = dict.fromkeys(self.policies[1:], True)
        for row in self:
            if row.policy in same:
                base = first[row.trace]
                same[row.policy] &= row.error is None and base.error is None and dict(row.stats) == dict(base.stats)
        return [policy for policy, equal in same.items() if equal]

    def _cells(self):
        """(header, rows, columns to the left) of the table."""
        timed = any(row.speedup is not None for row in self)
        repeated = any(row.interval is not None for row in self)
        ratios = {counter.name for counter in counters() if counter.kind == "ratio"}

        def relative(found):
            cells = [found.traffic, found.speedup] if timed else [found.traffic]
            return ["-" if value is None else f"{value:.3f}" for value in cells] + _interval_cells(found)[:2 * repeated]

        def value(row, name):
            if row.error is not None:
                return "failed"
            found = row.values[name]
            return "-" if found is None else f"{found:.4f}" if name in ratios else f"{round(found):,}"

        header = ["trace", "policy", *self.metrics, "traffic", *(["speed-up"] if timed else []),
                  *["95 % interval", ""][:2 * repeated]]  # fmt: skip
        rows = [[row.trace, row.policy, *(value(row, name) for name in self.metrics), *relative(row)] for row in self]
        rows += [["geometric mean", mean.policy, *[""] * len(self.metrics), *relative(mean)] for mean in self.means]
        last = None
        for cells in rows:  # a trace is named once
            cells[0], last = "" if cells[0] == last else cells[0], cells[0]
        return header, rows, (0, 1, len(header) - 1) if repeated else (0, 1)

    def __str__(self):
        below = dict.fromkeys(told(row.error, row.trace, row.policy) for row in self.failures)
        alike = [f"equal to {self.policies[0]} in every counter: {', '.join(self.alike)}"] if self.alike else []
        return "\n".join([*heading(self.about), "", *table(*self._cells()), *alike,
                          *["", "failed:"][:2 * bool(below)], *below])  # fmt: skip

    def markdown(self) -> str:
        """The table in Markdown."""
        header, rows, left = self._cells()
        rule = [":--" if column in left else "--:" for column in range(len(header))]
        return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, rule, *rows])

    def latex(self) -> str:
        """The table in LaTeX, for booktabs."""
        header, rows, left = self._cells()
        columns = "".join("l" if column in left else "r" for column in range(len(header)))
        lines = [" & ".join(map(_tex, cells)) + r" \\" for cells in [header, *rows]]
        return "\n".join([rf"\begin{{tabular}}{{{columns}}}", r"\toprule", lines[0], r"\midrule", *lines[1:],
                          r"\bottomrule", r"\end{tabular}"])  # fmt: skip


def _tex(text):
    return re.sub(r"[&%$#_{}]", lambda found: "\\" + found[0], text)


def _interval_cells(found):
    """[interval, remark] of a Row or Mean."""
    interval = found.interval
    if interval is None:
        return ["", ""]
    return [f"{interval.low:.3f} to {interval.high:.3f}", "" if interval.significant else "not significant"]


# Forms of a policy in compare()


def _text_of(policy):
    return policies_of.name_of(policy) if isinstance(policy, type) else policy


def _parts(policy):
    return list(policy.values()) if isinstance(policy, dict) else [policy]


def _labelled(policies):
    """{label: policy}."""
    if isinstance(policies, dict):
        return policies
    labels = {}
    for policy in policies:
        label = ", ".join(map(_text_of, _parts(policy)))
        if label in labels:
            raise ValueError(f"two policies '{label}': give them labels, {{label: policy}}")
        labels[label] = policy
    return labels


# Configuration keys of policies that compare() takes by name alone, with the words for them.
_KEYS = {
    PolicyKind.REPLACEMENT: ("{level}.replacement", "replacement policy"),
    PolicyKind.PREDICTOR: ("{level}.bypass", "predictor"),
    PolicyKind.SCHEDULER: ("scheduler", "scheduler"),
    PolicyKind.PREFETCHER: ("l1.prefetcher", "prefetcher"),
}


# Words of `kind:name`.
_WORDS = {words.split()[0]: kind for kind, (_, words) in _KEYS.items()}


def _kind_of(context, spec, level):
    """(kind, name) of a policy. A name of several kinds is refused, because each means another policy."""
    word, colon, rest = spec.partition(":")
    if colon and word.strip() in _WORDS:
        return _WORDS[word.strip()], rest.strip()
    name = spec.partition("(")[0].partition("+")[0].strip()  # a scheduler may have throttles
    kinds = [kind for kind in _KEYS if name in (info.name for info in context.policies(kind))]
    if not kinds:
        told = "no replacement policy, predictor, scheduler or prefetcher"
        raise NotFoundError(Status.ERROR_NOT_FOUND, f"{told} '{name}'")
    if len(kinds) > 1:
        names = " and a ".join(_KEYS[kind][1] for kind in kinds)
        spellings = " or ".join(f"'{_KEYS[kind][0].format(level=level)}={spec}'" for kind in kinds)
        raise ArgumentError(Status.ERROR_ARGUMENT, f"'{name}' is a {names}: say {spellings}")
    return kinds[0], spec


def _settings_of(context, policy, level):
    """{key: value} of a policy."""
    if isinstance(policy, dict):
        return {key.strip(): _text_of(value) for key, value in policy.items()}
    spec = _text_of(policy)
    key, equals, value = spec.partition("=")
    if equals and "(" not in key:
        return {key.strip(): value.strip()}
    kind, spec = (policies_of.kind_of(policy), spec) if isinstance(policy, type) else _kind_of(context, spec, level)
    if kind not in _KEYS:
        raise ArgumentError(Status.ERROR_ARGUMENT, f"{spec} is a throttle: say on which scheduler, 'gto + {spec}'")
    return {_KEYS[kind][0].format(level=level): spec}


# Runs

_measure = None  # in a worker: the parent's


def _begin(measure):
    global _measure
    _measure = measure


def _work(*task):
    return _measure(*task)


# In place of the result of a run.
Failed = namedtuple("Failed", "error")


class _Outcomes:
    """Outcomes of tasks, in order. With `keep`, a failure is the outcome of its task, and the reason of an early end is
    kept too."""

    def __init__(self, count, keep):
        self.found = [Failed("not run")] * count
        self.keep = keep
        self.stopped = None

    def settle(self, index, result):
        """result() is the outcome of a task, or raises."""
        try:
            self.found[index] = result()
        except Exception as error:
            if not self.keep:
                raise
            self.found[index] = Failed(str(error) or type(error).__name__)


def _serially(measure, tasks, outcomes, on_progress):
    for index, task in enumerate(tasks):
        outcomes.settle(index, lambda task=task: measure(*task))
        on_progress(index + 1, len(tasks))


def _in_processes(measure, tasks, jobs, outcomes, on_progress):
    with processes(jobs, _begin, (measure,)) as pool, contextlib.closing(ended(pool, _work, tasks)) as results:
        for done, (index, future) in enumerate(results, 1):
            outcomes.settle(index, future.result)
            on_progress(done, len(tasks))


def _all(measure, tasks, jobs, on_progress, keep=False):
    """_Outcomes of measure(*task) for all tasks, in processes: Python policies in one process would wait for each
    other."""
    outcomes = _Outcomes(len(tasks), keep)
    jobs = min(jobs or os.cpu_count() or 1, len(tasks))
    try:
        if jobs < 2 or "fork" not in multiprocessing.get_all_start_methods():
            _serially(measure, tasks, outcomes, on_progress)
        else:
            _in_processes(measure, tasks, jobs, outcomes, on_progress)
    except (KeyboardInterrupt, SystemExit) as stopped:
        if not keep:
            raise
        outcomes.stopped = stopped
    return outcomes


def _runs(classes, preset, settings, kernels=None):
    """Functions that make a Config with changes, in a context with the classes or files, and the Stats of a trace's
    run."""

    def made(context, changes):
        for each in classes:
            context.load(each) if isinstance(each, (str, os.PathLike)) else context.register(each)
        return Config(context, preset, {**settings, **changes})

    def measure(changes, source, *name):
        """`name` names a repetition, for its draw of perturbations."""
        seeds = {}
        if name:
            with Context() as context, made(context, changes) as config:
                perturbed, seeds["seed"] = repeats_of.draw(config, *name)
            changes = {**changes, **perturbed}
        with Context(**seeds) as context, made(context, changes) as config:
            with Replay(context, config) as replay, Trace(context, source, kernels=kernels) as trace:
                for _ in replay.run(trace):
                    pass
                return replay.stats(), replay.policy_values(), _notes.of_run(trace.notes, config)

    def published(changes):
        """Names of counters published by the policies."""
        with Context() as context, made(context, changes) as config, Replay(context, config) as replay:
            return replay.policy_values()

    return made, measure, published


def _check_metrics(metrics, changes, published):
    """Check that metrics are counters of the library or of a policy."""
    unknown = [name for name in metrics if name not in (counter.name for counter in counters())]
    known = {name for each in changes for name in published(each)} if unknown else ()
    for name in unknown:
        if name not in known:
            told = f"; the policies publish {', '.join(sorted(known))}" if known else ""
            raise NotFoundError(Status.ERROR_NOT_FOUND, f"no counter '{name}'{told}")


def _value(stats, policies, name):
    """A metric; None if unmeasured."""
    return policies[name].value if name in policies else stats.get(name)


def _trace_labels(sources):
    """Short names, or whole names if short names repeat."""
    whole = list(map(os.fspath, sources))
    short = [os.path.basename(os.path.normpath(source)) if os.path.exists(source) else source.removeprefix("synthetic:")
             for source in whole]  # fmt: skip
    return short if len(set(short)) == len(set(whole)) else whole


def _over(above, below, name):
    return above[name] / below[name] if name in above and below.get(name) else None


def _repeated(outcomes):
    """(an outcome, metrics' function, cycles) of all repetitions of a run: the first failure, or the first outcome."""
    failed = next((each for each in outcomes if isinstance(each, Failed)), None)
    cycles = None if failed or len(outcomes) < 2 else [stats["cycles"] for stats, _, _ in outcomes]

    def mean(name):
        values = [_value(stats, policies, name) for stats, policies, _ in outcomes]
        return values[0] if len(values) < 2 or None in values else math.fsum(values) / len(values)

    return failed or outcomes[0], mean, cycles


def _rows(trace, found, metrics):
    """Rows of a trace, from {label: outcomes of all repetitions}."""
    found = {label: _repeated(outcomes) for label, outcomes in found.items()}
    first, _, reference = next(iter(found.values()), (Failed(None), None, None))
    for label, (outcome, mean, cycles) in found.items():
        if isinstance(outcome, Failed):
            yield Row(label, trace, None, dict.fromkeys(metrics), None, None, {}, outcome.error)
            continue
        stats, policies, _ = outcome
        base = {} if isinstance(first, Failed) else first[0]
        repeated = reference and cycles and cycles is not reference
        interval = repeats_of.speedup([(reference, cycles)]) if repeated else None
        yield Row(label, trace, stats, {name: mean(name) for name in metrics}, _over(stats, base, "l2.read_sectors"),
                  interval.value if interval else _over(base, stats, "cycles"), policies, None, interval, cycles)


def compare(policies: Union[Iterable[Policy], Mapping[str, Policy]], traces: Iterable[Path],
            preset: Optional[str] = DEFAULT_PRESET, *, mode: str = "functional",
            metrics: Optional[Iterable[str]] = None, settings: Optional[Mapping[str, Value]] = None, level: str = "l1",
            register: Iterable[Any] = (), jobs: Optional[int] = None,
            on_progress: Callable[[int, int], Any] = lambda done, count: None, keep_going: bool = False,
            kernels: Optional[Kernels] = None, repeat: int = 1, seed: int = 0) -> Comparison:  # fmt: skip
    """Run every policy on every trace: a Comparison, relative to the first policy.

    policies  a list of policies, or {label: policy}. A policy is
                a subclass of ReplacementPolicy, Predictor or SchedulerPolicy, registered where the run happens;
                a name or `name(parameter=value)`: of a replacement policy or predictor of `level`, a warp scheduler
                (with throttles: `name + name`), or a prefetcher;
                `kind:name` or `key=value`, needed if several kinds have the name: "predictor:sdbp", "l1.bypass=sdbp";
                {key: class or value, ...}, several keys at once
    traces    sources as for Trace; each run starts with cold caches
    preset    of every run, before `settings`. None: the keys' defaults
    mode      "functional", or "timed": with cycles and speed-up
    metrics   names of counters and ratios, and of policies ("l1.replacement.dip.selector");
              default FUNCTIONAL or TIMED
    register  further classes for names in texts, and paths of files with classes, as for Context.load()
    jobs      processes; default: as many as processors. 1: all in this process
    on_progress  called with (finished runs, all runs)
    kernels   kernels of each trace, as for Trace; None: all
    keep_going   a failed run is a row with an `error`, and Ctrl-C returns the finished rows; otherwise exceptions are
                 raised
    repeat    with "timed": runs of each policy and trace, from 2 on with perturbations (repeats.py), so that a speed-up
              has an interval
    seed      names the perturbations
    """
    if repeat < 1 or (repeat > 1 and mode != "timed"):
        raise ValueError(f"repeat={repeat}: a number from 1 on; from 2 on with mode='timed', as repeats differ in cycles")
    labels = _labelled(policies)
    metrics = metrics or (TIMED if mode == "timed" else FUNCTIONAL)
    parts = [part for policy in labels.values() for part in _parts(policy) if isinstance(part, type)]
    made, measure, published = _runs(
        dict.fromkeys([*register, *parts]), preset, {**(settings or {}), "mode": mode}, kernels
    )  # fmt: skip
    with Context() as context, made(context, {}) as config:
        origin = about(config, kernels=kernels)
        changes = [_settings_of(context, policy, level) for policy in labels.values()]
    for each in changes:  # wrong settings fail before the first run
        with Context() as context, made(context, each):
            pass
    _check_metrics(metrics, changes, published)
    tasks = [(each, source, *([seed, label, os.fspath(source), turn] if repeat > 1 else []))
             for source in traces for label, each in zip(labels, changes) for turn in range(repeat)]  # fmt: skip
    outcomes = _all(measure, tasks, jobs, on_progress, keep_going)
    notes = {}
    for (_, source, *_), outcome in zip(tasks, outcomes.found):
        if not isinstance(outcome, Failed):  # runs of a trace have equal notes, but for policies that read PCs
            found = notes.setdefault(os.fspath(source), [])
            found += [note for note in outcome[2] if note not in found]
    results = iter(outcomes.found)
    rows = []
    for trace in _trace_labels(traces):
        rows += _rows(trace, {label: [next(results) for _ in range(repeat)] for label in labels}, metrics)
    return Comparison(rows, metrics, origin, outcomes.stopped, notes)
