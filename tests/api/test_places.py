# SPDX-License-Identifier: BSD-2-Clause
"""The number of places for a new item: a copy of the library gets one of each kind, is built, and lists the new items.

The copy is the subproject of a host with Meson, and is built with the host.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import EFFORT, ROOT, run

HOST = """
project('host', 'c', version: '9.9', default_options: ['c_std=c11', 'optimization=0', 'werror=true'])
executable('host', 'host.c', dependencies: dependency('gpucache', fallback: 'gpucache'))
"""

# A further policy of each kind is a copy of a present policy: {folder: (file, table, name)}.
POLICIES = {
    "replacement": ("fifo.c", "gpci_fifo", '"fifo"'),
    "predictor": ("hint.c", "gpci_hint", '"hint"'),
    "scheduler": ("oldest.c", "gpci_oldest", '"oldest"'),
    "throttle": ("blocks.c", "gpci_blocks_throttle", '"blocks"'),
    "prefetcher": ("no_prefetcher.c", "gpci_no_prefetcher", '"none"'),
    "protocol": ("msi.c", "gpci_msi", '"msi"'),
}
KEY = 'X(NOVEL, "novel.key", COUNT, RESET, "things", "3", 1, 9, "", "a further key")'
# A counter, in the table of counters for all objects if present, else in the table of gpc_stats.
COUNTERS = {
    "counters.h": 'X(9999, novel, "novel", "things", SUM, WHOLE, NOTHING, "0.2", "a further counter", ">= 0")',
    "stats.h": 'X(novel, "novel", "things", SUM, "a further counter")',
}
COUNTING = "h->stats.kernels++;"  # the further counter is counted beside this counter
PRESET = "# summary: a further GPU\n\npreset = h100\nsm.count = 3\nnovel.key = 7\n"

# Asked of the copy's library by the copy's bindings.
QUESTIONS = """
import json, gpucache
from gpucache import PolicyKind
made = gpucache.Context()
names = {kind.name.lower(): [policy.name for policy in made.policies(kind)] for kind in PolicyKind}
config = gpucache.Config(made, preset="novel")
for key, value in (("l1.replacement", "novel"), ("l1.bypass", "novel"), ("scheduler", "novel + novel"),
                   ("l1.prefetcher", "novel"), ("l2.prefetcher", "novel"),
                   ("coherence", "novel")):
    config[key] = value
gpucache.Hierarchy(made, gpucache.Config(made, settings={"l1.replacement": "novel", "l1.bypass": "novel"})).close()
fresh = gpucache.Config(made)
with gpucache.Hierarchy(made, fresh) as hierarchy:
    hierarchy.begin_kernel()
    stats = hierarchy.stats()
    counted = stats["novel"], stats["kernels"]
print(json.dumps({
    "names": names, "config": dict(config), "fresh": dict(fresh),
    "presets": [preset.name for preset in gpucache.presets()],
    "keys": [key.name for key in gpucache.config_keys()], "counted": counted,
    "cost": made.policy_cost(PolicyKind.REPLACEMENT, "novel", sets=4, ways=4),
}))
"""


class Copy:
    """The library's files in a folder of their own, as the subproject of a host, without tests and examples."""

    def __init__(self, folder):
        self.folder, self.root = folder, folder / "subprojects" / "gpucache"
        self.root.mkdir(parents=True)
        (folder / "meson.build").write_text(HOST)
        shutil.copy(ROOT / "examples/embed_host.c", folder / "host.c")
        for name in ("lib", "include", "bindings"):
            shutil.copytree(ROOT / name, self.root / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "meson.build", self.root)
        self.written = {}  # {what: files}

    def add(self, what, path, text, after=None):
        """A new file, or lines in a present file: at the end, or behind the line with `after`; counted for `what`."""
        path = self.root / path
        if what:
            self.written.setdefault(what, []).append(path)
        old = path.read_text() if path.exists() else ""
        if after is not None:
            start = old.index(after)
            end = old.index("\n", start) + 1
            text = old[:end] + text + old[end:]
        else:
            text = old + text
        path.write_text(text)

    def setup(self):
        # No other installed library.
        run("meson", "setup", self.folder / "build", self.folder, "--buildtype=plain", "--wrap-mode=forcefallback")

    def build(self):
        run("ninja", "-C", self.folder / "build", "host")

    def ask(self, program):
        environment = dict(
            os.environ, PYTHONPATH=str(self.root / "bindings/python"),
            GPUCACHE_LIBRARY=str(self.folder / "build/subprojects/gpucache/lib/libgpucache.so"),
        )  # fmt: skip
        return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)


