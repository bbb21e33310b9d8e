/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/timed.h"

#include "cache/cache.h"

/* Tag ports, banks and data port of a controller. */

/* Bank of a line; if every sector is a packet, of a sector. */
GPCI_INLINE uint64_t bank_of(const gpci_ctrl *ctrl, uint64_t address) {
    const gpci_ctrl_options *options = ctrl->options;
    if (GPCI_UNLIKELY(options->hashed))
        return (uint64_t)1 << gpci_tag_bank(&ctrl->timed->hierarchy->tag_banks, address);
    const uint64_t place =
        address >> (GPCI_UNLIKELY(options->sector_packets) ? gpci_log2(GPCI_SEGMENT) : ctrl->cache->line_shift);
    return (uint64_t)1 << (gpci_power_of_two(options->banks) ? place & (options->banks - 1) : place % options->banks);
}

bool gpci_ctrl_port(gpci_ctrl *ctrl, uint64_t now, uint64_t address) {
    const gpci_ctrl_options *options = ctrl->options;
    uint64_t own = gpci_clock_own(options->clock, now);
    if (own != ctrl->tag_port.cycle) {
        ctrl->tag_port.cycle = own;
        ctrl->tag_port.used = 0;
        ctrl->tag_port.banks = 0;
    }
    if (ctrl->tag_port.used >= options->ports)
        return false;
    if (options->ports > 1 && (ctrl->cache || options->hashed)) {
        const uint64_t bank = bank_of(ctrl, address);
        if (ctrl->tag_port.banks & bank) {
            ctrl->counts.bank_failures++;
            return false;
        }
        ctrl->tag_port.banks |= bank;
    }
    ctrl->tag_port.used++;
    return true;
}

/*
 * Core cycle of data that leave the port in a cycle of the controller: never before now, even if the controller's cycle
 * has begun earlier.
 */
GPCI_INLINE uint64_t out_at(const gpci_ctrl_options *options, uint64_t now, uint64_t own) {
    const uint64_t due = gpci_clock_core(options->clock, own + options->latency);
    return due > now ? due : now;
}

uint64_t gpci_ctrl_data(gpci_ctrl *ctrl, uint64_t now, uint32_t bytes) {
    const gpci_ctrl_options *options = ctrl->options;
    uint64_t own = gpci_clock_own(options->clock, now);
    if (GPCI_UNLIKELY(options->sector_packets) && ctrl->data.free > own && ctrl->data.left >= bytes) {
        ctrl->data.left -= bytes;
        return out_at(options, now, ctrl->data.free - 1);
    }
    const uint64_t start = own > ctrl->data.free ? own : ctrl->data.free,
                   cycles = (bytes + options->data_width - 1) / options->data_width;
    ctrl->data.free = start + cycles;
    ctrl->data.left = (uint32_t)(cycles * options->data_width - bytes);
    return out_at(options, now, start);
}
