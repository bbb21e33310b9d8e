/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/profile.h"

#include "base/array.h"

#include <string.h>

/* Names of kernels, launches and scores of a profile. profiler/profiler.c creates profiles that count. */

gpc_status gpci_profile_name(gpc_profile *profile, const char *name, uint32_t *out_index) {
    for (size_t i = profile->name_count; i-- > 0;)
        if (!strcmp(profile->names[i], name)) {
            *out_index = (uint32_t)i;
            return GPC_OK;
        }
    if (!GPCI_ARRAY_RESERVE(profile->context, profile->names, profile->name_capacity, profile->name_count, 1))
        return GPC_ERROR_MEMORY;
    char *copy = gpci_strdup(profile->context, name);
    if (!copy)
        return GPC_ERROR_MEMORY;
    *out_index = (uint32_t)profile->name_count;
    profile->names[profile->name_count++] = copy;
    return GPC_OK;
}

gpc_status gpci_profile_add_launch(gpc_profile *profile, uint32_t kernel) {
    if (!GPCI_ARRAY_RESERVE(profile->context, profile->launches, profile->launch_capacity, profile->launch_count, 1))
        return GPC_ERROR_MEMORY;
    profile->launches[profile->launch_count++] = kernel;
    return GPC_OK;
}

void gpc_profile_destroy(gpc_profile *profile) {
    if (!profile)
        return;
    gpc_context *context = profile->context;
    if (profile->live)
        profile->live->destroy(profile);
    gpci_profile_free_tables(profile);
    for (size_t i = 0; i < profile->name_count; i++)
        gpci_free(context, profile->names[i]);
    for (uint32_t i = 0; profile->distances && i < profile->sm_count; i++)
        gpci_free(context, profile->distances[i].counts);
    gpci_free(context, profile->names);
    gpci_free(context, profile->launches);
    gpci_free(context, profile->distances);
    gpci_free(context, profile);
    gpci_release(context);
}

/*
 * U x (1 + R) as a quotient of two products. Products below 2^53 are exact, and only the quotient is rounded: therefore
 * the comparison of the score with 1 is exact.
 */
double gpci_profile_score_of(uint64_t used, uint64_t moved, uint64_t fills, uint64_t reuses, uint64_t hits) {
    if (!moved)
        return 0;
    if (!fills) /* hits without fills: R is the number of hits */
        return (double)used * (1 + (double)hits) / (double)moved;
    return (double)used * ((double)fills + (double)reuses) / ((double)moved * (double)fills);
}

uint64_t gpci_profile_millionths(double score) {
    return score > 0 ? score < 1e12 ? (uint64_t)(score * 1e6 + 0.5) : UINT64_C(1000000000000000000) : 0;
}
