/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "functional/functional.h"
#include "functional/round_lanes.h"
#include "level/access/constants.h"
#include "level/access/future.h"
#include "level/access/tlb.h"
#include "level/coherent/coherent_level.h"
#include "level/rules/events.h"
#include "level/rules/level_count.h"
#include "level/rules/level_rules.h"

/* Serve the lines of a warp instruction, one by one. */

/* Prefetch distance, in lines: the CPU loads the simulator's L2 tags of a later line, while a line is served. */
#define AHEAD 3u

/* Pass a line transaction through L1 and L2 of a hierarchy without a tree of coherent modules. */
static gpc_status pass_caches(gpc_hierarchy *hierarchy, const gpci_line_access *access) {
    switch (access->request.kind) {
    case GPC_STORE:
        return gpci_functional_store(hierarchy, access);
    case GPC_ATOMIC:
    case GPC_REDUCTION:
        return gpci_functional_atomic(hierarchy, access);
    default:
        return gpci_functional_load(hierarchy, access);
    }
}

static gpc_status pass_caches_watched(gpc_hierarchy *hierarchy, const gpci_line_access *access) {
    switch (access->request.kind) {
    case GPC_STORE:
        return gpci_functional_store_watched(hierarchy, access);
    case GPC_ATOMIC:
    case GPC_REDUCTION:
        return gpci_functional_atomic_watched(hierarchy, access);
    default:
        return gpci_functional_load_watched(hierarchy, access);
    }
}

/* Function that passes a line through the levels. The inlined functions below receive the function as a constant. */
typedef gpc_status (*pass_line_fn)(gpc_hierarchy *hierarchy, const gpci_line_access *access);

GPCI_INLINE gpc_status pass_observed(gpc_hierarchy *hierarchy, const gpci_line_access *access, pass_line_fn pass) {
    const gpci_observer *observer = hierarchy->observer;
    const gpci_observed_line line = {&access->request, access->l1, access->line->segments};
    uint32_t hits = access->result->l1_sector_hits;
    gpc_status status = observer->before_line(observer->data, &line);
    if (status == GPC_OK)
        status = pass(hierarchy, access);
    if (status == GPC_OK)
        observer->after_line(observer->data, &line, access->result->l1_sector_hits - hits);
    return status;
}

GPCI_INLINE gpc_status serve(gpc_hierarchy *hierarchy, gpci_line_access *access, const gpci_transaction *line,
                             pass_line_fn pass, bool watched) {
    access->line = line;
    access->request.address = line->address;
    access->request.bytes_used = (uint16_t)gpci_transaction_bytes(line);
    if (watched)
        gpci_append_line(hierarchy->log, &access->request, line->segments);
    if (GPCI_UNLIKELY(hierarchy->sector_packets))
        access->request.continues = line->follows;
    if (GPCI_UNLIKELY(hierarchy->future && (access->l1 || hierarchy->coherent) && !line->follows))
        access->request.policy.next_use = gpci_future_next(hierarchy->future, access->request.sm);
    return GPCI_UNLIKELY(hierarchy->observer != NULL) ? pass_observed(hierarchy, access, pass)
                                                      : pass(hierarchy, access);
}

void gpci_functional_page(gpc_hierarchy *hierarchy, uint32_t sm, uint64_t address) {
    const gpc_request request = {.sm = sm, .address = address};
    if (hierarchy->asked)
        gpci_round_lanes_keep(hierarchy, GPCI_ASKED_PAGE, &request, 0, 0, NULL);
    else
        gpci_tlbs_below(hierarchy, sm, address);
}

/*
 * Translate the addresses of lines. A block that `follows` is in the page of the block before, and is not translated.
 * With l1.coalescer = sector, every sector is an access of its own, and is translated.
 */
static GPCI_COLD void translate(gpc_hierarchy *hierarchy, uint32_t sm, const gpci_transaction *lines, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if ((!lines[i].follows || hierarchy->sector_packets) && gpci_tlbs_access(hierarchy, sm, lines[i].address))
            gpci_functional_page(hierarchy, sm, lines[i].address);
}

