/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Local memory of a trace, private to a thread: 32-bit words are interleaved over the lanes (CUDA C++ Programming
 * Guide, "Device Memory Accesses"; GPGPU-Sim's translate_local_memaddr).
 */

#define WINDOWS "-shmem base_addr = 0x7f0000000000\n-local mem base_addr = 0x7f0002000000\n"

static const char *const modes[] = {"functional", "timed"};

static rig *open_with(const char *mode) {
    rig *r = rig_open();
    set(r, "mode", mode);
    set(r, "l1.replacement", "lru");
    set(r, "kernels.flush", "none");
    return r;
}

static measured_stats run_text(rig *r, unsigned blocks, unsigned warps, const char *lines) {
    measured_stats s;
    measured_clear(&s);
    put_kernel(r, "k.traceg", blocks, warps, WINDOWS, lines);
    cr_assert_eq(run_file(r, "k.traceg", &s), GPC_OK, "%s", r->error.message);
    return s;
}

/* Statistics of one warp: equal with a clock and without. */
static measured_stats run_one(const char *lines) {
    measured_stats s[2];
    for (int m = 0; m < 2; m++) {
        rig *r = open_with(modes[m]);
        s[m] = run_text(r, 1, 1, lines);
        rig_close(r);
    }
    cr_expect_eq(s[0].l1_load_requests, s[1].l1_load_requests, "%s", lines);
    cr_expect_eq(s[0].l1_load_lines, s[1].l1_load_lines, "%s", lines);
    cr_expect_eq(s[0].l1_load_sectors, s[1].l1_load_sectors, "%s", lines);
    cr_expect_eq(s[0].l1_store_requests, s[1].l1_store_requests, "%s", lines);
    cr_expect_eq(s[0].l1_store_sectors, s[1].l1_store_sectors, "%s", lines);
    cr_expect_eq(s[0].l1_atomic_sectors, s[1].l1_atomic_sectors, "%s", lines);
    cr_expect_eq(s[0].warp_instructions, s[1].warp_instructions, "%s", lines);
    cr_expect_eq(s[0].thread_instructions, s[1].thread_instructions, "%s", lines);
    return s[0];
}

/* 64 warps spill 64 words each through an L1 of 128 KiB: 512 KiB, with no line left when loaded. */
Test(replay_local, spills_of_many_warps) {
    static char lines[64 * 2 * 64];
    size_t length = 0;
    for (unsigned store = 2; store-- > 0;)
        for (unsigned word = 0; word < 64; word++)
            length += (size_t)snprintf(lines + length, sizeof lines - length,
                                       store ? "%x ffffffff 0 STL 2 R1 R2 4 1 0x%x 0\n"
                                             : "%x ffffffff 1 R2 LDL 1 R1 4 1 0x%x 0\n",
                                       word * 16 + (store ? 0 : 0x800), 0xfff000 + 4 * word);
    for (int m = 0; m < 2; m++) {
        rig *r = open_with(modes[m]);
        set(r, "sm.warps", "64");
        set(r, "l1.size", "128KiB");
        const measured_stats s = run_text(r, 2, 32, lines);
        cr_expect_eq(s.l1_store_sectors, 64 * 64 * 4);
        cr_expect_eq(s.l1_load_requests, 64 * 64);
        cr_expect_eq(s.l1_load_sectors, 64 * 64 * 4);
        cr_expect_lt(s.l1_load_sector_hits, 64 * 64 * 4 / 10, "%s: %" PRIu64, modes[m], s.l1_load_sector_hits);
        rig_close(r);
    }
}

/* An equal offset of another warp is another line, also on another SM; the warp's line hits the second time. */
Test(replay_local, whose_it_is) {
    static const char lines[] = "0000 ffffffff 1 R2 LDL.LU 1 R1 4 1 0xfff72c 0\n"
                                "0010 ffffffff 1 R3 LDL 1 R2 4 1 0xfff72c 0\n";
    for (int m = 0; m < 2; m++) {
        rig *r = open_with(modes[m]);
        set(r, "sm.count", "2");
        const measured_stats s = run_text(r, 2, 4, lines);
        cr_expect_eq(s.l1_load_sectors, 2 * 4 * 2 * 4);
        cr_expect_eq(s.l1_load_sector_hits, 2 * 4 * 4, "%s: %" PRIu64, modes[m], s.l1_load_sector_hits);
        cr_expect_eq(s.dram_read_sectors, 2 * 4 * 4, "%s: no SM finds another's", modes[m]);
        rig_close(r);
    }
}

/* Slots of the hardware: a later block in the same slot finds the lines, a block beside does not. */
Test(replay_local, slots) {
    for (int m = 0; m < 2; m++) {
        rig *r = open_with(modes[m]);
        set(r, "sm.blocks", "1");
        const measured_stats s = run_text(r, 3, 1, "0000 ffffffff 1 R2 LDL 1 R1 4 1 0x100 0\n");
        cr_expect_eq(s.l1_load_sector_hits, 2 * 4);
        rig_close(r);
    }
}

/* A lane's words lie in separate lines; smaller parts stay within the word. All is one request. */
Test(replay_local, widths) {
    static const struct {
        const char *line;
        unsigned lines, sectors, used;
    } cases[] = {{"0 ffffffff 1 R2 LDL 1 R1 4 1 0xfff000 0\n", 1, 4, 128},
                 {"0 ffffffff 1 R2 LDL.64 1 R1 8 1 0xfff008 0\n", 2, 8, 256},
                 {"0 ffffffff 1 R2 LDL.128 1 R1 16 1 0xfff010 0\n", 4, 16, 512},
                 {"0 ffffffff 1 R2 LDL.U8 1 R1 1 1 0xfff003 0\n", 1, 4, 32},
                 {"0 ffffffff 1 R2 LDL.S16 1 R1 2 1 0xfff002 0\n", 1, 4, 64},
                 {"0 0000ffff 1 R2 LDL 1 R1 4 1 0xfff000 0\n", 1, 2, 64},
                 {"0 00000100 1 R2 LDL.64 1 R1 8 1 0xfff000 0\n", 2, 2, 8},
                 {"0 80000001 1 R2 LDL.128 1 R1 16 1 0xfff000 0\n", 4, 8, 32},
                 {"0 ffffffff 1 R2 LDL 1 R1 4 1 0xfff000 4\n", 32, 32, 128}, /* a different word per lane */
                 {"0 ffffffff 1 R2 LDL.128 1 R1 16 1 0xf00000 64\n", 128, 128, 512},
                 {"0 00000003 1 R2 LDL.64 1 R1 8 2 0xfff000 4\n", 3, 3, 16}}; /* word 1 of two lanes is one line */
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const measured_stats s = run_one(cases[n].line);
        cr_expect_eq(s.l1_load_requests, 1, "%zu", n);
        cr_expect_eq(s.l1_load_lines, cases[n].lines, "%zu: %" PRIu64, n, s.l1_load_lines);
        cr_expect_eq(s.l1_load_sectors, cases[n].sectors, "%zu: %" PRIu64, n, s.l1_load_sectors);
        cr_expect_eq(s.l1_load_bytes_used, cases[n].used, "%zu: %" PRIu64, n, s.l1_load_bytes_used);
    }
}

