/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/snapshot_rig.h"

#include "effort.h"
#include "measured.h"
#include "suited.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char base[] =
    "sm.count = 4\nkernels.flush = none\nl1.size = 2KiB\nl1.ways = 4\nl1.line = 128B\nl1.mshr_entries = 6\n"
    "l2.size = 16KiB\nl2.slices = 2\nl2.ways = 4\nl2.line = 128B\ndram.channels = 2\n";

gpc_status snapshot_write_bytes(void *user_data, const void *data, size_t size) {
    snapshot_bytes *b = user_data;
    b->data = realloc(b->data, b->size + size);
    cr_assert_not_null(b->data);
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return GPC_OK;
}

/* At the end, *out_read stays 0 as before the call. */
gpc_status snapshot_read_bytes(void *user_data, void *data, size_t size, size_t *out_read) {
    snapshot_bytes *b = user_data;
    if (b->at >= b->size) {
        cr_assert_leq(b->at++, b->size, "a read behind the end");
        return GPC_OK;
    }
    *out_read = b->size - b->at < size ? b->size - b->at : size;
    memcpy(data, b->data + b->at, *out_read);
    b->at += *out_read;
    return GPC_OK;
}

uint32_t snapshot_below(snapshot_host *at, uint32_t bound) {
    at->random += 0x9e3779b97f4a7c15u;
    uint64_t z = at->random;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(((z ^ z >> 31) >> 32) * bound >> 32);
}

static void note(snapshot_host *at, uint64_t value) {
    at->trail = (at->trail ^ value) * 0x100000001b3u + 1;
}

void snapshot_on_complete(void *user_data, const gpc_completion *c) {
    note(user_data, c->token), note(user_data, c->cycle), note(user_data, c->level);
    for (uint32_t i = 0; i < c->value_bytes; i++)
        note(user_data, c->values[i]);
}

/* A refused SM hears of room, also after a load. */
static void on_ready(void *user_data, uint32_t sm) {
    snapshot_host *at = user_data;
    note(at, sm), note(at, gpc_hierarchy_now(at->hierarchy));
}

void snapshot_attach(snapshot_host *at) {
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.user_data = at;
    callbacks.on_complete = snapshot_on_complete;
    callbacks.on_ready = on_ready;
    if (at->clock)
        cr_assert_eq(gpc_hierarchy_set_callbacks(at->hierarchy, &callbacks, NULL), GPC_OK);
}

/* A warp access in 24 KiB, sometimes far away; kind, lanes, warp and instruction vary. */
void snapshot_access_one(snapshot_host *at) {
    uint64_t addresses[32];
    gpc_warp_access w = GPC_WARP_ACCESS_INIT;
    const uint32_t stride = snapshot_below(at, 4) ? 4 : 68;
    uint64_t from = (uint64_t)snapshot_below(at, 6144) * 4;
    if (!snapshot_below(at, 40))
        from += (uint64_t)snapshot_below(at, 3) << 40;
    w.mask = snapshot_below(at, 3) ? 0xffffffffu : 0xffu;
    for (uint32_t i = 0; i < 32; i++)
        addresses[i] = (from + i * stride) & ~(uint64_t)3;
    w.addresses = addresses;
    w.width = 4;
    w.sm = snapshot_below(at, 4);
    w.warp = snapshot_below(at, 8);
    w.warp_age = w.warp;
    w.block = w.warp / 4;
    w.pc = 16 * snapshot_below(at, 12);
    const uint32_t kind = snapshot_below(at, 12);
    w.kind = kind < 8 ? GPC_LOAD : kind < 11 ? GPC_STORE : GPC_ATOMIC;
    w.space = w.kind == GPC_LOAD && !w.pc ? GPC_SPACE_CONSTANT : GPC_SPACE_GLOBAL;
    w.token = snapshot_below(at, 5) ? GPC_TOKEN_HELD : GPC_TOKEN_NONE;
    gpc_warp_result result = GPC_WARP_RESULT_INIT;
    gpc_busy busy = GPC_BUSY_NOT;
    gpc_status status = at->clock ? gpc_hierarchy_try_issue(at->hierarchy, &w, at->tokens++, &busy, NULL)
                                  : gpc_hierarchy_access(at->hierarchy, &w, &result, NULL);
    note(at, (uint64_t)status);
    cr_assert(status == GPC_OK || status == GPC_BUSY, "%d", status);
    if (at->clock)
        cr_assert_eq(gpc_hierarchy_advance(at->hierarchy, snapshot_below(at, 4), NULL), GPC_OK);
}

