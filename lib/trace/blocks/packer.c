/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/blocks/packer.h"

#include "base/array.h"

#include <string.h>

#define FIRST_BUCKETS 64u
#define MOST_ACCESS_BYTES (2u + 8u + 63u * 8u)

void gpci_packer_init(gpci_packer *p, gpc_context *context, gpci_opcodes *opcodes) {
    *p = (gpci_packer){.context = context, .opcodes = opcodes, .bytes = {.context = context}};
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

static void leave_path(gpci_packer *p, gpci_path *path) {
    if (!path || --path->users)
        return;
    gpci_path **link = &p->paths[path->hash >> 32 & p->path_mask];
    while (*link != path)
        link = &(*link)->next;
    *link = path->next;
    p->path_count--;
    gpci_free(p->context, path);
}

static void leave_warps(gpci_packer *p) {
    for (uint32_t w = 0; w < p->warp_count; w++)
        leave_path(p, p->warps[w].path);
    p->warp_count = 0;
}

void gpci_packer_clear(gpci_packer *p) {
    leave_warps(p);
    leave_set(p->context, p->set);
    gpci_free(p->context, p->paths);
    gpci_free(p->context, p->steps);
    gpci_free(p->context, p->warps);
    gpci_free(p->context, p->starts);
    gpci_buffer_clear(&p->bytes);
}

static bool room_for_warps(gpci_packer *p, uint32_t count) {
    if (count <= p->warp_capacity)
        return true;
    gpci_packed_warp *warps = gpci_resize(p->context, p->warps, count, sizeof *warps);
    p->warps = warps ? warps : p->warps;
    size_t *starts = warps ? gpci_resize(p->context, p->starts, count, sizeof *starts) : NULL;
    p->starts = starts ? starts : p->starts;
    p->warp_capacity = starts ? count : p->warp_capacity;
    return starts != NULL;
}

/* Free the index of a set that gets no more forms. */
static void retire_set(gpci_packer *p) {
    if (p->set) {
        gpci_free(p->context, p->set->known);
        p->set->known = NULL;
    }
    leave_set(p->context, p->set);
}

bool gpci_packer_start(gpci_packer *p, uint32_t warp_count) {
    leave_warps(p);
    if (!p->set || p->set->count >= GPCI_MOST_FORMS) {
        gpci_form_set *set = gpci_zalloc(p->context, 1, sizeof *set);
        if (!set)
            return false;
        retire_set(p);
        set->users = 1;
        p->set = set;
        p->sets++;
    }
    if (!room_for_warps(p, warp_count))
        return false;
    p->warp_count = warp_count;
    if (warp_count)
        memset(p->warps, 0, warp_count * sizeof *p->warps);
    p->bytes.length = 0;
    return true;
}

/* True if the instruction goes to the hierarchy. */
static bool is_access(const gpc_instruction *i) {
    return i->op_class == GPC_OP_MEMORY && i->addresses && i->mask && gpci_space_is_recorded(i);
}

/* Compare two instructions without lanes and addresses; only the presence of lanes and of addresses counts. */
static bool same_form(const gpc_instruction *a, const gpc_instruction *b) {
    const size_t behind = offsetof(gpc_instruction, opcode);
    return a->pc == b->pc && !a->mask == !b->mask && !a->addresses == !is_access(b) &&
           !memcmp((const char *)a + behind, (const char *)b + behind, GPCI_INSTRUCTION_FIELDS - behind);
}

static uint64_t hash_form(const gpc_instruction *i) {
    return gpci_hash(i->pc ^
                     gpci_hash((uint64_t)!i->mask ^ (uint64_t)i->opcode << 32 ^ (uint64_t)i->line << 8 ^ i->width));
}

static bool room_to_know(gpc_context *context, gpci_form_set *set) {
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

static GPCI_NOINLINE gpci_form *find_form(gpci_packer *p, const gpc_instruction *i) {
    gpci_form_set *set = p->set;
    if (!room_to_know(p->context, set))
        return NULL;
    size_t at = hash_form(i) >> 32 & set->known_mask;
    for (; set->known[at]; at = (at + 1) & set->known_mask)
        if (same_form(&set->known[at]->instruction, i))
            return set->known[at];
    size_t place = set->count % GPCI_FORMS_PER_PIECE;
    if (!place) {
        gpci_form_piece *piece = gpci_zalloc(p->context, 1, sizeof *piece);
        if (!piece)
            return NULL;
        piece->next = set->pieces;
        set->pieces = piece;
    }
    gpci_form *form = &set->pieces->forms[place];
    form->instruction = *i;
    form->instruction.mask = i->mask ? UINT64_MAX : 0;
    form->instruction.addresses = is_access(i) ? gpci_packed_addresses : NULL;
    form->operands = gpci_operands_of(&form->instruction);
    const gpci_opcode *opcode = gpci_opcodes_at(p->opcodes, i->opcode);
    gpci_operands_copy(&form->operands, opcode->copy);
    if (opcode->work)
        gpci_operands_work(&form->operands, opcode->work);
    set->known[at] = form;
    set->count++;
    return form;
}

static bool room_for_paths(gpci_packer *p) {
    if (p->paths && p->path_count <= p->path_mask)
        return true;
    size_t mask = p->paths ? p->path_mask * 2 + 1 : FIRST_BUCKETS - 1;
    gpci_path **paths = gpci_zalloc(p->context, mask + 1, sizeof(gpci_path *));
    if (!paths)
        return false;
    for (size_t b = 0; p->paths && b <= p->path_mask; b++)
        for (gpci_path *path = p->paths[b], *next; path; path = next) {
            next = path->next;
            path->next = paths[path->hash >> 32 & mask];
            paths[path->hash >> 32 & mask] = path;
        }
    gpci_free(p->context, p->paths);
    p->paths = paths;
    p->path_mask = mask;
    return true;
}

static size_t barriers_among(const gpci_path_step *steps, size_t count) {
    size_t barriers = 0;
    for (size_t n = 0; n < count; n++)
        barriers += steps[n].form->operands.use == GPC_OP_BARRIER;
    return barriers;
}

/* Find or add the path of the present steps, and add a user. */
static gpci_path *take_path(gpci_packer *p, uint64_t hash, size_t count) {
    if (!room_for_paths(p))
        return NULL;
    size_t bytes = count * sizeof *p->steps;
    gpci_path **bucket = &p->paths[hash >> 32 & p->path_mask], *path = *bucket;
    while (path && (path->hash != hash || path->count != count || memcmp(path->steps, p->steps, bytes) != 0))
        path = path->next;
    if (!path) {
        path = gpci_alloc(p->context, sizeof *path + bytes);
        if (!path)
            return NULL;
        *path = (gpci_path){.next = *bucket, .hash = hash, .count = count, .barriers = barriers_among(p->steps, count)};
        memcpy(path->steps, p->steps, bytes);
        for (size_t s = 0; s < count; s++)
            path->planes |= path->steps[s].form->operands.planes;
        *bucket = path;
        p->path_count++;
    }
    path->users++;
    return path;
}

static unsigned bytes_of(uint64_t value) {
    return value ? gpci_log2(value) / 8 + 1 : 0;
}

/* Write signed distances from the first lane's address, with the bytes of the widest. */
static uint8_t *put_list(gpci_packer *p, uint8_t *at, const uint64_t *addresses, unsigned lanes) {
    uint64_t any = 0;
    for (unsigned i = 1; i < lanes; i++) {
        p->list[i] = addresses[i] - addresses[0];
        any |= gpci_zigzag(p->list[i]);
    }
    p->listed = lanes;
    unsigned width = bytes_of(any);
    *at++ = (uint8_t)width;
    for (unsigned i = 1; i < lanes; i++, at += width)
        gpci_store64(at, p->list[i]);
    return at;
}

static bool listed_before(const gpci_packer *p, const uint64_t *addresses, unsigned lanes) {
    if (p->listed != lanes)
        return false;
    for (unsigned i = 1; i < lanes; i++)
        if (addresses[i] - addresses[0] != p->list[i])
            return false;
    return true;
}

static unsigned kind_of_stride(uint64_t stride) {
    return stride == 0   ? GPCI_PACK_STRIDE_0
           : stride == 4 ? GPCI_PACK_STRIDE_4
           : stride == 8 ? GPCI_PACK_STRIDE_8
                         : GPCI_PACK_STRIDE;
}

static unsigned kind_of(const gpci_packer *p, const uint64_t *addresses, unsigned lanes) {
    uint64_t step = lanes > 1 ? addresses[1] - addresses[0] : 0, off = 0;
    for (unsigned i = 1; i < lanes; i++)
        off |= addresses[i] - addresses[i - 1] - step;
    if (off)
        return listed_before(p, addresses, lanes) ? GPCI_PACK_AGAIN : GPCI_PACK_LIST;
    return kind_of_stride(step);
}

/* Write the kind and the first lane's address. The buffer must have room. */
GPCI_INLINE uint8_t *put_first(gpci_packer *p, unsigned kind, uint64_t first) {
    uint64_t moved = gpci_zigzag(first - p->before);
    unsigned bytes = bytes_of(moved);
    uint8_t *at = p->bytes.data + p->bytes.length;
    p->before = first;
    *at++ = (uint8_t)(kind << 4 | bytes);
    gpci_store64(at, moved);
    return at + bytes;
}

GPCI_INLINE bool put_stride(gpci_packer *p, uint64_t first, uint64_t stride) {
    if (!gpci_buffer_room(&p->bytes, MOST_ACCESS_BYTES + 8))
        return false;
    const unsigned kind = kind_of_stride(stride);
    uint8_t *at = put_first(p, kind, first);
    gpci_store64(at, stride);
    p->bytes.length = (size_t)(at - p->bytes.data) + (kind == GPCI_PACK_STRIDE ? 8 : 0);
    return true;
}

static bool put_addresses(gpci_packer *p, const uint64_t *addresses, unsigned lanes) {
    const unsigned kind = kind_of(p, addresses, lanes);
    if (kind <= GPCI_PACK_STRIDE)
        return put_stride(p, addresses[0], lanes > 1 ? addresses[1] - addresses[0] : 0);
    if (!gpci_buffer_room(&p->bytes, MOST_ACCESS_BYTES + 8))
        return false;
    uint8_t *at = put_first(p, kind, addresses[0]);
    if (kind == GPCI_PACK_LIST)
        at = put_list(p, at, addresses, lanes);
    p->bytes.length = (size_t)(at - p->bytes.data);
    return true;
}

void gpci_packer_begin(gpci_packer *p, uint32_t warp) {
    p->warp = warp;
    p->starts[warp] = p->bytes.length;
    p->step_count = p->hash = p->before = p->listed = 0;
    p->last = &p->set->first;
}

GPCI_INLINE void put_step(gpci_packer *p, gpci_form *form, uint64_t mask) {
    p->last = form;
    p->steps[p->step_count++] = (gpci_path_step){form, mask};
    p->hash = gpci_hash(p->hash ^ (uint64_t)(uintptr_t)form ^ mask << 32);
}

bool gpci_packer_add(gpci_packer *p, const gpc_instruction *instructions, size_t count) {
    if (!GPCI_ARRAY_ROOM(p->context, p->steps, p->step_capacity, p->step_count, count))
        return false;
    for (const gpc_instruction *i = instructions; i < instructions + count; i++) {
        gpci_form *form = p->last->follows;
        if (GPCI_UNLIKELY(!form || !same_form(&form->instruction, i))) {
            form = find_form(p, i);
            if (!form)
                return false;
            p->last->follows = form;
        }
        put_step(p, form, i->mask);
        if (form->instruction.addresses && !put_addresses(p, i->addresses, gpci_popcount(i->mask)))
            return false;
    }
    return true;
}

bool gpci_packer_repeat(gpci_packer *p, gpci_form *form, uint64_t mask) {
    if (GPCI_UNLIKELY(p->step_count == p->step_capacity) &&
        !GPCI_ARRAY_ROOM(p->context, p->steps, p->step_capacity, p->step_count, 1))
        return false;
    put_step(p, form, mask);
    return true;
}

bool gpci_packer_repeat_stride(gpci_packer *p, gpci_form *form, uint64_t mask, uint64_t first, uint64_t stride) {
    return gpci_packer_repeat(p, form, mask) &&
           (!form->instruction.addresses || put_stride(p, first, mask & (mask - 1) ? stride : 0));
}

bool gpci_packer_repeat_list(gpci_packer *p, gpci_form *form, uint64_t mask, const uint64_t *addresses) {
    return gpci_packer_repeat(p, form, mask) &&
           (!form->instruction.addresses || put_addresses(p, addresses, gpci_popcount(mask)));
}

bool gpci_packer_end(gpci_packer *p) {
    gpci_path *path = take_path(p, p->hash, p->step_count);
    p->warps[p->warp].path = path;
    return path != NULL;
}

gpci_packed_block *gpci_packer_finish(gpci_packer *p, uint32_t index) {
    size_t head = sizeof(gpci_packed_block) + p->warp_count * sizeof(gpci_packed_warp), bytes = p->bytes.length;
    gpci_packed_block *block = gpci_alloc(p->context, head + bytes + GPCI_PACKED_SLACK);
    if (!block)
        return NULL;
    uint8_t *to = (uint8_t *)block + head;
    *block = (gpci_packed_block){.set = p->set, .index = index, .warp_count = p->warp_count};
    p->set->users++;
    if (bytes)
        memcpy(to, p->bytes.data, bytes);
    memset(to + bytes, 0, GPCI_PACKED_SLACK);
    for (uint32_t w = 0; w < p->warp_count; w++)
        block->warps[w] = (gpci_packed_warp){p->warps[w].path, to + p->starts[w]};
    p->warp_count = 0; /* the block owns the paths now */
    return block;
}

void gpci_packer_release(gpci_packer *p, gpci_packed_block *block) {
    for (uint32_t w = 0; w < block->warp_count; w++)
        leave_path(p, block->warps[w].path);
    leave_set(p->context, block->set);
    gpci_free(p->context, block);
}
