# SPDX-License-Identifier: BSD-2-Clause
"""run --save-at and --resume: a replay's state in a file, to continue later."""

import contextlib

from ..replay import Replay
from ._common import natural
from ._output import Failure

# Options stored in a snapshot.
_FROM_FILE = ("preset", "files", "mode", "max_cycles", "max_instructions")


def add_snapshots(parser):
    group = parser.add_argument_group(
        "snapshots", "Of one trace. What goes on from a file ends as the run would have that wrote it; kernels that had "
        "ended are not shown again. A file is for the same build of the library.",
    )  # fmt: skip
    group.add_argument("--save-at", nargs=2, metavar=("CYCLE", "FILE"), help="write the state of everything when that "
                       "core cycle of the trace has come (without a clock: round, in which each SM takes a turn), and "
                       "go on")  # fmt: skip
    group.add_argument("--resume", metavar="FILE", help="go on from there; the configuration is that of the file, but "
                       "for --set threads=N")  # fmt: skip


def _threads_of(pairs):
    """The key `threads` of --set, the only setting independent of a file's state; None: not set."""
    found = [value for key, _, value in (pair.partition("=") for pair in pairs) if key.strip() == "threads"]
    return found[-1].strip() if found else None


def check_snapshots(parser, options):
    if options.resume is not None:
        if any(_threads_of([pair]) is None for pair in options.set):
            parser.error("--set: the file of --resume says what is configured, but for threads=N")
        for name in _FROM_FILE:
            if getattr(options, name):
                option = "config, --gpgpusim" if name == "files" else name.replace("_", "-")
                parser.error(f"--{option}: the file of --resume says what is configured")
    if len(options.traces) > 1 and (options.resume is not None or options.save_at):
        parser.error("--save-at and --resume are for one trace")
    if options.save_at:
        try:
            options.save_at[0] = natural(options.save_at[0])
        except Exception as error:
            parser.error(f"--save-at: {error}")


class Snapshots(contextlib.AbstractContextManager):
    """Snapshots for --resume and --save-at. Without options neither."""

    config = None  # configuration of the loaded snapshot

    def __init__(self, made=None, options=None):
        self._loaded = self._save_at = None
        if options is not None and options.resume is not None:
            self._loaded = Replay.load(made, options.resume, threads=_threads_of(options.set))
            self.config = self._loaded.config
        if options is not None and options.save_at:
            self._save_at = options.save_at

    def __exit__(self, *_):
        if self._loaded is not None:
            self._loaded.close()

    def replay(self, made, config, **listeners):
        """The replay of a trace."""
        if self._loaded is None:
            return Replay(made, config, **listeners)
        return self._loaded._listen(**listeners)

    def resume(self, runner, trace):
        """Load before the first kernel."""
        if self._loaded is not None:
            runner.resume(trace)
        if self._save_at:
            cycle, path = self._save_at
            if cycle < runner.now:
                raise Failure(f"--save-at {cycle}: {runner.now} is past already")
            runner.pause_at(cycle)

    def kernel(self, runner, trace):
        """As Replay.kernel(), but a pause writes the file."""
        result = runner.kernel(trace)
        if runner.paused:
            runner.save(self._save_at[1])
            self._save_at = None
            runner.pause_at(None)
            result = runner.kernel(trace)
        if result is None and self._save_at:
            raise Failure(f"--save-at {self._save_at[0]}: the trace ends at {runner.now}")
        return result
