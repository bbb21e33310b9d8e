# SPDX-License-Identifier: BSD-2-Clause
"""The terminal. Apart from _common.py, which imports the library's objects: --version and --help need neither."""

import sys
import time


class _Terminal:
    """Standard error: messages, and on a terminal a progress line, cleared before messages."""

    def __init__(self):
        self._shown = 0
        self._next = 0.0

    def progress(self, make):
        """Show the result of make(), at most ten times a second."""
        now = time.monotonic()
        if not sys.stderr.isatty() or now < self._next:
            return
        self._next = now + 0.1
        line = make()
        sys.stderr.write("\r" + line.ljust(self._shown))
        sys.stderr.flush()
        self._shown = len(line)

    def clear(self):
        if self._shown:
            sys.stderr.write("\r" + " " * self._shown + "\r")
            self._shown = 0

    def note(self, message):
        self.clear()
        print(message, file=sys.stderr, flush=True)


terminal = _Terminal()
