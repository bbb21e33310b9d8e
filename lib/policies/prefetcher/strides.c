/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/prefetcher/strides.h"

gpc_status gpci_strides_init(gpci_strides *s, gpc_context *context, uint32_t count, uint32_t steady) {
    *s = (gpci_strides){.all = gpci_zalloc(context, count, sizeof *s->all), .count = count, .steady = steady};
    return s->all ? GPC_OK : GPC_ERROR_MEMORY;
}

void gpci_strides_finish(gpci_strides *s, gpc_context *context) {
    gpci_free(context, s->all);
}

gpci_stride *gpci_strides_find(gpci_strides *s, uint64_t pc, uint32_t warp) {
    for (uint32_t i = 0; i < s->count; i++)
        if (s->all[i].used && s->all[i].pc == pc && s->all[i].warp == warp) {
            s->all[i].used = ++s->clock;
            return &s->all[i];
        }
    return NULL;
}

static gpci_stride *oldest(gpci_strides *s) {
    gpci_stride *found = s->all;
    for (uint32_t i = 1; i < s->count; i++)
        if (s->all[i].used < found->used)
            found = &s->all[i];
    return found;
}

gpci_stride *gpci_strides_learn(gpci_strides *s, uint64_t pc, uint32_t warp, uint64_t address) {
    gpci_stride *e = gpci_strides_find(s, pc, warp);
    if (!e) {
        e = oldest(s);
        *e = (gpci_stride){.pc = pc, .warp = warp, .address = address, .used = ++s->clock};
        return e;
    }
    const int64_t stride = (int64_t)(address - e->address);
    e->run = stride != e->stride ? 1 : e->run < s->steady ? e->run + 1 : e->run;
    e->stride = stride;
    e->address = address;
    return e;
}

uint64_t gpci_strides_bits(uint32_t count, uint32_t steady, uint32_t warp_bits) {
    const uint64_t each = GPCI_PC_BITS + warp_bits + GPCI_ADDRESS_BITS + GPCI_STRIDE_BITS + gpci_ceil_log2(steady + 1);
    return count * (each + gpci_ceil_log2(count));
}

void gpci_strides_state(gpci_strides *s, gpc_state_fn visit, void *visit_data) {
    visit(visit_data, s->all, s->count * sizeof *s->all);
    visit(visit_data, &s->clock, sizeof s->clock);
}
