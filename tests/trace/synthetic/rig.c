/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/rig.h"

#include <criterion/criterion.h>

void rig_open(rig *r, const char *name) {
    gpc_error error = GPC_ERROR_INIT;
    *r = (rig){.kernel = GPC_KERNEL_INIT};
    cr_assert_eq(gpc_context_create(NULL, &r->context, &error), GPC_OK);
    r->opcodes = gpci_opcodes_create(r->context);
    r->block = gpci_block_create(r->context);
    cr_assert(r->opcodes && r->block);
    cr_assert_eq(gpci_synthetic_open(r->context, r->opcodes, name, &error, &r->source), GPC_OK, "%s", error.message);
}

void rig_close(rig *r) {
    r->source->ops->close(r->source);
    gpci_block_destroy(r->block);
    gpci_opcodes_destroy(r->opcodes);
    gpc_context_destroy(r->context);
}

bool rig_kernel(rig *r) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_status status = r->source->ops->next_kernel(r->source, &r->kernel, &error);
    cr_assert(status == GPC_OK || status == GPC_END, "%s", error.message);
    return status == GPC_OK;
}

const gpc_block *rig_block(rig *r) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_status status = r->source->ops->next_block(r->source, r->block, &error);
    cr_assert(status == GPC_OK || status == GPC_END, "%s", error.message);
    return status == GPC_OK ? gpci_block_view(r->block) : NULL;
}

const char *rig_opcode(const rig *r, const gpc_instruction *instruction) {
    return gpci_opcodes_at(r->opcodes, instruction->opcode)->text;
}

unsigned sectors_of(const gpc_instruction *i) {
    uint64_t seen[2 * GPCI_SYNTHETIC_LANES];
    unsigned count = 0;
    for (unsigned k = 0; k < gpci_popcount(i->mask); k++)
        for (uint64_t s = i->addresses[k] / 32; s <= (i->addresses[k] + i->width - 1) / 32; s++) {
            unsigned at = 0;
            while (at < count && seen[at] != s)
                at++;
            seen[at] = s;
            count += at == count;
        }
    return count;
}

void traffic_add(traffic *sum, const gpc_block *block) {
    sum->blocks++;
    sum->instructions += block->instruction_count;
    for (uint32_t w = 0; w < block->warp_count; w++, sum->warps++)
        for (uint64_t k = 0; k < block->warps[w].count; k++) {
            const gpc_instruction *i = &block->warps[w].instructions[k];
            sum->barriers += i->op_class == GPC_OP_BARRIER;
            if (i->op_class != GPC_OP_MEMORY || !i->mask)
                continue;
            sum->shared_atomics += i->space == GPC_SPACE_SHARED && i->kind == GPC_ATOMIC;
            if (i->space != GPC_SPACE_GLOBAL || !i->addresses)
                continue;
            uint64_t *count = i->kind == GPC_LOAD ? &sum->loads : &sum->stores;
            count[0]++;
            count[1] += sectors_of(i);
        }
}

traffic rig_traffic(rig *r) {
    traffic sum = {0};
    for (const gpc_block *block; (block = rig_block(r));)
        traffic_add(&sum, block);
    return sum;
}

void arrays_open(arrays_rig *t, const char *source) {
    rig_open(&t->rig, source);
    t->arrays = gpci_synthetic_arrays(t->rig.source, &t->count);
}

static void one_access(const arrays_rig *t, uint64_t thread, const gpc_instruction *i, uint64_t address,
                       each_access call, void *data) {
    for (size_t a = 0; a < t->count; a++)
        if (address >= t->arrays[a].base && address < t->arrays[a].base + t->arrays[a].bytes) {
            call(data, thread, i, a, address - t->arrays[a].base);
            return;
        }
    cr_assert_fail("%#lx is in no array", (unsigned long)address);
}

bool arrays_next(arrays_rig *t, each_access call, void *data) {
    if (!rig_kernel(&t->rig))
        return false;
    for (const gpc_block *block; (block = rig_block(&t->rig));)
        for (uint32_t w = 0; w < block->warp_count; w++)
            for (uint64_t k = 0; k < block->warps[w].count; k++) {
                const gpc_instruction *i = &block->warps[w].instructions[k];
                uint64_t first = (uint64_t)block->index * t->rig.kernel.block[0] + w * 32, n = 0;
                bool of_array = i->addresses && i->space != GPC_SPACE_SHARED;
                for (uint64_t left = of_array ? i->mask : 0; left; left &= left - 1)
                    one_access(t, first + gpci_lowest(left), i, i->addresses[n++], call, data);
            }
    return true;
}

void arrays_run(arrays_rig *t, each_access call, void *data) {
    cr_assert(arrays_next(t, call, data));
}
