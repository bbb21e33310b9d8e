# SPDX-License-Identifier: BSD-2-Clause
"""A newcomer's first steps: one GPU by default, a pipe as a trace, and texts that name the choices."""

import json
import os
import re
import subprocess
import sys
import unittest

from harness import ROOT, TemporaryCase, command, environment

import gpucache

SOURCE = "synthetic:bicg:64KiB"
CSV = """kernel,block,warp,pc,kind,width,mask,address
copy,0,0,0x10,load,4,0x3,0x1000 0x1004
copy,0,0,0x20,load,4,0x3,0x1000 0x1004
copy,0,0,0x30,store,4,0x3,0x2000 0x2004
"""


class Defaults(TemporaryCase):
    def test_one_gpu_by_default(self):
        (row,) = gpucache.compare(["lru"], [SOURCE], jobs=1)
        found = command("compare", SOURCE, "--policies", "lru", "--json", "-")
        self.assertEqual(found.returncode, 0, found.stderr)
        document = json.loads(found.stdout)
        run = json.loads(command("run", SOURCE, "--json", "-").stdout)
        hits = {document["runs"][0]["stats"]["l1.load_sector_hits"], run["total"]["l1.load_sector_hits"]}
        self.assertEqual(hits, {row.stats["l1.load_sector_hits"]})
        self.assertEqual({document["preset"], run["preset"]}, {"h100"})

    def test_every_table_names_it(self):
        for words in (("run", SOURCE), ("compare", SOURCE, "--policies", "lru,fifo")):
            shown = command(*words).stdout
            self.assertIn("preset h100, functional", shown.splitlines()[0], words)


class Ways(TemporaryCase):
    def test_a_pipe_is_a_trace(self):
        done = subprocess.run(
            [sys.executable, "-m", "gpucache", "run", "/dev/stdin", "--json", "-"], input=CSV, env=environment(),
            capture_output=True, text=True,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        (kernel,) = json.loads(done.stdout)["kernels"]
        self.assertEqual(kernel["name"], "copy")
        self.assertEqual((kernel["stats"]["l1.load_requests"], kernel["stats"]["l1.load_sector_hits"]), (2, 1))


class Texts(unittest.TestCase):
    @staticmethod
    def text(*names):
        with open(os.path.join(ROOT, *names), encoding="utf-8") as file:
            return file.read()

    def test_the_library_and_traces_are_told_of(self):
        told = self.text("bindings", "python", "README.md")
        for words in ("`GPUCACHE_LIBRARY`", "## How to get a trace", "pip install ./bindings/python", "hierarchy.record("):
            self.assertIn(words, told)

    def test_pictures_are_there(self):
        pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", self.text("README.md"))
        self.assertGreaterEqual(len(pictures), 2)
        for picture in pictures:
            self.assertIn("<svg", self.text(picture)[:200])


if __name__ == "__main__":
    unittest.main()
