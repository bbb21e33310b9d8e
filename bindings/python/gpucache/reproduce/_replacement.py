# SPDX-License-Identifier: BSD-2-Clause
"""seeds/004, chapters 5 and 6: AgeLRU, BIP and predicted reuse."""

from ..config import Config
from ..context import Context
from ._bench import LINE, PRESET, SEGMENTS, mean
from ._model import NOTICEABLE, Experiment, count, holds, missing, of_all, rate, ratio
from ._programs import CHAPTER_5, INSENSITIVE, NO_ATAXI, names

# Figures 5.6 and 5.7: speed-up of AgeLRU replacement, points of saved misses.
AGE_LRU = {"CoMD": (1.07, 2), "II": (1.05, 3), "KMN": (1.13, 11), "ATAX": (1.05, 3), "GESUMMV": (1.21, 17),
           "WC": (1.06, 2)}  # fmt: skip
MORE_WITH_SEGMENTS = ("II", "KMN", "SM", "SS", "WC", "CFD")  # Figure 5.12
BIP_LOSES, BIP_GAINS = ("BFS", "SSSP", "ATAX", "BICG", "GESUMMV"), ("II", "KMN", "SS", "CFD")  # Figure 5.11
REPLACED = 14  # programs of 5.4.1
VOTED = REPLACED + len(INSENSITIVE)  # programs of 5.4.2, without NO_ATAXI
OWN = 0.9  # Figure 5.1
SCHEDULERS, OLDEST = 2, 2 * 4  # schedulers of an SM, and warps with counted ages: the oldest four of each scheduler
SHORTER = 0.9  # a round trip, for a difference to be seen
LARGEST_LOSS = {"": 3, "bypass=1, lines": 6, "bypass=1, segments": 3}  # per cent: Figures 5.15 to 5.17
# AgeLRU's SM, always the same, is the last to get a block: SM 0 of GPGPU-Sim, SM 14 here (lib/policies/control/ballot.h).
FIXED = "dynamic-age-lru(sm=14,testers=1)"
DYNAMIC = 1.20  # mean of Dynamic-AgeLRU, for the variant of AgeLRU with 28 % (7.3)


def _mean(make, of, what, theirs, values, which=""):
    """A ratio or rate: the mean over `of` programs of the document."""
    values = list(values)
    return of_all(make(f"mean of {len(values)}{which}, of {of}", what, theirs, mean(values)), len(values), of)


def _runs(bench, policies, programs=None):
    """{(policy, program's name): figures}."""
    tasks = {}
    for label, settings in policies.items():
        for program in programs or bench.replaced:
            tasks[label, program.name] = (program, settings)
    return bench.all(tasks)


def reuses(bench):
    """Figure 5.1: hits by the fetching warp of the line."""
    found = bench.all({program.name: (program, {"l1.track_warps": "true"}) for program in bench.replaced})
    shares = {}
    for name, base in found.items():
        hits = base["l1.intra_warp_hits"] + base["l1.inter_warp_hits"]
        if hits:
            shares[name] = base["l1.intra_warp_hits"] / hits
    own = [name for name, share in shares.items() if share > OWN]
    note = ", ".join(f"{name} {100 * share:.0f} %" for name, share in shares.items())
    yield of_all(count(f"{len(shares)} programs, of {REPLACED}", "more than 90 % of the hits by the warp that fetched",
                       10, len(own), note), len(found), REPLACED)  # fmt: skip
    yield of_all(_mean(rate, len(shares), "hits by the warp that fetched", 78, shares.values()), len(found), REPLACED)


