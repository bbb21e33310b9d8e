/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/stage_times.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

/* Stages of accesses (stats.stages): always summing to the latency, and naming the causes. */

static rig r;

typedef struct seen {
    uint64_t accesses, cycles;
    uint64_t spent[GPC_STAGE_COUNT];
    gpc_completion last;
    uint64_t last_spent[GPC_STAGE_COUNT], of_token[4][GPC_STAGE_COUNT];
} seen;

static uint64_t sum(const uint64_t *spent) {
    uint64_t cycles = 0;
    for (unsigned i = 0; i < GPC_STAGE_COUNT; i++)
        cycles += spent[i];
    return cycles;
}

static void note(void *data, const gpc_completion *c) {
    seen *s = data;
    cr_assert_not_null(c->stages);
    cr_assert_eq(c->stage_count, GPC_STAGE_COUNT);
    cr_expect_eq(sum(c->stages), c->cycle - c->issued, "kind %u of level %u: %" PRIu64 " of %" PRIu64 " cycles",
                 c->kind, c->level, sum(c->stages), c->cycle - c->issued);
    s->accesses++;
    s->cycles += c->cycle - c->issued;
    for (unsigned i = 0; i < GPC_STAGE_COUNT; i++) {
        cr_expect_leq(c->stages[i], c->cycle - c->issued, "%s: %" PRIu64, gpc_stage_name(i), c->stages[i]);
        s->spent[i] += s->last_spent[i] = s->of_token[c->token % 4][i] = c->stages[i];
    }
    s->last = *c;
}

static void listen_to(gpc_hierarchy *hierarchy, seen *s) {
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.user_data = s;
    callbacks.on_complete = note;
    memset(s, 0, sizeof *s);
    cr_assert_eq(gpc_hierarchy_set_callbacks(hierarchy, &callbacks, NULL), GPC_OK);
}

static void add_row(void *data, const gpc_stage_row *row) {
    seen *s = data;
    cr_expect_eq(sum(row->stages), row->latency);
    cr_expect(row->accesses && row->longest <= row->latency && row->longest * row->accesses >= row->latency);
    s->accesses += row->accesses;
    s->cycles += row->latency;
    for (unsigned i = 0; i < row->stage_count; i++)
        s->spent[i] += row->stages[i];
}

static uint64_t counted(const gpc_hierarchy *h, unsigned stage) {
    char name[40] = "stages.";
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    uint64_t value;
    strcat(name, gpc_stage_name(stage));
    cr_assert_eq(gpc_counter_by_name(GPC_TABLE_HIERARCHY, name, &info, NULL), GPC_OK, "%s", name);
    cr_assert_eq(gpc_hierarchy_read(h, GPC_OBJECT_WHOLE, 0, &info.id, 1, &value, 1, NULL), GPC_OK);
    return value;
}

/* Completions, rows and counters agree; no line's clock is left. */
static void expect_same(const gpc_hierarchy *h, const seen *told) {
    seen rows = {0};
    cr_assert_eq(gpc_hierarchy_stages(h, add_row, &rows, NULL), GPC_OK);
    cr_expect_eq(rows.accesses, told->accesses);
    cr_expect_eq(rows.cycles, told->cycles);
    for (unsigned i = 0; i < GPC_STAGE_COUNT; i++) {
        cr_expect_eq(rows.spent[i], told->spent[i], "%s", gpc_stage_name(i));
        cr_expect_eq(counted(h, i), told->spent[i], "%s", gpc_stage_name(i));
    }
    cr_expect_eq(h->timed->stage_times->line_live, 0);
}

