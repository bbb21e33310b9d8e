/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "coherence/engine/engine.h"
#include "coherence/random.h"
#include "effort.h"
#include "measured.h"

/*
 * Accesses issued in sequence, each after the end of the previous, equal gpc_coherence_access: equal transitions and
 * messages, in any order, and then equal blocks, directories, orders of replacement, bytes, statistics.
 */

#define MOST 4096u

typedef struct did {
    gpc_coherence_message messages[MOST];
    gpc_coherence_transition transitions[MOST];
    uint32_t message_count, transition_count;
    bool ended, hit;
} did;

static void on_message(void *user_data, const gpc_coherence_message *m) {
    did *d = user_data;
    const bool is_none =
        m->kind == GPC_MESSAGE_JOIN || m->kind == GPC_MESSAGE_FINISH || m->kind == GPC_MESSAGE_EVICTION;
    cr_assert_lt(d->message_count, MOST);
    if (!is_none)
        d->messages[d->message_count++] = (gpc_coherence_message){
            .address = m->address, .kind = m->kind, .from = m->from, .to = m->to, .bytes = m->bytes};
}

static void on_transition(void *user_data, const gpc_coherence_transition *t) {
    did *d = user_data;
    cr_assert_lt(d->transition_count, MOST);
    d->transitions[d->transition_count] = *t;
    d->transitions[d->transition_count++].cycle = 0;
}

static void on_complete(void *user_data, const gpc_coherence_completion *completion) {
    did *d = user_data;
    d->ended = true;
    d->hit = completion->hit;
}

static void listen(gpc_coherence *c, did *d) {
    gpc_coherence_callbacks callbacks = GPC_COHERENCE_CALLBACKS_INIT;
    callbacks.user_data = d;
    callbacks.on_message = on_message;
    callbacks.on_transition = on_transition;
    callbacks.on_complete = on_complete;
    cr_assert_eq(gpc_coherence_set_callbacks(c, &callbacks, NULL), GPC_OK);
}

static int by_message(const void *a, const void *b) {
    return memcmp(a, b, sizeof(gpc_coherence_message));
}

static int by_transition(const void *a, const void *b) {
    return memcmp(a, b, sizeof(gpc_coherence_transition));
}

/* Two trees of a program: one done at once, the other message by message. */
typedef struct pair {
    const random_program *p;
    gpc_coherence *c[2];
    did *d[2];
    size_t step;
} pair;

static void print(const pair *w) {
    static const char letters[] = "NMOESI";
    for (uint32_t k = 0; k < 2; k++) {
        fprintf(stderr, "%s:\n", k ? "issued" : "at once");
        for (uint32_t i = 0; i < w->d[k]->message_count; i++) {
            const gpc_coherence_message *m = &w->d[k]->messages[i];
            fprintf(stderr, "  message kind %u from m%u to m%u of %u bytes, %#llx\n", m->kind, m->from, m->to, m->bytes,
                    (unsigned long long)m->address);
        }
        for (uint32_t i = 0; i < w->d[k]->transition_count; i++) {
            const gpc_coherence_transition *t = &w->d[k]->transitions[i];
            fprintf(stderr, "  m%u set %u way %u %#llx %#llx %c -> %c origin %#x\n", t->module, t->set, t->way,
                    (unsigned long long)t->tag_before, (unsigned long long)t->tag, letters[t->from], letters[t->to],
                    t->origin);
        }
    }
}

static void differ(const pair *w, const char *what) {
    print(w);
    cr_assert_fail("%s, seed %llu, step %zu: other %s", w->p->protocol, (unsigned long long)w->p->seed, w->step, what);
}

/* Multi2Sim: a module changes state for every answer to the probes after the first with data, on arrival. */
static bool repeats(const pair *w) {
    if (!(w->c[0]->protocol->flags & GPC_PROTOCOL_COUNT_REPLIES))
        return false;
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t i = 0; i < w->d[k]->transition_count; i++) {
            const gpc_coherence_transition *t = &w->d[k]->transitions[i];
            if (t->origin & (GPC_ORIGIN_INVALIDATE_DATA_1 | GPC_ORIGIN_INVALIDATE_DATA_2) && t->from == t->to)
                return true;
        }
    return false;
}

