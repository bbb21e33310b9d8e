/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/access/warp_access.h"

#include "level/access/bulk.h"
#include "level/access/fence.h"
#include "level/access/local_memory.h"
#include "level/access/warp_ranks.h"
#include "level/rules/kernels.h"
#include "level/rules/level_count.h"

#include <stddef.h>

/* Checks, coalescing and counting of a warp instruction. */

gpc_status gpci_access_take(const gpc_warp_access *access, gpc_error *error, gpc_warp_access *out) {
    *out = (gpc_warp_access)GPC_WARP_ACCESS_INIT;
    return gpci_take(out, sizeof *out, offsetof(gpc_warp_access, bytes), access, "gpc_warp_access", error);
}

/* Orders allowed for a kind of access: bit per order. */
static const uint8_t orders_of[GPC_KIND_COUNT] = {
    [GPC_LOAD] = 1 << GPC_ORDER_WEAK | 1 << GPC_ORDER_RELAXED | 1 << GPC_ORDER_ACQUIRE,
    [GPC_STORE] = 1 << GPC_ORDER_WEAK | 1 << GPC_ORDER_RELAXED | 1 << GPC_ORDER_RELEASE,
    [GPC_ATOMIC] = 1 << GPC_ORDER_WEAK | 1 << GPC_ORDER_RELAXED | 1 << GPC_ORDER_ACQUIRE | 1 << GPC_ORDER_RELEASE |
                   1 << GPC_ORDER_ACQ_REL,
    [GPC_REDUCTION] = 1 << GPC_ORDER_WEAK | 1 << GPC_ORDER_RELAXED | 1 << GPC_ORDER_RELEASE,
    [GPC_PREFETCH] = 1 << GPC_ORDER_WEAK,
};

/* True for a load that L1 may not serve: other threads of its scope do not see this L1. */
static bool is_wide_load(const gpc_warp_access *w) {
    return w->kind == GPC_LOAD && w->order != GPC_ORDER_WEAK && w->scope != GPC_SCOPE_CTA;
}

/* Reason why an access's order is invalid; NULL: valid. Kind and hint are in range. */
static GPCI_NOINLINE const char *wrong_order(const gpc_hierarchy *h, const gpc_warp_access *w) {
    if (w->scope >= GPC_SCOPE_COUNT)
        return "scope is out of range";
    if (w->order >= GPC_ORDER_COUNT)
        return "order is out of range";
    if (!(orders_of[w->kind] >> w->order & 1))
        return "order is one that an access of this kind cannot have";
    if (w->order == GPC_ORDER_WEAK && w->scope != GPC_SCOPE_CTA)
        return "scope is given, but an access of order WEAK has none";
    if (is_wide_load(w) && w->hint == GPC_HINT_CA)
        return "hint CA contradicts order and scope: others of this scope do not see what L1 holds";
    if (h->lane_packets && w->order > GPC_ORDER_RELAXED)
        return "order is above RELAXED, which l1.coalescer = multi2sim does not know";
    return NULL;
}

/* Reason why an access's values are invalid; NULL: valid. */
static const char *wrong_values(const gpc_hierarchy *h, const gpc_warp_access *w) {
    if (!h->with_data)
        return "bytes or out is given, without coherence.data";
    if (w->bytes && (w->kind == GPC_LOAD || w->kind == GPC_PREFETCH))
        return "bytes is given, but an access of this kind writes none";
    if (w->out && w->kind != GPC_LOAD && (w->kind != GPC_ATOMIC || !w->atomic))
        return "out is given, but an access of this kind tells none";
    if (w->compare && w->atomic != GPC_OP_COMPARE_SWAP)
        return "compare is given, but the operation compares nothing";
    return NULL;
}

/* Reason why an access's operation is invalid; NULL: valid. */
static const char *wrong_operation(const gpc_hierarchy *h, const gpc_warp_access *w) {
    if (w->atomic >= GPC_OP_COUNT)
        return "atomic is out of range";
    if (!h->with_data)
        return "atomic is given, without coherence.data";
    if (w->kind != GPC_ATOMIC && w->kind != GPC_REDUCTION)
        return "atomic is given, but an access of this kind has no operation";
    if (w->width != 4 && w->width != 8)
        return "atomic is given, and width is not 4 or 8";
    const uint32_t lanes = gpci_popcount(w->mask);
    for (uint32_t lane = 0; lane < lanes; lane++)
        if (w->addresses[lane] & (w->width - 1))
            return "atomic is given, and an address is no multiple of width";
    return NULL;
}

