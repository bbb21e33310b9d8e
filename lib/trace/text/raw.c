/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/text/raw.h"

#include "base/array.h"
#include "base/map.h"
#include "trace/files/fields.h"
#include "trace/sources.h"
#include "trace/text/columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NO_PIECE UINT32_MAX
#define PIECE_LINES 15u

/* Text of a line behind the block's columns, up to the newline. */
typedef struct line_text {
    uint64_t offset; /* in `bytes` */
    uint64_t number; /* number of the first line with the text */
    uint64_t hash;
} line_text;

/* Piece of a warp's lines: numbers of texts. */
typedef struct raw_piece {
    uint32_t next;
    uint32_t texts[PIECE_LINES];
} raw_piece;

typedef struct raw_warp {
    uint64_t key; /* index of the block, times warps of a block, plus number of the warp */
    uint64_t count;
    uint32_t first, last; /* numbers of pieces */
    uint32_t sm, rank;    /* SM and rank in the first line; GPCI_NO_SM = unknown */
} raw_warp;

struct gpci_raw {
    gpc_context *context;
    gpci_lines *lines;
    gpc_kernel kernel;
    uint32_t block_warps;
    unsigned columns; /* columns of each line, without the source line; 0: before the first line */
    gpci_buffer bytes;
    gpci_slots slots; /* index of texts */
    line_text *texts;
    size_t text_capacity;
    uint32_t text_count;
    raw_piece *pieces;
    size_t piece_count, piece_capacity;
    raw_warp *warps; /* sorted by key after the last line was read */
    size_t warp_count, warp_capacity, next;
    gpci_map by_key;
    bool has_sm;
};

/* Columns and text of a line. */
typedef struct raw_line {
    uint64_t block, warp;
    uint32_t sm, rank;
    const char *text, *end;
} raw_line;

static gpc_status wrong(const gpci_raw *raw, gpc_error *error, const char *what) {
    return gpci_lines_expected(raw->lines, error, what);
}

/* Read `count` decimal numbers. Returns the place behind; NULL: the line has fewer numbers. */
static const char *take_numbers(const char *at, unsigned count, uint64_t *numbers) {
    for (unsigned i = 0; i < count && at; i++)
        at = gpci_field_decimal(at, UINT32_MAX, &numbers[i]);
    return at;
}

/* Number of columns without the source line; 0: no tracer writes this number. */
static unsigned settled(unsigned columns) {
    const unsigned clusters = GPCI_COLUMNS_BLOCK + GPCI_COLUMNS_CLUSTER;
    const unsigned more = columns >= clusters ? columns - clusters : columns - GPCI_COLUMNS_BLOCK;
    return columns == UINT32_MAX || columns < GPCI_COLUMNS_BLOCK || more > GPCI_COLUMNS_SM + 1 ? 0
                                                                                               : columns - (more & 1);
}

static gpc_status parse_front(gpci_raw *raw, const char *at, const char *end, raw_line *line, gpc_error *error) {
    uint64_t numbers[GPCI_COLUMNS_BLOCK + GPCI_COLUMNS_CLUSTER + GPCI_COLUMNS_SM] = {0};
    const unsigned columns = settled(gpci_columns_count(at));
    if (!columns || (raw->columns && columns != raw->columns))
        return wrong(raw, error,
                     "an instruction behind its block and warp, \"x y z warp PC mask ...\", as the tracer leaves "
                     "them, or \"#BEGIN_TB\", as post-traces-processing does");
    raw->columns = columns;
    at = take_numbers(at, columns, numbers);
    if (!at)
        return wrong(raw, error, "decimal numbers (block, warp, cluster, SM) before the PC");
    const uint32_t *grid = raw->kernel.grid;
    if (numbers[0] >= grid[0] || numbers[1] >= grid[1] || numbers[2] >= grid[2] || numbers[3] >= raw->block_warps)
        return gpci_fail(error, GPC_ERROR_FORMAT,
                         "%s:%" PRIu64 ": expected a thread block of the grid (%u,%u,%u) and a warp from 0 to %u",
                         gpci_input_path(raw->lines->input), raw->lines->number, grid[0], grid[1], grid[2],
                         raw->block_warps - 1);
    const bool clusters = columns >= GPCI_COLUMNS_BLOCK + GPCI_COLUMNS_CLUSTER;
    const bool sm = (columns - GPCI_COLUMNS_BLOCK) % GPCI_COLUMNS_CLUSTER == GPCI_COLUMNS_SM;
    *line = (raw_line){.block = numbers[0] + grid[0] * (numbers[1] + grid[1] * numbers[2]),
                       .warp = numbers[3],
                       .sm = sm ? (uint32_t)numbers[columns - GPCI_COLUMNS_SM] : GPCI_NO_SM,
                       .rank = clusters ? (uint32_t)numbers[GPCI_COLUMNS_BLOCK + GPCI_COLUMNS_CLUSTER - 1] : 0,
                       .text = gpci_skip_blanks(at),
                       .end = end};
    raw->has_sm = sm;
    return GPC_OK;
}

