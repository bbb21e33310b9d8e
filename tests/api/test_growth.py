# SPDX-License-Identifier: BSD-2-Clause
"""Programs that were compiled with other counters than the library's read right numbers by id, or none.

The host's header and the library's differ in a row in the middle of the table, and in a histogram. Ids connect the two,
so either may have the row: the host gets the other header, which takes one small compilation. In thorough runs the library does: a copy of the tree gets a row and a histogram.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import EFFORT, INCLUDE, LIBRARY, ROOT, run

HOST = r"""
#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/replay.h>
#include <gpucache/ext/scheduler.h>
#include <gpucache/gpucache.h>
#include <stdio.h>
#include <stdlib.h>

#define ID(id, ...) id,
#define NAME(id, field, name, ...) name,
static const uint32_t ids[] = {GPC_COUNTERS(ID) GPC_HISTOGRAMS(ID)};
static const char *const names[] = {GPC_COUNTERS(NAME) GPC_HISTOGRAMS(NAME)};
static const uint32_t cache_ids[] = {GPC_CACHE_COUNTERS(ID)};
static const char *const cache_names[] = {GPC_CACHE_COUNTERS(NAME)};
static const uint32_t text_ids[] = {GPC_COUNTERS(ID) GPC_HISTOGRAMS(ID) GPC_RATIOS(ID)};
enum { COUNT = sizeof ids / sizeof *ids, CACHE = sizeof cache_ids / sizeof *cache_ids };
enum { VALUES = 4096 };
static uint64_t values[VALUES];

static void show(const char *what) {
    const uint64_t *at = values;
    for (size_t i = 0; i < COUNT; i++) {
        const size_t length = gpc_counter_values(&ids[i], 1);
        for (size_t k = 0; k < length; k++, at++)
            if (length == 1)
                printf("%s %s %llu\n", what, names[i], (unsigned long long)*at);
            else
                printf("%s %s.%zu %llu\n", what, names[i], k, (unsigned long long)*at);
    }
}

static void on_sample(void *data, uint64_t cycle, const gpc_stats *stats) {
    (void)data, (void)cycle;
    gpc_stats_read(stats, ids, COUNT, values, VALUES, NULL);
    show("sample");
}

static void on_period(void *self, const gpc_stats *stats, uint64_t cycle) {
    (void)self, (void)cycle;
    gpc_stats_read(stats, ids, COUNT, values, VALUES, NULL);
    show("period");
}

static uint32_t pick(void *self, const uint64_t *ready, uint64_t cycle) {
    uint32_t slot = 0;
    (void)self, (void)cycle;
    while (!(ready[slot / 64] >> slot % 64 & 1))
        slot++;
    return slot;
}

static void check(gpc_status status) {
    if (status < 0) {
        printf("status %d\n", status);
        exit(1);
    }
}

int main(void) {
    gpc_context *context;
    gpc_config *config;
    gpc_replay *replay;
    gpc_trace *trace;
    static char text[1 << 16];
    gpc_scheduler_ops ops = {sizeof ops};
    ops.name = "own";
    ops.summary = ops.source = "test";
    ops.pick = pick;
    ops.sample = on_period;
    check(gpc_context_create(NULL, &context, NULL));
    check(gpc_context_register_scheduler(context, &ops, NULL, NULL, NULL));
    check(gpc_config_create(context, &config, NULL));
    check(gpc_config_load_preset(config, "kepler", NULL));
    check(gpc_config_load_text(config, "mode = timed\nscheduler = own\nsample.period = 3000\n", "host", NULL));
    check(gpc_replay_create(context, config, &replay, NULL));
    check(gpc_replay_on_sample(replay, 2000, on_sample, NULL, NULL));
    check(gpc_trace_open(context, "synthetic:bicg:32KiB", &trace, NULL));
    while (gpc_replay_kernel(replay, trace, NULL, NULL) == GPC_OK) {
        check(gpc_replay_read(replay, GPC_OBJECT_WHOLE, 0, ids, COUNT, values, VALUES, NULL));
        show("kernel");
    }
    check(gpc_replay_read_total(replay, ids, COUNT, values, VALUES, NULL));
    show("total");
    check(gpc_hierarchy_read(gpc_replay_hierarchy(replay), GPC_OBJECT_WHOLE, 0, ids, COUNT, values, VALUES, NULL));
    show("hierarchy");
    check(gpc_cache_read(gpc_hierarchy_cache(gpc_replay_hierarchy(replay), 1, 0), cache_ids, CACHE, values, VALUES, NULL));
    for (size_t i = 0; i < CACHE; i++)
        printf("cache %s %llu\n", cache_names[i], (unsigned long long)values[i]);
    check(gpc_replay_read_total(replay, text_ids, sizeof text_ids / sizeof *text_ids, values, VALUES, NULL));
    if (gpc_counters_json(text_ids, sizeof text_ids / sizeof *text_ids, values, VALUES, text, sizeof text, NULL, NULL) < 0)
        return 3;
    printf("json %s\n", text);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return 0;
}
"""


def without_row(text, field):
    """The header's text without a row."""
    row = re.compile(rf"    X\(\d+, {field},.*?\"\)\s*\\\n", re.DOTALL)
    text, count = row.subn("", text)
    assert count == 1, field
    return text


