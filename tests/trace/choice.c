/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Choice of kernels by number or name: gpc_trace_choose. */

static const char *const names[] = {
    "_Z4reluPfS_i",
    "_ZN3net4reluEPfS0_i",
    "_ZN3net6conv2dIfLi3EEEvPT_",
    "plain",
    "_ZNK3net4poolEPfi",
    "_Z6conv2dPf",
    "_ZN41_GLOBAL__N__0c5d0ad9_9_kernel_cu_8a1bd7704copyEPf",
};
#define COUNT (sizeof names / sizeof *names)

/* Folder with a kernel per name; ids from 10 on. */
static void write_kernels(const rig *r) {
    char list[512] = "";
    for (size_t n = 0; n < COUNT; n++) {
        char file[32], text[512];
        snprintf(file, sizeof file, "kernel-%zu.traceg", n + 10);
        snprintf(text, sizeof text,
                 "-kernel name = %s\n-kernel id = %zu\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
                 "-accelsim tracer version = 4\n#\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n"
                 "0000 1 0 EXIT 0 0\n#END_TB\n",
                 names[n], n + 10);
        write_text(r, file, text);
        snprintf(list + strlen(list), sizeof list - strlen(list), "MemcpyHtoD,0x%zx000,16\n%s\n", n + 1, file);
    }
    write_text(r, "kernelslist.g", list);
}

/* Write the numbers of the chosen kernels, "2 3". Returns the status at the end. */
static gpc_status chosen(rig *r, const char *source, const char *kernels, char *out, size_t size) {
    gpc_trace *trace = open_trace(r, source);
    gpc_status status = gpc_trace_choose(trace, kernels, &r->error);
    gpc_kernel kernel = GPC_KERNEL_INIT;
    *out = 0;
    while (status >= 0 && (status = gpc_trace_next_kernel(trace, &kernel, &r->error)) == GPC_OK) {
        snprintf(out + strlen(out), size - strlen(out), "%s%" PRIu32, *out ? " " : "", kernel.index + 1);
        const gpc_block *block = next_block(r, trace);
        cr_assert_eq(block->index, 0);
        gpc_trace_release_block(trace, block);
    }
    gpc_trace_close(trace);
    return status;
}

static void expect_chosen(rig *r, const char *source, const char *kernels, const char *expected) {
    char found[128];
    cr_assert_eq(chosen(r, source, kernels, found, sizeof found), GPC_END, "%s: %s", kernels, r->error.message);
    cr_assert_str_eq(found, expected, "%s: %s, not %s", kernels, found, expected);
}

static void expect_refused(rig *r, const char *source, const char *kernels, gpc_status expected, const char *part) {
    char found[128];
    expect_error(r, chosen(r, source, kernels, found, sizeof found), expected, part);
}

static const struct {
    const char *kernels, *expected;
} choices[] = {
    {NULL, "1 2 3 4 5 6 7"},
    {"3", "3"},
    {"2-4", "2 3 4"},
    {" 5 , 2-3,3 ", "2 3 5"},
    {"6-", "6 7"},
    {"-2", "1 2"},
    {"1-", "1 2 3 4 5 6 7"},
    {"relu", "1"},
    {"net::relu", "2"},
    {"_ZN3net4reluEPfS0_i", "2"},
    {"*relu*", "1 2"},
    {"*relu", "1 2"},
    {"conv2d", "6"},
    {"net::conv2d", "3"},
    {"net::*", "2 3 5"},
    {"????", "1"},
    {"plain,4", "4"},
    {"pl*n,7", "4 7"},
    {"(anonymous)::copy", "7"},
    {"**", "1 2 3 4 5 6 7"},
    {"_ZNK*,1", "1 5"},
};

Test(choice, of_a_list_a_binary_and_a_folder) {
    rig r;
    rig_open(&r);
    write_kernels(&r);
    convert(&r, r.folder, path_of(&r, "all.gct"), GPC_TRACE_BINARY);
    for (size_t n = 0; n < sizeof choices / sizeof *choices; n++) {
        expect_chosen(&r, r.folder, choices[n].kernels, choices[n].expected);
        expect_chosen(&r, path_of(&r, "all.gct"), choices[n].kernels, choices[n].expected);
    }
    shell(&r, "rm kernelslist.g");
    for (size_t n = 0; n < sizeof choices / sizeof *choices; n++)
        expect_chosen(&r, r.folder, choices[n].kernels, choices[n].expected);
    rig_close(&r);
}

