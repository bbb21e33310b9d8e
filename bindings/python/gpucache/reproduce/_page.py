# SPDX-License-Identifier: BSD-2-Clause
"""The page of claims, in Markdown: sums by document, agreeing claims as numbers, and a line for each reason of a
difference."""

from collections import Counter, namedtuple
from itertools import groupby

from ._claims import KINDS, VERDICTS
from ._model import program_of

LONGEST = 48  # letters of a figure
PROGRAMS = 3  # most programs named in a command
DOCUMENTS = {
    "000": "Adaptive GPU Cache Bypassing (2021)",
    "001": "hardware-based and hybrid L1 bypassing",
    "002": "L2 caches under Multi2Sim, chapter 4",
    "004": "throttling, PCAL, AgeLRU and predicted reuse",
}
# Classes of counted claims, by verdicts of claims that differ.
CLASSES = {
    "reproduced": (), "refuted": ("definition", "document"), "of another program, input, machine":
    ("program", "input", "machine"), "open": ("open",), "cannot be known": ("unknown",), "no verdict": ("",),
    "not run": (),
}  # fmt: skip

# An experiment's judged claims, with the library that ran them: "" without a run.
Judged = namedtuple("Judged", "experiment library date pairs")

HEAD = """\
# The documents' claims

`python3 -m gpucache reproduce --kept --page bench/CLAIMS.md` makes this page from kept runs and from the reasons in
[claims.json](../bindings/python/gpucache/reproduce/claims.json). No line is written by hand. Commands are arguments of
`python3 -m gpucache`, unless they begin with another program. A figure stands as the document's → ours.

A speed-up, latency or mean agrees within 10 %, a rate within 5 points, a number or an order if equal. Reproduced claims
agree. Refuted claims contradict the document itself, or need another meaning. A document's expectations are listed, and
not counted. A table or figure is "not run" if no run of its programs was kept; its claims are missing in the sums. The
column of libraries names the commit of the runs, and how many of the programs ran.
"""


def judged(experiments, found, claims):
    """[Judged] of experiments: `found` is of last_claims, `claims` the file of claims."""
    rows = []
    for experiment in experiments:
        verdicts, known = found.get(experiment.name, (None, []))
        pairs = [(claim, claims.judge(experiment.name, claim)) for claim in known if claim.theirs]
        rows.append(Judged(experiment, verdicts.library if verdicts else "", verdicts.date if verdicts else "", pairs))
    return rows


def class_of(claim, judgement):
    """The name in CLASSES of a claim, or "expectation"."""
    if judgement.kind == "expectation":
        return "expectation"
    if claim.agrees is not False:
        return "reproduced" if claim.agrees else "not run"
    return next(name for name, verdicts in CLASSES.items() if judgement.verdict in verdicts)


def _cell(text):
    return str(text).replace("|", "\\|")


def _rows(heading, rows):
    """Lines of a table; columns with a colon at the end of their heading are of numbers."""
    marks = ["---:" if name.endswith(":") else "---" for name in heading]
    cells = [[name.rstrip(":") for name in heading], marks, *rows]
    return ["| " + " | ".join(map(_cell, row)) + " |" for row in cells]


def _counts(pairs):
    return Counter(class_of(claim, judgement) for claim, judgement in pairs)


def _pairs(rows):
    return [pair for row in rows for pair in row.pairs]


def _by_document(rows):
    return [(name, list(of)) for name, of in groupby(rows, key=lambda row: row.experiment.document)]


def _sums(rows):
    """Counted claims by document and by class, expectations last."""
    table = []
    for name, of in [*((f"seeds/{name}", of) for name, of in _by_document(rows)), ("all", rows)]:
        counts, hopes = _counts(_pairs(of)), [claim for claim, j in _pairs(of) if j.kind == "expectation"]
        total = sum(counts[each] for each in CLASSES)
        decided = total - counts["not run"]
        share = f"{100 * counts['reproduced'] / decided:.0f} %" if decided else ""
        met = f"{sum(claim.agrees is True for claim in hopes)} of {len(hopes)}"
        table.append([name, total, *(counts[each] for each in CLASSES), share, met])
    return _rows(["document", "claims:", *(f"{each}:" for each in CLASSES), "of those run:", "expectations met:"], table)


