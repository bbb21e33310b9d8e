/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/invariants.h"
#include "coherence/engine/engine.h"
#include "coherence/module/tree.h"

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

static bool is_tracked(const gpc_coherence *coherence) {
    return coherence->protocol->flags & GPC_PROTOCOL_DIRECTORY;
}

/*
 * True for M, O, E: the module has modified bytes, or may modify bytes without a request. F has the same bytes as the
 * level below.
 */
static bool has_rights(const gpc_coherence *coherence, uint8_t state) {
    const uint8_t means = coherence->means[state];
    return means & GPC_MEANS_OWNER && means != GPC_MEANS_F;
}

static bool is_named(const gpc_coherence *coherence, uint8_t state) {
    return coherence->means[state] & GPC_MEANS_OWNER;
}

/*
 * Name of a state for messages. The six standard states have their names in nmoesi, other states the protocol's names.
 */
static gpci_state_name name_of(const gpc_coherence *coherence, uint8_t state) {
    return gpci_name_of_state(state < GPC_LINE_COUNT ? NULL : coherence->protocol, state);
}

uint32_t gpci_invariants_copy(const gpci_module *module, uint64_t address) {
    if (module->twin && !gpci_module_at_home(module, address))
        return GPCI_TREE_NO_BLOCK; /* the block belongs to the other half */
    const uint32_t block = gpci_module_find(module, gpci_module_tag_of(module, address));
    const bool there = block != GPCI_TREE_NO_BLOCK && module->states[block] != GPC_LINE_I &&
                       !gpci_module_directory_only(module, block);
    return there ? block : GPCI_TREE_NO_BLOCK;
}

static uint8_t state_at(const gpci_module *module, uint64_t address) {
    const uint32_t block = gpci_invariants_copy(module, address);
    return block == GPCI_TREE_NO_BLOCK ? GPC_LINE_I : module->states[block];
}

static const gpci_module *above(const gpc_coherence *coherence, const gpci_module *target, uint32_t place) {
    return &coherence->modules[target->above[place]];
}

/* True if `target` is the low module of `probed` for the address. */
static bool is_low(const gpc_coherence *coherence, const gpci_module *target, const gpci_module *probed,
                   uint64_t address) {
    return gpci_module_low(coherence, probed, address) == target->index;
}

/* -- one address */

/*
 * True if the copy is locked. The processor cannot read the copy before the unlock: the copy may be leaving, or may
 * wait for permission.
 */
static bool is_locked(const gpc_coherence *coherence, const gpci_module *probed, uint64_t address) {
    return coherence->engine && gpci_find_locked(coherence->engine, probed->index, address, NULL);
}

static bool one_writer(const gpc_coherence *coherence, const gpci_module *target, uint64_t address, char *text,
                       size_t size) {
    const gpci_module *sole = NULL, *owned = NULL, *valid[2] = {NULL, NULL};
    for (uint32_t i = 0; i < target->above_count; i++) {
        const gpci_module *probed = above(coherence, target, i);
        const uint8_t state = is_low(coherence, target, probed, address) ? state_at(probed, address) : GPC_LINE_I;
        if (!gpci_tree_is_held(coherence, state) || is_locked(coherence, probed, address))
            continue;
        valid[valid[0] != NULL] = probed;
        if (coherence->means[state] & GPC_MEANS_ONLY)
            sole = probed;
        if (coherence->means[state] != GPC_MEANS_O)
            continue;
        if (owned)
            return report(text, size, "one writer: 0x%llx is in %s in %s and in %s", (unsigned long long)address,
                          name_of(coherence, state).text, owned->given.name, probed->given.name);
        owned = probed;
    }
    if (!sole || !valid[1])
        return true;
    const gpci_module *other = valid[0] == sole ? valid[1] : valid[0];
    return report(text, size, "one writer: 0x%llx is in %s in %s, and in %s in %s", (unsigned long long)address,
                  name_of(coherence, state_at(sole, address)).text, sole->given.name,
                  name_of(coherence, state_at(other, address)).text, other->given.name);
}

