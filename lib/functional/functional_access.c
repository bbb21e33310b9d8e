/* SPDX-License-Identifier: BSD-2-Clause */
#include "functional/functional.h"
#include "level/access/constants.h"
#include "level/access/future.h"
#include "level/access/tlb.h"
#include "level/coherent/coherent_level.h"
#include "level/rules/events.h"
#include "level/rules/level_count.h"

/* Lines of a warp instruction, served one by one. */

/* Lines of prefetching ahead: their host memory is fetched while earlier lines are served. */
#define AHEAD 3u

/* A line transaction through caches. */
static gpc_status pass_caches(gpc_hierarchy *h, const gpci_line_access *a) {
    switch (a->request.kind) {
    case GPC_STORE:
        return gpci_functional_store(h, a);
    case GPC_ATOMIC:
    case GPC_REDUCTION:
        return gpci_functional_atomic(h, a);
    default:
        return gpci_functional_load(h, a);
    }
}

static gpc_status pass_caches_watched(gpc_hierarchy *h, const gpci_line_access *a) {
    switch (a->request.kind) {
    case GPC_STORE:
        return gpci_functional_store_watched(h, a);
    case GPC_ATOMIC:
    case GPC_REDUCTION:
        return gpci_functional_atomic_watched(h, a);
    default:
        return gpci_functional_load_watched(h, a);
    }
}

/* Function that passes a line through the levels; a constant in all inlined callers. */
typedef gpc_status (*pass_line_fn)(gpc_hierarchy *h, const gpci_line_access *access);

GPCI_INLINE gpc_status pass_observed(gpc_hierarchy *h, const gpci_line_access *a, pass_line_fn pass) {
    const gpci_observer *o = h->observer;
    const gpci_observed_line line = {&a->request, a->l1, a->line->segments};
    uint32_t hits = a->result->l1_sector_hits;
    gpc_status status = o->before_line(o->data, &line);
    if (status == GPC_OK)
        status = pass(h, a);
    if (status == GPC_OK)
        o->after_line(o->data, &line, a->result->l1_sector_hits - hits);
    return status;
}

GPCI_INLINE gpc_status serve(gpc_hierarchy *h, gpci_line_access *a, const gpci_transaction *line, pass_line_fn pass,
                             bool watched) {
    a->line = line;
    a->request.address = line->address;
    a->request.bytes_used = (uint16_t)gpci_transaction_bytes(line);
    if (watched)
        gpci_append_line(h->log, &a->request, line->segments);
    if (GPCI_UNLIKELY(h->sector_packets))
        a->request.continues = line->follows;
    if (GPCI_UNLIKELY(h->future && (a->l1 || h->coherent) && !line->follows))
        a->request.next_use = gpci_future_next(h->future, a->request.sm);
    return GPCI_UNLIKELY(h->observer != NULL) ? pass_observed(h, a, pass) : pass(h, a);
}

/* further blocks of a line are in the same page */
static GPCI_COLD void translate(gpc_hierarchy *h, uint32_t sm, const gpci_transaction *lines, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!lines[i].follows || h->sector_packets)
            gpci_tlbs_access(h, sm, lines[i].address);
}

GPCI_INLINE gpc_status serve_all(gpc_hierarchy *h, const gpc_warp_access *w, gpc_warp_result *result, pass_line_fn pass,
                                 bool watched) {
    gpci_transaction lines[GPCI_MAX_TRANSACTIONS];
    gpci_line_access a = {.result = result, .warp = w};
    uint32_t count = gpci_access_lines(h, w, 0, lines, &a.request, &result->sectors);
    a.l1 = gpci_l1_of(h, &a.request);
    result->lines = a.request.transactions;
    if (watched)
        gpci_append_access(h->log, &a.request, lines[0].address, result->sectors);
    for (uint32_t i = 1; i < count; i++)
        gpci_functional_expect_l1(a.l1, lines[i].address);
    for (uint32_t i = 0; i < count && i < AHEAD; i++)
        gpci_functional_expect_below(h, w->sm, a.l1, lines[i].address);
    if (GPCI_UNLIKELY(h->tlbs != NULL))
        translate(h, w->sm, lines, count);
    gpc_status status = h->observer ? h->observer->on_instruction(h->observer->data, &a.request) : GPC_OK;
    for (uint32_t i = 0; i < count && status == GPC_OK; i++) {
        if (i + AHEAD < count)
            gpci_functional_expect_below(h, w->sm, a.l1, lines[i + AHEAD].address);
        status = serve(h, &a, &lines[i], pass, watched);
    }
    return status;
}

