/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/litmus_values.h"

#include <criterion/criterion.h>
#include <string.h>

#define NO_COPY UINT32_MAX

static int variable_of(const values *v, uint64_t address) {
    for (int i = 0; i < (int)VALUES_VARIABLES; i++)
        if (v->addresses[i] == (address & ~(uint64_t)127))
            return i;
    return -1;
}

static int access_of(const values *v, uint64_t packet) {
    for (unsigned i = 0; packet && i < v->count; i++)
        if (v->accesses[i].packet == packet)
            return (int)i;
    return -1;
}

static void carry(values *v, uint64_t packet, unsigned value) {
    if (v->carried[packet % VALUES_PACKETS].packet != packet)
        v->carried[packet % VALUES_PACKETS].set_out = 0;
    v->carried[packet % VALUES_PACKETS].packet = packet;
    v->carried[packet % VALUES_PACKETS].value = value;
}

static unsigned carried(const values *v, uint64_t packet) {
    cr_assert_eq(v->carried[packet % VALUES_PACKETS].packet, packet);
    return v->carried[packet % VALUES_PACKETS].value;
}

/* A load gets a value. */
static void reads(values *v, const gpc_event *e, unsigned value) {
    int a = access_of(v, e->access);
    if (a < 0 || (e->kind != GPC_LOAD && e->kind != GPC_ATOMIC) || v->accesses[a].done)
        return;
    v->accesses[a].reads = value;
    v->accesses[a].done = true;
}

/* The line, if present or staying, gets the new value; so do data on the way. */
static void stores(values *v, uint32_t sm, int variable, unsigned value) {
    v->l1[sm][variable] = v->stored[sm][variable].value = value;
    v->stored[sm][variable].order = ++v->order;
}

static void set_out(values *v, uint64_t packet) {
    v->carried[packet % VALUES_PACKETS].packet = packet;
    v->carried[packet % VALUES_PACKETS].set_out = ++v->order;
}

/* A read is back in the SM. */
static void arrives(values *v, const gpc_event *e, int variable) {
    uint32_t sm = e->index;
    bool stored = v->stored[sm][variable].order > v->carried[e->packet % VALUES_PACKETS].set_out;
    v->arrived[sm] = carried(v, e->packet);
    if (stored)
        v->arrived[sm] = v->stored[sm][variable].value;
}

static void at_l1(values *v, const gpc_event *e, int variable) {
    int a = access_of(v, e->access);
    unsigned *line = &v->l1[e->index][variable];
    if (e->what == GPC_WHAT_LOOKUP && e->kind == GPC_LOAD && e->outcome == GPC_HIT)
        reads(v, e, *line);
    else if (e->what == GPC_WHAT_LOOKUP && e->kind == GPC_STORE && a >= 0)
        stores(v, e->index, variable, v->accesses[a].writes);
    else if (e->what == GPC_WHAT_FETCH)
        set_out(v, e->packet);
    else if (e->what == GPC_WHAT_FILL)
        *line = v->arrived[e->index];
}

/* A slice other than a line's home has a copy, once the other partition has answered. */
static void at_l2(values *v, const gpc_event *e, int variable) {
    int a = access_of(v, e->access);
    const unsigned *copy = &v->copies[e->index][variable];
    if (e->what == GPC_WHAT_LOOKUP && a >= 0 && e->kind == GPC_STORE) {
        v->home[variable] = v->accesses[a].writes;
    } else if (e->what == GPC_WHAT_LOOKUP && a >= 0 && (e->kind == GPC_ATOMIC || e->kind == GPC_REDUCTION)) {
        reads(v, e, v->home[variable]);
        v->home[variable] += v->accesses[a].writes;
    } else if (e->what == GPC_WHAT_SERVE && e->kind == GPC_LOAD) {
        carry(v, e->packet, *copy == NO_COPY ? v->home[variable] : *copy);
    }
}

static bool on_event(void *user_data, const gpc_event *e) {
    values *v = user_data;
    int variable = e->address == UINT64_MAX ? -1 : variable_of(v, e->address);
    if (e->what == GPC_WHAT_ISSUE && v->issuing >= 0)
        v->accesses[v->issuing].packet = e->packet;
    if (variable < 0)
        return true;
    if (e->what == GPC_WHAT_RECEIVE && e->component == GPC_COMPONENT_REPLIES && e->kind == GPC_LOAD)
        arrives(v, e, variable);
    else if (e->what == GPC_WHAT_RECEIVE && e->component == GPC_COMPONENT_PARTITION_REPLIES && e->kind == GPC_LOAD)
        v->copies[e->index][variable] = carried(v, e->packet);
    else if (e->what == GPC_WHAT_REPLY && e->kind == GPC_LOAD)
        reads(v, e, v->arrived[e->index]);
    else if (e->component == GPC_COMPONENT_L1)
        at_l1(v, e, variable);
    else if (e->component == GPC_COMPONENT_L2)
        at_l2(v, e, variable);
    return true;
}

void values_watch(values *v, gpc_hierarchy *hierarchy, uint32_t slices, uint32_t partitions) {
    gpc_event_options o = GPC_EVENT_OPTIONS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_leq(slices, VALUES_SLICES);
    *v = (values){.hierarchy = hierarchy, .slices = slices, .partitions = partitions, .issuing = -1};
    o.on_event = on_event;
    o.user_data = v;
    cr_assert_eq(gpc_hierarchy_set_trace(hierarchy, &o, &error), GPC_OK, "%s", error.message);
}

void values_begin(values *v, const uint64_t addresses[VALUES_VARIABLES]) {
    memcpy(v->addresses, addresses, sizeof v->addresses);
    memset(v->home, 0, sizeof v->home);
    memset(v->l1, 0, sizeof v->l1);
    memset(v->stored, 0, sizeof v->stored);
    memset(v->copies, 0xff, sizeof v->copies);
    v->count = 0;
    v->issuing = -1;
}

unsigned values_expect(values *v, unsigned value) {
    cr_assert_lt(v->count, VALUES_ACCESSES);
    v->accesses[v->count].packet = 0;
    v->accesses[v->count].writes = value;
    v->accesses[v->count].reads = 0;
    v->accesses[v->count].done = false;
    v->issuing = (int)v->count;
    return v->count++;
}

void values_forget(values *v) {
    v->count--;
    v->issuing = -1;
}
