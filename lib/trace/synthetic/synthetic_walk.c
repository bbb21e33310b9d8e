/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/blocks/trace_block.h"
#include "trace/synthetic/synthetic.h"

#include <string.h>

#define PC_STEP 16u

/* Build the instruction of the present step. NULL: out of memory. */
static gpc_instruction *build(gpci_walk *walk, uint64_t mask, uint64_t **addresses) {
    const gpci_listing_step *step = &walk->steps[walk->at];
    uint64_t *room;
    gpc_instruction *instruction =
        gpci_block_add(walk->block, walk->opcodes, step->opcode, (uint64_t)walk->at * PC_STEP, mask, addresses != NULL,
                       addresses ? addresses : &room);
    if (!instruction) {
        walk->status = GPC_ERROR_MEMORY;
        return NULL;
    }
    memcpy(instruction->registers, step->registers, sizeof instruction->registers);
    instruction->destinations = step->destinations;
    instruction->sources = step->sources;
    instruction->width = step->width ? step->width : instruction->width;
    if (instruction->space == GPC_SPACE_GENERIC) /* only in kernels with clusters */
        instruction->space = GPC_SPACE_CLUSTER;
    return instruction;
}

/*
 * Form of the present step, if the step was packed before, both times with active lanes or both times without. With a
 * form, the instruction need not be built again. NULL: no form.
 */
static gpci_form *form_of(const gpci_walk *walk, uint64_t mask) {
    gpci_form *form = walk->steps[walk->at].form;
    return walk->block->packer && form && !form->instruction.mask == !mask ? form : NULL;
}

/* Finish the present step: pack the built instruction, remember its form, and go to the next step. */
static void advance(gpci_walk *walk, bool done) {
    gpci_block *block = walk->block;
    if (block->packer && block->count) {
        done = done && gpci_block_pack(block);
        walk->steps[walk->at].form = done ? gpci_packer_last(block->packer) : NULL;
    }
    if (!done)
        walk->status = GPC_ERROR_MEMORY;
    walk->at++;
}

/* Issue the present step, which has no addresses. */
static void issue(gpci_walk *walk, uint64_t mask) {
    gpci_form *form = form_of(walk, mask);
    advance(walk, form ? gpci_packer_repeat(walk->block->packer, form, mask) : build(walk, mask, NULL) != NULL);
}

/* Issue the plain steps before the next step of another role, which must be `role`. False: the walk has failed. */
static bool reach(gpci_walk *walk, gpci_listing_role role) {
    while (walk->status == GPC_OK && walk->steps[walk->at].role == GPCI_ROLE_PLAIN)
        issue(walk, walk->mask);
    if (walk->status == GPC_OK && walk->steps[walk->at].role != role)
        walk->status = GPC_ERROR_STATE;
    return walk->status == GPC_OK;
}

void gpci_plain(gpci_walk *walk, uint32_t step) {
    walk->at = step;
    if (walk->status == GPC_OK && walk->steps[step].role == GPCI_ROLE_PLAIN)
        issue(walk, walk->mask);
    else if (walk->status == GPC_OK)
        walk->status = GPC_ERROR_STATE;
}

bool gpci_guard(gpci_walk *walk, uint64_t stay) {
    if (!reach(walk, GPCI_ROLE_GUARD))
        return false;
    issue(walk, walk->mask & ~stay);
    walk->all &= stay;
    walk->mask &= stay;
    return walk->mask != 0 && walk->status == GPC_OK;
}

/* Addresses of the lanes of `mask`, at first + i * stride. */
static void spread(uint64_t *to, uint64_t mask, uint64_t first, uint64_t stride) {
    if (mask == UINT32_MAX) {
        for (unsigned lane = 0; lane < 32; lane++)
            to[lane] = first + lane * stride;
        return;
    }
    for (; mask; mask &= mask - 1)
        *to++ = first + gpci_lowest(mask) * stride;
}

/* True if the lanes of the mask follow each other. */
static bool is_run(uint64_t mask) {
    const uint64_t filled = mask | (mask - 1);
    return mask && !(filled & (filled + 1));
}

void gpci_access_if(gpci_walk *walk, uint64_t lanes, uint64_t first, uint64_t stride) {
    uint64_t *to, mask = walk->mask & lanes;
    if (!reach(walk, GPCI_ROLE_ACCESS))
        return;
    gpci_form *form = is_run(mask) ? form_of(walk, mask) : NULL;
    if (form) {
        const uint64_t lowest = first + gpci_lowest(mask) * stride;
        advance(walk, gpci_packer_repeat_stride(walk->block->packer, form, mask, lowest, stride));
        return;
    }
    const bool built = build(walk, mask, &to) != NULL;
    if (built)
        spread(to, mask, first, stride);
    advance(walk, built);
}

void gpci_access(gpci_walk *walk, uint64_t first, uint64_t stride) {
    gpci_access_if(walk, walk->mask, first, stride);
}

static void spread_at(uint64_t *to, uint64_t mask, uint64_t base, const uint64_t *offsets) {
    if (mask == UINT32_MAX) {
        for (unsigned lane = 0; lane < 32; lane++)
            to[lane] = base + offsets[lane];
        return;
    }
    for (; mask; mask &= mask - 1)
        *to++ = base + offsets[gpci_lowest(mask)];
}

