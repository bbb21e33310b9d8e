# SPDX-License-Identifier: BSD-2-Clause
"""policies: what can stand for l1.replacement, scheduler and the like."""

from .._constants import PolicyKind
from ..hierarchy import Hierarchy
from ._common import add_configuration, add_verbose, configuration, context, size


def add(commands):
    parser = commands.add_parser(
        "policies", help="list replacement policies, predictors and schedulers", description="List the policies, and "
        "what each would cost in hardware on the L1 of the configuration, at its largest, or in a warp scheduler.",
    )  # fmt: skip
    add_configuration(parser)
    add_verbose(parser)
    parser.set_defaults(run=run)


def geometry(made, config):
    """Sets, ways, line and sectors of the L1 that a kernel without shared memory gets."""
    with Hierarchy(made, config) as hierarchy:
        hierarchy.begin_kernel()
        capacity = hierarchy.stats()["l1.capacity"] or config.number("l1.size")  # 0: there is none
    ways, line = config.number("l1.ways"), config.number("l1.line")
    if config["l1.unified"] == "true" and config["l1.resize"] == "ways":
        sets = config.number("l1.size") // (ways * line)
        ways = capacity // (sets * line)
    else:
        sets = capacity // (ways * line)
    return {"sets": sets, "ways": ways, "line_bytes": line, "sectors": config.number("l1.sectors")}


def _number(value):
    return str(int(value)) if value == int(value) else str(value)


def _lines(policy, bits):
    yield f"  {policy.name}: {policy.summary}"
    if policy.source:
        yield f"      source: {policy.source}"
    yield f"      cost: {f'{bits:,} bits' if bits else 'not stated'}"
    for each in policy.parameters:
        allowed = f"{_number(each.minimum)} to {_number(each.maximum)}" + (", whole" if each.whole else "")
        yield f"      {each.name} = {_number(each.initial)} ({allowed}): {each.meaning}"


def run(options):
    with context(options) as made, configuration(made, options) as config:
        shape = geometry(made, config)
        warps = -(-config.number("sm.warps") // config.number("sm.schedulers"))
        sectors = f", {shape['sectors']} sectors a line" if shape["sectors"] > 1 else ""
        capacity = shape["sets"] * shape["ways"] * shape["line_bytes"]
        print(f"Costs are for {size(capacity)}: {shape['sets']} sets of {shape['ways']} ways of "
              f"{shape['line_bytes']} bytes{sectors}, and a scheduler of {warps} warps.")
        for kind in PolicyKind:
            print(f"\n{kind.name.lower()}")
            for policy in made.policies(kind):
                if kind == PolicyKind.SCHEDULER:
                    bits = made.scheduler_cost(policy.name, warps)
                else:
                    bits = made.policy_cost(kind, policy.name, **shape)
                print("\n".join(_lines(policy, bits)))
