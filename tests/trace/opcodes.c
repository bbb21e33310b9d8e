/* SPDX-License-Identifier: BSD-2-Clause */
#include "public_opcodes.h"
#include "trace/blocks/builder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Meanings of opcode texts: SASS as listed by NVIDIA's binary utilities, and cache operators of the PTX ISA. */

typedef struct meaning {
    const char *text;
    uint8_t kind, space, width, hint, priority;
} meaning;

static gpci_opcode decode(const char *text) {
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    gpci_opcodes *opcodes = gpci_opcodes_create(context);
    cr_assert_not_null(opcodes);
    uint32_t index = gpci_opcodes_intern(opcodes, text, strlen(text));
    cr_assert_eq(index, 0);
    gpci_opcode opcode = *gpci_opcodes_at(opcodes, index);
    cr_assert_str_eq(opcode.text, text);
    opcode.text = NULL;
    gpci_opcodes_destroy(opcodes);
    gpc_context_destroy(context);
    return opcode;
}

#define G GPC_SPACE_GLOBAL

static const meaning meanings[] = {
    {"LDG", GPC_LOAD, G, 4, 0, 0},
    {"LDG.E", GPC_LOAD, G, 4, 0, 0},
    {"LDG.E.64", GPC_LOAD, G, 8, 0, 0},
    {"LDG.E.128.SYS", GPC_LOAD, G, 16, 0, 0},
    {"LDG.E.U8", GPC_LOAD, G, 1, 0, 0},
    {"LDG.E.S8.CONSTANT", GPC_LOAD, G, 1, 0, 0},
    {"LDG.E.U16", GPC_LOAD, G, 2, 0, 0},
    {"LDG.E.S16", GPC_LOAD, G, 2, 0, 0},
    {"LDG.E.LTC128B.64.CONSTANT", GPC_LOAD, G, 8, 0, 0},
    {"LDG.E.CONSTANT", GPC_LOAD, G, 4, 0, 0},
    {"LDG.E.CG", GPC_LOAD, G, 4, GPC_HINT_CG, 0},
    {"LDG.E.CS", GPC_LOAD, G, 4, GPC_HINT_CS, 0},
    {"LDG.E.CV", GPC_LOAD, G, 4, GPC_HINT_CV, 0},
    {"LDG.E.LU", GPC_LOAD, G, 4, GPC_HINT_CS, 0},
    {"LDG.E.EF", GPC_LOAD, G, 4, 0, GPC_EVICT_FIRST},
    {"LDG.E.EL.64", GPC_LOAD, G, 8, 0, GPC_EVICT_LAST},
    {"LDG.E.NA", GPC_LOAD, G, 4, GPC_HINT_NO_ALLOCATE, 0},
    {"LDG.E.NA.EF", GPC_LOAD, G, 4, GPC_HINT_NO_ALLOCATE, GPC_EVICT_FIRST},
    {"LDG.E.STRONG.GPU", GPC_LOAD, G, 4, GPC_HINT_CG, 0},
    {"LDG.E.64.STRONG.SYS", GPC_LOAD, G, 8, GPC_HINT_CV, 0},
    {"LDG.E.STRONG.SM", GPC_LOAD, G, 4, 0, 0},
    {"LDG.E.GPU", GPC_LOAD, G, 4, 0, 0},
    {"LD.E.64", GPC_LOAD, GPC_SPACE_GENERIC, 8, 0, 0},
    {"LDL.LU", GPC_LOAD, GPC_SPACE_LOCAL, 4, GPC_HINT_CS, 0},
    {"LDS.U.128", GPC_LOAD, GPC_SPACE_SHARED, 16, 0, 0},
    {"LDSM.16.M88.4", GPC_LOAD, GPC_SPACE_SHARED, 16, 0, 0},
    {"LDSM.16.MT88.2", GPC_LOAD, GPC_SPACE_SHARED, 16, 0, 0},
    {"LDC.64", GPC_LOAD, GPC_SPACE_CONSTANT, 8, 0, 0},
    {"LDGSTS.E.128", GPC_LOAD, G, 16, 0, 0},
    {"LDGSTS.E.BYPASS.LTC128B.128", GPC_LOAD, G, 16, GPC_HINT_CG, 0},
    {"STG.E.U8", GPC_STORE, G, 1, 0, 0},
    {"STG.E.STRONG.GPU", GPC_STORE, G, 4, 0, 0},
    {"STG.E.EF.128", GPC_STORE, G, 16, 0, GPC_EVICT_FIRST},
    {"STL.64", GPC_STORE, GPC_SPACE_LOCAL, 8, 0, 0},
    {"STS", GPC_STORE, GPC_SPACE_SHARED, 4, 0, 0},
    {"ST.E.S16", GPC_STORE, GPC_SPACE_GENERIC, 2, 0, 0},
    {"ATOM.E.ADD.64.STRONG.GPU", GPC_ATOMIC, GPC_SPACE_GENERIC, 8, 0, 0},
    {"ATOMG.E.CAS.STRONG.GPU", GPC_ATOMIC, G, 4, 0, 0},
    {"ATOMG.E.CAS.128", GPC_ATOMIC, G, 16, 0, 0},
    {"ATOMG.E.ADD.F16x2.RN", GPC_ATOMIC, G, 4, 0, 0},
    {"ATOMG.E.ADD.BF16_V2", GPC_ATOMIC, G, 4, 0, 0},
    {"ATOMS.POPC.INC.32", GPC_ATOMIC, GPC_SPACE_SHARED, 4, 0, 0},
    {"RED.E.ADD.F32.FTZ.RN.STRONG.GPU", GPC_REDUCTION, GPC_SPACE_GENERIC, 4, 0, 0},
    {"RED.E.ADD.F64.RN.STRONG.GPU", GPC_REDUCTION, GPC_SPACE_GENERIC, 8, 0, 0},
    {"REDG.E.ADD.S32", GPC_REDUCTION, G, 4, 0, 0},
    {"CCTL.E.PF2", GPC_PREFETCH, G, 4, 0, 0},
    {"UTMALDG.2D", GPC_LOAD, G, 16, 0, 0},
    {"UTMASTG.4D", GPC_STORE, G, 16, 0, 0},
    {"UTMAPF.L2.2D", GPC_PREFETCH, G, 16, 0, 0},
    {"UTMAREDG.2D.ADD", GPC_REDUCTION, G, 16, 0, 0},
    {"UBLKCP.S.G", GPC_LOAD, G, 16, 0, 0},
    {"UBLKCP.G.S", GPC_STORE, G, 16, 0, 0},
    {"UBLKPF", GPC_PREFETCH, G, 16, 0, 0},
    {"UBLKRED.G.S.ADD.F32", GPC_REDUCTION, G, 16, 0, 0},
    {"TEX.SCR.LL", GPC_LOAD, GPC_SPACE_TEXTURE, 4, 0, 0},
    {"TXD.B", GPC_LOAD, GPC_SPACE_TEXTURE, 4, 0, 0},
    {"LDGMC.E.ADD.F32x4.RN.STRONG.SYS", GPC_LOAD, G, 16, GPC_HINT_CV, 0},
    {"LDGMC.E.ADD.F16x8.RN.STRONG.GPU", GPC_LOAD, G, 16, GPC_HINT_CG, 0},
    {"USTGR.64", GPC_STORE, G, 8, 0, 0},
    {"UREDGR.ADD", GPC_REDUCTION, G, 4, 0, 0},
    {"LDSLK.64", GPC_LOAD, GPC_SPACE_SHARED, 8, 0, 0},
    {"STSCUL", GPC_STORE, GPC_SPACE_SHARED, 4, 0, 0},
    {"ARRIVES.LDGSTSBAR.64", GPC_ATOMIC, GPC_SPACE_SHARED, 8, 0, 0},
    /* A family name missing in the tables. */
    {"LDGX", GPC_LOAD, G, 4, 0, 0},
    {"STGNEW.E.128", GPC_STORE, G, 16, 0, 0},
};

