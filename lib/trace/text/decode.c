/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/text/opcodes.h"

#include <string.h>

/*
 * SASS opcodes: a name, then modifiers, with dots between ("LDG.E.64.STRONG.GPU").
 * The name says what unit works and on which memory, the modifiers how wide and
 * with which cache operator.
 */

typedef struct named_memory {
    const char *name;
    uint8_t kind, space, width; /* width where no modifier says it */
} named_memory;

/* Bulk copies (UBLK*) and tensor copies (UTMA*) move bytes that the instruction line counts. */
static const named_memory memory_names[] = {
    {"LDG", GPC_LOAD, GPC_SPACE_GLOBAL, 4},
    {"STG", GPC_STORE, GPC_SPACE_GLOBAL, 4},
    {"LDL", GPC_LOAD, GPC_SPACE_LOCAL, 4},
    {"STL", GPC_STORE, GPC_SPACE_LOCAL, 4},
    {"LDS", GPC_LOAD, GPC_SPACE_SHARED, 4},
    {"STS", GPC_STORE, GPC_SPACE_SHARED, 4},
    {"LD", GPC_LOAD, GPC_SPACE_GENERIC, 4},
    {"ST", GPC_STORE, GPC_SPACE_GENERIC, 4},
    {"LDC", GPC_LOAD, GPC_SPACE_CONSTANT, 4},
    {"LDGSTS", GPC_LOAD, GPC_SPACE_GLOBAL, 4},
    {"ATOM", GPC_ATOMIC, GPC_SPACE_GENERIC, 4},
    {"ATOMG", GPC_ATOMIC, GPC_SPACE_GLOBAL, 4},
    {"RED", GPC_REDUCTION, GPC_SPACE_GENERIC, 4},
    {"REDG", GPC_REDUCTION, GPC_SPACE_GLOBAL, 4},
    {"ATOMS", GPC_ATOMIC, GPC_SPACE_SHARED, 4},
    {"SYNCS", GPC_ATOMIC, GPC_SPACE_SHARED, 8},
    {"LDSM", GPC_LOAD, GPC_SPACE_SHARED, 16},
    {"STSM", GPC_STORE, GPC_SPACE_SHARED, 16},
    {"STAS", GPC_STORE, GPC_SPACE_CLUSTER, 4},
    {"REDAS", GPC_REDUCTION, GPC_SPACE_CLUSTER, 4},
    {"UTMALDG", GPC_LOAD, GPC_SPACE_GLOBAL, 16},
    {"UTMASTG", GPC_STORE, GPC_SPACE_GLOBAL, 16},
    {"UTMAPF", GPC_PREFETCH, GPC_SPACE_GLOBAL, 16},
    {"UTMAREDG", GPC_REDUCTION, GPC_SPACE_GLOBAL, 16},
    {"UBLKCP", GPC_LOAD, GPC_SPACE_GLOBAL, 16},
    {"UBLKPF", GPC_PREFETCH, GPC_SPACE_GLOBAL, 16},
    {"UBLKRED", GPC_REDUCTION, GPC_SPACE_GLOBAL, 16},
    {"TEX", GPC_LOAD, GPC_SPACE_TEXTURE, 4},
    {"TEXS", GPC_LOAD, GPC_SPACE_TEXTURE, 4},
    {"TLD", GPC_LOAD, GPC_SPACE_TEXTURE, 4},
    {"TLDS", GPC_LOAD, GPC_SPACE_TEXTURE, 4},
    {"TLD4", GPC_LOAD, GPC_SPACE_TEXTURE, 4},
    {"TLD4S", GPC_LOAD, GPC_SPACE_TEXTURE, 4},
    {"SULD", GPC_LOAD, GPC_SPACE_TEXTURE, 4},
    {"SUST", GPC_STORE, GPC_SPACE_TEXTURE, 4},
    {"SUATOM", GPC_ATOMIC, GPC_SPACE_TEXTURE, 4},
    {"SURED", GPC_REDUCTION, GPC_SPACE_TEXTURE, 4},
};

/*
 * Everything else that is not integer work. As Accel-Sim's tables have it (gpu-simulator/ISA_Def: SP_OP is FP here,
 * INTP_OP and ALU_OP, which have one unit there, are ALU), but that conversions and bit counts run at the rate of MUFU
 * (CUDA C++ Programming Guide, arithmetic instructions: 16 results per clock and SM). BAR.ARV does not wait, so it is
 * no barrier: see below.
 */
