# SPDX-License-Identifier: BSD-2-Clause
"""Trees of caches kept coherent, and protocols written in Python."""

import gc
import unittest
from dataclasses import replace

from harness import TemporaryCase

import gpucache
from gpucache import (
    AccessBits,
    AddressRange,
    Coherence,
    CoherenceKind,
    CoherenceModule,
    CoherenceNetwork,
    DirectoryEntry,
    DoBits,
    Hashed,
    Interleaved,
    MessageKind,
    Origin,
    Protocol,
    ProtocolBits,
)
from gpucache._coherence import matrices_of
from gpucache.tables import as_json

LAZY = dict(low=["mm"], low_network="net", sets=2, ways=2)
MODULES = [
    CoherenceModule("l1-0", **LAZY),
    CoherenceModule("l1-1", **LAZY),
    CoherenceModule("mm", high_network="net", sets=4, ways=4, latency=20, directory_latency=1, memory=True),
]
NETWORKS = [CoherenceNetwork("net")]


class Case(TemporaryCase):
    def tree(self, protocol="nmoesi", modules=MODULES, networks=NETWORKS, **options):
        found = Coherence(self.context, modules, networks, protocol, **options)
        self.addCleanup(found.close)
        return found


class Overlapping(Case):
    """Issued accesses end when the tree is advanced."""

    def test_issue_and_advance(self):
        """A load alone: 4 to memory, 1 + 20 there, 7 back, 1 in l1-0. Another load of the block joins."""
        tree, ends = self.tree(), []
        tree.set_callbacks(on_complete=ends.append)
        tree.write_memory(0x100, b"\x01\x02")
        self.assertIsNone(tree.next_event)
        first, second = tree.issue("l1-0", "load", 0x100, cycle=10), tree.issue("l1-0", "load", 0x101, cycle=12)
        self.assertEqual((first, second, tree.next_event), (1, 2, 10))
        tree.advance(42)
        self.assertEqual((ends, tree.next_event), ([], 43))
        tree.advance()
        self.assertEqual([(end.token, end.issued, end.cycle, end.data, end.joined) for end in ends],
                         [(1, 10, 43, b"\x01", False), (2, 12, 43, b"\x02", True)])  # fmt: skip
        self.assertEqual((ends[0].module, ends[0].kind, ends[0].address), ("l1-0", CoherenceKind.LOAD, 0x100))

    def test_on_complete_may_issue(self):
        """Each store causes the other cache's store; an exception comes out of advance()."""
        tree, ends = self.tree("mesi"), []

        def more(end):
            ends.append(end)
            if len(ends) < 5:
                other = "l1-1" if end.module == "l1-0" else "l1-0"
                tree.issue(other, "store", 0x100, data=bytes([len(ends)]), cycle=end.cycle)

        tree.set_callbacks(on_complete=more)
        tree.issue("l1-0", "store", 0x100, data=b"\0", cycle=0)
        tree.advance()
        self.assertEqual([end.data for end in ends], [bytes([value]) for value in range(5)])
        self.assertEqual(tree.line("l1-0", 0x100).state, "M")
        tree.set_callbacks(on_complete=lambda end: 1 / 0)
        tree.issue("l1-0", "load", 0x100, cycle=ends[-1].cycle)
        self.assertRaises(ZeroDivisionError, tree.advance)

    def test_refused(self):
        tree = self.tree()
        tree.issue("l1-0", "load", 0x100, cycle=5)
        with self.assertRaisesRegex(gpucache.StateError, "in flight"):
            tree.load("l1-0", 0x100)
        tree.advance(6)
        with self.assertRaisesRegex(gpucache.ArgumentError, "cycle 5 is past: it is 6"):
            tree.issue("l1-0", "load", 0x100, cycle=5)

    def test_protocols(self):
        for protocol in ("msi", "mesi", "mosi", "moesi", "nmoesi", "vi", "slc-glc", "none"):
            ends = []
            tree = self.tree(protocol)
            tree.set_callbacks(on_complete=ends.append)
            tree.issue("l1-0", "store", 0x100, data=b"\x07", cycle=0)
            tree.issue("l1-0", "load", 0x100, cycle=1)
            tree.advance()
            with self.subTest(protocol):
                self.assertEqual([bytes(end.data) for end in ends], [b"\x07", b"\x07"])


