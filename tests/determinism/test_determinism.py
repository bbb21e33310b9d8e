# SPDX-License-Identifier: BSD-2-Clause
"""The same input gives the same bytes: on every run, build type, compiler and locale.

The release build is compared with the builds beside the release build, if run.sh has made them.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import BUILD, EFFORT, LIBRARY, ROOT, run

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import portable  # noqa: E402

RUNS = (
    ("synthetic:vectoradd:256KiB", "--preset", "gtx480"),
    ("synthetic:gather:64KiB", "--preset", "h100"),
    ("synthetic:transpose-naive:128KiB", "--preset", "a100", "--set", "l1.replacement=random"),
    ("synthetic:histogram:64KiB", "--preset", "gcn-7970", "--set", "l2.replacement=random"),
    ("examples/traces/nn", "--preset", "h100", "--set", "l1.replacement=plru"),
    ("examples/traces/atax", "--preset", "qv100", "--set", "warps.order=block"),
)


PROGRAM = """
import sys
from gpucache.cli import main
for n, words in enumerate(sys.argv[2:]):
    assert main(["run", *words.split(), "--json", f"{sys.argv[1]}/{n}.json"]) == 0, words
"""


def replay(library, **environment):
    """{run: bytes of the command line's JSON}. A single process does every run."""
    with tempfile.TemporaryDirectory() as folder:
        everything = dict(os.environ, PYTHONPATH=str(ROOT / "bindings/python"), GPUCACHE_LIBRARY=str(library))
        everything.update(environment)
        run(sys.executable, "-c", PROGRAM, folder, *map(" ".join, RUNS), env=everything, cwd=ROOT)
        return {arguments: pathlib.Path(folder, f"{n}.json").read_bytes() for n, arguments in enumerate(RUNS)}


class Determinism(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.expected = replay(LIBRARY)

    def compare(self, library, **environment):
        if not library.exists():
            self.skipTest(f"{library} is not built")
        found = replay(library, **environment)
        for arguments, expected in self.expected.items():
            with self.subTest(run=" ".join(arguments)):
                self.assertEqual(found[arguments], expected)

    def test_results_differ_between_runs(self):
        # If the runs had equal results, the comparisons below would show nothing.
        self.assertEqual(len(set(self.expected.values())), len(RUNS))

    def test_twice(self):
        self.compare(LIBRARY, PYTHONHASHSEED="1")

    def test_from_another_address_layout(self):
        self.compare(LIBRARY, MALLOC_PERTURB_="85", MALLOC_MMAP_THRESHOLD_="4096")

    def test_build_with_clang(self):
        self.compare(BUILD.with_name(BUILD.name + "-clang") / "lib" / LIBRARY.name)

    def test_build_with_sanitizers(self):
        library = BUILD.with_name(BUILD.name + "-sanitize") / "lib" / LIBRARY.name
        runtime = run(os.environ.get("CC", "cc"), "-print-file-name=libasan.so").strip()
        if not os.path.isabs(runtime):
            self.skipTest("the compiler's ASan is no shared library")
        # Leaks are the interpreter's; the Criterion programs look for the library's own.
        self.compare(library, LD_PRELOAD=runtime, ASAN_OPTIONS="detect_leaks=0")


class Locale(unittest.TestCase):
    """Numbers are read and written alike in a host with a decimal comma in the locale."""

    PROGRAM = """
import locale, sys
import gpucache
if sys.argv[1]:
    locale.setlocale(locale.LC_ALL, sys.argv[1])
    assert locale.localeconv()["decimal_point"] == ","

class Own(gpucache.ReplacementPolicy):
    name = "own"
    parameters = (gpucache.Parameter("share", 0.5, 0, 1),)

    def __init__(self, env):
        print(env.parameters)

    def choose_victim(self, set, candidates, request):
        return candidates[0]

context = gpucache.Context()
context.register(Own)
config = gpucache.Config(context, preset="gtx480", settings={"sm.count": 1, "l1.replacement": "own(share=0.25)"})
with gpucache.Replay(context, config) as replay, gpucache.Trace(context, "synthetic:vectoradd:4KiB") as trace:
    for kernel, stats in replay.run(trace):
        print(kernel.name, stats.json())
for key in gpucache.config_keys():
    print(key)
"""

    def output(self, name, **environment):
        everything = dict(
            os.environ, PYTHONPATH=str(ROOT / "bindings/python"), GPUCACHE_LIBRARY=str(LIBRARY), **environment
        )
        return run(sys.executable, "-c", self.PROGRAM, name, env=everything, cwd=ROOT)

    def test_decimal_comma(self):
        if not shutil.which("localedef"):
            self.skipTest("localedef is not installed")
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run(
                ["localedef", "-i", "de_DE", "-f", "UTF-8", f"{folder}/de_DE.UTF-8"], capture_output=True, check=False
            )
            if made.returncode:
                self.skipTest("the locale sources are not installed (package locales)")
            expected = self.output("")
            self.assertIn("0.25", expected)
            self.assertEqual(self.output("de_DE.UTF-8", LOCPATH=folder), expected)


class Portable(unittest.TestCase):
    """portable.py builds the library with every installed tool chain; outside thorough runs, no tool chain."""

    def test_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "portable")
            run(os.environ.get("CC", "cc"), "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "include", "-I",
                ROOT / "tests", pathlib.Path(__file__).with_name("portable.c"), LIBRARY, "-o", program)  # fmt: skip
            made = pathlib.Path(folder, "made")
            made.mkdir()
            everything = dict(os.environ, LD_LIBRARY_PATH=str(LIBRARY.parent))
            first, again = (run(program, made, env=everything, cwd=ROOT) for _ in range(2))
            self.assertEqual(first, again)
            self.assertEqual(list(made.iterdir()), [])
        self.assertEqual(len(set(first.splitlines())) > 60, True, first)
        for part in ("nn: 2893 bytes", "profile: ", '"energy.', '"dram.'):
            self.assertIn(part, first)

    def test_what_is_missing(self):
        self.assertEqual(portable.missing(portable.Chain(("no-such-compiler",))), "no-such-compiler is not installed")
        wrong = portable.Chain((os.environ.get("CC", "cc"), "-no-such-option"))
        self.assertRegex(portable.missing(wrong), "compiles nothing: .*no-such-option")
        cannot = portable.Chain((os.environ.get("CC", "cc"),), ("false",))
        self.assertIn("do not run", portable.missing(cannot))

    @unittest.skipUnless(EFFORT == "thorough", "builds the library with each tool chain: left to thorough runs")
    def test_every_tool_chain(self):
        told = run(sys.executable, ROOT / "tests/determinism/portable.py", "--build", BUILD.with_name("build-portable"))
        self.assertNotIn("other bytes", told)
        skipped = [line for line in told.splitlines() if "skipped" in line]
        if skipped:
            self.skipTest("; ".join(skipped))


if __name__ == "__main__":
    unittest.main()
