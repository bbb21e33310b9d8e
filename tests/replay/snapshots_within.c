/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700
#include "effort.h"
#include "measured.h"

#include <gpucache/ext/hierarchy.h>
#include <gpucache/ext/parts.h>
#include <gpucache/ext/replay.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Snapshots within kernels. A replay that pauses, is saved, loaded, and continues in another copy of the trace, and the
 * paused original, end with bytes equal to an uninterrupted replay: statistics of kernels and in total, and the
 * samples.
 */

#define MOST_KERNELS 64u
#define INTERVAL 150u

static gpc_context *context;
static unsigned pauses, exact; /* all pauses; pauses exactly at the wanted cycle */

/* All results of a replay of a trace. */
typedef struct told {
    measured_stats kernels[MOST_KERNELS], total;
    unsigned count;
    uint64_t samples, hash; /* count and hash of samples */
    uint64_t estimates;     /* estimates of a sampled replay; 0: complete */
    uint64_t time;
} told;

typedef struct bytes {
    uint8_t *data;
    size_t size, at;
} bytes;

static gpc_status put(void *user_data, const void *data, size_t size) {
    bytes *b = user_data;
    b->data = realloc(b->data, b->size + size);
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return GPC_OK;
}

static gpc_status get(void *user_data, void *data, size_t size, size_t *out_read) {
    bytes *b = user_data;
    *out_read = size < b->size - b->at ? size : b->size - b->at;
    memcpy(data, b->data + b->at, *out_read);
    b->at += *out_read;
    return GPC_OK;
}

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

#define DRAW(state, list) ((list)[next_random(state) % (sizeof(list) / sizeof *(list))])

static void on_sample(void *user_data, uint64_t cycle, const gpc_stats *lent) {
    measured_stats read;
    const measured_stats *stats = &read;
    measure_sample(lent, &read);
    told *t = user_data;
    t->samples++;
    t->hash = (t->hash ^ cycle) * 0x100000001b3u;
    for (size_t n = 0; n < sizeof *stats; n++)
        t->hash = (t->hash ^ ((const uint8_t *)stats)[n]) * 0x100000001b3u;
}

static gpc_trace *open_trace(const char *source) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_trace *trace = NULL;
    cr_assert_eq(gpc_trace_open(context, source, &trace, &error), GPC_OK, "%s: %s", source, error.message);
    return trace;
}

/* NULL: the random settings are incompatible. */
static gpc_replay *make(const char *settings) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config;
    gpc_replay *replay = NULL;
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    gpc_status status = gpc_config_load_text(config, settings, "drawn", &error);
    if (status == GPC_OK)
        status = gpc_replay_create(context, config, &replay, &error);
    cr_expect(status == GPC_OK || status == GPC_ERROR_RANGE, "%s: %s", settings, error.message);
    gpc_config_destroy(config);
    return status == GPC_OK ? replay : NULL;
}

static void listen(gpc_replay *replay, told *t, bool series) {
    cr_assert_eq(gpc_replay_on_sample(replay, INTERVAL, series ? on_sample : NULL, t, NULL), GPC_OK);
}

static uint64_t hash_of_estimates(const gpc_replay *replay) {
    gpc_sampling sampling = GPC_SAMPLING_INIT;
    uint64_t hash = 0;
    if (gpc_replay_get_sampling(replay, GPC_SAMPLING_ALL, &sampling, NULL) < 0)
        return 0;
    for (size_t n = 0; n < gpc_counter_table_count(GPC_TABLE_HIERARCHY); n++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        gpc_estimate found = GPC_ESTIMATE_INIT;
        cr_assert_eq(gpc_counter_table_at(GPC_TABLE_HIERARCHY, n, &info, NULL), GPC_OK);
        if (gpc_replay_estimate(replay, GPC_SAMPLING_ALL, info.id, &found, NULL) == GPC_OK)
            for (size_t b = 0; b < sizeof found; b++)
                hash = (hash ^ ((const uint8_t *)&found)[b]) * 0x100000001b3u;
    }
    hash += sampling.windows + sampling.warmed_instructions * 3 + sampling.skipped_blocks * 5;
    return sampling.skipped_blocks ? hash : 0;
}

