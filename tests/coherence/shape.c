/* SPDX-License-Identifier: BSD-2-Clause */
/* Levels, places, sub-blocks, sets, and the low module of an address. */
#include "coherence/small.h"

#include <string.h>

Test(coherence_shape, two_levels) {
    small *s = small_open();
    const gpc_coherence *c = small_tree(s);
    const gpci_module *m = c->modules;
    cr_expect_eq(c->levels, 3);
    cr_expect(m[0].level == 1 && m[1].level == 1 && m[2].level == 2 && m[3].level == 3);
    cr_expect(m[0].place == GPCI_PLACE_FIRST && m[1].place == GPCI_PLACE_FIRST);
    cr_expect(m[2].place == GPCI_PLACE_LAST && m[3].place == GPCI_PLACE_MEMORY);
    cr_expect(m[0].sub_blocks == 0 && m[2].sub_blocks == 2 && m[3].sub_blocks == 2, "128/64, 256/128");
    cr_expect(m[2].sub_shift == 6 && m[3].sub_shift == 7);
    cr_expect(m[2].above_count == 2 && m[2].above[0] == 0 && m[2].above[1] == 1 && m[2].slots[1] == 1);
    cr_expect(m[3].above_count == 1 && m[3].above[0] == 2);
    cr_expect_eq(gpci_module_sub_of(&m[3], 0x1a80), 1, "0x1a80 is 0x80 into its block of 256");
    cr_expect_eq((uintptr_t)c->slab % 64, 0);
    /* 3 levels; of the largest block, 256, l1 are 4 parts each, l2 2, mm 1 */
    cr_expect_eq(c->message_bound, 64 + 16 * 3 * (4 + 4 + 2 + 1));
    cr_expect_eq(c->memory_shift, 8);
    small_close(s);
}

/* l1-0 and l1-1 over one l2, l1-2 over another; and l1-3 directly over the l3. */
Test(coherence_shape, between_and_shared) {
    small *s = small_open_bare(8);
    small_link(s, 0, 4), small_link(s, 1, 4), small_link(s, 2, 5), small_link(s, 3, 6);
    small_link(s, 4, 6), small_link(s, 5, 6), small_link(s, 6, 7);
    s->modules[7].memory = true;
    const gpc_coherence *c = small_tree(s);
    const gpci_module_place places[] = {GPCI_PLACE_FIRST,   GPCI_PLACE_FIRST,   GPCI_PLACE_FIRST, GPCI_PLACE_FIRST,
                                        GPCI_PLACE_BETWEEN, GPCI_PLACE_BETWEEN, GPCI_PLACE_LAST,  GPCI_PLACE_MEMORY};
    const uint32_t levels[] = {1, 1, 1, 1, 2, 2, 3, 4};
    for (uint32_t i = 0; i < 8; i++) {
        cr_expect_eq(c->modules[i].place, places[i], "module %u", i);
        cr_expect_eq(c->modules[i].level, levels[i], "module %u", i);
    }
    const uint32_t above[] = {3, 4, 5};
    cr_assert_eq(c->modules[6].above_count, 3);
    cr_expect_arr_eq(c->modules[6].above, above, sizeof above);
    small_close(s);
}

/* Banks: every bank is below all caches, for separate addresses. */
Test(coherence_shape, banks_are_shared) {
    small *s = small_open_bare(6);
    for (uint32_t l1 = 0; l1 < 2; l1++)
        small_link(s, l1, 2), small_link(s, l1, 3), small_link(s, l1, 4);
    for (uint32_t bank = 2; bank < 5; bank++) {
        small_link(s, bank, 5);
        s->modules[bank].served = GPC_SERVES_INTERLEAVED;
        s->modules[bank].divisor = 256;
        s->modules[bank].modulus = 3;
        s->modules[bank].residue = bank - 2;
        s->modules[bank].sets = 8;
    }
    s->modules[5].memory = true;
    const gpc_coherence *c = small_tree(s);
    for (uint32_t bank = 2; bank < 5; bank++)
        cr_expect_eq(c->modules[bank].place, GPCI_PLACE_LAST);
    for (uint64_t address = 0; address < 1 << 20; address += 64) {
        const uint32_t bank = 2 + (uint32_t)(address / 256 % 3);
        cr_expect_eq(gpci_module_low(c, &c->modules[0], address), bank);
        cr_expect_eq(gpci_module_low(c, &c->modules[bank], address), 5);
        cr_expect_eq(gpci_module_row(&c->modules[bank], address), address / 64 / 3 % 8);
    }
    small_close(s);
}

