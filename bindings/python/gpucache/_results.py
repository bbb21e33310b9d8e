# SPDX-License-Identifier: BSD-2-Clause
"""Results of earlier runs, on disk: what a run was given, and which library ran it, is the key."""

import hashlib
import json
import os

from ._loader import lib


def library_build():
    """What tells the loaded library from any other build: a hash of its file, or its name."""
    name = lib.path()
    if not os.path.exists(name):
        return name
    with open(name, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Results:
    """A file with a JSON object per line, only ever appended to: an interrupted series of runs goes on where it was."""

    def __init__(self, path):
        self.path = path
        self.build = library_build()
        self.found = {}
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        self.file = open(path, "a+", encoding="utf-8")
        self.file.seek(0)
        line = "\n"
        for line in self.file:
            try:
                entry = json.loads(line)
                self.found[entry["key"]] = entry["result"]
            except (ValueError, TypeError, KeyError):
                continue  # cut short by what ended its writer
        if not line.endswith("\n"):
            self.file.write("\n")

    def key(self, run):
        """Of anything that JSON can say."""
        return hashlib.sha256(json.dumps([self.build, run], sort_keys=True).encode()).hexdigest()

    def get(self, run):
        """Its result, or None."""
        return self.found.get(self.key(run))

    def put(self, run, result, **notes):
        """Keep a result; the notes are for who reads the file."""
        key = self.key(run)
        self.found[key] = result
        self.file.write(json.dumps({"key": key, **notes, "result": result}) + "\n")
        self.file.flush()

    def close(self):
        self.file.close()
