/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/future.h"

#include "cache/cache.h"

/* The upper two bits of a recorded transaction; lines have 32 bytes or more, their numbers at most 59 bits. */
#define SORT_SHIFT 62u
#define LINE_MASK (((uint64_t)1 << SORT_SHIFT) - 1)

enum { USE, END, PASS };

gpc_status gpci_future_create(gpc_context *context, uint32_t sms, gpc_error *error, gpci_future **out) {
    gpci_future *f = gpci_zalloc(context, 1, sizeof *f);
    if (!f)
        return gpci_out_of_memory(error);
    f->context = context;
    f->sm_count = sms;
    f->sms = gpci_zalloc(context, sms, sizeof *f->sms);
    if (!f->sms) {
        gpci_free(context, f);
        return gpci_out_of_memory(error);
    }
    *out = f;
    return GPC_OK;
}

void gpci_future_destroy(gpci_future *f) {
    if (!f)
        return;
    for (uint32_t sm = 0; sm < f->sm_count; sm++)
        gpci_free(f->context, f->sms[sm].entries);
    gpci_free(f->context, f->sms);
    gpci_free(f->context, f);
}

void gpci_future_forget(gpci_future *f) {
    for (uint32_t sm = 0; sm < f->sm_count; sm++) {
        f->sms[sm].base += f->sms[sm].count;
        f->sms[sm].count = f->sms[sm].at = 0;
    }
}

static uint64_t sort_of(const gpc_hierarchy *h, const gpc_warp_access *access) {
    bool local = access->space == GPC_SPACE_LOCAL;
    switch (access->kind) {
    case GPC_STORE:
        if (gpci_number(h, local ? GPCI_KEY_L1_WRITE_LOCAL : GPCI_KEY_L1_WRITE) == GPC_WRITE_EVICT)
            return END;
        return gpci_number(h, local ? GPCI_KEY_L1_WRITE_ALLOCATE_LOCAL : GPCI_KEY_L1_WRITE_ALLOCATE) ==
                       GPC_WRITE_NO_ALLOCATE
                   ? PASS
                   : USE;
    case GPC_ATOMIC:
    case GPC_REDUCTION:
        return END;
    default:
        return USE;
    }
}

static bool make_room(gpci_future *f, gpci_future_sm *s, size_t more) {
    if (s->capacity - s->count >= more)
        return true;
    size_t capacity = s->capacity ? s->capacity * 2 : 1024;
    while (capacity - s->count < more)
        capacity *= 2;
    uint64_t *grown = gpci_resize(f->context, s->entries, capacity, sizeof *grown);
    if (!grown)
        return false;
    s->entries = grown;
    s->capacity = capacity;
    return true;
}

gpc_status gpci_future_record(gpci_future *f, const gpc_hierarchy *h, const gpc_warp_access *access) {
    if (!access->mask || access->space > GPC_SPACE_LOCAL || !gpci_l1_for(h, access->sm, access->space))
        return GPC_OK;
    gpci_transaction lines[GPCI_MAX_TRANSACTIONS];
    unsigned shift = h->l1_level.line_shift;
    uint32_t count = gpci_coalesce(access->addresses, gpci_popcount(access->mask), access->width, shift, lines);
    gpci_future_sm *s = &f->sms[access->sm];
    if (!make_room(f, s, count))
        return GPC_ERROR_MEMORY;
    uint64_t sort = sort_of(h, access) << SORT_SHIFT;
    for (uint32_t i = 0; i < count; i++)
        s->entries[s->count++] = lines[i].address >> shift | sort;
    return GPC_OK;
}

/* The next use of each line, seen from the end: open addressing, grown when half of it is full. */
typedef struct use {
    uint64_t line, at;
    bool taken;
} use;

typedef struct use_table {
    gpc_context *context;
    use *uses;
    size_t slots, count;
} use_table;

static use *find(const use_table *t, uint64_t line) {
    size_t slot = (size_t)gpci_mix(line) & (t->slots - 1);
    while (t->uses[slot].taken && t->uses[slot].line != line)
        slot = (slot + 1) & (t->slots - 1);
    return &t->uses[slot];
}

static bool grow(use_table *t) {
    use_table larger = {.context = t->context, .slots = t->slots ? t->slots * 2 : 4096, .count = t->count};
    larger.uses = gpci_zalloc(t->context, larger.slots, sizeof *larger.uses);
    if (!larger.uses)
        return false;
    for (size_t slot = 0; slot < t->slots; slot++)
        if (t->uses[slot].taken)
            *find(&larger, t->uses[slot].line) = t->uses[slot];
    gpci_free(t->context, t->uses);
    *t = larger;
    return true;
}

static gpc_status resolve_sm(use_table *t, gpci_future_sm *s) {
    for (size_t i = s->count; i-- > 0;) {
        uint64_t line = s->entries[i] & LINE_MASK, sort = s->entries[i] >> SORT_SHIFT;
        if (2 * t->count >= t->slots && !grow(t))
            return GPC_ERROR_MEMORY;
        use *next = find(t, line);
        s->entries[i] = next->taken ? next->at : UINT64_MAX;
        if (sort == PASS)
            continue;
        t->count += !next->taken;
        *next = (use){line, sort == USE ? s->base + i : UINT64_MAX, true};
    }
    return GPC_OK;
}

gpc_status gpci_future_resolve(gpci_future *f) {
    use_table table = {.context = f->context};
    gpc_status status = GPC_OK;
    for (uint32_t sm = 0; sm < f->sm_count && status == GPC_OK; sm++) {
        for (size_t slot = 0; slot < table.slots; slot++)
            table.uses[slot].taken = false;
        table.count = 0;
        status = resolve_sm(&table, &f->sms[sm]);
    }
    gpci_free(f->context, table.uses);
    return status;
}
