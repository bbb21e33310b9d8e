# SPDX-License-Identifier: BSD-2-Clause
"""Sampled replays against replays of the whole: speed-up, error, and share of true values within intervals of 95 %.

    python3 bench/sampled.py [--only CASE] [--sms N] [--seeds N]

Prints a table for bench/README.md: per case CPU seconds of the whole. Per way: share of timed warp instructions,
speed-up, error of cycles and half the interval, in percent; and, of 100 estimated counters above 100, the number with
the truth in the interval.
"""

import argparse
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "bindings", "python"))

import gpucache  # noqa: E402

# Many launches: traces replayed in turn.
LAUNCHES = {
    "stream, 400 launches": ["synthetic:stream:256KiB:turns=10"] * 10,
    "gather, 192 launches": [f"synthetic:gather:64KiB:seed={seed}" for seed in range(48)] * 4,
    "vectoradd after vecmul, 96": ["synthetic:vectoradd:64KiB", "synthetic:vecmul:2MiB"] * 48,
}
# Long ones.
BLOCKS = {
    "vectoradd, 16 MiB": ["synthetic:vectoradd:16MiB"],
    "vecmul, 16 MiB": ["synthetic:vecmul:16MiB"],
    "gather, 8 MiB": ["synthetic:gather:8MiB"],
    "relu, 16 MiB": ["synthetic:relu:16MiB"],
    "transpose, 16 MiB": ["synthetic:transpose-tiled:16MiB"],
}
WAYS = {
    "kernels": {"sample": "kernels"},
    "kernels, no warming": {"sample": "kernels", "sample.warming": "none"},
    "blocks": {"sample": "blocks"},
    "blocks, no warming": {"sample": "blocks", "sample.warming": "none"},
    "intervals": {"sample": "intervals"},
}


def replay(sources, settings, seed=1):
    """(CPU seconds, Stats, Sampling, {name: Estimate})"""
    with gpucache.Context(seed=seed) as made, gpucache.Config(made) as config:
        for name, value in {"mode": "timed", **settings}.items():
            config[name] = value
        began = time.process_time()
        with gpucache.Replay(made, config) as runner:
            for source in sources:
                with gpucache.Trace(made, source) as trace:
                    for _ in runner.run(trace):
                        pass
            seconds = time.process_time() - began
            names = [counter.name for counter in gpucache.counters() if counter.kind == "counter"]
            found = {name: runner.estimate(name, every=True) for name in names} if runner.sampling() else {}
            return seconds, runner.stats(), runner.sampling(every=True), found


def row(case, way, whole, sampled):
    seconds, truth, _, _ = whole
    took, _, sampling, found = sampled
    cycles = found["cycles"]
    error = 100 * (cycles.value / truth["cycles"] - 1)
    half = 50 * (cycles.high - cycles.low) / truth["cycles"]
    counted = {name: e for name, e in found.items() if e is not None and e.estimated and truth[name] > 100}
    inside = sum(e.low - 0.5 <= truth[name] <= e.high + 0.5 for name, e in counted.items())
    share = f"{100 * inside / len(counted):.0f}" if counted else "-"
    timed = 100 * sampling.timed_instructions / truth["warp_instructions"]
    return (f"| {case} | {way} | {seconds:.1f} | {timed:.1f} | {seconds / took:.1f} | {error:+.2f} | {half:.2f} | "
            f"{share} |")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", default="", help="cases whose names contain this")
    parser.add_argument("--sms", default="4", help="sm.count")
    parser.add_argument("--seeds", type=int, default=1, help="samples of each way")
    options = parser.parse_args()
    print("| case | way | whole, s | timed, % | times as fast | cycles, % | +- % | covered, % |\n|" + "---|" * 8)
    for cases, chosen in ((LAUNCHES, ("kernels",)), (BLOCKS, ("blocks", "intervals"))):
        for case, sources in cases.items():
            if options.only not in case:
                continue
            whole = replay(sources, {"sm.count": options.sms})
            for way, settings in WAYS.items():
                if settings["sample"] not in chosen:
                    continue
                for seed in range(1, options.seeds + 1):
                    sampled = replay(sources, {"sm.count": options.sms, **settings}, seed)
                    print(row(case, way, whole, sampled), flush=True)


if __name__ == "__main__":
    main()
