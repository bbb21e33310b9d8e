# SPDX-License-Identifier: BSD-2-Clause
"""The built library seen by a linker and a loader."""

import collections
import re
import unittest

from support import BUILD, INCLUDE, LIBRARY, declared_functions, run

ARCHIVE = BUILD / "lib" / "libgpucache-objects.a"

# With a major version of 0, each minor one is an interface of its own.
VERSION = (INCLUDE / "gpucache/types.h").read_text()
MAJOR, MINOR = (re.search(rf"#define GPC_VERSION_{part} (\d+)", VERSION).group(1) for part in ("MAJOR", "MINOR"))
ABI = MAJOR if MAJOR != "0" else f"0.{MINOR}"
NODE = f"GPUCACHE_{ABI}"

# No output to the terminal, no end of the process, no hidden state shared between threads, no shell.
FORBIDDEN = re.compile(
    r"(__)?(exit|_Exit|quick_exit|abort|__assert\w*|assert_fail\w*|raise|longjmp|v?printf|puts|putchar|perror|psignal|syslog"
    r"|printf_chk|vprintf_chk|stdout|stderr|stdin|warn|warnx|err|errx|error"
    r"|rand|srand|random|srandom|drand48|strtok|setlocale|localtime|gmtime|ctime|asctime|setenv|putenv"
    r"|system|popen|signal|sigaction|atexit|chdir|umask)"
)


class ExportedSymbols(unittest.TestCase):
    def test_are_those_declared(self):
        listing = run("nm", "--dynamic", "--defined-only", "--format=posix", LIBRARY)
        exported = {line.split("@")[0].split()[0] for line in listing.splitlines()}
        exported.discard(NODE)
        declared = declared_functions()
        self.assertGreater(len(declared), 80)
        self.assertEqual(exported - declared, set(), "exported, but in no header")
        self.assertEqual(declared - exported, set(), "in a header, but not exported")

    def test_carry_the_version_node(self):
        listing = run("readelf", "--wide", "--dyn-syms", LIBRARY)
        for line in listing.splitlines():
            if " gpc_" in line and " UND " not in line:
                self.assertTrue(line.rstrip().endswith("@@" + NODE), line)


class Dependencies(unittest.TestCase):
    def setUp(self):
        self.dynamic = run("readelf", "--wide", "--dynamic", LIBRARY)

    def test_are_the_c_library_alone(self):
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", self.dynamic))
        self.assertLessEqual({re.sub(r"\.so.*", "", name) for name in needed}, {"libc", "libm", "ld-linux-x86-64"})

    def test_soname_is_the_version_that_may_break_programs(self):
        self.assertEqual(re.search(r"\(SONAME\).*\[(.*)\]", self.dynamic).group(1), f"libgpucache.so.{ABI}")


class Objects(unittest.TestCase):
    """The archive that the shared library is made of."""

    def test_call_nothing_forbidden(self):
        member, calls = "", collections.defaultdict(set)
        for line in run("nm", "--undefined-only", "--format=posix", ARCHIVE).splitlines():
            if line.endswith(":"):
                member = line
            elif line:
                calls[line.split()[0]].add(member)
        self.assertIn("memcpy", calls)
        found = {name: where for name, where in calls.items() if FORBIDDEN.fullmatch(name)}
        self.assertEqual(found, {})

    def test_have_no_mutable_global(self):
        # .data.rel.ro is constant after the loader's relocation.
        writable = re.compile(r"^\w+ .{7} (\.t?(?:data|bss)(?!\.rel\.ro)\S*|\*COM\*)\s+(\w+) (.*)$", re.MULTILINE)
        table = run("objdump", "--syms", ARCHIVE)
        self.assertIn(".text", table)
        # A name that equals the section's name is the section.
        found = [name for section, _, name in writable.findall(table) if name.split()[-1] != section]
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
