# SPDX-License-Identifier: BSD-2-Clause
"""Reports of tools on the sources: format, C, Python, shell. Without the tool a test is skipped."""

import ast
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor

from support import BUILD, EFFORT, ROOT, run

FOLDERS = ("include", "lib", "examples", "bindings", "tests", "bench")
COMMENT = re.compile(r"/\*[\s\S]*?\*/")
SPDX = "SPDX-License-Identifier: BSD-2-Clause"


def sources(*endings):
    return sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in endings)


def scripts():
    return [*sources(".sh"), ROOT / ".ci" / "run"]


def of_the_library(case, whole):
    """C files of lib/: the whole or, for slow tools, the files of the last change."""
    if whole:
        return [path for path in sources(".c") if ROOT / "lib" in path.parents]
    changed = subprocess.run(
        ["git", "diff", "--name-only", "--diff-filter=d", "HEAD~1", "--", "lib"],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False,
    ).stdout.split()  # fmt: skip
    files = [ROOT / name for name in changed if name.endswith(".c")]
    if not 0 < len(files) <= 20:
        case.skipTest(f"{len(files)} files of lib/ have changed")
    return files


def need(case, *names):
    """The first of these commands that is installed."""
    for name in names:
        if shutil.which(name):
            return name
    return case.skipTest(f"{names[0]} is not installed")


def excused(told):
    """Lines that ruff overlooks too: a line's noqa, and names offered by a package."""
    path, line = re.match(r"([^:]+):(\d+):", told).groups()
    text = pathlib.Path(path).read_text(encoding="utf-8").splitlines()[int(line) - 1]
    return "# noqa" in text or (path.endswith("__init__.py") and "imported but unused" in told)


class Text(unittest.TestCase):
    def test_editorconfig(self):
        """The sources follow .editorconfig: spaces, and ends of lines."""
        for path in [*sources(".c", ".h", ".py", ".build", ".sh"), ROOT / "meson.build"]:
            text = path.read_text(encoding="utf-8")
            with self.subTest(path=str(path.relative_to(ROOT))):
                self.assertTrue(text.endswith("\n") and not text.endswith("\n\n"), "ends in one end of line")
                self.assertNotIn("\r", text)
                self.assertNotIn("\t", text)
                lines = enumerate(text.splitlines(), 1)
                self.assertEqual([n for n, line in lines if line != line.rstrip()], [], "space at the end")

    def test_width(self):
        """No line of the library is wider than 120 columns: clang-format leaves comments unchanged."""
        for path in [path for folder in ("include", "lib") for path in (ROOT / folder).rglob("*.[ch]")]:
            lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            wide = [number for number, line in lines if len(line) > 120]
            self.assertEqual(wide, [], path.relative_to(ROOT))

    def test_licence_comes_first(self):
        for path in sources(".c", ".h"):
            self.assertTrue(path.read_text(encoding="utf-8").startswith(f"/* {SPDX} */\n"), path)

    def test_top_level(self):
        """Except hidden files and files from builds."""
        known = {"meson.build", "README.md", "LICENSE", "include", "lib", "examples", "bindings", "tests", "bench"}
        found = {path.name for path in ROOT.iterdir() if not path.name.startswith((".", "build"))}
        self.assertEqual(found - {"__pycache__"}, known)


class C(unittest.TestCase):
    def test_comments_name_what_exists(self):
        """A gpc_ name in a comment is in the code, and a named file is in the tree or another program's."""
        of_others = {"abstract_hardware_model.h", "addrdec.h", "bfs_ls.h", "common.h", "graph.h", "hopper_opcode.h",
                     "kernelconfig.h", "mem_fetch.h", "sssp_ls.h", "uvm_hopper_mmu.c", "volta_opcode.h"}
        texts = {path: path.read_text(encoding="utf-8") for path in sources(".c", ".h")}
        names = set(re.findall(r"\w+", " ".join(COMMENT.sub(" ", text) for text in texts.values())))
        files = {path.name for path in texts} | of_others
        for path, text in texts.items():
            with self.subTest(path=str(path.relative_to(ROOT))):
                comments = " ".join(COMMENT.findall(text))
                named = re.findall(r"\b(?:gpci?|GPCI?)_\w*[^\W_]\b(?![*_])", comments)
                self.assertEqual([name for name in named if name not in names], [])
                named = re.findall(r"\b[a-z]\w*\.[ch]\b", comments)
                self.assertEqual([name for name in named if name not in files], [])

    def test_format(self):
        tool = need(self, "clang-format-14", "clang-format")
        version = re.search(r"version (\d+)", run(tool, "--version")).group(1)
        if version != "14":
            self.skipTest(f"clang-format is version {version}, which formats otherwise than 14")
        run(tool, "--dry-run", "-Werror", *sources(".c", ".h"), cwd=ROOT)

    def test_cppcheck(self):
        """In thorough runs: single files of inlined functions take cppcheck minutes."""
        if EFFORT != "thorough":
            self.skipTest("thorough runs only")
        tool = need(self, "cppcheck")
        told = run(
            tool, "--quiet", "--std=c11", "--enable=warning,performance,portability", "--inline-suppr",
            "--template=gcc", f"-j{os.cpu_count()}", "-Iinclude", "-Ilib", "-DGPC_EXPERIMENTAL",
            *of_the_library(self, True), cwd=ROOT,
        )  # fmt: skip
        self.assertEqual(told, "")

    def test_clang_tidy(self):
        """The checks of .clang-tidy."""
        tool = need(self, "clang-tidy-14", "clang-tidy")
        commands = json.loads((BUILD / "compile_commands.json").read_text())
        known = {(pathlib.Path(entry["directory"]) / entry["file"]).resolve() for entry in commands}
        files = [path for path in of_the_library(self, EFFORT == "thorough") if path.resolve() in known]

        def tidy(path):
            command = [tool, "-p", str(BUILD), "--quiet", "--warnings-as-errors=*", str(path)]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
            return done.stdout if done.returncode else ""

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            self.assertEqual("".join(pool.map(tidy, files)), "")


class Python(unittest.TestCase):
    def test_compiles(self):
        for path in sources(".py"):
            ast.parse(path.read_bytes(), path)

    def test_ruff(self):
        run(need(self, "ruff"), "check", "--no-cache", ROOT)

    def test_pyflakes(self):
        """Without an installed ruff, whose rules F are the same."""
        if shutil.which("ruff"):
            self.skipTest("ruff has its rules")
        tool = need(self, "pyflakes3", "pyflakes")
        told = subprocess.run([tool, *sources(".py")], stdout=subprocess.PIPE, text=True, check=False).stdout
        self.assertEqual([line for line in told.splitlines() if not excused(line)], [])


class Shell(unittest.TestCase):
    def test_shellcheck(self):
        run(need(self, "shellcheck"), "-x", *scripts(), cwd=ROOT)

    def test_syntax(self):
        for path in scripts():
            run("sh", "-n", path)


if __name__ == "__main__":
    unittest.main()
