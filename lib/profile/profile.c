/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/profile.h"

#include "base/array.h"

#include <string.h>

/* Profile object: names of kernels, launches, scores. profiler/profiler.c makes profiles that count. */

gpc_status gpci_profile_name(gpc_profile *p, const char *name, uint32_t *out_index) {
    for (size_t i = p->name_count; i-- > 0;)
        if (!strcmp(p->names[i], name)) {
            *out_index = (uint32_t)i;
            return GPC_OK;
        }
    if (!GPCI_ARRAY_ROOM(p->context, p->names, p->name_capacity, p->name_count, 1))
        return GPC_ERROR_MEMORY;
    char *copy = gpci_strdup(p->context, name);
    if (!copy)
        return GPC_ERROR_MEMORY;
    *out_index = (uint32_t)p->name_count;
    p->names[p->name_count++] = copy;
    return GPC_OK;
}

gpc_status gpci_profile_add_launch(gpc_profile *p, uint32_t kernel) {
    if (!GPCI_ARRAY_ROOM(p->context, p->launches, p->launch_capacity, p->launch_count, 1))
        return GPC_ERROR_MEMORY;
    p->launches[p->launch_count++] = kernel;
    return GPC_OK;
}

void gpc_profile_destroy(gpc_profile *p) {
    if (!p)
        return;
    gpc_context *context = p->context;
    if (p->live)
        p->live->destroy(p);
    gpci_profile_free_tables(p);
    for (size_t i = 0; i < p->name_count; i++)
        gpci_free(context, p->names[i]);
    for (uint32_t i = 0; p->distances && i < p->sm_count; i++)
        gpci_free(context, p->distances[i].counts);
    gpci_free(context, p->names);
    gpci_free(context, p->launches);
    gpci_free(context, p->distances);
    gpci_free(context, p);
    gpci_release(context);
}

/* U x (1 + R) with one rounding: products of counts below 2^53 are exact, and so the comparison with 1 is exact. */
double gpci_profile_score_of(uint64_t used, uint64_t moved, uint64_t fills, uint64_t reuses, uint64_t hits) {
    if (!moved)
        return 0;
    if (!fills) /* without fills, count one fill for the hits */
        return (double)used * (1 + (double)hits) / (double)moved;
    return (double)used * ((double)fills + (double)reuses) / ((double)moved * (double)fills);
}

uint64_t gpci_profile_millionths(double score) {
    return score > 0 ? score < 1e12 ? (uint64_t)(score * 1e6 + 0.5) : UINT64_C(1000000000000000000) : 0;
}
