# SPDX-License-Identifier: BSD-2-Clause
"""Output files of commands, as of _output.py above; a failure becomes a sentence."""

from .. import _output


class Failure(Exception):
    """Bad input: the message goes to stderr, the exit code is 1."""


class Output(_output.Output):
    def __init__(self, path, binary=False):
        try:
            super().__init__(path, binary)
        except OSError as error:
            raise Failure(f"{path}: {error.strerror}") from None

    def commit(self, content):
        try:
            super().commit(content)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise Failure(f"{self.path}: {error.strerror}") from None
