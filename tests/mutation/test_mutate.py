# SPDX-License-Identifier: BSD-2-Clause
"""The mutation run: its changes, the chosen tests, and the verdicts."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from support import ROOT

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import increments  # noqa: E402
import mutants  # noqa: E402
import mutate  # noqa: E402
import reach  # noqa: E402
import state  # noqa: E402
import wakes  # noqa: E402
import workshop  # noqa: E402

BUILD = os.environ.get("GPUCACHE_BUILD", "build")
# Three changes with a failing test, and a change without an effect on behavior.
LOOP = "for (; exponent > 22; exponent -= 22)"
STEPS = f"lib/base/text.c:{next(n for n, line in enumerate((ROOT / 'lib/base/text.c').open(), 1) if LOOP in line)}"


def run_it(*options):
    """Exit status and printed text."""
    done = subprocess.run([sys.executable, mutate.__file__, "--build", BUILD, *options], cwd=ROOT, capture_output=True,
                          text=True, check=False)  # fmt: skip
    return done.returncode, done.stdout.splitlines(), done.stderr


class Changes(unittest.TestCase):
    def test_what_is_changed(self):
        found = mutants.mutants_of("a.c", 'x = y *z + *p->q << 2; /* 3 */ s = "4 < 5"; i++; f(!a, 0x0f, 1.5f, true);\n')
        self.assertEqual(
            [(each.old, each.new) for each in found],
            [("+", "-"), ("<<", ">>"), ("2", "3"), ("++", "--"), ("!", ""), ("0x0f", "0x10"), ("true", "false")],
        )

    def test_what_counts(self):
        text = (
            "static void f(s *s) {\n    if (s->a)\n        s->hits++;\n    /* s->hits++; */\n"
            "    s->x.hits +=\n        2;\n    s->other++;\n    s->counts.other--;\n    hits++;\n"
            "    *(s->a ? &s->b : &s->hits) += 1;\n}\n"
        )
        found = increments.statements_of("a.c", text, {"hits"})
        self.assertEqual(
            [(each.line, " ".join(each.old.split())) for each in found],
            [(3, "s->hits++"), (5, "s->x.hits += 2"), (8, "s->counts.other--"),
             (10, "*(s->a ? &s->b : &s->hits) += 1")],
        )  # fmt: skip
        self.assertEqual(found[1].key, "a.c: f: s->x.hits += 2 [1]")
        found[0].number, found[2].number = 4, 5
        switched = increments.with_switches("a.c", text, [found[0], found[2]])
        self.assertIn("        (gpci_left_out(4) ? (void)0 : (void)(s->hits++));\n    /*", switched)
        self.assertIn("    (gpci_left_out(5) ? (void)0 : (void)(s->counts.other--));\n    hits++;", switched)

    def test_equal_lines(self):
        """Equal lines of two functions, and of one function, have different keys."""
        text = ("static const int table[] = {\n    1,\n    1,\n};\n"
                "__attribute__((format(printf, 2, 3))) static int f(int x,\n    int y) {\n    x++;\n    x++;\n}\n"
                "void g(int x) {\n    x++;\n}\n")  # fmt: skip
        found = [each.key for each in mutants.mutants_of("a.c", text) if each.old in ("1", "++")]
        self.assertEqual(found, [
            "a.c: 1, [1 -> 2, 1]", "a.c: 1, [1 -> 2, 2]", "a.c: f: x++; [++ -> --, 1]", "a.c: f: x++; [++ -> --, 2]",
            "a.c: g: x++; [++ -> --, 1]"])  # fmt: skip

    def test_functions(self):
        text = ("static int a;\nint f(int x,\n      int y) {\n    if (x) {\n    }\n}\nint g(void);\n"
                "static const int table[] = {\n    1,\n};\nint h(void) {\n}\nstatic int more[] = {\n    1,\n};\n")  # fmt: skip
        self.assertEqual(mutants.functions_of(text), [(2, 6), (11, 12)])

    def test_wake_ups(self):
        """Waking statements: no declarations, conditions or comments; within a branch, and over two lines."""
        text = ("static void wake_all(int a);\nvoid f(wheel *w) {\n    /* gpci_wheel_wake(w, 1); */\n    if (has_wake_up(w))\n"
                "        gpci_wheel_wake(w, (1),\n                        2);\n    else\n        wake_all(3);\n"
                "    wake_all(3);\n    t->front.ready(w);\n    note(&network->sharing->asked);\n}\n")  # fmt: skip
        found = mutants.wakes_of("a.c", text)
        self.assertEqual([(each.line, each.old) for each in found], [
            (5, "gpci_wheel_wake"), (8, "wake_all"), (9, "wake_all"), (10, "t->front.ready"), (11, "note")])  # fmt: skip
        self.assertEqual(found[0].key, "a.c: f: gpci_wheel_wake(w, (1), [gpci_wheel_wake -> nothing, 1]")
        self.assertEqual([each.nth for each in found], [1, 1, 2, 1, 1])
        self.assertIn("    if (has_wake_up(w))\n        (void)0;\n    else\n", found[0].applied(text))

    def test_wakes_of_the_library(self):
        """Wake-ups of every folder of lib/timed, under unique keys."""
        found, chosen = wakes.chosen(["lib/timed/l2/l2.c"])
        self.assertGreater(len(found), 100)
        self.assertGreater(len({pathlib.PurePath(wake.path).parent for wake in found}), 4)
        self.assertEqual(len({wake.key for wake in found}), len(found))
        self.assertEqual({wake.path for wake in chosen}, {"lib/timed/l2/l2.c"})

    def test_state(self):
        """Fields from a given field on, in structs within structs and in lists; every field and every line has an
        omission."""
        self.assertEqual(state.fields_of("gpci_mshr", "used"), ["used", "sectors", "entry", "gauge"])
        self.assertEqual(state.fields_of("gpci_timed", "progress"), ["progress", "counted_from", "still"])
        self.assertNotIn("units", state.fields_of("gpci_collector", "last"))
        found = [each.what for each in state.omissions("lib/timed/l1/combine.c")]
        self.assertEqual(found[:5], [f"gpci_combine.{name}" for name in ("last", "joined", "held", "open", "stores")])
        self.assertTrue(found[5].startswith("visit(user_data, combine->units"))

    def test_samples_are_even_and_the_same(self):
        words = [sys.executable, mutate.__file__, "lib/dram", "lib/base", "lib/policies/control", "--list", "--seed"]
        lists = [subprocess.run([*words, seed, "--sample", count], capture_output=True, text=True, check=True)
                 .stdout.splitlines() for seed, count in (("1", "9"), ("1", "9"), ("2", "9"), ("1", "6"))]  # fmt: skip
        self.assertEqual(lists[0], lists[1])
        self.assertNotEqual(lists[0], lists[2])
        self.assertEqual(lists[0][:6], lists[3])
        for folder in ("lib/dram/", "lib/base/", "lib/policies/control/"):
            self.assertEqual(sum(line.startswith(folder) for line in lists[0]), 3)

    def test_explanations_are_of_what_there_is(self):
        """A reason whose line has changed must be written anew or dropped."""
        keys = {}
        for key, reason in mutants.explanations().items():
            path = key.partition(":")[0]
            with self.subTest(key):
                self.assertTrue(reason)
                if path not in keys:
                    text = (ROOT / path).read_text()
                    found = *mutants.mutants_of(path, text), *mutants.wakes_of(path, text), *state.omissions(path), \
                        *increments.statements_of(path, text, increments.fields())
                    keys[path] = {each.key for each in found}
                self.assertIn(key, keys[path])

    def test_a_reason_of_two_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "reasons.txt"
            path.write_text("# why\na.c: x > 10; [> -> >=, 1]\n    10 is 10.\n    Twice.\n")
            self.assertEqual(mutants.explanations(path), {"a.c: x > 10; [> -> >=, 1]": "10 is 10. Twice."})


def ranks_of(tests):
    """Ranks of given tests, and the suites asked for tests."""
    asked = []

    def reached(suite):
        asked.append(suite)
        return [test for test in tests if test.suite == suite]

    return mutate.Ranks(sorted({test.suite for test in tests}), reached), asked


class Ranks(unittest.TestCase):
    def test_who_is_asked_first(self):
        """Order: tests of the folder, of the line, quick tests, tests of few files; tests outside the function are not
        run. A suite is asked for its tests when the suite's turn comes."""
        path = "lib/base/text.c"
        mutant = mutants.mutants_of(path, (ROOT / path).read_text())[0]
        lines = {"here": mutant.line, "far": 10**6}
        tests = [reach.Test(suite, name, seconds, {path: [lines[where]], **more})
                 for suite, name, seconds, where, more in (
            ("timed", "slow", 3, "here", {}), ("timed", "other", 0.01, "here", {}),
            ("base", "wide", 0.01, "here", {"a": []}), ("base", "own", 0.02, "here", {}),
            ("base", "elsewhere", 0.01, "far", {}))]  # fmt: skip
        ranks, asked = ranks_of(tests)
        found = ranks(mutant)
        self.assertEqual([test.name for test in next(found)], ["own", "wide"])
        self.assertEqual(asked, ["base"])
        self.assertEqual([test.name for some in found for test in some], ["other", "slow"])
        ranks.noticed(mutant, "timed", "slow")
        self.assertEqual([test.name for test in next(ranks(mutant))], ["slow", "own", "wide", "other"])

    def test_who_is_asked_of_a_table(self):
        """A change of a table: tests that reach the table's file, and all suites of the folder, because other files
        read the table."""
        path = "lib/policies/scheduler/owl.c"
        found = mutants.mutants_of(path, (ROOT / path).read_text())
        mutant = next(each for each in found if each.old == "1024")
        tests = [reach.Test(suite, name, 0.01, {where: [line]} if where else {}) for suite, name, where, line in (
            ("registry", "lists", None, 0), ("scheduler", "file", path, 100), ("cache", "other", None, 0),
            ("timed", "away", path, 100))]  # fmt: skip
        found = [test.name for some in ranks_of(tests)[0](mutant) for test in some]
        self.assertEqual(found, ["lists", "file", "away"])


