# SPDX-License-Identifier: BSD-2-Clause
"""Parts and results of a tree of caches: modules, steps, blocks, statistics."""

import ctypes
import json
import operator
from collections import namedtuple
from dataclasses import dataclass
from typing import NamedTuple, Optional, Sequence, Union

from . import _generated as g
from ._constants import (
    GPC_LINE_COUNT,
    AtomicOp,
    ChoiceKind,
    CoherenceKind,
    CoherenceState,
    CounterTable,
    DirectoryOverflow,
    MessageKind,
    Origin,
    Status,
)
from ._loader import lib
from ._native import call, choice, decoded, text
from .errors import ArgumentError
from .stats import counters_of

# Addresses served by a module: bytes from `first` to `last`; or (address / divisor) mod modulus == residue; or the same
# test on a hash of address / divisor, as with l2.interleave = hash.
AddressRange = namedtuple("AddressRange", "first last")
Interleaved = namedtuple("Interleaved", "divisor modulus residue")
Hashed = namedtuple("Hashed", "divisor modulus residue")

STATES = "".join(member.name for member in CoherenceState)


@dataclass
class CoherenceNetwork:
    """A star network: a switch with a link each way to every module. Buffers in bytes, 0 = unlimited."""

    name: str
    bandwidth: int = 64  # bytes per cycle of a link
    input_buffer: int = 0
    output_buffer: int = 0


# Fields of a module with the library's names.
SAME_FIELDS = (
    "sets", "ways", "block_bytes", "latency", "directory_latency", "ports", "mshrs", "directory_ways", "memory",
    "non_inclusive", "any_victim", "write_through", "no_write_allocate", "index", "dense", "directory_pointers",
    "directory_region", "sectors", "home", "byte_masks", "fetch_blocks",
)  # fmt: skip


@dataclass
class CoherenceModule:
    """A cache or a memory. Modules and networks are referred to by name."""

    name: str
    low: Sequence[str] = ()  # modules next to memory
    low_network: Optional[str] = None
    high_network: Optional[str] = None
    sets: int = 1
    ways: int = 1  # memory with 0: a directory entry for every cached block
    block_bytes: int = 64
    latency: int = 1  # cycles to the data
    directory_latency: int = 0  # cycles of a lookup
    ports: int = 0  # for hosts that schedule; 0 = unlimited
    mshrs: int = 0
    replacement: str = "lru"
    serves: Union[None, AddressRange, Interleaved, Hashed] = None  # None: all addresses
    directory_ways: int = 0  # non-inclusive: entries for blocks held above only
    memory: bool = False
    non_inclusive: bool = False
    any_victim: bool = False  # True: invalid ways have no priority as victims
    write_through: bool = False
    no_write_allocate: bool = False
    index: int = 0  # an Index: hash of a block's number to its set
    dense: bool = False  # block numbers without gaps within the stretches of an interleaved module
    directory_pointers: int = 0  # copies named by a directory entry; 0: all
    directory_overflow: DirectoryOverflow = DirectoryOverflow.BROADCAST  # handling of further copies
    directory_region: int = 0  # COARSE: modules of a group
    sectors: int = 1  # blocks of a line with a shared tag
    home: int = 0  # GPU of the served pages; first level: GPU of pages touched first; 0: none, all
    byte_masks: bool = False  # stores fetch nothing
    fetch_blocks: int = 1  # blocks of a line read together
    near_of: Optional[str] = None  # other half of the cache; home of some pages, while this half copies all others


class Atomic(NamedTuple):
    """A read-modify-write of an access: an AtomicOp or a name, `width` bytes, `offset` bytes after the access's first.
    """

    op: object
    operand: int = 0
    compare: int = 0
    width: int = 4
    offset: int = 0


class Message(NamedTuple):
    """A step of a transaction; see gpc_coherence_message. Modules and the network are names, steps are places."""

    kind: MessageKind
    source: str
    target: str
    address: int
    bytes: int
    sent: int
    received: int
    network: Optional[str]
    after: Optional[int]
    delay: int
    join: Optional[int]
    needs: int
    request: Optional[int]
    masked: bool
    found: bool  # True if the lookup in `target` found a valid block


class Transition(NamedTuple):
    """A change of a block's state; states are letters of NMOESI."""

    cycle: int
    module: str
    set: int
    way: int
    tag_before: int
    before: str
    tag: int
    after: str
    origin: Origin


class DirectoryEntry(NamedTuple):
    """Directory entry of a sub-block: the owning module or None, and the modules with a copy."""

    owner: Optional[str]
    sharers: tuple


class CoherenceBlock(NamedTuple):
    """Contents of a block. `data` is None without data; `dirty` has a bit for each modified byte, the first lowest."""

    tag: int
    state: str
    recency: int
    data: Optional[bytes]
    dirty: int
    directory: tuple  # DirectoryEntry tuples, a sub-block each; () without modules above, and for invalid blocks
    sub_block_bytes: int


class Completion(NamedTuple):
    """End of an issued access; `data` are the bytes of a load, or the bytes after a store."""

    token: int
    module: str
    kind: CoherenceKind
    address: int
    issued: int
    cycle: int
    data: bytes
    retries: int
    hit: bool
    joined: bool  # was part of another access to the block
    atomics: tuple = ()  # old value for each Atomic


class Choice(NamedTuple):
    """A possible next step in a held tree. Not `ready`: the receiver's block is locked, without a place for the
    message."""

    kind: ChoiceKind
    message: Optional[MessageKind]  # None: no message
    source: str
    target: str
    address: int
    ready: bool


