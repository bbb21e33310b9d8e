/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_THROTTLE_TOKENS_H
#define GPC_POLICIES_THROTTLE_TOKENS_H

#include "base/base.h"

/*
 * PCAL's token assignment unit (seeds/004 section 4.3.2): how many warps of a scheduler hold a token, how many may
 * run without one, and which.
 *
 * A warp keeps its token until it ends; then the oldest warp without one has it. No warp ever becomes older than
 * another, and so the holders are always the oldest, as many as there are tokens. The next oldest run as bypassing
 * warps, and the rest is throttled.
 *
 * A warp at a barrier cannot issue, and what it waits for may be throttled, or slow for want of a token: until its
 * release the next in age has its place, and its token if it has one.
 *
 * Example, 2 tokens, 1 bypassing warp, warps 0 to 4 from oldest to youngest:
 *   all run           0 1 | 2 | 3 4
 *   1 at a barrier    0 2 | 3 | 4     1 lends its token to 2, whose place 3 takes
 *   0 ends            2 3 | 4 |       its token goes on, too
 *   1 released        1 2 | 3 | 4     it has its token back
 */

/* Sizes of the groups. */
typedef struct gpci_tokens {
    uint32_t cache;  /* warps with a token */
    uint32_t bypass; /* warps that run without one */
} gpci_tokens;

/*
 * Table 4.3. Bypassing warps beyond those that a negative EBTNum takes tokens from are `extra`; one warp keeps its
 * token whatever EBTNum says, and is then none of the bypassing ones (section 4.8.1.2: KMN with a warp-opt of 1).
 */
gpci_tokens gpci_tokens_of(uint32_t warp_opt, int32_t ebt);
/* The same with both strategies at once: `cut` tokens fewer, `extra` warps more. */
gpci_tokens gpci_tokens_both(uint32_t warp_opt, uint32_t cut, uint32_t extra);

/* Who holds tokens for L2. */
typedef enum gpci_tokens_level {
    GPCI_TOKENS_L1 = 0,   /* L2 does not know tokens: every warp counts as a holder */
    GPCI_TOKENS_BOTH = 1, /* those that hold one for L1 */
    GPCI_TOKENS_SEPARATE = 2
} gpci_tokens_level;

typedef struct gpci_tokens_l2 {
    gpci_tokens_level level;
    uint32_t tokens; /* separate: how many; GPCI_TOKENS_ALL = every warp has one */
    bool exclusive;  /* separate: to the oldest running warps without one for L1, instead of to the oldest */
} gpci_tokens_l2;

/* Returns how many warps are throttled. */
uint32_t gpci_tokens_give(const gpci_tokens *tokens, const gpci_tokens_l2 *l2, const gpc_throttle_view *view,
                          gpc_throttle_classes *classes);

#endif
