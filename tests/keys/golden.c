/* SPDX-License-Identifier: BSD-2-Clause */
#include "keys/keys.h"

#include "effort.h"
#include "golden.h"
#include "torture/torture.h"

#include <inttypes.h>

/*
 * Numbers of small machines, one per moved key and for some keys together, in the files of golden/: the last cycle, and
 * a digest of all events, statuses, completions, counters and lines. A random program of tests/torture runs on every
 * machine. A run that is saved or copied on the way, or has two threads, has equal numbers. Replays have a digest per
 * mode.
 */

enum { ROOM = 1 << 17, OPERATIONS = 48, TOGETHER = 160, MACHINES = 1000, MACHINES_END = 1120, PRESETS = 2000 };

static const char machine[] = "sm.count = 4\nsm.blocks = 2\nl1.size = 2KiB\nl2.slices = 2\nl2.size = 16KiB\n"
                              "dram.channels = 2\nlaunch.cycles = 10\n";

static const char *const protocols[] = {"viper", "slc-glc", "nmoesi", "vi",   "hmg",     "mesi",
                                        "msi",   "moesi",   "mesif",  "mosi", "nmoesi-d"};
#define PROTOCOLS (sizeof protocols / sizeof *protocols)

/* Machines of other sizes, for seeds from MACHINES on; from PRESETS on the presets. */
static const char *const machines[] = {
    "sm.count = 1\nl1.size = 512B\nl1.ways = 1\nl2.slices = 1\nl2.size = 2KiB\nl2.ways = 1\ndram.channels = 1\n",
    "sm.count = 70\nl1.size = 1KiB\nl2.slices = 10\nl2.size = 20KiB\nl2.ways = 2\ndram.channels = 5\n",
    "sm.count = 5\nl1.size = 3KiB\nl1.ways = 6\nl2.slices = 3\nl2.size = 15KiB\nl2.ways = 5\ndram.channels = 3\n",
    "sm.count = 6\nl1.size = 128KiB\nl2.slices = 6\nl2.size = 384KiB\ndram.channels = 6\nlaunch.cycles = 0\n",
};

/* FNV-1a. A row keeps its numbers while rows are added elsewhere. */
static uint64_t hash(uint64_t sum, const char *text) {
    for (; *text; text++)
        sum = (sum ^ (uint8_t)*text) * 0x100000001b3u;
    return sum;
}

static uint64_t hash_row(uint64_t seed, const key_row *row) {
    const dice d = {hash(hash(hash(0xcbf29ce484222325u + seed, row->key), row->value), row->with ? row->with : "")};
    dice copy = d;
    return dice_next(&copy);
}

/* Settings of a text, `key = value` in every line. */
static void set_all(torture_case *c, const char *text) {
    char copy[1024], *rest = copy;
    snprintf(copy, sizeof copy, "%s", text ? text : "");
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *equals = strstr(line, " = ");
        cr_assert_not_null(equals, "%s", line);
        *equals = '\0';
        case_set(c, line, equals + 3, true);
    }
}

static void set_row(torture_case *c, const key_row *row) {
    char value[128];
    snprintf(value, sizeof value, "%.*s", (int)strcspn(row->value, "|"), row->value);
    set_all(c, row->with);
    set_all(c, row->also);
    case_set(c, row->key, value, true);
}

static bool is_accepted(gpc_context *context, const torture_case *c) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy *h = NULL;
    gpc_config *config = case_config(context, c, NULL, &error);
    const bool accepted = config && gpc_hierarchy_create(context, config, &h, &error) == GPC_OK;
    gpc_hierarchy_destroy(h);
    gpc_config_destroy(config);
    return accepted;
}

/* Rows without a separate run: modes of running a hierarchy, and limits of a run. */
static bool is_apart(const key_row *row) {
    static const char *const keys[] = {"mode", "threads", "deadlock.cycles", "limit.cycles"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(row->key, keys[i]))
            return true;
    return row->kind == KEY_STEPS;
}

static uint64_t digest_of(const record *r) {
    record sum = {.told = r->told};
    for (size_t i = 0; i < r->word_count; i++)
        record_tell(&sum, r->words[i]);
    for (size_t i = 0; i < r->count; i++) {
        const done *d = &r->list[i];
        const uint64_t fields[] = {d->token, d->issued, d->cycle, d->values, d->stages, d->sm,
                                   d->warp,  d->kind,   d->level, d->fence,  d->port};
        for (size_t n = 0; n < sizeof fields / sizeof *fields; n++)
            record_tell(&sum, fields[n]);
    }
    return sum.told;
}

