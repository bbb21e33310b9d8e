/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_POLICIES_THROTTLE_TOKENS_H
#define GPC_POLICIES_THROTTLE_TOKENS_H

#include "base/base.h"

/*
 * PCAL's token assignment unit (seeds/004 section 4.3.2): the number of warps with a token, the number of running warps
 * without a token, and the choice of both.
 *
 * A warp keeps its token until the warp ends; then the oldest warp without a token gets the token. The order of age
 * never changes, and so the holders are always the oldest warps. The next oldest run as bypassing warps, and the
 * remaining warps are throttled.
 *
 * A warp at a barrier cannot issue, and may wait for warps that are throttled, or slow without a token. Until its
 * release the next warp in age has its place, and its token if the warp has a token.
 *
 * Example, 2 tokens, 1 bypassing warp, warps 0 to 4 from oldest to youngest:
 *   all run           0 1 | 2 | 3 4
 *   1 at a barrier    0 2 | 3 | 4     1 lends its token to 2; 3 takes 2's place
 *   0 ends            2 3 | 4 |       0's token goes to 3
 *   1 released        1 2 | 3 | 4     1 has its token back
 */

/* Sizes of the groups. */
typedef struct gpci_tokens {
    uint32_t cache;  /* warps with a token */
    uint32_t bypass; /* warps running without a token */
} gpci_tokens;

/*
 * Sizes of the groups for an EBTNum (Table 4.3). One warp keeps its token for any EBTNum, and is then not a bypassing
 * warp (section 4.8.1.2: KMN with a warp-opt of 1).
 */
gpci_tokens gpci_tokens_of(uint32_t warp_opt, int32_t ebt);
/*
 * Sizes of the groups with both strategies at once. `cut` warps lose their tokens, and run on as bypassing warps.
 * `extra` further warps run as bypassing warps.
 */
gpci_tokens gpci_tokens_both(uint32_t warp_opt, uint32_t cut, uint32_t extra);

/* Rule for the warps that hold a token for L2. */
typedef enum gpci_tokens_level {
    GPCI_TOKENS_L1 = 0,      /* L2 ignores tokens: every warp counts as a holder */
    GPCI_TOKENS_BOTH = 1,    /* same holders as for L1 */
    GPCI_TOKENS_SEPARATE = 2 /* L2 has a number of tokens of its own */
} gpci_tokens_level;

typedef struct gpci_tokens_l2 {
    gpci_tokens_level level;
    uint32_t tokens; /* with GPCI_TOKENS_SEPARATE: number of tokens; GPCI_TOKENS_ALL = every warp has a token */
    /*
     * With GPCI_TOKENS_SEPARATE. True: the oldest running warps without a token for L1 get the tokens for L2. False:
     * the oldest warps get the tokens for L2.
     */
    bool exclusive;
} gpci_tokens_l2;

/* Set the classes of the running warps. Returns the number of throttled warps, without warps at a barrier. */
uint32_t gpci_tokens_give(const gpci_tokens *tokens, const gpci_tokens_l2 *l2, const gpc_throttle_view *view,
                          gpc_throttle_classes *classes);

#endif
