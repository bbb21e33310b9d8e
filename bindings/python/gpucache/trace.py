# SPDX-License-Identifier: BSD-2-Clause
"""Traces: kernels of thread blocks of warps of instructions, read block by block."""

from __future__ import annotations

import array
import ctypes
import weakref
from collections import namedtuple
from typing import Any, Callable, Iterable, Iterator, List, Optional, Tuple, Union

from . import _buffers
from . import _generated as g
from ._constants import Control, Hint, Kind, NoteReason, OpClass, Order, Priority, Scope, Space, Status, TraceFormat
from ._loader import lib
from ._native import Handle, call, choice, decoded, drop, hold, later, loose, text
from .config import Path
from .context import Context
from .errors import StateError

# Effect of an opcode on the order of memory, and on caches.
Ordering = namedtuple("Ordering", "scope order control")

# `size` is the default problem size in bytes.
Synthetic = namedtuple("Synthetic", "name summary size")

# An instruction or a line without effect, or run by a guess: as gpc_note. `reason` is a NoteReason.
Note = namedtuple("Note", "reason text file line count bytes why")

_RECORD = ctypes.sizeof(g.gpc_instruction)
_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}


def synthetics() -> List[Synthetic]:
    """Every synthetic kernel for traces named synthetic:NAME[:SIZE]."""
    found = []
    for index in range(lib.gpc_synthetic_count()):
        name, summary, size = ctypes.c_char_p(), ctypes.c_char_p(), ctypes.c_uint64()
        call(lib.gpc_synthetic_at, index, ctypes.byref(name), ctypes.byref(summary), ctypes.byref(size))
        found.append(Synthetic(decoded(name.value), decoded(summary.value), size.value))
    return found


class Instruction:
    """A warp instruction; lives as long as its block."""

    __slots__ = ("_block", "_raw")

    def __init__(self, block: Block, raw: Any) -> None:
        self._block = block
        self._raw = raw

    def __getattr__(self, name: str) -> Any:
        """Plain fields: pc, mask, line, width."""
        self._block._live()
        return getattr(self._raw, name)

    @property
    def opcode(self) -> str:
        """Text, such as LDG.E.64."""
        return self._block._trace.opcode(self._raw_of("opcode"))

    @property
    def addresses(self) -> Tuple[int, ...]:
        """An address per active lane, ascending; () without addresses."""
        pointer = self._raw_of("addresses")
        return tuple(pointer[:bin(self._raw.mask).count("1")]) if pointer else ()

    @property
    def registers(self) -> Tuple[List[int], ...]:
        """(destinations, sources), lists of register numbers."""
        count = self._raw_of("destinations")
        numbers = list(self._raw.registers)
        return numbers[:count], numbers[count:count + self._raw.sources]

    @property
    def op_class(self) -> OpClass:
        return OpClass(self._raw_of("op_class"))

    @property
    def kind(self) -> Kind:
        return Kind(self._raw_of("kind"))

    @property
    def space(self) -> Space:
        return Space(self._raw_of("space"))

    @property
    def hint(self) -> Hint:
        return Hint(self._raw_of("hint"))

    @property
    def priority(self) -> Priority:
        return Priority(self._raw_of("priority"))

    @property
    def ordering(self) -> Ordering:
        """Ordering(scope, order, control) of the opcode."""
        return self._block._trace.ordering(self._raw_of("opcode"))

    def _raw_of(self, name):
        self._block._live()
        return getattr(self._raw, name)