/* Offsets that differ in the lowest bits of a word are of one line; the next word is not. */
Test(replay_local, within_a_word) {
    const measured_stats s =
        run_one("0 ffffffff 1 R2 LDL.U8 1 R1 1 1 0xfff000 0\n1 ffffffff 1 R3 LDL.U8 1 R2 1 1 0xfff003 0\n"
                "2 ffffffff 1 R4 LDL.U8 1 R3 1 1 0xfff004 0\n");
    cr_expect_eq(s.l1_load_sectors, 12);
    cr_expect_eq(s.l1_load_sector_hits, 4);
}

/* A generic address in the local window is the offset from the base, for loads, stores and atomics. */
Test(replay_local, generic_in_the_window) {
    measured_stats s =
        run_one("0 ffffffff 1 R2 LDL 1 R1 4 1 0xfff000 0\n1 ffffffff 1 R3 LD.E 1 R2 4 1 0x7f0002fff000 0\n");
    cr_expect_eq(s.l1_load_sectors, 8);
    cr_expect_eq(s.l1_load_sector_hits, 4);
    s = run_one("0 ffffffff 0 ST.E.64 2 R1 R2 8 1 0x7f0002fff000 0\n1 ffffffff 1 R3 LDL 1 R2 4 1 0xfff004 0\n");
    cr_expect_eq(s.l1_store_sectors, 8);
    cr_expect_eq(s.l1_load_sector_hits, 4);
    s = run_one("0 ffffffff 1 R2 ATOM.E.ADD 1 R1 4 1 0x7f0002fff000 0\n");
    cr_expect_eq(s.l1_atomic_sectors, 4);
}

