# SPDX-License-Identifier: BSD-2-Clause
"""The tiers of the public headers: core, extensions, experimental.

    python3 tests/api/test_tiers.py --count     the number of exported functions by tier and header
"""

import collections
import re
import subprocess
import sys
import unittest

from support import HEADERS, INCLUDE, LIBRARY, run, symbols, without_comments

MOST_HEADERS = 16
MOST_LINES = 600
MOST_CORE = 65  # functions
TIERS = {".": "core", "ext": "extension", "experimental": "experimental"}


def tier(header):
    return TIERS[str(header.relative_to(INCLUDE / "gpucache").parent)]


def declared():
    """{header: symbols of its functions}."""
    named = symbols()
    found = {}
    for header in HEADERS:
        names = re.findall(r"\bGPC_API\b[^;(]*?\b(gpc_\w+)\s*\(", without_comments(header.read_text()))
        found[header] = [named.get(name, name) for name in names]
    return found


def exported():
    return set(re.findall(r" T (gpc_\w+)", run("nm", "--dynamic", "--defined-only", LIBRARY)))


def counts():
    """Lines: a tier or a header, and its exported functions."""
    lines, sums, there = [], collections.Counter(), exported()
    for header, names in declared().items():
        sums[tier(header)] += len(there.intersection(names))
        lines.append(f"{header.relative_to(INCLUDE / 'gpucache')} {len(names)}")
    return [f"{name} {sums[name]}" for name in TIERS.values()] + [f"all {len(there)}", *lines]


class Tiers(unittest.TestCase):
    def test_every_function_is_in_one_tier(self):
        times = collections.Counter(name for names in declared().values() for name in names)
        self.assertEqual({name for name, count in times.items() if count > 1}, set(), "declared twice")
        self.assertEqual(set(times), exported())

    def test_the_core_is_small(self):
        core = [name for header, names in declared().items() if tier(header) == "core" for name in names]
        print(*counts()[:4], sep=", ")
        self.assertGreater(len(core), 50)
        self.assertLessEqual(len(core), MOST_CORE)

    def test_headers_are_few_and_short(self):
        self.assertLessEqual(len(HEADERS), MOST_HEADERS)
        lengths = {header.name: header.read_text().count("\n") for header in HEADERS}
        self.assertEqual({name: length for name, length in lengths.items() if length >= MOST_LINES}, {})

    def test_the_core_includes_the_core_alone(self):
        for header in HEADERS:
            included = re.findall(r"#include <gpucache/(.*)>", header.read_text())
            lower = {"core": ("core",), "extension": ("core", "extension"), "experimental": tuple(TIERS.values())}
            for name in included:
                self.assertIn(tier(INCLUDE / "gpucache" / name), lower[tier(header)], f"{header.name}: {name}")

    def test_experimental_needs_its_macro(self):
        headers = [header for header in HEADERS if tier(header) == "experimental"]
        self.assertTrue(headers)
        for header in headers:
            program = f"#include <{header.relative_to(INCLUDE)}>\nint main(void) {{ return 0; }}\n"
            command = ["cc", "-std=c11", "-fsyntax-only", "-I", INCLUDE, "-x", "c", "-"]
            run(*command, "-DGPC_EXPERIMENTAL", input=program)
            done = subprocess.run([str(word) for word in command], input=program, capture_output=True, text=True,
                                  check=False)  # fmt: skip
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("define GPC_EXPERIMENTAL to use", done.stderr)


if __name__ == "__main__":
    if "--count" in sys.argv:
        print("\n".join(counts()))
    else:
        unittest.main()
