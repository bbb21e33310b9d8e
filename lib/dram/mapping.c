/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "dram/dram_internal.h"

#include <string.h>

static const char *const names[GPCI_FIELD_COUNT] = {"row", "bank", "group", "pseudo", "column"};

/* A word of dram.mapping. */
typedef struct word {
    uint32_t field, bits;
    bool rest; /* no number: all bits that the field's other words leave */
} word;

static gpc_status refuse(const gpc_config *config, const char *why, const char *what, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_FORMAT, "%s = %s: %s%s", gpci_key_name(GPCI_KEY_DRAM_MAPPING),
                     gpci_quote(gpci_config_text(config, GPCI_KEY_DRAM_MAPPING)).text, what, why);
}

/* One word at `text`, `length` long. */
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

/* Words from the highest address bits down; -1 where one is not understood. */
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

/* Give the words without a number their bits; false where a field then has not its own. */
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

gpc_status gpci_dram_mapping_read(const gpc_config *config, const gpci_dram_timing *timing, gpc_error *error,
                                  gpci_dram_mapping *mapping) {
    word words[16];
    uint32_t wrong = 0, to[GPCI_FIELD_COUNT] = {0}, from = gpci_log2(timing->burst_bytes);
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
    for (int i = count - 1; i > 0; i--) {
        uint32_t field = words[i].field;
        if (field != GPCI_FIELD_COLUMN && words[i].bits)
            mapping->pieces[mapping->count++] =
                (gpci_dram_piece){(uint8_t)field, (uint8_t)from, (uint8_t)words[i].bits, (uint8_t)to[field]};
        to[field] += words[i].bits;
        from += words[i].bits;
    }
    mapping->pieces[mapping->count++] = (gpci_dram_piece){GPCI_FIELD_ROW, (uint8_t)from, (uint8_t)(64 - from), 0};
    return GPC_OK;
}
