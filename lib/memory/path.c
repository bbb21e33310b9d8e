/* SPDX-License-Identifier: BSD-2-Clause */
#include "memory/hierarchy.h"

#include "cache/internal.h"

/*
 * The functional way of a line transaction: L1, the SM's own L2 partition, the
 * line's home partition, DRAM, and the evictions that this causes. Counts are in
 * 32-byte segments whatever the levels' sectors are.
 *
 * Two partitions, line homed in the other one (H100): a read that misses in the
 * SM's own slice goes on to the home slice and leaves a copy in both; a write goes
 * to the home slice and drops the copy.
 */

/* A line's home, at a grain of 4 KiB: hashed, for hardware's own choice is unknown. */
static uint32_t home_of(const gpc_hierarchy *h, uint64_t address) {
    return h->partitions == 2 ? (uint32_t)(gpci_mix(address >> 12) >> 63) : 0;
}

/* Where an address is in L2. */
typedef struct place {
    uint32_t slice; /* within a partition */
    uint64_t inner; /* address within the slice */
    unsigned shift; /* of an L1 line's segments within the L2 line */
} place;

static place place_of(const gpc_hierarchy *h, uint64_t address) {
    place p;
    p.slice = gpci_interleave_slice(&h->interleave, address, &p.inner);
    p.shift = (unsigned)(address & (h->l2_level.line_bytes - 1)) / GPCI_SEGMENT;
    return p;
}

static gpc_cache *slice_at(const gpc_hierarchy *h, uint32_t partition, const place *p) {
    return h->l2[partition * h->slices_per_partition + p->slice];
}

static gpc_request request_for(const gpc_hierarchy *h, const gpci_access *a) {
    const gpc_warp_access *w = a->warp;
    unsigned used = gpci_popcount(a->line->bytes[0]) + gpci_popcount(a->line->bytes[1]);
    return (gpc_request){.address = a->line->address,
                         .pc = w->pc,
                         .sm = w->sm,
                         .warp = w->warp,
                         .warp_age = w->warp_age,
                         .block = w->block,
                         .kernel = h->kernel,
                         .transactions = (uint16_t)a->transactions,
                         .bytes_used = (uint16_t)used,
                         .kind = w->kind,
                         .space = w->space,
                         .hint = w->hint,
                         .priority = w->priority,
                         .token = w->token};
}

static void write_dram(gpc_hierarchy *h, uint32_t segments) {
    h->stats.dram_write_sectors += segments;
}

static void read_dram(gpc_hierarchy *h, const gpci_access *a, uint32_t segments) {
    h->stats.dram_read_sectors += segments;
    a->result->dram_sectors += segments;
}

/* Segments of a line that hold any of the bytes. */
static uint8_t segments_of_bytes(const uint64_t bytes[2]) {
    uint8_t segments = 0;
    for (unsigned s = 0; s < 4; s++)
        segments |= (uint8_t)((bytes[s / 2] >> (s % 2 * 32) & 0xffffffffu ? 1u : 0u) << s);
    return segments;
}

/* Segments of which every byte is set. */
static uint8_t whole_segments(const uint64_t bytes[2]) {
    uint8_t segments = 0;
    for (unsigned s = 0; s < 4; s++)
        segments |= (uint8_t)(((uint32_t)(bytes[s / 2] >> (s % 2 * 32)) == UINT32_MAX ? 1u : 0u) << s);
    return segments;
}

/* Bytes of a resident line that the level below does not have. */
static void dirty_bytes_of(const gpc_cache *cache, const gpc_line *line, uint64_t bytes[2]) {
    gpci_bytes dirty = gpci_bytes_of(cache, line->dirty_sectors);
    for (unsigned word = 0; word < 2; word++)
        bytes[word] = dirty.word[word] & (cache->written ? line->written_bytes[word] : UINT64_MAX);
}

/* Inclusion: a line that leaves L2 leaves every L1, and what they have of it that is dirty goes to DRAM. */
static void take_from_l1(gpc_hierarchy *h, uint64_t address) {
    for (uint32_t sm = 0; sm < h->sms; sm++)
        for (uint32_t at = 0; at < h->l2_level.line_bytes; at += h->l1_level.line_bytes) {
            gpc_line line;
            if (!gpci_line_of(h->l1[sm], address + at, &line))
                continue;
            uint64_t bytes[2];
            dirty_bytes_of(h->l1[sm], &line, bytes);
            h->stats.l1_write_back_sectors += gpci_popcount(segments_of_bytes(bytes));
            write_dram(h, gpci_popcount(segments_of_bytes(bytes)));
            gpc_cache_invalidate_line(h->l1[sm], address + at);
        }
}

