# SPDX-License-Identifier: BSD-2-Clause
"""Shared parts of the bindings' tests: paths, the command line in a separate process, a small trace, C programs."""

import os
import shutil
import subprocess
import sys
import tempfile
import traceback
import unittest
import warnings

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PYTHON = os.path.join(ROOT, "bindings", "python")
PACKAGE = os.path.join(PYTHON, "gpucache")
INCLUDE = os.path.join(ROOT, "include")
CC = os.environ.get("CC", "cc").split()

sys.path.insert(0, PYTHON)

needs_compiler = unittest.skipUnless(shutil.which(CC[0]), f"no C compiler: {CC[0]}")


def environment(**changes):
    """The environment with the package importable; None removes a variable."""
    found = {**os.environ, "PYTHONPATH": PYTHON, **changes}
    return {name: value for name, value in found.items() if value is not None}


def python(*arguments, **changes):
    """Run Python; text of stdout and stderr, and the exit code."""
    return subprocess.run(
        [sys.executable, *arguments], env=environment(**changes), capture_output=True, text=True, timeout=600
    )


# Variables that a command reads at run time; others are read at Python's start, or at the library's loading.
READ_LATE = {"COLUMNS", "XDG_CACHE_HOME"}


def command(*arguments, **changes):
    """Run `python3 -m gpucache`; as a fork if equivalent, since start and import take most of the time."""
    if not READ_LATE.issuperset(changes):
        return python("-m", "gpucache", *arguments, **changes)
    import gpucache.cli  # once, and not in each fork

    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        child = os.fork()
        if not child:
            _be_command(gpucache.cli.main, arguments, environment(**changes), stdout.fileno(), stderr.fileno())
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        stdout.seek(0)
        stderr.seek(0)
        return subprocess.CompletedProcess(arguments, status, stdout.read(), stderr.read())


def _be_command(main, arguments, variables, stdout, stderr):
    """In the fork: Python's setup for a process, the command, and the end."""
    code = 1
    try:
        os.dup2(stdout, 1)
        os.dup2(stderr, 2)
        sys.stdout = open(1, "w", encoding=sys.__stdout__.encoding, closefd=False)
        sys.stderr = open(2, "w", encoding=sys.__stderr__.encoding, errors="backslashreplace", closefd=False)
        for category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", category)  # unittest shows them
        os.environ.clear()
        os.environ.update(variables)
        sys.argv = ["gpucache", *map(str, arguments)]
        code = main()
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code or 0)


def below_heading(text):
    """(heading lines of a table, the other lines)."""
    lines = text.splitlines()
    blank = lines.index("")
    return lines[:blank], lines[blank + 1:]


def shared_library(folder, name, source):
    """Compile C to a shared library; returns the path."""
    path = os.path.join(folder, name)
    code = path + ".c"
    with open(code, "w", encoding="utf-8") as file:
        file.write(source)
    subprocess.run([*CC, "-shared", "-fPIC", "-I", INCLUDE, "-o", path, code], check=True)
    return path


class TemporaryCase(unittest.TestCase):
    """A case with a separate folder, and a context."""

    def setUp(self):
        import gpucache

        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.context = gpucache.Context()
        self.addCleanup(self.context.close)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


# A trace. Every warp loads 32 consecutive words of its own, loads them again, stores one line, and exits.

BASE = 0x7F0000000000
INSTRUCTIONS = (
    "0000 ffffffff 1 R1 S2R 0 0",
    "0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x{load:x} 4",
    "0020 ffffffff 1 R3 LDG.E 1 R4 4 1 0x{load:x} 4",
    "0030 ffffffff 0 STG.E 2 R6 R3 4 1 0x{store:x} 4",
    "0040 ffffffff 0 EXIT 0 0",
)


def traceg(name="_Z5twicePfS_", blocks=4, warps=2, shared=0, stream=0):
    """Text of a kernel: per warp 2 loads and 1 store of a whole line, each warp on separate lines."""
    lines = [
        f"-kernel name = {name}", "-kernel id = 1", f"-grid dim = ({blocks},1,1)", f"-block dim = ({32 * warps},1,1)",
        f"-shmem = {shared}", "-nregs = 16", "-binary version = 90", f"-cuda stream id = {stream}",
        "-shmem base_addr = 0x00007e0000000000", "-local mem base_addr = 0x00007d0000000000", "-nvbit version = 1.5",
        "-accelsim tracer version = 4", "-enable lineinfo = 0", "#traces format = PC mask", "",
    ]  # fmt: skip
    for block in range(blocks):
        lines += ["#BEGIN_TB", f"thread block = {block},0,0"]
        for warp in range(warps):
            line = block * warps + warp
            lines += [f"warp = {warp}", f"insts = {len(INSTRUCTIONS)}"]
            places = {"load": BASE + 128 * line, "store": BASE + (1 << 30) + 128 * line}
            lines += [text.format(**places) for text in INSTRUCTIONS]
        lines.append("#END_TB")
    return "\n".join(lines) + "\n"


def write_trace(folder, kernels=(("_Z5twicePfS_", 4),), placement=None):
    """A folder with kernelslist.g and the kernels, (name, blocks) each; `placement` is the first kernel's SMs."""
    os.makedirs(folder, exist_ok=True)
    files = []
    for number, (name, blocks) in enumerate(kernels, 1):
        files.append(f"kernel-{number}.traceg")
        with open(os.path.join(folder, files[-1]), "w", encoding="utf-8") as file:
            file.write(traceg(name, blocks))
    with open(os.path.join(folder, "kernelslist.g"), "w", encoding="utf-8") as file:
        file.write("MemcpyHtoD,0x7f0000000000,4096\n" + "".join(name + "\n" for name in files))
    if placement is not None:
        with open(os.path.join(folder, "kernel-1.sm"), "w", encoding="utf-8") as file:
            file.write("".join(f"{sm}\n" for sm in placement))
    return folder
