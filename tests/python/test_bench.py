# SPDX-License-Identifier: BSD-2-Clause
"""Programs of bench/: the tables, continued runs of policies.py, and the run's description by replay.c."""

import json
import os
import pathlib
import subprocess
import unittest

from harness import TemporaryCase, python

import gpucache
from gpucache import PolicyKind

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
SCRIPT = BENCH / "policies.py"


def rows(output, title):
    """{policy: cells} of the table under a title."""
    table = output.split(title, 1)[1].split("\n\n")[1]
    lines = [[cell.strip() for cell in line.strip("| ").split("|")] for line in table.splitlines()]
    return {cells[0]: cells[1:] for cells in lines[2:]}


class SignaturesTest(unittest.TestCase):
    def test_table(self):
        done = python(BENCH / "signatures.py", "A=synthetic:warp-reuse:12KiB:lines=12,repeats=2", "--by", "pc",
                      "--preset", "gtx480")  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        title, heads, *lines = done.stdout.strip().splitlines()
        self.assertRegex(title, r"^A by pc: 96 reuses in \d groups$")
        for line in lines:
            self.assertAlmostEqual(sum(map(int, line.split()[4:])), 100, delta=6)
        done = python(BENCH / "signatures.py", "--by", "address")
        self.assertIn("--by address: none of pc, pc+age", done.stderr)


class ReplayTest(TemporaryCase):
    def test_says_what_it_runs(self):
        """Before the rates: the trace, and the measured configuration."""
        program, library = pathlib.Path(self.folder) / "replay", pathlib.Path(os.environ["GPUCACHE_LIBRARY"]).resolve()
        subprocess.run(["cc", "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-I", BENCH.parent / "include", "-o", program,
                        BENCH / "replay.c", library, "-lm", f"-Wl,-rpath,{library.parent}"], check=True)  # fmt: skip
        done = subprocess.run([program, "gtx480", "synthetic:vectoradd:32KiB"], capture_output=True, text=True)
        title, *lines = done.stdout.splitlines()
        self.assertEqual(title, "# replay.gtx480.trace: synthetic:vectoradd:32KiB; preset = gtx480, mode = timed, "
                                "kernels.flush = all")  # fmt: skip
        self.assertTrue(lines)
        for line in lines:
            self.assertRegex(line, r"^replay\.gtx480\.trace\.[a-z-]+ [\d.]+ \S+$")


class PoliciesTest(TemporaryCase):
    def run_bench(self, *arguments):
        done = python(SCRIPT, "--quick", "--preset", "gtx480", "--mode", "functional", "--only", "bip", *arguments,
                      "--cache", self.path("results"))  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_rows_are_relative_to_lru_and_runs_are_kept(self):
        first = self.run_bench()
        traffic = rows(first, "Traffic from L2 to L1, of LRU's, gtx480, functional")
        self.assertEqual(set(traffic["lru"]), {"1.000"})
        hits = rows(first, "L1 hit rate, gtx480, functional")
        for policy in ("lru", "bip", "bip(bypass=1) line", "bip(bypass=1) segments"):
            for more, less in zip(map(float, hits[policy][1:]), map(float, hits["lru"][1:])):
                self.assertGreaterEqual(more, less, f"{policy}: a thrashing stream has few hits to lose")
        entries = [json.loads(line) for line in pathlib.Path(self.path("results")).read_text().splitlines()]
        self.assertEqual(len(entries), 8)
        self.assertEqual({entry["preset"] for entry in entries}, {"gtx480"})
        self.assertEqual(self.run_bench(), first)
        self.assertEqual(self.run_bench("--report"), first)
        self.assertEqual(len(pathlib.Path(self.path("results")).read_text().splitlines()), len(entries))

    def test_the_best_number_of_blocks_is_no_slower_than_all(self):
        done = python(BENCH / "throttled.py", "--only", "warp-reuse-less", "--policies", "lru,age-lru", "--cache",
                      self.path("results"))  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        limit, over_all, lru, age = rows(done.stdout, "Speed-up of the best number of blocks")["warp-reuse-less"]
        self.assertIn(int(limit), range(1, 9))
        self.assertGreaterEqual(float(over_all), 1)
        self.assertEqual(float(lru), 1)
        self.assertGreater(float(age), 0)

    def test_lines_and_sectors_side_by_side(self):
        done = python(BENCH / "sectored.py", "--accesses", "600")
        self.assertEqual(done.returncode, 0, done.stderr)
        head, table = done.stdout.split("\n\n")
        figures = {cells[0]: cells[1:] for cells in (line.strip("| ").split(" | ") for line in table.splitlines()[2:])}
        context = gpucache.Context()
        self.assertLessEqual({each.name for each in context.policies(PolicyKind.REPLACEMENT)}, figures.keys())
        self.assertEqual(figures["lru"], ["0.0"] * 3)
        self.assertEqual([each for each in figures if figures[each][0] != figures[each][2]], [])
        for policy in ("bip", "dip", "ship", "drrip"):
            lines, sectors, continued = map(float, figures[policy])
            self.assertGreater(lines, 20, policy)
            self.assertEqual((sectors, continued), (lines, lines), policy)
        self.assertIn("uniform", python(BENCH / "sectored.py", "--stream", "uniform", "--accesses", "50", "fifo").stdout)

    def test_what_four_requests_are(self):
        """To bip four draws, unless told otherwise; to signatures four instructions, unless bursts are one."""
        names = ("bip(bypass=1)", "bip(bypass=1,epsilon=0.125)", "trace-based", "trace-based(history=bursts)")
        table = python(BENCH / "sectored.py", *names).stdout.splitlines()[-len(names) :]
        bip, often, each, bursts = ([float(cell) for cell in line.strip("| ").split(" | ")[1:]] for line in table)
        self.assertLess(bip[1], often[0])
        self.assertLess(often[0], bip[0])
        self.assertNotEqual(each[1], each[0])
        self.assertEqual(bursts, [each[0]] * 3)

    def test_gpus(self):
        done = python(BENCH / "gpus.py", "--only", "matmul", "--gpus", "1,2", "--protocols", "vi", "--jobs", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        figures = {line.split()[0]: float(line.split()[1]) for line in done.stdout.splitlines()}
        self.assertEqual(len(figures), 1 + 2 * 3)
        self.assertGreater(figures["matmul/1/vi/cycles"], 0)
        self.assertAlmostEqual(figures["matmul/2/vi/round-robin/remote"], 50, delta=5)


if __name__ == "__main__":
    unittest.main()
