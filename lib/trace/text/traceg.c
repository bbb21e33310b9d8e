/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/blocks/notes.h"
#include "trace/files/fields.h"
#include "trace/files/paths.h"
#include "trace/seen.h"
#include "trace/sources.h"
#include "trace/text/columns.h"
#include "trace/text/header.h"
#include "trace/text/line.h"
#include "trace/text/raw.h"

#include <inttypes.h>
#include <string.h>

/*
 * A text trace of one kernel. Blocks come in file order; each is
 *   #BEGIN_TB / thread block = x,y,z / {warp = w / insts = n / n instructions} / #END_TB
 * or, in the tracer's own file (raw.h), lines in the order of the run; blocks then come by index.
 */
typedef struct text_source {
    gpci_source base;
    gpci_lines lines;
    gpci_header header;
    gpci_line_parser parser;
    gpci_seen seen;
    gpci_raw *raw; /* NULL: lines are separated by thread block */
    uint32_t *placement;
    uint64_t blocks; /* blocks read until now */
    bool given;      /* next_kernel was called */
    bool at_block;   /* the line last read is #BEGIN_TB */
    bool short_told; /* reported: the grid has more blocks than the file */
} text_source;

/* State of a block being read. */
typedef struct progress {
    gpci_block *block;
    bool placed;           /* "thread block =" has been read */
    bool warp;             /* "warp =" has been read, and "insts =" is to come */
    uint64_t instructions; /* instructions of the warp not yet read */
} progress;

static text_source *of(gpci_source *source) {
    return (text_source *)source;
}

static bool begins(const char *line, const char *with) {
    return !strncmp(line, with, strlen(with));
}

/* Text behind `key` and an equals sign; NULL: another line. */
static const char *value_of(const char *line, const char *key) {
    size_t length = strlen(key);
    if (strncmp(line, key, length) != 0)
        return NULL;
    const char *at = gpci_skip_blanks(line + length);
    return *at == '=' ? at + 1 : NULL;
}

static const char *parse_point(const char *at, uint64_t *point) {
    at = gpci_skip_blanks(at);
    for (int i = 0; i < 3; i++) {
        at = gpci_digits(at, UINT32_MAX, &point[i]);
        if (!at || (i < 2 && *at++ != ','))
            return NULL;
    }
    return at;
}

static gpc_status begin_block(text_source *text, progress *parser, const char *value, const char *stop,
                              gpc_error *error) {
    const gpc_kernel *kernel = &text->header.kernel;
    uint64_t at[3];
    const char *behind = parse_point(value, at);
    if (!behind || gpci_skip_blanks(behind) != stop || parser->placed)
        return gpci_lines_expected(&text->lines, error, "one \"thread block = x,y,z\" in a thread block");
    if (at[0] >= kernel->grid[0] || at[1] >= kernel->grid[1] || at[2] >= kernel->grid[2])
        return gpci_fail(error, GPC_ERROR_FORMAT, "%s:%" PRIu64 ": expected a thread block of the grid (%u,%u,%u)",
                         gpci_input_path(text->lines.input), text->lines.number, kernel->grid[0], kernel->grid[1],
                         kernel->grid[2]);
    uint32_t index = (uint32_t)(at[0] + kernel->grid[0] * (at[1] + kernel->grid[1] * at[2]));
    bool fresh;
    gpc_status status = gpci_seen_add(&text->seen, index, &fresh);
    if (status == GPC_OK && !fresh)
        return gpci_lines_expected(&text->lines, error, "a thread block that was not there before");
    if (status == GPC_OK)
        status = gpci_block_start(parser->block, (uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2], index,
                                  gpci_kernel_warps(kernel));
    parser->placed = true;
    return status == GPC_OK ? GPC_OK : gpci_out_of_memory(error);
}

