/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/future.h"

#include "base/array.h"
#include "base/map.h"
#include "cache/cache.h"
#include "level/access/warp_access.h"

/*
 * The upper two bits of a recorded entry are the kind of the transaction, the other bits are the line number. Lines
 * have 32 bytes or more, so line numbers have at most 59 bits.
 */
#define SORT_SHIFT 62u
#define LINE_MASK (((uint64_t)1 << SORT_SHIFT) - 1)

/* Kinds: USE is a next use of the line, END ends the line, PASS has no effect (future.h). */
enum { USE, END, PASS };

gpc_status gpci_future_create(gpc_context *context, uint32_t sms, gpc_error *error, gpci_future **out) {
    gpci_future *future = gpci_zalloc(context, 1, sizeof *future);
    if (!future)
        return gpci_out_of_memory(error);
    future->context = context;
    future->sm_count = sms;
    future->sms = gpci_zalloc(context, sms, sizeof *future->sms);
    if (!future->sms) {
        gpci_free(context, future);
        return gpci_out_of_memory(error);
    }
    *out = future;
    return GPC_OK;
}

void gpci_future_destroy(gpci_future *future) {
    if (!future)
        return;
    for (uint32_t sm = 0; sm < future->sm_count; sm++)
        gpci_free(future->context, future->sms[sm].entries);
    gpci_free(future->context, future->sms);
    gpci_free(future->context, future);
}

void gpci_future_forget(gpci_future *future) {
    for (uint32_t sm = 0; sm < future->sm_count; sm++) {
        future->sms[sm].base += future->sms[sm].count;
        future->sms[sm].count = future->sms[sm].at = 0;
    }
}

static uint64_t sort_of(const gpc_hierarchy *hierarchy, const gpc_warp_access *access) {
    bool local = access->space == GPC_SPACE_LOCAL;
    switch (access->kind) {
    case GPC_STORE:
        if (gpci_number(hierarchy, local ? GPCI_KEY_L1_WRITE_LOCAL : GPCI_KEY_L1_WRITE) == GPC_WRITE_EVICT)
            return END;
        return gpci_number(hierarchy, local ? GPCI_KEY_L1_WRITE_ALLOCATE_LOCAL : GPCI_KEY_L1_WRITE_ALLOCATE) ==
                       GPC_WRITE_NO_ALLOCATE
                   ? PASS
                   : USE;
    case GPC_ATOMIC:
    case GPC_REDUCTION:
        return hierarchy->coherent ? USE : END; /* coherent L1s perform atomics */
    default:
        return USE;
    }
}

gpc_status gpci_future_record(gpci_future *future, const gpc_hierarchy *hierarchy, const gpc_warp_access *access) {
    if (!access->mask || access->space > GPC_SPACE_LOCAL ||
        (!hierarchy->coherent &&
         (!gpci_l1_for(hierarchy, access->sm, access->space) || gpci_copy_passes(access->copy, access->hint))) ||
        access->copy == GPC_COPY_BULK)
        return GPC_OK;
    gpci_transaction lines[GPCI_MAX_TRANSACTIONS];
    unsigned shift = hierarchy->l1_level.line_shift + gpci_log2(hierarchy->line_blocks);
    uint32_t count = gpci_access_touches(hierarchy, access, lines);
    if (hierarchy->line_order)
        gpci_order_lines((gpci_line_order)hierarchy->line_order, &hierarchy->tag_banks, lines, count);
    gpci_future_sm *future_sm = &future->sms[access->sm];
    if (!GPCI_ARRAY_RESERVE(future->context, future_sm->entries, future_sm->capacity, future_sm->count, count))
        return GPC_ERROR_MEMORY;
    uint64_t sort = sort_of(hierarchy, access) << SORT_SHIFT;
    for (uint32_t i = 0; i < count; i++)
        future_sm->entries[future_sm->count++] = lines[i].address >> shift | sort;
    return GPC_OK;
}

/* Compute the next uses of an SM, from the last transaction to the first. `uses` maps a line to its next use. */
static gpc_status resolve_sm(gpc_context *context, gpci_map *uses, gpci_future_sm *future_sm) {
    for (size_t i = future_sm->count; i-- > 0;) {
        uint64_t line = future_sm->entries[i] & LINE_MASK, sort = future_sm->entries[i] >> SORT_SHIFT;
        gpci_map_entry *next = gpci_map_find(uses, line);
        future_sm->entries[i] = next ? next->value : UINT64_MAX;
        if (sort == PASS)
            continue;
        next = next ? next : gpci_map_at(context, uses, line);
        if (!next)
            return GPC_ERROR_MEMORY;
        next->value = sort == USE ? future_sm->base + i : UINT64_MAX;
    }
    return GPC_OK;
}

gpc_status gpci_future_resolve(gpci_future *future) {
    gpci_map uses = {.entries = NULL};
    gpc_status status = GPC_OK;
    for (uint32_t sm = 0; sm < future->sm_count && status == GPC_OK; sm++) {
        gpci_map_clear(&uses);
        status = resolve_sm(future->context, &uses, &future->sms[sm]);
    }
    gpci_map_free(future->context, &uses);
    return status;
}
