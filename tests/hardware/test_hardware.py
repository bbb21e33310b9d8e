# SPDX-License-Identifier: BSD-2-Clause
"""The h100 preset, functional and timed, against the counters and the pointer chase of an H100.

The bounds are the project's aims. If a launch is off by more than a few points, the reason stands in the test. A launch
newly out of bounds is a failure.
"""

import json
import unittest
import xml.etree.ElementTree as xml

import banks
import chase
import compare
import gpu_picture
import gpus
import reuse
import slices
import timed
import written

from support import EFFORT

L1_MEAN, L2_MEAN, DRAM_MEAN = 0.5, 3.0, 3.0
L1_EACH, L2_EACH, DRAM_EACH = 1.5, 5.0, 4.0

# Blocks b and b+1 are on one SM only if two places of an SM became free at once; the blocks then share sectors. The map
# comes from the run of the trace; the counters come from another run, without the shared sectors.
OTHER_RUN = {"zeropad/kernel-1", "hotspot/kernel-1"}
# Addresses powers of two apart. L1's sets are the hardware's, which hits 3.9 points less; in L2, with an unknown hash,
# the model hits 5.0 points more.
CONFLICTS = {"spatial_bitrev/kernel-1"}
# Hardware counts more misses than the model, and yet DRAM reads agree: the extra misses cause no fetch. An extra miss
# reads a sector on its way to L2; without a clock the read is a hit.
ON_ITS_WAY = {"bfs/kernel-6", "bfs/kernel-14", "backprop/kernel-1"}
# Hardware's L2 gets fewer requests than the L1s' missed sectors, here by a quarter: simultaneous reads of a sector by
# several SMs arrive as one. The merged reads, hits without a clock, are missing in hardware's reads and hits.
MERGED = {"lud/kernel-9", "lud/kernel-21"}


def name(row):
    return row.trace.replace(".traceg.xz", "")


