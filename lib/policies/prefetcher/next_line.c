/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/prefetcher/prefetchers.h"

/*
 * Sequential prefetching (Smith, ACM Computing Surveys 14(3), 1982, section 2.1): fetch the lines after a load's line.
 *
 *   on=miss    if the load missed
 *   on=tagged  on a miss, and on the first use of a prefetched line: a stream goes on without misses
 *   on=always  with every load
 *
 * Example, degree=2, distance=1: a load misses line 10: 11 and 12 are fetched. With on=tagged the first load of 11
 * fetches 12 and 13; 12 is already present or in flight. With on=miss the next prefetch waits until a load misses 13.
 */

enum { DEGREE, DISTANCE, PARAMETERS };
enum { ON, TEXTS };
enum { ON_MISS, ON_TAGGED, ON_ALWAYS };

typedef struct next_line {
    uint32_t degree, distance, on, line_bytes;
} next_line;

static const gpc_parameter parameters[] = {
    {"degree", 1, 1, GPC_MAX_PREFETCHES, true, "lines fetched at once"},
    {"distance", 1, 1, 4096, true, "lines from the load's to the first of them"},
};

static const gpc_text_parameter texts[] = {
    {"on", "tagged", "miss|tagged|always", "which loads fetch: that miss; and first uses of prefetched lines; all"},
};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    *(next_line *)self = (next_line){.degree = (uint32_t)env->parameters[DEGREE],
                                     .distance = (uint32_t)env->parameters[DISTANCE],
                                     .on = env->words[ON],
                                     .line_bytes = env->line_bytes};
    return GPC_OK;
}

static bool fetches(const next_line *n, const gpc_prefetch_access *access) {
    return n->on == ON_ALWAYS || access->found == GPC_PREFETCH_FOUND_MISS || (n->on == ON_TAGGED && access->prefetched);
}

static uint32_t on_access(void *self, const gpc_prefetch_access *access, gpc_prefetch *out) {
    const next_line *n = self;
    if (!fetches(n, access))
        return 0;
    for (uint32_t i = 0; i < n->degree; i++)
        out[i].address = access->request->address + (uint64_t)(n->distance + i) * n->line_bytes;
    return n->degree;
}

static void state(void *self, gpc_state_fn visit, void *visit_data) {
    (void)self; /* no state */
    (void)visit;
    (void)visit_data;
}

const gpc_prefetcher_ops gpci_next_line = {
    .struct_size = sizeof(gpc_prefetcher_ops),
    .name = "next-line",
    .summary = "the lines after a load's",
    .source = "Smith, ACM Computing Surveys 14(3), 1982, section 2.1",
    .instance_bytes = sizeof(next_line),
    .parameters = parameters,
    .parameter_count = PARAMETERS,
    .texts = texts,
    .text_count = TEXTS,
    .init = init,
    .on_access = on_access,
    .state = state,
};
