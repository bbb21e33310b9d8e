/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Policy inputs not from accesses: samples, stalls, state shared by caches of a level. */

/* With a context, to register or to make caches in, before rig_open. */
static void begin(rig *r) {
    rig_init(r);
    cr_assert_eq(gpc_context_create(NULL, &r->context, NULL), GPC_OK);
}

static void open_with(rig *r, const char *replacement) {
    rig_init(r);
    r->options.replacement = replacement;
    rig_open(r);
}

/* A period of three lines in a loop in two ways, never hit by LRU. Returns the hits. */
static unsigned loop(gpc_cache *cache) {
    unsigned hits = 0;
    for (unsigned i = 0; i < 30; i++) {
        gpc_access_result result;
        const gpc_request load = LOAD_LINE(i % 3 * 128);
        cr_assert_eq(gpc_cache_access(cache, &load, &result, NULL), GPC_OK);
        hits += result.outcome == GPC_HIT;
    }
    return hits;
}

static void end_period(gpc_cache *cache, unsigned hits) {
    gpc_sample sample = GPC_SAMPLE_INIT;
    sample.active_cycles = 100;
    sample.instructions = hits;
    cr_assert_eq(gpc_cache_sample(cache, &sample, NULL), GPC_OK);
}

static uint64_t value_of(const gpc_cache *cache, const char *name) {
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    for (size_t i = 0; gpc_cache_policy_value(cache, i, &value, NULL) == GPC_OK; i++)
        if (!strcmp(value.name, name))
            return value.value;
    cr_assert_fail("there is no %s", name);
    return 0;
}

Test(cache_samples, a_vote_on_a_cache_by_itself) {
    rig sampled, silent;
    open_with(&sampled, "vote(lru, mru, periods=1)");
    open_with(&silent, "vote(lru, mru, periods=1)");
    cr_expect_eq(gpc_cache_lacks(sampled.cache), GPC_READS_SAMPLES);
    unsigned hits = 0;
    for (unsigned period = 0; period < 8; period++) {
        end_period(sampled.cache, hits = loop(sampled.cache));
        cr_expect_eq(loop(silent.cache), 0, "without samples it is lru");
    }
    cr_expect_eq(hits, 15, "mru has won: %u hits", hits);
    cr_expect_eq(value_of(sampled.cache, "replacement.vote.votes"), 1);
    cr_expect_eq(value_of(sampled.cache, "replacement.vote.others"), 1);
    cr_expect_eq(value_of(silent.cache, "replacement.vote.votes"), 0);
    cr_expect_eq(gpc_cache_lacks(sampled.cache), 0);
    cr_expect_eq(gpc_cache_lacks(NULL), 0);
    rig_close(&sampled);
    rig_close(&silent);
}

/* Throughput is constant, and mru hits more often. */
Test(cache_samples, a_vote_by_hits_where_told) {
    for (int by_hits = 0; by_hits <= 1; by_hits++) {
        rig r;
        open_with(&r, by_hits ? "vote(lru, mru, periods=1, measure=hits)" : "vote(lru, mru, periods=1)");
        for (unsigned period = 0; period < 8; period++) {
            gpc_sample sample = GPC_SAMPLE_INIT;
            sample.cycles = sample.active_cycles = 100;
            sample.instructions = 50;
            loop(r.cache);
            cr_assert_eq(gpc_cache_sample(r.cache, &sample, NULL), GPC_OK);
        }
        cr_expect_eq(value_of(r.cache, "replacement.vote.votes"), 1);
        cr_expect_eq(value_of(r.cache, "replacement.vote.others"), by_hits);
        rig_close(&r);
    }
}

/* Values known to the cache are passed since the last sample; the rest as from the host. */
static gpc_sample seen;

static void on_sample(void *self, const gpc_sample *sample) {
    (void)self;
    seen = *sample;
}

static uint32_t first_way(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 0;
}

