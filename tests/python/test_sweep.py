# SPDX-License-Identifier: BSD-2-Clause
"""The command sweep: the plan's contents, kept and resumed runs, and equal results from every executor."""

import contextlib
import csv
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest
from unittest import mock

from harness import TemporaryCase, command, environment, python, write_trace

import gpucache
from gpucache import plan as plans
from gpucache._executors import ended, processes
from gpucache.plan import Plan, PlanError
from gpucache.sweeping import sweep

SMALL = "synthetic:bicg:4KiB"
OTHER = "synthetic:atax:4KiB"

PLAN = {
    "traces": [SMALL, OTHER], "presets": ["gtx480", "qv100"], "mode": "timed", "settings": {"sm.count": 2},
    "product": {"l1.replacement": ["lru", "age-lru"]},
    "zip": {"sm.warp_limit": [0, 2], "scheduler": ["gto", "lrr"]},
    "exclude": [{"preset": "qv100", "l1.replacement": "age-lru", "scheduler": "lrr"}],
    "metrics": ["cycles", "l1.load_hit_rate"],
}  # fmt: skip
COUNT = 2 * (2 * 4 - 1)

LONG = {"traces": ["synthetic:gather:1MiB"], "presets": ["gtx480"], "mode": "timed",
        "product": {"sm.count": [*range(1, 9)]}}  # fmt: skip


def has(module):
    return importlib.util.find_spec(module) is not None


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def lines_of(path):
    return sorted(text_of(path).splitlines())


