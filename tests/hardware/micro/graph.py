# SPDX-License-Identifier: BSD-2-Clause
"""The graph that bfs of ../shared/traces/h100 searched, from the addresses of its launches, for bfs.cu.

    python3 tests/hardware/micro/graph.py FILE [TRACES]

FILE: int32 nodes, int32 edges; per node the first edge and the number of edges; per edge the node at the end; per node
a byte, the level of the search that finds the node (255: not found).
"""

import lzma
import pathlib
import re
import struct
import sys

TRACES = pathlib.Path(__file__).resolve().parents[4] / "shared/traces/h100/bfs"
NODES, NODE_BYTES, COUNT = 0x7FBAD5E00000, 8, 65536
EDGES, EDGES_END = 0x7FBADA800000, 0x7FBADA980E00
VISITED = 0x7FBADA9A0E00
LEVELS = 11
LOAD = re.compile(r"\w+ (\w{8}) 1 R\d+ LDG\.E(?:\.U8)? 1 R\d+ \d+ (\d) (.*)")


def addresses(form, words, lanes):
    """Addresses in FORMAT.md's forms: a stride, differences, or a list."""
    first = int(words[0], 16)
    if form == 1:
        return [first + i * int(words[1]) for i in range(len(lanes))]
    if form == 2:
        found = [first]
        for word in words[1 : len(lanes)]:
            found.append(found[-1] + int(word))
        return found
    return [int(word, 16) for word in words[: len(lanes)]]


def loads(path):
    """(lanes, addresses) of the loads in a warp's order; None at the beginning of another warp."""
    with lzma.open(path, "rt") as lines:
        for line in lines:
            if line.startswith("warp"):
                yield None
            found = LOAD.match(line)
            if found:
                lanes = [lane for lane in range(32) if int(found[1], 16) >> lane & 1]
                if lanes:
                    yield lanes, addresses(int(found[2]), found[3].split(), lanes)


def search(folder):
    """(first edge per node, number of edges per node, end of each edge, level of each node)."""
    first, count, ends, level = {}, {}, {}, {}
    for number in range(LEVELS):
        node, edges = {}, []
        for load in loads(folder / f"kernel-{2 * number + 1}.traceg.xz"):
            if load is None:
                node = {}
                continue
            lanes, at = load
            if NODES <= at[0] < NODES + NODE_BYTES * COUNT:
                node.update((lane, (a - NODES) // NODE_BYTES) for lane, a in zip(lanes, at))
                level.update((node[lane], number) for lane in lanes)
            elif EDGES <= at[0] < EDGES_END:
                edges = [(a - EDGES) // 4 for a in at]
                for lane, edge in zip(lanes, edges):
                    first.setdefault(node[lane], edge)
                    count[node[lane]] = edge - first[node[lane]] + 1
            elif VISITED <= at[0] < VISITED + COUNT:
                ends.update((edge, a - VISITED) for edge, a in zip(edges, at))
    return first, count, ends, level


def main():
    first, count, ends, level = search(pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else TRACES)
    edges = max(ends) + 1
    with open(sys.argv[1], "wb") as file:
        file.write(struct.pack("<ii", COUNT, edges))
        for node in range(COUNT):
            file.write(struct.pack("<ii", first.get(node, 0), count.get(node, 0)))
        file.write(struct.pack(f"<{edges}i", *(ends.get(edge, 0) for edge in range(edges))))
        file.write(bytes(level.get(node, 255) for node in range(COUNT)))
    print(f"{len(level)} of {COUNT} nodes, {len(ends)} edges")


if __name__ == "__main__":
    main()
