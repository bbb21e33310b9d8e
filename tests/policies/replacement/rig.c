/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/replacement/rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define GUARD 64u
#define GUARD_BYTE 0xa5

static void *open_block(rig_block *block, size_t bytes) {
    block->bytes = bytes;
    block->memory = malloc(bytes + 2 * GUARD);
    cr_assert_not_null(block->memory);
    memset(block->memory, GUARD_BYTE, bytes + 2 * GUARD);
    memset(block->memory + GUARD, 0, bytes);
    return bytes ? block->memory + GUARD : NULL;
}

static bool guard_intact(const rig_block *block) {
    for (size_t i = 0; i < GUARD; i++)
        if (block->memory[i] != GUARD_BYTE || block->memory[GUARD + block->bytes + i] != GUARD_BYTE)
            return false;
    return true;
}

bool rig_guards_intact(const rig *r) {
    return guard_intact(&r->instance) && guard_intact(&r->set_state) && guard_intact(&r->line_state);
}

void rig_open(rig *r, const char *spec, uint32_t sets, uint32_t ways, uint64_t seed) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_policy_env geometry = {
        .struct_size = sizeof geometry, .sets = sets, .ways = ways, .line_bytes = 128, .sectors = 1, .count = 1};
    cr_assert_eq(gpc_context_create(NULL, &r->context, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpci_policy_create(r->context, GPC_POLICY_REPLACEMENT, spec, &geometry, NULL, &error, &r->policy),
                 GPC_OK, "%s", error.message);
    r->ops = r->policy->ops;
    r->env = r->policy->env;
    r->env.seed = seed;
    size_t lines = (size_t)sets * ways;
    r->self = open_block(&r->instance, r->ops->instance_bytes);
    r->env.set_state = open_block(&r->set_state, r->ops->set_bytes * sets);
    r->env.line_state = open_block(&r->line_state, r->ops->line_bytes * lines);
    char message[256] = "";
    if (r->ops->init)
        cr_assert_eq(r->ops->init(r->self, &r->env, message), GPC_OK, "%s: %s", spec, message);
    r->also = (gpc_request){0};
    r->lines = malloc(lines * sizeof *r->lines);
    cr_assert_not_null(r->lines);
    for (size_t i = 0; i < lines; i++)
        r->lines[i] = RIG_FREE;
}

void rig_close(rig *r) {
    if (r->ops->finish)
        r->ops->finish(r->self);
    free(r->instance.memory);
    free(r->set_state.memory);
    free(r->line_state.memory);
    free(r->lines);
    gpci_policy_destroy(r->policy);
    gpc_context_destroy(r->context);
}

static gpc_request request_of(const rig *r, uint64_t line, uint64_t next_use) {
    gpc_request request = r->also;
    request.address = line * 128;
    request.policy.next_use = next_use;
    return request;
}

static void fill(rig *r, uint32_t set, uint32_t way, uint64_t line, const gpc_request *request) {
    r->lines[(size_t)set * r->env.ways + way] = line;
    if (r->ops->on_fill)
        r->ops->on_fill(r->self, set, way, request);
}

rig_outcome rig_replace(rig *r, uint32_t set, const uint64_t *candidates, uint64_t line, uint64_t next_use) {
    gpc_request request = request_of(r, line, next_use);
    uint32_t way = r->ops->choose_victim(r->self, set, candidates, &request);
    if (way == GPC_WAY_BYPASS)
        return (rig_outcome){.bypassed = true, .set = set, .way = RIG_NO_WAY};
    cr_assert_lt(way, r->env.ways, "%s chose way %u of %u", r->ops->name, way, r->env.ways);
    cr_assert(!candidates || (candidates[way / 64] >> (way % 64) & 1), "%s chose way %u, no candidate", r->ops->name,
              way);
    uint64_t victim = r->lines[(size_t)set * r->env.ways + way];
    gpc_eviction eviction = {.line_address = victim * 128, .set = set, .way = way, .valid_sectors = 1};
    if (r->ops->on_evict)
        r->ops->on_evict(r->self, set, way, &eviction, &request);
    fill(r, set, way, line, &request);
    return (rig_outcome){.evicted = true, .set = set, .way = way, .victim = victim};
}

rig_outcome rig_access(rig *r, uint64_t line, uint64_t next_use) {
    gpc_request request = request_of(r, line, next_use);
    uint32_t set = (uint32_t)(line % r->env.sets), free_way = RIG_NO_WAY;
    const uint64_t *lines = r->lines + (size_t)set * r->env.ways;
    for (uint32_t way = 0; way < r->env.ways; way++) {
        if (lines[way] == line) {
            if (r->ops->on_hit)
                r->ops->on_hit(r->self, set, way, &request);
            return (rig_outcome){.hit = true, .set = set, .way = way};
        }
        if (lines[way] == RIG_FREE && free_way == RIG_NO_WAY)
            free_way = way;
    }
    if (r->ops->on_miss)
        r->ops->on_miss(r->self, set, &request);
    if (free_way == RIG_NO_WAY)
        return rig_replace(r, set, NULL, line, next_use);
    fill(r, set, free_way, line, &request);
    return (rig_outcome){.set = set, .way = free_way};
}

void rig_invalidate(rig *r, uint32_t set, uint32_t way) {
    r->lines[(size_t)set * r->env.ways + way] = RIG_FREE;
    if (r->ops->on_invalidate)
        r->ops->on_invalidate(r->self, set, way);
}

uint64_t *rig_next_uses(const uint64_t *lines, size_t count) {
    uint64_t *next = malloc((count ? count : 1) * sizeof *next);
    cr_assert_not_null(next);
    for (size_t i = 0; i < count; i++) {
        next[i] = UINT64_MAX;
        for (size_t j = i + 1; j < count && next[i] == UINT64_MAX; j++)
            if (lines[j] == lines[i])
                next[i] = j;
    }
    return next;
}
