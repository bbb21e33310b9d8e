/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/rrip.h"

#include "policies/replacement/naive.h"

#include <criterion/criterion.h>

/* RRIP compared with the definition, one step of aging at a time. */

typedef struct rules {
    uint32_t distant, leaders, most, turn;
    bool frequency;
} rules;

static const rules *rules_of(const naive *n) {
    return n->extra;
}

static void hit(naive *n, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    naive_line *line = naive_at(n, set, way);
    if (!rules_of(n)->frequency)
        line->value = 0;
    else if (line->value > 0)
        line->value--;
}

/* Figure 4 of the paper: look for the distant value from the left; otherwise increment all, and look again. */
static uint32_t victim(naive *n, uint32_t set, const bool *candidate, const gpc_request *request) {
    (void)request;
    for (;;) {
        for (uint32_t way = 0; way < n->ways; way++)
            if (candidate[way] && naive_at(n, set, way)->value == rules_of(n)->distant)
                return way;
        for (uint32_t way = 0; way < n->ways; way++)
            if (naive_at(n, set, way)->value < rules_of(n)->distant)
                naive_at(n, set, way)->value++;
    }
}

static void fill_long(naive *n, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    naive_at(n, set, way)->value = rules_of(n)->distant - 1;
}

static void fill_distant(naive *n, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)request;
    naive_at(n, set, way)->value = ++n->counter % 32 == 0 ? rules_of(n)->distant - 1 : rules_of(n)->distant;
}

Test(rrip, srrip) {
    naive_ops ops = {.hit = hit, .victim = victim, .fill = fill_long};
    rules one = {.distant = 1}, two = {.distant = 3}, eight = {.distant = 255};
    rules three = {.distant = 7, .frequency = true};
    naive_compare_shapes("srrip", &ops, &two);
    naive_compare_shapes("srrip(bits=3,promotion=frequency)", &ops, &three);
    naive_compare_shapes("srrip(bits=1)", &ops, &one);
    naive_compare_shapes("srrip(bits=8,promotion=hit)", &ops, &eight);
    naive_compare_shapes("nru", &ops, &one);
}

Test(rrip, brrip) {
    naive_ops ops = {.hit = hit, .victim = victim, .fill = fill_distant};
    rules two = {.distant = 3}, four = {.distant = 15};
    naive_compare_shapes("brrip", &ops, &two);
    naive_compare_shapes("brrip(bits=4)", &ops, &four);
}

/* Leaders as chosen by Qureshi et al.: 0 = follows, 1 = SRRIP, 2 = BRRIP. */
static int leads(const naive *n, uint32_t set) {
    uint32_t stretch = n->sets / rules_of(n)->leaders, number = set / stretch, offset = set % stretch;
    if (offset == number % stretch)
        return 1;
    return offset == stretch - 1 - number % stretch ? 2 : 0;
}

static void duel_miss(naive *n, uint32_t set, const gpc_request *request) {
    (void)request;
    if (!n->newest++) /* the very first */
        n->selector = rules_of(n)->turn - 1;
    if (leads(n, set) == 1 && n->selector < rules_of(n)->most)
        n->selector++;
    if (leads(n, set) == 2 && n->selector > 0)
        n->selector--;
}

static void duel_fill(naive *n, uint32_t set, uint32_t way, const gpc_request *request) {
    int lead = leads(n, set);
    if (lead ? lead == 2 : n->selector >= rules_of(n)->turn)
        fill_distant(n, set, way, request);
    else
        fill_long(n, set, way, request);
}

Test(rrip, drrip) {
    naive_ops ops = {.hit = hit, .miss = duel_miss, .victim = victim, .fill = duel_fill};
    rules small = {.distant = 3, .leaders = 8, .most = 1023, .turn = 512};
    rules large = {.distant = 3, .leaders = 32, .most = 1023, .turn = 512};
    rules tiny = {.distant = 7, .leaders = 1, .most = 3, .turn = 2};
    naive_compare("drrip", &ops, 32, 4, &small);
    naive_compare("drrip", &ops, 1024, 4, &large);
    naive_compare("drrip", &ops, 128, 100, &large);
    naive_compare("drrip(bits=3,selector=2)", &ops, 4, 16, &tiny);
    naive_compare("drrip(bits=3,selector=2)", &ops, 2, 65, &tiny);
    naive_compare("drrip(bits=3,selector=2,leaders=1)", &ops, 64, 1, &tiny);
}

/* A single set has no duel: SRRIP. */
Test(rrip, drrip_of_one_set_is_srrip) {
    naive_ops ops = {.hit = hit, .victim = victim, .fill = fill_long};
    rules two = {.distant = 3};
    naive_compare("drrip", &ops, 1, 16, &two);
    naive_compare("drrip", &ops, 1, 1024, &two);
}

/* The example of the file: lines 4n fall into set 0, 4n + 1 into set 1, 4n + 3 into set 3. */
Test(rrip, drrip_example) {
    rig r;
    rig_open(&r, "drrip(selector=1,epsilon=0)", 4, 2, 1);
    rig_access(&r, 0, 0);
    uint64_t p = 1, q = 5, s_ = 13;
    rig_access(&r, p, 0);
    rig_access(&r, q, 0);
    cr_expect_eq(rig_access(&r, 9, 0).victim, p);
    rig_access(&r, 3, 0);
    cr_expect_eq(rig_access(&r, s_, 0).victim, 9);
    cr_expect_eq(rig_access(&r, 17, 0).victim, q);
    rig_close(&r);
}

/* The header's example, and the ends of the range. */
Test(rrip, values) {
    uint64_t planes[8] = {0};
    gpc_policy_env env = {.sets = 1, .ways = 4, .set_state = planes};
    gpci_rrip rrip;
    gpci_rrip_init(&rrip, &env, 2);
    static const uint32_t before[4] = {1, 2, 0, 2}, after[4] = {2, 3, 1, 3};
    for (uint32_t way = 0; way < 4; way++)
        gpci_rrip_put(&rrip, 0, way, before[way]);
    cr_expect_eq(planes[0], 0xa1, "both planes in one word");
    cr_expect_eq(gpci_rrip_victim(&rrip, 0, NULL), 1);
    for (uint32_t way = 0; way < 4; way++)
        cr_expect_eq(gpci_rrip_get(&rrip, 0, way), after[way]);
    uint64_t third = 4; /* 1 of 3: all age by two, and lines at 2 and 3 stop at 3 */
    cr_expect_eq(gpci_rrip_victim(&rrip, 0, &third), 2);
    for (uint32_t way = 0; way < 4; way++)
        cr_expect_eq(gpci_rrip_get(&rrip, 0, way), 3);
    gpci_rrip_init(&rrip, &env, 8);
    gpci_rrip_put(&rrip, 0, 3, 255);
    gpci_rrip_put(&rrip, 0, 2, 129);
    cr_expect_eq(gpci_rrip_get(&rrip, 0, 3), 255);
    cr_expect_eq(gpci_rrip_get(&rrip, 0, 2), 129);
}
