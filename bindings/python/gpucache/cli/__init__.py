# SPDX-License-Identifier: BSD-2-Clause
"""The command line: a module per subcommand, each with add(subparsers) and run(options).

Exit codes: 0 done, 1 bad input, 2 usage; as in shells, 130 interrupted, 143 terminated, 141 closed output pipe.
"""

import argparse
import difflib
import importlib
import os
import re
import signal
import sys
import threading

from .. import _stdin
from .._constants import __version__
from ..errors import VARIABLE, GpucacheError, LibraryError
from ._output import Failure
from ._terminal import terminal

# {command: a line of help}. The last word of a command is its module.
COMMANDS = {
    "run": "replay traces and print hit rates and traffic",
    "compare": "run traces under several policies",
    "sweep": "run a plan: traces x presets x settings, kept and resumed",
    "explain": "name what bounds a kernel, and the loads and stores to blame",
    "bottleneck": "sweep warps per scheduler and name the bottlenecks",
    "tune": "search the best number of warps, blocks, and PCAL's EBTNum",
    "profile": "reuse, utilisation and what should bypass L1",
    "coherence": "run coherence scenarios and compare what comes of them",
    "coherence verify": "explore all states that small trees reach under a coherence protocol",
    "info": "describe the kernels of a trace",
    "convert": "write a trace as .gct or as text",
    "kernels": "list the synthetic kernels with their parameters",
    "presets": "list the presets, or print one",
    "policies": "list replacement policies, predictors, schedulers, throttles, prefetchers, coherence protocols",
    "config": "list the configuration keys, or effective values",
    "counters": "list counters with their units, meanings and equations",
    "reproduce": "the documents' tables and figures beside this library's",
    "report": "results as one page with pictures",
    "torture": "random machines and programs: nothing may hang, get lost or differ",
}


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

    def error(self, message):
        """A line, with the nearest choice."""
        choice = re.match(r"argument (\S+): invalid choice: '(.*?)'", message)
        if choice:
            names = next(action.choices for action in self._actions if choice[1] in (action.metavar, action.dest,
                                                                                    *action.option_strings))  # fmt: skip
            near = difflib.get_close_matches(choice[2], list(map(str, names)), 1)
            message = f"{choice[0][9:]}" + (f"; did you mean '{near[0]}'?" if near else "")
        self.exit(2, f"{self.prog}: error: {message} ({self.prog} --help)\n")


class _Commands:
    """Adds commands to a parser, each with its line of help."""

    def __init__(self, top):
        self._commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def add_parser(self, name, **options):
        return self._commands.add_parser(name, help=COMMANDS[name], **options)


def parser(command=None, *, whole=True):
    """Parser of a single command (other commands are not imported); without a name, of all commands.

    whole  False: commands of the list have no options, and are not imported
    """
    top = _Parser(prog="gpucache", description="The memory hierarchy of a GPU: replay traces, compare policies.")
    top.add_argument("--version", action="version", version=f"gpucache {__version__}")
    for title, text in _NOTES.items():
        top.add_argument_group(title, text)
    commands = _Commands(top)
    for name in [command] if command in COMMANDS else COMMANDS:
        if whole or name == command:
            importlib.import_module(f"{__name__}.{name.split()[-1]}").add(commands)
        else:
            commands.add_parser(name)
    return top


def parse(arguments):
    """Options of a command line. An unknown option is an error of its command, with the nearest option."""
    top = parser(*arguments[:1], whole=False)
    options, unknown = top.parse_known_args(arguments)
    if unknown:
        (commands,) = (action for action in top._actions if isinstance(action, argparse._SubParsersAction))
        own = commands.choices[options.command]
        near = difflib.get_close_matches(unknown[0].split("=")[0], list(own._option_string_actions), 1)
        own.error(f"unrecognized argument: {unknown[0]}" + (f"; did you mean '{near[0]}'?" if near else ""))
    return options


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
        options = parse(arguments)
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
