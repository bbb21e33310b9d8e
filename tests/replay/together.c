/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"
#include "measured.h"
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

/* Kernels of several streams at once (gpucache/ext/replay.h). */

#define MOST 8u

/* Results per kernel, in the order of ends. */
typedef struct told {
    gpc_kernel_result results[MOST];
    measured_stats stats[MOST];
    char files[MOST][64];
    unsigned count;
} told;

static void on_kernel(void *user_data, const gpc_kernel_result *result) {
    told *t = user_data;
    cr_assert_lt(t->count, MOST);
    t->results[t->count] = *result;
    cr_assert_eq(measure_sample(result->stats, &t->stats[t->count]), GPC_OK);
    const char *name = strrchr(result->kernel->file, '/');
    snprintf(t->files[t->count], sizeof t->files[0], "%s", name ? name + 1 : result->kernel->file);
    t->count++;
}

/* Up to three streams of a trace each, NULL at the end. */
typedef struct ask {
    const char *traces[3];
    uint32_t sms[3]; /* 1 + the only SM of a stream; 0: all */
    int32_t priorities[3];
    bool shared; /* streams of one program; false: of different programs */
} ask;

static gpc_status together(rig *r, gpc_replay *replay, const ask *a, told *t, measured_stats *stats) {
    gpc_replay_stream streams[3];
    gpc_trace *traces[3] = {NULL};
    uint32_t sms[3];
    size_t count = 0;
    for (; count < 3 && a->traces[count]; count++) {
        traces[count] = open_trace(r, a->traces[count]);
        sms[count] = a->sms[count] - 1;
        streams[count] = (gpc_replay_stream)GPC_REPLAY_STREAM_INIT;
        streams[count].trace = traces[count];
        streams[count].priority = a->priorities[count];
        streams[count].sms = a->sms[count] ? &sms[count] : NULL;
        streams[count].sm_count = a->sms[count] ? 1 : 0;
        streams[count].process = a->shared ? 0 : GPC_PROCESS_OWN;
    }
    memset(t, 0, sizeof *t);
    gpc_status status = measure_streams(replay, streams, count, on_kernel, t, stats, &r->error);
    for (size_t i = 0; i < count; i++)
        gpc_trace_close(traces[i]);
    return status;
}

static measured_stats run_together(rig *r, const ask *a, told *t) {
    gpc_replay *replay = open_replay(r);
    measured_stats stats;
    measured_clear(&stats);
    r->count = 0;
    cr_assert_eq(together(r, replay, a, t, &stats), GPC_OK, "%s", r->error.message);
    gpc_replay_destroy(replay);
    return stats;
}

static rig *open_with(const char *mode, const char *sms) {
    rig *r = rig_open();
    set(r, "mode", mode);
    set(r, "sm.count", sms);
    set(r, "sm.blocks", "4");
    set(r, "streams", "3");
    set(r, "l1.replacement", "lru");
    return r;
}

/* Loads of three lines, one of them twice. */
#define WORK_AT(a) LOAD("0000", a "000") LOAD("0010", a "400") LOAD("0020", a "000") LOAD("0030", a "800") EXIT("0040")

static void read_l1(const gpc_replay *replay, uint32_t sm, uint64_t *values) {
    static const char *const names[] = {"l1.load_sectors",   "l1.load_sector_hits", "l1.load_requests",
                                        "l1.load_lines",     "l1.fetched_sectors",  "l1.evictions",
                                        "warp_instructions", "l1.lookups"};
    for (size_t i = 0; i < 8; i++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        cr_assert_eq(gpc_counter_by_name(GPC_TABLE_HIERARCHY, names[i], &info, NULL), GPC_OK, "%s", names[i]);
        cr_assert_eq(gpc_replay_read(replay, GPC_OBJECT_SM, sm, &info.id, 1, &values[i], 1, NULL), GPC_OK);
    }
}

static uint32_t oldest; /* highest age of a warp that L1's policy was told */

static void note_age(void *self, uint32_t set, uint32_t way, const gpc_request *request) {
    (void)self, (void)set, (void)way;
    oldest = request->warp_age > oldest ? request->warp_age : oldest;
}

static uint32_t lowest_way(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)request;
    return (uint32_t)__builtin_ctzll(candidates[0]);
}

