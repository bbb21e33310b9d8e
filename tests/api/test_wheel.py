# SPDX-License-Identifier: BSD-2-Clause
"""The wheel that pip builds from bindings/python: the contents, and a run without the sources."""

import importlib.util
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest
import venv
import zipfile

from support import EFFORT, LIBRARY, ROOT, run

PACKAGE = ROOT / "bindings/python"
SHOW = "import gpucache; gpucache.version(); print(gpucache._loader.lib.path())"


@unittest.skipUnless(importlib.util.find_spec("pip"), "pip is not installed")
class Wheel(unittest.TestCase):
    """From the built library."""

    LIBRARY = LIBRARY

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        ours = {"PYTHONPATH", "GPUCACHE_LIBRARY", "GPUCACHE_BUILD", "LD_LIBRARY_PATH"}
        cls.environment = {name: value for name, value in os.environ.items() if name not in ours}
        cls.target = cls.folder / "target"
        given = ["--config-settings", f"library={cls.LIBRARY}"] if cls.LIBRARY else []
        run(
            sys.executable, "-m", "pip", "install", "--no-index", "--no-build-isolation", "--no-deps", "--quiet",
            "--disable-pip-version-check", "--target", cls.target, *given, PACKAGE,
            cwd=cls.folder, env=cls.environment,
        )

    def build(self, folder):
        """The wheel built by the backend, without pip."""
        folder = self.folder / folder
        folder.mkdir()
        call = "import backend, sys; print(backend.build_wheel(sys.argv[1], {'library': sys.argv[2]}))"
        return folder / run(sys.executable, "-B", "-c", call, folder, LIBRARY, cwd=PACKAGE, env=self.environment).strip()

    def test_runs_where_it_is_installed(self):
        environment = {**self.environment, "PYTHONPATH": str(self.target)}
        told = run(sys.executable, "-m", "gpucache", "presets", cwd=self.folder, env=environment)
        self.assertIn("\nh100 ", told)
        path = pathlib.Path(run(sys.executable, "-c", SHOW, cwd=self.folder, env=environment).strip())
        self.assertEqual(path.parent, self.target / "gpucache")
        self.assertIn("\nh100 ", run(self.target / "bin/gpucache", "presets", cwd=self.folder, env=environment))
        # A report has modules of a package of its own.
        run(sys.executable, "-m", "gpucache", "report", "--help", cwd=self.folder, env=environment)

    def test_name_and_content(self):
        version = re.search(r'__version__ = "(.*)"', (PACKAGE / "gpucache/_constants.py").read_text()).group(1)
        wheel = self.build("one")
        self.assertRegex(wheel.name, rf"^gpucache-{re.escape(version)}-py3-none-(many)?linux_\w+\.whl$")
        with zipfile.ZipFile(wheel) as archive:
            names = {name for name in archive.namelist() if ".dist-info/" not in name}
        sources = {path.relative_to(PACKAGE).as_posix() for path in (PACKAGE / "gpucache").rglob("*.py")}
        soname = re.search(r"SONAME.*\[(.*)\]", run("readelf", "--dynamic", LIBRARY)).group(1)
        self.assertLessEqual(sources | {f"gpucache/{soname}"}, names)
        self.assertEqual([name for name in names if "__pycache__" in name or name.endswith(".so")], [])

    def test_tag_is_what_the_library_needs(self):
        """Read by readelf: the newest required glibc version; no library beside glibc's."""
        told = run("readelf", "--version-info", "--dynamic", "--wide", LIBRARY)
        newest = max(int(minor) for minor in re.findall(r"Name: GLIBC_2\.(\d+)", told))
        with zipfile.ZipFile(self.build("tagged")) as archive:
            (name,) = [name for name in archive.namelist() if name.endswith("/WHEEL")]
            tag = re.search(r"^Tag: (.*)$", archive.read(name).decode(), flags=re.MULTILINE).group(1)
        if "sanitize" in told or re.search(r"NEEDED.*\[lib(?:asan|ubsan|gcc)", told):
            self.assertRegex(tag, r"^py3-none-linux_\w+$")
        else:
            self.assertRegex(tag, rf"^py3-none-manylinux_2_{newest}_\w+$")

    def test_what_is_no_manylinux(self):
        call = ("import elf, sys; data = open(sys.argv[1], 'rb').read(); "
                "print(*(elf.platform_tag(at, 'linux_x86_64') for at in (data, data.replace(b'libm.so.6', b'libx.so.6'),"
                " data.replace(b'GLIBC_2', b'OTHER_2'), b'MZ', b'')), elf.platform_tag(data, 'macosx_11_0_arm64'))")  # fmt: skip
        told = run(sys.executable, "-B", "-c", call, LIBRARY, cwd=PACKAGE, env=self.environment).split()
        self.assertEqual(told[1:], ["linux_x86_64"] * 4 + ["macosx_11_0_arm64"])

    @unittest.skipUnless(importlib.util.find_spec("ensurepip"), "there is no pip for new environments")
    def test_in_a_fresh_environment(self):
        """`pip install ./bindings/python`, the command in the README, with no other package installed."""
        fresh = self.folder / "fresh"
        venv.create(fresh, with_pip=True, system_site_packages=False)
        given = ["--config-settings", f"library={self.LIBRARY}"] if self.LIBRARY else []
        run(fresh / "bin/python", "-m", "pip", "install", "--no-index", "--quiet", "--disable-pip-version-check", *given,
            "./bindings/python", cwd=ROOT, env=self.environment)  # fmt: skip
        self.assertIn("\nh100 ", run(fresh / "bin/gpucache", "presets", cwd=self.folder, env=self.environment))
        self.assertIn("pip install ./bindings/python", (ROOT / "README.md").read_text())

    def test_same_bytes_again(self):
        self.assertEqual(self.build("first").read_bytes(), self.build("second").read_bytes())


@unittest.skipUnless(EFFORT == "thorough", "a build of its own: thorough")
@unittest.skipUnless(shutil.which("meson") and shutil.which("cc"), "Meson or a compiler is not installed")
class WheelBuilt(Wheel):
    """With a library built by pip."""

    LIBRARY = None


if __name__ == "__main__":
    unittest.main()
