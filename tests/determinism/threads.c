/* SPDX-License-Identifier: BSD-2-Clause */
/* Several threads give the bytes of a single thread: all counters of all objects, at many cycles on the way. */
#include "effort.h"
#include "level/rules/hierarchy.h"
#include "measured.h"
#include "replay/core/replay.h"
#include "timed/core/shards.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

typedef struct outcome {
    uint64_t digest, samples, cycles, shared;
} outcome;

static void digest(outcome *o, const void *data, size_t bytes) {
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++)
        o->digest = (o->digest ^ at[i]) * 0x100000001b3u;
}

/* Counts of every SM, slice, channel and network, beside the sum. */
static void digest_objects(outcome *o, const gpc_hierarchy *h) {
    gpc_stats stats;
    for (uint32_t sm = 0; sm < h->sms; sm++) {
        gpci_stats_init(&stats);
        gpci_hierarchy_add_sm(h, sm, &stats);
        gpci_hierarchy_add_sm_histograms(h, sm, &stats);
        digest(o, &stats, sizeof stats);
    }
    for (uint32_t slice = 0; slice < h->slices; slice++) {
        gpci_stats_init(&stats);
        gpci_hierarchy_add_slice(h, slice, &stats);
        gpci_timed_add_object(h->timed, GPCI_SCOPE_SLICE, slice, &stats);
        digest(o, &stats, sizeof stats);
    }
    for (uint32_t channel = 0; channel < h->timed->channels; channel++) {
        gpci_stats_init(&stats);
        gpci_timed_add_object(h->timed, GPCI_SCOPE_CHANNEL, channel, &stats);
        digest(o, &stats, sizeof stats);
    }
    for (uint32_t i = 0; i < gpci_timed_networks(h->timed); i++) {
        const gpci_network_stats n = gpci_timed_network_stats(h->timed, i);
        digest(o, &n, sizeof n);
    }
}

typedef struct run {
    outcome outcome;
    gpc_replay *replay;
} run;

static void on_sample(void *user_data, uint64_t cycle, const gpc_stats *lent) {
    measured_stats read;
    const measured_stats *stats = &read;
    measure_sample(lent, &read);
    run *r = user_data;
    digest(&r->outcome, &cycle, sizeof cycle);
    digest(&r->outcome, stats, sizeof *stats);
    if (r->outcome.samples++ % 16 == 0)
        digest_objects(&r->outcome, gpc_replay_hierarchy(r->replay));
}

static void set_all(gpc_config *config, const char *settings) {
    char text[400];
    gpc_error error = GPC_ERROR_INIT;
    snprintf(text, sizeof text, "%s", settings);
    for (char *rest = text, *line; *rest;) {
        line = rest;
        rest += strcspn(rest, ";");
        rest += *rest ? (*rest = '\0', 1) : 0;
        char *value = strchr(line, '=');
        *value = '\0';
        cr_assert_eq(gpc_config_set(config, line, value + 1, &error), GPC_OK, "%s", error.message);
    }
}