class Plans(TemporaryCase):
    def varied(self, **document):
        return [point.varied for point in Plan({"traces": [SMALL], **document}).points]

    def test_products_zips_and_lists(self):
        self.assertEqual(self.varied(), [{}])
        self.assertEqual(self.varied(product={"a": [1, 2], "b": [True, "x"]}), [
            {"a": "1", "b": "true"}, {"a": "1", "b": "x"}, {"a": "2", "b": "true"}, {"a": "2", "b": "x"},
        ])  # fmt: skip
        self.assertEqual(self.varied(zip={"a": [1, 2], "b": [3, 4]}), [{"a": "1", "b": "3"}, {"a": "2", "b": "4"}])
        self.assertEqual(len(self.varied(zip=[{"a": [1, 2]}, {"b": [1, 2, 3]}])), 6)
        self.assertEqual(self.varied(list=[{"a": 1}, {"a": 2, "b": 3}], product={"c": [0]}),
                         [{"c": "0", "a": "1"}, {"c": "0", "a": "2", "b": "3"}])  # fmt: skip

    def test_exclusions(self):
        left = self.varied(product={"a": [1, 2], "b": [1, 2, 3]}, exclude=[{"a": 1, "b": [1, 2]}, {"b": 3}])
        self.assertEqual(left, [{"a": "2", "b": "1"}, {"a": "2", "b": "2"}])
        points = Plan({"traces": [SMALL, OTHER], "presets": ["h100", "gtx480"],
                       "exclude": {"trace": OTHER, "preset": "h100"}}).points  # fmt: skip
        self.assertEqual([point[:2] for point in points],
                         [(SMALL, "h100"), (SMALL, "gtx480"), (OTHER, "gtx480")])  # fmt: skip

    def test_what_is_compared_with_what(self):
        def bases(**document):
            plan = Plan({"traces": [SMALL], "presets": ["x", "y"], "product": {"a": [1, 2], "b": [1, 2]}, **document})
            return {(p.preset, *p.varied.values()): (plan.base_of(p)[1], *plan.base_of(p)[2].values())
                    for p in plan.points}  # fmt: skip

        self.assertEqual(set(bases().values()), {("x", "1", "1"), ("y", "1", "1")})
        self.assertEqual(bases(baseline={"b": 2})["x", "2", "1"], ("x", "2", "2"))
        self.assertEqual(bases(baseline={"preset": "y"})["x", "2", "1"], ("y", "2", "1"))

    @unittest.skipUnless(has("tomllib"), "TOML needs Python 3.11")
    def test_toml(self):
        path = self.write("plan.toml", 'traces = ["t"]\n[settings]\nl1.size = "16KiB"\n"sm.count" = 2\n'
                          '[product]\nscheduler = ["gto", "lrr"]\nl1.ways = [2, 4]\n[[exclude]]\nl1.ways = 4\n')  # fmt: skip
        found = plans.read(path)
        self.assertEqual(found.settings, {"l1.size": "16KiB", "sm.count": "2"})
        self.assertEqual([point.varied for point in found.points],
                         [{"scheduler": "gto", "l1.ways": "2"}, {"scheduler": "lrr", "l1.ways": "2"}])  # fmt: skip
        with self.assertRaisesRegex(PlanError, r"bad\.toml: .*line 2"):
            plans.read(self.write("bad.toml", "traces = []\n=\n"))

    def test_toml_before_python_3_11(self):
        path = self.write("plan.toml", 'traces = ["t"]\n')
        with mock.patch.dict(sys.modules, {"tomllib": None}):
            with self.assertRaisesRegex(PlanError, r"plan\.toml: TOML needs Python 3\.11.*JSON"):
                plans.read(path)
        self.assertEqual(plans.read(self.write("plan.json", json.dumps(PLAN))).points, Plan(PLAN).points)

    def test_patterns(self):
        for name in ("b", "a"):
            write_trace(self.path("traces", name))
        found = Plan({"traces": [self.path("traces", "*"), SMALL]}).traces
        self.assertEqual(found, [self.path("traces", "a"), self.path("traces", "b"), SMALL])

    def test_bad_plans(self):
        os.mkfifo(self.path("pipe"))
        for change, message in (
            ({"trace": []}, "plan: there is no 'trace'"),
            ({"traces": []}, "plan: traces: a list with something in it"),
            ({"traces": [1]}, "plan: traces: texts are expected, not 1"),
            ({"traces": ["none/*"]}, r"traces: there is nothing that 'none/\*' fits"),
            ({"traces": [self.path("pipe")]}, "can be read once alone"),
            ({"presets": ["a", "a"]}, "presets: 'a' is there twice"),
            ({"mode": "fast"}, "mode: functional or timed"),
            ({"settings": {"preset": "h100"}}, "settings: preset is said by 'presets'"),
            ({"settings": {"a": [1]}}, r"settings: a: a text, a number"),
            ({"product": {"mode": ["timed"]}}, "product: mode is said by 'mode'"),
            ({"product": {"a": 1}}, "product: a: a list"),
            ({"product": {"a": [1, 1]}}, "'a=1' is there twice"),
            ({"product": {"a": [1]}, "list": [{"a": 2}]}, "a varies in two places"),
            ({"zip": {"a": [1], "b": [1, 2]}}, "zip: lists of one length are expected: a has 1, b has 2"),
            ({"product": {"a": [1, 2]}, "baseline": {"a": 3}}, "baseline: a = 3 is so in 0 of 2 combinations"),
            ({"zip": {"a": [1, 1], "b": [1, 2]}, "baseline": {"a": 1}}, "a = 1 is so in 2 of 2"),
            ({"baseline": {"b": 3}}, "baseline: b does not vary"),
            ({"baseline": {"preset": "x"}}, "baseline: preset: 'x' is none"),
            ({"exclude": [{"b": 3}]}, "exclude: b does not vary"),
            ({"product": {"a": [1]}, "exclude": [{"a": 3}]}, "exclude: a = 3 is so of no run"),
            ({"product": {"a": [1]}, "exclude": [{"a": 1}]}, "exclude: no run is left"),
            ({"exclude": [{}]}, "exclude: there is no key in it"),
        ):
            with self.subTest(message), self.assertRaisesRegex(PlanError, message):
                Plan({"traces": [SMALL], **change})
        with self.assertRaisesRegex(PlanError, "plan: traces: a list of traces is missing"):
            Plan({})
        with self.assertRaisesRegex(PlanError, "a table of keys and values"):
            Plan([])


