/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/ctrl/plain_values.h"

#include "base/array.h"
#include "base/check.h"
#include "base/text.h"
#include "cache/cache.h"
#include "coherence/module/atomic.h"
#include "level/access/warp_access.h"
#include "level/rules/events.h"
#include "timed/core/kept_access.h"
#include "timed/core/mshr_table.h"

#include <string.h>

enum { SEGMENTS = GPCI_VALUE_BYTES / GPCI_SEGMENT };

/* writes_back: true if L1 may have stored bytes that L2 does not know. allocates: true if a store may make a line. */
static bool writes_back(const gpc_hierarchy *hierarchy, gpci_key key) {
    return hierarchy->has_l1 && gpci_number(hierarchy, key) == GPC_WRITE_BACK;
}

static bool allocates(const gpc_hierarchy *hierarchy, gpci_key key) {
    return hierarchy->has_l1 && gpci_number(hierarchy, key) != GPC_WRITE_NO_ALLOCATE;
}

gpc_status gpci_plain_values_check(const gpc_hierarchy *hierarchy, gpc_error *error) {
    const struct {
        bool lacking;
        const char *need;
    } needs[] = {
        {gpci_number(hierarchy, GPCI_KEY_MODE) != 1, "mode = timed"},
        {!gpci_number(hierarchy, GPCI_KEY_L2_ENABLED), "l2.enabled = true"},
        {writes_back(hierarchy, GPCI_KEY_L1_WRITE), "l1.write_policy = through"},
        {writes_back(hierarchy, GPCI_KEY_L1_WRITE_LOCAL), "l1.write_policy_local = through"},
        {allocates(hierarchy, GPCI_KEY_L1_WRITE_ALLOCATE), "l1.write_allocate = none"},
        {allocates(hierarchy, GPCI_KEY_L1_WRITE_ALLOCATE_LOCAL), "l1.write_allocate_local = none"},
        {hierarchy->has_l1 && hierarchy->l1_level.line_bytes != hierarchy->l2_level.line_bytes, "l2.line = l1.line"},
    };
    char buffer[256];
    gpci_text text = gpci_text_of(buffer, sizeof buffer);
    bool lacking = false;
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        if (!needs[i].lacking)
            continue;
        gpci_text_put(&text, "%s%s", lacking ? ", " : "", needs[i].need);
        lacking = true;
    }
    return lacking
               ? gpci_fail(error, GPC_ERROR_RANGE, "coherence.data = true without a tree of modules needs %s", buffer)
               : GPC_OK;
}

gpc_status gpci_plain_values_create(gpci_timed *timed, gpc_error *error) {
    gpci_plain_values *values = gpci_zalloc(timed->context, 1, sizeof *values);
    timed->values = values;
    if (!values)
        return gpci_out_of_memory(error);
    values->l1 = gpci_zalloc(timed->context, timed->hierarchy->sms, sizeof *values->l1);
    values->nobody = gpci_event_log_make(timed->hierarchy);
    return values->l1 && values->nobody ? GPC_OK : gpci_out_of_memory(error);
}

void gpci_plain_values_destroy(gpci_timed *timed) {
    gpci_plain_values *values = timed->values;
    if (!values)
        return;
    gpci_map_free(timed->context, &values->home);
    for (uint32_t sm = 0; values->l1 && sm < timed->hierarchy->sms; sm++)
        gpci_map_free(timed->context, &values->l1[sm]);
    gpci_free(timed->context, values->l1);
    gpci_free(timed->context, values->home_lines);
    gpci_free(timed->context, values->l1_lines);
    gpci_free(timed->context, values->carried);
    gpci_free(timed->context, values->lanes);
    gpci_event_log_free(timed->context, values->nobody);
    gpci_free(timed->context, values);
}

/* Save or load `lines`; when loading, make room first. */
static void archive_lines(gpc_context *context, void **lines, size_t *capacity, size_t count, size_t bytes,
                          gpci_archive *archive) {
    if (archive->loading && archive->status == GPC_OK && !gpci_array_reserve(context, lines, capacity, 0, count, bytes))
        gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
    gpci_archive_bytes(archive, *lines, count * bytes);
}

