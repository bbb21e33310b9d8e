/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/stack.h"

#include "profile/rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The stack compared with a searched and shifted list. */

enum { LINES = 700, EMPTY = LINES };

typedef struct list {
    unsigned lines[LINES * 4]; /* most recent first; EMPTY: a hole */
    unsigned count;
} list;

static unsigned find(const list *l, unsigned line) {
    unsigned at = 0;
    while (at < l->count && l->lines[at] != line)
        at++;
    return at;
}

static void take_out(list *l, unsigned at) {
    memmove(l->lines + at, l->lines + at + 1, (l->count - at - 1) * sizeof l->lines[0]);
    l->count--;
}

/* Up to the first hole all lines move down by one; the line's old place is then the hole. */
static uint64_t touch(list *l, unsigned line) {
    unsigned at = find(l, line), hole = find(l, EMPTY), count = l->count;
    if (hole < at && at < count)
        l->lines[at] = EMPTY;
    if (hole < at && hole < count)
        take_out(l, hole);
    else if (at < count)
        take_out(l, at);
    memmove(l->lines + 1, l->lines, l->count * sizeof l->lines[0]);
    l->lines[0] = line;
    l->count++;
    return at < count ? at : GPCI_STACK_FIRST;
}

static void run(unsigned lines, unsigned drops, unsigned steps, uint64_t seed) {
    gpc_context *context;
    static list model;
    uint32_t places[LINES];
    uint64_t random = seed;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    gpci_stack stack = {.context = context};
    memset(places, 0xff, sizeof places);
    model.count = 0;
    for (unsigned step = 0; step < steps; step++) {
        /* runs of near lines, and jumps */
        unsigned line = gpci_random_below(&random, gpci_random_below(&random, 3) ? lines / 8 + 1 : lines);
        cr_assert_eq(gpci_stack_reserve(&stack, places, sizeof places[0]), GPC_OK);
        if (gpci_random_below(&random, 100) < drops) {
            unsigned at = find(&model, line);
            if (at < model.count)
                model.lines[at] = EMPTY;
            gpci_stack_drop(&stack, &places[line]);
        } else {
            cr_assert_eq(gpci_stack_touch(&stack, line, &places[line]), touch(&model, line), "step %u, line %u", step,
                         line);
        }
        cr_assert_eq(stack.used, model.count);
        if (step == steps / 2) {
            gpci_stack_empty(&stack, places, sizeof places[0]);
            model.count = 0;
            for (unsigned i = 0; i < lines; i++)
                cr_assert_eq(places[i], GPCI_STACK_NOWHERE);
        }
    }
    gpci_stack_clear(&stack);
    gpc_context_destroy(context);
}

Test(stack, is_the_naive_list) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
        run(1, 0, 3000, seed);
        run(2, 10, 3000, seed);
        run(60, 0, 10000, seed);
        run(60, 30, 10000, seed);
        run(LINES, 0, 20000, seed);
        run(LINES, 10, 20000, seed);
    }
}

/* The worked example of the header. */
Test(stack, a_hole_is_filled_from_below) {
    gpc_context *context;
    uint32_t places[4] = {GPCI_STACK_NOWHERE, GPCI_STACK_NOWHERE, GPCI_STACK_NOWHERE, GPCI_STACK_NOWHERE};
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    gpci_stack stack = {.context = context};
    cr_assert_eq(gpci_stack_reserve(&stack, places, sizeof places[0]), GPC_OK);
    for (unsigned line = 4; line-- > 0;)
        cr_expect_eq(gpci_stack_touch(&stack, line, &places[line]), GPCI_STACK_FIRST);
    gpci_stack_drop(&stack, &places[1]);
    cr_expect_eq(gpci_stack_touch(&stack, 3, &places[3]), 3);
    cr_expect_eq(gpci_stack_touch(&stack, 2, &places[2]), 2, "D A C and the hole");
    cr_expect_eq(gpci_stack_touch(&stack, 1, &places[1]), GPCI_STACK_FIRST);
    cr_expect_eq(stack.used, 4, "the hole is filled");
    gpci_stack_clear(&stack);
    gpc_context_destroy(context);
}

/* Distances of a whole profile compared with a backward search in the stream. */
Test(stack, distances_of_a_profile) {
    enum { STEPS = 3000, SPAN = 150 };
    static unsigned stream[STEPS];
    uint64_t random = 5, first = 0;
    uint64_t stack[GPC_PROFILE_DISTANCE_BUCKETS] = {0}, reuse[GPC_PROFILE_DISTANCE_BUCKETS] = {0};
    rig r;
    rig_open(&r, NULL);
    for (unsigned i = 0; i < STEPS; i++) {
        stream[i] = gpci_random_below(&random, gpci_random_below(&random, 2) ? SPAN : 10);
        rig_load(&r, 0, 0x10, stream[i] * 128u);
        bool seen[SPAN] = {false};
        unsigned lines = 0, back = i;
        while (back > 0 && stream[back - 1] != stream[i]) {
            lines += !seen[stream[--back]];
            seen[stream[back]] = true;
        }
        if (!back) {
            first++;
            continue;
        }
        unsigned between = i - back, bucket = 0;
        while (between >> bucket)
            bucket++;
        reuse[bucket]++;
        for (bucket = 0; lines >> bucket;)
            bucket++;
        stack[bucket]++;
    }
    const gpc_profile_counts *c = &rig_sm(&r, 0)->counts;
    cr_expect_eq(c->first_accesses, first);
    cr_expect_arr_eq(c->stack_distances, stack, sizeof stack);
    cr_expect_arr_eq(c->reuse_distances, reuse, sizeof reuse);
    rig_close(&r);
}
