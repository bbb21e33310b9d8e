/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/tree_build.h"

/*
 * Modules with hashed sets or hashed addresses share selectors, which use the functions of gpc_cache and of a
 * hierarchy's slices. Most modules of a tree share one of two or three selectors, or have none: shifts and masks are
 * enough.
 *
 * Before gpci_tree_select, a HASHED module treats addresses as INTERLEAVED; cover.c and places.c see it this way. This
 * is valid: a hash only permutes stretches within groups of modulus stretches (rounded up to a power of two). If all
 * HASHED modules have equal hashes, and ranges do not cut such groups, every address has the paths some other address
 * has without the hash.
 *
 * Example, 3 banks, stretches of 256 bytes: the hash's degree is 2, and stretches 4 to 7 become 6, 7, 4, 5. Modulo 3
 * they are in banks 0, 1, 1, 2, and without the hash in banks 1, 2, 0, 1: the numbers per bank are equal over all
 * groups.
 */

static bool is_hashed(const gpci_module *m) {
    return m->given.served == GPC_SERVES_HASHED;
}

/* Bytes of a group of stretches permuted by a hash. */
static uint64_t group_bytes(const gpci_module *hashed) {
    return hashed->given.divisor << gpci_ceil_log2(hashed->given.modulus);
}

static gpc_status check_beside(const gpci_module *hashed, const gpci_module *m, gpc_error *error) {
    const gpc_coherence_module *g = &m->given;
    const uint64_t within = group_bytes(hashed) - 1;
    if (g->served == GPC_SERVES_INTERLEAVED)
        GPCI_TREE_REFUSE(ARGUMENT, m, "served", "is interleaved, in a tree where '%s' is hashed", hashed->given.name);
    if (is_hashed(m) && (g->divisor != hashed->given.divisor || g->modulus != hashed->given.modulus))
        GPCI_TREE_REFUSE(ARGUMENT, m, "divisor", "and modulus are other than those of '%s', hashed too",
                         hashed->given.name);
    if (g->served == GPC_SERVES_RANGE && ((g->first & within) || (g->last & within) != within))
        GPCI_TREE_REFUSE(ARGUMENT, m, "first", "and last cut %llu bytes that are hashed over '%s' and others",
                         (unsigned long long)within + 1, hashed->given.name);
    return GPC_OK;
}

gpc_status gpci_tree_check_hashes(const gpc_coherence *c, gpc_error *error) {
    const gpci_module *hashed = NULL;
    for (uint32_t i = 0; i < c->module_count && !hashed; i++)
        hashed = is_hashed(&c->modules[i]) ? &c->modules[i] : NULL;
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; hashed && i < c->module_count && status == GPC_OK; i++)
        status = check_beside(hashed, &c->modules[i], error);
    return status;
}

/* True if a module needs a selector. `dense` matters only with several blocks in a stretch. */
static bool needs_selector(const gpci_module *m) {
    const gpc_coherence_module *g = &m->given;
    const bool gaps = m->interleaved && g->modulus > 1 && g->divisor != (uint64_t)g->block_bytes << m->sector_shift;
    return is_hashed(m) || g->index != GPC_INDEX_MODULO || (g->dense && gaps);
}

static bool same_selector(const gpci_module *a, const gpci_module *b) {
    const gpc_coherence_module *g = &a->given, *h = &b->given;
    return g->served == h->served && g->divisor == h->divisor && g->modulus == h->modulus && g->sets == h->sets &&
           g->index == h->index;
}

static gpc_status make(gpc_coherence *c, gpci_module *m, gpc_error *error) {
    const gpc_coherence_module *g = &m->given;
    if (m->interleaved && g->modulus > GPCI_TREE_BANKS)
        GPCI_TREE_REFUSE(RANGE, m, "modulus", "is %llu, more than %u, with hashed sets or stretches of several blocks",
                         (unsigned long long)g->modulus, GPCI_TREE_BANKS);
    gpci_tree_selector *s = gpci_zalloc(c->context, 1, sizeof *s);
    if (!s)
        return gpci_out_of_memory(error);
    s->next = c->selectors;
    c->selectors = s;
    m->selector = s;
    gpc_error detail = GPC_ERROR_INIT;
    gpc_status status = gpci_index_init(&s->index, (gpc_index)g->index, g->sets, NULL, NULL, &detail);
    if (status == GPC_OK && m->interleaved)
        status = gpci_interleave_init(&s->spread, is_hashed(m) ? GPCI_SPREAD_HASH : GPCI_SPREAD_MODULO, g->divisor,
                                      (uint32_t)g->modulus, 1, &detail);
    return status < 0 ? gpci_fail(error, status, "%s: %s", gpci_tree_title_of(m).text, detail.message) : GPC_OK;
}

/* Find or make the selector of a module that needs one. All modules: the modulus must fit gpci_divisor. */
static gpc_status select_for(gpc_coherence *c, gpci_module *m, gpc_error *error) {
    if (m->interleaved && m->given.modulus > UINT32_MAX)
        GPCI_TREE_REFUSE(RANGE, m, "modulus", "is %llu, more than %u", (unsigned long long)m->given.modulus,
                         UINT32_MAX);
    if (!needs_selector(m))
        return GPC_OK;
    for (uint32_t i = m->index; i-- > 0;)
        if (c->modules[i].selector && same_selector(&c->modules[i], m)) {
            m->selector = c->modules[i].selector;
            return GPC_OK;
        }
    return make(c, m, error);
}

gpc_status gpci_tree_select(gpc_coherence *c, gpc_error *error) {
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; i < c->module_count && status == GPC_OK; i++)
        status = select_for(c, &c->modules[i], error);
    for (uint32_t i = 0; i < c->module_count && status == GPC_OK; i++) {
        gpci_module *m = &c->modules[i];
        const gpci_module *bank = m->banks ? &c->modules[m->given.low[0]] : NULL;
        m->bank_selector = bank && is_hashed(bank) ? bank->selector : NULL;
    }
    return status;
}

void gpci_tree_selectors_release(gpc_coherence *c) {
    for (gpci_tree_selector *s = c->selectors, *next; s; s = next) {
        next = s->next;
        gpci_free(c->context, s);
    }
}

uint64_t gpci_tree_residue(const gpci_module *m, uint64_t address) {
    uint64_t inner;
    if (m->selector)
        return gpci_interleave_slice(&m->selector->spread, address, &inner);
    return address / m->given.divisor % m->given.modulus;
}

uint32_t gpci_tree_selected_set(const gpci_module *m, uint64_t tag) {
    uint64_t inner = tag;
    if (m->interleaved)
        gpci_interleave_slice(&m->selector->spread, tag, &inner);
    return gpci_index_of(&m->selector->index, inner >> m->line_shift);
}
