# SPDX-License-Identifier: BSD-2-Clause
"""coherence verify: tables from files, the findings, and counterexamples that show the findings at run time."""

import json
import os
import re
import shlex
import unittest

from harness import ROOT, TemporaryCase, command

import gpucache
from gpucache import counterexample, scenarios, tables, verification
from gpucache.verification import System

EXAMPLE = os.path.join(ROOT, "examples", "protocol.json")


class Case(TemporaryCase):
    def saved(self, value, name="table.json"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(value if isinstance(value, str) else json.dumps(value, indent=2))
        return path

    def changed(self, of, place, state, event, cell, name="broken"):
        return self.saved({"name": name, "of": of, place: {state: {event: cell}}})


class Tables(Case):
    def message(self, table):
        with self.assertRaises(tables.TableError) as caught:
            tables.load(self.context, table)
        return str(caught.exception)

    def test_from_json_python_and_by_name(self):
        self.assertEqual(tables.load(self.context, "mesi"), "mesi")
        self.assertEqual(tables.load(self.context, EXAMPLE), "handover")
        rule = self.context.protocol("handover").rule("first", "M", "read_probe")
        self.assertEqual(rule.actions, gpucache.DoBits.SEND_DATA | gpucache.DoBits.WRITE_BACK)
        path = self.saved(
            "import gpucache\n\ndef protocol(context):\n    tables = context.protocol('mesi').tables()\n"
            "    tables['first']['E']['eviction'] = ('notify', 'I')\n"
            "    return gpucache.Protocol('loud', **tables, flags='directory|peer')\n", "table.py"
        )  # fmt: skip
        self.assertEqual(tables.load(self.context, path), "loud")

    def test_a_table_survives_being_written(self):
        for name in ("msi", "nmoesi", "vi", "slc-glc", "nmoesi-multi2sim"):
            of = self.context.protocol(name)
            value = dict(tables.as_json(of), name=f"my-{name}")
            tables.registered(self.context, tables.protocol_of(self.context, value, "here"))
            again = self.context.protocol(f"my-{name}")
            self.assertEqual(again.tables(), of.tables())
            for field in ("flags", "letters", "pass_loads", "pass_stores", "through_stores"):
                self.assertEqual(getattr(again, field), getattr(of, field), f"{name}: {field}")

    def test_what_is_wrong_is_named_with_file_line_and_cell(self):
        def table(**fields):
            return {"name": "broken", "of": "moesi", **fields}

        cell = r"table\.json:6: first, S, store: "
        for value, message in (
            (table(first={"S": {"store": ["hit", "Q"]}}), cell + "'Q' is no state, of N, M, O, E, S, I"),
            (table(first={"S": {"store": "hit"}}), cell + r"\"hit\" is not \[actions, next\] or"),
            (table(first={"S": {"store": None}}), cell),
            (table(first={"S": {"store": ["hit|forbid", "M"]}}), cell),
            (table(first={"S": {"sotre": ["hit", "M"]}}), r"table\.json:6: first, S: 'sotre' is no event, of load, "),
            (table(first={"X": {"store": ["hit", "M"]}}), r"table\.json:5: first: 'X' is no state"),
            (table(first={"S": {"write_probe": ["ignore", "S"]}}),
             r"table\.json:6: first, S, write_probe: the block is to go"),
            (table(fist={}), r"table\.json:4: key 'fist' is none of name, of, "),
            (table(of="mosaic"), r"table\.json:3: key 'of': no protocol 'mosaic', of none, msi, "),
            (table(name="moesi"), "table.json: .*moesi"),
            ({"name": "broken", "memory": {}}, "key 'first' is missing"),
            ({"of": "moesi"}, "key 'name' is missing"),
            ('{"name": "broken",\n "of" "moesi"}', r"table\.json:2: no JSON: .*column 7"),
        ):  # fmt: skip
            with self.subTest(message):
                self.assertRegex(self.message(self.saved(value)), message)
        self.assertRegex(self.message(self.saved("protocol = 7\n", "table.py")), "it has no `protocol`")
        self.assertRegex(self.message("mosaic"), "no protocol 'mosaic', of none, msi, .*, and no such file")

    def test_of_the_command(self):
        done = command("coherence", "verify", self.saved({"name": "x", "of": "moesi", "firts": {}}))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"^gpucache: .*table\.json:4: key 'firts' is none of")


