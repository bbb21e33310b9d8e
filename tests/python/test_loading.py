# SPDX-License-Identifier: BSD-2-Clause
"""Policies from files: Context.load(), and --load of the commands."""

import json
import os
import threading
import unittest

from harness import ROOT, TemporaryCase, command, needs_compiler, python, shared_library

import gpucache

SOURCE = "synthetic:bicg:4KiB"
SMALL = ["--preset", "gtx480", "--set", "sm.count=2"]
EXAMPLE = os.path.join(ROOT, "examples", "policy.py")

# One of each kind, and one based on another.
POLICIES = """
import gpucache
from gpucache import Prefetcher, Predictor, ReplacementPolicy, SchedulerPolicy, Throttle
from beside import first

class Lowest(ReplacementPolicy):
    name = "lowest"
    def choose_victim(self, set, candidates, request):
        return first(candidates)

class Lower(Lowest):
    name = "lower"

class All(Predictor):
    name = "all"
    def predict(self, set, request):
        return gpucache.Decision.CACHE

class Any(SchedulerPolicy):
    name = "any"
    def pick(self, ready, cycle):
        return ready[0]

class Free(Throttle):
    name = "free"
    def classify(self, view, classes):
        pass

class Nothing(Prefetcher):
    name = "nothing"
    def on_access(self, access):
        return []
"""


def failing(at):
    return f"import gpucache\nclass Fails(gpucache.ReplacementPolicy):\n    name = 'fails'\n    {at}\n"


class Files(TemporaryCase):
    def names(self, kind="replacement"):
        return {info.name for info in self.context.policies(kind) if not info.builtin}

    def test_every_class_of_a_file(self):
        self.write("beside.py", "def first(candidates):\n    return min(candidates)\n")
        path = self.write("policies.py", POLICIES)
        self.context.load(path)
        self.assertEqual([self.names(kind) for kind in ("replacement", "predictor", "scheduler", "throttle", "prefetcher")],
                         [{"lowest", "lower"}, {"all"}, {"any"}, {"free"}, {"nothing"}])  # fmt: skip
        with gpucache.Context() as other:  # read once, registered in each
            other.load(path)
            self.assertIn("lower", {info.name for info in other.policies("replacement")})

    def test_bad_files(self):
        for name, text, message in (
            ("none.py", None, r"none\.py: there is no such file"),
            ("empty.py", "import gpucache\n", r"empty\.py: it defines no subclass of ReplacementPolicy, Predictor"),
            ("raises.py", "x = 1\nx / 0\n", r"raises\.py:2: ZeroDivisionError: division by zero"),
            ("syntax.py", "x = = 1\n", r"syntax\.py: SyntaxError: .*line 1"),
            ("ends.py", "raise SystemExit(3)\n", r"ends\.py:1: SystemExit: 3"),
            ("lacks.py", failing("pass"), r"lacks\.py: Fails has no choose_victim"),
            ("taken.py", failing("def choose_victim(self, *_): return 0").replace("'fails'", "'lru'"), r"taken\.py: .*lru"),
            ("text.so", "no library", r"text\.so: .*"),
        ):
            with self.subTest(name):
                path = self.path(name) if text is None else self.write(name, text)
                with self.assertRaisesRegex(gpucache.LoadError, message):
                    self.context.load(path)
        self.assertEqual(self.names(), set())

    @needs_compiler
    def test_shared_libraries(self):
        self.context.load(self.lip())
        self.assertEqual(self.names(), {"my-lip"})
        for name, text, message in (
            ("lacks.so", "int other;", r"lacks\.so: exports no gpucache_register\(gpc_context \*, gpc_error \*\)"),
            ("fails.so", "#include <gpucache/gpucache.h>\n#include <string.h>\n"
             "gpc_status gpucache_register(gpc_context *context, gpc_error *error) {\n"
             'strcpy(error->message, "not today"); return GPC_ERROR_STATE; }', r"fails\.so: not today"),
        ):  # fmt: skip
            with self.subTest(name), self.assertRaisesRegex(gpucache.LoadError, message):
                self.context.load(shared_library(self.folder, name, text))

    def lip(self):
        """examples/custom_policy.c, not linked with the library: the process has the library's names already."""
        with open(os.path.join(ROOT, "examples", "custom_policy.c"), encoding="utf-8") as file:
            return shared_library(self.folder, "lip.so", file.read())