/* Check that the directory of `target` knows the valid copy in `probed`. */
static bool covered(const gpc_coherence *coherence, const gpci_module *target, const gpci_module *probed,
                    uint64_t address, char *text, size_t size) {
    const uint8_t state = state_at(probed, address);
    const uint32_t block = gpci_module_find(target, gpci_module_tag_of(target, address)),
                   slot = target->slots[probed->index];
    if (block == GPCI_TREE_NO_BLOCK || target->states[block] == GPC_LINE_I)
        return report(text, size, "covered: 0x%llx is in %s in %s, %s has no entry for it", (unsigned long long)address,
                      name_of(coherence, state).text, probed->given.name, target->given.name);
    if (!target->given.memory && !target->given.non_inclusive && gpci_module_directory_only(target, block))
        return report(text, size, "inclusion: 0x%llx is in %s, not in %s", (unsigned long long)address,
                      probed->given.name, target->given.name);
    const uint32_t sub = gpci_module_sub_of(target, address);
    const uint16_t owner = gpci_module_owner_of(target, block, sub);
    if (!gpci_tree_has_sharer(target, block, sub, slot))
        return report(text, size, "covered: 0x%llx is in %s in %s, which is no sharer in %s",
                      (unsigned long long)address, name_of(coherence, state).text, probed->given.name,
                      target->given.name);
    if (is_named(coherence, state) && owner != slot)
        return report(text, size, "owners: 0x%llx is in %s in %s, which is not the owner in %s",
                      (unsigned long long)address, name_of(coherence, state).text, probed->given.name,
                      target->given.name);
    const bool notified_of =
        /* Multi2Sim informs the module below by CLEAR_OWNER when E becomes N */
        coherence->protocol->flags & GPC_PROTOCOL_PROBE_WHOLE;
    const bool silent = coherence->means[state] == GPC_MEANS_N && !notified_of;
    if (owner == slot && !is_named(coherence, state) && !silent)
        return report(text, size, "owners: 0x%llx is in %s in %s, the owner in %s", (unsigned long long)address,
                      name_of(coherence, state).text, probed->given.name, target->given.name);
    return true;
}

/* In a protocol that INVALIDATES, check that `target` lists every copy in middle caches above. */
static bool listed(const gpc_coherence *coherence, const gpci_module *target, uint64_t address, char *text,
                   size_t size) {
    const uint32_t block = gpci_module_find(target, gpci_module_tag_of(target, address));
    for (uint32_t k = 0; coherence->protocol->flags & GPC_PROTOCOL_INVALIDATES && k < target->above_count; k++) {
        const gpci_module *probed = above(coherence, target, k);
        if (probed->place != GPCI_PLACE_BETWEEN || !is_low(coherence, target, probed, address) ||
            state_at(probed, address) == GPC_LINE_I)
            continue;
        if (block == GPCI_TREE_NO_BLOCK || !gpci_tree_has_sharer(target, block, gpci_module_sub_of(target, address), k))
            return report(text, size, "listed: 0x%llx is in %s in %s, which %s would not tell",
                          (unsigned long long)address, name_of(coherence, state_at(probed, address)).text,
                          probed->given.name, target->given.name);
    }
    return true;
}

static bool rights_below(const gpc_coherence *coherence, const gpci_module *target, const gpci_module *probed,
                         uint64_t address, char *text, size_t size) {
    const uint8_t state = state_at(probed, address), low = state_at(target, address);
    if (target->given.memory || !has_rights(coherence, state) || (target->given.non_inclusive && low == GPC_LINE_I))
        return true;
    if (coherence->means[low] & GPC_MEANS_ONLY ||
        (coherence->means[state] == GPC_MEANS_O && coherence->means[low] == GPC_MEANS_O))
        return true;
    return report(text, size, "rights below: 0x%llx is in %s in %s, but in %s in %s", (unsigned long long)address,
                  name_of(coherence, state).text, probed->given.name, name_of(coherence, low).text, target->given.name);
}

