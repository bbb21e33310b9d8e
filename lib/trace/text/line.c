/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/text/line.h"

#include "trace/blocks/operands.h"
#include "trace/files/fields.h"
#include "trace/text/columns.h"

#include <string.h>

#define MOST_REGISTERS 64u
#define MOST_WIDTH (1u << 20)
#define LINES_TOGETHER 2u /* most lines of an instruction: at the first line, room for the last is reserved */

gpc_status gpci_line_parser_init(gpci_line_parser *parser, gpc_context *context, gpci_opcodes *opcodes) {
    *parser = (gpci_line_parser){.context = context, .opcodes = opcodes};
    parser->templates = gpci_zalloc(context, GPCI_LINE_TEMPLATES, sizeof *parser->templates);
    return parser->templates ? GPC_OK : GPC_ERROR_MEMORY;
}

void gpci_line_parser_clear(gpci_line_parser *parser) {
    if (parser->context)
        gpci_free(parser->context, parser->templates);
    parser->templates = NULL;
}

static gpci_line_template *template_of(const gpci_line_parser *parser, uint64_t pc) {
    uint64_t hash = (pc >> 3) * 0x9e3779b97f4a7c15u;
    return &parser->templates[hash >> 32 & (GPCI_LINE_TEMPLATES - 1)];
}

static bool is_capital(char c) {
    return c >= 'A' && c <= 'Z';
}

/*
 * Read the columns in front of the PC, the PC and the mask. Block, warp and SM are not used: the section tells the
 * block and the warp, and the placement the SM (columns.h).
 */
static const char *parse_front(gpci_line_parser *parser, const char *at, gpc_instruction *instruction) {
    uint64_t value = 0;
    for (unsigned i = 0; i < parser->columns; i++)
        if (!(at = gpci_field_decimal(at, UINT32_MAX, &value)))
            return gpci_line_fail(parser, "a decimal number (block, warp, SM or source line) before the PC");
    instruction->line = parser->columns & 1 ? (uint32_t)value : 0;
    if (!(at = gpci_field_hex(at, &instruction->pc)))
        return gpci_line_fail(parser, "a hexadecimal PC");
    if (!(at = gpci_field_hex(at, &instruction->mask)) || instruction->mask > UINT32_MAX)
        return gpci_line_fail(parser, "a hexadecimal mask of 32 lanes");
    return gpci_skip_blanks(at);
}

/*
 * Read R12, UR4, P0, UP1; RZ, URZ, PT and UPT by number. This library also writes M128 (a barrier) and V5 (a number).
 */
static const char *parse_register(const char *at, uint16_t *number) {
    at = gpci_skip_blanks(at);
    if ((*at == 'M' || *at == 'V') && at[1] >= '0' && at[1] <= '9') {
        const uint32_t kind = *at == 'M' ? GPC_REGISTER_BARRIER : GPC_REGISTER_NUMBER;
        uint64_t value;
        at = gpci_digits(at + 1, kind - 1, &value);
        *number = (uint16_t)(kind | (at ? value : 0));
        return at && gpci_is_end(*at) ? at : NULL;
    }
    bool uniform = *at == 'U';
    at += uniform;
    bool predicate = *at == 'P';
    if (!predicate && *at != 'R')
        return NULL;
    at++;
    uint64_t value = predicate ? 7 : uniform ? 63 : 255;
    if (*at == (predicate ? 'T' : 'Z'))
        at++;
    else
        at = gpci_digits(at, 255, &value);
    if (!at || !gpci_is_end(*at))
        return NULL;
    unsigned file =
        predicate ? (uniform ? GPC_REGISTER_UP : GPC_REGISTER_P) : (uniform ? GPC_REGISTER_UR : GPC_REGISTER_R);
    *number = (uint16_t)(file | value);
    return at;
}

/* Read a count and the registers; registers without room are dropped. */
static const char *parse_registers(gpci_line_parser *parser, const char *at, gpci_line *line, uint8_t *count,
                                   const char *what) {
    uint64_t named;
    if (!(at = gpci_field_decimal(at, MOST_REGISTERS, &named)))
        return gpci_line_fail(parser, what);
    unsigned kept = line->instruction.destinations + line->instruction.sources;
    for (unsigned i = 0; i < named; i++) {
        uint16_t number;
        if (!(at = parse_register(at, &number)))
            return gpci_line_fail(parser, "a register");
        if (kept < GPC_MAX_OPERANDS) {
            line->instruction.registers[kept++] = number;
            ++*count;
        }
    }
    line->registers += (unsigned)named;
    return at;
}

