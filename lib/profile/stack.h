/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_PROFILE_STACK_H
#define GPC_PROFILE_STACK_H

#include "base/base.h"

/*
 * LRU stack of numbered lines, the most recent line at the top. The stack stands for LRU caches of all sizes at once: a
 * cache of n lines has the n topmost lines. The depth of a line is found in O(log n) (Bennett and Kruskal 1975; Olken
 * 1981). Each access takes a new place; places are in order of time. A bit marks each place that is the last place of a
 * line. A Fenwick tree has the sums of the bits. When all places are taken, the marked places are renumbered from 0.
 *
 * A dropped line leaves a hole in its place, because every cache that had the line now has a free way. The next access
 * of a new line, or of a line below the hole, fills the newest hole: the lines above the hole move down, and the lines
 * below stay. The old place of the accessed line becomes a hole.
 *
 * Example, most recent first: A B C D. After B is dropped: A . C D. Then D, at depth 3, is accessed. A cache of two
 * lines had A and a free way, and now has D and A. The stack is D A C .
 */

#define GPCI_STACK_NOWHERE UINT32_MAX /* place of a line outside the stack */
#define GPCI_STACK_FIRST UINT64_MAX   /* distance of a line outside the stack */

typedef struct gpci_stack {
    gpc_context *context;
    uint64_t *bits;   /* [words]: a bit for each place, set if the place is a line's or a hole */
    uint32_t *sums;   /* [words + 1]: Fenwick tree of the numbers of set bits per word, from index 1 */
    uint32_t *owners; /* [words x 64]: line of a place with a set bit; GPCI_STACK_NOWHERE: a hole */
    uint32_t *holes;  /* [hole_capacity]: places of the holes, a heap with the newest place first */
    uint32_t words;
    uint32_t next; /* place of the next access */
    uint32_t used; /* number of set bits */
    uint32_t hole_count;
    size_t hole_capacity;
} gpci_stack;

void gpci_stack_clear(gpci_stack *stack); /* frees all memory */
/* Forget all lines, keep the memory. `places` as for gpci_stack_reserve; places of lines become GPCI_STACK_NOWHERE. */
void gpci_stack_empty(gpci_stack *stack, uint32_t *places, size_t stride);

/*
 * Reserve room for an access, or for dropping a line. `places`: address of the place of line 0; the place of line n is
 * n x stride bytes behind. If places are renumbered, the function changes the places of all lines. GPC_ERROR_MEMORY: no
 * line has changed.
 */
gpc_status gpci_stack_reserve(gpci_stack *stack, uint32_t *places, size_t stride);
/*
 * Move a line to the top. `*place` is the place of the line, and receives the new place. Returns the old depth, 0 =
 * top; GPCI_STACK_FIRST: the line was not in the stack.
 */
uint64_t gpci_stack_touch(gpci_stack *stack, uint32_t line, uint32_t *place);
/* Drop a line; `*place` becomes GPCI_STACK_NOWHERE. */
void gpci_stack_drop(gpci_stack *stack, uint32_t *place);

#endif