class FakeBuild:
    """A build with a given answer of all tests."""

    def __init__(self, answer, sanitizes):
        self.root, self.answer, self.sanitizes, self.asked = ROOT, answer, sanitizes, []

    def compile(self, path, made, options=(), text=None):
        made.write_text(text or "")
        return made

    def link(self, suite, changed, made):
        return made

    def failing(self, program, tests, effort):
        self.asked.append([test.name for test in tests])
        return self.answer


class Verdicts(unittest.TestCase):
    def test_a_survivor_is_tried_with_sanitizers(self):
        """With the same tests, for as long in wall-clock time; a noticed change is not tried again."""
        path = "lib/base/text.c"
        mutant = mutants.mutants_of(path, (ROOT / path).read_text())[0]
        tests = [reach.Test("base", name, seconds, {path: [mutant.line]}) for name, seconds in (("a", 1), ("b", 50))]
        tests.append(reach.Test("timed", "c", 1, {path: [mutant.line]}))
        for plain, sanitized, verdict, asked in (
            (None, "text/long", ("killed", "sanitized base/text/long"), [["a", "b"]]),
            (None, None, ("survived", "3 tests reach it"), [["a", "b"]]),
            ("text/short", "text/long", ("killed", "base/text/short"), []),
        ):  # fmt: skip
            builds = FakeBuild(plain, False), FakeBuild(sanitized, True)
            with tempfile.TemporaryDirectory() as folder:
                shop = workshop.Workshop(builds[0], pathlib.Path(folder), ranks_of(tests)[0], "quick", 60, builds[1])
                self.assertEqual((shop.judge(mutant), builds[1].asked), (verdict, asked))


