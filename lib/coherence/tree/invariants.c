/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/invariants.h"
#include "coherence/engine/engine.h"
#include "coherence/module/sharers.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool report(char *text, size_t size, const char *format, ...) GPCI_PRINTF(3, 4);

static bool report(char *text, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return false;
}

static bool is_tracked(const gpc_coherence *c) {
    return c->protocol->flags & GPC_PROTOCOL_DIRECTORY;
}

/* True for M, O, E: modified bytes are here, or may appear without a request. F has the bytes of the level below. */
static bool has_rights(const gpc_coherence *c, uint8_t state) {
    const uint8_t means = c->means[state];
    return means & GPC_MEANS_OWNER && means != GPC_MEANS_F;
}

static bool is_named(const gpc_coherence *c, uint8_t state) {
    return c->means[state] & GPC_MEANS_OWNER;
}

/* Name of a state: the message of NMOESI for the six standard states; otherwise the protocol's name. */
static gpci_state_name name_of(const gpc_coherence *c, uint8_t state) {
    return gpci_name_of_state(state < GPC_LINE_COUNT ? NULL : c->protocol, state);
}

uint32_t gpci_invariants_copy(const gpci_module *m, uint64_t address) {
    if (m->twin && !gpci_module_at_home(m, address))
        return GPCI_TREE_NO_BLOCK; /* the block belongs to the other half */
    const uint32_t block = gpci_module_find(m, gpci_module_tag_of(m, address));
    const bool there =
        block != GPCI_TREE_NO_BLOCK && m->states[block] != GPC_LINE_I && !gpci_module_directory_only(m, block);
    return there ? block : GPCI_TREE_NO_BLOCK;
}

static uint8_t state_at(const gpci_module *m, uint64_t address) {
    const uint32_t block = gpci_invariants_copy(m, address);
    return block == GPCI_TREE_NO_BLOCK ? GPC_LINE_I : m->states[block];
}

static const gpci_module *above(const gpc_coherence *c, const gpci_module *t, uint32_t place) {
    return &c->modules[t->above[place]];
}

/* True if t is the low module of `x` for the address. */
static bool is_low(const gpc_coherence *c, const gpci_module *t, const gpci_module *x, uint64_t address) {
    return gpci_module_low(c, x, address) == t->index;
}

/* -- one address */

/* True if the copy is locked. It cannot be read until unlocked: it may be leaving, or waiting for permission. */
static bool is_locked(const gpc_coherence *c, const gpci_module *x, uint64_t address) {
    return c->engine && gpci_find_locked(c->engine, x->index, address, NULL);
}

static bool one_writer(const gpc_coherence *c, const gpci_module *t, uint64_t address, char *text, size_t size) {
    const gpci_module *sole = NULL, *owned = NULL, *valid[2] = {NULL, NULL};
    for (uint32_t i = 0; i < t->above_count; i++) {
        const gpci_module *x = above(c, t, i);
        const uint8_t state = is_low(c, t, x, address) ? state_at(x, address) : GPC_LINE_I;
        if (!gpci_tree_is_held(c, state) || is_locked(c, x, address))
            continue;
        valid[valid[0] != NULL] = x;
        if (c->means[state] & GPC_MEANS_ONLY)
            sole = x;
        if (c->means[state] != GPC_MEANS_O)
            continue;
        if (owned)
            return report(text, size, "one writer: 0x%llx is in %s in %s and in %s", (unsigned long long)address,
                          name_of(c, state).text, owned->given.name, x->given.name);
        owned = x;
    }
    if (!sole || !valid[1])
        return true;
    const gpci_module *other = valid[0] == sole ? valid[1] : valid[0];
    return report(text, size, "one writer: 0x%llx is in %s in %s, and in %s in %s", (unsigned long long)address,
                  name_of(c, state_at(sole, address)).text, sole->given.name, name_of(c, state_at(other, address)).text,
                  other->given.name);
}

