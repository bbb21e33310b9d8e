/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/blocks/trace_block.h"
#include "trace/synthetic/synthetic.h"

#include <string.h>

#define PC_STEP 16u

/* Build the present step. NULL once the walk has failed. */
static gpc_instruction *build(gpci_walk *w, uint64_t mask, uint64_t **addresses) {
    const gpci_listing_step *step = &w->steps[w->at];
    uint64_t *room;
    gpc_instruction *i = gpci_block_add(w->block, w->opcodes, step->opcode, (uint64_t)w->at * PC_STEP, mask,
                                        addresses != NULL, addresses ? addresses : &room);
    if (!i) {
        w->status = GPC_ERROR_MEMORY;
        return NULL;
    }
    memcpy(i->registers, step->registers, sizeof i->registers);
    i->destinations = step->destinations;
    i->sources = step->sources;
    i->width = step->width ? step->width : i->width;
    if (i->space == GPC_SPACE_GENERIC) /* only in kernels with clusters */
        i->space = GPC_SPACE_CLUSTER;
    return i;
}

/*
 * Form of the present step if packed before, also with active lanes if any are active now: no need to build it again.
 */
static gpci_form *form_of(const gpci_walk *w, uint64_t mask) {
    gpci_form *form = w->steps[w->at].form;
    return w->block->packer && form && !form->instruction.mask == !mask ? form : NULL;
}

/* Finish the present step: pack the built instruction, and remember its form. */
static void advance(gpci_walk *w, bool done) {
    gpci_block *block = w->block;
    if (block->packer && block->count) {
        done = done && gpci_block_pack(block);
        w->steps[w->at].form = done ? gpci_packer_last(block->packer) : NULL;
    }
    if (!done)
        w->status = GPC_ERROR_MEMORY;
    w->at++;
}

/* Issue the present step, a step without addresses. */
static void issue(gpci_walk *w, uint64_t mask) {
    gpci_form *form = form_of(w, mask);
    advance(w, form ? gpci_packer_repeat(w->block->packer, form, mask) : build(w, mask, NULL) != NULL);
}

/* Issue all plain steps up to the next other step. This step must have the role. */
static bool reach(gpci_walk *w, gpci_listing_role role) {
    while (w->status == GPC_OK && w->steps[w->at].role == GPCI_ROLE_PLAIN)
        issue(w, w->mask);
    if (w->status == GPC_OK && w->steps[w->at].role != role)
        w->status = GPC_ERROR_STATE;
    return w->status == GPC_OK;
}

void gpci_plain(gpci_walk *w, uint32_t step) {
    w->at = step;
    if (w->status == GPC_OK && w->steps[step].role == GPCI_ROLE_PLAIN)
        issue(w, w->mask);
    else if (w->status == GPC_OK)
        w->status = GPC_ERROR_STATE;
}

