/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/predictor/rig.h"

#include "base/base.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <string.h>

static gpc_cache *open_cache(gpc_context *context, uint32_t sets, uint32_t ways, uint32_t sectors,
                             const char *replacement, const char *predictor) {
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache *cache;
    options.sets = sets;
    options.ways = ways;
    options.sectors = sectors;
    options.replacement = replacement;
    options.predictor = predictor;
    cr_assert_eq(gpc_cache_create(context, &options, &cache, &error), GPC_OK, "%s, %s: %s", replacement, predictor,
                 error.message);
    return cache;
}

void rig_open(rig *r, rig_plan plan) {
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    *r = (rig){0};
    options.seed = plan.seed;
    cr_assert_eq(gpc_context_create(&options, &r->context, &error), GPC_OK, "%s", error.message);
    r->cache = open_cache(r->context, plan.sets, plan.ways, plan.sectors, plan.replacement, plan.predictor);
    if (plan.below)
        r->below = open_cache(r->context, plan.below_sets, plan.below_ways, plan.sectors, NULL, plan.below);
}

void rig_close(rig *r) {
    gpc_cache_destroy(r->cache);
    gpc_cache_destroy(r->below);
    gpc_context_destroy(r->context);
}

static char letter_of(const gpc_access_result *result) {
    static const char letters[] = {[GPC_HIT] = 'h',  [GPC_PENDING_HIT] = '?', [GPC_SECTOR_MISS] = 's',
                                   [GPC_MISS] = 'm', [GPC_BYPASSED] = 'b',    [GPC_NO_VICTIM] = '?'};
    return letters[result->outcome];
}

/* A load that looks up, asks below, hears the answer, and is kept if so decided. */
static char load(rig *r, gpc_request request) {
    gpc_access_result result;
    cr_assert_eq(gpc_cache_lookup(r->cache, &request, &result, NULL), GPC_OK);
    if (!result.fetch_sectors)
        return letter_of(&result);
    gpc_decision predicted = result.outcome == GPC_BYPASSED ? GPC_BYPASS : GPC_CACHE;
    gpc_request down = request;
    down.policy.policy_word = result.policy_word;
    down.sector_mask = result.fetch_sectors;
    cr_assert_eq(gpc_cache_access(r->below, &down, NULL, NULL), GPC_OK);
    gpc_decision held = gpc_cache_reply(r->cache, &request, predicted, gpc_cache_respond(r->below, &down));
    if (held == GPC_BYPASS)
        return 'b';
    char before = letter_of(&result);
    cr_assert_eq(gpc_cache_fill(r->cache, &request, result.fetch_sectors, &result, NULL), GPC_OK);
    return result.outcome == GPC_BYPASSED ? 'b' : predicted == GPC_BYPASS ? 'o' : before;
}

char rig_access(rig *r, gpc_request request) {
    if (r->below && request.kind == GPC_LOAD)
        return load(r, request);
    gpc_access_result result;
    cr_assert_eq(gpc_cache_access(r->cache, &request, &result, NULL), GPC_OK);
    return request.kind == GPC_ATOMIC || request.kind == GPC_REDUCTION ? 'p' : letter_of(&result);
}

void rig_loads(rig *r, uint64_t pc, const char *lines, const char *expected, int at) {
    cr_assert_eq(strlen(lines), strlen(expected));
    for (size_t i = 0; lines[i]; i++) {
        char got = rig_access(r, (gpc_request){.address = (uint64_t)(lines[i] - 'A') * 128, .pc = pc});
        cr_assert_eq(got, expected[i], "line %d: load %zu of %s was %c, not %c", at, i, lines, got, expected[i]);
    }
}

measured_cache rig_stats(const rig *r) {
    measured_cache stats;
    measured_clear(&stats);
    cr_assert_eq(measure_cache(r->cache, &stats), GPC_OK);
    return stats;
}

gpc_request rig_random(uint64_t *random, uint64_t lines, uint32_t pcs) {
    static const uint8_t kinds[16] = {[12] = GPC_STORE, [13] = GPC_STORE, [14] = GPC_PREFETCH, [15] = GPC_ATOMIC};
    uint32_t pc = gpci_random_below(random, pcs);
    /* every PC has separate lines, mostly few */
    uint64_t span = pc % 3 ? lines / 4 + 1 : lines;
    return (gpc_request){.address = ((uint64_t)pc * 7 + gpci_random(random) % span) % lines * 128,
                         .pc = 0x1000 + (uint64_t)pc * 0x24,
                         .transactions = (uint16_t)(1 + gpci_random_below(random, 32)),
                         .kind = kinds[gpci_random(random) % 16],
                         .space = gpci_random(random) % 8 ? GPC_SPACE_GLOBAL : GPC_SPACE_LOCAL,
                         .policy.token = (uint8_t)((gpci_random(random) & 1) * GPC_TOKEN_NONE)};
}
