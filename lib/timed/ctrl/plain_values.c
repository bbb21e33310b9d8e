/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/ctrl/plain_values.h"

#include "base/array.h"
#include "base/text.h"
#include "cache/cache.h"
#include "coherence/module/atomic.h"
#include "level/access/warp_access.h"
#include "level/rules/events.h"
#include "timed/core/kept_access.h"
#include "timed/core/mshr_table.h"

#include <string.h>

enum { SEGMENTS = GPCI_VALUE_BYTES / GPCI_SEGMENT };

/* True if an L1 may hold bytes of stores unknown to L2, or lines with only stored bytes. */
static bool writes_back(const gpc_hierarchy *h, gpci_key key) {
    return h->has_l1 && gpci_number(h, key) == GPC_WRITE_BACK;
}

static bool allocates(const gpc_hierarchy *h, gpci_key key) {
    return h->has_l1 && gpci_number(h, key) != GPC_WRITE_NO_ALLOCATE;
}

gpc_status gpci_plain_values_check(const gpc_hierarchy *h, gpc_error *error) {
    const struct {
        bool lacking;
        const char *need;
    } needs[] = {
        {gpci_number(h, GPCI_KEY_MODE) != 1, "mode = timed"},
        {!gpci_number(h, GPCI_KEY_L2_ENABLED), "l2.enabled = true"},
        {writes_back(h, GPCI_KEY_L1_WRITE), "l1.write_policy = through"},
        {writes_back(h, GPCI_KEY_L1_WRITE_LOCAL), "l1.write_policy_local = through"},
        {allocates(h, GPCI_KEY_L1_WRITE_ALLOCATE), "l1.write_allocate = none"},
        {allocates(h, GPCI_KEY_L1_WRITE_ALLOCATE_LOCAL), "l1.write_allocate_local = none"},
        {h->has_l1 && h->l1_level.line_bytes != h->l2_level.line_bytes, "l2.line = l1.line"},
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

gpc_status gpci_plain_values_create(gpci_timed *t, gpc_error *error) {
    gpci_plain_values *v = gpci_zalloc(t->context, 1, sizeof *v);
    t->values = v;
    if (!v)
        return gpci_out_of_memory(error);
    v->l1 = gpci_zalloc(t->context, t->h->sms, sizeof *v->l1);
    v->nobody = gpci_event_log_make(t->h);
    return v->l1 && v->nobody ? GPC_OK : gpci_out_of_memory(error);
}

void gpci_plain_values_destroy(gpci_timed *t) {
    gpci_plain_values *v = t->values;
    if (!v)
        return;
    gpci_map_free(t->context, &v->home);
    for (uint32_t sm = 0; v->l1 && sm < t->h->sms; sm++)
        gpci_map_free(t->context, &v->l1[sm]);
    gpci_free(t->context, v->l1);
    gpci_free(t->context, v->home_lines);
    gpci_free(t->context, v->l1_lines);
    gpci_free(t->context, v->carried);
    gpci_free(t->context, v->lanes);
    gpci_event_log_free(t->context, v->nobody);
    gpci_free(t->context, v);
}

/* Archive `lines`; when loading, with room for all. */
static void archive_lines(gpc_context *context, void **lines, size_t *room, size_t count, size_t bytes,
                          gpci_archive *a) {
    if (a->loading && a->status == GPC_OK && !gpci_array_room(context, lines, room, 0, count, bytes))
        gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
    gpci_archive_bytes(a, *lines, count * bytes);
}

/* Packets that return need not have left before. */
gpc_status gpci_plain_values_carry(gpci_timed *t) {
    gpci_plain_values *v = t->values;
    const size_t had = v->carried_room, packets = (size_t)t->pool.chunk_count * GPCI_POOL_CHUNK;
    if (!GPCI_ARRAY_ROOM(t->context, v->carried, v->carried_room, 0, packets))
        return GPC_ERROR_MEMORY;
    if (v->carried_room > had)
        memset(v->carried + had, 0, (v->carried_room - had) * sizeof *v->carried);
    return GPC_OK;
}

static void archive_written(gpci_timed *t, gpci_archive *a) {
    gpci_plain_values *v = t->values;
    if (a->loading && a->status == GPC_OK && !GPCI_ARRAY_ROOM(t->context, v->lanes, v->lane_room, 0, t->kept_room))
        gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
    for (size_t i = 0; i < t->inflight_fresh && a->status == GPC_OK; i++) {
        const gpci_kept_access *kept = &t->kept[i];
        const size_t bytes = (size_t)kept->shape.count * kept->shape.width;
        if (kept->shape.bytes)
            gpci_archive_bytes(a, v->lanes[i].bytes, bytes);
        if (kept->shape.compare)
            gpci_archive_bytes(a, v->lanes[i].compare, bytes);
        if (!kept->shape.finds)
            continue;
        gpci_archive_bytes(a, v->lanes[i].own, (bytes + 7) / 8);
        gpci_archive_bytes(a, v->lanes[i].came, (bytes + 7) / 8);
    }
}

static void archive_under_way(gpci_timed *t, gpci_archive *a) {
    gpci_plain_values *v = t->values;
    if (a->status == GPC_OK && gpci_plain_values_carry(t) < 0) /* as gpci_coherent_values_archive */
        gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
    gpci_archive_bytes(a, v->carried, t->pool.fresh * sizeof *v->carried);
    archive_written(t, a);
}

void gpci_plain_values_archive(gpci_timed *t, gpci_archive *a) {
    gpci_plain_values *v = t->values;
    gpci_map_archive(t->context, &v->home, a);
    archive_lines(t->context, (void **)&v->home_lines, &v->home_room, v->home.count, sizeof *v->home_lines, a);
    for (uint32_t sm = 0; sm < t->h->sms; sm++)
        gpci_map_archive(t->context, &v->l1[sm], a);
    v->l1_count = (size_t)gpci_archive_count(a, v->l1_count, sizeof *v->l1_lines);
    archive_lines(t->context, (void **)&v->l1_lines, &v->l1_room, v->l1_count, sizeof *v->l1_lines, a);
    GPCI_ARCHIVE_FIELD(a, v->order);
    archive_under_way(t, a);
}

/* Lines. */

static uint64_t number_of(const gpci_timed *t, uint64_t address) {
    return address >> t->h->l2_level.line_shift;
}

static gpci_home_line *home_of(const gpci_timed *t, uint64_t address) {
    const gpci_map_entry *entry = gpci_map_find(&t->values->home, number_of(t, address));
    return entry ? &t->values->home_lines[entry->value] : NULL;
}

static gpci_l1_line *l1_of(const gpci_timed *t, uint32_t sm, uint64_t address) {
    const gpci_map_entry *entry = gpci_map_find(&t->values->l1[sm], number_of(t, address));
    return entry ? &t->values->l1_lines[entry->value] : NULL;
}

static bool reserve_line(gpci_timed *t, uint32_t sm, uint64_t line) {
    gpci_plain_values *v = t->values;
    const uint32_t home = v->home.count;
    if (!gpci_map_find(&v->home, line)) {
        if (!GPCI_ARRAY_ROOM(t->context, v->home_lines, v->home_room, home, 1) ||
            !gpci_map_reserve(t->context, &v->home, 1))
            return false;
        memset(&v->home_lines[home], 0, sizeof v->home_lines[home]);
        gpci_map_add(&v->home, line, home);
    }
    if (gpci_map_find(&v->l1[sm], line))
        return true;
    if (!GPCI_ARRAY_ROOM(t->context, v->l1_lines, v->l1_room, v->l1_count, 1) ||
        !gpci_map_reserve(t->context, &v->l1[sm], 1))
        return false;
    memset(&v->l1_lines[v->l1_count], 0, sizeof v->l1_lines[v->l1_count]);
    gpci_map_add(&v->l1[sm], line, v->l1_count++);
    return true;
}

/* Make room for lines of local memory, accessed by a replay without values. */
static gpc_status reserve_local(gpci_timed *t, const gpc_warp_access *w) {
    gpci_transaction lines[GPCI_MAX_TRANSACTIONS];
    const uint32_t count = gpci_access_touches(t->h, w, lines);
    for (uint32_t i = 0; i < count; i++)
        if (!reserve_line(t, w->sm, number_of(t, lines[i].address)))
            return GPC_ERROR_MEMORY;
    return GPC_OK;
}

gpc_status gpci_plain_values_reserve(gpci_timed *t, const gpc_warp_access *w) {
    gpci_plain_values *v = t->values;
    const uint32_t lanes = gpci_value_lanes(w);
    if (!GPCI_ARRAY_ROOM(t->context, v->lanes, v->lane_room, 0, t->inflight_room))
        return GPC_ERROR_MEMORY;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const uint64_t last = number_of(t, w->addresses[lane] + (w->width - 1));
        for (uint64_t line = number_of(t, w->addresses[lane]);; line = number_of(t, UINT64_MAX) & (line + 1)) {
            if (!reserve_line(t, w->sm, line))
                return GPC_ERROR_MEMORY;
            if (line == last)
                break;
        }
    }
    return w->local_offsets ? reserve_local(t, w) : GPC_OK;
}

void gpci_plain_values_keep(gpci_timed *t, uint32_t inflight, const gpc_warp_access *w) {
    gpci_plain_lanes *kept = &t->values->lanes[inflight];
    const size_t bytes = (size_t)gpci_popcount(w->mask) * w->width;
    memset(kept->own, 0, sizeof kept->own);
    memset(kept->came, 0, sizeof kept->came);
    if (w->bytes)
        memcpy(kept->bytes, w->bytes, bytes);
    if (w->compare)
        memcpy(kept->compare, w->compare, bytes);
}

/* Lanes of a packet's line; false for packets without an access. */
static bool lanes_of(const gpci_timed *t, const gpci_packet *p, gpci_lanes *lanes) {
    if (p->line.inflight == UINT32_MAX)
        return false;
    const gpci_kept_access *kept = &t->kept[p->line.inflight];
    const gpci_plain_lanes *written = &t->values->lanes[p->line.inflight];
    *lanes = gpci_kept_lanes(t, p->line.inflight);
    lanes->bytes = kept->shape.bytes ? written->bytes : NULL;
    lanes->compare = kept->shape.compare ? written->compare : NULL;
    return true;
}

/* A packet's place in the pool. */
static uint32_t place_of(const gpci_timed *t, const gpci_packet *p) {
    for (uint32_t chunk = 0; chunk < t->pool.chunk_count; chunk++) {
        const uintptr_t at = (uintptr_t)p - (uintptr_t)t->pool.chunks[chunk];
        if (at / sizeof *p < GPCI_POOL_CHUNK)
            return chunk * GPCI_POOL_CHUNK + (uint32_t)(at / sizeof *p);
    }
    return GPCI_NO_PACKET;
}

/* NULL for example for a fence's write-back. */
static gpci_carried_values *carried_by(const gpci_timed *t, uint32_t packet) {
    return packet < t->values->carried_room ? &t->values->carried[packet] : NULL;
}

/* `order` of a line transaction at L1's tags: TLBs let lines of an instruction wait apart. */
static uint64_t looked_at(const gpci_timed *t, const gpci_packet *p) {
    const gpci_carried_values *c = carried_by(t, place_of(t, p));
    return c ? c->looked : 0;
}

static bool has_segment(uint8_t segments, uint32_t byte) {
    return segments >> byte / GPCI_SEGMENT & 1;
}

/* Called for a byte of a lane: number among the lanes' bytes, and place in the line. */
typedef void (*byte_fn)(void *data, size_t byte, uint64_t at);

/* Visit the bytes of lanes inside a packet's line. */
static void each_byte(const gpci_timed *t, const gpci_packet *p, const gpci_lanes *lanes, byte_fn call, void *data) {
    for (uint32_t lane = 0; lane < lanes->count; lane++)
        for (uint32_t i = 0; i < lanes->width; i++) {
            const uint64_t at = lanes->addresses[lane] + i - p->address;
            if (at < t->h->l2_level.line_bytes)
                call(data, (size_t)lane * lanes->width + i, at);
        }
}

/* Data for visiting bytes. */
typedef struct byte_walk {
    const gpci_lanes *lanes;
    uint8_t *bytes;     /* of the line */
    gpci_l1_line *line; /* in the SM's L1; or NULL */
    gpci_plain_lanes *kept;
    uint64_t order, looked; /* now; of a load, at L1's tags */
    uint8_t segments;       /* segments for a load */
} byte_walk;

static uint8_t byte_to_store(const byte_walk *w, size_t byte) {
    return w->lanes->bytes ? w->lanes->bytes[byte] : 0;
}

/* A store passes L1's tags. */
static void store_in_l1(void *data, size_t byte, uint64_t at) {
    const byte_walk *w = data;
    w->line->bytes[at] = byte_to_store(w, byte);
    w->line->stored[at] = w->order;
    w->line->pending[at]++;
}

/* The home slice performs a store. */
static void store_at_home(void *data, size_t byte, uint64_t at) {
    const byte_walk *w = data;
    w->bytes[at] = byte_to_store(w, byte);
    if (!w->line || !w->line->pending[at])
        return;
    w->line->pending[at]--;
    w->line->performed[at] = w->order;
}

/* A load passes L1's tags. */
static void load_in_l1(void *data, size_t byte, uint64_t at) {
    const byte_walk *w = data;
    const uint8_t bit = (uint8_t)(1u << byte % 8);
    w->lanes->out[byte] = w->line->bytes[at];
    w->kept->own[byte / 8] = (uint8_t)((w->kept->own[byte / 8] & ~bit) | (w->line->pending[at] ? bit : 0));
    w->kept->came[byte / 8] &= (uint8_t)~bit;
}

/*
 * A read brings what a load waits for. The first read counts, for a later read may have later stores. Where the SM has
 * stored to a byte behind the load, the load has what was there before: what the read brought, or what the SM had
 * stored earlier, which the load took at L1's tags.
 */
static void load_what_came(void *data, size_t byte, uint64_t at) {
    const byte_walk *w = data;
    const uint8_t bit = (uint8_t)(1u << byte % 8);
    if (!has_segment(w->segments, (uint32_t)at) || w->kept->came[byte / 8] & bit)
        return;
    w->kept->came[byte / 8] |= bit;
    const uint64_t performed = w->line->performed[at];
    const bool own = w->kept->own[byte / 8] & bit, since = performed > w->looked,
               newer = performed > w->line->served[at / GPCI_SEGMENT]; /* than the read */
    if (w->line->stored[at] <= w->looked)
        w->lanes->out[byte] = w->line->brought[at];
    else if (own ? since && !newer : since || !newer)
        w->lanes->out[byte] = w->line->came[at];
}

/* The home slice is about to change a line; `bytes`: before that. */
static void load_what_was(void *data, size_t byte, uint64_t at) {
    const byte_walk *w = data;
    const uint8_t bit = (uint8_t)(1u << byte % 8);
    if (!has_segment(w->segments, (uint32_t)at) || w->kept->came[byte / 8] & bit)
        return;
    w->kept->came[byte / 8] |= bit;
    w->lanes->out[byte] = w->bytes[at];
}

/*
 * A change of an SM is about to be performed. Loads of the SM from before the change may still wait in L1, for a read
 * of another SM, or a later one of their own: the change is not for the loads.
 */
static void spare_older_loads(const gpci_timed *t, const gpci_packet *change, uint8_t *bytes) {
    const gpci_ctrl *ctrl = &t->l1[t->inflights[change->line.inflight].sm];
    const uint64_t looked = looked_at(t, change);
    uint32_t packet = ctrl->cache ? gpci_mshr_find(t, ctrl, change->address) : GPCI_NO_PACKET;
    for (uint32_t mshr_entry = packet; packet != GPCI_NO_PACKET;) {
        const gpci_packet *p = gpci_packet_at(&t->pool, packet);
        gpci_lanes lanes;
        byte_walk w = {.lanes = &lanes, .bytes = bytes, .segments = p->mshr.needs};
        if (p->line.kind == GPC_LOAD && lanes_of(t, p, &lanes) && lanes.out) {
            w.kept = &t->values->lanes[p->line.inflight];
            if (looked_at(t, p) < looked)
                each_byte(t, p, &lanes, load_what_was, &w);
        }
        packet = packet == mshr_entry ? p->mshr.first : *gpci_next_of(&t->pool, packet);
    }
}

/* Lane after lane, at the home slice. */
static void perform(const gpci_timed *t, const gpci_packet *p, const gpci_lanes *lanes, uint8_t *bytes) {
    spare_older_loads(t, p, bytes);
    for (uint32_t lane = 0; lane < lanes->count; lane++) {
        const uint64_t at = lanes->addresses[lane] - p->address;
        const size_t value = (size_t)lane * lanes->width;
        if (at >= t->h->l2_level.line_bytes)
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

/* A packet's way. */

/* A load takes bytes present in L1; the rest comes with the reply. */
static void looked_in_l1(gpci_timed *t, const gpci_ctrl *ctrl, const gpci_packet *p, const gpci_lanes *lanes) {
    byte_walk w = {.lanes = lanes,
                   .line = l1_of(t, ctrl->index, p->address),
                   .kept = &t->values->lanes[p->line.inflight],
                   .order = ++t->values->order};
    gpci_carried_values *c = carried_by(t, place_of(t, p));
    if (p->line.kind == GPC_STORE)
        each_byte(t, p, lanes, store_in_l1, &w);
    else if (p->line.kind == GPC_LOAD && lanes->out)
        each_byte(t, p, lanes, load_in_l1, &w);
    if (c)
        c->looked = w.order;
}

void gpci_plain_hit(gpci_timed *t, const gpci_ctrl *ctrl, const gpci_packet *p) {
    gpci_lanes lanes;
    if (p->line.kind == GPC_LOAD && lanes_of(t, p, &lanes))
        looked_in_l1(t, ctrl, p, &lanes);
}

static void store_of(gpci_timed *t, const gpci_packet *p, const gpci_lanes *lanes, uint8_t *bytes) {
    byte_walk w = {.lanes = lanes,
                   .bytes = bytes,
                   .line = p->line.kind == GPC_STORE ? l1_of(t, t->inflights[p->line.inflight].sm, p->address) : NULL,
                   .order = ++t->values->order};
    spare_older_loads(t, p, bytes);
    each_byte(t, p, lanes, store_at_home, &w);
}

/* Perform a store, then joined stores (combine.h). */
static void store_with_joined(gpci_timed *t, const gpci_packet *p, gpci_lanes *lanes) {
    uint8_t *bytes = home_of(t, p->address)->bytes;
    store_of(t, p, lanes, bytes);
    if (!(p->flags & GPCI_PACKET_JOINED))
        return;
    for (uint32_t joined = p->line.mshr_target; joined != GPCI_NO_PACKET; joined = t->pool.links[joined].next) {
        const gpci_packet *j = gpci_packet_at(&t->pool, joined);
        if (lanes_of(t, j, lanes))
            store_of(t, j, lanes, bytes);
    }
}

static bool is_home(const gpci_timed *t, const gpci_ctrl *slice, const gpci_packet *p) {
    return !slice->networks.peer_requests ||
           gpci_l2_home(t->h, p->address) == slice->index / t->h->slices_per_partition;
}

/* A read takes the value of its line at the lookup in the home slice: stores behind the read are not in the value. */
static void read_at_home(gpci_timed *t, const gpci_packet *p) {
    gpci_carried_values *c = carried_by(t, place_of(t, p));
    const gpci_home_line *home = home_of(t, p->address);
    if (!c || !home)
        return;
    memcpy(c->bytes, home->bytes, sizeof c->bytes);
    t->values->order++;
    for (uint32_t s = 0; s < SEGMENTS; s++)
        c->served[s] = t->values->order;
}

void gpci_plain_looked(gpci_timed *t, const gpci_ctrl *ctrl, const gpci_packet *p) {
    gpci_lanes lanes;
    if (ctrl->level == 2 && p->type == GPCI_READ) {
        if (is_home(t, ctrl, p))
            read_at_home(t, p);
        return;
    }
    if (!lanes_of(t, p, &lanes))
        return;
    if (ctrl->level == 1)
        looked_in_l1(t, ctrl, p, &lanes);
    else if (p->type == GPCI_WRITE || (p->type == GPCI_ATOMIC && !lanes.op))
        store_with_joined(t, p, &lanes);
    else if (p->type == GPCI_ATOMIC)
        perform(t, p, &lanes, home_of(t, p->address)->bytes);
}

void gpci_plain_served(gpci_timed *t, const gpci_ctrl *slice, const gpci_packet *p) {
    const gpci_home_line *home = home_of(t, p->address);
    if (p->type != GPCI_READ || !home || is_home(t, slice, p))
        return;
    gpci_carried_values *c = carried_by(t, place_of(t, p));
    for (uint32_t i = 0; c && i < sizeof c->bytes; i++)
        if (has_segment(home->copied, i)) {
            c->bytes[i] = home->copy[i];
            c->served[i / GPCI_SEGMENT] = home->copy_served[i / GPCI_SEGMENT];
        }
}

void gpci_plain_copied(gpci_timed *t, uint32_t packet) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    const gpci_carried_values *c = carried_by(t, packet);
    gpci_home_line *home = home_of(t, p->address);
    if (!c || !home || !(p->flags & GPCI_PACKET_FETCH))
        return;
    home->copied |= p->segments;
    for (uint32_t i = 0; i < sizeof c->bytes; i++)
        if (has_segment(p->segments, i)) {
            home->copy[i] = c->bytes[i];
            home->copy_served[i / GPCI_SEGMENT] = c->served[i / GPCI_SEGMENT];
        }
}

/* Segments of a line present in an L1. */
static uint8_t valid_segments(const gpci_timed *t, uint32_t sm, uint64_t address) {
    gpc_line line;
    if (!t->h->l1 || !gpci_line_of(t->h->l1[sm], address, &line))
        return 0;
    return t->h->l1_level.segments_of[line.valid_sectors];
}

/* All that wait with an MSHR entry of L1 have what a fetch of the entry has brought. */
static void hand_on(gpci_timed *t, uint32_t sm, const gpci_packet *fetch) {
    const gpci_ctrl *ctrl = &t->l1[sm];
    const uint32_t mshr_entry = gpci_mshr_look(t, ctrl, gpci_ctrl_line(ctrl, fetch->address), &fetch->entry).mshr_entry;
    for (uint32_t packet = mshr_entry; packet != GPCI_NO_PACKET;) {
        const gpci_packet *p = gpci_packet_at(&t->pool, packet);
        gpci_plain_replied(t, p, p->mshr.needs & fetch->segments);
        packet = packet == mshr_entry ? p->mshr.first : *gpci_next_of(&t->pool, packet);
    }
}

void gpci_plain_back(gpci_timed *t, uint32_t sm, uint32_t packet) {
    const gpci_packet *p = gpci_packet_at(&t->pool, packet);
    const gpci_carried_values *c = carried_by(t, packet);
    gpci_l1_line *line = l1_of(t, sm, p->address);
    if (!c || !line || (p->request.kind != GPC_LOAD && p->request.kind != GPC_PREFETCH && p->line.kind != GPC_STORE))
        return;
    const uint8_t valid = valid_segments(t, sm, p->address);
    for (uint32_t i = 0; i < t->h->l2_level.line_bytes; i++) {
        if (!has_segment(p->segments, i))
            continue;
        const bool own = line->pending[i] || line->performed[i] > c->served[i / GPCI_SEGMENT];
        line->came[i] = c->bytes[i];
        line->served[i / GPCI_SEGMENT] = c->served[i / GPCI_SEGMENT];
        line->brought[i] = own ? line->bytes[i] : c->bytes[i];
        if (!has_segment(valid, i))
            line->bytes[i] = line->brought[i];
    }
    if (p->flags & GPCI_PACKET_FETCH)
        hand_on(t, sm, p);
}

void gpci_plain_shared(gpci_timed *t, uint32_t from, uint32_t to) {
    const gpci_carried_values *f = carried_by(t, from);
    gpci_carried_values *c = carried_by(t, to);
    if (!f || !c)
        return;
    memcpy(c->bytes, f->bytes, sizeof c->bytes);
    memcpy(c->served, f->served, sizeof c->served);
}

void gpci_plain_replied(gpci_timed *t, const gpci_packet *p, uint8_t segments) {
    gpci_lanes lanes;
    if (p->line.kind != GPC_LOAD || !lanes_of(t, p, &lanes) || !lanes.out)
        return;
    byte_walk w = {.lanes = &lanes,
                   .line = l1_of(t, t->inflights[p->line.inflight].sm, p->address),
                   .kept = &t->values->lanes[p->line.inflight],
                   .looked = looked_at(t, p),
                   .segments = segments};
    each_byte(t, p, &lanes, load_what_came, &w);
}
