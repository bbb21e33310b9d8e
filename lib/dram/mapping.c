/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "config/address_bits.h"
#include "dram/dram_internal.h"

#include <string.h>

static const char *const names[GPCI_FIELD_COUNT] = {"row", "bank", "group", "pseudo", "column"};

/* A word of dram.mapping. */
typedef struct word {
    uint32_t field, bits;
    bool rest; /* the word has no number: its bits are the field's bits that no other word has */
} word;

static gpc_status refuse(const gpc_config *config, const char *why, const char *what, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_FORMAT, "%s = %s: %s%s", gpci_key_name(GPCI_KEY_DRAM_MAPPING),
                     gpci_quote(gpci_config_text(config, GPCI_KEY_DRAM_MAPPING)).text, what, why);
}

/* Read the word of `length` characters at `text`, "field" or "field:bits". False: the word is wrong. */
static bool read_word(const char *text, size_t length, word *out) {
    const char *colon = memchr(text, ':', length);
    size_t name = colon ? (size_t)(colon - text) : length;
    *out = (word){.rest = !colon};
    while (out->field < GPCI_FIELD_COUNT &&
           (strlen(names[out->field]) != name || memcmp(names[out->field], text, name) != 0))
        out->field++;
    for (size_t i = name + 1; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || out->bits > 9)
            return false;
        out->bits = out->bits * 10 + (uint32_t)(text[i] - '0');
    }
    return out->field < GPCI_FIELD_COUNT && (!colon || length > name + 1);
}

/* Read the words of dram.mapping, from the highest address bits down. Returns their number; -1: a word is wrong. */
static int read_words(const char *text, word words[16]) {
    int count = 0;
    for (text += strspn(text, GPCI_BLANK); *text; text += strspn(text, GPCI_BLANK)) {
        size_t length = strcspn(text, GPCI_BLANK);
        if (count == 16 || !read_word(text, length, &words[count]))
            return -1;
        count++;
        text += length;
    }
    return count;
}

/*
 * Compute the bits of words without a number. `bits`: number of bits that each field must have. False: the words of
 * field `*wrong` have another number of bits.
 */
static bool share_out(word *words, int count, const uint32_t bits[GPCI_FIELD_COUNT], uint32_t *wrong) {
    for (uint32_t field = 1; field < GPCI_FIELD_COUNT; field++) {
        uint32_t sum = 0;
        word *rest = NULL;
        *wrong = field;
        for (int i = 0; i < count; i++)
            if (words[i].field == field) {
                sum += words[i].bits;
                if (words[i].rest && rest)
                    return false;
                rest = words[i].rest ? &words[i] : rest;
            }
        if (rest ? sum > bits[field] : sum != bits[field])
            return false;
        if (rest)
            rest->bits = bits[field] - sum;
    }
    return true;
}

static void add_piece(gpci_dram_mapping *mapping, uint32_t field, uint32_t from, uint32_t bits, uint32_t to) {
    mapping->pieces[mapping->count + mapping->columns] =
        (gpci_dram_piece){(uint8_t)field, (uint8_t)from, (uint8_t)bits, (uint8_t)to};
    *(field == GPCI_FIELD_COLUMN ? &mapping->columns : &mapping->count) += 1;
}

static void add_mask(gpci_dram_mapping *mapping, uint32_t field, uint64_t mask) {
    for (uint32_t bits, to = 0; mask; to += bits) {
        const uint32_t from = gpci_lowest(mask);
        const uint64_t above = ~(mask >> from);
        bits = above ? gpci_lowest(above) : 64;
        add_piece(mapping, field, from, bits, to);
        mask &= ~(((bits < 64 ? (uint64_t)1 << bits : 0) - 1) << from);
    }
}

static gpc_status refuse_contradiction(const gpc_config *config, gpci_key key, const char *why, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_RANGE, "%s = %s: %s", gpci_key_name(key),
                     gpci_quote(gpci_config_text(config, key)).text, why);
}

/* Refuse dram. keys that contradict address.mapping, or that have no effect with address.mapping. */
static gpc_status check_mapped(const gpc_config *config, const gpci_dram_timing *timing, const gpci_address_bits *bits,
                               gpc_error *error) {
    const uint64_t row_bytes = gpci_config_number(config, GPCI_KEY_DRAM_ROW);
    const uint64_t line = gpci_config_number(config, GPCI_KEY_L2_LINE);
    const uint64_t *mask = bits->mask, used = mask[GPCI_ADDRESS_CHANNEL] | mask[GPCI_ADDRESS_BANK] |
                                              mask[GPCI_ADDRESS_ROW] | (uint64_t)bits->gap << bits->from;
    if (!gpci_config_is_default(config, GPCI_KEY_DRAM_MAPPING))
        return refuse_contradiction(config, GPCI_KEY_DRAM_MAPPING, "has no effect with address.mapping", error);
    if (timing->pseudo != 1)
        return refuse_contradiction(config, GPCI_KEY_DRAM_PSEUDO, "address.mapping knows none: must be 1", error);
    if (gpci_popcount(mask[GPCI_ADDRESS_BANK]) > gpci_log2((uint64_t)timing->groups * timing->group_banks))
        return refuse_contradiction(config, GPCI_KEY_ADDRESS_MAPPING,
                                    "has more banks than dram.bank_groups and dram.group_banks", error);
    if (row_bytes != GPCI_WORD && row_bytes != (uint64_t)1 << gpci_popcount(mask[GPCI_ADDRESS_COLUMN]))
        return refuse_contradiction(config, GPCI_KEY_DRAM_ROW, "contradicts the columns of address.mapping: auto",
                                    error);
    /* a burst longer than a line is a single request, at the address of the line */
    if (used && gpci_lowest(used) < gpci_log2(timing->burst_bytes) && gpci_lowest(used) < gpci_log2(line))
        return refuse_contradiction(config, GPCI_KEY_ADDRESS_MAPPING,
                                    "has a burst (dram.burst_bytes) in several places", error);
    return GPC_OK;
}

