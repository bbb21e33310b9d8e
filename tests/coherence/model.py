# SPDX-License-Identifier: BSD-2-Clause
"""NMOESI as Multi2Sim 5.0 implements it: a slow, obvious model of a tree of modules on a time line.

Written from ../shared/coherence/multi2sim-nmoesi.md, and from nothing of this library: the numbers in comments are
that text's sections. One access at a time; the next one is issued when nothing is under way any more. Every activity
is a generator that yields the cycles that it waits, or the Join that it waits for.

All recorded scenarios come out, to the cycle. What the text leaves open, and how it is here:
- Modules above are asked sub-block after sub-block, and in each in the order of the configuration, all from one cycle
  on; the requests leave one per cycle. Recorded, many times.
- A probe that finds nothing takes no time. Section 4; with one access at a time it never comes.
- How senders take turns for one receiver: see Star. Recorded once.
- What counts as before, of things in the same cycle: see Reply. Never recorded.
Of one access no lookup waits for a lock or a port, and no buffer is full: there are none of these here.
"""

from timeline import Clock, Join, Late, Star

STATES = 'NMOESI'
CONTROL = 8  # bytes of a message without data


class Block:
    def __init__(self, sub_blocks):
        self.tag = 0
        self.state = 'I'
        self.locked = False
        self.owner = [None] * sub_blocks
        self.sharers = [set() for _ in range(sub_blocks)]


class Module:
    def __init__(self, given):
        self.name = given['name']
        self.memory = given['type'] == 'main_memory'
        self.sets = given['sets']
        self.ways = given['assoc']
        self.block_size = given['block_size']
        self.latency = given['latency']
        self.directory_latency = given['directory_latency']
        self.fifo = given['policy'] == 'FIFO'
        self.range = given['address_range']
        self.level = 1
        self.low = []
        self.above = []
        self.low_net = self.high_net = None
        self.transitions = {}
        self.stats = {}     # by the reference's names, as sequential.json has them
        self.counters = {}  # by the names of gpucache/ext/coherence.h
        self.net = {'low': {'sent': 0, 'received': 0}, 'high': {'sent': 0, 'received': 0}}

    def finish(self):
        self.sub_block_size = min([m.block_size for m in self.above], default=self.block_size)
        self.sub_blocks = self.block_size // self.sub_block_size
        self.blocks = [[Block(self.sub_blocks) for _ in range(self.ways)] for _ in range(self.sets)]
        self.order = [list(range(self.ways)) for _ in range(self.sets)]

    def count(self, name):
        self.stats[name] = self.stats.get(name, 0) + 1

    def tell(self, name, by=1):
        if by:
            self.counters[name] = self.counters.get(name, 0) + by

    def serves(self, address):
        if self.range is None:
            return True
        if self.range['kind'] == 'interleaved':
            return address // self.range['div'] % self.range['mod'] == self.range['eq']
        return self.range['low'] <= address <= self.range['high']

    def low_of(self, address):
        serving = [m for m in self.low if m.serves(address)]
        assert len(serving) == 1, (self.name, address)
        return serving[0]

    def tag_of(self, address):
        return address - address % self.block_size

    def set_of(self, tag):
        number = tag // self.block_size
        if self.range is not None and self.range['kind'] == 'interleaved':
            number //= self.range['mod']
        return number % self.sets

    def to_front(self, index, way):
        self.order[index].remove(way)
        self.order[index].insert(0, way)


class Place:
    """Result of find_and_lock: the block's place, the found state, and whether the block was found."""

    def __init__(self, module, index, way, tag, state):
        self.module = module
        self.set = index
        self.way = way
        self.tag = tag
        self.state = state
        self.hit = False

    @property
    def block(self):
        return self.module.blocks[self.set][self.way]


class Reply:
    """The strongest answer of a request's children (3): None < Ack < AckData.

    Answers decided in the same cycle are not told apart: here the child asked first counts as first, with the answer
    later.
    """

    def __init__(self):
        self.kind = 0
        self.dirty = []  # (cycle, number of the child) of children that gave data

    def set(self, kind):
        self.kind = max(self.kind, kind)

    def data_by(self, *moment):
        return any(dirty <= moment for dirty in self.dirty)


ACK, ACK_DATA = 1, 2