/* 8 lanes at a shared address, 8 at a local address, 16 adjacent lanes in global memory. */
#define MIXED(pc, name, width)                                                                                        \
    pc " ffffffff 1 R2 " name " 1 R4 " width                                                                          \
       " 0 0x7f0000000010 0x7f0000000010 0x7f0000000010 0x7f0000000010 0x7f0000000010 0x7f0000000010 0x7f0000000010 " \
       "0x7f0000000010 0x7f0002fff000 0x7f0002fff000 0x7f0002fff000 0x7f0002fff000 0x7f0002fff000 0x7f0002fff000 "    \
       "0x7f0002fff000 0x7f0002fff000 0x1000 0x1004 0x1008 0x100c 0x1010 0x1014 0x1018 0x101c 0x1020 0x1024 0x1028 "  \
       "0x102c 0x1030 0x1034 0x1038 0x103c\n"

/* Lanes in several windows make an access per space, and one instruction. */
Test(replay_local, lanes_in_several_windows) {
    measured_stats s = run_one(MIXED("0", "LD.E", "4"));
    cr_expect_eq(s.l1_load_requests, 2);
    cr_expect_eq(s.l1_load_lines, 2);
    cr_expect_eq(s.l1_load_sectors, 1 + 2);
    cr_expect_eq(s.warp_instructions, 2); /* and the EXIT */
    cr_expect_eq(s.thread_instructions, 32);
    s = run_one(MIXED("0", "LD.E.64", "8"));
    cr_expect_eq(s.l1_load_lines, 3);
    cr_expect_eq(s.l1_load_sectors, 2 + 3);
    s = run_one(MIXED("0", "ATOM.E.ADD", "4"));
    cr_expect_eq(s.l1_atomic_sectors, 1 + 2);
    /* shared and local alone, shared and global alone */
    s = run_one("0 00000003 1 R2 LD.E 1 R4 4 0 0x7f0000000010 0x7f0002fff000\n"
                "1 00000003 1 R3 LD.E 1 R2 4 0 0x7f0000000010 0x2000\n");
    cr_expect_eq(s.l1_load_requests, 2);
    cr_expect_eq(s.l1_load_sectors, 2);
    cr_expect_eq(s.warp_instructions, 3);
    cr_expect_eq(s.thread_instructions, 4);
}

/* A part depends only on the space: an L1 of local memory has only the local part's lines. */
Test(replay_local, parts_go_by_their_space) {
    for (int m = 0; m < 2; m++) {
        rig *r = open_with(modes[m]);
        set(r, "l1.spaces", "local");
        const measured_stats s =
            run_text(r, 1, 1, MIXED("0", "LD.E", "4") "8 ffffffff 1 R4 MOV 1 R2 0\n" MIXED("10", "LD.E", "4"));
        cr_expect_eq(s.l1_load_sectors, 2 * (1 + 2));
        cr_expect_eq(s.l1_load_sector_hits, 1, "%s: %" PRIu64, modes[m], s.l1_load_sector_hits);
        rig_close(r);
    }
}

/* A warp waits for the last line of all parts: a global miss behind a local hit. */
Test(replay_local, a_warp_waits_for_all_parts) {
    rig *r = open_with("timed");
#define WARM "0 ffffffff 1 R2 LDL 1 R1 4 1 0xfff000 0\n8 ffffffff 1 R4 MOV 1 R2 0\n"
    const measured_stats hit = run_text(r, 1, 1, WARM "10 1 1 R5 LD.E 1 R4 4 0 0x7f0002fff000\n20 1 1 R6 MOV 1 R5 0\n");
    const measured_stats both =
        run_text(r, 1, 1, WARM "10 3 1 R5 LD.E 1 R4 4 0 0x7f0002fff000 0x9000\n20 1 1 R6 MOV 1 R5 0\n");
    const measured_stats miss = run_text(r, 1, 1, WARM "10 1 1 R5 LD.E 1 R4 4 0 0x9000\n20 1 1 R6 MOV 1 R5 0\n");
    cr_expect_gt(both.cycles, hit.cycles + 50, "%" PRIu64 ", %" PRIu64, both.cycles, hit.cycles);
    cr_expect_leq(both.cycles, miss.cycles + 10, "%" PRIu64 ", %" PRIu64, both.cycles, miss.cycles);
    cr_expect_eq(both.accepted, 2);
    cr_expect_eq(both.completed, 2);
    rig_close(r);
}

