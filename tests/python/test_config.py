# SPDX-License-Identifier: BSD-2-Clause
"""Configurations and statistics through the bindings."""

import json
import unittest

from harness import TemporaryCase
from support import ROOT

import gpucache
from gpucache import Status, ValueType


class Configurations(TemporaryCase):
    def setUp(self):
        super().setUp()
        self.config = gpucache.Config(self.context)
        self.addCleanup(self.config.close)

    def test_defaults(self):
        for key in gpucache.config_keys():
            self.assertEqual(self.config[key.name], key.initial, key.name)

    def test_setting(self):
        self.config["l1.size"] = "48KiB"
        self.assertEqual((self.config["l1.size"], self.config.number("l1.size")), ("48KiB", 48 << 10))
        self.config["l1.size"] = 32768
        self.assertEqual(self.config["l1.size"], "32KiB")
        self.config["l1.enabled"] = False
        self.assertEqual((self.config["l1.enabled"], self.config.number("l1.enabled")), ("false", 0))
        self.config.set_pair("l1.replacement = fifo")
        self.assertEqual(self.config["l1.replacement"], "fifo")

    def test_order(self):
        config = gpucache.Config(self.context, preset="h100", settings={"sm.count": 7})
        self.assertEqual((config["sm.count"], config["sm.lanes"]), ("7", "32"))
        config.load_preset("gcn-7970")
        self.assertEqual(config["sm.lanes"], "64")

    def test_files(self):
        self.write("common.cfg", "l1.ways = 8\n")
        config = gpucache.Config(self.context)
        config.load_file(self.write("a.cfg", "# a comment\npreset = gtx480\ninclude = common.cfg\nl1.size = 64KiB\n"))
        self.assertEqual((config["l1.ways"], config["l1.size"]), ("8", "64KiB"))
        config.load_text("l1.ways = 2", "mine")
        self.assertEqual(config["l1.ways"], "2")

    def test_errors_name_the_place(self):
        before = dict(self.config)
        path = self.write("bad.cfg", "l1.ways = 8\nl1.sise = 3\n")
        for action, kind, message in (
            (lambda: self.config.load_file(path), gpucache.NotFoundError, "bad.cfg:2: .*l1.size"),
            (lambda: self.config.load_file(self.path("none.cfg")), gpucache.InputOutputError, "none.cfg"),
            (lambda: self.config.load_text("\nl1.ways = many", "mine"), gpucache.GpucacheError, "mine:2: .*l1.ways"),
            (lambda: self.config.load_preset("h10"), gpucache.NotFoundError, "h100"),
            (lambda: self.config.set_pair("l1.ways"), gpucache.GpucacheError, "l1.ways"),
            (lambda: self.config["no.such"], gpucache.NotFoundError, "no.such"),
            (lambda: self.config.number("l1.replacement"), gpucache.StateError, "l1.replacement"),
            (lambda: gpucache.preset_text("h10"), gpucache.NotFoundError, "no preset 'h10'; there are .*h100"),
        ):
            with self.subTest(message), self.assertRaisesRegex(kind, message):
                action()
        self.assertEqual(dict(self.config), before)
        with self.assertRaises(gpucache.RangeError) as caught:
            self.config["l1.ways"] = 0
        self.assertEqual(caught.exception.status, Status.ERROR_RANGE)
        with self.assertRaises(TypeError):
            self.config["l1.ways"] = None

    def test_gpgpusim(self):
        path = self.write(
            "gpgpusim.config",
            "-gpgpu_n_clusters 20\n-gpgpu_n_cores_per_cluster 1\n"
            "-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:512:8,16:0,32\n-gpgpu_ptx_sim_mode 0\n",
        )
        self.assertEqual(self.config.import_gpgpusim(path), 3)
        found = [self.config[key] for key in ("sm.count", "l1.ways", "l1.sectors")]
        self.assertEqual(found, ["20", "64", "4"])

    def test_gpgpusim_option_by_option(self):
        found = []
        options = "-gpgpu_n_clusters 20\n-gpgpu_n_cluster 3\n-gpgpu_perfect_mem 0\n"
        self.assertEqual(self.config.import_gpgpusim_text(options, "here", found), 1)
        applied, unknown, ignored = found
        self.assertEqual(applied, ("-gpgpu_n_clusters", "20", 1, gpucache.ImportOutcome.APPLIED, ""))
        self.assertEqual(unknown[:4], ("-gpgpu_n_cluster", "3", 2, gpucache.ImportOutcome.UNKNOWN))
        self.assertIn("no option of GPGPU-Sim", unknown.reason)
        self.assertEqual(ignored.outcome, gpucache.ImportOutcome.IGNORED)
        self.assertIn("there is memory here", ignored.reason)
        powers = []
        options = "-power_simulation_enabled 1\n-accelwattch_xml_file sim.xml\n-gpuwattch_xml_file sim.xml\n"
        self.assertEqual(self.config.import_gpgpusim_text(options, "here", powers), 0)
        for option in powers:
            self.assertEqual(option.outcome, gpucache.ImportOutcome.IGNORED)
            self.assertIn("the keys energy.*", option.reason)
        with self.assertRaisesRegex(gpucache.RangeError, "here:1: -gpgpu_n_mem"):
            self.config.import_gpgpusim_text("-gpgpu_n_mem 0", "here", found)
        self.assertEqual(len(found), 3)

    def test_gpgpusim_copies(self):
        """-gpgpu_perf_sim_memcpy, 1 for a file with an L2 and without the option: upstream's default."""
        l2 = "-gpgpu_cache:dl2 S:32:128:24,L:B:m:L:P,A:192:4,32:0,32\n"
        for options, expected in (
            ("-gpgpu_n_clusters 20\n", "none"), (l2, "l2"), (l2 + "-gpgpu_perf_sim_memcpy 0\n", "none"),
            ("-gpgpu_perf_sim_memcpy 1\n", "l2"),
        ):  # fmt: skip
            self.config["kernels.copies"] = "none"
            self.config.import_gpgpusim_text(options, "here", [])
            self.assertEqual(self.config["kernels.copies"], expected, options)

    def test_why_an_option_is_passed_over(self):
        for option, reason in (
            ("-inter_config_file a.icnt", "a file of its network's"), ("-gpgpu_max_cycle 5", "limit.cycles"),
            ("-gpgpu_inst_fetch_throughput 4", "sm.fetch"), ("-gpgpu_runtime_stat 500", "a report"),
            ("-gpgpu_runtime_sync_depth_limit 2", "not run"), ("-l2_ideal 0", "-gpgpu_cache:dl2"),
        ):  # fmt: skip
            found = []
            self.config.import_gpgpusim_text(option, "here", found)
            self.assertIn(reason, found[0].reason)

    def test_copy_and_contents(self):
        copy = self.config.copy()
        copy["l1.ways"] = 8
        self.assertNotEqual(copy["l1.ways"], self.config["l1.ways"])
        self.assertIn("l1.ways", copy)
        self.assertNotIn("l1.way", copy)
        self.assertEqual(list(copy), [key.name for key in gpucache.config_keys()])
        self.assertEqual(dict(copy.items()), dict(copy))

    def test_reference(self):
        keys = {key.name: key for key in gpucache.config_keys()}
        self.assertEqual(keys["l1.size"].type, ValueType.SIZE)
        self.assertEqual(keys["l1.carveout"].choices, ("auto", "driver"))
        self.assertIn("fermi", keys["l1.index"].choices)
        for key in keys.values():
            self.assertTrue(key.meaning, key.name)

    def test_presets(self):
        names = [preset.name for preset in gpucache.presets()]
        self.assertIn("h100", names)
        for name in names:
            by_name, by_text = gpucache.Config(self.context, preset=name), gpucache.Config(self.context)
            by_text.load_text(gpucache.preset_text(name))
            self.assertEqual(dict(by_name), dict(by_text))

    def test_presets_give_what_they_gave(self):
        """Figures of every preset, in any file; a changed preset changes the list."""
        name, expected = None, {}
        for line in (ROOT / "tests" / "config" / "presets.golden").read_text().splitlines():
            if line.startswith("["):
                name = line.strip("[]")
                expected[name] = {}
            elif name and line:
                key, value = line.split(" =", 1)
                expected[name][key] = value.strip()
        listed = [preset.name for preset in gpucache.presets()]
        self.assertEqual([name for name in listed if name in expected], list(expected))
        for name, figures in expected.items():
            config = gpucache.Config(self.context, preset=name)
            self.assertGreater(len(figures), 140)
            self.assertEqual({key: config[key] for key in figures}, figures, name)