static const struct {
    uint8_t op_class;
    const char *names;
} classes[] = {
    {GPC_OP_FP, "FADD FADD2 FADD32I FCHK FCMP FFMA FFMA2 FFMA32I FMNMX FMNMX3 FMUL FMUL2 FMUL32I FSEL FSET FSETP FSWZ "
                "FSWZADD HADD2 HADD2_32I HFMA2 HFMA2_32I HMNMX2 HMUL2 HMUL2_32I HSET2 HSETP2"},
    {GPC_OP_DOUBLE, "DADD DMUL DFMA DSETP DMNMX DSET"},
    {GPC_OP_SFU, "MUFU F2F F2I I2F I2I FRND POPC FLO BREV RRO"},
    {GPC_OP_TENSOR, "HMMA IMMA DMMA BMMA QMMA OMMA HGMMA IGMMA BGMMA QGMMA UTCHMMA UTCIMMA UTCQMMA UTCOMMA"},
    {GPC_OP_UNIFORM, "S2UR R2UR VOTEU CREDUX"},
    {GPC_OP_CONTROL, "BRA BRX BRXU BRK BREAK BSSY BSYNC BMOV BPT CALL CAL JCAL CONT JMP JMX JMXU KILL NANOSLEEP "
                     "NANOTRAP NOP PBK PCNT PEXIT PRET RET RPCMOV RTT SSY SYNC WARPSYNC YIELD DEPBAR LDGDEPBAR "
                     "ACQBULK PREEXIT"},
    {GPC_OP_BARRIER, "BAR UCGABAR_WAIT"},
    {GPC_OP_FENCE, "MEMBAR ERRBAR CCTL CCTLL CCTLT FENCE"},
    {GPC_OP_EXIT, "EXIT"},
};

/* What neither adds nor multiplies, and what does both, of integer and floating-point work. */
static const char moves[] =
    "MOV MOV32I MOVM SEL FSEL PRMT SHF SHL SHR LOP LOP3 LOP32I PLOP3 BFE BFI BMSK SGXT ISET ISETP ICMP PSET PSETP FSET "
    "FSETP FCMP HSET2 HSETP2 P2R R2P CS2R S2R SHFL VOTE";
static const char multiply_adds[] = "IMAD IMAD32I XMAD IMADSP FFMA FFMA2 FFMA32I HFMA2 HFMA2_32I";

#define TABLE_LENGTH(table) (sizeof(table) / sizeof *(table))

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
 * Bytes per lane that a modifier states: "64", "U8", "S16", "F64", "F16x2", "BF16_V2". 0: it states none.
 * (The usual simulator knows only "64" and "U8", and takes S8, S16 and F64 for 4 bytes.)
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

/* Cache operators, as ptxas writes those of the PTX ISA: .cg STRONG.GPU, .cs EF, .cv and volatile STRONG.SYS. */
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
    for (size_t i = 0; i < TABLE_LENGTH(operators); i++) {
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

static void decode_memory(const char *text, const named_memory *memory, gpci_opcode *opcode) {
    opcode->op_class = GPC_OP_MEMORY;
    opcode->kind = memory->kind;
    opcode->space = memory->space;
    opcode->width = memory->width;
    /* The numbers of LDSM.16.M88.4 and of bulk copies count elements; the former addresses rows of 16 bytes. */
    bool bulk = *text == 'U';
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

/* Whether a word is one of those in a list with blanks between. */
static bool is_listed(const char *words, gpci_opcode_part word) {
    while (words) {
        gpci_opcode_part next = {words, strcspn(words, " ")};
        if (next.length == word.length && !memcmp(next.at, word.at, word.length))
            return true;
        words = next.at[next.length] ? next.at + next.length + 1 : NULL;
    }
    return false;
}

static void decode_class(const char *text, gpci_opcode *opcode) {
    gpci_opcode_part name = gpci_opcode_first(text);
    for (size_t i = 0; i < TABLE_LENGTH(classes); i++) {
        if (!is_listed(classes[i].names, name))
            continue;
        bool waits = classes[i].op_class != GPC_OP_BARRIER || !gpci_opcode_has(text, "ARV");
        opcode->op_class = waits ? classes[i].op_class : GPC_OP_CONTROL;
        return;
    }
    if (name.length > 1 && *text == 'U')
        opcode->op_class = GPC_OP_UNIFORM;
}

/* Class, and what memory it works on. */
static void decode_name(const char *text, gpci_opcode *opcode) {
    static const named_memory prefetch = {"CCTL", GPC_PREFETCH, GPC_SPACE_GLOBAL, 4};
    gpci_opcode_part name = gpci_opcode_first(text);
    for (size_t i = 0; i < TABLE_LENGTH(memory_names); i++) {
        if (gpci_opcode_is(name, memory_names[i].name)) {
            decode_memory(text, &memory_names[i], opcode);
            return;
        }
    }
    if (gpci_opcode_is(name, "CCTL") && (gpci_opcode_has(text, "PF1") || gpci_opcode_has(text, "PF2")))
        decode_memory(text, &prefetch, opcode);
    else
        decode_class(text, opcode);
}

/* IMAD.MOV and IMAD.SHL are a move and a shift that another unit does. */
static void decode_work(const char *text, gpci_opcode *opcode) {
    const gpci_opcode_part name = gpci_opcode_first(text);
    if (opcode->op_class != GPC_OP_ALU && opcode->op_class != GPC_OP_FP)
        return;
    if (is_listed(moves, name))
        opcode->work = GPCI_WORK_MOVE;
    else if (is_listed(multiply_adds, name))
        opcode->work = GPCI_WORK_FMA;
}

void gpci_opcode_decode(const char *text, gpci_opcode *opcode) {
    *opcode = (gpci_opcode){.text = text, .op_class = GPC_OP_ALU, .space = GPC_SPACE_NONE};
    decode_name(text, opcode);
    gpci_opcode_order(text, opcode);
    opcode->copy = gpci_opcode_copy(text);
    decode_work(text, opcode);
}
