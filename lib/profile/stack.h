/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_PROFILE_STACK_H
#define GPC_PROFILE_STACK_H

#include "base/base.h"

/*
 * An LRU stack of numbered lines, in which a line's depth is found in O(log n)
 * (Bennett and Kruskal 1975; Olken 1981): one place per access, in order of time, a
 * bit for places that are some line's last, and a Fenwick tree over words of bits.
 * Places that are used up are numbered anew, in order.
 *
 * A line that is dropped leaves a hole, for in every cache that held it a way is now
 * free: the next access of a line from further down, or of a new one, fills the
 * newest hole instead of pushing all lines down; where it came from is then the hole.
 *
 * Example, most recent first: A B C D. Dropping B: A . C D. An access of D: it was at
 * depth 3; a cache of two lines had a way free, and so has A now beside D: D A C .
 */

#define GPCI_STACK_NOWHERE UINT32_MAX /* place of a line that is not in the stack */
#define GPCI_STACK_FIRST UINT64_MAX   /* distance of a line that was not */

typedef struct gpci_stack {
    gpc_context *context;
    uint64_t *bits;   /* [words], places in use */
    uint32_t *sums;   /* [words + 1], Fenwick tree of how many there are per word; from 1 */
    uint32_t *owners; /* [words x 64], line of a place in use, or GPCI_STACK_NOWHERE: a hole */
    uint32_t *holes;  /* [hole_capacity], max-heap of places */
    uint32_t words;   /* a power of two */
    uint32_t next;    /* the place of the next access */
    uint32_t used;    /* places in use */
    uint32_t hole_count;
    size_t hole_capacity;
} gpci_stack;

void gpci_stack_clear(gpci_stack *stack);
/* Forget all lines, keep the memory. `places` as below; they become GPCI_STACK_NOWHERE. */
void gpci_stack_empty(gpci_stack *stack, uint32_t *places, size_t stride);

/*
 * Room for one access, or for dropping one line. `places`: where each line's place
 * is kept, [line x stride bytes]; they are renumbered. GPC_ERROR_MEMORY: nothing changed.
 */
gpc_status gpci_stack_room(gpci_stack *stack, uint32_t *places, size_t stride);
/* An access: to the top. `*place` is that of the line, and receives the new one. Returns its depth, 0 the top. */
uint64_t gpci_stack_touch(gpci_stack *stack, uint32_t line, uint32_t *place);
/* The line is dropped; `*place` becomes GPCI_STACK_NOWHERE. */
void gpci_stack_drop(gpci_stack *stack, uint32_t *place);

#endif
