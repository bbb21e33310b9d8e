/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/registry.h"

#include "base/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* Words, texts and lists in a spec; state shared by caches of a level; costs of a level. */

static uint32_t first_way(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 0;
}

static const gpc_parameter numbers[] = {{"depth", 2, 1, 8, true, "levels"}};
static const gpc_text_parameter texts[] = {
    {"signature", "memory", "pc|memory", "what is hashed"},
    {"", "lru, fifo", NULL, "candidates"},
    {"file", "", NULL, "a path"},
};

/* 100 common bits and 7 in every cache. */
static uint64_t cost(const gpc_policy_env *env) {
    return 7 + (env->index ? 0 : 100);
}

static gpc_replacement_ops wordy(void) {
    return (gpc_replacement_ops){.struct_size = sizeof(gpc_replacement_ops),
                                 .name = "wordy",
                                 .parameters = numbers,
                                 .parameter_count = 1,
                                 .choose_victim = first_way,
                                 .cost_bits = cost,
                                 .texts = texts,
                                 .text_count = 3,
                                 .shared_bytes = 16,
                                 .shared_cache_bytes = 8};
}

static void open_with(rig *r, const gpc_replacement_ops *ops) {
    rig_open(r);
    cr_assert_eq(gpc_context_register_replacement(r->context, ops, NULL, NULL, &r->error), GPC_OK, "%s",
                 r->error.message);
}

static gpci_policy *make(rig *r, const char *spec, uint32_t index, gpci_commons *commons) {
    gpc_policy_env geometry = {.sets = 4, .ways = 2, .line_bytes = 128, .sectors = 1, .index = index, .count = 3};
    gpci_policy *policy = NULL;
    cr_assert_eq(gpci_policy_create(r->context, GPC_POLICY_REPLACEMENT, spec, &geometry, commons, &r->error, &policy),
                 GPC_OK, "%s: %s", spec, r->error.message);
    return policy;
}

/* Policies of a level made from one text read it once; another text, kind or level reads separately. */
Test(words, read_once) {
    gpc_replacement_ops ops = wordy();
    rig r;
    open_with(&r, &ops);
    gpci_commons *level = gpci_commons_create(r.context), *other_level = gpci_commons_create(r.context);
    gpci_policy *first = make(&r, "wordy(depth=3)", 0, level), *second = make(&r, "wordy(depth=3)", 1, level);
    gpci_policy *third = make(&r, "wordy(depth=4)", 2, level), *other = make(&r, "wordy(depth=3)", 0, other_level);
    gpci_policy *alone = make(&r, "wordy(depth=3)", 0, NULL);
    cr_expect_eq(first->spec, second->spec);
    cr_expect_eq(first->env.parameters, second->env.parameters);
    cr_expect_neq(first->spec, third->spec);
    cr_expect_neq(first->spec, other->spec);
    cr_expect_neq(first->spec, alone->spec);
    gpci_policy_destroy(first);
    cr_expect_eq(second->env.parameters[0], 3);
    cr_expect_eq(third->env.parameters[0], 4);
    gpci_policy_destroy(third);
    gpci_policy_destroy(second);
    gpci_policy_destroy(other);
    gpci_policy_destroy(alone);
    gpci_commons_release(other_level);
    gpci_commons_release(level);
    rig_close(&r);
}

Test(words, values_and_defaults) {
    gpc_replacement_ops ops = wordy();
    rig r;
    open_with(&r, &ops);
    gpci_policy *p = make(&r, "wordy", 0, NULL);
    cr_expect_eq(p->env.words[0], 1);
    cr_expect_str_eq(p->env.texts[0], "memory");
    cr_expect_str_eq(p->env.texts[1], "lru, fifo");
    cr_expect_str_eq(p->env.texts[2], "");
    cr_expect_eq(p->env.context, r.context);
    gpci_policy_destroy(p);
    p = make(&r, "wordy( age-lru(bypass=1, x=2) ,signature = pc, mru,depth=3 , file=a/b(1).x )", 0, NULL);
    cr_expect_eq(p->env.words[0], 0);
    cr_expect_str_eq(p->env.texts[0], "pc");
    cr_expect_str_eq(p->env.texts[1], "age-lru(bypass=1, x=2), mru");
    cr_expect_str_eq(p->env.texts[2], "a/b(1).x");
    cr_expect_eq(p->env.parameters[0], 3);
    gpci_policy_destroy(p);
    rig_close(&r);
}

Test(words, refusals_name_what_is_wrong) {
    gpc_replacement_ops ops = wordy();
    rig r;
    open_with(&r, &ops);
    static const struct {
        const char *spec, *part;
        gpc_status status;
    } wrong[] = {
        {"wordy(signature=pcs)", "'signature': 'pcs' is none of pc|memory", GPC_ERROR_FORMAT},
        {"wordy(signature=p)", "none of", GPC_ERROR_FORMAT},
        {"wordy(signatur=pc)", "did you mean 'signature'", GPC_ERROR_NOT_FOUND},
        {"wordy(=pc)", "unknown parameter ''", GPC_ERROR_NOT_FOUND},
        {"lru(fifo)", "takes no parameters", GPC_ERROR_NOT_FOUND},
        {"nru(fifo)", "'fifo' is not of the form", GPC_ERROR_FORMAT},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_expect_eq(gpci_policy_check(r.context, GPC_POLICY_REPLACEMENT, wrong[i].spec, &r.error), wrong[i].status,
                     "%s", wrong[i].spec);
        cr_expect(strstr(r.error.message, wrong[i].part), "%s: %s", wrong[i].spec, r.error.message);
    }
    rig_close(&r);
}