GPCI_INLINE gpc_status take(gpc_hierarchy *h, const gpc_warp_access *access, gpc_warp_result *result, pass_line_fn pass,
                            bool watched) {
    gpc_warp_access w;
    gpc_warp_result own = GPC_WARP_RESULT_INIT;
    if (h->l1_future && !h->future)
        return GPC_ERROR_STATE;
    gpc_status status = gpci_access_take(access, NULL, &w);
    if (status == GPC_OK)
        status = gpci_access_check(h, &w);
    if (status < 0)
        return status;
    if (GPCI_UNLIKELY(w.copy == GPC_COPY_BULK) && w.mask) {
        status = gpci_functional_bulk(h, &w, &own);
        return status == GPC_OK && result ? gpci_give(result, &own, sizeof own) : status;
    }
    gpci_count_instruction(h, w.sm, w.mask);
    if (GPCI_UNLIKELY(w.order > GPC_ORDER_RELAXED))
        status = gpci_functional_release(h, &w);
    if (w.mask && w.space <= GPC_SPACE_LOCAL && status == GPC_OK)
        status = serve_all(h, &w, &own, pass, watched);
    else if (GPCI_UNLIKELY(gpci_reads_constants(h, &w)))
        status = gpci_functional_constants(h, &w, &own);
    if (GPCI_UNLIKELY(w.order > GPC_ORDER_RELAXED) && status == GPC_OK)
        status = gpci_functional_acquire(h, &w);
    if (watched)
        status = gpci_append_complete(h, &own, status);
    return status == GPC_OK && result ? gpci_give(result, &own, sizeof own) : status;
}

static GPCI_COLD gpc_status access_caches_watched(gpc_hierarchy *h, const gpc_warp_access *access,
                                                  gpc_warp_result *result) {
    return take(h, access, result, pass_caches_watched, true);
}

static gpc_status access_caches(gpc_hierarchy *h, const gpc_warp_access *access, gpc_warp_result *result) {
    if (GPCI_UNLIKELY(h->log != NULL))
        return access_caches_watched(h, access, result);
    return take(h, access, result, pass_caches, false);
}

static GPCI_COLD gpc_status access_tree_watched(gpc_hierarchy *h, const gpc_warp_access *access,
                                                gpc_warp_result *result) {
    return take(h, access, result, gpci_coherent_line, true);
}

static gpc_status access_tree(gpc_hierarchy *h, const gpc_warp_access *access, gpc_warp_result *result) {
    if (GPCI_UNLIKELY(h->log != NULL))
        return access_tree_watched(h, access, result);
    return take(h, access, result, gpci_coherent_line, false);
}

/* No state to create: an access is done at its return. */

static gpc_status create(gpc_hierarchy *h, gpc_error *error) {
    (void)h;
    (void)error;
    return GPC_OK;
}

static void nothing(gpc_hierarchy *h) {
    (void)h;
}

static bool idle(const gpc_hierarchy *h) {
    (void)h;
    return true;
}

static gpc_status watch(gpc_hierarchy *h, gpci_event_log *log) {
    (void)h;
    (void)log;
    return GPC_OK;
}

static void add_sm(const gpc_hierarchy *h, uint32_t sm, gpc_stats *stats) {
    (void)h;
    (void)sm;
    (void)stats;
}

static void add_rest(const gpc_hierarchy *h, gpc_stats *stats) {
    (void)h;
    (void)stats;
}

static uint32_t objects(const gpc_hierarchy *h, gpc_object kind) {
    (void)h;
    (void)kind;
    return 0;
}

static const char *network_name(const gpc_hierarchy *h, uint32_t index) {
    (void)h;
    (void)index;
    return "";
}

static void object(const gpc_hierarchy *h, gpc_object kind, uint32_t index, gpci_object_values *values) {
    (void)h;
    (void)kind;
    (void)index;
    (void)values;
}

static bool measures(const gpc_hierarchy *h, gpc_counter_needs needs) {
    (void)h;
    (void)needs;
    return false;
}

/* No state to save: no access is ever in flight. */
static void archive(gpc_hierarchy *h, struct gpci_archive *a) {
    (void)h;
    (void)a;
}

static bool quiet(const gpc_hierarchy *h, uint32_t sm) {
    (void)h;
    (void)sm;
    return true;
}

#define FUNCTIONAL_DRIVER(access_function)                                                                 \
    {                                                                                                      \
        .clock = &gpci_no_clock, .create = create, .destroy = nothing, .access = access_function,          \
        .fence = gpci_functional_fence, .idle = idle, .relink = nothing, .watch = watch, .add_sm = add_sm, \
        .add_rest = add_rest, .reset_stats = nothing, .objects = objects, .network_name = network_name,    \
        .object = object, .measures = measures, .archive = archive, .quiet = quiet,                        \
        .empty_l1 = gpci_functional_empty_l1                                                               \
    }

const gpci_driver gpci_functional_caches = FUNCTIONAL_DRIVER(access_caches);
const gpci_driver gpci_functional_tree = FUNCTIONAL_DRIVER(access_tree);
