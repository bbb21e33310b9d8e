# SPDX-License-Identifier: BSD-2-Clause
"""The results of meson install: library, pkg-config, CMake, Python package, command, manual pages, completion.

The files are installed into a folder, and then used without knowledge of the sources.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import tempfile
import unittest

from gpucache import cli
from support import BUILD, EFFORT, HEADERS, INCLUDE, ROOT, STRICT, run

PACKAGE = ROOT / "bindings/python/gpucache"
LIBRARIES = {"libgpucache.so", "libgpucache.a"}
CMAKE = """
cmake_minimum_required(VERSION 3.13)
project(host C)
find_package(gpucache 0.3 REQUIRED)
add_executable(host host.c)
target_link_libraries(host gpucache::gpucache)
if(TARGET gpucache::static)
  add_executable(alone host.c)
  target_link_libraries(alone gpucache::static)
endif()
"""


def clean(**more):
    """An environment without the paths of the sources and the build."""
    ours = {"PYTHONPATH", "GPUCACHE_LIBRARY", "GPUCACHE_BUILD", "LD_LIBRARY_PATH"}
    return {**{name: value for name, value in os.environ.items() if name not in ours}, **more}


def needs(command):
    return unittest.skipUnless(shutil.which(command), f"{command} is not installed")


class Install(unittest.TestCase):
    """The present build, staged in a folder like a package."""

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
        (library,) = prefix.glob("lib*/**/pkgconfig/gpucache.pc")
        cls.libraries = library.parents[1]
        cls.environment = dict(
            os.environ, PKG_CONFIG_PATH=str(cls.libraries / "pkgconfig"), LD_LIBRARY_PATH=str(cls.libraries),
            **environment,
        )

    def pkg_config(self, *arguments):
        return run("pkg-config", *arguments, "gpucache", env=self.environment).strip()

    def test_pkg_config_knows_the_version(self):
        parts = dict(re.findall(r"#define GPC_VERSION_(\w+) (\d+)", (INCLUDE / "gpucache/types.h").read_text()))
        self.assertEqual(self.pkg_config("--modversion"), f"{parts['MAJOR']}.{parts['MINOR']}.{parts['PATCH']}")

    def test_headers_are_there(self):
        installed = {path.name for path in (self.prefix / "include/gpucache").rglob("*.h*")}
        self.assertEqual(installed, {header.name for header in HEADERS} | {"gpucache.hpp"})

    def test_nothing_else_is_installed(self):
        files = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if not path.is_dir()}
        libraries = self.libraries.relative_to(self.prefix)
        package = self.package().relative_to(self.prefix)
        known = {f"{libraries}/pkgconfig/gpucache.pc", "bin/gpucache", "bin/gpucache-torture", "share/bash-completion/completions/gpucache.bash"}
        known |= {f"{libraries}/cmake/gpucache/gpucacheConfig{part}.cmake" for part in ("", "Version")}
        known |= {f"share/man/man1/{page}.1" for page in self.pages()}
        sources = (path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix != ".pyc")
        known |= {f"{package}/{path.relative_to(PACKAGE)}" for path in sources}
        ours = ("include/gpucache/", *(f"{libraries}/{name}" for name in LIBRARIES))
        self.assertEqual({name for name in files if not name.startswith(ours)}, known)

    def package(self):
        (file,) = self.prefix.rglob("gpucache/__init__.py")
        return file.parent

    def pages(self):
        return {"gpucache", *("gpucache-" + name.replace(" ", "-") for name in cli.COMMANDS)}

    def test_command_runs_with_the_library_beside_it(self):
        command = self.prefix / "bin/gpucache"
        self.assertIn("\nh100 ", run(command, "presets", env=clean(), cwd=self.scratch.name))
        show = "import gpucache; gpucache.version(); print(gpucache._loader.lib.path())"
        path = run(
            command.read_text().splitlines()[0][2:], "-B", "-c", show,
            env=clean(PYTHONPATH=str(self.package().parent)), cwd=self.scratch.name,
        ).strip()
        self.assertEqual(pathlib.Path(path), self.libraries / "libgpucache.so")

    def test_pages_tell_every_option(self):
        for name, parser in self.commands().items():
            page = (self.prefix / "share/man/man1" / f"gpucache-{name.replace(' ', '-')}.1").read_text()
            told = re.findall(r"^\\fB(.*)\\fR$", page, flags=re.MULTILINE)
            words = {word.strip(",") for line in told for word in line.replace("\\-", "-").split()}
            options = {word for action in parser._actions for word in action.option_strings}
            self.assertEqual(options - words, set(), name)
        self.assertIn("GPUCACHE_LIBRARY", (self.prefix / "share/man/man1/gpucache.1").read_text())

    def commands(self):
        (action,) = (action for action in cli.parser()._actions if action.dest == "command")
        return action.choices

    @needs("groff")
    def test_pages_are_troff(self):
        for page in (self.prefix / "share/man/man1").iterdir():
            told = run("groff", "-man", "-Tutf8", "-ww", "-z", page)
            self.assertEqual(told, "", page)

    def completed(self, *words):
        """Bash's proposals for the last word."""
        script = """
            compopt() { :; }
            . "$1"; shift
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
            _gpucache && printf '%s\\n' "${COMPREPLY[@]}"
        """
        file = self.prefix / "share/bash-completion/completions/gpucache.bash"
        return run(
            "bash", "-c", script, "bash", file, self.prefix / "bin/gpucache", *words, env=clean(), cwd=PACKAGE.parent,
        ).split()

    @needs("bash")
    def test_bash_completes(self):
        self.assertEqual(self.completed("co"), [name for name in cli.COMMANDS if name.startswith("co") and " " not in name])
        self.assertEqual(self.completed("run", "--mode", ""), ["functional", "timed"])
        self.assertEqual(self.completed("run", "x", "--max-c"), ["--max-cycles"])
        self.assertEqual(self.completed("run", "--config", "pyproj"), ["pyproject.toml"])
        self.assertEqual(self.completed("run", "pyproj"), ["pyproject.toml"])
        self.assertEqual(self.completed("run", "--max-cycles", ""), [])
        self.assertEqual(self.completed("run", "--preset", "h1"), ["h100"])
        self.assertEqual(self.completed("presets", "h1"), ["h100"])
        self.assertEqual(self.completed("coherence", "veri"), ["verify"])
        self.assertEqual(self.completed("coherence", "verify", "--wal"), ["--walks"])

    @needs("cmake")
    def test_cmake_finds_it(self):
        host = pathlib.Path(self.scratch.name, "cmake")
        host.mkdir()
        (host / "CMakeLists.txt").write_text(CMAKE)
        (host / "host.c").write_bytes((ROOT / "examples/embed_host.c").read_bytes())
        run("cmake", "-S", host, "-B", host / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}", env=clean())
        run("cmake", "--build", host / "build", env=clean())
        for name in {"host", "alone"} & {path.name for path in (host / "build").iterdir()}:
            self.assertIn("l1.load_hit_rate", run(host / "build" / name, env=clean()))
        for asked, taken in (("0.3", True), ("0.2", False), ("0.4", False), ("0.3.99", False), ("1.0", False)):
            (host / "CMakeLists.txt").write_text(CMAKE.replace("0.3 REQUIRED", f"{asked} REQUIRED"))
            with self.subTest(version=asked):
                run("cmake", "-S", host, "-B", host / f"build-{asked}", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                    env=clean(), status=0 if taken else 1)  # fmt: skip

    def test_host_builds_outside_the_tree(self):
        program = pathlib.Path(self.scratch.name, "embed_host")
        flags = shlex.split(self.pkg_config("--cflags", "--libs"))
        run(
            os.environ.get("CC", "cc"), "-std=c11", *STRICT, ROOT / "examples/embed_host.c", *flags, "-o", program,
            cwd=self.scratch.name, env=self.environment,
        )
        self.assertIn("l1.load_hit_rate", run(program, env=self.environment, cwd=self.scratch.name))