/* Ages go on over the warps of all blocks of an SM: four blocks of two warps have 0 to 7. */
Test(together, ages_without_a_clock) {
    static const gpc_replacement_ops watch = {
        .struct_size = sizeof watch, .name = "age-watch", .choose_victim = lowest_way, .on_hit = note_age};
    rig *r = open_with("functional", "1");
    told t;
    cr_assert_eq(gpc_context_register_replacement(r->context, &watch, NULL, NULL, &r->error), GPC_OK, "%s",
                 r->error.message);
    set(r, "l1.replacement", "age-watch");
    put_kernel(r, "a.traceg", 4, 2, "", WORK_AT("0x10"));
    run_together(r, &(ask){.traces = {"a.traceg"}}, &t);
    cr_expect_eq(oldest, 7, "%u", oldest);
    rig_close(r);
}

/* Partitions of SMs, disjoint memory: an L1 counts as if alone. L2 serves both. */
Test(together, partitions_have_l1s_of_their_own) {
    static const char *const modes[] = {"functional", "timed"};
    for (size_t m = 0; m < 2; m++) {
        rig *r = open_with(modes[m], "2");
        told t;
        put_kernel(r, "a.traceg", 6, 2, "", WORK_AT("0x10"));
        put_kernel(r, "b.traceg", 4, 3, "", WORK_AT("0x90"));
        const ask asks[] = {{.traces = {"a.traceg"}, .sms = {1}},
                            {.traces = {"b.traceg"}, .sms = {2}},
                            {.traces = {"a.traceg", "b.traceg"}, .sms = {1, 2}}};
        uint64_t alone[2][8], both[2][8];
        measured_stats stats[3];
        for (unsigned n = 0; n < 3; n++) {
            gpc_replay *replay = open_replay(r);
            measured_clear(&stats[n]);
            cr_assert_eq(gpc_replay_keep_objects(replay, true, NULL), GPC_OK);
            cr_assert_eq(together(r, replay, &asks[n], &t, &stats[n]), GPC_OK, "%s", r->error.message);
            for (uint32_t sm = 0; sm < 2; sm++)
                if (n == 2 || n == sm)
                    read_l1(replay, sm, n == 2 ? both[sm] : alone[sm]);
            gpc_replay_destroy(replay);
        }
        cr_assert(!memcmp(alone, both, sizeof both), "%s", modes[m]);
        cr_assert(both[0][0] && both[0][1] && both[1][0]);
        cr_assert_eq(stats[2].l2_read_sectors, stats[0].l2_read_sectors + stats[1].l2_read_sectors);
        cr_assert_eq(stats[2].kernels, 2);
        cr_assert_eq(stats[2].blocks, 10);
        rig_close(r);
    }
}

/* Equal lines: a kernel finds lines fetched to L2 by the other, if of the same program. */
Test(together, partitions_share_l2) {
    rig *r = open_with("timed", "2");
    told t;
    put_kernel(r, "a.traceg", 2, 2, "", WORK_AT("0x10"));
    put_kernel(r, "b.traceg", 2, 2, "", WORK_AT("0x10"));
    measured_stats alone = run_together(r, &(ask){.traces = {"a.traceg"}, .sms = {1}}, &t);
    ask two = {.traces = {"a.traceg", "b.traceg"}, .sms = {1, 2}, .shared = true};
    measured_stats both = run_together(r, &two, &t);
    cr_assert_eq(both.l2_read_sectors, 2 * alone.l2_read_sectors);
    cr_assert_eq(both.dram_read_sectors, alone.dram_read_sectors);
    two.shared = false;
    both = run_together(r, &two, &t);
    cr_assert_eq(both.l2_read_sectors, 2 * alone.l2_read_sectors);
    cr_assert_eq(both.dram_read_sectors, 2 * alone.dram_read_sectors);
    rig_close(r);
}

/* Equal work takes less time at once than in sequence, and not less than alone. */
Test(together, streams_overlap) {
    rig *r = open_with("timed", "1");
    told t;
    put_kernel(r, "a.traceg", 1, 1, "", WORK_AT("0x10"));
    put_kernel(r, "b.traceg", 1, 1, "", WORK_AT("0x90"));
    uint64_t alone = run_together(r, &(ask){.traces = {"a.traceg"}}, &t).cycles;
    alone += run_together(r, &(ask){.traces = {"b.traceg"}}, &t).cycles;
    measured_stats both = run_together(r, &(ask){.traces = {"a.traceg", "b.traceg"}}, &t);
    cr_assert_lt(both.cycles, alone);
    cr_assert_geq(2 * both.cycles, alone);
    cr_assert(t.count == 2 && t.results[0].launched == t.results[1].launched);
    rig_close(r);
}

