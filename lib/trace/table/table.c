/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/table/line_table.h"

#include "trace/blocks/notes.h"
#include "trace/blocks/trace_block.h"
#include "trace/files/paths.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Kernels of a table. A kernel's rows are read up to the next kernel's first row, sorted, and built into blocks. */

#define OTHER_OUTPUT "output of the program" /* note of lines between mem_trace's */

#define SHARED_BYTES (UINT64_C(16) << 20)

static gpci_table *of(gpci_source *source) {
    return (gpci_table *)source;
}

static gpc_status expected(const gpci_table *table, gpc_error *error, const char *what) {
    return gpci_lines_expected(&table->lines, error, what);
}

static uint32_t opcode_of(gpci_table *table, gpci_span kind, uint64_t width) {
    static const struct {
        const char *text;
        gpc_kind kind;
        bool local;
    } kinds[] = {{"load", GPC_LOAD, false},           {"store", GPC_STORE, false},    {"atomic", GPC_ATOMIC, false},
                 {"reduction", GPC_REDUCTION, false}, {"local-load", GPC_LOAD, true}, {"local-store", GPC_STORE, true}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (gpci_span_is(kind, kinds[i].text))
            return gpci_rows_opcode(table->base.opcodes, kinds[i].kind, kinds[i].local, width);
    return UINT32_MAX - 1;
}

static bool number(const gpci_table *table, gpci_column column, uint64_t initial, uint64_t most, uint64_t *value) {
    *value = initial;
    const gpci_span field = table->fields[column];
    return field.at == field.end || gpci_span_number(field, most, value);
}

static bool separates(char c) {
    return c == ' ' || c == '\t' || c == ';' || c == '|' || c == ',' || c == '"';
}

/*
 * Read the addresses of a row, one for each bit of its mask. NVBit has an address for each lane, from which the mask
 * follows.
 */
static gpc_status take_addresses(gpci_table *table, gpci_row *row, gpc_error *error) {
    gpci_rows *rows = &table->into->rows;
    const char *at = table->fields[GPCI_COLUMN_ADDRESS].at, *end = table->fields[GPCI_COLUMN_ADDRESS].end;
    const bool by_lane = table->form == &gpci_form_nvbit;
    row->first = rows->address_count;
    for (unsigned lane = 0;; lane++) {
        while (at < end && separates(*at))
            at++;
        if (at == end)
            break;
        gpci_span one = {at, at};
        while (one.end < end && !separates(*one.end))
            one.end++;
        uint64_t address;
        if (lane == (by_lane ? 32 : 64) || !gpci_span_number(one, UINT64_MAX, &address))
            return expected(table, error,
                            by_lane ? "addresses, decimal or 0x, of 32 lanes at most"
                                    : "addresses, decimal or 0x, of 64 lanes at most");
        at = one.end;
        if (by_lane && !address)
            continue;
        gpc_status status = gpci_rows_add_address(rows, address, error);
        if (status < 0)
            return status;
        row->mask |= by_lane ? UINT64_C(1) << lane : 0;
    }
    if (rows->address_count - row->first != gpci_popcount(row->mask))
        return expected(table, error, "an address for each lane of the mask");
    return GPC_OK;
}

/* True if a row of one lane belongs to the last row's instruction: equal in all other fields, with a higher lane. */
static bool continues(const gpci_table *table, const gpci_row *row, uint64_t lane) {
    if (!table->into->rows.count || table->lane == UINT32_MAX || lane <= table->lane)
        return false;
    const gpci_row *last = &table->into->rows.items[table->into->rows.count - 1];
    return last->block == row->block && last->warp == row->warp && last->pc == row->pc && last->opcode == row->opcode &&
           last->cycle == row->cycle && last->sm == row->sm;
}

static gpc_status add(gpci_table *table, gpci_row *row, gpc_error *error) {
    gpci_rows *rows = &table->into->rows;
    uint64_t lane = 0;
    const bool lanes = table->fields[GPCI_COLUMN_LANE].at != NULL;
    if (!number(table, GPCI_COLUMN_LANE, 0, 63, &lane))
        return expected(table, error, "a lane from 0 to 63");
    if (lanes || (!row->mask && table->form != &gpci_form_nvbit && !table->fields[GPCI_COLUMN_MASK].at))
        row->mask = UINT64_C(1) << lane;
    const uint64_t mask = row->mask;
    gpc_status status = take_addresses(table, row, error);
    if (status < 0)
        return status;
    if (lanes && continues(table, row, lane)) {
        rows->items[rows->count - 1].mask |= mask;
        table->lane = (uint32_t)lane;
        return GPC_OK;
    }
    table->lane = lanes ? (uint32_t)lane : UINT32_MAX;
    return gpci_rows_add(rows, row, error);
}

/* Read the number of the row's block. NVBit writes x,y,z within the launch's grid. False: no block of the grid. */
static bool block_of(const gpci_table *table, uint64_t *block) {
    if (table->form != &gpci_form_nvbit)
        return gpci_span_number(table->fields[GPCI_COLUMN_BLOCK], GPCI_ROWS_BLOCKS - 1, block);
    uint64_t at[3];
    gpci_span span = table->fields[GPCI_COLUMN_BLOCK];
    for (int i = 0; i < 3; i++) {
        const char *comma = i < 2 && span.at < span.end ? memchr(span.at, ',', (size_t)(span.end - span.at)) : span.end;
        if (!comma || !gpci_span_number((gpci_span){span.at, comma}, table->into->kernel.grid[i] - 1, &at[i]))
            return false;
        span.at = comma + 1;
    }
    *block = at[0] + table->into->kernel.grid[0] * (at[1] + table->into->kernel.grid[1] * at[2]);
    return true;
}

/* Kind of a copy, or of an operation on groups of copies (commit, wait), which has no address. */
typedef struct copy_kind {
    const char *text, *opcode;
    uint8_t initial, least, most; /* width: if the row has none; smallest; largest */
    bool sized;                   /* the opcode states the width */
} copy_kind;

static const copy_kind *copy_of(gpci_span kind) {
    static const copy_kind kinds[] = {{"copy", "LDGSTS.E", 4, 4, 16, true},
                                      {"copy-bypass", "LDGSTS.E.BYPASS", 4, 4, 16, true},
                                      {"commit", "LDGDEPBAR", 0, 0, 0, false},
                                      {"wait", "DEPBAR.LE", 0, 0, 255, false},
                                      {"bulk-load", "UBLKCP.S.G", 128, 1, 128, false},
                                      {"bulk-store", "UBLKCP.G.S", 128, 1, 128, false},
                                      {"bulk-reduction", "UBLKRED.G.S.ADD", 128, 1, 128, false}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (gpci_span_is(kind, kinds[i].text))
            return &kinds[i];
    return NULL;
}

static gpc_status take_copy(gpci_table *table, gpci_row *row, const copy_kind *kind, gpc_error *error) {
    uint64_t width;
    char text[32];
    if (!number(table, GPCI_COLUMN_WIDTH, kind->initial, kind->most, &width) || width < kind->least ||
        (kind->sized && !gpci_power_of_two(width)))
        return expected(table, error,
                        kind->sized   ? "a width of 4, 8 or 16 bytes, of an asynchronous copy"
                        : kind->least ? "a width of 1 to 128 bytes, of a row of a bulk copy"
                                      : "a width of 0 to 255 groups of copies, of a wait, or 0, of a commit");
    const int length = snprintf(text, sizeof text, "%s%s", kind->opcode,
                                !kind->sized || width == 4 ? ""
                                : width == 8               ? ".64"
                                                           : ".128");
    row->opcode = gpci_opcodes_intern(table->base.opcodes, text, (size_t)length);
    row->width = kind->sized ? 0 : (uint8_t)width;
    if (row->opcode == UINT32_MAX)
        return gpci_out_of_memory(error);
    if (kind->least)
        return add(table, row, error);
    row->mask = 0;
    table->lane = UINT32_MAX;
    if (take_addresses(table, row, error) < 0)
        return expected(table, error, "no address of a commit or a wait");
    row->mask = 1;
    return gpci_rows_add(&table->into->rows, row, error);
}

/* True if the last row has shared-memory addresses of an LDGSTS, printed by mem_trace. */
static bool is_shared_side(const gpci_table *table) {
    const gpci_row *row = &table->into->rows.items[table->into->rows.count - 1];
    uint64_t all = 0;
    if (gpci_opcodes_at(table->base.opcodes, row->opcode)->copy != GPC_COPY_ASYNC)
        return false;
    for (size_t n = row->first; n < table->into->rows.address_count; n++)
        all |= table->into->rows.addresses[n];
    return all < SHARED_BYTES;
}

static gpc_status add_sass(gpci_table *table, gpci_row *row, gpc_error *error) {
    const gpc_status status = add(table, row, error);
    if (status == GPC_OK && is_shared_side(table))
        table->into->rows.address_count = table->into->rows.items[--table->into->rows.count].first;
    return status;
}

/* Add the present line, already parsed, as a row of the present kernel. */
static gpc_status take_row(gpci_table *table, gpc_error *error) {
    uint64_t width, sm;
    gpci_row row = {.sm = UINT32_MAX};
    const bool sass = table->form == &gpci_form_nvbit;
    static const gpci_column needed[] = {GPCI_COLUMN_BLOCK, GPCI_COLUMN_WARP, GPCI_COLUMN_ADDRESS};
    for (size_t i = 0; i < 3; i++)
        if (!table->fields[needed[i]].at)
            return expected(table, error, "block, warp, kind and address");
    if (!block_of(table, &row.block))
        return expected(table, error, sass ? "a CTA of the grid" : "a block from 0 to 4294967294");
    if (!gpci_span_number(table->fields[GPCI_COLUMN_WARP], GPCI_ROWS_WARPS - 1, &row.warp))
        return expected(table, error, "a warp from 0 to 1023");
    if (!number(table, GPCI_COLUMN_PC, 0, UINT64_MAX, &row.pc) ||
        !number(table, GPCI_COLUMN_CYCLE, 0, UINT64_MAX, &row.cycle) ||
        !number(table, GPCI_COLUMN_MASK, 0, UINT64_MAX, &row.mask))
        return expected(table, error, "pc, cycle and mask, decimal or 0x");
    if (!number(table, GPCI_COLUMN_SM, UINT32_MAX, UINT32_MAX - 1, &sm) && table->fields[GPCI_COLUMN_SM].at)
        return expected(table, error, "the number of an SM");
    row.sm = (uint32_t)sm;
    const copy_kind *copy =
        sass || !table->fields[GPCI_COLUMN_KIND].at ? NULL : copy_of(table->fields[GPCI_COLUMN_KIND]);
    if (copy)
        return take_copy(table, &row, copy, error);
    if (!number(table, GPCI_COLUMN_WIDTH, 4, 16, &width) || !gpci_power_of_two(width))
        return expected(table, error, "a width of 1, 2, 4, 8 or 16 bytes");
    row.opcode = sass ? gpci_opcodes_intern(table->base.opcodes, table->opcode.at,
                                            (size_t)(table->opcode.end - table->opcode.at))
                      : opcode_of(table, table->fields[GPCI_COLUMN_KIND], width);
    if (row.opcode == UINT32_MAX)
        return gpci_out_of_memory(error);
    if (row.opcode == UINT32_MAX - 1)
        return expected(table, error,
                        "a kind: load, store, atomic, reduction, local-load, local-store, copy, copy-bypass, commit, "
                        "wait, bulk-load, "
                        "bulk-store or bulk-reduction");
    if (gpci_opcodes_at(table->base.opcodes, row.opcode)->op_class != GPC_OP_MEMORY)
        return expected(table, error, "the opcode of a memory instruction");
    return sass ? add_sass(table, &row, error) : add(table, &row, error);
}

gpc_status gpci_table_keep(gpci_table *table, char **text, gpci_span from, gpc_error *error) {
    size_t length = from.at ? (size_t)(from.end - from.at) : 0;
    char *copy = gpci_alloc(table->base.context, length + 1);
    if (!copy)
        return gpci_out_of_memory(error);
    if (length)
        memcpy(copy, from.at, length);
    copy[length] = '\0';
    gpci_free(table->base.context, *text);
    *text = copy;
    return GPC_OK;
}

gpc_status gpci_table_line(gpci_table *table, gpci_line_is *line_is, gpc_error *error) {
    for (;;) {
        char *line, *stop;
        gpc_status status = gpci_lines_next_text(&table->lines, &line, &stop, error);
        if (status != GPC_OK)
            return status;
        gpci_notes_line(table->base.opcodes, table->lines.number);
        memset(table->fields, 0, sizeof table->fields);
        *line_is = table->form->read(table, gpci_span_trim((gpci_span){line, stop}));
        if (*line_is == GPCI_LINE_IS_WRONG)
            return expected(table, error, table->expected);
        if (*line_is != GPCI_LINE_IS_NOTHING)
            return GPC_OK;
        if (table->form == &gpci_form_nvbit &&
            !gpci_notes_add(table->base.opcodes, GPC_NOTE_PASSED_OVER, OTHER_OUTPUT, strlen(OTHER_OUTPUT), 0))
            return gpci_out_of_memory(error);
    }
}

/* True if the present row belongs to another kernel. */
static bool changes(const gpci_table *table) {
    const gpci_span key = table->fields[GPCI_COLUMN_KERNEL];
    return table->now.key && key.at ? !gpci_span_is(key, table->now.key) : false;
}

/* Begin the kernel of the present row. */
static gpc_status begin(gpci_table *table, gpc_error *error) {
    static const char unnamed[] = "kernel";
    gpci_table_kernel *now = &table->now;
    const gpci_span key = table->fields[GPCI_COLUMN_KERNEL];
    const uint32_t index = now->kernel.index + (now->key != NULL);
    gpc_status status =
        gpci_table_keep(table, &now->name, key.at ? key : (gpci_span){unnamed, unnamed + sizeof unnamed - 1}, error);
    if (status == GPC_OK)
        status = gpci_table_keep(table, &now->key, key, error);
    if (status < 0)
        return status;
    now->kernel = (gpc_kernel)GPC_KERNEL_INIT;
    now->kernel.index = index;
    table->lane = UINT32_MAX;
    gpci_rows_clear(&now->rows);
    return GPC_OK;
}

/* Replace the warp numbers of each block by 0, 1, 2, ..., in the order of the numbers. */
static void rank_warps(gpci_rows *rows) {
    uint64_t rank = 0, last = 0;
    rows->warps = 0;
    for (size_t i = 0; i < rows->count; i++) {
        gpci_row *row = &rows->items[i];
        uint64_t warp = row->warp;
        bool same_block = i && rows->items[i - 1].block == row->block;
        rank = !same_block ? 0 : rank + (warp != last);
        last = warp;
        row->warp = rank;
        rows->warps = rank >= rows->warps ? rank + 1 : rows->warps;
    }
}

static gpc_status place(gpci_table *table, gpc_error *error) {
    gpci_free(table->base.context, table->placement);
    table->placement = NULL;
    if (!table->now.rows.has_sm)
        return GPC_OK;
    if (table->now.rows.blocks > GPCI_MOST_PLACES && table->now.rows.blocks / 64 > table->now.rows.count)
        return gpci_fail(error, GPC_ERROR_FORMAT, "%s: expected blocks from 0 on where sm is said, not up to %" PRIu64,
                         table->now.kernel.file, table->now.rows.blocks - 1);
    table->placement = gpci_zalloc(table->base.context, table->now.rows.blocks, sizeof *table->placement);
    if (!table->placement)
        return gpci_out_of_memory(error);
    for (size_t i = 0; i < table->now.rows.count; i++) {
        const gpci_row *row = &table->now.rows.items[i];
        const bool first = !i || row[-1].block != row->block;
        if (row->sm == UINT32_MAX || (!first && table->placement[row->block] != row->sm))
            return gpci_fail(error, GPC_ERROR_FORMAT, "%s: expected one sm for all rows of block %" PRIu64,
                             table->now.kernel.file, row->block);
        table->placement[row->block] = row->sm;
    }
    table->now.kernel.placement = table->placement;
    table->now.kernel.placement_count = table->now.rows.blocks;
    return GPC_OK;
}

/* Lanes of the kernel's warps: 64 if a row has a lane beyond the first 32. */
static uint32_t lanes_of(const gpci_rows *rows) {
    uint64_t all = 0;
    for (size_t i = 0; i < rows->count; i++)
        all |= rows->items[i].mask;
    return all > UINT32_MAX ? 64 : 32;
}

/* Finish the present kernel after its last row. */
static gpc_status settle(gpci_table *table, gpc_error *error) {
    gpc_kernel *kernel = &table->now.kernel;
    kernel->id = kernel->index + 1;
    kernel->name = table->now.name;
    kernel->file = gpci_input_path(table->lines.input);
    gpci_rows_sort(&table->now.rows);
    kernel->warp_lanes = lanes_of(&table->now.rows);
    if (table->form == &gpci_form_nvbit) {
        rank_warps(&table->now.rows);
        uint64_t threads = (uint64_t)kernel->block[0] * kernel->block[1] * kernel->block[2];
        if (table->now.rows.warps > (threads + 31) / 32)
            return gpci_fail(error, GPC_ERROR_FORMAT, "%s: kernel %s: expected at most %" PRIu64 " warps in a block",
                             kernel->file, table->now.key, (threads + 31) / 32);
    } else {
        kernel->grid[0] = (uint32_t)table->now.rows.blocks;
        kernel->block[0] = (uint32_t)table->now.rows.warps * kernel->warp_lanes;
        kernel->grid[1] = kernel->grid[2] = kernel->block[1] = kernel->block[2] = 1;
    }
    const char *wrong = gpci_kernel_check(kernel);
    if (wrong)
        return gpci_fail(error, GPC_ERROR_FORMAT, "%s: kernel %s: expected %s", kernel->file, table->now.key, wrong);
    table->next = 0;
    return place(table, error);
}

/* Read rows up to the next kernel's first row, which stays pending. */
static gpc_status read_kernel(gpci_table *table, gpc_error *error) {
    gpci_line_is line_is;
    if (table->ended)
        return GPC_END;
    gpc_status status = table->pending ? GPC_OK : gpci_table_line(table, &line_is, error);
    table->ended = status == GPC_END;
    if (status != GPC_OK)
        return status;
    table->pending = false;
    status = begin(table, error);
    while (status == GPC_OK && !table->pending) {
        status = take_row(table, error);
        if (status == GPC_OK)
            status = gpci_table_line(table, &line_is, error);
        table->pending = status == GPC_OK && changes(table);
    }
    table->ended = status == GPC_END;
    return status < 0 ? status : GPC_OK;
}

/* Read rows up to the next launch's last row, perhaps behind rows of later launches. */
static gpc_status read_launch(gpci_table *table, gpc_error *error) {
    gpci_line_is line_is;
    gpc_status status = GPC_OK;
    while (!table->ended && !gpci_launches_ready(&table->launches)) {
        status = gpci_table_line(table, &line_is, error);
        table->ended = status == GPC_END;
        if (status == GPC_OK && line_is == GPCI_LINE_IS_LAUNCH)
            status = gpci_launches_begin(table, error);
        else if (status == GPC_OK)
            status = gpci_launches_find(table, error);
        if (status == GPC_OK && line_is == GPCI_LINE_IS_ROW)
            status = take_row(table, error);
        if (status < 0)
            return status;
    }
    return gpci_launches_take(&table->launches, &table->now) ? GPC_OK : GPC_END;
}

static gpc_status next_kernel(gpci_source *source, gpc_kernel *kernel, gpc_error *error) {
    gpci_table *table = of(source);
    gpc_status status = table->form == &gpci_form_nvbit ? read_launch(table, error) : read_kernel(table, error);
    if (status == GPC_OK)
        status = settle(table, error);
    if (status == GPC_OK)
        *kernel = table->now.kernel;
    return status;
}

static gpc_status next_block(gpci_source *source, gpci_block *block, gpc_error *error) {
    gpci_table *table = of(source);
    return gpci_rows_block(&table->now.rows, &table->next, &table->now.kernel, table->base.opcodes, block, error);
}

static gpc_status rewind_kernel(gpci_source *source, gpc_kernel *kernel, gpc_error *error) {
    (void)error;
    gpci_table *table = of(source);
    table->next = 0;
    *kernel = table->now.kernel;
    return GPC_OK;
}

static uint64_t kernel_count(const gpci_source *source) {
    return ((const gpci_table *)source)->launches.known;
}

static double progress(const gpci_source *source) {
    return gpci_input_progress(((const gpci_table *)source)->lines.input);
}

static void close_source(gpci_source *source) {
    gpci_table *table = of(source);
    gpc_context *context = source->context;
    gpci_lines_close(&table->lines);
    gpci_launches_clear(&table->launches);
    gpci_table_kernel_clear(&table->now);
    gpci_free(context, table->placement);
    gpci_free(context, table);
    gpci_release(context);
}

static const gpci_source_ops ops = {.next_kernel = next_kernel,
                                    .next_block = next_block,
                                    .rewind = rewind_kernel,
                                    .kernel_count = kernel_count,
                                    .progress = progress,
                                    .close = close_source};

gpc_status gpci_table_open(gpc_context *context, gpci_opcodes *opcodes, const gpci_line_form *form, gpci_input *input,
                           gpc_error *error, gpci_source **out) {
    gpci_table *table = gpci_zalloc(context, 1, sizeof *table);
    if (!table) {
        gpci_input_close(input);
        return gpci_out_of_memory(error);
    }
    table->base = (gpci_source){.ops = &ops, .context = gpci_retain(context), .opcodes = opcodes};
    table->form = form;
    table->now.rows.context = table->launches.context = context;
    table->into = &table->now;
    table->lane = UINT32_MAX;
    gpc_status status = gpci_lines_take_input(&table->lines, context, input, error);
    if (status == GPC_OK && !gpci_notes_file(opcodes, gpci_input_path(input)))
        status = gpci_out_of_memory(error);
    if (status == GPC_OK && form == &gpci_form_nvbit)
        status = gpci_launches_count(table, error);
    if (status < 0)
        close_source(&table->base);
    else
        *out = &table->base;
    return status;
}
