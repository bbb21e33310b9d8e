/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle/memory_model.h"

#include <string.h>

/* One cache of the model: results of an access, and effects on the lines. */

static uint64_t clock_of_all; /* only the order matters */

unsigned memory_count(uint8_t segments) {
    unsigned count = 0;
    for (unsigned s = 0; s < 4; s++)
        count += segments >> s & 1u;
    return count;
}

uint8_t memory_segments(const bool *bytes) {
    uint8_t segments = 0;
    for (unsigned b = 0; b < 128; b++)
        if (bytes[b])
            segments |= (uint8_t)(1u << b / 32);
    return segments;
}

/* Every aligned group of `size` segments that contains any of these. */
static uint8_t grouped(uint8_t segments, unsigned size) {
    uint8_t all = 0;
    for (unsigned s = 0; s < 4; s++)
        for (unsigned t = 0; t < 4; t++)
            if (s / size == t / size && segments >> t & 1)
                all |= (uint8_t)(1u << s);
    return all;
}

static unsigned sector_size(const memory_cache *c) {
    return c->level->line / 32 / c->level->sectors;
}

static uint8_t sectors_of(const memory_cache *c, uint8_t segments) {
    return grouped(segments, sector_size(c));
}

static uint8_t widened(const memory_cache *c, uint8_t segments) {
    return grouped(segments, sector_size(c) * c->level->fetch);
}

/* Sectors of which every byte is marked. */
static uint8_t covered(const memory_cache *c, const bool *bytes) {
    uint8_t lacking = 0;
    for (unsigned b = 0; b < c->level->line; b++)
        if (!bytes[b])
            lacking |= (uint8_t)(1u << b / 32);
    return (uint8_t)((1u << c->level->line / 32) - 1) & (uint8_t)~sectors_of(c, lacking);
}

memory_line *memory_find(memory_cache *c, uint64_t address) {
    uint64_t number = address / c->level->line;
    memory_line *set = c->lines[number % c->level->sets];
    for (unsigned way = 0; way < c->level->ways; way++)
        if (set[way].resident && set[way].number == number)
            return &set[way];
    return NULL;
}

static memory_line *touch(memory_cache *c, uint64_t address) {
    memory_line *line = memory_find(c, address);
    if (line) {
        line->used = ++clock_of_all;
        line->first |= *c->first;
    }
    return line;
}

void memory_drop(memory_cache *c, memory_line *line, memory_leaver *leaver) {
    *leaver = (memory_leaver){.any = true, .address = line->number * c->level->line};
    for (unsigned b = 0; b < c->level->line; b++)
        leaver->dirty[b] = (line->dirty >> b / 32 & 1) && (line->written[b] || !c->lazy);
    line->resident = false;
}

static bool leaves_before(const memory_line *a, const memory_line *b) {
    return a->first != b->first ? a->first : a->used < b->used;
}

/* A free way, the lowest, or the way of the line unused for longest, among evict-first lines if present. */
static memory_line *make_room(memory_cache *c, uint64_t address, memory_leaver *leaver) {
    uint64_t number = address / c->level->line;
    memory_line *set = c->lines[number % c->level->sets], *chosen = NULL;
    for (unsigned way = 0; way < c->level->ways && !chosen; way++)
        if (!set[way].resident)
            chosen = &set[way];
    if (!chosen) {
        chosen = &set[0];
        for (unsigned way = 1; way < c->level->ways; way++)
            if (leaves_before(&set[way], chosen))
                chosen = &set[way];
        memory_drop(c, chosen, leaver);
    }
    *chosen = (memory_line){.resident = true, .first = *c->first, .number = number, .used = ++clock_of_all};
    return chosen;
}

memory_answer memory_read(memory_cache *c, uint64_t address, uint8_t segments) {
    memory_answer answer = {0};
    const memory_line *line = touch(c, address);
    uint8_t need = sectors_of(c, segments), valid = line ? line->valid : 0;
    answer.hits = segments & valid;
    answer.fetch = widened(c, need & (uint8_t)~valid) & (uint8_t)~valid;
    return answer;
}

