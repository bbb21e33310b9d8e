# SPDX-License-Identifier: BSD-2-Clause
"""Output files: they appear whole, or not at all. The library's own files follow the same rules
(lib/trace/files/output.c).
"""

import contextlib
import fcntl
import gzip
import io
import os
import stat
import sys


_ATTEMPTS = 1000


def _take(name, made):
    """Lock the file `name`, new or left by a killed run: its descriptor, or None."""
    flags = os.O_WRONLY | os.O_CLOEXEC | (os.O_CREAT | os.O_EXCL if made else os.O_NOFOLLOW | os.O_NONBLOCK)
    file = os.open(name, flags, 0o666)
    try:
        about = os.fstat(file)
        ours = stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid()
        if ours:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            ours = os.path.samestat(about, os.lstat(name))  # the holder may have renamed the file in between
    except BlockingIOError:
        ours = False
    except OSError:
        ours = made  # file system without locks: only a new file is free
    if ours:
        os.ftruncate(file, 0)
        return file
    os.close(file)
    return None


def _temporary(target):
    """A file beside `target`, with a lock that ends with the process: name and descriptor."""
    for attempt in range(_ATTEMPTS):
        name = f"{target}.gpucache-{attempt}.part"
        for made in (True, False):
            try:
                file = _take(name, made)
            except FileExistsError:
                continue
            except OSError:
                if made:
                    raise
                break  # a link, a pipe, or gone by now
            if file is not None:
                return name, file
            break
    raise FileExistsError(17, "too many temporary files are beside it")


@contextlib.contextmanager
def scratch(target):
    """A path beside `target` for a file to be renamed at the end, reserved as long as the block runs. The next request
    for the same `target` takes over a file left by a killed run.
    """
    lock, file = _temporary(target)
    try:
        yield f"{lock}.new"
    finally:
        for name in (f"{lock}.new", lock):  # the lock goes last
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)
        os.close(file)


class _Raw(io.FileIO):
    """A descriptor with a path in its errors."""

    def __init__(self, file, path):
        super().__init__(file, "w")
        self._path = path

    def write(self, data):
        try:
            return super().write(data)
        except OSError as error:
            error.filename = self._path
            raise


class Output:
    """A file that appears, whole, when committed, compressed if the path ends in .gz. - is standard output. Devices and
    pipes are written directly. An OSError has the path as `filename`.
    """

    def __init__(self, path, binary=False):
        self.path = path
        self._part = None
        self._plain = None  # below a compressing `file`
        self._binary = binary
        try:
            self._file = self._open()
        except OSError as error:
            error.filename, error.filename2 = path, None
            raise

    def _open(self):
        if self.path == "-":
            return sys.stdout.buffer if self._binary else sys.stdout
        self._target = os.path.realpath(self.path)
        try:
            there = os.stat(self.path)
        except FileNotFoundError:
            there = None
        if there and not (stat.S_ISREG(there.st_mode) and there.st_uid == os.geteuid()):
            return self._stream(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666))
        if there and not os.access(self.path, os.W_OK, effective_ids=True):
            raise PermissionError(13, "Permission denied")
        # Beside the target, and opened at once: a path without write permission must not cost a long run first.
        self._part, file = _temporary(self._target)
        if there:
            os.fchmod(file, stat.S_IMODE(there.st_mode))
        return self._stream(file)

    def _stream(self, file):
        raw = io.BufferedWriter(_Raw(file, self.path))
        if os.fspath(self.path).endswith(".gz"):
            self._plain = raw
            raw = io.BufferedWriter(gzip.GzipFile("", "wb", 6, raw, mtime=0), 1 << 16)  # the same bytes on every day
        return raw if self._binary else io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", newline="")

    @property
    def file(self):
        """The file, for writers that write continuously and commit only at the end."""
        return self._file

    def commit(self, content):
        try:
            self._file.write(content)
            self._file.flush()
            if self._plain is not None:
                self._file.close()  # writes the end of the compressed data, which close() of the file below would lose
                self._plain.flush()
            if self._part:
                os.replace(self._part, self._target)  # while the lock is held
                self._part = None
                (self._plain or self._file).close()
        except BrokenPipeError:
            raise
        except OSError as error:
            error.filename, error.filename2 = self.path, None
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._part:
            os.unlink(self._part)
            self._part = None
        if self.path != "-":
            try:
                self._file.close()
                if self._plain is not None:
                    self._plain.close()
            except OSError:
                pass  # commit has already reported the failure
