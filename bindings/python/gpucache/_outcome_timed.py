# SPDX-License-Identifier: BSD-2-Clause
"""Results of a scenario with overlapping accesses: each issued at its cycle, during other accesses."""

from collections import Counter

from ._constants import CoherenceKind
from ._document import Entry
from ._outcome import Outcome, _step, _trace_entry, acts_of, line_of
from .errors import GpucacheError

_COALESCED = {
    CoherenceKind.LOAD: "coalesced_reads", CoherenceKind.STORE: "coalesced_writes",
    CoherenceKind.N_STORE: "coalesced_nc_writes",
}  # fmt: skip


def timed_stats(stats, joined):
    """Counters of a module counted alike by Multi2Sim and the library, with Multi2Sim's names."""
    found = {
        "accesses": stats["accesses"], "directory_accesses": stats["directory_accesses"],
        "directory_entry_conflicts": stats["accesses"] - stats["directory_accesses"],
        "data_accesses": stats["data_accesses"], "evictions": stats["evictions"],
        "read_probes": stats["read_probes"], "retry_accesses": stats["retries"],
    }  # fmt: skip
    for kind, name in _COALESCED.items():
        found[name] = joined[kind]
    return {key: value for key, value in found.items() if value}


class TimedOutcome(Outcome):
    """`completion` has [issue, finish, joined] for each access, `retries` is the number of retries."""

    def run(self):
        tree, ends = self._tree, {}
        self._joined = Counter()
        self._entries = []
        self._chains = {}  # by token: later parts of an access, and the first part's token
        tree.set_callbacks(on_transition=self._transition, on_complete=lambda end: self._ended(end, ends))
        self.place = self.scenario.text_of(0) if self.scenario.accesses else None
        tokens = []
        try:
            self._issue(tokens)
            self.place = None
            tree.advance()
        except GpucacheError as error:
            self.error = f"{self.place or 'at the end'}: {error}"
            self._differ("accesses", None, "an end", error.message)
        self.place = None
        ended = [ends.get(token) for token in tokens]
        self.completion = [end and [end.issued, end.cycle, end.joined] for end in ended]
        for end in filter(None, ended):
            self._joined[end.module, end.kind] += end.joined
        self.retries = tree.stats()["retries"]
        if self.compared and not self.error:
            for at, end in enumerate(ended):
                if end is None:  # no cache: no work
                    continue
                self.place = self.scenario.text_of(at)
                self._compare_read(self.scenario.accesses[at], end.data)
                self._compare_atomics(self.scenario.accesses[at], end.atomics)
            self.place = None
            self._check()
            self._compare_ends()
            self._compare_whole_trace()
        self._look()

    def _issue(self, tokens):
        """Issue all accesses of a cycle after all earlier events."""
        tree, before = self._tree, None
        for at, access in enumerate(self.scenario.accesses):
            self.place = self.scenario.text_of(at)
            if access.cycle != before and access.cycle:
                tree.advance(access.cycle - 1)
            before = access.cycle
            acts = acts_of(access)
            tokens.append(self._act(access, acts, access.cycle, None) if acts else None)

    def _act(self, access, acts, cycle, first):
        """Issue the first part of an access; each further part follows at the end of the part before."""
        (module, kind), rest = acts[0], acts[1:]
        if kind is None:
            token = self._tree.issue(module, access.kind, access.address, access.size, data=access.data, cycle=cycle,
                                     mask=access.mask, flags=access.flags, atomics=access.atomics,
                                     event=access.event)  # fmt: skip
        else:
            token = self._tree.issue(module, kind, cycle=cycle)
        self._chains[token] = access, rest, token if first is None else first
        return token

    def _ended(self, end, ends):
        """End of an access with its parts: the last part's end, the access's own bytes."""
        access, rest, first = self._chains.pop(end.token)
        before = ends.get(first)
        own = end if before is None or end.kind == access.kind else before
        ends[first] = own._replace(issued=(before or end).issued, cycle=end.cycle)
        if rest:
            self._act(access, rest, end.cycle, first)

    def _transition(self, transition):
        self._sets[transition.module].add(transition.set)
        self.trace.append(_trace_entry(transition))
        self.story.append(f"cycle {transition.cycle}: {line_of(transition)}")
        self._entries.append((transition.cycle, Entry(*transition[1:])))

    def _compare_ends(self):
        for at, (expected, found) in enumerate(zip(self.scenario.completion or (), self.completion)):
            if list(expected) != found:
                self.place = self.scenario.text_of(at)
                self._differ("issue, finish, joined", None, expected, found)
        self.place = None
        if self.scenario.retries not in (None, self.retries):
            self._differ("retries", None, self.scenario.retries, self.retries)

    def _compare_whole_trace(self):
        if self.scenario.trace is None:
            return
        for module in self._sets:
            lists = [[each for each in entries if each[1].module == module]
                     for entries in (self.scenario.trace, self._entries)]  # fmt: skip
            for step in range(max(map(len, lists))):
                one, other = (entries[step] if step < len(entries) else None for entries in lists)
                if one != other:
                    self._differ(f"transition {step + 1}", module, _dated(one), _dated(other))
                    break

    def _reference_stats(self, module):
        return timed_stats(self.stats[module], {kind: self._joined[module, kind] for kind in _COALESCED})

    def _compare_stats(self, module, expected):
        """Other protocols have other counts of unsuccessful lookups."""
        found = self.final[module]["stats"]
        known = timed_stats(Counter(accesses=1, directory_accesses=2, data_accesses=1, evictions=1, read_probes=1,
                                    retries=1), dict.fromkeys(_COALESCED, 1))  # fmt: skip
        self._compare_counts("", module, {key: value for key, value in expected.items() if key in known}, found)

    def written(self):
        found = super().written()
        found.pop("trace_pos")
        found["accesses"] = self.scenario.part.value["accesses"]
        found["retries_seed1"] = self.retries
        return found


def _dated(entry):
    """(cycle, Entry) as text."""
    return entry and f"{_step(entry[1])} in cycle {entry[0]}"
