# SPDX-License-Identifier: BSD-2-Clause
"""The command line: a module per subcommand, each with add(subparsers) and run(options).

Exit codes: 0 done, 1 bad input, 2 usage; as in shells, 130 interrupted, 143 terminated, 141 closed output pipe.
"""

import argparse
import importlib
import os
import signal
import sys
import threading

from .. import _stdin
from .._constants import __version__
from .._loader import VARIABLE
from ..errors import GpucacheError, LibraryError
from ._common import terminal
from ._output import Failure

# Modules of the commands, by name.
COMMANDS = {
    name: name.split()[-1]
    for name in (
        "run", "compare", "sweep", "explain", "bottleneck", "tune", "profile", "coherence", "coherence verify", "info", "convert",
        "presets", "policies", "config", "counters", "reproduce", "report", "torture",
    )
}  # fmt: skip


# Notes on the whole command, below --help and in the manual page: {title: text}.
_NOTES = {
    "environment": f"""\
{VARIABLE}: the library, as a file or a folder with the library; no further place is searched. Without the variable:
the library beside the package, in the build folder of the package's sources, or installed.""",
    "exit status": """\
0: done. 1: bad input. 2: wrong usage. 130: interrupted. 143: terminated. 141: the reader of the output went away.""",
}


class _Parser(argparse.ArgumentParser):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, allow_abbrev=False, **options)


def parser(command=None):
    """Parser of a single command (other commands are not imported); without a name, of all commands."""
    top = _Parser(prog="gpucache", description="The memory hierarchy of a GPU: replay traces, compare policies.")
    top.add_argument("--version", action="version", version=f"gpucache {__version__}")
    for title, text in _NOTES.items():
        top.add_argument_group(title, text)
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in [command] if command in COMMANDS else COMMANDS:
        importlib.import_module(f"{__name__}.{COMMANDS[name]}").add(commands)
    return top


def _joined(arguments):
    """`coherence verify` as a single command; a file named verify is ./verify."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    return ["coherence verify", *arguments[2:]] if arguments[:2] == ["coherence", "verify"] else arguments


def _close_stdout():
    """After a broken pipe, drop buffered output."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _terminate(number, frame):
    """Turn the signal into an exception, to remove half-written files."""
    raise SystemExit(128 + number)


def _prepare():
    """Open streams for all kernels' names, and replace closed streams."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _terminate)


def _blamed(error):
    """Message for an exception of a policy from --load; None: the exception is the program's own."""
    loading = sys.modules.get("gpucache.loading")
    return loading and loading.blame(error)


def _keep_stdin(options):
    """Keep standard input if a trace comes from stdin."""
    named = [*(getattr(options, "traces", None) or ()), getattr(options, "trace", None), getattr(options, "source", None)]
    if _stdin.NAME in named:
        _stdin.keep()


def main(arguments=None):
    """Run a command line; returns the exit code."""
    _prepare()
    try:
        arguments = _joined(arguments)
        options = parser(*arguments[:1]).parse_args(arguments)
        _keep_stdin(options)
        options.run(options)
        sys.stdout.flush()
        return 0
    except SystemExit as end:  # argparse: usage, --help
        return end.code
    except BrokenPipeError:
        _close_stdout()
        return 141
    except KeyboardInterrupt:
        message, code = "interrupted", 130
    except (Failure, GpucacheError, LibraryError) as error:
        message, code = error, 1
    except OSError as error:
        message, code = f"{error.filename or 'output'}: {error.strerror}", 1
    except Exception as error:
        message, code = _blamed(error), 1
        if message is None:
            raise
    terminal.note(f"gpucache: {message}")
    return code