Test(opcodes, memory) {
    for (size_t n = 0; n < sizeof meanings / sizeof *meanings; n++) {
        const meaning *m = &meanings[n];
        gpci_opcode opcode = decode(m->text);
        cr_assert_eq(opcode.op_class, GPC_OP_MEMORY, "%s", m->text);
        cr_assert_eq(opcode.kind, m->kind, "%s: %u", m->text, opcode.kind);
        cr_assert_eq(opcode.space, m->space, "%s: %u", m->text, opcode.space);
        cr_assert_eq(opcode.width, m->width, "%s: %u", m->text, opcode.width);
        cr_assert_eq(opcode.hint, m->hint, "%s: %u", m->text, opcode.hint);
        cr_assert_eq(opcode.priority, m->priority, "%s: %u", m->text, opcode.priority);
    }
}

Test(opcodes, classes) {
    static const struct {
        gpc_op_class op_class;
        const char *texts;
    } classes[] = {
        {GPC_OP_ALU, "IMAD IMAD.WIDE MOV SEL LOP3.LUT ISETP.GE.AND SHFL.IDX VOTE.ANY XYZZY LD_ L U"},
        {GPC_OP_FP,
         "FADD FADD.FTZ FADD32I FFMA.FTZ FMUL FSETP.GT.AND FMNMX FSEL FSWZADD HADD2.F32 HFMA2.MMA HSETP2.GT.AND"},
        {GPC_OP_DOUBLE, "DADD DMUL DFMA.RN DSETP.GT.AND"},
        {GPC_OP_SFU, "MUFU.RCP MUFU.EX2 F2I.FTZ.U32.TRUNC.NTZ I2F.RP POPC FLO.U32 BREV"},
        {GPC_OP_TENSOR, "HMMA.16816.F32 IMMA.16832.S8.S8 DMMA.884 BMMA.168256.AND.POPC HGMMA.64x128x16.F32 "
                        "QGMMA.64x64x32.F32.E4M3.E4M3 IGMMA.64x64x32.S8.S8 BGMMA.64x8x256.AND.POPC LDTM.x32 STTM"},
        {GPC_OP_UNIFORM, "ULDC ULDC.64 UMOV UIADD3 USEL S2UR R2UR VOTEU.ANY UISETP.GE.U32.AND UCGABAR_ARV REDUX.SUM "
                         "LDCU.64 CS2UR"},
        {GPC_OP_CONTROL, "BRA BRA.U BRX BSSY BSYNC BREAK CALL.REL.NOINC RET.REL.NODEC NOP WARPSYNC WARPSYNC.ALL YIELD "
                         "NANOSLEEP DEPBAR.LE LDGDEPBAR SSY SYNC PBK BRK KILL BAR.ARV ELECT "
                         "ENDCOLLECTIVE WARPGROUP.ARRIVE"},
        {GPC_OP_BARRIER, "BAR BAR.SYNC BAR.SYNC.DEFER_BLOCKING BAR.RED.POPC UCGABAR_WAIT"},
        {GPC_OP_FENCE, "MEMBAR.SC.GPU MEMBAR.ALL.CTA ERRBAR CCTL.IVALL CCTLL FENCE.VIEW.ASYNC CGAERRBAR"},
        {GPC_OP_EXIT, "EXIT"},
    };
    for (size_t n = 0; n < sizeof classes / sizeof *classes; n++) {
        char texts[512];
        snprintf(texts, sizeof texts, "%s", classes[n].texts);
        for (char *text = strtok(texts, " "); text; text = strtok(NULL, " ")) {
            gpci_opcode opcode = decode(text);
            cr_assert_eq(opcode.op_class, classes[n].op_class, "%s: %u", text, opcode.op_class);
            cr_assert_eq(opcode.space, GPC_SPACE_NONE, "%s", text);
            cr_assert_eq(opcode.width, 0, "%s", text);
        }
    }
}