/* A miss of a host's cache of code, if the hierarchy takes misses. */
static void miss(snapshot_host *at) {
    const gpc_request request = {.address = (uint64_t)1 << 32 | snapshot_below(at, 96) << 7,
                                 .sm = snapshot_below(at, 4),
                                 .kind = GPC_LOAD,
                                 .space = GPC_SPACE_INSTRUCTION};
    gpc_busy busy;
    note(at, (uint64_t)gpc_hierarchy_try_miss(at->hierarchy, &request, at->tokens++, &busy, NULL));
}

/* A bulk copy to or from shared memory, if the hierarchy has any. */
static void copy(snapshot_host *at) {
    const uint64_t address = (uint64_t)snapshot_below(at, 192) * 128;
    gpc_warp_access w = GPC_WARP_ACCESS_INIT;
    gpc_busy busy;
    w.addresses = &address;
    w.mask = 1;
    w.width = 64 * (1 + snapshot_below(at, 16));
    w.sm = snapshot_below(at, 4);
    w.kind = snapshot_below(at, 2) ? GPC_LOAD : GPC_STORE;
    w.copy = GPC_COPY_BULK;
    note(at, (uint64_t)gpc_hierarchy_try_issue(at->hierarchy, &w, at->tokens++, &busy, NULL));
}

static void sample(snapshot_host *at) {
    gpc_sample samples[4];
    for (unsigned sm = 0; sm < 4; sm++) {
        samples[sm] = (gpc_sample)GPC_SAMPLE_INIT;
        samples[sm].cycle = samples[sm].cycles = 1000;
        samples[sm].active_cycles = 900;
        samples[sm].instructions = 100 + snapshot_below(at, 100);
    }
    cr_assert_eq(gpc_hierarchy_sample(at->hierarchy, samples, NULL), GPC_OK);
}

void snapshot_drive(snapshot_host *at, unsigned steps) {
    for (unsigned i = 0; i < steps; i++) {
        snapshot_access_one(at);
        if (!snapshot_below(at, 30)) {
            gpc_warp_event event = {
                .kind = snapshot_below(at, 3), .sm = snapshot_below(at, 4), .warp = snapshot_below(at, 8)};
            event.block = event.warp / 4;
            cr_assert_eq(gpc_hierarchy_warp_event(at->hierarchy, &event, NULL), GPC_OK);
        }
        if (at->clock && !snapshot_below(at, 6))
            miss(at);
        if (at->clock && !snapshot_below(at, 20))
            copy(at);
        if (!snapshot_below(at, 60))
            sample(at);
        if (at->clock && !snapshot_below(at, 25)) {
            gpc_fence fence = GPC_FENCE_INIT;
            gpc_busy busy;
            fence.sm = snapshot_below(at, 4);
            fence.order = GPC_ORDER_ACQ_REL;
            fence.scope = GPC_SCOPE_GPU;
            note(at, (uint64_t)gpc_hierarchy_try_fence(at->hierarchy, &fence, at->tokens++, &busy, NULL));
        }
    }
}

/* Packets are watched for stages, and for values without a tree. */
static bool is_watched(const char *settings) {
    return strstr(settings, "stats.stages = true") ||
           (strstr(settings, "coherence.data = true") && strstr(settings, "l1.write_policy = through"));
}

static snapshot_bytes bytes_of(const snapshot_host *at) {
    gpc_error error = GPC_ERROR_INIT;
    snapshot_bytes b = {NULL, 0, 0};
    cr_assert_eq(gpc_hierarchy_save(at->hierarchy, &(gpc_stream)GPC_STREAM_WRITE(snapshot_write_bytes, &b), &error),
                 GPC_OK, "%s", error.message);
    return b;
}

/*
 * State that no counter shows yet, such as the order of free places, must be equal too. Labels of watched packets are
 * numbered anew after a load.
 */
