# SPDX-License-Identifier: BSD-2-Clause
"""Every file that a command writes: a full disk, a read-only folder, and the previous contents."""

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

from harness import PACKAGE, ROOT, TemporaryCase, command, environment, write_trace

# For each option that names a file to write, a command: TARGET is the file, the other names are made in setUp.
WRITERS = {
    "run --json": "run TRACE --json TARGET",
    "run --csv": "run TRACE --csv TARGET",
    "run --events": "run TRACE --mode timed --events TARGET",
    "run --save-at": "run TRACE --mode timed --save-at 10 TARGET",
    "compare --json": "compare TRACE --policies lru,fifo --json TARGET",
    "compare --csv": "compare TRACE --policies lru,fifo,mru,lip,bip,dip,srrip,brrip,drrip,ship,nru,plru --csv TARGET",
    "explain --json": "explain TRACE --json TARGET",
    "bottleneck --json": "bottleneck TRACE --json TARGET",
    "profile --json": "profile TRACE --json TARGET",
    "profile --binary": "profile TRACE --binary TARGET",
    "tune --json": "tune TRACE --what blocks --cache CACHE --json TARGET",
    "tune --cache": None,  # as sweep --store
    "coherence --json": "coherence SCENARIO --json TARGET",
    "verify --output": None,  # as coherence --json, where a protocol is wrong
    "sweep --store": "sweep PLAN --jobs 1 --store TARGET",
    "sweep --json": "sweep PLAN --jobs 1 --store STORE --json TARGET",
    "sweep --csv": "sweep PLAN --jobs 1 --store STORE --csv TARGET",
    "sweep --slurm": "sweep PLAN --slurm TARGET",
    "report --output": "report RESULT --output TARGET",
    "convert": "convert TRACE TARGET.gct",
    "reproduce --json": None,  # as run --json, after minutes
    "reproduce --cache": None,  # likewise
    "reproduce --page": None,  # as run --json, and in test_cli_reproduce.py
    "report --figures": None,  # a folder: below
    "profile --plot": None,  # like --json, with matplotlib installed
}
# Options that write beside the place from the beginning; "profile --binary" does so after all counting.
LONG = ("run --json", "run --csv", "run --events", "compare --json", "compare --csv", "bottleneck --json",
        "profile --json", "tune --json", "convert")  # fmt: skip
STORES = ("sweep --store",)  # files that grow, a whole line at a time
PROCESSES = ("compare", "sweep", "tune", "profile", "bottleneck")  # commands with files of a few bytes
OPTION = r'"(--[a-z-]+)"(?:, nargs=2)?, metavar=(?:"FI|\("CYCLE", "FI)LE"'
OLD = "what was there before\n"


