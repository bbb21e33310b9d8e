/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/prefetcher/prefetchers.h"

/*
 * Locality-aware prefetching (Jog et al., ISCA 2013; seeds/004 section 2.2): consecutive lines are a macro-block. If
 * loads have missed `threshold` different lines of a macro-block, the remaining lines are fetched, once. A fully
 * associative LRU table follows the macro-blocks. The warp scheduler decides whether the prefetch is in time:
 * neighbouring warps read neighbouring lines, and should not run side by side (`two-level`, `owl`).
 *
 * Example, lines=4, threshold=2: misses of lines 8 and 10 fetch 9 and 11.
 */

enum { LINES, THRESHOLD, ENTRIES, PARAMETERS };

typedef struct macro_block {
    uint64_t number, used; /* used: `clock` at the last miss; 0 = free entry */
    uint64_t missed;       /* bit mask of the missed lines */
    bool fetched;
} macro_block;

typedef struct locality_aware {
    macro_block *table; /* [entries] */
    gpc_context *context;
    uint64_t clock;
    uint32_t lines, threshold, entries, line_bytes;
} locality_aware;

static const gpc_parameter parameters[] = {
    {"lines", 4, 2, GPC_MAX_PREFETCHES, true, "of a macro-block"},
    {"threshold", 2, 1, GPC_MAX_PREFETCHES, true,
     "different lines of it that loads miss before the others are fetched"},
    {"entries", 64, 1, 4096, true, "of the table: macro-blocks that are followed"},
};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    locality_aware *prefetcher = self;
    const double *p = env->parameters;
    if (p[THRESHOLD] >= p[LINES])
        return gpci_policy_refuse(message, GPC_ERROR_RANGE,
                                  "threshold = %g has no effect with lines = %g: none is left to fetch", p[THRESHOLD],
                                  p[LINES]);
    prefetcher->context = env->context;
    prefetcher->lines = (uint32_t)p[LINES];
    prefetcher->threshold = (uint32_t)p[THRESHOLD];
    prefetcher->entries = (uint32_t)p[ENTRIES];
    prefetcher->line_bytes = env->line_bytes;
    prefetcher->table = gpci_zalloc(env->context, prefetcher->entries, sizeof *prefetcher->table);
    return prefetcher->table ? GPC_OK : GPC_ERROR_MEMORY;
}

static void finish(void *self) {
    locality_aware *prefetcher = self;
    gpci_free(prefetcher->context, prefetcher->table);
}

/* Entry of macro-block `number`. A block without an entry takes over the least recently used entry. */
static macro_block *block_of(locality_aware *prefetcher, uint64_t number) {
    macro_block *found = prefetcher->table;
    for (uint32_t i = 0; i < prefetcher->entries; i++) {
        macro_block *region = &prefetcher->table[i];
        if (region->used && region->number == number)
            return region;
        if (region->used < found->used)
            found = region;
    }
    *found = (macro_block){.number = number};
    return found;
}

static uint32_t fetch_rest(const locality_aware *prefetcher, macro_block *region, gpc_prefetch *out) {
    uint32_t count = 0;
    for (uint32_t line = 0; line < prefetcher->lines; line++)
        if (!(region->missed >> line & 1))
            out[count++].address = (region->number * prefetcher->lines + line) * prefetcher->line_bytes;
    region->fetched = true;
    return count;
}

static uint32_t on_access(void *self, const gpc_prefetch_access *access, gpc_prefetch *out) {
    locality_aware *prefetcher = self;
    if (access->found != GPC_PREFETCH_FOUND_MISS)
        return 0;
    const uint64_t line = access->request->address / prefetcher->line_bytes;
    macro_block *region = block_of(prefetcher, line / prefetcher->lines);
    region->used = ++prefetcher->clock;
    region->missed |= (uint64_t)1 << line % prefetcher->lines;
    return !region->fetched && gpci_popcount(region->missed) >= prefetcher->threshold
               ? fetch_rest(prefetcher, region, out)
               : 0;
}

/*
 * Cost of an entry: number of the macro-block, a missed bit for each line, a fetched bit, the place in the LRU order.
 */
static uint64_t cost_bits(const gpc_policy_env *env) {
    const uint32_t lines = (uint32_t)env->parameters[LINES], entries = (uint32_t)env->parameters[ENTRIES];
    return entries * (uint64_t)(GPCI_ADDRESS_BITS - gpci_log2(env->line_bytes) - gpci_log2(lines) + lines + 1 +
                                gpci_ceil_log2(entries));
}

static void state(void *self, gpc_state_fn visit, void *visit_data) {
    locality_aware *prefetcher = self;
    visit(visit_data, prefetcher->table, prefetcher->entries * sizeof *prefetcher->table);
    visit(visit_data, &prefetcher->clock, sizeof prefetcher->clock);
}

const gpc_prefetcher_ops gpci_locality_aware = {
    .struct_size = sizeof(gpc_prefetcher_ops),
    .name = "locality-aware",
    .summary = "the rest of a block of lines, when loads have missed several of it",
    .source = "Jog et al., ISCA 2013; seeds/004 section 2.2",
    .instance_bytes = sizeof(locality_aware),
    .parameters = parameters,
    .parameter_count = PARAMETERS,
    .init = init,
    .finish = finish,
    .on_access = on_access,
    .cost_bits = cost_bits,
    .state = state,
};
