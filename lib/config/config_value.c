/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "config/address_bits.h"
#include "config/config_object.h"
#include "registry/protocol_registry.h"
#include "registry/registry.h"
#include "registry/spec.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* State while reading a value: the trimmed text, and the destination. */
typedef struct reading {
    gpc_context *context;
    const gpc_key_info *key;
    const char *text;
    gpci_value *out;
    gpc_error *error;
} reading;

#define FAIL(r, status, format, ...) \
    gpci_fail((r)->error, status, "'%s' " format, gpci_quote((r)->text).text, __VA_ARGS__)

static gpc_status keep(const reading *setting, const char *canonical, uint64_t number) {
    char *copy = gpci_strdup(setting->context, canonical);
    if (!copy)
        return gpci_out_of_memory(setting->error);
    *setting->out = (gpci_value){.text = copy, .number = number, .owned = true};
    return GPC_OK;
}

/* Number of words of a list like "a|b|c". */
static size_t word_count(const char *words) {
    size_t n = *words != '\0';
    for (; *words; words++)
        n += *words == '|';
    return n;
}

static const char *word_start(const char *words, size_t index) {
    while (index--)
        words = strchr(words, '|') + 1;
    return words;
}

/* Position of the word `text` in a list like "a|b|c", or SIZE_MAX. */
static size_t word_find(const char *words, const char *text) {
    size_t length = strlen(text);
    for (size_t i = 0, n = word_count(words); i < n; i++) {
        const char *word = word_start(words, i);
        if (strcspn(word, "|") == length && !memcmp(word, text, length))
            return i;
    }
    return SIZE_MAX;
}

typedef struct words {
    char names[16][32];
} words;

static const char *name_at(const void *data, size_t index) {
    return ((const words *)data)->names[index];
}

static const char *nearest_word(const char *list, const char *text, words *room) {
    size_t n = word_count(list);
    for (size_t i = 0; i < n && i < 16; i++) {
        const char *word = word_start(list, i);
        snprintf(room->names[i], sizeof room->names[i], "%.*s", (int)strcspn(word, "|"), word);
    }
    return gpci_nearest(text, n < 16 ? n : 16, name_at, room);
}

