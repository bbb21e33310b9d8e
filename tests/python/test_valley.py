# SPDX-License-Identifier: BSD-2-Clause
"""Chapter 4 of seeds/002: figures and changes of state worked out by hand, shared memory through L1."""

import os
import unittest
import unittest.mock

from harness import TemporaryCase
from test_reproduce import Made, by_limit

import gpucache
from gpucache import Space
from gpucache.reproduce import EXPERIMENTS, _shared, _states, _valley
from gpucache.reproduce._bench import Bench


class Valleys(unittest.TestCase):
    """Programs of seeds/002 under Multi2Sim."""

    def test_ratios(self):
        """Shared memory hits in L1, not in L2; without an L2 there is no ratio."""
        book = _valley.Valley(Bench(Made(by_limit)))
        kernel = book.kernel("Histogram")
        book.need([book.run(kernel, l2) for l2 in (0, 96, 12288)])
        self.assertEqual(book.l1_ratio(kernel, 96), 40 / 110)
        self.assertEqual(book.l1_ratio(kernel, 96, lanes=True), 80 / 150)
        self.assertEqual((book.l2_ratio(kernel, 96), book.speed(kernel, 0)), (0.3, 1))

    def test_programs(self):
        """Tables 3.4 and 3.5; with fewer programs means are not compared."""
        book = _valley.Valley(Bench(Made(by_limit)))
        self.assertEqual([len(book.of(suite)) for suite in _valley.SUITES], [6, 11, 7])
        figure = next(each for each in EXPERIMENTS if each.name == "002:figures-4.1-4.7")
        compared = {c.subject for c in figure.run(Bench(Made(by_limit), quick=True)) if c.agrees is not None}
        self.assertEqual(compared, {"Histogram"})

    def test_settings(self):
        """A seed is of the context, other settings are the GPU's."""
        runs = []
        made = Made(by_limit)
        made.each = lambda tasks: runs.extend(run for run, _ in tasks) or Made.each(tasks)
        book = _valley.Valley(Bench(made, more={"seed": "2", "sm.lsus": "1"}))
        book.need([book.run(book.kernel("VectorMul"), 96, variant="nmoesi")])
        _, source, settings, seed = runs[0]
        self.assertEqual((source, seed), ("synthetic:vecmul:2048KiB:header=4", 2))
        self.assertEqual([settings[key] for key in ("sm.lsus", "coherence", "l2.size")], ["1", "nmoesi", "96KiB"])

    def test_states(self):
        """A module with the document's changes, in both orders of L2 sizes; and one more change."""
        def module(place):
            tables = [[[0] * 6 for _ in range(6)] for _ in range(2)]
            for change, (counts, origins) in _states.L1_TRANSPOSE.items():
                i, j = map(_states.NAMES.index, change)
                tables[0][i][j], tables[1][i][j] = counts[place], int(origins.split("; ")[place], 16)
            return {"L1": dict(zip(("transitions", "origins"), tables))}

        def claims(order):
            book = _valley.Valley(Bench(Made(by_limit)))
            kernel = book.kernel("Transpose")
            book.found = {book.run(kernel, l2, variant=_states.IN_L1): {"firsts": module(place)}
                          for l2, place in zip(_states.L2S, order)}  # fmt: skip
            only = [table for table in _states.TABLES if table[0] == "4.2"]
            with unittest.mock.patch.object(_states, "TABLES", only):
                return {c.what: c.agrees for c in _states.of_states(book)}

        self.assertEqual(set(claims((0, 1, 2)).values()), {True})
        turned = claims((1, 0, 2))
        self.assertEqual([turned[f"L1, S -> I: {what} (4.2)"] for what in ("origins", "changes")], [False, False])
        self.assertEqual([turned[f"L1, E -> S: {what} (4.2)"] for what in ("origins", "changes")], [True, False])
        self.assertEqual(len(turned), 2 * len(_states.L1_TRANSPOSE))

    def test_a_small_l2_as_multi2sim_has_it(self):
        """The kernel whose warps take whole lines once: the neighbours' blocks are hits, hidden by probes and retries."""
        book = _valley.Valley(Bench(Made(by_limit)))
        kernel = book.kernel("VectorMul")
        for variant, hits in (("", True), ("aligned arrays", False)):
            source = _valley.source(kernel, 64, variant)
            settings = _valley.settings(book.run(kernel, 96, variant=variant))
            l1 = _valley.replay(source, settings, 1, lambda: True)["levels"]["L1"]
            self.assertEqual(l1["hits"] > 0, hits)
            self.assertEqual(l1["loads"], 2 * 16384)
            self.assertEqual(_valley.shared_accesses(source), 0)


