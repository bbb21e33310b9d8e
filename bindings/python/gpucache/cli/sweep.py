# SPDX-License-Identifier: BSD-2-Clause
"""sweep: the runs of a plan. plan.py above describes plans, sweeping.py runs them."""

import argparse
import contextlib
import csv
import io
import json
import os
import shlex
import sys

from .. import _executors
from ..about import COLUMNS, cells
from ..plan import PlanError, read
from ..sweeping import sweep
from ._common import add_load, natural, terminal
from ._output import Failure, Output

_MOST_TASKS = 1000  # limit of an array job: Slurm's MaxArraySize is 1001 by default


def add(commands):
    parser = commands.add_parser(
        "sweep", description="Run what a plan says, "
        "TOML or JSON: each trace on each preset with each combination of settings. A run is kept as it ends, and not "
        "done again while trace, settings and library stay what they are: after a kill, the same command goes on. "
        "Prints a table with what each run is over the baseline, and geometric means.",
    )  # fmt: skip
    parser.add_argument("plan", metavar="PLAN", help="NAME.toml (Python 3.11) or NAME.json: see gpucache/plan.py; paths "
                        "in it are from where this runs")  # fmt: skip
    parser.add_argument("--store", metavar="FILE", help="where runs are kept, a line of JSON each; default: the plan's "
                        "name with .jsonl")  # fmt: skip
    parser.add_argument("--retry", action="store_true", help="do runs again that are kept as failed")
    parser.add_argument("--jobs", type=natural, metavar="N",
                        help="runs at the same time; default: as many as processors")  # fmt: skip
    parser.add_argument("--executor", type=_executor, default=("processes", None), metavar="KIND",
                        help="who runs: processes (the default); mpi, under mpiexec; dask=ADDRESS of a scheduler")
    add_load(parser)
    parser.add_argument("--slurm", metavar="FILE", help="run nothing, and write an array job for sbatch whose tasks add "
                        "to the store")  # fmt: skip
    parser.add_argument("--task", type=_part, metavar="I/N", help="of all runs every N-th alone, from the I-th on, "
                        "counted from 0, without a table: a task of --slurm")  # fmt: skip
    parser.add_argument("--json", metavar="FILE", help="write every counter as JSON; - prints it instead of the table")
    parser.add_argument("--csv", metavar="FILE", help="write a line per run as CSV; - likewise")

    def checked(options):
        if options.json == options.csv == "-":
            parser.error("--json - and --csv - cannot both print")
        if options.slurm is not None and (options.executor[0] != "processes" or options.task or options.retry):
            parser.error("--slurm runs nothing: it is not for --executor, --task and --retry")
        if (options.slurm is not None or options.task) and (options.json, options.csv) != (None, None):
            parser.error("--json and --csv are for when all is run: leave them out, and give them afterwards")
        if options.jobs and options.executor[0] != "processes":
            parser.error("--jobs is for processes: mpi and dask have the workers that they have")
        run(options)

    parser.set_defaults(run=checked)


def _executor(text):
    kind, equals, address = text.partition("=")
    if (kind in ("processes", "mpi") and not equals) or (kind == "dask" and address):
        return kind, address
    raise argparse.ArgumentTypeError(f"'{text}' is not processes, mpi or dask=ADDRESS")


def _part(text):
    index, slash, count = text.partition("/")
    if not (slash and index.isdecimal() and count.isdecimal() and int(index) < int(count)):
        raise argparse.ArgumentTypeError(f"'{text}' is not I/N, with I below N")
    return int(index), int(count)


# Output


def _run_of(point, row):
    found = {"policy": row.policy, "trace": row.trace, "preset": point.preset, "settings": point.varied}
    if row.error is not None:
        return {**found, "error": row.error}
    head = {"key", "version", "trace", "preset", "mode"}
    stats = {name: value for name, value in row.stats.items() if name not in head and not name.startswith("settings.")}
    return {**found, "traffic": row.traffic, "speedup": row.speedup, "stats": stats}


