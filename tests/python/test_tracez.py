# SPDX-License-Identifier: BSD-2-Clause
"""Accel-Sim's .tracez: text of a .traceg in zstd frames, with and without a dictionary."""

import ctypes
import os
import re
import shutil
import struct
import subprocess
import unittest

from harness import TemporaryCase, command, traceg

import gpucache

TOOL = shutil.which("zstd")


def installed():
    try:
        ctypes.CDLL("libzstd.so.1")
    except OSError:
        return False
    return TOOL is not None


class Blocks:
    """The parts of a .traceg: the header, and (point, [(instructions, lines)]) of each thread block."""

    def __init__(self, text):
        self.header, _, rest = text.partition("#BEGIN_TB")
        self.blocks = []
        for block in rest.split("#BEGIN_TB"):
            point = [int(n) for n in re.search(r"thread block = (\d+),(\d+),(\d+)", block).groups()]
            warps = []
            for part in block.partition("#END_TB")[0].split("warp = ")[1:]:
                _, count, *lines = [line for line in part.splitlines() if line.strip()]
                warps.append((int(count.partition("=")[2]), lines))
            self.blocks.append((point, warps))


@unittest.skipUnless(installed(), "zstd and libzstd are not installed")
class Tracez(TemporaryCase):
    def setUp(self):
        super().setUp()
        self.text = traceg()
        self.plain = self.write("kernel-1.traceg", self.text)

    def frame(self, text, dictionary):
        names = ["-D", dictionary] if dictionary else []
        done = subprocess.run([TOOL, "-q", "-c", *names], input=text.encode(), stdout=subprocess.PIPE, check=True)
        return done.stdout

    def train(self):
        """A dictionary with a separate number."""
        lines = [line for _, warps in Blocks(self.text).blocks for _, lines in warps for line in lines]
        samples = []
        for number in range(200):
            sample = "\n".join(f"{line} {number * 37} {number}" for line in lines)
            samples.append(self.write(f"sample-{number}", sample))
        path = self.path("dictionary")
        subprocess.run([TOOL, "-q", "--train", "--maxdict=4096", *samples, "-o", path], check=True,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
        return path

    def tracez(self, name="kernel-1.tracez", dictionary=None, carried=None, part=2, at_record=True):
        """The trace as a .tracez with frames of `part` lines; `carried`: the dictionary in the file."""
        held = b""
        if carried or dictionary:
            with open(carried or dictionary, "rb") as file:
                held = file.read()
        parts = Blocks(self.text)
        data = parts.header.encode() + b"\0" + struct.pack("<II", len(held), part) + held
        index = struct.pack("<I", len(parts.blocks))
        for point, warps in parts.blocks:
            index += struct.pack("<11I", *point, *point, 0, 0, 0, 0, len(warps))
            for count, lines in warps:
                chunks = [lines[n : n + part] for n in range(0, len(lines), part)]
                offset = len(data) + (0 if at_record else 8)
                data += struct.pack("<II", count, len(chunks))
                index += struct.pack("<IIQ", count, len(chunks), offset)
                for chunk in chunks:
                    frame = self.frame("".join(line + "\n" for line in chunk), dictionary)
                    data += struct.pack("<I", len(frame)) + frame
                    index += struct.pack("<I", len(frame))
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(data + index + struct.pack("<Q", len(data)))
        return path

    def stats(self, path):
        config = gpucache.Config(self.context, preset="gtx480")
        with gpucache.Replay(self.context, config) as replay, gpucache.Trace(self.context, path) as trace:
            return [(kernel.name, kernel.grid, kernel.block_count, dict(stats)) for kernel, stats in replay.run(trace)]

    def expect_same(self, path):
        found = self.stats(path)
        self.assertEqual(found, self.stats(self.plain))
        self.assertEqual(found[0][3]["l1.load_requests"], 16)

    def test_without_dictionary(self):
        self.expect_same(self.tracez())

    def test_with_dictionaries(self):
        trained = self.train()
        self.expect_same(self.tracez(dictionary=trained))
        raw = self.write("raw", self.text[:3000])
        self.expect_same(self.tracez(dictionary=raw))

    def test_where_offsets_point_to(self):
        self.expect_same(self.tracez(at_record=False))
        self.expect_same(self.tracez(part=1000))

    def test_by_content(self):
        path = self.tracez(name="something.bin", dictionary=self.train())
        self.expect_same(path)
        self.assertEqual(command("info", path).returncode, 0)

    def test_compressed_whole_by_content(self):
        data = subprocess.run([TOOL, "-q", "-c", self.plain], stdout=subprocess.PIPE, check=True).stdout
        path = self.path("whole.traceg")
        with open(path, "wb") as file:
            file.write(data)
        self.expect_same(path)

    def test_folder(self):
        folder = self.path("traces")
        os.mkdir(folder)
        for number in (1, 2):
            shutil.copy(self.tracez(), os.path.join(folder, f"kernel-{number}.tracez"))
        self.assertEqual(len(self.stats(folder)), 2)
        shutil.copy(self.plain, os.path.join(folder, "kernel-2.traceg"))
        self.assertEqual(len(self.stats(folder)), 2, "a kernel that is there twice")

    def test_wrong_dictionary(self):
        trained = self.train()
        raw = self.write("raw", self.text[:3000])
        path = self.tracez(dictionary=trained, carried=raw)
        with self.assertRaisesRegex(gpucache.UnsupportedError, r"needs zstd dictionary \d+, but the file has another"):
            self.stats(path)
        alone = self.path("alone.traceg.zst")
        with open(alone, "wb") as file:
            file.write(self.frame(self.text, trained))
        with self.assertRaisesRegex(gpucache.UnsupportedError, r"dictionary \d+, which is not in it"):
            gpucache.Trace(self.context, alone)

    def test_damage(self):
        path = self.tracez(dictionary=self.train())
        with open(path, "rb") as file:
            data = bytearray(file.read())
        for cut in (len(data) - 1, len(data) - 9, len(data) // 2, 400):
            with open(path, "wb") as file:
                file.write(data[:cut])
            with self.assertRaises((gpucache.FormatError, gpucache.UnsupportedError)):
                self.stats(path)
        for at in range(len(data) - 8, 300, -61):
            changed = bytearray(data)
            changed[at] ^= 0x5A
            with open(path, "wb") as file:
                file.write(changed)
            try:
                self.stats(path)
            except gpucache.GpucacheError as error:
                self.assertIn("kernel-1.tracez", str(error))


class Absent(TemporaryCase):
    """Without libzstd the message names libzstd."""

    def test_library_is_named(self):
        path = self.path("kernel-1.tracez")
        with open(path, "wb") as file:
            file.write(b"-kernel name = k\n#\n\0" + struct.pack("<II", 0, 1) + struct.pack("<IQ", 0, 27))
        folder = self.path("empty")
        os.mkdir(folder)
        for name in ("libzstd.so.1", "libzstd.so"):
            with open(os.path.join(folder, name), "wb"):
                pass  # the loader's first file is no library
        done = command("info", path, LD_LIBRARY_PATH=folder)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("libzstd.so.1), which is not there", done.stderr + done.stdout)


if __name__ == "__main__":
    unittest.main()