/* Stores that stay in L1 (l1.write_policy_local = back), and stores that do not. */
Test(replay_local, write_policies) {
    static const char lines[] =
        "0 ffffffff 0 STL.128 2 R1 R2 16 1 0xfff000 0\n10 ffffffff 1 R2 LDL 1 R1 4 1 0xfff00c 0\n";
    for (int m = 0; m < 2; m++) {
        rig *r = open_with(modes[m]);
        set(r, "l1.write_policy_local", "back");
        measured_stats s = run_text(r, 1, 1, lines);
        cr_expect_eq(s.l1_load_sector_hits, 4);
        cr_expect_eq(s.l2_write_sectors, 0);
        set(r, "l1.write_policy_local", "through");
        s = run_text(r, 1, 1, lines);
        cr_expect_eq(s.l2_write_sectors, 16, "%s: %" PRIu64, modes[m], s.l2_write_sectors);
        rig_close(r);
    }
}

/* mem_trace, CSV and JSON Lines: the thread's offset, once per lane. */
Test(replay_local, tables) {
    static char nvbit[1024] =
        "MEMTRACE: CTX 0x1 - LAUNCH - Kernel pc 0x2 - Kernel name k - grid launch id 0 - grid size "
        "1,1,1 - block size 64,1,1 - nregs 8 - shmem 0 - cuda stream id 0\n";
    for (unsigned warp = 0; warp < 2; warp++) {
        char *at = nvbit + strlen(nvbit);
        at += sprintf(at, "MEMTRACE: CTX 0x1 - grid_launch_id 0 - CTA 0,0,0 - warp %u - LDL.64 -", warp);
        for (unsigned lane = 0; lane < 32; lane++)
            at += sprintf(at, " 0xfff720");
        strcpy(at, " \n");
    }
    const struct {
        const char *name, *text;
        unsigned sectors;
    } cases[] = {{"k.txt", nvbit, 16},
                 {"k.csv",
                  "block,warp,kind,width,mask,address\n0,0,local-load,8,0x3,4096 4096\n"
                  "0,1,local-load,8,0x3,4096 4096\n0,1,local-store,4,1,4096\n",
                  4},
                 {"k.jsonl",
                  "{\"block\": 0, \"warp\": 0, \"kind\": \"local-load\", \"mask\": 3, \"address\": [8, 8]}\n"
                  "{\"block\": 0, \"warp\": 1, \"kind\": \"local-load\", \"mask\": 3, \"address\": [8, 8]}\n",
                  2}};
    for (int m = 0; m < 2; m++)
        for (size_t n = 0; n < 3; n++) {
            rig *r = open_with(modes[m]);
            measured_stats s;
            measured_clear(&s);
            write_text(r, cases[n].name, cases[n].text);
            cr_assert_eq(run_file(r, cases[n].name, &s), GPC_OK, "%s", r->error.message);
            cr_expect_eq(s.l1_load_requests, 2);
            cr_expect_eq(s.l1_load_sectors, cases[n].sectors, "%s: %" PRIu64, cases[n].name, s.l1_load_sectors);
            cr_expect_eq(s.l1_load_sector_hits, 0);
            cr_expect_eq(s.l1_store_sectors, n == 1);
            rig_close(r);
        }
}

static void convert(rig *r, const char *from, const char *to, gpc_trace_format format) {
    gpc_trace_writer *writer;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    const gpc_block *block;
    gpc_trace *trace = open_trace(r, from);
    cr_assert_eq(gpc_trace_writer_create(r->context, path_of(r, to), format, &writer, &r->error), GPC_OK);
    cr_assert_eq(gpc_trace_next_kernel(trace, &kernel, &r->error), GPC_OK);
    cr_assert_eq(gpc_trace_writer_kernel(writer, &kernel, &r->error), GPC_OK);
    while (gpc_trace_next_block(trace, &block, &r->error) == GPC_OK)
        cr_assert_eq(gpc_trace_writer_block(writer, trace, block, &r->error), GPC_OK, "%s", r->error.message);
    cr_assert_eq(gpc_trace_writer_finish(writer, &r->error), GPC_OK, "%s", r->error.message);
    gpc_trace_writer_destroy(writer);
    gpc_trace_close(trace);
}

#define ALL_KINDS                                                                            \
    "0 ffffffff 0 STL.64 2 R1 R2 8 1 0xfff010 0\n10 ffffffff 1 R2 LDL 1 R1 4 1 0xfff014 0\n" \
    "20 ffffffff 1 R3 LD.E 1 R2 4 1 0x7f0002fff020 0\n" MIXED("30", "LD.E", "4") MIXED(      \
        "40", "RED.E.ADD", "4") "50 ffffffff 1 R5 LDG.E 1 R2 4 1 0x1000 4\n60 ffff 1 R6 LDL.U8 1 R5 1 1 0xfff001 16\n"

