# SPDX-License-Identifier: BSD-2-Clause
"""Calls into the library and back: status to exception, callbacks, lifetime of the C objects.

A callback is a trampoline made once per process. The integer returned by the library identifies the callback's object.
An exception in a callback is kept, and the library is asked to stop if possible. No further callback of the call runs,
and settle(), at the end of every call, raises the exception. invoke() treats exceptions of signal handlers the same
way.
"""

import ctypes
import itertools
import os
import signal
import sys
import threading
import weakref

from . import _generated as g
from ._constants import Status
from ._loader import lib
from .errors import ArgumentError, StateError, error_of


class _Unsettled:
    """State left by a running call for settle()."""

    def __init__(self):
        self.exception = None
        self.calls = []  # (function, arguments) impossible inside a callback


class _State(threading.local):
    def __init__(self):
        self.error = g.gpc_error()  # Error of the running call; the library writes only on failure

    unsettled = None
    strict = 0  # running callbacks that may not call into the library
    deferring = False  # True while signal handlers are those of invoke()


state = _State()
_tokens = {}
_numbers = itertools.count(1)


# Objects behind integers


def hold(target):
    """An integer for `target` until drop()."""
    token = next(_numbers)
    _tokens[token] = target
    return token


def held(token):
    """The target of hold(), or None."""
    return _tokens.get(token)


def drop(token):
    _tokens.pop(token, None)


# Calls

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGUSR2")
            if hasattr(signal, name)]  # fmt: skip
_main_thread = threading.main_thread().ident


def _deferred(handler):
    def handle(number, frame):
        try:
            handler(number, frame)
        except BaseException as error:
            failed(error)

    return handle


def invoke(function, *arguments):
    """Call a function that may call back.

    Python runs a signal's handler at the begin of a function. During the call a handler runs before a trampoline can
    catch anything, and Ctrl-C would be lost. Until the call ends, exceptions of handlers are kept like exceptions of
    callbacks.
    """
    if state.deferring or threading.get_ident() != _main_thread:
        return function(*arguments)
    before = {}
    state.deferring = True
    try:
        for number in _SIGNALS:
            handler = signal.getsignal(number)
            if callable(handler):
                before[number] = handler
                signal.signal(number, _deferred(handler))
        return function(*arguments)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        state.deferring = False


def _unsettled():
    if state.unsettled is None:
        state.unsettled = _Unsettled()
    return state.unsettled


def settle(status=0, error=None, what=""):
    """End a call: raise a callback's exception, otherwise the error of the status. Returns the status."""
    unsettled, state.unsettled = state.unsettled, None
    if unsettled is not None:
        for function, arguments in unsettled.calls:
            function(*arguments)
        if unsettled.exception is not None:
            raise unsettled.exception
    if status >= 0:
        return status
    message = error.message.decode("utf-8", "replace") if error is not None else ""
    if not message:
        text = lib.gpc_status_string(status).decode()
        message = f"{what}: {text}" if what else text
    raise error_of(status, message)


def later(function, *arguments):
    """Call now, or at the end of the running call if inside a strict callback."""
    if state.strict:
        _unsettled().calls.append((function, arguments))
    else:
        function(*arguments)


def text(value, what):
    """Bytes for a `const char *`; paths are taken too."""
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise TypeError(f"{what} must be text, not {type(value).__name__}")
    encoded = os.fsencode(value) if isinstance(value, os.PathLike) else value
    if isinstance(encoded, str):
        encoded = encoded.encode("utf-8", "surrogateescape")
    if b"\0" in encoded:
        raise ArgumentError(Status.ERROR_ARGUMENT, f"{what} holds a NUL character")
    return encoded


def decoded(value):
    """Text of a `const char *`; NULL gives an empty text."""
    return value.decode("utf-8", "surrogateescape") if value else ""


def choice(enum, value, what):
    """Member of `enum` for a member, a number, or a name in any case, with - for _."""
    try:
        return enum[value.upper().replace("-", "_")] if isinstance(value, str) else enum(value)
    except (KeyError, ValueError):
        names = ", ".join(member.name.lower().replace("_", "-") for member in enum)
        raise ArgumentError(Status.ERROR_ARGUMENT, f"{what} is {value!r}, not one of {names}") from None


# Callbacks


def failing():
    """Whether a callback of the running call has raised."""
    return state.unsettled is not None and state.unsettled.exception is not None


def failed(error):
    """Keep an exception for settle(). A second exception of the same call cannot be raised: it is reported."""
    unsettled = _unsettled()
    if unsettled.exception is None:
        unsettled.exception = error
    else:
        report(error)


