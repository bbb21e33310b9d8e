# SPDX-License-Identifier: BSD-2-Clause
"""What files of scenarios say of values: bytes that are stored, read and in memory; flushes, acquires, flags; steps."""

import unittest

from harness import TemporaryCase, command
from test_verify import Case as Saving

from gpucache import scenarios


def cache(name):
    return {"name": name, "sets": 1, "assoc": 1, "block_size": 8, "latency": 1, "low_modules": ["mm"],
            "low_network": "net"}  # fmt: skip


CONFIG = {
    "modules": [
        cache("a"), cache("b"),
        {"name": "mm", "type": "main_memory", "sets": 1, "assoc": 4, "block_size": 8, "latency": 10,
         "high_network": "net"},
    ],
    "networks": [{"name": "net", "bandwidth": 8}],
}  # fmt: skip


def store(module, value, address="0x10", kind="store", **rest):
    return {"module": module, "kind": kind, "address": address, "bytes": value, **rest}


def load(module, reads, address="0x10", **rest):
    return {"module": module, "kind": "load", "address": address, "reads": reads, **rest}


class Values(TemporaryCase):
    saved = Saving.saved

    def document(self, scenario, key="sequential", protocol="moesi"):
        return {"protocol": protocol, "configs": {"two": CONFIG}, key: [{"name": "one", "config": "two", **scenario}]}

    def differences(self, scenario, *arguments):
        document = scenarios.Document(self.saved(self.document(scenario, *arguments)))
        return list(map(str, document.scenarios[0].run(self.context).differences))

    def refused(self, scenario, *arguments):
        with self.assertRaises(scenarios.ScenarioError) as caught:
            self.differences(scenario, *arguments)
        return str(caught.exception)

    def test_bytes_that_are_read(self):
        accesses = [store("a", "0102"), load("b", "0102"), ["b", "store", "0x11"], load("a", "0100"),
                    load("a", "??00??", size=3)]  # fmt: skip
        self.assertEqual(self.differences({"accesses": accesses}), [])
        accesses[1] = load("b", "0103")
        self.assertEqual(self.differences({"accesses": accesses}), [
            "access 1 of 5 (b load 0x10): b: bytes read: expected 0103, found 0102"
        ])  # fmt: skip
        masked = [store("a", "0102", mask=2), load("a", "0002")]
        self.assertEqual(self.differences({"accesses": masked}), [])

    def test_memory_before_and_after(self):
        scenario = {
            "initial": {"0x10": "aabb", "0x20": "cc"}, "accesses": [load("a", "aabb"), store("a", "01"), ["flush", "a"]],
            "memory": {"0x10": "01bb", "0x20": "cc"},
        }  # fmt: skip
        self.assertEqual(self.differences(scenario), [])
        scenario["accesses"][2] = ["acquire"]
        self.assertEqual(self.differences(scenario), ["at the end: memory at 0x10: expected 01bb, found aabb"])

    def test_acquire_and_flags(self):
        accesses = [load("a", "00"), store("b", "01", kind="n_store"), load("a", "00"), {"kind": "acquire", "module": "a"},
                    load("a", "01")]  # fmt: skip
        self.assertEqual(self.differences({"accesses": accesses}, "sequential", "vi"), [])
        accesses[1:] = [store("b", "01"), load("a", "00"), load("a", "01", flags="glc")]
        self.assertEqual(self.differences({"accesses": accesses}, "sequential", "slc-glc"), [])

    def test_overlapping(self):
        accesses = [store("a", "05", cycle=0), load("b", "05", cycle=40), [41, "b", "load", "0x10"]]
        self.assertEqual(self.differences({"accesses": accesses}, "timed"), [])
        accesses[1]["reads"] = "06"
        self.assertEqual(self.differences({"accesses": accesses}, "timed"), [
            "access 1 of 3 (b load 0x10 at cycle 40): b: bytes read: expected 06, found 05"
        ])  # fmt: skip

    def test_acquires_among_accesses_that_overlap(self):
        def accesses(*between):
            return {"accesses": [load("a", "00", cycle=0), store("b", "05", kind="n_store", cycle=100), *between,
                                 load("a", "05" if between else "00", cycle=300)]}  # fmt: skip

        self.assertEqual(self.differences(accesses(), "timed", "vi"), [])
        for acquire in [200, "a", "acquire"], {"cycle": 200, "module": "a", "kind": "acquire"}:
            self.assertEqual(self.differences(accesses(acquire), "timed", "vi"), [])
        self.assertIn("acquire", self.refused({"accesses": [[0, "nobody", "acquire"]]}, "timed"))

    def test_structure(self):
        self.assertEqual(self.differences({"accesses": [store("a", "01")], "check": ["0x10", 8]}), [])

    STEPS = [
        ["issue", store("a", "07")], ["issue", load("b", "07")], ["message", "write-request", "a", "mm", "0x10"],
        ["message", "read-request", "b", "mm", "0x10"], ["step", "mm", "0x10"],
    ]  # fmt: skip

    def test_steps(self):
        scenario = {"steps": self.STEPS, "ends": True}
        self.assertEqual(self.differences(scenario, "ordered"), [])
        scenario["steps"] = [*self.STEPS[:3], ["message", "data", "mm", "b", "0x10"]]
        self.assertEqual(self.differences(scenario, "ordered"), [
            "step 3 of 4 (data mm to b, 0x10): step: expected something that may happen, found "
            "read request b to mm, mm goes on"
        ])  # fmt: skip
        path = self.saved(self.document({"steps": self.STEPS, "ends": True}, "ordered"))
        done = command("coherence", path, "--steps", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"steps": [["issue"', done.stdout)
        self.assertIn("\n    b has its load: 07\n", done.stderr)

    def test_what_means_nothing_is_an_error(self):
        for scenario, message in (
            ({"accesses": [store("a", "01", adress=3)]}, "scenario one: an access: key 'adress' is none of module, "),
            ({"accesses": [store("c", "01")]}, "key 'module' is \"c\", not a module of the tree"),
            ({"accesses": [store("a", "0x1")]}, "key 'bytes' is \"0x1\", not bytes in hex"),
            ({"accesses": [store("a", "??")]}, "key 'bytes' is \"??\", not bytes in hex"),
            ({"accesses": [store("a", "01", flags="fast")]}, "key 'flags': flags is 'fast', not one of glc, slc"),
            ({"accesses": [{"kind": "release", "module": "a"}]}, "key 'kind' is \"release\", not one of load, "),
            ({"accesses": [{"kind": "flush", "module": "a", "address": 4}]}, "key 'address' is none of kind, module"),
            ({"accesses": [["flush", "c"]]}, 'accesses[0] is ["flush", "c"], not'),
            ({"accesses": [], "initial": {"here": "00"}}, "key 'here' is \"00\", not bytes in hex at an address"),
            ({"accesses": [], "check": [1]}, "key 'check' is [1], not [address, bytes]"),
            ({"accesses": [], "steps": []}, "key 'steps' is none of"),
        ):  # fmt: skip
            with self.subTest(message):
                self.assertIn(message, self.refused(scenario))
        self.assertIn('["flush"]', self.refused({"accesses": [["flush"]]}, "timed"))
        for step in (["issue"], ["message", "sing", "a", "mm", "0x10"], ["retry", "c", "0x10"], "flush", ["wait"]):
            self.assertIn("steps[0] is", self.refused({"steps": [step]}, "ordered"))
        self.assertIn("not 1 or 3", self.refused({"steps": [], "channels": 2}, "ordered"))


if __name__ == "__main__":
    unittest.main()