/* A range over part of the banks' addresses has the right end. */
Test(coherence_shape, range_over_banks) {
    small *s = small_open_bare(3);
    small_link(s, 0, 1), small_link(s, 0, 2);
    for (uint32_t bank = 1; bank < 3; bank++) {
        s->modules[bank].memory = true;
        s->modules[bank].served = GPC_SERVES_INTERLEAVED;
        s->modules[bank].divisor = 64;
        s->modules[bank].modulus = 2;
        s->modules[bank].residue = bank - 1;
    }
    s->modules[0].served = GPC_SERVES_RANGE;
    s->modules[0].first = 0x1000;
    s->modules[0].last = 0x1fff;
    const gpc_coherence *c = small_tree(s);
    for (uint64_t address = 0; address < 0x3000; address += 32) {
        const bool within = address >= 0x1000 && address < 0x2000;
        cr_expect_eq(gpci_module_serves(&c->modules[0], address), within);
        cr_expect_eq(gpci_module_low(c, &c->modules[0], address), within ? 1 + address / 64 % 2 : GPC_NO_MODULE);
    }
    small_close(s);
}

/* 70 sharers take five words of 16; sub-blocks are as small as the smallest block above. */
Test(coherence_shape, many_above) {
    small *s = small_open_bare(72);
    for (uint32_t i = 0; i < 70; i++)
        small_link(s, i, 70);
    s->modules[7].block_bytes = 16;
    small_link(s, 70, 71);
    s->modules[71].memory = true;
    s->modules[71].ways = 0;
    const gpci_module *l2 = &small_tree(s)->modules[70];
    cr_expect_eq(l2->sharer_words, 5);
    cr_expect_eq(l2->sub_blocks, 4);
    cr_expect_eq(l2->slots[69], 69);
    cr_expect(s->tree->modules[71].full_map && s->tree->modules[71].blocks == 0);
    small_close(s);
}

Test(coherence_shape, sets) {
    const struct {
        uint32_t sets, block;
        uint64_t modulus;
    } rows[] = {{1, 64, 0}, {8, 64, 0}, {5, 64, 0}, {1, 64, 2}, {8, 128, 4}, {8, 64, 3}, {7, 32, 4}, {4096, 64, 6}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        small *s = small_open_bare(2);
        small_link(s, 0, 1);
        gpc_coherence_module *l1 = &s->modules[0];
        l1->sets = rows[i].sets;
        l1->block_bytes = rows[i].block;
        s->modules[1].block_bytes = 128;
        s->modules[1].memory = true;
        if (rows[i].modulus) {
            l1->served = GPC_SERVES_INTERLEAVED;
            l1->divisor = rows[i].block * 2;
            l1->modulus = rows[i].modulus;
        }
        const gpci_module *m = &small_tree(s)->modules[0];
        uint64_t random = 5, modulus = rows[i].modulus ? rows[i].modulus : 1;
        for (int n = 0; n < 1000; n++) {
            uint64_t line = gpci_random(&random) >> (n % 58 + 6); /* of all magnitudes */
            line &= UINT64_MAX / rows[i].block;
            cr_expect_eq(gpci_module_row(m, line * rows[i].block), line / modulus % rows[i].sets, "row %zu", i);
        }
        small_close(s);
    }
}

/* Two caches, each over the memory of the residue, and a processor's cache over both; `index` chooses the sets. */
static small *open_hashed(uint8_t index, uint32_t banks) {
    small *s = small_open_bare(1 + 2 * banks);
    for (uint32_t i = 0; i < banks; i++) {
        small_link(s, 0, 1 + i);
        small_link(s, 1 + i, 1 + banks + i);
        s->modules[1 + i].index = index;
        s->modules[1 + i].sets = 12;
        s->modules[1 + banks + i].memory = true;
        for (uint32_t level = 0; level < 2; level++) {
            gpc_coherence_module *m = &s->modules[1 + level * banks + i];
            m->served = GPC_SERVES_HASHED;
            m->divisor = 256;
            m->modulus = banks;
            m->residue = i;
        }
    }
    return s;
}

