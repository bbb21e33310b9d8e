# SPDX-License-Identifier: BSD-2-Clause
"""Traces of ../shared/reference as the simulated programs, PTX written by hand.

The traces come from a script with knowledge of the loops: prologues are shorter, and one loop is in another order. In
the module a warp executes its PTX instruction by instruction, eight bytes apart, straight code around one loop. The
warp's trace gives the addresses of the loop, and the number of rounds.
"""

import re
from collections import namedtuple

OPCODES = {"ld.param": "LDC", "ld.global": "LDG.E", "st.global": "STG.E", "mad.f32": "FFMA", "sub.f32": "FADD",
           "mad": "IMAD", "mul": "IMAD", "add": "IADD3", "shl": "SHF", "setp": "ISETP", "mov": "MOV", "bra": "BRA",
           "exit": "EXIT"}  # fmt: skip
BYTES = 8  # size of a PTX instruction in GPGPU-Sim
LOOP, LOOP_END = 0x100, 0x190  # program counters of the traces' loops
OUT = 0x38000000  # address of a store behind the loop: not in the traces
FULL = "ffffffff"
PARAMETERS = 0x100  # address of a kernel's parameters, four bytes each

# `memory`: None, or "w" and "r".
Instruction = namedtuple("Instruction", "opcode writes reads memory")


def register(name):
    """A separate number for each of a program's %r, %f and %p."""
    return {"r": 0, "f": 64, "p": 96}[name[0]] + int(name[1:])


def opcode_of(operation):
    return next(OPCODES[name] for name in OPCODES if operation.startswith(name))


def parse(text):
    """The instructions of a program, the index of the loop's first instruction, and of the first one behind the
    loop."""
    program, labels, loop = [], {}, None
    for line in re.split(r"[\n;]", text.split("{", 1)[1].rsplit("}", 1)[0]):
        label = re.match(r"\s*(\$\w+):(.*)", line)
        if label:
            labels[label[1]] = len(program)
            line = label[2]
        line = line.strip()
        if not line or line.startswith("."):
            continue
        predicate, operation, operands = re.match(r"(?:@%(\w+) )?(\S+)\s*(.*)", line).groups()
        target = re.search(r"\$\w+", operands)
        if target and target[0] in labels:
            loop = labels[target[0]], len(program) + 1
        found = [register(name) for name in re.findall(r"%([rfp]\d+)", operands)]
        stores = operation.startswith("st.")
        writes = [] if stores or operation.startswith(("bra", "exit")) else found[:1]
        reads = found[len(writes):] + ([register(predicate)] if predicate else [])  # fmt: skip
        memory = {"ld.global": "r", "st.global": "w"}.get(".".join(operation.split(".")[:2]))
        program.append(Instruction(opcode_of(operation), writes, reads, memory))
    return program, loop


def lines_of(program, loop, body, thread):
    """Lines of a warp whose first thread is `thread`; `body` is the warp's trace."""
    accesses = [" ".join(line.split()[-4:]) for line in body
                if LOOP <= int(line.split()[0], 16) < LOOP_END and re.search(r" (LDG|STG)\.E ", line)]  # fmt: skip
    first, end = loop
    rounds, left = divmod(len(accesses), sum(i.memory is not None for i in program[first:end]))
    assert not left and rounds
    lines, accesses = [], iter(accesses)
    for at in [*range(first), *list(range(first, end)) * rounds, *range(end, len(program))]:
        i = program[at]
        where = "0"
        if i.opcode == "LDC":
            where = f"4 1 0x{PARAMETERS + 4 * at:x} 0"
        if i.memory:
            where = next(accesses) if at < end else f"4 1 0x{OUT + 4 * thread:016x} 4"
        registers = [" ".join([str(len(found)), *(f"R{n}" for n in found)]) for found in (i.writes, i.reads)]
        lines.append(f"{BYTES * at:04x} {FULL} {registers[0]} {i.opcode} {registers[1]} {where}")
    return lines


def as_simulated(trace, ptx):
    """The trace, the lines and the text of the given program, as text."""
    program, loop = parse(ptx)
    kept, at, block, warp, threads = [], 0, 0, 0, 0
    while at < len(trace):
        name, _, value = trace[at].partition(" = ")
        if name == "-block dim":
            threads = int(value.strip("()").split(",")[0])
        elif name == "thread block":
            block = int(value.split(",")[0])
        elif name == "warp":
            warp = int(value)
        if name == "insts":
            body = lines_of(program, loop, trace[at + 1:at + 1 + int(value)], block * threads + warp * 32)  # fmt: skip
            kept += [f"insts = {len(body)}", *body]
            at += int(value)
        else:
            kept.append(trace[at])
        at += 1
    return "\n".join(kept) + "\n"