GPCI_INLINE gpc_status serve_all(gpc_hierarchy *hierarchy, const gpc_warp_access *warp_access, gpc_warp_result *result,
                                 pass_line_fn pass, bool watched) {
    gpci_transaction lines[GPCI_MAX_TRANSACTIONS];
    gpci_line_access access = {.result = result, .warp = warp_access};
    uint32_t count = gpci_access_lines(hierarchy, warp_access, 0, lines, &access.request, &result->sectors);
    access.l1 = gpci_l1_of(hierarchy, &access.request);
    result->lines = access.request.transactions;
    GPCI_AGAIN(hierarchy->of_sm[warp_access->sm].again.l1_copy_requests += access.request.copy == GPC_COPY_ASYNC);
    if (watched)
        gpci_append_access(hierarchy->log, &access.request, lines[0].address, result->sectors);
    for (uint32_t i = 1; i < count; i++)
        gpci_functional_expect_l1(access.l1, lines[i].address);
    for (uint32_t i = 0; i < count && i < AHEAD; i++)
        gpci_functional_expect_below(hierarchy, warp_access->sm, access.l1, lines[i].address);
    if (GPCI_UNLIKELY(hierarchy->tlbs != NULL))
        translate(hierarchy, warp_access->sm, lines, count);
    gpc_status status =
        hierarchy->observer ? hierarchy->observer->on_instruction(hierarchy->observer->data, &access.request) : GPC_OK;
    uint32_t i = 0;
    for (; i < count && status == GPC_OK; i++) {
        if (i + AHEAD < count)
            gpci_functional_expect_below(hierarchy, warp_access->sm, access.l1, lines[i + AHEAD].address);
        status = serve(hierarchy, &access, &lines[i], pass, watched);
        GPCI_AGAIN(gpci_access_count_again(hierarchy, &access.request, &lines[i]));
    }
    GPCI_AGAIN(gpci_access_count_unserved(hierarchy, &access.request, &lines[i], count - i));
    return status;
}

/*
 * Copy the result of an access to the host. A well-formed access can only fail if memory runs out, or if a policy makes
 * an impossible choice.
 */
GPCI_INLINE gpc_status give(const gpc_hierarchy *hierarchy, const gpc_warp_result *own, gpc_status status,
                            gpc_warp_result *result, gpc_error *error) {
    char room[GPCI_FAULT];
    if (GPCI_UNLIKELY(status < 0))
        return gpci_fail(error, status, "gpc_hierarchy_access: %s", gpci_fault_of(hierarchy, status, room));
    return status == GPC_OK && result ? gpci_give(result, own, sizeof *own, "gpc_warp_result", error) : status;
}

GPCI_INLINE gpc_status take(gpc_hierarchy *hierarchy, const gpc_warp_access *access, gpc_warp_result *result,
                            pass_line_fn pass, bool watched, gpc_error *error) {
    gpc_warp_access warp_access;
    gpc_warp_result own = GPC_WARP_RESULT_INIT;
    if (hierarchy->l1_future && !hierarchy->future)
        return gpci_fail(error, GPC_ERROR_STATE,
                         "gpc_hierarchy_access: l1.replacement reads the future of a trace, which only a replay knows");
    gpc_status status = gpci_access_take(access, error, &warp_access);
    if (status == GPC_OK)
        status = gpci_access_check(hierarchy, &warp_access, error);
    if (status == GPC_OK && GPCI_UNLIKELY(result && result->struct_size != sizeof *result))
        status = gpci_can_give(result, "gpc_warp_result", error);
    if (status < 0)
        return status;
    if (GPCI_UNLIKELY(warp_access.copy == GPC_COPY_BULK) && warp_access.mask) {
        status = gpci_functional_bulk(hierarchy, &warp_access, &own);
        return give(hierarchy, &own, status, result, error);
    }
    gpci_count_instruction(hierarchy, warp_access.sm, warp_access.mask);
    GPCI_AGAIN(hierarchy->of_sm[warp_access.sm].again.thread_instructions += gpci_popcount(warp_access.mask));
    if (GPCI_UNLIKELY(warp_access.order > GPC_ORDER_RELAXED))
        status = gpci_functional_release(hierarchy, &warp_access);
    if (warp_access.mask && warp_access.space <= GPC_SPACE_LOCAL && status == GPC_OK)
        status = serve_all(hierarchy, &warp_access, &own, pass, watched);
    else if (GPCI_UNLIKELY(gpci_reads_constants(hierarchy, &warp_access)))
        status = gpci_functional_constants(hierarchy, &warp_access, &own);
    if (GPCI_UNLIKELY(warp_access.order > GPC_ORDER_RELAXED) && status == GPC_OK)
        status = gpci_functional_acquire(hierarchy, &warp_access);
    if (watched)
        status = gpci_append_complete(hierarchy, &own, status);
    return give(hierarchy, &own, status, result, error);
}

