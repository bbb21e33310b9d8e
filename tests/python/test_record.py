# SPDX-License-Identifier: BSD-2-Clause
"""Recordings of a hierarchy's accesses."""

import random
import unittest

from harness import TemporaryCase, command

import gpucache


class Recordings(TemporaryCase):
    SETTINGS = {"sm.count": 2, "l1.size": "4KiB", "l2.size": "16KiB", "l2.slices": 2}

    def drive(self, hierarchy):
        pick = random.Random(5)
        for launch in range(2):
            hierarchy.begin_kernel(threads=64, shared_bytes=1024 * launch)
            for _ in range(600):
                first = 32 * pick.randrange(400)
                hierarchy.access(
                    [first + 4 * lane for lane in range(32)], sm=pick.randrange(2), block=pick.randrange(3),
                    warp=pick.randrange(4), pc=16 * pick.randrange(9), kind=pick.choice(["load", "load", "store"]),
                )  # fmt: skip

    def replayed(self, path, **settings):
        config = gpucache.Config(self.context, settings={**self.SETTINGS, **settings})
        with gpucache.Replay(self.context, config) as replay, gpucache.Trace(self.context, path) as trace:
            kernels = [kernel.name for kernel, _ in replay.run(trace)]
            return kernels, replay.hierarchy.stats()

    def test_replay_is_the_same(self):
        path = self.path("host.gct")
        config = gpucache.Config(self.context, settings=self.SETTINGS)
        with gpucache.Hierarchy(self.context, config) as hierarchy:
            with hierarchy.record(path) as recording:
                self.assertTrue(recording.running)
                self.drive(hierarchy)
            self.assertFalse(recording.running)
            hosted = hierarchy.stats()
        kernels, replayed = self.replayed(path, **{"warps.order": "recorded"})
        self.assertEqual(kernels, ["recorded-0", "recorded-1"])
        self.assertEqual(dict(hosted), dict(replayed))
        self.assertGreater(hosted["l1.load_sector_hits"], 0)
        self.assertNotEqual(hosted["l1.load_sector_hits"], self.replayed(path)[1]["l1.load_sector_hits"])

    def test_convert(self):
        """Each kernel has a separate order: a kernel is written when the trace is past the kernel."""
        path, copy = self.path("host.gct"), self.path("copy.gct")
        config = gpucache.Config(self.context, settings=self.SETTINGS)
        with gpucache.Hierarchy(self.context, config) as hierarchy:
            with hierarchy.record(path):
                self.drive(hierarchy)
        self.assertEqual(command("convert", path, copy).returncode, 0)
        with open(path, "rb") as a, open(copy, "rb") as b:
            self.assertEqual(a.read(), b.read())
        with gpucache.Trace(self.context, path) as trace:
            kernel = next(iter(trace))
            turns = [(turn.block, turn.warp) for turn in kernel._raw.recording.contents.turns[:600]]
        with gpucache.Trace(self.context, path) as trace:
            kernels = list(trace)
            self.assertEqual([(t.block, t.warp) for t in kernels[0]._raw.recording.contents.turns[:600]], turns)

    def test_failures(self):
        config = gpucache.Config(self.context, settings=self.SETTINGS)
        with gpucache.Hierarchy(self.context, config) as hierarchy:
            with self.assertRaisesRegex(gpucache.InputOutputError, "/dev/full"):
                with hierarchy.record("/dev/full"):
                    self.drive(hierarchy)
            with self.assertRaisesRegex(KeyError, "mine"):
                with hierarchy.record("/dev/full"):
                    self.drive(hierarchy)
                    raise KeyError("mine")
            recording = hierarchy.record(self.path("a.gct"))
            with self.assertRaises(gpucache.StateError):
                hierarchy.record(self.path("b.gct"))
            recording.end()
            recording.end()


if __name__ == "__main__":
    unittest.main()