/* New elements are cleared, because a packet may return that never took values. */
gpc_status gpci_plain_values_carry(gpci_timed *timed) {
    gpci_plain_values *values = timed->values;
    const size_t had = values->carried_capacity, packets = (size_t)timed->pool.chunk_count * GPCI_POOL_CHUNK;
    if (!GPCI_ARRAY_RESERVE(timed->context, values->carried, values->carried_capacity, 0, packets))
        return GPC_ERROR_MEMORY;
    if (values->carried_capacity > had)
        memset(values->carried + had, 0, (values->carried_capacity - had) * sizeof *values->carried);
    return GPC_OK;
}

static void archive_written(gpci_timed *timed, gpci_archive *archive) {
    gpci_plain_values *values = timed->values;
    if (archive->loading && archive->status == GPC_OK &&
        !GPCI_ARRAY_RESERVE(timed->context, values->lanes, values->lane_capacity, 0, timed->kept_capacity))
        gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
    if (archive->loading && values->lanes)
        GPCI_POISON(values->lanes, values->lane_capacity * sizeof *values->lanes);
    for (size_t i = 0; i < timed->inflight_fresh && archive->status == GPC_OK; i++) {
        const gpci_kept_access *kept = &timed->kept[i];
        const size_t bytes = (size_t)kept->shape.count * kept->shape.width;
        if (kept->shape.bytes)
            gpci_archive_bytes(archive, values->lanes[i].bytes, bytes);
        if (kept->shape.compare)
            gpci_archive_bytes(archive, values->lanes[i].compare, bytes);
        if (!kept->shape.finds)
            continue;
        gpci_archive_bytes(archive, values->lanes[i].own, (bytes + 7) / 8);
        gpci_archive_bytes(archive, values->lanes[i].came, (bytes + 7) / 8);
    }
}

static void archive_under_way(gpci_timed *timed, gpci_archive *archive) {
    gpci_plain_values *values = timed->values;
    if (archive->status == GPC_OK && gpci_plain_values_carry(timed) < 0) /* as gpci_coherent_values_archive */
        gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
    gpci_archive_bytes(archive, values->carried, timed->pool.fresh * sizeof *values->carried);
    archive_written(timed, archive);
}

void gpci_plain_values_archive(gpci_timed *timed, gpci_archive *archive) {
    gpci_plain_values *values = timed->values;
    gpci_map_archive(timed->context, &values->home, archive);
    archive_lines(timed->context, (void **)&values->home_lines, &values->home_capacity, values->home.count,
                  sizeof *values->home_lines, archive);
    for (uint32_t sm = 0; sm < timed->hierarchy->sms; sm++)
        gpci_map_archive(timed->context, &values->l1[sm], archive);
    values->l1_count = (size_t)gpci_archive_count(archive, values->l1_count, sizeof *values->l1_lines);
    archive_lines(timed->context, (void **)&values->l1_lines, &values->l1_capacity, values->l1_count,
                  sizeof *values->l1_lines, archive);
    GPCI_ARCHIVE_FIELD(archive, values->order);
    archive_under_way(timed, archive);
}

/* Lines. */

static uint64_t number_of(const gpci_timed *timed, uint64_t address) {
    return address >> timed->hierarchy->l2_level.line_shift;
}

static gpci_home_line *home_of(const gpci_timed *timed, uint64_t address) {
    const gpci_map_entry *entry = gpci_map_find(&timed->values->home, number_of(timed, address));
    return entry ? &timed->values->home_lines[entry->value] : NULL;
}

static gpci_l1_line *l1_of(const gpci_timed *timed, uint32_t sm, uint64_t address) {
    const gpci_map_entry *entry = gpci_map_find(&timed->values->l1[sm], number_of(timed, address));
    return entry ? &timed->values->l1_lines[entry->value] : NULL;
}

