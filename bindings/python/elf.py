# SPDX-License-Identifier: BSD-2-Clause
"""Requirements of a shared library on its system, read from its ELF file, without further packages.

The platform tag of a wheel follows (PEP 600): manylinux_2_N for a library with symbols of glibc 2.N at most, and
without other libraries than glibc's.
"""

import re
import struct

# Libraries of glibc, present on every manylinux system (PEP 600, PEP 599).
GLIBC = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1"}
DYNAMIC, VERSION_NEEDED = 6, 0x6FFFFFFE  # section types
NEEDED = 1  # dynamic tag


def _text(table, at):
    return table[at : table.index(b"\0", at)].decode()


def needs(data):
    """(names of libraries, names of versions) needed by an ELF file of 64 bits, little-endian; None for another file.
    """
    if data[:6] != b"\x7fELF\x02\x01":
        return None
    offset, size, count = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + n * size) for n in range(count)]
    parts = [data[at : at + length] for _, _, _, _, at, length, *_ in sections]
    libraries, versions = set(), set()
    for (_, kind, _, _, _, _, link, entries, _, _), part in zip(sections, parts):
        if kind == DYNAMIC:
            for tag, value in struct.iter_unpack("<qQ", part):
                if tag == NEEDED:
                    libraries.add(_text(parts[link], value))
        if kind == VERSION_NEEDED:
            at = 0
            for _ in range(entries):
                _, auxiliaries, _, first, following = struct.unpack_from("<HHIII", part, at)
                auxiliary = at + first
                for _ in range(auxiliaries):
                    _, _, _, name, step = struct.unpack_from("<IHHII", part, auxiliary)
                    versions.add(_text(parts[link], name))
                    auxiliary += step
                at += following
    return libraries, versions


def platform_tag(data, system):
    """Platform tag of a library on `system`, such as linux_x86_64: manylinux_2_N_x86_64, or `system` if the library
    needs more."""
    found = needs(data) if system.startswith("linux_") else None
    if not found:
        return system
    libraries, versions = found
    known = [re.fullmatch(r"GLIBC_2\.(\d+)(?:\.\d+)?", version) for version in versions]
    foreign = [name for name in libraries if name not in GLIBC and not name.startswith("ld-linux")]
    if foreign or not known or not all(known):
        return system
    return f"manylinux_2_{max(5, *(int(match.group(1)) for match in known))}_{system[len('linux_'):]}"
