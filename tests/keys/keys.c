/* SPDX-License-Identifier: BSD-2-Clause */
#include "keys/keys.h"

#include "config/config.h"
#include "effort.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <string.h>

/* Sizes small enough for misses at every level. */
static const char machine[] = "sm.count = 4\nsm.blocks = 2\nl1.size = 2KiB\nl2.slices = 2\nl2.size = 16KiB\n"
                              "dram.channels = 2\nlaunch.cycles = 10\n";

typedef struct table {
    const key_row *rows;
    const size_t *count;
} table;

static const table tables[] = {{key_rows_sm, &key_rows_sm_count},
                               {key_rows_l1, &key_rows_l1_count},
                               {key_rows_l2, &key_rows_l2_count},
                               {key_rows_dram, &key_rows_dram_count},
                               {key_rows_run, &key_rows_run_count}};

#define TABLES (sizeof tables / sizeof *tables)

/* Outcome of prerequisites alone, kept for all keys with the same prerequisites. */
typedef struct base {
    const char *with;
    work work;
    outcome outcome;
} base;

typedef struct moving {
    works works;
    char protocol[32];
    bool timed;
    gpc_config *machine;
    base bases[256];
    size_t base_count;
    unsigned failures;
} moving;

static bool is_tree(const moving *m) {
    return strcmp(m->protocol, "none") != 0 && strcmp(m->protocol, "viper") != 0;
}

/* The machine with a row's prerequisites, and with `value` if not NULL; NULL for a text that is no value of the key. */
static gpc_config *configure(const moving *m, const key_row *row, const char *value, gpc_error *error) {
    gpc_config *config = NULL;
    cr_assert_eq(gpc_config_copy(m->machine, &config, error), GPC_OK);
    gpc_status status = row->with ? gpc_config_load_text(config, row->with, "with", error) : GPC_OK;
    cr_assert_eq(status, GPC_OK, "%s: %s", row->key, error->message);
    if (value && row->also)
        cr_assert_eq(gpc_config_load_text(config, row->also, "also", error), GPC_OK, "%s: %s", row->key,
                     error->message);
    if (value && gpc_config_set(config, row->key, value, error) < 0) {
        gpc_config_destroy(config);
        return NULL;
    }
    return config;
}

static void complain(moving *m, const key_row *row, const char *what, const char *message) {
    m->failures++;
    cr_expect_fail("coherence = %s, mode = %s: %s = %s %s%s%s", m->protocol, m->timed ? "timed" : "functional",
                   row->key, row->value, what, *message ? ": " : "", message);
}

static const outcome *base_of(moving *m, const key_row *row) {
    for (size_t i = 0; i < m->base_count; i++) {
        const base *b = &m->bases[i];
        if (b->work == row->work && !strcmp(b->with ? b->with : "", row->with ? row->with : ""))
            return &b->outcome;
    }
    cr_assert_lt(m->base_count, sizeof m->bases / sizeof *m->bases);
    base *b = &m->bases[m->base_count++];
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config = configure(m, row, NULL, &error);
    *b = (base){row->with, row->work, works_run(&m->works, config, row->work)};
    gpc_config_destroy(config);
    if (b->outcome.status == GPC_OK && b->outcome.end < 0)
        complain(m, row, "moves a workload that fails by itself", b->outcome.error.message);
    return &b->outcome;
}

typedef enum verdict { IDLE, EFFECT, REFUSED } verdict;

static verdict judge(moving *m, const key_row *row, const char *value) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config = configure(m, row, value, &error);
    if (!config) {
        complain(m, row, "is no value", error.message);
        return REFUSED;
    }
    const outcome after = works_run(&m->works, config, row->work);
    gpc_config_destroy(config);
    if (after.status == GPC_OK)
        return after.digest == base_of(m, row)->digest ? IDLE : EFFECT;
    if (!strstr(after.error.message, row->key))
        complain(m, row, "is refused without its name", after.error.message);
    return REFUSED;
}

/* Tell whether a key must act, or be refused, in the present mode and under the present protocol. */
static bool is_to_act(const moving *m, const key_row *row) {
    return row->kind == KEY_ANY || row->kind == (m->timed ? KEY_CLOCK : KEY_STEPS) ||
           (row->kind == KEY_BYTES && (m->timed || is_tree(m))) || (row->kind == KEY_COUNT && !is_tree(m));
}

/* Move a key; true: the key acts. A key without effect that is not refused by name is a failure. */
static bool move_key(moving *m, const key_row *row) {
    char values[256];
    verdict found = IDLE;
    if (row->kind == KEY_SELF || base_of(m, row)->status < 0) /* refused prerequisites refuse the key, too */
        return row->kind == KEY_SELF;
    snprintf(values, sizeof values, "%s", row->value);
    for (char *value = strtok(values, "|"); value && found == IDLE; value = strtok(NULL, "|"))
        found = judge(m, row, value);
    if (found == IDLE && is_to_act(m, row))
        complain(m, row, "has no effect", "");
    if (found == EFFECT && (row->kind == KEY_FREE || row->kind == (m->timed ? KEY_STEPS : KEY_CLOCK)))
        complain(m, row, "has an effect", "");
    return found == EFFECT;
}

