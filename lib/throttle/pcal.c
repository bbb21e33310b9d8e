/* SPDX-License-Identifier: BSD-2-Clause */
#include "scheduler/policies.h"
#include "throttle/throttles.h"
#include "throttle/tokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Priority-based cache allocation (seeds/004 sections 4.3 and 4.4). The oldest warps of each scheduler hold tokens:
 * what they access may allocate in the cache. Others may run besides, but go past it; the rest is throttled. One
 * number, EBTNum, says how many, starting from `warps`, the number with which throttling alone is fastest
 * (warp-opt):
 *
 *   ebt      strategy                                     tokens        bypassing warps
 *   0        throttling                                   warps         0
 *   above    more parallelism, the same hit rate          warps         ebt
 *   below    a better hit rate, the same parallelism      warps + ebt   -ebt
 *
 * With warps=0 nothing is throttled: warp-opt is then the number of warps that the scheduler had at once, since it was
 * empty last.
 */

enum { WARPS, TOKENS_L2, PARAMETERS };
enum { EBT, LEVEL, SETS, TEXTS };

typedef struct pcal_state {
    gpci_tokens_l2 l2;
    uint32_t warps; /* 0 = the most that ran at once */
    uint32_t most;
    int32_t ebt;
} pcal_state;

static const gpc_parameter parameters[] = {
    {"warps", 0, 0, 1024, true, "warps of a scheduler that run with ebt=0 (warp-opt); 0 = all"},
    {"tokens-l2", 0, 0, 1024, true, "level=separate: warps of a scheduler with a token for L2"},
};

static const gpc_text_parameter texts[] = {
    {"ebt", "0", NULL, "EBTNum, -1024 to 1024: warps that run without a token, more than `warps` or taken from them"},
    {"level", "l1", "l1|both|separate", "where tokens count: in L1, in L1 and L2 alike, or with a number of its own in L2"},
    {"sets", "inclusive", "inclusive|exclusive",
     "level=separate: tokens for L2 go to the oldest warps, or to the oldest without one for L1"},
};

/* A number to its last character. */
static bool read_ebt(const char *text, int32_t *out_ebt) {
    char *end;
    long ebt = strtol(text, &end, 10);
    if (end == text || *end || ebt < -1024 || ebt > 1024)
        return false;
    *out_ebt = (int32_t)ebt;
    return true;
}

static gpc_status init(void *self, const gpc_scheduler_env *env, char *message) {
    pcal_state *pcal = self;
    pcal->warps = (uint32_t)env->parameters[WARPS];
    pcal->l2.level = (gpci_tokens_level)env->words[LEVEL];
    pcal->l2.tokens = (uint32_t)env->parameters[TOKENS_L2];
    pcal->l2.exclusive = env->words[SETS] == 1;
    if (!read_ebt(env->texts[EBT], &pcal->ebt)) {
        snprintf(message, 256, "ebt is '%.60s', neither auto nor a number from -1024 to 1024", env->texts[EBT]);
        return GPC_ERROR_ARGUMENT;
    }
    return GPC_OK;
}

static void classify(void *self, const gpc_throttle_view *view, gpc_throttle_classes *classes) {
    pcal_state *pcal = self;
    pcal->most = !view->running || view->running > pcal->most ? view->running : pcal->most;
    gpci_tokens tokens = gpci_tokens_of(pcal->warps ? pcal->warps : pcal->most, pcal->ebt);
    gpci_tokens_give(&tokens, &pcal->l2, view, classes);
}

/*
 * Of each warp a bit for each level with tokens; the order of warps; the sizes of the groups, 0 to warps each, and
 * with warps=0 the most that ran. The bits in requests and lines belong to the memory system.
 */
static uint64_t cost_bits(const gpc_scheduler_env *env) {
    uint64_t size = gpci_ceil_log2((uint64_t)env->warps + 1);
    uint64_t sets = env->words[LEVEL] == GPCI_TOKENS_SEPARATE ? 2 : 1;
    return sets * env->warps + gpci_age_bits(env) + (sets + 1) * size + (env->parameters[WARPS] > 0 ? 0 : size);
}

const gpc_throttle_ops gpci_pcal_throttle = {
    .struct_size = sizeof(gpc_throttle_ops),
    .name = "pcal",
    .summary = "priority-based cache allocation: the oldest warps hold tokens, some run past the cache, the rest waits",
    .source = "seeds/004 sections 4.3 and 4.4; Li et al., HPCA 2015",
    .instance_bytes = sizeof(pcal_state),
    .parameters = parameters,
    .parameter_count = PARAMETERS,
    .texts = texts,
    .text_count = TEXTS,
    .init = init,
    .classify = classify,
    .cost_bits = cost_bits,
};
