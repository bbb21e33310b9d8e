/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/invariants.h"
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

/*
 * Values of overlapping accesses. The ghost keeps the last stores to each byte. An access is checked when its bytes are
 * written or read: when its block is unlocked.
 *   - protocols with a directory and without N: a load reads the last store
 *   - protocols with N: a coherent store is the last store for all modules, because it invalidates all other copies.
 *     Afterwards each module may n-store a different value. If a module has stored, it reads its own last store, or a
 *     store of another module. If a module has not stored, it reads the last coherent store, or an n-store of another
 *     module since
 *   - protocols without a directory: all stores count as n-stores. After an acquire, a module may not read a value that
 *     was old when the acquire began. Not old are: the home's value at the begin of the acquire, the value of a copy
 *     that was not written back yet, and a value stored since
 *   - a detached copy does not change, and had a right value when it was detached. If the copy was detached when an
 *     acquire of its module began, the copy is gone at the end of the acquire
 * After a flush, memory has the last coherent store, or the last store of a module that has stored since.
 */

static bool wrong(gpci_explorer *explorer, uint32_t module, uint32_t b, uint32_t p, uint8_t found, const char *what) {
    char place[16] = "memory, flushed";
    if (module != GPC_NO_MODULE)
        snprintf(place, sizeof place, "m%u", module);
    explorer->wrong = (gpci_verify_byte){true, found, module, b, p};
    snprintf(explorer->told, sizeof explorer->told, "data value: %c[%u] is %u in %s: %s", 'A' + b, p, found, place,
             what);
    return false;
}

static bool has_stored(const gpci_explorer *explorer, uint32_t except, uint32_t b, uint32_t p, uint8_t value) {
    for (uint32_t k = 0; k < explorer->setup->tree.caches; k++)
        if (k != except && explorer->ghost.stored[k][b][p] >> value & 1)
            return true;
    return false;
}

static bool load_is_right(gpci_explorer *explorer, uint32_t m, uint32_t b, uint32_t p, uint8_t value) {
    const gpci_verify_ghost *ghost = &explorer->ghost;
    if (value > 1)
        return wrong(explorer, m, b, p, value, "stored by nobody");
    if (ghost->old[m][b][p] >> value & 1)
        return wrong(explorer, m, b, p, value, "loaded, and old when it began to acquire");
    if (explorer->coherent)
        return value == ghost->value[b][p] || wrong(explorer, m, b, p, value, "loaded, and not the last store");
    if (has_stored(explorer, m, b, p, value))
        return true;
    if (ghost->last[m][b][p])
        return value + 1 == ghost->last[m][b][p] ||
               wrong(explorer, m, b, p, value, "loaded, and older than its own store");
    return value == ghost->value[b][p] ||
           wrong(explorer, m, b, p, value, "loaded, and older than the last coherent store");
}

static bool is_detached(const gpci_explorer *explorer, uint32_t m, uint32_t b) {
    const gpci_module *probed = &explorer->coherence->modules[m];
    const uint32_t block = gpci_invariants_copy(probed, gpci_verify_address(b, 0));
    return block != GPCI_TREE_NO_BLOCK && gpci_tree_is_detached(explorer->coherence, probed->states[block]);
}

static bool was_right(gpci_explorer *explorer, uint32_t m, uint32_t b) {
    const gpci_module *probed = &explorer->coherence->modules[m];
    const uint32_t block = gpci_invariants_copy(probed, gpci_verify_address(b, 0));
    for (uint32_t p = 0; p < explorer->setup->positions; p++)
        if (!load_is_right(explorer, m, b, p, gpci_module_data_of(probed, block)[p]))
            return false;
    return true;
}

bool gpci_verify_detached(gpci_explorer *explorer) {
    for (uint32_t m = 0; explorer->setup->detaches && m < explorer->setup->tree.caches; m++)
        for (uint32_t b = 0; b < explorer->setup->blocks; b++) {
            uint8_t *known = &explorer->ghost.detached[m][b];
            const bool is = is_detached(explorer, m, b);
            if (is && !*known && !explorer->setup->structure_only && !was_right(explorer, m, b))
                return false;
            *known = !is ? 0 : *known ? *known : 1;
        }
    return true;
}

/* Check a module at the end of its acquire: copies that were detached when the acquire began must be gone. */
static void release(gpci_explorer *explorer, uint32_t m) {
    for (uint32_t b = 0; b < explorer->setup->blocks; b++) {
        const gpci_module *probed = &explorer->coherence->modules[m];
        if (explorer->ghost.detached[m][b] < 2 || !is_detached(explorer, m, b))
            continue;
        const uint32_t block = gpci_invariants_copy(probed, gpci_verify_address(b, 0));
        (void)wrong(explorer, m, b, 0, gpci_module_data_of(probed, block)[0], "detached still, after an acquire");
        return;
    }
}

static void store(gpci_explorer *explorer, uint32_t m, uint32_t kind, uint32_t b, uint32_t p, uint8_t value) {
    gpci_verify_ghost *ghost = &explorer->ghost;
    if (explorer->coherent || (explorer->tracked && kind == GPC_COHERENCE_STORE)) {
        ghost->value[b][p] = value;
        for (uint32_t k = 0; k < explorer->setup->tree.caches; k++)
            ghost->last[k][b][p] = ghost->stored[k][b][p] = 0;
    }
    if (explorer->coherent)
        return;
    for (uint32_t k = 0; k < explorer->setup->tree.caches; k++) {
        ghost->old[k][b][p] &= (uint8_t) ~(1u << value);
        ghost->aging[k][b][p] &= (uint8_t) ~(1u << value);
    }
    ghost->last[m][b][p] = (uint8_t)(value + 1);
    ghost->stored[m][b][p] |= (uint8_t)(1u << value);
}

