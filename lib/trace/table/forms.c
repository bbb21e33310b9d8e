/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/table/line_table.h"

#include <string.h>

/* Parsers for lines of CSV, JSON Lines and NVBit's mem_trace. */

static gpci_line_is wrong(gpci_table *table, const char *expected) {
    table->expected = expected;
    return GPCI_LINE_IS_WRONG;
}

/* Read a CSV field; quotes around a field are removed. */

static gpci_span next_field(const char **at, const char *end) {
    gpci_span field = {*at, end};
    if (*at < end && **at == '"') {
        const char *close = memchr(*at + 1, '"', (size_t)(end - *at - 1));
        field = (gpci_span){*at + 1, close ? close : end};
        *at = close ? close + 1 : end;
    }
    const char *comma = *at < end ? memchr(*at, ',', (size_t)(end - *at)) : NULL;
    if (field.end == end && comma)
        field.end = comma;
    *at = comma ? comma + 1 : end + 1;
    return gpci_span_trim(field);
}

static gpci_line_is read_header(gpci_table *table, gpci_span line) {
    bool seen[GPCI_COLUMN_COUNT] = {false};
    for (const char *at = line.at; at <= line.end;) {
        gpci_column column = gpci_column_of(next_field(&at, line.end));
        if (column == GPCI_COLUMN_COUNT || seen[column])
            return wrong(
                table, "a header of kernel, block, warp, pc, kind, width, mask or lane, address, cycle, sm, each once");
        seen[column] = true;
        table->columns[table->column_count++] = column;
    }
    if (!seen[GPCI_COLUMN_BLOCK] || !seen[GPCI_COLUMN_WARP] || !seen[GPCI_COLUMN_KIND] || !seen[GPCI_COLUMN_ADDRESS])
        return wrong(table, "columns block, warp, kind and address in the header");
    if (seen[GPCI_COLUMN_MASK] && seen[GPCI_COLUMN_LANE])
        return wrong(table, "one of the columns mask and lane, not both");
    return GPCI_LINE_IS_NOTHING;
}

static gpci_line_is read_csv(gpci_table *table, gpci_span line) {
    if (!table->column_count)
        return read_header(table, line);
    size_t field = 0;
    for (const char *at = line.at; at <= line.end; field++) {
        if (field == table->column_count)
            return wrong(table, "as many fields as the header has");
        table->fields[table->columns[field]] = next_field(&at, line.end);
    }
    return field == table->column_count ? GPCI_LINE_IS_ROW : wrong(table, "as many fields as the header has");
}

/* JSON: an object without inner objects. A list is the text between its brackets, read like `address`. */

