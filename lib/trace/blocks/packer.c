/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/blocks/packer.h"

#include "base/array.h"

#include <string.h>

#define FIRST_BUCKETS 64u
#define MOST_ACCESS_BYTES (2u + 8u + 63u * 8u)

void gpci_packer_init(gpci_packer *packer, gpc_context *context, gpci_opcodes *opcodes) {
    *packer = (gpci_packer){.context = context, .opcodes = opcodes, .bytes = {.context = context}};
}

static void leave_set(gpc_context *context, gpci_form_set *set) {
    if (!set || --set->users)
        return;
    for (gpci_form_piece *piece = set->pieces, *next; piece; piece = next) {
        next = piece->next;
        gpci_free(context, piece);
    }
    gpci_free(context, set->known);
    gpci_free(context, set);
}

static void leave_path(gpci_packer *packer, gpci_path *path) {
    if (!path || --path->users)
        return;
    gpci_path **link = &packer->paths[path->hash >> 32 & packer->path_mask];
    while (*link != path)
        link = &(*link)->next;
    *link = path->next;
    packer->path_count--;
    gpci_free(packer->context, path);
}

static void leave_warps(gpci_packer *packer) {
    for (uint32_t w = 0; w < packer->warp_count; w++)
        leave_path(packer, packer->warps[w].path);
    packer->warp_count = 0;
}

void gpci_packer_clear(gpci_packer *packer) {
    leave_warps(packer);
    leave_set(packer->context, packer->set);
    gpci_free(packer->context, packer->paths);
    gpci_free(packer->context, packer->steps);
    gpci_free(packer->context, packer->warps);
    gpci_free(packer->context, packer->starts);
    gpci_buffer_clear(&packer->bytes);
}

static bool reserve_warps(gpci_packer *packer, uint32_t count) {
    if (count <= packer->warp_capacity)
        return true;
    gpci_packed_warp *warps = gpci_resize(packer->context, packer->warps, count, sizeof *warps);
    packer->warps = warps ? warps : packer->warps;
    size_t *starts = warps ? gpci_resize(packer->context, packer->starts, count, sizeof *starts) : NULL;
    packer->starts = starts ? starts : packer->starts;
    packer->warp_capacity = starts ? count : packer->warp_capacity;
    return starts != NULL;
}

/* Free the index of a set that gets no more forms. */
static void retire_set(gpci_packer *packer) {
    if (packer->set) {
        gpci_free(packer->context, packer->set->known);
        packer->set->known = NULL;
    }
    leave_set(packer->context, packer->set);
}

bool gpci_packer_start(gpci_packer *packer, uint32_t warp_count) {
    leave_warps(packer);
    if (!packer->set || packer->set->count >= GPCI_MOST_FORMS) {
        gpci_form_set *set = gpci_zalloc(packer->context, 1, sizeof *set);
        if (!set)
            return false;
        retire_set(packer);
        set->users = 1;
        packer->set = set;
        packer->sets++;
    }
    if (!reserve_warps(packer, warp_count))
        return false;
    packer->warp_count = warp_count;
    if (warp_count)
        memset(packer->warps, 0, warp_count * sizeof *packer->warps);
    packer->bytes.length = 0;
    return true;
}

/* True if the instruction goes to the hierarchy. */
static bool is_access(const gpc_instruction *instruction) {
    return instruction->op_class == GPC_OP_MEMORY && instruction->addresses && instruction->mask &&
           gpci_space_is_recorded(instruction);
}

/* Compare two instructions without lanes and addresses; only the presence of lanes and of addresses counts. */
static bool same_form(const gpc_instruction *left, const gpc_instruction *right) {
    const size_t behind = offsetof(gpc_instruction, opcode);
    return left->pc == right->pc && !left->mask == !right->mask && !left->addresses == !is_access(right) &&
           !memcmp((const char *)left + behind, (const char *)right + behind, GPCI_INSTRUCTION_FIELDS - behind);
}

