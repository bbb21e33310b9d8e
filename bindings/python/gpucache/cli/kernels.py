# SPDX-License-Identifier: BSD-2-Clause
"""kernels: the synthetic kernels, for traces named synthetic:NAME[:SIZE[:PARAMETER=VALUE,...]]."""

from .._table import wrapped
from ..trace import synthetics
from ._common import chosen, size


def add(commands):
    parser = commands.add_parser(
        "kernels", description="List the kernels that any command takes in place of a trace file: "
        "synthetic:NAME[:SIZE[:PARAMETER=VALUE,...]], as synthetic:transpose-naive:1MiB. Parameters are in parentheses, "
        "with their defaults.",
    )  # fmt: skip
    parser.add_argument("patterns", nargs="*", metavar="NAME", help="only kernels with these names; * is any text")
    parser.set_defaults(run=run)


def run(options):
    found = chosen(synthetics(), options.patterns, "synthetic kernel")
    rows = [[each.name, size(each.size), each.summary] for each in found]
    print("\n".join(wrapped(["kernel", "size", "what it does (parameters)"], rows, left=(0, 2))))
