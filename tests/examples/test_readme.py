# SPDX-License-Identifier: BSD-2-Clause
"""README.md says what is so; lib/policies/README.md lists what there is (`--write`: make it so)."""

import os
import re
import shlex
import sys
import tempfile
import unittest

import gpucache
from support import ROOT, run

README = (ROOT / "README.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def table(heading):
    """First column of the first table after a text."""
    rows = README[README.index(heading) :].split("\n\n| ", 1)[1].split("\n\n", 1)[0]
    return re.findall(r"^(?:\| )?`([^`]+)` \|", rows, re.MULTILINE)


class Readme(unittest.TestCase):
    def test_excerpts_are_the_examples(self):
        for language, ending in (("c", ".c"), ("python", ".py")):
            sources = [path.read_text() for path in (ROOT / "examples").glob("*" + ending)]
            self.assertTrue(blocks(language))
            for block in blocks(language):
                self.assertTrue(any(block in source for source in sources), block)

    def test_output_of_commands(self):
        """Of a block that begins with a command, the lines that are shown."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "bindings" / "python"), XDG_CACHE_HOME=folder.name)
        shown = re.findall(r"^```\n\$ python3 (.*)\n((?:.*\n)*?)```$", README, re.MULTILINE)
        self.assertGreater(len(shown), 1)
        for command, text in shown:
            printed = run(sys.executable, *shlex.split(command), env=environment, cwd=ROOT).splitlines()
            with self.subTest(command):
                self.assertEqual({line for line in text.splitlines() if line not in printed} - {"..."}, set())

    def test_presets(self):
        self.assertEqual(table("## Presets"), [preset.name for preset in gpucache.presets()])

    def test_links_and_folders_are_there(self):
        paths = [path for path in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in path]
        paths += [path for cell in re.findall(r"^\| (`[^|]*`) \|", README[README.index("## Layout") :], re.MULTILINE)
                  for path in re.findall(r"`([^`]+)`", cell)]
        self.assertGreater(len(paths), 10)
        self.assertEqual([path for path in paths if not (ROOT / path).exists()], [])


POLICIES = ROOT / "lib" / "policies" / "README.md"
KINDS = ("Named in `l1.replacement`", "named in `l1.bypass`", "named in `scheduler`:", "after a `+`",
         "named in `coherence`:")  # fmt: skip


def policies_written():
    """lib/policies/README.md with the tables that the command prints, each after the text of its kind."""
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "bindings" / "python"))
    printed = run(sys.executable, "-m", "gpucache", "policies", "--markdown", env=environment)
    text = POLICIES.read_text()
    for heading, table in zip(KINDS, printed.strip().split("\n\n"), strict=True):
        start = text.index("\n\n| ", text.index(heading)) + 2
        end = text.find("\n\n", start)
        text = text[:start] + table + (text[end:] if end >= 0 else "\n")
    return text


class Policies(unittest.TestCase):
    def test_tables(self):
        self.assertEqual(POLICIES.read_text(), policies_written(), "see python3 tests/examples/test_readme.py --write")

    def test_every_policy_is_in_a_table(self):
        context = gpucache.Context()
        listed = re.findall(r"^\| `([^`]+)` \|", POLICIES.read_text(), re.MULTILINE)
        self.assertEqual(listed, [policy.name for kind in gpucache.PolicyKind for policy in context.policies(kind)])


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        POLICIES.write_text(policies_written())
    else:
        unittest.main()
