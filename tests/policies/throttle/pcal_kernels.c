/* SPDX-License-Identifier: BSD-2-Clause */
#include "measured.h"
#include "scheduler/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* PCAL's numbers kernel by kernel: set by a file, or remembered from the last launch. */

typedef struct listed {
    char path[64], spec[160];
} listed;

static void list(listed *l, const char *text, const char *spec) {
    snprintf(l->path, sizeof l->path, "/tmp/gpucache-pcal-XXXXXX");
    int descriptor = mkstemp(l->path);
    cr_assert_geq(descriptor, 0);
    cr_assert_eq(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
    close(descriptor);
    snprintf(l->spec, sizeof l->spec, spec, l->path);
}

static void begin(rig *r, const char *name, const char *classes) {
    cr_assert_eq(gpc_scheduler_begin_kernel(r->scheduler, name, NULL), GPC_OK);
    char found[9] = "";
    for (uint32_t slot = 0; slot < 8; slot++)
        found[slot] = "CBT"[gpc_scheduler_class_of(r->scheduler, slot)];
    cr_expect_str_eq(found, classes, "%s: %s instead of %s", name ? name : "NULL", found, classes);
}

static const char kernels[] = "# warp-opt EBTNum kernel\n"
                              "\n"
                              "2 1 _Z5firstPf\n"
                              "  3 -2\tvoid second<int, 4>(float*)  \r\n"
                              "0 -5 _Z5third*\n"
                              "1 0 _Z5third_is_never_reached\n"
                              "1 0 *";

Test(pcal_kernels, numbers_set_for_each) {
    rig r;
    listed l;
    list(&l, kernels, "gto + pcal(warps=6, kernels=%s)");
    rig_open_full(&r, l.spec, 8, 0);
    begin(&r, "_Z5firstPf", "CCBTTTTT");
    begin(&r, "_Z5firstPfS_", "CTTTTTTT"); /* another name: the last line is for all */
    begin(&r, "void second<int, 4>(float*)", "CBBTTTTT");
    begin(&r, "_Z5thirdPi", "CBBBBBTT"); /* warp-opt as `warps` */
    begin(&r, "_Z5third_is_never_reached", "CBBBBBTT");
    begin(&r, NULL, "CTTTTTTT");
    rig_close(&r);
    unlink(l.path);
}

/* A kernel missing in the file runs by `ebt`, and a file without lines sets nothing. */
Test(pcal_kernels, others_by_ebt) {
    rig r;
    listed l;
    list(&l, "3 0 known\n", "gto + pcal(warps=2, ebt=1, kernels=%s)");
    rig_open_full(&r, l.spec, 8, 0);
    begin(&r, "known", "CCCTTTTT");
    begin(&r, "unknown", "CCBTTTTT");
    rig_close(&r);
    unlink(l.path);
    list(&l, "", "gto + pcal(warps=2, ebt=1, kernels=%s)");
    rig_open_full(&r, l.spec, 8, 0);
    begin(&r, "known", "CCBTTTTT");
    rig_close(&r);
    unlink(l.path);
}

static void refuse(const char *spec, const char *message) {
    gpc_context *context;
    gpc_scheduler *scheduler = NULL;
    gpc_error error = GPC_ERROR_INIT;
    gpc_scheduler_options options = GPC_SCHEDULER_OPTIONS_INIT;
    options.policy = spec;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_expect_lt(gpc_scheduler_create(context, &options, &scheduler, &error), 0, "%s", spec);
    cr_expect_null(scheduler);
    cr_expect(strstr(error.message, message), "%s: %s", spec, error.message);
    gpc_context_destroy(context);
}

Test(pcal_kernels, refused) {
    static const char *const wrong[] = {"1 0",   "1 0 ",    "0\n3 x", "-1 0 x",  "1025 0 x",       "1 1025 x",  "x 1 2",
                                        "1 y 2", "1.5 0 x", "1 0x x", "1\n0\nx", "# no\n1 0 a\n2", "1 0 a\n\n1"};
    static const int lines[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        listed l;
        char message[96];
        list(&l, wrong[i], "gto + pcal(kernels=%s)");
        snprintf(message, sizeof message, "%s:%d: expected", l.path, lines[i]);
        refuse(l.spec, message);
        unlink(l.path);
    }
    refuse("gto + pcal(kernels=/no/such/file)", "/no/such/file");
    refuse("gto + pcal(remember=kernels)", "remember=kernels has no effect without ebt=auto");
    refuse("gto + pcal(level=separate, tokens-l2=-1)", "tokens-l2=-1 has no effect without ebt=auto");
    refuse("gto + pcal(ebt=auto, tokens-l2=-1)", "tokens-l2 has no effect without level=separate");
    refuse("gto + pcal(level=both, tokens-l2=3)", "tokens-l2 has no effect without level=separate");
    cr_expect_eq(gpc_scheduler_begin_kernel(NULL, "x", NULL), GPC_ERROR_ARGUMENT);
}

static uint64_t cycle;

/* A period of 1000 cycles with a number of issued instructions; a cycle later the throttle has been asked. */
static void period(rig *r, uint64_t instructions, uint64_t stalls) {
    measured_stats stats;
    uint32_t slot;
    cycle += 1000;
    measured_clear(&stats);
    stats.sm_cycles = stats.sm_active_cycles = stats.scheduler_cycles = 1000;
    stats.warp_instructions = instructions;
    stats.scheduler_memory_stalls = stalls;
    give_sample(r->scheduler, &stats, cycle);
    cr_assert_eq(gpc_scheduler_pick(r->scheduler, cycle + 1, true, &slot, NULL), GPC_OK);
}

Test(pcal_kernels, remembers_what_was_found) {
    rig r;
    rig_open_full(&r, "gto + pcal(warps=2, ebt=auto, remember=kernels)", 8, 0);
    begin(&r, "a", "CCTTTTTT");
    period(&r, 100, 0);
    period(&r, 120, 0);
    period(&r, 120, 0); /* extra 2 */
    begin(&r, "b", "CCTTTTTT");
    period(&r, 100, 0);
    period(&r, 90, 0); /* extra 0 */
    begin(&r, "a", "CCBBTTTT");
    begin(&r, "b", "CCTTTTTT");
    begin(&r, "c", "CCTTTTTT");
    period(&r, 100, 0);
    begin(&r, "a", "CCBBTTTT");
    begin(&r, "c", "CCTTTTTT"); /* no result before: it begins anew */
    period(&r, 100, 0);
    begin(&r, "d", "CCTTTTTT");
    rig_close(&r);
    rig_open_full(&r, "gto + pcal(warps=2, ebt=auto)", 8, 0); /* without: results stay, for any kernel */
    begin(&r, "a", "CCTTTTTT");
    period(&r, 100, 0);
    period(&r, 105, 0);
    begin(&r, "b", "CCBTTTTT");
    rig_close(&r);
}

/* Sixty-four kernels are remembered, no more. */
Test(pcal_kernels, forgets_the_longest_known) {
    rig r;
    char name[8];
    rig_open_full(&r, "gto + pcal(warps=2, ebt=auto, remember=kernels)", 8, 0);
    for (int i = 0; i < 65; i++) {
        snprintf(name, sizeof name, "k%d", i);
        begin(&r, name, "CCTTTTTT");
        period(&r, 100, 0);
        period(&r, 100, 0); /* extra 1 */
    }
    begin(&r, "k1", "CCBTTTTT");
    begin(&r, "k64", "CCBTTTTT");
    begin(&r, "k0", "CCTTTTTT");
    rig_close(&r);
}

/* Values set by software are not searched: samples meanwhile change nothing. */
Test(pcal_kernels, set_and_found) {
    rig r;
    listed l;
    list(&l, "4 -1 set\n", "gto + pcal(warps=2, ebt=auto, remember=kernels, kernels=%s)");
    rig_open_full(&r, l.spec, 8, 0);
    begin(&r, "set", "CCCBTTTT");
    period(&r, 100, 0);
    period(&r, 200, 0);
    begin(&r, "set", "CCCBTTTT");
    begin(&r, "found", "CCTTTTTT");
    period(&r, 100, 0);
    period(&r, 100, 0);
    begin(&r, "set", "CCCBTTTT");
    begin(&r, "found", "CCBTTTTT");
    rig_close(&r);
    unlink(l.path);
}

/* Tokens for L2, found: of eight warps two run; all have one until the search takes the first from them. */
Test(pcal_kernels, tokens_for_l2_are_found) {
    rig r;
    rig_open_full(&r, "gto + pcal(warps=2, ebt=auto, level=separate, tokens-l2=-1, step=1, noc-latency=0)", 8, 0);
    static const uint64_t work[] = {100, 100, 100, 100, 200};
    static const char *const tokens[] = {"HH", "HH", "HH", "HN", "HN"}; /* vote of two periods, settle, step, kept */
    for (size_t i = 0; i < 5; i++) {
        char found[3] = "";
        period(&r, work[i], 900);
        for (uint32_t slot = 0; slot < 2; slot++)
            found[slot] = gpc_scheduler_token_of(r.scheduler, slot, 2) == GPC_TOKEN_HELD ? 'H' : 'N';
        cr_expect_str_eq(found, tokens[i], "period %zu: %s", i, found);
    }
    rig_close(&r);
}

/* A file's two numbers of the present kernel, set for all schedulers: 0 to 8 warps, and as many in every direction. */
Test(pcal_kernels, cost) {
    rig r;
    listed l;
    uint64_t with, without;
    list(&l, kernels, "gto + pcal(warps=6, kernels=%s)");
    rig_open(&r, "gto", 8, 0);
    cr_assert_eq(gpc_scheduler_cost(r.context, l.spec, 8, &with, NULL), GPC_OK);
    cr_assert_eq(gpc_scheduler_cost(r.context, "gto + pcal(warps=6)", 8, &without, NULL), GPC_OK);
    cr_expect_eq(with - without, 2 * 4 + 2, "%u bits", (unsigned)(with - without));
    cr_assert_eq(gpc_scheduler_cost(r.context, "gto + pcal(warps=6, kernels=k)", 8, &with, NULL), GPC_OK);
    cr_expect_eq(with - without, 2 * 4 + 2, "a file is not read for it");
    rig_close(&r);
    unlink(l.path);
}
