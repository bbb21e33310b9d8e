/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/random.h"

#include "effort.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/*
 * The random tester's suite: every protocol on trees drawn from a seed.
 *
 *  GPUCACHE_RANDOM_SEED      the first program's seed; the others follow
 *  GPUCACHE_RANDOM_ACCESSES  total steps per protocol
 *  GPUCACHE_RANDOM_FEATURES  features of TREE_ALL that the trees may have
 *
 * A failure is printed with the seed, as small as possible, as C calls. The seed and one access run it again.
 */

#define PROGRAM_STEPS 700u
#define SUITE_STEPS 42000u /* of a protocol */

static uint64_t number(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static void run_protocol(const char *protocol, unsigned features) {
    features &= (unsigned)number("GPUCACHE_RANDOM_FEATURES", TREE_ALL);
    uint64_t seed = number("GPUCACHE_RANDOM_SEED", 1),
             steps = number("GPUCACHE_RANDOM_ACCESSES", effort_of(SUITE_STEPS));
    random_totals totals = {0};
    uint64_t programs = 0;
    for (uint64_t made = 0; made < steps; programs++, seed++) {
        random_failure failure;
        random_program *p = random_make(protocol, seed, PROGRAM_STEPS, features);
        made += p->count;
        p->timing = seed % 8 != 0;
        random_totals racy = totals;
        bool good = random_run(p, &failure, p->racy ? &racy : &totals);
        if (p->racy) {
            racy.bytes_unknown = totals.bytes_unknown;
            totals = racy;
        }
        if (!good) {
            fprintf(stderr, "%s, seed %llu, step %zu of %zu: %s\n", protocol, (unsigned long long)seed, failure.step,
                    p->count, failure.text);
            if (failure.built)
                random_shrink(p, &failure);
            random_print(p, &failure, stderr);
        }
        random_free(p);
        cr_assert(good, "%s, seed %llu: %s", protocol, (unsigned long long)seed, failure.text);
        cr_assert(random_rules_of(protocol) == RANDOM_NO_DATA || totals.bytes_unknown == 0,
                  "%s, seed %llu: a race, where there is to be none", protocol, (unsigned long long)seed);
    }
    printf("%s: %llu programs, %llu accesses, %llu messages, %llu transitions, %llu bytes compared\n", protocol,
           (unsigned long long)programs, (unsigned long long)totals.accesses, (unsigned long long)totals.messages,
           (unsigned long long)totals.transitions, (unsigned long long)totals.bytes_checked);
    cr_assert(totals.messages > totals.accesses / 4);
}

Test(random_tester, msi) {
    run_protocol("msi", TREE_ALL);
}

Test(random_tester, mesi) {
    run_protocol("mesi", TREE_ALL);
}

Test(random_tester, mesif) {
    run_protocol("mesif", TREE_ALL);
}

Test(random_tester, mosi) {
    run_protocol("mosi", TREE_ALL);
}

Test(random_tester, moesi) {
    run_protocol("moesi", TREE_ALL);
}

Test(random_tester, nmoesi) {
    run_protocol("nmoesi", TREE_ALL);
}

Test(random_tester, nmoesi_multi2sim) {
    run_protocol("nmoesi-multi2sim", TREE_SIMULATOR);
}

Test(random_tester, vi) {
    run_protocol("vi", TREE_ALL);
}

Test(random_tester, hmg) {
    run_protocol("hmg", TREE_ALL);
}

Test(random_tester, none) {
    run_protocol("none", TREE_ALL);
}

Test(random_tester, slc_glc) {
    run_protocol("slc-glc", TREE_ALL);
}

/* 80 sharers. */
Test(random_tester, wide) {
    static const char *const protocols[] = {"msi", "mesi", "mosi", "moesi", "nmoesi-multi2sim", "nmoesi"};
    for (unsigned i = 0; i < 6; i++) {
        random_program *p = random_make(protocols[i], i, 0, 0);
        uint64_t random = i;
        random_failure failure;
        tree_wide(&p->tree, 80, 1024);
        p->count = 0;
        random_racy(p, &random, 4000);
        bool good = random_run(p, &failure, NULL);
        if (!good) {
            random_shrink(p, &failure);
            random_print(p, &failure, stderr);
        }
        cr_assert(good, "%s: %s", protocols[i], failure.text);
        random_free(p);
    }
}
