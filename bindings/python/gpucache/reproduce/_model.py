# SPDX-License-Identifier: BSD-2-Clause
"""Claims of a document, and the rules by which a figure agrees with another."""

from collections import namedtuple

# One number of a document: `subject` is a program or a mean over some, `what` the figure, `theirs` and `ours` its
# values as text; `agrees` None where it could not be found out, for the reason in `note`, or where the document has nothing
# to agree with: "".
Claim = namedtuple("Claim", "subject what theirs ours agrees note", defaults=("",))


class Experiment(namedtuple("Experiment", "name title run")):
    """A table or figure: `name` is "DOCUMENT:FIGURE"; `run`, called with a Bench, yields Claims."""

    __slots__ = ()

    @property
    def document(self):
        return self.name.split(":")[0]


SHARE = 0.10  # by which a speed-up, latency or mean may be another
POINTS = 5  # likewise a rate in per cent
EXACT = 1e-9  # what binary fractions lack
NOTICEABLE = 1.05  # "non-negligible speed-up" of seeds/004, 4.8.1


def ratio(subject, what, theirs, ours, note=""):
    """A speed-up or a latency: agrees within SHARE."""
    return Claim(subject, what, f"{theirs:g}", f"{ours:.3g}", abs(ours - theirs) <= SHARE * theirs + EXACT, note)


def rate(subject, what, theirs, ours, note=""):
    """Per cent of something; `ours` is from 0 to 1. Agrees within POINTS."""
    return Claim(subject, what, f"{theirs:g} %", f"{100 * ours:.1f} %", abs(100 * ours - theirs) <= POINTS + EXACT, note)


def count(subject, what, theirs, ours, note=""):
    """A number that is the same or not."""
    return Claim(subject, what, str(theirs), str(ours), theirs == ours, note)


def holds(subject, what, theirs, ours, agrees, note=""):
    """A comparison in words."""
    return Claim(subject, what, theirs, ours, bool(agrees), note)


def missing(subject, what, theirs, note):
    return Claim(subject, what, theirs, "-", None, note)


def of_all(claim, here, of):
    """A figure over `of` programs of the document: over fewer of them there is nothing to hold it against."""
    return claim if here == of else claim._replace(agrees=None, note=f"{here} of the document's {of} programs")


def told(subject, what, ours, note=""):
    """What the document leaves open."""
    return Claim(subject, what, "", ours, None, note)
