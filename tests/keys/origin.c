/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* A key without effect is refused if the host has set the key, and told in the log if a preset has. */

typedef struct told {
    gpc_context *context;
    gpc_config *config;
    gpc_error error;
    char log[4096];
} told;

static void remember(void *user_data, gpc_log_level level, const char *message) {
    char *log = user_data;
    const size_t length = strlen(log);
    cr_expect_eq(level, GPC_LOG_INFO);
    snprintf(log + length, sizeof((told *)NULL)->log - length, "%s\n", message);
}

static void open_told(told *t, const char *text) {
    *t = (told){.error = GPC_ERROR_INIT};
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    options.log = remember;
    options.log_data = t->log;
    cr_assert_eq(gpc_context_create(&options, &t->context, &t->error), GPC_OK);
    cr_assert_eq(gpc_config_create(t->context, &t->config, &t->error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(t->config, text, "text", &t->error), GPC_OK, "%s", t->error.message);
}

static void close_told(told *t) {
    gpc_config_destroy(t->config);
    gpc_context_destroy(t->context);
}

static gpc_status make(told *t) {
    gpc_hierarchy *h = NULL;
    *t->log = '\0';
    const gpc_status status = gpc_hierarchy_create(t->context, t->config, &h, &t->error);
    gpc_hierarchy_destroy(h);
    return status;
}

#define KEPLER "preset = kepler\ncoherence = nmoesi\nsm.count = 2\n"

Test(key_origin, a_presets_value_is_told) {
    told t;
    open_told(&t, KEPLER);
    cr_assert_eq(make(&t), GPC_OK, "%s", t.error.message);
    cr_expect(strstr(t.log, "l2.banks = 32 has no effect with coherence = nmoesi"), "%s", t.log);
    cr_assert_eq(gpc_config_set(t.config, "coherence", "none", &t.error), GPC_OK);
    cr_assert_eq(make(&t), GPC_OK, "%s", t.error.message);
    cr_expect_str_eq(t.log, "");
    close_told(&t);
}

Test(key_origin, a_hosts_value_is_refused) {
    static const char *const texts[] = {KEPLER "l2.banks = 16\n", KEPLER "include = /dev/null\nl2.banks = 16\n"};
    for (unsigned i = 0; i < 4; i++) {
        told t;
        gpc_config *copy;
        open_told(&t, i < 2 ? texts[i] : KEPLER);
        if (i == 2)
            cr_assert_eq(gpc_config_set(t.config, "l2.banks", "16", &t.error), GPC_OK);
        if (i == 3)
            cr_assert_eq(gpc_config_set_pair(t.config, "l2.banks = 16", &t.error), GPC_OK);
        cr_expect_eq(make(&t), GPC_ERROR_RANGE);
        cr_expect(strstr(t.error.message, "coherence = nmoesi needs l2.banks = 1, not 16"), "%s", t.error.message);
        cr_assert_eq(gpc_config_copy(t.config, &copy, &t.error), GPC_OK);
        gpc_config_destroy(t.config);
        t.config = copy;
        cr_expect_eq(make(&t), GPC_ERROR_RANGE, "a copy knows it");
        cr_assert_eq(gpc_config_load_preset(t.config, "kepler", &t.error), GPC_OK);
        cr_assert_eq(gpc_config_set(t.config, "coherence", "nmoesi", &t.error), GPC_OK);
        cr_expect_eq(make(&t), GPC_OK, "a preset's value is none of the host's: %s", t.error.message);
        close_told(&t);
    }
}

Test(key_origin, a_default_is_no_value_of_anybody) {
    told t;
    open_told(&t, "coherence = nmoesi\nl2.banks = 1\nl1.write_policy = back\n");
    cr_expect_eq(make(&t), GPC_OK, "%s", t.error.message);
    cr_expect_str_eq(t.log, "");
    cr_assert_eq(gpc_config_load_text(t.config, "coherence = none\ncluster.sms = 2\n", "text", &t.error), GPC_OK);
    cr_expect_eq(make(&t), GPC_ERROR_RANGE);
    cr_expect_str_eq(t.error.message,
                     "cluster.sms = 2 has no effect with coherence = none: only trees of coherent modules have that");
    close_told(&t);
}

Test(key_origin, the_other_modes_keys_are_told) {
    told t;
    open_told(&t, "preset = kepler\nl1.latency = 7\n");
    cr_assert_eq(make(&t), GPC_OK, "%s", t.error.message);
    cr_expect_str_eq(t.log, "l1.latency = 7 has no effect with mode = functional\n");
    cr_assert_eq(gpc_config_load_text(t.config, "mode = timed\nwarps.order = block\n", "text", &t.error), GPC_OK);
    cr_assert_eq(make(&t), GPC_OK, "%s", t.error.message);
    cr_expect_str_eq(t.log, "warps.order = block has no effect with mode = timed\n");
    close_told(&t);
}

/* Settings of a part are told while the part is not there, and not once it is. */
Test(key_origin, keys_of_a_missing_part_are_told) {
    static const struct {
        const char *set, *with, *built;
    } rows[] = {
        {"l15.latency = 7", "l15.size = 0B", "l15.size = 2KiB"},
        {"const.ways = 4", "const.size = 0B", "const.size = 1KiB"},
        {"port.latency = 9", "ports = 0", "ports = 1"},
        {"lrc.merges = 2", "lrc.sms = 0", "lrc.sms = 2"},
        {"l2.atomic_lanes = 4", "l2.atomic_cycles = 0", "l2.atomic_cycles = 2"},
        {"l1.prefetch_queue = 3", "l1.prefetcher = none", "l1.prefetcher = next-line"},
        {"l1.combine_cycles = 3", "l1.combine_lines = 0", "l1.combine_lines = 2"},
        {"l1i.ways = 2", "l1i.size = 0B", "l1i.size = 2KiB"},
        {"dram.fixed_latency = 7", "dram.model = timing", "dram.model = fixed"},
        {"dram.trcd = 30", "dram.model = fixed", "dram.model = timing"},
        {"gpu.link_latency = 5", "gpu.count = 1", NULL},
        {"page.bytes = 4KiB", "gpu.count = 1", NULL},
        {"l2.link_latency = 5", "l2.partitions = 1", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        told t;
        char text[200], expected[200];
        snprintf(text, sizeof text, "mode = timed\nsm.count = 2\n%s\n%s\n", rows[i].with, rows[i].set);
        open_told(&t, text);
        cr_assert_eq(make(&t), GPC_OK, "%s: %s", rows[i].set, t.error.message);
        snprintf(expected, sizeof expected, "%s has no effect with %s\n", rows[i].set, rows[i].with);
        cr_expect_str_eq(t.log, expected);
        t.log[0] = 0;
        if (rows[i].built) {
            cr_assert_eq(gpc_config_load_text(t.config, rows[i].built, "text", &t.error), GPC_OK);
            cr_assert_eq(make(&t), GPC_OK, "%s: %s", rows[i].built, t.error.message);
            cr_expect_str_eq(t.log, "");
        }
        close_told(&t);
    }
}

/* Values in a snapshot are no host's own. */
Test(key_origin, a_snapshot_loads) {
    told t;
    gpc_hierarchy *h, *copy;
    open_told(&t, KEPLER);
    cr_assert_eq(gpc_hierarchy_create(t.context, t.config, &h, &t.error), GPC_OK, "%s", t.error.message);
    cr_assert_eq(gpc_hierarchy_copy(h, &copy, &t.error), GPC_OK, "%s", t.error.message);
    gpc_hierarchy_destroy(copy);
    gpc_hierarchy_destroy(h);
    close_told(&t);
}