class Uninstalled(unittest.TestCase):
    """The build folder unchanged, for a host without an installation."""

    def test_host_builds_and_runs(self):
        build = BUILD.resolve()
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "embed_host")
            environment = clean(PKG_CONFIG_PATH=str(build / "meson-uninstalled"))
            flags = shlex.split(run("pkg-config", "--cflags", "--libs", "gpucache", env=environment))
            run(
                os.environ.get("CC", "cc"), "-std=c11", *STRICT, ROOT / "examples/embed_host.c", *flags, "-o", program,
                cwd=folder, env=environment,
            )
            told = run(program, env=clean(LD_LIBRARY_PATH=str(build / "lib")), cwd=folder)
        self.assertIn("l1.load_hit_rate", told)


@unittest.skipUnless(EFFORT == "thorough", "a build of its own: thorough")
class InstallInPrefix(Install):
    """A separate build, with a separate prefix."""

    @classmethod
    def stage(cls):
        folder = pathlib.Path(cls.scratch.name)
        prefix = folder / "prefix"
        run(
            "meson", "setup", folder / "build", ROOT, f"--prefix={prefix}", "--libdir=lib", "--buildtype=release",
            "-Ddefault_library=both",
        )
        targets = ("gpucache:shared_library", "gpucache:static_library", "manual", "completion")
        run("meson", "compile", "-C", folder / "build", *targets)
        run("meson", "install", "-C", folder / "build", "--no-rebuild")
        cls.look_in(prefix)

    def test_static_library_is_one_for_pkg_config(self):
        program = pathlib.Path(self.scratch.name, "static_host")
        flags = [
            str(self.libraries / "libgpucache.a") if flag == "-lgpucache" else flag
            for flag in shlex.split(self.pkg_config("--static", "--cflags", "--libs"))
        ]
        run(os.environ.get("CC", "cc"), "-std=c11", ROOT / "examples/embed_host.c", *flags, "-o", program)
        self.assertIn("l1.load_hit_rate", run(program, env=clean()))
        self.assertNotIn("libgpucache", run("readelf", "--dynamic", program))


