# SPDX-License-Identifier: BSD-2-Clause
"""Type hints of the public names: there, resolvable, and true of what comes back."""

import importlib
import inspect
import os
import typing
import unittest

from harness import PACKAGE

import gpucache

# Modules whose public names have hints; the others follow.
TYPED = ("config", "context", "decisions", "stats")


def public(module):
    """(name, function) of the public functions and methods of a module's own that the package offers."""
    for name, value in vars(module).items():
        if name.startswith("_") or not hasattr(gpucache, name) or getattr(value, "__module__", "") != module.__name__:
            continue
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value):
            for part, method in vars(value).items():
                method = getattr(method, "fget", None) or getattr(method, "__func__", method)
                special = ("__init__", "__getitem__", "__setitem__", "__iter__", "__contains__", "__add__", "__sub__")
                written = inspect.isfunction(method) and method.__code__.co_filename == module.__file__
                if written and (not part.startswith("_") or part in special):
                    yield f"{name}.{part}", method


class Hints(unittest.TestCase):
    def test_marker(self):
        self.assertTrue(os.path.exists(os.path.join(PACKAGE, "py.typed")))

    def test_every_parameter_and_result_has_one(self):
        for module in (importlib.import_module(f"gpucache.{name}") for name in TYPED):
            found = dict(public(module))
            self.assertGreater(len(found), 4, module.__name__)
            for name, function in found.items():
                with self.subTest(name=name):
                    hints = typing.get_type_hints(function)
                    parameters = set(inspect.signature(function).parameters) - {"self", "cls"}
                    self.assertEqual((parameters | {"return"}) - set(hints), set())

    def fits(self, value, hint):
        """Whether a value is of a hinted type, as far as these hints go."""
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if hint is typing.Any:
            return True
        if origin is typing.Union:
            return any(self.fits(value, each) for each in arguments)
        if origin is tuple:
            return isinstance(value, tuple) and all(self.fits(each, arguments[0]) for each in value)
        return isinstance(value, origin or hint)

    def test_fields_are_what_they_say(self):
        with gpucache.Context() as context:
            examples = [*gpucache.config_keys(), *gpucache.presets(), *gpucache.counters(), *gpucache.cache_counters()]
            for kind in gpucache.PolicyKind:
                examples += context.policies(kind)
            found = []
            gpucache.Config(context).import_gpgpusim_text("-gpgpu_n_clusters 3\n-no_such 1\n", found=found)
            examples += found
        kinds = {type(each).__name__ for each in examples}
        self.assertEqual(kinds, {"Key", "Preset", "Counter", "PolicyInfo", "ImportedOption"})
        for each in examples:
            for field, hint in typing.get_type_hints(type(each)).items():
                value = getattr(each, field)
                self.assertTrue(self.fits(value, hint), f"{type(each).__name__}.{field} = {value!r} is no {hint}")

    def test_results_are_what_they_say(self):
        with gpucache.Context() as context, gpucache.Config(context, "gtx480", {"sm.count": 3}) as config:
            calls = [
                (gpucache.version,), (gpucache.preset_text, "h100"), (context.policies, "replacement"),
                (context.policy_reads, "replacement", "lru"), (context.scheduler_cost, "gto", 48),
                (config.changes,), (config.copy,), (config.load_preset, "h100"), (config.number, "sm.count"),
                (config.keys,), (config.items,), (gpucache.Stats().json,), (gpucache.Stats().csv, True),
                (type(config).preset.fget, config),
            ]  # fmt: skip
            for function, *arguments in calls:
                with self.subTest(name=function.__name__):
                    value = function(*arguments)
                    self.assertTrue(self.fits(value, typing.get_type_hints(function)["return"]), repr(value))


if __name__ == "__main__":
    unittest.main()
