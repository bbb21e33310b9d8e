/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <string.h>

#include "coherence/random.h"

/*
 * Effects of Multi2Sim's defects D3, D4, D5 on data. The simulator has no data, and cannot notice. Here
 * nmoesi-multi2sim runs on random programs without n-stores, which must then be coherent: true without a cache between
 * L1 and memory, and without the three defects; with any of them some program loses bytes.
 */

#define DEFECTS (GPC_PROTOCOL_DROP_PROBE_DATA | GPC_PROTOCOL_STALE_REPLY | GPC_PROTOCOL_BARE_ACK)
#define PROGRAMS 80u

/* A protocol "mended": nmoesi-multi2sim with only these defects. */
static bool add_mended(gpc_context *context, const void *data) {
    const uint32_t *defects = data;
    gpc_protocol p = gpci_nmoesi_multi2sim;
    p.name = "mended";
    p.flags = (p.flags & ~(uint32_t)DEFECTS) | *defects;
    return gpc_context_register_protocol(context, &p, NULL) == GPC_OK;
}

static bool has_middle(const tree *t) {
    return !t->modules[t->first_count].memory;
}

/* Number of random programs that lose bytes. */
static uint32_t count_losses(uint32_t defects, bool middle) {
    uint32_t losses = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        random_program *p = random_make("moesi", seed, 400, TREE_SIMULATOR);
        random_failure failure;
        snprintf(p->protocol, sizeof(p->protocol), "mended");
        p->prepare = add_mended;
        p->data = &defects;
        for (size_t i = 0; i < p->count; i++)
            if (p->steps[i].kind == RANDOM_N_STORE)
                p->steps[i].kind = RANDOM_STORE;
        if (has_middle(&p->tree) == middle && !random_run(p, &failure, NULL)) {
            cr_assert_not_null(strstr(failure.text, "stored last"), "seed %llu: not bytes are wrong, but %s",
                               (unsigned long long)seed, failure.text);
            losses++;
        }
        random_free(p);
    }
    return losses;
}

Test(random_defects, none_without_them) {
    cr_assert_eq(count_losses(0, true), 0);
    cr_assert_eq(count_losses(0, false), 0);
}

Test(random_defects, need_a_cache_between) {
    cr_assert_eq(count_losses(DEFECTS, false), 0);
}

/* The middle cache takes the bytes of a probed owner, but not the duty to write them back. */
Test(random_defects, d3_drops_what_answers_a_probe) {
    cr_assert_gt(count_losses(GPC_PROTOCOL_DROP_PROBE_DATA, true), 0);
}

/* A middle cache gives up data just received from above as if clean. */
Test(random_defects, d4_answers_by_the_old_state) {
    cr_assert_gt(count_losses(GPC_PROTOCOL_STALE_REPLY, true), 0);
}

/* A middle cache in M, one above it in E: a probe is answered without the bytes. */
Test(random_defects, d5_acknowledges_without_data) {
    cr_assert_gt(count_losses(GPC_PROTOCOL_BARE_ACK, true), 0);
}