/* Texts, each stored once. */

static uint64_t hash_text(const char *text, size_t length) {
    uint64_t hash = length;
    size_t i = 0;
    for (; i + 8 <= length; i += 8)
        hash = gpci_hash(hash ^ gpci_load64((const uint8_t *)text + i)) ^ hash >> 29;
    for (; i < length; i++)
        hash = gpci_hash(hash ^ (uint8_t)text[i]) ^ hash >> 29;
    return gpci_hash(hash);
}

static uint64_t hash_of(const void *entries, uint32_t entry) {
    return ((const line_text *)entries)[entry].hash;
}

typedef struct wanted_text {
    const gpci_raw *raw;
    const char *text;
    size_t length; /* with the newline */
    uint64_t hash;
} wanted_text;

static bool same_text(const void *entries, uint32_t entry, const void *key) {
    const line_text *known = &((const line_text *)entries)[entry];
    const wanted_text *w = key;
    return known->hash == w->hash && w->length <= w->raw->bytes.length - known->offset &&
           !memcmp(w->raw->bytes.data + known->offset, w->text, w->length);
}

/* Number of a line's text; UINT32_MAX: out of memory. */
static uint32_t intern(gpci_raw *raw, const raw_line *line) {
    wanted_text wanted = {raw, line->text, (size_t)(line->end - line->text) + 1, 0};
    wanted.hash = hash_text(wanted.text, wanted.length);
    const uint32_t known = gpci_slots_find(&raw->slots, raw->texts, wanted.hash, &wanted, same_text);
    if (known != GPCI_NO_ENTRY)
        return known;
    if (!gpci_slots_reserve(raw->context, &raw->slots, raw->texts, raw->text_count, 1, hash_of) ||
        !GPCI_ARRAY_RESERVE(raw->context, raw->texts, raw->text_capacity, raw->text_count, 1) ||
        !gpci_buffer_reserve(&raw->bytes, wanted.length + GPCI_LINE_SLACK))
        return UINT32_MAX;
    raw->texts[raw->text_count] = (line_text){raw->bytes.length, raw->lines->number, wanted.hash};
    gpci_buffer_put(&raw->bytes, wanted.text, wanted.length);
    gpci_slots_add(&raw->slots, wanted.hash, raw->text_count);
    return raw->text_count++;
}

/* Warps: numbers of texts in order of the file. */

static raw_warp *warp_of(gpci_raw *raw, const raw_line *line) {
    const uint64_t key = line->block * raw->block_warps + line->warp;
    const gpci_map_entry *known = gpci_map_find(&raw->by_key, key);
    if (known)
        return &raw->warps[known->value];
    if (!gpci_map_reserve(raw->context, &raw->by_key, 1) ||
        !GPCI_ARRAY_RESERVE(raw->context, raw->warps, raw->warp_capacity, raw->warp_count, 1))
        return NULL;
    gpci_map_add(&raw->by_key, key, raw->warp_count);
    raw->warps[raw->warp_count] = (raw_warp){key, 0, NO_PIECE, NO_PIECE, line->sm, line->rank};
    return &raw->warps[raw->warp_count++];
}

static bool append(gpci_raw *raw, raw_warp *warp, uint32_t text) {
    const uint32_t at = (uint32_t)(warp->count % PIECE_LINES);
    if (!at) {
        if (raw->piece_count == NO_PIECE ||
            !GPCI_ARRAY_RESERVE(raw->context, raw->pieces, raw->piece_capacity, raw->piece_count, 1))
            return false;
        const uint32_t made = (uint32_t)raw->piece_count++;
        raw->pieces[made].next = NO_PIECE;
        if (warp->count)
            raw->pieces[warp->last].next = made;
        else
            warp->first = made;
        warp->last = made;
    }
    raw->pieces[warp->last].texts[at] = text;
    warp->count++;
    return true;
}

static gpc_status take_line(gpci_raw *raw, const char *at, const char *end, gpc_error *error) {
    raw_line line = {0};
    if (*gpci_skip_blanks(at) == '#')
        return GPC_OK;
    gpc_status status = parse_front(raw, at, end, &line, error);
    if (status < 0)
        return status;
    const uint32_t text = intern(raw, &line);
    raw_warp *warp = text == UINT32_MAX ? NULL : warp_of(raw, &line);
    if (!warp || !append(raw, warp, text))
        return gpci_out_of_memory(error);
    if (warp->sm != line.sm)
        return gpci_fail(error, GPC_ERROR_FORMAT, "%s:%" PRIu64 ": expected SM %" PRIu32 ", where the warp began",
                         gpci_input_path(raw->lines->input), raw->lines->number, warp->sm);
    return GPC_OK;
}

static int by_key(const void *a, const void *b) {
    const uint64_t one = ((const raw_warp *)a)->key, other = ((const raw_warp *)b)->key;
    return one < other ? -1 : one > other;
}