static bool reserve_line(gpci_timed *timed, uint32_t sm, uint64_t line) {
    gpci_plain_values *values = timed->values;
    const uint32_t home = values->home.count;
    if (!gpci_map_find(&values->home, line)) {
        if (!GPCI_ARRAY_RESERVE(timed->context, values->home_lines, values->home_capacity, home, 1) ||
            !gpci_map_reserve(timed->context, &values->home, 1))
            return false;
        memset(&values->home_lines[home], 0, sizeof values->home_lines[home]);
        gpci_map_add(&values->home, line, home);
    }
    if (gpci_map_find(&values->l1[sm], line))
        return true;
    if (!GPCI_ARRAY_RESERVE(timed->context, values->l1_lines, values->l1_capacity, values->l1_count, 1) ||
        !gpci_map_reserve(timed->context, &values->l1[sm], 1))
        return false;
    memset(&values->l1_lines[values->l1_count], 0, sizeof values->l1_lines[values->l1_count]);
    gpci_map_add(&values->l1[sm], line, values->l1_count++);
    return true;
}

/* Make room for lines of local memory, accessed by a replay without values. */
static gpc_status reserve_local(gpci_timed *timed, const gpc_warp_access *access) {
    gpci_transaction lines[GPCI_MAX_TRANSACTIONS];
    const uint32_t count = gpci_access_touches(timed->hierarchy, access, lines);
    for (uint32_t i = 0; i < count; i++)
        if (!reserve_line(timed, access->sm, number_of(timed, lines[i].address)))
            return GPC_ERROR_MEMORY;
    return GPC_OK;
}

gpc_status gpci_plain_values_reserve(gpci_timed *timed, const gpc_warp_access *access) {
    gpci_plain_values *values = timed->values;
    const uint32_t lanes = gpci_value_lanes(access);
    if (!GPCI_ARRAY_RESERVE(timed->context, values->lanes, values->lane_capacity, 0, timed->inflight_capacity))
        return GPC_ERROR_MEMORY;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const uint64_t last = number_of(timed, access->addresses[lane] + (access->width - 1));
        for (uint64_t line = number_of(timed, access->addresses[lane]);;
             line = number_of(timed, UINT64_MAX) & (line + 1)) {
            if (!reserve_line(timed, access->sm, line))
                return GPC_ERROR_MEMORY;
            if (line == last)
                break;
        }
    }
    return access->local_offsets ? reserve_local(timed, access) : GPC_OK;
}

void gpci_plain_values_keep(gpci_timed *timed, uint32_t inflight, const gpc_warp_access *access) {
    gpci_plain_lanes *kept = &timed->values->lanes[inflight];
    const size_t bytes = (size_t)gpci_popcount(access->mask) * access->width;
    memset(kept->own, 0, sizeof kept->own);
    memset(kept->came, 0, sizeof kept->came);
    if (access->bytes)
        memcpy(kept->bytes, access->bytes, bytes);
    if (access->compare)
        memcpy(kept->compare, access->compare, bytes);
}

/* Find the lanes of a packet's access. False: the packet has no access. */
static bool lanes_of(const gpci_timed *timed, const gpci_packet *pkt, gpci_lanes *lanes) {
    if (pkt->line.inflight == UINT32_MAX)
        return false;
    const gpci_kept_access *kept = &timed->kept[pkt->line.inflight];
    const gpci_plain_lanes *written = &timed->values->lanes[pkt->line.inflight];
    *lanes = gpci_kept_lanes(timed, pkt->line.inflight);
    lanes->bytes = kept->shape.bytes ? written->bytes : NULL;
    lanes->compare = kept->shape.compare ? written->compare : NULL;
    return true;
}

/* A packet's number in the pool; or GPCI_NO_PACKET. */
static uint32_t place_of(const gpci_timed *timed, const gpci_packet *pkt) {
    for (uint32_t chunk = 0; chunk < timed->pool.chunk_count; chunk++) {
        const uintptr_t at = (uintptr_t)pkt - (uintptr_t)timed->pool.chunks[chunk];
        if (at / sizeof *pkt < GPCI_POOL_CHUNK)
            return chunk * GPCI_POOL_CHUNK + (uint32_t)(at / sizeof *pkt);
    }
    return GPCI_NO_PACKET;
}

