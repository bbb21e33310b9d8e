# SPDX-License-Identifier: BSD-2-Clause
"""The file of claims, its loader, and the page made from claims."""

import json
import os
import re
import shlex
import unittest

from harness import ROOT, TemporaryCase
from test_reproduce import Made, by_limit

from gpucache.cli import parser
from gpucache.cli.reproduce import chosen
from gpucache.reproduce import EXPERIMENTS, Bench, Runs, Verdicts, _claims, _model, _page, keep, last_claims

ENTRY = {"experiment": "x:1", "verdict": "open", "why": "Not run."}


class File(TemporaryCase):
    def load(self, *entries, **more):
        path = self.path("claims.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"schema": 1, "claims": entries, **more}, file)
        return _claims.load(path)

    def test_errors(self):
        """File, entry, experiment and key."""
        for entry, message in (
            ({**ENTRY, "kind": "hope"}, r"kind: 'hope' is none of result, ordering, curve, expectation"),
            ({**ENTRY, "verdict": "bad"}, r"verdict: 'bad' is none of program, input, machine, "),
            ({**ENTRY, "reason": "a"}, r"reason: unknown; known are experiment, subject, "),
            ({**ENTRY, "what": []}, r"what: has to be a pattern, or a list of patterns"),
            ({**ENTRY, "what": ["a", 1]}, r"what: has to be a pattern"),
            ({**ENTRY, "section": ""}, r"section: has to be a text, and not empty"),
            ({"experiment": "x:1"}, r"verdict: is missing, as are kind and section"),
            ({"experiment": "x:1", "kind": "result", "why": "a"}, r"why: is for entries with a verdict"),
            ({"experiment": "x:1", "verdict": "open"}, r"why: is missing beside the verdict 'open'"),
            ({**ENTRY, "verdict": "machine"}, r"command: is missing: a run has to show the verdict 'machine'"),
            ({**ENTRY, "verdict": "unknown"}, r"missing: names the lacking fact of the verdict 'unknown'"),
            ({**ENTRY, "missing": "a"}, r"missing: names the lacking fact of the verdict 'unknown'"),
        ):  # fmt: skip
            with self.subTest(entry=entry), self.assertRaisesRegex(
                _claims.ClaimsError, rf"claims\.json: entry 2 \(x:1\): {message}"
            ):
                self.load(ENTRY, entry)
        for entry, message in (({"kind": "result"}, "entry 1: experiment: is missing"), (5, "entry 1: has to be an object")):
            with self.assertRaisesRegex(_claims.ClaimsError, message):
                self.load(entry)
        for more, message in (({"schema": 2}, "schema: has to be 1"), ({"claims": {}}, "claims: has to be a list")):
            with self.assertRaisesRegex(_claims.ClaimsError, message):
                self.load(**more)
        with open(self.path("claims.json"), "w", encoding="utf-8") as file:
            file.write("{")
        with self.assertRaisesRegex(_claims.ClaimsError, r"claims\.json: "):
            _claims.load(self.path("claims.json"))

    def test_the_last_entry_decides(self):
        """Kind and section each, and a verdict with its reason as a whole."""
        claims = self.load({"experiment": "x:*", "section": "1", "verdict": "machine", "why": "a", "command": "b"},
                           {"experiment": "x:1", "subject": ["A", "B*"], "kind": "curve"},
                           {"experiment": "x:1", "what": "t*", "section": "2"},
                           {"experiment": "x:1", "subject": "BB", "verdict": "unknown", "why": "c", "missing": "d"})  # fmt: skip
        for name, subject, what, found in (
            ("x:1", "A", "s", ("curve", "1", "machine", "a", "b", "", 1)),
            ("x:1", "BB", "t", ("curve", "2", "unknown", "c", "", "d", 4)),
            ("x:2", "A", "t", ("result", "1", "machine", "a", "b", "", 1)),
            ("y:1", "A", "t", ("result", "", "", "", "", "", 0)),
        ):
            self.assertEqual(claims.judge(name, _model.count(subject, what, 1, 2)), found)
        self.assertEqual(claims.judge("x:1", _model.count("BB", "t", 1, 1)), ("curve", "2", "", "", "", "", 0))
        self.assertEqual(claims.judge("x:1", _model.count("BB", "t", 1, 2)).reason, "unknown: c Missing: d.")


    def test_without_effect(self):
        """A reason is told if its claims agree, or if a later entry has them; not if they have not run."""
        reason = {"verdict": "open", "why": "a"}
        claims = self.load({"experiment": "x:*", **reason}, {"experiment": "x:1", "section": "1"},
                           {"experiment": "x:1", "subject": ["A", "B"], **reason},
                           {"experiment": "x:1", "subject": "B", **reason}, {"experiment": "x:1", "subject": "C", **reason},
                           {"experiment": ["x:2", "x:3"], **reason})  # fmt: skip
        known = [("x:1", _model.count("A", "n", 1, 1)), ("x:1", _model.count("B", "n", 1, 2)),
                 ("x:1", _model.missing("C", "n", "1", "")), ("x:2", _model.count("D", "n", 1, 1))]  # fmt: skip
        self.assertEqual([entry.number for entry in claims.without_effect(known)], [3, 6])
        known.append(("x:1", _model.count("A", "n", 1, 3)))
        self.assertEqual([entry.number for entry in claims.without_effect(iter(known))], [6])


class AllClasses(Made):
    """Runs whose profiles have loads of 1 to 13 transactions."""

    @classmethod
    def profile(cls, preset, source):
        facts = super().profile(preset, source)
        return facts._replace(classes=[[n, 1.0, 0.5, 1.0] for n in range(1, 14)])


class Installed(unittest.TestCase):
    """The package's file."""

    def setUp(self):
        self.claims = _claims.load()

    def test_each_entry_is_for_a_claim(self):
        made = [(experiment.name, claim) for experiment in EXPERIMENTS
                for runs in (Made(by_limit), AllClasses(by_limit)) for claim in experiment.claims(Bench(runs))]  # fmt: skip
        used = {entry.number for name, claim in made for entry in self.claims.matching(name, claim)}
        self.assertEqual([entry for entry in self.claims.entries if entry.number not in used], [])

    def test_commands(self):
        """Options, experiments and programs of the package exist, and so do scripts."""
        for command in sorted({entry.command for entry in self.claims.entries} - {""}):
            with self.subTest(command=command):
                first, *rest = shlex.split(command)
                if first == "python3":
                    self.assertTrue(os.path.isfile(os.path.join(ROOT, rest[0])))
                    continue
                options = parser(first).parse_args([first, *rest])
                if first == "reproduce":
                    self.assertTrue(chosen(options.names, options.program))


class Kept(unittest.TestCase):
    """bench/CLAIMS.md, made by the command."""

    def test_shape(self):
        """Today's words and experiments, and few lines."""
        with open(os.path.join(ROOT, "bench", "CLAIMS.md"), encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith(_page.HEAD), "make it again: reproduce --kept --page bench/CLAIMS.md")
        self.assertLessEqual(text.count("\n"), 300)
        listed = re.findall(r"^\| `(\d+:[^`]+)` \|", text, flags=re.MULTILINE)
        self.assertEqual(listed, [each.name for each in EXPERIMENTS if each.name in listed], "in order, and none is gone")
        self.assertGreater(len(listed), 40)

    def test_sums_in_the_readme(self):
        """Sums of all documents are the page's."""
        found = []
        for name in ("CLAIMS.md", "README.md"):
            with open(os.path.join(ROOT, "bench", name), encoding="utf-8") as file:
                found.append(file.read())
        claims, *sums, lacking, left = re.search(r"\n\| all \|([ \d|]+)\|", found[0]).group(1).split("|")[:8]
        self.assertEqual(int(lacking), 0, "each difference has a verdict")
        numbers = re.search(r"Of (\d+) claims that ran, (\d+) are reproduced, (\d+) refuted, (\d+) of "
                            r"another program, input or machine, (\d+) open, and (\d+) cannot be known",
                            " ".join(found[1].split()))  # fmt: skip
        self.assertEqual(list(map(int, numbers.groups())), [int(claims) - int(left), *map(int, sums)])


class Page(TemporaryCase):
    CLAIMS = [_model.count("A", "n", 1, 1), _model.count("B", "n", 1, 2), _model.count("C", "n", 1, 3),
              _model.ratio("A", "gain", 2, 3), _model.ratio("B", "gain", 3, 4), _model.missing("A", "gone", "1", "why"),
              _model.holds("A", "hope | fear", "yes", "no", False), _model.told("A", "left open", "1")]  # fmt: skip

    def test_golden(self):
        """Two experiments, of which one has run: sums, agreeing claims as numbers, a line for each reason."""
        experiments = [_model.Experiment("000:a", "A title", None, ("B", "C")), _model.Experiment("000:b", "Another", None)]
        claims = _claims.Claims([
            _claims.Entry(1, (("000:a",), ("*",), ("n",)), "", "4", "open", "Not run.", "", ""),
            _claims.Entry(2, (("000:a",), ("*",), ("gain",)), "", "5", "unknown", "It is lost.", "run x", "a size"),
            _claims.Entry(3, (("000:a",), ("*",), ("hope*",)), "expectation", "7", "", "", "", ""),
        ])  # fmt: skip
        found = {"000:a": (Verdicts("000:a", False, {}, "c0ffee", "b", "2026-11-30", 1, 5, 1), self.CLAIMS)}
        told = _page.page(_page.judged(experiments, found, claims))
        self.assertTrue(told.startswith("# The documents' claims\n\n"))
        tables = [line for line in told.splitlines() if line.startswith(("|", "##"))]
        self.assertEqual(tables, [line for line in GOLDEN.splitlines() if line])

    def test_claims_of_programs(self):
        """Calls for single programs stand together until a whole call."""
        experiment = _model.Experiment("x:1", "", None)
        with Runs(self.path("runs")) as runs:
            keep(runs.results, experiment, self.CLAIMS, False, {}, ("B", "A"))
            keep(runs.results, experiment, self.CLAIMS[2:3], False, {}, ("C",))
            (_, claims), = last_claims(runs.results, False, lambda name: {}).values()
            self.assertEqual(claims, sorted(self.CLAIMS, key=lambda claim: claim.subject))
            keep(runs.results, experiment, self.CLAIMS[:1], False, {})
            (_, claims), = last_claims(runs.results, False, lambda name: {}).values()
            self.assertEqual(claims, self.CLAIMS[:1])

    def test_last_claims(self):
        """The last whole call of any library; not a quick one, and not with other settings."""
        experiment = _model.Experiment("x:1", "", None)
        with Runs(self.path("runs")) as runs:
            keep(runs.results, experiment, self.CLAIMS, False, {})
            runs.results.build = "another"
            keep(runs.results, experiment, self.CLAIMS[:1], False, {})
            keep(runs.results, experiment, [], True, {})
            keep(runs.results, experiment, [], False, {"k": "v"})
        with Runs(self.path("runs")) as runs:
            (verdicts, claims), = last_claims(runs.results, False, lambda name: {}).values()
        self.assertEqual((claims, verdicts.build), (self.CLAIMS[:1], "another"))
        self.assertIsInstance(claims[0], _model.Claim)


GOLDEN = r"""
| document | claims | reproduced | refuted | of another program, input, machine | open | cannot be known | no verdict | not run | of those run | expectations met |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| seeds/000 | 6 | 1 | 0 | 0 | 2 | 2 | 0 | 1 | 20 % | 0 of 1 |
| all | 6 | 1 | 0 | 0 | 2 | 2 | 0 | 1 | 20 % | 0 of 1 |
| kind |  | agree | differ | not run |
| --- | --- | ---: | ---: | ---: |
| result | a number found by the document | 1 | 4 | 1 |
| ordering | a comparison in words | 0 | 0 | 0 |
| curve | words on a curve without numbers | 0 | 0 | 0 |
| expectation | a hope or an assumption of the document, not counted | 0 | 1 | 0 |
| verdict |  | claims |
| --- | --- | ---: |
| program | the document's program is another, or compiled in another way | 0 |
| input | the program's input or size is another | 0 |
| machine | the document's machine or policy is another | 0 |
| definition | the document's figure has another meaning | 0 |
| document | the document contradicts itself | 0 |
| unknown | cannot be known: the document, or its sources, lack a fact | 2 |
| open | no run has shown the cause | 2 |
## seeds/000: Adaptive GPU Cache Bypassing (2021)
| table or figure |  | agree | differ | not run | expectations | library |
| --- | --- | ---: | ---: | ---: | ---: | --- |
| `000:a` | A title | 1 | 4 | 1 | 1 | c0ffee, 2026-11-30 |
| `000:b` | Another |  |  |  |  | not run |
| section | claims | verdict | command |
| --- | --- | --- | --- |
| 4 | n: 1 → B 2, C 3 | open: Not run. | `reproduce 000:a --program B --program C` |
| 5 | gain: A 2 → 3, B 3 → 4 | unknown: It is lost. Missing: a size. | `run x` |
| section | expectations, not counted |  |
| --- | --- | --- |
| 7 | hope \| fear: A yes → no | not met |
"""


if __name__ == "__main__":
    unittest.main()
