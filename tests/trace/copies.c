/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "trace/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Asynchronous copies in traces. */

#define HEADER4 HEADER "-accelsim tracer version = 4\n"
#define SHARED "0 f 0 LDGSTS.E.BYPASS.128 2 R4 R2 16 1 0x400 16 0\n"
#define GLOBAL "0 f 0 LDGSTS.E.BYPASS.128 2 R4 R2 16 1 0x7f0000001000 16 0\n"

static gpc_copy copy_of(const gpc_trace *trace, const gpc_instruction *i) {
    gpc_ordering ordering = GPC_ORDERING_INIT;
    cr_assert_eq(gpc_trace_ordering(trace, i->opcode, &ordering, NULL), GPC_OK);
    return (gpc_copy)ordering.copy;
}

/* The two lines of a copy are one instruction, with the read addresses. */
Test(trace_copies, two_lines_are_one_copy) {
    rig r;
    rig_open(&r);
    write_block(&r, "k.traceg", HEADER4,
                SHARED GLOBAL "10 f 0 LDGDEPBAR 0 0 0\n20 f 0 DEPBAR.LE 0 0 2\n"
                              "30 f 0 LDGSTS.E.64 2 R4 R2 8 1 0x7f0000002000 8 0\n" /* alone */
                              "30 3 0 LDGSTS.E.64 2 R4 R2 8 1 0x7f0000003000 8 0\n" /* of other lanes */
                              "40 f 0 LDGSTS.E.64 2 R4 R2 8 1 0x7f0000003000 8 0\n" SHARED GLOBAL SHARED GLOBAL,
                11);
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.traceg"));
    next_kernel(&r, trace);
    const gpc_warp *warp = &next_block(&r, trace)->warps[0];
    const gpc_instruction *i = warp->instructions;
    cr_assert_eq(warp->count, 9); /* with the EXIT that is supplied */
    cr_expect(copy_of(trace, &i[0]) == GPC_COPY_ASYNC && i[0].addresses[3] == 0x7f0000001030 && i[0].width == 16);
    cr_expect(i[0].kind == GPC_LOAD && i[0].hint == GPC_HINT_CG && i[0].space == GPC_SPACE_GLOBAL);
    cr_expect(copy_of(trace, &i[1]) == GPC_COPY_COMMIT && i[1].op_class == GPC_OP_CONTROL);
    cr_expect(copy_of(trace, &i[2]) == GPC_COPY_WAIT && i[2].width == 2);
    cr_expect(copy_of(trace, &i[3]) == GPC_COPY_ASYNC && i[3].hint == GPC_HINT_NONE && i[3].mask == 15);
    cr_expect(i[4].mask == 3 && i[4].addresses[0] == 0x7f0000003000);
    cr_expect_eq(i[5].pc, 0x40);
    cr_expect(i[6].addresses[0] == 0x7f0000001000 && i[7].addresses[0] == 0x7f0000001000);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* A DEPBAR without an immediate waits for all groups; with an impossible counter it is no DEPBAR. */
Test(trace_copies, groups_of_a_depbar) {
    rig r;
    rig_open(&r);
    write_block(&r, "k.traceg", HEADER4, "0 f 0 DEPBAR.LE 0 0\n0 f 0 DEPBAR.LE 0 0 63\n0 f 0 DEPBAR.LE 0 0\n", 3);
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.traceg"));
    next_kernel(&r, trace);
    const gpc_instruction *i = next_block(&r, trace)->warps[0].instructions;
    cr_expect(i[0].width == 0 && i[1].width == 63 && i[2].width == 0);
    gpc_trace_close(trace);
    write_block(&r, "bad.traceg", HEADER4, "0 f 0 DEPBAR.LE 0 0 1\n0 f 0 DEPBAR.LE 0 0 256\n", 2);
    uint64_t instructions;
    const gpc_status status = read_all(&r, path_of(&r, "bad.traceg"), &instructions);
    expect_error(&r, status, GPC_ERROR_FORMAT, "bad.traceg:12: expected an immediate of at most 255");
    rig_close(&r);
}

/* Each format keeps all data of copies. */
Test(trace_copies, round_trip) {
    rig r;
    rig_open(&r);
    write_block(&r, "k.traceg", HEADER4,
                SHARED GLOBAL "10 f 0 LDGDEPBAR 0 0 0\n20 f 0 DEPBAR.LE 0 0 2\n30 f 0 DEPBAR.LE 0 0 0\n", 5);
    convert(&r, path_of(&r, "k.traceg"), path_of(&r, "k.gct"), GPC_TRACE_BINARY);
    expect_same(&r, path_of(&r, "k.traceg"), path_of(&r, "k.gct"));
    convert(&r, path_of(&r, "k.gct"), path_of(&r, "text"), GPC_TRACE_TEXT);
    expect_same(&r, path_of(&r, "k.traceg"), path_of(&r, "text"));
    convert(&r, "synthetic:bulk-copy:16KiB:tiles=4,stages=3", path_of(&r, "s.gct"), GPC_TRACE_BINARY);
    expect_same(&r, "synthetic:bulk-copy:16KiB:tiles=4,stages=3", path_of(&r, "s.gct"));
    rig_close(&r);
}

/* Pairs stay together although instructions are packed a thousand at a time. */
Test(trace_copies, long_warps) {
    rig r;
    rig_open(&r);
    static char text[1 << 20];
    size_t length =
        (size_t)snprintf(text, sizeof text, HEADER4 "#\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 10000\n");
    for (unsigned n = 0; n < 3000; n++)
        length += (size_t)snprintf(text + length, sizeof text - length, "0 f 0 MOV 0 0 0\n%s%s",
                                   n % 3 ? "" : "8 f 0 MOV 0 0 0\n", SHARED GLOBAL);
    strcpy(text + length, "#END_TB\n");
    write_text(&r, "k.traceg", text);
    gpc_config *config;
    gpc_replay *replay;
    cr_assert_eq(gpc_config_create(r.context, &config, &r.error), GPC_OK);
    cr_assert_eq(gpc_config_set(config, "mode", "functional", &r.error), GPC_OK);
    cr_assert_eq(gpc_replay_create(r.context, config, &replay, &r.error), GPC_OK, "%s", r.error.message);
    gpc_trace *trace = open_trace(&r, path_of(&r, "k.traceg"));
    measured_stats stats;
    measured_clear(&stats);
    gpc_kernel kernel = GPC_KERNEL_INIT;
    cr_assert_eq(measure_kernel(replay, trace, &kernel, &stats, &r.error), GPC_OK, "%s", r.error.message);
    cr_expect_eq(stats.l1_copy_requests, 3000, "%llu", (unsigned long long)stats.l1_copy_requests);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    rig_close(&r);
}

/* SYNCS.PHASECHK waits at the barrier of the first lane; M is the library's form of a barrier. */
Test(trace_copies, barriers) {
    rig r;
    rig_open(&r);
    write_block(&r, "k.traceg", HEADER "-accelsim tracer version = 6\n",
                "0 1 0 UBLKCP.S.G 2 UR4 UR8 256 7f0000000458 0 256 0 4 0x7f0000001000 1 0 NoVal\n"
                "10 3 1 P0 SYNCS.PHASECHK.TRANS64.TRYWAIT 1 R8 8 1 0x458 0 0 NoVal\n"
                "20 3 1 R0 SYNCS.ARRIVE.TRANS64 1 R8 8 1 0x458 0 0 NoVal\n"
                "30 1 0 UTMACMDFLUSH 0 0 0 NoVal\n",
                4);
    for (unsigned n = 0; n < 3; n++) {
        static const char *const names[] = {"k.traceg", "k.gct", "text"};
        if (n)
            convert(&r, path_of(&r, names[n - 1]), path_of(&r, names[n]), n == 1 ? GPC_TRACE_BINARY : GPC_TRACE_TEXT);
        gpc_trace *trace = open_trace(&r, path_of(&r, names[n]));
        next_kernel(&r, trace);
        const gpc_instruction *i = next_block(&r, trace)->warps[0].instructions;
        cr_expect(copy_of(trace, &i[0]) == GPC_COPY_BULK && i[0].width == 128 && i[0].mask == 3, "%s", names[n]);
        cr_expect(i[0].sources == 3 && i[0].registers[2] == (GPC_REGISTER_BARRIER | 0x458 / 8), "%s", names[n]);
        cr_expect(copy_of(trace, &i[1]) == GPC_COPY_BARRIER && i[1].space == GPC_SPACE_SHARED, "%s", names[n]);
        cr_expect(i[1].sources == 2 && i[1].registers[2] == (GPC_REGISTER_BARRIER | 0x458 / 8), "%s", names[n]);
        /* the number of arrivals is unknown */
        cr_expect(copy_of(trace, &i[2]) == GPC_COPY_BARRIER_ARRIVE && i[2].sources == 2, "%s", names[n]);
        cr_expect(copy_of(trace, &i[3]) == GPC_COPY_COMMIT, "%s", names[n]);
        gpc_trace_close(trace);
    }
    rig_close(&r);
}

#define NUMBER(n) (GPC_REGISTER_NUMBER | ((n) >> 14)), (GPC_REGISTER_NUMBER | ((n)&0x3fff))
#define ALL_LANES(value)                                                                                            \
    "32 " value " " value " " value " " value " " value " " value " " value " " value " " value " " value " " value \
    " " value " " value " " value " " value " " value " " value " " value " " value " " value " " value " " value   \
    " " value " " value " " value " " value " " value " " value " " value " " value " " value " " value

static void expect_numbers(const gpc_instruction *i, unsigned own, const uint16_t *numbers, unsigned count,
                           uint32_t barrier, const char *what) {
    cr_assert_eq(i->sources, own + count + 1u, "%s: %u", what, i->sources);
    const uint16_t *at = &i->registers[i->destinations + own];
    for (unsigned n = 0; n < count; n++)
        cr_expect_eq(at[n], numbers[n], "%s %u: %x", what, n, at[n]);
    cr_expect_eq(at[count], GPC_REGISTER_BARRIER | barrier, "%s", what);
}

/* Values give barriers, and the target blocks of a multicast copy; in all formats. */
Test(trace_copies, values_tell_of_barriers) {
    rig r;
    rig_open(&r);
    write_text(
        &r, "k.traceg",
        HEADER
        "-cluster dim = (2,1,1)\n-accelsim tracer version = 6\n#\n#BEGIN_TB\nthread block = 1,0,0\n"
        "cluster rank = 1\nwarp = 0\ninsts = 9\n"
        "0 1 1 UR63 SYNCS.EXCH.64 2 UR4 UR6 8 1 0x1000458 0 0 Val 1 0 1 0 1 1fffc0\n" /* 32 arrivals */
        "10 3 1 RZ SYNCS.ARRIVE.TRANS64 2 R4 R5 8 1 0x1000458 0 0 Val 1 0 1 0 " ALL_LANES(
            "400") "\n"
                   "20 1 1 RZ SYNCS.ARRIVE.TRANS64.A1T0 2 R4 RZ 8 1 0x458 0 0 NoVal\n"
                   "30 3 0 SYNCS.ARRIVE.TRANS64.RED.A1T0 2 R4 RZ 8 2 0x460 16777216 0 NoVal\n" /* ranks 0 and 1 */
                   "40 3 1 P0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R8 R9 8 1 0x458 0 0 Val 1 0 1 0 1 80000000\n"
                   "50 1 0 UTMALDG.2D.MULTICAST 3 UR4 UR8 UR10 128 458 1 3 128 64 4 0x7f0000001000 1 0 NoVal\n"
                   "60 1 0 SYNCS.ARRIVE.TRANS64.RED.A0TR 2 R4 R5 8 1 0x1000458 0 0 Val 1 0 1 40\n"
                   "70 1 0 SYNCS.ARRIVE.TRANS64.OPTOUT.A1T0 2 R4 RZ 8 1 0x458 0 0 NoVal\n"
                   "80 1 0 UBLKCP.S.G 2 UR4 UR8 128 458 0 128 0 4 0x7f0000001000 1 0 NoVal\n"
                   "#END_TB\n");
    for (unsigned n = 0; n < 3; n++) {
        static const char *const names[] = {"k.traceg", "k.gct", "text"};
        const char *what = names[n];
        if (n)
            convert(&r, path_of(&r, names[n - 1]), path_of(&r, names[n]), n == 1 ? GPC_TRACE_BINARY : GPC_TRACE_TEXT);
        gpc_trace *trace = open_trace(&r, path_of(&r, names[n]));
        const gpc_kernel kernel = next_kernel(&r, trace);
        cr_expect(kernel.cluster[0] == 2 && kernel.cluster[1] == 1 && kernel.cluster[2] == 1, "%s", what);
        const gpc_warp *warp = &next_block(&r, trace)->warps[0];
        const gpc_instruction *i = warp->instructions;
        cr_assert_eq(warp->count, 11, "%s: %llu", what, (unsigned long long)warp->count); /* two for two blocks */
        expect_numbers(&i[0], 2, (uint16_t[]){NUMBER(32)}, 2, 0x8b, what);
        expect_numbers(&i[1], 2, (uint16_t[]){NUMBER(0x800), NUMBER(2)}, 4, 0x8b, what);
        expect_numbers(&i[2], 2, (uint16_t[]){NUMBER(0), NUMBER(1)}, 4, 0x8b, what);
        expect_numbers(&i[3], 2, (uint16_t[]){NUMBER(0), NUMBER(1 << 20 | 1)}, 4, 0x8c, what);
        expect_numbers(&i[4], 2, (uint16_t[]){NUMBER(0), NUMBER(1)}, 4, 0x8c, what); /* own */
        cr_expect(i[3].mask == 1 && i[4].mask == 2, "%s", what);
        expect_numbers(&i[5], 2, (uint16_t[]){NUMBER(1)}, 2, 0x8b, what);
        expect_numbers(&i[6], 3, (uint16_t[]){NUMBER(3), NUMBER(64)}, 4, 0x8b, what);
        expect_numbers(&i[7], 2, (uint16_t[]){NUMBER(64), NUMBER(0)}, 4, 0x8b, what);
        expect_numbers(&i[8], 2, NULL, 0, 0x8b, what);
        expect_numbers(&i[9], 2, NULL, 0, 0x8b, what);
        gpc_trace_close(trace);
    }
    rig_close(&r);
}

/* CSV and JSON Lines have kinds for copies. */
Test(trace_copies, tables) {
    rig r;
    rig_open(&r);
    write_text(&r, "t.csv",
               "block,warp,kind,width,mask,address\n0,0,copy,16,3,0x1000 0x1010\n0,0,copy-bypass,,1,0x2000\n"
               "0,0,commit,,,\n0,0,wait,1,,\n0,0,wait,,,\n0,0,bulk-load,,3,0x3000 0x3080\n0,0,bulk-store,64,1,0x4000\n"
               "0,0,bulk-reduction,16,1,0x5000\n");
    write_text(&r, "t.jsonl",
               "{\"block\":0,\"warp\":0,\"kind\":\"copy\",\"width\":16,\"mask\":3,\"address\":[4096,4112]}\n"
               "{\"block\":0,\"warp\":0,\"kind\":\"copy-bypass\",\"mask\":1,\"address\":8192}\n"
               "{\"block\":0,\"warp\":0,\"kind\":\"commit\",\"address\":[]}\n"
               "{\"block\":0,\"warp\":0,\"kind\":\"wait\",\"width\":1,\"address\":[]}\n"
               "{\"block\":0,\"warp\":0,\"kind\":\"wait\",\"address\":[]}\n"
               "{\"block\":0,\"warp\":0,\"kind\":\"bulk-load\",\"mask\":3,\"address\":[12288,12416]}\n"
               "{\"block\":0,\"warp\":0,\"kind\":\"bulk-store\",\"width\":64,\"mask\":1,\"address\":16384}\n"
               "{\"block\":0,\"warp\":0,\"kind\":\"bulk-reduction\",\"width\":16,\"mask\":1,\"address\":20480}\n");
    static const struct {
        const char *opcode;
        gpc_copy copy;
        uint64_t mask, address;
        unsigned width;
    } rows[] = {{"LDGSTS.E.128", GPC_COPY_ASYNC, 3, 0x1000, 16}, {"LDGSTS.E.BYPASS", GPC_COPY_ASYNC, 1, 0x2000, 4},
                {"LDGDEPBAR", GPC_COPY_COMMIT, 1, 0, 0},         {"DEPBAR.LE", GPC_COPY_WAIT, 1, 0, 1},
                {"DEPBAR.LE", GPC_COPY_WAIT, 1, 0, 0},           {"UBLKCP.S.G", GPC_COPY_BULK, 3, 0x3000, 128},
                {"UBLKCP.G.S", GPC_COPY_BULK, 1, 0x4000, 64},    {"UBLKRED.G.S.ADD", GPC_COPY_BULK, 1, 0x5000, 16}};
    static const char *const names[] = {"t.csv", "t.jsonl"};
    for (unsigned f = 0; f < 2; f++) {
        gpc_trace *trace = open_trace(&r, path_of(&r, names[f]));
        next_kernel(&r, trace);
        const gpc_warp *warp = &next_block(&r, trace)->warps[0];
        cr_assert_eq(warp->count, 9);
        for (unsigned n = 0; n < 8; n++) {
            const gpc_instruction *i = &warp->instructions[n];
            cr_expect_str_eq(gpc_trace_opcode(trace, i->opcode), rows[n].opcode);
            cr_expect(copy_of(trace, i) == rows[n].copy && i->mask == rows[n].mask && i->width == rows[n].width,
                      "%s %u", names[f], n);
            cr_expect_eq(i->addresses ? i->addresses[0] : 0, rows[n].address);
        }
        gpc_trace_close(trace);
    }
    static const struct {
        const char *row, *expected;
    } wrong[] = {{"0,0,copy,2,1,0\n", "4, 8 or 16"},
                 {"0,0,wait,256,,\n", "0 to 255 groups"},
                 {"0,0,wait,1,,0x10\n", "no address"},
                 {"0,0,commit,1,,\n", "groups"},
                 {"0,0,bulk-load,129,1,0\n", "1 to 128 bytes"},
                 {"0,0,bulk-load,0,1,0\n", "1 to 128 bytes"}};
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        char text[128];
        uint64_t instructions;
        snprintf(text, sizeof text, "block,warp,kind,width,mask,address\n%s", wrong[n].row);
        write_text(&r, "bad.csv", text);
        const gpc_status status = read_all(&r, path_of(&r, "bad.csv"), &instructions);
        expect_error(&r, status, GPC_ERROR_FORMAT, "bad.csv:2:");
        expect_error(&r, status, GPC_ERROR_FORMAT, wrong[n].expected);
    }
    rig_close(&r);
}