static gpc_status read_mapped(const gpc_config *config, const gpci_dram_timing *timing, const gpci_address_bits *bits,
                              gpc_error *error, gpci_dram_mapping *mapping) {
    const uint32_t bank_bits = gpci_log2((uint64_t)timing->groups * timing->group_banks);
    gpc_status status = check_mapped(config, timing, bits, error);
    if (status < 0)
        return status;
    *mapping = (gpci_dram_mapping){.bank_bits = bank_bits, .divides = bits->gap, .from = bits->from};
    if (bits->gap)
        mapping->channels = gpci_divisor_of(bits->channels);
    if (gpci_config_number(config, GPCI_KEY_DRAM_HASH))
        mapping->hash_mask = (1u << bank_bits) - 1;
    if (gpci_config_number(config, GPCI_KEY_DRAM_GROUP_BITS))
        mapping->rotation = gpci_log2(timing->groups);
    add_mask(mapping, GPCI_FIELD_BANK, bits->mask[GPCI_ADDRESS_BANK]);
    add_mask(mapping, GPCI_FIELD_ROW, bits->mask[GPCI_ADDRESS_ROW]);
    add_mask(mapping, GPCI_FIELD_COLUMN, bits->mask[GPCI_ADDRESS_COLUMN]);
    return GPC_OK;
}

/*
 * Add pieces for the words of dram.mapping, from the lowest address bits up: only column words if `columns`, or only
 * other words if not. Returns the first address bit of the row.
 */
static uint32_t add_words(gpci_dram_mapping *mapping, const word *words, int count, uint32_t burst_bits, bool columns) {
    uint32_t from = burst_bits, to[GPCI_FIELD_COUNT] = {[GPCI_FIELD_COLUMN] = burst_bits};
    for (int i = count - 1; i > 0; i--) {
        const uint32_t field = words[i].field;
        if ((field == GPCI_FIELD_COLUMN) == columns && words[i].bits)
            add_piece(mapping, field, from, words[i].bits, to[field]);
        to[field] += words[i].bits;
        from += words[i].bits;
    }
    return from;
}

static gpc_status read_by_words(const gpc_config *config, const gpci_dram_timing *timing, gpc_error *error,
                                gpci_dram_mapping *mapping) {
    word words[16];
    uint32_t wrong = 0;
    int count = read_words(gpci_config_text(config, GPCI_KEY_DRAM_MAPPING), words);
    const uint32_t bits[] = {0, gpci_log2(timing->group_banks), gpci_log2(timing->groups), gpci_log2(timing->pseudo),
                             gpci_log2(timing->row_bytes / timing->burst_bytes)};
    if (count < 0)
        return refuse(config, "is not a list of at most 16 of row, bank, group, pseudo, column, each with :bits", "",
                      error);
    int rows = 0;
    for (int i = 0; i < count; i++)
        rows += words[i].field == GPCI_FIELD_ROW;
    if (rows != 1 || words[0].field != GPCI_FIELD_ROW || !words[0].rest)
        return refuse(config, "must begin with row, all bits that are left, once", "", error);
    if (!share_out(words, count, bits, &wrong))
        return refuse(config, " has not the number of bits that its key gives it", names[wrong], error);
    *mapping = (gpci_dram_mapping){.bank_shift = bits[GPCI_FIELD_BANK]};
    if (gpci_config_number(config, GPCI_KEY_DRAM_HASH))
        mapping->hash_mask = timing->groups * timing->group_banks - 1;
    const uint32_t burst_bits = gpci_log2(timing->burst_bytes);
    const uint32_t row_from = add_words(mapping, words, count, burst_bits, false);
    add_piece(mapping, GPCI_FIELD_ROW, row_from, 64 - row_from, 0);
    add_words(mapping, words, count, burst_bits, true);
    add_piece(mapping, GPCI_FIELD_COLUMN, 0, burst_bits, 0);
    return GPC_OK;
}

gpc_status gpci_dram_mapping_read(const gpc_config *config, const gpci_dram_timing *timing, gpc_error *error,
                                  gpci_dram_mapping *mapping) {
    gpci_address_bits address;
    gpc_status status = gpci_address_of(config, &address, error);
    if (status < 0 || address.channels)
        return status < 0 ? status : read_mapped(config, timing, &address, error, mapping);
    if (!gpci_config_is_default(config, GPCI_KEY_DRAM_GROUP_BITS))
        return refuse_contradiction(config, GPCI_KEY_DRAM_GROUP_BITS,
                                    "has no effect without address.mapping: dram.mapping", error);
    return read_by_words(config, timing, error, mapping);
}