static const char *parse_opcode(gpci_line_parser *parser, const char *at, gpci_line *line) {
    at = gpci_skip_blanks(at);
    const char *first = at;
    while ((unsigned char)*at > ' ' && (unsigned char)*at < 0x7f)
        at++;
    uint16_t ignored;
    if (!is_capital(*first) || !gpci_is_end(*at) || parse_register(first, &ignored))
        return gpci_line_fail(parser, "an opcode");
    uint32_t opcode = gpci_opcodes_intern(parser->opcodes, first, (size_t)(at - first));
    if (opcode == UINT32_MAX)
        return gpci_line_fail(parser, NULL);
    const gpci_opcode *known = gpci_opcodes_at(parser->opcodes, opcode);
    gpc_instruction *instruction = &line->instruction;
    instruction->opcode = opcode;
    instruction->op_class = known->op_class;
    instruction->kind = known->kind;
    instruction->space = known->space;
    instruction->hint = known->hint;
    instruction->priority = known->priority;
    instruction->width = known->width;
    return at;
}

/*
 * Choose the width. The tracer's memwidth is not always right: a width stated by the opcode wins, as in
 * Accel-Sim. For an opcode without a width, Accel-Sim takes 4 bytes, and this reader the tracer's memwidth.
 */
static void settle_width(const gpci_line_parser *parser, gpci_line *line) {
    const gpci_opcode *known = gpci_opcodes_at(parser->opcodes, line->instruction.opcode);
    if (known->op_class == GPC_OP_MEMORY && !known->width_stated && line->memory_width &&
        line->memory_width <= UINT8_MAX)
        line->instruction.width = (uint8_t)line->memory_width;
}

/* Read from ndst to memwidth. */
static const char *parse_middle(gpci_line_parser *parser, const char *at, gpci_line *line) {
    gpc_instruction *instruction = &line->instruction;
    if (!(at = parse_registers(parser, at, line, &instruction->destinations, "the number of destination registers")) ||
        !(at = parse_opcode(parser, at, line)) ||
        !(at = parse_registers(parser, at, line, &instruction->sources, "the number of source registers")))
        return NULL;
    const char *text = gpci_opcodes_at(parser->opcodes, instruction->opcode)->text;
    uint64_t group;
    if (parser->version >= 6 && strstr(text, "GMMA") && !(at = gpci_field_decimal(at, UINT32_MAX, &group)))
        return gpci_line_fail(parser, "0 or 1: whether the instruction commits its group");
    if (!(at = gpci_field_decimal(at, MOST_WIDTH, &line->memory_width)))
        return gpci_line_fail(parser, "the memory width");
    settle_width(parser, line);
    return at;
}

/* Record that a line of a template was read: the template is expected again behind the last line's template. */
static void read_one(gpci_line_parser *parser, gpci_line_template *known) {
    if (parser->last)
        parser->last->follows = known;
    parser->last = known;
}

/* Begin of the mask: of the last field before `middle`. */
static uint8_t begin_of_mask(const char *text, size_t middle) {
    while (middle && gpci_is_blank(text[middle - 1]))
        middle--;
    while (middle && !gpci_is_blank(text[middle - 1]))
        middle--;
    return (uint8_t)middle;
}

static void remember(gpci_line_parser *parser, const gpci_line *line, const char *from, const char *middle,
                     const char *to) {
    gpci_line_template *known = template_of(parser, line->instruction.pc);
    size_t length = (size_t)(to - from);
    if (length > sizeof known->text) {
        parser->last = NULL;
        return;
    }
    known->length = (uint8_t)length;
    known->middle = (uint8_t)(middle - from);
    known->addressed = line->memory_width != 0;
    known->registers = (uint8_t)line->registers;
    known->copy = gpci_opcodes_at(parser->opcodes, line->instruction.opcode)->copy;
    known->instruction = line->instruction;
    memcpy(known->text, from, length);
    known->mask = begin_of_mask(from, known->middle);
    read_one(parser, known);
}

/* Find the template of a line that differs from the template's text only in front of ndst. NULL: no template. */
static gpci_line_template *match(const gpci_line_parser *parser, const gpc_instruction *front, const char *line,
                                 const char *middle) {
    gpci_line_template *known = template_of(parser, front->pc);
    size_t length = (size_t)known->length - known->middle, before = (size_t)(middle - line);
    if (!known->length || known->instruction.pc != front->pc || before + length > sizeof known->text ||
        memcmp(middle, known->text + known->middle, length) != 0 || !gpci_is_end(middle[length]))
        return NULL;
    memcpy(known->text, line, before + length);
    known->length = (uint8_t)(before + length);
    known->middle = (uint8_t)before;
    known->mask = begin_of_mask(line, before);
    known->instruction.mask = front->mask;
    known->instruction.line = front->line;
    return known;
}

/* True if the line is the template's, with another mask. */
static bool other_mask(gpci_line_template *known, const char *line) {
    const char *middle = line + known->middle, *text = known->text;
    uint64_t mask;
    if (memcmp(line, text, known->mask) != 0 ||
        memcmp(middle, text + known->middle, (size_t)known->length - known->middle) != 0)
        return false;
    const char *at = gpci_field_hex(line + known->mask, &mask);
    if (!at || gpci_skip_blanks(at) != middle || mask > UINT32_MAX)
        return false;
    memcpy(known->text + known->mask, line + known->mask, (size_t)known->middle - known->mask);
    known->instruction.mask = mask;
    return true;
}