/* True if several blocks of a line have left together. The blocks meet in any order if a block below has them all. */
static bool left_together(const pair *w) {
    const uint32_t gone = GPC_ORIGIN_EVICTED | GPC_ORIGIN_EVICT_IN_MEMORY | GPC_ORIGIN_DIRECTORY_ONLY;
    uint32_t count[TREE_MODULES] = {0};
    for (uint32_t i = 0; i < w->d[0]->transition_count; i++) {
        const gpc_coherence_transition *t = &w->d[0]->transitions[i];
        const bool leaves = t->to == GPC_LINE_I && t->from != GPC_LINE_I && t->origin & gone;
        count[t->module] += leaves && w->c[0]->modules[t->module].sectors > 1;
        if (count[t->module] > 1)
            return true;
    }
    return false;
}

/* False: no longer comparable. */
static bool same_steps(const pair *w) {
    did *a = w->d[0], *b = w->d[1];
    if (a->message_count != b->message_count || a->transition_count != b->transition_count)
        differ(w, "number of messages or transitions");
    for (uint32_t k = 0; k < 2; k++) {
        qsort(w->d[k]->messages, a->message_count, sizeof *a->messages, by_message);
        qsort(w->d[k]->transitions, a->transition_count, sizeof *a->transitions, by_transition);
    }
    if (memcmp(a->messages, b->messages, a->message_count * sizeof *a->messages))
        differ(w, "messages");
    if (!memcmp(a->transitions, b->transitions, a->transition_count * sizeof *a->transitions))
        return true;
    if (!left_together(w))
        differ(w, "transitions");
    return false;
}

/* A policy whose state is the whole input; the state decides the choice. */
static void hear(void *self, uint64_t what, uint32_t set, uint32_t way, const gpc_request *r) {
    uint64_t *sum = self;
    *sum = gpci_mix(*sum ^ gpci_mix(what ^ gpci_mix((uint64_t)set << 32 | way)));
    if (r) /* the cycle differs */
        *sum = gpci_mix(*sum ^ gpci_mix(r->address ^ gpci_mix((uint64_t)r->sm << 32 | r->kind)));
}

static void on_hit(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    hear(self, 1, set, way, request);
}

static void on_miss(void *self, uint32_t set, const gpc_request *request) {
    hear(self, 2, set, 0, request);
}

static void on_fill(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    hear(self, 3, set, way, request);
}

static void on_evict(void *self, uint32_t set, uint32_t way, const gpc_eviction *eviction, const gpc_request *request) {
    hear(self, 4 + eviction->dirty_sectors, set, way, request);
}

static void on_invalidate(void *self, uint32_t set, uint32_t way) {
    hear(self, 6, set, way, NULL);
}

static uint32_t choose(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    cr_assert_null(candidates, "something is locked");
    hear(self, 7, set, 0, request);
    return (uint32_t)(*(uint64_t *)self >> 7) & 3;
}

static void listening(gpc_context *context) {
    gpc_replacement_ops ops = {.struct_size = sizeof ops, .source = "", .summary = "sums up what it is told"};
    ops.name = "nru-that-listens";
    ops.instance_bytes = sizeof(uint64_t);
    ops.reads = GPC_READS_ADDRESS;
    ops.on_hit = on_hit;
    ops.on_miss = on_miss;
    ops.on_fill = on_fill;
    ops.on_evict = on_evict;
    ops.on_invalidate = on_invalidate;
    ops.choose_victim = choose;
    cr_assert_eq(gpc_context_register_replacement(context, &ops, NULL, NULL, NULL), GPC_OK);
}