static GPCI_NOINLINE const char *wrong_with_values(const gpc_hierarchy *h, const gpc_warp_access *w) {
    const char *wrong = w->atomic ? wrong_operation(h, w) : NULL;
    return wrong || !(w->bytes || w->out || w->compare) ? wrong : wrong_values(h, w);
}

/* Reason why an asynchronous copy is invalid; NULL: valid. */
static GPCI_NOINLINE const char *wrong_copy(const gpc_hierarchy *h, const gpc_warp_access *w) {
    if (w->copy == GPC_COPY_BULK)
        return gpci_bulk_wrong(h, w);
    if (gpci_is_multicast(w))
        return "multicast is given, and copy is not BULK";
    if (w->copy != GPC_COPY_ASYNC)
        return "copy is neither NONE, ASYNC nor BULK";
    if (w->kind != GPC_LOAD || w->space != GPC_SPACE_GLOBAL)
        return "copy is ASYNC, but the access is no load of global memory";
    if (w->width != 4 && w->width != 8 && w->width != 16)
        return "copy is ASYNC, and width is not 4, 8 or 16";
    if (w->order != GPC_ORDER_WEAK)
        return "copy is ASYNC, and order is not WEAK";
    return w->out ? "copy is ASYNC, and out is given: what it reads goes into shared memory" : NULL;
}

/* Reason why an access by offsets of threads, or a copy, is invalid; NULL: valid. */
static GPCI_COLD const char *wrong_way(const gpc_hierarchy *h, const gpc_warp_access *w) {
    const char *wrong = w->local_offsets ? gpci_local_wrong(h, w) : NULL;
    return wrong || !(w->copy || gpci_is_multicast(w)) ? wrong : wrong_copy(h, w);
}

/* True if the access carries values or an operation. */
static bool has_values(const gpc_warp_access *w) {
    return ((uintptr_t)w->bytes | (uintptr_t)w->out | (uintptr_t)w->compare | w->atomic) != 0;
}

/* Set the age of the warp; false: the warp does not run. */
static GPCI_COLD bool rank(const gpc_hierarchy *h, gpc_warp_access *w) {
    w->warp_age = gpci_warp_rank(h, w->sm, w->warp);
    return w->warp_age != GPCI_NOT_RUNNING;
}

/* Largest width of a lane; for a bulk copy, of a row. */
static uint32_t most_width(const gpc_warp_access *w) {
    return w->copy == GPC_COPY_BULK ? GPCI_BULK_MOST_BYTES : 64;
}

gpc_status gpci_access_check(const gpc_hierarchy *h, gpc_warp_access *w) {
    if (w->sm >= h->sms || !w->width || w->width > most_width(w) || w->kind >= GPC_KIND_COUNT ||
        (w->space > GPC_SPACE_NONE && w->space != GPC_SPACE_CLUSTER) || w->hint >= GPC_HINT_COUNT ||
        w->priority >= GPC_PRIORITY_COUNT || w->token >= GPC_TOKEN_COUNT || w->token_l2 >= GPC_TOKEN_COUNT ||
        w->stream >= h->streams || (w->mask && !w->addresses) || (h->lanes < 64 && w->mask >> h->lanes))
        return GPC_ERROR_ARGUMENT;
    if (GPCI_UNLIKELY(has_values(w)) && wrong_with_values(h, w))
        return GPC_ERROR_ARGUMENT;
    if (GPCI_UNLIKELY(h->warp_ranks != NULL) && !rank(h, w))
        return GPC_ERROR_ARGUMENT;
    if (GPCI_UNLIKELY(w->copy | w->local_offsets || gpci_is_multicast(w)) && wrong_way(h, w))
        return GPC_ERROR_ARGUMENT;
    return GPCI_UNLIKELY(w->scope | w->order) && wrong_order(h, w) ? GPC_ERROR_ARGUMENT : GPC_OK;
}

const char *gpci_process_wrong(const gpc_hierarchy *h, uint8_t process, uint64_t address, uint64_t bytes) {
    const uint64_t end = (uint64_t)1 << GPC_PROCESS_SHIFT;
    if (process >= GPC_PROCESSES)
        return "process is not below 128";
    if ((process || h->processes) && (address >= end || bytes > end - address))
        return process ? "an address is beyond the 57 bits that those of a process above 0 have"
                       : "an address is beyond the 57 bits that those of a hierarchy with several processes have";
    return NULL;
}

