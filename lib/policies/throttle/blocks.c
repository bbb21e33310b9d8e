/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/throttle/block_order.h"
#include "policies/throttle/throttles.h"

/*
 * Static limiting of thread blocks: the `limit` oldest blocks of an SM run, on all schedulers. If a block's last warp
 * has ended, the next block runs. A block at its barrier keeps its place: the block waits only for its own warps, which
 * run.
 *
 * Example, limit 1, two schedulers; warps 0 and 2 belong to scheduler 0, warps 1 and 3 to scheduler 1; the blocks are A
 * = {0, 1} and B = {2, 3}:
 *   A and B are resident    2 and 3 are throttled
 *   0 ends                  2 is still throttled: A runs on the other scheduler
 *   1 ends                  3 may run at once, 2 from the next cycle on
 */

static gpc_status init(void *self, const gpc_scheduler_env *env, char *message) {
    (void)message;
    gpci_block_order *order = self;
    gpci_block_order_init(order, env);
    order->limit = (uint32_t)env->parameters[0];
    return GPC_OK;
}

static void classify(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes) {
    gpci_block_order *order = self;
    gpci_block_order_see(order, view);
    gpci_block_order_classify(order, view, classes, order->limit ? order->limit : UINT32_MAX);
}

/* Cost: the order of the blocks, and the limit of 10 bits. */
static uint64_t cost_bits(const gpc_scheduler_env *env) {
    return gpci_block_order_bits(env) + 10;
}

static const gpc_parameter parameters[] = {
    {"limit", 0, 0, 1024, true, "thread blocks of an SM that may run; 0 = all"},
};

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    gpci_block_order_state(self, visit, user_data);
}

const gpc_throttle_ops gpci_blocks_throttle = {
    .struct_size = sizeof(gpc_throttle_ops),
    .state = state_of,
    .name = "blocks",
    .summary = "static limiting of thread blocks: only the oldest of each SM run",
    .source = "seeds/004 sections 2.1.1 and 6.3",
    .instance_bytes = sizeof(gpci_block_order),
    .warp_bytes = sizeof(gpci_block_warp),
    .parameters = parameters,
    .parameter_count = 1,
    .init = init,
    .finish = gpci_block_order_finish,
    .on_state = gpci_block_order_on_state,
    .classify = classify,
    .cost_bits = cost_bits,
    .shared_scheduler_bytes = GPCI_SIBLING_BYTES,
};