@unittest.skipUnless(EFFORT == "thorough", "builds the library: left to thorough runs")
class Places(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.copy = copy = Copy(pathlib.Path(scratch.name))
        copy.setup()  # before any addition: the build notices all later ones
        for kind, (file, table, name) in POLICIES.items():
            folder = pathlib.Path("lib/policies", kind)
            text = (copy.root / folder / file).read_text().replace(name, '"novel"').replace(table, f"gpci_novel_{kind}")
            copy.add(kind, folder / f"novel_{kind}.c", text)
            copy.add(kind, folder / "list.def", f'POLICY(gpci_novel_{kind}, "novel_{kind}.c")\n')
        copy.add("key", "lib/config/keys_sm.h", f"    {KEY} \\\n", after="#define GPCI_KEYS_SM(X)")
        copy.add("preset", "lib/config/presets/novel.conf", PRESET)
        public = pathlib.Path("include/gpucache")
        header = next(name for name in COUNTERS if (copy.root / public / name).exists())
        copy.add("counter", public / header, f"    {COUNTERS[header]} \\\n", after="#define GPC_COUNTERS(X)")
        counting = next(path for path in (copy.root / "lib").rglob("*.c") if COUNTING in path.read_text())
        copy.add("counter", counting.relative_to(copy.root), "    h->stats.novel++;\n", after=COUNTING)
        run(sys.executable, copy.root / "bindings/python/generate.py")  # writes the headers' contents
        copy.build()
        asked = copy.ask(QUESTIONS)
        assert asked.returncode == 0, asked.stderr
        cls.answers = json.loads(asked.stdout)

    def test_host_runs(self):
        """A host that builds with Meson may carry the library as a subproject."""
        self.assertIn("l1.load_hit_rate", run(self.copy.folder / "build/host", env=dict(os.environ, LD_LIBRARY_PATH="")))

    def test_places(self):
        """A policy's file and row; a key's row; a preset's file; a counter's row and the counting line."""
        counted = {what: len(files) for what, files in self.copy.written.items()}
        self.assertEqual(counted, {**dict.fromkeys(POLICIES, 2), "key": 1, "preset": 1, "counter": 2})

    def test_policies_are_listed_last_and_used(self):
        self.assertEqual({kind: names[-1] for kind, names in self.answers["names"].items()},
                         dict.fromkeys(POLICIES, "novel"))  # fmt: skip
        self.assertEqual(self.answers["config"]["scheduler"], "novel + novel")
        self.assertGreater(self.answers["cost"], 0)

    def test_key_has_its_default_and_is_set(self):
        self.assertIn("novel.key", self.answers["keys"])
        self.assertEqual((self.answers["fresh"]["novel.key"], self.answers["config"]["novel.key"]), ("3", "7"))

    def test_counter_is_counted(self):
        self.assertEqual(self.answers["counted"], [1, 1])

    def test_preset_is_listed_and_stands_on_another(self):
        self.assertEqual(self.answers["presets"][-1], "novel")
        self.assertEqual((self.answers["config"]["sm.count"], self.answers["config"]["sm.lanes"]), ("3", "32"))
        self.assertEqual(self.answers["config"]["l1.size"], "256KiB")

    def test_errors_of_a_preset_name_file_and_line(self):
        self.copy.add("", "lib/config/presets/wrong.conf", "# summary: wrong\n\npreset = h100\n\nl1.sise = 3\n")
        self.copy.build()
        asked = self.copy.ask("import gpucache; gpucache.Config(gpucache.Context(), preset='wrong')")
        self.assertIn("presets/wrong.conf:5: l1.sise: unknown key; did you mean 'l1.size'?", asked.stderr)
        self.copy.add("", "lib/config/presets/circle.conf", "# a\n# b\npreset = circle\n")
        with self.assertRaisesRegex(AssertionError, r"circle.conf:3: 'circle' leads back to 'circle'"):
            self.copy.build()


if __name__ == "__main__":
    unittest.main()
