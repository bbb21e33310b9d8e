# SPDX-License-Identifier: BSD-2-Clause
"""README.md says what is so."""

import re
import unittest

import gpucache
from support import ROOT

README = (ROOT / "README.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def table(heading):
    """First column of the first table after a text."""
    rows = README[README.index(heading) :].split("\n\n| ", 1)[1].split("\n\n", 1)[0]
    return re.findall(r"^(?:\| )?`([^`]+)` \|", rows, re.MULTILINE)


class Readme(unittest.TestCase):
    def test_excerpts_are_the_examples(self):
        for language, path in (("c", "examples/embed_host.c"), ("python", "examples/policy.py")):
            source = (ROOT / path).read_text()
            self.assertTrue(blocks(language))
            for block in blocks(language):
                self.assertIn(block, source)

    def test_presets(self):
        self.assertEqual(table("## Presets"), [preset.name for preset in gpucache.presets()])

    def test_policies(self):
        context = gpucache.Context()
        for heading, kind in (
            ("Named in `l1.replacement`", gpucache.PolicyKind.REPLACEMENT),
            ("named in `l1.bypass`", gpucache.PolicyKind.PREDICTOR),
            ("named in `scheduler`", gpucache.PolicyKind.SCHEDULER),
        ):
            names = sorted(policy.name for policy in context.policies(kind))
            self.assertEqual(sorted(table(heading)), names)

    def test_links_and_folders_are_there(self):
        paths = [path for path in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in path]
        paths += [path for cell in re.findall(r"^\| (`[^|]*`) \|", README[README.index("## Layout") :], re.MULTILINE)
                  for path in re.findall(r"`([^`]+)`", cell)]
        self.assertGreater(len(paths), 10)
        self.assertEqual([path for path in paths if not (ROOT / path).exists()], [])


if __name__ == "__main__":
    unittest.main()
