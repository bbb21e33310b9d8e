# SPDX-License-Identifier: BSD-2-Clause
"""The counterexample of a Verification as a file of scenarios, which `gpucache coherence FILE` runs step by step.

The violation shows as a difference: unexpected bytes of a load, or of memory after a flush; a wrong structure of the
tree; an access without an end.
"""

from ._constants import (
    GPC_ACCESS_EVENT_SHIFT,
    GPC_EVENT_COUNT,
    AccessBits,
    CoherenceKind,
    VerifyStepKind,
    VerifyVerdict,
)
from .protocol import name_of_bits
from .tables import as_json
from .verification import SystemTree

_KINDS = {CoherenceKind.LOAD: "load", CoherenceKind.STORE: "store", CoherenceKind.N_STORE: "n_store"}
_BASE, _BYTES = 0x1000, 16  # address range of every system's blocks


def _module(tree, name):
    module = tree.module(name)
    found = {
        "name": name, "type": "main_memory" if module.memory else "cache", "sets": module.sets, "assoc": module.ways,
        "block_size": module.block_bytes, "latency": module.latency, "directory_latency": module.directory_latency,
        "policy": "LRU", "low_modules": list(module.low), "low_network": module.low_network,
        "high_network": module.high_network, "any_victim": False,
    }  # fmt: skip
    for key in ("non_inclusive", "write_through", "no_write_allocate", "directory_ways", "directory_pointers",
                "directory_region", "byte_masks", "home", "near_of"):  # fmt: skip
        if getattr(module, key):
            found[key] = getattr(module, key)
    if module.sectors > 1:
        found["sectors"] = module.sectors
    if module.directory_overflow:
        found["directory_overflow"] = module.directory_overflow.name.lower()
    return found


def _config(tree, system):
    modules = [tree.module(name) for name in tree.modules]
    homes = max(module.home for module in modules)
    pages = {"homes": homes, "page_bytes": min(module.block_bytes for module in modules)} if homes else {}
    return {
        **pages,
        "description": system.tree, "modules": [_module(tree, name) for name in tree.modules],
        "networks": [{"name": "net", "bandwidth": 64}],
    }  # fmt: skip


def _access(tree, step):
    found = {"module": tree.modules[step.module], "kind": _KINDS[step.access], "address": f"{step.address:#x}"}
    if step.access == CoherenceKind.LOAD:
        found["size"] = step.size
    else:
        found["bytes"] = f"{step.value:02x}"
    event, flags = step.flags >> GPC_ACCESS_EVENT_SHIFT, step.flags & ((1 << GPC_ACCESS_EVENT_SHIFT) - 1)
    if event:
        found["event"] = tree.events[event - GPC_EVENT_COUNT]
    if flags:
        found["flags"] = name_of_bits(AccessBits(flags))
    return found


def _step(tree, step, whole):
    """An access, or a step of an ordered scenario."""
    if step.kind in (VerifyStepKind.FLUSH, VerifyStepKind.ACQUIRE):
        return [step.kind.name.lower()] + ([tree.modules[step.module]] if step.module is not None else [])
    if step.kind == VerifyStepKind.CHOICE:
        name, where = tree.modules[step.source], f"{step.address:#x}"
        if step.choice.name != "MESSAGE":
            return [step.choice.name.lower(), name, where]
        return ["message", step.message.name.lower().replace("_", "-"), name, tree.modules[step.target], where]
    return _access(tree, step) if whole else ["issue", _access(tree, step)]


def _expect_read(steps, wrong, name, whole):
    """Expect the other value in the module's last load of the byte; or in a further load."""
    expected = f"{1 - wrong.found:02x}"
    for step in reversed(steps):
        access = step[1] if not whole and step[0] == "issue" else step
        if not isinstance(access, dict) or access["module"] != name or access["kind"] != "load" or whole:
            continue
        offset = wrong.address - int(access["address"], 16)
        if 0 <= offset < access["size"]:
            pattern = ["??"] * access["size"]
            pattern[offset] = expected
            access["reads"] = "".join(pattern)
            return
    access = {"module": name, "kind": "load", "address": f"{wrong.address:#x}", "reads": expected}
    steps.append(access if whole else ["issue", access])


def document(context, protocol, found, *, entries=0, channels=3, latencies=False):
    """The Verification `found` of a registered protocol, as a document of scenarios."""
    whole = found.system.in_flight == 0
    with SystemTree(context, protocol, found.system, latencies=latencies) as tree:
        steps = [_step(tree, step, whole) for step in found.steps]
        scenario = {"name": "counterexample", "description": found.text, "config": "tree", "protocol": protocol}
        if found.wrong is not None and found.wrong.module is not None and tree.level(found.wrong.module) == 1:
            _expect_read(steps, found.wrong, tree.modules[found.wrong.module], whole)
        elif found.wrong is not None:
            steps.append(["flush"])
            scenario["memory"] = {f"{found.wrong.address:#x}": f"{1 - found.wrong.found:02x}"}
        if found.verdict == VerifyVerdict.STRUCTURE:
            scenario["check"] = [f"{_BASE:#x}", _BYTES]
        if found.verdict == VerifyVerdict.LIVELOCK:
            scenario["ends"] = True
        if not whole:
            scenario.update({"entries": entries, "channels": channels})
        scenario["accesses" if whole else "steps"] = steps
        return {
            "schema": {"about": "gpucache coherence verify", "verdict": found.verdict.name.lower()},
            "protocol": protocol, "protocols": [as_json(context.protocol(protocol))],
            "configs": {"tree": _config(tree, found.system)}, "sequential" if whole else "ordered": [scenario],
        }  # fmt: skip