/* Run until a pause, or the end. */
static gpc_status run(gpc_replay *replay, gpc_trace *trace, told *t, const char *what) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_status status;
    do {
        cr_assert_lt(t->count, MOST_KERNELS);
        measured_clear(&t->kernels[t->count]);
        status = measure_kernel(replay, trace, NULL, &t->kernels[t->count], &error);
        cr_assert_geq(status, 0, "%s: %s", what, error.message);
        t->count += status == GPC_OK;
    } while (status == GPC_OK);
    measured_clear(&t->kernels[t->count]);
    measured_clear(&t->total);
    cr_assert_eq(measure_total(replay, &t->total), GPC_OK);
    t->time = gpc_replay_now(replay);
    t->estimates = hash_of_estimates(replay);
    return status;
}

static void expect_same(const told *a, const told *b, const char *what) {
    cr_expect_eq(a->count, b->count, "%s", what);
    cr_expect_eq(a->time, b->time, "%s", what);
    cr_expect_eq(a->samples, b->samples, "%s: samples", what);
    cr_expect_eq(a->hash, b->hash, "%s: samples", what);
    cr_expect_eq(a->estimates, b->estimates, "%s: estimates", what);
    for (unsigned n = 0; n < a->count; n++)
        cr_expect(!memcmp(&a->kernels[n], &b->kernels[n], sizeof a->kernels[n]), "%s: kernel %u", what, n);
    cr_expect(!memcmp(&a->total, &b->total, sizeof a->total), "%s: all", what);
}

/* Saved and loaded, or copied. */
static gpc_replay *another(const gpc_replay *replay, bool by_file, const char *what) {
    gpc_error error = GPC_ERROR_INIT;
    bytes b = {.data = NULL};
    gpc_replay *made = NULL;
    gpc_status status = by_file ? gpc_replay_save(replay, &(gpc_stream)GPC_STREAM_WRITE(put, &b), &error)
                                : gpc_replay_copy(replay, &made, &error);
    cr_assert_eq(status, GPC_OK, "%s: %s", what, error.message);
    if (by_file)
        cr_assert_eq(gpc_replay_load(context, &(gpc_stream)GPC_STREAM_READ(get, &b), NULL, &made, &error), GPC_OK,
                     "%s: %s", what, error.message);
    free(b.data);
    return made;
}

/* At `time`, through a file, and once more through a copy not yet attached to a trace. */
static void check_at(const char *settings, const char *source, const told *whole, uint64_t time, bool series) {
    gpc_error error = GPC_ERROR_INIT;
    char what[1024];
    snprintf(what, sizeof what, "%s, %s at %llu", settings, source, (unsigned long long)time);
    gpc_replay *replay = make(settings);
    gpc_trace *trace = open_trace(source), *again = open_trace(source);
    told t = {.count = 0}, u;
    listen(replay, &t, series);
    cr_assert_eq(gpc_replay_pause_at(replay, time, NULL), GPC_OK);
    cr_assert_eq(run(replay, trace, &t, what), GPC_BUSY, "%s", what);
    /* accesses in flight at a kernel's end, or at a limit, return at once */
    cr_expect_geq(gpc_replay_now(replay), time, "%s", what);
    pauses++;
    exact += gpc_replay_now(replay) == time;
    gpc_replay *loaded = another(replay, true, what), *copy = another(loaded, false, what);
    u = t;
    gpc_replay_destroy(loaded);
    cr_assert_eq(gpc_replay_resume(copy, again, &error), GPC_OK, "%s: %s", what, error.message);
    listen(copy, &u, series);
    cr_expect_eq(run(copy, again, &u, what), GPC_END, "%s", what);
    expect_same(whole, &u, what);
    gpc_replay_pause_at(replay, UINT64_MAX, NULL);
    cr_expect_eq(run(replay, trace, &t, what), GPC_END, "%s", what);
    expect_same(whole, &t, what);
    gpc_replay_destroy(copy);
    gpc_replay_destroy(replay);
    gpc_trace_close(trace);
    gpc_trace_close(again);
}

