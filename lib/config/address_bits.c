/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/address_bits.h"

#include "base/text.h"

#include <string.h>

#define MOST_FROM 40u /* largest n of dramid@n */

/* Read the beginning `dramid@8;` of a text, if present, into `out`. Returns the rest of the text; NULL: malformed. */
static const char *read_dramid(const char *text, gpci_address_bits *out) {
    static const char name[] = "dramid@";
    if (strncmp(text, name, sizeof name - 1) != 0)
        return text;
    const char *at = text + sizeof name - 1;
    for (; *at >= '0' && *at <= '9' && out->from <= MOST_FROM; at++)
        out->from = out->from * 10 + (uint32_t)(*at - '0');
    out->dramid = true;
    return out->from && out->from <= MOST_FROM && *at == ';' ? at + 1 : NULL;
}

/* Field that a letter stands for; GPCI_ADDRESS_FIELDS: the letter stands for no field. */
static unsigned field_of(char letter) {
    static const char letters[] = "DdBbRrCcSs"; /* in the order of gpci_address_field; S is a column, as C */
    const char *found = strchr(letters, letter);
    const unsigned field = found ? (unsigned)(found - letters) / 2 : GPCI_ADDRESS_FIELDS;
    return found && field > GPCI_ADDRESS_COLUMN ? GPCI_ADDRESS_COLUMN : field;
}

gpc_status gpci_address_read(const char *text, gpci_address_bits *out, gpc_error *error) {
    *out = (gpci_address_bits){.channels = 0};
    const char *at = read_dramid(text, out);
    unsigned bits = 0;
    if (!at)
        return gpci_fail(error, GPC_ERROR_FORMAT, "dramid@ is not followed by a bit from 1 to %u and ';'", MOST_FROM);
    for (; *at; at++) {
        if (strchr(".| ", *at))
            continue;
        const unsigned field = field_of(*at);
        if (field == GPCI_ADDRESS_FIELDS && *at != '0')
            return gpci_fail(error, GPC_ERROR_FORMAT, "'%c' is none of the letters R, B, C, S, D, 0, '.', '|'",
                             *at > ' ' && *at < 127 ? *at : '?');
        if (++bits <= 64 && field < GPCI_ADDRESS_FIELDS)
            out->mask[field] |= (uint64_t)1 << (64 - bits);
    }
    if (bits != 64)
        return gpci_fail(error, GPC_ERROR_FORMAT, "has %u bits, not 64", bits);
    if (out->dramid && out->mask[GPCI_ADDRESS_CHANNEL])
        return gpci_fail(error, GPC_ERROR_FORMAT, "has the channel twice: dramid@, and letters D");
    return GPC_OK;
}

gpc_status gpci_address_spread(gpci_address_bits *bits, uint32_t channels, gpc_error *error) {
    const bool even = gpci_power_of_two(channels);
    const uint32_t c = even ? gpci_log2(channels) : 0, letters = gpci_popcount(bits->mask[GPCI_ADDRESS_CHANNEL]);
    bits->channels = channels;
    bits->gap = !even;
    if (!bits->dramid && !even)
        return gpci_fail(error, GPC_ERROR_RANGE,
                         "letters D say one of a power of two of channels, not of %u: dramid@ does", channels);
    if (!bits->dramid && letters != c)
        return gpci_fail(error, GPC_ERROR_RANGE, "has %u letters D, and %u channels need %u", letters, channels, c);
    if (!bits->dramid || bits->gap)
        return GPC_OK;
    const uint64_t below = ((uint64_t)1 << bits->from) - 1;
    for (unsigned f = 0; f < GPCI_ADDRESS_FIELDS; f++)
        bits->mask[f] = (bits->mask[f] & ~below) << c | (bits->mask[f] & below);
    bits->mask[GPCI_ADDRESS_CHANNEL] = (((uint64_t)1 << c) - 1) << bits->from;
    return GPC_OK;
}

static gpc_status refuse(const gpc_config *config, gpci_key key, gpc_status status, const char *why, gpc_error *error) {
    return gpci_fail(error, status, "%s = %s: %s", gpci_key_name(key), gpci_quote(gpci_config_text(config, key)).text,
                     why);
}

gpc_status gpci_address_of(const gpc_config *config, gpci_address_bits *out, gpc_error *error) {
    const char *text = gpci_config_text(config, GPCI_KEY_ADDRESS_MAPPING);
    const uint64_t parts = gpci_config_number(config, GPCI_KEY_L2_PARTITIONS);
    const uint64_t channels = gpci_config_number(config, GPCI_KEY_DRAM_CHANNELS);
    gpc_error detail = GPC_ERROR_INIT;
    *out = (gpci_address_bits){.channels = 0};
    if (!strcmp(text, GPCI_NO_MAPPING))
        return GPC_OK;
    if (channels % parts)
        return refuse(config, GPCI_KEY_DRAM_CHANNELS, GPC_ERROR_RANGE,
                      "with address.mapping, must be a multiple of l2.partitions", error);
    gpc_status status = gpci_address_read(text, out, &detail);
    if (status == GPC_OK)
        status = gpci_address_spread(out, (uint32_t)(channels / parts), &detail);
    return status == GPC_OK ? GPC_OK : refuse(config, GPCI_KEY_ADDRESS_MAPPING, status, detail.message, error);
}
