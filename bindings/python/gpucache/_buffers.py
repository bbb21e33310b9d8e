# SPDX-License-Identifier: BSD-2-Clause
"""Arrays for the library: objects with the buffer protocol are passed without a copy, all others are copied.

Whole numbers of the right size are taken without a copy, signed or not: array.array, NumPy arrays, memoryview, ctypes
arrays. bytes, bytearray and mmap are taken as packed numbers of this machine. Lists, other iterables, numbers of
another size and strided arrays are copied.
"""

import array
import ctypes
import mmap
import sys

from ._constants import Status
from .errors import ArgumentError

# array code -> (ctypes type, formats with equal bytes)
_TYPES = {
    "Q": (ctypes.c_uint64, "QqLlNn"),
    "I": (ctypes.c_uint32, "IiLl"),
    "B": (ctypes.c_uint8, "Bbc?"),
}

_NATIVE = "@=<" if sys.byteorder == "little" else "@=>!"


def _refuse(what, message):
    raise ArgumentError(Status.ERROR_ARGUMENT, f"{what}: {message}")


def _plain(values, code, what):
    """A memoryview of contiguous numbers of this code, without a copy; None if a copy is needed."""
    ctype, formats = _TYPES[code]
    size = ctypes.sizeof(ctype)
    try:
        view = memoryview(values)
    except TypeError:
        return None
    if view.ndim != 1:
        _refuse(what, f"{view.ndim} dimensions, 1 is needed")
    if not view.c_contiguous:
        return None
    if isinstance(values, (bytes, bytearray, mmap.mmap)):
        if view.nbytes % size:
            _refuse(what, f"{view.nbytes} bytes are no whole number of {size}-byte elements")
        return view.cast("B").cast(code)
    if view.itemsize == size and view.format.lstrip(_NATIVE) in formats:
        return view.cast("B")
    return None


def batch(made, addresses, lanes, width, codes, fields):
    """A structure of arrays, which keeps the arrays alive.

    made       type of the structure, with count, lanes, width and addresses
    addresses  a NumPy array of two dimensions is used without a copy, with lanes as columns
    codes      array codes of the fields
    """
    shape = getattr(addresses, "shape", ())
    raw = made(lanes=shape[1] if len(shape) == 2 else lanes, width=width)
    raw.addresses, total = source(addresses.reshape(-1) if len(shape) == 2 else addresses, "Q", "addresses")
    if raw.lanes < 1 or total % raw.lanes:
        raise ValueError(f"{total} addresses are no whole number of {raw.lanes} lanes")
    raw.count = total // raw.lanes
    for name, values in fields.items():
        if name not in codes:
            raise TypeError(f"'{name}' is no array of a batch: {', '.join(codes)}")
        if values is not None:
            found, count = source(values, codes[name], name)
            if count != raw.count:
                raise ValueError(f"{name}: {count} elements for {raw.count} instructions")
            setattr(raw, name, found)
    return raw


def source(values, code, what):
    """(ctypes array, count) of numbers to read; the array keeps its memory alive."""
    ctype = _TYPES[code][0]
    view = _plain(values, code, what)
    if view is None:
        try:
            view = memoryview(array.array(code, values))
        except (TypeError, OverflowError, ValueError) as error:
            _refuse(what, error)
    elif view.readonly and not isinstance(values, bytes):
        view = memoryview(array.array(code, bytes(view)))
    count = view.nbytes // ctypes.sizeof(ctype)
    if not view.readonly:
        return (ctype * count).from_buffer(view), count
    # Without ctypes.cast, which would keep the bytes until the next garbage collection.
    place = ctypes.c_void_p.from_buffer(ctypes.c_char_p(values)).value
    found = (ctype * count).from_address(place)
    found.values = values
    return found, count


def target(values, code, count, what):
    """ctypes array over a writable buffer of at least `count` numbers."""
    ctype = _TYPES[code][0]
    view = _plain(values, code, what)
    if view is None:
        _refuse(what, f"no contiguous buffer of {ctypes.sizeof(ctype)}-byte whole numbers")
    if view.readonly:
        _refuse(what, "the buffer is read-only")
    room = view.nbytes // ctypes.sizeof(ctype)
    if room < count:
        _refuse(what, f"room for {room} elements, {count} are needed")
    return (ctype * room).from_buffer(view)
