/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/module/sharers.h"

#include <string.h>

/*
 * State of a tree as bytes, and back. The exploration in the tests compares the bytes to recognise states; so equal
 * states must give equal bytes, whatever their history (orders of more than 16 ways apart: lru.h). Saved in this order:
 *   the slab                          with the data of invalid blocks zeroed, which have no meaning
 *   each full map                     a count, then entries ascending by block number: number, state, owners, sharers
 *   pages                             a count, then pages ascending by number: number, home
 *   memory                            a count, then blocks ascending by number: number, bytes
 *   networks, in a tree with timing   the module each output of a switch served last
 */

static size_t entry_bytes(const gpci_module *m) {
    return sizeof(uint64_t) + 1 + m->sub_blocks * (sizeof *m->owners + m->sharer_words * sizeof *m->sharers);
}

static size_t store_bytes(const gpc_coherence *c) {
    return sizeof(uint64_t) + ((size_t)1 << c->memory_shift);
}

size_t gpci_coherence_saved_bytes(const gpc_coherence *c) {
    size_t bytes = c->slab_bytes + sizeof(uint32_t) + c->memory_map.count * store_bytes(c);
    bytes += sizeof(uint32_t) + c->pages.count * (sizeof(uint64_t) + sizeof(uint32_t));
    if (c->timing)
        bytes += (size_t)c->star_count * c->module_count * sizeof *c->stars->last;
    for (uint32_t i = 0; i < c->module_count; i++)
        if (c->modules[i].full_map)
            bytes += sizeof(uint32_t) + c->modules[i].map.count * entry_bytes(&c->modules[i]);
    return bytes;
}

static char *put(char *at, const void *from, size_t bytes) {
    memcpy(at, from, bytes);
    return at + bytes;
}

static const char *get(const char *at, void *to, size_t bytes) {
    memcpy(to, at, bytes);
    return at + bytes;
}

/* Smallest key of the map not below `from`, by linear search: maps are small when snapshots are taken. */
static bool next_entry(const gpci_map *map, uint64_t from, uint64_t *number, uint32_t *value) {
    bool found = false;
    for (uint32_t i = 0; i < map->count; i++)
        if (map->entries[i].key >= from && (!found || map->entries[i].key < *number)) {
            found = true;
            *number = map->entries[i].key;
            *value = (uint32_t)map->entries[i].value;
        }
    return found;
}

static char *save_map(const gpci_module *m, char *at) {
    const size_t words = (size_t)m->sub_blocks * m->sharer_words; /* sets of a full map have no codes */
    uint64_t number = 0;
    uint32_t block = 0;
    at = put(at, &m->map.count, sizeof m->map.count);
    for (uint64_t from = 0; next_entry(&m->map, from, &number, &block); from = number + 1) {
        at = put(at, &number, sizeof number);
        at = put(at, &m->states[block], 1);
        at = put(at, m->owners + (size_t)block * m->sub_blocks, m->sub_blocks * sizeof *m->owners);
        at = put(at, m->sharers + (size_t)block * words, words * sizeof *m->sharers);
    }
    return at;
}

static const char *load_map(gpci_module *m, const char *at) {
    const uint32_t used = m->map.count; /* later blocks are in I; in a memory with room for many, most are */
    const size_t words = (size_t)m->sub_blocks * m->sharer_words;
    uint32_t count = 0;
    uint64_t number = 0;
    at = get(at, &count, sizeof count);
    gpci_map_clear(&m->map);
    for (uint32_t block = 0; block < count; block++) {
        at = get(at, &number, sizeof number);
        at = get(at, &m->states[block], 1);
        at = get(at, m->owners + (size_t)block * m->sub_blocks, m->sub_blocks * sizeof *m->owners);
        at = get(at, m->sharers + (size_t)block * words, words * sizeof *m->sharers);
        m->tags[block] = m->states[block] == GPC_LINE_I ? 0 : number << m->block_shift;
        gpci_map_add(&m->map, number, block);
    }
    for (uint32_t block = count; block < used; block++)
        gpci_module_write(m, block, 0, GPC_LINE_I);
    return at;
}

/* Zero the saved data of blocks that are invalid or have no data. */
static void clear_invalid(const gpc_coherence *c, const gpci_module *m, char *saved) {
    if (!m->data)
        return;
    for (uint32_t block = 0; block < m->blocks; block++)
        if (m->states[block] == GPC_LINE_I || gpci_module_directory_only(m, block)) {
            memset(saved + ((char *)gpci_module_data_of(m, block) - (char *)c->slab), 0, m->given.block_bytes);
            memset(saved + ((char *)gpci_module_dirty_of(m, block) - (char *)c->slab), 0, m->mask_bytes);
        }
}

void gpci_coherence_save(const gpc_coherence *c, void *saved) {
    const size_t block_bytes = (size_t)1 << c->memory_shift;
    uint64_t number = 0;
    uint32_t place = 0;
    char *at = put(saved, c->slab, c->slab_bytes);
    for (uint32_t i = 0; i < c->module_count; i++) {
        clear_invalid(c, &c->modules[i], saved);
        if (c->modules[i].full_map)
            at = save_map(&c->modules[i], at);
    }
    at = put(at, &c->pages.count, sizeof c->pages.count);
    for (uint64_t from = 0; next_entry(&c->pages, from, &number, &place); from = number + 1) {
        at = put(at, &number, sizeof number);
        at = put(at, &place, sizeof place);
    }
    at = put(at, &c->memory_map.count, sizeof c->memory_map.count);
    for (uint64_t from = 0; next_entry(&c->memory_map, from, &number, &place); from = number + 1) {
        at = put(at, &number, sizeof number);
        at = put(at, c->memory_bytes + ((size_t)place << c->memory_shift), block_bytes);
    }
    for (uint32_t i = 0; c->timing && i < c->star_count; i++)
        for (uint32_t m = 0; m < c->module_count; m++)
            at = put(at, &c->stars[i].last[m], sizeof c->stars[i].last[m]);
}

void gpci_coherence_load(gpc_coherence *c, const void *saved) {
    const size_t block_bytes = (size_t)1 << c->memory_shift;
    uint32_t count = 0;
    uint64_t number = 0;
    const char *at = get(saved, c->slab, c->slab_bytes);
    for (uint32_t i = 0; i < c->module_count; i++)
        if (c->modules[i].full_map)
            at = load_map(&c->modules[i], at);
    at = get(at, &count, sizeof count);
    gpci_map_clear(&c->pages);
    for (uint32_t home; count; count--) {
        at = get(at, &number, sizeof number);
        at = get(at, &home, sizeof home);
        gpci_map_add(&c->pages, number, home);
    }
    at = get(at, &count, sizeof count);
    gpci_map_clear(&c->memory_map);
    for (uint32_t place = 0; place < count; place++) {
        at = get(at, &number, sizeof number);
        at = get(at, c->memory_bytes + ((size_t)place << c->memory_shift), block_bytes);
        gpci_map_add(&c->memory_map, number, place);
    }
    for (uint32_t i = 0; c->timing && i < c->star_count; i++)
        for (uint32_t m = 0; m < c->module_count; m++)
            at = get(at, &c->stars[i].last[m], sizeof c->stars[i].last[m]);
    c->message_count = c->transition_count = 0;
    c->failed = GPC_OK;
    c->busy = false;
}
