/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L /* open_memstream */

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "coherence/random.h"

/* The tester: faults are found, failures are reduced to the necessary, the oracle recognises races. */

/* A failing program with an injected fault: the first seed that finds it. */
static random_program *find_failure(const char *protocol, uint32_t faults, uint32_t flags, unsigned features,
                                    random_failure *failure) {
    for (uint64_t seed = 1; seed <= 300; seed++) {
        random_program *p = random_make(protocol, seed, 300, features);
        random_failure without;
        p->faults = faults;
        p->protocol_flags = flags;
        if (!random_run(p, failure, NULL)) {
            p->faults = p->protocol_flags = 0;
            cr_assert(random_run(p, &without, NULL), "%s, seed %llu fails without the fault: %s", protocol,
                      (unsigned long long)seed, without.text);
            p->faults = faults;
            p->protocol_flags = flags;
            return p;
        }
        random_free(p);
    }
    cr_assert_fail("%s: faults 0x%x, flags 0x%x are not found", protocol, faults, flags);
    return NULL;
}

/* The program fails; without any single step the program passes. */
static void is_minimal(const random_program *p) {
    random_failure failure;
    cr_assert(!random_run(p, &failure, NULL));
    for (size_t i = 0; i < p->count; i++) {
        random_program *less = random_copy(p);
        memmove(less->steps + i, less->steps + i + 1, (p->count - i - 1) * sizeof(*p->steps));
        less->count--;
        cr_assert(random_run(less, &failure, NULL), "step %zu of %zu is not needed: %s", i, p->count, failure.text);
        random_free(less);
    }
}

static size_t count_text(const char *text, const char *what) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        count++;
    return count;
}

/* As C, with a call per step, and one more access of none. */
static void prints(const random_program *p, const random_failure *failure) {
    char *text = NULL;
    size_t size = 0, accesses = 0, flushes = 1;
    FILE *file = open_memstream(&text, &size);
    cr_assert_not_null(file);
    random_print(p, failure, file);
    fclose(file);
    for (size_t i = 0; i < p->count; i++) {
        accesses += p->steps[i].kind <= RANDOM_N_STORE;
        flushes += p->steps[i].kind == RANDOM_FLUSH;
    }
    cr_assert_eq(count_text(text, "gpc_coherence_access(c, "), accesses);
    cr_assert_eq(count_text(text, "gpc_coherence_flush(c, "), flushes);
    cr_assert_eq(count_text(text, "_MODULE_INIT;"), p->tree.module_count);
    cr_assert_not_null(strstr(text, failure->text));
    free(text);
}

/*
 * D3: a modified block is stored to in one branch, loaded in the other; the module between keeps the bytes. Needed: a
 * store, a load and, to miss the bytes, a look at memory: two steps and the final flush, two first-level modules, one
 * cache that can lose the bytes, memory.
 */
Test(random_shrinking, lost_probe_data) {
    random_failure failure;
    random_program *p = find_failure("mesi", 0, GPC_PROTOCOL_DROP_PROBE_DATA, TREE_PRIVATE, &failure);
    random_shrink(p, &failure);
    cr_assert_leq(p->count, 3);
    cr_assert_leq(p->tree.module_count, 5);
    is_minimal(p);
    prints(p, &failure);
    random_free(p);
}

/* D4: an invalidation is answered by the earlier state, so data given up above are dropped: two stores. */
Test(random_shrinking, stale_reply) {
    random_failure failure;
    random_program *p = find_failure("moesi", 0, GPC_PROTOCOL_STALE_REPLY, TREE_PRIVATE, &failure);
    random_shrink(p, &failure);
    cr_assert_leq(p->count, 3);
    cr_assert_leq(p->tree.module_count, 5);
    is_minimal(p);
    prints(p, &failure);
    random_free(p);
}

/* D5: a cache with a clean owner above answers without the cache's bytes. */
Test(random_shrinking, bare_acknowledgement) {
    random_failure failure;
    random_program *p = find_failure("moesi", 0, GPC_PROTOCOL_BARE_ACK, TREE_PRIVATE, &failure);
    random_shrink(p, &failure);
    cr_assert_leq(p->count, 6);
    is_minimal(p);
    prints(p, &failure);
    random_free(p);
}

/* D9: a store that had to ask for rights is done twice. A load and a store. */
Test(random_shrinking, done_twice) {
    random_failure failure;
    random_program *p = find_failure("msi", GPCI_FAULT_TWICE, 0, TREE_ALL, &failure);
    cr_assert_not_null(strstr(failure.text, "finished 2 times"), "%s", failure.text);
    random_shrink(p, &failure);
    cr_assert_eq(p->count, 2);
    cr_assert_eq(p->steps[0].kind, RANDOM_LOAD);
    cr_assert_neq(p->steps[1].kind, RANDOM_LOAD);
    cr_assert_eq(p->tree.first_count, 1);
    cr_assert_eq(p->tree.module_count, 2);
    is_minimal(p);
    prints(p, &failure);
    random_free(p);
}