Test(choice, what_is_refused) {
    rig r;
    rig_open(&r);
    write_kernels(&r);
    const char *const bad[] = {"0", "0-3", "-0", "4-2", "-", "2-3-4", "--2", "99999999999999999999", "5--6"};
    for (size_t n = 0; n < sizeof bad / sizeof *bad; n++)
        expect_refused(&r, r.folder, bad[n], GPC_ERROR_ARGUMENT, bad[n]);
    const char *const empty[] = {"", ",", "1,", "1,,2", " "};
    for (size_t n = 0; n < sizeof empty / sizeof *empty; n++)
        expect_refused(&r, r.folder, empty[n], GPC_ERROR_ARGUMENT, "numbers, ranges and names");
    expect_refused(&r, r.folder, "8", GPC_ERROR_NOT_FOUND, "has 7, counted from 1");
    expect_refused(&r, r.folder, "1,9-", GPC_ERROR_NOT_FOUND, "kernels \"9-\"");
    expect_refused(&r, r.folder, "relo", GPC_ERROR_NOT_FOUND,
                   "has no kernel of this name; it has relu, net::relu, net::conv2d, plain, net::pool, conv2d, "
                   "(anonymous)::copy");
    expect_refused(&r, r.folder, "1,pool", GPC_ERROR_NOT_FOUND, "kernels \"pool\"");
    expect_refused(&r, r.folder, "1-,pool", GPC_ERROR_NOT_FOUND, "it has relu, net::relu");
    gpc_trace *trace = open_trace(&r, r.folder);
    expect_error(&r, gpc_trace_choose(NULL, "1", &r.error), GPC_ERROR_ARGUMENT, "trace is NULL");
    /* A refused choice changes nothing. */
    cr_assert_eq(gpc_trace_choose(trace, "4", &r.error), GPC_OK);
    cr_assert_eq(gpc_trace_choose(trace, "0", &r.error), GPC_ERROR_ARGUMENT);
    cr_assert_eq(next_kernel(&r, trace).id, 13);
    expect_error(&r, gpc_trace_choose(trace, "1", &r.error), GPC_ERROR_STATE, "before its first kernel");
    gpc_trace_close(trace);
    rig_close(&r);
}

Test(choice, a_range_that_ends_beyond_is_told) {
    rig r;
    rig_open(&r);
    write_kernels(&r);
    r.logged = 0;
    expect_chosen(&r, r.folder, "6-9", "6 7");
    cr_assert_eq(r.logged, 1);
    cr_assert(strstr(r.log, "kernels \"6-9\"") && strstr(r.log, "has 7"), "%s", r.log);
    expect_chosen(&r, r.folder, "6-7", "6 7");
    cr_assert_eq(r.logged, 1);
    rig_close(&r);
}

static void on_copy(void *user_data, uint64_t address, uint64_t bytes) {
    (void)bytes;
    *(uint64_t *)user_data += address;
}

/* Files passed over by number stay closed; copies before chosen kernels are reported. */
Test(choice, files_that_are_not_opened) {
    rig r;
    rig_open(&r);
    write_kernels(&r);
    for (unsigned n = 10; n < 17; n++) {
        char file[32];
        snprintf(file, sizeof file, "kernel-%u.traceg", n);
        if (n != 12 && n != 14)
            write_text(&r, file, "no trace\n");
    }
    expect_chosen(&r, r.folder, "3,5", "3 5");
    expect_refused(&r, r.folder, "3,plain", GPC_ERROR_FORMAT, "kernel-10.traceg");
    gpc_trace *trace = open_trace(&r, r.folder);
    uint64_t copied = 0;
    gpc_trace_on_memcpy(trace, on_copy, &copied);
    cr_assert_eq(gpc_trace_choose(trace, "3", &r.error), GPC_OK);
    cr_assert_eq(next_kernel(&r, trace).id, 12);
    cr_assert_eq(copied, 0x6000, "%" PRIx64, copied);
    cr_assert(gpc_trace_progress(trace) > 0 && gpc_trace_progress(trace) < 1);
    expect_last_kernel(&r, trace);
    gpc_trace_close(trace);
    rig_close(&r);
}

/* A table has an unknown count of kernels; reading ends at the last chosen number. */
Test(choice, of_a_table) {
    rig r;
    rig_open(&r);
    write_text(
        &r, "rows.csv",
        "kernel,block,warp,kind,address\na,0,0,load,0x100\nb,0,0,load,0x200\nc,0,0,load,0x300\nb,0,0,load,0x400\n");
    const char *rows = path_of(&r, "rows.csv");
    expect_chosen(&r, rows, "2-3", "2 3");
    expect_chosen(&r, rows, "b", "2 4");
    expect_chosen(&r, rows, "c,4-", "3 4");
    expect_refused(&r, rows, "2,5-6", GPC_ERROR_NOT_FOUND, "has 4, counted from 1");
    write_text(&r, "cut.csv", "kernel,block,warp,kind,address\na,0,0,load,0x100\nb,0,0,load,0x200\nc,0,0,nothing\n");
    expect_chosen(&r, path_of(&r, "cut.csv"), "1", "1");
    rig_close(&r);
}

Test(choice, of_a_synthetic_kernel) {
    rig r;
    rig_open(&r);
    gpc_trace *trace = open_trace(&r, "synthetic:bicg:64KiB");
    const uint64_t count = gpc_trace_kernel_count(trace);
    cr_assert_geq(count, 2);
    cr_assert_eq(gpc_trace_choose(trace, "2", &r.error), GPC_OK);
    cr_assert_eq(next_kernel(&r, trace).index, 1);
    cr_assert_eq(gpc_trace_kernel_count(trace), count);
    expect_last_kernel(&r, trace);
    gpc_trace_close(trace);
    rig_close(&r);
}
