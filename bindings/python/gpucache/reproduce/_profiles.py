# SPDX-License-Identifier: BSD-2-Clause
"""Profiles of programs, taken with the clock, made once and kept beside the runs, named by their contents."""

import hashlib
import math
import os
from collections import namedtuple

from .._output import scratch
from ..config import Config
from ..context import Context
from ..profile import Profile
from ..trace import Trace

# classes       [transactions, R, U, score] of each class with loads, U by segments
# candidates    [threshold, cached classes]: different thresholds of `hybrid`
# reuses        [line addresses with n hits] for each SM, n from 0 to 15 and more
# instructions  [kernel, accesses, accesses that should bypass] for each load, in the order of kernels and program
#               counters
Facts = namedtuple("Facts", "classes candidates reuses instructions file")


SEGMENT = 32


def _by_segments(row):
    """[transactions, R, U, U x (1 + R)] of a class. U is the share of a line's 32-byte segments, as in Table 1: .96 for
    loads of 8 transactions, which use at most a quarter of the bytes."""
    c = row.counts
    used = SEGMENT * c.segments
    score = used * (c.fills + c.reuses) / (c.bytes_moved * c.fills) if c.fills else used * (1 + c.hits) / c.bytes_moved
    return [row.transactions, c.reuse, used / c.bytes_moved, score]


def _candidates(classes):
    """The largest of equivalent thresholds: 0, and each score."""
    scores = {transactions: math.floor(score * 1e6 + 0.5) / 1e6 for transactions, _, _, score in classes}
    found = {}
    for threshold in sorted({0.0, *scores.values()}):
        found[tuple(sorted(n for n, score in scores.items() if score > threshold))] = threshold
    return [[threshold, list(cached)] for cached, threshold in found.items()]


def _facts(profile):
    classes = [_by_segments(row) for row in profile.classes() if row.counts.loads]
    return {
        "classes": classes,
        "candidates": _candidates(classes),
        "reuses": [list(row.lines_by_reuse) for row in profile.sms() if row.counts.accesses],
        "instructions": [[row.kernel, row.counts.accesses, row.bypass_accesses] for row in profile.instructions()
                         if row.counts.loads],
    }  # fmt: skip


def _digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


def measure(preset, source, folder):
    """Facts in JSON form of a profile, written into `folder`."""
    with Context() as context, Config(context, preset, {"mode": "timed"}) as config:
        with Profile(context, config) as profile, Trace(context, source) as trace:
            profile.run(trace)
            os.makedirs(folder, exist_ok=True)
            with scratch(os.path.join(folder, "profile")) as made:
                profile.write(made)
                name = _digest(made) + ".profile"
                os.replace(made, os.path.join(folder, name))
            return {**_facts(profile), "file": name}


def facts(found, folder):
    """Facts from the result of `measure`; `file` is a path. None if the file is missing or changed."""
    path = os.path.join(folder, found["file"])
    if not os.path.exists(path) or _digest(path) + ".profile" != found["file"]:
        return None
    return Facts(**{**found, "file": path})
