# SPDX-License-Identifier: BSD-2-Clause
"""Tables of bench/l2_valley.py, and what seeds/002 has in their place."""

import statistics

import l2_runs as runs
from policies import cell, print_table

STATES = "NMOESI"
PERCENT = "{:.1f}"

# Tables 4.2 to 4.4: of one module, (L2 in KB) -> {from + to: (count, origins)}.
L1_TRANSPOSE = {
    1536: {"NN": (109, 0x4), "NI": (1323, 0x200), "EN": (172, 0x4), "ES": (957, 0x8000), "EI": (4148, 0x200),
           "SI": (1922, 0x200), "IN": (1161, 0x4), "IE": (5333, 0x1), "IS": (1027, 0x1), "II": (7393, 0x8)},
    96: {"NN": (109, 0x4), "NI": (1663, 0xA00), "EN": (126, 0x4), "ES": (475, 0x8000), "EI": (4213, 0xA00),
         "SI": (754, 0xA00), "IN": (1544, 0x4), "IE": (4824, 0x1), "IS": (285, 0x1), "II": (2518, 0x8)},
    0: {"NN": (101, 0x4), "NI": (1369, 0x200), "EN": (220, 0x4), "ES": (928, 0x8000), "EI": (2866, 0x200),
        "SI": (1871, 0x200), "IN": (1185, 0x4), "IE": (4069, 0x1), "IS": (980, 0x1), "II": (6106, 0x8)},
}  # fmt: skip
L1_HISTOGRAM = {
    1536: {"NN": (30914, 0x4), "NI": (2412, 0x200), "EN": (1883, 0x4), "ES": (829, 0x8000), "EI": (5548, 0x200),
           "SI": (2979, 0x200), "IN": (539, 0x4), "IE": (8306, 0x1), "IS": (2221, 0x1), "II": (10939, 0x8)},
    96: {"NN": (22631, 0x4), "NI": (10914, 0xA00), "EN": (6279, 0x4), "ES": (367, 0x8000), "EI": (63205, 0xA00),
         "SI": (853, 0xA00), "IN": (4636, 0x4), "IE": (69884, 0x1), "IS": (491, 0x1), "II": (19103, 0x8)},
    0: {"NN": (25076, 0x4), "NI": (2107, 0x200), "EN": (1631, 0x4), "ES": (906, 0x8000), "EI": (4679, 0x200),
        "SI": (2793, 0x200), "IN": (497, 0x4), "IE": (7225, 0x1), "IS": (1984, 0x1), "II": (9579, 0x8)},
}  # fmt: skip
L2_TRANSPOSE = {
    1536: {"MI": (2516, 0x200), "EM": (3045, 0x80), "EI": (3549, 0x200), "IE": (8109, 0x1000), "II": (6065, 0x8)},
    96: {"MM": (8, 0x10000), "MI": (3962, 0x200), "EM": (4001, 0x10080), "EI": (10222, 0x200), "IE": (14312, 0x1000),
         "II": (14184, 0x8)},
}  # fmt: skip
DOCUMENT = [("Table 4.2", "L1", "Transpose", L1_TRANSPOSE), ("Table 4.3", "L1", "Histogram", L1_HISTOGRAM),
            ("Table 4.4", "L2", "Transpose", L2_TRANSPOSE)]  # fmt: skip

SUITES = {
    "general purpose": lambda kernel: kernel.suite == "general",
    "machine learning": lambda kernel: kernel.suite == "learning",
    "machine learning, set 2": lambda kernel: kernel.set2,
}


def mean(values):
    """None where one is missing."""
    values = list(values)
    return sum(values) / len(values) if values and None not in values else None