class Shared(TemporaryCase):
    """Accesses to shared memory as accesses to global memory."""

    BEGIN = "#BEGIN_TB\n"
    TEXT = (BEGIN, "warp = 0\n", "0110 00000003 1 R10 LDG.E 1 R9 4 2 0x1000 4\n", "0120 00000002 0 STS 2 R11 R10 4 0 0x408\n",
            "0130 0000000b 1 R3 LDS.64 1 R11 8 1 0x400 8\n", BEGIN, "warp = 0\n", "0120 00000001 0 STS 2 R11 R10 4 2 0x400\n",
            "0140 ffffffff 0 BAR.SYNC 0 0\n")  # fmt: skip

    def found(self, where):
        warps = _shared._Warps(where)
        return [warps.line(text) for text in self.TEXT]

    def test_windows(self):
        for where, size in ((_shared.WINDOWS, 48 << 10), (_shared.CLOSE, 8 << 10)):
            self.check_windows(self.found(where), _shared.BEHIND, _shared.BEHIND + size)

    def check_windows(self, found, first, second):
        self.assertEqual(found[3], f"0120 00000002 0 STG.E 2 R11 R10 4 0 {first + 0x408:#x}\n")
        self.assertEqual(found[4].split()[4:], ["LDG.E.64", "1", "R11", "8", "0", *(hex(first + 0x400 + 8 * n) for n in range(3))])
        self.assertEqual(found[7], f"0120 00000001 0 STG.E 2 R11 R10 4 0 {second + 0x400:#x}\n")
        self.assertEqual([found[n] for n in (0, 1, 2, 5, 6, 8)], [self.TEXT[n] for n in (0, 1, 2, 5, 6, 8)])

    def test_last_addresses(self):
        """A lane's last address of its warp; 0 without one."""
        found = self.found(_shared.LAST)
        self.assertEqual([line.split()[-3:] for line in (found[3], found[4], found[7])],
                         [["4", "0", "0x1004"], ["0x1000", "0x1004", "0x0"], ["4", "0", "0x0"]])  # fmt: skip

    def test_trace(self):
        """Four tiles of 16 x 16 words in two launches: all accesses are to global memory."""
        source = "synthetic:sdk-transpose:4KiB:header=4"
        with gpucache.Context() as context:
            path = _shared.through_l1(context, source, _shared.WINDOWS, os.path.join(self.folder, "trace"))
            windows = [set() for _ in range(4)]
            with gpucache.Trace(context, path) as trace:
                for kernel in trace:
                    for block in kernel:
                        for instruction in (each for warp in block for each in warp if each.addresses):
                            self.assertEqual(instruction.space, Space.GLOBAL)
                            windows[block.index] |= {a - _shared.BEHIND for a in instruction.addresses if a >= _shared.BEHIND}
        self.assertEqual({address // (48 << 10) for address in windows[3]}, {3})
        self.assertEqual([len(each) for each in windows], [256] * 4)
        self.assertEqual(_valley.shared_accesses(source), 2 * 2 * 32)
        self.assertEqual(_valley.shared_lanes(source), 2 * 2 * 1024)


if __name__ == "__main__":
    unittest.main()