class Library(Case):
    def test_families(self):
        names, systems = verification.trees(), verification.systems()
        self.assertEqual(len(set(systems)), len(systems))
        self.assertLessEqual({system.tree for system in systems}, set(names))
        self.assertIn("2 loose L2, room above", names)

    def test_found(self):
        found = verification.verify(self.context, "moesi", System("2 over memory", 1, 1, 1))
        self.assertEqual((found.verdict.name, found.limit.name, found.text, found.steps), ("PASSED", "ALL", "", []))
        self.assertTrue(found.symmetric and found.states < found.edges)
        found = verification.verify(self.context, "nmoesi-multi2sim", "2 over L2")
        self.assertEqual(found.wrong, (0x1000, None, 0))
        self.assertEqual([step.text for step in found.steps], ["m0 store A[0]=1", "m1 load A", "m2 flush"])

    def test_progress_and_its_end(self):
        seen = []

        def show(progress):
            seen.append(progress)
            return len(seen) < 3

        found = verification.verify(self.context, "mesi", System("3 over memory", 2, 1, 1), on_progress=show,
                                    interval=20)  # fmt: skip
        self.assertEqual((found.verdict.name, found.limit.name, len(seen)), ("PASSED", "LIMIT_CANCELLED", 3))
        self.assertEqual([each.states for each in seen], sorted(each.states for each in seen))

        def fail(progress):
            raise KeyError("enough")

        with self.assertRaises(KeyError):
            verification.verify(self.context, "mesi", on_progress=fail, interval=1)

    def test_a_held_tree(self):
        with verification.SystemTree(self.context, "moesi", System("2 over memory")) as tree:
            tree.hold()
            tree.issue("m0", "store", 0x1000, data=b"\1")
            tree.advance(0)
            choice = tree.choices()[0]
            self.assertEqual((choice.message.name, choice.source, choice.target), ("WRITE_REQUEST", "m0", "m2"))
            self.assertRaises(gpucache.RangeError, tree.choose, 1)
            while tree.choices():
                tree.choose(0)
            self.assertEqual(tree.line("m0", 0x1000).state, "M")
            self.assertIsNone(tree.check(0x1000, 8))


