# SPDX-License-Identifier: BSD-2-Clause
"""Notes of traces as text and as JSON: instructions and lines without effect, or run by a guess."""

from ._constants import NoteReason, PolicyKind, ReadsBits

OF_KERNELS = NoteReason.MEMORY_ALONE, NoteReason.NO_PC
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


def _pc_readers(config):
    """Settings of a Config with policies that read PCs, as KEY=POLICY."""
    kinds = {"replacement": PolicyKind.REPLACEMENT, "bypass": PolicyKind.PREDICTOR}
    for key in config:
        kind, policy = kinds.get(key.rpartition(".")[2]), config[key]
        if kind is not None and policy and config._context.policy_reads(kind, policy) & ReadsBits.PC:
            yield f"{key}={policy}"


def of_run(notes, config):
    """Notes of a run with a Config: with the fate of copies, and with policies to which PCs are missing."""
    notes = notes if config["mode"] == "timed" else without_clock(notes)
    whys = {NoteReason.COPY: _COPIES[config["kernels.copies"]]}
    if any(note.reason == NoteReason.NO_PC for note in notes):
        readers = ", ".join(_pc_readers(config))
        whys[NoteReason.NO_PC] = f"the instructions have no PC, for policies that read PCs: {readers}" if readers else ""
    return [note._replace(why=whys.get(note.reason, note.why)) for note in notes if whys.get(note.reason, True)]


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
    what = "kernels" if note.reason in OF_KERNELS else "lines"
    amount = f"{note.count:,} {what if note.count != 1 else what[:-1]}"
    if note.bytes:
        amount += f", {note.bytes:,} bytes"
    return f"{place}: {note.text}: {amount}: {note.why}"
