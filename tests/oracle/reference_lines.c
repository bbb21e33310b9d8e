/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "oracle/reference_internal.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* A request in terms of a geometry, and lines that come, stay and go. */

uint8_t mask_of(const bool *flags) {
    uint8_t bits = 0;
    for (int s = 0; s < 8; s++)
        if (flags[s])
            bits |= (uint8_t)(1 << s);
    return bits;
}

unsigned count_of(const bool *flags) {
    unsigned n = 0;
    for (int s = 0; s < 8; s++)
        n += flags[s];
    return n;
}

uint32_t sector_bytes(const model *m) {
    return m->options.line_bytes / m->options.sectors;
}

void model_open(model *m, const gpc_cache_options *options) {
    *m = (model){.options = *options};
    m->options.sectors += !m->options.sectors;
    m->options.fetch_sectors += !m->options.fetch_sectors;
    m->lines = calloc((size_t)(options->sets * options->ways), sizeof *m->lines);
    cr_assert_not_null(m->lines);
    measured_clear(&m->stats);
}

void model_close(model *m) {
    free(m->lines);
    free(m->log.events);
}

model_line *line_of(const model *m, uint32_t set, uint32_t way) {
    return &m->lines[(size_t)set * m->options.ways + way];
}

uint32_t find_line(const model *m, const decoded *d) {
    for (uint32_t way = 0; way < m->options.ways; way++)
        if (line_of(m, d->set, way)->present && line_of(m, d->set, way)->number == d->number)
            return way;
    return NO_WAY;
}

bool is_read(const gpc_request *r) {
    return r->kind == GPC_LOAD || r->kind == GPC_PREFETCH;
}

bool is_atomic(const gpc_request *r) {
    return r->kind == GPC_ATOMIC || r->kind == GPC_REDUCTION;
}

bool has_byte_masks(const model *m) {
    return m->options.write_allocate == GPC_WRITE_LAZY_FETCH || m->options.write_allocate_local == GPC_WRITE_LAZY_FETCH;
}

/* True if `byte` of the line is covered by a request for sectors without bytes, or by the interval or mask. */
static bool writes_byte(const gpc_request *r, uint32_t offset, uint32_t byte) {
    if (r->byte_mask[0] || r->byte_mask[1])
        return byte < 128 && r->byte_mask[byte / 64] >> (byte % 64) & 1;
    return !r->size || (byte >= offset && byte < offset + r->size);
}

gpc_status decode(const model *m, const gpc_request *r, decoded *d) {
    uint32_t line = m->options.line_bytes, offset = (uint32_t)(r->address % line), sector = sector_bytes(m);
    bool masked = r->kind == GPC_STORE && (r->byte_mask[0] || r->byte_mask[1]);
    const bool only_read =
        r->space == GPC_SPACE_CONSTANT || r->space == GPC_SPACE_TEXTURE || r->space == GPC_SPACE_INSTRUCTION;
    if (only_read ? r->kind != GPC_LOAD && r->kind != GPC_PREFETCH : r->space > GPC_SPACE_LOCAL)
        return GPC_ERROR_ARGUMENT;
    if (r->kind >= GPC_KIND_COUNT || r->hint >= GPC_HINT_COUNT || r->priority >= GPC_PRIORITY_COUNT ||
        r->size > line - offset || r->sector_mask >> m->options.sectors)
        return GPC_ERROR_ARGUMENT;
    for (uint32_t byte = masked ? line : 128; byte < 128; byte++)
        if (r->byte_mask[byte / 64] >> (byte % 64) & 1)
            return GPC_ERROR_ARGUMENT;
    if (masked && line > 128)
        return GPC_ERROR_ARGUMENT;
    memset(d, 0, sizeof *d);
    d->number = r->address / line;
    d->set = m->set_of(m, d->number);
    for (uint32_t byte = 0; byte < line; byte++) {
        uint32_t s = byte / sector;
        if (r->sector_mask)
            d->need[s] = r->sector_mask >> s & 1;
        else if (r->size)
            d->need[s] |= byte >= offset && byte < offset + r->size;
        else
            d->need[s] |= !masked || writes_byte(r, offset, byte);
    }
    for (uint32_t s = 0; s < m->options.sectors; s++)
        d->whole[s] = d->need[s] && r->kind == GPC_STORE;
    for (uint32_t byte = 0; byte < line && !is_read(r); byte++) {
        uint32_t s = byte / sector;
        d->bytes[byte] = d->need[s] && (is_atomic(r) || writes_byte(r, offset, byte));
        d->whole[s] &= d->bytes[byte];
    }
    return GPC_OK;
}

