/* SPDX-License-Identifier: BSD-2-Clause */
#include "../measured.h"
#include "torture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void record_free(record *r) {
    free(r->list);
    free(r->words);
    *r = (record){0};
}

void record_tell(record *r, uint64_t number) {
    r->told = (r->told ^ number) * 0x9e3779b97f4a7c15u;
    r->told ^= r->told >> 29;
}

/* A walk over all numbers of a hierarchy, to record all of the numbers or to name one of the numbers. */
typedef struct walk {
    record *put;
    size_t at, wanted;
    char *name;
    size_t size;
} walk;

static const char *const object_names[] = {"whole", "sm", "l1", "cluster", "network", "slice", "channel", "stream"};

static void put(walk *w, uint64_t value, const char *what, const char *more, unsigned index) {
    if (w->name && w->at == w->wanted)
        snprintf(w->name, w->size, "%s %u: %s", what, index, more);
    w->at++;
    if (!w->put)
        return;
    if (w->put->word_count == w->put->word_room) {
        const size_t room = w->put->word_room ? 2 * w->put->word_room : 4096;
        uint64_t *words = realloc(w->put->words, room * sizeof *words);
        if (!words)
            abort();
        w->put->words = words;
        w->put->word_room = room;
    }
    w->put->words[w->put->word_count++] = value;
}

static uint64_t mix(uint64_t sum, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
    return sum;
}

/*
 * Ids from here on are of counters added since the golden digests of tests/keys were made. Absent ones among them are
 * left out, so that digests of machines without the counters' parts stay.
 */
#define ADDED 393u

/* Walks every counter of every object. */
static void walk_objects(gpc_hierarchy *h, walk *w, gpc_counter_table table) {
    for (size_t i = 0; i < gpc_counter_table_count(table); i++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        if (gpc_counter_table_at(table, i, &info, NULL) != GPC_OK || info.ratio)
            continue;
        for (unsigned kind = 0; kind < GPC_OBJECT_COUNT; kind++)
            for (uint32_t n = 0; info.objects >> kind & 1 && n < gpc_hierarchy_object_count(h, (gpc_object)kind); n++) {
                uint64_t values[256] = {0};
                gpc_hierarchy_read(h, (gpc_object)kind, n, &info.id, 1, values, sizeof values / sizeof *values, NULL);
                for (size_t v = 0; v < info.values && ((info.values == 1 && info.id < ADDED) || *values != GPC_ABSENT);
                     v++)
                    put(w, values[v], object_names[kind], info.name, n);
            }
    }
}

static uint64_t mix_line(uint64_t sum, const gpc_line *line) {
    const uint64_t fields[] = {line->line_address,
                               line->set,
                               line->way,
                               line->reuse_count,
                               line->warp,
                               line->valid_sectors,
                               line->dirty_sectors,
                               line->pending_sectors,
                               line->priority,
                               line->prioritised,
                               line->written_bytes[0],
                               line->written_bytes[1]};
    return mix(sum, fields, sizeof fields);
}

static void walk_caches(gpc_hierarchy *h, walk *w) {
    for (unsigned level = 1; level <= 2; level++)
        for (uint32_t i = 0;; i++) {
            gpc_cache *cache = gpc_hierarchy_cache(h, level, i);
            uint64_t cursor = 0, sum = 7;
            gpc_line line;
            if (!cache)
                break;
            memset(&line, 0, sizeof line);
            while (gpc_cache_next_line(cache, &cursor, &line, NULL) == GPC_OK) {
                sum = mix_line(sum, &line);
                memset(&line, 0, sizeof line);
            }
            put(w, sum, level == 1 ? "l1" : "l2", "its lines", i);
        }
}

static void walk_tree(gpc_hierarchy *h, walk *w) {
    const gpc_coherence *tree = gpc_hierarchy_coherence(h);
    gpc_coherence_module module = {.struct_size = sizeof module};
    for (uint32_t i = 0; tree && gpc_coherence_get_module(tree, i, &module, NULL) == GPC_OK; i++) {
        measured_module stats;
        const uint64_t size = sizeof size + sizeof stats; /* golden digests begin with a size */
        uint64_t sum = 7;
        measured_clear(&stats);
        measure_module(tree, i, &stats);
        put(w, mix(mix(sum, &size, sizeof size), &stats, sizeof stats), "module", "its statistics", i);
        for (uint32_t set = 0; set < 64 && set < module.sets; set++)
            for (uint32_t way = 0; way < module.ways; way++) {
                gpc_coherence_block block = GPC_COHERENCE_BLOCK_INIT;
                if (gpc_coherence_get_block(tree, i, set, way, &block, NULL) != GPC_OK)
                    continue;
                sum = mix(sum, &block.tag, sizeof block.tag);
                sum = mix(sum, &block.state, sizeof block.state);
            }
        put(w, sum, "module", "its blocks", i);
    }
}