/* A stream's kernels run in order, with the counts of a sequential replay. */
Test(together, a_stream_is_in_order) {
    static const char *const modes[] = {"functional", "timed"};
    for (size_t m = 0; m < 2; m++) {
        rig *r = open_with(modes[m], "2");
        told t;
        put_kernel(r, "kernel-1.traceg", 5, 2, "", WORK_AT("0x10"));
        put_kernel(r, "kernel-2.traceg", 3, 2, "", WORK_AT("0x10"));
        write_text(r, "kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\n");
        gpc_replay *replay = open_replay(r);
        gpc_trace *trace = open_trace(r, "kernelslist.g");
        const measured_stats first = run_kernel(r, replay, trace), second = run_kernel(r, replay, trace);
        measured_stats all = first;
        measured_add(&all, &second);
        gpc_trace_close(trace);
        gpc_replay_destroy(replay);
        measured_stats own = run_together(r, &(ask){.traces = {"kernelslist.g"}}, &t);
        cr_assert_eq(t.count, 2);
        cr_assert_eq(own.l1_load_sector_hits, all.l1_load_sector_hits, "%s", modes[m]);
        cr_assert_eq(own.l2_read_sectors, all.l2_read_sectors, "%s", modes[m]);
        cr_assert_eq(own.dram_read_sectors, all.dram_read_sectors, "%s", modes[m]);
        cr_assert_eq(own.warp_instructions, all.warp_instructions);
        cr_assert_eq(own.thread_instructions, all.thread_instructions);
        if (m == 1) {
            cr_assert_eq(t.stats[0].cycles, first.cycles, "%" PRIu64 " %" PRIu64, t.stats[0].cycles, first.cycles);
            cr_assert_eq(t.results[1].launched, t.results[0].ended);
            cr_assert_eq(t.stats[1].cycles, second.cycles, "%" PRIu64 " %" PRIu64, t.stats[1].cycles, second.cycles);
        }
        rig_close(r);
    }
}

/* Counters by kernel add up to the whole. */
Test(together, kernels_add_up) {
    static const char *const modes[] = {"functional", "timed"};
    for (size_t m = 0; m < 2; m++) {
        rig *r = open_with(modes[m], "3");
        told t;
        measured_stats whole =
            run_together(r,
                         &(ask){.traces = {"synthetic:vectoradd:64KiB", "synthetic:transpose-naive:64KiB",
                                           "synthetic:gather:32KiB"}},
                         &t);
        cr_assert_geq(t.count, 3);
        unsigned sums = 0;
        for (size_t n = 0; n < gpc_counter_table_count(GPC_TABLE_HIERARCHY); n++) {
            gpc_counter_info info = GPC_COUNTER_INFO_INIT;
            cr_assert_eq(gpc_counter_table_at(GPC_TABLE_HIERARCHY, n, &info, NULL), GPC_OK);
            if (info.ratio || info.buckets > 1)
                continue;
            uint64_t sum = 0, expected, part;
            memcpy(&expected, (const char *)&whole + measured_offset(info.id), sizeof expected);
            memcpy(&part, (const char *)&t.stats[0] + measured_offset(info.id), sizeof part);
            if (part == GPC_ABSENT || !strcmp(info.name, "cycles"))
                continue;
            for (unsigned k = 0; k < t.count; k++) {
                memcpy(&part, (const char *)&t.stats[k] + measured_offset(info.id), sizeof part);
                sum += part;
            }
            cr_assert_eq(sum, expected, "%s, %s: %" PRIu64 ", not %" PRIu64, modes[m], info.name, sum, expected);
            sums++;
        }
        cr_assert_eq(sums, 21, "%s: %u counters", modes[m], sums);
        cr_assert(whole.l2_read_sectors && whole.dram_read_sectors && whole.l2_write_sectors);
        rig_close(r);
    }
}

/* An SM of one block: the higher priority comes first, though queued last; otherwise the first. */
Test(together, priorities) {
    static const int32_t lower[] = {0, -1};
    for (unsigned n = 0; n < 2; n++) {
        rig *r = open_with("timed", "1");
        told t;
        set(r, "sm.blocks", "1");
        put_kernel(r, "a.traceg", 3, 1, "", WORK_AT("0x10"));
        put_kernel(r, "b.traceg", 3, 1, "", WORK_AT("0x90"));
        run_together(r, &(ask){.traces = {"a.traceg", "b.traceg"}, .priorities = {0, lower[n]}}, &t);
        cr_assert_str_eq(t.files[0], n ? "b.traceg" : "a.traceg");
        cr_assert_geq(t.results[1].started, t.results[0].dispatched);
        rig_close(r);
    }
}

