# SPDX-License-Identifier: BSD-2-Clause
"""Names of kernels, for people to read."""

import re

_NESTED = re.compile(r"_ZN?[rVK]*(?=\d|L\d)")


def kernel_name(mangled):
    """The plain name in a mangled name: _ZN3net4reluEPfS0_i -> net::relu. Other names stay unchanged."""
    match = _NESTED.match(mangled)
    if not match:
        return mangled
    at = match.end()
    parts = []
    while True:
        number = re.compile(r"L?(\d+)").match(mangled, at)
        if not number:
            break
        at = number.end() + int(number[1])
        part = mangled[number.end():at]
        if len(part) != int(number[1]):
            return mangled
        parts.append("(anonymous)" if part.startswith("_GLOBAL__N_") else part)
        if not mangled.startswith("_ZN"):
            break
    return "::".join(parts)


def short(name, width=32):
    """A kernel's name in at most `width` characters."""
    name = kernel_name(name)
    return name if len(name) <= width else name[:width - 2] + ".."
