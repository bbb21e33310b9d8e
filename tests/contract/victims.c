/* SPDX-License-Identifier: BSD-2-Clause */
#include "contract/contract.h"

#include "effort.h"
#include "measured.h"
#include "policies/replacement/rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/*
 * gpc_cache_probe_victim compared with the next access, for every replacement policy: also random, learning, duelling
 * or voting policies. And without side effects: a cache that is never probed acts equally.
 */

#define SETS 8u
#define WAYS 4u

static gpc_cache *make(gpc_context *context, const char *spec, gpc_tokens tokens) {
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    options.sets = SETS;
    options.ways = WAYS;
    options.sectors = 2;
    options.track_reuse = 1;
    options.tokens = tokens;
    options.token_clear = GPC_CLEAR_PERIODIC;
    options.token_period = 500;
    options.replacement = spec;
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache *cache;
    cr_assert_eq(gpc_cache_create(context, &options, &cache, &error), GPC_OK, "%s: %s", spec, error.message);
    return cache;
}

static bool same_eviction(const gpc_eviction *a, const gpc_eviction *b) {
    return !memcmp(a, b, sizeof *a);
}

static unsigned evictions, bypasses;

/* `said`: the probe before the access with result `did`. */
static void check(const char *spec, size_t i, const gpc_access_result *said, const gpc_access_result *did) {
    const bool missed = said->outcome == GPC_MISS;
    if (said->outcome <= GPC_SECTOR_MISS) {
        cr_assert_eq(did->outcome, said->outcome, "%s, %zu", spec, i);
        return;
    }
    cr_assert_eq(did->outcome, said->outcome, "%s, %zu: %u, not %u", spec, i, did->outcome, said->outcome);
    cr_assert_eq(did->evicted, said->evicted, "%s, %zu", spec, i);
    cr_assert(!missed || did->way == said->way, "%s, %zu: way %u, not %u", spec, i, did->way, said->way);
    cr_assert(!said->evicted || same_eviction(&did->eviction, &said->eviction), "%s, %zu", spec, i);
    evictions += said->evicted;
    bypasses += said->outcome == GPC_BYPASSED;
}

static void run(gpc_context *context, const char *spec, gpc_tokens tokens, const uint64_t *lines, const uint64_t *next,
                size_t count) {
    gpc_cache *probed = make(context, spec, tokens), *plain = make(context, spec, tokens);
    for (size_t i = 0; i < count; i++) {
        const uint32_t warp = (uint32_t)(lines[i] * 7 % 5);
        const gpc_request request = {.address = lines[i] * 128,
                                     .pc = warp * 16,
                                     .warp = warp,
                                     .warp_age = warp,
                                     .cycle = i + 1,
                                     .policy.next_use = next[i],
                                     .transactions = 1,
                                     .sector_mask = (uint8_t)(1 + i % 3),
                                     .policy.token = tokens && warp > 1 ? GPC_TOKEN_NONE : GPC_TOKEN_HELD,
                                     .kind = i % 5 ? GPC_LOAD : GPC_STORE};
        gpc_access_result said[2], did[2];
        for (unsigned time = 0; time < 2; time++) {
            memset(&said[time], 0, sizeof said[time]);
            cr_assert_eq(gpc_cache_probe_victim(probed, &request, &said[time], NULL), GPC_OK, "%s", spec);
        }
        cr_assert(!memcmp(&said[0], &said[1], sizeof *said), "%s, %zu: it says something else again", spec, i);
        cr_assert_eq(gpc_cache_access(probed, &request, &did[0], NULL), GPC_OK);
        cr_assert_eq(gpc_cache_access(plain, &request, &did[1], NULL), GPC_OK);
        check(spec, i, &said[0], &did[0]);
        cr_assert(did[0].outcome == did[1].outcome && did[0].way == did[1].way, "%s, %zu: the probe has an effect",
                  spec, i);
    }
    measured_cache stats[2];
    for (unsigned c = 0; c < 2; c++)
        cr_assert_eq(measure_cache(c ? plain : probed, &stats[c]), GPC_OK);
    cr_assert(!memcmp(&stats[0], &stats[1], sizeof *stats), "%s", spec);
    gpc_cache_destroy(probed);
    gpc_cache_destroy(plain);
}

