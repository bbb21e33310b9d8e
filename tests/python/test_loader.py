# SPDX-License-Identifier: BSD-2-Clause
"""The choice of the loaded library, and the message without one."""

import os
import shutil
import tempfile
import unittest

from harness import PACKAGE, needs_compiler, python, shared_library

from gpucache import GpucacheError, LibraryError, _constants, _loader
from gpucache._generated import FUNCTIONS

VERSION = f"{_constants.GPC_VERSION_MAJOR}.{_constants.GPC_VERSION_MINOR}"
SHOW = "import gpucache; from gpucache._loader import lib; gpucache.version(); print(lib.path())"


def fake(number, names):
    """C source of a library that exports `names` and reports this version."""
    others = "".join(f"void {name}(void) {{}}\n" for name in names if name != "gpc_version")
    return others + f"unsigned gpc_version(void) {{ return {number}; }}\n"


class Refusals(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def message(self, path):
        with self.assertRaises(LibraryError) as caught:
            _loader.load({"GPUCACHE_LIBRARY": path})
        self.assertIsInstance(caught.exception, ImportError)
        return str(caught.exception)

    def test_no_such_file(self):
        path = os.path.join(self.folder, "libgpucache.so")
        self.assertIn(f"{path}: there is no such file", self.message(path))

    def test_no_library(self):
        path = os.path.join(self.folder, "libgpucache.so")
        with open(path, "w", encoding="utf-8") as file:
            file.write("text")
        message = self.message(path)
        self.assertIn(f"  {path}: ", message)
        self.assertRegex(message, "too short|invalid ELF header")

    def test_empty_folder_names_what_was_looked_for(self):
        message = self.message(self.folder)
        self.assertIn(os.path.join(self.folder, "libgpucache.so") + ": there is no such file", message)
        self.assertIn(os.path.join(self.folder, _loader.SONAME) + ": there is no such file", message)

    @needs_compiler
    def test_another_library(self):
        path = shared_library(self.folder, "libother.so", "int other(void) { return 1; }")
        self.assertIn("is no libgpucache: it has no gpc_version", self.message(path))

    @needs_compiler
    def test_another_abi(self):
        major, minor = _constants.GPC_VERSION_MAJOR, _constants.GPC_VERSION_MINOR
        for number, text in (
            ((major + 1) << 16 | minor << 8, f"{major + 1}.{minor}.0"),
            (major << 16 | (minor + 1) << 8 | 7, f"{major}.{minor + 1}.7"),
        ):
            path = shared_library(self.folder, f"lib{text}.so", fake(number, FUNCTIONS))
            message = f"is version {text}, another ABI than the {_constants.__version__} of these bindings"
            self.assertIn(message, self.message(path))

    @needs_compiler
    def test_another_patch_is_the_same_abi(self):
        number = _constants.GPC_VERSION_NUMBER + 1
        path = shared_library(self.folder, "libpatch.so", fake(number, FUNCTIONS))
        self.assertEqual(_loader.load({"GPUCACHE_LIBRARY": path}).gpc_version(), number)

    @needs_compiler
    def test_missing_functions_are_named(self):
        names = [name for name in FUNCTIONS if name not in ("gpc_trace_open", "gpc_cache_create")]
        path = shared_library(self.folder, "libold.so", fake(_constants.GPC_VERSION_NUMBER, names))
        self.assertIn("lacks gpc_cache_create, gpc_trace_open: it is older", self.message(path))
        path = shared_library(self.folder, "libempty.so", fake(_constants.GPC_VERSION_NUMBER, []))
        self.assertRegex(self.message(path), r"lacks gpc_\w+, gpc_\w+, gpc_\w+, gpc_\w+ and \d+ more")

    def test_a_failure_is_no_status(self):
        self.assertFalse(issubclass(LibraryError, GpucacheError))

    def test_command_line(self):
        done = python("-m", "gpucache", "presets", GPUCACHE_LIBRARY=os.path.join(self.folder, "none.so"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("gpucache: libgpucache could not be loaded (GPUCACHE_LIBRARY is set); tried:", done.stderr)
        self.assertIn("none.so: there is no such file", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_help_needs_no_library(self):
        done = python("-m", "gpucache", "run", "--help", GPUCACHE_LIBRARY=os.path.join(self.folder, "none.so"))
        self.assertEqual(done.returncode, 0)
        self.assertIn("TRACE", done.stdout)


class Order(unittest.TestCase):
    """A copy of the package in a separate repository finds a library in build/, or an installed one."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = os.path.realpath(holder.name)
        self.python = os.path.join(self.root, "bindings", "python")
        self.build = os.path.join(self.root, "build", "lib")
        self.installed = os.path.join(self.root, "installed")
        shutil.copytree(PACKAGE, os.path.join(self.python, "gpucache"), ignore=shutil.ignore_patterns("__pycache__"))
        self.real = os.path.realpath(_loader.load()._name)

    def put(self, folder, name):
        os.makedirs(folder, exist_ok=True)
        os.symlink(self.real, os.path.join(folder, name))
        return os.path.join(folder, name)

    def loaded(self, **changes):
        settings = {"GPUCACHE_LIBRARY": None, "PYTHONPATH": self.python, "HOME": self.root, **changes}
        done = python("-c", SHOW, **settings)
        return done.stdout.strip() or done.stderr

    def test_build_folder(self):
        path = self.put(self.build, "libgpucache.so")
        self.put(self.installed, _loader.SONAME)
        self.assertEqual(self.loaded(LD_LIBRARY_PATH=self.installed), path)

    def test_build_folder_with_the_versioned_name_only(self):
        os.makedirs(os.path.join(self.build, "libgpucache.so.9.p"))  # meson leaves such a file beside the library
        path = self.put(self.build, f"libgpucache.so.{_constants.__version__}")
        self.assertEqual(self.loaded(), path)

    def test_variable_comes_first(self):
        self.put(self.build, "libgpucache.so")
        path = self.put(self.installed, "other-name.so")
        self.assertEqual(self.loaded(GPUCACHE_LIBRARY=path), path)

    def test_variable_names_a_folder(self):
        path = self.put(self.installed, "libgpucache.so")
        self.assertEqual(self.loaded(GPUCACHE_LIBRARY=self.installed), path)

    def test_variable_is_not_passed_over(self):
        self.put(self.build, "libgpucache.so")
        self.assertIn("could not be loaded", self.loaded(GPUCACHE_LIBRARY="/nowhere/libgpucache.so"))

    def test_linker_path(self):
        self.put(self.installed, _loader.SONAME)
        self.assertEqual(self.loaded(LD_LIBRARY_PATH=self.installed), _loader.SONAME)

    def test_home(self):
        path = self.put(os.path.join(self.root, ".local", "lib"), "libgpucache.so")
        found = self.loaded()
        if found != _loader.SONAME:  # for a library installed on this machine
            self.assertEqual(found, path)

    @needs_compiler
    def test_unfit_build_is_passed_over(self):
        os.makedirs(self.build)
        shared_library(self.build, "libgpucache.so", "unsigned gpc_version(void) { return 0x630000; }")
        path = self.put(self.installed, _loader.SONAME)
        self.assertEqual(self.loaded(LD_LIBRARY_PATH=os.path.dirname(path)), _loader.SONAME)

    def test_every_path_is_named(self):
        message = self.loaded()
        if message == _loader.SONAME:
            self.skipTest("libgpucache is installed on this machine")
        self.assertIn("build it, or name it in GPUCACHE_LIBRARY", message)
        self.assertIn(os.path.join(self.build, "libgpucache.so") + ": there is no such file", message)
        self.assertIn(f"  {_loader.SONAME}: ", message)


if __name__ == "__main__":
    unittest.main()
