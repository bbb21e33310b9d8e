/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle/reference_internal.h"

#include <string.h>

/* The three steps, and an access with all of them. */

static gpc_write_policy write_policy(const model *m, const gpc_request *r) {
    return (gpc_write_policy)(r->space == GPC_SPACE_LOCAL ? m->options.write_policy_local : m->options.write_policy);
}

/* Write evict never allocates. */
static gpc_write_allocate write_allocate(const model *m, const gpc_request *r) {
    if (write_policy(m, r) == GPC_WRITE_EVICT)
        return GPC_WRITE_NO_ALLOCATE;
    return (gpc_write_allocate)(r->space == GPC_SPACE_LOCAL ? m->options.write_allocate_local
                                                            : m->options.write_allocate);
}

static void tell_sectors(model *m, const decoded *d, uint32_t way, uint8_t sectors, const gpc_request *r) {
    if (!m->tells_fills || !sectors)
        return;
    event_log_add(&m->log, CALLBACK_FILL, d->set, way, r);
    m->log.events[m->log.count - 1].line_address = d->number * m->options.line_bytes;
    m->log.events[m->log.count - 1].sectors = sectors;
}

static bool predicts_bypass(model *m, const gpc_request *r, uint32_t set, gpc_access_result *result) {
    switch (m->predictor) {
    case MODEL_ALWAYS_BYPASS:
        return true;
    case MODEL_HINT:
        return r->hint == GPC_HINT_CG || r->hint == GPC_HINT_CV || r->hint == GPC_HINT_NO_ALLOCATE;
    case MODEL_DICE:
    case MODEL_DICE_BEFORE:
        event_log_add(&m->log, PREDICTOR_ASKED, set, 0, r);
        m->stats.predictions++;
        result->policy_word = dice(r).policy_word;
        return dice(r).decision == GPC_BYPASS;
    default:
        return false;
    }
}

/* -- writing */

/* Part of a write sent below: the bytes of `sectors`. */
static void write_below(model *m, const decoded *d, const bool *sectors, gpc_access_result *result) {
    result->write_sectors = mask_of(sectors);
    m->stats.write_below_sectors += count_of(sectors);
    for (uint32_t byte = 0; byte < 128 && m->options.line_bytes <= 128; byte++)
        if (d->bytes[byte] && sectors[byte / sector_bytes(m)])
            result->write_bytes[byte / 64] |= (uint64_t)1 << (byte % 64);
}

/*
 * Bytes reach a resident line, except in the sectors of `later`. A sector takes them if valid, in flight, or written
 * whole; with lazy fetch always.
 */
static void apply(model *m, const gpc_request *r, const decoded *d, model_line *line, uint8_t later) {
    bool lazy = r->kind == GPC_STORE && write_allocate(m, r) == GPC_WRITE_LAZY_FETCH;
    for (uint32_t s = 0; s < m->options.sectors; s++) {
        if (!d->need[s] || (later >> s & 1) || !(lazy || line->valid[s] || line->pending[s] || d->whole[s]))
            continue;
        line->dirty[s] |= write_policy(m, r) == GPC_WRITE_BACK;
        line->valid[s] |= d->whole[s];
        if (!has_byte_masks(m))
            continue;
        for (uint32_t byte = s * sector_bytes(m); byte < (s + 1) * sector_bytes(m); byte++)
            line->written[byte] |= d->bytes[byte];
    }
    /* bytes stored one by one make a sector valid, too */
    for (uint32_t s = 0; s < m->options.sectors && has_byte_masks(m); s++) {
        bool all = !line->pending[s];
        for (uint32_t byte = s * sector_bytes(m); byte < (s + 1) * sector_bytes(m); byte++)
            all &= line->written[byte];
        line->valid[s] |= all;
    }
}

static void apply_and_tell(model *m, const gpc_request *r, const decoded *d, uint32_t way, uint8_t later,
                           uint8_t arrived) {
    model_line *line = line_of(m, d->set, way);
    uint8_t before = mask_of(line->valid);
    for (int s = 0; s < 8; s++)
        if (arrived >> s & 1) {
            line->valid[s] = true;
            line->pending[s] = false;
        }
    if (!is_read(r))
        apply(m, r, d, line, later);
    tell_sectors(m, d, way, arrived | (mask_of(line->valid) & (uint8_t)~before), r);
}

/* -- lookup */

/* Whole aligned groups of the missing sectors. */
static void widen(const model *m, bool *missing) {
    uint32_t group = m->options.fetch_sectors;
    for (uint32_t first = 0; first < m->options.sectors; first += group) {
        bool any = false;
        for (uint32_t s = first; s < first + group; s++)
            any |= missing[s];
        for (uint32_t s = first; s < first + group; s++)
            missing[s] = any;
    }
}

