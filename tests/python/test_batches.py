# SPDX-License-Identifier: BSD-2-Clause
"""Arrays of warp instructions: through a hierarchy, and into a trace."""

import array
import random
import unittest

from harness import TemporaryCase

import gpucache

try:
    import numpy
except ImportError:
    numpy = None

COUNT, LANES = 200, 8


class Batches(TemporaryCase):
    def setUp(self):
        super().setUp()
        pick = random.Random(3)
        self.addresses = [[8 * pick.randrange(4096) for _ in range(LANES)] for _ in range(COUNT)]
        self.masks = [pick.randrange(1, 1 << LANES) for _ in range(COUNT)]
        self.sms = [number % 2 for number in range(COUNT)]
        self.kinds = [gpucache.Kind.LOAD if number % 4 else gpucache.Kind.STORE for number in range(COUNT)]
        self.config = gpucache.Config(self.context, settings={"sm.count": 2, "l1.size": "2KiB"})
        self.flat = [address for row in self.addresses for address in row]

    def hierarchy(self):
        made = gpucache.Hierarchy(self.context, self.config)
        self.addCleanup(made.close)
        return made

    def expected(self):
        one = self.hierarchy()
        found = []
        for row, mask, sm, kind in zip(self.addresses, self.masks, self.sms, self.kinds):
            lanes = [address for lane, address in enumerate(row) if mask >> lane & 1]
            found.append(one.access(lanes, mask=mask, sm=sm, kind=kind, width=8))
        return one.stats(), [(each.sectors, each.l1_sector_hits, each.dram_sectors) for each in found]

    def test_lists_and_arrays(self):
        stats, _ = self.expected()
        for made in (list, lambda values: array.array("Q", values)):
            many = self.hierarchy()
            done = many.access_many(made(self.flat), lanes=LANES, masks=self.masks, sms=self.sms, kinds=self.kinds, width=8)
            self.assertEqual((done, many.stats()), (COUNT, stats))

    @unittest.skipUnless(numpy, "NumPy is not installed")
    def test_records(self):
        stats, expected = self.expected()
        many = self.hierarchy()
        found = many.access_many(numpy.array(self.addresses, numpy.uint64), masks=numpy.array(self.masks, numpy.uint64),
                                 sms=numpy.array(self.sms, numpy.uint32), kinds=self.kinds, width=8,
                                 results=True)  # fmt: skip
        self.assertEqual(many.stats(), stats)
        self.assertEqual([tuple(row) for row in found[["sectors", "l1_sector_hits", "dram_sectors"]].tolist()], expected)
        self.assertEqual(int(found["l1_sector_hits"].sum()), sum(row[1] for row in expected))

    def test_refusals(self):
        many = self.hierarchy()
        with self.assertRaises(gpucache.ArgumentError) as caught:
            many.access_many(self.flat, lanes=LANES, sms=[0] * 50 + [2] + [0] * (COUNT - 51))
        self.assertEqual(caught.exception.done, 50)
        for arguments, error in (
            ({"lanes": 7}, ValueError), ({"lanes": LANES, "sms": [1]}, ValueError),
            ({"lanes": LANES, "sm": [1]}, TypeError), ({"lanes": 80}, gpucache.ArgumentError),
        ):  # fmt: skip
            with self.subTest(arguments), self.assertRaises(error):
                many.access_many(self.flat, **arguments)

    def written(self, **arguments):
        path = self.path("own.gct")
        with gpucache.TraceWriter(self.context, path) as writer:
            writer.new_kernel("mine", grid=(2, 1), block=64)
            writer.accesses([0x1000, 0x1004, 0x2000, 0x2004], lanes=2, blocks=[1, 0], warps=[1, 0], pcs=[16, 32],
                            kinds=[gpucache.Kind.LOAD, gpucache.Kind.STORE], masks=[3, 1], **arguments)  # fmt: skip
            writer.accesses([0x3000, 0x3008], lanes=2, blocks=[1], warps=[1], pcs=[48], width=8)
            writer.new_kernel("next")
            writer.accesses([0x4000], lanes=1)
        return path

    def test_trace(self):
        with gpucache.Trace(self.context, self.written()) as trace:
            kernels = []
            for kernel in trace:
                blocks = []
                for block in kernel:
                    for warp in block:
                        for each in warp:
                            if each.addresses:
                                blocks.append((block.index, warp.index, each.opcode, each.pc,
                                               list(each.addresses)))  # fmt: skip
                kernels.append((kernel.name, blocks))
        self.assertEqual(kernels, [
            ("mine", [(0, 0, "STG.E", 32, [0x2000]), (1, 1, "LDG.E", 16, [0x1000, 0x1004]),
                      (1, 1, "LDG.E.64", 48, [0x3000, 0x3008])]),
            ("next", [(0, 0, "LDG.E", 0, [0x4000])]),
        ])  # fmt: skip

    def test_refused_rows(self):
        with gpucache.TraceWriter(self.context, self.path("x.gct")) as writer:
            with self.assertRaisesRegex(gpucache.StateError, "no kernel yet"):
                writer.accesses([0], lanes=1)
            writer.new_kernel("k", grid=2, block=64)
            for arguments, message in (
                ({"blocks": [2]}, "entry 0: expected in blocks"), ({"warps": [2]}, "entry 0: expected in warps"),
                ({"masks": [2]}, "in masks"), ({"width": 3}, "in widths"), ({"kinds": [9]}, "in kinds"),
            ):  # fmt: skip
                with self.subTest(message), self.assertRaisesRegex(gpucache.ArgumentError, message):
                    writer.accesses([0], lanes=1, **arguments)
            writer.accesses([0], lanes=1)


class LocalMemory(TemporaryCase):
    """Accesses by the threads' private offsets: a table of NVBit's, and a host."""

    def test_host_and_table(self):
        config = gpucache.Config(self.context, settings={"sm.count": 1, "sm.warps": 4})
        hierarchy = gpucache.Hierarchy(self.context, config)
        self.addCleanup(hierarchy.close)
        fields = {"space": gpucache.Space.LOCAL, "local_offsets": True, "width": 8}
        lines = ["block,warp,kind,width,mask,address"]
        for warp in range(3):
            done = hierarchy.access([0x1000] * 32, warp=warp, **fields)
            self.assertEqual((done.lines, done.sectors, done.l1_sector_hits), (2, 8, 0))
            lines.append(f"0,{warp},local-load,8,0xffffffff,{' '.join(['4096'] * 32)}")
        table = self.write("local.csv", "\n".join(lines))
        replay = gpucache.Replay(self.context, config)
        self.addCleanup(replay.close)
        with gpucache.Trace(self.context, table) as trace:
            total = [result.stats for result in replay.run(trace)][-1]
        self.assertEqual((total["l1.load_lines"], total["l1.load_sectors"], total["l1.load_sector_hits"]), (6, 24, 0))

    def test_addresses(self):
        config = gpucache.Config(self.context, settings={"sm.count": 2, "sm.warps": 4})
        hierarchy = gpucache.Hierarchy(self.context, config)
        self.addCleanup(hierarchy.close)
        self.assertEqual(hierarchy.local_address(1, 2, 5, 9), 2**56 + 2**55 + 4 * (2 * 256 + (4 + 2) * 32 + 5) + 1)
        for place in ((2, 0, 0, 0), (0, 4, 0, 0), (0, 0, 32, 0)):
            with self.assertRaises(ValueError):
                hierarchy.local_address(*place)
        with self.assertRaisesRegex(gpucache.GpucacheError, "space is not LOCAL"):
            hierarchy.access([0], local_offsets=True)


if __name__ == "__main__":
    unittest.main()
