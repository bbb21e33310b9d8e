# SPDX-License-Identifier: BSD-2-Clause
"""claims.json: kinds of the documents' claims, their sections, and the reasons of differences.

An entry has patterns for names of experiments, subjects and figures of claims (`*` for any letters, or a list of
patterns), and what is known of the matching claims. Of several entries for a claim the last decides: an entry with a
verdict replaces an earlier verdict as a whole. Claims without an entry have the kind of their rule of agreement.
"""

import fnmatch
import json
import os
from collections import namedtuple

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "claims.json")
SCHEMA = 1

KINDS = {
    "result": "a number found by the document",
    "ordering": "a comparison in words",
    "curve": "words on a curve without numbers",
    "expectation": "a hope or an assumption of the document, not counted",
}
VERDICTS = {
    "program": "the document's program is another, or compiled in another way",
    "input": "the program's input or size is another",
    "machine": "the document's machine or policy is another",
    "definition": "the document's figure has another meaning",
    "document": "the document contradicts itself",
    "unknown": "cannot be known: the document, or its sources, lack a fact",
    "open": "no run has shown the cause",
}
PATTERNS = ("experiment", "subject", "what")
TEXTS = ("kind", "section", "verdict", "why", "command", "missing")
SHOWN = ("program", "input", "machine", "definition")  # verdicts that a run has to show: they need a command


class ClaimsError(ValueError):
    """A bad file of claims: the message has file, entry and key."""


# `patterns` are tuples in the order of PATTERNS; `number` counts from 1.
Entry = namedtuple("Entry", "number patterns kind section verdict why command missing")


class Judgement(namedtuple("Judgement", "kind section verdict why command missing entry")):
    """Kind, section and verdict of a claim; the verdict is of a claim that differs. `entry` is the number of the entry with the
    verdict, 0 without a verdict."""

    __slots__ = ()

    @property
    def reason(self):
        """A sentence with the verdict, or ""."""
        return f"{self.verdict}: {self.why}" + (f" Missing: {self.missing}." if self.missing else "") if self.verdict else ""


def _check(found, bad):
    """The rules of an entry; `bad(key, why)` makes an error."""
    for key in found:
        if key not in (*PATTERNS, *TEXTS):
            raise bad(key, f"unknown; known are {', '.join((*PATTERNS, *TEXTS))}")
    for key in PATTERNS:
        value = found.get(key, "*")
        if not value or not all(isinstance(each, str) and each for each in ([value] if isinstance(value, str) else value)):
            raise bad(key, "has to be a pattern, or a list of patterns")
    if "experiment" not in found:
        raise bad("experiment", "is missing")
    for key in TEXTS:
        if key in found and not (isinstance(found[key], str) and found[key].strip()):
            raise bad(key, "has to be a text, and not empty")
    if not {"kind", "section", "verdict"} & set(found):
        raise bad("verdict", "is missing, as are kind and section: an entry has to have a part of these")
    for key, known in (("kind", KINDS), ("verdict", VERDICTS)):
        if key in found and found[key] not in known:
            raise bad(key, f"'{found[key]}' is none of {', '.join(known)}")
    verdict = found.get("verdict")
    for key in ("why", "command", "missing"):
        if key in found and not verdict:
            raise bad(key, "is for entries with a verdict")
    if verdict and "why" not in found:
        raise bad("why", f"is missing beside the verdict '{verdict}'")
    if verdict in SHOWN and "command" not in found:
        raise bad("command", f"is missing: a run has to show the verdict '{verdict}'")
    if (verdict == "unknown") != ("missing" in found):
        raise bad("missing", "names the lacking fact of the verdict 'unknown', and of no other")


def _entry(number, found, path):
    where = f"{path}: entry {number}"
    if not isinstance(found, dict):
        raise ClaimsError(f"{where}: has to be an object")
    names = found.get("experiment")
    where += f" ({names})" if isinstance(names, str) else ""
    _check(found, lambda key, why: ClaimsError(f"{where}: {key}: {why}"))
    lists = [found.get(key, "*") for key in PATTERNS]
    patterns = tuple((each,) if isinstance(each, str) else tuple(each) for each in lists)
    return Entry(number, patterns, *(found.get(key, "") for key in TEXTS))


class Claims:
    """Entries of a file."""

    def __init__(self, entries):
        self.entries = entries

    def matching(self, experiment, claim):
        """Entries for a claim of an experiment's name, in the file's order."""
        texts = (experiment, claim.subject, claim.what)
        return [entry for entry in self.entries
                if all(any(fnmatch.fnmatchcase(text, pattern) for pattern in patterns)
                       for text, patterns in zip(texts, entry.patterns))]  # fmt: skip

    def judge(self, experiment, claim):
        kind, section, of = claim.kind, "", None
        for entry in self.matching(experiment, claim):
            kind, section = entry.kind or kind, entry.section or section
            of = entry if entry.verdict else of
        if of is None or claim.agrees is not False:
            return Judgement(kind, section, "", "", "", "", 0)
        return Judgement(kind, section, of.verdict, of.why, of.command, of.missing, of.number)

    def without_effect(self, known):
        """Entries with a verdict whose claims have been run and that decide no difference; `known` are pairs (name of an
        experiment, claim). Entries for all claims of several experiments stand by for others."""
        run = [(name, claim) for name, claim in known if claim.agrees is not None]
        used = {self.judge(name, claim).entry for name, claim in run}
        matched = {entry.number for name, claim in run for entry in self.matching(name, claim)}
        return [entry for entry in self.entries if entry.verdict and entry.number in matched - used
                and not ("*" in entry.patterns[0][0] and entry.patterns[1:] == (("*",), ("*",)))]  # fmt: skip


def load(path=FILE):
    """Claims of a JSON file: {"schema": 1, "claims": [entries]}."""
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except ValueError as error:
        raise ClaimsError(f"{path}: {error}") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise ClaimsError(f"{path}: schema: has to be {SCHEMA}")
    if not isinstance(document.get("claims"), list):
        raise ClaimsError(f"{path}: claims: has to be a list")
    return Claims([_entry(number, found, path) for number, found in enumerate(document["claims"], 1)])