/* Names in the lists of NVIDIA or Accel-Sim are known. Other names are unknown, with or without a family. */
Test(opcodes, public_names) {
    for (size_t n = 0; n < sizeof public_opcodes / sizeof *public_opcodes; n++) {
        char names[4096];
        cr_assert_lt(strlen(public_opcodes[n].names), sizeof names);
        snprintf(names, sizeof names, "%s", public_opcodes[n].names);
        for (char *name = strtok(names, " "); name; name = strtok(NULL, " "))
            cr_expect(!decode(name).unknown, "%s: %s", public_opcodes[n].source, name);
    }
    const char *const unknown[] = {"XYZZY", "LDGX", "STGNEW.E.128", "LD_", "U", "UNEW", "ATOMSX.ADD", "L", "MOVE"};
    for (size_t n = 0; n < sizeof unknown / sizeof *unknown; n++)
        cr_expect(decode(unknown[n]).unknown, "%s", unknown[n]);
}

/* Order, scope and cache control in SASS. */
Test(opcodes, ordering) {
    static const struct {
        const char *text;
        gpc_scope scope;
        gpc_order order;
        gpc_control control;
    } known[] = {
        {"LDG.E", GPC_SCOPE_CTA, GPC_ORDER_WEAK, GPC_CONTROL_NONE},
        {"LDG.E.CONSTANT", GPC_SCOPE_CTA, GPC_ORDER_WEAK, GPC_CONTROL_NONE},
        {"LDG.E.64.STRONG.SM", GPC_SCOPE_CTA, GPC_ORDER_RELAXED, GPC_CONTROL_NONE},
        {"LDG.E.STRONG.CTA", GPC_SCOPE_CTA, GPC_ORDER_RELAXED, GPC_CONTROL_NONE},
        {"LDG.E.STRONG.GPU", GPC_SCOPE_GPU, GPC_ORDER_RELAXED, GPC_CONTROL_NONE},
        {"LD.E.STRONG.SYS", GPC_SCOPE_SYS, GPC_ORDER_RELAXED, GPC_CONTROL_NONE},
        {"LDG.E.MMIO.SYS", GPC_SCOPE_SYS, GPC_ORDER_RELAXED, GPC_CONTROL_NONE},
        {"STG.E.STRONG.GPU", GPC_SCOPE_GPU, GPC_ORDER_RELAXED, GPC_CONTROL_NONE},
        {"STG.E.GPU", GPC_SCOPE_CTA, GPC_ORDER_WEAK, GPC_CONTROL_NONE},
        {"ATOMG.E.ADD.STRONG.SYS", GPC_SCOPE_SYS, GPC_ORDER_RELAXED, GPC_CONTROL_NONE},
        {"ATOM.E.CAS", GPC_SCOPE_GPU, GPC_ORDER_RELAXED, GPC_CONTROL_NONE},
        {"RED.E.ADD.STRONG.SM", GPC_SCOPE_CTA, GPC_ORDER_RELAXED, GPC_CONTROL_NONE},
        {"ATOMS.ADD", GPC_SCOPE_CTA, GPC_ORDER_RELAXED, GPC_CONTROL_NONE},
        {"MEMBAR.SC.GPU", GPC_SCOPE_GPU, GPC_ORDER_SC, GPC_CONTROL_NONE},
        {"MEMBAR.SC.CTA", GPC_SCOPE_CTA, GPC_ORDER_SC, GPC_CONTROL_NONE},
        {"MEMBAR.ALL.SM", GPC_SCOPE_CTA, GPC_ORDER_ACQ_REL, GPC_CONTROL_NONE},
        {"MEMBAR.ALL.SYS", GPC_SCOPE_SYS, GPC_ORDER_ACQ_REL, GPC_CONTROL_NONE},
        {"MEMBAR.CTA", GPC_SCOPE_CTA, GPC_ORDER_SC, GPC_CONTROL_NONE},
        {"MEMBAR.GL", GPC_SCOPE_GPU, GPC_ORDER_SC, GPC_CONTROL_NONE},
        {"MEMBAR.ALL.VC", GPC_SCOPE_SYS, GPC_ORDER_ACQ_REL, GPC_CONTROL_NONE},
        {"FENCE.VIEW.ASYNC", GPC_SCOPE_CTA, GPC_ORDER_ACQ_REL, GPC_CONTROL_NONE},
        {"ERRBAR", GPC_SCOPE_CTA, GPC_ORDER_WEAK, GPC_CONTROL_NONE},
        {"CCTL.IVALL", GPC_SCOPE_CTA, GPC_ORDER_WEAK, GPC_CONTROL_INVALIDATE_ALL},
        {"CCTL.D.IVALL", GPC_SCOPE_CTA, GPC_ORDER_WEAK, GPC_CONTROL_INVALIDATE_ALL},
        {"CCTL.C.IVALL", GPC_SCOPE_CTA, GPC_ORDER_WEAK, GPC_CONTROL_OTHER},
        {"CCTL.WBALL", GPC_SCOPE_CTA, GPC_ORDER_WEAK, GPC_CONTROL_WRITE_BACK_ALL},
        {"CCTL.E.IV", GPC_SCOPE_CTA, GPC_ORDER_WEAK, GPC_CONTROL_INVALIDATE},
        {"CCTL.E.WB", GPC_SCOPE_CTA, GPC_ORDER_WEAK, GPC_CONTROL_WRITE_BACK},
        {"CCTL.E.RML2", GPC_SCOPE_CTA, GPC_ORDER_WEAK, GPC_CONTROL_OTHER},
        {"CCTLL.IVALL", GPC_SCOPE_CTA, GPC_ORDER_WEAK, GPC_CONTROL_INVALIDATE_ALL},
        {"CCTLT.IVALL", GPC_SCOPE_CTA, GPC_ORDER_WEAK, GPC_CONTROL_OTHER},
        {"CCTL.E.PF2", GPC_SCOPE_CTA, GPC_ORDER_WEAK, GPC_CONTROL_NONE},
        {"IADD3", GPC_SCOPE_CTA, GPC_ORDER_WEAK, GPC_CONTROL_NONE},
    };
    for (size_t n = 0; n < sizeof known / sizeof *known; n++) {
        gpci_opcode opcode = decode(known[n].text);
        cr_expect_eq(opcode.scope, known[n].scope, "%s: scope %u", known[n].text, opcode.scope);
        cr_expect_eq(opcode.order, known[n].order, "%s: order %u", known[n].text, opcode.order);
        cr_expect_eq(opcode.control, known[n].control, "%s: control %u", known[n].text, opcode.control);
    }
}