/* At random times, or at each cycle if `random` is NULL. False: the random settings are incompatible. */
static bool check(const char *settings, const char *source, unsigned times, uint64_t *random) {
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    gpc_replay *replay = make(settings);
    const bool series = strstr(settings, "mode = timed") && !strstr(settings, "sample = "); /* else no series */
    if (replay) {
        gpc_trace *trace = open_trace(source);
        told whole = {.count = 0};
        listen(replay, &whole, series);
        cr_assert_eq(run(replay, trace, &whole, settings), GPC_END);
        cr_assert_gt(whole.time, 1);
        cr_expect(whole.estimates || !strstr(settings, "sample = "), "%s", settings);
        for (uint64_t n = 1; n < (random ? times + 1 : whole.time); n++)
            check_at(settings, source, &whole, random ? next_random(random) % (whole.time - 1) + 1 : n, series);
        gpc_trace_close(trace);
    }
    gpc_replay_destroy(replay);
    gpc_context_destroy(context);
    return replay != NULL;
}

/* Small SMs and caches, so that kept state affects the rest. */
#define SMALL                                                                                                        \
    "sm.count = 3\nkernels.flush = none\nl1.size = 4KiB\nl1.ways = 4\nl2.size = 32KiB\nl2.slices = 2\nl2.ways = 4\n" \
    "dram.channels = 2\nsample.period = 200\n"

static const char *const sources[] = {"synthetic:gather:32KiB",
                                      "synthetic:warp-reuse:16K",
                                      "synthetic:bicg:8KiB",
                                      "synthetic:vectoradd:16K",
                                      "synthetic:transpose-naive:64KiB",
                                      "synthetic:stream:16KiB:turns=3",
                                      "synthetic:stream:32KiB",
                                      "synthetic:sssp:8KiB:launches=4",
                                      "synthetic:bulk-copy:32KiB:tiles=4,stages=2",
                                      "synthetic:bulk-copy:32KiB:tiles=4,stages=2,kind=3",
                                      "synthetic:bulk-copy:32KiB:tiles=4,stages=2,kind=5"};

/* Name of a policy of a kind. */
static const char *draw_policy(uint64_t *random, gpc_policy_kind kind, gpc_policy_info *info) {
    *info = (gpc_policy_info)GPC_POLICY_INFO_INIT;
    size_t count = gpc_policy_count(context, kind);
    cr_assert_eq(gpc_policy_at(context, kind, next_random(random) % count, info, NULL), GPC_OK);
    return info->name;
}