static void fetch(model *m, bool *sectors, gpc_access_result *result) {
    result->fetch_sectors = mask_of(sectors);
    m->stats.fetched_sectors += count_of(sectors);
}

static void bypass_read(model *m, const decoded *d, gpc_access_result *result) {
    bool sectors[8];
    memcpy(sectors, d->need, sizeof sectors);
    result->outcome = GPC_BYPASSED;
    m->stats.bypasses++;
    m->stats.bypassed_sectors += count_of(sectors);
    fetch(m, sectors, result);
}

static void count_kind(model *m, const gpc_request *r, const decoded *d) {
    if (is_read(r)) {
        m->stats.reads++;
        m->stats.read_sectors += count_of(d->need);
    } else if (r->kind == GPC_STORE) {
        m->stats.writes++;
        m->stats.write_sectors += count_of(d->need);
    } else {
        m->stats.atomics++;
        m->stats.atomic_sectors += count_of(d->need);
    }
}

static void lookup_absent(model *m, const gpc_request *r, const decoded *d, gpc_access_result *result) {
    bool to_fetch[8], store = r->kind == GPC_STORE, keeps = !store || write_allocate(m, r) != GPC_WRITE_NO_ALLOCATE;
    m->stats.line_misses++;
    result->outcome = GPC_MISS;
    /* atomics performed here always allocate; before the tags the predictor has only been asked about reads */
    bool asked = is_read(r) && (m->predictor == MODEL_HINT || m->predictor == MODEL_DICE_BEFORE);
    if (keeps && !is_atomic(r) && !asked && predicts_bypass(m, r, d->set, result)) {
        if (!store) {
            bypass_read(m, d, result);
            return;
        }
        result->outcome = GPC_BYPASSED;
        m->stats.bypasses++;
        keeps = false;
    }
    if (!is_read(r) && (!keeps || write_policy(m, r) != GPC_WRITE_BACK))
        write_below(m, d, d->need, result);
    if (!keeps || (store && write_allocate(m, r) == GPC_WRITE_LAZY_FETCH)) {
        m->stats.write_sector_hits += keeps ? count_of(d->whole) : 0;
        m->stats.write_hits += keeps && count_of(d->whole) == count_of(d->need);
        return;
    }
    for (int s = 0; s < 8; s++)
        to_fetch[s] = d->need[s] && !d->whole[s];
    widen(m, to_fetch);
    for (int s = 0; s < 8; s++)
        to_fetch[s] &= !d->whole[s];
    fetch(m, to_fetch, result);
    if (store) {
        m->stats.write_sector_hits += count_of(d->whole);
        m->stats.write_hits += count_of(d->whole) == count_of(d->need);
    }
}

typedef struct findings {
    bool hit[8];     /* needed, and valid or in flight */
    bool waits[8];   /* needed, in flight, and not replaced by the request */
    bool missing[8]; /* needed, and neither present nor replaced */
    bool replaced[8];
} findings;

static gpc_outcome examine(const model *m, const gpc_request *r, const decoded *d, const model_line *line,
                           findings *f) {
    bool evicts = r->kind == GPC_STORE && write_policy(m, r) == GPC_WRITE_EVICT;
    for (uint32_t s = 0; s < 8; s++) {
        f->replaced[s] = d->whole[s] && !evicts;
        f->hit[s] = d->need[s] && (line->valid[s] || line->pending[s]);
        f->waits[s] = d->need[s] && line->pending[s] && !line->valid[s] && !f->replaced[s];
        f->missing[s] = d->need[s] && !f->hit[s] && !f->replaced[s];
    }
    return count_of(f->missing) ? GPC_SECTOR_MISS : count_of(f->waits) ? GPC_PENDING_HIT : GPC_HIT;
}

static void count_present(model *m, const gpc_request *r, const decoded *d, const model_line *line, const findings *f) {
    bool complete = !count_of(f->missing), kept[8];
    for (int s = 0; s < 8; s++)
        kept[s] = f->hit[s] || f->replaced[s];
    m->stats.sector_misses += !complete;
    if (is_read(r)) {
        m->stats.read_sector_hits += count_of(f->hit);
        m->stats.pending_sector_hits += count_of(f->waits);
        m->stats.read_hits += complete;
        m->stats.intra_warp_hits += complete && m->options.track_warps && line->warp == r->warp;
        m->stats.inter_warp_hits += complete && m->options.track_warps && line->warp != r->warp;
    } else if (r->kind == GPC_STORE) {
        m->stats.write_sector_hits += count_of(kept);
        m->stats.write_hits += complete;
    } else {
        m->stats.atomic_sector_hits += count_of(f->hit);
    }
    (void)d;
}