static bool clean(const gpc_coherence *coherence, const gpci_module *module, uint64_t address, char *text,
                  size_t size) {
    const uint32_t block = gpci_invariants_copy(module, address);
    /*
     * In Multi2Sim, a lower cache goes to E when a writer above takes the block, and keeps modified bytes, which the
     * writer has as well.
     */
    const bool full_blocks = module->above_count && coherence->protocol->flags & GPC_PROTOCOL_WHOLE_BLOCKS;
    if (block == GPCI_TREE_NO_BLOCK || !module->dirty || !is_tracked(coherence) || full_blocks)
        return true;
    const uint8_t state = module->states[block];
    const uint32_t bytes = (module->given.block_bytes + 7) / 8;
    if (coherence->means[state] & GPC_MEANS_MODIFIED)
        return true;
    for (uint32_t i = 0; i < bytes; i++)
        if (module->dirty[(size_t)block * bytes + i])
            return report(text, size, "clean: 0x%llx is in %s in %s with modified bytes", (unsigned long long)address,
                          name_of(coherence, state).text, module->given.name);
    return true;
}

bool gpci_invariants_one_writer(const gpc_coherence *coherence, uint64_t address, char *text, size_t size) {
    for (uint32_t i = 0; is_tracked(coherence) && i < coherence->module_count; i++) {
        const gpci_module *module = &coherence->modules[i];
        if (module->above_count && gpci_module_serves(module, address) &&
            !one_writer(coherence, module, address, text, size))
            return false;
    }
    return true;
}

bool gpci_invariants_at(const gpc_coherence *coherence, uint64_t address, char *text, size_t size) {
    for (uint32_t i = 0; i < coherence->module_count; i++) {
        const gpci_module *module = &coherence->modules[i];
        if (!module->given.memory && gpci_module_serves(module, address) &&
            !clean(coherence, module, address, text, size))
            return false;
        if (!module->above_count || !gpci_module_serves(module, address))
            continue;
        if (!listed(coherence, module, address, text, size))
            return false;
        if (!is_tracked(coherence))
            continue;
        if (!one_writer(coherence, module, address, text, size))
            return false;
        for (uint32_t k = 0; k < module->above_count; k++) {
            const gpci_module *probed = above(coherence, module, k);
            if (!is_low(coherence, module, probed, address) || !gpci_tree_is_held(coherence, state_at(probed, address)))
                continue;
            if (!covered(coherence, module, probed, address, text, size) ||
                !rights_below(coherence, module, probed, address, text, size))
                return false;
        }
    }
    return true;
}

static uint32_t smallest_block(const gpc_coherence *coherence) {
    uint32_t smallest = UINT32_MAX;
    for (uint32_t i = 0; i < coherence->module_count; i++)
        smallest =
            coherence->modules[i].given.block_bytes < smallest ? coherence->modules[i].given.block_bytes : smallest;
    return smallest;
}

bool gpci_invariants_over(const gpc_coherence *coherence, uint64_t first, uint64_t bytes, char *text, size_t size) {
    const uint32_t step = smallest_block(coherence);
    for (uint64_t address = first; address < first + bytes; address += step)
        if (!gpci_invariants_at(coherence, address, text, size))
            return false;
    return true;
}

/* -- tags and lists */

static bool entry_is_sane(const gpci_module *module, uint32_t block, char *text, size_t size) {
    const bool valid = module->states[block] != GPC_LINE_I;
    if (!valid && gpci_module_tag(module, block))
        return report(text, size, "tags: %s's block %u is invalid, its tag is not 0", module->given.name, block);
    if (valid && !gpci_module_owns(module, block))
        return true; /* the check of the other half covers the block */
    for (uint32_t sub = 0; sub < module->sub_blocks; sub++) {
        const uint16_t owner = gpci_module_owner_of(module, block, sub);
        const bool any = gpci_sharers_any(module, block, sub);
        if (!valid && (any || owner != GPCI_TREE_NO_OWNER))
            return report(text, size, "tags: %s's block %u is invalid, its directory is not empty", module->given.name,
                          block);
        if (owner != GPCI_TREE_NO_OWNER &&
            (owner >= module->above_count || !gpci_tree_has_sharer(module, block, sub, owner)))
            return report(text, size, "owners: the owner of sub-block %u of %s's block %u is no sharer", sub,
                          module->given.name, block);
    }
    return true;
}

static bool order_is_sane(const gpci_module *module, uint32_t set, char *text, size_t size) {
    uint64_t seen[GPC_MAX_MODULES / 64] = {0};
    if (module->all_ways > sizeof seen * 8)
        return true;
    for (uint32_t i = 0; i < module->all_ways; i++) {
        const uint32_t ways = module->given.ways;
        const uint32_t way = i < ways ? gpci_module_way_at(module, set, false, i)
                                      : ways + gpci_module_way_at(module, set, true, i - ways);
        if (way >= module->all_ways || gpci_bit_is_set(seen, way))
            return report(text, size, "tags: recency of %s's set %u is no permutation", module->given.name, set);
        gpci_bit_set(seen, way);
    }
    return true;
}