/* Dirty bytes of an L2 line go to DRAM. */
static void l2_write_back(gpc_hierarchy *h, const uint64_t bytes[2]) {
    uint32_t segments = gpci_popcount(segments_of_bytes(bytes));
    h->stats.l2_write_back_sectors += segments;
    write_dram(h, segments);
}

static void l2_evicted(gpc_hierarchy *h, uint32_t slice, const gpc_eviction *eviction) {
    l2_write_back(h, eviction->dirty_bytes);
    if (h->inclusive && h->l1)
        take_from_l1(h, gpci_interleave_address(&h->interleave, slice, eviction->line_address));
}

static gpc_status l2_access(gpc_hierarchy *h, uint32_t partition, const place *p, const gpc_request *request,
                            gpc_access_result *result) {
    gpc_status status = gpc_cache_access(slice_at(h, partition, p), request, result);
    if (status == GPC_OK && result->evicted)
        l2_evicted(h, p->slice, &result->eviction);
    return status;
}

/* Segments of the L2 line, read through the SM's own partition. Returns those found there in `hits`. */
static gpc_status l2_read(gpc_hierarchy *h, const gpci_access *a, gpc_request request, uint8_t segments,
                          uint8_t *hits, uint32_t *reply_word) {
    const gpci_level *level = &h->l2_level;
    place p = place_of(h, request.address);
    uint32_t own = h->sm_partition[a->warp->sm], home = home_of(h, request.address);
    gpc_access_result result;
    request.address = p.inner;
    request.sector_mask = level->sectors_of[segments << p.shift];
    gpc_status status = l2_access(h, own, &p, &request, &result);
    if (status < 0)
        return status;
    *reply_word = gpc_cache_respond(slice_at(h, own, &p), &request);
    *hits = (uint8_t)(level->segments_of[result.hit_sectors] >> p.shift) & segments;
    if (!result.fetch_sectors)
        return GPC_OK;
    if (home != own) {
        h->stats.l2_remote_sectors += gpci_popcount(level->segments_of[result.fetch_sectors]);
        request.sector_mask = result.fetch_sectors;
        request.policy_word = result.policy_word;
        status = l2_access(h, home, &p, &request, &result);
    }
    if (status == GPC_OK)
        read_dram(h, a, gpci_popcount(level->segments_of[result.fetch_sectors]));
    return status;
}

/* A read of segments of an L1 line, by L1 or past it. */
static gpc_status read_below(gpc_hierarchy *h, const gpci_access *a, const gpc_request *request, uint8_t segments,
                             uint32_t *reply_word) {
    uint8_t hits = 0;
    *reply_word = 0;
    if (!h->l2) {
        read_dram(h, a, gpci_popcount(segments));
        return GPC_OK;
    }
    gpc_status status = l2_read(h, a, *request, segments, &hits, reply_word);
    h->stats.l2_read_sectors += gpci_popcount(segments);
    h->stats.l2_read_sector_hits += gpci_popcount(hits);
    a->result->l2_sectors += gpci_popcount(segments);
    a->result->l2_sector_hits += gpci_popcount(hits);
    return status;
}

/* A line changes in its home slice: no copy stays behind in the other partition. */
static void keep_home_only(gpc_hierarchy *h, const gpci_access *a, uint32_t home, const place *p, uint32_t segments) {
    h->stats.l2_remote_sectors += h->sm_partition[a->warp->sm] != home ? segments : 0;
    gpc_cache_invalidate_line(slice_at(h, !home, p), p->inner);
}

/* A write of bytes of an L1 line. */
static gpc_status l2_write(gpc_hierarchy *h, const gpci_access *a, gpc_request request, const uint64_t bytes[2]) {
    const gpci_level *level = &h->l2_level;
    uint8_t segments = segments_of_bytes(bytes);
    place p = place_of(h, request.address);
    uint32_t home = home_of(h, request.address);
    unsigned shift = p.shift * GPCI_SEGMENT;
    gpc_access_result result;
    if (h->partitions == 2)
        keep_home_only(h, a, home, &p, gpci_popcount(segments));
    request.address = p.inner;
    request.kind = GPC_STORE;
    request.sector_mask = level->sectors_of[segments << p.shift];
    request.byte_mask[0] = shift < 64 ? bytes[0] << shift : 0;
    request.byte_mask[1] = shift >= 64 ? bytes[0] << (shift - 64) : bytes[1] | (shift ? bytes[0] >> (64 - shift) : 0);
    gpc_status status = l2_access(h, home, &p, &request, &result);
    if (status < 0)
        return status;
    uint8_t hits = (uint8_t)(level->segments_of[result.hit_sectors] >> p.shift) & segments;
    hits |= whole_segments(bytes);
    h->stats.l2_write_sectors += gpci_popcount(segments);
    h->stats.l2_write_sector_hits += gpci_popcount(hits);
    a->result->l2_sectors += gpci_popcount(segments);
    a->result->l2_sector_hits += gpci_popcount(hits);
    read_dram(h, a, gpci_popcount(level->segments_of[result.fetch_sectors]));
    write_dram(h, gpci_popcount(segments_of_bytes(result.write_bytes)));
    return GPC_OK;
}

