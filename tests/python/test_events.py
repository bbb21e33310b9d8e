# SPDX-License-Identifier: BSD-2-Clause
"""Events: callbacks, filters, text, and files for Perfetto, read by a validator of the format."""

import collections
import copy
import io
import json
import os
import sys
import unittest

from harness import TemporaryCase, command, write_trace

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import perfetto  # noqa: E402

import gpucache  # noqa: E402
from gpucache import Component, Kind, What  # noqa: E402
from gpucache import events as module  # noqa: E402

COHERENT = {
    "sm.count": 4, "l1.sectors": 1, "l2.sectors": 1, "l1.write_policy": "back", "l1.write_policy_local": "back",
    "l1.write_allocate": "fetch", "l1.write_allocate_local": "fetch", "l2.inclusion": "inclusive",
    "l2.interleave_bytes": 128, "coherence": "nmoesi", "cluster.sms": 2,
}  # fmt: skip
# Name: preset, settings.
CONFIGURATIONS = {
    "h100": ("h100", {"l2.partitions": 2}),
    "kepler": ("kepler", {}),
    "gtx480": ("gtx480", {"l1.mshr_entries": 2}),
    "coherent": (None, COHERENT),
    "functional": ("h100", {"mode": "functional"}),
}


class Events(TemporaryCase):
    def setUp(self):
        super().setUp()
        self.source = write_trace(self.path("t"), (("_Z5twicePfS_", 4), ("_ZN3net4reluEPf", 6)))

    def config(self, name):
        preset, settings = CONFIGURATIONS[name]
        return gpucache.Config(self.context, preset=preset, settings={"mode": "timed", **settings})

    def replay(self, name, events, **options):
        config = self.config(name)
        interval = 100 if config["mode"] == "timed" and "on_sample" in options else 0
        with gpucache.Replay(self.context, config, events=events, sample_interval=interval, **options) as made:
            with gpucache.Trace(self.context, self.source) as trace:
                results = list(made.run(trace))
            return sum((result.stats for result in results), gpucache.Stats())

    def hierarchy(self, **settings):
        config = gpucache.Config(self.context, settings={"mode": "timed", **settings})
        made = gpucache.Hierarchy(self.context, config)
        self.addCleanup(made.close)
        return made


class Callbacks(Events):
    def test_a_load_from_issue_to_completion(self):
        memory, found = self.hierarchy(), []
        memory.set_trace(found.append)
        memory.try_issue(range(0, 128, 4), pc=0x40, warp=3)
        memory.drain()
        self.assertIs(found[0].what, What.ISSUE)
        self.assertIs(found[-1].what, What.COMPLETE)
        self.assertEqual(found[-1].value, found[-1].cycle - found[0].cycle)
        self.assertEqual(found[-1].outcome, "dram")
        self.assertEqual({event.access for event in found}, {1})
        self.assertEqual({(event.pc, event.warp, event.kind) for event in found}, {(0x40, 3, Kind.LOAD)})
        lookups = [(event.component, event.outcome) for event in found if event.what is What.LOOKUP]
        self.assertEqual(lookups, [(Component.L1, "miss"), (Component.L2, "miss")])
        parents = {event.packet: event.parent for event in found}
        self.assertEqual(parents[4], 3)
        self.assertEqual((parents[3], parents[2], parents[1]), (2, 1, 0))

    def test_removed(self):
        memory, found = self.hierarchy(), []
        memory.set_trace(found.append)
        memory.set_trace(None)
        memory.try_issue([0])
        memory.drain()
        self.assertEqual(found, [])

    def test_false_cancels(self):
        memory, found = self.hierarchy(), []

        def few(event):
            found.append(event)
            return len(found) < 5

        memory.set_trace(few)
        memory.try_issue([0])
        with self.assertRaises(gpucache.CancelledError):
            memory.drain()
        self.assertEqual(len(found), 5)
        memory.drain()
        self.assertEqual(memory.stats()["completed"], 1)
        self.assertEqual(len(found), 5)

    def test_what_it_raises_is_raised(self):
        memory = self.hierarchy()

        def fails(event):
            raise KeyError("enough")

        memory.set_trace(fails, whats="lookup")
        memory.try_issue([0])
        with self.assertRaisesRegex(KeyError, "enough"):
            memory.drain()
        memory.drain()
        with self.assertRaisesRegex(KeyError, "enough"):
            self.replay("kepler", fails)
        with self.assertRaisesRegex(KeyError, "enough"):
            self.replay("functional", fails)

    def test_may_ask_for_now_and_no_more(self):
        memory, found = self.hierarchy(), []

        def asks(event):
            found.append(memory.now)
            with self.assertRaises(gpucache.StateError):
                memory.stats()

        memory.set_trace(asks)
        memory.try_issue([0])
        memory.drain()
        self.assertGreater(len(found), 10)

    def test_filters(self):
        whole = []
        self.replay("kepler", whole.append)
        pcs = sorted({event.pc for event in whole if event.pc is not None})
        for fields, passes in (
            ({"sm": 1}, lambda e: e.sm == 1),
            ({"sm": (1, 2)}, lambda e: e.sm in (1, 2)),
            ({"kinds": "store"}, lambda e: e.kind is Kind.STORE),
            ({"kinds": [Kind.LOAD]}, lambda e: e.kind is Kind.LOAD),
            ({"whats": ["fill", What.SEND]}, lambda e: e.what in (What.FILL, What.SEND)),
            ({"components": "l2"}, lambda e: e.component is Component.L2),
            ({"pc": pcs[0], "kinds": "load"}, lambda e: e.pc == pcs[0] and e.kind is Kind.LOAD),
            ({"address": (0, 2**40)}, lambda e: e.address is not None and e.address <= 2**40),
            ({"cycle": (100, 300)}, lambda e: 100 <= e.cycle <= 300),
        ):
            with self.subTest(fields=fields):
                part = []
                self.replay("kepler", part.append, event_filter=fields)
                self.assertEqual(part, [event for event in whole if passes(event)])
        self.assertTrue(whole)

    def test_bad_filters(self):
        memory = self.hierarchy()
        for fields in ({"sm": (3, 2)}, {"whats": "nothing"}, {"kinds": 17}):
            with self.subTest(fields=fields), self.assertRaises(gpucache.ArgumentError):
                memory.set_trace(print, **fields)
        with self.assertRaises(TypeError):
            memory.set_trace(print, colour="red")

    def test_agree_with_counters(self):
        for name in CONFIGURATIONS:
            with self.subTest(name=name):
                found = []
                stats = self.replay(name, found.append)
                total = collections.Counter(event.what for event in found)
                self.assertEqual(total[What.ISSUE], total[What.COMPLETE])
                self.assertEqual(total[What.SEND], total[What.RECEIVE])
                read = sum(event.bytes for event in found if event.what is What.MEMORY_READ)
                self.assertEqual(read, 32 * (stats["dram.read_sectors"] - stats["dram.launch_sectors"]))
                if name != "functional":
                    self.assertEqual(total[What.READ], stats["dram.reads"])