static gpc_status read_choice(const reading *setting) {
    size_t position = word_find(setting->key->choices, setting->text);
    if (position != SIZE_MAX)
        return keep(setting, setting->text, position);
    words room;
    const char *nearest = nearest_word(setting->key->choices, setting->text, &room);
    return FAIL(setting, GPC_ERROR_FORMAT, "is none of %s%s%s%s", setting->key->choices,
                nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static const char *or_words(const gpc_key_info *key) {
    return *key->choices ? " or one of " : "";
}

static gpc_status check_range(const reading *setting, double value) {
    const gpc_key_info *key = setting->key;
    if (value >= key->minimum && value <= key->maximum)
        return GPC_OK;
    if (key->type == GPC_VALUE_SIZE || key->type == GPC_VALUE_SIZES) {
        char low[GPCI_SIZE_TEXT], high[GPCI_SIZE_TEXT];
        gpci_size_text((uint64_t)key->minimum, low);
        gpci_size_text((uint64_t)key->maximum, high);
        return FAIL(setting, GPC_ERROR_RANGE, "is not between %s and %s", low, high);
    }
    return FAIL(setting, GPC_ERROR_RANGE, "is not between %.15g and %.15g", key->minimum, key->maximum);
}

/* Append a digit to a number; false if the number does not fit. */
static bool add_digit(uint64_t *value, unsigned base, unsigned digit) {
    if (*value > (UINT64_MAX - digit) / base)
        return false;
    *value = *value * base + digit;
    return true;
}

static gpc_status read_count(const reading *setting) {
    static const char digits[] = "0123456789abcdef";
    bool hex = setting->text[0] == '0' && (setting->text[1] == 'x' || setting->text[1] == 'X');
    const char *at = setting->text + (hex ? 2 : 0);
    uint64_t value = 0;
    bool fits = true;
    for (const char *start = at;; at++) {
        char c = *at >= 'A' && *at <= 'F' ? (char)(*at - 'A' + 'a') : *at;
        const char *digit = c ? memchr(digits, c, hex ? 16 : 10) : NULL;
        if (digit) {
            fits = fits && add_digit(&value, hex ? 16 : 10, (unsigned)(digit - digits));
            continue;
        }
        if (c || at == start)
            return FAIL(setting, GPC_ERROR_FORMAT, "is not a whole number%s%s", or_words(setting->key),
                        setting->key->choices);
        break;
    }
    gpc_status status = check_range(setting, fits ? (double)value : HUGE_VAL);
    if (status < 0)
        return status;
    char canonical[32];
    snprintf(canonical, sizeof canonical, "%" PRIu64, value);
    return keep(setting, canonical, value);
}

static const struct {
    const char *name;
    unsigned shift;
} units[] = {{"", 0}, {"B", 0}, {"KiB", 10}, {"K", 10}, {"MiB", 20}, {"M", 20}, {"GiB", 30}, {"G", 30}};

void gpci_size_text(uint64_t bytes, char text[GPCI_SIZE_TEXT]) {
    static const char *const names[] = {"B", "KiB", "MiB", "GiB"};
    size_t unit = 0;
    while (bytes && bytes % 1024 == 0 && unit < 3) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, GPCI_SIZE_TEXT, "%" PRIu64 "%s", bytes, names[unit]);
}

/*
 * Compute f / 10^n of 2^shift bytes. The result is a whole number if f is a multiple of 5^n, and f / 5^n a multiple of
 * 2^(n - shift). False: not a whole number.
 */
static bool fraction_bytes(uint64_t f, unsigned n, unsigned shift, uint64_t *bytes) {
    for (unsigned i = 0; i < n; i++) {
        if (f % 5)
            return false;
        f /= 5;
    }
    if (n <= shift)
        *bytes = f << (shift - n);
    else if (f & (((uint64_t)1 << (n - shift)) - 1))
        return false;
    else
        *bytes = f >> (n - shift);
    return true;
}

/* Number at the beginning of a size, such as 1.5 of "1.5MiB". */
typedef struct size_digits {
    uint64_t whole, fraction;
    unsigned places; /* digits of the fraction */
    bool fits;       /* `whole` fits in 64 bits */
    bool brief;      /* the fraction has at most 18 digits, without trailing zeros; else `fraction` is 0 */
    const char *end; /* text behind the number */
} size_digits;

static size_digits read_size_digits(const char *text) {
    size_digits size = {.fits = true, .brief = true};
    size_t length = strspn(text, "0123456789");
    for (size_t i = 0; i < length; i++)
        size.fits = size.fits && add_digit(&size.whole, 10, (unsigned)(text[i] - '0'));
    size.end = text + length;
    size_t places = length && *size.end == '.' ? strspn(size.end + 1, "0123456789") : 0;
    if (!places)
        return size;
    const char *digits = size.end + 1;
    size.end = digits + places;
    while (places && digits[places - 1] == '0')
        places--;
    size.brief = places <= 18;
    size.places = size.brief ? (unsigned)places : 0;
    for (unsigned i = 0; i < size.places; i++)
        size.fraction = size.fraction * 10 + (unsigned)(digits[i] - '0');
    return size;
}

static gpc_status size_of(const reading *setting, uint64_t *out) {
    size_digits digits = read_size_digits(setting->text);
    if (digits.end == setting->text)
        return FAIL(setting, GPC_ERROR_FORMAT, "is not a size such as 256B, 16KiB or 1.5MiB%s%s",
                    or_words(setting->key), setting->key->choices);
    const char *unit = digits.end + strspn(digits.end, GPCI_BLANK);
    size_t i = 0;
    while (i < sizeof units / sizeof *units && strcmp(units[i].name, unit))
        i++;
    if (i == sizeof units / sizeof *units)
        return FAIL(setting, GPC_ERROR_FORMAT, "has the unit '%s': B, KiB, MiB and GiB are known",
                    gpci_quote(unit).text);
    unsigned shift = units[i].shift;
    uint64_t bytes = 0;
    if (!digits.brief || !fraction_bytes(digits.fraction, digits.places, shift, &bytes))
        return FAIL(setting, GPC_ERROR_FORMAT, "is not a whole number of %s", "bytes");
    bool fits = digits.fits && digits.whole <= (UINT64_MAX - bytes) >> shift;
    bytes += fits ? digits.whole << shift : 0;
    *out = bytes;
    return check_range(setting, fits ? (double)bytes : HUGE_VAL);
}

static gpc_status read_size(const reading *setting) {
    uint64_t bytes;
    gpc_status status = size_of(setting, &bytes);
    if (status < 0)
        return status;
    char canonical[GPCI_SIZE_TEXT];
    gpci_size_text(bytes, canonical);
    return keep(setting, canonical, bytes);
}

/* Write the canonical sizes of setting->text into `list`, which has GPCI_SIZE_TEXT bytes for each size. */
static gpc_status list_sizes(const reading *setting, char *list) {
    uint64_t last = 0;
    const char *at = setting->text;
    for (bool first = true; *at; first = false) {
        char word[80];
        size_t length = strcspn(at, GPCI_BLANK);
        snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : (int)sizeof word - 1, at);
        reading one = *setting;
        one.text = word;
        uint64_t bytes;
        gpc_status status = size_of(&one, &bytes);
        if (status < 0)
            return status;
        if (!first && bytes <= last)
            return FAIL(&one, GPC_ERROR_FORMAT, "is not larger than the size before %s", "it");
        last = bytes;
        if (!first)
            *list++ = ' ';
        gpci_size_text(bytes, list);
        list += strlen(list);
        at += length;
        at += strspn(at, GPCI_BLANK);
    }
    *list = '\0';
    return GPC_OK;
}

