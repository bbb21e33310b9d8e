/* SPDX-License-Identifier: BSD-2-Clause */
#include "contract/contract.h"

#include "base/base.h"
#include "effort.h"
#include "measured.h"
#include "suited.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/*
 * Every replacement policy and predictor, at L1 and at L2, and other influences on resident lines, under every
 * protocol, with and without a clock: a small kernel ends, and all SMs then read the stored and added values.
 * Schedulers and throttles likewise: as many instructions as without coherence. SM s stores only to the words with
 * number s modulo SMS; all SMs add to others.
 */

enum { SMS = 3, WORDS = 120, SUMS = 9, LANES = 4, ACCESSES = 48 };

static const char machine[] =
    "sm.count = 3\nl1.size = 512B\nl1.ways = 2\nl1.sectors = 2\nl1.write_policy = back\nl1.write_allocate = fetch\n"
    "l2.size = 1KiB\nl2.slices = 2\nl2.ways = 2\nl2.sectors = 2\ncoherence.directory_ways = 1\ndram.channels = 2\n"
    "dram.model = fixed\ndram.fixed_latency = 40\nl2.latency = 20\nl1.latency = 5\nl1.mshr_entries = 4\n";

typedef struct lanes {
    uint64_t addresses[LANES];
    uint32_t values[LANES], found[LANES];
} lanes;

typedef struct kernel {
    gpc_hierarchy *h;
    bool timed;
    uint64_t random;
    uint32_t stored[WORDS], sums[SUMS];
    lanes warps[ACCESSES];
} kernel;

static uint32_t draw(kernel *k, uint32_t below) {
    k->random = k->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(k->random >> 33) % below;
}

/* Words of a number are a line apart and more; added words lie between. */
static uint64_t address_of(uint32_t word) {
    return 0x1000 + word / 5 * 128 + word % 5 * 24;
}

static uint64_t address_of_sum(uint32_t sum) {
    return 0x1000 + sum * 128 + 120;
}

static void issue(kernel *k, const gpc_warp_access *access) {
    if (!k->timed) {
        cr_assert_eq(gpc_hierarchy_access(k->h, access, NULL, NULL), GPC_OK);
        return;
    }
    gpc_status status;
    while ((status = gpc_hierarchy_try_issue(k->h, access, 0, NULL, NULL)) == GPC_BUSY)
        cr_assert_eq(gpc_hierarchy_advance(k->h, 1, NULL), GPC_OK);
    cr_assert_eq(status, GPC_OK);
}

static void finish(kernel *k, const char *what) {
    gpc_error error = GPC_ERROR_INIT;
    cr_assert(!k->timed || gpc_hierarchy_drain(k->h, &error) == GPC_OK, "%s: %s", what, error.message);
}

static void store(kernel *k, lanes *l, gpc_warp_access *access, uint32_t number) {
    access->kind = GPC_STORE;
    access->bytes = (const uint8_t *)l->values;
    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t word = draw(k, WORDS / SMS / LANES) * LANES + i; /* no two words of a warp are equal */
        l->addresses[i] = address_of(word * SMS + access->sm);
        k->stored[word * SMS + access->sm] = l->values[i] = number * LANES + i + 1;
    }
}

static void add(kernel *k, lanes *l, gpc_warp_access *access) {
    access->kind = GPC_ATOMIC;
    access->atomic = GPC_OP_ADD;
    access->bytes = (const uint8_t *)l->values;
    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t sum = draw(k, SUMS);
        l->addresses[i] = address_of_sum(sum);
        l->values[i] = 1;
        k->sums[sum]++;
    }
}