class Command(Case):
    def verified(self, *arguments):
        """(finding, output of the counterexample's run)."""
        path = os.path.join(self.folder, "counterexample.json")
        done = command("coherence", "verify", *arguments, "--output", path)
        self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout)
        replayed = command("coherence", path, "--steps")
        self.assertEqual(replayed.returncode, 1, replayed.stdout + replayed.stderr)
        return done.stdout, replayed.stdout

    def test_built_in_protocols_pass(self):
        for name in ("msi", "nmoesi", "vi"):
            done = command("coherence", "verify", name, "--states", "300")
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            lines = done.stdout.splitlines()
            self.assertRegex(lines[1], r"^2 over memory +1 +2  one at a time +\d+ +[\d,]+ +\d+  passed")
            self.assertGreater(len(lines), 15)

    def test_systems_by_option(self):
        done = command("coherence", "verify", EXAMPLE, "--trees", "2-over-L2,2-L2-of-1, memory-of-1", "--blocks", "2",
                       "--in-flight", "2", "--overlapping", "--latencies", "--queue", "1",
                       "--states", "200")  # fmt: skip
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([re.split(r"  +", line)[:4] for line in done.stdout.splitlines()[1:]], [
            ["2 over L2", "2", "1", "2 in flight"], ["2 L2 of 1, memory of 1", "2", "1", "2 in flight"],
        ])  # fmt: skip
        for arguments, message in (
            (("--trees", "an-oak"), "no tree 'an-oak', of 2 over memory; "), (("--in-flight", "5"), "not 1 to 4"),
            (("--memory", "much"), "not a number of bytes"), (("--channels", "2"), "invalid choice"),
        ):  # fmt: skip
            done = command("coherence", "verify", "moesi", *arguments)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(message, done.stderr)
        self.assertIn("2 in flight", command("coherence", "verify", "moesi", "--list").stdout)

    def test_bounds(self):
        for option, value, name in (("--states", "100", "--states"), ("--memory", "64K", "--memory")):
            done = command("coherence", "verify", "nmoesi", "--trees", "3 over memory", "--overlapping", option, value)
            self.assertEqual(done.returncode, 0)
            self.assertIn(f"passed so far: {name}", done.stdout)

    def test_a_store_without_a_request(self):
        table = self.changed("moesi", "first", "S", "store", ["hit", "M"])
        for way in "--atomic", "--overlapping":
            found, shown = self.verified(table, way)
            self.assertIn("STRUCTURE", found)
            self.assertRegex(found, r"\none writer: 0x1000 is in M in m\d, and in S in m\d\n   1  m0 load A\n")
            self.assertRegex(shown, r"structure: expected nothing wrong, found one writer: 0x1000 is in M")

    def test_a_lost_write_back(self):
        table = self.changed("mesi", "first", "M", "eviction", ["hit", "I"])
        found, shown = self.verified(table, "--atomic")
        self.assertIn("VALUE", found)
        self.assertIn("counterexample: at the end: memory at 0x1000: expected 01, found 00", shown)
        found, shown = self.verified(table, "--overlapping", "--trees", "2 over memory of 1 entry", "--blocks", "2")
        self.assertIn("LOST", found)
        self.assertRegex(shown, r"counterexample: at the end: memory at 0x100\d: expected 01, found 00")

    def test_an_owner_that_forgets(self):
        table = self.changed("moesi", "first", "M", "read_probe", ["send-data", "S"])
        for way in "--atomic", "--overlapping":
            found, shown = self.verified(table, way)
            self.assertRegex(found, r"\nclean: 0x1000 is in S in m\d with modified bytes\n")
            self.assertRegex(shown, r"found clean: 0x1000 is in S in m\d with modified bytes\n")

    def test_what_the_table_forbids(self):
        table = self.changed("moesi", "first", "O", "write_probe", ["forbid", "I"])
        for way in "--atomic", "--overlapping":
            found, shown = self.verified(table, way)
            self.assertIn("REFUSED", found)
            self.assertRegex(shown, r"expected an end, found .*Write Req")

    def test_wrong_reads(self):
        """An N-store without a message, in a protocol that promises coherence; and a load of an old value."""
        found, shown = self.verified("nmoesi", "--coherent", "--overlapping")
        self.assertIn("VALUE", found)
        self.assertRegex(shown, r"counterexample: step \d+ of \d+ \(.*\): m\d: bytes read: expected 0\d, found 0\d")
        self.assertRegex(shown, r"\n    m\d has its load: 0\d\n")

    def test_deadlock(self):
        found, shown = self.verified("moesi", "--overlapping", "--queue", "1", "--channels", "1")
        self.assertIn("DEADLOCK", found)
        self.assertIn("deadlock: nothing can happen. write request for A, m1 to m2: waits", found)
        self.assertRegex(shown, r"step \d+ of \d+ \(write probe m2 to m1, 0x1000\): step: expected an end, found "
                                "deadlock of 2 accesses: a probe of module m1 for block 0x1000 waits")  # fmt: skip
        passed = command("coherence", "verify", "moesi", "--trees", "2 over memory", "--queue", "1")
        self.assertEqual(passed.returncode, 0, passed.stdout)

    def test_walks(self):
        done = command("coherence", "verify", "mesi", "--walks", "20", "--seed", "5", "--in-flight", "3")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout.splitlines()[3], r"^2 L2 of 2, L3 +2 +2  3 in flight +20 +[\d,]+ +\d+  passed")
        found, shown = self.verified("nmoesi-multi2sim", "--walks", "500")
        self.assertRegex(found, "VALUE|LOST")
        self.assertRegex(shown, r"(bytes read|memory at 0x100\w): expected")
        done = command("coherence", "verify", "mesi", "--walks", "20", "--atomic")
        self.assertIn("walks are of accesses that overlap", done.stderr)

    def test_mutations(self):
        """After a load that hits, no state is written; memory has the line's bytes in both E and M."""
        done = command("coherence", "verify", "msi", "--mutate")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        found = re.fullmatch(r"(\d+) changes: (\d+) refused by the table's check, (\d+) caught, (\d+) not noticed, "
                             r"(\d+) not noticed, other states", lines.pop())  # fmt: skip
        numbers = list(map(int, found.groups()))
        self.assertEqual(numbers[0], sum(numbers[1:]))
        self.assertGreater(numbers[2], 10)
        self.assertEqual(len(lines), numbers[3] + numbers[4])
        self.assertIn("not noticed, other states: memory, M, write_above: hit M as hit E", lines)
        unknown = re.compile(r": memory, |, (load|read_above): hit \w as")
        self.assertEqual([line for line in lines if not unknown.search(line)], [])

    def test_standard_output(self):
        done = command("coherence", "verify", "nmoesi-multi2sim", "--trees", "2 over L2", "--output", "-")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(json.loads(done.stdout)["schema"]["verdict"], "value")
        self.assertIn("not the last write", done.stderr)

    def test_all_trees_can_be_written(self):
        """The tree of each system, read from a file, equals the explored tree."""
        for name in verification.trees():
            for in_flight in (0, 1):
                system = System(name, 2, 1, in_flight)
                found = verification.Verification(system, gpucache.VerifyVerdict.STRUCTURE, 0, "", 0, 0, 0, 0, False,
                                                  None, [], False)  # fmt: skip
                value = counterexample.document(self.context, "moesi", found)
                value["protocol"] = "mesi"
                del value["protocols"]
                tree = scenarios.Document(self.saved(value)).trees["tree"]
                with verification.SystemTree(self.context, "moesi", system) as made, \
                        tree.make(self.context, "moesi") as read:
                    for module in made.modules:
                        self.assertEqual(made.module(module), read.module(module), name)


