# SPDX-License-Identifier: BSD-2-Clause
"""Hosts of an earlier minor version fail with the present library before they compute a number.

A folder MAJOR.MINOR has the headers of a version (freeze.py). While the major version is 0, each minor version has its
own shared library, symbol version, and symbol of gpc_context_create. Every host calls that function first.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from support import INCLUDE, LIBRARY, declared_functions, run, symbols

HERE = pathlib.Path(__file__).parent
EARLIER = sorted(path for path in HERE.iterdir() if re.fullmatch(r"\d+\.\d+", path.name))
CC = os.environ.get("CC", "cc")
MINOR = int(re.search(r"#define GPC_VERSION_MINOR (\d+)", (INCLUDE / "gpucache/types.h").read_text())[1])


def functions(include):
    """Names of the functions that the headers in `include` declare."""
    text = "".join(path.read_text() for path in (include / "gpucache").glob("*.h"))
    return set(re.findall(r"\bGPC_API\b[^;(]*?\b(gpc_\w+)\s*\(", text))


class Hosts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compiled(self, include):
        """The host's object file, made with the headers in `include`."""
        out = self.folder / f"host-{include.name}.o"
        run(CC, "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", include, "-c", HERE / "host.c", "-o", out)
        return out

    def linked(self, include):
        """The host linked with a library of the name, the symbols and the symbol version of the earlier version."""
        source, script = self.folder / "stub.c", self.folder / "stub.map"
        names = sorted(functions(include))
        self.assertGreater(len(names), 100)
        source.write_text("".join(f"void {name}(void);\nvoid {name}(void) {{}}\n" for name in names))
        script.write_text(f"GPUCACHE_{include.name} {{ global: gpc_*; local: *; }};\n")
        soname = f"libgpucache.so.{include.name}"
        library, out = self.folder / "build" / soname, self.folder / f"host-{include.name}"
        library.parent.mkdir(exist_ok=True)
        run(CC, "-shared", "-fPIC", f"-Wl,-soname,{soname},--version-script,{script}", source, "-o", library)
        run(CC, self.compiled(include), library, "-o", out)
        return out

    def started(self, program, folder):
        """Messages of the loader; fails if the program prints or ends well."""
        done = subprocess.run([program], env={**os.environ, "LD_LIBRARY_PATH": str(folder)}, capture_output=True,
                              text=True, check=False)  # fmt: skip
        self.assertEqual((done.returncode, done.stdout), (127 if "cannot open" in done.stderr else 1, ""), done.stderr)
        return done.stderr

    def test_headers_of_each_version_are_kept(self):
        self.assertEqual([path.name for path in EARLIER], [f"0.{n}" for n in range(1, MINOR)])

    def test_sources_do_not_compile(self):
        """Errors, not only warnings: a compiler that accepts other pointers would build a host with wrong numbers."""
        for standard in ("c11", "gnu17"):
            with self.subTest(standard), self.assertRaises(AssertionError) as failed:
                run(CC, f"-std={standard}", "-w", "-I", INCLUDE, "-c", HERE / "host.c", "-o", self.folder / "host.o")
            self.assertRegex(str(failed.exception), "error: too few arguments to function [`'‘]gpc_cache_access")

    def test_object_files_do_not_link(self):
        for include in EARLIER:
            for library in (LIBRARY, LIBRARY.with_name("libgpucache-objects.a")):
                with self.subTest(include.name, library=library.name), self.assertRaises(AssertionError) as failed:
                    run(CC, self.compiled(include), library, "-lm", "-o", self.folder / "host")
                self.assertRegex(str(failed.exception), r"undefined reference to [`']gpc_context_create'")

    def test_programs_do_not_start(self):
        for include in EARLIER:
            soname = f"libgpucache.so.{include.name}"
            with self.subTest(include.name):
                told = self.started(self.linked(include), LIBRARY.parent)
                self.assertIn(f"{soname}: cannot open shared object file", told)

    def test_programs_do_not_start_with_the_library_under_the_earlier_name(self):
        for include in EARLIER:
            renamed = self.folder / f"renamed-{include.name}"
            renamed.mkdir()
            (renamed / f"libgpucache.so.{include.name}").symlink_to(LIBRARY.resolve())
            with self.subTest(include.name):
                told = self.started(self.linked(include), renamed)
                self.assertIn(f"version `GPUCACHE_{include.name}' not found", told)

    def test_symbol_of_the_first_call_names_the_version(self):
        """Every object is made from a context, so a host that loads symbols by name fails at the first."""
        self.assertEqual(symbols(), {"gpc_context_create": f"gpc_context_create_0_{MINOR}"})
        exported = set(re.findall(r" T (gpc_\w+)", run("nm", "-D", "--defined-only", LIBRARY)))
        self.assertEqual(exported, declared_functions())
        self.assertNotIn("gpc_context_create", exported)


if __name__ == "__main__":
    unittest.main()
