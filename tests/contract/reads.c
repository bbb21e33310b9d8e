/* SPDX-License-Identifier: BSD-2-Clause */
#include "contract/contract.h"

#include "base/base.h"
#include "effort.h"
#include "registry/registry.h"

#include <criterion/criterion.h>
#include <string.h>

/*
 * Declared inputs of policies (GPC_READS_) compared with behaviour. Every policy is asked about one stream twice; the
 * second time some fields of the requests vary. Undeclared fields must not matter, and a declared field must matter in
 * at least one of the policy's rows.
 */

enum { SETS = 8, WAYS = 4 };
#define STEPS (effort_is_small() ? 20000u : 40000u)
#define NONE UINT32_MAX

static const uint64_t all_bits[] = {
    GPC_READS_ADDRESS,     GPC_READS_PC,           GPC_READS_CYCLE,     GPC_READS_NEXT_USE,    GPC_READS_BYTES,
    GPC_READS_SM,          GPC_READS_WARP,         GPC_READS_WARP_AGE,  GPC_READS_BLOCK,       GPC_READS_KERNEL,
    GPC_READS_POLICY_WORD, GPC_READS_TRANSACTIONS, GPC_READS_KIND,      GPC_READS_SPACE,       GPC_READS_HINT,
    GPC_READS_PRIORITY,    GPC_READS_TOKEN,        GPC_READS_ADMISSION, GPC_READS_WARP_EVENTS, GPC_READS_SAMPLES,
    GPC_READS_STALLS};

/* A stream: lines come from `lines`, other fields from `fields`, or from `other` if varied. */
typedef struct stream {
    uint64_t lines, fields, other;
    uint64_t varied; /* GPC_READS_ bits */
    bool ends;       /* in a bypass at least once */
    uint64_t digest;
    uint32_t resident[SETS][WAYS]; /* line numbers; NONE = free */
} stream;

static gpc_request draw(uint64_t *random, uint64_t line) {
    uint64_t bits = gpci_random(random);
    return (gpc_request){.address = line * 128,
                         .pc = 848 + 16 * (bits & 3),
                         .cycle = gpci_random(random),
                         .policy.next_use = gpci_random(random) % 1000,
                         .byte_mask = {gpci_random(random), gpci_random(random)},
                         .size = bits >> 4 & 127,
                         .sm = bits >> 11 & 3,
                         .warp = bits >> 13 & 7,
                         .warp_age = bits >> 18 & 7,
                         .block = bits >> 23 & 31,
                         .kernel = 1 + (bits >> 28 & 1),
                         .policy.policy_word = bits >> 29 & 3,
                         .transactions = (uint16_t)(1 + (bits >> 31 & 31)),
                         .bytes_used = (uint16_t)(bits >> 36 & 127),
                         .sector_mask = (uint8_t)(1 + (bits >> 43 & 7)),
                         .kind = (uint8_t)((bits >> 46 & 15) % GPC_KIND_COUNT),
                         .space = bits >> 50 & 1,
                         .hint = (bits >> 51 & 7) % GPC_HINT_COUNT,
                         .priority = (uint8_t)((bits >> 54 & 15) % GPC_PRIORITY_COUNT),
                         .policy.token = (uint8_t)((bits >> 58 & 3) % GPC_TOKEN_COUNT),
                         .policy.token_l2 = (uint8_t)((bits >> 60 & 3) % GPC_TOKEN_COUNT),
                         .policy.admitted = bits >> 62 & 1};
}

