/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "config/address_bits.h"
#include "config/gpgpusim/gpgpusim_import.h"

#include <string.h>

/*
 * Address mapping: -gpgpu_mem_addr_mapping, or a mask without a mapping, and -gpgpu_memory_partition_indexing
 * (addrdec.cc). The keys l2.interleave and dram.mapping, the other form of mapping, get their defaults.
 */

/* Masks of linear_to_raw_address_translation::init; `from`: the bit of the channel. */
static const struct {
    uint8_t number, from;
    uint64_t bank, row, column;
} masks[] = {
    {0, 10, 0x300, 0x7ffe000, 0x1cff},  {1, 13, 0x1800, 0x7ffe000, 0x7ff},  {2, 11, 0x1800, 0x7ffe000, 0x7ff},
    {3, 11, 0x1800, 0xfffe000, 0x7ff},  {5, 5, 0x1800, 0x7ffe000, 0x7ff},   {6, 6, 0x1800, 0x7ffe000, 0x7ff},
    {14, 14, 0x1800, 0x7ffe000, 0x7ff}, {15, 15, 0x1800, 0x7ffe000, 0x7ff}, {16, 16, 0x1800, 0x7ffe000, 0x7ff},
    {100, 1, 0x3, 0x7ffe000, 0x1ffc},   {103, 3, 0x3, 0x7ffe000, 0x1ffc},   {106, 6, 0x1800, 0x7ffe000, 0x7ff},
    {160, 6, 0x300, 0x7ffe000, 0x1cff},
};

/* Write a mask as the text of a mapping. */
static gpc_status mapping_of_mask(const gpci_import *import, gpci_text *text) {
    const uint64_t number = GPCI_OPTION(MASK)->number;
    size_t i = 0;
    while (i < sizeof masks / sizeof *masks && masks[i].number != number)
        i++;
    if (i == sizeof masks / sizeof *masks)
        return gpci_import_refuse(import, GPCI_OPTION_MASK, GPC_ERROR_UNSUPPORTED,
                                  "is none of 0, 1, 2, 3, 5, 6, 14, 15, 16, 100, 103, 106 and 160");
    gpci_text_put(text, "dramid@%u;", masks[i].from);
    for (unsigned bit = 64; bit-- > 0;)
        gpci_text_put(text, "%c%s",
                      masks[i].bank >> bit & 1     ? 'B'
                      : masks[i].row >> bit & 1    ? 'R'
                      : masks[i].column >> bit & 1 ? 'C'
                                                   : '0',
                      bit && bit % 8 == 0 ? "." : "");
    return GPC_OK;
}

/* Check a mapping against the counts of channels and banks. */
static gpc_status check_counts(const gpci_import *import, gpci_option_id option, const char *text) {
    const uint64_t parts = gpci_import_now(import, GPCI_KEY_L2_PARTITIONS);
    const uint64_t channels = gpci_import_now(import, GPCI_KEY_DRAM_CHANNELS), banks = gpci_import_banks(import);
    gpci_address_bits bits;
    gpc_error reason = GPC_ERROR_INIT;
    gpc_status status = gpci_address_read(text, &bits, &reason);
    if (status == GPC_OK && channels % parts == 0)
        status = gpci_address_spread(&bits, (uint32_t)(channels / parts), &reason);
    if (status == GPC_OK && banks && (uint64_t)1 << gpci_popcount(bits.mask[GPCI_ADDRESS_BANK]) > banks)
        status = gpci_fail(&reason, GPC_ERROR_UNSUPPORTED, "has more banks than -gpgpu_dram_timing_opt");
    return status == GPC_OK ? GPC_OK : gpci_import_refuse(import, option, status, reason.message);
}

