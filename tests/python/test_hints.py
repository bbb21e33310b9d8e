# SPDX-License-Identifier: BSD-2-Clause
"""Type hints of the public names: present, resolvable, and true of returned values."""

import importlib
import inspect
import os
import shutil
import subprocess
import tempfile
import typing
import unittest

from harness import PACKAGE, ROOT
from support import EFFORT

import gpucache

# Modules whose public names have hints; the others follow.
TYPED = ("cache", "comparison", "config", "context", "decisions", "hierarchy", "policy", "replay", "stats", "timed",
         "trace")  # fmt: skip


def public(module):
    """(name, function) of the public functions and methods defined in a module and offered by the package."""
    for name, value in vars(module).items():
        if name.startswith("_") or not hasattr(gpucache, name) or getattr(value, "__module__", "") != module.__name__:
            continue
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value):
            for part, method in parts(value):
                method = getattr(method, "fget", None) or getattr(method, "__func__", method)
                special = ("__init__", "__getitem__", "__setitem__", "__iter__", "__contains__", "__add__", "__sub__")
                written = inspect.isfunction(method) and method.__code__.co_filename == module.__file__
                if written and (not part.startswith("_") or part in special):
                    yield f"{name}.{part}", method


def parts(offered):
    """Hints of a class and of the bases from the same module, like CacheView; or of the module alone, like
    TimedView."""
    for each in offered.__mro__:
        if each.__module__ == offered.__module__:
            yield from vars(each).items()


class Hints(unittest.TestCase):
    def test_marker(self):
        self.assertTrue(os.path.exists(os.path.join(PACKAGE, "py.typed")))

    def test_every_parameter_and_result_has_one(self):
        for module in (importlib.import_module(f"gpucache.{name}") for name in TYPED):
            found = dict(public(module))
            self.assertTrue(found, module.__name__)
            for name, function in found.items():
                with self.subTest(name=name):
                    hints = typing.get_type_hints(function)
                    parameters = set(inspect.signature(function).parameters) - {"self", "cls"}
                    self.assertEqual((parameters | {"return"}) - set(hints), set())

    def fits(self, value, hint):
        """Whether a value is of a hinted type, for the kinds of hints used here."""
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if hint is typing.Any:
            return True
        if origin is typing.Union:
            return any(self.fits(value, each) for each in arguments)
        if origin is tuple:
            return isinstance(value, tuple) and all(self.fits(each, arguments[0]) for each in value)
        if origin is list:
            return isinstance(value, list) and all(self.fits(each, arguments[0]) for each in value)
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

    def agree(self, *calls):
        """For (function, arguments...): the returned value has the hinted type."""
        for function, *arguments in calls:
            hint = typing.get_type_hints(getattr(function, "__func__", function))["return"]
            with self.subTest(name=function.__qualname__):
                value = function(*arguments)
                hint = type(None) if hint is None else hint
                self.assertTrue(self.fits(value, hint), f"{value!r} is no {hint}")

    def test_caches_and_hierarchies_are_what_they_say(self):
        settings = {"sm.count": 2, "mode": "functional"}
        with gpucache.Context() as context, gpucache.Config(context, "gtx480", settings) as config:
            with gpucache.Cache(context, sets=4, ways=2) as cache, gpucache.Hierarchy(context, config) as hierarchy:
                for method in ("access", "probe", "probe_victim", "lookup", "respond"):
                    self.agree((getattr(cache, method), 128))
                self.agree((cache.access_many, [0, 128]), (cache.flush,), (cache.lines,), (cache.stats,),
                           (cache.policy_values,), (cache.invalidate,), (cache.reset_stats,),
                           (gpucache.next_uses, context, [0, 0]), (hierarchy.begin_kernel,), (hierarchy.occupancy,),
                           (hierarchy.locate, 128), (hierarchy.shape,), (hierarchy.access, [0, 4]),
                           (hierarchy.access_many, [0] * 32), (hierarchy.fence,), (hierarchy.flush,),
                           (hierarchy.policy_values,), (hierarchy.stats,), (hierarchy.object_names, "sm"),
                           (hierarchy.objects, "l1"), (hierarchy.cache, 1), (hierarchy.cache, 3),
                           (hierarchy.copy,))  # fmt: skip
                for name in ("is_idle", "config", "wants_samples", "coherence", "now", "next_event", "in_flight"):
                    self.agree((getattr(gpucache.Hierarchy, name).fget, hierarchy))

    def test_traces_and_replays_are_what_they_say(self):
        with gpucache.Context() as context, gpucache.Config(context, "gtx480", {"mode": "timed"}) as config:
            with gpucache.Replay(context, config, sample_interval=100) as replay:
                with gpucache.Trace(context, "synthetic:vectoradd:4KiB") as trace:
                    kernel = trace.next_kernel()
                    block = kernel.next_block()
                    instruction = block[0][0]
                    for of in (instruction, trace):
                        for name, part in vars(type(of)).items():
                            if isinstance(part, property):
                                self.agree((part.fget, of))
                    self.agree((gpucache.synthetics,), (block[0].column, "pc"), (trace.opcode, 0), (trace.ordering, 0),
                               (kernel.next_block,), (block.release,), (trace.next_kernel,))  # fmt: skip
                with gpucache.Trace(context, "synthetic:vectoradd:4KiB") as trace:
                    result = replay.kernel(trace)
                    self.agree((replay.kernel, trace), (replay.stats,), (replay.policy_values,), (replay.sampling,),
                               (replay.estimate, "cycles"), (replay.pause_at, None), (replay.keep_objects,),
                               (result.series.column, "cycles"), (replay.copy,))  # fmt: skip
                    for name in ("now", "config", "hierarchy"):
                        self.agree((getattr(gpucache.Replay, name).fget, replay))
                    self.agree((type(result.series).cycles.fget, result.series))

    def test_comparisons_are_what_they_say(self):
        self.agree((gpucache.compare, ["lru", "drrip"], ["synthetic:vectoradd:4KiB"], "gtx480"))
        found = gpucache.compare(["lru"], ["synthetic:vectoradd:4KiB"], "gtx480", jobs=1)
        for name in ("failures", "policies", "traces", "means"):
            self.agree((getattr(gpucache.Comparison, name).fget, found))
        self.agree((found.row, "lru", "vectoradd:4KiB"))

    @unittest.skipUnless(EFFORT == "thorough", "takes a minute: left to thorough runs")
    @unittest.skipUnless(shutil.which("mypy"), "mypy is not installed")
    def test_examples_are_strictly_typed(self):
        sources = [os.path.join(ROOT, "examples", name) for name in ("coherence.py", "policy.py")]
        with tempfile.TemporaryDirectory() as folder:
            found = subprocess.run(
                ["mypy", "--strict", "--follow-imports=silent", f"--cache-dir={folder}", *sources],
                env={**os.environ, "MYPYPATH": os.path.dirname(PACKAGE)}, capture_output=True, text=True,
            )  # fmt: skip
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)

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