class Grid:
    """Results of kernels by L2 size, all else alike."""

    def __init__(self, cache, kernels, sizes, **fixed):
        self.kernels, self.sizes, self.fixed = kernels, sizes, fixed
        self.found = {(k, l2): cache.good(runs.Run(kernel=k, l2=l2, **fixed)) for k in kernels for l2 in sizes}

    def __bool__(self):
        return any(self.found.values())

    def value(self, kernel, l2, what):
        result = self.found.get((kernel, l2))
        return None if result is None else what(result)

    def speed(self, kernel, l2):
        """Over the largest L2."""
        cycles, largest = (self.value(kernel, size, lambda r: r["cycles"]) for size in (l2, max(self.sizes)))
        return largest / cycles if cycles and largest else None

    def of(self, kernel, l2, figure):
        return self.speed(kernel, l2) if figure is None else self.value(kernel, l2, figure)

    def mean(self, suite, l2, figure):
        kernels = [kernel for kernel in self.kernels if SUITES[suite](kernel)]
        return mean(self.of(kernel, l2, figure) for kernel in kernels)

    def suites(self):
        return [suite for suite, belongs in SUITES.items() if any(map(belongs, self.kernels))]


def l1_ratio(result):
    return runs.ratio(runs.level(result, "L1"))


def l1_lumped(result):
    return runs.lumped(runs.level(result, "L1"))


def l2_ratio(result):
    return runs.ratio(runs.level(result, "L2"))


def l2_lumped(result):
    return runs.lumped(runs.level(result, "L2"))


def with_shared(shared, hits, accesses):
    """Shared memory accesses counted as L1 hits, as the document's L1 has them."""
    return lambda result: (runs.level(result, "L1")[hits] + shared) / (runs.level(result, "L1")[accesses] + shared)


FIGURES = {
    "speed": ("Speed-up over the largest L2 (Figure 4.4)", None, "{:.3f}"),
    "cycles": ("Cycles, thousands (Figure 4.3)", lambda r: r["cycles"] / 1000, "{:.1f}"),
    "l1": ("L1 hit ratio of processor accesses", l1_ratio, "{:.3f}"),
    "l1-lumped": ("L1 hit ratio, Multi2Sim's way (Figure 4.2)", l1_lumped, "{:.3f}"),
    "l2": ("L2 hit ratio of requests", l2_ratio, "{:.3f}"),
    "l2-lumped": ("L2 hit ratio, Multi2Sim's way (Figure 4.1)", l2_lumped, "{:.3f}"),
}


def print_figure(grid, name, shared=None, lines=None):
    """A row per kernel, a column per L2 size; `shared`: {kernel: its shared memory accesses} for rows of their own."""
    title, figure, form = FIGURES[name]
    rows = []
    for kernel in grid.kernels:
        rows.append([kernel.name, *(cell(grid.of(kernel, l2, figure), form) for l2 in grid.sizes)])
        if name == "l1-lumped" and shared and shared.get(kernel):
            also = with_shared(shared[kernel], "hits", "accesses")
            rows.append([f"{kernel.name} and shared memory", *(cell(grid.value(kernel, l2, also), form)
                                                               for l2 in grid.sizes)])  # fmt: skip
    for suite in grid.suites() if name != "cycles" else ():
        rows.append([f"mean, {suite}", *(cell(grid.mean(suite, l2, figure), form) for l2 in grid.sizes)])
    print(f"{title}; {describe(**grid.fixed)}; L2 in KB\n")
    print_table(["kernel", *map(str, grid.sizes)], rows)
    if lines is not None:
        for kernel in grid.kernels:
            for l2 in grid.sizes:
                lines.append((grid.fixed, kernel.name, l2, name, grid.of(kernel, l2, figure)))


def describe(protocol, l1, ways, size, tree):
    extra = f", {tree}" if tree else ""
    return f"{protocol}{extra}, L1 {l1} KB, L2 {ways} ways, problem {size} KB"