static gpc_status write_below(gpc_hierarchy *h, const gpci_access *a, const gpc_request *request,
                              const uint64_t bytes[2]) {
    if (h->l2)
        return l2_write(h, a, *request, bytes);
    write_dram(h, gpci_popcount(segments_of_bytes(bytes)));
    return GPC_OK;
}

/* A line that L1 gave up: its dirty bytes go below. */
static gpc_status l1_evicted(gpc_hierarchy *h, const gpci_access *a, const gpc_eviction *eviction) {
    if (!eviction->dirty_sectors)
        return GPC_OK;
    gpc_request request = {.address = eviction->line_address, .sm = a->warp->sm, .kernel = h->kernel};
    h->stats.l1_write_back_sectors += gpci_popcount(segments_of_bytes(eviction->dirty_bytes));
    return write_below(h, a, &request, eviction->dirty_bytes);
}

gpc_status gpci_path_load(gpc_hierarchy *h, const gpci_access *a) {
    const gpci_level *level = &h->l1_level;
    gpc_cache *l1 = gpci_l1_for(h, a->warp);
    gpc_request request = request_for(h, a);
    uint8_t segments = a->line->segments;
    uint32_t word;
    if (!l1)
        return read_below(h, a, &request, segments, &word);
    gpc_access_result result;
    request.sector_mask = level->sectors_of[segments];
    gpc_status status = gpc_cache_lookup(l1, &request, &result);
    if (status < 0)
        return status;
    uint32_t hits = gpci_popcount(level->segments_of[result.hit_sectors] & segments);
    h->stats.l1_load_sector_hits += a->warp->kind == GPC_LOAD ? hits : 0;
    a->result->l1_sector_hits += hits;
    if (!result.fetch_sectors)
        return GPC_OK;
    /* a bypass moves the segments it needs, a fill whole sectors */
    gpc_decision decision = result.outcome == GPC_BYPASSED ? GPC_BYPASS : GPC_CACHE;
    uint8_t wanted = decision == GPC_BYPASS ? segments : level->segments_of[result.fetch_sectors];
    gpc_request down = request;
    down.sector_mask = 0;
    down.policy_word = result.policy_word;
    status = read_below(h, a, &down, wanted, &word);
    if (status < 0)
        return status;
    h->stats.l1_fetched_sectors += gpci_popcount(wanted);
    gpc_decision verdict = gpc_cache_reply(l1, &request, decision, word);
    h->overturned += (uint64_t)verdict - (uint64_t)decision;
    if (verdict == GPC_BYPASS) {
        h->stats.l1_bypassed_sectors += gpci_popcount(wanted);
        return GPC_OK;
    }
    uint8_t rest = level->segments_of[result.fetch_sectors] & (uint8_t)~wanted;
    if (rest) {
        status = read_below(h, a, &down, rest, &word);
        h->stats.l1_fetched_sectors += gpci_popcount(rest);
    }
    if (status == GPC_OK)
        status = gpc_cache_fill(l1, &request, result.fetch_sectors, &result);
    if (status == GPC_OK && result.outcome == GPC_BYPASSED) /* the policy would not give up any line for it */
        h->stats.l1_bypassed_sectors += gpci_popcount(wanted | rest);
    return status == GPC_OK && result.evicted ? l1_evicted(h, a, &result.eviction) : status;
}