/* Accesses of all kinds, of one to 32 lines, as fast as accepted; and fences if allowed. */
static void storm(gpc_hierarchy *h, uint32_t sms, unsigned count, seen *told) {
    static const gpc_kind kinds[] = {GPC_LOAD, GPC_STORE, GPC_LOAD, GPC_ATOMIC, GPC_LOAD, GPC_REDUCTION, GPC_PREFETCH};
    gpc_error error = GPC_ERROR_INIT;
    uint64_t seed = 7, given = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t addresses[32];
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        const uint64_t base = 0x10000 + 128 * (uint64_t)rig_below(&seed, 600), stride = 4 << 3 * rig_below(&seed, 3);
        for (unsigned lane = 0; lane < 32; lane++)
            addresses[lane] = base + lane * stride;
        access.sm = rig_below(&seed, sms < 4 ? sms : 4);
        access.warp = i % 8;
        access.pc = 16 * (i % 12);
        access.mask = UINT32_MAX;
        access.addresses = addresses;
        access.width = 4;
        access.kind = (uint8_t)kinds[i % (sizeof kinds / sizeof *kinds)];
        access.space = (uint8_t)(i % 11 == 5 ? GPC_SPACE_SHARED : GPC_SPACE_GLOBAL);
        gpc_status status;
        while ((status = gpc_hierarchy_try_issue(h, &access, i, NULL, NULL)) == GPC_BUSY)
            cr_assert_eq(gpc_hierarchy_advance(h, 1, NULL), GPC_OK);
        cr_assert_eq(status, GPC_OK, "access %u: %s", i, gpc_status_string(status));
        given += access.space == GPC_SPACE_GLOBAL;
        if (i % 40 == 39) {
            gpc_fence fence = GPC_FENCE_INIT;
            fence.sm = access.sm;
            fence.scope = GPC_SCOPE_GPU;
            fence.order = GPC_ORDER_ACQ_REL;
            while ((status = gpc_hierarchy_try_fence(h, &fence, i, NULL, NULL)) == GPC_BUSY)
                cr_assert_eq(gpc_hierarchy_advance(h, 1, NULL), GPC_OK);
            cr_assert(status == GPC_OK || status == GPC_ERROR_UNSUPPORTED, "fence: %s", gpc_status_string(status));
            given += status == GPC_OK;
        }
    }
    cr_assert_eq(gpc_hierarchy_drain(h, &error), GPC_OK, "%s", error.message);
    /* accesses of shared memory complete at once, and are in no row */
    told->accesses -= told->accesses - given;
}

static gpc_hierarchy *make(gpc_context *context, const char *preset, const char *settings) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config;
    gpc_hierarchy *h = NULL;
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_preset(config, preset, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_load_text(config, "mode = timed\nstats.stages = true\n", "text", &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(config, settings, "settings", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_create(context, config, &h, &error), GPC_OK, "%s %s: %s", preset, settings,
                 error.message);
    gpc_config_destroy(config);
    return h;
}

static void run_storm(gpc_context *context, const char *preset, const char *settings, unsigned count) {
    static seen told;
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy *h = make(context, preset, settings);
    gpc_shape shape = GPC_SHAPE_INIT;
    cr_assert_eq(gpc_hierarchy_get_shape(h, &shape, NULL), GPC_OK);
    listen_to(h, &told);
    cr_assert_eq(gpc_hierarchy_begin_kernel(h, NULL, &error), GPC_OK);
    storm(h, shape.sms, count, &told);
    cr_log_info("%s %s", preset, settings);
    expect_same(h, &told);
    gpc_hierarchy_destroy(h);
}

static gpc_context *context_of_test(void) {
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    return context;
}

Test(stages, sums_on_every_preset) {
    gpc_context *context = context_of_test();
    for (size_t i = 0; i < gpc_preset_count(); i++) {
        const char *name;
        gpc_preset_at(i, &name, NULL, NULL);
        run_storm(context, name, "", 240);
    }
    gpc_context_destroy(context);
}

/* Trees of coherent modules, and caches that order the SMs. */
Test(stages, sums_with_coherence) {
    static const char *const settings[] = {
        "coherence = viper\n",
        "coherence = msi\n",
        "coherence = nmoesi\n",
        "coherence = vi\n",
        "coherence = hmg\nl2.partitions = 2\n",
        "coherence = moesi\ncluster.sms = 2\ncluster.size = 64KiB\n",
        "coherence = mesi\nl1.coalescer = multi2sim\n",
        "coherence = mesi\nl1.coalescer = multi2sim\nsm.lsu_waits = false\n",
    };
    gpc_context *context = context_of_test();
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        char text[256] = "sm.count = 4\n";
        strcat(text, settings[i]);
        run_storm(context, "gtx480", text, 240);
    }
    gpc_context_destroy(context);
}

