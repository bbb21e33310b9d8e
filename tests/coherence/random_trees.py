# SPDX-License-Identifier: BSD-2-Clause
"""Random trees and accesses, in the form of ../shared/coherence/sequential.json, from a seed.

Two to four levels with memory; shared caches, private ones, banks by interleaving or by range; first-level caches that
pass levels by; blocks that grow towards memory; LRU and FIFO; direct mapped to four ways; directories smaller than what
they are to hold. What stands beside each other has blocks of one size: the reference knows no other.
"""

KINDS = {
    'loads': ['load'],
    'loads and stores': ['load', 'load', 'store'],
    'loads and N stores': ['load', 'load', 'nc_store'],
    'all': ['load', 'store', 'nc_store'],
    'N stores and stores': ['load', 'nc_store', 'nc_store', 'store'],
}


def _module(draw, name, level, memory, block, served):
    sets = draw.choice((1, 1, 2, 2, 3, 4)) * (1 if level == 1 else draw.choice((1, 1, 2, 4)))
    ways = draw.choice((1, 1, 2, 2, 3, 4))
    return {
        'name': name, 'type': 'main_memory' if memory else 'cache', 'level': level, 'sets': sets, 'assoc': ways,
        'block_size': block, 'latency': draw.randint(1, 9), 'directory_latency': draw.choice((0, 0, 1, 2)),
        'policy': draw.choice(('LRU', 'LRU', 'FIFO')), 'ports': 64, 'mshr': 16, 'low_modules': [], 'low_network': None,
        'high_network': None, 'address_range': served,
    }


def _ranges(draw, kind, count, block, span):
    """The range served by each of `count` modules side by side."""
    if kind == 'interleaved':
        step = block * draw.choice((1, 1, 2))
        return [{'kind': 'interleaved', 'div': step, 'mod': count, 'eq': i} for i in range(count)]
    if kind == 'range':
        part = span // count
        return [{'kind': 'bounds', 'low': i * part, 'high': (i + 1) * part - 1 if i + 1 < count else (1 << 40) - 1}
                for i in range(count)]
    return [None] * count


def _connect(draw, above, below, kind, nets, level):
    """The used modules below each module above, and the networks between."""
    groups = []  # [modules above, modules below] that see each other
    if kind == 'private':
        share = -(-len(above) // len(below))
        groups = [(above[i * share:(i + 1) * share], [low]) for i, low in enumerate(below)]
    else:
        groups = [(above, below)]
    one = draw.random() < 0.5
    for number, (high, low) in enumerate(groups):
        name = f'net-{level}' if one else f'net-{level}-{number}'
        if name not in nets:
            nets.append(name)
        for module in high:
            module['low_modules'] = [each['name'] for each in low]
            module['low_network'] = name
        for module in low:
            module['high_network'] = name


def tree(draw):
    """A configuration, and the bytes that its accesses are to use."""
    levels = draw.choice((1, 1, 2, 2, 2, 3, 3))  # of caches
    block = draw.choice((16, 32, 64))
    largest = block
    sizes = []
    for _ in range(levels + 1):
        sizes.append(largest)
        largest *= draw.choice((1, 1, 1, 2, 2, 4))
    span = sizes[-1] * draw.choice((4, 8, 8, 16))
    modules, nets = [], []
    first = draw.choice((1, 2, 2, 3, 3, 4, 5, 6, 6, 16))
    above = [_module(draw, f'l1-{i}', 1, False, sizes[0], None) for i in range(first)]
    modules += above
    for level in range(2, levels + 2):
        memory = level == levels + 1
        kinds = ['one', 'one', 'interleaved', 'range'] + ([] if memory or len(above) < 2 else ['private', 'private'])
        kind = draw.choice(kinds)
        count = 1 if kind == 'one' else draw.choice((2, 2, 4)) if kind != 'private' else 2
        served = _ranges(draw, kind, count, sizes[level - 1], span)
        stem = 'mm' if memory else f'l{level}'
        below = [_module(draw, f'{stem}-{i}', level, memory, sizes[level - 1], served[i]) for i in range(count)]
        if level > 2 and kind != 'private' and draw.random() < 0.2:  # passes the levels between
            passing = _module(draw, f'l1-to-{stem}', 1, False, sizes[level - 2], None)
            modules.append(passing)
            above = above + [passing]
        _connect(draw, above, below, kind, nets, level)
        modules += below
        above = below
    networks = [{'name': name, 'bandwidth': draw.choice((8, 16, 64, 64, 256)), 'input_buffer': 0, 'output_buffer': 0}
                for name in nets]
    return {'modules': modules, 'networks': networks}, span


def accesses(draw, config, span, count):
    """[module, kind, address], some blocks more often than others."""
    first = [module['name'] for module in config['modules'] if module['level'] == 1]
    kinds = KINDS[draw.choice(sorted(KINDS))]
    some = [draw.randrange(span) & ~3 for _ in range(draw.choice((2, 4, 8)))]
    found = []
    for _ in range(count):
        address = draw.choice(some) if draw.random() < 0.5 else draw.randrange(span) & ~3
        found.append([draw.choice(first), draw.choice(kinds), hex(address)])
    return found
