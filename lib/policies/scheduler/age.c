/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/scheduler/schedulers.h"

void gpci_age_init(gpci_age_matrix *ages, const gpc_scheduler_env *env) {
    ages->older = env->warp_state;
    ages->warps = env->warps;
    ages->words = gpci_warp_words(env->warps);
}

void gpci_age_start(gpci_age_matrix *ages, uint32_t slot) {
    uint64_t *row = ages->older + (size_t)slot * ages->words;
    uint64_t *column = ages->older + slot / 64;
    for (uint32_t word = 0; word < ages->words; word++)
        row[word] = ~(uint64_t)0;
    for (uint32_t other = 0; other < ages->warps; other++)
        column[(size_t)other * ages->words] &= ~gpci_warp_bit(slot);
}
