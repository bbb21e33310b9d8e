/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/coherent.h"

#include "measured.h"
#include "suited.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Replacement policies and predictors of hierarchies on a tree: inputs, and refusals. */

/* Every replacement policy: accepted if modules provide all inputs; otherwise refused by key, name and field. */
Test(coherent, replacement_policies) {
    static const struct {
        const char *spec, *l1,
            /* Reason of refusal in reads; "": in L2, because of inclusion; NULL: accepted. */
            *l2;
    } rows[] = {{"lru", NULL, NULL},
                {"fifo", NULL, NULL},
                {"random", NULL, NULL},
                {"plru", NULL, NULL},
                {"drrip", NULL, NULL},
                {"bip", NULL, NULL},
                {"bip(bypass=1)", NULL, ""},
                {"ship", NULL, NULL},
                {"ship(signature=memory)", NULL, NULL},
                {"protecting-distance", NULL, NULL},
                {"protecting-distance(bypass=1)", NULL, ""},
                {"age-lru", NULL, NULL},
                {"age-lru(bypass=1)", NULL, ""},
                {"rpr", NULL, NULL},
                {"combined", NULL, ""},
                {"counter-based", NULL, NULL},
                {"sdbp", NULL, NULL},
                {"vote(lru, fifo)", NULL, NULL},
                {"dynamic-age-lru", NULL, NULL},
                {"states", NULL, NULL},
                {"silent", "what it has not declared", "what it has not declared"}};
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, &error), GPC_OK);
    gpc_replacement_ops ops = {.struct_size = sizeof ops, .name = "silent", .choose_victim = first_way};
    cr_assert_eq(gpc_context_register_replacement(context, &ops, NULL, NULL, &error), GPC_OK);
    ops.name = "states";
    ops.reads = GPC_READS_PLACE | GPC_READS_ADDRESS;
    cr_assert_eq(gpc_context_register_replacement(context, &ops, NULL, NULL, &error), GPC_OK);
    for (unsigned timed = 0; timed <= 1; timed++)
        for (unsigned level = 1; level <= 2; level++)
            for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
                char text[1024], blame[160];
                const char *reads = level == 1 ? rows[i].l1 : rows[i].l2;
                snprintf(text, sizeof text, COHERENT "coherence = nmoesi\nmode = %s\nl%u.replacement = %s\n",
                         timed ? "timed" : "functional", level, rows[i].spec);
                if (reads && *reads)
                    snprintf(blame, sizeof blame, "l%u.replacement '%s' reads %s,", level, rows[i].spec, reads);
                else
                    snprintf(blame, sizeof blame, "needs l2.inclusion = non-inclusive (an inclusive L2 keeps all");
                gpc_status status = make(context, text, &error);
                cr_expect_eq(status, reads ? GPC_ERROR_RANGE : GPC_OK, "%s: %s", rows[i].spec, error.message);
                cr_expect(!reads || strstr(error.message, blame), "%s: %s", blame, error.message);
            }
    gpc_context_destroy(context);
}

/* A policy recording inputs of misses. */
typedef struct shown {
    gpc_request misses[8];
    unsigned count;
} shown;

static gpc_status bind_shown(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    *(shown **)self = env->user_data;
    return GPC_OK;
}

static void note_miss(void *self, uint32_t set, const gpc_request *request) {
    (void)set;
    shown *s = *(shown **)self;
    cr_assert_lt(s->count, 8);
    s->misses[s->count++] = *request;
}

static const gpc_warp_access telling = {.struct_size = sizeof telling,
                                        .sm = 1,
                                        .warp = 5,
                                        .warp_age = 3,
                                        .block = 17,
                                        .pc = 0x1230,
                                        .mask = 3,
                                        .width = 4,
                                        .kind = GPC_ATOMIC,
                                        .hint = GPC_HINT_CS,
                                        .priority = GPC_EVICT_LAST,
                                        .token_l2 = GPC_TOKEN_NONE};

static void expect_shown(const shown *s, uint64_t address, unsigned level) {
    cr_expect_eq(s->count, 2, "two lines, with one miss each; not %u", s->count);
    for (unsigned i = 0; i < s->count; i++) {
        const gpc_request *r = &s->misses[i];
        cr_expect_eq(r->address, address + 512 * i);
        cr_expect(r->pc == telling.pc && r->warp == telling.warp && r->warp_age == telling.warp_age);
        cr_expect(r->block == telling.block && r->sm == telling.sm && r->transactions == 2);
        cr_expect(r->kind == telling.kind && r->space == telling.space && r->hint == telling.hint);
        cr_expect(r->priority == telling.priority && r->policy.token_l2 == telling.token_l2);
        cr_expect_eq(r->policy.token, level == 1 ? telling.token : telling.token_l2);
        cr_expect(!r->size && !r->sector_mask && !r->byte_mask[0] && !r->byte_mask[1], "whole lines");
    }
}

