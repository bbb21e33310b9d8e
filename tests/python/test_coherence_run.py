# SPDX-License-Identifier: BSD-2-Clause
"""Coherent hierarchies: the trees seen through Hierarchy, Replay and the command run."""

import gc
import json
import unittest

from harness import TemporaryCase, command, write_trace

import gpucache

SETTINGS = {"coherence": "nmoesi", "l1.index": "modulo", "l2.index": "modulo"}


class Coherent(TemporaryCase):
    def config(self, **settings):
        found = gpucache.Config(self.context, preset="kepler", settings={**SETTINGS, **settings})
        self.addCleanup(found.close)
        return found

    def test_none(self):
        with gpucache.Hierarchy(self.context, self.config(coherence="none")) as hierarchy:
            self.assertIsNone(hierarchy.coherence)

    def test_tree(self):
        with gpucache.Hierarchy(self.context, self.config()) as hierarchy:
            hierarchy.begin_kernel()
            tree = hierarchy.coherence
            self.assertEqual(tree.at_level(1), [f"l1-{sm}" for sm in range(14)])
            self.assertEqual(tree.at_level(2), [f"l2-{slice_}" for slice_ in range(6)])
            self.assertEqual(len(tree.memories), 6)
            self.assertEqual(tree.module("l1-3").block_bytes, 128)
            hierarchy.access([0x1000], sm=3)
            self.assertEqual(tree.line("l1-3", 0x1000).state, "E")
            hierarchy.access([0x1000], sm=4)
            self.assertEqual([tree.line(f"l1-{sm}", 0x1000).state for sm in (3, 4)], ["S", "S"])
            self.assertEqual((tree.stats("l1-3")["loads"], tree.level_stats()["L1"]["loads"]), (1, 2))
            self.assertEqual(tree.level_stats()["L1"].changes()["E", "S"][0], 1)
            with self.assertRaises(gpucache.StateError):
                tree.close()
        with self.assertRaises(gpucache.StateError):
            tree.stats("l1-3")
        self.assertTrue(tree.closed)

    def test_replay(self):
        """Each of 8 warps loads a private line twice and stores another. With a clock the second load comes during the
        first, and joins."""
        for mode, loads in (("functional", 16), ("timed", 8)):
            with gpucache.Replay(self.context, self.config(mode=mode)) as replay, \
                    gpucache.Trace(self.context, write_trace(self.path(mode))) as trace:  # fmt: skip
                list(replay.run(trace))
                tree = replay.hierarchy.coherence
                first = tree.level_stats()["L1"]
                self.assertEqual((first["loads"], first["n_stores"], first["stores"]), (loads, 8, 0), mode)
                # All blocks of L1 were brought in by a load or a store, and none has left except to nowhere.
                changes = first.changes()
                came = sum(count for (one, other), (count, _) in changes.items() if one == "I" != other)
                left = sum(count for (one, other), (count, _) in changes.items() if one != "I" == other)
                blocks = sum(1 for name in tree.at_level(1) for _ in tree.blocks(name))
                self.assertEqual(came - left, blocks, mode)
                self.assertGreaterEqual(came, 16)

    def test_policies_in_python(self):
        """A policy may read a request's fields if the policy declares the reading; an undeclared or larger reading is
        refused."""

        def made(policy_name, reads, key="l1.replacement"):
            class First(gpucache.ReplacementPolicy):
                name = policy_name

                def choose_victim(self, set, candidates, request):
                    return candidates[0]

            First.reads = reads
            self.context.register(First)
            gpucache.Hierarchy(self.context, self.config(**{key: policy_name})).close()

        bits = gpucache.ReadsBits
        made("by-address", bits.PLACE | bits.ADDRESS)
        made("by-warp", bits.PLACE | bits.WARP)
        made("by-sample", bits.PLACE | bits.SAMPLES)
        made("by-sample-too", bits.PLACE | bits.SAMPLES, "l2.replacement")
        with self.assertRaisesRegex(gpucache.RangeError, r"needs l2.replacement = lru \(l2.replacement 'by-bytes' reads "
                                    "bytes, which coherent modules"):  # fmt: skip
            made("by-bytes", bits.PLACE | bits.BYTES, "l2.replacement")
        with self.assertRaisesRegex(gpucache.RangeError, "'silent' reads what it has not declared"):
            made("silent", 0)

    def test_callbacks(self):
        """For a tree lent by a hierarchy: a load's transitions, at the time of each; and no calls back into the
        tree."""
        with gpucache.Hierarchy(self.context, self.config()) as hierarchy:
            hierarchy.begin_kernel()
            seen = []
            hierarchy.coherence.set_callbacks(on_transition=seen.append)
            hierarchy.access([0x1000], sm=3)
            self.assertIn(("l1-3", "I", "E"), [(each.module, each.before, each.after) for each in seen])
            hierarchy.coherence.set_callbacks(on_transition=lambda each: hierarchy.access([0]))
            with self.assertRaises(gpucache.StateError):
                hierarchy.access([0x2000], sm=3)
            hierarchy.coherence.set_callbacks()
            gc.collect()
            hierarchy.access([0x2000], sm=3)
            self.assertEqual(len(seen), len([each for each in seen if each.tag == 0x1000]))

    def test_callbacks_of_a_replay(self):
        """The callbacks stay without other references to the lent tree."""
        with gpucache.Replay(self.context, self.config()) as replay, \
                gpucache.Trace(self.context, write_trace(self.path("t"))) as trace:  # fmt: skip
            seen = []
            replay.kernel(gpucache.Trace(self.context, write_trace(self.path("u"))))
            replay.hierarchy.coherence.set_callbacks(on_message=seen.append)
            gc.collect()
            replay.kernel(trace)
            kinds = {each.kind for each in seen}
            self.assertLessEqual({gpucache.MessageKind.READ_REQUEST, gpucache.MessageKind.DATA}, kinds)

    def test_own_protocol(self):
        """A configuration names an own protocol like a built-in one: here every eviction of a clean block sends a
        message."""
        tables = self.context.protocol("nmoesi").tables()
        for state in "ES":
            tables["first"][state]["eviction"] = ("notify", "I")
        self.context.register(gpucache.Protocol("loud", **tables, flags="directory|peer"))
        notices = []
        for name in ("loud", "nmoesi"):
            config = self.config(**{"coherence": name, "l1.size": "1KiB", "l1.ways": "1"})
            with gpucache.Hierarchy(self.context, config) as hierarchy:
                hierarchy.begin_kernel()
                for address in (0, 0x400, 0x800):  # one set of one way
                    hierarchy.access([address])
                notices.append(hierarchy.coherence.level_stats()["L2"]["notices_received"])
        self.assertEqual(notices, [2, 0])
        with self.assertRaises(gpucache.GpucacheError):
            self.config(coherence="quiet")

    def test_clusters(self):
        with gpucache.Hierarchy(self.context, self.config(**{"cluster.sms": "7"})) as hierarchy:
            hierarchy.begin_kernel()
            self.assertEqual(list(hierarchy.coherence.level_stats()), ["L1", "cluster", "L2", "memory"])

    def test_command(self):
        path, out = write_trace(self.path("t")), self.path("out.json")
        arguments = ["run", path, "--preset", "kepler", "--json", out]
        for name, value in SETTINGS.items():
            arguments += ["--set", f"{name}={value}"]
        done = command(*arguments, "--matrices")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertIn(f"coherence: transitions of states and their origins, {path}", lines)
        for level in ("L1", "L2", "memory"):
            self.assertIn([level, *"NMOESI", level, *"NMOESI"], [line.split() for line in lines])
        with open(out, encoding="utf-8") as file:
            (found,) = json.load(file)["coherence"]
        self.assertEqual((found["trace"], found["protocol"]), (path, "nmoesi"))
        self.assertEqual(found["levels"]["L1"]["loads"], 16)
        self.assertEqual(sum(each["loads"] for each in found["modules"].values()), 16)
        self.assertEqual(len(found["modules"]), 14 + 6 + 6)
        ratios = next(line.split() for line in lines if line.startswith("L1 ") and "." in line)
        self.assertEqual(ratios[1], "33.3")  # 8 of 24

    def test_values(self):
        """Accesses carry values, at once or with a clock: of words, across two lines, seen by another SM."""
        addresses, written = [0x1078, 0x107C, 0x1080], b"abcdefghijkl"
        for mode in ("functional", "timed"):
            settings = {"coherence": "moesi", "coherence.data": True, "mode": mode}
            with gpucache.Hierarchy(self.context, self.config(**settings)) as hierarchy:
                read = bytearray(12)
                for fields in ({"kind": "store", "data": written}, {"sm": 1, "out": read}):
                    if mode == "timed":
                        self.assertFalse(hierarchy.try_issue(addresses, **fields))
                        hierarchy.drain()
                    else:
                        hierarchy.access(addresses, **fields)
                self.assertEqual(read, written, mode)
                self.assertEqual(hierarchy.coherence.line("l1-1", 0x1080).state, "S")
                swap = {"atomic": "compare_swap", "data": b"ABCDEFGH", "compare": b"abcdxxxx"}
                for fields, found in ((swap, b"abcdefgh"), ({"atomic": "or", "data": bytes(8)}, b"ABCDefgh")):
                    if mode == "timed":
                        self.assertFalse(hierarchy.try_issue(addresses[:2], kind="atomic", out=read, **fields))
                        hierarchy.drain()
                    else:
                        hierarchy.access(addresses[:2], kind="atomic", out=read, **fields)
                    self.assertEqual(read[:8], found, mode)
                hierarchy.begin_kernel(shared_bytes=0)
                offer = hierarchy.try_issue if mode == "timed" else hierarchy.access
                with self.assertRaisesRegex(gpucache.ArgumentError, "bytes is given"):
                    offer(addresses, data=written)
                with self.assertRaisesRegex(ValueError, "3 lanes of 4"):
                    offer(addresses, kind="store", data=b"abc")
        with self.assertRaisesRegex(gpucache.RangeError, "coherence.data"):
            gpucache.Hierarchy(self.context, self.config(**{"coherence": "none", "coherence.data": True}))

    def test_values_of_a_copy(self):
        """The completion tells a copy the accesses in flight at the copying; `out` is the other hierarchy's."""
        settings = {"coherence": "moesi", "coherence.data": True, "mode": "timed"}
        found, of_copy, read = [], [], bytearray(4)
        with gpucache.Hierarchy(self.context, self.config(**settings), on_complete=found.append) as hierarchy:
            hierarchy.try_issue([0x1000], 1, kind="store", data=b"abcd")
            hierarchy.drain()
            hierarchy.try_issue([0x1000], 2, sm=1, out=read)
            hierarchy.advance(3)
            with hierarchy.copy() as copy:
                copy.set_callbacks(on_complete=of_copy.append)
                copy.drain()
                self.assertEqual([(done.token, done.values) for done in of_copy], [(2, b"abcd")])
                self.assertEqual(read, bytes(4))
            hierarchy.drain()
        self.assertEqual([(done.token, done.values) for done in found], [(1, None), (2, b"abcd")])
        self.assertEqual(found[1], of_copy[0])
        self.assertEqual(read, b"abcd")

    def test_matrices_need_a_protocol(self):
        done = command("run", write_trace(self.path("t")), "--matrices")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--matrices needs a protocol", done.stderr)


if __name__ == "__main__":
    unittest.main()