class Commands(Files):
    test_every_class_of_a_file = test_bad_files = test_shared_libraries = None

    def done(self, *arguments, status=0, message=""):
        found = command(*arguments)
        self.assertEqual(found.returncode, status, found.stderr)
        self.assertNotIn("Traceback", found.stderr)
        self.assertIn(message, found.stderr)
        return found.stdout

    def loads(self, *arguments, load=EXAMPLE, policy="reuse-by-pc"):
        """A command with a loaded policy; without --load the command does not know the policy."""
        self.done(*arguments, *SMALL, "--set", f"l1.replacement={policy}", status=1, message=policy)
        return self.done(*arguments, *SMALL, "--set", f"l1.replacement={policy}", "--load", load)

    def test_every_command(self):
        self.loads("run", SOURCE)
        self.loads("bottleneck", SOURCE, "--warps", "1", "--max-cycles", "200", "--jobs", "2")
        self.loads("explain", SOURCE, "--max-cycles", "200", "--jobs", "2")
        self.loads("tune", SOURCE, "--what", "blocks", "--max-cycles", "200", "--cache", self.path("tune"))
        self.loads("profile", SOURCE, "--search", "access-count", "--jobs", "2")
        self.loads("config")
        self.assertIn("reuse-by-pc", self.done("policies", "--load", EXAMPLE))

    def test_compare(self):
        for jobs in ("1", "2"):
            runs = json.loads(self.done("compare", SOURCE, *SMALL, "--load", EXAMPLE, "--policies", "lru,reuse-by-pc",
                                        "--jobs", jobs, "--json", "-"))["runs"]  # fmt: skip
            self.assertEqual([run["policy"] for run in runs], ["lru", "reuse-by-pc"])
            self.assertTrue(all(run["stats"]["l1.load_sectors"] > 0 for run in runs))

    @needs_compiler
    def test_a_shared_library_runs(self):
        text = self.done("run", "synthetic:warp-reuse:64KiB", *SMALL, "--load", self.lip(), "--set",
                         "l1.replacement=my-lip", "--json", "-")  # fmt: skip
        own = json.loads(text)["total"]
        lru = json.loads(self.done("run", "synthetic:warp-reuse:64KiB", *SMALL, "--json", "-"))["total"]
        self.assertNotEqual(own["l1.load_sector_hits"], lru["l1.load_sector_hits"])
        found = json.loads(self.done("compare", "synthetic:warp-reuse:64KiB", *SMALL, "--load", self.path("lip.so"),
                                     "--policies", "lru,my-lip", "--jobs", "2", "--json", "-"))  # fmt: skip
        self.assertEqual(found["runs"][1]["stats"], own)

    def test_sweep(self):
        plan = self.write("plan.json", json.dumps({"traces": [SOURCE], "presets": ["gtx480"], "product": {
            "l1.replacement": ["lru", "mine"], "sm.count": [1, 2]}}))  # fmt: skip
        body = "def choose_victim(self, set, candidates, request): return {}(candidates)"
        mine = self.write("mine.py", failing(body.format("min")).replace("'fails'", "'mine'"))
        self.done("sweep", plan, status=1, message="mine")
        first = self.done("sweep", plan, "--load", mine, "--jobs", "2", "--json", "-")
        self.assertEqual(len(json.loads(first)["runs"]), 4)
        self.assertIn("0 runs done, 4 known", self.done("sweep", plan, "--load", mine))
        self.write("mine.py", failing(body.format("max")).replace("'fails'", "'mine'"))
        again = python("-m", "gpucache", "sweep", plan, "--load", mine)
        self.assertIn("4 runs done, 0 known", again.stdout, again.stderr)
        self.done("sweep", plan, "--load", mine, "--slurm", self.path("job.sh"))
        with open(self.path("job.sh"), encoding="utf-8") as file:
            self.assertIn(f" --load {mine} \\\n", file.read())

    def test_an_exception_of_a_policy(self):
        bad = self.write("bad.py", failing("def choose_victim(self, set, candidates, request): return candidates.none"))
        arguments = ["synthetic:warp-reuse:64KiB", *SMALL, "--load", bad]
        message = f"{bad}:4: AttributeError: "
        self.done("run", *arguments, "--set", "l1.replacement=fails", status=1, message=message)
        text = self.done("run", SOURCE, *arguments, "--set", "l1.replacement=fails", status=1, message=message)
        self.assertIn(f"failed:\n{arguments[0]}: {message}", text)  # and the successful ones are above
        self.done("bottleneck", *arguments, "--set", "l1.replacement=fails", status=1, message=message)
        text = self.done("compare", *arguments, "--policies", "lru,fails", status=1, message="1 of 2 runs failed")
        self.assertIn("none", text)

    def test_an_impossible_victim(self):
        """Way 99 of a set: the message names policy, way, set and cache, at each level, with and without a clock."""
        bad = self.write("bad.py", failing("def choose_victim(self, set, candidates, request): return 99"))
        for trace, key, ways in (("warp-reuse:512KiB", "l1", 4), ("vectoradd:4MiB", "l2", 16)):
            for mode in ("functional", "timed"):
                found = command("run", f"synthetic:{trace}", "--preset", "gtx480", "--load", bad, "--mode", mode, "--set",
                                f"{key}.replacement=fails")  # fmt: skip
                self.assertEqual(found.returncode, 1)
                self.assertRegex(found.stderr, r"a policy chose an impossible victim: "
                                 rf"{key} \d+: 'fails' chose way 99 of set \d+, no candidate of its {ways} ways\n")  # fmt: skip

    def test_bad_files_end_a_command(self):
        self.done("run", SOURCE, "--load", self.path("none.py"), status=1, message="none.py: there is no such file")


class Threads(TemporaryCase):
    def test_contexts_of_threads_load_the_same_file(self):
        body = failing("def choose_victim(self, set, candidates, request): return min(candidates)")
        path = self.write("mine.py", "import time\ntime.sleep(0.2)\n" + body)
        failures = []

        def work():
            try:
                with gpucache.Context() as context:
                    context.load(path)
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


if __name__ == "__main__":
    unittest.main()