/* Offsets and windows stay with the trace, in its compact form and as text once more. */
Test(replay_local, converted) {
    for (int m = 0; m < 2; m++) {
        rig *r = open_with(modes[m]);
        set(r, "sm.count", "2");
        const measured_stats text = run_text(r, 4, 2, ALL_KINDS);
        measured_stats s;
        measured_clear(&s);
        convert(r, "k.traceg", "k.gct", GPC_TRACE_BINARY);
        cr_assert_eq(run_file(r, "k.gct", &s), GPC_OK, "%s", r->error.message);
        expect_same_stats(&text, &s);
        convert(r, "k.gct", "again", GPC_TRACE_TEXT);
        cr_assert_eq(run_file(r, "again", &s), GPC_OK, "%s", r->error.message);
        expect_same_stats(&text, &s);
        gpc_trace *trace = open_trace(r, "again");
        gpc_kernel kernel = GPC_KERNEL_INIT;
        const gpc_block *block;
        cr_assert_eq(gpc_trace_next_kernel(trace, &kernel, &r->error), GPC_OK);
        cr_assert_eq(gpc_trace_next_block(trace, &block, &r->error), GPC_OK);
        const gpc_instruction *i = block->warps[0].instructions;
        cr_expect(i[0].space == GPC_SPACE_LOCAL && i[0].addresses[31] == 0xfff010);
        cr_expect(i[2].space == GPC_SPACE_LOCAL && i[2].addresses[0] == 0x7f0002fff020);
        cr_expect(i[3].space == GPC_SPACE_MIXED && i[3].addresses[8] == 0x7f0002fff000);
        gpc_trace_close(trace);
        rig_close(r);
    }
}

/* Threads, with or without a clock, have the counts of a single thread. */
Test(replay_local, threads) {
    for (int m = 0; m < 2; m++) {
        measured_stats s[2];
        for (int n = 0; n < 2; n++) {
            rig *r = open_with(modes[m]);
            set(r, "sm.count", "4");
            set(r, "threads", n ? "2" : "1");
            s[n] = run_text(r, 16, 2, ALL_KINDS "70 ffffffff 1 R2 LDL.128 1 R1 16 1 0xf00000 64\n");
            rig_close(r);
        }
        expect_same_stats(&s[0], &s[1]);
    }
}

/* Trees of coherent modules, values of accesses, translation, lanes and sectors apart, and a known future. */
Test(replay_local, other_levels) {
    static const struct {
        const char *mode, *keys[11];
    } cases[] = {{"functional", {"coherence", "mesi"}},
                 {"timed", {"coherence", "mesi"}},
                 {"functional", {"coherence", "mesi", "coherence.data", "true"}},
                 {"timed", {"coherence", "mesi", "coherence.data", "true"}},
                 {"timed",
                  {"coherence", "viper", "coherence.data", "true", "l1.write_policy_local", "through",
                   "l1.write_allocate_local", "none", "kernels.flush", "l1"}},
                 {"functional", {"tlb.page", "64KiB"}},
                 {"timed", {"tlb.page", "64KiB"}},
                 {"timed", {"l1.coalescer", "sector"}},
                 {"timed", {"l1.prefetcher", "next-line"}},
                 {"timed", {"l2.atomic_cycles", "2"}},
                 {"timed", {"stats.stages", "true"}},
                 {"functional", {"l1.future", "true", "l1.replacement", "opt"}}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        rig *r = open_with(cases[n].mode);
        for (const char *const *key = cases[n].keys; *key; key += 2)
            set(r, key[0], key[1]);
        const measured_stats s = run_text(r, 2, 2, ALL_KINDS);
        /* STL.64; LDL, LD.E, MIXED, LDG.E and 16 lanes with bytes 16 apart; MIXED */
        cr_expect_eq(s.l1_store_sectors, 4 * 8, "%zu: %" PRIu64, n, s.l1_store_sectors);
        cr_expect_eq(s.l1_load_sectors, 4 * (4 + 4 + 3 + 4 + 16), "%zu: %" PRIu64, n, s.l1_load_sectors);
        cr_expect_eq(s.l1_atomic_sectors, 4 * 3, "%zu: %" PRIu64, n, s.l1_atomic_sectors);
        cr_expect_eq(s.warp_instructions, 4 * 8, "%zu", n);
        rig_close(r);
    }
}
