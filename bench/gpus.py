# SPDX-License-Identifier: BSD-2-Clause
"""The same kernels on 1, 2 and 4 GPUs of one address space (gpu.count), each a whole Kepler: cycles, bytes on the GPUs'
links, and the share of requests of L2 for another GPU's pages, under three protocols and both placements of pages; with
homes of pages in memory, or in the L2 before memory (gpu.home).

    python3 bench/gpus.py [--only KERNEL[,...]] [--gpus 1,2,4] [--protocols a,b,...] [--homes memory,l2] [--jobs N]
                          [--link WIDTH,LATENCY] [TRACE ...]

Output is a figure a line, NAME VALUE UNIT. A TRACE is a folder or file of `gpucache run`; without any, synthetic
kernels alone.
"""

import argparse
import concurrent.futures
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bindings" / "python"))
import gpucache  # noqa: E402

PRESET = "kepler"
KERNELS = {
    "vectoradd": "synthetic:vectoradd:512KiB",
    "transpose": "synthetic:transpose-tiled:512KiB",
    "matmul": "synthetic:matmul-tiled:64KiB",
    "gather": "synthetic:gather:256KiB",
    "sssp": "synthetic:sssp:256KiB:first=3,launches=1",
}
PROTOCOLS = "nmoesi", "moesi", "vi"
PLACEMENTS = "first-touch", "round-robin"


def settings(gpus, protocol, placement, link, home="memory"):
    found = {
        "mode": "timed", "coherence": protocol, "gpu.count": gpus, "page.placement": placement, "page.bytes": "4KiB",
        "gpu.link_width": link[0], "gpu.link_latency": link[1], "gpu.home": home,
    }  # fmt: skip
    if protocol in ("vi", "hmg"):
        found |= {"l1.write_policy": "through", "l1.write_policy_local": "through"}
    return {key: str(value) for key, value in found.items()}


def run(task):
    source, gpus, protocol, placement, link, home = task
    with gpucache.Context() as context:
        with gpucache.Config(context, PRESET, settings(gpus, protocol, placement, link, home)) as config:
            with gpucache.Replay(context, config) as replay, gpucache.Trace(context, source) as trace:
                for _ in replay.run(trace):
                    pass
                stats = replay.stats()
    if gpus == 1:
        return stats["cycles"], 0, 0
    local, remote = stats["gpu.local_requests"], stats["gpu.remote_requests"]
    return stats["cycles"], stats["gpu_link.bytes"], remote / max(1, local + remote)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("traces", metavar="TRACE", nargs="*")
    parser.add_argument("--only", default=",".join(KERNELS))
    parser.add_argument("--gpus", default="1,2,4")
    parser.add_argument("--protocols", default=",".join(PROTOCOLS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--homes", default="memory")
    parser.add_argument("--link", default="64,200", help="bytes a network cycle, and cycles")
    options = parser.parse_args()
    sources = {name: source for name, source in KERNELS.items() if name in options.only.split(",")}
    sources |= {pathlib.Path(trace).name: trace for trace in options.traces}
    link = tuple(options.link.split(","))
    tasks = {
        (name, gpus, protocol, placement, home): (source, gpus, protocol, placement, link, home)
        for name, source in sources.items() for gpus in map(int, options.gpus.split(","))
        for protocol in options.protocols.split(",") for placement in (PLACEMENTS if gpus > 1 else PLACEMENTS[:1])
        for home in (options.homes.split(",") if gpus > 1 else ["memory"])
    }  # fmt: skip
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for (name, gpus, protocol, placement, home), result in zip(tasks, pool.map(run, tasks.values())):
            label = f"{name}/{gpus}/{protocol}" + (f"/{placement}" if gpus > 1 else "")
            label += "/l2" if home == "l2" else ""
            print(f"{label}/cycles {result[0]} cycles")
            if gpus > 1:
                print(f"{label}/link {result[1]} bytes")
                print(f"{label}/remote {100 * result[2]:.1f} %", flush=True)


if __name__ == "__main__":
    main()