/* A warp's request is complete at every level, with and without a clock. */
Test(coherent, whole_requests_reach_policies) {
    static const gpc_replacement_ops ops = {.struct_size = sizeof ops,
                                            .name = "shown",
                                            .instance_bytes = sizeof(shown *),
                                            .init = bind_shown,
                                            .on_miss = note_miss,
                                            .choose_victim = first_way,
                                            .reads = GPC_READS_PLACE | GPC_READS_ADDRESS};
    for (unsigned i = 0; i < 4; i++) {
        rig r = {0};
        shown s = {.count = 0};
        char text[2048];
        snprintf(text, sizeof text, "%s" COHERENT "coherence = nmoesi\nl%u.replacement = shown\nmode = %s\n", rig_base,
                 1 + i % 2, i / 2 ? "timed" : "functional");
        cr_assert_eq(gpc_context_create(NULL, &r.context, NULL), GPC_OK);
        cr_assert_eq(gpc_context_register_replacement(r.context, &ops, &s, NULL, NULL), GPC_OK);
        cr_assert_eq(gpc_config_create(r.context, &r.config, NULL), GPC_OK);
        cr_assert_eq(gpc_config_load_text(r.config, text, "settings", NULL), GPC_OK);
        suit(r.context, r.config);
        cr_assert_eq(gpc_hierarchy_create(r.context, r.config, &r.hierarchy, NULL), GPC_OK);
        gpc_warp_access access = telling;
        access.addresses = (const uint64_t[]){4096 + 68, 4608};
        if (i / 2) {
            cr_assert_eq(gpc_hierarchy_try_issue(r.hierarchy, &access, 1, NULL, NULL), GPC_OK);
            cr_assert_eq(gpc_hierarchy_drain(r.hierarchy, NULL), GPC_OK);
        } else {
            cr_assert_eq(gpc_hierarchy_access(r.hierarchy, &access, NULL, NULL), GPC_OK);
        }
        expect_shown(&s, 4096, 1 + i % 2);
        rig_close(&r);
    }
}

/*
 * A predictor with inputs not provided by coherent caches is refused, naming the inputs; in an inclusive L2, every
 * predictor.
 */
Test(coherent, predictors) {
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(rig_refused(COHERENT "coherence = nmoesi\nl2.bypass = always-bypass\n", &error), GPC_ERROR_RANGE);
    cr_expect_str_eq(error.message, "coherence = nmoesi needs l2.inclusion = non-inclusive (an inclusive L2 keeps all "
                                    "that L1s have)");
    cr_expect_eq(rig_refused(COHERENT "coherence = nmoesi\nl1.bypass = agcb\nl2.bypass = hint\n", &error),
                 GPC_ERROR_ARGUMENT);
    cr_expect_str_eq(error.message, "coherence = nmoesi: l2.bypass = hint: l1.bypass = agcb needs 'agcb-below' there, "
                                    "which keeps its bits in L2's lines");
}

/* A bypass overturned by the next cache: agcb's example, with the third load kept, and the fourth a hit. */
Test(coherent, agcb) {
    static const char *const protocols[] = {"mesi", "nmoesi", "vi"};
    for (unsigned i = 0; i < 2 * 3; i++) {
        rig r;
        char settings[160];
        snprintf(settings, sizeof settings, "l1.bypass = agcb(bits=2, threshold=2, initial=3)\n%s",
                 i % 2 ? "cluster.sms = 2\ncluster.size = 4KiB\ncluster.ways = 4\n" : "");
        open_tree(&r, protocols[i / 2], settings);
        for (unsigned n = 0; n < 4; n++)
            cr_expect_eq(rig_load(&r, 0).l1_sector_hits, n == 3 ? 4 : 0, "%s, load %u", protocols[i / 2], n);
        const measured_stats s = rig_stats(&r);
        cr_expect(s.l1_predictions == 3 && s.l1_bypasses == 2 && s.l1_overturned_bypasses == 1);
        cr_expect(s.l1_bypassed_sectors == 8 && s.dram_read_sectors == 4);
        rig_close(&r);
    }
}