/* Check the low module's directory about a valid copy. */
static bool covered(const gpc_coherence *c, const gpci_module *t, const gpci_module *x, uint64_t address, char *text,
                    size_t size) {
    const uint8_t state = state_at(x, address);
    const uint32_t block = gpci_module_find(t, gpci_module_tag_of(t, address)), slot = t->slots[x->index];
    if (block == GPCI_TREE_NO_BLOCK || t->states[block] == GPC_LINE_I)
        return report(text, size, "covered: 0x%llx is in %s in %s, %s has no entry for it", (unsigned long long)address,
                      name_of(c, state).text, x->given.name, t->given.name);
    if (!t->given.memory && !t->given.non_inclusive && gpci_module_directory_only(t, block))
        return report(text, size, "inclusion: 0x%llx is in %s, not in %s", (unsigned long long)address, x->given.name,
                      t->given.name);
    const uint32_t sub = gpci_module_sub_of(t, address);
    const uint16_t owner = gpci_module_owner_of(t, block, sub);
    if (!gpci_tree_has_sharer(t, block, sub, slot))
        return report(text, size, "covered: 0x%llx is in %s in %s, which is no sharer in %s",
                      (unsigned long long)address, name_of(c, state).text, x->given.name, t->given.name);
    if (is_named(c, state) && owner != slot)
        return report(text, size, "owners: 0x%llx is in %s in %s, which is not the owner in %s",
                      (unsigned long long)address, name_of(c, state).text, x->given.name, t->given.name);
    const bool notified_of = c->protocol->flags & GPC_PROTOCOL_PROBE_WHOLE; /* Multi2Sim's clear-owner message */
    const bool silent = c->means[state] == GPC_MEANS_N ? !notified_of : x->through;
    if (owner == slot && !is_named(c, state) && !silent)
        return report(text, size, "owners: 0x%llx is in %s in %s, the owner in %s", (unsigned long long)address,
                      name_of(c, state).text, x->given.name, t->given.name);
    return true;
}

/* With invalidations: check that t lists every copy. */
static bool listed(const gpc_coherence *c, const gpci_module *t, uint64_t address, char *text, size_t size) {
    const uint32_t block = gpci_module_find(t, gpci_module_tag_of(t, address));
    for (uint32_t k = 0; c->protocol->flags & GPC_PROTOCOL_INVALIDATES && k < t->above_count; k++) {
        const gpci_module *x = above(c, t, k);
        if (x->place != GPCI_PLACE_BETWEEN || !is_low(c, t, x, address) || state_at(x, address) == GPC_LINE_I)
            continue;
        if (block == GPCI_TREE_NO_BLOCK || !gpci_tree_has_sharer(t, block, gpci_module_sub_of(t, address), k))
            return report(text, size, "listed: 0x%llx is in %s in %s, which %s would not tell",
                          (unsigned long long)address, name_of(c, state_at(x, address)).text, x->given.name,
                          t->given.name);
    }
    return true;
}

static bool rights_below(const gpc_coherence *c, const gpci_module *t, const gpci_module *x, uint64_t address,
                         char *text, size_t size) {
    const uint8_t state = state_at(x, address), low = state_at(t, address);
    if (t->given.memory || !has_rights(c, state) || (t->given.non_inclusive && low == GPC_LINE_I))
        return true;
    if (c->means[low] & GPC_MEANS_ONLY || (c->means[state] == GPC_MEANS_O && c->means[low] == GPC_MEANS_O))
        return true;
    return report(text, size, "rights below: 0x%llx is in %s in %s, but in %s in %s", (unsigned long long)address,
                  name_of(c, state).text, x->given.name, name_of(c, low).text, t->given.name);
}

static bool clean(const gpc_coherence *c, const gpci_module *m, uint64_t address, char *text, size_t size) {
    const uint32_t block = gpci_invariants_copy(m, address);
    /*
     * In Multi2Sim, lower caches go to E when a writer takes the block; the writer also has the modified bytes they
     * keep.
     */
    const bool whole = m->above_count && c->protocol->flags & GPC_PROTOCOL_WHOLE_BLOCKS;
    if (block == GPCI_TREE_NO_BLOCK || !m->dirty || !is_tracked(c) || whole)
        return true;
    const uint8_t state = m->states[block];
    const uint32_t bytes = (m->given.block_bytes + 7) / 8;
    if (c->means[state] & GPC_MEANS_MODIFIED)
        return true;
    for (uint32_t i = 0; i < bytes; i++)
        if (m->dirty[(size_t)block * bytes + i])
            return report(text, size, "clean: 0x%llx is in %s in %s with modified bytes", (unsigned long long)address,
                          name_of(c, state).text, m->given.name);
    return true;
}