static GPCI_COLD gpc_status access_caches_watched(gpc_hierarchy *hierarchy, const gpc_warp_access *access,
                                                  gpc_warp_result *result, gpc_error *error) {
    return take(hierarchy, access, result, pass_caches_watched, true, error);
}

static gpc_status access_caches(gpc_hierarchy *hierarchy, const gpc_warp_access *access, gpc_warp_result *result,
                                gpc_error *error) {
    if (GPCI_UNLIKELY(hierarchy->log != NULL))
        return access_caches_watched(hierarchy, access, result, error);
    return take(hierarchy, access, result, pass_caches, false, error);
}

static GPCI_COLD gpc_status access_tree_watched(gpc_hierarchy *hierarchy, const gpc_warp_access *access,
                                                gpc_warp_result *result, gpc_error *error) {
    return take(hierarchy, access, result, gpci_coherent_line, true, error);
}

static gpc_status access_tree(gpc_hierarchy *hierarchy, const gpc_warp_access *access, gpc_warp_result *result,
                              gpc_error *error) {
    if (GPCI_UNLIKELY(hierarchy->log != NULL))
        return access_tree_watched(hierarchy, access, result, error);
    return take(hierarchy, access, result, gpci_coherent_line, false, error);
}

/* The functional driver has no state to create: an access is complete when the call returns. */

static gpc_status create(gpc_hierarchy *hierarchy, gpc_error *error) {
    (void)hierarchy;
    (void)error;
    return GPC_OK;
}

static void nothing(gpc_hierarchy *hierarchy) {
    (void)hierarchy;
}

static bool idle(const gpc_hierarchy *hierarchy) {
    (void)hierarchy;
    return true;
}

static gpc_status watch(gpc_hierarchy *hierarchy, gpci_event_log *log) {
    (void)hierarchy;
    (void)log;
    return GPC_OK;
}

static void add_sm(const gpc_hierarchy *hierarchy, uint32_t sm, gpc_stats *stats) {
    (void)hierarchy;
    (void)sm;
    (void)stats;
}

static void add_rest(const gpc_hierarchy *hierarchy, gpc_stats *stats) {
    (void)hierarchy;
    (void)stats;
}

static uint32_t objects(const gpc_hierarchy *hierarchy, gpc_object kind) {
    (void)hierarchy;
    (void)kind;
    return 0;
}

static const char *network_name(const gpc_hierarchy *hierarchy, uint32_t index) {
    (void)hierarchy;
    (void)index;
    return "";
}

static void object(const gpc_hierarchy *hierarchy, gpc_object kind, uint32_t index, gpci_object_values *values) {
    (void)hierarchy;
    (void)kind;
    (void)index;
    (void)values;
}

static bool measures(const gpc_hierarchy *hierarchy, gpci_counter_needs needs) {
    (void)hierarchy;
    (void)needs;
    return false;
}

/* No state to save: no access is ever in flight. */
static void archive(gpc_hierarchy *hierarchy, struct gpci_archive *archived) {
    (void)hierarchy;
    (void)archived;
}

static bool quiet(const gpc_hierarchy *hierarchy, uint32_t sm) {
    (void)hierarchy;
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
