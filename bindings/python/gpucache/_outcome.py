# SPDX-License-Identifier: BSD-2-Clause
"""Results of a scenario: run access by access, compared with the file, written in the file's form."""

from collections import Counter, namedtuple

from ._constants import CoherenceKind, MessageKind
from ._document import Entry
from ._coherence import CoherenceResult
from .errors import StateError


class Difference(namedtuple("Difference", "access what module expected found")):
    """`access` is the text of the access before the difference, None at the end; `module` is None without a module."""

    def __str__(self):
        place = f"{self.access}: " if self.access else "at the end: "
        module = f"{self.module}: " if self.module else ""
        return f"{place}{module}{self.what}: expected {shown(self.expected)}, found {shown(self.found)}"


def shown(value):
    """A value in the file's form, without quotes."""
    if value is None:
        return "nothing"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join("none" if each is None else shown(each) for each in value) + "]"
    return str(value)


def acts_of(access):
    """[(module, kind)] of releases, the access itself (kind None), and acquires, in order."""
    own = [] if access.kind is None else [(access.module, None)]
    return [
        *((module, CoherenceKind.RELEASE) for module in access.releases), *own,
        *((module, CoherenceKind.ACQUIRE) for module in access.acquires),
    ]  # fmt: skip


def pattern(values):
    """Bytes in the file's form."""
    return "".join("??" if value is None else f"{value:02x}" for value in values)


def fits(expected, found):
    return len(expected) == len(found) and all(one in (None, other) for one, other in zip(expected, found))


def line_of(transition):
    """A Transition in a line of a story."""
    address = transition.tag if transition.after != "I" else transition.tag_before
    return f"{transition.module} {transition.before} -> {transition.after} {address:#x}, {name_of(transition.origin)}"


def name_of(origin):
    return origin.name.lower().replace("_", " ") if origin.name else f"{int(origin):#x}"


class _Seen:
    """Counts from the steps of accesses, in addition to counters: by kind and module, and finds."""

    def __init__(self):
        self.accesses_found = Counter()
        self.messages = Counter()
        self.messages_found = Counter()

    def add(self, access, result):
        self.accesses_found[access.module, access.kind] += result.found != "I"
        for message in result.messages:
            self.messages[message.target, message.kind] += 1
            self.messages_found[message.target, message.kind] += message.found


def reference_stats(name, stats, seen):
    """Counters of a module with Multi2Sim's names and rules, without zeroes.

    A hit finds the block, with any rights. Write-backs and notices of evictions count as write probes.
    """
    hits = {
        "reads": stats["load_hits"] + stats["read_request_hits"],
        "writes": seen.accesses_found[name, CoherenceKind.STORE]
        + seen.messages_found[name, MessageKind.WRITE_REQUEST],
        "nc_writes": seen.accesses_found[name, CoherenceKind.N_STORE],
    }
    asked = {
        "reads": stats["loads"] + stats["read_requests"], "writes": stats["stores"] + stats["write_requests"],
        "nc_writes": stats["n_stores"],
    }  # fmt: skip
    stepped_back = seen.messages[name, MessageKind.CLEAR_OWNER]
    found = {
        "accesses": stats["accesses"], "evictions": stats["evictions"], "conflict_invalidations": stats["evictions"],
        "read_probes": stats["read_probes"], "hlc_evictions": stepped_back,
        "write_probes": stats["write_probes"] + stats["write_backs_received"] + stats["notices_received"]
        - stepped_back,
        "directory_accesses": stats["directory_accesses"], "data_accesses": stats["data_accesses"],
    }  # fmt: skip
    for kind, count in asked.items():
        found[kind] = count
        found[f"{kind[:-1]}_hits"] = hits[kind]
        found[f"{kind[:-1]}_misses"] = count - hits[kind]
    return {key: value for key, value in found.items() if value}


def _trace_entry(transition):
    """[cycle, module, set, way, tag, state, tag, state, origin]."""
    cycle, module, set_, way, tag_before, before, tag, after, origin = transition
    return [cycle, module, set_, way, f"{tag_before:#x}", before, f"{tag:#x}", after, f"{origin:#x}"]


