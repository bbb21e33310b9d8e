# SPDX-License-Identifier: BSD-2-Clause
"""Comments and READMEs are in plain words (prose.py)."""

import pathlib
import tempfile
import unittest

import prose


class Prose(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found, cls.broken = prose.measure(prose.sources())

    def test_every_folder(self):
        self.assertGreater(len(self.found), 100)
        self.assertGreater(sum(each.words for each in self.found.values()), 200_000)
        self.assertEqual(prose.above(self.found), [])

    def test_every_comment(self):
        self.assertEqual(self.broken, [])


class Limits(unittest.TestCase):
    """Files above a limit, and files at the limit."""

    def measured(self, **texts):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        files = []
        for name, text in texts.items():
            files.append(root / "lib" / name.replace("_", "."))
            files[-1].parent.mkdir(exist_ok=True)
            files[-1].write_text(text)
        return prose.measure(files, root)

    def test_pointing_words(self):
        """3 of 40 words are 7.5 %, 4 are too many; strings, code and short comments do not count."""
        for pointing in (3, 4):
            words = " ".join(["packet"] * (40 - pointing) + ["it"] * pointing)
            for name, text in (("a_c", f'/* {words} */\nchar *s = "it it it it it";\nint it; /* it */\n'),
                               ("a_py", f'"""{words}"""\ns = "it it it it it"\nit = 1  # it\n'),
                               ("README_md", f"{words}.\n\n```\nit it it it it\n```\n| it it it it |\n")):  # fmt: skip
                with self.subTest(name=name, pointing=pointing):
                    found, broken = self.measured(**{name: text})
                    (row,) = found.values()
                    self.assertEqual((row.words, row.pointing, broken), (40, pointing, []))
                    said = [line for line in prose.above(found) if "pointing" in line]
                    self.assertEqual(len(said), pointing - 3, said)

    def test_first_words(self):
        for text in ("Of a module: its lines.", "that a packet waits for", "Which entries are free."):
            _, broken = self.measured(a_c=f"int a; /* {text} */\n", b_py=f"# {text}\n# The next line.\n")
            self.assertEqual([line.split(": ")[0] for line in broken], ["lib/a.c:1", "lib/b.py:1"])
        _, broken = self.measured(a_c="/* 8 of the lines are free. */\n", b_py="# Lines of a module\n# that are free\n")
        self.assertEqual(broken, [])

    def test_persons(self):
        _, broken = self.measured(a_h="/* Packets nobody waits for. */\n/* See He et al., Section 2. */\n")
        self.assertEqual(broken, ["lib/a.h:1: 'nobody' in lib: Packets nobody waits for."])

    def test_sentences(self):
        """20 words a sentence on average are the limit in a README; comments are free."""
        for words, most in ((20, 0), (21, 1)):
            text = " ".join(["word"] * words) + ". " + " ".join(["word"] * 20) + "."
            found, _ = self.measured(README_md=text, a_c=f"/* {text} {text.replace('.', '')} */\n")
            self.assertEqual(len(prose.above(found)), most)


if __name__ == "__main__":
    unittest.main()
