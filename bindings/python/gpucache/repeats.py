# SPDX-License-Identifier: BSD-2-Clause
"""Repeated timed runs under small perturbations, and the interval of a speed-up.

A deterministic simulator gives the same cycles again, yet a latency a cycle longer may move cycles by percents, because
warps and packets then meet in another order. A repetition draws from its own seed:

    l1.latency, network.latency, l2.latency, dram.latency   0 to 3 cycles more
    blocks.interval                                         0 to 3 cycles more: starts of an SM's thread blocks
    the context's seed                                      of random policies and random sampling

Draws of two policies are independent. A speed-up is the ratio of geometric means of cycles. Its interval of 95 % is
Welch's, of the logarithms of cycles; over traces the logarithms are averaged, and variances add up. A speed-up is
significant if the interval of 99 % does not contain 1, as a table has many.

Example: cycles 100, 102 against 90, 91: logarithms 4.6151 and 4.5054 in the mean, deviations .0140 and .0078, so the
speed-up is 1.116, and with 1.57 degrees of freedom, rounded down to 1, from .97 to 1.29: not significant.
"""

import math
import random
from collections import namedtuple

JITTER = 3  # most cycles that a draw adds
KEYS = ("l1.latency", "network.latency", "l2.latency", "dram.latency", "blocks.interval")

# Speed-up, the bounds of its 95 % interval, and whether the interval of 99 % leaves out 1.
Interval = namedtuple("Interval", "value low high significant")

# Quantiles of Student's t by degrees of freedom, from 1: 97.5 %, 99.5 %.
_T95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110,
    2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
_T99 = (
    63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169, 3.106, 3.055, 3.012, 2.977, 2.947, 2.921, 2.898,
    2.878, 2.861, 2.845, 2.831, 2.819, 2.807, 2.797, 2.787, 2.779, 2.771, 2.763, 2.756, 2.750,
)  # fmt: skip


def draw(config, seed, *names):
    """({key: value}, seed of a context): perturbed settings of a Config for a repetition, named by a seed and names."""
    chance = random.Random(repr((seed, names)))
    settings = {key: config.number(key) + chance.randint(0, JITTER) for key in KEYS}
    return settings, chance.randrange(1, 2**63)


class Logs(namedtuple("Logs", "mean variance count")):
    """Mean of logarithms, and the variance of the mean."""

    @classmethod
    def of(cls, values):
        logs = [math.log(value) for value in values]
        mean = math.fsum(logs) / len(logs)
        spread = math.fsum((log - mean) ** 2 for log in logs) / (len(logs) - 1)
        return cls(mean, spread / len(logs), len(logs))


def speedup(pairs):
    """Interval of the geometric mean, over traces, of speed-ups: [(cycles of the reference, cycles), ...] of each trace.

    Each has two repetitions or more.
    """
    parts = [(Logs.of(base), Logs.of(own)) for base, own in pairs]
    mean = math.fsum(base.mean - own.mean for base, own in parts) / len(parts)
    variances = [each for pair in parts for each in pair]
    variance = math.fsum(each.variance for each in variances)
    if not variance:
        return Interval(math.exp(mean), math.exp(mean), math.exp(mean), mean != 0)
    freedom = variance**2 / math.fsum(each.variance**2 / (each.count - 1) for each in variances)
    place = min(len(_T95), max(1, int(freedom))) - 1
    deviation = math.sqrt(variance) / len(parts)
    reach = _T95[place] * deviation
    return Interval(math.exp(mean), math.exp(mean - reach), math.exp(mean + reach), abs(mean) > _T99[place] * deviation)