class Outcome:
    """A run of a scenario: `differences`, `stats` by module, `level_stats`, and `error`, where a protocol gave up."""

    def __init__(self, scenario, protocol, tree):
        self.scenario = scenario
        self.protocol = protocol
        self.compared = protocol == scenario.protocol
        self.differences = []
        self.error = None
        self.place = "no access yet"
        self.completion = []
        self.trace = []
        self.trace_pos = []
        self.story = []  # lines: each step with its result
        self._tree = tree
        self._seen = _Seen()
        self._sets = {name: set() for name in tree.modules}  # sets with any content so far

    def run(self):
        """Issue the accesses, then read the tree; afterwards the tree is not needed."""
        tree = self._tree
        for at, access in enumerate(self.scenario.accesses):
            self.place = self.scenario.text_of(at)
            issue = self.scenario.completion[at][0] if self._follows else None
            issue = tree.clock if issue is None else issue
            try:
                result = self._do(access, issue)
            except StateError as error:
                self.error = f"{self.place}: {error}"
                self._differ("transaction", access.module, "an end", error.message)
                break
            self._seen.add(access, result)
            for transition in result.transitions:
                self._sets[transition.module].add(transition.set)
            self.completion.append([issue, result.completed])
            self.trace += map(_trace_entry, result.transitions)
            self.trace_pos.append(len(self.trace))
            self._tell(access, result)
            if self.compared:
                self._compare_access(at, result)
                self._compare_read(access, result.data)
                self._compare_atomics(access, result.atomics)
                self._check()
        self.place = None
        self._look()

    def _do(self, access, issue):
        """Run an access with its releases and acquires: the CoherenceResult of all."""
        tree, results = self._tree, []
        for module, kind in acts_of(access):
            cycle = results[-1].completed + 1 if results else issue
            results.append(
                self._do_one(access, cycle) if kind is None else tree.access(module, kind, cycle=max(cycle, tree.clock))
            )
        if not results:  # of no cache
            return CoherenceResult(issue, False, "I", "I", 1, b"", [], [])
        own = results[len(access.releases)] if access.address is not None else results[0]
        return own._replace(
            completed=results[-1].completed, messages=[each for one in results for each in one.messages],
            transitions=[each for one in results for each in one.transitions],
        )  # fmt: skip

    def _do_one(self, access, cycle):
        tree = self._tree
        if access.word in ("flush", "acquire") and access.kind == access.word:
            return getattr(tree, access.word)(access.module, cycle=cycle)
        if access.releases:
            cycle = max(cycle, tree.clock)
        if access.kind == CoherenceKind.RELEASE:
            return tree.release(access.module, cycle=cycle)
        return tree.access(access.module, access.kind, access.address, access.size, data=access.data,
                           mask=access.mask, cycle=cycle, flags=access.flags, atomics=access.atomics,
                           event=access.event)  # fmt: skip

    def _tell(self, access, result):
        read = f", read {result.data.hex()}" if result.data else ""
        self.story.append(f"{self.place}{read}")
        self.story += ("    " + line_of(transition) for transition in result.transitions)

    def _look(self):
        """Read the tree at the end."""
        tree = self._tree
        self.stats = {name: tree.stats(name) for name in tree.modules}
        self.level_stats = tree.level_stats()
        self._blocks = {name: list(tree.blocks(name, sorted(sets))) for name, sets in self._sets.items()}
        self.final = {name: self._final(name) for name in tree.modules}
        if self.compared and self.scenario.final and not self.error:
            self._compare_final()
        if self.compared and not self.error:
            self._compare_memory()
        self._tree = self._blocks = None

    @property
    def _follows(self):
        """True if accesses are issued at the file's cycles: the cycles belong to this protocol."""
        return self.compared and self.scenario.completion is not None

    def _differ(self, what, module, expected, found):
        self.differences.append(Difference(self.place, what, module, expected, found))

    # After each access

    def _compare_read(self, access, data):
        if access.reads is not None and not fits(access.reads, data):
            self._differ("bytes read", access.module, pattern(access.reads), data.hex())

    def _compare_atomics(self, access, found):
        for at, (expected, value) in enumerate(zip(access.finds, found)):
            if expected not in (None, value):
                self._differ(f"what atomic {at} finds", access.module, expected, value)

    def _check(self):
        if self.scenario.check is not None:
            told = self._tree.check(*self.scenario.check)
            if told is not None:
                self._differ("structure", None, "nothing wrong", told)

    def _compare_memory(self):
        for address, expected in self.scenario.memory.items():
            found = self._tree.read_memory(address, len(expected))
            if not fits(expected, found):
                self._differ(f"memory at {address:#x}", None, pattern(expected), found.hex())

    def _compare_access(self, at, result):
        if self.scenario.trace is not None:
            self._compare_trace(self.scenario.trace[at], [Entry(*each[1:]) for each in result.transitions])
        if self.scenario.completion is not None:
            expected = self.scenario.completion[at][1]
            if expected is not None and expected != result.completed:
                self._differ("completion cycle", None, expected, result.completed)

    def _compare_trace(self, expected, found):
        """Compare the order of steps of each module; timing may reorder steps of several modules within an access."""
        for module in dict.fromkeys(entry.module for entry in expected + found):
            lists = [[entry for entry in entries if entry.module == module] for entries in (expected, found)]
            if lists[0] == lists[1]:
                continue
            for step in range(max(map(len, lists))):
                one, other = (entries[step] if step < len(entries) else None for entries in lists)
                if one != other:
                    self._differ(f"transition {step + 1}", module, _step(one), _step(other))
                    break

    # At the end

    def _final(self, module):
        tree, found, blocks = self._tree, {}, self._blocks[module]
        found["blocks"] = [
            [set_, way, f"{block.tag:#x}", block.state]
            + ([[[entry.owner, list(entry.sharers)] for entry in block.directory]] if block.directory else [])
            for set_, way, block in blocks
        ]
        sets = dict.fromkeys(set_ for set_, _, _ in blocks)
        found["lru"] = {str(set_): tree.order(module, set_) for set_ in sets}
        stats = self.stats[module]
        found["transitions"] = [[*pair, count, f"{mask:#x}"] for pair, (count, mask) in stats.changes().items()]
        found["stats"] = self._reference_stats(module)
        found["net"] = {
            side: {way: stats[f"{side}_{way}"] for way in ("sent", "received") if stats[f"{side}_{way}"]}
            for side in ("low", "high") if stats[f"{side}_sent"] or stats[f"{side}_received"]
        }  # fmt: skip
        return found

    def _reference_stats(self, module):
        return reference_stats(module, self.stats[module], self._seen)

    def _compare_final(self):
        compare = {
            "blocks": self._compare_blocks, "orders": self._compare_orders, "transitions": self._compare_transitions,
            "stats": self._compare_stats, "net": self._compare_net,
        }  # fmt: skip
        for key, function in compare.items():
            for module, final in self.scenario.final.items():
                if getattr(final, key) is not None:
                    function(module, getattr(final, key))

    def _compare_blocks(self, module, expected):
        found = {(set_, way): block for set_, way, block in self._blocks[module]}
        for key in sorted(expected.keys() | found.keys()):
            where = f"set {key[0]} way {key[1]}: "
            one, other = expected.get(key), found.get(key)
            texts = [one and f"{one[1]} {one[0]:#x}", other and f"{other.state} {other.tag:#x}"]
            if one is None or other is None:
                self._differ(where + "block", module, *texts)
                continue
            if one[0] != other.tag:
                self._differ(where + "tag", module, f"{one[0]:#x}", f"{other.tag:#x}")
            if one[1] != other.state:
                self._differ(where + "state", module, one[1], other.state)
            if one[2] is not None:
                self._compare_directory(where, module, one[2], other.directory)

    def _compare_directory(self, where, module, expected, found):
        if len(expected) != len(found):
            self._differ(where + "directory entries", module, len(expected), len(found))
            return
        for sub, (one, other) in enumerate(zip(expected, found)):
            if one[0] != other.owner:
                self._differ(f"{where}owner of sub-block {sub}", module, one[0], other.owner)
            if one[1] != sorted(other.sharers):
                self._differ(f"{where}sharers of sub-block {sub}", module, one[1], sorted(other.sharers))

    def _compare_orders(self, module, expected):
        sets = self._tree.module(module).sets
        for set_, ways in expected.items():
            found = self._tree.order(module, set_) if set_ < sets else None
            if ways != found:
                self._differ(f"set {set_}: ways from most to least recent", module, ways, found)

    def _compare_transitions(self, module, expected):
        found = self.stats[module].changes()
        order = {state: at for at, state in enumerate(self._tree.states)}
        pairs = expected.keys() | found.keys()
        for pair in sorted(pairs, key=lambda pair: [order.get(each, len(order)) for each in pair]):
            one, other = expected.get(pair, (0, 0)), found.get(pair, (0, 0))
            if one[0] != other[0]:
                self._differ(f"transitions {pair[0]} -> {pair[1]}", module, one[0], other[0])
            if one[1] != other[1]:
                self._differ(f"origins of {pair[0]} -> {pair[1]}", module, f"{one[1]:#x}", f"{other[1]:#x}")

    def _compare_stats(self, module, expected):
        self._compare_counts("", module, expected, self.final[module]["stats"])

    def _compare_net(self, module, expected):
        found = self.final[module]["net"]
        for side in ("low", "high"):
            self._compare_counts(f"{side} network, bytes ", module, expected.get(side, {}), found.get(side, {}))

    def _compare_counts(self, what, module, expected, found):
        for key in sorted(expected.keys() | found.keys()):
            if expected.get(key, 0) != found.get(key, 0):
                self._differ(what + key, module, expected.get(key, 0), found.get(key, 0))

    def written(self):
        """As the file has a scenario."""
        scenario = self.scenario
        found = {
            "name": scenario.name, "config": scenario.config, "protocol": self.protocol,
            "accesses": scenario.part.value["accesses"][:len(self.completion)], "completion": self.completion,
            "final": self.final, "trace": self.trace, "trace_pos": self.trace_pos,
        }  # fmt: skip
        if "mix" in scenario.part.value:
            found["mix"] = scenario.part.value["mix"]
        if self.error:  # in the middle of a transaction: only earlier accesses are complete
            found["error"] = self.error
            del found["final"]
        return found


def _step(entry):
    """An Entry as text."""
    if entry is None:
        return None
    _, set_, way, tag_before, before, tag, after, origin = entry
    return f"set {set_} way {way} {before} {tag_before:#x} -> {after} {tag:#x} by {origin:#x}"
