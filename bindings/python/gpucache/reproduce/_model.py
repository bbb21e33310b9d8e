# SPDX-License-Identifier: BSD-2-Clause
"""Claims of a document, and the rules by which a figure agrees with another."""

from collections import namedtuple

# A number of a document: `subject` is a program or a mean over several, `what` the figure, `theirs` and `ours` its
# values as text; `agrees` is None without a result, for the reason in `note`, or if the document has no reference: "".
Claim = namedtuple("Claim", "subject what theirs ours agrees note", defaults=("",))


class Experiment(namedtuple("Experiment", "name title run")):
    """A table or figure: `name` is "DOCUMENT:FIGURE"; `run`, called with a Bench, yields Claims."""

    __slots__ = ()

    @property
    def document(self):
        return self.name.split(":")[0]


SHARE = 0.10  # relative tolerance of a speed-up, latency or mean
POINTS = 5  # tolerance of a rate in per cent
EXACT = 1e-9  # error of binary fractions
NOTICEABLE = 1.05  # "non-negligible speed-up" of seeds/004, 4.8.1


def ratio(subject, what, theirs, ours, note=""):
    """A speed-up or a latency: agrees within SHARE."""
    return Claim(subject, what, f"{theirs:g}", f"{ours:.3g}", abs(ours - theirs) <= SHARE * theirs + EXACT, note)


def rate(subject, what, theirs, ours, note=""):
    """A rate in per cent; `ours` is from 0 to 1. Agrees within POINTS."""
    return Claim(subject, what, f"{theirs:g} %", f"{100 * ours:.1f} %", abs(100 * ours - theirs) <= POINTS + EXACT, note)


def count(subject, what, theirs, ours, note=""):
    """A number that agrees if equal."""
    return Claim(subject, what, str(theirs), str(ours), theirs == ours, note)


def holds(subject, what, theirs, ours, agrees, note=""):
    """A comparison in words."""
    return Claim(subject, what, theirs, ours, bool(agrees), note)


def missing(subject, what, theirs, note):
    return Claim(subject, what, theirs, "-", None, note)


def of_all(claim, here, of):
    """A figure over `of` programs of the document: no comparison over fewer programs."""
    return claim if here == of else claim._replace(agrees=None, note=f"{here} of the document's {of} programs")


def told(subject, what, ours, note=""):
    """A figure left open by the document."""
    return Claim(subject, what, "", ours, None, note)