class SweepCase(TemporaryCase):
    def plan(self, name="plan.json", **changes):
        return self.write(name, json.dumps({**PLAN, **changes}))

    def done(self, *arguments, status=0, message=""):
        found = command("sweep", *arguments)
        self.assertEqual(found.returncode, status, found.stderr)
        self.assertNotIn("Traceback", found.stderr)
        self.assertIn(message, found.stderr)
        return found.stdout

    def reference(self, *arguments):
        """(plan, JSON, lines of the store) of a run by processes."""
        path = self.plan()
        return path, self.done(path, "--json", "-", "--jobs", "2", *arguments), lines_of(self.path("plan.jsonl"))

    def same(self, path, text, lines, store):
        """The store equals the store of processes, and gives the same bytes."""
        self.assertEqual(lines_of(store), lines)
        self.assertEqual(self.done(path, "--store", store, "--json", "-"), text)
        self.assertEqual(lines_of(store), lines)


class Runs(SweepCase):
    def test_a_run_is_what_the_command_run_makes(self):
        _, text, lines = self.reference()
        document = json.loads(text)
        self.assertEqual((len(document["runs"]), len(lines)), (COUNT, COUNT))
        for run in document["runs"][1::5]:
            settings = [f"--set={key}={value}" for key, value in {"sm.count": 2, **run["settings"]}.items()]
            source = SMALL if run["trace"] == "bicg:4KiB" else OTHER
            found = command("run", source, "--preset", run["preset"], "--mode", "timed", *settings, "--json", "-")
            self.assertEqual(run["stats"], json.loads(found.stdout)["total"])

    def test_speed_ups_and_means(self):
        path = self.plan(baseline={"l1.replacement": "age-lru"}, product={"l1.replacement": ["lru", "age-lru"]})
        document = json.loads(self.done(path, "--json", "-"))
        runs = {(r["trace"], r["preset"], r["settings"]["scheduler"], r["settings"]["l1.replacement"]): r
                for r in document["runs"]}  # fmt: skip
        for (trace, preset, scheduler, policy), run in runs.items():
            base = runs.get((trace, preset, scheduler, "age-lru"))  # no base for qv100 with lrr, which is excluded
            self.assertEqual(base is None, (preset, scheduler) == ("qv100", "lrr"))
            ratio = base and base["stats"]["cycles"] / run["stats"]["cycles"]
            self.assertEqual(run["speedup"], ratio)
        for mean in document["geometric_means"]:
            each = [run["speedup"] for run in document["runs"] if run["policy"] == mean["policy"]]
            self.assertEqual(len(each), 2)
            if None not in each:
                self.assertAlmostEqual(mean["speedup"], (each[0] * each[1]) ** 0.5)

    def test_table_and_csv(self):
        path, text, _ = self.reference()
        table = self.done(path)
        head, *_ = table.splitlines()
        self.assertEqual(head, f"gpucache {gpucache.version()}, preset gtx480, qv100, timed")
        self.assertIn("\nsettings: sm.count = 2\n", table)
        self.assertRegex(table, r"\ntrace +policy +cycles +l1\.load_hit_rate +traffic +speed-up\nbicg:4KiB +gtx480 l1\.")
        self.assertRegex(table, r"\ngeometric mean +gtx480 l1\.replacement=lru sm\.warp_limit=0 scheduler=gto ")
        self.assertIn(f"\n0 runs done, {COUNT} known from {self.path('plan.jsonl')}\n", table)
        rows = list(csv.DictReader(self.done(path, "--csv", "-").splitlines()))
        for row, run in zip(rows, json.loads(text)["runs"]):
            self.assertEqual((row["preset"], row["scheduler"], row["mode"]),
                             (run["preset"], run["settings"]["scheduler"], "timed"))  # fmt: skip
            self.assertEqual((int(row["cycles"]), float(row["speedup"])), (run["stats"]["cycles"], run["speedup"]))
            self.assertIn("sm.count = 2", row["settings"])
        self.assertEqual(len(rows), COUNT)

    def test_a_report_shows_it(self):
        path = self.plan()
        self.done(path, "--json", self.path("sweep.json"))
        found = command("report", self.path("sweep.json"), "-o", "-")
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertIn("qv100 l1.replacement=lru sm.warp_limit=2 scheduler=lrr", found.stdout)
        self.assertIn("over the first of its preset", found.stdout)

    def test_metrics_of_policies(self):
        path = self.write("p.json", json.dumps({
            "traces": [SMALL, OTHER], "presets": ["gtx480"], "metrics": ["l1.replacement.dip.selector"],
            "product": {"l1.replacement": ["lru", "dip"]},
        }))  # fmt: skip
        rows = list(csv.DictReader(self.done(path, "--csv", "-").splitlines()))
        self.assertEqual([row["l1.replacement.dip.selector"] == "" for row in rows], [True, False] * 2)
        self.assertEqual({row["speedup"] for row in rows}, {""})  # without a clock there is no value
        bad = self.plan("q.json", metrics=["l1.nothing"])
        self.done(bad, status=1, message="no counter 'l1.nothing'")
        self.assertFalse(os.path.exists(self.path("q.jsonl")))

    def test_bad_input(self):
        self.done(self.path("none.json"), status=1, message="none.json: No such file")
        self.done(self.write("cut.json", '{\n"traces":'), status=1, message="cut.json:2: Expecting value")
        self.done(self.plan(product={"l1.size": ["much"]}, exclude=[{"preset": "qv100"}]), status=1, message="l1.size")
        self.assertEqual(lines_of(self.path("plan.jsonl")), [])
        for arguments in (["--executor", "dask"], ["--executor", "threads"], ["--task", "2/2"], ["--task", "1"],
                          ["--slurm", "f", "--json", "-"], ["--json", "-", "--csv", "-"],
                          ["--executor", "mpi", "--jobs", "2"]):  # fmt: skip
            self.done(self.plan(), *arguments, status=2)

    def test_from_python(self):
        seen = []
        found = gpucache.sweep(PLAN, self.path("store"), jobs=2, on_progress=lambda *told: seen.append(told))
        self.assertEqual([told[:2] for told in seen], [(n, COUNT) for n in range(1, COUNT + 1)])
        self.assertTrue(all(left >= 0 for _, _, left in seen))
        self.assertEqual(seen[-1][2], 0)
        self.assertEqual((found.done, found.known, len(found)), (COUNT, 0, COUNT))
        self.assertEqual(found[0].speedup, 1.0)
        self.assertEqual((sweep(PLAN, self.path("store")).done, found.failures), (0, []))

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_pandas_reads_the_store(self):
        self.reference()
        done = python("-c", "import pandas, sys; t = pandas.read_json(sys.argv[1], lines=True);"
                      "print(len(t), t.groupby('settings.l1.replacement').cycles.min().gt(0).all())",
                      self.path("plan.jsonl"))  # fmt: skip
        self.assertEqual(done.stdout, f"{COUNT} True\n", done.stderr)


