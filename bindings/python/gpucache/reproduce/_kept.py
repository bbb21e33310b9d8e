# SPDX-License-Identifier: BSD-2-Clause
"""Results of earlier calls in a file of runs: claims of each table and figure, with library and programs."""

import os
import subprocess
import time
from collections import namedtuple

from .._loader import lib
from ..context import version
from ._model import Claim, program_of

# `quick`: with the programs and points of --quick. `settings` are the GPU's beside the preset. `library` is the last
# commit of the library's sources, with "+" after later changes; or the version, outside a checkout. `build`
# distinguishes builds.
Verdicts = namedtuple("Verdicts", "name quick settings library build date agree differ missing")

SOURCES = ("lib", "include")


def _git(folder, *arguments):
    try:
        done = subprocess.run(["git", "-C", folder, *arguments], capture_output=True, text=True, check=True)
        return done.stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def commit():
    """Commit of the loaded library's checkout; "" without a checkout."""
    top = _git(os.path.dirname(os.path.abspath(lib.path())), "rev-parse", "--show-toplevel")
    if not os.path.isfile(os.path.join(top, "include", "gpucache", "gpucache.h")):
        return ""
    changed = _git(top, "status", "--porcelain", "--", *SOURCES)
    return _git(top, "log", "-1", "--format=%h", "--", *SOURCES) + "+" * bool(changed)


def keep(results, experiment, claims, quick, settings, only=()):
    """Keep results in the file of runs, in place of this library's last results for the same call: of a whole call, or of
    each program of `only`."""
    for program in only or [None]:
        own = [claim for claim in claims if program in (None, program_of(claim))]
        counts = [sum(claim.agrees is verdict for claim in own if claim.theirs) for verdict in (True, False, None)]
        found = Verdicts(experiment.name, quick, dict(settings), commit() or version(), results.build[:8],
                         time.strftime("%Y-%m-%d"), *counts)  # fmt: skip
        key = ["verdicts", experiment.name, quick, dict(settings), *([program] if program else [])]
        results.put(key, {"only" if program else "verdicts": found._asdict(), "program": program, "at": time.time(),
                          "claims": [claim._asdict() for claim in own]})  # fmt: skip


def kept(results, order):
    """[Verdicts] of all libraries; tables and figures in `order`, other names last."""
    places = {name: place for place, name in enumerate(order)}
    found = [Verdicts(**each["verdicts"]) for each in results.found.values()
             if isinstance(each, dict) and "verdicts" in each]  # fmt: skip
    return sorted(found, key=lambda v: (places.get(v.name, len(places)), v.name, v.date, v.build, v.quick))


def last_claims(results, quick, settings):
    """{name: (Verdicts, [Claim])} of the last whole call of any library, `settings(name)` being the GPU's settings; without
    a whole call, of the last calls for single programs, with their claims together."""
    found = [each for each in results.found.values() if isinstance(each, dict) and "claims" in each]
    last, parts = {}, {}
    for each in sorted(found, key=lambda each: each["at"]):
        verdicts = Verdicts(**(each.get("verdicts") or each["only"]))
        if verdicts.quick == quick and verdicts.settings == settings(verdicts.name):
            known = verdicts, [Claim(**claim) for claim in each["claims"]]
            if each["program"]:
                parts.setdefault(verdicts.name, {})[each["program"]] = known
            else:
                last[verdicts.name] = known
    for name, of in parts.items():
        programs = sorted(of)
        together = [claim for program in programs for claim in of[program][1]]
        of_last = of[programs[-1]][0]._replace(library=", ".join(sorted({each.library for each, _ in of.values()})))
        last.setdefault(name, (of_last, together))
    return last