/* Rare paths. */
Test(stages, sums_on_side_ways) {
    static const char *const settings[] = {
        "l1.enabled = false\n",
        "l2.enabled = false\n",
        "dram.model = fixed\n",
        "l1.prefetcher = next-line\n",
        "l1.write_policy = back\nl1.write_allocate = fetch\n",
        "l1.write_policy = through\nl1.write_allocate = fetch\n",
        "l1.reorder = block\n",
        "l1.coalescer = sector\n",
        "l1.combine_lines = 4\nlrc.sms = 4\n",
        "l2.latency = 0\nclock.l2 = 100\n",
        "l2.latency = 0\nclock.l2 = 410\nl1.coalescer = sector\nl2.data_width = 128B\n",
        "l1.mshr_entries = 2\nl1.miss_queue = 1\nl2.mshr_entries = 1\nl2.miss_queue = 1\nl2.reply_queue = 1\n",
        "l1.bypass = agcb\n",
        "memory.link_width = 32B\nl1.release_width = 32B\nl1.miss_latency = 9\nl1.issue_latency = 5\n",
    };
    gpc_context *context = context_of_test();
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        run_storm(context, "gtx480", settings[i], 240);
    gpc_context_destroy(context);
}

/* Copies by an engine and past L1, accesses that acquire and release, misses of a host's L1s. */
Test(stages, sums_of_other_kinds) {
    static const struct {
        uint8_t kind, copy, scope, order;
        uint32_t width;
    } accesses[] = {
        {GPC_LOAD, GPC_COPY_BULK, 0, 0, 512},
        {GPC_STORE, GPC_COPY_BULK, 0, 0, 256},
        {GPC_REDUCTION, GPC_COPY_BULK, 0, 0, 128},
        {GPC_LOAD, GPC_COPY_ASYNC, 0, 0, 16},
        {GPC_LOAD, GPC_COPY_NONE, GPC_SCOPE_GPU, GPC_ORDER_ACQUIRE, 4},
        {GPC_STORE, GPC_COPY_NONE, GPC_SCOPE_GPU, GPC_ORDER_RELEASE, 4},
        {GPC_ATOMIC, GPC_COPY_NONE, GPC_SCOPE_SYS, GPC_ORDER_ACQ_REL, 4},
    };
    enum { COUNT = sizeof accesses / sizeof *accesses };
    static seen told;
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = context_of_test();
    gpc_hierarchy *h = make(context, "gtx480", "coherence = viper\n");
    listen_to(h, &told);
    for (unsigned i = 0; i < 20 * COUNT; i++) {
        uint64_t addresses[8];
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        gpc_request miss = {.address = 128 * (uint64_t)(i * 7 % 50), .sm = 1, .kind = GPC_LOAD};
        for (unsigned row = 0; row < 8; row++)
            addresses[row] = 4096 * (uint64_t)(i % 9) + 640 * row;
        access.sm = i % 3;
        access.mask = 0xff;
        access.addresses = addresses;
        access.pc = 0x40 + i % COUNT;
        access.kind = accesses[i % COUNT].kind;
        access.copy = accesses[i % COUNT].copy;
        access.scope = accesses[i % COUNT].scope;
        access.order = accesses[i % COUNT].order;
        access.width = accesses[i % COUNT].width;
        gpc_status status;
        while ((status = gpc_hierarchy_try_issue(h, &access, i, NULL, NULL)) == GPC_BUSY)
            cr_assert_eq(gpc_hierarchy_advance(h, 1, NULL), GPC_OK);
        cr_assert_eq(status, GPC_OK, "%u: %s", i % COUNT, gpc_status_string(status));
        while ((status = gpc_hierarchy_try_miss(h, &miss, i, NULL, NULL)) == GPC_BUSY)
            cr_assert_eq(gpc_hierarchy_advance(h, 1, NULL), GPC_OK);
        cr_assert_eq(status, GPC_OK);
    }
    cr_assert_eq(gpc_hierarchy_drain(h, &error), GPC_OK, "%s", error.message);
    cr_expect_eq(told.accesses, 40 * COUNT);
    cr_expect_gt(told.spent[GPC_STAGE_COHERENCE], 0);
    expect_same(h, &told);
    gpc_hierarchy_destroy(h);
    gpc_context_destroy(context);
}

