/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Fences and cache control of a trace: requests to the hierarchy, with and without a clock. */

#define WORD_LOAD(pc, register, address) pc " 00000001 1 " register " LDG.E 1 R2 4 1 " address " 4\n"
#define USE(pc, register) pc " ffffffff 1 R9 IADD3 1 " register " 0\n"

static measured_stats run(const char *mode, const char *coherence, const char *lines) {
    rig *r = rig_open();
    measured_stats stats;
    measured_clear(&stats);
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

/* A load, a use, an instruction between, the same load: L1 hits of the two, and the number of fences. */
static void between(const char *opcode, const char *coherence, uint64_t hits, uint64_t fences) {
    static const char *const modes[] = {"functional", "timed"};
    for (unsigned m = 0; m < 2; m++) {
        char lines[512];
        snprintf(lines, sizeof lines, "%s0020 ffffffff 0 %s 0 0\n%s%s",
                 WORD_LOAD("0000", "R1", "0x1000") USE("0010", "R1"), opcode, WORD_LOAD("0030", "R3", "0x1000"),
                 EXIT("0040"));
        measured_stats s = run(modes[m], coherence, lines);
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

/* A fence predicated off has no effect. */
Test(fences, predicated_off) {
    for (unsigned m = 0; m < 2; m++) {
        measured_stats s = run(
            m ? "timed" : "functional", "viper",
            WORD_LOAD("0000", "R1", "0x1000")
                USE("0010", "R1") "0020 00000000 0 CCTL.IVALL 0 0\n"
                                  "0030 00000000 0 MEMBAR.SC.GPU 0 0\n" WORD_LOAD("0040", "R3", "0x1000") EXIT("0050"));
        cr_expect_eq(s.l1_load_sector_hits, 1);
        cr_expect_eq(s.fences, 0);
    }
}

/* Cost of a release with an acquire: a store's way to L2 and back, not twice. */
Test(fences, store_and_threadfence) {
    measured_stats plain = run("timed", "none", "0000 00000001 0 STG.E 2 R2 R3 4 1 0x1000 4\n" EXIT("0010"));
    measured_stats fenced = run("timed", "none",
                                "0000 00000001 0 STG.E 2 R2 R3 4 1 0x1000 4\n0010 ffffffff 0 MEMBAR.SC.GPU 0 0\n"
                                "0020 ffffffff 0 ERRBAR 0 0\n0030 ffffffff 0 CCTL.IVALL 0 0\n" EXIT("0040"));
    cr_expect_geq(fenced.cycles, plain.cycles);
    cr_expect_leq(fenced.cycles, plain.cycles + 40);
    cr_expect_eq(fenced.fences, 2);
    cr_expect_geq(fenced.fence_cycles, plain.cycles - 4);
}

/* In a tree without directories fences acquire. With directories no L1 holds old data, and fences wait for stores. */
static void with_a_tree(const char *protocol, const char *opcode, bool timed, uint64_t fences, uint64_t hits) {
    char text[1024];
    rig *r = rig_open();
    measured_stats s;
    measured_clear(&s);
    cr_assert_eq(gpc_config_load_preset(r->config, "kepler", &r->error), GPC_OK);
    set(r, "mode", timed ? "timed" : "functional");
    set(r, "coherence", protocol);
    snprintf(text, sizeof text,
             WORD_LOAD("0000", "R1", "0x1000")
                 USE("0010", "R1") "0020 ffffffff 0 %s 0 0\n" WORD_LOAD("0030", "R3", "0x1000") EXIT("0040"),
             opcode);
    put_kernel(r, "k.traceg", 1, 1, "", text);
    cr_assert_eq(run_file(r, "k.traceg", &s), GPC_OK, "%s", r->error.message);
    cr_expect_eq(s.fences, fences, "%s, %s: %" PRIu64, protocol, opcode, s.fences);
    cr_expect_eq(s.l1_load_sector_hits, hits, "%s, %s: %" PRIu64, protocol, opcode, s.l1_load_sector_hits);
    rig_close(r);
}

Test(fences, with_a_tree) {
    static const char *const opcodes[] = {"MEMBAR.SC.GPU", "CCTL.IVALL", "MEMBAR.SC.CTA", "CCTL.WBALL", "ERRBAR"};
    static const bool acquires[] = {true, true, false, false, false}, fences[] = {true, true, true, true, false};
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++) {
        for (unsigned timed = 0; timed < 2; timed++) {
            with_a_tree("vi", opcodes[i], timed, fences[i], !acquires[i]);
            with_a_tree("nmoesi", opcodes[i], timed, fences[i], 1);
        }
    }
}

/* The counters of a generated kernel, without fences. */
static gpc_status without_fences(const char *preset, const char *mode, const char *key, const char *value,
                                 const char *coherence, measured_stats *stats, gpc_error *error) {
    gpc_context *context;
    gpc_config *config;
    gpc_replay *replay;
    gpc_trace *trace;
    cr_assert_eq(gpc_context_create(NULL, &context, error), GPC_OK);
    cr_assert_eq(gpc_config_create(context, &config, error), GPC_OK);
    cr_assert_eq(gpc_config_load_preset(config, preset, error), GPC_OK);
    cr_assert_eq(gpc_config_set(config, "sm.count", "4", error), GPC_OK);
    cr_assert_eq(gpc_config_set(config, "mode", mode, error), GPC_OK);
    cr_assert_eq(gpc_config_set(config, "coherence", coherence, error), GPC_OK, "%s", error->message);
    if (key)
        cr_assert_eq(gpc_config_set(config, key, value, error), GPC_OK, "%s", error->message);
    measured_clear(stats);
    gpc_status status = gpc_replay_create(context, config, &replay, error);
    if (status == GPC_OK) {
        cr_assert_eq(gpc_trace_open(context, "synthetic:transpose-naive:16K", &trace, error), GPC_OK);
        status = measure_kernel(replay, trace, NULL, stats, error);
        gpc_trace_close(trace);
        gpc_replay_destroy(replay);
    }
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return status;
}

static const char *const modes[] = {"functional", "timed"};

/* Reason of a preset's refusal under viper, or NULL: a write-back L1, L2s of dies. */
static const char *refusal_under_viper(const char *preset) {
    return !strcmp(preset, "kepler")   ? "needs l1.write_policy = through ("
           : !strcmp(preset, "mi300x") ? "needs l2.homes = hashed: a line has one place in L2"
                                       : NULL;
}

/* Every preset starts and runs under viper, with results equal to none; except the presets that viper refuses. */
Test(fences, presets_under_viper) {
    for (size_t p = 0; p < gpc_preset_count(); p++)
        for (unsigned m = 0; m < 2; m++) {
            const char *preset, *summary;
            measured_stats none, viper;
            gpc_error error = GPC_ERROR_INIT;
            cr_assert_eq(gpc_preset_at(p, &preset, &summary, NULL), GPC_OK);
            gpc_status status = without_fences(preset, modes[m], NULL, NULL, "viper", &viper, &error);
            const char *refusal = refusal_under_viper(preset);
            if (refusal) {
                cr_expect_eq(status, GPC_ERROR_RANGE);
                cr_expect(strstr(error.message, refusal), "%s", error.message);
                continue;
            }
            cr_assert_eq(status, GPC_OK, "%s, %s: %s", preset, modes[m], error.message);
            cr_assert_eq(without_fences(preset, modes[m], NULL, NULL, "none", &none, &error), GPC_OK);
            expect_same_stats(&none, &viper);
        }
}

/* Every replacement policy and predictor under viper. */
Test(fences, policies_under_viper) {
    static const struct {
        gpc_policy_kind kind;
        const char *key;
    } kinds[] = {{GPC_POLICY_REPLACEMENT, "l1.replacement"},
                 {GPC_POLICY_REPLACEMENT, "l2.replacement"},
                 {GPC_POLICY_PREDICTOR, "l1.bypass"}};
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    unsigned ran = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < gpc_policy_count(context, kinds[k].kind); i++)
            for (unsigned m = 0; m < 2; m++) {
                gpc_policy_info info = GPC_POLICY_INFO_INIT;
                measured_stats none, viper;
                gpc_error error = GPC_ERROR_INIT;
                cr_assert_eq(gpc_policy_at(context, kinds[k].kind, i, &info, NULL), GPC_OK);
                gpc_status status = without_fences("h100", modes[m], kinds[k].key, info.name, "none", &none, &error);
                gpc_status other = without_fences("h100", modes[m], kinds[k].key, info.name, "viper", &viper, &error);
                cr_assert_eq(status, other, "%s = %s: %s", kinds[k].key, info.name, error.message);
                if (status == GPC_OK)
                    expect_same_stats(&none, &viper);
                ran += status == GPC_OK;
            }
    cr_assert_geq(ran, 40, "only %u ran", ran);
    gpc_context_destroy(context);
}
