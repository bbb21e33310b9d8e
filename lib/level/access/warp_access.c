/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/warp_access.h"

#include "cache/cache.h"
#include "level/access/bulk.h"
#include "level/access/fence.h"
#include "level/access/local_memory.h"
#include "level/access/warp_ranks.h"
#include "level/rules/level_count.h"

#include <stddef.h>

/* Checks, coalescing and counting of a warp instruction. */

gpc_status gpci_access_take(const gpc_warp_access *access, gpc_error *error, gpc_warp_access *out) {
    *out = (gpc_warp_access)GPC_WARP_ACCESS_INIT;
    return gpci_take(out, sizeof *out, offsetof(gpc_warp_access, bytes), access, "gpc_warp_access", error);
}

gpc_request gpci_access_request(const gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint32_t transactions) {
    gpc_request request = {.kind = access->kind};
#define TAKE(field) request.field = access->field
    GPCI_REQUEST_ACCESS(TAKE);
#undef TAKE
#define TAKE(field) request.policy.field = access->field
    GPCI_REQUEST_POLICY_ACCESS(TAKE);
#undef TAKE
    request.transactions = (uint16_t)(transactions < UINT16_MAX ? transactions : UINT16_MAX);
    request.kernel = gpci_kernel_of(hierarchy, access->stream);
    request.priority = gpci_priority_of(access->hint, access->priority);
    return request;
}

/* Memory orders allowed for a kind of access: one bit per gpc_order. */
static const uint8_t orders_of[GPC_KIND_COUNT] = {
    [GPC_LOAD] = 1 << GPC_ORDER_WEAK | 1 << GPC_ORDER_RELAXED | 1 << GPC_ORDER_ACQUIRE,
    [GPC_STORE] = 1 << GPC_ORDER_WEAK | 1 << GPC_ORDER_RELAXED | 1 << GPC_ORDER_RELEASE,
    [GPC_ATOMIC] = 1 << GPC_ORDER_WEAK | 1 << GPC_ORDER_RELAXED | 1 << GPC_ORDER_ACQUIRE | 1 << GPC_ORDER_RELEASE |
                   1 << GPC_ORDER_ACQ_REL,
    [GPC_REDUCTION] = 1 << GPC_ORDER_WEAK | 1 << GPC_ORDER_RELAXED | 1 << GPC_ORDER_RELEASE,
    [GPC_PREFETCH] = 1 << GPC_ORDER_WEAK,
};

/* True for a load that L1 may not serve: threads of the load's scope may run on other SMs, and do not use this L1. */
static bool is_wide_load(const gpc_warp_access *access) {
    return access->kind == GPC_LOAD && access->order != GPC_ORDER_WEAK && access->scope != GPC_SCOPE_CTA;
}

/* Reason why the memory order or scope of an access is invalid; NULL: valid. `kind` and `hint` must be in range. */
static GPCI_NOINLINE const char *wrong_order(const gpc_hierarchy *hierarchy, const gpc_warp_access *access) {
    if (access->scope >= GPC_SCOPE_COUNT)
        return "scope is out of range";
    if (access->order >= GPC_ORDER_COUNT)
        return "order is out of range";
    if (!(orders_of[access->kind] >> access->order & 1))
        return "order is one that an access of this kind cannot have";
    if (access->order == GPC_ORDER_WEAK && access->scope != GPC_SCOPE_CTA)
        return "scope is given, but an access of order WEAK has none";
    if (is_wide_load(access) && access->hint == GPC_HINT_CA)
        return "hint CA contradicts order and scope: others of this scope do not see what L1 holds";
    if (hierarchy->lane_packets && access->order > GPC_ORDER_RELAXED)
        return "order is above RELAXED, which l1.coalescer = multi2sim does not know";
    return NULL;
}

/* Reason why an access's values are invalid; NULL: valid. */
static const char *wrong_values(const gpc_hierarchy *hierarchy, const gpc_warp_access *access) {
    if (!hierarchy->with_data)
        return "bytes or out is given, without coherence.data";
    if (access->bytes && (access->kind == GPC_LOAD || access->kind == GPC_PREFETCH))
        return "bytes is given, but an access of this kind writes none";
    if (access->out && access->kind != GPC_LOAD && (access->kind != GPC_ATOMIC || !access->atomic))
        return "out is given, but an access of this kind tells none";
    if (access->compare && access->atomic != GPC_OP_COMPARE_SWAP)
        return "compare is given, but the operation compares nothing";
    return NULL;
}