Test(victims, said_is_done) {
    const size_t count = effort_of(3000);
    gpc_context *context = open_context(5);
    for (stream_kind kind = 0; kind < STREAM_COUNT; kind++) {
        uint64_t *lines = stream_make(kind, 3, SETS * WAYS, count), *next = rig_next_uses(lines, count);
        for (const replacement_row *row = replacement_rows(); row->spec; row++) {
            evictions = 0;
            run(context, row->spec, GPC_TOKENS_IGNORE, lines, next, count);
            cr_expect(evictions > 10 || row->bypasses, "%s, stream %u: %u evictions", row->spec, (unsigned)kind,
                      evictions);
        }
        free(lines);
        free(next);
    }
    cr_expect_gt(bypasses, 100);
    gpc_context_destroy(context);
}

/* Without a token a request may find no evictable line, until a period clears the priorities. */
Test(victims, tokens) {
    static const char *const specs[] = {"lru", "random", "srrip", "dip"};
    const size_t count = 2000 + effort_of(2000); /* fewer do not satisfy the assertions below */
    gpc_context *context = open_context(5);
    uint64_t *lines = stream_make(STREAM_UNIFORM, 3, 4 * SETS * WAYS, count), *next = rig_next_uses(lines, count);
    for (size_t n = 0; n < sizeof specs / sizeof *specs; n++) {
        for (gpc_tokens tokens = GPC_TOKENS_STRICT; tokens <= GPC_TOKENS_OPPORTUNISTIC; tokens++) {
            evictions = bypasses = 0;
            run(context, specs[n], tokens, lines, next, count);
            cr_expect(evictions > 10 && bypasses > 10, "%s: %u, %u", specs[n], evictions, bypasses);
        }
    }
    free(lines);
    free(next);
    gpc_context_destroy(context);
}

/* A policy whose choice changes state, without a declared state; and one with an impossible victim. */
static uint32_t chosen;

static uint32_t choose(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return chosen;
}

static void no_state(void *self, gpc_state_fn visit, void *visit_data) {
    (void)self, (void)visit, (void)visit_data;
}

Test(victims, of_hosts) {
    gpc_context *context = open_context(1);
    gpc_replacement_ops silent = {.struct_size = sizeof silent, .name = "silent", .choose_victim = choose},
                        stateless = silent;
    stateless.name = "stateless";
    stateless.state = no_state;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_register_replacement(context, &silent, NULL, NULL, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_context_register_replacement(context, &stateless, NULL, NULL, &error), GPC_OK);
    for (unsigned says = 0; says < 2; says++) {
        gpc_cache *cache = make(context, says ? "stateless" : "silent", GPC_TOKENS_IGNORE);
        gpc_access_result result = {.way = 77};
        for (uint64_t line = 0; line < WAYS; line++) {
            const gpc_request load = {.address = line * SETS * 128};
            cr_assert_eq(gpc_cache_probe_victim(cache, &load, &result, NULL), GPC_OK, "a way is free");
            cr_expect(result.outcome == GPC_MISS && !result.evicted && result.way == line);
            cr_assert_eq(gpc_cache_access(cache, &load, NULL, NULL), GPC_OK);
        }
        const gpc_request load = {.address = WAYS * SETS * 128};
        chosen = 2;
        result.way = 77;
        cr_expect_eq(gpc_cache_probe_victim(cache, &load, &result, NULL), says ? GPC_OK : GPC_ERROR_UNSUPPORTED);
        cr_expect_eq(result.way, says ? 2 : 77);
        chosen = WAYS;
        result.way = 77;
        cr_expect_eq(gpc_cache_probe_victim(cache, &load, &result, NULL),
                     says ? GPC_ERROR_CALLBACK : GPC_ERROR_UNSUPPORTED);
        cr_expect_eq(result.way, 77, "nothing was written");
        chosen = GPC_WAY_BYPASS;
        if (says) {
            cr_expect_eq(gpc_cache_probe_victim(cache, &load, &result, NULL), GPC_OK);
            cr_expect(result.outcome == GPC_BYPASSED && !result.evicted);
        }
        gpc_cache_destroy(cache);
    }
    gpc_context_destroy(context);
}