_REPORT = "Exception in a gpucache callback"


def report(error):
    """Show an exception without a caller."""
    hook = sys.unraisablehook
    if hook is not sys.__unraisablehook__:
        hook(_Unraisable(type(error), error, error.__traceback__, _REPORT, None))
    elif sys.stderr is not None:  # Python's own hook accepts Python's objects only
        print(f"{_REPORT}:", file=sys.stderr)
        import traceback

        traceback.print_exception(type(error), error, error.__traceback__)


class _Unraisable:
    def __init__(self, exc_type, exc_value, exc_traceback, err_msg, target):
        self.exc_type = exc_type
        self.exc_value = exc_value
        self.exc_traceback = exc_traceback
        self.err_msg = err_msg
        self.object = target


def strict(prototype, answer=None):
    """Trampoline of a callback that may not call into the library; `answer` is returned after a failure."""

    def decorate(function):
        def trampoline(*arguments):
            if failing():
                return answer
            state.strict += 1
            try:
                return function(*arguments)
            except BaseException as error:
                failed(error)
                return answer
            finally:
                state.strict -= 1

        return prototype(trampoline)

    return decorate


def loose(prototype, answer=None, passed_over=True):
    """Trampoline of a callback that may call into objects other than its own; the token identifies the own object.

    The function gets the object instead of the token. A token without an object is ignored. Callbacks after an
    exception in the same call are also ignored, unless `passed_over` is false, for callbacks that must not be lost.
    """

    def decorate(function):
        def trampoline(token, *arguments):
            owner = held(token)
            owner = owner() if owner is not None else None
            if owner is None or (passed_over and failing()):
                return answer
            owner._busy += 1
            try:
                return function(owner, *arguments)
            except BaseException as error:
                failed(error)
                return answer
            finally:
                owner._busy -= 1

        return prototype(trampoline)

    return decorate


def always(prototype):
    """Trampoline of a callback that must run after earlier exceptions too."""

    def decorate(function):
        def trampoline(*arguments):
            state.strict += 1
            try:
                function(*arguments)
            except BaseException as error:
                failed(error)
            finally:
                state.strict -= 1

        return prototype(trampoline)

    return decorate


# Objects


def _release_unseen(destroy, pointer, keep):
    """Release by the garbage collector, without a caller for exceptions."""
    if state.strict:
        _unsettled().calls.append((_release_unseen, (destroy, pointer, keep)))
        return
    outer, state.unsettled = state.unsettled, None
    try:
        invoke(destroy, pointer)
        settle()
    except BaseException as error:
        report(error)
    finally:
        state.unsettled = outer


class Handle:
    """A C object: a context manager that releases the object at the end, or without further references."""

    _pointer = None
    _busy = 0
    _finalizer = None

    def _create(self, destroy, function, *arguments, keep=()):
        """Make the C object by a `_create(..., out, error)`. `keep` lives as long as the object."""
        error = g.gpc_error()
        out = ctypes.c_void_p()
        status = invoke(function, *arguments, ctypes.byref(out), ctypes.byref(error))
        if status >= 0:
            self._pointer = out.value
            self._finalizer = weakref.finalize(self, _release_unseen, destroy, out.value, keep)
        settle(status, error)

    def _live(self, inside=False):
        """The pointer, for a call; `inside`: a call also allowed to the object's own callbacks."""
        if state.strict or (self._busy and not inside):
            raise StateError(Status.ERROR_STATE, f"{type(self).__name__}: a callback may not call into its object")
        if self._pointer is None:
            raise StateError(Status.ERROR_STATE, f"{type(self).__name__} is closed")
        return self._pointer

    @property
    def closed(self):
        return self._pointer is None

    def close(self):
        """Release the C object. A second call does nothing."""
        if self._pointer is None:
            return
        self._live()
        self._pointer = None
        found = self._finalizer.detach()
        if found is not None:
            destroy, pointer, _ = found[2]
            invoke(destroy, pointer)
            settle()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def file_stream(path):
    """A gpc_stream of a file, as an argument."""
    return ctypes.byref(g.gpc_stream(path=text(path, "path")))


def load_options(threads):
    """gpc_load_options, as an argument; threads None = the saved value."""
    return ctypes.byref(g.gpc_load_options(threads=None if threads is None else str(threads).encode()))


def call(function, *arguments):
    """Call a function with the error as its last parameter."""
    error = g.gpc_error()
    return settle(invoke(function, *arguments, ctypes.byref(error)), error)