class Statistics(unittest.TestCase):
    def made(self, **values):
        return gpucache.Stats.of({name.replace("__", "."): value for name, value in values.items()})

    def test_names(self):
        counted = [0] * 33
        counted[3] = 5
        stats = self.made(l1__load_sectors=8, l1__load_sector_hits=2, l1__transactions_per_load=counted)
        self.assertEqual(stats["l1.load_sectors"], 8)
        self.assertEqual(stats["l1.load_hit_rate"], 0.25)
        self.assertEqual(stats["l1.transactions_per_load"][3], 5)
        self.assertNotIn("l2.read_hit_rate", stats)

    def test_sum_and_difference(self):
        one, two = self.made(blocks=3, l1__capacity=100), self.made(blocks=4, l1__capacity=50)
        total = sum((one, two), gpucache.Stats())
        self.assertEqual((total["blocks"], total["l1.capacity"]), (7, 100))
        self.assertEqual((total - one)["blocks"], 4)
        with self.assertRaises(TypeError):
            one + 1

    def test_text(self):
        stats = self.made(l1__load_sectors=3, l1__load_sector_hits=1)
        values = json.loads(stats.json())
        self.assertEqual(values.pop("l1.load_hit_rate"), 0.333333)
        self.assertEqual(values, {name: value for name, value in stats.items() if name != "l1.load_hit_rate"})
        header, line = stats.csv(header=True).splitlines()
        self.assertEqual(stats.csv().splitlines(), [line])
        self.assertEqual(dict(zip(header.split(","), line.split(",")))["l1.load_sectors"], "3")

    def test_table(self):
        counters = {counter.name: counter for counter in gpucache.counters()}
        self.assertEqual(counters["l1.capacity"].merge, gpucache.Merge.MAX)
        self.assertEqual(counters["l1.transactions_per_load"].kind, "histogram")
        self.assertEqual(counters["l1.load_hit_rate"].kind, "ratio")
        self.assertEqual(counters["l1.load_sectors"].unit, "sectors")


if __name__ == "__main__":
    unittest.main()