static void draw(uint64_t *random, char settings[1024]) {
    static const char *const clocks[] = {"mode = functional\n", "mode = timed\n", "mode = timed\n"};
    static const char *const threads[] = {"", "", "threads = 2\n"};
    static const char *const more[] = {
        "",
        "l1.write_policy = back\nl1.write_allocate = lazy\n",
        "coherence = viper\n",
        "sm.blocks = 2\nblocks.interval = 7\n",
        "sm.blocks = 2\nblocks.dispatch_interval = 40\n",
        "sm.blocks = 2\nblocks.latency = 40\n",
        "sm.issue_width = 2\nwarps.order = block\n",
        "l1.tokens = strict\n",
        "limit.instructions = 3000\n",
        "coherence = nmoesi\nl2.mshr_entries = 16\n",
        "l1.bypass = agcb\n",
        "sm.interval_alu = 5\nsm.units_fp = 3\nsm.unit_sharing = sm\nl1.miss_latency = 30\n",
        "l1.coalescer = sector\nblocks.release = writes\nsm.blocks = 2\nl1.data_width = 64B\n",
        "l2.interleave = random\nl2.interleave_bytes = 512B\n",
    };
    static const char *const machines[] = {SMALL,
                                           SMALL,
                                           SMALL,
                                           "preset = gtx480\nsm.count = 2\nkernels.flush = none\n",
                                           "preset = qv100\nsm.count = 2\nl2.size = 384KiB\n",
                                           "preset = h100\nsm.count = 4\nl2.size = 240KiB\n"};
    gpc_policy_info replacement, scheduler, throttle;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    draw_policy(random, GPC_POLICY_REPLACEMENT, &replacement);
    draw_policy(random, GPC_POLICY_SCHEDULER, &scheduler);
    draw_policy(random, GPC_POLICY_THROTTLE, &throttle);
    const bool throttled = next_random(random) % 2, optimal = !strncmp(replacement.name, "opt", 3);
    snprintf(settings, 1024, "%s%s%s%sl1.replacement = %s\nscheduler = %s%s%s\n", DRAW(random, machines),
             optimal ? "l1.future = true\n" : DRAW(random, clocks), optimal ? "" : DRAW(random, threads),
             DRAW(random, more), replacement.name, scheduler.name, throttled ? " + " : "",
             throttled ? throttle.name : "");
    gpc_context_destroy(context);
}

Test(replay_snapshots_within, drawn) {
    uint64_t random = 20;
    unsigned made = 0, wanted = effort_of(160);
    for (unsigned n = 0; n < 20 * wanted && made < wanted; n++) {
        char settings[1024];
        draw(&random, settings);
        made += check(settings, DRAW(&random, sources), 2, &random);
    }
    cr_expect_eq(made, wanted);
    cr_expect_gt(exact, pauses * 3 / 4, "%u of %u", exact, pauses);
}

/* Warps waiting for instructions, accesses waiting for pages. */
Test(replay_snapshots_within, fetches_and_translations) {
    static const char *const settings[] = {
        SMALL "mode = timed\nsm.fetch = 2\nl1i.size = 512B\nl1i.ways = 2\n",
        SMALL "mode = timed\nsm.fetch = 2\nsm.fetch_by = scheduler\nl1i.size = 512B\nl1i.ways = 2\nl1i.prefetch = 3\n"
              "l15.size = 1KiB\nl15.ways = 2\nl15.mshr_entries = 1\nl15.queue = 1\n",
        SMALL
        "mode = timed\nthreads = 2\ntlb.page = 4KiB\ntlb.l1_entries = 2\ntlb.l2_entries = 4\ntlb.l2_ways = full\n",
        SMALL "mode = functional\ntlb.page = 4KiB\ntlb.l1_entries = 2\ntlb.l2_entries = 4\ntlb.l2_ways = full\n",
    };
    uint64_t random = 11;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        cr_expect(check(settings[i], "synthetic:gather:32KiB", 2, &random), "%s", settings[i]);
}

/*
 * Busy units at each cycle of a kernel: three units of every class, each class alone and then together. Two schedulers
 * issue at a time, so the units end at different cycles.
 */
Test(replay_snapshots_within, units) {
    static const char settings[] =
        SMALL "mode = timed\nsm.count = 1\nlaunch.cycles = 0\nsm.schedulers = 2\nsm.unit_sharing = sm\n"
              "sm.units_int = 3\nsm.units_fp = 3\nsm.units_double = 3\nsm.units_sfu = 3\nsm.units_tensor = 3\n"
              "sm.units_uniform = 3\nsm.interval_int = 9\nsm.interval_fp = 10\nsm.interval_double = 11\n"
              "sm.interval_sfu = 12\nsm.interval_tensor = 13\nsm.interval_uniform = 14\n";
    static const char *const classes[] = {"int=1,fp=0",
                                          "fp=1,int=0",
                                          "double=1,int=0,fp=0",
                                          "sfu=1,int=0,fp=0",
                                          "tensor=1,int=0,fp=0",
                                          "uniform=1,int=0,fp=0",
                                          "double=1,sfu=1,tensor=1,uniform=1"};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        char source[96];
        snprintf(source, sizeof source, "synthetic:classes:512:threads=128,count=6,%s", classes[i]);
        cr_expect(check(settings, source, 0, NULL));
    }
}

