/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_COHERENCE_RECENCY_H
#define GPC_COHERENCE_RECENCY_H

#include "coherence/module/module.h"

/*
 * Order of ways, most recent first. Ways count from the first of their kind (`own` of gpci_module_order). Every element
 * is stored relative to the place, so that the initial order (way 0 at place 0 and so on) is all zeroes: unused rows
 * take no memory.
 *
 * Example, 4 ways, way 2 used: the order is 2 0 1 3, in memory 2 1 3 0.
 */

GPCI_INLINE uint32_t gpci_recency_at(const uint16_t *order, uint32_t place) {
    return order[place] ^ place;
}

GPCI_INLINE void gpci_recency_put(uint16_t *order, uint32_t place, uint32_t way) {
    order[place] = (uint16_t)(way ^ place);
}

/* Move `way` to the front. */
GPCI_INLINE void gpci_recency_touch(uint16_t *order, uint32_t way) {
    uint32_t carried = *order;
    if (carried == way)
        return;
    *order = (uint16_t)way;
    for (uint32_t i = 1; carried != way; i++) {
        const uint32_t next = gpci_recency_at(order, i);
        gpci_recency_put(order, i, carried);
        carried = next;
    }
}

/* Move the last of `ways` to the front and return it. */
GPCI_INLINE uint32_t gpci_recency_last_to_front(uint16_t *order, uint32_t ways) {
    const uint32_t last = gpci_recency_at(order, ways - 1);
    gpci_recency_touch(order, last);
    return last;
}

#endif