/* The request of the stream, with changed values in the varied fields. */
static gpc_request next_request(stream *s, uint64_t line) {
    gpc_request r = draw(&s->fields, line), o = draw(&s->other, gpci_random(&s->other) % 4096);
#define VARY(bit, field)             \
    if (s->varied & GPC_READS_##bit) \
        memcpy(&r.field, &o.field, sizeof r.field);
    VARY(ADDRESS, address)
    VARY(PC, pc)
    VARY(CYCLE, cycle)
    VARY(NEXT_USE, policy.next_use)
    VARY(BYTES, byte_mask)
    VARY(BYTES, size)
    VARY(BYTES, bytes_used)
    VARY(BYTES, sector_mask)
    VARY(SM, sm)
    VARY(WARP, warp)
    VARY(WARP_AGE, warp_age)
    VARY(BLOCK, block)
    VARY(KERNEL, kernel)
    VARY(POLICY_WORD, policy.policy_word)
    VARY(TRANSACTIONS, transactions)
    VARY(KIND, kind)
    VARY(SPACE, space)
    VARY(HINT, hint)
    VARY(PRIORITY, priority)
    VARY(TOKEN, policy.token)
    VARY(TOKEN, policy.token_l2)
    VARY(ADMISSION, policy.admitted)
#undef VARY
    return r;
}

static uint64_t draw_for(stream *s, uint64_t bit) {
    uint64_t first = gpci_random(&s->fields), other = gpci_random(&s->other);
    return s->varied & bit ? other : first;
}

static void note(stream *s, uint64_t value) {
    s->digest = gpci_mix(s->digest ^ value);
}

static gpc_warp_event next_event(stream *s) {
    uint64_t bits = draw_for(s, GPC_READS_WARP_EVENTS);
    return (gpc_warp_event){.kind = (bits & 7) % (GPC_WARP_EXIT + 1), .warp = bits >> 3 & 7};
}

static gpc_sample next_sample(stream *s, uint64_t cycle) {
    uint64_t bits = draw_for(s, GPC_READS_SAMPLES);
    gpc_sample sample = GPC_SAMPLE_INIT;
    sample.cycle = cycle;
    sample.cycles = sample.active_cycles = 1000;
    sample.instructions = bits & 1023;
    sample.reads = 500;
    sample.read_hits = bits >> 10 & 255;
    return sample;
}

/* Warp events start in the middle of the stream: before, only requests tell of warps. */
static bool tells_of_warps(uint32_t step) {
    return step > STEPS / 2 && step % 7 == 0;
}

static gpci_policy *make(gpc_context *context, gpc_policy_kind kind, const char *spec) {
    gpc_policy_env geometry = {
        .struct_size = sizeof geometry, .sets = SETS, .ways = WAYS, .line_bytes = 128, .sectors = 4, .count = 1};
    gpc_error error = GPC_ERROR_INIT;
    gpci_policy *policy;
    cr_assert_eq(gpci_policy_create(context, kind, spec, &geometry, NULL, &error, &policy), GPC_OK, "%s",
                 error.message);
    return policy;
}

static uint32_t way_of(const stream *s, uint32_t set, uint32_t line) {
    for (uint32_t way = 0; way < WAYS; way++)
        if (s->resident[set][way] == line)
            return way;
    return NONE;
}

static gpc_eviction leaving(stream *s, uint32_t set, uint32_t way) {
    uint64_t other = gpci_random(&s->other) % 4096 * 128, line = s->resident[set][way];
    return (gpc_eviction){.line_address = s->varied & GPC_READS_ADDRESS ? other : line * 128,
                          .set = set,
                          .way = way,
                          .valid_sectors = 15};
}

/* Way for a request that misses in a full set; or NONE for a bypass. */
static uint32_t replace(stream *s, const gpci_policy *policy, uint32_t set, gpc_request *request) {
    const gpc_replacement_ops *ops = policy->ops;
    if (ops->declines && ops->declines(policy->self, set, NULL, request))
        return NONE;
    uint32_t way = ops->choose_victim(policy->self, set, NULL, request);
    if (way == GPC_WAY_BYPASS)
        return NONE;
    cr_assert_lt(way, WAYS);
    if (ops->on_evict) {
        gpc_eviction eviction = leaving(s, set, way);
        ops->on_evict(policy->self, set, way, &eviction, request);
    }
    return way;
}

static void replacement_step(stream *s, const gpci_policy *policy, uint32_t step) {
    const gpc_replacement_ops *ops = policy->ops;
    uint32_t line = gpci_random_below(&s->lines, step % 3 ? 24 : 80), set = line % SETS, way = way_of(s, set, line);
    gpc_request request = next_request(s, line);
    gpc_warp_event event = next_event(s);
    gpc_sample sample = next_sample(s, step);
    if (ops->on_warp_event && tells_of_warps(step))
        ops->on_warp_event(policy->self, &event);
    if (ops->on_sample && step % 50 == 0)
        ops->on_sample(policy->self, &sample);
    if (way != NONE) {
        if (step % 29 == 0) {
            if (ops->on_invalidate)
                ops->on_invalidate(policy->self, set, way);
            s->resident[set][way] = NONE;
        } else if (ops->on_hit) {
            ops->on_hit(policy->self, set, way, &request);
        }
        return;
    }
    if (ops->on_miss)
        ops->on_miss(policy->self, set, &request);
    way = way_of(s, set, NONE);
    if (way == NONE)
        way = replace(s, policy, set, &request);
    note(s, way);
    s->ends |= way == NONE;
    if (way == NONE)
        return;
    s->resident[set][way] = line;
    if (ops->on_fill)
        ops->on_fill(policy->self, set, way, &request);
}

static void predictor_step(stream *s, const gpci_policy *policy, uint32_t step) {
    const gpc_predictor_ops *ops = policy->ops;
    uint32_t line = gpci_random_below(&s->lines, step % 3 ? 24 : 80), set = line % SETS, way = way_of(s, set, line);
    gpc_request request = next_request(s, line);
    gpc_warp_event event = next_event(s);
    gpc_sample sample = next_sample(s, step);
    uint32_t word = draw_for(s, GPC_READS_POLICY_WORD) & 3, reason = draw_for(s, GPC_READS_STALLS) % 12;
    if (ops->on_warp_event && tells_of_warps(step))
        ops->on_warp_event(policy->self, &event);
    if (ops->on_sample && step % 50 == 0)
        ops->on_sample(policy->self, &sample);
    if (ops->respond)
        note(s, ops->respond(policy->self, set, way == NONE ? UINT32_MAX : way, &request));
    if (way != NONE && !ops->before_lookup) {
        if (ops->on_hit)
            ops->on_hit(policy->self, set, way, &request);
        return;
    }
    gpc_prediction prediction = {0};
    ops->predict(policy->self, set, &request, &prediction);
    note(s, prediction.decision | (uint64_t)prediction.policy_word << 1);
    if (ops->on_reply)
        note(s, ops->on_reply(policy->self, &request, (gpc_decision)prediction.decision, word));
    if (ops->on_stall)
        note(s, ops->on_stall(policy->self, &request, reason));
    if (way != NONE && ops->on_hit && prediction.decision == GPC_CACHE)
        ops->on_hit(policy->self, set, way, &request);
    if (way != NONE || prediction.decision == GPC_BYPASS)
        return;
    way = way_of(s, set, NONE);
    if (way == NONE) {
        way = step % WAYS;
        gpc_eviction eviction = leaving(s, set, way);
        if (ops->on_evict)
            ops->on_evict(policy->self, set, way, &eviction, &request);
    }
    s->resident[set][way] = line;
    if (ops->on_fill)
        ops->on_fill(policy->self, set, way, &request);
}

/* A policy's decisions on the stream with these fields varied. */
static stream run(gpc_context *context, gpc_policy_kind kind, const char *spec, uint64_t varied) {
    stream s = {.lines = 1, .fields = 2, .other = 3, .varied = varied};
    memset(s.resident, 0xff, sizeof s.resident);
    gpci_policy *policy = make(context, kind, spec);
    for (uint32_t step = 0; step < STEPS; step++)
        (kind == GPC_POLICY_REPLACEMENT ? replacement_step : predictor_step)(&s, policy, step);
    gpci_policy_destroy(policy);
    return s;
}

static uint64_t reads_of(gpc_context *context, gpc_policy_kind kind, const char *spec) {
    gpc_error error = GPC_ERROR_INIT;
    uint64_t reads = 0;
    cr_assert_eq(gpc_policy_reads(context, kind, spec, &reads, &error), GPC_OK, "%s", error.message);
    cr_expect(reads & GPC_READS_PLACE, "%s does not say what it reads", spec);
    return reads;
}

/* Inputs declared by a policy's table over all parameters. */
static uint64_t most_of(gpc_context *context, gpc_policy_kind kind, const char *spec) {
    gpci_policy *policy = make(context, kind, spec);
    uint64_t most = kind == GPC_POLICY_REPLACEMENT ? ((const gpc_replacement_ops *)policy->ops)->reads
                                                   : ((const gpc_predictor_ops *)policy->ops)->reads;
    gpci_policy_destroy(policy);
    return most;
}

static const char *spec_at(gpc_policy_kind kind, size_t row) {
    return kind == GPC_POLICY_REPLACEMENT ? replacement_rows()[row].spec : predictor_rows()[row];
}

/* All undeclared fields vary at once. */
static void takes_no_notice(gpc_policy_kind kind) {
    gpc_context *context = open_context(1);
    const char *spec;
    for (size_t row = 0; (spec = spec_at(kind, row)); row++) {
        uint64_t reads = reads_of(context, kind, spec);
        uint64_t unread = GPC_READS_EVERYTHING & ~reads;
        cr_expect_eq(reads & ~most_of(context, kind, spec), 0, "%s reads more than its table states", spec);
        stream same = run(context, kind, spec, 0), varied = run(context, kind, spec, unread);
        char text[GPCI_READS_TEXT];
        gpci_reads_text(reads, text);
        cr_expect_eq(same.digest, varied.digest, "%s reads more than %s", spec, text);
        if (kind == GPC_POLICY_REPLACEMENT && same.ends)
            cr_expect(reads & GPC_READS_ADMISSION, "%s declines, and does not say so", spec);
    }
    gpc_context_destroy(context);
}

Test(reads, replacement_policies_read_no_more_than_they_say) {
    takes_no_notice(GPC_POLICY_REPLACEMENT);
}

Test(reads, predictors_read_no_more_than_they_say) {
    takes_no_notice(GPC_POLICY_PREDICTOR);
}

/* Inputs declared by all rows of a name, and the inputs that matter to one of them. */
typedef struct claim {
    const char *name;
    size_t length;
    uint64_t says, shown;
} claim;

static claim *claim_of(claim *claims, size_t *count, const char *spec) {
    size_t length = strcspn(spec, "(");
    for (size_t i = 0; i < *count; i++)
        if (claims[i].length == length && !memcmp(claims[i].name, spec, length))
            return &claims[i];
    claims[*count] = (claim){.name = spec, .length = length};
    return &claims[(*count)++];
}

static uint64_t shown_by(gpc_context *context, gpc_policy_kind kind, const char *spec, uint64_t reads) {
    stream same = run(context, kind, spec, 0);
    uint64_t shown = same.ends ? GPC_READS_ADMISSION : 0;
    for (size_t i = 0; i < sizeof all_bits / sizeof *all_bits; i++)
        if (reads & all_bits[i] && run(context, kind, spec, all_bits[i]).digest != same.digest)
            shown |= all_bits[i];
    return shown;
}

/* The profile for `compiler` here has one kernel, with equal instructions in all launches. */
static bool cannot_be_seen(const claim *c, uint64_t bits) {
    return c->length == strlen("compiler") && !memcmp(c->name, "compiler", c->length) && bits == GPC_READS_KERNEL;
}

/* A policy with too many declared inputs would be refused although usable. */
static void reads_all_it_says(gpc_policy_kind kind) {
    gpc_context *context = open_context(1);
    claim claims[64];
    size_t count = 0;
    const char *spec;
    for (size_t row = 0; (spec = spec_at(kind, row)); row++) {
        claim *c = claim_of(claims, &count, spec);
        uint64_t reads = reads_of(context, kind, spec) & ~(uint64_t)GPC_READS_PLACE;
        c->says |= reads;
        c->shown |= shown_by(context, kind, spec, reads & ~c->shown);
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t unseen = claims[i].says & ~claims[i].shown;
        char text[GPCI_READS_TEXT];
        gpci_reads_text(cannot_be_seen(&claims[i], unseen) ? 0 : unseen, text);
        cr_expect_str_empty(text, "%.*s says that it reads %s, of which nothing is seen", (int)claims[i].length,
                            claims[i].name, text);
    }
    gpc_context_destroy(context);
}

Test(reads, replacement_policies_read_all_that_they_say) {
    reads_all_it_says(GPC_POLICY_REPLACEMENT);
}

Test(reads, predictors_read_all_that_they_say) {
    reads_all_it_says(GPC_POLICY_PREDICTOR);
}
