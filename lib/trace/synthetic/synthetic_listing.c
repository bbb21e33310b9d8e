/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

#include "base/array.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABELS 128u
#define NAME 24u
#define LEAST_REGISTERS 16u /* a thread of sm_90 has at least 16 registers */

typedef struct label {
    char name[NAME];
    uint32_t step; /* UINT32_MAX = not placed yet */
} label;

typedef struct assembler {
    gpc_context *context;
    gpci_opcodes *opcodes;
    gpci_listing *out;
    size_t capacity;
    label labels[LABELS];
    uint32_t label_count;
    gpc_error *error;
} assembler;

static gpc_status bad(const assembler *listing, const char *text) {
    return gpci_fail(listing->error, GPC_ERROR_FORMAT, "a synthetic kernel's listing: cannot read '%.40s'", text);
}

/* Find or add a label. Returns the label's number; UINT32_MAX: too many labels, or the name is too long. */
static uint32_t find_label(assembler *listing, const char *name, size_t length) {
    if (length >= NAME)
        return UINT32_MAX;
    for (uint32_t i = 0; i < listing->label_count; i++)
        if (strlen(listing->labels[i].name) == length && !memcmp(listing->labels[i].name, name, length))
            return i;
    if (listing->label_count == LABELS)
        return UINT32_MAX;
    label *l = &listing->labels[listing->label_count];
    memcpy(l->name, name, length);
    l->name[length] = '\0';
    l->step = UINT32_MAX;
    return listing->label_count++;
}

/* Read M3, the barrier at address 24 of shared memory; or V7, 14 bits of a number given with a barrier. */
static bool read_barrier(const char *token, size_t length, uint16_t *out) {
    char *end;
    if ((*token != 'M' && *token != 'V') || token[1] < '0' || token[1] > '9')
        return false;
    const unsigned kind = *token == 'M' ? GPC_REGISTER_BARRIER : GPC_REGISTER_NUMBER;
    const unsigned long number = strtoul(token + 1, &end, 10);
    *out = (uint16_t)(kind | number);
    return end == token + length && number < kind;
}

/* Read R7, UR4, P0, UP1; in a repeated item R7+2; or a barrier. False: the token is none of the kinds. */
static bool read_register(const char *token, size_t length, unsigned repeat, uint16_t *out) {
    if (read_barrier(token, length, out))
        return true;
    unsigned file = *token == 'U' ? GPC_REGISTER_UR : GPC_REGISTER_R;
    const char *p = token + (*token == 'U');
    if (*p == 'P')
        file += GPC_REGISTER_P;
    else if (*p != 'R')
        return false;
    char *end;
    if (p[1] < '0' || p[1] > '9')
        return false;
    unsigned long number = strtoul(p + 1, &end, 10);
    if (*end == '+')
        number += repeat * strtoul(end + 1, &end, 10);
    if (end != token + length || number > 255)
        return false;
    *out = (uint16_t)(file | number);
    return true;
}

/* Read the number of a DEPBAR, or the bytes of a bulk copy's rows. False: not a number, or another opcode. */
static bool read_width(const assembler *listing, gpci_listing_step *step, const char *token, size_t length) {
    char *end;
    const uint8_t copy = gpci_opcodes_at(listing->opcodes, step->opcode)->copy;
    if (*token < '0' || *token > '9' || (copy != GPC_COPY_WAIT && copy != GPC_COPY_BULK))
        return false;
    const unsigned long width = strtoul(token, &end, 10);
    step->width = (uint8_t)width;
    return end == token + length && width <= UINT8_MAX;
}

static gpci_listing_step *append(assembler *listing) {
    gpci_listing *out = listing->out;
    if (!GPCI_ARRAY_RESERVE(listing->context, out->steps, listing->capacity, out->count, 1))
        return NULL;
    gpci_listing_step *step = &out->steps[out->count++];
    memset(step, 0, sizeof *step);
    return step;
}

static uint8_t role_of(const gpci_opcode *opcode, bool predicated, bool labelled) {
    if (opcode->op_class == GPC_OP_EXIT)
        return predicated ? GPCI_ROLE_GUARD : GPCI_ROLE_EXIT;
    if (opcode->op_class == GPC_OP_BARRIER)
        return GPCI_ROLE_BARRIER;
    if (opcode->op_class == GPC_OP_MEMORY && opcode->space != GPC_SPACE_CONSTANT && opcode->space != GPC_SPACE_TEXTURE)
        return GPCI_ROLE_ACCESS; /* constants and textures have separate caches */
    return labelled ? GPCI_ROLE_BRANCH : GPCI_ROLE_PLAIN;
}

static bool add_register(gpci_listing_step *step, uint16_t number, bool destination, gpci_listing *out) {
    unsigned used = step->destinations + step->sources;
    if (used == GPC_MAX_OPERANDS)
        return false;
    step->registers[used] = number;
    if (destination)
        step->destinations++;
    else
        step->sources++;
    if (number < 255 && number >= out->registers)
        out->registers = number + 1u;
    return true;
}