class Keeping(SweepCase):
    def test_what_is_kept_by_content(self):
        trace = write_trace(self.path("trace"))
        path = self.plan(traces=[trace], exclude=[{"preset": "qv100"}])
        self.assertIn("4 runs done, 0 known", self.done(path))
        os.rename(trace, self.path("moved"))
        self.assertIn("0 runs done, 4 known", self.done(self.plan(traces=[self.path("moved")], exclude=[
            {"preset": "qv100"}])))  # fmt: skip
        more = self.plan(traces=[self.path("moved")])
        self.assertIn("3 runs done, 4 known", self.done(more))
        write_trace(self.path("moved"), (("other", 2),))
        self.assertIn("7 runs done, 0 known", self.done(more))

    def test_failures_are_rows(self):
        bad = self.write("bad.traceg", "-kernel name = cut short\n")
        path = self.plan(traces=[bad, SMALL], exclude=[{"preset": "qv100"}])
        text = self.done(path, "--json", self.path("out.json"), status=1, message="4 of 8 runs failed")
        self.assertRegex(text, r"bad\.traceg +gtx480 \S+ \S+ \S+ +failed")
        self.assertIn("8 runs done, 0 known", text)
        runs = json.loads(text_of(self.path("out.json")))["runs"]
        self.assertEqual([("error" in run, "stats" in run) for run in runs], [(True, False)] * 4 + [(False, True)] * 4)
        self.assertIn("0 runs done, 8 known", self.done(path, status=1))
        self.assertIn("4 runs done, 4 known", self.done(path, "--retry", status=1))

    def started(self, path, lines):
        """A process whose store has this number of lines."""
        store = os.path.splitext(path)[0] + ".jsonl"
        process = subprocess.Popen([sys.executable, "-m", "gpucache", "sweep", path, "--jobs", "2", "--json",
                                    self.path("out.json")], env=environment(), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)  # fmt: skip
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        end = time.monotonic() + 120
        while not os.path.exists(store) or len(lines_of(store)) < lines:
            self.assertIsNone(process.poll(), "it ended")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        return process, store

    def children(self, process):
        return list(map(int, text_of(f"/proc/{process.pid}/task/{process.pid}/children").split()))

    def lives(self, pid):
        try:
            return text_of(f"/proc/{pid}/stat").split()[2] != "Z"
        except FileNotFoundError:
            return False

    def test_a_kill_loses_and_repeats_nothing(self):
        path = self.write("long.json", json.dumps(LONG))
        process, store = self.started(path, 2)
        workers = self.children(process) if os.path.exists("/proc/self/task") else []
        process.kill()
        process.wait()
        before = text_of(store)
        for pid in workers:  # the workers end with the parent
            end = time.monotonic() + 60
            while self.lives(pid):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)
        with open(store, "a", encoding="utf-8") as file:
            file.write('{"key": "cut sh')  # like a kill within a line
        known = before.count("\n")
        self.assertIn(f"{8 - known} runs done, {known} known", self.done(path))
        after = text_of(store)
        self.assertTrue(after.startswith(before))
        keys = [json.loads(line)["key"] for line in after.splitlines() if "cut sh" not in line]
        self.assertEqual((len(keys), len(set(keys))), (8, 8))

    def test_an_interrupt_keeps_what_is_done(self):
        path = self.write("long.json", json.dumps(LONG))
        process, store = self.started(path, 2)
        process.send_signal(signal.SIGINT)
        text, errors = process.communicate(timeout=120)
        self.assertEqual((process.returncode, errors), (130, "gpucache: interrupted\n"))
        document = json.loads(text_of(self.path("out.json")))
        done = [run for run in document["runs"] if "error" not in run]
        self.assertEqual((document["interrupted"], len(done)), (True, len(lines_of(store))))
        self.assertEqual({run["error"] for run in document["runs"] if "error" in run}, {"not run"})
        self.assertIn(f"{len(done)} runs done, 0 known", text)

    def test_an_early_exit_leaves_no_thread_of_the_pool(self):
        """A thread that ends later closes its pipe while the interpreter's exit writes to the pipe."""
        before = set(threading.enumerate())
        runs = ended(processes(2), time.sleep, [(0,), (60,), (60,), (60,)])
        next(runs)
        runs.close()
        self.assertEqual(set(threading.enumerate()), before)


