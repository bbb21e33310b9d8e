/* SPDX-License-Identifier: BSD-2-Clause */
#include "dram/timing.h"

static gpc_status refuse(const gpc_config *config, gpci_key key, uint32_t value, const char *why, gpc_error *error) {
    const char *text = gpci_config_text(config, key);
    if (gpci_config_number(config, key) == GPCI_WORD)
        return gpci_fail(error, GPC_ERROR_RANGE, "%s = %s (%u): %s", gpci_key_name(key), text, value, why);
    return gpci_fail(error, GPC_ERROR_RANGE, "%s = %s: %s", gpci_key_name(key), text, why);
}

/*
 * Convert cycles of the clock `from` to cycles of the clock `to`, rounded up. A fraction below a twentieth of a cycle
 * is dropped: standards of JEDEC drop small fractions, too.
 */
static uint32_t scale(uint32_t cycles, uint32_t from, uint64_t to) {
    uint64_t fortieths = (uint64_t)cycles * to * 40 / from;
    return (uint32_t)((fortieths + 38) / 40);
}

static gpc_status check_powers(const gpc_config *config, const gpci_dram_timing *timing, gpc_error *error) {
    const struct {
        gpci_key key;
        uint32_t value;
    } powers[] = {{GPCI_KEY_DRAM_PSEUDO, timing->pseudo},
                  {GPCI_KEY_DRAM_GROUPS, timing->groups},
                  {GPCI_KEY_DRAM_BANKS, timing->group_banks},
                  {GPCI_KEY_DRAM_ROW, timing->row_bytes},
                  {GPCI_KEY_DRAM_BURST, timing->burst_bytes}};
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
        if (!gpci_power_of_two(powers[i].value))
            return refuse(config, powers[i].key, powers[i].value, "must be a power of two", error);
    if ((uint64_t)timing->groups * timing->group_banks > 64)
        return refuse(config, GPCI_KEY_DRAM_BANKS, timing->group_banks, "more than 64 banks with dram.bank_groups",
                      error);
    if (timing->row_bytes < timing->burst_bytes)
        return refuse(config, GPCI_KEY_DRAM_ROW, timing->row_bytes, "must be at least dram.burst_bytes", error);
    return GPC_OK;
}

uint32_t gpci_dram_refresh_sets(const gpci_dram_timing *timing, uint64_t choice, uint32_t *out_interval) {
    *out_interval = timing->trefi;
    if (choice < 2)
        return 0;
    const uint32_t sets = choice == 2 ? timing->groups * timing->group_banks : timing->group_banks;
    *out_interval = timing->trefi / sets / (choice == 2 ? 1 : 2);
    return sets;
}

/*
 * Check that a request can always be served between two refreshes (`longest`: all waiting times together). For
 * refreshes of single banks: that a request to a bank can be served between two refreshes of the bank, and a request to
 * another bank between two refreshes of any banks.
 */
static gpc_status check_refresh(const gpc_config *config, const gpci_dram_timing *timing, gpc_error *error) {
    const uint64_t choice = gpci_config_number(config, GPCI_KEY_DRAM_REFRESH);
    uint32_t interval;
    const bool single = gpci_dram_refresh_sets(timing, choice, &interval) != 0;
    uint64_t longest = (uint64_t)timing->trp + timing->tras + timing->trc + timing->trcd + timing->trcd_write +
                       timing->tcl + timing->tcwl + timing->burst + timing->twr + timing->twtr_l + timing->twtr_s +
                       timing->trtw + timing->trtp + timing->tfaw + timing->tccd_l + timing->tccd_s + timing->trrd_l +
                       timing->trrd_s;
    if (choice != 1 && timing->trefi <= longest + (single ? timing->trfc_bank : timing->trfc))
        return refuse(config, GPCI_KEY_DRAM_TREFI, timing->trefi, "must be more than the other times together", error);
    if (single && interval <= longest + timing->trrefd)
        return refuse(config, GPCI_KEY_DRAM_TREFI, timing->trefi,
                      "shared out among single banks (dram.refresh), it must be more than the other times together",
                      error);
    return GPC_OK;
}

gpc_status gpci_dram_timing_read(const gpc_config *config, gpc_error *error, gpci_dram_timing *timing) {
    const gpci_dram_timing *set = gpci_dram_timing_set(gpci_config_number(config, GPCI_KEY_DRAM_TIMING));
    uint64_t mhz = gpci_config_number(config, GPCI_KEY_CLOCK_DRAM), number;
    *timing = *set;
    timing->mhz = (uint32_t)mhz;
#define X(field, key, scaled)                            \
    number = gpci_config_number(config, GPCI_KEY_##key); \
    if (number != GPCI_WORD)                             \
        timing->field = (uint32_t)number;                \
    else if (scaled && mhz != set->mhz)                  \
        timing->field = scale(set->field, set->mhz, mhz);
    GPCI_DRAM_TIMINGS(X)
#undef X
    uint64_t bus = gpci_config_number(config, GPCI_KEY_DRAM_BUS); /* auto, single, dual */
    if (bus)
        timing->dual = bus == 2;
    gpc_status status = check_powers(config, timing, error);
    if (status < 0)
        return status;
    return check_refresh(config, timing, error);
}