class Minimal(unittest.TestCase):
    """-Dauto_features=disabled is the library alone."""

    def test_nothing_but_the_library(self):
        with tempfile.TemporaryDirectory() as folder:
            run("meson", "setup", folder, ROOT, "-Dauto_features=disabled", "--buildtype=release")
            targets = json.loads(run("meson", "introspect", "--targets", folder))
            folders = {pathlib.Path(target["defined_in"]).relative_to(ROOT).parts[0] for target in targets}
            self.assertEqual(folders, {"lib"})
            self.assertEqual(json.loads(run("meson", "introspect", "--tests", folder)), [])


@unittest.skipUnless(EFFORT == "thorough", "a build of its own: thorough, as that of test_places.py")
class Core(unittest.TestCase):
    """-Dc_args=-DGPC_CORE is a smaller library with equal counts for hosts."""

    HOSTS = ("embed_host", "embed_timed", "own_mshrs", "scheduler_only", "cache_only", "coherence", "replay_trace")

    def test_hosts_count_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            core = pathlib.Path(folder, "core")
            run(
                "meson", "setup", core, ROOT, "-Dauto_features=disabled", "--buildtype=release",
                "-Dc_args=-DGPC_CORE",
            )
            run("ninja", "-C", core)
            self.assertNotIn("gpc_verify", run("nm", "-D", core / "lib/libgpucache.so"))
            print("bytes of the core's text:", run("size", core / "lib/libgpucache.so").split()[6])
            for host in self.HOSTS:
                with self.subTest(host):
                    arguments = [ROOT / "examples/traces/atax"] if host == "replay_trace" else []
                    whole, small = (
                        run(BUILD / f"examples/example-{host}", *arguments, env=clean(LD_LIBRARY_PATH=str(build / "lib")))
                        for build in (BUILD, core)
                    )
                    self.assertEqual(whole, small)
            self.assertIn(
                "synthetic:vecadd: this library was built without kernel generators",
                run(BUILD / "examples/example-replay_trace", "synthetic:vecadd", status=1,
                    env=clean(LD_LIBRARY_PATH=str(core / "lib"))),
            )


@unittest.skipUnless(EFFORT == "thorough", "a build of its own: thorough, as that of test_places.py")
class Subproject(unittest.TestCase):
    """A host that builds with Meson may carry the library as a subproject."""

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
            # No other installed library.
            run("meson", "setup", host / "build", host, "--wrap-mode=forcefallback")
            run("ninja", "-C", host / "build", "host")
            self.assertIn("l1.load_hit_rate", run(host / "build/host", env=dict(os.environ, LD_LIBRARY_PATH="")))


if __name__ == "__main__":
    unittest.main()
