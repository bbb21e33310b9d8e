# SPDX-License-Identifier: BSD-2-Clause
"""The documents' programs, as sources of traces, with the documents' figures."""

from collections import namedtuple

from ..config import Config
from ..context import Context
from ..hierarchy import Hierarchy
from ..trace import Trace

# `source` is cut if the published size would take too long: omitted steps or blocks equal the kept ones. `quick` is cut
# further. `warp_max`, `warp_opt` and `gain` are of seeds/004, Table 4.1 (None: missing there), `large` of its Table
# 3.1: the speed-up of 16 times the caches.
Program = namedtuple("Program", "name source quick warp_max warp_opt gain large")

# PolyBench's 4,096 rows are 16 blocks. In seeds/004 an SM has one block of these programs (4 warps a scheduler, Table
# 4.1), and only GESUMMV, the exception (5.4.2), has an SM without blocks. Therefore 15 blocks, 3,840 rows, and fewer
# for GESUMMV: 2,048 rows, 8 blocks. The numbers of columns are unknown too: of those tried by 004:set-hashing, these have
# most of the document's figures.
POLYBENCH, FEWER_BLOCKS = "60000KiB:columns=4000", "16MiB:columns=2048"

# seeds/004, Table 3.2.
SENSITIVE = [
    # EAM, 20 unit cells along a side, the defaults; one wave of blocks of 250. The Makefile asks for double precision;
    # then 16 times the caches give a speed-up of 1.08, without cache sensitivity, unlike the document. Therefore single
    # precision, the other option.
    Program("CoMD", "synthetic:comd-eam:512KiB:blocks=120,double=0",
            "synthetic:comd-eam:512KiB:blocks=120,double=0,launch=1,steps=9", 16, 6, 1.53, 2.45),
    # II, SM, SS and WC: Mapper of Mars from its source, 90 blocks, as many as the GPU holds at once. The number of
    # records is unknown. Of each record of 1,024 or 2,048 bytes the first bytes are scanned (`scanned`). SS: the first of
    # 523,776 pairs.
    Program("II", "synthetic:inverted-index:23580KiB:scanned=256", "synthetic:inverted-index:23580KiB:scanned=64", 24, 2, 1.24,
            5.05),
    # The document names no graph. Sources of LonestarGPU's bfs and sssp: the list of applications below, with r4-2e20.gr
    # first (a million nodes of 4 edges), rmat20.gr and a road map; and LonestarGPU's own scripts, with another road map.
    # Road maps are no generated graphs. r4-2e20 was chosen before its figures were seen. All launches of bfs, and the
    # first ten of 19 of sssp; of each launch 90 of 2,048 blocks, twice as many as the GPU holds at once.
    Program("BFS", "synthetic:bfs:16MiB:blocks=90", "synthetic:bfs:4MiB:blocks=45,first=4,launches=2", 24, 8, 1.02, 2.30),
    # The document's source is [77], Rogers et al., a program without textures that measures points in place; KMEANS,
    # 1.59 in Table 3.1, is Rodinia's own. That group's list of applications (gpgpu-sim_simulations, define-all-apps.yml)
    # has the input 28k_4x_features: about 28,000 points of 4 x 34 features, 5 clusters by default. Here are 90 of
    # 110 blocks, as many as the GPU holds at once, and two clusters.
    Program("KMN", "synthetic:rodinia-kmeans:12240KiB:texture=0,features=136,clusters=2",
            "synthetic:rodinia-kmeans:3060KiB:texture=0,features=34,clusters=1", 24, 1, 2.68, 7.46),
    Program("SM", "synthetic:string-match:23160KiB:scanned=100", "synthetic:string-match:23160KiB:scanned=32", 24, 2, 1.18, 1.63),
    Program("SS", "synthetic:similarity-score:1MiB:pairs=23040", "synthetic:similarity-score:1MiB:pairs=23040", 24, 2, 1.11, 2.38),
    Program("SSSP", "synthetic:sssp:16MiB:blocks=90,launches=10",
            "synthetic:sssp:4MiB:blocks=45,first=6,launches=1", 24, 8, 1.05, 2.20),
    # The first two launches of 1,611, three blocks for each SM.
    Program("SCLUSTER", "synthetic:rodinia-streamcluster:64MiB:dimensions=256,blocks=45,launches=2,apart=1",
            "synthetic:rodinia-streamcluster:16MiB:dimensions=64,blocks=45", 24, 4, 2.44, 6.14),
    Program("ATAX", f"synthetic:polybench-atax:{POLYBENCH},steps=256",
            f"synthetic:polybench-atax:{POLYBENCH},steps=64", 4, 4, 1.0, 2.99),
    Program("BICG", f"synthetic:polybench-bicg:{POLYBENCH},steps=256",
            f"synthetic:polybench-bicg:{POLYBENCH},steps=64", 4, 4, 1.0, 2.70),
    Program("GESUMMV", f"synthetic:polybench-gesummv:{FEWER_BLOCKS},steps=512",
            f"synthetic:polybench-gesummv:{FEWER_BLOCKS},steps=64", 4, 1, 1.69, 3.36),
    Program("MVT", f"synthetic:polybench-mvt:{POLYBENCH},steps=256",
            f"synthetic:polybench-mvt:{POLYBENCH},steps=64", 4, 4, 1.0, 2.90),
    Program("CFD", "synthetic:rodinia-cfd:1900KiB", "synthetic:rodinia-cfd:950KiB", None, None, None, 2.23),
    Program("WC", "synthetic:word-count:45MiB:scanned=128", "synthetic:word-count:45MiB:scanned=48", None, None, None, 2.73),
    Program("SP", "synthetic:sp:504000:rounds=1,passes=2", "synthetic:sp:126000:rounds=1,passes=1", None, None, None, 2.05),
]  # fmt: skip
CHAPTER_4 = [program for program in SENSITIVE if program.warp_max]
CHAPTER_5 = [program for program in SENSITIVE if program.name != "SP"]


