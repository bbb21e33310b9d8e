# SPDX-License-Identifier: BSD-2-Clause
"""Table of a run's counters energy.*, for comparison with other runs on the same preset."""

from ._figures import count, energy, number, percent, product, ratio

_SUMS = {"energy.dynamic": "dynamic", "energy.total": "with static"}
NOTE = ("Energy: events times what each costs by the keys energy.*, of what has such a key alone. To be compared with other "
        "runs on this preset; no watts of a GPU.")  # fmt: skip


def _label(name):
    """energy.l1_read -> L1 read."""
    words = name.split(".", 1)[1].replace("gpu_link", "link of GPUs").replace("_", " ")
    for part in ("l1", "l2", "dram"):
        words = words.replace(part, part.upper())
    return words


def _change(value, base):
    return "-" if value is None or not base else f"{100 * (value / base - 1):+.1f} %"


def whole(stats):
    """Sum of all known energies, in pJ; None without any."""
    return stats.get("energy.total", stats.get("energy.dynamic"))


def beside(stats, run):
    """Share of another run's energy; None if either has none."""
    return ratio(whole(stats), whole(run["stats"]) if run else None)


def header(baseline=None):
    return ("what", "energy", "share", "pJ of one", "events", *(("change",) if baseline else ()))


def rows(stats, config, baseline=None):
    """Rows below header(): a part each, then the sums; empty if the preset has no energies.

    stats, config  as in the JSON of the command run
    baseline       counters of a reference run for the last column
    """
    base = baseline or {}
    all_ = whole(stats)
    parts = [name for name in stats if name.startswith("energy.") and "per_" not in name and name not in _SUMS]
    for name in parts:
        cost = None if name == "energy.static" else number(config, name)
        yield (_label(name), energy(stats[name]), percent(ratio(stats[name], all_)), count(cost),
               count(ratio(stats[name], cost)), *((_change(stats[name], base.get(name)),) if baseline else ()))  # fmt: skip
    for name, label in _SUMS.items():
        if name in stats:
            yield (label, energy(stats[name]), percent(ratio(stats[name], all_)), "", "",
                   *((_change(stats[name], base.get(name)),) if baseline else ()))  # fmt: skip
    for name, label in (("energy.per_instruction", "of a warp instruction"),
                        ("energy.dynamic_per_instruction", "of it dynamic")):  # fmt: skip
        if name in stats:
            yield (label, energy(stats[name]), "", "", "",
                   *((_change(stats[name], base.get(name)),) if baseline else ()))  # fmt: skip
    watts = product(stats.get("energy.per_cycle"), number(config, "clock.core"), 1e-6)
    if watts is not None:
        other = product(base.get("energy.per_cycle"), number(config, "clock.core"), 1e-6)
        yield ("power", f"{watts:.1f} W", "", "", "", *((_change(watts, other),) if baseline else ()))