/* Expects equal numbers of a run in another way. */
static void compare(const torture_case *c, const record *a, const record *b, torture_way how, const char *name) {
    cr_expect_eq(a->end, b->end, "%s, program %" PRIx64 ": ends at %" PRIu64 ", %s at %" PRIu64, name, c->seed, a->end,
                 way_names[how], b->end);
    cr_expect(how == WAY_THREADS ||
                  (a->count == b->count && (!a->count || !memcmp(a->list, b->list, a->count * sizeof *a->list))),
              "%s, program %" PRIx64 ", %s: other completions", name, c->seed, way_names[how]);
    cr_expect(a->word_count == b->word_count && !memcmp(a->words, b->words, a->word_count * sizeof *a->words),
              "%s, program %" PRIx64 ", %s: other counters or lines", name, c->seed, way_names[how]);
}

/* Run a case and add its numbers to a text. */
static void put_case(gpc_context *context, torture_case *c, const char *name, char *text) {
    const torture_options options = {.operations = OPERATIONS, .plain = true};
    static const torture_way ways[] = {WAY_SAVED, WAY_COPIED, WAY_THREADS};
    record traced = {0}, broken = {0};
    failure f = {0};
    draw_program(&options, c);
    c->cut = (unsigned)(c->seed / 3 % OPERATIONS);
    const torture_way how = ways[c->seed % (c->manners.memory ? 2 : 3)];
    run_case(context, c, WAY_TRACE, NULL, FAULT_NONE, &traced, &f);
    if (!f.failed)
        run_case(context, c, how, how == WAY_THREADS ? "2" : NULL, FAULT_NONE, &broken, &f);
    cr_expect(!f.failed, "%s: %s", name, f.text);
    if (broken.word_count) /* threads are refused with some settings */
        compare(c, &traced, &broken, how, name);
    snprintf(text + strlen(text), ROOM - strlen(text), " %s %" PRIu64 " %08" PRIx32, name, traced.end,
             (uint32_t)digest_of(&traced));
    record_free(&traced);
    record_free(&broken);
    case_free(c);
}

/* A row under a protocol; false: the hierarchy refuses the row. */
static bool put_row(gpc_context *context, const key_row *row, const char *protocol, char *text) {
    torture_case *c = calloc(1, sizeof *c);
    cr_assert_not_null(c);
    c->seed = hash_row(0, row);
    set_all(c, machine);
    case_set(c, "coherence", protocol, true);
    set_row(c, row);
    const bool accepted = is_accepted(context, c);
    if (accepted)
        put_case(context, c, protocol, text);
    free(c);
    return accepted;
}

static void expect_rows(const key_row *rows, size_t count, const char *name) {
    static char text[ROOM];
    char path[64];
    gpc_context *context = NULL;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (size_t i = 0; i < count; i++) {
        const uint64_t first = hash_row(1, &rows[i]) % PROTOCOLS;
        if (is_apart(&rows[i]))
            continue;
        snprintf(text + strlen(text), ROOM - strlen(text), "%s = %s:", rows[i].key, rows[i].value);
        bool accepted = put_row(context, &rows[i], "none", text);
        for (uint64_t n = 0; n < PROTOCOLS; n++)
            if (put_row(context, &rows[i], protocols[(first + n) % PROTOCOLS], text)) {
                accepted = true;
                break;
            }
        strcat(text, accepted ? "\n" : " refused\n");
    }
    snprintf(path, sizeof path, "tests/keys/golden/%s.golden", name);
    expect_golden(path, text);
    gpc_context_destroy(context);
}

/* The digest of a row's workload under a protocol, with a clock and without. */
static void put_work(works *w, const key_row *row, const char *protocol, char *text) {
    torture_case *c = calloc(1, sizeof *c);
    cr_assert_not_null(c);
    set_all(c, machine);
    case_set(c, "coherence", protocol, true);
    set_row(c, row);
    for (unsigned timed = 0; timed < 2; timed++) {
        gpc_error error = GPC_ERROR_INIT;
        gpc_config *config = case_config(w->context, c, NULL, &error);
        if (!config || gpc_config_set(config, "mode", timed ? "timed" : "functional", &error) != GPC_OK) {
            strcat(text, " -");
        } else {
            const outcome o = works_run(w, config, row->work);
            w->pause = 1 + hash_row(timed, row) % (timed ? 2000 : 60);
            const outcome loaded = works_run(w, config, row->work);
            w->pause = 0;
            cr_expect_eq(o.digest, loaded.digest, "%s = %s, %s: other numbers after a snapshot", row->key, row->value,
                         protocol);
            snprintf(text + strlen(text), ROOM - strlen(text), o.status == GPC_OK ? " %08" PRIx32 : " refused",
                     (uint32_t)(o.digest ^ o.digest >> 32));
        }
        gpc_config_destroy(config);
    }
    free(c);
}

