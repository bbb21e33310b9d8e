/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hits of the first level have a short path. A tree with a callback does not take it: two trees, with and without a
 * callback, must act equally.
 */
#include "coherence/small.h"

#include "effort.h"

#include <stdlib.h>
#include <string.h>

static void ignore(void *user_data, const gpc_coherence_message *message) {
    (void)user_data, (void)message;
}

static void compare_results(const gpc_coherence_result *a, const gpc_coherence_result *b) {
    cr_assert_eq(a->completed, b->completed);
    cr_assert_eq(a->message_count, b->message_count);
    cr_assert_eq(a->transition_count, b->transition_count);
    cr_assert_arr_eq(a->messages, b->messages, a->message_count * sizeof *a->messages);
    cr_assert_arr_eq(a->transitions, b->transitions, a->transition_count * sizeof *a->transitions);
    cr_assert(a->hit == b->hit && a->found == b->found && a->state == b->state && a->level == b->level);
}

static void compare_states(gpc_coherence *const trees[2]) {
    const size_t bytes = gpci_coherence_saved_bytes(trees[0]);
    cr_assert_eq(bytes, gpci_coherence_saved_bytes(trees[1]));
    uint8_t *saved = malloc(2 * bytes);
    for (int i = 0; i < 2; i++)
        gpci_coherence_save(trees[i], saved + (size_t)i * bytes);
    cr_assert_arr_eq(saved, saved + bytes, bytes);
    free(saved);
    for (uint32_t m = 0; m < trees[0]->module_count; m++)
        cr_assert_arr_eq(&trees[0]->modules[m].stats, &trees[1]->modules[m].stats, sizeof trees[0]->modules[m].stats);
}

/* Sometimes invalid, or served only by the long path. */
static gpc_coherence_request random_request(uint64_t *random, uint8_t *bytes, uint8_t *mask) {
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    request.module = gpci_random_below(random, 50) ? gpci_random_below(random, 2) : gpci_random_below(random, 5);
    request.kind = gpci_random_below(random, 200) ? gpci_random_below(random, 3) : 3;
    request.address = gpci_random_below(random, 0x700);
    request.size = gpci_random_below(random, 20) ? 1 + gpci_random_below(random, 4) : gpci_random_below(random, 80);
    request.cycle = gpci_random_below(random, 1000);
    request.flags = gpci_random_below(random, 10) ? 0 : gpci_random_below(random, 4);
    for (uint32_t i = 0; i < 80; i++)
        bytes[i] = (uint8_t)gpci_random(random);
    memset(mask, (int)gpci_random_below(random, 256), 10);
    request.bytes = gpci_random_below(random, 5) ? bytes : NULL;
    request.mask = gpci_random_below(random, 3) ? NULL : mask;
    return request;
}

static void access_both(gpc_coherence *const trees[2], uint64_t *random) {
    uint8_t bytes[80], mask[10], out[2][80] = {{0}};
    gpc_coherence_request request = random_request(random, bytes, mask);
    gpc_coherence_result results[2] = {GPC_COHERENCE_RESULT_INIT, GPC_COHERENCE_RESULT_INIT};
    const bool wants = gpci_random_below(random, 4);
    gpc_status status[2];
    for (int i = 0; i < 2; i++) {
        request.out = gpci_random_below(&(uint64_t){request.address}, 4) ? out[i] : NULL;
        status[i] = gpc_coherence_access(trees[i], &request, wants ? &results[i] : NULL, NULL);
    }
    cr_assert_eq(status[0], status[1]);
    cr_assert_arr_eq(out[0], out[1], sizeof out[0]);
    if (wants && status[0] == GPC_OK)
        compare_results(&results[0], &results[1]);
}

enum { DATA = 1, TIMING = 2, FIFO = 4, THROUGH = 8, BANKED = 16, NO_ALLOCATE = 32, WIDE = 64 };

static uint64_t compare_ways(const char *protocol, unsigned how) {
    small *s[2];
    gpc_coherence *trees[2];
    for (int i = 0; i < 2; i++) {
        s[i] = small_open();
        s[i]->options.protocol = protocol;
        s[i]->options.data = how & DATA;
        s[i]->options.timing = how & TIMING;
        for (uint32_t m = 0; m < 2; m++) {
            gpc_coherence_module *l1 = &s[i]->modules[m];
            l1->replacement = how & FIFO ? "fifo" : "lru";
            l1->write_through = how & THROUGH;
            l1->no_write_allocate = how & NO_ALLOCATE;
            l1->latency = 3, l1->directory_latency = 2;
            if (how & WIDE) /* the order is a list, not a word */
                l1->sets = 1, l1->ways = 18;
            if (how & BANKED && m)
                l1->served = GPC_SERVES_INTERLEAVED, l1->divisor = 64, l1->modulus = 2;
            if (how & BANKED && !m)
                l1->served = GPC_SERVES_RANGE, l1->last = 0x63f;
        }
        trees[i] = small_tree(s[i]);
    }
    gpc_coherence_callbacks callbacks = GPC_COHERENCE_CALLBACKS_INIT;
    callbacks.on_message = ignore;
    cr_assert_eq(gpc_coherence_set_callbacks(trees[1], &callbacks, NULL), GPC_OK);
    uint64_t random = how + 1;
    for (int n = 0; n < (effort_is_small() ? 300 : 1500); n++) {
        access_both(trees, &random);
        if (n % 50 == 0)
            compare_states(trees);
    }
    compare_states(trees);
    const uint64_t hits = trees[0]->modules[0].stats.hits;
    small_close(s[0]);
    small_close(s[1]);
    return hits;
}

Test(coherence_hit, the_short_way_is_the_long_way) {
    gpc_context *context;
    gpc_policy_info info = GPC_POLICY_INFO_INIT;
    uint64_t hits = 0;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    for (size_t i = 0; gpc_policy_at(context, GPC_POLICY_PROTOCOL, i, &info, NULL) == GPC_OK; i++)
        for (unsigned how = 0; how < 128; how++)
            hits += compare_ways(info.name, how);
    cr_expect_gt(hits, effort_is_small() ? 10000u : 50000u, "%llu", (unsigned long long)hits);
    gpc_context_destroy(context);
}