static gpc_status read_sizes(const reading *setting) {
    size_t count = 1;
    for (const char *at = setting->text; (at = strpbrk(at, GPCI_BLANK)); at++)
        count++;
    char *list = gpci_zalloc(setting->context, count, GPCI_SIZE_TEXT);
    if (!list)
        return gpci_out_of_memory(setting->error);
    gpc_status status = list_sizes(setting, list);
    if (status == GPC_OK)
        status = keep(setting, list, 0);
    gpci_free(setting->context, list);
    return status;
}

static gpc_status read_bool(const reading *setting) {
    size_t position = word_find("false|true|no|yes|off|on|0|1", setting->text);
    if (position == SIZE_MAX)
        return FAIL(setting, GPC_ERROR_FORMAT, "is neither %s", "true nor false (yes, no, on, off, 1, 0)");
    return keep(setting, position & 1 ? "true" : "false", position & 1);
}

/* Read a number with at most three decimals. The number of the value is in thousandths. */
static gpc_status read_number(const reading *setting) {
    double value;
    const char *end = gpci_read_decimal(setting->text, &value);
    if (end == setting->text || *end)
        return FAIL(setting, GPC_ERROR_FORMAT, "is not a number%s%s", or_words(setting->key), setting->key->choices);
    gpc_status status = check_range(setting, value);
    if (status < 0)
        return status;
    uint64_t thousandths = (uint64_t)(value * 1000 + 0.5);
    if (fabs((double)thousandths - value * 1000) > 1e-6)
        return FAIL(setting, GPC_ERROR_FORMAT, "has more than three %s", "decimals");
    char canonical[32];
    int length =
        snprintf(canonical, sizeof canonical, "%" PRIu64 ".%03u", thousandths / 1000, (unsigned)(thousandths % 1000));
    while (canonical[length - 1] == '0')
        canonical[--length] = '\0';
    if (canonical[length - 1] == '.')
        canonical[--length] = '\0';
    return keep(setting, canonical, thousandths);
}

/*
 * Append a spec to `to`: " + " unless the spec is the first, then `name` or `name(arguments)` without blanks between.
 */
static gpc_status add_canonical(const char *text, gpci_text *to, gpc_error *error) {
    gpci_spec spec;
    gpc_status status = gpci_spec_parse(text, &spec, error);
    if (status == GPC_OK)
        gpci_text_put(to, "%s%.*s%s%s%s", to->length ? " + " : "", (int)spec.name_length, spec.name,
                      spec.arguments[0] ? "(" : "", spec.arguments, spec.arguments[0] ? ")" : "");
    return status;
}

