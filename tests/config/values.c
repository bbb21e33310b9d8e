/* SPDX-License-Identifier: BSD-2-Clause */
#include "golden.h"

#include <gpucache/ext/hierarchy.h>
#include <gpucache/gpucache.h>

#include <inttypes.h>

/*
 * Odd values of every key, in values.golden: a digest of the messages of refusals and of the values read back; then a
 * digest of what the creation of a hierarchy says about each accepted value, in both modes and in a tree, and the last
 * message.
 */

enum { ROOM = 1 << 17 };

static const char machine[] = "sm.count = 2\nl1.size = 2KiB\nl2.slices = 2\nl2.size = 16KiB\ndram.channels = 2\n";
static const char *const kinds[] = {"mode = functional\n", "mode = timed\n", "mode = timed\ncoherence = nmoesi\n"};
static const char *const odd[] = {
    "",     "0",   "1",     "3",         "7",  "12", "-1", "1.5",    "0x10",   "96B",
    "3KiB", "yes", "4 8 2", "1KiB 2KiB", "no", "x",  "x(", "x(y=1)", "lru, x", "18446744073709551616"};

typedef struct sums {
    gpc_context *context;
    uint64_t set, created;
    char last[1100];
} sums;

static void mix(uint64_t *sum, int64_t number, const char *text) {
    *sum = (*sum ^ (uint64_t)number) * 0x9e3779b97f4a7c15u;
    for (; *text; text++)
        *sum = (*sum ^ (uint8_t)*text) * 0x100000001b3u;
}

static void create(sums *s, const gpc_config *config) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy *hierarchy = NULL;
    const gpc_status status = gpc_hierarchy_create(s->context, config, &hierarchy, &error);
    mix(&s->created, status, status == GPC_OK ? "" : error.message);
    if (status != GPC_OK)
        snprintf(s->last, sizeof s->last, ": %s", error.message);
    gpc_hierarchy_destroy(hierarchy);
}

/* Set a value; with `creates` go on to hierarchies. */
static void try_value(sums *s, const char *key, const char *text, bool creates) {
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        gpc_error error = GPC_ERROR_INIT;
        gpc_config *config = NULL;
        const char *read = "";
        cr_assert_eq(gpc_config_create(s->context, &config, &error), GPC_OK);
        cr_assert_eq(gpc_config_load_text(config, machine, "machine", &error), GPC_OK, "%s", error.message);
        cr_assert_eq(gpc_config_load_text(config, kinds[kind], "kind", &error), GPC_OK, "%s", error.message);
        const gpc_status status = gpc_config_set(config, key, text, &error);
        cr_assert_eq(gpc_config_get(config, key, &read, NULL), GPC_OK);
        mix(&s->set, status, status == GPC_OK ? read : error.message);
        if (status == GPC_OK && creates)
            create(s, config);
        gpc_config_destroy(config);
        if (status != GPC_OK || !creates)
            break;
    }
}

static void try_number(sums *s, const char *key, double number, bool creates) {
    char text[32];
    snprintf(text, sizeof text, "%.0f", number);
    try_value(s, key, text, creates);
}

/* Words of `a|b|c`. */
static void try_choices(sums *s, const gpc_key_info *info) {
    for (const char *at = info->choices; *at; at += *at == '|') {
        char word[64];
        const size_t length = strcspn(at, "|");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        try_value(s, info->name, word, true);
        at += length;
    }
}

static void put_key(gpc_context *context, const gpc_key_info *info, char *text) {
    sums s = {.context = context, .set = 1, .created = 1};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        try_value(&s, info->name, odd[i], true);
    if (info->maximum > info->minimum) {
        try_number(&s, info->name, info->minimum, true);
        try_number(&s, info->name, info->maximum, false);
        try_number(&s, info->name, info->maximum + 1, false);
        try_number(&s, info->name, 2 * strtod(info->initial, NULL), true);
    }
    try_choices(&s, info);
    snprintf(text + strlen(text), ROOM - strlen(text), "%s: %08" PRIx32 " %08" PRIx32 "%s\n", info->name,
             (uint32_t)(s.set >> 32), (uint32_t)(s.created >> 32), s.last);
}

Test(config, values) {
    static char text[ROOM];
    gpc_context *context = NULL;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (size_t i = 0; i < gpc_key_count(); i++) {
        gpc_key_info info = GPC_KEY_INFO_INIT;
        cr_assert_eq(gpc_key_at(i, &info, NULL), GPC_OK);
        put_key(context, &info, text);
    }
    gpc_context_destroy(context);
    expect_golden("tests/config/values.golden", text);
}
