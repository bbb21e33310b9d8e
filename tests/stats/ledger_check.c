/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/ledger_check.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Ledger of counters: reads every row, holds after a mixed run in every mode, notices a counter that is off by one. */

typedef struct made {
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *hierarchy;
} made;

static void make(made *m, const char *settings) {
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &m->context, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(m->context, &m->config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(m->config, settings, "test", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_hierarchy_create(m->context, m->config, &m->hierarchy, &error), GPC_OK, "%s", error.message);
}

static void destroy(made *m) {
    gpc_hierarchy_destroy(m->hierarchy);
    gpc_config_destroy(m->config);
    gpc_context_destroy(m->context);
}

static void offer(const made *m, const gpc_warp_access *w, bool timed) {
    gpc_status status = timed ? GPC_BUSY : gpc_hierarchy_access(m->hierarchy, w, NULL, NULL);
    while (timed && (status = gpc_hierarchy_try_issue(m->hierarchy, w, 0, NULL, NULL)) == GPC_BUSY)
        cr_assert_eq(gpc_hierarchy_advance(m->hierarchy, 1, NULL), GPC_OK);
    cr_assert_eq(status, GPC_OK);
}

/* A copy into both SMs' shared memory; a store, and a fence that has an L1 write back and drop its lines. */
static void sweep(const made *m, bool timed) {
    static const uint32_t both[] = {0, 1};
    static const uint64_t address = 4096;
    gpc_fence f = GPC_FENCE_INIT;
    gpc_warp_access w = GPC_WARP_ACCESS_INIT;
    gpc_status status = GPC_OK;
    w.sm = f.sm = 1;
    w.kind = GPC_STORE;
    w.mask = 1;
    w.width = 4;
    w.addresses = &address;
    offer(m, &w, timed);
    w.kind = GPC_LOAD;
    w.copy = GPC_COPY_BULK;
    w.width = 512;
    w.multicast = both;
    w.multicast_count = 2;
    if (!m->hierarchy->coherent)
        offer(m, &w, timed);
    f.control = m->hierarchy->coherent ? 0 : GPC_CONTROL_INVALIDATE_ALL;
    f.order = m->hierarchy->coherent ? GPC_ORDER_ACQ_REL : GPC_ORDER_WEAK;
    if (timed)
        cr_assert_eq(gpc_hierarchy_drain(m->hierarchy, NULL), GPC_OK);
    else
        status = gpc_hierarchy_fence(m->hierarchy, &f, NULL);
    while (timed && (status = gpc_hierarchy_try_fence(m->hierarchy, &f, 0, NULL, NULL)) == GPC_BUSY)
        cr_assert_eq(gpc_hierarchy_advance(m->hierarchy, 1, NULL), GPC_OK);
    cr_assert_eq(status, GPC_OK);
}

/* A kernel: loads, stores and atomics of two SMs, with hits, misses and evictions. */
static void run(const made *m, bool timed) {
    static const uint8_t kinds[] = {GPC_LOAD, GPC_STORE, GPC_LOAD, GPC_LOAD, GPC_ATOMIC, GPC_LOAD, GPC_REDUCTION};
    uint64_t addresses[32];
    cr_assert_eq(gpc_hierarchy_begin_kernel(m->hierarchy, NULL, NULL), GPC_OK);
    for (uint32_t n = 0; n < 400; n++) {
        gpc_warp_access w = GPC_WARP_ACCESS_INIT;
        for (unsigned lane = 0; lane < 32; lane++)
            addresses[lane] = (uint64_t)(n * 7919 % 100) * 128 + lane * (n % 3 ? 4 : 36);
        w.sm = n % 2;
        w.stream = n % 3 == 2 && gpc_hierarchy_object_count(m->hierarchy, GPC_OBJECT_STREAM);
        w.kind = kinds[n % 7];
        w.mask = UINT32_MAX;
        w.width = 4;
        w.addresses = addresses;
        offer(m, &w, timed);
    }
    sweep(m, timed);
    if (timed)
        cr_assert_eq(gpc_hierarchy_drain(m->hierarchy, NULL), GPC_OK);
}

static gpc_status get(const void *data, gpc_object kind, uint32_t index, gpci_object_values *values) {
    return gpci_object_values_get(data, kind, index, values);
}

static bool is_right(const made *m, char *text, size_t size) {
    const gpci_ledger_owner owner = {.hierarchy = m->hierarchy, .data = m->hierarchy, .get = get};
    return gpci_ledger_right(&owner, text, size);
}

#define SMALL                                                                                                  \
    "sm.count = 2\nl1.size = 4096\nl1.ways = 4\nl1.sectors = 4\nl2.size = 16384\nl2.slices = 2\nl2.ways = 4\n" \
    "l2.sectors = 4\nlaunch.sectors = 5\n"
static const char *const modes[] = {SMALL "streams = 2\n", SMALL "streams = 2\nmode = timed\n",
                                    SMALL "coherence = msi\nl1.sectors = 1\nl2.sectors = 1\n",
                                    SMALL "coherence = msi\nl1.sectors = 1\nl2.sectors = 1\nmode = timed\n"};

/* True if some clause of the row is an equation. */
static bool has_equation(const gpci_ledger *ledger, uint32_t id) {
    bool found = false;
    for (uint32_t i = 0; i < ledger->count; i++)
        found |= ledger->clauses[i].row->id == id && ledger->clauses[i].relation == '=';
    return found;
}

Test(ledger, rows_are_clauses) {
    made m;
    gpci_ledger ledger;
    const gpci_counter_row *wrong = NULL;
    make(&m, modes[0]);
    cr_assert_eq(gpci_ledger_read(m.context, &ledger, &wrong), GPC_OK, "%s: %s", wrong ? wrong->name : "",
                 wrong ? wrong->equals : "");
    for (unsigned table = 0; table < GPC_TABLE_COUNT; table++)
        for (size_t i = 0; i < gpc_counter_table_count((gpc_counter_table)table); i++) {
            gpc_counter_info info = GPC_COUNTER_INFO_INIT;
            cr_assert_eq(gpc_counter_table_at((gpc_counter_table)table, i, &info, NULL), GPC_OK);
            cr_assert_eq(!*info.equals, info.ratio, "%s", info.name);
            cr_expect(info.ratio || has_equation(&ledger, info.id), "%s has no equation", info.name);
        }
    gpci_ledger_free(m.context, &ledger);
    destroy(&m);
}

Test(ledger, holds) {
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        char text[2000] = "";
        made m;
        make(&m, modes[i]);
        run(&m, i % 2);
        cr_assert(is_right(&m, text, sizeof text), "%s%s", modes[i], text);
        destroy(&m);
    }
}