bool gpci_invariants_one_writer(const gpc_coherence *c, uint64_t address, char *text, size_t size) {
    for (uint32_t i = 0; is_tracked(c) && i < c->module_count; i++) {
        const gpci_module *m = &c->modules[i];
        if (m->above_count && gpci_module_serves(m, address) && !one_writer(c, m, address, text, size))
            return false;
    }
    return true;
}

bool gpci_invariants_at(const gpc_coherence *c, uint64_t address, char *text, size_t size) {
    for (uint32_t i = 0; i < c->module_count; i++) {
        const gpci_module *m = &c->modules[i];
        if (!m->given.memory && gpci_module_serves(m, address) && !clean(c, m, address, text, size))
            return false;
        if (!m->above_count || !gpci_module_serves(m, address))
            continue;
        if (!listed(c, m, address, text, size))
            return false;
        if (!is_tracked(c))
            continue;
        if (!one_writer(c, m, address, text, size))
            return false;
        for (uint32_t k = 0; k < m->above_count; k++) {
            const gpci_module *x = above(c, m, k);
            if (!is_low(c, m, x, address) || !gpci_tree_is_held(c, state_at(x, address)))
                continue;
            if (!covered(c, m, x, address, text, size) || !rights_below(c, m, x, address, text, size))
                return false;
        }
    }
    return true;
}

static uint32_t smallest_block(const gpc_coherence *c) {
    uint32_t smallest = UINT32_MAX;
    for (uint32_t i = 0; i < c->module_count; i++)
        smallest = c->modules[i].given.block_bytes < smallest ? c->modules[i].given.block_bytes : smallest;
    return smallest;
}

bool gpci_invariants_over(const gpc_coherence *c, uint64_t first, uint64_t bytes, char *text, size_t size) {
    const uint32_t step = smallest_block(c);
    for (uint64_t address = first; address < first + bytes; address += step)
        if (!gpci_invariants_at(c, address, text, size))
            return false;
    return true;
}

/* -- tags and lists */

static bool entry_is_sane(const gpci_module *m, uint32_t block, char *text, size_t size) {
    const bool valid = m->states[block] != GPC_LINE_I;
    if (!valid && gpci_module_tag(m, block))
        return report(text, size, "tags: %s's block %u is invalid, its tag is not 0", m->given.name, block);
    if (valid && !gpci_module_owns(m, block))
        return true; /* the other half checks it */
    for (uint32_t sub = 0; sub < m->sub_blocks; sub++) {
        const uint16_t owner = gpci_module_owner_of(m, block, sub);
        const bool any = gpci_sharers_any(m, block, sub);
        if (!valid && (any || owner != GPCI_TREE_NO_OWNER))
            return report(text, size, "tags: %s's block %u is invalid, its directory is not empty", m->given.name,
                          block);
        if (owner != GPCI_TREE_NO_OWNER && (owner >= m->above_count || !gpci_tree_has_sharer(m, block, sub, owner)))
            return report(text, size, "owners: the owner of sub-block %u of %s's block %u is no sharer", sub,
                          m->given.name, block);
    }
    return true;
}

static bool order_is_sane(const gpci_module *m, uint32_t set, char *text, size_t size) {
    uint64_t seen[GPC_MAX_MODULES / 64] = {0};
    if (m->all_ways > sizeof seen * 8)
        return true;
    for (uint32_t i = 0; i < m->all_ways; i++) {
        const uint32_t ways = m->given.ways;
        const uint32_t way =
            i < ways ? gpci_module_way_at(m, set, false, i) : ways + gpci_module_way_at(m, set, true, i - ways);
        if (way >= m->all_ways || gpci_bit_is_set(seen, way))
            return report(text, size, "tags: recency of %s's set %u is no permutation", m->given.name, set);
        gpci_bit_set(seen, way);
    }
    return true;
}

