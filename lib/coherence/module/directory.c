/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/check.h"
#include "coherence/module/transaction.h"

/* Directory of a module: sets of sharers; limited directories; changes of entries after requests. */

/* -- sets of sharers (gpci_sharers_have_codes) */

enum { FREE, TAKEN }; /* indices of shared_rows: first free row, and number of rows taken */

uint32_t gpci_sharers_elements(const gpci_module *module, size_t sets) {
    return gpci_sharers_rows(module, sets) ? 1 : module->sharer_words;
}

size_t gpci_sharers_rows(const gpci_module *module, size_t sets) {
    return !module->full_map && module->sharer_words > 1 && sets <= GPCI_SHARED_MOST - gpci_sharers_last_single(module)
               ? sets
               : 0;
}

/* Take a row of `shared`, and empty it. A row is always left: there are as many rows as sets. */
static uint32_t take_row(const gpci_module *module) {
    uint32_t code = module->shared_rows[FREE];
    if (code)
        module->shared_rows[FREE] = *gpci_sharers_row(module, code);
    else
        code = gpci_sharers_last_single(module) + 1 + module->shared_rows[TAKEN]++;
    memset(gpci_sharers_row(module, code), 0, module->sharer_words * sizeof *module->shared);
    return code;
}

static void give_row(const gpci_module *module, uint32_t code) {
    gpci_sharers *row = gpci_sharers_row(module, code);
    memset(row, 0, module->sharer_words * sizeof *row);
    *row = module->shared_rows[FREE];
    module->shared_rows[FREE] = (gpci_sharers)code;
}

static void set_bit(gpci_sharers *words, uint32_t slot) {
    words[slot / GPCI_SHARERS] |= (gpci_sharers)(1u << slot % GPCI_SHARERS);
}

static void clear_bit(gpci_sharers *words, uint32_t slot) {
    words[slot / GPCI_SHARERS] &= (gpci_sharers) ~(1u << slot % GPCI_SHARERS);
}

static gpci_sharers *words_of(const gpci_module *module, uint32_t block, uint32_t sub) {
    return &module->sharers[((size_t)block * module->sub_blocks + sub) * module->sharer_words];
}

/* Write the owner to `owners`, if only the code names the owner: the code is about to change. */
static void name_owner(const gpci_module *module, const gpci_sharers *code) {
    const size_t set = (size_t)(code - module->sharers);
    if (!gpci_module_owner_is_alone(module, set))
        return;
    gpci_module_set_owner_alone(module, set, false);
    module->owners[set] = (uint16_t) ~(*code - 1u);
}

static void add_to_code(const gpci_module *module, gpci_sharers *code, uint32_t slot) {
    if (!*code || *code == slot + 1) {
        *code = (gpci_sharers)(slot + 1);
        return;
    }
    if (*code <= gpci_sharers_last_single(module)) {
        const uint32_t row = take_row(module);
        name_owner(module, code);
        set_bit(gpci_sharers_row(module, row), *code - 1u);
        *code = (gpci_sharers)row;
    }
    set_bit(gpci_sharers_row(module, *code), slot);
}

void gpci_sharers_add(const gpci_module *module, uint32_t block, uint32_t sub, uint32_t slot) {
    if (gpci_sharers_have_codes(module))
        add_to_code(module, gpci_sharers_code(module, block, sub), slot);
    else
        set_bit(words_of(module, block, sub), slot);
}

/* Code for the only member of a row; 0: the row has several members. */
static uint32_t single_of(const gpci_module *module, const gpci_sharers *row) {
    uint32_t code = 0;
    for (uint32_t word = 0; word < module->sharer_words; word++) {
        if (!row[word])
            continue;
        if (code || row[word] & (row[word] - 1u))
            return 0;
        code = word * GPCI_SHARERS + gpci_lowest(row[word]) + 1;
    }
    return code;
}

static void remove_from_code(const gpci_module *module, gpci_sharers *code, uint32_t slot) {
    if (*code <= gpci_sharers_last_single(module)) {
        if (*code != slot + 1)
            return;
        name_owner(module, code);
        *code = 0;
        return;
    }
    gpci_sharers *row = gpci_sharers_row(module, *code);
    clear_bit(row, slot);
    const uint32_t single = single_of(module, row);
    if (!single)
        return;
    give_row(module, *code);
    *code = (gpci_sharers)single;
}

void gpci_sharers_remove(const gpci_module *module, uint32_t block, uint32_t sub, uint32_t slot) {
    if (gpci_sharers_have_codes(module))
        remove_from_code(module, gpci_sharers_code(module, block, sub), slot);
    else
        clear_bit(words_of(module, block, sub), slot);
}

