# SPDX-License-Identifier: BSD-2-Clause
"""Search for bypassing loads by runs: each load alone, and each pair of a kernel (Xie et al., ICCAD 2013; Table 3 of
seeds/001 counts such runs).

The gain of a set of loads is estimated as the sum of single gains and of each pair's further gain: loads with common
lines depend on each other.
"""

import itertools


def groups(kernels):
    """[indices of a kernel's loads], from the kernel of each load."""
    found = {}
    for index, kernel in enumerate(kernels):
        found.setdefault(kernel, []).append(index)
    return list(found.values())


def trials(kernels):
    """Sets of loads to run: none, each load, each pair of a kernel."""
    found = [()]
    for loads in groups(kernels):
        found += itertools.combinations(loads, 1)
        found += itertools.combinations(loads, 2)
    return found


def _gain(chosen, cycles):
    alone = {load: cycles[()] - cycles[load,] for load in chosen}
    pairs = itertools.combinations(sorted(chosen), 2)
    return sum(alone.values()) + sum(cycles[()] - cycles[pair] - alone[pair[0]] - alone[pair[1]] for pair in pairs)


def _climb(loads, chosen, cycles):
    """Add or remove the load with the largest gain, while a gain exists."""
    best = _gain(chosen, cycles)
    while True:
        neighbours = [chosen ^ {load} for load in loads]
        gains = [_gain(each, cycles) for each in neighbours]
        if max(gains) <= best:
            return best, chosen
        best = max(gains)
        chosen = neighbours[gains.index(best)]


def best(kernels, cycles):
    """The bypassing loads, from the cycles of all trials; kernel by kernel, because kernels run in turn."""
    found = []
    for loads in groups(kernels):
        starts = [frozenset(), frozenset(loads), *(frozenset([load]) for load in loads)]
        found += max((_climb(loads, start, cycles) for start in starts), key=lambda each: (each[0], -len(each[1])))[1]
    return tuple(sorted(found))
