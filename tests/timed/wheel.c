/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/component/clock.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The wheel: times and order of steps. */

#define COMPONENTS 200u

/* Stepped components, and components woken by a step. */
typedef struct bench {
    gpc_context *context;
    gpci_wheel wheel;
    uint64_t cycles[1000];
    uint32_t components[1000], steps;
    bool chain; /* component 70 wakes the components in `woken` at `when` */
    uint32_t woken[4];
    uint64_t when;
} bench;

static void note(void *user_data, uint32_t component) {
    bench *b = user_data;
    cr_assert_lt(b->steps, 1000);
    cr_assert_eq(b->wheel.at, component);
    b->cycles[b->steps] = b->wheel.now;
    b->components[b->steps++] = component;
    if (b->chain && component == 70) {
        b->chain = false;
        for (uint32_t i = 0; i < 4; i++)
            gpci_wheel_wake(&b->wheel, b->woken[i], b->when);
    }
}

static void open_bench(bench *b) {
    memset(b, 0, sizeof *b);
    cr_assert_eq(gpc_context_create(NULL, &b->context, NULL), GPC_OK);
    cr_assert_eq(gpci_wheel_create(b->context, COMPONENTS, NULL, &b->wheel), GPC_OK);
}

static void close_bench(bench *b) {
    gpci_wheel_destroy(&b->wheel);
    gpci_wheel_destroy(&b->wheel);
    gpc_context_destroy(b->context);
}

/* All turns up to and without cycle `end`. */
static void turn_until(bench *b, uint64_t end) {
    for (uint64_t next; (next = gpci_wheel_next(&b->wheel)) < end;)
        gpci_wheel_run_cycle(&b->wheel, next, note, b);
}

static void expect_step(const bench *b, uint32_t index, uint64_t cycle, uint32_t component) {
    cr_assert_lt(index, b->steps, "only %u steps", b->steps);
    cr_expect_eq(b->cycles[index], cycle, "step %u: cycle %llu", index, (unsigned long long)b->cycles[index]);
    cr_expect_eq(b->components[index], component, "step %u: component %u", index, b->components[index]);
}

Test(wheel, ascending_however_they_were_asked_for) {
    bench b;
    open_bench(&b);
    cr_expect_eq(gpci_wheel_next(&b.wheel), GPCI_NEVER);
    const uint32_t asked[] = {199, 3, 64, 0, 63, 127, 128, 3};
    for (uint32_t i = 0; i < 8; i++)
        gpci_wheel_wake(&b.wheel, asked[i], 5);
    gpci_wheel_wake(&b.wheel, 150, 4);
    gpci_wheel_wake(&b.wheel, 9, GPCI_NEVER);
    turn_until(&b, GPCI_NEVER);
    const uint32_t order[] = {0, 3, 63, 64, 127, 128, 199};
    cr_assert_eq(b.steps, 8, "each once");
    expect_step(&b, 0, 4, 150);
    for (uint32_t i = 0; i < 7; i++)
        expect_step(&b, 1 + i, 5, order[i]);
    cr_expect_eq(gpci_wheel_next(&b.wheel), GPCI_NEVER);
    close_bench(&b);
}

Test(wheel, the_present_cycle_is_over_between_turns) {
    bench b;
    open_bench(&b);
    gpci_wheel_wake(&b.wheel, 199, 0);
    cr_expect_eq(gpci_wheel_next(&b.wheel), 1);
    turn_until(&b, GPCI_NEVER);
    gpci_wheel_wake(&b.wheel, 0, 1);
    gpci_wheel_wake(&b.wheel, 199, 0);
    turn_until(&b, GPCI_NEVER);
    cr_assert_eq(b.steps, 3);
    expect_step(&b, 0, 1, 199);
    expect_step(&b, 1, 2, 0);
    expect_step(&b, 2, 2, 199);
    close_bench(&b);
}

Test(wheel, within_a_turn_only_who_is_still_to_come) {
    bench b;
    open_bench(&b);
    b.chain = true;
    b.when = 10;
    memcpy(b.woken, (uint32_t[]){69, 70, 71, 199}, sizeof b.woken); /* earlier, equal, same word, another word */
    gpci_wheel_wake(&b.wheel, 70, 10);
    turn_until(&b, GPCI_NEVER);
    cr_assert_eq(b.steps, 5);
    expect_step(&b, 0, 10, 70);
    expect_step(&b, 1, 10, 71);
    expect_step(&b, 2, 10, 199);
    expect_step(&b, 3, 11, 69);
    expect_step(&b, 4, 11, 70);
    close_bench(&b);
}

Test(wheel, a_cycle_gone_by_is_the_first_possible) {
    bench b;
    open_bench(&b);
    b.chain = true;
    b.when = 3;
    memcpy(b.woken, (uint32_t[]){0, 1, 100, 101}, sizeof b.woken);
    gpci_wheel_wake(&b.wheel, 70, 500);
    turn_until(&b, GPCI_NEVER);
    cr_assert_eq(b.steps, 5);
    expect_step(&b, 1, 500, 100);
    expect_step(&b, 2, 500, 101);
    expect_step(&b, 3, 501, 0);
    expect_step(&b, 4, 501, 1);
    close_bench(&b);
}

