# SPDX-License-Identifier: BSD-2-Clause
"""Shared memory through L1: a trace in which accesses to shared memory are accesses to global memory.

Section 4.1 of seeds/002 counts accesses to shared memory as accesses to L1, without saying where. WINDOWS: each thread
block has a window of 48 KiB behind the arrays, as in Multi2Sim's generic addresses. CLOSE: a window of 8 KiB, so that
windows share no sets of a large L2. LAST: each thread's access goes to the thread's last global address, as in
Multi2Sim's load/store unit, where only instructions on global memory set the address.
"""

import os

from .._constants import TraceFormat
from ..trace import Trace, TraceWriter

WINDOWS, CLOSE, LAST = "windows", "close", "last"
BEHIND = 1 << 47
WINDOW = {WINDOWS: 48 << 10, CLOSE: 8 << 10, LAST: 0}  # bytes
GLOBAL = {"LDS": "LDG.E", "STS": "STG.E"}
MEMORY = ("LDG", "STG")


def _addresses(mode, numbers):
    """Addresses of active lanes: a list, a first one with a stride, or a first one with differences."""
    if mode == 0:
        return [int(number, 16) for number in numbers]
    first = int(numbers[0], 16)
    found = [first]
    for number in numbers[1:]:
        found.append(found[-1] + int(number))
    return found if mode == 2 else [first + lane * int(numbers[1]) for lane in range(32)]


class _Warps:
    """The lines of a kernel's text, one after the other."""

    def __init__(self, where):
        self.where = where
        self.opcodes = [f" {opcode}" for opcode in (*GLOBAL, *(MEMORY if where == LAST else ()))]
        self.window = BEHIND - WINDOW[where]
        self.last = {}

    def line(self, text):
        if text.startswith("#BEGIN_TB"):
            self.window += WINDOW[self.where]
        elif text.startswith("warp ="):
            self.last = {}
        if not any(opcode in text for opcode in self.opcodes):
            return text
        words = text.split()
        at = 3 + int(words[2])
        opcode, *modifiers = words[at].split(".")
        place = at + 3 + int(words[at + 1])
        mask = int(words[1], 16)
        lanes = [lane for lane in range(32) if mask >> lane & 1]
        found = _addresses(int(words[place]), words[place + 1:])[:len(lanes)]
        if opcode in MEMORY:
            self.last.update(zip(lanes, found))
            return text
        if self.where == LAST:
            found = [self.last.get(lane, 0) for lane in lanes]
        else:
            found = [self.window + address for address in found]
        words[at] = ".".join([GLOBAL[opcode], *modifiers])
        return " ".join([*words[:place], "0", *map(hex, found)]) + "\n"


def through_l1(context, of, where, folder):
    """Path of the changed trace, in a folder."""
    with Trace(context, of) as trace, TraceWriter(context, folder, TraceFormat.TEXT) as writer:
        for kernel in trace:
            writer.kernel(kernel)
            for block in kernel:
                writer.block(block)
    for name in [each for each in os.listdir(folder) if each.endswith(".traceg")]:
        path = os.path.join(folder, name)
        warps = _Warps(where)
        with open(path, encoding="utf-8") as lines, open(path + ".new", "w", encoding="utf-8") as changed:
            changed.writelines(map(warps.line, lines))
        os.replace(path + ".new", path)
    return folder
