# SPDX-License-Identifier: BSD-2-Clause
"""Hosts built with the headers of an earlier minor version, run with the present library.

A folder MAJOR.MINOR has the headers of a version (freeze.py). While the major version is 0, the library has another
name for each minor version (README of include/gpucache), so the loader never puts a version in place of another.
Nearly all of the interface is unchanged, though. A host compiled with old headers therefore runs with the present
library, and prints the same lines as a host compiled with the present headers.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from support import INCLUDE, LIBRARY, declared_functions, run, without_comments

HERE = pathlib.Path(__file__).parent
EARLIER = sorted(path for path in HERE.iterdir() if re.fullmatch(r"\d+\.\d+", path.name))

# Missing in the present library for hosts of a version: removed functions, and changed structures. The functions took
# statistics with fixed places of fields, or the caller's layout (now inline, above gpc_..._as). The structures include
# the statistics, now read by name.
GONE = {
    "0.1": {
        "gpc_cache_counter_at", "gpc_cache_counter_count", "gpc_cache_get_stats", "gpc_cache_stats_init",
        "gpc_coherence_get_stats", "gpc_coherence_matrix_text", "gpc_coherence_stats_init", "gpc_coherence_stats_json",
        "gpc_context_register_scheduler", "gpc_context_register_throttle", "gpc_counter_at", "gpc_counter_count",
        "gpc_dram_get_stats", "gpc_hierarchy_get_stats", "gpc_profile_kernel", "gpc_replay_get_stats",
        "gpc_replay_kernel", "gpc_replay_on_sample", "gpc_scheduler_sample", "gpc_stats_add", "gpc_stats_csv",
        "gpc_stats_init", "gpc_stats_json", "gpc_stats_subtract",
    },
}  # fmt: skip
CHANGED = {"0.1": {"gpc_counter_info"}}
TOLD = {"gpc_completion"}  # made by the library alone, for a callback: the structure may have grown


def structures(include):
    """{structure: fields}, of plain declarations."""
    found = {}
    for header in (include / "gpucache").glob("*.h"):
        text = without_comments(header.read_text())
        for name, body in re.findall(r"typedef struct (gpc_\w+) \{(.*?)\n\} \1;", text, re.DOTALL):
            body = re.sub(r"\(\*(\w+)\)\([^;]*\)", r"\1", body)
            parts = [part for line in body.split(";") for part in line.split(",")]
            fields = [re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", part) for part in parts if part.strip()]
            found[name] = [] if "X" in body else [each[1] for each in fields if each]
    return found


class Hosts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, source, include, *libraries):
        out = self.folder / f"program-{len(list(self.folder.iterdir()))}"
        run(os.environ.get("CC", "cc"), "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", include, source, *libraries,
            "-o", out)  # fmt: skip
        return out

    def outcome(self, include):
        program = self.program(HERE / "host.c", include, LIBRARY)
        return run(program, env={**os.environ, "LD_LIBRARY_PATH": str(LIBRARY.parent)})

    def places(self, include, names):
        """{structure or field: (offset, size)}."""
        lines = []
        for name, fields in sorted(names.items()):
            lines.append(f'printf("{name} 0 %zu\\n", sizeof({name}));')
            lines += [f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));'
                      for field in fields]  # fmt: skip
        source = self.folder / "places.c"
        source.write_text("#include <gpucache/gpucache.h>\n#include <stddef.h>\n#include <stdio.h>\n"
                          "int main(void) {\n" + "\n".join(lines) + "\nreturn 0;\n}\n")  # fmt: skip
        rows = (line.split() for line in run(self.program(source, include)).splitlines())
        return {what: (int(offset), int(size)) for what, offset, size in rows}

    def test_there_is_one_for_each_version(self):
        minor = int(re.search(r"#define GPC_VERSION_MINOR (\d+)", (INCLUDE / "gpucache/version.h").read_text())[1])
        self.assertEqual([path.name for path in EARLIER], [f"0.{n}" for n in range(1, minor)])

    def test_they_do_the_same(self):
        expected = self.outcome(INCLUDE)
        self.assertEqual(len(expected.splitlines()), 12)
        for version in EARLIER:
            with self.subTest(version.name):
                self.assertEqual(self.outcome(version), expected)

    def test_functions_are_there(self):
        exported = set(re.findall(r" T (gpc_\w+)", run("nm", "-D", "--defined-only", LIBRARY)))
        self.assertEqual(exported & declared_functions(), declared_functions())
        for version in EARLIER:
            text = (version / "gpucache/gpucache.h").read_text()
            theirs = set(re.findall(r"\bGPC_API\b[^;(]*?\b(gpc_\w+)\s*\(", text))
            self.assertGreater(len(theirs), 100)
            self.assertEqual(theirs - exported, GONE[version.name], version.name)

    def test_fields_have_their_places(self):
        ours = structures(INCLUDE)
        for version in EARLIER:
            theirs = structures(version)
            self.assertGreater(sum(map(len, theirs.values())), 300)
            self.assertEqual({name for name in theirs if name not in ours} - CHANGED[version.name], set())
            both = {name: [field for field in fields if field in ours[name]] for name, fields in theirs.items()
                    if name in ours and name not in CHANGED[version.name]}  # fmt: skip
            before, now = self.places(version, both), self.places(INCLUDE, both)
            fields = [what for what in before if "." in what and ".reserved" not in what]  # reserved bytes may become fields
            self.assertEqual([(what, before[what], now[what]) for what in fields if before[what] != now[what]], [])
            gone = {f"{name}.{field}" for name, fields in theirs.items() if name in both for field in fields
                    if field not in ours[name] and field != "reserved"}  # fmt: skip
            self.assertEqual(gone, set(), "fields are kept by their names")
            plain = {name for name in both if both[name] and both[name][0] != "struct_size"} - TOLD
            self.assertEqual({name: (before[name], now[name]) for name in plain if before[name] != now[name]}, {},
                             "records without struct_size are of one size")  # fmt: skip

    def test_the_loader_keeps_versions_apart(self):
        """While the major version is 0: a program of another minor version does not start."""
        told = run("readelf", "-d", LIBRARY)
        self.assertIn("[libgpucache.so.0.2]", told)
        stub = self.folder / "stub.c"
        stub.write_text("const char *gpc_version_string(void);\nconst char *gpc_version_string(void) { return 0; }\n")
        old = self.folder / "libgpucache.so.0.1"
        run(os.environ.get("CC", "cc"), "-shared", "-fPIC", "-Wl,-soname,libgpucache.so.0.1", stub, "-o", old)
        source = self.folder / "main.c"
        source.write_text("char *gpc_version_string(void);\nint main(void) { return gpc_version_string() != 0; }\n")
        program = self.program(source, EARLIER[0], old)
        old.unlink()
        done = subprocess.run([program], env={**os.environ, "LD_LIBRARY_PATH": str(LIBRARY.parent)},
                              capture_output=True, text=True, check=False)  # fmt: skip
        self.assertEqual(done.returncode, 127)
        self.assertIn("libgpucache.so.0.1", done.stderr)


if __name__ == "__main__":
    unittest.main()
