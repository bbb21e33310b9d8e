/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/throttle/block_order.h"

#include "policies/scheduler/schedulers.h"

void gpci_block_order_init(gpci_block_order *order, const gpc_scheduler_env *env) {
    order->of_warp = env->warp_state;
    order->warps = env->warps;
    order->siblings = gpci_siblings_join(order, env);
}

void gpci_block_order_finish(void *self) {
    gpci_block_order *order = self;
    gpci_siblings_leave(order->siblings, order);
}

void gpci_block_order_on_state(void *self, uint32_t slot, gpc_warp_state before, gpc_warp_state after) {
    (void)before;
    gpci_block_order *order = self;
    if (after != GPC_STATE_ABSENT)
        return;
    order->of_warp[slot].order = 0;
    order->changes++;
}

/* Order number of a block running on one of the SM's schedulers; 0 = not running. */
static uint64_t find(const gpci_block_order *order, uint32_t block) {
    for (uint32_t n = 0; n < order->siblings.count; n++) {
        const gpci_block_order *other = order->siblings.of_sm[n];
        for (uint32_t slot = 0; other && slot < other->warps; slot++)
            if (other->of_warp[slot].order && other->of_warp[slot].block == block)
                return other->of_warp[slot].order;
    }
    return 0;
}

/* Smallest order number above `above`; UINT64_MAX = no such number. */
static uint64_t next_order(const gpci_block_order *order, uint64_t above) {
    uint64_t least = UINT64_MAX;
    for (uint32_t n = 0; n < order->siblings.count; n++) {
        const gpci_block_order *other = order->siblings.of_sm[n];
        for (uint32_t slot = 0; other && slot < other->warps; slot++) {
            uint64_t at = other->of_warp[slot].order;
            least = at > above && at < least ? at : least;
        }
    }
    return least;
}

uint32_t gpci_block_order_count(const gpci_block_order *order) {
    uint32_t count = 0;
    for (uint64_t at = next_order(order, 0); at != UINT64_MAX; at = next_order(order, at))
        count++;
    return count;
}

bool gpci_block_order_empty(const gpci_block_order *order) {
    return next_order(order, 0) == UINT64_MAX;
}

static uint64_t new_order(const gpci_block_order *order) {
    uint64_t youngest = 0;
    for (uint32_t n = 0; n < order->siblings.count; n++) {
        const gpci_block_order *other = order->siblings.of_sm[n];
        youngest = other && other->youngest > youngest ? other->youngest : youngest;
    }
    return youngest + 1;
}

/*
 * Go from the youngest warp to the first warp with an order number: older warps have one. Only warps that have just
 * started have no number, because the scheduler calls `classify` after each start.
 */
void gpci_block_order_see(gpci_block_order *order, const gpc_throttle_view *view) {
    for (uint32_t age = view->running; age-- > 0;) {
        uint32_t slot = view->by_age[age];
        gpci_block_warp *warp = &order->of_warp[slot];
        if (warp->order)
            return;
        uint64_t known = find(order, view->blocks[slot]);
        warp->order = known ? known : (order->youngest = new_order(order));
        warp->block = view->blocks[slot];
        order->changes++;
    }
}

/* Order number of the `limit`th oldest block; UINT64_MAX if fewer blocks run. */
static uint64_t find_admitted(gpci_block_order *order, uint32_t limit) {
    uint64_t changes = 0, admitted = 0;
    for (uint32_t n = 0; n < order->siblings.count; n++)
        changes += order->siblings.of_sm[n] ? ((const gpci_block_order *)order->siblings.of_sm[n])->changes : 0;
    if (changes == order->seen && limit == order->seen_limit)
        return order->admitted;
    order->seen = changes;
    order->seen_limit = limit;
    for (uint32_t n = 0; n < limit && admitted != UINT64_MAX; n++)
        admitted = next_order(order, admitted);
    return admitted;
}

void gpci_block_order_classify(gpci_block_order *order, const gpc_throttle_view *view, gpc_throttle_classes *classes,
                               uint32_t limit) {
    uint64_t admitted = find_admitted(order, limit);
    for (uint32_t age = 0; age < view->running; age++) {
        uint32_t slot = view->by_age[age];
        if (order->of_warp[slot].order > admitted)
            classes->throttled[slot / 64] |= gpci_warp_bit(slot);
    }
    classes->others = admitted != order->admitted;
    order->admitted = admitted;
}

/*
 * Cost. For each warp the number of its block; an SM has at most as many blocks as warps. The SM's age matrix, a bit
 * for each pair of blocks, is divided among the SM's schedulers.
 */
uint64_t gpci_block_order_bits(const gpc_scheduler_env *env) {
    uint64_t blocks = (uint64_t)env->warps * env->count;
    return (uint64_t)env->warps * gpci_ceil_log2(blocks) + (blocks * (blocks - 1) / 2 + env->count - 1) / env->count;
}

void gpci_block_order_state(gpci_block_order *block_order, gpc_state_fn visit, void *user_data) {
    const size_t from = offsetof(gpci_block_order, limit); /* members before `limit` are not saved */
    visit(user_data, (char *)block_order + from, sizeof *block_order - from);
}