def ages(bench):
    """Figure 5.8: KMN's hits by the age of the warp."""
    for program in bench.replaced:
        if program.name != "KMN":
            continue
        hits = {name: bench.hits_by_age(program, {"l1.replacement": name}) for name in ("lru", "age-lru", "bip")}
        oldest = {name: sum(of[:OLDEST]) / sum(of) for name, of in hits.items()}
        yield rate("KMN", "AgeLRU: hits of the oldest four warps of a scheduler", 49, oldest["age-lru"],
                   f"LRU {100 * oldest['lru']:.0f} %, BIP {100 * oldest['bip']:.0f} %")  # fmt: skip
        resident = [n for n in range(bench.most(program) * SCHEDULERS) if hits["lru"][n] or hits["bip"][n]]
        more = [n for n in resident if hits["bip"][n] > hits["lru"][n]]
        yield holds("KMN", "BIP: more hits than LRU", "warps of all ages", f"{len(more)} of {len(resident)}",
                    len(more) == len(resident))  # fmt: skip


def replacement(bench):
    """Figures 5.6 and 5.7: replacement alone."""
    found = _runs(bench, {"age-lru": {"l1.replacement": "age-lru"}, "bip": {"l1.replacement": "bip"}})
    gains, others = [], []
    for program in bench.replaced:
        base, name = bench.base(program), program.name
        gain = {label: base["cycles"] / found[label, name]["cycles"] for label in ("age-lru", "bip")}
        saved = {label: base["l1.load_miss_ratio"] - found[label, name]["l1.load_miss_ratio"] for label in gain}
        gains.append(gain["age-lru"])
        others.append(gain["bip"])
        if name in AGE_LRU:
            yield ratio(name, "AgeLRU", AGE_LRU[name][0], gain["age-lru"])
            yield rate(name, "misses that AgeLRU saves", AGE_LRU[name][1], saved["age-lru"])
        else:
            yield holds(name, "AgeLRU gains 5 %", "no", f"{gain['age-lru']:.3f}", gain["age-lru"] < NOTICEABLE)
        if name == "KMN":
            yield rate(name, "L1 misses under BIP", 93, found["bip", name]["l1.load_miss_ratio"])
            hits = {k: 1 - v["l1.load_miss_ratio"] for k, v in (("lru", base), ("age-lru", found["age-lru", name]),
                                                                ("bip", found["bip", name]))}  # fmt: skip
            yield ratio(name, "hits, AgeLRU over LRU", 2.9, hits["age-lru"] / hits["lru"])
            yield ratio(name, "hits, BIP over LRU", 1.24, hits["bip"] / hits["lru"])
    yield _mean(ratio, REPLACED, "AgeLRU", 1.04, gains)
    noticeable = sum(gain >= NOTICEABLE for gain in others)
    yield holds(f"{len(others)} programs", "BIP gains 5 %", "few", str(noticeable), 2 * noticeable < len(others))


def bypassing(bench):
    """Figures 5.9 to 5.13: younger warps bypass."""
    policies = {}
    for label, fetch in (("lines", LINE), ("segments", SEGMENTS)):
        for name in ("age-lru", "bip"):
            policies[name, label] = {"l1.replacement": f"{name}(bypass=1)", **fetch}
    found = _runs(bench, policies)

    def gain(program, name, label):
        return bench.base(program)["cycles"] / found[(name, label), program.name]["cycles"]

    yield from _freed(bench, found)

    for program in bench.replaced:
        ours = {label: gain(program, "age-lru", label) for label in ("lines", "segments")}
        if program.name == "SCLUSTER":
            yield ratio("SCLUSTER", "AgeLRU bypassing, lines", 1.55, ours["lines"])
        more = program.name in MORE_WITH_SEGMENTS
        yield holds(program.name, "faster with segments", "yes" if more else "no",
                    f"{ours['lines']:.2f}, {ours['segments']:.2f}",
                    (ours["segments"] >= NOTICEABLE * ours["lines"]) == more)  # fmt: skip
    for label, theirs in (("lines", 1.08), ("segments", 1.28)):
        gains = [gain(program, "age-lru", label) for program in bench.replaced]
        yield _mean(ratio, REPLACED, f"AgeLRU bypassing, {label}", theirs, gains)
        other = mean([gain(program, "bip", label) for program in bench.replaced])
        yield holds("mean", f"AgeLRU over BIP, {label}", "faster", f"{mean(gains):.2f}, {other:.2f}",
                    mean(gains) > other)  # fmt: skip


