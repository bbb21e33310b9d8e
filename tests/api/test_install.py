# SPDX-License-Identifier: BSD-2-Clause
"""The installed library: meson install into a folder, then a program that knows only pkg-config."""

import os
import pathlib
import re
import shlex
import tempfile
import unittest

from support import BUILD, EFFORT, HEADERS, INCLUDE, ROOT, STRICT, run


class Install(unittest.TestCase):
    """The build that is there, staged in a folder as a packager does it."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.stage()

    @classmethod
    def stage(cls):
        stage = pathlib.Path(cls.scratch.name, "stage")
        run("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", stage)
        (header,) = stage.rglob("include/gpucache/gpucache.h")
        cls.look_in(header.parents[2], PKG_CONFIG_SYSROOT_DIR=str(stage))

    @classmethod
    def look_in(cls, prefix, **environment):
        cls.prefix = prefix
        (library,) = prefix.rglob("libgpucache.so")
        cls.libraries = library.parent
        cls.environment = dict(
            os.environ, PKG_CONFIG_PATH=str(cls.libraries / "pkgconfig"), LD_LIBRARY_PATH=str(cls.libraries),
            **environment,
        )

    def pkg_config(self, *arguments):
        return run("pkg-config", *arguments, "gpucache", env=self.environment).strip()

    def test_pkg_config_knows_the_version(self):
        parts = dict(re.findall(r"#define GPC_VERSION_(\w+) (\d+)", (INCLUDE / "gpucache/version.h").read_text()))
        self.assertEqual(self.pkg_config("--modversion"), f"{parts['MAJOR']}.{parts['MINOR']}.{parts['PATCH']}")

    def test_headers_are_there(self):
        installed = {path.name for path in (self.prefix / "include/gpucache").iterdir()}
        self.assertEqual(installed, {header.name for header in HEADERS})

    def test_nothing_else_is_installed(self):
        files = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if not path.is_dir()}
        libraries = self.libraries.relative_to(self.prefix)
        others = {name for name in files if not name.startswith(("include/gpucache/", f"{libraries}/libgpucache.so"))}
        self.assertEqual(others, {f"{libraries}/pkgconfig/gpucache.pc"})

    def test_host_builds_outside_the_tree(self):
        program = pathlib.Path(self.scratch.name, "embed_host")
        flags = shlex.split(self.pkg_config("--cflags", "--libs"))
        run(
            os.environ.get("CC", "cc"), "-std=c11", *STRICT, ROOT / "examples/embed_host.c", *flags, "-o", program,
            cwd=self.scratch.name, env=self.environment,
        )
        self.assertIn("l1.load_hit_rate", run(program, env=self.environment, cwd=self.scratch.name))


@unittest.skipUnless(EFFORT == "thorough", "a build of its own: thorough")
class InstallInPrefix(Install):
    """A build of its own, with a prefix of its own."""

    @classmethod
    def stage(cls):
        folder = pathlib.Path(cls.scratch.name)
        prefix = folder / "prefix"
        run("meson", "setup", folder / "build", ROOT, f"--prefix={prefix}", "--libdir=lib", "--buildtype=release")
        run("meson", "compile", "-C", folder / "build", "gpucache")
        run("meson", "install", "-C", folder / "build", "--no-rebuild")
        cls.look_in(prefix)


@unittest.skipUnless(EFFORT == "thorough", "a build of its own: thorough, as that of test_places.py")
class Subproject(unittest.TestCase):
    """A host that builds with Meson may carry the library along."""

    HOST = """
project('host', 'c', version: '9.9', default_options: ['c_std=c11', 'buildtype=release', 'werror=true'])
executable('host', 'host.c', dependencies: dependency('gpucache', fallback: 'gpucache'))
"""

    def test_host_builds_and_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            host = pathlib.Path(folder, "host")
            (host / "subprojects").mkdir(parents=True)
            (host / "subprojects/gpucache").symlink_to(ROOT)
            (host / "meson.build").write_text(self.HOST)
            (host / "host.c").write_bytes((ROOT / "examples/embed_host.c").read_bytes())
            # Not one that happens to be installed.
            run("meson", "setup", host / "build", host, "--wrap-mode=forcefallback")
            run("ninja", "-C", host / "build", "host")
            self.assertIn("l1.load_hit_rate", run(host / "build/host", env=dict(os.environ, LD_LIBRARY_PATH="")))


if __name__ == "__main__":
    unittest.main()
