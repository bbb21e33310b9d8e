# SPDX-License-Identifier: BSD-2-Clause
"""kernels: the synthetic kernels, for traces named synthetic:NAME[:SIZE[:PARAMETER=VALUE,...]]."""

import fnmatch

from .._table import wrapped
from ..trace import synthetics
from ._common import size
from ._output import Failure


def add(commands):
    parser = commands.add_parser(
        "kernels", description="List the kernels that any command takes in place of a trace file: "
        "synthetic:NAME[:SIZE[:PARAMETER=VALUE,...]], as synthetic:transpose-naive:1MiB. Parameters are in parentheses, "
        "with their defaults.",
    )  # fmt: skip
    parser.add_argument("patterns", nargs="*", metavar="NAME", help="only kernels with these names; * is any text")
    parser.set_defaults(run=run)


def run(options):
    found = synthetics()
    for pattern in options.patterns:
        if not fnmatch.filter([each.name for each in found], pattern):
            raise Failure(f"no synthetic kernel has the name '{pattern}'")
    rows = [[each.name, size(each.size), each.summary] for each in found
            if not options.patterns or any(fnmatch.fnmatchcase(each.name, pattern) for pattern in options.patterns)]  # fmt: skip
    print("\n".join(wrapped(["kernel", "size", "what it does (parameters)"], rows, left=(0, 2))))