static gpc_status read_scheduler(const reading *setting) {
    char text[2 * GPCI_MAX_ARGUMENTS], canonical[2 * GPCI_MAX_ARGUMENTS], *parts[1 + GPCI_MAX_THROTTLES];
    gpci_text to = gpci_text_of(canonical, sizeof canonical);
    size_t count = 0;
    if (snprintf(text, sizeof text, "%s", setting->text) >= (int)(sizeof text / 2))
        return gpci_fail(setting->error, GPC_ERROR_RANGE, "'%.40s...' is longer than %u characters", setting->text,
                         GPCI_MAX_ARGUMENTS);
    gpc_status status = gpci_scheduler_check(setting->context, text, setting->error);
    if (status == GPC_OK)
        status = gpci_scheduler_parts(text, parts, &count, setting->error);
    for (size_t i = 0; i < count && status == GPC_OK; i++)
        status = add_canonical(parts[i], &to, setting->error);
    return status < 0 ? status : keep(setting, canonical, 0);
}

static gpc_status read_policy(const reading *setting) {
    if (!strcmp(setting->key->choices, "scheduler"))
        return read_scheduler(setting);
    if (!strcmp(setting->key->choices, "protocol")) {
        const gpc_protocol *protocol;
        if (!strcmp(setting->text, GPCI_VIPER)) /* no protocol of a tree: caches send no messages */
            return keep(setting, setting->text, 0);
        gpc_status found = gpci_protocol_named(setting->context, setting->text, setting->error, &protocol);
        return found < 0 ? found : keep(setting, protocol->name, 0);
    }
    gpc_policy_kind kind = !strcmp(setting->key->choices, "predictor")    ? GPC_POLICY_PREDICTOR
                           : !strcmp(setting->key->choices, "prefetcher") ? GPC_POLICY_PREFETCHER
                                                                          : GPC_POLICY_REPLACEMENT;
    char canonical[GPCI_MAX_ARGUMENTS + 72];
    gpci_text text = gpci_text_of(canonical, sizeof canonical);
    gpc_status status = gpci_policy_check(setting->context, kind, setting->text, setting->error);
    if (status == GPC_OK)
        status = add_canonical(setting->text, &text, setting->error);
    return status < 0 ? status : keep(setting, canonical, 0);
}

static gpc_status read_trimmed(const reading *setting) {
    gpc_value_type type = setting->key->type;
    bool words_allowed = type == GPC_VALUE_COUNT || type == GPC_VALUE_SIZE || type == GPC_VALUE_NUMBER;
    if (words_allowed && word_find(setting->key->choices, setting->text) != SIZE_MAX)
        return keep(setting, setting->text, GPCI_WORD);
    switch (type) {
    case GPC_VALUE_COUNT:
        return read_count(setting);
    case GPC_VALUE_SIZE:
        return read_size(setting);
    case GPC_VALUE_SIZES:
        return read_sizes(setting);
    case GPC_VALUE_BOOL:
        return read_bool(setting);
    case GPC_VALUE_CHOICE:
        return read_choice(setting);
    case GPC_VALUE_POLICY:
        return read_policy(setting);
    case GPC_VALUE_NUMBER:
        return read_number(setting);
    case GPC_VALUE_TEXT:
        break;
    }
    if (!strcmp(setting->key->choices, "mapping") && strcmp(setting->text, GPCI_NO_MAPPING) != 0) {
        gpci_address_bits bits;
        const gpc_status status = gpci_address_read(setting->text, &bits, setting->error);
        if (status < 0)
            return status;
    }
    return keep(setting, setting->text, 0);
}

gpc_status gpci_value_read(gpc_context *context, const gpc_key_info *key, const char *text, gpci_value *out,
                           gpc_error *error) {
    const char *end = text + strlen(text);
    gpci_trim(&text, &end);
    size_t length = (size_t)(end - text);
    char *trimmed = gpci_alloc(context, length + 1);
    if (!trimmed)
        return gpci_out_of_memory(error);
    memcpy(trimmed, text, length);
    trimmed[length] = '\0';
    reading setting = {context, key, trimmed, out, error};
    gpc_status status = read_trimmed(&setting);
    gpci_free(context, trimmed);
    return status;
}
