/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/events.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static bool keep(void *user_data, const gpc_event *event) {
    events *e = user_data;
    cr_assert_lt(e->count, EVENTS_ROOM);
    e->list[e->count++] = *event;
    e->calls++;
    return e->calls != e->stop_after;
}

static void destroy(void *user_data) {
    ((events *)user_data)->destroyed++;
}

void events_open(events *e, gpc_hierarchy *hierarchy, gpc_event_options options) {
    gpc_error error = GPC_ERROR_INIT;
    uint64_t stop_after = e->stop_after;
    *e = (events){.list = calloc(EVENTS_ROOM, sizeof *e->list), .stop_after = stop_after};
    cr_assert_not_null(e->list);
    options.on_event = keep;
    options.user_data = e;
    options.destroy = destroy;
    cr_assert_eq(gpc_hierarchy_set_trace(hierarchy, &options, &error), GPC_OK, "%s", error.message);
}

void events_close(events *e, gpc_hierarchy *hierarchy) {
    if (hierarchy)
        cr_assert_eq(gpc_hierarchy_set_trace(hierarchy, NULL, NULL), GPC_OK);
    cr_expect_eq(e->destroyed, 1);
    free(e->list);
    e->list = NULL;
}

static bool is(const gpc_event *v, gpc_what what, gpc_component component) {
    return v->what == what && (component == GPC_COMPONENT_COUNT || v->component == component);
}

uint32_t events_count(const events *e, gpc_what what, gpc_component component) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < e->count; i++)
        count += is(&e->list[i], what, component);
    return count;
}

uint64_t events_bytes(const events *e, gpc_what what, gpc_component component) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < e->count; i++)
        bytes += is(&e->list[i], what, component) ? e->list[i].bytes : 0;
    return bytes;
}

uint64_t events_values(const events *e, gpc_what what, gpc_component component) {
    uint64_t values = 0;
    for (uint32_t i = 0; i < e->count; i++)
        values += is(&e->list[i], what, component) ? e->list[i].value : 0;
    return values;
}

const gpc_event *events_at(const events *e, gpc_what what, gpc_component component, uint32_t n) {
    for (uint32_t i = 0; i < e->count; i++)
        if (is(&e->list[i], what, component) && !n--)
            return &e->list[i];
    return NULL;
}

/* Matching begins and ends: of a packet, at a component. */
typedef struct balance {
    gpc_what begin, end;
    bool same_place; /* the span ends at the place of the begin */
} balance;

static const balance balances[] = {
    {GPC_WHAT_ISSUE, GPC_WHAT_COMPLETE, true},          {GPC_WHAT_SEND, GPC_WHAT_RECEIVE, false},
    {GPC_WHAT_MSHR_ALLOCATE, GPC_WHAT_MSHR_FREE, true}, {GPC_WHAT_BLOCK, GPC_WHAT_UNBLOCK, true},
    {GPC_WHAT_MEMORY_READ, GPC_WHAT_DATA, true},        {GPC_WHAT_LINE, GPC_WHAT_REPLY, true}};

/* Every end follows a begin, and every begin has an end. MSHR entries change hands: by line, not by packet. */
static void check_balance(const events *e, balance b) {
    bool by_line = b.begin == GPC_WHAT_MSHR_ALLOCATE;
    for (uint32_t i = 0; i < e->count; i++) {
        const gpc_event *v = &e->list[i];
        if (v->what == b.end)
            cr_assert(false, "%s of packet %llu at cycle %llu has no begin", gpc_what_name(v->what),
                      (unsigned long long)v->packet, (unsigned long long)v->cycle);
        if (v->what != b.begin)
            continue;
        uint32_t k = i + 1;
        for (; k < e->count; k++) {
            const gpc_event *w = &e->list[k];
            if (w->what == b.end && w->component == v->component && (!b.same_place || w->index == v->index) &&
                (by_line ? w->address == v->address : w->packet == v->packet))
                break;
        }
        cr_assert_lt(k, e->count, "%s of packet %llu at cycle %llu never ends", gpc_what_name(v->what),
                     (unsigned long long)v->packet, (unsigned long long)v->cycle);
        cr_assert_leq(v->cycle, e->list[k].cycle);
        e->list[k].what = GPC_WHAT_COUNT; /* only for this begin */
    }
}