void gpci_access_at(gpci_walk *walk, uint64_t base, const uint64_t *offsets) {
    uint64_t *to, own[GPCI_SYNTHETIC_LANES], mask = walk->mask;
    if (!reach(walk, GPCI_ROLE_ACCESS))
        return;
    gpci_form *form = form_of(walk, mask);
    const bool built = form || build(walk, mask, &to);
    if (built)
        spread_at(form ? own : to, mask, base, offsets);
    advance(walk, form ? gpci_packer_repeat_list(walk->block->packer, form, mask, own) : built);
}

void gpci_barrier(gpci_walk *walk) {
    if (reach(walk, GPCI_ROLE_BARRIER))
        issue(walk, walk->mask);
}

bool gpci_loop(gpci_walk *walk, uint64_t again) {
    if (!reach(walk, GPCI_ROLE_BRANCH))
        return false;
    uint32_t target = walk->steps[walk->at].target;
    issue(walk, walk->mask);
    if (!again)
        return false;
    walk->at = target;
    walk->mask = again;
    return walk->status == GPC_OK;
}

bool gpci_branch(gpci_walk *walk, bool taken) {
    return gpci_loop(walk, taken ? walk->mask : 0);
}

bool gpci_if(gpci_walk *walk, uint64_t inside) {
    if (!reach(walk, GPCI_ROLE_BRANCH))
        return false;
    walk->outer = walk->mask;
    walk->rejoin = walk->steps[walk->at].target;
    issue(walk, walk->mask);
    walk->mask = inside;
    if (!inside)
        walk->at = walk->rejoin;
    return inside != 0 && walk->status == GPC_OK;
}

void gpci_end_if(gpci_walk *walk) {
    while (walk->status == GPC_OK && walk->at < walk->rejoin) {
        if (walk->steps[walk->at].role != GPCI_ROLE_PLAIN)
            walk->status = GPC_ERROR_STATE;
        else
            issue(walk, walk->mask);
    }
    walk->mask = walk->outer;
}

uint64_t gpci_unrolled(gpci_walk *walk, const gpci_launch *launch, gpci_body body, const void *data, uint64_t from,
                       uint64_t to, uint64_t unroll) {
    uint64_t end = from + (to - from) / unroll * unroll;
    if (gpci_branch(walk, from == end))
        return end;
    while (from < end && walk->status == GPC_OK) {
        for (uint64_t k = 0; k < unroll; k++)
            body(walk, launch, from++, data);
        gpci_branch(walk, from < end);
    }
    return end;
}

void gpci_finish(gpci_walk *walk) {
    if (reach(walk, GPCI_ROLE_EXIT))
        issue(walk, walk->mask);
}

uint64_t gpci_below(const gpci_walk *walk, uint64_t first, uint64_t limit) {
    if (first >= limit)
        return 0;
    uint64_t room = limit - first;
    return room >= 64 ? walk->all : walk->all & ((UINT64_C(1) << room) - 1);
}

uint64_t gpci_inside(const gpci_walk *walk, uint64_t columns, uint64_t rows) {
    uint64_t inside = 0;
    for (unsigned lane = 0; lane < walk->lanes; lane++)
        inside |= (uint64_t)(walk->gx[lane] < columns && walk->gy[lane] < rows) << lane;
    return inside & walk->all;
}

/* Forget the forms of the steps if the packer has begun a new set: old forms may be freed. */
static void forget(gpci_walk *walk) {
    const gpci_packer *packer = walk->block->packer;
    if (!packer || walk->sets == packer->sets)
        return;
    walk->sets = packer->sets;
    for (size_t i = 0; i < walk->step_count; i++)
        walk->steps[i].form = NULL;
}

/* Put the walk at the start of the listing, with the threads of a warp. Threads are numbered along x, then y. */
static void begin(gpci_walk *walk, const gpci_launch *launch, uint64_t warp) {
    uint64_t threads = launch->block[0] * launch->block[1], width = launch->block[0];
    walk->at = 0;
    walk->first = warp * walk->lanes;
    walk->all = walk->lanes == 64 ? UINT64_MAX : UINT32_MAX;
    walk->all = walk->mask = gpci_below(walk, walk->first, threads);
    uint64_t tx = walk->first % width, ty = walk->first / width;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        walk->tx[lane] = tx;
        walk->ty[lane] = ty;
        walk->gx[lane] = walk->x * width + tx;
        walk->gy[lane] = walk->y * launch->block[1] + ty;
        if (++tx == width) {
            tx = 0;
            ty++;
        }
    }
}

gpc_status gpci_walk_block(gpci_walk *walk, const gpci_launch *launch, gpci_block *block, uint32_t index) {
    uint64_t warps = gpci_ceiling(launch->block[0] * launch->block[1], walk->lanes);
    walk->block = block;
    walk->x = index % launch->grid[0];
    walk->y = index / launch->grid[0];
    walk->status = gpci_block_start(block, (uint32_t)walk->x, (uint32_t)walk->y, 0, index, (uint32_t)warps);
    forget(walk);
    for (uint64_t warp = 0; warp < warps && walk->status == GPC_OK; warp++) {
        walk->status = gpci_block_warp(block, (uint32_t)warp);
        if (walk->status < 0)
            break;
        begin(walk, launch, warp);
        launch->warp(walk, launch);
    }
    return walk->status == GPC_OK ? gpci_block_finish(block, walk->opcodes) : walk->status;
}
