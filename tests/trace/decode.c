/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "trace/binary/binary_decode.h"
#include "trace/blocks/builder.h"

#include <criterion/criterion.h>

/* Blocks of a .gct whose checksum is right, but which name shapes that cannot be. */

/* A block of one warp with one load: of 32 lanes as `code` says, the first at 0. */
static gpc_status decode(const gpci_shape *shapes, uint32_t count, uint8_t code, uint64_t *last) {
    const uint8_t bytes[] = {1 << 1 | 1, 1 << 2, code,
                             0}; /* a control of a byte: one instruction; then its addresses */
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    gpci_opcodes *opcodes = gpci_opcodes_create(context);
    gpci_block *block = gpci_block_create(context);
    gpc_instruction load = {.opcode = gpci_opcodes_intern(opcodes, "LDG.E", 5), .mask = UINT32_MAX, .kind = GPC_LOAD};
    gpci_stream stream = {
        .shape = GPCI_NO_SHAPE,
        .learned = {.shape = GPCI_NO_SHAPE, .from = UINT32_MAX, .dx_from = UINT32_MAX, .dy_from = UINT32_MAX}};
    uint32_t next[] = {0, 1};
    gpci_block_entry entry = {.length = sizeof bytes, .instructions = 1};
    gpci_decoder d = {.context = context,
                      .opcodes = opcodes,
                      .kernel = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .warp_lanes = 32},
                      .statics = &load,
                      .static_count = 1,
                      .streams = &stream,
                      .next_addressed = next,
                      .shapes = (gpci_shape *)shapes,
                      .shape_count = count,
                      .blocks = &entry,
                      .block_count = 1};
    uint64_t at;
    const char *what;
    const gpc_status status = gpci_decoder_block(&d, 0, bytes, sizeof bytes, block, &at, &what);
    if (status == GPC_OK)
        *last = gpci_block_view(block)->warps[0].instructions[0].addresses[31];
    gpci_free(context, stream.history);
    gpci_block_destroy(block);
    gpci_opcodes_destroy(opcodes);
    gpc_context_destroy(context);
    return status;
}

Test(decode, shapes_that_cannot_be) {
    uint64_t offsets[32] = {0}, last = 0;
    offsets[31] = 77;
    gpci_shape shapes[] = {{.stride = 4}, {32, 0, offsets}, {31, 0, offsets}};
    cr_expect_eq(decode(shapes, 3, 0 << 2 | GPCI_CODE_SHAPE, &last), GPC_OK);
    cr_expect_eq(last, 31 * 4);
    cr_expect_eq(decode(shapes, 3, 1 << 2 | GPCI_CODE_SHAPE, &last), GPC_OK);
    cr_expect_eq(last, 77);
    cr_expect_eq(decode(shapes, 3, 2 << 2 | GPCI_CODE_SHAPE, &last), GPC_ERROR_FORMAT, "of 31 lanes");
    cr_expect_eq(decode(shapes, 3, 3 << 2 | GPCI_CODE_SHAPE, &last), GPC_ERROR_FORMAT, "there are three");
    cr_expect_eq(decode(shapes, 3, GPCI_CODE_MOVED, &last), GPC_ERROR_FORMAT, "there was none before");
}
