# SPDX-License-Identifier: BSD-2-Clause
"""sweep(): the runs of a plan, each done once and kept, as a table."""

import contextlib
import functools
import json
import os
import time
from collections import namedtuple

from ._executors import ExecutorError, ended, processes
from ._results import Results, identity, library_build
from .about import about
from .comparison import FUNCTIONAL, TIMED, Comparison, Row, _check_metrics, _over, _runs, _trace_labels
from .context import Context
from .plan import Plan, read

# Result of a run: the stored `row`, and the duration in seconds.
_Outcome = namedtuple("_Outcome", "row seconds")

NOT_RUN = "not run"

_build = functools.lru_cache(maxsize=1)(library_build)


def _measure(build, load, preset, settings, source, kernels=None):
    """Make a run in a worker: an _Outcome, with `error` after a failure."""
    if _build() != build:
        raise RuntimeError("a worker has another build of libgpucache than the process that gave it a run")
    started = time.monotonic()
    try:
        _, measure, _ = _runs(load, preset, settings, kernels)
        stats, policies, _ = measure({}, source)
        row = {**json.loads(stats.json()), **{name: value.value for name, value in policies.items()}}
    except Exception as error:
        row = {"error": str(error) or type(error).__name__}
    return _Outcome(row, time.monotonic() - started)


class Sweep(Comparison):
    """Rows, as of compare(). `policy` names the varied values of the combination, `stats` is {counter: value}.

    plan     the Plan; `points` are the Points of the rows, `abouts` their about()
    done, known  number of runs done now, and of runs done before
    """

    def __init__(self, rows, metrics, about, stopped, plan, abouts, done, known):
        super().__init__(rows, metrics, about, stopped)
        self.plan = plan
        self.points = plan.points
        self.abouts = abouts
        self.done = done
        self.known = known


# A run: key in the store, Point, about().
_Task = namedtuple("_Task", "key point about")


def _tasks(plan, results, load):
    """([_Task] of all Points, about())."""
    made = {}
    for point in plan.points:
        name = point.preset, tuple(point.varied.items())
        if name not in made:  # wrong settings fail before the first run
            with Context() as context, _runs(load, point.preset, point.settings)[0](context, {}) as config:
                made[name] = dict(config.items()), about(config, kernels=plan.kernels)
    first, *others = (each for _, each in made.values())
    common = {key: value for key, value in first["settings"].items()
              if all(each["settings"].get(key) == value for each in others)}  # fmt: skip
    origin = {**first, "preset": ", ".join(plan.presets), "traces": plan.traces, "settings": common}
    found = []
    for point in plan.points:
        config, each = made[point.preset, tuple(point.varied.items())]
        found.append(_Task(results.key(identity(point.trace, config, plan.kernels, load)), point, each))
    return found, origin


def _head(point, origin):
    """The first columns of a stored row, with its description."""
    settings = {key: value for key, value in point.settings.items() if key not in ("mode", "threads")}
    kernels = {"kernels": origin["only_kernels"]} if "only_kernels" in origin else {}
    return {"version": origin["version"], "trace": point.trace, **kernels, "preset": point.preset, "mode": point.settings["mode"],
            **{f"settings.{key}": value for key, value in settings.items()}}  # fmt: skip


class _Clock:
    """Estimate of the remaining time: runs of a trace take the time of earlier runs of the trace, with the present
    parallelism."""

    def __init__(self, tasks):
        self.left = [task.point.trace for task in tasks]
        self.of = {}
        self.started = time.monotonic()

    def took(self, trace, seconds):
        self.left.remove(trace)
        self.of.setdefault(trace, []).append(seconds)

    def seconds_left(self):
        times = [each for of in self.of.values() for each in of]
        mean = sum(times) / len(times)
        rest = sum(sum(self.of[each]) / len(self.of[each]) if each in self.of else mean for each in self.left)
        return rest * (time.monotonic() - self.started) / (sum(times) or 1)