class Trees(Case):
    def test_states_and_data(self):
        """NMOESI's reasons for M, O and N (Table 2.5), with the bytes."""
        tree = self.tree()
        tree.write_memory(0x100, b"\x01\x02\x03\x04")
        first = tree.load("l1-0", 0x100, 4)
        self.assertEqual((first.data, first.found, first.state, first.hit), (b"\x01\x02\x03\x04", "I", "E", False))
        self.assertTrue(tree.store("l1-0", 0x101, b"\x20").hit)
        self.assertEqual(tree.line("l1-0", 0x100).state, "M")
        self.assertEqual(tree.load("l1-1", 0x100, 4).data, b"\x01\x20\x03\x04")
        self.assertEqual((tree.line("l1-0", 0x100).state, tree.line("l1-1", 0x100).state), ("O", "S"))
        self.assertEqual(tree.read_memory(0x100, 4), b"\x01\x02\x03\x04")
        result = tree.n_store("l1-1", 0x100, b"\x10\x11\x12\x30", mask=[True, False, False, True])
        self.assertEqual(result.data, b"\x10\x20\x03\x30")
        self.assertEqual(tree.line("l1-1", 0x100).state, "N")
        self.assertEqual(tree.load("l1-0", 0x100, 4).data, b"\x01\x20\x03\x04")
        tree.flush()
        self.assertEqual(tree.read_memory(0x100, 4), b"\x10\x20\x03\x30")
        self.assertEqual(list(tree.blocks("l1-0")) + list(tree.blocks("l1-1")), [])

    def test_dirty_bytes(self):
        tree = self.tree()
        tree.n_store("l1-0", 0x104, b"\1\2\3", mask=0b101)
        block = tree.line("l1-0", 0x100)
        self.assertEqual((block.tag, block.state, block.dirty), (0x100, "N", 0b101 << 4))
        self.assertEqual(block.data[:8], b"\0\0\0\0\1\0\3\0")
        self.assertEqual(block.directory, ())

    def test_atomics(self):
        """Each atomic finds the previous one's result, from any module."""
        tree = self.tree()
        tree.write_memory(0x108, (5).to_bytes(4, "little"))
        self.assertEqual(tree.atomic("l1-0", "add", 0x108, 3).data, (5).to_bytes(4, "little"))
        self.assertEqual(tree.line("l1-0", 0x108).state, "M")
        swapped = tree.atomic("l1-1", "compare-swap", 0x108, 1 << 40, compare=8, width=8)
        self.assertEqual(swapped.data, (8).to_bytes(8, "little"))
        self.assertEqual(tree.atomic("l1-0", gpucache.AtomicOp.MIN_SIGNED, 0x108, -1, width=8).data[5], 1)
        self.assertEqual(tree.load("l1-1", 0x108, 8).data, b"\xff" * 8)
        with self.assertRaisesRegex(gpucache.ArgumentError, "multiple of its width"):
            tree.atomic("l1-0", "or", 0x102, 1)

    def test_directory(self):
        tree = self.tree()
        self.assertIsNone(tree.line("mm", 0))
        tree.load("l1-1", 0)
        self.assertEqual(tree.line("mm", 0).directory, (DirectoryEntry("l1-1", ("l1-1",)),))
        tree.load("l1-0", 0)
        self.assertEqual(tree.line("mm", 0).directory, (DirectoryEntry(None, ("l1-0", "l1-1")),))

    def test_transitions_and_messages(self):
        """A cold load: request, block, and the two written states."""
        tree = self.tree()
        result = tree.load("l1-0", 0x40)
        self.assertEqual(
            [(each.module, each.before, each.after, each.tag, each.origin) for each in result.transitions],
            [("mm", "I", "E", 0x40, Origin.FIND_IN_MEMORY), ("l1-0", "I", "E", 0x40, Origin.LOAD_MISS)],
        )
        sent = [each for each in result.messages if each.bytes]
        self.assertEqual(
            [(each.kind, each.source, each.target, each.bytes, each.network, each.address) for each in sent],
            [(MessageKind.READ_REQUEST, "l1-0", "mm", 8, "net", 0x40),
             (MessageKind.DATA, "mm", "l1-0", 72, "net", 0x40)],
        )
        # 4 cycles, directory and data of memory 1 + 20, 7 cycles, data of the cache 1.
        self.assertEqual([(each.sent, each.received) for each in sent], [(0, 4), (25, 32)])
        self.assertEqual((result.completed, tree.clock), (33, 34))
        self.assertEqual(tree.load("l1-0", 0x40).completed, 35)
        self.assertEqual(tree.load("l1-0", 0x40, cycle=100).completed, 101)

    def test_order(self):
        tree = self.tree(protocol="none")
        for address in (0, 0x80, 0):  # one set
            tree.load("l1-0", address)
        set_, way, found = tree.find("l1-0", 0)
        self.assertEqual((set_, found, tree.order("l1-0", 0)[0]), (0, True, way))
        self.assertEqual(tree.block("l1-0", 0, way).recency, 0)
        self.assertEqual(tree.find("l1-0", 0x40)[::2], (1, False))

    def test_callbacks(self):
        tree = self.tree()
        seen = []
        tree.set_callbacks(on_transition=seen.append, on_message=seen.append)
        result = tree.store("l1-0", 0)
        for each in result.transitions + result.messages:
            self.assertIn(each[:4], [other[:4] for other in seen])
        tree.set_callbacks()
        count = len(seen)
        tree.store("l1-1", 0)
        self.assertEqual(len(seen), count)

    def test_callbacks_may_raise_but_not_call(self):
        tree = self.tree()
        tree.set_callbacks(on_transition=lambda transition: tree.load("l1-1", 0))
        with self.assertRaises(gpucache.StateError):
            tree.load("l1-0", 0)

        def fail(message):
            raise KeyError(message.kind)

        tree.set_callbacks(on_message=fail)
        with self.assertRaises(KeyError):
            tree.load("l1-0", 0x40)
        tree.set_callbacks()
        self.assertEqual(tree.load("l1-0", 0x40).found, "E")

    def test_replacement_in_python(self):
        """A user's policy in a tree; an exception of the policy comes out of the access."""

        class Highest(gpucache.ReplacementPolicy):
            """Evict the highest way."""

            name = "highest"
            reads = gpucache.ReadsBits.PLACE
            wrong = False

            def choose_victim(self, set, candidates, request):
                if Highest.wrong:
                    raise ZeroDivisionError
                return max(candidates)

        self.context.register(Highest)
        modules = [CoherenceModule("l1-0", **LAZY, replacement="highest"), MODULES[1], MODULES[2]]
        tree = self.tree(modules=modules)
        for address in (0, 0x80, 0x100, 0x180):  # one set of two ways
            tree.load("l1-0", address)
        self.assertEqual({block.tag for _, _, block in tree.blocks("l1-0")}, {0, 0x180})
        Highest.wrong = True
        with self.assertRaises(ZeroDivisionError):
            tree.load("l1-0", 0x200)

    def test_statistics(self):
        """Two loads, the second a hit, and a probe: 2 accesses, 3 lookups."""
        tree = self.tree("mesi")
        tree.load("l1-0", 0)
        tree.load("l1-0", 0)
        tree.load("l1-1", 0)
        stats = tree.stats("l1-0")
        self.assertEqual((stats["loads"], stats["load_hits"], stats["read_probes"], stats["accesses"]), (2, 1, 1, 3))
        self.assertEqual((stats.hit_ratio, stats.lumped_hit_ratio), (1 / 2, 1 / 3))
        self.assertEqual(stats.changes()["I", "E"], (1, Origin.LOAD_MISS))
        self.assertEqual(stats.transitions[5][3], 1)
        self.assertEqual(stats.origins[5][3], 1)
        both = tree.stats(["l1-0", "l1-1"])
        self.assertEqual(both["loads"], 3)
        self.assertEqual(both, tree.level_stats()["L1"])
        self.assertEqual((stats + tree.stats("l1-1") + tree.stats("mm")).transitions, tree.stats().transitions)
        found = tree.stats_json()
        self.assertEqual(found["modules"]["l1-0"]["loads"], 2)
        self.assertEqual(found["levels"]["L1"]["transitions"], both.transitions)
        text = stats.matrices("l1-0").splitlines()
        self.assertEqual(text[0].split(), ["l1-0", *"NMOESI"] * 2)
        self.assertEqual(len(text), 7)
        tree.reset_stats()
        self.assertEqual(set(tree.stats().values()), {0})
        self.assertIsNone(tree.stats().hit_ratio)

    def test_modules_are_read_back(self):
        modules = [
            CoherenceModule("a", ("b", "c"), "up", sets=4, ways=2, block_bytes=32, latency=3, replacement="fifo",
                            ports=2, mshrs=5, any_victim=True),
            CoherenceModule("b", ("m",), "down", "up", sets=4, ways=2, serves=Interleaved(64, 2, 0)),
            CoherenceModule("c", ("m",), "down", "up", sets=4, ways=2, serves=Interleaved(64, 2, 1)),
            CoherenceModule("m", (), None, "down", sets=8, ways=4, serves=AddressRange(0, 0xFFFF), memory=True),
        ]  # fmt: skip
        networks = [CoherenceNetwork("up", 16, 512, 256), CoherenceNetwork("down")]
        hashed = [*modules[:1], *(replace(modules[1 + at], serves=Hashed(64, 2, at), index=gpucache.Index.XOR, dense=True)
                                  for at in range(2)), replace(modules[3], serves=None)]  # fmt: skip
        tree = self.tree(modules=hashed, networks=networks)
        self.assertEqual([tree.module(name) for name in tree.modules], hashed)
        tree.load("a", 0x80)  # stretch 2: the hash by x + 1 has its bits together, 1, as the number's lowest
        self.assertEqual(tree.line("c", 0x80).state, "E")
        tree = self.tree(modules=modules, networks=networks)
        self.assertEqual([tree.module(name) for name in tree.modules], modules)
        self.assertEqual([tree.level(name) for name in "abcm"], [1, 2, 2, 3])
        self.assertEqual((tree.at_level(2), tree.memories), (["b", "c"], ["m"]))
        tree.load("a", 0x40)
        self.assertEqual(tree.line("c", 0x40).directory, (DirectoryEntry("a", ("a",)), DirectoryEntry(None, ())))
        with self.assertRaises(gpucache.RangeError):
            tree.load("a", 0x10000)

    def test_caches_below_each_other(self):
        """Slices a and b: each is home of some pages, and keeps copies of the other's."""
        modules = [CoherenceModule(f"l1-{at}", (f"near-{at}", f"home-{at}"), "net") for at in "ab"]
        modules += [CoherenceModule(f"near-{at}", (f"home-{other}",), "net", "net", ways=2, near_of=f"home-{at}", home=1 + number)
                    for number, (at, other) in enumerate(("ab", "ba"))]  # fmt: skip
        modules += [CoherenceModule(f"home-{at}", (f"memory-{at}",), "net", "net", ways=2, home=1 + number)
                    for number, at in enumerate("ab")]  # fmt: skip
        modules += [CoherenceModule(f"memory-{at}", high_network="net", memory=True, ways=0, home=1 + number)
                    for number, at in enumerate("ab")]  # fmt: skip
        tree = self.tree("moesi", modules=modules, homes=2, page_bytes=4096)
        self.assertEqual([tree.module(name) for name in tree.modules], modules)
        tree.store("l1-a", 0x1000, b"\7")
        self.assertEqual([tree.line(name, 0x1000).state for name in ("l1-a", "near-a", "home-b")], ["M", "E", "E"])
        self.assertEqual(tree.load("l1-b", 0x1000).data, b"\7")
        tree.load("l1-b", 0)
        self.assertEqual([block.tag for _, _, block in tree.blocks("near-b")], [0])
        self.assertEqual([block.tag for _, _, block in tree.blocks("home-b")], [0x1000])
        tree.load("l1-b", 0x2000)
        self.assertEqual({block.tag for _, _, block in tree.blocks("near-b")}, {0, 0x2000}, "home-b's has made room")

    def test_memory_with_room_for_all(self):
        """ways=0: an entry for every cached block."""
        modules = MODULES[:2] + [CoherenceModule("mm", high_network="net", memory=True, ways=0)]
        tree = self.tree(modules=modules)
        for address in range(0, 0x1000, 0x40):
            tree.load("l1-0", address)
        self.assertEqual({block.tag for _, _, block in tree.blocks("mm")} & {0xF80, 0xFC0}, {0xF80, 0xFC0})
        self.assertEqual(tree.stats("mm")["evictions"], 0)

    def test_acquire_and_bits(self):
        """vi: a block written by another cache stays until an acquire."""
        tree = self.tree("vi")
        tree.load("l1-0", 0)
        tree.store("l1-1", 0, b"\7")
        self.assertEqual(tree.load("l1-0", 0).data, b"\0")
        tree.acquire("l1-0")
        self.assertEqual(tree.load("l1-0", 0).data, b"\7")
        tree = self.tree("slc-glc")
        self.assertEqual(tree.load("l1-0", 0, flags="glc|slc").hit, False)
        self.assertEqual(tree.load("l1-0", 0, flags=AccessBits.GLC).hit, False)

    def test_without_data_or_timing(self):
        tree = self.tree(data=False, timing=False)
        result = tree.load("l1-0", 0)
        self.assertEqual((result.data, result.completed, tree.line("l1-0", 0).data), (b"", 0, None))
        with self.assertRaises(gpucache.StateError):
            tree.read_memory(0, 1)

    def test_lifetime(self):
        tree = self.tree()
        context = gpucache.Context()
        other = Coherence(context, MODULES, NETWORKS)
        del context
        gc.collect()
        other.load("l1-0", 0)
        other.close()
        other.close()
        for use in (lambda: other.load("l1-0", 0), lambda: other.stats(), lambda: other.line("l1-0", 0)):
            with self.assertRaises(gpucache.StateError):
                use()
        self.assertFalse(tree.closed)


