/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/ctrl/prefetch.h"

#include "level/access/local_memory.h"
#include "level/rules/level_rules.h"
#include "timed/core/timed.h"
#include "timed/pages/l1_tlb.h"

#include <string.h>

/*
 * Example, next-line, lines A, B = A + 1 and C = A + 2: a load misses A, and B is queued. In the next cycle no load
 * needs the tag port: B is absent, takes an MSHR entry and goes below. A load of B before the data arrive makes B late;
 * a load afterwards, useful; if C takes the way first, B is unused.
 *
 * Addresses, also those that the policy wants, are of the controller's cache: for a slice, addresses within the slice.
 */

/* Level-specific settings. */
typedef struct prefetch_level {
    const char *name;
    gpci_key policy, queue, sectors, size;
    uint64_t seed;
} prefetch_level;

static const prefetch_level levels[] = {
    {"l1", GPCI_KEY_L1_PREFETCHER, GPCI_KEY_L1_PREFETCH_QUEUE, GPCI_KEY_L1_SECTORS, GPCI_KEY_L1_SIZE, 3},
    {"l2", GPCI_KEY_L2_PREFETCHER, GPCI_KEY_L2_PREFETCH_QUEUE, GPCI_KEY_L2_SECTORS, GPCI_KEY_L2_SIZE, 5}};

static gpc_status make_policy(gpci_timed *timed, const gpci_ctrl *ctrl, const prefetch_level *level, gpc_error *error) {
    gpci_prefetch *prefetch = gpci_prefetch_of(ctrl);
    const bool first = ctrl->level == 1;
    const gpc_policy_env env = {.line_bytes = ctrl->line->line_bytes,
                                .sectors = (uint32_t)gpci_number(timed->hierarchy, level->sectors),
                                .index = ctrl->index,
                                .count = first ? timed->hierarchy->sms : timed->hierarchy->slices,
                                .seed = level->seed};
    gpc_error detail = GPC_ERROR_INIT;
    gpc_status status = gpci_policy_create(
        timed->context, GPC_POLICY_PREFETCHER, gpci_config_text(timed->hierarchy->config, level->policy), &env,
        first ? timed->hierarchy->l1_commons : timed->hierarchy->l2_commons, &detail, &prefetch->policy);
    if (status < 0)
        return gpci_fail(error, status, "%s: %s", level->name, detail.message);
    prefetch->ops = prefetch->policy->ops;
    prefetch->self = prefetch->policy->self;
    return GPC_OK;
}

static gpc_status make(gpci_timed *timed, gpci_ctrl *ctrl, gpc_error *error) {
    const prefetch_level *level = &levels[ctrl->level - 1];
    if (!gpci_has_prefetcher(timed->hierarchy, level->policy))
        return GPC_OK;
    const uint32_t capacity = (uint32_t)gpci_number(timed->hierarchy, level->queue);
    gpci_prefetch *prefetch = gpci_zalloc(timed->context, 1, sizeof *prefetch + capacity * sizeof *prefetch->queue);
    if (!prefetch)
        return gpci_out_of_memory(error);
    gpci_part_add(ctrl, GPCI_PART_PREFETCH, &gpci_prefetch_part, prefetch);
    prefetch->capacity = capacity;
    prefetch->slots = (uint32_t)(gpci_number(timed->hierarchy, level->size) / ctrl->line->line_bytes /
                                 (ctrl->level == 1 ? 1 : timed->hierarchy->slices));
    prefetch->marks = gpci_zalloc(timed->context, prefetch->slots, sizeof *prefetch->marks);
    return prefetch->marks ? make_policy(timed, ctrl, level, error) : gpci_out_of_memory(error);
}

static void destroy(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_prefetch *prefetch = gpci_prefetch_of(ctrl);
    gpci_policy_destroy(prefetch->policy);
    gpci_free(timed->context, prefetch->marks);
    gpci_free(timed->context, prefetch);
}

static void tell(gpci_prefetch *prefetch, uint64_t address, gpc_prefetch_outcome outcome) {
    prefetch->counts.outcomes[outcome]++;
    if (prefetch->ops->on_outcome)
        prefetch->ops->on_outcome(prefetch->self, address, outcome);
}

