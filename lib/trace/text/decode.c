/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/text/opcodes.h"

#include <string.h>

/*
 * SASS opcodes: a name, then modifiers, separated by dots ("LDG.E.64.STRONG.GPU"). The name gives the unit and the
 * memory, the modifiers the width and the cache operator.
 */

gpci_opcode_part gpci_opcode_first(const char *text) {
    return (gpci_opcode_part){text, strcspn(text, ".")};
}

gpci_opcode_part gpci_opcode_next(gpci_opcode_part part) {
    const char *at = part.at + part.length;
    while (*at == '.')
        at++;
    return *at ? gpci_opcode_first(at) : (gpci_opcode_part){NULL, 0};
}

bool gpci_opcode_is(gpci_opcode_part part, const char *name) {
    return strlen(name) == part.length && !memcmp(part.at, name, part.length);
}

bool gpci_opcode_has(const char *text, const char *modifier) {
    for (gpci_opcode_part part = gpci_opcode_next(gpci_opcode_first(text)); part.at; part = gpci_opcode_next(part))
        if (gpci_opcode_is(part, modifier))
            return true;
    return false;
}

static size_t digits(const char *at, size_t length) {
    size_t n = 0;
    while (n < length && at[n] >= '0' && at[n] <= '9')
        n++;
    return n;
}

/*
 * Bytes per lane stated by a modifier: "64", "U8", "S16", "F64", "F16x2", "BF16_V2". 0: no width. (Accel-Sim
 * knows only "64" and "U8", and takes S8, S16 and F64 for 4 bytes.)
 */
static unsigned stated_width(gpci_opcode_part part) {
    size_t letters = 0;
    while (letters < part.length && letters < 2 && strchr("USFB", part.at[letters]))
        letters++;
    size_t count = digits(part.at + letters, part.length - letters);
    if (count == 0 || count > 3)
        return 0;
    unsigned bits = 0, vector = 1;
    for (size_t i = 0; i < count; i++)
        bits = bits * 10 + (unsigned)(part.at[letters + i] - '0');
    size_t rest = part.length - letters - count;
    const char *tail = part.at + letters + count;
    bool short_vector = rest == 2 && tail[0] == 'x' && digits(tail + 1, 1);
    bool long_vector = rest == 3 && tail[0] == '_' && tail[1] == 'V' && digits(tail + 2, 1);
    if (short_vector || long_vector)
        vector = (unsigned)(tail[rest - 1] - '0');
    else if (rest)
        return 0;
    bits *= vector;
    return bits >= 8 && bits <= 256 && gpci_power_of_two(bits) ? bits / 8 : 0;
}

/* Cache operators of the PTX ISA, as written by ptxas: .cg STRONG.GPU, .cs EF, .cv and volatile STRONG.SYS. */
static void decode_operators(const char *text, gpci_opcode *opcode) {
    static const struct {
        const char *modifier;
        uint8_t hint, priority;
    } operators[] = {
        {"CA", GPC_HINT_CA, GPC_EVICT_NORMAL},          {"CG", GPC_HINT_CG, GPC_EVICT_NORMAL},
        {"BYPASS", GPC_HINT_CG, GPC_EVICT_NORMAL},      {"CS", GPC_HINT_CS, GPC_EVICT_NORMAL},
        {"LU", GPC_HINT_CS, GPC_EVICT_NORMAL},          {"CV", GPC_HINT_CV, GPC_EVICT_NORMAL},
        {"WB", GPC_HINT_WB, GPC_EVICT_NORMAL},          {"WT", GPC_HINT_WT, GPC_EVICT_NORMAL},
        {"NA", GPC_HINT_NO_ALLOCATE, GPC_EVICT_NORMAL}, {"EF", GPC_HINT_NONE, GPC_EVICT_FIRST},
        {"EL", GPC_HINT_NONE, GPC_EVICT_LAST},
    };
    bool strong = gpci_opcode_has(text, "STRONG");
    if (opcode->kind == GPC_LOAD && strong && gpci_opcode_has(text, "GPU"))
        opcode->hint = GPC_HINT_CG;
    if (opcode->kind == GPC_LOAD && strong && gpci_opcode_has(text, "SYS"))
        opcode->hint = GPC_HINT_CV;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (!gpci_opcode_has(text, operators[i].modifier))
            continue;
        if (operators[i].hint)
            opcode->hint = operators[i].hint;
        if (operators[i].priority)
            opcode->priority = operators[i].priority;
    }
}

/* UBLKCP.S.G copies to shared memory, UBLKCP.G.S to global memory: the first of the two is the target. */
static bool stores_bulk(const char *text) {
    for (gpci_opcode_part part = gpci_opcode_next(gpci_opcode_first(text)); part.at; part = gpci_opcode_next(part))
        if (gpci_opcode_is(part, "S") || gpci_opcode_is(part, "G"))
            return gpci_opcode_is(part, "G");
    return false;
}

static void decode_memory(const char *text, const gpci_memory_opcode *memory, gpci_opcode *opcode) {
    opcode->op_class = GPC_OP_MEMORY;
    opcode->kind = memory->kind;
    opcode->space = memory->space;
    opcode->width = memory->width;
    /*
     * The numbers of LDSM.16.M88.4 and of bulk copies count elements; each address of an LDSM is that of a row of 16
     * bytes.
     */
    const bool bulk = !strncmp(text, "UBLK", 4) || !strncmp(text, "UTMA", 4);
    opcode->width_stated = memory->width == 16 && !bulk;
    for (gpci_opcode_part part = gpci_opcode_next(gpci_opcode_first(text)); part.at && !bulk && !opcode->width_stated;
         part = gpci_opcode_next(part)) {
        unsigned width = stated_width(part);
        if (width) {
            opcode->width = (uint8_t)width;
            opcode->width_stated = true;
        }
    }
    if (!strcmp(memory->name, "UBLKCP") && stores_bulk(text))
        opcode->kind = GPC_STORE;
    opcode->mapped = gpci_opcode_has(text, GPCI_OPCODE_MAPPED);
    decode_operators(text, opcode);
}

/* Decode class and memory. BAR.ARV does not wait. CCTL with PF1 or PF2 is a prefetch. */
static void decode_name(const char *text, gpci_opcode *opcode) {
    static const gpci_memory_opcode prefetch = {"CCTL", GPC_PREFETCH, GPC_SPACE_GLOBAL, 4};
    const gpci_opcode_part name = gpci_opcode_first(text);
    const gpci_memory_opcode *memory = gpci_opcode_memory(name, &opcode->unknown);
    if (gpci_opcode_is(name, "CCTL") && (gpci_opcode_has(text, "PF1") || gpci_opcode_has(text, "PF2")))
        memory = &prefetch;
    if (memory) {
        decode_memory(text, memory, opcode);
        return;
    }
    gpci_opcode_class(name, opcode);
    if (opcode->op_class == GPC_OP_BARRIER && gpci_opcode_has(text, "ARV"))
        opcode->op_class = GPC_OP_CONTROL;
}

void gpci_opcode_decode(const char *text, gpci_opcode *opcode) {
    *opcode = (gpci_opcode){.text = text, .op_class = GPC_OP_ALU, .space = GPC_SPACE_NONE};
    decode_name(text, opcode);
    gpci_opcode_order(text, opcode);
    opcode->copy = gpci_opcode_copy(text);
}
