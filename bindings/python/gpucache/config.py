# SPDX-License-Identifier: BSD-2-Clause
"""Configuration: keys with values, presets, the key reference."""

import ctypes
import os
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union

from . import _generated as g
from ._constants import ImportOutcome, Status, ValueType
from ._loader import lib
from ._native import Handle, call, decoded, text
from .context import Context
from .errors import NotFoundError

Path = Union[str, bytes, "os.PathLike[Any]"]
Value = Union[str, bytes, int, float]


class Key(NamedTuple):
    """A configuration key; `choices` are words; for a number, words allowed instead of the number."""

    name: str
    type: ValueType
    unit: str
    initial: str
    minimum: float
    maximum: float
    choices: Tuple[str, ...]
    meaning: str


class Preset(NamedTuple):
    name: str
    summary: str


class ImportedOption(NamedTuple):
    """An option of a GPGPU-Sim file: `value` is "" if the option has none; `reason` is the reason of an unapplied
    option, otherwise "".
    """

    name: str
    value: str
    line: int
    outcome: ImportOutcome
    reason: str = ""


def config_keys() -> List[Key]:
    """Every Key, in the order of the reference."""
    found = []
    for index in range(lib.gpc_key_count()):
        info = g.gpc_key_info()
        call(lib.gpc_key_at, index, ctypes.byref(info))
        choices = tuple(filter(None, decoded(info.choices).split("|")))
        found.append(
            Key(decoded(info.name), ValueType(info.type), decoded(info.unit), decoded(info.initial), info.minimum,
                info.maximum, choices, decoded(info.meaning))
        )
    return found


def presets() -> List[Preset]:
    """Every Preset."""
    found = []
    for index in range(lib.gpc_preset_count()):
        name, summary = ctypes.c_char_p(), ctypes.c_char_p()
        call(lib.gpc_preset_at, index, ctypes.byref(name), ctypes.byref(summary))
        found.append(Preset(decoded(name.value), decoded(summary.value)))
    return found


def preset_text(name: str) -> str:
    """A preset's own text, with the source of every figure."""
    found = lib.gpc_preset_text(text(name, "preset"))
    if found is None:
        known = ", ".join(preset.name for preset in presets())
        raise NotFoundError(Status.ERROR_NOT_FOUND, f"no preset '{name}'; there are {known}")
    return decoded(found)


def _value_text(value):
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, (int, float)):
        return str(value).encode()
    return text(value, "value")


class Config(Handle):
    """Values by key: config["l1.size"] = "16KiB". The last setting of a key counts.

    preset    name of a preset to begin with
    settings  {key: value} after it
    """

    def __init__(
        self, context: Context, preset: Optional[str] = None, settings: Optional[Mapping[str, Value]] = None,
    ) -> None:
        self._make(context, lib.gpc_config_create, context._live())
        if preset is not None:
            self.load_preset(preset)
        for key, value in (settings or {}).items():
            self[key] = value

    def _make(self, context, function, pointer):
        self._context = context
        self._create(lib.gpc_config_destroy, function, pointer, keep=(context,))
        return self

    @classmethod
    def _of(cls, context, function, pointer):
        """A copy of another object's settings."""
        return cls.__new__(cls)._make(context, function, pointer)

    @property
    def preset(self) -> Optional[str]:
        """Name of the last preset; None: none."""
        found = lib.gpc_config_preset(self._live())
        return None if found is None else decoded(found)

    def changes(self) -> Dict[str, str]:
        """{key: value} of differences from the preset, or, without a preset, from the keys' defaults."""
        with Config(self._context, self.preset) as plain:
            return {key: value for key, value in self.items() if value != plain[key]}

    def copy(self) -> "Config":
        return Config._of(self._context, lib.gpc_config_copy, self._live())

    def load_preset(self, name: str) -> None:
        call(lib.gpc_config_load_preset, self._live(), text(name, "preset"))

    def load_file(self, path: Path) -> None:
        """`key = value` lines, `preset = NAME`, `include = PATH`. All or nothing."""
        call(lib.gpc_config_load_file, self._live(), text(path, "path"))

    def load_text(self, lines: str, name: str = "text") -> None:
        """Apply lines of text, as load_file() does; `name` stands for the file in messages."""
        call(lib.gpc_config_load_text, self._live(), text(lines, "text"), text(name, "name"))

    def import_gpgpusim(self, path: Path, found: Optional[List[ImportedOption]] = None) -> int:
        """Apply a GPGPU-Sim or Accel-Sim option file. Returns the number of options with a key.

        found  a list that receives an ImportedOption for each option of the file, in order
        """
        return self._import(lib.gpc_config_import_gpgpusim, found, text(path, "path"))

    def import_gpgpusim_text(
        self, options: str, name: str = "text", found: Optional[List[ImportedOption]] = None,
    ) -> int:
        """Apply options from text, as import_gpgpusim() does; `name` stands for the file in messages."""
        return self._import(lib.gpc_config_import_gpgpusim_text, found, text(options, "options"), text(name, "name"))

    def _import(self, function, found, *arguments):
        found = [] if found is None else found
        before = len(found)

        def note(_, option):
            raw = option.contents
            outcome = ImportOutcome(raw.outcome)
            found.append(ImportedOption(decoded(raw.name), decoded(raw.value), raw.line, outcome, decoded(raw.reason)))

        call(function, self._live(), *arguments, g.gpc_import_fn(note), None)
        return sum(option.outcome is ImportOutcome.APPLIED for option in found[before:])

    def set_pair(self, pair: str) -> None:
        """Apply a setting in the form `key=value`."""
        call(lib.gpc_config_set_pair, self._live(), text(pair, "setting"))

    def __setitem__(self, key: str, value: Value) -> None:
        call(lib.gpc_config_set, self._live(), text(key, "key"), _value_text(value))

    def __getitem__(self, key: str) -> str:
        """Canonical text of a value."""
        out = ctypes.c_char_p()
        call(lib.gpc_config_get, self._live(), text(key, "key"), ctypes.byref(out))
        return decoded(out.value)

    def number(self, key: str) -> int:
        """A value as a number: bytes of a size, 0 or 1 of a switch."""
        out = ctypes.c_uint64()
        call(lib.gpc_config_get_u64, self._live(), text(key, "key"), ctypes.byref(out))
        return out.value

    def keys(self) -> List[str]:
        return [key.name for key in config_keys()]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __contains__(self, key: object) -> bool:
        return key in self.keys()

    def items(self) -> List[Tuple[str, str]]:
        return [(key, self[key]) for key in self.keys()]