static void walk_ports(gpc_hierarchy *h, walk *w) {
    for (uint32_t i = 0; i < gpc_hierarchy_ports(h); i++) {
        gpc_port_stats stats = GPC_PORT_STATS_INIT;
        gpc_hierarchy_port_stats(h, i, &stats, NULL);
        for (size_t at = sizeof stats.struct_size; at < sizeof stats; at += sizeof(uint64_t)) {
            uint64_t value;
            memcpy(&value, (const char *)&stats + at, sizeof value);
            put(w, value, "port", "its statistics", i);
        }
    }
    for (size_t i = 0;; i++) {
        gpc_policy_value value = GPC_POLICY_VALUE_INIT;
        if (gpc_hierarchy_policy_value(h, i, &value, NULL) != GPC_OK)
            break;
        put(w, value.value, "policy", value.name, 0);
    }
}

static void walk_all(gpc_hierarchy *h, walk *w) {
    walk_objects(h, w, GPC_TABLE_HIERARCHY);
    walk_objects(h, w, GPC_TABLE_CACHE);
    walk_objects(h, w, GPC_TABLE_NETWORK);
    walk_objects(h, w, GPC_TABLE_COHERENCE);
    walk_caches(h, w);
    walk_tree(h, w);
    walk_ports(h, w);
}

void record_read(gpc_hierarchy *h, record *r) {
    walk w = {.put = r};
    walk_all(h, &w);
}

void record_name(gpc_hierarchy *h, size_t word, char *text, size_t size) {
    walk w = {.wanted = word, .name = text, .size = size};
    snprintf(text, size, "number %zu", word);
    walk_all(h, &w);
}

/* Sums. */

/* Counters with a part of no stream: events without an access. */
static bool nobodys(const gpc_counter_info *info) {
    return info->objects == (GPC_OBJECTS_SLICE_STREAM) || strstr(info->name, "dram") || strstr(info->name, "network");
}

static void check_sum(gpc_hierarchy *h, const gpc_counter_info *info, gpc_object kind, uint64_t whole, failure *f) {
    const uint32_t count = gpc_hierarchy_object_count(h, kind);
    uint64_t sum = 0, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = GPC_ABSENT;
        gpc_hierarchy_read(h, kind, i, &info->id, 1, &value, 1, NULL);
        if (value == GPC_ABSENT)
            return;
        sum += value;
        most = value > most ? value : most;
        if (value >> 63)
            fail(f, "underflow", "%s %u: %s is %" PRIu64, object_names[kind], i, info->name, value);
    }
    if (!count)
        return;
    if (info->kind == GPC_COUNTER_MAX                ? most != whole
        : kind == GPC_OBJECT_STREAM && nobodys(info) ? sum > whole
                                                     : sum != whole)
        fail(f, "sum", "%s: %" PRIu64 " in the whole, %" PRIu64 " summed over each %s", info->name, whole,
             info->kind == GPC_COUNTER_MAX ? most : sum, object_names[kind]);
}

void record_sums(gpc_hierarchy *h, failure *f) {
    for (size_t i = 0; i < gpc_counter_table_count(GPC_TABLE_HIERARCHY) && !f->failed; i++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        uint64_t whole = GPC_ABSENT;
        if (gpc_counter_table_at(GPC_TABLE_HIERARCHY, i, &info, NULL) != GPC_OK || info.ratio ||
            info.kind == GPC_COUNTER_HISTOGRAM)
            continue;
        if (gpc_hierarchy_read(h, GPC_OBJECT_WHOLE, 0, &info.id, 1, &whole, 1, NULL) != GPC_OK || whole == GPC_ABSENT)
            continue;
        if (whole >> 63)
            fail(f, "underflow", "%s is %" PRIu64, info.name, whole);
        for (unsigned kind = GPC_OBJECT_SM; kind < GPC_OBJECT_COUNT; kind++)
            if (info.objects >> kind & 1)
                check_sum(h, &info, (gpc_object)kind, whole, f);
    }
}
