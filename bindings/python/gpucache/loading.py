# SPDX-License-Identifier: BSD-2-Clause
"""Files with user-defined policies: Python files and shared libraries.

    context.load("my_policy.py")    # its subclasses of ReplacementPolicy, Predictor, SchedulerPolicy, Throttle,
                                    Prefetcher
    context.load("my_policy.so")    # what its gpucache_register() registers

A shared library exports

    gpc_status gpucache_register(gpc_context *context, gpc_error *error);

called for each context, in any thread, to register the library's policies. Example: examples/custom_policy.c.
"""

import ctypes
import importlib.util
import os
import sys
import threading

from . import _generated as g
from ._loader import lib
from ._native import call
from ._results import digest
from .errors import GpucacheError, LibraryError

SYMBOL = "gpucache_register"

_lock = threading.RLock()  # a thread reads a file alone
_modules = {}  # by path and content: a process reads each file once
_entries = {}  # by path: (content, function)


class LoadError(LibraryError):
    """A file without policies; the message names the file."""


def _told(error):
    return f"{type(error).__name__}: {error}"


def blame(error):
    """`file:line: what` of an exception in a loaded Python file; None: no loaded file raised it."""
    import traceback

    files = {module.__file__ for module in _modules.values()}
    places = [place for place in traceback.extract_tb(error.__traceback__) if place.filename in files]
    return f"{places[-1].filename}:{places[-1].lineno}: {_told(error)}" if places else None


def _module(path):
    known = path, digest(path)
    if known not in _modules:
        stem = os.path.splitext(os.path.basename(path))[0]
        spec = importlib.util.spec_from_file_location(f"gpucache_loaded_{len(_modules)}_{stem}", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = _modules[known] = module
        if os.path.dirname(path) not in sys.path:
            sys.path.append(os.path.dirname(path))  # for imports beside the file
        try:
            spec.loader.exec_module(module)
        except BaseException as error:
            place = blame(error)
            del sys.modules[spec.name], _modules[known]
            if not isinstance(error, (Exception, SystemExit)):
                raise
            raise LoadError(place or f"{path}: {_told(error)}") from error
    return _modules[known]


def classes_of(path):
    """Classes of policies defined in a Python file, in order."""
    from . import policy, prefetcher, scheduler, throttle

    bases = (policy.ReplacementPolicy, policy.Predictor, scheduler.SchedulerPolicy, throttle.Throttle,
             prefetcher.Prefetcher)  # fmt: skip
    with _lock:
        module = _module(os.path.abspath(path))
    found = [each for each in vars(module).values()
             if isinstance(each, type) and issubclass(each, bases) and each.__module__ == module.__name__]  # fmt: skip
    if not found:
        names = ", ".join(base.__name__ for base in bases)
        raise LoadError(f"{path}: it defines no subclass of {names}")
    return list(dict.fromkeys(found))


def _entry(path):
    if path not in _entries:
        ctypes.CDLL(lib.path(), ctypes.RTLD_GLOBAL)  # lets the file use the library's names without linking
        try:
            function = getattr(ctypes.CDLL(path), SYMBOL)
        except OSError as error:
            raise LoadError(f"{path}: {error}") from None
        except AttributeError:
            raise LoadError(f"{path}: exports no {SYMBOL}(gpc_context *, gpc_error *)") from None
        function.argtypes, function.restype = [ctypes.c_void_p, ctypes.POINTER(g.gpc_error)], ctypes.c_int
        _entries[path] = digest(path), function
    loaded, function = _entries[path]
    if digest(path) != loaded:
        raise LoadError(f"{path}: it has changed since this process loaded it")
    return function


def load(context, path):
    """As Context.load()."""
    path = os.fspath(path)
    if not os.path.isfile(path):
        raise LoadError(f"{path}: there is no such file")
    try:
        if path.endswith(".py"):
            for each in classes_of(path):
                context.register(each)
        else:
            with _lock:
                entry = _entry(os.path.abspath(path))
            call(entry, context._live())
    except (GpucacheError, TypeError, ValueError) as error:
        raise LoadError(f"{path}: {error}") from error