/* A later kernel of higher priority goes before the rest of a running kernel, without preemption. */
Test(together, blocks_are_not_preempted) {
    rig *r = open_with("timed", "1");
    told t;
    set(r, "sm.blocks", "1");
    set(r, "kernels.flush", "none"); /* otherwise L1 must be quiet first */
    /* the store outlives the block, whose room goes to A before kernel 2 is queued */
    put_kernel(r, "kernel-1.traceg", 1, 1, "", "0000 ffffffff 0 STG.E 2 R2 R1 4 1 0x9000 4\n" EXIT("0010"));
    put_kernel(r, "kernel-2.traceg", 1, 1, "", WORK_AT("0x90"));
    write_text(r, "kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\n");
    put_kernel(r, "a.traceg", 4, 1, "", WORK_AT("0x10"));
    run_together(r, &(ask){.traces = {"a.traceg", "kernelslist.g"}, .priorities = {0, -1}}, &t);
    cr_assert_str_eq(t.files[0], "kernel-1.traceg");
    cr_assert_str_eq(t.files[1], "kernel-2.traceg", "one block of a, at most, between the two");
    cr_assert_str_eq(t.files[2], "a.traceg");
    cr_assert_gt(t.results[1].started, t.results[1].launched);
    cr_assert_lt(t.results[2].started, t.results[1].started);
    rig_close(r);
}

/* The next kernel gets resources left over by a completely placed kernel: warps, registers, shared memory, blocks. */
Test(together, leftover) {
    static const struct {
        const char *key, *value, *more;
        unsigned warps; /* warps of A's block; B's have one */
        bool fits;
    } cases[] = {{"sm.warps", "3", "", 2, true},
                 {"sm.warps", "2", "", 2, false},
                 {"sm.blocks", "1", "", 1, false},
                 {"sm.registers", "4096", "-nregs = 64\n", 1, true},
                 {"sm.registers", "4095", "-nregs = 64\n", 1, false},
                 {"sm.shared", "4KiB", "-shmem = 2048\n", 1, true},
                 {"sm.shared", "4095", "-shmem = 2048\n", 1, false}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        rig *r = open_with("timed", "1");
        told t;
        set(r, "sm.warp_unit", "1");
        set(r, "sm.shared_unit", "1");
        set(r, "sm.shared_reserved", "0");
        set(r, cases[n].key, cases[n].value);
        put_kernel(r, "a.traceg", 1, cases[n].warps, cases[n].more, WORK_AT("0x10"));
        put_kernel(r, "b.traceg", 1, 1, cases[n].more, WORK_AT("0x90"));
        run_together(r, &(ask){.traces = {"a.traceg", "b.traceg"}}, &t);
        cr_assert_str_eq(t.files[0], "a.traceg");
        cr_assert_eq(t.results[1].started == t.results[1].launched, cases[n].fits, "%s = %s", cases[n].key,
                     cases[n].value);
        rig_close(r);
    }
}

/* Warps of blocks of unequal sizes have separate slots, and distinct ages. */
Test(together, warps_are_apart) {
    static const char *const modes[] = {"functional", "timed"};
    for (size_t m = 0; m < 2; m++) {
        rig *r = open_with(modes[m], "1");
        told t;
        set(r, "l1.replacement", "watch");
        put_kernel(r, "a.traceg", 2, 3, "", WORK_AT("0x10"));
        put_kernel(r, "b.traceg", 2, 2, "", WORK_AT("0x90"));
        run_together(r, &(ask){.traces = {"a.traceg", "b.traceg"}}, &t);
        uint64_t used = 0;
        for (unsigned n = 0; n < r->count; n++) {
            const seen *s = &r->seen[n];
            const uint64_t slot = (uint64_t)1 << s->warp;
            if (s->kind == SEEN_START || s->kind == SEEN_EXIT)
                cr_assert_eq((used & slot) != 0, s->kind == SEEN_EXIT, "warp %u", s->warp);
            if (s->kind == SEEN_START || s->kind == SEEN_EXIT)
                used ^= slot;
            if (s->kind == SEEN_ACCESS)
                cr_assert(used & slot);
        }
        cr_assert_eq(how_many(r, SEEN_START), 10);
        cr_assert_eq(used, 0);
        rig_close(r);
    }
}