def as_json(found):
    plan = found.plan
    document = {
        "schema": 1, **found.about, "presets": plan.presets, "metrics": found.metrics, "baseline": plan.baseline or None,
        "over": plan.over(), "interrupted": found.stopped is not None,
        "runs": [_run_of(point, row) for point, row in zip(found.points, found)],
        "geometric_means": [mean._asdict() for mean in found.means],
    }  # fmt: skip
    return json.dumps(document, indent=1) + "\n"


def as_csv(found):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    keys = found.plan.keys
    writer.writerow(["trace", *COLUMNS, *keys, *found.metrics, "traffic", "speedup", "error"])
    for point, origin, row in zip(found.points, found.abouts, found):
        writer.writerow([row.trace, *cells(origin), *(point.varied.get(key) for key in keys), *row.values.values(),
                         row.traffic, row.speedup, row.error])  # fmt: skip
    return text.getvalue()


def as_script(plan, path, store, tasks, load):
    """An array job with the present folder and environment."""
    files = "".join(f" --load {shlex.quote(each)}" for each in load)
    variables = ("PYTHONPATH", "GPUCACHE_LIBRARY", "LD_LIBRARY_PATH")
    lines = [
        "#!/bin/sh", f"#SBATCH --job-name={shlex.quote(os.path.splitext(os.path.basename(path))[0])}",
        f"#SBATCH --array=0-{tasks - 1}", "#SBATCH --cpus-per-task=1",
        f"# {len(plan.points)} runs by gpucache. Submit it with sbatch; when all tasks are done, or some of them, the table is",
        f"#   gpucache sweep {shlex.quote(path)} --store {shlex.quote(store)}{files}",
        f"cd {shlex.quote(os.getcwd())} || exit 1",
        *(f"export {name}={shlex.quote(os.environ[name])}" for name in variables if os.environ.get(name)),
        f"exec {shlex.quote(sys.executable)} -m gpucache sweep {shlex.quote(path)} --store {shlex.quote(store)}{files} \\",
        f'    --jobs "${{SLURM_CPUS_PER_TASK:-1}}" --task "$SLURM_ARRAY_TASK_ID/{tasks}"',
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _span(seconds):
    """3725 -> 1 h 2 min."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def _progress(done, count, seconds_left):
    terminal.progress(lambda: f"{done} of {count} runs, {_span(seconds_left)} left")


@contextlib.contextmanager
def _opened(kind, address):
    """(True in the printing process, Executor or None for processes)."""
    if kind == "processes":
        yield True, None
    elif kind == "dask":
        with _executors.dask(address) as pool:
            yield True, pool
    else:
        with _executors.mpi() as pool:
            yield pool is not None, pool


def run(options):
    try:
        with _opened(*options.executor) as (tells, pool):
            if tells:
                _run(options, pool)
    except (PlanError, _executors.ExecutorError) as error:
        raise Failure(str(error)) from None


def _run(options, pool):
    plan = read(options.plan)
    store = options.store or os.path.splitext(options.plan)[0] + ".jsonl"
    if options.slurm is not None:
        with Output(options.slurm) as output:
            output.commit(as_script(plan, options.plan, store, min(len(plan.points), _MOST_TASKS), options.load))
        return
    outputs = {}
    try:
        for name in ("json", "csv"):
            if getattr(options, name) is not None:
                outputs[name] = Output(getattr(options, name))
        found = sweep(plan, store, jobs=options.jobs, executor=pool, retry=options.retry, part=options.task or (0, 1),
                      load=options.load, on_progress=_progress)  # fmt: skip
        terminal.clear()
        _tell(options, outputs, found, store)
    finally:
        for output in outputs.values():
            output.__exit__()


def _tell(options, outputs, found, store):
    if "json" in outputs:
        outputs["json"].commit(as_json(found))
    if "csv" in outputs:
        outputs["csv"].commit(as_csv(found))
    if "-" not in (options.json, options.csv):
        if options.task is None:
            print(f"{found}\n")
        print(f"{found.done} runs done, {found.known} known from {store}", flush=True)
    if found.stopped:
        raise found.stopped
    if found.failures and options.task is None:
        raise Failure(f"{len(found.failures)} of {len(found)} runs failed")
