/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Programs: from a seed, copied, freed. */

random_rules random_rules_of(const char *protocol) {
    static const struct {
        const char *name;
        random_rules rules;
    } known[] = {
        {"msi", RANDOM_COHERENT},
        {"mesi", RANDOM_COHERENT},
        {"mosi", RANDOM_COHERENT},
        {"mesif", RANDOM_COHERENT},
        {"moesi", RANDOM_COHERENT},
        {"nmoesi", RANDOM_MIXED},
        {"nmoesi-multi2sim", RANDOM_NO_DATA},
        {"vi", RANDOM_THROUGH},
        {"hmg", RANDOM_THROUGH},
        {"none", RANDOM_FLUSHED},
        {"slc-glc", RANDOM_FLUSHED},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (!strcmp(known[i].name, protocol))
            return known[i].rules;
    return RANDOM_NO_DATA;
}

random_program *random_make(const char *protocol, uint64_t seed, size_t count, unsigned features) {
    static const uint32_t sizes[] = {1024, 1024, 2048, 4096};
    random_program *p = calloc(1, sizeof(*p));
    uint64_t random = gpci_mix(seed);
    cr_assert_not_null(p);
    snprintf(p->protocol, sizeof(p->protocol), "%s", protocol);
    p->rules = random_rules_of(protocol);
    p->seed = seed;
    p->check_every = 64;
    p->timing = true;
    tree_random(&p->tree, &random, sizes[gpci_random_below(&random, 4)], features);
    p->racy = p->rules == RANDOM_COHERENT || p->rules == RANDOM_NO_DATA || seed % 4 == 3;
    if (p->racy)
        random_racy(p, &random, count);
    else
        random_episodes(p, &random, count);
    return p;
}

random_program *random_copy(const random_program *p) {
    random_program *copy = malloc(sizeof(*copy));
    cr_assert_not_null(copy);
    *copy = *p;
    copy->steps = malloc((p->count + 1) * sizeof(*copy->steps));
    cr_assert_not_null(copy->steps);
    memcpy(copy->steps, p->steps, p->count * sizeof(*copy->steps));
    return copy;
}

void random_free(random_program *p) {
    if (p)
        free(p->steps);
    free(p);
}

void random_add(random_program *p, const random_step *step) {
    if (!(p->count & (p->count - 1))) {
        random_step *steps = realloc(p->steps, (p->count ? p->count * 2 : 1) * sizeof(*steps));
        cr_assert_not_null(steps);
        p->steps = steps;
    }
    p->steps[p->count++] = *step;
}