static size_t token_length(const char *text) {
    return strcspn(text, " \n;{}");
}

/* Read an instruction, and move *text to the ';' or '}' behind the instruction. */
static gpc_status instruction(assembler *listing, const char **text, unsigned repeat) {
    gpci_listing_step *step = append(listing);
    if (!step)
        return gpci_out_of_memory(listing->error);
    uint32_t target = UINT32_MAX;
    uint16_t predicate = 0, number;
    bool predicated = false, decoded = false;
    const char *p = *text;
    for (size_t length; p += strspn(p, " \n"), (length = token_length(p)) > 0; p += length) {
        bool okay = true;
        if (*p == '@') {
            unsigned skip = p[1] == '!' ? 2 : 1;
            predicated = okay = length > skip && read_register(p + skip, length - skip, repeat, &predicate);
        } else if (read_register(p, length, repeat, &number)) {
            okay = add_register(step, number, !decoded, listing->out);
        } else if (!decoded) {
            step->opcode = gpci_opcodes_intern(listing->opcodes, p, length);
            if (step->opcode == UINT32_MAX)
                return gpci_out_of_memory(listing->error);
            decoded = true;
        } else if (!read_width(listing, step, p, length)) {
            target = find_label(listing, p, length);
            okay = target != UINT32_MAX;
        }
        if (!okay)
            return bad(listing, p);
    }
    if (!decoded || (predicated && !add_register(step, predicate, false, listing->out)))
        return bad(listing, *text);
    step->target = target;
    step->role = role_of(gpci_opcodes_at(listing->opcodes, step->opcode), predicated, target != UINT32_MAX);
    *text = p;
    return GPC_OK;
}

/* Read COUNT*{ ... }, and move *text behind the brace. */
static gpc_status repeated(assembler *listing, const char **text) {
    char *open;
    unsigned long count = strtoul(*text, &open, 10);
    if (open[0] != '*' || open[1] != '{' || !count || count > 64)
        return bad(listing, *text);
    const char *p = *text;
    for (unsigned i = 0; i < count; i++) {
        p = open + 2;
        for (;;) {
            gpc_status status = instruction(listing, &p, i);
            if (status < 0)
                return status;
            if (*p == '}')
                break;
            if (*p++ != ';')
                return bad(listing, *text);
        }
    }
    *text = p + 1;
    return GPC_OK;
}

static gpc_status item(assembler *listing, const char **text) {
    const char *start = *text;
    size_t length = token_length(start);
    if (*start >= '0' && *start <= '9')
        return repeated(listing, text);
    if (length && start[length - 1] == ':') {
        uint32_t l = find_label(listing, start, length - 1);
        if (l == UINT32_MAX || listing->labels[l].step != UINT32_MAX)
            return bad(listing, start);
        listing->labels[l].step = (uint32_t)listing->out->count;
        *text += length;
        return GPC_OK;
    }
    gpc_status status = instruction(listing, text, 0);
    return status == GPC_OK && **text && **text != ';' ? bad(listing, start) : status;
}

/* Replace labels by steps. A listing must end in an EXIT: a walk then cannot run beyond the listing's end. */
static gpc_status resolve(const assembler *listing) {
    gpci_listing *out = listing->out;
    if (!out->count || out->steps[out->count - 1].role != GPCI_ROLE_EXIT)
        return bad(listing, "(no EXIT at the end)");
    for (size_t i = 0; i < out->count; i++) {
        gpci_listing_step *step = &out->steps[i];
        if (step->target == UINT32_MAX)
            continue;
        const label *l = &listing->labels[step->target];
        if (l->step >= out->count)
            return bad(listing, l->name);
        step->target = l->step;
    }
    return GPC_OK;
}

gpc_status gpci_listing_assemble(gpc_context *context, gpci_opcodes *opcodes, const char *text, gpci_listing *out,
                                 gpc_error *error) {
    gpci_listing listing = {NULL, 0, LEAST_REGISTERS};
    assembler a = {.context = context, .opcodes = opcodes, .out = &listing, .error = error};
    gpc_status status = GPC_OK;
    for (const char *p = text; status == GPC_OK && *(p += strspn(p, " \n;"));)
        status = item(&a, &p);
    if (status == GPC_OK)
        status = resolve(&a);
    if (status < 0)
        gpci_free(context, listing.steps);
    else
        *out = listing;
    return status;
}

void gpci_listing_add(char *to, const char *format, ...) {
    const size_t length = strlen(to);
    va_list values;
    va_start(values, format);
    vsnprintf(to + length, GPCI_LISTING_TEXT - length, format, values);
    va_end(values);
}

gpc_status gpci_problem_listing(gpci_problem *problem, gpci_launch *launch, const char *code) {
    launch->code = code;
    return strlen(code) + 1 < GPCI_LISTING_TEXT
               ? GPC_OK
               : gpci_problem_fail(problem, "its listing is longer than %u characters", GPCI_LISTING_TEXT);
}
