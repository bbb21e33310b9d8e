# SPDX-License-Identifier: BSD-2-Clause
"""seeds/001, hardware-based and hybrid L1 bypassing: its tables, and the text's statements on figures.

Speed-ups are over a run that caches everything. A bypassing load moves segments of 32 bytes (III.A).
"""

from collections import namedtuple

from .. import _pairs
from . import _profiles, _runs
from ._bench import PRESET, SEGMENTS, mean
from ._model import Experiment, count, holds, plain, rate, ratio, told
from ._programs import names

Program = namedtuple("Program", "name source quick")

# Figure 7. bfs, lud, nw and srad with all launches except nw's first and last diagonals; heartwall with a point for
# each SM; streamcluster on its default input, with three blocks for each SM in each of ten launches of 1,611, from the
# first to the last. Its small problem is the first two launches with 16,384 points of 64 dimensions: rows of coordinates
# share a set of L1 as in the whole problem, and candidates' lines are lost.
PROGRAMS = [
    Program("BFS", "synthetic:rodinia-bfs:6MiB", "synthetic:rodinia-bfs:96KiB"),
    Program("CFD", "synthetic:rodinia-cfd:1900KiB", "synthetic:rodinia-cfd:38KiB"),
    Program("GAU", "synthetic:rodinia-gaussian:256KiB", "synthetic:rodinia-gaussian:16KiB"),
    Program("HW", "synthetic:rodinia-heartwall:1600000:points=15,skip=64",
            "synthetic:rodinia-heartwall:4096:points=3,search=4,template=2,move=3,skip=1"),
    Program("KM", "synthetic:rodinia-kmeans:3060KiB:launch=1", "synthetic:rodinia-kmeans:306KiB:launch=1"),
    Program("LUD", "synthetic:rodinia-lud:256KiB", "synthetic:rodinia-lud:9KiB"),
    Program("MG", "synthetic:rodinia-mummergpu:195840", "synthetic:rodinia-mummergpu:5100:reference=4096,repeats=30"),
    Program("NW", "synthetic:rodinia-nw:16785409:first=104", "synthetic:rodinia-nw:16900"),
    Program("SRAD", "synthetic:rodinia-srad:16MiB", "synthetic:rodinia-srad:64KiB"),
    Program("SC", "synthetic:rodinia-streamcluster:64MiB:dimensions=256,blocks=45,launches=10",
            "synthetic:rodinia-streamcluster:4MiB:launches=2,apart=1"),
]  # fmt: skip

# Table 1, streamcluster: average reuse, utilisation and (R+1)U of loads, by number of transactions.
TABLE_1 = {1: (9.08, 0.62, 6.28), 2: (0.12, 0.56, 0.63), 3: (0.22, 0.51, 0.62), 4: (0.24, 0.66, 0.82),
           5: (0.78, 0.35, 0.61), 6: (0.73, 0.29, 0.50), 7: (0.10, 0.79, 0.87), 8: (9.54, 0.96, 10.16),
           9: (20.0, 0.25, 5.25), 10: (1.29, 0.26, 0.60), 11: (20.0, 0.25, 5.25), 12: (0, 0.61, 0.61),
           13: (0, 0.58, 0.58)}  # fmt: skip

# Table 3: runs to find bypassing loads, hybrid and compiler-based.
TABLE_3 = {"BFS": (24, 38), "CFD": (30, 949), "GAU": (21, 25), "HW": (7, 1379), "KM": (1, 2), "LUD": (1, 1319),
           "MG": (36, 77), "NW": (3, 381), "SRAD": (2, 101), "SC": (13, 46)}  # fmt: skip

QUICK_RUNS = 150  # limit of runs of a program in a quick call

REUSED = "GAU", "SRAD"  # programs of Figure 3
HARDWARE = "access-count(threshold=16)"  # IV.C


def _facts(bench, name):
    return bench.runs.profile(PRESET, bench.source(next(p for p in PROGRAMS if p.name == name)))