/* Values that a packet carries; NULL, for example, for a fence's write-back. */
static gpci_carried_values *carried_by(const gpci_timed *timed, uint32_t packet) {
    return packet < timed->values->carried_capacity ? &timed->values->carried[packet] : NULL;
}

/* `order` when a line transaction was at L1's tags. A TLB may let lines of an instruction arrive at different times. */
static uint64_t looked_at(const gpci_timed *timed, const gpci_packet *pkt) {
    const gpci_carried_values *carried = carried_by(timed, place_of(timed, pkt));
    return carried ? carried->looked : 0;
}

static bool has_segment(uint8_t segments, uint32_t byte) {
    return segments >> byte / GPCI_SEGMENT & 1;
}

/* Called for a byte of a lane: number among the lanes' bytes, and place in the line. */
typedef void (*byte_fn)(void *data, size_t byte, uint64_t at);

/* Visit the bytes of lanes inside a packet's line. */
static void each_byte(const gpci_timed *timed, const gpci_packet *pkt, const gpci_lanes *lanes, byte_fn call,
                      void *data) {
    for (uint32_t lane = 0; lane < lanes->count; lane++)
        for (uint32_t i = 0; i < lanes->width; i++) {
            const uint64_t at = lanes->addresses[lane] + i - pkt->address;
            if (at < timed->hierarchy->l2_level.line_bytes)
                call(data, (size_t)lane * lanes->width + i, at);
        }
}

/* Data for visiting bytes. */
typedef struct byte_walk {
    const gpci_lanes *lanes;
    uint8_t *bytes;     /* of the line */
    gpci_l1_line *line; /* in the SM's L1; or NULL */
    gpci_plain_lanes *kept;
    uint64_t order, looked; /* present `order`; `order` when the load was at L1's tags */
    uint8_t segments;       /* segments that the load gets */
} byte_walk;

static uint8_t byte_to_store(const byte_walk *bytes, size_t byte) {
    return bytes->lanes->bytes ? bytes->lanes->bytes[byte] : 0;
}

/* A store passes L1's tags. */
static void store_in_l1(void *data, size_t byte, uint64_t at) {
    const byte_walk *bytes = data;
    bytes->line->bytes[at] = byte_to_store(bytes, byte);
    bytes->line->stored[at] = bytes->order;
    bytes->line->pending[at]++;
}

/* The home slice performs a store. */
static void store_at_home(void *data, size_t byte, uint64_t at) {
    const byte_walk *bytes = data;
    bytes->bytes[at] = byte_to_store(bytes, byte);
    if (!bytes->line || !bytes->line->pending[at])
        return;
    bytes->line->pending[at]--;
    bytes->line->performed[at] = bytes->order;
}

/* A load passes L1's tags. */
static void load_in_l1(void *data, size_t byte, uint64_t at) {
    const byte_walk *bytes = data;
    const uint8_t bit = (uint8_t)(1u << byte % 8);
    bytes->lanes->out[byte] = bytes->line->bytes[at];
    bytes->kept->own[byte / 8] = (uint8_t)((bytes->kept->own[byte / 8] & ~bit) | (bytes->line->pending[at] ? bit : 0));
    bytes->kept->came[byte / 8] &= (uint8_t)~bit;
}

/*
 * A read brings bytes for which a load waits. The first read of a byte counts: a later read may bring later stores. If
 * the SM has stored to the byte after the load, the load gets the former value: the byte that the read brought, or the
 * byte of an earlier store of the SM, which the load took at L1's tags.
 */
static void load_what_came(void *data, size_t byte, uint64_t at) {
    const byte_walk *bytes = data;
    const uint8_t bit = (uint8_t)(1u << byte % 8);
    if (!has_segment(bytes->segments, (uint32_t)at) || bytes->kept->came[byte / 8] & bit)
        return;
    bytes->kept->came[byte / 8] |= bit;
    const uint64_t performed = bytes->line->performed[at];
    const bool own = bytes->kept->own[byte / 8] & bit, since = performed > bytes->looked,
               newer = performed > bytes->line->served[at / GPCI_SEGMENT]; /* store after L2 served the read */
    if (bytes->line->stored[at] <= bytes->looked)
        bytes->lanes->out[byte] = bytes->line->brought[at];
    else if (own ? since && !newer : since || !newer)
        bytes->lanes->out[byte] = bytes->line->came[at];
}

