/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_PROFILE_STACK_H
#define GPC_PROFILE_STACK_H

#include "base/base.h"

/*
 * LRU stack of numbered lines. The depth of a line is found in O(log n) (Bennett and Kruskal 1975; Olken 1981): one
 * place per access in order of time, a bit for each place that is a line's last, and a Fenwick tree over words of bits.
 * Used-up places are numbered again, in order.
 *
 * A dropped line leaves a hole, because every cache with the line now has a free way. The next access of a deeper or
 * new line fills the newest hole, instead of pushing all lines down; the accessed line's old place is then the hole.
 *
 * Example, most recent first: A B C D. Dropping B: A . C D. An access of D, at depth 3: a cache of two lines had a free
 * way, and now has D beside A: D A C .
 */

#define GPCI_STACK_NOWHERE UINT32_MAX /* place of a line outside the stack */
#define GPCI_STACK_FIRST UINT64_MAX   /* distance of a line outside the stack */

typedef struct gpci_stack {
    gpc_context *context;
    uint64_t *bits;   /* [words], places in use */
    uint32_t *sums;   /* [words + 1]: Fenwick tree of the bits per word, from index 1 */
    uint32_t *owners; /* [words x 64]: line of a place in use; GPCI_STACK_NOWHERE = a hole */
    uint32_t *holes;  /* [hole_capacity], max-heap of places */
    uint32_t words;
    uint32_t next; /* place of the next access */
    uint32_t used; /* places in use */
    uint32_t hole_count;
    size_t hole_capacity;
} gpci_stack;

void gpci_stack_clear(gpci_stack *stack);
/* Forget all lines, keep the memory. `places` as for gpci_stack_reserve; they become GPCI_STACK_NOWHERE. */
void gpci_stack_empty(gpci_stack *stack, uint32_t *places, size_t stride);

/*
 * Reserve room for an access, or for dropping a line. `places`: place of each line, [line x stride bytes], changed by
 * renumbering. GPC_ERROR_MEMORY: no change.
 */
gpc_status gpci_stack_reserve(gpci_stack *stack, uint32_t *places, size_t stride);
/* Move a line to the top. `*place` is the line's place, and receives the new place. Returns the old depth, 0 = top. */
uint64_t gpci_stack_touch(gpci_stack *stack, uint32_t line, uint32_t *place);
/* Drop a line; `*place` becomes GPCI_STACK_NOWHERE. */
void gpci_stack_drop(gpci_stack *stack, uint32_t *place);

#endif