def reuse(bench):
    """Figure 3: line addresses by number of hits, on each SM."""
    shares = {program.name: [row[0] / sum(row) for row in _facts(bench, program.name).reuses]
              for program in bench.chosen(PROGRAMS) if program.name in REUSED}  # fmt: skip
    if "GAU" in shares:
        yield rate("GAU", "addresses never reused", 50, mean(shares["GAU"]))
        spread = max(shares["GAU"]) - min(shares["GAU"])
        yield holds("GAU", "SMs", "vary slightly", f"within {100 * spread:.1f} points", spread < 0.1)
    if "SRAD" in shares:
        most = mean(shares["SRAD"])
        yield holds("SRAD", "addresses never reused", "most", f"{100 * most:.1f} %", most > 0.5)


def instructions(bench):
    """Figure 4: for each load, the accesses to addresses that should bypass."""
    rows = _facts(bench, "GAU").instructions
    shares = {kernel: [low / all_ for name, all_, low in rows if name == kernel] for kernel, _, _ in rows}
    ours = sorted(map(len, shares.values()))
    yield count("GAU", "loads of the two kernels", "2, 6", ", ".join(map(str, ours)))
    first = max(shares.values(), key=len)[0]
    yield rate("GAU", "Fan2, Id 1: accesses that should bypass", 65.3, first)
    both = sum(0 < share < 1 for of in shares.values() for share in of)
    yield holds("GAU", "loads of which a part should bypass", "each", f"{both} of {sum(ours)}", both == sum(ours))


def _loads(source):
    """Loads by number of transactions; the last of 33 entries is 32 or more."""
    return _runs.whole(PRESET, source, {"mode": "functional"})["l1.transactions_per_load"]


def accesses(bench):
    """Figure 5: loads by number of accesses."""
    found = {}
    for program in bench.chosen(PROGRAMS):
        source = bench.source(program)
        loads = bench.runs.kept(["loads", PRESET, source], lambda of=source: _loads(of))
        found[program.name] = {n: round(100 * count_ / sum(loads)) for n, count_ in enumerate(loads) if n and count_}
        listed = ", ".join(f"{n}: {share} %" for n, share in found[program.name].items() if share)
        yield told(program.name, "loads by their accesses, from a per cent on", listed)
    least, most = min(map(min, found.values())), max(map(max, found.values()))
    yield holds(f"{len(found)} programs", "accesses of a load (IV.C)", "1 to 32", f"{least} to {most}",
                (least, most) == (1, 32))  # fmt: skip
    distinct = len({tuple(sorted(shares.items())) for shares in found.values()})
    yield holds(f"{len(found)} programs", "distributions (IV.C)", "differ", f"{distinct} distinct",
                2 * distinct > len(found))  # fmt: skip


def classes(bench):
    """Table 1: streamcluster's loads by number of transactions."""
    found = {row[0]: row[1:] for row in _facts(bench, "SC").classes}
    for number, theirs in TABLE_1.items():
        subject = f"SC, {number} transactions"
        if number not in found:
            yield holds(subject, "loads", "some", "none", False)
            continue
        for what, document, ours in zip(("R", "U", "(R+1)U"), theirs, found[number]):
            yield ratio(subject, what, document, ours)
    source = bench.source(next(p for p in PROGRAMS if p.name == "SC"))
    means = bench.runs.kept(["reuse of addresses", PRESET, source], lambda: _profiles.reuse_of_addresses(PRESET, source))
    for number, *of in means:
        yield told(f"SC, {number} transactions", "R of an address, means by accesses, by addresses, of own hits",
                   ", ".join(map(plain, of)))  # fmt: skip
    yield holds("SC", "most transactions of a load", "13", str(max(found)), max(found) == 13)


def _speedups(bench):
    """{program's name: {method: speed-up}}; of hybrid the best threshold."""
    tasks = {}
    for program in bench.chosen(PROGRAMS):
        facts = _facts(bench, program.name)
        methods = {
            "": "always-cache",
            "hardware": HARDWARE,
            "profile": f"profile-address(file={facts.file}, use=segments, reuse=address)",  # IV.B
        }
        for threshold, _ in facts.candidates:
            methods["hybrid", threshold] = f"hybrid(file={facts.file}, use=segments, threshold={threshold:.12g})"
        for label, predictor in methods.items():
            tasks[program.name, label] = (program, {"l1.bypass": predictor, **SEGMENTS})
    cycles = {key: figures["cycles"] for key, figures in bench.all(tasks).items()}
    found = {}
    for (name, label), ours in cycles.items():
        label = label if isinstance(label, str) else label[0]
        gain = cycles[name, ""] / ours
        of = found.setdefault(name, {})
        of[label] = max(gain, of.get(label, 0))
    return found