/* Check that the valid blocks of a way are of a single line, and that the line is in no other way. */
static bool line_is_sane(const gpci_module *module, uint32_t block, char *text, size_t size) {
    for (uint32_t sector = 0; module->sector_mask && module->states[block] != GPC_LINE_I && sector < module->sectors;
         sector++) {
        const uint32_t other = gpci_module_sector(module, block, sector);
        if (module->states[other] != GPC_LINE_I &&
            !gpci_module_same_line(module, gpci_module_tag(module, block), gpci_module_tag(module, other)))
            return report(text, size, "tags: %s's block %u and its neighbour are of two lines, 0x%llx and 0x%llx",
                          module->given.name, block, (unsigned long long)gpci_module_tag(module, block),
                          (unsigned long long)gpci_module_tag(module, other));
    }
    if (module->sector_mask && module->states[block] != GPC_LINE_I &&
        gpci_module_way_of_line(module, gpci_module_tag(module, block)) != block % module->all_ways)
        return report(text, size, "tags: %s has the line of 0x%llx in two ways", module->given.name,
                      (unsigned long long)gpci_module_tag(module, block));
    return true;
}

static bool set_is_sane(const gpci_module *module, uint32_t set, char *text, size_t size) {
    const uint32_t first = set * module->all_ways;
    for (uint32_t i = first; i < first + module->all_ways; i++) {
        if (!entry_is_sane(module, i, text, size))
            return false;
        for (uint32_t k = first; k < i && module->states[i] != GPC_LINE_I; k++)
            if (module->states[k] != GPC_LINE_I && gpci_module_tag(module, k) == gpci_module_tag(module, i))
                return report(text, size, "tags: %s's set %u has 0x%llx twice", module->given.name, set,
                              (unsigned long long)gpci_module_tag(module, i));
        if (module->states[i] != GPC_LINE_I && gpci_module_find(module, gpci_module_tag(module, i)) != i)
            return report(text, size, "tags: %s's 0x%llx is not found where it is", module->given.name,
                          (unsigned long long)gpci_module_tag(module, i));
    }
    for (uint32_t i = first; i < first + module->given.ways; i++)
        if (!line_is_sane(module, i, text, size))
            return false;
    return module->policy || order_is_sane(module, set, text, size);
}

bool gpci_invariants_of_tags(const gpc_coherence *coherence, char *text, size_t size) {
    for (uint32_t i = 0; i < coherence->module_count; i++) {
        const gpci_module *module = &coherence->modules[i];
        const uint32_t count = module->full_map ? module->map.count : module->blocks;
        for (uint32_t b = 0; module->given.memory && b < count; b++)
            if (module->states[b] != GPC_LINE_M && module->states[b] != GPC_LINE_E && module->states[b] != GPC_LINE_I)
                return report(text, size, "tags: %s's block %u is in %s", module->given.name, b,
                              name_of(coherence, module->states[b]).text);
        for (uint32_t b = 0; module->full_map && b < count; b++)
            if (!entry_is_sane(module, b, text, size))
                return false;
        for (uint32_t s = 0; !module->full_map && s < module->rows; s++)
            if (!set_is_sane(module, s, text, size))
                return false;
    }
    return true;
}

/* -- values */

static const gpci_module *memory_of(const gpc_coherence *coherence, uint64_t address) {
    for (uint32_t i = 0; i < coherence->module_count; i++)
        if (coherence->modules[i].given.memory && gpci_module_serves(&coherence->modules[i], address))
            return &coherence->modules[i];
    return NULL;
}

static uint8_t memory_byte(const gpc_coherence *coherence, uint64_t address) {
    uint8_t byte = 0;
    gpc_coherence_read_memory(coherence, address, &byte, 1, NULL);
    return byte;
}

/* True if the home of the value (gpci_invariants_home) may be `probed`, or a module above `probed`. */
static bool leads_home(const gpc_coherence *coherence, const gpci_module *probed, uint8_t state) {
    return probed->place == GPCI_PLACE_LAST || (is_tracked(coherence) && has_rights(coherence, state));
}

