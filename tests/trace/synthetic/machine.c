/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/machine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 1024 };

void machine_open(machine *m, const char *name, unsigned bytes, machine_value value) {
    memset(m, 0, sizeof *m);
    rig_open(&m->rig, name);
    m->bytes = bytes;
    m->value = value;
    m->lanes = malloc(MOST_THREADS * sizeof *m->lanes);
    cr_assert(m->lanes);
    const gpci_synthetic_array *arrays = gpci_synthetic_arrays(m->rig.source, &m->count);
    uint64_t random = 42;
    for (size_t a = 0; a < m->count; a++) {
        m->lengths[a] = arrays[a].bytes / bytes;
        m->arrays[a] = calloc(arrays[a].bytes, sizeof(double));
        cr_assert(m->arrays[a]);
        for (size_t i = 0; i < m->lengths[a]; i++)
            m->arrays[a][i] = (double)((random = random * 6364136223846793005u + 1442695040888963407u) >> 61) - 3;
    }
}

void machine_close(machine *m) {
    for (size_t a = 0; a < m->count; a++)
        free(m->arrays[a]);
    free(m->lanes);
    rig_close(&m->rig);
}

static double *word_at(machine *m, const gpc_instruction *i, uint64_t address) {
    if (i->space == GPC_SPACE_SHARED) {
        cr_assert_lt(address / 4, MACHINE_SHARED);
        return &m->shared[address / 4];
    }
    size_t count;
    const gpci_synthetic_array *arrays = gpci_synthetic_arrays(m->rig.source, &count);
    for (size_t a = 0; a < count; a++)
        if (address >= arrays[a].base && address < arrays[a].base + arrays[a].bytes)
            return &m->arrays[a][(address - arrays[a].base) / (i->width < m->bytes ? i->width : m->bytes)];
    cr_assert_fail("%#lx is in no array", (unsigned long)address);
    return NULL;
}

static void access(machine *m, const gpc_instruction *i, machine_lane *lane, uint64_t address) {
    double *word = word_at(m, i, address);
    const bool shared = i->space == GPC_SPACE_SHARED;
    unsigned words = shared && i->width > 4 ? i->width / 4 : 1;
    if (i->kind == GPC_STORE) {
        *word = m->value(lane, m->rig.kernel.name);
        return;
    }
    if (i->kind == GPC_ATOMIC || i->kind == GPC_REDUCTION) {
        *word += 1;
        return;
    }
    lane->shared = shared;
    lane->stores = 0;
    if (shared && i->width == 1) {
        cr_assert_lt(lane->count, MACHINE_QUEUE);
        lane->queue[lane->count++] = (double)((long)*word >> address % 4 * 8 & 255);
        return;
    }
    for (unsigned k = 0; k < words; k++) {
        cr_assert_lt(lane->count, MACHINE_QUEUE);
        lane->queue[lane->count++] = word[k];
    }
}

/* Run a warp to the next barrier; false at the end. */
static bool step(machine *m, const gpc_warp *warp, uint64_t *at) {
    machine_lane *lanes = m->lanes + (size_t)warp->warp * m->rig.kernel.warp_lanes;
    while (*at < warp->count) {
        const gpc_instruction *i = &warp->instructions[(*at)++];
        if (i->op_class == GPC_OP_BARRIER) {
            for (uint32_t lane = 0; lane < m->rig.kernel.warp_lanes; lane++)
                lanes[lane].barriers++;
            return true;
        }
        if (!i->addresses)
            continue;
        unsigned k = 0;
        for (uint64_t left = i->mask; left; left &= left - 1)
            access(m, i, &lanes[gpci_lowest(left)], i->addresses[k++]);
    }
    return false;
}

static void run_block(machine *m, const gpc_block *block) {
    uint64_t at[MOST_THREADS / 32] = {0};
    m->x = block->x;
    m->y = block->y;
    for (size_t t = 0; t < MOST_THREADS; t++) {
        m->lanes[t].count = m->lanes[t].stores = m->lanes[t].barriers = 0;
        m->lanes[t].shared = false;
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t w = 0; w < block->warp_count; w++)
            more |= step(m, &block->warps[w], &at[w]);
    }
}

bool machine_launch(machine *m) {
    if (!rig_kernel(&m->rig))
        return false;
    for (const gpc_block *block; (block = rig_block(&m->rig));)
        run_block(m, block);
    return true;
}

void machine_run(machine *m) {
    while (machine_launch(m))
        continue;
}

double *machine_copy(const machine *m, size_t array) {
    double *copy = malloc(m->lengths[array] * sizeof *copy);
    cr_assert(copy);
    return memcpy(copy, m->arrays[array], m->lengths[array] * sizeof *copy);
}

void machine_expect(const machine *m, size_t array, size_t index, double value) {
    double found = m->arrays[array][index];
    if (found != value)
        cr_assert_fail("%s: array %zu [%zu] is %g, not %g", m->rig.kernel.name, array, index, found, value);
}
