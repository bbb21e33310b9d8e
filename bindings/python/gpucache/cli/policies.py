# SPDX-License-Identifier: BSD-2-Clause
"""policies: allowed values of l1.replacement, scheduler, coherence etc."""

import difflib
import json
import textwrap
from collections import namedtuple

from .._constants import CoherenceEvent, DoBits, PolicyKind, ReadsBits
from .._table import screen_width, table, wrapped
from ..errors import GpucacheError
from ..hierarchy import Hierarchy
from ..protocol import PLACES, event_name, name_of_bits
from ._common import add_configuration, add_verbose, configuration, context, size
from ._output import Failure

# Cost of a policy: bits in a cache or scheduler, and in all; None if not stated. `problem`: the reason.
Cost = namedtuple("Cost", "one all problem")

# A kind: the key of its policies, a title, and the owner of a policy, "" if no owner is counted.
_Kind = namedtuple("_Kind", "key title owner")
_KINDS = {
    PolicyKind.REPLACEMENT: _Kind("{}.replacement", "replacement policies", "cache"),
    PolicyKind.PREDICTOR: _Kind("{}.bypass", "predictors: which misses may allocate", "cache"),
    PolicyKind.SCHEDULER: _Kind("scheduler", "warp schedulers of the timed mode", "scheduler"),
    PolicyKind.THROTTLE: _Kind("scheduler, after a +", "throttles: which warps may run or allocate", "scheduler"),
    PolicyKind.PREFETCHER: _Kind("l1.prefetcher", "prefetchers of the timed mode", "cache"),
    PolicyKind.PROTOCOL: _Kind("coherence", "coherence protocols", ""),
}


def add(commands):
    parser = commands.add_parser(
        "policies", description="List the policies with what each would cost in hardware: in one cache and in all of the level, or "
        "in one warp scheduler and in all; and the coherence protocols.",
    )  # fmt: skip
    parser.add_argument("policy", nargs="?", metavar="NAME", help="this one, with its parameters; or "
                        "NAME(PARAMETER=VALUE, ...) for the cost of that")  # fmt: skip
    parser.add_argument("--kind", choices=[kind.name.lower() for kind in PolicyKind], help="only these")
    parser.add_argument("--level", choices=["l1", "l2"], default="l1", help="caches that the costs are for")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object")
    form.add_argument("--markdown", action="store_true", help="print Markdown tables")
    add_configuration(parser)
    add_verbose(parser)
    parser.set_defaults(run=run)


# Costs


def _l1_capacity(made, config):
    """L1's capacity for a kernel without shared memory."""
    with Hierarchy(made, config) as hierarchy:
        hierarchy.begin_kernel()
        return hierarchy.stats()["l1.capacity"] or config.number("l1.size")  # 0: there is none


def geometry(made, config, level="l1"):
    """Number of caches of a level, and sets, ways, line and sectors of a cache, by tags; L1 at its largest."""
    ways, line = config.number(f"{level}.ways"), config.number(f"{level}.line")
    each = config.number("sm.count" if level == "l1" else "l2.slices")
    caches = each * config.number("gpu.count")
    capacity = _l1_capacity(made, config) if level == "l1" else config.number("l2.size") // each
    if level == "l1" and config["l1.unified"] == "true" and config["l1.resize"] != "sets":
        sets = config.number("l1.size") // (ways * line)
        if config["l1.resize"] == "ways":
            ways = capacity // (sets * line)
    else:
        sets = capacity // (ways * line)
    sectors = config.number(f"{level}.sectors")
    return {"caches": caches, "sets": sets, "ways": ways, "line_bytes": line, "sectors": sectors}


