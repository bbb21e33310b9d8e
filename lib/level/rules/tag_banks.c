/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/coalesce.h"

#include "level/rules/driver.h"

#include <inttypes.h>
#include <string.h>

/*
 * Four banks of an H100: bit k of the bank number is the parity of set number & hopper_banks[k]
 * (tests/hardware/micro/README.md).
 */
static const uint32_t hopper_banks[GPCI_BANK_BITS] = {181, 367};

/* Two pieces of a line number, of alternate bits: bit k of the bank number is the parity of line number & folds[k]. */
static const uint64_t folds[GPCI_BANK_BITS] = {0x5555555555555555u, 0xaaaaaaaaaaaaaaaau};

gpci_tag_banks gpci_tag_banks_of(const gpc_hierarchy *hierarchy) {
    const uint64_t index = gpci_number(hierarchy, GPCI_KEY_L1_BANK_INDEX);
    gpci_tag_banks banks = {.count = (uint32_t)gpci_number(hierarchy, GPCI_KEY_L1_BANKS),
                            .line_shift = gpci_log2((uint64_t)hierarchy->l1_level.line_bytes * hierarchy->line_blocks),
                            .hashed = index != GPCI_BANKS_BY_LINE};
    for (unsigned bit = 0; bit < GPCI_BANK_BITS && banks.hashed; bit++)
        banks.masks[bit] = index == GPCI_BANKS_BY_FOLD ? folds[bit] : gpci_index_hopper_bits(hopper_banks[bit]);
    return banks;
}

static gpc_status check_tags(const gpc_hierarchy *hierarchy, gpc_error *error) {
    const uint64_t banks = gpci_number(hierarchy, GPCI_KEY_L1_BANKS), ports = gpci_number(hierarchy, GPCI_KEY_L1_PORTS);
    const bool hashed = gpci_number(hierarchy, GPCI_KEY_L1_BANK_INDEX) != GPCI_BANKS_BY_LINE,
               ordered = hierarchy->line_order == GPCI_LINES_BY_BANK;
    if (hashed && (banks != 4 || ports < 2 || hierarchy->sector_packets))
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.bank_index = hopper or xor needs l1.banks = 4, l1.tag_ports above 1 and not l1.coalescer "
                         "= sector: lines that pass the tags beside each other");
    if (ordered && (banks < 2 || ports < 2 || hierarchy->sector_packets))
        return gpci_fail(
            error, GPC_ERROR_RANGE,
            "l1.line_order = banks needs l1.banks and l1.tag_ports above 1, and not l1.coalescer = sector: "
            "lines that pass the tags beside each other");
    return GPC_OK;
}

static gpc_status check_data(const gpc_hierarchy *hierarchy, gpc_error *error) {
    const uint64_t banks = gpci_number(hierarchy, GPCI_KEY_L1_DATA_BANKS),
                   width = gpci_number(hierarchy, GPCI_KEY_L1_DATA_BANK_WIDTH);
    if (!banks)
        return width == 4 ? GPC_OK
                          : gpci_fail(error, GPC_ERROR_RANGE, "l1.data_bank_width needs l1.data_banks above 0");
    if (!gpci_power_of_two(banks) || !gpci_power_of_two(width) || banks * width < GPCI_SEGMENT ||
        banks * width < gpci_number(hierarchy, GPCI_KEY_L1_DATA_WIDTH))
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.data_banks = %" PRIu64 " of l1.data_bank_width = %" PRIu64
                         ": powers of two, and together l1.data_width or more, and 32 bytes or more",
                         banks, width);
    if (hierarchy->lane_packets || gpci_number(hierarchy, GPCI_KEY_L1_RELEASE_WIDTH))
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "l1.data_banks needs l1.coalescer = warp or sector, and no l1.release_width: an access reads "
                         "all of its words at once");
    return GPC_OK;
}

gpc_status gpci_check_l1_banks(const gpc_hierarchy *hierarchy, gpc_error *error) {
    const gpc_status status = check_tags(hierarchy, error);
    return status < 0 ? status : check_data(hierarchy, error);
}

static void by_bank(const gpci_tag_banks *banks, gpci_transaction *lines, uint32_t count) {
    gpci_transaction before[GPCI_MAX_TRANSACTIONS];
    uint16_t rounds[GPCI_MAX_TRANSACTIONS], of_bank[64] = {0}, in_round[GPCI_MAX_TRANSACTIONS + 1] = {0};
    for (uint32_t i = 0; i < count; i++) {
        rounds[i] = of_bank[gpci_tag_bank(banks, lines[i].address)]++;
        in_round[rounds[i] + 1]++;
    }
    if (in_round[1] == count)
        return;
    for (uint32_t round = 1; round <= count; round++) /* in_round: from number of lines to index of the first line */
        in_round[round] += in_round[round - 1];
    memcpy(before, lines, count * sizeof *lines);
    for (uint32_t i = 0; i < count; i++)
        lines[in_round[rounds[i]]++] = before[i];
}

void gpci_order_lines(gpci_line_order order, const gpci_tag_banks *banks, gpci_transaction *lines, uint32_t count) {
    if (order == GPCI_LINES_DESCEND)
        gpci_descend(lines, count);
    else if (order == GPCI_LINES_BY_BANK && count > 1)
        by_bank(banks, lines, count);
}
