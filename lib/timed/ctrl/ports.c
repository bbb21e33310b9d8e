/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "level/access/values.h"
#include "level/rules/coalesce.h"
#include "timed/ctrl/data_banks.h"

/* Ports and banks of a controller: of the tags, and of the data. */

/* Bit of the bank of a line; if every sector is a packet, of a sector. */
GPCI_INLINE uint64_t bank_of(const gpci_ctrl *ctrl, uint64_t address) {
    const gpci_ctrl_options *options = ctrl->options;
    if (GPCI_UNLIKELY(options->hashed))
        return (uint64_t)1 << gpci_tag_bank(&ctrl->timed->hierarchy->tag_banks, address);
    const uint64_t place =
        address >> (GPCI_UNLIKELY(options->sector_packets) ? gpci_log2(GPCI_SEGMENT) : ctrl->cache->line_shift);
    return (uint64_t)1 << (gpci_power_of_two(options->banks) ? place & (options->banks - 1) : place % options->banks);
}

bool gpci_ctrl_port(gpci_ctrl *ctrl, uint64_t now, uint64_t address) {
    const gpci_ctrl_options *options = ctrl->options;
    uint64_t own = gpci_clock_own(options->clock, now);
    if (own != ctrl->tag_port.cycle) {
        ctrl->tag_port.cycle = own;
        ctrl->tag_port.used = 0;
        ctrl->tag_port.banks = 0;
    }
    if (ctrl->tag_port.used >= options->ports)
        return false;
    if (options->ports > 1 && (ctrl->cache || options->hashed)) {
        const uint64_t bank = bank_of(ctrl, address);
        if (ctrl->tag_port.banks & bank) {
            ctrl->counts.bank_failures++;
            return false;
        }
        ctrl->tag_port.banks |= bank;
    }
    ctrl->tag_port.used++;
    return true;
}

/*
 * Core cycle of data that leave the port in a cycle of the controller: never before now, even if the controller's cycle
 * has begun earlier.
 */
GPCI_INLINE uint64_t out_at(const gpci_ctrl_options *options, uint64_t now, uint64_t own) {
    const uint64_t due = gpci_clock_core(options->clock, own + options->latency);
    return due > now ? due : now;
}

uint64_t gpci_ctrl_data(gpci_ctrl *ctrl, uint64_t now, uint32_t bytes) {
    const gpci_ctrl_options *options = ctrl->options;
    uint64_t own = gpci_clock_own(options->clock, now);
    if (GPCI_UNLIKELY(options->packed) && ctrl->data.free > own && ctrl->data.left >= bytes) {
        ctrl->data.left -= bytes;
        return out_at(options, now, ctrl->data.free - 1);
    }
    const uint64_t start = own > ctrl->data.free ? own : ctrl->data.free,
                   cycles = (bytes + options->data_width - 1) / options->data_width;
    ctrl->data.free = start + cycles;
    ctrl->data.left = (uint32_t)(cycles * options->data_width - bytes);
    return out_at(options, now, start);
}

void gpci_ctrl_serve(gpci_timed *timed, gpci_ctrl *ctrl, uint32_t packet, uint8_t level) {
    gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    const uint64_t due = gpci_ctrl_data(ctrl, timed->wheel.now, gpci_packet_bytes(pkt));
    pkt->level = level;
    gpci_log_event(timed, GPC_WHAT_SERVE, ctrl, pkt, due);
    timed->pool.links[packet].due = due;
    gpci_queue_push(&ctrl->served, &timed->pool, timed->wheel.now, packet);
    if (ctrl->served.count == 1) /* otherwise the component wakes earlier, for the packet ahead */
        gpci_wheel_wake(&timed->wheel, ctrl->component, due);
}

/* Banks of L1's data (data_banks.h). */

/* Lines have at most 128 bytes, and all banks together at least 32 bytes (gpci_check_l1_banks). */
#define MOST_TURNS (GPCI_MAX_TRANSACTIONS * 4u)

