# SPDX-License-Identifier: BSD-2-Clause
"""torture: random machines under random programs, by the program gpucache-torture."""

import os
import shutil
import subprocess
import sys

from .._loader import PACKAGE, lib
from ._application import add_jobs
from ._common import at_least, natural, setting
from ._output import Failure

PROGRAM = "gpucache-torture"


def add(commands):
    parser = commands.add_parser(
        "torture", description="Draw machines from the keys, every pair of them, and run random programs on each: in single "
        "cycles, from event to event, with a trace of events, from snapshots and by several threads. All must end, and "
        "have the same completions and counters. Exits 1 at a failure.",
    )  # fmt: skip
    parser.add_argument("--first", type=natural, default=1, metavar="N", help="the first seed; default 1")
    parser.add_argument("--count", type=at_least(1), metavar="N", help="seeds; default one for each pair of features")
    parser.add_argument("--seconds", type=at_least(1), metavar="N", help="end after so long")
    add_jobs(parser, "processes")
    parser.add_argument("--operations", type=at_least(1), metavar="N", help="of each program; default 60, with --values 1000")
    parser.add_argument("--set", action="append", default=[], type=setting, metavar="KEY=VALUE",
                        help="a setting of every machine")  # fmt: skip
    parser.add_argument("--load", metavar="FILE.so", help="policies of a shared library's gpucache_register()")
    parser.add_argument("--values", action="store_true",
                        help="programs without races, whose loads must find what was stored")  # fmt: skip
    parser.add_argument("--output", metavar="FOLDER", help="a C file for each kind of failure, as small as it gets")
    parser.add_argument("--list", action="store_true", help="name the pairs of features that were always refused")
    parser.add_argument("--show", action="store_true", help="print the first seed as a C file, and run nothing else")
    parser.set_defaults(run=run)


def candidates():
    """Yield where the program may be: in the build folder, beside the library, in PATH."""
    repository, inside = os.path.split(os.path.dirname(os.path.dirname(PACKAGE)))
    builds = [os.environ.get("GPUCACHE_BUILD")]
    if inside == "bindings":
        builds.append(os.path.join(repository, "build"))
    for build in filter(None, builds):
        yield os.path.join(build, "tests", "torture", PROGRAM)
    folder = os.path.dirname(os.path.abspath(lib.path()))
    for up in ("..", os.path.join("..", "..")):
        yield os.path.normpath(os.path.join(folder, up, "bin", PROGRAM))
    found = shutil.which(PROGRAM)
    if found:
        yield found


def program():
    for path in candidates():
        if os.access(path, os.X_OK):
            return path
    raise Failure(f"{PROGRAM} is not there: `ninja -C build` builds it, and `meson install` installs it; a wheel has none")


def run(options):
    command = [program()]
    for name in ("first", "count", "seconds", "jobs", "operations", "load", "output"):
        value = getattr(options, name)
        if value is not None:
            command += [f"--{name}", str(value)]
    for each in options.set:
        command += ["--set", each]
    command += [f"--{name}" for name in ("values", "list", "show") if getattr(options, name)]
    if options.output:
        os.makedirs(options.output, exist_ok=True)
    folders = [os.path.dirname(os.path.abspath(lib.path())), os.environ.get("LD_LIBRARY_PATH", "")]
    environment = dict(os.environ, LD_LIBRARY_PATH=os.pathsep.join(filter(None, folders)))
    sys.stdout.flush()
    code = subprocess.call(command, env=environment)
    if code:
        raise SystemExit(code if code > 0 else 128 - code)