/* A multicast copy ends at every destination SM, with the stages of the way there. */
Test(stages, of_multicast_copies) {
    static const uint32_t sms[] = {2, 0, 1};
    static seen told;
    gpc_error error = GPC_ERROR_INIT;
    rig_open_dram(&r, "sm.count = 3\nstats.stages = true\ndram.model = fixed\ndram.fixed_latency = 700\n");
    listen_to(r.hierarchy, &told);
    const uint64_t addresses[2] = {0x10000, 0x20000};
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.mask = 3;
    access.addresses = addresses;
    access.width = 512;
    access.copy = GPC_COPY_BULK;
    access.multicast = sms;
    access.multicast_count = 3;
    cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, 0, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_OK, "%s", error.message);
    cr_expect_eq(told.accesses, 3);
    cr_expect_geq(told.spent[GPC_STAGE_DRAM], 3 * 700);
    cr_expect_geq(told.spent[GPC_STAGE_REPLY], 3 * 6);
    expect_same(r.hierarchy, &told);
    rig_abandon(&r);
}

/* A single access's stages equal the rig's numbers; a DRAM-bound access waits mostly for DRAM. */
Test(stages, say_where_cycles_went) {
    static seen told;
    rig_open_dram(&r, "stats.stages = true\ndram.model = fixed\ndram.fixed_latency = 700\n");
    listen_to(r.hierarchy, &told);
    uint64_t address = 0x4000;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.mask = 1;
    access.addresses = &address;
    access.width = 4;
    access.pc = 0x48;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, 0, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_OK);
    const uint64_t latency = told.last.cycle - told.last.issued;
    cr_expect_eq(told.last.level, 3);
    cr_expect_geq(told.last_spent[GPC_STAGE_DRAM], 700);
    cr_expect_leq(told.last_spent[GPC_STAGE_DRAM], 702);
    cr_expect_eq(told.last_spent[GPC_STAGE_REQUEST], 6, "5 cycles of latency behind one of transfer");
    cr_expect_eq(told.last_spent[GPC_STAGE_REPLY], 6);
    cr_expect_geq(told.last_spent[GPC_STAGE_L2], 20);
    cr_expect_geq(10 * told.last_spent[GPC_STAGE_DRAM], 9 * latency);

    cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, 1, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_OK);
    cr_expect_eq(told.last.level, 1);
    cr_expect_eq(told.last_spent[GPC_STAGE_L1] + told.last_spent[GPC_STAGE_QUEUE], told.last.cycle - told.last.issued);
    cr_expect_geq(told.last_spent[GPC_STAGE_L1], 10);

    /* a load joining a miss waits for the miss in any stage */
    address = 0x8000;
    cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, 2, NULL, NULL), GPC_OK);
    access.pc = 0x50;
    cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, 3, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_OK);
    cr_expect_geq(told.of_token[3][GPC_STAGE_MERGED], 700);
    cr_expect_eq(told.of_token[3][GPC_STAGE_DRAM], 0);
    cr_expect_geq(told.of_token[2][GPC_STAGE_DRAM], 700);
    expect_same(r.hierarchy, &told);
    gpc_hierarchy_reset_stats(r.hierarchy);
    static seen rows;
    memset(&rows, 0, sizeof rows);
    cr_assert_eq(gpc_hierarchy_stages(r.hierarchy, add_row, &rows, NULL), GPC_OK);
    cr_expect_eq(rows.accesses, 0);
    rig_abandon(&r);
}