class Filters(unittest.TestCase):
    def test_text(self):
        self.assertEqual(module.parse_filter("sm=3"), {"sm": 3})
        self.assertEqual(
            module.parse_filter("sm=0-7,kind=load+store,address=0x10-0x1f"),
            {"sm": (0, 7), "kinds": [Kind.LOAD, Kind.STORE], "address": (16, 31)},
        )
        self.assertEqual(module.parse_filter("what=mshr-merge,component=l1"),
                         {"whats": [What.MSHR_MERGE], "components": [Component.L1]})  # fmt: skip

    def test_refused(self):
        for text in ("sm", "colour=red", "sm=x", "kind=lod", "what=", "pc=1-"):
            with self.subTest(text=text), self.assertRaises(ValueError):
                module.parse_filter(text)


class Names(Events):
    def test_outcomes_are_the_librarys(self):
        """The words of Python's table against gpc_event_outcome, for every event and outcome."""
        import ctypes

        from gpucache import _generated as g
        from gpucache._loader import lib

        for what in What:
            self.assertEqual(lib.gpc_what_name(what).decode(), module.name_of(what))
            for outcome in range(2 if what in (What.READ, What.WRITE) else 14):
                raw = g.gpc_event(what=what, outcome=outcome, sm=1)
                word = lib.gpc_event_outcome(ctypes.byref(raw)).decode()
                self.assertEqual(module.event_of(raw).outcome, "" if word == "" else word, (what, outcome))
        for component in Component:
            self.assertEqual(lib.gpc_component_name(component).decode(), module.name_of(component))


