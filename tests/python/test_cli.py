# SPDX-License-Identifier: BSD-2-Clause
"""The other commands, as processes."""

import contextlib
import io
import json
import os
import re
import unittest

from harness import TemporaryCase, command, python, traceg, write_trace

import gpucache
from gpucache import cli


class Commands(TemporaryCase):
    def done(self, *arguments, status=0, message=""):
        found = command(*arguments)
        self.assertEqual(found.returncode, status, found.stderr)
        self.assertNotIn("Traceback", found.stderr)
        self.assertIn(message, found.stderr)
        if not message:
            self.assertEqual(found.stderr, "")
        return found.stdout


class Top(Commands):
    def test_usage(self):
        for arguments, message in (
            ([], "COMMAND"), (["fly"], "invalid choice: 'fly'"), (["--fly"], "required: COMMAND"),
        ):  # fmt: skip
            self.assertEqual(self.done(*arguments, status=2, message=message), "")
        for name in ("info", "convert", "presets", "policies", "config"):
            self.done(name, "--fly", status=2, message=f"(gpucache {name} --help)")

    def test_usage_errors_are_a_line_with_the_nearest_name(self):
        for arguments, line in (
            (["run"], "gpucache run: error: the following arguments are required: TRACE (gpucache run --help)"),
            (["rnu"], "gpucache: error: COMMAND: invalid choice: 'rnu'; did you mean 'run'? (gpucache --help)"),
            (["run", "t", "--mode", "timd"],
             "gpucache run: error: --mode: invalid choice: 'timd'; did you mean 'timed'? (gpucache run --help)"),
            (["run", "t", "--preste", "h100"],
             "gpucache run: error: unrecognized argument: --preste; did you mean '--preset'? (gpucache run --help)"),
            (["run", "t", "--mode", "x"], "gpucache run: error: --mode: invalid choice: 'x' (gpucache run --help)"),
        ):  # fmt: skip
            self.assertEqual(command(*arguments).stderr, line + "\n")

    def test_nearest_names(self):
        """Presets in another case, and policies of another kind."""
        self.done("run", "t", "--preset", "H100", status=1, message="did you mean 'h100'?")
        self.done("run", "synthetic:vectorad", status=1, message="did you mean 'vectoradd'?")
        self.done("run", "synthetic:vectoradd", "--set", "l1.replacement=agcb", status=1, message="'agcb' is a predictor")

    def test_help_and_version(self):
        text = self.done("--help")
        for name in ("run", "compare", "sweep", "explain", "bottleneck", "tune", "profile", "info", "convert", "presets", "policies",
                     "config"):  # fmt: skip
            self.assertRegex(text, rf"\n    {name}\s")
            self.assertIn(f"usage: gpucache {name}", self.done(name, "--help"))
        self.assertEqual(self.done("--version"), f"gpucache {gpucache.__version__}\n")


    def test_version_and_help_import_no_object_of_the_library(self):
        """Both answer at once: the modules with the library's records are not imported."""
        for option in ("--version", "--help"):
            done = python("-X", "importtime", "-m", "gpucache", option)
            imported = set(re.findall(r"\| +(gpucache\S*)", done.stderr))
            self.assertIn("gpucache.cli", imported)
            self.assertLessEqual(imported, {"gpucache", "gpucache.cli", "gpucache._constants", "gpucache.errors",
                                            "gpucache._stdin", "gpucache._output", "gpucache.cli._output",
                                            "gpucache.cli._terminal"})  # fmt: skip


class Kernels(Commands):
    def test_list(self):
        text = self.done("kernels")
        for kernel in gpucache.synthetics():
            self.assertRegex(text, rf"(?m)^{re.escape(kernel.name)} ")
        self.assertIn("(blocks=64, seed=1)", re.sub(r"\s+", " ", self.done("kernels", "histogram")))

    def test_chosen(self):
        lines = self.done("kernels", "transpose-*", "gather").splitlines()[1:]
        self.assertEqual([line.split()[0] for line in lines if line[0] != " "],
                         ["transpose-naive", "transpose-tiled", "gather"])  # fmt: skip
        self.done("kernels", "nothing", status=1, message="gpucache: no synthetic kernel has the name 'nothing'")