/* mem_trace has a line per operand of an LDGSTS: the shared-memory line is dropped. */
Test(trace_copies, mem_trace) {
    rig r;
    rig_open(&r);
    static const char front[] =
        "MEMTRACE: CTX 0x1 - LAUNCH - Kernel pc 0x10 - Kernel name k - grid launch id 0 - grid size 1,1,1 - block size "
        "32,1,1 - nregs 16 - shmem 0 - cuda stream id 0\n";
    char text[4096];
    static const char *const rows[] = {"LDGSTS.E.BYPASS.128 - 0x400 0x410",
                                       "LDGSTS.E.BYPASS.128 - 0x7f0000001000 0x7f0000001010", "LDS - 0x400 0x404"};
    strcpy(text, front);
    for (unsigned n = 0; n < 3; n++) {
        strcat(text, "MEMTRACE: CTX 0x1 - grid_launch_id 0 - CTA 0,0,0 - warp 0 - ");
        strcat(text, rows[n]);
        for (unsigned lane = 2; lane < 32; lane++)
            strcat(text, " 0x0");
        strcat(text, "\n");
    }
    write_text(&r, "m.txt", text);
    gpc_trace *trace = open_trace(&r, path_of(&r, "m.txt"));
    next_kernel(&r, trace);
    const gpc_warp *warp = &next_block(&r, trace)->warps[0];
    cr_assert_eq(warp->count, 3);
    cr_expect(copy_of(trace, &warp->instructions[0]) == GPC_COPY_ASYNC && warp->instructions[0].mask == 3);
    cr_expect_eq(warp->instructions[0].addresses[1], 0x7f0000001010);
    cr_expect_eq(warp->instructions[1].space, GPC_SPACE_SHARED);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* Generic accesses of another block's shared memory in the cluster: the rank in bits 24 and up is another block's. */
Test(trace_copies, clusters) {
    rig r;
    rig_open(&r);
    write_text(
        &r, "k.traceg",
        HEADER
        "-shmem base_addr = 0x7f0000000000\n-local mem base_addr = 0x7f0040000000\n-accelsim tracer version = 6\n"
        "#\n#BEGIN_TB\nthread block = 1,0,0\ncluster id = 0,0,0\ncluster cta = 1,0,0\ncluster rank = 1\n"
        "warp = 0\ninsts = 5\n"
        "0 1 1 R1 LD.E 1 R2 4 1 0x7f0001000400 0 0 NoVal\n"  /* own */
        "10 1 1 R1 LD.E 1 R2 4 1 0x7f0000000400 0 0 NoVal\n" /* of rank 0 */
        "20 1 0 ST.E 2 R2 R3 4 1 0x7f0003000400 0 0 NoVal\n" /* of rank 3 */
        "30 1 0 STAS.64 2 R2 R3 8 1 0x400 0 0 NoVal\n40 1 1 R1 LDS 1 R2 4 1 0x400 0 0 NoVal\n#END_TB\n"
        "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n" /* no rank: 0 */
        "0 1 1 R1 LD.E 1 R2 4 1 0x7f0001000400 0 0 NoVal\n"
        "10 1 1 R1 ATOM.E.ADD 2 R2 R3 4 1 0x7f0000000400 0 0 NoVal\n#END_TB\n");
    static const uint8_t spaces[2][5] = {
        {GPC_SPACE_SHARED, GPC_SPACE_CLUSTER, GPC_SPACE_CLUSTER, GPC_SPACE_CLUSTER, GPC_SPACE_SHARED},
        {GPC_SPACE_CLUSTER, GPC_SPACE_SHARED, GPC_SPACE_NONE}};
    for (unsigned n = 0; n < 3; n++) {
        static const char *const names[] = {"k.traceg", "k.gct", "text"};
        if (n)
            convert(&r, path_of(&r, names[n - 1]), path_of(&r, names[n]), n == 1 ? GPC_TRACE_BINARY : GPC_TRACE_TEXT);
        gpc_trace *trace = open_trace(&r, path_of(&r, names[n]));
        next_kernel(&r, trace);
        for (unsigned b = 0; b < 2; b++) {
            const gpc_block *block = next_block(&r, trace);
            const gpc_warp *warp = &block->warps[0];
            for (unsigned i = 0; i + 1 < warp->count; i++)
                cr_expect_eq(warp->instructions[i].space, spaces[!block->index][i], "%s %u %u", names[n], b, i);
        }
        gpc_trace_close(trace);
    }
    rig_close(&r);
}
