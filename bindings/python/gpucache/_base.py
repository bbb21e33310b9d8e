# SPDX-License-Identifier: BSD-2-Clause
"""Base classes of the generated structures."""

import ctypes

# Fields that are not the user's.
_OWN = ("struct_size", "reserved")


def _unknown(kind, fields):
    """TypeError that names the one of the fields that a structure has not."""
    import difflib

    known = [name for name, *_ in kind._fields_]
    wrong = next(name for name in fields if name not in known)
    near = difflib.get_close_matches(wrong, known, 1)
    return TypeError(f"{kind.__name__} has no field '{wrong}'" + (f"; did you mean '{near[0]}'?" if near else ""))


def filled(kind, /, **fields):
    """A structure; TypeError names what it has not."""
    try:
        return kind(**fields)
    except AttributeError:
        raise _unknown(kind, fields) from None


class Record(ctypes.Structure):
    """A plain structure, zero where no value is given.

    The generated classes have __slots__, for ctypes would take a misspelt name as a further attribute. filled()
    says so as a call does; no __init__ here, which would double what a record takes to make.
    """

    __slots__ = ()
    _defaults_ = {}

    def __repr__(self):
        names = [name for name, *_ in self._fields_ if name not in _OWN]
        values = [(name, getattr(self, name)) for name in names]
        shown = ((name, list(value) if isinstance(value, ctypes.Array) else value) for name, value in values)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in shown)})"


class SizedRecord(Record):
    """A structure that begins with its own size; fields take the values of its _INIT macro."""

    __slots__ = ()

    def __init__(self, **fields):
        try:
            super().__init__(struct_size=ctypes.sizeof(self), **{**self._defaults_, **fields})
        except AttributeError:
            raise _unknown(type(self), fields) from None