/* Bit i of the result is set if bit 2 i or bit 2 i + 1 of `x` is set. */
static uint64_t halve(uint64_t x) {
    x = (x | x >> 1) & 0x5555555555555555u;
    x = (x | x >> 1) & 0x3333333333333333u;
    x = (x | x >> 2) & 0x0f0f0f0f0f0f0f0fu;
    x = (x | x >> 4) & 0x00ff00ff00ff00ffu;
    x = (x | x >> 8) & 0x0000ffff0000ffffu;
    return (x | x >> 16) & 0xffffffffu;
}

/* Bitmap of the words that the bytes touch; a word has 2^shift bytes, and at least 4. */
static uint64_t words_of(const uint64_t bytes[2], unsigned shift) {
    uint64_t half[2] = {bytes[0], bytes[1]};
    for (unsigned i = 0; i < shift && i < 6; i++) {
        half[0] = halve(half[0]);
        half[1] = halve(half[1]);
    }
    return shift > 6 ? half[0] | half[1] : half[0] | half[1] << (64u >> shift);
}

static uint32_t turns_of_words(const gpci_data_banks *banks, const gpci_transaction *lines, uint32_t count) {
    if (count == 1 && banks->full_line)
        return 1;
    const uint64_t all = banks->count < 64 ? ((uint64_t)1 << banks->count) - 1 : UINT64_MAX;
    uint64_t taken[MOST_TURNS]; /* element k: bitmap of banks with more than k words */
    uint32_t turns = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t words = words_of(lines[i].bytes, banks->shift);
        words <<= (lines[i].address >> banks->shift) & (banks->count - 1);
        for (; words; words = banks->count < 64 ? words >> banks->count : 0) {
            uint64_t more = words & all;
            for (uint32_t turn = 0; turn < turns && more; turn++) {
                const uint64_t next = taken[turn] & more;
                taken[turn] |= more;
                more = next;
            }
            if (more)
                taken[turns++] = more;
        }
    }
    return turns;
}

/* Turns of lines with `bytes` bytes of lanes. */
static uint32_t turns_of(const gpci_data_banks *banks, const gpci_transaction *lines, uint32_t count, uint32_t bytes) {
    const uint32_t words = turns_of_words(banks, lines, count), least = (bytes + banks->width - 1) / banks->width;
    return words > least ? words : least;
}

uint32_t gpci_data_turns(const gpci_data_banks *banks, const gpci_transaction *lines, uint32_t count) {
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        bytes += gpci_transaction_bytes(&lines[i]);
    return turns_of(banks, lines, count, bytes);
}

/* Turns of parts of `lanes` lanes, whose bytes are each other's neighbours with `range`. */
static GPCI_NOINLINE uint32_t turns_of_parts(const gpci_data_banks *banks, const gpc_warp_access *access, bool range,
                                             uint32_t lanes) {
    gpci_transaction lines[GPCI_MAX_COALESCED];
    const uint64_t *addresses = access->addresses;
    uint32_t turns = 0;
    for (uint32_t first = 0; first < GPCI_MAX_LANES; first += lanes) {
        const uint32_t active = gpci_popcount(access->mask >> first & (((uint64_t)1 << lanes) - 1));
        const uint32_t count = range || !active ? 0 : gpci_coalesce(addresses, active, access->width, 7, lines);
        turns += turns_of(banks, lines, count, active * access->width);
        addresses += range ? 0 : active;
    }
    return turns;
}

uint32_t gpci_data_turns_of_lanes(const gpci_data_banks *banks, const gpc_warp_access *access, bool range,
                                  const gpci_transaction *lines, uint32_t count) {
    const uint32_t lanes = access->width < banks->moved ? banks->moved / access->width : 1;
    if (lanes >= GPCI_MAX_LANES || !(access->mask >> lanes))
        return turns_of(banks, lines, count, gpci_popcount(access->mask) * access->width);
    const uint32_t parts = turns_of_parts(banks, access, range, lanes),
                   together = range ? turns_of_words(banks, lines, count) : 0;
    return parts > together ? parts : together;
}

static gpci_data_queue *queue_of(const gpci_ctrl *ctrl) {
    return ctrl->parts.self[GPCI_PART_DATA_BANKS];
}