class Hardware(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = compare.traces()
        if cls.folder == compare.BUNDLED:
            print(f"{compare.SHARED} is missing: comparing the bundled traces only")
        cls.rows = compare.compare_all(cls.folder)
        cls.whole = [row for row in cls.rows if not row.partial]
        cls.counted = [row for row in cls.whole if row.loads > compare.LEAST_LOADS]
        print(compare.table(cls.rows))
        print("means: L1 {:.3f} points, L2 {:.3f} points, DRAM {:.3f} %, {} launches".format(*compare.means(cls.rows)))

    def need_all(self):
        if self.folder != compare.SHARED:
            self.skipTest("needs all traces")

    def test_there_is_something_to_compare(self):
        self.assertGreaterEqual(len(self.counted), 50 if self.folder == compare.SHARED else 4)

    def test_coalescing_is_exact(self):
        for row in self.whole:
            for what, (model, hardware) in row.counts.items():
                self.assertEqual(model, hardware, f"{name(row)}: {what}")

    def test_mean_errors(self):
        l1, l2, dram, _ = compare.means(self.rows)
        self.assertLessEqual(l1, L1_MEAN, "L1 load sector hit rate, points")
        self.assertLessEqual(l2, L2_MEAN, "L2 read sector hit rate, points")
        self.assertLessEqual(dram, DRAM_MEAN, "DRAM read sectors, per cent")

    def test_instructions(self):
        """Hardware runs instructions outside the trace (loops without global memory); the trace, warps that only
        exit."""
        for row in self.whole:
            trace, model, hardware = row.instructions
            self.assertLessEqual(trace, model, name(row))
            self.assertLessEqual(model, hardware, name(row))

    def test_each_launch(self):
        for row in self.counted:
            with self.subTest(name(row)):
                if name(row) not in OTHER_RUN | CONFLICTS:
                    self.assertLessEqual(abs(compare.off(row.l1)), L1_EACH, "L1, points")
                if name(row) not in ON_ITS_WAY | MERGED | CONFLICTS:
                    self.assertLessEqual(abs(compare.off(row.l2)), L2_EACH, "L2, points")
                self.assertLessEqual(abs(compare.off(row.dram)) / row.dram[1] * 100, DRAM_EACH, "DRAM, per cent")

    def test_no_explanation_is_idle(self):
        self.need_all()
        for row in self.counted:
            if name(row) in OTHER_RUN | CONFLICTS:
                self.assertGreater(abs(compare.off(row.l1)), L1_EACH, f"{name(row)} needs no explanation any more")
            if name(row) in ON_ITS_WAY | MERGED:
                self.assertGreater(abs(compare.off(row.l2)), L2_EACH, f"{name(row)} needs no explanation any more")

    def test_another_run_has_no_such_hits(self):
        """Blocks in order to SMs in turn: no neighbors on one SM, and the hits are gone, equal to the counters' run."""
        self.need_all()
        for entry in json.loads((self.folder / "hardware.json").read_text()):
            if entry["trace"].replace(".traceg.xz", "") in OTHER_RUN:
                row = compare.compare(self.folder, entry, settings=[("blocks.placement", "round-robin")])
                self.assertLessEqual(abs(compare.off(row.l1)), 0.1, name(row))

    def test_viper_without_fences(self):
        """The traces have no fences: L1s that drop lines at an acquire cannot be tested."""
        self.assertEqual(compare.compare_all(self.folder, settings=[("coherence", "viper")]), self.rows)

    def test_more_misses_and_no_more_dram_reads(self):
        self.need_all()
        for row in self.whole:
            if name(row) in ON_ITS_WAY:
                self.assertGreater(row.misses[1], row.misses[0], name(row))
                self.assertLessEqual(abs(compare.off(row.dram)) / row.dram[1] * 100, 0.5, name(row))

    def test_merged_reads(self):
        """Subtracted from the model's reads, the merged reads leave the counters' values; in small launches too."""
        self.need_all()
        for row in self.whole:
            if name(row) in MERGED:
                self.assertLessEqual(abs(compare.off_with_merging(row)), 2, name(row))
            if row.merged > row.reads[1] / 100:
                self.assertLess(abs(compare.off_with_merging(row)), abs(compare.off(row.l2)), name(row))


RANK, CYCLES_MEAN = 0.9, 6  # over launches above timed.LEAST_CYCLES: Spearman's; per cent
PARTIAL_MEAN, PARTIAL_EACH = 2, 4  # points
# 50.3 % on hardware in the run of the traces, 33.4 and 37.0 in two more runs of the same kernel (micro/h100.txt): the
# rate tells nothing within two points.
PARTIAL_VARIES = "warp_reuse_48_4sm/kernel-1"
REUSE_MEAN = 4  # points
REUSE_FITS = 1.1  # the same, for kernels whose lines fit in L1; the most is 1.05, of 192 KiB


class Timed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not compare.SHARED.exists():
            raise unittest.SkipTest(f"{compare.SHARED} is missing")
        cls.rows = timed.run_all(compare.SHARED)
        print(timed.table(cls.rows))
        print(timed.summary(cls.rows))

    def test_viper_without_fences(self):
        some = ("atax/kernel-1", "backprop/kernel-2", "bfs/kernel-13", "histogram", "lud/kernel-9", "warp_reuse_26")
        viper = {row.name: row for row in timed.run_all(compare.SHARED, "h100", [("coherence", "viper")], some)}
        self.assertGreaterEqual(len(viper), len(some))
        for row in self.rows:
            self.assertEqual(viper.get(row.name, row), row)

    def test_cycles(self):
        rows = timed.counted(self.rows)
        self.assertGreaterEqual(len(rows), 25)
        correlation, percentage = timed.cycle_errors(rows)
        self.assertGreaterEqual(correlation, RANK)
        self.assertLessEqual(percentage, CYCLES_MEAN)

    def test_barriers_that_a_trace_lacks(self):
        """If all warps of a block waited at a barrier, the launch would take 28 % too long."""
        (row,) = [row for row in self.rows if row.name == "scalarprod/kernel-1"]
        self.assertLessEqual(abs(timed.error(row.cycles)), 10)

    def test_what_is_left_out_lacks_its_loops(self):
        """The reason is not an error: a model with hardware's cycles of the whole for the traced part would be
        wrong."""
        rows = [row for row in self.rows if not row.partial and not row.complete]
        self.assertEqual({row.name.split("/")[0] for row in rows}, {"lud", "hotspot"})
        for row in rows:
            self.assertLess(row.cycles[0], row.cycles[1], row.name)

    def test_closer_than_accel_sim(self):
        seen = set()
        for row in self.rows:
            if row.name in timed.ACCEL_SIM:
                seen.add(row.name)
                other = timed.error((timed.ACCEL_SIM[row.name], row.cycles[1]))
                self.assertLess(abs(timed.error(row.cycles)), abs(other), row.name)
        self.assertEqual(seen, set(timed.ACCEL_SIM))

    def test_hit_rates(self):
        rows = [r for r in self.rows if not r.partial and r.stats["l1.load_requests"] > compare.LEAST_LOADS]
        self.assertLessEqual(timed.mean(abs(compare.off(row.l1)) for row in rows), L1_MEAN, "L1, points")
        self.assertLessEqual(timed.mean(abs(compare.off(row.l2)) for row in rows), L2_MEAN, "L2, points")
        self.assertLessEqual(timed.mean(abs(timed.error(row.dram)) for row in rows), DRAM_MEAN, "DRAM, per cent")

    def test_working_sets_that_do_not_fit(self):
        self.assertEqual(sum(row.partial for row in self.rows), 5)
        rows = [row for row in self.rows if row.name != PARTIAL_VARIES]
        self.assertEqual(len(rows) + 1, len(self.rows))
        average, largest = timed.partial_errors(rows)
        self.assertLessEqual(average, PARTIAL_MEAN)
        self.assertLessEqual(largest, PARTIAL_EACH)


class Reuse(unittest.TestCase):
    def test_working_sets_around_its_size(self):
        rows = reuse.run_all()
        print(reuse.table(rows))
        self.assertEqual(len(rows), 27)
        self.assertLessEqual(reuse.mean_error(rows), REUSE_MEAN)
        for row in rows:
            if row.size * row.warps * 128 <= 192 << 10:
                self.assertLess(abs(row.model - row.hits), REUSE_FITS, row)


BANKS_EACH = 0.2  # cycles


class Banks(unittest.TestCase):
    def test_loads_that_hit(self):
        rows = banks.run_all(every=1 if EFFORT == "thorough" else 8)
        print(banks.summary(rows))
        self.assertGreaterEqual(len(rows), 45)
        for row in rows:
            self.assertLessEqual(abs(row.model - row.gpu), BANKS_EACH, row.name)


# Bound as a share of the GPU's rate, for loads of random sectors, each with a store to a second sector.
WRITTEN_EACH = 0.12


class Written(unittest.TestCase):
    def test_reads_behind_writes(self):
        table, what = written.read_table(), "load.cg+store.u32"
        for kib in (64, 256, 1024) if EFFORT == "thorough" else (64, 1024):
            rate = written.rate((what, kib, 8, []))
            print(f"{what}, {kib} KiB: {rate:.1f} a nanosecond, {table[what, kib]:.1f} on the GPU")
            self.assertLessEqual(abs(rate / table[what, kib] - 1), WRITTEN_EACH, f"{kib} KiB: {rate}")


class Slices(unittest.TestCase):
    def test_of_lines(self):
        """Pages with complete measurements agree entirely; on the rest, 2 % may be errors of measurement."""
        rows, names = slices.compare(slices.read_table())
        self.assertEqual(sorted(names), list(range(80)))
        self.assertEqual(len(set(names.values())), 80)
        whole = [row for row in rows if row.told == row.stretches]
        self.assertEqual(sum(row.told for row in whole), 2048)
        for row in whole:
            self.assertEqual(row.fit, row.told, row)
        told, fit = sum(row.told for row in rows), sum(row.fit for row in rows)
        print(f"slices: {fit} of {told} stretches")
        self.assertGreaterEqual(fit, 0.98 * told)


# Larger footprints take minutes: see chase.py. The longest remaining chains, 16 MiB in steps of 32 bytes, are run in
# thorough runs: in steps of 128 bytes the chains are as large.
CHASE_MOST = 16 << 20
CHASE_DENSE_MOST = 16 << 20 if EFFORT == "thorough" else 8 << 20
CHASE_STRIDED_MOST = 64 << 20
# Rows with larger errors among the eight rows at L1's edge, 208 to 256 KiB, where the clock of the data output decides.
CHASE_EDGE = {(0, 32, 224 << 10), (0, 32, 240 << 10), (0, 128, 240 << 10)}


class Chase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not chase.TABLE.exists():
            raise unittest.SkipTest(f"{chase.TABLE} is missing")
        points = [
            p for p in chase.read_table()
            if p.footprint <= (CHASE_DENSE_MOST if p.stride == 32 else CHASE_MOST) or (p.cg, p.stride) == (0, 128) and p.footprint <= CHASE_STRIDED_MOST
        ]  # fmt: skip
        cls.rows = chase.run_all(points)
        print(chase.table(cls.rows))
        print(chase.summary(cls.rows))

    def test_each_footprint(self):
        self.assertGreaterEqual(len(self.rows), 80)
        for row in self.rows:
            if row.point[:3] not in CHASE_EDGE:
                self.assertLessEqual(abs(chase.error(row)), chase.WITHIN, row.point)

    def test_edges(self):
        """More expensive than the footprint before, cheaper than the next, like hardware; and each exception is
        needed."""
        cycles = {row.point[:3]: row.cycles for row in self.rows}
        for cg, stride, footprint in CHASE_EDGE:
            row = [cycles[point] for point in sorted(cycles) if point[:2] == (cg, stride)]
            place = row.index(cycles[cg, stride, footprint])
            self.assertLess(row[place - 1], row[place])
            self.assertLess(row[place], row[place + 1])
        for row in self.rows:
            if row.point[:3] in CHASE_EDGE:
                self.assertGreater(abs(chase.error(row)), chase.WITHIN, row.point)


# Points of a curve, and the largest footprint: DRAM's plateaus begin beyond 6 MiB on v100 and a40, elsewhere beyond 24.
GPUS_CHASE = (20, 12 << 20)
# On mi210 L1's plateau needs closer points, since its loads differ by 4 cycles, and L2's ends far beyond L2's size.
GPUS_CHASES = {"mi210": (32, 24 << 20)}
# Buffers, KiB, of which all blocks read their parts.
GPUS_SHARED = {"h200": (6144,), "a100_80": (6144, 159744), "rx6900xt": (2048, 3072), "mi210": (3072, 159744)}
if EFFORT == "thorough":
    GPUS_SHARED["h200"] = (6144, 159744)
    GPUS_SHARED["rx6900xt"] = (1536, 2048, 3072, 3584, 18432)
GPUS_STREAMS = {"v100": ("init", "scale"), "a40": ("read", "scale"), "a100_80": ("read", "triad"), "mi210": ("read", "scale")}
# Loads, (bytes, width, stride). H200: 1.2 cycles in place of 1.01, because the first scheduler's loads always go first
# (1.03 with sm.memory_order = turns). A100, A40: rows in which the fitted banks of tags are off.
GPUS_OFF = {("h200", 4, 0, 0), ("h200", 4, 0, 1), ("h200", 4, 32, 4098), ("h200", 4, 64, 4098)}
GPUS_OFF |= {("a100_80", 8, 2, 4098), ("a100_80", 4, 0, 3), ("a100_80", 4, 0, 5)}
GPUS_OFF |= {("a40", 4, 4, 4098), ("a40", 4, 0, 7), ("a40", 8, 0, 39)}
# Triad of doubles, -11.5 %: -7.6 % before half warps of doubles took separate turns at L1's data banks (400f965c).
GPUS_OFF |= {("a100_80", "triad", 0.5)}
# Loads of floats of an RX 6900 XT: 1.2 cycles here, 1.0 there, unexplained; with stride 3 a load takes 2 there.
# L0: 26 TB/s here, a line a cycle, 23 measured. L2 by blocks that read one buffer, 10 TB/s here, 5 measured: reads of
# ten compute units merge in their GL1.
GPUS_OFF |= {("rx6900xt", 4, 32, 4098), ("rx6900xt", 4, 64, 4098), ("rx6900xt", 4, 0, 0), ("rx6900xt", 4, 0, 1)}
GPUS_OFF |= {("rx6900xt", 4, 0, 3), ("rx6900xt", 4, 0, 7), ("rx6900xt", "rate", "L0"), ("rx6900xt", "rate", "L2")}


class Gpus(unittest.TestCase):
    def near(self, key, gpu, model, bound):
        off = abs(model / gpu - 1)
        (self.assertGreater if key in GPUS_OFF else self.assertLessEqual)(off, bound / 100, (key, gpu, model))

    def test_latencies_and_knees(self):
        for gpu, curve in gpus.read()["chase"].items():
            if gpu not in gpus.GPUS:
                continue
            count, most = GPUS_CHASES.get(gpu, GPUS_CHASE)
            points = [point for point in curve["points"] if point[0] * 1024 <= most]
            rows = gpus.run(gpu, gpus.some(points, count), jobs=2)
            theirs, ours = gpus.levels(rows, lambda row: row.gpu), gpus.levels(rows, lambda row: row.model)
            self.assertGreaterEqual(len(theirs), 2, gpu)
            for n, (a, b) in enumerate(zip(theirs, ours)):
                self.near((gpu, "latency", n), a.latency, b.latency, gpus.LATENCY)
                if a.knee:
                    self.near((gpu, "knee", n), a.knee, b.knee, gpus.KNEE)

    def test_part_of_each_block(self):
        """Bandwidth of L2 and DRAM, by what all blocks read together."""
        data = gpus.read()
        for gpu, sizes in GPUS_SHARED.items():
            points = [point for point in gpus.curve(gpu, "l2", data) if point[0] in sizes]
            self.assertEqual(len(points), len(sizes), gpu)
            for row in gpus.run(gpu, points, jobs=2, family="l2"):
                self.near((gpu, "l2", row.kib), row.gpu, row.model, gpus.RATE)

    def test_streams(self):
        """Few threads, for which the start of blocks decides, and half of an SM's threads, which saturate DRAM."""
        data = gpus.read()
        for gpu, kinds in GPUS_STREAMS.items():
            points = [point for point in gpus.curve(gpu, "stream", data) if tuple(point[:2]) in ((16, 1), (512, 2))]
            self.assertEqual(len(points), 2, gpu)
            for row in gpus.streams(gpu, points, jobs=2, kinds=kinds):
                self.near((gpu, row.kind, row.share), row.gpu, row.model, gpus.FULL if row.share >= 0.5 else gpus.PART)

    def test_strides(self):
        data = gpus.read()
        for gpu, step in (("h200", 5), ("rx6900xt", 5), ("a100_80", 12), ("a40", 12)):
            points = [point for point in gpus.curve(gpu, "strides", data) if gpu != "rx6900xt" or point[0] == "float"]
            rows = gpus.strides(gpu, points if EFFORT == "thorough" else points[::step], jobs=2)
            for row in rows:
                self.near((gpu, *row[:3]), row.gpu, row.model, gpus.CYCLES)

    def test_picture(self):
        rows = {"chase": [gpus.Row(2.0, 33, 34), gpus.Row(256.0, 200, 210)],
                "stream": [gpus.Stream("read", 0.25, 100, 110), gpus.Stream("read", 0.5, 200, 190)],
                "strides": [gpus.Stride(4, 0, 1, 1.0, 1.1), gpus.Stride(8, 0, 2, 4.0, 4.0)]}  # fmt: skip
        picture = xml.fromstring(gpu_picture.draw("v100", "v100", rows))
        paths = picture.findall(".//{*}path")
        self.assertEqual(len(paths), 2 * (1 + 1 + 2))
        self.assertEqual([len(each.findall("{*}circle")) for each in picture.findall("{*}svg")], [2, 2, 2])

    def test_bandwidth(self):
        data = gpus.read()
        for gpu in gpus.GPUS if EFFORT == "thorough" else ("v100", "a40", "mi210"):
            for level, rate in gpus.rates(gpu, data).items():
                self.near((gpu, "rate", level), rate.gpu, rate.model, gpus.RATE)


if __name__ == "__main__":
    unittest.main()
