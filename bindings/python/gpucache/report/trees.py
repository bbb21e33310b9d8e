# SPDX-License-Identifier: BSD-2-Clause
"""Coherent caches: matrices of state transitions, and messages between modules, access by access."""

import re
from collections import namedtuple

from ._figures import count
from ._svg import Svg

# An event on the lifeline of `module` at a cycle; with `to`, a message to another module that arrives at `until`.
Step = namedtuple("Step", "cycle module text to until", defaults=(None, None))


def matrix(level, stats):
    """The Svg of a level's transitions: rows are states before, columns states after, shaded by count."""
    states, values = stats["states"], stats["transitions"]
    most = max((value for row in values for value in row), default=0) or 1
    cell, left, top = 56, 34, 54
    picture = Svg(left + cell * len(states) + 8, top + 26 * len(states) + 8, f"{level}: transitions of states")
    picture.text(0, 14, f"{level}: from row to column", "strong")
    for n, state in enumerate(states):
        picture.text(left + cell * (n + 0.5), top - 8, state, "small muted", "middle")
        picture.text(left - 12, top + 26 * n + 17, state, "small muted", "middle")
        for m, value in enumerate(values[n] if n < len(values) else ()):
            picture.rect(left + cell * m, top + 26 * n, cell - 2, 24, "box")
            if value:
                picture.rect(left + cell * m, top + 26 * n, cell - 2, 24, "heat",
                             fill_opacity=round(0.1 + 0.5 * value / most, 3))  # fmt: skip
                picture.text(left + cell * (m + 0.5) - 1, top + 26 * n + 16, count(value), "small", "middle")
    return picture


def steps_of_scenario(scenario):
    """(modules, Steps) of a scenario of the command coherence: its accesses, and each change of state."""
    modules = list(scenario["final"])
    steps = [Step(issue, module, f"{kind} {address}") for (module, kind, address), (issue, _) in
             zip(scenario["accesses"], scenario["completion"])]  # fmt: skip
    for cycle, module, _, _, before_tag, before, tag, after, *_ in scenario.get("trace", ()):
        kept = before_tag == tag or before == "I"
        change = f"{tag} {before} → {after}" if kept else f"{before_tag} {before} → {tag} {after}"
        steps.append(Step(cycle, module, change))
    return modules, sorted(steps, key=lambda step: step.cycle)


_FIELD = re.compile(r"(\w+)=(\S+)")


def steps_of_events(text):
    """(modules, Steps) of the text of --events: coherence messages, from sender to receiver."""
    sent, steps = {}, []
    for line in text.splitlines():
        words = line.split(None, 2)
        if line.startswith("#") or len(words) < 3 or words[1] not in ("message", "arrive"):
            continue
        fields = dict(_FIELD.findall(words[2]))
        if "sender" not in fields or "packet" not in fields:
            continue
        if words[1] == "message":
            sent[fields["packet"]] = int(words[0]), fields
        elif fields["packet"] in sent:
            cycle, first = sent.pop(fields["packet"])
            what = f"{first.get('outcome', '')} {first.get('address', '')}".strip()
            ends = (f"module {first[end]}" for end in ("sender", "receiver"))
            steps.append(Step(cycle, next(ends), what, next(ends), int(words[0])))
    names = {name for step in steps for name in (step.module, step.to)}
    modules = sorted(names, key=lambda name: int(name.split()[-1]))
    return modules, sorted(steps, key=lambda step: step.cycle)


def sequence(title, modules, steps, most=40):
    """The Svg of the first steps, from top to bottom in time, with a lifeline for each module in use."""
    shown = steps[:most]
    used = [name for name in modules if any(name in (step.module, step.to) for step in shown)]
    apart, left, top, row = 150, 130, 52, 26
    picture = Svg(left + apart * max(1, len(used)), top + row * len(shown) + 20, title)
    picture.text(0, 14, title if len(steps) <= most else f"{title}: the first {most} of {len(steps):,} steps", "strong")
    place = {name: left + apart * n for n, name in enumerate(used)}
    for name, x in place.items():
        picture.text(x, 38, name, "small strong", "middle")
        picture.line(x, 44, x, top + row * len(shown) + 10)
    for n, step in enumerate(shown):
        y = top + row * n + 12
        until = "" if step.until is None else f"–{step.until:,}"
        picture.text(0, y + 4, f"{step.cycle:,}{until}", "small muted")
        x = place[step.module]
        if step.to is None or step.to == step.module:
            picture.add("circle", cx=x, cy=y, r=3.5, class_="f0")
            picture.text(x + 8, y + 4, step.text, "small")
        else:
            picture.arrow(x, y + 3, place[step.to], y + 3)
            picture.text((x + place[step.to]) / 2, y - 2, step.text, "small", "middle")
    return picture