/* The memory width of the line counts where the opcode states none. */
Test(opcodes, stated_width) {
    cr_assert(decode("LDG.E.64").width_stated);
    cr_assert(decode("LDG.E.U8").width_stated);
    cr_assert(decode("LDSM.16.M88").width_stated);
    cr_assert(!decode("LDG.E").width_stated);
    cr_assert(!decode("LDG.E.STRONG.GPU").width_stated);
    cr_assert(!decode("UTMALDG.2D").width_stated);
    /* Not widths, despite the look. */
    const char *const odd[] = {"LDG.12",   "LDG.0",   "LDG.U",      "LDG.24", "LDG.512",
                               "LDG.F32y", "LDG.64x", "LDG.1024x2", "LDG..",  "LDG."};
    for (size_t n = 0; n < sizeof odd / sizeof *odd; n++)
        cr_assert(decode(odd[n]).width == 4 && !decode(odd[n]).width_stated, "%s", odd[n]);
}

/* A text is stored once, with a number, and never moves. */
Test(opcodes, interning) {
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    gpci_opcodes *opcodes = gpci_opcodes_create(context);
    const char *first = NULL;
    for (int round = 0; round < 2; round++)
        for (uint32_t n = 0; n < 5000; n++) {
            char text[32];
            int length = snprintf(text, sizeof text, "OP%u.%u", n, n % 7);
            cr_assert_eq(gpci_opcodes_intern(opcodes, text, (size_t)length), n);
            first = n == 0 && round == 0 ? gpci_opcodes_at(opcodes, 0)->text : first;
        }
    cr_assert_eq(gpci_opcodes_count(opcodes), 5000);
    cr_assert_eq(gpci_opcodes_at(opcodes, 0)->text, first);
    cr_assert_str_eq(first, "OP0.0");
    cr_assert_str_eq(gpci_opcodes_at(opcodes, 4321)->text, "OP4321.2");
    /* A part of a text is another text; a long text has room too. */
    cr_assert_eq(gpci_opcodes_intern(opcodes, "OP0.0", 3), 5000);
    char longest[10000];
    memset(longest, 'A', sizeof longest);
    cr_assert_eq(gpci_opcodes_intern(opcodes, longest, sizeof longest), 5001);
    cr_assert_eq(strlen(gpci_opcodes_at(opcodes, 5001)->text), sizeof longest);
    gpci_opcodes_destroy(opcodes);
    gpci_opcodes_destroy(NULL);
    gpc_context_destroy(context);
}