static void refuse(const gpc_text_parameter *table, size_t count) {
    gpc_replacement_ops ops = wordy();
    ops.texts = table;
    ops.text_count = count;
    rig r;
    rig_open(&r);
    cr_expect_eq(gpc_context_register_replacement(r.context, &ops, NULL, NULL, &r.error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(r.error.message, "text"), "%s", r.error.message);
    rig_close(&r);
}

Test(words, tables_that_make_no_sense_are_refused) {
    static const gpc_text_parameter two_lists[] = {{"", "", NULL, ""}, {"", "", NULL, ""}};
    static const gpc_text_parameter no_choice[] = {{"a", "x", "y|z", ""}};
    static const gpc_text_parameter no_initial[] = {{"a", NULL, NULL, ""}};
    refuse(two_lists, 2);
    refuse(no_choice, 1);
    refuse(no_initial, 1);
    refuse(NULL, 1);
    refuse(no_choice, GPC_MAX_PARAMETERS + 1);
}

/* The caller's tables may be freed: the library keeps copies. */
Test(words, strings_are_copied) {
    char name[] = "signature", initial[] = "pc", choices[] = "pc|memory";
    gpc_text_parameter own[] = {{name, initial, choices, NULL}};
    gpc_replacement_ops ops = wordy();
    ops.texts = own;
    ops.text_count = 1;
    rig r;
    open_with(&r, &ops);
    name[0] = initial[0] = choices[0] = '#';
    own[0].name = NULL;
    gpci_policy *p = make(&r, "wordy", 0, NULL);
    cr_expect_str_eq(p->env.texts[0], "pc");
    gpci_policy_destroy(p);
    gpc_policy_info info = GPC_POLICY_INFO_INIT;
    cr_assert_eq(gpc_policy_at(r.context, GPC_POLICY_REPLACEMENT,
                               gpc_policy_count(r.context, GPC_POLICY_REPLACEMENT) - 1, &info, NULL),
                 GPC_OK);
    cr_assert_eq(info.text_count, 1);
    cr_expect_str_eq(info.texts[0].choices, "pc|memory");
    cr_expect_str_eq(info.texts[0].meaning, "");
    rig_close(&r);
}

/* One block for policies of a level with equal name and arguments, zeroed again once all of them are gone. */
Test(words, what_a_level_shares) {
    gpc_replacement_ops ops = wordy();
    rig r;
    open_with(&r, &ops);
    gpci_commons *level = gpci_commons_create(r.context);
    gpci_policy *a = make(&r, "wordy", 0, level), *b = make(&r, "wordy", 1, level);
    gpci_policy *other = make(&r, "wordy(depth=1)", 2, level), *alone = make(&r, "wordy", 2, NULL);
    cr_expect_eq(a->env.shared_state, b->env.shared_state);
    cr_expect_neq(a->env.shared_state, other->env.shared_state);
    cr_expect_neq(a->env.shared_state, alone->env.shared_state);
    memset(a->env.shared_state, 0xff, 16 + 3 * 8);
    gpci_policy_destroy(a);
    a = make(&r, "wordy", 0, level);
    cr_expect_eq(*(unsigned char *)a->env.shared_state, 0xff, "b kept it");
    gpci_policy_destroy(a);
    gpci_policy_destroy(b);
    a = make(&r, "wordy", 0, level);
    for (size_t i = 0; i < 16 + 3 * 8; i++)
        cr_expect_eq(((unsigned char *)a->env.shared_state)[i], 0);
    gpci_policy_destroy(a);
    gpci_policy_destroy(other);
    gpci_policy_destroy(alone);
    gpci_commons_release(level);
    rig_close(&r);
}

Test(words, what_is_shared_costs_once) {
    gpc_replacement_ops ops = wordy();
    rig r;
    open_with(&r, &ops);
    uint64_t bits = 0;
    cr_assert_eq(gpc_policy_level_cost(r.context, GPC_POLICY_REPLACEMENT, "wordy", 15, 32, 4, 128, 1, &bits, NULL),
                 GPC_OK);
    cr_expect_eq(bits, 100 + 15 * 7);
    cr_assert_eq(gpc_policy_cost(r.context, GPC_POLICY_REPLACEMENT, "wordy", 32, 4, 128, 1, &bits, NULL), GPC_OK);
    cr_expect_eq(bits, 107);
    cr_expect_eq(gpc_policy_level_cost(r.context, GPC_POLICY_REPLACEMENT, "wordy", 0, 32, 4, 128, 1, &bits, NULL),
                 GPC_ERROR_ARGUMENT);
    rig_close(&r);
}