/* A count that is off by `by`, and the counter that the text is to name. */
static void plant(const made *m, uint64_t *count, int64_t by, const char *name) {
    char text[2000] = "";
    *count += (uint64_t)by;
    cr_expect_not(is_right(m, text, sizeof text), "%s", name);
    cr_expect_not_null(strstr(text, name), "%s: %s", name, text);
    *count -= (uint64_t)by;
    cr_assert(is_right(m, text, sizeof text), "%s", text);
}

/* More energy of the whole than of all objects. */
static gpc_status get_more(const void *data, gpc_object kind, uint32_t index, gpci_object_values *values) {
    const gpc_status status = get(data, kind, index, values);
    values->stats.energy_l1_read += kind == GPC_OBJECT_WHOLE ? 1000 : 0;
    return status;
}

/* Objects may lose a unit of energy each in rounding, and no more. */
Test(ledger, energies_are_rounded) {
    char text[2000] = "";
    made m;
    make(&m, SMALL "energy.l1_read = 1.5\n");
    run(&m, false);
    cr_assert(is_right(&m, text, sizeof text), "%s", text);
    const gpci_ledger_owner owner = {.hierarchy = m.hierarchy, .data = m.hierarchy, .get = get_more};
    cr_expect_not(gpci_ledger_right(&owner, text, sizeof text));
    cr_expect(strstr(text, "of all objects of its kind"), "%s", text);
    destroy(&m);
}

