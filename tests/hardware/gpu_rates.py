# SPDX-License-Identifier: BSD-2-Clause
"""Rates of a preset by the kernels of gpu-benches. Each rate is of a run's second half: two runs, one of them with the
first half only, leave out the launch, and reads that fill the caches."""

import chase
import compare  # noqa: F401: the path of gpucache

import gpucache

THREADS = 512  # a block of `cache`
LOADS = 256  # least number of a warp's loads in half a run of `cache`
PART = 128 << 10  # bytes that a block of `l2` reads
KINDS = ("init", "read", "scale", "triad", "3pt", "5pt")  # kernels of gpu-stream, in the order of its parameter `kind`
ARRAYS = {"init": 1, "read": 1, "scale": 2, "triad": 4, "3pt": 2, "5pt": 2}  # arrays read or written by each kind
SMALL = 5 << 20  # least bytes of L2 in `stream`
TURNS = 32  # blocks of a place in half a run of `stream`
ROUNDS = 128  # loads of a warp in half a run of `strides`
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "B": 1}


class Bench:
    """A preset, or a file of GPGPU-Sim's options, with settings."""

    def __init__(self, preset, settings=()):
        self.context = gpucache.Context()
        self.config = gpucache.Config(self.context)
        chase.load(self.config, preset)
        for key, value in (("mode", "timed"), ("launch.cycles", "0"), *settings):
            self.config[key] = str(value)

    def value(self, key):
        """A number, or bytes."""
        text = self.config[key]
        unit = next((unit for unit in UNITS if text.endswith(unit)), "")
        return int(text.removesuffix(unit)) * UNITS.get(unit, 1)

    def cycles(self, source):
        source = f"synthetic:{source},lanes={self.value('sm.lanes')}"
        with gpucache.Replay(self.context, self.config) as replay, gpucache.Trace(self.context, source) as trace:
            return sum(result.stats["cycles"] for result in replay.run(trace))

    def rate(self, moved, whole, half):
        """GB/s of the `moved` bytes in which two sources differ."""
        return moved / (self.cycles(whole) - self.cycles(half)) * float(self.config["clock.core"]) / 1000

    def cache(self, kib, together=1, lane=4):
        """GB/s of gpu-cache: a block of 512 threads on each SM reads a buffer of `kib`, all blocks the same one. If SMs
        run a block together, each has its part of the threads and of the buffer. `lane`: bytes of a thread's load."""
        sms, threads, kib = self.value("sm.count"), THREADS // together, kib // together
        bytes_of_block = threads * lane
        loads = max(LOADS * 4 // lane, -(-kib * 1024 // bytes_of_block))
        source = f"accesses:{kib}KiB:threads={threads},blocks={sms},stride={lane},apart={self.value('sm.lanes') * lane},"
        source += f"step={bytes_of_block},count="
        return self.rate(sms * bytes_of_block * loads, f"{source}{2 * loads}", f"{source}{loads}")

    def l2(self, kib):
        """GB/s of gpu-l2: blocks of 1,024 threads read a buffer of `kib`. In place of 200,000 blocks of 512 KiB, each
        place on an SM has a block of 128 KiB, after blocks that read the buffer twice; of a buffer larger than two L2s
        and caches beside memory, after one block."""
        places = self.value("sm.count") * (self.value("sm.warps") * self.value("sm.lanes") // 1024)
        warm = 2 * kib << 10 if kib << 10 <= 2 * (self.value("l2.size") + self.value("memory_cache.size")) else 1
        first = -(-warm // (places * PART)) * places
        source = f"gpu-l2:{kib}KiB:loads={PART // 8192},blocks="
        return self.rate(places * PART, f"{source}{first + places}", f"{source}{first}")

    def stream(self, kind, threads, blocks):
        """GB/s of gpu-stream, with `blocks` of `threads` on an SM. In place of 2 GiB, half of all arrays is twice L2's
        bytes, and L2, as a cache beside memory, has a part of its sets, because data that are used once need few: the
        first half of a run fills L2. Small blocks, which do not saturate DRAM, are TURNS for each place in half a run."""
        bytes_of_l2 = self.value("l2.size")
        while bytes_of_l2 // 2 >= SMALL:
            bytes_of_l2 //= 2
        self.config["l2.size"] = f"{bytes_of_l2}B"
        if self.value("memory_cache.size"):
            self.config["memory_cache.size"] = f"{bytes_of_l2}B"
        turns = TURNS * self.value("sm.count") * blocks
        half = min(turns, -(-2 * bytes_of_l2 // ARRAYS[kind] // (threads * 8))) * threads * 8
        shared = self.value("sm.shared") // 1024 // (blocks + 1) + 1
        source = f"B:kind={KINDS.index(kind)},threads={threads},shared={shared}"
        return self.rate(half * ARRAYS[kind], f"gpu-stream:{2 * half}{source}", f"gpu-stream:{half}{source}")

    def strides(self, bytes_of_element, width, stride):
        """Cycles of a warp's load by gpu-strides; `width` of the block, or 0."""
        source = f"gpu-strides:64MiB:bytes={bytes_of_element},width={width},stride={stride},count="
        loads = ROUNDS * 1024 // self.value("sm.lanes")
        return (self.cycles(f"{source}{2 * ROUNDS}") - self.cycles(f"{source}{ROUNDS}")) / loads