static void run(kernel *k) {
    for (uint32_t n = 0; n < ACCESSES; n++) {
        lanes *l = &k->warps[n];
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        const uint32_t what = draw(k, 8);
        access.sm = draw(k, SMS);
        access.warp = access.warp_age = draw(k, 4);
        access.pc = 16 * draw(k, 5);
        access.mask = (1u << LANES) - 1;
        access.width = 4;
        access.addresses = l->addresses;
        access.out = (uint8_t *)l->found;
        access.token = access.token_l2 = draw(k, 3) ? GPC_TOKEN_NONE : GPC_TOKEN_HELD;
        for (uint32_t i = 0; what < 5 && i < LANES; i++)
            l->addresses[i] = address_of(draw(k, WORDS));
        if (what > 6)
            add(k, l, &access);
        else if (what > 4)
            store(k, l, &access, n);
        if (access.kind == GPC_STORE)
            access.out = NULL;
        issue(k, &access);
        if (n % 20 == 19) {
            gpc_sample samples[SMS + 1] = {GPC_SAMPLE_INIT, GPC_SAMPLE_INIT, GPC_SAMPLE_INIT, GPC_SAMPLE_INIT};
            cr_assert_eq(gpc_hierarchy_sample(k->h, samples, NULL), GPC_OK);
        }
        if (k->timed && draw(k, 4) == 0)
            cr_assert_eq(gpc_hierarchy_advance(k->h, draw(k, 40), NULL), GPC_OK);
    }
}

/* Check every word, mostly written by another SM than the reader, once a kernel has begun. */
static void check(kernel *k, const char *what) {
    gpc_launch launch = GPC_LAUNCH_INIT;
    finish(k, what);
    cr_assert_eq(gpc_hierarchy_begin_kernel(k->h, &launch, NULL), GPC_OK);
    finish(k, what);
    for (uint32_t first = 0; first < WORDS + SUMS; first += LANES) {
        uint64_t addresses[LANES];
        uint32_t found[LANES];
        const uint32_t count = first + LANES < WORDS + SUMS ? LANES : WORDS + SUMS - first;
        for (uint32_t i = 0; i < count; i++)
            addresses[i] = first + i < WORDS ? address_of(first + i) : address_of_sum(first + i - WORDS);
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        access.sm = first / LANES % SMS;
        access.mask = (1u << count) - 1;
        access.width = 4;
        access.addresses = addresses;
        access.out = (uint8_t *)found;
        issue(k, &access);
        finish(k, what);
        for (uint32_t i = 0; i < count; i++)
            cr_assert_eq(found[i], first + i < WORDS ? k->stored[first + i] : k->sums[first + i - WORDS],
                         "%s: word %u is %u", what, first + i, found[i]);
    }
}