static const gpc_replacement_ops listener = {
    .struct_size = sizeof listener, .name = "listener", .choose_victim = first_way, .on_sample = on_sample};

Test(cache_samples, what_they_say) {
    rig r;
    begin(&r);
    cr_assert_eq(gpc_context_register_replacement(r.context, &listener, NULL, NULL, NULL), GPC_OK);
    r.options.replacement = "listener";
    rig_open(&r);
    for (unsigned n = 1; n < 3; n++) {
        for (unsigned i = 0; i < 4 * n; i++)
            rig_load(&r, 0);
        gpc_sample sample = {.struct_size = sizeof sample, .cycle = 7, .cycles = 5, .instructions = 3, .reads = 99};
        cr_assert_eq(gpc_cache_sample(r.cache, &sample, NULL), GPC_OK);
        cr_expect(seen.cycle == 7 && seen.cycles == 5 && seen.instructions == 3 && !seen.active_cycles);
        cr_expect_eq(seen.reads, 4 * n);
        cr_expect_eq(seen.read_hits, 4 * n - (n == 1));
    }
    end_period(r.cache, 0);
    cr_expect(!seen.reads && !seen.read_hits, "nothing was read");
    for (unsigned i = 1; i < 4; i++)
        rig_load(&r, i * 4096);
    end_period(r.cache, 0);
    cr_expect(seen.reads == 3 && !seen.read_hits, "%llu, %llu", (unsigned long long)seen.reads,
              (unsigned long long)seen.read_hits);
    gpc_cache_reset_stats(r.cache);
    rig_load(&r, 12288);
    end_period(r.cache, 1);
    cr_expect(seen.reads == 1 && seen.read_hits == 1, "after counters began anew");
    /* as many hits as before, of fewer reads; and fewer hits of more reads */
    rig_load(&r, 8192);
    end_period(r.cache, 1);
    gpc_cache_reset_stats(r.cache);
    rig_load(&r, 8192);
    end_period(r.cache, 1);
    cr_expect(seen.reads == 1 && seen.read_hits == 1, "%llu, %llu", (unsigned long long)seen.reads,
              (unsigned long long)seen.read_hits);
    gpc_cache_reset_stats(r.cache);
    for (unsigned i = 3; i < 5; i++)
        rig_load(&r, i * 8192);
    end_period(r.cache, 1);
    cr_expect(seen.reads == 2 && !seen.read_hits, "%llu, %llu", (unsigned long long)seen.reads,
              (unsigned long long)seen.read_hits);
    gpc_sample small = {.struct_size = sizeof(size_t)};
    cr_expect_eq(gpc_cache_sample(r.cache, NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_sample(NULL, &small, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_cache_sample(r.cache, &small, NULL), GPC_ERROR_ABI);
    rig_close(&r);
}

/* Two caches of a level: while one tests mru, the other keeps lru; results hold for both. */
Test(cache_samples, caches_that_vote_together) {
    rig r;
    begin(&r);
    gpc_cache *caches[2] = {NULL, NULL};
    gpc_cache_options options = r.options;
    options.replacement = "vote(lru, mru, periods=1)";
    options.instances = 2;
    for (uint32_t i = 0; i < 2; i++) {
        options.instance = i;
        options.share_with = caches[0];
        gpc_error error = GPC_ERROR_INIT;
        cr_assert_eq(gpc_cache_create(r.context, &options, &caches[i], &error), GPC_OK, "%s", error.message);
    }
    unsigned differed = 0, hits[2] = {0, 0};
    for (unsigned period = 0; period < 8; period++) {
        for (uint32_t i = 0; i < 2; i++)
            hits[i] = loop(caches[i]);
        differed += hits[0] != hits[1];
        for (uint32_t i = 0; i < 2; i++)
            end_period(caches[i], hits[i]);
    }
    cr_expect_geq(differed, 1, "one tests while the other does not");
    cr_expect(hits[0] == 15 && hits[1] == 15, "%u, %u", hits[0], hits[1]);
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_cache_resize(caches[1], 2, 2, &error), GPC_ERROR_STATE);
    cr_expect(strstr(error.message, "share"), "%s", error.message);
    gpc_cache_destroy(caches[0]); /* in any order */
    cr_expect_eq(loop(caches[1]), 15);
    cr_expect_eq(gpc_cache_resize(caches[1], 2, 2, &error), GPC_OK, "%s", error.message);
    gpc_cache_destroy(caches[1]);
    rig_open(&r);
    rig_close(&r);
}

static void refused(gpc_context *context, const gpc_cache_options *options, gpc_status expected, const char *text) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache *cache = NULL;
    cr_expect_eq(gpc_cache_create(context, options, &cache, &error), expected, "%s", text);
    cr_expect(strstr(error.message, text), "'%s' is not in: %s", text, error.message);
    cr_expect_null(cache);
}