const char *gpci_access_wrong_process(const gpc_hierarchy *h, const gpc_warp_access *w) {
    const uint32_t lanes = w->local_offsets ? 0 : gpci_popcount(w->mask);
    const char *wrong = gpci_process_wrong(h, w->process, 0, 0);
    for (uint32_t i = 0; i < lanes && !wrong; i++)
        wrong = gpci_process_wrong(h, w->process, w->addresses[i], w->width);
    return wrong;
}

/* First field rejected by gpci_access_check, as a sentence. */
static const char *what_is_wrong(const gpc_hierarchy *h, const gpc_warp_access *w) {
    const struct {
        bool wrong;
        const char *what;
    } fields[] = {
        {w->sm >= h->sms, "sm is not below sm.count"},
        {!w->width || w->width > most_width(w),
         w->copy == GPC_COPY_BULK ? "width is not 1 to 65536" : "width is not 1 to 64"},
        {w->kind >= GPC_KIND_COUNT, "kind is out of range"},
        {w->space == GPC_SPACE_INSTRUCTION,
         "space is INSTRUCTION, which no warp's instruction reads; a miss of a host's cache of code enters below L1, "
         "by gpc_hierarchy_try_miss"},
        {w->space == GPC_SPACE_MIXED, "space is MIXED, which is for instructions of traces: an access has one space"},
        {w->space >= GPC_SPACE_COUNT, "space is out of range"},
        {w->hint >= GPC_HINT_COUNT, "hint is out of range"},
        {w->priority >= GPC_PRIORITY_COUNT, "priority is out of range"},
        {w->token >= GPC_TOKEN_COUNT, "token is out of range"},
        {w->token_l2 >= GPC_TOKEN_COUNT, "token_l2 is out of range"},
        {w->stream >= h->streams, "stream is not below the key streams"},
        {w->mask && !w->addresses, "addresses is NULL, but mask has lanes"},
        {h->lanes < 64 && w->mask >> h->lanes, "mask has lanes that a warp of this hierarchy does not have"},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].wrong)
            return fields[i].what;
    if (h->warp_ranks && gpci_warp_rank(h, w->sm, w->warp) == GPCI_NOT_RUNNING)
        return "warp has not started, or has exited (gpc_hierarchy_rank_warps)";
    const char *process = gpci_access_wrong_process(h, w);
    if (process)
        return process;
    const char *values = has_values(w) ? wrong_with_values(h, w) : NULL, *way = values ? NULL : wrong_way(h, w);
    return values ? values : way ? way : wrong_order(h, w);
}

gpc_status gpc_hierarchy_check_access(const gpc_hierarchy *h, const gpc_warp_access *access, gpc_error *error) {
    if (!h || !access)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_check_access: %s is NULL",
                         h ? "access" : "hierarchy");
    gpc_warp_access w;
    gpc_status status = gpci_access_take(access, error, &w);
    if (status < 0)
        return status;
    const char *wrong = what_is_wrong(h, &w);
    return wrong ? gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_warp_access: %s", wrong) : GPC_OK;
}

/* Hint seen by the levels: a strong load skips L1s that its scope does not share. */
static uint8_t hint_of(const gpc_warp_access *w) {
    if (GPCI_LIKELY(w->order == GPC_ORDER_WEAK) || !is_wide_load(w) || w->hint == GPC_HINT_CG ||
        w->hint == GPC_HINT_CV || w->hint == GPC_HINT_NO_ALLOCATE)
        return w->hint;
    return w->scope == GPC_SCOPE_SYS ? GPC_HINT_CV : GPC_HINT_CG;
}

/* Sums over the lines of an instruction. */
typedef struct sums {
    uint32_t segments, moved, used; /* moved: segments of the sectors touched; used: bytes */
} sums;

/* `range`: bytes of all lanes together if adjacent; otherwise 0. */
static sums sum_up(const gpci_transaction *lines, uint32_t count, uint32_t range, const gpci_level *l1) {
    sums sum = {.used = range};
    for (uint32_t i = 0; i < count; i++) {
        uint8_t segments = lines[i].segments;
        sum.segments += gpci_count_sectors(segments);
        sum.moved += gpci_count_sectors(l1 ? l1->segments_of[l1->sectors_of[segments]] : segments);
        sum.used += range ? 0 : gpci_transaction_bytes(&lines[i]);
    }
    return sum;
}