/* Reason why an access's operation is invalid; NULL: valid. */
static const char *wrong_operation(const gpc_hierarchy *hierarchy, const gpc_warp_access *access) {
    if (access->atomic >= GPC_OP_COUNT)
        return "atomic is out of range";
    if (!hierarchy->with_data)
        return "atomic is given, without coherence.data";
    if (access->kind != GPC_ATOMIC && access->kind != GPC_REDUCTION)
        return "atomic is given, but an access of this kind has no operation";
    if (access->width != 4 && access->width != 8)
        return "atomic is given, and width is not 4 or 8";
    const uint32_t lanes = gpci_popcount(access->mask);
    for (uint32_t lane = 0; lane < lanes; lane++)
        if (access->addresses[lane] & (access->width - 1))
            return "atomic is given, and an address is no multiple of width";
    return NULL;
}

static GPCI_NOINLINE const char *wrong_with_values(const gpc_hierarchy *hierarchy, const gpc_warp_access *access) {
    const char *wrong = access->atomic ? wrong_operation(hierarchy, access) : NULL;
    return wrong || !(access->bytes || access->out || access->compare) ? wrong : wrong_values(hierarchy, access);
}

/* Reason why an asynchronous copy is invalid; NULL: valid. */
static GPCI_NOINLINE const char *wrong_copy(const gpc_hierarchy *hierarchy, const gpc_warp_access *access) {
    if (access->copy == GPC_COPY_BULK)
        return gpci_bulk_wrong(hierarchy, access);
    if (gpci_is_multicast(access))
        return "multicast is given, and copy is not BULK";
    if (access->copy != GPC_COPY_ASYNC)
        return "copy is neither NONE, ASYNC nor BULK";
    if (access->kind != GPC_LOAD || access->space != GPC_SPACE_GLOBAL)
        return "copy is ASYNC, but the access is no load of global memory";
    if (access->width != 4 && access->width != 8 && access->width != 16)
        return "copy is ASYNC, and width is not 4, 8 or 16";
    if (access->order != GPC_ORDER_WEAK)
        return "copy is ASYNC, and order is not WEAK";
    return access->out ? "copy is ASYNC, and out is given: what it reads goes into shared memory" : NULL;
}

/* Reason why an access by offsets (local_offsets), or a copy, is invalid; NULL: valid. */
static GPCI_COLD const char *wrong_way(const gpc_hierarchy *hierarchy, const gpc_warp_access *access) {
    const char *wrong = access->local_offsets ? gpci_local_wrong(hierarchy, access) : NULL;
    return wrong || !(access->copy || gpci_is_multicast(access)) ? wrong : wrong_copy(hierarchy, access);
}

/* True if the access carries values or an operation. */
static bool has_values(const gpc_warp_access *access) {
    return ((uintptr_t)access->bytes | (uintptr_t)access->out | (uintptr_t)access->compare | access->atomic) != 0;
}

/* Set the age of the access's warp. False: the warp does not run. */
static GPCI_COLD bool rank(const gpc_hierarchy *hierarchy, gpc_warp_access *access) {
    access->warp_age = gpci_warp_rank(hierarchy, access->sm, access->warp);
    return access->warp_age != GPCI_NOT_RUNNING;
}

/* Largest width of an access: bytes per lane, or, for a bulk copy, bytes per row. */
static uint32_t most_width(const gpc_warp_access *access) {
    return access->copy == GPC_COPY_BULK ? GPCI_BULK_MOST_BYTES : 64;
}

const char *gpci_process_wrong(const gpc_hierarchy *hierarchy, uint8_t process, uint64_t address, uint64_t bytes) {
    const uint64_t end = (uint64_t)1 << GPC_PROCESS_SHIFT;
    if (process >= GPC_PROCESSES)
        return "process is not below 128";
    if ((process || hierarchy->processes) && (address >= end || bytes > end - address))
        return process ? "an address is beyond the 57 bits that those of a process above 0 have"
                       : "an address is beyond the 57 bits that those of a hierarchy with several processes have";
    return NULL;
}

