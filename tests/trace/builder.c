/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/blocks/builder.h"

#include <criterion/criterion.h>

/* Blocks under construction. */

typedef struct bench {
    gpc_context *context;
    gpci_opcodes *opcodes;
    gpci_block *block;
    uint32_t load, move, end;
} bench;

static void open_bench(bench *b) {
    cr_assert_eq(gpc_context_create(NULL, &b->context, NULL), GPC_OK);
    b->opcodes = gpci_opcodes_create(b->context);
    b->block = gpci_block_create(b->context);
    b->load = gpci_opcodes_intern(b->opcodes, "LDG.E.64", 8);
    b->move = gpci_opcodes_intern(b->opcodes, "MOV", 3);
    b->end = gpci_opcodes_intern(b->opcodes, "EXIT", 4);
}

static void close_bench(bench *b) {
    gpci_block_destroy(b->block);
    gpci_block_destroy(NULL);
    gpci_opcodes_destroy(b->opcodes);
    gpc_context_destroy(b->context);
}

Test(builder, instruction_is_what_its_opcode_says) {
    bench b;
    open_bench(&b);
    cr_assert_eq(gpci_block_start(b.block, 1, 2, 3, 77, 1), GPC_OK);
    cr_assert_eq(gpci_block_warp(b.block, 0), GPC_OK);
    uint64_t *addresses = NULL;
    gpc_instruction *i = gpci_block_add(b.block, b.opcodes, b.load, 0x40, 0xf, true, &addresses);
    cr_assert(i->pc == 0x40 && i->mask == 0xf && i->opcode == b.load && i->width == 8 && i->kind == GPC_LOAD);
    cr_assert(i->space == GPC_SPACE_GLOBAL && i->op_class == GPC_OP_MEMORY && i->line == 0 && i->sources == 0);
    cr_assert_eq(i->addresses, addresses);
    i = gpci_block_add(b.block, b.opcodes, b.move, 0x50, 0xf, false, &addresses);
    cr_assert(i->op_class == GPC_OP_ALU && !i->addresses && !addresses);
    i = gpci_block_add(b.block, b.opcodes, b.load, 0x60, 0, true, &addresses);
    cr_assert(!i->addresses && !addresses, "no lane, no address");
    cr_assert_not_null(gpci_block_add(b.block, b.opcodes, b.end, 0x70, 1, false, NULL));
    cr_assert_eq(gpci_block_finish(b.block, b.opcodes), GPC_OK);
    const gpc_block *view = gpci_block_view(b.block);
    cr_assert_eq(gpci_block_of(view), b.block);
    cr_assert(view->x == 1 && view->y == 2 && view->z == 3 && view->index == 77 && view->warp_count == 1);
    cr_assert_eq(view->instruction_count, 4, "it had its EXIT");
    close_bench(&b);
}

Test(builder, warps_once_and_in_range) {
    bench b;
    open_bench(&b);
    cr_assert_eq(gpci_block_start(b.block, 0, 0, 0, 0, 3), GPC_OK);
    cr_assert_eq(gpci_block_warp(b.block, 3), GPC_ERROR_FORMAT);
    cr_assert_eq(gpci_block_warp(b.block, 2), GPC_OK);
    cr_assert_eq(gpci_block_warp(b.block, 2), GPC_ERROR_FORMAT);
    cr_assert_eq(gpci_block_warp(b.block, 0), GPC_OK);
    cr_assert_eq(gpci_block_warp(b.block, 2), GPC_ERROR_FORMAT);
    cr_assert_eq(gpci_block_finish(b.block, b.opcodes), GPC_OK);
    const gpc_block *view = gpci_block_view(b.block);
    for (uint32_t w = 0; w < 3; w++) {
        cr_assert_eq(view->warps[w].warp, w);
        cr_assert_eq(view->warps[w].count, 1);
        cr_assert_eq(view->warps[w].instructions[0].opcode, b.end);
        cr_assert_eq(view->warps[w].instructions[0].mask, 0);
    }
    /* Reused, without leftovers. */
    cr_assert_eq(gpci_block_start(b.block, 0, 0, 0, 1, 40), GPC_OK);
    cr_assert_eq(gpci_block_warp(b.block, 2), GPC_OK);
    cr_assert_eq(gpci_block_finish(b.block, b.opcodes), GPC_OK);
    cr_assert_eq(gpci_block_view(b.block)->instruction_count, 40);
    close_bench(&b);
}

/* Growing moves instructions but not addresses; written values stay to the end, block after block. */
Test(builder, growth) {
    bench b;
    open_bench(&b);
    for (uint32_t round = 1; round <= 3; round++) {
        cr_assert_eq(gpci_block_start(b.block, 0, 0, 0, 0, 2), GPC_OK);
        for (uint32_t w = 2; w-- > 0;) {
            cr_assert_eq(gpci_block_warp(b.block, w), GPC_OK);
            for (uint64_t n = 0; n < 20000 * round; n++) {
                uint64_t *addresses, mask = (UINT64_C(1) << n % 33) - 1;
                cr_assert_not_null(gpci_block_add(b.block, b.opcodes, b.load, n, mask, true, &addresses));
                for (uint64_t lane = 0; lane < n % 33; lane++)
                    addresses[lane] = n * 64 + lane + w + round;
            }
        }
        cr_assert_eq(gpci_block_finish(b.block, b.opcodes), GPC_OK);
        const gpc_block *view = gpci_block_view(b.block);
        for (uint32_t w = 0; w < 2; w++) {
            cr_assert_eq(view->warps[w].count, 20000 * round + 1);
            for (uint64_t n = 0; n < 20000 * round; n++) {
                const gpc_instruction *i = &view->warps[w].instructions[n];
                cr_assert_eq(i->pc, n);
                for (uint64_t lane = 0; lane < n % 33; lane++)
                    cr_assert_eq(i->addresses[lane], n * 64 + lane + w + round);
            }
        }
    }
    close_bench(&b);
}