static gpc_status begin_warp(text_source *text, progress *parser, const char *value, const char *stop,
                             gpc_error *error) {
    uint64_t warp;
    const char *behind = gpci_field_decimal(value, UINT32_MAX, &warp);
    if (!behind || gpci_skip_blanks(behind) != stop || !parser->placed || parser->warp)
        return gpci_lines_expected(&text->lines, error,
                                   parser->placed ? "\"insts = n\" after each \"warp = w\""
                                                  : "\"thread block = x,y,z\" before the first warp");
    gpc_status status = gpci_block_warp(parser->block, (uint32_t)warp);
    parser->warp = true;
    if (status == GPC_ERROR_FORMAT)
        return gpci_fail(error, status, "%s:%" PRIu64 ": expected each warp once, from 0 to %u",
                         gpci_input_path(text->lines.input), text->lines.number, parser->block->view.warp_count - 1);
    return status == GPC_OK ? GPC_OK : gpci_out_of_memory(error);
}

static gpc_status begin_instructions(text_source *text, progress *parser, const char *value, const char *stop,
                                     gpc_error *error) {
    const char *behind = gpci_field_decimal(value, INT64_MAX, &parser->instructions);
    if (!behind || gpci_skip_blanks(behind) != stop || !parser->warp)
        return gpci_lines_expected(&text->lines, error, "\"warp = w\", then \"insts = n\"");
    parser->warp = false;
    return GPC_OK;
}

static gpc_status cut_short(const text_source *text, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_FORMAT, "%s:%" PRIu64 ": expected \"#END_TB\" before the end of the file",
                     gpci_input_path(text->lines.input), text->lines.number);
}

static gpc_status read_instruction(text_source *text, progress *parser, gpc_error *error) {
    char *line, *stop;
    gpc_status status = gpci_lines_next_text(&text->lines, &line, &stop, error);
    if (status != GPC_OK)
        return status == GPC_END ? cut_short(text, error) : status;
    gpci_notes_line(text->base.opcodes, text->lines.number);
    if (gpci_line_parse(&text->parser, parser->block, line))
        return GPC_OK;
    return text->parser.expected ? gpci_lines_expected(&text->lines, error, text->parser.expected)
                                 : gpci_out_of_memory(error);
}

static gpc_status read_instructions(text_source *text, progress *parser, gpc_error *error) {
    for (; parser->instructions; parser->instructions--) {
        const char *line = gpci_lines_peek(&text->lines);
        const char *stop = line ? gpci_line_parse_known(&text->parser, parser->block, line) : NULL;
        if (GPCI_LIKELY(stop != NULL)) {
            gpci_lines_take(&text->lines, stop);
            continue;
        }
        gpc_status status = read_instruction(text, parser, error);
        if (status < 0)
            return status;
    }
    return GPC_OK;
}

/* Take a line of a block that is no instruction. */
static gpc_status take_line(text_source *text, progress *parser, const char *line, const char *stop, gpc_error *error) {
    const char *value;
    uint64_t ignored[3];
    if ((value = value_of(line, "thread block")))
        return begin_block(text, parser, value, stop, error);
    if ((value = value_of(line, "warp")))
        return begin_warp(text, parser, value, stop, error);
    if ((value = value_of(line, "insts"))) {
        gpc_status status = begin_instructions(text, parser, value, stop, error);
        return status == GPC_OK ? read_instructions(text, parser, error) : status;
    }
    if ((value = value_of(line, "cluster id")) || (value = value_of(line, "cluster cta"))) {
        value = parse_point(value, ignored);
        return value && gpci_skip_blanks(value) == stop
                   ? GPC_OK
                   : gpci_lines_expected(&text->lines, error, "\"cluster id = x,y,z\" or \"cluster cta = x,y,z\"");
    }
    if ((value = value_of(line, "cluster rank"))) {
        value = gpci_field_decimal(value, UINT32_MAX, &text->parser.rank);
        text->parser.clusters = true;
        return value && gpci_skip_blanks(value) == stop
                   ? GPC_OK
                   : gpci_lines_expected(&text->lines, error, "\"cluster rank = d\"");
    }
    return gpci_lines_expected(&text->lines, error,
                               "\"thread block =\", \"warp =\", \"insts =\" or \"#END_TB\", since the warp has all the "
                               "instructions that it announced");
}