static gpc_status apply_mapping(const gpci_import *import) {
    static const gpci_key others[] = {GPCI_KEY_L2_INTERLEAVE, GPCI_KEY_L2_INTERLEAVE_BYTES, GPCI_KEY_DRAM_MAPPING,
                                      GPCI_KEY_DRAM_ROW};
    const gpci_option_id option = GPCI_OPTION(MAPPING)->given ? GPCI_OPTION_MAPPING : GPCI_OPTION_MASK;
    char of_mask[96];
    gpci_text text = gpci_text_of(of_mask, sizeof of_mask);
    gpc_status status = GPC_OK;
    if (!import->options[option].given)
        return GPC_OK;
    if (option == GPCI_OPTION_MASK)
        status = mapping_of_mask(import, &text);
    const char *mapping = option == GPCI_OPTION_MASK ? of_mask : GPCI_OPTION(MAPPING)->text;
    if (status == GPC_OK)
        status = gpci_import_set(import, option, GPCI_KEY_ADDRESS_MAPPING, mapping);
    if (status == GPC_OK)
        status = check_counts(import, option, mapping);
    for (size_t i = 0; i < sizeof others / sizeof *others && status == GPC_OK; i++)
        status = gpci_import_set(import, option, others[i], gpci_key_default(others[i]));
    return status == GPC_OK ? gpci_import_set(import, option, GPCI_KEY_DRAM_PSEUDO, "1") : status;
}

/*
 * Set address.indexing or l2.interleave. Numbers 0 to 5 of the option are, in addrdec.h, CONSECUTIVE,
 * BITWISE_PERMUTATION, IPOLY, PAE, RANDOM, CUSTOM. Number 6 is a fork's IPOLY for counts that are no power of two, here
 * the same as IPOLY. CUSTOM is for users to fill in, and has no effect upstream. Without a mapping l2.interleave takes
 * the number. For IPOLY with a count that is no power of two, a polynomial's hash is nearest.
 */
static gpc_status apply_indexing(const gpci_import *import) {
    static const char *const spreads[] = {"modulo", "xor", "ipoly", NULL, "random", "modulo", "hash"};
    static const char *const indexing[] = {"consecutive", "xor", "ipoly", "pae", "random", "consecutive", "ipoly"};
    const gpci_option *option = GPCI_OPTION(INDEXING);
    const uint64_t slices = gpci_import_now(import, GPCI_KEY_L2_SLICES),
                   channels = gpci_import_now(import, GPCI_KEY_DRAM_CHANNELS);
    if (!option->given)
        return GPC_OK;
    if (option->number >= sizeof spreads / sizeof *spreads)
        return gpci_import_refuse(import, GPCI_OPTION_INDEXING, GPC_ERROR_UNSUPPORTED, "is not in 0 to 6");
    if (!gpci_config_is_default(import->stage, GPCI_KEY_ADDRESS_MAPPING))
        return gpci_import_set(import, GPCI_OPTION_INDEXING, GPCI_KEY_ADDRESS_INDEXING, indexing[option->number]);
    if (!spreads[option->number])
        return gpci_import_refuse(import, GPCI_OPTION_INDEXING, GPC_ERROR_UNSUPPORTED,
                                  "(PAE) needs -gpgpu_mem_addr_mapping, whose rows and banks it takes");
    const bool even = gpci_power_of_two(slices) && gpci_power_of_two(channels);
    return gpci_import_set(import, GPCI_OPTION_INDEXING, GPCI_KEY_L2_INTERLEAVE,
                           option->number == 2 && !even ? "hash" : spreads[option->number]);
}

/* Take a bank's group from the higher or the lower bits of the bank. */
static gpc_status apply_groups(const gpci_import *import) {
    const gpci_option *option = GPCI_OPTION(DRAM_GROUPS);
    if (!option->given || gpci_config_is_default(import->stage, GPCI_KEY_ADDRESS_MAPPING))
        return GPC_OK;
    if (option->number > 1)
        return gpci_import_refuse(import, GPCI_OPTION_DRAM_GROUPS, GPC_ERROR_UNSUPPORTED,
                                  "is neither 0 (higher bits) nor 1 (lower bits)");
    return gpci_import_set(import, GPCI_OPTION_DRAM_GROUPS, GPCI_KEY_DRAM_GROUP_BITS, option->number ? "low" : "high");
}

gpc_status gpci_import_mapping(const gpci_import *import) {
    gpc_status status = apply_mapping(import);
    if (status == GPC_OK)
        status = apply_indexing(import);
    return status == GPC_OK ? apply_groups(import) : status;
}
