# SPDX-License-Identifier: BSD-2-Clause
"""examples/hosts/upgrade_0_3.py rewrites hosts of 0.2, and CHANGES.md has a row for each call that changed."""

import os
import pathlib
import re
import sys
import tempfile
import unittest

from support import INCLUDE, LIBRARY, ROOT, run

HERE = pathlib.Path(__file__).parent
SCRIPT = ROOT / "examples/hosts/upgrade_0_3.py"
REPRODUCERS = ROOT.parent / "shared/repro"  # programs for 0.2, where they are present
CC = os.environ.get("CC", "cc")

sys.path.insert(0, str(SCRIPT.parent))
import upgrade_0_3  # noqa: E402

# A host of 0.2 with calls that no script can rewrite.
BY_HAND = """
#include <gpucache/cache.h>
#include <gpucache/stats.h>

int main(void) {
    gpc_stats stats; /* gpc_stats_init in a comment */
    gpc_cache *cache = 0;
    gpc_cache_stats_init(0);
    return gpc_cache_get_stats(cache, 0) + gpc_cache_access(cache, 0, 0);
}
"""

# Fields that moved to gpc_request.policy, beside fields of the same names that did not.
FIELDS = """
#include <gpucache/cache.h>

static uint64_t sum(const gpc_request *request, const gpc_access_result *result) {
    return request->next_use + request->token + result->policy_word; /* request->token in a comment */
}

int main(void) {
    gpc_request requests[2] = {{.address = 128, .next_use = 1}};
    gpc_request one = {.token = 2, .size = 4, .admitted = 1};
    gpc_access_result result = {.policy_word = 3};
    requests[1].token_l2 = 1;
    one.next_use = sum(&(gpc_request){.next_use = 5}, &result);
    return one.next_use != 8;
}
"""


class Upgrade(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compiled(self, path):
        out = path.with_suffix("")
        run(CC, "-std=c11", "-D_GNU_SOURCE", "-w", "-I", INCLUDE, path, LIBRARY, "-lm", "-lpthread", "-o", out)
        return out

    def test_a_host_is_rewritten_and_runs(self):
        path = self.folder / "host.c"
        path.write_text((HERE / "host.c").read_text())
        self.assertEqual(run(sys.executable, SCRIPT, "--write", path), "")
        self.assertNotIn("&error, &cache", path.read_text())
        out = self.folder / "host"
        run(CC, "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", INCLUDE, path, LIBRARY, "-o", out)
        printed = run(out, env={**os.environ, "LD_LIBRARY_PATH": str(LIBRARY.parent)})
        self.assertEqual(len(printed.splitlines()), 12)
        self.assertRegex(printed, r"lru: \d+ hits, \d+ sector misses, \d+ misses, evictions [0-9a-f]{16}\n")

    def test_what_is_left_is_listed(self):
        path = self.folder / "by_hand.c"
        path.write_text(BY_HAND)
        told = run(sys.executable, SCRIPT, path, status=1)
        self.assertIn("+    return gpc_cache_get_stats(cache, 0) + gpc_cache_access(cache, 0, 0, NULL);", told)
        self.assertIn("+#include <gpucache/gpucache.h>", told)
        listed = re.findall(rf"^{path}:(\d+): (\w+): (.+)$", told, re.MULTILINE)
        self.assertIn(("8", "gpc_cache_stats_init"), [row[:2] for row in listed])
        self.assertIn(("9", "gpc_cache_get_stats"), [row[:2] for row in listed])
        self.assertEqual([row for row in listed if row[2] == "see CHANGES.md"], [])

    def test_fields_of_requests(self):
        path = self.folder / "fields.c"
        path.write_text(FIELDS)
        self.assertEqual(run(sys.executable, SCRIPT, "--write", path), "")
        self.assertEqual(path.read_text().count("policy."), 9)
        out = self.compiled(path)
        run(out, env={**os.environ, "LD_LIBRARY_PATH": str(LIBRARY.parent)})

    def test_reproducers(self):
        """Programs of 0.2 from elsewhere: those with nothing left to do compile."""
        paths = sorted(REPRODUCERS.glob("*.c"))
        if not paths:
            self.skipTest("no programs for 0.2 beside the repository")
        for path in paths:
            source = upgrade_0_3.Source(upgrade_0_3.Upgrade(), path, None)
            copy = self.folder / path.name
            copy.write_text(source.upgraded())
            with self.subTest(path.name, left=source.left):
                if not source.left:
                    self.compiled(copy)

    def test_the_table_is_complete(self):
        upgrade = upgrade_0_3.Upgrade()
        changed = {name for name in upgrade.before if upgrade.changed(name)}
        self.assertGreater(len(changed), 50)
        self.assertEqual(sorted(changed - set(upgrade.rows)), [], "CHANGES.md: 0.2, 0.3, call by call")


if __name__ == "__main__":
    unittest.main()