/* Read a block, from behind #BEGIN_TB to #END_TB. */
static gpc_status read_block(text_source *text, gpci_block *block, gpc_error *error) {
    progress parser = {.block = block};
    text->parser.rank = 0;
    for (;;) {
        char *line, *stop;
        gpc_status status = gpci_lines_next_text(&text->lines, &line, &stop, error);
        if (status != GPC_OK)
            return status == GPC_END ? cut_short(text, error) : status;
        if (begins(line, "#END_TB"))
            break;
        status = take_line(text, &parser, line, stop, error);
        if (status < 0)
            return status;
    }
    if (!parser.placed || parser.warp)
        return gpci_lines_expected(&text->lines, error,
                                   parser.placed ? "\"insts = n\" after \"warp = w\""
                                                 : "\"thread block = x,y,z\" before it");
    if (gpci_block_finish(block, text->base.opcodes) < 0)
        return gpci_out_of_memory(error);
    text->blocks++;
    return GPC_OK;
}

static gpc_status next_kernel(gpci_source *source, gpc_kernel *kernel, gpc_error *error) {
    (void)error;
    text_source *text = of(source);
    if (text->given)
        return GPC_END;
    text->given = true;
    *kernel = text->header.kernel;
    return GPC_OK;
}

/* End the kernel: once, log a warning if the file has fewer blocks than the grid. Returns GPC_END. */
static gpc_status tell_end(text_source *text) {
    if (text->blocks < text->header.kernel.block_count && !text->short_told)
        gpci_log(text->base.context, GPC_LOG_WARNING,
                 "%s: %" PRIu64 " of the grid's %" PRIu64 " thread blocks are there",
                 gpci_input_path(text->lines.input), text->blocks, text->header.kernel.block_count);
    text->short_told |= text->blocks < text->header.kernel.block_count;
    return GPC_END;
}

static gpc_status next_block(gpci_source *source, gpci_block *block, gpc_error *error) {
    text_source *text = of(source);
    if (text->raw) {
        const gpc_status status = gpci_raw_block(text->raw, &text->parser, block, error);
        text->blocks += status == GPC_OK;
        return status == GPC_END ? tell_end(text) : status;
    }
    while (!text->at_block) {
        char *line, *stop;
        gpc_status status = gpci_lines_next_text(&text->lines, &line, &stop, error);
        if (status != GPC_OK)
            return status == GPC_END ? tell_end(text) : status;
        text->at_block = begins(line, "#BEGIN_TB");
        if (*line != '#' || begins(line, "#END_TB"))
            return gpci_lines_expected(&text->lines, error, "\"#BEGIN_TB\"");
    }
    text->at_block = false;
    return read_block(text, block, error);
}

/* Open the file and read to its first block. After an error, the file opened before stays open. */
static gpc_status read_header(text_source *text, const char *path, gpc_error *error) {
    gpci_lines lines;
    gpci_header header = {.name = NULL};
    gpc_status status = gpci_lines_open(&lines, text->base.context, path, error);
    if (status < 0)
        return status;
    status = gpci_header_read(&header, &lines, error);
    if (status < 0) {
        gpci_free(text->base.context, header.name);
        gpci_lines_close(&lines);
        return status;
    }
    gpci_lines_close(&text->lines);
    gpci_free(text->base.context, text->header.name);
    text->lines = lines;
    text->header = header;
    text->header.kernel.file = gpci_input_path(lines.input);
    text->at_block = header.at_block;
    return GPC_OK;
}

