# SPDX-License-Identifier: BSD-2-Clause
"""Tables of the command explain: what bounds each kernel, its loads and stores, and the changes tried."""

from ..explain import CAUSES, LEAST
from .._names import short
from ._figures import count, percent
from ._page import table

_SUMMARY = "kernel", "cycles", "bound by", "share of the cycles", "other limits"
_ACCESSES = ("PC", "access", "requests", "sectors a request", "L1", "L2", "DRAM", "cycles a request",
             "share of the latency")  # fmt: skip


def summary(kernels):
    """HTML of a row for each kernel."""
    rows = []
    for kernel in kernels:
        others = (each for each in kernel["findings"] if each["share"] >= LEAST and each["cause"] != kernel["cause"])
        rows.append((
            short(kernel["name"]), count(kernel["cycles"]), CAUSES.get(kernel["cause"], "no limit found"),
            percent(kernel["share"]), ", ".join(f"{each['cause']} {percent(each['share'])}" for each in others),
        ))  # fmt: skip
    return table(_SUMMARY, rows)


def accesses(kernel):
    """HTML of a row for each load and store of a kernel."""
    rows = []
    for each in kernel["accesses"]:
        cycles, sectors = each["cycles"], each["sectors"]
        rows.append((
            "" if each["pc"] is None else hex(each["pc"]), each["opcode"] or each["kind"], count(each["requests"]),
            "" if sectors is None else f"{sectors:.1f}", *(percent(each[level]) for level in ("l1", "l2", "dram")),
            "" if cycles is None else count(round(cycles)), percent(each["share"]),
        ))  # fmt: skip
    return table(_ACCESSES, rows)


def changes(kernel):
    """HTML of a row for each change tried."""
    rows = [(each["change"], count(each["cycles"]), f"{kernel['cycles'] / max(1, each['cycles']):.2f}")
            for each in kernel["tried"]]  # fmt: skip
    return table(("tried", "cycles", "speed-up"), rows)