static uint64_t hash_form(const gpc_instruction *instruction) {
    return gpci_hash(instruction->pc ^ gpci_hash((uint64_t)!instruction->mask ^ (uint64_t)instruction->opcode << 32 ^
                                                 (uint64_t)instruction->line << 8 ^ instruction->width));
}

static bool reserve_forms(gpc_context *context, gpci_form_set *set) {
    if (set->known && set->count * 2 <= set->known_mask)
        return true;
    size_t mask = set->known ? set->known_mask * 2 + 1 : FIRST_BUCKETS - 1;
    gpci_form **known = gpci_zalloc(context, mask + 1, sizeof(gpci_form *));
    if (!known)
        return false;
    for (size_t k = 0; set->known && k <= set->known_mask; k++) {
        if (!set->known[k])
            continue;
        size_t at = hash_form(&set->known[k]->instruction) >> 32 & mask;
        while (known[at])
            at = (at + 1) & mask;
        known[at] = set->known[k];
    }
    gpci_free(context, set->known);
    set->known = known;
    set->known_mask = mask;
    return true;
}

static GPCI_NOINLINE gpci_form *find_form(gpci_packer *packer, const gpc_instruction *instruction) {
    gpci_form_set *set = packer->set;
    if (!reserve_forms(packer->context, set))
        return NULL;
    size_t at = hash_form(instruction) >> 32 & set->known_mask;
    for (; set->known[at]; at = (at + 1) & set->known_mask)
        if (same_form(&set->known[at]->instruction, instruction))
            return set->known[at];
    size_t place = set->count % GPCI_FORMS_PER_PIECE;
    if (!place) {
        gpci_form_piece *piece = gpci_zalloc(packer->context, 1, sizeof *piece);
        if (!piece)
            return NULL;
        piece->next = set->pieces;
        set->pieces = piece;
    }
    gpci_form *form = &set->pieces->forms[place];
    form->instruction = *instruction;
    form->instruction.mask = instruction->mask ? UINT64_MAX : 0;
    form->instruction.addresses = is_access(instruction) ? gpci_packed_addresses : NULL;
    form->operands = gpci_operands_of(&form->instruction);
    const gpci_opcode *opcode = gpci_opcodes_at(packer->opcodes, instruction->opcode);
    gpci_operands_copy(&form->operands, opcode->copy);
    if (opcode->work)
        gpci_operands_work(&form->operands, opcode->work);
    set->known[at] = form;
    set->count++;
    return form;
}

static bool reserve_paths(gpci_packer *packer) {
    if (packer->paths && packer->path_count <= packer->path_mask)
        return true;
    size_t mask = packer->paths ? packer->path_mask * 2 + 1 : FIRST_BUCKETS - 1;
    gpci_path **paths = gpci_zalloc(packer->context, mask + 1, sizeof(gpci_path *));
    if (!paths)
        return false;
    for (size_t b = 0; packer->paths && b <= packer->path_mask; b++)
        for (gpci_path *path = packer->paths[b], *next; path; path = next) {
            next = path->next;
            path->next = paths[path->hash >> 32 & mask];
            paths[path->hash >> 32 & mask] = path;
        }
    gpci_free(packer->context, packer->paths);
    packer->paths = paths;
    packer->path_mask = mask;
    return true;
}

static size_t barriers_among(const gpci_path_step *steps, size_t count) {
    size_t barriers = 0;
    for (size_t n = 0; n < count; n++)
        barriers += steps[n].form->operands.use == GPC_OP_BARRIER;
    return barriers;
}

/* Find or add the path of the present steps, and add a user. */
static gpci_path *take_path(gpci_packer *packer, uint64_t hash, size_t count) {
    if (!reserve_paths(packer))
        return NULL;
    size_t bytes = count * sizeof *packer->steps;
    gpci_path **bucket = &packer->paths[hash >> 32 & packer->path_mask], *path = *bucket;
    while (path && (path->hash != hash || path->count != count || memcmp(path->steps, packer->steps, bytes) != 0))
        path = path->next;
    if (!path) {
        path = gpci_alloc(packer->context, sizeof *path + bytes);
        if (!path)
            return NULL;
        *path = (gpci_path){
            .next = *bucket, .hash = hash, .count = count, .barriers = barriers_among(packer->steps, count)};
        memcpy(path->steps, packer->steps, bytes);
        for (size_t s = 0; s < count; s++)
            path->planes |= path->steps[s].form->operands.planes;
        *bucket = path;
        packer->path_count++;
    }
    path->users++;
    return path;
}