void snapshot_expect_equal(const snapshot_bytes *s, const snapshot_bytes *t, const char *settings) {
    size_t at = 0;
    while (at < s->size && at < t->size && s->data[at] == t->data[at])
        at++;
    cr_expect(s->size == t->size && (at == s->size || is_watched(settings)), "%s: another snapshot at %zu of %zu, %zu",
              settings, at, s->size, t->size);
}

void snapshot_expect_same_bytes(const snapshot_host *a, const snapshot_host *b, const char *what) {
    snapshot_bytes s = bytes_of(a), t = bytes_of(b);
    snapshot_expect_equal(&s, &t, what);
    free(s.data), free(t.data);
}

/* Two hosts must be equal: results, all counters, and every line of every cache. */
void snapshot_expect_same(const snapshot_host *a, const snapshot_host *b, const char *what) {
    measured_stats s, t;
    measured_clear(&s), measured_clear(&t);
    cr_assert_eq(measure_hierarchy(a->hierarchy, &s), GPC_OK);
    cr_assert_eq(measure_hierarchy(b->hierarchy, &t), GPC_OK);
    cr_expect_eq(a->trail, b->trail, "%s: other completions", what);
    cr_expect(!memcmp(&s, &t, sizeof s), "%s: other counters", what);
    for (unsigned level = 1; level <= 2; level++)
        for (uint32_t i = 0;; i++) {
            gpc_cache *x = gpc_hierarchy_cache(a->hierarchy, level, i),
                      *y = gpc_hierarchy_cache(b->hierarchy, level, i);
            gpc_line l, m;
            uint64_t at = 0, to = 0;
            if (!x || !y)
                break;
            gpc_status more;
            do {
                memset(&l, 0, sizeof l), memset(&m, 0, sizeof m);
                more = gpc_cache_next_line(x, &at, &l, NULL);
                cr_expect_eq(more, gpc_cache_next_line(y, &to, &m, NULL), "%s: lines of level %u", what, level);
                cr_expect(!memcmp(&l, &m, sizeof l), "%s: another line in level %u", what, level);
            } while (more == GPC_OK);
        }
}

/*
 * Policies that fold every call into a number and decide by the number: a call more or less, or another argument,
 * changes all later decisions.
 */

static void witness(void *self, uint64_t value) {
    uint64_t *number = self;
    *number = (*number ^ value) * 0x9e3779b97f4a7c15u + 1;
    *number ^= *number >> 29;
}

static void witness_request(void *self, uint32_t set, uint32_t way, const gpc_request *request, uint32_t what) {
    witness(self, (uint64_t)what << 56 ^ (uint64_t)set << 32 ^ way);
    witness(self, request ? request->address ^ (uint64_t)request->kind << 48 ^ (uint64_t)request->pc << 32 : 0);
    witness(self, request ? request->policy.admitted : 0);
}

static void witness_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    witness_request(self, set, way, request, 1);
}

static void witness_miss(void *self, uint32_t set, const gpc_request *request) {
    witness_request(self, set, 0, request, 2);
}

static void witness_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    witness_request(self, set, way, request, 3);
}

static void witness_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction,
                          const gpc_request *request) {
    witness_request(self, set, way, request, 4);
    witness(self, eviction->line_address ^ (uint64_t)eviction->valid_sectors << 48);
}

static void witness_invalidate(void *self, uint32_t set, uint32_t way) {
    witness_request(self, set, way, NULL, 5);
}

static void witness_sector_miss(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    witness_request(self, set, way, request, 6);
}

static void witness_warp_event(void *self, const gpc_warp_event *event) {
    witness(self, (uint64_t)event->kind << 32 ^ (uint64_t)event->kernel << 8 ^ event->warp);
}

static void witness_sample(void *self, const gpc_sample *sample) {
    witness(self, sample->reads << 32 ^ sample->read_hits);
}

static uint32_t witness_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    witness_request(self, set, 0, request, 7);
    const uint32_t from = (uint32_t)(*(uint64_t *)self >> 40) % 4;
    for (uint32_t i = 0; candidates && i < 4; i++)
        if (candidates[0] >> (from + i) % 4 & 1)
            return (from + i) % 4;
    return from;
}

static bool witness_declines(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    witness_request(self, set, candidates ? (uint32_t)candidates[0] : 0, request, 11);
    return *(uint64_t *)self >> 40 & 1;
}

