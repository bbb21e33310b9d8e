/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree_build.h"

#include <string.h>

/*
 * Which addresses reach a memory, and that they do so in one way.
 *
 * From memory to the processors: a module that is given a range serves that range; any other serves what lies between
 * the first and the last address of its low modules. Within this, each address that it serves must be served by exactly
 * one of them. All are ranges or residues, so the ranges' borders cut the addresses into stretches in which only the
 * residues matter, and these repeat after the least common multiple of divisor x modulus: one such period of a stretch
 * stands for all of it. Steps through it are as long as the greatest common divisor of all divisors.
 *
 * Example: a module over two banks, (address / 256) mod 2 == 0 and == 1: period 512, steps of 256. Two steps, each
 * served by one bank: sound.
 */

#define MOST_STEPS 65536u
#define MOST_BANKS 65536u

static uint64_t greatest_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool residue_fits(const gpci_module *m, uint64_t address) {
    return !m->interleaved || address / m->given.divisor % m->given.modulus == m->given.residue;
}

bool gpci_module_serves(const gpci_module *m, uint64_t address) {
    return address >= m->first && address <= m->last && residue_fits(m, address);
}

static void find_range(const gpc_coherence *c, gpci_module *m) {
    const gpc_coherence_module *g = &m->given;
    m->interleaved = g->served == GPC_SERVES_INTERLEAVED;
    m->first = g->served == GPC_SERVES_RANGE ? g->first : g->memory ? 0 : UINT64_MAX;
    m->last = g->served == GPC_SERVES_RANGE ? g->last : g->memory ? UINT64_MAX : 0;
    if (g->served == GPC_SERVES_RANGE)
        return;
    for (uint32_t i = 0; i < g->low_count; i++) {
        const gpci_module *low = &c->modules[g->low[i]];
        m->first = low->first < m->first ? low->first : m->first;
        m->last = low->last > m->last ? low->last : m->last;
    }
}

static gpc_status check_address(const gpc_coherence *c, const gpci_module *m, uint64_t address, gpc_error *error) {
    const gpci_module *found = NULL;
    if (!residue_fits(m, address))
        return GPC_OK;
    for (uint32_t i = 0; i < m->given.low_count; i++) {
        const gpci_module *low = &c->modules[m->given.low[i]];
        if (!gpci_module_serves(low, address))
            continue;
        if (found)
            GPCI_TREE_REFUSE(ARGUMENT, m, "low", "has two modules that serve address 0x%llx, '%s' and '%s'",
                             (unsigned long long)address, found->given.name, low->given.name);
        found = low;
    }
    if (!found)
        GPCI_TREE_REFUSE(ARGUMENT, m, "low", "has no module that serves address 0x%llx", (unsigned long long)address);
    return GPC_OK;
}

/* Residues of a stretch: how long a step may be, after how many bytes they repeat. Step 0: there are none. */
typedef struct rhythm {
    uint64_t step, period;
    bool overflow;
} rhythm;

static void join_rhythm(rhythm *r, const gpci_module *m) {
    if (!m->interleaved)
        return;
    const uint64_t divisor = m->given.divisor, modulus = m->given.modulus;
    r->step = greatest_divisor(divisor, r->step);
    r->overflow |= modulus > UINT64_MAX / divisor;
    if (r->overflow)
        return;
    const uint64_t cycle = divisor * modulus, part = cycle / greatest_divisor(cycle, r->period);
    r->overflow |= part > UINT64_MAX / r->period;
    r->period *= part;
}

static gpc_status check_stretch(const gpc_coherence *c, const gpci_module *m, uint64_t first, uint64_t last,
                                gpc_error *error) {
    rhythm r = {0, 1, false};
    join_rhythm(&r, m);
    for (uint32_t i = 0; i < m->given.low_count; i++)
        join_rhythm(&r, &c->modules[m->given.low[i]]);
    /* one more: the first step may begin within */
    const uint64_t steps = r.overflow ? UINT64_MAX : r.step ? r.period / r.step + 1 : 1;
    for (uint64_t address = first, i = 0;; i++) {
        if (i == MOST_STEPS)
            GPCI_TREE_REFUSE(RANGE, m, "low", "has divisors and moduli that repeat after more than %u steps",
                             MOST_STEPS);
        gpc_status status = check_address(c, m, address, error);
        if (status < 0 || i + 1 == steps || !r.step || r.step > last - address / r.step * r.step)
            return status;
        address = (address / r.step + 1) * r.step;
    }
}