/* Blocks of clusters, running and waiting for room; communication between blocks; copies to several SMs. */
Test(replay_snapshots_within, clusters) {
    static const char *const settings[] = {
        SMALL "mode = timed\nsm.count = 4\nsm.block_limit = 2\nlrc.sms = 2\nl1.replacement = lru\n",
        SMALL "mode = timed\nsm.count = 4\nlrc.sms = 4\nthreads = 2\nsm.bulk_requests = 4\nl1.replacement = lru\n",
        SMALL "mode = functional\nsm.count = 4\nsm.block_limit = 1\nlrc.sms = 2\nl1.replacement = lru\n",
        SMALL "mode = timed\nsm.count = 4\nlrc.sms = 4\nl1.replacement = lru\nsm.fetch = 2\nl1i.size = 512B\n"
              "l1i.ways = 2\ntlb.page = 4KiB\ntlb.l1_entries = 2\ntlb.l2_entries = 4\ntlb.l2_ways = full\n"
              "stats.stages = true\n"};
    static const char *const kernels[] = {"synthetic:multicast:32KiB:cluster=2,tiles=4",
                                          "synthetic:dsmem:32KiB:cluster=2"};
    uint64_t random = 30;
    unsigned made = 0;
    for (unsigned n = 0; n < 4; n++)
        for (unsigned k = 0; k < 2; k++)
            made += check(settings[n], kernels[k], 4, &random);
    cr_expect_eq(made, 8);
}

/* Every way of sampling, at cycles of measured windows, before, and at the end of launches. */
Test(replay_snapshots_within, sampled) {
    static const char *const settings[] = {
        "sample = kernels\nsample.every = 4\n",
        "sample = kernels\nsample.launches = 2\nsample.warming = none\n",
        "sample = blocks\nsample.windows = 2\nsample.tolerance = 50\n",
        "sample = blocks\nsample.windows = 2\nsample.tolerance = 50\nsample.warming = none\n",
        "sample = intervals\nsample.settle = 1\nsample.unit = 1\nsample.skip = 4\nscheduler = gto + ccws\n",
    };
    static const char *const traces[] = {"synthetic:stream:32KiB:turns=10", "synthetic:vectoradd:512KiB"};
    uint64_t random = 3;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        char all[1024];
        snprintf(all, sizeof all, "%smode = timed\nsm.blocks = 4\n%s", SMALL, settings[i]);
        cr_expect(check(all, traces[i > 1], effort_of(16), &random), "%s", all);
    }
}

/* Refusals. */

static gpc_replay *paused(const char *settings, const char *source, uint64_t time, gpc_trace **trace) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_replay *replay = make(settings);
    cr_assert_not_null(replay);
    *trace = open_trace(source);
    gpc_replay_pause_at(replay, time, NULL);
    cr_assert_eq(gpc_replay_kernel(replay, *trace, NULL, &error), GPC_BUSY, "%s", error.message);
    gpc_replay_pause_at(replay, UINT64_MAX, NULL);
    return replay;
}

static void expect_refused(gpc_status status, gpc_status expected, const gpc_error *error, const char *part) {
    cr_expect_eq(status, expected, "%s: %s", gpc_status_string(status), error->message);
    cr_expect(strstr(error->message, part), "'%s' says nothing of '%s'", error->message, part);
}

