/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/rows.h"

#include "base/array.h"
#include "trace/sources.h"

#include <stdio.h>
#include <string.h>

/* Rows: storage, sorting, and conversion to thread blocks. */

void gpci_rows_clear(gpci_rows *rows) {
    rows->count = rows->address_count = 0;
    rows->blocks = rows->warps = 0;
    rows->has_sm = false;
}

static bool before(const gpci_row *left, const gpci_row *right) {
    if (left->block != right->block)
        return left->block < right->block;
    if (left->warp != right->warp)
        return left->warp < right->warp;
    return left->cycle != right->cycle ? left->cycle < right->cycle : left->number < right->number;
}

static void exchange(gpci_row *left, gpci_row *right) {
    gpci_row row = *left;
    *left = *right;
    *right = row;
}

static void sink(gpci_row *rows, size_t at, size_t count) {
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && before(&rows[child], &rows[child + 1]))
            child++;
        if (!before(&rows[at], &rows[child]))
            return;
        exchange(&rows[at], &rows[child]);
    }
}

/* Heap sort: it needs no further memory, and takes about n log n steps for any order of the rows. */
void gpci_rows_sort(gpci_rows *rows) {
    bool sorted = true;
    for (size_t i = 1; i < rows->count && sorted; i++)
        sorted = before(&rows->items[i - 1], &rows->items[i]);
    if (sorted)
        return;
    for (size_t i = rows->count / 2; i-- > 0;)
        sink(rows->items, i, rows->count);
    for (size_t i = rows->count; i-- > 1;) {
        exchange(&rows->items[0], &rows->items[i]);
        sink(rows->items, 0, i);
    }
}

void gpci_rows_destroy(gpci_rows *rows) {
    gpci_free(rows->context, rows->items);
    gpci_free(rows->context, rows->addresses);
}

gpc_status gpci_rows_add_address(gpci_rows *rows, uint64_t address, gpc_error *error) {
    if (!GPCI_ARRAY_RESERVE(rows->context, rows->addresses, rows->address_capacity, rows->address_count, 1))
        return gpci_out_of_memory(error);
    rows->addresses[rows->address_count++] = address;
    return GPC_OK;
}

gpc_status gpci_rows_add(gpci_rows *rows, const gpci_row *row, gpc_error *error) {
    if (!GPCI_ARRAY_RESERVE(rows->context, rows->items, rows->capacity, rows->count, 1))
        return gpci_out_of_memory(error);
    gpci_row *own = &rows->items[rows->count];
    *own = *row;
    own->number = rows->count++;
    rows->blocks = row->block >= rows->blocks ? row->block + 1 : rows->blocks;
    rows->warps = row->warp >= rows->warps ? row->warp + 1 : rows->warps;
    rows->has_sm |= row->sm != UINT32_MAX;
    return GPC_OK;
}

uint32_t gpci_rows_opcode(gpci_opcodes *opcodes, gpc_kind kind, bool local, uint64_t width) {
    static const char *const widths[] = {".U8", ".U16", "", ".64", ".128"};
    const char *name = kind == GPC_LOAD     ? (local ? "LDL" : "LDG.E")
                       : kind == GPC_STORE  ? (local ? "STL" : "STG.E")
                       : kind == GPC_ATOMIC ? "ATOMG.E.ADD"
                                            : "REDG.E.ADD";
    char text[32];
    int length = snprintf(text, sizeof text, "%s%s", name, widths[gpci_log2(width)]);
    return gpci_opcodes_intern(opcodes, text, (size_t)length);
}

static gpc_status add_warp(const gpci_rows *rows, gpci_opcodes *opcodes, gpci_block *block, size_t first, size_t end,
                           gpc_error *error) {
    if (gpci_block_warp(block, (uint32_t)rows->items[first].warp) < 0)
        return gpci_out_of_memory(error);
    for (size_t i = first; i < end; i++) {
        const gpci_row *row = &rows->items[i];
        uint64_t *addresses;
        const bool memory =
            row->first != GPCI_NO_ADDRESSES && gpci_opcodes_at(opcodes, row->opcode)->op_class == GPC_OP_MEMORY;
        gpc_instruction *made = gpci_block_add(block, opcodes, row->opcode, row->pc, row->mask, memory, &addresses);
        if (!made)
            return gpci_out_of_memory(error);
        made->width = row->width ? row->width : made->width;
        if (made->space == GPC_SPACE_GENERIC && memory) /* the shared and local windows are unknown */
            made->space = GPC_SPACE_GLOBAL;
        if (rows->made)
            rows->made(rows->data, row, made);
        if (addresses)
            memcpy(addresses, rows->addresses + row->first, gpci_popcount(row->mask) * sizeof *addresses);
    }
    return GPC_OK;
}

gpc_status gpci_rows_block(const gpci_rows *rows, size_t *next, const gpc_kernel *kernel, gpci_opcodes *opcodes,
                           gpci_block *block, gpc_error *error) {
    const gpci_row *items = rows->items;
    if (*next >= rows->count)
        return GPC_END;
    const uint32_t index = (uint32_t)items[*next].block, x = index % kernel->grid[0], rest = index / kernel->grid[0];
    if (gpci_block_start(block, x, rest % kernel->grid[1], rest / kernel->grid[1], index, gpci_kernel_warps(kernel)) <
        0)
        return gpci_out_of_memory(error);
    while (*next < rows->count && items[*next].block == index) {
        size_t first = *next, end = first + 1;
        while (end < rows->count && items[end].block == index && items[end].warp == items[first].warp)
            end++;
        gpc_status status = add_warp(rows, opcodes, block, first, end, error);
        if (status < 0)
            return status;
        *next = end;
    }
    return gpci_block_finish(block, opcodes) < 0 ? gpci_out_of_memory(error) : GPC_OK;
}
