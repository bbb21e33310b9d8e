# SPDX-License-Identifier: BSD-2-Clause
"""Kernels at once: Replay.streams(), and run --concurrent."""

import json
import unittest

from harness import TemporaryCase, command, write_trace

import gpucache

WORK = ("synthetic:vectoradd:64KiB", "synthetic:gather:32KiB")
SUMMED = ("kernels", "blocks", "warp_instructions", "thread_instructions", "l1.load_sectors", "l1.load_sector_hits",
          "l2.read_sectors", "l2.read_sector_hits", "dram.read_sectors")  # fmt: skip


class Streams(TemporaryCase):
    def replay(self, **settings):
        config = gpucache.Config(self.context, preset="qv100", settings={"mode": "timed", "streams": 2, **settings})
        made = gpucache.Replay(self.context, config)
        self.addCleanup(made.close)
        return made

    def traces(self):
        for source in WORK:
            trace = gpucache.Trace(self.context, source)
            self.addCleanup(trace.close)
            yield trace

    def test_at_once(self):
        results, whole = self.replay().streams([gpucache.Stream(trace) for trace in self.traces()])
        self.assertEqual(sorted(each.kernel.name for each in results),
                         ["_Z6gatherPfPKfPKji", "_Z9vectoraddPKfS0_Pfi"])  # fmt: skip
        for name in SUMMED:
            self.assertEqual(sum(each.stats[name] for each in results), whole[name], name)
        self.assertNotIn("scheduler.issued", results[0].stats)
        self.assertEqual(whole["cycles"], max(each.ended for each in results))
        alone = sum(self.replay().kernel(trace).stats["cycles"] for trace in self.traces())
        self.assertLess(whole["cycles"], alone)

    def test_partitions_and_priority(self):
        seen = []
        first, second = self.traces()
        streams = [gpucache.Stream(first, sms=range(4)), gpucache.Stream(second, sms=[4, 5], priority=-1)]
        replay = self.replay()
        replay.keep_objects()
        results, _ = replay.streams(streams, seen.append)
        self.assertEqual((results, len(seen)), ([], 2))
        used = {name: values for name, values in replay.objects("sm").items() if values["warp_instructions"]}
        self.assertEqual(list(used), [f"sm-{n}" for n in range(6)])

    def test_errors(self):
        first, second = self.traces()
        with self.assertRaisesRegex(gpucache.RangeError, "2 streams, but streams = 1"):
            self.replay(streams=1).streams([gpucache.Stream(first), gpucache.Stream(second)])
        with self.assertRaisesRegex(gpucache.RangeError, r"sms\[0\] is 80"):
            self.replay().streams([gpucache.Stream(first, sms=[80])])
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            self.replay().streams([gpucache.Stream(first)], lambda result: 1 // 0)


class Processes(TemporaryCase):
    """Concurrent programs have separate memory."""

    def hierarchy(self, mode="functional", **settings):
        sectors = {"l1.sectors": 4, "l2.sectors": 4}
        config = gpucache.Config(self.context, settings={"mode": mode, "sm.count": 1, **sectors, **settings})
        made = gpucache.Hierarchy(self.context, config)
        self.addCleanup(made.close)
        return made

    def test_accesses(self):
        memory = self.hierarchy()
        for process in (0, 1, 127):
            found = [memory.access(range(0x1000, 0x1080, 4), process=process) for _ in range(2)]
            self.assertEqual([each.dram_sectors for each in found], [4, 0], process)
        told = memory.access_many([0x1000] * 4, lanes=1, processes=[0, 5, 5, 127], results=True)
        hits = told["l1_sector_hits"] if hasattr(told, "dtype") else [each.l1_sector_hits for each in told]
        self.assertEqual(list(hits), [1, 0, 1, 1])
        for process in (-1, 128, 300):
            with self.assertRaisesRegex(ValueError, f"process {process} is not 0 to 127"):
                memory.access([0], process=process)
        with self.assertRaisesRegex(gpucache.ArgumentError, "beyond the 57 bits that those of a process above 0 have"):
            memory.access([1 << 57], process=1)
        with self.assertRaisesRegex(gpucache.ArgumentError, "of a hierarchy with several processes"):
            memory.access([1 << 57])

    def test_preload_locate_and_window(self):
        memory = self.hierarchy(**{"l2.persisting": "64KiB"})
        memory.preload(2, 0x4000, 128, process=2)
        self.assertEqual(memory.access([0x4000], process=1).dram_sectors, 1)
        self.assertEqual(memory.access([0x4000], process=2).dram_sectors, 0)
        self.assertEqual(memory.locate(0x4000, process=2).line, gpucache.process_address(2, 0x4000))
        memory.set_window(0, 1 << 20, process=1)
        for process, sectors in ((1, 1), (2, 0), (0, 0)):
            before = memory.stats()["l2.persisting_sectors"]
            memory.access([0x8000], process=process)
            self.assertEqual(memory.stats()["l2.persisting_sectors"] - before, sectors, process)

    def test_told(self):
        memory = self.hierarchy("timed", ports=1)
        events, asked, fills = [], [], []
        memory.set_trace(events.append)
        memory.set_callbacks(
            on_memory=asked.append,
            on_fill=lambda level, instance, line, sectors, request: fills.append((level, line, request.process)),
        )
        self.assertFalse(memory.try_issue([0x2000], process=3))
        while memory.in_flight:
            memory.advance(1)
            for request in asked:
                self.assertEqual((request.address, request.process), (0x2000, 3))
                memory.memory_reply(request.id)
            asked.clear()
        self.assertIn((1, 0x2000, 3), fills)
        self.assertEqual({(event.address, event.process) for event in events if event.address is not None},
                         {(0x2000, 3)})  # fmt: skip
        self.assertIn("process=3", str(events[0]))
        memory.set_trace()
        memory.set_callbacks()
        self.assertTrue(memory.try_port(0x2000, 128, process=3))
        memory.drain()
        self.assertFalse(memory.try_miss(0x2000, process=3))
        memory.drain()

    def test_streams(self):
        source = "synthetic:gather:32KiB"
        config = gpucache.Config(self.context, preset="qv100", settings={"streams": 2, "launch.sectors": 0})

        def run(*processes):
            with gpucache.Replay(self.context, config) as replay, gpucache.Trace(self.context, source) as one, \
                    gpucache.Trace(self.context, source) as other:  # fmt: skip
                streams = [gpucache.Stream(trace, process=process)
                           for trace, process in zip((one, other), processes)]  # fmt: skip
                results, whole = replay.streams(streams)
            return sorted(each.process for each in results), whole["dram.read_sectors"]

        alone = run(3)
        self.assertEqual(alone[0], [3])
        self.assertEqual(run(None, None), ([0, 1], 2 * alone[1]))
        self.assertEqual(run(3, None), ([0, 3], 2 * alone[1]))
        self.assertEqual(run(4, 4), ([4, 4], alone[1]))
        with self.assertRaisesRegex(ValueError, "process 128 is not 0 to 127"):
            run(128)


class Ports(TemporaryCase):
    def test_requests(self):
        done = []
        config = gpucache.Config(self.context, preset="qv100", settings={"mode": "timed", "ports": 2})
        with gpucache.Hierarchy(self.context, config, on_complete=done.append) as memory:
            self.assertTrue(memory.try_port(0x10000, 4096, 7, port=1, kind="store"))
            memory.drain()
            self.assertEqual([(each.token, each.port, each.kind.name) for each in done], [(7, 1, "STORE")])
            self.assertEqual(memory.port_stats(1)["write_sectors"], 128)
            self.assertEqual(memory.stats()["l2.write_sectors"], 128)
            with self.assertRaisesRegex(gpucache.ArgumentError, "port is 2"):
                memory.try_port(0, 1, port=2)

    def test_copies_of_a_list(self):
        """A list's copies by a port: the written lines are in L2 at the kernel's start, and take no cycles of the
        kernel."""
        source = write_trace(self.path("t"))
        replay = gpucache.Replay(self.context, gpucache.Config(
            self.context, preset="qv100", settings={"mode": "timed", "ports": 1}))  # fmt: skip
        self.addCleanup(replay.close)
        memory = replay.hierarchy

        def by_port(address, size):
            self.assertTrue(memory.try_port(address, size, kind="store"))

        with gpucache.Trace(self.context, source, on_memcpy=by_port) as trace:
            copied = replay.kernel(trace).stats
        self.assertEqual(memory.port_stats()["write_sectors"], 128)
        self.assertEqual(memory.port_stats()["completed"], 1)
        with gpucache.Replay(self.context, replay.config) as alone, \
                gpucache.Trace(self.context, source) as trace:
            found = alone.kernel(trace).stats
        self.assertEqual(found["l2.read_sectors"], copied["l2.read_sectors"])
        self.assertLess(copied["dram.read_sectors"], found["dram.read_sectors"])


class Command(TemporaryCase):
    def run_json(self, *arguments):
        done = command("run", *WORK, "--preset", "qv100", "--json", "-", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_concurrent(self):
        found = self.run_json("--concurrent", "--mode", "timed", "--sms", "0-39", "--sms", "40-79,0")
        kernels = found["kernels"]
        self.assertEqual({kernel["concurrent"]["stream"] for kernel in kernels}, {0, 1})
        self.assertEqual(found["config"]["streams"], "2")
        self.assertEqual(found["total"]["cycles"], max(kernel["concurrent"]["ended"] for kernel in kernels))
        for name in SUMMED:
            self.assertEqual(sum(kernel["stats"][name] for kernel in kernels), found["total"][name], name)

    def test_memory(self):
        """Each trace is a program; --share-memory joins the programs."""
        same = "synthetic:gather:32KiB"
        arguments = ("run", same, same, "--preset", "qv100", "--concurrent", "--set", "launch.sectors=0", "--json", "-")
        found = {}
        for more in ((), ("--sms", "0-39", "--sms", "40-79"), ("--share-memory",)):
            done = command(*arguments, *more)
            self.assertEqual(done.returncode, 0, done.stderr)
            document = json.loads(done.stdout)
            found[more] = document["total"]["dram.read_sectors"]
            self.assertEqual(sorted(kernel["concurrent"]["process"] for kernel in document["kernels"]),
                             [0, 0] if "--share-memory" in more else [0, 1])  # fmt: skip
        apart, partitions, shared = found.values()
        self.assertEqual((apart, partitions), (2 * shared, 2 * shared))

    def test_table(self):
        told = command("run", *WORK, "--preset", "qv100", "--mode", "timed", "--concurrent").stdout
        self.assertIn("core cycles, IPC", told)
        self.assertLessEqual(max(map(len, told.splitlines())), 120)

    def test_errors(self):
        for arguments, told in (
            (("--concurrent", "--sms", "0"), "--sms is to be there once for each trace"),
            (("--priority", "1"), "are for --concurrent"),
            (("--share-memory",), "are for --concurrent"),
            (("--concurrent", "--per", "sm"), "--per is of kernels one after the other"),
            (("--concurrent", "--sms", "x", "--sms", "1"), "is not SMs such as 0-65,70"),
        ):
            with self.subTest(arguments):
                done = command("run", *WORK, *arguments)
                self.assertEqual(done.returncode, 2)
                self.assertIn(told, done.stderr)


if __name__ == "__main__":
    unittest.main()