/* Equal name and grid, with another address of one lane: detected by the present blocks. */
static void write_trace(const char *path, const char *address) {
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fprintf(file, "-kernel name = k\n-kernel id = 1\n-grid dim = (4,1,1)\n-block dim = (32,1,1)\n"
                  "-accelsim tracer version = 4\n#traces format = ...\n");
    for (unsigned b = 0; b < 4; b++)
        fprintf(file,
                "#BEGIN_TB\nthread block = %u,0,0\nwarp = 0\ninsts = 3\n0000 00000001 1 R1 LDG.E 1 R2 4 1 %s 4\n"
                "0010 ffffffff 1 R3 IADD3 1 R1 0\n0020 ffffffff 0 EXIT 0 0\n#END_TB\n",
                b, address);
    cr_assert_eq(fclose(file), 0);
}

Test(replay_snapshots_within, other_traces) {
    gpc_error error = GPC_ERROR_INIT;
    char folder[] = "/tmp/gpucache-within-XXXXXX", path[64], other[64];
    gpc_trace *trace, *again, *wrong;
    measured_stats s, t;
    measured_clear(&s), measured_clear(&t);
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/kernel-1.traceg", folder),
        snprintf(other, sizeof other, "%s/kernel-2.traceg", folder);
    write_trace(path, "0x7f0000001000");
    write_trace(other, "0x7f0000002000");
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    gpc_replay *replay = paused("mode = timed\nsm.count = 2\n", path, 40, &trace), *copy = NULL;
    cr_assert_eq(gpc_replay_copy(replay, &copy, &error), GPC_OK, "%s", error.message);
    again = open_trace(path), wrong = open_trace(other);
    expect_refused(gpc_replay_kernel(copy, again, NULL, &error), GPC_ERROR_STATE, &error, "resume first");
    expect_refused(gpc_replay_kernel(replay, again, NULL, &error), GPC_ERROR_STATE, &error, "another trace");
    expect_refused(gpc_replay_resume(replay, again, &error), GPC_ERROR_STATE, &error, "in the middle of a kernel");
    expect_refused(gpc_replay_resume(copy, wrong, &error), GPC_ERROR_FORMAT, &error, "another block 0");
    cr_assert_eq(gpc_replay_resume(copy, again, &error), GPC_OK, "%s", error.message);
    cr_expect_eq(measure_kernel(replay, trace, NULL, &s, &error), GPC_OK);
    cr_expect_eq(measure_kernel(copy, again, NULL, &t, &error), GPC_OK);
    cr_expect(!memcmp(&s, &t, sizeof s));
    gpc_replay_destroy(replay), gpc_replay_destroy(copy);
    gpc_trace_close(trace), gpc_trace_close(again), gpc_trace_close(wrong);
    gpc_context_destroy(context);
    remove(path), remove(other), remove(folder);
}

Test(replay_snapshots_within, damage) {
    gpc_error error = GPC_ERROR_INIT;
    bytes file = {.data = NULL};
    gpc_trace *trace;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    gpc_replay *replay = paused(SMALL "mode = timed\n", sources[0], 500, &trace), *none = NULL;
    cr_assert_eq(gpc_replay_save(replay, &(gpc_stream)GPC_STREAM_WRITE(put, &file), &error), GPC_OK, "%s",
                 error.message);
    const size_t size = file.size;
    uint64_t random = 7;
    for (uint32_t n = effort_of_checks(512); n--;) {
        const size_t at = next_random(&random) % size;
        file.data[at] ^= 4, file.at = 0;
        gpc_status status = gpc_replay_load(context, &(gpc_stream)GPC_STREAM_READ(get, &file), NULL, &none, &error);
        cr_expect(status == GPC_ERROR_FORMAT || status == GPC_ERROR_ABI || status == GPC_ERROR_STATE, "byte %zu", at);
        cr_expect(strstr(error.message, "offset "), "byte %zu: %s", at, error.message);
        file.data[at] ^= 4, file.at = 0, file.size = at;
        expect_refused(gpc_replay_load(context, &(gpc_stream)GPC_STREAM_READ(get, &file), NULL, &none, &error),
                       GPC_ERROR_FORMAT, &error, "offset ");
        file.size = size;
    }
    cr_expect_null(none);
    free(file.data);
    gpc_replay_destroy(replay);
    gpc_trace_close(trace);
    gpc_context_destroy(context);
}

