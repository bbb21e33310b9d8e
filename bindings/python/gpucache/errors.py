# SPDX-License-Identifier: BSD-2-Clause
"""Exceptions: an exception class for each error status of the library."""

from ._constants import Status

VARIABLE = "GPUCACHE_LIBRARY"  # environment variable with the library's place (_loader.py)


class LibraryError(ImportError):
    """libgpucache could not be loaded; the message has every tried path with the reason of its failure."""


class GpucacheError(Exception):
    """A call failed. `status` is the kind of failure, `message` a sentence about the cause."""

    status = None

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status
        self.message = message

    def __reduce__(self):
        return type(self), (self.status, self.message)


class ArgumentError(GpucacheError, ValueError):
    """An argument is not valid."""


class OutOfMemoryError(GpucacheError, MemoryError):
    """An allocation failed."""


class AbiError(GpucacheError):
    """The library does not understand a structure's size."""


class NotFoundError(GpucacheError, LookupError):
    """A name (a policy, preset, key or file) is not known."""


class ExistsError(GpucacheError):
    """The name is taken."""


class RangeError(GpucacheError, ValueError):
    """A value is out of range."""


class InputOutputError(GpucacheError):
    """A file could not be read or written."""


class FormatError(GpucacheError, ValueError):
    """Input is malformed."""


class UnsupportedError(GpucacheError):
    """The input needs a feature missing in this library or machine."""


class StateError(GpucacheError, RuntimeError):
    """Not possible in the object's present state: closed, out of order, or called from its own callback."""


class CancelledError(GpucacheError):
    """A callback cancelled the call."""


class CallbackError(GpucacheError):
    """A policy or callback returned an impossible answer."""


_CLASSES = {
    Status.ERROR_ARGUMENT: ArgumentError,
    Status.ERROR_MEMORY: OutOfMemoryError,
    Status.ERROR_ABI: AbiError,
    Status.ERROR_NOT_FOUND: NotFoundError,
    Status.ERROR_EXISTS: ExistsError,
    Status.ERROR_RANGE: RangeError,
    Status.ERROR_IO: InputOutputError,
    Status.ERROR_FORMAT: FormatError,
    Status.ERROR_UNSUPPORTED: UnsupportedError,
    Status.ERROR_STATE: StateError,
    Status.ERROR_CANCELLED: CancelledError,
    Status.ERROR_CALLBACK: CallbackError,
}


def error_of(status, message):
    """The exception for a status."""
    try:
        status = Status(status)
    except ValueError:  # status of a newer library
        pass
    return _CLASSES.get(status, GpucacheError)(status, message)
