# SPDX-License-Identifier: BSD-2-Clause
"""Profiles of programs, taken with the clock, made once and kept beside the runs, named by their contents."""

import hashlib
import math
import os
from array import array
from collections import Counter, namedtuple

from .._output import scratch
from ..config import Config
from ..context import Context
from ..profile import Profile
from ..replay import Replay
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


def reuse_of_addresses(preset, source):
    """[transactions, three means of R] of each class of loads. R of an address is its number of hits in an SM's L1 in the
    whole run (seeds/001 IV.B); means over the class's accesses, and over the class's addresses, are of R, the last is of
    the address's hits by the class itself."""
    rows, access, row, hits = {}, array("Q"), array("L"), bytearray()

    def take(event):
        access.append(event.access)
        row.append(rows.setdefault((event.sm, event.address), len(rows)))
        hits.append(event.outcome in ("hit", "pending"))

    looked_up = {"whats": "lookup", "components": "l1", "kinds": "load"}
    with Context() as context, Config(context, preset, {"mode": "timed"}) as config, Trace(context, source) as trace:
        with Replay(context, config, events=take, event_filter=looked_up) as replay:
            for _ in replay.run(trace):
                pass
    transactions, reuse = Counter(access), Counter(place for place, hit in zip(row, hits) if hit)
    of = {}
    for number, place, hit in zip(access, row, hits):
        found = of.setdefault(transactions[number], {})
        accesses, own = found.get(place, (0, 0))
        found[place] = accesses + 1, own + hit
    return [[n, sum(reuse[place] * accesses for place, (accesses, _) in found.items()) / sum(a for a, _ in found.values()),
             sum(reuse[place] for place in found) / len(found), sum(own for _, own in found.values()) / len(found)]
            for n, found in sorted(of.items())]  # fmt: skip


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