/* True if both policies had equal inputs. */
static bool compare_policies(const gpci_module *a, const gpci_module *b) {
    const bool listens = a->policy && !strcmp(a->given.replacement, "nru-that-listens");
    return !listens || *(uint64_t *)a->policy->self == *(uint64_t *)b->policy->self;
}

/* Difference of two modules: none; only in the order of blocks; in bytes; in more. */
typedef enum unlike { ALIKE, ORDER, BYTES, OTHER } unlike;

static unlike compare_blocks(const gpci_module *a, const gpci_module *b, uint32_t i) {
    if (gpci_module_tag(a, i) != gpci_module_tag(b, i) || a->states[i] != b->states[i])
        return OTHER;
    for (uint32_t sub = 0; sub < a->sub_blocks; sub++) {
        if (gpci_module_owner_of(a, i, sub) != gpci_module_owner_of(b, i, sub))
            return OTHER;
        for (uint32_t word = 0; word < a->sharer_words; word++)
            if (gpci_sharers_word(a, i, sub, word) != gpci_sharers_word(b, i, sub, word))
                return OTHER;
    }
    if (a->states[i] == GPC_LINE_I || !a->data || gpci_module_directory_only(a, i))
        return ALIKE;
    if (memcmp(gpci_module_dirty_of(a, i), gpci_module_dirty_of(b, i), a->mask_bytes))
        return OTHER;
    return memcmp(gpci_module_data_of(a, i), gpci_module_data_of(b, i), a->given.block_bytes) ? BYTES : ALIKE;
}

static bool same_order(const gpci_module *a, const gpci_module *b) {
    for (uint32_t row = 0; row < a->rows; row++)
        for (uint32_t i = 0; i < a->all_ways; i++) {
            const bool own = i >= a->given.ways;
            const uint32_t place = own ? i - a->given.ways : i;
            if (gpci_module_way_at(a, row, own, place) != gpci_module_way_at(b, row, own, place))
                return false;
        }
    return true;
}

static unlike compare_modules(const gpci_module *a, const gpci_module *b) {
    const uint32_t blocks = a->full_map ? a->map.count : a->blocks;
    unlike found = !a->full_map && !same_order(a, b) ? ORDER : ALIKE;
    if (blocks != (b->full_map ? b->map.count : b->blocks))
        return OTHER;
    for (uint32_t i = 0; i < blocks; i++) {
        const unlike block = compare_blocks(a, b, i);
        found = block > found ? block : found;
    }
    return found;
}

static bool same_memory(const pair *w) {
    const tree *t = &w->p->tree;
    if (!w->c[0]->with_data)
        return true;
    uint8_t *bytes = calloc(2, t->bytes);
    for (uint32_t k = 0; k < 2; k++)
        cr_assert_eq(gpc_coherence_read_memory(w->c[k], t->base, bytes + k * t->bytes, t->bytes, NULL), GPC_OK);
    const bool same = !memcmp(bytes, bytes + t->bytes, t->bytes);
    free(bytes);
    return same;
}

/* False: a lookup had to wait, and was repeated. */
static bool same_statistics(const pair *w) {
    for (uint32_t i = 0; i < w->c[0]->module_count; i++) {
        char text[2][4096];
        for (uint32_t k = 0; k < 2; k++)
            gpc_counters_json(measured_module_ids, MEASURED_COUNT(measured_module_ids),
                              (const uint64_t *)&w->c[k]->modules[i].stats,
                              sizeof(gpci_coherence_stats) / sizeof(uint64_t), text[k], sizeof *text, NULL, NULL);
        if (!memcmp(&w->c[0]->modules[i].stats, &w->c[1]->modules[i].stats, sizeof(gpci_coherence_stats)))
            continue;
        if (left_together(w))
            return false;
        fprintf(stderr, "m%u at once: %s\nm%u issued: %s\n", i, text[0], i, text[1]);
        differ(w, "statistics");
    }
    return true;
}

