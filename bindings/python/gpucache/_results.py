# SPDX-License-Identifier: BSD-2-Clause
"""Results of earlier runs, on disk: what a run was given, and which library ran it, is the key."""

import errno
import fcntl
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
    """
    A file with a JSON object per line, only ever appended to, a whole line at a time: an interrupted series of runs
    goes on where it was, and several may go on at once.
    """

    def __init__(self, path):
        self.path = path
        self.build = library_build()
        self.found = {}
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        self.file = open(path, "ab+", buffering=0)
        if not self.file.seekable():
            self.file.close()
            raise OSError(errno.EINVAL, "results are kept in a file, and this is a pipe", path)
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                try:
                    entry = json.loads(line)
                    self.found[entry["key"]] = entry["result"]
                except (ValueError, TypeError, KeyError):
                    continue  # cut short by what ended its writer

    def _append(self, line):
        """After a line that was cut short: on one of its own."""
        fcntl.flock(self.file, fcntl.LOCK_EX)
        try:
            end = self.file.seek(0, os.SEEK_END)
            if end and os.pread(self.file.fileno(), 1, end - 1) != b"\n":
                line = "\n" + line
            rest = memoryview(line.encode())
            while rest:
                rest = rest[self.file.write(rest):]
        finally:
            fcntl.flock(self.file, fcntl.LOCK_UN)

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
        self._append(json.dumps({"key": key, **notes, "result": result}) + "\n")

    def close(self):
        self.file.close()
