# SPDX-License-Identifier: BSD-2-Clause
"""Runs of programs, in parallel, each done once: earlier runs are read from a file."""

import concurrent.futures
import functools
import threading

from .._results import Results
from ..config import Config
from ..context import Context
from ..replay import Replay
from ..stats import Stats
from ..trace import Trace
from . import _profiles


def whole(preset, source, settings, go_on=lambda: True):
    """Stats of all launches of a program."""
    with Context() as context, Config(context, preset, {"mode": "timed", **settings}) as config:
        with Replay(context, config, lambda progress: go_on()) as replay, Trace(context, source) as trace:
            return sum((result.stats for result in replay.run(trace)), Stats())


def figures(preset, source, settings, go_on):
    """The same as a dictionary of numbers."""
    return {name: value for name, value in whole(preset, source, settings, go_on).items() if isinstance(value, (int, float))}


class Runs:
    """`on_progress(done, of)` is called after each run; `patience` is the limit of instructions a kernel, 0: none."""

    def __init__(self, path, jobs=1, on_progress=None):
        self.results = Results(path)
        self.jobs = jobs
        self.done = self.known = 0
        self.on_progress = on_progress

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.results.close()

    def kept(self, run, measure):
        """Result of `measure`, in JSON values: found once for this `run`."""
        found = self.results.get(run)
        if found is None:
            found = measure()
            self.results.put(run, found)
            self.done += 1
        else:
            self.known += 1
        return found

    def profile(self, preset, source):
        """_profiles.Facts of a program."""
        folder = self.results.path + ".profiles"
        key = ["profile", "segments", preset, source]
        found = _profiles.facts(self.kept(key, lambda: _profiles.measure(preset, source, folder)), folder)
        if found is None:
            self.results.put(key, _profiles.measure(preset, source, folder))
            found = _profiles.facts(self.results.get(key), folder)
        return found

    def each(self, tasks):
        """Results of each (run, measure), in order: as by `kept`, in parallel. `measure(go_on)` returns at the next
        occasion after `go_on()` is false."""
        tasks = [(run, measure) for run, measure in tasks]
        fresh = {self.results.key(run): (run, measure) for run, measure in tasks if self.results.get(run) is None}
        self.known += len(tasks) - len(fresh)
        stop = threading.Event()
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            running = {pool.submit(measure, lambda: not stop.is_set()): run for run, measure in fresh.values()}
            try:
                for done, future in enumerate(concurrent.futures.as_completed(running), 1):
                    self.results.put(running[future], future.result())
                    self.done += 1
                    if self.on_progress:
                        self.on_progress(done, len(running))
            except BaseException:
                stop.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return [self.results.get(run) for run, _ in tasks]

    def all(self, tasks):
        """Counters and ratios of each (preset, source, settings), as dictionaries, in order."""
        tasks = [[preset, source, dict(settings)] for preset, source, settings in tasks]
        return self.each((task, functools.partial(figures, *task)) for task in tasks)
