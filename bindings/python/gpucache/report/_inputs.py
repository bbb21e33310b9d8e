# SPDX-License-Identifier: BSD-2-Clause
"""Inputs of a report: files of --json, and the text of --events."""

import gzip
import json
import os
from collections import namedtuple


class ReportError(ValueError):
    """A file without a result to report; the message names the file."""


# `kind`: run, compare, explain, bottleneck, tune, profile, coherence or events; `content` is the document, or the text of
# events.
Input = namedtuple("Input", "path kind content")


def _kind(document):
    if "geometric_means" in document and "runs" in document:
        return "compare"
    if "applications" in document:
        explained = any("explained" in application for application in document["applications"])
        return "bottleneck" if "thresholds" in document else "explain" if explained else "tune"
    if "instructions" in document and "classes" in document:
        return "profile"
    if "kernels" in document and "total" in document:
        return "run"
    if "sequential" in document or "timed" in document:
        return "coherence"
    return None


def read(path):
    """The Input of a file, plain or ending in .gz."""
    try:
        with (gzip.open if str(path).endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
            text = file.read()
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError):
        raise ReportError(f"{path}: neither JSON nor the text of --events") from None
    if not text.lstrip().startswith("{"):
        if not text.startswith("#"):
            raise ReportError(f"{path}: neither JSON nor the text of --events")
        return Input(path, "events", text)
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise ReportError(f"{path}:{error.lineno}: {error.msg}") from None
    return of_document(document, path)


def of_document(document, path="result"):
    kind = _kind(document)
    if kind is None:
        raise ReportError(f"{path}: not the JSON of run, compare, explain, bottleneck, tune, profile or coherence")
    return Input(path, kind, document)


def hardware_of(traces, path=None):
    """{(trace, kernel name): counters} of hardware.json: of `path`, or of a file beside, above or two above a trace."""
    places = [path] if path else []
    for trace in () if path else traces:
        folder = os.path.dirname(trace) or "."
        above = (folder, os.path.join(folder, os.pardir), os.path.join(folder, os.pardir, os.pardir))
        places += [os.path.normpath(os.path.join(each, "hardware.json")) for each in above]
    found = {}
    for place in dict.fromkeys(places):
        if path or os.path.isfile(place):
            found.update(_hardware(place))
    return found


def _hardware(path):
    try:
        with open(path, encoding="utf-8") as file:
            entries = json.load(file)
        return {(entry["trace"], entry["name"]): entry["hardware"] for entry in entries}
    except (ValueError, TypeError, KeyError):
        raise ReportError(f"{path}: not a list of launches with trace, name and hardware") from None


def measured(hardware, trace, name):
    """Counters of a launch, for a trace ending with a name in hardware.json; None: no such name."""
    parts = os.path.normpath(trace).split(os.sep)
    return hardware.get(("/".join(parts[-2:]), name))
