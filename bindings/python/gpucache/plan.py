# SPDX-License-Identifier: BSD-2-Clause
"""Plans: the runs of a sweep, from a TOML or JSON file.

    traces = ["synthetic:bicg:64KiB", "traces/*"]   # sources as of the command run; patterns of files
    presets = ["h100", "gtx480"]                    # default: h100
    kernels = "1-4, relu*"                          # kernels of a trace, as --kernels of run; default: all
    mode = "timed"                                  # default: functional
    metrics = ["cycles", "l1.load_hit_rate"]        # default: those of compare
    baseline = {"l1.replacement" = "lru"}           # reference of the runs; default: every first value

    [settings]                                      # of every run
    "limit.cycles" = 20000

    [product]                                       # all combinations of the keys' values
    "l1.replacement" = ["lru", "age-lru"]

    [[zip]]                                         # lists in step: the first values, the second ones, ...
    "l1.size" = ["16KiB", "32KiB"]
    "l1.ways" = [4, 8]

    [[list]]                                        # entries in turn
    "scheduler" = "gto"
    [[list]]
    "scheduler" = "lrr"
    "sm.warp_limit" = 8

    [[exclude]]                                     # runs with all these values; a list: any of its values
    preset = "gtx480"
    "l1.replacement" = ["age-lru"]

Runs are all combinations of traces, presets, product, every zip, and list. `baseline` and `exclude` may name `trace`
(exclude alone), `preset`, and varied keys.
"""

import glob
import itertools
import json
import os
from collections import namedtuple

from .about import DEFAULT_PRESET

_KEYS = ("traces", "kernels", "presets", "mode", "metrics", "baseline", "settings", "product", "zip", "list", "exclude")
_OWN = {"mode": "mode", "preset": "presets"}  # settings with a plan key of their own


class PlanError(ValueError):
    """A mistake in a plan; the message names file and key."""


# A run. `varied` are its values, as text, of the varied keys; `settings` are all settings after the preset.
Point = namedtuple("Point", "trace preset varied settings")