def _kinds(rows):
    table = []
    for kind, meaning in KINDS.items():
        of = [claim for claim, judgement in _pairs(rows) if judgement.kind == kind]
        table.append([kind, meaning, *(sum(claim.agrees is agrees for claim in of) for agrees in (True, False, None))])
    return _rows(["kind", "", "agree:", "differ:", "not run:"], table)


def _verdicts(rows):
    counts = Counter(judgement.verdict for claim, judgement in _pairs(rows) if judgement.kind != "expectation")
    return _rows(["verdict", "", "claims:"], [[name, meaning, counts[name]] for name, meaning in VERDICTS.items()])


def _experiments(rows):
    """A line for each experiment: agreeing claims are numbers here."""
    table = []
    for row in rows:
        counts = Counter(claim.agrees for claim, judgement in row.pairs if judgement.kind != "expectation")
        hopes = sum(judgement.kind == "expectation" for _, judgement in row.pairs)
        programs = {program_of(claim) for claim, _ in row.pairs} & set(row.experiment.programs)
        part = f", {len(programs)} of {len(row.experiment.programs)} programs"
        run = f"{row.library}, {row.date}{part * (len(programs) < len(row.experiment.programs))}" if row.library else "not run"
        numbers = [counts[True], counts[False], counts[None], hopes] if row.library else [""] * 4
        table.append([f"`{row.experiment.name}`", row.experiment.title, *numbers, run])
    return _rows(["table or figure", "", "agree:", "differ:", "not run:", "expectations:", "library"], table)


def _short(text):
    return text if len(text) <= LONGEST else text[:LONGEST - 1].rstrip() + "…"


def _figures(claims):
    """Claims in a text: those with one name of the figure together."""
    texts = []
    for what in dict.fromkeys(claim.what for claim in claims):
        of = [claim for claim in claims if claim.what == what]
        theirs = {claim.theirs for claim in of}
        if len(of) > 1 and len(theirs) == 1:
            texts.append(f"{what}: {of[0].theirs} → " + ", ".join(f"{claim.subject} {_short(claim.ours)}" for claim in of))
        else:
            texts.append(f"{what}: " + ", ".join(f"{c.subject} {c.theirs} → {_short(c.ours)}" for c in of))
    return "; ".join(texts)


def command_of(experiment, judgement, claims):
    """Command of a verdict; if the verdict has none, the command that runs the claims."""
    programs = sorted({program_of(claim) for claim in claims})
    own = len(programs) <= PROGRAMS and set(programs) <= set(experiment.programs)
    return judgement.command or f"reproduce {experiment.name}" + "".join(f" --program {name}" for name in programs if own)


def _differences(rows):
    """A line for each experiment and reason."""
    table = []
    for row in rows:
        groups = {}
        for claim, judgement in row.pairs:
            if claim.agrees is False and judgement.kind != "expectation":
                groups.setdefault((judgement.section, judgement.entry), []).append((claim, judgement))
        for of in groups.values():
            claims, first = [claim for claim, _ in of], of[0][1]
            table.append([first.section, _figures(claims), first.reason or "no verdict",
                          f"`{command_of(row.experiment, first, claims)}`"])  # fmt: skip
    return _rows(["section", "claims", "verdict", "command"], table) if table else []


def _hopes(rows):
    table = []
    for row in rows:
        groups = {}
        for claim, judgement in row.pairs:
            if judgement.kind == "expectation":
                groups.setdefault((judgement.section, claim.agrees, judgement.reason), []).append(claim)
        words = {True: "met", False: "not met", None: "not run"}
        table += [[section, _figures(of), ": ".join(filter(None, (words[agrees], reason)))]
                  for (section, agrees, reason), of in groups.items()]  # fmt: skip
    return _rows(["section", "expectations, not counted", ""], table) if table else []


def page(rows):
    """Markdown of [Judged]."""
    parts = [HEAD.splitlines(), _sums(rows), _kinds(rows), _verdicts(rows)]
    for name, of in _by_document(rows):
        parts += [[f"## seeds/{name}: {DOCUMENTS[name]}"], _experiments(of), _differences(of), _hopes(of)]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"