typedef struct caller {
    gpc_replay *replay;
    gpc_trace *trace;
    unsigned calls;
} caller;

static void save_from_within(void *user_data, uint64_t cycle, const gpc_stats *lent) {
    measured_stats read;
    const measured_stats *stats = &read;
    measure_sample(lent, &read);
    caller *c = user_data;
    gpc_error error = GPC_ERROR_INIT;
    gpc_replay *copy = NULL;
    (void)cycle, (void)stats;
    c->calls++;
    expect_refused(gpc_replay_copy(c->replay, &copy, &error), GPC_ERROR_STATE, &error, "callback");
    expect_refused(gpc_replay_kernel(c->replay, c->trace, NULL, &error), GPC_ERROR_STATE, &error, "callback");
}

Test(replay_snapshots_within, not_from_a_callback) {
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    caller c = {make(SMALL "mode = timed\n"), open_trace(sources[0]), 0};
    cr_assert_eq(gpc_replay_on_sample(c.replay, 500, save_from_within, &c, NULL), GPC_OK);
    cr_assert_eq(gpc_replay_kernel(c.replay, c.trace, NULL, &error), GPC_OK, "%s", error.message);
    cr_expect_gt(c.calls, 1);
    gpc_replay_destroy(c.replay);
    gpc_trace_close(c.trace);
    gpc_context_destroy(context);
}

/* From memory, on a chosen number of threads. */
Test(replay_snapshots_within, loaded_with_threads) {
    static const char *const numbers[] = {"1", "2"};
    gpc_error error = GPC_ERROR_INIT;
    gpc_trace *trace;
    measured_stats whole, rest;
    bytes file = {.data = NULL};
    gpc_replay *none = NULL;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    gpc_replay *replay = paused(SMALL "mode = timed\n", sources[0], 900, &trace);
    cr_assert_eq(gpc_replay_save(replay, &(gpc_stream)GPC_STREAM_WRITE(put, &file), &error), GPC_OK, "%s",
                 error.message);
    measured_clear(&whole);
    cr_assert_eq(measure_kernel(replay, trace, NULL, &whole, &error), GPC_OK, "%s", error.message);
    for (size_t n = 0; n < 2; n++) {
        gpc_replay *loaded = NULL;
        gpc_trace *own = open_trace(sources[0]);
        file.at = 0;
        cr_assert_eq(gpc_replay_load(context, &(gpc_stream)GPC_STREAM_READ(get, &file),
                                     &(gpc_load_options){sizeof(gpc_load_options), numbers[n]}, &loaded, &error),
                     GPC_OK, "%s", error.message);
        const uint32_t threads = gpc_hierarchy_threads(gpc_replay_hierarchy(loaded));
        cr_expect(n ? threads == 1 || threads == 2 : threads == 1, "%u", threads);
        cr_assert_eq(gpc_replay_resume(loaded, own, &error), GPC_OK, "%s", error.message);
        measured_clear(&rest);
        cr_assert_eq(measure_kernel(loaded, own, NULL, &rest, &error), GPC_OK, "%s", error.message);
        cr_expect(!memcmp(&whole, &rest, sizeof whole), "%s threads", numbers[n]);
        gpc_replay_destroy(loaded);
        gpc_trace_close(own);
    }
    file.at = 0;
    expect_refused(gpc_replay_load(context, &(gpc_stream)GPC_STREAM_READ(get, &file),
                                   &(gpc_load_options){sizeof(gpc_load_options), "many"}, &none, &error),
                   GPC_ERROR_FORMAT, &error, "threads");
    cr_expect_null(none);
    free(file.data);
    gpc_replay_destroy(replay);
    gpc_trace_close(trace);
    gpc_context_destroy(context);
}

