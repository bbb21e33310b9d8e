/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle/pair.h"

#include "oracle/recorder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t pair_random(pair *p, uint32_t bound) {
    return gpci_random_below(&p->random, bound);
}

static bool one_in(pair *p, uint32_t n) {
    return pair_random(p, n) == 0;
}

const char *pair_text(const pair *p) {
    static char text[512];
    const gpc_cache_options *o = &p->options;
    snprintf(text, sizeof text,
             "seed %llu, step %llu: %llu x %u x %u bytes, %u sectors, fetch %u, index %u, write %u/%u, write-allocate "
             "%u/%u, allocate %u, atomics %u, reuse %u, warps %u, %s, %s, on_fill %d, on_evict %d",
             (unsigned long long)p->seed, (unsigned long long)p->step, (unsigned long long)o->sets, o->ways,
             o->line_bytes, o->sectors, o->fetch_sectors, o->index, o->write_policy, o->write_policy_local,
             o->write_allocate, o->write_allocate_local, o->allocate, o->atomics_here, o->track_reuse, o->track_warps,
             o->replacement, o->predictor, o->on_fill != NULL, o->on_evict != NULL);
    return text;
}

/* -- configurations */

static uint32_t scattered(void *data, uint64_t line, uint32_t sets) {
    (void)data;
    return (uint32_t)((line * 7 + line / 5) % sets);
}

static uint32_t model_modulo(const model *m, uint64_t line) {
    return (uint32_t)(line % m->options.sets);
}

static uint32_t model_scattered(const model *m, uint64_t line) {
    return scattered(NULL, line, (uint32_t)m->options.sets);
}

static uint32_t model_hashed(const model *m, uint64_t line) {
    return gpci_index_of(m->set_data, line);
}

static void choose_geometry(pair *p) {
    static const uint32_t sets[] = {1, 2, 3, 4, 5, 7, 8, 16}, ways[] = {1, 2, 3, 4, 4, 5, 6, 8, 16, 16, 17, 20, 70},
                          line_bytes[] = {8, 16, 32, 64, 128, 128, 128, 128, 256, 4096};
    gpc_cache_options *o = &p->options;
    o->sets = sets[pair_random(p, sizeof sets / sizeof *sets)];
    o->ways = ways[pair_random(p, sizeof ways / sizeof *ways)];
    o->line_bytes = line_bytes[pair_random(p, sizeof line_bytes / sizeof *line_bytes)];
    o->index = one_in(p, 2) ? GPC_INDEX_MODULO : pair_random(p, GPC_INDEX_COUNT);
    if (o->index == GPC_INDEX_FERMI) {
        o->sets = 32 << pair_random(p, 2);
        o->ways = 1 + pair_random(p, 4);
    }
    o->index_fn = o->index == GPC_INDEX_USER ? scattered : NULL;
    p->model.set_of = o->index == GPC_INDEX_MODULO ? model_modulo
                      : o->index == GPC_INDEX_USER ? model_scattered
                                                   : model_hashed;
}

static void choose_rules(pair *p, pair_flavour flavour) {
    gpc_cache_options *o = &p->options;
    uint32_t lazy = o->line_bytes <= 128 ? 3 : 2;
    o->allocate = pair_random(p, 3);
    o->atomics_here = pair_random(p, 2);
    o->write_policy_local = pair_random(p, 3);
    o->write_allocate_local = pair_random(p, flavour == PAIR_PLAIN ? 2 : lazy);
    if (flavour == PAIR_PLAIN)
        return;
    o->sectors = (8u >> pair_random(p, 4)) & (one_in(p, 5) ? 0u : 15u);
    while (o->sectors && !one_in(p, 3) && (o->fetch_sectors ? o->fetch_sectors : 1) * 2 <= o->sectors)
        o->fetch_sectors = (o->fetch_sectors ? o->fetch_sectors : 1) * 2;
    o->write_policy = pair_random(p, 3);
    o->write_allocate = pair_random(p, lazy);
    o->track_reuse = pair_random(p, 2);
    o->track_warps = pair_random(p, 2);
}

