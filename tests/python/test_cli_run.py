# SPDX-License-Identifier: BSD-2-Clause
"""The command run, as a process: printed and written results, exit codes, interruption."""

import contextlib
import csv
import json
import lzma
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock

from harness import TemporaryCase, below_heading, command, environment, traceg, write_trace

import gpucache
from gpucache import _names, _results, _table
from gpucache.cli import _common

LONG = "synthetic:stream:1GiB"


class Start(TemporaryCase):
    """A run imports only needed parts of the package and the standard library: most of a short run's time."""

    NOT_NEEDED = (
        "dataclasses", "multiprocessing", "traceback", "gpucache.coherence", "gpucache.coherence_view",
        "gpucache.comparison", "gpucache.events", "gpucache.policy", "gpucache.profile", "gpucache.protocol",
        "gpucache.cli.coherence", "gpucache.cli.compare", "gpucache.cli.verify",
    )  # fmt: skip

    def test_imports(self):
        source = write_trace(self.path("t"), (("_Z5twicePfS_", 4),))
        code = (
            "import sys\nbefore = set(sys.modules)\nfrom gpucache.cli import main\n"
            f"assert main(['run', {source!r}]) == 0\nprint(*sorted(set(sys.modules) - before), file=sys.stderr)\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        imported = done.stderr.split()
        self.assertIn("gpucache.replay", imported)
        self.assertEqual([name for name in self.NOT_NEEDED if name in imported], [])

    def test_every_name_is_there(self):
        for name in gpucache.__all__:
            self.assertIsNotNone(getattr(gpucache, name), name)
        self.assertLessEqual(set(gpucache.__all__), set(dir(gpucache)))
        for name in ("nothing", "_nothing"):
            with self.assertRaisesRegex(AttributeError, name):
                getattr(gpucache, name)


class StandardInput(TemporaryCase):
    """A trace `-`, from a file or a pipe, of any kind, read any number of times."""

    def setUp(self):
        super().setUp()
        self.file = self.write("k", traceg())

    def told(self, data, *arguments, status=0):
        """Standard output, or the message of a failure; data: bytes, of a pipe, or the path of a file."""
        with contextlib.ExitStack() as stack:
            given = {"input": data} if isinstance(data, bytes) else {"stdin": stack.enter_context(open(data, "rb"))}
            done = subprocess.run([sys.executable, "-m", "gpucache", *arguments], capture_output=True,
                                  env=environment(), **given)  # fmt: skip
        self.assertEqual(done.returncode, status, done.stderr)
        return (done.stderr if status else done.stdout).decode()

    def test_files_and_pipes(self):
        with open(self.file, "rb") as file:
            text = file.read()
        command("convert", self.file, self.path("k.gct"))
        with open(self.path("k.gct"), "rb") as file:
            binary = file.read()
        expected = json.loads(command("info", "--json", self.file).stdout)["kernels"][0]
        expected["file"] = "standard input"
        compressed = self.path("z")
        with open(compressed, "wb") as file:
            file.write(lzma.compress(text))
        for data in (text, binary, lzma.compress(text), self.file, self.path("k.gct"), compressed):
            found = json.loads(self.told(data, "info", "-", "--json"))
            self.assertEqual((found["trace"], found["kernels"][0]["file"]), ("-", "standard input"))
            for key in ("name", "blocks", "instructions"):
                self.assertEqual(found["kernels"][0][key], expected[key])
        self.assertEqual(json.loads(self.told(text, "run", "-", "--json", "-"))["traces"], ["-"])
        self.told(text, "convert", "-", self.path("again.gct"))
        with open(self.path("again.gct"), "rb") as file:
            self.assertEqual(file.read(), binary)

    def test_read_by_several(self):
        expected = command("compare", self.file, "--policies", "lru,fifo", "--csv", "-").stdout
        found = self.told(lzma.compress(traceg().encode()), "compare", "-", "--policies", "lru,fifo", "--jobs", "2",
                          "--csv", "-")  # fmt: skip
        self.assertEqual(found.replace("\n-,", "\nk,"), expected)

    def test_messages(self):
        self.assertIn("standard input:2: expected a kind", self.told(b"block,warp,kind,address\n0,0,lod,1\n", "run", "-",
                                                                     status=1))  # fmt: skip
        self.assertIn("standard input is neither", self.told(b"", "run", "-", status=1))
        self.assertIn("standard input:1: expected a header", self.told(b"-grid", "info", "-", status=1))

    def test_known_by_content(self):
        with open(self.file, "rb") as file, unittest.mock.patch("gpucache._stdin.path", lambda source: file.name):
            self.assertEqual(_results.identity("-", {})["trace"], _results.identity(self.file, {})["trace"])


class Runs(TemporaryCase):
    def setUp(self):
        super().setUp()
        self.source = write_trace(self.path("t"), (("_Z5twicePfS_", 4), ("_ZN3net4reluEPf", 6)))

    def done(self, *arguments, status=0, message=""):
        """stdout of a command that ends with `status` and says `message`."""
        found = command("run", *arguments)
        self.assertEqual(found.returncode, status, found.stderr)
        self.assertNotIn("Traceback", found.stderr)
        self.assertIn(message, found.stderr)
        if not message:
            self.assertEqual(found.stderr, "")
        return found.stdout

    def test_table(self):
        heading, lines = below_heading(self.done(self.source, "--preset", "h100"))
        self.assertEqual(heading, [f"gpucache {gpucache.version()}, preset h100, functional", f"traces: {self.source}"])
        header, *rows, rule, total, order = lines
        self.assertTrue(order.startswith("order of warps: round-robin"), order)
        for word in ("kernel", "blocks", "warp instr.", "L1", "hit %", "L2", "DRAM", "capacity"):
            self.assertIn(word, header)
        # 5 instructions a warp, 2 warps a block; 8 sectors loaded a warp, half of them hit.
        self.assertEqual([row.split()[:5] for row in rows],
                         [["twice", "4", "40", "64", "50.0"], ["net::relu", "6", "60", "96", "50.0"]])  # fmt: skip
        self.assertEqual(set(rule), {"-"})
        self.assertEqual(total.split()[:5], ["total", "10", "100", "160", "50.0"])
        self.assertTrue(total.endswith("KiB"))

    def test_order_of_warps(self):
        """Without a clock the table tells how far the order of warps decides L1's hits; with a clock it does not."""
        few = "--preset", "gtx480", "--set", "sm.count=2"
        thrash = "synthetic:warp-reuse:256KiB", *few
        hits = {}
        for order in ("round-robin", "block"):
            text = self.done(*thrash, "--set", f"warps.order={order}")
            total, line = text.splitlines()[-2:]
            hits[order] = float(total.split()[4])
            self.assertTrue(line.startswith(f"order of warps: {order} (warps.order)"), line)
            hits[order, "other"] = float(re.search(r"L1 % in \S+ order: ([\d.]+)", line)[1])
        self.assertEqual(hits["round-robin", "other"], hits["block"])
        self.assertEqual(hits["block", "other"], hits["round-robin"])
        self.assertIn("within 3 points", self.done(self.source, *few))
        self.assertNotIn("order of warps", self.done(self.source, *few, "--mode", "timed"))

    def test_json(self):
        target = self.path("out.json")
        self.done(self.source, "--preset", "h100", "--set", "l1.ways=16", "--json", target)
        with open(target, encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual(list(document), ["schema", "version", "preset", "mode", "traces", "settings", "interrupted", "config",
                                          "kernels", "total", "notes"])  # fmt: skip
        self.assertEqual((document["schema"], document["preset"]), (1, "h100"))
        self.assertEqual((document["version"], document["mode"]), (gpucache.version(), "functional"))
        self.assertEqual((document["traces"], document["settings"]), ([self.source], {"l1.ways": "16"}))
        self.assertEqual(list(document["config"]), [key.name for key in gpucache.config_keys()])
        self.assertEqual(document["config"]["l1.ways"], "16")
        self.assertEqual([list(kernel) for kernel in document["kernels"]], [["number", "name", "trace", "stats"]] * 2)
        first = document["kernels"][0]
        self.assertEqual((first["name"], os.path.basename(first["trace"])), ("_Z5twicePfS_", "kernel-1.traceg"))
        names = {counter.name for counter in gpucache.counters()}
        for stats in (first["stats"], document["total"]):
            self.assertLessEqual(set(stats), names)
            self.assertEqual(len(stats["l1.transactions_per_load"]), 33)
            self.assertEqual(stats["l1.load_hit_rate"], 0.5)
        self.assertEqual(first["stats"]["l1.load_sectors"], 64)
        self.assertEqual(document["total"]["l1.load_sectors"], 160)
        self.assertEqual([note["text"] for note in document["notes"]], ["MemcpyHtoD"])
        self.assertEqual(os.listdir(self.folder).count("out.json"), 1)

    def test_json_on_stdout_is_all_there_is(self):
        document = json.loads(self.done(self.source, "--json", "-", "--preset", "defaults"))
        self.assertIsNone(document["preset"])
        self.assertEqual(document["config"], {key.name: key.initial for key in gpucache.config_keys()})

    def test_csv(self):
        target = self.path("out.csv")
        document = json.loads(self.done(self.source, "--csv", target, "--json", "-"))
        with open(target, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["name"] for row in rows], [kernel["name"] for kernel in document["kernels"]])
        for row, kernel in zip(rows, document["kernels"]):
            self.assertEqual(row["trace"], kernel["trace"])
            self.assertEqual((row["version"], row["preset"], row["mode"], row["settings"]),
                             (gpucache.version(), "h100", "functional", ""))  # fmt: skip
            self.assertEqual((row["cycles"], row["ipc"], row["load.latency.0"]), ("", "", ""))  # not measured
            self.assertNotIn("cycles", kernel["stats"])
            for name, value in kernel["stats"].items():
                if not isinstance(value, list):
                    self.assertEqual(float(row[name]), value, name)
        self.assertEqual(len(self.done(self.source, "--csv", "-").splitlines()), 3)

    def test_every_kind_of_trace(self):
        one = self.write("one.traceg", traceg())
        with lzma.open(self.path("two.traceg.xz"), "wt") as file:
            file.write(traceg())
        sources = [one, os.path.join(self.source, "kernelslist.g"), self.source, "synthetic:vectoradd:64KiB"]
        if shutil.which("xz"):
            sources.append(self.path("two.traceg.xz"))
        for source in sources:
            self.assertIn("total", self.done(source))

    def test_traces_do_not_share_caches(self):
        document = json.loads(self.done(self.source, self.source, "--set", "kernels.flush=none", "--json", "-"))
        stats = [kernel["stats"] for kernel in document["kernels"]]
        self.assertEqual(stats[:2], stats[2:])

    def value(self, key, *arguments):
        return json.loads(self.done(self.source, "--json", "-", *arguments))["config"][key]

    def test_order_of_configuration(self):
        ways = self.write("ways.cfg", "l1.ways = 16\n")
        more = self.write("more.cfg", "l1.ways = 32\n")
        simulator = self.write("gpgpusim.config", "-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:512:8,16:0,32\n")
        for expected, arguments in (
            ("4", []),
            ("4", ["--preset", "defaults"]),
            ("16", ["--config", ways, "--preset", "h100"]),
            ("32", ["--config", ways, "--config", more]),
            ("4", ["--gpgpusim", self.write("none.config", "-gpgpu_n_clusters 3\n")]),
            ("64", ["--config", ways, "--gpgpusim", simulator]),
            ("16", ["--gpgpusim", simulator, "--config", ways]),
            ("2", ["--set", "l1.ways=2", "--config", ways]),
            ("3", ["--set", "l1.ways=2", "--set", "l1.ways = 3"]),
        ):
            self.assertEqual(self.value("l1.ways", *arguments), expected, arguments)

    def test_what_an_import_passed_over(self):
        """By name: a typo always, an option without a key with --verbose; options in place of keys name --gpgpusim."""
        options = self.write("gpgpusim.config", "-gpgpu_n_clusters 3\n-gpgpu_n_cluster 3\n-gpgpu_perfect_mem 0\n")
        plain, verbose = (command("run", self.source, "--gpgpusim", options, *more) for more in ((), ("-v",)))
        for done in (plain, verbose):
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("gpgpusim.config:2: -gpgpu_n_cluster: is no option of GPGPU-Sim", done.stderr)
        self.assertNotIn("perfect_mem", plain.stderr)
        self.assertIn("gpgpusim.config:3: -gpgpu_perfect_mem: there is memory here", verbose.stderr)
        self.assertIn("1 options applied, 1 that have no key here and 1 unknown passed over", verbose.stderr)
        self.done(self.source, "--config", options, status=1, message="--gpgpusim")

    def test_bad_input(self):
        broken = self.write("broken.traceg", traceg() + "nonsense\n")
        config = self.write("bad.cfg", "l1.ways = 8\nl1.sise = 3\n")
        good = self.source
        for arguments, message in (
            ([self.path("none")], "none"),
            ([broken], "broken.traceg:"),
            (["synthetic:none-such"], "none-such"),
            ([good, "--preset", "h10"], "h100"),
            ([good, "--config", config], "bad.cfg:2:"),
            ([good, "--config", self.path("no.cfg")], "no.cfg"),
            ([good, "--gpgpusim", self.path("no.config")], "no.config"),
            ([good, "--set", "l1.sise=3"], "did you mean 'l1.size'"),
            ([good, "--set", "l1.ways=0"], "l1.ways"),
            ([good, "--set", "l1.replacement=lur"], "lru"),
            ([good, "--json", self.path("no", "out.json")], "out.json: No such file or directory"),
            ([good, "--csv", "/proc/none.csv"], "/proc/none.csv"),
        ):
            with self.subTest(message):
                self.assertEqual(self.done(*arguments, status=1, message=message), "")

    def test_what_is_done_is_kept(self):
        """One trace of four cannot be read, and one ends in the middle."""
        broken = self.path("b")
        shutil.copytree(self.source, broken)
        with open(os.path.join(broken, "kernel-2.traceg"), "a", encoding="utf-8") as file:
            file.write("nonsense\n")
        traces = [self.source, self.path("none"), broken, "synthetic:stream:4KiB"]
        files = self.path("out.json"), self.path("out.csv")
        out = self.done(*traces, "--json", files[0], "--csv", files[1], status=1, message="2 of 4 traces failed\n")
        self.assertRegex(out, r"\nstream_triad +2 ")
        self.assertRegex(out, r"\nfailed:\n.*none: .*\n.*kernel-2.traceg:\d+: ")
        with open(files[0], encoding="utf-8") as file:
            kernels = json.load(file)["kernels"]
        names = [kernel["name"] and _names.kernel_name(kernel["name"]) for kernel in kernels]
        self.assertEqual(names, ["twice", "net::relu", "twice", "stream_copy", "stream_scale", "stream_add",
                                 "stream_triad", None, None])  # fmt: skip
        self.assertEqual([kernel["trace"] for kernel in kernels[-2:]], [traces[1], broken])
        self.assertIn("kernel-2.traceg:", kernels[-1]["error"])
        with open(files[1], encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([bool(row["error"]) for row in rows], 7 * [False] + 2 * [True])
        self.assertEqual(rows[-1]["kernels"], "")
        self.assertEqual(self.done(self.path("none"), self.path("no"), status=1, message="2 of 2 traces failed"), "")

    def test_usage(self):
        for arguments, message in (
            ([], "TRACE"),
            (["x", "--no-such"], "--no-such"),
            (["x", "--pre", "h100"], "--pre"),
            (["x", "--mode", "fast"], "invalid choice: 'fast'"),
            (["x", "--set", "l1.ways"], "'l1.ways' is not key=value"),
            (["x", "--json", "-", "--csv", "-"], "cannot both print"),
        ):
            with self.subTest(message):
                self.assertIn("gpucache run --help", command("run", *arguments).stderr)
                self.assertEqual(self.done(*arguments, status=2, message=message), "")

    def test_any_kernel_name(self):
        with open(self.path("odd.traceg"), "wb") as file:
            file.write(traceg(name="NAME").encode().replace(b"NAME", b"caf\xc3\xa9 \xff"))
        for changes in ({"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": None}):
            found = command("run", self.path("odd.traceg"), "--csv", self.path("odd.csv"), **changes)
            self.assertEqual((found.returncode, found.stderr), (0, ""))
            self.assertIn("caf", found.stdout)
        with open(self.path("odd.csv"), encoding="utf-8") as file:
            self.assertIn("caf\u00e9 \\udcff,", file.read())
        (kernel,) = json.loads(self.done(self.path("odd.traceg"), "--json", "-"))["kernels"]
        self.assertEqual(kernel["name"], "caf\u00e9 \udcff")

    def test_python_policy_by_name_is_unknown_here(self):
        self.done(self.source, "--set", "l1.replacement=python-lru", status=1, message="python-lru")


class Interruption(TemporaryCase):
    def start(self, *arguments, **options):
        # A job in the background may have been started with interrupts ignored.
        process = subprocess.Popen(
            [sys.executable, "-m", "gpucache", *arguments], env=environment(), start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **options,
        )  # fmt: skip

        def end():
            if process.poll() is None:
                process.kill()
                process.wait()
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()

        self.addCleanup(end)
        return process

    def test_control_c(self):
        self.ended(signal.SIGINT, 130, "gpucache: interrupted\n")

    def test_termination(self):
        self.ended(signal.SIGTERM, 143, "")

    def test_what_was_done_before(self):
        """Ctrl-C in the second trace: the table, and JSON, of the first."""
        target = self.path("out.json")
        small = write_trace(self.path("t"))
        process = self.start("run", small, LONG, "--json", target, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)  # fmt: skip
        time.sleep(3)
        os.killpg(process.pid, signal.SIGINT)
        out, error = process.communicate(timeout=60)
        self.assertEqual((process.returncode, error), (130, "gpucache: interrupted\n"))
        self.assertRegex(out, r"\ntwice +4 ")
        with open(target, encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual([kernel["name"] for kernel in document["kernels"]], ["_Z5twicePfS_"])
        self.assertIs(document["interrupted"], True)

    def ended(self, number, status, message):
        """A signal in the middle of a replay: nothing is left behind."""
        target = self.path("out.json")
        process = self.start("run", LONG, "--json", target, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        part = f"{target}.gpucache-0.part"
        deadline = time.monotonic() + 60
        while not os.path.exists(part) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.5)  # into the replay
        os.killpg(process.pid, number)
        out, error = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out, error), (status, "", message))
        self.assertEqual(os.listdir(self.folder), [])

    def test_reader_goes_away(self):
        for arguments in (["config"], ["presets"], ["run", write_trace(self.path("t"))]):
            process = self.start(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdout.close()
            error = process.stderr.read()
            self.assertEqual((process.wait(60), error), (141, b""))

    def test_full_output(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w", encoding="utf-8") as full:
            process = self.start("config", stdout=full, stderr=subprocess.PIPE, text=True)
            _, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertEqual(error, "gpucache: output: No space left on device\n")

    def test_closed_streams(self):
        line = f'"{sys.executable}" -m gpucache presets >&- 2>&-; exit $?'
        self.assertEqual(subprocess.run(["sh", "-c", line], env=environment(), check=False).returncode, 0)

    def test_progress_on_a_terminal_only(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        process = self.start("run", "synthetic:stream:16MiB", stdout=subprocess.PIPE, stderr=theirs)
        os.close(theirs)
        seen = b""
        while True:
            try:
                seen += os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
        out = process.stdout.read().decode()
        self.assertEqual(process.wait(60), 0)
        self.assertRegex(seen.decode(), r"\r +\d+ % kernel \d, block [\d,]+ of 8,192, [\d.]+ M warp instructions/s")
        self.assertTrue(seen.endswith(b" \r"), "the line of progress is gone at the end")
        self.assertNotIn("\r", out)


class Text(unittest.TestCase):
    def test_kernel_names(self):
        for mangled, plain in (
            ("_Z6vecaddPfPKfS1_i", "vecadd"),
            ("_ZN3net4reluEPfi", "net::relu"),
            ("_ZNK3net2op4reluEPfi", "net::op::relu"),
            ("_ZN3net12_GLOBAL__N_14reluEv", "net::(anonymous)::relu"),
            ("_Z3mapIfEvPT_", "map"),
            ("main_kernel", "main_kernel"),
            ("_Z", "_Z"),
            ("_Z99short", "_Z99short"),
            ("", ""),
        ):
            self.assertEqual(_names.kernel_name(mangled), plain, mangled)

    def test_short_names(self):
        self.assertEqual(_names.short("a" * 32), "a" * 32)
        self.assertEqual(_names.short("a" * 33), "a" * 30 + "..")

    def test_sizes(self):
        for number, text in ((0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"), (50 << 20, "50 MiB"),
                             (5 << 40, "5120 GiB")):  # fmt: skip
            self.assertEqual(_common.size(number), text)

    def test_tables(self):
        lines = _table.table(["a", "b"], [["longer", "1"], ["x", "100"]])
        self.assertEqual(lines, ["a         b", "longer    1", "x       100"])


if __name__ == "__main__":
    unittest.main()
