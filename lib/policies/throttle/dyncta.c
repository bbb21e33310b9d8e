/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/throttle/block_order.h"
#include "policies/throttle/throttles.h"
#include "stats/stats.h"

/*
 * Dynamic limiting of thread blocks (DYNCTA). Over a period each SM counts the cycles with nothing to execute, C_idle,
 * and the cycles in which its warps waited for memory, C_mem. The SM then changes its number of running blocks by one.
 * The youngest blocks are paused, and go on after older blocks end.
 *
 *   C_idle >= t_idle                  one more
 *   else C_mem < t_mem_l              one more
 *   else C_mem >= t_mem_h             one fewer, at least one
 *   else                              as before
 *
 * An SM starts with half of its resident blocks, also after each time the SM has become empty.
 *
 * Example, the paper's period of 2048 cycles and thresholds 16, 128, 384; 8 blocks are resident:
 *   start                        4 run
 *   C_idle 0,  C_mem 127         5
 *   C_idle 0,  C_mem 128 to 383  5
 *   C_idle 0,  C_mem 384         4
 *   C_idle 16, C_mem 2000        5
 *
 * An SM with several schedulers takes their mean; a longer sample is scaled to the period. C_idle counts cycles of
 * schedulers without a warp, or with all warps at barriers. C_mem counts cycles with warps waiting for a load or for
 * the memory pipeline. With paused=1 C_mem also counts cycles with only warps of paused blocks ready: all running warps
 * wait. With paused=0 such cycles count neither in C_idle nor in C_mem, because a pause would otherwise cause the next
 * pause. Figures and starting point are the paper's, quoted from memory, because seeds/004 does not name them.
 */

enum { PERIOD, T_IDLE, T_MEM_L, T_MEM_H, PAUSED };

typedef struct dyncta {
    gpci_block_order order; /* order.limit 0 = half of the resident blocks */
    uint64_t period, t_idle, t_mem_l, t_mem_h;
    bool paused;                   /* cycles with only paused warps ready count as waiting */
    uint64_t cycles, idle, memory; /* scheduler cycles since the last decision */
} dyncta;

static gpc_status init(void *self, const gpc_scheduler_env *env, char *message) {
    dyncta *throttle = self;
    throttle->period = (uint64_t)env->parameters[PERIOD];
    throttle->t_idle = (uint64_t)env->parameters[T_IDLE];
    throttle->t_mem_l = (uint64_t)env->parameters[T_MEM_L];
    throttle->t_mem_h = (uint64_t)env->parameters[T_MEM_H];
    throttle->paused = env->parameters[PAUSED] != 0;
    if (throttle->t_mem_l > throttle->t_mem_h)
        return gpci_policy_refuse(message, GPC_ERROR_ARGUMENT, "t-mem-l is above t-mem-h");
    gpci_block_order_init(&throttle->order, env);
    return GPC_OK;
}

/* Instance that decides for the SM: the first instance of the SM. */
static dyncta *decider(dyncta *throttle) {
    return gpci_siblings_first(throttle->order.siblings, throttle);
}

static void on_state(void *self, uint32_t slot, gpc_warp_state before, gpc_warp_state after) {
    dyncta *throttle = self;
    gpci_block_order_on_state(self, slot, before, after);
    if (after != GPC_STATE_ABSENT || !gpci_block_order_empty(&throttle->order))
        return;
    throttle = decider(throttle);
    throttle->order.limit = 0;
    throttle->cycles = throttle->idle = throttle->memory = 0;
}

static uint32_t limit_of(const dyncta *throttle) {
    if (throttle->order.limit)
        return throttle->order.limit;
    uint32_t half = gpci_block_order_count(&throttle->order) / 2;
    return half ? half : 1;
}

static void classify(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes) {
    dyncta *throttle = self;
    gpci_block_order_see(&throttle->order, view);
    gpci_block_order_classify(&throttle->order, view, classes, limit_of(decider(throttle)));
}