const char *gpci_access_wrong_process(const gpc_hierarchy *hierarchy, const gpc_warp_access *access) {
    const uint32_t lanes = access->local_offsets ? 0 : gpci_popcount(access->mask);
    const char *wrong = gpci_process_wrong(hierarchy, access->process, 0, 0);
    for (uint32_t i = 0; i < lanes && !wrong; i++)
        wrong = gpci_process_wrong(hierarchy, access->process, access->addresses[i], access->width);
    return wrong;
}

/* Error text about the first field that gpci_access_check rejects. */
static const char *what_is_wrong(const gpc_hierarchy *hierarchy, const gpc_warp_access *access) {
    const struct {
        bool wrong;
        const char *what;
    } fields[] = {
        {access->sm >= hierarchy->sms, "sm is not below sm.count"},
        {!access->width || access->width > most_width(access),
         access->copy == GPC_COPY_BULK ? "width is not 1 to 65536" : "width is not 1 to 64"},
        {access->kind >= GPC_KIND_COUNT, "kind is out of range"},
        {access->space == GPC_SPACE_INSTRUCTION,
         "space is INSTRUCTION, which no warp's instruction reads; a miss of a host's cache of code enters below L1, "
         "by gpc_hierarchy_try_miss"},
        {access->space == GPC_SPACE_MIXED,
         "space is MIXED, which is for instructions of traces: an access has one space"},
        {access->space >= GPC_SPACE_COUNT, "space is out of range"},
        {access->hint >= GPC_HINT_COUNT, "hint is out of range"},
        {access->priority >= GPC_PRIORITY_COUNT, "priority is out of range"},
        {access->token >= GPC_TOKEN_COUNT, "token is out of range"},
        {access->token_l2 >= GPC_TOKEN_COUNT, "token_l2 is out of range"},
        {access->stream >= hierarchy->streams, "stream is not below the key streams"},
        {access->mask && !access->addresses, "addresses is NULL, but mask has lanes"},
        {hierarchy->lanes < 64 && access->mask >> hierarchy->lanes,
         "mask has lanes that a warp of this hierarchy does not have"},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].wrong)
            return fields[i].what;
    if (hierarchy->warp_ranks && gpci_warp_rank(hierarchy, access->sm, access->warp) == GPCI_NOT_RUNNING)
        return "warp has not started, or has exited (gpc_hierarchy_rank_warps)";
    const char *process = gpci_access_wrong_process(hierarchy, access);
    if (process)
        return process;
    const char *values = has_values(access) ? wrong_with_values(hierarchy, access) : NULL,
               *way = values ? NULL : wrong_way(hierarchy, access);
    return values ? values : way ? way : wrong_order(hierarchy, access);
}

static GPCI_COLD gpc_status refuse(const gpc_hierarchy *hierarchy, const gpc_warp_access *access, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_warp_access: %s", what_is_wrong(hierarchy, access));
}

gpc_status gpci_access_check(const gpc_hierarchy *hierarchy, gpc_warp_access *access, gpc_error *error) {
    if (access->sm >= hierarchy->sms || !access->width || access->width > most_width(access) ||
        access->kind >= GPC_KIND_COUNT || (access->space > GPC_SPACE_NONE && access->space != GPC_SPACE_CLUSTER) ||
        access->hint >= GPC_HINT_COUNT || access->priority >= GPC_PRIORITY_COUNT || access->token >= GPC_TOKEN_COUNT ||
        access->token_l2 >= GPC_TOKEN_COUNT || access->stream >= hierarchy->streams ||
        (access->mask && !access->addresses) || (hierarchy->lanes < 64 && access->mask >> hierarchy->lanes))
        return refuse(hierarchy, access, error);
    if (GPCI_UNLIKELY(has_values(access)) && wrong_with_values(hierarchy, access))
        return refuse(hierarchy, access, error);
    if (GPCI_UNLIKELY(hierarchy->warp_ranks != NULL) && !rank(hierarchy, access))
        return refuse(hierarchy, access, error);
    if (GPCI_UNLIKELY(access->copy | access->local_offsets || gpci_is_multicast(access)) &&
        wrong_way(hierarchy, access))
        return refuse(hierarchy, access, error);
    return GPCI_UNLIKELY(access->scope | access->order) && wrong_order(hierarchy, access)
               ? refuse(hierarchy, access, error)
               : GPC_OK;
}