class Costs:
    """Costs of policies on a configuration."""

    def __init__(self, made, config, level):
        self.made = made
        self.level = level
        self.shape = geometry(made, config, level)
        self.schedulers = config.number("sm.schedulers") * config.number("sm.count") * config.number("gpu.count")
        self.warps = -(-config.number("sm.warps") // config.number("sm.schedulers"))

    def of(self, kind, spec):
        if not _KINDS[kind].owner:
            return Cost(None, None, "")
        try:
            if _KINDS[kind].owner == "scheduler":
                one = self._of_warps(kind, spec)
                both = one, one * self.schedulers
            else:
                both = [self.made.policy_cost(kind, spec, **{**self.shape, "caches": caches})
                        for caches in (1, self.shape["caches"])]  # fmt: skip
        except GpucacheError as error:
            return Cost(None, None, str(error))
        return Cost(*(bits or None for bits in both), "")

    def _of_warps(self, kind, spec):
        if kind == PolicyKind.SCHEDULER:
            return self.made.scheduler_cost(spec, self.warps)
        base = "lrr"  # an arbitrary scheduler, needed by a throttle
        return self.made.scheduler_cost(f"{base} + {spec}", self.warps) - self.made.scheduler_cost(base, self.warps)

    def where(self, kind):
        """Owners of the costs, as text."""
        if _KINDS[kind].owner == "scheduler":
            return f"{self.schedulers} warp schedulers of {self.warps} warps"
        shape = self.shape
        each = size(shape["sets"] * shape["ways"] * shape["line_bytes"])
        sectors = f", {shape['sectors']} sectors a line" if shape["sectors"] > 1 else ""
        caches = "SMs" if self.level == "l1" else "slices"
        return (f"the {self.level.upper()}s of {shape['caches']} {caches}, each {each}: {shape['sets']} sets of "
                f"{shape['ways']} ways of {shape['line_bytes']} bytes{sectors}")  # fmt: skip


def octets(bits):
    """Bits as bytes; - for None."""
    return "-" if bits is None else f"{bits / 8:,.3f}".rstrip("0").rstrip(".")


def reads_of(made, kind, spec):
    """Names of a policy's inputs, in order of ReadsBits; None for a kind without requests, or if not stated."""
    if kind not in (PolicyKind.REPLACEMENT, PolicyKind.PREDICTOR):
        return None
    try:
        reads = made.policy_reads(kind, spec)
    except GpucacheError:  # refused parameters: the cost has the reason
        return None
    return [bit.name.lower() for bit in ReadsBits if bit & reads & ~ReadsBits.PLACE] if reads else None


# Output


def _number(value):
    return str(int(value)) if value == int(value) and abs(value) < 1e10 else f"{value:g}"


def _parameters(policy):
    """Rows: name, default, values, meaning."""
    for each in policy.parameters:
        allowed = f"{_number(each.minimum)} to {_number(each.maximum)}" + ("" if each.whole else ", fractions too")
        yield [each.name, _number(each.initial), allowed, each.meaning]
    for each in policy.texts:
        yield [each.name or "(list)", each.initial, ", ".join(each.choices) or "text", each.meaning]


def _cell(rule):
    if rule is None:
        return ""
    if rule.actions in (DoBits.IGNORE, DoBits.FORBID):
        return "-" if rule.actions == DoBits.IGNORE else "forbid"
    after = rule.next.name + (f"/{rule.next_shared.name}" if rule.next_shared != rule.next else "")
    return f"{name_of_bits(rule.actions)} -> {after}"


def _tables(protocol):
    """Lines: per place, the action and next state for every state and event; E/S: S with other copies."""
    for place in PLACES:
        states = [state for state in protocol.all_states if state in protocol.places.get(place, ())]
        if not states:
            continue
        rows = [
            [event_name(event), *(_cell(protocol.rule(place, state, event)) for state in states)]
            for event in CoherenceEvent if any(protocol.rule(place, state, event) for state in states)
        ]  # fmt: skip
        yield ""
        yield from table([place, *(protocol.names[state] for state in states)], rows, left=range(len(states) + 1))


def _list(found, costs):
    where = " and for ".join(costs.where(kind) for kind in (PolicyKind.REPLACEMENT, PolicyKind.SCHEDULER))
    if any(_KINDS[policy.kind].owner for policy, _ in found):
        yield from textwrap.wrap(f"Hardware costs are in bytes, for {where}.", screen_width())
    for kind in PolicyKind:
        policies = [(policy, cost) for policy, cost in found if policy.kind == kind]
        if not policies:
            continue
        figures = _KINDS[kind].owner
        rows = []
        for policy, cost in policies:
            source = f" [{policy.source}]" if policy.source else ""
            each = [octets(cost.one), octets(cost.all)] if figures else []
            rows.append([policy.name, *each, policy.summary + source])
        yield ""
        yield f"{_KINDS[kind].title} ({_KINDS[kind].key.format(costs.level)})"
        yield from wrapped(["name", *([f"a {figures}", "all"] if figures else []), "what it does [source]"], rows)


def _details(found, costs, spec):
    for policy, cost in found:
        reads = reads_of(costs.made, policy.kind, spec)
        bits = f"{octets(cost.one)} bytes, {octets(cost.all)} in all: for {costs.where(policy.kind)}"
        rows = [
            ["kind", f"{policy.kind.name.lower()}, named in {_KINDS[policy.kind].key.format(costs.level)}"],
            ["does", policy.summary],
            ["source", policy.source or "-"],
            *([["reads", "not stated" if reads is None else ", ".join(reads) or "nothing of a request"]]
              if policy.kind in (PolicyKind.REPLACEMENT, PolicyKind.PREDICTOR) else []),
            *([["cost", cost.problem or (bits if cost.one else "not stated")]] if _KINDS[policy.kind].owner else []),
        ]
        yield from wrapped([policy.name, ""], rows)
        if policy.kind == PolicyKind.PROTOCOL:
            yield from _tables(costs.made.protocol(policy.name))
        parameters = list(_parameters(policy))
        if parameters:
            yield ""
            yield from wrapped(["parameter", "default", "values", "meaning"], parameters, left=(0, 1, 2))
        yield ""


def _markdown(found, costs):
    for kind in dict.fromkeys(policy.kind for policy, _ in found):
        figures = _KINDS[kind].owner
        yield "| name | what it does | source |" + (f" {figures} | all |" if figures else "")
        yield "|---|---|---|" + ("---:|---:|" if figures else "")
        for policy, cost in found:
            if policy.kind == kind:
                cells = [f"`{policy.name}`", policy.summary, policy.source]
                cells += [octets(cost.one), octets(cost.all)] if figures else []
                yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
        yield ""


def as_json(found, costs, preset, spec):
    policies = [
        {**policy._asdict(), "kind": policy.kind.name.lower(), "cost_bits": cost.one, "level_cost_bits": cost.all,
         "reads": reads_of(costs.made, policy.kind, spec or policy.name),
         "parameters": [each._asdict() for each in policy.parameters],
         "texts": [each._asdict() for each in policy.texts]}
        for policy, cost in found
    ]  # fmt: skip
    document = {
        "schema": 1, "preset": preset, "level": costs.level, **costs.shape, "schedulers": costs.schedulers,
        "warps_per_scheduler": costs.warps, "policies": policies,
    }  # fmt: skip
    return json.dumps(document, indent=2)


def _chosen(made, options):
    """Chosen policies, with the text for the cost."""
    kinds = [kind for kind in PolicyKind if options.kind in (None, kind.name.lower())]
    policies = [policy for kind in kinds for policy in made.policies(kind)]
    if options.policy is None:
        return [(policy, policy.name) for policy in policies]
    name = options.policy.partition("(")[0].strip()
    found = [(policy, options.policy) for policy in policies if policy.name == name]
    if not found:
        near = difflib.get_close_matches(name, [policy.name for policy in policies], 1)
        raise Failure(f"no policy '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))
    return found


def run(options):
    with context(options) as made, configuration(made, options) as config:
        costs = Costs(made, config, options.level)
        found = [(policy, costs.of(policy.kind, spec)) for policy, spec in _chosen(made, options)]
        if options.policy is not None and "(" in options.policy and all(cost.problem for _, cost in found):
            raise Failure(found[0][1].problem)
        if options.json:
            print(as_json(found, costs, config.preset, options.policy))
        elif options.markdown:
            print("\n".join(_markdown(found, costs)).rstrip())
        else:
            lines = _list(found, costs) if options.policy is None else _details(found, costs, options.policy)
            print("\n".join(lines).rstrip())
