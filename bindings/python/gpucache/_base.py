# SPDX-License-Identifier: BSD-2-Clause
"""Base classes of the generated structures."""

import ctypes


class Record(ctypes.Structure):
    """A plain structure, zero where no value is given."""

    _defaults_ = {}

    def __repr__(self):
        names = [name for name, *_ in self._fields_ if name not in ("struct_size", "reserved")]
        values = [(name, getattr(self, name)) for name in names]
        shown = ((name, list(value) if isinstance(value, ctypes.Array) else value) for name, value in values)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in shown)})"


class SizedRecord(Record):
    """A structure that begins with its own size; fields take the values of its _INIT macro."""

    def __init__(self, **fields):
        super().__init__(struct_size=ctypes.sizeof(self), **{**self._defaults_, **fields})