/* Counts of what no stream asked for, of copies, of sweeps by fences, and of networks. */
Test(ledger, tells_of_every_source) {
    made m;
    make(&m, SMALL "streams = 2\nmode = timed\nl1.write_policy = back\nl1.write_allocate = fetch\n");
    run(&m, true);
    gpc_hierarchy *h = m.hierarchy;
    gpci_stream_counts *nobody = &h->of_stream[(size_t)h->sms * (h->streams + 1u) + h->streams];
    gpci_sm_counts *sm = &h->of_sm[1];
    cr_assert_eq(nobody->dram_read_sectors, 5, "the launch");
    plant(&m, &nobody->dram_read_sectors, -1, "dram.read_sectors of stream");
    plant(&m, &nobody->l2_write_sectors, 1, "l2.write_sectors of stream");
    plant(&m, &h->of_sm[0].bulk_copies, -1, "bulk.copies of whole");
    plant(&m, &h->of_sm[0].bulk_completed, 1, "bulk.completed of whole");
    plant(&m, &h->of_sm[0].bulk_multicast_sectors, 1000, "bulk.multicast_sectors of sm-0");
    cr_assert_gt(sm->fence_write_back_sectors, 0);
    plant(&m, &sm->fence_write_back_sectors, (int64_t)sm->l1_write_back_sectors, "fence.write_back_sectors of sm-1");
    plant(&m, &sm->fence_cycles, -(int64_t)sm->fence_cycles, "fence.cycles of sm-1");
    plant(&m, &sm->fence_lines, -(int64_t)sm->fence_lines - 1, "fence.lines of sm-1: -1 is below 0");
    destroy(&m);
}

/* The text names a counter less by 1. */
Test(ledger, tells_what_is_wrong) {
    for (size_t i = 0; i < 2; i++) {
        char text[2000] = "";
        made m;
        make(&m, modes[i]);
        run(&m, i % 2);
        gpci_sm_counts *sm = &m.hierarchy->of_sm[1];
        gpci_slice_counts *slice = &m.hierarchy->of_slice[0];
        const struct {
            uint64_t *value;
            const char *name;
        } counters[] = {{&sm->l1_load_requests, "l1.load_requests"},
                        {&sm->l1_load_sector_hits, "l1.load_sector_hits"},
                        {&sm->l1_fetched_sectors, "l1.fetched_sectors"},
                        {&sm->l1_store_sectors, "l1.store_sectors"},
                        {&slice->l2_read_sectors, "l2.read_sectors"},
                        {&slice->l2_write_sectors, "l2.write_sectors"},
                        {&slice->l2_atomic_sector_hits, "l2.atomic_sector_hits"},
                        {&m.hierarchy->of_stream[1].l1_load_lines, "l1.load_lines"}};
        for (size_t n = 0; n < sizeof counters / sizeof *counters; n++) {
            --*counters[n].value;
            cr_assert_not(is_right(&m, text, sizeof text), "%s, mode %zu", counters[n].name, i);
            cr_assert_not_null(strstr(text, counters[n].name), "%s: %s", counters[n].name, text);
            ++*counters[n].value;
        }
        cr_assert(is_right(&m, text, sizeof text), "%s", text);
        sm->l1_copy_requests = UINT64_MAX - 4;
        cr_assert_not(is_right(&m, text, sizeof text));
        cr_assert_not_null(strstr(text, "l1.copy_requests of sm-1: -5 is below 0"), "%s", text);
        sm->l1_copy_requests = 0;
        destroy(&m);
    }
}
