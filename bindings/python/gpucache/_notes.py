# SPDX-License-Identifier: BSD-2-Clause
"""Notes of traces as text and as JSON: instructions and lines without effect, or run by a guess."""

from ._constants import NoteReason

_OF_LISTS = NoteReason.PASSED_OVER, NoteReason.COPY
_COPIES = {
    "l2": "copies to the device: left in L2 (kernels.copies = l2)",
    "none": "copies to the device: they change nothing (kernels.copies = none)",
}


def merged(notes):
    """Sum the notes of several readers of a trace. Each reader has the notes of the list."""
    found = {}
    for note in notes:
        key = note.reason, note.text, note.file, note.line
        if key not in found:
            found[key] = note
        elif note.reason not in _OF_LISTS:
            found[key] = note._replace(count=found[key].count + note.count)
    return list(found.values())


def without_clock(notes):
    """Leave out kernels without arithmetic, which affect cycles only."""
    return [note for note in notes if note.reason != NoteReason.MEMORY_ALONE]


def of_run(notes, config):
    """Notes of a run with a Config, with the fate of copies."""
    copies = _COPIES[config["kernels.copies"]]
    return [note._replace(why=copies) if note.reason == NoteReason.COPY else note
            for note in (notes if config["mode"] == "timed" else without_clock(notes))]  # fmt: skip


def document(source, notes):
    """Dictionaries for JSON."""
    return [
        {"trace": source, "reason": note.reason.name.lower().replace("_", "-"), "text": note.text, "count": note.count,
         "file": note.file, "line": note.line or None, **({"bytes": note.bytes} if note.bytes else {}),
         "why": note.why}
        for note in notes
    ]  # fmt: skip


def line(note):
    """A line of text."""
    place = f"{note.file}:{note.line}" if note.line else note.file
    what = "kernels" if note.reason == NoteReason.MEMORY_ALONE else "lines"
    amount = f"{note.count:,} {what if note.count != 1 else what[:-1]}"
    if note.bytes:
        amount += f", {note.bytes:,} bytes"
    return f"{place}: {note.text}: {amount}: {note.why}"