class Errors(Case):
    def refused(self, kind, text, use):
        with self.assertRaises(kind) as caught:
            use()
        self.assertIn(text, str(caught.exception))

    def test_trees(self):
        other = CoherenceModule("l1-0", **{**LAZY, "low": ["l9"]})
        for kind, text, change in (
            (gpucache.NotFoundError, "l1-0: low: there is no 'l9'", dict(modules=[other])),
            (gpucache.NotFoundError, "low_network: there is no 'net'", dict(networks=[])),
            (gpucache.NotFoundError, "mosei", dict(protocol="mosei")),
            (gpucache.NotFoundError, "mystery", dict(modules=[CoherenceModule("a", **LAZY, replacement="mystery"),
                                                              MODULES[2]])),
            (gpucache.ArgumentError, "l1-0", dict(modules=[MODULES[0], MODULES[0], MODULES[2]])),
            (gpucache.GpucacheError, "block_bytes", dict(modules=[CoherenceModule("a", **LAZY, block_bytes=48),
                                                                  MODULES[2]])),
            (gpucache.GpucacheError, "sets", dict(modules=[CoherenceModule("a", **{**LAZY, "sets": 0}), MODULES[2]])),
            (gpucache.ArgumentError, "modules", dict(modules=[])),
        ):  # fmt: skip
            with self.subTest(text):
                self.refused(kind, text, lambda: self.tree(**change))

    def test_accesses(self):
        tree = self.tree()
        for kind, text, use in (
            (gpucache.NotFoundError, "no module 'l9'", lambda: tree.load("l9", 0)),
            (gpucache.RangeError, "module 3 of 3", lambda: tree.load(3, 0)),
            (gpucache.ArgumentError, "module mm is not of the first level", lambda: tree.load("mm", 0)),
            (gpucache.ArgumentError, "0 bytes", lambda: tree.load("l1-0", 0, 0)),
            (gpucache.ArgumentError, "block", lambda: tree.load("l1-0", 60, 8)),
            (gpucache.ArgumentError, "kind is 'jump'", lambda: tree.access("l1-0", "jump", 0)),
            (gpucache.ArgumentError, "flags", lambda: tree.load("l1-0", 0, flags="mtype")),
            (gpucache.ArgumentError, "2 bytes of data", lambda: tree.access("l1-0", "store", 0, 3, data=b"ab")),
            (gpucache.ArgumentError, "mask 0x4", lambda: tree.store("l1-0", 0, b"ab", mask=4)),
            (gpucache.ArgumentError, "a mask of 1", lambda: tree.store("l1-0", 0, b"ab", mask=[1])),
            (gpucache.RangeError, "module l1-0: set 2 of 2", lambda: tree.block("l1-0", 2, 0)),
        ):  # fmt: skip
            with self.subTest(text):
                self.refused(kind, text, use)
        self.assertEqual(tree.stats()["accesses"], 0)


