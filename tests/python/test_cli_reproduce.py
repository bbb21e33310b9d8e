# SPDX-License-Identifier: BSD-2-Clause
"""The command `reproduce`: names, programs, settings, kept runs."""

import json
import unittest

from harness import TemporaryCase, command

from gpucache.reproduce import EXPERIMENTS, _bench


class Command(TemporaryCase):
    def done(self, *arguments, status=0, message=""):
        found = command("reproduce", *arguments)
        self.assertEqual(found.returncode, status, found.stderr)
        self.assertIn(message, found.stderr)
        return found.stdout

    def test_list(self):
        lines = self.done("--list").splitlines()
        self.assertEqual([line.split()[0] for line in lines[1:]], [each.name for each in EXPERIMENTS])

    def test_unknown(self):
        self.done("004:figure-9.*", status=1, message="no table or figure is named '004:figure-9.*'")

    def test_program(self):
        """Only the program's claims, no table without the program, and no summary of these kept."""
        cache, target = self.path("runs"), self.path("claims.json")
        said = self.done("--quick", "--program", "KMN", "--cache", cache, "--json", target, "004:figure-4.*", "004:figure-5.1")
        with open(target, encoding="utf-8") as file:
            experiments = json.load(file)["experiments"]
        self.assertEqual([each["name"] for each in experiments], ["004:figure-4.3"])
        claim, = experiments[0]["claims"]
        self.assertEqual((claim["subject"], claim["kind"]), ("KMN", "result"))
        self.assertIn("KMN  L1 misses", said)
        self.assertEqual(self.done("--kept", "--cache", cache).splitlines()[1:], [])
        page = self.path("page.md")
        self.done("--kept", "--quick", "--cache", cache, "--page", page)
        with open(page, encoding="utf-8") as file:
            self.assertRegex(file.read(), r"`004:figure-4.3` .*, 1 of 2 programs \|")
        self.done("--program", "KNM", "004:*", status=1, message="no program of these tables and figures is named 'KNM': 2DCONV, 3DCONV, 3MM, ATAX")

    def test_set(self):
        self.done("--set", "l1.index=xor", "001:figure-3", status=1, message="--set is for tables and figures of seeds/002 and 004")
        self.done("--set", "l1.index", "004:figure-4.3", status=2, message="'l1.index' is not key=value")
        self.done("--set", "l1.indx=xor", "--quick", "--cache", self.path("runs"), "004:figure-4.3", status=1, message="l1.indx")

    def test_quick(self):
        cache, target = self.path("runs"), self.path("claims.json")
        first = self.done("--quick", "--cache", cache, "--json", target, "004:figure-4.3")
        self.assertRegex(first, r"KMN  L1 misses, all warps \(5.4.1.1\) +94 % +\d+\.\d % +(yes|no  unknown: .*)\n")
        self.assertRegex(first, r"Preset gtx480-gpgpusim where no other is named, for seeds/004 with l1.index=xor "
                                r"l1.index_bits=6 l2.index=xor l2.interleave=hash; quick programs; [1-9]\d* runs, and 0 known from .*runs\n")  # fmt: skip
        with open(target, encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual([each["name"] for each in document["experiments"]], ["004:figure-4.3"])
        claim, = document["experiments"][0]["claims"]
        self.assertEqual((claim["subject"], claim["theirs"]), ("KMN", "94 %"))
        self.assertEqual(document["experiments"][0]["settings"], _bench.HASHED)
        row, alike = self.done("--kept", "--cache", cache).splitlines()[1:]
        self.assertRegex(row, r"^004:figure-4.3 +[01] +[01] +0 .* quick l1.index=xor l1.index_bits=6 l2.index=xor l2.interleave=hash$")
        self.assertRegex(alike, "^all of these ")
        self.assertEqual(self.done("--kept", "--cache", cache, "004:table-4.1").splitlines()[1:], [])
        kept_rows = json.loads(self.done("--kept", "--cache", cache, "--json", "-"))["verdicts"]
        self.assertEqual([each["name"] for each in kept_rows], ["004:figure-4.3"])
        page = self.path("page.md")
        self.done("--kept", "--quick", "--cache", cache, "--page", page)
        with open(page, encoding="utf-8") as file:
            self.assertRegex(file.read(), r"\| seeds/004 \| 1 \|")
        again = self.done("--quick", "--cache", cache, "004:figure-4.3", "004:figure-4.3")
        self.assertRegex(again, r"; 0 runs, and [1-9]\d* known from ")
        self.assertEqual(again.split("\n\n")[0], first.split("\n\n")[0])


if __name__ == "__main__":
    unittest.main()