def with_row(text, before, row):
    """The header with one more row, in the line before another row."""
    place = re.search(rf"    X\(\d+, {before},", text).start()
    return f"{text[:place]}    {row} \\\n{text[place:]}"


class Growth(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "host.c").write_text(HOST)

    def header(self, change, name="counters.h", include=INCLUDE):
        """A folder of headers, one changed."""
        copy = self.folder / f"include{len(list(self.folder.iterdir()))}"
        shutil.copytree(include, copy)
        path = copy / "gpucache" / name
        path.write_text(change(path.read_text()))
        return copy

    def host(self, include, name):
        """The program, compiled with these headers."""
        program = self.folder / name
        run(os.environ.get("CC", "cc"), "-std=c11", "-w", "-I", include, self.folder / "host.c", LIBRARY, "-o", program)
        return program

    def outcome(self, program, library=LIBRARY):
        """The output as {line's beginning: value}, in order; lines with equal beginnings are numbered."""
        printed = run(program, env=dict(os.environ, LD_LIBRARY_PATH=str(pathlib.Path(library).parent)))
        found, seen = {}, {}
        for line in printed.splitlines():
            what, _, value = line.rpartition(" ") if not line.startswith("json ") else ("json", "", line[5:])
            seen[what] = seen.get(what, 0) + 1
            found[what, seen[what]] = value
        return found

    def same(self, other, present, gone):
        """Common values are equal, and all others have a name in `gone`."""
        common = {key for key in present if key in other and key[0] != "json"}
        self.assertGreater(len(common), 1000)
        self.assertEqual({key: other[key] for key in common}, {key: present[key] for key in common})
        names = {key[0].split()[1] for key in set(present) ^ set(other)}
        self.assertEqual({re.sub(r"(\.\d+)$", "", name) if name not in gone else name for name in names}, gone)

    def test_older_host_reads_right_numbers(self):
        present = self.outcome(self.host(INCLUDE, "present"))
        self.assertGreater(sum(int(value) > 0 for key, value in present.items() if key[0] != "json"), 300)

        def older(text):
            text = without_row(text, "l1_store_requests")
            # fields in another order, too
            line = re.search(r"    X\(\d+, kernels,(.*\\\n)+?(?=    X\()", text)[0]
            text = text.replace(line, "")
            return text.replace("    GPC_CLOCK_COUNTERS", line + "    GPC_CLOCK_COUNTERS", 1)

        of_cache = self.header(lambda text: without_row(text, "fills"), "cache.h")
        clock = lambda text: without_row(without_row(text, "scheduler_issued"), "l1_fetches")
        of_clock = self.header(clock, "counters_clock.h", of_cache)
        other = self.outcome(self.host(self.header(older, include=of_clock), "older"))
        gone = {"l1.store_requests", "scheduler.issued", "l1.fetches", "fills"}
        self.same(other, present, gone)
        names = set(json.loads(present["json", 1])) - set(json.loads(other["json", 1]))
        self.assertEqual(names, gone - {"fills"}, "JSON has what the host knows")
        self.assertGreater(int(present["total scheduler.issued", 1]), 0)

    def test_newer_host_reads_no_value(self):
        newer = lambda text: with_row(text, "l1_load_lines", 'X(9999, news, "news", "", SUM, WHOLE, NOTHING, "9", "", "")')
        done = subprocess.run(
            [self.host(self.header(newer), "newer")], env=dict(os.environ, LD_LIBRARY_PATH=str(LIBRARY.parent)),
            stdout=subprocess.PIPE, check=False, universal_newlines=True,
        )
        self.assertEqual(done.returncode, 3, "no text of an unknown id")
        printed, present = done.stdout.splitlines(), self.outcome(self.host(INCLUDE, "present"))
        news = [line for line in printed if " news " in line]
        self.assertEqual(set(news), {f"{what} news {2**64 - 1}" for what in ("sample", "period", "kernel", "total", "hierarchy")})
        self.assertIn(f"total l1.load_lines {present['total l1.load_lines', 1]}", printed)

    @unittest.skipUnless(EFFORT == "thorough", "builds the library: left to thorough runs")
    def test_library_with_rows_added(self):
        tree = self.folder / "tree"
        left = lambda folder, names: {n for n in names if folder == str(ROOT) and n.startswith((".git", "build"))}
        shutil.copytree(ROOT, tree, ignore=left)
        path = tree / "include/gpucache/counters.h"
        text = with_row(path.read_text(), "l1_load_lines", 'X(9998, news, "news", "", SUM, L1, NOTHING, "9", "more", ">= 0")')
        path.write_text(text)
        path = tree / "include/gpucache/counters_clock.h"
        text = with_row(path.read_text(), "l1_hits_by_age", 'X(9999, bars, "bars", 7, "", WHOLE, NOTHING, "9", "more", ">= 0")')
        path.write_text(text)
        build = self.folder / "build"
        run("meson", "setup", build, tree, "-Doptimization=0", "-Ddebug=false")
        run("meson", "compile", "-C", build, "gpucache")
        program = self.host(INCLUDE, "present")
        present, other = self.outcome(program), self.outcome(program, build / "lib/libgpucache.so")
        self.same(other, present, set())
        self.assertEqual(json.loads(other["json", 1]), json.loads(present["json", 1]))


if __name__ == "__main__":
    unittest.main()