class Records(unittest.TestCase):
    def test_record_of_an_equal_program(self):
        with tempfile.TemporaryDirectory() as folder:
            record, program = pathlib.Path(folder) / "record", pathlib.Path(folder) / "program"
            for text, name in (("1", "a"), ("1", "b"), ("2", "c")):
                program.write_text(text)
                found = reach.kept(record, program, lambda name=name: [reach.Test("base", name, 0.1, {"a.c": [1]})])
                self.assertEqual(found, [reach.Test("base", "c" if text == "2" else "a", 0.1, {"a.c": [1]})])


@unittest.skipUnless((pathlib.Path(ROOT) / BUILD / "tests/test-base").exists(), "the unit tests are not built")
class Runs(unittest.TestCase):
    def test_killed_and_explained(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "log"
            words = (STEPS, "--suites", "base", "--log", log)
            status, told, said = run_it(*words)
            self.assertEqual(
                told[-1:], ["4 changes: 3 killed, 0 survived (0.0 %), 1 explained; beside them 0 the same code, "
                            "0 that do not compile, 0 not tried"], said)  # fmt: skip
            self.assertEqual(len(told), 2)
            self.assertIn(f"survived {STEPS}: {LOOP} [> -> >=, 1] ", told[0])
            self.assertEqual(status, 0)
            self.assertEqual(run_it(*words)[1][-1], told[-1], "from the log")
            log.write_text(log.read_text().replace("[> ->", "[>> ->"))
            status, told, _ = run_it(*words, "--seconds", "0.0001")
            self.assertIn("0 explained", told[-1])
            self.assertIn("1 not tried", told[-1])

    def test_functions_that_a_compiler_would_inline(self):
        """Reached as usual, also from the same block and with a single call."""
        path = "lib/cache/index/hopper_slices.c"
        text = (ROOT / path).read_text().splitlines()
        build = workshop.Build(ROOT, (pathlib.Path(ROOT) / BUILD).resolve())
        with tempfile.TemporaryDirectory() as folder:
            tests = reach.Recorder(build, [path], pathlib.Path(folder), "quick")("replacement")
        reached = {line for test in tests for line in test.lines.get(path, [])}
        for name in ("number_of", "in_half", "of_half"):
            first = next(at for at, line in enumerate(text, 1) if line.startswith(f"static uint32_t {name}("))
            self.assertTrue(reached & {first, first + 1}, name)

    def test_lines_of_what_is_always_inlined(self):
        """A place belongs to the inlined line and to the calling line."""
        text = ("static inline __attribute__((always_inline)) int twice(volatile int *x) {\n    return *x * 2;\n}\n"
                "int main(int n, char **v) {\n    (void)v;\n    return twice(&n);\n}\n")  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder) / "a.c", pathlib.Path(folder) / "a"
            source.write_text(text)
            subprocess.run([*os.environ.get("CC", "cc").split(), "-g", "-O1", source, "-o", program], check=True)
            named = subprocess.run(["nm", "-S", program], capture_output=True, text=True, check=True).stdout
            words = next(line for line in named.splitlines() if line.endswith(" T main")).split()
            first, size = int(words[0], 16), int(words[1], 16)
            places = [f"{first + at:x}" for at in range(1, size + 1)]
            found = reach.lines_of(program, places, {"a.c"}, folder)
        self.assertTrue(any(("a.c", 2) in each and ("a.c", 6) in each for each in found.values()), found)

    def test_what_records(self):
        """The recorder compiles without a warning. The run does not ask for warnings, because compilers differ in
        warnings."""
        source = pathlib.Path(mutate.__file__).with_name("reach.c")
        words = [*os.environ.get("CC", "cc").split(), "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
        done = subprocess.run([*words, source], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_survived(self):
        """Survived: the tests do not reach the change."""
        status, told, said = run_it("lib/policies/scheduler/two_level.c:32", "--suites", "base")
        self.assertIn("reached by no test", told[0], said)
        self.assertEqual(status, 1)


if __name__ == "__main__":
    unittest.main()