def print_lines(lines):
    """NAME VALUE UNIT."""
    units = {"speed": "ratio", "cycles": "kilocycles"}
    for fixed, kernel, l2, name, value in lines:
        if value is not None:
            tree = fixed["tree"].replace(", ", "-").replace(" ", "-")
            words = (fixed["protocol"], tree, f"l1-{fixed['l1']}", f"ways-{fixed['ways']}",
                     f"size-{fixed['size']}", kernel.replace(", ", "-"), f"l2-{l2}", name)  # fmt: skip
            print(".".join(word for word in words if word), f"{value:.6g}", units.get(name, "ratio"))


def print_configurations(cache, kernels, sizes, protocol, size, tree):
    """Section 4.1.1: means of the suites for both L1 sizes and both associativities."""
    for name in ("speed", "l1", "l1-lumped", "l2-lumped"):
        title, figure, form = FIGURES[name]
        rows = []
        for l1 in (16, 32):
            for ways in (16, 4):
                grid = Grid(cache, kernels, sizes, protocol=protocol, l1=l1, ways=ways, size=size, tree=tree)
                if grid:
                    rows += [[suite, str(l1), str(ways), *(cell(grid.mean(suite, l2, figure), form) for l2 in sizes)]
                             for suite in grid.suites()]  # fmt: skip
        if rows:
            print(f"{title}, means (Figures 4.8 to 4.10); {protocol}, problem {size} KB; L2 in KB\n")
            print_table(["suite", "L1 KB", "L2 ways", *map(str, sizes)], sorted(rows))


# The valley


def share_of(*names):
    """These counters of L1, in percent of all its lookups."""
    def figure(result):
        l1 = runs.level(result, "L1")
        return 100 * sum(l1[name] for name in names) / l1["accesses"]

    return figure


def lost(result):
    """L1 blocks lost to write probes, of 100 processor accesses."""
    l1 = runs.level(result, "L1")
    return 100 * l1["invalidations"] / runs.asked(l1)


def print_valley(grid, other, small=96):
    """
    How deep the valley is at the smallest L2 against the largest, in percent of accesses, and what makes it: hits that
    a processor no longer has, and lookups that only count as accesses. `other`: the same without inclusion.
    """
    large = max(grid.sizes)
    if small not in grid.sizes or small == large:
        return
    ends = [size for size in (0, small, large) if size in grid.sizes]
    percent = {figure: lambda result, figure=figure: None if figure(result) is None else 100 * figure(result)
               for figure in (l1_ratio, l1_lumped)}  # fmt: skip
    probes, retries = share_of("read_probes", "write_probes"), share_of("retries")
    rows = []

    def row(name, value):
        """value(grid, l2, figure) of a kernel, or the mean of a suite."""
        real, counted = ([value(grid, l2, percent[figure]) for l2 in ends] for figure in (l1_ratio, l1_lumped))
        drops = [None if None in side else side[-1] - side[-2] for side in (counted, real)]
        counting = None if None in drops else drops[0] - drops[1]
        kept = value(other, small, percent[l1_ratio]) if other else None
        by_inclusion = None if None in (kept, real[-2]) else kept - real[-2]
        rows.append([name, *(cell(v, PERCENT) for v in (
            *real, *counted, *drops, counting, by_inclusion, value(grid, small, lost), value(grid, small, probes),
            value(grid, small, retries), value(grid, large, probes), value(grid, large, retries)))])  # fmt: skip

    for kernel in grid.kernels:
        row(kernel.name, lambda g, l2, figure, kernel=kernel: g.value(kernel, l2, figure))
    for suite in grid.suites():
        row(f"mean, {suite}", lambda g, l2, figure, suite=suite: g.mean(suite, l2, figure))
    print(f"The valley of L1's hit ratio, percent, at {small} KB of L2 against {large} KB; {describe(**grid.fixed)}\n"
          "`drop`: in Multi2Sim's ratio; `real`: of it, hits that processors no longer have; `counting`: the rest;\n"
          "`inclusion`: hits that a non-inclusive L2 of that size keeps; `lost`: blocks invalidated from below, of\n"
          "100 accesses of processors; `probes`, `retries`: of 100 lookups\n")  # fmt: skip
    both = (*(f"processors, {l2}" for l2 in ends), *(f"Multi2Sim's, {l2}" for l2 in ends))
    print_table(["kernel", *both, "drop", "real", "counting", "inclusion", f"lost, {small}",
                 f"probes, {small}", f"retries, {small}", f"probes, {large}", f"retries, {large}"], rows)  # fmt: skip