class Walkthrough(Case):
    """lib/policies/protocol/README.md shows the outcome of the examples with a mistake in each."""

    MISTAKES = (
        ("protocol.json", '"send-data|write-back"', '"send-data"'),
        ("forward.json", '"E": {"read_probe": ["send-data", "S"]}', '"E": {"read_probe": ["send-data", "F"]}'),
        ("load-own.json", '"write-request", "M"', '"write-request", "E"'),
        ("moesi-d.json", "", ""),  # unchanged
    )

    def test_readme(self):
        with open(os.path.join(ROOT, "lib", "policies", "protocol", "README.md"), encoding="utf-8") as file:
            text = file.read()
        here = os.getcwd()
        os.chdir(self.folder)
        try:
            for name, right, wrong in self.MISTAKES:
                with open(os.path.join(ROOT, "examples", name), encoding="utf-8") as file:
                    table = file.read()
                self.assertIn(right, table)
                table = table.replace(right, wrong)
                self.assertIn(f"```json\n{table}```\n", text)
                self.saved(table, name)
            shown = re.findall(r"^```text\n\$ python3 -m gpucache (coherence .*)\n((?:.*\n)*?)```$", text, re.MULTILINE)
            self.assertEqual(len(shown), 6)
            for arguments, lines in shown:
                done = command(*shlex.split(arguments))
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stdout, lines)
        finally:
            os.chdir(here)

    def test_missing_cell(self):
        """For a user's state the missing cell is named as usual, with the line."""
        with open(os.path.join(ROOT, "examples", "forward.json"), encoding="utf-8") as file:
            table = file.read()
        path = self.saved(table.replace('["ignore", "F"]', "null"), "less.json")
        done = command("coherence", "verify", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("less.json:13: first, F, acquire: no rule", done.stderr)


if __name__ == "__main__":
    unittest.main()