class Counters(Commands):
    def test_list(self):
        text = self.done("counters")
        for counter in gpucache.counters():
            self.assertRegex(text, rf"(?m)^{re.escape(counter.name)}\s")

    def test_chosen(self):
        text = self.done("counters", "l1.lookups", "l1.load_sec*")
        self.assertEqual([line.split()[0] for line in text.splitlines()[1:] if line[0] != " "],
                         ["l1.load_sectors", "l1.load_sector_hits", "l1.lookups"])  # fmt: skip
        self.assertIn(" = l1:reads + l1:writes + l1:atomics\n", text)
        message = "gpucache: no counter of the table cache has the name 'nothing'"
        self.done("counters", "nothing", "--table", "cache", status=1, message=message)

    def test_json(self):
        told = json.loads(self.done("counters", "packets", "--table", "network", "--json"))
        self.assertEqual(list(told), ["packets"])
        self.assertEqual(told["packets"]["unit"], "packets")
        self.assertTrue(told["packets"]["equals"])


class Presets(Commands):
    def test_list(self):
        lines = self.done("presets").splitlines()[1:]
        self.assertEqual([line.split()[0] for line in lines], [preset.name for preset in gpucache.presets()])
        for line, preset in zip(lines, gpucache.presets()):
            self.assertIn(preset.summary, line)
        truths = {line.split()[0]: line.partition("  ")[2].strip().rpartition("  ")[2] for line in lines}
        for name in ("v100", "a100", "rtx3090", "rtx4090", "h200", "rx6900xt", "mi300x", "mi210"):
            self.assertTrue(truths[name].startswith("gpu-benches on a"), name)
        self.assertEqual(truths["h100"], "micro-benchmarks and 58 traced launches of an H100")

    def test_one(self):
        self.assertEqual(self.done("presets", "h100"), gpucache.preset_text("h100"))
        self.done("presets", "h10", status=1, message="gpucache: no preset 'h10'; there are ")