/* Mark of a line: never 0. */
static uint32_t mark_of(const gpc_cache *cache, uint64_t address) {
    return (uint32_t)(address >> cache->line_shift) | (uint32_t)1 << 31;
}

/* A slot's mark, or NULL: a cache's size may be below sets times ways. */
static uint32_t *mark_at(gpci_prefetch *prefetch, const gpc_cache *cache, uint32_t set, uint32_t way) {
    const size_t slot = (size_t)set * cache->ways + way;
    return slot < prefetch->slots ? &prefetch->marks[slot] : NULL;
}

/* Remove a line's mark; true if marked. */
static bool unmark(gpci_prefetch *prefetch, const gpc_cache *cache, uint32_t set, uint32_t way, uint64_t address) {
    uint32_t *mark = mark_at(prefetch, cache, set, way);
    if (!mark || *mark != mark_of(cache, address))
        return false;
    *mark = 0;
    return true;
}

void gpci_prefetch_note(const gpci_timed *timed, uint32_t packet, const gpc_warp_access *access, uint32_t line) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    if (access->kind != GPC_LOAD)
        return;
    /* `bytes` are free: a load of plain caches writes no bytes */
    const uint32_t lane = gpci_lowest(access->mask);
    pkt->bytes[0] = access->local_offsets ? gpci_local_address_of(timed->hierarchy, access, lane, access->addresses[0])
                                          : access->addresses[0];
    pkt->bytes[1] = (uint64_t)line << 32 | lane;
}

static bool is_queued(const gpci_prefetch *prefetch, uint64_t address) {
    for (uint32_t i = 0; i < prefetch->count; i++)
        if (prefetch->queue[(prefetch->first + i) % prefetch->capacity].request.address == address)
            return true;
    return false;
}

/* The line of an address. */
static uint64_t line_of(const gpci_ctrl *ctrl, uint64_t address) {
    return address & ~(uint64_t)(ctrl->line->line_bytes - 1);
}

static void ask(gpci_prefetch *prefetch, const gpci_ctrl *ctrl, const gpci_packet *load, const gpc_prefetch *wanted) {
    const gpci_level *level = ctrl->line;
    const uint64_t address = line_of(ctrl, wanted->address);
    const uint8_t own = ctrl->rules->own_lines ? load->segments : level->segments_of[load->request.sector_mask],
                  segments = wanted->sectors
                                 ? level->segments_of[wanted->sectors & level->sectors_of[level->all_segments]]
                                 : own;
    if (is_queued(prefetch, address)) {
        tell(prefetch, address, GPC_PREFETCH_REDUNDANT);
        return;
    }
    if (prefetch->count == prefetch->capacity || !segments) {
        tell(prefetch, address, GPC_PREFETCH_DROPPED);
        return;
    }
    gpci_prefetch_entry *entry = &prefetch->queue[(prefetch->first + prefetch->count++) % prefetch->capacity];
    *entry = (gpci_prefetch_entry){.request = gpci_request_inherit(&load->request), .segments = segments};
    entry->request.address = address;
    entry->request.kind = GPC_PREFETCH;
    entry->request.sector_mask = level->sectors_of[segments];
    if (ctrl->level == 1)
        return;
    entry->request.copy = GPC_COPY_NONE;
    if (ctrl->timed->hierarchy->window.bytes)
        entry->request.priority = load->priority; /* the window sets the priority by line */
}

/* True for the first load of a prefetched line. */
static bool claims(const gpci_timed *timed, gpci_prefetch *prefetch, const gpci_ctrl *ctrl, const gpci_packet *load,
                   const gpci_tag_access *tag_access) {
    const gpc_access_result *result = &tag_access->result;
    const uint64_t address = line_of(ctrl, load->request.address);
    if (result->hit_sectors && result->way != GPCI_NO_WAY &&
        unmark(prefetch, ctrl->cache, result->set, result->way, address)) {
        tell(prefetch, address, GPC_PREFETCH_USEFUL);
        return true;
    }
    if (tag_access->mshr_entry == GPCI_NO_PACKET)
        return false;
    gpci_packet *mshr_entry = gpci_packet_at(&timed->pool, tag_access->mshr_entry);
    if (!gpci_prefetch_is_own(ctrl, mshr_entry) || mshr_entry->flags & GPCI_PACKET_LATE)
        return false;
    mshr_entry->flags |= GPCI_PACKET_LATE;
    tell(prefetch, address, GPC_PREFETCH_LATE);
    return true;
}

