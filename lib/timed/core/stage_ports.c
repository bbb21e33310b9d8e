/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/timed.h"

#include "cache/cache.h"

/* Tag ports, banks and data port of a stage. */

/* Bank of a line; if every sector is a packet, of a sector. */
GPCI_INLINE uint64_t bank_of(const gpci_stage *stage, uint64_t address) {
    const gpci_stage_options *o = stage->options;
    if (GPCI_UNLIKELY(o->hashed))
        return (uint64_t)1 << gpci_tag_bank(&stage->timed->h->tag_banks, address);
    const uint64_t place = address >> (GPCI_UNLIKELY(o->apart) ? gpci_log2(GPCI_SEGMENT) : stage->cache->line_shift);
    return (uint64_t)1 << (gpci_power_of_two(o->banks) ? place & (o->banks - 1) : place % o->banks);
}

bool gpci_stage_port(gpci_stage *stage, uint64_t now, uint64_t address) {
    const gpci_stage_options *o = stage->options;
    uint64_t own = gpci_clock_own(o->clock, now);
    if (own != stage->tag_cycle) {
        stage->tag_cycle = own;
        stage->ports_used = 0;
        stage->banks_used = 0;
    }
    if (stage->ports_used >= o->ports)
        return false;
    if (o->ports > 1 && (stage->cache || o->hashed)) {
        const uint64_t bank = bank_of(stage, address);
        if (stage->banks_used & bank) {
            stage->counts.bank_failures++;
            return false;
        }
        stage->banks_used |= bank;
    }
    stage->ports_used++;
    return true;
}

/*
 * Core cycle of data that leave the port in a cycle of the stage: never before now, even if the stage's cycle has begun
 * earlier.
 */
GPCI_INLINE uint64_t out_at(const gpci_stage_options *o, uint64_t now, uint64_t own) {
    const uint64_t due = gpci_clock_core(o->clock, own + o->latency);
    return due > now ? due : now;
}

uint64_t gpci_stage_data(gpci_stage *stage, uint64_t now, uint32_t bytes) {
    const gpci_stage_options *o = stage->options;
    uint64_t own = gpci_clock_own(o->clock, now);
    if (GPCI_UNLIKELY(o->apart) && stage->data_free > own && stage->data_left >= bytes) {
        stage->data_left -= bytes;
        return out_at(o, now, stage->data_free - 1);
    }
    const uint64_t start = own > stage->data_free ? own : stage->data_free,
                   cycles = (bytes + o->data_width - 1) / o->data_width;
    stage->data_free = start + cycles;
    stage->data_left = (uint32_t)(cycles * o->data_width - bytes);
    return out_at(o, now, start);
}
