/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/table/line_table.h"

#include "base/array.h"

/* Launches of a mem_trace: owners of accesses, and complete kernels. */

void gpci_table_kernel_clear(gpci_table_kernel *kernel) {
    gpc_context *context = kernel->rows.context;
    gpci_free(context, kernel->name);
    gpci_free(context, kernel->key);
    gpci_rows_destroy(&kernel->rows);
    *kernel = (gpci_table_kernel){.rows = {.context = context}};
}

static uint64_t hash(uint64_t context, uint64_t id) {
    return gpci_hash(context ^ gpci_hash(id));
}

static uint64_t hash_of(const void *entries, uint32_t entry) {
    const gpci_launch_key *key = &((const gpci_launch_key *)entries)[entry];
    return hash(key->context, key->id);
}

static bool same(const void *entries, uint32_t entry, const void *wanted) {
    const gpci_launch_key *a = &((const gpci_launch_key *)entries)[entry], *b = wanted;
    return a->context == b->context && a->id == b->id;
}

static gpci_launch_key *find(const gpci_launches *l, uint64_t context, uint64_t id) {
    const gpci_launch_key wanted = {context, id, 0};
    const uint32_t entry = gpci_slots_find(&l->slots, l->keys, hash(context, id), &wanted, same);
    return entry == GPCI_NO_ENTRY ? NULL : &l->keys[entry];
}

/* Give accesses of a context and number to `launch` from now on. False: out of memory. */
static bool announce(gpci_launches *l, uint64_t context, uint64_t id, uint32_t launch) {
    gpci_launch_key *known = find(l, context, id);
    if (known) {
        known->launch = launch;
        return true;
    }
    if (!gpci_slots_reserve(l->context, &l->slots, l->keys, l->key_count, 1, hash_of) ||
        !GPCI_ARRAY_ROOM(l->context, l->keys, l->key_capacity, l->key_count, 1))
        return false;
    gpci_slots_add(&l->slots, hash(context, id), l->key_count);
    l->keys[l->key_count++] = (gpci_launch_key){context, id, launch};
    return true;
}

/*
 * Owner of an access; NULL: no owner. Old releases count a launch before printing the launch's line: then the first
 * access names a number without a line, and the next number has a line.
 */
static const gpci_launch_key *owner(gpci_launches *l, uint64_t context, uint64_t id) {
    const gpci_launch_key *known = find(l, context, id + l->ahead);
    if (!known && !l->decided && (known = find(l, context, id + 1)))
        l->ahead = 1;
    l->decided |= known != NULL;
    return known;
}

static void forget_keys(gpci_launches *l) {
    gpci_slots_clear(&l->slots);
    l->key_count = 0;
    l->ahead = 0;
    l->decided = false;
}

/* Count a line of the first reading. Faults are reported by the second. */
static bool count_line(gpci_table *t, gpci_line_is is) {
    gpci_launches *l = &t->launches;
    if (is == GPCI_LINE_IS_LAUNCH) {
        if (l->known == UINT32_MAX || !GPCI_ARRAY_ROOM(l->context, l->accesses, l->access_capacity, l->known, 1) ||
            !announce(l, t->context, t->launch_id, (uint32_t)l->known))
            return false;
        l->accesses[l->known++] = 0;
    } else if (is == GPCI_LINE_IS_ROW) {
        const gpci_launch_key *of = owner(l, t->context, t->launch_id);
        if (of)
            l->accesses[of->launch]++;
    }
    return true;
}

gpc_status gpci_launches_count(gpci_table *t, gpc_error *error) {
    gpci_lines lines;
    if (gpci_input_is_stream(t->lines.input))
        return GPC_OK;
    gpc_status status = gpci_lines_open(&lines, t->base.context, gpci_input_name(t->lines.input), error);
    if (status < 0)
        return status;
    char *line, *stop;
    while ((status = gpci_lines_next_text(&lines, &line, &stop, error)) == GPC_OK)
        if (!count_line(t, t->form->read(t, gpci_span_trim((gpci_span){line, stop})))) {
            status = gpci_out_of_memory(error);
            break;
        }
    gpci_lines_close(&lines);
    forget_keys(&t->launches);
    return status < 0 ? status : GPC_OK;
}

gpc_status gpci_launches_begin(gpci_table *t, gpc_error *error) {
    gpci_launches *l = &t->launches;
    gpci_table_kernel *made = gpci_zalloc(l->context, 1, sizeof *made);
    if (!made || l->count == UINT32_MAX || !GPCI_ARRAY_ROOM(l->context, l->held, l->held_capacity, l->count, 1) ||
        !announce(l, t->context, t->launch_id, (uint32_t)l->count)) {
        gpci_free(l->context, made);
        return gpci_out_of_memory(error);
    }
    made->kernel = t->launch;
    made->kernel.index = (uint32_t)l->count;
    made->rows.context = l->context;
    l->held[l->count++] = made;
    gpc_status status = gpci_table_keep(t, &made->name, t->opcode, error);
    return status == GPC_OK ? gpci_table_keep(t, &made->key, t->fields[GPCI_COLUMN_KERNEL], error) : status;
}

gpc_status gpci_launches_find(gpci_table *t, gpc_error *error) {
    gpci_launches *l = &t->launches;
    const gpci_launch_key *of = owner(l, t->context, t->launch_id);
    t->into = of ? l->held[of->launch] : NULL;
    if (!t->into)
        return gpci_lines_expected(&t->lines, error,
                                   "a line \"LAUNCH - Kernel pc\" of this context and grid_launch_id before its "
                                   "accesses");
    if (of->launch < l->known)
        l->accesses[of->launch]--;
    return GPC_OK;
}

bool gpci_launches_ready(const gpci_launches *l) {
    return l->given < l->count && l->given < l->known && !l->accesses[l->given];
}

bool gpci_launches_take(gpci_launches *l, gpci_table_kernel *kernel) {
    if (l->given == l->count)
        return false;
    gpci_table_kernel_clear(kernel);
    *kernel = *l->held[l->given];
    gpci_free(l->context, l->held[l->given]);
    l->held[l->given++] = NULL;
    return true;
}

void gpci_launches_clear(gpci_launches *l) {
    for (size_t i = l->given; i < l->count; i++) {
        gpci_table_kernel_clear(l->held[i]);
        gpci_free(l->context, l->held[i]);
    }
    gpci_slots_free(l->context, &l->slots);
    gpci_free(l->context, l->keys);
    gpci_free(l->context, l->accesses);
    gpci_free(l->context, l->held);
}
