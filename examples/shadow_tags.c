/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shadow tags: a host's cache, and the results of other policies on the same accesses. The host keeps and finds lines;
 * each policy (gpc_replacement) only chooses victims. The host runs LRU. The shadows count misses under other policies.
 */
#include <gpucache/ext/parts.h>
#include <gpucache/gpucache.h>

#include <inttypes.h>
#include <stdio.h>

enum { SETS = 16, WAYS = 4, LINE = 128, ACCESSES = 20000, POLICIES = 4 };

static const char *const policies[POLICIES] = {"lru", "bip", "srrip", "ship"};

/* Tags of the host's cache; a copy for each shadow policy. */
typedef struct tags {
    gpc_replacement *policy;
    uint64_t lines[SETS][WAYS];
    bool valid[SETS][WAYS];
    uint64_t misses;
} tags;

/* Return the lowest free way, or the victim of the policy. */
static gpc_status make_room(tags *t, uint32_t set, const gpc_request *request, uint32_t *out_way, gpc_error *error) {
    for (uint32_t way = 0; way < WAYS; way++)
        if (!t->valid[set][way]) {
            *out_way = way;
            return GPC_OK;
        }
    gpc_status status = gpc_replacement_choose(t->policy, set, NULL, request, out_way, error);
    if (status < 0)
        return status;
    const gpc_eviction leaves = {.line_address = t->lines[set][*out_way], .set = set, .way = *out_way};
    return gpc_replacement_event(
        t->policy,
        &(gpc_policy_event){
            .kind = GPC_ON_EVICT, .set = leaves.set, .way = leaves.way, .eviction = &leaves, .request = request},
        1, NULL, error);
}

static gpc_status access_one(tags *t, const gpc_request *request, gpc_error *error) {
    const uint64_t line = request->address / LINE * LINE;
    const uint32_t set = (uint32_t)(line / LINE % SETS);
    for (uint32_t way = 0; way < WAYS; way++)
        if (t->valid[set][way] && t->lines[set][way] == line)
            return gpc_replacement_event(
                t->policy, &(gpc_policy_event){.kind = GPC_ON_HIT, .set = set, .way = way, .request = request}, 1, NULL,
                error);
    t->misses++;
    uint32_t way;
    gpc_status status = gpc_replacement_event(
        t->policy, &(gpc_policy_event){.kind = GPC_ON_MISS, .set = set, .request = request}, 1, NULL, error);
    if (status == GPC_OK)
        status = make_room(t, set, request, &way, error);
    if (status < 0)
        return status;
    t->lines[set][way] = line;
    t->valid[set][way] = true;
    return gpc_replacement_event(t->policy,
                                 &(gpc_policy_event){.kind = GPC_ON_FILL, .set = set, .way = way, .request = request},
                                 1, NULL, error);
}

/* Three instructions: a cyclic walk over 1.5 times the cache, reuse of a few lines, a stream. */
static gpc_request access_at(uint64_t i) {
    const uint64_t lines[] = {i / 3 % 96, 1000 + i / 3 % 7, 2000 + i};
    return (gpc_request){.address = lines[i % 3] * LINE, .pc = 0x100 + i % 3 * 16, .size = LINE};
}

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = NULL;
    static tags all[POLICIES];
    gpc_status status = gpc_context_create(NULL, &context, &error);
    for (unsigned p = 0; p < POLICIES && status == GPC_OK; p++) {
        gpc_replacement_options options = GPC_REPLACEMENT_OPTIONS_INIT;
        options.policy = policies[p];
        options.sets = SETS;
        options.ways = WAYS;
        options.line_bytes = LINE;
        options.tells = GPC_READS_OF_REQUESTS & ~(uint64_t)GPC_READS_ADMISSION; /* the host always allocates */
        status = gpc_replacement_create(context, &options, &all[p].policy, &error);
    }
    for (uint64_t i = 0; i < ACCESSES && status == GPC_OK; i++) {
        const gpc_request request = access_at(i);
        for (unsigned p = 0; p < POLICIES && status == GPC_OK; p++)
            status = access_one(&all[p], &request, &error);
    }
    for (unsigned p = 0; p < POLICIES && status == GPC_OK; p++)
        printf("%-6s %5" PRIu64 " misses, %" PRId64 " less than %s\n", policies[p], all[p].misses,
               (int64_t)(all[0].misses - all[p].misses), policies[0]);
    if (status < 0)
        fprintf(stderr, "%s: %s\n", gpc_status_string(status), error.message);
    for (unsigned p = 0; p < POLICIES; p++)
        gpc_replacement_destroy(all[p].policy);
    gpc_context_destroy(context);
    return status != GPC_OK;
}
