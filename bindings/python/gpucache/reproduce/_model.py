# SPDX-License-Identifier: BSD-2-Clause
"""Claims of a document, and the rules by which a figure agrees with another."""

from collections import namedtuple

# A number of a document: `subject` is a program or a mean over several, `what` the figure, `theirs` and `ours` its
# values as text; `agrees` is None without a result, for the reason in `note`, or if the document has no reference: "".
# `kind` is of _claims.KINDS; claims.json may change the kind.
Claim = namedtuple("Claim", "subject what theirs ours agrees note kind", defaults=("", "result"))


class Experiment(namedtuple("Experiment", "name title run programs", defaults=((),))):
    """A table or figure: `name` is "DOCUMENT:FIGURE"; `run`, called with a Bench, yields Claims. `programs` are the names
    of programs with claims of their own: `run` for a program runs no program that these claims do not need."""

    __slots__ = ()

    @property
    def document(self):
        return self.name.split(":")[0]

    def claims(self, bench):
        """Claims of `run`; of a Bench for a few programs the claims of these."""
        return [claim for claim in self.run(bench) if not bench.only or program_of(claim) in bench.only]


def program_of(claim):
    """Name of a claim's program: "SC" of "SC, 3 transactions"."""
    return claim.subject.split(",")[0]


SHARE = 0.10  # relative tolerance of a speed-up, latency or mean
POINTS = 5  # tolerance of a rate in per cent
EXACT = 1e-9  # error of binary fractions
NOTICEABLE = 1.05  # "non-negligible speed-up" of seeds/004, 4.8.1


def plain(number, digits=3):
    """Text of a number without an exponent; numbers from 1,000 on are whole."""
    if abs(number) >= 999.5:
        return f"{number:,.0f}"
    text = f"{number:.{digits}g}"
    return f"{number:.6f}" if "e" in text else text


def ratio(subject, what, theirs, ours, note="", unit=""):
    """A speed-up, a latency or a size: agrees within SHARE."""
    texts = (f"{text} {unit}".rstrip() for text in (plain(theirs, 6), plain(ours)))
    return Claim(subject, what, *texts, abs(ours - theirs) <= SHARE * theirs + EXACT, note)


def rate(subject, what, theirs, ours, note=""):
    """A rate in per cent; `ours` is from 0 to 1. Agrees within POINTS."""
    return Claim(subject, what, f"{theirs:g} %", f"{100 * ours:.1f} %", abs(100 * ours - theirs) <= POINTS + EXACT, note)


def count(subject, what, theirs, ours, note=""):
    """A number that agrees if equal."""
    texts = (f"{value:,}" if isinstance(value, int) else str(value) for value in (theirs, ours))
    return Claim(subject, what, *texts, theirs == ours, note)


def holds(subject, what, theirs, ours, agrees, note=""):
    """A comparison in words."""
    return Claim(subject, what, theirs, ours, bool(agrees), note, "ordering")


def missing(subject, what, theirs, note):
    return Claim(subject, what, theirs, "-", None, note)


def of_all(claim, here, of):
    """A figure over `of` programs of the document: no comparison over fewer programs."""
    return claim if here == of else claim._replace(agrees=None, note=f"{here} of the document's {of} programs")


def told(subject, what, ours, note=""):
    """A figure left open by the document."""
    return Claim(subject, what, "", ours, None, note)