void gpci_sharers_clear(const gpci_module *module, uint32_t block) {
    if (!gpci_sharers_have_codes(module)) {
        memset(words_of(module, block, 0), 0,
               (size_t)module->sub_blocks * module->sharer_words * sizeof *module->sharers);
        return;
    }
    for (uint32_t sub = 0; sub < module->sub_blocks; sub++) {
        gpci_sharers *code = gpci_sharers_code(module, block, sub);
        if (*code > gpci_sharers_last_single(module))
            give_row(module, *code);
        if (!*code) /* leaves unwritten memory untouched */
            continue;
        name_owner(module, code);
        *code = 0;
    }
}

static void move_sets(const gpci_module *module, uint32_t from, uint32_t to) {
    const size_t each = gpci_sharers_have_codes(module) ? 1 : module->sharer_words, all = module->sub_blocks * each;
    gpci_sharers *source = module->sharers + gpci_module_set_of(module, from, 0) * each;
    memcpy(module->sharers + gpci_module_set_of(module, to, 0) * each, source, all * sizeof *source);
    memset(source, 0, all * sizeof *source);
}

static void move_owners(const gpci_module *module, uint32_t from, uint32_t to) {
    for (uint32_t sub = 0; sub < module->sub_blocks; sub++) {
        const size_t set = gpci_module_set_of(module, from, sub), other = gpci_module_set_of(module, to, sub);
        if (module->alone) {
            gpci_module_set_owner_alone(module, other, gpci_module_owner_is_alone(module, set));
            gpci_module_set_owner_alone(module, set, false);
        }
        if (module->owners[other] != module->owners[set])
            module->owners[other] = module->owners[set];
        if (module->owners[set])
            module->owners[set] = 0;
    }
}

void gpci_sharers_move(const gpci_module *module, uint32_t from, uint32_t to) {
    gpci_sharers_clear(module, to);
    move_owners(module, from, to);
    move_sets(module, from, to);
}

/* -- limited entries */

/*
 * Limited directories, whose entries cannot name all copies (gpc_coherence_module.directory_pointers). An entry still
 * has a bit per module above, for every module that the entry names. As long as the number of bits is at most the
 * number of pointers, the entry is exact: the named modules have copies. An entry with more bits names whole groups of
 * modules, or all modules. Such an entry cannot tell which modules drop their copies, so bits stay until all named
 * modules are probed. The owner is always known.
 *
 * Example, 2 pointers, groups of 2, modules a to f above:
 *   a and d have copies    a d       exact
 *   c reads                a b c d   wide: the groups of a, c and d
 *   d evicts its copy      a b c d   b and d will be probed in vain
 *   a writes               a         exact; b, c and d were probed
 */

/* True if the module at place `slot` above the target sends its requests for the address to the target. */
static bool may_share(const gpc_coherence *coherence, const gpci_module *target, uint32_t slot, uint64_t address) {
    const gpci_module *probed = gpci_module_at(coherence, target->above[slot]);
    return gpci_module_serves(probed, address) && gpci_module_low(coherence, probed, address) == target->index;
}

static uint32_t count_of(const gpci_module *target, uint32_t block, uint32_t sub) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < target->sharer_words; i++)
        for (uint64_t bits = gpci_sharers_word(target, block, sub, i); bits; bits &= bits - 1)
            count++;
    return count;
}

bool gpci_directory_is_exact(const gpci_module *target, uint32_t block, uint32_t sub) {
    return count_of(target, block, sub) <= target->pointers;
}

/* True if the group of places [first, end) has a sharer. */
static bool has_any(const gpci_module *target, uint32_t block, uint32_t sub, uint32_t first, uint32_t end) {
    for (uint32_t slot = first; slot < end; slot++)
        if (gpci_tree_has_sharer(target, block, sub, slot))
            return true;
    return false;
}

/* Extend the entry: all members of a group become sharers if one member is a sharer. */
static void widen(const gpc_coherence *coherence, gpci_module *target, uint32_t block, uint32_t sub) {
    const uint64_t address = gpci_tree_address_of(target, block, sub);
    const uint32_t count = target->above_count, group = target->given.directory_overflow == GPC_OVERFLOW_COARSE
                                                            ? target->given.directory_region
                                                            : count;
    for (uint32_t first = 0; first < count; first += group) {
        const uint32_t end = count - first < group ? count : first + group;
        if (!has_any(target, block, sub, first, end))
            continue;
        for (uint32_t slot = first; slot < end; slot++)
            if (may_share(coherence, target, slot, address))
                gpci_sharers_add(target, block, sub, slot);
    }
}

