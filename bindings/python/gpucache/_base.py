# SPDX-License-Identifier: BSD-2-Clause
"""Base classes of the generated structures."""

import ctypes

# Fields hidden from users.
_OWN = ("struct_size", "reserved")


def _unknown(kind, fields):
    """TypeError that names the unknown field of a structure."""
    import difflib

    known = [name for name, *_ in kind._fields_]
    wrong = next(name for name in fields if name not in known)
    near = difflib.get_close_matches(wrong, known, 1)
    return TypeError(f"{kind.__name__} has no field '{wrong}'" + (f"; did you mean '{near[0]}'?" if near else ""))


def filled(kind, /, **fields):
    """A structure; TypeError names an unknown field."""
    try:
        return kind(**fields)
    except AttributeError:
        raise _unknown(kind, fields) from None


class Record(ctypes.Structure):
    """A plain structure, zero where no value is given.

    The generated classes have __slots__, because ctypes would take a misspelt name as a further attribute. filled()
    reports misspelt names. An __init__ would double the time to make a record.
    """

    __slots__ = ()
    _defaults_ = {}

    def __repr__(self):
        names = [name for name, *_ in self._fields_ if name not in _OWN]
        values = [(name, getattr(self, name)) for name in names]
        shown = ((name, list(value) if isinstance(value, ctypes.Array) else value) for name, value in values)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in shown)})"


class SizedRecord(Record):
    """A structure with its own size as first field; fields take the values of the _INIT macro."""

    __slots__ = ()

    def __init__(self, **fields):
        try:
            super().__init__(struct_size=ctypes.sizeof(self), **{**self._defaults_, **fields})
        except AttributeError:
            raise _unknown(type(self), fields) from None