/* Cache hint for the levels. A load of is_wide_load gets a hint to bypass L1. */
static uint8_t hint_of(const gpc_warp_access *access) {
    if (GPCI_LIKELY(access->order == GPC_ORDER_WEAK) || !is_wide_load(access) || access->hint == GPC_HINT_CG ||
        access->hint == GPC_HINT_CV || access->hint == GPC_HINT_NO_ALLOCATE)
        return access->hint;
    return access->scope == GPC_SCOPE_SYS ? GPC_HINT_CV : GPC_HINT_CG;
}

/* Sums over the lines of an instruction. */
typedef struct sums {
    /* segments: touched segments. moved: all segments of the touched sectors. used: touched bytes. lines: distinct. */
    uint32_t segments, moved, used, lines;
} sums;

/* Sum up the lines of an instruction. `range`: see gpci_access_lines. `l1`: L1's level; NULL: the lines bypass L1. */
static sums sum_up(const gpci_transaction *lines, uint32_t count, uint32_t range, const gpci_level *l1) {
    sums sum = {.used = range};
    for (uint32_t i = 0; i < count; i++) {
        uint8_t segments = lines[i].segments;
        sum.segments += gpci_count_sectors(segments);
        sum.moved += gpci_count_sectors(l1 ? l1->segments_of[l1->sectors_of[segments]] : segments);
        sum.used += range ? 0 : gpci_transaction_bytes(&lines[i]);
        sum.lines += !lines[i].follows;
    }
    return sum;
}

static GPCI_COLD void count_stream(const gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint32_t count,
                                   sums sum) {
    gpci_stream_counts *counts = gpci_stream_of(hierarchy, access->sm, access->stream);
    const bool load = access->kind == GPC_LOAD, store = access->kind == GPC_STORE,
               atomic = access->kind == GPC_ATOMIC || access->kind == GPC_REDUCTION;
    counts->l1_load_requests += load;
    counts->l1_load_lines += load ? count : 0;
    counts->l1_touched_lines += load ? sum.lines : 0;
    counts->l1_load_sectors += load ? sum.segments : 0;
    counts->l1_store_requests += store;
    counts->l1_store_sectors += store ? sum.segments : 0;
    counts->l1_atomic_requests += atomic;
    counts->l1_atomic_sectors += atomic ? sum.segments : 0;
}

static void count_lines(gpc_hierarchy *hierarchy, uint32_t sm, uint8_t kind, uint32_t count, sums sum) {
    gpci_sm_counts *counts = &hierarchy->of_sm[sm];
    switch (kind) {
    case GPC_LOAD:
        counts->l1_load_requests++;
        counts->l1_load_lines += count;
        counts->l1_touched_lines += sum.lines;
        counts->l1_load_sectors += sum.segments;
        counts->l1_load_bytes_used += sum.used;
        counts->l1_load_bytes_moved += (uint64_t)sum.moved * GPCI_SEGMENT;
        counts->l1_transactions_per_load[count < GPC_TRANSACTION_BUCKETS ? count : GPC_TRANSACTION_BUCKETS - 1]++;
        break;
    case GPC_STORE:
        counts->l1_store_requests++;
        counts->l1_store_sectors += sum.segments;
        break;
    case GPC_ATOMIC:
    case GPC_REDUCTION:
        counts->l1_atomic_requests++;
        counts->l1_atomic_sectors += sum.segments;
        break;
    default:
        break;
    }
}

#ifdef GPCI_CHECK
void gpci_access_count_unserved(gpc_hierarchy *hierarchy, const gpc_request *request, const gpci_transaction *lines,
                                uint32_t count) {
    gpc_stats *stats = &hierarchy->of_sm[request->sm].again;
    const bool passes = gpci_copy_passes(request->copy, request->hint);
    const gpci_level *l1 = gpci_passes_l1(hierarchy, request->space) && !passes ? &hierarchy->l1_level : NULL;
    for (uint32_t i = 0; i < count && request->kind == GPC_LOAD; i++) {
        const uint8_t segments = lines[i].segments;
        stats->l1_touched_lines += !lines[i].follows;
        stats->l1_load_bytes_used += gpci_transaction_bytes(&lines[i]);
        stats->l1_load_bytes_moved +=
            GPCI_SEGMENT * gpci_count_sectors(l1 ? l1->segments_of[l1->sectors_of[segments]] : segments);
    }
}

