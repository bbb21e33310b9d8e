/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

/* Programs at once have separate memory, though addresses are equal (types.h, GPC_PROCESSES). */

#define MOST 4u

/* Streams: traces up to NULL, processes, and 1 + the only SM of a stream (0: every SM). */
typedef struct program {
    const char *traces[MOST];
    uint8_t processes[MOST];
    uint32_t sms[MOST];
    uint64_t ids[MOST];   /* 1 + the CUDA stream selected from the trace; 0: every stream */
    bool null_streams;    /* CUDA stream 0 is the default stream */
    bool default_streams; /* each stream is the default stream of its trace */
} program;

static const uint8_t own = GPC_PROCESS_OWN;
#define OWN \
    { own, own, own, own }

typedef struct told {
    uint8_t processes[8];
    uint64_t started[8], ended[8];
    unsigned count;
} told;

static void on_kernel(void *user_data, const gpc_kernel_result *result) {
    told *t = user_data;
    cr_assert_lt(result->stream, 8);
    t->processes[result->stream] = result->process;
    t->started[result->stream] = result->started;
    t->ended[result->stream] = result->ended;
    t->count++;
}

static gpc_status run_in(rig *r, gpc_replay *replay, const program *p, told *t, measured_stats *stats) {
    gpc_replay_stream streams[MOST];
    gpc_trace *traces[MOST];
    uint32_t sms[MOST];
    size_t count = 0;
    for (; count < MOST && p->traces[count]; count++) {
        traces[count] = open_trace(r, p->traces[count]);
        sms[count] = p->sms[count] - 1;
        streams[count] = (gpc_replay_stream)GPC_REPLAY_STREAM_INIT;
        cr_assert_eq(streams[count].process, GPC_PROCESS_OWN);
        streams[count].trace = traces[count];
        streams[count].process = p->processes[count];
        streams[count].sms = p->sms[count] ? &sms[count] : NULL;
        streams[count].sm_count = p->sms[count] ? 1 : 0;
        streams[count].select = p->ids[count] != 0;
        streams[count].id = p->ids[count] ? p->ids[count] - 1 : 0;
        streams[count].null_stream = p->default_streams || (p->null_streams && p->ids[count] == 1);
    }
    memset(t, 0, sizeof *t);
    measured_clear(stats);
    const gpc_status status = measure_streams(replay, streams, count, on_kernel, t, stats, &r->error);
    for (size_t i = 0; i < count; i++)
        gpc_trace_close(traces[i]);
    return status;
}

static measured_stats run(rig *r, const program *p, told *t) {
    measured_stats stats;
    gpc_replay *replay = open_replay(r);
    cr_assert_eq(run_in(r, replay, p, t, &stats), GPC_OK, "%s", r->error.message);
    gpc_replay_destroy(replay);
    return stats;
}

/* A key and a value, NULL at the end. */
typedef struct setting {
    const char *key, *value;
} setting;

static rig *open_with(const char *mode, const setting *more) {
    rig *r = rig_open();
    set(r, "mode", mode);
    set(r, "sm.count", "2");
    set(r, "sm.blocks", "4");
    set(r, "streams", "4");
    set(r, "l1.replacement", "lru");
    set(r, "launch.sectors", "0");
    for (; more && more->key; more++)
        set(r, more->key, more->value);
    return r;
}

static const char *const modes[] = {"functional", "timed"};

/* Two lines, one of them twice, a store and an atomic of a third and fourth. */
#define STORE(pc, address) pc " ffffffff 0 STG.E 2 R2 R1 4 1 " address " 4\n"
#define ATOMIC(pc, address) pc " ffffffff 1 R1 ATOMG.E.ADD.STRONG.GPU 2 R2 R3 4 1 " address " 4\n"
#define WORK               \
    LOAD("0000", "0x1000") \
    LOAD("0010", "0x1080") LOAD("0020", "0x1000") STORE("0030", "0x2000") ATOMIC("0040", "0x3000") EXIT("0050")