/* D2: the owner of another sub-block is cleared: two modules, different blocks, a load and an n-store. */
Test(random_shrinking, wrong_owner_cleared) {
    random_failure failure;
    random_program *p = find_failure("nmoesi-multi2sim", GPCI_FAULT_CLEAR_WRONG, 0, 0, &failure);
    random_shrink(p, &failure);
    cr_assert_leq(p->count, 3);
    is_minimal(p);
    prints(p, &failure);
    random_free(p);
}

/* A program of given steps, on two first-level modules over a memory. */
static random_program *by_hand(const char *protocol, const random_step *steps, size_t count) {
    random_program *p = random_make(protocol, 1, 0, 0);
    tree *t = &p->tree;
    memset(t, 0, sizeof(*t));
    t->first_count = 2;
    t->module_count = 3;
    t->network_count = 1;
    t->bytes = 1024;
    for (uint32_t i = 0; i < 3; i++)
        t->modules[i] = (gpc_coherence_module)GPC_COHERENCE_MODULE_INIT;
    for (uint32_t i = 0; i < 2; i++) {
        t->modules[i].low_count = 1;
        t->modules[i].low_network = 0;
        t->lows[i][0] = 2;
    }
    t->modules[2].memory = true;
    t->modules[2].ways = 0;
    t->modules[2].high_network = 0;
    t->networks[0] = (gpc_coherence_network)GPC_COHERENCE_NETWORK_INIT;
    tree_find_public(t);
    for (size_t i = 0; i < count; i++)
        random_add(p, &steps[i]);
    return p;
}

/* Bytes found unknown in a run of these steps. */
static uint64_t unknown(const char *protocol, const random_step *steps, size_t count) {
    random_program *p = by_hand(protocol, steps, count);
    random_failure failure;
    random_totals totals = {0};
    cr_assert(random_run(p, &failure, &totals), "%s", failure.text);
    random_free(p);
    return totals.bytes_unknown;
}

#define ANY_STORE(m, at, what, byte)                                                           \
    {                                                                                          \
        .address = at, .module = m, .mask = 0xffff, .kind = what, .size = 1, .bytes = { byte } \
    }
#define STORE(m, at, byte) ANY_STORE(m, at, RANDOM_STORE, byte)
#define N_STORE(m, at, byte) ANY_STORE(m, at, RANDOM_N_STORE, byte)
#define LOAD(m, at) \
    { .address = at, .module = m, .kind = RANDOM_LOAD, .size = 1 }
#define FLUSH(m) \
    { .module = m, .kind = RANDOM_FLUSH }

Test(random_oracle, races) {
    const random_step unreleased[] = {N_STORE(0, 5, 1), LOAD(1, 5)};
    const random_step released[] = {N_STORE(0, 5, 1), FLUSH(0), LOAD(1, 5)};
    const random_step acquired[] = {LOAD(1, 5), N_STORE(0, 5, 1), FLUSH(0), FLUSH(1), LOAD(1, 5)};
    const random_step own[] = {N_STORE(0, 5, 1), LOAD(0, 5)};
    const random_step beside[] = {N_STORE(0, 5, 1), N_STORE(1, 6, 2), LOAD(0, 5), LOAD(1, 6)};
    const random_step coherent[] = {N_STORE(0, 5, 1), STORE(1, 6, 2), LOAD(1, 5), LOAD(0, 6)};
    cr_assert_eq(unknown("nmoesi", unreleased, 2), 1);
    cr_assert_eq(unknown("nmoesi", released, 3), 1); /* no acquire */
    cr_assert_eq(unknown("nmoesi", acquired, 5), 0);
    cr_assert_eq(unknown("nmoesi", own, 2), 0);
    cr_assert_eq(unknown("nmoesi", beside, 4), 0);
    cr_assert_eq(unknown("nmoesi", coherent, 4), 0); /* a coherent store merges writes of others to the block */
    cr_assert_eq(unknown("moesi", unreleased, 2), 0);
    cr_assert_eq(unknown("vi", acquired, 5), 0);
}

/* Two unordered stores to a byte leave it unknown, also in memory; one ordered store makes it known again. */
Test(random_oracle, two_writers) {
    const random_step racy[] = {N_STORE(0, 5, 1), N_STORE(1, 5, 2), FLUSH(0), FLUSH(1), LOAD(0, 5)};
    const random_step ordered[] = {N_STORE(0, 5, 1), N_STORE(1, 5, 2), STORE(1, 5, 3), LOAD(0, 5)};
    cr_assert_eq(unknown("nmoesi", racy, 5), 1);
    cr_assert_eq(unknown("nmoesi", ordered, 4), 0);
}
