/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "replay/rig.h"

#include <criterion/criterion.h>
#include <string.h>

/* kernels.copies: bytes copied to the GPU are in L2 when the next kernel begins. */

static const char *const modes[] = {"functional", "timed"};

/* Two kernels, a load each of the four sectors at 0x1000, in a list with copies. */
static rig *open_with(const char *mode, const char *copies, const char *list) {
    rig *r = rig_open();
    put_kernel(r, "kernel-1.traceg", 1, 1, "-cuda stream id = 0\n", LOAD("0000", "0x1000") EXIT("0010"));
    put_kernel(r, "kernel-2.traceg", 1, 1, "-cuda stream id = 7\n", LOAD("0000", "0x1000") EXIT("0010"));
    write_text(r, "kernelslist.g", list);
    set(r, "mode", mode);
    set(r, "l1.replacement", "lru");
    set(r, "kernels.copies", copies);
    return r;
}

/* Statistics of the first and the second kernel. */
static void run_two(rig *r, measured_stats *stats) {
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, "kernelslist.g");
    for (int k = 0; k < 2; k++)
        stats[k] = run_kernel(r, replay, trace);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
}

/* A copy fills only the sectors of the copied bytes, clean and uncounted. */
Test(host_copies, sectors) {
    static const struct {
        const char *copies, *copy;
        uint64_t hits;
    } cases[] = {{"none", "0x1000,128", 0}, {"l2", "0x1000,128", 4},  {"l2", "0x1000,64", 2},  {"l2", "0x1000,1", 1},
                 {"l2", "0x1010,33", 2},    {"l2", "0x1060,4096", 1}, {"l2", "0x1000,0", 0},   {"l2", "0x1080,4096", 0},
                 {"l2", "0x0,4096", 0},     {"l2", "0xfff,2", 1},     {"l2", "0x0,100000", 4}, {"l2", "0x1020,64", 2}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        for (size_t m = 0; m < 2; m++) {
            char list[128];
            snprintf(list, sizeof list, "MemcpyHtoD,%s\nkernel-1.traceg\nkernel-2.traceg\n", cases[n].copy);
            rig *r = open_with(modes[m], cases[n].copies, list);
            measured_stats s[2];
            run_two(r, s);
            cr_expect_eq(s[0].l2_read_sectors, 4, "%s", cases[n].copy);
            cr_expect_eq(s[0].l2_read_sector_hits, cases[n].hits, "%s %s: %d hits", modes[m], cases[n].copy,
                         (int)s[0].l2_read_sector_hits);
            cr_expect_eq(s[0].dram_read_sectors, 4 - cases[n].hits, "%s %s", modes[m], cases[n].copy);
            cr_expect(!s[0].l2_write_sectors && !s[0].dram_write_sectors && !s[1].dram_write_sectors);
            rig_close(r);
        }
}

/* A copy follows the flush before the next kernel. A later flush empties L2 again. */
Test(host_copies, between_kernels) {
    for (size_t m = 0; m < 2; m++) {
        measured_stats s[2];
        rig *r =
            open_with(modes[m], "l2", "kernel-1.traceg\nMemcpyHtoD,0x1000,96\nkernel-2.traceg\nMemcpyHtoD,0x0,9\n");
        set(r, "kernels.flush", "all");
        run_two(r, s);
        cr_expect(s[0].l2_read_sector_hits == 0 && s[1].l2_read_sector_hits == 3, "%s", modes[m]);
        rig_close(r);
        r = open_with(modes[m], "l2", "MemcpyHtoD,0x1000,96\nkernel-1.traceg\nkernel-2.traceg\n");
        set(r, "kernels.flush", "all");
        run_two(r, s);
        cr_expect(s[0].l2_read_sector_hits == 3 && s[1].l2_read_sector_hits == 0, "%s", modes[m]);
        rig_close(r);
    }
}

/* A copy is in the memory of the copy's process: equal addresses of another program stay cold. */
Test(host_copies, processes) {
    rig *r = open_with("functional", "l2", "MemcpyHtoD,0x1000,128\nkernel-1.traceg\n");
    write_text(r, "other.g", "kernel-2.traceg\n");
    set(r, "streams", "2");
    for (unsigned first = 0; first < 2; first++) {
        gpc_replay_stream streams[2] = {GPC_REPLAY_STREAM_INIT, GPC_REPLAY_STREAM_INIT};
        gpc_replay *replay = open_replay(r);
        measured_stats stats;
        measured_clear(&stats);
        streams[first].trace = open_trace(r, "kernelslist.g");
        streams[!first].trace = open_trace(r, "other.g");
        streams[1].process = 1;
        gpc_status status = measure_streams(replay, streams, 2, NULL, NULL, &stats, &r->error);
        cr_assert_eq(status, GPC_OK, "%s", r->error.message);
        cr_expect_eq(stats.l2_read_sector_hits, 4, "%d", (int)stats.l2_read_sector_hits);
        cr_expect_eq(stats.dram_read_sectors, 4, "%d", (int)stats.dram_read_sectors);
        for (int i = 0; i < 2; i++)
            gpc_trace_close(streams[i].trace);
        gpc_replay_destroy(replay);
    }
    rig_close(r);
}

/* Copies before a skipped kernel serve the next kernel. */
Test(host_copies, chosen_kernels) {
    static const char *const choices[] = {"2", "1-"};
    for (size_t n = 0; n < 2; n++) {
        rig *r = open_with("functional", "l2",
                           "MemcpyHtoD,0x1000,32\nkernel-1.traceg\nMemcpyHtoD,0x1060,1\nkernel-2.traceg\n");
        gpc_replay *replay = open_replay(r);
        gpc_trace *trace = open_trace(r, "kernelslist.g");
        const gpc_status status = gpc_trace_choose(trace, choices[n], &r->error);
        cr_assert_eq(status, GPC_OK, "%s", r->error.message);
        measured_stats s = run_kernel(r, replay, trace);
        cr_expect_eq(s.l2_read_sector_hits, n ? 1 : 2, "%s: %d", choices[n], (int)s.l2_read_sector_hits);
        gpc_trace_close(trace);
        gpc_replay_destroy(replay);
        rig_close(r);
    }
}

/* The callback gets copies with either value of the key. */
static void count_copy(void *user_data, uint64_t address, uint64_t bytes) {
    (void)address, (void)bytes;
    ++*(int *)user_data;
}

Test(host_copies, callback) {
    rig *r = open_with("functional", "l2", "MemcpyHtoD,0x1000,96\nMemcpyHtoD,0x0,1\nkernel-1.traceg\n");
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, "kernelslist.g");
    int count = 0;
    gpc_trace_on_memcpy(trace, count_copy, &count);
    cr_expect_eq(run_kernel(r, replay, trace).l2_read_sector_hits, 3);
    cr_expect_eq(count, 2);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    rig_close(r);
}