/* A trace gives an opcode the meaning of the text, in every format; an older host's struct is filled in part. */
Test(opcodes, ordering_of_a_trace) {
    gpc_context *context;
    gpc_trace *trace;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    gpc_ordering ordering = GPC_ORDERING_INIT;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpc_trace_open(context, "synthetic:histogram:64KiB", &trace, NULL), GPC_OK);
    cr_assert_eq(gpc_trace_next_kernel(trace, &kernel, NULL), GPC_OK);
    const gpc_block *block;
    cr_assert_eq(gpc_trace_next_block(trace, &block, NULL), GPC_OK);
    uint32_t reductions = 0;
    for (uint64_t n = 0; n < block->warps[0].count; n++) {
        const gpc_instruction *i = &block->warps[0].instructions[n];
        cr_assert_eq(gpc_trace_ordering(trace, i->opcode, &ordering, NULL), GPC_OK);
        bool atomic = i->op_class == GPC_OP_MEMORY && (i->kind == GPC_ATOMIC || i->kind == GPC_REDUCTION);
        cr_assert_eq(ordering.order, atomic ? GPC_ORDER_RELAXED : GPC_ORDER_WEAK, "%s",
                     gpc_trace_opcode(trace, i->opcode));
        reductions += atomic;
    }
    cr_assert_gt(reductions, 0);
    ordering = (gpc_ordering){.struct_size = offsetof(gpc_ordering, order), .order = 77};
    cr_assert_eq(gpc_trace_ordering(trace, 0, &ordering, NULL), GPC_OK);
    cr_assert_eq(ordering.order, 77);
    ordering.struct_size = 0;
    cr_assert_eq(gpc_trace_ordering(trace, 0, &ordering, NULL), GPC_ERROR_ABI);
    gpc_trace_close(trace);
    gpc_context_destroy(context);
}
