/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/prefetcher/prefetchers.h"

/* Prefetch nothing: the cache fetches only the lines of loads. */

static uint32_t on_access(void *self, const gpc_prefetch_access *access, gpc_prefetch *out) {
    (void)self;
    (void)access;
    (void)out;
    return 0;
}

static void state(void *self, gpc_state_fn visit, void *visit_data) {
    (void)self;
    (void)visit;
    (void)visit_data;
}

const gpc_prefetcher_ops gpci_no_prefetcher = {
    .struct_size = sizeof(gpc_prefetcher_ops),
    .name = "none",
    .summary = "nothing is fetched before a load asks for it",
    .source = "",
    .on_access = on_access,
    .state = state,
};