static void check_all(const events *e) {
    for (size_t i = 0; i < sizeof balances / sizeof *balances; i++) {
        gpc_event *copy = malloc(e->count * sizeof *copy + 1);
        cr_assert_not_null(copy);
        for (uint32_t k = 0; k < e->count; k++)
            copy[k] = e->list[k];
        check_balance(&(events){.list = copy, .count = e->count}, balances[i]);
        free(copy);
    }
}

static bool makes(const gpc_event *v) {
    return v->what == GPC_WHAT_ISSUE || v->what == GPC_WHAT_LINE || v->what == GPC_WHAT_FETCH ||
           v->what == GPC_WHAT_WRITE_BACK || v->what == GPC_WHAT_MESSAGE;
}

static void check_numbers(const events *e) {
    uint64_t made = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        const gpc_event *v = &e->list[i];
        if (makes(v)) {
            cr_assert_gt(v->packet, made, "%s", gpc_what_name(v->what));
            const bool swept = v->what == GPC_WHAT_MESSAGE && !v->access && v->kind == GPC_KIND_COUNT;
            cr_assert(v->what == GPC_WHAT_ISSUE || v->what == GPC_WHAT_WRITE_BACK || swept || v->parent,
                      "%s of packet %llu has no parent", gpc_what_name(v->what), (unsigned long long)v->packet);
            made = v->packet;
        }
        cr_assert_lt(v->parent, v->packet ? v->packet : 1);
        cr_assert(v->until >= v->cycle && v->what < GPC_WHAT_COUNT && v->component < GPC_COMPONENT_COUNT);
    }
}

void events_check(const events *e) {
    check_numbers(e);
    check_all(e);
}

static gpc_component component_of(const char *network) {
    static const struct {
        const char *name;
        gpc_component component;
    } names[] = {{"request network", GPC_COMPONENT_REQUESTS},
                 {"reply network", GPC_COMPONENT_REPLIES},
                 {"partition request link", GPC_COMPONENT_PARTITION_REQUESTS},
                 {"partition reply link", GPC_COMPONENT_PARTITION_REPLIES},
                 {"memory request link", GPC_COMPONENT_MEMORY_REQUESTS},
                 {"memory reply link", GPC_COMPONENT_MEMORY_REPLIES},
                 {"cluster request network", GPC_COMPONENT_CLUSTER_REQUESTS},
                 {"cluster reply network", GPC_COMPONENT_CLUSTER_REPLIES}};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i].name, network))
            return names[i].component;
    cr_assert_fail("a network that no event is of: %s", network);
    return GPC_COMPONENT_COUNT;
}

unsigned events_check_networks(const events *e, const gpc_hierarchy *hierarchy) {
    unsigned busy = 0;
    gpc_counter_info info[2] = {GPC_COUNTER_INFO_INIT, GPC_COUNTER_INFO_INIT};
    cr_assert_eq(gpc_counter_by_name(GPC_TABLE_NETWORK, "packets", &info[0], NULL), GPC_OK);
    cr_assert_eq(gpc_counter_by_name(GPC_TABLE_NETWORK, "bytes", &info[1], NULL), GPC_OK);
    const uint32_t ids[] = {info[0].id, info[1].id};
    for (uint32_t n = 0; n < gpc_hierarchy_object_count(hierarchy, GPC_OBJECT_NETWORK); n++) {
        char name[GPC_OBJECT_NAME];
        uint64_t values[2];
        cr_assert_eq(gpc_hierarchy_object_name(hierarchy, GPC_OBJECT_NETWORK, n, name, sizeof name, NULL), GPC_OK);
        cr_assert_eq(
            gpc_hierarchy_read(hierarchy, GPC_OBJECT_NETWORK, n, ids, 2, values, sizeof values / sizeof *values, NULL),
            GPC_OK);
        gpc_component component = component_of(name);
        cr_expect_eq(events_count(e, GPC_WHAT_SEND, component), values[0], "%s", name);
        cr_expect_eq(events_count(e, GPC_WHAT_RECEIVE, component), values[0], "%s", name);
        cr_expect_eq(events_bytes(e, GPC_WHAT_SEND, component), values[1], "%s", name);
        cr_expect_eq(events_bytes(e, GPC_WHAT_RECEIVE, component), values[1], "%s", name);
        busy += values[0] > 0;
    }
    return busy;
}