class Warp:
    """A warp of a block: a sequence of Instruction; lives as long as its block."""

    __slots__ = ("_block", "_raw", "index")

    def __init__(self, block: Block, raw: Any) -> None:
        self._block = block
        self._raw = raw
        self.index = raw.warp

    def __len__(self) -> int:
        self._block._live()
        return self._raw.count

    def __getitem__(self, position: int) -> Instruction:
        count = len(self)
        if not -count <= position < count:
            raise IndexError(f"instruction {position} of {count}")
        return Instruction(self._block, self._raw.instructions[position % count])

    def __iter__(self) -> Iterator[Instruction]:
        return (self[position] for position in range(len(self)))

    def column(self, field: str) -> List[int]:
        """A numeric field of all instructions, as a list: pc, mask, opcode (a number), op_class, kind, width, ..."""
        place = getattr(g.gpc_instruction, field)
        count = len(self)
        if not count:
            return []
        records = (ctypes.c_char * (_RECORD * count)).from_address(ctypes.addressof(self._raw.instructions.contents))
        numbers = memoryview(records).cast("B").cast(_CODES[place.size])
        return numbers[place.offset // place.size::_RECORD // place.size].tolist()


class Block:
    """A thread block: a sequence of Warp. Lives until release(); a loop over Kernel calls release()."""

    def __init__(self, trace: Trace, pointer: Any) -> None:
        self._trace = trace
        self._pointer = pointer
        raw = pointer.contents
        self.position = raw.x, raw.y, raw.z
        self.index = raw.index  # linear
        self.instruction_count = raw.instruction_count
        self._warps = raw.warps
        self._count = raw.warp_count

    def _live(self):
        if self._pointer is None or self._trace.closed:
            raise StateError(Status.ERROR_STATE, f"thread block {self.index} has been released")
        return self._pointer

    def __len__(self) -> int:
        self._live()
        return self._count

    def __getitem__(self, position: int) -> Warp:
        count = len(self)
        if not -count <= position < count:
            raise IndexError(f"warp {position} of {count}")
        return Warp(self, self._warps[position % count])

    def __iter__(self) -> Iterator[Warp]:
        return (self[position] for position in range(len(self)))

    def release(self) -> None:
        """Give the block's memory back for reuse."""
        pointer, self._pointer = self._pointer, None
        if pointer is not None and not self._trace.closed:
            later(self._trace._release, pointer)

    def __enter__(self) -> Block:
        return self

    def __exit__(self, *_):
        self.release()

    def __del__(self):
        if getattr(self, "_pointer", None) is not None:
            self.release()


class Kernel:
    """A kernel of a trace: a description, which stays valid, and blocks, until the trace's next kernel.

    name (mangled), file, id, index, grid, block (both x, y, z), shared_bytes, registers, binary_version,
    tracer_version, warp_lanes, stream, shared_base, local_base, block_count;
    placement: SM of each block as array("I"), None if unknown
    """

    _FIELDS = (
        "id", "index", "shared_bytes", "registers", "binary_version", "tracer_version", "warp_lanes", "stream",
        "shared_base", "local_base", "block_count",
    )  # fmt: skip

    def __init__(self, trace: Trace, raw: Any) -> None:
        self._trace = trace
        self.name = decoded(raw.name)
        self.file = decoded(raw.file)
        self.grid = tuple(raw.grid)
        self.block = tuple(raw.block)
        for field in self._FIELDS:
            setattr(self, field, getattr(raw, field))
        self.placement = None
        if raw.placement:
            place = ctypes.addressof(raw.placement.contents)
            self.placement = array.array("I", (ctypes.c_uint32 * raw.placement_count).from_address(place))
        self._raw = self._copy(raw)

    def _copy(self, raw):
        """A lasting copy of the description."""
        copy = g.gpc_kernel.from_buffer_copy(raw)
        copy.name = raw.name
        copy.file = raw.file
        if self.placement is not None:
            copy.placement = (ctypes.c_uint32 * len(self.placement)).from_buffer(self.placement)
        if raw.recording:
            copy.recording = ctypes.pointer(self._recording(raw.recording.contents))
        return copy

    def _recording(self, raw):
        """A lasting copy of the recording of a host's calls."""
        own = g.gpc_recording.from_buffer_copy(raw)
        self._turns = (g.gpc_turn * raw.turn_count)()
        if raw.turn_count:
            ctypes.memmove(self._turns, raw.turns, ctypes.sizeof(self._turns))
        own.turns = self._turns
        return own

    def next_block(self) -> Optional[Block]:
        """The next Block, for release by the caller, or None at the end of the kernel."""
        if self._trace._kernel is not self:
            raise StateError(Status.ERROR_STATE, f"the trace has left kernel {self.index}")
        return self._trace._next_block()

    def __iter__(self) -> Iterator[Block]:
        """Blocks in order; each is released at the loop's next step."""
        while True:
            block = self.next_block()
            if block is None:
                return
            with block:
                yield block


@loose(g.gpc_memcpy_fn)
def _on_memcpy(trace, address, size):
    trace._on_memcpy(address, size)


# Values for the argument `kernels` of Trace.
Kernels = Union[int, str, Iterable[Union[int, str]]]


class Trace(Handle):
    """An open trace; iterating gives its kernels.

    source     .traceg (plain, .xz, .gz, .zst), kernelslist.g, a folder of such files or of a tracer's output, a .gct, a
               table of memory instructions, "-" for standard input, or synthetic:NAME[:SIZE]
    kernels    the kernels to read, None = all: a number, or text such as "3, 5-8, 10-, relu*". Numbers count the
               trace's kernels from 1 (Kernel.index + 1); names are mangled or plain, with * and ?. A list holds
               several. With numbers, other files of a list are not opened
    on_memcpy  called with (device address, bytes) when a copy command of a kernelslist.g is reached
    """

    def __init__(self, context: Context, source: Path, *, kernels: Optional[Kernels] = None,
                 on_memcpy: Optional[Callable[[int, int], Any]] = None) -> None:  # fmt: skip
        self.source = source
        self._kernel = None
        self._opcodes = {}
        self._on_memcpy = on_memcpy
        source = text(source, "source")
        self._create(lib.gpc_trace_close, lib.gpc_trace_open, context._live(), source, keep=(context,))
        if kernels is not None:
            self._choose(kernels)
        if on_memcpy is not None:
            token = hold(weakref.ref(self))
            weakref.finalize(self, drop, token).atexit = False
            lib.gpc_trace_on_memcpy(self._live(), _on_memcpy, token)

    def _choose(self, kernels):
        items = [kernels] if isinstance(kernels, (str, int)) else kernels
        try:
            call(lib.gpc_trace_choose, self._live(), text(",".join(map(str, items)), "kernels"))
        except BaseException:
            self.close()
            raise

    def next_kernel(self) -> Optional[Kernel]:
        """The next Kernel, past the rest of the present kernel; None at the end."""
        raw = g.gpc_kernel()
        if call(lib.gpc_trace_next_kernel, self._live(), ctypes.byref(raw)) == Status.END:
            self._kernel = None
            return None
        return self._entered(raw)

    def _entered(self, raw):
        self._kernel = Kernel(self, raw)
        return self._kernel

    def __iter__(self) -> Iterator[Kernel]:
        while True:
            kernel = self.next_kernel()
            if kernel is None:
                return
            yield kernel

    def _next_block(self):
        out = ctypes.POINTER(g.gpc_block)()
        if call(lib.gpc_trace_next_block, self._live(), ctypes.byref(out)) == Status.END:
            return None
        return Block(self, out)

    def _release(self, pointer):
        if not self.closed:
            lib.gpc_trace_release_block(self._pointer, pointer)

    @property
    def kernel_count(self) -> int:
        """Kernels in the trace, chosen or not; 0 if unknown before the end."""
        return lib.gpc_trace_kernel_count(self._live())

    @property
    def progress(self) -> float:
        """How far the trace has been read, 0 to 1."""
        return lib.gpc_trace_progress(self._live())

    def opcode(self, number: int) -> str:
        """Text of an opcode number, "" for an unknown number."""
        if number not in self._opcodes:
            found = decoded(lib.gpc_trace_opcode(self._live(), number))
            if not found:
                return found
            self._opcodes[number] = found
        return self._opcodes[number]

    def ordering(self, number: int) -> Ordering:
        """Ordering(scope, order, control) of an opcode number: a Scope, an Order and a Control."""
        raw = g.gpc_ordering()
        call(lib.gpc_trace_ordering, self._live(), number, ctypes.byref(raw))
        return Ordering(Scope(raw.scope), Order(raw.order), Control(raw.control))

    @property
    def notes(self) -> List[Note]:
        """Notes so far: unknown opcodes, missing addresses, ignored lines, copies of the host."""
        found = []
        for index in range(lib.gpc_trace_note_count(self._live())):
            raw = g.gpc_note()
            call(lib.gpc_trace_note, self._live(), index, ctypes.byref(raw))
            texts = decoded(raw.text), decoded(raw.file)
            found.append(Note(NoteReason(raw.reason), *texts, raw.line, raw.count, raw.bytes, decoded(raw.why)))
        return found


# Arrays of TraceWriter.accesses(), by element size.
_ACCESS_CODES = {"masks": "Q", "pcs": "Q", "blocks": "I", "warps": "I", "widths": "I", "kinds": "B"}


class TraceWriter(Handle):
    """Writes a trace: kernel(), its block()s, the next kernel(), ..., finish().

    A `with` block finishes the trace at its end, and leaves no file after an exception.
    """

    def __init__(self, context: Context, path: Path, format: Union[int, str] = TraceFormat.BINARY) -> None:
        format = choice(TraceFormat, format, "format")
        path = text(path, "path")
        destroy = lib.gpc_trace_writer_destroy
        self._create(destroy, lib.gpc_trace_writer_create, context._live(), path, format, keep=(context,))

    def kernel(self, kernel: Kernel) -> None:
        call(lib.gpc_trace_writer_kernel, self._live(), ctypes.byref(kernel._raw))

    def new_kernel(self, name: str = "kernel", grid: Union[int, Iterable[int]] = 1,
                   block: Union[int, Iterable[int]] = 32, *, registers: int = 0, shared_bytes: int = 0,
                   placement: Any = None) -> None:  # fmt: skip
        """Begin a new kernel; accesses() gives its instructions.

        grid, block  a number, or up to three: thread blocks, and threads of a block
        placement    the SM of each block, in order; None = unknown
        """
        raw = g.gpc_kernel(name=text(name, "name"), registers=registers, shared_bytes=shared_bytes, warp_lanes=32)
        for field, size in (("grid", grid), ("block", block)):
            size = (size,) if isinstance(size, int) else tuple(size)
            getattr(raw, field)[:] = (*size, 1, 1)[:3]
        if placement is not None:
            raw.placement, raw.placement_count = _buffers.source(placement, "I", "placement")
        call(lib.gpc_trace_writer_kernel, self._live(), ctypes.byref(raw))

    def accesses(self, addresses: Any, *, lanes: int = 32, masks: Any = None, width: int = 4, **fields: Any) -> None:
        """Memory instructions of the present kernel, of any blocks and warps, in order within a warp.

        addresses  8 bytes each: NumPy [count][lanes], or any buffer or list, of `lanes` a row
        masks      active lanes of an instruction, a bit a lane, 8 bytes; None = all
        width      bytes a lane, for all instructions: 1, 2, 4, 8 or 16
        fields     arrays, an entry an instruction: pcs of 8 bytes, blocks, warps and widths of 4, kinds of 1 (Kind)
        The next kernel's begin, or finish(), writes the instructions.
        """
        batch = _buffers.batch(g.gpc_trace_accesses, addresses, lanes, width, _ACCESS_CODES, {"masks": masks, **fields})
        call(lib.gpc_trace_writer_accesses, self._live(), ctypes.byref(batch))

    def block(self, block: Block) -> None:
        """The kernel's next block, of an open trace."""
        call(lib.gpc_trace_writer_block, self._live(), block._trace._live(), block._live())

    def finish(self) -> None:
        """Put the file in its place, and replace an existing file."""
        call(lib.gpc_trace_writer_finish, self._live())

    def __exit__(self, kind, *_):
        try:
            if kind is None and not self.closed:
                self.finish()
        finally:
            self.close()