/* Further state of a replay. */

/* Forks of one kernel: with another policy from here on, and without. */
Test(replay_snapshots_within, forks) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_trace *trace;
    measured_stats stats[4];
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    gpc_replay *replay = paused(SMALL, "synthetic:gather:64KiB", 40, &trace);
    for (unsigned n = 0; n < 3; n++) {
        gpc_replay *fork = NULL;
        gpc_trace *own = open_trace("synthetic:gather:64KiB");
        cr_assert_eq(gpc_replay_copy(replay, &fork, &error), GPC_OK, "%s", error.message);
        for (uint32_t sm = 0; sm < 3 && n == 1; sm++)
            cr_assert_eq(
                gpc_cache_set_replacement(gpc_hierarchy_cache(gpc_replay_hierarchy(fork), 1, sm), "mru", &error),
                GPC_OK);
        cr_assert_eq(gpc_replay_resume(fork, own, &error), GPC_OK, "%s", error.message);
        measured_clear(&stats[n]);
        cr_assert_eq(measure_kernel(fork, own, NULL, &stats[n], &error), GPC_OK, "%s", error.message);
        gpc_replay_destroy(fork);
        gpc_trace_close(own);
    }
    measured_clear(&stats[3]);
    cr_assert_eq(measure_kernel(replay, trace, NULL, &stats[3], &error), GPC_OK);
    cr_expect(!memcmp(&stats[0], &stats[2], sizeof stats[0]));
    cr_expect(!memcmp(&stats[0], &stats[3], sizeof stats[0]));
    cr_expect_neq(stats[0].l1_load_sector_hits, stats[1].l1_load_sector_hits);
    gpc_replay_destroy(replay);
    gpc_trace_close(trace);
    gpc_context_destroy(context);
}

/* Values by object are of the whole kernel; a time series no longer wanted by the host ends. */
Test(replay_snapshots_within, objects) {
    gpc_error error = GPC_ERROR_INIT;
    const char *settings = SMALL "mode = timed\n";
    told ignored = {.count = 0};
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    gpc_replay *replay = make(settings), *copy = NULL;
    gpc_trace *trace = open_trace(sources[0]), *again = open_trace(sources[0]);
    const uint32_t id = 3; /* warp_instructions */
    uint64_t a = 0, b = 0;
    cr_assert_eq(gpc_replay_keep_objects(replay, true, NULL), GPC_OK);
    listen(replay, &ignored, true);
    gpc_replay_pause_at(replay, 700, NULL);
    cr_assert_eq(gpc_replay_kernel(replay, trace, NULL, &error), GPC_BUSY);
    gpc_replay_pause_at(replay, UINT64_MAX, NULL);
    cr_assert_eq(gpc_replay_copy(replay, &copy, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_replay_resume(copy, again, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_replay_kernel(replay, trace, NULL, &error), GPC_OK);
    cr_assert_eq(gpc_replay_kernel(copy, again, NULL, &error), GPC_OK);
    for (uint32_t sm = 0; sm < 3; sm++) {
        cr_assert_eq(gpc_replay_read(replay, GPC_OBJECT_SM, sm, &id, 1, &a, 1, NULL), GPC_OK);
        cr_assert_eq(gpc_replay_read(copy, GPC_OBJECT_SM, sm, &id, 1, &b, 1, NULL), GPC_OK);
        cr_expect(a > 0 && a == b);
    }
    gpc_replay_destroy(replay), gpc_replay_destroy(copy);
    gpc_trace_close(trace), gpc_trace_close(again);
    gpc_context_destroy(context);
}