/* Expected template, if the line has the template's text, or differs only in the mask. NULL: another line. */
static gpci_line_template *expected(const gpci_line_parser *parser, const char *line) {
    gpci_line_template *known = parser->last ? parser->last->follows : NULL;
    if (!known || (memcmp(line, known->text, known->length) != 0 && !other_mask(known, line)))
        return NULL;
    return gpci_is_end(line[known->length]) ? known : NULL;
}

static bool is_bulk(const gpci_line_parser *parser, const gpc_instruction *instruction) {
    const char *text = gpci_opcodes_at(parser->opcodes, instruction->opcode)->text;
    return parser->version >= 6 && instruction->op_class == GPC_OP_MEMORY &&
           (!strncmp(text, "UTMA", 4) || !strncmp(text, "UBLK", 4));
}

/* largest number of groups in a DEPBAR */
#define MOST_GROUPS 255u

/* Finish the last instruction, a copy, with the rest of its line. False: invalid data. */
static bool finish_copy(gpci_line_parser *parser, gpci_block *block, uint8_t copy) {
    gpc_instruction *last = &block->instructions[block->count - 1], *before = last - 1;
    if (copy == GPC_COPY_WAIT) {
        last->width = (uint8_t)parser->immediate;
        block->count -= parser->immediate > MOST_GROUPS;
        return parser->immediate <= MOST_GROUPS ||
               gpci_line_fail(parser, "an immediate of at most 255, the groups that may be under way behind a DEPBAR");
    }
    if (copy >= GPC_COPY_BARRIER)
        return gpci_line_syncs(parser, block, copy);
    const bool two = block->count >= block->spans[block->warp].first + 2 && !parser->paired;
    parser->paired = false;
    if (copy == GPC_COPY_ASYNC && two && before->pc == last->pc && before->opcode == last->opcode &&
        before->mask == last->mask && before->addresses) {
        *before = *last;
        block->count--;
        parser->paired = true;
    }
    return true;
}

/* Read a line whose middle differs from the last line at its PC. */
static bool parse_new(gpci_line_parser *parser, gpci_block *block, const char *at) {
    parser->columns = gpci_columns_count(at);
    if (parser->columns > GPCI_COLUMNS_IN_BLOCKS) {
        parser->columns = 0;
        parser->expected = "an instruction (PC, mask, registers, opcode), a thread block's end or a warp";
        return false;
    }
    gpci_line line = {0};
    const char *from = at;
    const char *middle = parse_front(parser, at, &line.instruction);
    if (!middle || !(at = parse_middle(parser, middle, &line)))
        return false;
    if (is_bulk(parser, &line.instruction)) {
        at = gpci_line_bulk(parser, block, &line, at);
        return at && gpci_line_end(parser, line.registers, at);
    }
    remember(parser, &line, from, middle, at);
    if (!gpci_block_reserve(block, LINES_TOGETHER, 0)) {
        parser->expected = NULL;
        return false;
    }
    gpc_instruction *added = &block->instructions[block->count];
    *added = line.instruction;
    if (line.memory_width && !(at = gpci_line_addresses(parser, block, added, at)))
        return false;
    if (!gpci_line_end(parser, line.registers, at))
        return false;
    block->count++;
    const uint8_t copy = gpci_opcodes_at(parser->opcodes, added->opcode)->copy;
    return GPCI_LIKELY(copy == GPC_COPY_NONE) || finish_copy(parser, block, copy);
}

const char *gpci_line_parse_known(gpci_line_parser *parser, gpci_block *block, const char *line) {
    gpci_line_template *known = expected(parser, line);
    if (GPCI_UNLIKELY(!known)) {
        gpc_instruction front;
        const char *middle = parse_front(parser, line, &front);
        known = middle ? match(parser, &front, line, middle) : NULL;
        if (!known)
            return NULL;
    }
    const char *at = line + known->length;
    if (!gpci_block_reserve(block, LINES_TOGETHER, 0))
        return NULL;
    gpc_instruction *added = &block->instructions[block->count];
    *added = known->instruction;
    if (known->addressed && !(at = gpci_line_addresses(parser, block, added, at)))
        return NULL;
    parser->immediate = 0;
    parser->told_count = 0;
    at = *at == '\n' ? at : gpci_line_end(parser, known->registers, at);
    if (!at)
        return NULL;
    block->count++;
    read_one(parser, known);
    if (GPCI_UNLIKELY(known->copy != GPC_COPY_NONE) && !finish_copy(parser, block, known->copy))
        return NULL;
    return at;
}

bool gpci_line_parse(gpci_line_parser *parser, gpci_block *block, const char *line) {
    return gpci_line_parse_known(parser, block, line) || parse_new(parser, block, line);
}
