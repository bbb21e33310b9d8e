/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/table/line_table.h"

#include "base/array.h"

/* Launches of a mem_trace: find the launch of an access, and keep kernels until they are complete. */

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
    const gpci_launch_key *left = &((const gpci_launch_key *)entries)[entry], *right = wanted;
    return left->context == right->context && left->id == right->id;
}

static gpci_launch_key *find(const gpci_launches *launches, uint64_t context, uint64_t id) {
    const gpci_launch_key wanted = {context, id, 0};
    const uint32_t entry = gpci_slots_find(&launches->slots, launches->keys, hash(context, id), &wanted, same);
    return entry == GPCI_NO_ENTRY ? NULL : &launches->keys[entry];
}

/* Give accesses of a context and number to `launch` from now on. False: out of memory. */
static bool announce(gpci_launches *launches, uint64_t context, uint64_t id, uint32_t launch) {
    gpci_launch_key *known = find(launches, context, id);
    if (known) {
        known->launch = launch;
        return true;
    }
    if (!gpci_slots_reserve(launches->context, &launches->slots, launches->keys, launches->key_count, 1, hash_of) ||
        !GPCI_ARRAY_RESERVE(launches->context, launches->keys, launches->key_capacity, launches->key_count, 1))
        return false;
    gpci_slots_add(&launches->slots, hash(context, id), launches->key_count);
    launches->keys[launches->key_count++] = (gpci_launch_key){context, id, launch};
    return true;
}

/*
 * Launch of an access; NULL: no line has announced the launch. Old releases count a launch before they print the
 * launch's line: the first access then names a number without a line, and the next number has a line.
 */
static const gpci_launch_key *owner(gpci_launches *launches, uint64_t context, uint64_t id) {
    const gpci_launch_key *known = find(launches, context, id + launches->ahead);
    if (!known && !launches->decided && (known = find(launches, context, id + 1)))
        launches->ahead = 1;
    launches->decided |= known != NULL;
    return known;
}

static void forget_keys(gpci_launches *launches) {
    gpci_slots_clear(&launches->slots);
    launches->key_count = 0;
    launches->ahead = 0;
    launches->decided = false;
}

/* Count a line in the first reading of the file. The second reading reports faults. */
static bool count_line(gpci_table *table, gpci_line_is line_is) {
    gpci_launches *launches = &table->launches;
    if (line_is == GPCI_LINE_IS_LAUNCH) {
        if (launches->known == UINT32_MAX ||
            !GPCI_ARRAY_RESERVE(launches->context, launches->accesses, launches->access_capacity, launches->known, 1) ||
            !announce(launches, table->context, table->launch_id, (uint32_t)launches->known))
            return false;
        launches->accesses[launches->known++] = 0;
    } else if (line_is == GPCI_LINE_IS_ROW) {
        const gpci_launch_key *key = owner(launches, table->context, table->launch_id);
        if (key)
            launches->accesses[key->launch]++;
    }
    return true;
}

gpc_status gpci_launches_count(gpci_table *table, gpc_error *error) {
    gpci_lines lines;
    if (gpci_input_is_stream(table->lines.input))
        return GPC_OK;
    gpc_status status = gpci_lines_open(&lines, table->base.context, gpci_input_name(table->lines.input), error);
    if (status < 0)
        return status;
    char *line, *stop;
    while ((status = gpci_lines_next_text(&lines, &line, &stop, error)) == GPC_OK)
        if (!count_line(table, table->form->read(table, gpci_span_trim((gpci_span){line, stop})))) {
            status = gpci_out_of_memory(error);
            break;
        }
    gpci_lines_close(&lines);
    forget_keys(&table->launches);
    return status < 0 ? status : GPC_OK;
}

gpc_status gpci_launches_begin(gpci_table *table, gpc_error *error) {
    gpci_launches *launches = &table->launches;
    gpci_table_kernel *made = gpci_zalloc(launches->context, 1, sizeof *made);
    if (!made || launches->count == UINT32_MAX ||
        !GPCI_ARRAY_RESERVE(launches->context, launches->held, launches->held_capacity, launches->count, 1) ||
        !announce(launches, table->context, table->launch_id, (uint32_t)launches->count)) {
        gpci_free(launches->context, made);
        return gpci_out_of_memory(error);
    }
    made->kernel = table->launch;
    made->kernel.index = (uint32_t)launches->count;
    made->rows.context = launches->context;
    launches->held[launches->count++] = made;
    gpc_status status = gpci_table_keep(table, &made->name, table->opcode, error);
    return status == GPC_OK ? gpci_table_keep(table, &made->key, table->fields[GPCI_COLUMN_KERNEL], error) : status;
}

gpc_status gpci_launches_find(gpci_table *table, gpc_error *error) {
    gpci_launches *launches = &table->launches;
    const gpci_launch_key *key = owner(launches, table->context, table->launch_id);
    table->into = key ? launches->held[key->launch] : NULL;
    if (!table->into)
        return gpci_lines_expected(&table->lines, error,
                                   "a line \"LAUNCH - Kernel pc\" of this context and grid_launch_id before its "
                                   "accesses");
    if (key->launch < launches->known)
        launches->accesses[key->launch]--;
    return GPC_OK;
}

bool gpci_launches_ready(const gpci_launches *launches) {
    return launches->given < launches->count && launches->given < launches->known &&
           !launches->accesses[launches->given];
}

bool gpci_launches_take(gpci_launches *launches, gpci_table_kernel *kernel) {
    if (launches->given == launches->count)
        return false;
    gpci_table_kernel_clear(kernel);
    *kernel = *launches->held[launches->given];
    gpci_free(launches->context, launches->held[launches->given]);
    launches->held[launches->given++] = NULL;
    return true;
}

void gpci_launches_clear(gpci_launches *launches) {
    for (size_t i = launches->given; i < launches->count; i++) {
        gpci_table_kernel_clear(launches->held[i]);
        gpci_free(launches->context, launches->held[i]);
    }
    gpci_slots_free(launches->context, &launches->slots);
    gpci_free(launches->context, launches->keys);
    gpci_free(launches->context, launches->accesses);
    gpci_free(launches->context, launches->held);
}
