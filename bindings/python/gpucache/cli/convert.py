# SPDX-License-Identifier: BSD-2-Clause
"""convert: a trace in another form."""

import os

from .._constants import TraceFormat
from ..trace import TraceWriter
from ._common import add_kernels, add_verbose, context, left_out, opened, size, terminal
from ._output import Failure


def add(commands):
    parser = commands.add_parser(
        "convert", description="Write a trace in another form: TARGET ending "
        "in .gct is a binary file, anything else a folder of Accel-Sim text.",
    )  # fmt: skip
    parser.add_argument("source", metavar="SOURCE", help="as TRACE for the command run")
    parser.add_argument("target", metavar="TARGET", help="FILE.gct or a folder")
    add_kernels(parser)
    add_verbose(parser)
    parser.set_defaults(run=run)


def bytes_of(path):
    """Size of a file, or of the files in a folder; None otherwise."""
    if os.path.isfile(path):
        folder = os.path.dirname(path) if os.path.basename(path) == "kernelslist.g" else None
        if folder is None:
            return os.path.getsize(path)
        path = folder or "."
    if os.path.isdir(path):
        with os.scandir(path) as entries:
            return sum(entry.stat().st_size for entry in entries if entry.is_file())
    return None


def copy(trace, writer):
    """Kernels, blocks and instructions written."""
    kernels = blocks = instructions = 0
    for kernel in trace:
        writer.kernel(kernel)
        kernels += 1
        for block in kernel:
            writer.block(block)
            blocks += 1
            instructions += block.instruction_count
            terminal.progress(lambda: f"{100 * trace.progress:3.0f} % {instructions:,} instructions")
    return kernels, blocks, instructions


def run(options):
    binary = options.target.endswith(".gct")
    if not binary and os.path.isfile(options.target):
        raise Failure(f"{options.target} is a file; a target is FILE.gct or a folder")
    with context(options) as made, opened(made, options, options.source) as trace:
        with TraceWriter(made, options.target, TraceFormat.BINARY if binary else TraceFormat.TEXT) as writer:
            kernels, blocks, instructions = copy(trace, writer)
        others = left_out(trace, kernels)
    terminal.clear()
    before, after = bytes_of(options.source), bytes_of(options.target)
    print(f"{kernels:,} kernels, {blocks:,} blocks, {instructions:,} instructions" + (f"; {others:,} kernels left out" if others else ""))
    if before is not None:
        print(f"{size(before)} in {options.source}")
    print(f"{size(after)} in {options.target}, {after / max(1, instructions):.2f} bytes an instruction")
