/* SPDX-License-Identifier: BSD-2-Clause */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

/*
 * A round of work begins when `round` changes, and ends when `running` is 0. A waiting thread first polls the variable
 * for a while. Then the thread takes the lock, counts itself among the sleepers, and checks the variable again before
 * sleeping. A thread that changes the variable checks the sleepers afterwards. Therefore at least one of the two
 * threads sees the change of the other.
 */

#define LOOKS 4096u /* number of polls before a thread sleeps: some tens of microseconds */
#define YIELD 64u   /* number of polls before the thread yields its processor to another thread */

typedef struct worker {
    struct gpci_workers *all;
    pthread_t thread;
    uint32_t number;
    bool made;
    uint64_t random; /* random state for delays in a test */
} worker;

struct gpci_workers {
    gpc_context *context;
    worker *each; /* [count]; the first is the calling thread */
    uint32_t count, looks;
    bool delayed, measured, ready;
    uint64_t waits;
    double waited;
    pthread_mutex_t lock;
    pthread_cond_t begins, ends;
    gpci_work_fn work;
    void *user_data;
    _Alignas(64) atomic_uint round;
    atomic_uint sleepers;
    atomic_bool over;
    _Alignas(64) atomic_uint running;
    atomic_bool caller_sleeps;
};

uint32_t gpci_processors(void) {
#ifdef __linux__
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > 0)
        return (uint32_t)CPU_COUNT(&set);
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

static void look_again(uint32_t look) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
    if (look % YIELD == YIELD - 1)
        sched_yield();
}

/* Delay in a test: up to some microseconds, sometimes many. */
static void delay(worker *thread) {
    const uint32_t spins = gpci_random_below(&thread->random, gpci_random_below(&thread->random, 16) ? 200 : 20000);
    for (volatile uint32_t i = 0; i < spins; i++)
        ;
}

static void do_share(gpci_workers *all, uint32_t number) {
    if (GPCI_UNLIKELY(all->delayed))
        delay(&all->each[number]);
    all->work(all->user_data, number);
}

/* Wait until the round after round `seen` begins. */
static void await_round(gpci_workers *all, unsigned seen) {
    for (uint32_t i = 0; i < all->looks; i++) {
        if (atomic_load_explicit(&all->round, memory_order_acquire) != seen)
            return;
        look_again(i);
    }
    pthread_mutex_lock(&all->lock);
    atomic_fetch_add(&all->sleepers, 1);
    while (atomic_load(&all->round) == seen)
        pthread_cond_wait(&all->begins, &all->lock);
    atomic_fetch_sub(&all->sleepers, 1);
    pthread_mutex_unlock(&all->lock);
}

static void *serve(void *user_data) {
    worker *thread = user_data;
    gpci_workers *all = thread->all;
    for (unsigned seen = 0;; seen++) {
        await_round(all, seen);
        if (atomic_load_explicit(&all->over, memory_order_relaxed))
            return NULL;
        do_share(all, thread->number);
        if (atomic_fetch_sub(&all->running, 1) == 1 && atomic_load(&all->caller_sleeps)) {
            pthread_mutex_lock(&all->lock);
            pthread_cond_signal(&all->ends);
            pthread_mutex_unlock(&all->lock);
        }
    }
}

static void begin_round(gpci_workers *all) {
    atomic_fetch_add(&all->round, 1);
    if (!atomic_load(&all->sleepers))
        return;
    pthread_mutex_lock(&all->lock);
    pthread_cond_broadcast(&all->begins);
    pthread_mutex_unlock(&all->lock);
}

static void await_others(gpci_workers *all) {
    for (uint32_t i = 0; i < all->looks; i++) {
        if (!atomic_load_explicit(&all->running, memory_order_acquire))
            return;
        look_again(i);
    }
    pthread_mutex_lock(&all->lock);
    atomic_store(&all->caller_sleeps, true);
    while (atomic_load(&all->running))
        pthread_cond_wait(&all->ends, &all->lock);
    atomic_store(&all->caller_sleeps, false);
    pthread_mutex_unlock(&all->lock);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void gpci_workers_run(gpci_workers *all, gpci_work_fn work, void *user_data) {
    all->work = work;
    all->user_data = user_data;
    if (all->count > 1) {
        atomic_store_explicit(&all->running, all->count - 1, memory_order_relaxed);
        begin_round(all);
    }
    do_share(all, 0);
    if (all->count == 1)
        return;
    const double from = GPCI_UNLIKELY(all->measured) ? seconds() : 0;
    await_others(all);
    if (GPCI_UNLIKELY(all->measured)) {
        all->waited += seconds() - from;
        all->waits++;
    }
}

double gpci_workers_waited(gpci_workers *all, uint64_t *out_runs) {
    all->measured = true;
    if (out_runs)
        *out_runs = all->waits;
    return all->waited;
}

uint32_t gpci_workers_count(const gpci_workers *all) {
    return all->count;
}

void gpci_workers_destroy(gpci_workers *all) {
    if (!all)
        return;
    if (all->ready) {
        atomic_store(&all->over, true);
        begin_round(all);
        for (uint32_t i = 1; i < all->count; i++)
            if (all->each[i].made)
                pthread_join(all->each[i].thread, NULL);
        pthread_cond_destroy(&all->begins);
        pthread_cond_destroy(&all->ends);
        pthread_mutex_destroy(&all->lock);
    }
    gpci_free(all->context, all->each);
    gpci_free_lines(all->context, all);
}

static bool make_locks(gpci_workers *all) {
    if (pthread_mutex_init(&all->lock, NULL))
        return false;
    if (!pthread_cond_init(&all->begins, NULL)) {
        if (!pthread_cond_init(&all->ends, NULL))
            return true;
        pthread_cond_destroy(&all->begins);
    }
    pthread_mutex_destroy(&all->lock);
    return false;
}

/* Make the threads of all workers except the caller. */
static bool make_threads(gpci_workers *all, uint64_t seed) {
    all->ready = make_locks(all);
    for (uint32_t i = 0; all->ready && i < all->count; i++) {
        worker *thread = &all->each[i];
        *thread = (worker){.all = all, .number = i, .random = seed + i};
        thread->made = i && !pthread_create(&thread->thread, NULL, serve, thread);
        if (i && !thread->made)
            return false;
    }
    return all->ready;
}

gpc_status gpci_workers_create(gpc_context *context, const gpci_workers_options *options, gpc_error *error,
                               gpci_workers **out) {
    const uint32_t processors = gpci_processors();
    *out = NULL;
    gpci_workers *all = gpci_zalloc_lines(context, 1, sizeof *all);
    if (!all)
        return gpci_out_of_memory(error);
    all->context = context;
    all->count = options->count > processors && !options->exactly ? processors : options->count;
    all->looks = all->count <= processors ? LOOKS : 0;
    all->delayed = options->delay != 0;
    all->each = gpci_zalloc(context, all->count, sizeof *all->each);
    gpc_status status = all->each ? GPC_OK : gpci_out_of_memory(error);
    if (status == GPC_OK && !make_threads(all, options->delay))
        status = gpci_fail(error, GPC_ERROR_MEMORY, "the system gives no %u threads", all->count);
    if (status < 0)
        gpci_workers_destroy(all);
    else
        *out = all;
    return status;
}