void gpci_access_count_again(gpc_hierarchy *hierarchy, const gpc_request *request, const gpci_transaction *line) {
    gpc_stats *stats = &hierarchy->of_sm[request->sm].again;
    const uint32_t sectors = gpci_count_sectors(line->segments);
    const bool passes = gpci_copy_passes(request->copy, request->hint), copies = request->copy == GPC_COPY_ASYNC;
    if (request->kind != GPC_LOAD)
        return;
    gpci_access_count_unserved(hierarchy, request, line, 1);
    /* the ledger compares the sum of misses and hits: each second count is the number of all lines */
    stats->l1_load_line_misses++;
    stats->l1_hits_by_age[0]++;
    stats->l1_copy_sectors += copies ? sectors : 0;
    stats->l1_copy_passed_sectors += passes ? sectors : 0;
}
#endif

static unsigned line_shift(const gpc_hierarchy *hierarchy) {
    return (hierarchy->has_l1 ? hierarchy->l1_level.line_shift : hierarchy->l2_level.line_shift) +
           gpci_log2(hierarchy->line_blocks);
}

static GPCI_NOINLINE uint32_t split_or_local(const gpc_hierarchy *hierarchy, const gpc_warp_access *access,
                                             gpci_transaction *lines) {
    return access->local_offsets
               ? gpci_local_lines(hierarchy, access, hierarchy->lane_packets, line_shift(hierarchy), lines)
               : gpci_split(access->addresses, gpci_popcount(access->mask), access->width, line_shift(hierarchy),
                            lines);
}

uint32_t gpci_access_touches(const gpc_hierarchy *hierarchy, const gpc_warp_access *access, gpci_transaction *lines) {
    if (GPCI_UNLIKELY(hierarchy->lane_packets | access->local_offsets))
        return split_or_local(hierarchy, access, lines);
    return gpci_coalesce(access->addresses, gpci_popcount(access->mask), access->width, line_shift(hierarchy), lines);
}

GPCI_INLINE uint32_t begin(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint32_t range,
                           gpci_transaction *lines, uint32_t count, gpc_request *request, uint32_t *out_segments) {
    *request = gpci_access_request(hierarchy, access, count);
    request->hint = hint_of(access);
    const uint32_t all_lines = count;
    if (GPCI_UNLIKELY(hierarchy->line_blocks > 1))
        count = gpci_divide(lines, count, line_shift(hierarchy), hierarchy->line_blocks);
    const bool passes = gpci_copy_passes(access->copy, access->hint);
    sums sum =
        sum_up(lines, count, range, gpci_passes_l1(hierarchy, access->space) && !passes ? &hierarchy->l1_level : NULL);
    count_lines(hierarchy, access->sm, access->kind, all_lines, sum);
    if (GPCI_UNLIKELY(hierarchy->of_stream != NULL))
        count_stream(hierarchy, access, all_lines, sum);
    if (GPCI_UNLIKELY(access->copy != GPC_COPY_NONE))
        gpci_count_l1_copy(hierarchy, access->sm, sum.segments, passes);
    *out_segments = sum.segments;
    return count;
}

uint32_t gpci_access_lines(gpc_hierarchy *hierarchy, const gpc_warp_access *access, uint32_t range,
                           gpci_transaction *lines, gpc_request *request, uint32_t *out_segments) {
    uint32_t count = range ? gpci_coalesce_range(access->addresses[0], range, line_shift(hierarchy), lines)
                           : gpci_access_touches(hierarchy, access, lines);
    if (GPCI_UNLIKELY(hierarchy->line_order) && count > 1)
        gpci_order_lines((gpci_line_order)hierarchy->line_order, &hierarchy->tag_banks, lines, count);
    if (GPCI_UNLIKELY(hierarchy->sector_packets))
        count = gpci_split_by_sector(lines, count);
    return begin(hierarchy, access, range, lines, count, request, out_segments);
}

void gpci_given_lines(gpc_hierarchy *hierarchy, const gpc_warp_access *access, gpci_transaction *lines, uint32_t count,
                      gpc_request *request, uint32_t *out_segments) {
    begin(hierarchy, access, 0, lines, count, request, out_segments);
}