class System:
    def __init__(self, config):
        self.clock = Clock()
        self.modules = {}
        for given in config['modules']:
            self.modules[given['name']] = Module(given)
        bandwidth = {n['name']: n['bandwidth'] for n in config['networks']}
        on_net = {n: [] for n in bandwidth}
        for given in config['modules']:
            module = self.modules[given['name']]
            for low in given['low_modules']:
                module.low.append(self.modules[low])
                self.modules[low].above.append(module)
            for net in {given['low_network'], given['high_network']} - {None}:
                on_net[net].append(module)
        stars = {n: Star(self.clock, bandwidth[n], on_net[n]) for n in bandwidth}
        for given in config['modules']:
            module = self.modules[given['name']]
            module.low_net = stars.get(given['low_network'])
            module.high_net = stars.get(given['high_network'])
            module.finish()
        for _ in self.modules:
            for module in self.modules.values():
                module.level = max([1, *(above.level + 1 for above in module.above)])
        self.trace = []
        self.finished = None
        self.overlapped = False  # did the last access have two modules ask on one network at the same time?

    # Parts of all transactions

    def write(self, place, tag, state, origin):
        """Write a block's state; `origin` is the bit of section 5."""
        module, block = place.module, place.block
        self.trace.append([self.clock.now, module.name, place.set, place.way, hex(block.tag), block.state, hex(tag),
                           state, hex(origin)])
        count = module.transitions.setdefault((block.state, state), [0, 0])
        count[0] += 1
        count[1] |= origin
        if module.fifo and block.tag != tag:
            module.to_front(place.set, place.way)
        block.tag, block.state = tag, state

    def down(self, sender, receiver, size):
        """A message towards memory."""
        sender.net['low']['sent'] += size
        receiver.net['high']['received'] += size
        sender.tell('low_sent', size)
        sender.tell('data_sent', size > CONTROL)
        receiver.tell('high_received', size)
        yield from sender.low_net.send(sender, receiver, size)

    def up(self, sender, receiver, size):
        sender.net['high']['sent'] += size
        receiver.net['low']['received'] += size
        sender.tell('high_sent', size)
        sender.tell('data_sent', size > CONTROL)
        receiver.tell('low_received', size)
        yield from sender.high_net.send(sender, receiver, size)

    def data(self, module):
        module.count('data_accesses')
        module.tell('data_accesses')
        yield module.latency

    def together(self, activities):
        """Start activities; the Join that waits for all."""
        join = Join(len(activities))

        def one(activity):
            yield from activity
            join.came(self.clock)

        for activity in activities:
            self.clock.start(one(activity))
        return join

    def fan_out(self, module, activities):
        """Ask modules above, all at once."""
        if activities:
            star = module.high_net
            self.overlapped |= star.fans > 0
            star.fans += 1
            yield self.together(activities)
            star.fans -= 1

    def find(self, module, address, kind, probe=False):
        """find_and_lock (3.1). A probe never allocates: None. Only this access is under way: no lock is ever taken."""
        tag = module.tag_of(address)
        index = module.set_of(tag)
        found = [w for w in range(module.ways)
                 if module.blocks[index][w].tag == tag and module.blocks[index][w].state != 'I']
        self.count_lookup(module, kind, probe, module.blocks[index][found[0]] if found else None)
        if found:
            way = found[0]
        elif probe:
            return None
        else:
            way = module.order[index][-1]
            module.to_front(index, way)
        block = module.blocks[index][way]
        assert not block.locked, (module.name, address)
        block.locked = True
        if not module.fifo or block.state == 'I':
            module.to_front(index, way)
        yield module.directory_latency
        place = Place(module, index, way, tag, block.state)
        place.hit = bool(found)
        if not found:
            if block.state != 'I':
                module.count('evictions')
                module.tell('evictions')
                yield from self.evict(place)
                self.write(place, 0, 'I', 0x8)
                module.count('conflict_invalidations')
            place.state = 'I'
        if module.memory and place.state == 'I':
            self.write(place, tag, 'E', 0x10)
            place.state = 'E'
        return place

    def unlock(self, place):
        assert place.block.locked
        place.block.locked = False

    def count_lookup(self, module, kind, probe, block):
        module.count('accesses')
        module.count('directory_accesses')
        module.tell('accesses')
        module.tell('directory_accesses')
        module.tell('hits', bool(block) and not probe and kind != 'message')
        if kind == 'message':
            module.count('hlc_evictions')
            return
        if probe:
            module.count('read_probes' if kind == 'read' else 'write_probes')
            return
        module.count(kind + 's')
        module.count(kind + ('_hits' if block else '_misses'))

    # Accesses of processors

    def load(self, module, address):
        place = yield from self.find(module, address, 'read')
        module.tell('loads')
        module.tell('load_hits', place.state != 'I')
        if place.state == 'I':
            shared = yield from self.read_request(module, place.tag)
            self.write(place, place.tag, 'S' if shared else 'E', 0x1)
        self.unlock(place)
        yield from self.data(module)

    def store(self, module, address):
        place = yield from self.find(module, address, 'write')
        module.tell('stores')
        module.tell('store_hits', place.state in 'ME')
        if place.state not in 'ME':
            yield from self.write_request(module, place.tag, place.state != 'I')
        self.write(place, place.tag, 'M', 0x2)
        self.unlock(place)
        yield from self.data(module)

    def nc_store(self, module, address):
        place = yield from self.find(module, address, 'nc_write')
        module.tell('n_stores')
        module.tell('n_store_hits', place.state in 'NES')
        if place.state in 'MO':
            yield from self.evict(place)
        if place.state == 'E':
            yield from self.clear_owner(module, place.tag)
        elif place.state in 'MOI':
            yield from self.read_request(module, place.tag, nc=True)
        self.write(place, place.tag, 'N', 0x4)
        self.unlock(place)
        yield from self.data(module)

    # Towards memory

    def requested(self, place, address, size):
        """The sub-blocks of a block in [address, address + size)."""
        step = place.module.sub_block_size
        return [z for z in range(place.module.sub_blocks) if address <= place.tag + z * step < address + size]

    def read_request(self, source, address, nc=False):
        """3.6, up-down. Returns `shared`."""
        target = source.low_of(address)
        yield from self.down(source, target, CONTROL)
        place = yield from self.find(target, address, 'read')
        target.tell('read_requests')
        target.tell('read_request_hits', place.hit)
        below_shared = False
        if place.state != 'I':
            yield from self.fan_out(target, [
                self.read_probe(target, owner, place.tag + z * target.sub_block_size, Reply())
                for z, owner in enumerate(place.block.owner)
                if owner is not None and owner is not source
                and (place.tag + z * target.sub_block_size) % owner.block_size == 0])
        else:
            below_shared = yield from self.read_request(target, place.tag)
            self.write(place, place.tag, 'S' if below_shared else 'E', 0x1000)
        block = place.block
        wanted = self.requested(place, address, source.block_size)
        for z in range(target.sub_blocks):
            if block.owner[z] is not source:
                block.owner[z] = None
        for z in wanted:
            block.sharers[z].add(source)
        shared = (nc or below_shared or place.state in 'ONS'
                  or any(len(block.sharers[z]) > 1 for z in wanted))
        if not shared:
            for z in wanted:
                block.owner[z] = source
        self.unlock(place)
        yield from self.data(target)
        yield from self.up(target, source, CONTROL + source.block_size)
        return shared

    def write_request(self, source, address, has_block):
        """3.7, up-down."""
        target = source.low_of(address)
        yield from self.down(source, target, CONTROL)
        place = yield from self.find(target, address, 'write')
        target.tell('write_requests')
        target.tell('write_request_hits', place.state in 'ME')
        yield from self.invalidate(place, source, address)
        if place.state not in 'ME':
            yield from self.write_request(target, place.tag, place.state != 'I')
        block = place.block
        for z in self.requested(place, address, source.block_size):
            block.sharers[z].add(source)
            block.owner[z] = source
            assert len(block.sharers[z]) == 1
        self.write(place, place.tag, 'E', 0x400)
        self.unlock(place)
        yield from self.data(target)
        yield from self.up(target, source, CONTROL if has_block else CONTROL + source.block_size)

    def clear_owner(self, source, address):
        """3.9, with the right sub-block (D2 corrected)."""
        target = source.low_of(address)
        yield from self.down(source, target, CONTROL)
        place = yield from self.find(target, address, 'message')
        target.tell('notices_received')
        for z in self.requested(place, address, source.block_size):
            place.block.owner[z] = None
        self.unlock(place)
        yield from self.up(target, source, CONTROL)

    def evict(self, place):
        """3.5"""
        source = place.module
        tag = place.block.tag
        old = Place(source, place.set, place.way, tag, place.block.state)
        yield from self.invalidate(old, None, None)
        state = old.block.state
        if source.memory:
            self.write(old, 0, 'I', 0x20)
            return
        if state == 'I':
            return
        target = source.low_of(tag)
        yield from self.down(source, target, CONTROL + source.block_size if state in 'MON' else CONTROL)
        low = yield from self.find(target, tag, 'write', probe=True)
        assert low is not None
        target.tell('write_backs_received' if state in 'MON' else 'notices_received')
        if state == 'N' and low.state == 'E':
            self.write(low, low.tag, 'M', 0x80)
        elif state == 'N' and low.state in 'SN':
            self.write(low, low.tag, 'N', 0x100)
        elif state in 'MO':
            assert low.state in 'EM'
            if low.state == 'E':
                self.write(low, low.tag, 'M', 0x40)
        for z in self.requested(low, tag, source.block_size):
            low.block.sharers[z].discard(source)
            if low.block.owner[z] is source:
                low.block.owner[z] = None
        self.unlock(low)
        yield from self.data(target)
        yield from self.up(target, source, CONTROL)
        self.write(old, 0, 'I', 0x200)

    # Towards the processors

    def read_probe(self, asker, target, address, reply):
        """3.6, down-up."""
        yield from self.up(asker, target, CONTROL)
        place = yield from self.find(target, address, 'read', probe=True)
        target.tell('read_probes')
        target.tell('probe_misses', place is None)
        if place is None:
            reply.set(ACK)
            yield from self.down(target, asker, CONTROL)
            return
        assert place.state in 'MOE', (target.name, place.state)
        block = place.block
        above = Reply()
        yield from self.fan_out(target, [
            self.read_probe(target, owner, place.tag + z * target.sub_block_size, above)
            for z, owner in enumerate(block.owner)
            if owner is not None and (place.tag + z * target.sub_block_size) % owner.block_size == 0])
        block.owner = [None] * target.sub_blocks
        if above.kind == ACK_DATA:
            self.write(place, place.tag, 'S', 0x2000)
            size, kind = CONTROL + target.block_size, ACK_DATA
        elif above.kind == ACK:
            self.write(place, place.tag, 'S', 0x4000)
            size, kind = CONTROL, ACK
        else:
            self.write(place, place.tag, 'S', 0x8000)
            size, kind = (CONTROL, ACK) if place.state in 'ES' else (CONTROL + target.sub_block_size, ACK_DATA)
        reply.set(kind)
        self.unlock(place)
        yield from self.data(target)
        yield from self.down(target, asker, size)

    def write_probe(self, asker, target, address, reply, number):
        """3.7, down-up."""
        yield from self.up(asker, target, CONTROL)
        place = yield from self.find(target, address, 'write', probe=True)
        target.tell('write_probes')
        target.tell('probe_misses', place is None)
        target.tell('invalidations', place is not None)
        if place is None:
            yield from self.down(target, asker, CONTROL)
            return
        yield from self.invalidate(place, None, None)
        moment = (self.clock.now, number)
        dirty = place.state in 'NMO'
        if dirty:
            reply.dirty.append(moment)
        self.write(place, 0, 'I', 0x800)
        self.unlock(place)
        yield Late(asker)
        if reply.data_by(*moment):
            yield from self.data(target)
        yield from self.down(target, asker, CONTROL + target.block_size if dirty else CONTROL)

    def invalidate(self, place, but, address):
        """3.8: all sharers above except one; with an address only of the address's sub-block."""
        module, block = place.module, place.block
        state, tag = block.state, block.tag
        reply = Reply()

        def one(sharer, sub_tag, number):
            yield from self.write_probe(module, sharer, sub_tag, reply, number)
            yield Late(module)
            if state == 'E' and reply.data_by(self.clock.now, len(asked)):
                self.write(place, tag, 'M', 0x10000)
            elif state == 'S' and reply.data_by(self.clock.now, len(asked)):
                self.write(place, tag, 'N', 0x20000)

        asked = []
        for z in range(module.sub_blocks):
            sub_tag = tag + z * module.sub_block_size
            if address is not None and not sub_tag <= address < sub_tag + module.sub_block_size:
                continue
            for sharer in module.above:
                if sharer not in block.sharers[z] or sharer is but:
                    continue
                block.sharers[z].remove(sharer)
                if block.owner[z] is sharer:
                    block.owner[z] = None
                if sub_tag % sharer.block_size == 0:
                    asked.append(one(sharer, sub_tag, len(asked)))
        yield from self.fan_out(module, asked)

    # From outside

    def access(self, name, kind, address):
        """One access, to the end of all consequences. Returns the cycle of the end."""
        def whole():
            yield from {'load': self.load, 'store': self.store, 'nc_store': self.nc_store}[kind](
                self.modules[name], address)
            self.finished = self.clock.now

        self.overlapped = False
        self.clock.start(whole())
        self.clock.run()
        return self.finished

    def final(self, names=None, everything=False):
        """The contents of `final` in sequential.json, of some modules or of all; the order also of sets without
        blocks."""
        return {name: final_of(self.modules[name], everything) for name in names or self.modules}


def final_of(module, everything):
    blocks = []
    for index in range(module.sets):
        for way, block in enumerate(module.blocks[index]):
            if block.state == 'I':
                continue
            entry = [index, way, hex(block.tag), block.state]
            if module.above:
                entry.append([[owner.name if owner else None, [m.name for m in module.above if m in sharers]]
                              for owner, sharers in zip(block.owner, block.sharers)])
            blocks.append(entry)
    sides = {'low': module.low, 'high': module.above}
    return {
        'blocks': blocks,
        'lru': {str(index): module.order[index]
                for index in (range(module.sets) if everything else sorted({block[0] for block in blocks}))},
        'transitions': [[a, b, *module.transitions[a, b][:1], hex(module.transitions[a, b][1])]
                        for a in STATES for b in STATES if (a, b) in module.transitions],
        'stats': {k: v for k, v in module.stats.items() if v},
        'net': {side: counts for side, counts in module.net.items() if sides[side]},
    }