class Policies(Commands):
    def test_list(self):
        text = self.done("policies", "--preset", "gtx480")
        self.assertIn("for the L1s of 15 SMs, each 16 KiB: 32 sets of 4 ways of 128 bytes and", text)
        self.assertIn("for 30 warp schedulers of 24 warps.", " ".join(text.split()))
        costly, _, protocols = text.partition("\ncoherence protocols")
        protocols, _, prefetchers = protocols.partition("\nprefetchers")
        priced = r"^([a-z0-9-]+) +(?:[\d,.]+|-) +(?:[\d,.]+|-)  \S"
        names = re.findall(priced, costly, re.MULTILINE)
        names += re.findall(r"^([a-z0-9-]+)  +\S", protocols.partition("\nname")[2], re.MULTILINE)
        names += re.findall(priced, prefetchers, re.MULTILINE)
        policies = [policy for kind in gpucache.PolicyKind for policy in self.context.policies(kind)]
        self.assertEqual(names, [policy.name for policy in policies])
        plain = "".join(text.split())
        for policy in policies:
            self.assertIn("".join(f"{policy.summary} [{policy.source}]".split()) if policy.source else
                          "".join(policy.summary.split()), plain)  # fmt: skip
        # FIFO on 32 sets of 4 ways: a pointer of 2 bits a set.
        self.assertRegex(text, r"\nfifo +8 +120  evict the line")

    def test_width(self):
        for columns, limit in (("40", 80), ("100", 100), ("500", 120)):
            lines = command("policies", COLUMNS=columns).stdout.splitlines()
            self.assertLessEqual(max(map(len, lines)), limit)
            self.assertGreater(max(map(len, lines)), limit - 12)

    def test_kinds(self):
        for kind in gpucache.PolicyKind:
            document = json.loads(self.done("policies", "--kind", kind.name.lower(), "--json"))
            self.assertEqual([policy["name"] for policy in document["policies"]],
                             [policy.name for policy in self.context.policies(kind)])  # fmt: skip
        self.done("policies", "--kind", "none", status=2, message="invalid choice")

    def test_one(self):
        text = self.done("policies", "random", "--preset", "gtx480")
        (random,) = [policy for policy in self.context.policies("replacement") if policy.name == "random"]
        for part in ("replacement, named in l1.replacement", random.summary, random.source, "8 bytes, 120 in all"):
            self.assertIn(part, text)
        self.assertRegex(self.done("policies", "always-cache"), r"\ncost +not stated\n")
        for spec, reads in (("random", "nothing of a request"), ("ship", "pc"), ("ship(signature=memory)", "address"),
                            ("hint", "hint"), ("age-lru", "warp, warp_age, warp_events")):  # fmt: skip
            self.assertRegex(self.done("policies", spec), rf"\nreads +{reads}\n")
        (listed,) = json.loads(self.done("policies", "ship", "--json"))["policies"]
        self.assertEqual(listed["reads"], ["pc"])
        self.assertNotRegex(self.done("policies", "gto"), r"\nreads ")
        self.assertIn("scheduler, named in scheduler", self.done("policies", "two-level"))
        self.assertIn("throttle, named in scheduler, after a +\n", self.done("policies", "warps"))
        self.assertRegex(self.done("policies", "two-level"), r"\ngroup +\d+ +\d+ to \d+  \w")
        self.done("policies", "randon", status=1, message="no policy 'randon'; did you mean 'random'?")
        self.done("policies", "gto", "--kind", "predictor", status=1, message="no policy 'gto'")

    def test_texts_are_listed(self):
        found = [(kind, policy) for kind in gpucache.PolicyKind for policy in self.context.policies(kind)
                 if policy.texts]  # fmt: skip
        self.assertTrue(found)
        for kind, policy in found:
            with contextlib.redirect_stdout(io.StringIO()) as text:
                self.assertEqual(cli.main(["policies", policy.name, "--kind", kind.name.lower()]), 0)
            for each in policy.texts:
                self.assertRegex(text.getvalue(), rf"\n{re.escape(each.name or '(list)')} ")

    def test_cost_of_parameters(self):
        def cost(spec):
            (policy,) = json.loads(self.done("policies", spec, "--json", "--preset", "gtx480"))["policies"]
            return policy["cost_bits"], policy["level_cost_bits"]

        # A tree of ways - 1 bits a set; and in 15 SMs.
        self.assertEqual(cost("plru"), (32 * 3, 15 * 32 * 3))
        self.assertEqual(cost("two-level(group=2)")[1], 30 * cost("two-level(group=2)")[0])
        self.assertNotEqual(cost("two-level(group=2)"), cost("two-level(group=12)"))
        # A throttle's state is the added state: the older of each two of 24 warps, and a limit of 0 to 24; 30
        # schedulers.
        self.assertEqual(cost("warps(limit=3)"), (24 * 23 // 2 + 5, 30 * (24 * 23 // 2 + 5)))
        self.done("policies", "two-level(group=0)", status=1, message="group")
        self.done("policies", "two-level(leaves=3)", status=1, message="leaves")

    def test_markdown(self):
        tables = self.done("policies", "--markdown", "--preset", "gtx480").split("\n\n")
        self.assertEqual(len(tables), len(gpucache.PolicyKind))
        for kind, text in zip(gpucache.PolicyKind, tables):
            rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in text.splitlines()[2:]]
            self.assertEqual([row[:2] for row in rows], [
                [f"`{policy.name}`", policy.summary.replace("|", "\\|")] for policy in self.context.policies(kind)
            ])  # fmt: skip
            self.assertEqual({len(row) for row in rows}, {3 if kind == gpucache.PolicyKind.PROTOCOL else 5})

    def test_protocol(self):
        """With the tables: of cell (M, Read Req.) of Table 2.5, and of memory, with exactly these states."""
        text = self.done("policies", "nmoesi")
        self.assertNotIn("\ncost", text)
        lines = text.splitlines()
        first, memory = (next(at for at, line in enumerate(lines) if line.startswith(place + "  "))
                         for place in ("first", "memory"))  # fmt: skip
        self.assertEqual(lines[first].split(), ["first", *"NMOESI"])
        row = next(line for line in lines[first:] if line.startswith("Read Req."))
        self.assertEqual(re.split("  +", row)[2], "send-data -> O")
        self.assertEqual(lines[memory].split()[:3], ["memory", "M", "E"])
        self.assertNotIn("costs are in bytes", self.done("policies", "--kind", "protocol"))

    def test_geometry_follows_the_configuration(self):
        def where(*arguments):
            preset = () if "--preset" in arguments else ("--preset", "gtx480")
            return " ".join(self.done("policies", *arguments, *preset).partition("\n\n")[0].split())

        self.assertIn("each 32 KiB: 64 sets of 4 ways", where("--set", "l1.size=32KiB"))
        self.assertIn("4 sectors a line", where("--set", "l1.sectors=4"))
        unified = ["--set", "l1.index=modulo", "--set", "l1.unified=true", "--set", "l1.size=64KiB",
                   "--set", "l1.carveouts=0 32KiB 64KiB"]  # fmt: skip
        forced = [*unified, "--set", "l1.carveout=32KiB", "--set", "sm.shared=64KiB"]
        self.assertIn("64 KiB: 128 sets of 4 ways", where(*unified))
        self.assertIn("32 KiB: 64 sets of 4 ways", where(*forced))
        self.assertIn("32 KiB: 128 sets of 2 ways", where(*forced, "--set", "l1.resize=ways"))
        self.assertIn("16 KiB: 32 sets of 4 ways", where("--set", "l1.enabled=false"))
        self.assertIn("the L2s of 6 slices, each 128 KiB: 64 sets of 16 ways", where("--level", "l2"))
        odd = self.write("odd.cfg", "l1.size = 12KiB\nl1.index = modulo\n")
        self.assertIn("each 12 KiB: 24 sets of 4 ways", where("--config", odd))
        self.assertIn("the L1s of 132 SMs, each 256 KiB: 512 sets of 4 ways", where("--preset", "h100"))
        self.assertIn("132 SMs", self.done("policies").partition("\n\n")[0], "the default")
        self.done("policies", "--preset", "none", status=1, message="none")


class Configuration(Commands):
    def test_reference(self):
        lines = self.done("config").splitlines()
        self.assertEqual(lines[0].split(), ["key", "default", "meaning", "(type,", "unit:", "values)"])
        names = [line.split()[0] for line in lines[1:] if line[0] != " "]
        self.assertEqual(names, [key.name for key in gpucache.config_keys()])
        self.assertLessEqual(max(map(len, lines)), 120)
        self.assertIn("(size, bytes: auto, driver, 0B to 1GiB)", " ".join(self.done("config", "l1.carveout").split()))

    def test_chosen(self):
        lines = self.done("config", "l1.si*", "clock.core").splitlines()[1:]
        self.assertEqual([line.split()[0] for line in lines if line[0] != " "], ["clock.core", "l1.size"])
        self.assertEqual(self.done("config", "l1.size", "--preset", "h100").split("#")[0].strip(), "l1.size = 256KiB")
        self.done("config", "nothing", status=1, message="gpucache: no key has the name 'nothing'")

    def test_markdown(self):
        lines = self.done("config", "--markdown").splitlines()
        self.assertEqual(lines[0], "| key | type | unit | default | values | meaning |")
        self.assertEqual(len(lines), 2 + len(gpucache.config_keys()))
        for line, key in zip(lines[2:], gpucache.config_keys()):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            self.assertEqual((len(cells), cells[0], cells[5]), (6, f"`{key.name}`", key.meaning))
        self.assertIn("| `l1.carveout` | size | bytes | `auto` | auto, driver, 0B to 1GiB |", "\n".join(lines))

    def test_effective_values_are_a_configuration(self):
        text = self.done("config", "--preset", "h100", "--set", "l1.ways=8")
        self.assertRegex(text, r"\nl1.ways = 8 +# default 4\n")
        self.assertIn("\nl2.replacement = lru\n", text)
        again = gpucache.Config(self.context)
        again.load_file(self.write("again.cfg", text))
        expected = gpucache.Config(self.context, preset="h100", settings={"l1.ways": 8})
        self.assertEqual(dict(again), dict(expected))

    def test_refusals(self):
        self.done("config", "--markdown", "--preset", "h100", status=2, message="takes no configuration")
        self.done("config", "--set", "l1.sise=3", status=1, message="l1.size")


class Info(Commands):
    def setUp(self):
        super().setUp()
        self.source = write_trace(self.path("t"), (("_Z5twicePfS_", 4), ("_Z5oncePf", 6)), placement=[0, 1, 1, 7])

    def test_text(self):
        text = self.done("info", self.source)
        for part in ("kernel 1: twice\n", "kernel 2: once", "grid 4x1x1, block 64x1x1, 32 lanes a warp", "16 registers",
                     "on 3 SMs", "placement     unknown", "instructions  40, of them 24 of memory",
                     "16  LDG.E\n", "8  STG.E\n"):  # fmt: skip
            self.assertIn(part, text)

    def test_json(self):
        document = json.loads(self.done("info", self.source, "--json"))
        self.assertEqual((document["schema"], document["trace"]), (1, self.source))
        first, second = document["kernels"]
        self.assertEqual((first["name"], first["grid"], first["block"]), ("_Z5twicePfS_", [4, 1, 1], [64, 1, 1]))
        self.assertEqual((first["blocks"], first["instructions"]), (4, 40))
        self.assertEqual(first["memory_instructions"], {"LDG.E": 16, "STG.E": 8})
        self.assertEqual((first["placement_sms"], second["placement_sms"]), (3, None))
        self.assertEqual(first["ordering"], {})

    def test_ordering(self):
        lines = "0000 ffffffff 0 MEMBAR.SC.GPU 0 0\n0010 ffffffff 0 ERRBAR 0 0\n0020 ffffffff 0 CCTL.IVALL 0 0\n"
        lines += "0030 ffffffff 1 R1 LDG.E.STRONG.SYS 1 R2 4 1 0x1000 4\n0040 ffffffff 0 EXIT 0 0\n"
        text = (
            "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n"
            "-binary version = 90\n-accelsim tracer version = 4\n\n#traces format = PC mask\n\n#BEGIN_TB\n\n"
            "thread block = 0,0,0\n\nwarp = 0\ninsts = 5\n" + lines + "\n#END_TB\n"
        )
        source = self.write("fences.traceg", text)
        expected = {
            "CCTL.IVALL": {"count": 1, "scope": None, "order": "weak", "control": "invalidate_all"},
            "ERRBAR": {"count": 1, "scope": None, "order": "weak", "control": None},
            "LDG.E.STRONG.SYS": {"count": 1, "scope": "sys", "order": "relaxed", "control": None},
            "MEMBAR.SC.GPU": {"count": 1, "scope": "gpu", "order": "sc", "control": None},
        }
        self.done("convert", source, self.path("fences.gct"))
        for name in (source, self.path("fences.gct")):
            document = json.loads(self.done("info", name, "--json"))
            self.assertEqual(document["kernels"][0]["ordering"], expected)
        shown = self.done("info", source)
        self.assertIn("4 fences and strong accesses", shown)
        self.assertIn("CCTL.IVALL                invalidate_all\n", shown)
        self.assertIn("LDG.E.STRONG.SYS          relaxed sys\n", shown)

    def test_bad_input(self):
        self.done("info", self.path("none"), status=1, message="none")
        self.done("info", self.write("bad.traceg", traceg() + "nonsense\n"), status=1, message="bad.traceg:")


class Convert(Commands):
    def setUp(self):
        super().setUp()
        self.source = write_trace(self.path("t"), (("_Z5twicePfS_", 4), ("_Z5oncePf", 6)), placement=[0, 1, 1, 7])

    def stats(self, source):
        document = json.loads(self.done("run", source, "--preset", "h100", "--json", "-"))
        return [(kernel["name"], kernel["stats"]) for kernel in document["kernels"]]

    def test_there_and_back(self):
        binary, text = self.path("t.gct"), self.path("again")
        out = self.done("convert", self.source, binary)
        self.assertTrue(out.startswith("2 kernels, 10 blocks, 100 instructions\n"))
        self.assertIn(f" in {self.source}\n", out)
        self.assertIn(f" in {binary}, {os.path.getsize(binary) / 100:.2f} bytes an instruction\n", out)
        self.assertIn(f" in {text}", self.done("convert", binary, text))
        self.assertTrue(os.path.exists(os.path.join(text, "kernelslist.g")))
        expected = self.stats(self.source)
        self.assertEqual(self.stats(binary), expected)
        self.assertEqual(self.stats(text), expected)

    def test_synthetic(self):
        self.done("convert", "synthetic:vectoradd:64KiB", self.path("v.gct"))
        self.assertEqual(self.stats(self.path("v.gct")), self.stats("synthetic:vectoradd:64KiB"))

    def test_refusals(self):
        self.done("convert", self.path("none"), self.path("x.gct"), status=1, message="none")
        self.done("convert", self.source, self.write("file", "x"), status=1, message="file is a file; a target is")
        self.done("convert", self.source, self.path("no", "x.gct"), status=1, message="x.gct")
        self.done("convert", self.source, status=2, message="TARGET")
        bad = self.write("bad.traceg", traceg() + "nonsense\n")
        self.done("convert", bad, self.path("x.gct"), status=1, message="bad.traceg:")
        self.assertEqual(sorted(os.listdir(self.folder)), ["bad.traceg", "file", "t"])


if __name__ == "__main__":
    unittest.main()
