# SPDX-License-Identifier: BSD-2-Clause
"""Shared parts of subcommands: contexts, traces, notes, configuration options."""

import argparse
import fnmatch
import time

from .. import _notes
from ..about import DEFAULT_PRESET, NO_PRESET
from ..config import Config
from ..context import Context
from ..trace import Trace
from .._constants import LogLevel
from ._output import Failure
from ._terminal import terminal


def progress_of(kernel):
    """Progress callback for kernel number `kernel`, from 0, beginning now."""
    started = time.monotonic()

    def show(progress):
        def line():
            rate = progress.warp_instructions / max(1e-9, time.monotonic() - started) / 1e6
            return (f"{100 * progress.trace_fraction:3.0f} % kernel {kernel + 1}, block {progress.blocks:,} of "
                    f"{progress.block_count:,}, {rate:.1f} M warp instructions/s")  # fmt: skip

        terminal.progress(line)

    return show


def context(options, **fields):
    """A context with warnings on stderr; with --verbose, with all messages."""
    limit = LogLevel.DEBUG if options.verbose else LogLevel.WARNING

    def log(level, message):
        if level <= limit:
            terminal.note(f"gpucache: {level.name.lower()}: {message}")

    made = Context(log=log, **fields)
    for path in getattr(options, "load", ()):
        made.load(path)
    return made


# Traces


def add_kernels(parser):
    parser.add_argument("--kernels", metavar="LIST", help="only these of each trace: numbers, ranges and names, such as "
                        "3,5-8,10-,relu*. Numbers are places in the trace from 1, as info has them; names are mangled "
                        "or plain, * and ? stand for any text and character")  # fmt: skip


def opened(made, options, source, **more):
    """The Trace of a command line: its source with the kernels of --kernels."""
    return Trace(made, source, kernels=options.kernels, **more)


def left_out(trace, chosen):
    """Number of kernels left out by --kernels, at the end of a trace; None if unknown."""
    return trace.kernel_count - chosen if trace.kernel_count else None


def add_verbose(parser):
    parser.add_argument("-v", "--verbose", action="store_true", help="say on stderr what is odd about the input")


def tell_notes(options, notes):
    """Print notes on stderr: with --verbose all, otherwise kernels without arithmetic or PCs, unless stdout has JSON
    notes."""
    for note in notes:
        if options.verbose or (note.reason in _notes.OF_KERNELS and options.json != "-"):
            terminal.note(f"gpucache: note: {_notes.line(note)}")


# Configuration options


class _Source(argparse.Action):
    """Files in the order of the command line, for all options with files."""

    def __call__(self, parser, options, value, name=None):
        options.files = (options.files or []) + [(name, value)]


def at_least(least):
    """Type of an option: a number from `least` on."""

    def number(text):
        try:
            found = int(text)
        except ValueError:
            found = least - 1
        if found < least:
            raise argparse.ArgumentTypeError(f"'{text}' is not a number from {least} on")
        return found

    return number


natural = at_least(0)


def setting(value):
    if "=" not in value:
        raise argparse.ArgumentTypeError(f"'{value}' is not key=value")
    return value


def add_configuration(parser):
    group = parser.add_argument_group("configuration", "The preset comes first, then the files, then the settings.")
    group.add_argument("--preset", metavar="NAME", help=f"a GPU: see the command presets; default {DEFAULT_PRESET}, but "
                       f"with --gpgpusim, which says all, {NO_PRESET}: the keys' defaults, no GPU")  # fmt: skip
    group.add_argument("--config", action=_Source, metavar="FILE", help="key = value lines")
    group.add_argument("--gpgpusim", action=_Source, metavar="FILE", help="options of GPGPU-Sim or Accel-Sim")
    group.add_argument("--set", action="append", default=[], type=setting, metavar="KEY=VALUE",
                       help="one setting: see the command config")
    add_load(group)
    parser.set_defaults(files=None)


def add_load(parser):
    parser.add_argument("--load", action="append", default=[], metavar="FILE", help="policies of one's own, which settings "
                        "may name then: classes of a .py, or a shared library's gpucache_register()")  # fmt: skip


def configured(options):
    """Whether the command line says anything about the configuration."""
    return bool(options.preset or options.files or options.set)


def preset_of(options):
    """Value of --preset, or the default."""
    imported = any(option == "--gpgpusim" for option, _ in options.files or ())
    return options.preset or (NO_PRESET if imported else DEFAULT_PRESET)


def configuration(made, options):
    config = Config(made, preset_of(options))
    for option, path in options.files or ():
        if option == "--config":
            config.load_file(path)
        else:
            config.import_gpgpusim(path)
    for pair in options.set:
        config.set_pair(pair)
    return config


def add_limits(parser):
    parser.add_argument("--max-cycles", metavar="N", help="end each kernel after so many core cycles (limit.cycles)")
    parser.add_argument("--max-instructions", metavar="N",
                        help="end each kernel after so many warp instructions (limit.instructions)")  # fmt: skip


def apply_limits(config, options):
    for key, value in (("limit.cycles", options.max_cycles), ("limit.instructions", options.max_instructions)):
        if value is not None:
            config[key] = value


# Text


def chosen(found, patterns, what):
    """Entries of `found` with a name of the patterns, without patterns all. `what` is an entry, in words."""
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(each.name, pattern) for each in found):
            raise Failure(f"no {what} has the name '{pattern}'")
    return [each for each in found
            if not patterns or any(fnmatch.fnmatchcase(each.name, pattern) for pattern in patterns)]  # fmt: skip


def size(number):
    """12345678 -> 11.8 MiB."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if number < 1024 or unit == "GiB":
            break
        number /= 1024
    return f"{number:.0f} {unit}" if number == int(number) else f"{number:.1f} {unit}"


def count(values, name):
    """A counter of Stats for a table; - if unmeasured."""
    return f"{values[name]:,}" if name in values else "-"


def percent(values, name):
    """A ratio of Stats for a table; - if unmeasured, or without a denominator."""
    return f"{100 * values[name]:.1f}" if name in values else "-"