class Files(Events):
    def written(self, name, writer, **options):
        text = io.StringIO()
        with writer(text) as made:
            clock = CONFIGURATIONS[name][1].get("mode") != "functional"
            made.begin(name, clock)
            samples = {}
            if clock:
                samples["on_sample"] = lambda sample: made.counters(sample.cycle, {"cycles": sample.stats["cycles"]})
            self.replay(name, made, **samples, **options)
        return text.getvalue()

    def test_text_is_a_line_an_event(self):
        found = []
        self.replay("kepler", found.append)
        lines = [line for line in self.written("kepler", module.Text).splitlines() if not line.startswith("#")]
        self.assertEqual(lines, [str(event) for event in found])
        self.assertRegex(lines[0], r"^ +\d+ issue +sm \d+ packet=1 access=1 address=0x7f\w+ pc=0x\w+ sm=\d+ warp=")
        self.assertTrue(any("outcome=miss" in line for line in lines))

    def test_perfetto_is_valid(self):
        for name in CONFIGURATIONS:
            with self.subTest(name=name):
                events = perfetto.validate(self.written(name, module.Perfetto))
                phases = collections.Counter(event["ph"] for event in events)
                expected = "XiMsf" if name == "functional" else "XiMstfC"
                self.assertEqual(set(expected) - set(phases), set())
                self.assertEqual(phases["s"], phases["f"])
                self.assertFalse([event for event in events if event.get("args", {}).get("unfinished")])
                processes = {process for process, _ in perfetto.tracks(events).values()}
                needed = {"SMs", "L1 caches", "memory channels"} | (
                    {"coherence messages", "cluster requests"} if name == "coherent"
                    else {"request network", "L2 slices"} if name != "functional" else set()
                )  # fmt: skip
                self.assertEqual(needed - processes, set())

    def test_the_slices_of_a_load(self):
        """One load alone: the slices are the spans between events, and an arrow passes each."""
        memory, text, found = self.hierarchy(), io.StringIO(), []
        with module.Perfetto(text) as writer:
            memory.set_trace(lambda event: (found.append(event), writer(event)) and None)
            memory.try_issue(range(0, 128, 4))
            memory.drain()
        events = perfetto.validate(text.getvalue())
        tracks = perfetto.tracks(events)
        spans = {}
        for event in events:
            if event["ph"] == "X":
                spans.setdefault(tracks[event["pid"], event["tid"]], []).append((event["ts"], event["ts"] + event["dur"]))
        at = {(event.what, event.component): event for event in found}
        cycle = {key: event.cycle for key, event in at.items()}
        slice_ = at[What.LOOKUP, Component.L2].index
        self.assertEqual(spans["SMs", "SM 0 access"], [(0, found[-1].cycle)])
        self.assertEqual(spans["L1 caches", "L1 0 MSHR"],
                         [(cycle[What.MSHR_ALLOCATE, Component.L1], cycle[What.MSHR_FREE, Component.L1])])  # fmt: skip
        self.assertEqual(spans["L2 slices", f"slice {slice_} MSHR"],
                         [(cycle[What.MSHR_ALLOCATE, Component.L2], cycle[What.MSHR_FREE, Component.L2])])  # fmt: skip
        self.assertEqual(spans["request network", "input 0 packet"],
                         [(cycle[What.SEND, Component.REQUESTS], cycle[What.RECEIVE, Component.REQUESTS])])  # fmt: skip
        channel = at[What.DATA, Component.MEMORY].index
        self.assertEqual(spans["memory channels", f"channel {channel} read"],
                         [(cycle[What.MEMORY_READ, Component.MEMORY], cycle[What.DATA, Component.MEMORY])])  # fmt: skip
        flow = [(event["ph"], event["ts"]) for event in events if event["ph"] in "stf"]
        self.assertEqual(flow[0], ("s", 0))
        self.assertEqual(flow[-1], ("f", found[-1].cycle))
        self.assertEqual([phase for phase, _ in flow[1:-1]], ["t"] * 5, "MSHR, network, MSHR, memory, network")

    def test_every_component_has_its_tracks(self):
        for settings, space, process in (
            ({"const.size": "1KiB"}, "constant", "constant caches"),
            ({"const.size": "1KiB", "l15.size": "2KiB"}, "constant", "L1.5 caches"),
            ({"coherence": "nmoesi", "gpu.count": 2, "sm.count": 1, "l2.slices": 1, "dram.channels": 1,
              "page.placement": "round-robin"}, "global", "links between GPUs"),
        ):  # fmt: skip
            memory, text = self.hierarchy(**settings), io.StringIO()
            with module.Perfetto(text) as writer:
                memory.set_trace(writer)
                memory.try_issue(range(0, 1 << 18, 1 << 13), space=space)
                memory.drain()
            processes = {process for process, _ in perfetto.tracks(perfetto.validate(text.getvalue())).values()}
            self.assertIn(process, processes)
        self.assertEqual(set(module._PLACES), set(Component))
        self.assertLessEqual({process for process, _ in module._PLACES.values()}, set(module._PROCESSES))

    def test_a_filtered_file_is_valid(self):
        for fields in ({"whats": ["complete", "mshr-free", "receive", "data"]}, {"whats": ["issue", "send"]},
                       {"sm": 1}, {"cycle": (200, 400)}, {"components": ["l1", "memory"]}):  # fmt: skip
            with self.subTest(fields=fields):
                perfetto.validate(self.written("kepler", module.Perfetto, event_filter=fields))

    def test_two_hierarchies_in_one_file(self):
        text = io.StringIO()
        with module.Perfetto(text) as writer:
            for name in ("kepler", "h100"):
                writer.begin(name)
                self.replay(name, writer)
        events = perfetto.validate(text.getvalue())
        marks = [event["ts"] for event in events if event.get("s") == "g"]
        self.assertEqual(marks, sorted(marks))

    def test_what_is_in_flight_is_all_that_is_held(self):
        text = io.StringIO()
        with module.Perfetto(text) as writer:
            most = 0

            def watched(event):
                nonlocal most
                writer(event)
                most = max(most, len(writer._open) + len(writer._flows))

            self.replay("gtx480", watched)
            self.assertFalse(writer._open)
            self.assertFalse(writer._flows)
        self.assertLess(most, 1000)

    def test_nothing_is_a_file_too(self):
        text = io.StringIO()
        module.Perfetto(text).close()
        self.assertEqual(perfetto.validate(text.getvalue()), [])


