/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/rig.h"

#include <criterion/criterion.h>

/* Fences and cache control of a trace: what the hierarchy is asked to do, with and without a clock. */

#define WORD_LOAD(pc, register, address) pc " 00000001 1 " register " LDG.E 1 R2 4 1 " address " 4\n"
#define USE(pc, register) pc " ffffffff 1 R9 IADD3 1 " register " 0\n"

static gpc_stats run(const char *mode, const char *coherence, const char *lines) {
    rig *r = rig_open();
    gpc_stats stats;
    gpc_stats_init(&stats);
    set(r, "mode", mode);
    set(r, "coherence", coherence);
    set(r, "kernels.flush", "l1");
    set(r, "l1.replacement", "lru");
    put_kernel(r, "k.traceg", 1, 1, "", lines);
    gpc_status status = run_file(r, "k.traceg", &stats);
    cr_assert_eq(status, GPC_OK, "%s %s: %s", mode, coherence, r->error.message);
    rig_close(r);
    return stats;
}

/* A load, its use, something between, the same load: how many of the two hit L1, and how many fences there were. */
static void between(const char *opcode, const char *coherence, uint64_t hits, uint64_t fences) {
    static const char *const modes[] = {"functional", "timed"};
    for (unsigned m = 0; m < 2; m++) {
        char lines[512];
        snprintf(lines, sizeof lines, "%s0020 ffffffff 0 %s 0 0\n%s%s",
                 WORD_LOAD("0000", "R1", "0x1000") USE("0010", "R1"), opcode, WORD_LOAD("0030", "R3", "0x1000"),
                 EXIT("0040"));
        gpc_stats s = run(modes[m], coherence, lines);
        cr_expect_eq(s.l1_load_sector_hits, hits, "%s %s %s: %u hits", modes[m], coherence, opcode,
                     (unsigned)s.l1_load_sector_hits);
        cr_expect_eq(s.fences, fences, "%s %s %s: %u fences", modes[m], coherence, opcode, (unsigned)s.fences);
        cr_expect_eq(s.warp_instructions, 5, "%s", opcode);
        cr_expect_eq(s.thread_instructions, 1 + 32 + 32 + 1 + 32);
        cr_expect_eq(s.fence_lines, !hits, "%s %s %s", modes[m], coherence, opcode);
    }
}

Test(fences, in_a_trace) {
    static const struct {
        const char *opcode;
        uint64_t hits_none, hits_viper, fences;
    } cases[] = {
        {"MEMBAR.SC.CTA", 1, 1, 1},    {"MEMBAR.SC.GPU", 1, 0, 1}, {"MEMBAR.ALL.SYS", 1, 0, 1},
        {"MEMBAR.GL", 1, 0, 1},        {"ERRBAR", 1, 1, 0},        {"CCTL.IVALL", 0, 0, 1},
        {"CCTL.D.IVALL", 0, 0, 1},     {"CCTL.WBALL", 1, 1, 1},    {"CCTL.C.IVALL", 1, 1, 0},
        {"FENCE.VIEW.ASYNC", 1, 1, 1}, {"NOP", 1, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        between(cases[i].opcode, "none", cases[i].hits_none, cases[i].fences);
        between(cases[i].opcode, "viper", cases[i].hits_viper, cases[i].fences);
    }
}

/* One that is predicated off does nothing. */
Test(fences, predicated_off) {
    for (unsigned m = 0; m < 2; m++) {
        gpc_stats s = run(m ? "timed" : "functional", "viper",
                          WORD_LOAD("0000", "R1", "0x1000")
                              USE("0010", "R1") "0020 00000000 0 CCTL.IVALL 0 0\n"
                                                "0030 00000000 0 MEMBAR.SC.GPU 0 0\n" WORD_LOAD("0040", "R3", "0x1000")
                                                    EXIT("0050"));
        cr_expect_eq(s.l1_load_sector_hits, 1);
        cr_expect_eq(s.fences, 0);
    }
}

/* What the pair of a release and an acquire costs: the way of a store to L2 and back, not twice. */
Test(fences, store_and_threadfence) {
    gpc_stats plain = run("timed", "none", "0000 00000001 0 STG.E 2 R2 R3 4 1 0x1000 4\n" EXIT("0010"));
    gpc_stats fenced = run("timed", "none",
                           "0000 00000001 0 STG.E 2 R2 R3 4 1 0x1000 4\n0010 ffffffff 0 MEMBAR.SC.GPU 0 0\n"
                           "0020 ffffffff 0 ERRBAR 0 0\n0030 ffffffff 0 CCTL.IVALL 0 0\n" EXIT("0040"));
    cr_expect_geq(fenced.cycles, plain.cycles);
    cr_expect_leq(fenced.cycles, plain.cycles + 40);
    cr_expect_eq(fenced.fences, 2);
    cr_expect_geq(fenced.fence_cycles, plain.cycles - 4);
}

/* A tree's fences are none of these: its warps wait, as they do at ERRBAR. */
Test(fences, with_a_tree) {
    for (unsigned m = 0; m < 2; m++) {
        rig *r = rig_open();
        gpc_stats s;
        gpc_stats_init(&s);
        cr_assert_eq(gpc_config_load_preset(r->config, "kepler", &r->error), GPC_OK);
        set(r, "mode", m ? "timed" : "functional");
        set(r, "coherence", "vi");
        put_kernel(r, "k.traceg", 1, 1, "",
                   WORD_LOAD("0000", "R1", "0x1000") "0010 ffffffff 0 MEMBAR.SC.GPU 0 0\n"
                                                     "0020 ffffffff 0 CCTL.IVALL 0 0\n" EXIT("0030"));
        cr_assert_eq(run_file(r, "k.traceg", &s), GPC_OK, "%s", r->error.message);
        cr_expect_eq(s.fences, 0);
        cr_expect_eq(s.warp_instructions, 4);
        rig_close(r);
    }
}