/* Hashed modules: addresses and sets by the functions of a hierarchy's slices and of caches. */
Test(coherence_shape, hashed) {
    for (uint8_t index = 0; index < GPC_INDEX_USER; index++) {
        if (index == GPC_INDEX_FERMI) /* for 32 or 64 sets */
            continue;
        small *s = open_hashed(index, 3);
        s->modules[0].index = index; /* serves all: of the banks' hashes, it has only that of the sets */
        s->modules[0].sets = 12;
        s->modules[0].divisor = 256;
        s->modules[0].modulus = 3;
        const gpc_coherence *c = small_tree(s);
        gpci_interleave spread;
        gpci_index sets;
        cr_assert_eq(gpci_interleave_init(&spread, GPCI_SPREAD_HASH, 256, 3, 3, NULL), GPC_OK);
        cr_assert_eq(gpci_index_init(&sets, (gpc_index)index, 12, NULL, NULL, NULL), GPC_OK);
        uint64_t random = 3, inner;
        for (int n = 0; n < 2000; n++) {
            const uint64_t address = gpci_random(&random) >> (n % 58 + 6) & ~(uint64_t)63;
            const uint32_t bank = gpci_interleave_slice(&spread, address, &inner);
            cr_assert_eq(gpci_module_low(c, &c->modules[0], address), 1 + bank);
            cr_assert_eq(gpci_module_row(&c->modules[0], address), gpci_index_of(&sets, address / 64));
            cr_assert_eq(gpci_module_low(c, &c->modules[1 + bank], address), 4 + bank);
            cr_assert_eq(gpci_module_row(&c->modules[1 + bank], address), gpci_index_of(&sets, inner / 64));
            for (uint32_t i = 1; i < 7; i++)
                cr_assert_eq(gpci_module_serves(&c->modules[i], address), (i - 1) % 3 == bank);
        }
        cr_expect_eq(c->modules[1].place, GPCI_PLACE_LAST);
        small_close(s);
    }
}

/* Blocks of a stretch are in consecutive sets, unless as in Multi2Sim. */
Test(coherence_shape, dense) {
    for (int dense = 0; dense < 2; dense++) {
        small *s = small_open_bare(2);
        small_link(s, 0, 1);
        s->modules[1].memory = true;
        gpc_coherence_module *l1 = &s->modules[0];
        l1->served = GPC_SERVES_INTERLEAVED;
        l1->divisor = 256;
        l1->modulus = 3;
        l1->sets = 8;
        l1->dense = dense;
        const gpci_module *m = &small_tree(s)->modules[0];
        for (uint64_t block = 0; block < 48; block++) /* stretches 0, 3, 6 ... are the module's: 4 blocks per stretch */
            cr_expect_eq(gpci_module_row(m, (block / 4 * 12 + block % 4) * 64),
                         dense ? block % 8 : (block / 4 * 12 + block % 4) / 3 % 8);
        small_close(s);
    }
}