/* `delay`: 0: threads without delays. */
static outcome replay(const char *preset, const char *settings, const char *source, unsigned threads, uint64_t delay) {
    gpc_context *context;
    gpc_config *config;
    gpc_trace *trace;
    gpc_error error = GPC_ERROR_INIT;
    run r = {.outcome = {.digest = 0xcbf29ce484222325u}};
    char count[16];
    snprintf(count, sizeof count, "%u", threads);
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpc_config_create(context, &config, NULL), GPC_OK);
    cr_assert_eq(gpc_config_load_preset(config, preset, &error), GPC_OK, "%s", error.message);
    set_all(config, "mode=timed");
    set_all(config, settings);
    cr_assert_eq(gpc_config_set(config, "threads", count, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_replay_create(context, config, &r.replay, &error), GPC_OK, "%s", error.message);
    gpci_timed *t = gpc_replay_hierarchy(r.replay)->timed;
    if (threads > 1)
        cr_assert_eq(gpci_shards_test(t, delay, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_replay_on_sample(r.replay, 100, on_sample, &r, NULL), GPC_OK);
    cr_assert_eq(gpc_trace_open(context, source, &trace, &error), GPC_OK, "%s", error.message);
    measured_stats stats;
    measured_clear(&stats);
    gpc_status status;
    while ((status = measure_kernel(r.replay, trace, NULL, &stats, &error)) == GPC_OK) {
        digest(&r.outcome, &stats, sizeof stats);
        r.outcome.cycles += stats.cycles;
    }
    cr_assert_eq(status, GPC_END, "%s, %s: %s", settings, source, error.message);
    digest_objects(&r.outcome, gpc_replay_hierarchy(r.replay));
    r.outcome.shared = gpci_shards_shared(t, NULL);
    gpc_trace_close(trace);
    gpc_replay_destroy(r.replay);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return r.outcome;
}

static void compare(const char *preset, const char *settings, const char *source, unsigned threads, uint64_t delay,
                    const outcome *one) {
    const outcome many = replay(preset, settings, source, threads, delay);
    cr_expect_eq(many.cycles, one->cycles, "%s, %s, %s, %u threads: %llu cycles, not %llu", preset, settings, source,
                 threads, (unsigned long long)many.cycles, (unsigned long long)one->cycles);
    cr_expect_eq(many.digest, one->digest, "%s, %s, %s, %u threads: counters differ", preset, settings, source,
                 threads);
    cr_expect_gt(many.shared, 20, "%s, %s, %s: %u threads shared %llu phases of %llu cycles", preset, settings, source,
                 threads, (unsigned long long)many.shared, (unsigned long long)many.cycles);
}

static const struct scenario {
    const char *preset, *settings, *source;
} scenarios[] = {
    {"qv100", "", "synthetic:gather:32KiB"},
    {"qv100", "", "synthetic:vectoradd:64KiB"},
    {"h100", "", "synthetic:gather:32KiB"},
    {"h100", "coherence=viper", "synthetic:vectoradd:64KiB"},
    {"a100", "", "synthetic:warp-reuse:512KiB:lines=32,repeats=2"},
    {"gtx480", "", "synthetic:gather:16KiB"},
    {"gtx480", "l1.reorder=block", "synthetic:vectoradd:32KiB"},
    {"gtx480", "l1.prefetcher=mta(throttle=off)", "synthetic:vectoradd:32KiB"},
    {"qv100", "l2.prefetcher=stride", "synthetic:vectoradd:64KiB"},
    {"h100", "l2.prefetcher=next-line(degree=2)", "synthetic:gather:32KiB"},
    {"qv100", "scheduler=lrr + ccws;l1.replacement=srrip", "synthetic:warp-reuse:256KiB:lines=16,repeats=2"},
    {"qv100", "l1.replacement=random;l2.replacement=ship", "synthetic:gather:32KiB"},
    {"qv100", "l1.replacement=drrip;l1.bypass=agcb", "synthetic:gather:32KiB"},
    {"qv100", "tlb.page=4KiB;tlb.l1_entries=4;tlb.l2_entries=16;tlb.l1_mshr_entries=2", "synthetic:gather:32KiB"},
    {"qv100", "sm.fetch=2;l1i.size=1KiB", "synthetic:gather:32KiB"},
    {"qv100",
     "sm.fetch=2;sm.fetch_by=scheduler;l1i.size=512B;l1i.prefetch=3;l15.size=1KiB;l15.sms=4;l15.mshr_entries=2",
     "synthetic:gather:32KiB"},
    {"h100", "sm.fetch=2;l1i.size=512B;l1i.prefetch=2;l15.size=1KiB;l15.sms=2;kernels.code=l2",
     "synthetic:gather:32KiB"},
    {"qv100", "gl1.size=32KiB;gl1.sms=5;gl1.mshr_entries=64", "synthetic:gather:32KiB"},
    {"qv100", "gl1.size=16KiB;gl1.sms=80;coherence=viper", "synthetic:vectoradd:64KiB"},
    {"qv100", "l2.size=384KiB;memory_cache.size=1MiB", "synthetic:gather:32KiB"},
    {"h100", "l2.size=2560KiB;memory_cache.size=8MiB", "synthetic:gather:32KiB"},
    {"qv100", "limit.instructions=3000", "synthetic:warp-reuse:256KiB:lines=16,repeats=2"},
    {"qv100", "launch.cycles=0;limit.cycles=1500;dram.channels=8;l2.slices=16", "synthetic:gather:32KiB"},
};

Test(threads, any_number_gives_the_same) {
    const unsigned counts[] = {2, 3, 8};
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        const struct scenario *s = &scenarios[i];
        const outcome one = replay(s->preset, s->settings, s->source, 1, 0);
        cr_expect_eq(one.shared, 0);
        compare(s->preset, s->settings, s->source, counts[i % 3], 0, &one);
    }
}

/* A delay of any thread changes no result. */
Test(threads, delays_change_nothing) {
    const char *source = "synthetic:gather:4KiB";
    const outcome one = replay("h100", "sm.count=8", source, 1, 0);
    for (uint64_t time = 0; time < effort_of(100); time++)
        compare("h100", "sm.count=8", source, 2 + time % 3, 1 + time, &one);
}

static gpc_status create(const char *preset, const char *settings, gpc_hierarchy **out, gpc_error *error) {
    gpc_context *context;
    gpc_config *config;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpc_config_create(context, &config, NULL), GPC_OK);
    cr_assert_eq(gpc_config_load_preset(config, preset, error), GPC_OK, "%s", error->message);
    set_all(config, settings);
    const gpc_status status = gpc_hierarchy_create(context, config, out, error);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return status;
}