static unsigned bytes_of(uint64_t value) {
    return value ? gpci_log2(value) / 8 + 1 : 0;
}

/* Write signed distances from the first lane's address, with the bytes of the widest. */
static uint8_t *put_list(gpci_packer *packer, uint8_t *at, const uint64_t *addresses, unsigned lanes) {
    uint64_t any = 0;
    for (unsigned i = 1; i < lanes; i++) {
        packer->list[i] = addresses[i] - addresses[0];
        any |= gpci_zigzag(packer->list[i]);
    }
    packer->listed = lanes;
    unsigned width = bytes_of(any);
    *at++ = (uint8_t)width;
    for (unsigned i = 1; i < lanes; i++, at += width)
        gpci_store64(at, packer->list[i]);
    return at;
}

static bool listed_before(const gpci_packer *packer, const uint64_t *addresses, unsigned lanes) {
    if (packer->listed != lanes)
        return false;
    for (unsigned i = 1; i < lanes; i++)
        if (addresses[i] - addresses[0] != packer->list[i])
            return false;
    return true;
}

static unsigned kind_of_stride(uint64_t stride) {
    return stride == 0   ? GPCI_PACK_STRIDE_0
           : stride == 4 ? GPCI_PACK_STRIDE_4
           : stride == 8 ? GPCI_PACK_STRIDE_8
                         : GPCI_PACK_STRIDE;
}

static unsigned kind_of(const gpci_packer *packer, const uint64_t *addresses, unsigned lanes) {
    uint64_t step = lanes > 1 ? addresses[1] - addresses[0] : 0, off = 0;
    for (unsigned i = 1; i < lanes; i++)
        off |= addresses[i] - addresses[i - 1] - step;
    if (off)
        return listed_before(packer, addresses, lanes) ? GPCI_PACK_AGAIN : GPCI_PACK_LIST;
    return kind_of_stride(step);
}

/* Write the kind and the first lane's address. The buffer must have room. */
GPCI_INLINE uint8_t *put_first(gpci_packer *packer, unsigned kind, uint64_t first) {
    uint64_t moved = gpci_zigzag(first - packer->before);
    unsigned bytes = bytes_of(moved);
    uint8_t *at = packer->bytes.data + packer->bytes.length;
    packer->before = first;
    *at++ = (uint8_t)(kind << 4 | bytes);
    gpci_store64(at, moved);
    return at + bytes;
}

GPCI_INLINE bool put_stride(gpci_packer *packer, uint64_t first, uint64_t stride) {
    if (!gpci_buffer_reserve(&packer->bytes, MOST_ACCESS_BYTES + 8))
        return false;
    const unsigned kind = kind_of_stride(stride);
    uint8_t *at = put_first(packer, kind, first);
    gpci_store64(at, stride);
    packer->bytes.length = (size_t)(at - packer->bytes.data) + (kind == GPCI_PACK_STRIDE ? 8 : 0);
    return true;
}

static bool put_addresses(gpci_packer *packer, const uint64_t *addresses, unsigned lanes) {
    const unsigned kind = kind_of(packer, addresses, lanes);
    if (kind <= GPCI_PACK_STRIDE)
        return put_stride(packer, addresses[0], lanes > 1 ? addresses[1] - addresses[0] : 0);
    if (!gpci_buffer_reserve(&packer->bytes, MOST_ACCESS_BYTES + 8))
        return false;
    uint8_t *at = put_first(packer, kind, addresses[0]);
    if (kind == GPCI_PACK_LIST)
        at = put_list(packer, at, addresses, lanes);
    packer->bytes.length = (size_t)(at - packer->bytes.data);
    return true;
}

