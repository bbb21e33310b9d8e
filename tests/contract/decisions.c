/* SPDX-License-Identifier: BSD-2-Clause */
#include "contract/contract.h"

#include "effort.h"
#include "policies/replacement/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Decisions alone: every replacement policy and predictor in a host with separate tags, beside a gpc_cache with equal
 * events. Decisions are equal, access by access: two caches of a level, sharing the policies' shared state; with ways
 * chosen before or after the data arrive; with samples, warps, replies, stalls.
 */

#define SETS 8u
#define WAYS 4u
#define LINE 128u
#define NO_WAY UINT32_MAX

typedef struct own_line {
    bool here;
    uint64_t address;
    uint8_t valid, dirty;
    uint32_t reuse;
} own_line;

/* A cache of the host, and the library's cache. */
typedef struct host {
    gpc_replacement *replacement;
    gpc_predictor *predictor;
    gpc_cache *cache;
    own_line lines[SETS][WAYS];
    uint64_t reads, hits; /* sectors, since the last sample */
    bool late;            /* choose a way when the data arrive */
} host;

/* Outcome of an access, in host and cache. */
typedef struct outcome {
    uint8_t outcome, admission, evicted;
    uint32_t way, word;
    gpc_eviction eviction;
} outcome;

static unsigned bypasses, evictions, declined, overturned;

static host make(gpc_context *context, const char *replacement, const char *predictor, bool late, uint32_t instance,
                 const host *other) {
    host h = {.late = late};
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache_options cache = GPC_CACHE_OPTIONS_INIT;
    cache.sets = SETS;
    cache.ways = WAYS;
    cache.sectors = 2;
    cache.track_reuse = 1;
    cache.allocate = late ? GPC_ALLOCATE_ON_FILL : GPC_ALLOCATE_ON_MISS;
    cache.replacement = replacement;
    cache.predictor = predictor;
    cache.instance = instance;
    cache.instances = 2;
    cache.seed = 99;
    cache.tells = GPC_READS_EVERYTHING;
    cache.share_with = other ? other->cache : NULL;
    cr_assert_eq(gpc_cache_create(context, &cache, &h.cache, &error), GPC_OK, "%s", error.message);
    gpc_replacement_options r = GPC_REPLACEMENT_OPTIONS_INIT;
    r.policy = replacement;
    r.sets = SETS;
    r.ways = WAYS;
    r.sectors = 2;
    r.instance = instance;
    r.instances = 2;
    r.seed = 99;
    r.tells = GPC_READS_EVERYTHING;
    r.share_with = other ? other->replacement : NULL;
    cr_assert_eq(gpc_replacement_create(context, &r, &h.replacement, &error), GPC_OK, "%s", error.message);
    gpc_predictor_options p = GPC_PREDICTOR_OPTIONS_INIT;
    p.policy = predictor;
    p.sets = SETS;
    p.ways = WAYS;
    p.sectors = 2;
    p.instance = instance;
    p.instances = 2;
    p.seed = 99;
    p.tells = GPC_READS_EVERYTHING;
    p.share_with = other ? other->predictor : NULL;
    cr_assert_eq(gpc_predictor_create(context, &p, &h.predictor, &error), GPC_OK, "%s", error.message);
    return h;
}

static void end(host *h) {
    gpc_cache_destroy(h->cache);
    gpc_replacement_destroy(h->replacement);
    gpc_predictor_destroy(h->predictor);
}

static uint32_t set_of(const gpc_request *request) {
    return (uint32_t)(request->address / LINE % SETS);
}

static uint32_t find(const host *h, const gpc_request *request) {
    const own_line *lines = h->lines[set_of(request)];
    for (uint32_t way = 0; way < WAYS; way++)
        if (lines[way].here && lines[way].address == request->address / LINE * LINE)
            return way;
    return NO_WAY;
}

static bool is_read(const gpc_request *request) {
    return request->kind != GPC_STORE;
}

static unsigned sectors_in(uint8_t mask) {
    return (mask & 1u) + (mask >> 1 & 1u);
}