def methods(bench):
    """Figure 7."""
    found = _speedups(bench)
    for name, gain in found.items():
        for label in ("profile", "hybrid"):
            yield holds(name, f"{label} bypassing gains", "yes", f"{gain[label]:.3f}", gain[label] > 1)
    faster = [name for name, gain in found.items() if gain["hardware"] > 1]
    yield holds("hardware bypassing", "gains", "most", f"{len(faster)} of {len(found)}: "
                + ", ".join(f"{name} {gain['hardware']:.3f}" for name, gain in found.items()),
                2 * len(faster) > len(found))  # fmt: skip
    ahead = [name for name, gain in found.items() if gain["hardware"] > gain["profile"]]
    yield holds("hardware bypassing", "above profile bypassing", "most", f"{len(ahead)} of {len(found)}",
                2 * len(ahead) > len(found))  # fmt: skip


def _by_loads(bench, chosen, quick):
    """Cycles of {key: (program, bypassing loads)}; `quick`: small problems."""
    tasks = {}
    for key, (program, loads) in chosen.items():
        file = bench.runs.profile(PRESET, program.quick if quick else bench.source(program)).file
        predictor = f"compiler(file={file}, loads={'+'.join(map(str, loads))})" if loads else "always-cache"
        tasks[key] = (program._replace(source=program.quick) if quick else program, {"l1.bypass": predictor, **SEGMENTS})
    return {key: figures["cycles"] for key, figures in bench.all(tasks).items()}


def _kernels(bench, program):
    return [kernel for kernel, _, _ in _facts(bench, program.name).instructions]


def _compiled(bench):
    """{program's name: speed-up} of the bypassing loads found by runs of each load and of each pair, on small problems:
    there are thousands of runs. `--quick` leaves out programs with hundreds."""
    programs = bench.chosen(PROGRAMS, [name for name, runs in TABLE_3.items() if sum(runs) <= QUICK_RUNS])
    trials = {(p.name, loads): (p, loads) for p in programs for loads in _pairs.trials(_kernels(bench, p))}
    cycles = _by_loads(bench, trials, True)
    of = {p.name: {loads: n for (name, loads), n in cycles.items() if name == p.name} for p in programs}
    chosen = {(p.name, ""): (p, _pairs.best(_kernels(bench, p), of[p.name])) for p in programs}
    found = _by_loads(bench, {**chosen, **{(p.name, "none"): (p, ()) for p in programs}}, False)
    return {p.name: found[p.name, "none"] / found[p.name, ""] for p in programs}


def compiler(bench):
    """Figure 8."""
    hybrid = {name: gain["hybrid"] for name, gain in _speedups(bench).items()}
    found = _compiled(bench)
    for name, gain in found.items():
        yield ratio(name, "compiler over hybrid bypassing", 1, gain / hybrid[name])
    over = mean(found.values()) / mean(hybrid[name] for name in found)
    yield holds(f"mean of {len(found)}, of 10", "compiler over hybrid", "slightly above 1", f"{over:.3f}", 1 < over < 1.1)


def costs(bench):
    """Table 3: a run for each class of loads; for each load, for each pair of a kernel's loads, and a run without
    bypassing."""
    for program in bench.chosen(PROGRAMS):
        hybrid, by_load = TABLE_3[program.name]
        yield count(program.name, "runs, hybrid", hybrid, len(_facts(bench, program.name).classes))
        yield count(program.name, "runs, compiler", by_load, len(_pairs.trials(_kernels(bench, program))))


EXPERIMENTS = [
    Experiment("001:figure-3", "Line addresses by their reuse", reuse, REUSED),
    Experiment("001:figure-4", "Accesses of each load that should bypass", instructions, ("GAU",)),
    Experiment("001:figure-5", "Loads by the number of their accesses", accesses, names(PROGRAMS)),
    Experiment("001:table-1", "Streamcluster's loads by transactions", classes, ("SC",)),
    Experiment("001:figure-7", "Bypassing by hardware, profile, and both", methods, names(PROGRAMS)),
    Experiment("001:figure-8", "Bypassing by the compiler", compiler, names(PROGRAMS)),
    Experiment("001:table-3", "Runs to find what bypasses", costs, names(PROGRAMS)),
]
