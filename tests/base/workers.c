/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "base/workers.h"

#include "base/rig.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define MOST 8

/* Every share reads the others' writes of the previous round, and writes a value: a round late is a wrong sum. */
typedef struct rounds {
    uint64_t value[2][MOST][8]; /* each on a separate cache line */
    uint32_t count, round;
} rounds;

static void add(void *user_data, uint32_t worker) {
    rounds *r = user_data;
    const uint32_t from = r->round & 1;
    uint64_t sum = worker;
    for (uint32_t i = 0; i < r->count; i++)
        sum += r->value[from][i][0];
    r->value[!from][worker][0] = sum;
}

static void run(uint32_t count, uint64_t delay, uint32_t times) {
    gpc_context *context;
    gpci_workers *workers;
    gpc_error error = GPC_ERROR_INIT;
    uint64_t expected[MOST] = {0};
    rounds r = {.count = count};
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    const gpci_workers_options options = {.count = count, .exactly = true, .delay = delay};
    cr_assert_eq(gpci_workers_create(context, &options, &error, &workers), GPC_OK, "%s", error.message);
    cr_assert_eq(gpci_workers_count(workers), count);
    for (; r.round < times; r.round++) {
        uint64_t sum = 0;
        gpci_workers_run(workers, add, &r);
        for (uint32_t i = 0; i < count; i++)
            sum += expected[i];
        for (uint32_t i = 0; i < count; i++) {
            expected[i] = sum + i;
            cr_assert_eq(r.value[!(r.round & 1)][i][0], expected[i], "%u threads, round %u, share %u", count, r.round,
                         i);
        }
    }
    gpci_workers_destroy(workers);
    gpc_context_destroy(context);
}

/* Also more threads than processors: no thread spins, all sleep. */
Test(workers, every_round_has_all_shares) {
    for (uint32_t count = 1; count <= MOST; count++)
        run(count, 0, count > 2 ? 200 : 2000);
}

Test(workers, whoever_is_late) {
    for (uint32_t count = 2; count <= 4; count++)
        run(count, count, 100);
}

Test(workers, no_more_threads_than_processors) {
    gpc_context *context;
    gpci_workers *workers;
    uint64_t runs = 7;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_geq(gpci_processors(), 1);
    const gpci_workers_options options = {.count = gpci_processors() + 5};
    cr_assert_eq(gpci_workers_create(context, &options, NULL, &workers), GPC_OK);
    cr_assert_eq(gpci_workers_count(workers), gpci_processors());
    cr_assert_eq(gpci_workers_waited(workers, &runs), 0);
    cr_assert_eq(runs, 0);
    gpci_workers_destroy(workers);
    gpci_workers_destroy(NULL);
    gpc_context_destroy(context);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void second_is_late(void *user_data, uint32_t worker) {
    (void)user_data;
    const struct timespec late = {.tv_nsec = 50000000};
    if (worker)
        nanosleep(&late, NULL);
}

Test(workers, how_long_the_caller_waits) {
    gpc_context *context;
    gpci_workers *workers;
    uint64_t runs = 7;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    const gpci_workers_options options = {.count = 2, .exactly = true};
    cr_assert_eq(gpci_workers_create(context, &options, NULL, &workers), GPC_OK);
    gpci_workers_run(workers, second_is_late, NULL);
    cr_expect_eq(gpci_workers_waited(workers, &runs), 0);
    cr_expect_eq(runs, 0, "it is measured from now on");
    const double from = seconds();
    for (unsigned n = 0; n < 3; n++)
        gpci_workers_run(workers, second_is_late, NULL);
    const double all = seconds() - from, waited = gpci_workers_waited(workers, &runs);
    cr_expect_eq(runs, 3);
    cr_expect(waited <= all && waited > all - 0.1, "%g of %g seconds", waited, all);
    gpci_workers_destroy(workers);
    gpc_context_destroy(context);
}

static pthread_key_t at_end;
static atomic_uint ended;

/* The later, the further behind the caller. */
static void end_late(void *worker) {
    const struct timespec late = {.tv_nsec = 10000000L * *(uint32_t *)worker};
    nanosleep(&late, NULL);
    atomic_fetch_add(&ended, 1);
}

static void remember_to_end(void *user_data, uint32_t worker) {
    uint32_t *numbers = user_data;
    numbers[worker] = worker;
    if (worker)
        cr_assert_eq(pthread_setspecific(at_end, &numbers[worker]), 0);
}

/* Destroying workers waits until the threads have ended: their data may be freed. */
Test(workers, all_have_ended) {
    gpc_context *context;
    gpci_workers *workers;
    uint32_t numbers[4];
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(pthread_key_create(&at_end, end_late), 0);
    const gpci_workers_options options = {.count = 4, .exactly = true};
    cr_assert_eq(gpci_workers_create(context, &options, NULL, &workers), GPC_OK);
    gpci_workers_run(workers, remember_to_end, numbers);
    gpci_workers_destroy(workers);
    cr_expect_eq(atomic_load(&ended), 3);
    gpc_context_destroy(context);
}