void tell(model *m, event_kind of_policy, event_kind of_predictor, uint32_t set, uint32_t way, const gpc_request *r) {
    if (m->policy == MODEL_HASH)
        event_log_add(&m->log, of_policy, set, way, r);
    if (m->predictor >= MODEL_DICE && of_predictor != of_policy)
        event_log_add(&m->log, of_predictor, set, way, r);
}

/* -- lines that leave */

static void describe(const model *m, uint32_t set, uint32_t way, gpc_eviction *e) {
    const model_line *line = line_of(m, set, way);
    *e = (gpc_eviction){.line_address = line->number * m->options.line_bytes,
                        .set = set,
                        .way = way,
                        .reuse_count = line->reuse,
                        .valid_sectors = mask_of(line->valid),
                        .dirty_sectors = mask_of(line->dirty)};
    for (uint32_t byte = 0; byte < m->options.line_bytes && m->options.line_bytes <= 128; byte++)
        if (line->dirty[byte / sector_bytes(m)] && (!has_byte_masks(m) || line->written[byte]))
            e->dirty_bytes[byte / 64] |= (uint64_t)1 << (byte % 64);
}

static void count_write_back(model *m, const model_line *line) {
    m->stats.write_back_sectors += count_of(line->dirty);
    m->stats.write_backs += count_of(line->dirty) > 0;
}

void drop_line(model *m, uint32_t set, uint32_t way, const gpc_request *r, gpc_eviction *e) {
    model_line *line = line_of(m, set, way);
    describe(m, set, way, e);
    e->forced = !r;
    count_write_back(m, line);
    m->stats.evictions += r != NULL;
    m->stats.invalidations += r == NULL;
    m->stats.zero_reuse_evictions += r && m->options.track_reuse && !line->reuse;
    *line = (model_line){0};
    if (m->policy == MODEL_HASH && r)
        event_log_add_eviction(&m->log, POLICY_EVICT, e, r);
    if (m->predictor >= MODEL_DICE && r)
        event_log_add_eviction(&m->log, PREDICTOR_EVICT, e, r);
    if (!r)
        tell(m, POLICY_INVALIDATE, PREDICTOR_INVALIDATE, set, way, NULL);
    if (m->tells_evictions)
        event_log_add_eviction(&m->log, CALLBACK_EVICT, e, r);
}

void model_invalidate(model *m, uint64_t first_line, uint64_t last_line) {
    gpc_eviction eviction;
    for (uint32_t set = 0; set < m->options.sets; set++)
        for (uint32_t way = 0; way < m->options.ways; way++) {
            const model_line *line = line_of(m, set, way);
            if (line->present && line->number >= first_line && line->number <= last_line)
                drop_line(m, set, way, NULL, &eviction);
        }
}

uint64_t model_flush(model *m) {
    uint64_t sectors = 0;
    for (uint32_t set = 0; set < m->options.sets; set++)
        for (uint32_t way = 0; way < m->options.ways; way++) {
            model_line *line = line_of(m, set, way);
            gpc_eviction eviction;
            describe(m, set, way, &eviction);
            if (!eviction.dirty_sectors)
                continue;
            eviction.forced = 1;
            sectors += count_of(line->dirty);
            count_write_back(m, line);
            memset(line->dirty, 0, sizeof line->dirty);
            memset(line->written, 0, sizeof line->written);
            if (m->tells_evictions)
                event_log_add_eviction(&m->log, CALLBACK_EVICT, &eviction, NULL);
        }
    return sectors;
}

