/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/random.h"

#include <string.h>

/*
 * Any access by any module at any time: half of them to a few hot blocks with shared bytes, the rest to all addresses,
 * causing evictions. Sometimes a module is flushed, or acquires.
 */

static uint64_t random_address(const tree *t, uint64_t *random, uint32_t hot) {
    uint32_t at = gpci_random_below(random, t->bytes);
    if (gpci_random_below(random, 2))
        at = (uint32_t)(gpci_mix(hot + gpci_random_below(random, 3)) % t->bytes) / 64 * 64 + at % 64;
    return t->base + at;
}

static void random_extent(const tree *t, uint64_t *random, random_step *s) {
    uint32_t block = t->modules[s->module].block_bytes, room = block - (uint32_t)(s->address % block);
    s->size = (uint8_t)(1 + gpci_random_below(random, room < RANDOM_BYTES ? room : RANDOM_BYTES));
    s->mask = gpci_random_below(random, 3) ? 0xffff : (uint16_t)gpci_random(random);
    for (uint32_t i = 0; i < s->size; i++)
        s->bytes[i] = (uint8_t)(gpci_random(random) >> 16);
}

static random_step racy_step(const random_program *p, uint64_t *random, uint32_t hot) {
    const tree *t = &p->tree;
    random_step s = {.module = gpci_random_below(random, t->first_count)};
    uint32_t kind = gpci_random_below(random, 256);
    if (kind < 2) {
        s.kind = kind ? RANDOM_FLUSH : RANDOM_ACQUIRE;
        while (gpci_random_below(random, 2) && t->modules[s.module].low_count)
            s.module = t->lows[s.module][gpci_random_below(random, t->modules[s.module].low_count)];
        if (t->modules[s.module].memory)
            s.module = GPC_NO_MODULE;
        return s;
    }
    if (!strcmp(p->protocol, "slc-glc"))
        s.flags = (uint8_t)(kind & 1 ? 0 : gpci_random_below(random, 4));
    s.kind = kind < 150 ? RANDOM_LOAD : kind < 200 ? RANDOM_STORE : RANDOM_N_STORE;
    s.address = random_address(t, random, hot);
    random_extent(t, random, &s);
    return s;
}

void random_racy(random_program *p, uint64_t *random, size_t count) {
    uint32_t hot = (uint32_t)gpci_random(random);
    while (count--) {
        random_step s = racy_step(p, random, hot);
        random_add(p, &s);
    }
}