def _text(where, value):
    """Of a setting."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float, str)):
        return str(value)
    raise PlanError(f"{where}: a text, a number or true or false is expected, not {value!r}")


def _table(where, value):
    if not isinstance(value, dict):
        raise PlanError(f"{where}: a table of keys and values is expected")
    return value


def _flat(where, table, prefix=""):
    """{key: value}: `l1.size = 1` without quotes is a table l1 in TOML."""
    found = {}
    for key, value in _table(where, table).items():
        each = _flat(where, value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
        for name, held in each.items():
            if name in found:
                raise PlanError(f"{where}: {name} is there twice")
            found[name] = held
    return found


def _settings(where, table):
    """{key: value} of settings, without keys set elsewhere in the plan."""
    found = _flat(where, table)
    for key in found:
        if key in _OWN:
            raise PlanError(f"{where}: {key} is said by '{_OWN[key]}' of the plan")
    return found


def _filled(where, value):
    """A list with at least an entry."""
    if not isinstance(value, list) or not value:
        raise PlanError(f"{where}: a list with something in it is expected")
    return value


def _texts(where, value):
    for each in _filled(where, value):
        if not isinstance(each, str) or not each:
            raise PlanError(f"{where}: texts are expected, not {each!r}")
    if len(set(value)) < len(value):
        raise PlanError(f"{where}: '{max(value, key=value.count)}' is there twice")
    return value


def _tables(where, value):
    return _filled(where, [value] if isinstance(value, dict) else value)


def _product(where, table):
    """A factor, a list of {key: text}, for each key."""
    for key, values in _settings(where, table).items():
        yield [{key: _text(f"{where}: {key}", value)} for value in _filled(f"{where}: {key}", values)]


def _zip(where, table):
    """A single factor for all keys."""
    columns = {key: _filled(f"{where}: {key}", values) for key, values in _settings(where, table).items()}
    if len(set(map(len, columns.values()))) != 1:
        told = ", ".join(f"{key} has {len(values)}" for key, values in columns.items())
        raise PlanError(f"{where}: lists of one length are expected{': ' if told else ''}{told}")
    return [{key: _text(f"{where}: {key}", value) for key, value in zip(columns, row)} for row in zip(*columns.values())]


def _list(where, tables):
    return [{key: _text(f"{where}: {key}", value) for key, value in _settings(where, each).items()} for each in tables]


def _traces(where, names):
    """Files of patterns, sorted by name."""
    found = []
    for name in _texts(where, names):
        is_pattern = not name.startswith("synthetic:") and not os.path.exists(name) and glob.has_magic(name)
        each = sorted(glob.glob(name)) if is_pattern else [name]
        if not each:
            raise PlanError(f"{where}: there is nothing that '{name}' fits")
        found += each
    for name in found:
        if os.path.exists(name) and not os.path.isfile(name) and not os.path.isdir(name):
            raise PlanError(f"{where}: '{name}' can be read once alone, and each run reads it")
    return list(dict.fromkeys(found))


class Plan:
    """The runs of a document.

    traces, kernels (None: all), presets, mode, metrics (None: those of compare), settings ({key: text} of every run)
    factors   lists of {key: text}: a run takes an entry of each list
    baseline  {preset or key: text}
    """

    def __init__(self, document, name="plan"):
        self.name = name
        self.document = _table(name, document)
        unknown = [key for key in document if key not in _KEYS]
        if unknown:
            raise PlanError(f"{name}: there is no '{unknown[0]}'; there are {', '.join(_KEYS)}")
        if "traces" not in document:
            raise PlanError(f"{name}: traces: a list of traces is missing")
        self.traces = _traces(f"{name}: traces", document["traces"])
        self.kernels = None
        if "kernels" in document:
            if isinstance(document["kernels"], bool) or not isinstance(document["kernels"], (int, str)):
                raise PlanError(f"{name}: kernels: a number or a text such as 1-4 is expected, not {document['kernels']!r}")
            self.kernels = str(document["kernels"])
        self.presets = _texts(f"{name}: presets", document.get("presets", [DEFAULT_PRESET]))
        self.mode = document.get("mode", "functional")
        if self.mode not in ("functional", "timed"):
            raise PlanError(f"{name}: mode: functional or timed is expected, not {self.mode!r}")
        self.metrics = _texts(f"{name}: metrics", document["metrics"]) if "metrics" in document else None
        given = _settings(f"{name}: settings", document.get("settings", {}))
        self.settings = {key: _text(f"{name}: settings: {key}", value) for key, value in given.items()}
        self.factors = self._factors()
        self.keys = self._keys()
        self.baseline = self._chosen()
        self.points = self._points()

    def _factors(self):
        document, name = self.document, self.name
        found = list(_product(f"{name}: product", document.get("product", {})))
        if "zip" in document:
            found += [_zip(f"{name}: zip", each) for each in _tables(f"{name}: zip", document["zip"])]
        if "list" in document:
            found.append(_list(f"{name}: list", _tables(f"{name}: list", document["list"])))
        return found

    def _keys(self):
        """Varied keys; each belongs to a single factor."""
        found = []
        for factor in self.factors:
            for key in dict.fromkeys(key for each in factor for key in each):
                if key in found:
                    raise PlanError(f"{self.name}: {key} varies in two places of product, zip and list")
                found.append(key)
        return found

    def _chosen(self):
        found = {}
        for key, value in _flat(f"{self.name}: baseline", self.document.get("baseline", {})).items():
            where = f"{self.name}: baseline: {key}"
            found[key] = _text(where, value)
            if key == "preset":
                if value not in self.presets:
                    raise PlanError(f"{where}: '{value}' is none of the plan's presets")
            elif key not in self.keys:
                raise PlanError(f"{where} does not vary in this plan")
        for factor in self.factors:
            self._entry(factor, found)
        return found

    def _entry(self, factor, baseline):
        """The baseline entry of a factor: None if the factor has no baseline, and a run keeps its own."""
        named = {key: value for key, value in baseline.items() if any(key in each for each in factor)}
        if not named:
            return None if baseline else factor[0]
        fit = [each for each in factor if all(each.get(key) == value for key, value in named.items())]
        if len(fit) != 1:
            told = ", ".join(f"{key} = {value}" for key, value in named.items())
            raise PlanError(f"{self.name}: baseline: {told} is so in {len(fit)} of {len(factor)} combinations, not in "
                            "one")  # fmt: skip
        return fit[0]

    def _excluded(self):
        """[{trace, preset or key: texts}]."""
        found = []
        for table in _tables(f"{self.name}: exclude", self.document["exclude"]) if "exclude" in self.document else ():
            each = {}
            for key, value in _flat(f"{self.name}: exclude", table).items():
                where = f"{self.name}: exclude: {key}"
                if key not in ("trace", "preset") and key not in self.keys:
                    raise PlanError(f"{where} does not vary in this plan")
                each[key] = [_text(where, one) for one in (value if isinstance(value, list) else [value])]
            if not each:
                raise PlanError(f"{self.name}: exclude: there is no key in it")
            found.append(each)
        return found

    def _points(self):
        excluded = self._excluded()
        used = [False] * len(excluded)
        found = []
        for trace, preset, *entries in itertools.product(self.traces, self.presets, *self.factors):
            varied = {key: value for each in entries for key, value in each.items()}
            names = {"trace": trace, "preset": preset, **varied}
            hit = [all(names.get(key) in values for key, values in each.items()) for each in excluded]
            used = [before or now for before, now in zip(used, hit)]
            if not any(hit):
                found.append(Point(trace, preset, varied, {**self.settings, **varied, "mode": self.mode}))
        for each, was in zip(excluded, used):
            if not was:
                told = ", ".join(f"{key} = {' or '.join(values)}" for key, values in each.items())
                raise PlanError(f"{self.name}: exclude: {told} is so of no run")
        if not found:
            raise PlanError(f"{self.name}: exclude: no run is left")
        labels = [(point.trace, self.label(point.preset, point.varied)) for point in found]
        if len(set(labels)) < len(labels):
            raise PlanError(f"{self.name}: '{max(labels, key=labels.count)[1]}' is there twice")
        return found

    def base_of(self, point):
        """Reference of a Point: trace, preset and varied."""
        varied = {}
        for factor in self.factors:
            fixed = self._entry(factor, self.baseline)
            own = {key: point.varied[key] for each in factor for key in each if key in point.varied}
            varied.update(own if fixed is None else fixed)
        return point.trace, self.baseline.get("preset", point.preset), varied

    def over(self):
        """The reference in words."""
        told = ", ".join(f"{key} = {value}" for key, value in self.baseline.items())
        return told or ("the first of its preset" if len(self.presets) > 1 else "the first")

    def label(self, preset, varied):
        """Text that distinguishes a combination."""
        parts = ([preset] if len(self.presets) > 1 or not varied else []) + [f"{k}={v}" for k, v in varied.items()]
        return " ".join(parts)


def read(path):
    """The Plan of a file: JSON for names in .json, otherwise TOML, which needs Python 3.11."""
    path = os.fspath(path)
    with open(path, "rb") as file:
        text = file.read()
    try:
        if path.endswith(".json"):
            return Plan(json.loads(text.decode()), path)
        try:
            import tomllib
        except ImportError:
            raise PlanError(f"{path}: TOML needs Python 3.11 or newer; write the plan as JSON, NAME.json") from None
        return Plan(tomllib.loads(text.decode()), path)
    except json.JSONDecodeError as error:
        raise PlanError(f"{path}:{error.lineno}: {error.msg}") from None
    except UnicodeDecodeError:
        raise PlanError(f"{path}: is no text in UTF-8") from None
    except ValueError as error:
        raise error if isinstance(error, PlanError) else PlanError(f"{path}: {error}") from None