gpc_status gpci_raw_read(gpci_lines *lines, const gpc_kernel *kernel, gpc_error *error, gpci_raw **out) {
    gpci_raw *raw = gpci_zalloc(lines->context, 1, sizeof *raw);
    if (!raw)
        return gpci_out_of_memory(error);
    raw->context = raw->bytes.context = lines->context;
    raw->lines = lines;
    raw->kernel = *kernel;
    raw->block_warps = gpci_kernel_warps(kernel);
    char *line, *stop;
    gpc_status status;
    while ((status = gpci_lines_next_text(lines, &line, &stop, error)) == GPC_OK) {
        status = take_line(raw, line, stop, error);
        if (status < 0)
            break;
    }
    if (status < 0) {
        gpci_raw_destroy(raw);
        return status;
    }
    if (raw->bytes.data) /* intern() has reserved room for the slack */
        memset(raw->bytes.data + raw->bytes.length, '\n', GPCI_LINE_SLACK);
    if (raw->warp_count)
        qsort(raw->warps, raw->warp_count, sizeof *raw->warps, by_key);
    gpci_map_free(raw->context, &raw->by_key);
    gpci_slots_free(raw->context, &raw->slots);
    *out = raw;
    return GPC_OK;
}

void gpci_raw_destroy(gpci_raw *raw) {
    if (!raw)
        return;
    gpci_buffer_clear(&raw->bytes);
    gpci_slots_free(raw->context, &raw->slots);
    gpci_map_free(raw->context, &raw->by_key);
    gpci_free(raw->context, raw->texts);
    gpci_free(raw->context, raw->pieces);
    gpci_free(raw->context, raw->warps);
    gpci_free(raw->context, raw);
}

static gpc_status put_warp(const gpci_raw *raw, const raw_warp *warp, gpci_line_parser *parser, gpci_block *block,
                           gpc_error *error) {
    if (gpci_block_warp(block, (uint32_t)(warp->key % raw->block_warps)) < 0)
        return gpci_out_of_memory(error);
    uint32_t at = warp->first;
    for (uint64_t n = 0; n < warp->count; n++) {
        const line_text *text = &raw->texts[raw->pieces[at].texts[n % PIECE_LINES]];
        if (n % PIECE_LINES == PIECE_LINES - 1)
            at = raw->pieces[at].next;
        if (gpci_line_parse(parser, block, (const char *)raw->bytes.data + text->offset))
            continue;
        return parser->expected ? gpci_fail(error, GPC_ERROR_FORMAT, "%s:%" PRIu64 ": expected %s",
                                            gpci_input_path(raw->lines->input), text->number, parser->expected)
                                : gpci_out_of_memory(error);
    }
    return GPC_OK;
}

gpc_status gpci_raw_block(gpci_raw *raw, gpci_line_parser *parser, gpci_block *block, gpc_error *error) {
    if (raw->next == raw->warp_count)
        return GPC_END;
    const uint32_t index = (uint32_t)(raw->warps[raw->next].key / raw->block_warps);
    const uint32_t *grid = raw->kernel.grid, rest = index / grid[0];
    if (gpci_block_start(block, index % grid[0], rest % grid[1], rest / grid[1], index, raw->block_warps) < 0)
        return gpci_out_of_memory(error);
    parser->rank = raw->warps[raw->next].rank;
    parser->clusters |= raw->columns >= GPCI_COLUMNS_BLOCK + GPCI_COLUMNS_CLUSTER;
    for (; raw->next < raw->warp_count && raw->warps[raw->next].key / raw->block_warps == index; raw->next++) {
        gpc_status status = put_warp(raw, &raw->warps[raw->next], parser, block, error);
        if (status < 0)
            return status;
    }
    return gpci_block_finish(block, parser->opcodes) < 0 ? gpci_out_of_memory(error) : GPC_OK;
}

void gpci_raw_rewind(gpci_raw *raw) {
    raw->next = 0;
}

double gpci_raw_progress(const gpci_raw *raw) {
    return raw->warp_count ? (double)raw->next / (double)raw->warp_count : 1;
}

gpc_status gpci_raw_placement(const gpci_raw *raw, gpc_error *error, uint32_t **out) {
    const char *path = gpci_input_path(raw->lines->input);
    uint32_t *places;
    if (!raw->has_sm)
        return GPC_OK;
    gpc_status status = gpci_columns_places(raw->context, path, &raw->kernel, raw->warp_count, error, &places);
    if (status < 0)
        return status;
    for (size_t i = 0; i < raw->warp_count && status == GPC_OK; i++) {
        const raw_warp *warp = &raw->warps[i];
        const uint64_t number = raw->texts[raw->pieces[warp->first].texts[0]].number;
        status = gpci_columns_place(places, (uint32_t)(warp->key / raw->block_warps), warp->sm, path, number, error);
    }
    if (status < 0) {
        gpci_free(raw->context, places);
        return status;
    }
    gpci_columns_places_end(places, raw->kernel.block_count);
    *out = places;
    return GPC_OK;
}