/* A load that waits takes the bytes of a line that the home slice is about to change. */
static void load_what_was(void *data, size_t byte, uint64_t at) {
    const byte_walk *bytes = data;
    const uint8_t bit = (uint8_t)(1u << byte % 8);
    if (!has_segment(bytes->segments, (uint32_t)at) || bytes->kept->came[byte / 8] & bit)
        return;
    bytes->kept->came[byte / 8] |= bit;
    bytes->lanes->out[byte] = bytes->bytes[at];
}

/*
 * The home slice is about to perform a change of an SM. Earlier loads of the SM may still wait in L1, for a read that
 * will bring the change, of the SM or of another SM. The earlier loads take the bytes before the change.
 */
static void spare_older_loads(const gpci_timed *timed, const gpci_packet *change, uint8_t *bytes) {
    const gpci_ctrl *ctrl = &timed->l1[timed->inflights[change->line.inflight].sm];
    const uint64_t looked = looked_at(timed, change);
    uint32_t packet = ctrl->cache ? gpci_mshr_find(timed, ctrl, change->address) : GPCI_NO_PACKET;
    for (uint32_t mshr_entry = packet; packet != GPCI_NO_PACKET;) {
        const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        gpci_lanes lanes;
        byte_walk w = {.lanes = &lanes, .bytes = bytes, .segments = pkt->mshr.needs};
        if (pkt->line.kind == GPC_LOAD && lanes_of(timed, pkt, &lanes) && lanes.out) {
            w.kept = &timed->values->lanes[pkt->line.inflight];
            if (looked_at(timed, pkt) < looked)
                each_byte(timed, pkt, &lanes, load_what_was, &w);
        }
        packet = packet == mshr_entry ? pkt->mshr.first : *gpci_next_of(&timed->pool, packet);
    }
}

/* Perform an atomic at the home slice, lane after lane. */
static void perform(const gpci_timed *timed, const gpci_packet *pkt, const gpci_lanes *lanes, uint8_t *bytes) {
    spare_older_loads(timed, pkt, bytes);
    for (uint32_t lane = 0; lane < lanes->count; lane++) {
        const uint64_t at = lanes->addresses[lane] - pkt->address;
        const size_t value = (size_t)lane * lanes->width;
        if (at >= timed->hierarchy->l2_level.line_bytes)
            continue;
        const gpc_atomic one = {.operand = lanes->bytes ? gpci_atomic_read(lanes->bytes + value, lanes->width) : 0,
                                .compare = lanes->compare ? gpci_atomic_read(lanes->compare + value, lanes->width) : 0,
                                .old = gpci_atomic_read(bytes + at, lanes->width),
                                .op = (uint8_t)lanes->op,
                                .width = (uint8_t)lanes->width};
        gpci_atomic_write(bytes + at, lanes->width, gpci_atomic_result(&one));
        if (lanes->out)
            gpci_atomic_write(lanes->out + value, lanes->width, one.old);
    }
}

/* Events on the way of a packet. */

/* A store or load is at L1's tags. A load takes the bytes present in L1; a reply brings the other bytes. */
static void looked_in_l1(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt, const gpci_lanes *lanes) {
    byte_walk bytes = {.lanes = lanes,
                       .line = l1_of(timed, ctrl->index, pkt->address),
                       .kept = &timed->values->lanes[pkt->line.inflight],
                       .order = ++timed->values->order};
    gpci_carried_values *carried = carried_by(timed, place_of(timed, pkt));
    if (pkt->line.kind == GPC_STORE)
        each_byte(timed, pkt, lanes, store_in_l1, &bytes);
    else if (pkt->line.kind == GPC_LOAD && lanes->out)
        each_byte(timed, pkt, lanes, load_in_l1, &bytes);
    if (carried)
        carried->looked = bytes.order;
}