class Executors(SweepCase):
    """Other executors find the same results as processes, byte by byte."""

    def test_a_slurm_array(self):
        path, text, lines = self.reference()
        store, script = self.path("by-slurm.jsonl"), self.path("job.sh")
        self.assertEqual(self.done(path, "--store", store, "--slurm", script), "")
        self.assertFalse(os.path.exists(store))
        self.assertIn(f"\n#SBATCH --array=0-{COUNT - 1}\n", text_of(script))
        for first in range(0, COUNT, 2):  # in Slurm's manner, two at once
            tasks = [subprocess.Popen(["sh", script], stdout=subprocess.DEVNULL, env={
                **os.environ, "SLURM_ARRAY_TASK_ID": str(task)}) for task in (first, first + 1)]  # fmt: skip
            self.assertEqual([task.wait() for task in tasks], [0, 0])
        self.same(path, text, lines, store)

    def test_tasks_are_a_partition(self):
        path, text, lines = self.reference()
        store = self.path("in-parts.jsonl")
        for part in ("0/3", "2/3", "1/3"):
            self.assertRegex(self.done(path, "--store", store, "--task", part), r"^[45] runs done, \d+ known from ")
        self.same(path, text, lines, store)

    @unittest.skipUnless(has("mpi4py") and shutil.which("mpiexec"), "mpi4py or mpiexec is not installed")
    def test_mpi(self):
        path, text, lines = self.reference()
        store = self.path("by-mpi.jsonl")
        variables = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                     "OMPI_MCA_rmaps_base_oversubscribe": "1"}  # fmt: skip
        done = subprocess.run(["mpiexec", "-n", "3", sys.executable, "-m", "gpucache", "sweep", path, "--store", store,
                               "--executor", "mpi", "--json", "-"], env=environment(**variables), capture_output=True,
                              text=True, timeout=300)  # fmt: skip
        self.assertEqual((done.returncode, done.stdout), (0, text), done.stderr)
        self.same(path, text, lines, store)

    @unittest.skipUnless(has("mpi4py"), "mpi4py is not installed")
    def test_mpi_alone(self):
        done = python("-m", "gpucache", "sweep", self.plan(), "--executor", "mpi")
        self.assertEqual(done.returncode, 1)
        self.assertIn("start it as mpiexec -n N", done.stderr)

    @contextlib.contextmanager
    def cluster(self):
        """The address of a scheduler with two workers, in separate processes."""
        file = self.path("scheduler.json")
        common = {"env": environment(), "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": self.folder}
        started = [subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1",
                                     "--port", "0", "--no-dashboard", "--scheduler-file", file], **common)]  # fmt: skip
        try:
            end = time.monotonic() + 60
            while not os.path.exists(file) or not text_of(file).endswith("}"):
                self.assertLess(time.monotonic(), end, "no scheduler")
                time.sleep(0.05)
            address = json.loads(text_of(file))["address"]
            started.append(subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_worker", address, "--nworkers", "2",
                                             "--nthreads", "1", "--no-dashboard"], **common))  # fmt: skip
            yield address
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait(timeout=60)

    @unittest.skipUnless(has("distributed"), "distributed is not installed")
    def test_dask(self):
        path, text, lines = self.reference()
        store = self.path("by-dask.jsonl")
        with self.cluster() as address:
            done = python("-m", "gpucache", "sweep", path, "--store", store, "--executor", f"dask={address}",
                          "--json", "-")  # fmt: skip
        self.assertEqual((done.returncode, done.stdout), (0, text), done.stderr)
        self.same(path, text, lines, store)

    def test_missing_modules(self):
        for name, module in (("mpi", "mpi4py"), ("dask=tcp://127.0.0.1:1", "distributed")):
            code = (f"import sys; sys.modules['{module}'] = None; from gpucache.cli import main; "
                    f"sys.exit(main(['sweep', {self.plan()!r}, '--executor', '{name}']))")  # fmt: skip
            done = python("-c", code)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"needs {module}", done.stderr)

    def test_another_library_in_a_worker(self):
        from concurrent.futures import ThreadPoolExecutor

        from gpucache import sweeping

        with ThreadPoolExecutor(1) as pool, mock.patch.object(sweeping, "_build", side_effect=["a", *"b" * 99]):
            found = sweep({**PLAN, "traces": [SMALL]}, self.path("store"), executor=pool)
        self.assertRegex(str(found.stopped), "another build of libgpucache")
        self.assertEqual(len(lines_of(self.path("store"))), 0)


if __name__ == "__main__":
    unittest.main()
