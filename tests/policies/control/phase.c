/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/control/phase.h"

#include <criterion/criterion.h>

/* The phase detector, period by period (seeds/004 section 4.4.3). */

static const gpci_phase_options one = {.measures = 1, .periods = 3, .threshold = 0.2};

/* '.' for a period without a new phase, '!' for a new phase. */
static void check(const gpci_phase_options *options, const double *values, size_t count, const char *expected) {
    gpci_phase phase;
    gpci_phase_init(&phase, options);
    for (size_t i = 0; i < count; i++) {
        bool begins = gpci_phase_observe(&phase, values + i * options->measures);
        cr_expect_eq(begins, expected[i] == '!', "period %zu of %s", i, expected);
    }
}

#define CHECK(options, expected, ...)                                                           \
    do {                                                                                        \
        const double values[] = {__VA_ARGS__};                                                  \
        check(options, values, sizeof values / sizeof *values / (options)->measures, expected); \
    } while (0)

Test(phase, example_of_the_header) {
    CHECK(&one, "......!", 1.0, 1.1, 0.6, 1.0, 0.6, 0.6, 0.7);
}

Test(phase, a_change_must_exceed_the_threshold) {
    /* 1 to 1.2 and to 0.8 are changes of exactly the threshold (0.25 is exact in binary) */
    const gpci_phase_options quarter = {.measures = 1, .periods = 1, .threshold = 0.25};
    CHECK(&quarter, "..", 1.0, 1.25);
    CHECK(&quarter, "..", 1.0, 0.75);
    CHECK(&quarter, ".!", 1.0, 1.2501);
    CHECK(&quarter, ".!", 1.0, 0.7499);
}

Test(phase, each_period_is_compared_with_the_one_before) {
    /* a slow drift is no change, at every distance */
    CHECK(&one, "......", 1.0, 1.2, 1.4, 1.6, 1.9, 2.2);
}

Test(phase, a_change_must_last) {
    CHECK(&one, ".........", 1, 2, 2, 1, 2, 2, 1, 2, 2);
    CHECK(&one, "...!...!", 1, 2, 2, 2, 2, 1, 1, 1);
    /* compared with the level before, whatever changes came between */
    CHECK(&one, "...!", 1, 2, 5, 0.1);
}

Test(phase, any_measure_may_change) {
    const gpci_phase_options two = {.measures = 2, .periods = 2, .threshold = 0.2};
    CHECK(&two, "....", 1, 5, 1, 5, 2, 5, 1, 5);
    CHECK(&two, "...!", 1, 5, 1, 5, 2, 5, 1, 9);
}

Test(phase, little_is_taken_for_the_floor) {
    const gpci_phase_options floored = {.measures = 1, .periods = 1, .threshold = 0.5, .floors = {0.1}};
    CHECK(&floored, "....", 0.001, 0.09, 0.0, 0.15); /* 0.15 is half more than the floor, not more than half */
    CHECK(&floored, ".!", 0.001, 0.151);
    CHECK(&floored, ".!", 0.3, 0.14);
}

Test(phase, from_nothing_anything_is_a_change) {
    const gpci_phase_options now = {.measures = 1, .periods = 1, .threshold = 100};
    CHECK(&now, "..!.", 0, 0, 0.001, 0.0);
}

Test(phase, restart_forgets) {
    gpci_phase phase;
    gpci_phase_init(&phase, &one);
    double values[] = {1, 2, 2};
    for (size_t i = 0; i < 3; i++)
        cr_assert_not(gpci_phase_observe(&phase, &values[i]));
    gpci_phase_restart(&phase);
    double next[] = {9, 1, 1, 1};
    for (size_t i = 0; i < 4; i++)
        cr_expect_eq(gpci_phase_observe(&phase, &next[i]), i == 3, "period %zu", i);
}

Test(phase, cost) {
    /* a measure of 32 bits, and a counter to 3 */
    cr_expect_eq(gpci_phase_bits(&one), 32 + 2);
    const gpci_phase_options two = {.measures = 2, .periods = 4, .threshold = 0.2};
    cr_expect_eq(gpci_phase_bits(&two), 64 + 3);
}
