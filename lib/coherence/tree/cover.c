/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/tree_build.h"

#include <string.h>

/*
 * Addresses served by every module, and the check for exactly one path from every address to a memory.
 *
 * A module with a given range serves the range. Other modules serve from the first to the last address of their low
 * modules; an interleaved module serves only addresses with its residue. For every address that a module serves,
 * exactly one low module must serve the address: if not, a request would have no destination, or two.
 *
 * There are too many addresses to test them one by one. The borders of all ranges cut the addresses into stretches.
 * Within a stretch only residues, (address / divisor) mod modulus, matter. Residues repeat after a period: the least
 * common multiple of all products divisor x modulus. Residues are constant within a step: the greatest common divisor
 * of all divisors. Hence, in a stretch, a sample of one address per step of one period is enough.
 *
 * Example, an L1 that serves all addresses, over three modules:
 *   a  over a memory from 0 to 0xfff
 *   b  over a memory from 0x1000 on; addresses with (address / 256) mod 2 == 0
 *   c  over the same memory, with == 1
 * Stretches: 0 to 0xfff, and from 0x1000 on. The period is 512, the step 256. In the first stretch, a serves 0 and
 * 0x100: correct. In the second stretch, b serves 0x1000 and c serves 0x1100: correct, and later addresses repeat the
 * pattern. If b had c's residue, the L1 would be rejected: "'l1'.low has no module that serves address 0x1000".
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

/* Find the first and last address of a module; ranges of the low modules are known. */
static void find_range(const gpc_coherence *coherence, gpci_module *module) {
    const gpc_coherence_module *given = &module->given;
    module->interleaved = given->served == GPC_SERVES_INTERLEAVED || given->served == GPC_SERVES_HASHED;
    module->first = given->served == GPC_SERVES_RANGE ? given->first : given->memory ? 0 : UINT64_MAX;
    module->last = given->served == GPC_SERVES_RANGE ? given->last : given->memory ? UINT64_MAX : 0;
    if (given->served == GPC_SERVES_RANGE)
        return;
    for (uint32_t i = 0; i < given->low_count; i++) {
        const gpci_module *low = &coherence->modules[given->low[i]];
        module->first = low->first < module->first ? low->first : module->first;
        module->last = low->last > module->last ? low->last : module->last;
    }
}

/* Reject a module if it serves `address`, and not exactly one low module serves `address`. */
static gpc_status check_address(const gpc_coherence *coherence, const gpci_module *module, uint64_t address,
                                gpc_error *error) {
    const gpci_module *found = NULL;
    if (!gpci_module_has_residue(module, address))
        return GPC_OK;
    for (uint32_t i = 0; i < module->given.low_count; i++) {
        const gpci_module *low = &coherence->modules[module->given.low[i]];
        if (!gpci_module_serves(low, address))
            continue;
        if (found)
            GPCI_TREE_REFUSE(ARGUMENT, module, "low", "has two modules that serve address 0x%llx, '%s' and '%s'",
                             (unsigned long long)address, found->given.name, low->given.name);
        found = low;
    }
    if (!found)
        GPCI_TREE_REFUSE(ARGUMENT, module, "low", "has no module that serves address 0x%llx",
                         (unsigned long long)address);
    return GPC_OK;
}

/* Step and period of the residues of several modules, in bytes. Step 0: no module is interleaved. */
typedef struct interleaving {
    uint64_t step, period;
    bool overflow;
} interleaving;

/* Add the residues of a module to the step and the period. */
static void add_interleaving(interleaving *ranges, const gpci_module *module) {
    if (!module->interleaved)
        return;
    const uint64_t divisor = module->given.divisor, modulus = module->given.modulus;
    ranges->step = greatest_divisor(divisor, ranges->step);
    ranges->overflow |= modulus > UINT64_MAX / divisor;
    if (ranges->overflow)
        return;
    const uint64_t cycle = divisor * modulus, part = cycle / greatest_divisor(cycle, ranges->period);
    ranges->overflow |= part > UINT64_MAX / ranges->period;
    ranges->period *= part;
}

/*
 * Visit an address per step in one period of the stretch from `first` to `last`; or in the whole stretch, if shorter.
 * GPC_END: more than MOST_STEPS addresses.
 */
static gpc_status visit_stretch(const gpc_coherence *coherence, const gpci_tree_steps *steps, uint64_t first,
                                uint64_t last, void *data) {
    interleaving ranges = {0, 1, false};
    if (steps->own)
        add_interleaving(&ranges, steps->own);
    for (uint32_t i = 0; i < steps->count; i++)
        add_interleaving(&ranges, &coherence->modules[steps->list ? steps->list[i] : i]);
    /* plus 1, because the stretch may begin within a step */
    const uint64_t count = ranges.overflow ? UINT64_MAX : ranges.step ? ranges.period / ranges.step + 1 : 1;
    for (uint64_t address = first, i = 0;; i++) {
        if (i == MOST_STEPS)
            return GPC_END;
        gpc_status status = steps->visit(data, address);
        if (status != GPC_OK || i + 1 == count || !ranges.step ||
            ranges.step > last - address / ranges.step * ranges.step)
            return status;
        address = (address / ranges.step + 1) * ranges.step;
    }
}

/* Visit stretch by stretch; a stretch ends before the next border of a range. */
gpc_status gpci_tree_visit_steps(const gpc_coherence *coherence, const gpci_tree_steps *steps, void *data) {
    for (uint64_t first = steps->first;;) {
        uint64_t last = steps->last;
        for (uint32_t i = 0; i < steps->count; i++) {
            const gpci_module *module = &coherence->modules[steps->list ? steps->list[i] : i];
            if (module->first > first && module->first - 1 < last)
                last = module->first - 1;
            if (module->last >= first && module->last < last)
                last = module->last;
        }
        gpc_status status = visit_stretch(coherence, steps, first, last, data);
        if (status != GPC_OK || last == steps->last)
            return status;
        first = last + 1;
    }
}

