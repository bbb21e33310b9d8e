/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/text/columns.h"

#include "trace/files/fields.h"
#include "trace/files/paths.h"

#include <inttypes.h>
#include <string.h>

#define LOOK_BYTES (64u << 10) /* searched for the first instruction */

unsigned gpci_columns_count(const char *at) {
    unsigned fields = 0;
    for (at = gpci_skip_blanks(at); *at < 'A' || *at > 'Z'; at = gpci_skip_blanks(at)) {
        if (*at == '\n' || ++fields > 17)
            return UINT32_MAX;
        while (!gpci_is_end(*at))
            at++;
    }
    return fields < 3 ? UINT32_MAX : fields - 3; /* PC, mask, ndst */
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

gpc_status gpci_columns_look(gpci_lines *lines, gpc_error *error, gpci_columns *out) {
    *out = (gpci_columns){false, false};
    bool first = true, told = false; /* told: an instruction follows a line of `insts` */
    for (size_t offset = 0; offset < LOOK_BYTES;) {
        const char *line;
        gpc_status status = gpci_lines_ahead(lines, &offset, &line, error);
        if (status != GPC_OK)
            return status < 0 ? status : GPC_OK;
        line = gpci_skip_blanks(line);
        if (*line == '\n')
            continue;
        out->raw = first && is_digit(*line);
        first = false;
        const unsigned columns = told || out->raw ? gpci_columns_count(line) : UINT32_MAX;
        if (columns != UINT32_MAX) {
            out->sms = !out->raw && gpci_columns_have_sm(columns);
            return GPC_OK;
        }
        told = !strncmp(line, "insts", 5);
    }
    return GPC_OK;
}

gpc_status gpci_columns_places(gpc_context *context, const char *path, const gpc_kernel *kernel, uint64_t there,
                               gpc_error *error, uint32_t **out) {
    if (kernel->block_count > GPCI_MOST_PLACES && kernel->block_count / 64 > there)
        return gpci_fail(error, GPC_ERROR_FORMAT,
                         "%s: expected more of the grid's %" PRIu64 " thread blocks where instructions tell their SMs",
                         path, kernel->block_count);
    uint32_t *places = gpci_alloc(context, kernel->block_count * sizeof *places);
    if (!places)
        return gpci_out_of_memory(error);
    memset(places, 0xff, kernel->block_count * sizeof *places);
    *out = places;
    return GPC_OK;
}

gpc_status gpci_columns_place(uint32_t *places, uint32_t block, uint32_t sm, const char *path, uint64_t number,
                              gpc_error *error) {
    if (places[block] != GPCI_NO_SM && places[block] != sm)
        return gpci_fail(error, GPC_ERROR_FORMAT,
                         "%s:%" PRIu64 ": expected SM %" PRIu32 ", which other instructions of thread block %" PRIu32
                         " tell, not %" PRIu32,
                         path, number, places[block], block, sm);
    places[block] = sm;
    return GPC_OK;
}

void gpci_columns_places_end(uint32_t *places, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        places[i] = places[i] == GPCI_NO_SM ? 0 : places[i];
}

/* SM in an instruction's line; false: no SM. */
static bool sm_of(const char *line, uint64_t *sm) {
    const unsigned columns = gpci_columns_count(line);
    if (columns > GPCI_COLUMNS_IN_BLOCKS || !gpci_columns_have_sm(columns))
        return false;
    for (unsigned before = columns & GPCI_COLUMNS_BLOCK; before && line; before--)
        line = gpci_field_decimal(line, UINT32_MAX, sm);
    return line && gpci_field_decimal(line, GPCI_NO_SM - 1, sm);
}

/* Index of "thread block = x,y,z"; false: outside the grid. */
static bool block_of(const char *line, const char *stop, const gpc_kernel *kernel, uint64_t *index) {
    uint64_t at[3];
    line = memchr(line, '=', (size_t)(stop - line));
    for (int i = 0; i < 3; i++) {
        line = line ? gpci_digits(gpci_skip_blanks(line + 1), UINT32_MAX, &at[i]) : NULL;
        if (!line || at[i] >= kernel->grid[i])
            return false;
    }
    *index = at[0] + kernel->grid[0] * (at[1] + (uint64_t)kernel->grid[1] * at[2]);
    return true;
}

typedef struct scan {
    const gpc_kernel *kernel;
    gpci_lines lines;
    uint32_t *places;
    uint64_t block;
    bool known, told; /* told: a warp's first instruction comes next */
} scan;

/* Take the SM from a warp's first instruction, or the block from its line. Other faults are reported with the block. */
static gpc_status take_line(scan *columns, const char *line, const char *stop, gpc_error *error) {
    uint64_t sm;
    gpc_status status = GPC_OK;
    if (columns->told && columns->known && sm_of(line, &sm))
        status = gpci_columns_place(columns->places, (uint32_t)columns->block, (uint32_t)sm,
                                    gpci_input_path(columns->lines.input), columns->lines.number, error);
    columns->told = !strncmp(line, "insts", 5);
    if (*line == 't')
        columns->known = block_of(line, stop, columns->kernel, &columns->block);
    return status;
}

gpc_status gpci_columns_placement(gpc_context *context, const char *path, const gpc_kernel *kernel, gpc_error *error,
                                  uint32_t **out) {
    scan columns = {.kernel = kernel};
    gpc_status status = gpci_lines_open(&columns.lines, context, path, error);
    if (status < 0)
        return status;
    status = gpci_columns_places(context, gpci_input_path(columns.lines.input), kernel, gpci_file_size(path), error,
                                 &columns.places);
    char *line, *stop;
    while (status == GPC_OK && (status = gpci_lines_next_text(&columns.lines, &line, &stop, error)) == GPC_OK)
        status = take_line(&columns, line, stop, error);
    gpci_lines_close(&columns.lines);
    if (status < 0) {
        gpci_free(context, columns.places);
        return status;
    }
    gpci_columns_places_end(columns.places, kernel->block_count);
    *out = columns.places;
    return GPC_OK;
}