void memory_fill(memory_cache *c, uint64_t address, uint8_t fetched, memory_leaver *leaver) {
    memory_line *line = memory_find(c, address);
    if (!line)
        line = make_room(c, address, leaver);
    line->valid |= fetched;
}

/* Sectors of `kept` take the bytes. */
static void put(const memory_cache *c, memory_line *line, const bool *bytes, uint8_t kept, bool back) {
    line->valid |= covered(c, bytes) & kept;
    line->dirty |= back ? kept : 0;
    for (unsigned b = 0; b < c->level->line; b++)
        line->written[b] |= bytes[b] && (kept >> b / 32 & 1);
    if (c->lazy)
        line->valid |= covered(c, line->written);
}

static void pass(const memory_cache *c, const bool *bytes, uint8_t segments, memory_answer *answer) {
    for (unsigned b = 0; b < c->level->line; b++)
        answer->below[b] = bytes[b] && (segments >> b / 32 & 1);
}

/* The line is present. */
static void store_hit(memory_cache *c, memory_line *line, const bool *bytes, unsigned space, memory_answer *answer) {
    gpc_write_policy policy = c->level->policy[space];
    gpc_write_allocate allocate = c->level->allocate[space];
    uint8_t segments = memory_segments(bytes), need = sectors_of(c, segments), whole = covered(c, bytes);
    uint8_t missing = need & (uint8_t) ~(line->valid | whole), kept = need;
    answer->hits = segments & line->valid;
    if (policy == GPC_WRITE_EVICT) {
        pass(c, bytes, need, answer);
        memory_drop(c, line, &answer->leaver);
        return;
    }
    if (allocate == GPC_WRITE_FETCH)
        answer->fetch = widened(c, missing) & (uint8_t) ~(line->valid | whole);
    if (allocate == GPC_WRITE_NO_ALLOCATE)
        kept &= (uint8_t)~missing;
    pass(c, bytes, policy == GPC_WRITE_THROUGH ? need : need & (uint8_t)~kept, answer);
    line->valid |= answer->fetch;
    put(c, line, bytes, kept, policy == GPC_WRITE_BACK);
}

memory_answer memory_store(memory_cache *c, uint64_t address, const bool *bytes, unsigned space, bool may_allocate) {
    memory_answer answer = {0};
    gpc_write_policy policy = c->level->policy[space];
    gpc_write_allocate allocate = c->level->allocate[space];
    uint8_t need = sectors_of(c, memory_segments(bytes)), whole = covered(c, bytes);
    memory_line *line = touch(c, address);
    if (line) {
        store_hit(c, line, bytes, space, &answer);
        return answer;
    }
    if (policy == GPC_WRITE_EVICT)
        allocate = GPC_WRITE_NO_ALLOCATE;
    if (allocate != GPC_WRITE_NO_ALLOCATE && !may_allocate) {
        answer.bypassed = true;
        allocate = GPC_WRITE_NO_ALLOCATE;
    }
    if (allocate == GPC_WRITE_NO_ALLOCATE || policy == GPC_WRITE_THROUGH)
        pass(c, bytes, need, &answer);
    if (allocate == GPC_WRITE_NO_ALLOCATE)
        return answer;
    line = make_room(c, address, &answer.leaver);
    if (allocate == GPC_WRITE_FETCH)
        answer.fetch = widened(c, need & (uint8_t)~whole) & (uint8_t)~whole;
    line->valid |= answer.fetch;
    put(c, line, bytes, need, policy == GPC_WRITE_BACK);
    return answer;
}

/* Performed here: any byte of the sectors may change. */
memory_answer memory_atomic(memory_cache *c, uint64_t address, uint8_t segments) {
    memory_answer answer = memory_read(c, address, segments);
    uint8_t need = sectors_of(c, segments);
    bool bytes[128] = {0};
    for (unsigned b = 0; b < c->level->line; b++)
        bytes[b] = need >> b / 32 & 1;
    memory_fill(c, address, answer.fetch, &answer.leaver);
    put(c, memory_find(c, address), bytes, need, c->level->policy[0] == GPC_WRITE_BACK);
    if (c->level->policy[0] != GPC_WRITE_BACK)
        pass(c, bytes, segments, &answer);
    return answer;
}