Test(cache_samples, who_cannot_share) {
    rig r, other;
    begin(&r);
    r.options.instances = 2;
    rig_open(&r);
    begin(&other);
    gpc_cache_options options = r.options;
    options.share_with = r.cache;
    options.instance = 1;
    refused(other.context, &options, GPC_ERROR_ARGUMENT, "of another context");
    options.ways = 4;
    refused(r.context, &options, GPC_ERROR_ARGUMENT, "a cache of ways = 4 cannot share with one of 2");
    options.ways = 2;
    options.instances = 3;
    refused(r.context, &options, GPC_ERROR_ARGUMENT, "instances = 3 cannot share with one of 2");
    rig_open(&other);
    options.share_with = other.cache;
    options.instances = 0;
    options.instance = 0;
    refused(other.context, &options, GPC_ERROR_ARGUMENT, "is the only one of its level");
    rig_close(&other);
    rig_close(&r);
}

Test(cache_samples, what_a_host_does_not_tell) {
    rig r;
    begin(&r);
    gpc_cache_options options = r.options;
    options.tells = GPC_READS_OF_REQUESTS;
    options.replacement = "dynamic-age-lru";
    refused(r.context, &options, GPC_ERROR_UNSUPPORTED,
            "'dynamic-age-lru' reads what its host does not tell (tells): ");
    refused(r.context, &options, GPC_ERROR_UNSUPPORTED, "samples");
    options.replacement = "opt";
    refused(r.context, &options, GPC_ERROR_UNSUPPORTED, "next_use");
    options.replacement = "lru";
    options.predictor = "agcb";
    refused(r.context, &options, GPC_ERROR_UNSUPPORTED, "policy_word");
    options.predictor = "mrpb";
    refused(r.context, &options, GPC_ERROR_UNSUPPORTED, "stalls");
    options.predictor = "vote";
    refused(r.context, &options, GPC_ERROR_UNSUPPORTED, "predictor 'vote' reads");
    options.predictor = NULL;
    cr_assert_eq(gpc_context_register_replacement(r.context, &listener, NULL, NULL, NULL), GPC_OK);
    options.replacement = "listener"; /* declares no reads, but listens */
    refused(r.context, &options, GPC_ERROR_UNSUPPORTED, "samples");
    options.tells |= GPC_READS_SAMPLES | GPC_READS_POLICY_WORD;
    options.predictor = "agcb";
    r.options = options;
    rig_open(&r);
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_cache_set_replacement(r.cache, "opt", &error), GPC_ERROR_UNSUPPORTED);
    cr_expect(strstr(error.message, "next_use"), "%s", error.message);
    cr_expect_eq(gpc_cache_set_predictor(r.cache, "mrpb", &error), GPC_ERROR_UNSUPPORTED);
    cr_expect_eq(gpc_cache_set_replacement(r.cache, "vote(lru, mru)", &error), GPC_OK, "%s", error.message);
    rig_load(&r, 0);
    rig_close(&r);
}

typedef struct heard {
    unsigned count;
    char last[256];
} heard;

