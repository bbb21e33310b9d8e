# SPDX-License-Identifier: BSD-2-Clause
"""Search for the best number of a range, by runs: warp-opt, CTA-opt and EBTNum of seeds/004, sections 4.1.5, 4.3 and
6.3.

search() runs every number of a short range. In a long range search() first runs numbers a power of two away from the
start, and both ends. Then search() halves the gaps on both sides of the best number, until both neighbours have been
run. The result is the best number if throughput rises and then falls within the gaps beside the best first number. A
second peak between two first numbers is missed; `exhaustive` finds such peaks.

    1 to 24 warps   1 2 3 5 9 17 24, of which 5 is the best: 4 7
                    now 7 is: 6 8; now 6 is, between 5 and 7: 11 runs
"""

EXHAUSTIVE = 12  # all numbers run by default up to this range: powers and gaps would save little


def powers(low, high, start):
    """start, start +- 1, 2, 4, ... and both ends."""
    found = {low, high, start}
    step = 1
    while step <= high - low:
        found |= {start - step, start + step}
        step *= 2
    return sorted(number for number in found if low <= number <= high)


def best_of(found, near):
    """The number with the best throughput of {number: throughput}; of equal numbers the nearest to `near`."""
    return min(found, key=lambda number: (-found[number], abs(number - near), number))


def halves(found, near):
    """Middles of the gaps on both sides of the best number; [] without gaps."""
    best = best_of(found, near)
    middles = set()
    for beside in (max((n for n in found if n < best), default=best), min((n for n in found if n > best), default=best)):
        middles.add((best + beside) // 2)
    return sorted(middles - set(found))


def search(low, high, measure, start=None, exhaustive=EXHAUSTIVE):
    """{number: throughput} of all numbers run.

    measure     called with lists of numbers, returns {number: throughput}
    start       first number, by default `low`; of equal numbers the nearest to `start` is the best
    exhaustive  up to this range all numbers are run; 0: powers and gaps always
    """
    start = low if start is None else start
    if high - low < exhaustive:
        return measure(list(range(low, high + 1)))
    found = measure(powers(low, high, start))
    while numbers := halves(found, start):
        found = {**found, **measure(numbers)}
    return found