Test(wheel, beyond_the_span_is_its_end) {
    bench b;
    open_bench(&b);
    gpci_wheel_wake(&b.wheel, 1, GPCI_WHEEL_SPAN - 1);
    gpci_wheel_wake(&b.wheel, 2, GPCI_WHEEL_SPAN);
    gpci_wheel_wake(&b.wheel, 3, GPCI_NEVER - 1);
    turn_until(&b, GPCI_NEVER);
    cr_assert_eq(b.steps, 3);
    for (uint32_t i = 0; i < 3; i++)
        expect_step(&b, i, GPCI_WHEEL_SPAN - 1, i + 1);
    /* again from a place in the middle, so that the slots wrap */
    gpci_wheel_wake(&b.wheel, 2, 1500);
    gpci_wheel_wake(&b.wheel, 1, 1500 + GPCI_WHEEL_SPAN);
    turn_until(&b, 1501);
    gpci_wheel_wake(&b.wheel, 0, 1500 + GPCI_WHEEL_SPAN);
    turn_until(&b, GPCI_NEVER);
    cr_assert_eq(b.steps, 6);
    expect_step(&b, 3, 1500, 2);
    expect_step(&b, 4, 2 * (GPCI_WHEEL_SPAN - 1), 1);
    expect_step(&b, 5, 1500 + GPCI_WHEEL_SPAN - 1, 0);
    close_bench(&b);
}

/* Asking again until the time comes, a component is on time at any distance. */
Test(wheel, asking_again_reaches_any_cycle) {
    bench b;
    open_bench(&b);
    while (b.wheel.now < 100000) {
        gpci_wheel_wake(&b.wheel, 5, 100000);
        uint64_t next = gpci_wheel_next(&b.wheel);
        cr_assert(next > b.wheel.now && next <= 100000);
        gpci_wheel_run_cycle(&b.wheel, next, note, &b);
    }
    cr_expect_eq(b.wheel.now, 100000);
    cr_expect_eq(b.steps, (100000 + GPCI_WHEEL_SPAN - 2) / (GPCI_WHEEL_SPAN - 1));
    close_bench(&b);
}

Test(wheel, next_finds_every_distance_from_every_slot) {
    bench b;
    open_bench(&b);
    for (uint64_t start = 0; start < 3 * GPCI_WHEEL_SPAN; start += 31)
        for (uint64_t distance = 1; distance < GPCI_WHEEL_SPAN; distance += 11) {
            b.wheel.now = start;
            gpci_wheel_wake(&b.wheel, 77, start + distance);
            cr_assert_eq(gpci_wheel_next(&b.wheel), start + distance, "%llu and %llu", (unsigned long long)start,
                         (unsigned long long)distance);
            gpci_wheel_clear(&b.wheel);
        }
    close_bench(&b);
}

Test(wheel, clear_forgets) {
    bench b;
    open_bench(&b);
    for (uint64_t cycle = 1; cycle < GPCI_WHEEL_SPAN; cycle += 100)
        gpci_wheel_wake(&b.wheel, 10, cycle);
    gpci_wheel_clear(&b.wheel);
    cr_expect_eq(gpci_wheel_next(&b.wheel), GPCI_NEVER);
    gpci_wheel_wake(&b.wheel, 11, 101); /* a cycle with another component */
    turn_until(&b, GPCI_NEVER);
    cr_assert_eq(b.steps, 1);
    expect_step(&b, 0, 101, 11);
    close_bench(&b);
}

/* Random wakes compared with a plain table of due components. */
Test(wheel, random_wakes_against_a_table) {
    static uint64_t due[COMPONENTS]; /* bits of the next 64 cycles, from `cycle` on */
    bench b;
    uint64_t state = 3, cycle = 0;
    open_bench(&b);
    for (int round = 0; round < 20000; round++, cycle++) {
        for (uint32_t n = gpci_random_below(&state, 4); n; n--) {
            uint32_t component = gpci_random_below(&state, COMPONENTS), ahead = 1 + gpci_random_below(&state, 63);
            gpci_wheel_wake(&b.wheel, component, cycle + ahead);
            due[component] |= (uint64_t)1 << ahead;
        }
        bool any = false;
        for (uint32_t i = 0; i < COMPONENTS; i++)
            any |= (due[i] >>= 1) & 1;
        b.steps = 0;
        cr_assert_eq(gpci_wheel_next(&b.wheel) == cycle + 1, any);
        gpci_wheel_run_cycle(&b.wheel, cycle + 1, note, &b);
        uint32_t step = 0;
        for (uint32_t i = 0; i < COMPONENTS; i++)
            if (due[i] & 1)
                expect_step(&b, step++, cycle + 1, i);
        cr_assert_eq(b.steps, step);
    }
    close_bench(&b);
}

static void *refuse(void *user_data, size_t bytes) {
    return *(bool *)user_data ? NULL : malloc(bytes);
}

static void *refuse_resize(void *user_data, void *memory, size_t bytes) {
    return *(bool *)user_data ? NULL : realloc(memory, bytes);
}

static void give_back(void *user_data, void *memory) {
    (void)user_data;
    free(memory);
}

Test(wheel, out_of_memory) {
    bool refused = false;
    gpc_context_options hooks = GPC_CONTEXT_OPTIONS_INIT;
    gpc_context *context;
    gpc_error error;
    gpci_wheel wheel;
    hooks.allocate = refuse;
    hooks.resize = refuse_resize;
    hooks.release = give_back;
    hooks.allocator_data = &refused;
    cr_assert_eq(gpc_context_create(&hooks, &context, NULL), GPC_OK);
    refused = true;
    cr_expect_eq(gpci_wheel_create(context, 10, &error, &wheel), GPC_ERROR_MEMORY);
    gpci_wheel_destroy(&wheel);
    gpc_context_destroy(context);
}