/* L1s: emptied if a kernel comes to an SM without blocks, kept if others run. */
Test(together, flush) {
    rig *r = open_with("timed", "1");
    told t;
    put_kernel(r, "a.traceg", 1, 1, "", LOAD("0000", "0x1000") EXIT("0010"));
    put_kernel(r, "b.traceg", 1, 1, "", LOAD("0000", "0x1000") EXIT("0010"));
    const ask two = {.traces = {"a.traceg", "b.traceg"}, .shared = true};
    measured_stats kept = run_together(r, &two, &t);
    cr_assert_eq(kept.l2_read_sectors, 4, "B meets A's line in L1");
    measured_stats apart = run_together(r, &(ask){.traces = {"a.traceg", "b.traceg"}}, &t);
    cr_assert_eq(apart.l2_read_sectors, 8, "another program does not");
    set(r, "sm.blocks", "1");
    measured_stats emptied = run_together(r, &two, &t);
    cr_assert_eq(emptied.l2_read_sectors, 8, "%" PRIu64, emptied.l2_read_sectors);
    set(r, "kernels.flush", "none");
    measured_stats none = run_together(r, &two, &t);
    cr_assert_eq(none.l2_read_sectors, 4);
    rig_close(r);
}

/* Dirty lines of an L1 emptied while others run reach L2. */
Test(together, dirty_lines_are_written) {
    rig *r = open_with("timed", "2");
    told t;
    set(r, "sm.blocks", "1");
    set(r, "l1.write_policy", "back");
    set(r, "l1.write_allocate", "lazy");
    put_kernel(r, "kernel-1.traceg", 1, 1, "", "0000 ffffffff 0 STG.E 2 R2 R1 4 1 0x1000 4\n" EXIT("0010"));
    put_kernel(r, "kernel-2.traceg", 1, 1, "", LOAD("0000", "0x8000") EXIT("0010"));
    write_text(r, "kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\n");
    put_kernel(r, "b.traceg", 40, 1, "", WORK_AT("0x90"));
    measured_stats stats = run_together(r, &(ask){.traces = {"kernelslist.g", "b.traceg"}, .sms = {1, 2}}, &t);
    cr_assert_eq(stats.l2_write_sectors, 4, "%" PRIu64, stats.l2_write_sectors);
    cr_assert_str_eq(t.files[2], "b.traceg", "it runs throughout");
    rig_close(r);
}

/* An SM has the carve-out of the kernel; beside another kernel's blocks, it stays. */
Test(together, carveouts) {
    rig *r = open_with("timed", "2");
    told t;
    set(r, "l1.unified", "true");
    set(r, "l1.size", "64KiB");
    set(r, "l1.ways", "4");
    set(r, "l1.carveouts", "0B 16KiB 32KiB");
    set(r, "sm.shared", "32KiB");
    put_kernel(r, "a.traceg", 8, 1, "", WORK_AT("0x10"));
    put_kernel(r, "b.traceg", 8, 1, "-shmem = 16384\n", WORK_AT("0x90"));
    gpc_replay *replay = open_replay(r);
    const ask apart = {.traces = {"a.traceg", "b.traceg"}, .sms = {1, 2}};
    gpc_hierarchy *h = gpc_replay_hierarchy(replay);
    cr_assert_eq(together(r, replay, &apart, &t, NULL), GPC_OK, "%s", r->error.message);
    cr_assert_eq(gpc_hierarchy_cache(h, 1, 0)->sets * 4, 65536 / 128);
    cr_assert_eq(gpc_hierarchy_cache(h, 1, 1)->sets * 4, 32768 / 128);
    gpc_replay_destroy(replay);
    /* on one SM: A's carve-out of nothing has no room for B's blocks while A runs */
    run_together(r, &(ask){.traces = {"a.traceg", "b.traceg"}, .sms = {1, 1}}, &t);
    cr_assert_geq(t.results[1].started, t.results[0].ended - 1);
    /* B first: A needs no carve-out, and fits */
    run_together(r, &(ask){.traces = {"b.traceg", "a.traceg"}, .sms = {1, 1}}, &t);
    cr_assert_lt(t.results[1].started, t.results[0].ended);
    rig_close(r);
}