def _columns(name, rows, *columns):
    kib = rows * 4 // 1024  # of a column
    return [(f"{n:,} columns", f"synthetic:polybench-{name.lower()}:{kib * n}KiB:columns={n},steps=64") for n in columns]


# Sizes of 004:set-hashing, cut. The first size of a program is the one above.
SIZES = {**{name: _columns(name, 3840, 4000, 3950, 3840) for name in ("ATAX", "BICG", "MVT")},
         "GESUMMV": _columns("GESUMMV", 2048, 2048, 2016, 3000),
         "SCLUSTER": [("65,536 points", "synthetic:rodinia-streamcluster:16MiB:dimensions=64,blocks=45")]}  # fmt: skip

# Programs slowed down by AgeLRU (5.4.1.4).
INSENSITIVE = [
    Program("GEMM", "synthetic:polybench-gemm:1MiB:steps=64", "synthetic:polybench-gemm:256KiB:steps=16",
            None, None, None, 1.10),
    Program("3MM", "synthetic:polybench-3mm:1MiB:steps=32", "synthetic:polybench-3mm:256KiB:steps=8",
            None, None, None, 1.07),
]  # fmt: skip
NO_ATAXI = "the document does not say what it computes"  # reason for the missing third program


def names(programs):
    return tuple(program.name for program in programs)


def warp_max(preset, source):
    """Largest number of resident warps for each scheduler, in any kernel. A further last block of a few SMs is not
    counted: for 16 blocks on 15 SMs, the document has one block an SM."""
    with Context() as context, Config(context, preset) as config, Trace(context, source) as trace:
        with Hierarchy(context, config) as hierarchy:
            most = 0
            for kernel in trace:
                x, y, z = kernel.block
                fit = hierarchy.occupancy(
                    threads=x * y * z, registers=kernel.registers, shared_bytes=kernel.shared_bytes
                )
                fit = min(fit, max(1, kernel.block_count // config.number("sm.count")))
                warps = -(-(x * y * z) // config.number("sm.lanes"))
                most = max(most, -(-warps * fit // config.number("sm.schedulers")))
            return most


def launches_again(source):
    """True if a kernel of the program is launched more than once."""
    with Context() as context, Trace(context, source) as trace:
        names = [kernel.name for kernel in trace]
    return len(set(names)) < len(names)
