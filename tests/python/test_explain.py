# SPDX-License-Identifier: BSD-2-Clause
"""Causes of a kernel's time: kernels whose cause is known by construction, and the rules of the verdict."""

import json
import os
import unittest

from harness import TemporaryCase, command

import gpucache
from gpucache import explain as rules
from gpucache._constants import Kind

FULL = os.environ.get("GPUCACHE_TESTS") != "quick"

FERMI = ("--preset", "gtx480")
WIDE = (*FERMI, "--set", "l1.enabled=false", "--set", "network.reply_width=256B")
SMALL = ("--preset", "h100", "--set", "launch.cycles=0")

WARP = 32


def lines(first, count, step=4):
    """Addresses of warps side by side, from `first` on."""
    return [first + step * lane for lane in range(WARP * count)]


class Writer:
    """Memory instructions of a kernel, an access a call."""

    def __init__(self):
        self.addresses, self.blocks, self.warps, self.pcs, self.kinds = [], [], [], [], []

    def access(self, block, warp, pc, addresses, kind=Kind.LOAD):
        self.addresses += addresses
        self.blocks.append(block)
        self.warps.append(warp)
        self.pcs.append(pc)
        self.kinds.append(kind)

    def save(self, context, path, grid, block):
        with gpucache.TraceWriter(context, path) as writer:
            writer.new_kernel("kernel", grid, block)
            writer.accesses(self.addresses, blocks=self.blocks, warps=self.warps, pcs=self.pcs, kinds=self.kinds)
        return path


def rows(passes, words, grid=240, warps=4):
    """Each warp loads a row of words `passes` times and stores the row: a softmax (3 passes), a layernorm (2)."""
    made = Writer()
    for block in range(grid):
        for warp in range(warps):
            row = 4 * words * (block * warps + warp)
            for turn in range(passes + 1):
                for at in range(0, 4 * words, 4 * WARP):
                    store = turn == passes
                    made.access(block, warp, 16 * turn, lines((1 << 28 if store else 0) + row + at, 1),
                                Kind.STORE if store else Kind.LOAD)  # fmt: skip
    return made, grid, warps


def contended():
    """Atomics of all warps on one word."""
    made = Writer()
    for block in range(66):
        for warp in range(4):
            for _ in range(8):
                made.access(block, warp, 16, [4096] * WARP, Kind.ATOMIC)
    return made, 66, 4


def tiny():
    """Four blocks of 32 warps, each of which streams."""
    made = Writer()
    for block in range(4):
        for warp in range(32):
            for turn in range(16):
                made.access(block, warp, 16, lines(128 * (32 * (4 * turn + block) + warp), 1))
    return made, 4, 32


def long_block():
    """60 blocks, one of which loads 40 times as much."""
    made = Writer()
    for block in range(60):
        for warp in range(4):
            for turn in range(400 if block == 30 else 10):
                made.access(block, warp, 16, lines((1 << 20) * block + 128 * (4 * turn + warp), 1))
    return made, 60, 4