static void decide(dyncta *throttle) {
    uint32_t resident = gpci_block_order_count(&throttle->order), limit = limit_of(throttle);
    uint64_t idle = throttle->idle * throttle->period / throttle->cycles,
             memory = throttle->memory * throttle->period / throttle->cycles;
    if (idle >= throttle->t_idle || memory < throttle->t_mem_l)
        limit += limit < resident;
    else if (memory >= throttle->t_mem_h) {
        limit = limit < resident ? limit : resident;
        limit -= limit > 1;
    }
    throttle->order.limit = limit;
}

/*
 * Decide. All instances of the SM get the sample; only `decider` decides, and the others follow at their next
 * `classify`.
 */
static bool sample(void *self, const gpc_stats *stats, uint64_t cycle) {
    dyncta *throttle = self;
    (void)cycle;
    if (decider(throttle) != throttle || gpci_block_order_empty(&throttle->order))
        return false;
    throttle->cycles += stats->scheduler_cycles;
    throttle->idle += stats->scheduler_empty + stats->scheduler_barrier_stalls;
    throttle->memory += stats->scheduler_load_stalls + stats->scheduler_memory_stalls;
    throttle->memory += throttle->paused ? stats->scheduler_throttled : 0;
    if (throttle->cycles < throttle->period * throttle->order.siblings.count)
        return false;
    uint32_t before = limit_of(throttle);
    decide(throttle);
    throttle->cycles = throttle->idle = throttle->memory = 0;
    return limit_of(throttle) != before;
}

/*
 * Cost: the order of the blocks. Once for an SM's schedulers: counters of cycles, C_idle and C_mem up to the period,
 * three thresholds of the same width, and the limit.
 */
static uint64_t cost_bits(const gpc_scheduler_env *env) {
    uint64_t counter = gpci_ceil_log2((uint64_t)env->parameters[PERIOD] + 1);
    uint64_t limit = gpci_ceil_log2((uint64_t)env->warps * env->count + 1);
    return gpci_block_order_bits(env) + (6 * counter + limit + env->count - 1) / env->count;
}

static const gpc_parameter parameters[] = {
    [PERIOD] = {"period", 2048, 1, 1 << 24, true, "cycles between decisions"},
    [T_IDLE] = {"t-idle", 16, 0, 1 << 24, true, "idle cycles of a period from which on one block more runs"},
    [T_MEM_L] = {"t-mem-l", 128, 0, 1 << 24, true, "cycles waiting for memory below which one block more runs"},
    [T_MEM_H] = {"t-mem-h", 384, 0, 1 << 24, true, "cycles waiting for memory from which on one block fewer runs"},
    [PAUSED] = {"paused", 0, 0, 1, true, "1 = cycles in which only paused warps are ready count as waiting"},
};

static void state_of(void *self, gpc_state_fn visit, void *user_data) {
    dyncta *throttle = self;
    gpci_block_order_state(&throttle->order, visit, user_data);
    visit(user_data, &throttle->cycles, sizeof throttle->cycles);
    visit(user_data, &throttle->idle, sizeof throttle->idle);
    visit(user_data, &throttle->memory, sizeof throttle->memory);
}

const gpc_throttle_ops gpci_dyncta_throttle = {
    .struct_size = sizeof(gpc_throttle_ops),
    .state = state_of,
    .name = "dyncta",
    .summary = "dynamic limiting of thread blocks by cycles that an SM idles or waits for memory",
    .source = "seeds/004 section 2.1.1; Kayiran, Jog, Kandemir and Das, PACT 2013",
    .instance_bytes = sizeof(dyncta),
    .warp_bytes = sizeof(gpci_block_warp),
    .parameters = parameters,
    .parameter_count = 5,
    .init = init,
    .finish = gpci_block_order_finish,
    .on_state = on_state,
    .classify = classify,
    .sample = sample,
    .cost_bits = cost_bits,
    .shared_scheduler_bytes = GPCI_SIBLING_BYTES,
};
