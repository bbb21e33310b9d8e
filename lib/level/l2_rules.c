/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/l2_rules.h"

/* An L1 gives up the line of an address, if it has it. */
static void take_line(gpc_hierarchy *h, uint32_t sm, uint64_t address, gpci_memory_write_fn write, void *user_data) {
    gpc_line line;
    if (!gpci_line_of(h->l1[sm], address, &line))
        return;
    uint64_t bytes[2];
    gpci_dirty_bytes(h->l1[sm], &line, bytes);
    uint8_t segments = gpci_segments_of(bytes);
    gpci_count_l1_write_back(h, sm, gpci_count_sectors(segments));
    gpci_see_dropped(h, h->l1[sm], GPC_COMPONENT_L1, sm, address, address);
    write(user_data, address, segments);
    gpc_cache_invalidate_line(h->l1[sm], address);
}

void gpci_l2_take_from_l1(gpc_hierarchy *h, uint32_t slice, uint64_t inner, gpci_memory_write_fn write,
                          void *user_data) {
    if (!h->inclusive || !h->l1)
        return;
    uint64_t address = gpci_l2_host_address(h, slice, inner);
    for (uint32_t sm = 0; sm < h->sms; sm++)
        for (uint32_t at = 0; at < h->l2_level.line_bytes; at += h->l1_level.line_bytes)
            take_line(h, sm, address + at, write, user_data);
}
