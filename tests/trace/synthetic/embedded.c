/* SPDX-License-Identifier: BSD-2-Clause */
/* Forces between embedded atoms: meetings of every atom of an fcc lattice, counted by hand. */
#include "trace/synthetic/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/*
 * 4 x 4 x 4 boxes, 6 unit cells along a side, with 3 x 3 x 3 places of the lattice each: 13 atoms if the sum of
 * coordinates is even, 14 if odd. 13 of the 27 boxes around a box have the same parity.
 */
#define SOURCE "comd-eam:27648"
enum { ATOMS = 864, EVEN = 13, ODD = 14, HALVES = 32 };
enum { SEEN = HALVES * EVEN * (13 * EVEN + 14 * ODD) + HALVES * ODD * (13 * ODD + 14 * EVEN) };
enum { NEIGHBOURS = 12 + 6 + 24 };                         /* within an atom's cutoff: three shells */
enum { HALOS = 6 * 6 * 6 - 4 * 4 * 4, PLACES = 216 * 16 }; /* boxes; room for atoms in all */

enum { LISTS, CELLS, COORDINATES, TABLES, NUMBERS, ARRAYS };
enum { PAIR, DENSITY, EMBEDDING, ENTRIES = 506 };
enum { FORCES = 3, ENERGIES = 6, DERIVATIVES, DENSITIES, KINDS };

typedef struct met {
    uint64_t loads[KINDS], stores[KINDS], table[3], used, numbers, lists;
    bool entries[3 * ENTRIES];
} met;

static void one(const gpci_synthetic_array *arrays, unsigned width, const gpc_instruction *i, uint64_t address,
                met *m) {
    for (size_t a = 0; a < ARRAYS; a++) {
        if (address < arrays[a].base || address >= arrays[a].base + arrays[a].bytes)
            continue;
        const uint64_t element = (address - arrays[a].base) / width;
        if (a == COORDINATES)
            (i->kind == GPC_STORE ? m->stores : m->loads)[element / PLACES]++;
        else if (a == TABLES) {
            m->table[element / ENTRIES]++;
            m->used += !m->entries[element];
            m->entries[element] = true;
        }
        m->numbers += a == NUMBERS;
        m->lists += a == LISTS;
        return;
    }
    cr_assert_fail("%#lx is in no array", (unsigned long)address);
}

/* The next launch's accesses. */
static met next(rig *r, unsigned width) {
    met m;
    size_t count;
    memset(&m, 0, sizeof m);
    const gpci_synthetic_array *arrays = gpci_synthetic_arrays(r->source, &count);
    cr_assert_eq(count, ARRAYS);
    cr_assert(rig_kernel(r));
    for (const gpc_block *block; (block = rig_block(r));)
        for (uint32_t w = 0; w < block->warp_count; w++)
            for (uint64_t k = 0; k < block->warps[w].count; k++) {
                const gpc_instruction *i = &block->warps[w].instructions[k];
                uint64_t n = 0;
                for (uint64_t left = i->addresses ? i->mask : 0; left; left &= left - 1)
                    one(arrays, width, i, i->addresses[n++], &m);
            }
    return m;
}

static void check_step(const met *m, bool densities) {
    for (unsigned axis = 0; axis < 3; axis++) {
        cr_expect_eq(m->loads[axis], ATOMS + SEEN, "coordinate %u: %lu", axis, (unsigned long)m->loads[axis]);
        cr_expect_eq(m->loads[FORCES + axis], densities ? 0 : ATOMS);
        cr_expect_eq(m->stores[FORCES + axis], ATOMS);
    }
    cr_expect_eq(m->numbers, 27 * ATOMS);
    cr_expect_eq(m->lists, 2 * ATOMS);
    cr_expect_eq(m->table[PAIR], densities ? 4 * NEIGHBOURS * ATOMS : 0);
    cr_expect_eq(m->table[DENSITY], 4 * NEIGHBOURS * ATOMS);
    cr_expect_eq(m->loads[DERIVATIVES], densities ? 0 : 2 * NEIGHBOURS * ATOMS);
    cr_expect_eq(m->stores[ENERGIES], densities ? ATOMS : 0);
    cr_expect_eq(m->stores[DENSITIES], densities ? ATOMS : 0);
}

static void check_launches(const char *source, unsigned width) {
    rig r;
    rig_open(&r, source);
    met m = next(&r, width);
    check_step(&m, true);
    cr_expect_eq(m.used, 2 * 3 * 4, "three distances, four entries of each of two tables, not %lu",
                 (unsigned long)m.used);
    m = next(&r, width);
    cr_expect_eq(m.loads[DENSITIES], ATOMS);
    cr_expect_eq(m.stores[DERIVATIVES], ATOMS);
    cr_expect_eq(m.loads[ENERGIES], ATOMS);
    cr_expect_eq(m.stores[ENERGIES], ATOMS);
    cr_expect_eq(m.table[EMBEDDING], 7 * ATOMS);
    m = next(&r, width);
    /* Half of the 6 x 6 x 6 boxes stand for even boxes, also without the 4 x 4 x 4. */
    cr_expect_eq(m.loads[0], HALOS / 2 * (EVEN + ODD));
    cr_expect_eq(m.stores[0], m.loads[0]);
    cr_expect_eq(m.stores[2], m.loads[0]);
    cr_expect_eq(m.stores[DERIVATIVES], m.loads[0]);
    cr_expect_eq(m.stores[FORCES] + m.stores[ENERGIES], 0);
    m = next(&r, width);
    check_step(&m, false);
    cr_expect_not(rig_kernel(&r));
    rig_close(&r);
}

Test(synthetic_embedded, each_atom_meets_all_of_27_boxes_and_42_within_the_cutoff) {
    check_launches(SOURCE, 8);
    check_launches(SOURCE ":double=0", 4);
}

Test(synthetic_embedded, published_size) {
    rig r;
    rig_open(&r, "comd-eam:512KiB:launch=1,steps=1,blocks=7");
    cr_assert(rig_kernel(&r));
    cr_expect_eq(r.kernel.grid[0], 7);
    cr_expect_eq(r.kernel.block[0], 128);
    cr_expect_leq(r.kernel.registers, 32, "eight blocks of a Fermi SM");
    rig_close(&r);
    rig_open(&r, "comd-eam:512KiB:launch=4");
    cr_assert(rig_kernel(&r));
    cr_expect_eq(r.kernel.grid[0], 250, "32,000 atoms");
    rig_close(&r);
    rig_open(&r, "comd-eam:512KiB:launch=2");
    cr_assert(rig_kernel(&r));
    cr_expect_eq(r.kernel.grid[0], 4096);
    cr_expect_eq(r.kernel.block[0], 14);
    rig_close(&r);
}

/* Off the lattice places atoms examine many entries; atoms of the outer shell leave or enter the cutoff. */
Test(synthetic_embedded, moved) {
    rig r;
    rig_open(&r, SOURCE ":moved=100,launch=1");
    const met m = next(&r, 8);
    cr_expect_gt(m.used, 100);
    cr_expect_float_eq((double)m.table[PAIR] / (4 * ATOMS), NEIGHBOURS, 1);
    cr_expect_eq(m.table[PAIR], m.table[DENSITY]);
    cr_expect_eq(m.loads[0], ATOMS + SEEN);
    rig_close(&r);
}

Test(synthetic_embedded, steps) {
    rig r;
    rig_open(&r, SOURCE ":steps=3,launch=1");
    const met m = next(&r, 8);
    cr_expect_eq(m.numbers, 3 * ATOMS);
    rig_close(&r);
}
