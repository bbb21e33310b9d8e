# SPDX-License-Identifier: BSD-2-Clause
"""Results of a scenario with a chosen order of messages."""

from ._constants import ChoiceKind
from ._outcome import Outcome, line_of
from ._outcome_timed import _COALESCED, timed_stats
from .errors import GpucacheError

_MOST = 10000  # limit of steps for accesses to end


def _told(choice):
    """A Choice in words."""
    if choice.kind != ChoiceKind.MESSAGE:
        return f"{choice.source} {'begins again' if choice.kind == ChoiceKind.RETRY else 'goes on'}"
    waits = "" if choice.ready else " (waits: locked)"
    return f"{choice.message.name.lower().replace('_', ' ')} {choice.source} to {choice.target}{waits}"


class OrderedOutcome(Outcome):
    """`completion` has None for each access, because time stands still."""

    def run(self):
        tree = self._tree
        self._reads = {}  # token: Access
        tree.set_callbacks(on_transition=self._transition, on_complete=self._ended)
        self._lines = []
        try:
            tree.hold(self.scenario.entries, self.scenario.channels)
            self._run_steps()
            if self.scenario.ends and not self.differences:
                self._end_all()
                self._tell_step()
        except GpucacheError as error:
            self.error = f"{self.place or 'at the end'}: {error}"
            self._differ("step", None, "an end", error.message)
            self._tell_step()
        self.completion = [None] * len(self.scenario.accesses)
        self.place = None
        self._look()

    def _run_steps(self):
        for at, step in enumerate(self.scenario.steps):
            self.place = self.scenario.text_of(at)
            if not self._take(step):
                return
            self._tell_step()
            if self.compared:
                self._check()
        self.place = None

    def _take(self, step):
        """Take a step; False: impossible."""
        tree, access = self._tree, step.access
        if access is not None and access.word == "acquire" and access.module is not None:
            tree.issue(access.module, "acquire", cycle=0)
            tree.advance(0)
        elif access is not None and access.address is None:
            getattr(tree, access.word)(access.module, cycle=0)
        elif access is not None:
            token = tree.issue(access.module, access.kind, access.address, access.size, data=access.data,
                               mask=access.mask, cycle=0, atomics=access.atomics, event=access.event)  # fmt: skip
            self._reads[token] = access
            tree.advance(0)
        else:
            choices = tree.choices()
            wanted = step.choice, step.message, step.source, step.target, step.address
            found = [index for index, each in enumerate(choices) if each[:5] == wanted]
            if not found:
                self._differ("step", None, "something that may happen", ", ".join(map(_told, choices)) or "nothing")
                return False
            tree.choose(found[0])
        return True

    def _end_all(self):
        """Let all accesses end, with a turn for every choice."""
        tree = self._tree
        for turn in range(_MOST):
            ready = [index for index, choice in enumerate(tree.choices()) if choice.ready]
            if not ready:
                return
            tree.choose(ready[turn % len(ready)])
        self._differ("accesses", None, "an end", f"none after {_MOST} more steps")

    def _transition(self, transition):
        self._sets[transition.module].add(transition.set)
        self._lines.append("    " + line_of(transition))

    def _ended(self, end):
        access = self._reads.pop(end.token, None)
        if access is None:
            return
        self._lines.append(f"    {end.module} has its {end.kind.name.lower().replace('_', '-')}: {end.data.hex()}")
        if self.compared:
            self._compare_read(access, end.data)
            self._compare_atomics(access, end.atomics)

    def _tell_step(self):
        self.story.append(self.place or "at the end")
        self.story += self._lines
        self._lines = []

    def _reference_stats(self, module):
        return timed_stats(self.stats[module], dict.fromkeys(_COALESCED, 0))

    def _compare_stats(self, module, expected):
        """Compare counters without cycles, and without counters that depend on cycles."""

    def written(self):
        found = {key: value for key, value in self.scenario.part.value.items() if key != "final"}
        return {**found, "protocol": self.protocol, **({"error": self.error} if self.error else {"final": self.final})}
