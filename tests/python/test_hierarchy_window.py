# SPDX-License-Identifier: BSD-2-Clause
"""Lines that persist in L2, through the package."""

import unittest

from harness import TemporaryCase

import gpucache


class Window(TemporaryCase):
    def memory(self, **settings):
        config = gpucache.Config(self.context, settings={
            "l1.enabled": "false", "l2.slices": 1, "l2.size": "8KiB", "l2.ways": 4, "l2.persisting": "4KiB", **settings,
        })  # fmt: skip
        memory = gpucache.Hierarchy(self.context, config)
        self.addCleanup(memory.close)
        memory.begin_kernel()
        return memory

    def misses(self, memory, address):
        return memory.access(range(address, address + 128, 4)).dram_sectors

    def stream(self, memory):
        for line in range(100, 400):
            self.misses(memory, 128 * line)

    def test_it_comes_and_goes(self):
        memory = self.memory()
        memory.set_window(0, 2048)
        for line in range(16):
            self.misses(memory, 128 * line)
        self.stream(memory)
        self.assertEqual(sum(self.misses(memory, 128 * line) for line in range(16)), 0)
        stats = memory.stats()
        self.assertEqual(stats["l2.persisting_sectors"], 2 * 16 * 4)
        self.assertEqual(stats["l2.persisting_sector_hits"], 16 * 4)
        memory.set_window()
        self.stream(memory)
        self.assertEqual(self.misses(memory, 0), 0)
        memory.reset_persisting()
        self.stream(memory)
        self.assertEqual(self.misses(memory, 0), 4)

    def test_what_is_wrong(self):
        memory = self.memory()
        with self.assertRaisesRegex(gpucache.ArgumentError, "hit_ratio"):
            memory.set_window(0, 128, hit_ratio=101)
        with self.assertRaisesRegex(gpucache.ArgumentError, "miss"):
            memory.set_window(0, 128, miss="last")
        with self.assertRaisesRegex(gpucache.RangeError, "l2.window_ratio has no effect"):
            self.memory(**{"l2.window_ratio": 30})


class Wrong(TemporaryCase):
    """The reason for a refused access names the field."""

    def test_fields(self):
        functional = gpucache.Hierarchy(self.context, gpucache.Config(self.context))
        timed = gpucache.Hierarchy(self.context, gpucache.Config(self.context, settings={"mode": "timed"}))
        self.addCleanup(functional.close)
        self.addCleanup(timed.close)
        for fields, said in (({"sm": 99}, "sm is not below sm.count"), ({"width": 0}, "width is not 1 to 64"),
                             ({"kind": 9}, "kind is 9"), ({"mask": 1 << 40}, "mask has lanes")):  # fmt: skip
            for offer in (functional.access, timed.try_issue):
                with self.assertRaisesRegex(gpucache.ArgumentError, said):
                    offer([0], **fields)


if __name__ == "__main__":
    unittest.main()
