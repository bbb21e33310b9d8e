/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_POLICY_WARPS_H
#define TESTS_POLICY_WARPS_H

#include "policies/replacement/rig.h"

/*
 * Warps of an SM as in section 5.2.2 of seeds/004, naively: numbers that never wrap, and searched lists. An 8-bit id
 * stands for the newest congruent number.
 */
#define NAIVE_SLOTS 80u
#define NAIVE_INACTIVE 256

typedef enum naive_state { NAIVE_UNKNOWN, NAIVE_ACTIVE, NAIVE_WAITING, NAIVE_ENDED } naive_state;

typedef struct naive_warps {
    bool told;
    int64_t youngest;
    struct {
        naive_state state;
        int64_t number;
    } slot[NAIVE_SLOTS];
} naive_warps;

void naive_open(naive_warps *warps);
void naive_event(naive_warps *warps, const gpc_warp_event *event);
/* The warp makes an access. */
void naive_use(naive_warps *warps, uint32_t slot);
/* Number given to a line by a request of the warp. */
int64_t naive_number(const naive_warps *warps, uint32_t slot, uint32_t warp_age);
/* 0 = oldest ... 255; NAIVE_INACTIVE. */
int naive_age(const naive_warps *warps, int64_t number);

/* A random event for one of the slots; `kernels`: sometimes of a kernel. */
gpc_warp_event random_event(uint64_t *random, uint32_t slots, bool kernels);
void tell(rig *r, gpc_warp_event_kind kind, uint32_t warp);

/* A mask of candidates with at least one; words [16]. */
void random_candidates(uint64_t *random, uint32_t ways, uint64_t *words);

bool rig_is_full(const rig *r, uint32_t set);
bool rig_is_resident(const rig *r, uint32_t set, uint64_t line);

#endif