def _freed(bench, found):
    """Figures 5.10, 5.11 and 5.13: unreserved lines, unmoved segments."""
    for program in bench.replaced:
        lines, segments = (found[("age-lru", label), program.name] for label in ("lines", "segments"))
        if program.name == "SCLUSTER":
            alone = bench.all({"": (program, {"l1.replacement": "age-lru"})})[""]
            before, after = (figures["scheduler.line_stall_ratio"] for figures in (alone, lines))
            yield holds("SCLUSTER", "stalls for a line, replacement, then bypassing (5.10)", "far fewer",
                        f"{100 * before:.0f} %, {100 * after:.0f} %", 2 * after < before)  # fmt: skip
        before, after = (figures["round_trip.mean_latency"] for figures in (lines, segments))
        less = program.name in MORE_WITH_SEGMENTS
        yield holds(program.name, "round trip shorter with segments (5.13)", "yes" if less else "no",
                    f"{before:.0f}, {after:.0f} cycles", (after < SHORTER * before) == less)  # fmt: skip
        if program.name in BIP_LOSES + BIP_GAINS:
            gain = bench.base(program)["cycles"] / found[("bip", "segments"), program.name]["cycles"]
            loses = program.name in BIP_LOSES
            yield holds(program.name, "BIP bypassing, segments (5.11)", "slower" if loses else "faster", f"{gain:.2f}",
                        gain < 1 if loses else gain >= NOTICEABLE)  # fmt: skip
    gains = [bench.base(p)["cycles"] / found[("age-lru", "segments"), p.name]["cycles"] for p in bench.replaced]
    yield of_all(count(f"{len(gains)} programs, of {REPLACED}", "AgeLRU bypassing, segments, gains 5 % (5.11)", 10,
                       sum(gain >= NOTICEABLE for gain in gains)), len(gains), REPLACED)  # fmt: skip


def voting(bench):
    """Figures 5.15 to 5.17: Dynamic-AgeLRU chooses LRU if AgeLRU is slower.

    Optimal-DIP is the faster of LRU and BIP for each program, because set duelling does not work (5.4).
    """
    programs = [*bench.replaced, *bench.chosen(INSENSITIVE)]
    for label, (argument, fetch) in (("", ("", {})), ("bypass=1, lines", ("(bypass=1)", LINE)),
                                     ("bypass=1, segments", ("(bypass=1)", SEGMENTS))):  # fmt: skip
        policies = {name: {"l1.replacement": name + argument, **fetch} for name in ("age-lru", "dynamic-age-lru", "bip")}
        found = _runs(bench, {**policies, "lru": {}}, programs)
        worst = 0
        voted, optimal_dip, kept = [], [], []
        for program in programs:
            base = found["lru", program.name]["cycles"]
            gain = {name: base / found[name, program.name]["cycles"] for name in policies}
            worst = max(worst, 1 - gain["dynamic-age-lru"])
            voted.append(gain["dynamic-age-lru"])
            optimal_dip.append(max(1, gain["bip"]))
            if program in INSENSITIVE:
                yield holds(program.name, f"AgeLRU{' ' * bool(label)}{label} is slower than LRU", "yes",
                            f"{gain['age-lru']:.3f}", gain["age-lru"] < 1)  # fmt: skip
            if program.name == "GESUMMV" and not label:
                fixed = base / bench.all({"": (program, {"l1.replacement": FIXED})})[""]["cycles"]
                yield holds("GESUMMV", "Dynamic-AgeLRU keeps LRU, for SM 0 is idle (5.4.2)", "yes",
                            f"{fixed:.3f}, AgeLRU {gain['age-lru']:.3f}", fixed < NOTICEABLE <= gain["age-lru"],
                            f"tested on active SMs {gain['dynamic-age-lru']:.3f}")  # fmt: skip
            if gain["age-lru"] >= NOTICEABLE:
                kept.append(2 * (gain["dynamic-age-lru"] - 1) > gain["age-lru"] - 1)
        yield rate("largest loss", f"Dynamic-AgeLRU {label}".strip(), LARGEST_LOSS[label], worst)
        yield holds(f"{len(kept)} that AgeLRU speeds up",
                    f"Dynamic-AgeLRU {label}".strip() + ": more than half of it (5.5)", "most", str(sum(kept)),
                    2 * sum(kept) > len(kept))  # fmt: skip
        if fetch is SEGMENTS:
            yield _mean(ratio, VOTED, "Dynamic-AgeLRU bypassing, segments (7.3)", DYNAMIC, voted)
            yield holds("mean", f"Dynamic-AgeLRU over optimal-DIP, {label} (5.5)", "faster",
                        f"{mean(voted):.2f}, {mean(optimal_dip):.2f}",
                        mean(voted) > mean(optimal_dip))  # fmt: skip
    yield missing("ATAXI", "AgeLRU is slower than LRU", "yes", NO_ATAXI)