static void listen(void *data, gpc_log_level level, const char *message) {
    heard *h = data;
    h->count += level == GPC_LOG_WARNING;
    snprintf(h->last, sizeof h->last, "%s", message);
}

/* For a host without declarations, the log warns only about inputs without which a policy decides nothing. */
Test(cache_samples, what_a_host_is_warned_of) {
    heard h = {0};
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    options.log = listen;
    options.log_data = &h;
    static const struct {
        const char *replacement, *predictor, *warning;
    } rows[] = {
        {"vote(lru, mru)", "always-cache", "'vote(lru, mru)' with 'always-cache' lives on gpc_cache_sample, which"},
        {"dynamic-age-lru", "always-cache", "'dynamic-age-lru' with 'always-cache' lives on gpc_cache_sample, which"},
        {"dynamic-rpr", "always-cache", "'dynamic-rpr' with 'always-cache' lives on gpc_cache_sample, which"},
        {"lru", "agcb", "'lru' with 'agcb' lives on gpc_cache_reply, which"},
        {"vote(lru, mru)", "agcb", "lives on gpc_cache_sample and gpc_cache_reply, which"},
        {"drrip", "always-cache", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned tells = 0; tells < 2; tells++) {
            rig r;
            rig_init(&r);
            cr_assert_eq(gpc_context_create(&options, &r.context, NULL), GPC_OK);
            r.options.replacement = rows[i].replacement;
            r.options.predictor = rows[i].predictor;
            r.options.tells = tells ? GPC_READS_EVERYTHING : 0;
            h.count = 0;
            rig_open(&r);
            cr_expect_eq(h.count, rows[i].warning && !tells, "%s, %s", rows[i].replacement, rows[i].predictor);
            cr_expect(!h.count || strstr(h.last, rows[i].warning), "%s", h.last);
            rig_close(&r);
        }
    rig r;
    rig_init(&r);
    cr_assert_eq(gpc_context_create(&options, &r.context, NULL), GPC_OK);
    rig_open(&r);
    h.count = 0;
    cr_assert_eq(gpc_cache_set_replacement(r.cache, "vote(lru, mru)", NULL), GPC_OK);
    cr_expect_eq(h.count, 1, "of a cache that is there, too");
    cr_assert_eq(gpc_cache_set_predictor(r.cache, "agcb", NULL), GPC_OK);
    cr_expect_eq(h.count, 2);
    end_period(r.cache, 1);
    cr_assert_eq(gpc_cache_set_predictor(r.cache, "always-cache", NULL), GPC_OK);
    cr_expect_eq(h.count, 2, "a sample has come");
    rig_close(&r);
}

Test(cache_samples, stalls) {
    rig r;
    rig_init(&r);
    r.options.predictor = "mrpb(mshr=0)";
    rig_open(&r);
    const gpc_request load = LOAD_LINE(0), store = STORE_LINE(0);
    cr_expect_eq(gpc_cache_stall(r.cache, &load, GPC_BUSY_LINE), GPC_BYPASS);
    cr_expect_eq(gpc_cache_stall(r.cache, &load, GPC_BUSY_MSHR), GPC_CACHE);
    cr_expect_eq(gpc_cache_stall(r.cache, &load, GPC_BUSY_MISS_QUEUE), GPC_BYPASS);
    cr_expect_eq(gpc_cache_stall(r.cache, &load, GPC_BUSY_MERGE), GPC_CACHE);
    cr_expect_eq(gpc_cache_stall(r.cache, &store, GPC_BUSY_LINE), GPC_CACHE);
    cr_expect_eq(gpc_cache_stall(NULL, &load, GPC_BUSY_LINE), GPC_CACHE);
    cr_assert_eq(gpc_cache_set_predictor(r.cache, "agcb", NULL), GPC_OK);
    cr_expect_eq(gpc_cache_stall(r.cache, &load, GPC_BUSY_LINE), GPC_CACHE);
    rig_close(&r);
}
