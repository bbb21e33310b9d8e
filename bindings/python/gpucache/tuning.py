# SPDX-License-Identifier: BSD-2-Clause
"""The best number out of a range, by runs: warp-opt, CTA-opt and EBTNum of seeds/004, sections 4.1.5, 4.3 and 6.3.

search() runs every number where there are few. Where there are many it runs those first that are a power of two away
from where it starts, and both ends. Then it halves, again and again, the gaps on both sides of the best number so far,
until its neighbours have been run. That finds the best number if throughput rises and then falls over the gaps beside
the best of the first; over the others it may do what it likes. A second peak between two of the first is
missed: `exhaustive` finds it.

    1 to 24 warps   1 2 3 5 9 17 24, of which 5 is the best: 4 7
                    now 7 is: 6 8; now 6 is, between 5 and 7: 11 runs
"""

EXHAUSTIVE = 12  # numbers that are all run by default: powers and gaps of so many are hardly fewer


def powers(low, high, start):
    """start, start +- 1, 2, 4, ... and both ends."""
    found = {low, high, start}
    step = 1
    while step <= high - low:
        found |= {start - step, start + step}
        step *= 2
    return sorted(number for number in found if low <= number <= high)


def best_of(found, near):
    """The number of {number: throughput} with the best; of equal ones that nearest to `near`."""
    return min(found, key=lambda number: (-found[number], abs(number - near), number))


def halves(found, near):
    """The middles of the gaps on both sides of the best number; [] where there are none."""
    best = best_of(found, near)
    middles = set()
    for beside in (max((n for n in found if n < best), default=best), min((n for n in found if n > best), default=best)):
        middles.add((best + beside) // 2)
    return sorted(middles - set(found))


def search(low, high, measure, start=None, exhaustive=EXHAUSTIVE):
    """{number: throughput} of the numbers that were run.

    measure     called with lists of numbers, returns {number: throughput} of them
    start       where to look around, by default `low`; of equal numbers the nearest to it counts as the best
    exhaustive  so many numbers at most are all run; 0: powers and gaps always
    """
    start = low if start is None else start
    if high - low < exhaustive:
        return measure(list(range(low, high + 1)))
    found = measure(powers(low, high, start))
    while numbers := halves(found, start):
        found = {**found, **measure(numbers)}
    return found
