# SPDX-License-Identifier: BSD-2-Clause
"""The protocol nmoesi-multi2sim against what Multi2Sim left (../shared/coherence), and against the model beside this.

Environment: COHERENCE_SEED, the first tree's seed; COHERENCE_TREES, how many (400 in thorough runs, else 100);
COHERENCE_ACCESSES, to each of them.
"""

import json
import os
import pathlib
import random
import unittest

from gpucache._constants import ProtocolBits

import library
import model
import random_trees
from support import EFFORT

SHARED = pathlib.Path('../shared/coherence/sequential.json')
SEED = int(os.environ.get('COHERENCE_SEED', '1'))
TREES = int(os.environ.get('COHERENCE_TREES', '400' if EFFORT == 'thorough' else '100'))
ACCESSES = int(os.environ.get('COHERENCE_ACCESSES', '60'))


def by_module(trace):
    """Modules may act in any order in one access, each module's order is fixed: {module: entries}."""
    found = {}
    for entry in trace:
        found.setdefault(entry[1], []).append(entry)
    return found


def difference(expected, found, path=''):
    """The first difference between two findings, as text; None for equal ones."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in sorted(expected.keys() | found.keys()):
            told = difference(expected.get(key, 0), found.get(key, 0), f'{path} {key}')
            if told:
                return told
        return None
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for place, (one, other) in enumerate(zip(expected, found)):
            told = difference(one, other, f'{path}[{place}]')
            if told:
                return told
        return None
    return None if expected == found else f'{path.strip()}: expected {expected}, found {found}'


class ModelTree:
    """model.System, issuing like library.System."""

    def __init__(self, config):
        self.system = model.System(config)

    @property
    def trace(self):
        return self.system.trace

    @property
    def now(self):
        return self.system.clock.now

    @now.setter
    def now(self, cycle):
        self.system.clock.now = cycle

    def access(self, name, kind, address):
        return self.system.access(name, kind, address)

    def final(self, names=None, everything=False):
        return self.system.final(names, everything)

    def counters(self, name):
        return self.system.modules[name].counters

    def close(self):
        pass


def recorded():
    if not SHARED.exists():
        raise unittest.SkipTest(f'{SHARED} is not here')
    return json.loads(SHARED.read_text())


class Recorded(unittest.TestCase):
    """Every recorded scenario, exact: cycles, transitions with origins, blocks, orders, directories, statistics."""

    def replay(self, scenario, tree):
        place = 0
        for number, (name, kind, address) in enumerate(scenario['accesses']):
            issue, completion = scenario['completion'][number]
            tree.now = issue
            finished = tree.access(name, kind, int(address, 16))
            expected = scenario['trace'][place:scenario['trace_pos'][number]]
            said = f'access {number} ({name} {kind} {address})'
            self.assertIsNone(difference(by_module(expected), by_module(tree.trace[place:])), said)
            self.assertEqual(completion, finished, said)
            place = scenario['trace_pos'][number]
        self.assertIsNone(difference(scenario['final'], tree.final()), 'at the end')

    def replay_all(self, make):
        document = recorded()
        self.assertGreater(len(document['sequential']), 0)
        for scenario in document['sequential']:
            with self.subTest(scenario['name']):
                tree = make(document['configs'][scenario['config']])
                try:
                    self.replay(scenario, tree)
                finally:
                    tree.close()

    def test_model(self):
        self.replay_all(ModelTree)

    def test_library(self):
        self.replay_all(library.System)


def run(config, accesses, flags=0):
    """Accesses to both trees: the first difference, as (number of the access, text), or None.

    After each access all counters are compared, and the modules where one has changed: nothing changes without one.
    Where two modules have asked several others on one network at the same time, the text does not tell whose messages
    go first, and the library, which takes one module's after the other's, may differ: the text then is "".
    """
    one, other = ModelTree(config), library.System(config, flags)
    try:
        place = now = 0
        before = {name: {} for name in other.names}
        for number, (name, kind, address) in enumerate(accesses):
            one.now = other.now = now
            try:
                finished = one.access(name, kind, int(address, 16)), other.access(name, kind, int(address, 16))
            except AssertionError as error:
                return number, str(error)
            counters = {module: dict(one.counters(module)) for module in other.names}
            changed = [module for module in other.names if counters[module] != before[module]]
            told = (difference(by_module(one.trace[place:]), by_module(other.trace[place:]), 'trace')
                    or difference(*finished, 'completion')
                    or difference(counters, {module: other.counters(module) for module in other.names}, 'counters')
                    or difference(one.final(changed, True), other.final(changed, True)))
            if told:
                return number, '' if one.system.overlapped else told
            before = counters
            place = len(one.trace)
            now = max(one.now, finished[0]) + 1
        told = difference(one.final(None, True), other.final(None, True))
        return (len(accesses) - 1, told) if told else None
    finally:
        other.close()


def shrink(config, accesses):
    """The shortest found list of accesses that still makes a difference."""
    number, _ = run(config, accesses)
    accesses = accesses[:number + 1]
    step = len(accesses) // 2
    while step:
        place = 0
        while place < len(accesses) - 1:
            fewer = accesses[:place] + accesses[place + step:]
            found = run(config, fewer)
            if found and found[1]:
                accesses = fewer[:found[0] + 1]
            else:
                place += step
        step //= 2
    return accesses


def drawn(seed):
    """A random tree and accesses."""
    draw = random.Random(seed)
    config, span = random_trees.tree(draw)
    return config, random_trees.accesses(draw, config, span, ACCESSES)


class Drawn(unittest.TestCase):
    """Random trees and accesses: after each access the library's state equals the model's, to the cycle and the
    byte."""

    def test_library_is_the_model(self):
        unknown = 0
        for seed in range(SEED, SEED + TREES):
            config, accesses = drawn(seed)
            found = run(config, accesses)
            if found and not found[1]:
                unknown += 1
            elif found:
                accesses = shrink(config, accesses)
                number, told = run(config, accesses)
                self.fail(f'COHERENCE_SEED={seed}: access {number}: {told}\n'
                          f'{json.dumps(accesses)}\n{json.dumps(config, indent=1)}')
        self.assertLessEqual(unknown, TREES // 10 + 1, 'trees that were left early')

    def test_each_trait_is_seen(self):
        """Any dropped or added trait or defect (D3 to D5) of the reference is noticed."""
        for name in ('DIRECTORY', 'PEER', 'PROBE_WHOLE', 'COUNT_REPLIES', 'WHOLE_BLOCKS', 'DROP_PROBE_DATA',
                     'STALE_REPLY', 'BARE_ACK'):
            with self.subTest(name):
                trees = (drawn(seed) for seed in range(SEED, SEED + 100))
                found = (run(config, accesses, ProtocolBits[name]) for config, accesses in trees)
                self.assertTrue(any(each and each[1] for each in found))


class ByHand(unittest.TestCase):
    """The model's figures compared with the specification: not this library's figures."""

    def test_cold_load(self):
        """Section 4: L1 1/0, L2 4/0, memory 20/1, 64-byte blocks and links: 48 cycles; a hit takes 1."""
        levels = [('l1', 'cache', 1, 0, ['l2'], 'a', None), ('l2', 'cache', 4, 0, ['mm'], 'b', 'a'),
                  ('mm', 'main_memory', 20, 1, [], None, 'b')]
        config = {
            'modules': [{
                'name': name, 'type': kind, 'level': 1, 'sets': 4, 'assoc': 2, 'block_size': 64, 'latency': latency,
                'directory_latency': directory, 'policy': 'LRU', 'low_modules': low, 'low_network': down,
                'high_network': up, 'address_range': None,
            } for name, kind, latency, directory, low, down, up in levels],
            'networks': [{'name': name, 'bandwidth': 64, 'input_buffer': 0, 'output_buffer': 0} for name in 'ab'],
        }
        for tree in ModelTree(config), library.System(config):
            self.assertEqual(tree.access('l1', 'load', 0x40), 48)
            tree.now = 100
            self.assertEqual(tree.access('l1', 'load', 0x44), 101)
            tree.close()


if __name__ == '__main__':
    unittest.main()