static gpc_status make(gpci_timed *timed, gpci_ctrl *ctrl, gpc_error *error) {
    const uint32_t capacity = timed->l1_options.latency ? timed->l1_options.latency : 1;
    if (!timed->data_banks.count)
        return GPC_OK;
    gpci_data_queue *queue = gpci_zalloc(timed->context, 1, sizeof *queue + capacity * sizeof *queue->starts);
    if (!queue)
        return gpci_out_of_memory(error);
    gpci_part_add(ctrl, GPCI_PART_DATA_BANKS, &gpci_data_banks_part, queue);
    queue->capacity = capacity;
    return GPC_OK;
}

static void destroy(gpci_timed *timed, gpci_ctrl *ctrl) {
    gpci_free(timed->context, queue_of(ctrl));
}

static void state(gpci_ctrl *ctrl, gpci_state_fn visit, void *user_data) {
    gpci_data_queue *queue = queue_of(ctrl);
    GPCI_STATE_FROM(visit, user_data, gpci_data_queue, queue, next);
    visit(user_data, queue->starts, queue->capacity * sizeof *queue->starts);
}

/* Take the next turns of the banks. Returns the core cycle of the first turn. */
static uint64_t take(const gpci_timed *timed, gpci_ctrl *ctrl, uint32_t turns) {
    const uint64_t now = timed->wheel.now, start = ctrl->data.free > now ? ctrl->data.free : now;
    gpci_data_queue *queue = queue_of(ctrl);
    queue->starts[queue->next] = start;
    queue->next = queue->next + 1 < queue->capacity ? queue->next + 1 : 0;
    ctrl->data.free = start + turns;
    queue->turns += turns;
    queue->conflicts += turns - 1;
    queue->waits += start - now;
    return start;
}

bool gpci_data_read(gpci_timed *timed, gpci_ctrl *ctrl, gpci_inflight *inflight) {
    const uint64_t now = timed->wheel.now, way = inflight->due > now ? inflight->due - now : 0;
    inflight->due = take(timed, ctrl, inflight->turns) + inflight->turns - 1 + way;
    GPCI_AGAIN(ctrl->counts.data_turns_again += inflight->turns);
    GPCI_AGAIN(ctrl->counts.data_accesses_again++);
    GPCI_AGAIN(ctrl->counts.data_waits_again += inflight->due - way - now - (inflight->turns - 1));
    return !way;
}

uint64_t gpci_data_passed(gpci_timed *timed, gpci_ctrl *ctrl, const gpci_packet *pkt, const gpci_inflight *inflight) {
    if (pkt->line.kind == GPC_STORE && pkt->flags & GPCI_PACKET_LAST) {
        take(timed, ctrl, inflight->turns);
        GPCI_AGAIN(ctrl->counts.data_turns_again += inflight->turns);
        GPCI_AGAIN(ctrl->counts.data_accesses_again++);
        GPCI_AGAIN(ctrl->counts.data_waits_again += ctrl->data.free - timed->wheel.now - inflight->turns);
    }
    return timed->wheel.now + ctrl->options->latency;
}

bool gpci_data_is_full(const gpci_ctrl *ctrl, uint64_t now) {
    const gpci_data_queue *queue = queue_of(ctrl);
    return queue->starts[queue->next] > now;
}

static void count(const gpci_ctrl *ctrl, uint64_t now, gpc_stats *stats) {
    const gpci_data_queue *queue = queue_of(ctrl);
    (void)now;
    stats->l1_data_turns += queue->turns;
    stats->l1_data_conflicts += queue->conflicts;
    stats->l1_data_waits += queue->waits;
}

static void reset(gpci_ctrl *ctrl, uint64_t now) {
    gpci_data_queue *queue = queue_of(ctrl);
    (void)now;
    queue->turns = queue->conflicts = queue->waits = 0;
}

const gpci_part_class gpci_data_banks_part = {
    .levels = GPCI_OF_L1S, .make = make, .destroy = destroy, .count = count, .reset = reset, .state = state};
