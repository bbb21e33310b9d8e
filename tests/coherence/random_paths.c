/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <string.h>

#include "coherence/random.h"
#include "measured.h"

/*
 * A program in two ways that must be equal: with listeners, which also keep hits from the short path; without cycles.
 */

typedef struct heard {
    uint64_t messages, transitions;
} heard;

static uint64_t stir(uint64_t sum, uint64_t value) {
    return gpci_mix(sum ^ value);
}

static void on_message(void *user_data, const gpc_coherence_message *m) {
    heard *h = user_data;
    h->messages++;
    cr_assert_lt(m->kind, (uint32_t)GPC_MESSAGE_KIND_COUNT);
}

static void on_transition(void *user_data, const gpc_coherence_transition *t) {
    heard *h = user_data;
    h->transitions++;
    cr_assert(t->from < GPC_LINE_COUNT && t->to < GPC_LINE_COUNT);
}

/* The cycle-independent part. */
static uint64_t sum_of(uint64_t sum, const gpc_coherence_result *r, const uint8_t *out) {
    for (uint32_t i = 0; i < RANDOM_BYTES; i++)
        sum = stir(sum, out[i]);
    return stir(stir(stir(sum, r->hit), r->found), r->state) + r->message_count;
}

static gpc_coherence *make(const random_program *p, gpc_context *context, bool data, bool timing) {
    gpc_coherence *c;
    tree t = p->tree;
    cr_assert_eq(tree_create(&t, context, p->protocol, data, timing, NULL, &c), GPC_OK);
    return c;
}

static bool same_message(const gpc_coherence_message *a, const gpc_coherence_message *b) {
#define SAME(field) (a->field == b->field)
    return SAME(address) && SAME(sent) && SAME(received) && SAME(kind) && SAME(from) && SAME(to) && SAME(network) &&
           SAME(bytes) && SAME(after) && SAME(join) && SAME(needs) && SAME(delay) && SAME(directory) && SAME(request) &&
           SAME(block) && SAME(looks) && SAME(memory) && SAME(masked);
#undef SAME
}

/* Every step on both: equal results, except cycles, which are those of `a` or 0. */
static void same_steps(const random_program *p, gpc_coherence *a, gpc_coherence *b, heard *h, bool data, bool timing) {
    for (size_t i = 0; i < p->count; i++) {
        gpc_coherence_result r[2] = {GPC_COHERENCE_RESULT_INIT, GPC_COHERENCE_RESULT_INIT};
        uint8_t out[2][RANDOM_BYTES] = {{0}, {0}};
        *h = (heard){0};
        cr_assert_eq(random_make_step(a, &p->steps[i], out[0], NULL, &r[0]), GPC_OK);
        cr_assert_eq(random_make_step(b, &p->steps[i], out[1], NULL, &r[1]), GPC_OK);
        if (!data)
            memset(out, 0, sizeof(out));
        cr_assert_eq(sum_of(0, &r[0], out[0]), sum_of(0, &r[1], out[1]), "%s, seed %llu, step %zu", p->protocol,
                     (unsigned long long)p->seed, i);
        cr_assert_eq(r[0].level, r[1].level);
        cr_assert_eq(r[1].completed, timing ? r[0].completed : 0);
        if (!timing)
            continue;
        cr_assert_eq(h->messages, r[1].message_count);
        cr_assert_eq(h->transitions, r[1].transition_count);
        for (uint32_t k = 0; k < r[0].message_count; k++)
            cr_assert(same_message(&r[0].messages[k], &r[1].messages[k]));
        for (uint32_t k = 0; k < r[0].transition_count; k++)
            cr_assert_arr_eq(&r[0].transitions[k], &r[1].transitions[k], sizeof(gpc_coherence_transition));
    }
}

static void same_counters(const random_program *p, const gpc_coherence *a, const gpc_coherence *b) {
    for (uint32_t i = 0; i < p->tree.module_count; i++) {
        measured_module s[2];
        memset(s, 0, sizeof(s));
        cr_assert_eq(measure_module(a, i, &s[0]), GPC_OK);
        cr_assert_eq(measure_module(b, i, &s[1]), GPC_OK);
        cr_assert_arr_eq(&s[0], &s[1], sizeof(*s), "%s, seed %llu: m%u counts otherwise", p->protocol,
                         (unsigned long long)p->seed, i);
    }
}

static void compare(bool data, bool timing) {
    static const char *const protocols[] = {"msi", "mesi", "mosi",   "moesi", "nmoesi", "nmoesi-multi2sim",
                                            "vi",  "none", "slc-glc"};
    for (uint64_t seed = 1; seed <= 90; seed++) {
        const char *protocol = protocols[seed % 9];
        unsigned features = random_rules_of(protocol) == RANDOM_NO_DATA ? TREE_SIMULATOR : TREE_ALL;
        if (!data) /* modified data of others need not be present when a store goes through */
            features &= ~(unsigned)TREE_WRITE_THROUGH;
        random_program *p = random_make(protocol, seed, 400, features);
        gpc_context *context;
        heard h;
        cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
        gpc_coherence *a = make(p, context, true, true), *b = make(p, context, data, timing);
        gpc_coherence_callbacks listeners = GPC_COHERENCE_CALLBACKS_INIT;
        listeners.user_data = &h;
        listeners.on_message = on_message;
        listeners.on_transition = on_transition;
        if (timing)
            cr_assert_eq(gpc_coherence_set_callbacks(b, &listeners, NULL), GPC_OK);
        same_steps(p, a, b, &h, data, timing);
        if (timing || random_rules_of(protocol) != RANDOM_NO_DATA) /* with counts depending on the order of answers */
            same_counters(p, a, b);
        gpc_coherence_destroy(a);
        gpc_coherence_destroy(b);
        gpc_context_destroy(context);
        random_free(p);
    }
}

Test(random_paths, with_listeners) {
    compare(true, true);
}

Test(random_paths, without_cycles) {
    compare(true, false);
}

Test(random_paths, without_data) {
    compare(false, true);
}