/* Streams of one list: a copy belongs to the kernel behind the copy, and other kernels may run meanwhile. */
Test(host_copies, streams) {
    for (size_t m = 0; m < 2; m++)
        for (int selects = 0; selects < 2; selects++) {
            rig *r = open_with(modes[m], "l2", "kernel-1.traceg\nMemcpyHtoD,0x1000,128\nkernel-2.traceg\n");
            set(r, "streams", "2");
            gpc_replay_stream streams[2] = {GPC_REPLAY_STREAM_INIT, GPC_REPLAY_STREAM_INIT};
            gpc_replay *replay = open_replay(r);
            measured_stats stats;
            measured_clear(&stats);
            for (int i = 0; i < 2; i++) {
                streams[i].trace = open_trace(r, "kernelslist.g");
                streams[i].select = selects;
                streams[i].id = i ? 7 : 0;
            }
            /* The second kernel has the line from the copy. */
            gpc_status status = measure_streams(replay, streams, selects ? 2 : 1, NULL, NULL, &stats, &r->error);
            cr_assert_eq(status, GPC_OK, "%s", r->error.message);
            cr_expect_eq(stats.kernels, 2);
            cr_expect_leq(stats.dram_read_sectors, 4, "%s, %d: %d", modes[m], selects, (int)stats.dram_read_sectors);
            cr_expect_geq(stats.l2_read_sector_hits, 4 - 4 * selects, "%s, %d", modes[m], selects);
            for (int i = 0; i < 2; i++)
                gpc_trace_close(streams[i].trace);
            gpc_replay_destroy(replay);
            rig_close(r);
        }
}

/* A copy of the whole address space ends, and the last bytes stay. */
Test(host_copies, of_more_than_fits) {
    measured_stats s[2];
    rig *r = open_with("functional", "l2",
                       "MemcpyHtoD,0x10,18446744073709551615\nkernel-1.traceg\nMemcpyHtoD,0x0,4224\nkernel-2.traceg\n");
    set(r, "l2.size", "64KiB");
    run_two(r, s);
    cr_expect_eq(s[0].l2_read_sector_hits, 0);
    cr_expect_eq(s[1].l2_read_sector_hits, 4);
    rig_close(r);
}

/* Hierarchies without a fillable L2 refuse the key. */
Test(host_copies, refused) {
    static const char *const settings[][2] = {
        {"coherence", "nmoesi"}, {"l2.inclusion", "inclusive"}, {"l2.enabled", "false"}};
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++) {
        rig *r = open_with("functional", "l2", "kernel-1.traceg\n");
        gpc_replay *replay = NULL;
        set(r, settings[n][0], settings[n][1]);
        gpc_status status = gpc_replay_create(r->context, r->config, &replay, &r->error);
        expect_error(r, status, GPC_ERROR_UNSUPPORTED, "kernels.copies");
        cr_expect_null(replay);
        set(r, "kernels.copies", "none");
        gpc_replay_destroy(open_replay(r));
        rig_close(r);
    }
}