/* Reads for a miss of sectors of a resident line, and writes sent below. */
static void request_sectors(model *m, const gpc_request *r, const decoded *d, const model_line *line, findings *f,
                            gpc_access_result *result) {
    bool write = !is_read(r), reads = r->kind != GPC_STORE || write_allocate(m, r) == GPC_WRITE_FETCH;
    if (write && write_policy(m, r) != GPC_WRITE_BACK)
        write_below(m, d, d->need, result);
    else if (r->kind == GPC_STORE && write_allocate(m, r) == GPC_WRITE_NO_ALLOCATE)
        write_below(m, d, f->missing, result);
    if (!reads || !count_of(f->missing))
        return;
    bool to_fetch[8];
    memcpy(to_fetch, f->missing, sizeof to_fetch);
    widen(m, to_fetch);
    for (int s = 0; s < 8; s++)
        to_fetch[s] &= !line->valid[s] && !line->pending[s] && !f->replaced[s];
    fetch(m, to_fetch, result);
}

static void lookup_present(model *m, const gpc_request *r, const decoded *d, uint32_t way, gpc_access_result *result) {
    model_line *line = line_of(m, d->set, way);
    findings f;
    result->way = way;
    result->outcome = (uint8_t)examine(m, r, d, line, &f);
    result->hit_sectors = mask_of(f.hit);
    count_present(m, r, d, line, &f);
    if (m->options.track_reuse && !count_of(f.missing))
        line->reuse += !r->continues;
    if (m->policy == MODEL_LRU)
        line->stamp = ++m->clock;
    if (r->priority != GPC_EVICT_NORMAL)
        line->priority = r->priority;
    request_sectors(m, r, d, line, &f, result);
    if (r->kind == GPC_STORE && write_policy(m, r) == GPC_WRITE_EVICT) {
        result->way = NO_WAY;
        result->evicted = 1;
        drop_line(m, d->set, way, NULL, &result->eviction);
    } else if (!is_read(r)) {
        apply_and_tell(m, r, d, way, 0, 0);
    }
}

static void start(gpc_access_result *result, const decoded *d) {
    *result = (gpc_access_result){.needed_sectors = mask_of(d->need), .set = d->set, .way = NO_WAY};
}

static void pass_atomic(model *m, const decoded *d, gpc_access_result *result) {
    uint32_t way = find_line(m, d);
    result->outcome = GPC_BYPASSED;
    if (way == NO_WAY)
        return;
    result->evicted = 1;
    drop_line(m, d->set, way, NULL, &result->eviction);
}

/* A hit to policies if a needed sector was present, in flight, or written at least in part. */
static void tell_present(model *m, const gpc_request *r, const decoded *d, uint32_t way) {
    const model_line *line = line_of(m, d->set, way);
    bool there = false;
    for (uint32_t s = 0; s < m->options.sectors; s++) {
        there |= d->need[s] && (line->valid[s] || line->pending[s]);
        for (uint32_t b = 0; b < sector_bytes(m) && m->options.line_bytes <= 128; b++)
            there |= d->need[s] && line->written[s * sector_bytes(m) + b];
    }
    const bool again = there && !r->continues;
    tell(m, again ? POLICY_HIT : POLICY_SECTOR_MISS, again ? PREDICTOR_HIT : PREDICTOR_SECTOR_MISS, d->set, way, r);
}

static void lookup(model *m, const gpc_request *r, const decoded *d, gpc_access_result *result) {
    bool before = m->predictor == MODEL_HINT || m->predictor == MODEL_DICE_BEFORE;
    start(result, d);
    count_kind(m, r, d);
    if (is_atomic(r) && !m->options.atomics_here) {
        pass_atomic(m, d, result);
        return;
    }
    if (before && is_read(r) && predicts_bypass(m, r, d->set, result)) {
        bypass_read(m, d, result);
        return;
    }
    uint32_t way = find_line(m, d);
    if (way == NO_WAY) {
        if (!r->continues)
            tell(m, POLICY_MISS, POLICY_MISS, d->set, 0, r);
        lookup_absent(m, r, d, result);
    } else {
        tell_present(m, r, d, way);
        lookup_present(m, r, d, way, result);
    }
    if (!result->fetch_sectors && !result->write_sectors)
        result->policy_word = 0;
}

gpc_status model_lookup(model *m, const gpc_request *r, gpc_access_result *result) {
    decoded d;
    gpc_status status = decode(m, r, &d);
    if (status == GPC_OK)
        lookup(m, r, &d, result);
    return status;
}

