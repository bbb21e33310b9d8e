# SPDX-License-Identifier: BSD-2-Clause
"""Without a clock: how far the order of warps decides L1's hit rate. The run is repeated in the other order."""

from .. import _stdin
from ..replay import Replay
from ..stats import Stats
from ._common import apply_limits, configuration, context, opened

MOST = 2_000_000  # warp instructions of a repeated run: seconds
_NEAR = 0.03  # difference of hit rates that is told as none

_OTHER = {"round-robin": "block", "block": "round-robin"}


def line(options, config, total):
    """A line on the order of a run's warps, with the hit rate of the other order; None: the order is the host's."""
    order = config["warps.order"]
    other = _OTHER.get(order)
    if other is None or "l1.load_hit_rate" not in total:
        return None
    told = f"order of warps: {order} (warps.order); a clock's scheduler has another"
    if total["warp_instructions"] > MOST or options.resume or _stdin.NAME in options.traces:
        return told
    with context(options) as made, configuration(made, options) as changed:
        apply_limits(changed, options)
        changed["warps.order"] = other
        stats = sum((_stats(made, changed, options, source) for source in options.traces), Stats())
    here, there = total["l1.load_hit_rate"], stats.get("l1.load_hit_rate", 0.0)
    if abs(here - there) < _NEAR:
        return f"{told}; L1 % in {other} order within {100 * _NEAR:.0f} points"
    return f"{told}; L1 % in {other} order: {100 * there:.1f}, {100 * here:.1f} here: --mode timed decides"


def _stats(made, config, options, source):
    with Replay(made, config) as replay, opened(made, options, source) as trace:
        return sum((result.stats for result in replay.run(trace)), Stats())