static void open_machine(moving *m) {
    gpc_error error = GPC_ERROR_INIT;
    char text[128];
    cr_assert_eq(gpc_config_create(m->works.context, &m->machine, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(m->machine, machine, "machine", &error), GPC_OK, "%s", error.message);
    snprintf(text, sizeof text, "coherence = %s\nmode = %s\n", m->protocol, m->timed ? "timed" : "functional");
    cr_assert_eq(gpc_config_load_text(m->machine, text, "machine", &error), GPC_OK, "%s", error.message);
}

#define MOST_ROWS 512u

/* Pass over rows that are `done`; a row with an effect becomes done. */
static unsigned move_all(const char *protocol, bool timed, bool done[MOST_ROWS]) {
    static moving m;
    size_t row = 0;
    memset(&m, 0, sizeof m);
    works_open(&m.works);
    snprintf(m.protocol, sizeof m.protocol, "%s", protocol);
    m.timed = timed;
    open_machine(&m);
    for (size_t i = 0; i < TABLES; i++)
        for (size_t k = 0; k < *tables[i].count; k++, row++) {
            cr_assert_lt(row, MOST_ROWS);
            if (!done[row] && effort_takes(row))
                done[row] = move_key(&m, &tables[i].rows[k]);
        }
    gpc_config_destroy(m.machine);
    works_close(&m.works);
    return m.failures;
}

/* All registered protocols, and viper, whose rules are no table. */
ParameterizedTestParameters(keys, move) {
    static char all[64][32];
    size_t count = 0;
    gpc_context *context = NULL;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    gpc_policy_info info = GPC_POLICY_INFO_INIT;
    snprintf(all[count++], sizeof *all, "viper");
    for (size_t i = 0; gpc_policy_at(context, GPC_POLICY_PROTOCOL, i, &info, NULL) == GPC_OK && count < 64; i++)
        snprintf(all[count++], sizeof *all, "%s", info.name);
    gpc_context_destroy(context);
    return cr_make_param_array(char[32], all, count);
}

ParameterizedTest(char protocol[32], keys, move) {
    bool timed[MOST_ROWS] = {false}, functional[MOST_ROWS] = {false};
    const unsigned failures = move_all(protocol, true, timed) + move_all(protocol, false, functional);
    cr_assert_eq(failures, 0);
}

/* Each row acts under some protocol: prerequisites and workload fit the key. */
Test(keys, have_an_effect_somewhere) {
    static const char *const protocols[] = {"none", "nmoesi", "vi", "nmoesi-multi2sim"};
    bool done[MOST_ROWS] = {false};
    for (unsigned i = 0; i < 8; i++)
        cr_assert_eq(move_all(protocols[i / 2], i % 2 == 0, done), 0);
    size_t row = 0;
    for (size_t i = 0; i < TABLES; i++)
        for (size_t k = 0; k < *tables[i].count; k++, row++)
            cr_expect(done[row] || !effort_takes(row) || tables[i].rows[k].kind == KEY_FREE,
                      "%s has no effect anywhere", tables[i].rows[k].key);
}

static const key_row *row_of(const char *key) {
    for (size_t t = 0; t < TABLES; t++)
        for (size_t k = 0; k < *tables[t].count; k++)
            if (!strcmp(tables[t].rows[k].key, key))
                return &tables[t].rows[k];
    return NULL;
}

/* Each key has a row, and each row a key; rows and tables of keys agree about modes. */
Test(keys, are_all_in_the_table) {
    size_t rows = 0;
    gpc_key_info info = GPC_KEY_INFO_INIT;
    for (size_t i = 0; gpc_key_at(i, &info, NULL) == GPC_OK; i++) {
        size_t found = 0;
        for (size_t t = 0; t < TABLES; t++)
            for (size_t k = 0; k < *tables[t].count; k++)
                found += !strcmp(tables[t].rows[k].key, info.name);
        rows += found;
        cr_assert_geq(found, 1, "%s has no row in tests/keys", info.name);
    }
    for (gpci_key key = 0; key < GPCI_KEY_COUNT; key++) {
        const key_kind kind = row_of(gpci_key_name(key))->kind;
        cr_expect_eq(gpci_key_wants_mode(key, true), kind == KEY_CLOCK || kind == KEY_BYTES, "%s", gpci_key_name(key));
        cr_expect_eq(gpci_key_wants_mode(key, false), kind == KEY_STEPS, "%s", gpci_key_name(key));
    }
    for (size_t t = 0; t < TABLES; t++)
        for (size_t k = 0; k < *tables[t].count; k++)
            cr_expect(tables[t].rows[k].kind != KEY_FREE || tables[t].rows[k].why, "%s: why?", tables[t].rows[k].key);
    size_t all = 0;
    for (size_t t = 0; t < TABLES; t++)
        all += *tables[t].count;
    cr_expect_eq(rows, all, "a row of tests/keys is of no key");
}