static void witness_predict(void *self, uint32_t set, const gpc_request *request, gpc_prediction *prediction) {
    witness_request(self, set, 0, request, 8);
    const uint64_t drawn = *(uint64_t *)self >> 40;
    prediction->decision = drawn % 3 ? GPC_CACHE : GPC_BYPASS;
    prediction->policy_word = (uint32_t)(drawn & 0xff);
}

static gpc_decision witness_reply(void *self, const gpc_request *request, gpc_decision predicted, uint32_t word) {
    witness_request(self, (uint32_t)predicted, word, request, 9);
    return *(uint64_t *)self >> 40 & 1 ? GPC_CACHE : predicted;
}

static uint32_t witness_respond(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    witness_request(self, set, way, request, 10);
    return 1 + (uint32_t)(*(uint64_t *)self >> 40 & 0xff);
}

static void witness_state(void *self, gpc_state_fn visit, void *visit_data) {
    visit(visit_data, self, sizeof(uint64_t));
}

void snapshot_register_witnesses(gpc_context *context) {
    enum {
        BELOW = GPC_READS_OF_REQUESTS &
                ~(GPC_READS_POLICY_WORD | GPC_READS_BYTES | GPC_READS_TOKEN | GPC_READS_NEXT_USE | GPC_READS_ADMISSION),
        ABOVE = BELOW | GPC_READS_WARP_EVENTS | GPC_READS_SAMPLES
    };
    gpc_error error = GPC_ERROR_INIT;
    gpc_replacement_ops keeper = {.struct_size = sizeof keeper,
                                  .name = "witness",
                                  .instance_bytes = sizeof(uint64_t),
                                  .on_hit = witness_hit,
                                  .on_miss = witness_miss,
                                  .choose_victim = witness_victim,
                                  .on_fill = witness_fill,
                                  .on_evict = witness_evict,
                                  .on_invalidate = witness_invalidate,
                                  .on_warp_event = witness_warp_event,
                                  .on_sample = witness_sample,
                                  .declines = witness_declines,
                                  .reads = ABOVE | GPC_READS_ADMISSION,
                                  .state = witness_state,
                                  .on_sector_miss = witness_sector_miss};
    gpc_predictor_ops teller = {.struct_size = sizeof teller,
                                .name = "witness",
                                .instance_bytes = sizeof(uint64_t),
                                .before_lookup = true,
                                .predict = witness_predict,
                                .on_reply = witness_reply,
                                .on_hit = witness_hit,
                                .on_fill = witness_fill,
                                .on_evict = witness_evict,
                                .on_invalidate = witness_invalidate,
                                .on_warp_event = witness_warp_event,
                                .on_sample = witness_sample,
                                .below = "witness-below",
                                .reads = ABOVE,
                                .state = witness_state,
                                .on_sector_miss = witness_sector_miss};
    cr_assert_eq(gpc_context_register_replacement(context, &keeper, NULL, NULL, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_context_register_predictor(context, &teller, NULL, NULL, &error), GPC_OK, "%s", error.message);
    keeper.name = teller.name = "witness-below", keeper.reads = teller.reads = BELOW;
    keeper.on_warp_event = teller.on_warp_event = NULL, keeper.on_sample = teller.on_sample = NULL;
    keeper.declines = NULL;
    teller.on_reply = NULL, teller.below = NULL, teller.respond = witness_respond;
    cr_assert_eq(gpc_context_register_replacement(context, &keeper, NULL, NULL, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_context_register_predictor(context, &teller, NULL, NULL, &error), GPC_OK, "%s", error.message);
}

gpc_context *snapshot_context;

gpc_status snapshot_make(const char *settings, bool clock, snapshot_host *at, gpc_error *error) {
    gpc_config *config;
    *at = (snapshot_host){.random = 7, .clock = clock};
    cr_assert_eq(gpc_config_create(snapshot_context, &config, error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(config, base, "base", error), GPC_OK, "%s", error->message);
    cr_assert_eq(gpc_config_set(config, "mode", clock ? "timed" : "functional", error), GPC_OK);
    gpc_status status = gpc_config_load_text(config, settings, "set", error);
    suit(snapshot_context, config);
    if (status == GPC_OK)
        status = gpc_hierarchy_create(snapshot_context, config, &at->hierarchy, error);
    gpc_config_destroy(config);
    if (status == GPC_OK)
        snapshot_attach(at);
    return status;
}

unsigned snapshot_saved, snapshot_saved_in_flight;

snapshot_bytes snapshot_save(const snapshot_host *at) {
    snapshot_saved += at->clock;
    snapshot_saved_in_flight += at->clock && gpc_hierarchy_in_flight(at->hierarchy) > 2;
    return bytes_of(at);
}

snapshot_host snapshot_load(const snapshot_host *as, snapshot_bytes *b) {
    gpc_error error = GPC_ERROR_INIT;
    snapshot_host at = *as;
    b->at = 0;
    cr_assert_eq(gpc_hierarchy_load(snapshot_context, &(gpc_stream)GPC_STREAM_READ(snapshot_read_bytes, b), NULL,
                                    &at.hierarchy, &error),
                 GPC_OK, "%s", error.message);
    return at;
}

void snapshot_check_damaged(snapshot_host *dice, const snapshot_bytes *file) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy *none = NULL;
    snapshot_bytes damaged = {malloc(file->size), file->size, 0};
    cr_assert_not_null(damaged.data);
    memcpy(damaged.data, file->data, file->size);
    const uint32_t at = snapshot_below(dice, (uint32_t)file->size), last = at + 1 + snapshot_below(dice, 16);
    if (snapshot_below(dice, 3))
        for (uint32_t i = at; i < last && i < damaged.size; i++)
            damaged.data[i] ^= (uint8_t)(1 + snapshot_below(dice, 255));
    else
        damaged.size = at;
    gpc_status status = gpc_hierarchy_load(
        snapshot_context, &(gpc_stream)GPC_STREAM_READ(snapshot_read_bytes, &damaged), NULL, &none, &error);
    cr_expect(status == GPC_ERROR_FORMAT || status == GPC_ERROR_ABI || status == GPC_ERROR_STATE, "at %u: %d", at,
              status);
    cr_expect(strstr(error.message, "offset "), "at %u: %s", at, error.message);
    cr_expect_null(none);
    free(damaged.data);
}

void snapshot_finish(snapshot_host *at) {
    gpc_error error = GPC_ERROR_INIT;
    if (at->clock)
        cr_expect_eq(gpc_hierarchy_drain(at->hierarchy, &error), GPC_OK, "%s", error.message);
}

/* Some accesses, a snapshot, more of both in the two; false if such a hierarchy is impossible. */
bool snapshot_check(const char *settings, bool clock) {
    gpc_error error = GPC_ERROR_INIT;
    char what[512];
    snapshot_host a;
    snapshot_context = NULL;
    cr_assert_eq(gpc_context_create(NULL, &snapshot_context, &error), GPC_OK);
    const bool made = snapshot_make(settings, clock, &a, &error) == GPC_OK;
    snprintf(what, sizeof what, "%.400s, %s", settings, clock ? "timed" : "functional");
    for (unsigned round = 0, at = 40; made && round < (effort_is_small() ? 1 : 3); round++, at += 211) {
        snapshot_drive(&a, at);
        snapshot_bytes file = snapshot_save(&a);
        snapshot_host b = snapshot_load(&a, &file);
        snapshot_attach(&b);
        snapshot_expect_same(&a, &b, what);
        snapshot_drive(&a, 300), snapshot_drive(&b, 300);
        snapshot_expect_same(&a, &b, what);
        snapshot_expect_same_bytes(&a, &b, what);
        snapshot_host c = b;
        cr_assert_eq(gpc_hierarchy_copy(b.hierarchy, &c.hierarchy, &error), GPC_OK, "%s", error.message);
        snapshot_attach(&b), snapshot_attach(&c);
        snapshot_drive(&c, 100), snapshot_drive(&b, 100); /* in sequence: independent */
        snapshot_expect_same(&b, &c, what);
        snapshot_finish(&b), snapshot_finish(&c);
        snapshot_expect_same(&b, &c, what);
        snapshot_expect_same_bytes(&b, &c, what);
        gpc_hierarchy_destroy(b.hierarchy);
        gpc_hierarchy_destroy(c.hierarchy);
        free(file.data);
    }
    if (made)
        gpc_hierarchy_destroy(a.hierarchy);
    gpc_context_destroy(snapshot_context);
    return made;
}