/* True if the policy admits the line. The word is of the fetch below. */
static bool admitted(host *h, const gpc_request *request, outcome *o) {
    gpc_prediction prediction;
    cr_assert_eq(gpc_predictor_predict(h->predictor, set_of(request), request, &prediction, NULL), GPC_OK);
    o->word = is_read(request) ? prediction.policy_word : 0;
    if (prediction.decision == GPC_BYPASS)
        o->outcome = GPC_BYPASSED;
    return prediction.decision == GPC_CACHE;
}

static gpc_eviction describe(const own_line *line, uint32_t set, uint32_t way) {
    return (gpc_eviction){.line_address = line->address,
                          .set = set,
                          .way = way,
                          .reuse_count = line->reuse,
                          .valid_sectors = line->valid,
                          .dirty_sectors = line->dirty,
                          .dirty_bytes = {line->dirty & 1 ? UINT64_MAX : 0, line->dirty & 2 ? UINT64_MAX : 0}};
}

/* A way for the request's line: the lowest free way, or the policy's victim. */
static void allocate(host *h, const gpc_request *request, outcome *o) {
    const uint32_t set = set_of(request);
    gpc_policy_event events[2];
    size_t count = 0, done;
    uint32_t way = 0;
    while (way < WAYS && h->lines[set][way].here)
        way++;
    if (way == WAYS) {
        cr_assert_eq(gpc_replacement_choose(h->replacement, set, NULL, request, &way, NULL), GPC_OK);
        if (way == GPC_WAY_BYPASS) {
            o->outcome = GPC_BYPASSED;
            return;
        }
        o->eviction = describe(&h->lines[set][way], set, way);
        o->evicted = 1;
        events[count++] = (gpc_policy_event){
            .kind = GPC_ON_EVICT, .set = set, .way = way, .request = request, .eviction = &o->eviction};
    }
    o->way = way;
    events[count++] = (gpc_policy_event){.kind = GPC_ON_FILL, .set = set, .way = way, .request = request};
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_replacement_event(h->replacement, events, count, &done, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(done, count);
    cr_assert_eq(gpc_predictor_event(h->predictor, events, count, &done, &error), GPC_OK, "%s", error.message);
    h->lines[set][way] = (own_line){.here = true,
                                    .address = request->address / LINE * LINE,
                                    .valid = request->sector_mask,
                                    .dirty = is_read(request) ? 0 : request->sector_mask};
}

/* The line is present, with or without the needed sectors. */
static void serve(host *h, const gpc_request *request, outcome *o) {
    const uint32_t set = set_of(request);
    own_line *line = &h->lines[set][o->way];
    const uint8_t need = request->sector_mask, found = need & line->valid;
    const gpc_policy_event event = {
        .kind = found ? GPC_ON_HIT : GPC_ON_SECTOR_MISS, .set = set, .way = o->way, .request = request};
    cr_assert_eq(
        found
            ? gpc_replacement_event(
                  h->replacement,
                  &(gpc_policy_event){.kind = GPC_ON_HIT, .set = set, .way = o->way, .request = request}, 1, NULL, NULL)
            : gpc_replacement_event(
                  h->replacement,
                  &(gpc_policy_event){.kind = GPC_ON_SECTOR_MISS, .set = set, .way = o->way, .request = request}, 1,
                  NULL, NULL),
        GPC_OK);
    cr_assert_eq(gpc_predictor_event(h->predictor, &event, 1, NULL, NULL), GPC_OK);
    o->outcome = found == need || !is_read(request) ? GPC_HIT : GPC_SECTOR_MISS;
    line->reuse += o->outcome == GPC_HIT && !request->continues;
    line->valid |= need;
    line->dirty |= is_read(request) ? 0 : need;
    h->hits += is_read(request) ? sectors_in(found) : 0;
}

/* Tags, and the rest if the way is chosen at once. */
static outcome look_up(host *h, const gpc_request *request) {
    outcome o = {.outcome = GPC_MISS, .way = NO_WAY};
    const bool early = gpc_predictor_before_lookup(h->predictor) && is_read(request);
    h->reads += is_read(request) ? sectors_in(request->sector_mask) : 0;
    if (early && !admitted(h, request, &o))
        return o;
    o.way = find(h, request);
    if (o.way != NO_WAY) {
        serve(h, request, &o);
        return o;
    }
    cr_assert_eq(
        gpc_replacement_event(h->replacement,
                              &(gpc_policy_event){.kind = GPC_ON_MISS, .set = set_of(request), .request = request}, 1,
                              NULL, NULL),
        GPC_OK);
    if (!early && !admitted(h, request, &o))
        return o;
    if (!h->late) {
        allocate(h, request, &o);
        return o;
    }
    bool full = true;
    for (uint32_t way = 0; way < WAYS; way++)
        full &= h->lines[set_of(request)][way].here;
    if (!full)
        return o;
    const bool declines = gpc_replacement_declines(h->replacement, set_of(request), NULL, request);
    o.admission = declines ? GPC_DECLINED : GPC_ADMITTED;
    o.outcome = declines ? GPC_BYPASSED : GPC_MISS;
    return o;
}

static void compare(const char *spec, size_t i, const outcome *own, const gpc_access_result *theirs, bool late) {
    cr_assert_eq(own->outcome, theirs->outcome, "%s, access %zu: %u, the cache %u", spec, i, own->outcome,
                 theirs->outcome);
    cr_assert_eq(own->way, theirs->way, "%s, access %zu: way %u, the cache's %u", spec, i, own->way, theirs->way);
    cr_assert_eq(own->evicted, theirs->evicted, "%s, access %zu", spec, i);
    cr_assert(!own->evicted || !memcmp(&own->eviction, &theirs->eviction, sizeof own->eviction), "%s, access %zu", spec,
              i);
    cr_assert(!theirs->fetch_sectors || theirs->outcome == GPC_SECTOR_MISS || late || own->word == theirs->policy_word,
              "%s, access %zu: word %u, the cache's %u", spec, i, own->word, theirs->policy_word);
    /* a policy without `declines` is not asked */
    cr_assert(own->admission == theirs->admission || (own->admission == GPC_ADMITTED && !theirs->admission),
              "%s, access %zu", spec, i);
}

/* The data arrive: of a miss, or of a bypass overturned by the level below. */
static void fill(host *h, const char *spec, size_t i, gpc_request request) {
    outcome own = {.outcome = GPC_MISS, .way = NO_WAY};
    gpc_access_result theirs;
    allocate(h, &request, &own);
    cr_assert_eq(gpc_cache_fill(h->cache, &request, request.sector_mask, &theirs, NULL), GPC_OK);
    compare(spec, i, &own, &theirs, true);
    evictions += own.evicted;
    bypasses += own.outcome == GPC_BYPASSED;
}

/* The level below answers; the reply may overturn a bypass. */
static void reply(host *h, const char *spec, size_t i, const gpc_request *request, const outcome *o, uint32_t word) {
    const gpc_decision predicted = o->outcome == GPC_BYPASSED ? GPC_BYPASS : GPC_CACHE;
    const gpc_decision own = gpc_predictor_reply(h->predictor, request, predicted, word);
    cr_assert_eq(own, gpc_cache_reply(h->cache, request, predicted, word), "%s, access %zu", spec, i);
    if (predicted == GPC_BYPASS && own == GPC_CACHE && o->admission != GPC_DECLINED && find(h, request) == NO_WAY) {
        overturned++;
        fill(h, spec, i, *request);
    }
}

static void access_both(host *h, const char *spec, size_t i, const gpc_request *request, uint64_t draw) {
    gpc_access_result theirs;
    const outcome own = look_up(h, request);
    cr_assert_eq(h->late ? gpc_cache_lookup(h->cache, request, &theirs, NULL)
                         : gpc_cache_access(h->cache, request, &theirs, NULL),
                 GPC_OK);
    compare(spec, i, &own, &theirs, h->late);
    evictions += own.evicted;
    bypasses += own.outcome == GPC_BYPASSED;
    declined += own.admission == GPC_DECLINED;
    if (h->late && own.outcome == GPC_SECTOR_MISS)
        cr_assert_eq(gpc_cache_fill(h->cache, request, theirs.fetch_sectors, NULL, NULL), GPC_OK);
    if (h->late && own.outcome == GPC_MISS) {
        gpc_request late = *request;
        late.policy.admitted = theirs.admission == GPC_ADMITTED;
        fill(h, spec, i, late);
    } else if (is_read(request) && own.outcome != GPC_HIT && draw % 4 == 0) {
        reply(h, spec, i, request, &own, (uint32_t)(draw >> 8 & 3));
    }
}

/* Occasional other events. */
static void go_on(host *h, const char *spec, size_t i, const gpc_request *request, uint64_t draw) {
    const uint32_t set = set_of(request), way = find(h, request);
    gpc_request asked = *request;
    asked.policy.policy_word = (uint32_t)(draw >> 3 & 3);
    cr_assert_eq(gpc_predictor_respond(h->predictor, set, way, &asked), gpc_cache_respond(h->cache, &asked),
                 "%s, access %zu: the word of the level below", spec, i);
    const uint32_t reason = (uint32_t)(draw >> 5 & 7);
    cr_assert_eq(gpc_predictor_stall(h->predictor, request, reason), gpc_cache_stall(h->cache, request, reason),
                 "%s, access %zu: held up", spec, i);
    const gpc_warp_event event = {.kind = (uint32_t)(draw >> 8) % 5, .warp = request->warp, .cycle = i};
    cr_assert_eq(gpc_replacement_event(h->replacement,
                                       &(gpc_policy_event){.kind = GPC_ON_WARP_EVENT, .warp_event = &event}, 1, NULL,
                                       NULL),
                 GPC_OK);
    cr_assert_eq(gpc_predictor_event(h->predictor, &(gpc_policy_event){.kind = GPC_ON_WARP_EVENT, .warp_event = &event},
                                     1, NULL, NULL),
                 GPC_OK);
    cr_assert_eq(gpc_cache_warp_event(h->cache, &event, NULL), GPC_OK);
    if (draw >> 12 & 3 || way == NO_WAY)
        return;
    const gpc_policy_event gone = {.kind = GPC_ON_INVALIDATE, .set = set, .way = way};
    h->lines[set][way].here = false;
    cr_assert_eq(gpc_replacement_event(h->replacement,
                                       &(gpc_policy_event){.kind = GPC_ON_INVALIDATE, .set = set, .way = way}, 1, NULL,
                                       NULL),
                 GPC_OK);
    cr_assert_eq(gpc_predictor_event(h->predictor, &gone, 1, NULL, NULL), GPC_OK);
    cr_assert_eq(gpc_cache_invalidate_line(h->cache, request->address, NULL), GPC_OK);
}

static void sample(host *h, uint64_t draw) {
    gpc_sample told = GPC_SAMPLE_INIT;
    told.active_cycles = 100;
    told.instructions = draw % 100;
    cr_assert_eq(gpc_cache_sample(h->cache, &told, NULL), GPC_OK);
    told.reads = h->reads;
    told.read_hits = h->hits;
    cr_assert_eq(gpc_replacement_event(h->replacement, &(gpc_policy_event){.kind = GPC_ON_SAMPLE, .sample = &told}, 1,
                                       NULL, NULL),
                 GPC_OK);
    cr_assert_eq(
        gpc_predictor_event(h->predictor, &(gpc_policy_event){.kind = GPC_ON_SAMPLE, .sample = &told}, 1, NULL, NULL),
        GPC_OK);
    h->reads = h->hits = 0;
}

static gpc_request request_of(uint64_t line, uint64_t next, size_t i, uint64_t draw) {
    const uint32_t warp = (uint32_t)(line * 7 % 5);
    return (gpc_request){.address = line * LINE,
                         .pc = warp * 16 + (draw & 8),
                         .warp = warp,
                         .warp_age = warp,
                         .block = warp / 2,
                         .kernel = (uint32_t)(i / 1000),
                         .cycle = i + 1,
                         .policy.next_use = next,
                         .transactions = (uint16_t)(1 + draw % 32),
                         .bytes_used = (uint16_t)(4 + draw % 100),
                         .sector_mask = (uint8_t)(1 + draw / 32 % 3),
                         .hint = draw >> 20 & 7 ? GPC_HINT_NONE : (uint8_t)(draw >> 23 & 7),
                         .space = draw >> 26 & 7 ? GPC_SPACE_GLOBAL : GPC_SPACE_LOCAL,
                         .policy.token = (uint8_t)(draw >> 29) % GPC_TOKEN_COUNT,
                         .continues = i && !(draw >> 31 & 7),
                         .kind = draw >> 34 & 7   ? GPC_LOAD
                                 : draw >> 37 & 1 ? GPC_STORE
                                                  : GPC_PREFETCH};
}

/* Counters equal those of the cache's policies, name by name. */
static void compare_values(const host *h, const char *spec) {
    size_t count = 0, own = 0;
    gpc_policy_value theirs = GPC_POLICY_VALUE_INIT, value = GPC_POLICY_VALUE_INIT;
    for (; gpc_cache_policy_value(h->cache, count, &theirs, NULL) == GPC_OK; count++) {
        gpc_status status = gpc_replacement_policy_value(h->replacement, count, &value, NULL);
        if (status == GPC_ERROR_RANGE)
            status = gpc_predictor_policy_value(h->predictor, count - own, &value, NULL);
        else
            own++;
        cr_assert_eq(status, GPC_OK, "%s", spec);
        cr_expect(!strcmp(value.name, theirs.name) && value.value == theirs.value,
                  "%s: %s is %llu, the cache's %s %llu", spec, value.name, (unsigned long long)value.value, theirs.name,
                  (unsigned long long)theirs.value);
    }
}

static void run(gpc_context *context, const char *replacement, const char *predictor, bool late, const uint64_t *lines,
                const uint64_t *next, size_t count) {
    host hosts[2];
    char spec[200];
    snprintf(spec, sizeof spec, "%s, %s%s", replacement, predictor, late ? ", late" : "");
    for (uint32_t i = 0; i < 2; i++)
        hosts[i] = make(context, replacement, predictor, late, i, i ? &hosts[0] : NULL);
    uint64_t random = 11;
    for (size_t i = 0; i < count; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const uint64_t draw = random >> 16;
        host *h = &hosts[draw >> 40 & 1];
        const gpc_request request = request_of(lines[i], next[i], i, draw);
        access_both(h, spec, i, &request, draw >> 1);
        if (draw % 16 == 0)
            go_on(h, spec, i, &request, draw >> 4);
        for (uint32_t sm = 0; i % 64 == 63 && sm < 2; sm++)
            sample(&hosts[sm], draw >> (sm + 2));
    }
    for (uint32_t i = 0; i < 2; i++) {
        compare_values(&hosts[i], spec);
        end(&hosts[i]);
    }
}

typedef void (*each_fn)(gpc_context *context, bool late, const uint64_t *lines, const uint64_t *next, size_t count);

static void over_streams(each_fn each) {
    const size_t count = effort_of(3000);
    gpc_context *context = open_context(5);
    bypasses = evictions = declined = overturned = 0;
    for (stream_kind kind = 0; kind < STREAM_COUNT; kind++)
        for (unsigned late = 0; late < 2; late++) {
            uint64_t *lines = stream_make(kind, 3, SETS * WAYS, count), *next = rig_next_uses(lines, count);
            each(context, late, lines, next, count);
            free(lines);
            free(next);
        }
    gpc_context_destroy(context);
    cr_expect_gt(evictions, 100);
    cr_expect_gt(bypasses, 100);
}

static void each_replacement(gpc_context *context, bool late, const uint64_t *lines, const uint64_t *next,
                             size_t count) {
    for (const replacement_row *row = replacement_rows(); row->spec; row++)
        run(context, row->spec, "always-cache", late, lines, next, count);
}

Test(decisions, replacement_policies_as_in_a_cache, .timeout = 120) {
    over_streams(each_replacement);
    cr_expect_gt(declined, 10);
}

static void each_predictor(gpc_context *context, bool late, const uint64_t *lines, const uint64_t *next, size_t count) {
    for (const char *const *row = predictor_rows(); *row; row++)
        run(context, "lru", *row, late, lines, next, count);
    run(context, "bip(bypass=1)", "agcb", late, lines, next, count);
}

Test(decisions, predictors_as_in_a_cache, .timeout = 120) {
    over_streams(each_predictor);
    cr_expect_gt(overturned, 10);
}