/* Check the valid blocks of a way: all of a single line, and the line in no other way. */
static bool line_is_sane(const gpci_module *m, uint32_t block, char *text, size_t size) {
    for (uint32_t sector = 0; m->sector_mask && m->states[block] != GPC_LINE_I && sector < m->sectors; sector++) {
        const uint32_t other = gpci_module_sector(m, block, sector);
        if (m->states[other] != GPC_LINE_I &&
            !gpci_module_same_line(m, gpci_module_tag(m, block), gpci_module_tag(m, other)))
            return report(text, size, "tags: %s's block %u and its neighbour are of two lines, 0x%llx and 0x%llx",
                          m->given.name, block, (unsigned long long)gpci_module_tag(m, block),
                          (unsigned long long)gpci_module_tag(m, other));
    }
    if (m->sector_mask && m->states[block] != GPC_LINE_I &&
        gpci_module_way_of_line(m, gpci_module_tag(m, block)) != block % m->all_ways)
        return report(text, size, "tags: %s has the line of 0x%llx in two ways", m->given.name,
                      (unsigned long long)gpci_module_tag(m, block));
    return true;
}

static bool set_is_sane(const gpci_module *m, uint32_t set, char *text, size_t size) {
    const uint32_t first = set * m->all_ways;
    for (uint32_t i = first; i < first + m->all_ways; i++) {
        if (!entry_is_sane(m, i, text, size))
            return false;
        for (uint32_t k = first; k < i && m->states[i] != GPC_LINE_I; k++)
            if (m->states[k] != GPC_LINE_I && gpci_module_tag(m, k) == gpci_module_tag(m, i))
                return report(text, size, "tags: %s's set %u has 0x%llx twice", m->given.name, set,
                              (unsigned long long)gpci_module_tag(m, i));
        if (m->states[i] != GPC_LINE_I && gpci_module_find(m, gpci_module_tag(m, i)) != i)
            return report(text, size, "tags: %s's 0x%llx is not found where it is", m->given.name,
                          (unsigned long long)gpci_module_tag(m, i));
    }
    for (uint32_t i = first; i < first + m->given.ways; i++)
        if (!line_is_sane(m, i, text, size))
            return false;
    return m->policy || order_is_sane(m, set, text, size);
}

bool gpci_invariants_of_tags(const gpc_coherence *c, char *text, size_t size) {
    for (uint32_t i = 0; i < c->module_count; i++) {
        const gpci_module *m = &c->modules[i];
        const uint32_t count = m->full_map ? m->map.count : m->blocks;
        for (uint32_t b = 0; m->given.memory && b < count; b++)
            if (m->states[b] != GPC_LINE_M && m->states[b] != GPC_LINE_E && m->states[b] != GPC_LINE_I)
                return report(text, size, "tags: %s's block %u is in %s", m->given.name, b,
                              name_of(c, m->states[b]).text);
        for (uint32_t b = 0; m->full_map && b < count; b++)
            if (!entry_is_sane(m, b, text, size))
                return false;
        for (uint32_t s = 0; !m->full_map && s < m->rows; s++)
            if (!set_is_sane(m, s, text, size))
                return false;
    }
    return true;
}

/* -- values */

static const gpci_module *memory_of(const gpc_coherence *c, uint64_t address) {
    for (uint32_t i = 0; i < c->module_count; i++)
        if (c->modules[i].given.memory && gpci_module_serves(&c->modules[i], address))
            return &c->modules[i];
    return NULL;
}

static uint8_t memory_byte(const gpc_coherence *c, uint64_t address) {
    uint8_t byte = 0;
    gpc_coherence_read_memory(c, address, &byte, 1);
    return byte;
}

/* True if the home may be `x` or a module above. */
static bool leads_home(const gpc_coherence *c, const gpci_module *x, uint8_t state) {
    return x->place == GPCI_PLACE_LAST || (is_tracked(c) && has_rights(c, state));
}

