# SPDX-License-Identifier: BSD-2-Clause
"""The wheel that pip builds from bindings/python: what is in it, and that it runs with nothing of the sources."""

import importlib.util
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest
import zipfile

from support import EFFORT, LIBRARY, ROOT, run

PACKAGE = ROOT / "bindings/python"
SHOW = "import gpucache; gpucache.version(); print(gpucache._loader.lib.path())"


@unittest.skipUnless(importlib.util.find_spec("pip"), "pip is not installed")
class Wheel(unittest.TestCase):
    """Of the library that is built."""

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
        """The wheel as the backend makes it, without pip."""
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
        self.assertRegex(wheel.name, rf"^gpucache-{re.escape(version)}-py3-none-linux_\w+\.whl$")
        with zipfile.ZipFile(wheel) as archive:
            names = {name for name in archive.namelist() if ".dist-info/" not in name}
        sources = {path.relative_to(PACKAGE).as_posix() for path in (PACKAGE / "gpucache").rglob("*.py")}
        soname = re.search(r"SONAME.*\[(.*)\]", run("readelf", "--dynamic", LIBRARY)).group(1)
        self.assertLessEqual(sources | {f"gpucache/{soname}"}, names)
        self.assertEqual([name for name in names if "__pycache__" in name or name.endswith(".so")], [])

    def test_same_bytes_again(self):
        self.assertEqual(self.build("first").read_bytes(), self.build("second").read_bytes())


@unittest.skipUnless(EFFORT == "thorough", "a build of its own: thorough")
@unittest.skipUnless(shutil.which("meson") and shutil.which("cc"), "Meson or a compiler is not installed")
class WheelBuilt(Wheel):
    """With a library that pip has built."""

    LIBRARY = None


if __name__ == "__main__":
    unittest.main()