EIGHT = ("CoMD", "II", "KMN", "SM", "SS", "SCLUSTER", "SSSP", "BFS")
BLOCKS = range(1, 9)
LOSES = {"SSSP": 0.93, "BFS": 0.95}
SCORES = ("rpr-count", "rpr-distance", "age-lru")
FEWER = {"II": -1, "SS": -1, "KMN": -1, "CoMD": 1, "BFS": 1, "SSSP": 1}  # Figure 6.3: misses of all policies
RPR_SAVES = {"II": 8, "KMN": 17, "SS": 3}  # points of misses: 6.4


def predicted_reuse(bench):
    """Figures 6.3 and 6.4: over the best static limit of thread blocks."""
    programs = [p for p in bench.programs if p.name in EIGHT]
    limits = bench.all({(p.name, n): (p, {"sm.block_limit": str(n)}) for p in programs for n in BLOCKS})
    best = {p.name: min(BLOCKS, key=lambda n: limits[p.name, n]["cycles"]) for p in programs}
    tasks = {(p.name, spec): (p, {"sm.block_limit": str(best[p.name]), "l1.replacement": spec})
             for p in programs for spec in ("age-lru", "rpr-distance", "rpr-count")}  # fmt: skip
    found = bench.all(tasks)
    opt = {p.name: limits[p.name, best[p.name]] for p in programs}
    eight, six = len(EIGHT), len(EIGHT) - len(LOSES)
    yield _mean(ratio, eight, "CTA-opt over all blocks", 1.47,
                (bench.base(p)["cycles"] / opt[p.name]["cycles"] for p in programs))
    yield _mean(rate, eight, "L1 misses that CTA-opt saves", 12,
                (bench.base(p)["l1.load_miss_ratio"] - opt[p.name]["l1.load_miss_ratio"] for p in programs))
    for spec, theirs in (("rpr-distance", 1.06), ("rpr-count", 1.00), ("age-lru", 1.01)):
        gains = [opt[p.name]["cycles"] / found[p.name, spec]["cycles"] for p in programs]
        yield _mean(ratio, eight, f"{spec} over CTA-opt", theirs, gains)
    by_distance = {p.name: found[p.name, "rpr-distance"] for p in programs}
    yield _mean(ratio, eight, "rpr-distance over rpr-count", 1.06,
                (found[p.name, "rpr-count"]["cycles"] / by_distance[p.name]["cycles"] for p in programs))
    regular = [p for p in programs if p.name not in LOSES]
    yield _mean(ratio, six, "rpr-distance over CTA-opt", 1.10,
                (opt[p.name]["cycles"] / by_distance[p.name]["cycles"] for p in regular), " regular")
    saved = [opt[p.name]["l1.load_miss_ratio"] - by_distance[p.name]["l1.load_miss_ratio"] for p in regular]
    yield _mean(rate, six, "L1 misses that rpr-distance saves", 4, saved, " regular")
    for all_of, theirs, some, which in ((eight, 1.032, programs, ""), (six, 1.05, regular, " regular")):
        yield _mean(ratio, all_of, "rpr-distance over age-lru", theirs,
                    (found[p.name, "age-lru"]["cycles"] / found[p.name, "rpr-distance"]["cycles"] for p in some), which)
    for program in programs:
        if program.name in RPR_SAVES:
            saved = opt[program.name]["l1.load_miss_ratio"] - found[program.name, "rpr-distance"]["l1.load_miss_ratio"]
            yield rate(program.name, "L1 misses that rpr-distance saves", RPR_SAVES[program.name], saved)
        before = opt[program.name]["l1.load_miss_ratio"]
        by = {spec: 100 * (found[program.name, spec]["l1.load_miss_ratio"] - before) for spec in SCORES}
        sign = FEWER.get(program.name, 0)
        yield holds(program.name, "L1 misses, by count, distance and age", ("as many", "more", "fewer")[sign],
                    ", ".join(f"{points:+.1f}" for points in by.values()),
                    all(abs(p) <= 1 if not sign else p * sign > 0 for p in by.values()), "points")  # fmt: skip
        if program.name in LOSES:
            gain = opt[program.name]["cycles"] / found[program.name, "rpr-distance"]["cycles"]
            yield ratio(program.name, "rpr-distance over CTA-opt", LOSES[program.name], gain)