void gpci_directory_add(const gpc_coherence *coherence, gpci_module *target, uint32_t block, uint32_t sub,
                        uint32_t slot) {
    const bool exact = gpci_directory_is_exact(target, block, sub);
    gpci_sharers_add(target, block, sub, slot);
    if (gpci_directory_is_exact(target, block, sub))
        return;
    target->stats.directory_overflows += exact;
    GPCI_AGAIN(target->again.directory_overflows += exact ? 1 : 0);
    widen(coherence, target, block, sub);
}

/*
 * If the protocol stores bytes non-coherently, invalidate the owner first: the owner's modified bytes are older than
 * the other sharers' stores, and must reach the target earlier. In other protocols, invalidate the owner last; before
 * the owner come the other sharers, in turn from the place after the requester's place.
 */
uint32_t gpci_directory_victim(const gpc_coherence *coherence, const gpci_module *target, uint32_t block, uint32_t sub,
                               const gpci_module *requester) {
    const uint32_t own = target->slots[requester->index], count = target->above_count,
                   owner = gpci_module_owner_of(target, block, sub);
    const uint32_t others = count_of(target, block, sub) - gpci_tree_has_sharer(target, block, sub, own);
    if (target->given.directory_overflow != GPC_OVERFLOW_EVICT || others < target->pointers)
        return GPC_NO_MODULE;
    if (coherence->non_coherent && owner != GPCI_TREE_NO_OWNER && owner != own)
        return owner;
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t slot = own + i < count ? own + i : own + i - count;
        if (slot != owner && gpci_tree_has_sharer(target, block, sub, slot))
            return slot;
    }
    return owner;
}

bool gpci_directory_lacks_room(const gpc_coherence *coherence, const gpci_module *target, uint32_t block,
                               const gpci_module *requester, uint64_t tag) {
    const gpci_tree_span span = gpci_tree_span_of(target, requester, tag);
    for (uint32_t sub = span.first; sub < span.end; sub++)
        if (gpci_directory_victim(coherence, target, block, sub, requester) != GPC_NO_MODULE)
            return true;
    return false;
}

/* -- entries after requests */

/*
 * Changes of the target's entry of a block, after a requester receives a copy or the only copy, gives up write
 * permission, or loses the copy.
 */

/* True if a module other than the module at place `slot` is a sharer of one of the sub-blocks. */
static bool has_other_sharers(const gpci_module *target, uint32_t block, gpci_tree_span span, uint32_t slot) {
    for (uint32_t sub = span.first; sub < span.end; sub++)
        for (uint32_t word = 0; word < target->sharer_words; word++)
            if (gpci_sharers_word(target, block, sub, word) & ~gpci_sharer_in(slot, word))
                return true;
    return false;
}

/* Add the module at place `slot` (in `above`) to the sharers of the sub-blocks, and make it the owner if `owner`. */
static void add_sharer(const gpc_coherence *coherence, gpci_module *target, uint32_t block, gpci_tree_span span,
                       uint32_t slot, bool owner) {
    for (uint32_t sub = span.first; sub < span.end; sub++) {
        if (GPCI_LIKELY(!target->pointers))
            gpci_sharers_add(target, block, sub, slot);
        else
            gpci_directory_add(coherence, target, block, sub, slot);
        if (owner)
            gpci_module_set_owner(target, block, sub, slot);
    }
}

/*
 * Multi2Sim's protocol, which lacks state O: after a read request only the requester may own sub-blocks of the block.
 */
static void drop_owners(gpci_module *target, uint32_t block, uint32_t slot) {
    for (uint32_t sub = 0; sub < target->sub_blocks; sub++) {
        if (gpci_module_owner_of(target, block, sub) != slot)
            gpci_module_set_owner(target, block, sub, GPCI_TREE_NO_OWNER);
    }
}

/*
 * Remove the requester as owner of a block that the requester is about to share. The requester may still be listed as
 * owner, if it has dropped the block silently.
 */
static void drop_owner(gpci_module *target, uint32_t block, gpci_tree_span span, uint32_t slot) {
    for (uint32_t sub = span.first; sub < span.end; sub++) {
        gpci_tree_drop_owner(target, block, sub, slot);
    }
}

