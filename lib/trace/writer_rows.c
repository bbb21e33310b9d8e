/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/rows.h"
#include "trace/sources.h"
#include "trace/writer.h"

/* Instructions for gpc_trace_writer, in any order of their blocks. They are kept until the kernel ends. */

struct gpci_held_rows {
    gpc_context *context;
    gpc_trace *from; /* trace with the opcodes */
    gpci_block *block;
    gpci_rows rows;
};

void gpci_held_rows_destroy(gpci_held_rows *held) {
    if (!held)
        return;
    gpc_context *context = held->context;
    gpci_rows_destroy(&held->rows);
    gpci_block_destroy(held->block);
    gpc_trace_close(held->from);
    gpci_free(context, held);
}

static gpc_status make(gpc_context *context, gpc_error *error, gpci_held_rows **out) {
    gpci_held_rows *held = gpci_zalloc(context, 1, sizeof *held);
    if (!held)
        return gpci_out_of_memory(error);
    held->context = held->rows.context = context;
    held->block = gpci_block_create(context);
    gpc_status status = held->block ? gpci_trace_of_opcodes(context, error, &held->from) : gpci_out_of_memory(error);
    if (status < 0)
        gpci_held_rows_destroy(held);
    else
        *out = held;
    return status;
}

#define ENTRY(array, n, otherwise) ((array) ? (array)[n] : (otherwise))

static uint64_t all_of(const gpc_trace_accesses *accesses) {
    return accesses->lanes < 64 ? (UINT64_C(1) << accesses->lanes) - 1 : UINT64_MAX;
}

static uint32_t width_of(const gpc_trace_accesses *accesses, size_t n) {
    return ENTRY(accesses->widths, n, accesses->width ? accesses->width : 4);
}

/* Description of the fault in entry `n`. NULL: no fault. */
static const char *check(const gpc_kernel *kernel, const gpc_trace_accesses *accesses, size_t n) {
    const uint32_t width = width_of(accesses, n);
    const uint8_t kind = ENTRY(accesses->kinds, n, GPC_LOAD);
    if (ENTRY(accesses->blocks, n, 0) >= kernel->block_count)
        return "blocks: a thread block of the grid";
    if (ENTRY(accesses->warps, n, 0) >= gpci_kernel_warps(kernel))
        return "warps: a warp of the block";
    if (ENTRY(accesses->masks, n, all_of(accesses)) & ~all_of(accesses))
        return "masks: lanes that `addresses` has";
    if (!gpci_power_of_two(width) || width > 16)
        return "widths: 1, 2, 4, 8 or 16 bytes";
    return kind != GPC_LOAD && kind != GPC_STORE && kind != GPC_ATOMIC && kind != GPC_REDUCTION
               ? "kinds: a load, store, atomic or reduction"
               : NULL;
}

static gpc_status take(gpci_held_rows *held, const gpc_trace_accesses *accesses, size_t n, gpc_error *error) {
    gpci_row row = {.block = ENTRY(accesses->blocks, n, 0),
                    .warp = ENTRY(accesses->warps, n, 0),
                    .pc = ENTRY(accesses->pcs, n, 0),
                    .mask = ENTRY(accesses->masks, n, all_of(accesses)),
                    .first = held->rows.address_count,
                    .sm = UINT32_MAX};
    row.opcode = gpci_rows_opcode(gpci_trace_own_opcodes(held->from), (gpc_kind)ENTRY(accesses->kinds, n, GPC_LOAD),
                                  false, width_of(accesses, n));
    gpc_status status = row.opcode == UINT32_MAX ? gpci_out_of_memory(error) : GPC_OK;
    for (uint64_t rest = row.mask; rest && status == GPC_OK; rest &= rest - 1)
        status =
            gpci_rows_add_address(&held->rows, accesses->addresses[n * accesses->lanes + gpci_lowest(rest)], error);
    return status == GPC_OK ? gpci_rows_add(&held->rows, &row, error) : status;
}

gpc_status gpci_held_rows_take(gpci_held_rows **held, gpc_context *context, const gpc_kernel *kernel,
                               const gpc_trace_accesses *accesses, gpc_error *error) {
    gpc_trace_accesses trace_accesses = GPC_TRACE_ACCESSES_INIT;
    gpc_status status =
        gpci_take(&trace_accesses, sizeof trace_accesses, sizeof trace_accesses, accesses, "gpc_trace_accesses", error);
    if (status == GPC_OK && (!trace_accesses.lanes || trace_accesses.lanes > kernel->warp_lanes ||
                             (trace_accesses.count && !trace_accesses.addresses)))
        status = gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_trace_accesses: expected addresses of 1 to %u lanes",
                           kernel->warp_lanes);
    for (size_t n = 0; n < trace_accesses.count && status == GPC_OK; n++) {
        const char *wrong = check(kernel, &trace_accesses, n);
        if (wrong)
            status = gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_trace_accesses: entry %zu: expected in %s", n, wrong);
    }
    if (status == GPC_OK && !*held)
        status = make(context, error, held);
    for (size_t n = 0; n < trace_accesses.count && status == GPC_OK; n++)
        status = take(*held, &trace_accesses, n, error);
    return status;
}

gpc_status gpci_held_rows_write(gpci_held_rows *held, gpc_trace_writer *writer, const gpc_kernel *kernel,
                                gpc_error *error) {
    if (!held)
        return GPC_OK;
    gpc_status status = GPC_OK;
    gpci_rows_sort(&held->rows);
    for (size_t next = 0; next < held->rows.count && status == GPC_OK;) {
        status = gpci_rows_block(&held->rows, &next, kernel, gpci_trace_own_opcodes(held->from), held->block, error);
        if (status == GPC_OK)
            status = gpc_trace_writer_block(writer, held->from, gpci_block_view(held->block), error);
    }
    gpci_rows_clear(&held->rows);
    return status;
}
