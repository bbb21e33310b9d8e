# SPDX-License-Identifier: BSD-2-Clause
"""Tables 4.2 to 4.4 of seeds/002: changes of state of a module, with their origins.

Section 4.2 finds the stores of Histogram's tries, which are to shared memory, among L1's changes of state, and section
4.1 has shared memory in L1's module: therefore these tables are of IN_L1. Its windows are a choice, the size of
Multi2Sim's generic addresses. Section 4.1 also has all shared accesses hit, which Figure 4.2 counts (l1_ratio).
"""

from ._model import SHARE, Claim, count, told
from ._valley import FEW_BLOCKS, PIXELS, SHARED, SOME

NAMES = "NMOESI"
IN_L1 = "windows"
L2S = (1536, 96, 0)  # KB of L2, of the tables' parts

# Changes of state: counts by KB of L2, and origins as identifiers of the document's Table 4.1.
L1_TRANSPOSE = {
    "NN": ((109, 109, 101), "4; 4; 4"), "NI": ((1323, 1663, 1369), "200; A00; 200"), "EN": ((172, 126, 220), "4; 4; 4"),
    "ES": ((957, 475, 928), "8000; 8000; 8000"), "EI": ((4148, 4213, 2866), "200; A00; 200"),
    "SI": ((1922, 754, 1871), "200; A00; 200"), "IN": ((1161, 1544, 1185), "4; 4; 4"),
    "IE": ((5333, 4824, 4069), "1; 1; 1"), "IS": ((1027, 285, 980), "1; 1; 1"), "II": ((7393, 2518, 6106), "8; 8; 8"),
}  # fmt: skip
L1_HISTOGRAM = {
    "NN": ((30914, 22631, 25076), "4; 4; 4"), "NI": ((2412, 10914, 2107), "200; A00; 200"),
    "EN": ((1883, 6279, 1631), "4; 4; 4"), "ES": ((829, 367, 906), "8000; 8000; 8000"),
    "EI": ((5548, 63205, 4679), "200; A00; 200"), "SI": ((2979, 853, 2793), "200; A00; 200"),
    "IN": ((539, 4636, 497), "4; 4; 4"), "IE": ((8306, 69884, 7225), "1; 1; 1"),
    "IS": ((2221, 491, 1984), "1; 1; 1"), "II": ((10939, 19103, 9579), "8; 8; 8"),
}  # fmt: skip
L2_TRANSPOSE = {
    "MM": ((0, 8), "0; 10000"), "MI": ((2516, 3962), "200; 200"), "EM": ((3045, 4001), "80; 10080"),
    "EI": ((3549, 10222), "200; 200"), "IE": ((8109, 14312), "1000; 1000"), "II": ((6065, 14184), "8; 8"),
}  # fmt: skip
TABLES = [("4.2", "L1", "Transpose", L1_TRANSPOSE), ("4.3", "L1", "Histogram", L1_HISTOGRAM),
          ("4.4", "L2", "Transpose", L2_TRANSPOSE)]  # fmt: skip


def changes(book, kernels, **other):
    """Changes of state in the document or here: (table, level, program, change, the document's counts, its origins, our
    counts, our origins)."""
    for table, level, name, document in TABLES:
        for kernel in (kernel for kernel in kernels if kernel.name.split(",")[0] == name):
            sizes = [l2 for l2 in L2S if l2 or level == "L1"]
            modules = [book.result(kernel, l2, **other)["firsts"][level] for l2 in sizes]
            for i, j in ((i, j) for i in range(6) for j in range(6)):
                counts = tuple(module["transitions"][i][j] for module in modules)
                origins = "; ".join(f"{module['origins'][i][j]:X}" for module in modules)
                theirs, named = document.get(NAMES[i] + NAMES[j], ((0,) * len(sizes), "; ".join("0" * len(sizes))))
                if any(theirs) or any(counts):
                    yield table, level, kernel.name, f"{NAMES[i]} -> {NAMES[j]}", theirs, named, counts, origins


def text(counts):
    return "; ".join(map(str, counts))


def of_states(book):
    for table, level, name, change, theirs, named, counts, origins in changes(book, book.kernels, variant=IN_L1):
        agrees = all(abs(a - b) <= SHARE * b for a, b in zip(counts, theirs))
        yield count(name, f"{level}, {change}: origins ({table})", named, origins)
        yield Claim(name, f"{level}, {change}: changes ({table})", text(theirs), text(counts), agrees)


def shared(book):
    """[(variant, size, programs)] with shared memory through L1; a quick call has the cheaper program."""
    both = [kernel for kernel in book.kernels if kernel.name in SOME[:1 if book.quick else 2]]
    pixels = [PIXELS for kernel in both if kernel.name == "Histogram"]
    return [*((variant, book.shared_size, both) for variant in SHARED), (FEW_BLOCKS, book.size, pixels)]


def of_shared(book):
    """Changes of L1 from and to N with accesses to shared memory in L1, and L1's hit ratio; 1536, 96 and 0 KB of L2."""
    for variant, size, kernels in shared(book):
        other = {"variant": variant, "size": size}
        for kernel in kernels:
            ratios = [book.l1_ratio(kernel, l2, **other) for l2 in L2S]
            yield told(kernel.name, f"{variant}: L1 hit ratio", " ".join(f"{ratio:.3f}" for ratio in ratios))
        found = [row for row in changes(book, kernels, **other) if row[1] == "L1"]
        for table, _, name, change, theirs, named, counts, origins in found:
            if "N" in change or kernels == [PIXELS]:
                yield told(name, f"{variant}: {change} ({table})", f"{text(counts)} by {origins}",
                           f"document {text(theirs)} by {named}")  # fmt: skip
        unlike = [f"{row[2]} {row[3]}" for row in found if row[5] != row[7]]
        yield told("all", f"{variant}: other origins", ", ".join(unlike) or "none")
