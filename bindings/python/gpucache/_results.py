# SPDX-License-Identifier: BSD-2-Clause
"""Results of earlier runs, on disk. The key is a run's input and the library."""

import errno
import fcntl
import hashlib
import json
import os
import re

from . import _stdin
from ._loader import lib

_digests = {}  # digests of files, valid while path, size and time stay


def digest(path):
    """Hash of a file's content."""
    state = os.stat(path)
    known = os.path.realpath(path), state.st_size, state.st_mtime_ns
    if known not in _digests:
        found = hashlib.sha256()
        with open(path, "rb") as file:
            while part := file.read(1 << 20):
                found.update(part)
        _digests[known] = found.hexdigest()
    return _digests[known]


def library_build():
    """Identity of the loaded library's build: a hash of its file, or its name."""
    name = lib.path()
    return digest(name) if os.path.exists(name) else name


def _with_placement(path):
    """Digests of a kernel's file, and of the map of its blocks to SMs if present."""
    stem = re.sub(r"\.trace[gz]?(\.\w+)?$", "", path)
    return [digest(each) for each in (path, stem + ".sm") if os.path.isfile(each)]


def content(path):
    """Hashes of all files of a trace: a file, a list of kernels, or a folder with a list or with kernels."""
    if os.path.isdir(path):
        if not os.path.isfile(os.path.join(path, "kernelslist.g")):
            names = sorted(name for name in os.listdir(path) if ".trace" in name or name.startswith("kernelslist"))
            return [_with_placement(os.path.join(path, name)) for name in names]
        path = os.path.join(path, "kernelslist.g")
    found = [_with_placement(path)]
    if (path.endswith(".g") or os.path.basename(path).startswith("kernelslist")) and found[0]:
        with open(path, encoding="utf-8", errors="surrogateescape") as lines:
            named = [os.path.join(os.path.dirname(path), line.strip()) for line in lines if line.strip()]
        for each in named:  # the kernel's file may be compressed
            found += [_with_placement(each + end) for end in ("", ".xz", ".gz", ".zst") if os.path.isfile(each + end)]
    return found


def identity(source, config, kernel=None, load=()):
    """Everything that decides a run's result, besides the library: contents, settings and files of policies, without
    `threads`."""
    config = {key: str(value) for key, value in config.items() if key != "threads"}
    source = _stdin.path(source)
    named = [path.strip() for value in config.values() for path in re.findall(r"file=([^,)]+)", value)]
    return {
        "trace": content(source) if os.path.exists(source) else source, "kernel": kernel, "config": config,
        "files": [content(path) for path in named], **({"load": [digest(path) for path in load]} if load else {}),
    }  # fmt: skip


class Results:
    """A file with a JSON object per line, extended by whole lines: an interrupted series of runs continues, and several
    series may run together.
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
                    self.found[entry["key"]] = entry["result"] if "result" in entry else entry
                except (ValueError, TypeError, KeyError):
                    continue  # cut short by its writer's end

    def _append(self, line):
        """Append a line, after the end of a cut line; whole, or not at all."""
        fcntl.flock(self.file, fcntl.LOCK_EX)
        end = self.file.seek(0, os.SEEK_END)
        try:
            if end and os.pread(self.file.fileno(), 1, end - 1) != b"\n":
                line = "\n" + line
            rest = memoryview(line.encode())
            while rest:
                rest = rest[self.file.write(rest):]
        except OSError as error:
            os.ftruncate(self.file.fileno(), end)
            error.filename = self.path
            raise
        finally:
            fcntl.flock(self.file, fcntl.LOCK_UN)

    def key(self, run):
        """Key of any JSON value."""
        return hashlib.sha256(json.dumps([self.build, run], sort_keys=True).encode()).hexdigest()

    def get(self, run):
        """Result of a run, or None."""
        return self.found.get(self.key(run))

    def put(self, run, result, **notes):
        """Keep a result; the notes are for readers of the file."""
        key = self.key(run)
        self.found[key] = result
        self._append(json.dumps({"key": key, **notes, "result": result}) + "\n")

    def put_row(self, key, row):
        """Keep a result in the form of a table's row: its columns follow the key in the line."""
        entry = {"key": key, **row}
        self.found[key] = entry
        self._append(json.dumps(entry) + "\n")

    def close(self):
        self.file.close()
