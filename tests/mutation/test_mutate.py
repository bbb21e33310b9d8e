# SPDX-License-Identifier: BSD-2-Clause
"""The mutation run, on a file of which one change is noticed, one survives, and one is the other's reason."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from support import ROOT

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import mutate  # noqa: E402

CODE = """/* 1 + 1 */
#define LIMIT 10
int clamp(int x);
int clamp(int x) {
    return x > 10 ? 10 : x;
}
"""
TEST = """int clamp(int x);
int main(void) { return clamp(11) != 10 || clamp(3) != 3; }
"""


class Mutate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "tree/lib").mkdir(parents=True)
        (self.folder / "tree/lib/clamp.c").write_text(CODE)
        (self.folder / "tree/test.c").write_text(TEST)
        self.reasons = self.folder / "reasons.txt"

    def run_it(self, *options):
        """Exit status and what was printed."""
        done = subprocess.run(
            [sys.executable, ROOT / "tests/mutation/mutate.py", "lib/clamp.c", "--tree", self.folder / "tree",
             "--build-command", "cc -o t lib/clamp.c test.c", "--test-command", "./t", "--explained", self.reasons,
             *options],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout.splitlines()

    def test_killed_and_survived(self):
        status, told = self.run_it("--jobs", "2")
        survivor = "survived lib/clamp.c:5: return x > 10 ? 10 : x; [> -> >=, 1]"
        self.assertEqual(told[:-1], [survivor])
        self.assertEqual(
            told[-1], "3 changes: 2 killed, 1 survived (33.3 %), 0 explained; beside them 0 the same code, "
            "0 that do not compile")  # fmt: skip
        self.assertEqual(status, 1)
        self.assertEqual((self.folder / "tree/lib/clamp.c").read_text(), CODE)
        self.assertEqual(self.run_it("--most", "40")[0], 0)

    def test_explained(self):
        self.reasons.write_text("# why\nlib/clamp.c: return x > 10 ? 10 : x; [> -> >=, 1]\n    10 is 10.\n    Twice.\n")
        self.assertEqual(next(iter(mutate.explanations(self.reasons).values())), "10 is 10. Twice.")
        status, told = self.run_it()
        self.assertIn("2 killed, 0 survived (0.0 %), 1 explained", told[-1])
        self.assertEqual(status, 0)

    def test_what_is_changed(self):
        found = mutate.mutants_of("a.c", 'x = y *z + *p->q << 2; /* 3 */ s = "4 < 5"; i++; f(!a, 0x0f, 1.5f, true);\n')
        self.assertEqual(
            [(each.old, each.new) for each in found],
            [("+", "-"), ("<<", ">>"), ("2", "3"), ("++", "--"), ("!", ""), ("0x0f", "0x10"), ("true", "false")],
        )

    def test_samples_are_the_same(self):
        words = [sys.executable, mutate.__file__, "lib/dram", "--sample", "9", "--list", "--seed"]
        lists = [subprocess.run([*words, seed], capture_output=True, text=True, check=True).stdout for seed in "112"]
        self.assertEqual(lists[0], lists[1])
        self.assertNotEqual(lists[0], lists[2])
        self.assertEqual(len(lists[0].splitlines()), 9)

    def test_explanations_are_of_what_there_is(self):
        """A reason whose line has changed is to be written anew, or dropped."""
        for key, reason in mutate.explanations().items():
            path = key.partition(":")[0]
            with self.subTest(key):
                self.assertTrue(reason)
                self.assertIn(key, [each.key for each in mutate.mutants_of(path, (ROOT / path).read_text())])


if __name__ == "__main__":
    unittest.main()
