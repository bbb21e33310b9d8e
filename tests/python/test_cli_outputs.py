# SPDX-License-Identifier: BSD-2-Clause
"""Possible paths of a command's output, and the remains of a run that fails or is killed."""

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
import unittest

from harness import TemporaryCase, command, environment, write_trace


class Outputs(TemporaryCase):
    def setUp(self):
        super().setUp()
        self.source = write_trace(self.path("t"), (("_Z5twicePfS_", 4),))

    def done(self, target, *, status=0, message="", option="--json", prefix=()):
        words = ("run", self.source, option, target)
        found = self.prefixed(prefix, words) if prefix else command(*words)
        self.assertEqual(found.returncode, status, found.stderr)
        self.assertNotIn("Traceback", found.stderr)
        self.assertIn(message, found.stderr)

    @staticmethod
    def prefixed(prefix, words):
        line = (*prefix, sys.executable, "-m", "gpucache", *words)
        return subprocess.run(line, env=environment(), capture_output=True, text=True, check=False)

    def left(self, *expected):
        self.assertEqual(sorted(os.listdir(self.folder)), sorted((*expected, "t")))

    def text(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return file.read()

    def test_a_failure_leaves_the_old_output(self):
        target = self.write("out.json", "old")
        found = command("run", self.path("none"), "--json", target)
        self.assertEqual(found.returncode, 1)
        self.assertEqual(self.text("out.json"), "old")
        self.left("out.json")

    def test_devices(self):
        os.symlink(os.devnull, self.path("null"))
        for path in (os.devnull, self.path("null")):
            self.done(path)
            self.assertTrue(stat.S_ISCHR(os.stat(os.devnull).st_mode))
        self.assertTrue(os.path.islink(self.path("null")))
        if os.path.exists("/dev/full"):
            for option in ("--json", "--csv"):
                self.done("/dev/full", status=1, message="/dev/full: No space left", option=option)
            self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))
        self.left("null")

    def test_pipe(self):
        pipe = self.path("pipe")
        os.mkfifo(pipe)
        read = []

        def reader():
            with open(pipe, encoding="utf-8") as file:
                read.append(json.load(file))

        thread = threading.Thread(target=reader)
        thread.start()
        self.done(pipe)
        thread.join(60)
        self.assertEqual(read[0]["schema"], 1)
        self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode))
        self.left("pipe")

    def test_links(self):
        os.mkdir(self.path("far"))
        self.write("real.json", "old")
        os.symlink("real.json", self.path("link"))
        os.symlink("far/new.json", self.path("nowhere"))
        os.symlink("around", self.path("around"))
        self.done(self.path("link"))
        self.done(self.path("nowhere"))
        self.done(self.path("around"), status=1, message="around: Too many levels")
        for name, target in (("link", "real.json"), ("nowhere", "far/new.json"), ("around", "around")):
            self.assertEqual(os.readlink(self.path(name)), target)
        self.assertEqual(json.loads(self.text("real.json"))["schema"], 1)
        self.assertEqual(json.loads(self.text("far", "new.json"))["schema"], 1)
        self.left("around", "far", "link", "nowhere", "real.json")
        self.assertEqual(os.listdir(self.path("far")), ["new.json"])

    def test_folders(self):
        os.mkdir(self.path("here"))
        self.done(self.path("here"), status=1, message="here: Is a directory")
        self.done(self.path("none", "out.json"), status=1, message="No such file or directory")
        self.left("here")

    def test_permissions(self):
        target = self.write("out.json", "old")
        os.chmod(target, 0o640)
        self.done(target)
        self.assertEqual(stat.S_IMODE(os.stat(target).st_mode), 0o640)
        if os.geteuid() == 0:
            os.chown(target, 1, 1)
            os.link(target, self.path("other"))
            self.done(target)  # another user's file is written, not replaced
            self.assertTrue(os.path.samefile(target, self.path("other")))
            return
        os.chmod(target, 0o400)
        self.done(target, status=1, message="Permission denied")

    def test_full_disk(self):
        target = self.write("out.json", "old")
        limited = ("sh", "-c", 'trap "" XFSZ; ulimit -f 1; exec "$@"', "sh")
        self.done(target, status=1, message="File too large", prefix=limited)
        self.assertEqual(self.text("out.json"), "old")
        self.left("out.json")

    def killed(self, target):
        process = subprocess.Popen(
            [sys.executable, "-m", "gpucache", "run", "synthetic:stream:1GiB", "--json", target], env=environment()
        )
        deadline = time.monotonic() + 60
        while not any(name.endswith(".part") for name in os.listdir(self.folder)) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait(60)

    def test_killed_runs(self):
        """The remains of a killed run are taken over by the next run of the same output, and by no other."""
        target = self.path("out.json")
        for _ in range(2):
            self.killed(target)
            self.left("out.json.gpucache-0.part")
        self.done(self.path("other.json"))
        self.left("other.json", "out.json.gpucache-0.part")
        self.done(target)
        self.left("other.json", "out.json")
        self.assertEqual(self.text("out.json"), self.text("other.json"))


if __name__ == "__main__":
    unittest.main()