/* Streams of one trace: the default stream and all others follow the order of launches. */
Test(together, null_stream) {
    static const unsigned streams[] = {1, 0, 2};
    for (unsigned null = 0; null < 2; null++) {
        rig *r = open_with("timed", "1");
        told t = {.count = 0};
        gpc_replay_stream s[3];
        char list[128] = "";
        for (unsigned k = 0; k < 3; k++) {
            char name[32], more[64];
            snprintf(name, sizeof name, "kernel-%u.traceg", k + 1);
            snprintf(more, sizeof more, "-cuda stream id = %u\n", streams[k]);
            put_kernel(r, name, 1, 1, more, WORK_AT("0x10"));
            strcat(strcat(list, name), "\n");
        }
        write_text(r, "kernelslist.g", list);
        for (unsigned i = 0; i < 3; i++) {
            s[i] = (gpc_replay_stream)GPC_REPLAY_STREAM_INIT;
            s[i].trace = open_trace(r, "kernelslist.g");
            s[i].select = 1;
            s[i].id = i;
            s[i].null_stream = (uint8_t)(null && i == 0);
        }
        gpc_replay *replay = open_replay(r);
        cr_assert_eq(gpc_replay_streams(replay, s, 3, on_kernel, &t, &r->error), GPC_OK, "%s", r->error.message);
        gpc_replay_destroy(replay);
        for (unsigned i = 0; i < 3; i++)
            gpc_trace_close(s[i].trace);
        cr_assert_eq(t.count, 3);
        for (unsigned k = 0; k + 1 < 3; k++)
            cr_assert(null ? t.results[k + 1].launched == t.results[k].ended : t.results[k].launched == 0, "%u", k);
        rig_close(r);
    }
}

/* With all threads: equal results. A copy between two calls continues like the original. */
Test(together, threads_and_copies) {
    static const char *const modes[] = {"functional", "timed"};
    const ask a = {.traces = {"synthetic:vectoradd:64KiB", "synthetic:gather:32KiB"}, .sms = {0, 2}};
    for (size_t m = 0; m < 2; m++) {
        rig *r = open_with(modes[m], "4");
        told one, many;
        measured_stats first = run_together(r, &a, &one);
        set(r, "threads", "2");
        measured_stats second = run_together(r, &a, &many);
        cr_assert(!memcmp(&first, &second, sizeof first), "%s", modes[m]);
        cr_assert(one.count == many.count && !memcmp(one.stats, many.stats, sizeof one.stats), "%s", modes[m]);
        gpc_replay *replay = open_replay(r), *copy = NULL;
        cr_assert_eq(together(r, replay, &a, &one, &first), GPC_OK);
        cr_assert_eq(gpc_replay_copy(replay, &copy, &r->error), GPC_OK, "%s", r->error.message);
        cr_assert_eq(together(r, replay, &a, &one, &first), GPC_OK);
        cr_assert_eq(together(r, copy, &a, &many, &second), GPC_OK);
        cr_assert(!memcmp(&first, &second, sizeof first), "%s", modes[m]);
        cr_assert(!memcmp(one.stats, many.stats, sizeof one.stats), "%s", modes[m]);
        gpc_replay_destroy(replay);
        gpc_replay_destroy(copy);
        rig_close(r);
    }
}

/* A replay of one kernel goes on after one of several. */
Test(together, then_one_by_one) {
    rig *r = open_with("timed", "2");
    told t;
    put_kernel(r, "a.traceg", 2, 2, "", WORK_AT("0x10"));
    gpc_replay *replay = open_replay(r);
    measured_stats alone, again;
    measured_clear(&alone);
    cr_assert_eq(run_file(r, "a.traceg", &alone), GPC_OK);
    cr_assert_eq(together(r, replay, &(ask){.traces = {"a.traceg", "synthetic:gather:32KiB"}}, &t, NULL), GPC_OK);
    gpc_trace *trace = open_trace(r, "a.traceg");
    again = run_kernel(r, replay, trace);
    cr_assert_eq(again.l1_load_sector_hits, alone.l1_load_sector_hits);
    cr_assert_eq(again.l2_read_sectors, alone.l2_read_sectors);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    rig_close(r);
}

/* After a kernel with clusters, concurrent kernels have no clusters. */
Test(together, after_clusters) {
    rig *r = open_with("timed", "2");
    told t;
    put_kernel(r, "a.traceg", 2, 2, "-cluster dim = (2,1,1)\n", WORK_AT("0x10"));
    put_kernel(r, "b.traceg", 3, 2, "-cluster dim = (1,1,1)\n", WORK_AT("0x10"));
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, "a.traceg");
    run_kernel(r, replay, trace);
    cr_assert_eq(together(r, replay, &(ask){.traces = {"b.traceg"}}, &t, NULL), GPC_OK, "%s", r->error.message);
    cr_assert_eq(t.stats[0].blocks, 3);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    rig_close(r);
}