void gpci_plain_hit(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt) {
    gpci_lanes lanes;
    if (pkt->line.kind == GPC_LOAD && lanes_of(timed, pkt, &lanes))
        looked_in_l1(timed, ctrl, pkt, &lanes);
}

static void store_of(gpci_timed *timed, const gpci_packet *pkt, const gpci_lanes *lanes, uint8_t *bytes) {
    byte_walk w = {.lanes = lanes,
                   .bytes = bytes,
                   .line = pkt->line.kind == GPC_STORE
                               ? l1_of(timed, timed->inflights[pkt->line.inflight].sm, pkt->address)
                               : NULL,
                   .order = ++timed->values->order};
    spare_older_loads(timed, pkt, bytes);
    each_byte(timed, pkt, lanes, store_at_home, &w);
}

/* Perform a store, then the stores that joined the store (combine.h). */
static void store_with_joined(gpci_timed *timed, const gpci_packet *pkt, gpci_lanes *lanes) {
    uint8_t *bytes = home_of(timed, pkt->address)->bytes;
    store_of(timed, pkt, lanes, bytes);
    if (!(pkt->flags & GPCI_PACKET_JOINED))
        return;
    for (uint32_t joined = pkt->line.mshr_target; joined != GPCI_NO_PACKET; joined = timed->pool.links[joined].next) {
        const gpci_packet *packet = gpci_packet_at(&timed->pool, joined);
        if (lanes_of(timed, packet, lanes))
            store_of(timed, packet, lanes, bytes);
    }
}

static bool is_home(const gpci_timed *timed, const gpci_ctrl *slice, const gpci_packet *pkt) {
    return !slice->networks.peer_requests || gpci_l2_is_home(timed->hierarchy, slice->index, pkt->address);
}

/* A read takes the value of its line at the lookup in the home slice: stores behind the read are not in the value. */
static void read_at_home(gpci_timed *timed, const gpci_packet *pkt) {
    gpci_carried_values *carried = carried_by(timed, place_of(timed, pkt));
    const gpci_home_line *home = home_of(timed, pkt->address);
    if (!carried || !home)
        return;
    memcpy(carried->bytes, home->bytes, sizeof carried->bytes);
    timed->values->order++;
    for (uint32_t s = 0; s < SEGMENTS; s++)
        carried->served[s] = timed->values->order;
}

void gpci_plain_looked(gpci_timed *timed, const gpci_ctrl *ctrl, const gpci_packet *pkt) {
    gpci_lanes lanes;
    if (ctrl->level == 2 && pkt->type == GPCI_READ) {
        if (is_home(timed, ctrl, pkt))
            read_at_home(timed, pkt);
        return;
    }
    if (!lanes_of(timed, pkt, &lanes))
        return;
    if (ctrl->level == 1)
        looked_in_l1(timed, ctrl, pkt, &lanes);
    else if (pkt->type == GPCI_WRITE || (pkt->type == GPCI_ATOMIC && !lanes.op))
        store_with_joined(timed, pkt, &lanes);
    else if (pkt->type == GPCI_ATOMIC)
        perform(timed, pkt, &lanes, home_of(timed, pkt->address)->bytes);
}

void gpci_plain_served(gpci_timed *timed, const gpci_ctrl *slice, const gpci_packet *pkt) {
    const gpci_home_line *home = home_of(timed, pkt->address);
    if (pkt->type != GPCI_READ || !home || is_home(timed, slice, pkt))
        return;
    gpci_carried_values *carried = carried_by(timed, place_of(timed, pkt));
    for (uint32_t i = 0; carried && i < sizeof carried->bytes; i++)
        if (has_segment(home->copied, i)) {
            carried->bytes[i] = home->copy[i];
            carried->served[i / GPCI_SEGMENT] = home->copy_served[i / GPCI_SEGMENT];
        }
}

