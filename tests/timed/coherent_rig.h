/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_TIMED_COHERENT_RIG_H
#define TESTS_TIMED_COHERENT_RIG_H

#include "measured.h"
#include "timed/rig.h"

/*
 * The rig's hierarchy, coherent: two SMs, lines of 128 bytes, an L1 of 4 ways with data after 10 cycles, an L2 with
 * data after 20, a memory with data after 100. A message crosses in 6 cycles, with any contents.
 */
extern const char coherent_base[];

/* Times of a message by place; sums of these are the expected figures. */
enum {
    TAGS = 1,  /* from the issue to L1's tags */
    CROSS = 6, /* a transfer of a cycle, and network.latency */
    ENTER = 1, /* from the network to the tags of a slice or a cluster */
    L1_DATA = 10,
    CLUSTER_DATA = 12,
    L2_DATA = 20,
    MEMORY = 100,
    SET = 4096,                                             /* bytes from a line to the next of the set of L1 */
    MISS = TAGS + CROSS + ENTER + MEMORY + L2_DATA + CROSS, /* a load of a line held nowhere */
    MISS_APART = MISS + L1_DATA                             /* with Multi2Sim's front end */
};

/* Base, protocol, then settings; configured DRAM, with latency `MEMORY`. */
void coherent_open(rig *r, const char *protocol, const char *settings);
void coherent_close(rig *r);
/* The base and further settings, `coherence` among them, for a test with a separate host. */
void coherent_make(const char *settings, gpc_context **context, gpc_config **config, gpc_hierarchy **hierarchy);

/* Issued alone, done after exactly so many cycles, and none earlier. */
#define EXPECT_CYCLES(r, s, n) expect_cycles(r, s, n, __LINE__)
void expect_cycles(rig *r, shot s, uint64_t cycles, int line);

/* State of an address in module "l1-0", and so on. */
gpc_coherence_state coherent_state(const rig *r, const char *module, uint64_t address);
measured_module coherent_stats(const rig *r, const char *module);

/* Nothing is held or under way, and all sent messages have arrived. */
void coherent_check_idle(rig *r);

/* Blocks of all modules, and counts of transitions, are equal. */
void coherent_same(const gpc_coherence *a, const gpc_coherence *b, const char *what);

#endif