class Validator(unittest.TestCase):
    """The validator finds errors."""

    GOOD = [
        {"ph": "M", "pid": 1, "tid": 0, "name": "process_name", "args": {"name": "p"}},
        {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "t"}},
        {"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 9, "name": "a"},
        {"ph": "X", "pid": 1, "tid": 1, "ts": 2, "dur": 3, "name": "b"},
        {"ph": "s", "pid": 1, "tid": 1, "ts": 0, "id": 1, "cat": "c", "name": "f"},
        {"ph": "t", "pid": 1, "tid": 1, "ts": 3, "id": 1, "cat": "c", "name": "f"},
        {"ph": "f", "pid": 1, "tid": 1, "ts": 9, "id": 1, "cat": "c", "name": "f", "bp": "e"},
        {"ph": "C", "pid": 1, "ts": 3, "name": "n", "args": {"value": 1.5}},
        {"ph": "i", "pid": 1, "tid": 1, "ts": 3, "name": "i", "s": "t"},
    ]

    def test_good(self):
        perfetto.validate(json.dumps({"traceEvents": self.GOOD}))

    def test_bad(self):
        for index, change in (
            (0, {"name": "proces_name"}), (1, {"args": {}}), (1, {"pid": 2}), (2, {"dur": -1}), (2, {"ts": "0"}),
            (2, {"dur": None}), (3, {"dur": 8}), (3, {"ph": "Y"}), (4, {"ts": 4}), (4, {"id": 2}), (5, {"ts": 12}),
            (5, {"cat": 3}), (6, {"ts": 2}), (6, {"tid": 7}), (6, {"bp": "x"}), (7, {"args": {"value": "1"}}),
            (7, {"args": {}}), (8, {"s": "x"}), (8, {"ts": -1}),
        ):  # fmt: skip
            with self.subTest(index=index, change=change), self.assertRaises(perfetto.Invalid):
                events = copy.deepcopy(self.GOOD)
                events[index].update(change)
                perfetto.validate(json.dumps({"traceEvents": events}))
        with self.assertRaises(ValueError):
            perfetto.validate('{"traceEvents": [{"ph": "X"')


class Command(Events):
    def run_it(self, *arguments, status=0):
        found = command("run", self.source, "--preset", "kepler", *arguments)
        self.assertEqual(found.returncode, status, found.stderr)
        return found

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def test_json(self):
        path = self.path("e.json")
        found = self.run_it("--mode", "timed", "--events", path, "--sample", "200", "--json", "-")
        events = perfetto.validate(self.read(path))
        series = [kernel["series"]["cycle"] for kernel in json.loads(found.stdout)["kernels"]]
        counted = [event["ts"] for event in events if event["ph"] == "C" and event["name"] == "ipc"]
        self.assertEqual(counted, [cycle for kernel in series for cycle in kernel])
        self.assertEqual(sum(event["name"] == "kernel 2 begins" for event in events), 1)

    def test_text_and_filter(self):
        path = self.path("e.txt")
        self.run_it("--mode", "timed", "--events", path, "--events-filter", "sm=1,kind=load")
        lines = [line for line in self.read(path).splitlines() if not line.startswith("#")]
        self.assertTrue(lines)
        self.assertTrue(all(" sm=1 " in line and " kind=load " in line for line in lines))
        printed = self.run_it("--mode", "timed", "--events", "-", "--events-filter", "sm=1", "--events-filter", "kind=load")
        self.assertEqual([line for line in printed.stdout.splitlines() if not line.startswith("#")], lines)

    def test_functional(self):
        path = self.path("e.json")
        self.run_it("--events", path)
        perfetto.validate(self.read(path))

    def test_refused(self):
        for arguments in (("--events-filter", "sm=1"), ("--events", "-", "--json", "-"),
                          ("--events", "x", "--events-filter", "colour=red")):  # fmt: skip
            with self.subTest(arguments=arguments):
                self.assertNotEqual(self.run_it(*arguments, status=2).stderr, "")
        self.run_it("--events", self.path("none", "e.json"), status=1)


if __name__ == "__main__":
    unittest.main()
