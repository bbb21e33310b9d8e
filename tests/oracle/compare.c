/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "oracle/pair.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Compare field by field, to name a difference. */

#define SAME(field)                                                                                      \
    cr_assert_eq(expected->field, got->field, "%s %s: " #field " is %llu, not %llu", pair_text(p), what, \
                 (unsigned long long)got->field, (unsigned long long)expected->field)

static void same_eviction(const pair *p, const char *what, const gpc_eviction *expected, const gpc_eviction *got) {
    SAME(line_address);
    SAME(set);
    SAME(way);
    SAME(reuse_count);
    SAME(valid_sectors);
    SAME(dirty_sectors);
    SAME(forced);
    SAME(process);
    SAME(dirty_bytes[0]);
    SAME(dirty_bytes[1]);
}

void pair_same_result(const pair *p, const char *what, const gpc_access_result *expected,
                      const gpc_access_result *got) {
    SAME(outcome);
    SAME(needed_sectors);
    SAME(hit_sectors);
    SAME(fetch_sectors);
    SAME(write_sectors);
    SAME(evicted);
    SAME(admission);
    SAME(reserved);
    SAME(set);
    SAME(way);
    SAME(policy_word);
    SAME(write_bytes[0]);
    SAME(write_bytes[1]);
    same_eviction(p, what, &expected->eviction, &got->eviction);
}

static int by_place(const void *a, const void *b) {
    const event *x = a, *y = b;
    if (x->set != y->set)
        return x->set < y->set ? -1 : 1;
    if (x->way != y->way)
        return x->way < y->way ? -1 : 1;
    return (int)x->kind - (int)y->kind; /* a line is invalidated in this order: policy, predictor, callback */
}

void pair_same_events(pair *p, const char *what, bool any_order) {
    event_log *logs[2] = {&p->model.log, &p->log};
    for (int side = 0; side < 2 && any_order; side++)
        if (logs[side]->count)
            qsort(logs[side]->events, logs[side]->count, sizeof(event), by_place);
    for (size_t i = 0; i < logs[0]->count && i < logs[1]->count; i++) {
        const event *expected = &logs[0]->events[i], *got = &logs[1]->events[i];
        cr_assert_eq(expected->kind, got->kind, "%s %s: event %zu is %s, not %s", pair_text(p), what, i,
                     event_names[got->kind], event_names[expected->kind]);
        SAME(set);
        SAME(way);
        SAME(line_address);
        SAME(candidates);
        SAME(address);
        SAME(sectors);
        same_eviction(p, what, &expected->eviction, &got->eviction);
    }
    bool more = logs[1]->count > logs[0]->count;
    size_t least = more ? logs[0]->count : logs[1]->count;
    cr_assert_eq(logs[0]->count, logs[1]->count, "%s %s: %s %s", pair_text(p), what, more ? "unexpected" : "missing",
                 event_names[logs[more]->events[least].kind]);
    logs[0]->count = logs[1]->count = 0;
}

void same_counters(const pair *p, const char *what, const measured_cache *expected, const measured_cache *got) {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) SAME(field);
    GPC_CACHE_COUNTERS(X)
#undef X
}

void pair_same_counters(const pair *p, const char *what) {
    measured_cache got;
    measured_clear(&got);
    cr_assert_eq(measure_cache(p->cache, &got), GPC_OK);
    same_counters(p, what, &p->model.stats, &got);
}

static void same_line(const pair *p, const char *what, const gpc_line *expected, const gpc_line *got) {
    SAME(set);
    SAME(way);
    SAME(line_address);
    SAME(reuse_count);
    SAME(warp);
    SAME(valid_sectors);
    SAME(dirty_sectors);
    SAME(pending_sectors);
    SAME(priority);
    SAME(prioritised);
    SAME(reserved[0]);
    SAME(reserved[1]);
    SAME(reserved[2]);
    SAME(written_bytes[0]);
    SAME(written_bytes[1]);
}

void pair_same_lines(const pair *p, const char *what) {
    uint64_t cursors[2] = {0, 0};
    gpc_line expected, got;
    while (model_next_line(&p->model, &cursors[0], &expected)) {
        cr_assert_eq(gpc_cache_next_line(p->cache, &cursors[1], &got, NULL), GPC_OK, "%s %s: a line is missing",
                     pair_text(p), what);
        same_line(p, what, &expected, &got);
    }
    cr_assert_eq(gpc_cache_next_line(p->cache, &cursors[1], &got, NULL), GPC_END, "%s %s: a line too many",
                 pair_text(p), what);
}

void same_lines(const pair *p, const char *what, const gpc_cache *expected_cache, const gpc_cache *got_cache) {
    uint64_t cursors[2] = {0, 0};
    gpc_line expected, got;
    for (;;) {
        gpc_status status = gpc_cache_next_line(expected_cache, &cursors[0], &expected, NULL);
        cr_assert_eq(gpc_cache_next_line(got_cache, &cursors[1], &got, NULL), status, "%s %s: other lines",
                     pair_text(p), what);
        if (status == GPC_END)
            return;
        same_line(p, what, &expected, &got);
    }
}
