/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/tree_build.h"

#include <string.h>

/*
 * Addresses served by every module, and the check for exactly one path from every address to a memory.
 *
 * A module with a given range serves that range. Other modules serve from the first to the last address of their low
 * modules, without foreign residues if interleaved. For every address a module serves, exactly one low module must
 * serve it; otherwise a request would have no destination, or two.
 *
 * Addresses are too many to test one by one. The borders of all ranges cut them into stretches. Within a stretch only
 * residues (address / divisor) mod modulus matter. Residues repeat with the least common multiple of all products
 * divisor x modulus, the period, and are constant within the greatest common divisor of all divisors, the step. Hence
 * one address per step of one period is enough in a stretch.
 *
 * Example, an L1 that serves all addresses, over three modules:
 *   a  over a memory from 0 to 0xfff
 *   b  over a memory from 0x1000 on; addresses with (address / 256) mod 2 == 0
 *   c  over the same memory, with == 1
 * Stretches: 0 to 0xfff, and from 0x1000 on. The period is 512, the step 256. In the first stretch a serves 0 and
 * 0x100: correct. In the second, b serves 0x1000 and c serves 0x1100: correct, and later addresses repeat these two. If
 * b had c's residue, the L1 would be rejected: "'l1'.low has no module that serves address 0x1000".
 */

#define MOST_STEPS 65536u

static uint64_t greatest_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* True if an interleaved module serves the address's residue. */
static bool residue_fits(const gpci_module *m, uint64_t address) {
    return !m->interleaved || gpci_tree_residue(m, address) == m->given.residue;
}

bool gpci_module_serves(const gpci_module *m, uint64_t address) {
    return address >= m->first && address <= m->last && residue_fits(m, address) && gpci_module_at_home(m, address);
}