/* Rewind. A decompressor cannot go back: the file is opened again, unless all lines are in memory (`raw`). */
static gpc_status rewind_kernel(gpci_source *source, gpc_kernel *kernel, gpc_error *error) {
    text_source *text = of(source);
    uint64_t placed = text->header.kernel.placement_count;
    if (text->raw)
        gpci_raw_rewind(text->raw);
    gpc_status status = text->raw ? GPC_OK : read_header(text, gpci_input_name(text->lines.input), error);
    if (status < 0)
        return status;
    text->header.kernel.placement = text->placement;
    text->header.kernel.placement_count = placed;
    gpci_seen_clear(&text->seen);
    gpci_seen_init(&text->seen, source->context);
    text->blocks = 0;
    *kernel = text->header.kernel;
    return GPC_OK;
}

static uint64_t kernel_count(const gpci_source *source) {
    (void)source;
    return 1;
}

static double progress_of(const gpci_source *source) {
    const text_source *text = (const text_source *)source;
    return text->raw ? gpci_raw_progress(text->raw) : gpci_input_progress(text->lines.input);
}

static void close_source(gpci_source *source) {
    text_source *text = of(source);
    gpc_context *context = source->context;
    gpci_raw_destroy(text->raw);
    gpci_lines_close(&text->lines);
    gpci_line_parser_clear(&text->parser);
    gpci_seen_clear(&text->seen);
    gpci_free(context, text->header.name);
    gpci_free(context, text->placement);
    gpci_free(context, text);
    gpci_release(context);
}

static const gpci_source_ops text_ops = {
    .next_kernel = next_kernel,
    .next_block = next_block,
    .rewind = rewind_kernel,
    .kernel_count = kernel_count,
    .progress = progress_of,
    .close = close_source,
};

/* Set the placement from the SMs in the instructions' lines. Called if no placement file exists. */
static gpc_status place(text_source *text, const char *path, const gpci_columns *columns, gpc_error *error) {
    gpc_kernel *kernel = &text->header.kernel;
    gpc_status status = GPC_OK;
    if (columns->sms)
        status = gpci_columns_placement(text->base.context, path, kernel, error, &text->placement);
    else if (text->raw)
        status = gpci_raw_placement(text->raw, error, &text->placement);
    kernel->placement_count = text->placement ? kernel->block_count : 0;
    return status;
}

static gpc_status read_front(text_source *text, const char *path, gpc_error *error) {
    gpc_context *context = text->base.context;
    gpc_status status = read_header(text, path, error);
    if (status < 0)
        return status;
    gpc_kernel *kernel = &text->header.kernel;
    if (!gpci_notes_file(text->base.opcodes, kernel->file) ||
        gpci_line_parser_init(&text->parser, context, text->base.opcodes) < 0)
        return gpci_out_of_memory(error);
    text->parser.version = kernel->tracer_version;
    text->parser.windows = gpci_windows_of(kernel);
    text->parser.clusters = kernel->binary_version >= 90;
    status = gpci_placement_load(context, path, kernel->block_count, error, &text->placement, &kernel->placement_count);
    gpci_columns columns = {false, false};
    if (status == GPC_OK)
        status = gpci_columns_look(&text->lines, error, &columns);
    if (status == GPC_OK && columns.raw)
        status = gpci_raw_read(&text->lines, kernel, error, &text->raw);
    if (status == GPC_OK && !text->placement)
        status = place(text, path, &columns, error);
    kernel->placement = text->placement;
    return status;
}

gpc_status gpci_text_open(gpc_context *context, gpci_opcodes *opcodes, const char *path, gpc_error *error,
                          gpci_source **out) {
    text_source *text = gpci_zalloc(context, 1, sizeof *text);
    if (!text)
        return gpci_out_of_memory(error);
    text->base = (gpci_source){.ops = &text_ops, .context = gpci_retain(context), .opcodes = opcodes};
    gpci_seen_init(&text->seen, context);
    gpc_status status = read_front(text, path, error);
    if (status < 0)
        close_source(&text->base);
    else
        *out = &text->base;
    return status;
}