static const char *blanks(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

/* End of a value. *value gets the text without quotes or brackets. NULL: not a value. */
static const char *value_end(const char *at, const char *end, gpci_span *value) {
    if (at < end && (*at == '"' || *at == '[')) {
        const char *close = memchr(at + 1, *at == '"' ? '"' : ']', (size_t)(end - at - 1));
        *value = (gpci_span){at + 1, close};
        return close && !memchr(at, '\\', (size_t)(close - at)) ? close + 1 : NULL;
    }
    *value = (gpci_span){at, at};
    while (value->end < end && !strchr(",} \t\r", *value->end))
        value->end++;
    return value->end > at ? value->end : NULL;
}

static gpci_line_is read_json(gpci_table *table, gpci_span line) {
    static const char object[] =
        "an object such as {\"block\": 0, \"warp\": 0, \"kind\": \"load\", \"address\": [4096]}";
    const char *at = line.at, *end = line.end;
    if (*at++ != '{')
        return wrong(table, object);
    for (bool more = true; more;) {
        gpci_span name, value;
        at = blanks(at, end);
        if (at >= end || *at != '"' || !(at = value_end(at, end, &name)))
            return wrong(table, object);
        at = blanks(at, end);
        if (at >= end || *at++ != ':' || !(at = value_end(blanks(at, end), end, &value)))
            return wrong(table, object);
        gpci_column column = gpci_column_of(name);
        if (column == GPCI_COLUMN_COUNT || table->fields[column].at)
            return wrong(table,
                         "keys kernel, block, warp, pc, kind, width, mask or lane, address, cycle, sm, each once");
        table->fields[column] = value;
        at = blanks(at, end);
        if (at >= end || (*at != ',' && *at != '}'))
            return wrong(table, object);
        more = *at++ == ',';
    }
    if (blanks(at, end) != end)
        return wrong(table, object);
    return table->fields[GPCI_COLUMN_MASK].at && table->fields[GPCI_COLUMN_LANE].at
               ? wrong(table, "one of the keys mask and lane, not both")
               : GPCI_LINE_IS_ROW;
}

/*
 * NVBit's tools/mem_trace, of release 1.5 on:
 *   MEMTRACE: CTX 0x.. - LAUNCH - Kernel pc 0x.. - Kernel name N - grid launch id I - grid size x,y,z
 *             - block size x,y,z - nregs R - shmem S - cuda stream id C
 *   MEMTRACE: CTX 0x.. - grid_launch_id I - CTA x,y,z - warp W - OPCODE - 32 addresses, 0 = inactive lane
 * Releases of 2021 (1.5) print I + 1 in a launch's line and I in its accesses. The output has no PCs. Warps are
 * hardware warps (%warpid); rank_warps numbers a block's warps from 0 on. Output of the traced program may stand
 * between the lines.
 */

#define MEMTRACE "MEMTRACE: "

/* Take the text behind `key` up to the next " - ", and move the begin of `line` behind the text. False: no `key`. */
static bool take(gpci_span *line, const char *key, gpci_span *value) {
    size_t length = strlen(key);
    const char *end = line->end;
    for (const char *at = line->at; at + length <= end; at++)
        if (!memcmp(at, key, length)) {
            *value = (gpci_span){at + length, end};
            for (at += length; at + 3 <= end; at++)
                if (!memcmp(at, " - ", 3)) {
                    value->end = at;
                    break;
                }
            line->at = value->end;
            return true;
        }
    return false;
}

static bool point(gpci_span span, uint64_t most, uint32_t out[3]) {
    for (int i = 0; i < 3; i++) {
        const char *comma = i < 2 && span.at < span.end ? memchr(span.at, ',', (size_t)(span.end - span.at)) : span.end;
        uint64_t value;
        if (!comma || !gpci_span_number((gpci_span){span.at, comma}, most, &value))
            return false;
        out[i] = (uint32_t)value;
        span.at = comma + 1;
    }
    return true;
}

static gpci_line_is read_launch(gpci_table *table, gpci_span line) {
    static const char launch[] = "\"Kernel name N - grid launch id I - grid size x,y,z - block size x,y,z - nregs R - "
                                 "shmem S - cuda stream id C\"";
    gpci_span name, id, grid, block, registers, shared, stream;
    uint64_t numbers[2];
    gpc_kernel kernel = GPC_KERNEL_INIT;
    if (!take(&line, "Kernel name ", &name) || !take(&line, "grid launch id ", &id) ||
        !take(&line, "grid size ", &grid) || !take(&line, "block size ", &block) ||
        !take(&line, "nregs ", &registers) || !take(&line, "shmem ", &shared) ||
        !take(&line, "cuda stream id ", &stream) || !gpci_span_number(id, UINT64_MAX, &table->launch_id) ||
        !gpci_span_number(registers, UINT32_MAX, &numbers[0]) || !gpci_span_number(shared, UINT32_MAX, &numbers[1]) ||
        !gpci_span_handle(stream, &kernel.stream) || !point(grid, UINT32_MAX, kernel.grid) ||
        !point(block, UINT32_MAX, kernel.block))
        return wrong(table, launch);
    kernel.registers = (uint32_t)numbers[0];
    kernel.shared_bytes = (uint32_t)numbers[1];
    table->launch = kernel;
    table->fields[GPCI_COLUMN_KERNEL] = gpci_span_trim(id);
    table->opcode = gpci_span_trim(name); /* in a launch's line, the kernel's name */
    return GPCI_LINE_IS_LAUNCH;
}

static gpci_line_is read_nvbit(gpci_table *table, gpci_span line) {
    static const char access[] =
        "\"CTX 0x.. - grid_launch_id I - CTA x,y,z - warp W - OPCODE - 32 addresses\" behind MEMTRACE";
    gpci_span context, launch, addresses, all, *id = &table->fields[GPCI_COLUMN_KERNEL];
    size_t prefix = sizeof MEMTRACE - 1;
    if ((size_t)(line.end - line.at) < prefix || memcmp(line.at, MEMTRACE, prefix) != 0)
        return GPCI_LINE_IS_NOTHING;
    if (!take(&line, "CTX ", &context) || !gpci_span_number(context, UINT64_MAX, &table->context))
        return wrong(table, access);
    all = line;
    if (take(&all, " - LAUNCH", &launch))
        return read_launch(table, all);
    if (!take(&line, "grid_launch_id ", id) || !gpci_span_number(*id, UINT64_MAX, &table->launch_id) ||
        !take(&line, "CTA ", &table->fields[GPCI_COLUMN_BLOCK]) ||
        !take(&line, "warp ", &table->fields[GPCI_COLUMN_WARP]) || !take(&line, " - ", &table->opcode) ||
        !take(&line, " - ", &addresses))
        return wrong(table, access);
    table->fields[GPCI_COLUMN_ADDRESS] = addresses;
    return GPCI_LINE_IS_ROW;
}

const gpci_line_form gpci_form_csv = {"CSV", read_csv};
const gpci_line_form gpci_form_json = {"JSON Lines", read_json};
const gpci_line_form gpci_form_nvbit = {"mem_trace", read_nvbit};

static bool contains(gpci_span span, const char *text) {
    size_t length = strlen(text);
    for (; (size_t)(span.end - span.at) >= length; span.at++)
        if (!memcmp(span.at, text, length))
            return true;
    return false;
}

const gpci_line_form *gpci_table_form(const char *first, size_t length) {
    gpci_span all = gpci_span_trim((gpci_span){first, first + length}), line = all;
    if (contains(all, MEMTRACE "CTX ") || contains(all, "NVBit ("))
        return &gpci_form_nvbit;
    const char *end = length ? memchr(all.at, '\n', (size_t)(all.end - all.at)) : NULL;
    line.end = end ? end : all.end;
    if (line.at < line.end && *line.at == '{')
        return &gpci_form_json;
    return contains(line, "address") && contains(line, ",") && contains(line, "warp") ? &gpci_form_csv : NULL;
}