static gpc_status check_module(const gpc_coherence *c, const gpci_module *m, gpc_error *error) {
    for (uint64_t first = m->first;;) {
        uint64_t last = m->last;
        for (uint32_t i = 0; i < m->given.low_count; i++) {
            const gpci_module *low = &c->modules[m->given.low[i]];
            if (low->first > first && low->first - 1 < last)
                last = low->first - 1;
            if (low->last >= first && low->last < last)
                last = low->last;
        }
        gpc_status status = check_stretch(c, m, first, last, error);
        if (status < 0 || last == m->last)
            return status;
        first = last + 1;
    }
}

/* Modules side by side often are alike. */
static bool same_question(const gpci_module *a, const gpci_module *b) {
    const gpc_coherence_module *g = &a->given, *h = &b->given;
    return a->interleaved == b->interleaved && a->first == b->first && a->last == b->last && g->divisor == h->divisor &&
           g->modulus == h->modulus && g->residue == h->residue && g->low_count == h->low_count &&
           !memcmp(g->low, h->low, g->low_count * sizeof *g->low);
}

/* Are its low modules banks that differ in nothing but the residue? */
static bool over_banks(const gpc_coherence *c, const gpci_module *m) {
    const gpci_module *first = &c->modules[m->given.low[0]];
    const gpc_coherence_module *g = &first->given;
    if (m->given.low_count < 2 || !gpci_power_of_two(g->divisor) || g->modulus > MOST_BANKS)
        return false;
    for (uint32_t i = 0; i < m->given.low_count; i++) {
        const gpci_module *low = &c->modules[m->given.low[i]];
        if (!low->interleaved || low->given.divisor != g->divisor || low->given.modulus != g->modulus ||
            low->first != first->first || low->last != first->last)
            return false;
    }
    return true;
}

/* Then a table finds the bank of an address. */
static gpc_status list_banks(gpc_coherence *c, gpci_module *m, gpc_error *error) {
    if (!over_banks(c, m))
        return GPC_OK;
    const gpc_coherence_module *g = &c->modules[m->given.low[0]].given;
    m->bank_shift = gpci_log2(g->divisor);
    m->bank_modulus = (uint32_t)g->modulus;
    m->banks = gpci_alloc(c->context, m->bank_modulus * sizeof *m->banks);
    if (!m->banks)
        return gpci_out_of_memory(error);
    for (uint32_t i = 0; i < m->bank_modulus; i++)
        m->banks[i] = GPC_NO_MODULE;
    for (uint32_t i = 0; i < m->given.low_count; i++)
        m->banks[c->modules[m->given.low[i]].given.residue] = m->given.low[i];
    return GPC_OK;
}

gpc_status gpci_tree_cover(gpc_coherence *c, gpc_error *error) {
    for (uint32_t level = c->levels; level; level--) {
        const gpci_module *before = NULL;
        for (uint32_t i = 0; i < c->module_count; i++) {
            gpci_module *m = &c->modules[i];
            if (m->level != level)
                continue;
            find_range(c, m);
            if (m->given.memory)
                continue;
            gpc_status status = before && same_question(before, m) ? GPC_OK : check_module(c, m, error);
            if (status == GPC_OK)
                status = list_banks(c, m, error);
            if (status < 0)
                return status;
            before = m;
        }
    }
    return GPC_OK;
}

uint32_t gpci_module_low(const gpc_coherence *c, const gpci_module *m, uint64_t address) {
    const gpc_coherence_module *g = &m->given;
    if (GPCI_LIKELY(m->banks != NULL)) {
        if (address < m->first || address > m->last)
            return GPC_NO_MODULE;
        const uint64_t part = address >> m->bank_shift;
        return m->banks[part >> 32 ? part % m->bank_modulus : (uint32_t)part % m->bank_modulus];
    }
    if (g->low_count == 1) {
        const gpci_module *low = &c->modules[g->low[0]];
        return address >= low->first && address <= low->last ? g->low[0] : GPC_NO_MODULE;
    }
    uint64_t divisor = 0, modulus = 0, residue = 0; /* of the bank before: most often this one's too */
    for (uint32_t i = 0; i < g->low_count; i++) {
        const gpci_module *low = &c->modules[g->low[i]];
        if (address < low->first || address > low->last)
            continue;
        if (!low->interleaved)
            return g->low[i];
        if (low->given.divisor != divisor || low->given.modulus != modulus) {
            divisor = low->given.divisor;
            modulus = low->given.modulus;
            residue = address / divisor % modulus;
        }
        if (residue == low->given.residue)
            return g->low[i];
    }
    return GPC_NO_MODULE;
}