def print_careless(grid, limit=0.05):
    """Kernels whose speed no L2 size changes by more than `limit`; with and without the case of none."""
    rows = []
    for kernel in grid.kernels:
        some = [grid.speed(kernel, l2) for l2 in grid.sizes if l2]
        none = grid.speed(kernel, 0) if 0 in grid.sizes else None
        if None in some:
            continue
        verdict = "does not care" if min(some) >= 1 - limit and max(some) <= 1 + limit else "cares"
        own = {"learning": "set 2" if kernel.set2 else "cares"}.get(kernel.suite, "")
        rows.append([kernel.name, cell(min(some)), cell(max(some)), cell(none), verdict, own])
    if not rows:
        return
    print(f"Who does not care about L2 (speed within {100 * limit:.0f} % of the largest's at every size); "
          f"{describe(**grid.fixed)}\n")  # fmt: skip
    print_table(["kernel", "slowest", "fastest", "no L2", "verdict", "seeds/002"], rows)
    for suite in grid.suites():
        speeds = [grid.speed(k, l2) for k in grid.kernels if SUITES[suite](k) for l2 in grid.sizes if l2]
        if None not in speeds:
            print(f"{suite}: standard deviation of the speed-ups {statistics.pstdev(speeds):.3f}")
    print()


# Matrices


def own_cells(level):
    return {
        STATES[i] + STATES[j]: (level["transitions"][i][j], level["origins"][i][j])
        for i in range(6) for j in range(6) if level["transitions"][i][j] or level["origins"][i][j]
    }  # fmt: skip


def print_matrices(cache, kernels, **fixed):
    """The document's cells beside those of our first module, as `count origins`."""
    for table, name, kernel_name, document in DOCUMENT:
        kernel = next((k for k in kernels if k.name == kernel_name), None)
        own = {}
        for l2 in document:
            result = kernel and cache.good(runs.Run(kernel=kernel, l2=l2, **fixed))
            if result:
                own[l2] = own_cells(result["firsts"][name])
        if not own:
            continue
        print(f"{table}, one {name} module, {kernel_name}: count and origins of each change of state; "
              f"{describe(**fixed)}\n")  # fmt: skip
        lost = {l2: cache.good(runs.Run(kernel=kernel, l2=l2, **fixed))["firsts"]["L1"]["invalidations"] for l2 in own}
        cells = sorted({c for part in (*document.values(), *own.values()) for c in part},
                       key=lambda c: (STATES.index(c[0]), STATES.index(c[1])))  # fmt: skip
        header, rows = ["change"], []
        for l2 in document:
            header += [f"seeds/002, {l2} KB", f"own, {l2} KB"]
        for change in cells:
            row = [f"{change[0]} -> {change[1]}"]
            for l2 in document:
                row += ["{} {:X}".format(*part[change]) if change in part else "-"
                        for part in (document[l2], own.get(l2, {}))]  # fmt: skip
            rows.append(row)
        print_table(header, rows)
        print_causes(name, own, lost)


def print_causes(name, own, lost):
    """What the document concludes from the masks; `lost`: blocks of that L1 that were invalidated from below."""
    if name == "L1":
        for l2, cells in own.items():
            masks = {cells[c][1] for c in ("NI", "EI", "SI") if c in cells}
            print(f"{l2} KB: blocks leave L1 by {', '.join(sorted(f'0x{m:X}' for m in masks))}"
                  f"{f' (0x800: {lost[l2]} of them, invalidated from below)' if lost[l2] else ''}")  # fmt: skip
    else:
        for l2, cells in own.items():
            mask = cells.get("EM", (0, 0))[1] | cells.get("MM", (0, 0))[1]
            print(f"{l2} KB: L2 becomes M by 0x{mask:X}"
                  f"{' (0x10000: data of blocks that it invalidated above)' if mask & 0x10000 else ''}")  # fmt: skip
    print()