gpc_status model_probe(model *m, const gpc_request *r, gpc_access_result *result) {
    decoded d;
    gpc_status status = decode(m, r, &d);
    if (status != GPC_OK)
        return status;
    start(result, &d);
    result->way = find_line(m, &d);
    result->outcome = GPC_MISS;
    if (result->way != NO_WAY) {
        findings f;
        result->outcome = (uint8_t)examine(m, r, &d, line_of(m, d.set, result->way), &f);
        result->hit_sectors = mask_of(f.hit);
    }
    return GPC_OK;
}

/* -- reserve, fill, access */

static bool leaves_something(const model *m, const gpc_request *r) {
    if (is_atomic(r))
        return m->options.atomics_here;
    return is_read(r) || write_allocate(m, r) != GPC_WRITE_NO_ALLOCATE;
}

/*
 * No way for the line: a read bypasses, a write goes below. `sectors` were announced to be read; unless already
 * `fetched`, sectors no longer needed are not.
 */
static void decline(model *m, const gpc_request *r, const decoded *d, uint8_t sectors, bool fetched,
                    gpc_access_result *result) {
    for (int s = 0; s < 8; s++) {
        bool unwanted = (sectors >> s & 1) && (r->kind == GPC_STORE || !d->need[s]);
        if (unwanted && !fetched) {
            sectors &= (uint8_t) ~(1 << s);
            m->stats.fetched_sectors--;
        }
        if (is_read(r) && (sectors >> s & 1) && result->outcome == GPC_BYPASSED)
            m->stats.bypassed_sectors++;
    }
    result->fetch_sectors = fetched ? 0 : sectors;
    if (is_read(r))
        return;
    if (write_policy(m, r) == GPC_WRITE_BACK)
        write_below(m, d, d->need, result);
    if (r->kind == GPC_STORE) {
        m->stats.write_sector_hits -= count_of(d->whole);
        m->stats.write_hits -= count_of(d->whole) == count_of(d->need);
    }
}

gpc_status model_access(model *m, const gpc_request *r, gpc_access_result *result) {
    decoded d;
    gpc_status status = decode(m, r, &d);
    if (status != GPC_OK)
        return status;
    lookup(m, r, &d, result);
    if (result->outcome == GPC_SECTOR_MISS && result->fetch_sectors)
        apply_and_tell(m, r, &d, result->way, 0, result->fetch_sectors);
    if (result->outcome != GPC_MISS || !leaves_something(m, r))
        return GPC_OK;
    result->way = take_way(m, r, &d, result);
    if (result->way == NO_WAY)
        decline(m, r, &d, result->fetch_sectors, false, result);
    else
        apply_and_tell(m, r, &d, result->way, 0, result->fetch_sectors);
    return GPC_OK;
}

/* The line's way, taking one if necessary; NO_WAY without data to keep or a way. */
static uint32_t settle(model *m, const gpc_request *r, const decoded *d, gpc_access_result *result) {
    start(result, d);
    result->outcome = GPC_BYPASSED;
    if (!leaves_something(m, r))
        return NO_WAY;
    result->way = find_line(m, d);
    result->outcome = result->way == NO_WAY ? GPC_MISS : GPC_SECTOR_MISS;
    if (result->way == NO_WAY)
        result->way = take_way(m, r, d, result);
    return result->way;
}

gpc_status model_reserve(model *m, const gpc_request *r, uint8_t sectors, gpc_access_result *result) {
    decoded d;
    gpc_status status = decode(m, r, &d);
    if (status != GPC_OK || sectors >> m->options.sectors)
        return GPC_ERROR_ARGUMENT;
    if (settle(m, r, &d, result) == NO_WAY) {
        if (result->outcome == GPC_BYPASSED && leaves_something(m, r))
            decline(m, r, &d, sectors, false, result);
        return GPC_OK;
    }
    model_line *line = line_of(m, d.set, result->way);
    for (int s = 0; s < 8; s++)
        if ((sectors >> s & 1) && !line->valid[s])
            line->pending[s] = true;
    result->fetch_sectors = sectors;
    apply_and_tell(m, r, &d, result->way, sectors, 0);
    return GPC_OK;
}

gpc_status model_fill(model *m, const gpc_request *r, uint8_t sectors, gpc_access_result *result) {
    decoded d;
    gpc_status status = decode(m, r, &d);
    if (status != GPC_OK || sectors >> m->options.sectors)
        return GPC_ERROR_ARGUMENT;
    if (settle(m, r, &d, result) != NO_WAY)
        apply_and_tell(m, r, &d, result->way, 0, sectors);
    else if (result->outcome == GPC_BYPASSED && leaves_something(m, r))
        decline(m, r, &d, sectors, true, result);
    return GPC_OK;
}
