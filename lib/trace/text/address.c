/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/blocks/operands.h"
#include "trace/files/fields.h"
#include "trace/text/line.h"

#include <string.h>

#define PIECE_BYTES 128u
#define MOST_BULK_BYTES (1u << 20)
#define WARP_LANES 32u

/*
 * Space of a shared-memory offset: the block's own shared memory, or that of another block of the cluster. Bits from 24
 * on of the offset within the window are the rank in the cluster (result of PTX's mapa).
 */
static gpc_space shared_of(const gpci_line_parser *parser, uint64_t offset) {
    return !parser->clusters || offset >> 24 == parser->rank ? GPC_SPACE_SHARED : GPC_SPACE_CLUSTER;
}

/*
 * Space of a generic access. If one lane is in another block's shared memory, all lanes go over the network between
 * SMs.
 */
static gpc_space space_of(const gpci_line_parser *parser, const uint64_t *addresses, unsigned lanes) {
    gpc_space space = gpci_windows_space(&parser->windows, addresses, lanes);
    for (unsigned i = 0; i < lanes && space == GPC_SPACE_SHARED; i++)
        if (shared_of(parser, addresses[i] - parser->windows.shared) == GPC_SPACE_CLUSTER)
            return GPC_SPACE_CLUSTER;
    return space;
}

static const char *parse_list(gpci_line_parser *parser, const char *at, uint64_t *addresses, unsigned lanes) {
    for (unsigned i = 0; i < lanes; i++)
        if (!(at = gpci_field_hex(at, &addresses[i])))
            return gpci_line_fail(parser, "one hexadecimal address per active lane");
    return at;
}

static const char *parse_stride(gpci_line_parser *parser, const char *at, uint64_t *addresses, unsigned lanes) {
    uint64_t base, stride;
    if (!(at = gpci_field_hex(at, &base)))
        return gpci_line_fail(parser, "a hexadecimal base address");
    if (!(at = gpci_field_signed(at, &stride)))
        return gpci_line_fail(parser, "a decimal stride");
    for (unsigned i = 0; i < lanes; i++)
        addresses[i] = base + stride * i;
    return at;
}

static const char *parse_deltas(gpci_line_parser *parser, const char *at, uint64_t *addresses, unsigned lanes) {
    uint64_t address, delta;
    if (!(at = gpci_field_hex(at, &address)))
        return gpci_line_fail(parser, "a hexadecimal base address");
    for (unsigned i = 0; i < lanes; i++) {
        if (i && !(at = gpci_field_signed(at, &delta)))
            return gpci_line_fail(parser, "one decimal difference per further active lane");
        address += i ? delta : 0;
        addresses[i] = address;
    }
    return at;
}

const char *gpci_line_addresses(gpci_line_parser *parser, gpci_block *block, gpc_instruction *instruction,
                                const char *at) {
    unsigned lanes = gpci_popcount(instruction->mask);
    /* room for at least one address, so that a chunk exists; the instruction must not move */
    if (!gpci_block_reserve(block, 0, lanes ? lanes : 1))
        return gpci_line_fail(parser, NULL);
    uint64_t *addresses = block->current->addresses + block->used, mode;
    if (!(at = gpci_field_decimal(at, 2, &mode)))
        return gpci_line_fail(parser, "the address mode: 0, 1 or 2");
    at = mode == 1   ? parse_stride(parser, at, addresses, lanes)
         : mode == 2 ? parse_deltas(parser, at, addresses, lanes)
                     : parse_list(parser, at, addresses, lanes);
    if (!at || !lanes)
        return at;
    block->used += lanes;
    instruction->addresses = addresses;
    if (instruction->space == GPC_SPACE_GENERIC)
        instruction->space = (uint8_t)space_of(parser, addresses, lanes);
    return at;
}

/*
 * Pieces of a bulk copy. A copy can have more pieces than a warp has lanes. The pieces become instructions of up to 32
 * lanes; a lane has a piece of up to 128 bytes. The copy's accesses then have the form of any other instruction.
 */
typedef struct pieces {
    gpci_block *block;
    const gpc_instruction *model;
    gpc_instruction *open; /* last instruction, while a lane is free */
    uint64_t *addresses;
} pieces;

static bool add_piece(pieces *split, uint64_t address, unsigned width) {
    if (!split->open || split->open->width != width || split->open->mask == UINT32_MAX) {
        if (!gpci_block_reserve(split->block, 1, WARP_LANES))
            return false;
        split->addresses = gpci_block_take(split->block, WARP_LANES);
        split->open = &split->block->instructions[split->block->count++];
        *split->open = *split->model;
        split->open->mask = 0;
        split->open->width = (uint8_t)width;
        split->open->addresses = split->addresses;
    }
    split->addresses[gpci_popcount(split->open->mask)] = address;
    split->open->mask = split->open->mask << 1 | 1;
    return true;
}

/* Fields before the addresses of a bulk copy: mbar multicast [ctamask] bytes oob_bytes mode. */
typedef struct bulk_front {
    uint64_t barrier, mask, outside, mode; /* mask of blocks; 0: no multicast copy */
} bulk_front;

#define MOST_BLOCKS 0xffffu /* blocks of a cluster, a bit each */