static void choose_policies(pair *p, pair_flavour flavour) {
    static const char *const policies[MODEL_POLICIES] = {"lru", "fifo", "recorder"};
    static const char *const predictors[MODEL_PREDICTORS] = {"always-cache", "always-bypass", "hint", "dice",
                                                             "dice-before"};
    model *m = &p->model;
    m->policy = (model_policy)pair_random(p, MODEL_POLICIES);
    m->policy_declines = m->policy == MODEL_HASH && one_in(p, 2) &&
                         !(flavour == PAIR_TIMED && p->options.allocate != GPC_ALLOCATE_ON_MISS);
    m->predictor = (model_predictor)(one_in(p, 3) ? MODEL_ALWAYS_CACHE : pair_random(p, MODEL_PREDICTORS));
    if (flavour == PAIR_PLAIN)
        m->predictor = one_in(p, 2) ? MODEL_HINT : MODEL_ALWAYS_CACHE;
    p->options.replacement = m->policy_declines ? "recorder(declines)" : policies[m->policy];
    p->options.predictor = predictors[m->predictor];
    m->tells_fills = flavour != PAIR_PLAIN && one_in(p, 2);
    m->tells_evictions = flavour != PAIR_PLAIN && one_in(p, 2);
    p->options.on_fill = m->tells_fills ? record_fill : NULL;
    p->options.on_evict = m->tells_evictions ? record_evict : NULL;
    p->options.callback_data = &p->log;
}

/* A feature that prevents the short paths of a plain cache. */
static void add_a_feature(pair *p) {
    gpc_cache_options *o = &p->options;
    switch (pair_random(p, 8)) {
    case 0:
        p->model.tells_fills = true;
        o->on_fill = record_fill;
        break;
    case 1:
        p->model.tells_evictions = true;
        o->on_evict = record_evict;
        break;
    case 2:
        o->track_reuse = 1;
        break;
    case 3:
        o->track_warps = 1;
        break;
    case 4:
        o->sectors = 2;
        break;
    case 5:
        o->write_policy = GPC_WRITE_THROUGH + pair_random(p, 2);
        break;
    case 6:
        o->write_allocate = GPC_WRITE_NO_ALLOCATE;
        break;
    default:
        p->model.predictor = MODEL_ALWAYS_BYPASS;
        o->predictor = "always-bypass";
    }
}

static void choose_stream(pair *p) {
    uint64_t capacity = p->options.sets * p->options.ways;
    p->lines = 1 + pair_random(p, (uint32_t)(capacity * 3));
    p->first_line = one_in(p, 2) ? 0 : gpci_random(&p->random) >> 7 >> 31 << 31 >> gpci_log2(p->options.line_bytes);
    p->stride = one_in(p, 4) ? 1 + pair_random(p, 1000) : 1;
    p->far_share = one_in(p, 3) ? 1u << pair_random(p, 8) : 0;
    p->with_priorities = one_in(p, 3);
    p->with_masks = one_in(p, 2);
}

void pair_open(pair *p, uint64_t seed, pair_flavour flavour, gpc_simd simd) {
    *p = (pair){.random = seed, .seed = seed, .options = GPC_CACHE_OPTIONS_INIT};
    choose_geometry(p);
    choose_rules(p, flavour);
    choose_policies(p, flavour);
    if (flavour == PAIR_PLAIN && one_in(p, 4))
        add_a_feature(p);
    choose_stream(p);
    gpc_error error = GPC_ERROR_INIT;
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    options.simd = simd;
    cr_assert_eq(gpc_context_create(&options, &p->context, &error), GPC_OK, "%s", error.message);
    recorder_register(p->context, &p->log);
    cr_assert_eq(
        gpci_index_init(&p->index, (gpc_index)p->options.index, p->options.sets, p->options.index_fn, NULL, NULL),
        GPC_OK);
    model rules = p->model;
    model_open(&p->model, &p->options);
    p->model.policy = rules.policy;
    p->model.policy_declines = rules.policy_declines;
    p->model.predictor = rules.predictor;
    p->model.tells_fills = rules.tells_fills;
    p->model.tells_evictions = rules.tells_evictions;
    p->model.set_of = rules.set_of;
    p->model.set_data = &p->index;
    cr_assert_eq(gpc_cache_create(p->context, &p->options, &p->cache, &error), GPC_OK, "%s: %s", pair_text(p),
                 error.message);
}

