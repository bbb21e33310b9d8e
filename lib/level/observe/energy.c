/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/observe/energy.h"

/*
 * The configuration stores costs in thousandths: fJ, or mW. Energies are whole pJ, rounded down: integers, so that an
 * earlier value can be subtracted from a later value, and values of kernels can be added.
 *
 * Example: energy.dram_activate = 909.5, 3 activations: 3 x 909,500 fJ = 2,728.5 pJ, rounded to 2,728 pJ.
 */

enum {
#define X(id, field, ...) ID_##field = id,
    GPC_COUNTERS(X)
#undef X
};

#define AT(field) ID_##field /* id of the energy's counter */
#define OF(field) ID_##field /* id of the counter of events */

static const gpci_energy energies[] = {
    {AT(energy_l1_tag), GPCI_KEY_ENERGY_L1_TAG, OF(l1_lookups), 0, false},
    {AT(energy_l1_read), GPCI_KEY_ENERGY_L1_READ, OF(l1_load_sector_hits), 0, false},
    {AT(energy_l1_write), GPCI_KEY_ENERGY_L1_WRITE, OF(l1_store_sector_hits), 0, false},
    {AT(energy_l1_fill), GPCI_KEY_ENERGY_L1_FILL, OF(l1_fetched_sectors), 0, false},
    {AT(energy_l2_tag), GPCI_KEY_ENERGY_L2_TAG, OF(l2_lookups), 0, false},
    {AT(energy_l2_read), GPCI_KEY_ENERGY_L2_READ, OF(l2_read_sectors), 0, false},
    {AT(energy_l2_write), GPCI_KEY_ENERGY_L2_WRITE, OF(l2_write_sectors), 0, false},
    {AT(energy_l2_atomic), GPCI_KEY_ENERGY_L2_ATOMIC, OF(l2_atomic_sectors), 0, false},
    {AT(energy_l2_fill), GPCI_KEY_ENERGY_L2_FILL, OF(dram_read_sectors), OF(dram_launch_sectors), true},
    {AT(energy_l2_remote), GPCI_KEY_ENERGY_L2_REMOTE, OF(l2_remote_sectors), 0, false},
    {AT(energy_network_request), GPCI_KEY_ENERGY_NETWORK_REQUEST, OF(network_request_bytes),
     OF(cluster_network_request_bytes), false},
    {AT(energy_network_reply), GPCI_KEY_ENERGY_NETWORK_REPLY, OF(network_reply_bytes), OF(cluster_network_reply_bytes),
     false},
    {AT(energy_link), GPCI_KEY_ENERGY_LINK, OF(link_bytes), 0, false},
    {AT(energy_gpu_link), GPCI_KEY_ENERGY_GPU_LINK, OF(gpu_link_bytes), 0, false},
    {AT(energy_dram_read), GPCI_KEY_ENERGY_DRAM_READ, OF(dram_read_sectors), 0, false},
    {AT(energy_dram_write), GPCI_KEY_ENERGY_DRAM_WRITE, OF(dram_write_sectors), 0, false},
    {AT(energy_dram_activate), GPCI_KEY_ENERGY_DRAM_ACTIVATE, OF(dram_activates), 0, false},
    {AT(energy_dram_refresh), GPCI_KEY_ENERGY_DRAM_REFRESH, OF(dram_refreshes), 0, false},
    {AT(energy_warp_instruction), GPCI_KEY_ENERGY_WARP_INSTRUCTION, OF(warp_instructions), 0, false},
    {AT(energy_thread_instruction), GPCI_KEY_ENERGY_THREAD_INSTRUCTION, OF(thread_instructions), 0, false},
    {AT(energy_static), GPCI_KEY_ENERGY_STATIC, OF(cycles), 0, false},
};
#undef AT
#undef OF

const gpci_energy *gpci_energies(size_t *out_count) {
    *out_count = sizeof energies / sizeof *energies;
    return energies;
}

bool gpci_energy_is_set(const gpc_config *config, const gpci_energy *energy) {
    if (energy->key == GPCI_KEY_ENERGY_L2_FILL && !gpci_config_number(config, GPCI_KEY_L2_ENABLED))
        return false; /* without L2, data from DRAM fill no L2 line */
    return gpci_config_number(config, energy->key) != GPCI_WORD;
}

bool gpci_energy_is_static(const gpci_energy *energy) {
    return energy->key == GPCI_KEY_ENERGY_STATIC;
}

/* floor(count x cost / by), without overflow of count x cost. */
static uint64_t share(uint64_t count, uint64_t cost, uint64_t by) {
    return count / by * cost + count % by * cost / by;
}

static uint64_t *value(gpc_stats *stats, uint32_t id) {
    return (uint64_t *)(void *)((char *)stats + gpci_counter(id)->offset);
}

static uint64_t events(gpc_stats *stats, const gpci_energy *energy, uint64_t unfilled) {
    if (energy->key == GPCI_KEY_ENERGY_L1_FILL)
        return stats->l1_fetched_sectors - unfilled;
    const uint64_t beside = energy->key == GPCI_KEY_ENERGY_L2_FILL ? stats->memory_cache_read_sector_hits : 0;
    uint64_t count = *value(stats, energy->of), other = energy->other ? *value(stats, energy->other) : 0;
    if (!energy->less)
        return count + other;
    return beside +
           (count > other ? count - other : 0); /* after a reset of counters, `other` can be the larger number */
}

void gpci_energy_of(const gpc_config *config, uint64_t unfilled, gpc_stats *stats) {
    const uint64_t mhz = gpci_config_number(config, GPCI_KEY_CLOCK_CORE);
    stats->energy_dynamic = 0;
    for (size_t i = 0; i < sizeof energies / sizeof *energies; i++) {
        const gpci_energy *energy = &energies[i];
        uint64_t *out = value(stats, energy->id);
        *out = 0;
        if (!gpci_energy_is_set(config, energy))
            continue;
        const uint64_t count = events(stats, energy, unfilled), cost = gpci_config_number(config, energy->key);
        if (gpci_energy_is_static(energy)) {
            *out = share(count, cost * 1000, mhz); /* 1 W for 1 us: 1,000,000 pJ */
        } else {
            *out = share(count, cost, 1000);
            stats->energy_dynamic += *out;
        }
    }
    stats->energy_total = stats->energy_dynamic + stats->energy_static;
}
