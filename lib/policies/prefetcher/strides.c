/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/prefetcher/strides.h"

gpc_status gpci_strides_init(gpci_strides *strides, gpc_context *context, uint32_t count, uint32_t steady) {
    *strides =
        (gpci_strides){.all = gpci_zalloc(context, count, sizeof *strides->all), .count = count, .steady = steady};
    return strides->all ? GPC_OK : GPC_ERROR_MEMORY;
}

void gpci_strides_finish(gpci_strides *strides, gpc_context *context) {
    gpci_free(context, strides->all);
}

gpci_stride *gpci_strides_find(gpci_strides *strides, uint64_t pc, uint32_t warp) {
    for (uint32_t i = 0; i < strides->count; i++)
        if (strides->all[i].used && strides->all[i].pc == pc && strides->all[i].warp == warp) {
            strides->all[i].used = ++strides->clock;
            return &strides->all[i];
        }
    return NULL;
}

static gpci_stride *oldest(gpci_strides *strides) {
    gpci_stride *found = strides->all;
    for (uint32_t i = 1; i < strides->count; i++)
        if (strides->all[i].used < found->used)
            found = &strides->all[i];
    return found;
}

gpci_stride *gpci_strides_learn(gpci_strides *strides, uint64_t pc, uint32_t warp, uint64_t address) {
    gpci_stride *e = gpci_strides_find(strides, pc, warp);
    if (!e) {
        e = oldest(strides);
        *e = (gpci_stride){.pc = pc, .warp = warp, .address = address, .used = ++strides->clock};
        return e;
    }
    const int64_t stride = (int64_t)(address - e->address);
    e->run = stride != e->stride ? 1 : e->run < strides->steady ? e->run + 1 : e->run;
    e->stride = stride;
    e->address = address;
    return e;
}

uint64_t gpci_strides_bits(uint32_t count, uint32_t steady, uint32_t warp_bits) {
    const uint64_t each = GPCI_PC_BITS + warp_bits + GPCI_ADDRESS_BITS + GPCI_STRIDE_BITS + gpci_ceil_log2(steady + 1);
    return count * (each + gpci_ceil_log2(count));
}

void gpci_strides_state(gpci_strides *strides, gpc_state_fn visit, void *visit_data) {
    visit(visit_data, strides->all, strides->count * sizeof *strides->all);
    visit(visit_data, &strides->clock, sizeof strides->clock);
}