/* Next module on the way from memory to the home; NULL: `t` is the last. */
static const gpci_module *towards_home(const gpc_coherence *c, const gpci_module *t, uint64_t address) {
    for (uint32_t i = 0; i < t->above_count; i++) {
        const gpci_module *x = above(c, t, i);
        const uint8_t state = is_low(c, t, x, address) ? state_at(x, address) : GPC_LINE_I;
        if (state != GPC_LINE_I && leads_home(c, x, state))
            return x;
    }
    /* Non-inclusive caches may know copies above without having one. */
    for (uint32_t i = 0; i < t->above_count; i++) {
        const gpci_module *x = above(c, t, i);
        if (!x->given.non_inclusive || !is_low(c, t, x, address) || state_at(x, address) != GPC_LINE_I)
            continue;
        const gpci_module *next = towards_home(c, x, address);
        if (next)
            return next;
    }
    return NULL;
}

static uint8_t byte_in(const gpci_module *m, uint64_t address) {
    const uint32_t block = gpci_invariants_copy(m, address);
    return m->data[(size_t)block * m->given.block_bytes + address % m->given.block_bytes];
}

static bool is_dirty(const gpci_module *m, uint64_t address) {
    const uint64_t bit = address % m->given.block_bytes;
    const uint32_t bytes = (m->given.block_bytes + 7) / 8;
    return m->dirty[(size_t)gpci_invariants_copy(m, address) * bytes + bit / 8] >> bit % 8 & 1;
}

/* False for bytes of a partial block that have not arrived. */
static bool is_there(const gpci_module *m, uint64_t address) {
    return gpci_module_has_byte(m, gpci_invariants_copy(m, address), address % m->given.block_bytes);
}

uint8_t gpci_invariants_home(const gpc_coherence *c, uint64_t address) {
    uint8_t value = memory_byte(c, address);
    for (const gpci_module *m = towards_home(c, memory_of(c, address), address); m; m = towards_home(c, m, address))
        if (is_dirty(m, address))
            value = byte_in(m, address);
    return value;
}

bool gpci_invariants_of_home(const gpc_coherence *c, uint64_t address, char *text, size_t size) {
    uint8_t below = memory_byte(c, address);
    for (const gpci_module *m = towards_home(c, memory_of(c, address), address); m; m = towards_home(c, m, address)) {
        const uint8_t value = is_there(m, address) ? byte_in(m, address) : below;
        if (is_dirty(m, address) && !is_there(m, address))
            return report(text, size, "memory: byte 0x%llx has been modified in %s, and never come there",
                          (unsigned long long)address, m->given.name);
        if (value != below && !is_dirty(m, address))
            return report(text, size, "memory: byte 0x%llx is %u in %s, not marked as modified, and %u below",
                          (unsigned long long)address, value, m->given.name, below);
        below = value;
    }
    return true;
}

/* -- the call */

static bool is_at_rest(const gpc_coherence *c) {
    return !c->busy && (!c->engine || !c->engine->tasks.used);
}

gpc_status gpc_coherence_check(const gpc_coherence *c, uint64_t first, uint64_t bytes, gpc_error *error) {
    char text[256];
    bool sound = true;
    if (!c || bytes > UINT64_MAX - first)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_check: %s",
                         c ? "beyond the last address" : "coherence is NULL");
    if (c->failed != GPC_OK)
        return gpci_fail(error, GPC_ERROR_STATE, "%s", c->failure);
    const uint32_t step = smallest_block(c);
    const bool rests = is_at_rest(c);
    if (rests)
        sound =
            gpci_invariants_of_tags(c, text, sizeof text) && gpci_invariants_over(c, first, bytes, text, sizeof text);
    for (uint64_t at = 0; !rests && sound && at < bytes; at += step)
        sound = gpci_invariants_one_writer(c, first + at, text, sizeof text);
    return sound ? GPC_OK : gpci_fail(error, GPC_ERROR_STATE, "%s", text);
}
