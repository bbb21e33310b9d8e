# SPDX-License-Identifier: BSD-2-Clause
"""Convert the presets of a folder to C: embed.py FOLDER OUTPUT DEPFILE.

A preset is a file NAME.conf in the configuration's syntax. Two comments at its head control the list of presets:
`# summary: one line` and `# order: number`. A preset without a summary is only a part of others (`preset = NAME`).
The dependency file names the folder too: the next build notices an added or removed file.
"""

import pathlib
import re
import sys

RESERVED = "defaults"  # every key of the machine at its default


def fail(path, line, what):
    sys.exit(f"{path}:{line}: {what}")


class Preset:
    def __init__(self, path):
        self.path, self.name = path, path.stem
        self.text = path.read_text(encoding="utf-8")
        self.summary = self._remark("summary") or ""
        self.order = float(self._remark("order") or "inf")
        lines = list(enumerate(self.text.splitlines(), 1))
        self.first = next((number for number, line in lines if line.partition("#")[0].strip()), 1)
        self.parents = [
            (number, found[1]) for number, line in lines if (found := re.match(r"\s*preset\s*=\s*([^#\s]*)", line))
        ]

    def _remark(self, name):
        found = re.search(rf"^# {name}: *(.*\S)", self.text, re.MULTILINE)
        return found and found[1]


def read(folder):
    """{name: Preset}, listed presets first. Exits with an error for an invalid preset."""
    presets = [Preset(path) for path in folder.glob("*.conf")]
    presets.sort(key=lambda one: (not one.summary, one.order, one.name))
    found = {one.name: one for one in presets}
    for one in presets:
        if not re.fullmatch("[a-z0-9-]+", one.name) or one.name == RESERVED:
            fail(one.path, 1, f"'{one.name}' cannot be a preset's name")
        if not one.parents or one.parents[0][0] != one.first:
            fail(one.path, one.first, f"'preset' comes first, at least '{RESERVED}': what was set before is to go")
        for line, parent in one.parents:
            if parent != RESERVED and parent not in found:
                fail(one.path, line, f"there is no preset '{parent}'")
            if parent in descent(found, one.name):
                fail(one.path, line, f"'{parent}' leads back to '{one.name}'")
    return found


def descent(presets, name):
    """`name` and all presets based on `name`."""
    found = {name}
    while grown := {one.name for one in presets.values() if found & {p for _, p in one.parents}} - found:
        found |= grown
    return found


def characters(text):
    """A C initializer: a compiler need not support strings of this length (C11)."""
    values = [byte if byte < 128 else byte - 256 for byte in text.encode()] + [0]
    return ",\n".join(",".join(map(str, values[at : at + 32])) for at in range(0, len(values), 32))


def source(presets):
    yield '#include "config/presets.h"\n'
    for index, one in enumerate(presets):
        yield f"static const char text_{index}[] = {{\n{characters(one.text)}}};"
        yield f"static const char summary_{index}[] = {{\n{characters(one.summary)}}};"
    yield "\nconst gpci_preset gpci_presets[] = {"
    for index, one in enumerate(presets):
        yield f'    {{"{one.name}", "presets/{one.path.name}", summary_{index}, text_{index}}},'
    yield "};"
    yield f"const size_t gpci_preset_count = {sum(1 for one in presets if one.summary)};"
    yield f"const size_t gpci_preset_text_count = {len(presets)};"


def main(folder, output, depfile):
    presets = list(read(pathlib.Path(folder)).values())
    needed = [folder, *(one.path for one in presets)]
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(source(presets)) + "\n")
    with open(depfile, "w", encoding="utf-8") as file:
        names = (str(path).replace("\\", "\\\\").replace(" ", "\\ ") for path in needed)
        file.write(f"{output}: {' '.join(names)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