class Protocols(Case):
    def test_listed(self):
        names = [info.name for info in self.context.policies("protocol")]
        self.assertEqual(
            set(names), {"msi", "mesi", "mesif", "mosi", "moesi", "nmoesi", "nmoesi-d", "nmoesi-multi2sim", "vi",
                         "hmg", "none", "slc-glc"}
        )
        for name in names:
            table = self.context.protocol(name)
            self.assertEqual(table.name, name)
            self.assertTrue(table.rule("first", "I", "load").actions)

    def test_table_2_5(self):
        """Some of the table's cells, by the names of the document."""
        rule = self.context.protocol("nmoesi").rule
        self.assertEqual(rule("first", "M", "n_store").actions & DoBits.HIT, DoBits.HIT)
        self.assertEqual(rule("first", "M", "read-probe")[:2], (DoBits.SEND_DATA, gpucache.CoherenceState.O))
        self.assertEqual(rule("first", "I", "load")[1:], (gpucache.CoherenceState.E, gpucache.CoherenceState.S))

    def test_what_is_registered_is_what_was_given(self):
        """Each built-in protocol under another name does the same."""
        for info in self.context.policies("protocol"):
            table = self.context.protocol(info.name)
            twin = Protocol("twin-" + info.name, **table.tables(), flags=table.flags, pass_loads=table.pass_loads,
                            pass_stores=table.pass_stores, through_stores=table.through_stores)  # fmt: skip
            self.context.register(twin)
            found = self.context.protocol("twin-" + info.name)
            self.assertEqual((found.places, found.flags), (table.places, table.flags))
            logs = []
            for name in (info.name, twin.name):
                tree = self.tree(name)
                log = []
                for step in range(200):
                    module, kind = f"l1-{step * 7 % 5 % 2}", list(CoherenceKind)[step * 5 % 7 % 3]
                    log.append(tree.access(module, kind, step * 11 % 13 * 64, flags=step % 4)[:5])
                logs.append((log, tree.stats().transitions))
            self.assertEqual(*logs, info.name)

    def test_own(self):
        """MESI with messages of clean evictions: the memory's directory then forgets the copy."""
        owners = []
        for name, cell in (("loud", ("notify", "I")), ("quiet", ("hit", "I"))):
            tables = self.context.protocol("mesi").tables()
            tables["first"]["E"]["eviction"] = cell
            self.context.register(Protocol(name, **tables, flags="directory|peer", summary="MESI", source="here"))
            tree = self.tree(name)
            tree.load("l1-0", 0)
            notices = []
            for address in (0x80, 0x100):  # the same set of two ways
                messages = tree.load("l1-0", address).messages
                notices += [each for each in messages if each.kind == MessageKind.NOTICE]
            owners.append((tree.line("mm", 0).directory[0].owner, len(notices)))
        self.assertEqual(owners, [(None, 1), ("l1-0", 0)])
        info = next(each for each in self.context.policies("protocol") if each.name == "loud")
        self.assertEqual((info.summary, info.source, info.builtin), ("MESI", "here", False))

    def test_states_beside_the_six(self):
        """A seventh and an eighth: by name in tables, blocks, transitions and matrices."""
        tables = self.context.protocol("mesif").tables()
        self.assertEqual(tables["states"], {"F": "F"})
        tables["first"]["W_1"] = {event: ("hit", "W_1", "W_1") for event in ("load", "store", "n_store")}
        tables["first"]["W_1"].update(
            eviction=("write-back", "I"), acquire=("ignore", "W_1"), read_probe=("send-data|write-back", "S"),
            write_probe=("send-data", "I"),
        )  # fmt: skip
        tables["first"]["E"]["store"] = ("hit", "W_1")
        tables["states"]["W_1"] = "modified|only|owner"
        self.context.register(Protocol("eight", **tables, flags="directory|peer"))
        found = self.context.protocol("eight")
        self.assertEqual(found.tables()["states"], {"F": "F", "W_1": "M"})
        self.assertEqual(found.rule("first", "E", "store").next.name, "W_1")
        self.assertEqual(found.names, [*"NMOESIF", "W_1"])
        tree = self.tree("eight")
        self.assertEqual(tree.states, found.names)
        tree.load("l1-0", 0x40)
        self.assertEqual(tree.store("l1-0", 0x40, b"\x05").state, "W_1")
        after = tree.load("l1-1", 0x40)
        self.assertEqual((after.state, after.data), ("F", b"\x05"))
        self.assertEqual([(one.before, one.after) for one in after.transitions if one.module == "l1-0"], [("W_1", "S")])
        self.assertEqual(tree.line("l1-1", 0x40).state, "F")
        stats = tree.stats("l1-0")
        self.assertEqual(stats.changes()["E", "W_1"], (1, Origin.STORE))
        self.assertEqual((len(stats.transitions), len(stats.origins[0])), (8, 8))
        six = matrices_of(tree._pointer, tree.modules.index("l1-0"), 6)
        self.assertEqual(six[0][3][1], 1, "in the six, it is M")
        both = tree.stats(["l1-0", "l1-1"])
        self.assertEqual(both.changes()["I", "F"], (1, Origin.LOAD_MISS))
        self.assertEqual(both.changes(), {**tree.stats("l1-1").changes(), **stats.changes()})
        self.assertIn("W_1", stats.matrices("L1").splitlines()[0])
        self.assertEqual(tree.stats_json()["levels"]["L1"]["states"], found.names)
        with self.assertRaises(ValueError):
            stats + self.tree("mesi").stats()

    def test_events_beside_the_sixteen(self):
        """By name in tables, accesses and raising cells."""
        tables = self.context.protocol("mesi").tables()
        tables["events"] = {"rfo": "load", "rfo-below": "write_above"}
        for state, after in zip("MESI", "MEMM"):
            tables["first"][state]["rfo"] = ("hit", after)
        for state in "SI":
            tables["first"][state]["rfo"] = ("write-request", "M", {"below": "rfo-below"})
        for place in ("between", "memory"):
            for row in tables[place].values():
                if "write_above" in row:
                    row["rfo-below"] = row["write_above"]
        self.context.register(Protocol("rfo", **tables, flags="directory|peer"))
        found = self.context.protocol("rfo")
        rule = found.rule("first", "I", "rfo")
        self.assertEqual((rule.below.name, rule.above), ("rfo-below", None))
        self.assertEqual(rule.below.like, gpucache.CoherenceEvent.WRITE_ABOVE)
        self.assertEqual(found.tables(), Protocol("again", **found.tables()).tables())
        written = as_json(found)["first"]["I"]["rfo"]
        self.assertEqual(written, ["write-request", "M", {"below": "rfo-below"}])
        tree = self.tree("rfo")
        self.assertEqual(tree.events, ["rfo", "rfo-below"])
        tree.store("l1-0", 0x40, b"\x05")
        after = tree.access("l1-1", "load", 0x40, event="rfo")
        self.assertEqual((after.state, after.data, after.hit), ("M", b"\x05", False))
        self.assertTrue(tree.store("l1-1", 0x40, b"\x06").hit)
        with self.assertRaisesRegex(gpucache.ArgumentError, "none of the protocol's own: rfo, rfo-below"):
            tree.access("l1-1", "load", 0x40, event="load")
        for text, change in (
            ("event X is like", {"X": "lonely"}), ("event load is there already", {"load": "load"}),
            ("none of the protocol's events", {"rfo": "load"}), ("is like 3", {**tables["events"], "e": "eviction"}),
        ):  # fmt: skip
            with self.subTest(text), self.assertRaises(gpucache.ArgumentError) as raised:
                self.context.register(Protocol("wrong", **{**tables, "events": change}, flags="directory|peer"))
            if text:
                self.assertIn(text, raised.exception.message)

    def test_wrong_states(self):
        tables = self.context.protocol("mesif").tables()
        for text, change in (
            ("state X is 'lonely'", {"X": "lonely"}), ("states[1].name", {"F": "F", "a b": "S"}),
            ("state X means 0x2", {"F": "F", "X": "only"}), ("not one of N, M, O, E, S, I, G", {"G": "F"}),
        ):  # fmt: skip
            with self.subTest(text):
                with self.assertRaises(gpucache.ArgumentError) as raised:
                    self.context.register(Protocol("wrong", **{**tables, "states": change}, flags="directory|peer"))
                self.assertIn(text, raised.exception.message)

    def test_refused(self):
        """The missing cell is named; an invalid cell, too."""
        tables = self.context.protocol("mesi").tables()
        missing = {**tables, "first": {state: dict(row) for state, row in tables["first"].items()}}
        del missing["first"]["E"]["store"]
        for kind, text, use in (
            (gpucache.ArgumentError, "first, E, Store", lambda: self.context.register(Protocol("mine", **missing))),
            (gpucache.ArgumentError, "name must be", lambda: self.context.register(Protocol("Mine", **tables))),
            (gpucache.ExistsError, "mesi", lambda: self.context.register(Protocol("mesi", **tables))),
            (gpucache.ArgumentError, "'shout'", lambda: Protocol("mine", {"E": {"load": ("shout", "E")}}, {})),
            (gpucache.ArgumentError, "next state of first, E, load", lambda: Protocol(
                "mine", {"E": {"load": ("hit", "X")}}, {})),
            (gpucache.ArgumentError, "a state of first", lambda: Protocol("mine", {"X": {}}, {})),
            (gpucache.ArgumentError, "an event of first, E", lambda: Protocol(
                "mine", {"E": {"sing": ("hit", "E")}}, {})),
            (gpucache.ArgumentError, "first, E, load is 'hit'", lambda: Protocol("mine", {"E": {"load": "hit"}}, {})),
            (gpucache.ArgumentError, "flags", lambda: Protocol("mine", {}, {}, flags="telepathy")),
            (gpucache.NotFoundError, "no protocol 'mosei'", lambda: self.context.protocol("mosei")),
        ):  # fmt: skip
            with self.subTest(text), self.assertRaises(kind) as caught:
                use()
            self.assertIn(text, str(caught.exception))
        self.assertNotIn("mine", [info.name for info in self.context.policies("protocol")])

    def test_flags(self):
        both = ProtocolBits.DIRECTORY | ProtocolBits.PEER
        self.assertEqual(Protocol("a", {}, {}, flags="directory | peer").flags, both)
        self.assertEqual(Protocol("a", {}, {}, flags=3).flags, both)


if __name__ == "__main__":
    unittest.main()