static const char *parse_bulk_front(gpci_line_parser *parser, const char *at, bulk_front *front) {
    uint64_t bytes, multicast;
    *front = (bulk_front){0};
    if (!(at = gpci_field_hex(at, &front->barrier)))
        return gpci_line_fail(parser, "the hexadecimal address of a barrier");
    if (!(at = gpci_field_decimal(at, 1, &multicast)))
        return gpci_line_fail(parser, "0 or 1: whether the copy is multicast");
    if (multicast && (!(at = gpci_field_hex(at, &front->mask)) || front->mask > MOST_BLOCKS))
        return gpci_line_fail(parser, "the hexadecimal mask of the blocks, of at most 16, of a multicast copy");
    if (!(at = gpci_field_decimal(at, UINT64_MAX, &bytes)) ||
        !(at = gpci_field_decimal(at, MOST_BULK_BYTES, &front->outside)))
        return gpci_line_fail(parser, "the bytes of the copy, in and out of bounds, the latter at most 1 MiB");
    if (!(at = gpci_field_decimal(at, 4, &front->mode)) || front->mode < 3)
        return gpci_line_fail(parser, "the address mode of a bulk copy: 3 or 4");
    return at;
}

/* Add the barrier and the target blocks as operands. If operands are too few, other sources are dropped. */
static void name_targets(gpc_instruction *model, const bulk_front *front) {
    if (model->kind != GPC_LOAD)
        return;
    const bool numbers = front->mask || front->outside;
    const unsigned room = GPC_MAX_OPERANDS - model->destinations - (numbers ? 5 : 1);
    model->sources = model->sources < room ? model->sources : (uint8_t)room;
    gpci_line_barrier(model, front->barrier);
    if (numbers)
        gpci_mark_barrier(model, (uint32_t)front->mask);
}

const char *gpci_line_bulk(gpci_line_parser *parser, gpci_block *block, const gpci_line *line, const char *at) {
    uint64_t address = 0, count, change, width = line->memory_width;
    bulk_front front;
    if (!(at = parse_bulk_front(parser, at, &front)))
        return NULL;
    const uint64_t mode = front.mode;
    gpc_instruction model = line->instruction;
    name_targets(&model, &front);
    if (mode == 4 && !(at = gpci_field_hex(at, &address)))
        return gpci_line_fail(parser, "a hexadecimal base address");
    uint64_t most = width ? MOST_BULK_BYTES / width : 0;
    if (!(at = gpci_field_decimal(at, most, &count)))
        return gpci_line_fail(parser, "the number of addresses, of at most 1 MiB in all");
    pieces split = {block, &model, NULL, NULL};
    for (uint64_t i = 0; i < count; i++) {
        if (mode == 3 && !(at = gpci_field_hex(at, &address)))
            return gpci_line_fail(parser, "as many hexadecimal addresses as announced");
        if (mode == 4 && i && !(at = gpci_field_signed(at, &change)))
            return gpci_line_fail(parser, "as many decimal differences as announced");
        address += mode == 4 && i ? change : 0;
        for (uint64_t done = 0; line->instruction.mask && done < width; done += PIECE_BYTES) {
            unsigned bytes = width - done < PIECE_BYTES ? (unsigned)(width - done) : PIECE_BYTES;
            if (!add_piece(&split, address + done, bytes))
                return gpci_line_fail(parser, NULL);
        }
    }
    if (!split.open) {
        if (!gpci_block_reserve(block, 1, 0))
            return gpci_line_fail(parser, NULL);
        block->instructions[block->count++] = model;
    }
    if (front.outside && model.kind == GPC_LOAD)
        gpci_mark_barrier(&block->instructions[block->count - 1], (uint32_t)front.outside);
    return at;
}

/* Read the values of a register into `told`: one value for all lanes, or one for each lane. */
static const char *parse_values(gpci_line_parser *parser, const char *at) {
    uint64_t count;
    if (!(at = gpci_field_decimal(at, WARP_LANES, &count)) || (count != 1 && count != WARP_LANES))
        return gpci_line_fail(parser, "1 or 32, the number of a register's values");
    parser->told_count = (uint32_t)count;
    for (uint32_t n = 0; n < count; n++)
        if (!(at = gpci_field_hex(at, &parser->told[n])))
            return gpci_line_fail(parser, "a hexadecimal value of a register");
    return at;
}

const char *gpci_line_end(gpci_line_parser *parser, unsigned registers, const char *at) {
    unsigned immediates = parser->version >= 6 ? 2 : 1;
    uint64_t value;
    const unsigned all = immediates;
    parser->immediate = 0;
    parser->told_count = 0;
    for (at = gpci_skip_blanks(at); immediates && (*at == '-' || (*at >= '0' && *at <= '9')); immediates--) {
        at = *at == '-' ? gpci_field_signed(at, &value) : gpci_field_decimal(at, UINT64_MAX, &value);
        if (!at)
            return gpci_line_fail(parser, "a decimal immediate");
        parser->immediate = immediates == all ? value : parser->immediate;
        at = gpci_skip_blanks(at);
    }
    if (parser->version >= 6 && !strncmp(at, "NoVal", 5)) {
        at += 5;
    } else if (parser->version >= 6 && !strncmp(at, "Val", 3)) {
        at += 3;
        while (registers--)
            if (!(at = parse_values(parser, at)))
                return NULL;
    }
    at = gpci_skip_blanks(at);
    return *at == '\n' ? at : gpci_line_fail(parser, "the end of the line");
}
