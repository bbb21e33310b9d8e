# SPDX-License-Identifier: BSD-2-Clause
"""examples/hosts: adapters take a trace through a stub of the simulator, with the figures of a replay."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

import gpucache
from support import BUILD, INCLUDE, LIBRARY, ROOT, run

HOSTS = ROOT / "examples" / "hosts"
# Files of the project, by adapter; the other files belong to the test.
ADAPTERS = {
    "accel-sim, L1 and all below": ["accel-sim/whole_l1.h"],
    "accel-sim, L2 and DRAM": ["accel-sim/below_l1.h"],
    "accel-sim, decisions": ["accel-sim/decisions.h"],
    "accel-sim, all": ["accel-sim/requests.h"],
    "gem5": ["gem5/gpu_cache.hh", "gem5/gpu_cache.cc"],
    "sst": ["sst/gpucache_sst.h"],
    "akita, Go": ["akita/gpucache.go"],
    "akita, C": ["akita/gpucache_host.h"],
}
MACHINE = {
    "mode": "timed", "sm.count": 4, "launch.cycles": 0, "l1.unified": "false", "l1.size": "32KiB", "l1.ways": 64,
    "l1.index": "modulo",
}  # fmt: skip
# One warp an SM; each load waits for the load before. Lines that come again; two lines a load; 36 bytes between lanes.
LINES = "synthetic:accesses:64KiB:dependent=1,threads=32,blocks=4,count=200,step=4096,apart=8192"
PAIRS = "synthetic:accesses:64KiB:dependent=1,threads=32,blocks=4,count=200,step=1060,apart=8192"
SPREAD = "synthetic:accesses:64KiB:dependent=1,threads=32,blocks=4,count=100,step=36,apart=8192,stride=36"
STORES = "synthetic:accesses:64KiB:store=1,threads=32,blocks=4,count=200,step=4096,apart=8192"

# Counted by a replay's SMs: EXITs, threads, blocks and warps.
OF_SMS = {
    "blocks", "warp_instructions", "thread_instructions", "l1.cache_warp_lines", "l1.cache_warp_misses",
    "resident_blocks",
}  # fmt: skip
# Counters of the clock: a replay stops with the last completion, a host a cycle later.
OF_CLOCK = {"cycles", "sm.cycles", "l2.cycles", "dram.cycles", "dram.refreshes", "energy.static", "energy.total"}


def replay(source, settings):
    with gpucache.Context() as context:
        config = gpucache.Config(context, "qv100")
        for key, value in settings.items():
            config[key] = value
        with gpucache.Replay(context, config) as replayed, gpucache.Trace(context, source) as trace:
            return next(iter(replayed.run(trace))).stats


def host(name, source, settings, *place):
    text = run(BUILD / "examples" / "hosts" / f"host-{name}", *place, source, "qv100",
               *(f"{key}={value}" for key, value in settings.items()))  # fmt: skip
    return {name: int(value) for name, value in map(str.split, text.splitlines())}


class Hosts(unittest.TestCase):
    def hold(self, name, source, settings, *place):
        """All counters and cycles of the host equal the replay's."""
        found, wanted = host(name, source, settings, *place), replay(source, settings)
        compared = 0
        for counter, value in found.items():
            if counter in OF_SMS | OF_CLOCK | {"now"} or wanted.get(counter) is None:
                continue
            self.assertEqual(value, wanted[counter], f"{name} {source}: {counter}")
            compared += 1
        self.assertGreater(compared, 60)
        self.assertIn(found["now"] - wanted["cycles"], (0, 1), f"{name} {source}")
        self.assertGreater(found["l1.load_sectors"] + found["l1.store_sectors"], 1000)
        return found

    def test_accel_sim_whole_l1(self):
        settings = MACHINE | {"l1.coalescer": "sector"}
        found = self.hold("accel-sim", LINES, settings, "whole-l1")
        self.assertGreater(found["l1.load_sector_hits"], 0)
        self.assertEqual(found["l1.touched_lines"], found["l1.load_requests"], "four sectors of a line")
        for source in (PAIRS, SPREAD, STORES):
            self.hold("accel-sim", source, settings, "whole-l1+ascending")

    def test_where_accel_sims_order_matters(self):
        """Accel-Sim takes the highest address of an instruction first: equal sectors, in different cycles."""
        settings = MACHINE | {"l1.coalescer": "sector"}
        found, wanted = host("accel-sim", SPREAD, settings, "whole-l1"), replay(SPREAD, settings)
        for counter in ("l1.load_requests", "l1.load_lines", "l1.load_sectors", "l1.load_bytes_used", "network.requests"):
            self.assertEqual(found[counter], wanted[counter], counter)
        self.assertNotEqual(found["now"], wanted["cycles"] + 1)

    def test_accel_sim_below_l1(self):
        """The requests that pass L1 in a replay are the misses of the host's own L1."""
        settings = MACHINE | {"l1.coalescer": "sector", "l1.spaces": "local"}
        for source in (LINES, PAIRS, STORES):
            found, wanted = host("accel-sim", source, settings, "below-l1"), replay(source, settings)
            for counter in ("l2.read_sectors", "l2.read_sector_hits", "l2.write_sectors", "l2.write_sector_hits",
                            "dram.read_sectors", "network.requests", "network.request_bytes", "network.replies",
                            "network.reply_bytes"):  # fmt: skip
                self.assertEqual(found[counter], wanted[counter], f"{source}: {counter}")
            self.assertGreater(found["l2.read_sectors"] + found["l2.write_sectors"], 1000)

    def test_accel_sim_decisions(self):
        """Tags of Accel-Sim with victims of the library: the hits of a replay without a clock."""
        settings = {"mode": "functional", "sm.count": 1, "sm.block_limit": 1, "warps.order": "block", "l1.size": "16KiB",
                    "l1.ways": 4, "l1.unified": "false", "l1.index": "modulo", "l1.coalescer": "sector"}  # fmt: skip
        # 24 KiB round and round, four sectors a line in sequence
        source = "synthetic:accesses:24KiB:threads=256,count=300,step=1060,apart=3072"
        hits = {}
        for policy in ("lru", "mru", "lip", "bip", "srrip", "drrip", "ship", "dip"):
            settings["l1.replacement"] = policy
            found, wanted = host("accel-sim", source, settings, "decisions"), replay(source, settings)
            for counter in ("l1.load_sectors", "l1.load_sector_hits"):
                self.assertEqual(found[counter], wanted[counter], f"{policy}: {counter}")
            hits[policy] = found["l1.load_sector_hits"]
            self.assertEqual(host("accel-sim", source, settings, "decisions+adaptive"), found, policy)
            if policy in ("lru", "mru", "lip", "srrip"):  # without the instruction at the fill, and asked once more
                self.assertEqual(host("accel-sim", source, settings, "decisions+fill"), found, policy)
        self.assertGreater(len(set(hits.values())), 3, "policies differ")

    def test_accel_sim_warps_end(self):
        """Atomics, LDGSTS and refused stores: each warp of the stub can exit, and each mem_fetch is deleted."""
        settings = MACHINE | {"l1.coalescer": "sector"}
        loads = 4 * 200
        for place, source in (("whole-l1", LINES), ("below-l1", LINES)):
            found = host("accel-sim", source, settings, f"{place}+atomics")
            self.assertEqual(found["l2.atomic_sectors"], 4 * loads, place)
        copied, loaded = (host("accel-sim", LINES, settings, place) for place in ("whole-l1+copies", "whole-l1"))
        self.assertEqual(copied, loaded)
        stores = host("accel-sim", STORES, settings | {"l1.queue": 1}, "whole-l1")
        self.assertEqual(stores["l1.store_requests"], loads)

    def test_accel_sim_code(self):
        """An L1I with MSHRs of sectors gets each line in four replies: 200 instructions of 16 bytes are 25 lines."""
        settings = MACHINE | {"l1.coalescer": "sector"}
        for place in ("whole-l1", "below-l1"):
            found = host("accel-sim", LINES, settings, f"{place}+code")
            self.assertGreater(found["l2.instruction_read_sectors"], 0)
            self.assertEqual(found["l2.instruction_read_sectors"] % 16, 0)
            self.assertEqual(found["l1.load_sectors"], host("accel-sim", LINES, settings, place)["l1.load_sectors"])

    def test_accel_sim_kernels(self):
        """A kernel launched beside another; a kernel after another finds L1 empty."""
        settings = MACHINE | {"l1.coalescer": "sector"}
        once, twice = (host("accel-sim", LINES, settings, place) for place in ("whole-l1", "whole-l1+kernels"))
        for counter in ("l1.load_sectors", "l1.load_sector_hits"):
            self.assertEqual(twice[counter], 2 * once[counter], counter)
        self.assertEqual(twice["dram.read_sectors"], once["dram.read_sectors"])

    def test_gem5_build_and_configuration(self):
        """The README's SConscript, whose names come from Import, and lines of apu_se.py, where Ruby has no memory bus."""
        build, connect = re.findall(r"```\n(.*?)```", (HOSTS / "gem5" / "README.md").read_text(), re.S)
        env, made, names = mock.Mock(), mock.Mock(), {}
        exported = {"env": env, "SimObject": made.SimObject, "Source": made.Source}
        names["Import"] = lambda which: names.update(exported)
        exec(build, names)
        env.ParseConfig.assert_called_once_with("pkg-config --cflags --libs gpucache")
        made.SimObject.assert_called_once_with("GpuCache.py", sim_objects=["GpuCache"])
        made.Source.assert_called_once_with("gpu_cache.cc")
        ruby = mock.Mock(spec=["sys_port_proxy"])
        units = [mock.Mock(memory_port=[None] * 64) for _ in range(4)]
        names = {"GpuCache": mock.Mock(), "system": ruby, "shader": mock.Mock(CUs=units), "args": mock.Mock(wf_size=64),
                 "n_cu": 4, "gpu_port_idx": 7}  # fmt: skip
        exec(connect, names)
        self.assertIs(ruby.gpu_memory.mem_side_port, ruby.sys_port_proxy.in_ports)
        self.assertEqual(names["gpu_port_idx"], 11)
        for unit in units:
            self.assertIs(unit.gmTokenPort, ruby.gpu_memory.token_ports)
            self.assertEqual(unit.memory_port, [ruby.gpu_memory.cpu_side_ports] * 64)

    def gem5(self, found, answers=0):
        """Bytes of loads, stores and atomics, packets deleted, instructions finished, tokens returned once."""
        self.assertEqual([found[key] for key in ("wrong", "wrong_olds", "alive", "unfinished")], [0, 0, 0, 0])
        self.assertEqual((found["full_tokens"], found["answers"]), (MACHINE["sm.count"], answers))

    def test_gem5(self):
        for source in (LINES, PAIRS, SPREAD, STORES):
            self.gem5(self.hold("gem5", source, MACHINE))

    def test_gem5_launch(self):
        """MemSyncReqs took no token; those of sendInvL2 have no instruction's number."""
        found, before = host("gem5", LINES, MACHINE, "launch"), host("gem5", LINES, MACHINE)
        self.gem5(found, answers=2 * MACHINE["sm.count"])
        for counter in ("l1.load_sectors", "l1.load_sector_hits", "dram.read_sectors"):
            self.assertEqual(found[counter], before[counter], counter)

    def test_gem5_atomics(self):
        """Words have one more for each atomic, and lanes get the words before."""
        found = host("gem5", LINES, MACHINE, "atomics")
        self.gem5(found)
        self.assertEqual(found["l2.atomic_sectors"], 4 * 800)

    def test_gem5_packets_of_an_instruction(self):
        """Lanes that come in two cycles return one token; lanes of two packets have the bytes of both."""
        for source in (LINES, STORES):
            self.gem5(host("gem5", source, MACHINE, "tlb"))
            found = host("gem5", source, MACHINE, "split")
            self.gem5(found)
        self.assertEqual(host("gem5", LINES, MACHINE, "split")["l1.load_bytes_used"], 800 * 128)

    def test_sst(self):
        """SST 15 and 16: counters, statistics, the bytes of each request, and every request deleted once."""
        for name in ("sst-15", "sst-16"):
            for source in (LINES, PAIRS, STORES):
                found = self.hold(name, source, MACHINE)
                self.assertEqual((found["wrong_bytes"], found["alive"]), (0, 0), f"{name} {source}")
                self.assertEqual((found["megahertz"], found["answered_before_time"]), (1132, 1), "clock.core of qv100")
                statistics = {
                    key.removeprefix("statistic."): value for key, value in found.items() if key.startswith("statistic.")
                }
                stores = source == STORES
                self.assertEqual(
                    [statistics[key] for key in ("reads", "writes")], [0, 800] if stores else [800, 0], f"{name} {source}"
                )
                self.assertEqual(statistics["hits"] + statistics["misses"], statistics["reads"])
                self.assertEqual(statistics["bytes"], 800 * 128)
                self.assertGreater(statistics["latency"], 800)
                if source == LINES:  # four sectors a read
                    self.assertEqual(statistics["hits"] * 4, found["l1.load_sector_hits"])
                    self.assertGreater(statistics["misses"], 0)
                copied = [key for key in statistics if "_" in key]
                self.assertEqual(len(copied), 10)
                for key in copied:
                    self.assertEqual(statistics[key], found[key.replace("_", ".", 1)], f"{name} {source}: {key}")

    def test_sst_finds_the_element(self):
        """SST loads lib<element>.so: the README's file, with another name than the C library's."""
        readme = (HOSTS / "sst" / "README.md").read_text()
        for name in ("sst-15", "sst-16"):
            for element in run(BUILD / "examples" / "hosts" / f"host-{name}", "--elements").split():
                library = element.partition(".")[0]
                self.assertIn(f'"{element}"', readme)
                self.assertIn(f"-o lib{library}.so ", readme)
                self.assertIn(f"sst-register {library} {library}_LIBDIR=", readme)
                self.assertNotEqual(library, "gpucache")

    def test_akita_in_c(self):
        for source in (LINES, STORES):
            self.hold("akita", source, MACHINE)

    def test_akita_accesses(self):
        """Masked writes, requests past L1, and a flush, by what they add to counters."""
        program = BUILD / "examples" / "hosts" / "host-akita"
        text = run(program, "--steps", "qv100", *(f"{key}={value}" for key, value in MACHINE.items()))
        found = {name: int(value) for name, value in map(str.split, text.splitlines())}
        self.assertGreater(found["write.network.request_bytes"], found["masked.network.request_bytes"])
        self.assertGreater(found["masked.network.request_bytes"], 0)
        self.assertEqual(found["empty.network.requests"], 0)
        self.assertEqual((found["below.l1.lookups"], found["below.l2.lookups"]), (0, 1))
        self.assertEqual((found["again.l1.lookups"], found["again.l2.lookups"]), (1, 0))
        self.assertEqual((found["flushed.l1.lookups"], found["flushed.l2.lookups"]), (1, 1))

    def test_akita(self):
        go = shutil.which("go")
        if not go:
            self.skipTest("no Go compiler: akita/gpucache.go is not compiled; its C part is, and is tested by itself")
        with tempfile.TemporaryDirectory() as folder:
            environment = os.environ | {
                "GOFLAGS": "-mod=mod", "GOCACHE": f"{folder}/cache", "GOPROXY": "off", "PKG_CONFIG": "true",
                "CGO_CFLAGS": f"-I{INCLUDE.resolve()} -Wall -Wextra -Werror",
                "CGO_LDFLAGS": f"-L{LIBRARY.resolve().parent} -lgpucache -Wl,-rpath,{LIBRARY.resolve().parent}",
            }  # fmt: skip
            copy = pathlib.Path(folder) / "akita"
            shutil.copytree(HOSTS / "akita", copy)
            run(go, "vet", "./...", cwd=copy, env=environment)
            run(go, "build", "-o", f"{folder}/run", "./run", cwd=copy, env=environment)
            for source in (LINES, STORES):
                self.akita(f"{folder}/run", source)
            for setting, words in (("l1.size=banana", "l1.size"), ("l9.size=1", "l9.size")):
                done = subprocess.run([f"{folder}/run", "qv100", setting], stdin=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE, text=True)  # fmt: skip
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(words, done.stderr)

    def akita(self, program, source):
        """The component in Go: the replay's counters, later answers; masks; and messages of a command processor."""
        requests = run(BUILD / "examples" / "hosts" / "host-akita", "--list", source, 4)
        done = subprocess.run(
            [program, "qv100", *(f"{key}={value}" for key, value in MACHINE.items())],
            input=requests, stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        found = {name: int(value) for name, value in map(str.split, done.stdout.splitlines())}
        wanted = replay(source, MACHINE)
        for counter in ("l1.load_sectors", "l1.load_sector_hits", "l1.store_sectors", "l2.read_sectors",
                        "l2.read_sector_hits", "l2.write_sectors", "network.request_bytes", "network.reply_bytes",
                        "dram.read_sectors"):  # fmt: skip
            self.assertEqual(found[counter], wanted[counter], f"{source}: {counter}")
        # A load of an SM begins up to three cycles after the answer before: component, connection, agent.
        self.assertLessEqual(found["now"] - wanted["cycles"], 3 * len(requests.splitlines()) // 4 + 4)
        self.assertGreaterEqual(found["now"], wanted["cycles"])
        self.assertIn(found["now"] - found["engine"], (0, 1), "the library's clock is the engine's")
        self.assertGreater(found["masks.all_bytes"], found["masks.four_bytes"])
        self.assertGreater(found["masks.four_bytes"], 0)
        for name, value in {
            "unanswered": 0, "masks.no_bytes": 0, "masks.unanswered": 0, "masks.wrong": 0, "control.hit": 0,
            "control.flushed": 0, "control.miss": 1, "control.paused": 1, "control.restarted": 0,
            "control.discarded": 1, "below.l1.lookups": 0, "order.unanswered": 0, "order.wrong": 0,
        }.items():  # fmt: skip
            self.assertEqual(found[name], value, f"{source}: {name}")

    def refused(self, name, words, *settings, place=()):
        """The adapter ends, and its last words name the error."""
        program = BUILD / "examples" / "hosts" / f"host-{name}"
        command = [program, *place, STORES, "qv100", *(f"{key}={value}" for key, value in MACHINE.items()), *settings]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode not in (0, 2) and done.stdout, "", f"{name} {settings}: {done.stderr}")
        for word in words:
            self.assertIn(word, done.stderr, f"{name} {settings}")

    def test_refused_configurations_are_told(self):
        """Settings refused by the adapter, which loads some keys, and settings refused by the hierarchy."""
        for name in ("akita", "gem5", "sst-15", "sst-16"):
            self.refused(name, ("l1.sectors = 3", "power of two"), "l1.sectors=3")
        self.refused("akita", ("l1.size", "banana"), "l1.size=banana")
        self.refused("akita", ("l9.size",), "l9.size=1")
        self.refused("accel-sim", ("'dip(bypass=1)'", "admission"), "l1.replacement=dip(bypass=1)", place=("decisions",))

    def test_refused_requests_are_told(self):
        """Stores of 128 bytes where lines have 32, and of 32 lanes where warps have 16."""
        short = ("l1.line=32B", "l1.sectors=1", "l1.size=32KiB", "l1.coalescer=warp")
        self.refused("akita", ("size goes beyond the line",), *short)
        for place in ("whole-l1", "below-l1"):
            self.refused("accel-sim", ("byte_mask has bytes beyond the line",), *short, place=(place,))
        self.refused("gem5", ("mask has lanes",), "sm.lanes=16")

    def test_small(self):
        for name, files in ADAPTERS.items():
            lines = [line for file in files for line in (HOSTS / file).read_text().splitlines() if line.strip()]
            self.assertLessEqual(len(lines), 240, name)


if __name__ == "__main__":
    unittest.main()
