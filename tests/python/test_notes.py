# SPDX-License-Identifier: BSD-2-Clause
"""Notes of traces: in Python, on stderr, in JSON."""

import json
import os

from harness import BASE, TemporaryCase, command, traceg

import gpucache
from gpucache import NoteReason

ODD = f"0050 ffffffff 1 R2 NEWOP.X 1 R4 4 1 0x{BASE:x} 4\n0060 00000001 0 UTMALDG.2D 1 R4 0\n"
# A reducing load, which runs, and a kernel of memory instructions alone.
REDUCTION = f"0050 ffffffff 1 R2 LDGMC.E.ADD.F32x4.RN.STRONG.SYS 1 R4 16 1 0x{BASE:x} 16\n"
ALONE = "kernel,block,warp,pc,kind,width,mask,address\nk,0,0,16,load,4,0x1,0x1000\n"
NO_PC = "kernel,block,warp,kind,width,mask,address\nk,0,0,load,4,0x1,0x1000\n"


def with_lines(lines):
    """A kernel of one warp with further lines."""
    more = lines.count("\n")
    return traceg(blocks=1, warps=1).replace("insts = 5", f"insts = {5 + more}").replace("#END_TB", lines + "#END_TB")


class Notes(TemporaryCase):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("t"))
        self.write("t/kernel-1.traceg", with_lines(ODD))
        self.list = self.write(
            "t/kernelslist.g",
            f"MemcpyHtoD,0x{BASE:x},4096\nkernel-1.traceg\nMemcpyDtoH,0x0,4\nncclGroupStart\nMemcpyDtoH,0x0,4\n",
        )

    def done(self, *arguments):
        found = command(*arguments)
        self.assertEqual(found.returncode, 0, found.stderr)
        return found

    def told(self, *arguments):
        """{(reason, text): note} of a command's JSON."""
        notes = json.loads(self.done(*arguments).stdout)["notes"]
        return {(note["reason"], note["text"]): note for note in notes}

    def expect_all(self, notes, times=1):
        self.assertEqual(
            {key: note["count"] for key, note in notes.items()},
            {("copy", "MemcpyHtoD"): 1, ("passed-over", "MemcpyDtoH"): 2, ("passed-over", "ncclGroupStart"): 1,
             ("unknown-opcode", "NEWOP.X"): times, ("unused-addresses", "NEWOP.X"): times,
             ("no-addresses", "UTMALDG.2D"): times},
        )  # fmt: skip
        self.assertEqual(notes["copy", "MemcpyHtoD"]["bytes"], 4096)
        self.assertEqual(notes["passed-over", "MemcpyDtoH"]["line"], 3)
        opcode = notes["unknown-opcode", "NEWOP.X"]
        with open(opcode["file"], encoding="utf-8") as file:
            self.assertIn("NEWOP.X", file.read().splitlines()[opcode["line"] - 1])
        for note in notes.values():
            self.assertEqual(note["trace"], self.list)
            self.assertGreater(len(note["why"]), 20)

    def test_trace(self):
        with gpucache.Context() as context, gpucache.Trace(context, self.list) as trace:
            self.assertEqual({note.reason for note in trace.notes}, {NoteReason.COPY, NoteReason.PASSED_OVER})
            for kernel in trace:
                for _ in kernel:
                    pass
            self.assertEqual(len(trace.notes), 6)
            self.assertEqual(trace.notes[0][:2], (NoteReason.COPY, "MemcpyHtoD"))

    def test_json(self):
        for command_line in (
            ["run", self.list, "--json", "-"], ["run", self.list, "--mode", "timed", "--json", "-"],
            ["run", self.list, "--concurrent", "--json", "-"], ["info", self.list, "--json"],
            ["profile", self.list, "--json", "-"],
            ["compare", self.list, "--policies", "lru,fifo", "--json", "-"],
        ):  # fmt: skip
            with self.subTest(command_line):
                self.expect_all(self.told(*command_line))

    def test_standard_error(self):
        """A line each on stderr with -v, none without."""
        self.assertEqual(self.done("run", self.list).stderr, "")
        lines = [line for line in self.done("run", self.list, "-v").stderr.splitlines() if "note:" in line]
        self.assertEqual(len(lines), 6)
        self.assertTrue(any("kernelslist.g:3: MemcpyDtoH: 2 lines: " in line for line in lines), lines)
        self.assertTrue(any("kernelslist.g:1: MemcpyHtoD: 1 line, 4,096 bytes: " in line for line in lines), lines)

    def test_info(self):
        shown = self.done("info", self.list).stdout
        for text in ("NEWOP.X: 1 line: ", "UTMALDG.2D: 1 line: ", "ncclGroupStart: 1 line: ", "MemcpyHtoD: 1 line"):
            self.assertIn(text, shown)
        self.assertNotIn("notes", self.done("info", "synthetic:vectoradd:64KiB").stdout)

    def test_streams_of_a_list(self):
        """Lines of the list count once, instructions of both streams are summed."""
        self.write("t/kernel-2.traceg", with_lines(ODD).replace("cuda stream id = 0", "cuda stream id = 3"))
        with open(self.list, "a", encoding="utf-8") as file:
            file.write("kernel-2.traceg\n")
        notes = json.loads(self.done("run", self.list, "--concurrent", "--json", "-").stdout)["notes"]
        self.assertEqual(sum(note["count"] for note in notes if note["text"] == "MemcpyDtoH"), 2)
        self.assertEqual(sum(note["count"] for note in notes if note["reason"] == "unknown-opcode"), 2)
        self.assertEqual(sum(note["bytes"] for note in notes if note["reason"] == "copy"), 4096)

    def test_what_runs_is_not_told(self):
        source = self.write("k.traceg", with_lines(REDUCTION))
        document = json.loads(self.done("run", source, "--json", "-").stdout)
        self.assertEqual(document["notes"], [])
        self.assertEqual(document["total"]["l1.load_requests"], 3)

    def test_memory_alone(self):
        """The note is given always with a clock, never without."""
        source = self.write("k.csv", ALONE)
        timed = self.done("run", source, "--mode", "timed")
        self.assertIn("k.csv: k: 1 kernel: the kernel has no arithmetic", timed.stderr)
        printed = self.done("run", source, "--mode", "timed", "--json", "-")
        self.assertEqual(printed.stderr, "", "JSON on stdout has the note")
        self.assertEqual([note["reason"] for note in json.loads(printed.stdout)["notes"]], ["memory-alone"])
        self.assertEqual(self.done("run", source, "-v").stderr, "")
        self.assertEqual(self.told("run", source, "--json", "-"), {})
        self.assertEqual(list(self.told("info", source, "--json")), [("memory-alone", "k")])

    def test_no_pc(self):
        """The note is given if a policy reads PCs, and names the policy's key."""
        source = self.write("k.csv", NO_PC)
        self.assertEqual(self.done("run", source, "-v").stderr, "")
        found = self.done("run", source, "--set", "l1.bypass=sdbp", "--set", "l2.replacement=ship")
        self.assertIn("k: 1 kernel: the instructions have no PC, for policies that read PCs: l1.bypass=sdbp, "
                      "l2.replacement=ship",
                      found.stderr)  # fmt: skip
        compared = self.done("compare", source, "--policies", "lru,ship,srrip")
        self.assertIn("policies that read PCs: l1.replacement=ship", compared.stderr)
        self.assertNotIn("srrip", compared.stderr)
        self.assertIn(("no-pc", "k"), self.told("info", source, "--json"))

    def test_copies(self):
        """kernels.copies = l2 puts copied bytes into L2, and the note says so."""
        for mode in ("functional", "timed"):
            reads = []
            for copies, said in (("none", "they change nothing"), ("l2", "left in L2")):
                found = self.done("run", self.list, "-v", "--mode", mode, "--set", f"kernels.copies={copies}", "--json",
                                  "-")  # fmt: skip
                total = json.loads(found.stdout)["total"]
                reads.append((total["l2.read_sector_hits"], total["dram.read_sectors"]))
                self.assertIn(said, found.stderr)
            self.assertEqual((reads[0][0], reads[1][0]), (0, 4), mode)
            self.assertEqual(reads[0][1] - reads[1][1], 4, mode)