/* Next module after `target` on the way from memory to the home of the value; NULL: `target` is the last. */
static const gpci_module *towards_home(const gpc_coherence *coherence, const gpci_module *target, uint64_t address) {
    for (uint32_t i = 0; i < target->above_count; i++) {
        const gpci_module *probed = above(coherence, target, i);
        const uint8_t state = is_low(coherence, target, probed, address) ? state_at(probed, address) : GPC_LINE_I;
        if (state != GPC_LINE_I && leads_home(coherence, probed, state))
            return probed;
    }
    /* a non-inclusive cache may have copies above without a copy of its own */
    for (uint32_t i = 0; i < target->above_count; i++) {
        const gpci_module *probed = above(coherence, target, i);
        if (!probed->given.non_inclusive || !is_low(coherence, target, probed, address) ||
            state_at(probed, address) != GPC_LINE_I)
            continue;
        const gpci_module *next = towards_home(coherence, probed, address);
        if (next)
            return next;
    }
    return NULL;
}

static uint8_t byte_in(const gpci_module *module, uint64_t address) {
    const uint32_t block = gpci_invariants_copy(module, address);
    return module->data[(size_t)block * module->given.block_bytes + address % module->given.block_bytes];
}

static bool is_dirty(const gpci_module *module, uint64_t address) {
    const uint64_t bit = address % module->given.block_bytes;
    const uint32_t bytes = (module->given.block_bytes + 7) / 8;
    return module->dirty[(size_t)gpci_invariants_copy(module, address) * bytes + bit / 8] >> bit % 8 & 1;
}

/* True if a byte of a block is present; false: the block is partial and lacks the byte. */
static bool is_there(const gpci_module *module, uint64_t address) {
    return gpci_module_has_byte(module, gpci_invariants_copy(module, address), address % module->given.block_bytes);
}

uint8_t gpci_invariants_home(const gpc_coherence *coherence, uint64_t address) {
    uint8_t value = memory_byte(coherence, address);
    for (const gpci_module *module = towards_home(coherence, memory_of(coherence, address), address); module;
         module = towards_home(coherence, module, address))
        if (is_dirty(module, address))
            value = byte_in(module, address);
    return value;
}

bool gpci_invariants_of_home(const gpc_coherence *coherence, uint64_t address, char *text, size_t size) {
    uint8_t below = memory_byte(coherence, address);
    for (const gpci_module *module = towards_home(coherence, memory_of(coherence, address), address); module;
         module = towards_home(coherence, module, address)) {
        const uint8_t value = is_there(module, address) ? byte_in(module, address) : below;
        if (is_dirty(module, address) && !is_there(module, address))
            return report(text, size, "memory: byte 0x%llx has been modified in %s, and never come there",
                          (unsigned long long)address, module->given.name);
        if (value != below && !is_dirty(module, address))
            return report(text, size, "memory: byte 0x%llx is %u in %s, not marked as modified, and %u below",
                          (unsigned long long)address, value, module->given.name, below);
        below = value;
    }
    return true;
}

/* -- gpc_coherence_check */

static bool is_at_rest(const gpc_coherence *coherence) {
    return !coherence->busy && (!coherence->engine || !coherence->engine->tasks.used);
}

gpc_status gpc_coherence_check(const gpc_coherence *coherence, uint64_t first, uint64_t bytes, gpc_error *error) {
    char text[256];
    bool sound = true;
    if (!coherence || bytes > UINT64_MAX - first)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_check: %s",
                         coherence ? "beyond the last address" : "coherence is NULL");
    if (coherence->failed != GPC_OK)
        return gpci_fail(error, GPC_ERROR_STATE, "%s", coherence->failure);
    const uint32_t step = smallest_block(coherence);
    const bool rests = is_at_rest(coherence);
    if (rests)
        sound = gpci_invariants_of_tags(coherence, text, sizeof text) &&
                gpci_invariants_over(coherence, first, bytes, text, sizeof text);
    for (uint64_t at = 0; !rests && sound && at < bytes; at += step)
        sound = gpci_invariants_one_writer(coherence, first + at, text, sizeof text);
    return sound ? GPC_OK : gpci_fail(error, GPC_ERROR_STATE, "%s", text);
}