class CoherenceResult(NamedTuple):
    """Result of an access. `data` are the read bytes; `level` is the deepest level asked for a copy."""

    completed: int
    hit: bool
    found: str
    state: str
    level: int
    data: bytes
    messages: list
    transitions: list
    atomics: tuple = ()  # old value for each Atomic


class CoherenceStats(dict):
    """Counters by name, of a module or several; `transitions` and `origins` are the matrices, [from][to].

    `states` are the names of rows and columns: NMOESI, and further states of the protocol.
    """

    def __init__(self, values, states, transitions, origins):
        super().__init__(values)
        self.states = states
        self.transitions = transitions
        self.origins = origins

    def changes(self):
        """{(from, to): (count, origin mask)} of all changes."""
        transitions, origins = self.transitions, self.origins
        return {
            (one, two): (transitions[i][j], origins[i][j])
            for i, one in enumerate(self.states) for j, two in enumerate(self.states)
            if transitions[i][j] or origins[i][j]
        }  # fmt: skip

    def matrices(self, title=""):
        """Both matrices as text, in the document's layout (Table 4.2)."""
        states = [g.gpc_protocol_state(text(name, "name of a state")) for name in self.states[GPC_LINE_COUNT:]]
        protocol = g.gpc_protocol(
            states=(g.gpc_protocol_state * len(states))(*states), state_count=len(states),
            letters="".join(self.states[:GPC_LINE_COUNT]).encode(),
        )  # fmt: skip
        matrices = [
            (kind * len(self.states) ** 2)(*(cell for row in rows for cell in row))
            for kind, rows in zip((ctypes.c_uint64, ctypes.c_uint32), (self.transitions, self.origins))
        ]  # fmt: skip
        arguments = ctypes.byref(protocol) if states else None, *matrices, text(title, "title")
        buffer = ctypes.create_string_buffer(lib.gpc_protocol_matrices_text(*arguments, None, 0) + 1)
        lib.gpc_protocol_matrices_text(*arguments, buffer, len(buffer))
        return decoded(buffer.value)

    def json(self):
        """One JSON object."""
        more = {"states": self._states_as_json(), "transitions": self.transitions, "origins": self.origins}
        return json.dumps({**self, **more})

    def _states_as_json(self):
        return list(self.states) if len(self.states) > GPC_LINE_COUNT else "".join(STATES)

    @property
    def hit_ratio(self):
        """Hit ratio of accesses: a processor's, or requests of modules above. None without accesses."""
        kinds = "load", "store", "n_store", "read_request", "write_request"
        asked = sum(self[self._plural(kind)] for kind in kinds)
        return sum(self[f"{kind}_hits"] for kind in kinds) / asked if asked else None

    @property
    def lumped_hit_ratio(self):
        """Multi2Sim's hit ratio: of all lookups, including probes, received write-backs and retries."""
        return self["hits"] / self["accesses"] if self["accesses"] else None

    @staticmethod
    def _plural(kind):
        return kind + "s"

    def __add__(self, other):
        if not isinstance(other, CoherenceStats):
            return NotImplemented
        if self.states != other.states:
            raise ValueError("CoherenceStats of protocols of different states")
        matrices = (
            [[both(one, two) for one, two in zip(*rows)] for rows in zip(mine, theirs)]
            for both, mine, theirs in (
                (operator.add, self.transitions, other.transitions), (operator.or_, self.origins, other.origins),
            )
        )  # fmt: skip
        return CoherenceStats({name: self[name] + other[name] for name in self}, self.states, *matrices)


def coherence_counters():
    """Names of the counters."""
    return [counter.name for counter in counters_of(CounterTable.COHERENCE)]


def atomics_for(request, atomics, size):
    """Atomics of a request in memory; keep them alive until the request ends."""
    made = (g.gpc_atomic * len(atomics))(*(
        g.gpc_atomic(operand=one.operand, compare=one.compare, offset=one.offset, op=choice(AtomicOp, one.op, "op"),
                     width=one.width) for one in (Atomic(*each) for each in atomics)
    ))  # fmt: skip
    if len(made):
        request.atomics, request.atomic_count = made, len(made)
        if size is None:
            request.size = max(one.offset + one.width for one in made)
    return made


def atomics_found(atomics):
    return tuple(one.old for one in atomics)


def matrices_of(tree, index, count):
    """(transitions, origins), [from][to], of `count` states: the protocol's, or the six."""
    transitions, origins = ((kind * count * count)() for kind in (ctypes.c_uint64, ctypes.c_uint32))
    call(
        lib.gpc_coherence_get_matrices, tree, index, count, ctypes.cast(transitions, ctypes.POINTER(ctypes.c_uint64)),
        ctypes.cast(origins, ctypes.POINTER(ctypes.c_uint32)),
    )  # fmt: skip
    return [list(row) for row in transitions], [list(row) for row in origins]


def packed(mask, size):
    if not isinstance(mask, int):
        values = list(mask)
        if len(values) != size:
            raise ArgumentError(Status.ERROR_ARGUMENT, f"a mask of {len(values)} values for {size} bytes")
        mask = sum(1 << place for place, value in enumerate(values) if value)
    if mask < 0 or mask >> size:
        raise ArgumentError(Status.ERROR_ARGUMENT, f"mask {mask:#x} for {size} bytes")
    return mask.to_bytes((size + 7) // 8, "little")
