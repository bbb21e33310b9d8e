# SPDX-License-Identifier: BSD-2-Clause
"""Two caches write bytes of one block in turn: what protocols make of false sharing, one of our own among them."""

from typing import Tuple

import gpucache


def tree(context: gpucache.Context, protocol: str) -> gpucache.Coherence:
    caches = [
        gpucache.CoherenceModule(f"l1-{number}", low=["memory"], low_network="bus", sets=16, ways=4)
        for number in range(2)
    ]
    memory = gpucache.CoherenceModule("memory", high_network="bus", memory=True, ways=0, latency=20)
    return gpucache.Coherence(context, [*caches, memory], [gpucache.CoherenceNetwork("bus")], protocol)


def share(system: gpucache.Coherence) -> Tuple[int, bytes]:
    """Each byte of a block is written by one of the caches in turn, then five blocks of a set of four ways are read."""
    start = system.clock
    for number in range(8):
        system.n_store(f"l1-{number % 2}", 0x100 + number, bytes([number + 1]))
    for number in range(5):
        system.load("l1-0", 0x10000 + 16 * 64 * number)
    cycles = system.clock - start
    system.flush()
    return cycles, system.read_memory(0x100, 8)


def loud(context: gpucache.Context) -> None:
    """NMOESI with a message for the eviction of an unmodified block."""
    tables = context.protocol("nmoesi").tables()
    for state in "ES":
        tables["first"][state]["eviction"] = ("notify", "I")
    context.register(gpucache.Protocol("loud-nmoesi", **tables, flags="directory|peer"))


def main() -> None:
    context = gpucache.Context()
    loud(context)
    print("protocol     cycles  bytes  memory")
    for protocol in ("msi", "mesi", "moesi", "nmoesi", "loud-nmoesi"):
        system = tree(context, protocol)
        cycles, memory = share(system)
        stats = system.stats()
        print(f"{protocol:12} {cycles:6} {stats['low_sent'] + stats['high_sent']:6}  {memory.hex()}")


if __name__ == "__main__":
    main()
