/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TESTS_COHERENCE_STAGE_H
#define GPC_TESTS_COHERENCE_STAGE_H

#include "coherence/small.h"

/*
 * Small trees on which a state is set up by real accesses, and then one more is looked at.
 *
 * A play is words with blanks between: [bits] act module.
 *   L S N   load, store, n-store of address A
 *   X       load of B: A leaves the cache
 *   C D     load of two more addresses of A's set in caches below the first level
 *   Q       acquire
 *   bits    s: SLC, g: GLC
 * "L0 gN1": cache 0 loads A, cache 1 stores to it with GLC.
 */

typedef enum stage_shape {
    STAGE_FLAT,    /* caches 0, 1, 2 over memory 3 */
    STAGE_SHARED,  /* caches 0, 1, 2 over cache 3 over memory 4 */
    STAGE_BRANCHES /* caches 0, 1 over 3; 2 over 4; both over memory 5 */
} stage_shape;

#define STAGE_A 0x2000u

typedef struct stage {
    small *small;
    gpc_coherence *tree;
    gpc_coherence_result result; /* result of the last word */
} stage;

void stage_open(stage *s, stage_shape shape, const char *protocol);
/* In two steps: a context and modules, then the tree. */
void stage_prepare(stage *s, stage_shape shape);
void stage_make(stage *s, const char *protocol);
void stage_play(stage *s, const char *play);
void stage_close(stage *s);
/* State of A in a module. */
uint8_t stage_state(const stage *s, uint32_t module);
/* Effects of the last word on A in a module, "E>M@40000 M>O@2000": states and origins. */
void stage_transitions(const stage *s, uint32_t module, char out[128]);
/*
 * Messages about A sent by the module except probes, acknowledgements and answers to modules above, "R5 D4": by kind
 * and receiver.
 *
 *  R W read, write request   D data   B write-back, b with a mask   n notice   c clear owner
 *  t write-through
 */
void stage_messages(const stage *s, uint32_t module, char out[128]);

/* Names of the states: the six, and F of MESIF. */
#define STAGE_STATES "NMOESIF"

#endif