void pair_close(pair *p) {
    gpc_cache_destroy(p->cache);
    gpc_context_destroy(p->context);
    model_close(&p->model);
    free(p->log.events);
}

/* -- requests */

static void spoil(pair *p, gpc_request *r) {
    uint32_t line = p->options.line_bytes;
    switch (pair_random(p, 6)) {
    case 0:
        r->kind = (uint8_t)(GPC_KIND_COUNT + pair_random(p, 250));
        break;
    case 1:
        r->hint = (uint8_t)(GPC_HINT_COUNT + pair_random(p, 240));
        break;
    case 2:
        r->space = (uint8_t)(GPC_SPACE_SHARED + pair_random(p, 250));
        break;
    case 3:
        r->priority = (uint8_t)(GPC_PRIORITY_COUNT + pair_random(p, 250));
        break;
    case 4:
        r->size = (uint32_t)(line - r->address % line + 1 + pair_random(p, 8));
        break;
    default:
        if (p->options.sectors < 8)
            r->sector_mask |= (uint8_t)(1u << (p->options.sectors ? p->options.sectors : 1));
        else
            r->size = UINT32_MAX;
    }
}

static void choose_bytes(pair *p, gpc_request *r) {
    uint32_t line = p->options.line_bytes, offset = (uint32_t)(r->address % line);
    uint32_t sectors = p->options.sectors ? p->options.sectors : 1;
    if (!one_in(p, 3))
        r->size = one_in(p, 4) ? line - offset : pair_random(p, line - offset + 1);
    if (p->with_masks && one_in(p, 4))
        r->sector_mask = (uint8_t)pair_random(p, 1u << sectors);
    if (!p->with_masks || line > 128 || !one_in(p, 3))
        return;
    for (int word = 0; word < 2; word++) {
        r->byte_mask[word] = gpci_random(&p->random) | (one_in(p, 2) ? gpci_random(&p->random) : 0);
        if (one_in(p, 3))
            r->byte_mask[word] = one_in(p, 2) ? 0 : ~(uint64_t)0;
    }
    if (line < 128)
        r->byte_mask[1] = 0;
    if (line < 64)
        r->byte_mask[0] &= ((uint64_t)1 << line) - 1;
}

gpc_request pair_request(pair *p) {
    uint32_t line_bytes = p->options.line_bytes;
    uint64_t line = p->first_line + pair_random(p, (uint32_t)p->lines) * p->stride;
    if (p->far_share && pair_random(p, 256) < p->far_share)
        line += (uint64_t)1 << (31 + pair_random(p, 2));
    gpc_request r = {.address = line * line_bytes, .kind = GPC_LOAD, .warp = pair_random(p, 3)};
    if (one_in(p, 2))
        r.kind = (uint8_t)(one_in(p, 2) ? GPC_STORE : pair_random(p, GPC_KIND_COUNT));
    r.pc = pair_random(p, 3);
    if (p->simple)
        return r;
    r.address += pair_random(p, line_bytes);
    choose_bytes(p, &r);
    r.space = one_in(p, 3) ? GPC_SPACE_LOCAL : GPC_SPACE_GLOBAL;
    r.hint = (uint8_t)(one_in(p, 3) ? pair_random(p, GPC_HINT_COUNT) : GPC_HINT_NONE);
    r.continues = one_in(p, 5);
    r.priority = (uint8_t)(p->with_priorities && one_in(p, 3) ? pair_random(p, GPC_PRIORITY_COUNT) : GPC_EVICT_NORMAL);
    if (one_in(p, 64))
        spoil(p, &r);
    return r;
}