static void expect_works(const key_row *rows, size_t count, const char *name) {
    static char text[ROOM];
    char path[64];
    works w;
    works_open(&w);
    w.deep = true;
    for (size_t i = 0; i < count; i++) {
        const char *protocol = protocols[hash_row(1, &rows[i]) % PROTOCOLS];
        if (is_apart(&rows[i]) && rows[i].kind != KEY_STEPS)
            continue;
        snprintf(text + strlen(text), ROOM - strlen(text), "%s = %s: none", rows[i].key, rows[i].value);
        put_work(&w, &rows[i], "none", text);
        snprintf(text + strlen(text), ROOM - strlen(text), ", %s", protocol);
        put_work(&w, &rows[i], protocol, text);
        strcat(text, "\n");
    }
    snprintf(path, sizeof path, "tests/keys/golden/%s-works.golden", name);
    expect_golden(path, text);
    works_close(&w);
}

Test(golden, sm) {
    expect_rows(key_rows_sm, key_rows_sm_count, "sm");
}

Test(golden, sm_works) {
    expect_works(key_rows_sm, key_rows_sm_count, "sm");
}

Test(golden, l1) {
    expect_rows(key_rows_l1, key_rows_l1_count, "l1");
}

Test(golden, l1_works) {
    expect_works(key_rows_l1, key_rows_l1_count, "l1");
}

Test(golden, l2) {
    expect_rows(key_rows_l2, key_rows_l2_count, "l2");
}

Test(golden, l2_works) {
    expect_works(key_rows_l2, key_rows_l2_count, "l2");
}

Test(golden, dram) {
    expect_rows(key_rows_dram, key_rows_dram_count, "dram");
}

Test(golden, dram_works) {
    expect_works(key_rows_dram, key_rows_dram_count, "dram");
}

Test(golden, run) {
    expect_rows(key_rows_run, key_rows_run_count, "run");
}

Test(golden, run_works) {
    expect_works(key_rows_run, key_rows_run_count, "run");
}

/* Adds a table's share of the rows to a case, as far as the hierarchy accepts them: of all tables about eight. */
static void add_rows(gpc_context *context, torture_case *c, uint64_t seed, const key_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (hash_row(seed, &rows[i]) % 48 || is_apart(&rows[i]))
            continue;
        torture_case before = *c;
        set_row(c, &rows[i]);
        if (!is_accepted(context, c))
            *c = before;
    }
}

static void set_preset(torture_case *c, size_t at) {
    const char *name = NULL;
    cr_assert_eq(gpc_preset_at(at, &name, NULL, NULL), GPC_OK);
    case_set(c, "preset", name, true);
}

void keys_draw(gpc_context *context, torture_case *c, uint64_t seed) {
    memset(c, 0, sizeof *c);
    c->seed = seed;
    if (seed >= PRESETS)
        set_preset(c, seed - PRESETS);
    else
        set_all(c, seed < MACHINES ? machine : machines[seed % (sizeof machines / sizeof *machines)]);
    const unsigned bare = c->setting_count;
    case_set(c, "coherence", seed % 2 ? protocols[seed / 2 % PROTOCOLS] : "none", true);
    if (!is_accepted(context, c))
        c->setting_count = bare;
    add_rows(context, c, seed, key_rows_sm, key_rows_sm_count);
    add_rows(context, c, seed, key_rows_l1, key_rows_l1_count);
    add_rows(context, c, seed, key_rows_l2, key_rows_l2_count);
    add_rows(context, c, seed, key_rows_dram, key_rows_dram_count);
    add_rows(context, c, seed, key_rows_run, key_rows_run_count);
}

/* Numbers of drawn machines. */
static void expect_drawn(uint64_t first, uint64_t end, const char *path) {
    static char text[ROOM];
    gpc_context *context = NULL;
    torture_case *c = calloc(1, sizeof *c);
    cr_assert_not_null(c);
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (uint64_t seed = first; seed < end; seed++) {
        char name[24];
        keys_draw(context, c, seed);
        snprintf(name, sizeof name, "%" PRIu64, seed);
        strcat(text, "seed");
        put_case(context, c, name, text);
        strcat(text, "\n");
    }
    free(c);
    expect_golden(path, text);
    gpc_context_destroy(context);
}

Test(golden, together) {
    expect_drawn(2, TOGETHER, "tests/keys/golden/together.golden");
}

Test(golden, machines) {
    expect_drawn(MACHINES, MACHINES_END, "tests/keys/golden/machines.golden");
}

/* Every preset with other settings, every second one with a protocol. */
Test(golden, presets) {
    expect_drawn(PRESETS, PRESETS + gpc_preset_count(), "tests/keys/golden/presets.golden");
}