/* Bit mask of the values that a byte may have for a module that acquires now. */
static uint8_t values_of(const gpci_explorer *explorer, uint32_t b, uint32_t p) {
    const uint64_t address = gpci_verify_address(b, p);
    uint8_t values = (uint8_t)(1u << gpci_invariants_home(explorer->coherence, address));
    for (uint32_t i = 0; i < explorer->coherence->module_count; i++) {
        const gpci_module *module = &explorer->coherence->modules[i];
        const uint32_t block = module->given.memory ? GPCI_TREE_NO_BLOCK : gpci_invariants_copy(module, address);
        if (block == GPCI_TREE_NO_BLOCK)
            continue;
        const uint64_t at = address % module->given.block_bytes;
        if (gpci_module_dirty_of(module, block)[at / 8] >> at % 8 & 1)
            values |= (uint8_t)(1u << gpci_module_data_of(module, block)[at]);
    }
    return values;
}

/*
 * True if the module has no old copies after the acquire. False in a tree with middle caches, which may still have old
 * data, unless all modules acquire.
 */
static bool is_refreshed(const gpci_explorer *explorer, uint32_t module) {
    bool between = false;
    for (uint32_t i = 0; i < explorer->coherence->module_count; i++)
        between |= explorer->coherence->modules[i].place == GPCI_PLACE_BETWEEN;
    return explorer->setup->refreshes && (module == GPC_NO_MODULE || !between);
}

void gpci_verify_acquires(gpci_explorer *explorer, uint32_t module) {
    gpci_verify_ghost *ghost = &explorer->ghost;
    for (uint32_t m = 0; m < explorer->setup->tree.caches; m++)
        for (uint32_t b = 0; b < explorer->setup->blocks && (m == module || module == GPC_NO_MODULE); b++) {
            ghost->detached[m][b] = ghost->detached[m][b] ? 2 : 0;
            if (module == GPC_NO_MODULE) /* the acquire is done */
                release(explorer, m);
        }
    for (uint32_t b = 0; b < explorer->setup->blocks && is_refreshed(explorer, module); b++)
        for (uint32_t p = 0; p < explorer->setup->positions; p++) {
            const uint8_t old = (uint8_t)~values_of(explorer, b, p) & 3;
            for (uint32_t k = 0; k < explorer->setup->tree.caches; k++) {
                ghost->aging[k][b][p] = k == module ? old : ghost->aging[k][b][p];
                ghost->old[k][b][p] = module == GPC_NO_MODULE ? old : ghost->old[k][b][p];
            }
        }
}

static void acquired(gpci_explorer *explorer, uint32_t module) {
    gpci_verify_ghost *ghost = &explorer->ghost;
    release(explorer, module);
    memcpy(ghost->old[module], ghost->aging[module], sizeof ghost->old[module]);
    memset(ghost->aging[module], 0, sizeof ghost->aging[module]);
    ghost->acquire = 0;
}

void gpci_verify_performed(void *explorer, uint32_t inflight) {
    gpci_explorer *e = explorer;
    const gpci_engine *engine = e->coherence->engine;
    const gpci_tree_inflight *access = gpci_tree_inflight_at(engine, inflight);
    if (access->kind == GPC_COHERENCE_ACQUIRE) {
        acquired(e, access->module);
        return;
    }
    const uint8_t *bytes = gpci_payload_of(engine, inflight);
    const uint32_t b = (uint32_t)((access->address - GPCI_VERIFY_BASE) / GPCI_VERIFY_BLOCK);
    const uint32_t p = (uint32_t)((access->address - GPCI_VERIFY_BASE) % GPCI_VERIFY_BLOCK);
    if (access->kind != GPC_COHERENCE_LOAD) {
        store(e, access->module, access->kind, b, p, bytes[0] & 1);
        return;
    }
    const bool old = !e->coherent && is_detached(e, access->module, b);
    for (uint32_t i = 0; i < access->size && !*e->told && !old; i++)
        (void)load_is_right(e, access->module, b, p + i, bytes[i]);
}

static bool memory_is_right(gpci_explorer *explorer, uint32_t b, uint32_t p, uint8_t value) {
    const gpci_verify_ghost *ghost = &explorer->ghost;
    bool any = false;
    for (uint32_t k = 0; k < explorer->setup->tree.caches; k++) {
        if (ghost->last[k][b][p] == value + 1)
            return true;
        any |= ghost->last[k][b][p] != 0;
    }
    return (!any && value == ghost->value[b][p]) ||
           wrong(explorer, GPC_NO_MODULE, b, p, value, "lost, what was stored last");
}

bool gpci_verify_nothing_lost(gpci_explorer *explorer, char *text, size_t size) {
    gpc_error error = GPC_ERROR_INIT;
    if (gpc_coherence_flush(explorer->coherence, GPC_NO_MODULE, 0, NULL, &error) != GPC_OK) {
        snprintf(text, size, "flush: %.480s", error.message);
        return false;
    }
    for (uint32_t b = 0; b < explorer->setup->blocks; b++)
        for (uint32_t p = 0; p < explorer->setup->positions; p++) {
            uint8_t value = 0;
            (void)gpc_coherence_read_memory(explorer->coherence, gpci_verify_address(b, p), &value, 1, NULL);
            if (memory_is_right(explorer, b, p, value))
                continue;
            snprintf(text, size, "%s", explorer->told);
            return false;
        }
    return true;
}