/* Find the first and last address of a module; ranges of the low modules are known. */
static void find_range(const gpc_coherence *c, gpci_module *m) {
    const gpc_coherence_module *g = &m->given;
    m->interleaved = g->served == GPC_SERVES_INTERLEAVED || g->served == GPC_SERVES_HASHED;
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

/* Reject an address of m served by no low module, or by two. */
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

/* Step and period of the residues of several modules, in bytes. Step 0: no module is interleaved. */
typedef struct interleaving {
    uint64_t step, period;
    bool overflow;
} interleaving;

/* Add a module's residues. */
static void add_interleaving(interleaving *r, const gpci_module *m) {
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

/* Visit one period of the stretch from `first` to `last`, or the whole stretch if shorter. GPC_END: too many steps. */
static gpc_status visit_stretch(const gpc_coherence *c, const gpci_tree_steps *steps, uint64_t first, uint64_t last,
                                void *data) {
    interleaving r = {0, 1, false};
    if (steps->own)
        add_interleaving(&r, steps->own);
    for (uint32_t i = 0; i < steps->count; i++)
        add_interleaving(&r, &c->modules[steps->list ? steps->list[i] : i]);
    /* one more, because the stretch may begin within a step */
    const uint64_t count = r.overflow ? UINT64_MAX : r.step ? r.period / r.step + 1 : 1;
    for (uint64_t address = first, i = 0;; i++) {
        if (i == MOST_STEPS)
            return GPC_END;
        gpc_status status = steps->visit(data, address);
        if (status != GPC_OK || i + 1 == count || !r.step || r.step > last - address / r.step * r.step)
            return status;
        address = (address / r.step + 1) * r.step;
    }
}

/* Visit stretch by stretch; a stretch ends before the next border of a range. */
gpc_status gpci_tree_visit_steps(const gpc_coherence *c, const gpci_tree_steps *steps, void *data) {
    for (uint64_t first = steps->first;;) {
        uint64_t last = steps->last;
        for (uint32_t i = 0; i < steps->count; i++) {
            const gpci_module *m = &c->modules[steps->list ? steps->list[i] : i];
            if (m->first > first && m->first - 1 < last)
                last = m->first - 1;
            if (m->last >= first && m->last < last)
                last = m->last;
        }
        gpc_status status = visit_stretch(c, steps, first, last, data);
        if (status != GPC_OK || last == steps->last)
            return status;
        first = last + 1;
    }
}

/* Module whose low modules are checked (gpci_tree_steps.visit). */
typedef struct question {
    const gpc_coherence *c;
    const gpci_module *m;
    gpc_error *error;
} question;

static gpc_status check_step(void *data, uint64_t address) {
    const question *q = data;
    return check_address(q->c, q->m, address, q->error);
}

/*
 * In a tree with homes, check as if all pages had one home, for every home: the address of a step may be on any page.
 */
static gpc_status check_homes(gpc_coherence *c, const gpci_module *m, const gpci_tree_steps *steps, question *q) {
    if (!c->homes)
        return gpci_tree_visit_steps(c, steps, q);
    gpc_status status = GPC_OK;
    for (c->all_at = 1; c->all_at <= c->homes && status == GPC_OK; c->all_at++)
        if (gpci_module_has_home(m, c->all_at))
            status = gpci_tree_visit_steps(c, steps, q);
    c->all_at = 0;
    return status;
}

static gpc_status check_module(gpc_coherence *c, const gpci_module *m, gpc_error *error) {
    const gpci_tree_steps steps = {.own = m,
                                   .list = m->given.low,
                                   .count = m->given.low_count,
                                   .first = m->first,
                                   .last = m->last,
                                   .visit = check_step};
    question q = {c, m, error};
    gpc_status status = check_homes(c, m, &steps, &q);
    if (status == GPC_END)
        GPCI_TREE_REFUSE(RANGE, m, "low", "has divisors and moduli that repeat after more than %u steps", MOST_STEPS);
    return status;
}

/* True if the checks of a and b are equal. Modules of a level are mostly alike, and there may be thousands. */
static bool same_check(const gpci_module *a, const gpci_module *b) {
    const gpc_coherence_module *g = &a->given, *h = &b->given;
    return a->interleaved == b->interleaved && a->first == b->first && a->last == b->last && g->divisor == h->divisor &&
           g->modulus == h->modulus && g->residue == h->residue && g->home == h->home && a->near == b->near &&
           g->low_count == h->low_count && !memcmp(g->low, h->low, g->low_count * sizeof *g->low);
}

/* True if the low modules are banks: equal range, divisor and modulus, different residues (or homes). */
static bool over_banks(const gpc_coherence *c, const gpci_module *m) {
    const gpci_module *first = &c->modules[m->given.low[0]];
    const gpc_coherence_module *g = &first->given;
    const uint64_t homes = c->homes ? c->homes : 1;
    if (m->given.low_count < 2 || !gpci_power_of_two(g->divisor) || g->modulus > GPCI_TREE_BANKS / homes)
        return false;
    for (uint32_t i = 0; i < m->given.low_count; i++) {
        const gpci_module *low = &c->modules[m->given.low[i]];
        if (!low->interleaved || low->given.divisor != g->divisor || low->given.modulus != g->modulus ||
            low->first != first->first || low->last != first->last)
            return false;
    }
    return true;
}

static bool have_homes(const gpc_coherence *c, const gpci_module *m) {
    bool any = false;
    for (uint32_t i = 0; i < m->given.low_count; i++)
        any |= c->modules[m->given.low[i]].given.home != 0;
    return any;
}

/* For banks, build a table from residue and home to bank, for gpci_module_low. */
static gpc_status list_banks(gpc_coherence *c, gpci_module *m, gpc_error *error) {
    if (!over_banks(c, m))
        return GPC_OK;
    const gpc_coherence_module *g = &c->modules[m->given.low[0]].given;
    m->bank_shift = gpci_log2(g->divisor);
    m->bank_modulus = (uint32_t)g->modulus;
    m->bank_homes = have_homes(c, m) ? c->homes : 1;
    const uint32_t count = m->bank_modulus * m->bank_homes;
    m->banks = gpci_alloc(c->context, count * sizeof *m->banks);
    if (!m->banks)
        return gpci_out_of_memory(error);
    for (uint32_t i = 0; i < count; i++)
        m->banks[i] = GPC_NO_MODULE;
    for (uint32_t i = 0; i < m->given.low_count; i++) {
        const gpci_module *low = &c->modules[m->given.low[i]];
        for (uint32_t home = 1; home <= m->bank_homes; home++)
            if (gpci_module_has_home(low, home))
                m->banks[(home - 1) * m->bank_modulus + low->given.residue] = m->given.low[i];
    }
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
            gpc_status status = before && same_check(before, m) ? GPC_OK : check_module(c, m, error);
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
        const uint32_t *banks = m->banks;
        if (GPCI_UNLIKELY(m->bank_homes > 1))
            banks += (gpci_tree_home(c, address) - 1) * m->bank_modulus;
        if (GPCI_UNLIKELY(m->bank_selector != NULL)) {
            uint64_t inner;
            return banks[gpci_interleave_slice(&m->bank_selector->spread, address, &inner)];
        }
        const uint64_t part = address >> m->bank_shift;
        return banks[part >> 32 ? part % m->bank_modulus : (uint32_t)part % m->bank_modulus];
    }
    if (g->low_count == 1) {
        const gpci_module *low = &c->modules[g->low[0]];
        const bool serves = address >= low->first && address <= low->last && gpci_module_at_home(low, address);
        return serves ? g->low[0] : GPC_NO_MODULE;
    }
    uint64_t divisor = 0, modulus = 0, residue = 0; /* values of the previous low module: mostly unchanged */
    for (uint32_t i = 0; i < g->low_count; i++) {
        const gpci_module *low = &c->modules[g->low[i]];
        if (address < low->first || address > low->last || !gpci_module_at_home(low, address))
            continue;
        if (!low->interleaved)
            return g->low[i];
        if (low->given.divisor != divisor || low->given.modulus != modulus) {
            divisor = low->given.divisor;
            modulus = low->given.modulus;
            residue = gpci_tree_residue(low, address);
        }
        if (residue == low->given.residue)
            return g->low[i];
    }
    return GPC_NO_MODULE;
}