class Writers(TemporaryCase):
    def setUp(self):
        super().setUp()
        trace = write_trace(self.path("t"))
        result = self.path("result.json")
        self.assertEqual(command("run", trace, "--json", result).returncode, 0)
        self.names = {
            "TRACE": trace, "RESULT": result, "CACHE": self.path("cache.jsonl"), "STORE": self.path("store.jsonl"),
            "SCENARIO": os.path.join(ROOT, "examples", "coherence.json"),
            "PLAN": self.write("plan.json", json.dumps({"traces": [trace], "product": {"l1.ways": [2, 4]}})),
        }  # fmt: skip

    def words(self, name, target):
        return [self.names.get(word, word.replace("TARGET", target)) for word in WRITERS[name].split()]

    def told(self, name, target, *prefix):
        """The command's message about an impossible target; the command fails with one sentence."""
        line = [*prefix, sys.executable, "-m", "gpucache", *self.words(name, target)]
        done = subprocess.run(line, env=environment(PYTHONDONTWRITEBYTECODE="1"), capture_output=True, text=True,
                              check=False)  # fmt: skip
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.stderr

    def each(self, check):
        for name, line in WRITERS.items():
            if line:
                with self.subTest(name):
                    check(name)

    def test_every_option_is_here(self):
        """Options of files to write, found in the parsers."""
        folder = os.path.join(PACKAGE, "cli")
        found = set()
        for file in sorted(name for name in os.listdir(folder) if name.endswith(".py")):
            with open(os.path.join(folder, file), encoding="utf-8") as text:
                for option in re.findall(OPTION, text.read()):
                    found.add((file[:-3], option))
        writers = {tuple(name.split(" ")) for name in WRITERS if " " in name}
        named = {"snapshots": "run"}
        reads = {("profile", "--read"), ("run", "--resume"), ("report", "--hardware")}
        self.assertEqual({(named.get(command, command), option) for command, option in found} - reads
                         - {(command, option) for command, option in found if command.startswith("_")},
                         writers - {("report", "--figures")})  # fmt: skip

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_full_device(self):
        def check(name):
            if name not in (*STORES, "convert"):  # a store is a file, and FILE.gct is none here
                self.assertIn("/dev/full: No space left on device", self.told(name, "/dev/full"))

        self.each(check)

    def test_full_disk(self):
        """The previous contents stay, and nothing is left beside the file."""
        self.each(self.full_disk)

    def full_disk(self, name):
        target = self.write("out.gct" if name == "convert" else "out", OLD)
        before = sorted(os.listdir(self.folder))
        blocks = int(name.startswith(PROCESSES))
        told = self.told(name, self.path("out"), "sh", "-c", f'trap "" XFSZ; ulimit -f {blocks}; exec "$@"', "sh")
        if "--cache" in WRITERS[name] or name.startswith(("compare", "sweep")):  # keep runs in a file first
            self.assertRegex(told, "^gpucache: /.*: File too large")
        else:
            self.assertIn("File too large", told)
            self.assertIn(target, told)
        made = {"cache.jsonl", "store.jsonl"}  # beside the target
        self.assertEqual(set(os.listdir(self.folder)) - made, set(before) - made)
        with open(target, encoding="utf-8") as file:
            self.assertEqual(file.read(), OLD)
        os.unlink(target)

    def test_folders_that_cannot_be_written(self):
        """Read-only even for root."""
        self.each(lambda name: self.assertIn("/proc/gpucache-out", self.told(name, "/proc/gpucache-out")))

    def test_interrupted(self):
        """Ctrl-C, or an end by the system, in the middle: the previous contents stay, and nothing is left beside the
        file."""
        self.names["TRACE"] = "synthetic:stream:1GiB"
        for number, name in enumerate(LONG):
            with self.subTest(name):
                self.interrupted(name, signal.SIGTERM if number % 2 else signal.SIGINT)

    def interrupted(self, name, sent):
        target = self.write("out.gct" if name == "convert" else "out", OLD)
        before = set(os.listdir(self.folder)) | {"cache.jsonl"}
        process = subprocess.Popen(
            [sys.executable, "-m", "gpucache", *self.words(name, self.path("out"))], env=environment(), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 60
        while not any(entry.endswith(".part") for entry in os.listdir(self.folder)):
            self.assertIsNone(process.poll(), "it ended by itself")
            self.assertLess(time.monotonic(), deadline, "it writes beside its place, and nothing is there")
            time.sleep(0.01)
        time.sleep(0.5)
        os.killpg(process.pid, sent)
        _, error = process.communicate(timeout=60)
        self.assertEqual((process.returncode, error),
                         (130, "gpucache: interrupted\n") if sent == signal.SIGINT else (143, ""))  # fmt: skip
        self.assertEqual(set(os.listdir(self.folder)) | {"cache.jsonl"}, before)
        with open(target, encoding="utf-8") as file:
            self.assertEqual(file.read(), OLD)
        os.unlink(target)

    def test_figures(self):
        folder = self.path("figures")
        os.mkdir(folder)
        self.assertEqual(command("report", self.names["RESULT"], "--figures", folder).returncode, 0)
        names = sorted(os.listdir(folder))
        self.assertTrue(names and all(name.endswith(".svg") for name in names))
        for name in names:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(OLD)
        done = subprocess.run(
            ["sh", "-c", 'trap "" XFSZ; ulimit -f 1; exec "$@"', "sh", sys.executable, "-m", "gpucache", "report",
             self.names["RESULT"], "--figures", folder],
            env=environment(PYTHONDONTWRITEBYTECODE="1"), capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, f"gpucache: {os.path.join(folder, names[0])}: File too large\n")
        self.assertEqual(sorted(os.listdir(folder)), names)
        for name in names:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                self.assertEqual(file.read(), OLD)


class Compressed(TemporaryCase):
    """Outputs whose names end in .gz."""

    def test_same_content(self):
        trace = write_trace(self.path("t"))
        for option, name in (("--json", "a.json"), ("--csv", "a.csv"), ("--events", "a.events"), ("--events", "b.json")):
            packed = self.path(name + ".gz")
            for target in (self.path(name), packed, packed):
                self.assertEqual(command("run", trace, option, target).returncode, 0)
            with open(self.path(name), "rb") as file, gzip.open(packed) as other:
                self.assertEqual(other.read(), file.read())

    def test_report_reads_them(self):
        result, page = self.path("a.json.gz"), self.path("page.html.gz")
        self.assertEqual(command("run", write_trace(self.path("t")), "--json", result).returncode, 0)
        self.assertEqual(command("report", result, "-o", page).returncode, 0)
        with gzip.open(page, "rt") as file:
            self.assertIn("</html>", file.read())
        with open(result, "r+b") as file:
            file.truncate(40)
        done = command("report", result, "-o", page)
        self.assertEqual((done.returncode, done.stderr), (1, f"gpucache: {result}: neither JSON nor the text of --events\n"))

    def test_full_device(self):
        target = self.path("full.json.gz")
        os.symlink("/dev/full", target)
        done = command("run", write_trace(self.path("t")), "--json", target)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, f"gpucache: {target}: No space left on device\n")