static GPCI_COLD void count_stream(const gpc_hierarchy *h, const gpc_warp_access *w, uint32_t count, sums sum) {
    gpci_stream_counts *c = gpci_stream_of(h, w->sm, w->stream);
    const bool load = w->kind == GPC_LOAD, store = w->kind == GPC_STORE,
               atomic = w->kind == GPC_ATOMIC || w->kind == GPC_REDUCTION;
    c->l1_load_requests += load;
    c->l1_load_lines += load ? count : 0;
    c->l1_load_sectors += load ? sum.segments : 0;
    c->l1_store_requests += store;
    c->l1_store_sectors += store ? sum.segments : 0;
    c->l1_atomic_requests += atomic;
    c->l1_atomic_sectors += atomic ? sum.segments : 0;
}

static void count_lines(gpc_hierarchy *h, uint32_t sm, uint8_t kind, uint32_t count, sums sum) {
    gpci_sm_counts *c = &h->of_sm[sm];
    switch (kind) {
    case GPC_LOAD:
        c->l1_load_requests++;
        c->l1_load_lines += count;
        c->l1_load_sectors += sum.segments;
        c->l1_load_bytes_used += sum.used;
        c->l1_load_bytes_moved += (uint64_t)sum.moved * GPCI_SEGMENT;
        c->l1_transactions_per_load[count < GPC_TRANSACTION_BUCKETS ? count : GPC_TRANSACTION_BUCKETS - 1]++;
        break;
    case GPC_STORE:
        c->l1_store_requests++;
        c->l1_store_sectors += sum.segments;
        break;
    case GPC_ATOMIC:
    case GPC_REDUCTION:
        c->l1_atomic_requests++;
        c->l1_atomic_sectors += sum.segments;
        break;
    default:
        break;
    }
}

static unsigned line_shift(const gpc_hierarchy *h) {
    return (h->has_l1 ? h->l1_level.line_shift : h->l2_level.line_shift) + gpci_log2(h->line_blocks);
}

static GPCI_NOINLINE uint32_t apart_or_local(const gpc_hierarchy *h, const gpc_warp_access *w,
                                             gpci_transaction *lines) {
    return w->local_offsets ? gpci_local_lines(h, w, h->lane_packets, line_shift(h), lines)
                            : gpci_split(w->addresses, gpci_popcount(w->mask), w->width, line_shift(h), lines);
}

uint32_t gpci_access_touches(const gpc_hierarchy *h, const gpc_warp_access *w, gpci_transaction *lines) {
    if (GPCI_UNLIKELY(h->lane_packets | w->local_offsets))
        return apart_or_local(h, w, lines);
    return gpci_coalesce(w->addresses, gpci_popcount(w->mask), w->width, line_shift(h), lines);
}

GPCI_INLINE uint32_t begin(gpc_hierarchy *h, const gpc_warp_access *w, uint32_t range, gpci_transaction *lines,
                           uint32_t count, gpc_request *request, uint32_t *out_segments) {
    *request = gpci_access_request(h, w, count);
    request->hint = hint_of(w);
    const uint32_t whole = count;
    if (GPCI_UNLIKELY(h->line_blocks > 1))
        count = gpci_divide(lines, count, line_shift(h), h->line_blocks);
    const bool passes = gpci_copy_passes(w->copy, w->hint);
    sums sum = sum_up(lines, count, range, gpci_passes_l1(h, w->space) && !passes ? &h->l1_level : NULL);
    count_lines(h, w->sm, w->kind, whole, sum);
    if (GPCI_UNLIKELY(h->of_stream != NULL))
        count_stream(h, w, whole, sum);
    if (GPCI_UNLIKELY(w->copy != GPC_COPY_NONE))
        gpci_count_l1_copy(h, w->sm, sum.segments, passes);
    *out_segments = sum.segments;
    return count;
}

uint32_t gpci_access_lines(gpc_hierarchy *h, const gpc_warp_access *w, uint32_t range, gpci_transaction *lines,
                           gpc_request *request, uint32_t *out_segments) {
    uint32_t count =
        range ? gpci_coalesce_range(w->addresses[0], range, line_shift(h), lines) : gpci_access_touches(h, w, lines);
    if (GPCI_UNLIKELY(h->line_order))
        gpci_order_lines((gpci_line_order)h->line_order, &h->tag_banks, lines, count);
    if (GPCI_UNLIKELY(h->sector_packets))
        count = gpci_split_by_sector(lines, count);
    return begin(h, w, range, lines, count, request, out_segments);
}

void gpci_given_lines(gpc_hierarchy *h, const gpc_warp_access *w, gpci_transaction *lines, uint32_t count,
                      gpc_request *request, uint32_t *out_segments) {
    begin(h, w, 0, lines, count, request, out_segments);
}
