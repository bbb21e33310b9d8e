/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TESTS_COHERENCE_SMALL_H
#define GPC_TESTS_COHERENCE_SMALL_H

#include <criterion/criterion.h>

#include "coherence/module/tree.h"

#define SMALL_MODULES 80u
#define SMALL_LOWS 8u

/* Options changed by a test before making the tree. */
typedef struct small {
    gpc_context *context;
    gpc_coherence_module modules[SMALL_MODULES];
    uint32_t lows[SMALL_MODULES][SMALL_LOWS];
    char names[SMALL_MODULES][8];
    gpc_coherence_network networks[4];
    gpc_coherence_options options;
    gpc_error error;
    gpc_coherence *tree;
} small;

/*
 * l1-0 and l1-1 (modules 0 and 1: 4 sets x 2 ways, blocks of 64) over l2 (2: 8 x 4, 128) over mm (3: 16 x 4, 256), by
 * networks "up" and "down".
 */
small *small_open(void);
/* Only the context: `count` modules without low ones, blocks of 64, named m0, m1 ... */
small *small_open_bare(uint32_t count);
/* Put `low` below `module`, on network 0. */
void small_link(small *s, uint32_t module, uint32_t low);
gpc_status small_create(small *s);
/* Create; must succeed. */
gpc_coherence *small_tree(small *s);
/* An access of one byte; must succeed: the value read. */
uint8_t small_access(gpc_coherence *c, uint32_t module, uint32_t kind, uint64_t address, uint8_t value);
void small_close(small *s);

#endif