# Other parts


def print_sizes(cache, kernels, problems, **fixed):
    """Section 4.3: the problem's size varies. Speed-up over 2 MB."""
    base = 2048
    for name in ("l1", "l1-lumped", "l2", "l2-lumped", "speed"):
        title, figure, form = FIGURES[name]
        rows = []
        for kernel in kernels:
            found = {p: cache.good(runs.Run(kernel=kernel, size=p, **fixed)) for p in problems}
            if name == "speed":
                over = found.get(base)
                values = [over["cycles"] / found[p]["cycles"] if over and found[p] else None for p in problems]
            else:
                values = [figure(found[p]) if found[p] else None for p in problems]
            if any(value is not None for value in values):
                rows.append([kernel.name, *(cell(value, form) for value in values)])
        if rows:
            label = "Speed-up over a problem of 2 MB (Figure 4.13)" if name == "speed" else title
            print(f"{label} (section 4.3); {fixed['protocol']}, L2 {fixed['l2']} KB; problem in KB\n")
            print_table(["kernel", *map(str, problems)], rows)


def print_spatial(cache, kernel, sizes, problems, **fixed):
    """Section 4.4, Figures 4.14 to 4.16: bit reversal, a row per cache, a column per problem."""
    for name in ("l2", "l2-lumped", "l1", "l1-lumped", "cycles"):
        title, figure, form = FIGURES[name]
        rows = []
        for ways in (4, 16):
            for l2 in (size for size in sizes if size or ways == 16):
                found = [cache.good(runs.Run(kernel=kernel, l2=l2, ways=ways, size=p, **fixed)) for p in problems]
                if any(found):
                    rows.append([str(l2), str(ways), *(cell(figure(r) if r else None, form) for r in found)])
        if rows:
            print(f"{kernel.name}: {title.split(' (')[0]} (section 4.4); {fixed['protocol']}, L1 {fixed['l1']} KB; "
                  "problem in KB\n")  # fmt: skip
            print_table(["L2 KB", "ways", *map(str, problems)], rows)


def print_beyond(cache, kernels, sizes, variants, **fixed):
    """Means of the suites for other protocols and trees: what the document leaves open."""
    for name in ("speed", "l1", "l1-lumped"):
        title, figure, form = FIGURES[name]
        rows = []
        for protocol, tree in variants:
            grid = Grid(cache, kernels, sizes, protocol=protocol, tree=tree, **fixed)
            if grid:
                for suite in grid.suites():
                    means = (cell(grid.mean(suite, l2, figure), form) for l2 in sizes)
                    rows.append([suite, protocol, tree or "two levels", *means])
        if rows:
            print(f"{title}, means of the suites; L2 in KB\n")
            print_table(["suite", "protocol", "tree", *map(str, sizes)], sorted(rows))
    rows = []
    for protocol, tree in variants:
        grid = Grid(cache, kernels, sizes, protocol=protocol, tree=tree, **fixed)
        base = Grid(cache, kernels, sizes, protocol="nmoesi", tree="", **fixed)
        for l2 in sizes:
            gains = []
            for kernel in kernels:
                own, plain = (g.value(kernel, l2, lambda r: r["cycles"]) for g in (grid, base))
                gains.append(plain / own if own and plain else None)
            if mean(gains) is not None:
                gains = (mean(gains), min(gains), max(gains))
                rows.append([protocol, tree or "two levels", str(l2), *map(cell, gains)])
    if rows:
        print("Speed-up over nmoesi in two levels, at the same L2: mean, least, most of all kernels\n")
        print_table(["protocol", "tree", "L2 KB", "mean", "least", "most"], rows)
