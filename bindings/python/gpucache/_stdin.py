# SPDX-License-Identifier: BSD-2-Clause
"""Standard input as a trace, `-`, for commands that read the input several times, also in worker processes."""

import os

NAME = "-"
_kept = None  # descriptor of the kept input


def path(source):
    """Where the content of a source is."""
    return "/dev/stdin" if source == NAME else source


def _readable_again():
    try:
        os.lseek(0, 0, os.SEEK_CUR)
        os.close(os.open("/dev/stdin", os.O_RDONLY))
        return True
    except OSError:
        return False


def keep():
    """Make standard input a file that can be read from its beginning several times: a pipe is copied into a file
    without a name."""
    global _kept
    if _kept is not None:
        return
    try:
        if not _readable_again():
            import shutil
            import tempfile

            with tempfile.TemporaryFile() as file, open(0, "rb", closefd=False) as pipe:
                shutil.copyfileobj(pipe, file, 1 << 20)
                file.flush()
                os.dup2(file.fileno(), 0)
        _kept = os.dup(0)
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard input") from None


def restore():
    """Restore standard input in a forked worker, because Python has replaced it."""
    if _kept is not None:
        os.dup2(_kept, 0)