static void count_rows(void *data, const gpc_stage_row *row) {
    unsigned *rows = data;
    cr_expect_eq(row->accesses, 3, "pc %#" PRIx64 ": %" PRIu64, row->pc, row->accesses);
    ++*rows;
}

/* Any number of instructions, with one row per level. */
Test(stages, many_instructions) {
    enum { INSTRUCTIONS = 700 };
    rig_open_dram(&r, "stats.stages = true\n");
    rig_latency(&r, LINE(GPC_LOAD, 0));
    gpc_hierarchy_reset_stats(r.hierarchy);
    for (unsigned n = 0; n < 3 * INSTRUCTIONS; n++)
        rig_latency(&r, LINE(GPC_LOAD, 0, .pc = 16 * (n % INSTRUCTIONS)));
    unsigned rows = 0;
    cr_assert_eq(gpc_hierarchy_stages(r.hierarchy, count_rows, &rows, NULL), GPC_OK);
    cr_expect_eq(rows, INSTRUCTIONS);
    rig_abandon(&r);
}

/* A stalled channel: many rows of one bank; the last has waited in DRAM's queue for most of the time. */
Test(stages, name_the_dram_queue) {
    static seen told;
    rig_open_dram(&r, "stats.stages = true\n");
    listen_to(r.hierarchy, &told);
    gpc_error error = GPC_ERROR_INIT;
    for (uint64_t i = 0; i < 200; i++) {
        uint64_t address = i * 128 * 33; /* other sets of caches, and rarely an open row in DRAM */
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        access.mask = 1;
        access.addresses = &address;
        access.width = 4;
        cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, i, NULL, NULL), GPC_OK);
    }
    cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_OK);
    const uint64_t latency = told.last.cycle - told.last.issued;
    cr_expect_gt(latency, 900);
    cr_expect_gt(2 * told.last_spent[GPC_STAGE_DRAM_QUEUE], latency, "%" PRIu64 " of %" PRIu64,
                 told.last_spent[GPC_STAGE_DRAM_QUEUE], latency);
    expect_same(r.hierarchy, &told);
    rig_abandon(&r);
}

/* Results without stages are equal, to the cycle. */
Test(stages, change_nothing) {
    for (unsigned with = 0, trail = 0; with < 2; with++) {
        uint64_t seed = 3;
        rig_open(&r, with ? "stats.stages = true\nl1.mshr_entries = 4\n" : "l1.mshr_entries = 4\n", 150);
        for (unsigned i = 0; i < 400; i++)
            rig_push(&r, LINE(i % 5 ? GPC_LOAD : GPC_STORE, 128 * (uint64_t)rig_below(&seed, 300)));
        rig_finish(&r);
        if (with)
            cr_expect_eq(trail, (unsigned)r.trail);
        trail = (unsigned)r.trail;
        rig_close(&r);
    }
}

/* Setting and removing a trace of events removes no stages. */
static bool watch(void *data, const gpc_event *event) {
    (void)event;
    ++*(uint64_t *)data;
    return true;
}