/* Step the controller again, in the next cycle of the controller's clock. */
static void again(gpci_timed *timed, const gpci_ctrl *ctrl) {
    const gpci_clock clock = ctrl->options->clock;
    gpci_wheel_wake(&timed->wheel, ctrl->component,
                    gpci_clock_core(clock, gpci_clock_own(clock, timed->wheel.now) + 1));
}

static void train(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *load, const gpci_tag_access *access,
                  bool found) {
    gpci_prefetch *prefetch = gpci_prefetch_of(ctrl);
    const bool first = ctrl->level == 1;
    gpc_prefetch wanted[GPC_MAX_PREFETCHES] = {{0}};
    gpc_request request = load->request;
    memset(request.reserved, 0, sizeof request.reserved); /* a packet's fields, not for prefetchers */
    request.address = line_of(ctrl, request.address);
    gpc_prefetch_access prefetch_access = {
        .request = &request,
        .lane_address = first ? load->bytes[0] : load->request.address + gpci_lowest(load->segments) * GPCI_SEGMENT,
        .lane = first ? (uint32_t)load->bytes[1] : 0,
        .line = first ? (uint32_t)(load->bytes[1] >> 32) : 0,
        .sectors = request.sector_mask,
        .found = (uint8_t)(access->result.outcome == GPC_HIT ? GPC_PREFETCH_FOUND_HIT
                           : found                           ? GPC_PREFETCH_FOUND_FLIGHT
                                                             : GPC_PREFETCH_FOUND_MISS),
        .level = ctrl->level};
    prefetch_access.prefetched = claims(timed, prefetch, ctrl, load, access);
    uint32_t count = prefetch->ops->on_access(prefetch->self, &prefetch_access, wanted);
    count = count < GPC_MAX_PREFETCHES ? count : GPC_MAX_PREFETCHES;
    GPCI_AGAIN(prefetch->counts.asked += count);
    for (uint32_t i = 0; i < count; i++)
        ask(prefetch, ctrl, load, &wanted[i]);
    if (prefetch->count)
        again(timed, ctrl);
}

static bool is_there(const gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_prefetch_entry *entry) {
    gpc_line line;
    if (gpci_mshr_find(timed, ctrl, entry->request.address) != GPCI_NO_PACKET)
        return true;
    return gpci_line_of(ctrl->cache, entry->request.address, &line) &&
           !(entry->request.sector_mask & ~line.valid_sectors);
}

/* Line of a prefetch: address as seen by the host. remote: a slice must ask the other partition for the line. */
typedef struct prefetch_place {
    uint64_t address;
    bool remote, exists;
} prefetch_place;

static bool is_of_process(const gpc_hierarchy *hierarchy, const gpci_prefetch_entry *entry, uint64_t address) {
    return gpci_process_of(hierarchy, address) == entry->request.process;
}

static prefetch_place place_of(const gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_prefetch_entry *entry) {
    const gpc_hierarchy *hierarchy = timed->hierarchy;
    prefetch_place place = {.address = entry->request.address,
                            .exists = is_of_process(hierarchy, entry, entry->request.address)};
    if (ctrl->level == 1)
        return place;
    place.address = gpci_l2_host_address(hierarchy, ctrl->index, entry->request.address);
    /* false: beyond the slice's last line, or no line of the slice by address.mapping, or a line of another process */
    const gpci_l2_place back = gpci_l2_place_of(hierarchy, place.address);
    place.exists = back.inner == entry->request.address &&
                   back.slice == ctrl->index % hierarchy->slices_per_partition &&
                   is_of_process(hierarchy, entry, place.address);
    place.remote = ctrl->networks.peer_requests && !gpci_l2_is_home(hierarchy, ctrl->index, place.address);
    return place;
}

/*
 * Send the first prefetch of the queue below. False: the controller does not take the prefetch, and the prefetch ends.
 * Room for a packet exists (gpci_lines_to_begin).
 */