gpc_status gpci_path_store(gpc_hierarchy *h, const gpci_access *a) {
    const gpci_level *level = &h->l1_level;
    gpc_cache *l1 = gpci_l1_for(h, a->warp);
    gpc_request request = request_for(h, a);
    if (!l1)
        return write_below(h, a, &request, a->line->bytes);
    gpc_access_result result;
    request.sector_mask = level->sectors_of[a->line->segments];
    request.byte_mask[0] = a->line->bytes[0];
    request.byte_mask[1] = a->line->bytes[1];
    gpc_status status = gpc_cache_access(l1, &request, &result);
    if (status < 0)
        return status;
    h->stats.l1_store_sector_hits += gpci_popcount(level->segments_of[result.hit_sectors] & a->line->segments);
    gpc_request down = request;
    down.sector_mask = 0;
    if (result.evicted)
        status = l1_evicted(h, a, &result.eviction);
    if (status == GPC_OK && result.fetch_sectors) {
        uint32_t word;
        gpc_request fetch = down;
        fetch.kind = GPC_LOAD;
        fetch.byte_mask[0] = fetch.byte_mask[1] = 0;
        fetch.policy_word = result.policy_word;
        h->stats.l1_fetched_sectors += gpci_popcount(level->segments_of[result.fetch_sectors]);
        status = read_below(h, a, &fetch, level->segments_of[result.fetch_sectors], &word);
    }
    if (status == GPC_OK && result.write_sectors)
        status = write_below(h, a, &down, result.write_bytes);
    return status;
}

/* Performed at L2, in the home slice; L1 only drops what it holds. */
gpc_status gpci_path_atomic(gpc_hierarchy *h, const gpci_access *a) {
    gpc_cache *l1 = gpci_l1_for(h, a->warp);
    gpc_request request = request_for(h, a);
    gpc_access_result result;
    gpc_status status = GPC_OK;
    if (l1) {
        request.sector_mask = h->l1_level.sectors_of[a->line->segments];
        status = gpc_cache_access(l1, &request, &result);
        if (status == GPC_OK && result.evicted)
            status = l1_evicted(h, a, &result.eviction);
        if (status < 0)
            return status;
    }
    uint32_t segments = gpci_popcount(a->line->segments);
    if (!h->l2) {
        read_dram(h, a, segments);
        write_dram(h, segments);
        return GPC_OK;
    }
    place p = place_of(h, request.address);
    uint32_t home = home_of(h, request.address);
    if (h->partitions == 2)
        keep_home_only(h, a, home, &p, segments);
    request.address = p.inner;
    request.sector_mask = h->l2_level.sectors_of[a->line->segments << p.shift];
    status = l2_access(h, home, &p, &request, &result);
    if (status < 0)
        return status;
    uint8_t hits = (uint8_t)(h->l2_level.segments_of[result.hit_sectors] >> p.shift) & a->line->segments;
    h->stats.l2_atomic_sectors += segments;
    h->stats.l2_atomic_sector_hits += gpci_popcount(hits);
    a->result->l2_sectors += segments;
    a->result->l2_sector_hits += gpci_popcount(hits);
    read_dram(h, a, gpci_popcount(h->l2_level.segments_of[result.fetch_sectors]));
    if (result.write_sectors)
        write_dram(h, segments);
    return GPC_OK;
}

/*
 * Dirty lines of an L1, in order of set and way, each passed on; then nothing is left in it. A line is dropped before
 * it is passed on: an inclusive L2 that must make room for it may ask for lines of this L1, and must not find it twice.
 */
static gpc_status empty(gpc_hierarchy *h, gpc_cache *cache, uint32_t sm) {
    gpc_warp_result ignored = GPC_WARP_RESULT_INIT;
    gpc_warp_access warp = GPC_WARP_ACCESS_INIT;
    gpci_access a = {.warp = &warp, .result = &ignored};
    gpc_line line;
    warp.sm = sm;
    for (uint64_t cursor = 0; gpc_cache_next_line(cache, &cursor, &line) == GPC_OK;) {
        if (!line.dirty_sectors)
            continue;
        gpc_eviction eviction = {.line_address = line.line_address, .dirty_sectors = line.dirty_sectors};
        dirty_bytes_of(cache, &line, eviction.dirty_bytes);
        gpc_cache_invalidate_line(cache, line.line_address);
        gpc_status status = l1_evicted(h, &a, &eviction);
        if (status < 0)
            return status;
    }
    return gpc_cache_invalidate_all(cache);
}

gpc_status gpci_path_flush_l1(gpc_hierarchy *h) {
    gpc_status status = GPC_OK;
    for (uint32_t sm = 0; h->l1 && sm < h->sms && status == GPC_OK; sm++)
        status = empty(h, h->l1[sm], sm);
    return status;
}

gpc_status gpci_path_flush_l2(gpc_hierarchy *h) {
    for (uint32_t i = 0; h->l2 && i < h->slices; i++) {
        gpc_line line;
        gpc_cache *slice = h->l2[i];
        for (uint64_t cursor = 0; gpc_cache_next_line(slice, &cursor, &line) == GPC_OK;) {
            uint64_t bytes[2];
            dirty_bytes_of(slice, &line, bytes);
            l2_write_back(h, bytes);
        }
        gpc_cache_invalidate_all(slice);
    }
    return GPC_OK;
}