/* Sixty loads, with a trace of events set, replaced and removed meanwhile: or without a trace. */
static void load_beside_traces(const char *settings, bool traced, seen *told) {
    uint64_t events = 0;
    gpc_error error = GPC_ERROR_INIT;
    gpc_event_options options = GPC_EVENT_OPTIONS_INIT;
    rig_open_dram(&r, settings);
    listen_to(r.hierarchy, told);
    for (unsigned i = 0; i < 60; i++) {
        uint64_t address = 128 * 33 * (uint64_t)i;
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        access.mask = 1;
        access.addresses = &address;
        access.width = 4;
        cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, i, NULL, NULL), GPC_OK);
        options.on_event = i % 20 == 10 ? watch : NULL;
        options.user_data = &events;
        if (traced && i % 10 == 0)
            cr_assert_eq(gpc_hierarchy_set_trace(r.hierarchy, &options, &error), GPC_OK);
        cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, 7, NULL), GPC_OK);
    }
    cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_OK);
    cr_expect_eq(events > 0, traced);
    cr_expect_lt(10 * (told->spent[GPC_STAGE_QUEUE] + told->spent[GPC_STAGE_FILL]), told->cycles,
                 "those under way went on to be followed");
    expect_same(r.hierarchy, told);
    rig_abandon(&r);
}

Test(stages, beside_a_trace_of_events) {
    static const char *const settings[] = {
        "stats.stages = true\n",
        "stats.stages = true\ncoherence = hmg\nl1.write_policy = through\n",
        "stats.stages = true\ncoherence = nmoesi\nl1.write_policy = back\nl1.write_allocate = fetch\n",
    };
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        static seen alone, beside;
        load_beside_traces(settings[i], false, &alone);
        load_beside_traces(settings[i], true, &beside);
        for (unsigned n = 0; n < GPC_STAGE_COUNT; n++)
            cr_expect_eq(beside.spent[n], alone.spent[n], "%s%s", settings[i], gpc_stage_name(n));
    }
}

/* Accesses under way at a snapshot continue with the spent cycles. */
Test(stages, in_snapshots) {
    static seen told, other;
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy *copy;
    rig_open_dram(&r, "stats.stages = true\n");
    listen_to(r.hierarchy, &told);
    for (unsigned i = 0; i < 50; i++) {
        uint64_t address = 4096 * (uint64_t)i;
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        access.mask = 1;
        access.addresses = &address;
        access.width = 4;
        access.pc = 8 * (i % 3);
        cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, i, NULL, NULL), GPC_OK);
    }
    cr_assert_eq(gpc_hierarchy_advance(r.hierarchy, 120, NULL), GPC_OK);
    const seen before = told;
    cr_assert_eq(gpc_hierarchy_copy(r.hierarchy, &copy, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, &error), GPC_OK);
    listen_to(copy, &other);
    other = before;
    cr_assert_eq(gpc_hierarchy_drain(copy, &error), GPC_OK);
    cr_expect_arr_eq(other.spent, told.spent, sizeof told.spent);
    expect_same(copy, &other);
    gpc_hierarchy_destroy(copy);
    rig_abandon(&r);
}

Test(stages, refused_without_effect) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(rig_refused("mode = functional\nstats.stages = true\n", &error), GPC_ERROR_RANGE);
    cr_expect_not_null(strstr(error.message, "stats.stages = true needs mode = timed"), "%s", error.message);
    cr_expect_eq(rig_refused("sm.count = 4\nstats.stages = true\nthreads = 2\n", &error), GPC_ERROR_RANGE);
    cr_expect_not_null(strstr(error.message, "stats.stages"), "%s", error.message);
    rig_open(&r, NULL, 100);
    cr_expect_eq(gpc_hierarchy_stages(r.hierarchy, add_row, &r, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_hierarchy_stages(r.hierarchy, NULL, &r, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_hierarchy_stages(NULL, add_row, &r, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(counted(r.hierarchy, GPC_STAGE_DRAM), GPC_ABSENT);
    cr_expect_str_eq(gpc_stage_name(GPC_STAGE_COUNT), "");
    rig_close(&r);
}