#define HASHED_WRONG(text, change)                                                      \
    do {                                                                                \
        small *s = open_hashed(0, 2);                                                   \
        change;                                                                         \
        cr_expect_lt(small_create(s), 0, "%s", #change);                                \
        cr_expect(strstr(s->error.message, text), "%s: %s", #change, s->error.message); \
        small_close(s);                                                                 \
    } while (0)

/* One hash for a tree, without other divisions. */
Test(coherence_shape, refuses_hashes) {
    HASHED_WRONG("'m1'.divisor is 384", s->modules[1].divisor = 384);
    HASHED_WRONG("'m2'.divisor and modulus are other than those of 'm1'", s->modules[2].modulus = 4);
    HASHED_WRONG("'m4'.served is interleaved, in a tree where 'm1' is hashed",
                 s->modules[4].served = GPC_SERVES_INTERLEAVED);
    HASHED_WRONG("no module that serves address 0x", s->modules[2].residue = 0);
    HASHED_WRONG("'m1'.index is 4", s->modules[1].index = GPC_INDEX_USER);
    HASHED_WRONG("the Fermi hash is for 32 or 64 sets", s->modules[1].index = GPC_INDEX_FERMI);
    HASHED_WRONG("'m0'.first and last cut 512 bytes",
                 (s->modules[0].served = GPC_SERVES_RANGE, s->modules[0].last = 255));
}

#define WINDOW 65536u
#define STEP 32u

/* Low modules that serve an address, by only the header's definition. */
static uint32_t served_by(const small *s, uint64_t address, uint32_t count, uint32_t *which) {
    uint32_t found = 0;
    for (uint32_t i = 1; i <= count; i++) {
        const gpc_coherence_module *m = &s->modules[i];
        if (m->served == GPC_SERVES_RANGE
                ? m->first <= address && address <= m->last
                : m->served == GPC_SERVES_ALL || address / m->divisor % m->modulus == m->residue) {
            found++;
            *which = i;
        }
    }
    return found;
}

/* One cache over up to four memories. Divisors and moduli make everything repeat after 32 x 8 x 60 bytes. */
static small *random_memories(uint64_t *random, uint32_t count) {
    small *s = small_open_bare(count + 1);
    const bool ranges = gpci_random_below(random, 2);
    const uint64_t modulus = 1 + gpci_random_below(random, 5), part = 2048;
    uint64_t first = 0;
    s->modules[0].block_bytes = STEP;
    for (uint32_t i = 1; i <= count; i++) {
        gpc_coherence_module *m = &s->modules[i];
        small_link(s, 0, i);
        m->memory = true;
        m->block_bytes = STEP;
        if (ranges) {
            m->served = GPC_SERVES_RANGE;
            m->first = gpci_random_below(random, 8) ? first : gpci_random_below(random, 16) * part;
            m->last = m->first + part * (1 + gpci_random_below(random, 3)) - 1;
            first = m->last + 1;
        } else {
            m->served = GPC_SERVES_INTERLEAVED;
            m->modulus = gpci_random_below(random, 6) ? modulus : 1 + gpci_random_below(random, 5);
            m->divisor = (uint64_t)STEP << (gpci_random_below(random, 4) ? 1 : gpci_random_below(random, 4));
            m->residue = gpci_random_below(random, 4) ? (i - 1) % m->modulus : gpci_random(random) % m->modulus;
        }
    }
    return s;
}

/* Between the first and the last served address exactly one module must serve; only such trees are accepted. */
Test(coherence_shape, exactly_one_low_module) {
    uint64_t random = 2024;
    uint32_t accepted = 0, which = 0;
    for (int n = 0; n < 3000; n++) {
        const uint32_t count = 1 + gpci_random_below(&random, 4);
        small *s = random_memories(&random, count);
        uint64_t first = UINT64_MAX, last = 0, wrong = 0;
        for (uint32_t i = 1; i <= count; i++) {
            const bool range = s->modules[i].served == GPC_SERVES_RANGE;
            first = range && s->modules[i].first < first ? s->modules[i].first : range ? first : 0;
            last = range && s->modules[i].last > last ? s->modules[i].last : range ? last : WINDOW - 1;
        }
        for (uint64_t address = first; address <= last; address += STEP)
            wrong += served_by(s, address, count, &which) != 1;
        cr_assert_eq(small_create(s), wrong ? GPC_ERROR_ARGUMENT : GPC_OK, "tree %d: %s", n, s->error.message);
        for (uint64_t address = 0; !wrong && address < WINDOW; address += STEP) {
            uint32_t expected = served_by(s, address, count, &which) ? which : GPC_NO_MODULE;
            const gpci_module *m = s->tree->modules;
            cr_assert_eq(gpci_module_serves(m, address), expected != GPC_NO_MODULE);
            if (expected != GPC_NO_MODULE || count > 1)
                cr_assert_eq(gpci_module_low(s->tree, m, address), expected, "tree %d, 0x%llx", n,
                             (unsigned long long)address);
        }
        accepted += !wrong;
        small_close(s);
    }
    cr_expect(accepted > 300 && accepted < 2700, "%u of 3000 were accepted", accepted);
}