def spmv(rows_=7680, entries=8):
    """y = Ax by a thread for each row: values and columns of rows of `entries`, and x at random places."""
    made, seed = Writer(), 1
    for block in range(rows_ // 128):
        for warp in range(4):
            first = 128 * block + WARP * warp
            for entry in range(entries):
                places = [entries * (first + lane) + entry for lane in range(WARP)]
                made.access(block, warp, 16, [4 * place for place in places])
                made.access(block, warp, 32, [(1 << 24) + 4 * place for place in places])
                x = []
                for _ in range(WARP):
                    seed = (1103515245 * seed + 12345) % 2**31
                    x.append((1 << 26) + 4 * (seed >> 8) % (1 << 18))
                made.access(block, warp, 48, x)
            made.access(block, warp, 64, lines((1 << 27) + 4 * first, 1), Kind.STORE)
    return made, rows_ // 128, 4


# name: (trace or its maker, options, causes that are right).
KERNELS = {
    "stream": ("synthetic:gpu-stream:2MiB:kind=2", FERMI, {"dram"}),
    "transpose-naive": ("synthetic:transpose-naive:256KiB", FERMI, {"uncoalesced"}),
    "transpose-tiled": ("synthetic:transpose-tiled:1MiB", FERMI, {"dram", "network", "l2-bandwidth"}),
    "chase": ("synthetic:chase:32KiB", FERMI, {"latency"}),
    "gather": ("synthetic:gather:256KiB", FERMI, {"uncoalesced"}),
    "gemm-tiled": ("synthetic:matmul-tiled:256KiB", FERMI, {"computation", "warps", "latency"}),
    "gemm-naive": ("synthetic:polybench-gemm:64KiB", FERMI, {"network", "l2-bandwidth", "l1-bandwidth"}),
    "atomics": (contended, SMALL, {"atomics"}),
    "reuse above L1": ("synthetic:warp-reuse:2MiB:lines=12,repeats=16", FERMI, {"l1-capacity"}),
    "reuse below L1": (
        "synthetic:warp-reuse:256KiB:lines=1,repeats=64", FERMI, {"computation", "latency", "l1-bandwidth"},
    ),
    "L2 thrash": ("synthetic:warp-reuse:3MiB:lines=96,repeats=6", WIDE, {"l2-capacity"}),
    "tiny grid": (tiny, FERMI, {"tail"}),
    "one long block": (long_block, FERMI, {"tail"}),
    "layernorm": (lambda: rows(2, 256), FERMI, {"dram"}),
    "softmax": (lambda: rows(3, 256), FERMI, {"dram"}),
    "spmv": (spmv, FERMI, {"uncoalesced"}),
    "bfs": ("synthetic:bfs:64KiB", FERMI, {"uncoalesced"}),
    "histogram": ("synthetic:histogram:2MiB:blocks=60", FERMI, {"dram", "computation"}),
    "arithmetic": ("synthetic:classes:256KiB:int=2,fp=2", FERMI, {"computation"}),
    "launch": ("synthetic:vectoradd:64KiB", ("--preset", "h100"), {"launch"}),
}  # fmt: skip

QUICK = ("transpose-naive", "chase", "tiny grid", "launch")


class Causes(TemporaryCase):
    """Kernels whose bound is known by construction."""

    def explained(self, name, *more):
        source, options, _ = KERNELS[name]
        if callable(source):
            made, grid, warps = source()
            source = made.save(self.context, self.path("own.gct"), grid, WARP * warps)
        done = command("explain", source, *options, "--top", "0", "--json", "-", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        kernels = json.loads(done.stdout)["applications"][0]["explained"]
        return max(kernels, key=lambda kernel: kernel["cycles"])

    def test_named_rightly(self):
        """The cause is right for 18 of 20 kernels."""
        wrong = {}
        for name in KERNELS if FULL else QUICK:
            found = self.explained(name)
            if found["cause"] not in KERNELS[name][2]:
                wrong[name] = [(each["cause"], each["share"]) for each in found["findings"][:4]]
        self.assertLessEqual(len(wrong), 2 if FULL else 0, wrong)

    def test_loads_to_blame(self):
        """The scattered store and the load of a transpose, with opcodes, sectors and levels, and the tried changes."""
        done = command("explain", "synthetic:transpose-naive:64KiB", *FERMI)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^1 transpose_naive: uncoalesced accesses$")
        self.assertRegex(done.stdout, r"(?m)^0x100 +STG\.E +512 +16\.0 ")
        self.assertRegex(done.stdout, r"(?m)^0xd0 +LDG\.E +512 +4\.0 ")
        self.assertRegex(done.stdout, r"(?m)^L2 twice as large +[\d,]+ +\d\.\d\d$")

    def test_every_kernel_has_a_verdict(self):
        found = command("explain", "synthetic:stream:64KiB", *FERMI, "--top", "1", "--json", "-")
        kernels = json.loads(found.stdout)["applications"][0]["explained"]
        self.assertEqual([kernel["number"] for kernel in kernels], [1, 2, 3, 4])
        self.assertEqual(sum(bool(kernel["tried"]) for kernel in kernels), 1)
        for kernel in kernels:
            self.assertAlmostEqual(sum(each["share"] for each in kernel["accesses"]), 1)
            for each in kernel["accesses"]:
                self.assertAlmostEqual(each["l1"] + each["l2"] + each["dram"], 1)


class Verdict(unittest.TestCase):
    @staticmethod
    def verdict(**shares):
        found = rules.verdict([rules.Finding(cause.replace("_", "-"), share, None) for cause, share in shares.items()])
        return found and found.cause

    def test_largest_share(self):
        self.assertEqual(self.verdict(dram=0.3, network=0.2), "dram")

    def test_own_accesses_come_first_if_nearly_as_large(self):
        self.assertEqual(self.verdict(dram=0.5, uncoalesced=0.36), "uncoalesced")
        self.assertEqual(self.verdict(dram=0.5, uncoalesced=0.34), "dram")
        self.assertEqual(self.verdict(l1_capacity=0.5, uncoalesced=0.4, atomics=0.45), "uncoalesced")

    def test_nothing_worth_a_name(self):
        self.assertIsNone(self.verdict(dram=0.09))
        self.assertIsNone(self.verdict())

    def test_a_capacity_has_to_add_hits(self):
        before = {"cycles": 100, "l2.read_sectors": 100, "l2.read_sector_hits": 10}
        after = {"cycles": 50, "l2.read_sectors": 100, "l2.read_sector_hits": 14}
        self.assertEqual(rules.finding("l2-capacity", before, after), [])
        after["l2.read_sector_hits"] = 15
        self.assertEqual(rules.finding("l2-capacity", before, after), [rules.Finding("l2-capacity", 0.5, 50)])
        self.assertEqual(rules.finding("dram", before, after), [rules.Finding("dram", 0.5, 50)])


class Deal(TemporaryCase):
    """Perfect coalescing: the accesses of a block, dealt anew."""

    def dealt(self, made, grid, warps):
        source = made.save(self.context, self.path("own.gct"), grid, WARP * warps)
        with gpucache.Trace(self.context, source) as trace, \
                gpucache.TraceWriter(self.context, self.path("dealt.gct")) as writer:  # fmt: skip
            changed = rules.deal(trace, writer)
        with gpucache.Trace(self.context, self.path("dealt.gct")) as trace:
            kernel = trace.next_kernel()
            found = [[list(each.addresses) for warp in block for each in warp if each.addresses] for block in kernel]
        return changed, found

    def test_columns_become_rows(self):
        """Lane l of access i loads word (l, i) of rows of 32 words: access i becomes row i."""
        made = Writer()
        for turn in range(WARP):
            made.access(0, 0, 16, [128 * lane + 4 * turn for lane in range(WARP)])
        changed, (block,) = self.dealt(made, 1, 1)
        self.assertEqual(changed, {(0, 16)})
        self.assertEqual(block, [lines(128 * turn, 1) for turn in range(WARP)])

    def test_scattered_words_are_packed(self):
        """Words 4 KiB apart lie side by side, and equal ones stay equal."""
        made = Writer()
        made.access(0, 0, 16, [4096 * (lane // 2) for lane in range(WARP)])
        changed, (block,) = self.dealt(made, 1, 1)
        self.assertEqual(changed, {(0, 16)})
        self.assertEqual(block, [[4 * (lane // 2) for lane in range(WARP)]])

    def test_side_by_side_and_broadcast_stay(self):
        made = Writer()
        for turn in range(4):
            made.access(0, 0, 16, lines(0, 1))
            made.access(0, 0, 32, [4 * turn] * WARP)
        changed, (block,) = self.dealt(made, 1, 1)
        self.assertEqual(changed, set())
        self.assertEqual(block, [each for turn in range(4) for each in (lines(0, 1), [4 * turn] * WARP)])


if __name__ == "__main__":
    unittest.main()
