# SPDX-License-Identifier: BSD-2-Clause
"""Finds and loads libgpucache.

The first library that fits is taken, in this order:
  the file or folder in GPUCACHE_LIBRARY; if set, no other is tried
  a library in the package's own folder (wheels)
  build/lib of the package's repository
  a library installed with this package, in the same prefix
  an installed library: by the dynamic linker, then in the usual folders
A library fits if major and minor version equal the bindings', and if the library exports every function of the headers.
"""

import ctypes
import os
import sys
import threading

from ._constants import GPC_VERSION_MAJOR, GPC_VERSION_MINOR, __version__
from ._generated import FUNCTIONS
from .errors import VARIABLE, LibraryError

STEM = "libgpucache.so"
SONAME = f"{STEM}.{GPC_VERSION_MAJOR or f'0.{GPC_VERSION_MINOR}'}"
PACKAGE = os.path.dirname(os.path.abspath(__file__))


class _Unfit(Exception):
    """Why a file is not the library."""


def _in_folder(folder):
    """Yield paths to try in a folder: the plain name, the name of this ABI, then all others."""
    seen = set()
    for path in (os.path.join(folder, STEM), os.path.join(folder, SONAME)):
        if os.path.realpath(path) not in seen:
            seen.add(os.path.realpath(path))
            yield path
    import glob

    for path in sorted(glob.glob(os.path.join(glob.escape(folder), STEM + "*"))):
        if os.path.isfile(path) and os.path.realpath(path) not in seen:
            seen.add(os.path.realpath(path))
            yield path


def _own_prefix():
    """PREFIX if this package is PREFIX/lib/.../gpucache; otherwise None."""
    folder, name = os.path.split(PACKAGE)
    while name and name not in ("lib", "lib64"):
        folder, name = os.path.split(folder)
    return folder if name else None


def _present(roots):
    """Yield libraries in the library folders of these prefixes."""
    import sysconfig

    triplet = sysconfig.get_config_var("MULTIARCH")
    names = [os.path.join("lib", triplet)] if triplet else []
    for folder in (os.path.join(root, name) for root in roots for name in names + ["lib64", "lib"]):
        yield from filter(os.path.exists, _in_folder(folder))


def candidates(environment):
    """Yield names for dlopen, best first."""
    named = environment.get(VARIABLE)
    if named:
        yield from _in_folder(named) if os.path.isdir(named) else [named]
        return
    yield from filter(os.path.exists, _in_folder(PACKAGE))
    repository, inside = os.path.split(os.path.dirname(os.path.dirname(PACKAGE)))
    if inside == "bindings":
        yield from _in_folder(os.path.join(repository, "build", "lib"))
    own = _own_prefix()
    if own is not None:
        yield from _present([own])
    yield SONAME
    import ctypes.util

    found = ctypes.util.find_library("gpucache")
    if found and found != SONAME:
        yield found
    yield from _present(dict.fromkeys([sys.prefix, os.path.expanduser("~/.local"), "/usr/local", "/usr"]))


def _open(path):
    """Load a candidate, or raise _Unfit."""
    if os.sep in path and not os.path.exists(path):
        raise _Unfit("there is no such file")
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise _Unfit(str(error)) from None
    try:
        version = library.gpc_version
    except AttributeError:
        raise _Unfit("is no libgpucache: it has no gpc_version") from None
    version.restype, version.argtypes = FUNCTIONS["gpc_version"]
    number = version()
    if (number >> 16, number >> 8 & 0xFF) != (GPC_VERSION_MAJOR, GPC_VERSION_MINOR):
        text = f"{number >> 16}.{number >> 8 & 0xFF}.{number & 0xFF}"
        raise _Unfit(f"is version {text}, another ABI than the {__version__} of these bindings")
    missing = []
    for name, (result, arguments) in FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            missing.append(name)
        else:
            function.restype, function.argtypes = result, arguments
    if missing:
        shown = ", ".join(missing[:4]) + (f" and {len(missing) - 4} more" if len(missing) > 4 else "")
        raise _Unfit(f"lacks {shown}: it is older than these bindings, build it again")
    return library


def load(environment=os.environ):
    """Load the library, functions declared. LibraryError lists all tried names."""
    tried = []
    for path in candidates(environment):
        try:
            return _open(path)
        except _Unfit as reason:
            tried.append(f"  {path}: {reason}")
    hint = f"{VARIABLE} is set" if environment.get(VARIABLE) else f"build it, or name it in {VARIABLE}"
    raise LibraryError("\n".join([f"libgpucache could not be loaded ({hint}); tried:"] + tried))


class Library:
    """The library's functions as attributes; loaded at first use."""

    def __init__(self):
        self._lock = threading.Lock()
        self._handle = None

    def __getattr__(self, name):
        if name.startswith("_") or name not in FUNCTIONS:
            raise AttributeError(name)
        with self._lock:
            if self._handle is None:
                handle = load()
                for each in FUNCTIONS:
                    self.__dict__[each] = getattr(handle, each)
                self._handle = handle
        return self.__dict__[name]

    def path(self):
        """File of the loaded library."""
        self.gpc_version()
        return self._handle._name


lib = Library()