/* A number of threads is refused if no work is separable; `auto` is then 1. */
Test(threads, has_an_effect_or_is_refused) {
    static const char *const refused[] = {"mode=functional", "mode=timed;coherence=msi",
                                          "mode=timed;l2.inclusion=inclusive;l1.replacement=rpr",
                                          "mode=timed;l1.replacement=rpr;l2.replacement=rpr"};
    gpc_hierarchy *h;
    char settings[200];
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        gpc_error error = GPC_ERROR_INIT;
        snprintf(settings, sizeof settings, "%s;threads=2", refused[i]);
        cr_expect_eq(create("gtx480", settings, &h, &error), GPC_ERROR_RANGE, "%s", settings);
        cr_expect(strstr(error.message, "threads = 2 has no effect"), "%s: %s", settings, error.message);
        snprintf(settings, sizeof settings, "%s;threads=auto", refused[i]);
        cr_assert_eq(create("gtx480", settings, &h, &error), GPC_OK, "%s: %s", settings, error.message);
        cr_expect_eq(gpc_hierarchy_threads(h), 1, "%s", settings);
        gpc_hierarchy_destroy(h);
    }
    cr_expect_eq(gpc_hierarchy_threads(NULL), 1);
}

static void on_complete(void *user_data, const gpc_completion *completion) {
    (void)user_data;
    (void)completion;
}

static bool on_memory(void *user_data, const gpc_memory_request *request) {
    (void)user_data;
    (void)request;
    return true;
}

static void on_fill(void *user_data, unsigned level, uint32_t instance, uint64_t line_address, uint8_t sectors,
                    const gpc_request *request) {
    (void)user_data, (void)level, (void)instance, (void)line_address, (void)sectors, (void)request;
}

static void on_evict(void *user_data, unsigned level, uint32_t instance, const gpc_eviction *eviction) {
    (void)user_data, (void)level, (void)instance, (void)eviction;
}

static bool on_event(void *user_data, const gpc_event *event) {
    (void)user_data, (void)event;
    return true;
}

/* A host that hears of fills, of evictions, or of events is called in the order of the cycles: by one thread. */
Test(threads, one_for_hosts_that_are_told_of_lines) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy *h;
    cr_assert_eq(create("gtx480", "mode=timed;threads=2", &h, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpci_shards_test(h->timed, 0, &error), GPC_OK);
    for (unsigned told = 0; told < 3; told++) {
        gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
        gpc_event_options trace = GPC_EVENT_OPTIONS_INIT;
        callbacks.on_fill = told == 0 ? on_fill : NULL;
        callbacks.on_evict = told == 1 ? on_evict : NULL;
        trace.on_event = on_event;
        cr_assert_eq(gpc_hierarchy_set_callbacks(h, &callbacks, NULL), GPC_OK);
        cr_assert_eq(gpc_hierarchy_set_trace(h, told == 2 ? &trace : NULL, &error), GPC_OK);
        cr_expect_eq(gpc_hierarchy_threads(h), 1, "%u", told);
        cr_assert_eq(gpc_hierarchy_set_callbacks(h, NULL, NULL), GPC_OK);
        cr_assert_eq(gpc_hierarchy_set_trace(h, NULL, &error), GPC_OK);
        cr_expect_eq(gpc_hierarchy_threads(h), 2, "%u", told);
    }
    gpc_hierarchy_destroy(h);
}

/* Two sides, one side, or no side with separable work: by configuration, and by later settings of the host. */
Test(threads, as_many_as_share_work) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy *h;
    cr_assert_eq(create("gtx480", "mode=timed;threads=2;l1.replacement=rpr", &h, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpci_shards_test(h->timed, 0, &error), GPC_OK);
    cr_expect_eq(gpc_hierarchy_threads(h), 2);
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.on_complete = on_complete;
    cr_assert_eq(gpc_hierarchy_set_callbacks(h, &callbacks, NULL), GPC_OK);
    cr_expect_eq(gpc_hierarchy_threads(h), 2);
    callbacks.on_memory = on_memory;
    cr_expect_eq(gpc_hierarchy_set_callbacks(h, &callbacks, NULL), GPC_ERROR_UNSUPPORTED);
    gpc_hierarchy_destroy(h);
    cr_assert_eq(create("gtx480", "mode=timed;threads=2;l2.inclusion=inclusive", &h, &error), GPC_OK);
    cr_assert_eq(gpci_shards_test(h->timed, 0, &error), GPC_OK);
    cr_expect_eq(gpc_hierarchy_threads(h), 2);
    callbacks.on_memory = NULL;
    cr_assert_eq(gpc_hierarchy_set_callbacks(h, &callbacks, NULL), GPC_OK);
    cr_expect_eq(gpc_hierarchy_threads(h), 1);
    cr_assert_eq(gpc_hierarchy_set_callbacks(h, NULL, NULL), GPC_OK);
    cr_expect_eq(gpc_hierarchy_threads(h), 2);
    gpc_hierarchy_destroy(h);
}