static uint32_t probes_of(const did *d, uint32_t module) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->message_count; i++)
        count += d->messages[i].to == module &&
                 (d->messages[i].kind == GPC_MESSAGE_READ_PROBE || d->messages[i].kind == GPC_MESSAGE_WRITE_PROBE);
    return count;
}

/* True if several modules answered with bytes stored non-coherently by each. No rule decides the last. */
static bool is_racy(const pair *w) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->d[0]->transition_count; i++) {
        const gpc_coherence_transition *t = &w->d[0]->transitions[i];
        count += t->from == GPC_LINE_N && t->to == GPC_LINE_I && t->origin == GPC_ORIGIN_WRITE_DOWN_UP;
    }
    return count > 1;
}

/*
 * False: no longer comparable. Several probes of one module, of blocks that are one below, are under way at the same
 * time, and done in another order than in sequence: then the order of replacement differs.
 */
static bool same_trees(const pair *w) {
    const gpc_coherence *a = w->c[0], *b = w->c[1];
    bool comparable = same_memory(w);
    if (!comparable && !is_racy(w))
        differ(w, "bytes in memory");
    for (uint32_t i = 0; i < a->module_count; i++) {
        const bool same = compare_policies(&a->modules[i], &b->modules[i]);
        const unlike found = compare_modules(&a->modules[i], &b->modules[i]);
        comparable &= found == ALIKE && same;
        if (found == OTHER || (found == BYTES && !is_racy(w)))
            differ(w, found == OTHER ? "blocks" : "bytes of blocks");
        if ((found == ORDER || !same) && probes_of(w->d[0], i) < 2 && !left_together(w))
            differ(w, same ? "order of replacement" : "calls of a policy");
    }
    return same_statistics(w) && comparable;
}

/* False: no longer comparable. */
static bool step(pair *w, const random_step *s) {
    uint8_t out[2][RANDOM_BYTES] = {{0}, {0}}, mask[2] = {(uint8_t)s->mask, (uint8_t)(s->mask >> 8)};
    gpc_error error = GPC_ERROR_INIT;
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    gpc_coherence_request r = GPC_COHERENCE_REQUEST_INIT;
    uint64_t token;
    for (uint32_t k = 0; k < 2; k++)
        w->d[k]->message_count = w->d[k]->transition_count = 0;
    cr_assert_eq(random_make_step(w->c[0], s, out[0], &error, &result), GPC_OK, "%s", error.message);
    if (s->kind > RANDOM_N_STORE) {
        cr_assert_eq(random_make_step(w->c[1], s, out[1], &error, &result), GPC_OK, "%s", error.message);
        return true;
    }
    r.address = s->address;
    r.cycle = w->c[1]->engine ? w->c[1]->engine->now + 100 : 0;
    r.bytes = s->kind == RANDOM_LOAD ? NULL : s->bytes;
    r.mask = s->mask == 0xffff ? NULL : mask;
    if (random_is_blind(s))
        memcpy(out[1], s->bytes, s->size);
    else
        r.out = out[1];
    r.module = s->module;
    r.size = s->size;
    r.kind = s->kind;
    r.flags = s->flags;
    cr_assert_eq(gpc_coherence_issue(w->c[1], &r, &token, &error), GPC_OK, "%s", error.message);
    w->d[1]->ended = false;
    const gpc_status status = gpc_coherence_advance(w->c[1], UINT64_MAX, &error);
    if (status != GPC_OK)
        differ(w, error.message);
    cr_assert(w->d[1]->ended);
    if (w->d[1]->hit != result.hit)
        differ(w, "hit");
    if (repeats(w) || !same_steps(w))
        return false;
    const bool same = !memcmp(out[0], out[1], s->size);
    if (!same && !is_racy(w))
        differ(w, "bytes");
    return same;
}