static bool send(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_prefetch_entry *entry, prefetch_place place) {
    gpci_tag_access access = {.reason = GPC_BUSY_NOT};
    if (!place.exists)
        return false;
    const uint32_t number = gpci_pool_take(&timed->pool);
    gpci_packet *packet = gpci_packet_at(&timed->pool, number);
    *packet = (gpci_packet){.request = entry->request,
                            .address = place.address,
                            .line = {.inflight = UINT32_MAX, .kind = GPC_PREFETCH, .missed = entry->segments},
                            .segments = entry->segments,
                            .level = ctrl->level,
                            .flags = ctrl->level == 1 ? 0 : GPCI_PACKET_POSTED,
                            .born = timed->wheel.now};
    if (ctrl->level == 2)
        gpci_l2_window(timed->hierarchy, place.address, &packet->request);
    if (GPCI_UNLIKELY(timed->log != NULL))
        *gpci_label_take(&timed->pool, number) = (gpci_packet_label){.id = ++timed->log->packets, .kind = GPC_PREFETCH};
    gpci_ctrl_look(timed, ctrl, packet, &access);
    gpci_log_lookup(timed, ctrl, packet, &access);
    if (access.result.outcome != GPC_BYPASSED && !access.declined &&
        gpci_ctrl_settle(timed, ctrl, number, &access, place.remote) == GPCI_WAITING)
        return true;
    gpci_pool_give(&timed->pool, number);
    return false;
}

/*
 * True if a prefetch must wait for resources needed by loads. The component that frees a resource steps the controller.
 */
static bool must_wait(const gpci_ctrl *ctrl, bool remote) {
    return ctrl->tag_access[0].reason != GPC_BUSY_NOT || ctrl->tag_access[1].reason != GPC_BUSY_NOT ||
           ctrl->mshr.used[remote] >= ctrl->options->entries;
}

/* Send prefetches of the queue, after loads have had their turn at the tags. */
static void step(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_prefetch *prefetch = gpci_prefetch_of(ctrl);
    if (gpci_replies_wait(ctrl))
        return;
    while (prefetch->count && ctrl->cache) {
        const gpci_prefetch_entry *entry = &prefetch->queue[prefetch->first];
        const prefetch_place place = place_of(timed, ctrl, entry);
        if (must_wait(ctrl, place.remote))
            return;
        if (gpci_queue_full(place.remote ? &ctrl->link : &ctrl->out) ||
            !gpci_ctrl_port(ctrl, timed->wheel.now, place.address)) {
            again(timed, ctrl);
            return;
        }
        const uint64_t address = entry->request.address;
        if (place.exists && is_there(timed, ctrl, entry))
            tell(prefetch, address, GPC_PREFETCH_REDUNDANT);
        else if ((!gpci_l1_tlb_of(ctrl) || gpci_l1_tlb_lets_prefetch(ctrl, address)) && send(timed, ctrl, entry, place))
            prefetch->counts.sent++;
        else
            tell(prefetch, address, GPC_PREFETCH_DROPPED);
        prefetch->first = (prefetch->first + 1) % prefetch->capacity;
        prefetch->count--;
    }
}

/*
 * True if a fetch of a prefetch has returned, and no load has joined. Packet `mshr_target` of a load's fetch may be
 * gone, and the number in use again; a prefetch stays until the fetch is back. The prefetch is marked: if the MSHR
 * entry then drains (l1.mshr_free), a load that joins does not count the prefetch as late.
 */
static bool returns(const gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *fetch) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, fetch->line.mshr_target);
    if (!gpci_prefetch_is_own(ctrl, pkt) || pkt->address != fetch->address || pkt->flags & GPCI_PACKET_LATE)
        return false;
    pkt->flags |= GPCI_PACKET_LATE;
    return true;
}

static void keep(gpci_ctrl *ctrl, uint64_t address, bool unclaimed) {
    gpci_prefetch *prefetch = gpci_prefetch_of(ctrl);
    gpc_line line;
    uint32_t *mark = NULL;
    if (gpci_line_of(ctrl->cache, address, &line))
        mark = mark_at(prefetch, ctrl->cache, line.set, line.way);
    GPCI_AGAIN(prefetch->counts.lost += mark && *mark);
    if (mark)
        *mark = unclaimed ? mark_of(ctrl->cache, address) : 0;
    else if (unclaimed)
        tell(prefetch, address, GPC_PREFETCH_UNUSED);
}

