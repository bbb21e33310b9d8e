# SPDX-License-Identifier: BSD-2-Clause
"""A validator of the trace-event format that chrome://tracing and ui.perfetto.dev read ("Trace Event Format", Google).

Of each phase the keys that the document requires and the types of their values; and what a viewer needs besides:
complete events (X) of a track do not overlap but by lying in one another; a flow begins (s) before it goes on (t) or
ends (f), once, and all its points lie in slices of their tracks; tracks that are used have names.
"""

import collections
import json

NUMBER = (int, float)
# phase: {key: type}
REQUIRED = {
    "X": {"name": str, "ts": NUMBER, "dur": NUMBER, "pid": int, "tid": int},
    "i": {"name": str, "ts": NUMBER, "pid": int, "tid": int, "s": str},
    "s": {"name": str, "cat": str, "id": int, "ts": NUMBER, "pid": int, "tid": int},
    "t": {"name": str, "cat": str, "id": int, "ts": NUMBER, "pid": int, "tid": int},
    "f": {"name": str, "cat": str, "id": int, "ts": NUMBER, "pid": int, "tid": int},
    "C": {"name": str, "ts": NUMBER, "pid": int, "args": dict},
    "M": {"name": str, "pid": int, "args": dict},
}
METADATA = {
    "process_name": ("name", str), "thread_name": ("name", str), "process_sort_index": ("sort_index", int),
    "thread_sort_index": ("sort_index", int),
}  # fmt: skip


class Invalid(Exception):
    """A violation of the format."""


def need(condition, text):
    if not condition:
        raise Invalid(text)


def check_fields(event):
    need(isinstance(event, dict), f"{event!r} is no object")
    phase = event.get("ph")
    need(phase in REQUIRED, f"unknown phase in {event}")
    for key, kind in REQUIRED[phase].items():
        need(key in event, f"{phase} without {key}: {event}")
        need(isinstance(event[key], kind) and not isinstance(event[key], bool), f"{key} of {event}")
    need(event.get("ts", 0) >= 0, f"ts of {event}")
    need(isinstance(event.get("args", {}), dict), f"args of {event}")
    if phase == "X":
        need(event["dur"] >= 0, f"dur of {event}")
    if phase == "i":
        need(event["s"] in ("g", "p", "t"), f"scope of {event}")
    if phase == "C":
        need(event["args"], f"a counter without a value: {event}")
        for value in event["args"].values():
            need(isinstance(value, NUMBER) and not isinstance(value, bool), f"value of {event}")
    if phase == "M":
        need(event["name"] in METADATA, f"unknown metadata {event}")
        key, kind = METADATA[event["name"]]
        need(isinstance(event["args"].get(key), kind), f"args of {event}")
    if phase == "f":
        need(event.get("bp", "e") == "e", f"bp of {event}")


def check_nesting(slices):
    """On one track: in the order of begins, longest first, each slice ends before or with all enclosing slices."""
    stack = []
    for begin, end in sorted(slices, key=lambda part: (part[0], -part[1])):
        while stack and stack[-1] <= begin:
            stack.pop()
        need(not stack or end <= stack[-1], f"the slice [{begin}, {end}) reaches beyond the one it begins in")
        stack.append(end)


def check_flows(events, slices):
    state = {}
    for event in events:
        phase = event["ph"]
        if phase not in "stf":
            continue
        key = event["cat"], event["name"], event["id"]
        if phase == "s":
            need(key not in state, f"a flow begins twice: {event}")
        else:
            need(state.get(key) is not None, f"a flow goes on that is not under way: {event}")
            need(event["ts"] >= state[key], f"a flow goes back in time: {event}")
        state[key] = None if phase == "f" else event["ts"]
        inside = any(begin <= event["ts"] <= end for begin, end in slices[event["pid"], event["tid"]])
        need(inside, f"no slice of its track has {event}")
    return state


def validate(text):
    """The events of a valid trace file; raises Invalid for another file."""
    document = json.loads(text)
    need(isinstance(document, dict) and isinstance(document.get("traceEvents"), list), "no traceEvents")
    need(document.get("displayTimeUnit", "ms") in ("ms", "ns"), "displayTimeUnit")
    events = document["traceEvents"]
    slices = collections.defaultdict(list)
    processes, threads, used = {}, {}, set()
    for event in events:
        check_fields(event)
        if event["ph"] == "X":
            slices[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
        if event["ph"] == "M":
            names = processes if event["name"].startswith("process") else threads
            key = event["pid"] if names is processes else (event["pid"], event.get("tid"))
            need((key, event["name"]) not in names, f"named twice: {event}")
            names[key, event["name"]] = event["args"]
        elif event["ph"] != "C":
            used.add((event["pid"], event["tid"]))
    for pid, tid in used:
        need((pid, "process_name") in processes, f"process {pid} has no name")
        need(((pid, tid), "thread_name") in threads, f"track {tid} of process {pid} has no name")
    for parts in slices.values():
        check_nesting(parts)
    check_flows(events, slices)
    return events


def tracks(events):
    """{(pid, tid): (process, track)} by name."""
    processes = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    return {
        (e["pid"], e["tid"]): (processes[e["pid"]], e["args"]["name"])
        for e in events
        if e["ph"] == "M" and e["name"] == "thread_name"
    }