/* Data of check_step: the module whose low modules are checked. */
typedef struct question {
    const gpc_coherence *coherence;
    const gpci_module *m;
    gpc_error *error;
} question;

static gpc_status check_step(void *data, uint64_t address) {
    const question *q = data;
    return check_address(q->coherence, q->m, address, q->error);
}

/*
 * In a tree with homes, check once for every home, as if all pages had the home: an address of the sample stands for
 * addresses on any page.
 */
static gpc_status check_homes(gpc_coherence *coherence, const gpci_module *module, const gpci_tree_steps *steps,
                              question *q) {
    if (!coherence->homes)
        return gpci_tree_visit_steps(coherence, steps, q);
    gpc_status status = GPC_OK;
    for (coherence->all_at = 1; coherence->all_at <= coherence->homes && status == GPC_OK; coherence->all_at++)
        if (gpci_module_has_home(module, coherence->all_at))
            status = gpci_tree_visit_steps(coherence, steps, q);
    coherence->all_at = 0;
    return status;
}

static gpc_status check_module(gpc_coherence *coherence, const gpci_module *module, gpc_error *error) {
    const gpci_tree_steps steps = {.own = module,
                                   .list = module->given.low,
                                   .count = module->given.low_count,
                                   .first = module->first,
                                   .last = module->last,
                                   .visit = check_step};
    question q = {coherence, module, error};
    gpc_status status = check_homes(coherence, module, &steps, &q);
    if (status == GPC_END)
        GPCI_TREE_REFUSE(RANGE, module, "low", "has divisors and moduli that repeat after more than %u steps",
                         MOST_STEPS);
    return status;
}

/*
 * True if the checks of two modules are equal, so that one check is enough. Modules of a level are mostly alike, and
 * there may be thousands.
 */
static bool same_check(const gpci_module *left, const gpci_module *right) {
    const gpc_coherence_module *given = &left->given, *other = &right->given;
    return left->interleaved == right->interleaved && left->first == right->first && left->last == right->last &&
           given->divisor == other->divisor && given->modulus == other->modulus && given->residue == other->residue &&
           given->home == other->home && left->near == right->near && given->low_count == other->low_count &&
           !memcmp(given->low, other->low, given->low_count * sizeof *given->low);
}

/*
 * True if the low modules are banks: interleaved, with the same range, divisor and modulus; they differ in residue or
 * home.
 */
static bool over_banks(const gpc_coherence *coherence, const gpci_module *module) {
    const gpci_module *first = &coherence->modules[module->given.low[0]];
    const gpc_coherence_module *given = &first->given;
    const uint64_t homes = coherence->homes ? coherence->homes : 1;
    if (module->given.low_count < 2 || !gpci_power_of_two(given->divisor) || given->modulus > GPCI_TREE_BANKS / homes)
        return false;
    for (uint32_t i = 0; i < module->given.low_count; i++) {
        const gpci_module *low = &coherence->modules[module->given.low[i]];
        if (!low->interleaved || low->given.divisor != given->divisor || low->given.modulus != given->modulus ||
            low->first != first->first || low->last != first->last)
            return false;
    }
    return true;
}

static bool have_homes(const gpc_coherence *coherence, const gpci_module *module) {
    bool any = false;
    for (uint32_t i = 0; i < module->given.low_count; i++)
        any |= coherence->modules[module->given.low[i]].given.home != 0;
    return any;
}

/* If the low modules are banks, build the table `banks` from residue and home to bank, for gpci_module_low. */
static gpc_status list_banks(gpc_coherence *coherence, gpci_module *module, gpc_error *error) {
    if (!over_banks(coherence, module))
        return GPC_OK;
    const gpc_coherence_module *given = &coherence->modules[module->given.low[0]].given;
    module->bank_shift = gpci_log2(given->divisor);
    module->bank_modulus = (uint32_t)given->modulus;
    module->bank_homes = have_homes(coherence, module) ? coherence->homes : 1;
    const uint32_t count = module->bank_modulus * module->bank_homes;
    module->banks = gpci_alloc(coherence->context, count * sizeof *module->banks);
    if (!module->banks)
        return gpci_out_of_memory(error);
    for (uint32_t i = 0; i < count; i++)
        module->banks[i] = GPC_NO_MODULE;
    for (uint32_t i = 0; i < module->given.low_count; i++) {
        const gpci_module *low = &coherence->modules[module->given.low[i]];
        for (uint32_t home = 1; home <= module->bank_homes; home++)
            if (gpci_module_has_home(low, home))
                module->banks[(home - 1) * module->bank_modulus + low->given.residue] = module->given.low[i];
    }
    return GPC_OK;
}

gpc_status gpci_tree_cover(gpc_coherence *coherence, gpc_error *error) {
    for (uint32_t level = coherence->levels; level; level--) {
        const gpci_module *before = NULL;
        for (uint32_t i = 0; i < coherence->module_count; i++) {
            gpci_module *module = &coherence->modules[i];
            if (module->level != level)
                continue;
            find_range(coherence, module);
            if (module->given.memory)
                continue;
            gpc_status status = before && same_check(before, module) ? GPC_OK : check_module(coherence, module, error);
            if (status == GPC_OK)
                status = list_banks(coherence, module, error);
            if (status < 0)
                return status;
            before = module;
        }
    }
    return GPC_OK;
}