void gpci_packer_begin(gpci_packer *packer, uint32_t warp) {
    packer->warp = warp;
    packer->starts[warp] = packer->bytes.length;
    packer->step_count = packer->hash = packer->before = packer->listed = 0;
    packer->last = &packer->set->first;
}

GPCI_INLINE void put_step(gpci_packer *packer, gpci_form *form, uint64_t mask) {
    packer->last = form;
    packer->steps[packer->step_count++] = (gpci_path_step){form, mask};
    packer->hash = gpci_hash(packer->hash ^ (uint64_t)(uintptr_t)form ^ mask << 32);
}

bool gpci_packer_add(gpci_packer *packer, const gpc_instruction *instructions, size_t count) {
    if (!GPCI_ARRAY_RESERVE(packer->context, packer->steps, packer->step_capacity, packer->step_count, count))
        return false;
    for (const gpc_instruction *instruction = instructions; instruction < instructions + count; instruction++) {
        gpci_form *form = packer->last->follows;
        if (GPCI_UNLIKELY(!form || !same_form(&form->instruction, instruction))) {
            form = find_form(packer, instruction);
            if (!form)
                return false;
            packer->last->follows = form;
        }
        put_step(packer, form, instruction->mask);
        if (form->instruction.addresses &&
            !put_addresses(packer, instruction->addresses, gpci_popcount(instruction->mask)))
            return false;
    }
    return true;
}

bool gpci_packer_repeat(gpci_packer *packer, gpci_form *form, uint64_t mask) {
    if (GPCI_UNLIKELY(packer->step_count == packer->step_capacity) &&
        !GPCI_ARRAY_RESERVE(packer->context, packer->steps, packer->step_capacity, packer->step_count, 1))
        return false;
    put_step(packer, form, mask);
    return true;
}

bool gpci_packer_repeat_stride(gpci_packer *packer, gpci_form *form, uint64_t mask, uint64_t first, uint64_t stride) {
    return gpci_packer_repeat(packer, form, mask) &&
           (!form->instruction.addresses || put_stride(packer, first, mask & (mask - 1) ? stride : 0));
}

bool gpci_packer_repeat_list(gpci_packer *packer, gpci_form *form, uint64_t mask, const uint64_t *addresses) {
    return gpci_packer_repeat(packer, form, mask) &&
           (!form->instruction.addresses || put_addresses(packer, addresses, gpci_popcount(mask)));
}

bool gpci_packer_end(gpci_packer *packer) {
    gpci_path *path = take_path(packer, packer->hash, packer->step_count);
    packer->warps[packer->warp].path = path;
    return path != NULL;
}

gpci_packed_block *gpci_packer_finish(gpci_packer *packer, uint32_t index) {
    size_t head = sizeof(gpci_packed_block) + packer->warp_count * sizeof(gpci_packed_warp),
           bytes = packer->bytes.length;
    gpci_packed_block *block = gpci_alloc(packer->context, head + bytes + GPCI_PACKED_SLACK);
    if (!block)
        return NULL;
    uint8_t *to = (uint8_t *)block + head;
    *block = (gpci_packed_block){.set = packer->set, .index = index, .warp_count = packer->warp_count};
    packer->set->users++;
    if (bytes)
        memcpy(to, packer->bytes.data, bytes);
    memset(to + bytes, 0, GPCI_PACKED_SLACK);
    for (uint32_t w = 0; w < packer->warp_count; w++)
        block->warps[w] = (gpci_packed_warp){packer->warps[w].path, to + packer->starts[w]};
    packer->warp_count = 0; /* the block owns the paths now */
    return block;
}

void gpci_packer_release(gpci_packer *packer, gpci_packed_block *block) {
    for (uint32_t w = 0; w < block->warp_count; w++)
        leave_path(packer, block->warps[w].path);
    leave_set(packer->context, block->set);
    gpci_free(packer->context, block);
}