class Stores(TemporaryCase):
    """One file of results that several processes add to."""

    WRITER = """
import sys
from gpucache._results import Results
results = Results(sys.argv[1])
for n in range(int(sys.argv[3])):
    results.put({"who": sys.argv[2], "n": n}, {"text": sys.argv[2] * 3000})
"""

    def test_two_processes(self):
        store = self.path("store.jsonl")
        line = [sys.executable, "-c", self.WRITER, store]
        running = [subprocess.Popen([*line, who, "200"], env=environment()) for who in "ab"]
        self.assertEqual([process.wait(120) for process in running], [0, 0])
        with open(store, encoding="utf-8") as file:
            entries = [json.loads(row) for row in file]
        self.assertEqual(len({entry["key"] for entry in entries}), 400)
        self.assertEqual(sorted(entry["result"]["text"][0] for entry in entries), ["a"] * 200 + ["b"] * 200)

    def test_a_full_disk(self):
        """Kept runs stay, and a run that did not fit leaves no part."""
        from gpucache._results import Results

        store = self.path("store.jsonl")
        limited = ["sh", "-c", 'trap "" XFSZ; ulimit -f 8; exec "$@"', "sh"]
        line = [*limited, sys.executable, "-B", "-c", self.WRITER, store, "a", "20"]
        done = subprocess.run(line, env=environment(), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("File too large", done.stderr)
        with open(store, encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.endswith("\n"))
        results = Results(store)
        self.addCleanup(results.close)
        known = len(results.found)
        self.assertEqual(text.count("\n"), known)
        self.assertTrue(0 < known < 20)
        results.put({"who": "b"}, {"text": "b"})
        again = Results(store)
        self.addCleanup(again.close)
        self.assertEqual(len(again.found), known + 1)
        self.assertEqual(again.get({"who": "b"}), {"text": "b"})


if __name__ == "__main__":
    unittest.main()
