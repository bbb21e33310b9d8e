# SPDX-License-Identifier: BSD-2-Clause
"""presets: the GPUs, or details of a GPU."""

import sys

from .. import config
from .._table import table


TRUTH = "# true to: "  # in the text of a preset


def truth(name):
    """Line of a preset about measurements of its GPU."""
    lines = config.preset_text(name).splitlines()
    return next((line.removeprefix(TRUTH) for line in lines if line.startswith(TRUTH)), "not stated")


def add(commands):
    parser = commands.add_parser("presets")
    parser.add_argument("name", nargs="?", metavar="NAME", help="print this one, with the source of every figure")
    parser.set_defaults(run=run)


def run(options):
    if options.name is not None:
        text = config.preset_text(options.name)
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return
    rows = [[preset.name, preset.summary, truth(preset.name)] for preset in config.presets()]
    print("\n".join(table(["preset", "summary", "true to"], rows, left=(0, 1, 2))))
