# SPDX-License-Identifier: BSD-2-Clause
"""The library's tree, with the interface of model.System: configurations and findings in the form of
sequential.json."""

import ctypes

import gpucache
from gpucache import _generated as g
from gpucache._coherence import (AddressRange, CoherenceModule, CoherenceNetwork, CoherenceStats, Interleaved,
                                 coherence_counters, matrices_of)
from gpucache._constants import CounterTable
from gpucache._loader import lib
from gpucache.coherence import Coherence
from gpucache.stats import read_all

STATES = 'NMOESI'
NONE = 0xFFFFFFFF
KINDS = {'load': 0, 'store': 1, 'nc_store': 2}
CLEAR_OWNER = 8  # gpc_message_kind
PROTOCOL = 'nmoesi-multi2sim'


def turned(context, flags):
    """The protocol with some of its flags (GPC_PROTOCOL_) turned, registered; its name."""
    protocol, error = g.gpc_protocol(), g.gpc_error()
    ctypes.memmove(ctypes.byref(protocol), lib.gpc_protocol_find(context._live(), PROTOCOL.encode()),
                   ctypes.sizeof(protocol))
    protocol.name = b'turned'
    protocol.flags ^= flags
    status = lib.gpc_context_register_protocol(context._live(), ctypes.byref(protocol), ctypes.byref(error))
    assert status == 0, error.message
    return 'turned'


def _module(given):
    served = given['address_range']
    if served is not None:
        served = (Interleaved(served['div'], served['mod'], served['eq']) if served['kind'] == 'interleaved'
                  else AddressRange(served['low'], served['high']))
    return CoherenceModule(
        given['name'], given['low_modules'], given['low_network'], given['high_network'], given['sets'],
        given['assoc'], given['block_size'], given['latency'], given['directory_latency'],
        replacement=given['policy'].lower(), serves=served, memory=given['type'] == 'main_memory', any_victim=True)


class System:
    def __init__(self, config, flags=0):
        self.context = gpucache.Context()
        protocol = turned(self.context, flags) if flags else PROTOCOL
        self.given = config['modules']
        self.names = [module['name'] for module in self.given]
        self.tree = Coherence(
            self.context, [_module(module) for module in self.given],
            [CoherenceNetwork(n['name'], n['bandwidth'], n['input_buffer'], n['output_buffer'])
             for n in config['networks']], protocol, data=False)
        self.above = {name: any(name in module['low_modules'] for module in self.given) for name in self.names}
        self.pointer = self.tree._live()
        self.now = 0
        self.trace = []
        # not in the counters: N stores that found the block, messages of owners that step back
        self.n_found = dict.fromkeys(self.names, 0)
        self.stepped_back = dict.fromkeys(self.names, 0)

    def close(self):
        self.tree.close()
        self.context.close()

    def access(self, name, kind, address):
        error, result = g.gpc_error(), g.gpc_coherence_result()
        request = g.gpc_coherence_request(module=self.names.index(name), kind=KINDS[kind], address=address,
                                          cycle=self.now, size=1)
        status = lib.gpc_coherence_access(self.pointer, ctypes.byref(request), ctypes.byref(result),
                                          ctypes.byref(error))
        if status < 0:
            raise AssertionError(f'{name} {kind} {address:#x}: {error.message.decode()}')
        for t in result.transitions[:result.transition_count]:
            self.trace.append([t.cycle, self.names[t.module], t.set, t.way, hex(t.tag_before),
                               STATES[getattr(t, 'from')], hex(t.tag), STATES[t.to], hex(t.origin)])
        self.n_found[name] += kind == 'nc_store' and STATES[result.found] != 'I'
        for m in result.messages[:result.message_count]:
            if m.kind == CLEAR_OWNER:
                self.stepped_back[self.names[m.to]] += 1
        return result.completed

    def statistics(self, name):
        index = self.names.index(name)
        values = read_all(CounterTable.COHERENCE, lib.gpc_coherence_read, self.pointer, index)
        return CoherenceStats(dict(zip(coherence_counters(), values)), STATES, *matrices_of(self.pointer, index, len(STATES)))

    def counters(self, name):
        """The library's nonzero counters."""
        return {field: value for field, value in self.statistics(name).items() if value}

    def final(self, names=None, everything=False):
        return {given['name']: self.final_of(given, everything) for given in self.given
                if not names or given['name'] in names}

    def final_of(self, given, everything):
        name, blocks, order = given['name'], [], {}
        index = self.names.index(name)
        raw = g.gpc_coherence_block()
        for place in range(given['sets']):
            ways = [None] * given['assoc']
            used = everything
            for way in range(given['assoc']):
                assert lib.gpc_coherence_get_block(self.pointer, index, place, way, ctypes.byref(raw), None) == 0
                ways[raw.recency] = way
                if STATES[raw.state] == 'I':
                    assert raw.tag == 0, (name, place, way)
                    continue
                used = True
                entry = [place, way, hex(raw.tag), STATES[raw.state]]
                if self.above[name]:
                    entry.append([self.directory(index, place, way, sub) for sub in range(raw.sub_blocks)])
                blocks.append(entry)
            if used:
                order[str(place)] = ways
        counters, raw = self.counters(name), self.statistics(name)
        return {'blocks': blocks, 'lru': order, 'transitions': [
            [one, two, raw.transitions[i][j], hex(raw.origins[i][j])] for i, one in enumerate(STATES)
            for j, two in enumerate(STATES) if raw.transitions[i][j] or raw.origins[i][j]],
            'stats': self.stats(name, counters), 'net': self.net(given, counters)}

    def directory(self, index, place, way, sub):
        owner, count = ctypes.c_uint32(), ctypes.c_size_t()
        sharers = (ctypes.c_uint32 * len(self.names))()
        assert lib.gpc_coherence_get_directory(self.pointer, index, place, way, sub, ctypes.byref(owner), sharers,
                                               len(sharers), ctypes.byref(count), None) == 0
        return [None if owner.value == NONE else self.names[owner.value],
                [self.names[each] for each in sharers[:count.value]]]

    def net(self, given, counters):
        sides = {'low': bool(given['low_modules']), 'high': self.above[given['name']]}
        return {side: {way: counters.get(f'{side}_{way}', 0) for way in ('sent', 'received')}
                for side, there in sides.items() if there}

    def stats(self, name, counters):
        """By the reference's names: there a hit found the block, and an eviction sends a write probe."""
        def of(counter):
            return counters.get(counter, 0)

        asked = {'read': of('loads') + of('read_requests'), 'write': of('stores') + of('write_requests'),
                 'nc_write': of('n_stores')}
        hits = {'read': of('load_hits') + of('read_request_hits'), 'nc_write': self.n_found[name]}
        hits['write'] = of('hits') - hits['read'] - hits['nc_write']
        back = self.stepped_back[name]
        found = {
            'accesses': of('accesses'), 'evictions': of('evictions'), 'conflict_invalidations': of('evictions'),
            'read_probes': of('read_probes'), 'hlc_evictions': back,
            'write_probes': of('write_probes') + of('write_backs_received') + of('notices_received') - back,
            'directory_accesses': of('directory_accesses'), 'data_accesses': of('data_accesses')}
        for kind in asked:
            found[kind + 's'] = asked[kind]
            found[kind + '_hits'] = hits[kind]
            found[kind + '_misses'] = asked[kind] - hits[kind]
        return {key: value for key, value in found.items() if value}