/* Status of making a hierarchy; NULL on failure. */
static gpc_status make(gpc_context *context, const char *protocol, bool data, bool timed, const char *settings,
                       gpc_error *error, gpc_hierarchy **out) {
    char text[1024];
    gpc_config *config;
    *error = (gpc_error)GPC_ERROR_INIT;
    *out = NULL;
    const bool hides = !strncmp(protocol, "nmoesi", 6); /* an n-store is visible after writing back */
    snprintf(text, sizeof text, "%scoherence = %s\ncoherence.data = %d\nmode = %s\nkernels.flush = %s\n%s", machine,
             protocol, data, timed ? "timed" : "functional", hides ? "all" : "none", settings);
    cr_assert_eq(gpc_config_create(context, &config, error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(config, text, "settings", error), GPC_OK, "%s", error->message);
    suit(context, config);
    const gpc_status status = gpc_hierarchy_create(context, config, out, error);
    gpc_config_destroy(config);
    return status;
}

/* Settings without any hierarchy are not tried on trees: the future is known only in replays. */
static void try_settings(gpc_context *context, const char *protocol, bool timed, const char *settings) {
    static kernel k;
    gpc_error error;
    char what[300];
    if (!strcmp(protocol, "nmoesi-multi2sim") && timed && strstr(settings, "l1.allocate")) /* it refuses requests */
        return;
    k = (kernel){.timed = timed, .random = 7};
    snprintf(what, sizeof what, "%s, %s, %s", protocol, timed ? "timed" : "functional", settings);
    const gpc_status status = make(context, protocol, true, timed, settings, &error, &k.h);
    if (status < 0) {
        cr_expect(make(context, "none", false, timed, settings, &error, &k.h) < 0, "%s is refused", what);
        gpc_hierarchy_destroy(k.h);
        return;
    }
    run(&k);
    if (strcmp(protocol, "nmoesi-multi2sim") != 0) /* loses data, as in the modelled original */
        check(&k, what);
    finish(&k, what);
    gpc_hierarchy_destroy(k.h);
}

/* With every protocol and mode; in small runs every setting has only one, in turn. */
static void try_all(gpc_context *context, const char *settings) {
    static unsigned turn;
    const size_t protocols = gpc_policy_count(context, GPC_POLICY_PROTOCOL), cases = 2 * protocols;
    const size_t first = effort_is_small() ? turn++ % cases : 0, end = effort_is_small() ? first + 1 : cases;
    for (size_t i = first; i < end; i++) {
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        cr_assert_eq(gpc_policy_at(context, GPC_POLICY_PROTOCOL, i / 2, &info, NULL), GPC_OK);
        if (strcmp(info.name, "none") != 0)
            try_settings(context, info.name, i % 2, settings);
    }
}

Test(coherent_contract, replacement_policies) {
    gpc_context *context = open_context(1);
    char settings[200];
    for (const replacement_row *row = replacement_rows(); row->spec; row++)
        for (unsigned level = 1; level <= 2; level++) {
            if (strchr(row->spec, '(') && !row->bypasses)
                continue;
            snprintf(settings, sizeof settings, "l%u.replacement = %s\n", level, row->spec);
            try_all(context, settings);
        }
    gpc_context_destroy(context);
}

Test(coherent_contract, predictors) {
    gpc_context *context = open_context(1);
    char settings[200];
    for (const char *const *row = predictor_rows(); *row; row++)
        for (unsigned level = 1; level <= 2; level++) {
            if (strchr(*row, '(') && !strstr(*row, "file=") && !strstr(*row, "agcb"))
                continue;
            snprintf(settings, sizeof settings, "l%u.bypass = %s\n", level, *row);
            try_all(context, settings);
        }
    gpc_context_destroy(context);
}

#define GPUS "gpu.count = 2\nsm.count = 2\npage.bytes = 256\nl2.size = 1KiB\nl2.slices = 1\ndram.channels = 1\n"
Test(coherent_contract, what_else_decides) {
    static const char *const rows[] = {"l1.tokens = strict\nl2.tokens = strict\n",
                                       "l1.tokens = opportunistic\nl2.tokens = opportunistic\n",
                                       "l1.tokens = opportunistic\nl1.token_clear = owners\nl1.replacement = nru\n",
                                       "l1.track_reuse = true\nl1.track_warps = true\n",
                                       "l1.bypass = agcb\ncluster.sms = 2\ncluster.size = 1KiB\n",
                                       "l2.bypass = random-p\ncluster.sms = 2\ncluster.size = 1KiB\n",
                                       "l2.bypass = random-p\nl2.write_allocate = lazy\n",
                                       "l2.bypass = random-p\nl1.sectors = 4\nl2.sectors = 4\nl2.fetch_sectors = 4\n",
                                       "l1.bypass = agcb\nl1.sectors = 4\nl1.fetch_sectors = 2\nl2.sectors = 4\n",
                                       GPUS "l2.bypass = random-p\nl2.replacement = combined\n",
                                       GPUS "l1.bypass = agcb\nl1.tokens = opportunistic\n",
                                       "l1.bypass = random-p\nl2.bypass = random-p\nl2.replacement = combined\n",
                                       "l1.allocate = on-fill\nl1.write_allocate = none\n",
                                       "l1.allocate = streaming\nl1.sectors = 4\nl1.replacement = combined\n"
                                       "l1.bypass = random-p\ncluster.sms = 2\ncluster.size = 1KiB\n"};
    gpc_context *context = open_context(1);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        try_all(context, rows[i]);
    gpc_context_destroy(context);
}

/* A kernel of a few thread blocks. */
static measured_stats replayed(gpc_context *context, const char *protocol, bool timed, const char *settings) {
    char text[1024];
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config;
    gpc_replay *replay;
    gpc_trace *trace;
    gpc_kernel launched = GPC_KERNEL_INIT;
    measured_stats stats;
    measured_clear(&stats);
    snprintf(text, sizeof text, "%scoherence = %s\nmode = %s\n%s", machine, protocol, timed ? "timed" : "functional",
             settings);
    cr_assert_eq(gpc_config_create(context, &config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(config, text, "settings", &error), GPC_OK, "%s", error.message);
    suit(context, config);
    cr_assert_eq(gpc_replay_create(context, config, &replay, &error), GPC_OK, "%s: %s", text, error.message);
    cr_assert_eq(gpc_trace_open(context, "synthetic:vectoradd:2KiB", &trace, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(measure_kernel(replay, trace, &launched, &stats, &error), GPC_OK, "%s: %s", text, error.message);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    return stats;
}

static uint64_t replay(gpc_context *context, const char *protocol, bool timed, const char *settings) {
    return replayed(context, protocol, timed, settings).warp_instructions;
}

Test(coherent_contract, schedulers_and_throttles) {
    gpc_context *context = open_context(1);
    const size_t protocols = gpc_policy_count(context, GPC_POLICY_PROTOCOL);
    unsigned turn = 0;
    for (const scheduler_row *row = scheduler_rows(); row->spec; row++)
        for (size_t i = 0; i < 2 * protocols; i++) {
            gpc_policy_info info = GPC_POLICY_INFO_INIT;
            char settings[200];
            if (effort_is_small() && turn++ % 13)
                continue;
            cr_assert_eq(gpc_policy_at(context, GPC_POLICY_PROTOCOL, i / 2, &info, NULL), GPC_OK);
            snprintf(settings, sizeof settings, "scheduler = %s\n", row->spec);
            const uint64_t here = replay(context, info.name, i % 2, settings);
            cr_expect_eq(here, replay(context, "none", i % 2, settings), "%s, %s", info.name, row->spec);
            cr_expect_gt(here, 0);
        }
    gpc_context_destroy(context);
}

/* Load/store units, with an access per lane, each asking. */
Test(coherent_contract, load_store_units) {
    static const char *const rows[] = {"l1.bypass = random-p(p=0.5)",
                                       "l1.bypass = agcb(threshold=2)",
                                       "l1.bypass = always-bypass\nl2.bypass = random-p(p=0.5)",
                                       "l1.bypass = sdbp\nl1.replacement = bip(bypass=1)",
                                       "l1.replacement = combined\nl2.replacement = combined",
                                       "l1.tokens = opportunistic\nscheduler = gto + pcal",
                                       "l1.track_reuse = true\nl1.track_warps = true"};
    gpc_context *context = open_context(1);
    for (size_t i = 0; i < gpc_policy_count(context, GPC_POLICY_PROTOCOL); i++)
        for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
            gpc_policy_info info = GPC_POLICY_INFO_INIT;
            char settings[200];
            cr_assert_eq(gpc_policy_at(context, GPC_POLICY_PROTOCOL, i, &info, NULL), GPC_OK);
            if (!strcmp(info.name, "none") || (effort_is_small() && (i + k) % 4))
                continue;
            snprintf(settings, sizeof settings, "l1.coalescer = multi2sim\n%s\n", rows[k]);
            const measured_stats stats = replayed(context, info.name, true, settings);
            cr_expect_eq(stats.warp_instructions, replay(context, "none", true, ""), "%s, %s", info.name, rows[k]);
            cr_expect(k > 2 || stats.l1_bypassed_sectors > 0, "%s, %s", info.name, rows[k]);
            cr_expect(k > 1 || stats.l1_predictions > stats.l1_bypasses, "%s, %s", info.name, rows[k]);
            cr_expect(k < 6 || stats.l1_intra_warp_hits > 0, "%s, %s", info.name, rows[k]);
        }
    gpc_context_destroy(context);
}

/* Policies needing the future get it in replays without a clock, at L1. */
Test(coherent_contract, the_future) {
    gpc_context *context = open_context(1);
    for (size_t i = 0; i < gpc_policy_count(context, GPC_POLICY_PROTOCOL); i++)
        for (const replacement_row *row = replacement_rows(); row->spec; row++) {
            gpc_policy_info info = GPC_POLICY_INFO_INIT;
            char settings[200];
            if (!row->needs_future)
                continue;
            cr_assert_eq(gpc_policy_at(context, GPC_POLICY_PROTOCOL, i, &info, NULL), GPC_OK);
            snprintf(settings, sizeof settings, "l1.future = true\nl1.replacement = %s\n", row->spec);
            cr_expect_gt(replay(context, info.name, false, settings), 0);
        }
    gpc_context_destroy(context);
}
