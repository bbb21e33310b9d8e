# SPDX-License-Identifier: BSD-2-Clause
"""Applications run repeatedly with changed settings: for bottleneck and tune."""

import concurrent.futures
import contextlib
import os
import threading

from .. import bottleneck as rules
from ..about import about
from ..hierarchy import Hierarchy
from ..replay import Replay
from ..stats import Stats
from ..trace import Trace
from .._names import kernel_name
from ._common import (
    add_configuration,
    add_kernels,
    add_limits,
    apply_limits,
    at_least,
    configuration,
    context,
    opened,
    terminal,
)
from ._output import Failure


def add_jobs(parser, what="runs at the same time"):
    """Add --jobs: at least 1, by default the number of processors."""
    parser.add_argument("--jobs", type=at_least(1), default=os.cpu_count() or 1, metavar="N",
                        help=f"{what}; default: as many as processors")  # fmt: skip


def add_runs(parser):
    """Options of bottleneck and tune."""
    parser.add_argument("traces", nargs="+", metavar="TRACE", help="an application each; as for the command run")
    add_configuration(parser)
    add_kernels(parser)
    add_jobs(parser)
    add_limits(parser)


def settings(made, options, changes=None, varied=("sm.warp_limit",)):
    """Configuration of a run: the command line's, timed, then the changes of the `varied` keys."""
    config = configuration(made, options)
    config["mode"] = "timed"
    for key in varied:
        if config.number(key):
            raise Failure(f"{key} is what this command varies: leave it out")
    apply_limits(config, options)
    for key, value in (changes or {}).items():
        config[key] = value
    return config


def origin_of(options):
    """Description of runs without changes."""
    with context(options) as made, settings(made, options, varied=()) as config:
        return about(config, options.traces, options.kernels)


class Application:
    """A trace, or the kernels chosen by --kernels, with runs."""

    def __init__(self, options, source, varied=("sm.warp_limit",)):
        self.options = options
        self.source = source
        self.warp_max = self.block_max = 1
        name = os.path.basename(os.path.normpath(source)) if os.path.exists(source) else source
        with context(options) as made, settings(made, options, varied=varied) as config, \
                opened(made, options, source) as trace:
            self.config = dict(config.items())
            with Hierarchy(made, config) as hierarchy:
                kernels = list(trace)
                if not kernels:
                    raise Failure(f"{source}: there is no kernel in it")
                for kernel in kernels:
                    x, y, z = kernel.block
                    fit = hierarchy.occupancy(
                        threads=x * y * z, registers=kernel.registers, shared_bytes=kernel.shared_bytes
                    )
                    self.warp_max = max(self.warp_max, rules.warps_that_fit(kernel, config, fit))
                    self.block_max = max(self.block_max, rules.blocks_that_fit(kernel, config, fit))
        self.name = name if options.kernels is None else f"{name}:{options.kernels}"
        if options.kernels is not None and len(kernels) == 1:
            self.name = f"{name}:{kernel.index + 1} {kernel_name(kernel.name)}"

    @contextlib.contextmanager
    def configured(self):
        """The Config of a run without changes."""
        with context(self.options) as made, settings(made, self.options, varied=()) as config:
            yield config

    def each_result(self, changes, go_on, dealt=None, **listeners):
        """Results of all kernels with changed settings, one by one. `go_on` is asked again and again; false cancels.

        dealt      a trace of the chosen kernels, in place of the application's
        listeners  of Replay: events and so on
        """
        options = self.options
        with context(options) as made, settings(made, options, changes, varied=()) as config:
            opening = opened(made, options, self.source) if dealt is None else Trace(made, dealt)
            with Replay(made, config, lambda progress: go_on(), **listeners) as replay, opening as trace:
                yield from replay.run(trace)

    def results(self, *arguments, **options):
        """[Result] of all kernels, as each_result()."""
        return list(self.each_result(*arguments, **options))

    def measure(self, changes, go_on):
        """Stats of all kernels together, as results()."""
        return sum((result.stats for result in self.results(changes, go_on)), Stats())


def measure_all(tasks, jobs):
    """Yield (task, measured) of every task, (application, changes), at the end of the run. Contexts are independent:
    runs are threads that wait only for the library."""
    stop = threading.Event()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {
            pool.submit(task[0].measure, task[1], lambda: not stop.is_set()): task for task in tasks
        }
        try:
            for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
                yield futures[future], future.result()
                terminal.progress(lambda: f"{done} of {len(futures)} runs")
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