void gpci_plain_copied(gpci_timed *timed, uint32_t packet) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    const gpci_carried_values *carried = carried_by(timed, packet);
    gpci_home_line *home = home_of(timed, pkt->address);
    if (!carried || !home || !(pkt->flags & GPCI_PACKET_FETCH))
        return;
    home->copied |= pkt->segments;
    for (uint32_t i = 0; i < sizeof carried->bytes; i++)
        if (has_segment(pkt->segments, i)) {
            home->copy[i] = carried->bytes[i];
            home->copy_served[i / GPCI_SEGMENT] = carried->served[i / GPCI_SEGMENT];
        }
}

/* Segments of a line present in an L1. */
static uint8_t valid_segments(const gpci_timed *timed, uint32_t sm, uint64_t address) {
    gpc_line line;
    if (!timed->hierarchy->l1 || !gpci_line_of(timed->hierarchy->l1[sm], address, &line))
        return 0;
    return timed->hierarchy->l1_level.segments_of[line.valid_sectors];
}

/* Give the bytes that a fetch has brought to all packets that wait at the fetch's MSHR entry of L1. */
static void hand_on(gpci_timed *timed, uint32_t sm, const gpci_packet *fetch) {
    const gpci_ctrl *ctrl = &timed->l1[sm];
    const uint32_t mshr_entry =
        gpci_mshr_look(timed, ctrl, gpci_ctrl_line(ctrl, fetch->address), &fetch->entry).mshr_entry;
    for (uint32_t packet = mshr_entry; packet != GPCI_NO_PACKET;) {
        const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
        gpci_plain_replied(timed, pkt, pkt->mshr.needs & fetch->segments);
        packet = packet == mshr_entry ? pkt->mshr.first : *gpci_next_of(&timed->pool, packet);
    }
}

void gpci_plain_back(gpci_timed *timed, uint32_t sm, uint32_t packet) {
    const gpci_packet *pkt = gpci_packet_at(&timed->pool, packet);
    const gpci_carried_values *carried = carried_by(timed, packet);
    gpci_l1_line *line = l1_of(timed, sm, pkt->address);
    if (!carried || !line ||
        (pkt->request.kind != GPC_LOAD && pkt->request.kind != GPC_PREFETCH && pkt->line.kind != GPC_STORE))
        return;
    const uint8_t valid = valid_segments(timed, sm, pkt->address);
    for (uint32_t i = 0; i < timed->hierarchy->l2_level.line_bytes; i++) {
        if (!has_segment(pkt->segments, i))
            continue;
        const bool own = line->pending[i] || line->performed[i] > carried->served[i / GPCI_SEGMENT];
        line->came[i] = carried->bytes[i];
        line->served[i / GPCI_SEGMENT] = carried->served[i / GPCI_SEGMENT];
        line->brought[i] = own ? line->bytes[i] : carried->bytes[i];
        if (!has_segment(valid, i))
            line->bytes[i] = line->brought[i];
    }
    if (pkt->flags & GPCI_PACKET_FETCH)
        hand_on(timed, sm, pkt);
}

void gpci_plain_shared(gpci_timed *timed, uint32_t from, uint32_t to) {
    const gpci_carried_values *values = carried_by(timed, from);
    gpci_carried_values *carried = carried_by(timed, to);
    if (!values || !carried)
        return;
    memcpy(carried->bytes, values->bytes, sizeof carried->bytes);
    memcpy(carried->served, values->served, sizeof carried->served);
}

void gpci_plain_replied(gpci_timed *timed, const gpci_packet *pkt, uint8_t segments) {
    gpci_lanes lanes;
    if (pkt->line.kind != GPC_LOAD || !lanes_of(timed, pkt, &lanes) || !lanes.out)
        return;
    byte_walk bytes = {.lanes = &lanes,
                       .line = l1_of(timed, timed->inflights[pkt->line.inflight].sm, pkt->address),
                       .kept = &timed->values->lanes[pkt->line.inflight],
                       .looked = looked_at(timed, pkt),
                       .segments = segments};
    each_byte(timed, pkt, &lanes, load_what_came, &bytes);
}