#define INIT(pc) pc " 1 0 SYNCS.EXCH.64 4 UR4 V0 V1 M8 0\n"
#define EXPECT(pc, bytes) pc " 1 0 SYNCS.ARRIVE.TRANS64 6 R4 V0 V" bytes " V0 V1 M8 0\n"
#define COPY(pc, from) pc " ffffffff 0 UBLKCP.S.G 4 UR4 V0 V0 M8 128 1 " from " 128\n"
#define CHECK(pc) pc " ffffffff 1 P0 SYNCS.PHASECHK.TRANS64.TRYWAIT 4 R8 V0 V0 M8 0\n"
#define COPIES(from) INIT("0000") EXPECT("0010", "4096") COPY("0020", from) CHECK("0030") EXIT("0040")

/* Blocks of equal number, of two kernels on one SM: separate barriers, and copies end phases of the own barriers. */
Test(together, copies_to_mbarriers) {
    rig *r = open_with("timed", "1");
    told t;
    put_kernel(r, "a.traceg", 6, 1, "", COPIES("0x100000"));
    put_kernel(r, "b.traceg", 5, 1, "", COPIES("0x900000"));
    const measured_stats s = run_together(r, &(ask){.traces = {"a.traceg", "b.traceg"}}, &t);
    cr_expect_eq(t.count, 2);
    cr_expect(s.bulk_copies == 11 && s.bulk_completed == 11);
    cr_expect_eq(s.mbarrier_phases, 11);
    cr_expect(s.mbarrier_checks == 11 && s.mbarrier_untold_checks == 0 && s.copy_waits == 11);
    cr_expect_eq(s.accepted, s.completed);
    rig_close(r);
}

/* 20 instructions: three lines of code. */
#define MOVE(pc) pc " ffffffff 1 R1 MOV 0 0\n"
#define FOUR(pc) MOVE(pc "00") MOVE(pc "10") MOVE(pc "20") MOVE(pc "30")
#define NEXT_FOUR(pc) MOVE(pc "40") MOVE(pc "50") MOVE(pc "60") MOVE(pc "70")
#define LAST_EIGHT(pc) \
    MOVE(pc "80") MOVE(pc "90") MOVE(pc "a0") MOVE(pc "b0") MOVE(pc "c0") MOVE(pc "d0") MOVE(pc "e0") MOVE(pc "f0")
#define CODE FOUR("00") NEXT_FOUR("00") LAST_EIGHT("00") MOVE("0100") MOVE("0110") MOVE("0120") EXIT("0130")

/* Two kernels at once, on one SM or on two: reads of a line of code from L2. */
static uint64_t code_lines(const char *sms, const char *other, const ask *a, measured_stats *out) {
    rig *r = open_with("timed", sms);
    told t;
    set(r, "sm.fetch", "2");
    set(r, "l1i.size", "4KiB");
    set(r, "l1i.mshr_entries", "4");
    set(r, "launch.cycles", "0");
    set(r, "launch.sectors", "0");
    put_kernel(r, "a.traceg", 2, 2, "", CODE);
    put_kernel(r, "b.traceg", 2, 2, other, CODE);
    *out = run_together(r, a, &t);
    cr_expect_eq(t.count, 2);
    for (unsigned i = 0; i < 2; i++)
        cr_expect_eq(t.stats[i].warp_instructions, 2 * 2 * 20);
    /* reads count for the kernel that asked first */
    cr_expect_eq(t.stats[0].l2_read_sectors + t.stats[1].l2_read_sectors, out->l2_read_sectors);
    cr_expect_eq(out->l1i_accesses, 8 * 10);
    cr_expect_eq(out->l1i_accesses - out->l1i_hits - out->l1i_merges, out->l2_instruction_read_sectors / 4);
    rig_close(r);
    return out->l2_instruction_read_sectors / 4;
}