/* Fill a fetch; mark a line that no load has waited for. */
static void fill(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t fetch) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, fetch);
    const uint64_t address = pkt->request.address;
    const bool unclaimed = returns(timed, ctrl, pkt);
    gpci_ctrl_fill(timed, ctrl, fetch);
    keep(ctrl, address, unclaimed);
}

static void evicted(gpci_ctrl *ctrl, const gpc_eviction *eviction) {
    if (unmark(gpci_prefetch_of(ctrl), ctrl->cache, eviction->set, eviction->way, eviction->line_address))
        tell(gpci_prefetch_of(ctrl), eviction->line_address, GPC_PREFETCH_UNUSED);
}

static void state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data) {
    gpci_prefetch *prefetch = gpci_prefetch_of(ctrl);
    GPCI_STATE_FROM(visit, user_data, gpci_prefetch, prefetch, counts);
    visit(user_data, prefetch->queue, prefetch->capacity * sizeof *prefetch->queue);
    visit(user_data, prefetch->marks, prefetch->slots * sizeof *prefetch->marks);
    gpci_policy_state(prefetch->policy, visit, user_data);
}

static void count_l1(const gpci_prefetch_counts *counts, gpc_stats *stats) {
    stats->l1_prefetches += counts->sent;
    stats->l1_useful_prefetches += counts->outcomes[GPC_PREFETCH_USEFUL];
    stats->l1_late_prefetches += counts->outcomes[GPC_PREFETCH_LATE];
    stats->l1_unused_prefetches += counts->outcomes[GPC_PREFETCH_UNUSED];
    stats->l1_redundant_prefetches += counts->outcomes[GPC_PREFETCH_REDUNDANT];
    stats->l1_dropped_prefetches += counts->outcomes[GPC_PREFETCH_DROPPED];
}

static void count(const gpci_ctrl *ctrl, uint64_t now, gpc_stats *stats) {
    const gpci_prefetch_counts *counts = &gpci_prefetch_of(ctrl)->counts;
    (void)now;
    if (ctrl->level == 1) {
        count_l1(counts, stats);
        return;
    }
    stats->l2_prefetches += counts->sent;
    stats->l2_useful_prefetches += counts->outcomes[GPC_PREFETCH_USEFUL];
    stats->l2_late_prefetches += counts->outcomes[GPC_PREFETCH_LATE];
    stats->l2_unused_prefetches += counts->outcomes[GPC_PREFETCH_UNUSED];
    stats->l2_redundant_prefetches += counts->outcomes[GPC_PREFETCH_REDUNDANT];
    stats->l2_dropped_prefetches += counts->outcomes[GPC_PREFETCH_DROPPED];
}

static void reset(gpci_ctrl *ctrl, uint64_t now) {
    gpci_prefetch *prefetch = gpci_prefetch_of(ctrl);
    (void)now;
    prefetch->counts = (gpci_prefetch_counts){0};
    GPCI_AGAIN(prefetch->counts.asked = prefetch->count);
}

static void hold(const gpci_timed *timed, const gpci_ctrl *ctrl, gpci_holders *holders) {
    (void)timed;
    const bool tags = ctrl->tag_access[0].reason != GPC_BUSY_NOT || ctrl->tag_access[1].reason != GPC_BUSY_NOT,
               full = ctrl->mshr.used[0] >= ctrl->options->entries || ctrl->mshr.used[1] >= ctrl->options->entries;
    gpci_held(holders, "prefetches to send", gpci_prefetch_of(ctrl)->count,
              gpci_replies_wait(ctrl) || tags || full ? gpci_by_itself(holders) : gpci_by_clock(ctrl->component));
}

const gpci_part_class gpci_prefetch_part = {.levels = GPCI_OF_L1S | GPCI_OF_SLICES,
                                            .in_step = true,
                                            .make = make,
                                            .destroy = destroy,
                                            .step = {[GPCI_AT_AFTER_TAGS] = step},
                                            .looked = train,
                                            .fill = fill,
                                            .evicted = evicted,
                                            .count = count,
                                            .reset = reset,
                                            .state = state,
                                            .hold = hold};
