# SPDX-License-Identifier: BSD-2-Clause
"""Values in files of scenarios: stored bytes, loaded bytes, bytes in memory; flushes, acquires, flags; steps."""

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

    def test_release(self):
        """slc-glc: n-stored bytes stay in the cache until a release; then an acquiring reader sees the bytes."""
        accesses = [load("a", "00"), store("b", "07", kind="n_store"), ["acquire", "a"], load("a", "00"),
                    ["release", "b"], load("a", "00"), ["acquire", "a"], load("a", "07")]  # fmt: skip
        self.assertEqual(self.differences({"accesses": accesses}, "sequential", "slc-glc"), [])
        accesses[4] = {"kind": "release", "module": "b"}
        accesses[6] = {"kind": "acquire", "module": "a", "scope": "gpu"}
        self.assertEqual(self.differences({"accesses": accesses}, "sequential", "slc-glc"), [])
        accesses[6]["scope"] = "cta"
        self.assertEqual(self.differences({"accesses": accesses}, "sequential", "slc-glc"),
                         ["access 7 of 8 (a load 0x10): a: bytes read: expected 07, found 00"])  # fmt: skip

    def test_orders(self):
        """A flag stored with a release, and loaded with an acquire: the bytes behind the flag are there."""
        for key in ("sequential", "timed"):
            for scope, found in (("gpu", "05"), ("sys", "05"), ("mm", "05"), ("cta", "00")):
                with self.subTest(key, scope=scope):
                    accesses = [
                        load("a", "00", cycle=0), store("b", "05", kind="n_store", cycle=100),
                        store("b", "01", "0x20", order="release", scope=scope, cycle=200),
                        load("a", "01", "0x20", order="acquire", scope=scope, cycle=1000), load("a", found, cycle=2000),
                    ]  # fmt: skip
                    self.assertEqual(self.differences({"accesses": accesses}, key, "slc-glc"), [])

    def test_release_in_time(self):
        """A release ends when all earlier stores are in memory, and so later than the store."""
        accesses = [store("b", "05", kind="n_store", cycle=0), [0, "b", "release"]]
        document = scenarios.Document(self.saved(self.document({"accesses": accesses}, "timed", "slc-glc")))
        outcome = document.scenarios[0].run(self.context)
        (_, stored, _), (_, released, _) = outcome.completion
        self.assertGreater(released, stored + 8)
        self.assertEqual(outcome.differences, [])

    def test_atomics(self):
        add = {"op": "add", "operand": 5}
        for key in ("sequential", "timed", "ordered"):
            for protocol in ("moesi", "vi", "mesif"):
                with self.subTest(key, protocol=protocol):
                    accesses = [
                        {"module": module, "kind": "store", "address": "0x10", "cycle": cycle, "atomics": atomics}
                        for module, cycle, atomics in (
                            ("a", 0, [{**add, "finds": 0}]), ("b", 100, [{**add, "finds": 5}, {"op": "exchange",
                             "operand": 3, "offset": 4, "finds": 0}]), ("a", 200, [{"op": "compare_swap", "compare": 10,
                             "operand": 2, "finds": 10}]))
                    ] + [load("b", "0200000003000000", cycle=300)]  # fmt: skip
                    steps = {"steps": [["issue", each] for each in accesses[:1]], "ends": True}
                    scenario = {"accesses": accesses} if key != "ordered" else steps
                    self.assertEqual(self.differences(scenario, key, protocol), [])
                    accesses[0]["atomics"][0]["finds"] = 1
                    differences = self.differences(scenario, key, protocol)
                    self.assertEqual(len(differences), 1)
                    self.assertIn("a: what atomic 0 finds: expected 1, found 0", differences[0])

    def test_what_orders_cannot_be(self):
        for text, access in (
            ("key 'order'", load("a", "00", order="release")), ("key 'order'", store("a", "00", order="acquire")),
            ("key 'order'", load("a", "00", order="acq_rel")), ("key 'order'", load("a", "00", order="seq_cst")),
            ("key 'scope'", load("a", "00", scope="gpu")), ("several processors, but not all", load("a", "00",
             order="acquire", scope="cluster")), ("a module below a", load("a", "00", order="acquire", scope="b")),
            ("key 'operands' is none of", {"module": "a", "kind": "store", "address": 16, "atomics": [{"op": "add",
             "operands": 1}]}), ("key 'op'", {"module": "a", "kind": "store", "address": 16, "atomics": [{"op": "plus"}]}),
            ("key 'atomics'", {"module": "a", "kind": "load", "address": 16, "atomics": [{"op": "add"}]}),
            ("key 'sope' is none of", {"kind": "release", "module": "a", "sope": "gpu"}),
        ):  # fmt: skip
            with self.subTest(text, access=access):
                self.assertIn(text, self.refused({"accesses": [access]}))
        self.assertIn("key 'order'", self.refused(
            {"steps": [["issue", load("a", "00", order="acquire")]]}, "ordered"))  # fmt: skip

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
            ({"accesses": [{"kind": "relax", "module": "a"}]}, "key 'kind' is \"relax\", not one of load, "),
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
