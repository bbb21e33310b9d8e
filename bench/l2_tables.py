# SPDX-License-Identifier: BSD-2-Clause
"""Tables of bench/l2_valley.py, beside the tables of seeds/002."""

import l2_runs as runs
from policies import cell, print_table

STATES = "NMOESI"
PERCENT = "{:.1f}"

# Tables 4.2 to 4.4: of a module, (L2 in KB) -> {from + to: (count, origins)}.
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
    """Mean; None if a value is missing."""
    values = list(values)
    return sum(values) / len(values) if values and None not in values else None


class Grid:
    """Results of kernels by L2 size, with all other parameters equal."""

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
    """Hits and accesses with shared memory accesses as L1 hits, as in the document."""
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
    """A row per kernel, a column per L2 size; `shared`: {kernel: shared memory accesses} for separate rows."""
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


def describe(l1, ways, size, variant):
    extra = f", {variant}" if variant else ""
    return f"L1 {l1} KB, L2 {ways} ways, problem {size} KB{extra}"


def print_lines(lines):
    """NAME VALUE UNIT."""
    units = {"speed": "ratio", "cycles": "kilocycles"}
    for fixed, kernel, l2, name, value in lines:
        if value is not None:
            variant = fixed["variant"].replace(", ", "-").replace(" ", "-")
            words = (variant, f"l1-{fixed['l1']}", f"ways-{fixed['ways']}", f"size-{fixed['size']}",
                     kernel.replace(", ", "-"), f"l2-{l2}", name)  # fmt: skip
            print(".".join(word for word in words if word), f"{value:.6g}", units.get(name, "ratio"))


# The valley


def counted_without(result, *left_out):
    """Multi2Sim's ratio of L1, in percent, without the given kinds of lookups."""
    l1 = runs.level(result, "L1")
    return 100 * l1["hits"] / (l1["accesses"] - sum(l1[name] for name in left_out))


PROBES, RETRIES = ("read_probes", "write_probes"), ("retries",)
VALLEY = ("L1 ratio, none", "96", "12288", "drop", "no probes", "no retries", "neither", "hits lost", "lost, 96",
          "time, none", "time, 96", "time")  # fmt: skip


def valley_of(results, large):
    """For a kernel, {L2 in KB: result}: Multi2Sim's ratio of L1; its drop from the largest L2 to 96 KB; the drop
    without probes, retries, or both as accesses; lost hits of accesses, over hits and brought blocks; blocks lost by
    L1s to L2, of 100 lookups of accesses; time over the time with the largest L2, and the latter over Multi2Sim's.
    """
    none, small, most = (results[l2] for l2 in (0, 96, 12288))
    ways = ((), PROBES, RETRIES, PROBES + RETRIES)
    drops = [counted_without(most, *way) - counted_without(small, *way) for way in ways]
    l1 = runs.level(small, "L1")
    base = l1["accesses"] - sum(l1[name] for name in PROBES + RETRIES)
    return (*(counted_without(r) for r in (none, small, most)), *drops, 100 * (l1_ratio(most) - l1_ratio(small)),
            100 * l1["invalidations"] / base, *(r["cycles"] / most["cycles"] for r in (none, small)),
            most["cycles"] / large)  # fmt: skip


def print_valley(cache, kernels, variants, size=2048):
    """The valley of L1, with a part of Multi2Sim changed or removed."""
    print(f"The valley by parts; problem {size} KB; L1's ratio and its drop from 12288 to 96 KB of L2, percent: as it\n"
          "is, and where probes, retries, or neither count as accesses; `hits lost`: hits of accesses, of hits and\n"
          "blocks brought; `lost`: blocks invalidated from below, of 100 lookups of accesses; time over that with\n"
          "12288 KB, and that over the first row's\n")  # fmt: skip
    rows = []
    for kernel in kernels:
        large = cache.good(runs.Run(kernel, 12288, 16, 16, size, ""))
        for variant in variants:
            found = {l2: cache.good(runs.Run(kernel, l2, 16, 16, size, variant)) for l2 in (0, 96, 12288)}
            if large and all(found.values()):
                values = valley_of(found, large["cycles"])
                rows.append([kernel.name, variant or "as Multi2Sim", *(cell(v, PERCENT) for v in values[:9]),
                             *(cell(v, "{:.2f}") for v in values[9:])])  # fmt: skip
    print_table(["kernel", "other", *VALLEY], rows)


# Matrices


def own_cells(level):
    return {
        STATES[i] + STATES[j]: (level["transitions"][i][j], level["origins"][i][j])
        for i in range(6) for j in range(6) if level["transitions"][i][j] or level["origins"][i][j]
    }  # fmt: skip


def print_matrices(cache, kernels, **fixed):
    """The document's cells beside cells of our first module, as `count origins`."""
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
    """The document's conclusions from the masks; `lost`: blocks of L1 invalidated from below."""
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


# By problem


def print_problems(cache, kernels, problems, l2=1536, ways=16, l1=16):
    """A row per kernel, a column per problem."""
    for name in ("l1-lumped", "l2-lumped", "cycles"):
        title, figure, form = FIGURES[name]
        rows = []
        for kernel in kernels:
            found = [cache.good(runs.Run(kernel, l2, l1, ways, size, "")) for size in problems]
            if any(found):
                rows.append([kernel.name, *(cell(figure(r) if r else None, form) for r in found)])
        if rows:
            print(f"{title.split(' (')[0]}; L1 {l1} KB; L2 {l2} KB, {ways} ways; problem in KB\n")
            print_table(["kernel", *map(str, problems)], rows)