static void put(rig *r) {
    put_kernel(r, "a.traceg", 1, 1, "", WORK);
    put_kernel(r, "b.traceg", 1, 1, "", WORK);
}

/* Every part of a hierarchy keeps programs apart: two programs have twice the counts of one. */
Test(processes, are_apart) {
    static const setting parts[][6] = {
        {{NULL, NULL}},
        {{"l2.partitions", "2"}, {"l2.slices", "2"}, {NULL, NULL}},
        {{"l2.interleave", "hash"}, {"l2.slices", "4"}, {"l1.index", "xor"}, {NULL, NULL}},
        {{"l1.sectors", "4"}, {"l2.sectors", "4"}, {NULL, NULL}},
        {{"l1.enabled", "false"}, {NULL, NULL}},
        {{"tlb.page", "4KiB"}, {"tlb.l1_entries", "8"}, {"tlb.l2_entries", "16"}, {NULL, NULL}},
        {{"threads", "2"}, {NULL, NULL}},
        {{"coherence", "viper"}, {NULL, NULL}},
        {{"lrc.sms", "2"}, {NULL, NULL}},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (size_t m = i == 8; m < 2; m++)
            for (unsigned partitioned = 0; partitioned < 2; partitioned++) {
                rig *r = open_with(modes[m], parts[i]);
                const bool tlbs = parts[i][0].key && !strcmp(parts[i][0].key, "tlb.page");
                told t;
                put(r);
                program p = {.traces = {"a.traceg"}, .processes = OWN, .sms = {1}};
                const measured_stats alone = run(r, &p, &t);
                p.traces[1] = "b.traceg";
                p.sms[0] = partitioned ? 1 : 0, p.sms[1] = partitioned ? 2 : 0;
                const measured_stats two = run(r, &p, &t);
                cr_expect(t.count == 2 && t.processes[0] == 0 && t.processes[1] == 1);
                cr_expect_eq(two.dram_read_sectors, 2 * alone.dram_read_sectors, "%zu %s: %" PRIu64, i, modes[m],
                             two.dram_read_sectors);
                cr_expect_eq(two.l2_read_sectors, 2 * alone.l2_read_sectors, "%zu %s", i, modes[m]);
                cr_expect_eq(two.l2_read_sector_hits, 2 * alone.l2_read_sector_hits, "%zu %s", i, modes[m]);
                cr_expect_eq(two.l2_write_sectors, 2 * alone.l2_write_sectors);
                cr_expect_eq(two.l2_atomic_sectors, 2 * alone.l2_atomic_sectors);
                cr_expect_eq(two.l2_atomic_sector_hits, 2 * alone.l2_atomic_sector_hits);
                cr_expect_eq(two.l1_load_sector_hits, 2 * alone.l1_load_sector_hits);
                cr_expect(!tlbs || (alone.tlb_walks && two.tlb_walks == 2 * alone.tlb_walks));
                memset(p.processes, 5, sizeof p.processes);
                const measured_stats shared = run(r, &p, &t);
                cr_expect(t.processes[0] == 5 && t.processes[1] == 5);
                cr_expect_lt(shared.dram_read_sectors, two.dram_read_sectors, "%zu %s", i, modes[m]);
                cr_expect(!tlbs || shared.tlb_walks == alone.tlb_walks);
                rig_close(r);
            }
}

#define WINDOWS "-local mem base_addr = 0x7f0002000000\n-shmem base_addr = 0x7f0000000000\n"

/* A program's number changes no counter and no cycle, if low bits choose sets, slices and channels. */
Test(processes, numbers_change_nothing) {
    static const setting plain[] = {{"l1.index", "modulo"},   {"l1.unified", "0"},
                                    {"l1.size", "32KiB"},     {"l1.ways", "4"},
                                    {"l2.index", "modulo"},   {"l2.interleave", "modulo"},
                                    {"l2.slices", "2"},       {"l2.size", "1MiB"},
                                    {"l2.ways", "16"},        {"dram.model", "fixed"},
                                    {"tlb.page", "64KiB"},    {"tlb.l1_entries", "8"},
                                    {"tlb.l2_entries", "16"}, {NULL, NULL}};
    static const char *const traces[] = {"synthetic:gather:64KiB", "synthetic:vectoradd:64KiB",
                                         "synthetic:transpose-naive:64KiB", "mixed.traceg"};
    for (size_t m = 0; m < 2; m++)
        for (size_t n = 0; n < sizeof traces / sizeof *traces; n++) {
            rig *r = open_with(modes[m], plain);
            put_kernel(r, "mixed.traceg", 1, 1, WINDOWS, /* lanes in global and shared memory, then the global line */
                       "0000 00000003 1 R1 LD.E 1 R2 4 0 0x1000 0x7f0000000100\n" LOAD("0010", "0x1000") EXIT("0020"));
            told t, last;
            const measured_stats first = run(r, &(program){.traces = {traces[n]}, .processes = OWN}, &t);
            cr_expect_eq(t.processes[0], 0);
            const measured_stats third = run(r, &(program){.traces = {traces[n]}, .processes = {3}}, &last);
            cr_expect_eq(last.processes[0], 3);
            expect_same_stats(&first, &third);
            cr_expect_eq(t.ended[0], last.ended[0]);
            const measured_stats highest = run(r, &(program){.traces = {traces[n]}, .processes = {127}}, &last);
            expect_same_stats(&first, &highest);
            rig_close(r);
        }
}

/* Hashes of presets spread another process differently, and memory reads equally many sectors. */
Test(processes, presets) {
    static const char *const presets[] = {"qv100", "h100"};
    for (size_t n = 0; n < 2; n++)
        for (size_t m = 0; m < 2; m++) {
            rig *r = rig_open();
            told t;
            gpc_error error = GPC_ERROR_INIT;
            cr_assert_eq(gpc_config_load_preset(r->config, presets[n], &error), GPC_OK);
            set(r, "mode", modes[m]);
            set(r, "streams", "4");
            const program p = {.traces = {"synthetic:gather:64KiB"}, .processes = {0}},
                          q = {.traces = {"synthetic:gather:64KiB"}, .processes = {3}},
                          two = {.traces = {"synthetic:gather:64KiB", "synthetic:gather:64KiB"}, .processes = OWN};
            const measured_stats first = run(r, &p, &t), third = run(r, &q, &t), both = run(r, &two, &t);
            cr_expect_eq(first.l1_load_sector_hits, third.l1_load_sector_hits);
            cr_expect_eq(first.dram_read_sectors - first.dram_launch_sectors,
                         third.dram_read_sectors - third.dram_launch_sectors, "%s %s", presets[n], modes[m]);
            cr_expect_eq(both.dram_read_sectors - both.dram_launch_sectors,
                         2 * (first.dram_read_sectors - first.dram_launch_sectors), "%s %s", presets[n], modes[m]);
            rig_close(r);
        }
}

/* A program of two CUDA streams, twice: streams of a program share memory, and the default stream waits inside. */
Test(processes, streams_of_one_program) {
    rig *r = open_with("timed", NULL);
    told t;
    put_kernel(r, "kernel-1.traceg", 1, 1, "-cuda stream id = 7\n", LOAD("0000", "0x1000") EXIT("0010"));
    put_kernel(r, "kernel-2.traceg", 1, 1, "-cuda stream id = 0\n", LOAD("0000", "0x1000") EXIT("0010"));
    write_text(r, "kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\n");
    write_text(r, "copy.g", "kernel-1.traceg\nkernel-2.traceg\n");
    program p = {.traces = {"kernelslist.g", "kernelslist.g", "copy.g", "copy.g"},
                 .processes = OWN,
                 .ids = {8, 1, 8, 1},
                 .null_streams = true};
    const measured_stats stats = run(r, &p, &t);
    cr_expect_eq(t.count, 4);
    cr_expect(t.processes[0] == 0 && t.processes[1] == 0 && t.processes[2] == 1 && t.processes[3] == 1);
    cr_expect_eq(stats.dram_read_sectors, 2 * 4);
    cr_expect_geq(t.started[1], t.ended[0]);
    cr_expect_geq(t.started[3], t.ended[2]);
    cr_expect_lt(t.started[2], t.ended[0], "a program does not wait for another's streams");
    cr_expect_lt(t.started[0], t.ended[2]);
    /* named numbers are left out */
    p = (program){.traces = {"kernel-1.traceg", "kernel-2.traceg", "kernel-1.traceg"}, .processes = {own, 0, own}};
    run(r, &p, &t);
    cr_expect(t.processes[0] == 1 && t.processes[1] == 0 && t.processes[2] == 2);
    rig_close(r);
}

/* Programs of a process whose kernels have equal positions in their traces: the first stream launches first. */
Test(processes, default_streams_of_several_traces) {
    for (size_t m = 0; m < 2; m++) {
        rig *r = open_with(modes[m], NULL);
        told t;
        put(r);
        program p = {.traces = {"a.traceg", "b.traceg"}, .processes = {1, 1}, .default_streams = true};
        run(r, &p, &t);
        cr_expect_eq(t.count, 2);
        cr_expect_geq(t.started[1], t.ended[0], "%s", modes[m]);
        rig_close(r);
    }
}

#define LDL(pc, offset) pc " ffffffff 1 R1 LDL 1 R2 4 1 " offset " 0\n"
#define LD(pc, address) pc " ffffffff 1 R1 LD.E 1 R2 4 1 " address " 0\n"

/* Local memory, by local instructions and through a generic window, and global memory through generic accesses. */
Test(processes, local_memory) {
    for (size_t m = 0; m < 2; m++) {
        rig *r = open_with(modes[m], NULL);
        told t;
        put_kernel(r, "a.traceg", 1, 1, WINDOWS,
                   LDL("0000", "0xfff000") LD("0010", "0x7f0002fff100") LD("0020", "0x5000") EXIT("0030"));
        put_kernel(r, "b.traceg", 1, 1, WINDOWS,
                   LDL("0000", "0xfff000") LD("0010", "0x7f0002fff100") LD("0020", "0x5000") EXIT("0030"));
        /* one SM: the two programs have slots 0 and 1; in sequence, slot 0 */
        set(r, "sm.count", "1");
        set(r, "sm.blocks", "1");
        set(r, "kernels.flush", "none");
        program p = {.traces = {"a.traceg"}, .processes = OWN};
        const measured_stats alone = run(r, &p, &t);
        cr_expect_gt(alone.dram_read_sectors, 0);
        p.traces[1] = "b.traceg";
        const measured_stats two = run(r, &p, &t);
        cr_expect_eq(two.dram_read_sectors, 2 * alone.dram_read_sectors, "%s: %" PRIu64, modes[m],
                     two.dram_read_sectors);
        memset(p.processes, 0, sizeof p.processes);
        const measured_stats shared = run(r, &p, &t);
        cr_expect_eq(shared.dram_read_sectors, alone.dram_read_sectors, "%s", modes[m]);
        rig_close(r);
    }
}

/* Lines left in L2 by a process are found only by the next replay of the process. */
Test(processes, stay_in_caches) {
    for (size_t m = 0; m < 2; m++) {
        rig *r = open_with(modes[m], (setting[]){{"kernels.flush", "l1"}, {NULL, NULL}});
        told t;
        measured_stats stats;
        gpc_replay *replay = open_replay(r), *copy;
        put_kernel(r, "a.traceg", 1, 1, "", LOAD("0000", "0x1000") EXIT("0010"));
        cr_assert_eq(run_in(r, replay, &(program){.traces = {"a.traceg"}, .processes = {2}}, &t, &stats), GPC_OK);
        cr_expect_eq(stats.dram_read_sectors, 4);
        cr_assert_eq(gpc_replay_copy(replay, &copy, &r->error), GPC_OK, "%s", r->error.message);
        cr_assert_eq(run_in(r, copy, &(program){.traces = {"a.traceg"}, .processes = {0}}, &t, &stats), GPC_OK);
        cr_expect_eq(stats.dram_read_sectors, 4);
        cr_assert_eq(run_in(r, copy, &(program){.traces = {"a.traceg"}, .processes = {2}}, &t, &stats), GPC_OK);
        cr_expect_eq(stats.dram_read_sectors, 0);
        gpc_replay_destroy(copy);
        gpc_replay_destroy(replay);
        rig_close(r);
    }
}

/* Addresses beyond 57 bits beside another process; process 0 alone has 64 bits. */
Test(processes, wide_addresses) {
    for (size_t m = 0; m < 2; m++) {
        rig *r = open_with(modes[m], NULL);
        told t;
        measured_stats stats;
        put_kernel(r, "a.traceg", 1, 1, "", LOAD("0000", "0x1000") EXIT("0010"));
        put_kernel(r, "wide.traceg", 1, 1, "", LOAD("0000", "0x1ffffffffffffa0") EXIT("0010"));
        stats = run(r, &(program){.traces = {"wide.traceg"}, .processes = OWN}, &t);
        cr_expect_eq(stats.dram_read_sectors, 4);
        for (uint8_t process = 0; process < 2; process++) {
            gpc_replay *replay = open_replay(r);
            const program p = {.traces = {"wide.traceg", "a.traceg"}, .processes = {process, 2}};
            expect_error(r, run_in(r, replay, &p, &t, &stats), GPC_ERROR_FORMAT,
                         "an address is beyond the 57 bits that those of a hierarchy with several processes have");
            gpc_replay_destroy(replay);
        }
        gpc_replay *replay = open_replay(r);
        const program p = {.traces = {"a.traceg"}, .processes = {128}};
        expect_error(r, run_in(r, replay, &p, &t, &stats), GPC_ERROR_ARGUMENT,
                     "streams[0].process is neither below 128 nor GPC_PROCESS_OWN");
        gpc_replay_destroy(replay);
        rig_close(r);
    }
}

/* 128 processes, and no more. */
Test(processes, most) {
    rig *r = rig_open();
    gpc_replay_stream streams[GPC_PROCESSES + 1];
    measured_stats stats;
    set(r, "streams", "255");
    put_kernel(r, "a.traceg", 1, 1, "", LOAD("0000", "0x1000") EXIT("0010"));
    for (unsigned n = 0; n <= GPC_PROCESSES; n++) {
        streams[n] = (gpc_replay_stream)GPC_REPLAY_STREAM_INIT;
        streams[n].trace = open_trace(r, "a.traceg");
    }
    gpc_replay *replay = open_replay(r);
    measured_clear(&stats);
    expect_error(r, measure_streams(replay, streams, GPC_PROCESSES + 1, NULL, NULL, &stats, &r->error), GPC_ERROR_RANGE,
                 "streams[128] is of more than 128 processes");
    cr_expect_eq(measure_streams(replay, streams, GPC_PROCESSES, NULL, NULL, &stats, &r->error), GPC_OK, "%s",
                 r->error.message);
    cr_expect_eq(stats.dram_read_sectors, 4 * GPC_PROCESSES);
    for (unsigned n = 0; n <= GPC_PROCESSES; n++)
        gpc_trace_close(streams[n].trace);
    gpc_replay_destroy(replay);
    rig_close(r);
}