/* Kernels of equal name and program share code, in the instruction cache and in L2; others do not. */
Test(together, instruction_caches) {
    const ask both = {.traces = {"a.traceg", "b.traceg"}, .shared = true},
              apart = {.traces = {"a.traceg", "b.traceg"}, .sms = {1, 2}, .shared = true};
    measured_stats s;
    cr_expect_eq(code_lines("1", "", &(ask){.traces = {"a.traceg", "b.traceg"}}, &s), 6, "two programs");
    cr_expect_eq(s.l2_instruction_read_sector_hits, 0);
    cr_expect_eq(code_lines("1", "", &both, &s), 3);
    cr_expect_eq(s.l2_instruction_read_sector_hits, 0);
    cr_expect_eq(code_lines("1", "-kernel name = other\n", &both, &s), 6);
    cr_expect_eq(s.l2_instruction_read_sector_hits, 0);
    cr_expect_eq(code_lines("2", "-kernel name = other\n", &apart, &s), 6);
    cr_expect_eq(s.l2_instruction_read_sector_hits, 0);
    cr_expect_eq(code_lines("2", "", &apart, &s), 6, "an SM's cache is its own,");
    cr_expect_eq(s.l2_instruction_read_sector_hits, 3 * 4, "L2 is both's");
}

static void refuse(const char *key, const char *value, const ask *a, gpc_status expected, const char *part) {
    rig *r = open_with("timed", "2");
    told t;
    put_kernel(r, "a.traceg", 2, 2, "", WORK_AT("0x10"));
    put_kernel(r, "b.traceg", 2, 2, "", WORK_AT("0x10"));
    put_kernel(r, "wide.traceg", 1, 64, "", EXIT("0000"));
    put_kernel(r, "cluster.traceg", 2, 2, "-cluster dim = (2,1,1)\n", EXIT("0000"));
    set(r, "sm.fetch", "2");
    if (key)
        set(r, key, value);
    gpc_replay *replay = open_replay(r);
    expect_error(r, together(r, replay, a, &t, NULL), expected, part);
    gpc_replay_destroy(replay);
    rig_close(r);
}

Test(together, refused) {
    const ask two = {.traces = {"a.traceg", "b.traceg"}};
    refuse("streams", "1", &two, GPC_ERROR_RANGE, "2 streams, but streams = 1");
    refuse("sample", "kernels", &two, GPC_ERROR_UNSUPPORTED, "sample");
    refuse("limit.cycles", "100", &two, GPC_ERROR_UNSUPPORTED, "limit.cycles");
    refuse("limit.instructions", "100", &two, GPC_ERROR_UNSUPPORTED, "limit.instructions");
    refuse("kernels.flush", "all", &two, GPC_ERROR_UNSUPPORTED, "kernels.flush");
    refuse("blocks.placement", "map", &two, GPC_ERROR_UNSUPPORTED, "blocks.placement");
    refuse("blocks.cluster_x", "2", &two, GPC_ERROR_UNSUPPORTED, "a.traceg: clusters of 2 thread blocks start as a");
    refuse(NULL, NULL, &(ask){.traces = {"a.traceg", "cluster.traceg"}}, GPC_ERROR_UNSUPPORTED,
           "cluster.traceg: clusters of 2 thread blocks start as a whole");
    refuse(NULL, NULL, &(ask){.traces = {"a.traceg"}, .sms = {3}}, GPC_ERROR_RANGE, "sms[0] is 2");
    refuse(NULL, NULL, &(ask){.traces = {"a.traceg", "wide.traceg"}}, GPC_ERROR_RANGE, "does not fit an SM");
    rig *r = open_with("timed", "1");
    gpc_replay *replay = open_replay(r);
    put_kernel(r, "a.traceg", 2, 2, "", WORK_AT("0x10"));
    gpc_replay_stream s[2] = {GPC_REPLAY_STREAM_INIT, GPC_REPLAY_STREAM_INIT};
    expect_error(r, gpc_replay_streams(replay, s, 1, NULL, NULL, &r->error), GPC_ERROR_ARGUMENT, "trace is NULL");
    s[0].trace = s[1].trace = open_trace(r, "a.traceg");
    s[0].select = 2;
    expect_error(r, gpc_replay_streams(replay, s, 1, NULL, NULL, &r->error), GPC_ERROR_ARGUMENT,
                 "streams[0].select is neither 0 nor 1");
    s[0].select = 0;
    s[0].null_stream = 2;
    expect_error(r, gpc_replay_streams(replay, s, 1, NULL, NULL, &r->error), GPC_ERROR_ARGUMENT,
                 "streams[0].null_stream is neither 0 nor 1");
    s[0].null_stream = 0;
    expect_error(r, gpc_replay_streams(replay, s, 2, NULL, NULL, &r->error), GPC_ERROR_STATE,
                 "streams[1] has the trace of streams[0]");
    expect_error(r, gpc_replay_streams(replay, s, 0, NULL, NULL, &r->error), GPC_ERROR_ARGUMENT, "count");
    gpc_trace_close(s[0].trace);
    gpc_replay_destroy(replay);
    rig_close(r);
}