FIGURE_6_1 = ("KMN", "SCLUSTER")
SCATTERED = 0.9  # smallest share of a group's reuses at its only distance


def signatures(bench):
    """Figure 6.1: reuse distances of the four largest groups with a common signature, PC and age of the warp."""
    for program in bench.programs:
        if program.name not in FIGURE_6_1:
            continue
        groups = bench.groups(program, "pc+age", 4)
        _, mode, _, mean_distance = groups[0]
        if program.name == "KMN":
            yield count("KMN", "most frequent distance of the largest group", 4, mode)
            yield count("KMN", "its mean", 3, int(mean_distance), f"{mean_distance:.2f}; RPR's table rounds down")
        shares = [share for _, _, share, _ in groups]
        yield holds(program.name, "distances of each group diverge", "yes",
                    ", ".join(f"{share:.0%}" for share in shares), max(shares) < SCATTERED,
                    "share of the most frequent one")  # fmt: skip


BYTES = ("age-lru", 1, 128, "an L1, 7.3"), ("rpr", 15, 6096, "15 SMs, 6.3")


def storage(bench):
    """6.3 and 7.3: bytes of a policy's state beside LRU's order."""
    with Context() as context, Config(context, PRESET) as config:
        ways, line = int(config.number("l1.ways")), int(config.number("l1.line"))
        shape = {"sets": int(config.number("l1.size")) // (ways * line), "ways": ways, "line_bytes": line}
        for policy, caches, theirs, where in BYTES:
            bits = [context.policy_cost("replacement", name, caches=caches, **shape) for name in (policy, "lru")]
            yield ratio(policy, f"bytes beside LRU's order ({where})", theirs, (bits[0] - bits[1]) / 8, unit="bytes")


EXPERIMENTS = [
    Experiment("004:figure-5.1", "Hits within and among warps", reuses),
    Experiment("004:figures-5.6-5.7", "AgeLRU replacement", replacement, names(CHAPTER_5)),
    Experiment("004:figure-5.8", "Hits by the age of the warp", ages, ("KMN",)),
    Experiment("004:figures-5.9-5.13", "AgeLRU bypassing", bypassing, names(CHAPTER_5)),
    Experiment("004:figures-5.15-5.17", "Dynamic-AgeLRU", voting, ("GESUMMV", *names(INSENSITIVE))),
    Experiment("004:figure-6.1", "Reuse distances by signature", signatures, FIGURE_6_1),
    Experiment("004:figures-6.3-6.4", "Predicted reuse", predicted_reuse, EIGHT),
    Experiment("004:sections-6.3-7.3", "Storage of AgeLRU and predicted reuse", storage),
]
