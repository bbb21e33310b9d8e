# SPDX-License-Identifier: BSD-2-Clause
"""Builds the wheel for pip (PEP 517, 660), with the library in it; needs Meson, Ninja and a C compiler, and nothing
from PyPI.

    pip install ./bindings/python                                 builds the library
    pip install ./bindings/python --config-settings library=FILE  takes a built library
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sysconfig
import tempfile
import zipfile

import elf

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROJECT = (HERE / "pyproject.toml").read_text(encoding="utf-8")


class UnsupportedOperation(Exception):
    """An operation that this backend lacks."""


def _project(key):
    return re.search(rf'^{key} = "(.*)"$', PROJECT, flags=re.MULTILINE).group(1)


def _version():
    constants = (HERE / "gpucache" / "_constants.py").read_text(encoding="utf-8")
    return re.search(r'^__version__ = "(.*)"$', constants, flags=re.MULTILINE).group(1)


def _tag(library):
    """Wheel tag: Python 3 of any ABI, systems with the library's requirements; without a library, this system."""
    system = re.sub(r"[-.]", "_", sysconfig.get_platform())
    return "py3-none-" + (elf.platform_tag(library, system) if library else system)


def _dist_info(library=None):
    """{file of the wheel: bytes} of the metadata."""
    head = [
        "Metadata-Version: 2.1", f"Name: {_project('name')}", f"Version: {_version()}",
        f"Summary: {_project('description')}", "License: BSD-2-Clause", f"Requires-Python: {_project('requires-python')}",
        "Description-Content-Type: text/markdown", "", (HERE / "README.md").read_text(encoding="utf-8"),
    ]  # fmt: skip
    wheel = ["Wheel-Version: 1.0", "Generator: gpucache", "Root-Is-Purelib: false", f"Tag: {_tag(library)}", ""]
    texts = {
        "METADATA": "\n".join(head), "WHEEL": "\n".join(wheel),
        "entry_points.txt": f"[console_scripts]\ngpucache = {_project('gpucache')}\n",
        "LICENSE": (ROOT / "LICENSE").read_text(encoding="utf-8"),
    }
    folder = f"{_project('name')}-{_version()}.dist-info"
    return folder, {f"{folder}/{name}": text.encode() for name, text in texts.items()}


def _run(*command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    except FileNotFoundError:
        raise SystemExit(f"{command[0]} is not installed: the library is built with Meson 1.0, Ninja and a C compiler, or "
                         "taken from --config-settings library=FILE") from None  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}:\n{done.stdout}")


def _library(settings):
    """(name, bytes) of the library, under its SONAME."""
    with tempfile.TemporaryDirectory() as build:
        given = (settings or {}).get("library")
        if not given:
            _run("meson", "setup", build, str(ROOT), "--buildtype=release", "-Dauto_features=disabled",
                 "-Ddefault_library=shared")  # fmt: skip
            _run("ninja", "-C", build)
            given = os.path.join(build, "lib", "libgpucache.so")
        major, minor = _version().split(".")[:2]
        soname = "libgpucache.so." + (f"0.{minor}" if major == "0" else major)
        return soname, pathlib.Path(given).read_bytes()


def _write(folder, files, library=None):
    """A wheel of these files; equal content gives equal bytes."""
    info, described = _dist_info(library)
    files = {**files, **described}
    rows = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(data)}")
    files[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    wheel = f"{_project('name')}-{_version()}-{_tag(library)}.whl"
    with zipfile.ZipFile(os.path.join(folder, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            archive.writestr(entry, data)
    return wheel


# What pip calls


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder, described = _dist_info()
    os.mkdir(os.path.join(metadata_directory, folder))
    for name, data in described.items():
        pathlib.Path(metadata_directory, name).write_bytes(data)
    return folder


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name, library = _library(config_settings)
    sources = sorted(path for path in (HERE / "gpucache").rglob("*") if path.is_file() and path.suffix != ".pyc"
                     and not path.name.startswith("libgpucache.so"))  # fmt: skip
    files = {path.relative_to(HERE).as_posix(): path.read_bytes() for path in sources}
    return _write(wheel_directory, {**files, f"gpucache/{name}": library}, library)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A path to the sources; they use the library in the repository's build folder."""
    return _write(wheel_directory, {"gpucache.pth": f"{HERE}\n".encode()})


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_sdist(sdist_directory, config_settings=None):
    raise UnsupportedOperation("the library's sources lie outside this folder: build a wheel")
