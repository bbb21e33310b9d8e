# SPDX-License-Identifier: BSD-2-Clause
"""info: contents of a trace."""

import json
from collections import Counter

from .. import _notes
from .._constants import Control, OpClass, Order
from .._names import kernel_name
from ._common import add_kernels, add_verbose, context, left_out, opened, size, terminal


def add(commands):
    parser = commands.add_parser("info")
    parser.add_argument("trace", metavar="TRACE", help="as for the command run")
    add_kernels(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_verbose(parser)
    parser.set_defaults(run=run)


def read(trace, kernel):
    """Blocks, instructions, memory instructions by opcode, and fences and ordered accesses of the rest of a kernel."""
    counts = Counter()
    classes = {}
    blocks = 0
    for block in kernel:
        blocks += 1
        for warp in block:
            opcodes = warp.column("opcode")
            counts.update(opcodes)
            if not classes.keys() >= set(opcodes):
                classes.update(zip(opcodes, warp.column("op_class")))
        terminal.progress(lambda: f"{100 * trace.progress:3.0f} % kernel {kernel.index}, {blocks:,} blocks")
    memory = {}
    for number, count in counts.items():
        if classes[number] == OpClass.MEMORY:
            memory[trace.opcode(number)] = memory.get(trace.opcode(number), 0) + count
    ordered = dict(sorted(memory.items(), key=lambda pair: (-pair[1], pair[0])))
    return blocks, sum(counts.values()), ordered, _ordering(trace, counts, classes)


def _ordering(trace, counts, classes):
    """{opcode: {count, scope, order, control}} of fences, and of accesses stronger than weak."""
    found = {}
    for number, count in sorted(counts.items(), key=lambda pair: (-pair[1], trace.opcode(pair[0]))):
        ordering = trace.ordering(number)
        if classes[number] != OpClass.FENCE and ordering.order == Order.WEAK:
            continue
        entry = found.setdefault(trace.opcode(number), {"count": 0})
        entry["count"] += count
        entry["scope"] = ordering.scope.name.lower() if ordering.order != Order.WEAK else None
        entry["order"] = ordering.order.name.lower()
        entry["control"] = ordering.control.name.lower() if ordering.control != Control.NONE else None
    return found


def describe(trace, kernel):
    blocks, instructions, memory, ordering = read(trace, kernel)
    return {
        "number": kernel.index + 1,
        "name": kernel.name,
        "file": kernel.file,
        "id": kernel.id,
        "grid": list(kernel.grid),
        "block": list(kernel.block),
        "registers": kernel.registers,
        "shared_bytes": kernel.shared_bytes,
        "warp_lanes": kernel.warp_lanes,
        "binary_version": kernel.binary_version,
        "tracer_version": kernel.tracer_version,
        "blocks": blocks,
        "instructions": instructions,
        "memory_instructions": memory,
        "ordering": ordering,
        "placement_sms": len(set(kernel.placement)) if kernel.placement is not None else None,
    }


def _lines(kernel):
    """A kernel for the reader."""
    sms = kernel["placement_sms"]
    grid, block = ("x".join(map(str, kernel[name])) for name in ("grid", "block"))
    memory = kernel["memory_instructions"]
    yield f"kernel {kernel['number']}: {kernel_name(kernel['name'])}"
    yield f"  file          {kernel['file']}"
    yield f"  launch        grid {grid}, block {block}, {kernel['warp_lanes']} lanes a warp"
    yield f"  needs         {kernel['registers']} registers a thread, {size(kernel['shared_bytes'])} shared a block"
    yield f"  placement     {'unknown' if sms is None else f'on {sms} SMs'}"
    yield f"  blocks        {kernel['blocks']:,}"
    yield f"  instructions  {kernel['instructions']:,}, of them {sum(memory.values()):,} of memory"
    for opcode, count in memory.items():
        yield f"    {count:>12,}  {opcode}"
    ordering = kernel["ordering"]
    if ordering:
        yield f"  ordering      {sum(entry['count'] for entry in ordering.values()):,} fences and strong accesses"
    for opcode, entry in ordering.items():
        words = [entry["order"] if entry["scope"] else "", entry["scope"], entry["control"]]
        yield f"    {entry['count']:>12,}  {opcode:<24}  {' '.join(word for word in words if word)}".rstrip()


def run(options):
    kernels = []
    with context(options) as made, opened(made, options, options.trace) as trace:
        for kernel in trace:
            kernels.append(describe(trace, kernel))
            terminal.clear()
            if not options.json:
                print("\n".join(_lines(kernels[-1])))
        others, notes = left_out(trace, len(kernels)), trace.notes
    if options.json:
        told = {} if options.kernels is None else {"only_kernels": options.kernels, "left_out": others}
        document = {"schema": 1, "trace": options.trace, **told, "kernels": kernels}
        print(json.dumps({**document, "notes": _notes.document(options.trace, notes)}, indent=2))
        return
    if others:
        print(f"left out: {others:,} of {others + len(kernels):,} kernels")
    if notes:
        print("\n".join(["notes", *(f"  {_notes.line(note)}" for note in notes)]))