def _run(tasks, results, origin, pool, load):
    """Do the tasks, and yield the estimated remaining seconds after each stored task."""
    clock = _Clock(tasks)
    given = [(_build(), load, task.point.preset, task.point.settings, task.point.trace,
              origin.get("only_kernels")) for task in tasks]  # fmt: skip
    with contextlib.closing(ended(pool, _measure, given)) as found:
        for index, future in found:
            try:
                outcome, task = future.result(), tasks[index]
            except Exception as error:
                raise ExecutorError(f"a worker did not end its run: {error or type(error).__name__}") from None
            results.put_row(task.key, {**_head(task.point, origin), **outcome.row})
            clock.took(task.point.trace, outcome.seconds)
            yield clock.seconds_left()


def _missing(tasks, results, retry, part):
    """Tasks to do, each key once; of a part (i, n) every n-th key from the i-th on, done or not."""
    first = {task.key: task for task in reversed(tasks)}
    keys = list(dict.fromkeys(task.key for task in tasks))
    index, count = part
    known = {key for key, row in results.found.items() if not (retry and "error" in row)}
    return [first[key] for key in keys[index::count] if key not in known]


def _rows(plan, tasks, results, metrics):
    """A Row for each Point."""
    labels = dict(zip(plan.traces, _trace_labels(plan.traces)))
    held = {(task.point.trace, task.point.preset, frozenset(task.point.varied.items())): results.found.get(task.key)
            for task in tasks}  # fmt: skip
    for task in tasks:
        point = task.point
        row = results.found.get(task.key)
        names = labels[point.trace], plan.label(point.preset, point.varied)
        if row is None or "error" in row:
            error = NOT_RUN if row is None else row["error"]
            yield Row(names[1], names[0], None, dict.fromkeys(metrics), None, None, {}, error)
            continue
        trace, preset, varied = plan.base_of(point)
        base = held.get((trace, preset, frozenset(varied.items()))) or {}
        yield Row(names[1], names[0], row, {name: row.get(name) for name in metrics},
                  _over(row, base, "l2.read_sectors"), _over(base, row, "cycles"), {})  # fmt: skip


def _check(plan, metrics, load):
    """Check that metrics are counters of the library or of a run's policy."""
    distinct = {(point.preset, *point.varied.items()): point for point in plan.points}

    def published(point):
        return _runs(load, point.preset, point.settings)[2]({})

    _check_metrics(metrics, distinct.values(), published)


def sweep(plan, store, *, jobs=None, executor=None, retry=False, part=(0, 1), load=(),
          on_progress=lambda done, count, seconds_left: None):  # fmt: skip
    """Make the runs of a plan that the store lacks: a Sweep. Ctrl-C returns the finished rows.

    plan      a Plan, the path of one (TOML or JSON), or a dictionary of the same keys: see plan.py
    store     path of a file with a line of JSON per run, appended at the end of each run. The key of a run is its
              trace's content, all settings, and the library. pandas.read_json(store, lines=True) reads the file
    jobs      processes; default: as many as processors
    executor  a concurrent.futures.Executor for the runs; its workers must be able to import gpucache
    retry     repeat failed runs
    load      paths of files of policies, as for Context.load(), where the workers find them
    part      (i, n): only every n-th run, from the i-th on; other machines can do the rest
    on_progress  called with (finished runs, runs to do, estimated remaining seconds)
    """
    if not isinstance(plan, Plan):
        plan = Plan(plan) if isinstance(plan, dict) else read(plan)
    metrics = plan.metrics or list(TIMED if plan.mode == "timed" else FUNCTIONAL)
    _check(plan, metrics, load)
    with contextlib.closing(Results(store)) as results:
        load = [os.path.abspath(path) for path in load]
        tasks, origin = _tasks(plan, results, load)
        missing = _missing(tasks, results, retry, part)
        done, stopped = 0, None
        try:
            if missing:
                jobs = min(jobs or os.cpu_count() or 1, len(missing))
                with processes(jobs) if executor is None else contextlib.nullcontext(executor) as pool, \
                        contextlib.closing(_run(missing, results, origin, pool, load)) as runs:
                    for done, seconds_left in enumerate(runs, 1):
                        on_progress(done, len(missing), seconds_left)
        except (KeyboardInterrupt, SystemExit, ExecutorError) as error:
            stopped = error
        known = len({task.key for task in tasks if task.key in results.found}) - done
        return Sweep(_rows(plan, tasks, results, metrics), metrics, origin, stopped, plan,
                     [task.about for task in tasks], done, known)  # fmt: skip