bool model_next_line(const model *m, uint64_t *cursor, gpc_line *out) {
    for (; *cursor < m->options.sets * m->options.ways; ++*cursor) {
        const model_line *line = &m->lines[*cursor];
        if (!line->present)
            continue;
        *out = (gpc_line){.line_address = line->number * m->options.line_bytes,
                          .set = (uint32_t)(*cursor / m->options.ways),
                          .way = (uint32_t)(*cursor % m->options.ways),
                          .reuse_count = line->reuse,
                          .warp = m->options.track_warps ? line->warp : 0,
                          .valid_sectors = mask_of(line->valid),
                          .dirty_sectors = mask_of(line->dirty),
                          .pending_sectors = mask_of(line->pending),
                          .priority = line->priority};
        for (int byte = 0; byte < 128; byte++)
            if (line->written[byte])
                out->written_bytes[byte / 64] |= (uint64_t)1 << (byte % 64);
        ++*cursor;
        return true;
    }
    return false;
}

/* -- a way for a line */

static int rank(const model_line *line) {
    return line->priority == GPC_EVICT_FIRST ? 0 : line->priority == GPC_EVICT_NORMAL ? 1 : 2;
}

/* Ways not pending, with the lowest priority among them. False: none. */
static bool candidates_of(const model *m, uint32_t set, uint64_t *words) {
    memset(words, 0, GPC_MAX_WAYS / 8);
    for (int wanted = 0; wanted < 3; wanted++) {
        bool any = false;
        for (uint32_t way = 0; way < m->options.ways; way++) {
            const model_line *line = line_of(m, set, way);
            if (count_of(line->pending) == 0 && rank(line) == wanted) {
                words[way / 64] |= (uint64_t)1 << (way % 64);
                any = true;
            }
        }
        if (any)
            return true;
    }
    return false;
}

static uint32_t choose(model *m, uint32_t set, const uint64_t *candidates, const gpc_request *r) {
    if (m->policy == MODEL_HASH) {
        event_log_add_choice(&m->log, set, candidates, m->options.ways, r);
        return hash_choice(set, candidates, m->options.ways, r, m->policy_declines);
    }
    uint32_t oldest = NO_WAY;
    for (uint32_t way = 0; way < m->options.ways; way++)
        if ((candidates[way / 64] >> (way % 64) & 1) &&
            (oldest == NO_WAY || line_of(m, set, way)->stamp < line_of(m, set, oldest)->stamp))
            oldest = way;
    return oldest;
}

uint32_t take_way(model *m, const gpc_request *r, const decoded *d, gpc_access_result *result) {
    uint32_t way = 0;
    while (way < m->options.ways && line_of(m, d->set, way)->present)
        way++;
    if (way == m->options.ways) {
        uint64_t candidates[GPC_MAX_WAYS / 64];
        if (!candidates_of(m, d->set, candidates)) {
            m->stats.no_victims++;
            result->outcome = GPC_NO_VICTIM;
            return NO_WAY;
        }
        const bool goes_along = r->continues && m->declined == d->number + 1; /* with the part before */
        way = goes_along ? GPC_WAY_BYPASS : choose(m, d->set, candidates, r);
        if (!r->continues)
            m->declined = way == GPC_WAY_BYPASS ? d->number + 1 : 0;
        if (way == GPC_WAY_BYPASS) {
            m->stats.bypasses++;
            result->outcome = GPC_BYPASSED;
            return NO_WAY;
        }
        drop_line(m, d->set, way, r, &result->eviction);
        result->evicted = 1;
    }
    *line_of(m, d->set, way) = (model_line){
        .present = true, .number = d->number, .warp = r->warp, .priority = r->priority, .stamp = ++m->clock};
    m->stats.fills++;
    tell(m, POLICY_FILL, PREDICTOR_FILL, d->set, way, r);
    return way;
}
