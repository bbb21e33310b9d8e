/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/prefetcher/strides.h"

/*
 * Stride prefetching by program counter (Chen and Baer, IEEE Transactions on Computers 44(5), 1995). Warps of a GPU
 * interleave: a table by PC alone (warps=together) sees their addresses mixed. A table by PC and warp (warps=apart)
 * sees a loop's stride, but each warp has to learn the stride (Lee et al., MICRO 2010; seeds/004 section 2.2).
 *
 * Example, steady=2, degree=1, distance=1: warp 3 loads a[i], a[i + 256 bytes], a[i + 512]: the stride of 256 has come
 * twice, and a[i + 768] is fetched. If the load's lanes read several lines, each line is fetched 256 bytes further on.
 */

enum { ENTRIES, STEADY, DEGREE, DISTANCE, PARAMETERS };
enum { WARPS, TEXTS };
enum { APART, TOGETHER };

typedef struct stride_state {
    gpci_strides table;
    gpc_context *context;
    uint32_t degree, distance, line_bytes;
    bool by_warp;
} stride_state;

static const gpc_parameter parameters[] = {
    {"entries", 128, 1, 4096, true, "of the table, by instruction and warp"},
    {"steady", 2, 1, 15, true, "equal strides in a row before anything is fetched"},
    {"degree", 1, 1, GPC_MAX_PREFETCHES, true, "lines fetched for each line of a load"},
    {"distance", 1, 1, 4096, true, "strides from the load's line to the first of them; a line at least"},
};

static const gpc_text_parameter texts[] = {
    {"warps", "apart", "apart|together", "entries of the table are one warp's, or all warps'"},
};

static gpc_status init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    stride_state *prefetcher = self;
    const double *p = env->parameters;
    prefetcher->context = env->context;
    prefetcher->degree = (uint32_t)p[DEGREE];
    prefetcher->distance = (uint32_t)p[DISTANCE];
    prefetcher->line_bytes = env->line_bytes;
    prefetcher->by_warp = env->words[WARPS] == APART;
    return gpci_strides_init(&prefetcher->table, env->context, (uint32_t)p[ENTRIES], (uint32_t)p[STEADY]);
}

static void finish(void *self) {
    stride_state *prefetcher = self;
    gpci_strides_finish(&prefetcher->table, prefetcher->context);
}

/* Learn only from an instruction's first line; prefetch for every line. */
static uint32_t on_access(void *self, const gpc_prefetch_access *access, gpc_prefetch *out) {
    stride_state *prefetcher = self;
    const gpc_request *request = access->request;
    const uint32_t warp = prefetcher->by_warp ? gpci_warp_of(request) : UINT32_MAX;
    const gpci_stride *stride = access->line
                                    ? gpci_strides_find(&prefetcher->table, request->pc, warp)
                                    : gpci_strides_learn(&prefetcher->table, request->pc, warp, access->lane_address);
    if (!gpci_stride_is_trained(&prefetcher->table, stride))
        return 0;
    for (uint32_t i = 0; i < prefetcher->degree; i++)
        out[i].address =
            request->address + gpci_stride_ahead(stride->stride, prefetcher->distance + i, prefetcher->line_bytes);
    return prefetcher->degree;
}

static uint64_t cost_bits(const gpc_policy_env *env) {
    const double *p = env->parameters;
    return gpci_strides_bits((uint32_t)p[ENTRIES], (uint32_t)p[STEADY],
                             env->words[WARPS] == APART ? GPCI_SLOT_BITS : 0);
}

static void state(void *self, gpc_state_fn visit, void *visit_data) {
    gpci_strides_state(&((stride_state *)self)->table, visit, visit_data);
}

const gpc_prefetcher_ops gpci_stride_prefetcher = {
    .struct_size = sizeof(gpc_prefetcher_ops),
    .name = "stride",
    .summary = "where a load instruction will read next, by the stride of its last reads",
    .source = "Chen and Baer, IEEE Transactions on Computers 44(5), 1995; seeds/004 section 2.2",
    .instance_bytes = sizeof(stride_state),
    .parameters = parameters,
    .parameter_count = PARAMETERS,
    .texts = texts,
    .text_count = TEXTS,
    .init = init,
    .finish = finish,
    .on_access = on_access,
    .cost_bits = cost_bits,
    .state = state,
};