/*
 * Record in the target's directory that the requester is about to receive a copy. Returns true if the requester shares
 * the block with other modules. A requester with the only copy becomes the owner, if the requester's protocol has a
 * state for an only copy (E): the rule for a miss then has two different next states. A requester that shares the block
 * becomes the owner only if the next state is an owner's state (F).
 */
bool gpci_tree_add_requester(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                             const gpci_tree_request *request, bool shared) {
    uint32_t slot = target->slots[request->from->index];
    gpci_tree_span span = gpci_tree_span_of(target, request->from, request->tag);
    if (!gpci_tree_has(coherence, GPC_PROTOCOL_DIRECTORY)) {
        if (GPCI_UNLIKELY(gpci_tree_is_notified(coherence, request->from)))
            add_sharer(coherence, target, block, span, slot, false);
        return true;
    }
    if (gpci_tree_has(coherence, GPC_PROTOCOL_PROBE_WHOLE))
        drop_owners(target, block, slot);
    shared |= has_other_sharers(target, block, span, slot);
    const gpci_module *requester = request->from;
    const uint32_t usual = requester->level == 1 ? GPC_EVENT_LOAD : GPC_EVENT_READ_ABOVE;
    gpc_protocol_rule rule = *gpci_module_rule(requester, GPC_LINE_I, gpci_event_or(request->cause, usual));
    const bool forwards = GPCI_UNLIKELY(coherence->forwards) && !request->non_coherent &&
                          gpci_tree_stays_owner(coherence, rule.next_shared);
    const bool owner = shared ? forwards : rule.next != rule.next_shared;
    if (!owner && gpci_tree_has(coherence, GPC_PROTOCOL_PROBE_WHOLE))
        drop_owner(target, block, span, slot);
    add_sharer(coherence, target, block, span, slot, owner);
    return shared;
}

/*
 * True if the target may have bytes that copies above the target lack: another module stored bytes non-coherently and
 * wrote the bytes back to the target, while the copies stayed valid. The target's state is then N, M or O. A
 * non-inclusive target may since have evicted the data, and read the data again in a clean state; a non-inclusive
 * target therefore always counts as having newer bytes.
 */
bool gpci_tree_has_newer(const gpc_coherence *coherence, const gpci_module *target, uint32_t block) {
    return coherence->non_coherent &&
           (target->given.non_inclusive || gpci_tree_is_modified(coherence, target->states[block]));
}

/* Make the requester the owner: after a write request, it is the only sharer above the target. */
void gpci_tree_make_sole_owner(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                               const gpci_tree_request *request) {
    const gpci_module *requester = request->from;
    uint32_t slot = target->slots[requester->index];
    if (!gpci_tree_has(coherence, GPC_PROTOCOL_PROBE_WHOLE)) {
        add_sharer(coherence, target, block, gpci_tree_span_of(target, requester, request->tag), slot, true);
        return;
    }
    /* Multi2Sim makes the requester the owner of fewer bytes: one sub-block of the requester's block */
    uint64_t bytes = requester->sub_blocks ? (uint64_t)1 << requester->sub_shift : requester->given.block_bytes;
    for (uint32_t sub = 0; sub < target->sub_blocks; sub++) {
        if (request->tag - gpci_tree_address_of(target, block, sub) < bytes)
            add_sharer(coherence, target, block, (gpci_tree_span){sub, sub + 1}, slot, true);
    }
}

void gpci_tree_list_again(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                          const gpci_module *probed, uint64_t tag, bool owner) {
    add_sharer(coherence, target, block, gpci_tree_span_of(target, probed, tag), target->slots[probed->index], owner);
}

void gpci_tree_clear_owners(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                            const gpci_module *requester, uint64_t tag) {
    const gpci_tree_span span = gpci_tree_span_of(target, requester, tag);
    const uint32_t wrong = coherence->faults & GPCI_FAULT_CLEAR_WRONG ? 1 : 0;
    for (uint32_t sub = span.first; sub < span.end; sub++)
        gpci_module_set_owner(target, block, (sub + wrong) & (target->sub_blocks - 1), GPCI_TREE_NO_OWNER);
}

void gpci_tree_drop_sharers(const gpc_coherence *coherence, gpci_module *target, uint32_t block,
                            const gpci_module *requester, uint64_t tag) {
    if (!target->sub_blocks || !gpci_tree_has(coherence, GPC_PROTOCOL_DIRECTORY))
        return;
    const gpci_tree_span span = gpci_tree_span_of(target, requester, tag);
    for (uint32_t sub = span.first; sub < span.end; sub++)
        gpci_tree_drop_sharer(target, block, sub, target->slots[requester->index]);
}
