# SPDX-License-Identifier: BSD-2-Clause
"""The C++20 header: it has every object of the C API, stays small, and works with each compiler."""

import os
import pathlib
import re
import shutil
import tempfile
import unittest

from support import HEADERS, INCLUDE, LIBRARY, STRICT, run, without_comments

HEADER = INCLUDE / "gpucache" / "gpucache.hpp"
HOST = pathlib.Path(__file__).parent / "cpp" / "host.cpp"


def declarations():
    """Names and parameters of the functions of the C headers."""
    text = "\n".join(without_comments(header.read_text()) for header in HEADERS)
    return re.findall(r"\bGPC_API\b[^;(]*?\b(gpc_\w+)\s*\(([^;]*)\);", text)


def handles():
    """{object: (function that makes it, function that destroys it)} of the C++ header."""
    found = re.findall(r"using \w+ = Handle<(gpc_\w+), (gpc_\w+), (gpc_\w+)>;", HEADER.read_text())
    return {each: (create, destroy) for each, create, destroy in found}


class Cpp(unittest.TestCase):
    def test_every_object_has_a_handle(self):
        destroyed, made = {}, {}
        for name, parameters in declarations():
            words = " ".join(parameters.split())
            only = re.fullmatch(r"(gpc_\w+) \*\w+", words)
            if only and name in (f"{only[1]}_destroy", f"{only[1]}_close"):
                destroyed[only[1]] = name
            last = re.search(r"(?<!const )\b(gpc_\w+) \*\*out, gpc_error \*error$", words)
            if last:
                made.setdefault(last[1], []).append(name)
        self.assertGreater(len(destroyed), 10)
        self.assertEqual({each: pair[1] for each, pair in handles().items()}, destroyed)
        self.assertLessEqual(set(made), set(destroyed), "what is handed out is destroyed by somebody")
        for each, (create, _) in handles().items():
            self.assertIn(create, made[each])

    def test_it_stays_small(self):
        self.assertLess(len(HEADER.read_text().splitlines()), 300)

    def test_a_host(self):
        compilers = {os.path.realpath(shutil.which(name)): name
                     for name in (os.environ.get("CXX", "c++"), "g++", "clang++") if shutil.which(name)}  # fmt: skip
        if not compilers:
            self.skipTest("no C++ compiler")
        for name in compilers.values():
            with self.subTest(compiler=name), tempfile.TemporaryDirectory() as folder:
                program = os.path.join(folder, "host")
                run(name, "-std=c++20", *STRICT, "-Wshadow", "-I", INCLUDE, HOST, "-o", program, LIBRARY,
                    f"-Wl,-rpath,{LIBRARY.resolve().parent}")  # fmt: skip
                self.assertEqual(run(program, os.path.join(folder, "run.gct")), "good\n")


if __name__ == "__main__":
    unittest.main()