/* Every fourth is without data. */
static gpc_coherence *make(const random_program *p, gpc_context *context) {
    gpc_coherence *c;
    tree t = p->tree;
    gpc_error error = GPC_ERROR_INIT;
    for (uint32_t i = 0; i < t.module_count; i++)
        if (t.modules[i].replacement && !strcmp(t.modules[i].replacement, "nru"))
            t.modules[i].replacement = "nru-that-listens";
    const gpc_status status = tree_create(&t, context, p->protocol, p->seed % 4 != 2, true, &error, &c);
    cr_assert_eq(status, GPC_OK, "%s", error.message);
    gpci_coherence_inject(c, GPCI_FAULT_ALWAYS_DIRECT, 0); /* refusals are impossible here */
    return c;
}

/* True if comparable to the end. */
static bool compare(const char *protocol, uint64_t seed, unsigned features) {
    static did kept[2];
    random_program *p = random_make(protocol, seed, 300, features);
    pair w = {.p = p, .d = {&kept[0], &kept[1]}};
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    listening(context);
    for (uint32_t k = 0; k < 2; k++)
        listen(w.c[k] = make(p, context), w.d[k]);
    bool comparable = true;
    for (w.step = 0; w.step < p->count && comparable; w.step++)
        comparable = step(&w, &p->steps[w.step]) && same_trees(&w);
    for (uint32_t k = 0; k < 2; k++)
        gpc_coherence_destroy(w.c[k]);
    gpc_context_destroy(context);
    random_free(p);
    return comparable;
}

/* At least one of this number must be comparable to the end. */
static void compare_all(const char *protocol, unsigned features, uint64_t one_of) {
    const char *count = getenv("GPUCACHE_CONTROLLER_TREES"), *first = getenv("GPUCACHE_CONTROLLER_FIRST");
    const uint64_t trees = count ? strtoull(count, NULL, 0) : effort_of(96);
    uint64_t whole = 0;
    for (uint64_t seed = first ? strtoull(first, NULL, 0) : 1; seed <= trees; seed++)
        whole += compare(protocol, seed, features);
    cr_expect_geq(whole * one_of, trees, "%s: only %llu programs were compared to their end", protocol,
                  (unsigned long long)whole);
}

/* Neighbours come in sequence if a transaction is done at once, here together. */
#define ALONE (TREE_ALL & ~(unsigned)TREE_FETCH)

#define PROTOCOL(name, text)                 \
    Test(coherence_controller_alone, name) { \
        compare_all(text, ALONE, 2);         \
    }

PROTOCOL(msi, "msi")
PROTOCOL(mesi, "mesi")
PROTOCOL(mosi, "mosi")
PROTOCOL(moesi, "moesi")
PROTOCOL(nmoesi, "nmoesi")
PROTOCOL(vi, "vi")
PROTOCOL(none, "none")
PROTOCOL(slc_glc, "slc-glc")
/* Invalidations are not awaited, so policies see the invalidations in another order. */
Test(coherence_controller_alone, hmg) {
    compare_all("hmg", ALONE & ~(unsigned)TREE_POLICIES, 2);
}
Test(coherence_controller_alone, multi2sim) {
    compare_all("nmoesi-multi2sim", TREE_SIMULATOR, 12);
}

/* Many steps of one cycle: every step is kept in order while the memory of the steps grows. */
Test(coherence_controller_alone, many_steps_of_a_cycle) {
    gpc_context *context;
    gpci_calendar calendar = {0};
    uint32_t put = 0, taken = 0;
    gpci_due due;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (uint32_t more = 1; more <= 1u << 16; more *= 2) {
        cr_assert(gpci_calendar_reserve(context, &calendar, more));
        for (uint32_t i = 0; i < more; i++)
            gpci_calendar_today(&calendar, (gpci_due){.subject = put++});
        for (uint32_t i = 0; i < more / 3 + 1; i++) {
            cr_assert(gpci_calendar_take(&calendar, 0, &due));
            cr_assert_eq(due.subject, taken++);
        }
    }
    while (gpci_calendar_take(&calendar, 0, &due))
        cr_assert_eq(due.subject, taken++);
    cr_expect_eq(taken, put);
    gpci_calendar_free(context, &calendar);
    gpc_context_destroy(context);
}