bool gpci_guard(gpci_walk *w, uint64_t stay) {
    if (!reach(w, GPCI_ROLE_GUARD))
        return false;
    issue(w, w->mask & ~stay);
    w->all &= stay;
    w->mask &= stay;
    return w->mask != 0 && w->status == GPC_OK;
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

static bool is_run(uint64_t mask) {
    const uint64_t filled = mask | (mask - 1);
    return mask && !(filled & (filled + 1));
}

void gpci_access_if(gpci_walk *w, uint64_t lanes, uint64_t first, uint64_t stride) {
    uint64_t *to, mask = w->mask & lanes;
    if (!reach(w, GPCI_ROLE_ACCESS))
        return;
    gpci_form *form = is_run(mask) ? form_of(w, mask) : NULL;
    if (form) {
        const uint64_t lowest = first + gpci_lowest(mask) * stride;
        advance(w, gpci_packer_repeat_stride(w->block->packer, form, mask, lowest, stride));
        return;
    }
    const bool built = build(w, mask, &to) != NULL;
    if (built)
        spread(to, mask, first, stride);
    advance(w, built);
}

void gpci_access(gpci_walk *w, uint64_t first, uint64_t stride) {
    gpci_access_if(w, w->mask, first, stride);
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

void gpci_access_at(gpci_walk *w, uint64_t base, const uint64_t *offsets) {
    uint64_t *to, own[GPCI_SYNTHETIC_LANES], mask = w->mask;
    if (!reach(w, GPCI_ROLE_ACCESS))
        return;
    gpci_form *form = form_of(w, mask);
    const bool built = form || build(w, mask, &to);
    if (built)
        spread_at(form ? own : to, mask, base, offsets);
    advance(w, form ? gpci_packer_repeat_list(w->block->packer, form, mask, own) : built);
}

void gpci_barrier(gpci_walk *w) {
    if (reach(w, GPCI_ROLE_BARRIER))
        issue(w, w->mask);
}

bool gpci_loop(gpci_walk *w, uint64_t again) {
    if (!reach(w, GPCI_ROLE_BRANCH))
        return false;
    uint32_t target = w->steps[w->at].target;
    issue(w, w->mask);
    if (!again)
        return false;
    w->at = target;
    w->mask = again;
    return w->status == GPC_OK;
}

bool gpci_branch(gpci_walk *w, bool taken) {
    return gpci_loop(w, taken ? w->mask : 0);
}

bool gpci_if(gpci_walk *w, uint64_t inside) {
    if (!reach(w, GPCI_ROLE_BRANCH))
        return false;
    w->outer = w->mask;
    w->rejoin = w->steps[w->at].target;
    issue(w, w->mask);
    w->mask = inside;
    if (!inside)
        w->at = w->rejoin;
    return inside != 0 && w->status == GPC_OK;
}

void gpci_end_if(gpci_walk *w) {
    while (w->status == GPC_OK && w->at < w->rejoin) {
        if (w->steps[w->at].role != GPCI_ROLE_PLAIN)
            w->status = GPC_ERROR_STATE;
        else
            issue(w, w->mask);
    }
    w->mask = w->outer;
}

uint64_t gpci_unrolled(gpci_walk *w, const gpci_launch *launch, gpci_body body, const void *data, uint64_t from,
                       uint64_t to, uint64_t unroll) {
    uint64_t end = from + (to - from) / unroll * unroll;
    if (gpci_branch(w, from == end))
        return end;
    while (from < end && w->status == GPC_OK) {
        for (uint64_t k = 0; k < unroll; k++)
            body(w, launch, from++, data);
        gpci_branch(w, from < end);
    }
    return end;
}

void gpci_finish(gpci_walk *w) {
    if (reach(w, GPCI_ROLE_EXIT))
        issue(w, w->mask);
}

uint64_t gpci_below(const gpci_walk *w, uint64_t first, uint64_t limit) {
    if (first >= limit)
        return 0;
    uint64_t room = limit - first;
    return room >= 64 ? w->all : w->all & ((UINT64_C(1) << room) - 1);
}

uint64_t gpci_inside(const gpci_walk *w, uint64_t columns, uint64_t rows) {
    uint64_t inside = 0;
    for (unsigned lane = 0; lane < w->lanes; lane++)
        inside |= (uint64_t)(w->gx[lane] < columns && w->gy[lane] < rows) << lane;
    return inside & w->all;
}

/* Forms of the packer's earlier sets are forgotten. */
static void forget(gpci_walk *w) {
    const gpci_packer *packer = w->block->packer;
    if (!packer || w->sets == packer->sets)
        return;
    w->sets = packer->sets;
    for (size_t i = 0; i < w->step_count; i++)
        w->steps[i].form = NULL;
}

/* Put the walk at the start of the listing with a warp's threads, x first. */
static void begin(gpci_walk *w, const gpci_launch *launch, uint64_t warp) {
    uint64_t threads = launch->block[0] * launch->block[1], width = launch->block[0];
    w->at = 0;
    w->first = warp * w->lanes;
    w->all = w->lanes == 64 ? UINT64_MAX : UINT32_MAX;
    w->all = w->mask = gpci_below(w, w->first, threads);
    uint64_t tx = w->first % width, ty = w->first / width;
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        w->tx[lane] = tx;
        w->ty[lane] = ty;
        w->gx[lane] = w->x * width + tx;
        w->gy[lane] = w->y * launch->block[1] + ty;
        if (++tx == width) {
            tx = 0;
            ty++;
        }
    }
}

gpc_status gpci_walk_block(gpci_walk *w, const gpci_launch *launch, gpci_block *block, uint32_t index) {
    uint64_t warps = gpci_ceiling(launch->block[0] * launch->block[1], w->lanes);
    w->block = block;
    w->x = index % launch->grid[0];
    w->y = index / launch->grid[0];
    w->status = gpci_block_start(block, (uint32_t)w->x, (uint32_t)w->y, 0, index, (uint32_t)warps);
    forget(w);
    for (uint64_t warp = 0; warp < warps && w->status == GPC_OK; warp++) {
        w->status = gpci_block_warp(block, (uint32_t)warp);
        if (w->status < 0)
            break;
        begin(w, launch, warp);
        launch->warp(w, launch);
    }
    return w->status == GPC_OK ? gpci_block_finish(block, w->opcodes) : w->status;
}
